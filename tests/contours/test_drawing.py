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
    assert "L10,0 10,10 0,10 Z" in path.attrib["d"]


def test_an_unknown_layer_is_named():
    with pytest.raises(UnknownNameError, match='"tail"'):
        Drawing((Layer((SQUARE,), "trail"),)).layer("tail")


def test_reversing_keeps_the_first_point_of_a_closed_curve():
    back = SQUARE.reversed()
    assert np.array_equal(back.points[0], SQUARE.points[0])
    assert back.area == -SQUARE.area
    assert np.array_equal(Contour(SQUARE.points, closed=False).reversed().points[0], SQUARE.points[-1])


def test_the_path_of_a_closed_curve_returns():
    assert np.array_equal(SQUARE.path[-1], SQUARE.points[0])
    assert len(Contour(SQUARE.points, closed=False).path) == 4
    assert SQUARE.bounds() == (0, 0, 10, 10)
    assert np.array_equal(SQUARE.centroid, [5, 5])


def test_area_is_exact_far_from_the_origin():
    assert Contour(SQUARE.points + 1e9).area == 100


@pytest.mark.parametrize("box", [(0, 0, 0, 10), (0, 0, 10, -1), (0, 0, np.nan, 1), (0, 0, 10)])
def test_a_page_must_have_a_size(box):
    with pytest.raises(ParameterError, match="view_box"):
        Drawing((), box)


@pytest.mark.parametrize("wrong", [{"stroke_width": -1}, {"stroke_width": np.nan}, {"fill_opacity": 1.5}])
def test_paint_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        Layer((SQUARE,), **wrong)


def test_reprs_are_short_and_a_notebook_shows_the_drawing():
    drawing = Drawing((Layer((SQUARE, SQUARE.reversed()), name="frame"),), name="box")
    assert repr(SQUARE) == "Contour(4 points, closed)"
    assert repr(drawing) == "Drawing('box', 1 layers, 2 curves, 100 x 100)"
    root = ET.fromstring(drawing._repr_html_())
    assert root.tag.endswith("svg")
    assert "240px" in root.attrib["style"]
    assert len(root.findall("{*}path")) == 1


def test_map_contours_changes_every_curve_and_nothing_else():
    drawing = Drawing((Layer((SQUARE,), name="a"), Layer((SQUARE, SQUARE), name="b")), name="boxes")
    moved = drawing.map_contours(lambda contour: contour.moved(contour.points + 1.0))
    assert [contour.points[0].tolist() for contour in moved.contours()] == [[1.0, 1.0]] * 3
    assert [layer.name for layer in moved.layers] == ["a", "b"]
    assert moved.view_box == drawing.view_box
