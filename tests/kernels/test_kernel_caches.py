"""What numba keeps on disk is dropped when any kernel changes, and a disk that is full stops no kernel."""

from __future__ import annotations

import errno
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from numba.core.caching import IndexDataCacheFile

from kinetune.kernels.loader import drop_stale_caches, spare_caches

INNER = """
from numba import njit

@njit
def inner(x):
    return x + {step}
"""
OUTER = """
from numba import njit
from inner_kernels import inner

@njit(cache=True)
def outer(x):
    return 10 * inner(x)
"""


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "outer_kernels.py").write_text(OUTER)
    return tmp_path


def outer_with(step: int, folder: Path, monkeypatch: pytest.MonkeyPatch, age_s: float) -> ModuleType:
    """Both modules read anew, the inner one with another step; it was written ``age_s`` after the other."""
    inner = folder / "inner_kernels.py"
    inner.write_text(INNER.format(step=step))
    written = (folder / "outer_kernels.py").stat().st_mtime + age_s
    os.utime(inner, (written, written))
    for name in ("inner_kernels", "outer_kernels"):
        spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        found = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, found)
        spec.loader.exec_module(found)
    return found


@pytest.mark.slow
def test_a_change_of_an_inner_kernel_reaches_its_callers(modules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert outer_with(1, modules, monkeypatch, age_s=0).outer(1) == 20
    changed = outer_with(5, modules, monkeypatch, age_s=3600)
    drop_stale_caches(changed, modules)
    assert changed.outer(1) == 60


def test_caches_that_are_younger_than_all_kernels_stay(modules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert outer_with(1, modules, monkeypatch, age_s=-60).outer(1) == 20
    again = outer_with(1, modules, monkeypatch, age_s=-60)
    drop_stale_caches(again, modules)
    assert again.outer(1) == 20
    assert sum(again.outer.stats.cache_hits.values()) == 1


def test_a_kernel_runs_on_a_full_disk(
    modules: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    kernels = outer_with(1, modules, monkeypatch, age_s=0)
    monkeypatch.setattr(IndexDataCacheFile, "save", full)
    spare_caches(kernels)
    assert kernels.outer(1) == 20
    assert "cannot be cached" in caplog.text
