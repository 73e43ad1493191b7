"""Strokes as areas."""

import numpy as np
import pytest
import shapely

from kinetune.contours.drawing import Contour
from kinetune.contours.svg import areas


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("cap", ["butt", "round", "square"])
@pytest.mark.parametrize("join", ["round", "miter", "bevel"])
def test_a_line_that_is_grown_in_pieces_covers_the_same_area(monkeypatch, closed, cap, join):
    turn = np.linspace(0.0, 20.0, 300)
    spiral = Contour(np.stack([turn * np.cos(turn), turn * np.sin(turn)], axis=-1), closed)
    whole = areas.stroke_area([spiral], 1.3, cap, join)
    monkeypatch.setattr(areas, "_LONG", 100)
    pieces = areas.stroke_area([spiral], 1.3, cap, join)
    assert shapely.symmetric_difference(whole, pieces).area < 1e-5 * whole.area


def test_a_curve_that_crosses_itself_fills_what_it_winds_around_an_odd_number_of_times():
    points = np.random.default_rng(1).uniform(0.0, 90.0, (40, 2))
    expected = shapely.make_valid(shapely.polygons(points))
    area = areas.even_odd_area([Contour(points)])
    assert shapely.symmetric_difference(area, expected).area < 1e-9 * expected.area
