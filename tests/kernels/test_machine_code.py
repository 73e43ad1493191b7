"""Machine code from the disk gives the bits of numba's, and is used only where it was made and for what it takes."""

from __future__ import annotations

import gc
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinetune.kernels import _machine_code as machine_code
from kinetune.kernels import loader
from kinetune.kernels.loader import Kernels

pytestmark = pytest.mark.skipif(not machine_code.available(), reason="machine code is used on Linux only")

SHAPES = """
from typing import NamedTuple
import numpy as np


class Shape(NamedTuple):
    corners: np.ndarray
    flags: np.ndarray
    scale: float
"""
KERNELS = """
import numpy as np
from numba import njit
from shapes import Shape

STANDALONE = True

@njit(cache=True, nogil=True)
def area(shape, factor, times, into):
    total = 0.0
    for i in range(len(shape.corners)):
        into[i] = np.cos(shape.corners[i, 0]) * shape.scale / factor
        if shape.flags[i]:
            total += into[i] * shape.corners[i, 1] * times
    return total

@njit(cache=True, nogil=True)
def count(numbers):
    found = 0
    for number in numbers:
        found += number > 0.0
    return found

@njit(cache=True, nogil=True)
def fill(numbers, value):
    numbers[:] = value

def warm_up():
    shape = Shape(np.ones((2, 2)), np.zeros(2, np.bool_), 1.0)
    area(shape, 1.0, 2, np.zeros(2))
    count(np.ones(2))
    fill(np.ones(2), 1.0)
"""
ALLOCATES = """
import numpy as np
from numba import njit

STANDALONE = True

@njit(cache=True)
def first_of_copy(numbers):
    return numbers.copy()[0]

def warm_up():
    first_of_copy(np.ones(2))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where two modules of kernels lie, one of them with its machine code."""
    folder = tmp_path_factory.mktemp("kernels")
    for name, text in (("shapes", SHAPES), ("area_kernels", KERNELS), ("copying_kernels", ALLOCATES)):
        (folder / f"{name}.py").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        assert Kernels("area_kernels").load() is sys.modules["area_kernels"], "numba compiles them at first"
    return folder


@pytest.fixture(autouse=True)
def _importable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(folder)


def load(module: str = "area_kernels") -> Any:
    return machine_code.load(module, lambda: importlib.import_module(module))


def shape(count: int) -> Any:
    rng = np.random.default_rng(count)
    return sys.modules["shapes"].Shape(rng.normal(size=(count, 2)), rng.random(count) > 0.5, 0.7)


@pytest.mark.parametrize("count", [0, 1, 100])
def test_records_arrays_and_numbers_arrive(count: int) -> None:
    stored, compiled = load(), importlib.import_module("area_kernels")
    results = [(kernels.area(shape(count), 1.3, 3, into := np.zeros(count)), into) for kernels in (stored, compiled)]
    assert results[0][0] == results[1][0]
    assert np.array_equal(results[0][1], results[1][1])
    if count == 100:
        assert results[0][0] != 0.0
    numbers = np.linspace(-1.0, 1.0, 7)
    assert stored.count(numbers) == 3
    assert stored.fill(numbers, 2.5) is None
    assert numbers.tolist() == [2.5] * 7


@pytest.mark.parametrize(
    "other",
    [
        lambda numbers: numbers.astype(np.float32),
        lambda numbers: np.repeat(numbers, 2)[::2],
        lambda numbers: numbers.astype(np.int64),
        lambda numbers: numbers[::-1],
    ],
    ids=["single precision", "every second", "whole numbers", "backward"],
)
def test_other_arrays_go_to_numba(other: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def numba_module() -> Any:
        calls.append(True)
        return importlib.import_module("area_kernels")

    stored = machine_code.load("area_kernels", numba_module)
    assert stored is not None
    assert stored.count(other(np.array([-2.0, 3.0, 4.0]))) == 2
    assert calls == [True]
    assert stored.count(np.array([-2.0, 3.0, 4.0])) == 2
    assert calls == [True]


def test_a_record_whose_fields_have_moved_goes_to_numba() -> None:
    stored = machine_code.load("area_kernels", lambda: pytest.fail("to numba"))
    moved = type("Moved", (tuple,), {"_fields": ("flags", "corners", "scale")})(shape(3))
    with pytest.raises(pytest.fail.Exception, match="to numba"):
        stored.area(moved, 1.0, 1, np.zeros(3))


def test_a_fresh_process_needs_no_numba(folder: Path) -> None:
    script = """
import sys
import numpy as np
from kinetune.kernels.loader import Kernels
from shapes import Shape

shape = Shape(np.full((3, 2), 0.5), np.ones(3, bool), 2.0)
area = Kernels("area_kernels").load().area(shape, 4.0, 3, np.zeros(3))
print("numba" in sys.modules, area)
from numba import njit
assert njit(lambda count: np.ones(count).sum())(100) == 100.0, "numba frees what it allocates"
"""
    found = os.pathsep.join([str(folder), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | {"PYTHONPATH": found}, capture_output=True, text=True
    )
    assert done.stdout.split() == ["False", str(sum([np.cos(0.5) * 2.0 / 4.0 * 0.5 * 3] * 3))], done.stderr


def test_a_process_that_stays_calls_kernels_through_numba(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "_registry", {})
    kernels = Kernels("area_kernels")
    assert kernels.load() is not sys.modules["area_kernels"]
    assert loader.warm_up() == ["area_kernels"]
    assert kernels.load() is sys.modules["area_kernels"]


def test_a_kernel_that_fails_says_so() -> None:
    area = load().area
    gc.collect()  # the code stays for as long as the kernel
    assert area(shape(3), 1.0, 1, np.zeros(3)) != 0.0
    with pytest.raises(ArithmeticError, match="area"):
        area(shape(3), 0.0, 1, np.zeros(3))


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        (machine_code, "newest_source", lambda: 0.0),
        (machine_code, "_processor", lambda: {"cpu": "another", "features": ""}),
    ],
    ids=["sources", "processor"],
)
def test_code_made_elsewhere_is_not_used(where: Any, name: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load() is not None
    monkeypatch.setattr(where, name, value)
    assert load() is None


def test_code_of_an_older_source_is_not_used(folder: Path) -> None:
    source = folder / "area_kernels.py"
    written = source.stat().st_mtime
    os.utime(source, (written + 10, written + 10))
    assert load() is None
    os.utime(source, (written, written))
    assert load() is not None


def test_a_file_that_was_cut_off_is_written_again(folder: Path) -> None:
    (file,) = folder.rglob("area_kernels.*.machine_code.json")
    whole = file.read_text()
    file.write_text(whole[: len(whole) // 2])
    assert load() is None
    machine_code.store(importlib.import_module("area_kernels"))
    assert json.loads(file.read_text())["key"] == json.loads(whole)["key"]
    assert load() is not None


def test_kernels_that_need_numba_at_run_time_are_not_stored(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert Kernels("copying_kernels").load().first_of_copy(np.array([3.0, 2.0])) == 3.0
    assert "first_of_copy is no kernel that can stand alone" in caplog.text
    assert not list(folder.rglob("copying_kernels.*.machine_code.json"))


def test_settings_of_numba_are_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert machine_code.available()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "elsewhere")
    assert not machine_code.available()


LEGS, BLOCKS = "kinetune.body.feet.leg_kernels", "kinetune.trajectory.block_banded_kernels"
ENTERED = """
import sys
import kinetune as kt

planted = kt.PlantFeet()(kt.sample("walk")[:120])
assert ("numba" in sys.modules) == bool(sys.argv[1:]), sorted(sys.modules)
print(planted.rotations.tobytes().hex(), planted.root.tobytes().hex())
"""


@pytest.mark.slow
def test_feet_are_planted_without_numba_to_the_same_bits() -> None:
    for module in (LEGS, BLOCKS):
        loader.Kernels(module).load()
        assert load(module) is not None
    environments: list[dict[str, str]] = [{}, {"NUMBA_DEBUG_CACHE": "0"}]  # any setting of numba brings numba
    printed = []
    for extra in environments:
        command = [sys.executable, "-c", ENTERED, *extra]
        printed.append(subprocess.run(command, env=os.environ | extra, capture_output=True, text=True, check=True))
    assert printed[0].stdout == printed[1].stdout
    assert len(printed[0].stdout) > 1000
