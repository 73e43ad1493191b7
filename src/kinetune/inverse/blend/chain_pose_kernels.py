r"""Blended chains: where an effector is for given weights, and how it moves with each of them (compiled).

Only the joints from the root to the effector matter, in one frame. For the weights w, with the parents' world rotations
:math:`R_l` and positions :math:`p_l`,

* as quaternions, :math:`q_l = \sum_j w_j q_{jl} / |\sum|`; a small weight of example j rotates the joint by
  :math:`\omega_{jl} = R_l (2 / |\sum|)\,\mathrm{vec}(q_{jl} \bar q_l)`,
* as exponential maps about a reference, :math:`q_l = r_l \exp(\sum_j w_j v_{jl})` and
  :math:`\omega_{jl} = R_l r_l J_\mathrm{left} v_{jl}`,

and the effector p moves by :math:`\partial p / \partial w_j = b_j + \sum_l \omega_{jl} \times (p - p_l)` and rotates
by :math:`\sum_l \omega_{jl}`. Along weights that sum to 1 these are exact derivatives
(``tests/inverse/blend/test_residuals.py::test_slopes_are_those_of_differences``).

Examples lie on the last axis, so that derivatives are taken of four at once in vector registers; numba's own vectorizer
takes two and a half times as long. Records are unpacked at the top of a kernel, and views are made once: numba counts
references at each access and for each view, with atomic instructions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from kinetune.inverse.blend.constraint_layout import QUATERNION, EffectorChains
from kinetune.kernels.loader import INNER
from kinetune.kernels.simd import load, spread, store
from kinetune.rotations import Floats


class Effectors(NamedTuple):
    """The blended effectors, one row for each probe and a spare one for a probe seen from another joint.

    positions (p + 1, 3), rotations (p + 1, 4) wxyz; position_slopes, rotation_slopes (p + 1, 3, n): derivatives by each
    weight, the latter as angular velocities. links (all links, 20): where each link is and then its arm to the effector
    (3), its map from examples to rotations (12), and its rotation (4). poses: positions and rotations as those of one
    example, (p + 1, 1, 3) and (p + 1, 1, 4).
    """

    positions: Floats
    rotations: Floats
    position_slopes: Floats
    rotation_slopes: Floats
    links: Floats
    poses: tuple[Floats, Floats]


@njit(**INNER, error_model="numpy")
def make_effectors(chains):  # type: ignore[no-untyped-def]
    """Room for the effectors of some chains."""
    links, n, probes = chains.rotations.shape[0], chains.rotations.shape[2], chains.bases.shape[0]
    positions, rotations = np.empty((probes + 1, 3)), np.empty((probes + 1, 4))
    poses = positions.reshape(probes + 1, 1, 3), rotations.reshape(probes + 1, 1, 4)
    slopes = np.empty((probes + 1, 3, n)), np.empty((probes + 1, 3, n))
    return Effectors(positions, rotations, slopes[0], slopes[1], np.empty((links, 20)), poses)


@njit(**INNER, error_model="numpy")
def _exponential(x, y, z):  # type: ignore[no-untyped-def]
    """cos(t/2), sin(t/2)/t, (1 - cos t)/t^2 and (t - sin t)/t^3 for the rotation vector (x, y, z) of length t."""
    square = x * x + y * y + z * z
    if square < 1e-6:
        return 1.0 - square / 8.0, 0.5 - square / 48.0, 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    t = math.sqrt(square)
    return math.cos(0.5 * t), math.sin(0.5 * t) / t, (1.0 - math.cos(t)) / square, (t - math.sin(t)) / (square * t)


@njit(**INNER, error_model="numpy")
def rotate_by(w, a, b, c, x, y, z):  # type: ignore[no-untyped-def]
    """The vector (x, y, z) rotated by the quaternion (w, a, b, c)."""
    tx, ty, tz = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    return x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx


@njit(**INNER, error_model="numpy", forceinline=True)
def _add_rotations(chains, probe, effectors):  # type: ignore[no-untyped-def]
    """Derivatives of position and rotation by each weight, four examples at once, and the last few one by one."""
    turns, bases, links = chains.rotations, chains.bases, effectors.links
    moves, spins = effectors.position_slopes, effectors.rotation_slopes
    first, last = chains.starts[probe], chains.starts[probe + 1]
    n = turns.shape[2]
    row = 3 * n * probe
    for j in range(0, n - n % 4, 4):
        p, q, r = load(bases, row + j), load(bases, row + n + j), load(bases, row + 2 * n + j)
        e = p - p
        f, g = e, e
        for link in range(first, last):
            at, k = 4 * n * link + j, 20 * link
            a, b = load(turns, at), load(turns, at + n)
            c, d = load(turns, at + 2 * n), load(turns, at + 3 * n)
            u = spread(links, k + 3) * a + spread(links, k + 4) * b
            u = u + spread(links, k + 5) * c + spread(links, k + 6) * d
            v = spread(links, k + 7) * a + spread(links, k + 8) * b
            v = v + spread(links, k + 9) * c + spread(links, k + 10) * d
            w = spread(links, k + 11) * a + spread(links, k + 12) * b
            w = w + spread(links, k + 13) * c + spread(links, k + 14) * d
            x, y, z = spread(links, k), spread(links, k + 1), spread(links, k + 2)
            p, q, r = p + (v * z - w * y), q + (w * x - u * z), r + (u * y - v * x)
            e, f, g = e + u, f + v, g + w
        store(moves, row + j, p)
        store(moves, row + n + j, q)
        store(moves, row + 2 * n + j, r)
        store(spins, row + j, e)
        store(spins, row + n + j, f)
        store(spins, row + 2 * n + j, g)
    for j in range(n - n % 4, n):
        px, py, pz = bases[probe, 0, j], bases[probe, 1, j], bases[probe, 2, j]
        ex = ey = ez = 0.0
        for link in range(first, last):
            a, b, c, d = turns[link, 0, j], turns[link, 1, j], turns[link, 2, j], turns[link, 3, j]
            u = links[link, 3] * a + links[link, 4] * b + links[link, 5] * c + links[link, 6] * d
            v = links[link, 7] * a + links[link, 8] * b + links[link, 9] * c + links[link, 10] * d
            w = links[link, 11] * a + links[link, 12] * b + links[link, 13] * c + links[link, 14] * d
            px, py = px + (v * links[link, 2] - w * links[link, 1]), py + (w * links[link, 0] - u * links[link, 2])
            pz = pz + (u * links[link, 1] - v * links[link, 0])
            ex, ey, ez = ex + u, ey + v, ez + w
        moves[probe, 0, j], moves[probe, 1, j], moves[probe, 2, j] = px, py, pz
        spins[probe, 0, j], spins[probe, 1, j], spins[probe, 2, j] = ex, ey, ez


@njit(**INNER, error_model="numpy", forceinline=True)
def blend_effector(weights, chains, probe, effectors):  # type: ignore[no-untyped-def]
    """Blend one chain: the position and rotation of its effector, and its links for :func:`slope_effector`.

    Rows go as whole arrays with a number: numba counts the references of every view, which takes as long as the
    arithmetic on a short chain.
    """
    turns, references, steps, bases = chains.rotations, chains.references, chains.offsets, chains.bases
    place, turn, links = effectors.positions, effectors.rotations, effectors.links
    form, first, last = chains.form, chains.starts[probe], chains.starts[probe + 1]
    n = weights.shape[0]
    moving = steps.shape[2] > 1
    px = py = pz = 0.0
    for j in range(n):
        px += weights[j] * bases[probe, 0, j]
        py += weights[j] * bases[probe, 1, j]
        pz += weights[j] * bases[probe, 2, j]
    gw, gx, gy, gz = 1.0, 0.0, 0.0, 0.0
    for link in range(first, last):
        a = b = c = d = 0.0
        for j in range(n):
            a += weights[j] * turns[link, 0, j]
            b += weights[j] * turns[link, 1, j]
            c += weights[j] * turns[link, 2, j]
            d += weights[j] * turns[link, 3, j]
        links[link, 0], links[link, 1], links[link, 2] = px, py, pz
        # The parent's matrix, to bring local rotations into the world.
        m00, m01, m02 = 1.0 - 2.0 * (gy * gy + gz * gz), 2.0 * (gx * gy - gw * gz), 2.0 * (gx * gz + gw * gy)
        m10, m11, m12 = 2.0 * (gx * gy + gw * gz), 1.0 - 2.0 * (gx * gx + gz * gz), 2.0 * (gy * gz - gw * gx)
        m20, m21, m22 = 2.0 * (gx * gz - gw * gy), 2.0 * (gy * gz + gw * gx), 1.0 - 2.0 * (gx * gx + gy * gy)
        if form == QUATERNION:
            length = math.sqrt(a * a + b * b + c * c + d * d)
            over = 1.0 / max(length, 1e-12)
            w, x, y, z = a * over, b * over, c * over, d * over
            # 2 / |sum| times the vector part of q_j conj(q), a matrix on q_j.
            f = 2.0 * over
            r00, r01, r02, r03 = -f * x, f * w, -f * z, f * y
            r10, r11, r12, r13 = -f * y, f * z, f * w, -f * x
            r20, r21, r22, r23 = -f * z, -f * y, f * x, f * w
        else:
            rw, rx, ry, rz = references[link, 0], references[link, 1], references[link, 2], references[link, 3]
            cosine, sine, second, third = _exponential(a, b, c)
            ew, ex, ey, ez = cosine, sine * a, sine * b, sine * c
            w = rw * ew - rx * ex - ry * ey - rz * ez
            x = rw * ex + rx * ew + ry * ez - rz * ey
            y = rw * ey - rx * ez + ry * ew + rz * ex
            z = rw * ez + rx * ey - ry * ex + rz * ew
            # The reference's matrix times the left Jacobian 1 + second K + third K^2.
            k00, k01, k02 = (
                1.0 - third * (b * b + c * c),
                third * a * b - second * c,
                third * a * c + second * b,
            )
            k10, k11, k12 = (
                third * a * b + second * c,
                1.0 - third * (a * a + c * c),
                third * b * c - second * a,
            )
            k20, k21, k22 = (
                third * a * c - second * b,
                third * b * c + second * a,
                1.0 - third * (a * a + b * b),
            )
            s00, s01, s02 = 1.0 - 2.0 * (ry * ry + rz * rz), 2.0 * (rx * ry - rw * rz), 2.0 * (rx * rz + rw * ry)
            s10, s11, s12 = 2.0 * (rx * ry + rw * rz), 1.0 - 2.0 * (rx * rx + rz * rz), 2.0 * (ry * rz - rw * rx)
            s20, s21, s22 = 2.0 * (rx * rz - rw * ry), 2.0 * (ry * rz + rw * rx), 1.0 - 2.0 * (rx * rx + ry * ry)
            r00, r01, r02 = (
                s00 * k00 + s01 * k10 + s02 * k20,
                s00 * k01 + s01 * k11 + s02 * k21,
                s00 * k02 + s01 * k12 + s02 * k22,
            )
            r10, r11, r12 = (
                s10 * k00 + s11 * k10 + s12 * k20,
                s10 * k01 + s11 * k11 + s12 * k21,
                s10 * k02 + s11 * k12 + s12 * k22,
            )
            r20, r21, r22 = (
                s20 * k00 + s21 * k10 + s22 * k20,
                s20 * k01 + s21 * k11 + s22 * k21,
                s20 * k02 + s21 * k12 + s22 * k22,
            )
            r03 = r13 = r23 = 0.0
        links[link, 3] = m00 * r00 + m01 * r10 + m02 * r20
        links[link, 4] = m00 * r01 + m01 * r11 + m02 * r21
        links[link, 5] = m00 * r02 + m01 * r12 + m02 * r22
        links[link, 6] = m00 * r03 + m01 * r13 + m02 * r23
        links[link, 7] = m10 * r00 + m11 * r10 + m12 * r20
        links[link, 8] = m10 * r01 + m11 * r11 + m12 * r21
        links[link, 9] = m10 * r02 + m11 * r12 + m12 * r22
        links[link, 10] = m10 * r03 + m11 * r13 + m12 * r23
        links[link, 11] = m20 * r00 + m21 * r10 + m22 * r20
        links[link, 12] = m20 * r01 + m21 * r11 + m22 * r21
        links[link, 13] = m20 * r02 + m21 * r12 + m22 * r22
        links[link, 14] = m20 * r03 + m21 * r13 + m22 * r23
        gw, gx, gy, gz = (
            gw * w - gx * x - gy * y - gz * z,
            gw * x + gx * w + gy * z - gz * y,
            gw * y - gx * z + gy * w + gz * x,
            gw * z + gx * y - gy * x + gz * w,
        )
        if moving:
            ox = oy = oz = 0.0
            for j in range(n):
                ox += weights[j] * steps[link, 0, j]
                oy += weights[j] * steps[link, 1, j]
                oz += weights[j] * steps[link, 2, j]
            links[link, 15], links[link, 16], links[link, 17], links[link, 18] = gw, gx, gy, gz
        else:
            ox, oy, oz = steps[link, 0, 0], steps[link, 1, 0], steps[link, 2, 0]
        tx, ty, tz = 2.0 * (gy * oz - gz * oy), 2.0 * (gz * ox - gx * oz), 2.0 * (gx * oy - gy * ox)
        px += ox + gw * tx + gy * tz - gz * ty
        py += oy + gw * ty + gz * tx - gx * tz
        pz += oz + gw * tz + gx * ty - gy * tx
    place[probe, 0], place[probe, 1], place[probe, 2] = px, py, pz
    turn[probe, 0], turn[probe, 1], turn[probe, 2], turn[probe, 3] = gw, gx, gy, gz


@njit(**INNER, error_model="numpy", forceinline=True)
def slope_effector(chains, probe, effectors):  # type: ignore[no-untyped-def]
    """How a blended effector moves with each weight, after :func:`blend_effector`."""
    turns, steps = chains.rotations, chains.offsets
    place, links, moves = effectors.positions, effectors.links, effectors.position_slopes
    first, last = chains.starts[probe], chains.starts[probe + 1]
    for link in range(first, last):
        for a in range(3):
            links[link, a] = place[probe, a] - links[link, a]
    _add_rotations(chains, probe, effectors)
    if steps.shape[2] > 1:
        for link in range(first, last):
            gw, gx, gy, gz = links[link, 15], links[link, 16], links[link, 17], links[link, 18]
            for j in range(turns.shape[2]):
                ox, oy, oz = rotate_by(gw, gx, gy, gz, steps[link, 0, j], steps[link, 1, j], steps[link, 2, j])
                moves[probe, 0, j] += ox
                moves[probe, 1, j] += oy
                moves[probe, 2, j] += oz


@njit(cache=True, nogil=True, error_model="numpy")
def example_effectors(chains):  # type: ignore[no-untyped-def]
    """The effectors of each example by itself: positions (p, n, 3) and rotations (p, n, 4)."""
    chains = EffectorChains(*chains)
    n, probes = chains.rotations.shape[2], chains.bases.shape[0]
    effectors = make_effectors(chains)
    positions, rotations = np.empty((probes, n, 3)), np.empty((probes, n, 4))
    weights = np.zeros(n)
    for probe in range(probes):
        for j in range(n):
            weights[j] = 1.0
            blend_effector(weights, chains, probe, effectors)
            positions[probe, j], rotations[probe, j] = effectors.positions[probe], effectors.rotations[probe]
            weights[j] = 0.0
    return positions, rotations


@njit(**INNER, error_model="numpy", forceinline=True)
def relate(effectors, probe, other, target):  # type: ignore[no-untyped-def]
    """Row ``probe`` as seen from the joint in row ``other``, into row ``target``."""
    place, turn = effectors.positions, effectors.rotations
    moves, spins = effectors.position_slopes, effectors.rotation_slopes
    w, a, b, c = turn[other, 0], -turn[other, 1], -turn[other, 2], -turn[other, 3]
    x, y, z = place[probe, 0] - place[other, 0], place[probe, 1] - place[other, 1], place[probe, 2] - place[other, 2]
    for j in range(moves.shape[2]):
        p, q, r = spins[other, 0, j], spins[other, 1, j], spins[other, 2, j]
        moves[target, 0, j], moves[target, 1, j], moves[target, 2, j] = rotate_by(
            w, a, b, c,
            moves[probe, 0, j] - moves[other, 0, j] - (q * z - r * y),
            moves[probe, 1, j] - moves[other, 1, j] - (r * x - p * z),
            moves[probe, 2, j] - moves[other, 2, j] - (p * y - q * x),
        )  # fmt: skip
        spins[target, 0, j], spins[target, 1, j], spins[target, 2, j] = rotate_by(
            w, a, b, c, spins[probe, 0, j] - p, spins[probe, 1, j] - q, spins[probe, 2, j] - r
        )
    place[target, 0], place[target, 1], place[target, 2] = rotate_by(w, a, b, c, x, y, z)
    e, f, g, h = turn[probe, 0], turn[probe, 1], turn[probe, 2], turn[probe, 3]
    turn[target, 0] = w * e - a * f - b * g - c * h
    turn[target, 1] = w * f + a * e + b * h - c * g
    turn[target, 2] = w * g - a * h + b * e + c * f
    turn[target, 3] = w * h + a * g - b * f + c * e


def warm_up() -> None:
    """Compile or load what Python calls."""
    example_effectors(
        (0, np.ones((1, 4, 2)), np.ones((1, 4)), np.zeros((1, 3, 1)), np.zeros((1, 3, 2)), np.array([0, 1]))
    )
