"""Compiled kernels that nobody has to wait for.

Every fast routine has two bodies that give the same bits: a readable NumPy one, and a numba one in a
module named ``*_kernels.py``, which is imported only when it pays.
A :class:`Kernels` object stands for such a module::

    _kernels = Kernels("kinetune.body.kinematics.forward_kernels")

    def forward(...):
        fast = _kernels.get(cost_s=frames * joints * 1e-6)
        return _forward_numpy(...) if fast is None else fast.forward(...)

The first small calls of a process take the NumPy body: loading numba takes longer than they do.
Once the NumPy body has cost more than loading would, a background thread loads the kernels and later calls use them.
Only a call that would itself take seconds waits for that thread.
A long-lived process calls :func:`warm_up` at its start; ``kinetune warmup`` fills the on-disk cache.

A machine that has not compiled them yet takes seconds for it, once: a report without a share (:mod:`kinetune.progress`)
says so.

``KINETUNE_COMPILED`` in the environment overrides the choice: ``auto`` (default), ``always`` or ``never``.

A kernel module defines ``warm_up()``, which calls each of its kernels once on tiny arrays of every type it serves.
Its kernels are ``@njit(cache=True, nogil=True)``, without ``fastmath`` (sums may not be reordered: both bodies
must agree to the last bit, so that a result never depends on which one ran).
A kernel that only kernels call is ``@njit(**INNER)``: it has no way in from Python, which halves its compilation, and
lies in the caches of its callers. Whole numbers passed to one are wrapped, ``np.int64(0)``, or it is compiled for each
of them.
"""

from __future__ import annotations

import importlib
import os
import threading
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from kinetune.progress import report

Mode = Literal["auto", "always", "never"]

INNER: dict[str, Any] = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of ``njit`` for kernels that only kernels call."""

_START_S = 0.1  # NumPy time after which a background load begins
_PATIENCE_S = 2.0  # a single call dearer than this waits for the load
_SILENCE_S = 1.5  # a wait longer than this is reported: what lies on disk is loaded sooner
_KERNEL_FILES = ("*_kernels.py", "kernels/*.py")
_registry: dict[str, Kernels] = {}


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
        """The compiled module, or None when the NumPy body is the better choice.

        Parameters
        ----------
        cost_s : what this call would cost in NumPy, in seconds, roughly.
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
        """The compiled module, whatever the wait, or None where compiling is switched off.

        For work whose two bodies agree to rounding and not to the bit, such as solvers that iterate until they are
        close enough: a result may then not depend on whether a background thread has finished.
        """
        return None if mode() == "never" else self.load()

    def load(self) -> Any:
        """The compiled module, whatever the wait; raises what its compilation raised."""
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
            loaded = importlib.import_module(self.module)
            drop_stale_caches(loaded)
            loaded.warm_up()
            self._loaded = loaded
        except BaseException as failure:  # kept, and raised in the caller's thread by load()
            self._failure = failure


def drop_stale_caches(loaded: ModuleType, sources: Path = Path(__file__).parents[1]) -> None:
    """Forget what a kernel module has compiled if any kernel module under ``sources`` is younger.

    numba looks at the age of the one file a kernel stands in. The kernels it calls lie in its cache too, so that after
    an update of theirs it would go on with the old ones.
    """
    youngest = max(file.stat().st_mtime for pattern in _KERNEL_FILES for file in sources.rglob(pattern))
    folders = {kernel.stats.cache_path for kernel in vars(loaded).values() if hasattr(kernel, "stats")}
    for folder in folders - {None}:
        for index in Path(folder).glob(f"{loaded.__name__.rpartition('.')[2]}.*.nbi"):
            with suppress(FileNotFoundError):  # another process may be at it
                if index.stat().st_mtime < youngest:
                    index.unlink()


def declared() -> list[str]:
    """The names of all kernel modules that have been declared so far."""
    return list(_registry)


def warm_up() -> list[str]:
    """Compile or load every kernel module that has been declared so far; returns their names."""
    for kernels in list(_registry.values()):
        kernels.load()
    return declared()
