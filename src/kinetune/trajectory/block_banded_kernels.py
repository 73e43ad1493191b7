"""Block-banded symmetric systems, compiled: one block of unknowns a frame, coupled to a few frames before it.

``h[t, k]`` is the block of rows t and columns t - k, for k from 0 to the reach; of ``h[t, 0]`` the lower triangle
counts. Factors lie transposed, ``factor[t, k][c, i]`` = L(t, t - k)[i, c], so that every inner loop runs along memory;
their rows are filled up with zeros to whole cache lines.
Products are subtracted with one rounding, no sum is reordered and nothing here runs in parallel: results depend neither
on the number of threads nor on a BLAS.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from kinetune.kernels.loader import INNER
from kinetune.kernels.simd import LINE_BYTES, less_product, line_of, load_line, store

STANDALONE = True
LANES = LINE_BYTES // 8


@njit(**INNER)
def _subtract_product(into, a, b, symmetric, narrow):
    """``into -= a.T @ b`` for square blocks, a cache line of columns and four rows at a time.

    symmetric : only the upper triangle is needed. narrow : b is lower triangular.
    """
    size, width = into.shape
    for i in range(0, width, LANES):
        first = min(i, size) if narrow else 0
        rows = min(i + LANES, size) if symmetric else size
        j = 0
        while j + 4 <= rows:
            at = j * width + i
            r0, r1 = load_line(into, at), load_line(into, at + width)
            r2, r3 = load_line(into, at + 2 * width), load_line(into, at + 3 * width)
            for c in range(first, size):
                line = load_line(b, c * width + i)
                r0 = less_product(r0, line_of(a[c, j]), line)
                r1 = less_product(r1, line_of(a[c, j + 1]), line)
                r2 = less_product(r2, line_of(a[c, j + 2]), line)
                r3 = less_product(r3, line_of(a[c, j + 3]), line)
            store(into, at, r0)
            store(into, at + width, r1)
            store(into, at + 2 * width, r2)
            store(into, at + 3 * width, r3)
            j += 4
        while j < rows:
            row = load_line(into, j * width + i)
            for c in range(first, size):
                row = less_product(row, line_of(a[c, j]), load_line(b, c * width + i))
            store(into, j * width + i, row)
            j += 1


@njit(**INNER)
def _divide(into, diagonal, narrow):
    """Solve for the rows of a block, given the factor of the diagonal block of its columns, in place.

    narrow : the result is lower triangular.
    """
    size, width = into.shape
    i = 0
    while not narrow and i + 2 * LANES <= width:  # two lines at once: each waits for its line before
        for j in range(size):
            at = j * width + i
            row, other = load_line(into, at), load_line(into, at + LANES)
            for c in range(j):
                scale = line_of(diagonal[c, j])
                row = less_product(row, scale, load_line(into, c * width + i))
                other = less_product(other, scale, load_line(into, c * width + i + LANES))
            pivot = line_of(diagonal[j, j])
            store(into, at, row / pivot)
            store(into, at + LANES, other / pivot)
        i += 2 * LANES
    while i < width:
        first = min(i, size) if narrow else 0
        for j in range(first, size):
            row = load_line(into, j * width + i)
            for c in range(first, j):
                row = less_product(row, line_of(diagonal[c, j]), load_line(into, c * width + i))
            store(into, j * width + i, row / line_of(diagonal[j, j]))
        i += LANES


@njit(**INNER)
def _factor_diagonal(block):
    """The Cholesky factor of a block, transposed, in place of its upper triangle; False unless it is positive."""
    size, width = block.shape
    for j in range(size):
        for i in range(j // LANES * LANES, width, LANES):
            row = load_line(block, j * width + i)
            for c in range(j):
                row = less_product(row, line_of(block[c, j]), load_line(block, c * width + i))
            store(block, j * width + i, row)
        pivot = block[j, j]
        if not pivot > 0.0:
            return False
        root = np.sqrt(pivot)
        for i in range(j, size):
            block[j, i] /= root
    return True


@njit(**INNER)
def _is_diagonal(h):
    """Whether the farthest blocks tie each unknown to itself only, as differences over time do."""
    last, size = h.shape[1] - 1, h.shape[2]
    for t in range(last, h.shape[0]):
        for i in range(size):
            for j in range(size):
                if i != j and h[t, last, i, j] != 0.0:
                    return False
    return last > 0


@njit(cache=True, nogil=True)
def factorize(h, factor):
    """Fill ``factor`` with the Cholesky factor of ``h``; the frame at which it is not positive definite, or -1.

    factor : (frames, blocks, size, width), with rows of whole cache lines.
    """
    frames, blocks, size = h.shape[0], h.shape[1], h.shape[2]
    diagonal_ends = _is_diagonal(h)
    for t in range(frames):
        for k in range(min(t, blocks - 1), -1, -1):
            s = t - k
            into = factor[t, k]
            into[:] = 0.0
            for j in range(size):
                if diagonal_ends and k == blocks - 1:
                    into[j, j] = h[t, k, j, j]
                else:
                    for i in range(0 if k > 0 else j, size):
                        into[j, i] = h[t, k, i, j]
            for u in range(max(t - blocks + 1, 0), s):
                narrow = diagonal_ends and t - u == blocks - 1
                _subtract_product(into, factor[s, s - u], factor[t, t - u], k == 0, narrow)
            if k > 0:
                _divide(into, factor[s, 0], diagonal_ends and k == blocks - 1)
            elif not _factor_diagonal(into):
                return t
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
    factor = np.empty((3, 2, 5, LANES))
    factorize(h, factor)
    substitute(factor, gradient)
