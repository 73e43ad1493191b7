import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import KinetuneError, ParameterError
from kinetune.operations.follow_footsteps import FollowFootsteps
from tests.operations import making


@pytest.mark.slow
def test_a_clip_walks_on_its_own_steps():
    walk = kt.sample("walk")
    holds = kt.plan_footsteps("straight", count=4, steps=kt.walking.StepSet.from_clips([walk]), close=False)
    result = kt.FollowFootsteps(footsteps=[hold.as_dict() for hold in holds], stop=False)(walk)
    toes = result.joint("right toes").positions[-1]
    assert np.allclose(toes[[0, 2]], [holds[-1].x, holds[-1].z], atol=1e-3)
    assert result.skeleton == walk.skeleton


@pytest.mark.slow
def test_the_embedded_steps_and_other_clips_serve_as_well():
    wave = kt.sample("wave")
    assert len(kt.FollowFootsteps(path="straight:length=2", steps="samples")(wave)) > 120
    step = kt.FollowFootsteps(path="straight:length=2", steps="others", others=["w"])
    assert step.inputs_needed() == ("w",)
    assert len(step(wave, w=kt.sample("walk"))) > 60


def test_nothing_to_walk_on_changes_nothing():
    walk = kt.sample("walk")
    assert kt.FollowFootsteps()(walk) is walk


def test_knobs_that_do_not_go_together_are_refused():
    hold = {"side": "left", "x": 0.1, "z": 0.6}
    with pytest.raises(ParameterError, match="not both"):
        kt.FollowFootsteps(footsteps=[hold], path="straight")
    with pytest.raises(ParameterError, match="others"):
        kt.FollowFootsteps(path="straight", steps="others")
    with pytest.raises(KinetuneError, match='no path "spiral"'):
        kt.FollowFootsteps(path="spiral")
    with pytest.raises(ParameterError, match="footsteps"):
        kt.FollowFootsteps(footsteps=[{**hold, "x": float("nan")}])
    with pytest.raises(KinetuneError, match="No step was found"):
        kt.FollowFootsteps(path="straight")(kt.sample("wave"))


@pytest.mark.slow
def test_strict_refuses_what_is_out_of_reach():
    holds = [{"side": "left", "x": 0.07, "z": 0.7}, {"side": "right", "x": -0.07, "z": 4.0}]
    with pytest.raises(ParameterError, match="out of reach"):
        kt.FollowFootsteps(footsteps=holds, steps="samples", strict=True)(kt.sample("walk"))


@pytest.mark.slow
def test_a_character_below_a_root_that_stands_still_walks_as_well():
    """Its hips turn with the way it faces, which is no part of a pose: steps in two directions were mixed."""
    walk = kt.sample("walk")
    other = making.turned(walk, 2.5)
    step = FollowFootsteps(path="straight:length=2", others=("other",))
    plain = step(walk, other=other)
    below = step(making.below_still_root(walk), other=making.below_still_root(other, offset=(0.2, 0.0, 0.0)))
    assert np.allclose(below.positions()[:, 1:], plain.positions(), atol=1e-6)
    assert not below.root.any()
