"""Operators that take something from the scene: keys, the cursor, a curve, another armature, a file."""

from __future__ import annotations

import json
from typing import Any

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty

from . import actions, live, tasks
from .actions import ArmatureError, Reading
from .border.motions import on_y_up
from .border.rotation_modes import Floats, inverse, multiply
from .generated import OperationOperator, catalogue, make_operator
from .tasks import PROBLEMS, Edit, EditOperator, engine, show_messages

_SHOWN = 40
_PATH_POINTS = 200


class KINETUNE_OT_faders(bpy.types.Operator):
    """Give the armature faders, one for each band of frequencies, and a new action for what they do"""

    bl_idname = "kinetune.faders"
    bl_label = "Start Faders"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    @classmethod
    def poll(cls, context: Any) -> bool:
        return EditOperator.poll.__func__(cls, context)

    def execute(self, context: Any) -> set[str]:
        try:
            live.start(context.object, context.scene)
        except PROBLEMS as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class KINETUNE_OT_displace_keys(EditOperator, bpy.types.Operator):
    """Spread what was changed at the selected keys smoothly over the frames around them.
    Without selected keys, the pose that the armature is in now counts as the change"""

    bl_idname = "kinetune.displace_keys"
    bl_label = "Displace from Selected Keys"
    falloff_s: FloatProperty(
        name="Falloff (s)",
        description="How far from a key its influence ends; 0 spreads it to the next key",
        default=0.5,
        min=0.0,
    )
    keep_feet: BoolProperty(name="Keep feet", description="Keep feet that stand where they stand", default=True)

    def edit(self, context: Any) -> Edit:
        """A displacement by what the keys, or the pose, have changed."""
        owner, scene = context.object, context.scene
        action = _action_of(owner)
        base, changed = _without_selected_keys(owner, scene, action)
        if base is not None:
            keys = _changes(base, read_now(owner, scene), changed)
        else:
            base = read_now(owner, scene)
            keys = _posed_change(owner, scene, base)
        if not keys:
            raise ArmatureError("Nothing has changed: select keys that were moved, or pose some bones first.")
        step = {"op": "displace", "keys": keys, "falloff_s": self.falloff_s or None, "keep_feet": self.keep_feet}
        return Edit(owner, "Displace", [step], source=base, keeps_stance=True)


def read_now(owner: Any, scene: Any) -> Reading:
    """The motion of an armature with the bones that the settings name."""
    return actions.read_motion(owner, scene, bones=scene.kinetune.bones)


def _action_of(owner: Any) -> Any:
    animation = owner.animation_data
    if animation is None or animation.action is None:
        raise ArmatureError(f"{owner.name} has no action.")
    return animation.action


def _without_selected_keys(owner: Any, scene: Any, action: Any) -> tuple[Reading | None, dict[str, set[int]]]:
    """The motion as it would be without the selected keys, and the frames that they change, by data path."""
    copy = action.copy()
    try:
        bag = actions.channelbag_of(copy, actions.slot_of(owner, copy))
        changed: dict[str, set[int]] = {}
        for curve in bag.fcurves if bag is not None else ():
            points = curve.keyframe_points
            chosen = [point.select_control_point for point in points]
            if not any(chosen) or all(chosen):
                continue  # a curve whose keys are all selected was not told apart by the selection
            changed.setdefault(curve.data_path, set()).update(
                round(point.co[0]) for point, selected in zip(points, chosen, strict=True) if selected
            )
            for number in reversed(range(len(points))):
                if chosen[number]:
                    points.remove(points[number], fast=True)
            curve.update()
        if not changed:
            return None, {}
        frames = actions.frame_range(action)
        return actions.read_motion(owner, scene, frames, action=copy, bones=scene.kinetune.bones), changed
    finally:
        bpy.data.actions.remove(copy)


def _changes(base: Reading, now: Reading, changed: dict[str, set[int]]) -> list[dict[str, Any]]:
    """Displacement keys for the bones and frames that were changed."""
    keys: list[dict[str, Any]] = []
    for joint, name in enumerate(base.motion["names"]):
        path = f'pose.bones["{bpy.utils.escape_identifier(name)}"].'
        frames = sorted(set().union(*(rows for each, rows in changed.items() if each.startswith(path))))
        for row in (frame - int(base.frames[0]) for frame in frames):
            if 0 <= row < len(base.frames):
                keys += _change(base, joint, row, now.motion["rotations"][row, joint], now.motion["root"][row])
    return keys


def _posed_change(owner: Any, scene: Any, base: Reading) -> list[dict[str, Any]]:
    """Displacement keys for the pose that the armature is in now, at the current frame."""
    row = int(scene.frame_current - base.frames[0])
    if not 0 <= row < len(base.frames):
        raise ArmatureError("The current frame lies outside of the action.")
    posed = actions.standing_motion(owner, base)
    return [
        key
        for joint in range(len(base.motion["names"]))
        for key in _change(base, joint, row, posed["rotations"][0, joint], posed["root"][0])
    ]


def _change(base: Reading, joint: int, row: int, rotation: Floats, root: Floats) -> list[dict[str, Any]]:
    """The displacement of one joint at one frame, if there is any."""
    name = base.motion["names"][joint]
    turn = multiply(rotation, inverse(base.motion["rotations"][row, joint]))
    keys: list[dict[str, Any]] = []
    if 1.0 - abs(turn[0]) > 1e-10:
        keys.append({"frame": row, "joint": name, "rotate": turn.tolist(), "axes": "parent"})
    shift = root - base.motion["root"][row]
    if joint == 0 and np.abs(shift).max() > 1e-6:
        keys.append({"frame": row, "move": shift.tolist(), "axes": "world"})
    return keys


def target_point(context: Any, name: str, reading: Reading) -> list[float]:
    """Where an object is, or the 3-D cursor without one, in metres with Y up."""
    chosen = bpy.data.objects.get(name) if name else None
    if name and chosen is None:
        raise ArmatureError(f"There is no object called {name}.")
    if chosen is None:
        others = [each for each in context.selected_objects if each.type != "ARMATURE"]
        chosen = others[0] if others else None
    point = context.scene.cursor.location if chosen is None else chosen.matrix_world.translation
    moved: list[float] = on_y_up(reading.rig, np.array(point)).tolist()
    return moved


def active_bone(context: Any) -> str:
    """The name of the active bone."""
    bone = context.active_pose_bone or context.object.data.bones.active
    if bone is None:
        raise ArmatureError("Make a bone active first: click it in pose mode.")
    return str(bone.name)


class KINETUNE_OT_pin(EditOperator, bpy.types.Operator):
    """Bring the active bone to the target at the current frame; its limb follows, the frames around it lead there.
    The target is the other selected object, or the 3-D cursor"""

    bl_idname = "kinetune.pin"
    bl_label = "Pin to Target"
    target: StringProperty(name="Target", description="An object; empty for the selected one or the 3-D cursor")
    falloff_s: FloatProperty(
        name="Falloff (s)", description="How far from the current frame the influence ends", default=0.5, min=0.01
    )
    unreachable: EnumProperty(
        name="Out of reach",
        items=[("nearest", "As near as possible", ""), ("refuse", "Refuse", "")],
    )

    def edit(self, context: Any) -> Edit:
        """A displacement with one goal."""
        reading = read_now(context.object, context.scene)
        row = int(context.scene.frame_current - reading.frames[0])
        key = {"frame": row, "joint": active_bone(context), "to": target_point(context, self.target, reading)}
        step = {"op": "displace", "keys": [key], "falloff_s": self.falloff_s, "unreachable": self.unreachable}
        return Edit(context.object, "Pin", [step], keeps_stance=True, whole=True)


class AimOperator(OperationOperator):
    """Aim at a target between examples; joint, moment and target come from the scene where none are given."""

    def edit(self, context: Any) -> Edit:
        """Aim the active bone at the target, at the current frame."""
        edit = super().edit(context)
        step = edit.steps[0]
        if not any(step.get(goal) for goal in ("at", "line", "facing", "turned", "look_at", "targets")):
            reading = read_now(context.object, context.scene)
            step["at"] = target_point(context, "", reading)
            step["joint"] = active_bone(context)
            step.setdefault("frame", int(context.scene.frame_current - reading.frames[0]))
        edit.whole = True
        return edit


class KINETUNE_OT_walk(EditOperator, bpy.types.Operator):
    """Walk along a curve with the steps of this action, or with those that Kinetune brings"""

    bl_idname = "kinetune.walk"
    bl_label = "Walk on Curve"
    curve: StringProperty(name="Curve", description="The curve object; empty for the selected one")
    steps: EnumProperty(
        name="Steps",
        items=[("clip", "Of this action", ""), ("samples", "Sample steps", "For the sample character only")],
    )
    speed_mps: FloatProperty(
        name="Speed (m/s)", description="0 for that of the example steps", default=0.0, min=0.0, max=3.0
    )
    stop: BoolProperty(name="Stop at the end", default=True)

    def edit(self, context: Any) -> Edit:
        """A walk on the points of the curve."""
        curve = bpy.data.objects.get(self.curve) if self.curve else None
        if curve is None:
            chosen = [each for each in context.selected_objects if each.type == "CURVE"]
            if not chosen:
                raise ArmatureError("Select a curve object as well, or name one.")
            curve = chosen[0]
        reading = read_now(context.object, context.scene)
        points = on_y_up(reading.rig, curve_points(curve))
        listed = ";".join(f"{x:.6g},{z:.6g}" for x, _, z in points)
        step = {"op": "follow_footsteps", "path": f"points:{listed}", "steps": self.steps, "stop": self.stop}
        if self.speed_mps > 0:
            step["speed_mps"] = max(self.speed_mps, 0.1)
        return Edit(context.object, "Walk", [step], whole=True)


def curve_points(curve: Any) -> Floats:
    """Points (n, 3) along a curve object in the world."""
    evaluated = curve.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    try:
        flat = np.empty(3 * len(mesh.vertices))
        mesh.vertices.foreach_get("co", flat)
    finally:
        evaluated.to_mesh_clear()
    points = flat.reshape(-1, 3)
    if len(points) < 2:
        raise ArmatureError(f"{curve.name} has no length. A bevel must be off, and the curve needs two points or more.")
    away = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    kept = np.linspace(0.0, away[-1], min(_PATH_POINTS, len(points)))
    even = np.stack([np.interp(kept, away, points[:, axis]) for axis in range(3)], axis=1)
    matrix = np.array(curve.matrix_world)
    return np.asarray(even @ matrix[:3, :3].T + matrix[:3, 3])


class KINETUNE_OT_retarget_from(EditOperator, bpy.types.Operator):
    """Put the motion of another armature on this one: other bones, other proportions, another rest pose"""

    bl_idname = "kinetune.retarget_from"
    bl_label = "Retarget from Armature"
    source: StringProperty(name="From", description="The armature with the motion; empty for the other selected one")
    keep_feet: BoolProperty(name="Keep feet", default=True)
    hands: EnumProperty(
        name="Hands",
        items=[
            ("body", "Arms", "Keep the directions of the arms"),
            ("together", "Together", "Also their relation where hands are near each other or the head"),
            ("world", "In the world", "Keep their positions, scaled"),
        ],
    )

    def edit(self, context: Any) -> Edit:
        """The other armature's motion on the active one."""
        owner = context.object
        others = [each for each in context.selected_objects if each.type == "ARMATURE" and each != owner]
        source = bpy.data.objects.get(self.source) if self.source else (others or [None])[0]
        if source is None or source.type != "ARMATURE":
            raise ArmatureError("Select the armature with the motion as well, and make the other one active.")
        motion = read_now(source, context.scene)
        frames = (int(motion.frames[0]), int(motion.frames[0]))
        body = actions.read_motion(owner, context.scene, frames, bones=context.scene.kinetune.bones)
        step = {"op": "retarget", "to": "character", "keep_feet": self.keep_feet, "hands": self.hands}
        return Edit(owner, f"{_action_of(source).name}.retarget", [step], {"character": body}, source=motion)


class KINETUNE_OT_recipe(EditOperator, bpy.types.Operator):
    """Apply a recipe file; clips that it asks for are actions of the same name"""

    bl_idname = "kinetune.recipe"
    bl_label = "Apply Recipe"
    filepath: StringProperty(name="Recipe", subtype="FILE_PATH")
    filter_glob: StringProperty(default="*.yaml;*.yml;*.json", options={"HIDDEN"})

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Ask for the file."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def edit(self, context: Any) -> Edit:
        """The steps of the file."""
        recipe = engine().ask({"do": "recipe", "path": bpy.path.abspath(self.filepath)})
        inputs = {}
        for name in recipe["needs"]:
            inputs[name] = bpy.data.actions.get(name)
            if inputs[name] is None:
                raise ArmatureError(f'The recipe asks for the clip "{name}". Give an action this name.')
        return Edit(context.object, recipe["name"] or "Recipe", recipe["steps"], inputs, recipe["files"])


class Examining:
    """What both check-ups share."""

    bl_options = {"REGISTER"}  # noqa: RUF012
    kinds = ""

    @classmethod
    def poll(cls, context: Any) -> bool:
        return EditOperator.poll.__func__(cls, context)

    def execute(self, context: Any) -> set[str]:
        try:
            reading = read_now(context.object, context.scene)
            engine().ask({"do": "open", "key": "clip", "motion": reading.motion})
            answer = engine().ask({"do": "examine", "clip": "clip"})
        except PROBLEMS as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        first = int(reading.frames[0])
        listed = [each for each in answer["findings"] if each["kind"].startswith(self.kinds)]
        lines = [(each["severity"], tasks.finding_text(each, first)) for each in listed[:_SHOWN]]
        frames = [_first_frame(each["frame"], first) for each in listed[:_SHOWN]]
        verdict = f"Physics: {answer['verdict']}." if answer["verdict"] else "Physics was not judged."
        show_messages(context.scene, [*lines, ("info", verdict)], frames)
        context.scene.kinetune.remedies = json.dumps(answer["steps"])
        self.report({"INFO"}, f"{len(listed)} findings. {verdict}")
        return {"FINISHED"}


def _first_frame(frame: Any, first: int) -> int:
    return -1 if frame is None else first + (frame if isinstance(frame, int) else frame[0])


class KINETUNE_OT_doctor(Examining, bpy.types.Operator):
    """List what is wrong with the motion: foot slide, spikes, flips, floor, joint limits, physics"""

    bl_idname = "kinetune.doctor"
    bl_label = "Doctor"


class KINETUNE_OT_physics_check(Examining, bpy.types.Operator):
    """Judge whether a body could move like this"""

    bl_idname = "kinetune.physics_check"
    bl_label = "Physics Check"
    kinds = "physics"


class KINETUNE_OT_mend(EditOperator, bpy.types.Operator):
    """Apply the safe remedies for what the doctor listed"""

    bl_idname = "kinetune.mend"
    bl_label = "Fix"

    def edit(self, context: Any) -> Edit:
        """The remedies as steps."""
        steps = json.loads(context.scene.kinetune.remedies or "[]")
        if not steps:
            raise ArmatureError("The doctor listed nothing that can be fixed safely. Run it first.")
        return Edit(context.object, "Fix", steps)


_WRITTEN = (
    KINETUNE_OT_faders,
    KINETUNE_OT_displace_keys,
    KINETUNE_OT_pin,
    KINETUNE_OT_walk,
    KINETUNE_OT_retarget_from,
    KINETUNE_OT_recipe,
    KINETUNE_OT_doctor,
    KINETUNE_OT_physics_check,
    KINETUNE_OT_mend,
)
_BASES = {"aim": AimOperator}
_made: list[type] = []


def register() -> None:
    """Register all operators."""
    generated = [make_operator(each, _BASES.get(each["op"], OperationOperator)) for each in catalogue()]
    _made.extend([*_WRITTEN, *generated])
    for each in _made:
        bpy.utils.register_class(each)


def unregister() -> None:
    """Remove them."""
    while _made:
        bpy.utils.unregister_class(_made.pop())
