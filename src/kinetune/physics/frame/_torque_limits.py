r"""One frame of the filter for a body that is only so strong.

A torque is :math:`\tau_j = H_j a + C_j - (J^T f)_j`. Joints that would exceed their limit are held at it, as rows in
which accelerations and contact forces appear together,

.. math:: H_j a - D_j f = \pm\tau_{max} - C_j,

and the frame is solved again until no further joint exceeds its own. Forces and accelerations are found at once: a
standing leg is weak or strong through the force on its foot, and taking turns between the two would never settle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinetune.rotations import Floats

SOFT = 1e-6
ROUNDS = 12
_SLACK = 1.001


class LimitedFrame(NamedTuple):
    """Accelerations (dof,), contact coefficients (columns,) and torques (dof,) with the root's residual in front."""

    accelerations: Floats
    coefficients: Floats
    torques: Floats


def solve_limited(
    keys: Floats,
    rows: int,
    H: Floats,
    C: Floats,
    desired: Floats,
    target: Floats,
    soft: Floats,
    pushes: Floats,
    limit: Floats,
    stay: float,
) -> LimitedFrame:
    """Solve a frame with torques within limits.

    Parameters
    ----------
    keys : (dof, at least rows) the reference rows, transposed. target, soft : as in ``frame_solve.solve_frame``.
    H, C : mass matrix and bias. desired : (dof,) wanted accelerations.
    pushes : (columns, dof) the generalized force of each unit contact coefficient.
    limit : (dof,) newton metres; infinite where there is none.
    """
    from scipy.optimize import nnls

    columns = len(pushes)
    held: dict[int, float] = {}
    a, f, torques = desired, np.zeros(columns), np.zeros(len(C))
    for _ in range(ROUNDS):
        joints = list(held)
        scale = np.diagonal(H)[joints]
        J = np.vstack([keys[:, :rows].T, H[joints] / scale[:, None]])
        wanted = np.concatenate([target[:rows], (np.array([held[j] for j in joints]) - C[joints]) / scale])
        D = np.vstack([np.zeros((rows, columns)), (pushes[:, joints] / scale).T])  # rows: J a - D f = wanted
        S0 = J @ J.T + np.diag(np.concatenate([soft[:rows], np.full(len(joints), SOFT)]))
        root = H[:6]
        cross = J @ root.T
        both = np.linalg.solve(S0, np.column_stack([wanted - J @ desired, cross, D]))
        x, X, XD = both[:, 0], both[:, 1:7], both[:, 7:]
        d = root @ desired + C[:6] + cross.T @ x
        S = root @ root.T - cross.T @ X
        B = pushes[:, :6].T - cross.T @ XD
        upper, lower = np.linalg.cholesky(S), np.linalg.cholesky(S0)
        if columns:
            A = np.vstack([np.linalg.solve(upper, B), np.linalg.solve(lower, D)])
            b = np.concatenate([np.linalg.solve(upper, d), -np.linalg.solve(lower, wanted - J @ desired)])
            ridge = np.sqrt(stay * float(np.sum(A * A)) / columns)
            f = nnls(np.vstack([A, ridge * np.eye(columns)]), np.append(b, np.zeros(columns)))[0]
        y = np.linalg.solve(S, B @ f - d)
        a = desired + J.T @ (x + XD @ f - X @ y) + root.T @ y
        torques = H @ a + C - pushes.T @ f
        over = np.flatnonzero(np.abs(torques[6:]) > limit[6:] * _SLACK) + 6
        fresh = [int(j) for j in over if int(j) not in held]
        if not fresh:
            break
        held.update({j: float(np.sign(torques[j]) * limit[j]) for j in fresh})
    return LimitedFrame(a, f, torques)
