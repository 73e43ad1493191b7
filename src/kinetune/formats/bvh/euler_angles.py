"""Euler angles to write: the file's own where the motion is unchanged, elsewhere those that follow without a flip."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.rotations import Floats

SAME_TURN = 1e-9
"""Radians by which a rotation may differ from the file's and still be printed with the file's angles."""

_LOCK = 1e-8  # radians from gimbal lock within which first and last axis are one
_TURN = 2.0 * np.pi


def same_turns(now: Floats, before: Floats) -> NDArray[np.bool_]:
    """Where two sets of unit quaternions (..., 4) are the same rotation, sign aside."""
    apart = np.sum((now - before) ** 2, axis=-1)
    opposite = np.sum((now + before) ** 2, axis=-1)
    return np.minimum(apart, opposite) <= (0.5 * SAME_TURN) ** 2


def follow(q: Floats, order: str, known: Floats, same: NDArray[np.bool_]) -> Floats:
    """Angles in degrees (frames, joints, axes) of rotations (frames, joints, 4).

    Where a rotation is still the file's (``same``) its angles ``known`` are kept to the last digit, even if they wind
    past 360 degrees or jump from one frame to the next. Changed frames take the triple nearest to the frame before.
    When a changed stretch arrives at the kept angles from another side (whole turns away, or in the other triple) the
    kept ones after it follow, so that an edit never makes a flip.

    Parameters
    ----------
    known : (frames, joints, axes) degrees.
    same : (frames, joints).
    """
    if same.all():
        return known
    fresh = _hold_in_lock(rot.to_euler(q, order), order)
    angles = np.where(same[..., None], np.deg2rad(known), fresh)
    joined = ~(same[1:] & same[:-1])  # steps at which something changed; the others are left as the file has them
    anchor = np.argmax(same, axis=0)
    flipped = np.zeros(same.shape, dtype=bool)
    if len(order) == 3:
        other = rot.other_euler(angles, order)
        stay = np.abs(_wrap(angles[1:] - angles[:-1])).sum(axis=-1)
        switch = np.abs(_wrap(other[1:] - angles[:-1])).sum(axis=-1)
        flipped[1:] = np.cumsum((switch < stay - 1e-9) & joined, axis=0) % 2 == 1
        flipped ^= np.take_along_axis(flipped, anchor[None], axis=0)
        angles = np.where(flipped[..., None], other, angles)
    turns = np.zeros(angles.shape)
    turns[1:] = np.cumsum(np.where(joined[..., None], -np.round(np.diff(angles, axis=0) / _TURN), 0.0), axis=0)
    turns -= np.take_along_axis(turns, anchor[None, :, None], axis=0)
    kept = (same & ~flipped)[..., None]
    return np.where(kept, known + 360.0 * turns, np.rad2deg(angles + _TURN * turns))


def _wrap(radians: Floats) -> Floats:
    return radians - _TURN * np.round(radians / _TURN)


def _hold_in_lock(angles: Floats, order: str) -> Floats:
    """Angles (frames, joints, axes) in which the last axis holds still while it cannot be told from the first.

    In gimbal lock only the sum or the difference of the first and last angle matters; the split of the nearest frame
    outside is kept, so that the curves do not jump into the lock and out again.
    """
    if len(order) < 3:
        return angles
    first, middle, last = np.moveaxis(angles, -1, 0)
    repeats = order[0] == order[2]
    locked = np.abs(np.sin(middle) if repeats else np.cos(middle)) < _LOCK
    if not locked.any():
        return angles
    even = (("XYZ".index(order[1]) - "XYZ".index(order[0])) % 3 == 1) == (np.sin(middle) > 0)
    alike = np.cos(middle) > 0 if repeats else even  # whether the angles add up, or else subtract
    frames = np.arange(len(angles))[:, None]
    before = np.maximum.accumulate(np.where(locked, -1, frames), axis=0)
    after = np.minimum.accumulate(np.where(locked, len(angles), frames)[::-1], axis=0)[::-1]
    source = np.where(before >= 0, before, np.where(after < len(angles), after, frames))
    held = np.take_along_axis(last, source, axis=0)
    turned = np.where(alike, first + (last - held), first - (last - held))
    split = np.stack([_wrap(turned), middle, held], axis=-1)
    return np.where(locked[..., None], split, angles)
