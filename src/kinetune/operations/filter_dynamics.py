"""Make a motion obey physics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from kinetune.body.clip import Clip
from kinetune.body.curves.clip_mixing import mix_clips
from kinetune.findings import PARTIAL, REFUSED, Finding
from kinetune.operations.base import Operation, parameter, report_finding, report_result

if TYPE_CHECKING:
    from kinetune.physics.filter.filtering import FilterResult


class FilterDynamics(Operation):
    """Make a motion obey the laws of mechanics: feet that stand, forces that friction can provide, a body in balance.

    A body with mass performs the motion by nothing but its joints and the ground under its feet. What no body could do
    is changed as little as possible. Use it on captured, spliced, blended and exaggerated motion. The whole clip can be
    solved for at once, with feet fixed on the floor, or filtered frame by frame. Where no plausible motion is near, the
    clip stays as it is, and the reasons are given.
    """

    op: Literal["filter_dynamics"] = "filter_dynamics"
    former_names: ClassVar[Mapping[str, str]] = {
        "mass": "mass_kg",
        "ground_m": "floor_m",
        "torque_limit": "torque_limit_nm",
    }
    slow: ClassVar[bool] = True
    has_forces: ClassVar[bool] = True

    method: Literal["auto", "whole", "filter"] = parameter(
        "auto",
        "Solve for the whole clip at once, filter frame by frame, or take the filter where its result holds up (auto).",
        unit="",
    )
    allow_partial: bool = parameter(
        False,
        "If nothing plausible is close, correct a part and report the helping force that remains.",
        unit="",
    )
    keep_failed: bool = parameter(
        False, "Keep the result even if the character falls or no body could move like that.", unit=""
    )
    mode: Literal["joint", "position", "friction"] = parameter(
        "friction",
        "Track joints only, standing toes too, or also keep forces within friction and the body in balance.",
        unit="",
    )
    mu: float = parameter(
        1.0, "Friction between soles and ground; 0.8 is a gym floor, 0.1 ice.", unit="1", ge=0.0, le=10.0
    )
    mass_kg: float | None = parameter(
        None, "Mass of the body; estimated from height and build by default.", unit="kg", gt=0.0, le=100_000.0
    )
    preset: Literal["steady", "paper"] = parameter(
        "steady", "How firmly things are held: steady, or as in Figure 6 of the paper.", unit=""
    )
    plan: bool | None = parameter(
        None, "Look ahead to stay in balance; on by default unless the preset is paper.", unit=""
    )
    mix: float | None = parameter(
        None,
        "Without a plan, how far the weight is drawn over the feet; searched for by default.",
        unit="1",
        ge=0.0,
        le=1.0,
    )
    search: bool = parameter(
        False,
        "If the motion is not followed well, also try it smoother and with firmer landings, and keep the best.",
        unit="",
    )
    order: Literal["exact", "printed"] = parameter(
        "exact", "Solve for forces and held points at once, or step by step as printed in the paper.", unit=""
    )
    solver: Literal["nnls", "greedy", "least_squares"] = parameter(
        "nnls", "How contact forces are computed; least_squares may pull on the ground.", unit=""
    )
    sides: int = parameter(4, "Sides of the pyramid that stands for the friction cone.", unit="1", ge=3, le=16)
    cutoff_hz: float | None = parameter(
        8.0, "Remove faster jitter first; empty leaves it in.", unit="Hz", gt=0.0, le=1000.0
    )
    floor_m: float | None = parameter(
        None, "Height of level ground; fitted to the feet by default.", unit="m", ge=-100_000.0, le=100_000.0
    )
    torque_limit_nm: float | None = parameter(
        None, "The largest torque a joint can exert; unlimited by default.", unit="N m", gt=0.0, le=1e6
    )
    amount: float = parameter(
        1.0, "How much of the correction to apply, from nothing (0) to all (1).", unit="1", ge=0.0, le=1.0
    )

    def report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
        """How closely the motion was followed, and where it failed."""
        result = next((value for value in results if hasattr(value, "tracking")), None)
        if result is None:
            return None
        return {
            "method": result.method,
            "status": result.status,
            "reasons": [reason.as_dict() for reason in result.reasons],
            "correction": None if result.correction is None else result.correction.as_dict(),
            "tracking": asdict(result.tracking),
            "failures": [failure.as_dict() for failure in result.failures],
        }

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The clip that a body could perform."""
        if self.amount == 0.0:
            return clip
        from kinetune.physics.filter.filter_settings import LADDER
        from kinetune.physics.motion_correction import filter_dynamics

        result = filter_dynamics(
            clip,
            method=self.method,
            partial=self.allow_partial,
            mode=self.mode,
            mu=self.mu,
            mass=self.mass_kg,
            preset=self.preset,
            plan=self.plan,
            mix="auto" if self.mix is None else self.mix,
            search=self.search,
            order=self.order,
            solver=self.solver,
            sides=self.sides,
            cutoff_hz=self.cutoff_hz,
            ground=self.floor_m,
            torque_limit=self.torque_limit_nm,
        )
        report_result(result)
        if result.attempt not in ("", LADDER[0].name):
            text = f'The settings "{result.attempt}" follow this motion better than the usual ones.'
            report_finding(Finding("other-settings", text, severity="info"))
        for reason in result.reasons:
            report_finding(reason)
        for failure in result.failures:
            kind = failure.kind.replace(" ", "-")
            report_finding(Finding(f"physics-{kind}", failure.message, frame=(failure.first, failure.last)))
        objection = self._objection(result)
        if objection is not None:
            report_finding(objection)
            if objection.kind == REFUSED and not self.keep_failed:
                return clip
        return result.clip if self.amount == 1.0 else mix_clips(clip, result.clip, self.amount)

    def _objection(self, result: FilterResult) -> Finding | None:
        """Why the result is no success: it fell, nothing plausible was near, or no body could move like it."""
        from kinetune.physics.verdict import judge_motion

        if result.status == "partial":
            text = "The motion is corrected in part: a helping force is left where no body could move like this."
            return Finding(PARTIAL, text, severity="error")
        why = ""
        frame: int | tuple[int, int] | None = None
        if result.status == "fell":
            falls = [failure for failure in result.failures if failure.kind in ("fall", "stopped")]
            why = "The character falls."
            frame = (falls[0].first, falls[0].last) if falls else None
        elif result.status == "unchanged":
            why = "No plausible motion is near this one."
        elif self.mode == "friction":
            judged = judge_motion(result.clip, result.body, ground=result.ground)
            if judged.verdict == "impossible":
                why, frame = judged.reasons[0].message, judged.reasons[0].frame
        weak = next((reason for reason in result.reasons if reason.kind == "physics-torque-limit"), None)
        if weak is not None and not why:
            why, frame = weak.message, weak.frame
        if not why:
            return None
        stays = "The failed result is kept, as requested." if self.keep_failed else "The clip stays as it was."
        remedy: str | None = "To correct it in part, allow a partial result; to see the failed result, keep it."
        if self.keep_failed:
            remedy = None
        elif weak is not None and why == weak.message:
            remedy = "To see the result that needs so much torque, keep it."
        return Finding(REFUSED, f"{why} {stays}", severity="error", frame=frame, remedy=remedy)
