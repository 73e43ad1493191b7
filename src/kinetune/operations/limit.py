"""Joints that keep within their limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from kinetune.body.clip import Clip
from kinetune.body.curves.clip_mixing import mix_clips
from kinetune.body.kinematics.anatomy import human_limits
from kinetune.body.kinematics.joint_limits import AxisLimit, limit_joints
from kinetune.body.kinematics.joint_limits import Limit as AnyLimit
from kinetune.body.robots.robot import Robot, robot_of
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError
from kinetune.findings import Finding, report_finding
from kinetune.operations.base import MovesFeet, parameter
from kinetune.rotations import Floats

Degrees = tuple[float, float]


class JointRange(BaseModel):
    """How far one joint, or each of a group, may turn about the axes of its own frame, in degrees.

    joint : a name, a role or a group.
    x, y, z : least and greatest turn against the rest pose; None leaves an axis free.
    angles : whether these are components of a rotation vector or Euler angles in some order, as a file's channels.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    joint: str
    x: Degrees | None = None
    y: Degrees | None = None
    z: Degrees | None = None
    angles: Literal["vector", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"] = Field("vector")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        for axis in "xyz":
            bounds = getattr(self, axis)
            if bounds is not None and not (np.isfinite(bounds).all() and bounds[0] <= bounds[1]):
                raise ParameterError(
                    f"The range of {self.joint} about {axis} goes from {bounds[0]:g} to {bounds[1]:g} degrees; "
                    "give two numbers, the lesser first."
                )
        return self

    def limits(self, skeleton: Skeleton) -> Iterator[AxisLimit]:
        """The limit of each joint that is meant."""
        order = "" if self.angles == "vector" else self.angles
        bounds = [getattr(self, axis.lower()) for axis in order or "xyz"]
        ranges = tuple(None if b is None else (float(np.deg2rad(b[0])), float(np.deg2rad(b[1]))) for b in bounds)
        for joint in skeleton.select(self.joint):
            w, x, y, z = skeleton.rest[joint].tolist()
            yield AxisLimit(joint, (ranges[0], ranges[1], ranges[2]), order, (w, x, y, z))


class Limit(MovesFeet):
    """Keep joints within what a body can do: no knee bends backwards, no head turns all the way round.

    The human preset knows the range of each joint, for any joint axes: knees and elbows bend about their hinges,
    hips and shoulders swing within cones and twist. Further limits are given for joints by name. Rotations within
    the limits do not change. Beyond them a joint yields a little, so that the motion stays smooth. Exaggeration
    breaks limits: use this after it. Standing feet stay in place, as far as the limits allow. A robot keeps exactly
    to its own hinges, their ranges and their highest speeds instead.
    """

    op: Literal["limit"] = "limit"
    former_names: ClassVar[Mapping[str, str]] = {"strength": "amount"}
    local_in_time: ClassVar[bool] = True
    keeps_stance: ClassVar[bool] = True
    stands_as_before: ClassVar[bool] = False
    preset: Literal["human", "none"] = parameter(
        "human", "Which limits to start from: those of a human body (a robot has its own), or none.", unit=""
    )
    limits: tuple[JointRange, ...] = parameter(
        (), "Further limits, such as {joint: Tail1, x: [-20, 45]}, in degrees about the joint's axes.", unit="deg"
    )
    scale: float = parameter(
        1.0, "How much of the human ranges to allow: less than 1 is a stiff character.", unit="1", gt=0.0, le=3.0
    )
    soft_deg: float = parameter(
        5.0,
        "How far beyond a limit a joint may yield, with growing resistance; 0 is a hard stop.",
        unit="deg",
        ge=0.0,
        le=90.0,
    )
    joints: str | tuple[str, ...] | None = parameter(
        None, "Which joints to limit: names, roles or groups such as left arm; all by default.", unit=""
    )
    amount: float = parameter(
        1.0, "How far to bring joints back: all the way, or a part of it.", unit="1", ge=0.0, le=1.0
    )

    @classmethod
    def example(cls) -> Self:
        """A stiff character."""
        return cls(scale=0.25)

    def check(self, skeleton: Skeleton) -> None:
        """Raise if a joint is unknown."""
        super().check(skeleton)
        for limit in self.limits:
            skeleton.select(limit.joint)

    def find(self, clip: Clip) -> list[AnyLimit]:
        """The limits that apply to a clip (measure with :func:`kinetune.body.kinematics.joint_limits.find_excess`)."""
        limits: list[AnyLimit] = [] if self.preset == "none" else [*human_limits(clip, scale=self.scale)]
        limits += [limit for given in self.limits for limit in given.limits(clip.skeleton)]
        chosen = set(clip.skeleton.select(self.joints))
        limits = [limit for limit in limits if limit.joint in chosen]
        if not limits:
            raise ParameterError(
                "limit: there is no limit for any of the chosen joints. Give one with limits, such as "
                "{joint: Tail1, x: [-20, 45]}, or choose other joints."
            )
        return limits

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The clip with its joints within their limits."""
        return clip if self.amount == 0.0 else self._limited(clip, clip)

    def finished(self, before: Clip, edited: Clip, share: Floats | None = None) -> Clip:
        """The limited clip with feet that stand, as far as the limits let them, and no deeper than they did."""
        finished = super().finished(before, edited, share)
        if finished is edited or self.amount < 1.0:
            return finished
        from kinetune.body.feet.floor_clearance import keep_figure_out

        return keep_figure_out(self._limited(finished, before), before)

    def feet_amount(self, edited: Clip) -> float | Floats:
        """As much as of the limits."""
        return self.amount

    def _limited(self, clip: Clip, before: Clip) -> Clip:
        robot = robot_of(clip)
        if robot is not None and self.preset == "human" and self.joints is None and not self.limits:
            return self._on_robot(clip, robot)
        soft = float(np.deg2rad(self.soft_deg))
        return limit_joints(clip, self.find(before), soft=soft, strength=self.amount)

    def _on_robot(self, clip: Clip, robot: Robot) -> Clip:
        """The motion nearest to a clip that a robot's hinges can do."""
        from kinetune.body.robots.onto_hinges import bring_onto_hinges

        result = bring_onto_hinges(clip, robot)
        if result.clip is clip:
            return clip
        report_finding(
            Finding("onto-hinges", f"To keep within the robot's limits, {result.summary()}.", severity="info")
        )
        if self.amount == 1.0:
            return result.clip
        return mix_clips(clip, result.clip, self.amount)
