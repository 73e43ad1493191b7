"""Constraints as the solver takes them: joints and frames resolved, chains packed, ready to be solved again.

=================  =========================================================================================
ConstraintLayout   everything about some constraints but their targets, made once and cached by the blend
EffectorChains     the joints from the root to each effector, all examples side by side
ConstraintRows     kind, effector, priority and scale of each constraint
SearchSettings     how long and how hard to search
=================  =========================================================================================

A drag or a batch solves the same problem thousands of times with other targets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetune.errors import ParameterError
from kinetune.inverse.blend.constraints import ANGLE, AXIS, HEADING, LOOK, WIDTH, Constraint
from kinetune.inverse.blend.example_set import ExampleSet
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

QUATERNION, EXPMAP = 0, 1
SOFT, HARD, RBF = 0, 1, 2
_WITH_AXIS = (AXIS, ANGLE, HEADING, LOOK)

solver_kernels = Kernels("kinetune.inverse.blend.weight_kernels")
"""The compiled search for blend weights."""


class Probe(NamedTuple):
    """A point on a joint in one frame."""

    joint: int
    offset: tuple[float, float, float]
    frame: int


class EffectorChains(NamedTuple):
    """The chains of p probes with n examples side by side; a link is a joint.

    form : QUATERNION or EXPMAP. rotations : (links, 4, n). references : (links, 4).
    offsets : (links, 3, n or 1) from each joint to the next one, or to the effector.
    bases : (p, 3, n) where each chain begins. starts : (p + 1,) the first link of each.
    """

    form: int
    rotations: Floats
    references: Floats
    offsets: Floats
    bases: Floats
    starts: NDArray[np.int64]


class ConstraintRows(NamedTuple):
    """kinds, near (the probe), other (the probe it is relative to, or -1), gains c and scales n, all (constraints,)."""

    kinds: NDArray[np.int64]
    near: NDArray[np.int64]
    other: NDArray[np.int64]
    gains: Floats
    scales: Floats


class SearchSettings(NamedTuple):
    """How to search.

    k, mode : how many of the nearest examples matter most, and SOFT, HARD or RBF.
    least : 0 to add squares, or the least norm by which squares are divided, to add norms.
    tolerance : a search ends below it. accept : other starts are tried above it. Both in metres or their equivalent.
    """

    k: int
    mode: int
    least: float
    tolerance: float = 1e-6
    accept: float = 1e-5
    iterations: int = 25
    restarts: int = 3


class PackedChains(NamedTuple):
    """Chains, and the positions (p, n, 3) and rotations (p, n, 4) of the effectors in each example."""

    chains: EffectorChains
    examples: tuple[Floats, Floats]


def pack_chains(examples: ExampleSet, probes: Sequence[Probe]) -> PackedChains:
    """The chains of some probes."""
    skeleton, n = examples.skeleton, len(examples)
    rotations, references, offsets, bases, starts = [], [], [], [], [0]
    for probe in probes:
        chain = list(skeleton.chain(probe.joint))
        here = examples.turns[:, probe.frame, chain]  # (n, links, 4)
        if examples.rotations == "expmap":
            here = np.concatenate([examples.vectors[:, probe.frame, chain], np.zeros((n, len(chain), 1))], axis=-1)
        rotations.append(np.moveaxis(here, 0, -1))
        references.append(examples.references[probe.frame, chain])
        if examples.moving:
            local = examples.translations[:, probe.frame]
        else:
            local = np.broadcast_to(skeleton.offsets, (n, len(skeleton), 3))
        tip = np.broadcast_to(np.array(probe.offset), (n, 1, 3))
        lead = np.moveaxis(np.concatenate([local[:, chain[1:]], tip], axis=1), 0, -1)
        offsets.append(lead if examples.moving else lead[..., :1])
        bases.append(examples.roots[:, probe.frame].T if chain[0] == 0 else local[:, chain[0]].T)
        starts.append(starts[-1] + len(chain))
    chains = EffectorChains(
        QUATERNION if examples.rotations == "quaternion" else EXPMAP,
        np.ascontiguousarray(np.concatenate(rotations)),
        np.ascontiguousarray(np.concatenate(references)),
        np.ascontiguousarray(np.concatenate(offsets)),
        np.ascontiguousarray(np.stack(bases)),
        np.array(starts, dtype=np.int64),
    )
    return PackedChains(chains, solver_kernels.load().example_effectors(tuple(chains)))


def _no_chains(n: int) -> PackedChains:
    """Chains without a probe, for custom constraints alone."""
    empty = np.empty
    chains = EffectorChains(
        QUATERNION, empty((0, 4, n)), empty((0, 4)), empty((0, 3, 1)), empty((0, 3, n)), np.zeros(1, dtype=np.int64)
    )
    return PackedChains(chains, (empty((0, n, 3)), empty((0, n, 4))))


@dataclass(frozen=True)
class ConstraintLayout:
    """Everything about some constraints but their targets.

    packed, rows : what the kernels read. probes : the points that rows are about.
    owners : (rows,) the constraint that each belongs to; one at three frames has three.
    axes : (rows, 3) axes in the joints' frames, NaN where there is none.
    firsts : (constraints,) the first row of each.
    limits : (constraints,) errors up to which each counts as met, in metres or radians; infinite without a priority.
    factors, units : (constraints,) from metres to "mm", from radians to "deg".
    """

    packed: PackedChains
    probes: tuple[Probe, ...]
    rows: ConstraintRows
    owners: NDArray[np.intp]
    axes: Floats
    with_axis: NDArray[np.intp]
    firsts: NDArray[np.intp]
    limits: Floats
    factors: Floats
    units: tuple[str, ...]

    @cached_property
    def plain_chains(self) -> tuple[Any, ...]:
        """The chains as a plain tuple, which numba takes from Python in half the time of a record."""
        return tuple(self.packed.chains)

    @cached_property
    def plain_rows(self) -> tuple[Any, ...]:
        """The rows as a plain tuple, likewise."""
        return tuple(self.rows)

    def aims(self, constraints: Sequence[Constraint]) -> Floats:
        """The targets, (problems, rows, 12)."""
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
        """Norms (problems, rows, and more) as (problems, constraints, and more): the worst of each one's
        frames."""
        rows = len(self.owners)
        if rows == len(self.firsts):
            return norms
        return np.concatenate([np.maximum.reduceat(norms[:, :rows], self.firsts, axis=1), norms[:, rows:]], axis=1)


def make_layout(
    examples: ExampleSet,
    constraints: Sequence[Constraint],
    pack: Callable[[tuple[Probe, ...]], PackedChains],
    near_mm: float,
    near_deg: float,
) -> ConstraintLayout:
    """The layout of some constraints, or an error that names the joint or frame that does not exist.

    pack : :func:`pack_chains`, whose results the caller may cache: it is the slow part, and its results stay the same
        when only a priority changes.
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
    return ConstraintLayout(
        pack(tuple(probes)) if probes else _no_chains(len(examples)),
        tuple(probes),
        ConstraintRows(
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
