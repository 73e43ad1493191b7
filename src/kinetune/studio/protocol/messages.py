"""Every message that the browser may send, as a schema.

``read_message`` is the only way in: it refuses what is too large, is no JSON object, has numbers that are none, or has
fields that the message does not know, each with one message for the user.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from kinetune.errors import did_you_mean, nearest
from kinetune.studio.protocol.message_parts import (
    MOST_BYTES,
    Count,
    Edit,
    Frame,
    MarkerPart,
    Message,
    MessageError,
    Name,
    Number,
    OnDocument,
    Point2,
    Point3,
    Points,
    SourceRef,
    TrackPart,
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


class AskSkin(OnDocument):
    type: Literal["skin"]
    body: Literal["skin", "mannequin"] = "skin"
    of: Literal["motion", "original"] = "motion"
    coarse: bool = False


class AskOutline(OnDocument):
    type: Literal["outline"]
    name: Name
    points: Points = 120


class AskForces(OnDocument):
    type: Literal["forces"]
    step: Name


class AskLoads(OnDocument):
    type: Literal["loads"]
    step: Name


class AskTiming(OnDocument):
    type: Literal["timing"]


class AskMoments(OnDocument):
    type: Literal["moments"]
    step: Name


class AskVerdict(OnDocument):
    type: Literal["verdict"]
    step: Name | None = None


class AskCheckup(OnDocument):
    type: Literal["checkup"]


class AskRemedy(OnDocument):
    type: Literal["remedy"]
    kind: Name


class AskNeutral(OnDocument):
    type: Literal["neutral"]
    step: Name


# --- drawings


class NewDrawing(Message):
    type: Literal["drawing.new"]
    keys: Annotated[tuple[SourceRef, ...], Field(min_length=1, max_length=100)]
    name: Name | None = None


class ReplaceDrawing(OnDocument):
    type: Literal["drawing.replace"]
    key: Count
    source: SourceRef


class InsertDrawing(OnDocument):
    type: Literal["drawing.insert"]
    at: Count
    source: SourceRef | None = None
    copy_of: Count | None = None


class MoveDrawing(OnDocument):
    type: Literal["drawing.move"]
    key: Count
    to: Count


class RemoveDrawing(OnDocument):
    type: Literal["drawing.remove"]
    key: Count


class SetDrawing(Edit):
    type: Literal["drawing.set"]
    set: dict[Name, Any]
    gap: Count = 0


class DragContour(Edit):
    type: Literal["drawing.drag"]
    key: Count
    layer: Count
    contour: Count
    points: Annotated[int, Field(ge=2, le=4_096)]
    index: Count
    by: Point2
    detail: Literal["turn", "keep"] = "turn"


class AskControlPoints(OnDocument):
    type: Literal["drawing.points"]
    key: Count
    layer: Count
    contour: Count
    points: Annotated[int, Field(ge=2, le=4_096)] = 8


class AskMatches(OnDocument):
    type: Literal["drawing.matches"]
    gap: Count = 0
    points: Annotated[int, Field(ge=1, le=1_000)] = 40


_MOST_DEPTH = 40

# --- documents


class NewDocument(Message):
    type: Literal["new"]
    source: SourceRef
    name: Name | None = None
    on: SourceRef | None = None


class OpenDocument(OnDocument):
    type: Literal["open"]
    frame: Frame = 0
    rotations: bool = False


class CloseDocument(OnDocument):
    type: Literal["close"]


class DeleteDocument(OnDocument):
    type: Literal["forget"]


class RenameDocument(OnDocument):
    type: Literal["rename"]
    name: Name


class ListDocuments(Message):
    type: Literal["documents"]


class ListFolder(Message):
    type: Literal["folder"]
    path: Annotated[str, Field(max_length=4_000)] | None = None
    search: Annotated[str, Field(max_length=200)] | None = None


class ListFavourites(Message):
    type: Literal["favourites"]


class MarkFavourite(Message):
    type: Literal["favourite"]
    source: SourceRef
    on: bool


class FindSimilar(Message):
    type: Literal["similar"]
    source: SourceRef | None = None
    of: Name | None = None
    region: Annotated[tuple[float, float], Field(description="seconds")] | None = None


class AskThumbnail(Message):
    type: Literal["thumbnail"]
    source: SourceRef | None = None
    of: Name | None = None


class MovePlayhead(OnDocument):
    type: Literal["look"]
    frame: Frame
    rotations: bool | None = None


class SetView(OnDocument):
    type: Literal["view"]
    set: dict[Name, Any]


class SetMarkers(OnDocument):
    type: Literal["markers"]
    markers: Annotated[tuple[MarkerPart, ...], Field(max_length=10_000)]


class UndoOrRedo(OnDocument):
    type: Literal["undo", "redo"]
    count: Annotated[int, Field(ge=1, le=10_000)] = 1


class NameVersion(OnDocument):
    type: Literal["version.save"]
    name: Name
    entry: Count | None = None


class OpenOrRemoveVersion(OnDocument):
    type: Literal["version.open", "version.remove"]
    name: Name


# --- the stack


class AddStep(OnDocument):
    type: Literal["step.add"]
    op: Name
    knobs: dict[Name, Any] = Field(default_factory=dict)
    at: Count | None = None
    on: bool = True


class SetStep(Edit):
    type: Literal["step.set"]
    step: Name
    knobs: dict[Name, Any]


class PatchStep(Edit):
    type: Literal["step.patch"]
    step: Name
    path: Annotated[tuple[Name | Count, ...], Field(min_length=1, max_length=12)]
    value: Any = None
    remove: bool = False


class MoveStep(OnDocument):
    type: Literal["step.move"]
    step: Name
    to: Count


class ToggleStep(OnDocument):
    type: Literal["step.toggle"]
    step: Name
    on: bool


class CopyOrRemoveStep(OnDocument):
    type: Literal["step.duplicate", "step.remove"]
    step: Name


class CommitDrag(OnDocument):
    type: Literal["commit"]


class CancelDrag(OnDocument):
    type: Literal["cancel"]


class RunStep(OnDocument):
    type: Literal["run"]
    step: Name


class CancelJob(Message):
    type: Literal["job.cancel"]
    job: Name


class AddInput(OnDocument):
    type: Literal["input.add"]
    source: SourceRef
    name: Name | None = None


class AddInputSet(OnDocument):
    type: Literal["input.add_set"]
    set: Name | None = None
    samples: Annotated[tuple[Name, ...], Field(max_length=500)] = ()
    sources: Annotated[tuple[SourceRef, ...], Field(max_length=500)] = ()


class RemoveInput(OnDocument):
    type: Literal["input.remove"]
    name: Name


class SetSource(OnDocument):
    type: Literal["source.set"]
    source: SourceRef


class SetRecipe(OnDocument):
    type: Literal["recipe.set"]
    text: str | None = None
    source: SourceRef | None = None
    append: bool = False


class SetTracks(Edit):
    type: Literal["tracks.set"]
    tracks: Annotated[tuple[TrackPart, ...], Field(max_length=500)]


class PoseJoint(Edit):
    type: Literal["pose"]
    step: Name | None = None
    frame: Count
    joint: Name | Count
    to: Point3 | None = None
    move: Point3 | None = None
    rotate: Point3 | None = None
    axes: Literal["parent", "local", "world", "facing"] | None = None


# --- out


class ExportFile(OnDocument):
    type: Literal["export"]
    format: Annotated[str, Field(pattern=r"^\.[a-z0-9.]{2,12}$")]
    name: Name | None = None
    fps: Annotated[float, Field(gt=0, le=240)] = 25.0
    height: Annotated[int, Field(ge=32, le=2160)] = 480
    view: Literal["three-quarter", "side", "front", "back", "top"] | Point3 = "three-quarter"
    show: Literal["edited", "ghost", "beside"] = "ghost"
    body: Literal["skin", "mannequin"] = "skin"
    follow: bool = True
    names: bool = True
    start: Count = 0
    stop: Count | None = None


class SaveRecipe(OnDocument):
    type: Literal["save"]
    path: Annotated[str, Field(min_length=1, max_length=4_000)] | None = None


class AskRecipe(OnDocument):
    type: Literal["recipe"]
    form: Literal["yaml", "python", "cli"] = "yaml"


_MODELS: tuple[type[Message], ...] = (
    *(NewDocument, OpenDocument, CloseDocument, DeleteDocument, RenameDocument, ListDocuments, ListFolder),
    AskThumbnail,
    *(MovePlayhead, SetView, SetMarkers, UndoOrRedo, NameVersion, OpenOrRemoveVersion),
    *(AddStep, SetStep, PatchStep, MoveStep, ToggleStep, CopyOrRemoveStep, CommitDrag, CancelDrag, RunStep, CancelJob),
    *(AddInput, AddInputSet, RemoveInput, SetSource, SetRecipe, SetTracks, PoseJoint),
    *(ExportFile, SaveRecipe, AskRecipe),
    *(AskBands, AskCurves, AskSpline, AskShaping, AskWarp, AskClip, AskSkin, AskOutline, AskForces, AskNeutral),
    *(ListFavourites, MarkFavourite, FindSimilar),
    *(AskLoads, AskTiming, AskCheckup, AskRemedy, AskVerdict, AskMoments),
    *(NewDrawing, ReplaceDrawing, InsertDrawing, MoveDrawing, RemoveDrawing, SetDrawing, DragContour),
    *(AskControlPoints, AskMatches),
)


def _by_type() -> dict[str, TypeAdapter[Message]]:
    adapters: dict[str, TypeAdapter[Message]] = {}
    for model in _MODELS:
        adapter: TypeAdapter[Message] = TypeAdapter(model)
        for tag in model.model_fields["type"].annotation.__args__:  # type: ignore[union-attr]
            adapters[tag] = adapter
    return adapters


TYPES = _by_type()
"""The schema of each message, by its type."""


def read_message(text: str | bytes) -> Message:
    """The message of a text frame, checked."""
    if isinstance(text, bytes):
        raise MessageError("malformed", "A message is a text frame with a JSON object, not a binary frame.")
    if len(text) > MOST_BYTES:
        raise MessageError("malformed", f"A message has at most {MOST_BYTES:,} bytes; this one has {len(text):,}.")
    try:
        plain = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise MessageError("malformed", "The message is nested too deeply.") from None
    except ValueError as error:
        raise MessageError("malformed", f"The message is not valid JSON ({error}).") from None
    if not isinstance(plain, dict):
        raise MessageError("malformed", "A message is a JSON object with a type and an id.")
    number, doc = plain.get("id"), plain.get("doc")
    known_id = number if isinstance(number, int) and not isinstance(number, bool) and 0 < number <= 2**53 else None
    known_doc = doc if isinstance(doc, str) and len(doc) <= 200 else None
    if _depth(plain) > _MOST_DEPTH:
        raise MessageError("malformed", "The message is nested too deeply.", id=known_id, doc=known_doc)
    kind = plain.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        hint = did_you_mean(nearest(kind, TYPES, 1) if isinstance(kind, str) else [])
        raise MessageError(
            "unknown_type", f"There is no message of type {str(kind)[:60]!r}.{hint}", id=known_id, doc=known_doc
        )
    try:
        return TYPES[kind].validate_python(plain)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        reason = first["msg"].removeprefix("Value error, ").rstrip(".")
        text = f'"{where}" of "{kind}" does not fit: {reason[:1].lower()}{reason[1:]}.'
        raise MessageError("bad_field", text, id=known_id, doc=known_doc, where=where) from None


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is not a number")


def _depth(value: Any) -> int:
    """How deep lists and mappings are nested, without recursion."""
    level, deepest = [value], 0
    while level:
        inside = [each for each in level if isinstance(each, dict | list)]
        if not inside:
            break
        deepest += 1
        if deepest > _MOST_DEPTH:
            break
        level = [item for each in inside for item in (each.values() if isinstance(each, dict) else each)]
    return deepest
