"""Rotations as smooth curves of three numbers, so that linear filters may act on them.

=====================  =====================================================================
rotations_to_curves    unit quaternions to rotation vectors around each joint's own mean
curves_to_rotations    and back
unrolled_vectors       rotation vectors that follow each other without a jump
LogCurves              the curves, with what it takes to go back
=====================  =====================================================================

Quaternions cannot be added and Euler angles jump. A rotation vector (axis times angle) can be added to its like, as
long as it stays small; seen from a joint's own mean it is small nearly always. Two things need care:

* A rotation is the same after 360 degrees, so each has many vectors, 360 degrees apart along its axis. We take the
  one that continues the curve: a joint that swings past 180 degrees from its mean goes on to 181, not to -179.
* Close to 360 degrees away from the mean the axis is hardly defined, and the curve runs wild while the joint barely
  moves. A character that spins passes there again and again. Such a joint is split into a *spin*, an angle
  about one axis that counts revolutions, and a *lean*, a small rotation vector across it; their sum is its curve.

The curves depend neither on the sign of the quaternions nor on an Euler order, and rotating the whole scene leaves them
as they are, since only the mean rotates along.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from kinetune import rotations as rot
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

_FAR = 1.25 * np.pi
"""Radians from the mean beyond which a spin is looked for: there the plain curve is stretched twofold across."""
_TIE = 1e-6
_NO_AXIS = 1e-12


@dataclass(frozen=True, eq=False)
class LogCurves:
    """Rotation curves around a mean, and how to turn them back into rotations.

    center : (joints, 4) mean rotation wxyz of each joint; the curve is 0 there.
    curves : (frames, joints, 3) radians, in the frame of ``center``. Add, filter, scale at will.
    axis : (joints, 3) unit axis of the spin for a joint that turns far around, 0 for all others.
    own : (joints,) whether the spin axis turns with the joint (a drill) or stays with its parent (a pirouette).
    """

    center: Floats
    curves: Floats
    axis: Floats
    own: np.ndarray

    def __len__(self) -> int:
        return len(self.curves)

    def with_curves(self, curves: ArrayLike) -> LogCurves:
        """The same means and axes with other curves, of any number of frames."""
        new = np.asarray(curves, dtype=float)
        if new.ndim != 3 or new.shape[1:] != self.curves.shape[1:]:
            raise ParameterError(
                f"curves of {len(self.center)} joints have shape (frames, joints, 3), not {new.shape}."
            )
        return replace(self, curves=new)


def rotations_to_curves(rotations: ArrayLike, like: LogCurves | None = None) -> LogCurves:
    """Unroll rotations into continuous curves around each joint's own mean.

    Parameters
    ----------
    rotations : array, shape (frames, joints, 4)
        Unit quaternions wxyz; the sign of each does not matter.
    like : LogCurves, optional
        Use the means and axes of these curves, so that the two can be compared or blended.

    Notes
    -----
    The mean is the one of Markley et al. 2007 (the dominant eigenvector); where a joint turns so evenly that none
    stands out, the middle frame takes its place. Curves are unrolled from the frame closest to the mean, both ways.
    Laws: the round trip is exact, signs do not matter, nothing jumps (``tests/signals/test_rotation_curves.py``).
    """
    q = np.asarray(rotations, dtype=float)
    if q.ndim != 3 or q.shape[-1] != 4 or len(q) == 0:
        raise ParameterError(f"rotations must have shape (frames, joints, 4) with at least one frame, not {q.shape}.")
    if like is not None:
        return _express(q, like)
    center = _means(q)
    relative = rot.multiply(rot.inverse(center), q)
    curves, far = _plain(relative)
    axis = np.zeros((q.shape[1], 3))
    carries = np.zeros(q.shape[1], dtype=bool)
    for joint in far:
        for candidate, carried in _spin_axes(relative[:, joint]):
            spun = _spin(relative[:, joint], candidate, carried)
            # The chart in which the path is shortest is the one that distorts the motion least.
            if _length(spun) < _length(curves[:, joint]):
                curves[:, joint], axis[joint], carries[joint] = spun, candidate, carried
    return LogCurves(center, curves, axis, carries)


def curves_to_rotations(curves: LogCurves) -> Floats:
    """Unit quaternions (frames, joints, 4) wxyz of curves; the inverse of :func:`rotations_to_curves`."""
    relative = rot.exp(curves.curves)
    for joint in np.flatnonzero(np.any(curves.axis != 0, axis=-1)).tolist():
        axis = curves.axis[joint]
        turns = curves.curves[:, joint] @ axis
        spin = rot.exp(turns[:, None] * axis)
        lean = rot.exp(curves.curves[:, joint] - turns[:, None] * axis)
        relative[:, joint] = rot.multiply(lean, spin) if curves.own[joint] else rot.multiply(spin, lean)
    return rot.multiply(curves.center, relative)


def _express(q: Floats, like: LogCurves) -> LogCurves:
    if q.shape[1] != len(like.center):
        raise ParameterError(f"The curves have {len(like.center)} joints, but the rotations have {q.shape[1]}.")
    relative = rot.multiply(rot.inverse(like.center), q)
    curves, _ = _plain(relative)
    for joint in np.flatnonzero(np.any(like.axis != 0, axis=-1)).tolist():
        curves[:, joint] = _spin(relative[:, joint], like.axis[joint], bool(like.own[joint]))
    return replace(like, curves=curves)


def _means(q: Floats) -> Floats:
    """The mean rotation of each joint (joints, 4)."""
    values, vectors = np.linalg.eigh(q.transpose(1, 2, 0) @ q.transpose(1, 0, 2))
    clear = values[:, -1] - values[:, -2] > _TIE * values[:, -1]
    best = np.where(clear[:, None], vectors[..., -1], q[len(q) // 2])
    best = best * np.where(best[:, :1] < 0, -1.0, 1.0)
    return rot.normalize(best)


def unrolled_vectors(rotations: Floats, anchor: int | None = None) -> Floats:
    """Rotation vectors (frames, joints, 3) of rotations that follow each other without a jump.

    anchor : the frame from which they are followed both ways, in which each turn is at most half a turn; the one of the
        smallest turn, joint by joint, by default.
    """
    short = rot.log(rotations)
    angles = np.linalg.norm(short, axis=-1)
    along = np.sum(short[1:] * short[:-1], axis=-1)
    jumps = (angles[1:] ** 2 - along > np.pi * angles[1:]) | (angles[:-1] ** 2 - along > np.pi * angles[:-1])
    for joint in np.flatnonzero(jumps.any(axis=0)).tolist():
        start = int(np.argmin(angles[:, joint])) if anchor is None else anchor
        short[:, joint] = _unroll(short[:, joint], start)
    return short


def _plain(relative: Floats) -> tuple[Floats, list[int]]:
    """Unrolled rotation vectors, and the joints that go far from their mean."""
    curves = unrolled_vectors(relative)
    return curves, np.flatnonzero(np.linalg.norm(curves, axis=-1).max(axis=0) > _FAR).tolist()


def _unroll(short: Floats, anchor: int) -> Floats:
    """The rotation vectors of the same rotations that follow each other most closely, from a frame both ways."""
    unrolled = short.copy()
    for frames in (range(anchor + 1, len(short)), range(anchor - 1, -1, -1)):
        x, y, z = short[anchor].tolist()
        for frame in frames:
            sx, sy, sz = short[frame].tolist()
            angle = math.sqrt(sx * sx + sy * sy + sz * sz)
            if angle > _NO_AXIS:
                ax, ay, az = sx / angle, sy / angle, sz / angle
            else:  # no axis of its own: keep the one before
                angle = 0.0
                before = math.sqrt(x * x + y * y + z * z) or 1.0
                ax, ay, az = x / before, y / before, z / before
            turns = round((x * ax + y * ay + z * az - angle) / math.tau)
            if turns:
                angle += math.tau * turns
                sx, sy, sz = angle * ax, angle * ay, angle * az
            x, y, z = sx, sy, sz
            unrolled[frame] = (x, y, z)
    return unrolled


def _spin_axes(relative: Floats) -> list[tuple[Floats, bool]]:
    """Axes about which a joint turns most: one that stays with its parent, and one that it carries along."""
    if len(relative) < 2:
        return []
    parent_side = rot.log(rot.multiply(relative[1:], rot.inverse(relative[:-1])))
    own_side = rot.log(rot.multiply(rot.inverse(relative[:-1]), relative[1:]))
    return [(_main_direction(steps), carried) for steps, carried in ((parent_side, False), (own_side, True))]


def _main_direction(steps: Floats) -> Floats:
    _, vectors = np.linalg.eigh(steps.T @ steps)
    best = vectors[:, -1]
    ahead = float(np.sum(steps, axis=0) @ best)
    return -best if ahead < 0 else best


def _spin(relative: Floats, axis: Floats, carried: bool) -> Floats:
    """Turns about an axis, counted on and on, plus the lean across it: (frames, 3)."""
    if carried:
        swing, twist = rot.swing_twist(relative, axis)
        lean = rot.log(swing)
    else:
        swing, twist = rot.swing_twist(rot.inverse(relative), axis)
        lean, twist = -rot.log(swing), rot.inverse(twist)
    turns = np.unwrap(2.0 * np.arctan2(twist[:, 1:] @ axis, twist[:, 0]))
    nearest = int(np.argmax(np.abs(relative[:, 0])))
    turns -= math.tau * np.round(turns[nearest] / math.tau)
    lean -= (lean @ axis)[:, None] * axis
    return lean + turns[:, None] * axis


def _length(curve: Floats) -> float:
    return float(np.linalg.norm(np.diff(curve, axis=0), axis=-1).sum())
