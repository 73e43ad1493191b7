"""Mix motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema, model_validator

from kinetune.body.clip import Clip
from kinetune.body.feet.floor import find_ground, least_sole_heights, remember_ground
from kinetune.body.previews.blend_preview import BlendPreview
from kinetune.body.quality.glitches import motion_of
from kinetune.body.root_motion import travelling_joint
from kinetune.body.skeleton import Skeleton
from kinetune.body.timeline.alignment import check_skeletons
from kinetune.body.timeline.clip_blending import (
    BlendPart,
    Weights,
    blend,
    cached_match,
    gaits_differ,
    leading_part,
    without_counterpart,
)
from kinetune.errors import ParameterError
from kinetune.findings import Finding
from kinetune.operations._motion_edits import edit_motion
from kinetune.operations.base import LiveFrames, MovesFeet, View, parameter, report_finding
from kinetune.rotations import Floats
from kinetune.signals.splines.tcb import TCB

_MOST_BANDS = 41
_NO_SUM = 1e-9

Weight = Annotated[float, Field(ge=-2.0, le=3.0)]
Seconds = Annotated[float, Field(ge=0.0, le=100_000.0)]
Share = Weight | tuple[Weight, ...]
"""How much the other clip counts, or one number for each clip, this one first."""


def _as_align(given: Any) -> Any:
    """True and False for people who only ask whether."""
    return {True: "warp", False: "none"}[given] if isinstance(given, bool) else given


def _pairs(given: Any) -> Any:
    """A mapping as a tuple of pairs, which can be hashed."""
    return tuple(given.items()) if isinstance(given, Mapping) else given


def _by_band(given: Any) -> Any:
    """Weights from band 0 up for a mapping from band to weight."""
    if isinstance(given, int | float):
        return (given,)
    if not isinstance(given, Mapping):
        return given
    bands: dict[int, Any] = {}
    for name, weight in given.items():
        digits = str(name).casefold().removeprefix("band").strip()
        if not digits.isdigit() or int(digits) >= _MOST_BANDS:
            raise ParameterError(f"{name!r} is no band; bands have the numbers 0 to {_MOST_BANDS - 1}.")
        bands[int(digits)] = weight
    return tuple(bands.get(k) for k in range(1 + max(bands, default=-1)))


Aligning = Annotated[Literal["warp", "scale", "none"], BeforeValidator(_as_align)]
BandShares = Annotated[tuple[Share | None, ...], BeforeValidator(_by_band), Field(max_length=_MOST_BANDS)]
GroupShares = Annotated[
    tuple[tuple[str, Share], ...],
    BeforeValidator(_pairs),
    PlainSerializer(lambda pairs: {name: list(s) if isinstance(s, tuple) else s for name, s in pairs}),
    WithJsonSchema({"type": "object"}),
]
Keys = tuple[tuple[float, ...], ...]


_MIXED = 0.1  # the share of another clip from which on feet are kept wholly


class Blend(MovesFeet):
    """Mix this motion with others: half happy, half sad; a drummer whose arms sway.

    Clips are aligned first: in time, so that steps coincide, and in position and heading. The mix then runs at the
    mean tempo, its poses lie between those of the clips, and its path has their mean speed and turning rate. It
    begins where this clip begins, on its skeleton and at its frame rate. Lengths, frame rates and bone lengths may
    differ. Standing feet do not slide (``keep_feet``).
    """

    op: Literal["blend"] = "blend"
    takes_region: ClassVar[bool] = False
    input_parameters: ClassVar[tuple[str, ...]] = ("other", "others")

    other: str | None = parameter(None, "The clip to mix in; it needs the same joints.", unit="")
    others: tuple[str, ...] = parameter((), "Several clips to mix in, in place of one.", unit="")
    weight: float = parameter(
        0.5, "How much of the other clip: 0 none, 1 only that one; beyond 1 exaggerates.", unit="1", ge=-2.0, le=3.0
    )
    weights: tuple[Weight, ...] = parameter(
        (), "How much of each clip, this one first; only their ratios matter. Equal by default.", unit="1"
    )
    weight_keys: Keys = parameter(
        (), "Weights over time: rows of seconds and weight, or of seconds and one weight for each clip.", unit="s, 1"
    )
    timing: float | None = parameter(
        None,
        "Whose timing: 0 this clip's, 1 the other's; it follows the weight by default.",
        unit="1",
        ge=0.0,
        le=1.0,
    )
    joints: str | tuple[str, ...] | None = parameter(
        None,
        "Which joints to mix; the others stay with this clip, and without the hips so do timing and path.",
        unit="",
    )
    groups: GroupShares = parameter((), "Separate weights for groups of joints: group to weight or weights.", unit="1")
    bands: BandShares = parameter(
        (), "Separate weights for frequency bands, from band 0 (fastest) up, or band to weight.", unit="1"
    )
    align: Aligning = parameter(
        "warp",
        "Find moments that correspond, stretch all clips evenly to one length, or take them as they are.",
        unit="",
    )
    cost: Literal["pose", "sederberg"] = parameter(
        "pose", "Compare poses, or how curves stretch and bend from frame to frame, as in the paper.", unit=""
    )
    band_s: float | None = parameter(
        None, "How far timings may differ from an even stretch; no limit by default.", unit="s", gt=0.0, le=100_000.0
    )
    ends: Literal["strides", "all"] = parameter(
        "strides", "Leave out strides at the ends that only one of the walks has, or squeeze them all in.", unit=""
    )
    place: bool = parameter(
        True,
        "Mix paths as seen from each character; off mixes positions and headings as they are in the world.",
        unit="",
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if (self.other is None) == (not self.others):
            raise ParameterError('Name the clip to mix in as "other", or several as "others"; not both.')
        if "weight" in self.model_fields_set and self.weight != 0.5 and (self.weights or self.others):
            raise ParameterError(
                "weight belongs to a single other clip; give weights, one for each clip, this one first."
            )
        if self.weight_keys and (self.weights or "weight" in self.model_fields_set):
            raise ParameterError("Give weights that change over time, or weights that stay, not both.")
        if self.timing is not None and self.others:
            raise ParameterError("timing lies between two clips; a mix of several keeps that of their weights.")
        for share in self._shares():
            self._normalized(share)
        before = -1.0
        for key in self.weight_keys:
            if len(key) not in (2, 1 + self._count) or (self.others and len(key) == 2):
                raise ParameterError(
                    f"A key has a time and {'one weight' if self.other else f'{self._count} weights'}."
                )
            if not key[0] > before:
                raise ParameterError(
                    f"Keys follow each other in time, but one at {key[0]:g} s comes after {before:g} s."
                )
            before = key[0]
        return self

    @property
    def _count(self) -> int:
        return 1 + max(1, len(self.others))

    def _shares(self) -> list[Share]:
        """Every setting of weights, the first one that of the whole body."""
        keyed = [key[1] if len(key) == 2 else key[1:] for key in self.weight_keys]
        common: list[Share] = keyed or [self.weights or (self.weight if self.other else (1.0,) * self._count)]
        return [*common, *(share for _, share in self.groups), *(b for b in self.bands if b is not None)]

    def _normalized(self, share: Share) -> Floats:
        """Weights (clips,) with the sum 1."""
        if not isinstance(share, tuple):
            if self.others:
                raise ParameterError(
                    f"A mix of {self._count} clips takes {self._count} weights, not the one {share:g}."
                )
            return np.array([1.0 - share, share])
        if len(share) != self._count:
            raise ParameterError(
                f"A mix of {self._count} clips takes {self._count} weights, this clip's first; got {len(share)}."
            )
        total = float(np.sum(share))
        if abs(total) < _NO_SUM:
            raise ParameterError("The weights sum to 0, so that nothing would be left; let one of them be larger.")
        return np.asarray(share, dtype=float) / total

    @classmethod
    def neutral(cls) -> Self:
        """Nothing of the other clip."""
        return cls(other="other", weight=0.0)

    @classmethod
    def example(cls) -> Self:
        """Half and half."""
        return cls(other="other", weight=0.5)

    def check(self, skeleton: Skeleton) -> None:
        """Raise if a joint or group does not exist."""
        super().check(skeleton)
        for group, _ in self.groups:
            skeleton.select(group)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The mix."""
        if self.is_idle:
            return clip
        names, clips = self.clips(clip, inputs)
        others = [motion_of(each) for each in clips[1:]]
        self._report(names, [motion_of(clip), *others])
        mix = edit_motion(
            clip,
            lambda motion: blend(
                [motion, *others],
                self.parts(clip.skeleton),
                names=names,
                align=self.align,
                place=self.place,
                cost=self.cost,
                band_s=self.band_s,
                ends=self.ends,
            ),
        )
        ground = find_ground(mix) if self.keep_feet else None
        before = find_ground(clip)
        if ground is not None and before is not None:  # bent legs mixed with legs bent otherwise are longer than both
            low, near = map(min, zip(*map(least_sole_heights, clips), strict=True))
            remember_ground(mix, replace(ground, feet=before.feet, deepest=(low, near)))
        return mix

    def _report(self, names: Sequence[str], clips: Sequence[Clip]) -> None:
        """Report what the clips do not have in common."""
        check_skeletons(clips, names)
        called = ["this clip", *(f'"{name}"' for name in names[1:])]
        _, ends = leading_part(self.parts(clips[0].skeleton), travelling_joint(*clips), len(clips), self.ends)
        moments = cached_match(clips, align=self.align, cost=self.cost, band_s=self.band_s, ends=ends)
        surplus = [
            f"{seconds:.1f} s at the {end} of {called[k]}"
            for k, end, seconds in without_counterpart(moments, clips)
            if ends != "all"
        ]
        if surplus:
            blended = "It is kept in proportion to the weight of its clip."
            cut = "The mix is as long as the shortest clip."
            message = (
                f"No counterpart was found for {' and '.join(surplus)}. {cut if self.align == 'none' else blended}"
            )
            report_finding(Finding("no-counterpart", message, severity="info"))
        gaits = gaits_differ(clips) if self.align == "warp" else None
        if gaits is not None:
            walks, runs = (called[k] for k in gaits)
            report_finding(
                Finding(
                    "different-gaits",
                    f"{walks[0].upper()}{walks[1:]} walks and {runs} runs, so their feet stand at different times. In "
                    "the mix a foot stands only while it stands in both.",
                    remedy="Mix two walks or two runs for steps that can be planted whole.",
                )
            )

    def feet_amount(self, edited: Clip) -> float | Floats:
        """Nothing where the mix is one of its clips, which stays as it is; all of it from a tenth of another one on."""
        parts = [part.weights(edited.times) for part in self.parts(edited.skeleton) if part.joints]
        mixed = np.max([np.abs(1.0 - weights.max(axis=0)) for weights in parts], axis=0)
        return np.asarray(np.minimum(1.0, mixed / _MIXED))

    @property
    def is_idle(self) -> bool:
        """Whether nothing of any other clip is mixed in."""
        shares = [self._normalized(share) for share in self._shares()]
        return not self.timing and all(share[0] == 1.0 and not np.any(share[1:]) for share in shares)

    def clips(self, clip: Clip, inputs: Mapping[str, Clip]) -> tuple[list[str], list[Clip]]:
        """All clips of the mix, this one first, and their names."""
        names = [self.other] if self.other else list(self.others)
        return ["this", *names], [clip, *(inputs[name] for name in names)]

    def live_key(self) -> tuple[Any, ...] | None:
        """How the clips correspond, which does not depend on their weights."""
        if self.is_idle:
            return None
        groups = tuple(name for name, _ in self.groups)
        return (self.align, self.cost, self.band_s, self.ends, self.place, self.joints, groups)

    def live_preview(self, clip: Clip, inputs: Mapping[str, Clip]) -> LiveBlend:
        """The clips, aligned."""
        names, clips = self.clips(clip, inputs)
        return LiveBlend(
            clips,
            self.parts(clip.skeleton),
            names=names,
            align=self.align,
            place=self.place,
            cost=self.cost,
            band_s=self.band_s,
            ends=self.ends,
        )

    def moments(
        self, clip: Clip, inputs: Mapping[str, Clip], result: Clip, report: Mapping[str, Any] | None
    ) -> list[Floats] | None:
        """When each frame of the mix shows this clip."""
        if self.is_idle:
            return super().moments(clip, inputs, result, report)
        times, mixed = self.live_preview(clip, inputs).played(self.parts(clip.skeleton))
        return [np.stack([times, mixed], axis=1)]

    @property
    def partner(self) -> str | None:
        """The other clip, or the first of several."""
        return self.other or self.others[0]

    def matched_times(self, clip: Clip, inputs: Mapping[str, Clip]) -> Floats:
        """Corresponding moments, cached with the clips."""
        return self.live_preview(clip, inputs).moments[:2].T

    def parts(self, skeleton: Skeleton) -> list[BlendPart]:
        """The joints that share their weights; a joint in several groups belongs to the last."""
        common = self._keyed() if self.weight_keys else self._steady(self._shares()[0])
        bands = tuple(common if share is None else self._steady(share) for share in self.bands) or None
        settings = [(set(skeleton.select(self.joints)), common)]
        for group, share in self.groups:
            members = set(skeleton.select(group))
            settings = [(joints - members, weights) for joints, weights in settings]
            settings.append((members, self._steady(share)))
        timing = None if self.timing is None else self._steady(self.timing)
        return [BlendPart(tuple(sorted(joints)), weights, bands, timing) for joints, weights in settings]

    def _steady(self, share: Share) -> Weights:
        weights = self._normalized(share)[:, None]
        return lambda times: np.repeat(weights, len(times), axis=1)

    def _keyed(self) -> Weights:
        rows: Sequence[Sequence[float]] = self.weight_keys
        table = np.stack([self._normalized(row[1] if len(row) == 2 else tuple(row[1:])) for row in rows])
        curve = TCB([row[0] for row in rows], table, ends="zero", holds="flat")
        return lambda times: np.asarray(curve(times)).T


class LiveBlend(BlendPreview):
    """Clips that correspond, ready to be mixed with other weights."""

    def frames(self, operation: Blend, view: View) -> LiveFrames:
        """Some frames of the mix."""
        return LiveFrames(*self.mix(operation.parts(self.skeleton), view))
