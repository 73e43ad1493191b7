import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import make_interp_spline

from kinetune import rotations as rot
from kinetune.errors import ParameterError
from kinetune.signals.resampling import interpolate, limit_band, resample, sample_at, sample_times
from kinetune.signals.rotation_curves import curves_to_rotations, rotations_to_curves


def motion(t):
    """A smooth motion of three channels with 1, 2 and 3 Hz."""
    turn = 2 * np.pi * np.asarray(t)
    return np.stack([0.8 * np.sin(turn), 0.4 * np.sin(2 * turn + 1.0), 0.1 * np.cos(3 * turn)], axis=-1)


def test_times_of_a_resampled_clip():
    assert np.allclose(sample_times(121, 120.0, 30.0), np.arange(31) / 30)
    assert len(sample_times(120, 120.0, 30.0)) == 30
    assert np.allclose(sample_times(5, 119.88, 24.0), [0.0])
    assert sample_times(1, 60.0, 24.0).tolist() == [0.0]
    times = sample_times(1000, 119.88, 24.0)
    assert times[-1] <= 999 / 119.88 < times[-1] + 1 / 24


@pytest.mark.parametrize(("fps", "new_fps"), [(120, 30), (119.88, 24), (60, 59.94), (120, 119.88), (30, 24)])
def test_slow_motion_survives_going_down(fps, new_fps):
    t = np.arange(int(3 * fps)) / fps
    slow = motion(0.5 * t)
    result = resample(slow, fps, new_fps)
    error = np.abs(result - motion(0.5 * sample_times(len(t), fps, new_fps)))
    assert error.max() < 0.01
    assert error[3:-3].max() < 0.002


@pytest.mark.parametrize("phase", np.linspace(0.0, np.pi, 5))
def test_a_swing_ends_where_it_did(phase):
    """At 12 frames a second the first knee of a captured run was bent by 30 degrees more than in the capture."""
    swing = np.sin(2 * np.pi * 2.5 * np.arange(361) / 120.0 + phase)
    assert np.allclose(resample(swing, 120.0, 12.0), swing[::10], atol=0.05)


@pytest.mark.parametrize(("fps", "new_fps"), [(30, 120), (24, 119.88), (59.94, 60), (60, 144)])
def test_going_up_is_exact_on_smooth_motion(fps, new_fps):
    t = np.arange(int(3 * fps)) / fps
    error = np.abs(resample(motion(t), fps, new_fps) - motion(sample_times(len(t), fps, new_fps)))
    assert error.max() < 0.006
    inner = int(0.3 * new_fps)
    assert error[inner:-inner].max() < 1e-4


@settings(max_examples=40, deadline=None)
@given(st.floats(0, 2 * np.pi), st.floats(45.0, 59.0))
def test_a_tremor_leaves_no_alias_on_rotations(phase, hz):
    """At 30 frames a second a tremor of 50 Hz would come back as a wobble of 10 Hz, as large as it was."""
    t = np.arange(361) / 120.0
    tremor = 0.1 * np.sin(2 * np.pi * hz * t + phase)[:, None] * [0.8, 0.0, 0.6]
    curves = rotations_to_curves(rot.exp(motion(t) + tremor)[:, None])
    result = curves_to_rotations(curves.with_curves(resample(curves.curves, 120.0, 30.0)))[:, 0]
    error = rot.angle_between(result, rot.exp(motion(sample_times(361, 120.0, 30.0))))
    assert error[3:-3].max() < 0.02 * 0.1
    assert np.sqrt(np.mean(error**2)) < 0.03 * 0.1
    assert error.max() < 0.15 * 0.1


def test_taking_every_fourth_frame_would_alias():
    """What the test above guards against: the naive way keeps the whole tremor."""
    t = np.arange(361) / 120.0
    tremor = np.sin(2 * np.pi * 50.0 * t)
    assert np.abs(tremor[::4]).max() > 0.8
    assert np.abs(resample(tremor, 120.0, 30.0)[3:-3]).max() < 0.01


def test_up_and_down_again_is_the_identity():
    x = motion(np.arange(91) / 30.0)
    there = resample(x, 30.0, 120.0)
    assert np.allclose(there[::4], x, atol=1e-12)
    assert np.allclose(resample(there, 120.0, 30.0)[5:-5], x[5:-5], atol=1e-3)


def test_the_same_rate_is_the_identity():
    x = motion(np.arange(91) / 30.0)
    assert np.array_equal(resample(x, 30.0, 30.0), x)


@pytest.mark.parametrize("new_fps", [7.0, 30.0, 144.0])
def test_lines_stay_lines(new_fps):
    x = np.arange(100.0)[:, None] * [1.0, -0.5] + [3.0, 4.0]
    expected = sample_times(100, 60.0, new_fps)[:, None] * 60 * [1.0, -0.5] + [3.0, 4.0]
    assert np.allclose(resample(x, 60.0, new_fps), expected, atol=1e-9)


@pytest.mark.parametrize("frames", range(1, 9))
@pytest.mark.parametrize("new_fps", [5.0, 30.0, 41.0, 200.0])
def test_few_frames(frames, new_fps):
    x = np.cos(np.arange(frames, dtype=float))[:, None] * np.ones(2)
    result = resample(x, 30.0, new_fps)
    assert np.isfinite(result).all()
    assert result.shape == (len(sample_times(frames, 30.0, new_fps)), 2)
    assert np.abs(result).max() < 1.6


def test_interpolation_meets_the_samples_and_is_smooth():
    x = np.random.default_rng(0).standard_normal((40, 2))
    fine = np.linspace(0, 39, 39 * 50 + 1)
    curve = interpolate(x, fine)
    assert np.allclose(curve[::50], x, atol=1e-12)
    third = np.diff(curve, n=3, axis=0) * 50**3
    assert np.abs(np.diff(third, axis=0)).max() < 0.3 * np.abs(third).max(), "no corner up to the third derivative"


def test_interpolation_agrees_with_scipy_in_the_middle():
    """The independent algorithm: the same quintic spline by a banded solve, with other ends."""
    x = np.random.default_rng(1).standard_normal((80, 3))
    at = np.linspace(30, 50, 333)
    assert np.allclose(interpolate(x, at), make_interp_spline(np.arange(80), x, k=5)(at), atol=1e-6)


def test_interpolation_holds_beyond_its_ends():
    x = motion(np.arange(20) / 30.0)
    assert np.array_equal(interpolate(x, [-3.0, 25.0]), x[[0, -1]])


def test_limit_band_keeps_what_is_slow_and_removes_what_is_fast():
    t = np.arange(1200) / 120.0
    slow, fast = np.sin(2 * np.pi * 5 * t), np.sin(2 * np.pi * 16 * t)
    assert np.allclose(limit_band(slow, 120.0, 15.0)[100:-100], slow[100:-100], atol=1e-3)
    assert np.abs(limit_band(fast, 120.0, 15.0)[100:-100]).max() < 1e-3
    assert np.array_equal(limit_band(slow, 120.0, 60.0), slow)


def test_any_times():
    t = np.arange(181) / 60.0
    when = 1.5 + 1.4 * np.sin(np.linspace(-1.5, 1.5, 300))
    assert np.allclose(sample_at(motion(t), 60.0, when), motion(when), atol=2e-3)


def test_rushing_through_a_tremor_removes_it_there_only():
    """Half of the result plays at normal speed and keeps the tremor, half at four times the speed and loses it."""
    t = np.arange(961) / 120.0
    tremor = np.sin(2 * np.pi * 20.0 * t)
    times = np.concatenate([np.arange(240) / 120.0, 2.0 + np.arange(180) / 30.0])
    result = sample_at(tremor, 120.0, times)
    assert np.allclose(result[20:200], tremor[20:200], atol=1e-6)
    assert np.abs(result[300:400]).max() < 0.02


def test_standing_time_holds_the_pose():
    x = motion(np.arange(61) / 60.0)
    assert np.allclose(sample_at(x, 60.0, np.full(5, 0.5)), x[30], atol=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: resample([], 30.0, 60.0), "at least one frame"),
        (lambda: resample([1.0], 30.0, 0.0), "new_fps must be a positive number"),
        (lambda: resample([1.0], -30.0, 10.0), "fps must be a positive number"),
        (lambda: sample_at([1.0], 30.0, [[0.0]]), r"shape \(n,\)"),
        (lambda: sample_at([1.0], 30.0, [np.nan]), "finite"),
    ],
)
def test_wrong_arguments_are_told(call, words):
    with pytest.raises(ParameterError, match=words):
        call()
