r"""Curves that are softer or heavier in places: implicit midpoint steps with a sparse factorization.

Notes
-----
Where stiffness varies, Fourier modes are coupled. The matrix becomes :math:`K = N^2 D^T E D`, with E the local
stiffness and D a banded difference whose square is the wavelet's own stiffness: :math:`D^T D = circ(\mu)`, by spectral
factorization of the cosine polynomial of mu. So K is never negative, annihilates translations, and is the uniform one
where E is. The midpoint rule is stable for any step; explicit steps would be limited to about 1 / N.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from kinetune.contours.elastic.materials import Material
from kinetune.contours.elastic.outside_forces import accelerations
from kinetune.contours.elastic.relaxation import Elastic, Force
from kinetune.contours.elastic.stiffness import refinement_integrals
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.wavelets import find_wavelet

STEP_S = 1 / 600
_MOST_STEPS = 200_000


@lru_cache(maxsize=16)
def difference_filter(wavelet: str) -> Floats:
    """Taps d with sum_k d_k d_{k+l} = mu_l: the square root of the stiffness.

    Of the roots of the polynomial, those inside the unit circle are taken, and one of the two at 1.
    """
    mu, _ = refinement_integrals(wavelet)
    small = np.abs(mu) > 1e-15 * mu[0]
    mu = mu[: int(np.flatnonzero(small)[-1]) + 1]
    polynomial = np.concatenate([mu[::-1], mu[1:]])
    # The double root at 1 is divided out: it could not be found as exactly.
    rest = np.polynomial.polynomial.polydiv(polynomial, [1.0, -2.0, 1.0])[0]
    inside = [root for root in np.roots(rest[::-1]) if abs(root) < 1]
    taps = np.real(np.poly([1.0, *inside]))
    taps *= np.sqrt(mu[0] / np.sum(taps * taps))
    return taps


def midpoint(
    curve: Elastic,
    offset: Floats,
    velocity: Floats | None,
    times: Floats,
    material: Material,
    rest: Floats,
    force: Force | None,
    local_stiffness: Floats,
    local_mass: Floats,
    *,
    step_s: float = STEP_S,
) -> list[Floats]:
    """Displacements (n, 2) at growing times; local factors are (n,).

    The error falls with the square of ``step_s``.
    """
    from scipy.sparse import csc_array, diags_array
    from scipy.sparse.linalg import splu

    if not find_wavelet(curve.wavelet).orthogonal:
        raise ParameterError('Stiffness or mass that varies takes an orthogonal wavelet such as "db4".')
    count, period = curve.count, curve.period
    whole = _doubled if not curve.closed else np.asarray
    stiff = material.e0 * _stiffness(period, count, curve.wavelet, whole(local_stiffness))
    heavy = diags_array(material.rho * whole(local_mass), format="csc")
    damping = material.s1 * heavy + material.s2 * stiff
    q = whole(offset)
    v = np.zeros_like(q) if velocity is None else whole(velocity)
    weight = heavy.diagonal()[:, None]
    now, spent = 0.0, 0
    factors: dict[float, object] = {}
    fields = []
    for until in times:
        gap = float(until) - now
        steps = int(np.ceil(gap / step_s - 1e-9)) if gap > 0 else 0
        spent += steps
        if spent > _MOST_STEPS:
            raise ParameterError(f"More than {_MOST_STEPS:,} steps: shorten the times.")
        h = gap / steps if steps else 0.0
        if steps and h not in factors:
            factors[h] = splu(csc_array((2.0 / h) * heavy + damping + (0.5 * h) * stiff))
        for k in range(steps):
            pull = -(stiff @ q) + (2.0 / h) * weight * v
            if force is not None:
                ahead = (q + 0.5 * h * v)[:count]
                pull = pull + weight * whole(accelerations(force, now + (k + 0.5) * h, rest + ahead, v[:count]))
            middle = factors[h].solve(pull)  # type: ignore[attr-defined]
            q = q + h * middle
            v = 2.0 * middle - v
        now = float(until)
        fields.append(q[:count].copy())
    return fields


def _doubled(field: Floats) -> Floats:
    """An open curve with its mirror image: free ends."""
    return np.concatenate([field, field[::-1]])


def _stiffness(period: int, count: int, wavelet: str, local: Floats):  # type: ignore[no-untyped-def]
    """The sparse N^2 D^T E D; E is read at the middle of each difference."""
    from scipy.sparse import csr_array, diags_array

    taps = difference_filter(wavelet)
    rows = np.repeat(np.arange(period), len(taps))
    columns = (rows + np.tile(np.arange(len(taps)), period)) % period
    difference = csr_array((np.tile(taps, period), (rows, columns)), shape=(period, period))
    # The middle of the difference: the first moment of the taps summed up, which is a smoothing filter.
    smooth = np.cumsum(taps)[:-1]
    middle = 0.5 + float(np.sum(np.arange(len(smooth)) * smooth) / np.sum(smooth))
    middles = (np.arange(period) + middle) % period
    wrapped = np.append(local, local[0])
    factors = np.interp(middles, np.arange(period + 1), wrapped)
    return float(count) ** 2 * (difference.T @ diags_array(factors) @ difference)
