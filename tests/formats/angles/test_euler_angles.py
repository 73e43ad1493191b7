import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinetune import rotations as rot
from kinetune.formats.angles.euler_angles import half_sine_cosine, parity, quaternions_from_degrees

ORDERS = np.array(list(itertools.permutations(range(3))))


def turned(degrees):
    """One joint for each order, each with three columns."""
    columns = np.arange(3 * len(ORDERS)).reshape(-1, 3)
    return quaternions_from_degrees(degrees, columns, ORDERS, parity(ORDERS))


@pytest.mark.parametrize("body", ["never", "always"])
@pytest.mark.parametrize("frames", [1, 7, 5000])  # the last is more than one block
def test_orders_agree_with_scipy(body, frames, monkeypatch):
    monkeypatch.setenv("KINETUNE_COMPILED", body)
    degrees = np.random.default_rng(frames).uniform(-720, 720, (frames, 3 * len(ORDERS)))
    found = turned(degrees)
    for joint, order in enumerate(ORDERS):
        name = "".join("XYZ"[axis] for axis in order)
        wanted = Rotation.from_euler(name, degrees[:, 3 * joint : 3 * joint + 3], degrees=True)
        assert rot.angle_between(found[:, joint], wanted.as_quat(scalar_first=True)).max() < 1e-13


def test_both_bodies_agree(monkeypatch):
    degrees = np.random.default_rng(1).uniform(-1000, 1000, (3000, 3 * len(ORDERS)))
    degrees[:7] = np.array([0.0, -0.0, 90.0, -180.0, 1e8, 1e-310, 1e30])[:, None]
    monkeypatch.setenv("KINETUNE_COMPILED", "never")
    plain = turned(degrees)
    monkeypatch.setenv("KINETUNE_COMPILED", "always")
    assert np.array_equal(plain, turned(degrees))


def test_quarter_turns_are_exact():
    sine, cosine = half_sine_cosine(np.array([0.0, 180.0, 360.0, 540.0, 720.0, -180.0, -360.0, 1620.0]))
    assert sine.tolist() == [0, 1, 0, -1, 0, -1, 0, 1]
    assert cosine.tolist() == [1, 0, -1, 0, 1, 0, -1, 0]


def test_half_angles_agree_with_numpy():
    degrees = np.random.default_rng(2).uniform(-2000, 2000, 20_000)
    sine, cosine = half_sine_cosine(degrees)
    half = np.deg2rad(degrees.astype(np.longdouble)) / 2
    assert np.abs(sine - np.sin(half)).max() < 1e-15
    assert np.abs(cosine - np.cos(half)).max() < 1e-15
