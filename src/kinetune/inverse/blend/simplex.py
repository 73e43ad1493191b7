"""Steps on the simplex: weights that stay in [0, 1] and sum to 1 while a residual is driven down.

=============  =========================================================
simplex_step   one damped Gauss-Newton step with these bounds
=============  =========================================================

Blend weights live on a simplex. A solver that walks there linearizes its residual, r(x) = r + J (x - w), and asks

.. math:: \\min_x \\tfrac12 |J (x - w) + r|^2 + \\tfrac\\lambda2 \\sum_j \\frac{(x_j - w_j - c_j)^2}{D_j},
          \\qquad x \\ge 0, \\quad \\sum_j x_j = 1.

There are many weights (n examples) and few residuals (m = 1 to 12), so it is solved in the m x m dual. With F the
weights above 0, y the residual after the step over lambda and nu the multiplier of the sum,

.. math:: x_j = w_j + c_j - D_j (J_j \\cdot y - \\nu) \\quad (j \\in F), \\qquad x_j = 0 \\quad (j \\notin F).

The sum gives nu, and y solves ``(J_F D_F J_F^T - (J_F D_F 1)(J_F D_F 1)^T / sum D_F + lambda) y = ...``, m x m and
positive definite. F is found by block principal pivoting: all weights that came out negative and all bounds that push
the wrong way change sides at once; where this does not lower their number for three rounds, only the last one does
(the backup rule of Kim and Park 2011, after Judice and Pires 1994 and Murty 1974, which cannot cycle).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

_kernels = Kernels("kinetune.inverse.blend.simplex_kernels")
_TOLERANCE = 1e-11
_PATIENCE = 3
_NUMPY_S = 2e-4


def simplex_step(
    jacobian: ArrayLike,
    residual: ArrayLike,
    weights: ArrayLike,
    metric: ArrayLike | None = None,
    pull: ArrayLike | None = None,
    damping: float = 1e-10,
) -> Floats:
    """New weights after one damped Gauss-Newton step that stays on the simplex.

    Parameters
    ----------
    jacobian : (m, n), how the residuals change with each weight. m may be anything; the work grows with m^3 + m^2 n.
    residual : (m,) at ``weights``.
    weights : (n,) where the step begins, at least 0 with the sum 1.
    metric : (n,) D, above 0: a weight with a large one moves easily. None: all 1.
    pull : (n,) c, a step that would cost nothing, such as a share of the way back to an anchor. None: none.
    damping : lambda, above 0: large ones keep the step short. With a small one and n > m, of all weights that meet
        the linearized residual it is the nearest to ``weights + pull`` in the metric 1/D.

    Returns
    -------
    (n,) at least 0, with the sum 1 to rounding.

    Notes
    -----
    Other kernels call ``kinetune.inverse.blend.simplex_kernels.solve_step`` (an njit function that allocates nothing
    and takes a guess of the free weights) or its ``simplex_step``. Which weights are free is decided by signs, so the
    compiled and the NumPy body, whose sums run in another order, agree to rounding over damping (1e-9 for a damping of
    1e-3 and a Jacobian of size 1), not to the bit. Law: it is the solution that a general interior-point solver finds
    (``tests/inverse/blend/test_simplex.py``).
    """
    j, r = np.ascontiguousarray(jacobian, dtype=float), np.ascontiguousarray(residual, dtype=float)
    w = np.ascontiguousarray(weights, dtype=float)
    if j.ndim != 2 or r.shape != j.shape[:1] or w.shape != j.shape[1:] or w.size == 0:
        raise ParameterError(
            f"A step needs a Jacobian (m, n), m residuals and n weights; got shapes {j.shape}, {r.shape} and {w.shape}."
        )
    d = np.ones_like(w) if metric is None else np.ascontiguousarray(metric, dtype=float)
    c = np.zeros_like(w) if pull is None else np.ascontiguousarray(pull, dtype=float)
    if d.shape != w.shape or c.shape != w.shape:
        raise ParameterError(f"metric and pull have one number for each of {len(w)} weights; got {d.shape}, {c.shape}.")
    if not (damping > 0.0 and np.all(d > 0.0) and np.isfinite(d).all()):
        raise ParameterError(f"damping and all of metric must be above 0; got {damping} and {d.min()} at least.")
    if not all(np.isfinite(part).all() for part in (j, r, w, c)):
        raise ParameterError(
            "A step needs finite numbers; the Jacobian, the residual, a weight or the pull has others."
        )
    fast = _kernels.get(cost_s=_NUMPY_S)
    result, solved = (step_of if fast is None else fast.simplex_step)(j, r, w, d, c, float(damping))
    if solved < 0:
        least = 1e-12 * float(np.sum(d * j * j))
        raise ParameterError(
            f"The step could not be solved: damping {damping:g} is too small beside this Jacobian. "
            f"Use {least:.1g} or more."
        )
    return np.asarray(result)


def step_of(j: Floats, r: Floats, w: Floats, d: Floats, c: Floats, damping: float) -> tuple[Floats, int]:
    """The NumPy body: the new weights and the number of systems solved, or -1 and the weights as they were.

    A weight whose metric is 0 stays as it is.
    """
    rows, n = j.shape
    free = np.ones(n, dtype=bool)
    fewest, patience = n + 1, _PATIENCE
    for solved in range(1, 8 * n + 20):
        total = float(d[free].sum())
        if not total > 0.0:
            break
        lift = (1.0 - float((w + c)[free].sum())) / total
        mean = j[:, free] @ d[free]
        centred = j[:, free] - (mean / total)[:, None]
        right = r + j[:, free] @ c[free] - j[:, ~free] @ w[~free] + lift * mean
        try:
            lower = np.linalg.cholesky((centred * d[free]) @ centred.T + damping * np.eye(rows))
        except np.linalg.LinAlgError:
            break
        dual = np.linalg.solve(lower.T, np.linalg.solve(lower, right))
        slope = dual @ j - (lift + float(mean @ dual) / total)
        moved = w + c - d * slope
        slack = np.where(free, moved, -moved)
        violated = slack < -_TOLERANCE
        if not violated.any():
            result = np.where(free, np.maximum(moved, 0.0), 0.0)
            return result / result.sum(), solved
        if violated.sum() < fewest:
            fewest, patience = int(violated.sum()), _PATIENCE
        else:
            patience -= 1
        if patience >= 0:
            free ^= violated
        else:
            last = int(np.flatnonzero(violated)[-1])
            free[last] = not free[last]
    return w.copy(), -1
