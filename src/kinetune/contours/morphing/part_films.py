"""Films of parts: details ride on what they lie on, lines stay on edges, what is left over splits off or fades.

==========  ============================================================
PartMorph   all strands between the parts of two drawings
PartReport  what became of one part
==========  ============================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from kinetune.contours.colours import paints_apart
from kinetune.contours.drawing import Layer
from kinetune.contours.interpolation.intrinsic_interpolation import rigid_fit
from kinetune.contours.matching.curve_pairing import DrawingPins, Pairs
from kinetune.contours.matching.drawing_parts import MOST_PARTS, DrawingPart, filled_region
from kinetune.contours.matching.edge_places import EdgePlaces, between, matched_line
from kinetune.contours.matching.layer_matching import LayerRules
from kinetune.contours.matching.outline_alignment import POOR_FIT
from kinetune.contours.morphing._holes import carried, carried_curve
from kinetune.contours.morphing.draw_order import Strand
from kinetune.contours.morphing.layer_films import Filming, LayerFilm, film_layer, smooth_step
from kinetune.contours.morphing.safe_films import CurveFilm, Finish, How
from kinetune.contours.moving_drawing import MovingCurve
from kinetune.contours.outlines import Complex, Outline, all_simple, ring_area
from kinetune.rotations import Floats

Extras = Literal["auto", "point", "partner"]
Fate = Literal["becomes", "splits off", "merges", "appears", "vanishes"]
"""What a part does: it becomes its partner; it comes out of a neighbour or goes into it; it fades in or out."""

_GOES, _COMES = (0.05, 0.6), (0.4, 0.95)  # when parts without a partner go and come
_DISSOLVES, _DISSOLVES_IN = (0.05, 0.5), (0.5, 0.92)  # the same of details, one after the other
_LINE_GOES, _LINE_COMES = (0.3, 0.75), (0.25, 0.7)  # the same for lines on one edge: there is always one of them
_EMPTY = 0.5  # the same of one with gaps between its parts: it shows through them
_COVERED = 0.08  # of the time: a silhouette comes and goes while the parts that it stands for cover it
_WITHIN = 0.92  # the share of a part that lies on another, from which on it fades in its place there
_LARGE = 0.35  # of the canvas: what is larger is stretched with what it fades on
_TOGETHER = 0.4  # of the canvas: smaller parts this near to each other go as one
_QUICK = 6.0  # a line that grows thicker is opaque after this part of the time
_OPAQUE_SOON = 8.0  # the same for a part that grows out of its neighbour: half transparent, it looks like a ghost
_SPROUT = 0.15  # the size, of its full size, at which a part grows out of the edge of its neighbour
_LEAST = 0.45  # the size at which one that lies on its parent is no longer seen
_RESIZED = (0.6, 1.6)  # by how much a part without a partner follows the size of what it rides on
_NEAR_PLACE = 0.25  # of the edge: lines further apart do not become each other
_ON_IT = 0.001  # of the canvas: a line that is nowhere further from an edge lies on it
_MOSTLY = 0.5  # the share of a part without a partner that lies on what has one, if it rides there
_HIDDEN = 0.8  # the share that lies behind it
_TOUCH = 0.005  # of the canvas: parts this near to each other hang together
_SAMPLES = 96


@dataclass(frozen=True)
class PartReport:
    """What became of one part.

    layers : its layers in both drawings; None where a drawing does not have it.
    beside : the layer that it splits off from, merges into, or rides on while it fades.
    film : of parts that became each other.
    """

    layers: tuple[int | None, int | None]
    fate: Fate
    beside: int | None = None
    film: LayerFilm | None = None


@dataclass(frozen=True)
class _Ride:
    """An affine map over time: z goes to path + size (z - root), size complex where it rotates.

    path, size : at the times inside the film.
    width, seen : the factors of stroke width and opacity at all times.
    shear : what else is added of the mirror image of z - root.
    """

    root: complex
    path: Complex
    size: Floats | Complex
    width: Floats
    seen: Floats
    fate: Fate
    beside: int | None
    shear: Complex | None = None

    def carry(self, z: Complex) -> Complex:
        carried_to = self.path[:, None] + self.size[:, None] * (z - self.root)
        return carried_to if self.shear is None else carried_to + self.shear[:, None] * np.conj(z - self.root)


class PartMorph:
    """The films of all parts of two drawings.

    Attributes
    ----------
    strands : list of Strand
    films : list of LayerFilm
        Of the parts that became each other.
    reports : list of PartReport
    twins : pairs of strands that are mirror images of each other in either drawing.
    """

    def __init__(
        self,
        filming: Filming,
        times: Floats,
        parts: tuple[Sequence[DrawingPart], Sequence[DrawingPart]],
        pairs: Pairs,
        rules: LayerRules,
        pins: Mapping[tuple[int, int], DrawingPins],
        extras: Extras = "auto",
    ) -> None:
        self.filming, self.times, self.parts, self.rules, self.pins = filming, times, parts, rules, pins
        self.extras: Extras = extras
        self.done, self.done_inside = filming.clock(times), filming.progress
        self.strands: list[Strand] = []
        self.films: list[LayerFilm] = []
        self.reports: list[PartReport] = []
        self._outlines: dict[tuple[int, int], CurveFilm] = {}
        self._rotations: dict[tuple[int | None, int | None], float] = {}
        self._rides: dict[tuple[int, int], _Ride] = {}
        self._bodies: list[dict[int, list[DrawingPart]]] = [{}, {}]
        matched = [(i, j) for i, j in pairs if i is not None and j is not None]
        for i, j in sorted(matched, key=lambda pair: max(parts[0][pair[0]].depth, parts[1][pair[1]].depth)):
            self._add_pair(parts[0][i], parts[1][j])
        for side in (0, 1):
            alone = [pair[side] for pair in pairs if pair[1 - side] is None] + self._without_edge(matched, side)
            lone = [parts[side][k] for k in alone if k is not None]
            lone = [replace(part, parent=self._under(part, side)) for part in lone]
            self._bodies[side] = self._touching([part for part in lone if part.parent is None])
            self._bodies[side] |= self._near_each_other([part for part in lone if part.parent is not None], side)
            for part in sorted(lone, key=lambda part: part.depth):
                self._add_alone(part, side)
        self.twins = self._twin_strands()

    # --- parts that become each other

    def _add_pair(self, one: DrawingPart, other: DrawingPart) -> None:
        around = None
        if one.parent is not None and other.parent is not None:
            around = self._outlines.get((one.parent, other.parent))
        film = film_layer(
            self.filming,
            (one.paint, one.shapes),
            (other.paint, other.shapes),
            self.pins.get((one.layer, other.layer), ()),
            around,
            self._upright(one, other, around),
        )
        self.films.append(film)
        self._add_film(film, (one.number, other.number), self._silhouette_seen(one, other))
        self.reports.append(PartReport((one.layer, other.layer), "becomes", film=film))
        if film.films and one.twin is not None and other.twin is not None:
            main = film.films[0]
            self._rotations[one.number, other.number] = rigid_fit(main.a, main.b, main.closed)[0]
        closed = [curve for curve in film.films if curve.closed and not np.isnan(curve.a[0] + curve.b[0])]
        if closed and not (one.is_line or other.is_line):
            main = max(closed, key=lambda curve: abs(float(ring_area(curve.a))))
            self._outlines[one.number, other.number] = main
            self._add_lines(one, other, main)

    def _upright(self, one: DrawingPart, other: DrawingPart, around: CurveFilm | None) -> float | None:
        """By how much a part should rotate: against its twin, or with what it lies on if that is merely rotated."""
        if max(len(parts) for parts in self.parts) < 2:
            return None
        twin = self._rotations.get((one.twin, other.twin))
        if twin is not None:
            return -twin
        if around is None:
            return 0.0
        rotation, fit = rigid_fit(around.a, around.b)
        return rotation * max(0.0, 1.0 - (1.0 - fit) / POOR_FIT)

    def _silhouette_seen(self, one: DrawingPart, other: DrawingPart) -> Floats:
        """How much is seen of two parts that become each other: of a silhouette, nothing in its own drawing."""
        seen: Floats = np.ones(len(self.times))
        for part, there in ((one, self.done), (other, 1.0 - self.done)):
            if part.silhouette is not None:
                seen = seen * smooth_step(there, (0.0, _COVERED if part.silhouette == "full" else _EMPTY))
        return seen

    def _add_film(self, film: LayerFilm, ends: tuple[int | None, int | None], seen: Floats | None = None) -> None:
        paints = self.filming.paints(film.a, film.b, self.times)
        groups = film.parts if film.apart else [[curve for part in film.parts for curve in part]]
        for number, group in enumerate(groups, start=1):
            if group:
                named = paints if number == 1 else tuple(_renamed(paint, number) for paint in paints)
                self._add_strand(ends, group, named, np.ones(len(self.times)) if seen is None else seen)

    def _add_strand(
        self,
        ends: tuple[int | None, int | None],
        group: Sequence[CurveFilm],
        paints: tuple[Layer, ...],
        seen: Floats,
    ) -> None:
        first = group[0]
        curves = tuple(MovingCurve(self._all_frames(curve), curve.closed) for curve in group)
        self.strands.append(Strand(ends[0], ends[1], curves, paints, seen, (first.a, first.b, first.closed)))

    def _all_frames(self, curve: CurveFilm) -> Complex:
        """The frames of a curve with its keys among them, on the canvases of their times."""
        if len(self.filming.times) == len(self.times):
            return curve.frames
        frames = np.empty((len(self.times), len(curve.a)), dtype=complex)
        frames[(self.times > 0.0) & (self.times < 1.0)] = curve.frames
        frames[self.times <= 0.0] = curve.a
        frames[self.times >= 1.0] = self.filming.canvas.lay(curve.b[None], np.ones(1))[0]
        return frames

    # --- lines on the edges of fills

    def _add_lines(self, one: DrawingPart, other: DrawingPart, edge: CurveFilm) -> None:
        """Lines along the edge of a fill lie on its film."""
        lines_a, lines_b = (
            [part for part in parts if part.host == host.number]
            for parts, host in zip(self.parts, (one, other), strict=True)
        )
        for i, j in self._paired_lines(lines_a, lines_b, edge):
            line_a, line_b = (None if i is None else lines_a[i]), (None if j is None else lines_b[j])
            self._add_line(line_a, line_b, edge, one if j is None else other)

    def _paired_lines(self, a: Sequence[DrawingPart], b: Sequence[DrawingPart], edge: CurveFilm) -> Pairs:
        """Lines of two drawings on one edge, paired where they lie and reach alike."""
        from scipy.optimize import linear_sum_assignment

        n = len(edge.a)
        places = [[_places(part, ring) for part in side] for side, ring in ((a, edge.a), (b, edge.b))]
        cost = np.full((len(a), len(b)), 9.0)
        for i, one in enumerate(places[0]):
            for j, other in enumerate(places[1]):
                if self.rules.may_pair(a[i].layer, b[j].layer):
                    apart = abs((one.middle - other.middle + n / 2) % n - n / 2) if not _both_rings(a[i], b[j]) else 0.0
                    cost[i, j] = (apart + 0.5 * abs(one.extent - other.extent)) / n
        pairs: Pairs = []
        for i, j in zip(*(numbers.tolist() for numbers in linear_sum_assignment(cost)), strict=True):
            if cost[i, j] < _NEAR_PLACE:
                pairs.append((i, j))
        used_a, used_b = {i for i, _ in pairs}, {j for _, j in pairs}
        pairs += [(i, None) for i in range(len(a)) if i not in used_a]
        return pairs + [(None, j) for j in range(len(b)) if j not in used_b]

    def _add_line(self, a: DrawingPart | None, b: DrawingPart | None, edge: CurveFilm, host: DrawingPart) -> None:
        if a is not None and b is not None:
            one, other = matched_line(a.outline, b.outline, edge.a, edge.b)
            places = between(one, other, self.done_inside, len(edge.a))
            keys, closed = (one.on(edge.a[None])[0], other.on(edge.b[None])[0]), a.outline.closed and b.outline.closed
            film = self._on_edge(places, edge, keys, closed)
            if film is None:  # there is no path from one to the other: one goes, and the other comes
                self._add_line(a, None, edge, host)
                self._add_line(None, b, edge, host)
                return
            paints = [self.filming.paint(a.paint, b.paint, t) for t in self.times.tolist()]
            seen: Floats = np.ones(len(self.times))
            report = PartReport((a.layer, b.layer), "becomes")
            ends: tuple[int | None, int | None] = (a.number, b.number)
        else:
            only, side = (a, 0) if a is not None else (b, 1)
            assert only is not None
            points = _samples(only.outline)
            places, keys = EdgePlaces.of(points, (edge.a, edge.b)[side]), _key_pair(points, side)
            closed = only.outline.closed
            film = self._on_edge(places, edge, keys, closed) or self._kept_form(points, edge, closed, side)
            given = (only.paint, None) if side == 0 else (None, only.paint)
            there = smooth_step(self.done, _LINE_COMES) if side else 1.0 - smooth_step(self.done, _LINE_GOES)
            paints = self._thinned(given, there)
            seen = np.clip(_QUICK * there, 0.0, 1.0)
            report = PartReport(_ends(only.layer, side), "appears" if side else "vanishes", host.layer)
            ends = _ends(only.number, side)
        self.reports.append(report)
        self._add_strand(ends, [film], tuple(paints), seen)

    def _on_edge(
        self, places: EdgePlaces, edge: CurveFilm, keys: tuple[Complex, Complex], closed: bool
    ) -> CurveFilm | None:
        """A line on its edge; where it would cross itself, it comes nearer to the edge on the way.

        A line that lies on the edge from the start stays exactly on it, and a ring that does is the edge itself. One
        that cannot come near without crossing itself is carried inside the fill; None where that makes it cross, too.
        One that crosses itself where it is drawn may do so on the way.
        """
        finish = self.filming.finish(_extent(keys[0] if not np.isnan(keys[0][0]) else keys[1]))
        missing = [bool(np.isnan(key[0])) for key in keys]
        on_it = bool(np.abs(places.beside).max() < _ON_IT * max(self.filming.canvas.a[2:]))
        if on_it and closed:
            return self._edge_itself(edge, missing, finish)
        if on_it:
            places = replace(places, beside=np.zeros_like(places.beside))
        simple = all(none or all_simple(key[None], closed)[0] for key, none in zip(keys, missing, strict=True))
        film = CurveFilm(places.on(edge.frames), keys[0], keys[1], closed, "first" if simple else "free")
        away = np.sin(np.pi * self.done_inside)
        if any(missing):
            away = self.done_inside if missing[1] else 1.0 - self.done_inside
        for tried in places.towards_edge(away, len(edge.a) if closed else None, retract=any(missing)):
            settled = self.filming.settle(replace(film, frames=tried.on(edge.frames)), finish)
            if not np.isnan(settled.frames).any():
                return settled
        rides = [
            np.stack([carried(point, ring, edge.frames) for point in key.tolist()], axis=1)
            for key, ring, none in zip(keys, (edge.a, edge.b), missing, strict=True)
            if not none
        ]
        done = 0.0 if any(missing) else self.done_inside[:, None]
        inside = (1.0 - done) * rides[0] + done * rides[-1]
        settled = self.filming.settle(replace(film, frames=inside), finish)
        return None if np.isnan(settled.frames).any() else settled

    def _kept_form(self, z: Complex, edge: CurveFilm, closed: bool, side: int) -> CurveFilm:
        """A line that keeps its form, and thus cannot cross itself, and goes where its fill goes."""
        key, centre = (edge.a, edge.b)[side], z.mean()
        size = np.sqrt(np.abs(ring_area(edge.frames) / ring_area(key)))
        frames = carried(centre, key, edge.frames)[:, None] + size[:, None] * (z - centre)
        one, other = _key_pair(z, side)
        simple = bool(all_simple(z[None], closed)[0])
        film = CurveFilm(frames, one, other, closed, "first" if simple else "free")
        return self.filming.settle(film, self.filming.finish(_extent(z)))

    def _edge_itself(self, edge: CurveFilm, missing: Sequence[bool], finish: Finish) -> CurveFilm:
        """A ring that is the edge, which does not cross itself, in the drawings that have it."""
        one, other = (np.full_like(z, np.nan) if none else z for z, none in zip((edge.a, edge.b), missing, strict=True))
        return self.filming.settle(CurveFilm(edge.frames, one, other, closed=True, how="first"), finish)

    def _thinned(self, ends: tuple[Layer | None, Layer | None], widths: Floats) -> list[Layer]:
        """The paint of a layer that only one drawing has, its stroke at a share of its width, at all times."""
        paints = [self.filming.paint(ends[0], ends[1], t) for t in self.times.tolist()]
        shares = widths.tolist()
        return [replace(p, stroke_width=share * p.stroke_width) for p, share in zip(paints, shares, strict=True)]

    # --- parts without a partner

    def _without_edge(self, matched: Sequence[tuple[int, int]], side: int) -> list[int | None]:
        """Lines on fills that become something without an edge, such as a line."""
        lost = {pair[side] for pair in matched if pair not in self._outlines}
        lost -= {pair[side] for pair in self._outlines}
        return [part.number for part in self.parts[side] if part.host in lost]

    def _add_alone(self, part: DrawingPart, side: int) -> None:
        if self.extras != "auto":
            self._add_from_elsewhere(part, side)
            return
        ride = self._ride(part, side)
        self._rides[side, part.number] = ride
        for each in [part, *(line for line in self.parts[side] if line.host == part.number)]:
            ends = (each.paint, None) if side == 0 else (None, each.paint)
            paints = tuple(self._carried_along(self._thinned(ends, ride.width), ride, side))
            group = [
                self._riding(shape.outline.points, shape.outline.closed, ride, side, shape.crossing)
                for top in each.shapes.shapes
                for shape in top.everything()
            ]
            self._add_strand(_ends(each.number, side), group, paints, ride.seen)
            self.reports.append(PartReport(_ends(each.layer, side), ride.fate, ride.beside))

    def _carried_along(self, paints: list[Layer], ride: _Ride, side: int) -> list[Layer]:
        """Paints whose gradients move and grow with the part that they fill."""
        if paints[0].fill_gradient is None and paints[0].stroke_gradient is None:
            return paints
        canvas = self.filming.canvas
        key = np.array([0.0, 1.0, 1j])
        frames = canvas.lay(ride.carry(key if side == 0 else canvas.bring_points(key)), self.filming.times)
        filmed = (self.times > 0.0) & (self.times < 1.0) | (len(frames) == len(paints))
        numbers: list[int] = np.flatnonzero(filmed).tolist()
        for k, (start, across, down) in zip(numbers, frames.tolist(), strict=True):
            x, y = across - start, down - start
            matrix = np.array([[x.real, y.real, start.real], [x.imag, y.imag, start.imag]])
            fill, stroke = (
                None if gradient is None else gradient.transformed(matrix)
                for gradient in (paints[k].fill_gradient, paints[k].stroke_gradient)
            )
            paints[k] = replace(paints[k], fill_gradient=fill, stroke_gradient=stroke)
        return paints

    def _riding(self, z: Complex, closed: bool, ride: _Ride, side: int, crossing: bool) -> CurveFilm:
        how: How = "free" if crossing else "first"
        finish = self.filming.finish(_SPROUT * _extent(z))
        shown = self._at_inside(ride.seen) > 0.0
        frames = np.where(shown[:, None], ride.carry(z), np.nan)
        return self.filming.settle(CurveFilm(frames, *_key_pair(z, side), closed, how), finish)

    def _at_inside(self, values: Floats) -> Floats:
        """Of values at all times, those at the times inside the film."""
        if len(self.filming.times) == len(self.times):
            return values
        return values[(self.times > 0.0) & (self.times < 1.0)]

    def _ride(self, part: DrawingPart, side: int) -> _Ride:
        """How a part without a partner moves, grows and fades: with its parent, or out of its nearest neighbour."""
        if part.parent is not None and (side, part.parent) in self._rides:
            return self._rides[side, part.parent]
        body = self._bodies[side].get(part.number, [part])
        if (side, body[0].number) in self._rides:
            return self._rides[side, body[0].number]
        parents = [pair for pair in self._outlines if pair[side] == part.parent]
        span = (_GOES, _COMES)[side] if self._outlines else (0.0, 1.0)
        there, seen_there = (
            1.0 - smooth_step(t, span) if side == 0 else smooth_step(t, span) for t in (self.done_inside, self.done)
        )
        root, least, quick = _centre(body), _LEAST, 1.5
        if parents and self._lies_within(body, self.parts[side][parents[0][side]]):
            return self._dissolving(body, side, parents[0])
        fate: Fate = "vanishes" if side == 0 else "appears"
        nearest = parents[0] if parents else self._neighbour(body, side)
        if nearest is not None and not parents:  # it grows out of the nearest point of its neighbour
            root, least, quick = _nearest_point(self.parts[side][nearest[side]], root), _SPROUT, _OPAQUE_SOON
            fate = "merges" if side == 0 else "splits off"
        size, path = least + (1.0 - least) * there, np.full(len(there), root)
        if nearest is not None:
            edge = self._outlines[nearest]
            key = edge.a if side == 0 else edge.b
            path = carried(root, key, edge.frames)
            follow = np.clip(np.sqrt(np.abs(ring_area(edge.frames) / ring_area(key))), *_RESIZED)
            size = size * (1.0 + (follow - 1.0) * (1.0 - there))
        return _Ride(
            root,
            path,
            size,
            width=least + (1.0 - least) * seen_there,
            seen=np.clip(quick * seen_there, 0.0, 1.0),
            fate=fate,
            beside=None if nearest is None else self.parts[side][nearest[side]].layer,
        )

    def _lies_within(self, body: Sequence[DrawingPart], parent: DrawingPart) -> bool:
        """Whether something lies on a silhouette, or almost wholly on another part."""
        regions = [filled_region(part) for part in body]
        inside = all(part.intersection(parent.region).area > _WITHIN * part.area for part in regions)
        return inside or parent.silhouette is not None

    def _dissolving(self, body: Sequence[DrawingPart], side: int, around: tuple[int, int]) -> _Ride:
        """How a part goes with what it lies on as if drawn there, and fades."""
        seen = smooth_step(self.done, _DISSOLVES_IN) if side else 1.0 - smooth_step(self.done, _DISSOLVES)
        edge = self._outlines[around]
        root = _centre(body)
        key = edge.a if side == 0 else edge.b
        points = np.concatenate([_even(part.outline) for part in body])
        path, turned, mirrored = affine_fit(points - root, carried_curve(points, key, edge.frames))
        most, change = np.abs(turned), np.abs(mirrored)
        size: Complex = np.maximum(most - change, 0.3 * most).astype(complex)  # the lesser stretch: it stays inside
        shear = None
        numbers = {part.number for part in body}
        if any(line.host in numbers for line in self.parts[side]):
            size = np.minimum(size.real, 1.0).astype(complex)  # no line goes further from its fill
        elif self._is_large(body[0]) and np.all(most > 1.05 * change):  # it is not turned over
            size, shear = turned, mirrored
        return _Ride(
            root,
            path,
            size,
            width=np.ones(len(seen)),
            seen=seen,
            fate="vanishes" if side == 0 else "appears",
            beside=self.parts[side][around[side]].layer,
            shear=shear,
        )

    def _under(self, part: DrawingPart, side: int) -> int | None:
        """What a part without a partner lies on; otherwise the partner that it mostly covers, or that covers it.

        A frame covers what it goes round: it fades where it is, and does not leave as a small box.
        """
        if part.parent is not None:
            return part.parent
        region = filled_region(part)
        for number in sorted({pair[side] for pair in self._outlines}, key=lambda n: (n > part.number, -n)):
            least = _MOSTLY if number < part.number else _HIDDEN
            if self.parts[side][number].region.intersection(region).area > least * region.area:
                return number
        return None

    def _touching(self, parts: Sequence[DrawingPart]) -> dict[int, list[DrawingPart]]:
        """For each part all that hang together with it: the limbs of a person come and go as one."""
        import shapely
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        if not parts or not self._outlines:
            return {}
        regions = np.array([part.region for part in parts])
        reach = _TOUCH * max(self.filming.canvas.a[2:])
        one, other = shapely.STRtree(regions).query(regions, predicate="dwithin", distance=reach)
        near = coo_array((np.ones(len(one)), (one, other)), shape=(len(parts), len(parts)))
        labels = connected_components(near, directed=False)[1]
        bodies = [[part for part, label in zip(parts, labels, strict=True) if label == each] for each in set(labels)]
        return {part.number: body for body in bodies for part in body}

    def _is_large(self, part: DrawingPart) -> bool:
        return _extent(part.outline.points) > _LARGE * max(self.filming.canvas.a[2:])

    def _near_each_other(self, parts: Sequence[DrawingPart], side: int) -> dict[int, list[DrawingPart]]:
        """For each small part those near it that fade on the same part: they move as one."""
        from scipy.cluster.hierarchy import fclusterdata

        bodies: dict[int, list[DrawingPart]] = {}
        for parent in {part.parent for part in parts if part.parent is not None}:
            on = self.parts[side][parent]
            small = [p for p in parts if p.parent == parent and not self._is_large(p) and self._lies_within([p], on)]
            if len(small) < 2 or len(small) > MOST_PARTS:
                continue
            middles = np.array([[part.outline.centre.real, part.outline.centre.imag] for part in small])
            reach = _TOGETHER * max(self.filming.canvas.a[2:])
            labels = fclusterdata(middles, reach, criterion="distance", method="complete")
            for label in set(labels.tolist()):
                body = [part for part, each in zip(small, labels, strict=True) if each == label]
                bodies |= {part.number: body for part in body}
        return bodies

    def _neighbour(self, body: Sequence[DrawingPart], side: int) -> tuple[int, int] | None:
        """The nearest part that has a partner; of several at the same distance, the one most alike in colour."""
        pairs = list(self._outlines)
        if not pairs:
            return None
        others = [self.parts[side][pair[side]] for pair in pairs]
        extent = max(np.ptp([b for other in others for b in other.region.bounds]), 1e-300)
        apart = np.array([min(other.region.distance(part.region) for part in body) for other in others]) / extent
        largest = max(body, key=lambda part: part.region.area)
        colours = paints_apart([largest.main_paint], [other.main_paint for other in others])[0]
        return pairs[int(np.argmin(apart + 0.05 * colours))]

    def _add_from_elsewhere(self, part: DrawingPart, side: int) -> None:
        """A part that shrinks to, or grows from, a point, or that becomes the partner of its nearest neighbour."""
        near = self._neighbour([part], side) if self.extras == "partner" and part.layer not in self.rules.gone else None
        other = None if near is None else self.parts[1 - side][near[1 - side]]
        fate: Fate = ("merges" if side == 0 else "splits off") if near else ("vanishes" if side == 0 else "appears")
        for each in [part, *(line for line in self.parts[side] if line.host == part.number)]:
            this, that = (each.paint, each.shapes), None if other is None else (other.paint, other.shapes)
            film = film_layer(self.filming, this, that) if side == 0 else film_layer(self.filming, that, this)
            self.films.append(film)
            self._add_film(film, _ends(each.number, side, None if other is None else other.number))
            beside = None if near is None else self.parts[side][near[side]].layer
            self.reports.append(PartReport(_ends(each.layer, side), fate, beside, film))

    def _twin_strands(self) -> list[tuple[int, int]]:
        numbers = {(strand.a, strand.b): k for k, strand in enumerate(self.strands)}
        twins = []
        for (a, b), k in numbers.items():
            twin_a = None if a is None else self.parts[0][a].twin
            twin_b = None if b is None else self.parts[1][b].twin
            other = numbers.get((twin_a, twin_b), -1)
            if other > k:
                twins.append((k, other))
        return twins


def _ends(number: int, side: int, other: int | None = None) -> tuple[int | None, int | None]:
    """Something of one drawing beside something of the other, the first drawing first."""
    return (number, other) if side == 0 else (other, number)


def _key_pair(z: Complex, side: int) -> tuple[Complex, Complex]:
    """A curve that only one drawing has, beside one that is not drawn."""
    nothing = np.full(len(z), complex(np.nan, np.nan))
    return (z, nothing) if side == 0 else (nothing, z)


def affine_fit(z: Complex, frames: Complex) -> tuple[Complex, Complex, Complex]:
    """The affine maps closest to where points go: c, p and q (times,), so that z goes to c + p z + q conj(z).

    frames : (times, n).
    """
    design = np.stack([np.ones_like(z), z, np.conj(z)], axis=1)
    place, turned, mirrored = np.linalg.lstsq(design, frames.T, rcond=None)[0]
    return place, turned, mirrored


def _even(curve: Outline) -> Complex:
    return curve.along(np.linspace(0.0, 1.0, 48, endpoint=not curve.closed))


def _renamed(paint: Layer, number: int) -> Layer:
    return replace(paint, name=f"{paint.name or 'part'} ({number})")


def _samples(line: Outline) -> Complex:
    """A line with its vertices and some more."""
    even = np.linspace(0.0, 1.0, _SAMPLES, endpoint=not line.closed)
    return line.along(np.unique(np.concatenate([even, line.shares[:-1] if line.closed else line.shares])))


def _places(part: DrawingPart, ring: Complex) -> EdgePlaces:
    return EdgePlaces.of(part.outline.along(np.linspace(0.0, 1.0, _SAMPLES)), ring)


def _both_rings(one: DrawingPart, other: DrawingPart) -> bool:
    return one.outline.closed and other.outline.closed


def _extent(z: Complex) -> float:
    return float(np.abs(z - z[0]).max())


def _centre(body: Sequence[DrawingPart]) -> complex:
    """The middle of some parts."""
    if len(body) == 1:
        return body[0].outline.centre
    areas = np.array([part.region.area for part in body])
    return complex(np.average([part.outline.centre for part in body], weights=areas + 1e-12))


def _nearest_point(part: DrawingPart, z: complex) -> complex:
    """The nearest point on the edge of a part; the point itself where the part covers it."""
    import shapely
    from shapely.ops import nearest_points

    middle = shapely.Point(z.real, z.imag)
    if part.region.contains(middle):
        return z
    point = nearest_points(part.region.boundary, middle)[0]
    return complex(point.x, point.y)
