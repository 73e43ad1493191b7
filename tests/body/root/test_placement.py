import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.root.placement import facing, local_translations, place, place_joint, travelling_joint
from tests.operations import making

TURN, SHIFT = rot.exp([0.3, -1.2, 0.4]), np.array([1.0, 2.0, -3.0])


@pytest.mark.parametrize("make", [making.walker, making.pendulums, making.two_roots, making.still_root])
def test_every_joint_goes_where_the_map_says(make):
    clip = make()
    result = place(clip, TURN, SHIFT)
    assert np.allclose(result.positions(), rot.rotate(TURN, clip.positions()) + SHIFT)
    wanted = rot.multiply(TURN, clip.world_rotations())
    assert rot.angle_between(result.world_rotations(), wanted).max() < 1e-7


def test_each_frame_may_have_its_own():
    clip = making.walker(40)
    angles = np.linspace(0, 2, 40)
    shifts = np.outer(np.arange(40.0), [1.0, 0.0, 0.5])
    result = place(clip, rot.about_y(angles), shifts)
    wanted = rot.rotate(rot.about_y(angles)[:, None], clip.positions()) + shifts[:, None]
    assert np.allclose(result.positions(), wanted)


def test_a_joint_below_a_root_moves_alone():
    clip = making.still_root(20)
    turn, shift = np.broadcast_to(TURN, (20, 4)), np.broadcast_to(SHIFT, (20, 3))
    result = place_joint(clip, 1, turn, shift)
    assert np.array_equal(result.positions()[:, 0], clip.positions()[:, 0])
    assert np.allclose(result.positions()[:, 1:], rot.rotate(TURN, clip.positions()[:, 1:]) + SHIFT)


def test_the_joint_that_travels():
    assert travelling_joint(making.walker(20)) == 0
    assert travelling_joint(making.still_root(20)) == 1
    assert travelling_joint(making.two_roots()) == 0
    assert travelling_joint(making.one_frame()) == 0


def test_translations_of_a_clip_that_animates_none():
    clip = making.walker(5)
    found = local_translations(clip)
    assert np.array_equal(found[:, 0], clip.root)
    assert np.array_equal(found[3, 1:], clip.skeleton.offsets[1:])


@pytest.mark.parametrize("radians", [0.0, 0.9, -2.0])
def test_facing_follows_the_turn(radians):
    assert np.allclose(facing(making.turned(making.walker(30), radians)), radians, atol=1e-9)


def test_facing_counts_turns_whatever_the_signs():
    clip = making.pendulums(200, joints=1)
    spin = rot.about_y(8.0 * clip.times)[:, None]
    turning = making.with_random_signs(clip.replace(rotations=spin))
    assert np.allclose(facing(turning), 8.0 * clip.times, atol=1e-9)
