"""Laws of weighted averages, whole and band by band."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune.errors import ParameterError
from kinetune.signals.bands.pyramid import count_bands, equalize, split_bands
from kinetune.signals.mixing import mix, mix_bands

lengths = st.integers(1, 120)
seeds = st.integers(0, 2**32 - 1)


def motions(count, frames, shape=(3,), seed=0):
    dice = np.random.default_rng(seed)
    return [dice.standard_normal((frames, *shape)).cumsum(axis=0) for _ in range(count)]


def test_four_tenths_of_a_drum_and_six_of_a_sway():
    drum, sway = motions(2, 50)
    np.testing.assert_allclose(mix([drum, sway], [0.4, 0.6]), 0.4 * drum + 0.6 * sway, rtol=0, atol=1e-13)
    np.testing.assert_allclose(mix([drum, sway], [2.0, 3.0]), 0.4 * drum + 0.6 * sway, rtol=0, atol=1e-13)
    np.testing.assert_allclose(mix([drum, sway]), 0.5 * drum + 0.5 * sway, rtol=0, atol=1e-13)


@given(lengths, seeds)
def test_one_weight_takes_one_signal_and_equal_signals_stay(frames, seed):
    stack = motions(3, frames, (2, 2), seed)
    assert np.array_equal(mix(stack, [0, 7, 0]), stack[1])
    weights = np.random.default_rng(seed).uniform(0.1, 1, (3, frames))
    np.testing.assert_allclose(mix([stack[0]] * 3, weights), stack[0], rtol=1e-12, atol=1e-12)


def test_weights_that_follow_a_trajectory():
    a, b = motions(2, 40)
    rising = np.linspace(0, 1, 40)
    result = mix([a, b], [1 - rising, rising])
    for frame in range(40):
        one = mix([a[frame : frame + 1], b[frame : frame + 1]], [1 - rising[frame], rising[frame]])
        np.testing.assert_allclose(result[frame], one[0], rtol=0, atol=1e-13)
    assert np.array_equal(result[0], a[0])
    assert np.array_equal(result[-1], b[-1])


def test_negative_weights_lead_away():
    a, b = motions(2, 10)
    np.testing.assert_allclose(mix([a, b], [2.0, -1.0]), a + (a - b), rtol=0, atol=1e-13)


@settings(deadline=None)
@given(lengths, seeds, st.booleans())
def test_the_same_weights_in_all_bands_are_a_plain_mix(frames, seed, over_time):
    stack = motions(3, frames, seed=seed)
    weights = np.random.default_rng(seed).uniform(0.1, 1, (3, frames) if over_time else 3)
    bands = np.broadcast_to(weights, (count_bands(frames), *weights.shape))
    size = max(np.abs(x).max() for x in stack)
    np.testing.assert_allclose(mix_bands(stack, bands, base=weights), mix(stack, weights), rtol=0, atol=1e-11 * size)


@pytest.mark.slow
@settings(deadline=None)
@given(lengths, seeds)
def test_each_band_is_mixed_by_its_own_weights(frames, seed):
    """A second way: split, mix band by band, add up."""
    dice = np.random.default_rng(seed)
    stack = motions(2, frames, seed=seed)
    count = count_bands(frames)
    weights, base, gains = dice.uniform(0.1, 1, (count, 2)), dice.uniform(0.1, 1, 2), dice.uniform(-1, 2, (2, count))
    split = [split_bands(x) for x in stack]
    expected = mix([s.base for s in split], base)
    for k in range(count):
        expected += mix([g[k] * s.details[k] for g, s in zip(gains, split, strict=True)], weights[k])
    size = max(np.abs(x).max() for x in stack)
    result = mix_bands(stack, weights, base=base, gains=gains)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-11 * size)


def test_detail_of_one_motion_on_the_posture_of_another():
    still, lively = motions(2, 64)
    count = count_bands(64)
    result = mix_bands([still, lively], [[0, 1]] * count, base=[1, 0])
    expected = split_bands(still).base + sum(split_bands(lively).details)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-10)


def test_missing_bands_follow_the_base_and_surplus_ones_are_left_out():
    stack = motions(2, 20)
    short = mix_bands(stack, [[1, 0]], base=[1, 3])
    full = mix_bands(stack, [[1, 0], [1, 3], [1, 3], [1, 3], [9, 9]], base=[1, 3])
    assert np.array_equal(short, full)
    one = mix_bands(stack[:1], np.ones((5, 1)), gains=[[2.0]])
    np.testing.assert_allclose(one, equalize(stack[0], [2.0]), rtol=0, atol=1e-12)


def test_float32_stays_only_among_its_like():
    a, b = (x.astype(np.float32) for x in motions(2, 30))
    assert mix([a, b]).dtype == mix_bands([a, b], [[1, 1]]).dtype == np.float32
    assert mix([a, b.astype(float)]).dtype == np.float64
    assert mix([[1, 2], [3, 4]]).tolist() == [2.0, 3.0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: mix([]), "nothing to mix"),
        (lambda x: mix([x, x[:3]]), r"the first has \(5, 2\) and number 1 has \(3, 2\)"),
        (lambda x: mix([1.0]), "at least one frame"),
        (lambda x: mix([x, x], [1, 2, 3]), r"\(2,\) or \(2, 5\) for these signals; got shape \(3,\)"),
        (lambda x: mix([x, x], [1, np.nan]), "not a finite number"),
        (lambda x: mix([x, x], [1, -1]), "sum to 0, which leaves nothing"),
        (lambda x: mix([x, x], [0, 0]), "sum to 0, which leaves nothing"),
        (lambda x: mix([x, x], [[1, 1, 1, 1, 1], [1, 1, 1, -1, 1]]), "sum to 0 in frame 3"),
        (lambda x: mix([x, x], [0.1 + 0.2, -0.3]), "sum to 0"),
        (lambda x: mix_bands([x, x], [[1, 1], [1, -1]]), "weights of band 1 sum to 0"),
        (lambda x: mix_bands([x, x], [[1, 1]], base=[1, -1]), "weights of the base sum to 0"),
        (lambda x: mix_bands([x, x], [[1, 1, 1]]), r"\(bands, 2\)"),
        (lambda x: mix_bands([x, x], [1, 1]), r"\(bands, 2\)"),
        (lambda x: mix_bands([x, x], [[1, 1]], gains=[1, 1]), r"Gains are \(2, bands\)"),
        (lambda x: mix_bands([x, x], [[1, 1]], gains=[[np.inf], [1]]), "not a number"),
    ],
)
def test_mistakes_are_told(call, words):
    with pytest.raises(ParameterError, match=words):
        call(np.zeros((5, 2)))
