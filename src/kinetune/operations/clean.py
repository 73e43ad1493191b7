"""All that motion from elsewhere needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

from kinetune.body.clip import Clip
from kinetune.body.quality.measures import labelled_speed
from kinetune.body.quality.score import quality_score
from kinetune.diagnosis.detectors import DETECTORS, GAUGES, Case, Detector, measured
from kinetune.findings import Finding
from kinetune.operations.base import STANCE, Operation, collecting_results, parameter, report_result
from kinetune.operations.denoise import Denoise

_ASKED = ("wrong-unit", "unusual-size", "wrong-up")
"""Findings that leave open which way is up or how long a metre is, where they carry no step,"""
_IN_METRES = ("floor", "limits", "feet")
"""and the parts of a cleaning that need to know."""
_MOVING_LIMBS = ("limit", "plant_feet", "keep_above_floor")
_RIGHT_OR_WRONG = ("reinterpret",)
"""Steps whose number is neither better low nor high: a size, a frame rate."""
_DECIMALS = 3  # of a millimetre, a centimetre or a degree: less is no gain
_WORSE = 1.0  # of 100


@dataclass(frozen=True)
class CleaningStep:
    """One step of a cleaning: an ordinary operation, the findings that ask for it, and a number before and after it.

    results : what the operation reported while it ran.
    """

    step: Operation
    reasons: tuple[Finding, ...]
    quantity: str
    before: float
    after: float
    results: tuple[Finding, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The step as a JSON-ready mapping."""
        return {
            "step": self.step.as_step(),
            "reasons": [finding.as_dict() for finding in self.reasons],
            "quantity": self.quantity,
            "before": self.before,
            "after": self.after,
            "findings": [finding.as_dict() for finding in self.results],
        }

    @staticmethod
    def sentence(step: Mapping[str, Any]) -> str:
        """The step, as a mapping, in one line."""
        reasons = " ".join(reason["message"] for reason in step["reasons"])
        before, after = (round(step[when], 6) for when in ("before", "after"))
        change = f"{before:.3g} {step['quantity']} before, {after:.3g} after"
        return f"{step['step']['op']}: {reasons} ({change})"


class Cleaning(NamedTuple):
    """A cleaned clip, and the steps that made it."""

    clip: Clip
    steps: tuple[CleaningStep, ...]


class Clean(Operation):
    """Make imported motion usable: repair the defects it has, in the right order, and nothing else.

    A wrong unit, up axis or frame rate is corrected, poses that do not belong to the motion are cut off, noise and
    spikes are removed, the floor is put at height zero and levelled, joints are brought back to what a body can do,
    standing feet are planted (by the labels of the file if it has any), and nothing stays below the floor. Defects
    are those that ``kinetune doctor`` finds; every step is an ordinary operation that is taken only if a finding
    requires it. A clean clip stays as it is.
    """

    moves_floor: ClassVar[bool] = True

    op: Literal["clean"] = "clean"
    amount: float = parameter(
        1.0, "How much of each correction to apply: 1 is what the clip needs, 0 nothing.", unit="1", ge=0.0, le=2.0
    )
    tolerance: float = parameter(
        1.0,
        "How much of a defect to tolerate, relative to what good captures have; 0 repairs everything.",
        unit="1",
        ge=0.0,
        le=10.0,
    )
    units: bool = parameter(True, "Correct unit, up axis and frame rate where the motion proves them wrong.", unit="")
    trim: bool = parameter(True, "Cut off a T-pose and other poses that do not belong to the motion.", unit="")
    noise: bool = parameter(True, "Remove noise, spikes, dropouts and flips of a few frames.", unit="")
    floor: bool = parameter(True, "Put the floor at height zero, and level it.", unit="")
    limits: bool = parameter(True, "Bring joints back within what a body can do.", unit="")
    feet: bool = parameter(True, "Plant standing feet, and lift what is below the floor.", unit="")

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
        stance, lost = clip, False
        for detector in self._detectors(steps):
            if not detector.part or not getattr(self, detector.part) or (lost and detector.part in _IN_METRES):
                continue
            denoised = any(isinstance(taken.step, Denoise) and taken.step.noise for taken in steps)
            findings = detector(clip, Case(self.tolerance, denoised))
            reasons = tuple(finding for finding in findings if finding.step is not None)
            if not reasons:
                lost = lost or any(finding.kind in _ASKED for finding in findings)
                continue
            taken = self._take(reasons, clip, stance)
            if taken is not None:
                steps.append(taken[0])
                stance = stance if taken[0].step.keeps_stance else taken[1]
                clip = taken[1]
        return Cleaning(clip, tuple(steps))

    def _detectors(self, steps: Sequence[CleaningStep]) -> Iterator[Detector]:
        """What to look for, in order; after planting for the floor once more, which sliding feet do not show well."""
        for detector in DETECTORS if self.amount > 0.0 else ():
            before = len(steps)
            yield detector
            if len(steps) > before and steps[-1].step.tag() == "plant_feet":
                yield from (other for other in DETECTORS if other.part == "floor")

    def _take(self, reasons: tuple[Finding, ...], clip: Clip, stance: Clip) -> tuple[CleaningStep, Clip] | None:
        """The step that some findings ask for, and the clip after it; None where it makes nothing better."""
        step = self._operation(reasons[0])
        with collecting_results() as results:  # as a recipe takes it, so that the steps make the same clip again
            cleaned = step(clip, **({STANCE: stance} if step.asks_for_stance and stance is not clip else {}))
        gained = None if cleaned is clip else _gain(step, reasons, clip, cleaned)
        if gained is None or _costs_quality(step, clip, cleaned):
            return None
        kind, before, after = gained
        findings = tuple(result for result in results if isinstance(result, Finding))
        by_labels = kind == "foot-slide" and labelled_speed(clip) is not None
        return CleaningStep(step, reasons, "mm/s" if by_labels else GAUGES[kind].unit, before, after, findings), cleaned

    def _operation(self, finding: Finding) -> Operation:
        """The operation that mends a finding, with as much of it as is wanted."""
        from kinetune.operations import find_operation

        parameters = dict(finding.step or {})
        operation = find_operation(parameters.pop("op"))
        if self.amount != 1.0 and "amount" in operation.model_fields:
            parameters["amount"] = self.amount if operation is Denoise else min(self.amount, 1.0)
        return operation(**parameters)

    def report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
        """The steps that were taken."""
        cleaning = next((result for result in results if isinstance(result, Cleaning)), None)
        return None if cleaning is None else {"cleaning": [step.as_dict() for step in cleaning.steps]}

    def describe(self, report: Mapping[str, Any]) -> Sequence[str]:
        """One line for each step."""
        return [CleaningStep.sentence(step) for step in report["cleaning"]] or ["Nothing needed cleaning."]


def _gain(step: Operation, reasons: Sequence[Finding], before: Clip, after: Clip) -> tuple[str, float, float] | None:
    """The first kind of finding whose number a step brings down, with the number before and after; None if none."""
    for kind in dict.fromkeys(reason.kind for reason in reasons):
        was, now = (GAUGES[kind].read(clip) for clip in (before, after))
        lower = was is not None and now is not None and round(now, _DECIMALS) < round(was, _DECIMALS)
        if was is not None and now is not None and (lower or step.tag() in _RIGHT_OR_WRONG):
            return kind, was, now
    return None


def _costs_quality(step: Operation, before: Clip, after: Clip) -> bool:
    """Whether a step that moves limbs makes the clip as a whole worse; labels of a file are judged by themselves."""
    if step.tag() not in _MOVING_LIMBS or labelled_speed(before) is not None:
        return False
    return quality_score(measured(after)) < quality_score(measured(before)) - _WORSE
