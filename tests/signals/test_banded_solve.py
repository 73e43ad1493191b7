import subprocess
import sys

import numpy as np
import pytest
from scipy.linalg import solveh_banded

from kinetune.signals import banded_solve as banded
from kinetune.signals.banded_solve import solve_banded


def random_band(diagonals, count, seed=0):
    """A positive definite matrix of few diagonals: its diagonal outweighs the rest."""
    dice = np.random.default_rng(seed)
    band = dice.standard_normal((diagonals, count))
    band[0] = 2.0 * diagonals + dice.random(count)
    return band


@pytest.mark.parametrize("count", [1, 2, 3, 11, 12, 13, 24, 25, 36, 37, 100, 599])
@pytest.mark.parametrize("diagonals", [1, 2, 3, 7, 15])
@pytest.mark.parametrize("columns", [(), (2,)])
def test_the_solution_is_that_of_scipy(count, diagonals, columns):
    diagonals = min(diagonals, count)
    band = random_band(diagonals, count)
    right = np.random.default_rng(1).standard_normal((count, *columns))
    found = solve_banded(band, right)
    assert found.shape == right.shape
    np.testing.assert_allclose(found, solveh_banded(band, right, lower=True), rtol=1e-12, atol=1e-14)


def test_what_lies_outside_the_matrix_does_not_matter():
    band = random_band(3, 30)
    spoilt = band.copy()
    spoilt[1, -1:] = spoilt[2, -2:] = 1e9
    right = np.ones(30)
    assert np.array_equal(solve_banded(spoilt, right), solve_banded(band, right))


def test_a_matrix_that_is_not_positive_is_told():
    with pytest.raises(np.linalg.LinAlgError, match="leading part of order 2 is not"):
        solve_banded(np.array([[1.0, -1.0, 1.0], [0.1, 0.1, 0.0]]), np.ones(3))


def test_the_package_is_not_imported_and_may_be_later():
    code = (
        "import sys, numpy as np\n"
        "from kinetune.signals.banded_solve import solve_banded\n"
        "band, right = np.array([[2.0, 2.0, 2.0], [0.5, 0.5, 0.0]]), np.ones(3)\n"
        "found = solve_banded(band, right)\n"
        "assert 'scipy.linalg' not in sys.modules\n"
        "from scipy.linalg import solveh_banded\n"
        "assert np.allclose(solveh_banded(band, right, lower=True), found, rtol=1e-14)\n"
        "assert np.array_equal(solve_banded(band, right), found)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_where_the_file_is_not_found_the_package_is_imported(monkeypatch):
    band, right = random_band(3, 30), np.ones(30)
    expected = solve_banded(band, right)
    monkeypatch.setattr(banded.importlib.machinery, "EXTENSION_SUFFIXES", [".none"])
    assert banded._alone() is None
    banded._lapack.cache_clear()
    assert np.array_equal(solve_banded(band, right), expected)
    banded._lapack.cache_clear()
