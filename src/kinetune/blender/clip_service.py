"""Answers the requests of the Blender extension, in Blender's process or behind a pipe.

Requests and answers are plain mappings with arrays in them. A motion has the fields of a clip: names, parents, offsets,
rest, tips, fps, root, rotations and, where joints move by themselves, translations.

=========  ==========================================================================================
hello      the version
open       keep a motion under a key; answers with its bands, groups and what joints mean
apply      take the steps of a recipe on a motion
preview    some frames of a motion after one step, as quickly as possible
examine    what is wrong with a motion, with remedies; physics included
recipe     the steps and the inputs of a recipe file
close      drop a motion
=========  ==========================================================================================
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.skeleton import EndSite, Skeleton, as_offset
from kinetune.errors import KinetuneError, RecipeError
from kinetune.findings import Finding
from kinetune.operations import find_operation
from kinetune.operations.base import Operation, Preview, collecting_results
from kinetune.progress import Cancelled, reporting

Motion = Mapping[str, Any]
_MOST_CLIPS = 64
_BAND_NAMES = ((6.0, "tremor"), (3.0, "snap"), (1.5, "swing"), (0.75, "gait"), (0.3, "sway"), (0.0, "posture"))
"""What people see in a band whose centre is at least so many hertz."""


class ClipService:
    """Motions of a Blender session, by key, and what can be done with them."""

    def __init__(self) -> None:
        self._clips: OrderedDict[str, Clip] = OrderedDict()
        self._prepared: tuple[tuple[Any, ...], Preview | None, Clip] | None = None
        self._answers: dict[str, Callable[[Motion], dict[str, Any]]] = {
            "hello": self._hello,
            "open": self._open,
            "apply": self._apply,
            "preview": self._preview,
            "examine": self._examine,
            "recipe": self._recipe,
            "close": self._close,
        }

    def safe_answer(self, request: Motion, show: Callable[[float | None, str], None]) -> dict[str, Any]:
        """The answer to a request, or why there is none: {"answer": ...}, {"problem": ...} or {"stopped": True}."""
        try:
            with reporting(show):
                return {"answer": self._answers[request["do"]](request)}
        except Cancelled:
            return {"stopped": True}
        except KinetuneError as error:
            return {"problem": str(error)}
        except Exception as error:  # a defect of ours must not end the process behind the pipe
            return {"problem": f"This is a defect in Kinetune ({type(error).__name__}: {error})."}

    def _hello(self, request: Motion) -> dict[str, Any]:
        from kinetune import __version__

        return {"version": __version__}

    def _open(self, request: Motion) -> dict[str, Any]:
        from kinetune.body.roles.joint_roles import GROUPS, group_joints
        from kinetune.signals.bands.gains import list_bands

        clip = self._clips[request["key"]] = clip_from_motion(request["motion"])
        while len(self._clips) > _MOST_CLIPS:
            self._clips.popitem(last=False)
        return {
            "bands": [[band.centre_hz, band_name(band.centre_hz)] for band in list_bands(len(clip), clip.fps)],
            "groups": [name for name in GROUPS if group_joints(clip.skeleton, name)],
            "roles": {role: clip.skeleton.names[joint] for role, joint in clip.skeleton.roles.items()},
        }

    def _close(self, request: Motion) -> dict[str, Any]:
        self._clips.pop(request["key"], None)
        return {}

    def _apply(self, request: Motion) -> dict[str, Any]:
        from kinetune.recipes import Recipe

        clip = self._clip(request["clip"])
        inputs = {name: self._clip(key) for name, key in request.get("inputs", {}).items()}
        steps = [step_from_plain(step) for step in request["steps"]]
        recipe = Recipe(steps=steps, inputs=request.get("files", {}))
        first, last = request.get("span") or (0, len(clip))
        part = clip if (first, last) == (0, len(clip)) else clip[first:last]
        with collecting_results() as results:
            edited = recipe(part, **inputs)
        findings = [result for result in results if isinstance(result, Finding)]
        lines: list[str] = []
        for step in recipe.active if len(recipe.active) == 1 else ():
            report = step.report(part, edited, results)
            lines += step.describe(report) if report else ()
        edited = _blended(clip, edited, first, last, int(request.get("blend_frames", 0)))
        return {
            "motion": motion_from_clip(edited),
            "changed": edited is not clip,
            "findings": [finding.as_dict() for finding in findings],
            "lines": lines,
        }

    def _preview(self, request: Motion) -> dict[str, Any]:
        """Frames first to last - 1; with ``feet`` they stand as they will in the end, which takes longer."""
        clip, step = self._clip(request["clip"]), step_from_plain(request["step"])
        first, last = request["first"], request["last"]
        step.check(clip.skeleton)
        key = (step.preview_key(), id(clip), first, last)
        if self._prepared is None or self._prepared[0] != key:
            preview = None if key[0] is None else step.preview(clip, first, last)
            self._prepared = (key, preview, step.part_before(clip, first, last))
        _, preview, before = self._prepared
        if preview is None:
            edited = step(clip)[first:last]
        else:
            edited = preview.mix(step)
            if request.get("feet", True):
                edited = step.finished(before, edited)
        return {"motion": motion_from_clip(edited)}

    def _examine(self, request: Motion) -> dict[str, Any]:
        from kinetune.diagnosis.examination import examine_clip
        from kinetune.operations.clean import Clean

        findings, verdict = examine_clip(self._clip(request["clip"]), physics=request.get("physics", True))
        mended = any(finding.step is not None for finding in findings)
        return {
            "findings": [finding.as_dict() for finding in findings],
            "verdict": verdict,
            "steps": [Clean(units=False).as_step()] if mended else [],  # an action has no units to correct
        }

    def _recipe(self, request: Motion) -> dict[str, Any]:
        from kinetune.recipes import Recipe

        recipe = Recipe.read(request["path"])
        return {
            "name": recipe.name,
            "steps": [step.as_step() for step in recipe.active],
            "files": {name: path for name, path in recipe.inputs.items() if path is not None},
            "needs": list(recipe.inputs_needed()),
            "note": recipe.off_words(),
        }

    def _clip(self, key: str) -> Clip:
        if key not in self._clips:
            raise RecipeError("The motion is no longer known. Run the operator again.")
        self._clips.move_to_end(key)
        return self._clips[key]


def band_name(centre_hz: float) -> str:
    """What people see in a band: "tremor", "swing", "posture" ..."""
    return next(name for lowest, name in _BAND_NAMES if centre_hz >= lowest)


def clip_from_motion(motion: Motion) -> Clip:
    """The clip that a motion is."""
    tips = tuple(EndSite(int(parent), as_offset(offset)) for parent, offset in motion["tips"])
    skeleton = Skeleton(tuple(motion["names"]), motion["parents"], motion["offsets"], tips, motion["rest"])
    translations = motion.get("translations")
    return Clip(skeleton, motion["fps"], motion["root"], motion["rotations"], translations)


def motion_from_clip(clip: Clip) -> dict[str, Any]:
    """A clip as a motion."""
    skeleton = clip.skeleton
    motion: dict[str, Any] = {
        "names": list(skeleton.names),
        "parents": np.array(skeleton.parents),
        "offsets": np.array(skeleton.offsets),
        "rest": np.array(skeleton.rest),
        "tips": [(site.parent, list(site.offset)) for site in skeleton.end_sites],
        "fps": clip.fps,
        "root": np.array(clip.root),
        "rotations": np.array(clip.rotations),
    }
    if clip.translations is not None:
        motion["translations"] = np.array(clip.translations)
    if clip.keys is not None:
        motion["keys"] = {
            "rotations": [list(frames) for frames in clip.keys.rotations],
            "translations": {str(joint): list(frames) for joint, frames in clip.keys.translations.items()},
            "tolerance": clip.keys.tolerance,
        }
    return motion


def step_from_plain(step: Motion) -> Operation:
    """The operation that a request names; texts that hold lists or mappings are read as in a recipe."""
    from kinetune.input_files.plain_yaml import parse_yaml

    values = {
        name: parse_yaml(value, name) if isinstance(value, str) and value[:1] in ("[", "{") else value
        for name, value in step.items()
        if name != "op"
    }
    return find_operation(step["op"])(**values)


def _blended(clip: Clip, edited: Clip, first: int, last: int, frames: int) -> Clip:
    """The whole clip with an edited part in it, led over within some frames at both seams."""
    from kinetune import rotations as rot

    if edited is clip or (first, last) == (0, len(clip)) or len(edited) != last - first:
        return edited
    at = np.arange(last - first)
    edge = np.minimum(at + 1 if first else frames + 1, (last - first) - at if last < len(clip) else frames + 1)
    share = np.clip(edge / (frames + 1), 0.0, 1.0)
    share = (share * share * (3.0 - 2.0 * share))[:, None]
    root, rotations = np.array(clip.root), np.array(clip.rotations)
    root[first:last] += share * (edited.root - root[first:last])
    rotations[first:last] = rot.slerp(rotations[first:last], edited.rotations, share)
    translations = None if clip.translations is None else np.array(clip.translations)
    if translations is not None and edited.translations is not None:
        translations[first:last] += share[..., None] * (edited.translations - translations[first:last])
    return clip.replace(root=root, rotations=rotations, translations=translations)
