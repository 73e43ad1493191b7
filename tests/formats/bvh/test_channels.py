import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinetune import rotations as rot
from kinetune.formats.bvh.channels import (
    Channels,
    channel_meaning,
    full_order,
    positions_from_channels,
    rotations_from_channels,
)

ORDERS = ["".join(p) for n in range(4) for p in itertools.permutations("XYZ", n)]
REPEATING = ["ZXZ", "XYX", "XYZX", "XX", "ZYXZYX"]


def channels_for(orders):
    return Channels(tuple(tuple(f"{axis}rotation" for axis in order) for order in orders))


@pytest.mark.parametrize("body", ["never", "always"])
def test_every_order_agrees_with_scipy(body, monkeypatch):
    monkeypatch.setenv("KINETUNE_COMPILED", body)
    channels = channels_for([*ORDERS, *REPEATING])
    values = np.random.default_rng(0).uniform(-720, 720, (30, channels.width))
    found = rotations_from_channels(values, channels)
    for joint, (order, turns) in enumerate(zip(channels.orders, channels.rotation_columns, strict=True)):
        wanted = Rotation.identity(30)
        for axis, column in zip(order, turns, strict=True):
            wanted = wanted * Rotation.from_euler(axis, values[:, [column]], degrees=True)
        assert rot.angle_between(found[:, joint], wanted.as_quat(scalar_first=True)).max() < 1e-13
        assert np.abs(np.linalg.norm(found[:, joint], axis=-1) - 1).max() < 1e-14


def test_both_bodies_agree(monkeypatch):
    channels = channels_for([*ORDERS, *REPEATING])
    values = np.random.default_rng(1).uniform(-1000, 1000, (500, channels.width))
    values[0] = 0.0
    values[1] = -0.0
    values[2] = 90.0
    values[3] = -180.0
    values[4] = 1e8
    values[5] = 1e-310
    values[6] = 1e30
    monkeypatch.setenv("KINETUNE_COMPILED", "never")
    plain = rotations_from_channels(values, channels)
    monkeypatch.setenv("KINETUNE_COMPILED", "always")
    assert np.array_equal(plain, rotations_from_channels(values, channels))


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("Xposition", ("position", 0)),
        ("zROTATION", ("rotation", 2)),
        ("Ytranslation", ("position", 1)),
        ("Xscale", ("other", 0)),
        ("Wrotation", ("other", 0)),
    ],
)
def test_channel_names(name, meaning):
    assert channel_meaning(name) == meaning


def test_columns_and_where_they_belong():
    channels = Channels((("Xposition", "Zrotation"), (), ("Yrotation", "Xrotation")))
    assert channels.width == 4
    assert channels.orders == ("Z", "", "YX")
    assert [channels.channel_at(c) for c in range(4)] == [
        (0, "Xposition"),
        (0, "Zrotation"),
        (2, "Yrotation"),
        (2, "Xrotation"),
    ]


def test_missing_axes_are_appended():
    assert [full_order(order) for order in ("", "X", "YZ", "ZXY")] == ["ZXY", "XZY", "YZX", "ZXY"]


def test_position_channels_replace_or_add():
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert positions_from_channels(values, {0: 0, 2: 1}, (10, 20, 30), False).tolist() == [[1, 20, 2], [3, 20, 4]]
    assert positions_from_channels(values, {0: 0, 2: 1}, (10, 20, 30), True).tolist() == [[11, 20, 32], [13, 20, 34]]
