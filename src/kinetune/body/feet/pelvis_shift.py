"""Where the pelvis goes when feet are moved: it rides on the legs that stand.

==============  ==========================================================================
shift_pelvis    the smooth small move of the pelvis that spares the knees
LegReach        one leg: where its foot shall be, and how long it would like to be
==============  ==========================================================================

A foot that is moved by a centimetre changes the bend of its knee, and the straighter the leg, the more: a leg within a
millimetre of full stretch has its knee bent by five degrees. So the pelvis gives way. It moves as little and as
smoothly as it may, so that straight legs keep their length and no leg has to reach farther than it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinetune.rotations import Floats
from kinetune.signals.banded_solve import solve_banded

SMOOTH_S = 0.1
"""Moves of the pelvis much quicker than this are smoothed away."""

_STIFFNESS = np.diag([1.0, 0.5, 1.0])
_KNEE = 10.0
_REFERENCE_BEND = np.deg2rad(25.0)
_LEAST_BEND = np.deg2rad(3.0)
_REACH = 100.0
_ROUNDS = 12
_SETTLED = 1e-5


@dataclass(frozen=True)
class LegReach:
    """A leg whose foot is moved.

    hip, goal : (frames, 3) the hip joint, and where the ankle shall be, in metres.
    upper, lower : (frames,) lengths of thigh and shank.
    wanted : (frames,) how long the leg would like to be, hip to ankle.
    most : (frames,) how long it can be.
    """

    hip: Floats
    goal: Floats
    upper: Floats
    lower: Floats
    wanted: Floats
    most: Floats

    @property
    def care(self) -> Floats:
        """How much a change of length matters, (frames,): by the square of how fast the knee answers to it."""
        cosine = (self.wanted**2 - self.upper**2 - self.lower**2) / np.maximum(2.0 * self.upper * self.lower, 1e-12)
        bend = np.arccos(np.clip(cosine, -1.0, 1.0))
        return np.asarray(_KNEE * (_REFERENCE_BEND / np.maximum(bend, _LEAST_BEND)) ** 2)


def shift_pelvis(legs: Sequence[LegReach], fps: float) -> Floats:
    """How the pelvis moves, (frames, 3) in metres, so that all legs meet their goals with little change of knees.

    Notes
    -----
    The least of ``|p|^2 + SMOOTH_S^4 |p''|^2 + sum of care (length - wanted)^2``, where ``length <= most`` is kept by
    an augmented Lagrangian. Lengths are straightened out about the last answer: one banded system in each of some
    rounds.
    """
    frames = len(legs[0].hip)
    shift: Floats = np.zeros((frames, 3))
    pushes = np.zeros((len(legs), frames))
    for _ in range(_ROUNDS):
        matrix = np.tile(_STIFFNESS, (frames, 1, 1))
        right = np.zeros((frames, 3))
        for leg, push in zip(legs, pushes, strict=True):
            arm = leg.hip + shift - leg.goal
            length = np.linalg.norm(arm, axis=-1)
            along = arm / np.maximum(length, 1e-9)[:, None]
            here = np.sum(along * shift, axis=-1) - length  # the length is along . p - here, nearly
            excess = length - leg.most
            new_push = np.maximum(push + _REACH * excess, 0.0)
            pull = np.where(new_push > 0.0, _REACH * (leg.most + here) - push, 0.0)
            stiff = leg.care + np.where(new_push > 0.0, _REACH, 0.0)
            push[:] = new_push
            matrix += stiff[:, None, None] * along[:, :, None] * along[:, None, :]
            right += (leg.care * (leg.wanted + here) + pull)[:, None] * along
        moved = _solve(matrix, right, (SMOOTH_S * fps) ** 4)
        settled = float(np.abs(moved - shift).max()) < _SETTLED
        shift = moved
        if settled:
            break
    return shift


def _solve(matrix: Floats, right: Floats, smooth: float) -> Floats:
    """Solve ``(M + smooth D'D) p = r`` over all frames, D the second difference: a symmetric band of width 6."""
    frames = len(right)
    band = np.zeros((7, 3 * frames))  # band[k, i] is the entry (i + k, i)
    for column in range(3):
        for row in range(column, 3):
            band[row - column, column::3] = matrix[:, row, column]
    if frames >= 3:
        inner = frames - 2
        second = np.zeros((3, frames))
        for at, weight in enumerate((1.0, 4.0, 1.0)):
            second[0, at : inner + at] += weight
        second[1, :inner] -= 2.0
        second[1, 1 : inner + 1] -= 2.0
        second[2, :inner] += 1.0
        band[::3] += smooth * np.repeat(second, 3, axis=1)
    return solve_banded(band[: min(7, 3 * frames)], right.ravel()).reshape(frames, 3)
