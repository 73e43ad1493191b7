"""Stage two for characters: pelvis and legs over the whole clip at once, so that feet stand on their footprints.

Where pelvis and ankles go is one least-squares problem over all frames (:mod:`kinetune.body.feet.leg_solver`): feet
that stand are held, swings are led smoothly from stance to stance, knees keep the angles of the source and neither pop
nor bend backward, soles in the air keep above the floor, and the pelvis gives way a little.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt, maximum_filter1d

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.leg_solver import MOST_BEND, LegGoals, LegWeights, solve_legs
from kinetune.body.feet.soles import UP
from kinetune.body.feet.stance_states import HUMAN_LEG_M
from kinetune.body.feet.standing_foot import ease, lead_over
from kinetune.body.kinematics.knees import Leg, knee_bend, pose_leg
from kinetune.body.root_motion import shift_joint, travelling_joint
from kinetune.retarget.footprints import FootCourse, bent_tip, toes_above_ground, turned_course
from kinetune.retarget.joint_ranges import JointRanges, turned_joint
from kinetune.retarget.physique import LEG
from kinetune.retarget.transfer import Transfer
from kinetune.rotations import Floats
from kinetune.signals.filters import gaussian
from kinetune.trajectory.one_sided import stay_within

_LEAST_BEND = np.deg2rad([1.5, 5.0])
_SOFT_BEND = np.deg2rad(2.0)
_WALL = 0.7
_KNEE = 2.0  # less than for planting: directions of limbs count more than angles of knees
_STAY = 4.0  # more than for planting: where the pelvis goes, the whole body goes
_LIFT_S = 0.04
_SOFT_REACH = (0.985, 0.9975)  # of a straight leg, between which a leg in the air is drawn in
_SOFTEN_S = 0.15
_LONGEST, _PULLS, _PULL_S = 0.9995, 4, 0.1
_HINGE_SHARE = (0.15, 1e3)  # as poses bend knees, and about their hinges alone
_BACKWARD, _SLIGHT = 2.0, np.deg2rad(1.0)  # times as far backward as forward; and beyond a range
_ACROSS = np.array([1.0, 0.0, 0.0])
_LEVEL = np.cos(np.deg2rad(10.0))
_REFITS, _SWIVELS, _ABOUT = 3, 3, 1  # rounds, and the axis along a leg


def fit_legs(pose: Clip, transfer: Transfer, ranges: JointRanges) -> Clip:
    """The pose of stage one with its feet on their footprints.

    Parameters
    ----------
    pose : Clip
        The target in the pose of stage one.
    transfer : Transfer
        What stage one says.
    ranges : JointRanges
        How far hips and ankles may rotate.

    Notes
    -----
    An ankle beyond its range is brought back by what is free there: by a foot in the air or on one end of its sole,
    and over a flat foot by the leg, which can still turn about the line from hip to ankle, and by the pelvis.
    """
    legs = [transfer.target.limb(course.side, LEG) for course in transfer.feet]
    as_seen = [_as_bent(pose, leg) for leg in legs]
    tries = (
        [(legs, False), (legs, True)] if all(map(operator.is_, legs, as_seen)) else [(as_seen, False), (legs, False)]
    )
    least, best = np.inf, pose
    for chosen, hinges in tries:
        fitted = _within_ranges(pose, transfer, chosen, ranges, hinges)
        excess = max(float(_excess(fitted, leg.knee, ranges).max()) for leg in legs)
        if excess < least:
            least, best = excess, fitted
        if excess <= _SLIGHT:
            break
    return best


def _within_ranges(pose: Clip, transfer: Transfer, legs: Sequence[Leg], ranges: JointRanges, hinges: bool) -> Clip:
    """The pose with feet on their footprints and hips, ankles and toes within their ranges.

    hinges : whether knees flex about their hinges, also of legs that the source bends sideways.
    """
    joint = travelling_joint(pose)
    for leg in legs:
        _let_ankle_take_up(pose, leg, ranges)
    courses = tuple(_on_bent_toes(course, ranges) for course in transfer.feet)
    fitted = _fitted(pose, transfer, courses, legs, ranges, hinges)
    for _ in range(_REFITS):
        within = tuple(_within_range(fitted, course, ranges) for course in courses)
        pull = np.sum([_off_the_toes(fitted, *each, ranges) for each in zip(legs, courses, strict=True)], axis=0)
        if not pull.any() and all(new is old for new, old in zip(within, courses, strict=True)):
            break
        pose = shift_joint(pose, joint, pull)
        refitted = _fitted(pose, transfer, within, legs, ranges, hinges)
        before, after = (sum(_excess(each, leg.ankle, ranges).sum() for leg in legs) for each in (fitted, refitted))
        if after >= before:
            break
        courses, fitted = within, refitted
    for leg, course in zip(legs, courses, strict=True):
        fitted = ranges.kept(_swivelled(fitted, leg, course, ranges), [leg.hip], held=course.down)
        if course.toes is not None:
            fitted = ranges.kept(fitted, [course.toes])
    return fitted


def _on_bent_toes(course: FootCourse, ranges: JointRanges) -> FootCourse:
    """The course of a foot that rises over its ball no farther than its toes bend."""
    part = None if course.toes is None else ranges.of(course.toes)
    if part is None or course.toe_rotation is None:
        return course
    axes = ranges.target.axes
    frame = rot.multiply(course.rotation, axes[course.joint])
    turns = rot.multiply(rot.inverse(frame), rot.multiply(course.toe_rotation, axes[part.joint]))
    bend = part.limit.read(turns)[:, 0]
    level = course.flat & (rot.rotate(frame, UP)[:, 1] > _LEVEL)
    lying = min(0.0, float(np.median(bend[level]))) if level.any() else 0.0
    if lying < 0.0:  # toes of this build are bent where they lie flat: they extend from there
        ranges.widen(part.joint, rot.from_axis_angle(_ACROSS, np.array([part.limit.ranges[0][0] + lying])))
    on_ball, least = course.down & ~course.standing[:, 0], _most_extended(course, ranges)
    bend = np.where(on_ball, bend, np.maximum(bend, least))
    beyond = bend - stay_within(bend, least, np.inf, ranges.smooth, course.down & ~on_ball)
    if not beyond.any():
        return course
    turned = rot.multiply(frame, rot.from_axis_angle(_ACROSS, beyond))
    return turned_course(course, rot.multiply(turned, rot.inverse(axes[course.joint])))


def _most_extended(course: FootCourse, ranges: JointRanges) -> float:
    """How far toes bend upwards, negative radians."""
    part = None if course.toes is None else ranges.of(course.toes)
    return -np.inf if part is None else part.limit.ranges[0][0]


def _let_ankle_take_up(pose: Clip, leg: Leg, ranges: JointRanges) -> None:
    """Widen the range of an ankle by the angle of a knee that the source bends backward and that is straight here."""
    world, axes = pose.world_rotations()[knee_bend(pose, leg) < 0.0], ranges.target.axes
    thigh, foot = (rot.multiply(world[:, joint], axes[joint]) for joint in (leg.hip, leg.ankle))
    ranges.widen(leg.ankle, rot.multiply(rot.inverse(thigh), foot))


def _excess(pose: Clip, joint: int, ranges: JointRanges) -> Floats:
    """How far a joint is beyond its range, (frames,) radians."""
    part_and_turns = ranges.beyond(joint, pose.world_rotations())
    if part_and_turns is None:
        return np.zeros(len(pose))
    part, turns = part_and_turns
    excess: Floats = np.abs(turns - part.cut(turns)).max(axis=1)
    return excess


def _within_range(pose: Clip, course: FootCourse, ranges: JointRanges) -> FootCourse:
    """The course of a foot that stays within the range of its ankle where it is in the air, or on one end."""
    world = pose.world_rotations()
    part_and_turns = ranges.beyond(course.joint, world)
    if part_and_turns is None or course.flat.all():
        return course
    turned = ranges.within(*part_and_turns, world, course.flat)
    return turned_course(course, np.where(course.flat[:, None], course.rotation, turned))


def _off_the_toes(pose: Clip, leg: Leg, course: FootCourse, ranges: JointRanges) -> Floats:
    """How far the pelvis must move, (frames, 3), for a shank that leans too far over a flat foot."""
    world = pose.world_rotations()
    part_and_turns = ranges.beyond(leg.ankle, world)
    if part_and_turns is None:
        return np.zeros((len(pose), 3))
    part, turns = part_and_turns
    turns = np.where(course.flat[:, None], turns, part.cut(turns))
    lean = (turns - part.followed(turns, ranges.smooth)) * [1.0, 0.0, 1.0]
    shank = rot.multiply(world[:, leg.knee], ranges.target.axes[leg.knee])
    return np.asarray(np.cross(rot.rotate(shank, lean), -leg.bones(pose)[1]))


def _swivelled(pose: Clip, leg: Leg, course: FootCourse, ranges: JointRanges) -> Clip:
    """The pose with a leg turned about the line from hip to ankle where its foot stands beyond the ankle's range."""
    for _ in range(_SWIVELS):
        world = pose.world_rotations()
        part_and_turns = ranges.beyond(leg.ankle, world)
        if part_and_turns is None:
            break
        part, turns = part_and_turns
        ends = part.limit.ranges[_ABOUT]
        asked = np.where(course.flat, turns[:, _ABOUT], np.clip(turns[:, _ABOUT], *ends))
        swivel = asked - stay_within(asked, *ends, ranges.smooth)
        if not swivel.any():
            break
        at = pose.positions()
        line = at[:, leg.hip] - at[:, leg.ankle]
        line = line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-12)
        pose = turned_joint(pose, leg.hip, rot.multiply(rot.from_axis_angle(line, swivel), world[:, leg.hip]))
        pose = turned_joint(pose, leg.ankle, world[:, leg.ankle])
    return pose


def _as_bent(pose: Clip, leg: Leg) -> Leg:
    """The leg with a knee that bends backward, if the source bends it so and hardly ever forward."""
    bend = knee_bend(pose, leg)
    return replace(leg, hinge=-leg.hinge) if -bend.min() > _BACKWARD * max(0.0, float(bend.max())) else leg


def _most_bend(leg: Leg, ranges: JointRanges) -> float:
    """How far a knee bends at most, the way that it does."""
    part = ranges.of(leg.knee)
    if part is None:
        return MOST_BEND
    least, most = part.limit.ranges[0]
    forward = rot.rotate(ranges.target.axes[leg.hip], _ACROSS) @ leg.hinge > 0.0
    return max(most, MOST_BEND) if forward else -least


def _fitted(
    pose: Clip, transfer: Transfer, tracks: Sequence[FootCourse], legs: Sequence[Leg], ranges: JointRanges, hinges: bool
) -> Clip:
    size = transfer.target.leg / HUMAN_LEG_M
    joint = travelling_joint(pose)
    pose = shift_joint(pose, joint, _usual_rise(pose, tracks))
    weights = LegWeights(knee=_KNEE, swing_knee=_KNEE, stay=_STAY)
    goals = [_goals(pose, leg, track, ranges) for leg, track in zip(legs, tracks, strict=True)]
    shifts = solve_legs(goals, pose.fps, size, weights=weights, pinned=True, exact=True)
    ankles = []
    for number, (track, goal) in enumerate(zip(tracks, goals, strict=True)):
        shift = shifts[:, 3 + 3 * number : 6 + 3 * number]
        shift = shift + lead_over(goal.path - goal.ankle - shift, goal.down, pose.fps, weights.foot_smooth_s)
        shift = np.where(track.down[:, None], goal.path - goal.ankle, shift)
        shift[:, 1] += _lift(np.maximum(goal.rise - shift[:, 1], 0.0), track.down, pose.fps)
        ankles.append(goal.ankle + shift)
    folded = [_length(goal, min(_most_bend(leg, ranges), np.pi)) for leg, goal in zip(legs, goals, strict=True)]
    pelvis = _within_reach(shifts[:, :3], goals, ankles, folded, pose.fps)
    rotations = np.array(pose.rotations)
    for leg, track, goal, ankle in zip(legs, tracks, goals, ankles, strict=True):
        arm = _unlocked(ankle - goal.hip - pelvis, goal, pose.fps)
        pose_leg(pose, leg, arm, track.rotation, rotations, hinge_share=_HINGE_SHARE[hinges])
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
    asked = _length(goal, goal.bend)
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


def _length(goal: LegGoals, bend: Floats | float) -> Floats:
    """From hip to ankle of a leg bent by an angle, (frames,)."""
    return np.sqrt(goal.upper**2 + goal.lower**2 + 2.0 * goal.upper * goal.lower * np.cos(bend))


def _lift(least: Floats, down: NDArray[np.bool_], fps: float) -> Floats:
    """A smooth curve (frames,) above the heights by which a foot in the air must rise at least; 0 where it stands."""
    least = np.where(down, 0.0, least)
    if len(least) < 4 or not least.any():
        return least
    reach = max(1, round(_LIFT_S * fps))
    curve = gaussian(maximum_filter1d(least, 2 * reach + 1), fps, 0.5 * _LIFT_S, ends="held")
    away = distance_transform_edt(~down) if down.any() else np.full(len(least), np.inf)
    return np.asarray(np.maximum(curve * np.minimum(1.0, away / reach) * ~down, least))


def _within_reach(
    pelvis: Floats, goals: Sequence[LegGoals], ankles: Sequence[Floats], folded: Sequence[Floats], fps: float
) -> Floats:
    """The shift of the pelvis (frames, 3), a little nearer to feet that stand where a leg would be too short.

    Where it would be shorter than ``folded``, with a knee bent beyond its range, the pelvis gives way.
    """
    for _ in range(_PULLS):
        pull = np.zeros_like(pelvis)
        for goal, ankle, least in zip(goals, ankles, folded, strict=True):
            arm = ankle - goal.hip - pelvis
            length = np.linalg.norm(arm, axis=1)
            beyond = length - np.clip(length, least, _LONGEST * (goal.upper + goal.lower))
            pull += np.where(goal.down > 0, beyond / np.maximum(length, 1e-9), 0.0)[:, None] * arm
        short = np.any(pull != 0.0, axis=1)
        if not short.any():
            break
        pelvis = pelvis + lead_over(pull, short.astype(float), fps, _PULL_S)
    return pelvis


def _goals(pose: Clip, leg: Leg, track: FootCourse, ranges: JointRanges) -> LegGoals:
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
        _least_rise(at, track, ranges),
    )


def _least_rise(at: Floats, track: FootCourse, ranges: JointRanges) -> Floats:
    """How far the ankle of a foot in the air must rise, (frames,): its sole, with toes bent up, stays above ground."""
    rigid = [number for number, point in enumerate(track.points) if point.joint == track.joint]
    below = (track.goals[:, rigid] - track.ankle[:, None])[..., 1].min(axis=1)
    tip = bent_tip(ranges.target, track, _most_extended(track, ranges))
    below = below if tip is None else np.minimum(below, tip[:, 1])
    ground = np.minimum(track.heights, 0.0)
    return np.asarray(ground - below - at[:, 1])
