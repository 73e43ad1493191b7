"""A drawing document as a value: two key drawings, edits of their control points, and how one becomes the other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from kinetune.contours.timing.eases import ease_curve
from kinetune.errors import ParameterError
from kinetune.studio.documents.origins import Origin
from kinetune.studio.protocol.message_parts import MessageError, Name, Point2

Which = Literal["a", "b"]
_NUMBER = {"allow_inf_nan": False}


class WalkCycleSettings(BaseModel):
    """A walk cycle in place of a morph.

    gait : whose feet keep to the ground, as in :func:`kinetune.contours.gaits.gait_film`, with ``travel`` moving
        forward; None morphs between both drawings, and only then the others but ``pairs`` count.
    gamma_a, gamma_b : how limbs hurry and linger, as in :class:`kinetune.contours.gait_cycle.GaitTiming`.
    pairs : opposite layers by name; None for those that are named as opposites.
    like : a sample to walk in step with; None for one cycle.
    foot : of that sample, which lands where the first drawing is shown.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)

    gait: Literal["walk", "trot", "pace", "canter"] | None = None
    travel: bool = False
    gamma_a: Annotated[float, Field(ge=-1, le=1, **_NUMBER)] | None = None
    gamma_b: Annotated[float, Field(ge=-1, le=1, **_NUMBER)] | None = None
    pairs: Annotated[dict[Name, Name], Field(min_length=1, max_length=200)] | None = None
    like: Name | None = None
    foot: Literal["left", "right"] = "left"


def _checked_ease(text: str) -> str:
    try:
        ease_curve(text)
    except ParameterError as problem:
        raise ValueError(str(problem)) from None
    return text


class MorphSettings(BaseModel):
    """How one drawing becomes the other; named as the parameters of :func:`kinetune.morph`."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)

    method: Literal["safe", "linear", "schedule", "physical"] = "safe"
    frames: Annotated[int, Field(ge=2, le=240)] = 25
    fps: Annotated[float, Field(gt=0, le=240)] = 24.0
    ease: Annotated[str, Field(max_length=400), AfterValidator(_checked_ease)] = "linear"
    on: Annotated[int, Field(ge=1, le=12)] = 1
    elastic: bool = True
    match: Literal["auto", "name", "order", "shape"] = "auto"
    layers: dict[str, int | None] = Field(default_factory=dict)
    pins: Annotated[tuple[tuple[Point2, Point2], ...], Field(max_length=500)] = ()
    extras: Literal["auto", "point", "partner"] = "auto"
    coefficients: Annotated[int, Field(ge=1, le=4096)] | None = None
    wavelet: Annotated[str, Field(max_length=20)] = "db4"
    preset: Literal["dead-beat", "jelly", "wobbly"] = "jelly"
    seconds: Annotated[float, Field(gt=0, le=60)] | None = None
    resolution: Annotated[int, Field(ge=2, le=4096)] | None = None
    gait: WalkCycleSettings | None = None


class PulledPoint(BaseModel):
    """A control point that was moved.

    points : how many control points the contour had when it was moved.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    layer: int
    contour: int
    points: int
    index: int
    by: Point2
    detail: Literal["turn", "keep"] = "turn"


@dataclass(frozen=True)
class KeyDrawing:
    """A key drawing: where it came from, and what was pulled since, in order."""

    origin: Origin
    pulled: tuple[PulledPoint, ...] = ()

    def as_plain(self) -> dict[str, Any]:
        return {"origin": self.origin.as_plain(), "pulled": [each.model_dump(mode="json") for each in self.pulled]}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> KeyDrawing:
        return cls(Origin.from_plain(plain["origin"]), tuple(PulledPoint(**each) for each in plain["pulled"]))


@dataclass(frozen=True)
class DrawingState:
    """The state of a drawing document."""

    a: KeyDrawing
    b: KeyDrawing | None = None
    settings: MorphSettings = field(default_factory=MorphSettings)

    def key(self, which: Which) -> KeyDrawing:
        key = self.a if which == "a" else self.b
        if key is None:
            raise MessageError("refused", "There is no second drawing yet. Drop one on the page.")
        return key

    def with_key(self, which: Which, key: KeyDrawing) -> DrawingState:
        return replace(self, a=key) if which == "a" else replace(self, b=key)

    def with_settings(self, changes: Mapping[str, Any]) -> DrawingState:
        """Some settings changed; None returns one to its default."""
        settings = {**self.settings.model_dump(mode="json"), **changes}
        settings = {name: value for name, value in settings.items() if value is not None}
        try:
            return replace(self, settings=MorphSettings(**settings))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise MessageError("bad_field", f'"{where}" does not fit: {first["msg"]}.', where=where) from None

    def summary(self) -> str:
        """Both drawings, for a list of documents."""
        return self.a.origin.label if self.b is None else f"{self.a.origin.label} to {self.b.origin.label}"

    def __hash__(self) -> int:
        return hash(json.dumps(self.as_plain(), sort_keys=True))

    def as_plain(self) -> dict[str, Any]:
        return {
            "a": self.a.as_plain(),
            "b": None if self.b is None else self.b.as_plain(),
            "settings": self.settings.model_dump(mode="json", exclude_defaults=True),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> DrawingState:
        b = None if plain["b"] is None else KeyDrawing.from_plain(plain["b"])
        return cls(KeyDrawing.from_plain(plain["a"]), b, MorphSettings(**plain["settings"]))
