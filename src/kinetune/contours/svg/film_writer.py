"""Films to SVG text that browsers play (SMIL): one path for each layer, whose shape runs from key to key."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import numpy as np

from kinetune.contours.colours import to_hex
from kinetune.contours.key_shapes.key_times import EASE_X, KeyedValues, Keys
from kinetune.contours.key_shapes.keyed_film import Grid, KeyedFilm, KeyedLayer, KeyedPaint, key_film
from kinetune.contours.key_shapes.keyed_gradients import KeyedGradient
from kinetune.contours.morphing.canvas import Box
from kinetune.contours.moving_drawing import MovingDrawing
from kinetune.contours.outlines import Complex
from kinetune.contours.svg.writer import short_number, svg_head

_EVENLY = "0 0 1 1"
_STEPS = 2048  # along the longer side of the canvas: whole numbers are short to write


def film_to_svg(film: MovingDrawing, fps: float = 24.0, *, loop: bool = True) -> str:
    """A film as one SVG text that plays it.

    Parameters
    ----------
    film : on one canvas.
    loop : begin again after the last frame; otherwise it stays.
    """
    return keyed_to_svg(key_film(film, svg_grid(film.boxes[0])), fps, loop=loop)


def svg_grid(box: Box) -> Grid:
    """The coordinates of paths: whole numbers from the corner of the canvas, 2048 along its longer side."""
    return Grid(complex(box[0], box[1]), _STEPS / max(box[2:]), 0)


def keyed_to_svg(film: KeyedFilm, fps: float, *, loop: bool = True) -> str:
    """Key shapes in :func:`svg_grid` as SVG text."""
    timing = f'dur="{film.frames / fps:.6g}s" ' + ('repeatCount="indefinite"' if loop else 'fill="freeze"')
    left, top, width, height = film.box
    scale = max(width, height) / _STEPS
    rows = [svg_head(film.box, film.name), f'<g transform="translate({left:.10g} {top:.10g}) scale({scale:.10g})">']
    number = 0
    for body in film.bodies():
        paths = [_Path(layer, film.frames, timing, f"-{number + k}") for k, layer in enumerate(body, start=1)]
        number += len(body)
        rows.append(paths[0].text() if len(body) == 1 else _together(paths))
    return "\n".join([*rows, "</g>", "</svg>", ""])


class _Path:
    """One layer as a path element, after the gradients that it is painted with.

    suffix : makes the names of these unique.
    """

    def __init__(self, layer: KeyedLayer, frames: int, timing: str, suffix: str) -> None:
        self.layer, self.frames, self.timing, self.suffix = layer, frames, timing, suffix
        self.before: list[str] = []
        self.attributes = f" id={quoteattr(layer.name)}" if layer.name and layer.start == 0 else ""
        self.animations: list[str] = []

    def text(self, *, alone: bool = True) -> str:
        """The element. alone : with how it moves and when it is shown."""
        layer = self.layer
        self._paint("fill", layer.fill)
        self.attributes += ' fill-rule="evenodd"'
        if layer.stroke is not None:
            self._paint("stroke", layer.stroke)
            self._values("stroke-width", layer.width, [f"{row[0]:.4g}" for row in layer.width.values.tolist()])
            self.attributes += f' stroke-linecap="{layer.cap}"' if layer.cap != "butt" else ""
            self.attributes += f' stroke-linejoin="{layer.join}"' if layer.join != "miter" else ""
            if layer.join == "miter" and layer.miter_limit != 4:
                self.attributes += f' stroke-miterlimit="{layer.miter_limit:.6g}"'
        rows = [
            "".join(_data(path.shapes[key], path.closed, path.decimals) for path in layer.paths)
            for key in range(len(layer.paths[0].keys))
        ]
        self.animations += self._animation("d", layer.paths[0].keys, rows)
        self.attributes += f' d="{rows[0]}"'
        if alone:
            self.move()
        if not self.animations:
            return "\n".join([*self.before, f"  <path{self.attributes}/>"])
        return "\n".join([*self.before, f"  <path{self.attributes}>", *self.animations, "  </path>"])

    def _paint(self, name: str, paint: KeyedPaint | None) -> None:
        if paint is None:
            self.attributes += f' {name}="none"'
            return
        if paint.gradient is None:
            self._values(name, paint.colour, [to_hex(tuple(row)) for row in paint.colour.values.tolist()])
        else:
            self.attributes += f' {name}="url(#{name}{self.suffix})"'
            self.before.append(self._gradient(name + self.suffix, paint.gradient))
        opacities = [short_number(row[0], 2) for row in paint.opacity.values.tolist()]
        if set(opacities) != {"1"}:
            self._values(f"{name}-opacity", paint.opacity, opacities)

    def _gradient(self, name: str, gradient: KeyedGradient) -> str:
        """A gradient as an element in which its placement and its stops run from key to key."""
        corners = ("x1", "y1", "x2", "y2") if gradient.kind == "linear" else ("cx", "cy", "r", "fx", "fy")
        places = gradient.place
        attributes, inner = "", []
        for column, attribute in enumerate(corners):
            values = [f"{value:.5g}" for value in places.values[:, column].tolist()]
            attributes += f' {attribute}="{values[0]}"'
            inner += self._animation(attribute, places.keys, values)
        if gradient.kind == "radial" and not np.allclose(gradient.shape, np.eye(2)):
            numbers = " ".join(f"{value:.6g}" for value in gradient.shape.T.ravel().tolist())
            attributes += f' gradientTransform="matrix({numbers} 0 0)"'
        attributes += f' spreadMethod="{gradient.spread}"' if gradient.spread != "pad" else ""
        keys = gradient.colours.keys
        rows = gradient.colours.values.reshape(len(keys), -1, 4)
        for number, offset in enumerate(gradient.offsets.tolist()):
            colours = [to_hex(tuple(row)) for row in rows[:, number, :3].tolist()]
            seen = [f"{alpha:.3g}" for alpha in rows[:, number, 3].tolist()]
            alpha = f' stop-opacity="{seen[0]}"' if set(seen) != {"1"} else ""
            changes = self._animation("stop-color", keys, colours) + self._animation("stop-opacity", keys, seen)
            stop = f'    <stop offset="{offset:.5g}" stop-color="{colours[0]}"{alpha}'
            inner.append(stop + (">" + "".join(each.strip() for each in changes) + "</stop>" if changes else "/>"))
        kind = f"{gradient.kind}Gradient"
        head = f'  <{kind} id="{name}" gradientUnits="userSpaceOnUse"{attributes}>'
        return "\n".join([head, *inner, f"  </{kind}>"])

    def _values(self, name: str, keyed: KeyedValues, values: list[str]) -> None:
        self.attributes += f' {name}="{values[0]}"'
        self.animations += self._animation(name, keyed.keys, values)

    def _animation(self, name: str, keys: Keys, rows: list[str], kind: str = "") -> list[str]:
        """Values at keys; the first also holds before, and the last after: a frame lasts until the next.

        A held key is written again at the moment that it gives way.

        kind : of a transform, "translate" or "scale"; a scale adds to what is there.
        """
        if len(set(rows)) < 2:
            return []
        frames, values, splines = [], [], []
        eases = keys.eases.tolist()
        for k, (frame, row) in enumerate(zip(keys.frames.tolist(), rows, strict=True)):
            frames.append(frame)
            values.append(row)
            if k < len(eases) and np.isnan(eases[k][0]):
                frames.append(int(keys.frames[k + 1]))
                values.append(row)
                splines += [_EVENLY] * 2
            elif k < len(eases):
                splines.append(_spline(*eases[k]))
        if frames[0] > 0:
            frames, values, splines = [0, *frames], [values[0], *values], [_EVENLY, *splines]
        if frames[-1] < self.frames:
            frames, values, splines = [*frames, self.frames], [*values, values[-1]], [*splines, _EVENLY]
        pace = "" if set(splines) == {_EVENLY} else f'calcMode="spline" keySplines="{";".join(splines)}" '
        element = "animate"
        if kind:
            element = f'animateTransform type="{kind}"' + (' additive="sum"' if kind == "scale" else "")
        return [
            f'    <{element} attributeName="{name}" {self.timing} {pace}keyTimes="{self._times(frames)}" '
            f'values="{";".join(values)}"/>'
        ]

    def move(self) -> None:
        """How the layer moves, and when it is shown."""
        self._ride()
        self._shown()

    def _ride(self) -> None:
        """Where the layer is and how large, where it keeps its form."""
        ride = self.layer.ride
        if ride is None:
            return
        places = [f"{short_number(x, 1)} {short_number(y, 1)}" for x, y in ride.place.values.tolist()]
        sizes = [short_number(row[0], 4) for row in ride.size.values.tolist()]
        moves = self._animation("transform", ride.place.keys, places, "translate")
        grows = self._animation("transform", ride.size.keys, sizes, "scale")
        # What grows without moving is scaled about its place; what moves replaces the whole attribute.
        size = f"scale({sizes[0]})" if moves and sizes[0] != "1" else ""
        self.attributes += f' transform="translate({places[0]}){size}"'
        self.animations += moves + grows

    def _times(self, frames: list[int]) -> str:
        return ";".join(short_number(frame / self.frames, 5) for frame in frames)

    def _shown(self) -> None:
        layer = self.layer
        if (layer.start, layer.stop) == (0, self.frames):
            return
        marks = [mark for mark in dict.fromkeys((0, layer.start, layer.stop)) if mark < self.frames]
        values = ["inline" if layer.start <= mark < layer.stop else "none" for mark in marks]
        self.attributes += f' display="{values[0]}"'
        self.animations.append(
            f'    <animate attributeName="display" {self.timing} calcMode="discrete" '
            f'keyTimes="{self._times(marks)}" '
            f'values="{";".join(values)}"/>'
        )


def _together(paths: list[_Path]) -> str:
    """Layers that ride as one, in one group that moves."""
    first = paths[0]
    group = _Path(first.layer, first.frames, first.timing, "")
    group.attributes = ""
    group.move()
    inner = [path.text(alone=False) for path in paths]
    return "\n".join([f"  <g{group.attributes}>", *group.animations, *inner, "  </g>"])


def _spline(first: float, second: float) -> str:
    """An ease by its two heights."""
    if abs(first - 1 / 3) < 1e-3 and abs(second - 2 / 3) < 1e-3:
        return _EVENLY
    return " ".join(short_number(value, 4) for value in (EASE_X[0], first, EASE_X[1], second))


def _data(cubics: Complex, closed: bool, decimals: int) -> str:
    """One path: where it begins, then every segment relative to where it begins itself, in as few characters."""
    relative = (cubics[:, 1:] - cubics[:, :1]).ravel()
    return f"M{_pairs(cubics[:1, 0], decimals)}c{_pairs(relative, decimals)}" + ("z" if closed else "")


def _pairs(points: Complex, decimals: int) -> str:
    numbers = [short_number(part, decimals) for z in points.tolist() for part in (z.real, z.imag)]
    return "".join(text if k == 0 or text[0] == "-" else f" {text}" for k, text in enumerate(numbers))
