r"""One frame of the filter for a body of limited strength.

A torque is :math:`\tau_j = H_j a + C_j - (J^T f)_j`. Joints that would exceed their limit are held at it, as rows in
which accelerations and contact forces appear together,

.. math:: H_j a - D_j f = \pm\tau_{max} - C_j,

and the frame is solved again until no further joint exceeds its own limit. Forces and accelerations are found at once:
a standing leg is weak or strong through the force on its foot, and alternating between the two would never converge.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetune.errors import KinetuneError
from kinetune.physics.equations_of_motion import Dynamics
from kinetune.physics.ground import nonnegative_sizes
from kinetune.rotations import Floats

_SOFT = 1e-6
_ROUNDS = 12
_SLACK = 1.001


def solve_limited(
    rows: Any, count: int, dynamics: Dynamics, desired: Floats, pushes: Floats, limit: Floats, stay: float
) -> tuple[Floats, Floats]:
    """Accelerations (dof,) and contact coefficients (columns,) of a frame with torques within limits.

    Parameters
    ----------
    rows : FrameRows
        Of which the first ``count`` are in use.
    desired : array, shape (dof,)
        Wanted accelerations.
    pushes : array, shape (columns, dof)
        The generalized force of each unit contact coefficient.
    limit : array, shape (dof,)
        Newton metres; infinite where there is no limit.
    """
    H, C, columns = dynamics.H, dynamics.C, len(pushes)
    keys, target, soft = rows.keys[:, :count].T, rows.target[:count], rows.soft[:count]
    held: dict[int, float] = {}
    a = desired
    f: Floats = np.zeros(columns)
    for _ in range(_ROUNDS):
        joints = list(held)
        scale = np.diagonal(H)[joints]
        J = np.vstack([keys, H[joints] / scale[:, None]])
        aims = np.concatenate([target, (np.array([held[j] for j in joints]) - C[joints]) / scale])
        D = np.vstack([np.zeros((count, columns)), (pushes[:, joints] / scale).T])  # rows: J a - D f = aims
        S0 = _definite(J @ J.T + np.diag(np.concatenate([soft, np.full(len(joints), _SOFT)])), float(np.sum(J * J)))
        root = H[:6]
        cross = J @ root.T
        both = np.linalg.solve(S0, np.column_stack([aims - J @ desired, cross, D]))
        x, X, XD = both[:, 0], both[:, 1:7], both[:, 7:]
        d = root @ desired + C[:6] + cross.T @ x
        S = _definite(root @ root.T - cross.T @ X, float(np.sum(root * root)))
        B = pushes[:, :6].T - cross.T @ XD
        upper, lower = np.linalg.cholesky(S), np.linalg.cholesky(S0)
        if columns:
            A = np.vstack([np.linalg.solve(upper, B), np.linalg.solve(lower, D)])
            b = np.concatenate([np.linalg.solve(upper, d), -np.linalg.solve(lower, aims - J @ desired)])
            ridge = np.sqrt(stay * float(np.sum(A * A)) / columns)
            f = nonnegative_sizes(np.vstack([A, ridge * np.eye(columns)]), np.append(b, np.zeros(columns)))
        y = np.linalg.solve(S, B @ f - d)
        a = desired + J.T @ (x + XD @ f - X @ y) + root.T @ y
        torques = H @ a + C - pushes.T @ f
        over = np.flatnonzero(np.abs(torques[6:]) > limit[6:] * _SLACK) + 6
        fresh = [int(j) for j in over if int(j) not in held]
        if not fresh:
            break
        held.update({j: float(np.sign(torques[j]) * limit[j]) for j in fresh})
    return a, f


def _definite(matrix: Floats, size: float) -> Floats:
    """A matrix that is positive definite but for rounding, made so by the least that is needed, relative to a size.

    Where nearly all joints are held at their limits, what is left for the root is the difference of numbers that agree
    in most digits.
    """
    if not np.isfinite(matrix).all():
        raise KinetuneError("The body flies apart: it cannot follow with so little torque. Raise the limit.")
    for share in (0.0, 1e-14, 1e-12, 1e-10, 1e-8):
        raised = matrix + share * size * np.eye(len(matrix)) if share else matrix
        try:
            np.linalg.cholesky(raised)
        except np.linalg.LinAlgError:
            continue
        return raised
    raise KinetuneError("The body cannot follow with so little torque. Raise the limit.")
