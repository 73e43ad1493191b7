"""Compiled: joints turned so that those below come near positions. The formula is in :mod:`.toward_positions`."""

from __future__ import annotations

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER
from kinetune.kernels.unit_quaternions import exp, inverse, multiply, rotate


@njit(**INNER, error_model="numpy")
def _solve(matrix, right):  # type: ignore[no-untyped-def]
    """x of a symmetric system of three: matrix (xx, yy, zz, yz, xz, xy) x = right, by Cramer's rule."""
    a, b, c, d, e, f = matrix
    xx, xy, xz = b * c - d * d, d * e - f * c, f * d - b * e
    yy, yz, zz = a * c - e * e, e * f - a * d, a * b - f * f
    u, v, w = right
    over = 1.0 / (a * xx + f * xy + e * xz)
    return (
        over * (xx * u + xy * v + xz * w),
        over * (xy * u + yy * v + yz * w),
        over * (xz * u + yz * v + zz * w),
    )


@njit(cache=True, nogil=True, error_model="numpy")
def turn_toward(places, turns, aims, pulls, tree, hinges, stiffness, local):  # type: ignore[no-untyped-def]
    """Turn joints from the root down, and write the rotations of those that turn into ``local``.

    places, turns : (frames, joints, 3) and (frames, joints, 4) world positions and rotations.
    aims : (frames, joints, 3) where joints are to come; one without a holder is put there.
    pulls : (joints,) whether a joint pulls at its holder.
    tree : (parents, holders, free), (joints,) each: the joint above, the nearest one above that is free to turn, and
        whether the joint is; -1 where there is none above.
    hinges : (joints, 3) the only axis about which a joint turns, as the one above sees it; 0 where it is free.
    stiffness : square metres: a joint makes half of the turn that a bone as long as its root asks for.
    local : (frames, joints, 4) local rotations.
    """
    parents, holders, free = tree
    frames, joints, _ = places.shape
    moved, by = np.empty((joints, 3)), np.empty((joints, 4))
    for t in range(frames):
        here = places[t]
        for j in range(joints):
            h = holders[j]
            if h < 0:
                moved[j] = aims[t, j]
                by[j, 0], by[j, 1], by[j, 2], by[j, 3] = 1.0, 0.0, 0.0, 0.0
            else:
                bone = rotate(by[h], (here[j, 0] - here[h, 0], here[j, 1] - here[h, 1], here[j, 2] - here[h, 2]))
                for k in range(3):
                    moved[j, k] = moved[h, k] + bone[k]
                by[j] = by[h]
            if not free[j]:
                continue
            a, b, c, d, e, f = stiffness, stiffness, stiffness, 0.0, 0.0, 0.0
            u, v, w = 0.0, 0.0, 0.0
            for i in range(j + 1, joints):
                if holders[i] != j or not pulls[i]:
                    continue
                x, y, z = rotate(by[j], (here[i, 0] - here[j, 0], here[i, 1] - here[j, 1], here[i, 2] - here[j, 2]))
                p, q, r = aims[t, i, 0] - moved[j, 0], aims[t, i, 1] - moved[j, 1], aims[t, i, 2] - moved[j, 2]
                a, b, c = a + y * y + z * z, b + x * x + z * z, c + x * x + y * y
                d, e, f = d - y * z, e - x * z, f - x * y
                u, v, w = u + y * r - z * q, v + z * p - x * r, w + x * q - y * p
            above = parents[j]
            frame = (1.0, 0.0, 0.0, 0.0)
            if above >= 0:
                frame = multiply(by[above], turns[t, above])
            x, y, z = rotate(frame, hinges[j])
            if x != 0.0 or y != 0.0 or z != 0.0:
                along = x * (a * x + f * y + e * z) + y * (f * x + b * y + d * z) + z * (e * x + d * y + c * z)
                angle = (x * u + y * v + z * w) / along
                least = (angle * x, angle * y, angle * z)
            else:
                least = _solve((a, b, c, d, e, f), (u, v, w))
            turn = multiply(exp(least), by[j])
            world = multiply(inverse(frame), multiply(turn, turns[t, j]))
            for k in range(4):
                by[j, k], local[t, j, k] = turn[k], world[k]


def warm_up() -> None:
    """Compile or load it for arrays of float64."""
    places, turns = np.zeros((1, 2, 3)), np.zeros((1, 2, 4))
    turns[..., 0] = 1.0
    tree = np.array([-1, 0]), np.array([-1, 0]), np.array([True, False])
    turn_toward(places, turns, places.copy(), np.ones(2, dtype=bool), tree, np.zeros((2, 3)), 1.0, turns.copy())
