"""What panels ask for: bands, curves, splines, warps, outlines of clips, forces."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.curves.pose_curves import pose_curves
from kinetune.body.kinematics.forward import tips
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.timeline.retiming import at_rate
from kinetune.errors import KinetuneError
from kinetune.figures.motion.warp_figure import distances_along, pose_distances
from kinetune.operations.equalize import bands_of
from kinetune.operations.shape import Shape
from kinetune.progress import Cancelled
from kinetune.recipes.sources import SOURCE
from kinetune.rotations import Floats
from kinetune.signals.shaping.curve_library import SHAPES
from kinetune.signals.splines.tcb import TCB
from kinetune.studio.documents.origins import Origin
from kinetune.studio.documents.stack import Stack
from kinetune.studio.evaluate.evaluation import EvaluatedStack
from kinetune.studio.evaluate.force_view import forces_answer, loads_of
from kinetune.studio.evaluate.gizmo_keys import joint_index
from kinetune.studio.evaluate.remedies import checkup_lines, value_after
from kinetune.studio.evaluate.skin_view import skin_answer
from kinetune.studio.evaluate.timing import origins_of, timing_of
from kinetune.studio.protocol import messages
from kinetune.studio.protocol.message_parts import MessageError
from kinetune.studio.protocol.wire import pack
from kinetune.studio.rooms.motion_room import MotionRoom
from kinetune.studio.server.session import Session

if TYPE_CHECKING:
    from kinetune.studio.studio import Studio

_MOST_SPLINE = 50_000
_LEAST_BINS = 16
"""Fewer say nothing about a curve."""
_PATIENCE_S = 1.0
"""After which work for an outdated state is given up."""


def handlers(studio: Studio) -> dict[str, Any]:
    """Messages that ask and change nothing."""

    def of_motion(work: Callable[[MotionRoom, Stack, Any], bytes | dict[str, Any]]) -> Any:
        async def handler(session: Session, message: Any) -> None:
            room = studio.motion_room(message.doc)
            stack = room.document.state
            room.ask(session, message, functools.partial(work, room, stack, message))

        return handler

    async def spline(session: Session, message: messages.AskSpline) -> None:
        session.send_frame(_spline(message))

    async def shaping(session: Session, message: messages.AskShaping) -> None:
        session.send_frame(_shaping(message))

    async def neutral(session: Session, message: messages.AskNeutral) -> None:
        step = studio.library.motion(message.doc).state.step(message.step)
        plain = type(step.operation).neutral().model_dump(mode="json", exclude={"op", "region"})
        inputs = {name: getattr(step.operation, name) for name in step.operation.input_parameters}
        session.done(message, knobs={**plain, **{k: list(v) if isinstance(v, tuple) else v for k, v in inputs.items()}})

    return {
        "bands": of_motion(_bands),
        "curves": of_motion(_curves),
        "warp": of_motion(_warp),
        "clip": of_motion(_clip),
        "skin": of_motion(_skin),
        "outline": of_motion(_outline),
        "forces": of_motion(_forces),
        "loads": of_motion(_loads),
        "timing": of_motion(_timing),
        "verdict": of_motion(_verdict),
        "moments": of_motion(_moments),
        "checkup": of_motion(_checkup),
        "remedy": of_motion(_remedy),
        "spline": spline,
        "shaping": shaping,
        "neutral": neutral,
    }


def _evaluated(room: MotionRoom, stack: Stack, steps: int | None = None) -> EvaluatedStack:
    """The motion of a stack, or after some of its steps: the one that is there, or computed now."""
    known = room.outcome
    if steps is None and known is not None and known.stack is stack:
        return known
    begun = time.monotonic()
    part = stack if steps is None else replace(stack, steps=stack.steps[:steps])
    try:
        return room.evaluator.whole(
            part, lambda: room.document.state is not stack and time.monotonic() - begun > _PATIENCE_S
        )
    except Cancelled:
        raise MessageError("busy", "The document has changed before this was answered.") from None


def _header(room: MotionRoom, message: Any, **more: Any) -> dict[str, Any]:
    return {"type": message.type, "doc": message.doc, "id": message.id, "edit": room.document.edit, **more}


# --- bands


def _bands(room: MotionRoom, stack: Stack, message: messages.AskBands) -> bytes:
    """The bands of the joint that moves most among the chosen ones, in bins."""
    step = None if message.step is None else stack.step(message.step)
    clip = _evaluated(room, stack, None if step is None else stack.position(step.id)).clip
    gains = [] if step is None else step.operation.band_gains(clip) or []
    joints = clip.skeleton.select(message.joints)
    if not joints:
        raise MessageError("bad_field", "Name at least one joint.", where="joints")
    curves = np.degrees(pose_curves(clip, joints).curves)
    swing = curves.std(axis=0)
    which, axis = np.unravel_index(int(np.argmax(swing)), swing.shape)
    from kinetune.signals.bands.band_presets import band_hz
    from kinetune.signals.bands.pyramid import split_bands

    split = split_bands(curves[:, which, axis])
    start, stop = _range(message.start, message.stop, len(clip))
    listed = bands_of(clip)
    keys = band_hz(len(listed), clip.fps)
    edges = [float(np.sqrt(a.centre_hz * b.centre_hz)) for a, b in itertools.pairwise(listed)]
    described = [
        {
            "number": band.number,
            "hz": band.centre_hz,
            "key_hz": float(keys[k]),  # its name in gains_hz
            "low_hz": edges[k] if k < len(edges) else 0.5 * band.centre_hz,
            "high_hz": edges[k - 1] if k else 0.5 * clip.fps,
            "gain": gains[k] if k < len(gains) else 1.0,
            "rms_deg": float(np.sqrt(np.mean(split.details[k] ** 2))),
        }
        for k, band in enumerate(listed)
    ]
    signals = [binned(detail[start:stop], message.points) for detail in split.details]
    header = _header(room, message, bands=described, step=message.step, joint=clip.skeleton.names[joints[which]])
    header |= {"start": start, "stop": stop, "unit": "deg"}
    points = len(signals[0]) if signals else 0
    arrays = {
        "signals": np.array(signals).reshape(len(signals), points, 2),
        "base": binned(split.base[start:stop], message.points),
    }
    if step is not None:
        seat = next(iter(room.seats.values()), None)
        room.windows.prepare(stack, step.id, 0 if seat is None else seat.frame)
    return pack(header, arrays)


def binned(signal: Floats, points: int) -> Floats:
    """The lowest and the highest value in each of at most ``points`` bins, (bins, 2)."""
    count = min(points, len(signal))
    edges = np.linspace(0, len(signal), count + 1).astype(int)[:-1]
    return np.stack([np.minimum.reduceat(signal, edges), np.maximum.reduceat(signal, edges)], axis=-1)


# --- curves


def _curves(room: MotionRoom, stack: Stack, message: messages.AskCurves) -> bytes:
    outcome = _evaluated(room, stack)
    clip, source = outcome.clip, outcome.source
    joints = [joint_index(clip.skeleton, joint) for joint in message.joints]
    start, stop = _range(message.start, message.stop, len(clip))
    names, now = _channels(clip, joints, message.kind, clip)
    frames = _telling(now, start, stop, message.points)
    arrays: dict[str, Floats] = {"is": now[frames].T, "frames": frames.astype(float)}
    if source.skeleton.same_joints(clip.skeleton):
        was = _channels(source, joints, message.kind, clip)[1]
        was_frames = frames
        origins = origins_of(outcome, timing_of(outcome, room.evaluator.clips(stack)[1]))
        if origins is not None:
            was_frames = np.rint(origins[frames]).astype(int)
        elif len(source) != len(clip):
            shown = (0, len(source)) if message.stop is None else (min(start, len(source) - 1), min(stop, len(source)))
            was_frames = _telling(was, *shown, message.points)
            arrays["was_frames"] = was_frames.astype(float)
        arrays["was"] = was[was_frames].T
    return pack(_header(room, message, channels=names, kind=message.kind, start=start, stop=stop), arrays)


def _channels(clip: Clip, joints: list[int], kind: str, like: Clip) -> tuple[list[dict[str, Any]], Floats]:
    """Names of channels, and their values (frames, channels); rotations of two clips from the same centre."""
    if kind == "position":
        values = clip.positions()[:, joints].reshape(len(clip), -1)
        named = [(joint, axis, "m") for joint in joints for axis in "XYZ"]
    elif kind == "log":
        centre = pose_curves(like, joints)
        curves = centre.curves if clip is like else centre.express(clip)
        values = np.degrees(curves).reshape(len(clip), -1)
        named = [(joint, axis, "deg") for joint in joints for axis in "xyz"]
    else:
        orders = clip.source.euler_orders(clip.skeleton)[0]
        values = np.concatenate([_euler(clip, joint, orders[joint]) for joint in joints], axis=1)
        named = [(joint, axis, "deg") for joint in joints for axis in orders[joint]]
    names = clip.skeleton.names
    return [{"joint": j, "name": f"{names[j]} {axis}", "axis": axis, "unit": unit} for j, axis, unit in named], values


def _euler(clip: Clip, joint: int, order: str) -> Floats:
    return np.degrees(rot.unroll(rot.to_euler(clip.rotations[:, joint], order), order))


# --- curves without a clip


def _spline(message: messages.AskSpline) -> bytes:
    rows = sorted(message.keys)
    times = [row[0] for row in rows]
    knobs = {
        word: [row[k] if len(row) > k else 0.0 for row in rows]
        for k, word in enumerate(("tension", "continuity", "bias"), start=2)
    }
    curve = TCB(times, [row[1] for row in rows], ends=message.ends, holds="flat", **knobs)  # type: ignore[arg-type]
    start = times[0] if message.start is None else message.start
    stop = times[-1] if message.stop is None else message.stop
    at = np.linspace(start, stop, min(message.points, _MOST_SPLINE))
    return pack({"type": "spline", "id": message.id}, {"times": at, "values": np.asarray(curve(at))})


def _shaping(message: messages.AskShaping) -> bytes:
    curve = Shape(curve=message.curve).curve
    plain = curve.to_plain()
    places = [point.x for point in curve.points]
    low, high = min(-1.0, *places), max(1.0, *places)
    at = np.linspace(low, high, message.points)
    header = {"type": "shaping", "id": message.id, "curve": plain, "made": curve.made, "library": list(SHAPES)}
    return pack(header, {"values": np.stack([at, np.asarray(curve(at))], axis=-1)})


# --- two clips


def _warp(room: MotionRoom, stack: Stack, message: messages.AskWarp) -> bytes:
    """How alike all moments of two clips are, and the moments that the step lets correspond.

    The path comes from where the step has it, so that a warp of minutes is not looked for again.
    """
    number = stack.position(message.step)
    operation = stack.steps[number].operation
    name = operation.partner
    if name is None:
        raise MessageError("refused", "Only a step that aligns or blends has a warp.", where="step")
    source, inputs, problems = room.evaluator.clips(stack)
    if name != SOURCE and name not in inputs:
        raise MessageError("file", problems.get(name, f'The clip "{name}" is missing.'))
    outcome = _evaluated(room, stack, number + 1)
    if outcome.results[-1].state in ("waiting", "running"):
        raise MessageError("busy", "The clips are not aligned yet.")
    clip = outcome.entering[-1]
    named = {**inputs, SOURCE: source}
    other = at_rate(named[name], clip.fps)
    heat, _ = pose_distances(clip, other, message.size)
    seconds = operation.matched_times(clip, named)
    apart = distances_along(clip, other, seconds)
    header = _header(room, message, step=message.step, other=name, frames=[len(clip), len(other)])
    return pack({**header, "cost": float(apart.mean())}, {"heat": heat.T, "path": clip.fps * seconds})


def _clip(room: MotionRoom, stack: Stack, message: messages.AskClip) -> bytes:
    clip = _named(room, stack, message.name)
    header = _header(room, message, name=message.name, start=0, stop=len(clip), frames=len(clip), fps=clip.fps)
    header |= {"names": list(clip.skeleton.names), "parents": clip.skeleton.parents.tolist()}
    header["tips"] = [{"parent": site.parent, "offset": list(site.offset)} for site in clip.skeleton.end_sites]
    arrays = {"positions": clip.positions(), "tips": tips(clip)}
    return pack(header, {**arrays, "rotations": clip.world_rotations()} if message.rotations else arrays)


def _skin(room: MotionRoom, stack: Stack, message: messages.AskSkin) -> bytes:
    clip = room.evaluator.clips(stack)[0] if message.of == "original" else _evaluated(room, stack).clip
    return skin_answer(clip, message, _header(room, message))


def _outline(room: MotionRoom, stack: Stack, message: messages.AskOutline) -> bytes:
    clip = _named(room, stack, message.name)
    speed = np.zeros(len(clip))
    if len(clip) > 1:
        steps = np.linalg.norm(np.diff(clip.positions(), axis=0), axis=-1).mean(axis=1) * clip.fps
        first = min(stray_frames(clip), len(steps) - 1)  # a T-pose in front is no motion
        speed[1:], speed[: first + 1] = steps, steps[first]
    energy = binned(speed, message.points)[:, 1]
    header = _header(room, message, name=message.name, frames=len(clip), fps=clip.fps, unit="m/s")
    return pack(header, {"energy": energy})


def _named(room: MotionRoom, stack: Stack, name: str) -> Clip:
    source, inputs, problems = room.evaluator.clips(stack)
    if name == SOURCE:
        return source
    if name not in inputs:
        known = problems.get(name)
        raise MessageError("file" if known else "unknown_name", known or f'This document has no clip "{name}".')
    return inputs[name]


def _forces(room: MotionRoom, stack: Stack, message: messages.AskForces) -> bytes:
    return forces_answer(room, stack, message, _header(room, message, step=message.step))


def _loads(room: MotionRoom, stack: Stack, message: messages.AskLoads) -> bytes:
    clip = _evaluated(room, stack, stack.position(message.step)).clip
    return pack(_header(room, message, step=message.step), {"was_loads": loads_of(clip)})


def _timing(room: MotionRoom, stack: Stack, message: messages.AskTiming) -> bytes:
    outcome = _evaluated(room, stack)
    parts = timing_of(outcome, room.evaluator.clips(stack)[1])
    arrays = {f"part{number}": part for number, part in enumerate(parts or ())}
    origins = origins_of(outcome, parts)
    if origins is not None:
        arrays["origins"] = origins
    return pack(_header(room, message, known=parts is not None, parts=len(parts or ())), arrays)


def _verdict(room: MotionRoom, stack: Stack, message: messages.AskVerdict) -> dict[str, Any]:
    from kinetune.physics.verdict import judge_motion

    steps = None if message.step is None else stack.position(message.step)
    clip = _evaluated(room, stack, steps).clip
    header = _header(room, message, step=message.step)
    try:
        judged = judge_motion(clip)
    except KinetuneError as problem:  # too short, or no body that could be judged
        return {**header, "verdict": None, "reasons": [], "problem": str(problem)}
    reasons = [reason.as_dict() for reason in judged.reasons]
    return {**header, "verdict": judged.verdict, "reasons": reasons, "problem": None}


def _moments(room: MotionRoom, stack: Stack, message: messages.AskMoments) -> dict[str, Any]:
    """Where the clip before a splice can best pass into the one that follows."""
    from kinetune.library import transitions_between

    name = str(getattr(stack.step(message.step).operation, "second", None))
    clips = room.evaluator.clips(stack)
    following = {**clips[1], SOURCE: clips[0]}.get(name)
    if following is None:
        raise MessageError("refused", "This step passes into no other clip.", where="step")
    clip = _evaluated(room, stack, stack.position(message.step)).clip
    header = _header(room, message, step=message.step)
    try:
        transitions = transitions_between(clip, following)
    except KinetuneError as problem:
        return {**header, "moments": [], "problem": str(problem)}
    moments = [
        {"leave_s": round(each.leave_s, 4), "enter_s": round(each.enter_s, 4), "distance_cm": each.distance_cm}
        for each in transitions
    ]
    unlike = None if moments else "These clips are nowhere alike enough to pass from one into the other unseen."
    return {**header, "moments": moments, "problem": unlike}


def _checkup(room: MotionRoom, stack: Stack, message: messages.AskCheckup) -> dict[str, Any]:
    reading = dict(stack.source.reading)
    name, chosen = reading.pop("animation", None), None
    if name is not None:
        origin = Origin(stack.source.place, tuple(sorted(reading.items())))
        chosen = str(name), room.evaluator.origins.clip(origin)
    return _header(room, message, lines=checkup_lines(room.evaluator.clips(stack)[0], chosen))


def _remedy(room: MotionRoom, stack: Stack, message: messages.AskRemedy) -> dict[str, Any]:
    value = value_after(room.evaluator.clips(stack)[0], message.kind)
    return _header(room, message, kind=message.kind, value=value)


def _range(start: int, stop: int | None, frames: int) -> tuple[int, int]:
    end = frames if stop is None else min(stop, frames)
    if start >= end:
        raise MessageError("refused", f"The motion has frames 0 to {frames - 1}; {start} to {end} is none of it.")
    return start, end


def _telling(values: Floats, start: int, stop: int, points: int) -> np.ndarray:
    """At most ``points`` frames of a range, both ends among them: all, or those where curves are highest and lowest."""
    frames, curves = stop - start, values.shape[1]
    bins = (points - 2) // (2 * curves)
    if frames <= points or bins < _LEAST_BINS:
        return np.unique(np.linspace(start, stop - 1, min(points, frames)).round().astype(int))
    edges = np.linspace(start, stop, bins + 1).astype(int)
    parts = [(first, values[first:last]) for first, last in itertools.pairwise(edges)]
    extremes = [first + part.argmin(axis=0) for first, part in parts] + [
        first + part.argmax(axis=0) for first, part in parts
    ]
    return np.unique(np.concatenate([[start, stop - 1], *extremes]))
