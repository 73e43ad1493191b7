"""Drawings: layers of planar curves with a fill and a stroke, as SVG has them (x to the right, y down)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError, UnknownNameError
from kinetune.rotations import Floats


@dataclass(frozen=True, eq=False)
class Contour:
    """One curve, sampled in order.

    points : (n, 2) samples, or n complex numbers. A closed curve does not repeat its first point.
    closed : whether the last point joins the first.
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

    def __len__(self) -> int:
        return len(self.points)

    @property
    def complex(self) -> np.ndarray:
        """The samples as complex numbers x + iy."""
        return self.points[:, 0] + 1j * self.points[:, 1]

    @property
    def area(self) -> float:
        """Signed area; positive when the curve runs clockwise on the screen (y down)."""
        x, y = self.points[:, 0], self.points[:, 1]
        return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))

    def length(self) -> float:
        """The length of the polygon through the samples."""
        ring = np.vstack([self.points, self.points[:1]]) if self.closed else self.points
        return float(np.sum(np.linalg.norm(np.diff(ring, axis=0), axis=1)))

    def moved(self, points: ArrayLike) -> Contour:
        """The same kind of curve through other samples."""
        return Contour(np.asarray(points), self.closed)


@dataclass(frozen=True)
class Layer:
    """Curves that are painted together: the first is the outline, others inside it are holes (even-odd rule).

    name : how layers of two drawings find each other.
    fill, stroke : CSS colours, or None for none.
    """

    contours: tuple[Contour, ...]
    name: str = ""
    fill: str | None = "#23262b"
    stroke: str | None = None
    stroke_width: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "contours", tuple(self.contours))


@dataclass(frozen=True)
class Drawing:
    """Layers from back to front, on a page.

    view_box : (left, top, width, height) of the page.
    """

    layers: tuple[Layer, ...]
    view_box: tuple[float, float, float, float] = (0.0, 0.0, 100.0, 100.0)
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", tuple(self.layers))

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
        """The same page with other layers."""
        return replace(self, layers=layers)

    def to_svg(self, decimals: int = 3) -> str:
        """The drawing as SVG text."""
        from xml.sax.saxutils import quoteattr

        left, top, width, height = self.view_box
        rows = [
            '<svg xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="{left:g} {top:g} {width:g} {height:g}" width="{width:g}" height="{height:g}">'
        ]
        for layer in self.layers:
            path = " ".join(_path_data(contour, decimals) for contour in layer.contours)
            stroke = f' stroke="{layer.stroke}" stroke-width="{layer.stroke_width:g}"' if layer.stroke else ""
            name = f" id={quoteattr(layer.name)}" if layer.name else ""
            rows.append(f'  <path{name} fill="{layer.fill or "none"}" fill-rule="evenodd"{stroke} d="{path}"/>')
        return "\n".join([*rows, "</svg>", ""])


def _path_data(contour: Contour, decimals: int) -> str:
    pairs = [f"{x:.{decimals}f},{y:.{decimals}f}" for x, y in contour.points.tolist()]
    return f"M{pairs[0]} L{' '.join(pairs[1:])}" + (" Z" if contour.closed else "")
