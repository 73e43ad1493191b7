"""Elastic contours: one exact frame of N samples beside a bare complex FFT there and back.

"One frame" is a whole call of ``relax``: two contours and a time in, a checked contour out. "A frame of a film" is what
each further frame of the same motion costs. The bare pair is ``scipy.fft`` on N complex numbers, the faster of it and
NumPy's. Before anything is measured, the frame is compared with a sum over modes written out here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import scipy.fft

from benchmarks.harness import Claim, median_times
from kinetune.contours.drawing import Contour
from kinetune.contours.elastic.materials import PRESETS
from kinetune.contours.elastic.relaxation import Elastic, relax
from kinetune.contours.elastic.stiffness import refinement_integrals

SIZES = (10, 12, 14, 16, 18, 20)
TIME_S = 0.3


def claims() -> Iterator[Claim]:
    """Measure every size, then compare the ends."""
    check()
    frames, films, bare = {}, {}, {}
    for power in SIZES:
        shape, rest = curves(1 << power)
        z = shape.complex
        offset = shape.points - rest.points
        film = Elastic(len(shape), True)
        modes = film.modes(offset)
        variants: dict[str, Callable[[], object]] = {
            "scipy pair": lambda z=z: scipy.fft.ifft(scipy.fft.fft(z)),  # type: ignore[misc]
            "numpy pair": lambda z=z: np.fft.ifft(np.fft.fft(z)),  # type: ignore[misc]
            "frame": lambda a=shape, b=rest: relax(a, b, [TIME_S]),  # type: ignore[misc]
            "film": lambda e=film, m=modes: next_frame(e, m),  # type: ignore[misc]
        }
        spent = median_times(variants, rounds=11, least_s=0.01)
        bare[power] = min(spent["scipy pair"], spent["numpy pair"])
        frames[power], films[power] = spent["frame"], spent["film"]
        print(
            f"  2^{power:<2}: frame {1e3 * frames[power]:9.3f} ms = {frames[power] / bare[power]:5.2f} pairs, "
            f"frame of a film {films[power] / bare[power]:5.2f} pairs"
        )
    yield Claim("one frame of 2^20 samples / FFT pair", frames[20] / bare[20], 4.0, at_least=False)
    yield Claim("a frame of a film of 2^20 samples / FFT pair", films[20] / bare[20], 2.5, at_least=False)
    grown = (frames[20] / frames[10]) / (bare[20] / bare[10])
    yield Claim("growth from 2^10 to 2^20 / growth of the FFT pair (N log N)", grown, 1.5, at_least=False)


def curves(count: int) -> tuple[Contour, Contour]:
    """A wavy hoop and a round one."""
    angle = 2 * np.pi * np.arange(count) / count
    ring = np.exp(1j * angle)
    noise = np.random.default_rng(0).standard_normal(count) / count
    return Contour(ring * (1 + 0.3 * np.cos(2 * angle) + 0.05 * np.cos(37 * angle) + noise)), Contour(ring)


def next_frame(curve: Elastic, modes: np.ndarray) -> np.ndarray:
    from kinetune.contours.elastic.single_mode import release

    material = PRESETS["jelly"]
    return curve.samples(curve.scale(modes, release(material.e0 * curve.spectrum, material, TIME_S)))


def check() -> None:
    """The frame against a plain sum of damped modes."""
    count, material = 256, PRESETS["jelly"]
    shape, rest = curves(count)
    mu, _ = refinement_integrals("db4")
    omega = 2 * np.pi * np.arange(count) / count
    k = material.e0 * count**2 * (mu[0] + 2 * sum(mu[n] * np.cos(n * omega) for n in range(1, len(mu))))
    half = 0.5 * (material.s1 + material.s2 * k)
    root = np.sqrt((half**2 - k).astype(complex))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        slow, fast = np.exp((root - half) * TIME_S), np.exp((-root - half) * TIME_S)
        left = ((half + root) * slow - (half - root) * fast) / (2 * root)
    left[0] = 1.0
    wanted = rest.complex + np.fft.ifft(left * np.fft.fft(shape.complex - rest.complex))
    if np.abs(relax(shape, rest, [TIME_S])[0].complex - wanted).max() > 1e-9:
        raise RuntimeError("the frame is not the solution: the comparison would mean nothing")
