"""Contact phases: which points of the body carry it, when, and at which height, decided once for the whole clip.

==============  ===================================================================================
ContactPhases   the result: points, frames, and whether a limb stands on the ground or above it
CarryingLimb    points that stand and move together: a foot with heel, ball and tip
limbs_of        the limbs of a body
find_phases     the cheapest sequence of contacts, by Viterbi
==============  ===================================================================================

A foot stands on nothing, on its heel, on its whole sole, on ball and tip, or on its tip alone; on the ground or on
something higher (a step, a stair). A state costs what it denies: a standing part that is high or fast, a lifted part
that is below the ground, a body that falls although something carries it, a body that does not fall although nothing
does. Each change of a part costs too, so that contacts neither flicker nor appear for a frame.
Costs are per sixtieth of a second. Derivation: docs/derivations/whole_clip.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetune.kernels.loader import Kernels
from kinetune.physics.model.body_model import Body
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.rotations import Floats
from kinetune.signals.filters import gaussian

Bools = NDArray[np.bool_]
Indices = NDArray[np.intp]

_kernels = Kernels("kinetune.physics.whole_clip.contact_phase_kernels")

_PARTS = ("heel", "ball", "tip")
# What a foot may stand on: nothing; heel, whole sole, ball and tip, tip; the same, and the ball, above the ground.
_FOOT = np.array(
    [
        [0, 0, 0],
        [1, 0, 0],
        [1, 1, 1],
        [0, 1, 1],
        [0, 0, 1],
        [1, 0, 0],
        [1, 1, 1],
        [0, 1, 1],
        [0, 0, 1],
        [0, 1, 0],
    ],
    dtype=bool,
)
_FOOT_RAISED = np.arange(10) >= 5
_SINGLE = np.array([[0], [1], [1]], dtype=bool)
_SINGLE_RAISED = np.array([False, False, True])

_HIGH_M, _FAST_M_S, MOST = 0.0175, 0.4, 10.0
_LIFTED, _MOST_DEEP = 2.5, 9.0
_STEP = 4.0
_CHANGE, _STEP_CHANGE = 5.0, 30.0
_SURELY_GROUND_M = 0.06
_WEIGHTLESS, _FALLING = 0.35, 0.25
_ALOFT = 2.0
_FORCE_BLUR_S = 0.02
_SWEEPS = 3


@dataclass(frozen=True, eq=False)
class CarryingLimb:
    """Points that stand and move together.

    side : as in the body's contact points. parts : the points of each part, as indices.
    states : (states, parts) what the limb may stand on. raised : (states,) whether that is above the ground.
    other : whether it is no foot: a seat, a knee or a hand.
    """

    side: str
    parts: tuple[Indices, ...]
    states: Bools
    raised: Bools
    other: bool = False

    @property
    def points(self) -> Indices:
        """All its points."""
        return np.concatenate(self.parts)


@dataclass(frozen=True, eq=False)
class ContactPhases:
    """Which points carry the body.

    limbs : in order. stand : (frames, points). raised : (frames, limbs) whether a standing limb is above the ground.
    """

    limbs: tuple[CarryingLimb, ...]
    stand: Bools
    raised: Bools

    @property
    def raised_feet(self) -> Bools:
        """(frames,) whether a foot stands above the ground."""
        feet = [number for number, limb in enumerate(self.limbs) if not limb.other]
        return np.asarray(self.raised[:, feet].any(axis=1))

    @property
    def aloft(self) -> Bools:
        """(frames,) whether nothing carries the body."""
        return np.logical_not(self.stand.any(axis=1))


def limbs_of(body: Body) -> tuple[CarryingLimb, ...]:
    """The feet of a human with heel, ball and tip; of any other character, each contact point."""
    points = body.points
    if not body.human:
        return tuple(CarryingLimb(p.side, (np.array([k]),), _SINGLE, _SINGLE_RAISED) for k, p in enumerate(points))
    limbs = []
    for side in dict.fromkeys(point.side for point in points):
        on_side = [k for k, point in enumerate(points) if point.side == side]
        parts = tuple(np.array([k for k in on_side if _part(points[k].name) == part], dtype=np.intp) for part in _PARTS)
        limbs.append(CarryingLimb(side, parts, _FOOT, _FOOT_RAISED))
    return tuple(limbs)


def single_limb(name: str, points: Sequence[int]) -> CarryingLimb:
    """A knee, a hand or a seat: points that stand together and are no foot."""
    return CarryingLimb(name, (np.array(points, dtype=np.intp),), _SINGLE, _SINGLE_RAISED, other=True)


def cheapest_states(limb: CarryingLimb, costs: Floats, rate: float) -> Indices:
    """(frames,) the cheapest states of one limb, from what each costs in each sixtieth of a second."""
    return np.asarray(_kernels.load().cheapest_path(60.0 / rate * costs, _change_costs(limb)))


def _part(name: str) -> str:
    return next((part for part in _PARTS if part in name), "ball")


def find_phases(
    limbs: Sequence[CarryingLimb],
    points: Floats,
    heights: Floats,
    com: Floats,
    rate: float,
    *,
    borne: Bools | None = None,
) -> ContactPhases:
    """The contact phases of a motion.

    Parameters
    ----------
    limbs : what may carry it.
    points : (frames, points, 3) the contact points. heights : (frames, points) theirs above the ground.
    com : (frames, 3) the centre of mass. rate : frames per second.
    borne : (frames,) where other parts carry the body, so that no limb has to.

    Notes
    -----
    Two limbs are decided jointly, exactly. More than two take turns, each given the others, until nothing changes.
    """
    carried = _carried(com[:, 1], rate)
    costs = [standing_costs(limb, points, heights, rate) for limb in limbs]
    changes = [_change_costs(limb) for limb in limbs]
    scale = 60.0 / rate
    aloft = _ALOFT * (np.maximum(carried, 0.0) / _WEIGHTLESS) ** 2
    if borne is not None:
        aloft[borne] = 0.0
    standing = (2.0 * np.maximum(_FALLING - carried, 0.0) / _WEIGHTLESS) ** 2
    fast = _kernels.load()
    if len(limbs) == 2:
        a, b = (len(limb.states) for limb in limbs)
        joint = (costs[0][:, :, None] + costs[1][:, None, :]).reshape(len(points), a * b)
        joint[:, 0] += aloft
        joint[:, 1:] += standing[:, None]
        change = (changes[0][:, None, :, None] + changes[1][None, :, None, :]).reshape(a * b, a * b)
        path = fast.cheapest_path(scale * joint, change)
        paths: list[Indices] = [path // b, path % b]
    else:
        paths = [np.zeros(len(points), dtype=np.intp) for _ in limbs]
        for _ in range(_SWEEPS):
            for number in range(len(limbs)):
                others = np.any([p > 0 for k, p in enumerate(paths) if k != number], axis=0)
                prices = costs[number].copy()
                prices[:, 0] += np.where(others, standing, aloft)
                prices[:, 1:] += standing[:, None]
                paths[number] = cheapest_states(limbs[number], prices, rate)
    stand: Bools = np.zeros(heights.shape, dtype=bool)
    raised: Bools = np.zeros((len(points), len(limbs)), dtype=bool)
    for number, (limb, path) in enumerate(zip(limbs, paths, strict=True)):
        for part, columns in enumerate(limb.parts):
            stand[:, columns] = limb.states[path, part][:, None]
        raised[:, number] = limb.raised[path]
    return ContactPhases(tuple(limbs), stand, raised)


def _carried(heights: Floats, rate: float) -> Floats:
    """(frames,) the vertical force in body weights that the height of the centre of mass asks for."""
    if len(heights) < 3:
        return np.ones(len(heights))
    lift = np.gradient(np.gradient(heights, 1.0 / rate), 1.0 / rate)
    return np.asarray(1.0 + gaussian(lift, rate, _FORCE_BLUR_S, ends="held") / GRAVITY)


def standing_costs(limb: CarryingLimb, points: Floats, heights: Floats, rate: float) -> Floats:
    """(frames, states) what each state of a limb denies."""
    speed = np.linalg.norm(np.gradient(points, 1.0 / rate, axis=0), axis=2)
    total = np.zeros((len(points), len(limb.states)))
    for part, columns in enumerate(limb.parts):
        if not len(columns):
            continue
        high, fast = heights[:, columns].mean(axis=1), (speed[:, columns].mean(axis=1) / _FAST_M_S) ** 2
        on = np.minimum((np.maximum(high, 0.0) / _HIGH_M) ** 2 + fast, MOST)
        above = np.minimum(fast + np.where(high < _SURELY_GROUND_M, _LIFTED, 0.0), MOST)
        off = _LIFTED + np.minimum((np.minimum(high, 0.0) / _HIGH_M) ** 2, _MOST_DEEP)
        for state, stands in enumerate(limb.states[:, part]):
            total[:, state] += (above if limb.raised[state] else on) if stands else off
    return np.asarray(total + _STEP * limb.raised)


def _change_costs(limb: CarryingLimb) -> Floats:
    """(states, states) what it costs to pass from one state to another."""
    states, stands = limb.states, np.asarray(limb.states.any(axis=1))
    flips = np.not_equal(states[:, None], states[None]).sum(axis=2)
    climbs = np.not_equal(limb.raised[:, None], limb.raised[None]) & stands[:, None] & stands[None]
    return np.asarray(_CHANGE * flips + _STEP_CHANGE * climbs)
