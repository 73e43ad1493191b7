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
