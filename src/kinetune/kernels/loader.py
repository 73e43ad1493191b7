"""When compiled kernels are loaded: at once where they are needed, in the background where NumPy will do meanwhile.

Kernels are numba functions in modules named ``*_kernels.py``. Importing numba takes longer than many an edit, and
compiling takes seconds once on each machine, so a kernel module is never imported directly; a :class:`Kernels` object
stands for it. There are two tiers.

**Tier A: the start-up path** (kinematics, bands, splines, number text, Euler angles). Each function has two bodies that
give the same bits, a readable NumPy one and a compiled one::

    _kernels = Kernels("kinetune.body.kinematics.forward_kernels")

    def forward(...):
        compiled = _kernels.get(cost_s=frames * joints * 1e-6)
        return _forward_numpy(...) if compiled is None else compiled.forward(...)

The first small calls of a process take the NumPy body. Once that has cost more than loading would, a background thread
loads the kernels, and later calls use them. Only a call that would itself take seconds waits for that thread. Both
bodies agree to the last bit, so no result depends on which one ran; tests run both and compare.

**Tier B: everything heavier** (time warps, inverse blending, steps, physics, elastic matching). There is only the
compiled body, and the caller waits for it::

    _kernels = Kernels("kinetune.signals.warping.pose_cost_kernels")

    def along(path):
        return _kernels.load().pose_along(path)

A naive version, short and slow, lives in the tests, which compare both to a stated tolerance.

``KINETUNE_COMPILED`` in the environment overrides the choice of tier A: ``auto`` (default), ``always`` or ``never``.
Tier B runs compiled in every mode.

How to write a kernel module:

- Kernels are ``@njit(cache=True, nogil=True)``, without ``fastmath``, which reorders sums and so changes bits.
- A kernel that only other kernels call is ``@njit(**INNER)``: without an entry point for Python it compiles in half the
  time, and it is stored in the caches of its callers. Wrap whole numbers passed to one, ``np.int64(0)``, or it is
  compiled again for each literal.
- More than a dozen arguments are passed as records: numba takes a ``NamedTuple`` of arrays and numbers. Define it in
  the module that calls the kernel, which must not import numba.
- Kernels that a short edit cannot do without allocate nothing, and their module says ``STANDALONE = True``: their
  machine code then runs without numba (:mod:`kinetune.kernels._machine_code`).
- ``warm_up()`` calls each kernel once on tiny arrays of every type that it serves.

A long-lived process calls :func:`warm_up` at its start; ``kinetune warmup`` fills the cache on disk. While a kernel
is compiled for the first time, a report without a share says so (:mod:`kinetune.progress`).
"""

from __future__ import annotations

import importlib
import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from kinetune.progress import report

Mode = Literal["auto", "always", "never"]

INNER: dict[str, Any] = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of ``njit`` for kernels that only other kernels call."""

_START_S = 0.1  # time spent in NumPy after which a background load begins
_PATIENCE_S = 2.0  # a single call that costs more than this waits for the load
_SILENCE_S = 1.5  # a longer wait is reported; loading from the disk takes less
_registry: dict[str, Kernels] = {}
_log = logging.getLogger(__name__)


def mode() -> Mode:
    """How kernels are chosen now: the environment variable ``KINETUNE_COMPILED``, or ``auto``."""
    value = os.environ.get("KINETUNE_COMPILED", "auto")
    if value == "always":
        return "always"
    if value == "never":
        return "never"
    return "auto"


class Kernels:
    """One module of compiled kernels, loaded when it pays."""

    def __init__(self, module: str) -> None:
        self.module = module
        self._loaded: Any = None
        self._failure: BaseException | None = None
        self._spent_s = 0.0
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        _registry[module] = self

    def get(self, cost_s: float) -> Any | None:
        """The compiled module, or None when the NumPy body is the better choice (tier A).

        Parameters
        ----------
        cost_s : float
            What this call would cost in NumPy, in seconds, roughly.
        """
        chosen = mode()
        if chosen == "never":
            return None
        if self._loaded is not None:
            return self._loaded
        if chosen == "always":
            return self.load()
        self._spent_s += cost_s
        if self._spent_s < _START_S:
            return None
        self._start()
        return self.load() if cost_s > _PATIENCE_S else None

    def settled(self) -> Any | None:
        """The compiled module, or None where compiling is switched off.

        For work whose two bodies agree to rounding but not to the bit: its result must not depend on whether a
        background thread has finished.
        """
        return None if mode() == "never" else self.load()

    def load(self) -> Any:
        """The compiled module, however long that takes (tier B); raises what its compilation raised."""
        if self._loaded is None:
            thread = self._start()
            thread.join(_SILENCE_S)
            if thread.is_alive():
                name = self.module.removeprefix("kinetune.").removesuffix("_kernels").replace("_", " ")
                report(None, f"compiling {name}, once on this machine")
            thread.join()
            if self._failure is not None:
                raise self._failure
        return self._loaded

    def _start(self) -> threading.Thread:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=f"load {self.module}", daemon=True)
                self._thread.start()
            return self._thread

    def _work(self) -> None:
        try:
            self._loaded = _load(self.module)
        except BaseException as failure:  # kept, and raised in the caller's thread by load()
            self._failure = failure


def _load(module: str) -> Any:
    """The kernels of a module: its machine code from the disk where it has any, or else what numba makes of it."""
    from kinetune.kernels import _machine_code as machine_code

    stored = machine_code.load(module, partial(_load_with_numba, module)) if machine_code.available() else None
    if stored is not None:
        return stored
    loaded = _load_with_numba(module)
    if getattr(loaded, "STANDALONE", False) and machine_code.available():
        machine_code.store(loaded)
    return loaded


def _load_with_numba(module: str) -> ModuleType:
    loaded = importlib.import_module(module)
    drop_stale_caches(loaded)
    spare_caches(loaded)
    loaded.warm_up()
    return loaded


def newest_source(sources: Path = Path(__file__).parents[1]) -> float:
    """When any kernel module under ``sources`` was last changed."""
    folders = ((Path(folder), names) for folder, _, names in os.walk(sources))
    files = (folder / name for folder, names in folders for name in names if _holds_kernels(folder, name))
    return max(file.stat().st_mtime for file in files)


def _holds_kernels(folder: Path, name: str) -> bool:
    return name.endswith("_kernels.py") or (folder.name == "kernels" and name.endswith(".py"))


def drop_stale_caches(loaded: ModuleType, sources: Path = Path(__file__).parents[1]) -> None:
    """Delete the cached code of a kernel module if any kernel module under ``sources`` is newer.

    numba only compares the age of the file that defines a kernel. The kernels that it calls are in its cache too, and
    would stay in use after they were edited.
    """
    newest = newest_source(sources)
    folders = {kernel.stats.cache_path for kernel in vars(loaded).values() if hasattr(kernel, "stats")}
    for folder in folders - {None}:
        for index in Path(folder).glob(f"{loaded.__name__.rpartition('.')[2]}.*.nbi"):
            with suppress(FileNotFoundError):  # another process may have deleted it
                if index.stat().st_mtime < newest:
                    index.unlink()


def spare_caches(loaded: ModuleType) -> None:
    """Let kernels be used that cannot be written to the cache, on a full disk for example.

    numba raises where it writes, after it has compiled; such a kernel is compiled again by the next process.
    """
    for kernel in vars(loaded).values():
        cache: Any = getattr(kernel, "_cache", None)
        if hasattr(cache, "save_overload"):
            cache.save_overload = partial(_write_if_possible, cache.save_overload)


def _write_if_possible(save: Callable[..., None], *compiled: Any) -> None:
    try:
        save(*compiled)
    except OSError as failure:
        _log.warning("Compiled code cannot be cached, so it is compiled again next time: %s", failure)


def declared() -> list[str]:
    """The names of all kernel modules that have been declared so far."""
    return list(_registry)


def warm_up() -> list[str]:
    """Compile or load every kernel module that has been declared so far; returns their names.

    What was linked without numba is loaded with it: its calls are quicker, which pays in a process that stays.
    """
    for kernels in list(_registry.values()):
        if not isinstance(kernels.load(), ModuleType):
            kernels._loaded = _load_with_numba(kernels.module)
    return declared()
