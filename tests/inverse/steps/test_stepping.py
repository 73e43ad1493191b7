import numpy as np
import pytest

import kinetune as kt
from kinetune.inverse.steps import stepping
from kinetune.inverse.steps.stepping import REACHED_M, blend_legs, solve_weights


@pytest.fixture(scope="module")
def pool():
    return kt.sample_steps().pool("right")


def random_place(pool, rng):
    """A place that some blend reaches: of weights drawn at random."""
    return stepping._where(pool.chains[1], pool, rng.dirichlet(np.ones(len(pool))))[:3]


def test_the_derivative_is_the_derivative(pool):
    rng = np.random.default_rng(1)
    weights, change = rng.dirichlet(np.ones(len(pool))), rng.normal(size=len(pool))
    _, _, moves, _ = blend_legs(pool.chains[1], weights)
    ahead, behind = (blend_legs(pool.chains[1], weights + step * change)[0] for step in (1e-6, -1e-6))
    # the blend is of degree 0 in the weights but for its base, so that any change will do
    assert np.allclose((ahead - behind) / 2e-6, moves @ change, atol=1e-7)


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


def test_both_bodies_agree(pool, monkeypatch):
    rng = np.random.default_rng(5)
    like = (pool.rotations[1, -1], pool.root_paths[1, -1])
    for _ in range(4):
        place = random_place(pool, rng)
        answers = []
        for mode in ("always", "never"):
            monkeypatch.setenv("KINETUNE_COMPILED", mode)
            answers.append(solve_weights(pool, -1, place, 0.02, like=like).values)
        assert np.allclose(*answers, atol=1e-9)
