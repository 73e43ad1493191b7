"""A film as slots from back to front, each with its curves and paint over all frames.

============  ===========================================================================
FilmStack     all slots of a film; any frame of it as a drawing
FilmSlot      one layer over all frames: curves of one topology, paint, opacity
Strand        a layer before it has its slots: where it lies in the stack of either drawing
stack_slots   strands as slots; one that changes its position gets two slots
merged_order  the order of painting of one drawing, with the layers of the other put in
============  ===========================================================================

Notes
-----
The order of the slots never changes. A layer that lies elsewhere in the second drawing than in the first has a slot in
either position and is shown in one of them: it changes at the time when it overlaps least with the layers that it
passes, at once where it overlaps with none, and otherwise by fading while the lower copy stays opaque.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinetune.contours.drawing import Drawing, Layer
from kinetune.contours.matching.curve_pairing import Pairs
from kinetune.contours.matching.drawing_parts import polygon, stroke_region
from kinetune.contours.morphing.canvas import Box
from kinetune.contours.outlines import Complex, as_contour
from kinetune.rotations import Floats

_GRID = np.linspace(0.0, 1.0, 25)[1:-1]  # the times at which overlaps are compared, for any frames
_FADE = 0.125  # of the film: how long before and after it overlaps least a layer that overlaps changes its position
_CLEAR = 5e-4  # of the canvas: overlaps that are smaller do not show
_MIDDLE = 0.002  # of the canvas: what it costs to change at the beginning or the end of the film


@dataclass(frozen=True, eq=False)
class FilmSlot:
    """One layer of a film over all of its frames.

    Attributes
    ----------
    curves : tuple of (array, shape (frames, n), bool)
        Complex points x + iy, sample i the same point of the outline in every frame, and whether the curve is closed.
        A row of not-a-numbers is a frame in which the curve is not drawn.
    paints : tuple of Layer
        For each frame the fill, the stroke, its width and the opacities of both, without curves.
    opacity : array, shape (frames,)
        0 to 1, by which both opacities are multiplied. Where it is 0, the slot is not shown.
    """

    curves: tuple[tuple[Complex, bool], ...]
    paints: tuple[Layer, ...]
    opacity: Floats

    def layer(self, k: int) -> Layer | None:
        """The layer in frame k; None where nothing is shown."""
        share = float(self.opacity[k])
        contours = tuple(as_contour(z[k], closed) for z, closed in self.curves if not np.isnan(z[k, 0]))
        if share <= 0.0 or not contours:
            return None
        paint = self.paints[k]
        return replace(
            paint,
            contours=contours,
            fill_opacity=share * paint.fill_opacity,
            stroke_opacity=share * paint.stroke_opacity,
        )


@dataclass(frozen=True, eq=False)
class FilmStack:
    """A film as slots from back to front, whose order never changes.

    Attributes
    ----------
    slots : tuple of FilmSlot
        From back to front. All have the same number of frames.
    boxes : tuple of (left, top, width, height)
        The canvas of each frame, on which its curves lie.
    names : tuple of str
        Of the drawing in each frame.
    """

    slots: tuple[FilmSlot, ...]
    boxes: tuple[Box, ...]
    names: tuple[str, ...]

    def drawing(self, k: int) -> Drawing:
        """Frame k as a drawing."""
        layers = [slot.layer(k) for slot in self.slots]
        return Drawing(tuple(layer for layer in layers if layer is not None), self.boxes[k], self.names[k])


@dataclass(eq=False)
class Strand:
    """What is painted together over time, before it has its slots.

    a, b : its position from back to front in either drawing; None where that does not have it.
    curves : over all frames, as in :class:`FilmSlot`; the first is the outline.
    keys : the outline in both drawings (n,), on one canvas, and whether it is closed; for overlaps.
    seen : opacity (frames,).
    """

    a: int | None
    b: int | None
    curves: tuple[tuple[Complex, bool], ...]
    paints: tuple[Layer, ...]
    seen: Floats
    keys: tuple[Complex, Complex, bool]

    def region(self, t: float) -> Any:
        """About what it covers at a time."""
        one, other, closed = self.keys
        z = one if self.b is None else other if self.a is None else (1.0 - t) * one + t * other
        paint = self.paints[0 if t < 0.5 else -1]
        return polygon(z) if closed and paint.fill is not None else stroke_region(z, max(paint.stroke_width, 1e-9))


def stack_slots(
    strands: Sequence[Strand], times: Floats, area: float, twins: Sequence[tuple[int, int]] = ()
) -> tuple[FilmSlot, ...]:
    """The slots of all strands from back to front.

    Parameters
    ----------
    times : (frames,) from 0 to 1.
    area : of the canvas.
    twins : numbers of strands that change their position at the same time.
    """
    pairs: Pairs = [(strand.a, strand.b) for strand in strands]
    early, late = merged_order(pairs, 0), merged_order(pairs, 1)
    rank_early, rank_late = ({number: k for k, number in enumerate(order)} for order in (early, late))
    steady = set(_longest_rise(early, rank_late))

    def passes(one: int, other: int) -> bool:
        return (rank_early[one] < rank_early[other]) != (rank_late[one] < rank_late[other])

    changes = {number: _change(strands, number, passes, area) for number in early if number not in steady}
    for one, other in twins:
        if one in changes and other in changes:
            changes[one] = changes[other] = max(changes[one], changes[other], key=lambda span: span[1] - span[0])
    backbone = [number for number in early if number in steady]
    stack = _with_two_slots(backbone, early, late)
    position = {entry: k for k, entry in enumerate(stack)}
    slots = []
    for number, when in stack:
        strand = strands[number]
        share: Floats = np.ones(len(times))
        if when is not None:
            rises = position[number, 1] > position[number, 0]
            share = _shown(times, changes[number], when, rises)
        slots.append(FilmSlot(strand.curves, strand.paints, strand.seen * share))
    return tuple(slots)


def _with_two_slots(backbone: Sequence[int], early: Sequence[int], late: Sequence[int]) -> list[tuple[int, int | None]]:
    """(strand, None) for those that stay; (strand, 0) and (strand, 1) for the early and late slot of the others."""
    gaps: list[list[tuple[int, int | None]]] = [[] for _ in range(len(backbone) + 1)]
    for when, order in enumerate((early, late)):
        gap = 0
        for number in order:
            if number in backbone:
                gap += 1
            else:
                gaps[gap].append((number, when))
    stack = list(gaps[0])
    for number, gap_above in zip(backbone, gaps[1:], strict=True):
        stack += [(number, None), *gap_above]
    return stack


def _change(
    strands: Sequence[Strand], number: int, passes: Callable[[int, int], bool], area: float
) -> tuple[float, float]:
    """When a strand changes its position: first and last time, equal where it overlaps with nothing that it passes."""
    passed = [other for other in range(len(strands)) if passes(number, other)]
    overlaps = np.zeros(len(_GRID))
    for k, t in enumerate(_GRID.tolist()):
        region = strands[number].region(t)
        overlaps[k] = sum(region.intersection(strands[other].region(t)).area for other in passed)
    best = int(np.argmin(overlaps / area + _MIDDLE * np.abs(_GRID - 0.5)))
    at = float(_GRID[best])
    if overlaps[best] < _CLEAR * area:
        return at, at
    return max(at - _FADE, 0.02), min(at + _FADE, 0.98)


def _shown(times: Floats, span: tuple[float, float], when: int, rises: bool) -> Floats:
    """How much of a strand is seen in its early (0) or late (1) slot: the upper copy fades, the lower stays opaque."""
    first, last = span
    if first == last:
        after = (times >= first).astype(float)
        return after if when == 1 else 1.0 - after
    ramp = np.clip((times - first) / (last - first), 0.0, 1.0)
    if when == 1:
        return ramp if rises else (times > first).astype(float)
    return (times < last).astype(float) if rises else 1.0 - ramp


def _longest_rise(order: Sequence[int], rank: dict[int, int]) -> list[int]:
    """The longest run of an order that rises in another: what need not change its position."""
    best: list[list[int]] = []
    for k, number in enumerate(order):
        before = max((best[j] for j in range(k) if rank[order[j]] < rank[number]), key=len, default=[])
        best.append([*before, number])
    return max(best, key=len, default=[])


def merged_order(pairs: Pairs, side: int) -> list[int]:
    """Numbers of pairs from back to front, as the drawing of one side (0 the first, 1 the second) stacks them.

    A layer that this drawing does not have comes right above the one that is below it in the other drawing.
    """
    here = {pair[side]: number for number, pair in reversed(list(enumerate(pairs))) if pair[side] is not None}
    there = sorted((pair[1 - side], number) for number, pair in enumerate(pairs) if pair[1 - side] is not None)
    order = [here[index] for index in sorted(here, key=lambda index: -1 if index is None else index)]
    below: int | None = None
    for _, number in there:
        if number not in order:
            order.insert(0 if below is None else order.index(below) + 1, number)
        below = number
    return order
