import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from kinetune import rotations as rot
from kinetune.errors import ParameterError

FULL = rot.EULER_ORDERS
PARTIAL = ("", "X", "Y", "Z", "ZX", "XY", "YZ", "XZ")


def random_rotations(count=200, seed=0):
    rng = np.random.default_rng(seed)
    q = rng.standard_normal((count, 4))
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def same_rotation(a, b, tolerance=1e-9):
    return np.max(rot.angle_between(a, b)) < tolerance


def test_there_are_twelve_full_orders():
    assert len(set(FULL)) == 12


@pytest.mark.parametrize("order", FULL)
def test_euler_agrees_with_scipy(order):
    angles = np.random.default_rng(1).uniform(-3, 3, (100, 3))
    ours = rot.from_euler(angles, order)
    theirs = Rotation.from_euler(order, angles).as_quat(scalar_first=True)
    assert same_rotation(ours, theirs)


@pytest.mark.parametrize("order", FULL)
def test_euler_round_trip(order):
    q = random_rotations()
    assert same_rotation(rot.from_euler(rot.to_euler(q, order), order), q)


@pytest.mark.parametrize("order", FULL)
def test_euler_round_trip_at_gimbal_lock(order):
    locked = 0.5 * np.pi if order[0] != order[2] else 0.0
    for middle in (locked, locked + 1e-12, -locked, np.pi - locked):
        q = rot.from_euler([[0.4, middle, -1.1], [3.0, middle, 2.0]], order)
        assert same_rotation(rot.from_euler(rot.to_euler(q, order), order), q, 1e-7)


@pytest.mark.parametrize("order", PARTIAL)
def test_partial_orders_round_trip(order):
    angles = np.random.default_rng(2).uniform(-1.4, 1.4, (50, len(order)))
    assert np.allclose(rot.to_euler(rot.from_euler(angles, order), order), angles)


def test_one_axis_order_takes_the_closest_turn():
    q = random_rotations(40)
    best = rot.to_euler(q, "Y")
    distance = rot.angle_between(q, rot.from_euler(best, "Y"))
    for nudge in (-0.01, 0.01):
        assert np.all(rot.angle_between(q, rot.from_euler(best + nudge, "Y")) >= distance)


@pytest.mark.parametrize("order", FULL)
def test_unroll_keeps_the_rotation(order):
    t = np.linspace(0, 12, 500)
    smooth = np.stack([2 * t, 2.5 * np.sin(t), -1.7 * t], axis=-1)
    q = rot.from_euler(smooth, order)
    unrolled = rot.unroll(rot.to_euler(q, order), order)
    assert same_rotation(rot.from_euler(unrolled, order), q, 1e-7)
    assert np.max(np.abs(np.diff(unrolled, axis=0))) < 0.2


def test_continuous_removes_sign_flips_and_nothing_else():
    t = np.linspace(0, 20, 300)
    q = rot.exp(np.stack([t, 0.3 * np.sin(t), 0 * t], axis=-1))
    flipped = q * np.where(np.random.default_rng(3).random(300) < 0.5, -1, 1)[:, None]
    result = rot.continuous(flipped)
    assert np.all(np.sum(result[1:] * result[:-1], axis=-1) > 0)
    assert same_rotation(result, q)
    assert np.array_equal(rot.continuous(q[:1]), q[:1])


@given(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3))
def test_exp_log_round_trip(vector):
    q = rot.exp(vector)
    assert np.isclose(np.linalg.norm(q), 1)
    assert np.linalg.norm(rot.log(q)) <= np.pi + 1e-12
    assert same_rotation(rot.exp(rot.log(q)), q)


@pytest.mark.parametrize("scale", [0.0, 1e-320, 1e-200, 1e-12, 1e-4, 1.0, np.pi - 1e-9])
def test_log_undoes_exp_near_identity_and_near_pi(scale):
    vector = scale * np.array([0.6, 0.0, 0.8])
    assert np.allclose(rot.log(rot.exp(vector)), vector, rtol=1e-6, atol=1e-300)


def test_matrix_round_trip_and_rotate():
    q = random_rotations()
    v = np.random.default_rng(4).standard_normal((200, 3))
    m = rot.to_matrix(q)
    assert np.allclose(rot.rotate(q, v), np.einsum("nij,nj->ni", m, v))
    assert same_rotation(rot.from_matrix(m), q)


def test_multiply_composes_like_matrices():
    a, b = random_rotations(seed=5), random_rotations(seed=6)
    assert np.allclose(rot.to_matrix(rot.multiply(a, b)), rot.to_matrix(a) @ rot.to_matrix(b))


def test_between_brings_start_to_end_even_when_opposite():
    a = np.array([[1.0, 0, 0], [0, 1, 0], [0.3, -2, 0.5]])
    for b in (-a, a, np.roll(a, 1, axis=-1)):
        turned = rot.rotate(rot.between(a, b), a)
        assert np.allclose(turned, b / np.linalg.norm(b, axis=-1, keepdims=True) * np.linalg.norm(a, axis=-1)[:, None])


def test_slerp_goes_the_short_way_at_constant_speed():
    a, b = random_rotations(20, 7), random_rotations(20, 8)
    full = rot.angle_between(a, b)
    for t in (0.0, 0.25, 1.0):
        assert np.allclose(rot.angle_between(a, rot.slerp(a, b, np.full(20, t))), t * full)
        assert np.allclose(rot.angle_between(a, rot.slerp(a, -b, np.full(20, t))), t * full)


def test_mean_ignores_sign_and_is_the_midpoint_of_two():
    a, b = random_rotations(20, 9), random_rotations(20, 10)
    middle = rot.slerp(a, b, np.full(20, 0.5))
    assert same_rotation(rot.mean(np.stack([a, -b])), middle, 1e-6)
    assert same_rotation(rot.mean(np.stack([a, b]), weights=[1.0, 0.0]), a, 1e-6)


def test_swing_twist_multiply_back_and_twist_is_about_the_axis():
    q = random_rotations()
    swing, twist = rot.swing_twist(q, (0.0, 0.6, 0.8))
    assert same_rotation(rot.multiply(swing, twist), q)
    assert np.allclose(np.cross(twist[:, 1:], [0.0, 0.6, 0.8]), 0)
    assert np.allclose(np.sum(swing[:, 1:] * [0.0, 0.6, 0.8], axis=-1), 0, atol=1e-12)


def test_cross_is_the_right_handed_product_to_the_last_digit():
    a, b = np.random.default_rng(3).normal(size=(2, 5, 7, 3))
    assert np.array_equal(rot.cross(a, b), np.cross(a, b))


def test_heading_is_the_angle_of_a_turn_about_y():
    angles = np.array([-3.0, -1.0, 0.0, 0.5, 2.9])
    assert np.allclose(rot.heading(rot.about_y(angles)), angles)


@pytest.mark.parametrize("order", ["XX", "XYZX", "AB", "XYY"])
def test_a_wrong_order_is_explained(order):
    with pytest.raises(ParameterError, match="not an Euler order"):
        rot.from_euler(np.zeros(len(order)), order)


def test_wrong_number_of_angles_is_explained():
    with pytest.raises(ParameterError, match="takes 3 angles, not 2"):
        rot.from_euler([0.0, 0.0], "XYZ")
