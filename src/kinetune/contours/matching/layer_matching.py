"""Which layer of one drawing becomes which layer of another."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from kinetune.contours.colours import Paint, paints_apart
from kinetune.contours.drawing import Drawing, Layer
from kinetune.contours.layer_shapes import LayerShapes
from kinetune.contours.matching.curve_pairing import Frame, Pairs, nearest_share
from kinetune.contours.matching.outline_alignment import align
from kinetune.contours.outlines import Outline
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.rotations import Floats

Match = Literal["auto", "name", "order", "shape"]
LayerMap = Mapping[str | int, str | int | None]
"""Layers of the first drawing to layers of the second, by name or number; None for one that vanishes."""

# What it costs that partners differ, each about 1 where they differ completely.
_PLACE, _SIZE, _FORM, _FILL, _STROKE, _ORDER = 1.0, 0.25, 0.5, 0.5, 0.2, 0.2
_AUTOMATIC = re.compile(
    r"(path|rect|circle|ellipse|polygon|polyline|line|shape|vector|layer|group|use|g|svgid|xmlid|clip)"
    r"[-_ ]*\d+(-\d+)*_?",
    re.IGNORECASE,
)  # names that drawing programs give by themselves: path12, Layer_1, XMLID_3_
_FAR_PIN = 0.1  # of the canvas: a pin further from all curves is a mistake
_MOST_FORMS = 4096  # pairs whose forms are compared


def match_layers(
    a: Drawing,
    b: Drawing,
    shapes_a: Sequence[LayerShapes],
    shapes_b: Sequence[LayerShapes],
    *,
    match: Match = "auto",
    layers: LayerMap | None = None,
    nearest: bool = False,
) -> Pairs:
    """Pair the layers of two drawings; every layer is in one pair, with None where it appears or vanishes.

    Parameters
    ----------
    match : "name" pairs equal names, "order" the first with the first, "shape" what is alike in position, size, form
        and colour. "auto" pairs by name where names are shared, and otherwise by shape.
    layers : pairs that the user gives; they come before all others.
    nearest : give layers that are left over the nearest layer of the other drawing as a second partner.
    """
    rules = layer_rules(a, b, match, layers)
    pairs = dict(rules.pairs)
    if rules.free_a and rules.free_b:
        pairs |= _by_shape(a, b, shapes_a, shapes_b, sorted(rules.free_a), sorted(rules.free_b))
    used = set(pairs.values())
    all_pairs: Pairs = [(i, pairs.get(i)) for i in range(len(a.layers))]
    all_pairs += [(None, j) for j in range(len(b.layers)) if j not in used]
    return _with_partners(all_pairs, shapes_a, shapes_b, rules.gone) if nearest else all_pairs


@dataclass(frozen=True)
class LayerRules:
    """What is decided about layers before their shapes are compared.

    pairs : layers of the first drawing to layers of the second, by the user, by name or by order.
    free_a, free_b : layers that may find any partner among each other; all others stay alone.
    gone : layers of the first drawing that the user lets vanish.
    """

    pairs: Mapping[int, int]
    free_a: frozenset[int]
    free_b: frozenset[int]
    gone: frozenset[int] = frozenset()

    def may_pair(self, i: int, j: int) -> bool:
        """Whether something of layer i may become something of layer j."""
        return self.pairs.get(i) == j if i in self.pairs else i in self.free_a and j in self.free_b


def layer_rules(a: Drawing, b: Drawing, match: Match = "auto", layers: LayerMap | None = None) -> LayerRules:
    """What the user, the names and the order decide about the layers of two drawings; see :func:`match_layers`.

    Where layers share names, a layer with a name that the other drawing does not know stays alone.
    """
    if match not in get_args(Match):
        raise ParameterError(f'match must be one of {", ".join(get_args(Match))}, not "{match}".')
    partner = _given(a, b, layers or {})
    pairs = {i: j for i, j in partner.items() if j is not None}
    free_a = [i for i in range(len(a.layers)) if i not in partner]
    free_b = [j for j in range(len(b.layers)) if j not in set(pairs.values())]
    if match in ("auto", "name"):
        automatic = match == "name"
        names_a = {i: _name(a.layers[i], automatic=automatic) for i in free_a}
        names_b = {j: _name(b.layers[j], automatic=automatic) for j in free_b}
        named = _by_name(names_a, names_b)
        pairs |= named
        if match == "name" or named:
            free_a = [i for i in free_a if match == "auto" and not names_a[i]]
            free_b = [j for j in free_b if match == "auto" and not names_b[j]]
    elif match == "order":
        pairs |= dict(zip(free_a, free_b, strict=False))
        free_a, free_b = [], []
    gone = frozenset(i for i, j in partner.items() if j is None)
    return LayerRules(pairs, frozenset(free_a), frozenset(free_b), gone)


def _with_partners(pairs: Pairs, a: Sequence[LayerShapes], b: Sequence[LayerShapes], gone: Collection[int]) -> Pairs:
    """Pairs in which layers that are left over share the partner of the nearest layer on their own side."""
    matched = [(i, j) for i, j in pairs if i is not None and j is not None]
    if not matched:
        return pairs
    completed: Pairs = []
    for i, j in pairs:
        one, other = (None if k is None else _main(side[k]) for k, side in ((i, a), (j, b)))
        if j is None and i is not None and i not in gone and one is not None:
            j = min(matched, key=lambda pair: _gap(one, _main(a[pair[0]])))[1]
        elif i is None and j is not None and other is not None:
            i = min(matched, key=lambda pair: _gap(other, _main(b[pair[1]])))[0]
        completed.append((i, j))
    return completed


def _gap(one: Outline, other: Outline | None) -> float:
    return np.inf if other is None else abs(one.centre - other.centre)


def layer_of_point(drawing: Drawing, layer_shapes: Sequence[LayerShapes], point: complex, side: str) -> int:
    """The layer whose curves are nearest to a point."""
    gaps = [
        min((nearest_share(curve, point)[1] for curve in shapes.outlines()), default=np.inf) for shapes in layer_shapes
    ]
    best = int(np.argmin(gaps)) if gaps else -1
    if best < 0 or not gaps[best] <= _FAR_PIN * max(drawing.view_box[2:]):
        raise ParameterError(
            f"The pin ({point.real:g}, {point.imag:g}) lies on no curve of the {side} drawing. "
            "Give points on its outlines, in the units of that drawing."
        )
    return best


def layer_index(drawing: Drawing, which: str | int, side: str) -> int:
    """The number of a layer that is given by its name, or by its number counted from 0 at the back."""
    names = [layer.name for layer in drawing.layers]
    if isinstance(which, str):
        if which in names:
            return names.index(which)
        if not which.isdigit():
            raise UnknownNameError(f"layer of the {side} drawing", which, [name for name in names if name])
        which = int(which)
    if not 0 <= which < len(names):
        raise ParameterError(f"The {side} drawing has layers 0 to {len(names) - 1}, no layer {which}.")
    return which


def _given(a: Drawing, b: Drawing, layers: LayerMap) -> dict[int, int | None]:
    partner: dict[int, int | None] = {}
    for name_a, name_b in layers.items():
        i = layer_index(a, name_a, "first")
        j = None if name_b is None else layer_index(b, name_b, "second")
        if i in partner or (j is not None and j in partner.values()):
            raise ParameterError(f"The layer map uses one layer twice: {name_a} to {name_b}.")
        partner[i] = j
    return partner


def _name(layer: Layer, *, automatic: bool) -> str:
    """The name of a layer, without regard to case; "" for one that a drawing program gave, unless asked for."""
    return layer.name.casefold() if automatic or not _AUTOMATIC.fullmatch(layer.name) else ""


def _by_name(names_a: Mapping[int, str], names_b: Mapping[int, str]) -> dict[int, int]:
    """Equal names, where a name stands for one layer only in each drawing."""
    often_a, often_b = Counter(names_a.values()), Counter(names_b.values())
    by_name = {name: j for j, name in names_b.items() if name and often_b[name] == 1}
    return {i: by_name[name] for i, name in names_a.items() if often_a[name] == 1 and name in by_name}


def _by_shape(
    a: Drawing,
    b: Drawing,
    shapes_a: Sequence[LayerShapes],
    shapes_b: Sequence[LayerShapes],
    free_a: Sequence[int],
    free_b: Sequence[int],
) -> dict[int, int]:
    from scipy.optimize import linear_sum_assignment

    main_a, main_b = [_main(shapes_a[i]) for i in free_a], [_main(shapes_b[j]) for j in free_b]
    frame_a, frame_b = (Frame.around([o for o in side if o is not None]) for side in (main_a, main_b))
    place_a, place_b = (
        np.array(numbers) / max(len(drawing.layers) - 1, 1) for numbers, drawing in ((free_a, a), (free_b, b))
    )
    cost = _ORDER * np.abs(place_a[:, None] - place_b)
    layers_a, layers_b = [a.layers[i] for i in free_a], [b.layers[j] for j in free_b]
    for weight, paint in ((_FILL, _fill), (_STROKE, _stroke)):
        cost += weight * paints_apart([paint(layer) for layer in layers_a], [paint(layer) for layer in layers_b])
    there_a, there_b = (np.array([o is not None for o in side]) for side in (main_a, main_b))
    cost[there_a[:, None] != there_b] += 10.0  # something and nothing
    shown_a, shown_b = ([o for o in side if o is not None] for side in (main_a, main_b))
    cost[np.ix_(there_a, there_b)] += _form_costs(shown_a, shown_b, frame_a, frame_b)
    rows, columns = linear_sum_assignment(cost)
    return {free_a[r]: free_b[c] for r, c in zip(rows.tolist(), columns.tolist(), strict=True)}


def _main(shapes: LayerShapes) -> Outline | None:
    """The largest curve of a layer, which stands for it."""
    return max(shapes.outlines(), key=lambda outline: outline.size, default=None)


def _fill(layer: Layer) -> Paint:
    return layer.fill, layer.fill_opacity


def _stroke(layer: Layer) -> Paint:
    return layer.stroke, layer.stroke_opacity


def _form_costs(a: Sequence[Outline], b: Sequence[Outline], frame_a: Frame, frame_b: Frame) -> Floats:
    """What it costs that curves differ in position, size and form, (a, b); of very many, form is not compared."""
    (at_a, size_a), (at_b, size_b) = frame_a.seen(a), frame_b.seen(b)
    cost: Floats = _PLACE * np.abs(at_a[:, None] - at_b) + _SIZE * np.abs(np.log(size_a[:, None] / size_b))
    compare = cost.size <= _MOST_FORMS
    for i, one in enumerate(a):
        for j, other in enumerate(b):
            if one.closed != other.closed:
                cost[i, j] += _FORM
            elif compare:
                cost[i, j] += _FORM * (1.0 - align(one, other, 1)[0].score)
    return cost
