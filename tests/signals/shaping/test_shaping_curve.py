import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune.errors import ParameterError
from kinetune.signals.shaping.shaping_curve import ShapingCurve, ShapingPoint, shape_signal

X = np.linspace(-1.5, 1.5, 601)

points = st.lists(st.tuples(st.integers(-50, 50), st.floats(-2, 2)), min_size=2, max_size=8, unique_by=lambda p: p[0])


@settings(max_examples=50, deadline=None)
@given(points)
def test_the_curve_meets_its_points(given_points):
    pairs = [(x / 25.0, y) for x, y in given_points]
    curve = ShapingCurve(tuple(pairs))
    for x, y in pairs:
        assert curve(x) == pytest.approx(y, abs=1e-9)


def test_points_are_put_in_order():
    curve = ShapingCurve(((1.0, 2.0), (-1.0, 0.0), (0.0, 5.0, 0.5)))
    assert [p.x for p in curve.points] == [-1.0, 0.0, 1.0]
    assert curve.points[1].tension == 0.5


def test_corners_are_exact_wherever_they_lie():
    curve = ShapingCurve(tuple(ShapingPoint(x, y, continuity=-1.0) for x, y in [(-1, 0), (-0.9, 1), (0.4, -2), (1, 3)]))
    assert np.allclose(curve(X[100:501]), np.interp(X[100:501], [-1, -0.9, 0.4, 1], [0, 1, -2, 3]), atol=1e-12)


def test_a_corner_cuts_a_smooth_curve():
    smooth = [(-1.0, 0.0), (-0.7, 0.5), (-0.3, 0.1)]
    curve = ShapingCurve((*smooth, ShapingPoint(0.0, 0.0, continuity=-1.0), ShapingPoint(1.0, 1.0, continuity=-1.0)))
    right = np.linspace(0.0, 1.0, 50)
    assert np.allclose(curve(right), right, atol=1e-12)
    other = ShapingCurve((*smooth[:1], (-0.7, -3.0), *smooth[2:], *curve.points[3:]))
    assert np.allclose(other(right), right, atol=1e-12)


def test_beyond_its_points_a_curve_goes_straight_on():
    curve = ShapingCurve(((-1.0, -1.0), (0.0, 0.5), (1.0, 1.0)))
    outside = curve(np.array([2.0, 3.0, 4.0]))
    assert np.diff(outside, 2) == pytest.approx(0.0, abs=1e-12)


def test_numbers_give_numbers():
    assert isinstance(ShapingCurve.identity()(0.25), float)
    assert isinstance(ShapingCurve.cap(-0.5, 0.5)(0.25), float)
    assert ShapingCurve.cap(-0.5, 0.5)(np.zeros((4, 3))).shape == (4, 3)


# --- edits return other curves


def test_added_moved_deleted():
    line = ShapingCurve.identity()
    bent = line.added(0.0, 0.5)
    assert (len(line), len(bent)) == (2, 3)
    assert bent(0.0) == 0.5
    assert bent.deleted(1) == line
    assert bent.moved(1, y=0.0)(0.0) == 0.0
    assert bent.moved(-1, x=-2.0).points[0].x == -2.0
    assert line.added(0.3)(0.3) == pytest.approx(0.3)
    assert bent.moved(1, tension=1.0).points[1].tension == 1.0


def test_an_edited_curve_forgets_its_name():
    assert ShapingCurve.cosine().made == "cosine"
    assert ShapingCurve.cosine().added(0.05).made == ""


def test_equal_points_make_equal_curves():
    assert ShapingCurve.cap(-0.5, 0.8) == ShapingCurve.from_plain(ShapingCurve.cap(-0.5, 0.8).to_plain())
    assert hash(ShapingCurve.cosine()) == hash(ShapingCurve.make("cosine"))
    assert pickle.loads(pickle.dumps(ShapingCurve.undulate())) == ShapingCurve.undulate()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ShapingCurve(((0, 0),)), "2 to 10,000 control points, not 1"),
        (lambda: ShapingCurve(((0, 0), (0, 1))), "Two control points lie at x = 0"),
        (lambda: ShapingCurve(((0, 0), (1, float("nan")))), "Control point 1 has a value that is not a number"),
        (lambda: ShapingCurve(((0, 0), (1,))), "it takes x and y"),
        (lambda: ShapingCurve(((0, 0), "ab")), "it takes x and y"),
        (lambda: ShapingCurve(((0, 0), (1, 1)), ends="open"), "ends is"),
        (lambda: ShapingCurve.identity().deleted(0), "these are its last"),
        (lambda: ShapingCurve.identity().moved(2, y=0), "There is no control point 2; the curve has 0 to 1"),
        (lambda: ShapingCurve.identity().added(0, 0, slope=1), 'no "slope"'),
        (lambda: ShapingCurve.from_plain({"points": [[0, 0], [1, 1]], "colour": 1}), '"colour" is neither'),
        (lambda: ShapingCurve.from_plain(3), "points is a list"),
    ],
)
def test_impossible_curves_are_told(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


# --- signals


def test_the_papers_normalisation():
    """[bruderlin] section 4: scaled to the range from -1 to 1, shaped, scaled back; here a hard cap by hand."""
    x = np.stack([40 * np.sin(np.linspace(0, 7, 200)) + 10, np.linspace(-5, 3, 200)], axis=-1)
    shaped = shape_signal(x, ShapingCurve.cap(-0.5, 0.8))
    for before, after in zip(x.T, shaped.T, strict=True):
        middle, half = (before.max() + before.min()) / 2, (before.max() - before.min()) / 2
        assert np.allclose(after, np.clip(before, middle - 0.5 * half, middle + 0.8 * half), atol=1e-12)


def test_degrees_are_degrees():
    x = np.radians(np.linspace(-90, 90, 100))
    assert np.allclose(
        shape_signal(x, ShapingCurve.cap(-30, 60), "degrees"), np.radians(np.clip(np.degrees(x), -30, 60))
    )


def test_constant_channels_stay_as_they_are():
    x = np.stack([np.full(10, 3.7), np.arange(10.0)], axis=-1)
    shaped = shape_signal(x, ShapingCurve.cap(0.1, 0.2))
    assert np.array_equal(shaped[:, 0], x[:, 0])
    assert not np.array_equal(shaped[:, 1], x[:, 1])
    assert np.array_equal(shape_signal(x[:1], ShapingCurve.cosine()), x[:1])


def test_a_point_process_does_not_look_at_time():
    x = np.random.default_rng(0).standard_normal(100)
    order = np.random.default_rng(1).permutation(100)
    curve = ShapingCurve.undulate()
    assert np.allclose(shape_signal(x[order], curve), shape_signal(x, curve)[order], atol=1e-12)


def test_the_unknown_is_told():
    with pytest.raises(ParameterError, match="range"):
        shape_signal(np.zeros(3), ShapingCurve.identity(), "radians")


@pytest.mark.parametrize(("low", "high"), [(-0.5, 0.8), (-30.0, 40.0)])
def test_a_rounded_cap_is_smooth_and_never_exceeds_the_sharp_one(low, high):
    sharp = ShapingCurve.cap(low, high)
    smooth = sharp.rounded(0.3)
    span = high - low
    x = np.linspace(low - span, high + span, 20_001)
    assert np.all(smooth(x) <= high + 1e-9 * span)
    assert np.all(smooth(x) >= low - 1e-9 * span)
    steps = np.diff(smooth(x), 2) / np.diff(x)[0]
    assert np.abs(steps).max() < 1e-3, "slopes change gradually"
    middle = np.linspace(low + 0.2 * span, high - 0.2 * span, 50)
    assert np.allclose(smooth(middle), middle)
    assert sharp.rounded(0.0) == sharp
    assert ShapingCurve.cosine().rounded(0.3)(0.3) == ShapingCurve.cosine()(0.3)
