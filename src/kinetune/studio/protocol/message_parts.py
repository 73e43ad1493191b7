"""What messages are made of: names, numbers, sources; and the error for one that cannot be obeyed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kinetune.errors import KinetuneError

MOST_BYTES = 1 << 20
MOST_VIEW_BYTES = 1 << 16

Name = Annotated[str, Field(min_length=1, max_length=200)]
Words = Annotated[str, Field(max_length=2_000)]
Frame = Annotated[int, Field(ge=-10_000_000, le=10_000_000)]
Count = Annotated[int, Field(ge=0, le=10_000_000)]
Points = Annotated[int, Field(ge=2, le=20_000)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Point3 = tuple[Number, Number, Number]
Point2 = tuple[Number, Number]


class MessageError(KinetuneError):
    """A message that cannot be obeyed.

    code : one word for programs (see the protocol).
    """

    def __init__(
        self, code: str, message: str, *, id: int | None = None, doc: str | None = None, where: str | None = None
    ) -> None:
        self.code, self.id, self.doc, self.where = code, id, doc, where
        super().__init__(message)


class MessagePart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Reading(MessagePart):
    """How a file is read, where its own word is not taken."""

    unit: str | float | None = None
    up: Literal["x", "y", "z"] | None = None
    fps: Annotated[float, Field(gt=0, le=100_000)] | None = None
    partial: bool = False
    animation: str | int | None = None
    positions: Literal["absolute", "relative"] | None = None


class SourceRef(MessagePart):
    """A sample, a file in the folder, an upload, or a sample drawing."""

    sample: Name | None = None
    path: Annotated[str, Field(min_length=1, max_length=4_000)] | None = None
    upload: Name | None = None
    drawing: Name | None = None
    reading: Reading = Reading()

    @model_validator(mode="after")
    def _one(self) -> SourceRef:
        given = [word for word in ("sample", "path", "upload", "drawing") if getattr(self, word) is not None]
        if len(given) != 1:
            raise ValueError("a source is one of sample, path, upload or drawing.")
        return self


class MarkerPart(MessagePart):
    frame: Count
    name: Name


class TrackPart(MessagePart):
    id: Name | None = None
    clip: Name
    lane: Annotated[int, Field(ge=0, le=100)] = 0
    at: Frame = 0
    start: Count = 0
    stop: Count | None = None
    mute: bool = False


class Message(MessagePart):
    """What all have: a type and a number; what most have: a document."""

    type: str
    id: Annotated[int, Field(ge=1, le=2**53)]


class OnDocument(Message):
    """A message about a document.

    gesture : edits that follow each other and have the same one are undone together.
    label : what the history calls the edit, where it says more than its usual one.
    """

    doc: Name
    gesture: Name | None = None
    label: Annotated[str, Field(max_length=200)] | None = None


class Edit(OnDocument):
    drag: bool = False
