"""Inverse blending: the search for weights, one thread for each target."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from kinetune.torch.gpu.runtime_compiler import SHARED_BYTES, available, compile_kernel, with_sizes
from torch import Tensor

_SEARCH = r"""
typedef REAL real;
__device__ __forceinline__ void place(const real* turns, const real* offsets, const real* base, const real (&w)[N],
                                      real (&at)[3], real (&link)[LINKS][19]) {
  real px = 0, py = 0, pz = 0, gw = 1, gx = 0, gy = 0, gz = 0;
  #pragma unroll
  for (int j = 0; j < N; ++j) { px += w[j] * base[j]; py += w[j] * base[N + j]; pz += w[j] * base[2 * N + j]; }
  for (int l = 0; l < LINKS; ++l) {
    real a = 0, b = 0, c = 0, d = 0;
    const real* q = turns + 4 * N * l;
    #pragma unroll
    for (int j = 0; j < N; ++j) {
      a += w[j] * q[j]; b += w[j] * q[N + j]; c += w[j] * q[2 * N + j]; d += w[j] * q[3 * N + j];
    }
    const real over = (real)1 / max(sqrt(a * a + b * b + c * c + d * d), (real)1e-12);
    link[l][0] = px; link[l][1] = py; link[l][2] = pz; link[l][3] = over;
    link[l][4] = gw; link[l][5] = gx; link[l][6] = gy; link[l][7] = gz;
    const real u = a * over, x = b * over, y = c * over, z = d * over;
    link[l][8] = u; link[l][9] = x; link[l][10] = y; link[l][11] = z;
    const real nw = gw * u - gx * x - gy * y - gz * z, nx = gw * x + gx * u + gy * z - gz * y;
    const real ny = gw * y - gx * z + gy * u + gz * x, nz = gw * z + gx * y - gy * x + gz * u;
    gw = nw; gx = nx; gy = ny; gz = nz;
    const real ox = offsets[3 * l], oy = offsets[3 * l + 1], oz = offsets[3 * l + 2];
    const real tx = 2 * (gy * oz - gz * oy), ty = 2 * (gz * ox - gx * oz), tz = 2 * (gx * oy - gy * ox);
    px += ox + gw * tx + gy * tz - gz * ty;
    py += oy + gw * ty + gz * tx - gx * tz;
    pz += oz + gw * tz + gx * ty - gy * tx;
  }
  at[0] = px; at[1] = py; at[2] = pz;
}

__device__ __forceinline__ void slopes(const real* turns, const real* base, const real (&at)[3],
                                       const real (&link)[LINKS][19], real (&jac)[3][N]) {
  #pragma unroll
  for (int j = 0; j < N; ++j) { jac[0][j] = base[j]; jac[1][j] = base[N + j]; jac[2][j] = base[2 * N + j]; }
  for (int l = 0; l < LINKS; ++l) {
    const real rx = at[0] - link[l][0], ry = at[1] - link[l][1], rz = at[2] - link[l][2], f = 2 * link[l][3];
    const real gw = link[l][4], gx = link[l][5], gy = link[l][6], gz = link[l][7];
    const real w = link[l][8], x = link[l][9], y = link[l][10], z = link[l][11];
    const real m00 = 1 - 2 * (gy * gy + gz * gz), m01 = 2 * (gx * gy - gw * gz), m02 = 2 * (gx * gz + gw * gy);
    const real m10 = 2 * (gx * gy + gw * gz), m11 = 1 - 2 * (gx * gx + gz * gz), m12 = 2 * (gy * gz - gw * gx);
    const real m20 = 2 * (gx * gz - gw * gy), m21 = 2 * (gy * gz + gw * gx), m22 = 1 - 2 * (gx * gx + gy * gy);
    // The arm crossed with the parent's axes: what a local spin does to the effector.
    const real c00 = m10 * rz - m20 * ry, c01 = m11 * rz - m21 * ry, c02 = m12 * rz - m22 * ry;
    const real c10 = m20 * rx - m00 * rz, c11 = m21 * rx - m01 * rz, c12 = m22 * rx - m02 * rz;
    const real c20 = m00 * ry - m10 * rx, c21 = m01 * ry - m11 * rx, c22 = m02 * ry - m12 * rx;
    const real* q = turns + 4 * N * l;
    #pragma unroll
    for (int j = 0; j < N; ++j) {
      const real a = q[j], b = q[N + j], c = q[2 * N + j], d = q[3 * N + j];
      const real sx = f * (-x * a + w * b - z * c + y * d);
      const real sy = f * (-y * a + z * b + w * c - x * d);
      const real sz = f * (-z * a - y * b + x * c + w * d);
      jac[0][j] += c00 * sx + c01 * sy + c02 * sz;
      jac[1][j] += c10 * sx + c11 * sy + c12 * sz;
      jac[2][j] += c20 * sx + c21 * sy + c22 * sz;
    }
  }
}

// The damped step that stays on the simplex; whether there is one.
__device__ __forceinline__ bool step(const real (&jac)[3][N], const real (&r)[3], const real (&w)[N],
                                     const real (&metric)[N], real pull, const real (&anchor)[N], real damping,
                                     unsigned long long& free, real (&out)[N], real& promised) {
  int fewest = N + 1, patience = 3;
  for (int round = 0; round < 8 * N + 20; ++round) {
    real total = 0, missing = 1, mean[3] = {0, 0, 0}, right[3] = {r[0], r[1], r[2]};
    real m00 = 0, m10 = 0, m11 = 0, m20 = 0, m21 = 0, m22 = 0;
    #pragma unroll
    for (int j = 0; j < N; ++j) {
      const bool is_free = free >> j & 1;
      const real lean = pull * (anchor[j] - w[j]), d = is_free ? metric[j] : (real)0;
      const real move = is_free ? lean : -w[j];
      total += d;
      missing -= is_free ? w[j] + lean : (real)0;
      const real a = jac[0][j], b = jac[1][j], c = jac[2][j];
      mean[0] += d * a; mean[1] += d * b; mean[2] += d * c;
      right[0] += a * move; right[1] += b * move; right[2] += c * move;
      m00 += d * a * a; m10 += d * b * a; m11 += d * b * b; m20 += d * c * a; m21 += d * c * b; m22 += d * c * c;
    }
    if (!(total > (real)0)) return false;
    const real lift = missing / total, over = (real)1 / total;
    right[0] += lift * mean[0]; right[1] += lift * mean[1]; right[2] += lift * mean[2];
    const real e0 = mean[0] * over, e1 = mean[1] * over, e2 = mean[2] * over;
    m00 += damping - mean[0] * e0; m10 -= mean[1] * e0; m11 += damping - mean[1] * e1;
    m20 -= mean[2] * e0; m21 -= mean[2] * e1; m22 += damping - mean[2] * e2;
    if (!(m00 > (real)0)) return false;
    const real l00 = sqrt(m00), l10 = m10 / l00, l20 = m20 / l00, d1 = m11 - l10 * l10;
    if (!(d1 > (real)0)) return false;
    const real l11 = sqrt(d1), l21 = (m21 - l20 * l10) / l11, d2 = m22 - l20 * l20 - l21 * l21;
    if (!(d2 > (real)0)) return false;
    const real l22 = sqrt(d2);
    const real y0 = right[0] / l00, y1 = (right[1] - l10 * y0) / l11, y2 = (right[2] - l20 * y0 - l21 * y1) / l22;
    const real v2 = y2 / l22, v1 = (y1 - l21 * v2) / l11, v0 = (y0 - l10 * v1 - l20 * v2) / l00;
    const real level = lift + e0 * v0 + e1 * v1 + e2 * v2;
    unsigned long long wrong = 0;
    real sum = 0;
    #pragma unroll
    for (int j = 0; j < N; ++j) {
      const bool is_free = free >> j & 1;
      const real moved = w[j] + pull * (anchor[j] - w[j])
                       - metric[j] * (jac[0][j] * v0 + jac[1][j] * v1 + jac[2][j] * v2 - level);
      out[j] = is_free ? max(moved, (real)0) : (real)0;
      sum += out[j];
      if ((is_free ? moved : -moved) < (real)SLACK) wrong |= 1ull << j;
    }
    if (!wrong) {
      const real share = (real)1 / sum;
      #pragma unroll
      for (int j = 0; j < N; ++j) out[j] *= share;
      promised = damping * damping * (v0 * v0 + v1 * v1 + v2 * v2);
      return true;
    }
    const int count = __popcll(wrong);
    if (count < fewest) { fewest = count; patience = 3; } else --patience;
    free ^= patience >= 0 ? wrong : 1ull << (63 - __clzll(wrong));
  }
  return false;
}

extern "C" __global__ void __launch_bounds__(THREADS)
search(const real* all_turns, const real* all_offsets, const real* all_base, const real* all_alone,
       const real* targets, real* weights, real* left, int problems, int k) {
  __shared__ real turns[LINKS * 4 * N], offsets[LINKS * 3], base[3 * N], alone[3 * N];
  for (int i = threadIdx.x; i < LINKS * 4 * N; i += THREADS) turns[i] = all_turns[i];
  for (int i = threadIdx.x; i < LINKS * 3; i += THREADS) offsets[i] = all_offsets[i];
  for (int i = threadIdx.x; i < 3 * N; i += THREADS) { base[i] = all_base[i]; alone[i] = all_alone[i]; }
  __syncthreads();
  const int problem = blockIdx.x * THREADS + threadIdx.x;
  if (problem >= problems) return;
  const real goal = (real)TOLERANCE * (real)TOLERANCE;
  real target[3], anchor[N], metric[N], best[N], best_cost = (real)3e38;
  #pragma unroll
  for (int a = 0; a < 3; ++a) target[a] = targets[3 * problem + a];
  // The kernel over the nearest examples.
  int nearest = 0;
  {
    real nearest_square = (real)3e38, reach = 0;
    #pragma unroll
    for (int j = 0; j < N; ++j) {
      const real x = alone[3 * j] - target[0], y = alone[3 * j + 1] - target[1], z = alone[3 * j + 2] - target[2];
      metric[j] = x * x + y * y + z * z;
      if (metric[j] < nearest_square) { nearest_square = metric[j]; nearest = j; }
    }
    if (k < N) {
      #pragma unroll
      for (int j = 0; j < N; ++j) {
        int before = 0;
        #pragma unroll
        for (int i = 0; i < N; ++i) before += metric[i] < metric[j] || (metric[i] == metric[j] && i < j);
        if (before == k) reach = metric[j];
      }
    } else {
      #pragma unroll
      for (int j = 0; j < N; ++j) reach = max(reach, (real)1.1025 * metric[j]);
    }
    reach = max(reach, (real)1e-24);
    real total = 0;
    #pragma unroll
    for (int j = 0; j < N; ++j) {
      const real share = max((real)0, 1 - metric[j] / reach);
      anchor[j] = share * share * share;
      total += anchor[j];
    }
    if (!(total > (real)0)) {
      #pragma unroll
      for (int j = 0; j < N; ++j) { anchor[j] = metric[j] <= reach ? (real)1 : (real)0; total += anchor[j]; }
    }
    #pragma unroll
    for (int j = 0; j < N; ++j) { metric[j] = anchor[j] + (real)FLOOR; anchor[j] /= total; }
  }
  for (int start = 0; start <= RESTARTS; ++start) {
    real w[N];
    if (start == 0) {
      #pragma unroll
      for (int j = 0; j < N; ++j) w[j] = anchor[j];
    } else {
      unsigned int state = 12345u + 7919u * (start - 1) + 104729u * problem;
      real total = 0;
      #pragma unroll
      for (int j = 0; j < N; ++j) {
        state = (1103515245u * state + 12345u) & 0x7fffffffu;
        const real chance = -log((real)(state + 1.0) / (real)2147483649.0);
        w[j] = start == 1 ? (real)1 : start == 2 ? (j == nearest ? (real)(9 * N) : (real)1) : chance * chance * chance;
        total += w[j];
      }
      #pragma unroll
      for (int j = 0; j < N; ++j) { w[j] /= total; metric[j] = (real)1; }
    }
    real link[LINKS][19], at[3], jac[3][N], r[3], cost = (real)3e38, extra = 0, far = 1, needed = 0, tried[N];
    unsigned long long free = N == 64 ? ~0ull : (1ull << N) - 1;
    #pragma unroll
    for (int j = 0; j < N; ++j) tried[j] = w[j];
    for (int taken = 0;;) {
      place(turns, offsets, base, tried, at, link);
      const real x = at[0] - target[0], y = at[1] - target[1], z = at[2] - target[2];
      const real now = x * x + y * y + z * z;
      if (now < cost - needed || now < goal || taken == 0) {
        const real gained = cost - now;
        cost = now;
        #pragma unroll
        for (int j = 0; j < N; ++j) w[j] = tried[j];
        extra = extra > (real)1e-8 ? extra * (real)0.1 : (real)0;
        if (cost <= goal || (gained < (real)1e-7 * cost && far < (real)1e-3)) break;
        r[0] = x; r[1] = y; r[2] = z;
        slopes(turns, base, at, link, jac);
      } else {
        extra = max(extra * 8, (real)1e-4);
      }
      if (taken >= ITERATIONS || extra > (real)MOST_DAMPING) break;
      ++taken;
      real size = 0;
      #pragma unroll
      for (int j = 0; j < N; ++j)
        size += metric[j] * (jac[0][j] * jac[0][j] + jac[1][j] * jac[1][j] + jac[2][j] * jac[2][j]);
      size = max(size / 3, (real)1e-30);
      bool solved = false;
      real promised = 0;
      while (!solved && extra <= (real)MOST_DAMPING) {
        const real damping = (real)(ANCHOR + RIDGE) + extra;
        solved = step(jac, r, w, metric, taken <= PULLS ? (real)ANCHOR / damping : (real)0, anchor, damping * size,
                      free, tried, promised);
        if (!solved) {
          extra = max(extra * 10, (real)1e-6);
          free = N == 64 ? ~0ull : (1ull << N) - 1;
        }
      }
      if (!solved) break;
      far = 0;
      #pragma unroll
      for (int j = 0; j < N; ++j) far = max(far, abs(tried[j] - w[j]));
      if (far < (real)1e-10) break;
      needed = (real)1e-4 * max((real)0, cost - promised);
    }
    if (cost < best_cost) {
      best_cost = cost;
      #pragma unroll
      for (int j = 0; j < N; ++j) best[j] = w[j];
    }
    if (best_cost <= (real)ACCEPT * (real)ACCEPT) break;
  }
  #pragma unroll
  for (int j = 0; j < N; ++j) weights[(long long)problem * N + j] = best[j];
  left[problem] = sqrt(best_cost);
}
"""


def can_search(rotations: Tensor, targets: Tensor) -> bool:
    """Whether the kernel suits: few enough examples for a thread's registers."""
    links, _, examples = rotations.shape
    fits = examples <= 32 and 8 * examples * (4 * links + 6) <= SHARED_BYTES
    return fits and targets.is_cuda and rotations.is_cuda and targets.dtype == rotations.dtype and available()


def search(
    rotations: Tensor,
    offsets: Tensor,
    base: Tensor,
    alone: Tensor,
    targets: Tensor,
    k: int,
    constants: Mapping[str, float],
) -> tuple[Tensor, Tensor]:
    """Weights (problems, examples) and what is left (problems,), as ``blend_search.solve_points`` has them.

    constants : those of that search, by their names in the source.
    """
    links, _, examples = rotations.shape
    exact = targets.dtype == torch.float64
    sizes = {
        "REAL": "double" if exact else "float",
        "N": examples,
        "LINKS": links,
        "THREADS": 64,
        **constants,
        "SLACK": -1e-11 if exact else -1e-7,
    }
    problems = len(targets)
    weights = torch.empty(problems, examples, dtype=targets.dtype, device=targets.device)
    left = torch.empty(problems, dtype=targets.dtype, device=targets.device)
    source = with_sizes(_SEARCH, sizes)
    compile_kernel(source, "search")(
        grid=(-(-problems // 64), 1, 1),
        block=(64, 1, 1),
        args=(*(t.contiguous() for t in (rotations, offsets, base, alone, targets)), weights, left, problems, k),
    )
    return weights, left
