import numpy as np
import pytest

from kinetune import figures
from kinetune.inverse.blend.constraints import AtPoint
from kinetune.inverse.blend.inverse_blend import InverseBlend
from kinetune.inverse.reachability import reach_map
from tests.inverse.sets import blend, clips

pytest.importorskip("matplotlib")


def test_a_reach_shows_its_target_in_three_views(tmp_path):
    goal = (-0.3, 1.25, 0.42)
    clip = blend().solve(AtPoint("RightHand", goal)).clip
    figure = figures.draw_reach(clip, goal, joint="RightFingertips", line=(*goal, 0.0, 1.0, 0.0), title="a reach")
    assert len(figure.axes) == 3
    side = figure.axes[0]
    marks = [line for line in side.lines if line.get_marker() == "o"]
    assert marks[0].get_xydata()[0, 1] == pytest.approx(1.25)
    assert figures.save(figure, tmp_path / "reach.png").stat().st_size > 5000


def test_a_map_shows_examples_and_gaps(tmp_path):
    few = InverseBlend(clips("reach")[::4])
    chart = reach_map(few, "RightHand", spacing=0.2)
    figure = figures.draw_reach_map(chart, few.examples[0])
    dots = next(line for line in figure.axes[0].lines if line.get_marker() == "o")
    assert len(dots.get_xydata()) == 4
    assert figures.save(figure, tmp_path / "map.svg").stat().st_size > 5000


def test_errors_on_spheres_colour_by_the_miss():
    u, v = np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 1, 5), indexing="ij")
    targets = np.stack([np.stack([u, v, np.full_like(u, z)], axis=-1) for z in (0.6, 0.7)])
    off = targets + np.array([0.0, 0.0, 0.05])
    figure = figures.draw_reach_errors(targets, {"off": off, "on": targets}, targets[0, 0])
    off_axes, on_axes = figure.axes[:2]
    assert "50 mm" in off_axes.get_title()
    faces = [axes.collections[0].get_facecolor() for axes in (off_axes, on_axes)]
    assert len(faces[0]) == 2 * 3 * 4
    assert not np.allclose(faces[0], faces[1])
