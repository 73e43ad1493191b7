"""The order in which the layers of a film are painted, and how a layer gets from one position in it to another.

============  ===========================================================================
Strand        what is painted together over time, and where it lies in either drawing
stack_layers  strands as moving layers, with the order of painting of every frame
merged_order  the order of painting of one drawing, with the layers of the other put in
============  ===========================================================================

Notes
-----
The order of the slots never changes. A layer that only one drawing has lies where it does there. One that lies
elsewhere in the second drawing than in the first has a slot in either position and is shown in one of them: it changes
at the time when it overlaps least with the layers that it passes, at once where it overlaps with none, and otherwise by
fading while the lower copy stays opaque.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinetune.contours.drawing import Layer
from kinetune.contours.matching.curve_pairing import Pairs
from kinetune.contours.matching.drawing_parts import polygon, stroke_region
from kinetune.contours.moving_drawing import MovingCurve, MovingLayer
from kinetune.contours.outlines import Complex
from kinetune.rotations import Floats

_GRID = np.linspace(0.0, 1.0, 25)[1:-1]  # the times at which overlaps are compared, for any frames
_FADE = 0.125  # of the film: how long before and after it overlaps least a layer that overlaps changes its position
_MIDDLE = 0.002  # of the canvas: what it costs to change at the beginning or the end of the film


@dataclass(eq=False)
class Strand:
    """What is painted together over time, before it has its slots.

    a, b : its position from back to front in either drawing; None where that does not have it.
    curves : over all frames; the first is the outline.
    keys : the outline in both drawings (n,), on one canvas, and whether it is closed; for overlaps.
    seen : opacity (frames,).
    """

    a: int | None
    b: int | None
    curves: tuple[MovingCurve, ...]
    paints: tuple[Layer, ...]
    seen: Floats
    keys: tuple[Complex, Complex, bool]

    def region(self, t: float) -> Any:
        """About what it covers at a time."""
        one, other, closed = self.keys
        z = one if self.b is None else other if self.a is None else (1.0 - t) * one + t * other
        paint = self.paints[0 if t < 0.5 else -1]
        return polygon(z) if closed and paint.fill is not None else stroke_region(z, max(paint.stroke_width, 1e-9))


def stack_layers(
    strands: Sequence[Strand], times: Floats, area: float, twins: Sequence[tuple[int, int]] = ()
) -> tuple[tuple[MovingLayer, ...], tuple[tuple[int, ...], ...]]:
    """The strands as layers from back to front, and for each frame the numbers of the layers that it shows.

    Parameters
    ----------
    times : (frames,) from 0 to 1.
    area : of the canvas.
    twins : numbers of strands that change their position at the same time.
    """
    pairs: Pairs = [(strand.a, strand.b) for strand in strands]
    stack = _slots(pairs)
    position = {entry: k for k, entry in enumerate(stack)}
    ranks = [
        tuple(position.get((number, when), position.get((number, None), -1)) for when in (0, 1))
        for number in range(len(strands))
    ]

    def passes(one: int, other: int) -> bool:
        return (ranks[one][0] < ranks[other][0]) != (ranks[one][1] < ranks[other][1])

    twice = sorted({number for number, when in stack if when is not None})
    changes = {number: _change(strands, number, passes, area) for number in twice}
    for one, other in twins:
        if one in changes and other in changes:
            changes[one] = changes[other] = max(changes[one], changes[other], key=lambda span: span[1] - span[0])
    layers, seen = [], []
    for number, when in stack:
        strand = strands[number]
        share = strand.seen
        if when is not None:
            share = share * _shown(times, changes[number], when, position[number, 1] > position[number, 0])
        drawn = np.any([~np.isnan(points[:, 0]) for points, _ in strand.curves], axis=0)
        layers.append(MovingLayer(strand.curves, _faded(strand.paints, share)))
        seen.append(drawn & (share > 0.0))
    orders = [tuple(np.flatnonzero(row).tolist()) for row in np.array(seen).reshape(len(layers), len(times)).T]
    return tuple(layers), tuple(orders)


def _faded(paints: tuple[Layer, ...], shares: Floats) -> tuple[Layer, ...]:
    if np.all(shares == 1.0):
        return paints
    return tuple(
        replace(paint, fill_opacity=share * paint.fill_opacity, stroke_opacity=share * paint.stroke_opacity)
        for paint, share in zip(paints, shares.tolist(), strict=True)
    )


def _slots(pairs: Pairs) -> list[tuple[int, int | None]]:
    """(strand, None) for those with one slot; (strand, 0) and (strand, 1) for the early and late slot of the others.

    What only one drawing has lies as it does there. Of the others, as many as possible have one slot.
    """
    early, late = merged_order(pairs, 0), merged_order(pairs, 1)
    both = [number for number in early if None not in pairs[number]]
    rank = {number: k for k, number in enumerate(late)}
    backbone = _longest_rise(both, rank)
    gaps: list[list[tuple[int, int | None]]] = [[] for _ in range(len(backbone) + 1)]
    for when, order in enumerate((early, late)):
        gap = 0
        for number in order:
            if number in backbone:
                gap += 1
            elif None not in pairs[number]:
                gaps[gap].append((number, when))
            elif pairs[number][when] is not None:
                gaps[gap].append((number, None))
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
    if not overlaps[np.abs(_GRID - at) <= _FADE].any():
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
