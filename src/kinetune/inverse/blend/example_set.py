"""A set of examples as arrays that can be blended: same joints, same length, signs of quaternions in one hemisphere.

[huang] equation 1 blends poses linearly with rotations as exponential maps. Here rotations are averaged as quaternions
by default: that is closer to their true mean, and does not depend on the rest pose. Exponential maps stay available,
taken about the mean pose of the set, where they are at their best.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.root_motion import facing, local_translations
from kinetune.body.skeleton import Skeleton
from kinetune.body.timeline.alignment import align as align_clip
from kinetune.body.timeline.alignment import check_skeletons, place_like
from kinetune.body.timeline.clip_blending import scale_like
from kinetune.body.timeline.retiming import at_rate
from kinetune.errors import ParameterError, SkeletonMismatchError, UnknownNameError
from kinetune.rotations import Floats
from kinetune.signals.mixing import mix

Rotations = Literal["quaternion", "expmap"]


class Effector(NamedTuple):
    """A point that hangs on a joint: the joint's index, and an offset in its frame in metres."""

    joint: int
    offset: tuple[float, float, float]


def prepare(examples: Sequence[Clip], *, align: bool | None, place: bool) -> tuple[Clip, ...]:
    """Examples of one skeleton, length and rate, or an error that says what differs.

    align : bring all to the timing of the first with a time warp; None does so where lengths differ.
    place : rotate and move all to begin where the first does.
    """
    if not examples:
        raise ParameterError("There are no examples to blend: give at least one clip, and better eight or more.")
    for number, clip in enumerate(examples):
        if not isinstance(clip, Clip):
            raise ParameterError(f"Examples are clips; number {number + 1} is {type(clip).__name__}.")
    names = [_name(clip, number) for number, clip in enumerate(examples)]
    first = examples[0]
    try:
        check_skeletons(examples, names)
    except SkeletonMismatchError as error:
        raise SkeletonMismatchError(f"Examples cannot be blended: {error}") from None
    prepared = [first]
    for clip, name in zip(examples[1:], names[1:], strict=True):
        aligned = scale_like(at_rate(clip, first.fps), first)
        if align or (align is None and len(aligned) != len(first)):
            aligned = align_clip(aligned, first, ends="all")
        if len(aligned) != len(first):
            raise ParameterError(
                f"Examples must have the same length: {names[0]} has {len(first)} frames and {name} has "
                f"{len(aligned)}. Align them in time with InverseBlend(..., align=True), or trim them."
            )
        prepared.append(place_like(aligned, first) if place else aligned)
    return tuple(prepared)


def _name(clip: Clip, number: int) -> str:
    return clip.source.path or (clip.source.format if "sample" in clip.source.format else f"example {number + 1}")


class ExampleSet:
    """Examples side by side.

    clips : of one skeleton, length and rate.
    turns : (examples, frames, joints, 4) continuous in time, each example in the hemisphere of their mean.
    """

    def __init__(self, clips: Sequence[Clip], rotations: Rotations) -> None:
        if rotations not in ("quaternion", "expmap"):
            raise ParameterError(f'rotations is "quaternion" or "expmap", not {rotations!r}.')
        self.clips = tuple(clips)
        self.rotations: Rotations = rotations
        self.skeleton: Skeleton = self.clips[0].skeleton
        self.frames = len(self.clips[0])
        turns = np.stack([rot.continuous(clip.rotations) for clip in self.clips])
        # One sign for an example and joint over all frames: it must not flip in the middle of the motion.
        for _ in range(2):
            mean = turns.mean(axis=0)
            turns *= np.where(np.einsum("nfjc,fjc->nj", turns, mean) < 0.0, -1.0, 1.0)[:, None, :, None]
        self.turns: Floats = turns
        self.moving = any(clip.translations is not None for clip in self.clips)
        self.roots: Floats = np.stack([clip.root for clip in self.clips])

    def __len__(self) -> int:
        return len(self.clips)

    @cached_property
    def references(self) -> Floats:
        """(frames, joints, 4) the mean pose, about which exponential maps are taken."""
        return rot.normalize(self.turns.mean(axis=0))

    @cached_property
    def vectors(self) -> Floats:
        """(examples, frames, joints, 3) rotation vectors from the mean pose."""
        return rot.log(rot.multiply(rot.inverse(self.references), self.turns))

    @cached_property
    def translations(self) -> Floats:
        """(examples, frames, joints, 3) positions in the parents' frames."""
        return np.stack([local_translations(clip) for clip in self.clips])

    def blend(self, weights: Floats, frames: slice = slice(None)) -> Clip:
        """The weighted mean of all examples, or some frames of it."""
        first = self.clips[0] if frames == slice(None) else self.clips[0][frames]
        if self.rotations == "quaternion":
            mean = rot.normalize(mix([*self.turns[:, frames]], weights))
        else:
            turned = rot.exp(mix([*self.vectors[:, frames]], weights))
            mean = rot.normalize(rot.multiply(self.references[frames], turned))
        return first.replace(
            root=mix([*self.roots[:, frames]], weights),
            rotations=rot.continuous(mean),
            translations=mix([*self.translations[:, frames]], weights) if self.moving else None,
        )

    def effector(self, name: str, offset: tuple[float, float, float] | None) -> Effector:
        """A joint, a role or an end site by its name, moved by an offset in its frame."""
        site = next((s for s in self.skeleton.end_sites if s.name and s.name.casefold() == name.casefold()), None)
        if site is not None and name not in self.skeleton.names:
            x, y, z = np.add(site.offset, offset or (0.0, 0.0, 0.0)).tolist()
            return Effector(site.parent, (x, y, z))
        try:
            joint = self.skeleton.index(name)
        except UnknownNameError as error:
            tips = [site.name for site in self.skeleton.end_sites if site.name]
            raise UnknownNameError("joint or tip", name, [*error.known, *tips], advice=error.advice) from None
        return Effector(joint, offset or (0.0, 0.0, 0.0))

    def frame(self, number: int) -> int:
        """A frame number from 0 on, for one that may count from the end."""
        if not -self.frames <= number < self.frames:
            raise ParameterError(
                f"The examples have {self.frames} frames, 0 to {self.frames - 1} (or -1 for the last, down to "
                f"{-self.frames}); there is no frame {number}."
            )
        return number % self.frames

    def axis(self, joint: int, axis: str | tuple[float, float, float]) -> tuple[float, float, float]:
        """An axis in a joint's frame: "along" its bone, "ahead" of the character at rest, or as it is."""
        if not isinstance(axis, str):
            return axis
        skeleton = self.skeleton
        if axis == "along":
            offsets = [skeleton.offsets[child] for child in skeleton.children[joint]]
            offsets += [np.array(site.offset) for site in skeleton.end_sites if site.parent == joint]
            direction = np.sum([v / np.linalg.norm(v) for v in offsets if np.linalg.norm(v) > 1e-6], axis=0)
            if np.ndim(direction) == 0 or np.linalg.norm(direction) < 1e-6:
                raise ParameterError(
                    f'Nothing hangs on "{skeleton.names[joint]}" that shows which way it points: give its axis as '
                    "three numbers in its own frame."
                )
        else:
            rest = Clip(skeleton, 1.0, np.zeros((1, 3)), skeleton.rest[None])
            ahead = float(facing(rest)[0])
            world = np.array([np.sin(ahead), 0.0, np.cos(ahead)])
            direction = rot.rotate(rot.inverse(skeleton.rest_rotations[joint]), world)
        x, y, z = (direction / np.linalg.norm(direction)).tolist()
        return x, y, z
