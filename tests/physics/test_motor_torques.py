import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import ParameterError
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.physics.motor_torques import robot_torques
from tests.retarget.small_robot import robot_text


@pytest.fixture(scope="module")
def standing(tmp_path_factory):
    """The robot with bent knees, twenty frames, still."""
    path = tmp_path_factory.mktemp("robot") / "small.xml"
    path.write_text(robot_text())
    body = kt.read(path)
    robot = body.source.layout.robot
    rows = np.tile(robot.home, (20, 1))
    for joint in robot.joints:
        bend = {"hip_pitch": -0.4, "knee": 0.8, "ankle_pitch": -0.4}
        rows[:, joint.column] = next((angle for part, angle in bend.items() if joint.name.endswith(part)), 0.0)
    root, rotations, _ = robot.pose(rows)
    clip = kt.Clip(body.skeleton, 30.0, root, rotations, source=body.source)
    low = clip.positions()[:, clip.skeleton.index("left foot"), 1].min()
    return clip.replace(root=clip.root - [0.0, low - 0.04, 0.0])


def test_feet_carry_a_robot_that_stands(standing):
    found = robot_torques(standing)
    assert found.unsupported.max() < 0.02
    torque = dict(zip(found.names, found.torques[10], strict=True))
    assert torque["left_knee"] == pytest.approx(torque["right_knee"], rel=1e-3)
    robot = standing.source.layout.robot
    # Half the weight above the knees hangs on each, a hand's breadth away.
    assert 0.01 < abs(torque["left_knee"]) / (robot.mass * GRAVITY) < 0.15


def test_nothing_carries_a_robot_in_the_air(standing):
    from kinetune.body.feet.contacts import Contacts

    flags = np.zeros((20, 2), dtype=bool)
    names = tuple(standing.skeleton.names[standing.skeleton.index(f"{side} foot")] for side in ("left", "right"))
    none = Contacts(names, flags, heels=flags, toes=flags, sides=("left", "right"))
    assert robot_torques(standing.replace(contacts=none)).unsupported == pytest.approx(1.0, rel=1e-6)


def test_a_character_has_no_motors():
    with pytest.raises(ParameterError, match="not a robot's clip"):
        robot_torques(kt.sample("walk"))


@pytest.mark.slow
def test_a_whole_clip_is_held_against_the_motors_of_its_robot(standing, tmp_path):
    path = tmp_path / "weak.xml"
    motors = "".join(f'<motor joint="{side}_knee" forcerange="-0.5 0.5"/>' for side in ("left", "right"))
    path.write_text(robot_text().replace("</mujoco>", f"<actuator>{motors}</actuator></mujoco>"))
    weak = kt.read(path)
    clip = kt.Clip(weak.skeleton, standing.fps, standing.root, standing.rotations, source=weak.source)
    result = kt.filter_dynamics(clip, method="whole")
    assert result.body.mass == pytest.approx(weak.source.layout.robot.mass)
    named = {name for reason in result.reasons if reason.kind == "physics-torque-limit" for name in reason.joints}
    assert named == {"left_knee", "right_knee"}


def with_motors(standing, folder, **limits):
    """The same clip on a robot that names motors for some joints, in newton metres."""
    path = folder / "motors.xml"
    motors = "".join(f'<motor joint="{joint}" forcerange="-{most} {most}"/>' for joint, most in limits.items())
    path.write_text(robot_text().replace("</mujoco>", f"<actuator>{motors}</actuator></mujoco>"))
    return standing.replace(source=kt.read(path).source)


def test_the_stronger_leg_takes_the_load_where_the_other_is_too_weak(standing, tmp_path):
    even = dict(zip(*(lambda found: (found.names, np.abs(found.torques[10])))(robot_torques(standing)), strict=True))
    most = 0.8 * even["left_knee"]
    clip = with_motors(standing, tmp_path, left_knee=most, right_knee=1000.0)
    found = robot_torques(clip)
    torque = dict(zip(found.names, np.abs(found.torques[10]), strict=True))
    assert torque["left_knee"] <= most * (1.0 + 1e-6)
    assert torque["right_knee"] > 1.1 * even["right_knee"]
    assert found.unsupported == pytest.approx(robot_torques(standing).unsupported, abs=1e-9)
    assert not found.findings()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["whole", "filter"])
def test_a_result_beyond_the_motors_is_refused_with_joints_and_frames(standing, tmp_path, method):
    weak = with_motors(standing, tmp_path, left_knee=0.5, right_knee=0.5)
    operation = kt.FilterDynamics(method=method)
    done = kt.run(operation, weak)
    (refused,) = done.refused
    assert "_knee" in refused.message
    assert refused.frame is not None
    assert done.clip == weak
    strong = with_motors(standing, tmp_path, left_knee=500.0, right_knee=500.0)
    assert not kt.run(operation, strong).refused
