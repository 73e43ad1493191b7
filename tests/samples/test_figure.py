import numpy as np
import pytest
from tools.samples.figure import ANKLE_HEIGHT, HEIGHT, LEG, SHANK, THIGH, centre_of_mass, figure, segments

NAMES = {
    "Hips", "Spine", "Spine1", "Spine2", "Neck", "Head",
    *(side + part for side in ("Left", "Right")
      for part in ("Shoulder", "Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot", "ToeBase")),
}  # fmt: skip


def rest():
    """Joint and end-site positions of the T-pose with the feet on the floor."""
    skeleton = figure()
    joints = skeleton.rest_positions + np.array([0.0, LEG, 0.0])
    return joints, {site.name: joints[site.parent] + site.offset for site in skeleton.end_sites}


def test_it_has_the_22_joints_that_every_tool_knows():
    assert len(figure()) == 22
    assert set(figure().names) == NAMES
    assert figure() is figure()


def test_it_stands_on_the_floor_and_is_175_cm_tall():
    _, tips = rest()
    assert np.isclose(tips["HeadTop"][1], HEIGHT)
    for side in ("Left", "Right"):
        assert abs(tips[f"{side}Heel"][1]) < 1e-12
        assert abs(tips[f"{side}ToeTip"][1]) < 1e-12
    assert np.isclose(ANKLE_HEIGHT + SHANK + THIGH, 0.530 * HEIGHT, atol=0.001)


def test_left_is_the_mirror_image_of_right():
    joints, tips = rest()
    at = figure().index
    for name in NAMES:
        if name.startswith("Left"):
            twin = joints[at("Right" + name[4:])]
            assert np.array_equal(joints[at(name)], twin * [-1, 1, 1])
            assert joints[at(name), 0] > 0
    for name, place in tips.items():
        if name.startswith("Left"):
            assert np.array_equal(place, tips["Right" + name[4:]] * [-1, 1, 1])


@pytest.mark.parametrize(
    ("role", "joint"),
    [("hips", "Hips"), ("chest", "Spine2"), ("left upper leg", "LeftUpLeg"), ("right hand", "RightHand"),
     ("right toes", "RightToeBase"), ("left collar", "LeftShoulder"), ("head", "Head")],
)  # fmt: skip
def test_its_roles_are_found(role, joint):
    assert figure().roles[role] == figure().index(joint)


def test_the_weight_of_the_t_pose_is_above_the_hips():
    joints, _ = rest()
    body = centre_of_mass(joints[None])[0]
    assert abs(body[0]) < 1e-12
    assert 0.54 * HEIGHT < body[1] < 0.60 * HEIGHT
    shares, _ = segments(joints[None])
    assert np.isclose(shares.sum(), 1)
