"""The independent replay in MuJoCo's forward simulation."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import kinetune as kt
from kinetune.physics.equations_of_motion import Dynamics, euler_velocities, integrate, velocity_between
from kinetune.physics.filter.filtering import run_filter
from kinetune.physics.forward_replay import FAR, replay
from kinetune.physics.ground import friction_pyramid
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats

FRAMES = 50


@cache
def made_up() -> tuple[kt.Clip, Body, Floats, Floats]:
    """A motion that obeys physics exactly: joints follow a kick, the root what contact forces make of it.

    Forces are made up; torques are the joints' rows of H a + C - J^T f.
    """
    clip = kt.Resample(fps=60.0)(kt.sample("kick-1"))[: FRAMES + 10]
    body = Body.fit(clip.skeleton, 70.0)
    data = body.coordinates(clip)
    velocity, acceleration = euler_velocities(body, data, 1.0 / 60.0)
    torques = np.full((FRAMES, len(body.segments), 3), np.nan)
    forces = np.zeros((FRAMES, len(body.points), 3))
    dynamics = Dynamics(body)
    q, v, path = data[0], velocity[0], []
    rng = np.random.default_rng(2)
    directions = friction_pyramid(np.tile([0.0, 1.0, 0.0], (len(body.points), 1)), 0.8).reshape(len(body.points), -1, 3)
    for t in range(FRAMES):
        path.append(q)
        dynamics.update(q, v)
        share = rng.uniform(0.0, 0.01 * body.weight, directions.shape[:2])
        forces[t] = np.einsum("pk,pkx->px", share, directions)
        given = np.zeros(body.nv)
        for point, place, force in zip(body.points, dynamics.points(), forces[t], strict=True):
            given += dynamics.jacobian(place, point.body).T @ force
        a = acceleration[t] + 40.0 * velocity_between(body, q, data[t]) + 7.0 * (velocity[t] - v)
        a[:6] = np.linalg.solve(dynamics.H[:6, :6], (given - dynamics.C)[:6] - dynamics.H[:6, 6:] @ a[6:])
        torques[t, 0] = 0.0
        torques[t, 1:] = (dynamics.H @ a + dynamics.C - given)[6:].reshape(-1, 3)
        q, v = integrate(body, q, v, 1.0 / 60.0), v + a / 60.0
    return body.clip(np.array(path), like=clip[:FRAMES]), body, forces, torques


def test_exact_torques_give_the_motion_back():
    clip, body, forces, torques = made_up()
    found = replay(clip, body, forces, torques)
    assert found.drift.shape == (len(found.starts), 31)
    assert found.as_dict()["drift_mm"] < 1e-3


@pytest.mark.slow
def test_a_filtered_motion_comes_back():
    """The dynamic filter's torques and forces, replayed by MuJoCo, give its motion: under 1 cm in half a second."""
    result = run_filter(kt.sample("walk")[:120])
    found = replay(result.simulated, result.body, result.step_forces, result.step_torques)
    assert found.worst < 1e-4
    told = result.report.as_dict()
    assert told["root_residual_bw"] < 1e-6
    assert told["inside_cone"] == 1.0


def test_forces_that_follow_the_body_are_the_same_at_first():
    """Off the motion they act otherwise: rounding grows, so that only the first frames can be compared."""
    clip, body, forces, torques = made_up()
    found = replay(clip, body, forces, torques, seconds=0.15, follow=True)
    assert found.worst < 1e-9
    assert found.as_dict()["follow"] is True


def test_a_hundredth_of_the_weight_from_nowhere_is_found_out():
    clip, body, forces, torques = made_up()
    pushed = np.array(forces)
    pushed[:, 0, 0] += 0.01 * body.weight
    assert replay(clip, body, pushed, torques).worst > 0.01


def test_wrong_torques_are_found_out():
    clip, body, forces, torques = made_up()
    wrong = np.array(torques)
    wrong[:, body.segments.index(next(s for s in body.segments if s.name == "LeftUpLeg"))] += 5.0
    assert replay(clip, body, forces, wrong, seconds=0.3).worst > 0.02


def test_wrong_forces_are_found_out():
    clip, body, forces, torques = made_up()
    assert replay(clip, body, 1.2 * forces, torques, seconds=0.3).worst > 0.01
    assert replay(clip, body, 0.0 * forces, torques, seconds=0.3).worst > 0.05


def test_fine_steps_show_the_error_of_the_frame_rate():
    """Torques held for a sixtieth of a second do not give the same motion in continuous time; springs keep it near."""
    clip, body, forces, torques = made_up()
    fine = replay(clip, body, forces, torques, seconds=0.1, substeps=8, starts=[0, 10])
    held = replay(clip, body, forces, torques, seconds=0.1, substeps=8, starts=[0, 10], feedback=(400.0, 40.0))
    assert 1e-4 < fine.worst < 0.2
    assert held.worst < 0.2
    assert held.as_dict()["feedback"] == [400.0, 40.0]


def test_a_replay_that_flies_apart_ends():
    clip, body, forces, torques = made_up()
    assert replay(clip, body, forces, 50.0 * torques, seconds=0.3).worst == FAR


def test_bad_input():
    clip, body, forces, torques = made_up()
    with pytest.raises(kt.KinetuneError, match="shapes"):
        replay(clip, body, forces[:5], torques)
    with pytest.raises(kt.KinetuneError, match="substeps"):
        replay(clip, body, forces, torques, substeps=0)
    with pytest.raises(kt.KinetuneError, match="start the replay"):
        replay(clip, body, forces, np.full_like(torques, np.nan))
