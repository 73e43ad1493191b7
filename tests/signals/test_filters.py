import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune.errors import ParameterError
from kinetune.signals.filters import butterworth, end_values, gaussian, weigh

FPS = 120.0
FILTERS = {
    "butterworth": lambda x, ends="reflect": butterworth(x, FPS, 6.0, ends=ends),
    "gaussian": lambda x, ends="reflect": gaussian(x, FPS, 0.05, ends=ends),
}
EACH = pytest.mark.parametrize("smooth", FILTERS.values(), ids=FILTERS.keys())
ENDS = pytest.mark.parametrize("ends", ["reflect", "held"])


def wander(frames=400, channels=3, seed=0):
    return np.cumsum(np.random.default_rng(seed).standard_normal((frames, channels)), axis=0) * 0.1


def sine(hz, frames=1200, phase=0.0):
    return np.sin(2 * np.pi * hz * np.arange(frames) / FPS + phase)


@EACH
@ENDS
def test_a_filter_is_linear(smooth, ends):
    a, b = wander(seed=1), wander(seed=2)
    assert np.allclose(smooth(2 * a - 3 * b, ends), 2 * smooth(a, ends) - 3 * smooth(b, ends), atol=1e-12)


@EACH
def test_a_constant_and_a_line_pass(smooth):
    t = np.linspace(-3, 5, 333)[:, None] * [0.0, 1.0, -2.0] + [7.0, 0.0, 1.0]
    assert np.allclose(smooth(t), t, atol=1e-11)


@EACH
@ENDS
@pytest.mark.parametrize("frames", range(1, 11))
def test_short_clips(smooth, ends, frames):
    x = wander(frames)
    result = smooth(x, ends)
    assert result.shape == x.shape
    assert np.isfinite(result).all()
    assert np.allclose(smooth(np.full((frames, 2), 1.5), ends), 1.5, atol=1e-12)


@EACH
@ENDS
def test_nothing_is_delayed(smooth, ends):
    """The filter treats a signal and its mirror image in time alike."""
    x = wander()
    assert np.allclose(smooth(x[::-1], ends), smooth(x, ends)[::-1], atol=1e-12)


@EACH
def test_the_input_is_untouched_and_shapes_are_kept(smooth):
    x = wander(channels=24).reshape(400, 2, 4, 3)
    before = x.copy()
    result = smooth(x)
    assert np.array_equal(x, before)
    assert np.allclose(result[:, 1, 2, 0], smooth(x[:, 1, 2, 0]), atol=1e-13)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("cutoff", [0.5, 6.0, 30.0, 55.0])
def test_butterworth_loses_three_decibels_at_its_cutoff(order, cutoff):
    """The usual slip is to state the cutoff of one pass; the result of two then lies 20 % lower for order 2."""
    result = butterworth(sine(cutoff, 6000), FPS, cutoff, order=order)[1800:4200]
    assert np.sqrt(2 * np.mean(result**2)) == pytest.approx(np.sqrt(0.5), abs=2e-3)


@pytest.mark.parametrize("order", [1, 2, 4])
def test_butterworth_agrees_with_scipy_in_the_middle(order):
    """The independent algorithm: a recursion forwards and backwards, its design frequency raised by hand."""
    from scipy import signal as scipy_signal  # here: slow to import, and every collection would wait for it

    design = np.arctan(np.tan(np.pi * 6.0 / FPS) / (np.sqrt(2) - 1) ** (0.5 / order)) * FPS / np.pi
    sections = scipy_signal.butter(order, design, fs=FPS, output="sos")
    x = wander(900)
    theirs = scipy_signal.sosfiltfilt(sections, x, axis=0, padtype="odd", padlen=600)
    assert np.allclose(butterworth(x, FPS, 6.0, order=order)[200:-200], theirs[200:-200], atol=1e-6)


def test_a_cutoff_beyond_nyquist_changes_nothing():
    x = wander()
    assert np.array_equal(butterworth(x, FPS, 60.0), x)
    assert np.array_equal(butterworth(x, FPS, 500.0), x)


def test_gaussian_agrees_with_a_sampled_kernel_in_the_middle():
    x = wander(600)
    offsets = np.arange(-60, 61) / FPS
    kernel = np.exp(-0.5 * (offsets / 0.05) ** 2)
    theirs = np.stack([np.convolve(x[:, k], kernel / kernel.sum(), "same") for k in range(3)], axis=-1)
    assert np.allclose(gaussian(x, FPS, 0.05)[150:-150], theirs[150:-150], atol=1e-6)


def test_two_gaussians_make_a_wider_one():
    x = wander(600)
    twice = gaussian(gaussian(x, FPS, 0.03), FPS, 0.04)
    assert np.allclose(twice[200:-200], gaussian(x, FPS, 0.05)[200:-200], atol=1e-7)


def test_a_gaussian_does_not_overshoot_a_step():
    x = np.concatenate([np.zeros(300), np.ones(300)])
    result = gaussian(x, FPS, 0.05)
    assert result.min() > -1e-6
    assert result.max() < 1 + 1e-6


@pytest.mark.parametrize("hz", [0.3, 1.0, 2.0])
def test_motion_passes_up_to_its_ends(hz):
    """What is slow is kept, also in the first and last frames, where filters like to pull to rest or to overshoot."""
    x = sine(hz, 361, phase=0.6)
    assert np.abs(butterworth(x, FPS, 6.0) - x).max() < 0.04


@settings(max_examples=40, deadline=None)
@given(st.floats(0, 2 * np.pi))
def test_jitter_is_not_pinned_at_the_ends(phase):
    """Reflecting about the first sample would leave its whole jitter of 1 there."""
    result = butterworth(sine(40.0, 241, phase), FPS, 6.0)
    assert np.abs(result[[0, -1]]).max() < 0.2
    assert np.abs(result[40:-40]).max() < 1e-3


def test_held_ends_come_to_rest():
    x = np.linspace(0, 1, 241)
    held = butterworth(x, FPS, 2.0, ends="held")
    assert abs(held[1] - held[0]) < 0.7 * (x[1] - x[0])
    assert held[0] > 0.01
    assert np.allclose(held[100:140], x[100:140], atol=1e-3)


def test_end_values_follow_a_cubic_exactly():
    t = np.linspace(0, 1, 100)
    cubic = 1 + t - 3 * t**2 + 2 * t**3
    first, last = end_values(cubic, 100.0, 0.3)
    assert first == pytest.approx(1.0)
    assert last == pytest.approx(1.0)


def test_any_gain():
    doubled = weigh(sine(3.0, 1201), FPS, lambda hz: np.where(hz > 2.0, 2.0, 1.0))
    assert np.allclose(doubled, 2 * sine(3.0, 1201), atol=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: butterworth([1.0], 0.0, 6.0), "fps must be a positive number"),
        (lambda: butterworth([1.0], 60.0, -1.0), "cutoff_hz must be a positive number"),
        (lambda: butterworth([1.0], 60.0, 6.0, order=0), "at least 1"),
        (lambda: gaussian([1.0], 60.0, np.nan), "sigma_s must be a positive number"),
        (lambda: weigh([1.0], 60.0, np.ones_like, ends="wrap"), '"reflect", "held" or "cycle", not "wrap"'),
    ],
)
def test_wrong_arguments_are_told(call, words):
    with pytest.raises(ParameterError, match=words):
        call()
