"""Damped Gauss-Newton over the frames of a clip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinetune.rotations import Floats
from kinetune.trajectory.normal_equations import NormalEquations

Linearize = Callable[[Floats, NormalEquations], None]
"""Adds the residuals at x (frames, size) to empty normal equations."""

_GENTLER, _BOLDER, _MOST_DAMPING = 10.0, 0.3, 1e9


@dataclass(frozen=True, eq=False)
class TrajectorySolution:
    """Where the solver came to rest.

    Parameters
    ----------
    x : array, shape (frames, size)
        The unknowns.
    costs : tuple of float
        The sum of squares at the start and after each round; without that of the last where rounds are not compared.
    converged : bool
        Whether the last step was below the tolerance.
    """

    x: Floats
    costs: tuple[float, ...]
    converged: bool


def minimize(
    linearize: Linearize,
    start: Floats,
    *,
    reach: int,
    rounds: int = 20,
    tolerance: float = 1e-6,
    damping: ArrayLike = 0.0,
    largest_step: ArrayLike = np.inf,
    monotone: bool = True,
    on_round: Callable[[int], None] | None = None,
) -> TrajectorySolution:
    """Minimize a sum of squares over all frames at once.

    Parameters
    ----------
    linearize : callable
        Adds the residuals and their derivatives at x to the normal equations.
    start : array, shape (frames, size)
        Where to begin.
    reach : int
        How many frames after its own a residual looks at.
    rounds : int
        At most so many steps.
    tolerance : float
        A step whose largest entry is below it ends the search.
    damping : float or array, broadcast to (frames, size)
        Ties each step to where it begins.
    largest_step : float or array, broadcast to (frames, size)
        Larger entries of a step are cut.
    monotone : bool
        Take back steps that raise the cost, and damp the next. False for problems whose targets change from round to
        round, where costs of different rounds cannot be compared.
    on_round : callable, optional
        Called with the number of each finished round. An exception raised there ends the search.

    Returns
    -------
    TrajectorySolution
    """
    x = np.array(start, dtype=float)
    frames, size = x.shape
    equations = NormalEquations(frames, size, reach)
    linearize(x, equations)
    costs = [equations.cost]
    extra, scale = 0.0, float(np.mean(np.abs(np.diagonal(equations.h[:, 0], axis1=1, axis2=2))) or 1.0)
    converged, bounded = False, bool(np.any(np.isfinite(largest_step)))
    for number in range(rounds):
        step = equations.solve(np.asarray(damping) + extra * scale)
        if step is None:
            extra = max(extra * _GENTLER, 1e-8)
            if extra > _MOST_DAMPING:
                break
            continue
        if bounded:
            step = np.clip(step, -np.asarray(largest_step), np.asarray(largest_step))
        converged = float(np.abs(step).max(initial=0.0)) < tolerance
        tried = x + step
        if not monotone and (converged or number == rounds - 1):  # nothing asks for the cost of this round
            x = tried
            if on_round is not None:
                on_round(number)
            break
        equations.clear()
        linearize(tried, equations)
        if monotone and equations.cost > costs[-1] * (1.0 + 1e-12) and not converged:
            extra = max(extra * _GENTLER, 1e-8)
            equations.clear()
            linearize(x, equations)
            if extra > _MOST_DAMPING:
                break
            continue
        x, extra = tried, extra * _BOLDER if extra > 1e-8 else 0.0
        costs.append(equations.cost)
        if on_round is not None:
            on_round(number)
        if converged:
            break
    return TrajectorySolution(x, tuple(costs), converged)


def check_jacobian(linearize: Linearize, x: Floats, *, reach: int, step: float = 1e-6) -> float:
    """How far the gradient is from central differences of the cost, relative to its size; for tests of residuals."""
    frames, size = x.shape
    equations = NormalEquations(frames, size, reach)
    linearize(x, equations)
    gradient = 2.0 * equations.gradient
    numeric = np.zeros_like(gradient)
    for where in np.ndindex(*x.shape):
        costs = []
        for side in (-step, step):
            moved = np.array(x, dtype=float)
            moved[where] += side
            equations.clear()
            linearize(moved, equations)
            costs.append(equations.cost)
        numeric[where] = (costs[1] - costs[0]) / (2.0 * step)
    return float(np.abs(gradient - numeric).max() / max(float(np.abs(numeric).max()), 1e-12))
