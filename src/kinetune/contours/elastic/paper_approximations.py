"""Two simplifications of the paper, to compare with the exact motion: decoupled coefficients, and no mass.

Neither is needed for speed: the exact solution costs two Fourier transforms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetune.contours.elastic.materials import Material
from kinetune.contours.elastic.outside_forces import accelerations
from kinetune.contours.elastic.relaxation import Elastic, Force
from kinetune.contours.elastic.single_mode import step_modes
from kinetune.contours.elastic.stiffness import stiffness
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.wavelets import find_wavelet, join_scales, split_scales

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_MOST_STEPS = 1_000_000


def decoupled(
    offset: Floats,
    velocity: Floats | None,
    times: Floats,
    material: Material,
    wavelet: str,
    *,
    closed: bool = True,
    levels: int | None = None,
) -> list[Floats]:
    """The paper's approximation: every wavelet coefficient swings by itself, what couples them is dropped.

    [chuang] Equation 3.16. It is off by 2% to 155% of the first displacement, and it holds a moved curve back as if
    moving it were bending it: take it to see what the paper did.
    """
    if not closed or not find_wavelet(wavelet).orthogonal:
        raise ParameterError('method="decoupled" takes closed contours and an orthogonal wavelet such as "db4".')
    scales = split_scales(offset, wavelet, levels)
    diagonal = stiffness(len(offset), wavelet, scales.levels, e0=material.e0).diagonal()
    first = scales.vector()
    pushed = np.zeros_like(first) if velocity is None else split_scales(velocity, wavelet, scales.levels).vector()
    fields = []
    for time in times:
        after = step_modes(diagonal, material, float(time))
        now = after.stay[:, None] * first + after.push[:, None] * pushed
        fields.append(join_scales(scales.with_vector(now)))
    return fields


def massless(
    curve: Elastic,
    offset: Floats,
    times: Floats,
    material: Material,
    rest: Floats,
    force: Force | None,
    *,
    share: float = 0.1,
) -> list[Floats]:
    """A curve without mass, C q' + K q = Q, by Euler's method.

    [chuang] section 3.3 takes C = s1 M + s2 K with M = 0, which is singular, and lets every mode fade alike. Here
    C = s1 + s2 K, s1 being a damping that does not go with the mass.

    Parameters
    ----------
    share : the step, as a share of the longest stable one, 2 / max(k / (s1 + s2 k)).
    """
    modes = curve.modes(offset)
    full = curve.mirrored(curve.spectrum)
    damping = material.s1 + material.s2 * material.e0 * full
    if damping.max() == 0:
        raise ParameterError('method="massless" needs damping: s1 or s2 of the material above 0.')
    idle = damping == 0  # only mode 0, where nothing pulls either
    rates = np.where(idle, 0.0, material.e0 * full / np.where(idle, 1.0, damping))
    longest = 2.0 / rates.max() if rates.max() > 0 else np.inf
    fields, now, steps = [], 0.0, 0
    for until in times:
        gap = float(until) - now
        count = max(1, int(np.ceil(gap / (share * longest)))) if gap > 0 else 0
        steps += count
        if steps > _MOST_STEPS:
            raise ParameterError(f"Euler's method would take more than {_MOST_STEPS:,} steps: shorten the times.")
        for k in range(count):
            change = -rates * modes
            if force is not None:
                points = rest + curve.samples(modes.copy())
                pull = accelerations(force, now + gap * k / count, points, np.zeros_like(points))
                change = change + np.where(idle, 0.0, curve.modes(pull) / np.where(idle, 1.0, damping))
            modes = modes + (gap / count) * change
        now = float(until)
        fields.append(curve.samples(modes.copy()))
    return fields


def schulz_inverse(matrix: csr_array | Floats, *, tolerance: float = 1e-12, rounds: int = 200) -> tuple[Floats, int]:
    """The inverse of a matrix by Schulz's iteration X <- 2 X - X C X, and how many rounds it took.

    [chuang] section 3.3 inverts C like this. It converges quadratically once it is near, and costs more than solving:
    kept as a demonstration.
    """
    dense = np.asarray(matrix if isinstance(matrix, np.ndarray) else matrix.toarray(), dtype=float)
    if dense.ndim != 2 or dense.shape[0] != dense.shape[1]:
        raise ParameterError(f"Only a square matrix has an inverse; got shape {dense.shape}.")
    guess = dense.T / float(np.linalg.norm(dense.T @ dense, np.inf))
    unit = np.eye(len(dense))
    with np.errstate(over="ignore", invalid="ignore"):  # it diverges where there is no inverse
        for round_number in range(rounds):
            wrong = unit - guess @ dense
            if np.abs(wrong).max() <= tolerance:
                return guess, round_number
            guess = guess + wrong @ guess
    raise ParameterError(f"Schulz's iteration has not converged after {rounds} rounds: is the matrix singular?")
