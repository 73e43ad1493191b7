import numpy as np
import pytest

from kinetune.contours.descriptor.wavelet_descriptor import approximate
from kinetune.figures.drawings.contour_figures import (
    draw_edits,
    draw_relaxation,
    draw_resolutions,
    draw_scales,
    draw_stiffness,
    draw_timing,
)
from kinetune.samples.drawings import sample_drawing
from tests.contours.hoops import hoop

DIGIT = sample_drawing("digit-3").layers[0].contours[0]


def curves(ax):
    return [line.get_xydata() for line in ax.lines]


def test_scales_show_the_approximations():
    figure = draw_scales(DIGIT, levels=(0, 3, 6))
    assert len(figure.axes) == 6
    assert np.allclose(curves(figure.axes[5])[1], approximate(DIGIT, 6, "db4").path)


def test_stiffness_says_how_much_lies_off_the_diagonal():
    assert "15.1%" in draw_stiffness("coif2").axes[0].get_title(loc="left")


@pytest.mark.parametrize("draw", [draw_relaxation, draw_resolutions])
def test_a_hoop_is_drawn_at_every_time(draw):
    shape, rest = hoop(64)
    figure = draw(shape, rest, [0.0, 0.1, 0.2, 0.3])
    assert len(figure.axes) >= 4
    assert "0.30 s" in figure.axes[3].get_title(loc="left")


def test_timing_has_a_curve_for_every_preset_and_the_linear_one():
    (ax,) = draw_timing().axes
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["dead-beat", "jelly", "wobbly", "linear, 1 s"]
    assert all(curve[0, 1] == pytest.approx(1) for curve in curves(ax))


def test_edits_lie_over_the_original():
    shape, rest = hoop(32)
    figure = draw_edits({"one": shape, "two": rest}, rest, columns=2)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["one", "two"]
    assert np.allclose(curves(figure.axes[0])[0], rest.path)
