"""What is kept of a clip while a hand moves one step: bands, curves and ways that do not depend on the moved knob."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kinetune.body.clip import Clip
from kinetune.body.curves.pose_shaping import ShapePreview
from kinetune.body.previews.band_preview import BandPreview
from kinetune.body.previews.blend_preview import BlendPreview
from kinetune.body.quality.glitches import stray_frames
from kinetune.operations import Operation
from kinetune.operations.blend import Blend
from kinetune.operations.equalize import Equalize
from kinetune.operations.shape import Shape


@dataclass(frozen=True, eq=False)
class Desk:
    """Some frames of a clip, ready for one kind of step.

    clips : whose; they live as long as the desk does.
    about : the knobs that it was made for; the others may change.
    mix : the frames for an operation.
    exact : whether they are those of the whole.
    """

    clips: tuple[Clip, ...]
    about: tuple[Any, ...]
    mix: Callable[[Any], Clip]
    exact: bool


@dataclass(frozen=True, eq=False)
class Mixer:
    """Clips that are blended, and the knobs that say how they correspond."""

    clips: tuple[Clip, ...]
    about: tuple[Any, ...]
    blend: BlendPreview


class Desks:
    """The desk under the hand: the newest one takes the place of the one before it."""

    def __init__(self) -> None:
        self._desk: Desk | None = None
        self._mixer: Mixer | None = None

    def clear(self) -> None:
        """Let go of both."""
        self._desk = self._mixer = None

    def desk(self, clip: Clip, operation: Operation, first: int, last: int) -> Desk | None:
        """The desk for some frames of a clip, or None for operations that have none."""
        about = _about(operation)
        if about is None:
            return None
        about = (*about, first, last)
        if self._desk is None or not _serves(self._desk, (clip,), about):
            stray = stray_frames(clip)
            made = None if first < stray else _make(clip, operation, first, last, stray)
            self._desk = None if made is None else Desk((clip,), about, *made)
        return self._desk

    def mixer(self, operation: Blend, clip: Clip, inputs: Mapping[str, Clip]) -> BlendPreview:
        """The clips of a blend, aligned."""
        names, clips = operation.clips(clip, inputs)
        parts = operation.parts(clip.skeleton)
        leads = tuple(sorted(joint for part in parts for joint in part.joints))
        about = (operation.align, operation.cost, operation.band_s, operation.ends, operation.place, leads)
        if self._mixer is None or not _serves(self._mixer, tuple(clips), about):
            made = BlendPreview(
                clips,
                parts,
                names=names,
                align=operation.align,
                place=operation.place,
                cost=operation.cost,
                band_s=operation.band_s,
                ends=operation.ends,
            )
            self._mixer = Mixer(tuple(clips), about, made)
        return self._mixer.blend


def _serves(kept: Desk | Mixer, clips: tuple[Clip, ...], about: tuple[Any, ...]) -> bool:
    """Whether it was made for these clips and knobs."""
    return kept.about == about and [id(clip) for clip in kept.clips] == [id(clip) for clip in clips]


def _about(operation: Operation) -> tuple[Any, ...] | None:
    """The knobs that the hand does not move."""
    if isinstance(operation, Equalize) and operation.target == "rotations":
        return "equalize", operation.representation, operation.ends
    if isinstance(operation, Shape):
        kept = operation.joints, operation.axes, operation.normalise, operation.representation, operation.root
        return "shape", *kept
    return None


def _make(
    clip: Clip, operation: Operation, first: int, last: int, stray: int
) -> tuple[Callable[[Any], Clip], bool] | None:
    """How to mix, and whether that is exact."""
    motion = clip[stray:] if stray else clip
    if isinstance(operation, Shape):
        if not clip.skeleton.select(operation.joints):
            return None
        shaper: ShapePreview = operation.desk(motion, (first - stray, last - stray))
        return (lambda step: shaper.mix(step.curve, step.amount)), shaper.exact
    if not isinstance(operation, Equalize) or not BandPreview.suits(clip):
        return None
    orders = clip.source.euler_orders(clip.skeleton)[0] if operation.representation == "euler" else None
    kind, ends = operation.representation, operation.ends
    bands = BandPreview(motion, first - stray, last - stray, kind=kind, orders=orders, ends=ends)
    times = clip.times[stray:]
    return (lambda step: bands.mix(step.parts(motion, times), root=step.root)), True
