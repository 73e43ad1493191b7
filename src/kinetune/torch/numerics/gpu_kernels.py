"""Kernels for a GPU, compiled when they are first used by the compiler that torch brings along.

=============  ===========================================================================================
equalize       all bands of a signal in one pass over the device's memory
place          joint positions, by a kernel that is written for the skeleton
warp_tables    the best cost of many time warps, and the steps that lead there
warp_paths     the way back through those steps
=============  ===========================================================================================

Everything here has a plain counterpart in the modules that call it, which serves other devices, other types, other
sizes and gradients; ``tests/torch/test_gpu_kernels.py`` holds the two against each other on a machine with a GPU.
Why CUDA source and torch's own compiler: ``docs/decisions``, "Kernels on a GPU".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor

_MOST_FRAMES = 2048
_MOST_ROWS = 1024
_SHARED = 48 * 1024
_ROWS = 40  # of frames that a thread holds in its registers
_TILE = 16  # channels that a block takes at a time
_CELLS = 1  # rows of a table that a thread fills


@cache
def _compile(source: str, name: str) -> Any:
    return torch.cuda._compile_kernel(source, name)


def available() -> bool:
    """Whether kernels can be compiled here: a GPU of NVIDIA, and a torch that compiles CUDA source at run time."""
    return torch.cuda.is_available() and torch.version.cuda is not None and hasattr(torch.cuda, "_compile_kernel")


def _suits(*tensors: Tensor) -> bool:
    return all(t.is_cuda and t.dtype == torch.float32 for t in tensors) and available()


# --- equalizing

_EQUALIZE = r"""
#define WIDTH (ROWS + 2 * HALO)

// One fast band: taps S frames apart, in a row of frames with what lies around it.
template <int S> __device__ __forceinline__ void fast(float (&v)[WIDTH], int start, int last) {
  const int margin = 4 * S - 2;  // what the bands up to this one have used up at either side
  float before[2 * S];
  #pragma unroll
  for (int i = margin - 2 * S; i < margin; ++i) before[i % (2 * S)] = v[i];
  #pragma unroll
  for (int i = margin; i < WIDTH - margin; ++i) {
    const float here = v[i];
    v[i] = 0.0625f * (before[i % (2 * S)] + v[i + 2 * S])
         + (0.25f * (before[(i + S) % (2 * S)] + v[i + S]) + 0.375f * here);
    before[i % (2 * S)] = here;
  }
  if (start < 0) {
    float first = v[HALO];
    if (HALO > ROWS) {
      #pragma unroll
      for (int i = 0; i < HALO; ++i) if (start + i == 0) first = v[i];
    }
    #pragma unroll
    for (int i = 0; i < HALO; ++i) if (HALO <= ROWS || start + i < 0) v[i] = first;
  }
  if (start + WIDTH - 1 > last) {
    if (!RAGGED && LAST_ALONE) {
      #pragma unroll
      for (int i = FRAMES - (PHASES - 1) * ROWS + HALO; i < WIDTH; ++i)
        v[i] = v[FRAMES - 1 - (PHASES - 1) * ROWS + HALO];
    } else {
      float end = 0.0f;
      #pragma unroll
      for (int i = 0; i < WIDTH; ++i) if (start + i == last) end = v[i];
      #pragma unroll
      for (int i = 0; i < WIDTH; ++i) if (start + i > last) v[i] = end;
    }
  }
}

// One slow band: taps S places apart among frames that lie PHASES apart.
template <int S> __device__ __forceinline__
void slow(float (&v)[ROWS], float (&sum)[ROWS], float weight, float* edge, int lane, int part, int last) {
  if (part == 0) edge[lane] = v[0];
  if (part == last % PHASES) {
    if (RAGGED) {
      #pragma unroll
      for (int i = 0; i < ROWS; ++i) if (i == last / PHASES) edge[TILE + lane] = v[i];
    } else {
      edge[TILE + lane] = v[(FRAMES - 1) / PHASES];
    }
  }
  __syncthreads();
  const float first = edge[lane], end = edge[TILE + lane];
  float old[ROWS];
  #pragma unroll
  for (int i = 0; i < ROWS; ++i)
    old[i] = (RAGGED || (i + 1) * PHASES > FRAMES) && part + i * PHASES > last ? end : v[i];
  #pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const float a = i >= 2 * S ? old[i >= 2 * S ? i - 2 * S : 0] : first;
    const float b = i >= S ? old[i >= S ? i - S : 0] : first;
    const float c = i + S < ROWS ? old[i + S < ROWS ? i + S : 0] : end;
    const float d = i + 2 * S < ROWS ? old[i + 2 * S < ROWS ? i + 2 * S : 0] : end;
    v[i] = 0.0625f * (a + d) + (0.25f * (b + c) + 0.375f * old[i]);
    sum[i] += weight * v[i];
  }
}

extern "C" __global__ void __launch_bounds__(PHASES * TILE, BLOCKS)
equalize(const float* __restrict__ x, const float* __restrict__ weights, const int* __restrict__ lengths,
         float* __restrict__ out) {
  __shared__ float low[PHASES * ROWS * TILE];
  KEPT_ROOM
  __shared__ float ends[2][2 * TILE];
  __shared__ float weight[BANDS + 1];
  const int clip = blockIdx.x, lane = threadIdx.x % TILE, part = threadIdx.x / TILE;
  const int channel = blockIdx.y * TILE + lane;
  const int last = RAGGED ? lengths[clip] - 1 : FRAMES - 1;
  const bool there = CHANNELS % TILE == 0 || channel < CHANNELS;
  const long long base = (long long)clip * FRAMES * CHANNELS + (there ? channel : 0);
  for (int k = threadIdx.x; k <= BANDS; k += PHASES * TILE) weight[k] = weights[clip * (BANDS + 1) + k];

  // A row of frames after another, with what lies around it: the fast bands stay in registers.
  {
    float v[WIDTH], sum[ROWS];
    const int start = part * ROWS - HALO;
    if (start >= 0 && start + WIDTH - 1 <= last) {
      const float* from = x + base + (long long)start * CHANNELS;
      #pragma unroll
      for (int i = 0; i < WIDTH; ++i) v[i] = __ldg(from + i * CHANNELS);
    } else {
      const float* from = x + base;
      #pragma unroll
      for (int i = 0; i < WIDTH; ++i) v[i] = __ldg(from + min(max(start + i, 0), last) * CHANNELS);
    }
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < ROWS; ++i) sum[i] = weight[0] * v[i + HALO];
    FAST_BANDS
    #pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const int frame = part * ROWS + i;
      low[frame * TILE + lane] = v[i + HALO];
      SAVE
    }
  }
  __syncthreads();

  // Frames that lie PHASES apart: the slow bands stay in registers.
  float v[ROWS], sum[ROWS];
  #pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const int frame = part + i * PHASES;
    v[i] = low[frame * TILE + lane];
    sum[i] = LOAD;
  }
  SLOW_BANDS
  if (RAGGED) {  // what lies beyond the end of a shorter clip repeats its last frame
    __syncthreads();
    if (part == last % PHASES) {
      #pragma unroll
      for (int i = 0; i < ROWS; ++i) if (i == last / PHASES) ends[0][lane] = sum[i];
    }
    __syncthreads();
    const float held = ends[0][lane];
    #pragma unroll
    for (int i = 0; i < ROWS; ++i) if (part + i * PHASES > last) sum[i] = held;
  }
  if (!there) return;
  float* to = out + base + part * CHANNELS;
  #pragma unroll
  for (int i = 0; i < ROWS; ++i)
    if (part + i * PHASES < FRAMES) to[i * PHASES * CHANNELS] = sum[i];
}
"""


def equalize_source(
    frames: int, channels: int, *, ragged: bool, phases: int | None = None, tile: int | None = None, blocks: int = 0
) -> tuple[str, int, int]:
    """The kernel for signals of at most so many frames; how many threads a block has, and how many channels."""
    if phases is None:
        phases = 2
        while -(-frames // phases) > _ROWS and phases < 64:
            phases *= 2
    rows, halo = -(-frames // phases), 2 * (phases - 1)
    if tile is None:
        tile = max(1, min(128 // phases if phases > 8 else _TILE, (_SHARED - 1024) // (4 * phases * rows), channels))
    both = 2 * phases * rows * tile * 4 + 1024 <= _SHARED
    bands, fast = max(frames, 1).bit_length() - 1, phases.bit_length() - 1
    swaps = {
        "FAST_BANDS": "\n    ".join(
            f'fast<{1 << k}>(v, start, last);\n    _Pragma("unroll")\n'
            f"    for (int i = 0; i < ROWS; ++i) sum[i] += weight[{k + 1}] * v[i + HALO];"
            for k in range(fast)
        ),
        "SLOW_BANDS": "\n  ".join(
            f"slow<{1 << k - fast}>(v, sum, weight[{k + 1}], ends[{k & 1}], lane, part, last);"
            for k in range(fast, bands)
        ),
        "KEPT_ROOM": "__shared__ float kept[PHASES * ROWS * TILE];" if both else "",
        "SAVE": "kept[frame * TILE + lane] = sum[i];"
        if both
        else "if (there && frame <= last) out[base + (long long)frame * CHANNELS] = sum[i];",
        "LOAD": "kept[frame * TILE + lane]"
        if both
        else "there && frame <= last ? out[base + (long long)frame * CHANNELS] : 0.0f",
    }
    source = _EQUALIZE
    for name, text in swaps.items():
        source = source.replace(name, text)
    sizes = {
        "FRAMES": frames,
        "CHANNELS": channels,
        "BANDS": bands,
        "PHASES": phases,
        "ROWS": rows,
        "HALO": halo,
        "TILE": tile,
        "RAGGED": int(ragged),
        "LAST_ALONE": int((phases - 1) * rows - 1 + halo <= frames - 1),
        "BLOCKS": blocks or max(1, 512 // (phases * tile)),
    }
    return "".join(f"#define {name} {value}\n" for name, value in sizes.items()) + source, phases * tile, tile


def can_equalize(signal: Tensor) -> bool:
    """Whether the kernel suits a batch (batch, frames, ...); very short and very long clips go the plain way."""
    return 64 <= signal.shape[1] <= _MOST_FRAMES and signal.numel() > 0 and _suits(signal)


def equalize(signal: Tensor, weights: Tensor, lengths: Tensor | None) -> Tensor:
    """Signals (batch, frames, ...) times band weights (batch, bands + 1); padding holds the last frame."""
    batch, frames = signal.shape[:2]
    flat = signal.contiguous().reshape(batch, frames, -1)
    channels = flat.shape[2]
    source, threads, tile = equalize_source(frames, channels, ragged=lengths is not None)
    out = torch.empty_like(flat)
    _compile(source, "equalize")(
        grid=(batch, -(-channels // tile), 1),
        block=(threads, 1, 1),
        args=(flat, weights.contiguous(), _ends(lengths, batch, frames, signal.device), out),
    )
    return out.reshape(signal.shape)


def _ends(lengths: Tensor | None, batch: int, frames: int, device: torch.device) -> Tensor:
    if lengths is None:
        return torch.full((batch,), frames, dtype=torch.int32, device=device)
    return lengths.to(device, torch.int32)


# --- kinematics


def place_source(parents: Sequence[int]) -> tuple[str, int]:
    """A kernel for the joints of one skeleton, and how many frames a block of it takes.

    Every thread takes a frame. Rotations come in, and positions go out, through shared memory, so that the device's
    memory is read and written in order; rows are one number longer than needed, so that threads do not wait in line.
    """
    joints = len(parents)
    wide, out_wide = joints | 1, 3 * joints | 1
    frames = 128
    while frames > 32 and frames * (16 * wide + 4 * out_wide) > _SHARED:
        frames //= 2
    has_child = set(parents)
    lines = []
    for joint, parent in enumerate(parents):
        if parent >= 0:
            p = f"{parent}"
            lines.append(
                f"{{ const float ox = offset({joint}, 0), oy = offset({joint}, 1), oz = offset({joint}, 2);"
                f" const float tx = 2.0f * (y{p} * oz - z{p} * oy), ty = 2.0f * (z{p} * ox - x{p} * oz),"
                f" tz = 2.0f * (x{p} * oy - y{p} * ox);"
                f" a{joint} = a{p} + ox + w{p} * tx + y{p} * tz - z{p} * ty;"
                f" b{joint} = b{p} + oy + w{p} * ty + z{p} * tx - x{p} * tz;"
                f" c{joint} = c{p} + oz + w{p} * tz + x{p} * ty - y{p} * tx; }}"
            )
        elif joint:
            lines.append(
                f"a{joint} = offset({joint}, 0); b{joint} = offset({joint}, 1); c{joint} = offset({joint}, 2);"
            )
        else:
            lines.append("a0 = root[3 * frame]; b0 = root[3 * frame + 1]; c0 = root[3 * frame + 2];")
        if joint in has_child:
            if parent >= 0:
                p = f"{parent}"
                lines.append(
                    f"{{ const float4 q = mine[{joint}];"
                    f" w{joint} = w{p} * q.x - x{p} * q.y - y{p} * q.z - z{p} * q.w;"
                    f" x{joint} = w{p} * q.y + x{p} * q.x + y{p} * q.w - z{p} * q.z;"
                    f" y{joint} = w{p} * q.z - x{p} * q.w + y{p} * q.x + z{p} * q.y;"
                    f" z{joint} = w{p} * q.w + x{p} * q.z - y{p} * q.y + z{p} * q.x; }}"
                )
            else:
                lines.append(
                    f"{{ const float4 q = mine[{joint}]; w{joint} = q.x; x{joint} = q.y; y{joint} = q.z;"
                    f" z{joint} = q.w; }}"
                )
        lines.append(f"to[{3 * joint}] = a{joint}; to[{3 * joint + 1}] = b{joint}; to[{3 * joint + 2}] = c{joint};")
    names = "".join(f"  float a{j}, b{j}, c{j};\n" for j in range(joints))
    names += "".join(f"  float w{j}, x{j}, y{j}, z{j};\n" for j in range(joints) if j in has_child)
    body = "\n    ".join(lines)
    return (
        f"""
#define offset(joint, axis) offsets[3 * joint + axis]
extern "C" __global__ void __launch_bounds__({frames})
place(const float4* rotations, const float* root, const float* offsets, float* positions, int count) {{
  __shared__ float4 turns[{frames} * {wide}];
  __shared__ float places[{frames} * {out_wide}];
  const long long start = (long long)blockIdx.x * {frames};
  const int here = (int)min((long long){frames}, (long long)count - start);
  for (int i = threadIdx.x; i < here * {joints}; i += {frames})
    turns[i / {joints} * {wide} + i % {joints}] = rotations[start * {joints} + i];
  __syncthreads();
  if (threadIdx.x < here) {{
    const long long frame = start + threadIdx.x;
    const float4* mine = turns + threadIdx.x * {wide};
    float* to = places + threadIdx.x * {out_wide};
{names}
    {body}
  }}
  __syncthreads();
  for (int i = threadIdx.x; i < here * {3 * joints}; i += {frames})
    positions[start * {3 * joints} + i] = places[i / {3 * joints} * {out_wide} + i % {3 * joints}];
}}
""",
        frames,
    )


def can_place(rotations: Tensor, root: Tensor, offsets: Tensor) -> bool:
    """Whether the kernel suits: skeletons whose rows fit into shared memory."""
    return rotations.shape[-2] <= 160 and rotations.numel() > 0 and _suits(rotations, root, offsets)


def place(parents: tuple[int, ...], offsets: Tensor, root: Tensor, rotations: Tensor) -> Tensor:
    """World positions (..., joints, 3)."""
    source, frames = place_source(parents)
    kernel = _compile(source, "place")
    count = root.numel() // 3
    positions = torch.empty(*rotations.shape[:-1], 3, dtype=rotations.dtype, device=rotations.device)
    kernel(
        grid=(-(-count // frames), 1, 1),
        block=(frames, 1, 1),
        args=(rotations.contiguous(), root.contiguous(), offsets.contiguous(), positions, count),
    )
    return positions


# --- time warps

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
    fits = rows <= _MOST_ROWS and -(-rows // (32 * _CELLS)) * columns * size <= _SHARED and columns < 32768
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
    kernel = _compile("".join(f"#define {name} {value}\n" for name, value in sizes.items()) + _WARP, "warp_tables")
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
    kernel = _compile(_WALK, "warp_paths")
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


# --- inverse blending

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
    fits = examples <= 32 and 8 * examples * (4 * links + 6) <= _SHARED
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
    source = "".join(f"#define {name} {value}\n" for name, value in sizes.items()) + _SEARCH
    _compile(source, "search")(
        grid=(-(-problems // 64), 1, 1),
        block=(64, 1, 1),
        args=(*(t.contiguous() for t in (rotations, offsets, base, alone, targets)), weights, left, problems, k),
    )
    return weights, left
