"""Which part of one drawing becomes which part of another: the cheapest assignment, twins together.

Notes
-----
Partners are alike in position, size, form, colour and kind. What parents became is known after the first round, so the
assignment is repeated: inside partners, position counts half by where a part lies in its parent. Mirror twins are
assigned as one, left to left and right to right; one part may become two twins, and two twins one part; only twins that
stayed alone go their way one by one. Staying alone
has a price, so that unlike parts stay alone rather than become each other; the part of which most of a drawing consists
never does.
Lines on the edge of a fill take no part in this: they follow the fill.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinetune.contours.colours import paints_apart
from kinetune.contours.drawing import Drawing
from kinetune.contours.layer_shapes import LayerShapes
from kinetune.contours.matching._silhouettes import add_silhouette, covered_share
from kinetune.contours.matching.curve_pairing import Pairs
from kinetune.contours.matching.drawing_parts import MOST_PARTS, DrawingPart, find_parts
from kinetune.contours.matching.layer_matching import LayerMap, LayerRules, Match, layer_rules, match_layers
from kinetune.contours.matching.outline_alignment import align
from kinetune.rotations import Floats

# What it costs that partners differ, each about 1 where they differ completely.
_PLACE, _SIZE, _BOX, _ASPECT, _COLOUR, _FORM = 1.0, 0.2, 0.2, 0.15, 0.9, 0.7
_KIND, _DEPTH, _PARENT, _AXIS, _SPLIT = 0.6, 0.15, 0.3, 0.35, 0.7
_HIDDEN = 0.4  # what it costs that one is seen and the other covered by others
_DETAILS = 0.15  # what it costs that one has e times as many parts lying on it
_ANYWHERE = 0.5  # how much position counts for a part that is nearly the whole of its drawing
_NEAR, _FAR = 0.3, 2.0  # of the drawing: where a part is too far away, and what each further step costs beside position
_CHROMA = 2.0  # how much more hue and saturation count than lightness
_TWINS = 0.15  # what it saves that both are twins
_ALONE, _DETAIL_ALONE = 0.5, 0.45  # what it costs a part, and one that lies on another, to stay alone
_PROMINENT = 0.3  # the same for a part that is all that is seen of its drawing, beside that
_SURE = 0.72  # of that: what it costs to stay alone for parts that stayed alone with their twins
_ALIKE = 0.35  # what a pair costs at most if one part of it may leave its twin
_NEVER = 1e3  # what it costs to break a rule of the user
_LEAST_COVERED = 0.7  # the share of a drawing that must find partners, or its silhouette becomes that of the other
_LEAST_BESIDE = 0.5  # the same where both bodies become each other
_UNLIKE = 1.3  # what it costs at least that a body becomes something that does not resemble it
_DOMINANT = 0.5  # the share of what a drawing covers, from which on its largest part counts as its body
_LARGEST = 5.0  # what it costs such a part to stay alone
_ON_AXIS = 0.06  # of the width: a part whose middle is this near to that of the drawing lies on its axis
_MOST_FORMS = 4096  # pairs whose forms are compared
_ROUNDS = 4

Node = tuple[int, ...]
"""The numbers of a part, or of two twins, left and right."""


@dataclass(frozen=True)
class DrawingMatch:
    """The parts of two drawings, and which become each other.

    pairs : numbers of parts, None beside one that stays alone; without the lines that follow the edge of a fill.
    rules : what was decided about layers.
    """

    a: Sequence[DrawingPart]
    b: Sequence[DrawingPart]
    pairs: Pairs
    rules: LayerRules


def match_drawings(
    a: Drawing,
    b: Drawing,
    shapes_a: Sequence[LayerShapes],
    shapes_b: Sequence[LayerShapes],
    match: Match = "auto",
    layers: LayerMap | None = None,
    pinned: Collection[tuple[int, int]] = (),
) -> DrawingMatch:
    """Match two drawings: first by the user's map, names or order, then by parts.

    Drawings of one layer each, those whose layers have nothing to do with each other, and those of very many parts are
    matched layer by layer.

    Parameters
    ----------
    a, b : both on the canvas of the first.
    match, layers : as in :func:`~kinetune.contours.matching.layer_matching.match_layers`.
    pinned : pairs of layers that stay whole because points of them are pinned.
    """
    rules = layer_rules(a, b, match, layers)
    canvas = max(a.view_box[2:])
    parts_a, parts_b = (
        find_parts(drawing, shapes, canvas, whole)
        for drawing, shapes, whole in zip((a, b), (shapes_a, shapes_b), _whole(rules, a, b, pinned), strict=True)
    )
    if rules.free_a and rules.free_b and not _by_parts(a, b, parts_a, parts_b):
        every = {0: 0}
        if len(a.layers) > 1 or len(b.layers) > 1:
            pairs = match_layers(a, b, shapes_a, shapes_b, match=match, layers=layers)
            every = {i: j for i, j in pairs if i is not None and j is not None}
        rules = LayerRules(every, frozenset(), frozenset(), rules.gone)
        parts_a = find_parts(a, shapes_a, canvas, range(len(a.layers)))
        parts_b = find_parts(b, shapes_b, canvas, range(len(b.layers)))
    if not (rules.pairs or rules.gone) and rules.free_a and rules.free_b:
        behind = _silhouettes_match(parts_a, parts_b, rules, canvas)
        if behind is not None:
            return behind
    matched = DrawingMatch(parts_a, parts_b, match_parts(parts_a, parts_b, rules), rules)
    loose = _loose_lines(matched)
    if not any(loose):
        return matched
    parts_a, parts_b = (
        [replace(part, host=None) if part.number in free else part for part in parts]
        for parts, free in zip((parts_a, parts_b), loose, strict=True)
    )
    return DrawingMatch(parts_a, parts_b, match_parts(parts_a, parts_b, rules), rules)


def _whole(rules: LayerRules, a: Drawing, b: Drawing, pinned: Collection[tuple[int, int]]) -> tuple[set[int], set[int]]:
    """Layers of both drawings that are not taken apart: partners by decision, unless they are mere lines."""
    whole_a, whole_b = set(), set()
    for i, j in rules.pairs.items():
        if (i, j) in pinned or a.layers[i].fill is not None or b.layers[j].fill is not None:
            whole_a.add(i)
            whole_b.add(j)
    return whole_a, whole_b


def _by_parts(a: Drawing, b: Drawing, parts_a: Sequence[DrawingPart], parts_b: Sequence[DrawingPart]) -> bool:
    """Whether parts are compared: in drawings of several layers that have something to do with each other."""
    if max(len(a.layers), len(b.layers)) < 2 or max(len(parts_a), len(parts_b)) > MOST_PARTS:
        return False
    return any(
        relation is not None for part in (*parts_a, *parts_b) for relation in (part.host, part.parent, part.twin)
    )


def _loose_lines(match: DrawingMatch) -> tuple[set[int], set[int]]:
    """Lines on edges whose layers are partners by decision though their fills are not: they go their way alone."""
    partners = {(i, j) for i, j in match.pairs if i is not None and j is not None}
    loose: tuple[set[int], set[int]] = (set(), set())
    for i, j in match.rules.pairs.items():
        lines_a = [part for part in match.a if part.layer == i and part.is_line]
        lines_b = [part for part in match.b if part.layer == j and part.is_line]
        for one in lines_a:
            if one.host is not None and not any((one.host, other.host) in partners for other in lines_b):
                loose[0].add(one.number)
        for other in lines_b:
            if other.host is not None and not any((one.host, other.host) in partners for one in lines_a):
                loose[1].add(other.number)
    return loose


def match_parts(a: Sequence[DrawingPart], b: Sequence[DrawingPart], rules: LayerRules) -> Pairs:
    """Pair the parts of two drawings: numbers of partners, None beside a part that stays alone.

    Lines that are bound to a host are left out. A part that becomes two twins, or comes from two, is in two pairs.
    """
    free_a, free_b = ([part for part in side if part.host is None] for side in (a, b))
    if len(free_a) == len(free_b) == 1 and rules.may_pair(free_a[0].layer, free_b[0].layer):
        return [(free_a[0].number, free_b[0].number)]
    if not (free_a and free_b):
        return [*((part.number, None) for part in free_a), *((None, part.number) for part in free_b)]
    pairs = _cheapest_pairs(a, b, free_a, free_b, rules, _DOMINANT)
    if not pairs:  # what is seen most of two drawings that have nothing in common becomes each other
        pairs = _cheapest_pairs(a, b, free_a, free_b, rules, 0.0)
    return _with_those_alone(pairs, a, b)


def _silhouettes_match(
    a: Sequence[DrawingPart], b: Sequence[DrawingPart], rules: LayerRules, canvas: float
) -> DrawingMatch | None:
    """The match of bodies of which one or both are silhouettes; None where parts match well enough.

    A drawing becomes another as a whole if it has no body, or one that resembles nothing or leaves much of the
    drawing without a partner.
    """
    free_a, free_b = ([part for part in side if part.host is None] for side in (a, b))
    if min(len(free_a), len(free_b)) == 0 or len(free_a) == len(free_b) == 1:
        return None
    shares_a, shares_b = _seen_shares(a), _seen_shares(b)
    bodies = _dominant(a, shares_a), _dominant(b, shares_b)
    table = _Table(a, b, free_a, free_b, rules)
    pairs = _cheapest_pairs(a, b, free_a, free_b, rules, _DOMINANT)
    costs = table.costs(dict(pairs))

    def alike(i: int, j: int, least: float) -> bool:
        return bool(costs[table.rows[i], table.columns[j]] < least)

    covered = [covered_share(side, {pair[k] for pair in pairs}) for k, side in enumerate((a, b))]
    forced = any((a[i] is bodies[0] or b[j] is bodies[1]) and not alike(i, j, _UNLIKE) for i, j in pairs)
    similar = any(a[i] is bodies[0] and b[j] is bodies[1] and alike(i, j, _UNLIKE) for i, j in pairs)
    whole = [share < (_LEAST_BESIDE if similar else _LEAST_COVERED) for share in covered]
    if not any(whole) and not (forced and None in bodies):
        return None
    sides = []
    for side, shares, alone, body in zip((a, b), (shares_a, shares_b), whole, bodies, strict=True):
        parts = add_silhouette(side, shares, canvas) if alone or body is None else [*side]
        if parts is None:
            return None
        sides.append(parts)
    moved = [len(parts) - len(side) for parts, side in zip(sides, (a, b), strict=True)]
    first = [0 if more or body is None else body.number for more, body in zip(moved, bodies, strict=True)]
    matched = [(i, j) for i, j in pairs if a[i] is not bodies[0] and b[j] is not bodies[1] and alike(i, j, _ALIKE)]
    matched = [(i + moved[0], j + moved[1]) for i, j in _with_twins(matched, set(), a, b)]
    matched.insert(0, (first[0], first[1]))
    return DrawingMatch(sides[0], sides[1], _with_those_alone(matched, sides[0], sides[1]), rules)


def _with_those_alone(pairs: list[tuple[int, int]], a: Sequence[DrawingPart], b: Sequence[DrawingPart]) -> Pairs:
    """Pairs, and None beside every part that has no partner; without lines on edges."""
    used_a, used_b = {i for i, _ in pairs}, {j for _, j in pairs}
    alone: Pairs = [(part.number, None) for part in a if part.host is None and part.number not in used_a]
    alone += [(None, part.number) for part in b if part.host is None and part.number not in used_b]
    return [*pairs, *alone]


def _cheapest_pairs(
    a: Sequence[DrawingPart],
    b: Sequence[DrawingPart],
    free_a: Sequence[DrawingPart],
    free_b: Sequence[DrawingPart],
    rules: LayerRules,
    least: float,
) -> list[tuple[int, int]]:
    """Partners; a part that is at least a share of what is seen of its drawing has one."""
    table = _Table(a, b, free_a, free_b, rules, least)
    nodes_a, nodes_b = _nodes(free_a, rules.pairs.keys()), _nodes(free_b, set(rules.pairs.values()))
    partner: dict[int, int] = {}
    pairs: list[tuple[int, int]] = []
    for _ in range(_ROUNDS):
        pairs = _assigned(table, table.costs(partner), nodes_a, nodes_b)
        if dict(pairs) == partner:
            break
        partner = dict(pairs)
    # Twins that stayed alone together may still find partners one by one: both, or one that hardly changes.
    left_a, left_b = (
        [(part.number,) for part in side if part.number not in used]
        for side, used in ((free_a, {i for i, _ in pairs}), (free_b, {j for _, j in pairs}))
    )
    costs = table.costs(partner)
    late = _assigned(table, costs / _SURE, left_a, left_b) if left_a and left_b else []
    sure = {(i, j) for i, j in late if costs[table.rows[i], table.columns[j]] < _ALIKE}
    return pairs + _with_twins(late, sure, a, b)


def _with_twins(
    pairs: list[tuple[int, int]], sure: set[tuple[int, int]], a: Sequence[DrawingPart], b: Sequence[DrawingPart]
) -> list[tuple[int, int]]:
    """The pairs without those, unless they are sure, of a part whose mirror twin has no partner among them."""
    while True:
        used = {i for i, _ in pairs}, {j for _, j in pairs}
        whole = [
            (i, j)
            for i, j in pairs
            if (i, j) in sure or (a[i].twin in (None, *used[0]) and b[j].twin in (None, *used[1]))
        ]
        if len(whole) == len(pairs):
            return whole
        pairs = whole


class _Table:
    """What it costs that parts become each other."""

    def __init__(
        self,
        a: Sequence[DrawingPart],
        b: Sequence[DrawingPart],
        free_a: Sequence[DrawingPart],
        free_b: Sequence[DrawingPart],
        rules: LayerRules,
        least: float = _DOMINANT,
    ) -> None:
        self.all_a, self.all_b, self.a, self.b = a, b, free_a, free_b
        self.rows = {part.number: k for k, part in enumerate(free_a)}
        self.columns = {part.number: k for k, part in enumerate(free_b)}
        seen_a, seen_b = _Seen.of(a, free_a), _Seen.of(b, free_b)
        self.apart: Floats = np.linalg.norm(seen_a.at[:, None] - seen_b.at, axis=-1)
        off_axis = seen_a.on_axis[:, None] != seen_b.on_axis
        off_axis &= any(part.twin is not None for part in (*a, *b))  # drawings without mirror twins have no axis
        shares_a, shares_b = _seen_shares(a), _seen_shares(b)
        self.body_a, self.body_b = body_a, body_b = _dominant(a, shares_a, least), _dominant(b, shares_b, least)
        self.rescaled = (body_a is None) != (body_b is None)
        if self.rescaled:
            # What is nearly the whole of one drawing is nowhere in particular in it: a face may become a head.
            whole = np.array([part is body_a for part in free_a])[:, None] | [part is body_b for part in free_b]
            self.apart = np.where(whole, _ANYWHERE * self.apart, self.apart)
            off_axis &= ~whole
        self.base: Floats = _place_costs(self.apart)
        details_a, details_b = (np.log1p(_details(side, free)) for side, free in ((a, free_a), (b, free_b)))
        self.base += _DETAILS * np.abs(details_a[:, None] - details_b)
        open_a, open_b = (
            shares[[part.number for part in free]] for shares, free in ((shares_a, free_a), (shares_b, free_b))
        )
        self.base += _HIDDEN * np.abs(open_a[:, None] - open_b)
        self.base += _SIZE * np.abs(np.log(seen_a.size[:, None] / seen_b.size))
        self.base += _BOX * np.abs(np.log(seen_a.box[:, None] / seen_b.box))
        self.base += _ASPECT * np.abs(np.log(seen_a.aspect[:, None] / seen_b.aspect))
        twins_a, twins_b = (np.array([part.twin is not None for part in side]) for side in (free_a, free_b))
        self.base -= _TWINS * (twins_a[:, None] & twins_b)
        self.base += _AXIS * off_axis
        self.base += _COLOUR * paints_apart(
            [part.main_paint for part in free_a], [part.main_paint for part in free_b], _CHROMA
        )
        compare = self.base.size <= _MOST_FORMS
        for i, one in enumerate(free_a):
            for j, other in enumerate(free_b):
                self.base[i, j] += _KIND * (one.is_line != other.is_line) + _DEPTH * abs(one.depth - other.depth)
                if not rules.may_pair(one.layer, other.layer):
                    self.base[i, j] += _NEVER
                elif compare and one.outline.closed == other.outline.closed:
                    self.base[i, j] += _FORM * (1.0 - align(one.outline, other.outline, 1)[0].score)
        self.alone_a = _alone_costs(body_a, a, free_a, shares_a, rules.pairs.keys())
        self.alone_b = _alone_costs(body_b, b, free_b, shares_b, set(rules.pairs.values()))

    def costs(self, partner: dict[int, int]) -> Floats:
        """The costs, with what is known about the partners of parents.

        Where a face becomes a head, what lies on it becomes what lies on the head: a tear is not a leg beside it.
        """
        cost = self.base.copy()
        if not partner:
            return cost
        matched = set(partner.values())
        apart = self._apart_beside_body(partner)
        cost += _place_costs(apart) - _place_costs(self.apart)
        for i, one in enumerate(self.a):
            for j, other in enumerate(self.b):
                around_a, around_b = one.parent, other.parent
                if around_a is None or around_b is None:
                    if self.rescaled and (around_a in partner or around_b in matched):
                        cost[i, j] += _PARENT
                elif partner.get(around_a) == around_b:
                    seat_a = _seat(one, self.all_a[around_a].region.bounds)
                    seat_b = _seat(other, self.all_b[around_b].region.bounds)
                    seat = 0.5 * (apart[i, j] + float(np.linalg.norm(seat_a - seat_b)))
                    cost[i, j] += float(_place_costs(seat) - _place_costs(apart[i, j]))
                else:
                    cost[i, j] += _PARENT
        return cost

    def _apart_beside_body(self, partner: dict[int, int]) -> Floats:
        """How far parts are from each other; where a body became a mere part, measured from both of these.

        What lies below the head that a face became is no ear of that face, wherever in the drawing it lies.
        """
        apart: Floats = self.apart
        became = [(i, j) for i, j in partner.items() if self.all_a[i] is self.body_a or self.all_b[j] is self.body_b]
        if not (self.rescaled and became):
            return apart
        i, j = became[0]
        seats_a, seats_b = (
            np.array([_seat(part, body.region.bounds) for part in parts]).reshape(-1, 2)
            for parts, body in ((self.a, self.all_a[i]), (self.b, self.all_b[j]))
        )
        apart = np.linalg.norm(seats_a[:, None] - seats_b, axis=-1)
        apart[self.rows[i], self.columns[j]] = self.apart[self.rows[i], self.columns[j]]
        return apart


@dataclass(frozen=True)
class _Seen:
    """Where and how large parts are in the box of their drawing.

    size : by area; box : by the box around a part; aspect : width by height of that box.
    """

    at: Floats
    size: Floats
    box: Floats
    aspect: Floats
    on_axis: np.ndarray

    @classmethod
    def of(cls, everything: Sequence[DrawingPart], parts: Sequence[DrawingPart]) -> _Seen:
        bounds = np.array([part.region.bounds for part in everything]).reshape(-1, 4)
        left, top = bounds[:, :2].min(axis=0)
        right, bottom = bounds[:, 2:].max(axis=0)
        at = np.array([_seat(part, (left, top, right, bottom)) for part in parts]).reshape(-1, 2)
        extent = 0.5 * (right - left + bottom - top)
        size = np.array([part.outline.size for part in parts]) / extent
        sides = np.array([part.region.bounds for part in parts])
        sides = np.maximum(sides[:, 2:] - sides[:, :2], 1e-3 * extent)
        on_axis = np.abs(at[:, 0] - 0.5) < _ON_AXIS
        return cls(at, size, np.linalg.norm(sides, axis=1) / extent, sides[:, 0] / sides[:, 1], on_axis)


def _details(everything: Sequence[DrawingPart], parts: Sequence[DrawingPart]) -> Floats:
    """How many parts lie on each of some parts."""
    around = np.array([-1 if part.parent is None else part.parent for part in everything])
    counts: Floats = np.array([np.count_nonzero(around == part.number) for part in parts], dtype=float)
    return counts


def _seat(part: DrawingPart, box: tuple[float, float, float, float]) -> Floats:
    """Where the middle of a part lies in a box, from 0 to 1."""
    left, top, right, bottom = box
    centre = part.outline.centre
    return np.array([(centre.real - left) / max(right - left, 1e-9), (centre.imag - top) / max(bottom - top, 1e-9)])


def _alone_costs(
    body: DrawingPart | None,
    everything: Sequence[DrawingPart],
    parts: Sequence[DrawingPart],
    shares: Floats,
    decided: Collection[int],
) -> dict[int, float]:
    """What it costs each part to stay alone: the more, the more is seen of it."""
    import shapely

    whole = shapely.union_all([part.region for part in everything]).area
    costs = {}
    for part in parts:
        cost = _ALONE if part.parent is None else _DETAIL_ALONE
        cost += _PROMINENT * float(shares[part.number]) * part.region.area / max(whole, 1e-300)
        costs[part.number] = cost + _LARGEST * ((part is body) + (part.layer in decided))
    return costs


def _place_costs(apart: Floats | float) -> Floats:
    """What it costs that partners are apart, as a share of the drawing: more and more beyond what is near."""
    costs: Floats = _PLACE * np.asarray(apart) + _FAR * np.maximum(np.asarray(apart) - _NEAR, 0.0)
    return costs


def _dominant(parts: Sequence[DrawingPart], shares: Floats, least: float = _DOMINANT) -> DrawingPart | None:
    """The part that most of what is seen of a drawing belongs to; a person of head, shirt and trousers has none.

    shares : how much of each part is seen.
    """
    import shapely

    seen = np.array([part.region.area for part in parts]) * shares
    if not seen.size or seen.max() < least * shapely.union_all([part.region for part in parts]).area:
        return None
    return parts[int(np.argmax(seen))]


def _seen_shares(parts: Sequence[DrawingPart]) -> Floats:
    """How much of each part is seen: what lies on it belongs to it, but other parts may cover it."""
    import shapely

    shares: Floats = np.ones(len(parts))
    regions = np.array([part.region for part in parts])
    lower, upper = shapely.STRtree(regions).query(regions, predicate="intersects") if len(parts) > 1 else ((), ())
    above: dict[int, list[int]] = {}
    for low, high in zip(lower, upper, strict=True):
        if low < high and not parts[high].is_line and not _lies_on(parts, parts[high], parts[low]):
            above.setdefault(int(low), []).append(int(high))
    for low, covering in above.items():
        left = regions[low].difference(shapely.union_all(regions[covering])).area
        shares[low] = left / max(regions[low].area, 1e-300)
    return shares


def _lies_on(parts: Sequence[DrawingPart], part: DrawingPart, other: DrawingPart) -> bool:
    """Whether a part lies on another, or on what lies on it."""
    return part.parent is not None and (part.parent == other.number or _lies_on(parts, parts[part.parent], other))


def _nodes(parts: Sequence[DrawingPart], decided: Collection[int]) -> list[Node]:
    """Single parts, and twins as one; twins of layers that are decided one by one go their way alone."""
    by_number = {part.number: part for part in parts}
    nodes: list[Node] = []
    for part in parts:
        twin = None if part.twin is None else by_number.get(part.twin)
        if twin is None or (part.layer != twin.layer and (part.layer in decided or twin.layer in decided)):
            nodes.append((part.number,))
        elif part.side == -1:
            nodes.append((part.number, twin.number))
    return nodes


def _assigned(table: _Table, cost: Floats, nodes_a: Sequence[Node], nodes_b: Sequence[Node]) -> list[tuple[int, int]]:
    """The cheapest pairs of parts: every node has one partner or stays alone."""
    from scipy.optimize import linear_sum_assignment

    n, m = len(nodes_a), len(nodes_b)
    first_a, last_a = (np.array([table.rows[node[end]] for node in nodes_a]) for end in (0, -1))
    first_b, last_b = (np.array([table.columns[node[end]] for node in nodes_b]) for end in (0, -1))
    one_each = cost[np.ix_(first_a, first_b)], cost[np.ix_(last_a, last_b)]
    crosswise = cost[np.ix_(first_a, last_b)], cost[np.ix_(last_a, first_b)]
    split = 1.5 * (sum(one_each) + sum(crosswise)) / 4 + _SPLIT
    twins_a, twins_b = (np.array([len(node) == 2 for node in nodes]) for nodes in (nodes_a, nodes_b))
    alike = np.where(twins_a[:, None], one_each[0] + one_each[1], one_each[0])
    square = np.zeros((n + m, n + m))
    square[:n, :m] = np.where(twins_a[:, None] == twins_b, alike, split)
    square[:n, m:] = np.array([sum(table.alone_a[k] for k in node) for node in nodes_a]).reshape(-1, 1)
    square[n:, :m] = np.array([sum(table.alone_b[k] for k in node) for node in nodes_b]).reshape(1, -1)
    pairs = []
    for p, q in zip(*(numbers.tolist() for numbers in linear_sum_assignment(square)), strict=True):
        if p < n and q < m and square[p, q] < _NEVER:
            one, other = nodes_a[p], nodes_b[q]
            pairs += [(one[k % len(one)], other[k % len(other)]) for k in range(max(len(one), len(other)))]
    return pairs
