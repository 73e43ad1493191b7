"""Angles about three axes, in degrees, as quaternions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

_kernels = Kernels("kinetune.formats.angles.euler_kernels")
_NUMPY_S_PER_ANGLE = 3e-8
_FOLDED = 90.0  # degrees; smaller angles need no folding
_BLOCK = 12_288  # angles that the NumPy body takes at a time: its arrays stay in the cache, and are not mapped anew


def parity(axes: NDArray[np.intp]) -> Floats:
    """1 for the orders XYZ, YZX and ZXY of axes (joints, 3), -1 for the others."""
    return np.where((axes[:, 1] - axes[:, 0]) % 3 == 1, 1.0, -1.0)


def quaternions_from_degrees(
    degrees: Floats, columns: NDArray[np.intp], axes: NDArray[np.intp], sign: Floats
) -> Floats:
    """Rotations (frames, joints, 4) wxyz from angles (frames, width).

    Parameters
    ----------
    degrees : array, shape (frames, width)
    columns : array, shape (joints, 3)
        Where the angles of each joint are, in the order of intrinsic rotation; ``width`` stands for an angle of 0.
    axes : array, shape (joints, 3)
        About which axes (0, 1, 2) they are; all different.
    sign : array, shape (joints,)
        :func:`parity` of the axes.

    Notes
    -----
    For three different axes i, j, k with half angles a, b, c and e = 1 for XYZ, YZX, ZXY, else -1:
    w = cos a cos b cos c - e sin a sin b sin c, the component of i = sin a cos b cos c + e cos a sin b sin c, of
    j = cos a sin b cos c - e sin a cos b sin c, of k = cos a cos b sin c + e sin a sin b cos c.
    Law: the NumPy and the compiled body give the same bits (``test_euler_angles.py::test_both_bodies_agree``).
    """
    out = np.empty((len(degrees), len(columns), 4))
    degrees = np.ascontiguousarray(degrees).view()
    degrees.setflags(write=False)  # a kernel is compiled for each kind of array, so there is only one kind
    fast = _kernels.get(degrees.size * _NUMPY_S_PER_ANGLE)
    fill = _quaternions_numpy if fast is None else fast.quaternions
    if fill(degrees, columns, axes + 1, sign, out):
        degrees = np.fmod(degrees, 720.0)
        degrees.setflags(write=False)
        fill(degrees, columns, axes + 1, sign, out)
    return out


def _quaternions_numpy(
    degrees: Floats, columns: NDArray[np.intp], parts: NDArray[np.intp], sign: Floats, out: Floats
) -> bool:
    """Fill ``out`` (frames, joints, 4); returns whether some angle is too large for the result to be any good."""
    width = degrees.shape[1]
    rows = max(1, _BLOCK // max(1, width))
    orders, order_of = np.unique(parts, axis=0, return_inverse=True)
    alike = [np.flatnonzero(order_of.ravel() == order) for order in range(len(orders))]  # joints with one order
    places = [[_run(columns[joints, place]) for place in range(3)] for joints in alike]
    beyond = False
    for start in range(0, len(degrees), rows):
        angles = degrees[start : start + rows]
        largest = np.fmax.reduce(np.abs(angles), axis=None, initial=0.0)
        beyond |= bool(largest >= LARGEST_ANGLE)
        sines, cosines = half_sine_cosine(angles, folds=bool(largest >= _FOLDED))
        if columns.max(initial=0) == width:
            none = np.zeros((len(angles), 1))
            sines, cosines = np.hstack([sines, none]), np.hstack([cosines, none + 1.0])
        block = out[start : start + rows]
        for (i, j, k), joints, (first, second, third) in zip(orders.tolist(), alike, places, strict=True):
            s3, c3 = sines[:, third], cosines[:, third]
            cc, ss = cosines[:, first] * cosines[:, second], sines[:, first] * sines[:, second]
            sc, cs = sines[:, first] * cosines[:, second], cosines[:, first] * sines[:, second]
            target = block if len(joints) == len(parts) else np.empty((len(block), len(joints), 4))
            put, put_opposite = (np.add, np.subtract) if sign[joints[0]] > 0 else (np.subtract, np.add)
            put_opposite(cc * c3, ss * s3, out=target[:, :, 0])
            put(sc * c3, cs * s3, out=target[:, :, i])
            put_opposite(cs * c3, sc * s3, out=target[:, :, j])
            put(cc * s3, ss * c3, out=target[:, :, k])
            if target is not block:
                block[:, joints] = target
    return beyond


def _run(columns: NDArray[np.intp]) -> slice | NDArray[np.intp]:
    """Columns as a slice where they are evenly spaced, which takes no copy."""
    steps = np.diff(columns)
    if len(steps) and steps[0] > 0 and (steps == steps[0]).all():
        return slice(int(columns[0]), int(columns[-1]) + 1, int(steps[0]))
    return columns


# Sine and cosine of half an angle, written so that NumPy and euler_kernels give the same bits. The angle is folded in
# degrees, where full circles are exact numbers: multiples of 90 degrees give exact zeros and ones. The rest, at most
# 45 degrees after halving, goes into the polynomials of fdlibm (k_sin.c and k_cos.c).

FOLD = 1.5 * 2.0**52
"""Adding and subtracting it rounds a number below 2 ** 51 to a whole one."""

PER_HALF_CIRCLE = 1.0 / 180.0
RADIANS = np.pi / 360.0
LARGEST_ANGLE = 1e9
"""Degrees; larger angles must be folded before."""

SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def half_sine_cosine(degrees: Floats, *, folds: bool = True) -> tuple[Floats, Floats]:
    """Sine and cosine of degrees / 2; the angles must lie below :data:`LARGEST_ANGLE` in size.

    ``folds=False`` leaves out what does nothing to angles below 90 degrees.
    """
    x = degrees * RADIANS
    if folds:
        half_circles = (degrees * PER_HALF_CIRCLE + FOLD) - FOLD
        x = (degrees - half_circles * 180.0) * RADIANS
    z = x * x
    s1, s2, s3, s4, s5, s6 = SINE
    c1, c2, c3, c4, c5, c6 = COSINE
    s = x + x * z * (s1 + z * (s2 + z * (s3 + z * (s4 + z * (s5 + z * s6)))))
    c = 1.0 - (0.5 * z - z * z * (c1 + z * (c2 + z * (c3 + z * (c4 + z * (c5 + z * c6))))))
    if not folds:
        return s, c
    with np.errstate(invalid="ignore"):
        quarter = half_circles.astype(np.int64) & 3
    crossed = (quarter & 1) != 0
    s, c = np.where(crossed, c, s), np.where(crossed, s, c)
    return s * (1 - (quarter & 2)), c * (1 - (quarter + 1 & 2))
