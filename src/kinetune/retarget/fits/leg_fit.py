"""Stage two for characters: pelvis and legs over the whole clip at once, so that feet stand on their footprints.

Where pelvis and ankles go is one least-squares problem over all frames (:mod:`kinetune.body.feet.leg_solver`): feet
that stand are held, swings are led smoothly from stance to stance, knees keep the angles of the source and neither pop
nor bend backward, soles in the air keep above the floor, and the pelvis gives way a little.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt, maximum_filter1d

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.leg_solver import MOST_BEND, LegGoals, LegWeights, solve_legs
from kinetune.body.feet.stance_states import HUMAN_LEG_M
from kinetune.body.feet.standing_foot import ease, lead_over
from kinetune.body.kinematics.knees import Leg, find_leg, knee_bend, pose_leg
from kinetune.body.root_motion import shift_joint, travelling_joint
from kinetune.retarget.footprints import FootCourse, toes_above_ground
from kinetune.retarget.transfer import Transfer
from kinetune.rotations import Floats
from kinetune.signals.filters import gaussian

_LEAST_BEND = np.deg2rad([1.5, 5.0])
_SOFT_BEND = np.deg2rad(2.0)
_WALL = 0.7
_KNEE = 2.0  # less than for planting: directions of limbs count more than angles of knees
_STAY = 4.0  # more than for planting: where the pelvis goes, the whole body goes
_LIFT_S = 0.04
_SOFT_REACH = (0.985, 0.9975)  # of a straight leg, between which a leg in the air is drawn in
_SOFTEN_S = 0.15
_LONGEST, _PULLS, _PULL_S = 0.9995, 4, 0.1


def fit_legs(pose: Clip, transfer: Transfer) -> Clip:
    """The pose of stage one with its feet on their footprints.

    Parameters
    ----------
    pose : Clip
        The target in the pose of stage one.
    transfer : Transfer
        What stage one says.
    """
    tracks = transfer.feet
    size = transfer.target.leg / HUMAN_LEG_M
    legs = [find_leg(pose, track.side, track.joint) for track in tracks]
    joint = travelling_joint(pose)
    pose = shift_joint(pose, joint, _usual_rise(pose, tracks))
    weights = LegWeights(knee=_KNEE, swing_knee=_KNEE, stay=_STAY)
    goals = [_goals(pose, leg, track) for leg, track in zip(legs, tracks, strict=True)]
    shifts = solve_legs(goals, pose.fps, size, weights=weights, pinned=True, exact=True)
    ankles = []
    for number, (track, goal) in enumerate(zip(tracks, goals, strict=True)):
        shift = shifts[:, 3 + 3 * number : 6 + 3 * number]
        shift = shift + lead_over(goal.path - goal.ankle - shift, goal.down, pose.fps, weights.foot_smooth_s)
        shift = np.where(track.down[:, None], goal.path - goal.ankle, shift)
        shift[:, 1] += _lift(np.maximum(goal.rise - shift[:, 1], 0.0), track.down, pose.fps)
        ankles.append(goal.ankle + shift)
    pelvis = _within_reach(shifts[:, :3], goals, ankles, pose.fps)
    rotations = np.array(pose.rotations)
    for leg, track, goal, ankle in zip(legs, tracks, goals, ankles, strict=True):
        arm = _unlocked(ankle - goal.hip - pelvis, goal, pose.fps)
        pose_leg(pose, leg, arm, track.rotation, rotations)
        toes = toes_above_ground(transfer.target, track, goal.hip + pelvis + arm)
        if track.toes is not None and toes is not None:
            local = rot.multiply(rot.inverse(track.rotation), toes)
            rotations[:, track.toes] = rot.continuous(rot.normalize(local))
    return shift_joint(pose.replace(rotations=rotations), joint, pelvis)


def _usual_rise(pose: Clip, tracks: Sequence[FootCourse]) -> Floats:
    """How much higher than in the pose the feet stand as a rule, (frames, 3): legs of other proportions carry the
    pelvis higher or lower without a change of their directions.

    Left and right ankles of a source may stand at different heights: each foot counts by how long it stands.
    """
    rises = [(track.ankle - pose.positions()[:, track.joint])[track.down, 1] for track in tracks]
    rise = np.zeros((len(pose), 3))
    if sum(map(len, rises)):
        rise[:, 1] = np.average([np.median(each) if len(each) else 0.0 for each in rises], weights=[*map(len, rises)])
    return rise


def _unlocked(arm: Floats, goal: LegGoals, fps: float) -> Floats:
    """From hip to ankle, (frames, 3): a leg in the air that would become straighter than asked keeps its knee soft.

    One that is straight where its foot leaves or lands becomes so little by little: there, millimetres are degrees of
    the knee.
    """
    length, whole = np.linalg.norm(arm, axis=1), goal.upper + goal.lower
    asked = np.sqrt(goal.upper**2 + goal.lower**2 + 2.0 * goal.upper * goal.lower * np.cos(goal.bend))
    most, room = np.maximum(asked, _SOFT_REACH[1] * whole), (_SOFT_REACH[1] - _SOFT_REACH[0]) * whole
    down = goal.down > 0
    if down.any():
        away, nearest = distance_transform_edt(~down, return_indices=True)
        share, edge = ease(away / (_SOFTEN_S * fps)), np.minimum(length[nearest[0]], _LONGEST * whole)
        straight = np.clip((edge - most) / room + 1.0, 0.0, 1.0)
        most = most + (1.0 - share) * np.maximum(edge - most, 0.0)
        room = np.maximum(room * (1.0 - (1.0 - share) * straight), 1e-9)
    soft = np.minimum(length, most - room) + room * np.tanh(np.maximum(length - (most - room), 0.0) / room)
    return np.asarray(arm * (np.where(down, length, soft) / np.maximum(length, 1e-9))[:, None])


def _lift(least: Floats, down: NDArray[np.bool_], fps: float) -> Floats:
    """A smooth curve (frames,) above the heights by which a foot in the air must rise at least; 0 where it stands."""
    least = np.where(down, 0.0, least)
    if len(least) < 4 or not least.any():
        return least
    reach = max(1, round(_LIFT_S * fps))
    curve = gaussian(maximum_filter1d(least, 2 * reach + 1), fps, 0.5 * _LIFT_S, ends="held")
    away = distance_transform_edt(~down) if down.any() else np.full(len(least), np.inf)
    return np.asarray(np.maximum(curve * np.minimum(1.0, away / reach) * ~down, least))


def _within_reach(pelvis: Floats, goals: Sequence[LegGoals], ankles: Sequence[Floats], fps: float) -> Floats:
    """The shift of the pelvis (frames, 3), a little nearer to feet that stand where a leg would be too short."""
    for _ in range(_PULLS):
        pull = np.zeros_like(pelvis)
        for goal, ankle in zip(goals, ankles, strict=True):
            arm = ankle - goal.hip - pelvis
            length = np.linalg.norm(arm, axis=1)
            beyond = np.where(goal.down > 0, length - _LONGEST * (goal.upper + goal.lower), 0.0)
            pull += np.maximum(beyond / np.maximum(length, 1e-9), 0.0)[:, None] * arm
        short = np.any(pull != 0.0, axis=1)
        if not short.any():
            break
        pelvis = pelvis + lead_over(pull, short.astype(float), fps, _PULL_S)
    return pelvis


def _goals(pose: Clip, leg: Leg, track: FootCourse) -> LegGoals:
    thigh, shank = leg.bones(pose)
    asked = knee_bend(pose, leg)
    least = float(np.clip(np.percentile(asked, 2.0), *_LEAST_BEND))
    bend = least + _SOFT_BEND * np.logaddexp(0.0, (asked - least) / _SOFT_BEND)
    bend = MOST_BEND - _SOFT_BEND * np.logaddexp(0.0, (MOST_BEND - bend) / _SOFT_BEND)
    at = pose.positions()[:, leg.ankle]
    return LegGoals(
        pose.positions()[:, leg.hip],
        at,
        np.linalg.norm(thigh, axis=-1),
        np.linalg.norm(shank, axis=-1),
        track.down.astype(float),
        track.ankle,
        bend,
        bend - asked,
        _WALL * least,
        _least_rise(at, track),
    )


def _least_rise(at: Floats, track: FootCourse) -> Floats:
    """How far the ankle of a foot in the air must rise so that its sole is above the ground, toes apart, (frames,)."""
    rigid = [number for number, point in enumerate(track.points) if point.joint == track.joint]
    below = (track.goals[:, rigid] - track.ankle[:, None])[..., 1].min(axis=1)
    ground = np.minimum(track.heights, 0.0)
    return np.asarray(ground - below - at[:, 1])
