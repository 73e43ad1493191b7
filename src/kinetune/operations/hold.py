"""A hand or a foot that stays where it is for a while."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from pydantic import model_validator

from kinetune.body.clip import Clip
from kinetune.body.kinematics.limb_ik import bring_limb, limb_of
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError
from kinetune.findings import Finding
from kinetune.operations.base import Operation, parameter, report_finding, report_result
from kinetune.operations.wording import length_text
from kinetune.rotations import Floats

_MISSED_M = 0.005


class HeldPart(NamedTuple):
    """What was held: the first and the last frame, where, and how far from there the joint is at most, metres."""

    first: int
    last: int
    at: tuple[float, float, float]
    miss: float


class Hold(Operation):
    """Hold a hand or a foot on a point for a while: on a rail, on a door, on the floor.

    The arm or leg follows by inverse kinematics and needs no examples. Before and after, the hold eases in and out.
    """

    op: Literal["hold"] = "hold"
    local_in_time: ClassVar[bool] = True
    keeps_stance: ClassVar[bool] = True

    joint: str = parameter("right hand", "The hand or foot to hold, by name or role.", unit="")
    at: tuple[float, float, float] | None = parameter(
        None, "The point in the world to hold it on; by default where it is when the hold begins.", unit="m"
    )
    start_s: float = parameter(0.0, "When the hold begins.", unit="s", ge=0.0, le=1e6)
    end_s: float | None = parameter(None, "When it ends; by default with the clip.", unit="s", ge=0.0, le=1e6)
    blend_s: float = parameter(
        0.3,
        "How long the joint takes to reach the point before the hold, and to return after it.",
        unit="s",
        ge=0.0,
        le=100.0,
    )
    keep: Literal["world", "local"] | None = parameter(
        None,
        "What its rotation keeps to: the world, or the bone above (local); by default the world for feet, the bone for "
        "hands.",
        unit="",
    )
    amount: float = parameter(1.0, "How far towards the point: all the way, or part of it.", unit="1", ge=0.0, le=1.0)

    @model_validator(mode="after")
    def _ends_in_order(self) -> Self:
        if self.end_s is not None and self.end_s <= self.start_s:
            raise ParameterError(
                f"The hold ends at {self.end_s:g} s, which is not after its start, {self.start_s:g} s."
            )
        return self

    @classmethod
    def neutral(cls) -> Self:
        """Nothing is held."""
        return cls(amount=0.0)

    @classmethod
    def example(cls) -> Self:
        """The right hand for a part of a second."""
        return cls(start_s=0.2, end_s=0.6)

    def check(self, skeleton: Skeleton) -> None:
        """Raise if there is no such joint."""
        skeleton.index(self.joint)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The clip with the hand or foot held; a point out of reach is a finding."""
        if self.amount == 0.0:
            return clip
        joint = clip.skeleton.index(self.joint)
        limb = limb_of(clip.skeleton, joint)
        if limb is None:
            raise ParameterError(
                f'hold: "{clip.skeleton.names[joint]}" is no hand or foot at the end of an arm or leg. '
                "Name one, such as right hand or left foot."
            )
        last = len(clip) - 1
        first = round(self.start_s * clip.fps)
        stop = last if self.end_s is None else min(last, round(self.end_s * clip.fps))
        if first > last:
            raise ParameterError(f"hold: it begins at {self.start_s:g} s, but the clip lasts {clip.duration:.3f} s.")
        path = clip.positions()[:, joint]
        point = path[first] if self.at is None else np.array(self.at, dtype=float)
        weights = self.amount * _eased_in_and_out(len(clip), first, stop, self.blend_s * clip.fps)
        goals = path + weights[:, None] * (point - path)
        held = bring_limb(clip, limb, goals, keep=self.keep or ("world" if limb.is_leg else "local"))
        moved = np.ix_(np.flatnonzero(weights), np.array([limb.upper, limb.lower, limb.end]))
        rotations = np.array(clip.rotations)
        rotations[moved] = held.rotations[moved]
        result = clip.replace(rotations=rotations, contacts=clip.contacts)
        away = np.linalg.norm(result.positions()[first : stop + 1, joint] - goals[first : stop + 1], axis=-1)
        report_result(HeldPart(first, stop, (float(point[0]), float(point[1]), float(point[2])), float(away.max())))
        if away.max() > _MISSED_M:
            frame = first + int(np.argmax(away))
            message = f"The {self.joint} stays {length_text(away.max())} from its point: it is out of reach."
            remedy = "Move the point nearer, or hold it for a shorter time."
            report_finding(Finding("out-of-reach", message, frame=frame, severity="error", remedy=remedy))
        return result

    def report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
        """When and where it is held, and how far from there it stays."""
        part = next((result for result in results if isinstance(result, HeldPart)), None)
        if part is None:
            return None
        return {"first": part.first, "last": part.last, "at": list(part.at), "miss_mm": 1e3 * part.miss}

    def describe(self, report: Mapping[str, Any]) -> Sequence[str]:
        """One sentence on the hold."""
        span = f"frames {report['first']} to {report['last']}"
        return (f"The {self.joint} is held in {span}, within {length_text(1e-3 * report['miss_mm'])}.",)


def _eased_in_and_out(count: int, first: int, last: int, wide: float) -> Floats:
    """Weights (count,): 1 from the first frame to the last, 0 beyond the blends, smooth between."""
    frames = np.arange(count)
    away = np.maximum(np.maximum(first - frames, frames - last), 0.0)
    share = np.clip(1.0 - away / max(wide, 1e-9), 0.0, 1.0) if wide > 0.0 else (away == 0.0).astype(float)
    weights: Floats = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    return weights
