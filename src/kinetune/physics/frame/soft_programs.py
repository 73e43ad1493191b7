"""Small quadratic programs whose limits may be broken at a price.

==================  ==========================================================================
SoftProgram         min x'Px/2 + q'x with fixed variables, wishes and soft limits
second_differences  rows that take accelerations, for any time steps
bands_of            the cost of such rows, as bands of a matrix
apply_transposed    their transpose, applied
==================  ==========================================================================

Rows are given as their non-zero columns and values, (rows, entries) each: programs of a few dozen frames are made and
solved many times a second, and a general sparse toolbox would take longer to build them than to solve them.

They are solved by an interior point method on bands, compiled, within 1e-6 of the least cost
(``test_soft_programs.py::test_a_general_solver_agrees``). Why it is our own: docs/decisions/0019-solver-of-the-plan.md.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

Indices = NDArray[np.intp]

TOLERANCE = 1e-9
"""Of the cost, per limit."""
MOST_STEPS = 60

_kernels = Kernels("kinetune.physics.frame.soft_program_kernels")


def second_differences(steps: Floats) -> Floats:
    """Rows (n - 1, 3) that take accelerations from n + 1 values with n time steps between them.

    They are those of explicit Euler: values follow velocities, and velocities follow accelerations, step by step.
    """
    before, after = 1.0 / steps[:-1], 1.0 / steps[1:]
    return np.asarray(np.stack([before, -before - after, after], axis=1) * before[:, None])


def bands_of(rows: Floats, weights: Floats, size: int) -> list[Floats]:
    """The upper bands of sum_t w_t r_t r_t', with the rows r_t (n, k) acting on variables t ... t + k - 1."""
    width = rows.shape[1]
    bands: list[Floats] = [np.zeros(size - k) for k in range(width)]
    for i in range(width):
        for j in range(i, width):
            bands[j - i][i : i + len(rows)] += weights * rows[:, i] * rows[:, j]
    return bands


def apply_transposed(rows: Floats, values: Floats, size: int) -> Floats:
    """The transpose of the rows, applied to values (n,): (size,)."""
    product = np.zeros(size)
    for i in range(rows.shape[1]):
        product[i : i + len(rows)] += rows[:, i] * values
    return product


class ProgramRows(NamedTuple):
    """Rows of one kind: columns and values (n, entries), bounds (n,), and the slack of each (n,), if they have any."""

    columns: Indices
    values: Floats
    bound: Floats
    groups: Indices | None
    equal: bool


class SoftProgram:
    """min x'Px/2 + q'x with fixed variables, and wishes and limits that may be broken at the cost of their squares.

    blocks : the bands of P for each block of variables, main diagonal first; blocks are of one size. q : (variables,).
    """

    def __init__(self, blocks: list[list[Floats]], q: Floats) -> None:
        self.blocks, self.q = blocks, q
        self.rows: list[ProgramRows] = []
        self.weights = np.zeros(0)

    def fix(self, columns: Indices, values: Floats, equal: Floats) -> None:
        """Rows of one entry each, x = equal."""
        self.rows.append(ProgramRows(columns, values, equal, None, True))

    def want(self, columns: Indices, values: Floats, equal: Floats, weight: float) -> slice:
        """Rows x = equal, as well as possible; where to find their slacks."""
        return self._soften(ProgramRows(columns, values, equal, np.arange(len(equal)), True), weight)

    def limit(self, columns: Indices, values: Floats, most: Floats, weight: float, groups: Indices) -> slice:
        """Rows x <= most, as well as possible; rows of one group share a slack, and the variables that they act on."""
        return self._soften(ProgramRows(columns, values, most, groups, False), weight)

    def _soften(self, rows: ProgramRows, weight: float) -> slice:
        assert rows.groups is not None
        first, count = len(self.weights), int(rows.groups.max(initial=-1)) + 1
        self.rows.append(rows._replace(groups=first + rows.groups))
        self.weights = np.append(self.weights, np.full(count, weight))
        return slice(first, first + count)

    def solve(self) -> tuple[Floats, Floats]:
        """x, and all slacks: how far wishes and limits are broken."""
        kernels = _kernels.load()
        # The kernel takes the variables of all blocks side by side.
        blocks, size = len(self.blocks), len(self.blocks[0][0])
        index = np.arange(blocks * size)
        order = (index % size) * blocks + index // size
        placed = [_rising(rows._replace(columns=order[rows.columns])) for rows in self.rows]
        spans = [int((rows.columns[:, -1] - rows.columns[:, 0]).max(initial=0)) for rows in placed]
        width = max([blocks * (len(bands) - 1) for bands in self.blocks] + spans)
        P, q = np.zeros((len(index), width + 1)), np.empty(len(index))
        q[order] = self.q
        for block, bands in enumerate(self.blocks):
            for k, band in enumerate(bands):
                P[block : block + len(band) * blocks : blocks, k * blocks] = band
        fixed = [rows for rows in placed if rows.groups is None]
        wishes = [rows for rows in placed if rows.groups is not None and rows.equal and len(rows.bound)]
        for rows in wishes:
            _add_wish(P, q, rows, self.weights[rows.groups])
        at = np.concatenate([np.zeros(0, dtype=np.intp), *(rows.columns[:, 0] for rows in fixed)])
        known = np.concatenate([np.zeros(0), *(rows.bound / rows.values[:, 0] for rows in fixed)])
        limits, groups = self._packed([rows for rows in placed if not rows.equal and len(rows.bound)], kernels)
        x, slack, _ = kernels.solve_program(P, q, at, known, limits, TOLERANCE, MOST_STEPS)
        slacks = np.zeros(len(self.weights))
        slacks[groups] = slack
        for rows in wishes:
            slacks[rows.groups] = np.sum(rows.values * x[rows.columns], axis=1) - rows.bound
        return x[order], slacks

    def _packed(self, families: list[ProgramRows], kernels: Any) -> tuple[Any, Indices]:
        """All limits in one table, rows of a group together, short ones padded; and the slack of each group."""
        wide = max([rows.columns.shape[1] for rows in families], default=1)
        total = sum(len(rows.bound) for rows in families)
        columns, values = np.empty((total, wide), dtype=np.intp), np.zeros((total, wide))
        bound, owner, count = np.empty(total), np.empty(total, dtype=np.intp), np.empty(total, dtype=np.intp)
        start = 0
        for rows in families:
            part, entries = slice(start, start + len(rows.bound)), rows.columns.shape[1]
            columns[part, :entries], values[part, :entries] = rows.columns, rows.values
            columns[part, entries:] = rows.columns[:, -1:]
            assert rows.groups is not None
            bound[part], owner[part], count[part] = rows.bound, rows.groups, entries
            start = part.stop
        order = np.argsort(owner, kind="stable")
        owner = owner[order]
        heads = np.flatnonzero(np.diff(owner, prepend=-1))
        first, groups = order[heads], owner[heads]
        firsts = np.append(heads, total)
        weights = self.weights[groups]
        return kernels.Limits(columns[first], values[order], bound[order], firsts, count[first], weights), groups


def _rising(rows: ProgramRows) -> ProgramRows:
    """Rows with their columns rising."""
    columns, values = rows.columns, rows.values
    if len(columns) == 0 or columns.shape[1] == 1:
        return rows
    order = np.argsort(columns[0])  # rows of a kind look alike, each a little further on
    if np.all(np.diff(columns[:, order], axis=1) > 0):
        return rows._replace(columns=columns[:, order], values=values[:, order])
    each = np.argsort(columns, axis=1)
    return rows._replace(
        columns=np.take_along_axis(columns, each, axis=1), values=np.take_along_axis(values, each, axis=1)
    )


def _add_wish(P: Floats, q: Floats, rows: ProgramRows, weights: Floats) -> None:
    """Add the cost of wishes to a band and its linear term: a slack that is free to be anything is no variable."""
    at, values = rows.columns, rows.values
    heavy = weights[:, None] * values
    np.subtract.at(q, at, heavy * rows.bound[:, None])
    for k in range(values.shape[1]):
        for m in range(k, values.shape[1]):
            np.add.at(P, (at[:, k], at[:, m] - at[:, k]), heavy[:, k] * values[:, m])
