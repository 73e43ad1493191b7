"""Jobs to workers and outcomes back, on dask.distributed: a cluster of this machine's cores, or one that exists.

At most a few jobs for each worker are under way at any time, so that memory does not grow with the library.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

from kinetune.batch.jobs import BatchJob
from kinetune.batch.work import BatchOutcome, Known, Task, process
from kinetune.errors import KinetuneError, ParameterError
from kinetune.extras import require

_AHEAD = 4
"""Jobs under way for each thread of the cluster: enough that none waits for the next one."""
_PATIENCE_S = 15.0

_QUIET = {
    "distributed.scheduler.allowed-failures": 2,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.gil.enabled": False,
}
_PINNED = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}


class ClusterError(KinetuneError):
    """The cluster cannot be reached, cannot run Kinetune, or went away."""


def run_jobs(
    jobs: Iterable[BatchJob],
    task: Task,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    known: Callable[[BatchJob], Known | None] = lambda job: None,
) -> Generator[BatchOutcome, None, None]:
    """Do jobs on a cluster; outcomes come in the order in which they are ready.

    Parameters
    ----------
    workers : processes on this machine; None is one for each core.
    scheduler : the address of a Dask scheduler instead, such as "tcp://10.0.0.7:8786".
    known : what an earlier run says of a job.
    """
    with _client(workers, scheduler, task) as client:
        yield from _collect(client, iter(jobs), task, known)


def _collect(
    client: Any, jobs: Iterator[BatchJob], task: Task, known: Callable[[BatchJob], Known | None]
) -> Iterator[BatchOutcome]:
    from distributed import as_completed
    from distributed.client import FutureCancelledError

    def submit(job: BatchJob) -> Any:
        future = client.submit(process, job, task, known(job), pure=False, key=f"clip-{next(number)}")
        under_way[future.key] = job
        return future

    number = itertools.count()
    under_way: dict[str, BatchJob] = {}
    most = _AHEAD * max(1, sum(client.nthreads().values()))
    running = as_completed([submit(job) for job in itertools.islice(jobs, most)], loop=client.loop)
    for future in running:
        job = under_way.pop(future.key)
        try:
            outcome = future.result()
        except FutureCancelledError as error:
            raise ClusterError(
                f"The connection to the cluster is lost ({error}). What is done is kept: run again with --resume."
            ) from None
        except Exception as error:
            outcome = BatchOutcome(job.name, job.source, job.target, "failed", _told(job, error))
        future.release()
        upcoming = next(jobs, None)
        if upcoming is not None:
            running.add(submit(upcoming))
        yield outcome


def _told(job: BatchJob, error: Exception) -> str:
    if type(error).__name__ == "KilledWorker":
        return (
            f"{job.source}: the worker died each time it tried this clip, perhaps for want of memory. "
            "Cut it into parts with: kinetune trim"
        )
    return f"{job.source}: the worker could not do it ({type(error).__name__}: {error})."


@contextlib.contextmanager
def _client(workers: int | None, scheduler: str | None, task: Task) -> Iterator[Any]:
    require("batch")
    import dask
    from distributed import Client

    if workers is not None and workers < 1:
        raise ParameterError(f"The number of jobs is {workers}; at least 1 is needed.")
    if workers is not None and scheduler is not None:
        raise ParameterError("Give the number of jobs or a scheduler, not both: a cluster has its own workers.")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with dask.config.set(_QUIET), contextlib.ExitStack() as stack:
        address: Any = scheduler
        if scheduler is None:
            address = stack.enter_context(_local(workers or len(_cores())))
        try:
            client = stack.enter_context(Client(address, timeout=_PATIENCE_S, set_as_default=False))
            client.wait_for_workers(1, timeout=_PATIENCE_S)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(
                f"No cluster with a worker answers at {scheduler} ({error}). "
                "Start one with: dask scheduler, and on each machine: dask worker tcp://HOST:8786"
            ) from None
        _check_versions(client)
        client.register_plugin(_ready(task))
        yield client


@contextlib.contextmanager
def _local(workers: int) -> Iterator[Any]:
    """A cluster on this machine; Ctrl-C reaches this process alone, which then ends the workers."""
    from distributed import LocalCluster

    in_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if in_main else None
    try:
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
            env=_PINNED,
        )
    finally:
        if in_main:
            signal.signal(signal.SIGINT, before)
    with cluster:
        yield cluster


def _cores() -> list[int]:
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _check_versions(client: Any) -> None:
    """Raise unless every worker runs this Kinetune: results depend on the version."""
    from kinetune import __version__

    try:
        found = client.run(_version)
    except ModuleNotFoundError:
        raise ClusterError('A worker has no Kinetune. Install it there with: pip install "kinetune[batch]"') from None
    for worker, version in found.items():
        if version != __version__:
            raise ClusterError(
                f"The worker {worker} has Kinetune {version}, but this is {__version__}. Install the same version."
            )


def _version() -> str:
    from kinetune import __version__

    return __version__


def _ready(task: Task) -> Any:
    """What every worker does when it joins: load what the recipe needs, beside the first jobs."""
    from distributed import WorkerPlugin

    class Ready(WorkerPlugin):
        name = "kinetune"

        def setup(self, worker: Any) -> None:
            threading.Thread(target=prepare, args=(task,), daemon=True, name="warm up").start()

    return Ready()


def prepare(task: Task) -> None:
    """Load what jobs need. Kernels follow by themselves, once in each worker, when the first clips ask for them."""
    from kinetune.recipes import Recipe

    Recipe.parse(task.recipe)
