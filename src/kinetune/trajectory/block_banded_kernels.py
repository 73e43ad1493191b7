"""Block-banded symmetric systems, compiled: one block of unknowns a frame, coupled to a few frames before it.

``h[t, k]`` is the block of rows t and columns t - k, for k from 0 to the reach; of ``h[t, 0]`` the lower triangle
counts. Factors lie transposed, ``factor[t, k][c, i]`` = L(t, t - k)[i, c], so that every inner loop runs along memory.
No sum is reordered and nothing here runs in parallel: results depend neither on the number of threads nor on a BLAS.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER


@njit(**INNER)
def _subtract_product(into, a, b):
    """``into -= a.T @ b`` for square blocks, four rows at a time."""
    size = len(into)
    c = 0
    while c + 4 <= size:
        b0, b1, b2, b3 = b[c], b[c + 1], b[c + 2], b[c + 3]
        for j in range(size):
            a0, a1, a2, a3 = a[c, j], a[c + 1, j], a[c + 2, j], a[c + 3, j]
            row = into[j]
            for i in range(size):
                row[i] -= a0 * b0[i] + a1 * b1[i] + a2 * b2[i] + a3 * b3[i]
        c += 4
    while c < size:
        b0 = b[c]
        for j in range(size):
            a0, row = a[c, j], into[j]
            for i in range(size):
                row[i] -= a0 * b0[i]
        c += 1


@njit(**INNER)
def _factor_diagonal(block):
    """The Cholesky factor of a block, transposed, in place of its upper triangle; False unless it is positive."""
    size = len(block)
    for j in range(size):
        pivot = block[j, j]
        if not pivot > 0.0:
            return False
        root = np.sqrt(pivot)
        block[j, j] = root
        for i in range(j + 1, size):
            block[j, i] /= root
        for r in range(j + 1, size):
            scale, row = block[j, r], block[r]
            for i in range(r, size):
                row[i] -= scale * block[j, i]
    return True


@njit(cache=True, nogil=True)
def factorize(h, factor):
    """Fill ``factor`` with the Cholesky factor of ``h``; the frame at which it is not positive definite, or -1."""
    frames, blocks, size = h.shape[0], h.shape[1], h.shape[2]
    for t in range(frames):
        nearest = min(t, blocks - 1)
        for k in range(nearest, -1, -1):
            s = t - k
            into = factor[t, k]
            for j in range(size):
                for i in range(size):
                    into[j, i] = h[t, k][i, j]
            for u in range(max(t - blocks + 1, 0), s):
                _subtract_product(into, factor[s, s - u], factor[t, t - u])
            if k == 0:
                if not _factor_diagonal(into):
                    return t
            else:
                diagonal = factor[s, 0]
                for j in range(size):
                    row = into[j]
                    for c in range(j):
                        scale, above = diagonal[c, j], into[c]
                        for i in range(size):
                            row[i] -= scale * above[i]
                    pivot = diagonal[j, j]
                    for i in range(size):
                        row[i] /= pivot
    return -1


@njit(cache=True, nogil=True)
def substitute(factor, x):
    """Turn the right-hand side ``x`` (frames, size) into the solution, in place."""
    frames, blocks, size = factor.shape[0], factor.shape[1], factor.shape[2]
    for t in range(frames):
        here = x[t]
        for k in range(1, min(t, blocks - 1) + 1):
            block, other = factor[t, k], x[t - k]
            for c in range(size):
                value = other[c]
                for i in range(size):
                    here[i] -= block[c, i] * value
        block = factor[t, 0]
        for c in range(size):
            here[c] /= block[c, c]
            value = here[c]
            for i in range(c + 1, size):
                here[i] -= block[c, i] * value
    for t in range(frames - 1, -1, -1):
        here = x[t]
        for k in range(1, min(frames - 1 - t, blocks - 1) + 1):
            block, other = factor[t + k, k], x[t + k]
            for c in range(size):
                total = 0.0
                for i in range(size):
                    total += block[c, i] * other[i]
                here[c] -= total
        block = factor[t, 0]
        for c in range(size - 1, -1, -1):
            total = here[c]
            for i in range(c + 1, size):
                total -= block[c, i] * here[i]
            here[c] = total / block[c, c]


@njit(cache=True, nogil=True)
def accumulate(h, gradient, residual, weight, jacobians, columns, first):
    """Add the squares of residuals that look at frames t, t + 1, ... to the normal equations; returns their sum.

    residual, weight : (n, rows). jacobians : (spans, n, rows, columns), the derivative by frame t + span.
    columns : (columns,) the unknowns that they are taken by. first : the frame of the first residual.
    """
    spans, count, rows, width = jacobians.shape
    total = 0.0
    for n in range(count):
        for r in range(rows):
            w = weight[n, r]
            if w == 0.0:
                continue
            scaled = w * residual[n, r]
            total += scaled * residual[n, r]
            for b in range(spans):
                late = jacobians[b, n, r]
                frame = first + n + b
                for i in range(width):
                    slope = late[i]
                    if slope == 0.0:
                        continue
                    row = columns[i]
                    gradient[frame, row] += slope * scaled
                    push = w * slope
                    for a in range(b):
                        block, early = h[frame, b - a, row], jacobians[a, n, r]
                        for j in range(width):
                            block[columns[j]] += push * early[j]
                    block = h[frame, 0, row]
                    for j in range(width):
                        block[columns[j]] += push * late[j]
    return total


@njit(cache=True, nogil=True)
def accumulate_stencil(h, gradient, values, weight, stencil):
    """Add ``weight (sum_k stencil[k] values[t + k])^2`` of every unknown; weight (frames, size); returns the sum.

    The row of frames t to t + order takes the weight of frame t.
    """
    frames, size = values.shape
    spans = len(stencil)
    total = 0.0
    for t in range(frames - spans + 1):
        for i in range(size):
            w = weight[t, i]
            if w == 0.0:
                continue
            residual = 0.0
            for k in range(spans):
                residual += stencil[k] * values[t + k, i]
            total += w * residual * residual
            for b in range(spans):
                gradient[t + b, i] += w * stencil[b] * residual
                for a in range(b + 1):
                    h[t + b, b - a, i, i] += w * stencil[b] * stencil[a]
    return total


def warm_up():
    """Compile every kernel."""
    h, gradient = np.zeros((3, 2, 5, 5)), np.zeros((3, 5))
    accumulate(h, gradient, np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 2, 1, 5)), np.arange(5), 0)
    accumulate_stencil(h, gradient, np.ones((3, 5)), np.ones((3, 5)), np.array([1.0, -1.0]))
    h[:, 0] += np.eye(5)
    factor = np.empty_like(h)
    factorize(h, factor)
    substitute(factor, gradient)
