"""Gradients: what they paint, and what lies between two of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinetune.contours.colours import mix_layers
from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.gradients import Gradient
from kinetune.contours.svg.reader import parse_drawing
from kinetune.errors import ParameterError
from kinetune.figures.drawings.drawing_paint import paint_drawing

RAMP = Gradient("linear", ((0.0, "#000000", 1.0), (1.0, "#ffffff", 1.0)), (100, 0, 0, 100, 0, 0))
GLOW = Gradient("radial", ((0.0, "#ff0000", 1.0), (1.0, "#0000ff", 0.5)), (50, 0, 0, 20, 50, 50))
SQUARE = Contour([(0, 0), (100, 0), (100, 100), (0, 100)])


def layer(gradient: Gradient | None, colour: str = "#808080") -> Layer:
    return Layer((SQUARE,), fill=gradient.mean_colour if gradient else colour, fill_gradient=gradient)


def test_a_linear_gradient_is_its_share_of_the_way() -> None:
    assert RAMP.colours_at([[25.0, 80.0]])[0] == pytest.approx([0.25, 0.25, 0.25, 1.0])


def test_a_radial_gradient_reaches_its_last_stop_on_the_ellipse() -> None:
    rim = [[100.0, 50.0], [50.0, 70.0], [50.0, 30.0]]
    assert GLOW.colours_at(rim) == pytest.approx(np.tile([0.0, 0.0, 1.0, 0.5], (3, 1)))
    off_centre = replace(GLOW, focus=(0.4, 0.1))
    assert off_centre.colours_at(rim) == pytest.approx(np.tile([0.0, 0.0, 1.0, 0.5], (3, 1)))


@pytest.mark.parametrize(("spread", "share"), [("pad", 1.0), ("repeat", 0.25), ("reflect", 0.75)])
def test_beyond_its_end_a_gradient_spreads(spread: str, share: float) -> None:
    assert replace(RAMP, spread=spread).colours_at([[125.0, 0.0]])[0, 0] == pytest.approx(share)  # type: ignore[arg-type]


def test_a_gradient_moves_with_its_shape() -> None:
    skew = np.array([[2.0, 1.0, 5.0], [0.0, 3.0, -7.0]])
    points = np.random.default_rng(1).uniform(0, 100, (20, 2))
    for gradient in (RAMP, GLOW):
        there = gradient.transformed(skew).colours_at(points @ skew[:, :2].T + skew[:, 2])
        assert there == pytest.approx(gradient.colours_at(points))


@pytest.mark.slow
def test_gradients_mix_from_one_end_to_the_other_without_a_jump() -> None:
    points = np.random.default_rng(2).uniform(0, 100, (50, 2))
    for a, b in (
        (RAMP, GLOW),
        (GLOW, RAMP),
        (RAMP, None),
        (None, GLOW),
        (RAMP, replace(RAMP, matrix=(0, 80, 80, 0, 9, 9))),
    ):
        ends = [
            one.colours_at(points) if one is not None else np.tile([128 / 255] * 3 + [1.0], (50, 1)) for one in (a, b)
        ]
        shown = []
        for t in np.linspace(1e-6, 1 - 1e-6, 101):
            mixed = mix_layers(layer(a), layer(b), float(t))
            assert mixed.fill_gradient is not None
            shown.append(mixed.fill_gradient.colours_at(points))
        assert np.abs(shown[0] - ends[0]).max() < 0.01
        assert np.abs(shown[-1] - ends[1]).max() < 0.01
        assert np.abs(np.diff(shown, axis=0)).max() < 0.12


def test_a_written_gradient_is_read_back() -> None:
    for gradient in (RAMP, replace(GLOW, focus=(0.25, 0.0), spread="reflect")):
        back = parse_drawing(Drawing((layer(gradient),)).to_svg()).layers[0].fill_gradient
        assert back is not None
        points = np.random.default_rng(3).uniform(0, 100, (50, 2))
        assert np.abs(back.colours_at(points) - gradient.colours_at(points)).max() < 1e-3


def test_a_painted_gradient_shows_its_colours() -> None:
    picture = np.asarray(paint_drawing(Drawing((layer(RAMP),)), 100))
    assert np.abs(picture[50, :, 0].astype(float) - 255 * (np.arange(100) + 0.5) / 100).max() < 2


def test_a_gradient_without_stops_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least one stop"):
        Gradient("linear", (), (1, 0, 0, 1, 0, 0))
