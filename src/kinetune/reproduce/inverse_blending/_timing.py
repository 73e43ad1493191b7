"""The inverse blending paper, part 3: how long a problem takes (Section 6)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinetune.figures import palette
from kinetune.inverse.blend.constraints import OnLine
from kinetune.inverse.steps.step_weights import foot_kernels, solve_weights
from kinetune.reproduce.experiments import Context, Result, Value, canvas
from kinetune.reproduce.inverse_blending.aiming import TIP, K, examples
from kinetune.rotations import Floats
from kinetune.samples.sample_walk import sample_steps

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER_MEAN_MS, PAPER_WORST_MS = 1.16, 2.29
PROBLEMS = 5_000
_AGAIN = 3
_MACHINE = (
    "Times depend on the machine; the paper's was a Core 2 Duo with 2.13 GHz. Ours are CPU times of one Python call "
    f"each, the least of {_AGAIN} runs of every problem, so that other programs do not count."
)


def timing(context: Context) -> Result:
    """Pointing, pouring and walking towards random placements, one problem after the other."""
    count = PROBLEMS // 25 if context.quick else PROBLEMS
    rng = np.random.default_rng(11)
    spent, met = {}, {}
    for name, problems in (
        ("pointing", _pointing(count, rng)),
        ("pouring", _pouring(count, rng)),
        ("walking", _walking(count, rng)),
    ):
        met[name] = float(np.mean([problem() for problem in problems[: count // 5]]))
        spent[name] = 1e3 * _each(problems)
    values = []
    for name, times in spent.items():
        values += [
            _quicker(f"{name}: mean of {count:,} problems", PAPER_MEAN_MS, float(times.mean()), "ms on average"),
            _quicker(f"{name}: the slowest", PAPER_WORST_MS, float(times.max()), "ms in the worst case"),
        ]
    medians = ", ".join(f"{name} {1e3 * np.median(times):.0f}" for name, times in spent.items())
    shares = ", ".join(f"{name} {share:.0%}" for name, share in met.items())
    notes = (_MACHINE, f"Medians in microseconds: {medians}. Placements within reach of the examples: {shares}.")
    caption = "All problems of a scenario in order of their time, and the paper's mean and worst."
    return Result(tuple(values), (context.save(_time_plot(spent), "times", caption),), notes)


Problems = Sequence[Callable[[], bool]]


def _pointing(count: int, rng: np.random.Generator) -> Problems:
    """Fingertips on the line from the shoulder to a lamp somewhere between those that the examples point at."""
    blend = examples("point")
    shoulder = blend.places("RightArm").mean(axis=0)
    lamps = shoulder + 4.0 * (_between(blend.places(TIP), count, rng) - shoulder)
    asked = [OnLine(TIP, lamp, lamp - shoulder) for lamp in lamps]
    blend.solve_batch(OnLine(TIP, lamps, lamps - shoulder), k=K)  # loads what is compiled
    return [lambda one=one: blend.solve(one, k=K, exact=False).reachable for one in asked]  # type: ignore[misc]


def _pouring(count: int, rng: np.random.Generator) -> Problems:
    """Fingertips above a pot that stands somewhere between those of the examples."""
    blend = examples("pour")
    pots = _between(blend.places(TIP), count, rng)
    blend.solve_batch(OnLine(TIP, pots, (0.0, 1.0, 0.0)), k=K)
    asked = [OnLine(TIP, pot, (0.0, 1.0, 0.0)) for pot in pots]
    return [lambda one=one: blend.solve(one, k=K, exact=False).reachable for one in asked]  # type: ignore[misc]


def _walking(count: int, rng: np.random.Generator) -> Problems:
    """A right foot that lands somewhere between where the examples land."""
    foot_kernels.load()
    pool = sample_steps().pool("right")
    height = pool.swings.height
    places = _between(pool.ends, count, rng)
    return [lambda at=at: solve_weights(pool, -1, at, height).reached for at in places]  # type: ignore[misc]


def _between(places: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Random mixtures (count, 3) of places (n, 3)."""
    return np.asarray(rng.dirichlet(np.full(len(places), 0.6), count) @ places)


def _each(problems: Problems) -> Floats:
    """(problems,) seconds, the least of several runs each."""
    times = np.empty((_AGAIN, len(problems)))
    for again in range(_AGAIN):
        for number, problem in enumerate(problems):
            begun = time.process_time()
            problem()
            times[again, number] = time.process_time() - begun
    return np.asarray(times.min(axis=0))


def _quicker(what: str, paper_ms: float, ours_ms: float, unit: str) -> Value:
    ours = f"{ours_ms:.3f} ms, {paper_ms / ours_ms:.0f} times less"
    if ours_ms <= paper_ms:
        return Value(what, f"{paper_ms} {unit}", ours, "better")
    return Value(what, f"{paper_ms} {unit}", f"{ours_ms:.3f} ms", "deviates", _MACHINE)


def _time_plot(spent: dict[str, Floats]) -> Figure:
    with palette.style():
        figure = canvas(7.0, 2.8)
        ax = figure.subplots()
        for colour, (name, times) in zip((palette.LEFT, palette.EDITED, palette.GOOD), spent.items(), strict=True):
            ax.plot(np.linspace(0.0, 100.0, len(times)), np.sort(times), color=colour, label=name)
        for level, label in ((PAPER_MEAN_MS, "the paper's mean"), (PAPER_WORST_MS, "the paper's worst")):
            ax.axhline(level, color=palette.GHOST, linewidth=0.9)
            ax.annotate(label, (1.0, level), (0, 2), textcoords="offset points", color=palette.LABEL)
        ax.set(xlabel="percent of the problems", ylabel="ms", yscale="log")
        ax.legend(loc="lower right", ncols=3)
        ax.margins(x=0)
    return figure
