"""What the search for blend weights is measured against: scipy's SLSQP and a compiled Nelder-Mead.

Both minimize over the same residuals as ours, evaluated by the same compiled kernel, from the same first weights: the
paper's k nearest examples with weights exp(-e^2/sigma^2). SLSQP has analytic gradients and keeps the bounds and the
sum by itself; Nelder-Mead (Numerical Recipes' amoeba, the paper's likely choice) clamps and normalizes. Times count the
peer's own search, without choosing the examples.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.optimize import minimize

from kinetune.inverse.blend._residual_kernels import ResidualProblem, evaluate, evaluate_at, make_residuals
from kinetune.inverse.blend.chain_pose_kernels import make_effectors
from kinetune.inverse.blend.constraint_layout import ConstraintRows, EffectorChains

_SCALE = 100.0  # residuals in centimetres keep scipy's tolerances meaningful


class SlsqpSearch:
    """SLSQP over the weights of some chains."""

    def __init__(self, layout):  # type: ignore[no-untyped-def]
        self.chains, self.rows = layout.plain_chains, layout.plain_rows

    def __call__(self, aims, start):  # type: ignore[no-untyped-def]
        """The weights, and what is left in metres."""
        n = len(start)
        ones = np.ones(n)

        def cost(weights):  # type: ignore[no-untyped-def]
            total, residual, jacobian, _ = evaluate_at(weights, self.chains, self.rows, aims, 0.0)
            return 0.5 * _SCALE**2 * total, _SCALE**2 * (jacobian.T @ residual)

        found = minimize(
            cost,
            start,
            jac=True,
            method="SLSQP",
            bounds=[(0.0, 1.0)] * n,
            constraints=[{"type": "eq", "fun": lambda w: w.sum() - 1.0, "jac": lambda w: ones}],
            options={"ftol": 1e-14, "maxiter": 100},
        )
        weights = np.clip(found.x, 0.0, 1.0)
        weights /= weights.sum()
        return weights, np.sqrt(2.0 * cost(weights)[0]) / _SCALE


@njit
def _miss(x, w, problem, residuals, effectors, sums):  # type: ignore[no-untyped-def]
    total = 0.0
    for j in range(len(x)):
        w[j] = min(1.0, max(0.0, x[j]))
        total += w[j]
    for j in range(len(x)):
        w[j] = w[j] / total if total > 1e-12 else 1.0 / len(x)
    return np.sqrt(evaluate(w, problem, np.inf, residuals, effectors, sums))


@njit
def nelder_mead(chains, rows, aims, start, tolerance, most):  # type: ignore[no-untyped-def]
    """The amoeba with one restart from where it stopped: weights, and what is left in metres."""
    n = len(start)
    problem = ResidualProblem(EffectorChains(*chains), ConstraintRows(*rows), aims, 0.0)
    residuals, effectors = make_residuals(problem.chains, problem.rows), make_effectors(problem.chains)
    sums = np.empty(1)
    w, best = np.empty(n), start.copy()
    corners, values = np.empty((n + 1, n)), np.empty(n + 1)
    middle, tried, further = np.empty(n), np.empty(n), np.empty(n)
    asked = 0
    for _ in range(2):
        for i in range(n + 1):
            corners[i] = best
            if i > 0:
                corners[i, i - 1] += 0.2 if corners[i, i - 1] < 0.8 else -0.2
            values[i] = _miss(corners[i], w, problem, residuals, effectors, sums)
        asked += n + 1
        while asked < most:
            order = np.argsort(values)
            low, next_high, high = order[0], order[n - 1], order[n]
            if values[low] < tolerance or values[high] - values[low] < 1e-7 * (values[high] + values[low]) + 1e-12:
                break
            middle[:] = 0.0
            for i in range(n + 1):
                if i != high:
                    middle += corners[i] / n
            tried[:] = 2.0 * middle - corners[high]
            value = _miss(tried, w, problem, residuals, effectors, sums)
            asked += 1
            if value < values[low]:
                further[:] = 3.0 * middle - 2.0 * corners[high]
                more = _miss(further, w, problem, residuals, effectors, sums)
                asked += 1
                if more < value:
                    corners[high], values[high] = further, more
                else:
                    corners[high], values[high] = tried, value
            elif value < values[next_high]:
                corners[high], values[high] = tried, value
            else:
                if value < values[high]:
                    corners[high], values[high] = tried, value
                further[:] = 0.5 * (middle + corners[high])
                more = _miss(further, w, problem, residuals, effectors, sums)
                asked += 1
                if more < values[high]:
                    corners[high], values[high] = further, more
                else:
                    for i in range(n + 1):
                        if i != low:
                            corners[i] = 0.5 * (corners[i] + corners[low])
                            values[i] = _miss(corners[i], w, problem, residuals, effectors, sums)
                    asked += n
        best[:] = corners[np.argmin(values)]
        if values.min() < tolerance or asked >= most:
            break
    left = _miss(best, w, problem, residuals, effectors, sums)
    return w, left
