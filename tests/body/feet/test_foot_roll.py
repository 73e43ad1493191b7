import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.feet.contacts import Contacts, find_contacts
from kinetune.body.feet.floor import Floor, find_ground
from kinetune.body.feet.foot_roll import contact_levels, find_rocker, level_direction, raise_by, roll_foot
from tests.body import walkers
from tests.body.feet.test_planting import skating


def moves(clip, like, blend_s=0.2):
    ground, contacts = find_ground(like), find_contacts(like)
    return [roll_foot(clip, foot, ground, contacts, blend_s=blend_s) for foot in ground.feet], ground, contacts


def test_a_foot_that_rolls_already_is_hardly_moved():
    walk = walkers.WALK.clip()
    found, _, _ = moves(walk, walk)
    for move in found:
        assert np.abs(move.shift).max() < 0.012  # a foot all but flat is laid flat
        assert np.median(np.abs(move.shift)) < 1e-3


def test_the_slide_of_the_ground_is_taken_back():
    walk = walkers.WALK.clip()
    velocity = 0.12 * np.array([0.6, 0.0, 0.8])
    found, _, contacts = moves(skating(walk, up=0.0), walk)
    for column, move in enumerate(found):
        for start, stop in contacts.intervals(column):
            if stop - start > 80:
                inner = move.shift[start + 20 : stop - 40]
                assert np.allclose(np.diff(inner, axis=0) * walk.fps, -velocity, atol=0.03)
                assert np.abs(move.shift[start:stop].mean(axis=0)).max() < 0.01


def test_weights_are_one_in_contacts_and_fade_outside():
    walk = walkers.WALK.clip()
    found, _, contacts = moves(walk, walk, blend_s=0.1)
    for column, move in enumerate(found):
        for start, stop in contacts.intervals(column):
            assert np.all(move.weight[start + 4 : stop - 4] == 1.0)
        far = np.ones(len(walk), dtype=bool)
        for start, stop in contacts.intervals(column):
            far[max(0, start - 13) : stop + 13] = False
        assert far.any()
        assert not move.weight[far].any()
        assert not move.shift[far].any()
        assert not move.turn[far].any()


def test_captured_toes_that_jitter_come_to_rest():
    walk = walkers.WALK.clip()
    toes = walk.skeleton.index("LeftToeBase")
    rng = np.random.default_rng(0)
    rotations = np.array(walk.rotations)
    rotations[:, toes] = rot.multiply(rotations[:, toes], rot.exp(rng.normal(size=(len(walk), 3)) * 0.1))
    (left, _), _, contacts = moves(walk.replace(rotations=rotations), walk)
    foot = rot.multiply(rot.exp(left.turn), walk.world_rotations()[:, walk.skeleton.index("LeftFoot")])
    planted = rot.multiply(foot, left.toe_rotations)
    start, stop = contacts.intervals("left")[1]
    steps = rot.angle_between(planted[1:], planted[:-1])
    assert np.rad2deg(steps[start + 16 : stop - 20]).max() < 0.5


def test_other_levels_are_told_from_the_floor():
    clip = walkers.stand()
    ground = find_ground(clip)
    whole = [(0, len(clip))]
    assert contact_levels(clip, ground.feet[0], ground, whole) == [0.0]
    raised = clip.replace(root=clip.root + np.array([0.0, 0.3, 0.0]))
    assert contact_levels(raised, ground.feet[0], ground, whole) == pytest.approx([0.3])
    hovering = clip.replace(root=clip.root + np.array([0.0, 0.03, 0.0]))
    assert contact_levels(hovering, ground.feet[0], ground, whole) == [0.0]


def test_a_contact_of_one_frame():
    clip = walkers.stand(30)
    flags = np.zeros((30, 1), dtype=bool)
    flags[10] = True
    ground = find_ground(clip)
    move = roll_foot(clip, ground.feet[0], ground, Contacts(("LeftFoot",), flags), blend_s=0.05)
    assert move.weight[10] == 1.0
    assert np.isfinite(move.shift).all()


def sole(figure=None, pitch=0.0, bend=0.0):
    """The left sole of a figure that stands, its foot pitched toes up by some degrees and its toes bent up."""
    still = np.zeros(20)
    clip = walkers.stand(20, 60.0, figure)
    ground = find_ground(clip)
    ankles = {side: np.tile([x, walkers.ANKLE + 0.1, 0.0], (20, 1)) for side, x in walkers.SIDEWAYS.items()}
    pitches = {"Left": still + np.deg2rad(pitch), "Right": still}
    bends = {"Left": still + np.deg2rad(bend), "Right": still}
    posed = walkers.pose_legs(clip.root, ankles, pitches, bends, 60.0, figure)
    return find_rocker(posed, ground.feet[0], ground)


@pytest.mark.parametrize("degrees", [-50.0, -10.0, 0.0, 25.0])
def test_pitch_is_read_from_the_sole(degrees):
    found, toes = sole(pitch=degrees)
    assert toes is not None
    assert np.allclose(np.rad2deg(found.pitch), degrees, atol=1e-6)
    assert np.allclose(np.rad2deg(found.toe_pitch), degrees, atol=1.0)


def test_toes_that_bend_are_flat_when_they_make_up_for_the_pitch():
    found, _ = sole(pitch=-30.0, bend=30.0)
    assert np.allclose(np.rad2deg(found.toe_pitch), 0.0, atol=1.0)


def test_toes_that_do_not_bend_have_no_pitch():
    found, toes = sole(walkers.skeleton(toes=False), pitch=-30.0)
    assert toes is None
    assert not found.toe_pitch.any()
    assert np.array_equal(found.forefoot, found.ball)


def test_turning_by_the_pitch_lays_the_foot_flat():
    found, _ = sole(pitch=-25.0)
    turn = raise_by(found.ball - found.heel, -found.pitch)
    flat = found.turned(turn, np.zeros_like(turn))
    assert np.allclose(flat.pitch, 0.0, atol=1e-9)
    assert np.allclose(np.linalg.norm(flat.ball - flat.ankle, axis=1), np.linalg.norm(found.ball - found.ankle, axis=1))


def test_the_point_below_the_toe_joint_turns_with_the_toes():
    found, _ = sole(pitch=-40.0, bend=40.0)
    assert np.allclose(found.floor.above(found.forefoot), found.floor.above(found.toe_joint) - found.lift, atol=1e-3)
    lifted = found.turned(np.zeros((20, 3)), raise_by(found.toes, -0.3))
    assert np.allclose(np.linalg.norm(lifted.forefoot - lifted.toe_joint, axis=1), found.lift)


def test_standing_on_tip_toe_and_back():
    found, _ = sole()
    pitch = np.deg2rad(20.0)
    risen = found.tip_toe_room(pitch)
    assert np.allclose(found.tip_toe_pitch(risen), pitch)
    assert np.allclose(found.tip_toe_pitch(-risen), 0.0)
    up = found.turned(np.zeros((20, 3)), raise_by(found.toes, -pitch)).moved(np.array([0.0, 1.0, 0.0]) * risen[:, None])
    assert np.allclose(up.tip[:, 1], found.tip[:, 1], atol=1e-3)


def test_moving_moves_all_of_it():
    found, _ = sole()
    moved = found.moved(np.tile([1.0, 0.5, -2.0], (20, 1)))
    assert np.allclose(moved.height(), found.height() + 0.5)
    assert np.allclose(moved.forefoot - found.forefoot, [1.0, 0.5, -2.0])


def test_a_leaning_floor_leans_the_pitch():
    found, _ = sole()
    slope = np.tan(np.deg2rad(2.0))
    from dataclasses import replace

    assert np.allclose(np.rad2deg(replace(found, floor=Floor(0.0, (0.0, slope))).pitch), -2.0, atol=0.01)


def test_level_directions():
    ahead = level_direction(np.array([[0.0, 3.0, 2.0], [0.0, 1.0, 0.0]]))
    assert np.allclose(ahead, [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    raised = rot.rotate(rot.exp(raise_by(np.array([[1.0, 0.0, 0.0]]), 0.5)), np.array([[1.0, 0.0, 0.0]]))
    assert np.allclose(raised, [[np.cos(0.5), np.sin(0.5), 0.0]])
