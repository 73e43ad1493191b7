"""Everything that the server sends, as types.

``tools/page.py types`` writes the types of the page from these (``web/core/answers.d.ts``), and the tests check every
answer of the server against them. The keys are explained in ``docs/studio/protocol.md``.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from pydantic import ConfigDict, JsonValue, TypeAdapter, with_config
from typing_extensions import TypedDict, is_typeddict

from kinetune.studio.documents.drawing_state import GapSettings, MorphSettings

Kind = Literal["motion", "drawing"]
StepState = Literal["done", "off", "failed", "waiting", "running"]
JobState = Literal["running", "done", "failed", "cancelled"]
Plain = Literal["number", "integer", "switch", "choice", "text", "joints", "input", "inputs"]
Compound = Literal["curve", "gains", "table", "keys", "list", "objects", "object"]
Side = Literal["left", "right"]
Point = tuple[float, float, float]
JsonObject = dict[str, JsonValue]

# --- /api/hello and /api/operations


class SampleLine(TypedDict):
    name: str
    description: str


class SampleSet(TypedDict):
    name: str
    description: str
    samples: list[str]


class DrawingName(TypedDict):
    name: str


class DocumentLine(TypedDict):
    """A document in a list; ``changed`` in Unix seconds."""

    doc: str
    kind: Kind
    name: str
    changed: float
    summary: str


class Suffixes(TypedDict):
    read: list[str]
    write: list[str]
    drawings: list[str]
    recipes: list[str]
    films: list[str]


class SizeLimits(TypedDict):
    message_bytes: int
    upload_bytes: int


class DrawingChoices(TypedDict):
    drawing: list[str]
    morph: list[str]
    ease: list[str]


class Catalogue(TypedDict):
    """The part of the hello that does not change."""

    version: str
    protocol: int
    samples: list[SampleLine]
    sets: list[SampleSet]
    drawings: list[DrawingName]
    suffixes: Suffixes
    limits: SizeLimits
    presets: DrawingChoices


class Hello(Catalogue):
    folder: str | None
    open: str
    first_start: bool
    browse: bool
    documents: list[DocumentLine]
    problems: list[str]


class Knob(TypedDict):
    """One control of a panel; ``labels`` are what users read for ``choices``, ``unset`` what they read for null."""

    name: str
    label: str
    description: str
    unit: str
    default: JsonValue
    required: bool
    optional: bool
    widget: Plain | Compound
    min: float | None
    max: float | None
    min_open: bool
    max_open: bool
    choices: list[str] | None
    labels: list[str] | None
    unset: str
    schema: JsonObject


class OperationPanel(TypedDict):
    """An operation as the page shows it."""

    op: str
    title: str
    summary: str
    description: str
    inputs: list[str]
    slow: bool
    generator: bool
    needs: str
    takes_keys: bool
    has_forces: bool
    takes_region: bool
    comes_first: bool
    keeps_stance: bool
    neutral: JsonObject
    example: JsonObject
    knobs: list[Knob]


class OperationList(TypedDict):
    operations: list[OperationPanel]


class Uploaded(TypedDict):
    upload: str
    batch: str
    name: str
    bytes: int
    kind: Literal["clip", "drawing", "recipe"] | None


# --- reports of steps


class FindingLine(TypedDict):
    """A :class:`kinetune.findings.Finding`."""

    kind: str
    message: str
    override: str | None
    severity: Literal["info", "warning", "error"]
    frame: int | tuple[int, int] | None
    remedy: str | None
    joints: list[str]
    step: JsonObject | None
    choices: NotRequired[list[str]]


class FindingsReport(TypedDict):
    """What any operation may report beside its motion."""

    findings: NotRequired[list[FindingLine]]


class DisplaceReport(FindingsReport):
    """How far each key that names a position stays from it."""

    misses_mm: list[float | None]


class TargetReport(TypedDict):
    joint: str
    error_mm: float | None
    error_deg: float | None
    examples: list[list[float]]


class AimReport(FindingsReport):
    targets: list[TargetReport]
    reachable: bool
    outside_cm: float
    weights: dict[str, float]


class PlacedFoot(TypedDict):
    side: Side
    frame: int
    place: Point
    heading_deg: float
    inserted: bool


class FootstepReport(PlacedFoot):
    error_mm: float
    heading_error_deg: float
    reached: bool
    notes: list[str]


class FootstepsReport(FindingsReport):
    steps: list[FootstepReport]
    placements: list[PlacedFoot]
    notes: list[str]


class LoopReport(FindingsReport):
    """The frames that became the cycle, and its seam before and after."""

    first: int
    last: int
    period_s: float
    seam_was_mm: float | None
    seam_is_mm: float | None


class FilterReport(FindingsReport):
    method: str
    status: str
    reasons: list[JsonObject]
    correction: JsonObject | None
    tracking: JsonObject
    failures: list[JsonObject]


class RetargetReport(FindingsReport):
    """Joints by role: of the source, of the character; what follows ``copied`` is missing where it is true."""

    matched: dict[str, tuple[str, str]]
    bones: dict[str, tuple[str | None, str | None]]
    dropped: list[str]
    unmatched: list[str]
    copied: bool
    scale: NotRequired[float]
    contact_speed_mps: NotRequired[float | None]
    contact_speed_worst_mps: NotRequired[float | None]
    penetration_mm: NotRequired[float]
    limit_violations: NotRequired[list[JsonObject]]
    smoothness_ratio: NotRequired[float]
    key_point_error_mm: NotRequired[float]
    robot: NotRequired[JsonObject]


class CleanReport(FindingsReport):
    """The steps that a clip needed, each with its reasons and a number before and after."""

    cleaning: list[JsonObject]


class DenoiseReport(FindingsReport):
    """The noise that was measured."""

    noise: JsonObject


class KeysReport(FindingsReport):
    """How many keys are left, and how far they are from the motion."""

    frames: int
    key_frames: int
    keys: int
    dense_keys: int
    times_fewer: float
    error_mm: float
    keys_of: dict[str, int]


class HoldReport(FindingsReport):
    """The frames of a hold, where it is, and how far from there the joint stays."""

    first: int
    last: int
    at: list[float]
    miss_mm: float


StepReport = (
    DisplaceReport
    | AimReport
    | FootstepsReport
    | FilterReport
    | LoopReport
    | RetargetReport
    | CleanReport
    | DenoiseReport
    | KeysReport
    | HoldReport
    | FindingsReport
)

# --- documents


class ClipLine(TypedDict):
    """A clip of a document and where it came from; ``label`` is the name of its file or sample."""

    label: str
    sample: str | None
    path: str | None
    format: str | None
    frames: int
    fps: float
    joints: int


class RemedyLine(TypedDict):
    """What one click does about a finding: add an operation, or read the file otherwise. Lower orders come first."""

    label: str
    op: str | None
    knobs: JsonObject
    reading: JsonObject
    order: int


class CheckLine(FindingLine):
    """A finding of the check-up: its title, what it measures, and its remedies."""

    title: str
    unit: str
    was: float | None
    remedies: list[RemedyLine]


class CheckupAnswer(TypedDict):
    type: Literal["checkup"]
    doc: str
    id: int
    edit: int
    lines: list[CheckLine]


class RemedyAnswer(TypedDict):
    """What a finding would measure after its remedy."""

    type: Literal["remedy"]
    doc: str
    id: int
    edit: int
    kind: str
    value: float | None


class SourceLine(ClipLine):
    reading: JsonObject
    findings: list[FindingLine]


class InputLine(ClipLine):
    name: str
    same_joints: bool
    error: str | None


class StepLine(TypedDict):
    id: str
    op: str
    title: str
    on: bool
    knobs: JsonObject
    set: list[str]
    state: StepState
    error: str | None
    report: StepReport | None


class TrackLine(TypedDict):
    id: str
    clip: str
    lane: int
    at: int
    start: int
    stop: int
    mute: bool
    frames: int


class MarkerLine(TypedDict):
    """A named frame; those of the file cannot be edited."""

    frame: int
    name: str
    editable: bool


class VersionLine(TypedDict):
    """A state that was given a name, and the edit that led to it; ``entry`` is where the history has it."""

    name: str
    label: str
    made_at: float
    entry: int | None


class DocumentHead(TypedDict):
    type: Literal["document"]
    doc: str
    edit: int
    name: str
    saved_edit: int
    taken: int
    dragging: bool
    undo: str | None
    redo: str | None
    history: list[str]
    times: list[float]
    at: int
    versions: list[VersionLine]
    view: JsonObject


class MotionDocument(DocumentHead):
    kind: Literal["motion"]
    saved_path: str | None
    source: SourceLine
    inputs: list[InputLine]
    steps: list[StepLine]
    tracks: list[TrackLine]
    markers: list[MarkerLine]


class CurveLine(TypedDict):
    points: int
    closed: bool


class LayerLine(TypedDict):
    index: int
    name: str
    fill: str | None
    stroke: str | None
    contours: int
    curves: list[CurveLine]
    points: int


class KeyDrawingLine(TypedDict):
    label: str
    view_box: list[float]
    edited: bool
    layers: list[LayerLine]
    findings: list[FindingLine]
    opposites: dict[str, str]


class DrawingDocument(DocumentHead):
    kind: Literal["drawing"]
    keys: list[KeyDrawingLine]
    gaps: list[GapSettings]
    settings: MorphSettings


class SavedAnswer(TypedDict):
    type: Literal["saved"]
    doc: str
    edit: int
    problem: str | None


class DoneAnswer(TypedDict):
    """A message was obeyed; some messages add what :data:`DONES` says."""

    type: Literal["done"]
    id: int
    doc: NotRequired[str]
    edit: NotRequired[int]


class FolderEntry(TypedDict):
    name: str
    path: str
    kind: Literal["folder", "clip", "drawing", "recipe"]
    bytes: int
    seconds: NotRequired[float]
    motion: NotRequired[str]
    skeleton: NotRequired[str]
    slide_mm: NotRequired[float]
    apart_cm: NotRequired[float]


class NewDone(TypedDict):
    type: Literal["done"]
    id: int
    doc: str


class DocumentsDone(DoneAnswer):
    documents: list[DocumentLine]


class FolderDone(DoneAnswer):
    path: str
    parent: str | None
    entries: list[FolderEntry]
    indexed: bool
    notice: str | None


class FavouriteLine(TypedDict):
    """A sample or a file with a star; which one that is, is the other's place."""

    sample: NotRequired[str]
    entry: NotRequired[FolderEntry]


class FavouritesDone(DoneAnswer):
    favourites: list[FavouriteLine]


class SimilarDone(DoneAnswer):
    """The clips of the folder that are most like one, best first; ``apart_cm`` says how unlike each is."""

    entries: list[FolderEntry]


class StepDone(DoneAnswer):
    step: str


class PoseDone(StepDone):
    key: int


class JobDone(DoneAnswer):
    job: str


class InputDone(DoneAnswer):
    name: str


class InputSetDone(DoneAnswer):
    names: list[str]


class SaveDone(DoneAnswer):
    path: str


class RecipeDone(DoneAnswer):
    text: str


class NeutralDone(DoneAnswer):
    knobs: JsonObject


class ErrorAnswer(TypedDict):
    type: Literal["error"]
    id: int | None
    doc: str | None
    code: str
    message: str
    where: NotRequired[str | None]
    step: NotRequired[str | None]


class JobAnswer(TypedDict):
    type: Literal["job"]
    job: str
    doc: str
    id: int | None
    text: str
    share: float | None
    left_s: float | None
    state: JobState
    step: str | None
    url: str | None
    message: str | None


# --- motion


class ArrayFacts(TypedDict):
    """An array of a binary frame; ``offset`` in bytes from the start of the payload."""

    name: str
    shape: list[int]
    offset: int


class TipLine(TypedDict):
    parent: int
    offset: Point


class LimbLine(TypedDict):
    name: str
    joints: list[int]
    end: int
    leg: bool


class SkeletonFacts(TypedDict):
    names: list[str]
    parents: list[int]
    offsets: list[Point]
    tips: list[TipLine]
    roles: dict[str, int]
    groups: dict[str, list[int]]
    limbs: list[LimbLine]
    height: float
    signature: str


class SkeletonAnswer(SkeletonFacts):
    type: Literal["skeleton"]
    doc: str
    edit: int
    of: Literal["both", "motion"]


class StepResultLine(TypedDict):
    id: str
    state: StepState
    error: str | None
    ms: float
    report: StepReport | None


class Span(TypedDict):
    part: Literal["window", "whole"]
    start: int
    stop: int
    frames: int
    fps: float


class MotionAnswer(Span):
    type: Literal["motion"]
    doc: str
    edit: int
    id: int | None
    drag: bool
    exact: bool
    evaluate_ms: float
    steps: list[StepResultLine]
    floor: float | None
    change_mm: float | None
    arrays: list[ArrayFacts]


class FootLine(TypedDict):
    """When a foot stands: rows of first frame, one after the last, and how far it slides in mm."""

    side: str
    joint: int
    intervals: list[tuple[int, int, float | None]]


class Footprint(TypedDict):
    side: str
    start: int
    stop: int
    place: Point
    heading_deg: float


class ContactLines(TypedDict):
    feet: list[FootLine]
    footprints: list[Footprint]


class OriginalAnswer(Span):
    type: Literal["original"]
    doc: str
    edit: int
    names: list[str]
    parents: list[int]
    contacts: ContactLines
    arrays: list[ArrayFacts]


MeasureLine = TypedDict(  # "is" is a keyword of Python
    "MeasureLine",
    {
        "name": str,
        "title": str,
        "unit": str,
        "was": float | None,
        "is": float | None,
        "verdict": Literal["same", "good", "bad"],
        "reason": NotRequired[str],
        "anew": NotRequired[float | None],
    },
)
BothContacts = TypedDict("BothContacts", {"was": ContactLines, "is": ContactLines})


class Quality(TypedDict):
    measures: list[MeasureLine]
    contacts: BothContacts


class QualityAnswer(Quality):
    type: Literal["quality"]
    doc: str
    edit: int


# --- what panels ask for


class Question(TypedDict):
    doc: str
    id: int
    edit: int
    arrays: list[ArrayFacts]


class BandLine(TypedDict):
    number: int
    hz: float
    key_hz: float
    low_hz: float
    high_hz: float
    gain: float
    rms_deg: float


class BandsAnswer(Question):
    type: Literal["bands"]
    bands: list[BandLine]
    step: str | None
    joint: str
    start: int
    stop: int
    unit: str


class ChannelLine(TypedDict):
    joint: int
    name: str
    axis: str
    unit: str


class CurvesAnswer(Question):
    type: Literal["curves"]
    channels: list[ChannelLine]
    kind: Literal["euler", "log", "position"]
    start: int
    stop: int


class SplineAnswer(TypedDict):
    type: Literal["spline"]
    id: int
    arrays: list[ArrayFacts]


class ThumbnailAnswer(TypedDict):
    """A few poses of a clip; the one at ``rest`` is the liveliest."""

    type: Literal["thumbnail"]
    id: int
    parents: list[int]
    tip_parents: list[int]
    rest: int
    frames: int
    fps: float
    poses_fps: float
    height: float
    arrays: list[ArrayFacts]


class ShapingCurveLine(TypedDict):
    """Rows of x, y, tension, continuity, bias; the last three may be left out."""

    points: list[list[float]]
    ends: NotRequired[str]


class ShapingAnswer(TypedDict):
    type: Literal["shaping"]
    id: int
    curve: ShapingCurveLine
    made: str
    library: list[str]
    arrays: list[ArrayFacts]


class WarpAnswer(Question):
    type: Literal["warp"]
    step: str
    other: str
    frames: tuple[int, int]
    cost: float


class ClipAnswer(Question):
    type: Literal["clip"]
    name: str
    start: int
    stop: int
    frames: int
    fps: float
    names: list[str]
    parents: list[int]
    tips: list[TipLine]


class SkinMaterial(TypedDict):
    """``colour`` in linear light multiplies ``picture``, an image as a data address."""

    colour: Point
    picture: str | None


class SkinPart(TypedDict):
    """Corners of triangles that share a material."""

    material: int
    start: int
    count: int


class SkinAnswer(Question):
    """The surface that follows the joints of the edited motion."""

    type: Literal["skin"]
    body: Literal["skin", "mannequin"]
    of: Literal["motion", "original"]
    name: str | None
    finding: FindingLine | None
    bone_joints: list[int]
    materials: list[SkinMaterial]
    parts: list[SkinPart]


class OutlineAnswer(Question):
    type: Literal["outline"]
    name: str
    frames: int
    fps: float
    unit: str


@with_config(ConfigDict(extra="allow"))
class PhysicsCard(TypedDict):
    """The summary of ``kt.physics_report``; these are the numbers that the page shows."""

    verdict: Literal["plausible", "doubtful", "impossible"]
    reasons: list[FindingLine]
    friction_needed: float | None
    root_residual_bw: float | None
    frames_outside_cone: float | None


BothCards = TypedDict("BothCards", {"was": PhysicsCard, "is": PhysicsCard})


class VerdictAnswer(TypedDict):
    """Whether a body could have moved like this, before a step or at the end; ``problem`` says why that is unknown."""

    type: Literal["verdict"]
    doc: str
    id: int
    edit: int
    step: str | None
    verdict: Literal["plausible", "doubtful", "impossible"] | None
    reasons: list[FindingLine]
    problem: str | None


class MomentLine(TypedDict):
    """When to leave a clip and to enter another, and how unlike they are there."""

    leave_s: float
    enter_s: float
    distance_cm: float


class MomentsAnswer(TypedDict):
    """The best moments to pass into the other clip of a step; ``problem`` says why there are none."""

    type: Literal["moments"]
    doc: str
    id: int
    edit: int
    step: str
    moments: list[MomentLine]
    problem: str | None


class FarthestMove(TypedDict):
    """The joint that a step moves farthest, and where; ``far`` if that is more than a tenth of the body's height."""

    joint: str
    frame: int
    mm: float
    hips_mm: float
    far: bool


class ForcesAnswer(Question):
    type: Literal["forces"]
    step: str
    mu: float
    weight_n: float
    fps: float
    cards: BothCards
    move: FarthestMove


class LoadsAnswer(Question):
    """What the floor would have to give a motion before a step: left foot, right foot and all, in body weights."""

    type: Literal["loads"]
    step: str


class TimingAnswer(Question):
    """Where the moments of the tracks went in the result: arrays ``part0``, ``part1`` ... of both in seconds.

    The array ``origins`` has the frame of the source that each frame of the result shows, fractional.

    known : False where some step makes a motion of its own, or is not computed.
    parts : how many there are.
    """

    type: Literal["timing"]
    known: bool
    parts: int


# --- drawings


class FilmContour(TypedDict):
    start: int
    count: int
    closed: bool


class FilmLayer(TypedDict):
    name: str
    fill: str | None
    stroke: str | None
    stroke_width: float
    fill_opacity: float
    stroke_opacity: float
    cap: str
    join: str
    contours: list[FilmContour]


class FilmFrame(TypedDict):
    """A drawing of a film; ``t`` counts from one key drawing to the next, as the ease has it: 1.5 is halfway from the
    second to the third."""

    t: float
    view_box: list[float]
    layers: list[FilmLayer]


class DrawingsAnswer(TypedDict):
    """The key drawings."""

    type: Literal["drawings"]
    doc: str
    edit: int
    id: int | None
    frames: list[FilmFrame]
    arrays: list[ArrayFacts]


class FilmAnswer(TypedDict):
    type: Literal["film"]
    doc: str
    edit: int
    id: int | None
    fps: float
    findings: list[FindingLine]
    frames: list[FilmFrame]
    starts: list[int]
    drag: NotRequired[bool]
    arrays: list[ArrayFacts]


class MatchesAnswer(Question):
    type: Literal["matches"]
    gap: int


class PointsAnswer(Question):
    type: Literal["points"]
    key: int
    layer: int
    contour: int
    closed: bool
    choices: list[int]


ANSWERS: dict[str, Any] = {
    "document": MotionDocument | DrawingDocument,
    "skeleton": SkeletonAnswer,
    "original": OriginalAnswer,
    "motion": MotionAnswer,
    "quality": QualityAnswer,
    "saved": SavedAnswer,
    "done": DoneAnswer,
    "error": ErrorAnswer,
    "job": JobAnswer,
    "bands": BandsAnswer,
    "curves": CurvesAnswer,
    "spline": SplineAnswer,
    "shaping": ShapingAnswer,
    "warp": WarpAnswer,
    "clip": ClipAnswer,
    "outline": OutlineAnswer,
    "skin": SkinAnswer,
    "verdict": VerdictAnswer,
    "moments": MomentsAnswer,
    "forces": ForcesAnswer,
    "loads": LoadsAnswer,
    "timing": TimingAnswer,
    "drawings": DrawingsAnswer,
    "film": FilmAnswer,
    "thumbnail": ThumbnailAnswer,
    "points": PointsAnswer,
    "matches": MatchesAnswer,
    "checkup": CheckupAnswer,
    "remedy": RemedyAnswer,
}
"""The answers on the socket, by their type."""
DONES: dict[str, Any] = {
    "new": NewDone,
    "drawing.new": NewDone,
    "documents": DocumentsDone,
    "folder": FolderDone,
    "favourites": FavouritesDone,
    "similar": SimilarDone,
    "step.add": StepDone,
    "step.duplicate": StepDone,
    "pose": PoseDone,
    "run": JobDone,
    "export": JobDone,
    "input.add": InputDone,
    "input.add_set": InputSetDone,
    "save": SaveDone,
    "recipe": RecipeDone,
    "neutral": NeutralDone,
}
"""What the ``done`` of a message carries, where that is more than an edit number."""
ROUTES: dict[str, Any] = {"hello": Hello, "operations": OperationList, "uploads": Uploaded}
"""The answers of the HTTP routes."""


def check_answer(answer: Any, kind: Any) -> None:
    """Raise a ``ValidationError`` for an answer that lacks a key, or has one that its type does not know."""
    TypeAdapter(kind).validate_python(answer)


for _shape in list(globals().values()):
    if is_typeddict(_shape) and not hasattr(_shape, "__pydantic_config__"):
        _shape.__pydantic_config__ = ConfigDict(extra="forbid")
