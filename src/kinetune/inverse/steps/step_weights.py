"""Which examples to blend, and how much of each, so that a foot lands on its target ([huang], phases 1 and 2).

===============  ========================================================================================
solve_weights    weights for which the swinging foot is at a position, at the start or at the end of a step
StepWeights      the answer: weights, what is missing, whether the position can be reached at all
===============  ========================================================================================

The path from the toes that stand, up one leg and down the other, is a chain of blended rotations that ends at the ball
of the swinging foot. Where it ends is a smooth function of the weights, and the weights are found by Gauss-Newton steps
that stay on the simplex (:mod:`kinetune.inverse.blend.simplex_kernels`).

Deviations from [huang], each needed (``tests/inverse/walk/test_walking_needs.py``):

- The heading of the foot is constrained at the start too, not only at the end.
- Its height is soft: x, z and heading of the ball are met exactly, and of all weights that do, nearly the ones that put
  it on the floor are taken. A hard height makes one position in fifteen unreachable.
- What freedom is left makes the first pose like the last one of the step before.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from kinetune import rotations as rot
from kinetune.inverse.steps.step_pools import FootChain, StepPool
from kinetune.inverse.walk.footsteps import turned, wrapped
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

HEADING_M = 0.3
"""Metres that weigh as much as a radian of heading."""
REACHED_M = 1e-6
"""A place counts as reached when this much is missing, in metres (and radians times HEADING_M)."""
_NEAREST = 8
_SOFT_HEIGHT = 0.03
_LIKENESS = 0.02
_FLOOR = 0.01
_ROUNDS = 40
_TURNS = 8
MOST_EXAMPLES = 24
"""How many examples take part in a step at first: the nearest."""

foot_kernels = Kernels("kinetune.inverse.steps.step_weight_kernels")
"""The compiled weight solver."""


@dataclass(frozen=True, eq=False)
class StepWeights:
    """How much of each example.

    values : (n,) at least 0, with the sum 1.
    missing_m : what is missing of the place, metres and radians of heading times HEADING_M together.
    """

    values: Floats
    missing_m: float
    chain: FootChain
    pool: StepPool
    carrier: Floats

    @property
    def reached(self) -> bool:
        """Whether the place is met."""
        return self.missing_m <= REACHED_M

    @property
    def place(self) -> Floats:
        """(4,) what the blend gives: x, z, heading, and height of the ball."""
        place = _where(self.chain, self.pool, self.values)
        x, _, z = turned(_unit(self.values @ self.carrier), self.pool.stands.ahead)
        return _turned_about(place, self.chain.base[:, 0], -math.atan2(x, z))


def solve_weights(
    pool: StepPool,
    moment: int,
    place: Floats,
    height: float,
    *,
    like: tuple[Floats, Floats] | None = None,
    lock: Floats | None = None,
    hard_height: bool = False,
    most: int = MOST_EXAMPLES,
) -> StepWeights:
    """StepWeights for which the swinging foot stands at a place, seen from the foot that carries.

    Parameters
    ----------
    moment : 0 for the start of a step, -1 for its end.
    place : (3,) x, z and heading of the ball.
    height : of the ball above the floor, in metres.
    like : a pose that the start should resemble where freedom is left: rotations (joints, 4), and the position (3,)
        of the first joint as seen from the foot that carries.
    lock : (3,) where the locked point of the foot that carries is, seen from its place; on a flat sole when left out.
    hard_height : demand the height exactly as well, as a point constraint does; for comparison.
    most : how many examples take part at most, the nearest; four times as many where they do not suffice.
    """
    chain = pool.chains[moment]
    if lock is not None:
        chain = replace(chain, base=np.repeat(lock[:, None], len(pool), axis=1))
    target = np.array([place[0], place[1], place[2], height])
    near = np.argsort(_errors(chain, target), kind="stable")[:most] if len(pool) > most else np.arange(len(pool))
    scales = np.array([HEADING_M, 1.0 if hard_height else _SOFT_HEIGHT, _LIKENESS])
    part = chain if len(near) == len(pool) else chain.only(near)
    alike = None if like is None else pool.likeness(near, _features(like, pool))
    task = _FootTask(part, pool.swings.ahead, target, scales, np.ones(len(near)), np.zeros((0, len(near))), np.zeros(0))
    carrier = pool.carrier[near, moment]
    best: tuple[float, Floats] | None = None
    for start, metric in _starts(part, target):
        weights = start.copy()
        missing = np.inf
        seen = target
        # A blend of toes that are raised differently is turned a little; the lock turns it back, and all with it.
        for _ in range(_TURNS):
            round_task = replace(task, target=seen, metric=metric)
            missing = round_task.solve(weights, alike, hard_height)
            x, _, z = turned(_unit(weights @ carrier), pool.stands.ahead)
            after = _turned_about(target, part.base[:, 0], math.atan2(x, z))
            done = float(np.abs(after - seen).max()) < 0.1 * REACHED_M
            seen = after
            if done:
                break
        if best is None or missing < best[0]:
            best = (missing, weights)
        if best[0] <= REACHED_M:
            break
    assert best is not None
    if best[0] > REACHED_M and len(near) < len(pool):
        wider = solve_weights(pool, moment, place, height, lock=lock, hard_height=hard_height, most=4 * most, like=None)
        if wider.missing_m < best[0]:
            return wider
    values = np.zeros(len(pool))
    values[near] = best[1]
    return StepWeights(values, best[0], chain, pool, pool.carrier[:, moment])


def _unit(turn: Floats) -> Floats:
    return np.asarray(turn / math.sqrt(float(turn @ turn)))


def _turned_about(target: Floats, lock: Floats, radians: float) -> Floats:
    """A target (x, z, heading, height) turned about the vertical through a point."""
    if radians == 0.0:
        return target
    x, z = target[0] - lock[0], target[1] - lock[2]
    cosine, sine = np.cos(radians), np.sin(radians)
    return np.array([lock[0] + cosine * x + sine * z, lock[2] - sine * x + cosine * z, target[2] + radians, target[3]])


def _features(like: tuple[Floats, Floats], pool: StepPool) -> Floats:
    """A pose, rotations (joints, 4) with the signs of the pool and the place (3,) of the first joint, in one row."""
    pose, root = like
    reference = pool.rotations[0, 0]
    away = np.sum(pose * reference, axis=-1, keepdims=True) < 0.0
    row: Floats = pool.features(np.where(away, -pose, pose)[None], root[None])[0]
    return row


def _soft_nearest(error: Floats) -> tuple[Floats, Floats]:
    """Where to begin, and how easily each weight moves: a compact kernel whose width is the error of the ninth example.

    All examples may take part; the near ones do so more easily ("soft k").
    """
    ordered = np.sort(error)
    width = ordered[_NEAREST] if len(error) > _NEAREST else 1.05 * ordered[-1]
    near = np.maximum(1.0 - (error / max(float(width), 1e-9)) ** 2, 0.0) ** 3
    total = float(near.sum())
    return (near / total if total > 1e-12 else np.full(len(error), 1.0 / len(error))), near + _FLOOR


def _starts(chain: FootChain, target: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Where to begin, in turn, and how easily each weight moves: the kernel, all alike, the best single example."""
    error = _errors(chain, target)
    anchor, metric = _soft_nearest(error)
    yield anchor, metric
    n = len(anchor)
    yield np.full(n, 1.0 / n), np.ones(n)
    single = np.full(n, 0.1 / n)
    single[int(np.argmin(error))] += 0.9
    yield single, np.ones(n)


def _errors(chain: FootChain, target: Floats) -> Floats:
    """(n,) how far each example is from the target, in metres."""
    away = chain.ends - target
    distance: Floats = np.sqrt(away[:, 0] ** 2 + away[:, 1] ** 2 + (HEADING_M * wrapped(away[:, 2])) ** 2)
    return distance


@dataclass(frozen=True, eq=False)
class _FootTask:
    """One problem: rows x, z, heading and height of the ball, then rows of likeness."""

    chain: FootChain
    ahead: Floats
    target: Floats
    scales: Floats
    metric: Floats
    likeness: Floats
    aims: Floats

    def solve(self, weights: Floats, alike: tuple[Floats, Floats] | None, hard_height: bool) -> float:
        """Change weights in place: softly first, with all that is wished for, then exactly."""
        if alike is None:
            self.descend(weights, 4, _ROUNDS)
        else:
            replace(self, likeness=alike[0], aims=alike[1]).descend(weights, 4 + len(weights), 12)
        return self.descend(weights, 4 if hard_height else 3, _ROUNDS)

    def descend(self, weights: Floats, rows: int, most: int) -> float:
        """Change weights in place so that the first ``rows`` residuals shrink; returns the norm of what is left.

        The pull leads back to where the weights began: of all that meet the rows, the nearest are found.
        """
        chain = self.chain.rotations, self.chain.offsets, self.chain.base
        goal, likeness = (self.ahead, self.target, self.scales), (self.likeness, self.aims)
        tolerance = 0.01 * REACHED_M
        return float(foot_kernels.load().solve_foot(chain, goal, likeness, self.metric, rows, most, tolerance, weights))


def _where(chain: FootChain, pool: StepPool, weights: Floats) -> Floats:
    """(4,) x, z, heading and height of the ball for some weights."""
    mixed = rot.normalize(chain.rotations @ weights)
    end = rot.identity()
    place = chain.base @ weights
    for link, rotation in enumerate(mixed):
        end = rot.multiply(end, rotation)
        place = place + rot.rotate(end, chain.offsets[link, :, 0])
    return np.array([place[0], place[2], float(pool.swings.heading(end)), place[1]])
