"""What is odd or wrong: a right answer, or one clear sentence."""

import numpy as np
import pytest

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.morphing.morph import morph
from kinetune.contours.outlines import count_self_crossing
from kinetune.errors import KinetuneError, ParameterError
from tests.contours.curves import BOW, SQUARE, contours, drawing, flower, pentagram, ring

DOT = np.array([30 + 30j, 30 + 30j])


def test_empty_drawings() -> None:
    nothing, something = Drawing(()), drawing(ring())
    assert [len(frame.layers) for frame in morph(nothing, nothing, 3)] == [0, 0, 0]
    grown = morph(nothing, something, 5)
    sizes = [np.ptp(contours(frame)[0].real) for frame in grown[1:]]
    assert sizes == sorted(sizes)
    assert [len(list(frame.contours())) for frame in morph(drawing(), something, 3)] == [0, 1, 1]


def test_a_dot_grows_where_it_is() -> None:
    film = morph(drawing(DOT), drawing(ring()), 40)
    first = contours(film[1])[0]
    assert abs(first.mean() - 30 - 30j) < 1.0
    assert np.ptp(first.real) < 2.0
    back = morph(drawing(ring()), drawing(DOT), 40)
    assert abs(contours(back[-2])[0].mean() - 30 - 30j) < 1.0
    both = morph(drawing(DOT), drawing(DOT + 10), 3)
    assert contours(both[1])[0][0] == pytest.approx(35 + 30j)


def test_curves_without_length_or_area() -> None:
    flat = np.array([10 + 10j, 90 + 90j])
    for paint in ({}, {"stroke": "#000"}):
        film = morph(drawing(flat, **paint), drawing(ring(), **paint), 6)
        assert count_self_crossing(film[1:-1]) == 0


def test_numbers_that_are_none() -> None:
    with pytest.raises(KinetuneError, match="not a number"):
        drawing(np.array([0, np.nan + 1j, 3]))


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_a_million_points(noise: float) -> None:
    count = 1_000_000
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    radius = 30 + 2 * np.sin(40 * angle) + noise * np.random.default_rng(0).standard_normal(count)
    film = morph(drawing(50 + 50j + radius * np.exp(1j * angle)), drawing(SQUARE), 6)
    assert len(contours(film[0])[0]) == count
    assert all(len(contours(frame)[0]) < 2000 for frame in film[1:-1])
    assert count_self_crossing(film[1:-1]) == 0


@pytest.mark.parametrize("curve", [BOW, pentagram(), np.array([0, 50, 50 + 50j, 25 + 50j, 25 + 90j, 25 + 50j, 50j])])
def test_keys_that_cross_themselves_are_told_and_morphed(curve: np.ndarray) -> None:
    film = morph(drawing(curve, name="knot"), drawing(ring()), 8)
    assert count_self_crossing(film[1:-1]) == 0
    assert film.notes[0].startswith('Layer "knot" of the first drawing crosses itself')
    again = morph(drawing(ring()), drawing(curve), 8)
    assert count_self_crossing(again[1:-1]) == 0
    assert again.notes[0].startswith("Layer 0 of the second drawing crosses itself")


def test_a_line_that_crosses_itself_is_told() -> None:
    film = morph(drawing(BOW, fill=None, stroke="#000"), drawing(ring(), fill=None, stroke="#000"), 5)
    assert "may do so too" in film.notes[0]
    assert len(film) == 5


def test_curves_far_off_and_of_any_size() -> None:
    for scale, shift in ((1e-7, 0), (1e8, 0), (1.0, 1e6), (1e-4, 50)):
        film = morph(drawing(scale * SQUARE + shift), drawing(scale * flower(5) + shift), 6)
        assert count_self_crossing(film[1:-1]) == 0
        assert all(np.isfinite(contours(frame)[0]).all() for frame in film)


def test_drawings_of_many_layers_and_few() -> None:
    many = Drawing(tuple(Layer((Contour(ring(3, complex(10 + 8 * k, 50))),), f"dot {k}") for k in range(10)))
    film = morph(many, drawing(ring(40), name="sun"), 6)
    assert len(film[2].layers) == 10
    assert count_self_crossing(film[1:-1]) == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"frames": 1}, "frames must be a whole number from 2"),
        ({"frames": 2.5}, "frames must be a whole number from 2"),
        ({"frames": True}, "frames must be a whole number from 2"),
        ({"frames": 10**9}, "to 10000"),
        ({"method": "magic"}, "method must be one of safe, linear, schedule, physical"),
        ({"resolution": 5}, "resolution must be a power of two"),
        ({"extras": "nothing"}, "extras must be one of auto, point, partner"),
        ({"match": "luck"}, "match must be one of"),
        ({"method": "physical", "preset": "stone"}, 'there is no preset "stone"'),
    ],
)
def test_options_that_do_not_exist(options: dict[str, object], words: str) -> None:
    with pytest.raises(KinetuneError, match=words):
        morph(drawing(SQUARE), drawing(ring()), **options)  # type: ignore[arg-type]


def test_two_pins_on_one_point() -> None:
    with pytest.raises(ParameterError, match="order"):
        morph(drawing(SQUARE), drawing(ring()), pins=[((20, 20), (80, 50)), ((20, 20), (20, 50))])


def test_a_curve_that_is_far_off_its_canvas_is_refused() -> None:
    far = drawing(np.array([0, 1e13, 1e13j]))
    for a, b, side in ((drawing(ring()), far, "second"), (far, drawing(ring()), "first")):
        with pytest.raises(ParameterError, match=f"the {side} drawing reaches 1e\\+13"):
            morph(a, b, 4)


def test_a_filled_scribble_is_told_and_morphed() -> None:
    dice = np.random.default_rng(0)
    scribble = dice.uniform(0, 100, 3000) + 1j * dice.uniform(0, 100, 3000)
    film = morph(drawing(scribble), drawing(SQUARE), 6)
    assert film.notes[0].startswith("Layer 0 of the first drawing crosses itself too often to be cut apart")
    assert count_self_crossing(film[1:-1]) == 0
