"""Animated SVG by the rules of SMIL: as many key times, values and splines, from 0 to 1."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from kinetune.contours.drawing import Layer
from kinetune.contours.gradients import Gradient
from kinetune.contours.morphing.morph import morph
from kinetune.contours.moving_drawing import MovingLayer
from kinetune.contours.svg.film_writer import film_to_svg
from kinetune.contours.svg.reader import parse_drawing
from kinetune.samples.drawings import sample_drawing
from tests.contours.moving import SQUARE, film, floating, layer, swelling

NS = "{http://www.w3.org/2000/svg}"
STILL = 50 + 50j + 10 * np.repeat(SQUARE[None], 6, axis=0)


def animations(path):
    return {each.attrib["attributeName"]: each.attrib for each in path}


def paths(moving, **options):
    return ET.fromstring(film_to_svg(moving, 24, **options)).findall(f".//{NS}path")


@pytest.mark.slow
def test_every_animation_runs_from_0_to_1_with_a_value_for_each_time():
    for path in paths(morph(sample_drawing("face-happy"), sample_drawing("face-sad"), 12).moving):
        for each in path:
            times = [float(time) for time in each.attrib["keyTimes"].split(";")]
            assert len(times) == len(each.attrib["values"].split(";"))
            assert times[0] == 0
            assert times == sorted(times)
            if "keySplines" in each.attrib:
                splines = [[float(x) for x in row.split()] for row in each.attrib["keySplines"].split(";")]
                assert times[-1] == 1
                assert len(splines) == len(times) - 1
                assert np.all((np.array(splines) >= 0) & (np.array(splines) <= 1))


def test_the_path_begins_as_the_first_frame():
    moving = swelling()
    (path,) = paths(moving)
    d = animations(path)["d"]
    assert path.attrib["d"] == d["values"].split(";")[0]
    assert d["dur"] == "1s"
    assert d["repeatCount"] == "indefinite"
    (first,) = parse_drawing(film_to_svg(moving, 24), "film").contours()
    assert first.area == pytest.approx(moving.drawing(0).layers[0].contours[0].area, rel=0.01)


def test_all_values_of_a_path_have_the_same_commands():
    (path,) = paths(swelling())
    forms = {"".join(c for c in value if c.isalpha()) for value in animations(path)["d"]["values"].split(";")}
    assert forms == {"Mcz"}


def test_a_film_that_ends_stays_on_its_last_frame():
    (path,) = paths(swelling(), loop=False)
    assert animations(path)["d"]["fill"] == "freeze"
    assert "repeatCount" not in animations(path)["d"]


def test_a_layer_is_displayed_while_it_is_there():
    one, other = layer([STILL], 6, name="a"), layer([STILL + 20], 6, name="b")
    a, b = paths(film(one, other, orders=[(0,), (0,), (0, 1), (0, 1), (0,), (0,)]))
    assert "display" not in animations(a)
    assert b.attrib["display"] == "none"
    assert animations(b)["display"]["values"] == "none;inline;none"
    assert [round(6 * float(t)) for t in animations(b)["display"]["keyTimes"].split(";")] == [0, 2, 4]


def test_a_held_key_gives_way_at_once():
    jumps = STILL + np.repeat(np.arange(3) * 10.0, 2)[:, None] * SQUARE.real
    (path,) = paths(film(layer([jumps], 6)))
    d = animations(path)["d"]
    assert [round(6 * float(t)) for t in d["keyTimes"].split(";")] == [0, 2, 2, 4, 4, 5, 6]
    values = d["values"].split(";")
    assert values[0] == values[1] != values[2] == values[3]


def test_a_layer_that_keeps_its_form_is_moved_then_scaled():
    (path,) = paths(floating())
    assert [each.attrib["type"] for each in path if "type" in each.attrib] == ["translate", "scale"]
    moves, grows = (each.attrib for each in path if "type" in each.attrib)
    assert moves["values"].split(";") == ["614.4 1024", "1433.6 1024", "1433.6 1024"]
    assert grows["additive"] == "sum"
    assert grows["values"].split(";") == [".5", "1", "1"]
    (first,) = parse_drawing(film_to_svg(floating(), 24), "film").contours()
    assert first.bounds() == pytest.approx((20, 40, 40, 60), abs=0.1)


def test_paint_is_animated_and_names_are_safe():
    paints = tuple(Layer((), 'a "b" <c>', "#ff0000" if k < 3 else "#0000ff", fill_opacity=1 - k / 10) for k in range(6))
    (path,) = paths(film(MovingLayer(layer([STILL], 6).curves, paints)))
    assert path.attrib["id"] == 'a "b" <c>'
    assert path.attrib["fill"] == "#ff0000"
    assert animations(path)["fill"]["values"] == "#ff0000;#ff0000;#0000ff;#0000ff"
    assert animations(path)["fill-opacity"]["values"] == "1;.5;.5"


def test_gradients_are_animated():
    places = [(20, 5, -3, 10, 40 + k, 40) for k in range(6)]
    stops = ((0.0, "#ff0000", 1.0), (0.5, "#00ff00", 1.0), (0.5, "#ffffff", 1.0), (1.0, "#0000ff", 0.5))
    paints = tuple(Layer((), "a", "#800080", fill_gradient=Gradient("radial", stops, place)) for place in places)
    root = ET.fromstring(film_to_svg(film(MovingLayer(layer([STILL], 6).curves, paints)), 24))
    (gradient,) = root.findall(f".//{NS}radialGradient")
    assert root.find(f".//{NS}path").attrib["fill"] == f"url(#{gradient.attrib['id']})"
    matrix = [float(x) for x in gradient.attrib["gradientTransform"][7:-1].split()]
    linear = np.array(matrix[:4]).reshape(2, 2).T
    assert linear * float(gradient.attrib["r"]) / 20.48 == pytest.approx(np.array([[20, -3], [5, 10]]), rel=1e-3)
    centre = linear @ [float(gradient.attrib[name]) for name in ("cx", "cy")] / 20.48
    assert centre == pytest.approx([40, 40], rel=1e-3)
    assert len(gradient.findall(f"{NS}stop")) == 4
    assert {each.attrib["attributeName"] for each in gradient.findall(f"{NS}animate")} == {"cx", "cy", "fx", "fy"}
