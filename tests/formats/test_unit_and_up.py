import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.skeleton import EndSite, Skeleton
from kinetune.formats.unit_and_up import (
    METRES_PER_UNIT,
    UnscaledMotion,
    settle_unit_and_up,
    turn_vectors_from_y,
    unit_of_skeleton,
    up_of_motion,
)

NAMES = ("Hips", "Spine", "Neck", "Head", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot")
PARENTS = (-1, 0, 1, 2, 0, 4, 5, 0, 7, 8)
OFFSETS = np.array(
    [
        [0, 0, 0],
        [0, 0.2, 0],
        [0, 0.35, 0],
        [0, 0.1, 0],
        [0.1, 0, 0],
        [0, -0.42, 0],
        [0, -0.42, 0],
        [-0.1, 0, 0],
        [0, -0.42, 0],
        [0, -0.42, 0],
    ]
)


def figure(unit=1.0, up="y", turn=(0, 0, 0), height=0.9, names=NAMES, frames=20):
    tip = tuple(turn_vectors_from_y(np.array([0, 0.2, 0]), up) / unit)
    skeleton = Skeleton(names, np.array(PARENTS), turn_vectors_from_y(OFFSETS, up) / unit, (EndSite(3, tip),))
    rotations = rot.identity(frames, len(names))
    rotations[:, 0] = rot.exp(np.array(turn, float))
    walk = np.stack([np.linspace(0, 0.3, frames), np.full(frames, height), np.linspace(0, 3, frames)], axis=1)
    return UnscaledMotion(skeleton, turn_vectors_from_y(walk, up) / unit, rotations)


@pytest.mark.parametrize("unit", ["m", "dm", "cmu", "in", "cm", "mm"])
@pytest.mark.parametrize("up", ["y", "z"])
def test_unit_and_up_of_a_standing_figure(unit, up):
    name, metres, axis, findings = settle_unit_and_up(figure(METRES_PER_UNIT[unit], up), None, None)
    assert (name, metres, axis) == (unit, METRES_PER_UNIT[unit], up)
    assert [f.override for f in findings] == (["unit"] if up == "y" else ["unit", "up"])


def test_what_is_given_wins_without_a_remark():
    assert settle_unit_and_up(figure(), "in", "z") == ("in", 0.0254, "z", ())


def test_the_size_does_not_depend_on_the_pose_or_the_place():
    assert unit_of_skeleton(figure(0.01, turn=(1.5, 0, 0), height=50).skeleton)[0] == "cm"


def test_a_figure_that_lies_on_the_floor_stays_with_y_up():
    up, finding = up_of_motion(figure(turn=(np.pi / 2, 0, 0), height=0.1))
    assert up == "y"
    assert "lie" in finding.message


def test_a_world_with_z_up_in_which_the_root_turns_a_figure_with_y_up():
    standing = figure(turn=(np.pi / 2, 0, 0))
    root = turn_vectors_from_y(np.array(standing.root), "z")
    assert up_of_motion(UnscaledMotion(standing.skeleton, root, standing.rotations))[0] == "z"


def test_a_few_joints_are_taken_as_centimetres():
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 0, 15.0]]))
    name, _, up, findings = settle_unit_and_up(
        UnscaledMotion(skeleton, np.zeros((2, 3)), rot.identity(2, 2)), None, None
    )
    assert (name, up) == ("cm", "y")
    assert [f.override for f in findings] == ["unit", "up"]


def test_a_figure_without_known_joints_is_measured_along_its_bones():
    names = tuple(f"b{k}" for k in range(10))
    assert unit_of_skeleton(figure(0.001, names=names).skeleton)[0] == "mm"


def test_a_creature_keeps_its_floor_along_z():
    names = tuple(f"b{k}" for k in range(12))
    offsets = np.array([[0, 0, 0.0]] + [[0.1, 0.2 * (-1) ** k, -0.05] for k in range(11)])
    skeleton = Skeleton(names, np.array([-1, *[0] * 11]), offsets)
    root = np.stack([np.linspace(0, 2, 30), np.linspace(0, 5, 30), np.full(30, 0.06)], axis=1)
    assert up_of_motion(UnscaledMotion(skeleton, root, rot.identity(30, 12)))[0] == "z"
