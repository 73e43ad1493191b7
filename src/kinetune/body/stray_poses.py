"""Edits that leave a stray first frame alone.

Many libraries put a T-pose before the motion (:func:`kinetune.body.jumps.stray_frames`). An edit that looks at
neighbouring frames, or at the extremes of a clip, would smear it into the motion.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.jumps import stray_frames


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
