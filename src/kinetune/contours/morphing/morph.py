"""Drawings that become other drawings.

===========  ================================================
morph        the frames from one drawing to another
morph_at     the same at any times
Morph        the frames, with a report of how they were found
LayerReport  how one layer was found
===========  ================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from kinetune.contours.drawing import Drawing, Layer, shown_inline
from kinetune.contours.layer_shapes import split_layer
from kinetune.contours.matching.curve_pairing import DrawingPins
from kinetune.contours.matching.layer_matching import LayerMap, Match, layer_index, layer_of_point
from kinetune.contours.matching.line_icons import alike
from kinetune.contours.matching.part_matching import match_drawings
from kinetune.contours.morphing.canvas import CanvasChange
from kinetune.contours.morphing.draw_order import stack_layers
from kinetune.contours.morphing.layer_films import Filming, LayerFilm
from kinetune.contours.morphing.methods import Method, film_maker, swing_progress
from kinetune.contours.morphing.part_films import Extras, Fate, PartMorph
from kinetune.contours.morphing.safe_films import How
from kinetune.contours.moving_drawing import MovingDrawing
from kinetune.contours.outlines import count_self_crossing
from kinetune.contours.timing.eases import Ease, eased
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

Pin = tuple[Sequence[float], Sequence[float]]
"""A point (x, y) on a curve of the first drawing, and the point (x, y) of the second that it becomes."""

_FARTHEST = 1e9  # of the canvas: how far off it a curve may reach
MOST_FRAMES = 10_000  # of one film
_MOST_LISTED = 6  # layers without a partner that a message lists


@dataclass(frozen=True)
class LayerReport:
    """How one layer, or one part of it, got from one drawing to the other.

    Attributes
    ----------
    a, b : str or None
        Names of the layers, or "layer" with a number; None for one that the other drawing does not have.
    how : tuple of str
        Of each of its curves: "first" (at once), "start" (from another start point), "guard" (with detail taken out on
        the way), "held" (frames repeated), "free" (nothing was guarded).
    smoothing : float
        The most detail that the guard took out: 0 for none; about 0.3 makes a circle.
    fate : str
        "becomes" (its partner), "splits off" (grows out of a neighbour), "merges" (goes into one), "appears" or
        "vanishes" (fades where it lies).
    beside : str or None
        The layer that it splits off from, merges into, or rides on while it fades.
    """

    a: str | None
    b: str | None
    how: tuple[How, ...]
    smoothing: float
    fate: Fate = "becomes"
    beside: str | None = None


class Morph(list[Drawing]):
    """The frames of a morph, a list of drawings, with a report on them.

    Attributes
    ----------
    notes : tuple of str
        What is worth knowing: keys that cross themselves, holes that had to close, frames that repeat.
    layers : tuple of LayerReport
        What became of each layer, and how.
    moving : MovingDrawing or None
        The same film by layers over time, from which Lottie and animated SVG are written; None where it is not known.
    joined : bool
        Whether the film was put together from several.
    """

    def __init__(
        self,
        frames: Iterable[Drawing] = (),
        notes: Sequence[str] = (),
        layers: Sequence[LayerReport] = (),
        moving: MovingDrawing | None = None,
        *,
        joined: bool = False,
    ) -> None:
        super().__init__(frames)
        self.notes = tuple(notes)
        self.layers = tuple(layers)
        self.moving = moving
        self.joined = joined

    def _repr_html_(self) -> str:
        """The film itself in a notebook, 240 pixels high; the drawings in a row where it is not known by layers."""
        if self.moving is None:
            return "".join(drawing._repr_html_() for drawing in self[:: max(1, len(self) // 6)])
        from kinetune.contours.svg.film_writer import film_to_svg

        return shown_inline(film_to_svg(self.moving.on_canvas(self[0].view_box)))

    def take(self, frames: Iterable[int]) -> Morph:
        """The film of some frames, in any order and as often as asked: ``film.take([0, 1, 2, 1])``."""
        numbers = [range(len(self))[frame] for frame in frames]
        moving = None if self.moving is None else self.moving.take(numbers)
        return Morph([self[number] for number in numbers], self.notes, self.layers, moving, joined=self.joined)

    @property
    def matching(self) -> tuple[str, ...]:
        """Which layers became each other and what happened to the others, in a message or two.

        Nothing of a film between two single layers, nor of one that was put together.
        """
        return () if self.moving is None or self.joined else matching_messages(self.layers)


def morph(
    a: Drawing,
    b: Drawing,
    frames: int = 24,
    method: Method = "safe",
    *,
    ease: Ease = "linear",
    elastic: bool = True,
    match: Match = "auto",
    layers: LayerMap | None = None,
    pins: Sequence[Pin] = (),
    extras: Extras = "auto",
    coefficients: int | None = None,
    wavelet: str = "db4",
    preset: str = "jelly",
    seconds: float | None = None,
    resolution: int | None = None,
) -> Morph:
    """Turn one drawing into another, frame by frame; no curve of the in-betweens crosses itself.

    Parameters
    ----------
    a, b : Drawing
        The first and the last drawing.
    frames : int
        How many drawings, both given ones among them.
    method : str
        "safe" matches similar bends, swings limbs instead of shrinking them and keeps curves from crossing. "physical"
        lets the first shape relax into the second like rubber, all parts in one rhythm, and keeps curves from crossing,
        too. "linear" is the paper's morph of wavelet coefficients, "schedule" takes details out before it and brings
        them in after it: these two may cross.
    ease : str or function
        How time runs: "linear", "smooth" (slow, fast, slow), "in" (slow at first), "out" (slow at last), "back",
        "elastic", "bounce", "cubic-bezier(x1, y1, x2, y2)" and more, see :mod:`kinetune.contours.timing.eases`; or a
        function from times to times, 0 to 1. Eases that overshoot carry the motion on beyond the last drawing.
    elastic : bool
        Match similar bends of both curves (method "safe"); False matches by arc length alone, which is faster.
    match : str
        How layers find each other: "name", "order", "shape", or "auto" (names where they are shared, else shape).
    layers : mapping or None
        Pairs of layers that you decide, {"cap": "hat"}, by name or number; {"cap": None} lets one vanish.
    pins : sequence of pairs
        Pairs ((x, y), (x, y)) of points on both drawings that must become each other.
    extras : str
        What happens to a layer without a partner. "auto": one that lies on another fades there, and one that lies
        beside others grows out of, or goes into, the nearest. "point": it shrinks to, or grows from, a point.
        "partner": it becomes, or comes from, the partner of its nearest neighbour, for layers that split.
    coefficients : int or None
        Of method "linear": morph only that many coarse coefficients of each curve.
    wavelet : str
        Of the methods "linear" and "schedule".
    preset : str
        Of the method "physical": "dead-beat", "jelly" or "wobbly".
    seconds : float or None
        Of the method "physical": how long the film is; by default until the shape has come to rest.
    resolution : int or None
        Draw every curve, also of the given drawings, with only that many control points.

    Returns
    -------
    Morph
        A list of drawings. The first and the last are the given ones, unless ``resolution`` or ``coefficients`` ask
        for coarser ones. Its ``notes`` say what is worth knowing, its ``layers`` how each layer was found.

    Notes
    -----
    [chuang] section 4.1 promises "non-self-intersecting" morphs by the linear method; many pairs of real outlines
    break that promise (``benchmarks/bench_morph.py`` counts them). "safe" keeps it: alignment by correlation, elastic
    correspondence, intrinsic interpolation, other start points, and a curve-shortening-flow guard, in that order,
    judged by GEOS on the frames as they are written (``test_morph.py::test_no_frame_crosses_itself``).
    Holes stay inside their outlines. Colours mix in OKLab.

    Examples
    --------
    >>> from kinetune import sample_drawing
    >>> film = morph(sample_drawing("face-happy"), sample_drawing("face-sad"), frames=5)
    >>> len(film)
    5
    """
    if isinstance(frames, bool) or not isinstance(frames, int | np.integer) or not 2 <= frames <= MOST_FRAMES:
        raise ParameterError(f"frames must be a whole number from 2 (both drawings) to {MOST_FRAMES}, not {frames}.")
    from kinetune.contours.timing.film_timing import overshoot

    options: dict[str, Any] = {"elastic": elastic, "match": match, "layers": layers, "pins": pins, "extras": extras}
    options |= {"coefficients": coefficients, "wavelet": wavelet, "preset": preset, "seconds": seconds}
    options["resolution"] = resolution
    times = eased(np.linspace(0.0, 1.0, int(frames)), ease)
    return overshoot(lambda moments: morph_at(a, b, moments, method, **options), times)


def matching_messages(reports: Sequence[LayerReport]) -> tuple[str, ...]:
    """What became of the layers: how many have a partner, and which split off, merge or fade."""
    if len(reports) < 2:
        return ()
    partners = sum(report.fate == "becomes" for report in reports)
    messages = [f"{partners} of {len(reports)} parts become each other."]
    listed = {
        "splits off": "{b} splits off from {beside}",
        "merges": "{a} merges into {beside}",
        "appears": "{b} fades in",
        "vanishes": "{a} fades out",
    }
    others = dict.fromkeys(
        listed[report.fate].format(a=report.a, b=report.b, beside=report.beside)
        for report in reports
        if report.fate != "becomes"
    )
    if others:
        messages.append(_sentence(list(others)))
    return tuple(messages)


def _sentence(clauses: list[str]) -> str:
    shown, left = clauses[:_MOST_LISTED], len(clauses) - _MOST_LISTED
    text = ", ".join(shown) + (f" and {left} more" if left > 0 else "")
    return text[:1].upper() + text[1:] + "."


def morph_at(
    a: Drawing,
    b: Drawing,
    times: ArrayLike,
    method: Method = "safe",
    *,
    match: Match = "auto",
    layers: LayerMap | None = None,
    pins: Sequence[Pin] = (),
    extras: Extras = "auto",
    resolution: int | None = None,
    **how: Any,
) -> Morph:
    """The drawings at times from 0 (the first) to 1 (the second); the options are those of :func:`morph`."""
    moments = np.asarray(times, dtype=float)
    if moments.ndim != 1 or not np.all((moments >= 0.0) & (moments <= 1.0)):
        raise ParameterError("times must be one row of numbers from 0 (the first drawing) to 1 (the second).")
    if extras not in get_args(Extras):
        raise ParameterError(f'extras must be one of {", ".join(get_args(Extras))}, not "{extras}".')
    _check_reach(a, "first")
    _check_reach(b, "second")
    make = film_maker(method, canvas=max(a.view_box[2:]), **how)
    coarse = how.get("coefficients") is not None
    filming = Filming(moments, CanvasChange(a.view_box, b.view_box), make, method in ("safe", "physical"))
    if method == "physical":
        filming = replace(filming, clock=swing_progress(how.get("preset", "jelly"), how.get("seconds")))
    drawn = alike(a, b) if filming.safe and match == "auto" and not layers and not pins else (a, b)
    work = _Work((a, b), drawn, moments, filming, coarse)
    work.pair(match, layers, pins)
    film = work.film(extras)
    if resolution is not None:
        from kinetune.contours.descriptor.wavelet_descriptor import at_resolution

        return Morph([at_resolution(frame, resolution) for frame in film], film.notes, film.layers)
    return film


def _check_reach(drawing: Drawing, side: str) -> None:
    """Refuse curves so far off the canvas that their form has no digits left."""
    left, top, width, height = drawing.view_box
    canvas = max(width, height)
    for contour in drawing.contours():
        if float(np.abs(contour.points - [left, top]).max()) > _FARTHEST * canvas:
            raise ParameterError(
                f"A curve of the {side} drawing reaches {np.abs(contour.points).max():.3g}, more than a billion times "
                f"its canvas of {width:g} x {height:g}. Leave it out, or give the drawing a larger view_box."
            )


class _Work:
    """One morph: parts matched, filmed, and put together again."""

    def __init__(
        self,
        keys: tuple[Drawing, Drawing],
        drawn: tuple[Drawing, Drawing],
        times: Floats,
        filming: Filming,
        coarse: bool,
    ) -> None:
        self.keys, self.times = keys, times
        a, b = self.a, self.b = drawn
        self.canvas = filming.canvas
        # With coarse coefficients even the keys are drawn coarse; otherwise they are the drawings themselves.
        self.inside = np.ones(len(times), dtype=bool) if coarse else (times > 0.0) & (times < 1.0)
        self.filming = replace(filming, times=times[self.inside])
        self.brought = b.map_contours(self.canvas.bring)
        self.shapes_a = [split_layer(layer) for layer in a.layers]
        self.shapes_b = [split_layer(layer) for layer in self.brought.layers]

    def pair(self, match: Match, layers: LayerMap | None, pins: Sequence[Pin]) -> None:
        """Decide which parts become each other, and which pins belong to them."""
        layer_map: dict[str | int, str | int | None] = {
            layer_index(self.a, key, "first"): value for key, value in (layers or {}).items()
        }
        pinned = []
        for pin in pins:
            on_a, on_b = _pin_points(pin)
            on_b = self.canvas.bring_point(on_b)
            i = layer_of_point(self.a, self.shapes_a, on_a, "first")
            j = layer_of_point(self.brought, self.shapes_b, on_b, "second")
            pinned.append((i, j, (on_a, on_b)))
            layer_map.setdefault(i, j)
        self.match = match_drawings(
            self.a, self.brought, self.shapes_a, self.shapes_b, match, layer_map, {(i, j) for i, j, _ in pinned}
        )
        self.pins: dict[tuple[int, int], DrawingPins] = {}
        for i, j, points in pinned:
            if self.match.rules.pairs.get(i) != j:
                raise ParameterError(
                    f"A pin holds layer {self.a.layers[i].name or i} to layer {self.b.layers[j].name or j}, "
                    "but these do not become each other. Pair them in the layer map."
                )
            self.pins[i, j] = (*self.pins.get((i, j), ()), points)

    def film(self, extras: Extras) -> Morph:
        parts = PartMorph(
            self.filming,
            self.times,
            (self.match.a, self.match.b),
            self.match.pairs,
            self.match.rules,
            self.pins,
            extras,
        )
        times = self.times.tolist()
        layers, orders = stack_layers(parts.strands, parts.done, self.a.view_box[2] * self.a.view_box[3], parts.twins)
        moving = MovingDrawing(layers, orders, tuple(self.canvas.box(t) for t in times), self.a.name)
        frames: list[Drawing] = []
        for k, (t, inside) in enumerate(zip(times, self.inside.tolist(), strict=True)):
            if inside:
                frames.append(moving.drawing(k, (self.a if t < 0.5 else self.b).name))
            else:
                frames.append(self.keys[0] if t <= 0.0 else self.keys[1])
        notes = self._notes(parts.films)
        if not self.filming.safe and (crossed := count_self_crossing(frames)):
            notes.append(f'{crossed} of {len(frames)} frames have a curve that crosses itself; method "safe" has none.')
        return Morph(frames, notes, self._reports(parts), moving)

    def _notes(self, films: Sequence[LayerFilm]) -> list[str]:
        notes = []
        for drawing, layer_shapes, side in ((self.a, self.shapes_a, "first"), (self.b, self.shapes_b, "second")):
            for number, (layer, shapes) in enumerate(zip(drawing.layers, layer_shapes, strict=True)):
                notes += [f"{_named(layer, number)} of the {side} drawing {note}." for note in shapes.notes]
        for number, film in enumerate(films):
            name = _named(film.a or film.b, number)
            if film.lost:
                notes.append(f"{name} has holes that find no room in {film.lost} frames and are closed there.")
            if any(curve.how == "held" for curve in film.films):
                notes.append(f"{name} could not be kept from crossing itself; frames that would are repeated instead.")
        return notes

    def _reports(self, parts: PartMorph) -> list[LayerReport]:
        """One report for each part, in the order of painting of the first drawing."""

        def name(drawing: Drawing, layer: int | None) -> str | None:
            return None if layer is None else drawing.layers[layer].name or f"layer {layer}"

        reports = []
        for each in parts.reports:
            side = self.a if each.fate in ("vanishes", "merges") else self.b
            curves = () if each.film is None else each.film.films
            reports.append(
                LayerReport(
                    name(self.a, each.layers[0]),
                    name(self.b, each.layers[1]),
                    tuple(curve.how for curve in curves),
                    max((curve.smoothing for curve in curves), default=0.0),
                    each.fate,
                    name(side, each.beside),
                )
            )
        return reports


def _named(layer: Layer | None, number: int) -> str:
    return f'Layer "{layer.name}"' if layer is not None and layer.name else f"Layer {number}"


def _pin_points(pin: Pin) -> tuple[complex, complex]:
    try:
        (xa, ya), (xb, yb) = pin
        points = complex(float(xa), float(ya)), complex(float(xb), float(yb))
    except (TypeError, ValueError):
        raise ParameterError(f"A pin is a pair of points ((x, y), (x, y)); got {pin!r}.") from None
    if not np.isfinite(points).all():
        raise ParameterError(f"A pin is a pair of points ((x, y), (x, y)); got {pin!r}.")
    return points
