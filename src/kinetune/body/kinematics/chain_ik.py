"""Inverse kinematics of chains of any length: the whole body leans into a reach.

Damped least squares, for all frames at once. Limbs of two bones have a closed solution in
:mod:`kinetune.body.kinematics.limb_ik`, which is quicker and exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from kinetune import rotations as rot
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

METRES_PER_RADIAN = 0.3
"""How an error of direction weighs against an error of position."""

_MOST_DAMPING = 1e6


def solve_chain(
    skeleton: Skeleton,
    root: Floats,
    rotations: Floats,
    joints: Sequence[int],
    end: int,
    goal: ArrayLike,
    *,
    goal_rotation: Floats | None = None,
    weights: ArrayLike | None = None,
    damping: float = 1e-3,
    iterations: int = 60,
    tolerance: float = 1e-5,
) -> tuple[Floats, Floats]:
    """Turn the joints of a chain so that its end meets a goal, changing the pose as little as it takes.

    Parameters
    ----------
    skeleton, root, rotations : the pose: (frames, 3) and (frames, joints, 4) wxyz.
    joints : the joints that may rotate, all on the path from the root to ``end``.
    end : the joint that should meet the goal.
    goal : (frames, 3) or (3,), where the end should be, in metres.
    goal_rotation : (frames, 4) or (4,), how the end should be turned in the world; None leaves it free.
    weights : one for each of ``joints``: how much of the work it takes (1 each by default, 0 keeps it still).
    damping : the least damping, relative to the chain's squared length. More is slower and steadier near full stretch.
    iterations : the most steps taken.
    tolerance : metres (and radians times :data:`METRES_PER_RADIAN`) at which a frame is done.

    Returns
    -------
    rotations : (frames, joints, 4) the new pose.
    miss : (frames,) metres between the end and its goal.

    Notes
    -----
    Wampler 1986; Nakamura and Hanafusa 1986. The step is ``W J^T (J W J^T + lambda I)^-1 error``; the damping lambda
    grows in a frame whose error does not fall and shrinks in one whose error does (Levenberg and Marquardt), so that
    goals out of reach end in the nearest stretch instead of thrashing.
    """
    way = skeleton.chain(end)
    chain = [int(j) for j in joints]
    if not chain or any(j not in way for j in chain):
        stray = next((skeleton.names[j] for j in chain if j not in way), "none at all")
        raise ParameterError(
            f'The joints that rotate must lie on the path from the root to "{skeleton.names[end]}"; got {stray}.'
        )
    share = np.ones(len(chain)) if weights is None else np.asarray(weights, dtype=float)
    if share.shape != (len(chain),) or np.any(share < 0) or not np.any(share > 0):
        raise ParameterError(f"weights must be {len(chain)} numbers, none negative and not all 0; got {weights!r}.")
    pose = np.array(rotations, dtype=float)
    goals = np.broadcast_to(np.asarray(goal, dtype=float), (len(pose), 3))
    turned = None if goal_rotation is None else np.broadcast_to(goal_rotation, (len(pose), 4))
    length = float(np.linalg.norm(skeleton.offsets[list(way[1:])], axis=-1).sum())
    least = damping * length**2
    lam = np.full(len(pose), least)

    error, arms, parents = _state(skeleton, root, pose, way, chain, goals, turned)
    size = np.linalg.norm(error, axis=-1)
    for _ in range(iterations):
        busy = np.flatnonzero((size > tolerance) & (lam < _MOST_DAMPING))
        if busy.size == 0:
            break
        turn = _step(error[busy], arms[busy], share, lam[busy])
        tried = pose[busy]
        for k, joint in enumerate(chain):
            local = rot.rotate(rot.inverse(parents[busy, k]), turn[:, k])
            tried[:, joint] = rot.multiply(rot.exp(local), tried[:, joint])
        state = _state(skeleton, root[busy], tried, way, chain, goals[busy], None if turned is None else turned[busy])
        better = np.linalg.norm(state[0], axis=-1) < size[busy]
        good = busy[better]
        pose[good], error[good], arms[good], parents[good] = tried[better], *(part[better] for part in state)
        size[good] = np.linalg.norm(error[good], axis=-1)
        lam[good] = np.maximum(lam[good] * 0.3, least * 1e-6)
        lam[busy[~better]] *= 8.0
    return rot.normalize(pose), np.linalg.norm(error[:, :3], axis=-1)


def _step(error: Floats, arms: Floats, share: Floats, lam: Floats) -> Floats:
    """World rotations (frames, joints, 3) of one damped step."""
    frames, rows = error.shape
    jacobian = np.zeros((frames, arms.shape[1], rows, 3))
    x, y, z = arms[..., 0], arms[..., 1], arms[..., 2]
    # The end moves by turn x arm, which is the matrix -[arm]x on the rotation.
    jacobian[..., 0, 1], jacobian[..., 0, 2] = z, -y
    jacobian[..., 1, 0], jacobian[..., 1, 2] = -z, x
    jacobian[..., 2, 0], jacobian[..., 2, 1] = y, -x
    if rows == 6:
        jacobian[..., 3:, :] = METRES_PER_RADIAN * np.eye(3)
    system = np.einsum("k,fkra,fksa->frs", share, jacobian, jacobian) + lam[:, None, None] * np.eye(rows)
    multiplier = np.linalg.solve(system, error[..., None])[..., 0]
    return np.asarray(np.einsum("k,fkra,fr->fka", share, jacobian, multiplier))


def _state(
    skeleton: Skeleton,
    root: Floats,
    rotations: Floats,
    way: tuple[int, ...],
    chain: list[int],
    goals: Floats,
    turned: Floats | None,
) -> tuple[Floats, Floats, Floats]:
    """The error (frames, 3 or 6), the arms from each joint to the end, and the world rotations of their parents."""
    position, world = root, rotations[:, way[0]]
    above = rot.identity(len(root))
    places, parents = {way[0]: position}, {way[0]: above}
    for joint in way[1:]:
        position = position + rot.rotate(world, skeleton.offsets[joint])
        places[joint], parents[joint] = position, world
        world = rot.multiply(world, rotations[:, joint])
    error = goals - position
    if turned is not None:
        error = np.concatenate([error, METRES_PER_RADIAN * rot.log(rot.multiply(turned, rot.inverse(world)))], axis=-1)
    arms = np.stack([position - places[joint] for joint in chain], axis=1)
    return error, arms, np.stack([parents[joint] for joint in chain], axis=1)
