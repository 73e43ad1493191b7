r"""One frame of the dynamic filter: the accelerations nearest to the wanted ones that the contacts can bring about.

===========  ==========================================================================
solve_frame  accelerations and contact coefficients of one frame
foot_rows    the rows of held points
compiled     the compiled kernels that do the same
===========  ==========================================================================

[pollard] section 4 computes forces from the desired accelerations (Eq. 6, 7), corrects the accelerations so that
nothing acts on the root (Eq. 8, 9), and then corrects them again to hold the reference points (Eq. 14, 15).

*Errata.* The second correction undoes the first: up to 2,900 N act on the root of a kick in the printed order. The
exact answer costs the same. Minimize

.. math:: |a - a_{des}|^2_W + \sum_i w_i (J_i a - r_i)^2 \quad\text{such that}\quad H_r a + C_r = B f,\; f \ge 0.

With :math:`P = W + J^T w J`, its optimum without contacts :math:`a_u`, :math:`S = H_r P^{-1} H_r^T = L L^T` and
:math:`d = H_r a_u + C_r` the forces solve the small problem :math:`f = \mathrm{NNLS}(L^{-1} B, L^{-1} d)`, and
:math:`a = a_u + P^{-1} H_r^T S^{-1} (B f - d)`.
:math:`P^{-1}` is never formed: products of the rows of :math:`J` and :math:`H_r` are all that is needed.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from kinetune.kernels.loader import Kernels, mode
from kinetune.rotations import Floats

Solver = Literal["nnls", "greedy", "least_squares"]
Order = Literal["exact", "printed"]

SOLVERS: dict[str, int] = {"nnls": 0, "greedy": 1, "least_squares": 2}
ORDERS: dict[str, int] = {"exact": 0, "printed": 1}
STAY = 1e-6
"""How much each coefficient is held back, against the mean of the normal equations: it settles what many points of one
foot leave open."""
MOST_STEPS = {"nnls": 300, "greedy": 5000, "least_squares": 1}

_rows = Kernels("kinetune.physics.frame.tracking_kernels")
_kernels = Kernels("kinetune.physics.frame.frame_kernels")


class Solved(NamedTuple):
    """Accelerations (dof,), coefficients of the contact basis (columns,), and the steps that the solver took."""

    accelerations: Floats
    coefficients: Floats
    steps: int


def compiled() -> tuple[Any, Any] | None:
    """The compiled kernels of rows and of solving, or None where the environment forbids them.

    A filter takes thousands of frames, so that it waits for its kernels rather than change bodies on the way.
    """
    return None if mode() == "never" else (_rows.load(), _kernels.load())


def foot_rows(
    jacobians: Floats, biases: Floats, v: Floats, pulls: Floats, damps: Floats, KT: Floats, target: Floats
) -> None:
    """Fill in the rows of held points ([pollard] Eq. 11 to 14).

    Parameters
    ----------
    jacobians : (points, 3, dof). biases : (points, 3) their accelerations at zero ``qacc``.
    v : (dof,) velocities. pulls : (points, 3) wanted accelerations but for the damping of their own speed.
    damps : (points,) 1/s. KT : (dof, columns), whose first columns are filled; target : likewise.
    """
    count = 3 * len(jacobians)
    rows = jacobians.reshape(count, -1)
    KT[:, :count] = rows.T
    target[:count] = pulls.ravel() - np.repeat(damps, 3) * (rows @ v) - biases.ravel()


def solve_frame(
    KT: Floats,
    rows: int,
    C6: Floats,
    desired: Floats,
    target: Floats,
    soft: Floats,
    loose: Floats,
    B: Floats,
    stay: float,
    solver: int,
    order: int,
    most: int,
) -> Solved:
    """Solve one frame.

    Parameters
    ----------
    KT : (dof, rows + 6) rows of the references and, last, of the root in the mass matrix, transposed.
    C6 : (6,) bias forces at the root.
    desired : (dof,) wanted accelerations. target : (rows,) those of the references, their bias taken off.
    soft : (rows,) one over the weight of each reference. loose : (dof,) one over the weight of each acceleration.
    B : (6, columns) root force of each contact coefficient; none in flight.
    stay, solver, order, most : see ``STAY``, ``SOLVERS``, ``ORDERS`` and ``MOST_STEPS``.

    Notes
    -----
    Laws (``tests/physics/frame/test_frame_solve.py``): in the exact order nothing is left on the root; coefficients of
    "nnls" and "greedy" are not negative; a general solver finds no better answer.
    """
    count = rows + 6
    keys = KT[:, :count]
    gram = (keys * loose[:, None]).T @ keys
    now = keys.T @ desired
    held = gram[:rows, :rows]
    cross, S = gram[:rows, rows:], gram[rows:, rows:]
    misses = target[:rows] - now[:rows]
    d = now[rows:] + C6
    push = np.zeros(count)
    if order == ORDERS["exact"]:
        if rows:
            both = np.linalg.solve(held + np.diag(soft[:rows]), np.column_stack([misses, cross]))
            d = d + cross.T @ both[:, 0]
            S = S - cross.T @ both[:, 1:]
        f, steps = _forces(S, B, d, stay, solver, most)
        push[rows:] = np.linalg.solve(S, B @ f - d)
        if rows:
            push[:rows] = both[:, 0] - both[:, 1:] @ push[rows:]
    else:
        f, steps = _forces(S, B, d, stay, solver, most)
        push[rows:] = np.linalg.solve(S, B @ f - d)
        if rows:
            trace = float(np.trace(held))
            left = misses - cross @ push[rows:]
            push[:rows] = np.linalg.solve(held + np.eye(rows) * (1e-10 * trace / rows), left)
    return Solved(desired + loose * (keys @ push), f, steps)


def _forces(S: Floats, B: Floats, d: Floats, stay: float, solver: int, most: int) -> tuple[Floats, int]:
    columns = B.shape[1]
    if columns == 0:
        return np.zeros(0), 0
    metric = np.linalg.solve(np.linalg.cholesky(S), np.column_stack([B, d]))
    A, b = metric[:, :columns], metric[:, columns]
    held = np.sqrt(stay * float(np.sum(A * A)) / columns)
    if solver == SOLVERS["greedy"]:
        return _greedy(A.T @ A + held * held * np.eye(columns), A.T @ b, most)
    whole = np.vstack([A, held * np.eye(columns)])
    wanted = np.concatenate([b, np.zeros(columns)])
    if solver == SOLVERS["nnls"]:
        from scipy.optimize import nnls

        return np.asarray(nnls(whole, wanted)[0]), 1
    return np.asarray(np.linalg.lstsq(whole, wanted, rcond=None)[0]), 1


def _greedy(G: Floats, h: Floats, most: int) -> tuple[Floats, int]:
    """[pollard] 4.2.3: change the coefficient that moves most directly toward the solution, never below zero."""
    x, slope = np.zeros(len(h)), h.copy()
    diagonal = np.diagonal(G)
    enough = 1e-12 * float(np.sum(h * h / diagonal))
    for step in range(most):
        change = np.maximum(slope / diagonal, -x)
        gain = 2.0 * change * slope - change * change * diagonal
        which = int(np.argmax(gain))
        if gain[which] <= enough:
            return x, step
        x[which] += change[which]
        slope -= G[which] * change[which]
    return x, most
