"""The frames in view first: a part of the motion, worked out from a part of the clip.

* An equalizer that is being moved is exact in the window: its bands are split once and mixed at every move
  (:class:`kinetune.body.band_desk.BandDesk`).
* Steps after it, and other edits that look at nearby frames only, are worked out on the window and a margin around it.
  That is a preview: the whole clip corrects it a moment later.
* A target or a footprint under the hand is followed from where it was (:mod:`kinetune.studio.live`).
* Everything else is worked out as a whole.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from kinetune.body.band_desk import BandDesk
from kinetune.body.clip import Clip
from kinetune.body.jumps import stray_frames
from kinetune.errors import KinetuneError
from kinetune.formats.channel_orders import channel_orders
from kinetune.operations import Operation
from kinetune.operations.equalize import Equalize
from kinetune.recipes.steps import Reached, take_step
from kinetune.rotations import Floats
from kinetune.studio.evaluate import Evaluator, Named, Plan, StepResult
from kinetune.studio.live import Live
from kinetune.studio.origins import sentence
from kinetune.studio.stack import Stack, Step

FRAMES = 240
QUICK_MS = 6.0
"""A whole evaluation that is expected to be this quick needs no window."""
_MARGIN_S = 0.75
_NEARBY = frozenset({"equalize", "smooth", "shape", "limit", "mirror", "plant_feet", "keep_above_floor"})
"""Edits that keep the number of frames, name no frame or time, and look at frames around each frame."""


@dataclass(frozen=True, eq=False)
class Window:
    """Some frames of the motion.

    clip : these frames only.
    start, frames, fps : where they begin, and how long the whole is.
    exact : whether they are what the whole will show.
    """

    clip: Clip
    start: int
    frames: int
    fps: float
    exact: bool
    results: tuple[StepResult, ...]


@dataclass(frozen=True, eq=False)
class _Desk:
    """The bands of some frames of a clip, and what they are good for."""

    clip: Clip
    about: tuple[Any, ...]
    motion: Clip  # the clip without a stray first frame
    times: Floats
    bands: BandDesk

    def mix(self, operation: Equalize) -> Clip:
        return self.bands.mix(operation.parts(self.motion, self.times), root=operation.root)


class Windows:
    """Previews of one document."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._desk: _Desk | None = None

    def clear(self) -> None:
        """Let go of the bands."""
        self._desk = None

    def window(self, stack: Stack, frame: int, known: tuple[StepResult, ...]) -> Window | None:
        """The frames around ``frame``, or None where only the whole clip will do.

        Parameters
        ----------
        known : how the steps went last time.
        """
        plan = self.evaluator.plan(stack)
        active = [step for step in stack.steps[plan.done :] if step.on]
        if not active:
            return None
        if Live.follows(active[0].operation):
            return self._follow(stack, plan, active, frame, known)
        # What an equalizer took with all gains at 1 says nothing; mixing its bands is quick in any case.
        if not isinstance(active[0].operation, Equalize) and self.evaluator.expected_ms(stack, plan) < QUICK_MS:
            return None
        if not all(_is_nearby(step.operation, number == 0) for number, step in enumerate(active)):
            return None
        clip = plan.reached.clip
        start, stop = span(frame, len(clip))
        if stop - start == len(clip):
            return None
        first, last = _with_margin(
            start, stop, clip, alone=len(active) == 1 and isinstance(active[0].operation, Equalize)
        )
        results = {result.id: result for result in known}
        reached: Reached | None = None
        exact = len(active) == 1
        for number, step in enumerate(active):
            begun = time.perf_counter()
            error = None
            if number == 0:
                desk = self._desk_for(clip, step.operation, first, last)
                if desk is not None and isinstance(step.operation, Equalize):
                    reached = Reached(desk.mix(step.operation), plan.reached.stance[first:last])
                    results[step.id] = StepResult(step.id, "done", None, _ms(begun))
                    continue
                exact = False
                reached = Reached(clip[first:last], plan.reached.stance[first:last])
            assert reached is not None
            try:
                reached = take_step(step.operation, reached, plan.inputs)
            except KinetuneError as failure:
                error = sentence(failure)
            results[step.id] = StepResult(step.id, "failed" if error else "done", error, _ms(begun))
        assert reached is not None
        part = reached.clip[start - first : stop - first]
        listed = tuple(results[step.id] for step in stack.steps if step.id in results)
        return Window(part, start, len(clip), clip.fps, exact, listed)

    def _follow(
        self, stack: Stack, plan: Plan, active: list[Step], frame: int, known: tuple[StepResult, ...]
    ) -> Window | None:
        """A generator under the hand, and the steps after it, if they are quick."""
        later = active[1:]
        if any(step.operation.tag() not in _NEARBY for step in later):
            return None
        results = {result.id: result for result in known}
        begun = time.perf_counter()
        try:
            clip, report = self.evaluator.live.work(active[0].operation, plan.reached.clip, Named(plan.inputs))
        except KinetuneError as failure:
            results[active[0].id] = StepResult(active[0].id, "failed", sentence(failure), _ms(begun))
            clip = plan.reached.clip
        else:
            results[active[0].id] = StepResult(active[0].id, "done", None, _ms(begun), report)
        start, stop = span(frame, len(clip))
        if stop - start < len(clip) and not later:
            part = clip[start:stop]
        else:
            start, part = 0, clip
        reached = Reached.start(part)
        for step in later:
            begun = time.perf_counter()
            try:
                reached = take_step(step.operation, reached, plan.inputs)
                results[step.id] = StepResult(step.id, "done", None, _ms(begun))
            except KinetuneError as failure:
                results[step.id] = StepResult(step.id, "failed", sentence(failure), _ms(begun))
        listed = tuple(results[step.id] for step in stack.steps if step.id in results)
        return Window(reached.clip, start, len(clip), clip.fps, False, listed)

    def prepare(self, stack: Stack, id: str, frame: int) -> None:
        """Split the bands for a step that is about to be moved, so that the first move is as quick as the rest."""
        number = stack.place(id)
        operation = stack.steps[number].operation
        before = Stack(stack.source, stack.inputs, stack.steps[:number])
        clip = self.evaluator.whole(before).clip
        start, stop = span(frame, len(clip))
        alone = not any(step.on for step in stack.steps[number + 1 :])
        if isinstance(operation, Equalize) and stop - start < len(clip):
            self._desk_for(clip, operation, *_with_margin(start, stop, clip, alone=alone))

    def _desk_for(self, clip: Clip, operation: Operation, first: int, last: int) -> _Desk | None:
        """The bands of some frames, kept from one move to the next."""
        if not isinstance(operation, Equalize) or operation.target != "rotations":
            return None
        about = (operation.representation, operation.ends, first, last)
        if self._desk is not None and self._desk.clip is clip and self._desk.about == about:
            return self._desk
        stray = stray_frames(clip)
        if first < stray or not BandDesk.suits(clip):
            return None
        motion = clip[stray:] if stray else clip
        orders = channel_orders(clip)[0] if operation.representation == "euler" else None
        bands = BandDesk(
            motion, first - stray, last - stray, kind=operation.representation, orders=orders, ends=operation.ends
        )
        self._desk = _Desk(clip, about, motion, clip.times[stray:], bands)
        return self._desk


def span(frame: int, frames: int) -> tuple[int, int]:
    """The frames in view around one of them; they stay put while the playhead stays in their middle half.

    Windows begin at multiples of a quarter of their length, so that a small move asks for the same frames.
    """
    if frames <= FRAMES:
        return 0, frames
    quarter = FRAMES // 4
    start = min(max(0, (frame // quarter) * quarter - quarter), frames - FRAMES)
    return start, start + FRAMES


def _with_margin(start: int, stop: int, clip: Clip, *, alone: bool) -> tuple[int, int]:
    """The frames to work out for those in view; an equalizer alone is exact and needs no more than these."""
    margin = 0 if alone else round(_MARGIN_S * clip.fps)
    return max(0, start - margin), min(len(clip), stop + margin)


def _is_nearby(operation: Operation, first: bool) -> bool:
    """Whether a part of the clip will do. Gains over time name seconds: only the bands know where those are."""
    if isinstance(operation, Equalize) and (operation.gain_keys or operation.amount_keys):
        return first and operation.target == "rotations"
    return operation.tag() in _NEARBY


def _ms(begun: float) -> float:
    return 1e3 * (time.perf_counter() - begun)
