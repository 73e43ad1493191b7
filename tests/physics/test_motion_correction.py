"""Laws of the whole-clip method and of the choice between methods."""

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.root_motion import place
from kinetune.errors import ParameterError
from kinetune.physics.equations_of_motion import centres_of_mass
from tests.physics.figures import crawl


@pytest.fixture(scope="module")
def run():
    return kt.filter_dynamics(kt.sample("run")[:150], method="whole")


def needed_force(result):
    com = centres_of_mass(result.body, result.step_q)
    return (np.diff(com, 2, axis=0) * result.simulated.fps**2 + [0.0, 9.81, 0.0]) * result.body.mass


@pytest.mark.slow
def test_the_forces_explain_the_written_motion_at_their_own_frames(run):
    apart = np.linalg.norm(needed_force(run) - run.step_forces.sum(axis=1)[1:-1], axis=1)
    assert run.status == "corrected"
    assert apart.mean() < 0.002 * run.body.weight
    assert np.array_equal(run.force_times, np.arange(len(run.clip)) / run.clip.fps)


@pytest.mark.slow
def test_nothing_pushes_in_flight_and_flight_is_a_parabola(run):
    loaded = np.linalg.norm(run.step_forces, axis=2).sum(axis=1) > 0.0
    aloft = np.flatnonzero(~loaded[2:-2]) + 2
    assert len(aloft) > 10
    assert np.abs(needed_force(run)[aloft - 1]).max() < 0.002 * run.body.weight


def test_no_force_acts_on_lifted_points_and_soles_are_on_the_floor(run):
    points = run.body.point_positions(run.step_q)
    heights = points[..., 1] - run.ground.height(points)
    pushed = np.linalg.norm(run.step_forces, axis=2) > 1.0
    assert heights.min() > -0.002
    assert np.abs(heights[pushed]).max() < 0.005  # a landing point is held firmly from its second frame on


@pytest.mark.slow
def test_toes_that_a_capture_twists_lie_flat_on_the_floor():
    walk = kt.sample("walk")[:90]
    toes = walk.skeleton.roles["left toes"]
    rotations = walk.rotations.copy()
    twist = rot.from_axis_angle([0.0, 0.0, 1.0], np.deg2rad(20.0) * np.sin(np.arange(90) / 6.0))
    rotations[:, toes] = rot.multiply(rotations[:, toes], twist)
    result = kt.filter_dynamics(walk.replace(rotations=rotations), method="whole")
    assert result.status == "corrected"
    assert result.correction.sole_mm < 1.0


def test_forces_lie_in_the_friction_cone(run):
    pushed = run.step_forces[run.step_forces[..., 1] > 1.0]
    assert (np.linalg.norm(pushed[:, [0, 2]], axis=1) <= 0.8001 * pushed[:, 1]).all()


@pytest.mark.slow
def test_auto_keeps_the_filter_where_it_holds_up_and_says_why_not_otherwise():
    walk = kt.sample("walk")[:90]
    assert kt.filter_dynamics(walk).method == "filter"
    hips = walk.root.copy()
    hips[:, 1] -= 0.03 * np.sin(np.linspace(0.0, np.pi, len(walk)))  # soles dip below the ground
    other = kt.filter_dynamics(walk.replace(root=hips), ground=0.0)
    assert other.method == "whole"
    assert "below the ground" in other.reasons[0].message


@pytest.mark.slow
def test_a_gliding_character_comes_back_as_it_was_with_the_reason():
    walk = kt.sample("walk")[:1]
    glide = walk.replace(
        root=walk.root + np.linspace(0.0, 2.0, 120)[:, None] * [0.0, 0.0, 1.0],
        rotations=np.repeat(walk.rotations, 120, axis=0),
    )
    result = kt.filter_dynamics(glide, method="whole")
    assert result.status == "unchanged"
    assert result.clip.same_motion(glide, 0.0)
    assert "physics-glides" in [reason.kind for reason in result.reasons]


def test_settings_of_the_filter_are_refused_for_whole_clips():
    with pytest.raises(ParameterError, match="preset is a setting of the dynamic filter"):
        kt.filter_dynamics(kt.sample("walk")[:30], method="whole", preset="paper")
    with pytest.raises(ParameterError, match="method"):
        kt.filter_dynamics(kt.sample("walk")[:30], method="best")


@pytest.mark.slow
def test_a_seat_carries_who_sits_and_no_hand_is_taken_for_a_support():
    result = kt.filter_dynamics(kt.sample("sit-and-drink"), method="whole")
    names = [point.name for point in result.body.points if point.part == "other"]
    assert result.status == "corrected"
    assert names == ["seat LeftUpLeg", "seat RightUpLeg"]
    seated = result.step_forces[:, -2:, 1].sum(axis=1)
    assert np.median(seated) > 0.4 * result.body.weight


def test_both_knees_carry_who_kneels_and_feet_that_lie_behind_do_not():
    wave = kt.sample("wave")
    stand = wave.replace(root=wave.root[[0] * 90], rotations=wave.rotations[[0] * 90], contacts=None, markers=())
    roles = stand.skeleton.roles
    across = np.subtract(*(stand.positions()[0, roles[f"{side} upper leg"]] for side in ("left", "right")))
    for joint, degrees in (("lower leg", 90.0), ("foot", 70.0)):
        turn = rot.from_axis_angle(across / np.linalg.norm(across), np.deg2rad(degrees))
        for node in (roles[f"{side} {joint}"] for side in ("left", "right")):
            world, rotations = stand.world_rotations()[:, node], stand.rotations.copy()
            local = rot.multiply(rot.inverse(world), rot.multiply(turn, world))
            rotations[:, node] = rot.multiply(rotations[:, node], local)
            stand = stand.replace(rotations=rotations)
    low = stand.positions()[0, :, 1].min() - 0.03
    result = kt.filter_dynamics(stand.replace(root=stand.root - [0.0, low, 0.0]), method="whole", ground=0.0)
    assert result.status == "corrected"
    names = [point.name for point in result.body.points if point.part == "other"]
    assert names == ["knee LeftLeg", "knee RightLeg"]
    assert result.correction.com_cm < 10.0
    borne = result.step_forces[1:-1, :, 1].sum(axis=0)
    assert np.allclose(borne[-2:].sum(), borne.sum())


def test_knees_and_hands_carry_who_crawls_while_they_are_still():
    clip = crawl()
    result = kt.filter_dynamics(clip, method="whole", ground=0.0)
    assert result.status == "corrected"
    assert result.correction.com_cm < 2.0
    assert result.correction.left_bw < 0.002
    others = [(k, point) for k, point in enumerate(result.body.points) if point.part == "other"]
    assert {point.side for _, point in others} == {"knee", "hand"}
    moves = np.linalg.norm(np.gradient(result.body.point_positions(result.step_q), axis=0), axis=2)
    for k, _ in others:
        pushed = result.step_forces[:, k, 1] > 0.02 * result.body.weight
        assert 0.3 < pushed.mean() < 0.9
        assert np.median(moves[pushed, k]) * result.simulated.fps < 0.1


@pytest.mark.slow
def test_feet_stand_on_a_box_that_is_given():
    walk = kt.sample("walk")[:90]
    far = np.abs(walk.root).max() + 2.0
    raised = walk.replace(root=walk.root + np.array([0.0, 0.3, 0.0]))
    box = kt.physics.BoxGround((kt.physics.GroundBox(0.0, 0.0, 2.0 * far, 2.0 * far, top=0.3),))
    result = kt.filter_dynamics(raised, method="whole", ground=box)
    plain = kt.filter_dynamics(walk, method="whole", ground=0.0)
    assert result.status == "corrected"
    assert np.allclose(result.clip.root - np.array([0.0, 0.3, 0.0]), plain.clip.root, atol=1e-4)


@pytest.mark.slow
def test_a_kick_stays_upright_and_what_it_costs_is_reported():
    kick = kt.sample("kick-1")
    result = kt.filter_dynamics(kick, method="whole")
    hips = kick.skeleton.roles["hips"]
    assert result.status == "corrected"
    assert (kick.positions() - result.clip.positions())[:, hips, 1].max() < 0.1  # it crouched by 0.21
    changed = next(reason for reason in result.reasons if reason.kind == "physics-changed")
    assert f"{result.correction.root_cm:.0f} cm" in changed.message
    assert changed.frame[0] <= changed.frame[1] < len(kick)


def test_a_motion_that_hardly_changes_is_not_said_to_have_changed():
    result = kt.filter_dynamics(kt.sample("walk")[:60], method="whole")
    assert "physics-changed" not in [reason.kind for reason in result.reasons]


@pytest.mark.slow
def test_help_is_reported_where_only_a_part_could_be_corrected():
    turn = rot.from_axis_angle([1.0, 0.0, 0.0], np.deg2rad(22.0))
    lean = place(kt.sample("wave")[:90], turn, np.zeros(3))
    refused = kt.filter_dynamics(lean, method="whole", ground=0.0)
    helped = kt.filter_dynamics(lean, method="whole", ground=0.0, partial=True)
    assert refused.status == "unchanged"
    assert refused.clip.same_motion(lean, 0.0)
    assert helped.status == "partial"
    assert "physics-help" in [reason.kind for reason in helped.reasons]
    assert helped.correction.help_bw > 0.01


@pytest.mark.slow
def test_a_whole_clip_names_the_joints_that_are_too_weak_for_it():
    walk = kt.sample("walk")[:40]
    weak = kt.filter_dynamics(walk, method="whole", torque_limit={"left leg": 20.0})
    named = [reason for reason in weak.reasons if reason.kind == "physics-torque-limit"]
    assert named
    assert weak.status == "corrected"
    strong = kt.filter_dynamics(walk, method="whole", torque_limit=2000.0)
    assert not strong.reasons
