"""Block-banded least squares against dense algebra: a second algorithm, written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinetune.errors import ParameterError
from kinetune.trajectory.normal_equations import DIFFERENCES, NormalEquations


def dense(frames, size, blocks):
    """Rows of a dense problem: blocks of (first, jacobians by span, residual, weight, columns)."""
    rows, right = [], []
    for first, jacobians, residual, weight, columns in blocks:
        for n in range(residual.shape[0]):
            for r in range(residual.shape[1]):
                row = np.zeros((frames, size))
                for span, jacobian in enumerate(jacobians):
                    row[first + n + span, columns] += jacobian[n, r]
                scale = np.sqrt(weight[n, r])
                rows.append(scale * row.ravel())
                right.append(scale * residual[n, r])
    return np.array(rows), np.array(right)


def random_blocks(rng, frames, size, reach):
    blocks = [(0, [rng.normal(size=(frames, size, size))], rng.normal(size=(frames, size)),
               np.ones((frames, size)), np.arange(size))]  # fmt: skip
    for span in range(min(reach, frames - 1) + 1):
        count, rows, width = frames - span, 2, max(size - 1, 1)
        columns = rng.permutation(size)[:width]
        jacobians = [rng.normal(size=(count, rows, width)) for _ in range(span + 1)]
        weight = rng.uniform(0, 2, (count, rows)) * (rng.uniform(size=(count, rows)) < 0.7)
        blocks.append((0, jacobians, rng.normal(size=(count, rows)), weight, columns))
    return blocks


@pytest.mark.slow
@given(st.integers(1, 9), st.integers(1, 6), st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_the_step_is_that_of_dense_least_squares(frames, size, reach, seed):
    rng = np.random.default_rng(seed)
    blocks = random_blocks(rng, frames, size, reach)
    equations = NormalEquations(frames, size, reach)
    for first, jacobians, residual, weight, columns in blocks:
        equations.add(residual, *jacobians, weight=weight, columns=columns, first=first)
    a, b = dense(frames, size, blocks)
    assert equations.cost == pytest.approx(b @ b)
    step = equations.solve(damping=0.1)
    expected = np.linalg.solve(a.T @ a + 0.1 * np.eye(frames * size), -a.T @ b).reshape(frames, size)
    np.testing.assert_allclose(step, expected, atol=1e-9 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_differences_are_those_of_numpy(order):
    rng = np.random.default_rng(order)
    values, weight = rng.normal(size=(12, 3)), rng.uniform(0.5, 2, (12, 3))
    equations = NormalEquations(12, 3, 3)
    equations.add_differences(values, order, weight)
    differences = np.diff(values, order, axis=0)
    assert equations.cost == pytest.approx(np.sum(weight[: len(differences)] * differences**2))
    equations.add_differences(values, 0, 1e-9)
    moved = values + equations.solve()
    assert np.abs(np.diff(moved, order, axis=0)).max() < 1e-6


def test_too_few_frames_have_no_differences():
    equations = NormalEquations(2, 1, 3)
    equations.add_differences(np.ones((2, 1)), 3, 1.0)
    assert equations.cost == 0


def test_a_problem_without_a_unique_minimum_has_no_step():
    equations = NormalEquations(4, 2, 1)
    equations.add(np.ones((4, 1)), np.ones((4, 1, 1)), columns=[0])
    assert equations.solve() is None
    assert equations.solve(damping=1e-6) is not None


def test_residuals_beyond_the_reach_are_refused():
    equations = NormalEquations(4, 1, 1)
    with pytest.raises(ParameterError, match="look 2 frames ahead, but there are 4 frames and the reach is 1"):
        equations.add(np.ones((2, 1)), *[np.ones((2, 1, 1))] * 3)


def test_memory_grows_with_the_frames_and_not_with_their_square():
    small, large = (NormalEquations(frames, 9, 3).h.nbytes for frames in (100, 1000))
    assert large == 10 * small


def test_the_stencils_are_binomial():
    for order, stencil in DIFFERENCES.items():
        np.testing.assert_array_equal(np.diff(np.eye(order + 1), order, axis=0)[0], stencil)
