"""The search for blend weights where some constraints are functions of the clip, which only Python can call.

Everything but those functions is compiled: the other constraints' residuals, the kernel and the steps. The search
itself is that of :mod:`kinetune.inverse.blend.weight_kernels`, which documents it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinetune.errors import ParameterError
from kinetune.inverse.blend.constraint_layout import RBF, ConstraintLayout, SearchSettings, solver_kernels
from kinetune.inverse.blend.constraints import Custom
from kinetune.inverse.blend.example_set import ExampleSet
from kinetune.rotations import Floats

_DIFFERENCE = 1e-6
_SPREAD = 0.5  # metres that the spread of a custom constraint over the examples counts as


class MeasuredConstraint:
    """A custom constraint as values and slopes by the weights, with its gain and scale."""

    def __init__(self, examples: ExampleSet, custom: Custom) -> None:
        self._examples, self._custom = examples, custom
        self.gain = custom.priority
        self.scale = 1.0 if custom.scale is None else custom.scale
        if custom.scale is None:
            values = np.stack([self.values(example) for example in np.eye(len(examples))])
            spread = float(np.sqrt(np.mean(np.sum((values - values.mean(axis=0)) ** 2, axis=1))))
            self.scale = _SPREAD / spread if spread > 0.0 else 1.0

    def values(self, weights: Floats) -> Floats:
        """What the function returns for a blend, (rows,)."""
        returned = self._custom.function(self._examples.blend(weights))
        values = np.atleast_1d(np.asarray(returned, dtype=float)).ravel()
        if not np.isfinite(values).all():
            raise ParameterError(f'The constraint "{self._custom.name}" returned a value that is not a finite number.')
        return values

    def slopes(self, weights: Floats, here: Floats) -> Floats:
        """Their derivatives (rows, n), by differences towards each example, which stay on the simplex."""
        ahead = [self.values(weights + _DIFFERENCE * (example - weights)) for example in np.eye(len(weights))]
        return np.asarray((np.stack(ahead, axis=1) - here[:, None]) / _DIFFERENCE)


class _Evaluation(NamedTuple):
    """The cost of some weights, scaled residuals (rows,) and slopes (rows, n), and errors (constraints,)."""

    cost: float
    residual: Floats
    jacobian: Floats
    errors: Floats


class SearchAnswer(NamedTuple):
    """weights (n,), errors (constraints,) in metres or radians, what is left of the whole, and iterations."""

    weights: Floats
    errors: Floats
    left: float
    iterations: int


class CustomSearch:
    """One problem with custom constraints, which come after the others of the layout.

    aims : (rows of the layout, 12).
    """

    def __init__(
        self, layout: ConstraintLayout, aims: Floats, measured: Sequence[MeasuredConstraint], settings: SearchSettings
    ) -> None:
        self._arrays = layout.plain_chains, layout.plain_rows, aims, settings.least
        self._measured, self._settings = measured, settings
        self._kernels = solver_kernels.load()

    def _evaluate(self, weights: Floats) -> _Evaluation:
        cost, *blocks = self._kernels.evaluate_at(weights, *self._arrays)
        residuals, jacobians, errors = ([block] for block in blocks)
        least = self._settings.least
        for constraint in self._measured:
            values = constraint.values(weights)
            norm = float(np.linalg.norm(values))
            if least > 0.0:
                factor = float(np.sqrt(constraint.gain * constraint.scale / max(norm, least)))
                cost += constraint.gain * constraint.scale * norm
            else:
                factor = float(np.sqrt(constraint.gain) * constraint.scale)
                cost += (factor * norm) ** 2
            residuals.append(factor * values)
            jacobians.append(factor * constraint.slopes(weights, values))
            errors.append(np.array([norm]))
        return _Evaluation(cost, np.concatenate(residuals), np.concatenate(jacobians), np.concatenate(errors))

    def solve(self, n: int, warm: Floats, seed: int) -> SearchAnswer:
        """The weights of n examples; see :func:`kinetune.inverse.blend.weight_kernels.solve`."""
        settings = self._settings
        distances = np.array([self._evaluate(example).cost for example in np.eye(n)])
        if settings.least == 0.0:
            distances = np.sqrt(distances)
        anchor, metric = np.empty(n), np.empty(n)
        self._kernels.kernel_weights(distances, settings.k, settings.mode, anchor, metric)
        even = np.where(metric > 0.0, 1.0, 0.0)
        limit = settings.accept if settings.least > 0.0 else settings.accept**2
        dragged = len(warm) == n
        best: tuple[Floats, float, Floats] = anchor, np.inf, np.empty(0)
        taken = 0
        for number in range(settings.restarts + 1):
            if number == 0 or (dragged and number == 1):
                start, start_metric = (warm if dragged and number == 0 else anchor), metric
            else:
                start, start_metric = np.empty(n), even
                self._kernels.restart_weights(number - 1 - int(dragged), seed, even, int(np.argmin(distances)), start)
            weights, cost, errors, more = self._search(start, anchor, start_metric)
            taken += more
            if cost < (0.998 * best[1] if dragged else best[1]):
                best = weights, cost, errors
            if best[1] <= limit or settings.mode == RBF:
                break
        return SearchAnswer(best[0], best[2], best[1] if settings.least > 0.0 else float(np.sqrt(best[1])), taken)

    def _search(self, start: Floats, anchor: Floats, metric: Floats) -> tuple[Floats, float, Floats, int]:
        """Levenberg-Marquardt on the simplex: weights, cost, errors, iterations."""
        kernels, settings = self._kernels, self._settings
        goal = settings.tolerance if settings.least > 0.0 else settings.tolerance**2
        most = 0 if settings.mode == RBF else settings.iterations
        weights, here = start, self._evaluate(start)
        extra, taken = 0.0, 0
        while here.cost > goal and taken < most and extra <= kernels.MOST_DAMPING:
            taken += 1
            size = max(float(np.sum(metric * here.jacobian**2)) / len(here.residual), 1e-300)
            damping = kernels.ANCHOR + kernels.RIDGE + extra
            pull = (kernels.ANCHOR / damping if taken <= kernels.PULLS else 0.0) * (anchor - weights)
            tried, solved = kernels.simplex_step(here.jacobian, here.residual, weights, metric, pull, damping * size)
            if solved < 0:
                extra = max(extra * 10.0, 1e-6)
                continue
            far = float(np.abs(tried - weights).max())
            if far < 1e-10:
                break
            there = self._evaluate(tried)
            promised = float(np.sum((here.residual + here.jacobian @ (tried - weights)) ** 2))
            needed = 0.0 if settings.least > 0.0 else 1e-4 * max(0.0, here.cost - promised)
            if there.cost < here.cost - needed or there.cost < goal:
                gained = here.cost - there.cost
                weights, here = tried, there
                extra = extra * 0.1 if extra > 1e-8 else 0.0
                if gained < 1e-7 * here.cost and far < 1e-3:
                    break
            else:
                extra = max(extra * 8.0, 1e-4)
        return weights, here.cost, here.errors, taken
