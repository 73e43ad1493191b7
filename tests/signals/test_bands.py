import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinetune.errors import ParameterError
from kinetune.signals.bands import band_centres_hz, count_bands, equalize, join_bands, split_bands


def signal(frames, channels=5, seed=0):
    return np.cumsum(np.random.default_rng(seed).standard_normal((frames, channels)), axis=0)


def low_pass_by_hand(x, step):
    """[bruderlin] section 2.1 written out: five taps, ends held."""
    taps = {-2: 1 / 16, -1: 1 / 4, 0: 3 / 8, 1: 1 / 4, 2: 1 / 16}
    last = len(x) - 1
    return np.array([sum(w * x[min(max(i + m * step, 0), last)] for m, w in taps.items()) for i in range(len(x))])


@given(st.integers(1, 300), st.integers(0, 5))
def test_bands_sum_to_the_signal(frames, seed):
    x = signal(frames, seed=seed)
    bands = split_bands(x)
    assert bands.count == count_bands(frames) == len(bands.details)
    assert np.abs(join_bands(bands) - x).max() < 1e-12 * max(1.0, np.abs(x).max())


@pytest.mark.parametrize(("frames", "count"), [(1, 0), (2, 1), (3, 1), (4, 2), (255, 7), (256, 8), (300, 8)])
def test_the_number_of_bands_follows_the_length(frames, count):
    assert count_bands(frames) == count


def test_bands_are_those_of_the_paper():
    x = signal(70)
    bands = split_bands(x)
    low = x
    for k in range(bands.count):
        lower = low_pass_by_hand(low, 2**k)
        assert np.allclose(bands.details[k], low - lower, atol=1e-12)
        low = lower
    assert np.allclose(bands.base, low, atol=1e-12)


@given(st.integers(1, 200), st.lists(st.floats(-3, 3), min_size=0, max_size=10))
def test_equalize_is_split_gain_join(frames, gains):
    x = signal(frames)
    assert np.allclose(equalize(x, gains), join_bands(split_bands(x), gains), atol=1e-9)


def test_gains_over_time_are_those_of_each_frame():
    x = signal(90)
    gains = np.random.default_rng(1).uniform(-1, 2, (count_bands(90), 90))
    assert np.allclose(equalize(x, gains), join_bands(split_bands(x), gains), atol=1e-10)


def test_a_constant_signal_stays_and_the_equalizer_is_linear():
    assert np.allclose(equalize(np.full((50, 3), 7.0), [0, 5, -2]), 7.0)
    x, y, gains = signal(64, seed=2), signal(64, seed=3), [2.0, 0.5, -1.0]
    assert np.allclose(equalize(2 * x - y, gains), 2 * equalize(x, gains) - equalize(y, gains), atol=1e-10)


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 300, 2500])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_both_bodies_give_the_same_bits(monkeypatch, frames, dtype):
    x = signal(frames, 9).astype(dtype)
    results = []
    for mode in ("never", "always"):
        monkeypatch.setenv("KINETUNE_COMPILED", mode)
        results.append(equalize(x, [1.5, -0.5, 2.0]))
    assert results[0].dtype == dtype
    assert np.array_equal(*results)


def test_centres_fall_by_octaves():
    centres = band_centres_hz(8, 120.0)
    assert np.all(np.diff(centres) < 0)
    assert np.allclose(centres[2:-1] / centres[3:], 2.0, rtol=0.03)
    assert np.allclose(band_centres_hz(8, 60.0), centres / 2)


def test_bad_input_is_explained():
    with pytest.raises(ParameterError, match="at least one frame"):
        split_bands(np.zeros((0, 3)))
    with pytest.raises(ParameterError, match=r"[Gg]ain"):
        equalize(signal(20), [np.nan])
    with pytest.raises(ParameterError, match=r"[Gg]ain"):
        equalize(signal(20), np.ones((4, 7)))
