import json

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.root_motion import place
from kinetune.errors import ParameterError
from kinetune.inverse.blend.constraints import AtPoint
from kinetune.inverse.blend.inverse_blend import InverseBlend
from kinetune.inverse.reachability import reach_map
from tests.inverse.sets import blend, clips


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    """Thousands of points are for the compiled search."""
    pytest.importorskip("kinetune.inverse.blend.weight_kernels").warm_up()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KINETUNE_COMPILED", "always")
        yield


@pytest.fixture(scope="module")
def chart(_compiled):
    return reach_map(blend(), "RightFingertips", spacing=0.1)


def test_the_map_says_what_single_targets_say(chart):
    for number in np.linspace(0, len(chart.points) - 1, 12).astype(int):
        found = blend().solve(AtPoint("RightFingertips", chart.points[number]), exact=False)
        assert found.reachable == chart.reachable[number]
        assert found.distance == pytest.approx(chart.distance[number], abs=0.5)


def test_examples_lie_in_the_grid_and_in_their_hull(chart):
    assert chart.examples.shape == (16, 3)
    assert np.prod(chart.shape) == len(chart.points)
    assert np.all(chart.points.min(axis=0) <= chart.examples.min(axis=0))
    assert np.all(chart.points.max(axis=0) >= chart.examples.max(axis=0) - 0.1)
    assert 0.0 < chart.coverage < 1.0
    assert chart.volume == pytest.approx(chart.reachable.sum() * 1e-3)


def test_a_gap_is_as_far_as_it_says(chart):
    gap = chart.gaps[0]
    assert gap.far_mm > 50.0
    assert blend().solve(AtPoint("RightFingertips", gap.where), exact=False).distance == pytest.approx(
        gap.far_mm, abs=0.5
    )
    assert [g.volume for g in chart.gaps] == sorted([g.volume for g in chart.gaps], reverse=True)


@pytest.mark.slow
def test_fewer_examples_reach_less_and_their_gap_is_found():
    """Without the examples on the far shell at the lower right, the map asks for one there."""
    ends = blend().places("RightFingertips")
    whole = reach_map(blend(), "RightFingertips", spacing=0.1)
    gone = [9, 13]
    fewer = reach_map(
        InverseBlend([c for k, c in enumerate(clips("reach")) if k not in gone]), "RightFingertips", spacing=0.1
    )
    assert fewer.volume < whole.volume
    lost = blend().solve_batch(AtPoint("RightFingertips", ends[gone])).reachable
    assert lost.all()
    near = [np.linalg.norm(fewer.points - ends[number], axis=1).argmin() for number in gone]
    assert not fewer.reachable[near].any()


def test_places_are_told_as_seen_from_the_figure(chart):
    turn = rot.about_y(chart.heading)
    ahead = chart.origin + rot.rotate(turn, np.array([0.2, 0.0, 0.5]))
    behind = chart.origin + rot.rotate(turn, np.array([-0.2, 0.0, -0.5]))
    assert chart.describe(ahead).startswith("0.50 m ahead, 0.20 m to the left")
    assert chart.describe(behind).startswith("0.50 m behind, 0.20 m to the right")
    turned = InverseBlend([place(c, rot.about_y(np.pi / 2), np.zeros(3)) for c in clips("reach")])
    other = reach_map(turned, "RightFingertips", spacing=0.3)
    assert other.describe(other.origin + rot.rotate(rot.about_y(np.pi / 2), ahead - chart.origin)).startswith(
        "0.50 m ahead, 0.20 m to the left"
    )


def test_advice_is_sentences_and_the_report_is_json(chart):
    advice = chart.advice()
    assert advice[0].startswith("RightFingertips: 16 examples reach")
    assert advice[1].startswith("Add an example that ends")
    report = json.loads(json.dumps(chart.report()))
    assert report["coverage"] == pytest.approx(chart.coverage)
    assert report["gaps"][0]["description"] in advice[1]


def test_few_examples_span_no_space():
    chart = reach_map(InverseBlend(clips("reach")[:3]), "RightHand", spacing=0.2)
    assert chart.coverage == 0.0
    assert chart.gaps == ()
    assert "one plane" in chart.advice()[1]


def test_a_grid_too_fine_or_none_is_told():
    with pytest.raises(ParameterError, match="take a wider one"):
        reach_map(blend(), "RightHand", spacing=0.001)
    with pytest.raises(ParameterError, match="above 0"):
        reach_map(blend(), "RightHand", spacing=0.0)
