"""Symmetric banded systems of equations, solved in time proportional to their size.

``scipy.linalg.solveh_banded`` solves the long ones. For short ones it is not worth its import, which takes longer than
planting the feet of a short clip: NumPy solves them in dense blocks along the diagonal. The length of a system alone
decides, so that a result never depends on what the process imported before (``docs/decisions``).
"""

from __future__ import annotations

import numpy as np

from kinetune.rotations import Floats

_LONG = 2048
_BLOCK = 32


def solve_banded(band: Floats, right: Floats) -> Floats:
    """Solve ``A x = right`` for a symmetric positive definite matrix A of few diagonals.

    Parameters
    ----------
    band : array, shape (diagonals, n)
        ``band[k, i]`` is the entry (i + k, i) of A; the last k numbers of row k are ignored.
    right : array, shape (n,) or (n, columns)
        The right-hand side.

    Notes
    -----
    Law: the solution is that of ``scipy.linalg.solveh_banded`` (``tests/signals/test_banded_solve.py``).
    """
    columns = right.reshape(len(right), -1)
    if band.shape[1] > _LONG:
        from scipy.linalg import solveh_banded

        solution: Floats = solveh_banded(band, columns, lower=True, check_finite=False)
    else:
        solution = _solve_in_blocks(band, columns, max(_BLOCK, 2 * len(band)))
    return np.asarray(solution).reshape(right.shape)


def _solve_in_blocks(band: Floats, right: Floats, size: int) -> Floats:
    """Block elimination: only the last ``width`` rows of a block are coupled to the first of the next."""
    width, n = len(band) - 1, band.shape[1]
    count = -(-n // size)
    blocks, couplings = _dense_blocks(band, count, size)
    rows = np.zeros((count, size, width + right.shape[1]))  # each block's coupling to the next, then the right side
    rows[:, size - width :, :width] = couplings.transpose(0, 2, 1)
    rows.reshape(count * size, -1)[:n, width:] = right
    for k in range(count):
        if k and width:
            coupled = couplings[k - 1] @ rows[k - 1, size - width :]
            blocks[k, :width, :width] -= coupled[:, :width]
            rows[k, :width, width:] -= coupled[:, width:]
        rows[k] = np.linalg.solve(blocks[k], rows[k])
    np.linalg.cholesky(blocks)  # raises LinAlgError unless every block is positive definite, and so the matrix
    solution = rows[:, :, width:]
    for k in range(count - 2, -1, -1):
        solution[k] -= rows[k, :, :width] @ solution[k + 1, :width]
    return solution.reshape(count * size, -1)[:n]


def _dense_blocks(band: Floats, count: int, size: int) -> tuple[Floats, Floats]:
    """The blocks along the diagonal, the last filled up with ones, and the corners (width, width) between them."""
    width, n = len(band) - 1, band.shape[1]
    blocks, couplings = np.zeros((count, size, size)), np.zeros((count, width, width))
    at = np.arange(size)
    for k in range(width + 1):
        entries = np.full((count, size), float(k == 0))
        entries.reshape(-1)[: n - k] = band[k, : n - k]
        inside, beyond = at[: size - k], at[:k]
        blocks[:, inside + k, inside] = blocks[:, inside, inside + k] = entries[:, : size - k]
        couplings[:, beyond, width - k + beyond] = entries[:, size - k :]
    return blocks, couplings
