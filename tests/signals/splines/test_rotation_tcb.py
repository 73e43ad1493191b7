"""Laws of the quaternion TCB curve; the oracle is ``splines`` 0.3.3 where it is right, and the scalar curve."""

import numpy as np
import pytest
import splines.quaternion as peer
from hypothesis import given, settings
from hypothesis import strategies as st

import kinetune as kt
from kinetune import rotations as rot
from kinetune.errors import ParameterError
from kinetune.signals.splines.rotation_tcb import RotationTCB
from kinetune.signals.splines.tcb import TCB

ENDS = ("natural", "zero", "half chord", "chord")
KNOBS = [(0, 0, 0), (-1, 0.3, 1), (0.5, -1, -0.3), (-1, -1, 0), (0.2, 0.8, -1)]
AXIS = np.array([0.48, 0.6, 0.64])


def keys(count=6, joints=(), seed=0, reach=1.2, even=True):
    """Random key rotations, each up to ``reach`` radians or so from the one before."""
    dice = np.random.default_rng(seed)
    q = [rot.normalize(dice.standard_normal((*joints, 4)))]
    for _ in range(count - 1):
        q.append(rot.multiply(q[-1], rot.exp(dice.uniform(-reach, reach, (*joints, 3)))))
    times = np.arange(count) * 1.0 if even else np.cumsum(dice.uniform(0.3, 2.0, count))
    return times, np.array(q)


def apart(a, b):
    return np.max(rot.angle_between(a, b))


def slope(curve, t, h=1e-6):
    return rot.log(rot.multiply(rot.inverse(curve(t - h)), curve(t + h))) / (2 * h)


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("knobs", KNOBS)
def test_a_turn_about_one_axis_is_the_tcb_curve_of_its_angle(knobs, ends):
    """Also for wide swings: turns of up to 172 degrees with slack knobs swing beyond 180 between controls."""
    dice = np.random.default_rng(1)
    angles = np.cumsum(dice.uniform(-3, 3, 9))
    times = np.cumsum(dice.uniform(0.5, 2, 9))
    signs = dice.choice([-1, 1], (9, 1))
    turning = RotationTCB(times, signs * rot.from_axis_angle(AXIS, angles), *knobs, ends=ends)
    angle = TCB(times, angles, *knobs, ends=ends)
    t = np.linspace(times[0], times[-1], 500)
    assert apart(turning(t), rot.from_axis_angle(AXIS, angle(t))) < 1e-13
    assert np.sum(turning(t)[1:] * turning(t)[:-1], axis=-1).min() > 0.9  # no sign flips either
    assert np.allclose(turning.derivative(t), angle.derivative(t)[:, None] * AXIS, atol=1e-12)


def test_a_closed_turn_about_one_axis_goes_all_the_way_round():
    spin = RotationTCB([0, 1, 2], rot.from_axis_angle(AXIS, np.radians([0, 120, 240])), closed=True)
    t = np.linspace(0, 6, 50)
    assert apart(spin(t), rot.from_axis_angle(AXIS, np.radians(120 * t))) < 1e-12


@pytest.mark.parametrize("knobs", KNOBS)
def test_splines_agrees_inside_but_its_natural_ends_are_off(knobs):
    """``splines`` 0.3.3 puts the end control rotation half-way to the next key, not to the next control rotation."""
    times, q = keys(6, seed=2, reach=0.7)
    q = q * np.sign(q[0, 0])
    theirs = peer.KochanekBartels([peer.UnitQuaternion.from_unit_xyzw((*k[1:], k[0])) for k in q], tcb=knobs)
    ours = RotationTCB(times, q, *knobs)

    def distance(t):
        return apart(ours(t), np.array([rotation.wxyz for rotation in theirs.evaluate(t)]))

    assert distance(np.linspace(1, 4, 100)) < 1e-7
    assert distance(np.linspace(0, 1, 50)) > np.radians(0.1)


@pytest.mark.parametrize("knobs", KNOBS)
def test_natural_ends_have_no_angular_acceleration(knobs):
    times, q = keys(5, seed=3, even=False)
    curve = RotationTCB(times, q, *knobs)
    h = 1e-5
    for end, side in ((times[0], 1), (times[-1], -1)):
        assert np.abs(curve.derivative(end + side * h) - curve.derivative(end)).max() / h < 1e-2
        inside = end + 0.3 * side
        assert np.abs(curve.derivative(inside + h) - curve.derivative(inside)).max() / h > 1e-2


def test_keys_are_met_and_derivatives_are_slopes():
    times, q = keys(7, (3,), seed=4, even=False)
    curve = RotationTCB(times, q, -0.3, 0.4, 0.5)
    signs = np.sign(np.sum(curve(times) * curve.values, axis=-1, keepdims=True))
    assert np.array_equal(signs * curve(times), curve.values)
    assert apart(curve.values, q) < 1e-7
    t = np.setdiff1d(np.linspace(times[0] + 0.01, times[-1] - 0.01, 80), times)
    assert np.allclose(curve.derivative(t), slope(curve, t), atol=1e-7)
    into, out = curve.velocities()
    assert np.allclose(curve.derivative(times[:-1]), out[:-1])
    assert np.allclose(slope(curve, times[1:-1] - 2e-6), into[1:-1], atol=1e-4)


def test_shapes_follow_times_and_joints():
    times, q = keys(4, (2, 5))
    curve = RotationTCB(times, q)
    assert curve(0.5).shape == (2, 5, 4)
    assert curve(np.zeros((3, 7))).shape == (3, 7, 2, 5, 4)
    assert curve.derivative(np.zeros((3, 7))).shape == (3, 7, 2, 5, 3)
    assert curve([]).shape == (0, 2, 5, 4)


def test_joints_do_not_know_each_other():
    times, q = keys(6, (4,), seed=5, even=False)
    t = np.linspace(times[0], times[-1], 40)
    together = RotationTCB(times, q, 0.1, 0.2, 0.3)(t)
    for joint in range(4):
        assert np.allclose(RotationTCB(times, q[:, joint], 0.1, 0.2, 0.3)(t), together[:, joint], atol=1e-15)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from([-1.0, 1.0]), min_size=6, max_size=6), st.integers(0, 5))
def test_q_and_minus_q_are_the_same_key(signs, seed):
    times, q = keys(6, seed=seed)
    t = np.linspace(0, 5, 40)
    for closed in (False, True):
        plain = RotationTCB(times, q, 0.1, -0.4, 0.3, closed=closed)
        assert (
            apart(RotationTCB(times, q * np.array(signs)[:, None], 0.1, -0.4, 0.3, closed=closed)(t), plain(t)) < 1e-7
        )


@pytest.mark.parametrize("ends", ENDS)
def test_turning_the_scene_or_the_joint_turns_the_curve(ends):
    times, q = keys(6, seed=6, even=False)
    world, joint = rot.normalize(np.random.default_rng(7).standard_normal((2, 4)))
    t = np.linspace(times[0], times[-1], 60)
    plain = RotationTCB(times, q, 0.2, -0.3, 0.5, ends=ends)(t)
    turned = RotationTCB(times, rot.multiply(rot.multiply(world, q), joint), 0.2, -0.3, 0.5, ends=ends)(t)
    assert apart(turned, rot.multiply(rot.multiply(world, plain), joint)) < 1e-7


@pytest.mark.parametrize("ends", ENDS)
def test_reversing_time_and_bias_reverses_the_curve(ends):
    times, q = keys(6, seed=8, even=False)
    t = np.linspace(times[0], times[-1], 60)
    forward = RotationTCB(times, q, 0.2, -0.6, 0.5, ends=ends)
    backward = RotationTCB(-times[::-1], q[::-1], 0.2, -0.6, -0.5, ends=ends)
    assert apart(forward(t), backward(-t)) < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("knobs", KNOBS)
def test_wide_swings_stay_smooth_and_of_unit_length(knobs):
    dice = np.random.default_rng(9)
    axes = rot.normalize(np.append(np.zeros((40, 1)), dice.standard_normal((40, 3)), axis=1))[:, 1:]
    q = [rot.identity()]
    for axis in axes:
        q.append(rot.multiply(q[-1], rot.exp(2.6 * axis)))
    curve = RotationTCB(np.arange(41), np.array(q), *knobs)
    t = np.linspace(0, 40, 40_001)
    moved = curve(t)
    assert np.allclose(np.linalg.norm(moved, axis=-1), 1.0, rtol=0, atol=1e-12)
    assert np.sum(moved[1:] * moved[:-1], axis=-1).min() > 0.99
    # No step is longer than the fastest angular velocity in it allows.
    fastest = np.linalg.norm(curve.derivative(t), axis=-1)
    step = rot.angle_between(moved[:-1], moved[1:])
    assert np.all(step < 0.001 * np.maximum(fastest[1:], fastest[:-1]) * 1.01 + 1e-5)


def test_small_turns_are_the_vector_curve_of_their_logarithms():
    times, vectors = np.arange(6.0), 1e-6 * np.random.default_rng(10).standard_normal((6, 3))
    t = np.linspace(0, 5, 60)
    for closed in (False, True):
        plain = TCB(times, vectors, 0.1, -0.2, 0.3, closed=closed)(t)
        assert np.allclose(
            rot.log(RotationTCB(times, rot.exp(vectors), 0.1, -0.2, 0.3, closed=closed)(t)), plain, atol=1e-11
        )


def test_closed_curves_join_smoothly_whichever_way_they_are_closed():
    times, q = keys(5, (2,), seed=11, reach=0.6)
    curves = [
        RotationTCB(times, q, closed=True),
        RotationTCB(times, q, closed=True, period=5),
        RotationTCB(np.arange(6), q, closed=True),
        RotationTCB(np.arange(6), np.concatenate([q, -q[:1]]), closed=True),
    ]
    t = np.linspace(-4, 11, 90)
    for curve in curves:
        assert (len(curve), curve.period) == (5, 5.0)
        assert apart(curve(t), curves[0](t)) < 1e-7
        assert apart(curve(t + 5), curve(t)) < 1e-7
        into, out = curve.velocities()
        assert np.allclose(into, out)


def test_one_key_two_keys_and_explicit_ends():
    times, q = keys(2, seed=12)
    t = np.linspace(0, 1, 11)
    assert apart(RotationTCB([0.3], q[:1])(t), np.broadcast_to(q[0], (11, 4))) < 1e-12
    assert np.array_equal(RotationTCB([0.3], q[:1]).derivative(t), np.zeros((11, 3)))
    slerped = rot.slerp(np.broadcast_to(q[0], (11, 4)), np.broadcast_to(q[1], (11, 4)), t)
    assert apart(RotationTCB(times, q)(t), slerped) < 1e-7
    spun = RotationTCB(times, q, ends=((1, 2, 3), "zero"))
    assert np.allclose(spun.derivative(0.0), (1, 2, 3))
    assert np.allclose(spun.derivative(1.0), 0)


def test_holds_stay_still_per_joint():
    times, q = keys(4, (2,), seed=13)
    q[2, 0] = -q[1, 0]
    t = np.linspace(1, 2, 30)
    free, flat = RotationTCB(times, q), RotationTCB(times, q, holds="flat")
    assert apart(free(t)[:, 0], np.broadcast_to(q[1, 0], (30, 4))) > 0.01
    assert apart(flat(t)[:, 0], np.broadcast_to(q[1, 0], (30, 4))) < 1e-12
    assert apart(flat(t)[:, 1], free(t)[:, 1]) < 1e-12


def test_outside_the_keys():
    times, q = keys(3, seed=14)
    assert apart(RotationTCB(times, q)([-1, 5]), q[[0, -1]]) < 1e-12
    onward = RotationTCB(times, q, outside="extrapolate")
    speed = onward.derivative(2.0)
    assert apart(onward(4.0), rot.multiply(q[-1], rot.exp(2 * speed))) < 1e-12
    assert np.allclose(onward.derivative(4.0), speed)
    assert np.array_equal(RotationTCB(times, q).derivative(4.0), np.zeros(3))


def test_edits_and_inbetweens():
    times, q = keys(4, seed=15)
    curve = RotationTCB(times, q, tension=[0, 0.1, 0.2, 0.3])
    t = np.linspace(0, 3, 20)
    more = curve.with_key(0.5, q[3], bias=1)
    assert len(more) == 5
    assert apart(more.without_key(1)(t), curve(t)) < 1e-12
    assert apart(curve.moved(1, value=q[2])(1.0), q[2]) < 1e-12
    by_count = RotationTCB.from_inbetweens(q, [3, 0, 1])
    assert apart(by_count.inbetweens(), by_count(np.arange(8))) < 1e-12


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[1, 0, 0, 0], [0, 0, 0, 0]], r"zero, which is no rotation"),
        ([[1, 0, 0], [0, 1, 0]], r"quaternions wxyz of shape \(keys, 4\)"),
        ([1.0, 0, 0, 0], r"not \(4,\)"),
        ([[1, 0, 0, 0], [np.nan, 0, 0, 0]], r"values must be finite"),
        (np.zeros((0, 4)), r"not \(0, 4\)"),
    ],
)
def test_mistakes_are_explained(values, words):
    with pytest.raises(ParameterError, match=words):
        RotationTCB([0, 1], values)


def test_the_front_door_has_the_curve():
    assert kt.RotationTCB is RotationTCB
