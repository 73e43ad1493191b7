"""What every keyed curve shares, tried on TCB: closing, editing, counting inbetweens, and mistakes."""

import pickle

import numpy as np
import pytest

from kinetune.errors import ParameterError
from kinetune.signals.splines.tcb import TCB


def keys(count=5, seed=0):
    dice = np.random.default_rng(seed)
    return np.cumsum(dice.uniform(0.3, 2.0, count)), dice.standard_normal((count, 3))


# Closed curves


def test_the_four_ways_to_close_a_curve_agree():
    corners = np.array([[0.0, 0], [2, 0], [2, 2], [0, 2]])
    t = np.linspace(-5, 9, 60)
    curves = [
        TCB([0, 1, 2, 3], corners, closed=True),
        TCB([0, 1, 2, 3], corners, closed=True, period=4),
        TCB([0, 1, 2, 3, 4], corners, closed=True),
        TCB([0, 1, 2, 3, 4], [*corners, corners[0]], closed=True),
        TCB([0, 1, 2, 3, 4], [*corners, corners[0]], closed=True, period=4, tension=np.zeros(5)),
        TCB.from_inbetweens(corners, 0, closed=True),
    ]
    for curve in curves:
        assert (len(curve), curve.period, curve.end) == (4, 4.0, 4.0)
        assert np.allclose(curve(t), curves[0](t))
        assert np.allclose(curve(t), curve(t + 4))
    assert len(curves[0].inbetweens(3)) == 16


def test_a_closed_curve_does_not_care_where_it_starts():
    times, values = keys(6, seed=11)
    period = times[-1] - times[0] + 0.8
    curve = TCB(times, values, 0.1, -0.2, 0.3, closed=True, period=period)
    turned = TCB(np.append(times[2:], times[:2] + period), np.roll(values, -2, axis=0), 0.1, -0.2, 0.3, closed=True,
                 period=period)  # fmt: skip
    t = np.linspace(-3, 12, 80)
    assert np.allclose(curve(t), turned(t))


# Edits


def test_edits_return_new_curves_and_leave_the_old_one():
    times, values = keys(5)
    curve = TCB(times, values, tension=0.3, bias=np.arange(5) / 10)
    kept = (curve.times.copy(), curve.values.copy())
    more = curve.with_key(times[1] + 0.1, (1, 2, 3), continuity=-1)
    assert len(more) == 6
    assert more.tension == 0.3
    assert np.array_equal(more.bias, [0, 0.1, 0, 0.2, 0.3, 0.4])
    assert np.array_equal(more.continuity, [0, 0, -1, 0, 0, 0])
    again = more.without_key(2)
    t = np.linspace(times[0], times[-1], 30)
    assert np.array_equal(again(t), curve(t))
    assert np.array_equal(curve.with_key(times[3], (0, 0, 0)).values[3], np.zeros(3))
    assert len(curve.with_key(times[3] + 1e-13, (0, 0, 0))) == 5
    assert np.array_equal(curve.times, kept[0])
    assert np.array_equal(curve.values, kept[1])
    with pytest.raises(ValueError, match="read-only"):
        curve.values[0] = 1
    with pytest.raises(AttributeError):
        curve.closed = True


def test_a_key_moved_past_its_neighbour_changes_places():
    curve = TCB([0, 1, 2, 3], [0.0, 10.0, 20.0, 30.0], tension=[0, 0.1, 0.2, 0.3])
    moved = curve.moved(1, time=2.5, value=7.0)
    assert np.array_equal(moved.times, [0, 2, 2.5, 3])
    assert np.array_equal(moved.values, [0, 20, 7, 30])
    assert np.array_equal(moved.tension, [0, 0.2, 0.1, 0.3])
    assert np.array_equal(curve.moved(-1, value=4.0).values, [0, 10, 20, 4])


def test_keys_of_a_closed_curve_move_around_the_period():
    curve = TCB([0, 1, 2, 3], [0.0, 1.0, 2.0, 3.0], closed=True)
    assert np.array_equal(curve.moved(0, time=-0.5).times, [1, 2, 3, 3.5])
    assert np.array_equal(curve.with_key(4.5, 9.0).times, [0, 0.5, 1, 2, 3])
    assert curve.without_key(3).period == 4


def test_inbetweens_by_time_or_by_count():
    curve = TCB.from_inbetweens([0.0, 1.0, 0.0, 2.0], [4, 0, 2])
    assert np.allclose(curve.inbetweens(), curve(np.arange(10)))
    assert np.allclose(curve.inbetweens([1, 1, 1]), curve([0, 2.5, 5, 5.5, 6, 7.5, 9]))
    seconds = TCB([0, 0.5, 0.75], [0.0, 1.0, 0.0], frame=1 / 8)
    assert np.allclose(seconds.inbetweens(), seconds(np.arange(7) / 8))
    with pytest.raises(ParameterError, match="whole number of frames"):
        TCB([0, 0.5], [0, 1]).inbetweens()


def test_curves_pickle():
    times, values = keys(5)
    curve = TCB(times, values, 0.2, ends=("zero", (1, 2, 3)))
    curve(0.5)
    assert np.array_equal(pickle.loads(pickle.dumps(curve))(times + 0.1), curve(times + 0.1))


# Mistakes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"times": [0, 2, 1], "values": [1, 2, 3]}, r"key 2 at 1 follows key 1 at 2"),
        ({"times": [0, 1, 1], "values": [1, 2, 3]}, r"give each time only once"),
        ({"times": [0, 1], "values": [1, 2, 3]}, r"2 times for 3 keys"),
        ({"times": [0, 1], "values": [1, np.nan]}, r"values must be finite numbers, but item 1 is not"),
        ({"times": [0, np.inf], "values": [1, 2]}, r"times must be finite numbers, but item 1 is not"),
        ({"times": [[0, 1]], "values": [1, 2]}, r"times must be a list"),
        ({"times": [], "values": []}, r"at least one key"),
        ({"times": 0, "values": 1}, r"at least one key"),
        ({"times": [0, 1], "values": [1, 2j]}, r"real numbers, not complex"),
        ({"times": [0, 1], "values": ["a", "b"]}, r"real numbers"),
        ({"times": [0, 1], "values": [[1, 2], [3]]}, r"same shape"),
        ({"times": [0, 1], "values": [1, 2], "tension": [1, 2, 3]}, r"tension must be one number, or one per key"),
        ({"times": [0, 1], "values": [1, 2], "bias": np.nan}, r"bias must be finite"),
        ({"times": [0, 1], "values": [1, 2], "ends": "clamped"}, r"must be one of natural, zero, half chord, chord"),
        ({"times": [0, 1], "values": [1, 2], "ends": (1, 2, 3)}, r"a pair \(start, end\)"),
        ({"times": [0, 1], "values": [1, 2], "ends": ((1, 2), 0)}, r"one number or have shape \(\)"),
        ({"times": [0, 1], "values": [1, 2], "step": "fixed"}, r"one of corrected, printed, none"),
        ({"times": [0, 1], "values": [1, 2], "holds": "soft"}, r"one of free, flat"),
        ({"times": [0, 1], "values": [1, 2], "outside": "wrap"}, r"one of hold, extrapolate, error"),
        ({"times": [0, 1], "values": [1, 2], "frame": 0}, r"a positive number, not 0"),
        ({"times": [0, 1], "values": [1, 2], "period": 3}, r"pass closed=True"),
        ({"times": [0, 0.1, 1], "values": [1, 2, 3], "step": "printed"}, r"0.1 apart, less than one frame"),
        ({"times": [0, 1, 3], "values": [1, 2, 3], "closed": True}, r"repeat the first key"),
        ({"times": [0, 1, 3], "values": [1, 2, 3], "closed": True, "period": 3}, r"period=3 is too short"),
        ({"times": [0, 1, 3], "values": [1, 2], "closed": True, "period": 4}, r"come round after 3, but period=4"),
        ({"times": [0, 1, 2], "values": [1, 2, 1], "closed": True, "tension": [0, 0, 1]}, r"must be 0, not 1"),
        ({"times": [0, 1], "values": [-1.7e308, 1.7e308]}, r"so far apart"),
    ],
)
def test_mistakes_are_explained(arguments, words):
    with pytest.raises(ParameterError, match=words):
        TCB(**arguments)(0.5)


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (lambda c: c(np.nan), r"not a number \(item 0\)"),
        (lambda c: c.without_key(3), r"no key 3; the curve has keys 0 to 2"),
        (lambda c: c.without_key(0).without_key(0).without_key(0), r"at least one key"),
        (lambda c: c.moved(0, time=1), r"give each time only once"),
        (lambda c: c.moved(0, time=np.nan), r"must be a number"),
        (lambda c: c.with_key(0.5, [1, 2]), r"has shape \(\), not \(2,\)"),
        (lambda c: c.inbetweens([1]), r"There are 2 intervals"),
        (lambda c: c.inbetweens([1, 0.5]), r"whole numbers"),
        (lambda c: c.inbetweens(-1), r"fewer than 0"),
    ],
)
def test_mistakes_in_use_are_explained(mistake, words):
    with pytest.raises(ParameterError, match=words):
        mistake(TCB([0, 1, 2], [1, 2, 3]))
