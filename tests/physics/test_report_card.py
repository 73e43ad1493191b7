"""The physics report card."""

from __future__ import annotations

import json

import numpy as np
import pytest

import kinetune as kt
from kinetune.physics._inverse_dynamics import ContactForceSolver, centre_of_pressure, support_margin
from kinetune.physics.ground import HeightField
from kinetune.physics.model.body_model import Body
from kinetune.physics.report_card import physics_report
from tests.body.people import adult, random_clip, random_tree
from tests.physics.figures import still, walker, walker_body


def slid(metres_per_second_2: float, frames: int = 20) -> kt.Clip:
    """The standing figure, pushed sideways with a constant acceleration."""
    clip = still(frames)
    root = np.array(clip.root)
    root[:, 0] += 0.5 * metres_per_second_2 * clip.times**2
    return clip.replace(root=root)


def test_friction_is_the_ratio_of_the_accelerations():
    """A stiff figure accelerated by a needs mu = a / g."""
    report = physics_report(slid(2.0), ground=0.0, cutoff_hz=None)
    assert np.allclose(report.friction[5:-5], 2.0 / 9.81, rtol=1e-6)
    assert report.inside_share == 1.0
    strict = physics_report(slid(2.0), ground=0.0, cutoff_hz=None, mu=0.1)
    assert strict.inside_share == 0.0
    told = strict.ranges()
    assert told[0]["why"] == "needs more friction than there is"
    assert told[0]["worst"] == pytest.approx(2.0 / 9.81, rel=1e-4)


def test_what_friction_cannot_give_is_left():
    """On ice nothing pushes sideways: the residual is the whole of m a, the smallest that the forces allow."""
    report = physics_report(slid(1.0), ground=0.0, cutoff_hz=None, mu=0.0)
    assert report.residual[10] >= 1.0 / 9.81 - 1e-6
    assert np.isfinite(report.residual[1:-1]).all()


def test_a_ballistic_arc_is_one():
    clip = still(60)
    root = np.array(clip.root)
    air = slice(20, 40)
    seconds = np.arange(20) / clip.fps
    root[air, 1] += 1.6 * seconds - 0.5 * 9.81 * seconds**2 + 0.06
    arc = clip.replace(root=root)
    (flight,) = [f for f in physics_report(arc, ground=0.0, cutoff_hz=None).flights if f[1] - f[0] > 5]
    assert flight[2] < 1e-6
    root[air, 1] += 0.03 * np.sin(np.linspace(0.0, np.pi, 20))
    bent_arc = physics_report(clip.replace(root=root), ground=0.0, cutoff_hz=None)
    assert max(error for _, _, error in bent_arc.flights) > 2e-3


def test_needing_force_in_the_air_is_told():
    clip = still(30)
    report = physics_report(clip.replace(root=clip.root + np.array([0.0, 1.0, 0.0])), ground=0.0)
    assert report.inside_share == 0.0
    assert report.ranges()[0]["why"] == "needs a force while nothing touches the ground"
    assert any("Nothing touches the ground" in note and "100 cm" in note for note in report.notes)


def test_a_floating_clip_finds_its_own_floor():
    """Without a ground the feet say where it is, as everywhere in Kinetune."""
    clip = still(30)
    report = physics_report(clip.replace(root=clip.root + np.array([0.0, 1.0, 0.0])))
    assert report.inside_share == 1.0
    assert any("float above" in note for note in report.notes)


@pytest.mark.slow
def test_a_walk_is_plausible():
    report = physics_report(walker(), walker_body(), mu=0.6)
    told = report.as_dict()
    assert told["inside_cone"] > 0.98
    assert told["friction_needed_usual"] < 0.5
    assert 1.0 < told["force_peak_bw"] < 2.0
    assert told["root_residual_mean_bw"] < 0.02
    assert told["torque_peak_nm"]["LeftUpLeg"] < 400.0


def test_torques_and_forces_account_for_the_motion():
    """H a + C = torques + J^T forces: what is left over is the root's residual and nothing else."""
    body, clip = walker_body(), walker()[:40]
    report = physics_report(clip, body, cutoff_hz=None, ground=0.0)
    again = physics_report(clip, body, cutoff_hz=None, ground=0.0, forces=report.contact_forces)
    assert np.allclose(report.torques[1:-1], again.torques[1:-1], atol=1e-9)
    assert np.allclose(report.residual[1:-1], again.residual[1:-1], atol=1e-3)  # spreading the load costs that


def test_json_ready():
    told = physics_report(walker()[:30], walker_body()).as_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_rows_for_people():
    rows = dict(physics_report(walker()[:30], walker_body()).rows())
    assert rows["body"].startswith("70.0 kg")
    assert "mu = 1" in rows["friction cone"]


def test_uneven_ground_turns_the_cone():
    """On a slope of 30 percent a standing figure needs mu = 0.3."""
    slope = HeightField(lambda x, z: 0.3 * x)
    clip = still(12)
    body = Body.fit(clip.skeleton)
    points = body.point_positions(body.coordinates(clip))[0]
    low = float(np.max(points[:, 1] - slope.height(points)))
    lowered = clip.replace(root=clip.root - [0.0, low - 0.01, 0.0])
    report = physics_report(lowered, body, ground=slope, cutoff_hz=None)
    assert report.touching[5].any()
    assert report.friction[5] == pytest.approx(0.3, rel=1e-6)


def test_a_quadruped_stands_on_its_four_legs(shared_data):
    clip = kt.read(shared_data / "gltf" / "Fox.glb")
    report = physics_report(clip[:40])
    assert not report.body.human
    assert len(report.body.points) == 4
    assert report.as_dict()["root_residual_mean_bw"] < 0.05
    assert any("mass of a bar of flesh" in note for note in report.as_dict()["notes"])


def test_a_stray_t_pose_is_left_out(shared_data):
    clip = kt.read(shared_data / "cmu" / "07_01.bvh")[:60]
    report = physics_report(clip)
    assert not report.judged[0]
    assert report.as_dict()["friction_needed"] < 0.7


# --- bad input


def test_two_frames_are_too_few():
    with pytest.raises(kt.KinetuneError, match="three frames; the clip has 2"):
        physics_report(still(2))


def test_fifteen_frames_a_second_are_judged_with_a_warning():
    report = physics_report(kt.sample("walk")[::4])
    assert report.clip.fps == 15.0
    assert any("coarse" in note for note in report.notes)
    assert report.inside_share > 0.9


def test_no_feet_no_contact():
    clip = random_clip(random_tree(2, seed=1), frames=8, size=0.01)
    report = physics_report(clip)
    assert any("No feet" in note for note in report.notes)
    json.dumps(report.as_dict(), allow_nan=False)


@pytest.mark.parametrize("values", [{"mu": -1.0}, {"mu": np.nan}, {"cutoff_hz": -2.0}, {"sides": 2}])
def test_bad_knobs_are_told(values):
    with pytest.raises(kt.KinetuneError, match=r"mu|cutoff_hz|sides"):
        physics_report(still(5), **values)


def test_forces_of_another_shape_are_refused():
    with pytest.raises(kt.KinetuneError, match="one force for each contact"):
        physics_report(still(5), forces=np.zeros((5, 3)))


# --- parts


def test_centre_of_pressure_has_the_torque_of_the_whole():
    rng = np.random.default_rng(0)
    points = rng.uniform(-0.3, 0.3, (6, 3)) * [1.0, 0.0, 1.0]
    forces = rng.uniform(-20.0, 20.0, (6, 3)) + np.array([0.0, 100.0, 0.0])
    com = np.array([0.05, 0.9, -0.1])
    torque = np.cross(points - com, forces).sum(axis=0)
    total = forces.sum(axis=0)
    place = centre_of_pressure(total, torque, com, 0.0)
    left = torque - np.cross(place - com, total)
    assert np.abs(left[[0, 2]]).max() < 1e-9
    expected = (points * forces[:, 1:2]).sum(axis=0) / total[1]
    assert np.allclose(place[[0, 2]], expected[[0, 2]])


def test_margin_of_a_square():
    square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]])
    assert support_margin(np.array([0.5, 0.0, 0.5]), square) == pytest.approx(0.5)
    assert support_margin(np.array([2.0, 0.0, 0.5]), square) == pytest.approx(-1.0)
    assert support_margin(np.array([2.0, 0.0, 2.0]), square) == pytest.approx(-np.sqrt(2.0))
    assert support_margin(np.array([0.0, 0.0, 0.25]), square[:1]) == pytest.approx(-0.25)
    assert support_margin(np.array([0.5, 0.0, 0.25]), square[:2]) == pytest.approx(-0.25)


def test_glued_feet_leave_nothing():
    body = Body.fit(adult())
    com = np.array([0.0, 0.9, 0.0])
    points = np.random.default_rng(1).uniform(-0.2, 0.2, (6, 3)) * [1.0, 0.0, 1.0]
    need = np.array([-400.0, -900.0, 200.0, 80.0, -30.0, 60.0])
    forces, left = ContactForceSolver(body, None).solve(
        need, points, np.tile([0.0, 1.0, 0.0], (6, 1)), com, np.eye(3), com
    )
    assert np.abs(left).max() < 1e-9
    assert np.allclose(forces.sum(axis=0), need[:3])


@pytest.mark.slow
def test_a_motion_that_falls_faster_than_gravity_plays_too_fast():
    run = kt.sample("run")
    assert not any("too fast" in note for note in physics_report(run).notes)
    hurried = physics_report(run.replace(fps=2.0 * run.fps))
    assert hurried.as_dict()["fastest_fall"] > 25.0
    (note,) = [note for note in hurried.notes if "too fast" in note]
    assert f"fps={run.fps:g}" in note


def test_captures_that_are_labelled_with_twice_their_rate(shared_data):
    path = shared_data / "cmu" / "74_04.bvh"
    assert physics_report(kt.read(path)).as_dict()["fastest_fall"] == pytest.approx(4 * 9.81, rel=0.05)
    assert not any("too fast" in note for note in physics_report(kt.read(path, fps=60)).notes)
    assert not any("too fast" in note for note in physics_report(kt.read(shared_data / "cmu" / "07_01.bvh")).notes)
