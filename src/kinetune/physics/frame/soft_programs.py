"""Small quadratic programs whose limits may be broken at a price.

==================  ==========================================================================
SoftProgram         min x'Px/2 + q'x with ties, wishes and soft limits
second_differences  rows that take accelerations, for any steps of time
bands_of            the cost of such rows, as bands of a matrix
spread_back         their transpose, applied
==================  ==========================================================================

Rows are given as their non-zero places and values, (rows, entries) each: programs of a few dozen frames are made and
solved many times a second, and a general sparse toolbox would take longer to build them than to solve them.

Two bodies solve them: an interior point method on bands of our own, compiled, and clarabel where compiling is switched
off. Both stop within 1e-9 of the least cost or so, and their answers agree to about 1e-5 (metres, in a plan): a flat
cost leaves that much open (``test_soft_programs.py::test_two_solvers_agree``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

Places = NDArray[np.intp]

TOLERANCE = 1e-9
"""Of the cost, per limit."""
MOST_STEPS = 60

_kernels = Kernels("kinetune.physics.frame.soft_program_kernels")


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


class _Rows(NamedTuple):
    """Rows of one kind: places and values (n, entries), bounds (n,), slacks (n,) if they have any, and their kind."""

    places: Places
    values: Floats
    bound: Floats
    groups: Places | None
    equal: bool


class _Limits(NamedTuple):
    """All limits as the kernel takes them, group by group; ``groups`` are the slacks that they belong to."""

    where: Places
    what: Floats
    bound: Floats
    firsts: Places
    counts: Places
    groups: Places


class SoftProgram:
    """min x'Px/2 + q'x with ties that hold, and wishes and limits that may be broken at the cost of their squares.

    blocks : the bands of P for each block of variables, main diagonal first; blocks are of one size. q : (variables,).
    """

    def __init__(self, blocks: list[list[Floats]], q: Floats) -> None:
        self.blocks, self.q = blocks, q
        self._rows: list[_Rows] = []
        self._weights: list[Floats] = []
        self._slacks = 0

    def tie(self, places: Places, values: Floats, equal: Floats) -> None:
        """Rows of one entry each, x = equal."""
        self._rows.append(_Rows(places, values, equal, None, True))

    def want(self, places: Places, values: Floats, equal: Floats, weight: float) -> slice:
        """Rows x = equal, as well as it can be; where their slacks are found."""
        return self._soften(places, values, equal, weight, np.arange(len(equal)), True)

    def limit(self, places: Places, values: Floats, most: Floats, weight: float, groups: Places) -> slice:
        """Rows x <= most, as well as it can be; rows of one group share a slack, and the variables that they act on."""
        return self._soften(places, values, most, weight, groups, False)

    def _soften(
        self, places: Places, values: Floats, bound: Floats, weight: float, groups: Places, equal: bool
    ) -> slice:
        count = int(groups.max(initial=-1)) + 1
        self._rows.append(_Rows(places, values, bound, self._slacks + groups, equal))
        self._weights.append(np.full(count, weight))
        own = slice(self._slacks, self._slacks + count)
        self._slacks += count
        return own

    def solve(self) -> tuple[Floats, Floats]:
        """x, and all slacks: how far wishes and limits are broken."""
        fast = _kernels.settled()
        return self._by_clarabel() if fast is None else self._on_bands(fast)

    def _on_bands(self, fast: Any) -> tuple[Floats, Floats]:
        """By the compiled kernel, variables of all blocks side by side."""
        blocks, size = len(self.blocks), len(self.blocks[0][0])
        index = np.arange(blocks * size)
        spots = (index % size) * blocks + index // size
        placed = [_in_order(spots[rows.places], rows.values) for rows in self._rows]
        spans = [int((where[:, -1] - where[:, 0]).max(initial=0)) for where, _ in placed]
        width = max([blocks * (len(bands) - 1) for bands in self.blocks] + spans)
        P, q = np.zeros((len(index), width + 1)), np.empty(len(index))
        q[spots] = self.q
        for block, bands in enumerate(self.blocks):
            for k, band in enumerate(bands):
                P[block : block + len(band) * blocks : blocks, k * blocks] = band
        weights = np.concatenate([*self._weights, np.zeros(0)])
        fixed, known, limits = [np.zeros(0, dtype=np.intp)], [np.zeros(0)], []
        for rows, (where, what) in zip(self._rows, placed, strict=True):
            if rows.groups is None:
                fixed.append(where[:, 0])
                known.append(rows.bound / what[:, 0])
            elif len(where) == 0:
                continue
            elif rows.equal:
                _wish(P, q, where, what, rows.bound, weights[rows.groups])
            else:
                limits.append((where, what, rows.bound, rows.groups))
        packed = _packed(limits)
        groups = packed.groups
        x, slack, _ = fast.solve_program(
            P,
            q,
            np.concatenate(fixed),
            np.concatenate(known),
            packed.where,
            packed.what,
            packed.bound,
            packed.firsts,
            packed.counts,
            weights[groups],
            TOLERANCE,
            MOST_STEPS,
        )
        slacks = np.zeros(self._slacks)
        slacks[groups] = slack
        for rows, (where, what) in zip(self._rows, placed, strict=True):
            if rows.equal and rows.groups is not None and len(where):
                slacks[rows.groups] = np.sum(what * x[where], axis=1) - rows.bound
        return x[spots], slacks

    def _by_clarabel(self) -> tuple[Floats, Floats]:
        import clarabel

        size, slacks = len(self.q), self._slacks
        ordered = sorted(self._rows, key=lambda rows: not rows.equal)  # equations first
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
        bounds = np.concatenate([rows.bound for rows in ordered])
        ties = sum(len(rows.bound) for rows in ordered if rows.equal)
        cones = [clarabel.ZeroConeT(ties), clarabel.NonnegativeConeT(start - ties)]
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.presolve_enable = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
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


def _in_order(places: Places, values: Floats) -> tuple[Places, Floats]:
    """Rows with their places rising."""
    if len(places) == 0 or places.shape[1] == 1:
        return places, values
    order = np.argsort(places[0])  # rows of a kind look alike, each a little further on
    where = places[:, order]
    if np.all(where[:, 1:] > where[:, :-1]):
        return where, values[:, order]
    each = np.argsort(places, axis=1)
    return np.take_along_axis(places, each, axis=1), np.take_along_axis(values, each, axis=1)


def _wish(P: Floats, q: Floats, where: Places, what: Floats, equal: Floats, weights: Floats) -> None:
    """Add the cost of wishes to a band and its linear term: a slack that is free to be anything is no variable."""
    heavy = weights[:, None] * what
    np.subtract.at(q, where, heavy * equal[:, None])
    for k in range(what.shape[1]):
        for m in range(k, what.shape[1]):
            np.add.at(P, (where[:, k], where[:, m] - where[:, k]), heavy[:, k] * what[:, m])


def _packed(families: list[tuple[Places, Floats, Floats, Places]]) -> _Limits:
    """Limits of all families in one table, rows of a group together, short ones filled up with nothing."""
    wide = max([where.shape[1] for where, *_ in families], default=1)
    whole = sum(len(where) for where, *_ in families)
    where, what = np.empty((whole, wide), dtype=np.intp), np.zeros((whole, wide))
    bound, owner, count = np.empty(whole), np.empty(whole, dtype=np.intp), np.empty(whole, dtype=np.intp)
    start = 0
    for places, values, most, groups in families:
        rows, entries = slice(start, start + len(places)), places.shape[1]
        where[rows, :entries], what[rows, :entries] = places, values
        where[rows, entries:] = places[:, -1:]
        bound[rows], owner[rows], count[rows] = most, groups, entries
        start = rows.stop
    order = np.argsort(owner, kind="stable")
    owner = owner[order]
    heads = np.flatnonzero(np.diff(owner, prepend=-1))
    first = order[heads]
    return _Limits(where[first], what[order], bound[order], np.append(heads, whole), count[first], owner[heads])
