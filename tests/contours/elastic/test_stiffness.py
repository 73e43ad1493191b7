"""The numbers of the paper's tables, and the matrices against sums written out here."""

from fractions import Fraction

import numpy as np
import pytest

import kinetune as kt
from kinetune.contours.elastic.stiffness import mass, off_diagonal_energy, refinement_table, stiffness_spectrum
from kinetune.reproduce.wavelets._scales import TABLE_1, TABLE_2, printed
from kinetune.signals.wavelets import find_wavelet, synthesis_matrix

SOME = ("db4", "db5", "db8", "coif2", "coif3", "spline", "spline8")
# Exact, from the refinement equation in rationals (notes on the paper).
DB4 = [
    Fraction(342643, 82248),
    Fraction(-2852128, 1079505),
    Fraction(12053651, 17272080),
    Fraction(-162976, 1079505),
    Fraction(60871, 5757360),
    Fraction(352, 215901),
    Fraction(-55, 3454416),
]
COIF2 = [-0.632970245425325, 0.168115616144206, -0.0395357401116059, 0.00433195362661572, 6.14894412411428e-5]


def test_mu_of_db4_is_exact():
    mu, nu = kt.refinement_integrals("db4")
    assert np.allclose(mu, [float(value) for value in DB4], rtol=0, atol=2e-13)
    assert mu[0] == pytest.approx(4.16597364069643, abs=1e-13)
    assert nu[0] == pytest.approx(7 * mu[0], abs=1e-12)


def test_mu_of_coif2_is_exact():
    mu, _ = kt.refinement_integrals("coif2")
    assert mu[0] == pytest.approx(4.07220790032688, abs=1e-12)
    assert np.allclose(mu[1:6] / mu[0], COIF2, rtol=0, atol=1e-13)


def test_table_1_to_all_printed_digits():
    found = np.array([row[1:] for row in refinement_table("db4")])
    assert np.abs(found - printed(TABLE_1)).max() <= 0.5000001e-12


def test_table_2_to_nine_decimals():
    found = np.array([row[1:] for row in refinement_table("coif2")])
    wanted = printed(TABLE_2)
    assert np.abs(found - wanted).max() < 2e-10
    assert np.abs(found[:, 1] - wanted[:, 1]).max() > 1e-11  # the paper's filter was rounded


@pytest.mark.parametrize("wavelet", SOME)
def test_the_refinement_equations_hold(wavelet):
    """Equations 3.10 and 3.12, summed term by term."""
    basis = find_wavelet(wavelet)
    mu, nu = kt.refinement_integrals(wavelet)

    def mu_at(lag):
        return mu[abs(lag)] if abs(lag) < len(mu) else 0.0

    for values, taps in ((mu, basis.low), (nu, basis.high)):
        for lag, value in enumerate(values):
            total = sum(4 * a * b * mu_at(2 * lag + m - n) for m, a in enumerate(taps) for n, b in enumerate(taps))
            assert value == pytest.approx(total, abs=1e-11)
    lags = np.arange(len(mu))
    assert 2 * np.sum(lags**2 * mu) == pytest.approx(-2, abs=1e-11)
    assert mu[0] + 2 * np.sum(mu[1:]) == pytest.approx(0, abs=1e-11)


def test_the_cubic_spline_has_its_known_integrals():
    mu, _ = kt.refinement_integrals("spline")
    assert np.allclose(mu, [2 / 3, -1 / 8, -1 / 5, -1 / 120], atol=1e-14)


def test_the_matrix_of_the_paper_has_the_known_entries():
    matrix = kt.stiffness(64, wavelet="db4", levels=2)
    assert matrix[0, 0] == pytest.approx(1066.489252018, abs=1e-8)
    assert matrix[0, 1] == pytest.approx(-676.369973275, abs=1e-8)
    assert matrix[16, 16] == pytest.approx(7465.424764128, abs=1e-8)
    assert matrix[32, 32] == pytest.approx(29861.699056512, abs=1e-7)
    assert np.linalg.norm(matrix.data) == pytest.approx(186335.177783, abs=1e-5)


@pytest.mark.parametrize("wavelet", ["db4", "coif2", "db8"])
def test_diagonal_blocks_are_circulants_of_mu_and_nu(wavelet):
    count, levels = 128, 2
    mu, nu = kt.refinement_integrals(wavelet)
    matrix = kt.stiffness(count, wavelet, levels, e0=3.0).toarray()

    def block(size, values):
        row = np.zeros(size)
        for lag, value in enumerate(values):
            row[lag % size] += value
            if lag:
                row[-lag % size] += value
        return np.array([np.roll(row, k) for k in range(size)])

    edges = {0: (32, mu, levels), 32: (32, nu, 2), 64: (64, nu, 1)}
    for start, (size, values, level) in edges.items():
        wanted = 3.0 * count**2 * 4.0**-level * block(size, values)
        found = matrix[start : start + size, start : start + size]
        assert np.abs(found - wanted).max() < 1e-9 * np.abs(wanted).max()


@pytest.mark.parametrize("wavelet", SOME)
def test_the_matrix_is_symmetric_never_negative_and_blind_to_translation(wavelet):
    matrix = kt.stiffness(64, wavelet, 3)
    assert np.abs((matrix - matrix.T).data).max(initial=0.0) < 1e-9
    assert np.linalg.eigvalsh(matrix.toarray()).min() > -1e-8
    synthesis = synthesis_matrix(64, wavelet, 3).toarray()
    moved = np.linalg.solve(synthesis, np.ones(64))
    assert np.abs(matrix @ moved).max() < 1e-7


def test_the_matrix_is_sparse():
    assert kt.stiffness(1024, "db4", 4).nnz < 0.1 * 1024**2


@pytest.mark.parametrize("wavelet", SOME)
def test_the_spectrum_is_that_of_the_matrices(wavelet):
    from scipy.linalg import eigvalsh

    half = stiffness_spectrum(64, wavelet)
    wanted = np.sort(np.concatenate([half, half[1:-1]]))
    found = eigvalsh(kt.stiffness(64, wavelet, 2).toarray(), mass(64, wavelet, 2).toarray())
    assert np.abs(found - wanted).max() < 1e-9 * wanted.max()


def test_the_spectrum_has_the_known_values():
    half = stiffness_spectrum(64, "db4")
    assert half[1] == pytest.approx(39.478418458, abs=1e-8)
    assert half[32] == pytest.approx(45734.506182, abs=1e-5)


@pytest.mark.parametrize("wavelet", SOME)
def test_low_modes_of_a_long_curve_keep_their_digits(wavelet):
    k = np.arange(1, 6)
    assert np.allclose(stiffness_spectrum(1 << 20, wavelet)[1:6], (2 * np.pi * k) ** 2, rtol=1e-12, atol=0)


@pytest.mark.parametrize("wavelet", ["db4", "coif2"])
def test_mass_is_a_multiple_of_one_for_an_orthogonal_wavelet(wavelet):
    assert np.abs(mass(32, wavelet, 2, rho=2.5).toarray() - 2.5 * np.eye(32)).max() < 1e-12
    assert np.abs(mass(32, "spline", 2).toarray() - np.eye(32)).max() > 0.1


@pytest.mark.parametrize(("wavelet", "percent"), [("db4", 15.19), ("coif2", 15.09), ("db5", 14.8), ("db8", 14.6)])
def test_off_diagonal_energy_in_squares(wavelet, percent):
    assert 100 * off_diagonal_energy(kt.stiffness(64, wavelet, 2)) == pytest.approx(percent, abs=0.03)
    assert off_diagonal_energy(kt.stiffness(64, wavelet, 2), squared=False) > 0.4  # by size it is about half
