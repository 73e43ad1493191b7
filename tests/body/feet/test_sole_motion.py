import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.feet.floor import Floor, find_ground
from kinetune.body.feet.sole_motion import find_rocker, level_direction, raise_by
from tests.body import walkers


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
