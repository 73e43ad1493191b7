"""Laws and goldens of the TCB curve.

Goldens: Kochanek and Bartels 1984 (Equations 1 to 10, sections 2 to 4), and curves of the independent package
``splines`` 0.3.3 on evenly spaced keys, where both mean the same.
"""

import numpy as np
import pytest
import splines
from hypothesis import given, settings
from hypothesis import strategies as st

import kinetune as kt
from kinetune.errors import ParameterError
from kinetune.signals.splines.tcb import TCB, kernels

HERMITE = np.array([[2, -2, 1, 1], [-3, 3, -2, -1], [0, 0, 1, 0], [1, 0, 0, 0]], dtype=float)  # Equation 2
ENDS = ("natural", "zero", "half chord", "chord")
knob = st.floats(-1, 1)


def keys(count=6, channels=(3,), seed=0, even=False):
    dice = np.random.default_rng(seed)
    times = np.arange(count) * 1.0 if even else np.cumsum(dice.uniform(0.3, 2.0, count))
    return times, dice.standard_normal((count, *channels))


def paper_tangents(before, here, after, t, c, b):
    """Equations 8 and 9, word for word."""
    source = (1 - t) * (1 - c) * (1 + b) / 2 * (here - before) + (1 - t) * (1 + c) * (1 - b) / 2 * (after - here)
    destination = (1 - t) * (1 + c) * (1 + b) / 2 * (here - before) + (1 - t) * (1 - c) * (1 - b) / 2 * (after - here)
    return source, destination


# The paper's equations


@settings(deadline=None)  # the first call may load kernels
@given(knob, knob, knob)
def test_tangents_are_those_of_equations_8_and_9(t, c, b):
    times, values = keys(5, even=True)
    incoming, outgoing = TCB(times, values, t, c, b).velocities()
    for i in (1, 2, 3):
        source, destination = paper_tangents(*values[i - 1 : i + 2], t, c, b)
        assert np.allclose(incoming[i], source)
        assert np.allclose(outgoing[i], destination)


@pytest.mark.parametrize("x", [-1.0, -0.3, 0.0, 0.4, 1.0])
def test_each_knob_alone_gives_equations_4_to_7(x):
    before, here, after = np.array([1.0, 0.2]), np.array([-0.5, 2.0]), np.array([3.0, 0.7])
    first, second = here - before, after - here

    def tangents(**knobs):
        into, out = TCB([0, 1, 2], [before, here, after], **knobs).velocities()
        return into[1], out[1]

    assert np.allclose(tangents(tension=x), (1 - x) / 2 * (first + second))  # Equation 4
    into, out = tangents(continuity=x)
    assert np.allclose(into, (1 - x) / 2 * first + (1 + x) / 2 * second)  # Equation 5
    assert np.allclose(out, (1 + x) / 2 * first + (1 - x) / 2 * second)  # Equation 6
    assert np.allclose(tangents(bias=x), (1 + x) / 2 * first + (1 - x) / 2 * second)  # Equation 7
    assert np.allclose(tangents(), (after - before) / 2)  # Equation 3


def test_evaluation_is_the_matrix_form_of_equation_2():
    times, values = keys(4, even=True)
    curve = TCB(times, values, 0.2, -0.3, 0.4)
    incoming, outgoing = curve.velocities()
    for s in np.linspace(0, 1, 9):
        by_matrix = np.array([s**3, s**2, s, 1]) @ HERMITE @ np.stack([values[1], values[2], outgoing[1], incoming[2]])
        assert np.allclose(curve(1 + s), by_matrix)


def test_golden_frames_by_inbetweens():
    curve = TCB.from_inbetweens([(0, 0), (1, 1), (2, 0)], [3, 1])
    golden = [
        (0, 0),
        (0.2109375, 0.3671875),
        (0.4375, 0.6875),
        (0.6953125, 0.9140625),
        (1, 1),
        (1.4375, 0.6875),
        (2, 0),
    ]
    assert np.array_equal(curve.inbetweens(), golden)
    assert np.array_equal(curve(np.arange(7)), golden)


def test_erratum_of_equation_10():
    """Uniform motion, 10 inbetweens and then 5: as printed the speed at the key jumps, corrected it does not."""
    printed = TCB.from_inbetweens([0.0, 11.0, 17.0], [10, 5], step="printed")
    corrected = TCB.from_inbetweens([0.0, 11.0, 17.0], [10, 5])
    into, out = printed.velocities()
    assert (into[1], out[1]) == pytest.approx((0.515, 1.889), abs=5e-4)
    assert out[1] / into[1] == pytest.approx(10 / 5 * 11 / 6)
    into, out = corrected.velocities()
    assert (into[1], out[1]) == pytest.approx((1.0, 1.0), abs=1e-12)


def test_printed_step_counts_frames_of_the_given_length():
    frames = TCB([0, 11, 17], [0.0, 2.0, 1.0], step="printed")
    seconds = TCB(np.array([0, 11, 17]) / 24, [0.0, 2.0, 1.0], step="printed", frame=1 / 24)
    t = np.linspace(0, 17, 50)
    assert np.allclose(seconds(t / 24), frames(t))


def test_printed_step_without_inbetweens_changes_nothing():
    t = np.linspace(0, 2, 9)
    assert np.allclose(TCB([0, 1, 2], [0.0, 3.0, 1.0], step="printed")(t), TCB([0, 1, 2], [0.0, 3.0, 1.0])(t))


def test_step_none_leaves_the_tangents_of_uneven_keys_alone():
    curve = TCB([0, 1, 4], [0.0, 2.0, 3.0], step="none")
    into, out = curve.velocities()
    assert into[1] * 1 == pytest.approx(1.5)
    assert out[1] * 3 == pytest.approx(1.5)


@settings(deadline=None)  # the first call may load kernels
@given(knob, knob)
def test_corrected_speed_is_continuous_unless_continuity_says_otherwise(t, b):
    times, values = keys(seed=3)
    into, out = TCB(times, values, tension=t, bias=b).velocities()
    assert np.allclose(into, out)


# An independent algorithm


@pytest.mark.parametrize("seed", range(3))
def test_splines_agrees_on_even_keys(seed):
    times, values = keys(7, seed=seed, even=True)
    knobs = np.random.default_rng(seed).uniform(-1, 1, (7, 3))
    theirs = splines.KochanekBartels(values, times, tcb=knobs[1:-1])
    t = np.linspace(0, 6, 301)
    assert np.abs(TCB(times, values, *knobs.T)(t) - theirs.evaluate(t)).max() < 2e-12
    ours = TCB(times, values, *knobs.T).derivative(t[:-1])
    assert np.abs(ours - theirs.evaluate(t[:-1], 1)).max() < 1e-11


def test_splines_agrees_on_closed_even_curves():
    times, values = keys(5, seed=4, even=True)
    knobs = np.random.default_rng(4).uniform(-1, 1, (5, 3))
    theirs = splines.KochanekBartels(values, range(6), tcb=knobs, endconditions="closed")
    t = np.linspace(0, 5, 200)
    assert np.abs(TCB(times, values, *knobs.T, closed=True)(t) - theirs.evaluate(t)).max() < 2e-12


def test_splines_differs_on_uneven_keys_and_swings_wider():
    """A jump in 3 frames before a hold of 30: 1.135 for ours, 2.35 for non-uniform Catmull-Rom tangents."""
    ours = TCB.from_inbetweens([0.0, 1.0, 1.0], [2, 29], ends="zero").inbetweens()
    theirs = splines.KochanekBartels([[0.0], [1.0], [1.0]], [0, 3, 33], endconditions=([0.0], [0.0]))
    assert ours.max() == pytest.approx(1.135, abs=5e-4)
    assert theirs.evaluate(np.arange(34)).max() == pytest.approx(2.35, abs=5e-3)


# Keys, ends, holds


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 4)])
def test_keys_are_met_exactly(shape, closed):
    times, values = keys(8, shape, seed=5, even=closed)
    curve = TCB(times, values, -0.4, 0.7, 0.9, closed=closed)
    assert np.array_equal(curve(times), values)


def test_shapes_follow_times_and_values():
    times, values = keys(5, (2, 4))
    curve = TCB(times, values)
    assert curve(1.0).shape == (2, 4)
    assert curve(np.ones((3, 7))).shape == (3, 7, 2, 4)
    assert curve.derivative(np.ones((3, 7))).shape == (3, 7, 2, 4)
    assert curve([]).shape == (0, 2, 4)
    assert TCB([0, 1, 2], np.zeros((3, 0)))([0.5, 1.5]).shape == (2, 0)
    assert isinstance(TCB([0, 1], [0, 1])(0.5), float)


def test_channels_do_not_know_each_other():
    times, values = keys(6, (4,), seed=6)
    t = np.linspace(times[0], times[-1], 40)
    for holds in ("free", "flat"):
        alone = [TCB(times, values[:, i], 0.1, 0.2, 0.3, holds=holds)(t) for i in range(4)]
        assert np.array_equal(TCB(times, values, 0.1, 0.2, 0.3, holds=holds)(t), np.stack(alone, axis=-1))


@settings(deadline=None)  # the first call may load kernels
@given(st.floats(-3, 3), st.floats(-50, 50))
def test_scaling_and_shifting_commute_with_the_curve(scale, shift):
    times, values = keys(6)
    t = np.linspace(times[0], times[-1], 30)
    plain = TCB(times, values, 0.3, 0.1, -0.5)(t)
    assert np.allclose(TCB(times, scale * values + shift, 0.3, 0.1, -0.5)(t), scale * plain + shift)


@settings(deadline=None)  # the first call may load kernels
@given(st.floats(0.01, 100), st.floats(-50, 50))
def test_the_unit_of_time_does_not_matter(scale, shift):
    times, values = keys(6)
    t = np.linspace(times[0], times[-1], 30)
    plain = TCB(times, values, 0.3, 0.1, -0.5)(t)
    assert np.allclose(TCB(scale * times + shift, values, 0.3, 0.1, -0.5)(scale * t + shift), plain)


@pytest.mark.parametrize("ends", ENDS)
def test_reversing_time_and_bias_reverses_the_curve(ends):
    times, values = keys(6, seed=7)
    t = np.linspace(times[0], times[-1], 50)
    forward = TCB(times, values, 0.2, -0.6, 0.5, ends=ends)
    backward = TCB(-times[::-1], values[::-1], 0.2, -0.6, -0.5, ends=ends)
    assert np.allclose(forward(t), backward(-t))


def test_global_knobs_equal_the_same_knob_at_every_key():
    times, values = keys(6)
    t = np.linspace(times[0], times[-1], 30)
    each = TCB(times, values, [0.2] * 6, np.full(6, -0.1), [0.4] * 6)
    assert np.array_equal(each(t), TCB(times, values, 0.2, -0.1, 0.4)(t))


def test_a_key_bends_only_the_intervals_beside_it_and_the_next():
    times, values = keys(8, seed=8)
    one = TCB(times, values, ends="zero")
    other = one.moved(4, tension=-0.9, bias=0.5)
    for i in range(7):
        t = np.linspace(times[i], times[i + 1], 12)[1:-1]
        assert np.array_equal(one(t), other(t)) == (i not in (3, 4))


def test_end_conditions():
    times, values = keys(4, seed=9)
    first, last = (values[1] - values[0]) / (times[1] - times[0]), (values[-1] - values[-2]) / (times[-1] - times[-2])
    for name, share in (("zero", 0.0), ("half chord", 0.5), ("chord", 1.0)):
        curve = TCB(times, values, ends=name)
        assert np.allclose(curve.derivative(times[0]), share * first)
        assert np.allclose(curve.derivative(times[-1]), share * last)
    given_velocity = TCB(times, values, ends=((1, 2, 3), 0.5))
    assert np.allclose(given_velocity.derivative(times[0]), (1, 2, 3))
    assert np.allclose(given_velocity.derivative(times[-1]), 0.5)
    mixed = TCB(times, values, ends=("zero", "chord"))
    assert np.allclose(mixed.derivative(times[0]), 0)
    assert np.allclose(mixed.derivative(times[-1]), last)


def test_a_natural_end_has_no_curvature():
    times, values = keys(4, seed=10)
    curve = TCB(times, values, -0.4, 0.3, 0.2)
    h = 1e-4
    for key, side in ((times[0], 1), (times[-1], -1)):
        bend = (curve(key + 2 * side * h) - 2 * curve(key + side * h) + curve(key)) / h**2
        assert np.abs(bend).max() < 1e-2  # what is left is the third derivative times h
        inside = key + side * 0.2
        bend = (curve(inside + h) - 2 * curve(inside) + curve(inside - h)) / h**2
        assert np.abs(bend).max() > 0.1


def test_two_keys_with_natural_ends_are_a_line_and_with_zero_ends_an_ease():
    t = np.linspace(2, 5, 7)
    assert np.allclose(TCB([2, 5], [1.0, 4.0], tension=0.7)(t), t - 1)
    s = (t - 2) / 3
    assert np.allclose(TCB([2, 5], [0.0, 1.0], ends="zero")(t), s * s * (3 - 2 * s))
    half = TCB([2, 5], [0.0, 1.0], ends=("zero", "natural"))
    assert half.derivative(5.0) == pytest.approx(0.5)  # 3/2 of the chord, over 3


def test_one_key_is_a_constant():
    for curve in (TCB([3.0], [[1.0, 2.0]]), TCB([3.0], [[1.0, 2.0]], closed=True, period=4.0)):
        assert np.array_equal(curve([0, 3, 9]), [[1, 2]] * 3)
        assert np.array_equal(curve.derivative([0, 3, 9]), np.zeros((3, 2)))
        assert np.array_equal(curve.velocities(), np.zeros((2, 1, 2)))


@pytest.mark.parametrize(
    ("options", "peak"),
    [({}, 1.125), ({"tension": 1}, 1.0), ({"continuity": -1}, 1.0), ({"holds": "flat"}, 1.0)],
)
def test_a_hold_swings_over_unless_tamed(options, peak):
    assert TCB.from_inbetweens([0, 1, 1, 0], 9, **options).inbetweens().max() == pytest.approx(peak, abs=1e-15)


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("ends", ENDS)
def test_flat_holds_stay_flat_to_the_bit_and_keep_the_rest_smooth(ends, closed):
    value = [[0.1, 5.0], [0.7, 5.0], [0.7, 4.0], [-0.3, 3.0], [-0.3, 3.0], [-0.3, 2.0], [1.0, 5.0]]
    curve = TCB(np.arange(7), value, -0.5, 0.0, 0.6, ends=ends, holds="flat", closed=closed)
    assert np.all(curve(np.linspace(1, 2, 99))[:, 0] == 0.7)
    assert np.all(curve(np.linspace(3, 5, 99))[:, 0] == -0.3)
    assert np.all(curve(np.linspace(0, 1, 99))[:, 1] == 5.0)
    into, out = curve.velocities()
    assert np.allclose(into, out)
    free = TCB(np.arange(7), value, -0.5, 0.0, 0.6, ends=ends, closed=closed)
    assert not np.array_equal(free(np.linspace(2.01, 2.9, 9))[:, 1], curve(np.linspace(2.01, 2.9, 9))[:, 1])
    if not closed:
        assert np.array_equal(free(np.linspace(5.1, 5.9, 9))[:, 1], curve(np.linspace(5.1, 5.9, 9))[:, 1])


def test_flat_holds_win_over_given_end_velocities():
    curve = TCB([0, 1, 2, 3], [[1.0, 0], [1, 1], [2, 3], [5, 3]], ends=((4, 4), (4, 4)), holds="flat")
    assert np.allclose(curve.derivative([0, 3]), [(0, 4), (4, 0)])
    assert np.all(curve(np.linspace(0, 1, 20))[:, 0] == 1)
    assert np.all(curve(np.linspace(2, 3, 20))[:, 1] == 3)


def test_flat_does_not_touch_a_curve_without_holds():
    times, values = keys(7)
    t = np.linspace(times[0], times[-1], 50)
    assert np.array_equal(TCB(times, values, holds="flat")(t), TCB(times, values)(t))


# Outside, derivatives


def test_outside_the_keys():
    times, values = keys(4, (2,), seed=12)
    before, after = times[0] - 2, times[-1] + 3
    hold = TCB(times, values)
    assert np.array_equal(hold([before, after]), values[[0, -1]])
    assert np.array_equal(hold.derivative([before, after]), np.zeros((2, 2)))
    onward = TCB(times, values, outside="extrapolate")
    assert np.allclose(onward(after), values[-1] + 3 * onward.derivative(times[-1]))
    assert np.allclose(onward(before), values[0] - 2 * onward.derivative(times[0]))
    assert np.allclose(onward.derivative([before, after]), onward.derivative(times[[0, -1]]))
    strict = TCB(times, values, outside="error")
    assert np.array_equal(strict(times[-1]), values[-1])
    with pytest.raises(ParameterError, match=r"Time .* lies outside the keys, which span"):
        strict(after)


@pytest.mark.parametrize("closed", [False, True])
def test_derivative_is_the_slope(closed):
    times, values = keys(6, seed=13, even=True)
    curve = TCB(times, values, 0.2, -0.5, 0.3, closed=closed)
    t = np.setdiff1d(np.linspace(0.013, 4.987, 100), times)
    h = 1e-6
    assert np.allclose(curve.derivative(t), (curve(t + h) - curve(t - h)) / (2 * h), atol=1e-7)
    assert np.allclose(curve.derivative(times[:-1]), curve.velocities()[1][:-1])


# Compiled and NumPy


@pytest.mark.parametrize("order", ["sorted", "shuffled"])
def test_both_bodies_give_the_same_bits(monkeypatch, order):
    for count, closed, channels, seed in ((30, False, 1, 0), (30, True, 5, 1), (30, False, 70, 2), (2, False, 3, 3)):
        times, values = keys(count, (channels,), seed=seed)
        knobs = np.random.default_rng(seed).uniform(-1, 1, (3, count))
        t = np.concatenate([np.linspace(times[0] - 1, times[-1] + 1, 500), times])
        t = np.sort(t) if order == "sorted" else np.random.default_rng(seed).permutation(t)
        results = []
        for mode in ("never", "always"):
            monkeypatch.setenv("KINETUNE_COMPILED", mode)
            curve = TCB(times, values, *knobs, closed=closed, period=100.0 if closed else None)
            results.append((curve(t), curve.derivative(t), *curve.velocities()))
        for plain, compiled in zip(*results, strict=True):
            assert np.array_equal(plain, compiled)


def test_kernels_are_declared_for_warm_up():
    assert kernels.module == "kinetune.signals.splines.tcb_kernels"


def test_the_front_door_has_the_curve():
    assert kt.TCB is TCB
    assert kt.TCB([0, 1, 2], [0, 1, 0], tension=0, continuity=0, bias=0, ends="natural", closed=False)(1) == 1.0
