"""Slots of layers: a place in one fixed order for everything, although the layers of a film change places.

Files have one order of layers. A layer that another passes gets two slots in it, one below and one above, and is shown
in one of them at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinetune.contours.drawing import Layer
from kinetune.contours.gradients import Gradient
from kinetune.contours.moving_drawing import MovingDrawing

_Label = tuple[object, ...]


class Slot(NamedTuple):
    """A layer that is shown from frame ``start`` to just before frame ``stop``, at one place in the order."""

    layer: int
    start: int
    stop: int


def layer_slots(film: MovingDrawing) -> list[Slot]:
    """The slots of a film from back to front; as few layers as possible get more than one at a time."""
    labels: list[_Label] = []
    shown: list[np.ndarray] = []
    places: list[int] = []
    before: list[_Label] | None = None
    for frame, order in enumerate(film.orders):
        ordered = [_label(film.layers[number].paints[frame], number) for number in order]
        if ordered != before:
            places = _common(labels, ordered, [bool(frame) and bool(row[frame - 1]) for row in shown])
            for index, label in enumerate(ordered):
                if places[index] < 0:
                    here = places[index - 1] + 1 if index else 0
                    labels.insert(here, label)
                    shown.insert(here, np.zeros(len(film), dtype=bool))
                    places = [place + (place >= here) for place in places]
                    places[index] = here
            before = ordered
        for place in places:
            shown[place][frame] = True
    slots = []
    for label, row in zip(labels, shown, strict=True):
        layer = int(label[0])  # type: ignore[call-overload]
        for start, stop in _runs(row & _visible(film.layers[layer].paints, row)):
            slots.append(Slot(layer, start, stop))
    return slots


def _label(paint: Layer, number: int) -> _Label:
    """What cannot change within a slot: the layer, the kind of its gradients, and how its stroke ends and turns."""
    stroke = (paint.stroke_cap, paint.stroke_join, paint.stroke_miter_limit) if paint.stroke is not None else ()
    return number, stroke, _kind(paint.fill_gradient), _kind(paint.stroke_gradient)


def _kind(gradient: Gradient | None) -> tuple[str, str] | None:
    return None if gradient is None else (gradient.kind, gradient.spread)


def _common(slots: Sequence[_Label], labels: Sequence[_Label], lit: Sequence[bool]) -> list[int]:
    """For each label the slot that it may take, or -1: the longest run common to both, slots in use preferred."""
    n, m = len(slots), len(labels)
    best = np.zeros((n + 1, m + 1))
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            best[i, j] = max(best[i + 1, j], best[i, j + 1])
            if slots[i] == labels[j]:
                best[i, j] = max(best[i, j], best[i + 1, j + 1] + (1.0 if lit[i] else 0.999))
    places, i, j = [-1] * m, 0, 0
    while i < n and j < m:
        if slots[i] == labels[j] and best[i, j] == best[i + 1, j + 1] + (1.0 if lit[i] else 0.999):
            places[j] = i
            i, j = i + 1, j + 1
        elif best[i, j] == best[i + 1, j]:
            i += 1
        else:
            j += 1
    return places


def _visible(paints: Sequence[Layer], row: np.ndarray) -> np.ndarray:
    """In which frames, or on the way from them to the next, anything of the layer can be seen."""
    seen = np.array(
        [
            (paint.fill is not None and paint.fill_opacity > 0.0)
            or (paint.stroke is not None and paint.stroke_opacity > 0.0 and paint.stroke_width > 0.0)
            for paint in paints
        ]
    )
    visible: np.ndarray = seen | (np.append(seen[1:], False) & np.append(row[1:], False))
    return visible


def _runs(row: np.ndarray) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], row, [False]]).astype(int)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
