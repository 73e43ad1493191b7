"""How people walk and run, as Fourier series over one gait cycle.

Means over public motion capture of 28 walkers (217 strides) and 5 runners (22 strides), fitted to the 1.75 m figure.
Phase 0 is the strike of the right foot, 1 its next one; the left strikes at 0.5. Limb series are for the right side;
the left side follows half a cycle later. Angles in degrees, lengths as fractions of the leg length.
``x(phase) = a0 + sum over k of a_k cos(2 pi k phase) + b_k sin(2 pi k phase)``.
"""

from __future__ import annotations

import numpy as np

from kinetune.rotations import Floats

Series = tuple[tuple[float, ...], tuple[float, ...]]
"""(a0, a1 ... a6) and (b1 ... b6)."""

WALK: dict[str, Series] = {
    "thigh": ((10.79, 23.40, -4.33, 0.43, -0.54, -0.25, 0.21), (-0.39, -3.86, 2.34, 0.18, 0.27, 0.01)),
    "knee": ((32.55, 5.19, -17.16, 0.49, -1.51, -0.44, 0.36), (-15.73, 0.57, 6.05, 0.92, 0.79, 0.23)),
    "foot pitch": ((-10.66, 18.34, 15.19, -1.77, 2.14, 0.95, 0.23), (20.95, -11.38, -4.59, 0.16, -1.60, -0.13)),
    "shoulder flexion": ((-2.81, -9.16, 0.44, -0.40, 0.26, -0.13, 0.03), (0.72, -1.11, 0.33, 0.06, -0.02, 0.13)),
    "shoulder abduction": ((4.28, -2.26, 0.58, -0.32, 0.03, -0.03, 0.0), (0.74, -0.56, 0.13, 0.04, 0.02, 0.05)),
    "elbow": ((30.30, -9.05, 2.48, -0.05, 0.03, 0.19, 0.08), (-1.41, -1.30, -0.18, -0.01, 0.11, 0.06)),
    "forearm inwards": ((-9.05, -10.92, 0.39, 0.33, 0.46, 0.03, 0.11), (-2.65, -3.15, -0.39, 0.03, 0.06, 0.23)),
    "pelvis tilt": ((3.51, 0, 1.04, 0, 0.09, 0, 0), (0, 0.35, 0, -0.02, 0, 0.03)),
    # The measured obliquity comes late; this is the clinical one: the stance side up by 4 degrees at 15 %.
    "pelvis obliquity": ((0, 0.60, 0, -0.40, 0, 0, 0), (3.20, 0, 0.90, 0, 0, 0)),
    "pelvis rotation": ((0, 3.58, 0, 0.08, 0, 0.23, 0), (2.20, 0, -0.24, 0, 0.02, 0)),
    "trunk lean": ((4.83, 0, 0.42, 0, 0.11, 0, 0.08), (0, -0.31, 0, 0.10, 0, 0.19)),
    "trunk sideways": ((0, -0.68, 0, -0.16, 0, -0.03, 0), (0.78, 0, 0.17, 0, -0.01, 0)),
    "shoulder rotation": ((0, -3.09, 0, 0.44, 0, 0.10, 0), (0.66, 0, -0.43, 0, 0.04, 0)),
    "shoulder obliquity": ((0, -1.43, 0, 0.29, 0, 0.02, 0), (-1.47, 0, -0.12, 0, -0.01, 0)),
    "head pitch": ((17.04, 0, -0.04, 0, -0.02, 0, 0), (0, -0.67, 0, 0.11, 0, -0.10)),
    "head yaw": ((0, -1.65, 0, 0.04, 0, -0.05, 0), (0.33, 0, -0.19, 0, -0.07, 0)),
    "head roll": ((0, -1.18, 0, 0.02, 0, -0.04, 0), (-1.29, 0, 0.25, 0, -0.01, 0)),
    # The measured walkers keep soft knees and bounce by 2.5 cm; these 3.8 cm give the knees of clinical norms.
    "up": ((0, 0, -0.0180, 0, 0, 0, 0), (0, -0.0100, 0, -0.0026, 0, 0)),
    "right": ((0, -0.0229, 0, -0.0028, 0, -0.0001, 0), (0.0244, 0, -0.0008, 0, -0.0004, 0)),
    "ahead": ((0, 0, -0.0112, 0, -0.0021, 0, -0.0004), (0, 0.0124, 0, -0.0002, 0, -0.0004)),
}

RUN: dict[str, Series] = {
    "thigh": ((11.31, 25.20, -4.20, -0.58, 0.61, -0.20, -0.04), (-23.12, 6.02, 1.69, -0.21, 0.69, -0.23)),
    "knee": ((54.50, -9.47, -6.95, -1.40, 1.05, 0.06, -0.23), (-26.37, 21.27, 2.79, 0.27, 1.80, -0.53)),
    "foot pitch": ((-36.33, 53.05, -5.28, -3.79, 0.31, -0.16, -0.63), (4.98, -6.02, -1.86, -1.90, 0.25, 0.23)),
    "shoulder flexion": ((-11.55, -14.20, -2.99, -0.31, -0.17, 0.10, -0.01), (17.43, 4.63, -0.46, -0.05, -0.33, 0.09)),
    "shoulder abduction": ((8.02, -1.05, 0.37, -0.44, -0.06, 0.01, -0.01), (0.81, -1.27, 1.13, 0.23, -0.19, 0.06)),
    "elbow": ((105.16, -4.67, 0.04, 0.04, 0.76, -0.13, -0.14), (9.03, -8.12, -0.12, -0.15, -0.32, 0.02)),
    "pelvis tilt": ((10.00, 0, -0.74, 0, 0.03, 0, 0.07), (0, -0.73, 0, 0.08, 0, 0.27)),
    "pelvis obliquity": ((0, -2.47, 0, -1.30, 0, -0.23, 0), (4.83, 0, 0.76, 0, 0.08, 0)),
    "pelvis rotation": ((0, -3.01, 0, -0.06, 0, 0.03, 0), (-1.99, 0, 0.06, 0, -0.44, 0)),
    "trunk lean": ((21.99, 0, -1.16, 0, 0.17, 0, 0.04), (0, 2.62, 0, 0.47, 0, 0.45)),
    "trunk sideways": ((0, 1.52, 0, 0.02, 0, -0.12, 0), (2.82, 0, 0.19, 0, 0.07, 0)),
    "shoulder rotation": ((0, -10.28, 0, 0.83, 0, -0.04, 0), (2.24, 0, -0.27, 0, 0.06, 0)),
    "up": ((0, 0, 0.0107, 0, -0.0001, 0, -0.0005), (0, -0.0359, 0, -0.0005, 0, -0.0007)),
    "right": ((0, -0.0061, 0, -0.0038, 0, -0.0003, 0), (0.0105, 0, 0.0016, 0, 0.0003, 0)),
    "ahead": ((0, 0, 0.0212, 0, -0.0003, 0, 0.0004), (0, -0.0058, 0, 0.0029, 0, 0.0004)),
}


def evaluate(series: Series, phase: Floats) -> Floats:
    """The value of a series at phases of any shape."""
    cosines, sines = series
    angle = 2 * np.pi * np.asarray(phase, dtype=float)
    total = np.full(angle.shape, float(cosines[0]))
    for k, (a, b) in enumerate(zip(cosines[1:], sines, strict=True), start=1):
        total += a * np.cos(k * angle) + b * np.sin(k * angle)
    return total


def swing_of(series: Series, phase: Floats) -> Floats:
    """The same without its mean: what moves."""
    return evaluate(series, phase) - series[0][0]
