import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.feet.flipped_feet import find_flipped_feet, unflip_feet
from tests.body.people import rolled


@pytest.fixture(scope="module")
def kick():
    return kt.sample("kick-1")


def test_a_foot_that_is_right_stays(kick):
    assert find_flipped_feet(kick) == ()
    assert unflip_feet(kick) is kick


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_foot_upside_down_is_found_and_rolled_back(kick, side):
    wrong = rolled(kick, [side])
    assert np.allclose(wrong.positions(), kick.positions(), atol=1e-9)
    (found,) = find_flipped_feet(wrong)
    assert found.side == side
    back = unflip_feet(wrong)
    ankle = found.ankle
    assert np.rad2deg(rot.angle_between(back.rotations[:, ankle], kick.rotations[:, ankle]).max()) < 1e-4


def test_no_joint_and_no_tip_moves(kick):
    wrong = rolled(kick, ["right"])
    back = unflip_feet(wrong)
    assert np.allclose(back.positions(), wrong.positions(), atol=1e-9)
    (found,) = find_flipped_feet(wrong)
    carrier, offset = found.tip
    tips = [c.positions()[:, carrier] + rot.rotate(c.world_rotations()[:, carrier], offset) for c in (back, wrong)]
    assert np.allclose(*tips, atol=1e-9)
    assert unflip_feet(back) is back


def test_two_feet_upside_down_are_an_odd_rest_pose(kick):
    assert find_flipped_feet(rolled(kick, ["left", "right"])) == ()


def test_captured_feet(shared_data):
    names = [f"HDM_bd_kickLFront1Reps_00{take}_120.amc" for take in (1, 2, 3)]
    sides = [[foot.side for foot in find_flipped_feet(kt.read(shared_data / "hdm05" / name))] for name in names]
    assert sides == [["right"], ["right"], []]
