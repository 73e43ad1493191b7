"""Laws of the solver over time."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from kinetune.trajectory.gauss_newton import check_jacobian, minimize
from kinetune.trajectory.one_sided import OneSided


def pendulum(targets, smooth=3.0):
    """Angles of two links (frames, 2) whose tip follows targets, with a bound on their acceleration."""

    def tips(x):
        a, b = x[:, 0], x[:, 0] + x[:, 1]
        return np.stack([np.sin(a) + np.sin(b), -np.cos(a) - np.cos(b)], axis=-1)

    def linearize(x, equations):
        a, b = x[:, 0], x[:, 0] + x[:, 1]
        by_b = np.stack([np.cos(b), np.sin(b)], axis=-1)
        by_a = np.stack([np.cos(a), np.sin(a)], axis=-1) + by_b
        equations.add(tips(x) - targets, np.stack([by_a, by_b], axis=-1))
        equations.add_differences(x, 2, smooth)

    def residuals(flat):
        x = flat.reshape(-1, 2)
        return np.concatenate([(tips(x) - targets).ravel(), np.sqrt(smooth) * np.diff(x, 2, axis=0).ravel()])

    return linearize, residuals


@pytest.fixture
def targets():
    t = np.linspace(0, 3, 25)
    return np.stack([0.8 * np.sin(2 * t), -1.2 + 0.3 * np.cos(3 * t)], axis=-1)


def test_it_ends_where_a_dense_solver_ends(targets):
    linearize, residuals = pendulum(targets)
    start = np.full((25, 2), 0.4)
    ours = minimize(linearize, start, reach=2, rounds=100, tolerance=1e-10)
    theirs = least_squares(residuals, start.ravel(), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    assert ours.converged
    assert ours.costs[-1] == pytest.approx(2 * theirs.cost, rel=1e-9)
    np.testing.assert_allclose(ours.x.ravel(), theirs.x, atol=1e-6)


def test_the_cost_never_rises(targets):
    linearize, _ = pendulum(targets)
    solution = minimize(linearize, np.full((25, 2), 2.0), reach=2, rounds=60)
    assert np.all(np.diff(solution.costs) <= 1e-9 * solution.costs[0])


def test_a_linear_problem_takes_one_step():
    rng = np.random.default_rng(1)
    wish = rng.normal(size=(40, 3))

    def linearize(x, equations):
        equations.add_differences(x - wish, 0, 1.0)
        equations.add_differences(x, 3, 50.0)

    first = minimize(linearize, np.zeros((40, 3)), reach=3, rounds=1)
    again = minimize(linearize, first.x, reach=3, rounds=1)
    np.testing.assert_allclose(again.x, first.x, atol=1e-10)


def test_derivatives_are_checked(targets):
    linearize, _ = pendulum(targets)
    x = np.random.default_rng(0).normal(size=(25, 2))
    assert check_jacobian(linearize, x, reach=2) < 1e-6

    def wrong(x, equations):
        linearize(x, equations)
        equations.gradient[3, 1] += 5.0

    assert check_jacobian(wrong, x, reach=2) > 1e-3


def test_the_result_is_the_same_bits_each_time(targets):
    linearize, _ = pendulum(targets)
    results = [minimize(linearize, np.full((25, 2), 0.4), reach=2).x for _ in range(2)]
    assert np.array_equal(*results)


def test_an_exception_in_a_round_ends_the_search(targets):
    linearize, _ = pendulum(targets)

    def stop(number):
        if number >= 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        minimize(linearize, np.full((25, 2), 0.4), reach=2, on_round=stop)


def test_a_limit_that_pushes_stays_until_it_is_clear():
    limit = OneSided((3,), margin=0.1)
    np.testing.assert_array_equal(limit.weigh(np.array([-1.0, 0.05, 0.5]), 7.0), [7, 0, 0])
    np.testing.assert_array_equal(limit.weigh(np.array([0.05, 0.05, -0.1]), 7.0), [7, 0, 7])
    np.testing.assert_array_equal(limit.weigh(np.array([0.2, 0.05, 0.05]), 7.0), [0, 0, 7])


def lift(margin):
    """A stiff curve kept above a floor: the curve, and which limits pushed in each round."""
    rng = np.random.default_rng(1)
    wish = 0.2 * np.cumsum(rng.normal(size=(60, 1)), axis=0)
    wish -= np.quantile(wish, 0.4)
    limit = OneSided((60, 1), margin=margin)
    pushed = []

    def linearize(x, equations):
        equations.add_differences(x - wish, 0, 1.0)
        equations.add_differences(x, 2, 2000.0)
        equations.add(x, np.ones((60, 1, 1)), weight=limit.weigh(x, 1e6))
        pushed.append(limit.active)

    return minimize(linearize, wish, reach=2, rounds=40, monotone=False).x, np.array(pushed)


def test_a_curve_is_kept_above_a_floor_without_chatter():
    curve, pushed = lift(margin=0.02)
    assert curve.min() > -1e-3
    assert len(pushed) <= 5
    assert np.array_equal(pushed[-1], pushed[-2])
    _, flickering = lift(margin=0.0)
    assert len(flickering) > 4 * len(pushed)
