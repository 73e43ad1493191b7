from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune.errors import ParameterError
from kinetune.signals.bands.gains import bands_of_window, equalize_curves, list_bands, mix_gains
from kinetune.signals.bands.pyramid import count_bands, equalize

ENDS = pytest.mark.parametrize("ends", ["held", "mirror", "cycle"])


def signal(frames=97, channels=3, seed=0):
    return np.cumsum(np.random.default_rng(seed).standard_normal((frames, channels)), axis=0)


@ENDS
@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 97, 128])
def test_gains_of_one_give_the_signal_itself(ends, frames):
    x = signal(frames)
    assert np.array_equal(equalize_curves(x, np.ones(count_bands(frames)), ends=ends), x)


@ENDS
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), factor=st.floats(-3, 3))
def test_the_edit_is_linear(ends, seed, factor):
    x, y, gains = signal(40, 1, seed), signal(40, 1, seed + 1), [1.0, -0.5, 2.0, 0.0, 1.3]
    both = equalize_curves(x + factor * y, gains, ends=ends)
    apart = equalize_curves(x, gains, ends=ends) + factor * equalize_curves(y, gains, ends=ends)
    assert np.allclose(both, apart, atol=1e-9)


def test_held_ends_are_the_papers():
    x, gains = signal(), [1.0, 0.5, 2.0, 1.0, 1.7]
    assert np.array_equal(equalize_curves(x, gains), equalize(x, gains))


def test_mirrored_ends_by_a_second_algorithm():
    """The signal is written out three times, the outer two backwards, and the middle is taken."""
    x, gains = signal(64), [1.0, 0.5, 2.0, 1.0, 1.7]
    wide = np.concatenate([x[1:][::-1], x, x[:-1][::-1]])
    assert np.allclose(equalize_curves(x, gains, ends="mirror"), equalize(wide, gains)[63:127], atol=1e-12)


def test_a_cycle_has_no_ends():
    """Starting the round elsewhere starts the result elsewhere, and nothing else changes."""
    x, gains = signal(50), [1.0, 2.0, 0.3, 1.5, -1.0]
    result = equalize_curves(x, gains, ends="cycle")
    assert np.allclose(equalize_curves(np.roll(x, 17, axis=0), gains, ends="cycle"), np.roll(result, 17, axis=0))


def test_a_closed_cycle_stays_closed_and_goes_on_turning():
    t = np.arange(81) / 80.0
    x = np.stack([0.3 * np.sin(2 * np.pi * t), 2 * np.pi * t + 0.2 * np.sin(4 * np.pi * t)], axis=-1)
    result = equalize_curves(x, [1, 1, 1, 2, 2, 2], ends="cycle", closed=True)
    assert np.allclose(result[-1] - result[0], [0.0, 2 * np.pi], atol=1e-12)
    assert np.ptp(result[:, 0]) > 1.2 * np.ptp(x[:, 0])
    steady = equalize_curves(2 * np.pi * t[:, None], [5, 5, 5, 5, 5, 5], ends="cycle", closed=True)
    assert np.allclose(steady[:, 0], 2 * np.pi * t, atol=1e-9)


def test_unknown_ends_are_told():
    with pytest.raises(ParameterError, match="held"):
        equalize_curves(signal(), [1.0], ends="open")


# --- gains

TIMES = np.arange(91) / 30.0


def test_missing_bands_are_one_and_surplus_ones_are_left_out():
    assert np.array_equal(mix_gains([2.0, 3.0], TIMES, count=4)[:, 0], [2, 3, 1, 1])
    assert np.array_equal(mix_gains([2.0, 3.0, 4.0], TIMES, count=2)[:, 0], [2, 3])


def test_solo_and_mute():
    assert np.array_equal(mix_gains([2.0, 3.0], TIMES, count=4, solo=[1, 2])[:, 0], [0, 3, 1, 0])
    assert np.array_equal(mix_gains([2.0, 3.0], TIMES, count=4, mute=[1, 9])[:, 0], [2, 0, 1, 1])
    assert np.array_equal(mix_gains([2.0, 3.0], TIMES, count=4, solo=[0, 1], mute=[1])[:, 0], [2, 0, 0, 0])


def test_amount_moves_gains_towards_one_and_away():
    gains = [0.0, 3.0]
    assert np.array_equal(mix_gains(gains, TIMES, count=2, amount=0.0)[:, 0], [1, 1])
    assert np.allclose(mix_gains(gains, TIMES, count=2, amount=0.5)[:, 0], [0.5, 2.0])
    assert np.allclose(mix_gains(gains, TIMES, count=2, amount=2.0)[:, 0], [-1.0, 5.0])


def test_gains_over_time_pass_through_their_keys():
    keys = {1: [(0.0, 1.0), (1.0, 3.0), (2.0, 1.0)], None: [(0.5, 2.0)]}
    table = mix_gains([], TIMES, count=3, band_keys=keys)
    assert table.shape == (3, len(TIMES))
    assert np.allclose(table[1, [0, 30, 60, 90]], [1, 3, 1, 1])
    assert np.array_equal(table[[0, 2]], np.full((2, len(TIMES)), 2.0))


def test_amounts_over_time_fade_an_edit_in():
    table = mix_gains([3.0], TIMES, count=2, amount_keys=[(1.0, 0.0), (2.0, 1.0)])
    assert np.allclose(table[0, :31], 1.0)
    assert np.allclose(table[0, 60:], 3.0)
    assert np.all(np.diff(table[0, 30:61]) >= 0)


def test_bands_are_listed_with_their_frequencies():
    """Band 0 peaks at half the rate; each further one lies about an octave lower."""
    bands = list_bands(300, 120.0)
    assert [band.number for band in bands] == list(range(8))
    assert bands[0].centre_hz == pytest.approx(60.0)
    assert all(1.9 < a.centre_hz / b.centre_hz < 2.2 for a, b in pairwise(bands[1:]))
    assert list_bands(1, 30.0) == ()


@pytest.mark.parametrize("ends", ["held", "mirror", "cycle"])
@pytest.mark.parametrize("window", [(0, 100), (17, 60), (80, 100)])
def test_the_bands_of_a_window_mix_to_the_window_of_the_whole(ends, window):
    signal = np.cumsum(np.random.default_rng(0).normal(size=(100, 3)), axis=0)
    gains = np.array([0.0, 2.0, 1.0, 0.5, -1.0, 1.5])
    bands = bands_of_window(signal, *window, ends=ends)
    assert len(bands) == len(gains)
    mixed = signal[slice(*window)] + sum((gain - 1.0) * band for gain, band in zip(gains, bands, strict=True))
    np.testing.assert_allclose(mixed, equalize_curves(signal, gains, ends=ends)[slice(*window)], atol=1e-12)
