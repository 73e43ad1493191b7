"""Reading the pose of an armature over some frames, and writing it into a new action.

===============  =================================================================================
read_motion      what the armature does from frame to frame, as a :class:`Reading`
write_action     a new action with an edited motion; the original stays as it is
fits             what does not fit, as messages: drivers, linked data, nothing animated
===============  =================================================================================

Where F-curves alone move the bones they are read directly. Where constraints, drivers or the NLA do, the evaluated pose
of each frame is read; the result is written to the bones' channels (FK), and constraints on them are muted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np

from .border import rotation_modes
from .border.bezier_keys import BezierKeys, fit_keys
from .border.bone_space import Bone, Channels, Pose, Rig, pose_of, unscaled
from .border.motions import Motion, channels_of, motion_of, stretched
from .border.rotation_modes import Floats

_BAKED, _SPARSE = 1, 2  # linear and Bezier, as F-curves number their interpolation
_FREE = 0  # the same for handles
_SHARE = 0.25  # of the tolerance of a motion with few keys, for each bone


class ArmatureError(Exception):
    """Why an armature cannot be edited, as a message for the user."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What an armature does.

    frames : (frames,) of the scene, whole numbers.
    curves : the values (frames, n) of each rotation and location that is keyed, by data path.
    evaluated : whether more than F-curves moves the bones.
    """

    rig: Rig
    frames: Floats
    fps: float
    channels: Channels
    pose: Pose
    motion: Motion
    curves: dict[str, Floats]
    evaluated: bool


def read_motion(
    owner: Any, scene: Any, frames: tuple[int, int] | None = None, *, action: Any = None, bones: str = "ALL"
) -> Reading:
    """What an armature does between two frames, both included; by default as long as its action lasts.

    Parameters
    ----------
    action : another action that fits the armature, read in place of its own; only F-curves count then.
    bones : "ALL", or "DEFORM" for those that move a mesh.
    """
    _check(owner)
    animation = owner.animation_data
    source = action or (animation.action if animation else None)
    if frames is None:
        frames = frame_range(source) if source else (scene.frame_start, scene.frame_end)
    numbers = np.arange(frames[0], frames[1] + 1, dtype=float)
    rig = read_rig(owner, scene, bones)
    curves = _curves_of(source, slot_of(owner, source) if source else None)
    values = {path: _sampled(parts, numbers) for path, parts in curves.items()}
    channels = _channels(owner, rig, values, len(numbers))
    evaluated = action is None and _bones_need_evaluation(owner)
    if evaluated or (action is None and _object_moves(owner, curves)):
        shown, world = evaluated_pose(owner, rig, scene, numbers)
        rig = replace(rig, world=world)
        pose = shown if evaluated else pose_of(rig, channels)
    else:
        pose = pose_of(rig, channels)
    fps = scene.render.fps / scene.render.fps_base
    return Reading(rig, numbers, fps, channels, pose, motion_of(rig, pose, fps), values, evaluated)


def read_rig(owner: Any, scene: Any, bones: str = "ALL") -> Rig:
    """The armature of an object."""
    listed = _parents_first(owner.pose.bones)
    places = {bone.name: number for number, bone in enumerate(listed)}
    parts = tuple(
        Bone(
            name=each.name,
            parent=places[each.parent.name] if each.parent else -1,
            rest=_rigid(each.bone.matrix_local),
            mode=each.rotation_mode,
            length=each.bone.length,
            inherit_rotation=each.bone.use_inherit_rotation,
            inherit_scale=each.bone.inherit_scale,
            local_location=each.bone.use_local_location,
            connected=each.bone.use_connect,
        )
        for each in listed
    )
    joints = tuple(n for n, each in enumerate(listed) if bones != "DEFORM" or each.bone.use_deform)
    if not joints:
        raise ArmatureError(f"No bone of {owner.name} deforms a mesh. Choose all bones instead.")
    world = np.array(owner.matrix_world)
    return Rig(parts, world, scene.unit_settings.scale_length or 1.0, joints)


def frame_range(action: Any) -> tuple[int, int]:
    """The first and the last whole frame of an action."""
    first, last = action.frame_range
    return int(np.floor(first + 1e-4)), max(int(np.ceil(last - 1e-4)), int(np.floor(first + 1e-4)))


def slot_of(owner: Any, action: Any) -> Any:
    """The slot of an action that an object uses, or would use."""
    animation = owner.animation_data
    if animation and animation.action == action and animation.action_slot:
        return animation.action_slot
    fitting = [slot for slot in action.slots if slot.target_id_type in ("OBJECT", "UNSPECIFIED")]
    named = [slot for slot in fitting if slot.name_display == owner.name]
    return (named or fitting or [None])[0]


def channelbag_of(action: Any, slot: Any) -> Any:
    """Where the F-curves of a slot are, or None."""
    if slot is None:
        return None
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot)
            if bag is not None:
                return bag
    return None


def write_action(
    owner: Any, reading: Reading, motion: Motion, name: str, *, only: Iterable[str] | None = None, sparse: bool = False
) -> Any:
    """A new action with an edited motion, which the armature then plays; the original stays as it is.

    Parameters
    ----------
    only : the names of bones to change; by default all that take part.
    sparse : whether a motion that knows its keys gets these only, as Bezier curves.
    """
    original = owner.animation_data.action if owner.animation_data else None
    slot = slot_of(owner, original) if original else None
    if original is not None:
        action = original.copy()
        action.name = name
        slot = action.slots[slot.identifier] if slot is not None else action.slots.new("OBJECT", owner.name)
    else:
        action = bpy.data.actions.new(name)
        slot = action.slots.new("OBJECT", owner.name)
    action.use_fake_user = original is not None and original.use_fake_user
    if original is not None:
        original.use_fake_user = True  # it has no user any more, and must outlive the file
    fill_action(action, slot, reading, motion, only=only, sparse=sparse)
    animation = owner.animation_data or owner.animation_data_create()
    animation.action = action
    animation.action_slot = slot
    if reading.evaluated:
        mute_constraints(owner, reading.rig, only)
    return action


def fill_action(
    action: Any, slot: Any, reading: Reading, motion: Motion, *, only: Iterable[str] | None = None, sparse: bool = False
) -> None:
    """Write the channels of a motion into an action, replacing the curves of the bones that take part."""
    bag = _channelbag(action, slot)
    curves = {(curve.data_path, curve.array_index): curve for curve in bag.fcurves}
    frames = reading.frames[0] + np.arange(len(motion["rotations"]))
    chosen = None if only is None else set(only)
    for path, bone, values, keys in channels_to_write(reading, motion, sparse=sparse):
        if chosen is not None and bone not in chosen:
            continue
        for index in range(values.shape[1]):
            curve = curves.get((path, index)) or bag.fcurves.new(path, index=index, group_name=bone)
            if keys is None:
                set_keys(curve, frames, values[:, index])
            else:
                _set_bezier(curve, frames[0], keys, index)


def fill_rows(action: Any, slot: Any, reading: Reading, motion: Motion, frames: Floats) -> None:
    """Write some frames, those of the reading, into curves that have a key at every one of ``frames``."""
    bag = channelbag_of(action, slot)
    curves = {(curve.data_path, curve.array_index): curve for curve in bag.fcurves}
    first, count = int(reading.frames[0] - frames[0]), len(reading.frames)
    for path, _, values, _ in channels_to_write(reading, motion):
        for index in range(values.shape[1]):
            points = curves[path, index].keyframe_points
            if count == len(frames):
                points.foreach_set("co", np.stack([frames, values[:, index]], axis=1).astype(np.float32).ravel())
                continue
            for point, frame, value in zip(  # most keys are out of view: these one by one are quicker
                points[first : first + count], reading.frames.tolist(), values[:, index].tolist(), strict=True
            ):
                point.co = (frame, value)


def channels_to_write(
    reading: Reading, motion: Motion, *, sparse: bool = False
) -> Iterator[tuple[str, str, Floats, BezierKeys | None]]:
    """Data path, bone, values (frames, n) and few keys, where asked for, of all that an edited motion changes."""
    count = len(motion["rotations"])
    before, pose = stretched(reading.channels, reading.pose, count)
    channels, moved = channels_of(reading.rig, motion, before, pose)
    same = count == len(reading.frames) and not reading.evaluated
    keys = motion.get("keys") if sparse else None
    joints = list(reading.rig.joints)
    bones = [reading.rig.bones[number] for number in joints]
    bases = [f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"]' for bone in bones]
    paths = [f"{base}.{rotation_modes.path(bone.mode)[0]}" for base, bone in zip(bases, bones, strict=True)]
    known = [_complete(reading.curves.get(path)) if same else None for path in paths]
    modes = [bone.mode for bone in bones]
    turned = rotation_modes.many_channels(channels.rotation[:, joints], modes, known, before.rotation[:, joints])
    for joint, number in enumerate(joints):
        bone, base, path, values = bones[joint], bases[joint], paths[joint], turned[joint]
        few = None if keys is None else _few_turns(reading.rig, number, values, keys, joint)
        yield path, bone.name, values, few
        if moved[joint] and not bone.connected:
            places = channels.location[:, number]
            yield f"{base}.location", bone.name, places, None if keys is None else _few_places(places, keys, joint)


def _complete(values: Floats | None) -> Floats | None:
    """The values of channels that all have curves; None for others."""
    return None if values is None or np.isnan(values).any() else values


def _few_turns(rig: Rig, number: int, values: Floats, keys: Motion, joint: int) -> BezierKeys:
    """Keys for a rotation, so that nothing that hangs on the bone is too far off."""
    mode, reach = rig.bones[number].mode, rig.reach(number)
    exact = rotation_modes.quaternions(values, mode)

    def error(played: Floats) -> Floats:
        dots = np.abs(np.einsum("fk,fk->f", rotation_modes.quaternions(played, mode), exact))
        return np.asarray(2.0 * np.arccos(np.minimum(dots, 1.0)) * reach)

    return fit_keys(values, keys["rotations"][joint], error, _SHARE * keys["tolerance"] / rig.metres)


def _few_places(places: Floats, keys: Motion, joint: int) -> BezierKeys:
    """Keys for a location."""

    def error(played: Floats) -> Floats:
        return np.asarray(np.linalg.norm(played - places, axis=1))

    return fit_keys(places, keys["translations"].get(str(joint), ()), error, _SHARE * keys["tolerance"])


def mute_constraints(owner: Any, rig: Rig, only: Iterable[str] | None = None) -> int:
    """Mute the constraints of bones that were written, so that their keys show; how many were muted."""
    chosen = {rig.bones[number].name for number in rig.joints} if only is None else set(only)
    muted = 0
    for bone in owner.pose.bones:
        for constraint in bone.constraints if bone.name in chosen else ():
            if not constraint.mute:
                constraint.mute = True
                muted += 1
    return muted


def refresh(owner: Any) -> None:
    """Let the armature show its action as it is now."""
    owner.animation_data.action.update_tag()
    owner.update_tag(refresh={"OBJECT", "DATA", "TIME"})


def _check(owner: Any) -> None:
    bpy.context.view_layer.update()  # a new object has its pose, and its place, only then
    if owner is None or owner.type != "ARMATURE":
        raise ArmatureError("Select an armature first.")
    if owner.library is not None and owner.override_library is None:
        raise ArmatureError(
            f"{owner.name} is linked from {owner.library.filepath} and cannot be changed here. Make a library override "
            "first (Object > Relations > Make Library Override)."
        )
    if not owner.pose or not owner.pose.bones:
        raise ArmatureError(f"{owner.name} has no bones.")


def _parents_first(bones: Iterable[Any]) -> list[Any]:
    ordered: list[Any] = []

    def visit(bone: Any) -> None:
        ordered.append(bone)
        for child in bone.children:
            visit(child)

    for bone in bones:
        if bone.parent is None:
            visit(bone)
    return ordered


def _rigid(matrix: Any) -> Floats:
    """A rest matrix without the rounding of single precision in its axes."""
    exact = np.array(matrix, dtype=float)
    exact[:3, :3] = unscaled(exact[:3, :3])
    return exact


def _graph() -> Any:
    return bpy.context.evaluated_depsgraph_get()


def _object_moves(owner: Any, curves: dict[str, dict[int, Any]]) -> bool:
    """Whether the object itself may move."""
    if owner.parent is not None or any(not each.mute for each in owner.constraints):
        return True
    return any(not path.startswith("pose.") for path in curves)


def _bones_need_evaluation(owner: Any) -> bool:
    """Whether more than F-curves moves the bones."""
    animation = owner.animation_data
    if any(not each.mute and each.influence > 0 for bone in owner.pose.bones for each in bone.constraints):
        return True
    if animation is None:
        return False
    if len(animation.drivers) or animation.action_influence < 1.0 or animation.action_blend_type != "REPLACE":
        return True
    return animation.use_nla and any(not track.mute and len(track.strips) for track in animation.nla_tracks)


def _curves_of(action: Any, slot: Any) -> dict[str, dict[int, Any]]:
    bag = channelbag_of(action, slot) if action is not None else None
    listed: dict[str, dict[int, Any]] = {}
    for curve in bag.fcurves if bag is not None else ():
        if not curve.mute:
            listed.setdefault(curve.data_path, {})[curve.array_index] = curve
    return listed


_WIDTHS = {"rotation_quaternion": 4, "rotation_axis_angle": 4}


def _sampled(parts: dict[int, Any], frames: Floats) -> Floats:
    """The values (frames, n) of the F-curves of one property; NaN where it has no curve."""
    path = next(iter(parts.values())).data_path
    width = max(_WIDTHS.get(path.rpartition(".")[2], 3), *(index + 1 for index in parts))
    values = np.full((len(frames), width), np.nan)
    for index, curve in parts.items():
        values[:, index] = _sample(curve, frames)
    return values


def _sample(curve: Any, frames: Floats) -> Floats:
    count = len(curve.keyframe_points)
    if count and not len(curve.modifiers):
        points = np.empty(2 * count, dtype=np.float32)
        curve.keyframe_points.foreach_get("co", points)
        when, what = points[::2].astype(float), points[1::2].astype(float)
        at = np.clip(np.searchsorted(when, frames - 1e-3), 0, count - 1)
        if np.abs(when[at] - frames).max() < 1e-3:
            return what[at]
    return np.array([curve.evaluate(frame) for frame in frames])


def _channels(owner: Any, rig: Rig, values: dict[str, Floats], count: int) -> Channels:
    """Location, rotation and scale of every bone: from F-curves, or as they stand where there are none."""
    bones = len(rig.bones)
    location, scale = np.zeros((count, bones, 3)), np.ones((count, bones, 3))
    rotation = np.zeros((count, bones, 4))
    for number, bone in enumerate(rig.bones):
        posed = owner.pose.bones[bone.name]
        base = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"]'
        title, _ = rotation_modes.path(bone.mode)
        turned = _filled(values.get(f"{base}.{title}"), getattr(posed, title), count)
        rotation[:, number] = rotation_modes.quaternions(turned, bone.mode)
        location[:, number] = _filled(values.get(f"{base}.location"), posed.location, count)
        scale[:, number] = _filled(values.get(f"{base}.scale"), posed.scale, count)
    return Channels(location, rotation, scale)


def _filled(values: Floats | None, standing: Sequence[float], count: int) -> Floats:
    still = np.broadcast_to(np.array(standing, dtype=float), (count, len(standing)))
    return still if values is None else np.where(np.isnan(values), still, values)


def evaluated_pose(owner: Any, rig: Rig, scene: Any, frames: Floats) -> tuple[Pose, Floats]:
    """The pose of each frame as Blender shows it, and where the object is: (4, 4), or (frames, 4, 4) where it moves.

    The scene is put back to the frame where it was.
    """
    here, part = scene.frame_current, scene.frame_subframe
    matrices, world = np.empty((len(frames), len(rig.bones), 4, 4)), np.empty((len(frames), 4, 4))
    names = [bone.name for bone in rig.bones]
    try:
        for row, frame in enumerate(frames):
            scene.frame_set(int(frame))
            shown = owner.evaluated_get(_graph())
            world[row], posed = shown.matrix_world, shown.pose.bones
            for number, name in enumerate(names):
                matrices[row, number] = posed[name].matrix
    finally:
        scene.frame_set(here, subframe=part)
    still = bool(np.abs(world - world[0]).max() < 1e-6)
    return Pose(matrices[..., :3, :3], matrices[..., :3, 3]), world[0] if still else world


def standing_motion(owner: Any, reading: Reading) -> Motion:
    """The pose that an armature is in now, keyed or not, as a motion of one frame."""
    channels = _channels(owner, reading.rig, {}, 1)
    world = reading.rig.world
    rig = reading.rig if world.ndim == 2 else replace(reading.rig, world=np.array(owner.matrix_world))
    return motion_of(rig, pose_of(rig, channels), reading.fps)


def _channelbag(action: Any, slot: Any) -> Any:
    bag = channelbag_of(action, slot)
    if bag is not None:
        return bag
    layer = action.layers[0] if len(action.layers) else action.layers.new("Layer")
    strip = layer.strips[0] if len(layer.strips) else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)


def set_keys(curve: Any, frames: Floats, values: Floats) -> None:
    """Give a curve a key at every frame, joined by straight lines."""
    points = curve.keyframe_points
    if len(points) != len(frames):
        points.clear()
        points.add(len(frames))
    both = np.empty(2 * len(frames), dtype=np.float32)
    both[::2], both[1::2] = frames, values
    points.foreach_set("co", both)
    points.foreach_set("interpolation", np.full(len(frames), _BAKED, dtype=np.int32))
    curve.update()


def _set_bezier(curve: Any, first: float, keys: BezierKeys, index: int) -> None:
    """Give a curve few keys with handles."""
    points, count = curve.keyframe_points, len(keys.rows)
    points.clear()
    points.add(count)
    co = np.stack([first + keys.rows, keys.values[:, index]], axis=1)
    left, right = (co + each[:, [0, 1 + index]] for each in keys.handles())
    points.foreach_set("interpolation", np.full(count, _SPARSE, dtype=np.int32))
    for side in ("left", "right"):
        points.foreach_set(f"handle_{side}_type", np.full(count, _FREE, dtype=np.int32))
    for title, values in (("co", co), ("handle_left", left), ("handle_right", right)):
        points.foreach_set(title, values.astype(np.float32).ravel())
    curve.update()
