"""Pins: points of two drawings that must become each other.

=============  ===============================================================
PinnedCurves   which curves the pins of a pair of layers lie on, and where
nearest_place  the point of a curve next to a point
=============  ===============================================================
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinetune.contours.matching.correspondence import Pins
from kinetune.contours.outlines import Outline
from kinetune.errors import ParameterError

PagePins = tuple[tuple[complex, complex], ...]
"""Points on curves of the first and the second drawing, both on the page of the first."""


def nearest_place(curve: Outline, point: complex) -> tuple[float, float]:
    """The share of a curve's length next to a point, and how far away that is."""
    start, step = curve.path[:-1], np.diff(curve.path)
    along = np.clip(((point - start) * np.conj(step)).real / np.maximum(np.abs(step) ** 2, 1e-300), 0.0, 1.0)
    gap = np.abs(start + along * step - point)
    k = int(np.argmin(gap))
    return float(curve.places[k] + along[k] * (curve.places[k + 1] - curve.places[k])), float(gap[k])


class PinnedCurves:
    """The pins of two layers, each found on the nearest curve of either."""

    def __init__(self, a: Sequence[Outline], b: Sequence[Outline], pins: PagePins) -> None:
        self._pins = pins
        self._curves = [(_nearest(a, on_a, "first"), _nearest(b, on_b, "second")) for on_a, on_b in pins]
        self._used: set[int] = set()

    def hold(self, curve: Outline) -> bool:
        """Whether a pin lies on a curve of the first layer."""
        return any(held is curve for held, _ in self._curves)

    def pairs(self, a: Sequence[Outline], b: Sequence[Outline]) -> list[tuple[int, int]]:
        """The pairs of curves of two lists that pins hold together."""
        numbers_a, numbers_b = ({id(curve): k for k, curve in enumerate(side)} for side in (a, b))
        found: dict[int, int] = {}
        for curve_a, curve_b in self._curves:
            if id(curve_a) in numbers_a and id(curve_b) in numbers_b:
                i, j = numbers_a[id(curve_a)], numbers_b[id(curve_b)]
                if found.setdefault(i, j) != j or list(found.values()).count(j) > 1:
                    raise ParameterError("Pins hold one curve to two others: all pins of a curve must lie on one.")
        return list(found.items())

    def shares(self, pair: tuple[Outline, Outline], as_filmed: tuple[Outline, Outline]) -> Pins:
        """Where the pins of a pair of curves lie on them, as they are filmed (one of them may have been cut open)."""
        found = []
        for number, (on_a, on_b) in enumerate(self._pins):
            curve_a, curve_b = self._curves[number]
            if curve_a is pair[0] and curve_b is pair[1]:
                self._used.add(number)
                found.append((nearest_place(as_filmed[0], on_a)[0], nearest_place(as_filmed[1], on_b)[0]))
        return tuple(found)

    def check_used(self) -> None:
        """Say which pin lies on curves that did not become each other."""
        for number, (on_a, on_b) in enumerate(self._pins):
            if number not in self._used:
                raise ParameterError(
                    f"The pin ({on_a.real:g}, {on_a.imag:g}) to ({on_b.real:g}, {on_b.imag:g}) holds an outline to a "
                    "hole, or to a curve in another outline: such curves do not become each other."
                )


def _nearest(curves: Sequence[Outline], point: complex, side: str) -> Outline:
    if not curves:
        raise ParameterError(f"The {side} drawing has no curve for the pin at ({point.real:g}, {point.imag:g}).")
    return min(curves, key=lambda curve: nearest_place(curve, point)[1])
