"""A film as layers over time: what stays one layer, and where each of its points goes.

A list of drawings shows every frame and says nothing about what belongs together. A moving drawing holds the same film
by layers: sample i of a curve is the same point of it in every frame, so that writers can fit curves and key shapes to
the motion instead of storing every frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.morphing.canvas import Box, CanvasChange
from kinetune.contours.outlines import Complex, as_contour


class MovingCurve(NamedTuple):
    """A curve over time.

    points : (frames, n); sample i is the same point of the curve in every frame. A frame that is not-a-number is not
        drawn.
    """

    points: Complex
    closed: bool


@dataclass(frozen=True, eq=False)
class MovingLayer:
    """One layer over the frames of a film.

    curves : filled together by the even-odd rule. Layers that share one tuple of curves share its key shapes.
    paints : for each frame, the layer without its curves; anything in frames that do not show it.
    """

    curves: tuple[MovingCurve, ...]
    paints: tuple[Layer, ...]

    def layer(self, frame: int) -> Layer:
        """The layer as a frame shows it."""
        shown = (_contour(points[frame], closed) for points, closed in self.curves)
        return self.paints[frame].replace_contours(tuple(contour for contour in shown if contour is not None))

    def take(self, frames: Sequence[int]) -> MovingLayer:
        """The layer in some frames, in any order."""
        numbers = np.asarray(frames, dtype=int)
        curves = tuple(MovingCurve(points[numbers], closed) for points, closed in self.curves)
        return MovingLayer(curves, tuple(self.paints[frame] for frame in frames))


@dataclass(frozen=True, eq=False)
class MovingDrawing:
    """A film by layers.

    layers : in any order.
    orders : for each frame, the numbers of the layers that it shows, from back to front.
    boxes : for each frame, the part of the plane that is shown.
    """

    layers: tuple[MovingLayer, ...]
    orders: tuple[tuple[int, ...], ...]
    boxes: tuple[Box, ...]
    name: str = ""

    def __len__(self) -> int:
        return len(self.orders)

    def drawing(self, frame: int, name: str | None = None) -> Drawing:
        """One frame, with the name of the film or another."""
        shown = (self.layers[number].layer(frame) for number in self.orders[frame])
        return Drawing(tuple(shown), self.boxes[frame], self.name if name is None else name)

    def take(self, frames: Sequence[int]) -> MovingDrawing:
        """The film of some frames, in any order and as often as asked."""
        curves: dict[int, tuple[MovingCurve, ...]] = {}  # what shares its curves goes on sharing them
        layers = []
        for layer in self.layers:
            taken = layer.take(frames)
            layers.append(replace(taken, curves=curves.setdefault(id(layer.curves), taken.curves)))
        orders = tuple(self.orders[frame] for frame in frames)
        return MovingDrawing(tuple(layers), orders, tuple(self.boxes[frame] for frame in frames), self.name)

    def on_canvas(self, box: Box) -> MovingDrawing:
        """The film on one canvas, every frame fitted into the first one's box, which becomes the one given."""
        changes = [CanvasChange(self.boxes[0], each) for each in self.boxes]
        brought: dict[int, tuple[MovingCurve, ...]] = {}
        layers = []
        for layer in self.layers:
            if id(layer.curves) not in brought:
                brought[id(layer.curves)] = tuple(
                    MovingCurve(
                        np.array([change.bring_points(row) for change, row in zip(changes, points, strict=True)]), c
                    )
                    for points, c in layer.curves
                )
            paints = (change.bring_layer(paint) for change, paint in zip(changes, layer.paints, strict=True))
            layers.append(MovingLayer(brought[id(layer.curves)], tuple(paints)))
        return MovingDrawing(tuple(layers), self.orders, (box,) * len(self), self.name)


def join_films(films: Iterable[MovingDrawing]) -> MovingDrawing:
    """One film after the other; the layers of each are shown while it lasts."""
    parts = list(films)
    total = sum(len(part) for part in parts)
    layers: list[MovingLayer] = []
    orders: list[tuple[int, ...]] = []
    start = 0
    for part in parts:
        shift, curves = len(layers), {}
        orders += [tuple(shift + number for number in order) for order in part.orders]
        before, after = start, total - start - len(part)
        for layer in part.layers:
            if id(layer.curves) not in curves:
                curves[id(layer.curves)] = tuple(_padded(curve, before, after) for curve in layer.curves)
            paints = (layer.paints[0],) * before + layer.paints + (layer.paints[-1],) * after
            layers.append(MovingLayer(curves[id(layer.curves)], paints))
        start += len(part)
    boxes = tuple(box for part in parts for box in part.boxes)
    return MovingDrawing(tuple(layers), tuple(orders), boxes, parts[0].name)


def _padded(curve: MovingCurve, before: int, after: int) -> MovingCurve:
    nothing = np.full((before + after, curve.points.shape[1]), np.nan + 0j)
    return MovingCurve(np.concatenate([nothing[:before], curve.points, nothing[before:]]), curve.closed)


def link_frames(frames: Sequence[Drawing]) -> MovingDrawing:
    """Drawings as a moving drawing: layers of the same curves in successive frames are one layer.

    Curves are the same where they have as many points, and paints where they have the same kind, caps and joins. Of
    several candidates, the one whose points are nearest is taken. What has no match is a layer for one frame.
    """
    rows: list[list[Layer | None]] = []
    orders: list[tuple[int, ...]] = []
    open_rows: dict[tuple[object, ...], list[int]] = {}
    for number, frame in enumerate(frames):
        order, taken = [], set()
        current: dict[tuple[object, ...], list[int]] = {}
        for layer in frame.layers:
            kind = _kind(layer)
            free = [row for row in open_rows.get(kind, ()) if row not in taken]
            if free:
                row = min(free, key=lambda row: _apart(rows[row][-1], layer))
            else:
                row = len(rows)
                rows.append([None] * number)
            taken.add(row)
            rows[row].append(layer)
            order.append(row)
            current.setdefault(kind, []).append(row)
        for row in range(len(rows)):
            if row not in taken:
                rows[row].append(None)
        open_rows = current
        orders.append(tuple(order))
    layers = tuple(_linked(row) for row in rows)
    return MovingDrawing(layers, tuple(orders), tuple(frame.view_box for frame in frames), frames[0].name)


def _kind(layer: Layer) -> tuple[object, ...]:
    curves = tuple((len(contour), contour.closed) for contour in layer.contours)
    return curves, layer.fill is None, layer.stroke is None, layer.stroke_cap, layer.stroke_join


def _apart(one: Layer | None, other: Layer) -> float:
    assert one is not None
    return sum(float(np.abs(a.points - b.points).sum()) for a, b in zip(one.contours, other.contours, strict=True))


def _linked(row: list[Layer | None]) -> MovingLayer:
    shown = [layer for layer in row if layer is not None]
    curves = []
    for number, contour in enumerate(shown[0].contours):
        points = np.full((len(row), len(contour)), np.nan + 0j)
        for frame, layer in enumerate(row):
            if layer is not None:
                points[frame] = layer.contours[number].complex
        curves.append(MovingCurve(points, contour.closed))
    last, paints = shown[0], []
    for layer in row:
        last = layer or last
        paints.append(replace(last, contours=()))
    return MovingLayer(tuple(curves), tuple(paints))


def _contour(points: Complex, closed: bool) -> Contour | None:
    return None if np.isnan(points[0]) else as_contour(points, closed)
