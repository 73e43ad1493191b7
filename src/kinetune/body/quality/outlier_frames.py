"""Poses that do not belong to a motion: a first one that edits leave alone, and single ones between good ones.

Many libraries put a T-pose before the motion (:func:`kinetune.body.quality.glitches.stray_frames`). An edit that looks
at neighbouring frames, or at the extremes of a clip, would smear it into the motion. Some captures have a pose in which
the pelvis is elsewhere for one frame (:func:`kinetune.body.quality.glitches.blips`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.quality.glitches import blips, stray_frames


def apart_from_stray(clip: Clip, edit: Callable[[Clip], Clip]) -> Clip:
    """The clip with its motion edited and a stray first frame as it was; the edit must keep the number of frames."""
    first = stray_frames(clip)
    if first == 0:
        return edit(clip)
    motion = clip[first:]
    edited = edit(motion)
    if edited is motion:
        return clip
    translations = None
    if clip.translations is not None and edited.translations is not None:
        translations = np.concatenate([clip.translations[:first], edited.translations])
    return clip.replace(
        root=np.concatenate([clip.root[:first], edited.root]),
        rotations=rot.continuous(np.concatenate([clip.rotations[:first], edited.rotations])),
        translations=translations,
        contacts=clip.contacts,
    )


def without_blips(clip: Clip, joint: int, frames: NDArray[np.bool_]) -> Clip:
    """The clip with the pose between its neighbours wherever a joint is elsewhere for one frame.

    frames : (frames,) where to look.
    """
    found = [frame for frame in blips(clip, joint) if frames[frame]]
    if not found:
        return clip
    before, after = (np.array([frame + step for frame in found]) for step in (-1, 1))
    half = np.full((len(found), len(clip.skeleton)), 0.5)
    root, rotations = np.array(clip.root), np.array(clip.rotations)
    root[found] = 0.5 * (root[before] + root[after])
    rotations[found] = rot.normalize(rot.slerp(rotations[before], rotations[after], half))
    translations = clip.translations
    if translations is not None:
        translations = np.array(translations)
        translations[found] = 0.5 * (translations[before] + translations[after])
    return clip.replace(root=root, rotations=rotations, translations=translations)
