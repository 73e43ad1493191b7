import numpy as np
import pytest

from kinetune.contours.key_shapes.bezier_films import bernstein, fit_curve
from tests.contours.moving import CIRCLE, SQUARE


def distances(points, line):
    """From points to a polyline, by comparing everything with everything."""
    a, d = line[:-1], np.diff(line)
    along = ((points[:, None] - a) * np.conj(d)).real / np.maximum(np.abs(d) ** 2, 1e-30)
    return np.abs(points[:, None] - a - np.clip(along, 0, 1) * d).min(axis=1)


def off(film):
    """How far the curve lies from the path, and the path from the curve."""
    paths = (film.cubics @ bernstein(np.linspace(0, 1, 65)).T).reshape(len(film.cubics), -1)
    both = [(line, path) for pair in zip(film.samples, paths, strict=True) for line, path in (pair, pair[::-1])]
    return max(distances(points, line).max() for points, line in both)


def test_a_cubic_is_recovered():
    ends = np.array([[0, 1 + 3j, 4 - 1j, 6 + 1j], [0, 2 + 3j, 4 - 2j, 7]])
    t = np.linspace(0, 1, 60)
    film = fit_curve(10 * ends @ bernstein(t).T, False, 0.5, 100.0)
    assert film.cubics.shape == (2, 1, 4)
    assert off(film) < 0.2


def test_a_moving_circle_takes_a_few_segments_within_the_bound():
    points = 50 + np.arange(5)[:, None] + (20 + np.arange(5)[:, None]) * CIRCLE
    film = fit_curve(points, True, 0.05, 100.0)
    assert film.cubics.shape[1] <= 6
    assert off(film) < 0.08  # the circle itself is a polygon


def test_corners_stay_corners():
    film = fit_curve(50 + 20 * np.exp(1j * np.linspace(0, 1, 6))[:, None] * SQUARE, True, 0.05, 100.0)
    assert film.cubics.shape[1] == 4
    assert off(film) < 1e-9
    assert np.all(film.cubics[..., 1] == film.cubics[..., 0])  # straight segments have no handles


def test_a_corner_of_one_frame_is_a_vertex_of_all():
    straight = np.linspace(0, 60, 31) + 0j
    bent = np.where(straight.real <= 30, straight, 30 + 1j * (straight.real - 30))
    film = fit_curve(np.stack([straight, bent]), False, 0.05, 100.0)
    assert np.abs(film.cubics[:, 0, 3] - 30).max() < 1e-9
    assert film.cubics.shape == (2, 2, 4)


def test_smooth_joints_have_one_direction():
    film = fit_curve((50 + 30 * CIRCLE + 3 * CIRCLE**-2)[None], True, 0.02, 100.0)
    back, out = film.cubics[0, :, 3] - film.cubics[0, :, 2], np.roll(film.cubics[0, :, 1] - film.cubics[0, :, 0], -1)
    turns = np.abs(np.angle(out[:-1] / back[:-1]))
    assert film.cubics.shape[1] > 4
    assert turns.max() < np.radians(1)


def test_handles_are_those_of_least_squares():
    from kinetune.contours.key_shapes import bezier_fit_kernels as kernels

    z = (np.linspace(0, 1, 25) + 1j * np.sin(np.linspace(0, 2, 25)))[None].astype(complex)
    cubic = kernels.fit_segments(z, np.array([0, 24]))[0, 0]
    t = np.linspace(0, 1, 401)
    path = bernstein(t) @ cubic
    nearest = t[np.abs(path[:, None] - z[0]).argmin(axis=0)]
    basis = bernstein(nearest)
    weights = np.sqrt(np.gradient(nearest))[:, None]
    known = basis[:, [0, 3]] @ cubic[[0, 3]]
    inner = np.linalg.lstsq(weights * basis[:, 1:3], weights[:, 0] * (z[0] - known), rcond=None)[0]
    assert np.abs(path - bernstein(t) @ [cubic[0], *inner, cubic[3]]).max() < 3e-3


@pytest.mark.parametrize("count", [2, 3])
def test_tiny_curves_are_fitted(count):
    film = fit_curve(np.arange(count)[None] * (1 + 1j), False, 0.05, 100.0)
    assert off(film) < 1e-6


def test_the_distance_from_a_polyline_is_that_of_its_nearest_edge():
    from kinetune.contours.key_shapes import bezier_fit_kernels as kernels

    dice = np.random.default_rng(3)
    samples, lines = (dice.normal(size=(2, n)) + 1j * dice.normal(size=(2, n)) for n in (20, 9))

    expected = max(distances(row, line).max() for row, line in zip(samples, lines, strict=True))
    assert kernels.farthest(samples, lines) == pytest.approx(expected)
