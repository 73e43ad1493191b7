"""Lottie files by the rules of the format: the keys that players need, kinds of shapes, held keyframes."""

import json

import numpy as np
import pytest

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.lottie import film_to_lottie
from kinetune.samples.drawings import sample_drawing

SQUARE = Contour([[0, 0], [10, 0], [10, 10], [0, 10]])


def canvas(*layers):
    return Drawing(layers, (-5, 0, 20, 10), "canvas")


def moved(by, **more):
    return canvas(Layer((SQUARE.moved(SQUARE.points + by),), "square", **more))


def shapes(layer):
    (group,) = layer["shapes"]
    assert group["ty"] == "gr"
    assert group["it"][-1]["ty"] == "tr"
    return {item["ty"]: item for item in group["it"]}


@pytest.mark.parametrize("frames", [[sample_drawing("dog-1")], [sample_drawing("dog-1"), sample_drawing("dog-2")]])
def test_the_document_has_what_players_need(frames):
    document = json.loads(film_to_lottie(frames, 24))
    assert {"v", "fr", "ip", "op", "w", "h", "layers"} <= document.keys()
    assert (document["fr"], document["ip"], document["op"]) == (24, 0, len(frames))
    assert document["w"] == 512
    for layer in document["layers"]:
        assert layer["ty"] == 4
        assert {"ks", "ip", "op", "st", "ind"} <= layer.keys()
    assert [layer["nm"] for layer in document["layers"]] == [layer.name for layer in frames[0].layers[::-1]]


def test_paths_are_in_pixels_from_the_corner_of_the_page():
    document = json.loads(film_to_lottie([moved(0.0)]))
    path = shapes(document["layers"][0])["sh"]["ks"]
    assert path["a"] == 0
    assert path["k"]["c"] is True
    scale = 512 / 20
    assert np.allclose(path["k"]["v"], scale * (SQUARE.points - [-5, 0]), atol=1e-3)
    assert path["k"]["i"] == path["k"]["o"] == [[0, 0]] * 4


def test_frames_are_held_keyframes():
    document = json.loads(film_to_lottie([moved(0.0), moved(0.0), moved(1.0, fill="#ff0000")]))
    found = shapes(document["layers"][0])
    keys = found["sh"]["ks"]["k"]
    assert [key["t"] for key in keys] == [0, 2]
    assert all(key["h"] == 1 and isinstance(key["s"], list) for key in keys)
    assert found["fl"]["c"]["k"][1]["s"] == [1, 0, 0, 1]
    assert found["fl"]["r"] == 2


def test_strokes_are_written():
    layer = Layer((SQUARE,), "", None, "#0000ff80", 2.0, stroke_cap="round", stroke_join="bevel")
    found = shapes(json.loads(film_to_lottie([canvas(layer)]))["layers"][0])
    assert "fl" not in found
    assert (found["st"]["lc"], found["st"]["lj"]) == (2, 3)
    assert found["st"]["w"]["k"] == pytest.approx(2 * 512 / 20)
    assert found["st"]["o"]["k"] == pytest.approx(50, abs=0.5)


def test_frames_of_other_layers_are_visible_one_at_a_time():
    document = json.loads(film_to_lottie([moved(0.0), canvas(Layer((SQUARE, SQUARE), "square"))]))
    times = sorted((layer["ip"], layer["op"]) for layer in document["layers"])
    assert times[0][0] == 0
    assert times[0][1] < times[1][0] == 1
    assert times[1][1] == document["op"]
