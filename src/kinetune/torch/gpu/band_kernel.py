"""Equalizing: all bands of a signal in one pass over the memory of the device."""

from __future__ import annotations

from functools import cache

import torch
from kinetune.torch.gpu.runtime_compiler import SHARED_BYTES, compile_kernel, suits, with_sizes
from torch import Tensor

_MOST_FRAMES = 2048
_ROWS = 48  # of frames that a thread holds in its registers
_MOST_PHASES = 16  # that a clip is divided into
_TILE = 16  # channels, of one clip or of neighbours, that a block takes at a time

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
         float* __restrict__ out, int columns) {
  __shared__ float low[PHASES * ROWS * TILE];
  KEPT_ROOM
  __shared__ float ends[2][2 * TILE];
  __shared__ float weights_here[(BANDS + 1) * TILE];
  const int lane = threadIdx.x % TILE, part = threadIdx.x / TILE, column = blockIdx.x * TILE + lane;
  const bool there = column < columns;
  const int clip = there ? column / CHANNELS : 0, channel = there ? column % CHANNELS : 0;
  const int last = RAGGED ? lengths[clip] - 1 : FRAMES - 1;
  const long long base = (long long)clip * FRAMES * CHANNELS + channel;
  const float* weight = weights_here + lane;
  for (int k = part; k <= BANDS; k += PHASES)
    weights_here[k * TILE + lane] = weights[(long long)clip * (BANDS + 1) + k];

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


@cache
def equalize_source(
    frames: int, channels: int, *, ragged: bool, phases: int | None = None, tile: int | None = None, blocks: int = 0
) -> tuple[str, int, int]:
    """The kernel for signals of at most so many frames; how many threads a block has, and how many channels."""
    if phases is None:
        phases = 2
        while -(-frames // phases) > _ROWS and phases < _MOST_PHASES:
            phases *= 2
    rows, halo = -(-frames // phases), 2 * (phases - 1)
    bands, fast = max(frames, 1).bit_length() - 1, phases.bit_length() - 1
    beside = bands + 5  # weights and ends, which share the memory with the frames
    if tile is None:
        tile = max(1, min(128 // phases if phases > 8 else _TILE, SHARED_BYTES // (4 * (phases * rows + beside))))
    both = 4 * tile * (2 * phases * rows + beside) <= SHARED_BYTES
    swaps = {
        "FAST_BANDS": "\n    ".join(
            f'fast<{1 << k}>(v, start, last);\n    _Pragma("unroll")\n'
            f"    for (int i = 0; i < ROWS; ++i) sum[i] += weight[{k + 1} * TILE] * v[i + HALO];"
            for k in range(fast)
        ),
        "SLOW_BANDS": "\n  ".join(
            f"slow<{1 << k - fast}>(v, sum, weight[{k + 1} * TILE], ends[{k & 1}], lane, part, last);"
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
    return with_sizes(source, sizes), phases * tile, tile


def can_equalize(signal: Tensor) -> bool:
    """Whether the kernel suits a batch (batch, frames, ...); very short and very long clips go the plain way."""
    return 64 <= signal.shape[1] <= _MOST_FRAMES and signal.numel() > 0 and suits(signal)


def equalize(signal: Tensor, weights: Tensor, lengths: Tensor | None) -> Tensor:
    """Signals (batch, frames, ...) times band weights (batch, bands + 1); padding holds the last frame."""
    batch, frames = signal.shape[:2]
    flat = signal.contiguous().reshape(batch, frames, -1)
    channels = flat.shape[2]
    source, threads, tile = equalize_source(frames, channels, ragged=lengths is not None)
    out = torch.empty_like(flat)
    compile_kernel(source, "equalize")(
        grid=(-(-batch * channels // tile), 1, 1),
        block=(threads, 1, 1),
        args=(flat, weights.contiguous(), _ends(lengths, batch, frames, signal.device), out, batch * channels),
    )
    return out.reshape(signal.shape)


def _ends(lengths: Tensor | None, batch: int, frames: int, device: torch.device) -> Tensor:
    if lengths is None:
        return torch.full((batch,), frames, dtype=torch.int32, device=device)
    return lengths.to(device, torch.int32)
