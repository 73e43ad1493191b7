import numpy as np
import pytest

from kinetune import figures
from kinetune.figures import palette
from kinetune.figures.motion.warp_figure import draw_warp, draw_warped_curves
from tests.figures.test_figures import ink_share
from tests.operations import making


@pytest.mark.parametrize("joint", [None, "left lower leg"])
def test_the_matrix_shows_both_clips_and_the_path(tmp_path, joint):
    clip, other = making.walker(131), making.walker(98, 30.0, period=1.5)
    figure = draw_warp(clip, other, joint=joint, names=("quick", "slow"))
    ax = next(ax for ax in figure.axes if ax.images)
    assert ax.images[0].get_array().shape == (195, 131)
    line = next(line for line in ax.lines if line.get_color() == palette.EDITED)
    assert np.all(np.diff(line.get_ydata()) >= 0)
    assert line.get_ydata()[-1] == pytest.approx(other.duration, abs=0.02)
    assert ink_share(figures.save(figure, tmp_path / "warp.png")) > 0.05


def test_a_long_clip_is_drawn_in_few_cells():
    clip = making.pendulums(1300)
    figure = draw_warp(clip, clip)
    assert max(figure.axes[0].images[0].get_array().shape) <= 400


def test_one_frame_can_be_drawn(tmp_path):
    figure = draw_warp(making.walker(1), making.walker(1))
    assert figures.save(figure, tmp_path / "one.png").stat().st_size > 0


def test_curves_are_shown_before_and_after():
    clip, other = making.walker(91), making.walker(136, period=1.5)
    figure = draw_warped_curves(clip, other, "left lower leg", names=("quick", "slow"))
    counts = [[len(line.get_xdata()) for line in ax.lines] for ax in figure.axes]
    assert counts == [[91, 136], [136, 136], [91, 91]]
