"""Perfect reconstruction, the paper's indexing (checked by its own sums), and open sequences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinetune.errors import ParameterError, UnknownNameError
from kinetune.signals.wavelets import NAMES, find_wavelet, join_scales, most_levels, split_scales, synthesis_matrix

SOME = ("db4", "db5", "db8", "db20", "coif2", "coif3", "coif17", "spline", "spline4", "spline8")
ORTHOGONAL = tuple(name for name in SOME if not name.startswith("spline"))
SPLINES = ("spline", "spline4", "spline6", "spline8")


def noise(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def by_the_paper(low, signal, levels):
    """Equations 2.8 with 2.2, term by term."""
    high = {k: (-1) ** k * low[1 - k] for k in range(2 - len(low), 2)}
    details = []
    for _ in range(levels):
        n = len(signal)
        coarse, detail = np.zeros(n // 2), np.zeros(n // 2)
        for place in range(n // 2):
            coarse[place] = sum(h * signal[(2 * place + k) % n] for k, h in enumerate(low))
            detail[place] = sum(g * signal[(2 * place + k) % n] for k, g in high.items())
        details.insert(0, detail)
        signal = coarse
    return np.concatenate([signal, *details])


@pytest.mark.parametrize("wavelet", NAMES)
def test_perfect_reconstruction(wavelet):
    signal = noise(256, 2)
    assert np.abs(join_scales(split_scales(signal, wavelet)) - signal).max() < 1e-12


@given(st.sampled_from(SOME), st.integers(0, 7), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_any_length_that_can_be_halved_comes_back(wavelet, levels, odd, seed):
    signal = noise(max(2, (2 * odd - 1) << levels), 3, seed=seed)
    assert np.abs(join_scales(split_scales(signal, wavelet, levels)) - signal).max() < 1e-12


@pytest.mark.parametrize("wavelet", ORTHOGONAL)
@pytest.mark.parametrize(("count", "levels"), [(64, 2), (64, 6), (8, 3), (96, 4)])
def test_coefficients_are_indexed_as_in_the_paper(wavelet, count, levels):
    signal = noise(count)
    wanted = by_the_paper(find_wavelet(wavelet).bank.rec_lo, signal, levels)
    assert np.abs(split_scales(signal, wavelet, levels).vector() - wanted).max() < 1e-12


@pytest.mark.parametrize("wavelet", SOME)
@pytest.mark.parametrize(("count", "levels"), [(64, 2), (32, 5), (48, 4)])
def test_the_matrix_joins_like_the_filters(wavelet, count, levels):
    signal = noise(count, 2)
    scales = split_scales(signal, wavelet, levels)
    matrix = synthesis_matrix(count, wavelet, levels)
    assert np.abs(matrix @ scales.vector() - signal).max() < 1e-12
    if find_wavelet(wavelet).orthogonal:
        assert np.abs((matrix.T @ matrix).toarray() - np.eye(count)).max() < 1e-12


def test_the_spline_pair_has_the_filters_of_the_notes():
    bank = find_wavelet("spline").bank
    root = np.sqrt(2)
    assert np.allclose(bank.rec_lo, root * np.array([0, 1, 4, 6, 4, 1, 0, 0]) / 16, atol=1e-16)
    assert np.allclose(bank.dec_lo, root * np.array([0, 3, -12, 5, 40, 5, -12, 3]) / 32, atol=1e-15)
    assert np.allclose(bank.dec_hi, [(-1) ** (k + 1) * h for k, h in enumerate(bank.rec_lo)])
    assert np.allclose(bank.rec_hi, [(-1) ** k * h for k, h in enumerate(bank.dec_lo)])


@pytest.mark.parametrize("wavelet", SPLINES)
def test_one_spline_coefficient_draws_a_cubic_b_spline(wavelet):
    """The limit of subdivision is the B-spline, so a coarse coefficient alone gives its samples by 4 levels down."""
    scales = split_scales(np.zeros(256), wavelet, 4)
    unit = np.zeros(16)
    unit[8] = 1.0
    drawn = join_scales(scales.with_control_points(unit))
    # Subdivision of the B-spline is exact on its samples up to the spread of the finest filter.
    x = np.abs(np.arange(256) - 128) / 16
    spline = np.where(x < 1, 2 / 3 - x**2 + x**3 / 2, np.where(x < 2, (2 - x) ** 3 / 6, 0))
    assert np.abs(drawn - spline).max() < 2e-3
    assert np.count_nonzero(np.abs(drawn) > 1e-12) < 64


def test_the_long_spline_is_stable_and_the_short_one_is_not():
    def condition(wavelet, levels):
        return np.linalg.cond(synthesis_matrix(64, wavelet, levels).toarray())

    assert condition("spline8", 4) < 13
    assert condition("spline8", 4) < 1.1 * condition("spline8", 3)
    assert condition("spline", 4) > 1.6 * condition("spline", 3) > 40


@pytest.mark.parametrize("wavelet", ORTHOGONAL)
@pytest.mark.parametrize("count", [250, 256, 257])
def test_open_sequences_come_back(wavelet, count):
    signal = np.cumsum(noise(count, 2), axis=0)
    scales = split_scales(signal, wavelet, closed=False)
    assert np.abs(join_scales(scales) - signal).max() < 1e-12 * max(1, np.abs(signal).max())


@pytest.mark.parametrize("wavelet", SPLINES)
@pytest.mark.parametrize("count", [3, 9, 33, 257, 385])
def test_an_open_spline_has_as_many_coefficients_as_samples_and_keeps_its_ends(wavelet, count):
    signal = np.cumsum(noise(count, 2), axis=0)
    scales = split_scales(signal, wavelet, closed=False)
    assert len(scales.vector()) == count
    assert np.abs(join_scales(scales) - signal).max() < 1e-12 * max(1, np.abs(signal).max())
    assert np.allclose(scales.control_points[[0, -1]], signal[[0, -1]])
    assert np.allclose(join_scales(scales.without_details())[[0, -1]], signal[[0, -1]])


@pytest.mark.parametrize("wavelet", SOME)
def test_a_straight_line_has_no_detail_and_its_control_points_lie_on_it(wavelet):
    line = np.arange(257.0)
    scales = split_scales(line, wavelet, closed=False)
    assert max((np.abs(detail).max() for detail in scales.details), default=0.0) < 1e-9
    assert np.allclose(scales.control_points, scales.control_places, atol=1e-9)


@pytest.mark.parametrize("wavelet", ["db4", "coif2", "spline8"])
def test_control_places_of_a_closed_curve_are_where_the_points_act(wavelet):
    angle = 2 * np.pi * np.arange(256) / 256
    scales = split_scales(np.stack([np.cos(angle), np.sin(angle)], axis=-1), wavelet, 4)
    found = np.arctan2(*scales.control_points.T[::-1]) * 256 / (2 * np.pi)
    assert np.abs((found - scales.control_places + 128) % 256 - 128).max() < 0.1


def test_gains_and_vectors():
    scales = split_scales(noise(64, 2), "db4", 3)
    assert np.array_equal(scales.with_vector(scales.vector()).vector(), scales.vector())
    assert np.array_equal(scales.with_gains([1, 1, 0]).details[2], 0 * scales.details[2])
    assert np.array_equal(scales.with_gains(2).details[0], 2 * scales.details[0])
    assert np.array_equal(scales.without_details(1).details[0], scales.details[0])


@pytest.mark.parametrize("name", ["db2", "coif1", "haar", "sym8"])
def test_rough_wavelets_are_refused_with_a_reason(name):
    with pytest.raises(ParameterError, match="too rough"):
        find_wavelet(name)


def test_an_unknown_wavelet_offers_the_nearest():
    with pytest.raises(UnknownNameError, match='"db4"'):
        find_wavelet("bd4")


@pytest.mark.parametrize(
    ("count", "levels", "closed", "words"),
    [
        (63, 1, True, "power of two"),
        (64, 7, True, "power of two"),
        (63, None, True, r"2\^k samples"),
        (64, -1, True, "0 or more"),
        (256, 1, False, r"2\^k \+ 1"),
        (256, None, False, r"2\^k \+ 1"),
    ],
)
def test_lengths_that_cannot_be_halved_say_what_to_do(count, levels, closed, words):
    with pytest.raises(ParameterError, match=words):
        split_scales(np.zeros(count), "spline8", levels, closed=closed)


def test_an_open_sequence_shorter_than_its_filters():
    with pytest.raises(ParameterError, match="shorter wavelet"):
        split_scales(np.zeros(50), "db20", closed=False)


def test_too_many_levels_of_an_open_sequence():
    with pytest.raises(ParameterError, match="have 5 levels"):
        split_scales(np.zeros(256), "db4", 6, closed=False)
    assert most_levels(256) == 6
