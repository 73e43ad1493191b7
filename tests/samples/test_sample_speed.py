"""Embedded steps at the speed that is asked for."""

import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import ParameterError


def middle_speed(clip):
    """The usual speed of the hips between start and stop, in m/s."""
    hips = clip.positions()[:, clip.skeleton.index("hips")][:, [0, 2]]
    return float(np.median(np.linalg.norm(np.diff(hips, axis=0), axis=1)) * clip.fps)


@pytest.mark.parametrize("speed", [0.6, 1.2, 1.4])
def test_a_walk_is_as_fast_as_asked(speed):
    steps = kt.walking.sample_steps(speed)
    assert steps.speed == pytest.approx(speed)
    walk = kt.walk(kt.plan_footsteps("straight:length=7", steps=steps), steps)
    assert middle_speed(walk.clip) == pytest.approx(speed, rel=0.12)
    assert not any(row.missed for row in walk.report.steps)
    assert kt.measure(walk.clip)["foot_slide_mm"] < 1.0


def test_arms_swing_at_natural_speed():
    steps = kt.walking.sample_steps(1.3)
    clip = kt.walk(kt.plan_footsteps("straight:length=6", steps=steps), steps).clip
    positions = clip.positions()[90:-90]
    hand, hips = (positions[:, clip.skeleton.index(role), 2] for role in ("right hand", "hips"))
    assert np.ptp(hand - hips) > 0.3


@pytest.mark.parametrize("speed", [0.1, 5.0])
def test_other_speeds_are_refused(speed):
    with pytest.raises(ParameterError, match=r"walk at 0\.5 to 1\.7 m/s"):
        kt.walking.sample_steps(speed)
