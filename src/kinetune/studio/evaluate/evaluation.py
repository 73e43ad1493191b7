"""From a stack to its motion, step by step; what has not changed is not computed again.

A step's result depends on the source, on the steps before it and on its own parameters; the three together are its key.
A fader that moves changes the keys from its step on, and the results before it are in the cache.
Steps run through :func:`kinetune.recipes.steps.take_step`, as on the command line: the same bits come out.
"""

from __future__ import annotations

import hashlib
import itertools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from kinetune.body.clip import Clip
from kinetune.errors import KinetuneError
from kinetune.findings import Finding
from kinetune.operations import Operation
from kinetune.operations.base import collecting_results
from kinetune.progress import Cancelled, Sink
from kinetune.recipes.sources import SOURCE
from kinetune.recipes.steps import Reached, take_step
from kinetune.studio.documents.origins import Origins, one_line
from kinetune.studio.documents.stack import Stack, StackStep
from kinetune.studio.evaluate._step_locks import StepLocks

LEAST_CACHE_BYTES = 96 << 20

StepState = Literal["done", "off", "failed", "waiting", "running"]


@dataclass(frozen=True)
class StepResult:
    """The state of one step, its error and its report."""

    id: str
    state: StepState
    error: str | None = None
    ms: float = 0.0
    report: Mapping[str, Any] | None = None

    def as_plain(self) -> dict[str, Any]:
        return {"id": self.id, "state": self.state, "error": self.error, "ms": round(self.ms, 3), "report": self.report}


@dataclass(frozen=True, eq=False)
class EvaluatedStack:
    """The motion of a stack.

    stack : whose.
    source, clip : before and after all steps.
    entering : the clip as it comes to each step.
    results : of each step.
    """

    stack: Stack
    source: Clip
    clip: Clip
    entering: tuple[Clip, ...]
    results: tuple[StepResult, ...]

    @property
    def moved_scene(self) -> Clip | None:
        """The motion after the last step that moves the floor along with the character or puts the motion on another.

        None where no step does.
        """
        clips = [*self.entering, self.clip]
        moved = [
            after
            for step, (before, after) in zip(self.stack.steps, itertools.pairwise(clips), strict=True)
            if step.on and ((step.operation.moves_floor and not step.operation.region) or not _same_body(before, after))
        ]
        return moved[-1] if moved else None


def _same_body(one: Clip, other: Clip) -> bool:
    """Whether two motions are of characters of the same size and build: a child has the joints of an adult."""
    a, b = one.skeleton, other.skeleton
    return a is b or (a.same_joints(b) and np.allclose(a.offsets, b.offsets, atol=1e-6))


@dataclass(frozen=True, eq=False)
class CachedStep:
    """A result in the cache.

    values : what a slow operation has reported beside its clip.
    inputs : the clips that its key names by their address; they live as long as the result does.
    """

    reached: Reached
    error: str | None
    ms: float
    report: Mapping[str, Any] | None
    bytes: int
    values: tuple[Any, ...] = ()
    inputs: Mapping[str, Clip] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class EvaluationPlan:
    """What there is to do: the keys of all steps, and how far the cache reaches.

    keys : of each step; None for one that is off.
    waiting : ids of the steps that wait until the user runs them. Meanwhile they pass their clip on.
    done : how many steps from the first on are in the cache, or need nothing.
    reached : after those.
    """

    source: Clip
    inputs: Mapping[str, Clip]
    keys: tuple[str | None, ...]
    waiting: frozenset[str]
    done: int
    reached: Reached


@dataclass
class Evaluator:
    """Computes the motion of one document; threads that need the same step wait for the one that computes it.

    running : ids of slow steps that a job computes.
    """

    origins: Origins
    running: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._cache: OrderedDict[str, CachedStep] = OrderedDict()
        self._inputs: dict[object, Clip] = {}  # keeps the clips of this document alive
        self._lock = threading.Lock()
        self._pace: dict[str, float] = {}
        self.locks = StepLocks()

    # --- clips

    def clips(self, stack: Stack) -> tuple[Clip, dict[str, Clip], dict[str, str]]:
        """The source, the inputs that can be read, and an error message for each that cannot."""
        source = self.origins.clip(stack.source)
        by_origin: dict[object, Clip] = {stack.source: source}
        inputs: dict[str, Clip] = {}
        problems: dict[str, str] = {}
        for name, origin in stack.inputs:
            try:
                inputs[name] = by_origin[origin] = self.origins.clip(origin)
            except KinetuneError as error:
                problems[name] = one_line(error)
        self._inputs = by_origin
        return source, inputs, problems

    # --- evaluation

    def plan(self, stack: Stack, *, slow: bool = False) -> EvaluationPlan:
        """How far the cache reaches for a stack.

        Parameters
        ----------
        slow : no step waits.
        """
        source, inputs, _ = self.clips(stack)
        named = {**inputs, SOURCE: source}
        keys: list[str | None] = []
        waiting: set[str] = set()
        key = f"{stack.source.place}|{stack.source.reading}|{id(source)}"
        reached = Reached.start(source)
        done, open_ = 0, False
        for step in stack.steps:
            if not step.on:
                keys.append(None)
                done += 0 if open_ else 1
                continue
            step_key = _key(key, step, named)
            keys.append(step_key)
            cached = self._recall(step_key)
            if cached is None and not slow and (step.operation.slow or self.locks.is_halted(step_key)):
                waiting.add(step.id)  # what comes after it does not depend on it, as long as it waits
                done += 0 if open_ else 1
                continue
            key = step_key
            if cached is None:
                open_ = True
            elif not open_:
                reached = cached.reached
                done += 1
        return EvaluationPlan(source, named, tuple(keys), frozenset(waiting), done, reached)

    def whole(
        self,
        stack: Stack,
        stop: Callable[[], bool] = lambda: False,
        *,
        slow: bool = False,
        sink: Sink | None = None,
    ) -> EvaluatedStack:
        """The motion of a stack.

        Parameters
        ----------
        stop : asked before each step and at each report of progress; when it returns True, :class:`Cancelled` is
            raised.
        slow : also run steps that wait.
        sink : gets the progress of each step.
        """
        plan = self.plan(stack, slow=slow)
        reached = Reached.start(plan.source)
        entering, results = [], []
        used: set[str] = set()
        for step, key in zip(stack.steps, plan.keys, strict=True):
            entering.append(reached.clip)
            if key is None:
                results.append(StepResult(step.id, "off"))
                continue
            if step.id in plan.waiting:
                results.append(StepResult(step.id, "running" if step.id in self.running else "waiting"))
                continue
            cached = self._step_result(step, key, reached, plan, stop, slow, sink)
            if cached is None and self.locks.is_halted(key):
                return self.whole(stack, stop, slow=slow, sink=sink)  # now it waits
            if cached is None:
                raise Cancelled
            used.add(key)
            state: StepState = "done" if cached.error is None else "failed"
            results.append(StepResult(step.id, state, cached.error, cached.ms, cached.report))
            reached = cached.reached
        self._trim(used)
        return EvaluatedStack(stack, plan.source, reached.clip, tuple(entering), tuple(results))

    def _step_result(
        self,
        step: StackStep,
        key: str,
        reached: Reached,
        plan: EvaluationPlan,
        stop: Callable[[], bool],
        slow: bool,
        sink: Sink | None,
    ) -> CachedStep | None:
        """A step, from the cache or computed now; None if it was halted or the document was closed."""
        cached = self._recall(key)
        if cached is not None:
            return cached
        if stop():
            raise Cancelled

        def show(share: float | None, text: str) -> None:
            if stop():
                raise Cancelled
            if sink is not None:
                sink(share, text)

        era = self.locks.era
        with self.locks.working(key, show, halts=not slow) as goes_on:
            cached = self._recall(key)  # another thread may have had it
            if cached is None and goes_on():
                try:
                    cached = run_step(step, reached, plan.inputs)
                except Cancelled:
                    if goes_on():
                        raise  # there is a newer state
                    return None
                if slow and stop():
                    raise Cancelled  # after its last report: it must not show up all the same
                if not slow and self.locks.is_halted(key):
                    return None
                self._store(key, cached, None if slow else era)
                self._pace[step.id] = cached.ms / max(len(reached.clip), 1)
        return cached

    def halt(self, stack: Stack) -> None:
        """Stop the step of a stack that is being computed, or is about to be, until the user runs it."""
        plan = self.plan(stack)
        later = zip(stack.steps[plan.done :], plan.keys[plan.done :], strict=True)
        self.locks.halt(next((key for step, key in later if key and step.id not in plan.waiting), None))

    def expected_ms(self, stack: Stack, plan: EvaluationPlan) -> float:
        """Estimate the time of the steps that are not in the cache from their last runs."""
        frames = len(plan.reached.clip)
        steps = [step for step in stack.steps[plan.done :] if step.on and step.id not in plan.waiting]
        return sum(self._pace.get(step.id, 1e9) * frames for step in steps)

    # --- the cache

    def result_of(self, stack: Stack, id: str) -> CachedStep | None:
        """The cached result of a step, or None."""
        plan = self.plan(stack)
        key = plan.keys[stack.position(id)]
        return None if key is None else self._recall(key)

    def clear(self) -> None:
        """Empty the cache: the document was closed."""
        self.locks.clear()
        with self._lock:
            self._cache.clear()
            self._inputs = {}

    @property
    def bytes(self) -> int:
        with self._lock:
            return sum(cached.bytes for cached in self._cache.values())

    def _recall(self, key: str) -> CachedStep | None:
        with self._lock:
            cached = self._cache.get(key)
            if cached is not None:
                self._cache.move_to_end(key)
            return cached

    def _store(self, key: str, cached: CachedStep, era: int | None) -> None:
        """Cache a result, unless the document was closed since ``era``: nothing would drop it then."""
        with self._lock:
            if era in (None, self.locks.era):
                self._cache[key] = cached
        self.locks.done(key)

    def _trim(self, used: set[str]) -> None:
        """Drop the oldest results, except those in use and a share for undo."""
        with self._lock:
            total = sum(cached.bytes for cached in self._cache.values())
            current = sum(self._cache[key].bytes for key in used if key in self._cache)
            budget = max(LEAST_CACHE_BYTES, 2 * current)
            for key in [key for key in self._cache if key not in used]:
                if total <= budget:
                    break
                total -= self._cache.pop(key).bytes


def run_step(step: StackStep, reached: Reached, inputs: Mapping[str, Clip]) -> CachedStep:
    """Take one step; one that cannot be taken passes its clip on, with the error message."""
    begun = time.perf_counter()
    error = None
    after = reached
    results: list[Any] = []
    try:
        with collecting_results() as results:
            after = take_step(step.operation, reached, NamedClips(inputs))
    except KinetuneError as failure:
        error = one_line(failure)
    ms = 1e3 * (time.perf_counter() - begun)
    report = None if error else step_report(step.operation, reached.clip, after.clip, results)
    size = 0 if after is reached else clip_bytes(after.clip)
    return CachedStep(after, error, ms, report, size, tuple(results) if step.operation.slow else (), inputs)


def step_report(operation: Operation, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
    """What an operation reports beside its motion, JSON-ready, and its findings; None where there is nothing."""
    findings = [value.as_dict() for value in results if isinstance(value, Finding)]
    report = operation.editor_report(before, after, [value for value in results if not isinstance(value, Finding)])
    return {**(report or {}), "findings": findings} if findings else report


class NamedClips(dict[str, Clip]):
    """Clips by name; a missing one raises a :class:`KinetuneError`."""

    def __missing__(self, name: str) -> Clip:
        raise KinetuneError(f'The clip "{name}" is missing. Drop it on the timeline again, or choose another one.')


def clip_bytes(clip: Clip) -> int:
    """The memory of a clip, joint positions included."""
    return len(clip) * len(clip.skeleton) * 8 * (4 + 7 + (3 if clip.translations is not None else 0))


def _key(before: str, step: StackStep, inputs: Mapping[str, Clip]) -> str:
    used = [(name, id(inputs.get(name))) for name in step.operation.inputs_needed()]
    return hashlib.blake2b(f"{before}|{step.text}|{used}".encode(), digest_size=16).hexdigest()
