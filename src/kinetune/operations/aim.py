"""Aim a motion at targets, between examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kinetune.body.clip import Clip
from kinetune.body.kinematics.limb_ik import leg_joints
from kinetune.body.skeleton import Skeleton
from kinetune.errors import KinetuneError, ParameterError
from kinetune.findings import Finding
from kinetune.operations.base import (
    Embedded,
    LiveFrames,
    MovesFeet,
    Needs,
    View,
    parameter,
    report_finding,
    report_result,
)
from kinetune.operations.wording import length_text

if TYPE_CHECKING:
    from kinetune.inverse.blend.constraints import AnyConstraint, Constraint
    from kinetune.inverse.blend.inverse_blend import BlendSolution, InverseBlend

Metres = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)]
Three = tuple[Metres, Metres, Metres]
Four = tuple[Metres, Metres, Metres, Metres]
Six = tuple[Metres, Metres, Metres, Metres, Metres, Metres]
Frame = Annotated[int, Field(ge=-10_000_000, le=10_000_000)]
_SHOWN_WEIGHTS = 5
_KINDS = ("at", "line", "facing", "turned", "heading_deg", "look_at")


class Target(BaseModel):
    """One thing that one joint should meet: exactly one of at, line, facing, turned, heading_deg and look_at.

    joint : a joint, a role, or a tip such as RightFingertips.
    at : metres, the point where it should be.
    line : metres, a line on which it should be: a point of it, and its direction.
    facing : the direction in which its axis should point. angle_deg : the angle to that direction, in place of none.
    turned : how it should be turned in the world, as a quaternion w, x, y, z.
    heading_deg : where its axis should point, seen from above: from +Z towards +X.
    look_at : metres, a point at which its axis should point, wherever it is.
    axis : along the bone, ahead of the character, x, -y ... or three numbers with commas; by default along for facing,
        ahead for the others.
    frame : when; a negative one counts from the end. Several frames: it holds at all of them.
    relative_to : a joint in whose frame the target is given. offset : metres, a point on the joint aimed in its place.
    priority : from 0 (only measured) to 1, what its error counts where not all targets can be met.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    joint: str = "right hand"
    at: Three | None = None
    line: Six | None = None
    facing: Three | None = None
    angle_deg: float | None = Field(None, ge=0.0, le=180.0)
    turned: Four | None = None
    heading_deg: float | None = Field(None, ge=-36_000.0, le=36_000.0)
    look_at: Three | None = None
    axis: str | None = None
    frame: Frame | Annotated[tuple[Frame, ...], Field(min_length=1, max_length=1_000)] = -1
    relative_to: str | None = None
    offset: Three | None = None
    priority: float = Field(1.0, ge=0.0, le=1.0)

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        given = [kind for kind in _KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            raise ParameterError(
                f"A target is one of {', '.join(_KINDS[:-1])} or {_KINDS[-1]}, "
                f"not {' and '.join(given) or 'none of them'}; several targets are several entries."
            )
        if self.angle_deg is not None and self.facing is None:
            raise ParameterError("angle_deg is measured from a direction: give facing too.")
        self.constraint()
        return self

    def constraint(self) -> Constraint:
        """The target as inverse blending takes it."""
        from kinetune.inverse.blend.constraints import AtPoint, Facing, Heading, LookAt, OnLine, read_axis

        common: dict[str, Any] = {
            "frame": self.frame,
            "relative_to": self.relative_to,
            "offset": self.offset,
            "priority": self.priority,
        }
        axis = read_axis(self.axis or ("along" if self.facing is not None else "ahead"))
        if self.at is not None:
            return AtPoint(self.joint, self.at, **common)
        if self.line is not None:
            return OnLine(self.joint, self.line[:3], self.line[3:], **common)
        if self.facing is not None:
            return Facing(self.joint, toward=self.facing, angle_deg=self.angle_deg, axis=axis, **common)
        if self.turned is not None:
            return Facing(self.joint, rotation=self.turned, **common)
        if self.heading_deg is not None:
            return Heading(self.joint, self.heading_deg, axis=axis, **common)
        assert self.look_at is not None
        return LookAt(self.joint, self.look_at, axis=axis, **common)


class Aim(MovesFeet):
    """Blend examples of a motion so that a hand, a fingertip or a tool meets a target exactly.

    The clip and the other clips are examples of one action, such as reaches to different points. Blend weights are
    chosen so that the joint is at a point or on a line, oriented as requested, at a given frame. ``targets`` takes
    several joints at once, each with a priority; the other parameters are a shorthand for one joint. A target just
    outside of what the examples reach is met with a little inverse kinematics (``exact``). Farther out the result
    comes as close as it can; ``strict`` refuses it instead. Standing feet do not slide, unless a leg is aimed; the
    pelvis stays where the blend puts it. Without a target nothing changes.
    """

    op: Literal["aim"] = "aim"
    generator: ClassVar[bool] = True
    goals: ClassVar[tuple[str, ...]] = ("at", "line", "facing", "turned", "look_at", "targets")
    embedded: ClassVar[Embedded | None] = Embedded("sample:reach-*")
    needs: ClassVar[Needs] = "examples"
    input_parameters: ClassVar[tuple[str, ...]] = ("others",)
    former_defaults: ClassVar[Mapping[str, Any]] = {"frame": -1, "align": False, "exact": False}
    commutes_with_turns: ClassVar[bool] = False
    moves_pelvis: ClassVar[bool] = False

    others: tuple[str, ...] = parameter(
        (), "The other examples: clips with the same joints that perform similar actions.", unit=""
    )
    targets: tuple[Target, ...] = parameter(
        (),
        "The targets, each with its joint, frame and priority; the parameters below add one more.",
        unit="",
    )
    joint: str = parameter("right hand", "What to aim: a joint, a role, or a tip such as RightFingertips.", unit="")
    at: Three | None = parameter(None, "The point it should reach.", unit="m")
    line: Six | None = parameter(None, "A line it should lie on: a point of the line, and its direction.", unit="m")
    facing: Three | None = parameter(None, "The direction in which its axis should point.", unit="1")
    angle_deg: float | None = parameter(
        None,
        "The angle between its axis and that direction, instead of pointing along it.",
        unit="deg",
        ge=0.0,
        le=180.0,
    )
    axis: str = parameter(
        "along", "Which axis: along the bone, ahead of the character, x, -y ... or three numbers.", unit=""
    )
    turned: Four | None = parameter(None, "Its orientation in the world, as a quaternion w, x, y, z.", unit="1")
    look_at: Three | None = parameter(None, "A point its axis should point at, wherever the joint is.", unit="m")
    frame: int | None = parameter(
        None,
        "The frame at which all this holds; -1 is the last. By default the moment of the grab: where the "
        "joint is farthest from where it starts.",
        unit="frames",
        ge=-10_000_000,
        le=10_000_000,
    )
    relative_to: str | None = parameter(
        None, "The joint in whose frame the target is given; the world by default.", unit=""
    )
    offset: Three | None = parameter(
        None, "A point in the joint's frame to aim instead of the joint: the tip of a tool.", unit="m"
    )
    k: int = parameter(8, "How many of the nearest examples count most.", unit="1", ge=1, le=10_000)
    mode: Literal["soft", "hard", "rbf"] = parameter(
        "soft", "Blend all examples, only the k nearest as in the paper, or use the paper's first weights.", unit=""
    )
    combine: Literal["squares", "norms"] = parameter(
        "squares", "If not all targets can be met: share the error, or meet those that can be.", unit=""
    )
    rotations: Literal["quaternion", "expmap"] = parameter(
        "quaternion", "Average rotations as quaternions, or as exponential maps as in the paper.", unit=""
    )
    align: bool | None = parameter(
        None, "Align the other examples with this clip in time first; by default only where lengths differ.", unit=""
    )
    place: bool = parameter(
        False, "Rotate and move the other examples so that they start where this clip does.", unit=""
    )
    exact: bool = parameter(
        True, "Meet targets just out of the examples' reach by inverse kinematics; off keeps the pure blend.", unit=""
    )
    strict: bool = parameter(False, "Refuse a target out of reach instead of getting as close as possible.", unit="")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.angle_deg is not None and self.facing is None:
            raise ParameterError("angle_deg is measured from a direction: give facing too.")
        if self.facing is not None and self.turned is not None:
            raise ParameterError("Give facing, or turned with all three angles, not both.")
        self.constraints()
        return self

    @classmethod
    def neutral(cls) -> Self:
        """No target."""
        return cls(others=("other",))

    @classmethod
    def example(cls) -> Self:
        """Hips on a line that runs across the way of a walk, at its last frame."""
        return cls(others=("other",), joint="hips", line=(0.0, 0.9, 1.9, 1.0, 0.0, 0.0), frame=-1, align=True)

    def all_targets(self, moment: int = -1) -> tuple[Target, ...]:
        """What the parameters of the one joint ask for, and the targets, in this order.

        moment : the frame that counts where none is given, see :meth:`moment`.
        """
        common: dict[str, Any] = {
            "joint": self.joint,
            "frame": moment if self.frame is None else self.frame,
            "relative_to": self.relative_to,
            "offset": self.offset,
        }
        more: dict[str, dict[str, Any]] = {
            "at": {},
            "line": {},
            "facing": {"angle_deg": self.angle_deg, "axis": self.axis},
            "turned": {},
            "look_at": {"axis": self.axis},
        }
        targets = [
            Target(**{kind: getattr(self, kind)}, **common, **extra)
            for kind, extra in more.items()
            if getattr(self, kind) is not None
        ]
        return (*targets, *self.targets)

    def constraints(self, moment: int = -1) -> list[AnyConstraint]:
        """What all targets ask for."""
        return [target.constraint() for target in self.all_targets(moment)]

    def moment(self, examples: InverseBlend) -> int:
        """The frame at which the parameters of the one joint hold."""
        return examples.moment_of_reach(self.joint) if self.frame is None else self.frame

    def blend(self, clip: Clip, inputs: Mapping[str, Clip]) -> InverseBlend:
        """The clip and the others as a set of examples."""
        from kinetune.inverse.blend.inverse_blend import InverseBlend

        examples = [clip, *(inputs[name] for name in self.others)]
        return InverseBlend(examples, align=self.align, place=self.place, rotations=self.rotations)

    def solve(self, examples: InverseBlend) -> BlendSolution:
        """The blend of some examples that meets the target, with all that is known about it; or a refusal."""
        moment = self.moment(examples)
        solution = examples.solve(self.constraints(moment), self.k, self.mode, self.combine, exact=self.exact)
        if self.strict and not solution.reachable:
            miss = self._miss(solution, examples, moment)
            raise KinetuneError(f"{miss} Move the target, add examples near it, or leave out strict.")
        return solution

    def _miss(self, solution: BlendSolution, examples: InverseBlend, moment: int) -> str:
        """How far off the target is, and where the joint can go."""
        errors = " and ".join(_amount(e, u) for e, u in zip(solution.errors, solution.units, strict=True))
        message = f"The target is out of reach of these {len(examples)} examples; the motion misses it by {errors}."
        point = next((target for target in self.all_targets(moment) if target.at is not None), None)
        if point is None:
            return message
        frame = point.frame if isinstance(point.frame, int) else point.frame[-1]
        ends = examples.places(point.joint, frame=frame, offset=point.offset, relative_to=point.relative_to)
        ranges = (f"{low:.2f} to {high:.2f}" for low, high in zip(ends.min(axis=0), ends.max(axis=0), strict=True))
        x, y, z = ranges
        return f"{message} In the examples, {point.joint} ends within x {x}, y {y}, z {z} m."

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The blend of this clip and the others that meets the target."""
        if not self.constraints():
            return clip
        examples = self.blend(clip, inputs)
        solution = self.solve(examples)
        report_result(solution)
        report_result(examples)
        if not solution.reachable:
            miss = self._miss(solution, examples, self.moment(examples))
            remedy = "Move the target, or add examples near it."
            report_finding(Finding("out-of-reach", miss, severity="error", remedy=remedy))
        return solution.clip

    def keeps_feet_of(self, skeleton: Skeleton) -> bool:
        """Feet are kept unless something is asked of a leg."""
        tips = {site.name.casefold(): site.parent for site in skeleton.end_sites if site.name}
        asked = {name for target in self.all_targets() for name in (target.joint, target.relative_to) if name}
        joints = {tips[name.casefold()] if name.casefold() in tips else skeleton.index(name) for name in asked}
        return self.keep_feet and not joints & leg_joints(skeleton)

    def report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
        """How near the target was met, and with which examples."""
        solution: BlendSolution | None = next((value for value in results if hasattr(value, "weights")), None)
        if solution is None:
            return None
        first = before.source.name
        names = [first if first and first not in self.others else "this clip", *self.others]
        return {
            "reachable": solution.reachable,
            "distance_mm": solution.distance,
            "errors": [{"value": e, "unit": u} for e, u in zip(solution.errors, solution.units, strict=True)],
            "weights": dict(zip(names, solution.weights.tolist(), strict=True)),
            "iterations": solution.iterations,
            "residue": None if solution.residue is None else asdict(solution.residue),
        }

    def editor_report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
        """How near each target was met, and where the examples have what is aimed."""
        if len(results) < 2:
            return None
        solution, examples = results[:2]
        names = ["this", *self.others]
        targets = [
            {
                "joint": target.joint,
                "error_mm": error if unit == "mm" else None,
                "error_deg": error if unit == "deg" else None,
                "examples": _example_positions(examples, target),
            }
            for target, error, unit in zip(
                self.all_targets(self.moment(examples)), solution.errors, solution.units, strict=True
            )
        ]
        return {
            "targets": targets,
            "reachable": solution.reachable,
            "outside_cm": 0.1 * solution.distance,
            "weights": {name: float(w) for name, w in zip(names, solution.weights, strict=True) if w > 0.0},
        }

    def live_key(self) -> tuple[Any, ...] | None:
        """How the examples are prepared; a target that moves is followed from where it was."""
        return (self.align, self.place, self.rotations) if self.constraints() else None

    def live_preview(self, clip: Clip, inputs: Mapping[str, Clip]) -> LiveAim:
        """The examples, prepared."""
        return LiveAim(self.blend(clip, inputs))

    def describe(self, report: Mapping[str, Any]) -> Sequence[str]:
        """How near, and which examples count most."""
        errors = " and ".join(f"{max(error['value'], 0.01):.2g} {error['unit']}".strip() for error in report["errors"])
        weights = sorted(report["weights"].items(), key=lambda pair: -pair[1])
        used = sum(weight > 0 for _, weight in weights)
        heaviest = ", ".join(f"{name} {weight:.0%}" for name, weight in weights[:_SHOWN_WEIGHTS] if weight > 0.005)
        met = [f"The target is met within {errors}."] if report["reachable"] else []
        added = [self._added(report)] if report["residue"] else []
        return [*met, *added, f"Blended from {used} of {len(weights)} examples, most of all {heaviest}."]

    @staticmethod
    def _added(report: Mapping[str, Any]) -> str:
        """What inverse kinematics added to the blend."""
        residue, units = report["residue"], [error["unit"] for error in report["errors"]]
        missed = " and ".join(_amount(e, u) for e, u in zip(residue["blend_errors"], units, strict=True))
        pelvis = f", the pelvis moves by {residue['pelvis_mm']:.0f} mm" if residue["pelvis_mm"] >= 0.5 else ""
        adds = "adds the rest" if report["reachable"] else "makes up for part of that"
        return (
            f"The blend alone misses by {missed}; inverse kinematics {adds}: {residue['joint']} rotates by "
            f"{residue['degrees']:.1f} degrees{pelvis}."
        )


def _amount(error: float, unit: str) -> str:
    """An error as people say it: "2.05 m", "12.5 cm", "3.2 deg"."""
    if unit == "mm":
        return length_text(1e-3 * error)
    return f"{error:.1f} {unit}".strip()


@dataclass(frozen=True)
class LiveAim:
    """Examples that were prepared once, for a target that is dragged."""

    examples: InverseBlend

    def frames(self, operation: Aim, view: View) -> LiveFrames:
        """The frames in view of the blend that meets the targets."""
        constraints = operation.constraints(operation.moment(self.examples))
        solution = self.examples.drag(constraints, operation.k, operation.combine)
        first, last = view(len(solution.clip))
        return LiveFrames(solution.clip[first:last], first, len(solution.clip), (solution, self.examples))


def _example_positions(examples: InverseBlend, target: Target) -> list[list[float]]:
    """Where the examples have what is aimed, at the last of its frames, in the frame of the target."""
    frame = target.frame if isinstance(target.frame, int) else target.frame[-1]
    places = examples.places(target.joint, frame=frame, offset=target.offset, relative_to=target.relative_to)
    positions: list[list[float]] = places.tolist()
    return positions
