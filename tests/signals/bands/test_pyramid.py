"""Laws of the frequency bands, and section 2.1 of Bruderlin's paper word for word as a second algorithm."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinetune as kt
from kinetune.errors import ParameterError
from kinetune.signals.bands import pyramid as bands
from kinetune.signals.bands.pyramid import (
    Bands,
    band_centres_hz,
    count_bands,
    equalize,
    equalize_batch,
    join_bands,
    split_bands,
)

lengths = st.integers(1, 400)
seeds = st.integers(0, 2**32 - 1)


def curves(frames, shape=(3,), seed=0, dtype=float):
    dice = np.random.default_rng(seed)
    return (100.0 * dice.standard_normal((frames, *shape)).cumsum(axis=0)).astype(dtype)


def paper_bands(signal):
    """Section 2.1, steps 1 and 2, for one channel, index by index; footnote 1 at the ends."""
    w = {-2: 1 / 16, -1: 1 / 4, 0: 3 / 8, 1: 1 / 4, 2: 1 / 16}
    last = len(signal) - 1
    fb = 0
    while 2 ** (fb + 1) <= len(signal):
        fb += 1
    G = [list(signal)]
    for k in range(fb):
        G.append([sum(w[m] * G[k][min(max(i + 2**k * m, 0), last)] for m in w) for i in range(len(signal))])
    L = [np.subtract(G[k], G[k + 1]) for k in range(fb)]
    return L, np.array(G[fb])


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 7, 8, 9, 33, 100])
def test_bands_are_those_of_section_2_1(frames):
    x = curves(frames, ())
    details, base = paper_bands(x)
    bands = split_bands(x)
    assert isinstance(bands, Bands)
    assert bands.count == len(bands.details) == len(details)
    for ours, theirs in zip((*bands.details, bands.base), (*details, base), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * np.abs(x).max())


@pytest.mark.parametrize(
    ("frames", "bands"), [(1, 0), (2, 1), (3, 1), (4, 2), (127, 6), (128, 7), (255, 7), (256, 8), (300, 8)]
)
def test_number_of_bands(frames, bands):
    assert count_bands(frames) == bands
    assert split_bands(np.zeros(frames)).count == bands


@settings(deadline=None)
@given(lengths, seeds)
def test_bands_sum_to_the_signal(frames, seed):
    x = curves(frames, seed=seed)
    bands = kt.split_bands(x)
    size = np.abs(x).max()
    np.testing.assert_allclose(sum(bands.details, bands.base), x, rtol=0, atol=1e-12 * size)
    np.testing.assert_allclose(kt.join_bands(bands), x, rtol=0, atol=1e-12 * size)
    np.testing.assert_allclose(equalize(x), x, rtol=0, atol=1e-12 * size)


@pytest.mark.slow
@settings(deadline=None)
@given(lengths, seeds, st.booleans())
def test_equalize_is_split_gain_join(frames, seed, over_time):
    dice = np.random.default_rng(seed)
    x = curves(frames, (2, 3), seed)
    count = count_bands(frames)
    gains = dice.uniform(-2, 3, (count, frames) if over_time else count)
    base = dice.uniform(-2, 3, frames if over_time else ())
    joined = join_bands(split_bands(x), gains, base=base)
    np.testing.assert_allclose(equalize(x, gains, base=base), joined, rtol=0, atol=1e-11 * np.abs(x).max())
    by_hand = sum(
        (np.reshape(g, (-1, 1, 1)) * d for g, d in zip(gains, split_bands(x).details, strict=True)),
        np.reshape(base, (-1, 1, 1)) * split_bands(x).base,
    )
    np.testing.assert_allclose(joined, by_hand, rtol=0, atol=1e-11 * np.abs(x).max())


@settings(deadline=None)
@given(lengths, seeds)
def test_equalize_is_linear(frames, seed):
    gains = np.random.default_rng(seed).uniform(-2, 3, count_bands(frames))
    x, y = curves(frames, seed=seed), curves(frames, seed=seed + 1)
    whole = equalize(0.5 * x - 3.0 * y, gains)
    np.testing.assert_allclose(whole, 0.5 * equalize(x, gains) - 3.0 * equalize(y, gains), rtol=0, atol=1e-9)


@settings(deadline=None)
@given(lengths, st.floats(-1e3, 1e3), seeds)
def test_a_constant_signal_is_left_alone(frames, value, seed):
    x = np.full((frames, 2), value)
    gains = np.random.default_rng(seed).uniform(-2, 3, count_bands(frames))
    np.testing.assert_allclose(equalize(x, gains), x, rtol=1e-13, atol=1e-300)
    for detail in split_bands(x).details:
        np.testing.assert_allclose(detail, 0.0, rtol=0, atol=max(1e-15 * abs(value), 1e-300))


def test_gain_changes_one_band_only():
    x = curves(300)
    bands = split_bands(x)
    difference = equalize(x, [1, 1, 1, 2.5]) - x
    np.testing.assert_allclose(difference, 1.5 * bands.details[3], rtol=0, atol=1e-9)


def test_missing_gains_are_1_and_surplus_gains_are_left_out():
    x = curves(20)
    assert count_bands(20) == 4
    full = equalize(x, [2, 3, 1, 1])
    assert np.array_equal(equalize(x, [2, 3]), full)
    assert np.array_equal(equalize(x, [2, 3, 1, 1, 7, 8, 9]), full)
    assert np.array_equal(join_bands(split_bands(x), [2, 3, 1, 1, 7]), join_bands(split_bands(x), [2, 3]))
    assert np.array_equal(equalize(x[:1], [5, 5]), x[:1])


def test_constant_gains_over_time_are_the_same_as_constant_gains():
    x = curves(77)
    gains = np.linspace(-1, 2, count_bands(77))
    over_time = np.repeat(gains[:, None], 77, axis=1)
    assert np.array_equal(equalize(x, gains), equalize(x, over_time))
    assert np.array_equal(equalize(x, gains), equalize(x, gains[:, None]))


def test_muted_details_leave_the_base_and_a_muted_base_leaves_the_details():
    x = curves(300)
    bands = split_bands(x)
    nothing = np.zeros(bands.count)
    np.testing.assert_allclose(equalize(x, nothing), bands.base, rtol=0, atol=1e-10)
    np.testing.assert_allclose(equalize(x, base=0.0), x - bands.base, rtol=0, atol=1e-10)
    solo = nothing.copy()
    solo[2] = 1.0
    np.testing.assert_allclose(equalize(x, solo, base=0.0), bands.details[2], rtol=0, atol=1e-10)


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
def test_the_shortest_signals(frames):
    x = curves(frames, (2,))
    result = equalize(x, [3.0, 3.0])
    assert result.shape == x.shape
    assert result is not x
    np.testing.assert_allclose(join_bands(split_bands(x)), x, rtol=0, atol=1e-12)
    if frames == 1:
        assert np.array_equal(result, x)
    split_bands(x).base[...] = -1.0
    assert not np.array_equal(x, np.full_like(x, -1.0))


def test_float32_stays_and_everything_else_is_float64():
    x = curves(300, dtype=np.float32)
    assert equalize(x, [2.0]).dtype == np.float32
    assert split_bands(x).base.dtype == split_bands(x).details[0].dtype == np.float32
    assert join_bands(split_bands(x), [2.0]).dtype == np.float32
    np.testing.assert_allclose(equalize(x, [2.0]), equalize(x.astype(float), [2.0]), rtol=0, atol=1e-3)
    whole = np.arange(12).reshape(4, 3)
    assert equalize(whole).dtype == np.float64
    np.testing.assert_allclose(equalize(whole), whole, rtol=0, atol=1e-13)


def test_memory_order_does_not_matter_and_the_input_is_untouched():
    x = curves(64, (6,))
    before = x.copy()
    gains = [0.5, 2.0, -1.0]
    expected = equalize(x, gains)
    assert np.array_equal(equalize(np.asfortranarray(x), gains), expected)
    assert np.array_equal(equalize(np.repeat(x, 2, axis=1)[:, ::2], gains), expected)
    assert np.array_equal(equalize(x.reshape(64, 2, 3), gains).reshape(64, 6), expected)
    assert np.array_equal(x, before)
    assert equalize(np.empty((5, 0)), gains).shape == (5, 0)


SHAPES = [
    (2, 1),
    (3, 70),
    (5, 1),
    (17, 3),
    (64, 70),
    (65, 71),
    (300, 70),
    (301, 1),
    (320, 16),
    (1023, 16),
    (40, 3000),
    (1700, 70),
    (4097, 9),  # long enough for phases that go by themselves; the first and the last row share one
    (8195, 7),
    (9000, 33),
    (20_011, 5),
    (40_000, 9),
    (70_001, 3),  # five levels in blocks: two sweeps of two, and one that deals
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("over_time", [False, True])
def test_both_bodies_give_the_same_bits(monkeypatch, shape, dtype, over_time):
    frames, width = shape
    x = curves(frames, (width,), dtype=dtype)
    dice = np.random.default_rng(1)
    gains = dice.uniform(-2, 3, (count_bands(frames), frames if over_time else 1))
    results = []
    for mode in ("never", "always"):
        monkeypatch.setenv("KINETUNE_COMPILED", mode)
        results.append(equalize(x, gains, base=0.7))
    assert np.array_equal(*results)


def test_both_bodies_give_the_same_bits_at_every_short_length(monkeypatch):
    """Rows that are held beyond the ends take part in all of these."""
    for frames in range(2, 140):
        x = curves(frames, (9,))
        gains = np.linspace(-1.0, 2.0, count_bands(frames))
        results = []
        for mode in ("never", "always"):
            monkeypatch.setenv("KINETUNE_COMPILED", mode)
            results.append(equalize(x, gains))
        assert np.array_equal(*results), frames


def test_a_signal_that_cannot_be_written_to_is_filtered_too(monkeypatch):
    monkeypatch.setenv("KINETUNE_COMPILED", "always")
    x = curves(40)
    expected = equalize(x, [2.0, 0.5])
    compiled = bands._kernels.load().equalize
    versions = len(compiled.signatures)
    x.flags.writeable = False
    assert np.array_equal(equalize(x, [2.0, 0.5]), expected)
    assert len(compiled.signatures) == versions, "compiled again while someone waits"


@pytest.mark.parametrize("mode", ["never", "always"])
def test_a_batch_is_each_signal_alone(monkeypatch, mode):
    monkeypatch.setenv("KINETUNE_COMPILED", mode)
    clips = np.stack([curves(50, (2, 2), seed) for seed in range(5)])
    gains = [0.5, -1.0, 3.0]
    batch = equalize_batch(clips, gains, base=1.5)
    assert batch.shape == clips.shape
    for alone, together in zip(clips, batch, strict=True):
        assert np.array_equal(equalize(alone, gains, base=1.5), together)


def test_result_goes_where_it_is_told():
    x = curves(100)
    target = np.empty_like(x)
    assert equalize(x, [2.0], out=target) is target
    assert np.array_equal(target, equalize(x, [2.0]))
    for wrong in (np.empty((99, 3)), np.empty((100, 3), np.float32), np.empty((3, 100)).T):
        with pytest.raises(ParameterError, match="C-ordered array of shape"):
            equalize(x, out=wrong)
    with pytest.raises(ParameterError, match="share memory"):
        equalize(x, out=x)


@pytest.mark.slow
@pytest.mark.parametrize("band", range(1, 6))
def test_a_band_responds_most_at_its_centre(band):
    """Sines of many frequencies through the band itself, far from the ends."""
    fps, frames = 120.0, 4096
    hz = np.geomspace(0.5, 59.0, 200)
    waves = np.sin(2.0 * np.pi * hz * np.arange(frames)[:, None] / fps)
    middle = split_bands(waves).details[band][frames // 4 : -frames // 4]
    best = hz[np.argmax(np.abs(middle).max(axis=0))]
    assert band_centres_hz(8, fps)[band] == pytest.approx(best, rel=0.03)


def test_centres_fall_by_octaves_from_half_the_rate():
    centres = band_centres_hz(8, 120.0)
    assert centres[0] == pytest.approx(60.0)
    np.testing.assert_allclose(centres[3:-1] / centres[4:], 2.0, rtol=0.01)
    np.testing.assert_allclose(band_centres_hz(8, 30.0), centres / 4.0)
    assert band_centres_hz(0, 30.0).shape == (0,)


@pytest.mark.parametrize(
    ("signal", "options", "words"),
    [
        (3.0, {}, "at least one frame"),
        ([], {}, "at least one frame"),
        (np.zeros((10, 2)), {"gains": np.ones((3, 9))}, r"\(bands, 10\) for this signal; got shape \(3, 9\)"),
        (np.zeros((10, 2)), {"gains": np.ones((3, 2, 2))}, "got shape"),
        (np.zeros((10, 2)), {"gains": [1.0, np.nan]}, "not a number"),
        (np.zeros((10, 2)), {"base": np.inf}, "not a number"),
        (np.zeros((10, 2)), {"base": np.ones(9)}, r"got shape \(9,\)"),
    ],
)
def test_mistakes_are_told(signal, options, words):
    with pytest.raises(ParameterError, match=words):
        equalize(signal, **options)


def test_mistakes_in_a_batch_are_told():
    for wrong in (np.zeros(5), np.zeros((5, 0, 3))):
        with pytest.raises(ParameterError, match=r"\(clips, frames, ...\)"):
            equalize_batch(wrong)
