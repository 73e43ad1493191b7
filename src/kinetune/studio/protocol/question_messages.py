"""Messages of panels that ask, and messages about drawings."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from kinetune.studio.protocol.message_parts import (
    Count,
    Edit,
    Message,
    Name,
    Number,
    OnDocument,
    Point2,
    Points,
    SourceRef,
)


class AskBands(OnDocument):
    type: Literal["bands"]
    step: Name | None = None
    joints: str | tuple[Name, ...] | None = None
    points: Points = 160
    start: Count = 0
    stop: Count | None = None


class AskCurves(OnDocument):
    type: Literal["curves"]
    joints: Annotated[tuple[Name | Count, ...], Field(min_length=1, max_length=64)]
    kind: Literal["euler", "log", "position"] = "euler"
    points: Points = 1_000
    start: Count = 0
    stop: Count | None = None


Row = Annotated[tuple[Number, ...], Field(min_length=2, max_length=5)]


class AskSpline(Message):
    type: Literal["spline"]
    keys: Annotated[tuple[Row, ...], Field(min_length=1, max_length=10_000)]
    points: Points = 400
    ends: Literal["natural", "zero"] = "natural"
    start: Number | None = None
    stop: Number | None = None


class AskShaping(Message):
    type: Literal["shaping"]
    curve: Any = "identity"
    points: Points = 257


class AskWarp(OnDocument):
    type: Literal["warp"]
    step: Name
    size: Annotated[int, Field(ge=8, le=512)] = 160


class AskClip(OnDocument):
    type: Literal["clip"]
    name: Name
    rotations: bool = False


class AskOutline(OnDocument):
    type: Literal["outline"]
    name: Name
    points: Points = 120


class AskForces(OnDocument):
    type: Literal["forces"]
    step: Name


class AskNeutral(OnDocument):
    type: Literal["neutral"]
    step: Name


# --- drawings

Which = Literal["a", "b"]


class NewDrawing(Message):
    type: Literal["drawing.new"]
    a: SourceRef
    b: SourceRef | None = None
    name: Name | None = None


class ReplaceDrawing(OnDocument):
    type: Literal["drawing.replace"]
    which: Which
    source: SourceRef


class SetDrawing(Edit):
    type: Literal["drawing.set"]
    set: dict[Name, Any]


class DragContour(Edit):
    type: Literal["drawing.drag"]
    which: Which
    layer: Count
    contour: Count
    points: Annotated[int, Field(ge=2, le=4_096)]
    index: Count
    by: Point2
    detail: Literal["turn", "keep"] = "turn"


class AskControlPoints(OnDocument):
    type: Literal["drawing.points"]
    which: Which
    layer: Count
    contour: Count
    points: Annotated[int, Field(ge=2, le=4_096)] = 8


class AskDrawingAt(OnDocument):
    type: Literal["drawing.at"]
    t: Annotated[float, Field(ge=0, le=1)]
