"""TCB splines: 100 keys of 70 channels to 10,000 frames.

"From keys to frames" counts everything: checks, tangents, evaluation and the new array.
SciPy's ``CubicHermiteSpline`` has no tangents of its own, so both evaluate a curve whose tangents are ready.
``splines.KochanekBartels`` goes from keys to frames like ours; the keys are evenly spaced, where both mean the same.
The results of all are compared before anything is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from benchmarks.harness import Claim, median_times
from kinetune.signals.splines.tcb import TCB

KEYS, CHANNELS, FRAMES = 100, 70, 10_000
KNOBS = (0.2, 0.0, 0.3)


def claims() -> Iterator[Claim]:
    """Measure all variants in one interleaved run."""
    times = np.arange(KEYS, dtype=float)
    values = np.random.default_rng(0).standard_normal((KEYS, CHANNELS))
    moments = np.linspace(0.0, KEYS - 1.0, FRAMES)
    ready = TCB(times, values, *KNOBS)
    result = ready(moments)
    hermite = CubicHermiteSpline(times, values, ready.velocities()[0])
    variants: dict[str, Callable[[], np.ndarray]] = {
        "copy": result.copy,
        "ours": lambda: TCB(times, values, *KNOBS)(moments),
        "ours, tangents ready": lambda: ready(moments),
        "scipy, tangents ready": lambda: hermite(moments),
    }
    try:
        from splines import KochanekBartels
    except ImportError:
        print("  skip splines.KochanekBartels: the package is not installed")
    else:
        variants["splines"] = lambda: KochanekBartels(values, times, tcb=KNOBS).evaluate(moments)
    for name, function in variants.items():
        apart = float(np.abs(function() - result).max())
        if apart > 1e-10:
            raise RuntimeError(f"{name} differs from our result by {apart:.2g}: the comparison would mean nothing")
    # Long enough within a round that a variant does not pay for the cache that the one before it left behind.
    spent = median_times(variants, rounds=15, least_s=0.02)
    yield Claim("TCB from keys to frames / copy of the result", spent["ours"] / spent["copy"], 2.5, at_least=False)
    yield Claim(
        "SciPy's CubicHermiteSpline / TCB, tangents ready",
        spent["scipy, tangents ready"] / spent["ours, tangents ready"],
        10.0,
        at_least=True,
    )
    if "splines" in spent:
        ratio = spent["splines"] / spent["ours"]
        yield Claim("splines.KochanekBartels / TCB, from keys to frames", ratio, 250.0, at_least=True)
