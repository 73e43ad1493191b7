"""Gradients as data: a layer carries them beside its mean colour, films mix them, painters evaluate them.

A gradient lives in a unit space, and a matrix places it on the drawing: a linear one runs along x from 0 to 1, a radial
one from its focus out to the unit circle. That covers everything SVG can say, ellipses and skews included.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from kinetune.contours.colours import Paint, mix_paint, parse_colour, to_hex
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

Matrix = tuple[float, float, float, float, float, float]
Stop = tuple[float, str, float]
"""Offset from 0 to 1, CSS colour, opacity from 0 to 1."""

_SPREADS = ("pad", "reflect", "repeat")


@dataclass(frozen=True)
class Gradient:
    """Colours that run along a line or out of a point.

    Parameters
    ----------
    kind : str
        "linear" or "radial".
    stops : tuple of (offset, colour, opacity)
        Offsets grow from 0 to 1; between two stops the colour changes evenly in sRGB, as in SVG.
    matrix : six numbers a, b, c, d, e, f
        From the unit space to the drawing, as in SVG: x' = a x + c y + e, y' = b x + d y + f.
    focus : (x, y)
        Of a radial gradient, where offset 0 lies in the unit circle.
    spread : str
        Beyond the ends: "pad", "reflect" or "repeat".

    Examples
    --------
    >>> sky = Gradient("linear", ((0.0, "#88bbff", 1.0), (1.0, "#ffffff", 1.0)), (0, 100, 100, 0, 0, 0))
    >>> sky.colours_at([[50.0, 100.0]]).tolist()
    [[1.0, 1.0, 1.0, 1.0]]
    """

    kind: Literal["linear", "radial"]
    stops: tuple[Stop, ...]
    matrix: Matrix
    focus: tuple[float, float] = (0.0, 0.0)
    spread: Literal["pad", "reflect", "repeat"] = "pad"

    def __post_init__(self) -> None:
        if self.kind not in ("linear", "radial") or self.spread not in _SPREADS:
            raise ParameterError(
                f'A gradient is "linear" or "radial" and its spread pad, reflect or repeat; '
                f'got "{self.kind}" and "{self.spread}".'
            )
        if not self.stops or len(self.matrix) != 6 or not np.isfinite(self.matrix).all():
            raise ParameterError("A gradient takes at least one stop and a matrix of six finite numbers.")

    @property
    def mean_colour(self) -> str:
        """The mean of the colours as "#rrggbb", or "#rrggbbaa" where it is not opaque."""
        along = self._along(np.linspace(0.0, 1.0, 65))
        alpha = float(along[:, 3].mean())
        weights = along[:, 3:] / max(along[:, 3].sum(), 1e-12) if alpha > 0 else np.full((65, 1), 1 / 65)
        rgb = to_hex(tuple((along[:, :3] * weights).sum(axis=0).tolist()))
        return rgb if alpha >= 0.998 else f"{rgb}{round(255 * alpha):02x}"

    def transformed(self, matrix: Floats) -> Gradient:
        """Moved by a 2 x 3 matrix, as the shape is that it paints."""
        mine = np.array(self.matrix).reshape(3, 2).T
        linear = matrix[:, :2] @ mine[:, :2]
        if self.kind == "linear":
            linear = _upright(linear)
        both = np.concatenate([linear, matrix[:, :2] @ mine[:, 2:] + matrix[:, 2:]], axis=1)
        a, b, c, d, e, f = both.T.ravel().tolist()
        return replace(self, matrix=(a, b, c, d, e, f))

    def colours_at(self, points: Floats) -> Floats:
        """Red, green, blue, alpha (n, 4), 0 to 1, at points (n, 2) of the drawing."""
        matrix = np.array(self.matrix).reshape(3, 2).T
        if abs(np.linalg.det(matrix[:, :2])) < 1e-300:  # SVG: the last colour everywhere
            return np.repeat(self._along(np.ones(1)), len(points), axis=0)
        unit = np.linalg.solve(matrix[:, :2], (np.asarray(points, dtype=float) - matrix[:, 2]).T).T
        offsets = unit[:, 0] if self.kind == "linear" else _out_of(unit, np.array(self.focus))
        return self._along(offsets)

    def _along(self, offsets: Floats) -> Floats:
        if self.spread == "repeat":
            offsets = offsets - np.floor(offsets)
        elif self.spread == "reflect":
            offsets = 1.0 - np.abs((offsets % 2.0) - 1.0)
        at = np.array([stop[0] for stop in self.stops])
        colours = np.array([_rgba(stop) for stop in self.stops])
        return np.stack([np.interp(offsets, at, channel) for channel in colours.T], axis=-1)


def _rgba(stop: Stop) -> tuple[float, float, float, float]:
    red, green, blue, alpha = parse_colour(stop[1])
    return red, green, blue, alpha * stop[2]


def _upright(linear: Floats) -> Floats:
    """The same linear gradient with its lines of equal colour across its direction: x runs square to y."""
    along, across = linear.T
    length = float(np.hypot(*across))
    if length == 0.0:
        return linear
    normal = np.array([-across[1], across[0]]) / length
    straight = float(normal @ along) * normal
    return np.stack([straight, [-straight[1], straight[0]]], axis=1)


def _out_of(points: Floats, focus: Floats) -> Floats:
    """Shares of the way from the focus to the unit circle, through points (n, 2)."""
    far = float(np.hypot(*focus))
    if far > 0.999:
        focus = focus * (0.999 / far)
    ray = points - focus
    square = np.sum(ray * ray, axis=1)
    inner = ray @ focus
    root = np.sqrt(inner * inner + square * (1.0 - focus @ focus))
    shares: Floats = (inner + root) / (1.0 - focus @ focus)
    return shares


def mix_fills(
    a: tuple[Paint, Gradient | None], b: tuple[Paint, Gradient | None], t: float
) -> tuple[Paint, Gradient | None]:
    """The paint between two paints either of which may carry a gradient.

    Stops and placement change evenly; a plain colour counts as a gradient of that colour throughout. A linear gradient
    becomes a radial one by way of a plain colour.
    """
    (paint_a, gradient_a), (paint_b, gradient_b) = a, b
    if a == b or t <= 0.0:
        return a
    if t >= 1.0:
        return b
    if gradient_a is None and gradient_b is None:
        return mix_paint(paint_a, paint_b, t), None
    seen_a, seen_b = (0.0 if paint[0] is None else paint[1] for paint in (paint_a, paint_b))
    mixed = _mixed(
        gradient_a or _plain(paint_a[0], gradient_b),
        gradient_b or _plain(paint_b[0], gradient_a),
        t,
    )
    return (mixed.mean_colour, (1.0 - t) * seen_a + t * seen_b), mixed


def _plain(colour: str | None, like: Gradient | None) -> Gradient:
    """A colour as a gradient that lies as another does; none takes on its colours, too."""
    assert like is not None
    return like if colour is None else replace(like, stops=tuple((stop[0], colour, 1.0) for stop in like.stops))


def _mixed(a: Gradient, b: Gradient, t: float) -> Gradient:
    if a.kind != b.kind or a.spread != b.spread:
        colour, opacity = mix_paint((a.mean_colour, 1.0), (b.mean_colour, 1.0), 0.5)
        assert colour is not None
        near, share = (a, 2.0 * t) if t < 0.5 else (b, 2.0 - 2.0 * t)
        return replace(
            near, stops=tuple((stop[0], *_mix_stop(stop[1:], (colour, opacity), share)) for stop in near.stops)
        )
    b = _turned_like(a, b)
    offsets = sorted({stop[0] for stop in (*a.stops, *b.stops)})
    stops = tuple(
        (offset, *_mix_stop(a_stop, b_stop, t))
        for offset in offsets
        for a_stop, b_stop in zip(_at(a, offset), _at(b, offset), strict=True)
    )
    between = (1.0 - t) * np.array([*a.matrix, *a.focus]) + t * np.array([*b.matrix, *b.focus])
    ma, mb, mc, md, me, mf, x, y = between.tolist()
    if a.kind == "linear":
        mc, md = -mb, ma
    return Gradient(a.kind, stops, (ma, mb, mc, md, me, mf), (x, y), a.spread)


def _turned_like(a: Gradient, b: Gradient) -> Gradient:
    """The second gradient, looking the same, said so that it runs as the first does: nothing folds up on the way."""
    m = b.matrix
    if b.kind == "linear":
        if a.matrix[0] * m[0] + a.matrix[1] * m[1] >= 0.0:
            return b
        stops = tuple((1.0 - offset, colour, opacity) for offset, colour, opacity in b.stops[::-1])
        return replace(b, stops=stops, matrix=(-m[0], -m[1], -m[2], -m[3], m[4] + m[0], m[5] + m[1]))
    mirrored = (a.matrix[0] * a.matrix[3] - a.matrix[1] * a.matrix[2]) * (m[0] * m[3] - m[1] * m[2]) < 0.0
    if not mirrored:
        return b
    return replace(b, matrix=(m[0], m[1], -m[2], -m[3], m[4], m[5]), focus=(b.focus[0], -b.focus[1]))


def _at(gradient: Gradient, offset: float) -> tuple[tuple[str, float], tuple[str, float]]:
    """The colour just before and just after an offset: two stops may share it."""
    here = [stop for stop in gradient.stops if stop[0] == offset]
    if here:
        return here[0][1:], here[-1][1:]
    red, green, blue, alpha = replace(gradient, spread="pad")._along(np.array([offset]))[0].tolist()
    return ((to_hex((red, green, blue)), alpha),) * 2


def _mix_stop(a: tuple[str, float], b: tuple[str, float], t: float) -> tuple[str, float]:
    colour, opacity = mix_paint(a, b, t)
    assert colour is not None
    return colour, opacity
