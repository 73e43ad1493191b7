import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune.signals.denoising.adaptive_spline import denoise

RATES = pytest.mark.parametrize("fps", [20.0, 30.0, 60.0, 120.0, 240.0])


def swings(fps, seconds=4.0, tracks=6):
    """Smooth tracks (frames, tracks, 3) of 0.3 to 1.2 Hz."""
    t = np.arange(int(seconds * fps)) / fps
    rng = np.random.default_rng(0)
    hz, phase = rng.uniform(0.3, 1.2, size=(tracks, 3)), rng.uniform(0, 6, size=(tracks, 3))
    return 0.4 * np.sin(2 * np.pi * hz * t[:, None, None] + phase)


def noisy(clean, level, seed=1):
    return clean + level * np.random.default_rng(seed).normal(size=clean.shape)


@RATES
def test_white_noise_is_found_and_mostly_gone(fps):
    clean = swings(fps)
    result = denoise(noisy(clean, 0.02), fps)
    assert np.allclose(result.noise, 0.02, rtol=0.25)
    assert np.sqrt(np.mean((result.values - clean) ** 2)) < (0.016 if fps < 30 else 0.012)


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0, 240.0])
def test_noise_that_is_smooth_from_frame_to_frame_goes(fps):
    """Noise between 4 and 12 Hz alone, beside motion that is slower."""
    clean = swings(fps, tracks=12)
    hz = np.fft.rfftfreq(len(clean), 1.0 / fps)[:, None, None]
    noise = np.fft.rfft(np.random.default_rng(2).normal(size=clean.shape), axis=0) * ((hz > 4) & (hz < 12))
    noise = np.fft.irfft(noise, len(clean), axis=0)
    noise *= 0.02 / noise.std()
    result = denoise(clean + noise, fps)
    assert np.std(result.values - clean) < 0.4 * 0.02
    assert np.allclose(result.noise, 0.02, rtol=0.4)


def test_one_limb_that_beats_time_is_no_noise():
    """Strokes of a drummer at 60 fps: 5 Hz in one track, while the others are slow."""
    clean = swings(60.0, tracks=12)
    t = np.arange(len(clean)) / 60.0
    clean[:, 3, 0] += 0.3 * np.maximum(np.sin(2 * np.pi * 2.5 * t), 0.0) ** 4
    assert np.abs(denoise(clean, 60.0).values - clean).max() < 0.01


def test_one_limb_that_moves_otherwise_has_no_smooth_noise():
    """Noise between 4 and 12 Hz at 30 fps in all tracks, and in one of them as much again ten times: it shakes."""
    clean = swings(30.0, tracks=12)
    hz = np.fft.rfftfreq(len(clean), 1 / 30.0)[:, None, None]
    noise = np.fft.rfft(np.random.default_rng(2).normal(size=clean.shape), axis=0) * ((hz > 4) & (hz < 12))
    noise = np.fft.irfft(noise, len(clean), axis=0)
    noise *= 0.02 / noise.std()
    noise[:, 3] *= 10.0
    shaken = clean + noise
    result = denoise(shaken, 30.0)
    assert result.colour.startswith("smoothed")
    assert np.array_equal(result.values[:, 3], shaken[:, 3])
    assert np.std((result.values - clean)[:, 4:]) < 0.6 * 0.02


@RATES
def test_clean_curves_stay(fps):
    clean = swings(fps)
    assert np.abs(denoise(clean, fps).values - clean).max() < 1e-4


def test_fast_motion_at_a_low_rate_is_no_noise():
    """Limbs of a runner at 30 fps: a spectrum that falls with the third power from 3 Hz."""
    rng, frames = np.random.default_rng(4), 90
    gain = 1.0 / (1.0 + (np.fft.rfftfreq(frames, 1 / 30.0)[:, None, None] / 3.0) ** 3)
    motion = np.fft.irfft(np.fft.rfft(rng.normal(size=(frames, 12, 3)), axis=0) * gain, frames, axis=0)
    result = denoise(motion, 30.0)
    assert np.array_equal(result.values, motion)
    assert not result.noise.any()


def test_parabolas_pass():
    t = np.linspace(-1, 1, 90)[:, None, None]
    curve = np.broadcast_to(1.0 + t - 2.0 * t**2, (90, 2, 3)) * np.arange(1, 4)
    assert np.allclose(denoise(curve, 30.0).values, curve, atol=1e-5)


@pytest.mark.slow
@settings(max_examples=15)
@given(st.floats(1e-3, 1e3), st.integers(0, 100))
def test_units_do_not_matter(scale, seed):
    curve = noisy(swings(60.0, 2.0, 4), 0.02, seed)
    assert np.allclose(denoise(scale * curve, 60.0).values, scale * denoise(curve, 60.0).values, atol=1e-6 * scale)


def test_nothing_is_delayed():
    curve = noisy(swings(60.0), 0.02)
    back = denoise(curve[::-1], 60.0).values[::-1]
    assert np.abs(back - denoise(curve, 60.0).values).max() < 0.004


def test_a_strike_keeps_its_speed_where_a_filter_blunts_it():
    """A tenth of a second from rest to rest, in noise of two percent of it."""
    fps, t = 120.0, np.arange(360) / 120.0
    strike = np.clip((t - 1.5) / 0.1, 0.0, 1.0)
    clean = np.zeros((360, 6, 3))
    clean[:, 2, 0] = strike * strike * (3.0 - 2.0 * strike)
    result = denoise(noisy(clean, 0.02), fps).values
    peak = np.abs(np.diff(result[:, 2, 0])).max() / np.abs(np.diff(clean[:, 2, 0])).max()
    assert 0.9 < peak < 1.1
    assert np.sqrt(np.mean((result[:150] - clean[:150]) ** 2)) < 0.005


def test_missing_samples_do_not_count():
    clean = swings(60.0)
    curve, gone = noisy(clean, 0.005), np.zeros(clean.shape[:2], dtype=bool)
    gone[100:103, 1] = True
    wrong = curve.copy()
    wrong[100:103, 1] += 5.0
    assert np.abs(denoise(wrong, 60.0, gone).values - denoise(curve, 60.0, gone).values).max() < 1e-6


def test_wandering_noise_is_recognised():
    fps, clean = 60.0, 0.0 * swings(60.0, 8.0)
    rng, wander = np.random.default_rng(0), np.zeros(clean.shape)
    keep = np.exp(-1.0 / (fps * 0.07))
    for frame in range(1, len(wander)):
        wander[frame] = keep * wander[frame - 1] + np.sqrt(1 - keep**2) * rng.normal(size=wander.shape[1:])
    assert denoise(clean + 0.02 * wander, fps).colour.startswith("wandering")
    assert denoise(noisy(clean, 0.02), fps).colour == "white"


@pytest.mark.parametrize("seed", range(3))
def test_noise_that_wanders_is_recognised_beside_jitter(seed):
    """As pose networks make it of a video: 40 ms long, and a third of its power white."""
    fps, clean = 120.0, swings(120.0, 3.0, tracks=24)
    rng = np.random.default_rng(seed)
    wander, keep = rng.normal(size=clean.shape), np.exp(-1.0 / (fps * 0.04))
    for frame in range(1, len(wander)):
        wander[frame] = keep * wander[frame - 1] + np.sqrt(1 - keep**2) * wander[frame]
    noise = 0.02 * (0.8 * wander + 0.6 * rng.normal(size=clean.shape))
    result = denoise(clean + noise, fps)
    assert result.colour.startswith("wandering")
    assert np.std(result.values - clean) < 0.57 * np.std(noise)


@pytest.mark.parametrize("frames", range(1, 16))
def test_short_and_still_curves_are_left_alone(frames):
    curve = np.ones((frames, 2, 3))
    assert np.array_equal(denoise(curve, 30.0).values, curve)
    assert np.isfinite(denoise(noisy(curve, 0.1), 30.0).values).all()


@pytest.mark.parametrize(("fps", "step"), [(30.0, 0.05), (60.0, 0.1), (120.0, 0.1)])
def test_rounded_curves_come_nearer_to_the_truth_and_stay_within_their_steps(fps, step):
    clean = swings(fps, tracks=12)
    rounded = step * np.round(clean / step)
    values = denoise(rounded, fps).values
    assert np.abs(values - rounded).max() <= 0.551 * step
    assert np.std(values - clean) < 0.45 * np.std(rounded - clean)


def test_a_rounded_curve_that_is_still_for_long_is_not_drawn_away():
    """A reach at 120 fps in steps of 1.5 degrees: it rests on one value for most of the clip."""
    t = np.linspace(0.0, 2.0, 240)
    clean = np.deg2rad(40.0) / (1.0 + np.exp(-12.0 * (t - 1.0)))
    clean = clean[:, None, None] * np.random.default_rng(3).uniform(-1.0, 1.0, size=(12, 3))
    step = np.deg2rad(1.5)
    rounded = step * np.round(clean / step)
    values = denoise(rounded, 120.0).values
    assert np.std(values - clean) < 0.7 * np.std(rounded - clean)
    speed, true = (np.linalg.norm(np.diff(x, axis=0), axis=2).max() for x in (values, clean))
    assert speed == pytest.approx(true, rel=0.1)
