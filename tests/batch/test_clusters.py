"""Who may use a cluster, and what is told when it is not there, goes away, or hangs on one clip."""

import contextlib
import os
import subprocess
import sys
import textwrap
import time
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster

from kinetune.batch import edit_library, engine, work
from kinetune.batch.engine import ClusterError, InsecureClusterWarning
from kinetune.batch.jobs import BatchJob
from kinetune.batch.library import make_task
from kinetune.errors import ParameterError
from kinetune.library import MotionIndex, build_index, find_duplicates, find_transitions
from kinetune.recipes import Recipe
from tests.batch.conftest import running_cluster

pytestmark = pytest.mark.xdist_group("cluster")  # one cluster serves them all


@pytest.fixture(scope="module")
def local() -> Iterator[LocalCluster]:
    """The cluster of a batch on this machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KINETUNE_COMPILED", "never")
        with engine._local(1) as running:
            yield running


INTRUDER = """
    import os, sys
    from distributed import Client, Security

    def attack(address, security=None, timeout=1):
        try:
            with Client(address, timeout=timeout, security=security, set_as_default=False) as client:
                return f"ran as {client.run_on_scheduler(os.getuid)}"
        except Exception:
            return "refused"

    open_cluster, *closed = sys.argv[1:]
    own = Security.temporary()
    # Everything is imported before: somebody else may not read our packages.
    attack(open_cluster, timeout=20), attack(closed[0], own)
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    print(attack(open_cluster, timeout=20))
    for address in closed:
        print(attack(address.replace("tls:", "tcp:")), attack(address), attack(address, own))
"""


@pytest.mark.skipif(os.name != "posix", reason="needs users as POSIX has them")
def test_another_user_of_this_machine_cannot_use_the_local_cluster(local: LocalCluster, tmp_path: Path) -> None:
    """Neither without credentials nor with the intruder's own, at the scheduler, a nanny or a worker.

    Where the tests run as root, the intruder is another user; elsewhere the ports are no less open to ourselves.
    """
    script = tmp_path / "intruder.py"
    script.write_text(textwrap.dedent(INTRUDER))
    (nanny,) = local.workers.values()
    closed = [local.scheduler.address, nanny.address, nanny.worker_address]
    assert all(address.startswith("tls://127.0.0.1:") for address in closed)
    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0", silence_logs=50) as usual:
        command = [sys.executable, str(script), usual.scheduler_address, *closed]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    first, *rest = ran.stdout.splitlines()
    assert first == f"ran as {os.getuid()}", "the attack works on what Dask starts by default"
    assert rest == ["refused refused refused"] * 3, ran.stdout + ran.stderr
    with Client(local, set_as_default=False) as client:
        assert list(client.run(os.getuid).values()) == [os.getuid()]


def test_the_local_cluster_answers_nothing_in_the_clear(local: LocalCluster) -> None:
    from urllib.error import HTTPError
    from urllib.request import urlopen

    port = local.scheduler.http_server.port
    assert local.scheduler.http_server.address == "127.0.0.1"
    for path in ("info/main/workers.html", "metrics", "json/counts.json", "health", ""):
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"http://127.0.0.1:{port}/{path}")


def test_nothing_is_imported_from_a_folder_that_others_may_write_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dask puts its working folder first on the path of Python, and uses one of a known name in /tmp if it is there."""
    tmp_path.chmod(0o1777)
    planted = tmp_path / "dask-scratch-space"
    planted.mkdir()
    (planted / "planted_by_somebody.py").write_text("")
    for path in (planted, planted / "planted_by_somebody.py"):
        path.chmod(0o777)
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            os.chown(path, 65534, 65534)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = list(sys.path)
    with engine._local(1) as running:
        added = [Path(place) for place in sys.path if place not in before]
        with Client(running, set_as_default=False) as client:
            (inside,) = client.run(lambda: sys.path).values()
            added += [Path(place) for place in inside if place and place not in before]
        assert find_spec("planted_by_somebody") is None
        assert any(place.is_relative_to(tmp_path) for place in added), "Dask has no such folder any more"
        for place in added:
            (home,) = (each for each in (place, *place.parents) if each.parent == tmp_path)
            assert (home.stat().st_mode & 0o077, home.stat().st_uid) == (0, tmp_path.stat().st_uid)
    assert sys.path == before, "the name is free for everybody now"
    assert list(tmp_path.iterdir()) == [planted]


def test_the_key_is_on_no_disk(local: LocalCluster) -> None:
    assert "Temporary (In-memory)" in repr(local.security)


def test_an_open_cluster_is_warned_of(
    clips: Path, recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_PATIENCE_S", 0.3)
    for scheduler, warned in (("tcp://127.0.0.1:9", 1), ("127.0.0.1:9", 1), ("tls://127.0.0.1:9", 0)):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            with pytest.raises(ClusterError):
                edit_library(recipe, [str(clips / "*.bvh")], tmp_path / "out", scheduler=scheduler)
        assert [each.category for each in heard] == [InsecureClusterWarning] * warned


@pytest.mark.filterwarnings("ignore::kinetune.batch.engine.InsecureClusterWarning")
@pytest.mark.parametrize("scheduler", ["", "nonsense", "tcp://", "http://127.0.0.1:1", "tcp://127.0.0.1:99999"])
def test_a_scheduler_that_is_none_gives_one_message(
    clips: Path, recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheduler: str
) -> None:
    monkeypatch.setattr(engine, "_PATIENCE_S", 0.3)
    with pytest.raises(ClusterError, match="No cluster with a worker answers"):
        edit_library(recipe, [str(clips / "*.bvh")], tmp_path / "out", scheduler=scheduler)


@pytest.mark.skipif(os.name != "posix", reason="needs signals as POSIX has them")
@pytest.mark.parametrize("when", ["at first", "at work"])
def test_a_scheduler_that_is_killed_gives_one_message(clips: Path, recipe: Path, tmp_path: Path, when: str) -> None:
    """In a process of its own: whatever distributed logs on the way must not reach the user either."""
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(DOOMED), when, str(recipe), str(clips), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        timeout=120,
    )
    told = [line for line in ran.stderr.splitlines() if "is not encrypted" not in line]
    assert ran.returncode == 1, ran.stderr
    assert len(told) == 1, ran.stderr
    assert told[0].startswith("kinetune: The connection to the cluster is lost")


DOOMED = """
    import subprocess, sys
    from distributed.utils import open_port
    from kinetune.batch import engine
    from kinetune.cli import main

    when, recipe, clips, out = sys.argv[1:]
    port = open_port()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    run = [sys.executable, "-m"]
    address = f"tcp://127.0.0.1:{port}"
    scheduler = subprocess.Popen(
        [*run, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"], **quiet
    )
    worker = subprocess.Popen(
        [*run, "distributed.cli.dask_worker", address, "--no-nanny", "--no-dashboard", "--nthreads", "1"], **quiet
    )
    engine._AHEAD = 1  # at most one clip is finished after the scheduler
    real, told = engine._check_versions, engine._collect

    def check(client):
        if when == "at first":
            scheduler.kill()
        real(client)

    def collect(*arguments):
        outcomes = told(*arguments)
        yield next(outcomes)
        scheduler.kill()
        yield from outcomes

    engine._check_versions, engine._collect = check, collect
    sys.argv = ["kinetune", "batch", recipe, clips, "-o", out, "--scheduler", address]
    try:
        main()
    finally:
        for each in (scheduler, worker):
            each.kill()
            each.wait()
"""


def _never_ends(*_: object, **__: object) -> None:
    while True:
        time.sleep(0.01)


def test_a_clip_that_takes_too_long_is_given_up(clips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_task(Recipe(), {}, {}, timeout_s=0.05)
    source = str(clips / "four.bvh")
    with pytest.raises(ParameterError, match="above 0"):
        make_task(Recipe(), {}, {}, timeout_s=0.0)
    monkeypatch.setattr(work, "attempt", _never_ends)
    with pytest.raises(work.ClipTimeout) as raised:
        work.process(BatchJob(source, None, "four.bvh"), task)
    told = engine._told(BatchJob(source, None, "four.bvh"), raised.value)
    assert told.startswith(f"{source}: this clip took more than 0.05 s")
    assert "--clip-timeout" in told


@pytest.mark.skipif(os.name != "posix", reason="needs a pipe with a name")
def test_a_clip_that_hangs_costs_no_other(cluster: str, clips: Path, recipe: Path, tmp_path: Path) -> None:
    """The worker that hangs is started anew, so that the rest has all workers again."""
    folder = tmp_path / "clips"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.bvh").write_bytes((clips / "four.bvh").read_bytes())
    hang = tmp_path / "hang.yaml"
    hang.write_text("steps:\n  - {op: smooth, cutoff_hz: 4}\n")
    with Client(cluster, set_as_default=False) as client:
        pids = client.run(os.getpid)
        client.run(_hang_on, "3.bvh")
        result = edit_library(hang, [str(folder)], tmp_path / "out", scheduler=cluster, clip_timeout_s=8.0)
        assert (result.summary.done, result.summary.failed) == (5, 1)
        assert [name for name, _ in result.summary.failures] == ["3.bvh"]
        client.wait_for_workers(2)
        after = client.run(os.getpid)
    assert len(set(pids.values()) & set(after.values())) == 1
    assert sorted(path.name for path in (tmp_path / "out").glob("*.bvh")) == [f"{n}.bvh" for n in (0, 1, 2, 4, 5)]


def _named(job: BatchJob, run: str) -> tuple[str, str]:
    return run, job.name


def test_two_runs_on_one_cluster_get_results_of_their_own(cluster: str) -> None:
    """A scheduler takes tasks of one key for the same task, whoever sent them."""
    jobs = [BatchJob(f"{number}.bvh", None, f"{number}.bvh") for number in range(6)]
    runs = [engine.run_work(_named, [(job, name) for job in jobs], scheduler=cluster) for name in ("first", "second")]
    with contextlib.closing(runs[0]), contextlib.closing(runs[1]):
        outcomes = [result for pair in zip(*runs, strict=True) for _, result in pair]
    assert sorted(outcomes) == sorted((name, job.name) for name in ("first", "second") for job in jobs)


def _slowly(job: BatchJob) -> str:
    time.sleep(0.5)
    return job.name


def test_a_cluster_whose_workers_are_all_gone_gives_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_LOOK_S", 0.2)
    monkeypatch.setattr(engine, "_NOBODY_S", 1.0)
    jobs = [(BatchJob(f"{number}.bvh", None, f"{number}.bvh"),) for number in range(40)]
    with (
        running_cluster() as lonely,
        contextlib.closing(engine.run_work(_slowly, jobs, scheduler=lonely.scheduler_address)) as results,
    ):
        next(results)
        lonely.scale(0)
        with pytest.raises(ClusterError, match=r"no worker left\. .*--resume"):
            list(results)


def test_a_result_whose_worker_is_gone_before_it_is_fetched_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_LOOK_S", 0.2)
    monkeypatch.setattr(engine, "_NOBODY_S", 1.0)
    ended = engine._as_they_end
    with running_cluster() as lonely:

        def lost(*running: Any) -> Iterator[Any]:
            for future in ended(*running):
                lonely.scale(0)
                while lonely.scheduler.workers:
                    time.sleep(0.05)
                yield future

        monkeypatch.setattr(engine, "_as_they_end", lost)
        work = engine.run_work(_named, [(BatchJob("a.bvh", None, "a.bvh"), "run")], scheduler=lonely.scheduler_address)
        with contextlib.closing(work) as results, pytest.raises(ClusterError, match="no worker left"):
            list(results)


def _too_late(job: BatchJob) -> str:
    raise TimeoutError("the clip's own")


def test_a_timeout_of_the_work_itself_is_told(cluster: str) -> None:
    jobs = [(BatchJob("a.bvh", None, "a.bvh"),)]
    with contextlib.closing(engine.run_work(_too_late, jobs, scheduler=cluster)) as results:
        ((_, told),) = results
    assert told == "a.bvh: the worker could not do it (TimeoutError: the clip's own)."


def test_a_worker_that_has_gone_is_not_restarted(local: LocalCluster) -> None:
    """Two clips that were given up one after the other name the same worker, which has another address by then."""
    with Client(local, set_as_default=False) as client:
        pids = client.run(os.getpid)
        engine._restart(client, "tls://127.0.0.1:9")
        assert client.run(os.getpid) == pids


def _hang_on(name: str) -> None:
    """In a worker: reading one clip never ends."""
    from kinetune.batch import work as there

    real = there._edit

    def edit(job: BatchJob, *rest: object) -> object:
        if job.name == name:
            time.sleep(3600.0)
        return real(job, *rest)  # type: ignore[arg-type]

    there._edit = edit  # type: ignore[assignment]


def test_a_cluster_indexes_and_compares_as_this_process_does(cluster: str, clips: Path, tmp_path: Path) -> None:
    built = {}
    for name, where in {"here": {"jobs": 1}, "there": {"scheduler": cluster}}.items():
        report = build_index(clips, index=tmp_path / name, **where)  # type: ignore[arg-type]
        assert (report.read, len(report.failed)) == (5, 1)
        built[name] = MotionIndex.open(clips, tmp_path / name)
    here, there = built["here"], built["there"]
    facts = [{clip.name: (clip.sha, clip.facts) for clip in index.clips} for index in (here, there)]
    assert facts[0] == facts[1]
    assert find_duplicates(there, scheduler=cluster) == find_duplicates(here)
    assert find_transitions(there, scheduler=cluster) == find_transitions(here) != []
