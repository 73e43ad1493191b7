import xml.etree.ElementTree as ET

import numpy as np
import pytest

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.errors import ParameterError, UnknownNameError

SQUARE = Contour([[0, 0], [10, 0], [10, 10], [0, 10]])


def test_complex_and_pairs_are_the_same_curve():
    assert np.array_equal(Contour(SQUARE.complex).points, SQUARE.points)


def test_area_and_length_of_a_square():
    assert SQUARE.area == 100
    assert SQUARE.length() == 40
    assert Contour(SQUARE.points, closed=False).length() == 30


@pytest.mark.parametrize("points", [[[0, 0]], [[0, 0, 0], [1, 1, 1]], [[0, 0], [np.nan, 1]]])
def test_points_that_make_no_curve_are_refused(points):
    with pytest.raises(ParameterError, match=r"contour"):
        Contour(points)


def test_a_contour_cannot_be_changed():
    with pytest.raises(ValueError):
        SQUARE.points[0] = 1


def test_svg_holds_every_layer_with_its_paint_and_points():
    hole = Contour(0.5 * SQUARE.points + 2.5)
    drawing = Drawing((Layer((SQUARE, hole), 'a "frame"', "#ff0000", "#00ff00", 2.0),), (0, 0, 10, 10))
    path = ET.fromstring(drawing.to_svg()).find("{http://www.w3.org/2000/svg}path")
    assert path.attrib["id"] == 'a "frame"'
    assert path.attrib["fill"] == "#ff0000"
    assert path.attrib["fill-rule"] == "evenodd"
    assert path.attrib["stroke-width"] == "2"
    assert path.attrib["d"].count("M") == path.attrib["d"].count("Z") == 2
    assert "10.000,10.000" in path.attrib["d"]


def test_an_unknown_layer_is_named():
    with pytest.raises(UnknownNameError, match='"tail"'):
        Drawing((Layer((SQUARE,), "trail"),)).layer("tail")
