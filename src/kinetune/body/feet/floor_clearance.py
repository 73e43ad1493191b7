"""Nothing below the floor: feet, hands and the rest of the body are lifted out of it, gently.

================  =================================================================================
lift_above_floor  a clip that keeps above the floor
keep_hands_out    an edited clip whose hands are no deeper in the floor than before
keep_figure_out   an edited clip that is no deeper in the floor than before
find_depth        how deep its lowest point is, frame by frame
================  =================================================================================

A foot or a hand below the floor is lifted by its leg or arm and keeps its rotation; toes bend up by themselves. What
remains (a knee, a head, a character without limbs) lifts the whole character. Each lift follows the smoothest curve
that clears the floor, begins a moment before it is needed and ends a moment after.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.curves.clip_mixing import mix_clips
from kinetune.body.feet.floor import Floor, Ground, find_ground
from kinetune.body.feet.soles import SIDES, UP, find_foot_joints
from kinetune.body.kinematics.forward import tips
from kinetune.body.kinematics.limb_ik import nudge_limb
from kinetune.body.quality.glitches import join_start, stray_frames
from kinetune.body.root_motion import local_translations, place_joint, travelling_joint
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.bounded_curve import smoothest_between

BLEND_S = 0.1
DEEPEST_M = 0.1
"""How deep a negative clearance may let things sink in."""
_LIMBS = (("upper leg", "lower leg", "foot"), ("upper arm", "lower arm", "hand"))
_MOST_TOE_BEND = np.deg2rad(60.0)
_NOTHING = 1e-6
_RISE_S = 0.3


def lift_above_floor(
    clip: Clip,
    *,
    ground: Ground | None = None,
    floor: float | Floor | None = None,
    clearance: float = 0.0,
    lift: Literal["limbs", "figure"] = "limbs",
    blend_s: float = BLEND_S,
    strength: float = 1.0,
) -> Clip:
    """A clip in which no joint, no end site and no sole is below the floor.

    Parameters
    ----------
    ground : the floor and the soles (:func:`kinetune.body.feet.floor.find_ground`); found if omitted.
    floor : the floor alone, a height in metres or a plane. A character without feet needs it.
    clearance : metres to keep above the floor; below zero, how deep everything may sink in, as soft soles do.
    lift : "limbs" bends legs, arms and toes where that is enough; "figure" always lifts the whole character.
    blend_s : how long before and after the floor a lift sets in, in seconds, roughly.
    strength : 1 lifts all the way, 0 not at all.

    Notes
    -----
    Laws (``tests/body/feet/test_floor_clearance.py``): afterwards nothing is below the floor, to a thousandth of a
    millimetre; a clip that is above it is left as it is; feet move up and never sideways; lifts are smooth. A T-pose in
    the first frame is left alone.
    """
    numbers = {"blend_s": (blend_s, 0.0, np.inf), "strength": (strength, 0.0, 1.0)}
    for name, (value, least, most) in {**numbers, "clearance": (clearance, -DEEPEST_M, np.inf)}.items():
        if not (np.isfinite(value) and least <= value <= most):
            raise ParameterError(
                f"{name} must be a number from {least:g}" + " to 1" * (most == 1.0) + f"; got {value}."
            )
    if strength == 0.0:
        return clip
    first = stray_frames(clip)
    motion = clip[first:]
    plane, soles = _floor_of(motion, ground, floor, clearance)
    if find_depth(motion, plane, soles).max() <= _NOTHING:
        return clip
    task = _Task(plane, soles, blend_s)
    lifted = motion
    if lift == "limbs":
        lifted = task.lift_core(lifted, _core(lifted))
        for side in SIDES:
            for parts in _LIMBS:
                lifted = task.lift_limb(lifted, side, parts, _carried(lifted, side, parts, toes=False))
            lifted = task.bend_toes(lifted, side)
            lifted = task.lift_limb(lifted, side, _LIMBS[0], _carried(lifted, side, _LIMBS[0]))
    lifted = task.lift_core(lifted, range(len(clip.skeleton)))
    if strength < 1.0:
        lifted = mix_clips(motion, lifted, strength).replace(contacts=None)
    return join_start(clip, first, lifted)


def keep_hands_out(edited: Clip, before: Clip, floor: Floor) -> Clip:
    """An edited clip whose hands are no deeper in the floor than they were before the edit; arms bend for it.

    Law: hands that stay above the floor keep their bits (``tests/body/feet/test_floor_clearance.py``).
    """
    lifted = edited
    for side in SIDES:
        hand = _carried(before, side, _LIMBS[1])
        if hand and _Task(floor, None, BLEND_S).depth(edited, hand).any():
            deepest = float(_Task(floor, None, BLEND_S).depth(before, hand).max())
            lower = replace(floor, height=floor.height - deepest)
            lifted = _Task(lower, None, BLEND_S).lift_limb(lifted, side, _LIMBS[1], hand)
    return edited if lifted is edited else lifted.replace(contacts=edited.contacts)


def keep_figure_out(edited: Clip, before: Clip) -> Clip:
    """An edited clip no part of which is deeper in the floor than any was before the edit; the whole character rises.

    A body that may no longer bend as far as it did, such as one that crouches, would push its feet into the floor.
    """
    ground = find_ground(before)
    if ground is None:
        return edited
    first = stray_frames(before)
    deepest = float(find_depth(before[first:], ground.floor, ground).max())
    lower = replace(ground.floor, height=ground.floor.height - deepest)
    lifted = lift_above_floor(edited, ground=ground, floor=lower, lift="figure", blend_s=_RISE_S)
    return edited if lifted is edited else lifted.replace(contacts=edited.contacts)


def find_depth(clip: Clip, floor: Floor, soles: Ground | None = None) -> Floats:
    """How far the lowest joint, end site or sole point is below the floor, (frames,) metres; 0 where nothing is."""
    heights = [floor.above(points).min(axis=1) for points, _ in _points(clip, soles) if points.shape[1]]
    return np.asarray(np.maximum(-np.min(heights, axis=0), 0.0))


def _floor_of(
    clip: Clip, ground: Ground | None, floor: float | Floor | None, clearance: float
) -> tuple[Floor, Ground | None]:
    """The plane to keep above, and the soles, if the character has feet."""
    found_ground = find_ground(clip, floor) if ground is None else ground.on(floor)
    if found_ground is None and floor is None:
        raise ParameterError(
            'It is not known where the floor is: no joint of this skeleton is in the role "left foot" or "right foot". '
            "Say how high it is, with floor_m (floor in Python)."
        )
    plane = (
        found_ground.floor
        if found_ground is not None
        else floor
        if isinstance(floor, Floor)
        else Floor(float(floor or 0.0))
    )
    return Floor(plane.height + clearance, plane.slope, plane.centre, plane.description), found_ground


def _points(clip: Clip, soles: Ground | None) -> list[tuple[Floats, list[int]]]:
    """Everything that may touch the floor: points (frames, n, 3), and the joint that carries each."""
    body = [joint for joint in range(len(clip.skeleton)) if joint not in clip.skeleton.above_body]
    points = [(clip.positions()[:, body], body)]
    if clip.skeleton.end_sites:
        points.append((tips(clip), [site.parent for site in clip.skeleton.end_sites]))
    feet = () if soles is None else soles.feet
    return points + [(foot.positions(clip), [point.joint for point in foot.points]) for foot in feet]


def _core(clip: Clip) -> set[int]:
    """The joints that no limb can lift: all except feet and hands."""
    skeleton = clip.skeleton
    below = {joint for side in SIDES for parts in _LIMBS for joint in _carried(clip, side, parts)}
    return set(range(len(skeleton))) - below


def _carried(clip: Clip, side: str, parts: tuple[str, str, str], *, toes: bool = True) -> tuple[int, ...]:
    """What a limb lifts: its foot or hand with all that hangs on it; nothing where the limb is not known.

    toes : whether toes that bend count; they may help themselves.
    """
    joints = [clip.skeleton.roles.get(f"{side} {part}") for part in parts]
    if None in joints or joints[2] is None:
        return ()
    bends = [] if toes else [f.toes[0] for f in find_foot_joints(clip) if f.side == side and f.toes is not None]
    bent = {below for joint in bends for below in clip.skeleton.subtree(joint)}
    return tuple(joint for joint in clip.skeleton.subtree(joints[2]) if joint not in bent)


@dataclass(frozen=True)
class _Task:
    """Where the floor is, and how to keep above it."""

    floor: Floor
    soles: Ground | None
    blend_s: float

    def depth(self, clip: Clip, joints: Iterable[int]) -> Floats:
        """How deep the lowest point that these joints carry is, (frames,) metres."""
        chosen = set(joints)
        deepest = np.zeros(len(clip))
        for points, carriers in _points(clip, self.soles):
            columns = [column for column, joint in enumerate(carriers) if joint in chosen]
            if columns:
                deepest = np.maximum(deepest, -self.floor.above(points[:, columns]).min(axis=1))
        return np.where(deepest > _NOTHING, deepest, 0.0)

    def smooth(self, need: Floats, fps: float, most: float = np.inf) -> Floats:
        """The smoothest curve that is nowhere below the need."""
        return smoothest_between(np.minimum(need, most), most, fps, self.blend_s)

    def lift_core(self, clip: Clip, joints: Iterable[int]) -> Clip:
        """The whole character lifted until these joints are above the floor."""
        need = self.depth(clip, joints)
        if not need.any():
            return clip
        shift = self.smooth(need, clip.fps)[:, None] * UP
        joint = travelling_joint(clip)
        if clip.skeleton.parents[joint] >= 0:
            return place_joint(clip, joint, rot.identity(len(clip)), shift)
        translations = None
        if len(clip.skeleton.roots) > 1:
            translations = np.array(local_translations(clip))
            translations[:, list(clip.skeleton.roots)] += shift[:, None]
        return clip.replace(root=clip.root + shift, **({} if translations is None else {"translations": translations}))

    def lift_limb(self, clip: Clip, side: str, parts: tuple[str, str, str], joints: tuple[int, ...]) -> Clip:
        """A foot or a hand lifted by its limb until these joints are above the floor; it keeps its rotation."""
        need = self.depth(clip, joints)
        if not need.any():
            return clip
        upper, lower, end = (clip.skeleton.roles[f"{side} {part}"] for part in parts)
        rise = self.smooth(need, clip.fps)
        result, _ = nudge_limb(clip, upper, lower, end, clip.positions()[:, end] + rise[:, None] * UP)
        rotations = np.array(clip.rotations)  # frames without a lift keep their bits, and so do all other joints
        limb = [upper, lower, end]
        rotations[:, limb] = np.where((rise > 0.0)[:, None, None], result.rotations[:, limb], rotations[:, limb])
        return clip.replace(rotations=rotations)

    def bend_toes(self, clip: Clip, side: str) -> Clip:
        """Toes bent up where they are in the floor and their joint is not."""
        foot = next((foot for foot in find_foot_joints(clip) if foot.side == side), None)
        if foot is None or foot.toes is None or foot.tip is None:
            return clip
        joint = foot.toes[0]
        carried = set(clip.skeleton.subtree(joint))
        centre = clip.positions()[:, joint]
        ahead = _level_direction(self._tip(clip, foot.tip) - centre)
        need = np.zeros(len(clip))
        for points, carriers in _points(clip, self.soles):
            for column, carrier in enumerate(carriers):
                if carrier in carried and not np.array_equal(points[:, column], centre):
                    need = np.maximum(need, self._bend(centre, points[:, column], ahead))
        if not need.any():
            return clip
        bend = self.smooth(need, clip.fps, _MOST_TOE_BEND)
        world = clip.world_rotations()
        turned = rot.multiply(rot.exp(_raise_by(ahead, bend)), world[:, joint])
        above = world[:, clip.skeleton.parents[joint]]
        rotations = np.array(clip.rotations)
        bent = rot.normalize(rot.multiply(rot.inverse(above), turned))
        rotations[:, joint] = np.where((bend > 0.0)[:, None], bent, rotations[:, joint])
        return clip.replace(rotations=rotations)

    def _tip(self, clip: Clip, tip: tuple[int, Floats]) -> Floats:
        carrier, offset = tip
        return clip.positions()[:, carrier] + rot.rotate(clip.world_rotations()[:, carrier], offset)

    def _bend(self, centre: Floats, point: Floats, ahead: Floats) -> Floats:
        """How far a point must rotate up about a centre to come out of the floor, (frames,) radians.

        At distance r ahead and height h of the centre, it is at ``h cos b + r sin b`` after a rotation by b.
        """
        arm = point - centre
        reach, height = np.sum(arm * ahead, axis=-1), arm[:, 1]
        target = self.floor.under(point) - centre[:, 1]
        length = np.maximum(np.hypot(reach, height), 1e-12)
        bend = np.arcsin(np.clip(target / length, -1.0, 1.0)) - np.arctan2(height, reach)
        sunk = (height < target - _NOTHING) & (reach > 0.0)
        return np.where(sunk, np.clip(bend, 0.0, _MOST_TOE_BEND), 0.0)


def _raise_by(along: Floats, radians: ArrayLike) -> Floats:
    """Rotation vectors (frames, 3) that raise directions (frames, 3) by angles, about level axes."""
    return np.asarray(np.cross(_level_direction(along), UP) * np.broadcast_to(radians, len(along))[:, None])


def _level_direction(along: Floats) -> Floats:
    """Unit vectors (frames, 3): directions without their rise; 0 for one that is upright."""
    level = along * np.array([1.0, 0.0, 1.0])
    return np.asarray(level / np.maximum(np.linalg.norm(level, axis=-1, keepdims=True), 1e-9))
