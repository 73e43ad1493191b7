"""How an SVG element is painted: presentation attributes, style sheets and style attributes, inherited from parents."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from kinetune.contours.drawing import Cap, Join
from kinetune.contours.svg.attribute_values import in_pixels, length
from kinetune.contours.svg.xml_tree import SvgNode

INHERITED = {
    "fill": "black",
    "fill-opacity": "1",
    "fill-rule": "nonzero",
    "clip-rule": "nonzero",
    "stroke": "none",
    "stroke-opacity": "1",
    "stroke-width": "1",
    "stroke-linecap": "butt",
    "stroke-linejoin": "miter",
    "stroke-miterlimit": "4",
    "stroke-dasharray": "none",
    "stroke-dashoffset": "0",
    "paint-order": "normal",
    "marker-start": "none",
    "marker-mid": "none",
    "marker-end": "none",
    "color": "black",
    "visibility": "visible",
    "font-size": "16px",
}
_ALONE = {
    "display",
    "opacity",
    "transform",
    "transform-origin",
    "transform-box",
    "clip-path",
    "mask",
    "mask-image",
    "mask-type",
    "overflow",
    "vector-effect",
    "stop-color",
    "stop-opacity",
}
_NOTED = {
    "filter": "filters are not drawn",
    "mix-blend-mode": "blend modes are not drawn",
    "animation": "animations are not played",
    "animation-name": "animations are not played",
    "all": "the style property all is not applied",
}
_ALL = {*INHERITED, *_ALONE, *_NOTED, "marker", "color-interpolation"}
GEOMETRY = frozenset(("x", "y", "cx", "cy", "r", "rx", "ry", "width", "height", "d"))
"""What may stand in a style as well as in an attribute of its own."""
_STEPS = ("translate", "rotate", "scale")  # in a style, before the transform
_IN_STYLES = {*_ALL, *GEOMETRY, *_STEPS}
_SIZED = ("stroke-width", "stroke-dasharray", "stroke-dashoffset")
MOST_RULES = 20_000
_comment = re.compile(r"/\*.*?\*/", re.DOTALL)
_mark = re.compile(r"[{};]|\"[^\"]*\"|'[^']*'")
_pseudo = ":first-child|:last-child|:root"
_compound = re.compile(rf"([A-Za-z*][\w-]*)?((?:[.#][\w-]+|\[[^\]]*\]|{_pseudo})*)")
_simple = re.compile(rf"[.#][\w-]+|\[[^\]]*\]|{_pseudo}")
_attribute = re.compile(r"\[\s*([\w:-]+)\s*(?:([~|^$*]?=)\s*(?:\"([^\"]*)\"|'([^']*)'|([\w-]+))\s*)?\]")
_steps = re.compile(r"\s*([>\s])\s*")
_urgent = re.compile(r"\s*!\s*important\s*$", re.IGNORECASE)
_variable = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_sum = re.compile(r"\b(?:calc|min|max|clamp|env)\(")
_MOST_NESTED = 8  # rules in each other

Declarations = dict[str, str]


@dataclass(frozen=True)
class _Compound:
    """One step of a selector: what an element must be, and how it lies under the step before (">" or anywhere)."""

    tag: str
    names: frozenset[str]
    attributes: tuple[tuple[str, str, str], ...]
    pseudo: frozenset[str]
    under: str

    def fits(self, node: SvgNode) -> bool:
        if self.tag not in ("*", node.tag) or not self.names <= _labels(node):
            return False
        for pseudo in self.pseudo:
            beside = [node] if node.parent is None else node.parent.children
            if (pseudo == ":root" and node.parent is not None) or (
                pseudo != ":root" and beside[0 if pseudo == ":first-child" else -1] is not node
            ):
                return False
        return all(_attribute_fits(node.attributes.get(name), how, value) for name, how, value in self.attributes)

    @property
    def weight(self) -> int:
        ids = sum(name[0] == "#" for name in self.names)
        classes = len(self.names) - ids + len(self.attributes) + len(self.pseudo)
        return 10_000 * ids + 100 * classes + (self.tag != "*")


def _labels(node: SvgNode) -> set[str]:
    labels = {f".{name}" for name in node.attributes.get("class", "").split()}
    if "id" in node.attributes:
        labels.add(f"#{node.attributes['id']}")
    return labels


def _attribute_fits(text: str | None, how: str, value: str) -> bool:
    if text is None:
        return False
    match how:
        case "=":
            return text == value
        case "~=":
            return value in text.split()
        case "|=":
            return text == value or text.startswith(f"{value}-")
        case "^=":
            return text.startswith(value)
        case "$=":
            return text.endswith(value)
        case "*=":
            return value in text
    return True


def _selector(text: str) -> list[_Compound] | None:
    """The steps of a selector, outermost first; None for one that is not understood."""
    parts = _steps.split(text.strip())
    steps = []
    for word, under in zip(parts[::2], ["", *parts[1::2]], strict=True):
        match = _compound.fullmatch(word)
        if match is None or not word:
            return None
        simple = _simple.findall(match[2])
        attributes = []
        for part in simple:
            if part[0] == "[":
                inside = _attribute.fullmatch(part)
                if inside is None:
                    return None
                attributes.append((inside[1], inside[2] or "", inside[3] or inside[4] or inside[5] or ""))
        names = frozenset(part for part in simple if part[0] in ".#")
        pseudo = frozenset(part for part in simple if part[0] == ":")
        steps.append(_Compound(match[1] or "*", names, tuple(attributes), pseudo, under.strip()))
    return steps


def _fits(steps: list[_Compound], node: SvgNode) -> bool:
    """Whether an element is the last step of a selector, inside elements that are the others."""
    if not steps[-1].fits(node):
        return False
    inner, outer = steps[-1], node.parent
    for step in reversed(steps[:-1]):
        while outer is not None and not step.fits(outer):
            if inner.under == ">":
                return False
            outer = outer.parent
        if outer is None:
            return False
        inner, outer = step, outer.parent
    return True


def _statements(text: str) -> Iterator[tuple[str, str | None]]:
    """What stands before each block and the block itself, or None for what ends in a semicolon."""
    depth = start = opened = 0
    for mark in _mark.finditer(text):
        if mark[0] == "{":
            opened = mark.end() if depth == 0 else opened
            depth += 1
        elif mark[0] == "}" and depth > 0:
            depth -= 1
            if depth == 0:
                yield text[start : opened - 1].strip(), text[opened : mark.start()]
                start = mark.end()
        elif mark[0] == ";" and depth == 0:
            yield text[start : mark.start()].strip(), None
            start = mark.end()
    if depth == 0 and text[start:].strip():
        yield text[start:].strip(), None


def _rules(text: str, outer: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Selectors and declarations of what applies on a screen; those not understood have no selector ("")."""
    for head, body in _statements(text):
        at = head.partition(" ")[0].lower()
        if body is None:
            if at == "@import":
                yield "", ""
        elif depth >= _MOST_NESTED:
            yield "", ""
        elif at == "@media":
            if (shown := on_screen(head[6:])) is None:
                yield "", ""
            elif shown:
                yield from _rules(body, outer, depth + 1)
        elif at in ("@supports", "@layer"):
            yield from _rules(body, outer, depth + 1)
        elif not head.startswith("@"):
            nested = f"{outer} {head}".strip() if "&" not in head else head.replace("&", outer)
            if "{" not in body:
                yield nested, body
            elif "," in nested:
                yield "", ""
            else:
                yield nested, ";".join(part for part, inner in _statements(body) if inner is None)
                yield from _rules(body, nested, depth + 1)


def on_screen(query: str) -> bool | None:
    """Whether a media query means a screen; None where that depends on the screen."""
    answers = set()
    for one in query.lower().split(","):
        words = [word for word in one.split() if word != "only"]
        depends = "(" in one and "prefers-color-scheme: dark" not in one
        answers.add(None if depends else words in ([], ["all"], ["screen"], ["not", "print"]))
    return True if True in answers else None if None in answers else False


class StyleSheet:
    """The rules of all ``<style>`` elements; those with selectors beyond tag, class, id and attribute are counted."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.skipped = 0
        self._by_key: dict[str, list[tuple[tuple[int, int], list[_Compound], _Declared]]] = defaultdict(list)
        order = 0
        for text in texts:
            for selectors, body in _rules(_comment.sub("", text)):
                declared = parse_declarations(body)
                for selector in selectors.split(","):
                    order += 1
                    steps = None if order > MOST_RULES else _selector(selector)
                    if steps is None:
                        self.skipped += 1
                        continue
                    # Filed under its rarest name, so that an element meets only the rules that may fit it.
                    key = max(steps[-1].names, default=steps[-1].tag)
                    self._by_key[key].append(((sum(step.weight for step in steps), order), steps, declared))

    @property
    def empty(self) -> bool:
        return not self._by_key

    def declarations(self, node: SvgNode) -> _Declared:
        """What the rules say about an element, the most specific last."""
        result = _Declared()
        if not self._by_key:
            return result
        fitting = [
            (weight, declared)
            for key in (*_labels(node), node.tag, "*")
            for weight, steps, declared in self._by_key.get(key, ())
            if _fits(steps, node)
        ]
        for _, declared in sorted(fitting, key=lambda rule: rule[0]):
            result.usual |= declared.usual
            result.urgent |= declared.urgent
        return result


@dataclass
class _Declared:
    """Declarations, and apart from them those that are ``!important``."""

    usual: Declarations = field(default_factory=dict)
    urgent: Declarations = field(default_factory=dict)


def parse_declarations(text: str) -> _Declared:
    """ "fill: red; stroke: none" as dictionaries of what matters for a drawing."""
    declared = _Declared()
    for part in _comment.sub("", text).split(";"):
        name, colon, value = part.partition(":")
        name = name.strip().lower()
        if colon and (name in _IN_STYLES or name.startswith("--")):
            calm = _urgent.sub("", value)
            (declared.usual if calm == value else declared.urgent)[name] = calm.strip()
    return declared


def declared_on(node: SvgNode, sheet: StyleSheet) -> Declarations:
    """What attributes, style sheets and the style attribute say about an element, the strongest taken."""
    rules, style = sheet.declarations(node), parse_declarations(node.attributes.get("style", ""))
    attributes = {name: node.attributes[name].strip() for name in _ALL & node.attributes.keys()}
    return attributes | rules.usual | style.usual | rules.urgent | style.urgent


@dataclass(frozen=True)
class Style:
    """The style of one element: what it inherits, and what applies to it alone."""

    values: Declarations
    alone: Declarations = field(default_factory=dict)

    @staticmethod
    def initial() -> Style:
        return Style(dict(INHERITED))

    def child(self, node: SvgNode, sheet: StyleSheet, note: Callable[[str], None]) -> Style:
        """The style of an element inside one with this style."""
        if sheet.empty and "style" not in node.attributes and _ALL.isdisjoint(node.attributes):
            return Style(self.values) if self.alone else self
        declared = declared_on(node, sheet)
        for name in _NOTED.keys() & declared.keys():
            if declared[name] not in ("none", "normal", ""):
                note(_NOTED[name])
        values = dict(self.values) | {name: text for name, text in declared.items() if name.startswith("--")}
        declared = {name: _known(text, values, note) for name, text in declared.items()}
        if "marker" in declared:
            declared = {f"marker-{end}": declared["marker"] for end in ("start", "mid", "end")} | declared
        if "mask-image" in declared:
            declared["mask"] = declared["mask-image"]
        if "font-size" in declared:
            em = length(values["font-size"], 16.0, 16.0)
            size = length(in_pixels(declared["font-size"], em), em, em)
            declared["font-size"] = f"{size:.10g}px"
        for name, initial in INHERITED.items():
            value = declared.get(name, "inherit")
            if value == "initial":
                values[name] = initial
            elif value not in ("inherit", "unset", "revert", ""):
                values[name] = value
        em = length(values["font-size"], 16.0, 16.0)
        for name in _SIZED:
            values[name] = in_pixels(values[name], em)
        return Style(values, {name: declared[name] for name in {*_ALONE, *GEOMETRY, *_STEPS} & declared.keys()})

    @property
    def transform(self) -> str:
        """All transforms of the element, the outermost first."""
        steps = [(step, self.alone.get(step, "none")) for step in _STEPS]
        calls = [f"{step}({text.replace(' ', ',')})" for step, text in steps if text != "none"]
        return " ".join([*calls, self.alone.get("transform", "")])

    @property
    def shown(self) -> bool:
        return self.alone.get("display") != "none" and self.opacity > 0

    @property
    def opacity(self) -> float:
        """Of the element as a whole, from 0 to 1."""
        return share(self.alone.get("opacity"), 1.0)

    @property
    def visible(self) -> bool:
        return self.values["visibility"] not in ("hidden", "collapse")

    def stroke_width(self, canvas: float) -> float:
        """The width of the pen; canvas: what 100% of it means."""
        return max(0.0, length(self.values["stroke-width"], canvas, 1.0))

    @property
    def stroke_cap(self) -> Cap:
        cap = self.values["stroke-linecap"]
        return "round" if cap == "round" else "square" if cap == "square" else "butt"

    @property
    def stroke_join(self) -> Join:
        join = self.values["stroke-linejoin"]
        return "round" if join == "round" else "bevel" if join == "bevel" else "miter"

    @property
    def stroke_miter_limit(self) -> float:
        limit = length(self.values["stroke-miterlimit"], 1.0, 4.0)
        return limit if limit >= 1.0 else 4.0

    @property
    def stroke_below_fill(self) -> bool:
        order = self.values["paint-order"].split()
        return "stroke" in order and ("fill" not in order or order.index("stroke") < order.index("fill"))

    def dashes(self, canvas: float) -> tuple[list[float], float]:
        """Lengths of dashes and gaps in turn, and how far into them a line starts; no lengths for a solid line."""
        text = self.values["stroke-dasharray"]
        parts = [] if text == "none" else [length(part, canvas, -1.0) for part in re.split(r"[\s,]+", text.strip())]
        if not parts or min(parts) < 0 or sum(parts) <= 0:
            return [], 0.0
        offset = length(self.values["stroke-dashoffset"], canvas, 0.0)
        return (parts if len(parts) % 2 == 0 else parts * 2), offset


def _known(text: str, values: Declarations, note: Callable[[str], None]) -> str:
    """A value with what its variables stand for."""
    for _ in range(_MOST_NESTED):
        if "var(" not in text or len(text) > 1000:
            break
        text = _variable.sub(lambda match: values.get(match[1], (match[2] or "").strip()), text)
    if _sum.search(text):
        note(f'the value "{text[:40]}" is not calculated')
    return text


def share(text: str | None, otherwise: float) -> float:
    """A number or a percentage as 0 to 1."""
    return min(1.0, max(0.0, length(text, 1.0, otherwise)))


def transform_origin(text: str, width: float, height: float) -> tuple[float, float]:
    """The point that ``transform-origin`` names in a box of that size."""
    named = {"left": "0%", "top": "0%", "center": "50%", "right": "100%", "bottom": "100%"}
    parts = text.split()[:2]
    if parts and (parts[0] in ("top", "bottom") or (len(parts) == 2 and parts[1] in ("left", "right"))):
        parts = [*parts[1:], parts[0]] if len(parts) == 2 else ["center", parts[0]]
    x, y = (*(named.get(part, part) for part in parts), "50%", "50%")[:2] if parts else ("0", "0")
    return length(x, width, 0.0), length(y, height, 0.0)
