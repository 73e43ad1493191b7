"""All that found motion needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.curves.pose_denoising import denoise_clip
from kinetune.body.feet.floor import find_floor
from kinetune.body.kinematics.joint_limits import find_excess
from kinetune.body.quality.checkup import DEEP_MM, LEAN_DEG, SLIDE_MM
from kinetune.body.quality.glitches import find_motion, motion_of
from kinetune.body.quality.measures import labelled_speed, measure
from kinetune.errors import ParameterError
from kinetune.findings import Finding
from kinetune.operations.base import STANCE, Operation, collecting_results, parameter, report_result
from kinetune.operations.denoise import Denoise
from kinetune.operations.keep_above_floor import KeepAboveFloor
from kinetune.operations.limit import Limit
from kinetune.operations.move import Move
from kinetune.operations.plant_feet import PlantFeet
from kinetune.operations.trim import Trim

FLOOR_MM = 20.0
"""How far from height zero feet may stand: files leave the thickness of soles open by about as much."""
NOISE_MM = 2.5
"""How far joints must jitter before a clip is denoised; captures of a good studio have 0.1 to 2."""
BEYOND_DEG = 30.0
"""How far beyond the human range a joint must go; captured people get 20 beyond in places."""
LABELLED_MM_S = 12.0
"""How fast joints may move that the file's own labels say stand."""


@dataclass(frozen=True)
class CleaningStep:
    """One step of a cleaning: an ordinary operation, why it is needed, and what is measured before and after it."""

    step: Operation
    reason: str
    quantity: str
    before: float
    after: float
    findings: tuple[Finding, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The step as a JSON-ready mapping."""
        return {
            "step": self.step.as_step(),
            "reason": self.reason,
            "quantity": self.quantity,
            "before": self.before,
            "after": self.after,
            "findings": [finding.as_dict() for finding in self.findings],
        }

    @staticmethod
    def sentence(step: Mapping[str, Any]) -> str:
        """The step, as a mapping, in one line."""
        op, change = step["step"]["op"], f"{step['before']:.3g} before, {step['after']:.3g} after"
        return f"{op}: {step['reason']} ({step['quantity']}: {change})."


class Cleaning(NamedTuple):
    """A cleaned clip, and the steps that made it."""

    clip: Clip
    steps: tuple[CleaningStep, ...]


class Clean(Operation):
    """Make found motion usable: the defects that are there are mended, in the right order, and nothing else.

    Poses that do not belong to the motion are cut off, noise and spikes go, the floor comes to height zero and is
    levelled, joints return to what a body can do, feet that stand are planted (by the labels of the file where it has
    any), and nothing stays in the floor. Every step is an ordinary operation that is taken only where it is needed; a
    clean clip stays as it is.
    """

    op: Literal["clean"] = "clean"
    amount: float = parameter(
        1.0, "How much to take of each correction: 1 is what the clip asks for, 0 nothing.", unit="1", ge=0.0, le=2.0
    )
    tolerance: float = parameter(
        1.0,
        "How much of a defect to leave, in units of what good captures have; 0 mends all.",
        unit="1",
        ge=0.0,
        le=10.0,
    )
    trim: bool = parameter(True, "Cut off a T-pose and other poses that do not belong to the motion.", unit="")
    noise: bool = parameter(True, "Take out noise, spikes, dropouts and flips of a few frames.", unit="")
    floor: bool = parameter(True, "Put the floor at height zero, and level it.", unit="")
    limits: bool = parameter(True, "Bring joints back to what a body can do.", unit="")
    feet: bool = parameter(True, "Plant feet that stand, and lift what is in the floor.", unit="")

    @classmethod
    def neutral(cls) -> Self:
        """Nothing of any correction."""
        return cls(amount=0.0)

    @classmethod
    def example(cls) -> Self:
        """A walk that slides a little is planted too."""
        return cls(tolerance=0.0)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The cleaned clip."""
        cleaning = self.clean(clip)
        report_result(cleaning)
        return cleaning.clip

    def clean(self, clip: Clip) -> Cleaning:
        """The cleaned clip, and the steps that lead to it as ordinary operations: a recipe to edit."""
        steps: list[CleaningStep] = []
        stance = clip
        for stage in _STAGES if self.amount > 0.0 else ():
            before = stage.gauge(clip) if getattr(self, stage.part) else None
            denoised = any(isinstance(done.step, Denoise) for done in steps)
            step = None if before is None else stage.step(clip, before, _Case(self.amount, self.tolerance, denoised))
            if step is None or before is None:
                continue
            with collecting_results() as results:  # as a recipe takes it, so that the steps make the same clip again
                cleaned = step(clip, **({STANCE: stance} if step.asks_for_stance and stance is not clip else {}))
            after = stage.gauge(cleaned)
            if cleaned is not clip and after is not None:
                findings = tuple(result for result in results if isinstance(result, Finding))
                steps.append(CleaningStep(step, stage.reason, stage.quantity, before, after, findings))
                clip, stance = cleaned, stance if step.keeps_stance else cleaned
        return Cleaning(clip, tuple(steps))

    def report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
        """The steps that were taken."""
        cleaning = next((result for result in results if isinstance(result, Cleaning)), None)
        return None if cleaning is None else {"cleaning": [step.as_dict() for step in cleaning.steps]}

    def describe(self, report: Mapping[str, Any]) -> Sequence[str]:
        """One line for each step."""
        return [CleaningStep.sentence(step) for step in report["cleaning"]] or ["Nothing needed cleaning."]


class _Case(NamedTuple):
    """How much to take of a correction and to leave of a defect, and whether the clip has been denoised."""

    amount: float
    tolerance: float
    denoised: bool


class _Stage(NamedTuple):
    """One part of a cleaning.

    part : the parameter that switches it off.
    gauge : what is measured, None where it cannot be. quantity : its name and unit.
    step : the operation that a clip needs, if any, given what was measured.
    """

    part: str
    reason: str
    quantity: str
    gauge: Callable[[Clip], float | None]
    step: Callable[[Clip, float, _Case], Operation | None]


def _stray(clip: Clip) -> float:
    start, stop, _ = find_motion(clip)
    return float(len(clip) - (stop - start))


def _trimming(clip: Clip, stray: float, case: _Case) -> Operation | None:
    return Trim(drop_t_pose=True) if stray else None


def noise_mm(clip: Clip) -> float:
    """How far noise moves joints, the root mean square in millimetres: what :class:`Denoise` would take off."""
    motion = motion_of(clip)
    apart = denoise_clip(motion)[0].positions() - motion.positions()
    return float(1e3 * np.sqrt(np.mean(np.sum(apart**2, axis=-1))))


def _denoising(clip: Clip, noise: float, case: _Case) -> Operation | None:
    needed = noise > case.tolerance * NOISE_MM or find_motion(clip).wrong
    return Denoise(amount=case.amount, keep_feet=False) if needed else None


def _floor_mm(clip: Clip) -> float | None:
    floor = find_floor(clip)
    return None if floor is None else 1e3 * (abs(floor.height) + float(np.hypot(*floor.slope)))


def _levelling(clip: Clip, off: float, case: _Case) -> Operation | None:
    floor = find_floor(clip)
    if floor is not None and floor.lean_deg > case.tolerance * LEAN_DEG:
        return Move(floor="level")
    return Move(floor="zero") if floor is not None and 1e3 * abs(floor.height) > case.tolerance * FLOOR_MM else None


def _beyond_deg(clip: Clip) -> float | None:
    try:
        excess = find_excess(clip, Limit().find(clip))
    except ParameterError:  # a skeleton that is not human
        return None
    return excess[0].worst_deg if excess else 0.0


def _limiting(clip: Clip, beyond: float, case: _Case) -> Operation | None:
    return Limit(amount=min(case.amount, 1.0)) if beyond > case.tolerance * BEYOND_DEG else None


def _slide(clip: Clip) -> float | None:
    speed = labelled_speed(clip)
    if speed is not None:
        return 1e3 * speed
    slide = measure(clip)["foot_slide_mm_per_s"]
    return None if slide is None else float(slide)


def _planting(clip: Clip, slide: float, case: _Case) -> Operation | None:
    most, rolling = case.tolerance * LABELLED_MM_S, PlantFeet(amount=min(case.amount, 1.0))
    if labelled_speed(clip) is not None:
        if slide <= most:
            return None
        slow = 1e3 * (labelled_speed(rolling(clip)) or 0.0) <= max(most, LABELLED_MM_S)
        return rolling if slow else PlantFeet(amount=min(case.amount, 1.0), hold="joints")
    return rolling if case.denoised or (measure(clip)["foot_slide_mm"] or 0.0) > case.tolerance * SLIDE_MM else None


def _depth(clip: Clip) -> float | None:
    depth = measure(clip)["penetration_mm"]
    return None if depth is None else float(depth)


def _lifting(clip: Clip, depth: float, case: _Case) -> Operation | None:
    return KeepAboveFloor(amount=min(case.amount, 1.0)) if depth > case.tolerance * DEEP_MM else None


_STAGES = (
    _Stage("trim", "frames that do not belong to the motion", "frames", _stray, _trimming),
    _Stage("noise", "noise, spikes or dropouts", "mm of noise", noise_mm, _denoising),
    _Stage("floor", "the floor is not level at height zero", "mm off, a metre from the middle", _floor_mm, _levelling),
    _Stage("limits", "joints go where no body's do", "degrees beyond", _beyond_deg, _limiting),
    _Stage("feet", "standing feet slide", "mm/s of slide", _slide, _planting),
    _Stage("feet", "parts of the body are in the floor", "mm deep", _depth, _lifting),
)
