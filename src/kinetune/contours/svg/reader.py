"""SVG files to drawings: paths and shapes, groups and transforms, styles, use and symbol, clips, gradients, units.

What a drawing cannot hold (text, images, filters) is left out, and said in its ``notes``. Nothing is fetched, and
scripts are ignored; see :mod:`kinetune.contours.svg.xml_tree`.
Why we read SVG ourselves: docs/decisions/0010-own-svg-reader.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.sampling import MOST_POINTS, check_tolerance, flatten_cubics
from kinetune.contours.svg._fill_rules import orient, to_even_odd
from kinetune.contours.svg._paint_servers import Paint, PaintServers, Place
from kinetune.contours.svg._paths import SHAPES, SubPath, shape_paths
from kinetune.contours.svg._repeats import marker_matrix, tiles, vertices
from kinetune.contours.svg._style import GEOMETRY, Style, StyleSheet, on_screen, transform_origin
from kinetune.contours.svg.areas import (
    TooLargeError,
    clip_layers,
    even_odd_area,
    fade_layers,
    line_area,
    mask_region,
    stroke_as_fill,
)
from kinetune.contours.svg.attribute_values import (
    IDENTITY,
    Box,
    compose,
    fit,
    in_pixels,
    length,
    shifted,
    transform,
    view_box,
)
from kinetune.contours.svg.xml_tree import SvgNode, parse_tree, read_tree
from kinetune.errors import MalformedFileError, ParameterError
from kinetune.input_files import reading
from kinetune.rotations import Floats

MOST_SHAPES = 20_000
MOST_VISITS = 100_000  # of elements, those that use repeats counted each time
MOST_CURVES = 2_000_000
MOST_DASHES = 20_000
MOST_NESTED_CLIPS = 16
_CLOSENESS = 2e-5  # of the canvas: how near a contour stays to its curve
_FAR = 1e9  # of the canvas: what reaches further has no digits left for its form
_INSIDE = (*SHAPES, "svg", "g", "a", "switch", "use")
_LENGTHS = GEOMETRY - {"d"} | {"x1", "y1", "x2", "y2"}
_LEFT_OUT = {
    "text": "text is not drawn: turn it into paths first",
    "image": "pictures inside the drawing are not drawn",
    "foreignObject": "foreign objects are not drawn",
    "script": "scripts are ignored",
}
_LEFT_OUT |= dict.fromkeys(("animate", "animateTransform", "animateMotion", "set"), "animations are not played")


def read_svg(path: str | Path, *, tolerance: float | None = None) -> Drawing:
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
    >>> drawing = read_svg("cat.svg")
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
    group: _Group
    name: str = ""
    inside: frozenset[int] = field(default_factory=frozenset)  # the elements round every use that led here


@dataclass(frozen=True)
class _Shape:
    """A shape as read, before its curves become points.

    paths : in the coordinates of the drawing; matrix : from those of the element.
    dashed : what the lengths of dashes are multiplied by.
    """

    paths: list[SubPath]
    name: str
    style: Style
    matrix: Floats
    canvas: tuple[float, float]
    dashed: float = 1.0
    tag: str = "path"


@dataclass(eq=False)
class _Group:
    """Shapes that are clipped, masked or faded together.

    matrix : of the element that says so; viewport : corners (4, 2) beyond which nothing shows.
    """

    matrix: Floats
    canvas: tuple[float, float]
    members: list[_Group | _Shape] = field(default_factory=list)
    opacity: float = 1.0
    clip: SvgNode | None = None
    mask: SvgNode | None = None
    viewport: Floats | None = None

    def everything(self) -> list[_Group]:
        """This group and all in it, outer ones first."""
        groups: list[_Group] = [self]
        for group in groups:
            groups += [member for member in group.members if isinstance(member, _Group)]
        return groups


class _Reader:
    def __init__(self, file: str, tolerance: float | None) -> None:
        self.file = file
        self.tolerance = None if tolerance is None else check_tolerance(tolerance)
        self.notes: dict[str, None] = {}
        self.visits = self.shapes = self.curves = self.points = self.dots = 0
        self.clipping: list[SvgNode] = []  # the clips and masks that are being drawn
        self.regions: dict[tuple[Any, ...], Any] = {}

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
                kind, media = (node.attributes.get(name, "").strip() for name in ("type", "media"))
                if kind in ("", "text/css") and on_screen(media):
                    sheets.append(node.text)
            elif node.tag in _LEFT_OUT:
                self.note(_LEFT_OUT[node.tag])
        self.sheet = StyleSheet(sheets)
        if self.sheet.skipped:
            self.note(f"{self.sheet.skipped} style rules are too involved and were skipped")
        self.servers = PaintServers(self.by_id, self.sheet, self.note)
        box = view_box(root.attributes.get("viewBox"))
        page = self._page_of(root)
        self.pixel = 1.0 if box is None or page is None else min(box[2] / page[2], box[3] / page[3])
        box = box or page
        canvas = (300.0, 150.0) if box is None else box[2:]
        self.reach = _FAR * max(canvas)
        picture = _Group(IDENTITY, canvas)
        self._walk(_Visit(root, IDENTITY, Style.initial(), canvas, picture))
        if box is None:
            box = self._bounds(picture)
        self.near = _CLOSENESS * max(box[2:]) if self.tolerance is None else self.tolerance
        try:
            layers = self._painted(picture)
        except ParameterError as problem:
            raise self.fail(str(problem), "Simplify the drawing first.") from None
        if not layers:
            if self.dots:
                self.note("a path of a single point is not drawn")
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

    def _bounds(self, picture: _Group) -> Box:
        shapes = [member for group in picture.everything() for member in group.members if isinstance(member, _Shape)]
        points = [path.controls.reshape(-1, 2) for shape in shapes for path in shape.paths if len(path.controls)]
        if not points:
            return 0.0, 0.0, 300.0, 150.0
        self.note("it has no canvas: the canvas is what is drawn")
        everything = np.concatenate(points)
        low, size = everything.min(axis=0), np.ptp(everything, axis=0)
        size = np.where(size > 0, size, max(size.max(), 1.0))
        return float(low[0]), float(low[1]), float(size[0]), float(size[1])

    def _walk(self, start: _Visit) -> None:
        """Visit every element in the order of painting."""
        waiting = [start]
        while waiting:
            visit = waiting.pop()
            self.visits += 1
            if self.visits > MOST_VISITS or self.shapes > MOST_SHAPES:
                raise self.fail(
                    f"it draws more than {MOST_SHAPES:,} shapes, or repeats elements more than {MOST_VISITS:,} times.",
                    "Split the drawing into several files.",
                )
            waiting.extend(reversed(self._visit(visit)))

    def _visit(self, visit: _Visit) -> list[_Visit]:
        """Collect a shape, or return the visits to what a group holds."""
        if not _conditions_hold(visit.node):
            return []
        style = visit.style.child(visit.node, self.sheet, self.note)
        if not style.shown:
            return []
        node = visit.node = _measured(visit.node, style)
        text = style.transform.strip()
        frame = self._reference_box(visit, style) if text not in ("", "none") else None
        matrix = IDENTITY if frame is None else transform(text, frame[2:])
        if matrix is None:
            self.note(f'the transform "{text[:40]}" cannot be read; what it moves is not drawn')
            return []
        if frame is not None and matrix is not IDENTITY and node.parent is not None:
            visit.matrix = compose(visit.matrix, _about_origin(style, matrix, frame))
        visit.style = style
        self._enter_group(visit)
        if node.tag in SHAPES:
            self._collect(visit)
            return []
        if node.tag == "use":
            return self._use(visit)
        if node.tag in ("svg", "symbol"):
            self._enter_page(visit)
        children = [child for child in node.children if child.tag in _INSIDE]
        if node.tag == "switch":
            children = self._chosen(node)
        only = len(children) == 1 and node.parent is not None
        name = (_name_of(node) or visit.name) if only else ""
        return [_Visit(child, visit.matrix, style, visit.canvas, visit.group, name, visit.inside) for child in children]

    def _reference_box(self, visit: _Visit, style: Style) -> Box | None:
        """What the transform of an element is measured by: its own box, or the canvas; None for a shape of nothing."""
        page = (0.0, 0.0, *visit.canvas)
        asked = style.alone.get("transform-box", "view-box")
        if asked in ("view-box", "inherit", "unset", "initial"):
            return page
        if asked in ("stroke-box", "border-box"):
            self.note("a transform about the box of a stroke is done about the box of the fill")
        if visit.node.tag not in SHAPES:
            self.note("a transform about the middle of a group is not drawn right")
            return page
        paths = shape_paths(visit.node, visit.canvas, self.note)
        if not paths:
            return None
        curves = flatten_cubics([path.controls for path in paths], 1e-3 * max(1.0, max(visit.canvas)))
        left, top, width, height = _box_of(np.concatenate([*curves, *(path.start[None] for path in paths)])).tolist()
        return left, top, width, height

    def _enter_group(self, visit: _Visit) -> None:
        """A group of its own for an element that is clipped, masked or faded as a whole."""
        style = visit.style
        clip, mask = (self._referred(style.alone.get(name), name) for name in ("clip-path", "mask"))
        if clip is None and mask is None and (style.opacity == 1.0 or self._only_clips()):
            return
        group = _Group(visit.matrix, visit.canvas, opacity=style.opacity, clip=clip, mask=mask)
        visit.group.members.append(group)
        visit.group = group

    def _referred(self, text: str | None, name: str) -> SvgNode | None:
        """The clip or mask that a style names."""
        if text in (None, "", "none", "inherit", "unset", "initial") or (name == "mask" and self._only_clips()):
            return None
        assert text is not None
        inside = text.removeprefix("url(").rstrip(")").strip(" '\"")
        target = self.by_id.get(inside[1:]) if text.startswith("url(") and inside.startswith("#") else None
        if not text.startswith("url(") or (target is not None and target.tag not in ("clipPath", "mask", "marker")):
            self.note(f'{name} "{text[:40]}" is not applied')
            return None
        return target

    def _only_clips(self) -> bool:
        return bool(self.clipping) and self.clipping[-1].tag == "clipPath"

    def _chosen(self, node: SvgNode) -> list[SvgNode]:
        """Of a switch, the first child whose conditions hold: languages are English, extensions are none."""
        for child in node.children:
            if _conditions_hold(child) and child.tag in (*_INSIDE, "text", "image"):
                return [child] if child.tag in _INSIDE else []
        return []

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
        if visit.style.alone.get("overflow") not in ("visible", "auto") and width > 0 and height > 0:
            corners = np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]])
            group = _Group(visit.matrix, visit.canvas, viewport=corners @ visit.matrix[:, :2].T + visit.matrix[:, 2])
            visit.group.members.append(group)
            visit.group = group
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
        elif target.tag not in _INSIDE:
            return []
        matrix = compose(visit.matrix, shifted(x, y))
        return [_Visit(target, matrix, visit.style, visit.canvas, visit.group, name, frozenset(inside))]

    def _collect(self, visit: _Visit) -> None:
        """Put a shape into its group."""
        style = visit.style
        if self._only_clips():
            painted = {"fill": "black", "fill-opacity": "1", "fill-rule": style.values["clip-rule"], "stroke": "none"}
            style = Style(style.values | painted, style.alone)
        if not style.visible or (style.values["fill"] == "none" and style.values["stroke"] == "none"):
            return
        with np.errstate(over="ignore", invalid="ignore"):  # what is too far out is left out below
            local = shape_paths(visit.node, visit.canvas, self.note)
            paths = [path.transformed(visit.matrix) for path in local]
        seen = [path for path in paths if np.all(np.abs(path.controls) < self.reach)]
        if len(seen) < len(paths):
            self.note("a curve runs so far off the canvas that it cannot be drawn")
            paths = seen
        self.curves += sum(len(path.controls) for path in paths)
        if self.curves > MOST_CURVES:
            raise self.fail(f"it has more than {MOST_CURVES:,} lines and curves.", "Simplify the drawing first.")
        self.shapes += 1
        name = _name_of(visit.node) or visit.name
        asked = length(visit.node.attributes.get("pathLength"), 1.0, 0.0)
        visit.group.members.append(_Shape(paths, name, style, visit.matrix, visit.canvas, asked, visit.node.tag))

    def _painted(self, picture: _Group) -> list[Layer]:
        """The layers of a group, inner groups first put together."""
        done: dict[_Group, tuple[list[Layer], list[Floats]]] = {}
        for group in reversed(picture.everything()):
            layers: list[Layer] = []
            points: list[Floats] = []
            for member in group.members:
                more, their_points = done.pop(member) if isinstance(member, _Group) else self._layers(member)
                layers += more
                points += their_points
            done[group] = self._in_group(group, layers, points), points
        return done[picture][0]

    def _in_group(self, group: _Group, layers: list[Layer], points: list[Floats]) -> list[Layer]:
        """The layers of a group after it is clipped, masked and faded."""
        for what, applied in (
            ("clipping paths", self._clipped),
            ("masks", self._masked),
            ("the opacity of a group", self._faded),
        ):
            if layers:
                layers = self._attempt(lambda now, run=applied: run(group, now, points), layers, what)  # type: ignore[misc]
        return layers

    def _attempt(self, change: Callable[[list[Layer]], list[Layer]], layers: list[Layer], what: str) -> list[Layer]:
        import shapely

        try:
            return change(layers)
        except (TooLargeError, shapely.errors.GEOSException):
            self.note(f"{what} of a very large or involved shape could not be applied")
            return layers

    def _clipped(self, group: _Group, layers: list[Layer], points: list[Floats]) -> list[Layer]:
        import shapely

        if group.viewport is not None:
            layers = clip_layers(layers, shapely.polygons(group.viewport))
        if group.clip is not None and layers:
            region = self._clip_region(group.clip, group.matrix, group.canvas, points)
            layers = layers if region is None else clip_layers(layers, region)
        return layers

    def _masked(self, group: _Group, layers: list[Layer], points: list[Floats]) -> list[Layer]:
        if group.mask is None:
            return layers
        import shapely

        shown = self._nested(group.mask, group.matrix, group.canvas, points, "maskContentUnits")
        if shown is None:
            return layers
        style = Style.initial().child(group.mask, self.sheet, self.note)
        region = mask_region(shown, style.alone.get("mask-type") != "alpha")
        if region is None:
            self.note("masks in shades of grey are not applied")
            return layers
        asked = group.mask.attributes
        in_box = asked.get("maskUnits") != "userSpaceOnUse"
        box = self._local_box(points, group.matrix)
        wide, high = (1.0, 1.0) if in_box else group.canvas
        x, y = length(asked.get("x"), wide, -0.1 * wide), length(asked.get("y"), high, -0.1 * high)
        right, bottom = (
            x + length(asked.get("width"), wide, 1.2 * wide),
            y + length(asked.get("height"), high, 1.2 * high),
        )
        corners = np.array([[x, y], [right, y], [right, bottom], [x, bottom]])
        if in_box:
            corners = corners * box[2:] + box[:2]
        bounds = shapely.polygons(corners @ group.matrix[:, :2].T + group.matrix[:, 2])
        clipped = clip_layers(layers, shapely.intersection(region[0], bounds))
        return clipped if region[1] >= 0.996 else fade_layers(clipped, region[1], self.note)

    def _faded(self, group: _Group, layers: list[Layer], points: list[Floats]) -> list[Layer]:
        return layers if group.opacity == 1.0 else fade_layers(layers, group.opacity, self.note)

    def _clip_region(
        self, node: SvgNode, matrix: Floats, canvas: tuple[float, float], points: list[Floats]
    ) -> Any | None:
        """What a clip path shows, as an area of the drawing; None where it cannot be drawn."""
        import shapely

        in_box = node.attributes.get("clipPathUnits") == "objectBoundingBox"
        key = (id(node), matrix.tobytes(), self._local_box(points, matrix).tobytes() if in_box else b"")
        if key not in self.regions:
            layers = self._nested(node, matrix, canvas, points, "clipPathUnits")
            if layers is None:
                self.regions[key] = None
            else:
                region = shapely.unary_union([even_odd_area(layer.contours) for layer in layers])
                outer = Style.initial().child(node, self.sheet, self.note).alone.get("clip-path")
                around = self._referred(outer, "clip-path")
                if around is not None and around is not node:
                    self.clipping.append(node)
                    whole = self._clip_region(around, matrix, canvas, points)
                    self.clipping.pop()
                    region = region if whole is None else shapely.intersection(region, whole)
                self.regions[key] = region
        return self.regions[key]

    def _nested(
        self, node: SvgNode, matrix: Floats, canvas: tuple[float, float], points: list[Floats], units: str
    ) -> list[Layer] | None:
        """The layers inside a clip path or mask; None where it refers to itself."""
        if node in self.clipping or len(self.clipping) >= MOST_NESTED_CLIPS:
            self.note(f"a {node.tag} that refers to itself is not applied")
            return None
        style = Style.initial().child(node, self.sheet, self.note)
        moved = transform(style.alone.get("transform", ""))
        if moved is not None:
            matrix = compose(matrix, moved)
        if node.attributes.get(units) == "objectBoundingBox":
            left, top, width, height = self._local_box(points, matrix).tolist()
            matrix, canvas = compose(matrix, np.array([[width, 0.0, left], [0.0, height, top]])), (1.0, 1.0)
        group = _Group(matrix, canvas)
        inside = Style(style.values)
        self.clipping.append(node)
        try:
            kinds = (*SHAPES, "use") if node.tag == "clipPath" else _INSIDE
            for child in node.children:
                if child.tag in kinds:
                    self._walk(_Visit(child, matrix, inside, canvas, group))
            return self._painted(group)
        finally:
            self.clipping.pop()

    def _local_box(self, points: list[Floats], matrix: Floats) -> Floats:
        """Left, top, width and height of points of the drawing, in coordinates that a matrix maps to it."""
        if not points or abs(np.linalg.det(matrix[:, :2])) < 1e-300:
            return np.zeros(4)
        everything = np.concatenate(points)
        return _box_of(np.linalg.solve(matrix[:, :2], (everything - matrix[:, 2]).T).T)

    def _layers(self, shape: _Shape) -> tuple[list[Layer], list[Floats]]:
        """The layers of a shape, mostly one, and the points of its curves."""
        flat = flatten_cubics([path.controls for path in shape.paths], self.near)
        self.points += sum(map(len, flat))
        if self.points > MOST_POINTS:
            raise self.fail(f"its curves take more than {MOST_POINTS:,} points.", "Simplify the drawing first.")
        dots = shape.style.values["stroke"] != "none" and shape.style.stroke_cap != "butt"
        traced = [self._contour(path, points, dots) for path, points in zip(shape.paths, flat, strict=True)]
        drawn = [contour for contour in traced if contour is not None]
        if not drawn:
            return [], []
        points = [contour.points for contour in drawn]
        place = Place(shape.matrix, self._local_box(points, shape.matrix), shape.canvas)
        fill, stroke = (self.servers.paint(shape.style, which, place) for which in ("fill", "stroke"))
        below = self._filled(shape, drawn, fill)
        if fill.pattern is not None:
            below = self._tiled(shape, drawn, fill, place)
        if stroke.pattern is not None:
            self.note("strokes by a pattern are not drawn")
        above = self._stroked(shape, drawn, stroke)
        marks = self._marked(shape)
        if shape.style.stroke_below_fill:
            return [*above, *below, *marks], points
        if len(below) == 1 and len(above) == 1:
            (filled,), (line,) = below, above
            closed = all(contour.closed for contour in drawn)
            if line.stroke is not None and closed and _same_curves(filled.contours, line.contours):
                return [replace(line, contours=filled.contours, name=filled.name, **_fill_of(filled)), *marks], points
        return [*below, *above, *marks], points

    def _tiled(self, shape: _Shape, drawn: list[Contour], paint: Paint, place: Place) -> list[Layer]:
        """The tiles of a pattern inside a shape; the same parts of all tiles are one layer."""
        node = paint.pattern
        assert node is not None
        asked, holder = self._borrowed(node)
        laid = tiles(asked, place.matrix, place.box, place.canvas)
        area = self._filled(shape, drawn, Paint("#000000"))
        if laid is None or not area or node in self.clipping or len(self.clipping) >= MOST_NESTED_CLIPS:
            self.note("a pattern of very many tiles, or without any, is not drawn")
            return []
        one_each: list[list[Layer]] = []
        self.clipping.append(node)
        try:
            for corners, matrix in laid:
                one_each.append(self._small_drawing(holder, matrix, corners, shape))
        finally:
            self.clipping.pop()
        layers = [layer for tile in one_each for layer in tile]
        if len({len(tile) for tile in one_each}) == 1:  # as many parts in each tile
            layers = [
                replace(parts[0], contours=tuple(contour for part in parts for contour in part.contours))
                for parts in zip(*one_each, strict=True)
            ]

        def cut(now: list[Layer]) -> list[Layer]:
            inside = clip_layers(now, even_odd_area(area[0].contours))
            return inside if paint.opacity == 1.0 else fade_layers(inside, paint.opacity, self.note)

        return [replace(layer, name=shape.name) for layer in self._attempt(cut, layers, "a pattern")]

    def _borrowed(self, node: SvgNode) -> tuple[dict[str, str], SvgNode]:
        """The attributes of a pattern and the element that holds its content, others lending what it lacks."""
        asked, holder = dict(node.attributes), node
        for _ in range(MOST_NESTED_CLIPS):
            other = self.by_id.get(node.attributes.get("href", "").strip().removeprefix("#"))
            if other is None or other.tag != "pattern":
                break
            asked = other.attributes | asked
            holder, node = (holder if holder.children else other), other
        return asked, holder

    def _small_drawing(self, node: SvgNode, matrix: Floats, corners: Floats | None, shape: _Shape) -> list[Layer]:
        """The layers of a tile or marker of a shape, cut off at its corners."""
        canvas = shape.canvas
        group = _Group(matrix, canvas, viewport=corners)
        context = {f"context-{which}": shape.style.values[which] for which in ("fill", "stroke")}
        style = Style(Style.initial().child(node, self.sheet, self.note).values | context)
        for child in node.children:
            if child.tag in _INSIDE:
                self._walk(_Visit(child, matrix, style, canvas, group))
        return self._painted(group)

    def _marked(self, shape: _Shape) -> list[Layer]:
        """The markers at the ends and corners of a line."""
        values = shape.style.values
        names = [name for name in ("marker-start", "marker-mid", "marker-end") if values[name] != "none"]
        if not names or shape.tag not in ("path", "line", "polyline", "polygon"):
            return []
        if abs(np.linalg.det(shape.matrix[:, :2])) < 1e-300 or len(self.clipping) >= MOST_NESTED_CLIPS:
            return []
        width = shape.style.stroke_width(float(np.hypot(*shape.canvas) / np.sqrt(2)))
        inverse = np.linalg.inv(np.vstack([shape.matrix, [0.0, 0.0, 1.0]]))[:2]
        layers: list[Layer] = []
        for which, point, angle in vertices([path.transformed(inverse) for path in shape.paths]):
            node = self._referred(values[which], which) if which in names else None
            if node is None or node in self.clipping:
                continue
            inner, corners = marker_matrix(node.attributes, which, point, angle, width)
            hidden = Style.initial().child(node, self.sheet, self.note).alone.get("overflow") not in ("visible", "auto")
            corners = corners @ shape.matrix[:, :2].T + shape.matrix[:, 2]
            self.clipping.append(node)
            try:
                matrix = compose(shape.matrix, inner)
                layers += self._small_drawing(node, matrix, corners if hidden else None, shape)
            finally:
                self.clipping.pop()
        return layers

    def _filled(self, shape: _Shape, drawn: list[Contour], paint: Paint) -> list[Layer]:
        """The layer of what is filled: closed, by the even-odd rule, clockwise round paint."""
        closed = tuple(Contour(contour.points) for contour in drawn if not _flat(contour.points))
        if paint.colour is None or not closed:
            return []
        if shape.style.values["fill-rule"] != "evenodd":
            closed, problem = to_even_odd(closed)
            if problem is not None:
                self.note(f'the shape "{shape.name}" {problem}' if shape.name else f"a shape {problem}")
        contours = orient(closed)
        return [
            Layer(contours, shape.name, fill=paint.colour, fill_opacity=paint.opacity, fill_gradient=paint.gradient)
        ]

    def _stroked(self, shape: _Shape, drawn: list[Contour], paint: Paint) -> list[Layer]:
        """The layer of the stroke; as an area where the pen is skewed."""
        style = shape.style
        diagonal = float(np.hypot(*shape.canvas) / np.sqrt(2))
        width = style.stroke_width(diagonal)
        if paint.colour is None or width == 0:
            return []
        steady = style.alone.get("vector-effect") == "non-scaling-stroke"
        sizes = np.linalg.svd(shape.matrix[:, :2], compute_uv=False)
        if steady:
            scale, skewed = self.pixel, False
        else:
            scale, skewed = float(np.sqrt(sizes[0] * sizes[1])), bool(sizes[0] > 1.001 * sizes[1])
        if scale == 0:
            return []
        local = shape.matrix if skewed else scale * IDENTITY
        if skewed:
            drawn = [_moved_back(contour, shape.matrix) for contour in drawn]
        lengths, offset = style.dashes(diagonal)
        if lengths:
            drawn = self._dashed(drawn, lengths, offset, 1.0 if skewed else scale, shape.dashed)
        if not drawn:
            return []
        both = shape.style.values["fill"] != "none"
        line = Layer(
            tuple(drawn),
            f"{shape.name} outline" if shape.name and both else shape.name,
            fill=None,
            stroke=paint.colour,
            stroke_width=width if skewed else scale * width,
            stroke_opacity=paint.opacity,
            stroke_cap=style.stroke_cap,
            stroke_join=style.stroke_join,
            stroke_miter_limit=style.stroke_miter_limit,
            stroke_gradient=paint.gradient,
        )
        if not skewed:
            return [line]

        def outlined(layers: list[Layer]) -> list[Layer]:
            area = stroke_as_fill(layers[0], line_area(layers[0]))
            return [] if area is None else [area]

        areas = self._attempt(outlined, [line], "a skewed stroke")
        return [
            layer.replace_contours(tuple(c.moved(c.points @ local[:, :2].T + local[:, 2]) for c in layer.contours))
            for layer in areas
        ]

    def _dashed(
        self, drawn: list[Contour], lengths: list[float], offset: float, scale: float, asked: float
    ) -> list[Contour]:
        """The dashes along curves, as open lines; asked: the length that the file says the path has."""
        total = sum(contour.length() for contour in drawn)
        if asked > 0:
            scale = total / asked
        pattern = scale * np.array(lengths)
        if total / pattern.sum() * len(pattern) > MOST_DASHES:
            self.note(f"more than {MOST_DASHES:,} dashes are drawn as one line")
            return drawn
        return [dash for contour in drawn for dash in _dashes(contour, pattern, scale * offset)]

    def _contour(self, path: SubPath, points: Floats, dots: bool) -> Contour | None:
        """A sub-path through the points after its first; a dot is two points at most, and drawn by round ends only."""
        points = np.concatenate([path.start[None], points])
        apart = np.concatenate([[True], np.any(np.diff(points, axis=0) != 0, axis=1)])
        points = points[apart]
        size = float(np.ptp(points, axis=0).max())
        joined = len(points) > 2 and float(np.abs(points[-1] - points[0]).max()) <= 1e-6 * size
        if joined:
            points = points[:-1]
        if len(points) < 2:
            if dots and (path.closed or len(path.controls)):
                return Contour(np.repeat(points, 2, axis=0), closed=False)
            self.dots += 1  # SVG shows nothing there either
            return None
        return Contour(points, path.closed or joined)


def _conditions_hold(node: SvgNode) -> bool:
    """Whether an element is for an English reader who has no extensions."""
    tongues = (tongue.strip().lower() for tongue in node.attributes.get("systemLanguage", "en").split(","))
    english = any(tongue == "en" or tongue.startswith("en-") for tongue in tongues)
    return english and not node.attributes.get("requiredExtensions", "").strip()


def _measured(node: SvgNode, style: Style) -> SvgNode:
    """An element with the geometry that its style gives it, and lengths in letters as pixels."""
    given = {name: style.alone[name] for name in GEOMETRY & style.alone.keys()}
    if "d" in given:
        given["d"] = given["d"].removeprefix("path(").rstrip(") ").strip("\"'")
    em = style.values["font-size"]
    if em != "16px":
        attributes = node.attributes | given
        measured = {name: in_pixels(attributes[name], length(em, 16.0, 16.0)) for name in attributes.keys() & _LENGTHS}
        given |= {name: text for name, text in measured.items() if text != attributes[name]}
    return replace(node, attributes=node.attributes | given) if given else node


def _fill_of(layer: Layer) -> dict[str, Any]:
    return {"fill": layer.fill, "fill_opacity": layer.fill_opacity, "fill_gradient": layer.fill_gradient}


def _about_origin(style: Style, matrix: Floats, frame: Box) -> Floats:
    """A transform about the origin that the style names in a box."""
    text = style.alone.get("transform-origin", "")
    inside = style.alone.get("transform-box", "view-box") != "view-box"
    x, y = transform_origin(text, *frame[2:]) if text or inside else (0.0, 0.0)
    return compose(compose(shifted(frame[0] + x, frame[1] + y), matrix), shifted(-frame[0] - x, -frame[1] - y))


def _box_of(points: Floats) -> Floats:
    """Left, top, width, height of points (n, 2)."""
    low = points.min(axis=0)
    return np.concatenate([low, points.max(axis=0) - low])


def _moved_back(contour: Contour, matrix: Floats) -> Contour:
    """A curve of the drawing in the coordinates that a matrix maps to it."""
    return contour.moved(np.linalg.solve(matrix[:, :2], (contour.points - matrix[:, 2]).T).T)


def _dashes(contour: Contour, pattern: Floats, offset: float) -> list[Contour]:
    """The dashes of one curve: lengths of dash and gap in turn, from so far into them on."""
    path = contour.path
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    edges = np.concatenate([[0.0], np.cumsum(pattern)])
    rounds = np.arange(-1, int(along[-1] / edges[-1]) + 2)
    starts = (rounds[:, None] * edges[-1] + edges[:-1] - offset % edges[-1]).ravel()
    dashes = []
    for start, size in zip(starts[::2].tolist(), np.tile(pattern, len(rounds))[::2].tolist(), strict=True):
        low, high = max(start, 0.0), min(start + size, float(along[-1]))
        if low > high or (low == high and size > 0):
            continue
        between = along[(along > low) & (along < high)]
        at = np.concatenate([[low], between, [high]])
        dashes.append(Contour(np.stack([np.interp(at, along, path[:, k]) for k in (0, 1)], axis=-1), closed=False))
    return dashes


def _flat(points: Floats) -> bool:
    """Whether all points lie on one line, so that there is nothing to fill."""
    spokes = points - points[0]
    longest = spokes[np.argmax(np.sum(spokes * spokes, axis=1))]
    across = spokes[:, 0] * longest[1] - spokes[:, 1] * longest[0]
    return bool(np.abs(across).max() <= 1e-12 * np.sum(longest * longest))


def _same_curves(filled: tuple[Contour, ...], drawn: tuple[Contour, ...]) -> bool:
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
