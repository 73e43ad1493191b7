"""A finished walk, settled: feet brought onto footsteps just out of reach, and a pelvis that does not lurch.

Blended steps meet at their ends in position and speed, and still a chain of them can sway more than any body does,
above all with captured steps that differ much. And where the examples end a little short of a footstep, legs do not.
Both are mended over the whole walk at once, by the solver that plants feet (:mod:`kinetune.body.feet.leg_solver`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import runs_of
from kinetune.body.feet.planting import move_stances
from kinetune.inverse.steps.foot_locks import FootTrack
from kinetune.inverse.walk.footsteps import wrapped
from kinetune.inverse.walk.walk_report import StepReport, correction_message
from kinetune.inverse.walk.walk_values import WalkStep

_MOST_M, _MOST_TURN = 0.3, np.deg2rad(30.0)
_MORE = 1.2  # times the usual acceleration of the pelvis is allowed
_MET_M, _MET_TURN = 1e-4, np.deg2rad(0.05)


def settle(steps: Sequence[WalkStep], clip: Clip, usual_acceleration: float) -> Clip:
    """The clip of some steps, settled.

    usual_acceleration : of the pelvis in the examples, in m/s^2.
    """
    contacts = clip.contacts
    assert contacts is not None
    moves, turns = np.zeros((len(clip), len(contacts.joints), 3)), np.zeros((len(clip), len(contacts.joints)))
    for step in steps:
        landed, target = step.motion.stance.ahead.place, step.target.place
        away, turn = target[:2] - landed[:2], float(wrapped(target[2] - landed[2]))
        far = float(np.hypot(*away))
        if step.reached or far > _MOST_M or abs(turn) > _MOST_TURN:
            continue
        column = contacts.column(step.target.side)
        ankle = clip.positions()[:, clip.skeleton.index(contacts.joints[column])]
        ball = np.array([landed[0], 0.0, landed[1]])
        for start, stop in runs_of(contacts.flags[:, column]):
            if start <= step.last < stop:
                arm = ankle[start:stop] - ball
                turned = rot.rotate(rot.about_y(turn), arm)
                moves[start:stop, column] = turned - arm + [away[0], 0.0, away[1]]
                turns[start:stop, column] = turn
    return move_stances(clip, contacts, moves, turns, most_acceleration=_MORE * usual_acceleration)


def settled_report(step: WalkStep, number: int, clip: Clip) -> StepReport:
    """How a footstep came out in the settled walk."""
    row = step.report
    if row.reached or row.inserted:
        return row
    landed = FootTrack.read(step.pool, step.pool.swings, clip.root[step.last], clip.rotations[step.last]).place
    off = float(np.hypot(*(landed[:2] - step.target.place[:2])))
    turn = abs(float(wrapped(landed[2] - step.target.place[2])))
    row = replace(row, error_mm=1e3 * off, heading_error_deg=float(np.degrees(turn)))
    if off > _MET_M or turn > _MET_TURN:
        return row
    return replace(row, notes=(*row.notes[:-1], correction_message(number, step.target, step.report)))
