"""The compiled loops of the renderer against short and slow ones."""

import numpy as np
import pytest

from kinetune.figures.rendering import render_kernels as kernels
from kinetune.figures.rendering.camera import Lens

RNG = np.random.default_rng(5)


def test_skinned_points_are_weighted_sums_of_transformed_points():
    rest, normals = RNG.normal(size=(20, 3)), RNG.normal(size=(20, 3))
    bones, weights = RNG.integers(0, 5, (20, 4)).astype(np.int32), RNG.dirichlet(np.ones(4), 20)
    matrices = RNG.normal(size=(5, 3, 4))
    points, turned = np.empty_like(rest), np.empty_like(rest)
    kernels.skin(rest, normals, bones, weights, matrices, points, turned)
    padded = np.concatenate([rest, np.ones((20, 1))], axis=1)
    expected = np.einsum("vk,vkij,vj->vi", weights, matrices[bones], padded)
    assert np.allclose(points, expected)
    assert np.allclose(turned, np.einsum("vk,vkij,vj->vi", weights, matrices[bones, :, :3], normals))


def test_every_sample_shows_the_nearest_triangle():
    screen = np.concatenate([RNG.uniform(-4, 16, (30, 2)), RNG.uniform(0.1, 1.0, (30, 1))], axis=1)
    triangles = np.arange(30).reshape(10, 3)
    nearness, owner = np.zeros((12, 14, 4), np.float32), np.full((12, 14, 4), -1, np.int32)
    left, top, right, bottom = kernels.rasterize(screen, triangles, False, nearness, owner)
    x = np.arange(14)[None, :, None] + np.array(kernels._SAMPLE_X)
    y = np.arange(12)[:, None, None] + np.array(kernels._SAMPLE_Y)
    best, expected = np.zeros((12, 14, 4)), np.full((12, 14, 4), -1)
    for number, (a, b, c) in enumerate(screen[triangles]):
        solve = np.linalg.inv(np.array([[b[0] - a[0], c[0] - a[0]], [b[1] - a[1], c[1] - a[1]]]))
        u = solve[0, 0] * (x - a[0]) + solve[0, 1] * (y - a[1])
        v = solve[1, 0] * (x - a[0]) + solve[1, 1] * (y - a[1])
        near = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2])
        wins = (u >= 0) & (v >= 0) & (u + v <= 1) & (near > best)
        best, expected = np.where(wins, near, best), np.where(wins, number, expected)
    assert (owner == expected).mean() > 0.999
    drawn = np.argwhere((owner >= 0).any(axis=-1))
    assert (drawn >= [top, left]).all()
    assert (drawn <= [bottom, right]).all()
    kernels.clear_samples((left, top, right, bottom), nearness, owner)
    assert not nearness.any()
    assert (owner == -1).all()


def test_points_are_seen_where_a_pinhole_puts_them():
    lens = Lens(np.array([0.0, 1.0, 5.0]), *(np.eye(3)[k] for k in (0, 1)), -np.eye(3)[2], 100.0, 40.0, 30.0)
    points = np.array([[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 0.0], [0.0, 1.0, 6.0]])
    screen = np.empty_like(points)
    kernels.project(points, lens, screen)
    assert screen[:3].tolist() == [[40.0, 30.0, 0.2], [60.0, 30.0, 0.2], [40.0, 10.0, 0.2]]
    assert screen[3, 2] == 0.0


@pytest.mark.parametrize("spread", [0.01, 0.3, 1.0, 7.3])
def test_lines_cover_their_share_whatever_is_averaged(spread):
    from numba import njit

    lines = kernels._lines

    @njit
    def covered(places, spread):
        return np.array([lines(u, 0.25, spread) for u in places])

    places = np.linspace(-3, 3, 6000, endpoint=False)
    share = covered(places, spread)
    assert share.mean() == pytest.approx(0.25, abs=1e-3)
    assert share.min() >= -1e-12
    assert share.max() <= 1 + 1e-12
