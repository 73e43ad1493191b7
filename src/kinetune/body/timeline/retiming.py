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
from kinetune.body.quality.glitches import motion_span
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.resampling import sample_at
from kinetune.signals.rotation_curves import curves_to_rotations, rotations_to_curves

MOST_FRAMES = 10_000_000
MOST_POSES = 20_000_000
MOST_GROWTH = 20  # times the frames of the clip, where there are more poses
_SAME_FRAME = 1e-6


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
    A T-pose or the like at either end (:func:`kinetune.body.quality.glitches.motion_span`) is shown as it is.
    """
    t = np.asarray(times, dtype=float)
    if t.ndim != 1 or not 0 < len(t) <= MOST_FRAMES:
        raise ParameterError(f"A clip takes 1 to {MOST_FRAMES:,} frames, not {t.size:,}.")
    joints = len(clip.skeleton)
    if len(t) * joints > max(MOST_POSES, MOST_GROWTH * len(clip) * joints):
        raise ParameterError(
            f"The result would have {len(t):,} frames of {joints} joints, far more than the {len(clip):,} of the clip. "
            "Choose a lower rate or a part of the clip."
        )
    if not np.isfinite(t).all() or np.any(np.diff(t) < 0):
        raise ParameterError("times must be finite numbers that never go back.")
    frames = t * clip.fps
    root, rotations, translations = _read_between_strays(clip, t)
    return clip.replace(
        fps=fps,
        root=root,
        rotations=rotations,
        translations=translations,
        contacts=None if clip.contacts is None else clip.contacts.resample(frames),
        markers=_moved_markers(clip.markers, frames),
    )


_Motion = tuple[Floats, Floats, Floats | None]


def _read_between_strays(clip: Clip, times: Floats) -> _Motion:
    """Root, rotations and translations at some times; poses at the ends that are no part of the motion stay apart."""
    start, stop = motion_span(clip)
    if (start, stop) == (0, len(clip)):
        return _read(clip, times)
    frames = np.clip(times * clip.fps, 0.0, len(clip) - 1.0)
    before, after = frames < start - _SAME_FRAME, frames > stop - 1 + _SAME_FRAME
    motion = ~(before | after)
    strays = np.where(before, np.floor(frames + _SAME_FRAME), np.ceil(frames - _SAME_FRAME)).astype(int)
    read: _Motion = (clip.root[strays], clip.rotations[strays], None)
    if clip.translations is not None:
        read = (*read[:2], clip.translations[strays])
    if motion.any():
        inside = _read(clip[start:stop], times[motion] - start / clip.fps)
        for whole, part in zip(read, inside, strict=True):
            if whole is not None:
                whole[motion] = part
    return read


def _read(clip: Clip, times: Floats) -> _Motion:
    curves = rotations_to_curves(clip.rotations)
    turned = curves_to_rotations(curves.with_curves(sample_at(curves.curves, clip.fps, times)))
    translations = None if clip.translations is None else sample_at(clip.translations, clip.fps, times)
    return sample_at(clip.root, clip.fps, times), turned, translations


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
