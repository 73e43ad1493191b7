import numpy as np
import pytest
from tools.samples.figure import figure

from kinetune import rotations as rot
from kinetune.body.kinematics.chain_ik import solve_chain
from kinetune.body.kinematics.forward import forward
from kinetune.errors import ParameterError

CHAIN = ("Spine", "Spine1", "Spine2", "RightShoulder", "RightArm", "RightForeArm")


def posed(frames=40, seed=0):
    skeleton = figure()
    rng = np.random.default_rng(seed)
    rotations = rot.exp(0.3 * rng.standard_normal((frames, len(skeleton), 3)))
    return skeleton, rng.standard_normal((frames, 3)), rotations


def chain_of(skeleton):
    return [skeleton.index(name) for name in CHAIN], skeleton.index("RightHand")


def test_a_goal_within_reach_is_met_and_only_the_chain_turns():
    skeleton, root, rotations = posed()
    joints, hand = chain_of(skeleton)
    positions, _ = forward(skeleton, root, rotations)
    goal = positions[:, hand] + np.random.default_rng(1).uniform(-0.15, 0.0, (40, 3))
    found, miss = solve_chain(skeleton, root, rotations, joints, hand, goal)
    arrived, _ = forward(skeleton, root, found)
    assert np.max(miss) < 1e-5
    assert np.max(np.abs(arrived[:, hand] - goal)) < 1e-5
    rest = [j for j in range(len(skeleton)) if j not in joints]
    assert np.allclose(found[:, rest], rotations[:, rest])


def test_place_and_direction_together():
    skeleton, root, rotations = posed()
    joints, hand = chain_of(skeleton)
    positions, world = forward(skeleton, root, rotations)
    goal = positions[:, hand] + [0.03, -0.04, 0.05]
    turned = rot.multiply(rot.from_axis_angle((0.3, 1.0, 0.2), np.full(40, 0.4)), world[:, hand])
    found, miss = solve_chain(skeleton, root, rotations, [*joints, hand], hand, goal, goal_rotation=turned)
    _, new_world = forward(skeleton, root, found)
    assert np.max(miss) < 1e-4
    assert np.max(rot.angle_between(new_world[:, hand], turned)) < 1e-3


def test_a_goal_out_of_reach_ends_in_the_nearest_stretch():
    skeleton, root, rotations = posed(10)
    arm = [skeleton.index(name) for name in ("RightArm", "RightForeArm")]
    hand = skeleton.index("RightHand")
    positions, _ = forward(skeleton, root, rotations)
    goal = positions[:, arm[0]] + [0.0, 0.0, 5.0]
    _, miss = solve_chain(skeleton, root, rotations, arm, hand, goal, iterations=400)
    length = np.linalg.norm(skeleton.offsets[[skeleton.index("RightForeArm"), hand]], axis=-1).sum()
    assert np.allclose(miss, 5.0 - length, atol=1e-3)


def test_weights_share_the_work():
    skeleton, root, rotations = posed(20)
    joints, hand = chain_of(skeleton)
    positions, _ = forward(skeleton, root, rotations)
    goal = positions[:, hand] + [0.0, 0.06, 0.05]

    def spine_turn(weights):
        found, _ = solve_chain(skeleton, root, rotations, joints, hand, goal, weights=weights)
        return rot.angle_between(found[:, joints[:3]], rotations[:, joints[:3]]).mean()

    assert spine_turn([0, 0, 0, 1, 1, 1]) < 1e-12
    assert spine_turn([0.05, 0.05, 0.05, 1, 1, 1]) < 0.7 * spine_turn(None)


def test_a_goal_that_is_met_already_changes_nothing():
    skeleton, root, rotations = posed(5)
    joints, hand = chain_of(skeleton)
    positions, _ = forward(skeleton, root, rotations)
    found, miss = solve_chain(skeleton, root, rotations, joints, hand, positions[:, hand])
    assert np.allclose(found, rotations)
    assert np.max(miss) < 1e-12


def test_frames_do_not_know_of_each_other():
    skeleton, root, rotations = posed(6)
    joints, hand = chain_of(skeleton)
    goal = np.tile([0.2, 0.1, 0.3], (6, 1)) + root
    together, _ = solve_chain(skeleton, root, rotations, joints, hand, goal)
    for f in range(6):
        alone, _ = solve_chain(skeleton, root[f : f + 1], rotations[f : f + 1], joints, hand, goal[f])
        assert np.allclose(alone[0], together[f], atol=1e-12)


def test_a_joint_off_the_way_is_refused():
    skeleton, root, rotations = posed(2)
    with pytest.raises(ParameterError, match=r"on the path from the root to \"RightHand\"; got LeftArm"):
        solve_chain(skeleton, root, rotations, [skeleton.index("LeftArm")], skeleton.index("RightHand"), (0, 0, 0))


def test_weights_must_fit():
    skeleton, root, rotations = posed(2)
    joints, hand = chain_of(skeleton)
    with pytest.raises(ParameterError, match="weights must be 6 numbers"):
        solve_chain(skeleton, root, rotations, joints, hand, (0, 0, 0), weights=[1, 2])
