"""What the dynamic filter promises, as laws, on short clips."""

import pickle

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.errors import ParameterError, SkeletonMismatchError, UnknownNameError
from kinetune.physics.filter.filtering import run_filter
from tests.operations import making


@pytest.fixture(scope="module")
def double():
    kicks = [kt.Resample(fps=60)(kt.sample(name)) for name in ("kick-1", "kick-2")]
    return kt.splice(*kicks, seed=1)


@pytest.fixture(scope="module")
def body(double):
    return kt.Body.fit(double.skeleton, mass=70, clip=double)


@pytest.fixture(scope="module")
def filtered(double, body):
    return run_filter(double, body, mode="friction", mu=1.0)


def outside(forces, mu):
    """How far forces (..., 3) on level ground lie outside the cone, in newtons."""
    return float(np.max(np.hypot(forces[..., 0], forces[..., 2]) - mu * forces[..., 1], initial=0.0))


@pytest.mark.slow
def test_the_contract(double, body, filtered):
    frames, points = len(double), len(body.points)
    assert len(filtered.clip) == frames
    assert filtered.forces.shape == (frames, points, 3)
    assert filtered.torques.shape == (frames, len(body.segments), 3)
    assert filtered.report.as_dict()["frames"] == frames
    assert isinstance(filtered.failures, tuple)


@pytest.mark.slow
def test_a_double_kick_stays_up_and_close(filtered):
    assert filtered.tracking.good
    assert filtered.failures == ()
    assert filtered.tracking.pose_deg < 3.0
    assert filtered.tracking.toe_mm < 6.0


def test_every_force_lies_in_the_cone(filtered):
    assert outside(filtered.forces, 1.0) < 1e-6
    assert filtered.report.inside_share == 1.0


@pytest.mark.slow
def test_nothing_acts_on_the_root(body, filtered):
    assert np.abs(filtered.residual[:, :3]).max() < 1e-6 * body.weight
    assert np.abs(filtered.residual[:, 3:]).max() < 1e-6 * body.weight * body.height
    assert filtered.report.as_dict()["root_residual_bw"] < 1e-6


def test_an_independent_simulation_repeats_it(filtered):
    found = kt.physics.replay(
        filtered.simulated, filtered.body, filtered.step_forces, filtered.step_torques, starts=(0, 60, 90), seconds=0.5
    )
    assert found.worst < 0.01


def test_forces_belong_to_the_motion(body, filtered):
    """Newton: the forces of the ground and gravity accelerate the centre of mass."""
    com = filtered.report.com
    acceleration = np.diff(com, 2, axis=0) * filtered.simulated.fps**2
    total = filtered.step_forces.sum(axis=1)[:-2] / body.mass + [0.0, -9.81, 0.0]
    assert np.median(np.linalg.norm(acceleration - total, axis=1)) < 0.3


def test_a_figure_that_stands_stays_as_it_is():
    pose = kt.sample("wave")[:90]
    result = run_filter(pose, cutoff_hz=None)
    assert result.tracking.pose_deg < 0.1
    assert result.tracking.toe_mm < 0.1
    assert np.isclose(result.forces[:60, :, 1].sum(axis=1).mean(), result.body.weight, rtol=0.02)


def test_free_fall_needs_no_force():
    walk = kt.sample("walk")[:40]
    t = np.arange(40) / walk.fps
    falling = walk.replace(
        root=walk.root[:1] + np.stack([0 * t, 5.0 - 0.5 * 9.81 * t**2, 0 * t], axis=1),
        rotations=np.repeat(walk.rotations[:1], 40, axis=0),
    )
    result = run_filter(falling, ground=0.0, cutoff_hz=None)
    assert not result.forces.any()
    assert np.allclose(result.clip.root[:, 1], falling.root[:, 1], atol=0.05)


@pytest.mark.parametrize("mode", ["joint", "position"])
def test_other_modes_track_with_any_force(double, body, mode):
    result = run_filter(double, body, mode=mode)
    assert np.abs(result.residual[:, :3]).max() < 1e-6 * body.weight
    assert outside(result.forces.sum(axis=1), 1.0) > 10.0  # what the splice asks for, friction does not give
    assert result.tracking.pose_deg < (1.0 if mode == "joint" else 4.0)
    if mode == "position":
        assert result.tracking.toe_mm < 4.0


def test_the_printed_order_leaves_forces_on_the_root(double, body):
    result = run_filter(double[:90], body, preset="paper", order="printed", mix=0.3)
    assert np.abs(result.residual[:, :3]).max() > 0.1 * body.weight
    assert result.mix == 0.3
    assert result.plan_misses is None


def test_the_mix_is_searched_for():
    walk = kt.sample("walk")[:50]
    result = run_filter(walk, preset="paper")
    assert 0.0 <= result.mix <= 1.0
    assert not result.tracking.fell


def test_the_greedy_iteration_comes_close_to_the_optimum():
    walk = kt.sample("walk")[:12]
    exact, greedy = (run_filter(walk, solver=solver) for solver in ("nnls", "greedy"))
    assert outside(greedy.forces, 1.0) < 1e-6
    assert np.allclose(exact.clip.root, greedy.clip.root, atol=2e-3)


def test_without_compiled_kernels_it_is_the_same(monkeypatch):
    walk = kt.sample("walk")[:60]
    fast = run_filter(walk)
    monkeypatch.setenv("KINETUNE_COMPILED", "never")
    plain = run_filter(walk)
    assert np.allclose(fast.clip.rotations, plain.clip.rotations, atol=1e-5)


@pytest.mark.parametrize("fps", [15.0, 24.0, 120.0])
def test_any_frame_rate_comes_back(fps):
    clip = kt.Resample(fps=fps)(kt.sample("walk")[:90])
    result = run_filter(clip)
    assert len(result.clip) == len(clip)
    assert result.clip.fps == fps
    assert result.simulated.fps >= 59.0
    assert len(result.forces) == len(clip)
    assert result.tracking.good


def test_a_t_pose_at_the_start_stays_apart():
    walk = kt.sample("walk")[:60]
    rotations = walk.rotations.copy()
    rotations[0] = rot.identity(len(walk.skeleton))
    result = run_filter(walk.replace(rotations=rotations))
    assert np.array_equal(result.clip.rotations[0], rotations[0])
    assert not result.forces[0].any()
    assert result.tracking.good


@pytest.mark.slow
def test_torques_stay_within_their_limits():
    walk = kt.sample("walk")[:60]
    free, weak = (run_filter(walk, torque_limit=limit) for limit in (None, {"left leg": 100.0, "right leg": 100.0}))
    legs = [weak.body.dofs(joint).start // 3 - 1 for joint in ("left upper leg", "right lower leg")]
    assert np.abs(free.torques).max() > 120.0
    assert np.abs(weak.torques[:, legs]).max() <= 101.0
    assert weak.tracking.good


def test_a_figure_too_weak_falls_and_says_so():
    result = run_filter(kt.sample("walk")[:60], torque_limit=30.0)
    assert result.tracking.fell
    assert "too weak" in {failure.kind for failure in result.failures}


def test_uneven_ground():
    walk = kt.sample("walk")[:60]
    bumps = kt.physics.HeightField(lambda x, z: 0.005 * np.sin(4.0 * z) + 0.0 * x)
    result = run_filter(walk, ground=bumps)
    assert result.tracking.good
    assert result.ground is bumps


def test_a_hop_or_a_fall_is_told_with_its_frames():
    walk = kt.sample("walk")[:100]
    shoved = walk.root.copy()
    shoved[50:, 0] += 0.8  # a metre aside within a frame
    result = run_filter(walk.replace(root=shoved))
    assert result.failures
    assert all(0 <= f.first <= f.last < 100 and f.message.endswith(".") for f in result.failures)
    assert any(f.first >= 35 for f in result.failures)


def test_place_and_heading_do_not_matter():
    walk = making.walker(61, drift=0.05)
    turned = making.turned(walk, 2.0, about=(3.0, 0.0, 1.0))
    assert making.turned(run_filter(walk).clip, 2.0, about=(3.0, 0.0, 1.0)).same_motion(run_filter(turned).clip, 1e-6)


def test_results_can_be_sent(filtered):
    again = pickle.loads(pickle.dumps(filtered))
    assert np.array_equal(again.forces, filtered.forces)


# --- bad input


def test_two_frames_are_refused():
    with pytest.raises(ParameterError, match="at least 4 frames"):
        run_filter(making.walker(2))


def test_a_figure_without_feet_is_refused():
    chain = making.two_roots()
    with pytest.raises(ParameterError, match="no feet"):
        run_filter(chain, kt.Body.fit(chain.skeleton, mass=10.0))


def test_a_figure_of_forty_metres_is_refused_for_its_unit():
    walk = making.walker(30)
    huge = walk.replace(skeleton=walk.skeleton.scaled(23.0), root=23.0 * walk.root)
    with pytest.raises(ParameterError, match="unit"):
        run_filter(huge)


def test_a_floating_clip_stands_on_the_ground_that_its_feet_show():
    walk = making.walker(61)
    up = walk.replace(root=walk.root + np.array([0.0, 3.0, 0.0]))
    result = run_filter(up)
    assert not result.tracking.fell
    fallen = run_filter(up, ground=0.0)
    assert fallen.tracking.fell
    assert fallen.failures[-1].kind in ("fall", "stopped")


def test_ice_makes_a_walker_fall_and_says_where():
    result = run_filter(kt.sample("walk")[:100], mu=0.0)
    assert outside(result.forces, 0.0) < 1e-6
    assert result.tracking.fell
    assert result.failures


def test_a_quadruped_is_filtered(shared_data):
    fox = kt.read(shared_data / "gltf" / "Fox.glb")
    result = run_filter(fox)
    assert np.isfinite(result.clip.positions()).all()
    assert not result.body.human


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"mu": -1.0}, "mu"),
        ({"mu": float("nan")}, "mu"),
        ({"mode": "glue"}, "mode"),
        ({"solver": "magic"}, "solver"),
        ({"order": "other"}, "order"),
        ({"mix": 2.0}, "mix"),
        ({"sides": 2}, "sides"),
        ({"torque_limit": -5.0}, "torque limit"),
    ],
)
def test_settings_out_of_range_are_refused(knobs, words):
    with pytest.raises(ParameterError, match=words):
        run_filter(making.walker(30), **knobs)


def test_an_unknown_preset_offers_the_nearest():
    with pytest.raises(UnknownNameError, match="steady"):
        run_filter(making.walker(30), preset="steadi")


def test_the_body_of_another_figure_is_refused(body):
    with pytest.raises(SkeletonMismatchError):
        run_filter(making.walker(30), body)
