"""A recorded run: what is written, and what a claim is worth."""

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.growth import Curve
from benchmarks.harness import Claim
from benchmarks.machine import describe_machine
from benchmarks.record import Ran, Record

GOOD, BAD = Claim("theirs / ours", 30.0, 10.0, at_least=True), Claim("ours | copy", 5.0, 2.5, at_least=False)
CURVE = Curve("warp", "warp", "frames", "n^2", (10, 20, 40), (1e-3, 4e-3, 16e-3), (1 << 20, 1 << 21, 1 << 22))


def record(**changes) -> Record:
    ran = [Ran("one", "First.", [GOOD, BAD], ["skip peer: the package is not installed", "a number"])]
    return Record(**{"date": "2026-01-02", "machine": {"processor": "x"}, "ran": ran, "left_out": ["two"]} | changes)


def test_a_margin_above_1_holds():
    assert GOOD.margin == pytest.approx(3.0)
    assert BAD.margin == pytest.approx(0.5)
    for value, limit in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (2.0, 2.0), (3.0, 2.0), (-1e-9, 1.0)):
        claim = Claim("", value, limit, at_least=False)
        assert (claim.margin >= 1.0) == claim.holds


def test_a_run_is_written_whole(tmp_path: Path):
    kept = record(growth=[CURVE])
    paths = kept.write(tmp_path)
    assert {path.name for path in paths} == {f"{a}.{b}" for a in ("claims", "growth") for b in ("json", "md", "svg")}
    data = json.loads((tmp_path / "claims.json").read_text())
    assert [claim["holds"] for claim in data["benchmarks"][0]["claims"]] == [True, False]
    assert data["benchmarks"][0]["missing"] == ["peer: the package is not installed"]
    page = (tmp_path / "claims.md").read_text()
    assert "1 of 2 claims hold" in page
    assert "Not run this time: two." in page
    assert "| ours / copy | 5 | at most 2.5 | missed |" in page
    assert "| 2.00 | n^2 |" in (tmp_path / "growth.md").read_text()
    assert kept.missed == 1


def test_what_was_not_measured_stays_as_it_was(tmp_path: Path):
    record(growth=[CURVE]).write(tmp_path)
    before = (tmp_path / "claims.json").read_bytes()
    record(ran=[], growth=[CURVE]).write(tmp_path)
    assert (tmp_path / "claims.json").read_bytes() == before


def test_the_same_run_gives_the_same_files(tmp_path: Path):
    files = [[path.read_bytes() for path in record(growth=[CURVE]).write(tmp_path / name)] for name in "ab"]
    assert files[0] == files[1]


def test_a_benchmark_that_stops_counts_as_missed():
    assert record(ran=[Ran("one", "First.", [GOOD], failed="RuntimeError: no")]).missed == 1


def test_the_machine_is_described_without_its_name():
    told = describe_machine()
    assert {"processor", "cores", "caches", "Python", "numpy", "numba", "scipy"} <= set(told)
    assert platform.node() not in " ".join(told.values()).split()


def test_an_unknown_name_is_told():
    done = subprocess.run([sys.executable, "-m", "benchmarks", "splinez"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no benchmark splinez" in done.stderr
    assert "splines" in done.stderr


def test_threads_are_set_before_numpy_is_loaded():
    code = "import sys, benchmarks.__main__; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"
