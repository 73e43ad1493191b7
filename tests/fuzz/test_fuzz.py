"""Mutated files never get more out of a reader than one message, five seconds and a gigabyte."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kinetune.formats import FORMATS, MODULES
from tests.contours.reading.lottie_files import FILL, document, shape_layer
from tests.fuzz.readers import READERS, Files
from tests.fuzz.workers import Tally, judge_message, run_cases, run_files, warm_up

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="cases run in forked processes"),
    pytest.mark.xdist_group("fuzz"),
]
CASES = 140  # of each reader; `make fuzz` runs 100,000
REGRESSIONS = sorted(path for path in (Path(__file__).parent / "regressions").glob("*/*") if path.is_file())


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    warm_up()


def check(tally: Tally) -> None:
    assert not tally.failures, "\n".join(f"{f.reader} {f.case}: {f.kind}\n{f.detail}" for f in tally.failures[:3])


@pytest.mark.parametrize("name", READERS)
def test_mutated_files_are_read_or_refused(name: str) -> None:
    tally = run_cases(name, range(CASES))
    check(tally)
    assert tally.cases == CASES
    assert tally.read, "no mutation leaves a file that can be read, so that nothing is tested behind the first check"
    assert tally.refused


@pytest.mark.parametrize("name", READERS)
def test_the_files_to_start_from_are_valid(name: str) -> None:
    for files in READERS[name].seeds():
        tally = run_files(name, files)
        check(tally)
        assert tally.read == 1


def test_every_format_that_can_be_read_is_fuzzed() -> None:
    suffixes = {
        "".join(Path(name).suffixes[-1:]) for reader in READERS.values() for files in reader.seeds() for name in files
    }
    missing = [name for name in MODULES if FORMATS[name].read and not suffixes & set(MODULES[name][1])]
    assert not missing, "add a Reader to tests/fuzz/readers.py"


@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_once_broke_a_reader_is_read_or_refused(path: Path) -> None:
    """``regressions/READER/case--why.suffix`` takes the place of ``case.suffix`` among the files of a seed."""
    name, (stem, _, end) = path.parent.name, path.name.partition("--")
    file = f"{stem}.{end.partition('.')[2]}"
    seed = next((files for files in READERS[name].seeds() if file in files), {})
    check(run_files(name, {**seed, file: path.read_bytes()}))


def _bvh(frame_time: str) -> bytes:
    (text,) = (files["case.bvh"] for files in READERS["bvh"].seeds()[:1])
    head, _, rest = text.partition(b"Frame Time: ")
    return head + b"Frame Time: " + frame_time.encode() + b"\n" + rest.partition(b"\n")[2] * 60


def _svg(path: str, attributes: str = "", group: str = "") -> bytes:
    clip = '<clipPath id="c"><circle cx="20" cy="20" r="15"/></clipPath><rect width="50" height="50"/>'
    drawn = f'{clip}<g {group}><path d="{path}" {attributes}/></g>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{drawn}</svg>'.encode()


def _scribble(count: int) -> str:
    return "M" + " ".join(f"{37 * k % 89} {53 * k * k % 97}" for k in range(count))


def _rings() -> str:
    return "".join(
        f"M{0.001 * k:.3f} 50L50 {0.001 * k:.3f}L{99 - 0.001 * k:.3f} 50L50 {99 - 0.001 * k:.3f}z" for k in range(5000)
    )


def _fills(count: int) -> bytes:
    items = [{"ty": "rc", "p": {"k": [20, 80]}, "s": {"k": [20, 10]}, "r": {"k": 3}}, FILL] * count
    return json.dumps(document(shape_layer(*items))).encode()


def _chain(count: int) -> bytes:
    joints = b"".join(b"JOINT j%d\n{\nOFFSET 0 1 0\nCHANNELS 0\n" % k for k in range(count))
    head = b"HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n" + joints + b"}\n" * (count + 1)
    return head + b"MOTION\nFrames: 2\nFrame Time: 0.1\n0\n1\n"


_LINE, _CLIP = 'fill="none" stroke="blue"', 'clip-path="url(#c)" opacity=".5"'
SMALL_BUT_LARGE: dict[str, tuple[str, Callable[[], Files]]] = {
    "a frame time of a billion": ("bvh", lambda: {"case.bvh": _bvh("1000000000")}),
    "a hundred thousand frames a second": ("bvh", lambda: {"case.bvh": _bvh("0.00001")}),
    "one frame in a quarter of an hour": ("bvh", lambda: {"case.bvh": _bvh("999")}),
    "a number of forty thousand digits": ("bvh", lambda: {"case.bvh": _bvh("0.1").replace(b"90.0", b"1" * 40_000)}),
    "a joint with a name of fifty thousand words": (
        "bvh",
        lambda: {"case.bvh": _bvh("0.1").replace(b"Hips", b"aB" * 50_000)},
    ),
    "a chain of nine thousand joints": ("bvh", lambda: {"case.bvh": _chain(9000)}),
    "five thousand triangles over each other": ("svg", lambda: {"case.svg": _svg("M0 0h1v1z" * 5000)}),
    "five thousand rings in each other": ("svg", lambda: {"case.svg": _svg(_rings())}),
    "a cell of two hundred thousand letters": ("footsteps", lambda: {"case.csv": b"left,0,0," + b"x" * 200_000}),
    "a column with a title of spaces": (
        "csv",
        lambda: {"case.csv": b"frame,hip" + b" " * 40_000 + b"q,hip.y\n1,2,3\n"},
    ),
    "a column with a title of brackets": (
        "csv",
        lambda: {"case.csv": b"frame," + b"(" * 40_000 + b".x," + b"." * 40_000 + b"q,hip.y\n1,2,3,4\n"},
    ),
    "a scribble": ("svg", lambda: {"case.svg": _svg(_scribble(8000), _LINE)}),
    "a scribble, clipped": ("svg", lambda: {"case.svg": _svg(_scribble(8000), _LINE, _CLIP)}),
    "a scribble that is filled": ("svg", lambda: {"case.svg": _svg(_scribble(8000))}),
    "a scribble that is filled and clipped": ("svg", lambda: {"case.svg": _svg(_scribble(8000), "", _CLIP)}),
    "five hundred fills of five hundred shapes": ("lottie", lambda: {"case.json": _fills(500)}),
    "a curve far larger than the canvas": ("svg", lambda: {"case.svg": _svg("M0 0C1e90 0 0 1e90 1e90 1e90" * 2000)}),
}


@pytest.mark.parametrize("case", SMALL_BUT_LARGE)
def test_a_small_file_takes_little_time_and_memory(case: str) -> None:
    name, files = SMALL_BUT_LARGE[case]
    check(run_files(name, files()))


def test_a_message_that_shows_too_much_is_noticed() -> None:
    files = {"a.bvh": b"x" * 200}
    assert judge_message("a.bvh: x" + "x" * 79, Path("a.bvh"), files) is None
    assert judge_message("a.bvh: x" + "x" * 80, Path("a.bvh"), files) is not None
    assert judge_message("a.bvh: \x1b[31m", Path("a.bvh"), files) is not None
