"""Pictures of forces and bodies."""

from __future__ import annotations

import numpy as np
import pytest

import kinetune as kt
from kinetune import figures
from kinetune.figures import palette
from kinetune.figures.motion.strip import draw_strip
from kinetune.figures.physics_figures import (
    draw_body,
    draw_filtering,
    draw_force_strip,
    draw_forces,
    draw_report,
    draw_tracking,
)
from kinetune.physics.model.body_model import Body
from kinetune.physics.report_card import physics_report


@pytest.fixture(scope="module")
def report():
    return physics_report(kt.sample("kick-1")[80:160])


def test_points_below_the_line_need_more_friction():
    """Figure 4 of the paper: horizontal force to the right, vertical force up, and the line of mu."""
    forces = np.array([[300.0, 700.0, 400.0], [900.0, 300.0, 0.0]])
    axes = draw_forces({"needed": forces}, mu=0.5).axes[0]
    dots = axes.collections[0].get_offsets()
    assert np.allclose(dots, [[500.0, 700.0], [900.0, 300.0]])
    x, y = axes.lines[0].get_data()
    assert y[1] / x[1] == pytest.approx(1.0 / 0.5)


def test_three_filters_get_the_papers_marks():
    rng = np.random.default_rng(0)
    series = {name: rng.uniform(0.0, 900.0, (20, 3)) for name in ("joint", "position", "friction")}
    errors = {name: rng.uniform(0.0, 30.0, 20) for name in series}
    figure = draw_filtering(series, errors, 60.0)
    above, below = figure.axes
    assert len(above.collections) == len(below.lines) == 3
    assert [text.get_text() for text in above.get_legend().get_texts()] == list(series)
    assert len(draw_tracking(errors, 60.0).axes[0].lines) == 3


def test_arrows_are_as_long_as_the_forces(report):
    clip, body = report.clip, report.body
    up = np.zeros((len(clip), len(body.points), 3))
    up[..., 1] = body.weight / 6.0  # six points to a foot
    figure = draw_force_strip(clip, body, up, poses=4)
    arrows = next(c for c in figure.axes[0].collections if hasattr(c, "U"))
    assert np.allclose(arrows.V, 0.6)
    assert np.allclose(arrows.U, 0.0, atol=1e-12)
    assert len(arrows.V) == 4 * 2


def test_a_strip_without_arrows_has_none(report):
    assert not any(hasattr(c, "U") for c in draw_strip(report.clip, poses=3).axes[0].collections)


def test_the_report_fits_on_a_page(report, tmp_path):
    path = figures.save(draw_report(report, title="kick"), tmp_path / "report.png")
    assert path.stat().st_size > 10_000


def test_a_report_without_contacts_can_be_drawn(tmp_path):
    clip = kt.sample("walk")[:20]
    floating = physics_report(clip, ground=-3.0)
    assert figures.save(draw_report(floating), tmp_path / "floating.svg").exists()


def test_every_box_of_a_body_is_drawn():
    clip = kt.sample("walk")[:1]
    body = Body.fit(clip.skeleton)
    figure = draw_body([("walk", body, clip, 0)])
    boxes = sum(len(segment.boxes) for segment in body.segments)
    assert [len(ax.patches) for ax in figure.axes] == [boxes, boxes]
    assert palette.BAD in [line.get_color() for line in figure.axes[0].lines]
