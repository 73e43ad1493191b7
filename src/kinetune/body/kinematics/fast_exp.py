"""Quaternions of rotation vectors without a call to sine or cosine.

With u the square of the angle, cos(sqrt(u) / 2) and sin(sqrt(u) / 2) / sqrt(u), which are all that a quaternion needs,
are entire functions of u: no root, no division, no special case at zero. Polynomials of degree 8 serve angles up to
half a turn with an error below 1e-15, polynomials of degree 10 angles up to a whole turn below 2e-15; longer vectors
are shortened by double turns first, which leave the quaternion unchanged.

The coefficients are power series economized on their intervals: written in Chebyshev polynomials with 80 digits and
cut where the next term is 4e-18 and 3e-17.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinetune.rotations import Floats

# Highest power first, in u, the square of the angle.
COSINE = (
    7.032763961661107e-19,
    -6.996401001447053e-16,
    5.096816870127519e-13,
    -2.691144178933677e-10,
    9.688120030245877e-08,
    -2.170138888870794e-05,
    0.0026041666666664926,
    -0.12499999999999993,
    1.0,
)
SINE = (
    2.0764024297330533e-20,
    -2.332466819339662e-17,
    1.9603199349588486e-14,
    -1.2232474067953468e-11,
    5.3822889084446365e-09,
    -1.5500992063444312e-06,
    0.00026041666666666206,
    -0.020833333333333332,
    0.5,
)
LONG_COSINE = (
    3.4842612856796215e-25,
    -5.918173392806999e-22,
    7.290800027637764e-19,
    -7.001118685404916e-16,
    5.096863050299985e-13,
    -2.691144435860797e-10,
    9.688120038027255e-08,
    -2.1701388888807334e-05,
    0.0026041666666664605,
    -0.12499999999999979,
    1.0,
)
LONG_SINE = (
    8.38185073965894e-27,
    -1.5591963051340047e-23,
    2.1445112606176398e-20,
    -2.333714098687694e-17,
    1.9603321823046872e-14,
    -1.2232474754625133e-11,
    5.382288910572047e-09,
    -1.5500992063474191e-06,
    0.00026041666666666216,
    -0.02083333333333333,
    0.5,
)
HALF_TURN = np.pi**2
WHOLE_TURN = (2.0 * np.pi) ** 2

# Where things are in table().
AT_COSINE = 2
AT_SINE = AT_COSINE + len(COSINE)
AT_LONG_COSINE = AT_SINE + len(SINE)
AT_LONG_SINE = AT_LONG_COSINE + len(LONG_COSINE)
AT_END = AT_LONG_SINE + len(LONG_SINE)


def table(dtype: np.dtype) -> Floats:
    """Both bounds on u and the four polynomials in one array, as both bodies read them."""
    return np.array([HALF_TURN, WHOLE_TURN, *COSINE, *SINE, *LONG_COSINE, *LONG_SINE], dtype=dtype)


def quick_exp(rotation_vectors: Floats) -> Floats:
    """Quaternions (..., 4) of rotation vectors (..., 3), float64 or float32: :func:`kinetune.rotations.exp` by series.

    Law: it agrees with :func:`~kinetune.rotations.exp` to 2e-15 up to a whole turn
    (``test_forward.py::test_quick_exp_is_exp``).
    """
    constants = table(rotation_vectors.dtype)
    x, y, z = (rotation_vectors[..., k] for k in range(3))
    u = x * x + y * y + z * z
    far = u > constants[0]
    cosine = _series(constants[AT_COSINE:AT_SINE], u)
    sine = _series(constants[AT_SINE:AT_LONG_COSINE], u)
    if np.any(far):
        beyond = u > constants[1]
        if np.any(beyond):
            x, y, z = (_shorten(values, u, beyond) for values in (x, y, z))
            u = x * x + y * y + z * z
        cosine = np.where(far, _series(constants[AT_LONG_COSINE:AT_LONG_SINE], u), cosine)
        sine = np.where(far, _series(constants[AT_LONG_SINE:AT_END], u), sine)
    return np.stack([cosine, x * sine, y * sine, z * sine], axis=-1)


def _series(coefficients: Floats, u: Floats) -> Floats:
    """A polynomial of even degree in u, even and odd powers apart: two short chains of sums instead of a long one."""
    v = u * u
    even, odd = np.full_like(u, coefficients[0]), np.full_like(u, coefficients[1])
    for c in coefficients[2::2]:
        even = even * v + c
    for c in coefficients[3::2]:
        odd = odd * v + c
    return even + odd * u


def _shorten(values: Floats, u: Floats, beyond: NDArray[np.bool_]) -> Floats:
    """One component of vectors, brought below a whole turn by double turns where they are beyond it."""
    turns = u.dtype.type(4.0 * np.pi)
    angle = np.sqrt(np.where(beyond, u, u.dtype.type(1.0)))
    factor = (angle - np.floor(angle / turns + u.dtype.type(0.5)) * turns) / angle
    return np.where(beyond, values * factor, values)
