"""One frame of the filter: both bodies of the arithmetic, and a general solver beside them."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from kinetune.physics.frame import frame_solve
from kinetune.physics.frame.frame_solve import ORDERS, SOLVERS, solve_frame

STAY = 1e-6


def problem(seed=0, rows=9, columns=24, dof=30):
    dice = np.random.default_rng(seed)
    keys = dice.normal(size=(dof, rows + 6))
    loose = dice.uniform(0.5, 2.0, dof)
    soft = dice.uniform(0.001, 1.0, rows)
    B = dice.normal(size=(6, columns))
    B[1] = np.abs(B[1])
    return keys, rows, 100.0 * dice.normal(size=6), dice.normal(size=dof), dice.normal(size=rows), soft, loose, B


def solve(case, solver="nnls", order="exact"):
    return solve_frame(*case, STAY, SOLVERS[solver], ORDERS[order], 5000)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_left_on_the_root(solver, seed):
    case = problem(seed)
    a, f, _ = solve(case, solver)
    keys, rows, C6, *_, B = case
    assert np.allclose(keys[:, rows:].T @ a + C6, B @ f, atol=1e-9)


@pytest.mark.parametrize("solver", ["nnls", "greedy"])
def test_the_ground_never_pulls(solver):
    assert all(solve(problem(seed), solver).coefficients.min() >= 0.0 for seed in range(6))


@pytest.mark.parametrize("seed", range(4))
def test_a_general_solver_finds_no_better_answer(seed):
    keys, rows, C6, desired, target, soft, loose, B = case = problem(seed)
    a, f, _ = solve(case)
    W = 1.0 / loose
    J, H = keys[:, :rows].T, keys[:, rows:].T
    # Unknown: f. The accelerations of given forces minimize the cost under H a = B f - C.
    P = np.diag(W) + J.T @ np.diag(1.0 / soft) @ J
    q = W * desired + J.T @ (target / soft)
    inverse = np.linalg.inv(P)
    S = H @ inverse @ H.T

    def cost(forces):
        found = inverse @ (q + H.T @ np.linalg.solve(S, B @ forces - C6 - H @ inverse @ q))
        own = np.sum(W * (found - desired) ** 2) + np.sum((J @ found - target) ** 2 / soft)
        return own, found

    ours, again = cost(f)
    assert np.allclose(again, a, atol=1e-8)
    root = np.linalg.cholesky(np.linalg.inv(S)).T
    best = lsq_linear(root @ B, root @ (C6 + H @ inverse @ q), bounds=(0.0, np.inf), method="bvls").x
    assert ours <= cost(best)[0] * (1.0 + 1e-4) + 1e-6


def test_the_printed_order_meets_the_references_and_loads_the_root():
    case = problem(2)
    a, f, _ = solve(case, order="printed")
    keys, rows, C6, _, target, *_, B = case
    assert np.allclose(keys[:, :rows].T @ a, target, atol=1e-5)
    assert np.abs(keys[:, rows:].T @ a + C6 - B @ f).max() > 1.0


def test_in_flight_there_are_no_forces():
    case = (*problem(1)[:-1], np.zeros((6, 0)))
    a, f, _ = solve(case)
    keys, rows, C6, *_ = case
    assert len(f) == 0
    assert np.allclose(keys[:, rows:].T @ a + C6, 0.0, atol=1e-9)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("solver", ["nnls", "least_squares"])
def test_compiled_and_numpy_agree(solver, order):
    """To 1e-9 and not to the bit: active sets are found by different routes."""
    kernels = frame_solve._kernels.load()
    for seed in range(5):
        case = problem(seed)
        plain = solve(case, solver, order)
        for guess in (np.zeros(24, bool), np.ones(24, bool), np.arange(24) % 3 == 0, plain[1] > 0.0):
            fast = kernels.solve_frame(*case, STAY, SOLVERS[solver], ORDERS[order], 5000, guess)
            assert np.allclose(plain[0], fast[0], atol=1e-9)
            assert np.allclose(plain[1], fast[1], atol=1e-6)
