"""Films through several keys: when keys are reached, held, overshot, and which layers are late."""

from __future__ import annotations

import numpy as np
import pytest

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.lottie import film_to_lottie
from kinetune.contours.morphing.morph import morph
from kinetune.contours.outlines import count_self_crossing
from kinetune.contours.timing.film_timing import morph_keys, on_twos
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.samples.drawings import sample_drawing

SQUARE = np.array([(0, 0), (10, 0), (10, 10), (0, 10)], dtype=float)


def card(x: float, y: float = 0.0) -> Drawing:
    layers = (
        Layer((Contour(SQUARE + np.array([x, 10])),), "one"),
        Layer((Contour(SQUARE + np.array([x, 60 + y])),), "two"),
    )
    return Drawing(layers)


def left(frame: Drawing, name: str = "one") -> float:
    return frame.layer(name).contours[0].bounds()[0]


def test_keys_are_reached_at_their_times() -> None:
    film = morph_keys([card(0), card(40), card(10)], [0, 1, 4], frames=9)
    assert [left(frame) for frame in film] == pytest.approx([0, 20, 40, 35, 30, 25, 20, 15, 10], abs=1e-6)


def test_held_keys_add_frames() -> None:
    film = morph_keys([card(0), card(40)], frames=3, hold=[2, 1])
    assert [left(frame) for frame in film] == pytest.approx([0, 0, 0, 20, 40, 40])


def test_on_twos_every_drawing_is_shown_twice_and_both_keys_are() -> None:
    film = morph_keys([card(0), card(30)], frames=8, on=2)
    assert [left(frame) for frame in film] == pytest.approx([0, 0, 10, 10, 20, 20, 30, 30])
    assert on_twos(film, 4)[3] is film[0]


@pytest.mark.slow
def test_two_keys_are_the_morph() -> None:
    a, b = sample_drawing("face-happy"), sample_drawing("face-sad")
    one, other = morph_keys([a, b], frames=4, ease="smooth"), morph(a, b, 4, ease="smooth")
    assert [frame.to_svg() for frame in one] == [frame.to_svg() for frame in other]


def test_a_late_layer_starts_later_and_all_arrive() -> None:
    film = morph_keys([card(0), card(30)], frames=5, offsets={"two": 0.5})
    assert [left(frame) for frame in film] == pytest.approx([0, 15, 30, 30, 30], abs=1e-6)
    assert [left(frame, "two") for frame in film] == pytest.approx([0, 0, 0, 15, 30], abs=1e-6)


def test_an_ease_that_overshoots_carries_the_drawing_past_its_key() -> None:
    film = morph(card(0), card(40), 21, ease="back")
    assert max(left(frame) for frame in film) == pytest.approx(44, abs=0.1)
    assert left(film[-1]) == 40


def test_every_layer_of_a_film_that_overshoots_goes_past_its_key_and_has_key_shapes() -> None:
    """Layers need no names for that, and the film is known by layers over time."""
    ends = [Drawing((*card(x).layers, *card(x + 20).layers)) for x in (0, 40)]
    film = morph(*ends, 21, ease="back-out")
    assert film.moving is not None
    past = [max(contour.bounds()[2] for contour in layer.contours) for layer in max(film, key=_right).layers]
    rest = [max(contour.bounds()[2] for contour in layer.contours) for layer in ends[1].layers]
    assert all(one > other + 1 for one, other in zip(past, rest, strict=True))
    assert len(film_to_lottie(film.moving)) < 3000


def _right(frame: Drawing) -> float:
    return max(contour.bounds()[2] for contour in frame.contours())


def test_what_overshoots_does_not_cross_itself() -> None:
    film = morph(sample_drawing("face-happy"), sample_drawing("face-sad"), 9, ease="elastic")
    assert count_self_crossing(film) == 0


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"times": [0, 0]}, "growing"),
        ({"ease": ["in", "out"]}, "one of the eases"),
        ({"hold": [1, 2, 3]}, "one of the holds"),
        ({"hold": -1}, "whole number of frames"),
        ({"on": 0}, "on ones"),
        ({"offsets": {"one": 1.5}}, "less than 1"),
        ({"frames": 1}, "frames must be"),
    ],
)
def test_a_timing_that_cannot_be_is_refused(how: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        morph_keys([card(0), card(9)], **how)  # type: ignore[arg-type]


def test_an_unknown_layer_is_named() -> None:
    with pytest.raises(UnknownNameError):
        morph_keys([card(0), card(9)], frames=3, offsets={"three": 0.1})
