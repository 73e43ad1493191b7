"""The frames in view first: part of the motion, computed from part of the clip.

* Equalizer, shaping curve and displacement keys are exact in the window: what does not depend on the moved control is
  computed once (:class:`PreviewCache`), or is not needed (:meth:`kinetune.operations.Operation.part`).
* Clips that are combined (a blend, examples under a target, steps under a footprint) are prepared once
  (:meth:`kinetune.operations.Operation.live_preview`); the window is close to what the whole clip will show.
* Steps after it, and other edits that look at nearby frames only, run on the window and a margin around it.
  That is a preview: the whole clip corrects it a moment later.
* Everything else is computed for the whole clip.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kinetune.body.clip import Clip
from kinetune.errors import KinetuneError
from kinetune.operations import Operation
from kinetune.operations.base import LiveFrames, LivePreview, MovesFeet, View
from kinetune.progress import Cancelled
from kinetune.recipes.steps import Reached, take_step
from kinetune.studio.documents.origins import one_line
from kinetune.studio.documents.stack import Stack, StackStep
from kinetune.studio.evaluate.evaluation import EvaluationPlan, Evaluator, NamedClips, StepResult, step_report


@dataclass(frozen=True, eq=False)
class StepPreview:
    """Some frames of a clip, ready for one kind of step.

    clip : whose; it lives as long as the preview does.
    about : the parameters that it was made for; the others may change.
    mix : the frames for an operation.
    exact : whether they are those of the whole.
    """

    clip: Clip
    about: tuple[Any, ...]
    mix: Callable[[Any], Clip]
    exact: bool


_MOST_LIVE = 4
"""Live previews in the cache: a document seldom has more than one step that combines clips."""


class PreviewCache:
    """Previews of the steps that are being edited."""

    def __init__(self) -> None:
        self._preview: StepPreview | None = None
        self._before: tuple[Clip, tuple[Any, ...], Clip] | None = None
        self._live: OrderedDict[tuple[Any, ...], tuple[list[Clip], LivePreview]] = OrderedDict()
        self._lock = threading.Lock()

    def clear(self) -> None:
        """Drop them."""
        with self._lock:
            self._preview = self._before = None
            self._live.clear()

    def before(self, clip: Clip, operation: Operation, first: int, last: int) -> Clip:
        """Some frames as they come to a step (:meth:`kinetune.operations.Operation.part_before`)."""
        about = (operation.tag(), _keeps_feet(operation), first, last)
        known = self._before  # read once: another thread may replace or clear it
        if known is None or known[0] is not clip or known[1] != about:
            known = self._before = (clip, about, operation.part_before(clip, first, last))
        return known[2]

    def preview(self, clip: Clip, operation: Operation, first: int, last: int) -> StepPreview | None:
        """The preview for some frames of a clip, or None for operations without one."""
        about = operation.preview_key()
        if about is None:
            return None
        about = (*about, first, last)
        known = self._preview  # read once: another thread may replace or clear it
        if known is None or known.about != about or known.clip is not clip:
            made = operation.preview(clip, first, last)
            known = self._preview = None if made is None else StepPreview(clip, about, *made)
        return known

    def live(self, operation: Operation, clip: Clip, inputs: Mapping[str, Clip], view: View) -> LiveFrames:
        """The frames in view of an operation that has a :meth:`~kinetune.operations.Operation.live_key`."""
        clips = [clip, *(inputs[name] for name in operation.inputs_needed())]
        key = (operation.tag(), operation.live_key(), *map(id, clips))
        with self._lock:  # a preview goes on from where it was: one thread at a time
            if key not in self._live:
                self._live[key] = (clips, operation.live_preview(clip, inputs))
            self._live.move_to_end(key)
            while len(self._live) > _MOST_LIVE:
                self._live.popitem(last=False)
            return self._live[key][1].frames(operation, view)


FRAMES = 240
QUICK_MS = 6.0
"""A whole evaluation that is expected to be this quick needs no window."""
_MARGIN_S = 0.75


@dataclass(frozen=True, eq=False)
class MotionWindow:
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
class _Part:
    """Some frames after the step that is being edited.

    first, frames : where they begin, and how long the whole is.
    report : what the step reports beside them.
    """

    reached: Reached
    first: int
    frames: int
    exact: bool
    report: Mapping[str, Any] | None = None


class Windows:
    """Previews of one document."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.previews = PreviewCache()

    def clear(self) -> None:
        """Drop the preview."""
        self.previews.clear()

    def window(
        self, stack: Stack, frame: int, known: tuple[StepResult, ...], stop: Callable[[], bool] = lambda: False
    ) -> MotionWindow | None:
        """The frames around ``frame``, or None where only the whole clip will do.

        Parameters
        ----------
        known : the last results of the steps.
        stop : asked at each report of progress; see :meth:`Evaluator.whole`.
        """

        def show(share: float | None, text: str) -> None:
            if stop():
                raise Cancelled

        plan = self.evaluator.plan(stack)
        active = [step for step in stack.steps[plan.done :] if step.on and step.id not in plan.waiting]
        if not active:
            return None
        moved, later = active[0], active[1:]
        # A step with a preview is quick in any case; what it took with neutral parameters says nothing.
        quick = moved.operation.preview_key() is None and moved.operation.live_key() is None
        if quick and self.evaluator.expected_ms(stack, plan) < QUICK_MS:
            return None
        if any(step.operation.region is not None or not step.operation.is_local() for step in later):
            return None
        results = {result.id: result for result in known}
        begun, error = time.perf_counter(), None
        era = self.evaluator.locks.era
        try:
            with self.evaluator.locks.working(plan.keys[stack.position(moved.id)] or "", show) as goes_on:
                part = self._moved(moved.operation, plan, frame, alone=not later) if goes_on() else None
                if era != self.evaluator.locks.era:  # the document was closed: the preview must not outlive it
                    self.previews.clear()
        except Cancelled:
            if stop():
                raise
            return None
        except KinetuneError as failure:
            error, part = one_line(failure), _untouched(plan.reached, frame)
        if part is None:
            return None
        results[moved.id] = StepResult(moved.id, "failed" if error else "done", error, _ms(begun), part.report)
        clip = self._later(later, plan.inputs, part.reached, results).clip
        start, end = span(frame, part.frames)
        listed = tuple(results[step.id] for step in stack.steps if step.id in results)
        shown = clip[start - part.first : end - part.first]
        return MotionWindow(shown, start, part.frames, clip.fps, part.exact and not later, listed)

    def _moved(self, operation: Operation, plan: EvaluationPlan, frame: int, *, alone: bool) -> _Part | None:
        """The frames in view after the step that is being edited, and a margin for the steps after it."""
        clip, inputs = plan.reached.clip, NamedClips(plan.inputs)
        region = operation.region
        if operation.live_key() is not None and region is None:
            return self._live(operation, clip, inputs, frame, alone)
        start, stop = span(frame, len(clip))
        if stop - start == len(clip):
            return None
        first, last = _with_margin(start, stop, clip, _margin_s(operation, alone))
        preview = self.previews.preview(clip, operation, first, last)
        worked = preview.mix(operation) if preview is not None else operation.part(clip, inputs, first, last)
        if worked is not None:
            share = None if region is None else region.shares(len(clip), clip.fps)[first:last]
            before = self.previews.before(clip, operation, first, last)
            bare, worked = worked, operation.completed(before, worked, share)
            stance = plan.reached.stance[first:last] if operation.keeps_stance else worked
            exact = worked is bare and (preview is None or preview.exact)
            return _Part(Reached(worked, stance), first, len(clip), exact)
        if not operation.is_local() or region is not None:
            return None
        first, last = _with_margin(start, stop, clip, _MARGIN_S)
        reached = Reached(clip[first:last], plan.reached.stance[first:last])
        return _Part(take_step(operation, reached, inputs), first, len(clip), False)

    def _live(
        self, operation: Operation, clip: Clip, inputs: Mapping[str, Clip], frame: int, alone: bool
    ) -> _Part | None:
        """Combined clips, whose length may change with every move."""

        def view(frames: int) -> tuple[int, int]:
            margin = 0 if alone else round(_MARGIN_S * clip.fps)
            start, stop = span(frame, frames)
            return max(0, start - margin), min(frames, stop + margin)

        live = self.previews.live(operation, clip, inputs, view)
        if len(live.clip) == live.frames and not operation.generator:
            return None
        report = step_report(operation, clip, live.clip, live.results)
        return _Part(Reached.start(operation.finished(live.clip, live.clip)), live.first, live.frames, False, report)

    def _later(
        self, steps: list[StackStep], inputs: Mapping[str, Clip], reached: Reached, results: dict[str, StepResult]
    ) -> Reached:
        """The steps after it; one that cannot be taken passes its clip on, with the error message."""
        for step in steps:
            begun, error = time.perf_counter(), None
            try:
                reached = take_step(step.operation, reached, NamedClips(inputs))
            except KinetuneError as failure:
                error = one_line(failure)
            results[step.id] = StepResult(step.id, "failed" if error else "done", error, _ms(begun))
        return reached

    def prepare(self, stack: Stack, id: str, frame: int) -> None:
        """Prepare the preview of a step that is about to be edited, so that the first move is as quick as the rest."""
        number = stack.position(id)
        operation = stack.steps[number].operation
        if operation.preview_key() is None:
            return
        before = Stack(stack.source, stack.inputs, stack.steps[:number])
        clip = self.evaluator.whole(before).clip
        start, stop = span(frame, len(clip))
        alone = not any(step.on for step in stack.steps[number + 1 :])
        if stop - start < len(clip):
            first, last = _with_margin(start, stop, clip, _margin_s(operation, alone))
            self.previews.preview(clip, operation, first, last)
            self.previews.before(clip, operation, first, last)


def span(frame: int, frames: int) -> tuple[int, int]:
    """The frames in view around one of them; they stay put while the playhead stays in their middle half.

    Windows begin at multiples of a quarter of their length, so that a small move asks for the same frames.
    """
    if frames <= FRAMES:
        return 0, frames
    quarter = FRAMES // 4
    start = min(max(0, (frame // quarter) * quarter - quarter), frames - FRAMES)
    return start, start + FRAMES


def _keeps_feet(operation: Operation) -> bool:
    return isinstance(operation, MovesFeet) and operation.keep_feet


def _margin_s(operation: Operation, alone: bool) -> float:
    """How much to compute on both sides of the frames in view; planted feet look at whole stances."""
    return 0.0 if alone and not _keeps_feet(operation) else _MARGIN_S


def _with_margin(start: int, stop: int, clip: Clip, seconds: float) -> tuple[int, int]:
    """The frames to compute for those in view; a step that is exact and the last one needs no more than these."""
    margin = round(seconds * clip.fps)
    return max(0, start - margin), min(len(clip), stop + margin)


def _untouched(reached: Reached, frame: int) -> _Part | None:
    """The frames in view as they come to a step that cannot be taken."""
    start, stop = span(frame, len(reached.clip))
    part = Reached(reached.clip[start:stop], reached.stance[start:stop])
    return None if stop - start == len(reached.clip) else _Part(part, start, len(reached.clip), True)


def _ms(begun: float) -> float:
    return 1e3 * (time.perf_counter() - begun)
