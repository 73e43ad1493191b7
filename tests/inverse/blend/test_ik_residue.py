"""Just out of reach is reached: what inverse kinematics adds to a blend."""

import numpy as np
import pytest

import kinetune as kt
from kinetune import AtPoint, Facing, OnLine
from kinetune.inverse.blend.inverse_blend import InverseBlend
from tests.inverse.sets import blend, clips

HAND = 13

FEET = ("left foot", "right foot")


def beyond(count: int, seed: int) -> np.ndarray:
    """Random points in the box round where the fingertips of the examples end."""
    ends = blend().places("RightFingertips")
    return np.random.default_rng(seed).uniform(ends.min(axis=0), ends.max(axis=0), (count, 3))


def missed() -> np.ndarray:
    points = beyond(40, 3)
    return points[~blend().solve_batch(AtPoint("RightFingertips", points)).reachable][:6]


@pytest.mark.slow
def test_points_in_the_box_of_the_examples_are_reached():
    for point in missed():
        target = AtPoint("RightFingertips", point)
        pure, exact = blend().solve(target, exact=False), blend().solve(target)
        assert not pure.reachable
        assert pure.residue is None
        assert exact.reachable
        assert exact.residue.blend_errors == pure.errors
        assert np.array_equal(exact.weights, pure.weights)
        site = next(s for s in exact.clip.skeleton.end_sites if s.name == "RightFingertips")
        turned = exact.clip.world_rotations()[-1, site.parent]
        tip = exact.clip.positions()[-1, site.parent] + kt.rotations.rotate(turned, np.array(site.offset))
        assert np.linalg.norm(tip - point) < 1e-5


def test_feet_stay_and_the_start_is_the_blends():
    target = AtPoint("RightFingertips", missed()[0])
    pure, exact = blend().solve(target, exact=False).clip, blend().solve(target).clip
    for foot in FEET:
        joint = exact.skeleton.index(foot)
        assert np.abs(exact.positions()[:, joint] - pure.positions()[:, joint]).max() < 1e-5
    early = len(exact) - int(0.75 * exact.fps) - 2
    assert early > 0
    assert np.abs(exact.positions()[:early] - pure.positions()[:early]).max() < 1e-9


def test_the_elbow_bends_about_its_hinge_only():
    """The bend is added about the axis that the elbow has in the blend; anything else would break the arm."""
    pure = blend().solve(AtPoint("RightFingertips", missed()[0]), exact=False).clip
    exact = blend().solve(AtPoint("RightFingertips", missed()[0])).clip
    elbow = pure.skeleton.index("right lower arm")
    turn = kt.rotations.multiply(exact.rotations[-1, elbow], kt.rotations.inverse(pure.rotations[-1, elbow]))
    from kinetune.body.kinematics.limb_ik import hinge_axis

    hinge = hinge_axis(pure, *(pure.skeleton.index(f"right {part}") for part in ("upper arm", "lower arm", "hand")))
    vector = kt.rotations.log(turn)
    assert np.linalg.norm(np.cross(vector, hinge)) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("toward", [(0, 0, 1), (-0.7, 0, 0.7), (0.3, 0.2, 0.9)])
def test_a_point_and_a_direction_are_met_together(toward):
    asked = [AtPoint("RightFingertips", missed()[1]), Facing("right hand", toward=toward)]
    assert not blend().solve(asked, exact=False).reachable
    exact = blend().solve(asked)
    assert exact.reachable
    assert exact.errors[0] < 0.01
    assert exact.errors[1] < 0.01


def test_a_line_is_met():
    point = missed()[2]
    exact = blend().solve(OnLine("RightFingertips", point, (1, 0, 0)))
    assert exact.reachable


@pytest.mark.slow
def test_far_away_is_missed_and_nearer_than_the_blend():
    far = AtPoint("RightHand", (0.0, 1.3, 3.0))
    pure, exact = blend().solve(far, exact=False), blend().solve(far)
    assert not exact.reachable
    assert exact.distance < pure.distance - 20.0
    hand = exact.clip.positions()[-1, HAND]
    assert np.linalg.norm(hand - (0.0, 1.3, 3.0)) == pytest.approx(1e-3 * exact.distance, abs=1e-9)
    assert exact.residue.degrees < 140.0


def test_a_blend_that_meets_its_target_is_left_alone():
    target = AtPoint("RightHand", clips("reach")[3].positions()[-1, HAND])
    exact = blend().solve(target)
    assert exact.residue is None
    assert exact.clip.same_motion(blend().solve(target, exact=False).clip, 0.0)


@pytest.mark.slow
def test_two_frames_are_met_at_once():
    points = missed()[:2]
    asked = [AtPoint("RightFingertips", points[0], frame=40), AtPoint("RightFingertips", points[1], frame=-1)]
    exact = blend().solve(asked)
    assert exact.reachable


def test_the_moment_of_the_grab_is_where_the_hand_is_farthest():
    """Takes that go on after the grab: the reach forwards, then back again."""
    there_and_back = []
    for clip in clips("reach")[:4]:
        order = np.r_[np.arange(len(clip)), np.arange(len(clip) - 2, -1, -1)]
        there_and_back.append(clip.replace(root=clip.root[order], rotations=clip.rotations[order], contacts=None))
    turn = len(clips("reach")[0]) - 1
    assert InverseBlend(there_and_back).moment_of_reach("right hand") == pytest.approx(turn, abs=2)
    assert InverseBlend(clips("reach")).moment_of_reach("right hand") == -1
    assert InverseBlend(clips("reach")).moment_of_reach("hips") == -1
