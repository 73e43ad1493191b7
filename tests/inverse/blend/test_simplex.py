import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from kinetune.inverse.blend import simplex_kernels


def simplex_step(j, r, w, d, c, damping):
    weights, solved = simplex_kernels.simplex_step(j, r, w, d, c, damping)
    assert solved > 0
    return weights


def problem(m, n, seed, pulled=True):
    rng = np.random.default_rng(seed)
    w = rng.dirichlet(np.full(n, 0.4))
    c = rng.normal(0, 0.1, n) if pulled else np.zeros(n)
    return rng.normal(size=(m, n)), rng.normal(size=m), w, rng.uniform(0.01, 1.0, n), c


def cost(x, j, r, w, d, c, damping):
    return 0.5 * np.sum((j @ (x - w) + r) ** 2) + 0.5 * damping * np.sum((x - w - c) ** 2 / d)


def by_interior_point(j, r, w, d, c, damping):
    """The same step from a general QP solver."""
    clarabel = pytest.importorskip("clarabel")
    from scipy import sparse

    n = len(w)
    hessian = j.T @ j + np.diag(damping / d)
    linear = j.T @ (r - j @ w) - damping * (w + c) / d
    settings_ = clarabel.DefaultSettings()
    settings_.verbose = False
    for name in ("tol_gap_abs", "tol_gap_rel", "tol_feas"):
        setattr(settings_, name, 1e-13)
    rows = sparse.csc_matrix(np.vstack([np.ones((1, n)), -np.eye(n)]))
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(n)]
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(hessian)), linear, rows, np.append(1.0, np.zeros(n)), cones, settings_
    )
    return np.array(solver.solve().x)


@pytest.mark.parametrize(("m", "n"), [(1, 2), (2, 5), (3, 16), (6, 35), (12, 16), (12, 60), (4, 3)])
@pytest.mark.parametrize("damping", [1e-3, 1.0])
def test_the_step_is_that_of_a_general_solver(m, n, damping):
    for seed in range(5):
        parts = problem(m, n, seed)
        ours, theirs = simplex_step(*parts, damping), by_interior_point(*parts, damping)
        assert ours.min() >= 0.0
        assert ours.sum() == pytest.approx(1.0, abs=1e-12)
        assert cost(ours, *parts, damping) <= cost(theirs, *parts, damping) + 1e-9
        assert np.abs(ours - theirs).max() < 1e-4


def test_the_step_is_that_of_slsqp():
    parts = problem(3, 8, 1)
    ours = simplex_step(*parts, 0.1)
    theirs = minimize(
        cost,
        np.full(8, 1 / 8),
        args=(*parts, 0.1),
        method="SLSQP",
        bounds=[(0, 1)] * 8,
        constraints=[LinearConstraint(np.ones((1, 8)), 1, 1)],
        options={"ftol": 1e-14, "maxiter": 500},
    ).x
    assert np.abs(ours - theirs).max() < 1e-5


@given(m=st.integers(1, 12), n=st.integers(1, 40), seed=st.integers(0, 10_000), power=st.integers(-8, 2))
@settings(deadline=None, max_examples=60)
def test_no_weight_can_be_moved_to_lower_the_cost(m, n, seed, power):
    """The first-order conditions: the slope is level over the weights in use and no lower over the others."""
    j, r, w, d, c = problem(m, n, seed)
    damping = 10.0**power
    x = simplex_step(j, r, w, d, c, damping)
    slope = j.T @ (j @ (x - w) + r) + damping * (x - w - c) / d
    level = slope @ x
    # The dual divides a residual that cannot be met by the damping, and rounding with it.
    rounding = max(1.0, np.abs(slope).max()) * (1e-9 + 1e-13 / damping)
    assert np.all(slope >= level - rounding)
    assert np.all(np.abs(slope - level)[x > 1e-6] < rounding)


def by_enumeration(j, r, w, d, c, damping):
    """The cheapest step over all choices of the weights above 0, each by its linear system."""
    n = len(w)
    hessian, linear = j.T @ j + np.diag(damping / d), j.T @ (r - j @ w) - damping * (w + c) / d
    steps = []
    for count in range(1, n + 1):
        for free in map(list, itertools.combinations(range(n), count)):
            system = np.block(
                [[hessian[np.ix_(free, free)], np.ones((count, 1))], [np.ones((1, count)), np.zeros((1, 1))]]
            )
            x = np.zeros(n)
            x[free] = np.linalg.solve(system, np.append(-linear[free], 1.0))[:-1]
            if x.min() >= -1e-12:
                steps.append(x)
    return min(steps, key=lambda x: cost(x, j, r, w, d, c, damping))


@pytest.mark.parametrize(("damping", "rounding"), [(1e-3, 1e-9), (1.0, 1e-12)])
def test_the_step_is_the_cheapest_of_all_choices(damping, rounding):
    for seed in range(5):
        parts = problem(3, 7, seed)
        assert np.abs(simplex_step(*parts, damping) - by_enumeration(*parts, damping)).max() < rounding


def test_a_met_residual_leaves_the_weights_alone():
    j, _, w, d, _ = problem(3, 9, 4)
    assert np.allclose(simplex_step(j, np.zeros(3), w, d, np.zeros(9), 1e-10), w, atol=1e-12)


def test_a_pull_leads_towards_an_anchor_where_nothing_else_counts():
    anchor = np.array([0.1, 0.2, 0.7])
    w = np.array([0.5, 0.5, 0.0])
    x = simplex_step(np.zeros((1, 3)), np.zeros(1), w, np.ones(3), anchor - w, 1.0)
    assert np.allclose(x, anchor, atol=1e-12)


def test_too_little_damping_leaves_the_weights_as_they_were():
    w = np.array([0.5, 0.5])
    weights, solved = simplex_kernels.simplex_step(np.ones((2, 2)), np.ones(2), w, np.ones(2), np.zeros(2), -1.0)
    assert solved == -1
    assert weights.tolist() == w.tolist()
