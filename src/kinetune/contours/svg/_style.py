"""How an SVG element is painted: presentation attributes, style sheets and style attributes, inherited from parents."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kinetune.contours.colours import parse_colour, to_hex
from kinetune.contours.drawing import Cap, Join
from kinetune.contours.svg.attribute_values import length
from kinetune.contours.svg.xml_tree import SvgNode
from kinetune.errors import ParameterError

INHERITED = {
    "fill": "black",
    "fill-opacity": "1",
    "fill-rule": "nonzero",
    "stroke": "none",
    "stroke-opacity": "1",
    "stroke-width": "1",
    "stroke-linecap": "butt",
    "stroke-linejoin": "miter",
    "color": "black",
    "visibility": "visible",
}
_OWN = ("display", "opacity", "transform")
_NOTED = {
    "clip-path": "clipping paths",
    "mask": "masks",
    "filter": "filters",
    "stroke-dasharray": "dashes",
    "marker-start": "markers",
    "marker-mid": "markers",
    "marker-end": "markers",
}
_ALL = {*INHERITED, *_OWN, *_NOTED}
_comment = re.compile(r"/\*.*?\*/", re.DOTALL)
_rule = re.compile(r"([^{}]+)\{([^{}]*)\}")
_selector = re.compile(r"([A-Za-z*][\w-]*)?((?:[.#][\w-]+)*)")
_paint_server = re.compile(r"url\(\s*['\"]?\s*#([^'\")]+?)\s*['\"]?\s*\)\s*(.*)", re.DOTALL)

Declarations = dict[str, str]


class StyleSheet:
    """The rules of all ``<style>`` elements: by tag, class or id, alone or together; others are counted as skipped."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.skipped = 0
        self._by_key: dict[str, list[tuple[tuple[int, int], str, frozenset[str], Declarations]]] = defaultdict(list)
        order = 0
        for text in texts:
            for selectors, body in _rule.findall(_comment.sub("", text)):
                declarations = parse_declarations(body)
                for selector in selectors.split(","):
                    order += 1
                    self._add(selector.strip(), declarations, order)

    def _add(self, selector: str, declarations: Declarations, order: int) -> None:
        match = _selector.fullmatch(selector)
        if match is None or not selector:
            self.skipped += 1
            return
        tag, names = match[1] or "*", frozenset(re.findall(r"[.#][\w-]+", match[2]))
        weight = 100 * sum(n[0] == "#" for n in names) + 10 * sum(n[0] == "." for n in names) + (tag != "*")
        # Filed under its rarest word, so that an element meets only the rules that may fit it.
        key = max(names, default=tag)
        self._by_key[key].append(((weight, order), tag, names, declarations))

    @property
    def empty(self) -> bool:
        return not self._by_key

    def declarations(self, node: SvgNode) -> Declarations:
        """What the rules say about an element, the most specific last."""
        if not self._by_key:
            return {}
        labels = {f".{name}" for name in node.attributes.get("class", "").split()}
        if "id" in node.attributes:
            labels.add(f"#{node.attributes['id']}")
        fitting = [
            (weight, declarations)
            for key in (*labels, node.tag, "*")
            for weight, tag, names, declarations in self._by_key.get(key, ())
            if tag in ("*", node.tag) and names <= labels
        ]
        result: Declarations = {}
        for _, declarations in sorted(fitting, key=lambda rule: rule[0]):
            result |= declarations
        return result


def parse_declarations(text: str) -> Declarations:
    """ "fill: red; stroke: none" as a dictionary; only what matters for a drawing is kept."""
    declarations: Declarations = {}
    for part in text.split(";"):
        name, colon, value = part.partition(":")
        name = name.strip().lower()
        if colon and name in _ALL:
            declarations[name] = value.replace("!important", "").strip()
    return declarations


@dataclass(frozen=True)
class Paint:
    """A paint that is ready to use.

    colour : "#rrggbb" or None.
    """

    colour: str | None
    opacity: float


@dataclass(frozen=True)
class Style:
    """The style of one element: inherited properties, and what applies to it alone.

    opacity : that of the element times those of all groups around it.
    """

    values: Declarations
    opacity: float = 1.0
    shown: bool = True
    transform: str = ""

    @staticmethod
    def initial() -> Style:
        return Style(dict(INHERITED))

    def child(self, node: SvgNode, sheet: StyleSheet, note: Callable[[str], None]) -> Style:
        """The style of an element inside one with this style."""
        if self.transform == "" and not self._spoken_of(node, sheet):
            return self
        declared = {name: node.attributes[name].strip() for name in _ALL & node.attributes.keys()}
        declared |= sheet.declarations(node)
        declared |= parse_declarations(node.attributes.get("style", ""))
        for name in _NOTED.keys() & declared.keys():
            if declared[name] not in ("none", ""):
                note(f"{_NOTED[name]} are not drawn")
        values = dict(self.values)
        for name, initial in INHERITED.items():
            value = declared.get(name, "inherit")
            if value == "initial":
                values[name] = initial
            elif value not in ("inherit", "unset", ""):
                values[name] = value
        return Style(
            values,
            self.opacity * _share(declared.get("opacity"), 1.0),
            self.shown and declared.get("display") != "none",
            declared.get("transform", ""),
        )

    @staticmethod
    def _spoken_of(node: SvgNode, sheet: StyleSheet) -> bool:
        return not sheet.empty or "style" in node.attributes or not _ALL.isdisjoint(node.attributes)

    @property
    def even_odd(self) -> bool:
        return self.values["fill-rule"] == "evenodd"

    @property
    def visible(self) -> bool:
        return self.shown and self.values["visibility"] not in ("hidden", "collapse") and self.opacity > 0

    @property
    def stroke_width(self) -> float:
        return max(0.0, length(self.values["stroke-width"], 100.0, 1.0))

    @property
    def stroke_cap(self) -> Cap:
        cap = self.values["stroke-linecap"]
        return "round" if cap == "round" else "square" if cap == "square" else "butt"

    @property
    def stroke_join(self) -> Join:
        join = self.values["stroke-linejoin"]
        return "round" if join == "round" else "bevel" if join == "bevel" else "miter"

    def paint(self, which: str, servers: dict[str, SvgNode], note: Callable[[str], None]) -> Paint:
        """The paint of "fill" or "stroke"; a gradient becomes the mean of its stops."""
        text = self.values[which]
        opacity = self.opacity * _share(self.values[f"{which}-opacity"], 1.0)
        server = _paint_server.match(text)
        if server is not None:
            colour = _server_colour(servers.get(server[1]), servers, note)
            if colour is not None:
                return Paint(to_hex(colour), opacity * colour[3])
            text = server[2].strip() or "none"
        elif text.startswith("url("):
            note("paint from other files is not fetched")
            text = "none"
        if text in ("none", "context-fill", "context-stroke"):
            return Paint(None, 1.0)
        try:
            colour = parse_colour(self.values["color"] if text.lower() == "currentcolor" else text)
        except ParameterError:
            note(f'the colour "{text[:40]}" is not known and is drawn black')
            colour = (0.0, 0.0, 0.0, 1.0)
        return Paint(to_hex(colour), opacity * colour[3]) if opacity * colour[3] > 0 else Paint(None, 1.0)


def _server_colour(
    node: SvgNode | None, servers: dict[str, SvgNode], note: Callable[[str], None]
) -> tuple[float, float, float, float] | None:
    """The mean colour of a gradient's stops; of a pattern, none."""
    for _ in range(16):  # gradients may borrow their stops from others
        if node is None:
            return None
        if node.tag not in ("linearGradient", "radialGradient"):
            note("patterns are not drawn")
            return None
        stops = [child for child in node.children if child.tag == "stop"]
        if stops:
            break
        node = servers.get(node.attributes.get("href", "").strip().removeprefix("#"))
    else:
        return None
    note("a gradient is drawn in its mean colour")
    total = [0.0, 0.0, 0.0, 0.0]
    for stop in stops:
        declared = dict(part.split(":", 1) for part in stop.attributes.get("style", "").split(";") if ":" in part)
        stop_style = {k.strip(): v.strip() for k, v in declared.items()}
        text = stop_style.get("stop-color", stop.attributes.get("stop-color", "black"))
        try:
            colour = parse_colour(text)
        except ParameterError:
            colour = (0.0, 0.0, 0.0, 1.0)
        alpha = colour[3] * _share(stop_style.get("stop-opacity", stop.attributes.get("stop-opacity")), 1.0)
        for k, part in enumerate((*colour[:3], alpha)):
            total[k] += part / len(stops)
    return total[0], total[1], total[2], total[3]


def _share(text: str | None, otherwise: float) -> float:
    """A number or a percentage as 0 to 1."""
    return min(1.0, max(0.0, length(text, 1.0, otherwise)))
