"""Batches of signals of different lengths: padding that holds the last frame, and work by length."""

from __future__ import annotations

from collections.abc import Callable

import torch
from kinetune.errors import ParameterError
from torch import Tensor


def checked_lengths(lengths: Tensor | None, batch: int, frames: int) -> Tensor | None:
    """Lengths as integers on the CPU; None where every signal fills its row."""
    if lengths is None:
        return None
    numbers = torch.as_tensor(lengths).detach().to("cpu", torch.int64)
    if numbers.shape != (batch,) or batch == 0 or int(numbers.min()) < 1 or int(numbers.max()) > frames:
        raise ParameterError(
            f"lengths takes {batch} numbers of frames from 1 to {frames}, one for each clip of the batch; "
            f"got shape {tuple(numbers.shape)}."
        )
    return None if bool((numbers == frames).all()) else numbers


def frame_mask(lengths: Tensor | None, batch: int, frames: int, like: Tensor) -> Tensor:
    """(batch, frames): which frames are part of a clip."""
    if lengths is None:
        return torch.ones(batch, frames, dtype=torch.bool, device=like.device)
    return torch.arange(frames, device=like.device) < lengths.to(like.device)[:, None]


def hold_last(x: Tensor, lengths: Tensor | None) -> Tensor:
    """Signals (batch, frames, ...) whose padding repeats the last frame of each."""
    if lengths is None:
        return x
    batch, frames = x.shape[:2]
    at = torch.minimum(torch.arange(frames), lengths[:, None] - 1).to(x.device)
    return x.gather(1, at.reshape(batch, frames, *(1,) * (x.ndim - 2)).expand_as(x))


def by_length(work: Callable[[Tensor], Tensor], x: Tensor, lengths: Tensor | None) -> Tensor:
    """``work`` on the rows of each length, cut to it; its result keeps the number of frames."""
    if lengths is None:
        return work(x)
    result = x.clone()
    for length in lengths.unique().tolist():
        rows = (lengths == length).nonzero()[:, 0].to(x.device)
        part = work(x[rows, :length])
        held = torch.cat([part, part[:, -1:].expand(-1, x.shape[1] - length, *part.shape[2:])], dim=1)
        result = result.index_copy(0, rows, held)
    return result
