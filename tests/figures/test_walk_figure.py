import pytest

import kinetune as kt
from kinetune import figures
from kinetune.errors import ParameterError
from tests.figures.test_figures import ink_share


@pytest.mark.parametrize("path", ["straight:length=2", "circle:r=2,turns=0.3"])
def test_footprints_and_figures_are_drawn(tmp_path, path):
    footsteps = kt.plan_footsteps(path, steps=kt.walking.sample_steps())
    figure = figures.draw_walk(kt.walk(footsteps).clip, footsteps, inserted=footsteps[:1], title="a walk", poses=6)
    above, below = figure.axes
    assert len(above.patches) == len(footsteps) + 1
    assert len(below.collections) == 6
    assert ink_share(figures.save(figure, tmp_path / "walk.png")) > 0.01


def test_nothing_to_draw_is_said():
    with pytest.raises(ParameterError, match="no footstep"):
        figures.draw_walk(kt.sample("walk"), [])
