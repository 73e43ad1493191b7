import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.feet.floor import find_ground
from kinetune.body.robots.shapes import CollisionShape, box_of_inertia
from tests.conftest import data_folder

needs_data = pytest.mark.skipif(data_folder() is None, reason="no robot files here: set KINETUNE_DATA")


def test_a_box_is_found_by_its_inertia():
    half, mass = np.array([0.1, 0.03, 0.02]), 2.0
    moments = mass / 3.0 * (np.sum(half**2) - half**2)
    turned = rot.from_axis_angle((1.0, 2.0, 3.0), 1.0)
    axes = rot.to_matrix(turned)
    box = box_of_inertia(0, mass, np.ones(3), axes @ np.diag(moments) @ axes.T)
    corners, _ = box.corners()
    expected, _ = CollisionShape(0, "box", np.ones(3), turned, half).corners()
    assert sorted(map(tuple, np.round(corners, 9))) == pytest.approx(sorted(map(tuple, np.round(expected, 9))))
    assert box_of_inertia(0, 0.0, np.zeros(3), np.eye(3)) is None


def test_a_capsule_covers_its_ends():
    first, last, radius = CollisionShape(0, "box", np.zeros(3), rot.identity(), np.array([0.02, 0.2, 0.04])).capsule()
    assert radius == pytest.approx(0.03)
    assert np.abs(last - first) == pytest.approx([0.0, 2 * 0.17, 0.0])


@needs_data
@pytest.mark.parametrize(
    ("file", "below"),
    [("unitree_g1.xml", 0.035), ("unitree_g1_29dof_rev_1_0.urdf", 0.035), ("mujoco_humanoid.xml", 0.067)],
)
def test_soles_are_those_of_the_collision_shapes(file, below):
    for foot in find_ground(kt.read(data_folder() / "robots" / file)).feet:
        heel, ball = (np.array(point.offset) for point in foot.points[:2])
        assert (heel[2], ball[2]) == pytest.approx((-below, -below), abs=1e-6)
        assert heel[0] < -0.04 < 0.07 < ball[0]


@needs_data
def test_inertia_shows_the_sole_of_a_robot_with_meshes_only():
    """G1 has both: the box of its foot's inertia ends within a centimetre and a half of its collision shapes."""
    robot = kt.read(data_folder() / "robots" / "unitree_g1.xml").source.layout.robot
    node = robot.skeleton.index("left foot")
    box = box_of_inertia(node, robot.masses[node], robot.centres[node], robot.inertias[node])
    corners, _ = box.corners()
    assert corners[:, 2].min() == pytest.approx(-0.035, abs=0.015)
    assert (corners[:, 0].min(), corners[:, 0].max()) == pytest.approx((-0.05, 0.12), abs=0.03)
