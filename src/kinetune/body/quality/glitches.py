"""Jumps in a clip: poses that no body passes through from one frame to the next.

===================  ========================================================================
find_jumps           flips: joints that rotate impossibly far between two frames
stray_frames         how many frames at the start (a T-pose, say) do not belong to the motion
motion_span          where the motion begins and ends between stray poses
find_motion          the frames that do, without stray poses at the ends and single wrong frames inside
motion_of            the motion alone, single wrong frames interpolated
edit_without_stray   an edit of the motion that leaves stray poses at its ends alone
find_blips           frames in which a joint is elsewhere for a single frame
interpolate_frames   a clip with some frames halfway between their neighbours
remove_blips         a clip with those frames interpolated
===================  ========================================================================

A flip is a joint that rotates between two frames faster than any human joint does *and* far faster than it rotates
around that moment; fast but genuine motion is neither. q and -q are the same rotation and never count.
Many libraries put a T-pose before the motion. A first pose from which a good part of the body jumps is such a stray
pose and does not count as a flip. An edit that looks at neighbouring frames, or at the extremes of a clip, would smear
it into the motion. So would one wrong frame inside: there a good part of the body jumps elsewhere, and back again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.body.root_motion import local_translations
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from kinetune.body.feet.contacts import Contacts

# The fastest joints of athletes reach about 1,500 degrees a second (an elbow in a strike, a knee in a kick).
FASTEST = np.deg2rad(2000.0)
LEAST_JUMP = np.deg2rad(20.0)
BEYOND_NEIGHBOURS = 5.0
NEIGHBOURS = 4
STRAY_SHARE = 0.1
FASTEST_LIMB = 7.5  # m/s against the hips; throws and kicks are faster, but not for a single frame
STILL_SPEED = 0.05
HELD_S = 0.5


@dataclass(frozen=True)
class Jump:
    """A joint that jumps between ``frame`` and the frame after it."""

    frame: int
    joint: str
    degrees: float


def rotation_steps(rotations: Floats) -> Floats:
    """The angle by which each joint rotates from frame to frame, (frames - 1, joints), in [0, pi]."""
    cosine = np.abs(np.einsum("fjk,fjk->fj", rotations[1:], rotations[:-1]))
    return np.asarray(2.0 * np.arccos(np.minimum(cosine, 1.0)))


def find_jumps(clip: Clip) -> list[Jump]:
    """Every jump of a joint, in order of frames; a pose held for one wrong frame counts twice, in and out.

    Includes the jump out of a stray first frame (see :func:`stray_frames`).
    """
    frames, joints, angles = _jumps(clip.rotations, clip.fps)
    return [
        Jump(int(f), clip.skeleton.names[j], float(np.rad2deg(a)))
        for f, j, a in zip(frames.tolist(), joints.tolist(), angles.tolist(), strict=True)
    ]


def find_blips(clip: Clip, joint: int) -> list[int]:
    """The frames in which a joint is elsewhere: it jumps there, and in the next frame it is back."""
    jumps, _, _ = _jumps(clip.rotations[:, joint : joint + 1], clip.fps)
    blips = []
    for frame in sorted({int(f) for f in jumps} & {int(f) + 1 for f in jumps}):
        there, across = (
            float(rotation_steps(clip.rotations[[frame - 1, f], joint : joint + 1])[0, 0]) for f in (frame, frame + 1)
        )
        if across < 0.5 * there:
            blips.append(frame)
    return blips


def stray_frames(clip: Clip) -> int:
    """How many frames at the start do not belong to the motion: a T-pose or another pose from which the body jumps.

    One frame as a rule; more where the pose is held, for up to half a second.
    """
    if clip not in _stray:
        start = clip[: _held_frames(clip) + NEIGHBOURS + 1]
        _stray[clip] = _strays(start.rotations, _speeds(start), clip.fps, _held_frames(clip))
    return _stray[clip]


def _held_frames(clip: Clip) -> int:
    """How many frames a pose that does not belong to the motion lasts at most."""
    return int(HELD_S * clip.fps) + 1


def _strays(rotations: Floats, speeds: Floats, fps: float, held: int) -> int:
    """How many of the first frames do not belong to the motion."""
    if len(rotations) < 4:
        return 0
    jumps = np.flatnonzero(_body_jumps(rotations, speeds, fps, np.arange(min(held, len(rotations) - 3))))
    if len(jumps) == 0:
        return 0
    first = int(jumps[0])
    return first + 1 if first == 0 or speeds[:first].max() < STILL_SPEED else 0


class MotionFrames(NamedTuple):
    """Which frames of a clip belong to its motion.

    start, stop : those from start to before stop; others are a T-pose or the like at either end.
    wrong : single frames between them in which the body is elsewhere.
    """

    start: int
    stop: int
    wrong: tuple[int, ...]


_stray: WeakKeyDictionary[Clip, int] = WeakKeyDictionary()
_found: WeakKeyDictionary[Clip, MotionFrames] = WeakKeyDictionary()
_motions: WeakKeyDictionary[Clip, Clip] = WeakKeyDictionary()


def find_motion(clip: Clip) -> MotionFrames:
    """The frames that belong to the motion."""
    known = _found.get(clip)
    if known is None:
        start, stop = motion_span(clip)
        known = _found[clip] = MotionFrames(start, stop, _wrong_frames(clip, start, stop))
    return known


def motion_span(clip: Clip) -> tuple[int, int]:
    """The first frame that belongs to the motion, and the one after the last."""
    start = stray_frames(clip)
    end = clip[max(start, len(clip) - _held_frames(clip) - NEIGHBOURS - 1) :]
    strays = _strays(end.rotations[::-1], _speeds(end)[::-1], clip.fps, _held_frames(clip))
    return start, max(len(clip) - strays, start + 1)


def motion_of(clip: Clip) -> Clip:
    """The motion alone: stray poses at its ends cut off, single wrong frames interpolated.

    It is the clip itself where there are none, and the same object whenever it is asked for.
    """
    start, stop, wrong = find_motion(clip)
    if (start, stop, wrong) == (0, len(clip), ()):
        return clip
    motion = _motions.get(clip)
    if motion is None:
        motion = clip[start:stop]
        if wrong:
            motion = interpolate_frames(motion, [frame - start for frame in wrong])
        _motions[clip] = motion
    return motion


def _wrong_frames(clip: Clip, start: int, stop: int) -> tuple[int, ...]:
    """Frames in which the body jumps elsewhere, and from which it jumps back."""
    if stop - start < 4:
        return ()
    turned = rotation_steps(clip.rotations) > LEAST_JUMP
    suspects = np.flatnonzero((turned[:-1] & turned[1:]).any(axis=1)) + 1
    suspects = suspects[(suspects > start) & (suspects < stop - 1)]
    if len(suspects) == 0:
        return ()
    motion = clip.rotations, _speeds(clip), clip.fps
    away = _body_jumps(*motion, suspects - 1) & _body_jumps(*motion, suspects)
    wrong = suspects[away]
    before, here, after = (clip.rotations[wrong + step] for step in (-1, 0, 1))
    returned = rot.angle_between(before, after) < 0.5 * rot.angle_between(before, here)
    moved = rot.angle_between(before, here) > LEAST_JUMP
    return tuple(wrong[(returned & moved).sum(axis=1) >= 0.5 * np.maximum(moved.sum(axis=1), 1)].tolist())


def _body_jumps(rotations: Floats, speeds: Floats, fps: float, steps: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether a good part of the body jumps from frame ``steps`` (n,) to the next.

    By rotations faster than any joint's, or by limbs that move fast against the hips; in both cases far more than in
    the frames around.
    """
    frames, _, _ = _jumps(rotations, fps)
    rotated = np.bincount(frames, minlength=len(rotations))[steps] >= max(2.0, STRAY_SHARE * rotations.shape[1])
    fast = speeds[steps] > FASTEST_LIMB
    rows, joints = np.nonzero(fast)
    fast[rows, joints] = speeds[steps[rows], joints] > BEYOND_NEIGHBOURS * _usual(speeds, steps[rows], joints)
    return np.asarray(rotated | (fast.sum(axis=1) >= max(2.0, STRAY_SHARE * speeds.shape[1])))


def _speeds(clip: Clip) -> Floats:
    """How fast the joints of the body move against its root, (frames - 1, joints), in m/s for a person of 1.75 m."""
    seen = clip.positions() - clip.positions()[:, clip.skeleton.body_root, None]
    steps = np.diff(seen[:, sorted(clip.skeleton.body)], axis=0)
    return np.asarray(np.linalg.norm(steps, axis=2) * (clip.fps * 1.75 / (clip.skeleton.height or 1.75)))


def _usual(steps: Floats, frames: NDArray[np.intp], joints: NDArray[np.intp]) -> Floats:
    """The median of the steps around some steps, (n,)."""
    around = frames[:, None] + np.array([d for d in range(-NEIGHBOURS, NEIGHBOURS + 1) if d != 0])
    inside = (around >= 0) & (around < len(steps))
    nearby = np.where(inside, steps[np.clip(around, 0, len(steps) - 1), joints[:, None]], np.nan)
    return np.nanmedian(nearby, axis=1) if len(frames) else np.zeros(0)


def _jumps(rotations: Floats, fps: float) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Frame, joint and angle of each jump; short of four frames there is nothing to compare with."""
    steps = rotation_steps(rotations)
    if len(steps) < 3:
        none = np.zeros(0, dtype=np.intp)
        return none, none, np.zeros(0)
    frames, joints = np.nonzero(steps > max(LEAST_JUMP, FASTEST / fps))
    angles = steps[frames, joints]
    real = angles > BEYOND_NEIGHBOURS * _usual(steps, frames, joints)
    return frames[real], joints[real], angles[real]


def edit_without_stray(clip: Clip, edit: Callable[[Clip], Clip]) -> Clip:
    """The clip with its motion edited; stray poses at its ends stay as they were, single wrong frames go.

    The edit may change the number of frames but not their rate.
    """
    start, stop, _ = find_motion(clip)
    motion = motion_of(clip)
    edited = edit(motion)
    if motion is clip or edited is motion:
        return clip if edited is motion else edited
    parts = [clip[:start]] if start else []
    parts += [edited, clip[stop:]] if stop < len(clip) else [edited]
    translations = None
    if any(part.translations is not None for part in parts):
        translations = np.concatenate([local_translations(part) for part in parts])
    contacts = clip.contacts
    if len(edited) != len(motion) or edited.contacts is not motion.contacts:
        contacts = _padded(edited.contacts, start, len(clip) - stop)
    markers = [m for m in clip.markers if m.frame < start]
    markers += [Marker(m.frame + start, m.name) for m in edited.markers]
    markers += [Marker(m.frame - stop + start + len(edited), m.name) for m in clip.markers if m.frame >= stop]
    return edited.replace(
        root=np.concatenate([part.root for part in parts]),
        rotations=rot.continuous(np.concatenate([part.rotations for part in parts])),
        translations=translations,
        contacts=contacts,
        markers=tuple(markers),
        source=clip.source if len(edited) == len(motion) else edited.source,
    )


def _padded(contacts: Contacts | None, before: int, after: int) -> Contacts | None:
    """Contacts with frames at either end in which no foot stands."""
    if contacts is None:
        return None
    wide = ((before, after), (0, 0))
    return replace(
        contacts,
        flags=np.pad(contacts.flags, wide),
        confidence=np.pad(contacts.confidence, wide),
        heels=np.pad(contacts.heels, wide),
        toes=np.pad(contacts.toes, wide),
    )


def join_start(clip: Clip, first: int, edited: Clip) -> Clip:
    """The first frames of a clip as they are, followed by its other frames after an edit."""
    if first == 0:
        return edited.replace(contacts=clip.contacts)
    translations = None
    if clip.translations is not None or edited.translations is not None:
        translations = np.concatenate([local_translations(clip)[:first], local_translations(edited)])
    return clip.replace(
        root=np.concatenate([clip.root[:first], edited.root]),
        rotations=np.concatenate([clip.rotations[:first], edited.rotations]),
        translations=translations,
        contacts=clip.contacts,
    )


def remove_blips(clip: Clip, joint: int, frames: NDArray[np.bool_]) -> Clip:
    """The clip with the pose between its neighbours wherever a joint is elsewhere for one frame.

    frames : (frames,) where to look.
    """
    blips = [frame for frame in find_blips(clip, joint) if frames[frame]]
    return interpolate_frames(clip, blips).replace(contacts=None) if blips else clip


def interpolate_frames(clip: Clip, frames: Sequence[int]) -> Clip:
    """The clip with some frames halfway between their neighbours."""
    chosen = np.array(frames)
    before, after = chosen - 1, chosen + 1
    half = np.full((len(chosen), len(clip.skeleton)), 0.5)
    root, rotations = np.array(clip.root), np.array(clip.rotations)
    root[chosen] = 0.5 * (root[before] + root[after])
    rotations[chosen] = rot.normalize(rot.slerp(rotations[before], rotations[after], half))
    translations = clip.translations
    if translations is not None:
        translations = np.array(translations)
        translations[chosen] = 0.5 * (translations[before] + translations[after])
    return clip.replace(root=root, rotations=rotations, translations=translations, contacts=clip.contacts)
