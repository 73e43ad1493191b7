"""Pictures of drawings: how much of each pixel a shape covers."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.figures.drawings.coverage_kernels import even_odd_cover
from kinetune.figures.drawings.drawing_paint import paint_drawing

SIDE = 12


def exact_cover(rings: list[np.ndarray]) -> np.ndarray:
    """The shares of all pixels, by GEOS: the cells between all edges that lie inside an odd number of windings."""
    lines = shapely.union_all([shapely.node(shapely.linearrings(ring)) for ring in rings])
    cells = shapely.get_parts(shapely.polygonize(shapely.get_parts(lines)))
    middles = shapely.get_coordinates(shapely.point_on_surface(cells))
    crossed = np.zeros(len(cells), dtype=int)
    for ring in rings:
        for (x0, y0), (x1, y1) in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            above = (y0 <= middles[:, 1]) != (y1 <= middles[:, 1])
            crossed += above & (x0 + (middles[:, 1] - y0) * (x1 - x0) / (y1 - y0) > middles[:, 0])
    filled = shapely.union_all(cells[crossed % 2 == 1])
    x, y = np.meshgrid(np.arange(SIDE), np.arange(SIDE))
    area: np.ndarray = shapely.area(shapely.intersection(shapely.box(x, y, x + 1, y + 1), filled))
    return area


@pytest.mark.parametrize("seed", range(6))
def test_pixels_get_the_share_that_rings_cover(seed: int) -> None:
    dice = np.random.default_rng(seed)
    rings = [dice.uniform(-2.0, SIDE + 2.0, (int(dice.integers(3, 8)), 2)) for _ in range(int(dice.integers(1, 4)))]
    shown = even_odd_cover(np.concatenate(rings), np.cumsum([len(ring) for ring in rings]), SIDE, SIDE)
    assert np.abs(shown / 255.0 - exact_cover(rings)).max() < 0.02


def test_a_rectangle_on_the_edges_of_pixels_is_sharp() -> None:
    corners = np.array([[2.0, 3.0], [7.0, 3.0], [7.0, 9.0], [2.0, 9.0]])
    drawing = Drawing((Layer((Contour(corners),), fill="#000000"),), (0.0, 0.0, 10.0, 10.0))
    picture = np.asarray(paint_drawing(drawing, 10, background="white"))[..., 0]
    expected = np.full((10, 10), 255)
    expected[3:9, 2:7] = 0
    np.testing.assert_array_equal(picture, expected)
