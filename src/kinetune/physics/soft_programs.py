"""Small quadratic programs whose limits may be broken at a price, on clarabel.

==================  ==========================================================================
SoftProgram         min x'Px/2 + q'x with ties, wishes and soft limits
second_differences  rows that take accelerations, for any steps of time
bands_of            the cost of such rows, as bands of a matrix
spread_back         their transpose, applied
==================  ==========================================================================

Rows are given as their non-zero places and values, (rows, entries) each: programs of a few dozen frames are made and
solved many times a second, and a general sparse toolbox would take longer to build them than to solve them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune.rotations import Floats

Places = NDArray[np.intp]


def second_differences(steps: Floats) -> Floats:
    """Rows (n - 1, 3) that take accelerations from n + 1 values with n steps of time between them.

    They are those of explicit Euler: values follow velocities, and velocities follow accelerations, step by step.
    """
    before, after = 1.0 / steps[:-1], 1.0 / steps[1:]
    return np.stack([before, -before - after, after], axis=1) * before[:, None]


def bands_of(rows: Floats, weights: Floats, size: int) -> list[Floats]:
    """The upper bands of sum_t w_t r_t r_t', with the rows r_t (n, k) acting on variables t ... t + k - 1."""
    width = rows.shape[1]
    found: list[Floats] = [np.zeros(size - k) for k in range(width)]
    for i in range(width):
        for j in range(i, width):
            found[j - i][i : i + len(rows)] += weights * rows[:, i] * rows[:, j]
    return found


def spread_back(rows: Floats, values: Floats, size: int) -> Floats:
    """The transpose of the rows, applied to values (n,): (size,)."""
    found = np.zeros(size)
    for i in range(rows.shape[1]):
        found[i : i + len(rows)] += rows[:, i] * values
    return found


class SoftProgram:
    """min x'Px/2 + q'x with ties that hold, and wishes and limits that may be broken at the cost of their squares.

    blocks : the bands of P for each block of variables, main diagonal first. q : (variables,).
    """

    def __init__(self, blocks: list[list[Floats]], q: Floats) -> None:
        self.blocks, self.q = blocks, q
        self._rows: list[tuple[Places, Floats, Floats, Places | None, bool]] = []
        self._weights: list[Floats] = []
        self._slacks = 0

    def tie(self, places: Places, values: Floats, equal: Floats) -> None:
        """Rows x = equal."""
        self._rows.append((places, values, equal, None, True))

    def want(self, places: Places, values: Floats, equal: Floats, weight: float) -> slice:
        """Rows x = equal, as well as it can be; where their slacks are found."""
        return self._soften(places, values, equal, weight, np.arange(len(equal)), True)

    def limit(self, places: Places, values: Floats, most: Floats, weight: float, groups: Places) -> slice:
        """Rows x <= most, as well as it can be; rows of one group share a slack."""
        return self._soften(places, values, most, weight, groups, False)

    def _soften(
        self, places: Places, values: Floats, bound: Floats, weight: float, groups: Places, equal: bool
    ) -> slice:
        count = int(groups.max(initial=-1)) + 1
        self._rows.append((places, values, bound, self._slacks + groups, equal))
        self._weights.append(np.full(count, weight))
        own = slice(self._slacks, self._slacks + count)
        self._slacks += count
        return own

    def solve(self, tolerance: float = 1e-5) -> tuple[Floats, Floats]:
        """x, and all slacks: how far wishes and limits are broken."""
        import clarabel

        size, slacks = len(self.q), self._slacks
        ordered = sorted(self._rows, key=lambda row: not row[4])  # equations first
        at, where, what = [], [], []
        start = 0
        for places, values, _, groups, _ in ordered:
            rows = np.arange(start, start + len(places))
            start += len(places)
            at.append(np.repeat(rows, places.shape[1]))
            where.append(places.ravel())
            what.append(values.ravel())
            if groups is not None:
                # A slack below zero would tighten its limit at a price: nobody has to forbid it.
                at.append(rows)
                where.append(size + groups)
                what.append(np.full(len(rows), -1.0))
        A = _by_columns(np.concatenate(what), np.concatenate(at), np.concatenate(where), (start, size + slacks))
        bounds = np.concatenate([row[2] for row in ordered])
        ties = sum(len(row[2]) for row in ordered if row[4])
        cones = [clarabel.ZeroConeT(ties), clarabel.NonnegativeConeT(start - ties)]
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.presolve_enable = False
        settings.equilibrate_max_iter = 4
        settings.iterative_refinement_enable = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        q = np.append(self.q, np.zeros(slacks))
        x = np.array(clarabel.DefaultSolver(self._cost(), q, A, bounds, cones, settings).solve().x)
        return x[:size], x[size:]

    def _cost(self) -> Any:
        at, to, what = [], [], []
        start = 0
        blocks = [*self.blocks, [np.concatenate(self._weights)]] if self._weights else self.blocks
        for bands in blocks:
            for k, band in enumerate(bands):
                at.append(np.arange(start, start + len(band)))
                to.append(np.arange(start + k, start + k + len(band)))
                what.append(band)
            start += len(bands[0])
        return _by_columns(np.concatenate(what), np.concatenate(at), np.concatenate(to), (start, start))


def _by_columns(values: Floats, rows: Places, columns: Places, shape: tuple[int, int]) -> Any:
    """A sparse matrix from entries that name no place twice; SciPy's own way takes four times as long to ask."""
    from scipy.sparse import csc_matrix

    order = np.argsort(columns * shape[0] + rows)
    starts = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=shape[1]))])
    return csc_matrix((values[order], rows[order].astype(np.int32), starts.astype(np.int32)), shape=shape)
