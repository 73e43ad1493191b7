import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.signals.denoising.excursions import bridge, find_dropouts, find_excursions


def swing(fps=60.0, frames=180):
    t = np.arange(frames) / fps
    vectors = np.stack([0.5 * np.sin(2 * np.pi * t), 0.2 * np.cos(3 * t), 0.0 * t], axis=1)[:, None]
    return np.repeat(vectors, 3, axis=1)


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("kind", ["rotations", "vectors"])
def test_a_short_excursion_is_found_where_it_is(kind, length):
    x = swing() + 0.002 * np.random.default_rng(0).normal(size=swing().shape)
    x[70 : 70 + length, 1] += [0.3, 0.0, 0.0]
    found = find_excursions(rot.exp(x) if kind == "rotations" else x, 60.0, 0.026)
    assert sorted(map(tuple, np.argwhere(found).tolist())) == [(70 + k, 1) for k in range(length)]


def test_the_sign_of_a_quaternion_is_no_excursion():
    q = rot.exp(swing())
    q[50:52] *= -1.0
    assert not find_excursions(q, 60.0, 0.026).any()


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_a_strike_and_its_return_are_motion(fps):
    """Out and back within a quarter of a second, as fast as any person."""
    t = np.arange(int(3 * fps)) / fps
    x = np.zeros((len(t), 1, 3))
    x[:, 0, 0] = 1.8 * np.exp(-0.5 * ((t - 1.5) / 0.06) ** 2) + 0.1 * np.sin(t)
    assert not find_excursions(rot.exp(x), fps, 0.026).any()


def test_a_limb_may_move_on_while_a_spike_lasts_at_30_frames_a_second():
    """In three frames of 1/30 s it has swung by 22 degrees, and the spike of 35 degrees across is no less a spike."""
    t = np.arange(90) / 30.0
    x = np.zeros((90, 1, 3))
    x[:, 0, 0] = 0.8 * np.sin(2.0 * np.pi * np.where(t > 1.4, np.minimum(t - 1.4, 0.5), 0.0))
    x[45:48, 0, 1] += np.deg2rad(35.0)
    found = find_excursions(rot.exp(x), 30.0, 0.026)
    assert np.flatnonzero(found[:, 0]).tolist() == [45, 46, 47]


def test_steps_of_a_grid_are_no_excursions():
    """Values between two steps of 1.5 degrees hop over for some frames, and back."""
    step, t = np.deg2rad(1.5), np.arange(480) / 120.0
    hops = 0.4 * step + 0.15 * step * (np.sin(2.0 * np.pi * 2.0 * t) > 0.97)
    x = np.zeros((480, 3, 3))
    x[:, :, 0] = step * np.round(np.stack([np.roll(hops, shift) for shift in (0, 13, 29)], axis=1) / step)
    assert len(np.unique(x)) == 2
    assert not find_excursions(rot.exp(x), 120.0, 0.026).any()
    x[70:73, 1] += [0.3, 0.0, 0.0]
    assert find_excursions(rot.exp(x), 120.0, 0.026)[70:73, 1].all()


def test_a_dropout_is_found_and_a_hold_is_not():
    q = rot.exp(swing(frames=400))
    q[100:104, 0] = q[99, 0]
    q[200:260, 1] = q[199, 1]
    found = find_dropouts(q, 60.0)
    assert found[100:104, 0].all()
    assert found.sum() == 4


def test_bridges_lie_between_good_samples():
    x = swing()
    gone = np.zeros(x.shape[:2], dtype=bool)
    gone[[0, 1, 50, 51, 179], 2] = True
    whole = bridge(np.where(gone[..., None], 9.0, x), gone)
    assert np.array_equal(whole[~gone], x[~gone])
    assert np.allclose(whole[0, 2], x[2, 2])
    assert np.allclose(whole[50, 2], x[49, 2] + (x[52, 2] - x[49, 2]) / 3)
