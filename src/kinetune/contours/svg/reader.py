"""SVG files to drawings: paths and shapes, groups and transforms, styles, use and symbol, holes, units.

What a drawing cannot hold (text, images, clipping, gradients) is left out or simplified, and said in its
``notes``. Nothing is fetched, and scripts are ignored; see :mod:`kinetune.contours.svg.xml_tree`.
Why we read SVG ourselves: docs/decisions/0010-own-svg-reader.md.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.sampling import MOST_POINTS, check_tolerance, flatten_cubics
from kinetune.contours.svg._fill_rules import orient, to_even_odd
from kinetune.contours.svg._paths import SHAPES, SubPath, shape_paths
from kinetune.contours.svg._style import Paint, Style, StyleSheet
from kinetune.contours.svg.attribute_values import IDENTITY, Box, compose, fit, length, shifted, transform, view_box
from kinetune.contours.svg.xml_tree import SvgNode, parse_tree, read_tree
from kinetune.errors import MalformedFileError, ParameterError
from kinetune.input_files import reading
from kinetune.rotations import Floats

MOST_SHAPES = 20_000
MOST_VISITS = 100_000  # of elements, those that use repeats counted each time
MOST_CURVES = 2_000_000
_CLOSENESS = 2e-5  # of the canvas: how near a contour stays to its curve
_FAR = 1e100  # beyond it, areas overflow
_INSIDE = (*SHAPES, "svg", "g", "a", "switch", "use")
_LEFT_OUT = {
    "text": "text is not drawn: turn it into paths first",
    "image": "pictures inside the drawing are not drawn",
}
_LEFT_OUT |= {"foreignObject": "foreign objects are not drawn", "script": "scripts are ignored"}


def read_drawing(path: str | Path, *, tolerance: float | None = None) -> Drawing:
    """Read an SVG file: one layer for each shape, its curves as contours, in the units of the view box.

    Parameters
    ----------
    path : path
        The file.
    tolerance : float or None
        The largest distance between a curve and its contour, in the units of the view box; by default 1/50,000 of the
        larger side of the canvas.

    Returns
    -------
    Drawing
        Sub-paths that are filled are closed, whether or not the file closes them. Its ``notes`` say what was left out.

    Examples
    --------
    >>> drawing = read_drawing("cat.svg")
    >>> drawing.layers[0].contours[0].points.shape[1]
    2
    """
    path = Path(path)
    with reading(path):
        return _Reader(str(path), tolerance).drawing(read_tree(path), path.stem)


def parse_drawing(text: str | bytes, name: str = "", *, tolerance: float | None = None) -> Drawing:
    """The drawing in SVG text."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    with reading(name or "SVG"):
        return _Reader(name or "SVG", tolerance).drawing(parse_tree(data, name or "SVG"), name)


@dataclass
class _Visit:
    """An element to be visited, and what it inherits."""

    node: SvgNode
    matrix: Floats
    style: Style
    canvas: tuple[float, float]
    name: str = ""
    inside: frozenset[int] = field(default_factory=frozenset)  # the elements round every use that led here


@dataclass(frozen=True)
class _Shape:
    """A shape as found, before its curves become points."""

    paths: list[SubPath]
    name: str
    fill: Paint
    stroke: Paint
    style: Style
    scale: float


class _Reader:
    def __init__(self, file: str, tolerance: float | None) -> None:
        self.file = file
        self.tolerance = None if tolerance is None else check_tolerance(tolerance)
        self.notes: dict[str, None] = {}
        self.shapes: list[_Shape] = []
        self.curves = self.points = 0

    def note(self, text: str) -> None:
        if len(self.notes) < 50:
            self.notes[text] = None

    def fail(self, problem: str, advice: str | None = None) -> MalformedFileError:
        return MalformedFileError(self.file, problem, advice=advice)

    def drawing(self, root: SvgNode, name: str) -> Drawing:
        self.by_id: dict[str, SvgNode] = {}
        sheets = []
        for node in root.everything():
            if "id" in node.attributes:
                self.by_id.setdefault(node.attributes["id"].strip(), node)
            if node.tag == "style":
                sheets.append(node.text)
            elif node.tag in _LEFT_OUT:
                self.note(_LEFT_OUT[node.tag])
        self.sheet = StyleSheet(sheets)
        if self.sheet.skipped:
            self.note(f"{self.sheet.skipped} style rules are too involved and were skipped")
        box = view_box(root.attributes.get("viewBox"))
        if box is None:
            box = self._page_of(root)
        self._walk(_Visit(root, IDENTITY, Style.initial(), (300.0, 150.0) if box is None else box[2:]))
        if box is None:
            box = self._bounds()
        near = _CLOSENESS * max(box[2:]) if self.tolerance is None else self.tolerance
        try:
            layers = [layer for shape in self.shapes for layer in self._layers(shape, near)]
        except ParameterError as problem:
            raise self.fail(str(problem), "Simplify the drawing first.") from None
        if not layers:
            reason = f" ({next(iter(self.notes))})" if self.notes else ""
            raise self.fail(f"there is nothing to draw in it{reason}.", "It needs a path or a shape that is painted.")
        return Drawing(tuple(_with_own_names(layers)), box, name, tuple(self.notes))

    def _page_of(self, root: SvgNode) -> Box | None:
        """The canvas by its width and height, where they are lengths."""
        width, height = (
            0.0 if (text := root.attributes.get(side)) is None or "%" in text else length(text, 0.0, 0.0)
            for side in ("width", "height")
        )
        return (0.0, 0.0, width, height) if width > 0 and height > 0 else None

    def _bounds(self) -> Box:
        points = [path.controls.reshape(-1, 2) for shape in self.shapes for path in shape.paths if len(path.controls)]
        if not points:
            return 0.0, 0.0, 300.0, 150.0
        self.note("it has no canvas: the canvas is what is drawn")
        everything = np.concatenate(points)
        low, size = everything.min(axis=0), np.ptp(everything, axis=0)
        size = np.where(size > 0, size, max(size.max(), 1.0))
        return float(low[0]), float(low[1]), float(size[0]), float(size[1])

    def _walk(self, start: _Visit) -> None:
        """Visit every element in the order of painting."""
        waiting, visits = [start], 0
        while waiting:
            visit = waiting.pop()
            visits += 1
            if visits > MOST_VISITS or len(self.shapes) > MOST_SHAPES:
                raise self.fail(
                    f"it draws more than {MOST_SHAPES:,} shapes, or repeats elements more than {MOST_VISITS:,} times.",
                    "Split the drawing into several files.",
                )
            waiting.extend(reversed(self._visit(visit)))

    def _visit(self, visit: _Visit) -> list[_Visit]:
        """Draw a shape, or return the visits to what a group holds."""
        node = visit.node
        style = visit.style.child(node, self.sheet, self.note)
        if not style.shown:
            return []
        matrix = transform(style.transform)
        if matrix is None:
            self.note(f'the transform "{style.transform[:40]}" cannot be read; what it moves is not drawn')
            return []
        if matrix is not IDENTITY and node.parent is not None:
            visit.matrix = compose(visit.matrix, matrix)
        visit.style = style
        if node.tag in SHAPES:
            self._draw(visit)
            return []
        if node.tag == "use":
            return self._use(visit)
        if node.tag in ("svg", "symbol"):
            self._enter_page(visit)
        children = [child for child in node.children if child.tag in _INSIDE]
        if node.tag == "switch":
            children = children[:1]
        only = len(children) == 1 and node.parent is not None
        name = (_name_of(node) or visit.name) if only else ""
        return [_Visit(child, visit.matrix, style, visit.canvas, name, visit.inside) for child in children]

    def _enter_page(self, visit: _Visit) -> None:
        """An inner svg or symbol: a canvas of its own in a rectangle of the outer one."""
        node = visit.node
        if node.parent is None:
            return
        asked = node.attributes
        x, y = (length(asked.get(k), whole, 0.0) for k, whole in zip("xy", visit.canvas, strict=True))
        width, height = (
            length(asked.get(k), whole, whole) for k, whole in zip(("width", "height"), visit.canvas, strict=True)
        )
        box = view_box(asked.get("viewBox"))
        if box is None:
            visit.matrix, visit.canvas = compose(visit.matrix, shifted(x, y)), (width, height)
        elif width > 0 and height > 0:
            how = asked.get("preserveAspectRatio", "xMidYMid")
            visit.matrix = compose(visit.matrix, fit(box, (x, y, width, height), how))
            visit.canvas = box[2:]

    def _use(self, visit: _Visit) -> list[_Visit]:
        node = visit.node
        href = node.attributes.get("href", "").strip()
        target = self.by_id.get(href[1:]) if href.startswith("#") else None
        if target is None:
            outside = bool(href) and not href.startswith("#")
            self.note("what lies in other files is not fetched" if outside else f'there is no element "{href}" to use')
            return []
        inside = set(visit.inside)
        outer = node.parent
        while outer is not None:
            inside.add(id(outer))
            outer = outer.parent
        if id(target) in inside:
            self.note(f'the element "{href}" uses itself, which is not drawn')
            return []
        x, y = (length(node.attributes.get(k), whole, 0.0) for k, whole in zip("xy", visit.canvas, strict=True))
        inside.add(id(target))
        name = _name_of(node) or _name_of(target) or visit.name
        if target.tag in ("symbol", "svg"):  # a copy with the size that use asks for
            sizes = {k: node.attributes[k] for k in ("width", "height") if k in node.attributes}
            target = SvgNode("symbol", target.attributes | sizes, target.line, target, target.children)
        return [
            _Visit(target, compose(visit.matrix, shifted(x, y)), visit.style, visit.canvas, name, frozenset(inside))
        ]

    def _draw(self, visit: _Visit) -> None:
        style = visit.style
        if not style.visible:
            return
        fill = style.paint("fill", self.by_id, self.note)
        stroke = style.paint("stroke", self.by_id, self.note)
        if style.stroke_width == 0:
            stroke = Paint(None, 1.0)
        if fill.colour is None and stroke.colour is None:
            return
        with np.errstate(over="ignore", invalid="ignore"):  # what is too far out is left out below
            paths = [path.transformed(visit.matrix) for path in shape_paths(visit.node, visit.canvas, self.note)]
        seen = [path for path in paths if np.all(np.abs(path.controls) < _FAR)]
        if len(seen) < len(paths):
            self.note("a curve runs so far off the canvas that it cannot be drawn")
            paths = seen
        self.curves += sum(len(path.controls) for path in paths)
        if self.curves > MOST_CURVES:
            raise self.fail(f"it has more than {MOST_CURVES:,} lines and curves.", "Simplify the drawing first.")
        scale = float(np.sqrt(abs(np.linalg.det(visit.matrix[:, :2]))))
        self.shapes.append(_Shape(paths, _name_of(visit.node) or visit.name, fill, stroke, style, scale))

    def _layers(self, shape: _Shape, near: float) -> list[Layer]:
        """One layer; two where a curve is filled but its stroke leaves it open."""
        flat = flatten_cubics([path.controls for path in shape.paths], near)
        self.points += sum(map(len, flat))
        if self.points > MOST_POINTS:
            raise self.fail(f"its curves take more than {MOST_POINTS:,} points.", "Simplify the drawing first.")
        traced = [self._contour(path, points) for path, points in zip(shape.paths, flat, strict=True)]
        drawn = [contour for contour in traced if contour is not None]
        filled = self._filled(shape, drawn)
        stroke_width = shape.scale * shape.style.stroke_width
        paint = {"fill": shape.fill.colour, "fill_opacity": shape.fill.opacity}
        pen = {"stroke": shape.stroke.colour, "stroke_opacity": shape.stroke.opacity, "stroke_width": stroke_width}
        pen |= {"stroke_cap": shape.style.stroke_cap, "stroke_join": shape.style.stroke_join}
        if shape.stroke.colour is None:
            return [Layer(filled, shape.name, **paint)] if filled else []  # type: ignore[arg-type]
        if not filled:
            return [Layer(tuple(drawn), shape.name, fill=None, **pen)] if drawn else []  # type: ignore[arg-type]
        if all(contour.closed for contour in drawn) and _same_curves(filled, drawn):
            return [Layer(filled, shape.name, **paint, **pen)]  # type: ignore[arg-type]
        outline = f"{shape.name} outline" if shape.name else ""
        return [
            Layer(filled, shape.name, **paint),  # type: ignore[arg-type]
            Layer(tuple(drawn), outline, fill=None, **pen),  # type: ignore[arg-type]
        ]

    def _filled(self, shape: _Shape, drawn: list[Contour]) -> tuple[Contour, ...]:
        """The curves round what is filled: closed, by the even-odd rule, clockwise round paint."""
        closed = tuple(Contour(contour.points) for contour in drawn if not _flat(contour.points))
        if shape.fill.colour is None or not closed:
            return ()
        if not shape.style.even_odd:
            closed, problem = to_even_odd(closed)
            if problem is not None:
                self.note(f'the shape "{shape.name}" {problem}' if shape.name else f"a shape {problem}")
        return orient(closed)

    def _contour(self, path: SubPath, points: Floats) -> Contour | None:
        """A sub-path through the points after its first; None for a dot."""
        points = np.concatenate([path.start[None], points])
        apart = np.concatenate([[True], np.any(np.diff(points, axis=0) != 0, axis=1)])
        points = points[apart]
        size = float(np.ptp(points, axis=0).max())
        joined = len(points) > 2 and float(np.abs(points[-1] - points[0]).max()) <= 1e-6 * size
        if joined:
            points = points[:-1]
        if len(points) < 2:
            self.note("a path of a single point is not drawn")
            return None
        return Contour(points, path.closed or joined)


def _flat(points: Floats) -> bool:
    """Whether all points lie on one line, so that there is nothing to fill."""
    spokes = points - points[0]
    longest = spokes[np.argmax(np.sum(spokes * spokes, axis=1))]
    across = spokes[:, 0] * longest[1] - spokes[:, 1] * longest[0]
    return bool(np.abs(across).max() <= 1e-12 * np.sum(longest * longest))


def _same_curves(filled: tuple[Contour, ...], drawn: list[Contour]) -> bool:
    """Whether a stroke along what is filled is a stroke along what was drawn."""
    return len(filled) == len(drawn) and all(
        len(one) == len(other) and np.array_equal(one.points[0], other.points[0])
        for one, other in zip(filled, drawn, strict=True)
    )


def _name_of(node: SvgNode) -> str:
    """What a drawing program calls an element: its label, id or title."""
    title = next((child.text.strip() for child in node.children if child.tag == "title"), "")
    return node.attributes.get("label", "").strip() or node.attributes.get("id", "").strip() or title


def _with_own_names(layers: list[Layer]) -> list[Layer]:
    """Number layers of the same name; layers without one keep none."""
    seen: Counter[str] = Counter()
    taken = {layer.name for layer in layers}
    named = []
    for layer in layers:
        name = layer.name
        seen[name] += 1
        if name and seen[name] > 1:
            number = seen[name]
            while f"{name} {number}" in taken:
                number += 1
            name = f"{layer.name} {number}"
            taken.add(name)
        named.append(Layer(**{**layer.__dict__, "name": name}))
    return named
