"""Soft programs: our own solver on bands, and Clarabel, a general one, beside it."""

import numpy as np
import pytest
from scipy.sparse import block_diag, csc_matrix, diags_array

from kinetune.physics.frame.soft_programs import SoftProgram, bands_of

SIZE = 12


def made_up(seed, *, wishes=True, limits=True):
    """A program of two blocks with fixed variables, wishes, and limits that share slacks, all on three neighbours."""
    dice = np.random.default_rng(seed)
    blocks = []
    for _ in range(2):
        bands = bands_of(dice.normal(size=(SIZE - 2, 3)), np.full(SIZE - 2, 0.1), SIZE)
        bands[0] += 1.0
        blocks.append(bands)
    program = SoftProgram(blocks, dice.normal(size=2 * SIZE))
    program.fix(np.array([[0], [SIZE + 1]]), np.array([[1.0], [2.0]]), dice.normal(size=2))
    near = np.arange(SIZE - 2)[:, None] + np.arange(3)
    if wishes:
        program.want(near[::3] + SIZE, dice.normal(size=(4, 3)), dice.normal(size=4), 50.0)
    if limits:
        both = np.concatenate([near, near + SIZE], axis=1)
        group = np.repeat(np.arange(SIZE - 2), 3)
        program.limit(both[group], dice.normal(size=(len(group), 6)), dice.normal(size=len(group)), 1e3, group)
        steep = dice.normal(size=(2 * len(near), 3)) * 30.0
        program.limit(np.tile(near, (2, 1)), steep, np.full(len(steep), 0.1), 10.0, np.tile(np.arange(len(near)), 2))
    return program


def by_clarabel(program):
    """x and slacks, slacks as variables. One below zero would tighten its limit at a price: no bound is needed."""
    clarabel = pytest.importorskip("clarabel")
    size, slacks = len(program.q), len(program.weights)
    blocks = [diags_array(bands, offsets=range(len(bands))) for bands in program.blocks]
    cost = csc_matrix(block_diag([*blocks, diags_array(program.weights)]))
    ordered = sorted((rows for rows in program.rows if len(rows.bound)), key=lambda rows: not rows.equal)
    A, start = np.zeros((sum(len(rows.bound) for rows in ordered), size + slacks)), 0
    for rows in ordered:
        at = np.arange(start, start + len(rows.bound))
        A[at[:, None], rows.columns] = rows.values
        if rows.groups is not None:
            A[at, size + rows.groups] = -1.0
        start += len(at)
    equations = sum(len(rows.bound) for rows in ordered if rows.equal)
    cones = [clarabel.ZeroConeT(equations), clarabel.NonnegativeConeT(start - equations)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
    bounds = np.concatenate([rows.bound for rows in ordered])
    q = np.append(program.q, np.zeros(slacks))
    x = np.array(clarabel.DefaultSolver(cost, q, csc_matrix(A), bounds, cones, settings).solve().x)
    return x[:size], x[size:]


@pytest.mark.parametrize("seed", range(8))
def test_a_general_solver_agrees(seed):
    """Within 1e-5: both stop a little before the optimum."""
    program = made_up(seed, wishes=seed % 3 > 0, limits=seed % 4 > 0)
    for ours, theirs in zip(program.solve(), by_clarabel(program), strict=True):
        assert np.allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_no_step_to_the_side_is_cheaper(seed):
    program = made_up(seed)
    dense = np.zeros((2 * SIZE, 2 * SIZE))
    for block, bands in enumerate(program.blocks):
        for k, band in enumerate(bands):
            at = block * SIZE + np.arange(len(band))
            dense[at, at + k] = dense[at + k, at] = band

    def cost(x):
        slacks = np.zeros(len(program.weights))
        for rows in program.rows:
            if rows.groups is not None:
                over = np.sum(rows.values * x[rows.columns], axis=1) - rows.bound
                np.maximum.at(slacks, rows.groups, np.abs(over) if rows.equal else over)
        return 0.5 * x @ dense @ x + program.q @ x + 0.5 * program.weights @ slacks**2

    x, _ = program.solve()
    dice = np.random.default_rng(seed)
    for size in (1e-3, 1e-2, 0.1):
        for _ in range(50):
            step = size * dice.normal(size=2 * SIZE)
            step[[0, SIZE + 1]] = 0.0
            assert cost(x + step) > cost(x) - 1e-7


def test_fixed_variables_hold_and_slacks_say_what_is_broken():
    program = made_up(3)
    x, slacks = program.solve()
    fixed = program.rows[0]
    assert np.allclose(fixed.values[:, 0] * x[fixed.columns[:, 0]], fixed.bound, atol=1e-12)
    for rows in program.rows[2:]:
        over = np.sum(rows.values * x[rows.columns], axis=1) - rows.bound
        assert np.all(over <= slacks[rows.groups] + 1e-6)
        assert (over > 1e-3).any()
