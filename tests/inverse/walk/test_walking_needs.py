"""Each lock and each correction is needed: left out, the error that it prevents is there."""

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.inverse.steps import step_weights
from kinetune.inverse.steps.foot_locks import follow
from kinetune.inverse.steps.step_extraction import LEAVES
from kinetune.inverse.steps.step_motion import Technique
from kinetune.inverse.steps.step_pools import arc_length
from kinetune.inverse.walk.footsteps import seen_from
from kinetune.inverse.walk.walker import Walker

STEPS = 10


def walker(**changes):
    steps = kt.walking.sample_steps()
    made = Walker(steps, technique=Technique(**changes))
    made.walk(kt.plan_footsteps("circle:r=2.5", count=STEPS, steps=steps, close=False), stop=False)
    return made


@pytest.fixture(scope="module")
def good():
    return walker()


def slide_mm(made):
    return kt.measure(made.clip)["foot_slide_mm"]


def test_an_ankle_lock_lets_the_foot_slide_at_heel_off(good):
    """The figure then turns about its ankle while the toes are on the floor: by some 54 mm in the prototype."""
    loose = walker(lock="ankle")
    assert slide_mm(good) < 1.0
    assert slide_mm(loose) > 40.0
    assert loose.report.worst["error_mm"] > 30.0


def test_without_a_lock_feet_drift(good):
    loose = walker(lock="none")
    assert good.report.worst["drift_mm"] < 0.001
    assert loose.report.worst["drift_mm"] > 4.0
    assert max(row.error_mm for row in loose.report.steps) > 4.0


def test_moving_the_figure_is_not_enough(good):
    """Locking the place but not the turn: the foot stands on its point, and the rest of it leaves the floor."""
    loose = walker(lock="place")
    assert abs(good.report.worst["height_mm"]) < 2.0
    assert loose.report.worst["height_mm"] > 20.0


def test_the_negated_end_is_not_the_start(good):
    """[huang] prints v_s = -v_e; without turning it with the foot, the foot behind is thought centimetres away."""
    printed = walker(turned_start=False)

    def off(made):
        found = []
        for step in made.made[2:]:
            behind = seen_from(step.stance.behind.place, step.stance.ahead.place)
            found.append(np.hypot(*(step.weights[0].place[:2] - behind[:2])))
        return max(found)

    assert off(good) < 1e-5
    assert off(printed) > 0.05


def test_a_hard_height_makes_places_unreachable():
    """Of 60 places that blends reach, all are met with a soft height, and a part of them with a hard one."""
    pool = kt.walking.sample_steps().pool("right")
    rng = np.random.default_rng(0)
    places = [step_weights._where(pool.chains[1], pool, rng.dirichlet(np.ones(len(pool))))[:3] for _ in range(60)]
    soft, hard = (
        [step_weights.solve_weights(pool, -1, place, 0.02, hard_height=height).reached for place in places]
        for height in (False, True)
    )
    assert all(soft)
    assert np.mean(hard) < 0.9


def test_without_easing_in_poses_jump(good):
    assert good.report.worst["jump_deg"] < 0.3
    assert walker(ease_s=0.0).report.worst["jump_deg"] > 1.0


def test_freedom_is_used_for_like_poses(good):
    """The mean distance of poses where steps meet, before easing in."""

    def gap(made):
        return np.mean([row.gap_deg for row in made.report.steps[2:]])

    assert gap(good) < gap(walker(similar_pose=False))


def dragged_mm(made):
    """How far the locked point of a foot that leaves is dragged before it does, in the mean over steps."""
    far = []
    for step in made.made[1:]:
        swings, motion = step.pool.swings, step.motion
        places, feet = follow(step.pool, swings, motion.root, motion.rotations)
        point = (places + rot.rotate(feet[:, 1], swings.lock))[motion.phases <= 0.5 * LEAVES]
        far.append(1e3 * np.linalg.norm(point - point[0], axis=1).max())
    return np.mean(far)


def test_swinging_feet_need_planting(good):
    """A blend alone lands a foot beside the floor, and drags it while both feet stand."""
    loose = walker(plant_swing=False)
    assert good.report.worst["height_mm"] < 1e-6
    assert loose.report.worst["height_mm"] > 0.1
    assert dragged_mm(loose) > 2.0 * dragged_mm(good)


def test_the_velocity_profile_is_that_of_the_main_example():
    """Root mean square of the difference in speed, of the mean speed; steps are not eased in here."""

    def off(made):
        found = []
        for step in made.made[1:]:
            best = int(np.argmax(step.ways[0] + step.ways[-1]))
            own = step.pool.times[best]
            share = np.linspace(0.0, 1.0, len(step.motion.root))
            gone = arc_length(step.motion.root, share)
            wanted = np.interp(share, own / own[-1], step.pool.hips_gone[best])
            found.append(np.sqrt(np.mean(np.gradient(gone - wanted, share) ** 2)))
        return np.mean(found)

    assert off(walker(ease_s=0.0)) < 0.006
    assert off(walker(ease_s=0.0, velocity=False)) > 0.02
