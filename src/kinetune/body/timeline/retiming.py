"""A clip at other times: other rates, slow motion, warps of time.

==========  ========================================================================
at_times    the clip at any moments of its own time, as a clip of a given rate
at_rate     the clip at another frame rate
==========  ========================================================================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinetune.body.clip import Clip, Marker
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.resampling import sample_at
from kinetune.signals.rotation_curves import curves_to_rotations, rotations_to_curves

MOST_FRAMES = 10_000_000


def at_times(clip: Clip, times: ArrayLike, fps: float) -> Clip:
    """The clip as it is at ``times``, played one after another at ``fps``.

    Parameters
    ----------
    times : (n,) seconds of the clip's own time, never going back. Beyond its ends it holds its first or last pose.
    fps : frames per second of the result.

    Notes
    -----
    Rotations go through continuous curves around each joint's mean, everything through a band-limited interpolation
    (:mod:`kinetune.signals.resampling`). Contacts and markers move along; a marker that no frame shows is dropped.
    """
    t = np.asarray(times, dtype=float)
    if t.ndim != 1 or not 0 < len(t) <= MOST_FRAMES:
        raise ParameterError(f"A clip takes 1 to {MOST_FRAMES:,} frames, not {t.size:,}.")
    if not np.isfinite(t).all() or np.any(np.diff(t) < 0):
        raise ParameterError("times must be finite numbers that never go back.")
    curves = rotations_to_curves(clip.rotations)
    turned = curves.with_curves(sample_at(curves.curves, clip.fps, t))
    translations = None if clip.translations is None else sample_at(clip.translations, clip.fps, t)
    frames = t * clip.fps
    return clip.replace(
        fps=fps,
        root=sample_at(clip.root, clip.fps, t),
        rotations=curves_to_rotations(turned),
        translations=translations,
        contacts=None if clip.contacts is None else clip.contacts.resample(frames),
        markers=_moved_markers(clip.markers, frames),
    )


def _moved_markers(markers: tuple[Marker, ...], frames: Floats) -> tuple[Marker, ...]:
    """Each marker at the first of the new frames that comes closest to its old one, if any comes close at all."""
    moved = []
    step = float(np.diff(frames).max()) if len(frames) > 1 else 1.0
    for marker in markers:
        nearest = int(np.argmin(np.abs(frames - marker.frame)))
        if abs(float(frames[nearest]) - marker.frame) <= max(step, 1.0) * 0.5 + 1e-9:
            moved.append(Marker(nearest, marker.name))
    return tuple(moved)


def at_rate(clip: Clip, fps: float) -> Clip:
    """The clip at another frame rate, from its first moment to its last; the last frame is kept as it is."""
    if clip.fps == fps:
        return clip
    count = round(clip.duration * fps) + 1
    return at_times(clip, np.minimum(np.arange(count) / fps, clip.duration), fps)
