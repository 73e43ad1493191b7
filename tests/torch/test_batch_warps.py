"""Time warps of many pairs: the paths and costs of ``kt.time_warp``, and soft ones with gradients."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import kinetune as kt  # noqa: E402
from kinetune.errors import ParameterError  # noqa: E402


def pairs(count=4, frames=(40, 33), channels=5, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(count, n, channels, generator=generator, dtype=torch.float64).cumsum(1) for n in frames)


def test_paths_and_costs_are_those_of_the_library():
    a, b = pairs()
    costs, paths = kt.torch.warp_costs(a, b), kt.torch.warp_paths(a, b)
    for k in range(len(a)):
        expected = kt.time_warp(a[k].numpy(), b[k].numpy())
        assert np.isclose(float(costs[k]), expected.cost)
        assert np.array_equal(paths[k].numpy(), expected.path)


def test_padding_is_no_part_of_a_warp():
    a, b = pairs()
    lengths_a, lengths_b = torch.tensor([40, 25, 31, 8]), torch.tensor([33, 33, 10, 21])
    paths = kt.torch.warp_paths(a, b, lengths_a, lengths_b)
    costs = kt.torch.warp_costs(a, b, lengths_a, lengths_b)
    for k, (n, m) in enumerate(zip(lengths_a.tolist(), lengths_b.tolist(), strict=True)):
        expected = kt.time_warp(a[k, :n].numpy(), b[k, :m].numpy())
        assert np.array_equal(paths[k].numpy(), expected.path)
        assert np.isclose(float(costs[k]), expected.cost)


def best_by_squares(a, b):
    costs = torch.cdist(a, b) ** 2
    table = torch.full((a.shape[0] + 1, b.shape[0] + 1), torch.inf, dtype=a.dtype)
    table[0, 0] = 0.0
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            table[i + 1, j + 1] = costs[i, j] + min(table[i, j], table[i, j + 1], table[i + 1, j])
    return float(table[-1, -1])


def test_a_hard_soft_warp_is_the_best_path():
    a, b = pairs(2, (12, 9), 3)
    soft = kt.torch.soft_warp(a, b, gamma=1e-4)
    assert np.allclose(soft.numpy(), [best_by_squares(a[k], b[k]) for k in range(2)], atol=1e-2)


def test_soft_warps_have_gradients_also_of_padded_pairs():
    a, b = (each.requires_grad_() for each in pairs(2, (6, 5), 2))
    lengths = torch.tensor([6, 4]), torch.tensor([3, 5])
    assert torch.autograd.gradcheck(lambda x, y: kt.torch.soft_warp(x, y, 0.5, *lengths), (a, b))


def test_a_softer_minimum_is_lower():
    a, b = pairs(3, (10, 11), 2)
    assert (kt.torch.soft_warp(a, b, 5.0) < kt.torch.soft_warp(a, b, 0.5)).all()


def test_pairs_that_do_not_fit_are_refused():
    a, b = pairs()
    with pytest.raises(ParameterError, match="same pairs and channels"):
        kt.torch.warp_costs(a, b[:2])
    with pytest.raises(ParameterError, match="positive"):
        kt.torch.soft_warp(a, b, 0.0)
