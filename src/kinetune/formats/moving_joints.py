"""Joints that translate in their parents' frames: which ones do, and what a format of fixed bones can hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.errors import FileError
from kinetune.rotations import Floats

STILL = 1e-4
"""Metres; a joint that moves by less counts as fixed."""


def moving_translations(offsets: Floats, translations: Floats, tolerance: float) -> Floats | None:
    """The translations (frames, joints, 3), or None when every joint but the first stays at its offset."""
    low, high = translations[:, 1:].min(axis=0), translations[:, 1:].max(axis=0)
    away = np.maximum(high - offsets[1:], offsets[1:] - low)
    return translations if away.size and float(away.max()) > tolerance else None


def fixed_skeleton(clip: Clip, path: Path, format_name: str) -> Skeleton:
    """The skeleton for a format whose joints cannot translate: each joint where the clip holds it, or an error."""
    if clip.translations is None:
        return clip.skeleton
    middle = 0.5 * (clip.translations.min(axis=0) + clip.translations.max(axis=0))
    travel = np.abs(clip.translations - middle).max(axis=(0, 2))
    travel[0] = 0.0
    worst = int(np.argmax(travel))
    if travel[worst] > STILL:
        raise FileError(
            path,
            f'joint "{clip.skeleton.names[worst]}" moves by {1000 * travel[worst]:.3g} mm in its parent\'s frame, and '
            f"{format_name} cannot hold that.",
            advice="Write .bvh, .glb or .npz instead.",
        )
    middle[0] = clip.skeleton.offsets[0]
    return replace(clip.skeleton, offsets=middle)
