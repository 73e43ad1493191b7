"""Robots in the whole-clip method: hinges turn about their axes only, within their ranges."""

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.robots.robot import robot_of
from kinetune.physics.equations_of_motion import segment_poses
from kinetune.physics.model.body_model import Body
from kinetune.physics.model.hinge_bodies import hinge_angle, with_hinges, within_ranges
from tests.retarget.small_robot import robot_text


@pytest.fixture(scope="module")
def march(tmp_path_factory):
    """A walk on a small robot of hinges."""
    path = tmp_path_factory.mktemp("robot") / "small.xml"
    path.write_text(robot_text())
    return kt.Retarget(to=str(path))(kt.sample("walk")[20:80])


def hinged(clip):
    return with_hinges(Body.fit(clip.skeleton, robot_of(clip).mass, clip=clip), clip)


def test_masses_and_their_centre_are_those_of_the_file(march):
    body, robot = hinged(march), robot_of(march)
    places, turns = segment_poses(body, body.coordinates(march))
    masses = np.array([segment.mass for segment in body.segments])
    centres = np.array([segment.centre for segment in body.segments])
    ours = np.einsum("k,fki->fi", masses, places + rot.rotate(turns, centres)) / body.mass
    spots = march.positions() + rot.rotate(march.world_rotations(), robot.centres)
    assert body.mass == pytest.approx(robot.mass)
    assert ours == pytest.approx(np.einsum("k,fki->fi", robot.masses, spots) / robot.mass, abs=1e-9)


def test_each_hinge_has_a_segment_and_its_angle_is_the_joint_value(march):
    body, robot = hinged(march), robot_of(march)
    rows, _ = robot.qpos(march)
    qpos = body.coordinates(march)
    assert len(body.segments) == 1 + len(robot.joints)
    for k, segment in enumerate(body.segments[1:], start=1):
        (joint,) = robot.by_node[segment.joint]
        assert hinge_angle(body, k, qpos) == pytest.approx(rows[:, joint.column], abs=1e-7)


def test_a_body_of_balls_stays_as_it_is():
    walk = kt.sample("walk")[:30]
    body = Body.fit(walk.skeleton, clip=walk)
    assert with_hinges(body, walk) is body
    qpos = body.coordinates(walk)
    assert np.array_equal(within_ranges(body, qpos), qpos)


def test_a_corrected_robot_stays_on_its_hinges_and_within_their_ranges(march):
    robot, result = robot_of(march), kt.filter_dynamics(march, method="whole")
    rows, missed = robot.qpos(result.clip)
    assert result.status == "corrected"
    assert missed.max() < 1e-6
    for joint in robot.joints:
        assert joint.lower <= rows[:, joint.column].min()
        assert rows[:, joint.column].max() <= joint.upper
    assert result.correction.left_bw < 0.01


def test_a_motion_without_a_file_keeps_to_the_axes_that_it_shows(march):
    """As generated motion comes: the same motion, with nothing but names and rotations."""
    bare = march.replace(source=kt.sample("walk").source)
    result = kt.filter_dynamics(bare, method="whole")
    robot = robot_of(march)
    moved = march.replace(root=result.clip.root, rotations=result.clip.rotations)
    _, missed = robot.qpos(moved)
    assert result.status == "corrected"
    assert missed.max() < np.deg2rad(0.5)
