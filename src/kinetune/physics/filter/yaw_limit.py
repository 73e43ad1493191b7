"""A figure that turns about the vertical no faster than its feet can make it.

==============  ==========================================================================
plan_pivot      by how much a motion must turn less, or more, (frames,)
pivoted         the motion turned so, about the foot it stands on
==============  ==========================================================================

A standing foot can turn a body by friction alone, with an arm of a few centimetres: some 30 N m. Authored and spliced
kicks ask for ten times as much when the leg whips round and stops. No balance of the rest helps against that, so the
motion itself is turned about its standing foot, as little and as smoothly as will do, before it is followed. [pollard]
Figure 3, row 4 shows what happens otherwise: a hop, and a spin by 20 degrees.
"""

from __future__ import annotations

import numpy as np

from kinetune import rotations as rot
from kinetune.physics.filter.com_plan import Support
from kinetune.physics.frame.soft_programs import SoftProgram, bands_of, second_differences
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.rotations import Floats

_SHARE = 0.6
"""Of the friction is there for turning, while the rest holds the body."""
_W_ANGLE = 0.02
_W_RATE = 0.02
_W_JERK = 1e-6
_W_LIMIT = 1e3
_SMALL = np.deg2rad(0.5)


def plan_pivot(
    momentum_rate: Floats, inertia: Floats, lift: Floats, support: Support, *, rate: float, mass: float, mu: float
) -> Floats:
    """The turn (frames,) in radians that brings a motion within what friction can do; 0 where it is already.

    Parameters
    ----------
    momentum_rate : (frames,) rate of the angular momentum about the vertical, N m.
    inertia : (frames,) of the whole body about the vertical through its centre of mass, kg m^2.
    lift : (frames,) vertical acceleration of the centre of mass, m/s^2.
    support : where the motion stands.
    """
    frames, count = len(momentum_rate), len(momentum_rate) - 2
    if count < 1:
        return np.zeros(frames)
    most = _SHARE * mu * mass * np.maximum(lift + GRAVITY, 0.0) * support.spread
    if np.all(np.abs(momentum_rate) <= most + 0.02 * mass):
        return np.zeros(frames)
    # The rate of inertia times turning speed, between frames.
    between = 0.5 * (inertia[:-1] + inertia[1:]) * rate * rate / mass
    change = np.stack([between[:-1], -between[:-1] - between[1:], between[1:]], axis=1)
    wide = 1.0 + (support.spread[:-1] / 0.1) ** 2  # both feet down: turning would make them slide
    bands = bands_of(second_differences(np.full(frames - 1, 1.0 / rate)), np.full(count, _W_JERK), frames)
    for band, more in zip(
        bands, bands_of(np.tile([-rate, rate], (frames - 1, 1)), _W_RATE * wide, frames), strict=False
    ):
        band += more
    bands[0] += _W_ANGLE
    program = SoftProgram([bands], np.zeros(frames))
    program.tie(np.array([[0], [1]]), np.ones((2, 1)), np.zeros(2))
    rows = np.arange(count)[:, None] + np.arange(3)
    room = np.concatenate([most[:count] - momentum_rate[:count], most[:count] + momentum_rate[:count]]) / mass
    program.limit(np.vstack([rows, rows]), np.vstack([change, -change]), room, _W_LIMIT, np.tile(np.arange(count), 2))
    turn = program.solve()[0]
    return turn if np.abs(turn).max() > _SMALL else np.zeros(frames)


def pivoted(qpos: Floats, turn: Floats, pivots: Floats) -> tuple[Floats, Floats]:
    """Coordinates of the motion turned about pivots (frames, 3), and the turns (frames, 4) that were applied."""
    turns = rot.about_y(turn)
    steps = rot.rotate(turns[:-1], pivots[1:]) - rot.rotate(turns[1:], pivots[1:])
    shift = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    found = qpos.copy()
    found[:, :3] = rot.rotate(turns, qpos[:, :3]) + shift
    found[:, 3:7] = rot.multiply(turns, qpos[:, 3:7])
    return found, turns
