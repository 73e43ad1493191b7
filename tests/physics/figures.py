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


def crawl(seconds: float = 2.4, speed: float = 0.35, beat: float = 1.2) -> kt.Clip:
    """The walker's figure on hands and knees at 60 frames a second; left knee and right hand move together."""
    skeleton, roles = walker().skeleton, walker().skeleton.roles
    time = np.arange(round(60.0 * seconds)) / 60.0
    root = np.stack([0.0 * time, 0.475 + 0.0 * time, speed * time], axis=1)
    world = {"hips": rot.exp(np.tile([np.deg2rad(81.0), 0.0, 0.0], (len(time), 1)))}

    def posed() -> kt.Clip:
        turns = np.zeros((len(time), len(skeleton.names), 4))
        named = {joint: role for role, joint in roles.items()}
        local = turns.copy()
        for joint, parent in enumerate(skeleton.parents):
            above = turns[:, parent] if parent >= 0 else np.tile([1.0, 0.0, 0.0, 0.0], (len(time), 1))
            turns[:, joint] = world.get(named.get(joint, ""), above)
            local[:, joint] = rot.multiply(rot.inverse(above), turns[:, joint])
        return kt.Clip(skeleton, 60.0, root, local)

    def pitch(radians: Floats) -> Floats:
        return rot.exp(radians[:, None] * np.array([1.0, 0.0, 0.0]))

    trunk = posed().positions()
    for side, phase, out in (("left", 0.0, 1.0), ("right", 0.5, -1.0)):
        knee, lift = _steps(time, phase, speed, beat)
        hand, raised = _steps(time, phase + 0.5, speed, beat)
        thigh = np.arcsin((knee - trunk[:, roles[f"{side} upper leg"], 2]) / 0.429)
        world[f"{side} upper leg"] = pitch(-thigh)
        world[f"{side} lower leg"] = pitch(np.deg2rad(88.0) - 0.12 * lift)
        world[f"{side} foot"] = pitch(np.deg2rad(158.0) - 0.12 * lift)
        shoulder = trunk[:, roles[f"{side} upper arm"]]
        wrist = np.stack([shoulder[:, 0], 0.06 + 0.06 * raised, hand + 0.5], axis=1)
        apart = np.linalg.norm(wrist - shoulder, axis=1, keepdims=True)
        towards = (wrist - shoulder) / apart
        along = (0.326**2 - 0.256**2 + apart**2) / (2.0 * apart)
        aside = np.array([0.3 * out, 0.0, -1.0]) - towards * (towards @ [0.3 * out, 0.0, -1.0])[:, None]
        aside /= np.linalg.norm(aside, axis=1, keepdims=True)
        elbow = shoulder + along * towards + np.sqrt(0.326**2 - along**2) * aside
        arm = np.array([out, 0.0, 0.0])
        world[f"{side} upper arm"] = rot.between(arm, elbow - shoulder)
        world[f"{side} lower arm"] = rot.between(arm, wrist - elbow)
        world[f"{side} hand"] = rot.between(arm, np.tile([0.0, 0.0, 1.0], (len(time), 1)))
    return posed()


def _steps(time: Floats, phase: float, speed: float, beat: float) -> tuple[Floats, Floats]:
    """Where something is along its way that stands for 68% of each beat, and how far it is lifted, from 0 to 1."""
    beats = time / beat + phase
    share = np.clip((beats % 1.0 - 0.68) / 0.32, 0.0, 1.0)
    smooth = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    return (np.floor(beats) - phase + 0.34 + smooth) * beat * speed, np.sin(np.pi * share) ** 2
