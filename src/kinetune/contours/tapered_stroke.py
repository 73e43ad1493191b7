"""The outline of a stroke that tapers: legs, tails and brows of a drawing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinetune.contours.drawing import Contour
from kinetune.rotations import Floats
from kinetune.signals.splines.tcb import TCB

_SAMPLES = 256


def tapered_stroke(joints: Sequence[tuple[float, float]], widths: Sequence[float]) -> Contour:
    """A smooth stroke through a few joints, as wide at each as ``widths`` says, with round ends."""
    corners = np.array(joints, dtype=float)
    times = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
    at = np.linspace(0, times[-1], 80)
    return stroke_outline(TCB(times, corners, ends="natural")(at), np.interp(at, times, widths))


def stroke_outline(spine: Floats, width: Floats) -> Contour:
    """Both sides of a spine (n, 2), joined by round ends."""
    along = np.gradient(spine, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    across = np.stack([-along[:, 1], along[:, 0]], axis=-1)
    half = 0.5 * width[:, None]
    ends = []
    for point, direction, end_width in ((spine[-1], along[-1], width[-1]), (spine[0], -along[0], width[0])):
        start = np.arctan2(direction[1], direction[0]) + 0.5 * np.pi
        angles = start - np.linspace(0, np.pi, 14)[1:-1]
        ends.append(point + 0.5 * end_width * np.stack([np.cos(angles), np.sin(angles)], axis=-1))
    outline = np.concatenate([spine + half * across, ends[0], (spine - half * across)[::-1], ends[1]])
    return Contour(resample_ring(outline))


def resample_ring(outline: Floats, count: int = _SAMPLES) -> Floats:
    """A closed polygon sampled again at equal arc lengths."""
    ring = np.vstack([outline, outline[:1]])
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(ring, axis=0), axis=1))])
    at = np.linspace(0, length[-1], count, endpoint=False)
    return np.stack([np.interp(at, length, ring[:, k]) for k in range(2)], axis=-1)
