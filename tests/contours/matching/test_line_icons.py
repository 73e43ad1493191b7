"""Icons of lines become drawings of areas as the areas that their lines cover."""

from __future__ import annotations

import numpy as np

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.lottie import film_to_lottie
from kinetune.contours.morphing.morph import morph
from kinetune.contours.outlines import count_self_crossing
from kinetune.figures.drawings.drawing_paint import paint_drawing

BOX = (0.0, 0.0, 24.0, 24.0)
ANGLES = np.linspace(0, 2 * np.pi, 96, endpoint=False)
RING = 12 + 9 * np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=-1)


def lines(**paint):
    """A circle with a hand, in lines."""
    style = {"fill": None, "stroke": "#000", "stroke_width": 2.0, "stroke_cap": "round"} | paint
    hand = Contour(np.array([[12.0, 6.0], [12.0, 12.0], [16.0, 14.0]]), closed=False)
    return Drawing((Layer((Contour(RING),), **style), Layer((hand,), **style)), BOX)


def plate(name=""):
    return Drawing((Layer((Contour(np.array([[4.0, 4], [20, 4], [20, 20], [4, 20]])),), name, fill="#000"),), BOX)


def shades(frame):
    return np.asarray(paint_drawing(frame, 96, background="white").convert("L"))


def test_lines_become_an_area_without_a_halo():
    """No frame has a stroke or anything half transparent, and the first step changes little."""
    a = lines()
    film = morph(a, plate(), 13)
    assert film[0] is a
    for frame in film[1:-1]:
        assert all(layer.stroke is None and layer.fill_opacity == 1.0 for layer in frame.layers)
    assert count_self_crossing(film[1:-1]) == 0
    near = morph(a, plate(), 1001)[1]
    assert np.abs(shades(near).astype(float) - shades(a)).mean() < 1.0
    assert '"ty":"st"' not in film_to_lottie(film.moving)


def test_an_area_becomes_lines_in_the_same_way():
    film = morph(plate(), lines(), 9)
    assert all(layer.stroke is None for frame in film[1:-1] for layer in frame.layers)
    assert film[-1].layers[0].stroke is not None


def test_lines_stay_lines_where_both_have_them_or_colours_or_names_matter():
    for a, b in (
        (lines(), lines(stroke_width=1.0)),
        (lines(fill="#ff0"), plate()),
        (lines(stroke_opacity=0.5), plate()),
        (lines(name="body"), plate("body")),
    ):
        assert any(layer.stroke is not None for frame in morph(a, b, 5)[1:-1] for layer in frame.layers)
    film = morph(lines(), plate(), 5, layers={0: 0})
    assert any(layer.stroke is not None for frame in film[1:-1] for layer in frame.layers)
