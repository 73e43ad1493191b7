"""Footsteps one at a time, footsteps out of reach, and targets that change while the foot is in the air."""

import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import ParameterError


@pytest.fixture
def walking():
    """A walker in mid-stride, its last footsteps straight ahead."""
    walker = kt.walking.Walker(kt.walking.sample_steps())
    walker.walk(kt.plan_footsteps("straight", count=4, steps=walker.steps, close=False), stop=False)
    return walker


def ahead(walker, along=0.45, aside=0.15, turn=0.0, same=False):
    """A footstep so far ahead of the foot that carries."""
    support = walker.support
    side = support.side if same else {"left": "right", "right": "left"}[support.side]
    sign = 1.0 if side == "left" else -1.0
    return kt.Footstep(side, support.x + sign * aside, support.z + along, support.heading_deg + turn)


def test_step_by_step_is_the_same_as_all_at_once(walking):
    footsteps = [made.target for made in walking.made]
    other = kt.walking.Walker(kt.walking.sample_steps())
    for footstep in footsteps:
        other.step(footstep)
    assert np.array_equal(other.clip.root, walking.clip.root)


def test_a_walker_can_go_on(walking):
    before = walking.clip
    made = walking.step(ahead(walking))
    assert made.first == len(before) - 1
    assert np.array_equal(walking.clip.root[: len(before)], before.root)
    assert made.report.error_mm < 0.01


def test_the_start_may_be_given():
    walker = kt.walking.Walker(kt.walking.sample_steps(), start=kt.Footstep("right", 1.0, 2.0, 90.0))
    assert walker.support == kt.Footstep("right", 1.0, 2.0, 90.0)
    made = walker.step(kt.Footstep("left", 1.42, 1.84, 92.0))
    assert made.report.error_mm < 0.01
    toes = walker.clip.joint("right toes").positions[0]
    assert np.allclose(toes[[0, 2]], [1.0, 2.0], atol=1e-3)


def test_a_target_changes_while_the_foot_is_in_the_air(walking):
    old = walking.step(ahead(walking))
    before, shown = walking.clip, old.first + 14
    target = kt.Footstep(old.target.side, old.target.x + 0.03, old.target.z - 0.04, old.target.heading_deg + 5.0)
    assert walking.retarget(target, shown)
    row = walking.made[-1].report
    assert row.error_mm < 0.01
    assert row.heading_error_deg < 0.01
    assert row.drift_mm < 0.001
    after = walking.clip
    assert np.allclose(after.root[: shown + 1], before.root[: shown + 1])
    assert after[: shown + 1].same_motion(before[: shown + 1])
    walking.step(ahead(walking))
    assert kt.measure(walking.clip)["flips"] == 0


def test_a_change_that_comes_too_late_or_leads_too_far_is_declined(walking):
    made = walking.step(ahead(walking))
    nudged = kt.Footstep(made.target.side, made.target.x, made.target.z + 0.02)
    assert not walking.retarget(nudged, made.last - 3)
    far = kt.Footstep(made.target.side, made.target.x, made.target.z + 2.0)
    assert not walking.retarget(far, made.first + 5)
    assert walking.made[-1] is made
    other = "left" if made.target.side == "right" else "right"
    with pytest.raises(ParameterError, match="in the air"):
        walking.retarget(kt.Footstep(other, 0, 0), made.first)
    with pytest.raises(ParameterError, match="No step"):
        kt.walking.Walker(kt.walking.sample_steps()).retarget(made.target, 0)
    with pytest.raises(ParameterError, match="No step"):
        kt.walking.Walker(kt.walking.sample_steps()).clip  # noqa: B018


def test_five_metres_away_is_walked_to(walking):
    made = walking.step(ahead(walking, along=5.0))
    report = walking.report
    assert made.report.error_mm < 0.01
    assert 8 <= len(report.inserted) <= 14
    assert any("inserted to walk there" in note for note in report.notes)
    assert report.steps[-1].frame == len(walking.clip) - 1


def test_behind_is_walked_round_to(walking):
    made = walking.step(ahead(walking, along=-2.5))
    assert made.report.error_mm < 0.01
    assert kt.measure(walking.clip)["foot_slide_mm"] < 1.0


def test_a_little_behind_is_not_worth_a_way_round(walking):
    made = walking.step(ahead(walking, along=-0.15))
    assert not made.reached
    assert not walking.report.inserted
    assert "out of reach" in walking.report.notes[-1]
    assert made.report.error_mm > 100.0
    assert walking.step(ahead(walking)).report.error_mm < 0.01  # and on it goes


def test_two_steps_of_one_foot_get_one_in_between(walking):
    made = walking.step(ahead(walking, along=0.9, aside=0.0, same=True))
    assert made.report.error_mm < 0.01
    assert [row.side for row in walking.report.inserted] != [made.target.side]
    assert "a step was inserted" in walking.report.notes[-1]


def test_strict_walks_refuse():
    footsteps = kt.plan_footsteps("straight", count=3, steps=kt.walking.sample_steps(), close=False)
    last = footsteps[-1]
    far = kt.Footstep("right", last.x - 0.15, last.z + 5.0)
    with pytest.raises(ParameterError, match=r"Footstep 3 \(right\) is out of reach: 4\.99 m ahead"):
        kt.walk([*footsteps, far], strict=True)
    with pytest.raises(ParameterError, match="Footstep 3 is a left one like the one before"):
        kt.walk([*footsteps, kt.Footstep("left", last.x, last.z + 0.9)], strict=True)
    assert not kt.walk(footsteps, strict=True).report.notes


def test_no_footsteps_and_no_numbers_are_refused():
    with pytest.raises(ParameterError, match="at least one"):
        kt.walk([])
    with pytest.raises(ParameterError, match="Footstep 1"):
        kt.walk([("left", 0.1, 0.6, 0.0), ("right", float("nan"), 1.0, 0.0)])
