import numpy as np
import pytest

import kinetune as kt
from kinetune.inverse.blend.chain_pose_kernels import make_effectors
from kinetune.inverse.blend.constraint_layout import QUATERNION, EffectorChains
from kinetune.inverse.steps import step_weight_kernels, step_weights
from kinetune.inverse.steps.step_weights import REACHED_M, solve_weights


@pytest.fixture(scope="module")
def pool():
    return kt.walking.sample_steps().pool("right")


def random_place(pool, rng):
    """A place that some blend reaches: of weights drawn at random."""
    return step_weights._where(pool.chains[1], pool, rng.dirichlet(np.ones(len(pool))))[:3]


def foot_residual(pool, target, weights):
    """The compiled residual (x, z, heading, height) and its slopes (4, n)."""
    chain, n = pool.chains[1], len(pool)
    links = len(chain.rotations)
    base, starts = chain.base.reshape(1, 3, n), np.array([0, links])
    chains = EffectorChains(QUATERNION, chain.rotations, np.empty((0, 4)), chain.offsets, base, starts)
    problem = step_weight_kernels.FootProblem(
        chains, pool.swings.ahead, target, np.ones(3), np.zeros((0, n)), np.zeros(0)
    )
    residual, slopes = np.empty(4), np.empty((4, n))
    effectors = make_effectors.py_func(chains)
    step_weight_kernels.foot_residual(weights, problem, 4, effectors, residual, slopes)
    return residual, slopes


@pytest.mark.slow
def test_the_residual_is_what_is_missing(pool):
    """A second computation: the chain walked joint by joint."""
    rng = np.random.default_rng(6)
    weights, target = rng.dirichlet(np.ones(len(pool))), rng.normal(0.0, 0.1, 4)
    expected = step_weights._where(pool.chains[1], pool, weights) - target
    assert np.allclose(foot_residual(pool, target, weights)[0], expected, atol=1e-12)


def test_the_derivative_is_the_derivative(pool):
    rng = np.random.default_rng(1)
    weights, change = rng.dirichlet(np.ones(len(pool))), rng.normal(size=len(pool))
    target = np.zeros(4)
    _, slopes = foot_residual(pool, target, weights)
    ahead, behind = (foot_residual(pool, target, weights + step * change)[0] for step in (1e-6, -1e-6))
    # the blend is of degree 0 in the weights but for its base, so that any change will do
    assert np.allclose((ahead - behind) / 2e-6, slopes @ change, atol=1e-7)


def test_every_place_that_a_blend_reaches_is_reached(pool):
    rng = np.random.default_rng(2)
    for _ in range(60):
        found = solve_weights(pool, -1, random_place(pool, rng), pool.swings.height)
        assert found.reached
        assert found.values.min() >= 0.0
        assert np.isclose(found.values.sum(), 1.0)


def test_an_example_is_found_again(pool):
    found = solve_weights(pool, -1, pool.ends[0], pool.swings.height)
    assert found.missing_m <= REACHED_M
    assert np.allclose(found.place[:3], pool.ends[0], atol=1e-6)


def test_a_place_out_of_reach_is_approached(pool):
    found = solve_weights(pool, -1, np.array([-0.16, 1.4, 0.0]), pool.swings.height)
    assert not found.reached
    assert 0.5 < found.missing_m < 1.0
    assert found.place[1] > 0.55


def test_soft_heights_are_near_the_floor(pool):
    """By blending alone; the leg that lands makes up for the rest."""
    rng = np.random.default_rng(3)
    off = [solve_weights(pool, -1, random_place(pool, rng), 0.02).place[3] - 0.02 for _ in range(40)]
    assert np.median(np.abs(off)) < 0.002
    assert np.abs(off).max() < 0.006


def test_likeness_is_the_distance_of_poses(pool):
    rng = np.random.default_rng(4)
    weights = rng.dirichlet(np.ones(len(pool)))
    aim = pool.features(pool.rotations[:1, -1], pool.root_paths[:1, -1])[0]
    rows, aims = pool.likeness(np.arange(len(pool)), aim)
    poses = pool.features(pool.rotations[:, 0], pool.root_paths[:, 0])
    other = rng.dirichlet(np.ones(len(pool)))
    difference = [np.sum((rows @ w - aims) ** 2) - np.sum((w @ poses - aim) ** 2) for w in (weights, other)]
    assert np.isclose(*difference)
