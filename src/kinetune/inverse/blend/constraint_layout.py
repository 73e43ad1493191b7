"""Constraints as the solver takes them: joints and frames resolved, chains packed, ready to be asked again.

A drag or a batch asks the same question thousands of times with other targets. All that does not depend on the target
is a :class:`Layout`, made once and kept by the blend.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetune.errors import ParameterError
from kinetune.inverse.blend.chain_poses import Chains, Probe
from kinetune.inverse.blend.constraints import ANGLE, AXIS, HEADING, LOOK, WIDTH, Constraint, Custom
from kinetune.inverse.blend.example_set import ExampleSet
from kinetune.inverse.blend.residuals import Measured, Plan
from kinetune.rotations import Floats

_WITH_AXIS = (AXIS, ANGLE, HEADING, LOOK)
_DIFFERENCE = 1e-6
_CUSTOM_SPREAD = 0.5


@dataclass(frozen=True)
class Layout:
    """Everything about some constraints but their targets.

    owners : (rows of the plan,) the constraint that each belongs to; one at three frames has three.
    axes : (rows of the plan, 3) axes in the joints' frames, NaN where there is none.
    firsts : (constraints,) the first row of each.
    limits : (constraints,) errors up to which each counts as met, in metres or radians; infinite without a priority.
    factors, units : (constraints,) from metres to "mm", from radians to "deg".
    """

    chains: Chains
    plan: Plan
    owners: NDArray[np.intp]
    axes: Floats
    with_axis: NDArray[np.intp]
    firsts: NDArray[np.intp]
    limits: Floats
    factors: Floats
    units: tuple[str, ...]

    def aims(self, constraints: Sequence[Constraint]) -> Floats:
        """The targets, (problems, rows of the plan, 12)."""
        if not constraints:
            return np.empty((1, 0, WIDTH))
        if len(constraints) == 1 and len(self.owners) == 1:
            aims = constraints[0].aims[:, None]
        else:
            problems = {len(c.aims) for c in constraints}
            count = max(problems)
            if problems - {1, count}:
                raise ParameterError(
                    f"The constraints of a batch have one target, or one for each problem; got {sorted(problems)}."
                )
            aims = np.empty((count, len(self.owners), WIDTH))
            for row, owner in enumerate(self.owners):
                aims[:, row] = constraints[owner].aims
        if len(self.with_axis):
            aims = aims.copy()
            aims[:, self.with_axis, :3] = self.axes[self.with_axis]
        return aims

    def by_constraint(self, norms: Floats) -> Floats:
        """Norms (problems, rows of the plan, and more) as (problems, constraints, and more): the worst of each one's
        frames."""
        rows = len(self.owners)
        if rows == len(self.firsts):
            return norms
        return np.concatenate([np.maximum.reduceat(norms[:, :rows], self.firsts, axis=1), norms[:, rows:]], axis=1)


def make_layout(
    examples: ExampleSet,
    constraints: Sequence[Constraint],
    packed: Callable[[tuple[Probe, ...]], Chains],
    near_mm: float,
    near_deg: float,
) -> Layout:
    """The layout of some constraints, or one sentence about the joint or frame that does not exist.

    packed : the chains of some probes (:func:`kinetune.inverse.blend.chain_poses.pack`), which their owner may keep:
        they are the slow part, and stay when only a priority changes.
    """
    probes: dict[Probe, int] = {}
    kinds, near, other, gains, scales, axes, firsts, priorities = [], [], [], [], [], [], [], []
    owners: list[int] = []
    for number, constraint in enumerate(constraints):
        _, joint, frames, gain, relative_to, offset, scale, *more = constraint.key
        effector = examples.effector(joint, offset)
        base = None if relative_to is None else examples.effector(relative_to, None)
        axis = examples.axis(effector.joint, more[0]) if constraint.kind in _WITH_AXIS else (np.nan,) * 3
        firsts.append(len(owners))
        priorities.append(gain)
        for frame in frames:
            at = examples.frame(int(frame))
            kinds.append(constraint.kind)
            near.append(probes.setdefault(Probe(effector.joint, effector.offset, at), len(probes)))
            other.append(-1 if base is None else probes.setdefault(Probe(base.joint, base.offset, at), len(probes)))
            gains.append(gain)
            scales.append(scale)
            owners.append(number)
            axes.append(axis)
    angular = np.array([c.angular for c in constraints], dtype=bool)
    return Layout(
        packed(tuple(probes)) if probes else _nothing(len(examples)),
        (
            np.array(kinds, dtype=np.int64),
            np.array(near, dtype=np.int64),
            np.array(other, dtype=np.int64),
            np.array(gains, dtype=float),
            np.array(scales, dtype=float),
        ),
        np.array(owners, dtype=np.intp),
        np.array(axes, dtype=float).reshape(-1, 3),
        np.flatnonzero(np.isin(kinds, _WITH_AXIS)),
        np.array(firsts, dtype=np.intp),
        np.where(np.array(priorities) > 0.0, np.where(angular, np.radians(near_deg), 1e-3 * near_mm), np.inf),
        np.where(angular, np.degrees(1.0), 1e3),
        tuple(c.unit for c in constraints),
    )


def _nothing(n: int) -> Chains:
    """Chains without a probe, for custom constraints alone."""
    empty = np.empty
    return (
        empty((0, 4, n)), empty((0, 4)), empty((0, 3, 1)), empty((0, 3, n)), np.zeros(1, dtype=np.int64),
        empty((0, n, 3)), empty((0, n, 4)),
    )  # fmt: skip


def measured(examples: ExampleSet, custom: Custom) -> tuple[Measured, float, float]:
    """A custom constraint as values and slopes by the weights, with its gain and scale."""

    def values(weights: Floats) -> Floats:
        found = np.atleast_1d(np.asarray(custom.function(examples.blend(weights)), dtype=float)).ravel()
        if not np.isfinite(found).all():
            raise ParameterError(f'The constraint "{custom.name}" returned a value that is not a finite number.')
        return found

    def slopes(weights: Floats) -> tuple[Floats, Floats]:
        here = values(weights)
        # From here a little way towards each example, which stays on the simplex.
        ahead = [values(weights + _DIFFERENCE * (example - weights)) for example in np.eye(len(examples))]
        return here, (np.stack(ahead, axis=1) - here[:, None]) / _DIFFERENCE

    scale = custom.scale
    if scale is None:
        own = np.stack([values(example) for example in np.eye(len(examples))])
        spread = float(np.sqrt(np.mean(np.sum((own - own.mean(axis=0)) ** 2, axis=1))))
        scale = _CUSTOM_SPREAD / spread if spread > 0.0 else 1.0
    return slopes, custom.priority, scale
