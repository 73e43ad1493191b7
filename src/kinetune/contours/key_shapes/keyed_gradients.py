"""Gradients over time: one kind and as many stops in all frames, placement and colours with keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from kinetune.contours.gradients import Gradient
from kinetune.contours.key_shapes.key_times import KeyedValues, keyed_values
from kinetune.rotations import Floats

_PLACE = 0.002  # of the page: how far the placement may be off
_COLOUR = 0.012  # the same of colours, of 1
_SAME = 0.003  # of 1, less than a step of 8 bits: colours this near are one
_BESIDE = 1e-4  # what lies between two stops at one offset


@dataclass(frozen=True, eq=False)
class KeyedGradient:
    """A gradient whose placement and colours run straight from key to key.

    offsets : (stops,).
    colours : (keys, 4 stops): red, green, blue and opacity of each stop.
    place : of a linear gradient x and y of both ends; of a radial one x and y of its centre, the radius, x and y of its
        focus, in a space that ``shape`` (2, 2) turns into that of the file: circles there are ellipses here.
    """

    kind: Literal["linear", "radial"]
    spread: str
    offsets: Floats
    colours: KeyedValues
    place: KeyedValues
    shape: Floats

    def moved(self, by: complex) -> KeyedGradient:
        """The gradient shifted in the file."""
        step = np.array([by.real, by.imag])
        if self.kind == "radial":
            step = np.linalg.solve(self.shape, step)
        points = [0, 1, 2, 3] if self.kind == "linear" else [0, 1, 3, 4]
        places = self.place.values.copy()
        places[:, points] += np.tile(step, 2)
        return replace(self, place=self.place.changed(places))


def key_gradient(
    gradients: Sequence[Gradient | None],
    colours: Floats,
    start: int,
    page: float,
    file_from_drawing: tuple[complex, float],
) -> KeyedGradient | None:
    """The keys of a gradient over some frames; None where there is none.

    Parameters
    ----------
    gradients : of each frame; where there is none, the plain colour spreads over the nearest one.
    colours : (frames, 3), the plain colour in each frame.
    file_from_drawing : the origin of the file in the drawing, and how long its unit is.
    """
    middle = next((gradient for gradient in gradients if gradient is not None), None)
    if middle is None:
        return None
    there = np.flatnonzero([each is not None and _kind(each) == _kind(middle) for each in gradients])
    nearest = there[np.argmin(np.abs(np.arange(len(gradients))[:, None] - there), axis=1)]
    shown = [gradients[k] for k in nearest.tolist()]
    whole = [gradient for gradient in shown if gradient is not None]
    offsets = _offsets(whole)
    rows = np.array([_along(gradient, offsets) for gradient in whole])
    for k, gradient in enumerate(gradients):
        if gradient is None:
            rows[k, :, :3], rows[k, :, 3] = colours[k], 1.0
    needed = _needed_stops(offsets, rows)
    offsets, rows = offsets[needed], rows[:, needed]
    middle = whole[len(whole) // 2]
    shape = np.eye(2) if middle.kind == "linear" else np.array(middle.matrix[:4]).reshape(2, 2).T
    shape = shape / np.sqrt(max(abs(np.linalg.det(shape)), 1e-300))
    origin, scale = file_from_drawing
    places = np.array([_place(gradient, shape, origin, scale) for gradient in whole])
    return KeyedGradient(
        middle.kind,
        middle.spread,
        offsets,
        keyed_values(rows.reshape(len(rows), -1), _COLOUR, start),
        keyed_values(places, _PLACE * page, start),
        shape,
    )


def _kind(gradient: Gradient) -> tuple[str, str]:
    """What a gradient cannot change on the way."""
    return gradient.kind, gradient.spread


def _offsets(gradients: Sequence[Gradient]) -> Floats:
    """The offsets of all stops; two of them, side by side, where the colour jumps."""
    offsets: set[float] = set()
    for gradient in gradients:
        at = [stop[0] for stop in gradient.stops]
        for offset in set(at):
            jump = at.count(offset) > 1
            offsets |= {max(offset - _BESIDE, 0.0), min(offset + _BESIDE, 1.0)} if jump else {offset}
    return np.array(sorted(offsets))


def _needed_stops(offsets: Floats, rows: Floats) -> list[int]:
    """The stops (of frames, stops, 4) without those that never show: what is left runs through their colours, too."""
    needed = list(range(len(offsets)))
    for k in range(len(offsets)):
        before, after = [j for j in needed if j < k], [j for j in needed if j > k]
        if len(needed) <= 2:
            break
        if before and after:
            share = (offsets[k] - offsets[before[-1]]) / max(offsets[after[0]] - offsets[before[-1]], 1e-300)
            without = (1.0 - share) * rows[:, before[-1]] + share * rows[:, after[0]]
        else:
            without = rows[:, after[0] if after else before[-1]]
        if np.abs(without - rows[:, k]).max() < _SAME:
            needed.remove(k)
    return needed


def _along(gradient: Gradient, offsets: Floats) -> Floats:
    """Colours (stops, 4) at offsets."""
    unit = replace(gradient, kind="linear", matrix=(1.0, 0.0, 0.0, 1.0, 0.0, 0.0), spread="pad")
    return unit.colours_at(np.stack([offsets, np.zeros(len(offsets))], axis=-1))


def _place(gradient: Gradient, shape: Floats, origin: complex, scale: float) -> list[float]:
    a, b, c, d, e, f = gradient.matrix
    x, y = scale * (e - origin.real), scale * (f - origin.imag)
    if gradient.kind == "linear":
        return [x, y, x + scale * a, y + scale * b]
    linear = scale * np.array([[a, c], [b, d]])
    radius = float(np.sqrt(abs(np.linalg.det(linear))))
    focus = linear @ np.array(gradient.focus)
    inner = np.linalg.solve(shape, np.array([[x, x + focus[0]], [y, y + focus[1]]]))
    return [float(inner[0, 0]), float(inner[1, 0]), radius, float(inner[0, 1]), float(inner[1, 1])]
