"""Sine and cosine of half an angle in degrees, written so that NumPy and a compiled kernel give the same bits.

The angle is folded in degrees, where whole turns are exact numbers: multiples of 90 degrees give exact zeros and ones.
What is left, at most 45 degrees after halving, goes into the polynomials of fdlibm (k_sin.c and k_cos.c).
"""

from __future__ import annotations

import numpy as np

from kinetune.rotations import Floats

FOLD = 1.5 * 2.0**52
"""Adding and subtracting it rounds a number below 2 ** 51 to a whole one."""

PER_HALF_TURN = 1.0 / 180.0
RADIANS = np.pi / 360.0
LARGEST = 1e9
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


def half_sine_cosine(degrees: Floats) -> tuple[Floats, Floats]:
    """Sine and cosine of degrees / 2; the angles must lie below :data:`LARGEST` in size."""
    half_turns = (degrees * PER_HALF_TURN + FOLD) - FOLD
    x = (degrees - half_turns * 180.0) * RADIANS
    z = x * x
    s1, s2, s3, s4, s5, s6 = SINE
    c1, c2, c3, c4, c5, c6 = COSINE
    s = x + x * z * (s1 + z * (s2 + z * (s3 + z * (s4 + z * (s5 + z * s6)))))
    c = 1.0 - (0.5 * z - z * z * (c1 + z * (c2 + z * (c3 + z * (c4 + z * (c5 + z * c6))))))
    quarter = half_turns - 4.0 * ((half_turns * 0.25 + FOLD) - FOLD)
    crossed = np.abs(quarter) == 1.0
    opposite = np.abs(quarter) == 2.0
    s, c = np.where(crossed, c, s), np.where(crossed, s, c)
    return np.where(opposite | (quarter == -1.0), -s, s), np.where(opposite | (quarter == 1.0), -c, c)
