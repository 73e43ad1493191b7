"""A finished walk, settled: feet brought onto footsteps just out of reach, and a pelvis that does not lurch.

===============  ==================================================================================
StepBend         how a step is bent so that its foot lands where the examples alone would not
bend_stance      the moment after a bent step
settle           the motion of some steps
settled_report   how a footstep came out in it
===============  ==================================================================================

Blended steps meet at their ends in position and speed, and still a chain of them can sway more than any body does,
above all with captured steps that differ much. And where the examples end a little short of a footstep, legs do not: a
step whose foot lands beside its target is bent over the foot that stands, so that the next one starts where it should
and misses do not add up. Then the feet are planted again, over the whole walk at once
(:mod:`kinetune.body.feet.leg_solver`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.planting import move_stances
from kinetune.inverse.steps.foot_locks import FootTrack
from kinetune.inverse.steps.step_extraction import LANDS
from kinetune.inverse.steps.step_motion import Moment, Stance
from kinetune.inverse.walk.footsteps import OTHER, Footstep, wrapped
from kinetune.inverse.walk.walk_report import FAR_DEG, FAR_M, StepReport, correction_message
from kinetune.inverse.walk.walk_values import WalkStep
from kinetune.rotations import Floats

_MOST_M, _MOST_TURN = FAR_M, np.deg2rad(FAR_DEG)
_MORE = 1.2  # times the usual acceleration of the pelvis is allowed
_MET_M, _MET_TURN = 1e-4, np.deg2rad(0.05)


@dataclass(frozen=True, eq=False)
class StepBend:
    """A turn about the vertical through a point, and a move along the floor.

    turn : radians. pivot, move : (3,) metres.
    """

    turn: float
    pivot: Floats
    move: Floats

    @classmethod
    def between(cls, landed: Floats, target: Footstep) -> StepBend | None:
        """From where a foot lands, (x, z, heading), to where it should; None where that is too far."""
        away, turn = target.place[:2] - landed[:2], float(wrapped(target.place[2] - landed[2]))
        if float(np.hypot(*away)) > _MOST_M or abs(turn) > _MOST_TURN:
            return None
        return cls(turn, np.array([landed[0], 0.0, landed[1]]), np.array([away[0], 0.0, away[1]]))

    def moved(self, points: Floats, share: Floats | float = 1.0) -> Floats:
        """Points (..., 3), taken along by a share of it."""
        part = np.asarray(share)
        turned = rot.rotate(rot.about_y(self.turn * part), points - self.pivot)
        return np.asarray(self.pivot + turned + part[..., None] * self.move)

    def turned(self, rotations: Floats, share: Floats | float = 1.0) -> Floats:
        """Rotations (..., 4) in the world, likewise."""
        return rot.multiply(rot.about_y(self.turn * np.asarray(share)), rotations)


def bend_stance(stance: Stance, bend: StepBend, target: Footstep) -> Stance:
    """The moment after a bent step: the foot behind stands where it did."""
    ahead = FootTrack(target.place, stance.ahead.height, bend.moved(stance.ahead.lock), bend.turned(stance.ahead.feet))
    before = stance.before
    if before is not None:
        before = Moment(bend.moved(before.root), _turn_first(before.rotations, bend), before.feet)
    return Stance(_turn_first(stance.rotations, bend), bend.moved(stance.root), ahead, stance.behind, before)


def _turn_first(rotations: Floats, bend: StepBend, share: Floats | float = 1.0) -> Floats:
    """Local rotations (..., joints, 4) whose first joint is turned with the bend."""
    turned = np.array(rotations)
    turned[..., 0, :] = bend.turned(rotations[..., 0, :], share)
    return turned


def settle(steps: Sequence[WalkStep], clip: Clip, usual_acceleration: float) -> Clip:
    """The motion of some steps.

    clip : the steps as they are, one after another, not bent.
    usual_acceleration : of the pelvis in the examples, in m/s^2.
    """
    contacts = clip.contacts
    assert contacts is not None
    root, rotations = np.array(clip.root), np.array(clip.rotations)
    moves, turns = np.zeros((len(clip), len(contacts.joints), 3)), np.zeros((len(clip), len(contacts.joints)))
    for step in steps:
        if step.bend is None:
            continue
        bend, frames = step.bend, slice(step.first + 1, step.last + 1)
        share = _ease(step.motion.phases[1:])
        root[frames] = bend.moved(clip.root[frames], share)
        rotations[frames] = _turn_first(clip.rotations[frames], bend, share)
        landed = np.asarray(step.motion.phases[1:] >= LANDS)
        for side, target in ((OTHER[step.target.side], 0.0 * share), (step.target.side, landed.astype(float))):
            column = contacts.column(side)
            ankle = clip.positions()[frames, clip.skeleton.index(contacts.joints[column])]
            down = contacts.flags[frames, column]
            moves[frames, column] = down[:, None] * (bend.moved(ankle, target) - bend.moved(ankle, share))
            turns[frames, column] = down * bend.turn * (target - share)
    bent = clip.replace(root=root, rotations=rot.continuous(rotations), contacts=contacts)
    return move_stances(bent, contacts, moves, turns, most_acceleration=_MORE * usual_acceleration)


def _ease(x: Floats) -> Floats:
    u = np.clip(x, 0.0, 1.0)
    return np.asarray(u**3 * (10.0 - 15.0 * u + 6.0 * u * u))


def settled_report(step: WalkStep, number: int, clip: Clip) -> StepReport:
    """How a footstep came out in the settled walk."""
    row = step.report
    if step.bend is None:
        return row
    landed = FootTrack.read(step.pool, step.pool.swings, clip.root[step.last], clip.rotations[step.last]).place
    off = float(np.hypot(*(landed[:2] - step.target.place[:2])))
    turn = abs(float(wrapped(landed[2] - step.target.place[2])))
    row = replace(row, error_mm=1e3 * off, heading_error_deg=float(np.degrees(turn)))
    if row.inserted or off > _MET_M or turn > _MET_TURN:
        return row
    return replace(row, notes=(*row.notes[:-1], correction_message(number, step.target, step.report)))
