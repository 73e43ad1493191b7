import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune import rotations as rot
from kinetune.errors import ParameterError
from kinetune.signals.rotation_curves import curves_to_rotations, rotations_to_curves

T = np.linspace(0.0, 4.0, 481)


def vectors(x=0.0, y=0.0, z=0.0):
    return np.stack(np.broadcast_arrays(x + 0 * T, y + 0 * T, z + 0 * T), axis=-1)


MOTIONS = {
    "small": rot.exp(vectors(0.6 * np.sin(T), 0.2 * np.cos(3 * T), 0.1)),
    "constant": rot.exp(vectors(2.0, 1.0, -0.5)),
    "close to pi": rot.exp(vectors((np.pi - 1e-9) * np.sin(T))),
    "past pi": rot.exp(vectors(0.2 * np.cos(T), 0.1, 3.6 * np.sin(0.8 * T))),
    "one turn": rot.exp(vectors(0.0, 2 * np.pi * T / 4.0)),
    "pirouettes": rot.multiply(rot.about_y(9 * T), rot.exp(vectors(0.15 * np.sin(11 * T), 0, 0.1 * np.cos(7 * T)))),
    "pirouettes back": rot.multiply(rot.about_y(-9 * T), rot.exp(vectors(0.15 * np.sin(11 * T), 0, 0.1))),
    "a drill that swings": rot.multiply(rot.exp(vectors(0.7 * np.sin(T), 0, 0.5)), rot.exp(vectors(0, 25 * T))),
    "twisting somersault": rot.multiply(rot.exp(vectors(3 * T)), rot.exp(vectors(0, 5 * T))),
}
ALL = np.stack(list(MOTIONS.values()), axis=1)
EACH = pytest.mark.parametrize("q", [q[:, None] for q in MOTIONS.values()], ids=MOTIONS.keys())


def same(a, b):
    """The largest difference of two arrays of rotations, q and -q being one."""
    return np.minimum(np.abs(a - b).max(axis=-1), np.abs(a + b).max(axis=-1)).max()


@EACH
def test_round_trip(q):
    assert same(curves_to_rotations(rotations_to_curves(q)), q) < 1e-12


def test_all_joints_at_once_give_what_each_alone_gives():
    together = rotations_to_curves(ALL).curves
    alone = [rotations_to_curves(q[:, None]).curves[:, 0] for q in MOTIONS.values()]
    assert np.allclose(together, np.stack(alone, axis=1), atol=1e-9)


@EACH
def test_signs_do_not_matter(q):
    signs = np.random.default_rng(0).choice([-1.0, 1.0], q.shape[:2])[..., None]
    assert np.allclose(rotations_to_curves(q * signs).curves, rotations_to_curves(q).curves, atol=1e-9)


@EACH
def test_turning_the_scene_leaves_the_curves(q):
    turn = rot.exp(np.array([0.3, 1.1, -0.7]))
    curves, turned = rotations_to_curves(q), rotations_to_curves(rot.multiply(turn, q))
    # An even spin has no mean of its own, so that its angle may be counted from another one.
    assert np.allclose(np.diff(turned.curves, axis=0), np.diff(curves.curves, axis=0), atol=1e-7)
    assert same(curves_to_rotations(turned), rot.multiply(turn, q)) < 1e-12


@EACH
def test_nothing_jumps(q):
    steps = np.linalg.norm(np.diff(rotations_to_curves(q).curves, axis=0), axis=-1)
    turned = rot.angle_between(q[1:], q[:-1])
    # A chart stretches the path a little; a flip would be a step of several radians.
    assert steps.max() < 2.5 * turned.max() + 1e-9


def test_several_turns_are_counted():
    curves = rotations_to_curves(MOTIONS["pirouettes"][:, None]).curves[:, 0]
    assert np.ptp(np.linalg.norm(curves, axis=-1) * np.sign(curves[:, 1])) == pytest.approx(36.0, rel=0.02)


def test_a_filter_of_the_curves_keeps_a_steady_spin():
    """Smoothing a tremor off a pirouette leaves the pirouette: the reason for the split into spin and lean."""
    tremor = rot.exp(vectors(0.05 * np.sin(150 * T)))
    clean = rot.multiply(rot.about_y(9 * T), rot.exp(vectors(0.1)))
    curves = rotations_to_curves(rot.multiply(clean, tremor)[:, None])
    kernel = np.ones(21) / 21
    smooth = np.stack([np.convolve(curves.curves[:, 0, k], kernel, "same") for k in range(3)], axis=-1)
    result = curves_to_rotations(curves.with_curves(smooth[:, None]))[:, 0]
    assert rot.angle_between(result, clean)[30:-30].max() < 0.01


def test_curves_are_small_around_the_mean():
    wide = rotations_to_curves(MOTIONS["small"][:, None])
    assert np.linalg.norm(wide.curves.mean(axis=0)) < 0.05
    assert not wide.axis.any()


def test_an_even_spin_takes_its_middle_frame_as_centre():
    angles = np.arange(8) * np.pi / 4
    q = rot.about_y(angles)[:, None]
    assert np.allclose(rotations_to_curves(q).center, q[4])


def test_two_clips_in_the_same_charts():
    one, other = ALL, ALL[::-1]
    first = rotations_to_curves(one)
    second = rotations_to_curves(other, like=first)
    assert np.array_equal(second.center, first.center)
    assert np.array_equal(second.axis, first.axis)
    assert same(curves_to_rotations(second), other) < 1e-12


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_few_frames(frames):
    q = ALL[:frames]
    assert same(curves_to_rotations(rotations_to_curves(q)), q) < 1e-12


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_random_rotations_survive(seed):
    """No motion at all, frame after frame by chance: the curves run wild, but they lead back."""
    q = np.random.default_rng(seed).standard_normal((12, 3, 4))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    assert same(curves_to_rotations(rotations_to_curves(q)), q) < 1e-11


def test_wrong_shapes_are_refused():
    with pytest.raises(ParameterError, match=r"\(frames, joints, 4\)"):
        rotations_to_curves(np.zeros((5, 3)))
    with pytest.raises(ParameterError, match="at least one frame"):
        rotations_to_curves(np.zeros((0, 2, 4)))
    with pytest.raises(ParameterError, match="9 joints"):
        rotations_to_curves(ALL).with_curves(np.zeros((4, 2, 3)))
    with pytest.raises(ParameterError, match="9 joints, but the rotations have 1"):
        rotations_to_curves(ALL[:, :1], like=rotations_to_curves(ALL))
