"""A drawing document as a value: key drawings, edits of their control points, and how each becomes the next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from kinetune.contours.timing.eases import ease_curve
from kinetune.errors import ParameterError
from kinetune.studio.documents.origins import Origin
from kinetune.studio.protocol.message_parts import MessageError, Name, Point2

MOST_KEYS, MOST_FRAMES, MOST_FPS = 100, 240, 240
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


class GapSettings(BaseModel):
    """How one key drawing becomes the next; named as the parameters of :func:`kinetune.morph`.

    frames : drawings from one key to the next, both counted.
    ease : how they are spread over that time, as :func:`kinetune.morph` takes it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)

    frames: Annotated[int, Field(ge=2, le=MOST_FRAMES)] = 25
    ease: Annotated[str, Field(max_length=400), AfterValidator(_checked_ease)] = "linear"
    layers: dict[str, int | None] = Field(default_factory=dict)
    pins: Annotated[tuple[tuple[Point2, Point2], ...], Field(max_length=500)] = ()


class MorphSettings(BaseModel):
    """How all key drawings become each other; named as the parameters of :func:`kinetune.morph`."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)

    method: Literal["safe", "linear", "schedule", "physical"] = "safe"
    fps: Annotated[float, Field(gt=0, le=MOST_FPS)] = 24.0
    on: Annotated[int, Field(ge=1, le=12)] = 1
    elastic: bool = True
    match: Literal["auto", "name", "order", "shape"] = "auto"
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
    """The state of a drawing document.

    keys : at least one key drawing.
    gaps : how each becomes the next; a single key has one too, for the drawing that is to come.
    """

    keys: tuple[KeyDrawing, ...]
    gaps: tuple[GapSettings, ...] = (GapSettings(),)
    settings: MorphSettings = field(default_factory=MorphSettings)

    def key(self, number: int) -> KeyDrawing:
        if number >= len(self.keys):
            raise MessageError("unknown_name", f"There is no key drawing {number + 1}; there are {len(self.keys)}.")
        return self.keys[number]

    def gap(self, number: int) -> GapSettings:
        if number >= len(self.gaps):
            raise MessageError("unknown_name", f"There is no gap {number + 1} between key drawings.")
        return self.gaps[number]

    def with_key(self, number: int, key: KeyDrawing) -> DrawingState:
        """With another key drawing in place of one that is there."""
        self.key(number)
        return replace(self, keys=(*self.keys[:number], key, *self.keys[number + 1 :]))

    def replace_key(self, number: int, key: KeyDrawing) -> DrawingState:
        """The same; what belonged to the drawing that has gone, its pins and layer pairs, goes too."""
        gaps = tuple(
            _unpaired(gap) if at in (number - 1, number) else gap
            for at, gap in enumerate(self.with_key(number, key).gaps)
        )
        return replace(self.with_key(number, key), gaps=gaps)

    def insert(self, number: int, key: KeyDrawing) -> DrawingState:
        """With one more key drawing; a gap that it divides gives its timing to both halves."""
        if len(self.keys) >= MOST_KEYS:
            raise MessageError("refused", f"A film has at most {MOST_KEYS} key drawings.")
        at = min(number, len(self.keys))
        if len(self.keys) == 1:
            return replace(self, keys=(*self.keys[:at], key, *self.keys[at:]), gaps=(_unpaired(self.gaps[0]),))
        near = min(max(at - 1, 0), len(self.gaps) - 1)
        timing = _unpaired(self.gaps[near])
        inside = 0 < at < len(self.keys)
        gaps = [*self.gaps]
        gaps[near : near + inside] = [timing] * (1 + inside)
        if not inside:
            gaps = [timing, *self.gaps] if at == 0 else [*self.gaps, timing]
        return replace(self, keys=(*self.keys[:at], key, *self.keys[at:]), gaps=tuple(gaps))

    def remove(self, number: int) -> DrawingState:
        """Without a key drawing; the gap before it leads to the one after it."""
        self.key(number)
        if len(self.keys) == 1:
            raise MessageError("refused", "This is the only drawing. Replace it, or delete the document.")
        keys = (*self.keys[:number], *self.keys[number + 1 :])
        gaps = [*self.gaps]
        if len(gaps) > 1:
            del gaps[min(number, len(gaps) - 1)]
        if number > 0:
            gaps[number - 1 : number] = [_unpaired(gap) for gap in gaps[number - 1 : number]]
        return replace(self, keys=keys, gaps=tuple(gaps))

    def move(self, number: int, to: int) -> DrawingState:
        """With a key drawing at another position; the timing of the gaps stays, their pairs do not."""
        key = self.key(number)
        others = [*self.keys[:number], *self.keys[number + 1 :]]
        at = min(to, len(others))
        if at == number:
            return self
        others.insert(at, key)
        return replace(self, keys=tuple(others), gaps=tuple(_unpaired(gap) for gap in self.gaps))

    def with_settings(self, changes: Mapping[str, Any], gap: int = 0) -> DrawingState:
        """Some settings changed, those of a gap among them; None returns one to its default."""
        of_gap = {name: value for name, value in changes.items() if name in GapSettings.model_fields}
        of_film = {name: value for name, value in changes.items() if name not in GapSettings.model_fields}
        gaps = [*self.gaps]
        gaps[gap] = _changed(self.gap(gap), of_gap)
        return replace(self, settings=_changed(self.settings, of_film), gaps=tuple(gaps))

    def summary(self) -> str:
        """The drawings, for a list of documents."""
        first = self.keys[0].origin.label
        if len(self.keys) == 1:
            return first
        return f"{first} to {self.keys[-1].origin.label}" + (f", {len(self.keys)} keys" if len(self.keys) > 2 else "")

    def __hash__(self) -> int:
        return hash(json.dumps(self.as_plain(), sort_keys=True))

    def as_plain(self) -> dict[str, Any]:
        return {
            "keys": [key.as_plain() for key in self.keys],
            "gaps": [gap.model_dump(mode="json", exclude_defaults=True) for gap in self.gaps],
            "settings": self.settings.model_dump(mode="json", exclude_defaults=True),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> DrawingState:
        """From :meth:`as_plain`, or from a document of two drawings that an earlier studio has saved."""
        if "a" in plain:
            sides = [plain[side] for side in ("a", "b") if plain[side] is not None]
            gap = {name: value for name, value in plain["settings"].items() if name in GapSettings.model_fields}
            settings = {name: value for name, value in plain["settings"].items() if name not in gap}
            plain = {"keys": sides, "gaps": [gap], "settings": settings}
        keys = tuple(KeyDrawing.from_plain(key) for key in plain["keys"])
        gaps = tuple(GapSettings(**gap) for gap in plain["gaps"])
        if not keys or len(gaps) != max(1, len(keys) - 1):
            raise ValueError("its key drawings and gaps do not belong together")
        return cls(keys, gaps, MorphSettings(**plain["settings"]))


def _unpaired(gap: GapSettings) -> GapSettings:
    """The timing of a gap, without what belongs to its two drawings."""
    return gap.model_copy(update={"pins": (), "layers": {}})


Settings = TypeVar("Settings", GapSettings, MorphSettings)


def _changed(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    plain = {**settings.model_dump(mode="json"), **changes}
    try:
        return type(settings)(**{name: value for name, value in plain.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise MessageError("bad_field", f'"{where}" does not fit: {first["msg"]}.', where=where) from None
