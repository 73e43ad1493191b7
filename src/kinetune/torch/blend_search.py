r"""Inverse blending of many targets at once: weights that bring a hand or foot of a blend to each of them.

The search of :mod:`kinetune.inverse.blend.weight_kernels` for one point: a compact kernel over the nearest examples
gives the first weights and a metric, damped Gauss-Newton steps on the simplex do the rest, and other starts are tried
where they fail. All problems take their steps together here; on a GPU every problem is a thread
(:mod:`kinetune.torch.gpu.search_kernel`). Laws: ``tests/torch/test_blend_search.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import torch
from kinetune.errors import ParameterError
from kinetune.torch.numerics import quaternions as quat
from kinetune.torch.numerics.tensor_checks import check_one_device, check_tensors, usable_device
from torch import Tensor

if TYPE_CHECKING:
    from kinetune.inverse.blend.inverse_blend import InverseBlend

ANCHOR, RIDGE, FLOOR, PULLS = 1e-8, 1e-10, 1e-2, 2
MOST_DAMPING = 1e6
TOLERANCE_M, ACCEPT_M = 1e-6, 1e-5
ITERATIONS, RESTARTS = 25, 3
_VIOLATED, _PATIENCE = -1e-11, 3
_CONSTANTS = {
    "TOLERANCE": TOLERANCE_M,
    "ACCEPT": ACCEPT_M,
    "FLOOR": FLOOR,
    "ANCHOR": ANCHOR,
    "RIDGE": RIDGE,
    "PULLS": PULLS,
    "ITERATIONS": ITERATIONS,
    "RESTARTS": RESTARTS,
    "MOST_DAMPING": MOST_DAMPING,
}


class BlendWeights(NamedTuple):
    """Blends that come nearest to some targets.

    weights : (problems, examples) each in [0, 1], rows with the sum 1.
    distance_m : (problems,) what is left, in metres.
    """

    weights: Tensor
    distance_m: Tensor


@dataclass(frozen=True, eq=False)
class BlendChain:
    """The joints from the root to an effector in one frame, all examples side by side.

    rotations : (links, 4, examples). offsets : (links, 3) to the next joint or the effector.
    base : (3, examples) where the chain begins.
    """

    rotations: Tensor
    offsets: Tensor
    base: Tensor

    @classmethod
    def of(
        cls,
        blend: InverseBlend,
        joint: str,
        *,
        frame: int = -1,
        device: torch.device | str | None = None,
        dtype: torch.dtype = torch.float64,
    ) -> BlendChain:
        """The chain of a joint of an :class:`kinetune.InverseBlend`."""
        from kinetune.inverse.blend.constraint_layout import Probe, pack_chains

        device = usable_device(device)
        examples = blend.example_set
        if examples.rotations != "quaternion" or examples.moving:
            raise ParameterError("A batch search takes examples blended as quaternions, on bones of fixed length.")
        effector = examples.effector(joint, None)
        chains = pack_chains(examples, (Probe(effector.joint, effector.offset, examples.frame(frame)),)).chains
        parts = (chains.rotations, chains.offsets[..., 0], chains.bases[0])
        return cls(*(torch.as_tensor(np.array(part), dtype=dtype, device=device) for part in parts))

    def __len__(self) -> int:
        """How many examples there are."""
        return self.base.shape[1]

    def places(self, weights: Tensor) -> Tensor:
        """Where the effector is for weights (problems, examples): (problems, 3), differentiable."""
        return self.evaluate(weights, slopes=False)[0]

    def evaluate(self, weights: Tensor, *, slopes: bool = True) -> tuple[Tensor, Tensor]:
        """Places (problems, 3) and how they move with each weight (problems, 3, examples)."""
        sums = torch.einsum("pn,lcn->plc", weights, self.rotations)
        lengths = sums.norm(dim=-1, keepdim=True).clamp_min(1e-12)
        local = sums / lengths
        place = weights @ self.base.T
        turned = torch.zeros_like(local[:, 0])
        turned[:, 0] = 1.0
        starts, parents = [], []
        for link in range(len(self.offsets)):
            starts.append(place)
            parents.append(turned)
            turned = quat.multiply(turned, local[:, link])
            place = place + quat.rotate(turned, self.offsets[link].expand_as(place))
        if not slopes:
            return place, place
        moves = self.base.expand(len(weights), *self.base.shape)
        for link, (start, parent) in enumerate(zip(starts, parents, strict=True)):
            back = quat.inverse(local[:, link])[:, None]
            rate = quat.multiply(self.rotations[link].T, back)[..., 1:] * (2.0 / lengths[:, link, :, None])
            spin = quat.rotate(parent[:, None], rate)
            moves = moves + torch.linalg.cross(spin, (place - start)[:, None].expand_as(spin), dim=-1).transpose(1, 2)
        return place, moves


def solve_points(chain: BlendChain, targets: Tensor, *, k: int = 8) -> BlendWeights:
    """Weights that bring the effector of a chain to each target, or as near as the examples can.

    Parameters
    ----------
    chain : BlendChain
    targets : Tensor, shape (problems, 3)
        In metres, in the frame of the examples.
    k : int, optional
        How many of the nearest examples matter most.
    """
    check_tensors(targets=targets)
    if targets.ndim != 2 or targets.shape[1] != 3 or len(targets) == 0:
        raise ParameterError(f"targets are (problems, 3) in metres; got {tuple(targets.shape)}.")
    check_one_device(targets=targets, examples=chain.base)
    if not bool(torch.isfinite(targets).all()):
        raise ParameterError("A target is not a number.")
    goals = targets.to(chain.base.dtype)
    alone = chain.evaluate(torch.eye(len(chain)).to(chain.base), slopes=False)[0]
    from kinetune.torch.gpu import search_kernel

    if search_kernel.can_search(chain.rotations, goals):
        return BlendWeights(
            *search_kernel.search(chain.rotations, chain.offsets, chain.base, alone, goals, k, _CONSTANTS)
        )
    distances = torch.cdist(goals, alone, compute_mode="donot_use_mm_for_euclid_dist")
    anchor, metric = _kernel_weights(distances, k)
    best, cost = _search(chain, goals, anchor, anchor, metric)
    for number in range(RESTARTS):
        open_ones = (cost > ACCEPT_M**2).nonzero()[:, 0]
        if len(open_ones) == 0:
            break
        start = _restart(number, open_ones, distances[open_ones])
        even = torch.ones_like(start)
        other, other_cost = _search(chain, goals[open_ones], anchor[open_ones], start, even)
        better = other_cost < cost[open_ones]
        best[open_ones[better]], cost[open_ones[better]] = other[better], other_cost[better]
    return BlendWeights(best, cost.sqrt())


def _kernel_weights(distances: Tensor, k: int) -> tuple[Tensor, Tensor]:
    n = distances.shape[1]
    ordered = distances.sort(1).values
    reach = (ordered[:, k] if k < n else 1.05 * ordered[:, -1]).clamp_min(1e-12)[:, None]
    share = (1.0 - (distances / reach) ** 2).clamp_min(0.0) ** 3
    share = torch.where(share.sum(1, keepdim=True) > 0, share, (distances <= reach).to(share))
    return share / share.sum(1, keepdim=True), share + FLOOR


def _restart(number: int, problems: Tensor, distances: Tensor) -> Tensor:
    """Other weights to begin from: even ones, mostly the nearest example, then at random."""
    count, n = distances.shape
    if number == 0:
        weights = torch.ones_like(distances)
    elif number == 1:
        weights = torch.ones_like(distances)
        weights[torch.arange(count), distances.argmin(1)] = 9.0 * n
    else:
        generator = torch.Generator().manual_seed(number)
        weights = (-torch.log(torch.rand(count, n, generator=generator).clamp_min(1e-9))).to(distances) ** 3
    return weights / weights.sum(1, keepdim=True)


def _search(chain: BlendChain, goals: Tensor, anchor: Tensor, start: Tensor, metric: Tensor) -> tuple[Tensor, Tensor]:
    """Levenberg-Marquardt on the simplex, all problems together: weights and squared distances."""
    weights = start.clone()
    place, slopes = chain.evaluate(weights)
    residual = place - goals
    cost = (residual**2).sum(1)
    extra = torch.zeros_like(cost)
    active = cost > TOLERANCE_M**2
    for taken in range(1, ITERATIONS + 1):
        rows = active.nonzero()[:, 0]
        if len(rows) == 0:
            break
        j, r, w, d = slopes[rows], residual[rows], weights[rows], metric[rows]
        size = torch.einsum("pan,pn,pan->p", j, d, j).div(3.0).clamp_min(1e-30)
        damping = ANCHOR + RIDGE + extra[rows]
        pull = (ANCHOR / damping)[:, None] * (anchor[rows] - w) if taken <= PULLS else torch.zeros_like(w)
        tried, dual, solved = _step(j, r, w, d, pull, damping * size)
        far = (tried - w).abs().amax(1)
        place, new_slopes = chain.evaluate(tried)
        new_residual = place - goals[rows]
        new_cost = (new_residual**2).sum(1)
        promised = ((damping * size)[:, None] * dual).square().sum(1)
        needed = 1e-4 * (cost[rows] - promised).clamp_min(0.0)
        better = solved & ((new_cost < cost[rows] - needed) | (new_cost < TOLERANCE_M**2))
        gained = cost[rows] - new_cost
        over = ~solved & (extra[rows] > MOST_DAMPING)
        over |= solved & (far < 1e-10)
        over |= better & ((new_cost <= TOLERANCE_M**2) | ((gained < 1e-7 * new_cost) & (far < 1e-3)))
        eased = torch.where(extra[rows] > 1e-8, 0.1 * extra[rows], torch.zeros_like(damping))
        extra[rows] = torch.where(better, eased, (8.0 * extra[rows]).clamp_min(1e-4))
        over |= extra[rows] > MOST_DAMPING
        taken_rows = rows[better]
        weights[taken_rows], cost[taken_rows] = tried[better], new_cost[better]
        residual[taken_rows], slopes[taken_rows] = new_residual[better], new_slopes[better]
        active[rows[over]] = False
    return weights, cost


def _step(
    jacobian: Tensor, residual: Tensor, weights: Tensor, metric: Tensor, pull: Tensor, damping: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """One damped step that stays on the simplex, by block principal pivoting; new weights, dual, and whether solved."""
    problems, n = weights.shape
    free = metric > 0
    result, dual_out = weights.clone(), torch.zeros_like(residual)
    done = torch.zeros(problems, dtype=torch.bool, device=weights.device)
    fewest = torch.full((problems,), n + 1, device=weights.device)
    patience = torch.full((problems,), _PATIENCE, device=weights.device)
    eye = torch.eye(3, dtype=weights.dtype, device=weights.device)
    column = torch.arange(n, device=weights.device)
    for _ in range(4 * n):
        slack = torch.where(free, metric, torch.zeros_like(metric))
        moved = torch.where(free, pull, -weights)
        mean = torch.einsum("pan,pn->pa", jacobian, slack)
        total = slack.sum(1).clamp_min(1e-30)
        missing = 1.0 - torch.where(free, weights + pull, torch.zeros_like(weights)).sum(1)
        lift = missing / total
        right = residual + torch.einsum("pan,pn->pa", jacobian, moved) + lift[:, None] * mean
        centre = mean / total[:, None]
        matrix = torch.einsum("pan,pn,pbn->pab", jacobian, slack, jacobian) - mean[:, :, None] * centre[:, None, :]
        matrix = matrix + damping[:, None, None] * eye
        dual = torch.linalg.solve_ex(matrix, right)[0]
        level = lift + (centre * dual).sum(1)
        step = weights + pull - metric * (torch.einsum("pan,pa->pn", jacobian, dual) - level[:, None])
        off = torch.where(free, step, -step)
        violated = off < _VIOLATED
        count = violated.sum(1)
        fine = (count == 0) & ~done
        fixed = torch.where(free, step, torch.zeros_like(step)).clamp_min(0.0)
        fixed = fixed / fixed.sum(1, keepdim=True).clamp_min(1e-30)
        result = torch.where(fine[:, None], fixed, result)
        dual_out = torch.where(fine[:, None], dual, dual_out)
        done |= fine
        if bool(done.all()):
            break
        fewer = count < fewest
        fewest = torch.where(fewer, count, fewest)
        patience = torch.where(fewer, torch.full_like(patience, _PATIENCE), patience - 1)
        last = torch.where(violated, column, torch.full_like(column, -1)).amax(1)
        flip = torch.where((patience >= 0)[:, None], violated, column == last[:, None])
        free = torch.where(done[:, None], free, free ^ flip)
    return result, dual_out, done
