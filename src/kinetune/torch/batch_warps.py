r"""Time warps of many pairs of motions at once.

==============  =================================================================================
warp_costs      the cost of the best path of each pair
warp_paths      the paths themselves, those of ``kt.time_warp``
soft_warp       a smooth minimum over all paths, with gradients (soft-DTW)
==============  =================================================================================

With S the running sum of a row's distances, :math:`D_{ij} = c_{ij} + \min(D_{i-1,j}, D_{i-1,j-1}, D_{i,j-1})` is
:math:`S_j + \min_{k \le j}(\min(D_{i-1,k}, D_{i-1,k-1}) - S_{k-1})`: two scans a row, which is how the plain code goes.
On a GPU a kernel fills the table along its diagonals (:mod:`kinetune.torch.gpu.warp_kernels`).

[soft] M. Cuturi and M. Blondel, "Soft-DTW: a differentiable loss function for time series", ICML 2017.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from kinetune.errors import ParameterError
from kinetune.torch.numerics.ragged import checked_lengths
from kinetune.torch.numerics.tensor_checks import check_one_device, check_tensors
from torch import Tensor


def warp_costs(a: Tensor, b: Tensor, lengths_a: Tensor | None = None, lengths_b: Tensor | None = None) -> Tensor:
    """The cost of the best path of each pair, (pairs,): the sum of distances of poses along it.

    Parameters
    ----------
    a, b : Tensor, shapes (pairs, frames of a, channels) and (pairs, frames of b, channels)
    lengths_a, lengths_b : Tensor, shape (pairs,), optional
        Frames of each signal, where they differ.
    """
    rows, columns = _checked(a, b, lengths_a, lengths_b)
    from kinetune.torch.gpu import warp_kernels

    if warp_kernels.can_warp(a, b) and not (a.requires_grad or b.requires_grad):
        return warp_kernels.warp_tables(*_products(a, b), rows.to(a.device), columns.to(a.device), keep=False)[0]
    table = _table(_distances(a, b), rows, columns)
    return table[torch.arange(len(a)), rows.long() - 1, columns.long() - 1]


class WarpPaths(NamedTuple):
    """The best paths of many pairs.

    pairs : (pairs, steps, 2) frames of a and b that correspond, first to last; the last one fills up.
    lengths : (pairs,) how many steps each path has.
    """

    pairs: Tensor
    lengths: Tensor

    def __getitem__(self, number: int) -> Tensor:  # type: ignore[override]
        """The path of one pair, (steps, 2)."""
        return self.pairs[number, : int(self.lengths[number])]


def warp_paths(a: Tensor, b: Tensor, lengths_a: Tensor | None = None, lengths_b: Tensor | None = None) -> WarpPaths:
    """The best path of each pair; parameters as in :func:`warp_costs`.

    Distances and sums are taken in double precision, so that the paths are those of ``kt.time_warp``; where two cost
    the same to the last digits, either may come out.
    """
    rows, columns = _checked(a, b, lengths_a, lengths_b)
    from kinetune.torch.gpu import warp_kernels

    x, y = a.detach().double(), b.detach().double()
    if warp_kernels.can_warp(x, y):
        n, m = rows.to(a.device), columns.to(a.device)
        _, steps = warp_kernels.warp_tables(*_products(x, y), n, m, keep=True)
        assert steps is not None
        back, counts = warp_kernels.warp_paths(steps, b.shape[1], n, m)
    else:
        table = _table(_distances(x, y), rows, columns).cpu()
        ways = [_walk(table[k], int(n) - 1, int(m) - 1) for k, (n, m) in enumerate(zip(rows, columns, strict=True))]
        back = torch.nn.utils.rnn.pad_sequence(ways, batch_first=True).to(a.device)
        counts = torch.tensor([len(way) for way in ways], device=a.device)
    steps_from_end = counts.long()[:, None] - 1 - torch.arange(back.shape[1], device=a.device)
    order = steps_from_end.clamp_min(0)[..., None].expand(-1, -1, 2)
    return WarpPaths(back.long().gather(1, order), counts.long())


def soft_warp(
    a: Tensor,
    b: Tensor,
    gamma: float = 0.1,
    lengths_a: Tensor | None = None,
    lengths_b: Tensor | None = None,
) -> Tensor:
    """Soft-DTW of each pair, (pairs,), differentiable: squared distances summed along softly weighted paths.

    Parameters
    ----------
    gamma : float
        How soft the minimum is, in squared units of the signals; towards 0 it becomes the cost of the best path.
    """
    if not gamma > 0:
        raise ParameterError(f"gamma must be a positive number, not {gamma}.")
    rows, columns = _checked(a, b, lengths_a, lengths_b)
    xx, yy = (a * a).sum(-1), (b * b).sum(-1)
    squares = (xx[:, :, None] + yy[:, None, :] - 2.0 * a @ b.transpose(1, 2)).clamp_min(0.0)
    pairs, n, m = squares.shape
    far = torch.full((pairs, 1), torch.inf, dtype=a.dtype, device=a.device)
    before = torch.full((pairs, n + 1), torch.inf, dtype=a.dtype, device=a.device)
    two_before = before.clone()
    two_before[:, 0] = 0.0
    diagonal = rows.to(a.device).long() + columns.to(a.device).long() - 2
    result = torch.zeros(pairs, dtype=a.dtype, device=a.device)
    row = torch.arange(n, device=a.device)
    for t in range(n + m - 1):  # along a diagonal, all cells at once
        column = t - row
        inside = (column >= 0) & (column < m)
        cost = squares[:, row, column.clamp(0, m - 1)]
        options = torch.stack([two_before[:, :-1], before[:, :-1], before[:, 1:]])
        least = options.detach().amin(0)
        known = torch.isfinite(least)
        base = torch.where(known, least, torch.zeros_like(least))
        soft = base - gamma * torch.logsumexp(
            torch.where(known, -(options - base) / gamma, torch.zeros_like(options)), 0
        )
        here = torch.where(inside & known, cost + soft, torch.full_like(cost, torch.inf))
        result = torch.where(diagonal == t, here[torch.arange(pairs), rows.to(a.device).long() - 1], result)
        two_before, before = before, torch.cat([far, here], dim=1)
    return result


def _checked(a: Tensor, b: Tensor, lengths_a: Tensor | None, lengths_b: Tensor | None) -> tuple[Tensor, Tensor]:
    check_tensors(a=a, b=b)
    if a.ndim != 3 or b.ndim != 3 or len(a) != len(b) or a.shape[2] != b.shape[2] or 0 in a.shape or 0 in b.shape:
        raise ParameterError(
            f"Pairs of signals are (pairs, frames, channels) with the same pairs and channels; got "
            f"{tuple(a.shape)} and {tuple(b.shape)}."
        )
    check_one_device(a=a, b=b)
    counts = []
    for signal, lengths in ((a, lengths_a), (b, lengths_b)):
        known = checked_lengths(lengths, len(signal), signal.shape[1])
        counts.append(torch.full((len(signal),), signal.shape[1]) if known is None else known)
    return counts[0].to(torch.int32), counts[1].to(torch.int32)


def _products(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Products of poses and their squares, about the mean pose, where subtraction loses fewest digits."""
    center = b.mean(1, keepdim=True)
    a, b = a - center, b - center
    squares = (torch.linalg.vector_norm(x, dim=-1) ** 2 for x in (a, b))
    return torch.bmm(a, b.transpose(1, 2)), *squares


def _distances(a: Tensor, b: Tensor) -> Tensor:
    return torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist")


def _table(costs: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """The cost of the best path to each cell, (pairs, rows, columns)."""
    lines = [costs[:, 0].cumsum(1)]
    far = torch.full_like(costs[:, 0, :1], torch.inf)
    for i in range(1, costs.shape[1]):
        above = lines[-1]
        sums = costs[:, i].cumsum(1)
        enter = torch.minimum(above, torch.cat([far, above[:, :-1]], dim=1))
        shifted = torch.cat([torch.zeros_like(sums[:, :1]), sums[:, :-1]], dim=1)
        lines.append(sums + (enter - shifted).cummin(1).values)
    return torch.stack(lines, dim=1)


def _walk(table: Tensor, i: int, j: int) -> Tensor:
    """Back from a cell to the first, diagonally where there is a choice, then along a: (steps, 2)."""
    values = table.numpy()
    path = [(i, j)]
    while i or j:
        diagonal = values[i - 1, j - 1] if i and j else torch.inf
        up = values[i - 1, j] if i else torch.inf
        left = values[i, j - 1] if j else torch.inf
        best = min(diagonal, up, left)
        i, j = (i - 1, j - 1) if best == diagonal else (i - 1, j) if best == up else (i, j - 1)
        path.append((i, j))
    return torch.tensor(path)
