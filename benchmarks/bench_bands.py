"""The equalizer on 70 channels: against a copy of the array, fused NumPy slicing, a Butterworth bank and pywt.swt.

"Copy" is ``numpy.ndarray.copy``; both sides make a new array, and for the batch both write into one that exists.
The NumPy body is the fused one: slices of a padded array, sums in place, no band stored.
The bank has one fourth-order Butterworth band-pass per band, run forth and back (``sosfiltfilt``), times its gain.
The wavelet transform has as many levels as there are bands. Its wavelet, bior4.4, is symmetric, so that nothing moves
in time, and has four vanishing moments, as the cubic B-spline of our bands has; shorter ones such as db2 take half as
long.
It needs a length that is a multiple of a power of two, so the signal is held at its last value up to the next one
before the clock starts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from scipy import signal

from benchmarks.harness import Claim, median_times
from kinetune.signals.bands.pyramid import (
    band_centres_hz,
    count_bands,
    equalize,
    equalize_batch,
    join_bands,
    split_bands,
)

CHANNELS = 70
CLIPS = 10_000
FPS = 120.0
WAVELET = "bior4.4"


_LONG = 10_000
"""From so many frames on the slow peers take three rounds, and the slowest none."""


def claims() -> Iterator[Claim]:
    """Measure each length in an interleaved run of its own."""
    for frames in (300, 2_000, 100_000):
        yield from _lengths(frames)
    yield from _batch()


def _lengths(frames: int) -> Iterator[Claim]:
    x = np.random.default_rng(0).standard_normal((frames, CHANNELS)).cumsum(axis=0)
    bands = count_bands(frames)
    gains = np.linspace(0.5, 2.0, bands)
    result = equalize(x, gains)
    if not np.allclose(result, join_bands(split_bands(x), gains), rtol=0, atol=1e-10 * np.abs(result).max()):
        raise RuntimeError("equalize differs from splitting and joining: the comparison would mean nothing")
    single = x.astype(np.float32)
    variants: dict[str, Callable[[], object]] = {
        "copy": x.copy,
        "copy, single": single.copy,
        "ours": lambda: equalize(x, gains),
        "ours, single": lambda: equalize(single, gains),
    }
    spent = median_times(variants, rounds=25, budget_s=10.0, least_s=0.01)
    for name, words in (("", "float64"), (", single", "float32")):
        ratio = spent["ours" + name] / spent["copy" + name] / bands
        yield Claim(f"equalize / copy / band, {frames} x {CHANNELS} {words}", ratio, 3.0, at_least=False)
    with _numpy_body():
        slices = median_times({"numpy": lambda: equalize(x, gains)}, rounds=5, budget_s=5.0)["numpy"]
    yield Claim(f"fused NumPy slicing / equalize, {frames} x {CHANNELS}", slices / spent["ours"], 4.0, at_least=True)
    bank = _bank(x, gains)
    swt = _swt(x, gains) if frames < _LONG else None
    if frames >= _LONG:
        print(f"  pywt.swt at {frames:,} frames: not measured, a pass does not end in nine minutes")
    others = {"ours": variants["ours"], "bank": bank} | ({"swt": swt} if swt is not None else {})
    rounds, least_s = (7, 0.01) if frames < _LONG else (3, 0.3)
    slow = median_times(others, rounds=rounds, budget_s=10.0, least_s=least_s)
    yield Claim(f"sosfiltfilt bank / equalize, {frames} x {CHANNELS}", slow["bank"] / slow["ours"], 50.0, at_least=True)
    if swt is not None:
        yield Claim(
            f"pywt.swt + iswt / equalize, {frames} x {CHANNELS}", slow["swt"] / slow["ours"], 400.0, at_least=True
        )


def _bank(x: np.ndarray, gains: np.ndarray) -> Callable[[], np.ndarray]:
    nyquist = 0.5 * FPS
    centres = band_centres_hz(len(gains), FPS)
    edges = [(min(c / np.sqrt(2.0), 0.7 * nyquist), min(c * np.sqrt(2.0), 0.99 * nyquist)) for c in centres]
    filters = [signal.butter(4, edge, "bandpass", fs=FPS, output="sos") for edge in edges]
    low = signal.butter(4, edges[-1][0], "lowpass", fs=FPS, output="sos")

    def run() -> np.ndarray:
        result = signal.sosfiltfilt(low, x, axis=0)
        for gain, one in zip(gains, filters, strict=True):
            result += gain * signal.sosfiltfilt(one, x, axis=0)
        return result

    return run


def _swt(x: np.ndarray, gains: np.ndarray) -> Callable[[], np.ndarray] | None:
    try:
        import pywt
    except ImportError:
        print("  skip pywt.swt: the package is not installed")
        return None
    block = 1 << len(gains)
    padded = np.concatenate([x, np.repeat(x[-1:], -len(x) % block, axis=0)])

    def run() -> np.ndarray:
        levels = pywt.swt(padded, WAVELET, level=len(gains), axis=0, trim_approx=True)
        for k, gain in enumerate(gains):
            levels[-1 - k] *= gain
        return pywt.iswt(levels, WAVELET, axis=0)[: len(x)]

    return run


def _batch() -> Iterator[Claim]:
    clip = np.random.default_rng(1).standard_normal((300, CHANNELS)).cumsum(axis=0)
    clips = np.repeat(clip[None], CLIPS, axis=0)
    gains = np.linspace(0.5, 2.0, count_bands(300))
    target = np.zeros_like(clips)
    spent = median_times(
        {
            "copy": lambda: np.copyto(target, clips),
            "ours": lambda: equalize_batch(clips, gains, out=target),
        },
        rounds=3,
    )
    if not np.array_equal(target[-1], equalize(clip, gains)) and not np.array_equal(target[-1], clip):
        raise RuntimeError("a clip of the batch differs from the clip alone: the comparison would mean nothing")
    words = f"{CLIPS:,} clips of 300 x {CHANNELS}"
    yield Claim(f"equalize_batch / copy, {words}", spent["ours"] / spent["copy"], 13.0, at_least=False)


@contextmanager
def _numpy_body() -> Iterator[None]:
    before = os.environ.get("KINETUNE_COMPILED")
    os.environ["KINETUNE_COMPILED"] = "never"
    try:
        yield
    finally:
        os.environ["KINETUNE_COMPILED"] = before or "auto"
