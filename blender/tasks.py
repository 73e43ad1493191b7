"""One edit from reading to the new action, at once or beside the interface with progress and Esc to cancel."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy

from . import actions
from .actions import ArmatureError, Reading
from .border.engine import Cancelled, Engine, EngineError, Job, connect
from .border.motions import UnevenScaleError, misfit

PROBLEMS = (ArmatureError, EngineError, UnevenScaleError)
STANCE, STEPS = "kinetune_stance", "kinetune_steps"
"""Custom properties of an action: the action that says when feet stood, and the steps that made it."""
_engine: Engine | None = None
_INTERVAL_S = 0.05


def engine() -> Engine:
    """The engine of this session."""
    global _engine
    if _engine is None:
        preferences = _preferences()
        kind: Any = preferences.engine if preferences else "AUTO"
        _engine = connect(kind, preferences.python if preferences else "")
    return _engine


def close_engine() -> None:
    """End it; the next edit starts a new one."""
    global _engine
    if _engine is not None:
        _engine.close()
    _engine = None


def _preferences() -> Any:
    add_on = bpy.context.preferences.addons.get(__package__)
    return add_on.preferences if add_on else None


@dataclass
class Edit:
    """What an operator wants done.

    owner : the armature. steps : operations as in a recipe. inputs : actions or readings by the names that steps use.
    source : a reading to edit in place of the armature's motion, for retargeting.
    """

    owner: Any
    label: str
    steps: list[dict[str, Any]]
    inputs: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    source: Reading | None = None
    keeps_stance: bool = False
    asks_for_stance: bool = False
    whole: bool = False


class Task:
    """An edit under way."""

    def __init__(self, context: Any, edit: Edit) -> None:
        self.edit, self.scene = edit, context.scene
        settings = context.scene.kinetune
        self.reading = actions.read_motion(edit.owner, context.scene, bones=settings.bones)
        self.only = _selected(edit.owner) if settings.selected_only else None
        edited = edit.source or self.reading
        inputs = self._inputs()
        request: dict[str, Any] = {
            "do": "apply",
            "clip": self._open("clip", edited),
            "steps": self._steps(),
            "inputs": {},
            "files": edit.files,
            "blend_frames": settings.seam,
        }
        if edit.source is None and not edit.whole:
            request["span"] = span_of(context.scene, self.reading)
        for name, given in inputs.items():
            reading = (
                given
                if isinstance(given, Reading)
                else actions.read_motion(edit.owner, context.scene, action=given, bones=settings.bones)
            )
            request["inputs"][name] = self._open(f"input/{name}", reading)
        if edit.source is not None:
            first = int(edit.source.frames[0])
            frames = (first, first + len(edit.source.frames) - 1)
            self.reading = actions.read_motion(edit.owner, context.scene, frames, bones=settings.bones)
        if settings.keys == "FEW" and not any(step["op"] == "reduce_keys" for step in request["steps"]):
            request["steps"].append({"op": "reduce_keys", "tolerance_mm": settings.tolerance_mm})
        self.request = request

    def _open(self, key: str, reading: Reading) -> str:
        engine().ask({"do": "open", "key": key, "motion": reading.motion})
        return key

    def _steps(self) -> list[dict[str, Any]]:
        """The steps, limited to the selected bones where they can be."""
        steps = [dict(step) for step in self.edit.steps]
        for step in steps:
            if step.get("joints", "") == "":
                step.pop("joints", None)
                if self.only is not None and step.pop("takes_joints", False):
                    step["joints"] = self.only
            step.pop("takes_joints", None)
        return steps

    def _inputs(self) -> dict[str, Any]:
        """The actions that steps name, and the one that says when feet stood before earlier edits."""
        inputs = dict(self.edit.inputs)
        source = self._action()
        stance = source.get(STANCE) if source is not None and self.edit.asks_for_stance else None
        if stance is None or self.edit.steps[0].get("like"):
            return inputs
        if actions.frame_range(stance) == actions.frame_range(source):
            self.edit.steps[0]["like"] = "before"
            inputs["before"] = stance
        return inputs

    def _action(self) -> Any:
        animation = self.edit.owner.animation_data
        return animation.action if animation else None

    def finish(self, answer: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Write the result; what the user should know, as pairs of severity and text."""
        first = int(self.reading.frames[0])
        lines = [(each["severity"], finding_text(each, first)) for each in answer["findings"]]
        lines += [("info", line) for line in answer["lines"]]
        if not answer["changed"]:
            return [*lines, ("info", f"{self.edit.label} changes nothing here; the action stays as it is.")]
        source = self._action()
        motion, owner = answer["motion"], self.edit.owner
        problem = misfit(self.reading.motion, motion) if self.edit.source is None else ""
        if problem:
            raise ArmatureError(problem)
        base = source.name if source is not None else owner.name
        action = actions.write_action(
            owner, self.reading, motion, f"{base}.{self.edit.label.lower()}", only=self.only, sparse="keys" in motion
        )
        if source is not None:
            done = json.loads(source.get(STEPS, "[]"))
            same = len(motion["rotations"]) == len(self.reading.frames)
            if self.edit.keeps_stance and same:
                action[STANCE] = source.get(STANCE) or source
        else:
            done = []
        action[STEPS] = json.dumps([*done, *self.request["steps"]])
        actions.refresh(owner)
        if self.reading.evaluated:
            note = "Constraints or drivers move this rig: the pose was read as shown, keys went to the bones, and the "
            lines.append(("info", note + "constraints on them are muted."))
        if len(motion["rotations"]) != len(self.reading.frames):
            last = first + len(motion["rotations"]) - 1
            lines.append(("info", f"The action now lasts until frame {last}."))
        return lines


def span_of(scene: Any, reading: Reading) -> list[int]:
    """The part of a reading that settings name: its first row, and the one after the last."""
    kind, first, last = scene.kinetune.span, int(reading.frames[0]), int(reading.frames[-1])
    if kind == "SCENE":
        start, end = scene.frame_start, scene.frame_end
    elif kind == "PREVIEW" and scene.use_preview_range:
        start, end = scene.frame_preview_start, scene.frame_preview_end
    else:
        start, end = first, last
    start, end = max(start, first), min(end, last)
    if end <= start:
        raise ArmatureError(f"The chosen frames lie outside of the action, which has frames {first} to {last}.")
    return [start - first, end - first + 1]


def _selected(owner: Any) -> list[str]:
    names = [bone.name for bone in owner.pose.bones if _is_selected(bone)]
    if not names:
        raise ArmatureError("No bone is selected. Select some in pose mode, or switch off Selected bones only.")
    return names


def _is_selected(bone: Any) -> bool:
    return bool(bone.select if hasattr(bone, "select") else bone.bone.select)  # moved from bones to pose bones in 5.0


def finding_text(finding: Mapping[str, Any], first: int) -> str:
    """A finding in the frames of the scene, whose first one is given."""
    frame, text = finding.get("frame"), str(finding["message"])
    if finding.get("remedy") and "FILE" not in finding["remedy"]:  # some remedies are commands
        text = f"{text} {finding['remedy']}"
    if frame is None:
        return text
    start, end = (frame, frame) if isinstance(frame, int) else frame
    return f"Frame {first + start}: {text}" if start == end else f"Frames {first + start}-{first + end}: {text}"


def show_messages(scene: Any, lines: Sequence[tuple[str, str]], frames: Sequence[int] = ()) -> None:
    """Put lines about the last result into the panel."""
    scene.kinetune.messages.clear()
    for number, (severity, text) in enumerate(lines):
        item = scene.kinetune.messages.add()
        item.text, item.severity = text, severity
        item.frame = frames[number] if number < len(frames) else -1


class EditOperator:
    """What all operators share: run at once from scripts, beside the interface from a button; Esc cancels."""

    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    def edit(self, context: Any) -> Edit:
        """What to do; raises one of :data:`PROBLEMS`."""
        raise NotImplementedError

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.object is not None and context.object.type == "ARMATURE"

    def execute(self, context: Any) -> set[str]:
        """Do it and wait."""
        try:
            task = Task(context, self.edit(context))
            return self._finish(context, task, engine().ask(task.request))
        except PROBLEMS as error:
            return self._refuse(error)

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Do it beside the interface."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        try:
            self._task = Task(context, self.edit(context))
        except PROBLEMS as error:
            return self._refuse(error)
        self._job = Job(engine(), self._task.request)
        if self._job.done(wait_s=0.3):
            return self._end(context)
        self._timer = context.window_manager.event_timer_add(_INTERVAL_S, window=context.window)
        context.window_manager.progress_begin(0, 100)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        """Show progress; Esc cancels."""
        if event.type == "ESC":
            self._job.cancel()
        if event.type == "TIMER":
            if self._job.done():
                self._stop_showing(context)
                return self._end(context)
            share = f" {100 * self._job.share:.0f}%" if self._job.share is not None else ""
            context.workspace.status_text_set(f"{self._task.edit.label}: {self._job.text}{share}   Esc cancels")
            context.window_manager.progress_update(100 * (self._job.share or 0.0))
        return {"RUNNING_MODAL"} if event.type in ("ESC", "TIMER") else {"PASS_THROUGH"}

    def cancel(self, context: Any) -> None:
        """Blender closes."""
        self._job.cancel()

    def _stop_showing(self, context: Any) -> None:
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)

    def _end(self, context: Any) -> set[str]:
        try:
            return self._finish(context, self._task, self._job.result())
        except Cancelled:
            self.report({"INFO"}, "Cancelled; nothing was changed.")
            return {"CANCELLED"}
        except PROBLEMS as error:
            return self._refuse(error)

    def _finish(self, context: Any, task: Task, answer: Mapping[str, Any]) -> set[str]:
        lines = task.finish(answer)
        show_messages(context.scene, lines)
        for severity, text in lines:
            self.report({"INFO"} if severity == "info" else {"WARNING"}, text)
        return {"FINISHED"}

    def _refuse(self, error: Exception) -> set[str]:
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}
