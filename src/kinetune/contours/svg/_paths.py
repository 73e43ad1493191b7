"""Path data, the ``d`` of an SVG path: every command, absolute and relative, with compact numbers and arc flags.

What follows a mistake is not drawn, as browsers do it; the reader says what that was.
Lines and arcs become cubic Bezier curves too, so that a path is one array and a million points take seconds.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinetune.contours.svg.attribute_values import length
from kinetune.contours.svg.xml_tree import SvgNode
from kinetune.rotations import Floats

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_number = re.compile(_NUMBER)
# A command with its numbers, and its repetitions: "L 1 1 L 2 2" is one run. E and e belong to numbers.
_run = re.compile(r"([LlHhVvCcSsQqTtAa])([^A-DF-Za-df-z]*(?:\1[^A-DF-Za-df-z]*)*)|([MmZz])([^A-DF-Za-df-z]*)")
_LONG = 64  # groups from which arrays are quicker than a loop
_SEP = r"[\s,]*"
_arc = re.compile(
    _SEP
    + _SEP.join([f"({_NUMBER})"] * 3)
    + _SEP
    + r"([01])"
    + _SEP
    + r"([01])"
    + _SEP
    + _SEP.join([f"({_NUMBER})"] * 2)
)
_BLANK = " \t\r\n\f,"
_GROUP = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
_ARC_PART = np.pi / 8  # of a circle that one cubic follows to 5e-8 of the radius
_FAR = 1e150  # beyond it, squares overflow

Point = tuple[float, float]


@dataclass(frozen=True)
class SubPath:
    """One stroke of the pen.

    start : (2,) where it sets down.
    controls : (curves, 4, 2) cubic Bezier curves, each from where the one before ended.
    closed : whether Z closes it.
    """

    start: Floats
    controls: Floats
    closed: bool = False

    def transformed(self, matrix: Floats) -> SubPath:
        """Moved by a 2 x 3 matrix."""
        linear, shift = matrix[:, :2].T, matrix[:, 2]
        return SubPath(self.start @ linear + shift, self.controls @ linear + shift, self.closed)


def parse_path(data: str) -> tuple[list[SubPath], str | None]:
    """The sub-paths of path data, and what is wrong with it (None when nothing is)."""
    pen = Pen()
    problem = _draw(pen, data)
    return pen.finish(), problem


class Pen:
    """Collects curves: the shapes of SVG draw with it too."""

    def __init__(self) -> None:
        self.x = self.y = 0.0
        self.handle: Point | None = None  # the last control point, for S and T
        self.family = ""
        self._start: Point | None = None
        self._curves = array("d")
        self._done: list[SubPath] = []

    def move(self, x: float, y: float) -> None:
        self._lift(closed=False)
        self.x, self.y, self._start, self.handle = x, y, (x, y), None

    def line(self, x: float, y: float) -> None:
        self._set_down()
        a, b = self.x, self.y
        self._curves.extend((a, b, (2 * a + x) / 3, (2 * b + y) / 3, (a + 2 * x) / 3, (b + 2 * y) / 3, x, y))
        self.x, self.y, self.handle = x, y, None

    def curve(self, x1: float, y1: float, x2: float, y2: float, x: float, y: float) -> None:
        self._set_down()
        self._curves.extend((self.x, self.y, x1, y1, x2, y2, x, y))
        self.x, self.y, self.handle, self.family = x, y, (x2, y2), "cubic"

    def quadratic(self, x1: float, y1: float, x: float, y: float) -> None:
        a, b = self.x, self.y
        self.curve((a + 2 * x1) / 3, (b + 2 * y1) / 3, (x + 2 * x1) / 3, (y + 2 * y1) / 3, x, y)
        self.handle, self.family = (x1, y1), "quadratic"

    def mirrored_handle(self, family: str) -> Point:
        """The control point that continues the last curve smoothly; after another command, where the pen is."""
        if self.handle is None or self.family != family:
            return self.x, self.y
        return 2 * self.x - self.handle[0], 2 * self.y - self.handle[1]

    def arc(self, rx: float, ry: float, turn_deg: float, large: bool, sweep: bool, x: float, y: float) -> None:
        """An arc of an ellipse, as SVG 1.1 appendix F.6 finds it."""
        curves = _arc_between((self.x, self.y), (x, y), abs(rx), abs(ry), turn_deg, large, sweep)
        if curves is None:
            self.line(x, y)
            return
        self.curves(curves, smooth=False)

    def curves(self, controls: Floats, smooth: bool) -> None:
        """Many curves (n, 4, 2) that begin where the pen is; smooth: whether S may continue the last one."""
        self._set_down()
        self._curves.frombytes(np.ascontiguousarray(controls, dtype=float).tobytes())
        self.x, self.y = controls[-1, 3].tolist()
        self.handle, self.family = (float(controls[-1, 2, 0]), float(controls[-1, 2, 1])) if smooth else None, "cubic"

    def close(self) -> None:
        if self._start is not None:
            self.x, self.y = self._start
        self._lift(closed=True)
        self.handle = None

    def finish(self) -> list[SubPath]:
        """Every sub-path in order, single points too."""
        self._lift(closed=False)
        return self._done

    def _set_down(self) -> None:
        if self._start is None:  # after Z the pen goes on from where the last sub-path began
            self._start = (self.x, self.y)

    def _lift(self, closed: bool) -> None:
        if self._start is not None:
            controls = np.frombuffer(self._curves, dtype=float).reshape(-1, 4, 2).copy()
            self._done.append(SubPath(np.array(self._start), controls, closed))
        self._start, self._curves = None, array("d")


def _draw(pen: Pen, data: str) -> str | None:
    at, first = len(data) - len(data.lstrip(_BLANK)), True
    while at < len(data):
        run = _run.match(data, at)
        if run is None:
            return _mistake(data, at)
        letter = run[1] or run[3]
        if first and letter not in "Mm":
            return f'it begins with "{letter}" instead of M'
        first = False
        problem = _obey(pen, letter, run[4] if run[2] is None else run[2].replace(letter, " "))
        if problem is not None:
            return problem
        at = run.end()
    return None


def _obey(pen: Pen, letter: str, text: str) -> str | None:
    kind = letter.upper()
    if kind == "Z":
        pen.close()
        return _mistake(text, 0) if text.strip(_BLANK) else None
    groups, problem = _arcs(text) if kind == "A" else _groups(text, _GROUP[kind], letter)
    relative = letter != kind
    if kind == "M" and groups:
        pen.move(*((pen.x + groups[0][0], pen.y + groups[0][1]) if relative else groups[0]))
        kind, groups = "L", groups[1:]  # further pairs are lines
    if kind in "LC" and len(groups) > _LONG:
        curves = _long_run(pen, np.array(groups), relative)
        if not np.all(np.abs(curves) < _FAR):
            return "it has a number too large to draw"
        pen.curves(curves, smooth=kind == "C")
        return problem
    for numbers in groups:
        x, y = (pen.x, pen.y) if relative else (0.0, 0.0)
        match kind:
            case "L":
                pen.line(x + numbers[0], y + numbers[1])
            case "C":
                pen.curve(*(n + (y if k % 2 else x) for k, n in enumerate(numbers)))
            case "H":
                pen.line(x + numbers[0], pen.y)
            case "V":
                pen.line(pen.x, y + numbers[0])
            case "S":
                pen.curve(*pen.mirrored_handle("cubic"), *(n + (y if k % 2 else x) for k, n in enumerate(numbers)))
            case "Q":
                pen.quadratic(x + numbers[0], y + numbers[1], x + numbers[2], y + numbers[3])
            case "T":
                pen.quadratic(*pen.mirrored_handle("quadratic"), x + numbers[0], y + numbers[1])
            case "A":
                rx, ry, turn, large, sweep = numbers[:5]
                pen.arc(rx, ry, turn, large == 1, sweep == 1, x + numbers[5], y + numbers[6])
        if not (abs(pen.x) < _FAR and abs(pen.y) < _FAR):
            return "it has a number too large to draw"
    return problem


def _long_run(pen: Pen, numbers: Floats, relative: bool) -> Floats:
    """Many lines (n, 2) or cubics (n, 6) as curves (n, 4, 2)."""
    points = numbers.reshape(len(numbers), -1, 2)
    here = np.array([[pen.x, pen.y]])
    if relative:
        points = points + np.concatenate([here, here + np.cumsum(points[:-1, -1], axis=0)])[:, None]
    starts = np.concatenate([here, points[:-1, -1]])
    if points.shape[1] == 3:
        return np.concatenate([starts[:, None], points], axis=1)
    ends = points[:, 0]
    return np.stack([starts, (2 * starts + ends) / 3, (starts + 2 * ends) / 3, ends], axis=1)


def _groups(text: str, size: int, letter: str) -> tuple[list[tuple[float, ...]], str | None]:
    """Numbers in groups up to the first mistake, and what that is."""
    problem = None
    if _number.sub("", text).strip(_BLANK):
        text, problem = _sound_part(text)
    values = [float(word) for word in _number.findall(text)]
    if problem is None and (len(values) % size or not values):
        problem = f'command "{letter}" takes numbers in groups of {size} and has {len(values)}'
    if values and not (min(values) > -_FAR and max(values) < _FAR):
        bad = next(k for k, value in enumerate(values) if not -_FAR < value < _FAR)
        values, problem = values[:bad], "it has a number too large to draw"
    whole = iter(values)
    return list(zip(*[whole] * size, strict=False)), problem


def _arcs(text: str) -> tuple[list[tuple[float, ...]], str | None]:
    arcs: list[tuple[float, ...]] = []
    at = 0
    while (match := _arc.match(text, at)) is not None:
        arcs.append(tuple(float(number) for number in match.groups()))
        at = match.end()
    if text[at:].strip(_BLANK) or not arcs:
        return arcs, f'"{text[at : at + 20].strip(_BLANK)}" is no arc'
    return arcs, None


def _sound_part(text: str) -> tuple[str, str]:
    at = 0
    for match in _number.finditer(text):
        if text[at : match.start()].strip(_BLANK):
            break
        at = match.end()
    return text[:at], _mistake(text, at)


def _mistake(data: str, at: int) -> str:
    return f'"{data[at : at + 20].strip(_BLANK)}" is neither a command nor a number'


def _arc_between(
    start: Point, end: Point, rx: float, ry: float, turn_deg: float, large: bool, sweep: bool
) -> Floats | None:
    """The cubics (n, 4, 2) along an arc, or None for a straight line."""
    if not (rx > 0 and ry > 0 and max(rx, ry) < _FAR) or start == end:
        return None
    angle = np.radians(turn_deg % 360.0)
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    one, other = np.array(start), np.array(end)
    x, y = rotation.T @ (0.5 * (one - other))
    stretch = (x / rx) ** 2 + (y / ry) ** 2
    if stretch > 1:  # radii too small to reach: the smallest that do
        rx, ry, stretch = rx * np.sqrt(stretch), ry * np.sqrt(stretch), 1.0
    elif not stretch >= 1e-300:
        return None
    side = np.sqrt(max(0.0, 1.0 / stretch - 1.0)) * (1 if large != sweep else -1)
    middle = np.array([side * rx * y / ry, -side * ry * x / rx])
    first = np.arctan2((y - middle[1]) / ry, (x - middle[0]) / rx)
    last = np.arctan2((-y - middle[1]) / ry, (-x - middle[0]) / rx)
    along = (last - first) % (2 * np.pi) if sweep else -((first - last) % (2 * np.pi))
    if not np.isfinite(along):  # radii so unlike that an ellipse through both points cannot be computed
        return None
    centre = rotation @ middle + 0.5 * (one + other)
    curves: Floats = centre + unit_arc(float(first), float(along)) * np.array([rx, ry]) @ rotation.T
    curves[0, 0], curves[-1, 3] = start, end
    return curves


def unit_arc(start: float, sweep: float) -> Floats:
    """Cubics (n, 4, 2) along the unit circle."""
    count = max(1, int(np.ceil(abs(sweep) / _ARC_PART)))
    angles = start + sweep * np.arange(count + 1) / count
    on = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    along = np.stack([-on[:, 1], on[:, 0]], axis=-1) * (4 / 3 * np.tan(0.25 * sweep / count))
    return np.stack([on[:-1], on[:-1] + along[:-1], on[1:] - along[1:], on[1:]], axis=1)


SHAPES = ("path", "rect", "circle", "ellipse", "line", "polyline", "polygon")

Size = tuple[float, float]


def shape_paths(node: SvgNode, canvas: Size, note: Callable[[str], None]) -> list[SubPath]:
    """What a shape draws, in its own coordinates.

    canvas : width and height that percentages refer to.
    """
    if node.tag == "path":
        paths, problem = parse_path(node.attributes.get("d", ""))
        if problem is not None:
            note(f"the path on line {node.line} is drawn up to a mistake: {problem}")
        return paths
    if node.tag in ("polyline", "polygon"):
        return _polyline(node, note)
    return {"rect": _rect, "circle": _ellipse, "ellipse": _ellipse, "line": _line}[node.tag](node, canvas)


def _lengths(node: SvgNode, canvas: Size, *names: str) -> list[float]:
    """Lengths by name; a percentage is one of the canvas's width, of its height, or for a radius of both."""
    wholes = dict.fromkeys(("y", "cy", "y1", "y2", "height"), canvas[1]) | {"r": float(np.hypot(*canvas)) / np.sqrt(2)}
    return [length(node.attributes.get(name), wholes.get(name, canvas[0]), 0.0) for name in names]


def _rect(node: SvgNode, canvas: Size) -> list[SubPath]:
    x, y, width, height = _lengths(node, canvas, "x", "y", "width", "height")
    if width <= 0 or height <= 0:
        return []
    radii = [node.attributes.get(name) for name in ("rx", "ry")]
    rx, ry = (length(text, whole, -1.0) for text, whole in zip(radii, canvas, strict=True))
    rx, ry = (ry if rx < 0 else rx), (rx if ry < 0 else ry)
    rx, ry = min(max(rx, 0.0), width / 2), min(max(ry, 0.0), height / 2)
    pen = Pen()
    if rx == 0 or ry == 0:
        pen.move(x, y)
        for corner in ((x + width, y), (x + width, y + height), (x, y + height)):
            pen.line(*corner)
    else:
        right, bottom = x + width, y + height
        pen.move(x + rx, y)
        for side, corner in (
            ((right - rx, y), (right, y + ry)),
            ((right, bottom - ry), (right - rx, bottom)),
            ((x + rx, bottom), (x, bottom - ry)),
            ((x, y + ry), (x + rx, y)),
        ):
            pen.line(*side)
            pen.arc(rx, ry, 0.0, False, True, *corner)
    pen.close()
    return pen.finish()


def _ellipse(node: SvgNode, canvas: Size) -> list[SubPath]:
    x, y = _lengths(node, canvas, "cx", "cy")
    if node.tag == "circle":
        (rx,) = _lengths(node, canvas, "r")
        ry = rx
    else:
        rx, ry = (length(node.attributes.get(n), whole, -1.0) for n, whole in zip(("rx", "ry"), canvas, strict=True))
        rx, ry = (ry if rx < 0 else rx), (rx if ry < 0 else ry)
    if rx <= 0 or ry <= 0:
        return []
    curves = np.array([x, y]) + unit_arc(0.0, 2 * np.pi) * np.array([rx, ry])
    curves[-1, 3] = curves[0, 0]
    return [SubPath(curves[0, 0], curves, True)]


def _line(node: SvgNode, canvas: Size) -> list[SubPath]:
    x1, y1, x2, y2 = _lengths(node, canvas, "x1", "y1", "x2", "y2")
    pen = Pen()
    pen.move(x1, y1)
    pen.line(x2, y2)
    return pen.finish()


def _polyline(node: SvgNode, note: Callable[[str], None]) -> list[SubPath]:
    text = node.attributes.get("points", "")
    if _number.sub("", text).strip(" \t\r\n\f,"):
        note(f"the {node.tag} on line {node.line} has points that are no numbers, and is not drawn")
        return []
    numbers = _number.findall(text)
    if len(numbers) < 2:
        return []
    paths, problem = parse_path(
        "M" + " ".join(numbers[: len(numbers) // 2 * 2]) + ("Z" if node.tag == "polygon" else "")
    )
    if problem is not None:
        note(f"the {node.tag} on line {node.line} is drawn up to a mistake: {problem}")
    return paths
