"""What can go wrong with a long run: kills, Ctrl-C, two at once, a disk that is full."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kinetune.batch import edit_library, folder_lock
from kinetune.batch._manifest import Manifest
from kinetune.batch.work import BatchOutcome
from kinetune.errors import FileError
from kinetune.formats import write
from kinetune.progress import reporting
from kinetune.samples import sample
from tests.batch.conftest import running_cluster, tree

pytestmark = pytest.mark.xdist_group("cluster")  # one cluster serves them all
_CLIPS = 20
posix = pytest.mark.skipif(os.name != "posix", reason="needs signals as POSIX has them")


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Something that takes a while, so that a run can be stopped in the middle."""
    path = tmp_path_factory.mktemp("slow") / "slow.yaml"
    path.write_text(
        "steps:\n  - op: equalize\n    preset: exaggerate\n  - op: plant_feet\n" + "  - op: plant_feet\n" * 2
    )
    return path


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty short clips."""
    folder = tmp_path_factory.mktemp("many") / "clips"
    folder.mkdir()
    walk = sample("walk")
    for number in range(_CLIPS):
        write(walk[number : number + 80], folder / f"{number:02}.bvh")
    return folder


def _start(recipe: Path, many: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "kinetune", "batch", str(recipe), str(many), "-o", str(out), "--jobs", "2", *more]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_hear_interrupts if os.name == "posix" else None,
    )


def _hear_interrupts() -> None:
    """A shell that runs the tests in the background lets its children ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _wait_for_some(out: Path, run: subprocess.Popen[str], count: int = 3) -> None:
    for _ in range(3000):
        if len(list(out.glob("*.bvh"))) >= count:
            return
        assert run.poll() is None, run.communicate()
        time.sleep(0.05)
    pytest.fail("no results after 150 s")


@posix
def test_killed_and_resumed_is_the_same_as_never_killed(recipe: Path, many: Path, cluster: str, tmp_path: Path) -> None:
    run = _start(recipe, many, tmp_path / "killed")
    _wait_for_some(tmp_path / "killed", run)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    done = len(list((tmp_path / "killed").glob("*.bvh")))
    assert done < _CLIPS
    result = edit_library(recipe, [str(many)], tmp_path / "killed", scheduler=cluster, resume=True)
    assert result.summary.failed == 0
    edit_library(recipe, [str(many)], tmp_path / "whole", scheduler=cluster)
    assert tree(tmp_path / "killed") == tree(tmp_path / "whole")


@posix
def test_ctrl_c_stops_cleanly_and_can_be_resumed(recipe: Path, many: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = _start(recipe, many, out)
    _wait_for_some(out, run)
    os.killpg(run.pid, signal.SIGINT)
    _, words = run.communicate(timeout=60)
    assert run.returncode == 130
    assert words.startswith("kinetune: stopped after ")
    assert words.count("\n") == 1, words
    assert not list(out.rglob("*.part"))
    report = json.loads((out / "report.json").read_text())
    assert 0 < report["summary"]["done"] < _CLIPS
    again = _start(recipe, many, out, "--resume", "--json")
    told, words = again.communicate(timeout=120)
    assert again.returncode == 0, words
    assert json.loads(told)["done"] + json.loads(told)["kept"] == _CLIPS
    assert json.loads(told)["kept"] > 0


def test_a_worker_that_is_killed_costs_no_clip(recipe: Path, many: Path, tmp_path: Path) -> None:
    with running_cluster() as running:
        victims = [nanny.pid for nanny in running.workers.values()]

        shares: list[float | None] = []

        def kill_one(share: float | None, text: str) -> None:
            shares.append(share)
            if len(shares) == 5:
                os.kill(victims[0], signal.SIGTERM if os.name == "nt" else signal.SIGKILL)

        with reporting(kill_one):
            result = edit_library(recipe, [str(many)], tmp_path / "out", scheduler=running.scheduler_address)
    assert (result.summary.done, result.summary.failed) == (_CLIPS, 0)
    assert len(tree(tmp_path / "out")) == _CLIPS


def test_leftovers_of_a_killed_worker_go_and_a_users_files_stay(
    clips: Path, recipe: Path, cluster: str, tmp_path: Path
) -> None:
    """A worker that is killed while it writes leaves its half of a file; it is put there by hand after the work."""
    own, other = tmp_path / ".one.bvh.0123456789ab.part", tmp_path / ".something.part"
    other.write_text("a download that is not finished")
    mine = tmp_path / "a" / ".my.bvh.0123456789ab.part"
    mine.parent.mkdir()
    mine.write_text("not of this run")

    def leave(outcome: BatchOutcome) -> None:
        own.write_text("half of a fil")

    edit_library(recipe, [str(clips / "a")], tmp_path, scheduler=cluster, on_outcome=leave)
    assert not own.exists()
    assert other.exists()
    assert mine.exists()


def test_a_second_run_on_one_folder_is_refused(clips: Path, recipe: Path, tmp_path: Path) -> None:
    with Manifest(tmp_path), pytest.raises(FileError, match="another run is writing into this folder"):
        edit_library(recipe, [str(clips / "*.bvh")], tmp_path)


def test_a_lock_on_a_full_disk_is_told(tmp_path: Path) -> None:
    full = sqlite3.connect(":memory:")
    full.execute("pragma max_page_count = 1")
    with pytest.raises(sqlite3.OperationalError) as raised:
        full.execute("create table clips (target text)")
    full.close()
    told = str(folder_lock._unusable(tmp_path / "lock.sqlite", raised.value))
    assert "disk is full" in told
    assert "Free some space" in told
    assert "Delete" not in told


@posix
def test_a_disk_that_takes_no_more_is_told_for_each_clip(clips: Path, recipe: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk: the system refuses the write in the same way."""
    out = tmp_path / "out"
    code = (
        "import resource, runpy, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))\n"
        f"sys.argv = ['kinetune', 'batch', {str(recipe)!r}, {str(clips)!r}, '-o', {str(out)!r},"
        " '--jobs', '1', '--strict']\n"
        "runpy.run_module('kinetune', run_name='__main__')\n"
    )
    script = tmp_path / "limited.py"
    script.write_text("if __name__ == '__main__':\n    " + code.replace("\n", "\n    ").rstrip() + "\n")
    # Python's own compiled modules would be cut off by the limit as well, and stay so.
    setting = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, env=setting)
    assert done.returncode == 1, done.stderr
    assert "four.bvh" in done.stdout
    assert "file too large" in done.stdout.lower()
    assert tree(out) == {}
