import numpy as np
import pytest
from tools.samples import balance
from tools.samples.figure import centre_of_mass
from tools.samples.standing import stand

from kinetune.errors import ParameterError


def standing(shift=None, frames=240):
    times = np.arange(frames) / 60
    acting = stand(times, 60.0, 3)
    if shift is not None:
        acting.hips = acting.hips + shift(times)
    return acting


def test_a_still_body_presses_where_its_weight_is():
    clip = standing().clip()
    points, weight, height = balance.pressure_points(clip)
    body = centre_of_mass(clip.positions())
    assert np.abs(points - body[:, [0, 2]])[5:-5].max() < 0.01
    assert np.allclose(weight[5:-5], 1, atol=0.02)
    assert np.allclose(height, body[:, 1])


def test_a_body_that_speeds_up_presses_behind_its_weight():
    """Like a pendulum on a cart: the point lags by height / gravity times the acceleration."""
    clip = standing(lambda t: np.stack([0 * t, 0 * t, 0.02 * (t - 2) ** 2], axis=-1), 240).clip()
    points, _, _ = balance.pressure_points(clip)
    body = centre_of_mass(clip.positions())
    behind = (body[:, 2] - points[:, 1])[60:180].mean()
    assert np.isclose(behind, body[:, 1].mean() / 9.81 * 0.04, rtol=0.3)


def test_points_under_the_feet_need_not_move():
    clip = standing().clip()
    inside = np.tile([0.0, 0.05], (len(clip), 1))
    assert np.all(balance.outside_feet(clip, inside) == 0)
    outside = np.tile([0.0, 0.60], (len(clip), 1))
    away = balance.outside_feet(clip, outside)
    assert np.all(away[:, 1] < -0.3)


def test_moving_the_hips_brings_the_pressure_under_the_feet():
    acting = standing(lambda t: np.stack([0.14 * np.sin(2.4 * t), -0.04 + 0 * t, 0 * t], axis=-1))

    def worst():
        points, _, _ = balance.pressure_points(acting.clip())
        return np.linalg.norm(balance.outside_feet(acting.clip(), points), axis=-1)[10:-10].max()

    before = worst()
    for _ in range(4):
        acting.hips = acting.hips + balance.hips_shift(acting.clip())
    assert before > 0.05
    assert worst() < 0.15 * before


def test_contacts_must_be_known():
    clip = standing().clip().replace(contacts=None)
    with pytest.raises(ParameterError, match="carries none"):
        balance.outside_feet(clip, np.zeros((len(clip), 2)))
