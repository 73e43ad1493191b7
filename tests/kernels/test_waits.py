"""Kernels that have to be compiled first: the wait is reported."""

import sys
import threading
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from kinetune.kernels import loader as compiled
from kinetune.progress import reporting


@pytest.fixture
def slow_module(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """A module of kernels whose compilation ends when the event is set."""
    ready = threading.Event()
    module = ModuleType("kinetune.physics.slow_things_kernels")
    module.__spec__ = ModuleSpec(module.__name__, None, origin=__file__)
    module.warm_up = ready.wait  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(compiled, "_registry", {})
    monkeypatch.setattr(compiled, "_SILENCE_S", 0.01)
    return ready


def test_a_long_wait_is_reported(slow_module: threading.Event) -> None:
    reports: list[tuple[float | None, str]] = []

    def show(share: float | None, text: str) -> None:
        reports.append((share, text))
        slow_module.set()

    kernels = compiled.Kernels("kinetune.physics.slow_things_kernels")
    with reporting(show):
        assert kernels.load() is sys.modules[kernels.module]
        kernels.load()
    assert reports == [(None, "compiling physics.slow things, once on this machine")]


def test_what_is_ready_is_not_reported(slow_module: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_SILENCE_S", 60.0)
    slow_module.set()
    reports: list[str] = []
    with reporting(lambda share, text: reports.append(text)):
        compiled.Kernels("kinetune.physics.slow_things_kernels").load()
    assert reports == []
