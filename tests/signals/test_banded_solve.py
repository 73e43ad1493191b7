import subprocess
import sys

import numpy as np
import pytest
from scipy.linalg import solveh_banded

from kinetune.signals.banded_solve import solve_banded


def random_band(diagonals, count, seed=0):
    """A positive definite matrix of few diagonals: its diagonal outweighs the rest."""
    dice = np.random.default_rng(seed)
    band = dice.standard_normal((diagonals, count))
    band[0] = 2.0 * diagonals + dice.random(count)
    return band


@pytest.mark.parametrize("count", [1, 2, 3, 11, 31, 32, 33, 64, 65, 100, 599, 2048, 2049])
@pytest.mark.parametrize("diagonals", [1, 2, 3, 7, 15, 40])
@pytest.mark.parametrize("columns", [(), (2,)])
def test_the_solution_is_that_of_scipy(count, diagonals, columns):
    diagonals = min(diagonals, count)
    band = random_band(diagonals, count)
    right = np.random.default_rng(1).standard_normal((count, *columns))
    solution = solve_banded(band, right)
    assert solution.shape == right.shape
    np.testing.assert_allclose(solution, solveh_banded(band, right, lower=True), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("count", [30, 3000])
def test_numbers_beyond_the_end_of_the_diagonals_are_ignored(count):
    band = random_band(3, count)
    spoilt = band.copy()
    spoilt[1, -1:] = spoilt[2, -2:] = 1e9
    right = np.ones(count)
    assert np.array_equal(solve_banded(spoilt, right), solve_banded(band, right))


@pytest.mark.parametrize("count", [3, 300, 3000])
def test_a_matrix_that_is_not_positive_definite_is_refused(count):
    band = random_band(2, count)
    band[0, 1] = -1.0
    with pytest.raises(np.linalg.LinAlgError):
        solve_banded(band, np.ones(count))


def test_inputs_are_left_alone():
    band, right = random_band(3, 100), np.ones(100)
    before = band.copy(), right.copy()
    solve_banded(band, right)
    assert np.array_equal(band, before[0])
    assert np.array_equal(right, before[1])


@pytest.mark.slow
def test_a_short_system_does_not_import_scipy_and_gives_the_same_bits_after_it_is_imported():
    code = (
        "import sys, numpy as np\n"
        "from kinetune.signals.banded_solve import solve_banded\n"
        "band, right = np.array([[2.0, 2.0, 2.0], [0.5, 0.5, 0.0]]), np.ones(3)\n"
        "solution = solve_banded(band, right)\n"
        "assert 'scipy' not in sys.modules\n"
        "import scipy.linalg\n"
        "assert np.array_equal(solve_banded(band, right), solution)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
