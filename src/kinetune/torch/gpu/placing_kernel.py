"""Kinematics: joint positions, by a kernel that is written for the skeleton."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from kinetune.torch.gpu.runtime_compiler import SHARED_BYTES, compile_kernel, suits
from torch import Tensor


def place_source(parents: Sequence[int]) -> tuple[str, int]:
    """A kernel for the joints of one skeleton, and how many frames a block of it takes.

    Every thread takes a frame. Rotations come in, and positions go out, through shared memory, so that the device's
    memory is read and written in order; rows are one number longer than needed, so that threads do not wait in line.
    """
    joints = len(parents)
    wide, out_wide = joints | 1, 3 * joints | 1
    frames = 128
    while frames > 32 and frames * (16 * wide + 4 * out_wide) > SHARED_BYTES:
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
    return rotations.shape[-2] <= 160 and rotations.numel() > 0 and suits(rotations, root, offsets)


def place(parents: tuple[int, ...], offsets: Tensor, root: Tensor, rotations: Tensor) -> Tensor:
    """World positions (..., joints, 3)."""
    source, frames = place_source(parents)
    kernel = compile_kernel(source, "place")
    count = root.numel() // 3
    positions = torch.empty(*rotations.shape[:-1], 3, dtype=rotations.dtype, device=rotations.device)
    kernel(
        grid=(-(-count // frames), 1, 1),
        block=(frames, 1, 1),
        args=(rotations.contiguous(), root.contiguous(), offsets.contiguous(), positions, count),
    )
    return positions
