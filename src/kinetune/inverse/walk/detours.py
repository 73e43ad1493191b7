"""Steps in between: how to walk to a footstep that is too far, or on the wrong side.

=========  ==========================================================================================
detour     footsteps to insert before one that cannot be reached directly
=========  ==========================================================================================

The path leads from where the character is to where it would be on the footstep, facing as the foot does: the shortest
path of arcs and straight lines with a given radius (:mod:`kinetune.inverse.walk._dubins`), cut into equal steps.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from kinetune.inverse.steps.step_sets import StepSet
from kinetune.inverse.steps.step_weights import solve_weights
from kinetune.inverse.walk._dubins import shortest_path
from kinetune.inverse.walk.footsteps import OTHER, Footstep, Side, mirrored, placed_at, seen_from
from kinetune.rotations import Floats

RADII = (0.8, 1.2, 1.7, 2.4)
"""Radii in metres that are tried for the arcs."""
MOST_STEPS = 400
BENDS_M = 0.2
"""How far out of reach a footstep may be for a step to be bent onto it (:mod:`kinetune.inverse.walk._settling`)."""
_ROUND = 1.0  # metres: what lies nearer is not worth a detour
_TRIES = 6
_LEAST_WIDTH, _LEAST_LENGTH = 0.02, 0.1
_STRAIGHT = 0.25  # radians: steps that turn by less show how wide and long steps are


def midline(place: Floats, side: Side, width: float, toe_out: float) -> Floats:
    """Where the middle of the character is, (..., 3), for a foot: half a step's width to the other side."""
    sign = 1.0 if side == "left" else -1.0
    heading = place[..., 2] - sign * toe_out
    level = np.stack([place[..., 0], place[..., 1], heading], axis=-1)
    inwards = np.zeros_like(level)
    inwards[..., 0] = -0.5 * sign * width
    return placed_at(inwards, level)


def beside(middle: Floats, side: Side, width: float, toe_out: float) -> Floats:
    """Where a foot stands, (..., 3), beside the middle of the character: the inverse of :func:`midline`."""
    sign = 1.0 if side == "left" else -1.0
    outwards = np.zeros_like(middle)
    outwards[..., 0], outwards[..., 2] = 0.5 * sign * width, sign * toe_out
    return placed_at(outwards, middle)


def detour(steps: StepSet, support: Footstep, target: Footstep, *, first: bool = False) -> list[Footstep]:
    """Footsteps that lead from the foot that stands to a footstep; none where no path was found or none is worth it.

    Parameters
    ----------
    first : whether the walk begins with them.
    """
    width, length, toe_out = natural_gait(steps)
    start = midline(support.place, support.side, width, toe_out)
    goal = midline(target.place, target.side, width, toe_out)
    same = support.side == target.side
    straight = float(np.hypot(*(goal[:2] - start[:2])))
    best: tuple[float, list[Footstep]] | None = None
    for radius in RADII:
        path = shortest_path(start, goal, radius)
        if straight < _ROUND and path.length > 1.5 * straight + 0.3:
            continue
        for count in _counts(path.length, length, odd=same):
            positions = path.at(np.linspace(0.0, path.length, count + 2)[1:-1])
            side, made = OTHER[support.side], []
            for position in positions:
                made.append(Footstep.at(side, beside(position, side, width, toe_out)))
                side = OTHER[side]
            enough = np.inf if best is None else best[0]
            missing = missing_of(steps, [support, *made, target], enough, most=BENDS_M)
            if missing < enough:
                best = (missing, made)
            if missing <= 1e-6:
                return made
    return best[1] if best else []


def natural_gait(steps: StepSet) -> tuple[float, float, float]:
    """Width and length of a natural step in metres, and how far toes point outwards, in radians.

    Seen along the path of the character: feet that point outwards by a see each other turned by 2 a.
    """
    ends = np.concatenate([steps.pool("left").ends, mirrored(steps.pool("right").ends)])
    out = 0.5 * ends[:, 2]
    across = ends[:, 0] * np.cos(out) - ends[:, 1] * np.sin(out)
    along = ends[:, 0] * np.sin(out) + ends[:, 1] * np.cos(out)
    plain = (np.abs(ends[:, 2]) < _STRAIGHT) & (along > 0.0)
    if not plain.any():
        plain[:] = True
    width, length, toe_out = (float(np.mean(values[plain])) for values in (across, along, out))
    return max(width, _LEAST_WIDTH), max(length, _LEAST_LENGTH), toe_out


def _counts(distance: float, length: float, *, odd: bool) -> list[int]:
    """How many steps may be inserted, the most natural number first."""
    usual = distance / length - 1.0
    most = min(MOST_STEPS, int(usual) + 2 * _TRIES)
    counts = [n for n in range(1 if odd else 2, max(most, 3) + 1, 2) if n <= MOST_STEPS]
    return sorted(counts, key=lambda n: abs(n - usual))[:_TRIES]


def missing_of(steps: StepSet, footsteps: list[Footstep], enough: float = np.inf, *, most: float = np.inf) -> float:
    """How far footsteps are out of reach in all, in metres, each seen from the one before; ``enough`` ends the sum.

    most : how far one of them may be; infinite where one is farther.
    """
    total = 0.0
    for missing in each_missing(steps, footsteps):
        total += missing if missing < most else np.inf
        if total > enough:
            break
    return total


def each_missing(steps: StepSet, footsteps: list[Footstep]) -> Iterator[float]:
    """How far each footstep but the first is out of reach from the one before, in metres."""
    for before, after in itertools.pairwise(footsteps):
        pool = steps.pool(after.side)
        yield solve_weights(pool, -1, seen_from(after.place, before.place), pool.swings.height).missing_m
