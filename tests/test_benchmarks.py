"""A recorded run: what is written, and what a claim is worth."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.growth import ALGORITHMS, Curve
from benchmarks.harness import Claim
from benchmarks.machine import describe_machine
from benchmarks.record import Ran, Record

GOOD, BAD = Claim("theirs / ours", 30.0, 10.0, at_least=True), Claim("ours | copy", 5.0, 2.5, at_least=False)
CURVE = Curve("warp", "warp", "frames", "n^2", (10, 20, 40), (1e-3, 4e-3, 16e-3), (1 << 20, 1 << 21, 1 << 22))


def record(**changes) -> Record:
    ran = [Ran("one", "First.", [GOOD, BAD], ["skip peer: the package is not installed", "a number"])]
    told = {"date": "2026-01-02", "machine": {"processor": "x"}, "ran": ran, "benchmarks": ["one", "two"]}
    return Record(**told | changes)


def test_a_margin_above_1_holds():
    assert GOOD.margin == pytest.approx(3.0)
    assert BAD.margin == pytest.approx(0.5)
    for value, limit in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (2.0, 2.0), (3.0, 2.0), (-1e-9, 1.0)):
        claim = Claim("", value, limit, at_least=False)
        assert (claim.margin >= 1.0) == claim.holds


def test_a_claim_in_numpy_numbers_can_be_written():
    claim = Claim("ratio", np.float64(3.0), np.float32(2.0), at_least=True)
    assert json.loads(json.dumps(Ran("one", "First.", [claim]).as_json()))["claims"][0]["holds"] is True


def test_a_run_is_written_whole(tmp_path: Path):
    kept = record(growth=[CURVE])
    paths = kept.write(tmp_path)
    assert {path.name for path in paths} == {f"{a}.{b}" for a in ("claims", "growth") for b in ("json", "md", "svg")}
    data = json.loads((tmp_path / "claims.json").read_text())
    assert [claim["holds"] for claim in data["benchmarks"][0]["claims"]] == [True, False]
    assert data["benchmarks"][0]["missing"] == ["peer: the package is not installed"]
    page = (tmp_path / "claims.md").read_text()
    assert "1 of 2 claims hold" in page
    assert "Not recorded yet: two." in page
    assert "| ours / copy | 5 | at most 2.5 | missed |" in page
    assert "| 2.00 | n^2 |" in (tmp_path / "growth.md").read_text()
    assert kept.missed == 1


def test_what_was_not_measured_stays_as_it_was(tmp_path: Path):
    record(growth=[CURVE]).write(tmp_path)
    before = (tmp_path / "claims.json").read_bytes()
    record(ran=[], growth=[CURVE]).write(tmp_path)
    assert (tmp_path / "claims.json").read_bytes() == before


def test_a_part_measured_again_leaves_the_rest(tmp_path: Path):
    both = [Ran("one", "First.", [GOOD]), Ran("two", "Second.", [BAD], ["skip peer: the package is not installed"])]
    slower = Curve("bands", "bands", "frames", "n", (10, 20, 40), (1e-3, 2e-3, 4e-3), ())
    names = {"benchmarks": ["one", "two"], "algorithms": ["bands", "warp"]}
    record(ran=both, growth=[CURVE, slower], **names).write(tmp_path)
    better = Claim("theirs / ours", 40.0, 10.0, at_least=True)
    later = {"date": "2026-03-04", "machine": {"processor": "y"}, "ran": [Ran("one", "First.", [better])]}
    record(**later, growth=[slower], **names).write(tmp_path)
    data = json.loads((tmp_path / "claims.json").read_text())["benchmarks"]
    assert [(one["name"], one["recorded"], one["machine"]["processor"]) for one in data] == [
        ("one", "2026-03-04", "y"),
        ("two", "2026-01-02", "x"),
    ]
    assert data[0]["claims"][0]["value"] == 40.0
    assert data[1]["missing"] == ["peer: the package is not installed"]
    page = (tmp_path / "claims.md").read_text()
    assert page.count("Recorded on 2026-01-02 with processor x.") == 1
    curves = json.loads((tmp_path / "growth.json").read_text())["curves"]
    assert [(curve["name"], curve["date"]) for curve in curves] == [("bands", "2026-03-04"), ("warp", "2026-01-02")]


def test_what_no_longer_exists_leaves_the_record(tmp_path: Path):
    record().write(tmp_path)
    record(ran=[Ran("two", "Second.", [GOOD])], benchmarks=["two"]).write(tmp_path)
    assert [one["name"] for one in json.loads((tmp_path / "claims.json").read_text())["benchmarks"]] == ["two"]


def test_growth_covers_every_algorithm():
    wanted = (
        "bands warp keys splines kinematics bvh contour_dynamics morph reach walk filter plan batch blend plant_feet"
    )
    assert set(wanted.split()) <= {algorithm.name for algorithm in ALGORITHMS}
    for algorithm in ALGORITHMS:
        assert list(algorithm.sizes) == sorted(algorithm.sizes)
        assert len(algorithm.sizes) >= 4


@pytest.mark.parametrize("name", ["splines", "plan"])
def test_an_algorithm_runs_at_its_smallest_size(name: str):
    algorithm = next(one for one in ALGORITHMS if one.name == name)
    assert algorithm.make(algorithm.sizes[0])() is not None


@pytest.mark.skipif(sys.platform == "win32", reason="the Python here is a script with a first line")
def test_a_benchmark_with_peers_apart_comes_back_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from benchmarks import __main__ as running

    ran = Ran("warp", "Warps.", [GOOD], ["skip peer: the package is not installed"], "", "2026-01-02", {"numpy": "2.3"})
    told = tmp_path / "told.json"
    told.write_text(json.dumps([ran.as_json()]))
    python = tmp_path / "python"
    python.write_text(
        f"#!{sys.executable}\nimport os, shutil, sys\n"
        "assert 'KINETUNE_PEERS' not in os.environ or sys.argv[1] != '-m', 'it would call itself'\n"
        f"if sys.argv[1] == '-m': shutil.copy({str(told)!r}, sys.argv[sys.argv.index('--json') + 1])\n"
    )
    python.chmod(0o755)
    monkeypatch.setenv("KINETUNE_PEERS", str(python))
    assert running.run_apart("warp", python) == ran
    told.unlink()  # then the script stops
    assert running.run_apart("warp", python).failed == "it ended with 1"
    monkeypatch.setattr(running, "run_one", lambda name: Ran(name, "here"))
    assert running.run_apart("warp", tmp_path / "no-python-here").title == "here"


def test_what_was_run_is_written_for_another_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from benchmarks import __main__ as running

    monkeypatch.setattr(running, "run_one", lambda name: Ran(name, "Here.", [GOOD]))
    for variable in (*running.THREADS, "KINETUNE_COMPILED"):
        monkeypatch.setenv(variable, os.environ.get(variable, "1"))  # put back afterwards
    assert running.main(["splines", "--json", str(tmp_path / "ran.json")]) == 0
    assert Ran.from_json(json.loads((tmp_path / "ran.json").read_text())[0]).claims == [GOOD]


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


def test_words_on_quality_are_kept_beside_earlier_ones(tmp_path: Path):
    from benchmarks.quality import NAMES, write_quality

    def told(name: str, line: str) -> dict[str, object]:
        return {"name": name, "title": "How good.", "recorded": "2026-01-02", "lines": [line], "failed": False}

    write_quality(tmp_path, [told(NAMES[0], "one"), told(NAMES[1], "two")])
    write_quality(tmp_path, [told(NAMES[1], "better"), told("gone", "nothing")])
    kept = json.loads((tmp_path / "quality.json").read_text())["scripts"]
    assert [(one["name"], one["lines"]) for one in kept] == [(NAMES[0], ["one"]), (NAMES[1], ["better"])]
    assert "better" in (tmp_path / "quality.md").read_text()
