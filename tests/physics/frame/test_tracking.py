"""The filter's frames: the readable body and the compiled one, and MuJoCo's Jacobians beside both."""

import numpy as np
import pytest

import kinetune as kt
from kinetune.physics.filter.com_targets import PathTargets
from kinetune.physics.filter.references import Feet, build_reference
from kinetune.physics.filter.filter_settings import PAPER
from kinetune.physics.frame import frame_solve
from kinetune.physics.frame.compiled_frames import CompiledFrames
from kinetune.physics.frame.plain_frames import FilterSettings, PlainFrames
from kinetune.physics.frame.tracking import Tracker
from kinetune.physics.ground import FlatGround, HeightField

RATE = 60.0


@pytest.fixture(scope="module")
def motion():
    clip = kt.sample("walk")[100:140]
    body = kt.Body.fit(clip.skeleton, clip=clip)
    return body, Feet.of(body), body.coordinates(clip)


def waves(x, z):
    return 0.02 * np.sin(3.0 * x) * np.cos(2.0 * z)


CASES = {
    "steady": (FilterSettings(), FlatGround(0.0)),
    "uneven": (FilterSettings(), HeightField(waves)),
    "com": (FilterSettings(whole="com", gains=PAPER), FlatGround(0.0)),
    "position": (FilterSettings(mode="position", whole="none"), FlatGround(0.0)),
    "joint": (FilterSettings(mode="joint", whole="none"), FlatGround(0.0)),
    "printed": (FilterSettings(order="printed", solver="least_squares"), FlatGround(0.0)),
    "ice": (FilterSettings(mu=0.0, sides=8), FlatGround(0.0)),
}


@pytest.mark.parametrize("case", CASES)
def test_both_bodies_take_the_same_steps(motion, case):
    """To 1e-8 of what they reach and not to the bit: sums run in other orders, and active sets along other routes."""
    body, feet, qpos = motion
    settings, ground = CASES[case]
    reference = build_reference(body, qpos, RATE, ground, feet)
    guide = PathTargets(reference.data_com, RATE) if settings.mode == "friction" else None
    steps = []
    for frames in (
        PlainFrames(body, feet, ground, settings, RATE),
        CompiledFrames(body, feet, ground, settings, RATE, *frame_solve.compiled()),
    ):
        tracker = Tracker(body, feet, ground, settings, RATE)
        tracker.frames = frames
        tracker.start(reference.Q[0], reference.V[0], reference.stance[0])
        steps.append([tracker.step(reference, t, guide) for t in range(len(reference))])
    assert any(step.forces.any() for step in steps[0])
    for plain, fast in zip(*steps, strict=True):
        for name, one, other in zip(plain._fields, plain, fast, strict=True):
            assert np.allclose(one, other, rtol=1e-7, atol=1e-6 if name in ("forces", "torques", "residual") else 1e-8)


def test_held_points_move_as_mujoco_says(motion):
    body, feet, qpos = motion
    reference = build_reference(body, qpos, RATE, FlatGround(0.0), feet)
    frames = CompiledFrames(body, feet, FlatGround(0.0), FilterSettings(), RATE, *frame_solve.compiled())
    dice = np.random.default_rng(3)
    v = dice.normal(size=body.nv)
    frames.dynamics.update(qpos[7], v)
    frames.start(np.ones(len(feet), dtype=bool))
    frames.solve(reference, 7, None, qpos[7], v)
    row = 0
    toes = reference.toes[7] - reference.shift[7]
    for foot, stands in enumerate(reference.stance[7].tolist()):
        if stands or feet.parts[foot] == "toe":
            own = frames.dynamics.jacobian(toes[foot], feet.bodies[foot])
            assert np.allclose(frames.keys[:, row : row + 3].T, own, atol=1e-12)
            row += 3
    assert row >= 6


def test_what_has_no_kernel_runs_in_numpy(motion):
    body, feet, _ = motion
    for settings in (FilterSettings(solver="greedy"), FilterSettings(torque_limit=np.full(body.nv, 100.0))):
        assert type(Tracker(body, feet, FlatGround(0.0), settings, RATE).frames) is PlainFrames
    assert type(Tracker(body, feet, FlatGround(0.0), FilterSettings(), RATE).frames) is CompiledFrames
