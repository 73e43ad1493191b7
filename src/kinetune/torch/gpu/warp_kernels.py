"""Time warps: the best cost of many pairs, the steps that lead there, and the way back through them."""

from __future__ import annotations

import torch
from kinetune.torch.gpu.runtime_compiler import SHARED_BYTES, available, compile_kernel, with_sizes
from torch import Tensor

_MOST_ROWS = 1024
_CELLS = 1  # rows of a table that a thread fills

_WARP = r"""
#if EXACT
#define ROOT(x) sqrt(x)
#else
__device__ __forceinline__ float ROOT(float x) {
  float y;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#endif
// Every thread fills CELLS rows, a warp 32 * CELLS, along a slanted front; warps follow each other 64 columns apart.
extern "C" __global__ void __launch_bounds__(THREADS)
warp_tables(const REAL* __restrict__ products, const REAL* __restrict__ xx, const REAL* __restrict__ yy,
            const int* rows, const int* columns, REAL* cost, unsigned int* steps, int keep, int most_rows,
            int most_columns, int words) {
  extern __shared__ unsigned char room[];
  REAL* lines = (REAL*)room;  // the last row of every warp, column by column
  const int pair = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = THREADS / 32;
  const int n = rows[pair], m = columns[pair], top = threadIdx.x * CELLS;
  const REAL far = (REAL)__int_as_float(0x7f800000);
  const REAL* other = yy + (long long)pair * most_columns;
  const REAL* mine[CELLS];
  REAL own[CELLS], value[CELLS], next[CELLS], diagonal = far;
  unsigned int word[CELLS];
  #pragma unroll
  for (int r = 0; r < CELLS; ++r) {
    const long long row = (long long)pair * most_rows + min(top + r, n - 1);
    mine[r] = products + row * most_columns;
    own[r] = xx[row];
    value[r] = far;
    next[r] = mine[r][0];
    word[r] = 0;
  }
  REAL next_other = other[0];
  const int chunks = (m + 31 + 31) / 32;
  for (int round = 0; round < chunks + 2 * (warps - 1); ++round) {
    const int chunk = round - 2 * warp;
    if (chunk >= 0 && chunk < chunks) {
      for (int step = 0; step < 32; ++step) {
        const int j = 32 * chunk + step - lane;
        REAL up = __shfl_up_sync(0xffffffff, value[CELLS - 1], 1);  // the row above, one step ago: this column
        if (lane == 0) up = warp > 0 && j < m ? lines[(warp - 1) * most_columns + j] : far;
        if (j >= 0 && j < m) {
          REAL distance[CELLS];
          #pragma unroll
          for (int r = 0; r < CELLS; ++r) distance[r] = ROOT(max(own[r] + next_other - (REAL)2 * next[r], (REAL)0));
          const int ahead = min(j + 1, m - 1);
          next_other = other[ahead];
          #pragma unroll
          for (int r = 0; r < CELLS; ++r) next[r] = mine[r][ahead];
          const REAL above = up;
          #pragma unroll
          for (int r = 0; r < CELLS; ++r) {
            const REAL left = value[r];
            REAL best = min(min(diagonal, up), left);
            const unsigned int code = best == diagonal ? 0u : best == up ? 1u : 2u;
            if (r == 0 && top == 0 && j == 0) best = (REAL)0;
            value[r] = distance[r] + best;
            word[r] |= code << (2 * (j & 15));
            diagonal = left;
            up = value[r];
            if (top + r == n - 1 && j == m - 1) cost[pair] = value[r];
          }
          diagonal = above;
          if (keep && ((j & 15) == 15 || j == m - 1)) {
            #pragma unroll
            for (int r = 0; r < CELLS; ++r) {
              if (top + r < n) steps[((long long)pair * most_rows + top + r) * words + (j >> 4)] = word[r];
              word[r] = 0;
            }
          }
          if (lane == 31 && warp + 1 < warps) lines[warp * most_columns + j] = value[CELLS - 1];
        } else {
          #pragma unroll
          for (int r = 0; r < CELLS; ++r) value[r] = far;
        }
      }
    }
    __syncthreads();
  }
}
"""

_WALK = r"""
extern "C" __global__ void warp_paths(const unsigned int* steps, const int* rows, const int* columns, short* path,
                                      int* lengths, int pairs, int most_rows, int most_columns, int words) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= pairs) return;
  int i = rows[pair] - 1, j = columns[pair] - 1;
  const unsigned int* mine = steps + (long long)pair * most_rows * words;
  short* to = path + (long long)pair * (most_rows + most_columns - 1) * 2;
  int count = 0;
  while (true) {
    to[2 * count] = (short)i;
    to[2 * count + 1] = (short)j;
    ++count;
    if (i == 0 && j == 0) break;
    const unsigned int code = i == 0 ? 2u : j == 0 ? 1u : (mine[i * words + (j >> 4)] >> (2 * (j & 15))) & 3u;
    i -= code != 2u;
    j -= code != 1u;
  }
  lengths[pair] = count;
}
"""


def can_warp(a: Tensor, b: Tensor) -> bool:
    """Whether the kernels suit two batches (pairs, frames, channels)."""
    rows, columns, size = a.shape[1], b.shape[1], a.element_size()
    fits = rows <= _MOST_ROWS and -(-rows // (32 * _CELLS)) * columns * size <= SHARED_BYTES and columns < 32768
    return fits and a.is_cuda and b.is_cuda and a.dtype in (torch.float32, torch.float64) and available()


def warp_tables(
    products: Tensor, xx: Tensor, yy: Tensor, rows: Tensor, columns: Tensor, *, keep: bool
) -> tuple[Tensor, Tensor | None]:
    """The cost of the best path of each pair, and two bits for each cell: the step that led to it.

    Parameters
    ----------
    products : (pairs, rows, columns) of poses. xx, yy : their squares. rows, columns : the lengths of each pair.
    """
    pairs, most_rows, most_columns = products.shape
    threads = 32 * -(-most_rows // (32 * _CELLS))
    exact = products.dtype == torch.float64
    sizes = {"REAL": "double" if exact else "float", "EXACT": int(exact), "THREADS": threads, "CELLS": _CELLS}
    kernel = compile_kernel(with_sizes(_WARP, sizes), "warp_tables")
    cost = torch.empty(pairs, dtype=products.dtype, device=products.device)
    words = -(-most_columns // 16)
    steps = torch.empty(pairs, most_rows, words, dtype=torch.int32, device=products.device) if keep else None
    kernel(
        grid=(pairs, 1, 1),
        block=(threads, 1, 1),
        args=(
            products,
            xx,
            yy,
            rows,
            columns,
            cost,
            cost if steps is None else steps,
            int(keep),
            most_rows,
            most_columns,
            words,
        ),
        shared_mem=(threads // 32) * most_columns * products.element_size(),
    )
    return cost, steps


def warp_paths(steps: Tensor, columns_count: int, rows: Tensor, columns: Tensor) -> tuple[Tensor, Tensor]:
    """The paths back from the last cells: (pairs, rows + columns - 1, 2) from the end on, and their lengths."""
    pairs, most_rows, words = steps.shape
    kernel = compile_kernel(_WALK, "warp_paths")
    path = torch.empty(pairs, most_rows + columns_count - 1, 2, dtype=torch.int16, device=steps.device)
    lengths = torch.empty(pairs, dtype=torch.int32, device=steps.device)
    kernel(
        grid=(-(-pairs // 64), 1, 1),
        block=(64, 1, 1),
        args=(
            steps,
            rows,
            columns,
            path,
            lengths,
            pairs,
            most_rows,
            columns_count,
            words,
        ),
    )
    return path, lengths
