"""Laws of mechanics that the body, its dynamics and its report card obey."""

from __future__ import annotations

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.physics.equations_of_motion import (
    Dynamics,
    centres_of_mass,
    euler_velocities,
    integrate,
    segment_poses,
    velocity_between,
)
from kinetune.physics.model.body_model import Body
from kinetune.physics.report_card import physics_report
from tests.physics.figures import bent, coast, momenta, required_forces, still, walker, walker_body
from tests.physics.frame.frame_oracle import com_rows

G = 9.81


def test_euler_steps_give_the_motion_back():
    """[pollard] section 4.2.1: differences are such that Euler integration with no constraint is the data."""
    body, clip = walker_body(), walker()
    qpos = body.coordinates(clip)
    dt = 1.0 / clip.fps
    velocity, acceleration = euler_velocities(body, qpos, dt)
    q, v = qpos[0], velocity[0]
    for step in range(len(acceleration)):
        q, v = integrate(body, q, v, dt), v + acceleration[step] * dt
        assert np.abs(velocity_between(body, q, qpos[step + 1])).max() < 1e-11


def test_free_fall_follows_a_parabola():
    body = walker_body()
    rng = np.random.default_rng(3)
    v = np.concatenate([[1.0, 2.0, -0.5], 0.8 * rng.standard_normal(body.nv - 3)])
    q = bent(body)
    poses, velocities = coast(body, q, v, 0.4, 120)
    com = centres_of_mass(body, poses)
    seconds = np.linspace(0.0, 0.4, len(com))
    linear, _ = momenta(body, poses[:1], velocities[:1])
    start = linear[0] / body.mass
    arc = com[0] + seconds[:, None] * start + 0.5 * np.array([0.0, -G, 0.0]) * seconds[:, None] ** 2
    assert np.abs(com - arc).max() < 1e-5


def test_angular_momentum_stays_in_flight():
    body = walker_body()
    rng = np.random.default_rng(4)
    v = np.concatenate([[0.5, 1.0, 0.0], rng.standard_normal(body.nv - 3)])
    poses, velocities = coast(body, bent(body, 1), v, 0.3, 120)
    _, angular = momenta(body, poses[::20], velocities[::20])
    assert np.linalg.norm(angular[0]) > 0.5
    assert np.abs(angular - angular[0]).max() < 1e-4 * np.linalg.norm(angular[0])


def test_free_fall_needs_no_force():
    """A figure that turns in the air without torques: the report finds no force and no torque."""
    body = walker_body()
    v = np.concatenate([[1.0, 2.0, 0.0], 0.3 * np.random.default_rng(5).standard_normal(body.nv - 3)])
    poses, velocities = coast(body, bent(body, 2, 0.2), v, 0.3, 90)
    accelerations = np.gradient(velocities, 0.3 / 90, axis=0)
    needed = required_forces(body, poses[5:-5], velocities[5:-5], accelerations[5:-5])
    assert np.abs(needed[:, :3]).max() < 1e-2 * body.weight
    assert np.abs(needed[:, 6:]).max() < 1.0


def test_standing_carries_the_weight():
    clip = still()
    report = physics_report(clip, mass=70.0, ground=0.0)
    judged = report.judged
    assert judged.sum() == len(clip) - 2
    assert np.allclose(report.forces[judged], [0.0, 70.0 * G, 0.0], atol=1e-6)
    assert np.all(report.margin[judged] > 0.0)  # the centre of pressure is inside the feet
    assert np.allclose(report.pressure[judged][:, [0, 2]], report.com[judged][:, [0, 2]], atol=1e-9)
    assert np.nanmax(report.residual) < 1e-9
    assert np.allclose(report.contact_forces[judged].sum(axis=1), [0.0, 70.0 * G, 0.0], atol=0.05)
    assert np.all(report.contact_forces[..., 1] >= 0.0)


def test_a_pendulum_keeps_its_energy():
    """A rod that hangs on a hub held still: it swings with the period of a rod, and its energy stays."""
    skeleton = kt.Skeleton(("hub", "rod"), [-1, 0], [[0, 2, 0], [0, 0, 0]], (kt.EndSite(1, (0, -0.8, 0)),))
    body = Body.fit(skeleton)
    rod, dynamics, dt = body.segments[1], Dynamics(body), 1e-3
    arm = rod.centre @ rod.centre * np.eye(3) - np.outer(rod.centre, rod.centre)
    about_joint = rod.inertia + rod.mass * arm
    q = np.concatenate([[0.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0], rot.exp([0.0, 0.0, 0.3])])
    v = np.zeros(body.nv)
    energy, leans = [], []
    for _ in range(2600):
        dynamics.update(q, v)
        half = v.copy()
        half[6:] += 0.5 * dt * np.linalg.solve(dynamics.H[6:, 6:], -dynamics.C[6:])
        q = integrate(body, q, half, dt)
        dynamics.update(q, half)
        v[6:] = half[6:] + 0.5 * dt * np.linalg.solve(dynamics.H[6:, 6:], -dynamics.C[6:])
        x, y, _ = rot.rotate(q[7:], rod.centre)
        energy.append(0.5 * v[6:] @ about_joint @ v[6:] + rod.mass * G * y)
        leans.append(x)
    assert np.ptp(energy) < 1e-4 * rod.mass * G * 0.4
    signs = np.sign(leans)
    halves = np.diff(np.flatnonzero(signs[1:] != signs[:-1])) * dt
    small = 2.0 * np.pi * np.sqrt(about_joint[2, 2] / (rod.mass * G * np.linalg.norm(rod.centre)))
    swing = small * (1.0 + 0.3**2 / 16.0 + 11.0 * 0.3**4 / 3072.0)  # the series for a pendulum let go at 0.3 radians
    assert len(halves) >= 2
    assert 2.0 * halves.mean() == pytest.approx(swing, rel=2e-3)


def test_kinetic_energy_by_two_ways():
    """Half v H v equals the sum over segments of half m v^2 and half the spin's energy, from finite differences."""
    body = walker_body()
    q = bent(body, 6)
    v = np.random.default_rng(7).standard_normal(body.nv)
    dynamics = Dynamics(body)
    dynamics.update(q, v)
    h = 1e-6
    before, after = integrate(body, q, v, -h), integrate(body, q, v, h)
    (x0, r0), (x1, r1) = (segment_poses(body, p[None]) for p in (before, after))
    energy = 0.0
    for k, segment in enumerate(body.segments):
        c0 = x0[0, k] + rot.rotate(r0[0, k], segment.centre)
        c1 = x1[0, k] + rot.rotate(r1[0, k], segment.centre)
        speed = (c1 - c0) / (2.0 * h)
        spin = rot.log(rot.multiply(rot.inverse(r0[0, k]), r1[0, k])) / (2.0 * h)
        energy += 0.5 * segment.mass * speed @ speed + 0.5 * spin @ segment.inertia @ spin
    assert energy == pytest.approx(0.5 * v @ dynamics.H @ v, rel=1e-6)


def test_centre_of_mass_rows_come_for_free():
    """H[:3] / m is the Jacobian of the centre of mass; the rows of angular momentum agree with its definition."""
    body = walker_body()
    q = bent(body, 8)
    v = np.random.default_rng(9).standard_normal(body.nv)
    dynamics = Dynamics(body)
    h = 1e-5
    dynamics.update(q, v)
    rows, rate = com_rows(dynamics)
    speed, bias = rows @ v, rate.copy()
    spin = dynamics.angular_rows()[0] @ v
    ahead, behind = (centres_of_mass(body, integrate(body, q, v, s * h)[None])[0] for s in (1.0, -1.0))
    assert np.allclose(speed, (ahead - behind) / (2 * h), atol=1e-6)
    here = centres_of_mass(body, q[None])[0]
    assert np.allclose(bias, (ahead - 2 * here + behind) / h**2, atol=1e-3)
    _, angular = momenta(body, q[None], v[None])
    assert np.allclose(angular[0], spin)


def test_turning_the_scene_turns_the_forces():
    """The report does not care where the figure looks."""
    clip = walker()[40:80]
    turned = kt.Turn(angle_deg=73.0)(clip)
    body = Body.fit(clip.skeleton, clip=clip)
    one, two = physics_report(clip, body, ground=0.0), physics_report(turned, body, ground=0.0)
    assert np.allclose(np.linalg.norm(one.forces, axis=1), np.linalg.norm(two.forces, axis=1), equal_nan=True)
    assert np.allclose(one.friction, two.friction, equal_nan=True, atol=1e-6)
    assert np.allclose(one.margin, two.margin, equal_nan=True, atol=1e-6)
