"""Robots: kinematics as MuJoCo's, joint values in and out, limits and masses, files that lie."""

import json

import numpy as np
import pytest

import kinetune as kt
from kinetune.body.robots.robot import RobotLayout
from kinetune.body.source import Source
from kinetune.errors import FileError, MalformedFileError
from kinetune.formats.robots.robot_files import read_robot, robot_clip
from tests.conftest import data_folder
from tests.retarget.small_robot import robot_text

DATA = data_folder()
needs_data = pytest.mark.skipif(
    DATA is None or not (DATA / "robots").is_dir(), reason="no robot files here: set KINETUNE_DATA"
)

SCENE = """<mujoco model="test">
  <compiler angle="degree" eulerseq="zYx"/>
  <default>
    <joint damping="1"/>
    <default class="big"><joint axis="0 1 0" range="-30 45"/><geom size=".1"/>
      <default class="bigger"><joint range="-90 90" ref="10"/></default>
    </default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="pelvis" pos="0 0 1" euler="10 20 30" childclass="big">
      <freejoint name="base"/>
      <inertial pos="0 0 .1" mass="3" diaginertia="1 1 1"/>
      <include file="parts/leg.xml"/>
      <frame pos="0 .1 0" axisangle="1 2 3 40">
        <body name="torso" pos="0 0 .3" xyaxes="1 1 0 -1 1 .2">
          <joint name="waist_z" axis="0 0 1" pos="0 0 -.1"/>
          <joint name="waist_y" axis="0 1 0" pos="0 0 -.1"/>
          <joint name="waist_x" axis="1 0 0" pos="0 0 -.05"/>
          <geom type="box" size=".1 .1 .2"/>
          <body name="head" pos="0 0 .3" zaxis="1 1 3"><joint name="look" class="main" type="ball"/>
           <geom type="sphere" size=".1"/></body>
          <body name="right_hand" pos="0 .3 .1">
            <joint name="slide" type="slide" axis="1 0 0" range="0 .2"/>
            <joint name="grip" class="bigger" pos=".02 0 0"/>
            <geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1"/>
          </body>
        </body>
      </frame>
    </body>
  </worldbody>
  <actuator><motor joint="knee" gear="50" ctrlrange="-1 1" ctrllimited="true"/></actuator>
  <keyframe><key name="bent" qpos="0 0 2 1 0 0 0 .1 .2 .3 .4 .5 .6 1 0 0 0 .1 .2"/></keyframe>
</mujoco>"""
LEG = """<mujocoinclude>
  <body name="left_hip_pitch_link" pos="0 .1 -.1" quat="2 0 1 0">
    <joint name="hip" class="bigger"/><joint name="hip_x" axis="2 0 0"/><geom/>
    <body name="left_knee_link" pos="0 0 -.4"><joint name="knee" pos="0 .01 .02" limited="false"/><geom/></body>
  </body>
</mujocoinclude>"""


@pytest.fixture
def scene(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "leg.xml").write_text(LEG)
    (tmp_path / "robot.xml").write_text(SCENE)
    return tmp_path / "robot.xml"


def y_up(vectors):
    return np.stack([vectors[..., 0], vectors[..., 2], -vectors[..., 1]], axis=-1)


def random_rows(robot, frames=8, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-1, 1, (frames, robot.size))
    for start in [robot.base_column + 3] * robot.floating + [j.column for j in robot.joints if j.kind == "ball"]:
        rows[:, start : start + 4] /= np.linalg.norm(rows[:, start : start + 4], axis=1, keepdims=True)
    return rows


def clip_of(robot, rows):
    return robot_clip(robot, rows, 30.0, Source())


def test_kinematics_are_mujocos(scene):
    mujoco = pytest.importorskip("mujoco")
    robot = read_robot(scene)
    model = mujoco.MjModel.from_xml_path(str(scene))
    data = mujoco.MjData(model)
    assert robot.size == model.nq
    assert np.allclose(robot.home, model.qpos0)
    rows = random_rows(robot)
    clip = clip_of(robot, rows)
    for frame, row in enumerate(rows):
        data.qpos[:] = row
        mujoco.mj_kinematics(model, data)
        for body in range(1, model.nbody):
            joint = robot.skeleton.index(model.body(body).name)
            assert np.abs(clip.positions()[frame, joint] - y_up(data.xpos[body])).max() < 1e-9
    bodies = {model.body(k).name: model.body_mass[k] for k in range(1, model.nbody)}
    masses = {name: robot.masses[robot.skeleton.index(name)] for name in bodies}
    assert masses == pytest.approx(bodies, rel=1e-9)
    for body in range(1, model.nbody):
        node = robot.skeleton.index(model.body(body).name)
        axes = np.empty(9)
        mujoco.mju_quat2Mat(axes, model.body_iquat[body])
        inertia = axes.reshape(3, 3) @ np.diag(model.body_inertia[body]) @ axes.reshape(3, 3).T
        assert np.allclose(robot.inertias[node], inertia, atol=0.02 * inertia.max())  # rounded ends of capsules
    for joint in robot.joints:
        if model.joint(joint.name).limited[0] and joint.kind == "hinge":
            assert (joint.lower, joint.upper) == pytest.approx(tuple(model.joint(joint.name).range))


def test_the_total_mass_may_be_set(scene):
    plain = read_robot(scene)
    scene.write_text(SCENE.replace("<compiler ", '<compiler settotalmass="14" '))
    robot = read_robot(scene)
    share = 14.0 / plain.masses.sum()
    assert np.allclose(robot.masses, share * plain.masses)
    assert np.allclose(robot.inertias, share * plain.inertias)


def test_limits_torques_and_defaults(scene):
    joints = {joint.name: joint for joint in read_robot(scene).joints}
    assert joints["hip"].axis == (0.0, 1.0, 0.0)
    assert (joints["hip"].lower, joints["hip"].upper) == pytest.approx((-np.pi / 2, np.pi / 2))
    assert joints["hip"].reference == pytest.approx(np.radians(10))
    assert joints["hip_x"].axis == (1.0, 0.0, 0.0)
    assert joints["knee"].effort == 50.0
    assert np.isinf(joints["knee"].upper)


def test_joint_values_come_back(scene):
    robot = read_robot(scene)
    rows = random_rows(robot)
    solved, missed = robot.qpos(clip_of(robot, rows))
    assert missed.max() < 1e-9
    again = clip_of(robot, solved)
    assert np.abs(again.positions() - clip_of(robot, rows).positions()).max() < 1e-9
    plain = [k for k in range(robot.size) if k > 6]
    inside = np.abs(rows[:, plain]) < 1.5
    close = np.isclose(solved[:, plain], rows[:, plain], atol=1e-6) | np.isclose(
        -solved[:, plain], rows[:, plain], atol=1e-6
    )
    assert (close | ~inside).mean() > 0.95  # balls have two quaternions for one rotation


def test_the_outermost_class_may_have_a_name(tmp_path):
    (tmp_path / "a.xml").write_text(
        '<mujoco><default class="mine"><joint axis="1 0 0"/></default><worldbody><body name="a"><body name="b">'
        '<joint name="j" class="mine"/></body></body></worldbody></mujoco>'
    )
    assert read_robot(tmp_path / "a.xml").joints[0].axis == (1.0, 0.0, 0.0)


def test_info_tells_what_a_robot_is(scene):
    facts = kt.read(scene).source.layout.facts()
    assert facts["robot"].startswith("test, 7 hinges, 1 slide, 1 ball, floating base")
    assert "1 of torque" in facts["limits"]


def test_a_keyframe_is_an_animation(scene):
    clip = kt.read(scene, animation="bent")
    assert clip.root[0] == pytest.approx((0, 2, 0))
    with pytest.raises(FileError, match=r'no keyframe "straight"\. It has bent'):
        kt.read(scene, animation="straight")


def test_a_robot_reads_as_a_clip_that_stands_up(scene):
    clip = kt.read(scene)
    assert len(clip) == 1
    assert clip.source.up == "z"
    assert clip.skeleton.names[clip.skeleton.roles["left lower leg"]] == "left_knee_link_joint"
    assert clip.root[0] == pytest.approx((0, 1, 0))


@pytest.mark.parametrize("laid", ["0.7 0.7 0 0", "0.7 -0.7 0 0.01", "0 1 0 0", "0.5 0.5 -0.5 0.5"])
def test_a_humanoid_that_lies_in_its_file_stands_at_home(tmp_path, laid):
    """Joint values mean what they did; only where the body is while nobody says so changes."""
    texts = (
        robot_text(),
        robot_text().replace('name="pelvis" pos="0 0 .8"', f'name="pelvis" pos="0 0 .8" quat="{laid}"'),
    )
    robots = []
    for name, text in zip(("a.xml", "b.xml"), texts, strict=True):
        (tmp_path / name).write_text(text)
        robots.append(read_robot(tmp_path / name))
    rest = robots[1].skeleton.rest_positions
    ankle = robots[1].skeleton.index("left_ankle_roll_link")
    assert rest[ankle, 1] - rest[0, 1] < -0.5
    assert rest[robots[1].skeleton.index("torso_link"), 1] > rest[0, 1]
    assert np.allclose(kt.read(tmp_path / "b.xml").world_rotations()[0], robots[1].skeleton.rest_rotations)
    rows = random_rows(robots[0])
    assert np.allclose(*(clip_of(robot, rows).positions() for robot in robots))


# --- URDF

URDF = """<robot name="arm"><link name="base"/><link name="left_shoulder_pitch_link"/><link name="left_elbow_link">
<inertial><mass value="2"/><origin xyz="0 0 1"/></inertial></link>
<joint name="s" type="revolute"><parent link="base"/><child link="left_shoulder_pitch_link"/>
<origin xyz="0 1 0" rpy="0.1 0.2 0.3"/><axis xyz="0 3 4"/><limit lower="-1" upper="2" velocity="3" effort="4"/></joint>
<joint name="e" type="continuous"><parent link="left_shoulder_pitch_link"/><child link="left_elbow_link"/>
<origin xyz="0 0 -1"/></joint></robot>"""


def test_urdf_has_speeds_torques_and_masses(tmp_path):
    (tmp_path / "a.urdf").write_text(URDF)
    robot = read_robot(tmp_path / "a.urdf")
    s, e = robot.joints
    assert (s.lower, s.upper, s.velocity, s.effort, s.axis) == (-1, 2, 3, 4, pytest.approx((0, 0.6, 0.8)))
    assert e.axis == (1, 0, 0)
    assert np.isinf(e.upper)
    assert robot.masses.tolist() == [0, 0, 2]
    assert robot.size == 9


def test_urdf_as_programs_write_it(tmp_path):
    """Empty lines before the declaration and a zero byte at the end, commas, and limits that mean none."""
    text = URDF.replace('xyz="0 1 0"', 'xyz="0, 1, 0"').replace('velocity="3"', 'velocity="3.4028235e+38"')
    text = text.replace('upper="2"', 'upper="inf"')
    (tmp_path / "a.urdf").write_bytes(b'\n\n<?xml version="1.0"?>\n' + text.encode() + b"\r\n\0")
    robot = read_robot(tmp_path / "a.urdf")
    assert robot.skeleton.offsets[1] == pytest.approx((0, 1, 0))
    assert (robot.joints[0].lower, robot.joints[0].upper, robot.joints[0].velocity) == (-1, np.inf, np.inf)
    (tmp_path / "a.urdf").write_bytes(b'\n\n<?xml version="1.0"?>\n' + text.replace('"0, 1, 0"', '"0 1"').encode())
    with pytest.raises(MalformedFileError, match=r"a\.urdf:7: xyz of <origin> takes 3 numbers"):
        read_robot(tmp_path / "a.urdf")


def test_a_spherical_joint_is_a_ball(tmp_path):
    (tmp_path / "a.urdf").write_text(URDF.replace("revolute", "spherical"))
    robot = read_robot(tmp_path / "a.urdf")
    assert [joint.kind for joint in robot.joints] == ["ball", "hinge"]
    assert robot.home.tolist() == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0]
    rows = random_rows(robot)
    clip = clip_of(robot, rows).replace(source=Source(layout=RobotLayout(robot)))
    rebuilt, _ = robot.qpos(clip)
    assert np.allclose(np.abs(np.sum(rebuilt[:, 7:11] * rows[:, 7:11], axis=1)), 1.0)
    assert np.allclose(rebuilt[:, 11], rows[:, 11])


@pytest.mark.parametrize("options", [{"unit": "cm"}, {"up": "y"}])
def test_unit_and_axis_of_a_robot_are_no_choice(tmp_path, options):
    (tmp_path / "a.urdf").write_text(URDF)
    with pytest.raises(FileError, match="in metres with Z up"):
        kt.read(tmp_path / "a.urdf", **options)


FINGERS = URDF.replace(
    "</robot>",
    '<link name="tip"/><joint name="t" type="revolute"><parent link="left_elbow_link"/><child link="tip"/>'
    '<mimic joint="e" multiplier="2" offset="0.1"/></joint></robot>',
)


def test_a_mimic_joint_follows_its_leader(tmp_path):
    (tmp_path / "a.urdf").write_text(FINGERS)
    robot = read_robot(tmp_path / "a.urdf")
    rows = np.tile(robot.home, (3, 1))
    rows[:, 8], rows[:, 9] = (0.0, 0.2, 0.4), 7.0
    clip = clip_of(robot, rows).replace(source=Source(layout=RobotLayout(robot)))
    turned = kt.rotations.angle_between(clip.rotations[:, 3], clip.skeleton.rest[3])
    assert turned == pytest.approx([0.1, 0.5, 0.9])
    kt.write(clip, tmp_path / "a.qpos.csv")
    assert kt.read(tmp_path / "a.qpos.csv", skeleton=tmp_path / "a.urdf").same_motion(clip)
    followed = robot.qpos(clip)[0]
    assert np.allclose(followed[:, 9], 2 * followed[:, 8] + 0.1)
    np.savetxt(tmp_path / "b.csv", followed[:, :9], delimiter=",")  # tables often leave followers out
    assert kt.read(tmp_path / "b.csv", skeleton=tmp_path / "a.urdf").same_motion(clip)


def test_a_joint_cannot_follow_nothing(tmp_path):
    (tmp_path / "a.urdf").write_text(FINGERS.replace('mimic joint="e"', 'mimic joint="x"'))
    with pytest.raises(MalformedFileError, match='"t" follows "x"'):
        read_robot(tmp_path / "a.urdf")


def test_an_equality_of_joints_is_a_mimic(scene):
    text = scene.read_text().replace(
        "</mujoco>", '<equality><joint joint1="hip_x" joint2="knee" polycoef="0.1 -1 0 0 0"/></equality></mujoco>'
    )
    scene.write_text(text)
    robot = read_robot(scene)
    rows = robot.follow(random_rows(robot))
    joints = {joint.name: joint.column for joint in robot.joints}
    assert np.allclose(rows[:, joints["hip_x"]], 0.1 - rows[:, joints["knee"]])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("<mujoco", "not XML"),
        ("<svg/>", "not <mujoco> or <robot>"),
        ("<mujocoinclude/>", "Open the file that includes it"),
        ("<mujoco/>", "no body"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><mujoco/>', 'entity "x"'),
        ('<mujoco><worldbody><body pos="1 2"/></worldbody></mujoco>', "a.xml:1: pos of <body> takes 3 numbers"),
        ('<mujoco><worldbody><body pos="1 2 inf"/></worldbody></mujoco>', "takes 3 numbers"),
        ('<mujoco><worldbody><body quat="0 0 0 0"/></worldbody></mujoco>', "no length"),
        ('<mujoco><worldbody><body><joint axis="0 0 0"/></body></worldbody></mujoco>', "no length"),
        ('<mujoco><worldbody><body><joint type="odd"/></body></worldbody></mujoco>', "not a type of joint"),
        ('<mujoco><worldbody><body><joint class="odd"/></body></worldbody></mujoco>', 'no default class "odd"'),
        ("<mujoco><worldbody><replicate/></worldbody></mujoco>", "mj_saveLastXML"),
        ('<mujoco><include file="../../etc/passwd"/></mujoco>', "does not lie in the folder"),
        ('<mujoco><include file="/etc/passwd"/></mujoco>', "does not lie in the folder"),
        ('<mujoco><include file="a.xml"/></mujoco>', "include each other"),
        ('<mujoco><include file="none.xml"/></mujoco>', "cannot be read"),
        ('<robot><xacro:macro name="a"/></robot>', "xacro robot.xacro > robot.urdf"),
        ("<robot/>", "no links"),
        ('<robot><link name="a"/><link name="b"/></robot>', "has 2: a, b"),
        ('<robot><link name="a"/><joint type="fixed"/></robot>', "is not a link"),
        ("<mujoco>" + "<a>" * 200, "deep"),
    ],
)
def test_bad_robots_are_one_message(tmp_path, text, said):
    (tmp_path / "a.xml").write_text(text)
    with pytest.raises(MalformedFileError, match=said) as caught:
        kt.read(tmp_path / "a.xml")
    assert "\n" not in str(caught.value)


def test_an_include_may_not_leave_the_folder_by_a_link(tmp_path):
    (tmp_path / "secret.xml").write_text("<mujocoinclude/>")
    inside = tmp_path / "robot"
    inside.mkdir()
    (inside / "link.xml").symlink_to(tmp_path / "secret.xml")
    (inside / "a.xml").write_text('<mujoco><include file="link.xml"/></mujoco>')
    with pytest.raises(MalformedFileError, match="does not lie in the folder"):
        kt.read(inside / "a.xml")


def test_two_robots_in_one_file_are_refused(tmp_path):
    body = '<body name="{0}"><freejoint/>' + "<body><joint/>" * 6 + "</body>" * 7
    text = f"<mujoco><worldbody>{body.format('one')}{body.format('two')}</worldbody></mujoco>"
    (tmp_path / "a.xml").write_text(text)
    with pytest.raises(MalformedFileError, match='2 robots, "one" and "two"'):
        kt.read(tmp_path / "a.xml")


# --- qpos


@pytest.mark.parametrize("suffix", [".csv", ".qpos.csv", ".qpos.npz"])
def test_qpos_round_trip(scene, tmp_path, suffix):
    robot = read_robot(scene)
    rows = random_rows(robot)
    rows[:, 3:7] = upright_rows(robot, len(rows))[:, 3:7]
    np.savetxt(tmp_path / "in.csv", rows, delimiter=",")
    clip = kt.read(tmp_path / "in.csv", skeleton=scene, fps=50)
    kt.write(clip, tmp_path / f"out{suffix}")
    back = kt.read(tmp_path / f"out{suffix}", skeleton=scene, fps=None if "npz" in suffix else 50)
    assert back.same_motion(clip)


def upright_rows(robot, frames=20):
    """Rows within the limits of a robot that stands and looks about."""
    rows = np.tile(robot.home, (frames, 1))
    yaw = np.linspace(0, 2, frames)
    rows[:, 3:7] = np.stack([np.cos(yaw / 2), 0 * yaw, 0 * yaw, np.sin(yaw / 2)], axis=1)
    for joint in robot.joints:
        if joint.kind == "hinge":
            rows[:, joint.column] = np.linspace(joint.reference - 0.3, joint.reference + 0.3, frames)
    return rows


def test_dialects_of_qpos_are_detected(scene, tmp_path):
    robot = read_robot(scene)
    rows = upright_rows(robot)
    plain = clip_of(robot, rows)
    other = rows.copy()
    other[:, 3:7] = rows[:, [4, 5, 6, 3]]
    other[:, :3] *= 100
    hinges = [joint.column for joint in robot.joints if joint.kind == "hinge"]
    other[:, hinges] = np.degrees(rows[:, hinges])
    np.savetxt(tmp_path / "a.csv", other, delimiter=",")
    clip = kt.read(tmp_path / "a.csv", skeleton=scene, fps=30)
    assert {finding.kind for finding in clip.source.findings} >= {"degrees", "guessed-unit", "guessed-quaternions"}
    assert np.abs(clip.positions() - plain.positions()).max() < 1e-6
    np.savetxt(tmp_path / "b.csv", rows, delimiter=",")
    assert np.abs(kt.read(tmp_path / "b.csv", skeleton=scene).positions() - plain.positions()).max() < 1e-9


def test_rows_in_parts_are_joined(scene, tmp_path):
    robot = read_robot(scene)
    rows = upright_rows(robot)
    np.savez(tmp_path / "a.npz", root_pos=rows[:, :3], root_rot=rows[:, [4, 5, 6, 3]], dof_pos=rows[:, 7:], fps=50)
    clip = kt.read(tmp_path / "a.npz", skeleton=scene)
    assert clip.fps == 50
    assert clip.same_motion(clip_of(robot, rows).replace(fps=50))
    with pytest.raises(FileError, match="--model"):
        kt.read(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", root_pos=rows[:, :3], dof_pos=rows[:, 7:])
    with pytest.raises(FileError, match="root_rot"):
        kt.read(tmp_path / "b.npz", skeleton=scene)


def test_columns_are_found_by_name(scene, tmp_path):
    arm = tmp_path / "a.urdf"
    arm.write_text(URDF)
    (tmp_path / "a.csv").write_text("time,e_dof,s_dof\n0,0.5,0.1\n1,0.6,0.2\n")
    clip = kt.read(tmp_path / "a.csv", skeleton=arm)
    robot = read_robot(arm)
    rows = np.tile(robot.home, (2, 1))
    rows[:, 7:] = [[0.1, 0.5], [0.2, 0.6]]
    assert clip.same_motion(clip_of(robot, rows))


def test_an_axis_that_the_robot_lacks_is_left_to_the_hinges_around(scene, tmp_path):
    clip = kt.read(scene)
    turned = np.array(clip.rotations)
    knee = clip.skeleton.index("left_knee_link_joint")
    turned[:, knee] = kt.rotations.multiply(turned[:, knee], kt.rotations.from_axis_angle((1, 0, 0), 0.2))
    with pytest.warns(UserWarning, match="axes that the robot does not have"):
        kt.write(clip.replace(rotations=turned), tmp_path / "a.qpos.csv")
    back = kt.read(tmp_path / "a.qpos.csv", skeleton=scene)
    assert back.source.layout.robot.qpos(back)[1].max() < 1e-9


def test_qpos_names_its_bridges(scene, tmp_path):
    np.savetxt(tmp_path / "a.csv", np.zeros((3, 5)), delimiter=",")
    with pytest.raises(FileError, match="--model"):
        kt.read(tmp_path / "a.csv")
    with pytest.raises(FileError, match="5 values, but the robot test takes"):
        kt.read(tmp_path / "a.csv", skeleton=scene)
    with pytest.raises(FileError, match="this clip is not a robot's"):
        kt.write(kt.sample("walk"), tmp_path / "a.qpos.csv")


# --- real robots

BODIES = ("mujoco_humanoid", "unitree_g1", "unitree_go2", "robotis_op3")


@needs_data
@pytest.mark.parametrize("name", BODIES)
def test_real_mjcf_has_golden_positions(name):
    golden = json.loads((DATA / "robots" / "golden" / f"{name}.json").read_text())
    robot = read_robot(DATA / "robots" / f"{name}.xml")
    clip = clip_of(robot, np.array(golden["qpos"]))
    wanted = y_up(np.array(golden["xpos"]))
    for body, label in enumerate(golden["bodies"][1:], 1):
        assert np.abs(clip.joint(label).positions - wanted[:, body]).max() < 1e-6  # golden has seven digits


@needs_data
@pytest.mark.parametrize("name", ["own_biped", "unitree_g1_29dof"])
def test_real_urdf_has_golden_positions(name):
    golden = json.loads((DATA / "robots" / "golden" / f"{name}_urdf.json").read_text())
    robot = read_robot(DATA / "robots" / f"{name}.urdf")
    rows = np.tile(robot.home, (len(golden["q"]), 1))
    for joint in robot.joints:
        rows[:, joint.column] = [values[joint.name] for values in golden["q"]]
    positions = clip_of(robot, rows).positions()
    for frame, links in enumerate(golden["link_pos"]):
        for link, place in links.items():
            assert np.abs(positions[frame, robot.skeleton.index(link)] - y_up(np.array(place))).max() < 1e-6


@needs_data
@pytest.mark.filterwarnings("ignore:BVH states neither unit nor axes")
@pytest.mark.parametrize("file", ["unitree_g1.xml", "unitree_g1_29dof.urdf", "unitree_h1_2.urdf", "robotis_op3.xml"])
def test_sides_survive_bvh(file, tmp_path):
    clip = kt.read(DATA / "robots" / file)
    back = kt.read(kt.write(clip, tmp_path / "a.bvh"))
    for side in ("left", "right"):
        for part in ("upper leg", "lower leg", "foot", "upper arm", "lower arm"):
            name = clip.skeleton.names[clip.skeleton.roles[f"{side} {part}"]]
            assert name.startswith(side[0])
            assert back.skeleton.names[back.skeleton.roles[f"{side} {part}"]] == name


@needs_data
@pytest.mark.parametrize("name", ["own_g1_wxyz_30fps.csv", "own_g1_xyzw_30fps.csv", "own_g1_qpos.npz"])
def test_real_qpos_has_golden_positions(name):
    golden = json.loads((DATA / "qpos" / "golden" / f"{name.partition('.')[0]}.json").read_text())
    clip = kt.read(DATA / "qpos" / name, skeleton=DATA / "robots" / "unitree_g1.xml")
    wanted = y_up(np.array(golden["xpos"]))
    for body, label in enumerate(golden["bodies"][1:], 1):
        assert np.abs(clip.joint(label).positions[golden["frames_index"]] - wanted[:, body]).max() < 1e-6
