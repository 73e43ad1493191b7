"""Bodies and motions that the tests of physics share."""

from __future__ import annotations

from functools import cache

import numpy as np

import kinetune as kt
from kinetune import rotations as rot
from kinetune.physics.equations_of_motion import Dynamics, integrate, states
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats


@cache
def walker() -> kt.Clip:
    """The sample walk, a second and a half of it."""
    return kt.sample("walk")[:180]


@cache
def walker_body() -> Body:
    """Its body: 70 kg."""
    clip = walker()
    return Body.fit(clip.skeleton, 70.0, clip=clip)


def still(frames: int = 40, fps: float = 60.0) -> kt.Clip:
    """The walker's figure, standing still in its rest pose with the soles on the floor."""
    skeleton = walker().skeleton
    root = np.tile([0.0, float(skeleton.offsets[0, 1]), 0.0], (frames, 1))
    return kt.Clip(skeleton, fps, root, np.tile(skeleton.rest, (frames, 1, 1)))


def coast(body: Body, q: Floats, v: Floats, seconds: float, steps: int) -> tuple[Floats, Floats]:
    """States (steps + 1, nq), (steps + 1, nv) of a body with no torque at its joints, in small steps of fourth order.

    Written here apart from the library, so that laws are checked against a second integrator.
    """
    dynamics = Dynamics(body)
    dt = seconds / steps

    def acceleration(pose: Floats, velocity: Floats) -> Floats:
        dynamics.update(pose, velocity)
        return np.linalg.solve(dynamics.H, -dynamics.C)

    poses, velocities = [np.array(q)], [np.array(v)]
    for _ in range(steps):
        p, w = poses[-1], velocities[-1]
        a1 = acceleration(p, w)
        a2 = acceleration(integrate(body, p, w, dt / 2), w + dt / 2 * a1)
        a3 = acceleration(integrate(body, p, w + dt / 4 * a1, dt / 2), w + dt / 2 * a2)
        a4 = acceleration(integrate(body, p, w + dt / 2 * a2, dt), w + dt * a3)
        poses.append(integrate(body, p, w + dt / 6 * (a1 + a2 + a3), dt))
        velocities.append(w + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4))
    return np.array(poses), np.array(velocities)


def bent(body: Body, seed: int = 0, size: float = 0.4) -> Floats:
    """A pose (nq,) with every joint bent at random, one metre and a half above the floor."""
    rng = np.random.default_rng(seed)
    turns = rot.exp(size * rng.standard_normal((len(body.segments), 3)))
    return np.concatenate([[0.3, 1.5, -0.2], turns.reshape(-1)])


def momenta(body: Body, qpos: Floats, velocities: Floats) -> tuple[Floats, Floats]:
    """Linear momentum (frames, 3) in kg m/s and angular momentum about the centre of mass (frames, 3) in kg m2/s."""
    pairs = [
        (state.H[:3] @ v, state.angular_rows()[0] @ v)
        for state, v in zip(states(body, qpos, velocities), velocities, strict=True)
    ]
    linear, angular = (np.array(part) for part in zip(*pairs, strict=True))
    return linear, angular


def required_forces(body: Body, qpos: Floats, velocities: Floats, accelerations: Floats) -> Floats:
    """(frames, nv) generalized forces H a + C that a motion asks for ([pollard] equation 6)."""
    needed = np.zeros((len(accelerations), body.nv))
    for state, a, row in zip(states(body, qpos, velocities), accelerations, needed, strict=True):
        state.required(a, row)
    return needed
