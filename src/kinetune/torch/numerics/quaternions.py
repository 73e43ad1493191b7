"""Rotations as tensors: unit quaternions (..., 4) in the order w x y z and rotation vectors (..., 3), in radians.

The same functions as in :mod:`kinetune.rotations`, differentiable and on any device; leading axes broadcast.
"""

from __future__ import annotations

import torch
from torch import Tensor

_TINY = 1e-12


def multiply(a: Tensor, b: Tensor) -> Tensor:
    """The rotation that rotates by b, then by a (Hamilton product)."""
    aw, ax, ay, az = a.unbind(-1)
    bw, bx, by, bz = b.unbind(-1)
    return torch.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        dim=-1,
    )


def inverse(q: Tensor) -> Tensor:
    """The rotation that undoes q (a unit quaternion)."""
    return torch.cat([q[..., :1], -q[..., 1:]], dim=-1)


def normalize(q: Tensor) -> Tensor:
    """q scaled to unit length."""
    return q / q.norm(dim=-1, keepdim=True).clamp_min(_TINY)


def rotate(q: Tensor, vectors: Tensor) -> Tensor:
    """Vectors (..., 3) rotated by q (..., 4)."""
    axis = q[..., 1:]
    axis, vectors = torch.broadcast_tensors(axis, vectors)
    twice = 2.0 * torch.linalg.cross(axis, vectors, dim=-1)
    return vectors + q[..., :1] * twice + torch.linalg.cross(axis, twice, dim=-1)


def exp(rotation_vector: Tensor) -> Tensor:
    """The quaternion of a rotation vector: its direction is the axis, its length the angle."""
    square = (rotation_vector * rotation_vector).sum(-1, keepdim=True)
    small = square < _small(rotation_vector.dtype)
    half = 0.5 * torch.where(small, torch.ones_like(square), square).sqrt()
    share = torch.where(small, 0.5 - square / 48.0, 0.5 * torch.sin(half) / half)
    return torch.cat([torch.where(small, 1.0 - square / 8.0, torch.cos(half)), share * rotation_vector], dim=-1)


def log(q: Tensor) -> Tensor:
    """The rotation vector of a quaternion, the short way round: its length is at most pi."""
    q = torch.where(q[..., :1] < 0, -q, q)
    square = (q[..., 1:] * q[..., 1:]).sum(-1, keepdim=True)
    small = square < _small(q.dtype)
    sine = torch.where(small, torch.ones_like(square), square).sqrt()
    w = q[..., :1]
    safe = torch.where(small, w, torch.ones_like(w))
    share = torch.where(small, 2.0 / safe - 2.0 * square / (3.0 * safe**3), 2.0 * torch.atan2(sine, w) / sine)
    return share * q[..., 1:]


def _small(dtype: torch.dtype) -> float:
    """Squares of sines below which the series is exact to rounding; its derivative too."""
    return 1e-5 if dtype == torch.float32 else 1e-9


def slerp(a: Tensor, b: Tensor, t: Tensor | float) -> Tensor:
    """The way from a (t = 0) to b (t = 1) at constant speed along the shorter arc; t has one axis less than a."""
    share = torch.as_tensor(t, dtype=a.dtype, device=a.device)[..., None]
    return multiply(a, exp(share * log(multiply(inverse(a), b))))


def to_matrix(q: Tensor) -> Tensor:
    """Rotation matrices (..., 3, 3) whose columns are the rotated axes."""
    w, x, y, z = q.unbind(-1)
    rows = [
        1 - 2 * (y * y + z * z),
        2 * (x * y - w * z),
        2 * (x * z + w * y),
        2 * (x * y + w * z),
        1 - 2 * (x * x + z * z),
        2 * (y * z - w * x),
        2 * (x * z - w * y),
        2 * (y * z + w * x),
        1 - 2 * (x * x + y * y),
    ]
    return torch.stack(rows, dim=-1).unflatten(-1, (3, 3))


def to_six(q: Tensor) -> Tensor:
    """The first two columns of the matrix (..., 6), the representation that networks learn best."""
    return to_matrix(q)[..., :, :2].transpose(-1, -2).flatten(-2)


def from_six(six: Tensor) -> Tensor:
    """Quaternions of two columns (..., 6) that need be neither of unit length nor at right angles."""
    first = torch.nn.functional.normalize(six[..., :3], dim=-1)
    second = six[..., 3:] - (first * six[..., 3:]).sum(-1, keepdim=True) * first
    second = torch.nn.functional.normalize(second, dim=-1)
    return from_matrix(torch.stack([first, second, torch.linalg.cross(first, second, dim=-1)], dim=-1))


def from_matrix(matrix: Tensor) -> Tensor:
    """Quaternions of rotation matrices (..., 3, 3), by the largest of the four components."""
    m = matrix
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    candidates = torch.stack(
        [
            torch.stack([1 + xx + yy + zz, wx, wy, wz], dim=-1),
            torch.stack([wx, 1 + xx - yy - zz, xy, xz], dim=-1),
            torch.stack([wy, xy, 1 - xx + yy - zz, yz], dim=-1),
            torch.stack([wz, xz, yz, 1 - xx - yy + zz], dim=-1),
        ],
        dim=-2,
    )
    best = candidates.diagonal(dim1=-2, dim2=-1).argmax(dim=-1)
    return normalize(candidates.gather(-2, best[..., None, None].expand(*best.shape, 1, 4)).squeeze(-2))


def continuous(q: Tensor, dim: int = -3) -> Tensor:
    """The same rotations with signs chosen so that neighbours in time lie in one hemisphere."""
    moved = q.movedim(dim, 0)
    flips = (moved[1:] * moved[:-1]).sum(-1) < 0
    signs = torch.where(flips.cumsum(0) % 2 == 1, -1.0, 1.0).to(q.dtype)
    return torch.cat([moved[:1], moved[1:] * signs[..., None]]).movedim(0, dim)


def about_y(radians: Tensor) -> Tensor:
    """A turn about the vertical; positive is to the left of a figure that looks along +Z."""
    half, zero = 0.5 * radians, torch.zeros_like(radians)
    return torch.stack([torch.cos(half), zero, torch.sin(half), zero], dim=-1)
