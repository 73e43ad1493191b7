import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import KinetuneError, ParameterError


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
