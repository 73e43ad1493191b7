"""Residuals and their derivatives, and the search beside naive ones."""

import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.inverse.blend import _residual_kernels as residual_kernels
from kinetune.inverse.blend import weight_kernels
from kinetune.inverse.blend.constraint_layout import HARD, SOFT
from kinetune.inverse.blend.constraints import AtPoint, Custom, Facing, Heading, LookAt, OnLine
from kinetune.inverse.blend.inverse_blend import InverseBlend
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


class Evaluated:
    """The compiled evaluation of one constraint at some weights."""

    def __init__(self, constraint, of, least=0.0):
        self.layout, self.least = of._layout([constraint]), least
        self.aims = self.layout.aims([constraint])[0]

    def at(self, weights):
        chains, rows = self.layout.plain_chains, self.layout.plain_rows
        return residual_kernels.evaluate_at(weights, chains, rows, self.aims, self.least)

    def residual(self, weights):
        return self.at(weights)[1]

    def errors(self, weights):
        return self.at(weights)[3]


def evaluated(constraint, rotations="quaternion", least=0.0, of=None):
    return Evaluated(constraint, of or blend("reach", rotations), least)


@pytest.mark.parametrize("rotations", ["quaternion", "expmap"])
@pytest.mark.parametrize("kind", KINDS)
def test_slopes_are_those_of_differences(kind, rotations):
    asked = evaluated(KINDS[kind], rotations)
    w, h = mixtures("reach", 1, seed=3)[0], 1e-6
    slopes = asked.at(w)[2]
    for to in np.eye(16)[::5]:
        way = to - w
        expected = (asked.residual(w + h * way) - asked.residual(w - h * way)) / (2 * h)
        assert np.allclose(slopes @ way, expected, atol=2e-6)


@pytest.mark.parametrize("rotations", ["quaternion", "expmap"])
@pytest.mark.parametrize("kind", KINDS)
def test_errors_are_those_measured_on_the_blended_clip(kind, rotations):
    """A second computation: blend the whole clip, pose it, and measure."""
    constraint, of = KINDS[kind], blend("reach", rotations)
    w = mixtures("reach", 1, seed=5)[0]
    clip = of.blend(w)
    frame = constraint.frame
    found = evaluated(constraint, rotations).errors(w)[0]
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
    asked = evaluated(constraint, of=of)
    clip = of.blend(w)
    hand = clip.joint("RightHand")
    tip = hand.positions[-1] + rot.rotate(clip.world_rotations()[-1, hand], np.array([-0.155, 0.0, 0.0]))
    assert asked.errors(w)[0] == pytest.approx(np.linalg.norm(tip - constraint.point), abs=1e-12)
    way = np.eye(6)[2] - w
    slope = (asked.residual(w + 1e-6 * way) - asked.residual(w - 1e-6 * way)) / 2e-6
    assert np.allclose(asked.at(w)[2] @ way, slope, atol=1e-7)
    assert of.solve([AtPoint("RightFingertips", tip)]).reachable


@pytest.mark.parametrize("kind", KINDS)
def test_norms_and_squares_are_two_sums_of_the_same_errors(kind):
    w = mixtures("reach", 1, seed=7)[0]
    constraint = KINDS[kind]
    scale = 0.5 if constraint.angular else 1.0
    for least, power in ((0.0, 2), (1e-6, 1)):
        cost, residual, _, (error,) = evaluated(constraint, least=least).at(w)
        assert cost == pytest.approx((scale * error) ** power, abs=1e-12)
        assert residual @ residual == pytest.approx(cost, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_distances_of_examples_are_those_of_their_own_weights(kind):
    asked = evaluated(KINDS[kind])
    positions, rotations = asked.layout.packed.examples
    assert positions.shape[1:] == (16, 3)
    assert np.allclose(np.linalg.norm(rotations, axis=-1), 1.0)
    for number, clip in enumerate(clips("reach")):
        effector = blend()._set.effector(KINDS[kind].joint, KINDS[kind].offset)
        frame = KINDS[kind].frame
        turn = clip.world_rotations()[frame, effector.joint]
        place = clip.positions()[frame, effector.joint] + rot.rotate(turn, np.array(effector.offset))
        assert np.allclose(positions[asked.layout.rows.near[0], number], place, atol=1e-9)


def measure(constraint):
    """A plain constraint as a function of the clip, for the slow search in Python with differences for slopes."""
    of = blend()
    effector = of._set.effector(constraint.joint, constraint.offset)
    aim, frame = constraint.aims[0], constraint.frame

    def value(clip):
        turn = clip.world_rotations()[frame, effector.joint]
        place = clip.positions()[frame, effector.joint] + rot.rotate(turn, np.array(effector.offset))
        if constraint.relative_to:
            base = clip.joint(constraint.relative_to)
            away = rot.inverse(clip.world_rotations()[frame, base])
            place = rot.rotate(away, place - base.positions[frame])
        return aim[3:9].reshape(2, 3) @ (place - aim[:3]) if isinstance(constraint, OnLine) else place - aim[:3]

    return Custom(value, scale=1.0)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["soft", "hard", "rbf"])
@pytest.mark.parametrize("kind", ["tool", "line", "relative"])
def test_a_naive_search_finds_the_same_weights(kind, mode):
    """The same constraint as a custom one: another evaluation, slopes by differences, the loop in Python."""
    compiled, naive = (blend().solve(c, mode=mode, exact=False) for c in (KINDS[kind], measure(KINDS[kind])))
    assert np.abs(compiled.weights - naive.weights).max() < 1e-5
    assert 1e-3 * compiled.errors[0] == pytest.approx(naive.errors[0], abs=1e-6)


def naive_kernel(errors, k, mode):
    """First weights and metric as the formulas have them."""
    n, order = len(errors), np.argsort(errors, kind="stable")
    k = min(k, n)
    if mode == SOFT:
        reach = max(errors[order[k]] if k < n else 1.05 * errors[order[-1]], 1e-12)
        share = np.maximum(0.0, 1.0 - (errors / reach) ** 2) ** 3
        if not share.sum() > 0.0:
            share = np.where(errors <= reach, 1.0, 0.0)
        return share / share.sum(), share + 0.01
    nearest = order[:k]
    sigma = max(0.65 * errors[nearest].mean(), 1e-12)
    share, metric = np.zeros(n), np.zeros(n)
    share[nearest] = np.exp((errors.min() ** 2 - errors[nearest] ** 2) / sigma**2)
    metric[nearest] = 1.0
    return share / share.sum(), metric


@pytest.mark.parametrize("mode", [SOFT, HARD])
@pytest.mark.parametrize("k", [1, 3, 8, 15, 16, 40])
def test_the_kernel_is_that_of_the_formulas(k, mode):
    rng = np.random.default_rng(k)
    for errors in (rng.uniform(0.1, 1.0, 16), np.full(16, 0.3), np.zeros(16), np.arange(16.0)):
        start, metric = np.empty(16), np.empty(16)
        weight_kernels.kernel_weights(errors, k, mode, start, metric)
        expected = naive_kernel(errors, k, mode)
        assert np.allclose(start, expected[0], atol=1e-12)
        assert np.allclose(metric, expected[1], atol=1e-12)
        assert start.sum() == pytest.approx(1.0)
