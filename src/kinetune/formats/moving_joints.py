"""Joints that move in their parents' frames: which really do, and what a format can hold that knows only bones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.errors import FileError
from kinetune.rotations import Floats

STILL = 1e-4
"""Metres; a bone whose length wanders by less is a bone of fixed length to a format that needs one."""


def moving_only(offsets: Floats, translations: Floats, tolerance: float) -> Floats | None:
    """The translations (frames, joints, 3), or None when every joint but the first stays at its offset."""
    away = np.abs(translations[:, 1:] - offsets[1:])
    return translations if away.size and float(away.max()) > tolerance else None


def fixed_bones(clip: Clip, path: Path, format_name: str) -> Skeleton:
    """The skeleton with every joint where the clip holds it, for a format whose joints cannot move.

    A joint that the clip holds still somewhere else than at its offset gets that place; one that moves is an error.
    """
    if clip.translations is None:
        return clip.skeleton
    middle = 0.5 * (clip.translations.min(axis=0) + clip.translations.max(axis=0))
    wander = np.abs(clip.translations - middle).max(axis=(0, 2))
    wander[0] = 0.0
    worst = int(np.argmax(wander))
    if wander[worst] > STILL:
        raise FileError(
            path,
            f'joint "{clip.skeleton.names[worst]}" moves by {1000 * wander[worst]:.3g} mm in its parent\'s frame, and '
            f"{format_name} has no place for that.",
            advice="Write .bvh, .glb or .npz instead.",
        )
    offsets = middle
    offsets[0] = clip.skeleton.offsets[0]
    return Skeleton(clip.skeleton.names, clip.skeleton.parents, offsets, clip.skeleton.end_sites, clip.skeleton.rest)


def with_root_offset(skeleton: Skeleton, offset: ArrayLike) -> Skeleton:
    """The skeleton with its root elsewhere in the rest pose."""
    moved = np.array(skeleton.offsets)
    moved[0] = offset
    return Skeleton(skeleton.names, skeleton.parents, moved, skeleton.end_sites, skeleton.rest)
