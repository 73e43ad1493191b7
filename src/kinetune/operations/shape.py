"""Bend the angles of joints through a curve."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, InstanceOf, PlainSerializer, WithJsonSchema, model_validator

from kinetune.body.clip import Clip
from kinetune.body.curves.pose_curves import RootChannels
from kinetune.body.curves.pose_shaping import Axis, ShapePreview
from kinetune.body.quality.glitches import find_motion
from kinetune.errors import ParameterError
from kinetune.operations._motion_edits import edit_motion
from kinetune.operations.base import MovesFeet, Preview, parameter
from kinetune.signals.shaping.curve_files import load_curve
from kinetune.signals.shaping.shaping_curve import Normalise, ShapingCurve


def _as_curve(given: Any) -> Any:
    """A curve from what a recipe may say: a word of the library, a list of points, or a mapping."""
    if isinstance(given, ShapingCurve):
        return given
    if isinstance(given, str):
        return ShapingCurve.make(given)
    if isinstance(given, Mapping) and "points" not in given and len(given) == 1:
        ((name, numbers),) = given.items()
        listed = numbers if isinstance(numbers, list | tuple) else [numbers]
        return ShapingCurve.make(f"{name}({', '.join(str(n) for n in listed)})")
    return ShapingCurve.from_plain(dict(given) if isinstance(given, Mapping) else given)


def _as_words(curve: ShapingCurve) -> Any:
    return curve.made or curve.to_plain()


Curve = Annotated[
    InstanceOf[ShapingCurve],
    BeforeValidator(_as_curve),
    PlainSerializer(_as_words),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}], "format": "shaping-curve"}),
]


class Shape(MovesFeet):
    """Bend the angles of joints through a curve: cap them, soften them, add waves, quantize them.

    A point of the curve says what becomes of an angle, whenever it occurs. With ``normalise: range`` each angle of each
    joint is scaled to -1 to 1 by its own extremes in this clip, so that one curve fits all; with degrees, -30 is 30
    degrees from the rest pose.
    """

    op: Literal["shape"] = "shape"
    local_in_time: ClassVar[bool] = True
    keeps_stance: ClassVar[bool] = True
    keeps_hands_out: ClassVar[bool] = True
    former_defaults: ClassVar[Mapping[str, Any]] = {"rounding": 0.0}
    curve: Curve = parameter(
        "identity", "The curve: a name from the library such as cap(-0.5, 0.8), or control points.", unit="1 or deg"
    )
    library: str | None = parameter(None, "A file with your curves; curve then names one of them.", unit="")
    joints: str | tuple[str, ...] | None = parameter(
        None, "Which joints to shape: names, roles or groups such as right arm; all by default.", unit=""
    )
    axes: tuple[Axis, ...] = parameter(
        ("x", "y", "z"),
        "Which axes of a joint: x, y, z, or main for the one about which it moves most.",
        unit="",
        min_length=1,
    )
    normalise: Normalise = parameter(
        "range", "Scale each angle to -1 to 1 by its extremes, or take it in degrees.", unit=""
    )
    representation: Literal["log", "euler"] = parameter(
        "log", "Rotations as vectors about one pose of each joint, or as the Euler channels of the file.", unit=""
    )
    root: RootChannels = parameter(
        "none", "What to shape of the root's movement about its slow path: nothing (none), its height, or all.", unit=""
    )
    rounding: float = parameter(
        1.0,
        "How far corners of the curve are rounded, as a share of what lies between them; 0 keeps them sharp.",
        unit="1",
        ge=0.0,
        le=1.0,
    )
    amount: float = parameter(
        1.0, "How much of the edit to apply, from nothing (0) to all (1).", unit="1", ge=0.0, le=1.0
    )

    @model_validator(mode="before")
    @classmethod
    def _from_library(cls, given: Any) -> Any:
        """A curve named in the user's own file, taken from there: the step then carries its points."""
        if not isinstance(given, Mapping) or not given.get("library") or not isinstance(given.get("curve"), str):
            return given
        return {**given, "curve": load_curve(Path(str(given["library"])), given["curve"])}

    @model_validator(mode="after")
    def _degrees_are_angles(self) -> Self:
        if self.root != "none" and self.normalise == "degrees":
            raise ParameterError("The root moves in metres, so it is shaped with normalise range only.")
        return self

    @classmethod
    def neutral(cls) -> Self:
        """Curves as they are."""
        return cls()

    @classmethod
    def example(cls) -> Self:
        """Every angle capped, as in the paper's Figure 8."""
        return cls(curve=ShapingCurve.cap(-0.5, 0.8))

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The shaped clip; a T-pose before the motion stays as it is."""
        if self.amount == 0.0 or self.curve == ShapingCurve.identity() or not clip.skeleton.select(self.joints):
            return clip
        return edit_motion(clip, lambda motion: self.shaper(motion).mix(self.curve.rounded(self.rounding), self.amount))

    def preview_key(self) -> tuple[Any, ...] | None:
        """Everything but the curve and its amount."""
        return "shape", self.joints, self.axes, self.normalise, self.representation, self.root

    def preview(self, clip: Clip, first: int, last: int) -> Preview | None:
        """What a curve acts on, in some frames."""
        stray, stop, wrong = find_motion(clip)
        if first < stray or stop < len(clip) or wrong or not clip.skeleton.select(self.joints):
            return None
        shaper = self.shaper(clip[stray:] if stray else clip, (first - stray, last - stray))
        return Preview(lambda step: shaper.mix(step.curve.rounded(step.rounding), step.amount), shaper.exact)

    def shaper(self, motion: Clip, span: tuple[int, int] | None = None) -> ShapePreview:
        """What a curve acts on, in some frames of a motion without a stray first frame; None for all of them."""
        orders, signs = motion.source.euler_orders(motion.skeleton) if self.representation == "euler" else (None, None)
        return ShapePreview(
            motion,
            motion.skeleton.select(self.joints),
            axes=self.axes,
            normalise=self.normalise,
            kind=self.representation,
            orders=orders,
            signs=signs,
            root=self.root,
            span=span,
        )
