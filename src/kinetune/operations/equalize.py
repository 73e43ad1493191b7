"""A graphic equalizer for motion."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema, model_validator

from kinetune.body.clip import Clip
from kinetune.body.curves.pose_curves import RootChannels
from kinetune.body.curves.pose_equalizer import JointGains, equalize_joints, equalize_paths
from kinetune.body.quality.glitches import find_motion, motion_span
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError
from kinetune.operations._motion_edits import edit_motion
from kinetune.operations.base import MovesFeet, Preview, parameter
from kinetune.rotations import Floats
from kinetune.signals.bands.band_presets import gains_at, preset_gains
from kinetune.signals.bands.gains import Band, Ends, list_bands, mix_gains
from kinetune.signals.bands.pyramid import count_bands

Gain = Annotated[float, Field(ge=-100.0, le=100.0)]
BandNumber = Annotated[int, Field(ge=0, le=40)]
Seconds = Annotated[float, Field(ge=0.0, le=100_000.0)]
_MOST_BANDS = 41


def bands_of(clip: Clip) -> tuple[Band, ...]:
    """The bands that a clip has, fastest first, each with its number and its centre in Hz."""
    return list_bands(len(clip), clip.fps)


def _from_mapping(given: Any) -> Any:
    """Gains from band 0 up for a mapping from band to gain."""
    if isinstance(given, int | float):
        return (given,)
    if not isinstance(given, Mapping):
        return given
    bands: dict[int, Any] = {}
    for name, gain in given.items():
        band = _band(name)
        if band is None:
            raise ParameterError('Gains of single bands are called by their numbers: {"3": 1.5}.')
        bands[band] = gain
    return tuple(bands.get(k, 1.0) for k in range(1 + max(bands, default=-1)))


def _band(name: Any) -> int | None:
    """The number of a band as people write it (3, "3", "band 3"); None for "all"."""
    text = str(name).strip().casefold()
    if text == "all":
        return None
    digits = text.removeprefix("band").strip()
    if not digits.isdigit() or int(digits) >= _MOST_BANDS:
        raise ParameterError(f"{name!r} is no band; bands have the numbers 0 to {_MOST_BANDS - 1}.")
    return int(digits)


def _pairs(given: Any) -> Any:
    """A mapping as a tuple of pairs, which can be hashed."""
    return tuple(given.items()) if isinstance(given, Mapping) else given


def _keyed_bands(given: Any) -> Any:
    pairs = _pairs(given)
    if not isinstance(pairs, list | tuple) or any(not isinstance(p, list | tuple) or len(p) != 2 for p in pairs):
        return given  # pydantic says what is wrong with it
    return tuple(("all" if _band(name) is None else str(_band(name)), keys) for name, keys in pairs)


def _by_frequency(given: Any) -> Any:
    """Pairs of frequency and gain, the lowest first, for a mapping from one to the other."""
    if not isinstance(given, Mapping):
        return given
    pairs = []
    for name, gain in given.items():
        try:
            hz = float(str(name).casefold().removesuffix("hz"))
        except ValueError:
            hz = float("nan")
        if not 0.0 < hz <= 100_000.0:
            raise ParameterError(f"{name!r} is no frequency; gains by frequency are written as {{2: 1.4}}, in Hz.")
        pairs.append((hz, gain))
    return tuple(sorted(pairs))


Frequency = Annotated[float, Field(gt=0.0, le=100_000.0)]
FrequencyGains = Annotated[
    tuple[tuple[Frequency, Annotated[float, Field(ge=-100.0, le=100.0)]], ...],
    BeforeValidator(_by_frequency),
    PlainSerializer(lambda pairs: {f"{hz:g}": gain for hz, gain in pairs}),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": "number"}}),
]
Gains = Annotated[tuple[Gain, ...], BeforeValidator(_from_mapping), Field(max_length=_MOST_BANDS)]
Keys = tuple[tuple[Seconds, Gain], ...]
_OBJECT = {"type": "object", "additionalProperties": {"type": "array"}}
BandKeys = Annotated[
    tuple[tuple[str, Keys], ...],
    BeforeValidator(_keyed_bands),
    PlainSerializer(lambda pairs: {name: [list(key) for key in keys] for name, keys in pairs}),
    WithJsonSchema(_OBJECT),
]


class GroupSetting(BaseModel):
    """How the bands of one group of joints are set; a list of gains stands for one that has nothing else.

    gains : of each band from band 0 up, or of single bands as a mapping; missing ones are 1.
    gains_hz : gains by frequency in their place.
    solo, mute : bands that play alone or are silent in this group. Its own solo takes the place of the common one;
        bands that are muted for all are muted here too.
    gain_keys : gains over time: band, or all, to pairs of seconds and gain; a band without any follows the common ones.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    gains: Gains = ()
    gains_hz: FrequencyGains = ()
    solo: tuple[BandNumber, ...] = ()
    mute: tuple[BandNumber, ...] = ()
    gain_keys: BandKeys = ()

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.gains and self.gains_hz:
            raise ParameterError("Give the gains of a group by band or by frequency, not both.")
        _check_keys(self.gain_keys)
        return self

    def by_band(self, count: int, fps: float) -> Floats | tuple[float, ...]:
        """The gain of each band."""
        return gains_at(dict(self.gains_hz), count, fps) if self.gains_hz else self.gains


def _as_setting(given: Any) -> Any:
    """A list of gains, or a mapping from band to gain, as a setting."""
    if isinstance(given, Mapping) and not given.keys() & GroupSetting.model_fields.keys():
        return {"gains": given}
    return {"gains": given} if isinstance(given, list | tuple | int | float) else given


def _plain_groups(pairs: tuple[tuple[str, GroupSetting], ...]) -> dict[str, Any]:
    """Groups as recipes write them: a list of gains where there is nothing else."""
    plain_groups: dict[str, Any] = {}
    for name, setting in pairs:
        plain = setting.model_dump(mode="json", exclude_defaults=True)
        plain_groups[name] = list(setting.gains) if plain.keys() <= {"gains"} else plain
    return plain_groups


def _check_keys(bands: tuple[tuple[str, Keys], ...]) -> None:
    for name, keys in bands:
        if not keys:
            raise ParameterError(f"The gain of band {name} has no keys.")
        _check_times(keys)


def _check_times(keys: Keys) -> None:
    for (time, _), (later, _) in pairwise(keys):
        if later <= time:
            raise ParameterError(f"Keys follow each other in time, but one at {later:g} s comes after {time:g} s.")


Groups = Annotated[
    tuple[tuple[str, Annotated[GroupSetting, BeforeValidator(_as_setting)]], ...],
    BeforeValidator(_pairs),
    PlainSerializer(_plain_groups),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": ["array", "object"]}}),
]


class Equalize(MovesFeet):
    """Turn the frequency bands of a motion up or down, as an equalizer does with sound.

    Band 0 is the fastest; each further band lies an octave lower, and the posture underneath them stays as it is.
    The frequencies of the bands depend on the frame rate: ``kinetune info FILE`` lists them. Presets act on the
    same frequencies at any rate. Raising the middle bands exaggerates a walk, raising the fastest makes it nervous,
    and a negative gain inverts a band. The character's path stays the same, and standing feet stay in place
    (``keep_feet``).
    """

    op: Literal["equalize"] = "equalize"
    local_in_time: ClassVar[bool] = True
    keeps_stance: ClassVar[bool] = True
    keeps_hands_out: ClassVar[bool] = True
    former_defaults: ClassVar[Mapping[str, Any]] = {"limit_knees": False}
    gains: Gains = parameter(
        (), "Gain of each band from band 0 up, or of single bands as a mapping; missing ones are 1.", unit="1"
    )
    gains_hz: FrequencyGains = parameter(
        (),
        "Gains by frequency in Hz, the same at any frame rate, such as {2: 1.4}; an octave away they are 1 again.",
        unit="Hz, 1",
    )
    preset: Literal["exaggerate", "nervous", "subdued", "anticipation"] | None = parameter(
        None, "Gains by name, at the same frequencies for every frame rate.", unit=""
    )
    amount: float = parameter(
        1.0, "How much of the edit: 0 none, 1 what the gains say, 2 twice as far from 1.", unit="1", ge=0.0, le=10.0
    )
    joints: str | tuple[str, ...] | None = parameter(
        None, "Which joints to equalize: names, roles or groups such as left arm; all by default.", unit=""
    )
    groups: Groups = parameter(
        (),
        "Separate gains for groups of joints: group to gains, or to gains, gains_hz, solo, mute, gain_keys.",
        unit="1",
    )
    solo: tuple[BandNumber, ...] = parameter((), "Bands that play alone; the others are silent.", unit="1")
    mute: tuple[BandNumber, ...] = parameter((), "Bands that are silent.", unit="1")
    gain_keys: BandKeys = parameter(
        (), "Gains that change over time: band, or all, to pairs of seconds and gain.", unit="s, 1"
    )
    amount_keys: Keys = parameter((), "Amounts that change over time: pairs of seconds and amount.", unit="s, 1")
    target: Literal["rotations", "paths"] = parameter(
        "rotations", "Edit joint rotations, or the paths of hands and feet, which the limbs then follow.", unit=""
    )
    root: RootChannels = parameter(
        "height",
        "What to equalize of the root's movement about its slow path: nothing (none), its height, or all.",
        unit="",
    )
    representation: Literal["log", "euler"] = parameter(
        "log", "Rotations as vectors about each joint's mean, or as the Euler channels of the file.", unit=""
    )
    ends: Ends = parameter("held", "Beyond its ends the motion is held, mirrored, or repeated as a cycle.", unit="")

    limit_knees: bool = parameter(
        True, "Keep knees from bending backward where keep_feet is off; where it is on, they never do.", unit=""
    )

    @model_validator(mode="after")
    def _one_setting(self) -> Self:
        if self.preset is not None and self.gains:
            raise ParameterError("Give gains or a preset, not both.")
        if self.gains_hz and (self.preset is not None or self.gains):
            raise ParameterError("Give gains_hz, gains by band or a preset, only one of them.")
        _check_keys(self.gain_keys)
        _check_times(self.amount_keys)
        return self

    @classmethod
    def neutral(cls) -> Self:
        """Every band as it is."""
        return cls()

    @classmethod
    def example(cls) -> Self:
        """A larger walk."""
        return cls(preset="exaggerate")

    def check(self, skeleton: Skeleton) -> None:
        """Raise if a joint or group does not exist."""
        super().check(skeleton)
        for group, _ in self.groups:
            skeleton.select(group)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The clip with its bands turned up or down; a T-pose before the motion stays as it is."""
        orders = clip.source.euler_orders(clip.skeleton)[0] if self.representation == "euler" else None

        def edit(motion: Clip) -> Clip:
            start = motion_span(clip)[0]
            times = clip.times[start : start + len(motion)]
            parts = self.parts(motion, times)
            if all(np.all(gains == 1.0) for _, gains in parts):
                return motion
            if self.target == "paths":
                return equalize_paths(motion, parts, ends=self.ends)
            return equalize_joints(
                motion, parts, root=self.root, kind=self.representation, orders=orders, ends=self.ends
            )

        return edit_motion(clip, edit)

    def finished(self, before: Clip, edited: Clip, share: Floats | None = None) -> Clip:
        """The edited clip with its feet standing, or at least without knees that bend backward."""
        if self.keep_feet or not self.limit_knees:
            return super().finished(before, edited, share)
        from kinetune.body.feet.planting import steady_knees

        return steady_knees(edited, like=before)

    def is_local(self) -> bool:
        """Gains over time name seconds of the whole clip."""
        return not (self.gain_keys or self.amount_keys)

    def preview_key(self) -> tuple[Any, ...] | None:
        """The bands of some frames stay while their gains change; paths have no preview."""
        return ("equalize", self.representation, self.ends) if self.target == "rotations" else None

    def preview(self, clip: Clip, first: int, last: int) -> Preview | None:
        """The bands of some frames."""
        from kinetune.body.previews.band_preview import BandPreview

        stray, stop, wrong = find_motion(clip)
        if first < stray or stop < len(clip) or wrong or not BandPreview.suits(clip):
            return None
        motion, times = clip[stray:] if stray else clip, clip.times[stray:]
        orders = clip.source.euler_orders(clip.skeleton)[0] if self.representation == "euler" else None
        bands = BandPreview(
            motion, first - stray, last - stray, kind=self.representation, orders=orders, ends=self.ends
        )
        return Preview(lambda step: bands.mix(step.parts(motion, times), root=step.root), True)

    def band_gains(self, clip: Clip) -> list[float] | None:
        """The gain of each band as its fader stands: amount, time, groups, solo and mute left aside."""
        count = count_bands(len(clip))
        gains = self._common(count, clip.fps)
        return [float(gain) for gain in (*gains, *[1.0] * count)][:count]

    def parts(self, clip: Clip, times: Floats) -> list[JointGains]:
        """The joints that share their gains, with those gains; a joint in several groups belongs to the last."""
        count = count_bands(len(clip))
        common = self._common(count, clip.fps)
        chosen = set(clip.skeleton.select(self.joints))
        everybody = GroupSetting()
        settings = [(chosen, common, everybody)]
        for group, setting in self.groups:
            members = set(clip.skeleton.select(group))
            settings = [(joints - members, gains, each) for joints, gains, each in settings]
            settings.append((members, setting.by_band(count, clip.fps), setting))
        return [(sorted(joints), self._mixed(gains, setting, times, count)) for joints, gains, setting in settings]

    def _common(self, count: int, fps: float) -> Floats | tuple[float, ...]:
        """The gains that all joints have but those of groups."""
        if self.gains_hz:
            return gains_at(dict(self.gains_hz), count, fps)
        return self.gains if self.preset is None else preset_gains(self.preset, count, fps)

    def _mixed(self, gains: Floats | tuple[float, ...], setting: GroupSetting, times: Floats, count: int) -> Floats:
        keys = {**dict(self.gain_keys), **dict(setting.gain_keys)}
        return mix_gains(
            np.asarray(gains, dtype=float),
            times,
            count=count,
            solo=setting.solo or self.solo,
            mute=(*self.mute, *setting.mute),
            band_keys={_band(name): rows for name, rows in keys.items()},
            amount=self.amount,
            amount_keys=self.amount_keys,
        )
