r"""How much a curve resists stretching: the stiffness matrix in wavelet coefficients, from the refinement equation.

====================  ========================================================================
refinement_integrals  mu_l and nu_l, the integrals of products of derivatives
refinement_table      the paper's Tables 1 and 2 for any wavelet
stiffness, mass       the matrices of the Lagrangian equation, sparse, in the paper's ordering
off_diagonal_energy   how much of a matrix lies off its diagonal
stiffness_spectrum    the eigenvalues, without a matrix
====================  ========================================================================

Notes
-----
[chuang] section 3.2, after Beylkin. Errata: Equations 3.8 and 3.9 lack the factor :math:`2^{-2m}` of scale m; the rule
that fixes the scale of mu is circular, and :math:`\sum_l l^2 \mu_l = -2` fixes it instead; Table 2 is wrong from the
10th decimal on. docs/derivations/wavelet_contours.md has the details.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.wavelets import find_wavelet, synthesis_matrix

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_NOISE = 1e-15  # of the largest entry: what rounding leaves in a matrix of products


def refinement_integrals(wavelet: str = "db4") -> tuple[Floats, Floats]:
    r"""The integrals of products of derivatives of scaling functions and of wavelets.

    Parameters
    ----------
    wavelet : str
        "db4" and up, "coif2" and up, or "spline".

    Returns
    -------
    mu, nu : arrays
        :math:`\mu_l = \int \phi'(x - l) \phi'(x)\,dx` and :math:`\nu_l = \int \psi'(x - l) \psi'(x)\,dx` for
        l = 0, 1, ... as long as they are not 0 by support; both are even in l.

    Notes
    -----
    [chuang] Equation 3.11 for :math:`\mu`, and for orthogonal wavelets 3.14, :math:`\nu_l = 8 \mu_{2l} - \mu_l`.

    Examples
    --------
    >>> mu, nu = refinement_integrals("db4")
    >>> round(float(nu[0] / mu[0]), 9)
    7.0
    """
    mu, nu = _integrals(wavelet)
    return mu.copy(), nu.copy()


@lru_cache(maxsize=64)
def _integrals(wavelet: str) -> tuple[Floats, Floats]:
    basis = find_wavelet(wavelet)
    reach = len(basis.low) - 1  # the support of phi
    squares = np.arange(reach) ** 2
    mu = _fixed_point(4.0 * _autocorrelation(basis.low), reach, 2.0 * squares, -2.0)
    if basis.orthogonal:
        doubled = np.zeros(reach)
        doubled[: (reach + 1) // 2] = mu[::2]
        return mu, 8.0 * doubled - mu
    high = 4.0 * _autocorrelation(basis.high)
    # l runs while the supports of two wavelets, each (reach + len(high) - 1) / 2 wide, overlap.
    width = (reach + len(basis.high)) // 2
    return mu, np.array([_folded(high, mu, 2 * lag) for lag in range(width)])


def _autocorrelation(taps: Floats) -> Floats:
    """Sums of taps[i] taps[i + n] for n = 0, 1, ..."""
    return np.correlate(taps, taps, mode="full")[len(taps) - 1 :]


def _folded(weights: Floats, values: Floats, at: int) -> float:
    """The sum over all n of weights[|n|] values[|at + n|], both even and 0 beyond their ends."""
    lags = np.arange(1 - len(weights), len(weights))
    lag_sums = np.abs(at + lags)
    inside = lag_sums < len(values)
    return float(np.sum(weights[np.abs(lags[inside])] * values[lag_sums[inside]]))


def _fixed_point(weights: Floats, reach: int, row: Floats, total: float) -> Floats:
    """The values v_l, l < reach, with v_l = sum_n weights[|n|] v_{2l+n} and row . v = total."""
    matrix = -np.eye(reach)
    for lag in range(reach):
        for n in range(1 - len(weights), len(weights)):
            column = abs(2 * lag + n)
            if column < reach:
                matrix[lag, column] += weights[abs(n)]
    size = float(np.linalg.norm(row))  # all rows of like weight: worth a digit
    system = np.vstack([matrix, row / size])
    solution: Floats = np.linalg.lstsq(system, np.append(np.zeros(reach), total / size), rcond=None)[0]
    return solution


@lru_cache(maxsize=64)
def _gram(wavelet: str) -> Floats:
    """The integrals of products of scaling functions: 1, 0, 0 ... for an orthogonal wavelet."""
    basis = find_wavelet(wavelet)
    if basis.orthogonal:
        return np.ones(1)
    reach = len(basis.low) - 1
    ones = np.full(reach, 2.0)
    ones[0] = 1.0
    return _fixed_point(_autocorrelation(basis.low), reach, ones, 1.0)


class TableRow(NamedTuple):
    """One row of the paper's tables: the lag, the autocorrelation alpha, mu / mu_0 and nu / nu_0."""

    lag: int
    alpha: float
    mu: float
    nu: float


def refinement_table(wavelet: str = "db4") -> list[TableRow]:
    """The paper's Table 1 ("db4", which it calls D8) or 2 ("coif2"), to full precision, for any wavelet."""
    mu, nu = _integrals(wavelet)
    alpha = 2.0 * _autocorrelation(find_wavelet(wavelet).low)
    size = max(len(alpha), len(mu), len(nu))
    columns = [np.pad(column, (0, size - len(column))) for column in (alpha, mu / mu[0], nu / nu[0])]
    return [TableRow(lag, *(float(column[lag]) for column in columns)) for lag in range(size)]


def stiffness(count: int, wavelet: str = "db4", levels: int = 2, *, e0: float = 1.0) -> csr_array:
    r"""The stiffness matrix of a closed curve in wavelet coefficients.

    Parameters
    ----------
    count : int
        Samples of the curve; divisible by 2 ``levels`` times.
    wavelet : str
        Its name, such as "db4", "coif1" or "spline".
    levels : int
        How often the curve is halved.
    e0 : float
        The material's elasticity.

    Returns
    -------
    sparse array, (count, count)
        :math:`K = S^T K_{fine} S` with :math:`K_{fine} = e_0 N^2 circ(\mu)` on the domain [0, 1], coefficients ordered
        from global to local as in [chuang] section 3.2.

    Examples
    --------
    >>> stiffness(64, wavelet="db4", levels=2).shape
    (64, 64)
    """
    mu, _ = _integrals(wavelet)
    return _in_wavelets(_circulant(count, mu * (e0 * float(count) ** 2)), count, wavelet, levels)


def mass(count: int, wavelet: str = "db4", levels: int = 2, *, rho: float = 1.0) -> csr_array:
    """The mass matrix that belongs to :func:`stiffness`: rho I for an orthogonal wavelet, not so for the spline."""
    return _in_wavelets(_circulant(count, rho * _gram(wavelet)), count, wavelet, levels)


def _circulant(count: int, values: Floats) -> csr_array:
    """The symmetric circulant matrix of even values, wrapped round where it is too small for them."""
    from scipy.sparse import csr_array

    lags = np.arange(1 - len(values), len(values))
    rows = np.repeat(np.arange(count), len(lags))
    columns = (rows + np.tile(lags, count)) % count
    return csr_array((np.tile(values[np.abs(lags)], count), (rows, columns)), shape=(count, count))


def _in_wavelets(fine: csr_array, count: int, wavelet: str, levels: int) -> csr_array:
    from scipy.sparse import csr_array

    synthesis = synthesis_matrix(count, wavelet, levels)
    matrix = csr_array(synthesis.T @ fine @ synthesis)
    matrix = csr_array(0.5 * (matrix + matrix.T))
    matrix.data[np.abs(matrix.data) <= _NOISE * np.abs(matrix.data).max()] = 0.0
    matrix.eliminate_zeros()
    return matrix


def off_diagonal_energy(matrix: csr_array, *, squared: bool = True) -> float:
    """The share of a matrix's energy that lies off its diagonal, 0 to 1.

    squared : sum squares of entries, or their absolute values. The paper's "less than 15%" holds for squares, two or
        more levels, and wavelets of at least five vanishing moments.
    """
    values = np.abs(matrix.data) ** (2 if squared else 1)
    diagonal = np.abs(matrix.diagonal()) ** (2 if squared else 1)
    return float(1.0 - diagonal.sum() / values.sum())


def stiffness_spectrum(count: int, wavelet: str = "db4", *, per_unit: float | None = None) -> Floats:
    r"""The eigenvalues of the stiffness of a closed curve against its mass, for modes 0 to count / 2, e0 = rho = 1.

    Mode k and mode count - k share one. Low modes tend to :math:`(2 \pi k)^2`.

    Parameters
    ----------
    per_unit : float or None
        Samples per unit of length; by default ``count``, for a curve of length 1.

    Notes
    -----
    The plain Fourier sum of mu loses the low modes of a long curve to rounding (relative error 1e-5 at 2^20 samples).
    With :math:`s = \sin^2 \omega/2`, :math:`\sin^2 l \omega/2 = s\,(l + 2 \sum_{j<l} (l-j) \cos j\omega)`, so that s
    comes out as a factor and the rest is a short, well-conditioned cosine series.
    """
    if count < 2:
        raise ParameterError(f"A curve of {count} samples has no modes.")
    scale = float(count if per_unit is None else per_unit) ** 2
    mu, _ = _integrals(wavelet)
    lags = np.arange(1, len(mu))
    series = np.array([-np.sum(lags * mu[1:])] + [-2.0 * np.sum((lags - j) * mu[1:] * (lags > j)) for j in lags[:-1]])
    half = np.sin(np.pi / count * np.arange(count // 2 + 1))
    s = half * half
    x = 1.0 - 2.0 * s
    values: Floats = np.maximum(4.0 * scale * s * _cosines(series, x), 0.0)
    gram = _gram(wavelet)
    if len(gram) > 1:
        values /= _cosines(np.concatenate([gram[:1], 2.0 * gram[1:]]), x)
    return values


def _cosines(series: Floats, x: Floats) -> Floats:
    """The sum of series[j] cos(j w) with x = cos w, by Clenshaw's recurrence."""
    later, now = np.zeros_like(x), np.full_like(x, series[-1])
    twice = 2.0 * x
    for value in series[-2:0:-1]:
        later, now = now, value + twice * now - later
    return series[0] + x * now - later if len(series) > 1 else now
