"""Which curve of one layer becomes which curve of another: alike in position and size, pins respected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinetune.contours.matching.correspondence import Pins
from kinetune.contours.matching.outline_alignment import align
from kinetune.contours.outlines import Outline
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

Pairs = list[tuple[int | None, int | None]]
"""Indices of partners; None beside one that is left over."""

_SIZE = 0.25  # what a factor e in size costs, in widths of the frame
_LEVEL = 0.06  # of the frame: by which mirror twins may differ in height, size and distance from the middle
_MOST_TWINS = 60  # curves among which twins and equals are looked for
_SAME, _SAME_SIZE, _UPRIGHT = 0.97, 0.3, 0.3  # score, log of the ratio of sizes and rotation of curves that are one
_LARGEST = 1_000_000  # pairs that are compared one by one; more are paired by size


@dataclass(frozen=True)
class Frame:
    """Where and how large things are, so that two drawings of different size can be compared."""

    centre: complex
    size: float

    @classmethod
    def around(cls, outlines: Sequence[Outline]) -> Frame:
        """The box around curves; (0, 1) around none."""
        if not outlines:
            return cls(0j, 1.0)
        z = np.concatenate([outline.points for outline in outlines])
        low, high = complex(z.real.min(), z.imag.min()), complex(z.real.max(), z.imag.max())
        return cls(0.5 * (low + high), max(abs(high - low), 1e-300))

    def seen(self, outlines: Sequence[Outline]) -> tuple[np.ndarray, Floats]:
        """Centres (n,) and sizes (n,) in units of the frame."""
        centres = np.array([outline.centre for outline in outlines], dtype=complex)
        return (centres - self.centre) / self.size, np.array([o.size for o in outlines]) / self.size


def pair_up(
    a: Sequence[Outline],
    b: Sequence[Outline],
    frame_a: Frame,
    frame_b: Frame,
    fixed: Sequence[tuple[int, int]] = (),
    most: float = np.inf,
) -> Pairs:
    """Pair curves of two lists so that partners are alike in position and size.

    Parameters
    ----------
    fixed : pairs that are decided.
    most : how unlike partners may be, in widths of the frame; curves that are more unlike are left over.

    Returns
    -------
    Pairs
        Every curve of either list once, in the order of a; those of b that are left over come last.
    """
    taken_a, taken_b = {i for i, _ in fixed}, {j for _, j in fixed}
    free_a = [i for i in range(len(a)) if i not in taken_a]
    free_b = [j for j in range(len(b)) if j not in taken_b]
    partner: dict[int, int] = dict(fixed)
    if free_a and free_b:
        for i, j in _cheapest([a[i] for i in free_a], [b[j] for j in free_b], frame_a, frame_b, most):
            partner[free_a[i]] = free_b[j]
    used = set(partner.values())
    pairs: Pairs = [(i, partner.get(i)) for i in range(len(a))]
    return pairs + [(None, j) for j in range(len(b)) if j not in used]


def same_shapes(a: Sequence[Outline], b: Sequence[Outline]) -> list[tuple[int, int]]:
    """Pairs of curves of one form and size that resemble no other curve: the F of F8 is the F alone, not half of it."""
    if not (a and b and 1 < max(len(a), len(b)) <= _MOST_TWINS):
        return []
    same = np.array([[_same(one, other) for other in b] for one in a], dtype=bool).reshape(len(a), len(b))
    alone = same & (same.sum(axis=0) == 1) & (same.sum(axis=1) == 1)[:, None]
    return [(int(i), int(j)) for i, j in np.argwhere(alone)]


def _same(one: Outline, other: Outline) -> bool:
    if one.closed != other.closed or abs(np.log(one.size / other.size)) > _SAME_SIZE:
        return False
    best = align(one, other, 1)[0]
    return best.score > _SAME and abs(np.angle(np.exp(1j * best.rotation))) < _UPRIGHT


def without_half_twins(pairs: Pairs, a: Sequence[Outline], b: Sequence[Outline]) -> Pairs:
    """Pairs, taken apart where one of two mirror twins would change and the other has no partner: eyes go together."""
    twins = [_mirror_twins(side) for side in (a, b)]
    partners = [{pair[k]: pair[1 - k] for pair in pairs if None not in pair} for k in (0, 1)]

    def halved(side: int, number: int, other: int) -> bool:
        twin = twins[side].get(number)
        return twin is not None and twin not in partners[side] and other not in twins[1 - side]

    without: Pairs = []
    for i, j in pairs:
        if i is not None and j is not None and (halved(0, i, j) or halved(1, j, i)):
            without += [(i, None), (None, j)]
        else:
            without.append((i, j))
    return without


def _mirror_twins(outlines: Sequence[Outline]) -> dict[int, int]:
    """Curves side by side, of one size at one height, on either side of the middle of all."""
    if not 2 <= len(outlines) <= _MOST_TWINS:
        return {}
    frame = Frame.around(outlines)
    centres, sizes = frame.seen(outlines)
    twins: dict[int, int] = {}
    for i in range(len(outlines)):
        for j in range(i):
            apart = centres[i] - centres[j]
            level = abs(apart.imag) < _LEVEL and abs(apart.real) > sizes[i] + _LEVEL
            about_axis = abs((centres[i] + centres[j]).real) < 2 * _LEVEL
            alike = abs(np.log(sizes[i] / sizes[j])) < _LEVEL
            if level and about_axis and alike and not {i, j} & twins.keys():
                twins[i], twins[j] = j, i
    return twins


def _cheapest(
    a: Sequence[Outline], b: Sequence[Outline], frame_a: Frame, frame_b: Frame, most: float
) -> list[tuple[int, int]]:
    if len(a) * len(b) > _LARGEST:
        by_size = [np.argsort([-outline.size for outline in side], kind="stable").tolist() for side in (a, b)]
        return list(zip(*by_size, strict=False))
    from scipy.optimize import linear_sum_assignment

    (at_a, size_a), (at_b, size_b) = frame_a.seen(a), frame_b.seen(b)
    cost = np.abs(at_a[:, None] - at_b) + _SIZE * np.abs(np.log(size_a[:, None] / size_b))
    rows, columns = linear_sum_assignment(np.minimum(cost, 1.5 * most))
    return [(i, j) for i, j in zip(rows.tolist(), columns.tolist(), strict=True) if cost[i, j] <= most]


DrawingPins = tuple[tuple[complex, complex], ...]
"""Points on curves of the first and the second drawing, both on the canvas of the first."""


def nearest_share(curve: Outline, point: complex) -> tuple[float, float]:
    """The share of a curve's length next to a point, and how far away that is."""
    start, step = curve.path[:-1], np.diff(curve.path)
    along = np.clip(((point - start) * np.conj(step)).real / np.maximum(np.abs(step) ** 2, 1e-300), 0.0, 1.0)
    gap = np.abs(start + along * step - point)
    k = int(np.argmin(gap))
    return float(curve.shares[k] + along[k] * (curve.shares[k + 1] - curve.shares[k])), float(gap[k])


class PinnedCurves:
    """The pins of two layers, each found on the nearest curve of either."""

    def __init__(self, a: Sequence[Outline], b: Sequence[Outline], pins: DrawingPins) -> None:
        self._pins = pins
        self._curves = [(_nearest(a, on_a, "first"), _nearest(b, on_b, "second")) for on_a, on_b in pins]
        self._used: set[int] = set()

    def hold(self, curve: Outline) -> bool:
        """Whether a pin lies on a curve of the first layer."""
        return any(held is curve for held, _ in self._curves)

    def pairs(self, a: Sequence[Outline], b: Sequence[Outline]) -> list[tuple[int, int]]:
        """The pairs of curves of two lists that pins hold together."""
        numbers_a, numbers_b = ({id(curve): k for k, curve in enumerate(side)} for side in (a, b))
        partner: dict[int, int] = {}
        for curve_a, curve_b in self._curves:
            if id(curve_a) in numbers_a and id(curve_b) in numbers_b:
                i, j = numbers_a[id(curve_a)], numbers_b[id(curve_b)]
                if partner.setdefault(i, j) != j or list(partner.values()).count(j) > 1:
                    raise ParameterError("Pins hold one curve to two others: all pins of a curve must lie on one.")
        return list(partner.items())

    def shares(self, pair: tuple[Outline, Outline], as_filmed: tuple[Outline, Outline]) -> Pins:
        """Where the pins of a pair of curves lie on them, as they are filmed (one of them may have been cut open)."""
        pins = []
        for number, (on_a, on_b) in enumerate(self._pins):
            curve_a, curve_b = self._curves[number]
            if curve_a is pair[0] and curve_b is pair[1]:
                self._used.add(number)
                pins.append((nearest_share(as_filmed[0], on_a)[0], nearest_share(as_filmed[1], on_b)[0]))
        return tuple(pins)

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
    return min(curves, key=lambda curve: nearest_share(curve, point)[1])
