"""Frames of Lottie animations as drawings: shape layers, solids, precompositions, parents, paths, fills, gradients.

What a drawing cannot hold (text, images, effects, trimmed paths, repeaters, mattes) is left out and said in its notes.
Expressions are not run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from kinetune.contours.colours import to_hex
from kinetune.contours.drawing import Cap, Contour, Drawing, Join, Layer
from kinetune.contours.gradients import Gradient
from kinetune.contours.sampling import MOST_POINTS, flatten_cubics
from kinetune.contours.svg._fill_rules import orient, to_even_odd
from kinetune.contours.svg._paths import unit_arc
from kinetune.contours.svg.areas import TooLargeError, clip_layers, even_odd_area, fade_layers
from kinetune.contours.svg.attribute_values import IDENTITY, compose
from kinetune.contours.timing.eases import cubic_bezier
from kinetune.errors import MalformedFileError, ParameterError
from kinetune.input_files import read_input
from kinetune.rotations import Floats

MOST_BYTES = 64 << 20
MOST_SHAPES = 20_000
MOST_DEPTH = 32
MOST_KEYS = 240
_CLOSENESS = 2e-5  # of the canvas: how near a contour stays to its curve
_FAR = 1e9
_CAPS: dict[Any, Cap] = {1: "butt", 2: "round", 3: "square"}
_JOINS: dict[Any, Join] = {1: "miter", 2: "round", 3: "bevel"}
_SHAPES = ("sh", "rc", "el", "sr")
_LEFT_OUT = {"tm": "trimmed paths", "rp": "repeaters", "mm": "merged paths", "rd": "rounded corners"}
_LEFT_OUT |= {"pb": "puckered paths", "tw": "twisted paths", "op": "offset paths", "zz": "zigzags"}
_LAYERS = {2: "images", 5: "text", 6: "sound", 13: "cameras"}


@dataclass
class _Paint:
    """A fill or stroke, and the paths that it applies to: those listed before it in its group."""

    item: dict[str, Any]
    contours: list[Contour]
    opacity: float
    matrix: Floats


@dataclass
class Animation:
    """A Lottie file that was read."""

    file: str
    document: dict[str, Any]
    tolerance: float | None = None
    notes: dict[str, None] = field(default_factory=dict)
    shapes: int = 0
    points: int = 0

    @classmethod
    def read(cls, path: Path, tolerance: float | None = None) -> Animation:
        """Read a file; what is not Lottie is refused."""
        data = read_input(path, largest=MOST_BYTES, what="a Lottie animation")
        try:
            document = json.loads(data)
        except (ValueError, RecursionError) as problem:
            what = "it is empty" if not data.strip() else f"it is not JSON ({problem})"
            raise MalformedFileError(str(path), f"{what}.", advice="Is it a Lottie file, and whole?") from None
        if not isinstance(document, dict) or not isinstance(document.get("layers"), list):
            raise MalformedFileError(str(path), "it has no list of layers.", advice="Is it a Lottie file?")
        animation = cls(str(path), document, tolerance)
        animation._size()
        return animation

    def _size(self) -> tuple[float, float]:
        width, height = (_number(self.document.get(side), 0.0) for side in "wh")
        if not (0 < width < _FAR and 0 < height < _FAR):
            raise MalformedFileError(self.file, "it has no width and height.", advice="Is it a Lottie file?")
        return width, height

    @property
    def fps(self) -> float:
        rate = _number(self.document.get("fr"), 0.0)
        return rate if 0 < rate <= 1000 else 24.0

    @property
    def span(self) -> tuple[float, float]:
        """The first frame, and the one at which it is over."""
        first = _number(self.document.get("ip"), 0.0)
        last = _number(self.document.get("op"), first + 1.0)
        return (first, last) if last > first else (first, first + 1.0)

    def key_frames(self) -> list[float]:
        """The frames at which anything has a key, the first and the last among them."""
        first, last = self.span
        last = max(first, last - 1.0)
        times = sorted({first, last} | {t for t in _key_times(self.document) if first < t < last})
        if len(times) > MOST_KEYS:
            raise MalformedFileError(
                self.file,
                f"it has {len(times)} key drawings, more than {MOST_KEYS}.",
                advice="Read single frames of it instead.",
            )
        return times

    def note(self, text: str) -> None:
        if len(self.notes) < 50:
            self.notes[text] = None

    def drawing(self, frame: float | None = None) -> Drawing:
        """The drawing at a frame; by default the first."""
        first, last = self.span
        at = first if frame is None else float(frame)
        if not first <= at <= last:
            raise ParameterError(f"{self.file} has frames {first:g} to {last - 1:g}; there is no {at:g}.")
        self.notes, self.shapes, self.painted, self.points = {}, 0, 0, 0
        width, height = self._size()
        self.near = _CLOSENESS * max(width, height) if self.tolerance is None else self.tolerance
        try:
            layers = self._composition(self.document["layers"], at, IDENTITY, 1.0, ())
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as problem:
            if isinstance(problem, ParameterError):
                raise MalformedFileError(self.file, str(problem)) from None
            raise MalformedFileError(
                self.file,
                "its layers are not as Lottie has them.",
                advice="Export it again from the program that made it.",
            ) from problem
        if not self.document["layers"]:
            raise MalformedFileError(self.file, "it has no layers.", advice="It needs a layer with a shape in it.")
        if not layers:
            reason = f" ({next(iter(self.notes))})" if self.notes else ""
            raise MalformedFileError(
                self.file, f"there is nothing to draw at frame {at:g}{reason}.", advice="Ask for another frame."
            )
        return Drawing(tuple(layers), (0.0, 0.0, width, height), Path(self.file).stem, tuple(self.notes))

    def _composition(
        self, listed: list[Any], at: float, matrix: Floats, opacity: float, inside: tuple[str, ...]
    ) -> list[Layer]:
        """The layers of a composition, from back to front: Lottie lists what lies on top first."""
        if len(inside) > MOST_DEPTH:
            self.note("compositions that lie too deep in each other are not drawn")
            return []
        by_index = {layer.get("ind"): layer for layer in listed if isinstance(layer, dict)}
        layers: list[Layer] = []
        for layer in reversed(listed):
            if not isinstance(layer, dict) or layer.get("hd") or layer.get("td"):
                continue
            if not _number(layer.get("ip"), -np.inf) <= at < _number(layer.get("op"), np.inf):
                continue
            if layer.get("tt"):
                self.note("mattes are not applied")
            if layer.get("ef"):
                self.note("effects are not drawn")
            layers += self._layer(layer, at, matrix, opacity, inside, by_index)
        return layers

    def _layer(
        self,
        layer: dict[str, Any],
        at: float,
        matrix: Floats,
        opacity: float,
        inside: tuple[str, ...],
        by_index: dict[Any, Any],
    ) -> list[Layer]:
        kind = layer.get("ty")
        place = matrix
        chain = [layer]
        while (parent := by_index.get(chain[-1].get("parent"))) is not None and len(chain) < MOST_DEPTH:
            if any(parent is one for one in chain):
                break
            chain.append(parent)
        for one in reversed(chain):
            place = compose(place, self._transform(one.get("ks") or {}, at))
        seen = opacity * self._opacity(layer.get("ks") or {}, at)
        name = str(layer.get("nm", ""))[:200]
        drawn: list[Layer] = []
        if seen <= 0:
            return []
        if kind == 4:
            drawn = self._group(layer.get("shapes") or [], at, place, name)
        elif kind == 1:
            width, height = (_number(layer.get(side), 0.0) for side in ("sw", "sh"))
            corners = np.array([[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]])
            if width > 0 and height > 0:
                points = corners @ place[:, :2].T + place[:, 2]
                drawn = [Layer((Contour(points),), name, fill=str(layer.get("sc", "#000000")))]
        elif kind == 0:
            reference = str(layer.get("refId"))
            asset = next((a for a in self.document.get("assets") or [] if a.get("id") == reference), None)
            if asset is None or reference in inside or not isinstance(asset.get("layers"), list):
                self.note(f'the composition "{reference[:40]}" is not drawn')
            else:
                stretch = _number(layer.get("sr"), 1.0) or 1.0
                then = (at - _number(layer.get("st"), 0.0)) / stretch
                if "tm" in layer:
                    then = float(self._value(layer["tm"], at, 0.0)[0]) * self.fps
                drawn = self._composition(asset["layers"], then, place, 1.0, (*inside, reference))
        elif kind in _LAYERS:
            self.note(f"{_LAYERS[kind]} in it are not drawn")
        try:
            drawn = self._masked(layer, at, place, drawn)
            return drawn if seen >= 1.0 or not drawn else fade_layers(drawn, seen, self.note)
        except TooLargeError:
            self.note("masks or opacity of a very large shape could not be applied")
            return drawn

    def _masked(self, layer: dict[str, Any], at: float, place: Floats, drawn: list[Layer]) -> list[Layer]:
        for mask in layer.get("masksProperties") or []:
            if mask.get("mode") == "n" or not drawn:
                continue
            if mask.get("mode") != "a" or mask.get("inv") or len(layer["masksProperties"]) > 1:
                self.note("masks other than one that is added are not applied")
                break
            outline = self._path(self._value(mask["pt"], at), place)
            if outline is not None:
                drawn = clip_layers(drawn, even_odd_area([outline]))
        return drawn

    def _group(self, items: list[Any], at: float, matrix: Floats, name: str) -> list[Layer]:
        """The layers of the shapes of a layer, from back to front."""
        painted: list[tuple[str, _Paint]] = []
        self._collect(items, at, matrix, 1.0, name, painted, 0)
        layers: list[Layer] = []
        for title, paint in reversed(painted):  # of the paints of a group, the first lies on top
            made = self._painted(paint, at, title)
            if made is None:
                continue
            below = layers[-1] if layers else None
            if (
                below is not None
                and below.stroke is None
                and made.fill is None
                and below.name == made.name
                and len(below.contours) == len(made.contours)
                and all(
                    len(a) == len(b) and np.array_equal(a.points[0], b.points[0])
                    for a, b in zip(below.contours, made.contours, strict=True)
                )
                and all(contour.closed for contour in made.contours)
            ):
                layers[-1] = replace(
                    made,
                    contours=below.contours,
                    fill=below.fill,
                    fill_opacity=below.fill_opacity,
                    fill_gradient=below.fill_gradient,
                )
            else:
                layers.append(made)
        return layers

    def _collect(
        self,
        items: list[Any],
        at: float,
        matrix: Floats,
        opacity: float,
        name: str,
        painted: list[tuple[str, _Paint]],
        depth: int,
    ) -> list[Contour]:
        """Put the paints of a group and of the groups in it into the list, the top one first; return its paths."""
        if depth > MOST_DEPTH:
            self.note("groups that lie too deep in each other are not drawn")
            return []
        items = [item for item in items if isinstance(item, dict) and not item.get("hd")]
        for item in items:
            if item.get("ty") == "tr":
                matrix = compose(matrix, self._transform(item, at))
                opacity *= self._opacity(item, at)
        contours: list[Contour] = []
        for item in items:
            kind = item.get("ty")
            if kind == "gr":
                title = str(item.get("nm") or name)[:200]
                contours += self._collect(item.get("it") or [], at, matrix, opacity, title, painted, depth + 1)
            elif kind in _SHAPES:
                contours += self._shape(item, at, matrix)
            elif kind in ("fl", "st", "gf", "gs"):
                self.painted += len(contours)  # each paint has all paths before it
                if self.painted > MOST_SHAPES:
                    raise ParameterError(f"its fills and strokes paint more than {MOST_SHAPES:,} shapes.")
                painted.append((name, _Paint(item, list(contours), opacity, matrix)))
            elif kind in _LEFT_OUT:
                self.note(f"{_LEFT_OUT[kind]} are not drawn as such")
        return contours

    def _shape(self, item: dict[str, Any], at: float, matrix: Floats) -> list[Contour]:
        self.shapes += 1
        if self.shapes > MOST_SHAPES:
            raise ParameterError(f"it has more than {MOST_SHAPES:,} shapes.")
        kind = item["ty"]
        if kind == "sh":
            contour = self._path(self._value(item["ks"], at), matrix)
            return [] if contour is None else [contour]
        middle = self._value(item.get("p"), at, (0.0, 0.0))
        if kind == "el":
            size = self._value(item["s"], at)
            curves = np.array(middle[:2]) + 0.5 * np.array(size[:2]) * unit_arc(-0.5 * np.pi, 2.0 * np.pi)
            return self._flat(curves, True, matrix)
        if kind == "rc":
            return self._rectangle(middle, self._value(item["s"], at), self._value(item.get("r"), at, 0.0)[0], matrix)
        return self._star(item, at, middle, matrix)

    def _rectangle(self, middle: Any, size: Any, radius: float, matrix: Floats) -> list[Contour]:
        half = 0.5 * np.abs(np.array(size[:2], dtype=float))
        round_by = float(np.clip(radius, 0.0, half.min()))
        if round_by == 0:
            corners = np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]]) * half + middle[:2]
            return self._polygon(corners, matrix)
        parts = []
        for k, (sx, sy) in enumerate(((1, -1), (1, 1), (-1, 1), (-1, -1))):
            centre = np.array([sx, sy]) * (half - round_by) + middle[:2]
            parts.append(centre + round_by * unit_arc(-0.5 * np.pi + 0.5 * np.pi * k, 0.5 * np.pi))
        return self._flat(_joined(parts), True, matrix)

    def _star(self, item: dict[str, Any], at: float, middle: Any, matrix: Floats) -> list[Contour]:
        count = int(np.clip(self._value(item["pt"], at)[0], 2, 1000))
        turn = np.radians(float(self._value(item.get("r"), at, 0.0)[0])) - 0.5 * np.pi
        outer = float(self._value(item["or"], at)[0])
        if item.get("sy") == 1:
            radii = np.tile([outer, float(self._value(item["ir"], at)[0])], count)
        else:
            radii = np.full(count, outer)
        if self._value(item.get("os"), at, 0.0)[0] or self._value(item.get("is"), at, 0.0)[0]:
            self.note("rounded stars are drawn with sharp corners")
        angles = turn + 2.0 * np.pi * np.arange(len(radii)) / len(radii)
        corners = radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1) + middle[:2]
        return self._polygon(corners, matrix)

    def _polygon(self, corners: Floats, matrix: Floats) -> list[Contour]:
        points = corners @ matrix[:, :2].T + matrix[:, 2]
        return [Contour(points)] if _sound(points) else []

    def _path(self, data: Any, matrix: Floats) -> Contour | None:
        """A path of vertices and handles as a contour; None for one without extent."""
        data = data[0] if isinstance(data, list) else data
        v, i, o = (np.array(data[name], dtype=float).reshape(-1, 2) for name in "vio")
        closed = bool(data.get("c"))
        if len(v) < 2 or not (len(v) == len(i) == len(o)):
            return None
        ends = np.roll(v, -1, axis=0), np.roll(i, -1, axis=0)
        curves = np.stack([v, v + o, ends[0] + ends[1], ends[0]], axis=1)
        contours = self._flat(curves if closed else curves[:-1], closed, matrix)
        return contours[0] if contours else None

    def _flat(self, curves: Floats, closed: bool, matrix: Floats) -> list[Contour]:
        curves = curves @ matrix[:, :2].T + matrix[:, 2]
        if not _sound(curves):
            self.note("a curve runs so far off the canvas that it cannot be drawn")
            return []
        points = np.concatenate([curves[0, :1], flatten_cubics([curves], self.near)[0]])
        self.points += len(points)
        if self.points > MOST_POINTS:
            raise ParameterError(f"its curves take more than {MOST_POINTS:,} points.")
        points = points[np.concatenate([[True], np.any(np.diff(points, axis=0) != 0, axis=1)])]
        if (
            closed
            and len(points) > 2
            and np.allclose(points[0], points[-1], atol=1e-9 * max(1.0, np.abs(points).max()))
        ):
            points = points[:-1]
        return [Contour(points, closed)] if len(points) > 1 else []

    def _painted(self, paint: _Paint, at: float, name: str) -> Layer | None:
        item, contours = paint.item, paint.contours
        opacity = paint.opacity * float(np.clip(self._value(item.get("o"), at, 100.0)[0] / 100.0, 0.0, 1.0))
        if opacity <= 0 or not contours:
            return None
        gradient = self._gradient(item, at, paint.matrix) if item["ty"] in ("gf", "gs") else None
        if gradient is not None:
            colour = gradient.mean_colour
        else:
            parts = [float(np.clip(part, 0.0, 1.0)) for part in self._value(item.get("c"), at, (0.0, 0.0, 0.0))[:3]]
            colour = to_hex(tuple(parts))
        if item["ty"] in ("fl", "gf"):
            closed = tuple(Contour(contour.points) for contour in contours if len(contour) > 2)
            if not closed:
                return None
            if item.get("r") != 2:
                closed, problem = to_even_odd(closed)
                if problem is not None:
                    self.note(f"a shape {problem}")
            return Layer(orient(closed), name, fill=colour, fill_opacity=opacity, fill_gradient=gradient)
        if item.get("d"):
            self.note("dashes are drawn as one line")
        scale = float(np.sqrt(abs(np.linalg.det(paint.matrix[:, :2]))))
        width = scale * max(0.0, float(self._value(item.get("w"), at, 1.0)[0]))
        if not 0 < width < _FAR:
            return None
        return Layer(
            tuple(contours),
            name,
            fill=None,
            stroke=colour,
            stroke_width=width,
            stroke_opacity=opacity,
            stroke_cap=_CAPS.get(item.get("lc"), "butt"),
            stroke_join=_JOINS.get(item.get("lj"), "miter"),
            stroke_miter_limit=max(1.0, _number(item.get("ml"), 4.0)),
            stroke_gradient=gradient,
        )

    def _gradient(self, item: dict[str, Any], at: float, matrix: Floats) -> Gradient:
        count = max(1, int(_number(item["g"].get("p"), 1)))
        numbers = np.array(self._value(item["g"]["k"], at), dtype=float)
        colours, alphas = numbers[: 4 * count].reshape(-1, 4), numbers[4 * count :].reshape(-1, 2)
        order = np.argsort(colours[:, 0], kind="stable")
        stops = tuple(
            (
                float(np.clip(offset, 0.0, 1.0)),
                to_hex((red, green, blue)),
                float(np.clip(np.interp(offset, alphas[:, 0], alphas[:, 1]), 0.0, 1.0)) if len(alphas) else 1.0,
            )
            for offset, red, green, blue in colours[order].tolist()
        )
        start, end = (np.array(self._value(item[name], at)[:2], dtype=float) for name in "se")
        along = end - start
        unit = (along[0], along[1], -along[1], along[0], start[0], start[1])
        kind = "radial" if item.get("t") == 2 else "linear"
        focus = (0.0, 0.0)
        if kind == "radial":
            share = float(np.clip(self._value(item.get("h"), at, 0.0)[0] / 100.0, -0.99, 0.99))
            turned = np.radians(float(self._value(item.get("a"), at, 0.0)[0]))
            focus = (share * float(np.cos(turned)), share * float(np.sin(turned)))
        return Gradient(kind, stops, unit, focus).transformed(matrix)  # type: ignore[arg-type]

    def _transform(self, ks: dict[str, Any], at: float) -> Floats:
        """The 2 x 3 matrix of a transform."""
        anchor = np.array(self._value(ks.get("a"), at, (0.0, 0.0))[:2], dtype=float)
        position = ks.get("p")
        if isinstance(position, dict) and position.get("s"):
            moved = np.array([self._value(position.get(axis), at, 0.0)[0] for axis in "xy"], dtype=float)
        else:
            moved = np.array(self._value(position, at, (0.0, 0.0))[:2], dtype=float)
        scale = np.array(self._value(ks.get("s"), at, (100.0, 100.0))[:2], dtype=float) / 100.0
        angle = np.radians(float(self._value(ks.get("r", ks.get("rz")), at, 0.0)[0]))
        linear = _turn(angle)
        skew = np.radians(float(self._value(ks.get("sk"), at, 0.0)[0]))
        if skew:
            axis = np.radians(float(self._value(ks.get("sa"), at, 0.0)[0]))
            linear = linear @ _turn(-axis) @ np.array([[1.0, np.tan(-skew)], [0.0, 1.0]]) @ _turn(axis)
        linear = linear * scale
        matrix = np.concatenate([linear, (moved - linear @ anchor)[:, None]], axis=1)
        if not np.isfinite(matrix).all():
            raise ValueError("a transform is not a number")
        return matrix

    def _opacity(self, ks: dict[str, Any], at: float) -> float:
        return float(np.clip(self._value(ks.get("o"), at, 100.0)[0] / 100.0, 0.0, 1.0))

    def _value(self, given: Any, at: float, otherwise: Any = None) -> Any:
        """A property at a frame: a list of numbers, or a path."""
        if given is None:
            if otherwise is None:
                raise KeyError("a property is missing")
            return list(otherwise) if isinstance(otherwise, tuple) else [otherwise]
        if isinstance(given, dict) and "x" in given and isinstance(given["x"], str):
            self.note("expressions are not run")
        keys = given["k"] if isinstance(given, dict) and "k" in given else given
        if isinstance(keys, list) and keys and isinstance(keys[0], dict) and "t" in keys[0]:
            return _between(keys, at)
        return keys if isinstance(keys, list) else [keys]


def _between(keys: list[dict[str, Any]], at: float) -> Any:
    """The value of keyframes at a frame."""
    number = max((k for k, key in enumerate(keys) if key["t"] <= at), default=0)
    key = keys[number]
    value: Any = key.get("s", keys[number - 1].get("e") if number else None)
    after = keys[number + 1] if number + 1 < len(keys) else None
    if after is None or key.get("h") == 1 or at <= key["t"] or after["t"] <= key["t"]:
        return value if isinstance(value, list) else [value]
    target: Any = key.get("e", after.get("s"))
    t = (at - key["t"]) / (after["t"] - key["t"])
    t = _eased(key, t)
    if isinstance(value[0], dict):
        return [_between_paths(value[0], target[0], t)]
    a, b = np.array(value, dtype=float), np.array(target, dtype=float)
    if key.get("to") and key.get("ti") and len(a) >= 2:
        leave, arrive = (np.resize(np.array(key[name], dtype=float), len(a)) for name in ("to", "ti"))
        return (
            (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * (a + leave) + 3 * t * t * (1 - t) * (b + arrive) + t**3 * b
        ).tolist()
    return ((1.0 - t) * a + t * b).tolist()


def _eased(key: dict[str, Any], t: float) -> float:
    if not (isinstance(key.get("o"), dict) and isinstance(key.get("i"), dict)):
        return t
    x1, y1, x2, y2 = (
        _number(_first(key[end][axis]), 0.0) for end, axis in (("o", "x"), ("o", "y"), ("i", "x"), ("i", "y"))
    )
    return float(cubic_bezier(float(np.clip(x1, 0, 1)), y1, float(np.clip(x2, 0, 1)), y2)(np.array([t]))[0])


def _between_paths(a: dict[str, Any], b: dict[str, Any], t: float) -> dict[str, Any]:
    mixed: dict[str, Any] = {"c": a.get("c")}
    for name in "vio":
        one, other = np.array(a[name], dtype=float), np.array(b[name], dtype=float)
        mixed[name] = ((1.0 - t) * one + t * other).tolist() if one.shape == other.shape else a[name]
    return mixed


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


def _number(value: Any, otherwise: float) -> float:
    return float(value) if isinstance(value, int | float) and abs(value) <= sys.float_info.max else otherwise


def _sound(points: Floats) -> bool:
    return bool(np.isfinite(points).all() and np.abs(points).max() < _FAR)


def _turn(angle: float) -> Floats:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _joined(parts: list[Floats]) -> Floats:
    """Arcs with straight lines between them, as one run of curves."""
    curves = []
    for part, after in zip(parts, [*parts[1:], parts[0]], strict=True):
        a, b = part[-1, 3], after[0, 0]
        curves += [part, np.array([[a, (2 * a + b) / 3, (a + 2 * b) / 3, b]])]
    return np.concatenate(curves)


def _key_times(document: Any) -> Iterator[float]:
    """The frames of all keyframes of a document; those in precompositions count where they are."""
    waiting = [document]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            keys = node.get("k")
            if isinstance(keys, list) and keys and isinstance(keys[0], dict) and "t" in keys[0]:
                yield from (
                    float(key["t"])
                    for key in keys
                    if isinstance(key, dict) and np.isfinite(_number(key.get("t"), np.nan))
                )
            waiting += [value for name, value in node.items() if name != "k" and isinstance(value, dict | list)]
        elif isinstance(node, list):
            waiting += [value for value in node if isinstance(value, dict | list)]
