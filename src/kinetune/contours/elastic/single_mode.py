r"""One mode of a damped curve, solved exactly: rho q'' + (s1 rho + s2 lambda) q' + lambda q = 0.

Notes
-----
[chuang] Equation 3.16, whose roots are those of :math:`\rho r^2 + (s_1 \rho + s_2 k) r + k = 0`, with the double root
that the paper leaves out. With :math:`a = (s_1 \rho + s_2 \lambda) / 2 \rho`, :math:`\omega^2 = \lambda / \rho` and
:math:`D = a^2 - \omega^2`: below 0 the mode swings, above it creeps. The slow root is taken as
:math:`-\omega^2 / (a + \sqrt D)`: as :math:`-a + \sqrt D` it would lose all digits for stiff modes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinetune.contours.elastic.materials import Material
from kinetune.rotations import Floats


class ModeStep(NamedTuple):
    """How modes at one time follow from those at time 0: q = stay q0 + push v0, v = pull q0 + keep v0."""

    stay: Floats
    push: Floats
    pull: Floats
    keep: Floats


def step_modes(stiffness: Floats, material: Material, time: float) -> ModeStep:
    """The exact solution for modes of given stiffness, (n,), after a time in seconds."""
    even, odd, a, square = _parts(stiffness, material, time)
    return ModeStep(even + a * odd, odd, -square * odd, even - a * odd)


def release(stiffness: Floats, material: Material, time: float) -> Floats:
    """What is left of displacements that were let go at rest: the ``stay`` of :func:`step_modes` alone."""
    even, odd, a, _ = _parts(stiffness, material, time)
    odd *= a
    odd += even
    return odd


def _parts(stiffness: Floats, material: Material, time: float) -> tuple[Floats, Floats, Floats, Floats]:
    """exp(-a t) cos(w t) and exp(-a t) sin(w t) / w with w^2 = -D, or their hyperbolic twins; a; lambda / rho."""
    square = stiffness / material.rho
    a = 0.5 * (material.s1 + material.s2 * square)
    gap = a * a - square
    even, odd = np.empty_like(a), np.empty_like(a)
    for chosen, solve in ((gap < 0, _swinging), (gap >= 0, _creeping)):
        where = _slice_of(chosen)
        even[where], odd[where] = solve(a[where], square[where], np.sqrt(np.abs(gap[where])), time)
    return even, odd, a, square


def _slice_of(chosen: np.ndarray) -> slice | np.ndarray:
    """A mask as a slice where it is one run: modes come sorted, and a slice copies nothing."""
    edges = np.flatnonzero(np.diff(chosen))
    if len(edges) == 0:
        return slice(0, len(chosen) if len(chosen) and chosen[0] else 0)
    if len(edges) == 1:
        return slice(0, int(edges[0]) + 1) if chosen[0] else slice(int(edges[0]) + 1, len(chosen))
    return chosen


def _swinging(a: Floats, square: Floats, w: Floats, time: float) -> tuple[Floats, Floats]:
    fade = np.exp(-a * time)
    return fade * np.cos(w * time), fade * np.sin(w * time) / w


def _creeping(a: Floats, square: Floats, root: Floats, time: float) -> tuple[Floats, Floats]:
    fast = a + root
    slow = square / np.where(fast > 0, fast, 1.0)
    late, spread = np.exp(-slow * time), np.expm1(-2.0 * root * time)  # spread: exp(-fast t) / exp(-slow t) - 1
    even = late * (1.0 + 0.5 * spread)
    # (exp(-slow t) - exp(-fast t)) / 2 root; for a double root, its limit t exp(-a t).
    double = root == 0
    odd = late * np.where(double, time, -0.5 * spread / np.where(double, 1.0, root))
    return even, odd
