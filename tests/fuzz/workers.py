"""Where cases run: forked processes with a limit on memory and time, and what counts as a failure.

==========  ===========================================================================================
stray       an exception that is not ours left the reader
unforeseen  the reader's border caught one: the user sees a message, but the reader has a defect
slow        more than :data:`MOST_CPU_S` seconds of processor time
memory      more than :data:`MOST_MEMORY` bytes on top of what the process had
crash       the process died
message     the error's message cannot be printed, is endless, or shows more than 80 characters of the file
==========  ===========================================================================================
"""

from __future__ import annotations

import gc
import json
import logging
import mmap
import os
import resource
import shutil
import signal
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from kinetune.errors import MOST_QUOTED, KinetuneError
from tests.fuzz.readers import READERS, Files, Reader, use

MOST_CPU_S = 5.0
MOST_MEMORY = 1 << 30
_LONGEST_MESSAGE = 1500
_STALLED, _STALLED_S, _MOST_STALLS = signal.SIGUSR1, 90.0, 3  # what ends a process without progress, after how long
_LOOK_S = 0.01
_USED = 7  # one in so many clips that could be read is also used
_IN_MEMORY = "/dev/shm"  # where files of cases are written if there is such a folder: disks are slow, and shared


@dataclass(frozen=True)
class Failure:
    """One case that broke a promise."""

    reader: str
    case: int
    kind: str
    detail: str


@dataclass
class Tally:
    """What became of the cases of one reader."""

    cases: int = 0
    read: int = 0
    refused: int = 0
    slowest_s: float = 0.0
    largest_mb: float = 0.0
    day: str = ""
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.cases += other.cases
        self.read += other.read
        self.refused += other.refused
        self.slowest_s = max(self.slowest_s, other.slowest_s)
        self.largest_mb = max(self.largest_mb, other.largest_mb)
        self.day = max(self.day, other.day)
        self.failures += other.failures

    def kinds(self) -> Counter[str]:
        return Counter(failure.kind for failure in self.failures)


class _OverTime(BaseException):
    """Raised by the timer inside a case."""


class _Caught(logging.Handler):
    """Collects what the border of the readers logs."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.traces: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self.traces.append("".join(traceback.format_exception(*record.exc_info)))


def run_cases(name: str, numbers: Sequence[int], *, reader: Reader | None = None) -> Tally:
    """Run the cases of a reader, in order; a process that dies is replaced by another for the rest."""
    tally = Tally()
    waiting, stalls = list(numbers), 0
    reader = READERS[name] if reader is None else reader
    while waiting:
        done, died = _run_in_a_fork(name, reader, waiting)
        tally.add(done)
        waiting = waiting[done.cases :]
        if died == _STALLED.name and stalls < _MOST_STALLS:
            stalls += 1  # the same cases in another process
        elif died is not None:
            tally.cases += 1
            tally.failures.append(Failure(name, waiting[0], "crash", died))
            waiting = waiting[1:]
    return tally


def run_files(name: str, files: Files) -> Tally:
    """Run one case that is given by its files."""
    reader = READERS[name]
    return run_cases(name, [0], reader=_Fixed(reader.read, reader.seeds, files=files))


@dataclass(frozen=True)
class _Fixed(Reader):
    files: Files = field(default_factory=dict)

    def case(self, name: str, number: int) -> Files:
        return self.files


def _run_in_a_fork(name: str, reader: Reader, numbers: Sequence[int]) -> tuple[Tally, str | None]:
    """(what was done, why the process died or None)."""
    shared = mmap.mmap(-1, 8)  # how many cases the process has finished
    folder = Path(tempfile.mkdtemp(prefix="fuzz", dir=_IN_MEMORY if os.access(_IN_MEMORY, os.W_OK) else None))
    results = folder / "results.jsonl"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forks beside threads: the kernels' loaders have ended
        pid = os.fork()
    if pid == 0:
        status = 1
        try:
            _work(name, reader, numbers, shared, folder, results)
            status = 0
        finally:
            os._exit(status)
    ended = _wait(pid, results)
    tally = Tally()
    for line in results.read_text(encoding="utf-8").splitlines() if results.exists() else []:
        row = json.loads(line)
        row["failures"] = [Failure(**failure) for failure in row["failures"]]
        tally.add(Tally(**row))
    shutil.rmtree(folder, ignore_errors=True)
    if ended == 0:
        return tally, None
    sign = os.WTERMSIG(ended) if os.WIFSIGNALED(ended) else 0
    return tally, signal.Signals(sign).name if sign else f"exit status {os.waitstatus_to_exitcode(ended)}"


def _wait(pid: int, results: Path) -> int:
    """How a process ended. One that stalls is killed: a fork can inherit a lock that a thread of a library held.

    Looks are counted, not seconds: a pause of both processes is no stall.
    """
    size, looks = 0, 0
    while True:
        done, ended = os.waitpid(pid, os.WNOHANG)
        if done:
            return ended
        now = results.stat().st_size if results.exists() else 0
        looks = looks + 1 if now == size else 0
        size = now
        if looks * _LOOK_S > _STALLED_S:
            os.kill(pid, _STALLED)
        time.sleep(_LOOK_S)


def _work(name: str, reader: Reader, numbers: Sequence[int], shared: mmap.mmap, folder: Path, results: Path) -> None:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    caught = _Caught()
    logger = logging.getLogger("kinetune.input_files")
    logger.addHandler(caught)
    logger.propagate = False
    signal.signal(signal.SIGPROF, _ring)
    warnings.simplefilter("error")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.freeze()  # what was there before the fork is neither searched for garbage nor copied for it
    tempfile.tempdir = str(folder)  # for readers that need a folder
    place = folder / "case"
    place.mkdir()  # once: to remove a folder takes longer than most cases
    with results.open("a", encoding="utf-8", buffering=1) as out:
        for number in numbers:
            files = reader.case(name, number)
            for file, content in files.items():
                (place / file).write_bytes(content)
            os.environ["KINETUNE_COMPILED"] = "always" if number % 2 else "never"
            tally = _one(name, reader, number, place / next(iter(files)), files, caught)
            out.write(json.dumps(asdict(tally)) + "\n")
            for file in place.iterdir():
                file.unlink()


def _one(name: str, reader: Reader, number: int, path: Path, files: Files, caught: _Caught) -> Tally:
    tally = Tally(cases=1, day=date.today().isoformat())
    caught.traces.clear()

    def fail(kind: str, detail: str) -> None:
        tally.failures.append(Failure(name, number, kind, detail))

    before = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    _limit(_memory("VmSize") + 4 * MOST_MEMORY)
    start = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_PROF, MOST_CPU_S)
        result = reader.read(path)
        if number % _USED == 0:
            use(result)
        tally.read = 1
    except _OverTime:
        fail("slow", "".join(traceback.format_exc(limit=-6)))
    except KinetuneError as error:
        tally.refused = 1
        problem = judge_message(str(error), path, files)
        if isinstance(error.__cause__, MemoryError):
            fail("memory", str(error))
        elif problem:
            fail("message", f"{problem}: {error}"[:2000])
    except MemoryError:
        fail("memory", traceback.format_exc(limit=-6))
    except BaseException:
        fail("stray", traceback.format_exc(limit=-8))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        _limit(None)
    if caught.traces:
        fail("unforeseen", caught.traces[0])
    grown = _memory("VmHWM") - before
    if grown > MOST_MEMORY:  # a library that ran into the limit may have said anything
        fail("memory", f"{grown >> 20} MB")
    tally.largest_mb = grown / (1 << 20)
    tally.slowest_s = time.process_time() - start
    return tally


def judge_message(message: str, path: Path, files: Files) -> str | None:
    """What is wrong with a message, if anything."""
    message = message.replace(str(path.parent), "")
    if not message.isprintable():
        return "it cannot be printed"
    if len(message) > _LONGEST_MESSAGE:
        return f"it has {len(message)} characters"
    window, block = MOST_QUOTED + 1, MOST_QUOTED // 2 + 1  # whatever is as long as the window has a whole block in it
    for content in files.values():
        for text in {content.decode("utf-8", "replace"), content.decode("latin-1")}:
            if not any(message[at : at + block] in text for at in range(0, len(message) - block + 1, block)):
                continue
            if any(message[at : at + window] in text for at in range(len(message) - window + 1)):
                return "it shows more than 80 characters of the file"
    return None


def _ring(number: int, frame: Any) -> None:
    raise _OverTime


def _memory(kind: str) -> int:
    """Bytes: what is resident (VmRSS), its peak (VmHWM), or what is reserved (VmSize)."""
    text = Path("/proc/self/status").read_text()
    return int(text.partition(f"{kind}:")[2].split(maxsplit=1)[0]) << 10


def _limit(size: int | None) -> None:
    seconds = int(time.process_time() + 3 * MOST_CPU_S) + 1
    _, hardest = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, hardest))
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard if size is None else size, hard))


def warm_up() -> None:
    """Load before the first fork what the readers load on demand, so that cases measure reading alone."""
    os.environ["KINETUNE_COMPILED"] = "always"
    for reader in READERS.values():
        for number, files in enumerate(reader.seeds()):
            with tempfile.TemporaryDirectory() as folder:
                for file, content in files.items():
                    (Path(folder) / file).write_bytes(content)
                use(reader.read(Path(folder) / next(iter(files))))
            assert number < 10
    os.environ.pop("KINETUNE_COMPILED")


def chunks(numbers: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(numbers), size):
        yield numbers[start : start + size]
