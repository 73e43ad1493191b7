"""Drawings to Lottie, the JSON of After Effects' Bodymovin that web and phone players show.

Each layer of the film is one shape layer, with one path for each of its curves; layers that lie on each other and move
as one are groups of one shape layer. Paths have a few keyframes with an ease
between them; colour, opacity and stroke width have keyframes that are independent of these. A layer is there from its
first to its last frame, in whole numbers: players disagree about anything else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinetune.contours.key_shapes.key_times import EASE_X, KeyedValues, Keys
from kinetune.contours.key_shapes.keyed_film import (
    Grid,
    KeyedFilm,
    KeyedLayer,
    KeyedPaint,
    KeyedPath,
    key_film,
)
from kinetune.contours.key_shapes.keyed_gradients import KeyedGradient
from kinetune.contours.key_shapes.layer_rides import KeyedRide
from kinetune.contours.morphing.canvas import Box
from kinetune.contours.moving_drawing import MovingDrawing
from kinetune.contours.outlines import Complex

_CAPS = {"butt": 1, "round": 2, "square": 3}
_JOINS = {"miter": 1, "round": 2, "bevel": 3}
_EVEN_ODD = 2
_SIDE = 512  # pixels of the longer side of the canvas
_EVENLY = {"o": {"x": 0, "y": 0}, "i": {"x": 1, "y": 1}}
_OPAQUE = {"a": 0, "k": 100}
_FINE = 4  # whole numbers in a layer are quarters of a pixel: short to write, and the layer is scaled down


def film_to_lottie(film: MovingDrawing, fps: float = 24.0) -> str:
    """A film as Lottie text; a film of one frame is a still.

    The canvas is moved to the origin; its longer side gets 512 pixels, and layers are drawn four times as large, each
    from a corner of its own where that saves characters.
    """
    return keyed_to_lottie(key_film(film, lottie_grid(film.boxes[0]), apart=True), fps)


def lottie_grid(box: Box) -> Grid:
    """The coordinates in a layer: quarters of a pixel from the corner of the canvas."""
    return Grid(complex(box[0], box[1]), _FINE * _SIDE / max(box[2:]), 0)


def keyed_to_lottie(film: KeyedFilm, fps: float) -> str:
    """Key shapes in :func:`lottie_grid` as Lottie text."""
    scale = _SIDE / max(film.box[2:])
    layers: list[dict[str, Any]] = []
    carriers: dict[KeyedRide, int] = {}  # the layers that have the rides which others join
    for number, body in enumerate(film.bodies(), start=1):
        layers.append({"ind": number, **_layer(body, film.frames, carriers)})
        if body[0].ride is not None:
            carriers.setdefault(body[0].ride, number)
    document = {
        "v": "5.7.0",
        "fr": _number(fps, 6),
        "ip": 0,
        "op": film.frames,
        "w": max(1, round(scale * film.box[2])),
        "h": max(1, round(scale * film.box[3])),
        "nm": film.name or "Kinetune",
        "ddd": 0,
        "assets": [],
        "layers": layers[::-1],  # Lottie lists what lies on top first
    }
    return json.dumps(document, separators=(",", ":"), allow_nan=False)


def _layer(body: list[KeyedLayer], frames: int, carriers: Mapping[KeyedRide, int]) -> dict[str, Any]:
    """A layer of the film, or several that ride as one: each is a group, the first of which lies on top.

    One that rides with an earlier layer has that as its parent.
    """
    first = body[0]
    carrier = carriers.get(first.ride) if first.ride is not None else None
    corner = _corner(first.paths) if first.ride is None else 0j
    first = _from_corner(first, corner)
    return {
        "ty": 4,
        **({"nm": first.name} if first.name else {}),
        **({"ks": _transform(first.ride, corner)} if carrier is None else {"parent": carrier, "ks": {}}),
        "ip": first.start,
        # One player counts a frame more than there are: what lasts to the end is shown there, too.
        "op": first.stop + (first.stop == frames),
        "st": 0,
        "shapes": _items([first]) if len(body) == 1 else [_group(layers) for layers in _painted_alike(body)[::-1]],
    }


def _painted_alike(body: Sequence[KeyedLayer]) -> list[list[KeyedLayer]]:
    """Layers that ride as one, those together that follow each other, have one paint and lie apart, as two eyes do."""
    groups: list[list[KeyedLayer]] = []
    paint: list[dict[str, Any]] | None = None
    for layer in body:
        before, paint = paint, _paints(layer)
        if paint == before and all(_lie_apart(layer, other) for other in groups[-1]):
            groups[-1].append(layer)
        else:
            groups.append([layer])
    return groups


def _lie_apart(one: KeyedLayer, other: KeyedLayer) -> bool:
    """Whether the boxes round two layers do not meet."""
    boxes = []
    for layer in (one, other):
        z = np.concatenate([path.shapes.ravel() for path in layer.paths])
        wide = 0.0 if layer.stroke is None else layer.miter_limit * float(layer.width.values.max())
        boxes.append((z.real.min() - wide, z.imag.min() - wide, z.real.max() + wide, z.imag.max() + wide))
    (a, b, c, d), (e, f, g, h) = boxes
    return bool(c < e or g < a or d < f or h < b)


def _group(layers: Sequence[KeyedLayer]) -> dict[str, Any]:
    return {"ty": "gr", "it": [*_items(layers), {"ty": "tr", "o": _OPAQUE}]}


def _items(layers: Sequence[KeyedLayer]) -> list[dict[str, Any]]:
    """The paths of layers in one paint, and that paint."""
    return [*({"ty": "sh", "ks": _path(path)} for layer in layers for path in layer.paths), *_paints(layers[0])]


def _paints(layer: KeyedLayer) -> list[dict[str, Any]]:
    """The stroke and the fill of a layer."""
    items: list[dict[str, Any]] = []
    # Of the paints in a group, the first lies on top.
    if layer.stroke is not None:
        stroke = {"w": _value(layer.width, 1), "lc": _CAPS[layer.cap], "lj": _JOINS[layer.join]}
        if layer.join == "miter":
            stroke["ml"] = _number(layer.miter_limit, 3)
        items.append({**_paint(layer.stroke, "st", "gs"), **stroke})
    if layer.fill is not None:
        items.append({**_paint(layer.fill, "fl", "gf"), "r": _EVEN_ODD})
    return items


def _corner(paths: Sequence[KeyedPath]) -> complex:
    """Where a layer begins, so that its vertices are short to write; 0 where that saves less than saying so."""
    z = np.concatenate([path.shapes[:, :, 0].ravel() for path in paths])
    tried = np.arange(0, _FINE * _SIDE, _FINE)
    lengths = [_characters(each - tried[:, None]).sum(axis=1) for each in (z.real, z.imag)]
    best = [int(np.argmin(each)) for each in lengths]
    saved = sum(int(each[0] - each[k]) for each, k in zip(lengths, best, strict=True))
    return complex(*tried[best]) if saved > len('"p":{"a":0,"k":[000,000]},') else 0j


def _characters(values: np.ndarray) -> np.ndarray:
    """How many characters whole numbers take."""
    return np.searchsorted(10.0 ** np.arange(1, 7), np.abs(np.round(values)), side="right") + (values <= -0.5)


def _from_corner(layer: KeyedLayer, corner: complex) -> KeyedLayer:
    """A layer measured from its corner."""

    def moved(paint: KeyedPaint | None) -> KeyedPaint | None:
        if paint is None or paint.gradient is None:
            return paint
        return replace(paint, gradient=paint.gradient.moved(-corner))

    if not corner:
        return layer
    paths = tuple(replace(path, shapes=path.shapes - corner) for path in layer.paths)
    return replace(layer, paths=paths, fill=moved(layer.fill), stroke=moved(layer.stroke))


def _transform(ride: KeyedRide | None, corner: complex) -> dict[str, Any]:
    """Position and scale of a layer: those of its ride, or its corner, and the scale of its units."""
    percent = 100 / _FINE
    if ride is None:
        place = [int(corner.real) // _FINE, int(corner.imag) // _FINE]
        return {
            **({"p": {"a": 0, "k": place}} if corner else {}),
            "s": {"a": 0, "k": [_number(percent, 2)] * 2},
        }
    sizes = np.repeat(percent * ride.size.values, 2, axis=1)
    return {"p": _value(ride.place.changed(ride.place.values / _FINE), 1), "s": _value(ride.size.changed(sizes), 2)}


def _path(path: KeyedPath) -> dict[str, Any]:
    rows = [_shape(shape, path.closed, path.decimals) for shape in path.shapes]
    if all(row == rows[0] for row in rows[1:]):
        return {"a": 0, "k": rows[0]}
    return {"a": 1, "k": _keyframes(path.keys, [[row] for row in rows])}


def _eases(keys: Keys) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for heights in keys.eases.tolist():
        if np.isnan(heights[0]):
            rows.append({"h": 1})
        elif np.allclose(heights, (1 / 3, 2 / 3), atol=1e-3):
            rows.append(_EVENLY)
        else:
            rows.append({side: {"x": x, "y": _number(y, 3)} for side, x, y in zip("oi", EASE_X, heights, strict=True)})
    return rows


def _shape(cubics: Complex, closed: bool, decimals: int) -> dict[str, Any]:
    """One path: vertices, and the handles before and after each, relative to it."""
    vertices, out, back = cubics[:, 0], cubics[:, 1] - cubics[:, 0], cubics[:, 2] - cubics[:, 3]
    if closed:
        back = np.roll(back, 1)
    else:
        vertices, out, back = np.append(vertices, cubics[-1, 3]), np.append(out, 0.0), np.append(0.0, back)

    def pairs(z: Complex) -> list[list[float]]:
        return [[_number(point.real, decimals), _number(point.imag, decimals)] for point in z.tolist()]

    return {"c": closed, "v": pairs(vertices), "i": pairs(back), "o": pairs(out)}


def _paint(paint: KeyedPaint, plain: str, graded: str) -> dict[str, Any]:
    opacity = _value(paint.opacity.changed(100.0 * paint.opacity.values), 0)
    if paint.gradient is None:
        opaque = paint.colour.changed(np.insert(paint.colour.values, 3, 1.0, axis=1))
        return {"ty": plain, "c": _value(opaque, 3), "o": opacity}
    return {"ty": graded, "o": opacity, **_gradient(paint.gradient)}


def _gradient(gradient: KeyedGradient) -> dict[str, Any]:
    """Start, end and stops. A radial gradient is a circle here, and pads beyond its ends: Lottie has no other."""
    stops = len(gradient.offsets)
    rows = gradient.colours.values.reshape(-1, stops, 4)
    colours = np.insert(rows[..., :3], 0, gradient.offsets, axis=2).reshape(len(rows), -1)
    if np.any(rows[..., 3] < 1.0):
        alpha = np.insert(rows[..., 3:], 0, gradient.offsets, axis=2).reshape(len(rows), -1)
        colours = np.concatenate([colours, alpha], axis=1)
    place, places = gradient.place, gradient.place.values
    start, end = places[:, :2], places[:, 2:4]
    extra: dict[str, Any] = {}
    if gradient.kind == "radial":
        start = start @ gradient.shape.T
        focus = places[:, 3:] @ gradient.shape.T - start
        end = start + np.insert(places[:, 2:3], 1, 0.0, axis=1)
        length = np.hypot(*focus.T) / np.maximum(places[:, 2], 1e-9)
        if length.max() > 0.001:
            angle = np.degrees(np.unwrap(np.arctan2(focus[:, 1], focus[:, 0])))
            shares = np.minimum(100.0 * length, 99.0)
            extra["h"] = _value(place.changed(shares[:, None]), 1)
            extra["a"] = _value(place.changed(angle[:, None]), 1)
    return {
        "t": 1 if gradient.kind == "linear" else 2,
        "s": _value(place.changed(start), 0),
        "e": _value(place.changed(end), 0),
        **extra,
        "g": {"p": stops, "k": _value(gradient.colours.changed(colours), 3)},
    }


def _value(keyed: KeyedValues, decimals: int) -> dict[str, Any]:
    rows = [[_number(value, decimals) for value in row] for row in keyed.values.tolist()]
    if len(rows) == 1:
        return {"a": 0, "k": rows[0] if len(rows[0]) > 1 else rows[0][0]}
    return {"a": 1, "k": _keyframes(keyed.keys, rows)}


def _keyframes(keys: Keys, rows: list[Any]) -> list[dict[str, Any]]:
    """Values at keys, with the eases between them."""
    frames = [{"t": int(frame), "s": row} for frame, row in zip(keys.frames, rows, strict=True)]
    for frame, ease in zip(frames, _eases(keys), strict=False):
        frame.update(ease)
    return frames


def _number(value: float, decimals: int) -> float:
    """A number in as few characters as its decimals need."""
    short = round(value, decimals)
    return int(short) if short == int(short) else short
