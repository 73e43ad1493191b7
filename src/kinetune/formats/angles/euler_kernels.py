"""Angles to quaternions: the compiled body of :func:`kinetune.formats.angles.euler_angles.quaternions_from_degrees`."""

from __future__ import annotations

import numpy as np
from numba import njit

from kinetune.formats.angles.euler_angles import COSINE, FOLD, LARGEST_ANGLE, PER_HALF_CIRCLE, RADIANS, SINE

_S1, _S2, _S3, _S4, _S5, _S6 = SINE
_C1, _C2, _C3, _C4, _C5, _C6 = COSINE


@njit(cache=True, nogil=True, error_model="numpy")
def quaternions(degrees, columns, parts, sign, out):  # type: ignore[no-untyped-def]
    """Fill ``out`` (frames, joints, 4) from channels (frames, channels); see ``quaternions_from_degrees`` for the rest.

    Returns whether some angle is too large for the result to be any good.
    """
    frames, width = degrees.shape
    sine = np.zeros(width + 1)
    cosine = np.ones(width + 1)
    beyond = np.int64(0)
    for frame in range(frames):
        for column in range(width):
            angle = degrees[frame, column]
            beyond |= np.int64(abs(angle) >= LARGEST_ANGLE)
            half_circles = (angle * PER_HALF_CIRCLE + FOLD) - FOLD
            x = (angle - half_circles * 180.0) * RADIANS
            z = x * x
            s = x + x * z * (_S1 + z * (_S2 + z * (_S3 + z * (_S4 + z * (_S5 + z * _S6)))))
            c = 1.0 - (0.5 * z - z * z * (_C1 + z * (_C2 + z * (_C3 + z * (_C4 + z * (_C5 + z * _C6))))))
            quarter = half_circles - 4.0 * ((half_circles * 0.25 + FOLD) - FOLD)
            crossed = abs(quarter) == 1.0
            opposite = abs(quarter) == 2.0
            s, c = (c, s) if crossed else (s, c)
            sine[column] = -s if opposite or quarter == -1.0 else s
            cosine[column] = -c if opposite or quarter == 1.0 else c
        for joint in range(columns.shape[0]):
            s1, s2, s3 = sine[columns[joint, 0]], sine[columns[joint, 1]], sine[columns[joint, 2]]
            c1, c2, c3 = cosine[columns[joint, 0]], cosine[columns[joint, 1]], cosine[columns[joint, 2]]
            e = sign[joint]
            out[frame, joint, 0] = c1 * c2 * c3 - e * (s1 * s2 * s3)
            out[frame, joint, parts[joint, 0]] = s1 * c2 * c3 + e * (c1 * s2 * s3)
            out[frame, joint, parts[joint, 1]] = c1 * s2 * c3 - e * (s1 * c2 * s3)
            out[frame, joint, parts[joint, 2]] = c1 * c2 * s3 + e * (s1 * s2 * c3)
    return beyond != 0


def warm_up() -> None:
    """Compile on one frame of one joint."""
    columns = np.arange(3)[None]
    degrees = np.zeros((1, 3))
    degrees.setflags(write=False)
    quaternions(degrees, columns, columns + 1, np.ones(1), np.empty((1, 1, 4)))
