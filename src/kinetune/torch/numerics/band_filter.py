r"""Frequency bands of batches of signals, as :mod:`kinetune.signals.bands.pyramid` has them.

============  =======================================================================
equalize      every band turned up or down, with gains for all clips or for each
split_bands   the bands and the base
join_bands    their sum, each multiplied by its gain
============  =======================================================================

Signals are (batch, frames, ...); clips of different lengths are padded and come with their lengths. On a GPU
:func:`equalize` runs as one kernel (:mod:`kinetune.torch.gpu.band_kernel`); gradients go through the plain code.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import torch
from kinetune.errors import ParameterError
from kinetune.torch.numerics.ragged import checked_lengths, hold_last
from kinetune.torch.numerics.tensor_checks import check_tensors
from torch import Tensor


class TensorBands(NamedTuple):
    """Bands of a batch: ``details``, each (batch, frames, ...), fastest first, and the ``base``."""

    details: tuple[Tensor, ...]
    base: Tensor


def count_bands(frames: int) -> int:
    """How many bands a signal of so many frames has: the largest n with 2^n frames."""
    return max(frames, 1).bit_length() - 1


def split_bands(signal: Tensor, lengths: Tensor | None = None) -> TensorBands:
    """Frequency bands of signals (batch, frames, ...); a clip too short for a slow band has zeros there."""
    lows = list(_lows(signal, _lengths(signal, lengths)))
    return TensorBands(tuple(a - b for a, b in pairwise(lows)), lows[-1])


def join_bands(bands: TensorBands, gains: Tensor | None = None) -> Tensor:
    """The bands added up again, each multiplied by its gain; gains as in :func:`equalize`."""
    result = bands.base
    for k, detail in enumerate(bands.details):
        gain = _gain(gains, k, detail)
        result = result + (detail if gain is None else gain * detail)
    return result


def equalize(signal: Tensor, gains: Tensor, lengths: Tensor | None = None) -> Tensor:
    """Signals with each frequency band turned up or down.

    Parameters
    ----------
    signal : Tensor, shape (batch, frames, ...)
        Sampled at a fixed rate.
    gains : Tensor, shape (bands,), (batch, bands) or (batch, bands, frames)
        From band 0, the fastest, up; missing bands are 1. For all clips, for each, or over time.
    lengths : Tensor, shape (batch,), optional
        Frames of each clip; all of them if omitted. Padding comes out as the clip's last frame.

    Notes
    -----
    Law: the same numbers as ``kinetune.signals.bands.pyramid.equalize`` (``tests/torch/test_tensor_signals.py``).
    """
    known = _lengths(signal, lengths)
    gains = torch.as_tensor(gains, dtype=signal.dtype, device=signal.device)
    if gains.ndim not in (1, 2, 3) or (gains.ndim > 1 and gains.shape[0] != len(signal)):
        raise ParameterError(
            f"gains are (bands,), ({len(signal)}, bands) or ({len(signal)}, bands, frames) for this batch; got "
            f"{tuple(gains.shape)}."
        )
    if gains.ndim == 3 and gains.shape[2] != signal.shape[1]:
        raise ParameterError(f"gains over time have {gains.shape[2]} frames, but the batch has {signal.shape[1]}.")
    from kinetune.torch.gpu import band_kernel

    weights = band_weights(gains, signal, known)
    if gains.ndim < 3 and band_kernel.can_equalize(signal):
        return _Fused.apply(signal, weights, known)
    return _weighted(signal, weights, known)


def band_weights(gains: Tensor, signal: Tensor, lengths: Tensor | None) -> Tensor:
    """What the signal and its low-passed copies are multiplied by: (batch, bands + 1) or (batch, bands + 1, frames)."""
    batch, frames = signal.shape[:2]
    count = count_bands(frames)
    table = gains.expand(batch, *gains.shape) if gains.ndim == 1 else gains
    table = table[:, :count]
    missing = torch.ones(batch, count + 1 - table.shape[1], *table.shape[2:], dtype=gains.dtype, device=gains.device)
    table = torch.cat([table, missing], dim=1)
    if lengths is not None:
        bands = (torch.frexp(lengths.double())[1] - 1).to(gains.device)  # count_bands of each
        there = torch.arange(count + 1, device=gains.device) < bands[:, None]
        table = torch.where(there.reshape(*there.shape, *(1,) * (table.ndim - 2)), table, torch.ones_like(table))
    return torch.cat([table[:, :1], table[:, 1:] - table[:, :-1]], dim=1)


def _weighted(signal: Tensor, weights: Tensor, lengths: Tensor | None) -> Tensor:
    result = None
    for k, low in enumerate(_lows(signal, lengths)):
        weight = weights[:, k]
        weight = weight.reshape(*weight.shape, *(1,) * (signal.ndim - weight.ndim))
        result = weight * low if result is None else result + weight * low
    assert result is not None
    return hold_last(result, lengths)


def _lows(signal: Tensor, lengths: Tensor | None) -> Iterator[Tensor]:
    """The signal and its low-passed copies, one for each band."""
    low = hold_last(signal, lengths)
    yield low
    for k in range(count_bands(signal.shape[1])):
        low = _low_pass(low, 1 << k)
        if lengths is not None:
            low = hold_last(low, lengths)
        yield low


def _low_pass(x: Tensor, step: int) -> Tensor:
    """One pass of the taps 1 4 6 4 1, ``step`` frames apart, ends held."""
    frames, reach = x.shape[1], 2 * step
    before, after = x[:, :1].expand(-1, reach, *x.shape[2:]), x[:, -1:].expand(-1, reach, *x.shape[2:])
    wide = torch.cat([before, x, after], dim=1)
    taps = [wide.narrow(1, k * step, frames) for k in range(5)]
    return (taps[0] + taps[4] + 4.0 * (taps[1] + taps[3]) + 6.0 * taps[2]) * 0.0625


def _gain(gains: Tensor | None, band: int, like: Tensor) -> Tensor | None:
    if gains is None or band >= gains.shape[0 if gains.ndim == 1 else 1]:
        return None
    gain = gains[band] if gains.ndim == 1 else gains[:, band]
    return gain if gain.ndim == 0 else gain.reshape(*gain.shape, *(1,) * (like.ndim - gain.ndim))


def _lengths(signal: Tensor, lengths: Tensor | None) -> Tensor | None:
    check_tensors(signal=signal)
    if signal.ndim < 2 or signal.shape[1] == 0 or not signal.is_floating_point():
        raise ParameterError(
            f"A batch of signals has shape (batch, frames, ...) and holds floats; got {tuple(signal.shape)} of "
            f"{signal.dtype}."
        )
    return checked_lengths(lengths, signal.shape[0], signal.shape[1])


class _Fused(torch.autograd.Function):
    """The kernel forward; backward, the plain code again, which autograd can follow."""

    @staticmethod
    def forward(ctx, signal, weights, lengths):  # type: ignore[no-untyped-def]
        from kinetune.torch.gpu import band_kernel

        ctx.save_for_backward(signal, weights)
        ctx.lengths = lengths
        return band_kernel.equalize(signal, weights, lengths)

    @staticmethod
    def backward(ctx, gradient):  # type: ignore[no-untyped-def]
        signal, weights = (each.detach().requires_grad_() for each in ctx.saved_tensors)
        with torch.enable_grad():
            result = _weighted(signal, weights, ctx.lengths)
            return (*torch.autograd.grad(result, (signal, weights), gradient), None)
