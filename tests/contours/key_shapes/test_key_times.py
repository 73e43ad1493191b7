import itertools

import numpy as np
import pytest

from kinetune.contours.key_shapes.bezier_films import BezierFilm, bernstein
from kinetune.contours.key_shapes.key_times import Keys, choose_keys, keyed_values


def lines(positions):
    """A short line at positions (frames,) as a film."""
    cubics = np.asarray(positions)[:, None, None] + np.array([0, 0, 1j, 1j])
    return BezierFilm(cubics, cubics[:, 0, [0, 3]], np.array([0, 1]), False, np.ones(len(cubics), dtype=bool))


def shown(keys, shapes, frames):
    return keys.weights(np.arange(frames, dtype=float)) @ shapes.reshape(len(keys), -1)


def test_an_eased_move_takes_two_keys():
    s = np.linspace(0, 1, 25)
    film = lines(50 * s * s * (3 - 2 * s))
    keys, (shapes,) = choose_keys([film], 0.01)
    assert keys.frames.tolist() == [0, 24]
    assert keys.eases[0] == pytest.approx([0, 1], abs=2e-2)
    assert np.abs(shown(keys, shapes, 25) - film.cubics.reshape(25, -1)).max() < 0.05


def test_keys_stay_within_the_bound():
    film = lines(30 * np.exp(1j * np.linspace(0, 4, 40)))
    keys, (shapes,) = choose_keys([film], 0.3)
    assert np.abs(shown(keys, shapes, 40) - film.cubics.reshape(40, -1)).max() <= 0.3 / 0.7
    assert len(keys) < 15


def test_no_fewer_frames_would_do():
    from kinetune.contours.key_shapes import key_time_kernels as kernels

    dice = np.random.default_rng(5)
    q = np.cumsum(dice.normal(size=(7, 1)) + 1j * dice.normal(size=(7, 1)), axis=0)
    bound, none = 0.8, np.zeros(7, dtype=bool)

    def fits(i, j):  # by the best ease on a fine grid of heights
        heights = np.linspace(0, 1, 21)
        s = np.arange(1, j - i) / (j - i)
        if not len(s):
            return True
        basis = bernstein(s)
        return any(
            np.abs(q[i, 0] + (basis @ [0, y, z, 1]) * (q[j, 0] - q[i, 0]) - q[i + 1 : j, 0]).max() <= bound / 0.7
            for y, z in itertools.product(heights, heights)
        )

    fewest = min(
        len(inner)
        for count in range(6)
        for inner in itertools.combinations(range(1, 6), count)
        if all(fits(i, j) for i, j in itertools.pairwise((0, *inner, 6)))
    )
    flat = np.concatenate([q.real, q.imag], axis=1)
    before, _ = kernels.cheapest_keys(q, np.zeros_like(q), flat @ flat.T, none, bound)
    inner, at = 0, int(before[6])
    while at:
        inner, at = inner + 1, int(before[at])
    assert inner - fewest in (0, 1)  # eases are those of least squares, not of the least greatest error


def test_frames_on_twos_are_held():
    keys, _ = choose_keys([lines(np.repeat([0, 9, 2 + 8j, 30, 5j], 2))], 0.05)
    assert keys.frames.tolist() == [0, 2, 4, 6, 8, 9]
    assert np.isnan(keys.eases[:4]).all()
    half = keys.weights(np.array([1.5]))
    assert half[0].tolist() == [1, 0, 0, 0, 0, 0]


def test_a_pause_is_no_hold():
    keys, _ = choose_keys([lines(np.concatenate([np.zeros(10), np.linspace(0, 50, 11)]))], 0.05)
    assert keys.frames.tolist() == [0, 10, 20]
    assert not np.isnan(keys.eases).any()


def test_weights_are_those_of_the_ease():
    keys = Keys(np.array([2, 6]), np.array([[0.0, 1.0]]))
    weights = keys.weights(np.array([0.0, 2.0, 4.0, 6.0, 9.0]))
    assert weights[:, 1] == pytest.approx([0, 0, 0.5, 1, 1])
    assert weights.sum(axis=1) == pytest.approx(np.ones(5))


def test_values_keep_their_steps_and_slopes():
    values = np.array([0, 0, 0, 1, 2, 3, 3, 3, 0.0])[:, None]
    keyed = keyed_values(values, 0.01, 4)
    shown = keyed.keys.weights(4.0 + np.arange(9)) @ keyed.values
    assert np.abs(shown - values).max() <= 0.01
    assert len(keyed.keys) == 3  # before the first its value holds, and the second is held
    assert keyed_values(np.ones((5, 3)), 0.01, 0).keys.frames.tolist() == [0]


def test_values_that_hardly_change_at_first_and_last_need_no_keys_there():
    """A fade that starts and ends gently needs two keys: where it is within the bound of its end, it has arrived."""
    s = np.linspace(0, 1, 13)
    fade = np.concatenate([np.zeros(4), s**3 * (10 - 15 * s + 6 * s * s), np.ones(4)])[:, None]
    keyed = keyed_values(fade, 0.02, 0)
    assert len(keyed.keys) == 2
    assert np.abs(keyed.at(np.arange(21.0)) - fade).max() <= 0.02
    drift = np.linspace(0, 0.03, 9)[:, None]  # both ends are within the bound of one frame in the middle
    assert np.abs(keyed_values(drift, 0.02, 0).at(np.arange(9.0)) - drift).max() <= 0.02
