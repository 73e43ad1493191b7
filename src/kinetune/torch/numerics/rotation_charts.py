"""Rotations of batches as smooth curves of three numbers, as ``kinetune.signals.rotation_curves`` has them.

The curves of a joint are rotation vectors around its own mean, unrolled over time; a joint that turns far around is
split into a spin, which counts revolutions, and a lean. Gradients flow through rotations, means and curves; the axis of
a spin is taken as given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
from kinetune.errors import ParameterError
from kinetune.torch.numerics.quaternions import exp, inverse, log, multiply, normalize
from kinetune.torch.numerics.ragged import frame_mask, hold_last
from torch import Tensor

_FAR = 1.25 * math.pi
_TIE = 1e-6
_NO_AXIS = 1e-12


@dataclass(frozen=True, eq=False)
class TensorCurves:
    """Rotation curves of a batch and how to turn them back into rotations.

    center : (batch, joints, 4) mean rotations. curves : (batch, frames, joints, 3) radians.
    axis : (batch, joints, 3) unit axis of the spin of a joint that turns far around, 0 for all others.
    carried : (batch, joints) whether that axis turns with the joint or stays with its parent.
    """

    center: Tensor
    curves: Tensor
    axis: Tensor
    carried: Tensor

    def with_curves(self, curves: Tensor) -> TensorCurves:
        """The same means and axes with other curves, of any number of frames."""
        return replace(self, curves=curves)


def to_curves(rotations: Tensor, lengths: Tensor | None = None, center: Tensor | None = None) -> TensorCurves:
    """Rotations (batch, frames, joints, 4) as continuous curves around each joint's mean, or around given centres."""
    batch, frames, joints = rotations.shape[:3]
    mask = frame_mask(lengths, batch, frames, rotations)
    middle = _means(rotations, mask, lengths) if center is None else center
    relative = multiply(inverse(middle)[:, None], rotations)
    curves, far = _plain(relative, mask)
    axis = torch.zeros_like(curves[:, 0])
    carried = torch.zeros(batch, joints, dtype=torch.bool, device=rotations.device)
    if center is None:
        for b, j in far:
            count = frames if lengths is None else int(lengths[b])
            q = relative[b, :count, j]
            for along, moves in _spin_axes(q.detach()):
                spun = _spin(q, along, moves)
                if _length(spun) < _length(curves[b, :count, j]):
                    column = torch.cat([spun, spun[-1:].expand(frames - count, 3)])
                    curves = curves.clone()
                    curves[b, :, j] = column
                    axis[b, j], carried[b, j] = along, moves
    return TensorCurves(middle, hold_last(curves, lengths), axis, carried)


def to_rotations(curves: TensorCurves) -> Tensor:
    """Unit quaternions (batch, frames, joints, 4) of curves; the inverse of :func:`to_curves`."""
    relative = exp(curves.curves)
    spinning = curves.axis.abs().sum(-1) > 0
    if bool(spinning.any()):
        axis = curves.axis[:, None]
        turns = (curves.curves * axis).sum(-1, keepdim=True)
        spin, lean = exp(turns * axis), exp(curves.curves - turns * axis)
        split = torch.where(curves.carried[:, None, :, None], multiply(lean, spin), multiply(spin, lean))
        relative = torch.where(spinning[:, None, :, None], split, relative)
    return multiply(curves.center[:, None], relative)


def _means(q: Tensor, mask: Tensor, lengths: Tensor | None) -> Tensor:
    """The mean rotation of each joint (batch, joints, 4), differentiable.

    The dominant eigenvector v of A changes by the pseudo-inverse of (lambda - A) times dA v; written so that the value
    is v itself and the derivative that one, without the derivatives of the other eigenvectors, which need not exist.
    """
    exact = q.to(torch.float64)
    moments = torch.einsum("bf,bfji,bfjk->bjik", mask.to(torch.float64), exact, exact)
    try:
        values, vectors = torch.linalg.eigh(moments.detach())
    except torch.linalg.LinAlgError:  # type: ignore[attr-defined]
        raise ParameterError("The batch holds a value that is not a finite number: look for NaN in it first.") from None
    top = vectors[..., -1]
    gaps = values[..., -1:] - values
    clear = gaps[..., -2] > _TIE * values[..., -1]
    safe = torch.where(gaps > _TIE * values[..., -1:], 1.0 / gaps.clamp_min(1e-300), torch.zeros_like(gaps))
    change = torch.einsum("bjik,bjk->bji", moments - moments.detach(), top)
    top = top + torch.einsum("bjik,bjk,bjlk,bjl->bji", vectors, safe, vectors, change)
    counts = mask.sum(1).cpu() if lengths is not None else torch.full((len(q),), q.shape[1])
    middle = exact[torch.arange(len(q), device=q.device), (counts // 2).to(q.device)]
    best = torch.where(clear[..., None], top, middle)
    best = torch.where(best[..., :1] < 0, -best, best)
    return normalize(best).to(q.dtype)


def _plain(relative: Tensor, mask: Tensor) -> tuple[Tensor, list[tuple[int, int]]]:
    """Unrolled rotation vectors, and which joints of which clips go far from their mean."""
    short = log(relative)
    seen = short.detach()
    angles = seen.norm(dim=-1)
    along = (seen[:, 1:] * seen[:, :-1]).sum(-1)
    jumps = (angles[:, 1:] ** 2 - along > math.pi * angles[:, 1:]) | (
        angles[:, :-1] ** 2 - along > math.pi * angles[:, :-1]
    )
    jumps = jumps & mask[:, 1:, None]
    far = []
    for b, j in jumps.any(1).nonzero().tolist():
        count = int(mask[b].sum())
        turns = _unrolled_turns(seen[b, :count, j].double().cpu(), int(angles[b, :count, j].argmin()))
        turns = turns.to(short)
        angle = angles[b, :count, j].clamp_min(_NO_AXIS)
        column = short[b, :count, j] * (1.0 + math.tau * turns / angle)[:, None]
        short = short.clone()
        short[b, :count, j] = column
        if float(column.detach().norm(dim=-1).max()) > _FAR:
            far.append((b, j))
    return short, far


def _unrolled_turns(short: Tensor, anchor: int) -> Tensor:
    """How many revolutions to add to each rotation vector so that neighbours follow each other most closely."""
    rows, turns = short.tolist(), [0.0] * len(short)
    for frames in (range(anchor + 1, len(rows)), range(anchor - 1, -1, -1)):
        x, y, z = rows[anchor]
        for frame in frames:
            sx, sy, sz = rows[frame]
            angle = math.sqrt(sx * sx + sy * sy + sz * sz)
            if angle <= _NO_AXIS:
                continue
            ax, ay, az = sx / angle, sy / angle, sz / angle
            more = round((x * ax + y * ay + z * az - angle) / math.tau)
            turns[frame] = float(more)
            angle += math.tau * more
            x, y, z = angle * ax, angle * ay, angle * az
    return torch.tensor(turns, dtype=torch.float64)


def _spin_axes(relative: Tensor) -> list[tuple[Tensor, bool]]:
    """Axes about which a joint turns most: one that stays with its parent, and one that it carries along."""
    if len(relative) < 2:
        return []
    parent_side = log(multiply(relative[1:], inverse(relative[:-1])))
    own_side = log(multiply(inverse(relative[:-1]), relative[1:]))
    return [(_main_direction(steps), carried) for steps, carried in ((parent_side, False), (own_side, True))]


def _main_direction(steps: Tensor) -> Tensor:
    exact = steps.double()
    best = torch.linalg.eigh(exact.T @ exact)[1][:, -1]
    return (-best if float(exact.sum(0) @ best) < 0 else best).to(steps.dtype)


def _spin(relative: Tensor, axis: Tensor, carried: bool) -> Tensor:
    """Turns about an axis, counted on and on, plus the lean across it: (frames, 3)."""
    q = relative if carried else inverse(relative)
    twist = normalize(torch.cat([q[:, :1], (q[:, 1:] @ axis)[:, None] * axis], dim=-1))
    lean = log(multiply(q, inverse(twist)))
    if not carried:
        lean, twist = -lean, inverse(twist)
    turns = unwrap(2.0 * torch.atan2(twist[:, 1:] @ axis, twist[:, 0]))
    nearest = int(relative[:, 0].abs().argmax())
    turns = turns - math.tau * torch.round(turns[nearest].detach() / math.tau)
    lean = lean - (lean @ axis)[:, None] * axis
    return lean + turns[:, None] * axis


def unwrap(angles: Tensor, dim: int = 0) -> Tensor:
    """Angles that follow each other without jumps by whole turns."""
    steps = angles.detach().diff(dim=dim)
    turns = -torch.round(steps / math.tau).cumsum(dim)
    return angles + math.tau * torch.cat([torch.zeros_like(angles.narrow(dim, 0, 1)), turns], dim=dim)


def _length(curve: Tensor) -> float:
    return float(curve.detach().diff(dim=0).norm(dim=-1).sum())
