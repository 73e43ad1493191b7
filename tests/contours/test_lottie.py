"""Lottie files by the rules of the format: the fields that players need, kinds of shapes, keyframes."""

import json
from dataclasses import replace

import numpy as np
import pytest

from kinetune.contours.drawing import Layer
from kinetune.contours.gradients import Gradient
from kinetune.contours.lottie import film_to_lottie
from kinetune.contours.morphing.morph import morph
from kinetune.contours.moving_drawing import MovingCurve, MovingLayer
from kinetune.contours.reading.drawing_reader import read_drawing
from kinetune.figures.drawings.drawing_paint import paint_drawing
from kinetune.samples.drawings import sample_drawing
from tests.contours.moving import CIRCLE, SQUARE, film, floating, layer, swelling

STILL = 50 + 50j + 10 * np.repeat(SQUARE[None], 6, axis=0)


def written(moving, fps=24):
    return json.loads(film_to_lottie(moving, fps))


def shapes(shape_layer):
    assert "gr" not in {item["ty"] for item in shape_layer["shapes"]}  # a layer of its own needs no group
    return {item["ty"]: item for item in shape_layer["shapes"]}


@pytest.mark.slow
def test_the_document_has_what_players_need():
    document = written(morph(sample_drawing("dog-1"), sample_drawing("dog-2"), 12).moving, 30)
    assert {"v", "fr", "ip", "op", "w", "h", "layers"} <= document.keys()
    assert (document["fr"], document["ip"], document["op"]) == (30, 0, 12)
    assert max(document["w"], document["h"]) == 512
    for each in document["layers"]:
        assert each["ty"] == 4
        assert {"ks", "ip", "op", "st", "ind"} <= each.keys()


def test_a_still_is_in_quarters_of_a_pixel_from_the_corner_of_the_page():
    document = written(film(layer([10 + STILL[:1]], 1), box=(40.0, 40.0, 40.0, 20.0)))
    assert (document["w"], document["h"], document["op"]) == (512, 256, 1)
    path = shapes(document["layers"][0])["sh"]["ks"]
    assert document["layers"][0]["ks"]["s"]["k"] == [25, 25]
    assert path["a"] == 0
    assert path["k"]["c"] is True
    corners = sorted(map(tuple, path["k"]["v"]))
    assert corners == [(512, 0), (512, 1024), (1536, 0), (1536, 1024)]
    assert path["k"]["i"] == path["k"]["o"] == [[0, 0]] * 4


def test_a_path_has_eased_keyframes():
    path = shapes(written(swelling())["layers"][0])["sh"]["ks"]
    assert [key["t"] for key in path["k"]] == [0, 23]
    assert path["k"][0]["o"]["x"] == pytest.approx(1 / 3, abs=1e-3)
    assert path["k"][0]["o"]["y"] < 0.1 < 0.9 < path["k"][0]["i"]["y"]
    assert len(path["k"][0]["s"][0]["v"]) == len(path["k"][1]["s"][0]["v"])


def test_handles_are_relative_to_their_vertices():
    path = shapes(written(swelling())["layers"][0])["sh"]["ks"]["k"][0]["s"][0]
    v, out, back = (np.array(path[name]) for name in "voi")
    across = np.sum((v - [614.4, 1024.0]) * out, axis=1) / np.linalg.norm(out, axis=1)
    assert np.abs(across).max() < 12  # handles of a circle lie across its radius
    assert (
        np.linalg.norm(out / np.linalg.norm(out, axis=1)[:, None] + back / np.linalg.norm(back, axis=1)[:, None]) < 0.2
    )


def test_paint_is_keyed():
    paints = tuple(Layer((), "a", "#ff0000" if k < 3 else "#0000ff", "#00ff00", 2.0 + k) for k in range(6))
    items = shapes(written(film(MovingLayer(layer([STILL], 6).curves, paints)))["layers"][0])
    assert [key["t"] for key in items["fl"]["c"]["k"]] == [2, 3]
    assert items["fl"]["c"]["k"][0]["s"] == [1, 0, 0, 1]
    assert items["fl"]["r"] == 2
    assert [key["s"] for key in items["st"]["w"]["k"]] == [[pytest.approx(41.0)], [pytest.approx(143.4)]]


def test_strokes_are_written():
    paint = {"fill": None, "stroke": "#0000ff80", "stroke_width": 2.0, "stroke_cap": "round", "stroke_join": "bevel"}
    items = shapes(written(film(layer([STILL], 6, **paint)))["layers"][0])
    assert "fl" not in items
    assert (items["st"]["lc"], items["st"]["lj"]) == (2, 3)
    assert items["st"]["w"]["k"] == pytest.approx(41.0)
    assert items["st"]["o"]["k"] == 50


def test_layers_are_there_for_whole_frames_and_the_last_one_frame_longer():
    one, other = layer([STILL], 6, name="a"), layer([STILL + 20], 6, name="b")
    document = written(film(one, other, orders=[(0,)] * 3 + [(0, 1)] * 3))
    assert {each["nm"]: (each["ip"], each["op"]) for each in document["layers"]} == {"a": (0, 7), "b": (3, 7)}
    gone = written(film(one, other, orders=[(0, 1)] * 3 + [(0,)] * 3))["layers"]
    assert {each["nm"]: (each["ip"], each["op"]) for each in gone} == {"a": (0, 7), "b": (0, 3)}
    assert [each["nm"] for each in gone] == ["b", "a"]  # what lies on top comes first


def test_a_held_key_says_so():
    jumps = np.repeat(np.arange(3) * 10.0, 2)[:, None]
    keys = shapes(written(film(layer([STILL + jumps * SQUARE.real], 6)))["layers"][0])["sh"]["ks"]["k"]
    assert [(key["t"], key.get("h")) for key in keys] == [(0, 1), (2, 1), (4, None), (5, None)]
    moved = written(film(layer([STILL + jumps], 6)))["layers"][0]["ks"]["p"]["k"]
    assert [(key["t"], key.get("h")) for key in moved] == [(0, 1), (2, 1), (4, None)]


def test_a_layer_that_keeps_its_form_moves_by_its_transform():
    (square,) = written(floating())["layers"]
    assert shapes(square)["sh"]["ks"]["a"] == 0
    ends = [[key["s"] for key in square["ks"][name]["k"]] for name in "ps"]
    assert ends[0] == [[pytest.approx(153.6), 256], [pytest.approx(358.4), 256]]
    assert ends[1] == [[12.5, 12.5], [25, 25]]


def test_layers_that_ride_as_one_with_another_between_have_a_parent(tmp_path):
    """The motion is written once, and read back where the film has it."""
    (below,) = floating().layers
    above = MovingLayer(tuple(MovingCurve(c.points * 1.0, c.closed) for c in below.curves), below.paints)
    moving = film(below, layer([np.repeat(STILL[:1], 24, axis=0)], 24), above)
    upper, _, lower = written(moving)["layers"]
    assert (upper["parent"], upper["ks"]) == (lower["ind"], {})
    (tmp_path / "film.json").write_text(film_to_lottie(moving))
    read = read_drawing(tmp_path / "film.json", frame=17).layers
    assert read[2].contours[0].points == pytest.approx(read[0].contours[0].points)


def test_gradients_are_keyed():
    sky = Gradient("linear", ((0.0, "#ff0000", 1.0), (1.0, "#0000ff", 0.5)), (20, 0, 0, 20, 40, 40))
    paints = tuple(
        Layer((), "a", "#800080", fill_gradient=replace(sky, matrix=(20, 0, 0, 20, 40 + k, 40))) for k in range(6)
    )
    fill = shapes(written(film(MovingLayer(layer([STILL], 6).curves, paints)))["layers"][0])["gf"]
    assert fill["t"] == 1
    assert [key["s"] for key in fill["s"]["k"]] == [[819, 819], [922, 819]]
    assert [key["s"] for key in fill["e"]["k"]] == [[1229, 819], [1331, 819]]
    assert fill["g"] == {"p": 2, "k": {"a": 0, "k": [0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0.5]}}


def test_a_radial_gradient_has_its_focus():
    sun = Gradient("radial", ((0.0, "#ffffff", 1.0), (1.0, "#000000", 1.0)), (10, 0, 0, 10, 50, 50), (0.0, 0.5))
    fill = shapes(written(film(layer([STILL], 6, fill="#808080", fill_gradient=sun)))["layers"][0])["gf"]
    assert (fill["t"], fill["s"]["k"], fill["e"]["k"]) == (2, [1024, 1024], [1229, 1024])
    assert (fill["h"]["k"], fill["a"]["k"]) == (50, 90)


@pytest.mark.parametrize("kind", ["linear", "radial"])
def test_a_layer_far_from_the_corner_has_a_place_and_short_numbers(tmp_path, kind):
    stops = ((0.0, "#ff0000", 1.0), (1.0, "#0000ff", 1.0))
    gradient = Gradient(kind, stops, (20.0, 15.0, -15.0, 20.0, 72.0, 70.0), (0.2, 0.1) if kind == "radial" else (0, 0))
    frames = 6
    flower = CIRCLE * (1 + 0.3 * np.cos(9 * np.angle(CIRCLE)))
    wobbling = (
        75 + 75j + np.linspace(1, 0, frames)[:, None] * 12 * CIRCLE + np.linspace(0, 12, frames)[:, None] * flower
    )
    moving = film(layer([wobbling], frames, fill="#800080", fill_gradient=gradient))
    document = written(moving)
    place = document["layers"][0]["ks"]["p"]["k"]
    assert min(place) > 100
    (path,) = [item["ks"] for item in document["layers"][0]["shapes"] if item["ty"] == "sh"]
    assert np.abs([key["s"][0]["v"] for key in path["k"]]).max() < 1000
    (tmp_path / "film.json").write_text(json.dumps(document))
    drawing = read_drawing(tmp_path / "film.json")
    colours = np.asarray(paint_drawing(drawing, 100)).astype(int)
    expected = np.asarray(paint_drawing(moving.drawing(0), 100)).astype(int)
    assert np.abs(colours - expected)[66:84, 66:84].max() < 12


def test_stops_that_never_show_are_not_written():
    """Two stops in the middle of an even ramp, and a third on top of the last."""
    ramp = ((0.0, "#ff0000", 1.0), (0.25, "#bf0040", 1.0), (0.5, "#800080", 1.0), (1.0, "#0000ff", 1.0))
    sky = Gradient("linear", (*ramp, (1.0, "#0000ff", 1.0)), (20, 0, 0, 20, 40, 40))
    fill = shapes(written(film(layer([STILL], 6, fill="#808080", fill_gradient=sky)))["layers"][0])["gf"]
    assert fill["g"]["p"] == 2
    assert fill["g"]["k"]["k"] == [0, 1, 0, 0, 1, 0, 0, 1]


def test_eyes_of_one_paint_that_ride_with_a_face_are_one_group():
    """Apart from each other; what they cover of each other would be a hole."""
    t = np.linspace(0.0, 1.0, 24)[:, None]

    def riding(shape, fill):
        return layer([30 + 50j + 40 * t + (10 + 10 * t) * shape], 24, fill=fill)

    head, left, right = riding(SQUARE, "#ff0"), *(riding(0.2 * SQUARE + x, "#000") for x in (-0.4, 0.4))
    (face,) = written(film(head, left, right))["layers"]
    assert [[item["ty"] for item in group["it"]] for group in face["shapes"]] == [
        ["sh", "sh", "fl", "tr"],
        ["sh", "fl", "tr"],
    ]
    (face,) = written(film(head, left, riding(0.2 * SQUARE - 0.2, "#000")))["layers"]
    assert len(face["shapes"]) == 3
