"""A film as key shapes: a few Bezier shapes for each layer, and how fast one becomes the next.

==========  ==============================================================================
key_film    a moving drawing as keyed layers, fitted and checked as a file will hold them
KeyedFilm   the layers from back to front
KeyedLayer  one layer while it is shown: paths, keys and paint
Grid        the coordinates of a file
==========  ==============================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinetune.contours.colours import parse_colour
from kinetune.contours.drawing import Cap, Join
from kinetune.contours.gradients import Gradient
from kinetune.contours.key_shapes._film_checks import film_error, film_is_simple
from kinetune.contours.key_shapes._layer_slots import Slot, layer_slots
from kinetune.contours.key_shapes.bezier_films import BezierFilm, fit_curve
from kinetune.contours.key_shapes.key_times import KeyedValues, Keys, choose_keys, keyed_values
from kinetune.contours.key_shapes.keyed_gradients import KeyedGradient, key_gradient
from kinetune.contours.key_shapes.layer_rides import KeyedRide, Ride, find_ride, motion_error, share_rides
from kinetune.contours.morphing.canvas import Box
from kinetune.contours.moving_drawing import MovingCurve, MovingDrawing, MovingLayer
from kinetune.contours.outlines import Complex, ring_centroid
from kinetune.rotations import Floats

LIMIT = 0.00148  # of the page: how far what is shown may lie from the film, seen on chords; 0.0015 in truth
_NOTHING = 0.001  # of the page: a curve that is smaller than this cannot be seen
_BOUNDS = (  # of the page: for the curves, and then for the keys, from the most generous on
    (0.0004, (0.0014, 0.0012, 0.001, 0.0008)),
    (0.0007, (0.0014, 0.0012, 0.001, 0.0008)),
    (0.001, (0.0012, 0.001, 0.0008, 0.0006)),
    (0.0012, (0.001, 0.0008, 0.0006, 0.0004)),
    (0.0002, (0.0004,)),
    (0.0001, (0.0001,)),
)
_MOST_DECIMALS = 3  # beyond those of the grid, for curves that rounding would let cross
_COLOUR, _OPACITY = 0.012, 0.02  # how far paints may be off, of 1
_WIDTH = 0.0002  # the same of a stroke's width, of the page


@dataclass(frozen=True)
class Grid:
    """The coordinates of a file: where its origin lies, how long its unit is, and how many decimals are written."""

    origin: complex
    scale: float
    decimals: int

    def rounded(self, z: Complex, more: int = 0) -> Complex:
        """Points in the units of the file as they are written."""
        digits = self.decimals + more
        return np.round(z.real, digits) + 1j * np.round(z.imag, digits)


@dataclass(frozen=True, eq=False)
class KeyedPaint:
    """A fill or a stroke: red, green and blue, and the opacity in 0..1; the gradient counts in place of the colour."""

    colour: KeyedValues
    opacity: KeyedValues
    gradient: KeyedGradient | None = None


@dataclass(frozen=True, eq=False)
class KeyedPath:
    """One curve.

    shapes : (keys, segments, 4), the control points at the keys, rounded to the decimals with which they are written.
    """

    shapes: Complex
    keys: Keys
    closed: bool
    decimals: int

    @property
    def length(self) -> int:
        """About how many characters its key shapes take: three pairs of numbers a vertex, and an ease for each."""
        keys, segments = len(self.keys), int(self.shapes.shape[1])
        fraction = 6 * (self.decimals + 1) if self.decimals else 0
        return keys * (70 + segments * (30 + fraction))

    def during(self, start: int, last: int) -> KeyedPath:
        """The path with the keys that it needs from one frame to another."""
        frames = self.keys.frames
        low = max(int(np.searchsorted(frames, start, side="right")) - 1, 0)
        high = min(int(np.searchsorted(frames, last, side="left")), len(frames) - 1)
        keys = Keys(frames[low : high + 1], self.keys.eases[low:high])
        return replace(self, shapes=self.shapes[low : high + 1], keys=keys)


@dataclass(frozen=True, eq=False)
class KeyedLayer:
    """One layer from frame ``start`` to just before frame ``stop``.

    paths : one for each curve; their keys are the same unless they were asked to be apart.
    width : of the stroke, in the units of the file.
    ride : how the whole layer moves and changes its size, of one that keeps its form. Its paths have one key, and its
        paths and paints are relative to where it is.
    """

    name: str
    start: int
    stop: int
    paths: tuple[KeyedPath, ...]
    fill: KeyedPaint | None
    stroke: KeyedPaint | None
    width: KeyedValues
    cap: Cap
    join: Join
    miter_limit: float
    ride: KeyedRide | None = None

    def rides_with(self, other: KeyedLayer) -> bool:
        """Whether both move as one, and are shown at the same time."""
        together = self.ride is not None and self.ride is other.ride
        return together and (self.start, self.stop) == (other.start, other.stop)


@dataclass(frozen=True, eq=False)
class KeyedFilm:
    """A film as key shapes, its layers from back to front.

    error : the greatest distance between a frame and what is shown, as a share of the page.
    simple : whether no curve crosses itself that does not in the film, also half way between frames.
    """

    layers: tuple[KeyedLayer, ...]
    frames: int
    box: Box
    name: str
    error: float
    simple: bool

    def bodies(self) -> list[list[KeyedLayer]]:
        """The layers from back to front, those together that lie on each other and ride as one."""
        bodies: list[list[KeyedLayer]] = []
        for layer in self.layers:
            below = bodies[-1][-1] if bodies else None
            if below is not None and layer.rides_with(below):
                bodies[-1].append(layer)
            else:
                bodies.append([layer])
        return bodies


@dataclass(frozen=True, eq=False)
class _Fit:
    """The key shapes of some curves, or the one shape of curves that ride."""

    paths: tuple[KeyedPath, ...]
    error: float
    simple: bool
    ride: Ride | None = None

    @property
    def length(self) -> int:
        """About how many characters have to be written."""
        return sum(path.length for path in self.paths)

    def good(self, page: float) -> bool:
        """Whether it lies near the film and crosses itself nowhere."""
        return self.simple and self.error <= LIMIT * page

    def rank(self, page: float) -> tuple[bool, bool, float]:
        """The lower, the better: simple before near before small."""
        near = self.error <= LIMIT * page
        return not self.simple, not near, self.length if near else self.error


def key_film(film: MovingDrawing, grid: Grid, *, apart: bool = False) -> KeyedFilm:
    """The film as key shapes; all its frames on one canvas.

    apart : let every path of a layer have keys at its times; otherwise all of them share theirs.
    """
    film = _strokes_apart(film)
    page = grid.scale * max(film.boxes[0][2:])
    shown: dict[int, np.ndarray] = {}  # in which frames some curves are drawn
    for number, layer in enumerate(film.layers):
        here = np.array([number in order for order in film.orders])
        shown[id(layer.curves)] = shown.get(id(layer.curves), False) | here
    slots = [slot for slot in layer_slots(film) if film.layers[slot.layer].curves]
    curves = {id(film.layers[slot.layer].curves): film.layers[slot.layer].curves for slot in slots}
    moving = {key: _in_units(curves[key], np.flatnonzero(shown[key]), grid) for key in curves}
    rides = share_rides([find_ride(each, page, first) for each, first in moving.values()], page)
    fits = {key: _fit(*each, ride, grid, page, apart) for (key, each), ride in zip(moving.items(), rides, strict=True)}
    slot_fits = [fits[id(film.layers[slot.layer].curves)] for slot in slots]
    keyed_rides = _keyed_rides(film, slots, slot_fits, page)
    layers = [_keyed(film, slot, fit, grid, page, keyed_rides) for slot, fit in zip(slots, slot_fits, strict=True)]
    error = max((fit.error for fit in fits.values()), default=0.0)
    simple = all(fit.simple for fit in fits.values())
    return KeyedFilm(tuple(layers), len(film), film.boxes[0], film.name, error / page, simple)


def _in_units(curves: Sequence[MovingCurve], there: np.ndarray, grid: Grid) -> tuple[list[MovingCurve], int]:
    """Curves from the first to the last frame that shows them, in the units of the file, and that first frame."""
    first, last = int(there[0]), int(there[-1])
    return [MovingCurve(grid.scale * (c.points[first : last + 1] - grid.origin), c.closed) for c in curves], first


def _strokes_apart(film: MovingDrawing) -> MovingDrawing:
    """A film in which every stroked curve is drawn as long as its layer is shown.

    A filled curve that shrinks to a point is gone; a stroked one leaves a dot. Strokes of curves that are not always
    drawn get layers of their own, above the fill.
    """
    layers: list[MovingLayer] = []
    pieces: list[list[tuple[int, np.ndarray]]] = []  # for each layer: numbers of the new ones, and when they are shown
    for number, layer in enumerate(film.layers):
        here = np.array([number in order for order in film.orders])
        drawn = [here & ~np.isnan(points[:, 0]) for points, _ in layer.curves]
        stroked = any(paint.stroke is not None and shown for paint, shown in zip(layer.paints, here, strict=True))
        if not stroked or all((there == here).all() for there in drawn):
            pieces.append([(len(layers), here)])
            layers.append(layer)
            continue
        new: list[tuple[int, np.ndarray]] = []
        if any(paint.fill is not None for paint in layer.paints):
            new.append((len(layers), here))
            layers.append(MovingLayer(layer.curves, tuple(replace(paint, stroke=None) for paint in layer.paints)))
        groups: dict[bytes, list[int]] = {}
        for index, there in enumerate(drawn):
            groups.setdefault(there.tobytes(), []).append(index)
        outlines = tuple(replace(paint, fill=None) for paint in layer.paints)
        for group in groups.values():
            new.append((len(layers), drawn[group[0]]))
            layers.append(MovingLayer(tuple(layer.curves[index] for index in group), outlines))
        pieces.append(new)
    orders = tuple(
        tuple(new for number in order for new, there in pieces[number] if there[frame])
        for frame, order in enumerate(film.orders)
    )
    return MovingDrawing(tuple(layers), orders, film.boxes, film.name)


def _fit(moving: Sequence[MovingCurve], first: int, ride: Ride | None, grid: Grid, page: float, apart: bool) -> _Fit:
    """Key shapes of curves from their first frame on, or the shape of curves that keep their form."""
    if ride is not None and (riding := _one_shape(ride, grid, page)) is not None:
        return riding
    fits = [_near_fit(group, grid, page) for group in (([curve] for curve in moving) if apart else [moving])]
    paths = (path for fit in fits for path in fit.paths)
    late = (replace(path, keys=Keys(first + path.keys.frames, path.keys.eases)) for path in paths)
    return _Fit(tuple(late), max(fit.error for fit in fits), all(fit.simple for fit in fits))


def _one_shape(ride: Ride, grid: Grid, page: float) -> _Fit | None:
    """The shape of curves that keep their form, with as few vertices as are near enough; None where none is."""
    once = Keys(np.zeros(1, dtype=int), np.empty((0, 2)))
    off = 0.0 if ride.still else motion_error(page)
    for fit, _ in sorted(_BOUNDS, reverse=True):
        films = [fit_curve(points, closed, fit * page, page) for points, closed in ride.curves]
        tried = _checked(films, [np.ones(1, dtype=bool)] * len(films), once, [film.cubics for film in films], grid)
        tried = replace(tried, error=tried.error + off, ride=None if ride.still else ride)
        if tried.good(page):
            return tried
    return None


def _near_fit(moving: Sequence[MovingCurve], grid: Grid, page: float) -> _Fit:
    """Key shapes of curves in the units of the file: the first try that is near and simple enough."""
    drawn = [_extents(points) > _NOTHING * page for points, _ in moving]
    whole = [MovingCurve(_filled(points, there), closed) for (points, closed), there in zip(moving, drawn, strict=True)]
    best: _Fit | None = None
    films: list[BezierFilm] = []
    for fit, bounds in _BOUNDS:
        if best is not None and best.good(page) and fit < _BOUNDS[0][0]:
            break
        films = [fit_curve(points, closed, fit * page, page) for points, closed in whole]
        for key in bounds:
            keys, shapes = choose_keys(films, key * page)
            tried = _checked(films, drawn, keys, shapes, grid)
            best = tried if best is None else min(best, tried, key=lambda fit: fit.rank(page))
            if tried.good(page):
                break
    assert best is not None
    return best if best.simple else _every_frame(films, drawn, grid)


def _checked(
    films: Sequence[BezierFilm], drawn: Sequence[np.ndarray], keys: Keys, shapes: Sequence[Complex], grid: Grid
) -> _Fit:
    """Key shapes as they are written, with as many decimals as each path needs to be simple."""
    paths, error, simple = [], 0.0, True
    for film, there, shape in zip(films, drawn, shapes, strict=True):
        gone = ~there[keys.frames]
        shape[gone] = shape[gone].mean(axis=(1, 2), keepdims=True)
        for more in range(_MOST_DECIMALS + 1):
            rounded = grid.rounded(shape, more)
            sound = film_is_simple(film, there, rounded, keys)
            if sound.all():
                break
        else:
            simple = False
            rounded = grid.rounded(shape)
            more = 0
        error = max(error, film_error(film.samples, there, rounded, keys))
        paths.append(KeyedPath(rounded, keys, film.closed, grid.decimals + more))
    return _Fit(tuple(paths), error, simple)


def _every_frame(films: Sequence[BezierFilm], drawn: Sequence[np.ndarray], grid: Grid) -> _Fit:
    """The last resort: every frame is a key, held until the next where a curve would cross itself on the way."""
    count = len(drawn[0])
    eases = np.repeat([[1.0 / 3.0, 2.0 / 3.0]], max(count - 1, 0), axis=0)
    keys = Keys(np.arange(count), eases)
    finest = replace(grid, decimals=grid.decimals + _MOST_DECIMALS)
    for film, there in zip(films, drawn, strict=True):
        eases[~film_is_simple(film, there, finest.rounded(film.cubics), keys)[count:]] = np.nan
    return _checked(films, drawn, keys, [film.cubics.copy() for film in films], grid)


def _extents(points: Complex) -> Floats:
    """The size of a curve in each frame; -1 where it is not drawn."""
    sizes = np.maximum(np.ptp(points.real, axis=1), np.ptp(points.imag, axis=1))
    return np.where(np.isnan(sizes), -1.0, sizes)


def _filled(points: Complex, drawn: np.ndarray) -> Complex:
    """Frames that are not drawn take the nearest one that is, shrunk to its centre."""
    if drawn.all():
        return points
    there = np.flatnonzero(drawn)
    if not len(there):
        return np.zeros_like(points)
    numbers = np.arange(len(points))
    nearest = there[np.argmin(np.abs(numbers[:, None] - there), axis=1)]
    centres = ring_centroid(points[there])
    filled = points.copy()
    for frame in np.flatnonzero(~drawn).tolist():
        filled[frame] = centres[np.searchsorted(there, nearest[frame])]
    return filled


def _last_frame(film: MovingDrawing, slot: Slot) -> int:
    """The last frame on which what a slot shows depends: it may go on in another slot."""
    goes_on = slot.stop < len(film) and slot.layer in film.orders[slot.stop]
    return slot.stop if goes_on else slot.stop - 1


def _keyed_rides(film: MovingDrawing, slots: Sequence[Slot], fits: Sequence[_Fit], page: float) -> dict[int, KeyedRide]:
    """The keys of all rides, each as long as any of its layers is shown, by the identity of their paths."""
    spans: dict[int, tuple[Ride, int, int]] = {}
    for slot, fit in zip(slots, fits, strict=True):
        if fit.ride is not None:
            _, start, last = spans.get(id(fit.ride.path), (fit.ride, slot.start, 0))
            span = min(start, slot.start), max(last, _last_frame(film, slot))
            spans[id(fit.ride.path)] = (fit.ride, *span)
    return {key: ride.keyed(start, last, page) for key, (ride, start, last) in spans.items()}


def _keyed(
    film: MovingDrawing, slot: Slot, fit: _Fit, grid: Grid, page: float, rides: dict[int, KeyedRide]
) -> KeyedLayer:
    """One slot as a layer of the file. rides : their keys, by the identity of their paths."""
    layer = film.layers[slot.layer]
    start, stop = slot.start, slot.stop
    last = _last_frame(film, slot)
    paints = layer.paints[start : last + 1]
    ride = None
    if fit.ride is not None:
        ride = rides[id(fit.ride.path)]
        begin = start - fit.ride.first
        paints = tuple(fit.ride.bring(paint, begin + k, grid.origin, grid.scale) for k, paint in enumerate(paints))
        grid = Grid(0j, 1.0, grid.decimals)
    widths = grid.scale * np.array([[paint.stroke_width] for paint in paints])
    fills = [(paint.fill, paint.fill_opacity, paint.fill_gradient) for paint in paints]
    strokes = [(paint.stroke, paint.stroke_opacity, paint.stroke_gradient) for paint in paints]
    look = layer.paints[start]
    return KeyedLayer(
        look.name,
        start,
        stop,
        tuple(path.during(start, last) for path in fit.paths),
        _paint(fills, start, grid, page),
        _paint(strokes, start, grid, page),
        keyed_values(widths, _WIDTH * page, start),
        look.stroke_cap,
        look.stroke_join,
        look.stroke_miter_limit,
        ride,
    )


def _paint(
    paints: Sequence[tuple[str | None, float, Gradient | None]], start: int, grid: Grid, page: float
) -> KeyedPaint | None:
    """The keys of a paint; where there is none, it is invisible in the colour of the nearest frame."""
    seen = np.array([colour is not None for colour, _, _ in paints])
    if not seen.any():
        return None
    rows = np.zeros((len(paints), 4))
    for k, (colour, opacity, gradient) in enumerate(paints):
        if colour is not None:
            rgba = parse_colour(colour)
            rows[k] = (*rgba[:3], opacity * (rgba[3] if gradient is None else 1.0))
    there = np.flatnonzero(seen)
    nearest = there[np.argmin(np.abs(np.arange(len(paints))[:, None] - there), axis=1)]
    rows[:, :3] = rows[nearest, :3]
    gradients = [gradient for _, _, gradient in paints]
    return KeyedPaint(
        keyed_values(rows[:, :3], _COLOUR, start),
        keyed_values(rows[:, 3:], _OPACITY, start),
        key_gradient(gradients, rows[:, :3], start, page, (grid.origin, grid.scale)),
    )
