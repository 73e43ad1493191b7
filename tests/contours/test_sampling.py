import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.sampling import find_corners, sample_evenly, sample_layers, trace_bezier, trace_freehand
from kinetune.errors import ParameterError

SQUARE = Contour([[0, 0], [10, 0], [10, 10], [0, 10]])


def circle(count, radius=1.0):
    return Contour(radius * np.exp(2j * np.pi * np.arange(count) / count))


def steps(contour):
    return np.linalg.norm(np.diff(contour.path, axis=0), axis=1)


@pytest.mark.parametrize("count", [16, 256, 1024])
def test_samples_are_evenly_spaced(count):
    smooth = sample_evenly(circle(5000), count)
    assert len(smooth) == count
    assert np.ptp(steps(smooth)) < 1e-6 * steps(smooth).mean()


@pytest.mark.parametrize("count", [8, 16, 100, 257])
def test_corners_stay_samples(count):
    sampled = sample_evenly(Contour([[0, 0], [7, 0], [7, 3], [0, 3]]), count)
    for corner in ([0, 0], [7, 0], [7, 3], [0, 3]):
        assert np.any(np.all(sampled.points == corner, axis=1)), corner
    assert len(sampled) == count


def test_without_corners_the_steps_are_equal_along_the_curve():
    sampled = sample_evenly(Contour([[0, 0], [7, 0], [7, 3], [0, 3]]), 64, corner_deg=None)
    straight = np.isclose(steps(sampled), 20 / 64)
    assert np.count_nonzero(~straight) <= 4  # only round corners is the chord shorter than the way


@given(st.integers(3, 300), st.integers(0, 2**32 - 1))
def test_any_polygon_gives_as_many_samples_as_asked(count, seed):
    polygon = Contour(np.random.default_rng(seed).standard_normal((23, 2)))
    sampled = sample_evenly(polygon, count)
    assert len(sampled) == count
    assert np.array_equal(sampled.points[0], polygon.points[0])


def test_the_ends_of_an_open_curve_stay():
    line = Contour(np.random.default_rng(0).standard_normal((30, 2)), closed=False)
    sampled = sample_evenly(line, 64)
    assert np.array_equal(sampled.points[[0, -1]], line.points[[0, -1]])
    assert not sampled.closed


def test_a_round_curve_has_no_corners_and_a_square_four():
    assert len(find_corners(circle(48))) == 0
    assert list(find_corners(SQUARE)) == [0, 1, 2, 3]
    assert list(find_corners(Contour(SQUARE.points, closed=False))) == [1, 2]


def test_a_trembling_hand_makes_no_corners():
    trembling = circle(3000).points + 2e-4 * np.random.default_rng(1).standard_normal((3000, 2))
    assert len(find_corners(Contour(trembling))) == 0


def test_a_corner_on_repeated_points_is_found_once():
    assert list(find_corners(Contour([[0, 0], [10, 0], [10, 0], [10, 10], [0, 10]]))) == [0, 1, 3, 4]


def test_a_contour_without_length_is_refused():
    with pytest.raises(ParameterError, match="coincide"):
        sample_evenly(Contour([[1, 1], [1, 1], [1, 1]]), 16)


@pytest.mark.parametrize("count", [2, 0, -4, 1 << 30])
def test_a_count_that_cannot_be_is_refused(count):
    with pytest.raises(ParameterError, match="3 to"):
        sample_evenly(SQUARE, count)


def test_every_contour_of_a_drawing_is_sampled():
    drawing = Drawing((Layer((SQUARE, circle(40))), Layer((circle(12),), "b")))
    assert [len(c) for c in sample_layers(drawing, 128).contours()] == [128] * 3


def test_a_bezier_circle_is_round_within_the_tolerance():
    k = 4 / 3 * np.tan(np.pi / 8)
    quarter = np.array([[1, 0], [1, k], [k, 1]])
    turn = np.array([[0, 1], [-1, 0]])
    controls = np.concatenate([quarter @ np.linalg.matrix_power(turn, n) for n in range(4)])
    contour = trace_bezier(controls, closed=True, tolerance=1e-4)
    radius = np.linalg.norm(contour.points, axis=1)
    assert radius.min() > 1 - 1e-12
    assert radius.max() < 1 + 3e-4  # a cubic is that far from a circle itself
    middles = 0.5 * (contour.points + np.roll(contour.points, -1, axis=0))
    assert np.linalg.norm(middles, axis=1).min() > 1 - 1e-4


def test_a_quadratic_is_the_same_curve_as_its_cubic():
    quadratic = trace_bezier([[0, 0], [1, 2], [3, 0]], degree=2)
    cubic = trace_bezier([[0, 0], [2 / 3, 4 / 3], [5 / 3, 4 / 3], [3, 0]])
    assert np.allclose(quadratic.points, cubic.points, atol=1e-14)


@pytest.mark.parametrize(("controls", "degree"), [([[0, 0], [1, 1], [2, 2]], 3), ([[0, 0], [1, 1]], 2)])
def test_control_points_that_are_no_chain_are_counted(controls, degree):
    with pytest.raises(ParameterError, match="control points"):
        trace_bezier(controls, degree=degree)


def test_smoothing_calms_a_stroke_and_keeps_its_ends():
    rng = np.random.default_rng(2)
    t = np.sort(rng.uniform(0, 10, 400))
    stroke = np.stack([t, np.sin(t) + 0.05 * rng.standard_normal(400)], axis=-1)
    calm = trace_freehand(stroke, smoothing=0.4)
    assert np.array_equal(calm.points[[0, -1]], stroke[[0, -1]])
    off = np.abs(calm.points[:, 1] - np.sin(calm.points[:, 0]))
    assert off.max() < 0.12
    assert calm.length() < 0.7 * Contour(stroke, closed=False).length()


def test_a_stroke_without_smoothing_only_loses_repeated_points():
    stroke = trace_freehand([[0, 0], [0, 0], [1, 0], [1, 0], [2, 1]])
    assert np.array_equal(stroke.points, [[0, 0], [1, 0], [2, 1]])


def test_a_smoothed_closed_stroke_stays_closed():
    blob = trace_freehand(circle(200).points, closed=True, smoothing=0.05)
    assert blob.closed
    assert np.allclose(np.linalg.norm(blob.points, axis=1), 1, atol=0.01)


def test_smoothing_must_be_a_length():
    with pytest.raises(ParameterError, match="smoothing"):
        trace_freehand(SQUARE.points, smoothing=-1)
