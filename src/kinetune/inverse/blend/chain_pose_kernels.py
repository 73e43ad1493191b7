"""Compiled blends of chains: where an effector is for given weights, and how it moves with each of them.

The mathematics are told in :mod:`kinetune.inverse.blend.chain_poses`, which holds the NumPy body and says what the
arrays are. Examples lie on the last axis, so that derivatives are taken of four at once in vector registers; left to
numba's own vectorizer this takes two and a half times as long.
"""

from __future__ import annotations

import math

from numba import njit

from kinetune.kernels.simd import load, spread, store

QUATERNION, EXPMAP = 0, 1


@njit(cache=True, nogil=True, error_model="numpy")
def _exponential(x, y, z):  # type: ignore[no-untyped-def]
    """cos(t/2), sin(t/2)/t, (1 - cos t)/t^2 and (t - sin t)/t^3 for the rotation vector (x, y, z) of length t."""
    square = x * x + y * y + z * z
    if square < 1e-6:
        return 1.0 - square / 8.0, 0.5 - square / 48.0, 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    t = math.sqrt(square)
    return math.cos(0.5 * t), math.sin(0.5 * t) / t, (1.0 - math.cos(t)) / square, (t - math.sin(t)) / (square * t)


@njit(cache=True, nogil=True, error_model="numpy")
def turned(w, a, b, c, x, y, z):  # type: ignore[no-untyped-def]
    """The vector (x, y, z) turned by the quaternion (w, a, b, c)."""
    tx, ty, tz = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    return x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _add_turns(turns, kept, bases, first, last, probe, places_to, turns_to):  # type: ignore[no-untyped-def]
    """Derivatives of place and turn by each weight, four examples at once, and the last few one by one.

    kept : (all links, 20) for each link its arm to the effector (3) and its map from examples to turns (12).
    """
    n = turns.shape[2]
    flat_turns, flat_kept, flat_bases = turns.reshape(-1), kept.reshape(-1), bases.reshape(-1)
    moves, spins = places_to.reshape(-1), turns_to.reshape(-1)
    row = 3 * n * probe
    for j in range(0, n - n % 4, 4):
        p, q, r = load(flat_bases, row + j), load(flat_bases, row + n + j), load(flat_bases, row + 2 * n + j)
        e = p - p
        f, g = e, e
        for link in range(first, last):
            at, k = 4 * n * link + j, 20 * link
            a, b = load(flat_turns, at), load(flat_turns, at + n)
            c, d = load(flat_turns, at + 2 * n), load(flat_turns, at + 3 * n)
            u = spread(flat_kept, k + 3) * a + spread(flat_kept, k + 4) * b
            u = u + spread(flat_kept, k + 5) * c + spread(flat_kept, k + 6) * d
            v = spread(flat_kept, k + 7) * a + spread(flat_kept, k + 8) * b
            v = v + spread(flat_kept, k + 9) * c + spread(flat_kept, k + 10) * d
            w = spread(flat_kept, k + 11) * a + spread(flat_kept, k + 12) * b
            w = w + spread(flat_kept, k + 13) * c + spread(flat_kept, k + 14) * d
            x, y, z = spread(flat_kept, k), spread(flat_kept, k + 1), spread(flat_kept, k + 2)
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
            u = kept[link, 3] * a + kept[link, 4] * b + kept[link, 5] * c + kept[link, 6] * d
            v = kept[link, 7] * a + kept[link, 8] * b + kept[link, 9] * c + kept[link, 10] * d
            w = kept[link, 11] * a + kept[link, 12] * b + kept[link, 13] * c + kept[link, 14] * d
            px, py = px + (v * kept[link, 2] - w * kept[link, 1]), py + (w * kept[link, 0] - u * kept[link, 2])
            pz = pz + (u * kept[link, 1] - v * kept[link, 0])
            ex, ey, ez = ex + u, ey + v, ez + w
        places_to[probe, 0, j], places_to[probe, 1, j], places_to[probe, 2, j] = px, py, pz
        turns_to[probe, 0, j], turns_to[probe, 1, j], turns_to[probe, 2, j] = ex, ey, ez


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def place_probe(weights, form, turns, references, steps, bases, first, last, probe, place, turn, kept):  # type: ignore[no-untyped-def]
    """Blend the links ``first`` to ``last`` of a packed set of chains into row ``probe`` of the results.

    bases : (probes, 3, n). place (probes, 3), turn (probes, 4) : out, the effector in the world.
    kept : (all links, 20) out, for :func:`slope_probe`: where each link is, its map from examples to turns, its turn.

    Rows go as whole arrays with a number, because numba counts references of every view, which takes as long as the
    arithmetic on a short chain.
    """
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
        kept[link, 0], kept[link, 1], kept[link, 2] = px, py, pz
        # The parent's matrix, to bring local turns into the world.
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
        kept[link, 3] = m00 * r00 + m01 * r10 + m02 * r20
        kept[link, 4] = m00 * r01 + m01 * r11 + m02 * r21
        kept[link, 5] = m00 * r02 + m01 * r12 + m02 * r22
        kept[link, 6] = m00 * r03 + m01 * r13 + m02 * r23
        kept[link, 7] = m10 * r00 + m11 * r10 + m12 * r20
        kept[link, 8] = m10 * r01 + m11 * r11 + m12 * r21
        kept[link, 9] = m10 * r02 + m11 * r12 + m12 * r22
        kept[link, 10] = m10 * r03 + m11 * r13 + m12 * r23
        kept[link, 11] = m20 * r00 + m21 * r10 + m22 * r20
        kept[link, 12] = m20 * r01 + m21 * r11 + m22 * r21
        kept[link, 13] = m20 * r02 + m21 * r12 + m22 * r22
        kept[link, 14] = m20 * r03 + m21 * r13 + m22 * r23
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
            kept[link, 15], kept[link, 16], kept[link, 17], kept[link, 18] = gw, gx, gy, gz
        else:
            ox, oy, oz = steps[link, 0, 0], steps[link, 1, 0], steps[link, 2, 0]
        tx, ty, tz = 2.0 * (gy * oz - gz * oy), 2.0 * (gz * ox - gx * oz), 2.0 * (gx * oy - gy * ox)
        px += ox + gw * tx + gy * tz - gz * ty
        py += oy + gw * ty + gz * tx - gx * tz
        pz += oz + gw * tz + gx * ty - gy * tx
    place[probe, 0], place[probe, 1], place[probe, 2] = px, py, pz
    turn[probe, 0], turn[probe, 1], turn[probe, 2], turn[probe, 3] = gw, gx, gy, gz


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def slope_probe(turns, steps, bases, first, last, probe, place, kept, places_to, turns_to):  # type: ignore[no-untyped-def]
    """How a blended effector moves with each weight, after :func:`place_probe`.

    places_to, turns_to : (probes, 3, n) out, derivatives of place and turn (an angular velocity).
    """
    for link in range(first, last):
        for a in range(3):
            kept[link, a] = place[probe, a] - kept[link, a]
    _add_turns(turns, kept, bases, first, last, probe, places_to, turns_to)
    if steps.shape[2] > 1:
        for link in range(first, last):
            gw, gx, gy, gz = kept[link, 15], kept[link, 16], kept[link, 17], kept[link, 18]
            for j in range(turns.shape[2]):
                ox, oy, oz = turned(gw, gx, gy, gz, steps[link, 0, j], steps[link, 1, j], steps[link, 2, j])
                places_to[probe, 0, j] += ox
                places_to[probe, 1, j] += oy
                places_to[probe, 2, j] += oz


@njit(cache=True, nogil=True, error_model="numpy")
def blend_chain(  # type: ignore[no-untyped-def]
    weights, form, turns, references, steps, base, first, last, place, turn, kept, places_to, turns_to
):
    """:func:`place_probe` and :func:`slope_probe` for one chain alone.

    base (3, n); place (3,), turn (4,), places_to and turns_to (3, n) : out; kept : (all links, 20) scratch.
    """
    n = weights.shape[0]
    bases, places, poses = base.reshape(1, 3, n), place.reshape(1, 3), turn.reshape(1, 4)
    place_probe(weights, form, turns, references, steps, bases, first, last, 0, places, poses, kept)
    slope_probe(
        turns, steps, bases, first, last, 0, places, kept, places_to.reshape(1, 3, n), turns_to.reshape(1, 3, n)
    )


@njit(cache=True, nogil=True, error_model="numpy")
def turn_vector(turn, x, y, z):  # type: ignore[no-untyped-def]
    """The vector (x, y, z) turned by a quaternion (4,)."""
    return turned(turn[0], turn[1], turn[2], turn[3], x, y, z)


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def relate(place, turn, places_to, turns_to, probe, other, target):  # type: ignore[no-untyped-def]
    """Row ``probe`` as seen from the joint in row ``other``, into row ``target``."""
    w, a, b, c = turn[other, 0], -turn[other, 1], -turn[other, 2], -turn[other, 3]
    x, y, z = place[probe, 0] - place[other, 0], place[probe, 1] - place[other, 1], place[probe, 2] - place[other, 2]
    for j in range(places_to.shape[2]):
        p, q, r = turns_to[other, 0, j], turns_to[other, 1, j], turns_to[other, 2, j]
        places_to[target, 0, j], places_to[target, 1, j], places_to[target, 2, j] = turned(
            w, a, b, c,
            places_to[probe, 0, j] - places_to[other, 0, j] - (q * z - r * y),
            places_to[probe, 1, j] - places_to[other, 1, j] - (r * x - p * z),
            places_to[probe, 2, j] - places_to[other, 2, j] - (p * y - q * x),
        )  # fmt: skip
        turns_to[target, 0, j], turns_to[target, 1, j], turns_to[target, 2, j] = turned(
            w, a, b, c, turns_to[probe, 0, j] - p, turns_to[probe, 1, j] - q, turns_to[probe, 2, j] - r
        )
    place[target, 0], place[target, 1], place[target, 2] = turned(w, a, b, c, x, y, z)
    e, f, g, h = turn[probe, 0], turn[probe, 1], turn[probe, 2], turn[probe, 3]
    turn[target, 0] = w * e - a * f - b * g - c * h
    turn[target, 1] = w * f + a * e + b * h - c * g
    turn[target, 2] = w * g - a * h + b * e + c * f
    turn[target, 3] = w * h + a * g - b * f + c * e


def warm_up() -> None:
    """Nothing of its own: :mod:`kinetune.inverse.blend.weight_kernels` compiles what it calls."""
