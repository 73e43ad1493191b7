"""Keyed curves of batches: tension, continuity and bias as in ``kt.TCB``, and shaping curves as tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

import torch
from kinetune.errors import ParameterError
from kinetune.signals.shaping.shaping_curve import ShapingCurve
from kinetune.torch.numerics.tensor_checks import check_one_device, check_tensors, one_for_each
from torch import Tensor

Ends = Literal["natural", "zero", "chord", "half chord"]
_SHARES = {"zero": 0.0, "half chord": 0.5, "chord": 1.0}


def evaluate_tcb(
    times: Tensor,
    values: Tensor,
    at: Tensor,
    *,
    tension: Tensor | float = 0.0,
    continuity: Tensor | float = 0.0,
    bias: Tensor | float = 0.0,
    ends: Ends = "natural",
) -> Tensor:
    """Open TCB curves of a batch, differentiable in values, parameters and times.

    Parameters
    ----------
    times : Tensor, shape (keys,), increasing
    values : Tensor, shape (batch, keys, ...)
    at : Tensor, shape (n,)
        When to read the curves; beyond the keys they hold.
    tension, continuity, bias : Tensor, shape (keys,), or float
    ends : slope at both ends, as in ``kt.TCB``.

    Returns
    -------
    Tensor, shape (batch, n, ...)

    Notes
    -----
    ``kt.TCB(..., holds="free")`` gives the same numbers (``tests/torch/test_tensor_signals.py``).
    """
    check_tensors(times=times, values=values, at=at)
    check_one_device(times=times, values=values, at=at)
    keys = times.numel()
    if times.ndim != 1 or keys < 2 or values.ndim < 2 or values.shape[1] != keys:
        raise ParameterError(
            f"A batch of curves takes times (keys,), at least two, and values (batch, keys, ...); got "
            f"{tuple(times.shape)} and {tuple(values.shape)}."
        )
    if at.ndim != 1:
        raise ParameterError(f"at holds the times at which to read the curves, (n,); got {tuple(at.shape)}.")
    if ends not in ("natural", *_SHARES):
        raise ParameterError(f'ends is "natural", "zero", "chord" or "half chord", not {ends!r}.')
    spans = times.diff()
    if not bool((spans > 0).all()):
        raise ParameterError("The times of keys must increase.")
    tail = (1,) * (values.ndim - 2)
    chords = values.diff(dim=1)
    leaving, arriving = list(chords.unbind(1)), list(chords.unbind(1))
    place = {"dtype": values.dtype, "device": values.device}
    t, c, b = (
        one_for_each(name, value, keys, "key of the curves", **place)
        for name, value in (("tension", tension), ("continuity", continuity), ("bias", bias))
    )
    for key in range(1, keys - 1):
        before, after = chords[:, key - 1], chords[:, key]
        total = spans[key - 1] + spans[key]
        enter, leave = 2.0 * spans[key - 1] / total, 2.0 * spans[key] / total
        slack = 0.5 * (1.0 - t[key])
        corner, loop = slack * (1.0 - c[key]), slack * (1.0 + c[key])
        late, early = 1.0 + b[key], 1.0 - b[key]
        arriving[key - 1] = enter * (corner * late * before + loop * early * after)
        leaving[key] = leave * (loop * late * before + corner * early * after)
    if ends in _SHARES:
        leaving[0], arriving[-1] = _SHARES[ends] * chords[:, 0], _SHARES[ends] * chords[:, -1]
    elif keys > 2:
        leaving[0] = 1.5 * chords[:, 0] - 0.5 * arriving[0]
        arriving[-1] = 1.5 * chords[:, -1] - 0.5 * leaving[-1]
    start, stop = torch.stack(leaving, 1), torch.stack(arriving, 1)
    moments = torch.minimum(torch.maximum(at, times[0]), times[-1])
    which = (torch.searchsorted(times.detach(), moments.detach(), right=True) - 1).clamp(0, keys - 2)
    s = ((moments - times[which]) / spans[which]).reshape(1, -1, *tail)
    u = 1.0 - s
    steps = s * s * (3.0 - 2.0 * s) * chords[:, which] + s * u * u * start[:, which] - s * s * u * stop[:, which]
    return values[:, which] + steps


@dataclass(frozen=True, eq=False)
class ShapeTable:
    """A shaping curve as cubics between breaks, straight beyond them, with its corners rounded.

    breaks (n + 1,), cubics (n, 4) in the distance from each break; beyond (2, 2): value and slope at both ends.
    corners (m, 3): where, how far the rounding reaches, and how much it adds.
    """

    breaks: Tensor
    cubics: Tensor
    beyond: Tensor
    corners: Tensor

    @classmethod
    def of(cls, curve: ShapingCurve, like: Tensor) -> ShapeTable:
        """The table of a curve, on the device and in the precision of a tensor."""
        breaks, cubics, (first, last) = curve.cubics()
        corners = np.array(curve.rounded_corners()).reshape(-1, 3)
        parts = (breaks, cubics, np.array([first, last]), corners)
        return cls(*(torch.as_tensor(part, dtype=like.dtype, device=like.device) for part in parts))

    def __call__(self, x: Tensor) -> Tensor:
        """The curve at x, of any shape."""
        which = (torch.searchsorted(self.breaks, x.detach().contiguous(), right=True) - 1).clamp(
            0, len(self.cubics) - 1
        )
        d = x - self.breaks[which]
        a, b, c, e = self.cubics[which].unbind(-1)
        result = a + d * (b + d * (c + d * e))
        low, high = self.breaks[0], self.breaks[-1]
        result = torch.where(x < low, self.beyond[0, 0] + (x - low) * self.beyond[0, 1], result)
        result = torch.where(x > high, self.beyond[1, 0] + (x - high) * self.beyond[1, 1], result)
        for corner, reach, amount in self.corners.tolist():
            u = ((x - corner) / reach).clamp(-1.0, 1.0)
            result = result + amount * ((1.0 + u) ** 3 * (3.0 - u) / 16.0 - u.clamp_min(0.0))
        return result
