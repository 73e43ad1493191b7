import xml.etree.ElementTree as ET

import numpy as np
import pytest

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.svg.reader import parse_drawing
from kinetune.contours.svg.writer import check_film, drawing_to_svg
from kinetune.errors import ParameterError
from kinetune.samples.drawings import sample_drawing, sample_drawings

NS = "{http://www.w3.org/2000/svg}"
SQUARE = Contour([[0, 0], [10, 0], [10, 10], [0, 10]])


def canvas(*layers):
    return Drawing(layers, (0, 0, 20, 20), "canvas")


@pytest.mark.parametrize("name", sample_drawings())
def test_a_drawing_comes_back_as_it_was_written(name):
    drawing = sample_drawing(name)
    back = parse_drawing(drawing.to_svg(), name)
    assert back.view_box == drawing.view_box
    assert [layer.name for layer in back.layers] == [layer.name for layer in drawing.layers]
    for one, other in zip(drawing.layers, back.layers, strict=True):
        assert (one.fill, one.stroke, one.stroke_width) == (other.fill, other.stroke, pytest.approx(other.stroke_width))
        for a, b in zip(one.contours, other.contours, strict=True):
            same = b if a.area > 0 or one.fill is None else b.reversed()
            assert np.allclose(a.points, same.points, atol=2e-3)


def test_every_paint_is_written():
    layer = Layer((SQUARE,), 'a "b" & <c>', "teal", "#ff000080", 2.5, 0.5, 1.0, "round", "bevel")
    path = ET.fromstring(drawing_to_svg(canvas(layer))).find(f"{NS}path")
    assert path.attrib["id"] == 'a "b" & <c>'
    assert path.attrib["fill"] == "#008080"
    assert path.attrib["fill-opacity"] == "0.5"
    assert path.attrib["stroke"] == "#ff0000"
    assert float(path.attrib["stroke-opacity"]) == pytest.approx(0.5, abs=0.01)
    assert (path.attrib["stroke-linecap"], path.attrib["stroke-linejoin"]) == ("round", "bevel")


def test_an_attribute_cannot_be_broken_out_of():
    evil = Layer((SQUARE,), "a", 'red" onload="alert(1)')
    with pytest.raises(ParameterError, match="is not a CSS colour"):
        drawing_to_svg(canvas(evil))


@pytest.mark.parametrize(("frames", "fps"), [([], 24), ([canvas()], 0), ([canvas()], np.nan)])
def test_a_film_needs_frames_and_speed(frames, fps):
    with pytest.raises(ParameterError):
        check_film(frames, fps)
