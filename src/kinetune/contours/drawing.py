"""Drawings: layers of planar curves with a fill and a stroke, as SVG has them (x to the right, y down)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from kinetune.contours.gradients import Gradient
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.rotations import Floats

Cap = Literal["butt", "round", "square"]
Join = Literal["miter", "round", "bevel"]


@dataclass(frozen=True, eq=False, repr=False)
class Contour:
    """One curve, sampled in order.

    Parameters
    ----------
    points : array-like, shape (n, 2), or n complex numbers
        The samples. A closed curve does not repeat its first point.
    closed : bool
        Whether the last point joins the first.

    Examples
    --------
    >>> Contour([(0, 0), (10, 0), (10, 10)])
    Contour(3 points, closed)
    """

    points: Floats
    closed: bool = True

    def __post_init__(self) -> None:
        points = np.asarray(self.points)
        if np.iscomplexobj(points):
            points = np.stack([points.real, points.imag], axis=-1)
        points = np.array(points, dtype=float)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
            raise ParameterError(f"A contour takes at least two points as (n, 2) numbers; got shape {points.shape}.")
        if not np.isfinite(points).all():
            bad = int(np.argmin(np.isfinite(points).all(axis=1)))
            raise ParameterError(f"Point {bad} of the contour is not a number.")
        points.setflags(write=False)
        object.__setattr__(self, "points", points)

    def __repr__(self) -> str:
        return f"Contour({len(self)} points, {'closed' if self.closed else 'open'})"

    def __len__(self) -> int:
        return len(self.points)

    @property
    def complex(self) -> np.ndarray:
        """The samples as complex numbers x + iy."""
        return self.points[:, 0] + 1j * self.points[:, 1]

    @property
    def path(self) -> Floats:
        """The points in the order a pen meets them: a closed curve ends where it began."""
        return np.concatenate([self.points, self.points[:1]]) if self.closed else self.points

    @property
    def area(self) -> float:
        """Signed area; positive when the curve runs clockwise on the screen (y down)."""
        x, y = (self.points - self.points[0]).T
        return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))

    @property
    def centroid(self) -> Floats:
        """The mean of the samples, (2,): where the curve as a wire of equal beads balances."""
        mean: Floats = self.points.mean(axis=0)
        return mean

    def bounds(self) -> tuple[float, float, float, float]:
        """(left, top, right, bottom)."""
        left, top = self.points.min(axis=0)
        right, bottom = self.points.max(axis=0)
        return float(left), float(top), float(right), float(bottom)

    def length(self) -> float:
        """The length of the polygon through the samples."""
        return float(np.sum(np.linalg.norm(np.diff(self.path, axis=0), axis=1)))

    def moved(self, points: ArrayLike) -> Contour:
        """The same kind of curve through other samples."""
        return Contour(np.asarray(points), self.closed)

    def reversed(self) -> Contour:
        """The curve run the other way; a closed one keeps its first point."""
        back = self.points[::-1]
        return Contour(np.roll(back, 1, axis=0) if self.closed else back, self.closed)


@dataclass(frozen=True)
class Layer:
    """Curves that are painted together, filled by the even-odd rule: a curve inside another is a hole in it.

    Parameters
    ----------
    contours : tuple of Contour
        In drawings that were read, outlines run clockwise on the screen and holes counter-clockwise, so that both
        fill rules paint the same.
    name : str
        Layers of two drawings find each other by it; "" for a layer without a name.
    fill, stroke : str or None
        CSS colours; None paints nothing.
    stroke_width : float
        In the units of the drawing.
    fill_opacity, stroke_opacity : float
        0 (invisible) to 1.
    stroke_cap, stroke_join : str
        How a stroke ends and turns, as in SVG.
    stroke_miter_limit : float
        A mitered corner longer than this many stroke widths is cut off, as in SVG.
    fill_gradient, stroke_gradient : Gradient or None
        Painted in place of the colour; ``fill`` and ``stroke`` are then its mean colour.

    Examples
    --------
    >>> triangle = Contour([(0, 0), (10, 0), (10, 10)])
    >>> Layer((triangle,), name="sail", fill="#cc3333").fill
    '#cc3333'
    """

    contours: tuple[Contour, ...]
    name: str = ""
    fill: str | None = "#23262b"
    stroke: str | None = None
    stroke_width: float = 1.0
    fill_opacity: float = 1.0
    stroke_opacity: float = 1.0
    stroke_cap: Cap = "butt"
    stroke_join: Join = "miter"
    stroke_miter_limit: float = 4.0
    fill_gradient: Gradient | None = None
    stroke_gradient: Gradient | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "contours", tuple(self.contours))
        if not self.stroke_width >= 0 or not np.isfinite(self.stroke_width):
            raise ParameterError(f"stroke_width must be 0 or more, not {self.stroke_width}.")
        for name in ("fill_opacity", "stroke_opacity"):
            if not 0 <= getattr(self, name) <= 1:
                raise ParameterError(f"{name} must lie between 0 and 1; got {getattr(self, name)}.")
        if not self.stroke_miter_limit >= 1:
            raise ParameterError(f"stroke_miter_limit must be 1 or more, not {self.stroke_miter_limit}.")

    def replace_contours(self, contours: tuple[Contour, ...]) -> Layer:
        """The same paint and name on other curves."""
        layer = object.__new__(Layer)  # what is checked already is not checked again: films have thousands of layers
        layer.__dict__.update(self.__dict__, contours=tuple(contours))
        return layer


@dataclass(frozen=True, repr=False)
class Drawing:
    """Layers from back to front.

    Parameters
    ----------
    layers : tuple of Layer
        The first one is at the back.
    view_box : (left, top, width, height)
        The part of the plane that is shown.
    name : str
        Of the drawing.
    notes : tuple of str
        What a reader left out or changed; empty for a drawing made here.

    Examples
    --------
    >>> from kinetune import sample_drawing
    >>> sample_drawing("face-happy").to_svg().startswith("<svg")
    True
    """

    layers: tuple[Layer, ...]
    view_box: tuple[float, float, float, float] = (0.0, 0.0, 100.0, 100.0)
    name: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", tuple(self.layers))
        box = tuple(float(number) for number in self.view_box)
        if len(box) != 4 or not all(map(math.isfinite, box)) or box[2] <= 0 or box[3] <= 0:
            raise ParameterError(
                f"view_box must be (left, top, width, height) with a width and a height above 0, not {self.view_box}."
            )
        object.__setattr__(self, "view_box", box)

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        curves = sum(len(layer.contours) for layer in self.layers)
        width, height = self.view_box[2:]
        return f"Drawing({name}{len(self.layers)} layers, {curves} curves, {width:g} x {height:g})"

    def _repr_html_(self) -> str:
        """The drawing itself in a notebook, 240 pixels high."""
        return shown_inline(self.to_svg())

    def layer(self, name: str) -> Layer:
        """The layer of that name."""
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise UnknownNameError("layer", name, [layer.name for layer in self.layers])

    def contours(self) -> Iterator[Contour]:
        """Every curve, from back to front."""
        for layer in self.layers:
            yield from layer.contours

    def replace_layers(self, layers: tuple[Layer, ...]) -> Drawing:
        """The same canvas with other layers."""
        return replace(self, layers=layers)

    def map_contours(self, change: Callable[[Contour], Contour]) -> Drawing:
        """The same drawing with every curve changed by a function."""
        return self.replace_layers(
            tuple(layer.replace_contours(tuple(change(c) for c in layer.contours)) for layer in self.layers)
        )

    def to_svg(self, decimals: int | None = None) -> str:
        """The drawing as SVG text; by default with as many decimals as 1/100,000 of the canvas needs."""
        from kinetune.contours.svg.writer import drawing_to_svg

        return drawing_to_svg(self, decimals)


def shown_inline(svg: str) -> str:
    """SVG text as notebooks show it, 240 pixels high."""
    return svg[svg.index("<svg ") :].replace("<svg ", '<svg style="height: 240px; width: auto" ', 1)
