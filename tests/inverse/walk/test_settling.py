"""Walks that are settled: no lurch, and footsteps just out of reach are met."""

import numpy as np
import pytest

import kinetune as kt
from kinetune.body.feet.planting import pelvis_acceleration
from kinetune.body.root_motion import facing
from kinetune.inverse.steps.step_motion import Technique
from kinetune.inverse.walk.walker import Walker, walk_on
from kinetune.signals.filters import gaussian


def sway(clip):
    """Speeds of the hips to the side and ahead, (frames - 1,) m/s each."""
    hips = clip.positions()[:, clip.skeleton.index("hips")]
    x, _, z = (np.diff(hips, axis=0) * clip.fps).T
    heading = facing(clip)[:-1]
    return x * np.cos(heading) - z * np.sin(heading), x * np.sin(heading) + z * np.cos(heading)


def accelerations(clip):
    hips = clip.positions()[:, clip.skeleton.index("hips")]
    return np.linalg.norm(np.diff(hips, 2, axis=0), axis=1) * clip.fps**2


@pytest.mark.parametrize("path", ["slalom", "circle:r=2"])
def test_walks_from_captured_steps_do_not_lurch(shared_data, path):
    """Captured steps differ; the chain of them swayed by 0.9 m/s and went back by 1 m/s, at 16 m/s^2."""
    files = sorted((shared_data / "accad").glob("Male1_B*Walk*.bvh"))
    steps = kt.walking.StepSet.from_clips([kt.read(file) for file in files])
    walk = walk_on(kt.plan_footsteps(path, steps=steps), steps)
    side, ahead = sway(walk.clip)
    assert np.abs(side).max() < 0.5
    assert ahead.min() > 0.0
    assert np.percentile(accelerations(walk.clip), 99.0) < 8.0
    assert all(row.reached for row in walk.report.steps)
    assert walk.report.worst["error_mm"] < 0.01


@pytest.mark.parametrize("name", ["16", "69", "83"])
def test_straight_walks_from_captured_steps_stay_on_their_line(shared_data, name):
    """One that sets out along the mean of steps in all directions began aslant: the pelvis at 1 m/s off the line."""
    files = sorted((shared_data / "cmu").glob(f"{name}_*.bvh"))
    steps = kt.walking.StepSet.from_clips([kt.read(file) for file in files])
    walk = walk_on(kt.plan_footsteps("straight:length=4", steps=steps), steps)
    hips = gaussian(walk.clip.positions()[:, walk.clip.skeleton.index("hips")], walk.clip.fps, 0.02)
    assert np.percentile(np.abs(np.diff(hips[:, 0])) * walk.clip.fps, 99.0) < 0.35
    assert np.abs(hips[:, 0]).max() < 0.1
    assert np.percentile(np.linalg.norm(pelvis_acceleration(walk.clip), axis=1), 99.0) < 8.0


def straight_steps():
    return kt.walking.StepSet.from_clips([kt.sample("walk")])


@pytest.mark.slow
def test_footsteps_just_out_of_reach_are_met():
    """Steps of a straight walk do not turn; legs do."""
    footsteps = kt.plan_footsteps("circle:r=15,turns=0.06", length=straight_steps().natural[1], width=0.2, close=False)
    walker = Walker(straight_steps())
    walker.walk(footsteps, stop=False)
    missed = [row for row in walker.report.steps if row.missed]
    assert missed
    walk = walker.finished()
    assert not any(row.missed for row in walk.report.steps)
    for placed in walk.placements:
        assert np.hypot(placed.footstep.x - placed.target.x, placed.footstep.z - placed.target.z) < 1e-4
    assert any("make up for it" in note for note in walk.report.notes)
    assert kt.measure(walk.clip)["foot_slide_mm"] < 3.0


def test_what_is_far_out_of_reach_stays_missed():
    steps = straight_steps()
    start = kt.plan_footsteps("straight", count=3, steps=steps, close=False)
    aside = kt.Footstep("right", start[-1].x + 0.7, start[-1].z + 0.1, 80.0)
    walk = walk_on([*start, aside], steps, stop=False)
    assert walk.report.steps[-1].missed
    assert "out of reach" in walk.report.notes[-1]


def test_a_calm_walk_within_reach_is_left_as_it_is():
    steps = straight_steps()
    walker = Walker(steps)
    walker.walk(kt.plan_footsteps("straight", count=6, steps=steps, close=False), stop=False)
    usual = np.linalg.norm(pelvis_acceleration(walker.clip), axis=1).max()
    steps.pelvis_acceleration = 2.0 * float(usual)
    assert walker.finished().clip.same_motion(walker.clip, 0.0)


@pytest.mark.slow
def test_settling_can_be_left_out():
    steps = straight_steps()
    walker = Walker(steps, technique=Technique(settle=False))
    walker.walk(kt.plan_footsteps("circle:r=4,turns=0.2", length=steps.natural[1], close=False), stop=False)
    assert walker.finished().clip.same_motion(walker.clip, 0.0)
