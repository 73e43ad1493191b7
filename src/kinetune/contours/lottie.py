"""Drawings to Lottie, the JSON of After Effects' Bodymovin that web and phone players show.

One shape layer for each layer of the drawing, with one path for each of its curves. The frames of a film are held
keyframes: each is shown exactly as it is, for one frame. Where the frames do not have the same layers and curves, every
frame has layers of its own that are visible for that frame only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kinetune.contours.colours import parse_colour
from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.svg.writer import check_film, same_layers

_CAPS = {"butt": 1, "round": 2, "square": 3}
_JOINS = {"miter": 1, "round": 2, "bevel": 3}
_EVEN_ODD = 2


def film_to_lottie(frames: Sequence[Drawing], fps: float = 24.0, *, decimals: int = 3) -> str:
    """Drawings as Lottie text, one frame each; a single drawing is a still.

    The canvas is moved to the origin, and enlarged to whole pixels where it is smaller than 512.
    """
    check_film(frames, fps)
    first = frames[0]
    pixels = _Pixels(first, decimals)
    count = len(frames)
    if same_layers(frames) and _same_curves(frames):
        layers = [
            _layer(pixels, list(stack), 0, count) for stack in zip(*(frame.layers for frame in frames), strict=True)
        ]
    else:
        layers = [
            # Gone just before the next frame: players differ in whether a layer shows at its own end.
            _layer(pixels, [layer], number, number + 1 - (number + 1 < count) * 0.001)
            for number, frame in enumerate(frames)
            for layer in frame.layers
        ]
    for number, layer in enumerate(layers, start=1):
        layer["ind"] = number
    document = {
        "v": "5.7.0",
        "fr": fps,
        "ip": 0,
        "op": count,
        "w": pixels.width,
        "h": pixels.height,
        "nm": first.name or "Kinetune",
        "ddd": 0,
        "assets": [],
        "layers": layers[::-1],  # Lottie lists what lies on top first
    }
    return json.dumps(document, separators=(",", ":"), allow_nan=False)


class _Pixels:
    """From the units of a drawing to pixels."""

    def __init__(self, drawing: Drawing, decimals: int) -> None:
        left, top, width, height = drawing.view_box
        self.origin = np.array([left, top])
        self.scale = max(1.0, 512 / max(width, height))
        self.width, self.height = (max(1, round(self.scale * side)) for side in (width, height))
        self.decimals = decimals

    def path(self, contour: Contour) -> dict[str, Any]:
        points = np.round(self.scale * (contour.points - self.origin), self.decimals) + 0.0
        flat = [[0, 0]] * len(points)
        return {"c": contour.closed, "v": points.tolist(), "i": flat, "o": flat}


def _same_curves(frames: Sequence[Drawing]) -> bool:
    shapes = [[[(len(c), c.closed) for c in layer.contours] for layer in frame.layers] for frame in frames]
    paints = [[(layer.fill is None, layer.stroke is None) for layer in frame.layers] for frame in frames]
    return all(shape == shapes[0] for shape in shapes) and all(paint == paints[0] for paint in paints)


def _layer(pixels: _Pixels, stack: list[Layer], start: int, end: float) -> dict[str, Any]:
    """One shape layer; stack holds the layer at every frame from start on."""
    first = stack[0]
    items: list[dict[str, Any]] = []
    for k, _ in enumerate(first.contours):
        paths = [pixels.path(layer.contours[k]) for layer in stack]
        # A keyframe wraps a path in a list, a still path stands by itself.
        items.append({"ty": "sh", "nm": f"Path {k + 1}", "ks": _property(paths, start, lambda path: [path])})
    # Of the paints in a group, the first lies on top.
    if first.stroke is not None:
        items.append(
            {
                "ty": "st",
                "nm": "Stroke",
                "c": _property([_rgb(layer.stroke) for layer in stack], start),
                "o": _property([_percent(layer.stroke, layer.stroke_opacity) for layer in stack], start),
                "w": _property([round(pixels.scale * layer.stroke_width, 4) for layer in stack], start),
                "lc": _CAPS[first.stroke_cap],
                "lj": _JOINS[first.stroke_join],
                "ml": 4,
            }
        )
    if first.fill is not None:
        items.append(
            {
                "ty": "fl",
                "nm": "Fill",
                "c": _property([_rgb(layer.fill) for layer in stack], start),
                "o": _property([_percent(layer.fill, layer.fill_opacity) for layer in stack], start),
                "r": _EVEN_ODD,
            }
        )
    items.append({"ty": "tr", "nm": "Transform", **_standing()})
    return {
        "ddd": 0,
        "ty": 4,
        "nm": first.name or "Layer",
        "sr": 1,
        "ks": _standing(),
        "ao": 0,
        "shapes": [{"ty": "gr", "nm": first.name or "Shape", "it": items}],
        "ip": start,
        "op": end,
        "st": 0,
        "bm": 0,
    }


def _property(values: list[Any], start: int, wrap: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """A value that stands still, or held keyframes where it changes."""
    if all(value == values[0] for value in values[1:]):
        return {"a": 0, "k": values[0]}
    keys: list[dict[str, Any]] = []
    for k, value in enumerate(values):
        if k and value == values[k - 1]:
            continue
        held = wrap(value) if wrap is not None else value if isinstance(value, list) else [value]
        keys.append({"t": start + k, "s": held, "h": 1})
    return {"a": 1, "k": keys}


def _standing() -> dict[str, Any]:
    """The transform that does nothing."""
    still = {"p": [0, 0], "a": [0, 0], "s": [100, 100], "r": 0, "o": 100}
    return {name: {"a": 0, "k": value} for name, value in still.items()}


def _rgb(colour: str | None) -> list[float]:
    return [round(part, 4) for part in parse_colour(colour or "black")[:3]] + [1]


def _percent(colour: str | None, opacity: float) -> float:
    return round(100 * opacity * parse_colour(colour or "black")[3], 3)
