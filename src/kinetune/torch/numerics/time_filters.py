"""Low-pass filters and other times, for batches: the tensors' side of ``kinetune.signals.filters`` and ``resampling``.

=============  ===============================================================
butterworth    flat below a cutoff, without delay
sample_at      a motion at other times, without what becomes too fast to show
=============  ===============================================================

Signals are (batch, frames, ...), time on axis 1. Laws: ``tests/torch/test_edits.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from kinetune.errors import ParameterError
from kinetune.signals.resampling import LONGEST_END_S
from kinetune.torch.numerics.ragged import by_length
from torch import Tensor

_FEWEST = 8
_END_CYCLES = 1.2
_BAND_END_CYCLES = 2.4
_PASS = 0.6
_LEVELS_PER_OCTAVE = 2
_SAME_FRAME = 1e-9


def butterworth(
    signal: Tensor, fps: float, cutoff_hz: float, *, end_s: float | None = None, lengths: Tensor | None = None
) -> Tensor:
    """Signals smoothed below a cutoff frequency without delay, as ``kinetune.signals.filters.butterworth`` does."""
    if not (math.isfinite(cutoff_hz) and cutoff_hz > 0):
        raise ParameterError(f"cutoff_hz must be a positive number, not {cutoff_hz}.")
    if cutoff_hz >= 0.5 * fps:
        return signal
    corner = math.tan(math.pi * cutoff_hz / fps) / (math.sqrt(2.0) - 1.0) ** 0.25

    def gain(hz: Tensor) -> Tensor:
        low = (corner * torch.cos(math.pi * hz / fps).abs()) ** 4
        return low / (low + torch.sin(math.pi * hz / fps).abs() ** 4)

    reach = _END_CYCLES / cutoff_hz
    reach = reach if end_s is None else min(reach, end_s)
    return by_length(lambda x: _weigh(x, fps, gain, reach), signal, lengths)


def _weigh(x: Tensor, fps: float, gain: Callable[[Tensor], Tensor], reach_s: float) -> Tensor:
    """Every frequency scaled by a factor; beyond its ends the motion goes on by half turns."""
    frames = x.shape[1]
    if frames < 3:
        return x
    first, last = _end_values(x, fps, reach_s)
    u = torch.linspace(0.0, 1.0, frames, dtype=x.dtype, device=x.device).reshape(1, -1, *(1,) * (x.ndim - 2))
    line = first[:, None] + u * (last - first)[:, None]
    rest = x - line
    zero = torch.zeros_like(rest[:, :1])
    inner = rest[:, 1:-1]
    spectrum = torch.fft.rfft(torch.cat([zero, inner, zero, -inner.flip(1)], dim=1), dim=1)
    hz = torch.arange(spectrum.shape[1], dtype=torch.float64, device=x.device) * (0.5 * fps / (frames - 1))
    factors = gain(hz).to(x.dtype).reshape(1, -1, *(1,) * (x.ndim - 2))
    return torch.fft.irfft(spectrum * factors, 2 * (frames - 1), dim=1)[:, :frames] + line


def _end_values(x: Tensor, fps: float, reach_s: float) -> tuple[Tensor, Tensor]:
    """Where curves begin and end once their jitter is disregarded: cubics fitted to ``reach_s`` seconds."""
    count = min(x.shape[1] // 2, math.floor(reach_s * fps + 1e-9) + 1)
    if count < _FEWEST:
        return x[:, 0], x[:, -1]
    moments = torch.arange(count, dtype=torch.float64) / count
    weight = torch.sin(math.pi * (moments + 0.5 / count))
    powers = moments[:, None] ** torch.arange(4, dtype=torch.float64)
    weighted = powers * weight[:, None]
    take = torch.linalg.solve(powers.T @ weighted, weighted.T)[0].to(x)
    return torch.einsum("f,bf...->b...", take, x[:, :count]), torch.einsum("f,bf...->b...", take, x[:, -count:].flip(1))


def sample_at(signal: Tensor, fps: float, times: Tensor, lengths: Tensor | None = None) -> Tensor:
    """Signals (batch, frames, ...) at other seconds (batch, n); where they rush, what flickers is filtered out."""
    batch, frames = signal.shape[:2]
    if times.ndim != 2 or len(times) != batch:
        raise ParameterError(f"times are (batch, n), here ({batch}, n); got {tuple(times.shape)}.")
    counts = torch.full((batch,), frames) if lengths is None else lengths
    result = []
    for row, count in enumerate(counts.tolist()):  # every clip has a pace of its own, and so filters of its own
        # Curvatures at the ends count many times over: single precision would lose a digit of a path of some metres.
        result.append(_sample_one(signal[row : row + 1, :count].double(), fps, times[row]))
    return torch.cat(result).to(signal.dtype)


def _sample_one(x: Tensor, fps: float, times: Tensor) -> Tensor:
    frames = (times * fps).clamp(0.0, x.shape[1] - 1.0)
    stride = torch.gradient(frames)[0].abs() if len(times) > 1 else torch.ones(1, dtype=times.dtype)
    octaves = torch.log2(stride.clamp_min(1.0))
    if float(octaves.max() - octaves.min()) < 1e-3:
        top = float(octaves.max())
        return _interpolate(x if top < 1e-6 else _limit_band(x, fps, 0.5 * fps / 2.0**top), frames)
    level = octaves * _LEVELS_PER_OCTAVE
    result = torch.zeros(1, len(times), *x.shape[2:], dtype=x.dtype, device=x.device)
    for step in range(math.ceil(float(level.max())) + 1):
        share = (1.0 - (level - step).abs()).clamp_min(0.0)
        if bool(share.any()):
            slow = x if step == 0 else _limit_band(x, fps, 0.5 * fps / 2.0 ** (step / _LEVELS_PER_OCTAVE))
            result = result + share.to(x.dtype).reshape(1, -1, *(1,) * (x.ndim - 2)) * _interpolate(slow, frames)
    return result


def _limit_band(x: Tensor, fps: float, highest_hz: float) -> Tensor:
    if highest_hz >= 0.5 * fps:
        return x

    def gain(hz: Tensor) -> Tensor:
        u = ((hz / highest_hz - _PASS) / (1.0 - _PASS)).clamp(0.0, 1.0)
        return 0.5 + 0.5 * torch.cos(math.pi * u)

    return _weigh(x, fps, gain, min(_BAND_END_CYCLES / highest_hz, LONGEST_END_S))


def _interpolate(x: Tensor, frames: Tensor) -> Tensor:
    """A spline of degree 5 through the samples of one clip (1, frames, ...), read at fractional frames (n,)."""
    count = x.shape[1]
    u = frames.to(torch.float64).clamp(0.0, count - 1.0)
    u = torch.where((u - u.round()).abs() < _SAME_FRAME, u.round(), u)
    whole = u.floor().long()
    part = u - whole
    shape = (1, -1, *(1,) * (x.ndim - 2))
    if count < 3:
        p = part.to(x.dtype).reshape(shape)
        return x[:, whole] * (1.0 - p) + x[:, (whole + 1).clamp_max(count - 1)] * p
    if not bool(part.any()):
        return x[:, whole]
    bends = _end_curvatures(x)
    level = x - _cubic(x, bends, torch.arange(count, dtype=torch.float64, device=x.device))
    zero = torch.zeros_like(level[:, :1])
    inner = level[:, 1:-1]
    spectrum = torch.fft.rfft(torch.cat([zero, inner, zero, -inner.flip(1)], dim=1), dim=1)
    w = math.pi * torch.arange(spectrum.shape[1], dtype=torch.float64, device=x.device) / (count - 1)
    response = ((66.0 + 52.0 * torch.cos(w) + 2.0 * torch.cos(2.0 * w)) / 120.0).to(x.dtype)
    coefficients = torch.fft.irfft(spectrum / response.reshape(shape), 2 * (count - 1), dim=1)
    result = _cubic(x, bends, u)
    for step, distance in zip(range(-2, 4), (part + 2, part + 1, part, 1 - part, 2 - part, 3 - part), strict=True):
        d = distance.abs()
        weight = ((3 - d).clamp_min(0) ** 5 - 6 * (2 - d).clamp_min(0) ** 5 + 15 * (1 - d).clamp_min(0) ** 5) / 120.0
        result = result + weight.to(x.dtype).reshape(shape) * coefficients[:, (whole + step) % coefficients.shape[1]]
    return result


def _end_curvatures(x: Tensor) -> tuple[Tensor, Tensor]:
    if x.shape[1] == 3:
        middle = x[:, 0] - 2.0 * x[:, 1] + x[:, 2]
        return middle, middle
    first = 2 * x[:, 0] - 5 * x[:, 1] + 4 * x[:, 2] - x[:, 3]
    return first, 2 * x[:, -1] - 5 * x[:, -2] + 4 * x[:, -3] - x[:, -4]


def _cubic(x: Tensor, bends: tuple[Tensor, Tensor], frames: Tensor) -> Tensor:
    last = x.shape[1] - 1.0
    b = (frames / last).to(x.dtype).reshape(1, -1, *(1,) * (x.ndim - 2))
    a = 1.0 - b
    bend = (a**3 - a) * bends[0][:, None] + (b**3 - b) * bends[1][:, None]
    return a * x[:, :1] + b * x[:, -1:] + bend * (last * last / 6.0)
