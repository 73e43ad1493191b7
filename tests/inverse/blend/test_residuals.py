"""Residuals, their derivatives, and both bodies of the search."""

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.inverse.blend.constraints import AtPoint, Facing, Heading, LookAt, OnLine
from kinetune.inverse.blend.inverse_blend import _OPTIONS, InverseBlend
from kinetune.inverse.blend.residuals import Problem
from kinetune.inverse.blend.weights import HARD, RBF, SOFT, kernel_weights, solve
from tests.inverse.sets import blend, clips, mixtures

KINDS = {
    "point": AtPoint("RightHand", (-0.3, 1.2, 0.4)),
    "tip": AtPoint("RightFingertips", (-0.3, 1.2, 0.4), frame=40),
    "tool": AtPoint("right hand", (-0.3, 1.2, 0.4), offset=(-0.2, 0.05, 0.1)),
    "line": OnLine("RightHand", (-0.3, 1.2, 0.4), (0.1, 0.9, 0.2)),
    "turn": Facing("RightHand", rotation=rot.exp([0.4, -1.1, 0.3])),
    "axis": Facing("RightHand", toward=(0.2, -0.3, 1.0)),
    "angle": Facing("RightHand", toward=(0.0, 1.0, 0.0), angle_deg=70.0, axis="z"),
    "heading": Heading("Hips", 20.0),
    "look": LookAt("Head", (-0.5, 1.0, 0.9)),
    "relative": AtPoint("RightHand", (-0.1, 0.2, 0.4), relative_to="Head"),
    "relative turn": Facing("RightHand", rotation=rot.exp([0.4, -1.1, 0.3]), relative_to="Spine2"),
    "relative look": LookAt("Head", (-0.1, 0.1, 0.4), relative_to="Hips"),
}


def problem(constraint, rotations="quaternion", least=0.0, kind="reach", of=None):
    of = of or blend(kind, rotations)
    layout = of._layout([constraint])
    return Problem(
        0 if rotations == "quaternion" else 1, layout.chains, layout.plan, layout.aims([constraint])[0], least
    )


@pytest.mark.parametrize("rotations", ["quaternion", "expmap"])
@pytest.mark.parametrize("kind", KINDS)
def test_slopes_are_those_of_differences(kind, rotations):
    asked = problem(KINDS[kind], rotations)
    w, h = mixtures("reach", 1, seed=3)[0], 1e-6
    here = asked.at(w)
    for to in np.eye(16)[::5]:
        way = to - w
        ahead, behind = asked.at(w + h * way), asked.at(w - h * way)
        expected = (ahead.residual - behind.residual) / (2 * h)
        assert np.allclose(here.jacobian @ way, expected, atol=2e-6)


@pytest.mark.parametrize("rotations", ["quaternion", "expmap"])
@pytest.mark.parametrize("kind", KINDS)
def test_errors_are_those_measured_on_the_blended_clip(kind, rotations):
    """A second computation: blend the whole clip, pose it, and measure."""
    constraint, of = KINDS[kind], blend("reach", rotations)
    w = mixtures("reach", 1, seed=5)[0]
    clip = of.blend(w)
    frame = constraint.frame
    found = problem(constraint, rotations).at(w).errors[0]
    effector = of._set.effector(constraint.joint, constraint.offset)
    turn = clip.world_rotations()[frame, effector.joint]
    place = clip.positions()[frame, effector.joint] + rot.rotate(turn, np.array(effector.offset))
    if constraint.relative_to:
        base = clip.joint(constraint.relative_to)
        away = rot.inverse(clip.world_rotations()[frame, base])
        place, turn = rot.rotate(away, place - base.positions[frame]), rot.multiply(away, turn)
    if isinstance(constraint, AtPoint):
        expected = np.linalg.norm(place - constraint.point)
    elif isinstance(constraint, OnLine):
        along = np.array(constraint.direction) / np.linalg.norm(constraint.direction)
        expected = np.linalg.norm(np.cross(place - constraint.point, along))
    elif kind in ("turn", "relative turn"):
        expected = rot.angle_between(turn, constraint.rotation)
    else:
        axis = rot.rotate(turn, np.array(of._set.axis(effector.joint, constraint.key[7])))
        if isinstance(constraint, Heading):
            expected = abs(np.arctan2(axis[0], axis[2]) - np.radians(20.0))
        else:
            goal = constraint.point - place if isinstance(constraint, LookAt) else np.array(constraint.toward)
            cosine = axis @ goal / np.linalg.norm(goal)
            expected = abs(np.arccos(cosine) - np.radians(getattr(constraint, "angle_deg", None) or 0.0))
    assert found == pytest.approx(expected, abs=1e-7)


def test_animated_translations_are_blended_too():
    """Files may move joints by themselves: the chains follow, and so do the slopes."""
    rng = np.random.default_rng(1)
    moved = []
    for clip in clips("reach")[:6]:
        local = np.broadcast_to(clip.skeleton.offsets, (len(clip), 22, 3)) + rng.normal(0, 0.01, (1, 22, 3))
        moved.append(clip.replace(translations=local))
    of = InverseBlend(moved)
    w = rng.dirichlet(np.ones(6))
    constraint = AtPoint("RightFingertips", (-0.3, 1.2, 0.4))
    asked = problem(constraint, of=of)
    clip = of.blend(w)
    hand = clip.joint("RightHand")
    tip = hand.positions[-1] + rot.rotate(clip.world_rotations()[-1, hand], np.array([-0.155, 0.0, 0.0]))
    assert asked.at(w).errors[0] == pytest.approx(np.linalg.norm(tip - constraint.point), abs=1e-12)
    way = np.eye(6)[2] - w
    slope = (asked.at(w + 1e-6 * way).residual - asked.at(w - 1e-6 * way).residual) / 2e-6
    assert np.allclose(asked.at(w).jacobian @ way, slope, atol=1e-7)
    assert of.solve([AtPoint("RightFingertips", tip)]).reachable


@pytest.mark.parametrize("least", [0.0, 1e-6])
@pytest.mark.parametrize("rotations", ["quaternion", "expmap"])
@pytest.mark.parametrize("kind", KINDS)
def test_both_bodies_evaluate_alike(kind, rotations, least):
    kernels = pytest.importorskip("kinetune.inverse.blend.weight_kernels")
    from kinetune.inverse.blend.residual_kernels import evaluate, example_errors

    asked = problem(KINDS[kind], rotations, least)
    w = mixtures("reach", 1, seed=7)[0]
    ours = asked.at(w)
    room, _, _ = kernels.make_room(asked.chains, asked.plan)
    rows = len(ours.residual)
    residual, jacobian, errors = np.empty(rows), np.empty((rows, 16)), np.empty(1)
    cost = evaluate(w, asked.form, asked.chains, asked.plan, asked.aims, least, -1.0, residual, jacobian, errors, room)
    assert cost == pytest.approx(ours.cost, abs=1e-12)
    assert np.allclose(residual, ours.residual, atol=1e-12)
    # Slopes matter along weights that sum to 1: the part common to all examples is free.
    assert np.allclose(jacobian - jacobian @ w[:, None], ours.jacobian - ours.jacobian @ w[:, None], atol=1e-9)
    far = np.empty(16)
    example_errors(asked.chains, asked.plan, asked.aims, least, errors, far)
    assert np.allclose(far, asked.of_examples(), atol=1e-7)


@pytest.mark.parametrize("mode", [SOFT, HARD, RBF])
@pytest.mark.parametrize("kind", ["tool", "line", "axis", "relative"])
def test_both_bodies_find_the_same_weights(kind, mode):
    kernels = pytest.importorskip("kinetune.inverse.blend.weight_kernels")
    asked = problem(KINDS[kind])
    ours = solve(asked, 8, mode, _OPTIONS, np.empty(0))
    weights, errors, left, taken = np.empty((1, 16)), np.empty((1, 1)), np.empty(1), np.empty(1, dtype=np.int64)
    kernels.solve(
        0,
        asked.chains,
        asked.plan,
        asked.aims[None],
        8,
        mode,
        0.0,
        tuple(_OPTIONS),
        np.empty(0),
        weights,
        errors,
        left,
        taken,
    )
    assert np.abs(weights[0] - ours.weights).max() < 1e-5
    assert left[0] == pytest.approx(ours.left, abs=1e-6)


@pytest.mark.parametrize("mode", [SOFT, HARD])
@pytest.mark.parametrize("k", [1, 3, 8, 15, 16, 40])
def test_both_bodies_have_the_same_kernel(k, mode):
    kernels = pytest.importorskip("kinetune.inverse.blend.weight_kernels")
    rng = np.random.default_rng(k)
    for errors in (rng.uniform(0.1, 1.0, 16), np.full(16, 0.3), np.zeros(16), np.arange(16.0)):
        start, metric = np.empty(16), np.empty(16)
        kernels.kernel_weights(errors, k, mode, start, metric)
        expected = kernel_weights(errors, k, mode)
        assert np.allclose(start, expected[0], atol=1e-12)
        assert np.allclose(metric, expected[1], atol=1e-12)
        assert start.sum() == pytest.approx(1.0)
