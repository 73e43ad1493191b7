"""Interleaved timing: every round runs every variant once, in a shuffled order, so that drift hits all alike.

Times are the CPU time of the process, which on one thread equals wall time on an idle core and is not disturbed by
other programs. Ratios are medians over rounds.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Claim:
    """One figure to reach.

    text : what is claimed, such as "read / bare read of the bytes".
    value : what was measured.
    limit : the bound.
    at_least : whether the bound is a floor (speed-up) or a ceiling (slow-down).
    """

    text: str
    value: float
    limit: float
    at_least: bool

    def __post_init__(self) -> None:
        for name in ("value", "limit"):  # plain numbers: NumPy's do not go into a record
            object.__setattr__(self, name, float(getattr(self, name)))

    @property
    def holds(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    @property
    def margin(self) -> float:
        """How much better than the bound: 1 is just on it, below 1 misses it; infinite for a ceiling never touched."""
        if self.at_least:
            return self.value / self.limit
        if self.value <= 0:
            return 1.0 if self.limit == 0 else float("inf")
        return self.limit / self.value

    def __str__(self) -> str:
        sign = ">=" if self.at_least else "<="
        return f"{'ok  ' if self.holds else 'MISS'} {self.text}: {self.value:.2f} (wanted {sign} {self.limit:g})"


def median_times(
    variants: Mapping[str, Callable[[], object]],
    rounds: int = 15,
    budget_s: float = 20.0,
    least_s: float = 0.002,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """Median CPU seconds of each variant, all of them measured in the same rounds.

    Parameters
    ----------
    variants : name to a function without arguments; each is called once beforehand to warm up.
    rounds : how many rounds, unless the budget runs out first (three at least).
    least_s : a variant quicker than this is repeated within a round.
    clock : another clock, for work that other processes do.
    """
    repeats = {}
    for name, function in variants.items():
        function()
        start = clock()
        function()
        repeats[name] = max(1, int(least_s / max(clock() - start, 1e-9)))
    times: dict[str, list[float]] = {name: [] for name in variants}
    begun = time.perf_counter()
    names = list(variants)
    dice = random.Random(0)
    for done in range(rounds):
        if done >= 3 and time.perf_counter() - begun > budget_s:
            break
        dice.shuffle(names)
        for name in names:
            function = variants[name]
            start = clock()
            for _ in range(repeats[name]):
                function()
            times[name].append((clock() - start) / repeats[name])
    return {name: sorted(values)[len(values) // 2] for name, values in times.items()}


def tells_memory() -> bool:
    """Whether this system tells how far a process has grown (Linux does)."""
    return Path("/proc/self/clear_refs").exists()


def grown_bytes(function: Callable[[], object]) -> int:
    """How many bytes the process grows by in one call; warm it up first, and measure in a process of its own."""
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = _memory_bytes("VmRSS")
    kept = function()
    grown = _memory_bytes("VmHWM") - before
    del kept
    return max(grown, 1)


def _memory_bytes(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":"))
