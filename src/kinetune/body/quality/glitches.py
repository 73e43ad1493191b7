"""Jumps in a clip: poses that no body passes through from one frame to the next.

===================  ========================================================================
find_jumps           flips: joints that rotate impossibly far between two frames
stray_frames         whether the first frame (a T-pose, say) does not belong to the motion
edit_without_stray   an edit that leaves such a first frame alone
find_blips           frames in which a joint is elsewhere for a single frame
remove_blips         a clip with those frames interpolated
===================  ========================================================================

A flip is a joint that rotates between two frames faster than any human joint does *and* far faster than it rotates
around that moment; fast but genuine motion is neither. q and -q are the same rotation and never count.
Many libraries put a T-pose before the motion. A first frame in which a good part of the body jumps is such a stray
frame and does not count as a flip. An edit that looks at neighbouring frames, or at the extremes of a clip, would smear
it into the motion.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.root_motion import local_translations
from kinetune.rotations import Floats

# The fastest joints of athletes reach about 1,500 degrees a second (an elbow in a strike, a knee in a kick).
FASTEST = np.deg2rad(2000.0)
LEAST_JUMP = np.deg2rad(20.0)
BEYOND_NEIGHBOURS = 5.0
NEIGHBOURS = 4
STRAY_SHARE = 0.1


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
    """How many frames at the start do not belong to the motion: 1 when a T-pose or the like comes first, else 0."""
    frames, _, _ = _jumps(clip.rotations[: NEIGHBOURS + 2], clip.fps)
    count = int(np.count_nonzero(frames == 0))
    return int(count >= max(2.0, STRAY_SHARE * len(clip.skeleton)))


def _jumps(rotations: Floats, fps: float) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Frame, joint and angle of each jump; short of four frames there is nothing to compare with."""
    steps = rotation_steps(rotations)
    count = len(steps)
    if count < 3:
        none = np.zeros(0, dtype=np.intp)
        return none, none, np.zeros(0)
    frames, joints = np.nonzero(steps > max(LEAST_JUMP, FASTEST / fps))
    angles = steps[frames, joints]
    around = frames[:, None] + np.array([d for d in range(-NEIGHBOURS, NEIGHBOURS + 1) if d != 0])
    inside = (around >= 0) & (around < count)
    nearby = np.where(inside, steps[np.clip(around, 0, count - 1), joints[:, None]], np.nan)
    usual = np.nanmedian(nearby, axis=1) if len(frames) else np.zeros(0)
    real = angles > BEYOND_NEIGHBOURS * usual
    return frames[real], joints[real], angles[real]


def edit_without_stray(clip: Clip, edit: Callable[[Clip], Clip]) -> Clip:
    """The clip with its motion edited and a stray first frame as it was; the edit must keep the number of frames."""
    first = stray_frames(clip)
    if first == 0:
        return edit(clip)
    motion = clip[first:]
    edited = edit(motion)
    if edited is motion:
        return clip
    joined = join_start(clip, first, edited)
    return joined.replace(rotations=rot.continuous(joined.rotations), contacts=clip.contacts)


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
    if not blips:
        return clip
    before, after = (np.array([frame + step for frame in blips]) for step in (-1, 1))
    half = np.full((len(blips), len(clip.skeleton)), 0.5)
    root, rotations = np.array(clip.root), np.array(clip.rotations)
    root[blips] = 0.5 * (root[before] + root[after])
    rotations[blips] = rot.normalize(rot.slerp(rotations[before], rotations[after], half))
    translations = clip.translations
    if translations is not None:
        translations = np.array(translations)
        translations[blips] = 0.5 * (translations[before] + translations[after])
    return clip.replace(root=root, rotations=rotations, translations=translations)
