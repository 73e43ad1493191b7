"""What makes a step, beside plain computations of the same."""

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.inverse.steps.foot_locks import follow, level_turn, lock_support, plant_swing
from kinetune.inverse.steps.step_blend import StepBlend, weights_between
from kinetune.inverse.steps.step_extraction import GRID, LEAVES, PHASES
from kinetune.inverse.steps.step_motion import ease_in


@pytest.fixture(scope="module")
def pool():
    return kt.walking.sample_steps().pool("right")


@pytest.fixture(scope="module")
def blend(pool):
    rng = np.random.default_rng(0)
    return StepBlend(pool, weights_between(*rng.dirichlet(np.ones(len(pool)), 2)), np.linspace(0.0, 1.0, 40))


def hung_up(pool, blend):
    """A blended step that hangs on the foot that stands, as a clip."""
    rotations, carrier, _ = blend.pose()
    root, rotations[:, 0] = lock_support(pool, rotations, level_turn(pool, carrier), 0.3, np.array([1.0, 0.1, 2.0]))
    return kt.Clip(pool.skeleton, 60.0, root, rotations)


@pytest.mark.slow
def test_a_blend_is_the_weighted_mean_of_what_is_read_between_the_samples(pool, blend):
    at = blend.part[:, None]
    mixed = np.zeros((40, 3))
    for number, example in enumerate(blend.used):
        path = pool.root_paths[example]
        mixed += blend.weights[:, number, None] * ((1.0 - at) * path[blend.node] + at * path[blend.node + 1])
    assert np.allclose(blend.values(pool.root_paths), mixed, atol=1e-12)
    assert np.allclose(np.linalg.norm(blend.pose()[0], axis=-1), 1.0, atol=1e-12)


@pytest.mark.slow
def test_the_locked_point_of_the_standing_foot_does_not_move(pool, blend):
    clip = hung_up(pool, blend)
    locked = pool.stands.locked(clip.positions(), clip.world_rotations())
    assert np.allclose(locked, [1.0, 0.1, 2.0], atol=1e-12)
    assert np.allclose(pool.stands.heading(clip.world_rotations()[:, pool.stands.carrier]), 0.3, atol=1e-12)


def test_a_foot_is_followed_to_where_it_is_in_the_clip(pool, blend):
    clip = hung_up(pool, blend)
    for frame in (pool.stands, pool.swings):
        positions, feet = follow(pool, frame, clip.root, clip.rotations)
        assert np.allclose(positions, clip.positions()[:, frame.carrier], atol=1e-12)
        worlds = clip.world_rotations()[:, [frame.ankle, frame.carrier]]
        assert rot.angle_between(feet, worlds).max() < 1e-7


@pytest.mark.slow
def test_rotations_ease_in_as_their_formula_says(pool):
    """The difference follows a cubic from its value and slope at the first frame to nothing."""
    rotations = pool.rotations[0, :20, 1:4]
    last, before = pool.rotations[1, 3, 1:4], pool.rotations[1, 2, 1:4]
    gap = rot.log(rot.multiply(rot.inverse(rotations[0]), last))
    own = rot.log(rot.multiply(rot.inverse(rotations[0]), rotations[1]))
    slope = 12 * (rot.log(rot.multiply(rot.inverse(before), last)) - own)
    u = (np.arange(12) / 12)[:, None, None]
    offset = (1.0 + 2.0 * u) * (1.0 - u) ** 2 * gap + u * (1.0 - u) ** 2 * slope
    eased = ease_in(rotations, last, before, 12)
    assert np.allclose(eased[:12], rot.multiply(rotations[:12], rot.exp(offset)), atol=1e-12)
    assert np.array_equal(eased[12:], rotations[12:])


@pytest.mark.slow
def test_a_planted_foot_rolls_off_as_it_is_told_to(pool, blend):
    """Before it leaves, its locked point and the rotations of ankle and toes are those of the track."""
    clip = hung_up(pool, blend)
    positions, feet = follow(pool, pool.swings, clip.root, clip.rotations)
    lock = positions + rot.rotate(feet[:, 1], pool.swings.lock)
    held = np.broadcast_to(lock[0] + [0.0, 0.0, 0.01], lock.shape).copy()
    after = blend.swing(pool.landing, np.eye(len(pool))[0])
    planted = plant_swing(pool, clip.root, clip.rotations, blend_phases(), (held, feet[:1].repeat(40, axis=0)), after)
    there, turned = follow(pool, pool.swings, clip.root, planted)
    early = blend_phases() <= LEAVES
    assert rot.angle_between(turned[early], feet[:1]).max() < 1e-7
    reached = there + rot.rotate(turned[:, 1], pool.swings.lock)
    assert np.linalg.norm(reached[early] - held[early], axis=1).max() < 2e-3


def blend_phases():
    return np.linspace(0.0, 1.0, 40)


def test_weights_are_held_while_both_feet_stand():
    ways = weights_between(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    assert ways.shape == (GRID, 2)
    assert np.all(ways[PHASES <= LEAVES] == [1.0, 0.0])
    assert np.allclose(ways.sum(axis=1), 1.0)
