"""From a stack to its motion, step by step; what has not changed is not worked out again.

A step's result depends on the source, on the steps before it and on its own knobs; the three together are its key.
A fader that moves changes the keys from its step on, and the results before it are at hand.
Steps run through :func:`kinetune.recipes.steps.take_step`, as on the command line: the same bits come out.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kinetune.body.clip import Clip
from kinetune.errors import KinetuneError
from kinetune.operations.base import collecting_results
from kinetune.progress import Cancelled, Sink
from kinetune.recipes.sources import SOURCE
from kinetune.recipes.steps import Reached, take_step
from kinetune.studio.documents.origins import Origins, one_line
from kinetune.studio.documents.stack import Stack, StackStep
from kinetune.studio.evaluate.generator_previews import Live
from kinetune.studio.evaluate.step_locks import StepLocks
from kinetune.studio.evaluate.step_reports import report_of

LEAST_CACHE_BYTES = 96 << 20
SLOW = frozenset({"filter_dynamics"})
"""Operations that take seconds: they are worked out when the user asks for them."""

StepState = Literal["done", "off", "failed", "waiting", "running"]


@dataclass(frozen=True)
class StepResult:
    """How it went with one step."""

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


@dataclass(frozen=True, eq=False)
class CachedStep:
    """A result in the cache.

    found : what a slow operation has told beside its clip.
    """

    reached: Reached
    error: str | None
    ms: float
    report: Mapping[str, Any] | None
    bytes: int
    found: tuple[Any, ...] = ()


@dataclass(frozen=True, eq=False)
class EvaluationPlan:
    """What there is to do: the keys of all steps, and how far the cache reaches.

    keys : of each step; None for one that is off.
    waiting : ids of the steps that wait until somebody asks for them. Meanwhile they pass their clip on.
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
    """Works out the motion of one document; threads that want the same step wait for the one that works on it.

    running : ids of slow steps that a job works on.
    """

    origins: Origins
    running: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.live = Live()
        self._cache: OrderedDict[str, CachedStep] = OrderedDict()
        self._inputs: dict[object, Clip] = {}  # keeps the clips of this document alive
        self._lock = threading.Lock()
        self._pace: dict[str, float] = {}
        self.locks = StepLocks()

    # --- clips

    def clips(self, stack: Stack) -> tuple[Clip, dict[str, Clip], dict[str, str]]:
        """The source, the inputs that can be read, and a sentence for each that cannot."""
        source = self.origins.clip(stack.source)
        kept: dict[object, Clip] = {stack.source: source}
        inputs: dict[str, Clip] = {}
        problems: dict[str, str] = {}
        for name, origin in stack.inputs:
            try:
                inputs[name] = kept[origin] = self.origins.clip(origin)
            except KinetuneError as error:
                problems[name] = one_line(error)
        self._inputs = kept
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
            own = _key(key, step, named)
            keys.append(own)
            kept = self._recall(own)
            if kept is None and not slow and (step.operation.tag() in SLOW or self.locks.is_halted(own)):
                waiting.add(step.id)  # what comes after it does not depend on it, as long as it waits
                done += 0 if open_ else 1
                continue
            key = own
            if kept is None:
                open_ = True
            elif not open_:
                reached = kept.reached
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
        stop : asked before each step and wherever a step tells how far it is; when it says so, :class:`Cancelled` is
            raised.
        slow : also work out steps that wait.
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
            kept = self._worked(step, key, reached, plan, stop, slow, sink)
            if kept is None and self.locks.is_halted(key):
                return self.whole(stack, stop, slow=slow, sink=sink)  # now it waits
            if kept is None:
                raise Cancelled
            used.add(key)
            state: StepState = "done" if kept.error is None else "failed"
            results.append(StepResult(step.id, state, kept.error, kept.ms, kept.report))
            reached = kept.reached
        self._forget(used)
        return EvaluatedStack(stack, plan.source, reached.clip, tuple(entering), tuple(results))

    def _worked(
        self,
        step: StackStep,
        key: str,
        reached: Reached,
        plan: EvaluationPlan,
        stop: Callable[[], bool],
        slow: bool,
        sink: Sink | None,
    ) -> CachedStep | None:
        """A step, from the cache or worked out now; None if it was halted, or nobody looks any more."""
        kept = self._recall(key)
        if kept is not None:
            return kept
        if stop():
            raise Cancelled

        def show(share: float | None, text: str) -> None:
            if stop():
                raise Cancelled
            if sink is not None:
                sink(share, text)

        with self.locks.working(key, show, halts=not slow) as goes_on:
            kept = self._recall(key)  # another thread may have had it
            if kept is None and goes_on():
                try:
                    kept = run_step(step, reached, plan.inputs, self.live)
                except Cancelled:
                    if goes_on():
                        raise  # a newer state is at hand
                    return None
                self._keep(key, kept)
                self._pace[step.id] = kept.ms / max(len(reached.clip), 1)
        return kept

    def expected_ms(self, stack: Stack, plan: EvaluationPlan) -> float:
        """How long the steps that are not in the cache will take, by what they took before."""
        frames = len(plan.reached.clip)
        steps = [step for step in stack.steps[plan.done :] if step.on and step.id not in plan.waiting]
        return sum(self._pace.get(step.id, 1e9) * frames for step in steps)

    # --- the cache

    def result_of(self, stack: Stack, id: str) -> CachedStep | None:
        """What is kept of a step, or None."""
        plan = self.plan(stack)
        key = plan.keys[stack.place(id)]
        return None if key is None else self._recall(key)

    def put(self, stack: Stack, id: str, kept: CachedStep) -> None:
        """Keep the result of a step that was worked out elsewhere."""
        key = self.plan(stack).keys[stack.place(id)]
        if key is not None:
            self._keep(key, kept)

    def clear(self) -> None:
        """Let go of everything: nobody looks at the document."""
        self.locks.clear()
        self.live.clear()
        with self._lock:
            self._cache.clear()
            self._inputs = {}

    @property
    def bytes(self) -> int:
        with self._lock:
            return sum(kept.bytes for kept in self._cache.values())

    def _recall(self, key: str) -> CachedStep | None:
        with self._lock:
            kept = self._cache.get(key)
            if kept is not None:
                self._cache.move_to_end(key)
            return kept

    def _keep(self, key: str, kept: CachedStep) -> None:
        with self._lock:
            self._cache[key] = kept
        self.locks.done(key)

    def _forget(self, used: set[str]) -> None:
        """Let the oldest results go, but for those in use and a share for undo."""
        with self._lock:
            total = sum(kept.bytes for kept in self._cache.values())
            current = sum(self._cache[key].bytes for key in used if key in self._cache)
            budget = max(LEAST_CACHE_BYTES, 2 * current)
            for key in [key for key in self._cache if key not in used]:
                if total <= budget:
                    break
                total -= self._cache.pop(key).bytes


def run_step(step: StackStep, reached: Reached, inputs: Mapping[str, Clip], live: Live) -> CachedStep:
    """Take one step; one that cannot be taken passes its clip on, with the sentence."""
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
    report = None if error else report_of(step.operation, reached.clip, after.clip, inputs, results, live)
    size = 0 if after is reached else clip_bytes(after.clip)
    return CachedStep(after, error, ms, report, size, tuple(results) if step.operation.tag() in SLOW else ())


class NamedClips(dict[str, Clip]):
    """Clips by name; a missing one is a sentence."""

    def __missing__(self, name: str) -> Clip:
        raise KinetuneError(f'The clip "{name}" is missing. Drop it on the timeline again, or choose another one.')


def clip_bytes(clip: Clip) -> int:
    """What a clip keeps in memory, joint positions included."""
    return len(clip) * len(clip.skeleton) * 8 * (4 + 7 + (3 if clip.translations is not None else 0))


def _key(before: str, step: StackStep, inputs: Mapping[str, Clip]) -> str:
    used = [(name, id(inputs.get(name))) for name in step.operation.inputs_needed()]
    return hashlib.blake2b(f"{before}|{step.text}|{used}".encode(), digest_size=16).hexdigest()
