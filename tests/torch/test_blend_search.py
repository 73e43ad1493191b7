"""Inverse blending of many targets: what the library finds for each."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import kinetune as kt  # noqa: E402
from kinetune.errors import ParameterError  # noqa: E402
from kinetune.torch.blend_search import BlendChain, solve_points  # noqa: E402

HAND = "RightFingertips"


@pytest.fixture(scope="module")
def reaches():
    blend = kt.InverseBlend([kt.sample(f"reach-{number:02}") for number in range(1, 17)])
    return blend, BlendChain.of(blend, HAND)


def targets(reaches, count=60, seed=0):
    blend, chain = reaches
    rng = np.random.default_rng(seed)
    inside = chain.places(torch.tensor(rng.dirichlet(np.full(16, 0.5), count // 2)))
    places = blend.places(HAND)
    return torch.cat([inside, torch.tensor(rng.uniform(places.min(0), places.max(0), (count // 2, 3)))])


def test_the_search_reaches_what_the_library_reaches(reaches):
    blend, chain = reaches
    goals = targets(reaches)
    found, expected = solve_points(chain, goals), blend.solve_batch(kt.AtPoint(HAND, goals.numpy()))
    assert np.array_equal((found.distance_m < 1e-5).numpy(), expected.reachable)
    missed = ~expected.reachable
    assert np.allclose(1e3 * found.distance_m.numpy()[missed], expected.distance[missed], atol=1e-3)


def test_weights_make_a_blend_and_the_blend_meets_its_target(reaches):
    _, chain = reaches
    goals = targets(reaches)[:30]
    found = solve_points(chain, goals)
    assert (found.weights >= 0).all()
    assert torch.allclose(found.weights.sum(1), torch.ones(30, dtype=torch.float64))
    assert ((chain.places(found.weights) - goals).norm(dim=1) - found.distance_m).abs().max() < 1e-9


def test_slopes_are_those_of_differences(reaches):
    _, chain = reaches
    weights = torch.full((2, 16), 1 / 16, dtype=torch.float64)
    _, slopes = chain.evaluate(weights)
    step = torch.zeros(16, dtype=torch.float64)
    step[3], step[9] = 1e-6, -1e-6  # weights keep their sum
    apart = (chain.places(weights + step) - chain.places(weights - step)) / 2e-6
    assert torch.allclose(apart, slopes[:, :, 3] - slopes[:, :, 9], atol=1e-6)


def test_bad_targets_get_one_message(reaches):
    _, chain = reaches
    with pytest.raises(ParameterError, match="problems, 3"):
        solve_points(chain, torch.zeros(4, 2))
    with pytest.raises(ParameterError, match="not a number"):
        solve_points(chain, torch.full((1, 3), float("nan")))
