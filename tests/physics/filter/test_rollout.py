"""How a motion is followed: the ladder of settings, and the judgement."""

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.errors import ParameterError
from kinetune.physics.equations_of_motion import centres_of_mass
from kinetune.physics.filter._rollout import plan_yaw_correction, rotate_about_pivots
from kinetune.physics.filter.com_plan import Support
from kinetune.physics.filter.failures import assess_tracking
from kinetune.physics.filter.filter_settings import LADDER, PAPER, STEADY
from kinetune.physics.filter.filtering import run_filter
from kinetune.physics.filter.references import Feet, build_reference
from tests.physics.figures import still


def test_a_motion_that_is_followed_well_needs_no_search():
    walk = kt.sample("walk")[:70]
    plain, searched = run_filter(walk), run_filter(walk, search=True)
    assert plain.attempt == searched.attempt == "usual"
    assert np.array_equal(plain.clip.rotations, searched.clip.rotations)


@pytest.mark.slow
def test_a_search_gives_the_best_of_its_ladder_and_names_it():
    kick = kt.Resample(fps=60)(kt.sample("kick-1"))
    plain, searched = run_filter(kick), run_filter(kick, search=True)
    assert not plain.tracking.good  # its feet cannot hold the spin
    assert searched.tracking.badness <= plain.tracking.badness
    assert searched.attempt in [rung.name for rung in LADDER]
    told = [marker for marker in searched.clip.markers if searched.attempt in marker.name]
    assert len(told) == (searched.attempt != "usual")
    assert np.abs(searched.residual[:, :3]).max() < 1e-6 * searched.body.weight


@pytest.mark.parametrize("knobs", [{"preset": "paper"}, {"mode": "joint"}, {"plan": False}])
def test_a_search_needs_a_plan(knobs):
    with pytest.raises(ParameterError, match="search"):
        run_filter(kt.sample("walk")[:20], search=True, **knobs)


def test_rungs_change_only_what_they_name():
    assert LADDER[0].changed(STEADY) == STEADY
    assert LADDER[2].changed(PAPER).landing_weight == 300.0
    assert LADDER[2].changed(PAPER).joint == PAPER.joint


@pytest.fixture(scope="module")
def standing():
    clip = still(30)
    body = kt.Body.fit(clip.skeleton, clip=clip)
    feet = Feet.of(body)
    qpos = body.coordinates(clip)
    from kinetune.physics.ground import FlatGround

    return body, feet, build_reference(body, qpos, clip.fps, FlatGround(0.0), feet)


def judged(standing, turn, move=(0.0, 0.0, 0.0)):
    """How a figure is judged that stands turned and moved from where it should."""
    body, feet, reference = standing
    q = reference.Q.copy()
    q[:, 3:7] = rot.multiply(turn, q[:, 3:7])
    shift = reference.data_com - centres_of_mass(body, q) + np.array(move)
    q[:, :3] += shift
    pressed = np.full(len(q), body.weight)
    return assess_tracking(body, feet, reference, reference, q, centres_of_mass(body, q), reference.toes, pressed, None)


def test_a_figure_where_it_should_be_is_good(standing):
    tracking, failures = judged(standing, rot.identity())
    assert tracking.good
    assert tracking.trunk_deg < 1e-3
    assert failures == []


def test_a_figure_that_faces_elsewhere_is_turned_and_not_off_balance(standing):
    tracking, failures = judged(standing, rot.about_y(np.deg2rad(40.0)))
    assert np.isclose(tracking.trunk_deg, 40.0, atol=0.1)
    assert tracking.lean_deg < 0.1
    assert not tracking.good
    assert not tracking.fell
    assert [failure.kind for failure in failures] == ["turned"]


def test_a_figure_that_leans_is_off_balance(standing):
    lean = rot.exp(np.array([np.deg2rad(20.0), 0.0, 0.0]))
    tracking, failures = judged(standing, lean)
    assert np.isclose(tracking.lean_deg, 20.0, atol=0.1)
    assert tracking.head_m > 0.15
    assert [failure.kind for failure in failures] == ["off balance"]


def test_a_figure_on_the_ground_has_fallen(standing):
    tracking, failures = judged(standing, rot.identity(), (0.0, -0.4, 0.0))
    assert tracking.fell
    assert failures[0].kind == "fall"


RATE, MASS = 60.0, 70.0


def support(frames, spread=0.05):
    return Support([np.zeros((0, 2))] * frames, np.zeros(frames), np.full(frames, spread))


def test_what_friction_can_do_is_left_alone():
    still = np.zeros(60)
    turn = plan_yaw_correction(still + 5.0, still + 2.0, still, support(60), rate=RATE, mass=MASS, mu=1.0)
    assert not turn.any()


def test_a_spin_beyond_friction_is_brought_within_it():
    frames = 90
    need = np.zeros(frames)
    need[40:46], need[46:52] = 300.0, -300.0
    inertia = np.full(frames, 2.0)
    turn = plan_yaw_correction(need, inertia, np.zeros(frames), support(frames), rate=RATE, mass=MASS, mu=1.0)
    left = need[:-2] + inertia[:-2] * np.diff(turn, 2) * RATE**2
    most = 0.6 * MASS * 9.81 * 0.05
    assert np.abs(left).max() < most + 10.0
    assert 0.05 < np.abs(turn).max() < 1.0


def test_the_pivot_stays_where_it_is():
    dice = np.random.default_rng(0)
    qpos = np.zeros((40, 11))
    qpos[:, :3] = dice.normal(size=(40, 3))
    qpos[:, 3] = 1.0
    pivot = np.tile([0.3, 0.0, -0.2], (40, 1))
    turn = np.linspace(0.0, 1.0, 40)
    moved, turns = rotate_about_pivots(qpos, turn, pivot)
    assert np.allclose(
        np.linalg.norm((moved[:, :3] - pivot)[:, [0, 2]], axis=1),
        np.linalg.norm((qpos[:, :3] - pivot)[:, [0, 2]], axis=1),
    )
    assert np.allclose(moved[:, 1], qpos[:, 1])
    assert np.allclose(rot.angle(turns), turn)
