"""An open motion document: the frames in view first, then the whole clip, then its quality."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.feet.floor import Ground
from kinetune.body.kinematics.forward import tips
from kinetune.body.kinematics.limb_ik import find_limbs
from kinetune.body.roles.joint_roles import GROUPS, group_joints
from kinetune.body.skeleton import Skeleton
from kinetune.library.clip_facts import skeleton_signature
from kinetune.progress import Cancelled
from kinetune.signals.resampling import interpolate
from kinetune.studio.documents.open_documents import Document, Library
from kinetune.studio.documents.origins import Origin, Origins
from kinetune.studio.documents.stack import Stack, title
from kinetune.studio.evaluate.evaluation import EvaluatedStack, Evaluator, StepResult
from kinetune.studio.evaluate.quality import compare_quality, ground_of, measure_quality
from kinetune.studio.evaluate.timing import origins_of, timing_of
from kinetune.studio.evaluate.windows import FRAMES, Windows, span
from kinetune.studio.protocol.answers import SkeletonFacts
from kinetune.studio.protocol.wire import pack
from kinetune.studio.rooms.room import Room, Seat
from kinetune.studio.server.session import Session

_SHORT = 2 * FRAMES
"""Clips up to this length are sent as a whole, even during a drag."""
_PATIENCE_S = 1.0
"""After which work for an outdated state is given up."""


class MotionRoom(Room):
    """A motion document with the tabs that have it open."""

    document: Document[Stack]

    def __init__(self, document: Document[Stack], library: Library, pool: ThreadPoolExecutor, origins: Origins) -> None:
        super().__init__(document, library, pool)
        self.evaluator = Evaluator(origins)
        self.windows = Windows(self.evaluator)
        self.outcome: EvaluatedStack | None = None
        self.results: tuple[StepResult, ...] = ()
        self._original: tuple[Clip, dict[str, Any], Ground | None] | None = None
        self._floor: float | None = None
        self._sent_originals: dict[Session, Clip] = {}
        self._sent_skeletons: dict[Session, Skeleton] = {}
        self.worked_edit = 0
        self._whole_edit = 0

    # --- the document

    def describe(self) -> dict[str, Any]:
        stack = self.document.state
        source, inputs, problems = self.evaluator.clips(stack)
        results = {result.id: result for result in self.results}
        return {
            **super().describe(),
            "saved_path": self.document.saved_path,
            "source": {
                **_described(stack.source, source),
                "reading": dict(stack.source.reading),
                "findings": [finding.as_dict() for finding in source.source.findings],
            },
            "inputs": [
                {
                    "name": name,
                    **_described(origin, inputs.get(name)),
                    "same_joints": name in inputs and inputs[name].skeleton.same_joints(source.skeleton),
                    "error": problems.get(name),
                }
                for name, origin in stack.inputs
            ],
            "steps": [_step(step, results.get(step.id)) for step in stack.steps],
            "tracks": _tracks(stack, source, inputs),
            "markers": [{"frame": m.frame, "name": m.name, "editable": False} for m in source.markers]
            + [{"frame": m.frame, "name": m.name, "editable": True} for m in stack.markers],
        }

    def enter(self, session: Session, seat: Seat) -> None:
        super().enter(session, seat)
        session.send_json({**self.describe(), "taken": session.taken})
        self._whole_edit = 0
        self.wake()

    def leave(self, session: Session) -> None:
        self._sent_originals.pop(session, None)
        self._sent_skeletons.pop(session, None)
        super().leave(session)

    def rest(self) -> None:
        self.evaluator.clear()
        self.windows.clear()
        self.outcome = self._original = self._floor = None
        self.worked_edit = 0

    # --- work

    async def answer(self) -> None:
        edit = self.document.edit
        stack, drag, id = self.document.state, self.document.history.dragging, self.last_id
        await self._send_originals(stack)
        begun = time.perf_counter()

        def stop() -> bool:  # during a drag, work that was begun is finished unless it takes too long
            return self.document.edit != edit and time.perf_counter() - begun > _PATIENCE_S

        try:
            await self._first(stack, edit, id, drag, begun, stop)
        except Cancelled:
            return
        if not await self.rested():
            return
        await self._whole(stack, edit, id, drag)

    async def _first(
        self, stack: Stack, edit: int, id: int | None, drag: bool, begun: float, stop: Callable[[], bool]
    ) -> None:
        """The frames in view, as soon as possible."""
        window = None
        if edit != self.worked_edit and self.seats:
            frame = next(reversed(self.seats.values())).frame
            window = await self.announced(
                self._progress_text(stack), lambda: self.windows.window(stack, frame, self.results, stop)
            )
        if window is not None:
            header = self._header(edit, id, drag, begun, window.results)
            header |= {"part": "window", "start": window.start, "stop": window.start + len(window.clip)}
            header |= {"frames": window.frames, "fps": window.fps, "exact": window.exact}
            await self._send_motion(header, window.clip)
        else:
            outcome = await self.announced(self._progress_text(stack), lambda: self.evaluator.whole(stack, stop))
            self._take(outcome, edit)
            short = len(outcome.clip) <= _SHORT
            await self._send_outcome(outcome, edit, id, drag, begun, whole=short)
            self._whole_edit = edit if short else self._whole_edit

    async def _whole(self, stack: Stack, edit: int, id: int | None, drag: bool) -> None:
        """The whole clip, and its quality; given up as soon as something changes."""
        begun = time.perf_counter()
        try:
            outcome = await self.announced(
                self._progress_text(stack), lambda: self.evaluator.whole(stack, lambda: self.document.edit != edit)
            )
        except Cancelled:
            return
        self._take(outcome, edit)
        if self.document.edit != edit:
            return
        if self._whole_edit != edit:
            await self._send_outcome(outcome, edit, id, drag, begun, whole=True)
            self._whole_edit = edit
        if drag or self.document.edit != edit:
            return
        if any(result.state in ("failed", "waiting") or result.report for result in outcome.results):
            self.send_document()
        quality = await self.in_thread(lambda: self._quality(outcome))
        if self.document.edit == edit:
            self.broadcast({"type": "quality", "doc": self.document.id, "edit": edit, **quality}, "quality")

    def renew(self) -> None:
        """A step that waited has a result: send everything again, though the document has not changed."""
        self.worked_edit = self._whole_edit = 0
        self.wake()

    def share(self) -> float | None:
        return self.evaluator.locks.share

    def halt(self) -> None:
        self.evaluator.halt(self.document.state)

    def _progress_text(self, stack: Stack) -> str:
        """What is being computed, for work that takes a while: the first step without a result."""
        plan = self.evaluator.plan(stack)
        steps = [step for step in stack.steps[plan.done :] if step.on and step.id not in plan.waiting]
        return f"Computing {title(steps[0].operation.tag()).lower()}" if steps else "Reading the motion"

    def _take(self, outcome: EvaluatedStack, edit: int) -> None:
        self.outcome, self.results, self.worked_edit = outcome, outcome.results, edit

    def _header(
        self, edit: int, id: int | None, drag: bool, begun: float, results: tuple[StepResult, ...]
    ) -> dict[str, Any]:
        return {
            "type": "motion",
            "doc": self.document.id,
            "edit": edit,
            "id": id,
            "drag": drag,
            "evaluate_ms": round(1e3 * (time.perf_counter() - begun), 3),
            "steps": [result.as_plain() for result in results],
            "floor": self._floor,
            "change_mm": None,
        }

    async def _send_outcome(
        self, outcome: EvaluatedStack, edit: int, id: int | None, drag: bool, begun: float, *, whole: bool
    ) -> None:
        """The whole clip, or the frames around each tab's playhead."""
        clip = outcome.clip
        ground = await self.in_thread(lambda: self._ground(outcome))
        self._floor = None if ground is None else ground.floor.height
        header = self._header(edit, id, drag, begun, outcome.results)
        header |= {"frames": len(clip), "fps": clip.fps, "exact": True}
        if whole:
            header |= {"part": "whole", "start": 0, "stop": len(clip)}
            header["change_mm"] = await self.in_thread(
                lambda: _change_mm(outcome, self.evaluator.clips(outcome.stack)[1])
            )
            await self._send_motion(header, clip)
            return
        for session, seat in list(self.seats.items()):
            start, stop = span(seat.frame, len(clip))
            part = {**header, "part": "window", "start": start, "stop": stop}
            await self._send_to(session, part, clip[start:stop] if stop - start < len(clip) else clip, seat.rotations)

    async def _send_motion(self, header: dict[str, Any], clip: Clip) -> None:
        for session, seat in list(self.seats.items()):
            await self._send_to(session, header, clip, seat.rotations)

    async def _send_to(self, session: Session, header: dict[str, Any], clip: Clip, rotations: bool) -> None:
        frame = await self.in_thread(lambda: pack(header, _arrays(clip, rotations)))
        if self._sent_skeletons.get(session) != clip.skeleton:  # a generator may bring another skeleton
            self._send_skeleton(session, clip.skeleton, header["edit"])
        session.send_frame(frame, ("motion", self.document.id))

    def _send_skeleton(self, session: Session, skeleton: Skeleton, edit: int) -> None:
        self._sent_skeletons[session] = skeleton
        source = self._sent_originals.get(session)
        same = source is not None and source.skeleton == skeleton  # a child may have the joints of an adult
        head = {"type": "skeleton", "doc": self.document.id, "edit": edit, "of": "both" if same else "motion"}
        session.send_json({**head, **skeleton_answer(skeleton)})

    # --- the original

    async def original(self, stack: Stack) -> tuple[Clip, dict[str, Any], Ground | None]:
        """The source with its measures, computed once."""
        source = await self.in_thread(lambda: self.evaluator.clips(stack)[0])
        if self._original is None or self._original[0] is not source:
            measured, ground = await self.in_thread(lambda: measure_quality(source))
            self._original = (source, measured, ground)
            self._floor = None if ground is None else ground.floor.height
        return self._original

    async def _send_originals(self, stack: Stack) -> None:
        """Skeleton and original for tabs that do not have them yet."""
        source, measured, _ = await self.original(stack)
        new_tabs = [session for session in self.seats if self._sent_originals.get(session) is not source]
        if not new_tabs:
            return
        header = {
            "type": "original",
            "doc": self.document.id,
            "edit": self.document.edit,
            **{"part": "whole", "start": 0, "stop": len(source), "frames": len(source), "fps": source.fps},
            "names": list(source.skeleton.names),
            "parents": source.skeleton.parents.tolist(),
            "contacts": measured["contacts"],
        }
        for session in new_tabs:
            self._sent_originals[session] = source
            self._send_skeleton(session, source.skeleton, self.document.edit)
            await self._send_original(session, header, source)

    async def _send_original(self, session: Session, header: dict[str, Any], source: Clip) -> None:
        rotations = self.seats[session].rotations
        session.send_frame(await self.in_thread(lambda: pack(header, _arrays(source, rotations))))

    def _quality(self, outcome: EvaluatedStack) -> dict[str, Any]:
        assert self._original is not None
        source, was, _ = self._original
        now = was if outcome.clip is source else measure_quality(outcome.clip, self._ground(outcome))[0]
        return compare_quality(was, now)

    def _ground(self, outcome: EvaluatedStack) -> Ground | None:
        """What the motion stands on: the ground of the source, unless a step moves the floor or changes the body."""
        assert self._original is not None
        _, _, ground = self._original
        scene = outcome.moved_scene
        return ground if scene is None else ground_of(scene)


def skeleton_answer(skeleton: Skeleton) -> SkeletonFacts:
    """A skeleton as the page draws it."""
    groups = {name: group_joints(skeleton, name) for name in GROUPS}
    names = {joint: role for role, joint in skeleton.roles.items()}
    return {
        "names": list(skeleton.names),
        "parents": skeleton.parents.tolist(),
        "offsets": skeleton.offsets.tolist(),
        "tips": [{"parent": site.parent, "offset": site.offset} for site in skeleton.end_sites],
        "roles": dict(skeleton.roles),
        "groups": {name: list(joints) for name, joints in groups.items() if joints},
        "limbs": [
            {"name": names[limb.end], "joints": [limb.upper, limb.lower, limb.end], "end": limb.end, "leg": limb.is_leg}
            for limb in find_limbs(skeleton)
        ],
        "height": skeleton.height,
        "signature": skeleton_signature(skeleton),
    }


def _arrays(clip: Clip, rotations: bool) -> dict[str, Any]:
    arrays: dict[str, Any] = {"positions": clip.positions(), "tips": tips(clip)}
    return {**arrays, "rotations": clip.world_rotations()} if rotations else arrays


def _change_mm(outcome: EvaluatedStack, inputs: dict[str, Clip]) -> float | None:
    """How far the joint that moved most is from where the source has it at the same moment of the motion."""
    before, after = outcome.source, outcome.clip
    if before is after:
        return 0.0
    if not before.skeleton.same_joints(after.skeleton):
        return None
    origins = origins_of(outcome, timing_of(outcome, inputs))
    if origins is None and len(before) != len(after):
        return None
    apart = after.positions() - (before.positions() if origins is None else interpolate(before.positions(), origins))
    return 1e3 * float(np.sqrt(np.einsum("fjk,fjk->fj", apart, apart).max()))


def _described(origin: Origin, clip: Clip | None) -> dict[str, Any]:
    line: dict[str, Any] = {
        "label": origin.label,
        "sample": None if origin.is_file else origin.stem,
        "path": origin.place if origin.is_file else None,
    }
    if clip is None:
        return {**line, "format": None, "frames": 0, "fps": 0.0, "joints": 0}
    facts = {"format": clip.source.format, "frames": len(clip), "fps": clip.fps, "joints": len(clip.skeleton)}
    return {**line, **facts}


def _step(step: Any, result: StepResult | None) -> dict[str, Any]:
    plain = step.operation.model_dump(mode="json", exclude={"op"})
    state = "off" if not step.on else "done" if result is None or result.state == "off" else result.state
    return {
        "id": step.id,
        "op": step.operation.tag(),
        "title": title(step.operation.tag()),
        "on": step.on,
        "knobs": plain,
        "set": list(step.operation.model_dump(mode="json", exclude={"op"}, exclude_defaults=True)),
        "state": state,
        "error": None if result is None or not step.on else result.error,
        "report": None if result is None or not step.on else result.report,
    }


def _tracks(stack: Stack, source: Clip, inputs: dict[str, Clip]) -> list[dict[str, Any]]:
    """Tracks with their stops filled in."""
    tracks = []
    for track in stack.tracks():
        clip = source if track["clip"] == "source" else inputs.get(track["clip"])
        frames = 0 if clip is None else round((len(clip) - 1) * source.fps / clip.fps) + 1
        stop = frames if track["stop"] is None else min(track["stop"], frames)
        tracks.append({**track, "stop": stop, "frames": frames})
    return tracks
