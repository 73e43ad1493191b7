"""Rotations in the modes that bones have: quaternions, Euler angles in any order, axis and angle.

=============  ==============================================================================
quaternions    wxyz for the values of channels in a mode
channels       values of channels in a mode for quaternions, continuous over time
many_channels  the same for many bones at once
path           the property that a mode keys, and how many values it has
=============  ==============================================================================

Blender's order "XYZ" applies the rotation about X first. Nothing here needs Blender.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_PATHS = {"QUATERNION": ("rotation_quaternion", 4), "AXIS_ANGLE": ("rotation_axis_angle", 4)}
_EULER = ("rotation_euler", 3)
_GIMBAL = 1e-6  # cosine of the middle angle below which the two others cannot be separated
_SAME = 1e-12  # one minus the cosine of half the angle below which a rotation counts as unchanged


def path(mode: str) -> tuple[str, int]:
    """The property of a bone that holds its rotation, and the number of its values."""
    return _PATHS.get(mode, _EULER)


def multiply(a: Floats, b: Floats) -> Floats:
    """Quaternion products (..., 4)."""
    aw, ax, ay, az = np.moveaxis(a, -1, 0)
    bw, bx, by, bz = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def inverse(q: Floats) -> Floats:
    """The opposite rotation of unit quaternions (..., 4)."""
    return np.asarray(q * np.array([1.0, -1.0, -1.0, -1.0]))


def to_matrix(q: Floats) -> Floats:
    """Rotation matrices (..., 3, 3)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(m: Floats) -> Floats:
    """Unit quaternions (..., 4) of rotation matrices, by the largest component."""
    m00, m11, m22 = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    skew = [m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]]
    sums = [m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]]
    candidates = np.stack(
        [
            np.stack([1 + m00 + m11 + m22, *skew], axis=-1),
            np.stack([skew[0], 1 + m00 - m11 - m22, sums[0], sums[1]], axis=-1),
            np.stack([skew[1], sums[0], 1 - m00 + m11 - m22, sums[2]], axis=-1),
            np.stack([skew[2], sums[1], sums[2], 1 - m00 - m11 + m22], axis=-1),
        ],
        axis=-2,
    )
    largest = np.argmax(np.einsum("...ii->...i", candidates), axis=-1)
    q = np.take_along_axis(candidates, largest[..., None, None], axis=-2)[..., 0, :]
    return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))


def continuous(q: Floats, first: Floats | None = None) -> Floats:
    """The same rotations (frames, ..., 4) with signs so that neighbours in time are near each other."""
    before = q[:1] if first is None else first[None]
    dots = np.einsum("...k,...k->...", np.concatenate([before, q[:-1]]), q)
    signs = np.cumprod(np.where(dots < 0, -1.0, 1.0), axis=0)
    return np.asarray(q * signs[..., None])


def quaternions(values: Floats, mode: str) -> Floats:
    """Unit quaternions (frames, 4) for the values (frames, 3 or 4) of a bone's rotation channels."""
    if mode == "QUATERNION":
        length = np.linalg.norm(values, axis=-1, keepdims=True)
        rest = np.array([1.0, 0.0, 0.0, 0.0])
        return np.where(length > 0, values / np.where(length > 0, length, 1.0), rest)
    if mode == "AXIS_ANGLE":
        return _about(values[..., 1:], values[..., 0])
    q = np.zeros((*values.shape[:-1], 4))
    q[..., 0] = 1.0
    for axis in ("XYZ".index(name) for name in mode):
        q = multiply(_about(np.eye(3)[axis], values[..., axis]), q)
    return q


def many_channels(
    q: Floats, modes: Sequence[str], references: Sequence[Floats | None], before: Floats | None
) -> list[Floats]:
    """:func:`channels` of many bones at once: bones with the same Euler order are computed together.

    Parameters
    ----------
    q : (frames, bones, 4) unit quaternions wxyz.
    references : for each bone, its values before the edit, or None.
    before : (frames, bones, 4) what the references say, as unit quaternions.
    """
    values: list[Floats | None] = [None] * len(modes)
    for order in {mode for mode in modes if mode not in _PATHS}:
        chosen = [n for n, mode in enumerate(modes) if mode == order and references[n] is not None]
        if not chosen or before is None:
            continue
        known = np.stack([reference for n in chosen if (reference := references[n]) is not None], axis=1)
        near, jumps = _nearest_euler(q[:, chosen], order, known)
        near = np.where(_is_same(q[:, chosen], before[:, chosen])[..., None], known, near)
        for place, n in enumerate(chosen):
            if not jumps[place]:
                values[n] = near[:, place]
    return [
        channels(q[:, n], mode, references[n]) if (value := values[n]) is None else value
        for n, mode in enumerate(modes)
    ]


def channels(q: Floats, mode: str, reference: Floats | None = None) -> Floats:
    """Values (frames, 3 or 4) of a bone's rotation channels.

    Parameters
    ----------
    q : (frames, 4) unit quaternions wxyz.
    reference : (frames, 3 or 4) values before an edit of the same frames: the result takes the turns that are nearest
        to them, and is exactly them where the rotation is the same. Without one, the values go on from frame to frame.
    """
    if reference is not None and reference.shape[0] != q.shape[0]:
        reference = None
    if mode == "QUATERNION":
        values = continuous(q) if reference is None else _nearest_sign(q, reference)
    elif mode == "AXIS_ANGLE":
        values = _axis_angle(q, reference)
    else:
        values = _euler(q, mode, reference)
    if reference is None:
        return values
    same = _is_same(q, quaternions(reference, mode))
    return np.where(same[:, None], reference, values)


def _is_same(a: Floats, b: Floats) -> NDArray[np.bool_]:
    return np.asarray(1.0 - np.abs(np.einsum("...k,...k->...", a, b)) < _SAME)


def _about(axis: Floats, angle: Floats) -> Floats:
    length = np.linalg.norm(axis, axis=-1, keepdims=True)
    unit = axis / np.where(length > 0, length, 1.0)
    half = 0.5 * angle
    sine = np.where(length[..., 0] > 0, np.sin(half), 0.0)
    cosine = np.where(length[..., 0] > 0, np.cos(half), 1.0)
    return np.concatenate([cosine[..., None], sine[..., None] * unit], axis=-1)


def _nearest_sign(q: Floats, reference: Floats) -> Floats:
    """The sign that is nearest to the reference, unless that would jump between frames."""
    dots = np.einsum("fk,fk->f", q, reference)
    near = np.asarray(q * np.where(dots < 0, -1.0, 1.0)[:, None])
    jumps = np.einsum("fk,fk->f", near[1:], near[:-1]) < 0
    before = np.einsum("fk,fk->f", reference[1:], reference[:-1]) < 0
    return near if np.array_equal(jumps, before) else continuous(q, reference[0])


def _axis_angle(q: Floats, reference: Floats | None) -> Floats:
    q = continuous(q)
    sine = np.linalg.norm(q[:, 1:], axis=-1)
    angle = 2.0 * np.arctan2(sine, q[:, 0])
    defined = sine > 1e-9
    axis = np.where(defined[:, None], q[:, 1:] / np.where(defined, sine, 1.0)[:, None], [0.0, 1.0, 0.0])
    values = np.concatenate([angle[:, None], axis], axis=-1)
    previous = np.concatenate([[0.0], values[int(np.argmax(defined)), 1:]])  # the first axis that there is
    for frame in range(len(values)):
        near = previous if reference is None else reference[frame]
        if not defined[frame]:
            values[frame, 1:] = near[1:]
            values[frame, 0] = 2 * np.pi * np.round(near[0] / (2 * np.pi))
        else:
            if values[frame, 1:] @ near[1:] < 0:
                values[frame] *= -1.0
            values[frame, 0] += 2 * np.pi * np.round((near[0] - values[frame, 0]) / (2 * np.pi))
        previous = values[frame]
    return values


def _euler(q: Floats, order: str, reference: Floats | None) -> Floats:
    """Euler angles (frames, 3), of X, Y and Z in this sequence."""
    if reference is not None:
        near, jumps = _nearest_euler(q[:, None], order, reference[:, None])
        if not jumps[0]:
            return near[:, 0]
    angles, other, locked = _both_solutions(q, order)
    axes = ("XYZ".index(order[0]), "XYZ".index(order[1]), "XYZ".index(order[2]))
    return _step_by_step(q, angles, other, locked, axes, None if reference is None else reference[0])


def _both_solutions(q: Floats, order: str) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """The two sets of angles (..., 3) of rotations M = R_k R_j R_i for the order i, j, k, and where they are locked."""
    i, j, k = ("XYZ".index(name) for name in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    m = to_matrix(q)
    middle = np.arctan2(-sign * m[..., k, i], np.hypot(m[..., i, i], m[..., j, i]))
    angles = np.empty((*q.shape[:-1], 3))
    angles[..., j] = middle
    angles[..., i] = np.arctan2(sign * m[..., k, j], m[..., k, k])
    angles[..., k] = np.arctan2(sign * m[..., j, i], m[..., i, i])
    other = angles + np.pi
    other[..., j] = np.pi - middle
    return angles, other, np.abs(np.cos(middle)) < _GIMBAL


def _nearest_euler(q: Floats, order: str, reference: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The angles (frames, bones, 3) nearest to a reference, and for which bones (bones,) they are of no use.

    That is where they jump and the reference does not, or where two of the angles cannot be separated.
    """
    angles, other, locked = _both_solutions(q, order)
    both = [each + 2 * np.pi * np.round((reference - each) / (2 * np.pi)) for each in (angles, other)]
    far = [np.abs(each - reference).sum(axis=-1) for each in both]
    near = np.where((far[0] <= far[1])[..., None], both[0], both[1])
    jump, before = np.abs(np.diff(near, axis=0)), np.abs(np.diff(reference, axis=0))
    jumps = ((jump > np.pi) & (before < np.pi)).any(axis=(0, 2))
    return near, np.asarray(locked.any(axis=0) | jumps)


def _step_by_step(
    q: Floats,
    angles: Floats,
    other: Floats,
    locked: NDArray[np.bool_],
    axes: tuple[int, int, int],
    first: Floats | None,
) -> Floats:
    """The solution nearest to that of the frame before; in gimbal lock the first angle stays as it was."""
    i, j, k = axes
    unit = np.eye(3)
    values = np.empty_like(angles)
    previous = np.array(angles[0] if first is None else first)
    for frame in range(len(angles)):
        ways = [angles[frame], other[frame]]
        if locked[frame]:
            way = np.array(angles[frame])
            way[i] = previous[i]
            left = multiply(q[frame], inverse(multiply(_about(unit[j], way[j]), _about(unit[i], way[i]))))
            way[k] = 2.0 * np.arctan2(left[1 + k], left[0])
            ways = [way]
        near = [way + 2 * np.pi * np.round((previous - way) / (2 * np.pi)) for way in ways]
        far = [float(np.abs(way - previous).sum()) for way in near]
        previous = values[frame] = near[int(np.argmin(far))]
    return values
