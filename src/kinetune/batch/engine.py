"""Jobs to workers and outcomes back, on dask.distributed: a cluster of this machine's cores, or one that exists.

At most a few jobs for each worker are under way at any time, so that memory does not grow with the library.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import re
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent import futures
from typing import Any, TypeVar
from uuid import uuid4

from kinetune.batch.jobs import BatchJob
from kinetune.batch.work import BatchOutcome, ClipTimeout, Known, Task, process
from kinetune.errors import KinetuneError, ParameterError
from kinetune.extras import require

_AHEAD = 4
"""Jobs under way for each thread of the cluster: enough that none waits for the next one."""
_PATIENCE_S = 15.0
_POLL_S, _LOOK_S, _NOBODY_S = 0.005, 5.0, 60.0
"""How often a run that waits looks for results and for workers, and how long it goes on without any of the latter."""

_QUIET: dict[str, Any] = {
    "distributed.scheduler.allowed-failures": 2,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.gil.enabled": False,
}
_NO_PAGES: dict[str, Any] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
"""Pages about a cluster are open to everybody, so a local one has none."""
_PINNED = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}


_OPEN = (
    "{} is not encrypted: everybody who reaches that scheduler or its workers can run code as their user. "
    "Use one with TLS (tls://...), or only a network that you trust."
)


Result = TypeVar("Result")


class ClusterError(KinetuneError):
    """The cluster cannot be reached, cannot run Kinetune, or went away."""


class InsecureClusterWarning(UserWarning):
    """The cluster takes code from everybody who reaches it."""


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
    sent = ((job, task, known(job)) for job in jobs)
    work = run_work(process, sent, workers=workers, scheduler=scheduler, ready=lambda: prepare(task))
    with contextlib.closing(work) as results:
        for job, result in results:
            if isinstance(result, str):
                yield BatchOutcome(job.name, job.source, job.target, "failed", result)
            else:
                yield result


def run_work(
    work: Callable[..., Result],
    jobs: Iterable[tuple[BatchJob, *tuple[Any, ...]]],
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    ready: Callable[[], None] = lambda: None,
) -> Generator[tuple[BatchJob, Result | str], None, None]:
    """Do any work on a cluster: ``work(job, ...)`` for each job with what goes with it, in the order of readiness.

    Parameters
    ----------
    work : a function of a module, which every worker can import; its results are no texts.
    jobs : what each call gets: a job first, whose source errors name.
    workers, scheduler : as for :func:`run_jobs`.
    ready : what every worker does when it joins, beside the first jobs.

    Yields
    ------
    tuple
        The job, and its result or the message that says why there is none.
    """
    with _lost_clusters(), _client(workers, scheduler, ready) as client:
        yield from _collect(client, work, iter(jobs))


@contextlib.contextmanager
def _lost_clusters() -> Iterator[None]:
    """Tell in one sentence that the cluster went away; what distributed raises then depends on where it was."""
    try:
        yield
    except (OSError, RuntimeError, TimeoutError, futures.CancelledError) as error:
        raise ClusterError(
            f"The connection to the cluster is lost ({_first_line(error)}). "
            "Finished clips are kept: run again with --resume."
        ) from None


def _collect(
    client: Any, work: Callable[..., Result], jobs: Iterator[tuple[BatchJob, *tuple[Any, ...]]]
) -> Iterator[tuple[BatchJob, Result | str]]:
    from distributed import as_completed

    def submit(sent: tuple[BatchJob, *tuple[Any, ...]]) -> Any:
        future = client.submit(work, *sent, pure=False, key=f"clip-{run}-{next(number)}")
        under_way[future.key] = sent[0]
        return future

    number = itertools.count()
    run = uuid4().hex  # a scheduler takes tasks of one key for the same task, even those of somebody else
    under_way: dict[str, BatchJob] = {}
    most = _AHEAD * max(1, sum(client.nthreads().values()))
    running = as_completed([submit(sent) for sent in itertools.islice(jobs, most)], loop=client.loop)
    watch = _Watch(client)
    for future in _as_they_end(running, watch):
        job = under_way.pop(future.key)
        result: Result | str
        try:
            result = _result_of(future, watch)
        except (futures.CancelledError, ClusterError):
            raise
        except Exception as error:
            result = _told(job, error)
            if isinstance(error, ClipTimeout) and error.worker:
                _restart(client, error.worker)
        future.release()
        upcoming = next(jobs, None)
        if upcoming is not None:
            running.add(submit(upcoming))
        yield job, result


class _Watch:
    """Whether a cluster still has workers, looked at now and then by a run that waits."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.seen()

    def seen(self) -> None:
        """A worker has just done something."""
        self._seen = self._looked = time.monotonic()

    def look(self) -> None:
        """Raise :class:`ClusterError` once no worker has been there for a while."""
        if time.monotonic() - self._looked < _LOOK_S:
            return
        self._looked = time.monotonic()
        if self._client.nthreads():
            self._seen = self._looked
        elif self._looked - self._seen > _NOBODY_S:
            raise ClusterError(
                "The cluster has no worker left. Start some; finished clips are kept: run again with --resume."
            )


def _as_they_end(running: Any, watch: _Watch) -> Iterator[Any]:
    """Futures as they end."""
    while not running.is_empty():
        if running.has_ready():
            yield next(running)
            watch.seen()
        else:
            watch.look()
            time.sleep(_POLL_S)


def _result_of(future: Any, watch: _Watch) -> Any:
    """The result of a future that has ended. Its worker may be lost before it hands the result over; then it waits."""
    patience = _LOOK_S
    while True:
        try:
            return future.result(timeout=patience)
        except TimeoutError:
            if future.status == "error":  # that of the work itself
                return future.result()
            watch.look()
            patience *= 2.0  # a large result of a slow worker


def _restart(client: Any, worker: str) -> None:
    """Restart a worker that is busy with a clip that was given up, if it is still there and can be restarted."""
    # Without a nanny, a worker of somebody's cluster stays busy; one that has gone was restarted for the clip before.
    with contextlib.suppress(ValueError, KeyError):
        client.restart_workers([worker], timeout=_PATIENCE_S, raise_for_error=False)


def _told(job: BatchJob, error: Exception) -> str:
    if isinstance(error, ClipTimeout):
        return (
            f"{job.source}: this clip took more than {error.timeout_s:g} s, so it was given up. "
            "Allow more with --clip-timeout SECONDS, or cut it into parts with: kinetune trim"
        )
    if type(error).__name__ == "KilledWorker":
        return (
            f"{job.source}: the worker died each time it tried this clip, perhaps for want of memory. "
            "Cut it into parts with: kinetune trim"
        )
    return f"{job.source}: the worker could not do it ({type(error).__name__}: {error})."


@contextlib.contextmanager
def _client(workers: int | None, scheduler: str | None, ready: Callable[[], None]) -> Iterator[Any]:
    require("batch")
    import dask
    from distributed import Client

    if workers is not None and workers < 1:
        raise ParameterError(f"The number of jobs is {workers}; at least 1 is needed.")
    if workers is not None and scheduler is not None:
        raise ParameterError("Give the number of jobs or a scheduler, not both: a cluster has its own workers.")
    for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # it sets the levels of some loggers one by one
    with dask.config.set(_QUIET), contextlib.ExitStack() as stack:
        address: Any = scheduler
        if scheduler is None:
            address = stack.enter_context(_local(workers or len(_cores())))
        elif not scheduler.startswith("tls://"):
            warnings.warn(_OPEN.format(scheduler), InsecureClusterWarning, stacklevel=2)
        try:
            if scheduler is not None:
                _knock(scheduler)
            client = stack.enter_context(Client(address, timeout=_PATIENCE_S, set_as_default=False))
            client.wait_for_workers(1, timeout=_PATIENCE_S)
        except Exception as error:  # an invalid address, or a server that is not a scheduler
            place = "this machine" if scheduler is None else f'"{scheduler[:80]}"'
            raise ClusterError(
                f"No cluster with a worker answers at {place} ({_first_line(error)}). "
                "The page on batch describes how to start one and how it gets its credentials."
            ) from None
        _check_versions(client)
        client.register_plugin(_plugin(ready))
        yield client


def _knock(scheduler: str) -> None:
    """Raise unless something that speaks Dask answers: a client that fails while it is made may block later ones."""
    from distributed import Security
    from distributed.comm.core import connect

    async def knock() -> None:
        comm = await connect(scheduler, timeout=_PATIENCE_S, **Security().get_connection_args("client"))
        await comm.close()

    with futures.ThreadPoolExecutor(1) as elsewhere:  # a notebook has a loop of its own in this thread
        elsewhere.submit(lambda: asyncio.run(knock())).result()


@contextlib.contextmanager
def _local(workers: int) -> Iterator[Any]:
    """A cluster on this machine; Ctrl-C reaches this process alone, which then ends the workers.

    Its parts talk over TLS with a key that exists in their memory only: a port of this machine is open to everybody
    who is logged in, and whoever reaches a scheduler runs code as its user. They keep their files in a folder that
    nobody else can write to: Dask imports from it, and would take a folder of a known name in /tmp that is there.
    """
    import dask
    from distributed import LocalCluster, Security

    with _private_folder() as folder, dask.config.set({**_NO_PAGES, "temporary-directory": folder}):
        in_main = threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGINT, signal.SIG_IGN) if in_main else None
        try:
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                security=Security.temporary(),
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.CRITICAL,
                env=_PINNED,
            )
        finally:
            if in_main:
                signal.signal(signal.SIGINT, before)
        with cluster:
            yield cluster


@contextlib.contextmanager
def _private_folder() -> Iterator[str]:
    """A folder for a while, from which nothing is imported afterwards: then anybody may make one of its name."""
    with tempfile.TemporaryDirectory(prefix="kinetune-batch-", ignore_cleanup_errors=True) as folder:
        try:
            yield folder
        finally:
            sys.path[:] = [place for place in sys.path if not place.startswith(folder)]


def _first_line(error: BaseException) -> str:
    text = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
    return re.sub(r"^in <.*?>: ", "", text)  # an object of distributed


def _cores() -> list[int]:
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _check_versions(client: Any) -> None:
    """Raise unless every worker runs this Kinetune: results depend on the version."""
    from kinetune import __version__

    try:
        versions = client.run(_version)
    except ModuleNotFoundError:
        raise ClusterError('A worker has no Kinetune. Install it there with: pip install "kinetune[batch]"') from None
    for worker, version in versions.items():
        if version != __version__:
            raise ClusterError(
                f"The worker {worker} has Kinetune {version}, but this is {__version__}. Install the same version."
            )


def _version() -> str:
    from kinetune import __version__

    return __version__


def _plugin(ready: Callable[[], None]) -> Any:
    """What every worker does when it joins, beside the first jobs."""
    from distributed import WorkerPlugin

    class Ready(WorkerPlugin):
        name = "kinetune"

        def setup(self, worker: Any) -> None:
            threading.Thread(target=ready, daemon=True, name="warm up").start()

    return Ready()


def prepare(task: Task) -> None:
    """Load what jobs need. Kernels follow by themselves, once in each worker, when the first clips ask for them."""
    from kinetune.recipes import Recipe

    Recipe.parse(task.recipe)
