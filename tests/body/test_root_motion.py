import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.root_motion import (
    RootMotion,
    add_root_motion,
    below_still_root,
    carried_by_root,
    facing,
    local_translations,
    place,
    place_joint,
    remove_root_motion,
    root_motion,
    slow_travel,
    travelling_joint,
)
from kinetune.errors import ParameterError
from tests.operations import making


def turning_walk():
    clip = making.walker(121)
    return place(clip, rot.about_y(np.linspace(0.5, 4.0, 121)), np.outer(np.arange(121.0), [0.01, 0.0, 0.02]))


CLIPS = pytest.mark.parametrize("make", [turning_walk, making.still_root, making.pendulums, making.two_roots])


@CLIPS
def test_removed_and_added_again_is_the_clip(make):
    clip = make()
    assert add_root_motion(remove_root_motion(clip), root_motion(clip)).same_motion(clip, 1e-9)


@CLIPS
def test_what_is_left_stands_at_the_origin_and_faces_ahead(make):
    still = remove_root_motion(make())
    positions, headings = root_motion(still)
    assert np.abs(positions).max() < 1e-9
    assert np.abs(np.sin(headings)).max() < 1e-9


def test_the_way_is_the_hips_on_the_floor():
    clip = turning_walk()
    way = root_motion(clip)
    assert way.positions.shape == (121, 2)
    assert np.array_equal(way.positions, clip.joint("hips").positions[:, [0, 2]])
    assert way.headings[-1] - way.headings[0] == pytest.approx(3.5)
    assert np.array_equal(way.headings, facing(clip))


def test_another_way():
    clip = making.walker(50)
    way = RootMotion(np.outer(np.arange(50.0), [0.1, 0.0]), np.full(50, np.pi / 2))
    moved = add_root_motion(remove_root_motion(clip), way)
    assert np.allclose(root_motion(moved).positions, way.positions, atol=1e-9)
    assert np.allclose(root_motion(moved).headings, way.headings)


def test_heights_stay():
    clip = turning_walk()
    assert np.allclose(remove_root_motion(clip).root[:, 1], clip.root[:, 1])


def test_a_way_of_another_length_is_refused():
    with pytest.raises(ParameterError, match=r"takes positions \(10, 2\) and headings \(10,\)"):
        add_root_motion(making.walker(10), RootMotion(np.zeros((9, 2)), np.zeros(9)))


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


def test_a_straight_way_is_its_own_slow_part():
    clip = making.walker(301)
    travel = slow_travel(clip)
    assert np.abs(travel.path[:, [0, 2]] - clip.root[:, [0, 2]]).max() < 1e-9
    assert np.abs(travel.headings).max() < 1e-9


def test_the_bob_of_a_walk_is_no_travel():
    clip = making.walker(301)
    slow, bob = slow_travel(clip).path[:, 1], clip.root[:, 1]
    assert np.ptp(slow) < 0.15 * np.ptp(bob)


def test_a_turn_of_the_walk_is_travel():
    clip = making.turned(making.walker(301), 0.8)
    assert np.allclose(slow_travel(clip).headings, 0.8)
    t = clip.times
    swerving = clip.replace(root=clip.root + np.stack([np.sin(0.5 * t), 0 * t, 0 * t], axis=-1))
    assert np.abs(slow_travel(swerving).path[60:-60, 0] - swerving.root[60:-60, 0]).max() < 0.02


def test_a_cycle_travels_along_a_line():
    clip = making.walker(61)
    path = slow_travel(clip, steady=True).path
    assert np.allclose(path[[0, -1]], clip.root[[0, -1]])
    assert np.abs(np.diff(path, 2, axis=0)).max() < 1e-12


def test_hips_below_a_root_that_stands_still_travel():
    clip = making.still_root()
    assert clip.skeleton.names[slow_travel(clip).joint] == "Hips"


def test_tiny_clips():
    for frames in (1, 2, 3):
        assert slow_travel(making.walker(frames)).path.shape == (frames, 3)


# --- a root that stands still is no bone


def test_rounding_does_not_make_a_still_root_travel():
    clip = making.still_root(60)
    shaken = clip.replace(root=clip.root + 1e-12 * np.random.default_rng(0).standard_normal(clip.root.shape))
    assert travelling_joint(shaken) == 1
    assert travelling_joint(making.with_random_signs(clip)) == 1


def test_the_first_joint_that_moves_carries_the_character():
    below = making.below_still_root(making.still_root(60), name="Scene")
    assert below.skeleton.body_root == 2
    assert travelling_joint(below) == 2
    pushed = np.array(below.translations)
    pushed[:, 1, 0] += np.linspace(0.0, 1.0, 60)
    assert travelling_joint(below.replace(translations=pushed)) == 1
    assert travelling_joint(below, below.replace(translations=pushed)) == 1


def test_neither_size_nor_bones_depend_on_where_a_still_root_stands():
    walk = making.walker(20)
    for offset in ((0.0, 0.0, 0.0), (0.0, 0.9, 0.0), (3.0, 2.0, -4.0)):
        below = making.below_still_root(walk, offset).skeleton
        assert below.height == pytest.approx(walk.skeleton.height, abs=1e-12)
        assert not below.has_bone[:2].any()
        assert below.has_bone[2:].all()


def test_a_character_carried_by_its_root_moves_alike_and_goes_back_below_it():
    plain = making.walker(60, heading=0.4)
    still = making.below_still_root(plain, offset=(0.3, 0.1, 0.0))
    carried = carried_by_root(still)
    assert np.allclose(carried.positions()[:, 1:], plain.positions(), atol=1e-12)
    assert np.allclose(carried.root, plain.positions()[:, plain.skeleton.body_root], atol=1e-12)
    assert below_still_root(carried, still).same_motion(still, 1e-9)
    assert carried_by_root(plain) is plain
    assert below_still_root(plain, plain) is plain
