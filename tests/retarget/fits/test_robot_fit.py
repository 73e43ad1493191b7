import itertools
import re

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.robots.robot import RobotLayout
from kinetune.body.source import Source
from kinetune.formats.robots.robot_files import read_robot, robot_clip
from kinetune.retarget.fits.hinges import build_of, hinge_centres
from kinetune.retarget.retargeting import retarget
from kinetune.retarget.robot_report import report_robot
from tests.conftest import data_folder
from tests.retarget import small_robot
from tests.retarget.small_robot import robot_text

needs_data = pytest.mark.skipif(data_folder() is None, reason="no robot files here: set KINETUNE_DATA")


SOLE = '<geom type="box" pos=".03 0 -.03" size=".09 .03 .01" mass="1"/>'
ODD_LEGS = {
    "soles that are links of their own": (SOLE, SOLE + '<body name="{s}_foot" pos="0 .002 -.04"/>'),
    "feet that are balls": (SOLE, '<geom type="sphere" pos="1e-9 1e-9 -.02" size=".03" mass="1"/>'),
    "knees anywhere on their axes": ("-.01 0 -.22", "-.01 -.09 -.22"),
}


@pytest.mark.parametrize("change", ODD_LEGS)
def test_legs_face_ahead_however_their_links_lie(tmp_path, monkeypatch, change):
    leg = small_robot.LEG.replace(*ODD_LEGS[change])
    if "knees" in change:  # and ankles straight below the hips again
        leg = leg.replace('pos="0 0 -.3"', 'pos="0 .09 -.3"')
    monkeypatch.setattr(small_robot, "LEG", leg)
    (tmp_path / "odd.xml").write_text(small_robot.robot_text())
    build = build_of(kt.read(tmp_path / "odd.xml"))
    _, world = build.reference()
    left = rot.rotate(rot.multiply(world, build.axes), np.array([1.0, 0.0, 0.0]))
    for side, part in itertools.product(("left", "right"), ("upper leg", "lower leg", "foot")):
        assert left[build.roles[f"{side} {part}"]] @ [0.0, 0.0, -1.0] > np.cos(np.radians(25))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("robot") / "small.xml"
    path.write_text(robot_text())
    return kt.read(path)


@pytest.fixture(scope="module")
def walk():
    return kt.Resample(fps=30)(kt.sample("walk"))[:120]


@pytest.fixture(scope="module")
def fitted(small, walk):
    return retarget(walk, small)


def standing_speeds(result):
    """Speeds (n,) in m/s of sole points while they stand."""
    clip, speeds = result.clip, []
    for course in result.robot.feet:
        for number, point in enumerate(course.points):
            turned = rot.rotate(clip.world_rotations()[:, point.joint], np.array(point.offset))
            speed = np.linalg.norm(np.diff(clip.positions()[:, point.joint] + turned, axis=0), axis=1) * clip.fps
            speeds.append(speed[course.standing[1:, number] & course.standing[:-1, number]])
    return np.concatenate(speeds)


def test_the_centre_of_a_hip_is_where_its_axes_meet(small):
    joint, offset = hinge_centres(small)["left upper leg"]
    at = small.skeleton.rest_positions[joint] + rot.rotate(small.skeleton.rest_rotations[joint], offset)
    assert at == pytest.approx([0.01, -0.015, -0.1], abs=0.006)  # pitch and yaw meet at 0.01 0 0; roll is 3 cm lower


@pytest.mark.slow
def test_limits_are_never_violated(fitted):
    problem, x = fitted.robot.problem, fitted.robot.unknowns
    assert np.all((x >= problem.low) & (x <= problem.high))
    rows, missed = problem.robot.qpos(fitted.clip)
    assert missed.max() < 1e-9
    assert np.abs(rows - fitted.robot.rows).max() < 1e-9


def test_speed_limits_are_never_violated(small, walk, tmp_path):
    from dataclasses import replace

    robot = small.source.layout.robot
    slow = replace(robot, joints=tuple(replace(joint, velocity=2.5) for joint in robot.joints))
    body = robot_clip(slow, slow.home[None], 30.0, Source(layout=RobotLayout(slow)))
    result = retarget(walk, body)
    assert np.abs(np.diff(result.robot.unknowns[:, 6:], axis=0)).max() * 30.0 <= 2.5
    assert standing_speeds(result).mean() < 0.02


def test_feet_stand_still_and_above_the_floor(fitted):
    speeds = standing_speeds(fitted)
    assert len(speeds) > 100
    assert speeds.mean() < 0.005
    for course in fitted.robot.feet:
        for point in course.points:
            turned = rot.rotate(fitted.clip.world_rotations()[:, point.joint], np.array(point.offset))
            assert (fitted.clip.positions()[:, point.joint] + turned)[:, 1].min() > -0.005


def test_left_stays_left(fitted, walk):
    for side, sign in (("left", 1.0), ("right", -1.0)):
        hips = fitted.clip.world_rotations()[:, fitted.transfer.target.roles["hips"]]
        axes = fitted.transfer.target.axes[fitted.transfer.target.roles["hips"]]
        apart = fitted.clip.joint(f"{side} foot").positions - fitted.clip.joint("hips").positions
        assert np.median(rot.rotate(rot.inverse(rot.multiply(hips, axes)), apart)[:, 0]) * sign > 0.02


def test_the_motion_is_written_as_joint_values_and_read_back(fitted, small, tmp_path):
    clip = fitted.clip.replace(source=small.source)
    for name in ("out.csv", "out.qpos.npz"):
        kt.write(clip, tmp_path / name)
        back = kt.read(tmp_path / name, skeleton=small.source.path, fps=30)
        assert back.same_motion(clip)
        assert np.abs(back.source.layout.robot.qpos(back)[0] - fitted.robot.rows).max() < 1e-9


def test_a_robot_moves_a_character(fitted, small, walk):
    clip = fitted.clip.replace(source=small.source, contacts=fitted.clip.contacts)
    back = retarget(clip, kt.sample("walk")).clip
    shared = [role for role in ("left lower leg", "right lower leg", "left foot") if role in back.skeleton.roles]
    moved = [np.abs(np.diff(back.joint(role).positions, axis=0)).sum() for role in shared]
    assert min(moved) > 1.0
    assert kt.measure(back)["foot_slide_mm"] < 3.0


def arm_angles(source, result):
    """Degrees (frames, arms) between the upper arms of source and result."""
    ways = []
    for clip in (source, result):
        positions, roles = clip.positions(), clip.skeleton.roles
        way = [positions[:, roles[f"{s} lower arm"]] - positions[:, roles[f"{s} upper arm"]] for s in ("left", "right")]
        ways.append(np.stack(way, axis=1) / np.linalg.norm(way, axis=-1).T[..., None])
    return np.rad2deg(np.arccos(np.clip((ways[0] * ways[1]).sum(axis=-1), -1.0, 1.0)))


def test_arms_that_cannot_twist_point_where_they_should(tmp_path):
    path = tmp_path / "two_hinges.xml"
    path.write_text(re.sub(r'<joint name="\w+_shoulder_yaw".*?/>', "", robot_text()))
    drink = kt.Resample(fps=30)(kt.sample("sit-and-drink"))[30:120]
    result = retarget(drink, kt.read(path), feet=False).clip
    assert arm_angles(drink, result).mean() < 30.0  # 48 where orientations were asked for


def arm_off(source, result, part, link, way):
    """Degrees (frames,) between a part of the source's left arm and a link that points ``way`` at rest."""
    joint = result.skeleton.names.index(link)
    turned = rot.multiply(result.world_rotations()[:, joint], rot.inverse(result.skeleton.rest_rotations[joint]))
    positions, roles = source.positions(), source.skeleton.roles
    end = {"upper arm": "lower arm", "lower arm": "hand"}[part]
    along = positions[:, roles[f"left {end}"]] - positions[:, roles[f"left {part}"]]
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return np.rad2deg(np.arccos(np.clip((rot.rotate(turned, np.array(way)) * along).sum(axis=1), -1.0, 1.0)))


AHEAD, LEFT = (1.0, 0.0, 0.0), (0.0, 0.0, -1.0)


def test_forearms_without_hands_point_as_their_shapes_do(tmp_path, walk):
    hand = r'<body name="\w+_wrist_yaw_link".*?</body>'
    forearm = '<geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" mass=".3"/>'
    path = tmp_path / "no_hands.xml"
    path.write_text(re.sub(hand, forearm, robot_text().replace('range="-2.2 0"', 'range="-1 2.2"'), flags=re.DOTALL))
    result = retarget(walk[:60], kt.read(path)).clip
    assert arm_off(walk[:60], result, "lower arm", "left_elbow_link", AHEAD).mean() < 5.0


ARM_BY_NUMBERS = """<body name="A{c}1" pos="0 {y} .3">{i}<joint axis="0 1 0" range="-3 3"/>
<body name="A{c}2" pos="0 {a} 0">{i}<joint axis="1 0 0" range="-1.7 1.7"/>
<body name="A{c}3" pos="0 {b} 0">{i}<joint axis="0 1 0" range="-2.2 2.2"/>
<body name="{s}_hand_link" pos="0 {d} 0">{i}<joint axis="0 0 1" range="-2.4 2.4"/>
<geom type="capsule" fromto="0 0 0 0 {d} 0" size=".03" mass=".3"/></body></body></body></body>"""


def test_an_elbow_is_where_an_arm_bends(tmp_path, walk):
    inertial = '<inertial mass="1" pos="0 0 0" diaginertia=".001 .001 .001"/>'
    arms = "".join(
        ARM_BY_NUMBERS.format(s=s, c=s[0].upper(), i=inertial, y=y, a=0.3 * y, b=0.4 * y, d=y)
        for s, y in (("left", 0.16), ("right", -0.16))
    )
    start, end = (robot_text().index(text) for text in ('<body name="left_shoulder', "</body></body></worldbody>"))
    path = tmp_path / "numbers.xml"
    path.write_text(robot_text()[:start] + arms + robot_text()[end:])
    result = retarget(walk[:60], kt.read(path)).clip
    assert arm_off(walk[:60], result, "upper arm", "AL3", LEFT).mean() < 5.0
    assert arm_off(walk[:60], result, "lower arm", "left_hand_link", LEFT).mean() < 5.0


def test_an_elbow_bends_about_its_hinge_wherever_its_link_begins(tmp_path, walk):
    text = robot_text()
    for side, out in (("left", 0.04), ("right", -0.04)):  # along the axis of the elbow, and back
        text = text.replace(f'"{side}_elbow_link" pos="0 0 -.15"', f'"{side}_elbow_link" pos="0 {-out} -.05"')
        text = text.replace(f'"{side}_wrist_yaw_link" pos="0 0 -.2"', f'"{side}_wrist_yaw_link" pos="0 {out} -.2"')
    (tmp_path / "shifted.xml").write_text(text)
    build = build_of(kt.read(tmp_path / "shifted.xml"))
    frames = rot.multiply(build.reference()[1], build.axes)
    for side, part in itertools.product(("left", "right"), ("upper arm", "lower arm", "hand")):
        across, up = (rot.rotate(frames[build.roles[f"{side} {part}"]], axis) for axis in np.eye(3)[:2])
        assert across @ [0.0, 0.0, -1.0] > np.cos(np.radians(1.0))
        assert up @ [0.0, 1.0, 0.0] > np.cos(np.radians(1.0))
    alone = retarget(walk[:30], kt.read(tmp_path / "shifted.xml")).clip.replace(source=Source())
    assert build_of(alone).centres  # without the file no range says which way an elbow bends


def test_an_inertia_that_no_material_has_shows_no_sole(tmp_path, monkeypatch):
    heavy = '<inertial mass="{mass}" pos="0 0 0" diaginertia=".01 .01 .01"/>'
    ankle, sole = small_robot.LEG.split('<geom type="box"')
    soles = []
    for mass in (0.2, 9.0):  # boxes of 1.2 and of 16,500 kg/m^3
        leg = f'{ankle}{heavy.format(mass=mass)}<body name="{{s}}_sole"><geom type="box"{sole}</body>'
        monkeypatch.setattr(small_robot, "LEG", leg)
        (tmp_path / "calm.xml").write_text(small_robot.robot_text())
        feet = build_of(kt.read(tmp_path / "calm.xml")).ground.feet
        soles.append([point.offset for foot in feet for point in foot.points])
    assert np.allclose(soles[0], soles[1], atol=0.01)


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("file", ["unitree_g1.xml", "unitree_h1_2.urdf", "robotis_op3.xml"])
def test_real_robots_walk(file, walk):
    body = kt.read(data_folder() / "robots" / file)
    result = retarget(walk[:60], body)
    assert standing_speeds(result).mean() < 0.01
    assert np.all(result.robot.unknowns <= result.robot.problem.high)
    assert read_robot(data_folder() / "robots" / file).qpos(result.clip)[1].max() < 1e-9


def test_feet_of_a_walk_in_place_stand_on_a_belt(small, walk):
    result = retarget(kt.InPlace()(walk)[:60], small)
    assert np.linalg.norm(result.transfer.source.ground.drift) > 0.3
    assert report_robot(result.robot, result.transfer)["contact_speed_m_s"] < 0.1


def test_the_report_counts_no_violation(fitted):
    figures = report_robot(fitted.robot, fitted.transfer)
    assert (figures["range_violations"], figures["speed_violations"]) == (0, 0)
    assert figures["contact_speed_m_s"] < 0.005
    assert figures["penetration_mm"] < 2.0
    assert figures["orientation_deg"] < 12.0
    assert figures["at_limit"].keys() <= {joint.name for joint in fitted.robot.problem.robot.joints}


@needs_data
@pytest.mark.parametrize("number", ["01_single_text_prompt", "07_text_terrain"])
def test_a_generated_robot_has_the_legs_of_its_robot(number):
    generated = build_of(kt.read(data_folder() / "kimodo" / f"g1-rp_{number}.npz"))
    robot = build_of(kt.read(data_folder() / "robots" / "unitree_g1.xml"))
    assert generated.leg == pytest.approx(robot.leg, rel=0.01)
