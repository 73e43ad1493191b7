"""A clip between two versions of the same motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.root_motion import local_translations


def mix_clips(clip: Clip, edited: Clip, share: ArrayLike) -> Clip:
    """The clip with some share of an edit of the same frames: 0 is the clip, 1 the edit.

    share : a number, or one for each frame.
    Contacts and everything else besides the motion are those of the clip.
    """
    weight = np.broadcast_to(np.asarray(share, dtype=float), (len(clip),))
    translations = None
    if clip.translations is not None or edited.translations is not None:
        start, end = local_translations(clip), local_translations(edited)
        translations = start + weight[:, None, None] * (end - start)
    turns = rot.slerp(clip.rotations, edited.rotations, np.broadcast_to(weight[:, None], clip.rotations.shape[:2]))
    root = clip.root + weight[:, None] * (edited.root - clip.root)
    return clip.replace(
        root=root, rotations=rot.normalize(turns), translations=translations, contacts=clip.contacts, keys=clip.keys
    )
