"""How time and memory grow with size, for every algorithm: python -m benchmarks --growth [NAME ...].

Time is the median CPU time of a call, as in the other benchmarks. Memory is how far a process of its own grows in one
call, after a small one to load everything (Linux only).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.harness import grown_bytes, median_times, tells_memory

CHANNELS = 70
Call = Callable[[], object]


@dataclass(frozen=True)
class Algorithm:
    """Something that grows.

    name : on the command line.
    words : what is done.
    unit : what its size counts.
    sizes : from small to large; the first one also warms up.
    order : the growth in time that we expect, in words.
    make : a size -> the call to measure, everything that is not measured done.
    """

    name: str
    words: str
    unit: str
    sizes: tuple[int, ...]
    order: str
    make: Callable[[int], Call]


@dataclass(frozen=True)
class Curve:
    """What was measured: seconds and bytes for each size; no bytes where the system does not tell them."""

    name: str
    words: str
    unit: str
    order: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    grown: tuple[int, ...]

    @property
    def exponent(self) -> float:
        """The slope of log time over log size between the middle and the largest size: 1 is linear, 2 quadratic."""
        half = len(self.sizes) // 2
        return float(np.log(self.seconds[-1] / self.seconds[half]) / np.log(self.sizes[-1] / self.sizes[half]))


def _copy(frames: int) -> Call:
    x = np.random.default_rng(0).standard_normal((frames, CHANNELS))
    return x.copy


def _bands(frames: int) -> Call:
    from kinetune.signals.bands import count_bands, equalize

    x = np.random.default_rng(0).standard_normal((frames, CHANNELS)).cumsum(axis=0)
    gains = np.linspace(0.5, 2.0, count_bands(frames))
    return lambda: equalize(x, gains)


def _warp(frames: int) -> Call:
    from benchmarks.bench_warp import motion_pair
    from kinetune.signals.warping import time_warp

    a, b = motion_pair(frames)
    return lambda: time_warp(a, b)


def _kinematics(frames: int) -> Call:
    from benchmarks.bench_kinematics import JOINTS, figure
    from kinetune import rotations as rot
    from kinetune.body.kinematics import forward

    dice = np.random.default_rng(1)
    skeleton = figure()
    root, rotations = dice.standard_normal((frames, 3)), rot.normalize(dice.standard_normal((frames, JOINTS, 4)))
    return lambda: forward(skeleton, root, rotations)


def _bvh(frames: int) -> Call:
    from benchmarks.bench_bvh import JOINTS, put
    from kinetune.formats import read

    folder = tempfile.TemporaryDirectory()
    values = np.random.default_rng(0).uniform(-90, 90, (frames, 3 + 3 * JOINTS))
    path = put(Path(folder.name) / "clip.bvh", values, "%.6f")

    def call(kept: object = folder) -> object:
        return read(path, unit="cm", up="y")

    return call


def _splines(frames: int) -> Call:
    from kinetune.signals.splines import TCB

    keys = max(4, frames // 100)
    values = np.random.default_rng(0).standard_normal((keys, CHANNELS))
    moments = np.linspace(0.0, keys - 1.0, frames)
    return lambda: TCB(np.arange(keys, dtype=float), values, 0.2, 0.0, 0.3)(moments)


def _contour_dynamics(samples: int) -> Call:
    from benchmarks.bench_contour_dynamics import curves
    from kinetune.contours.dynamics import relax

    shape, rest = curves(samples)
    return lambda: relax(shape, rest, [0.3])


def _morph(points: int) -> Call:
    from kinetune.contours.drawing import Drawing, Layer
    from kinetune.contours.morph import morph
    from kinetune.contours.sampling import sample_evenly
    from kinetune.samples.drawings import sample_drawing

    outlines = (
        sample_drawing("digit-3").layers[0].contours[0],
        sample_drawing("dog-1").layer("near hind leg").contours[0],
    )
    a, b = (Drawing((Layer((sample_evenly(outline, points),)),)) for outline in outlines)
    return lambda: morph(a, b, 24)


def _inverse_blending(problems: int) -> Call:
    import kinetune as kt
    from benchmarks.bench_reach import TIP, example_blend, sphere_targets

    blend = example_blend("reach")
    targets = np.resize(sphere_targets(0.7).reshape(-1, 3), (problems, 3))
    asked = kt.AtPoint(TIP, targets)
    return lambda: blend.solve_batch(asked)


def _filter(frames: int) -> Call:
    import kinetune as kt

    walk = kt.sample("walk")[:frames]
    body = kt.Body.fit(walk.skeleton)
    return lambda: kt.filter_dynamics(walk, body)


ALGORITHMS = (
    Algorithm(
        "copy", "copy 70 channels, for comparison", "frames", (300, 1_000, 3_000, 10_000, 30_000, 100_000), "n", _copy
    ),
    Algorithm(
        "bands", "equalize 70 channels", "frames", (300, 1_000, 3_000, 10_000, 30_000, 100_000), "n log n", _bands
    ),
    Algorithm("warp", "warp 70 channels with path", "frames", (250, 500, 1_000, 2_000, 4_000), "n to n^2", _warp),
    Algorithm(
        "kinematics",
        "forward kinematics of 60 joints",
        "frames",
        (1_000, 3_000, 10_000, 30_000, 100_000),
        "n",
        _kinematics,
    ),
    Algorithm("bvh", "read a BVH file of 60 joints", "frames", (300, 1_000, 3_000, 10_000), "n", _bvh),
    Algorithm(
        "splines",
        "TCB from keys to frames, 70 channels",
        "frames",
        (1_000, 3_000, 10_000, 30_000, 100_000),
        "n",
        _splines,
    ),
    Algorithm(
        "contour_dynamics",
        "one exact frame of an elastic contour",
        "samples",
        tuple(1 << power for power in (10, 12, 14, 16, 18, 20)),
        "n log n",
        _contour_dynamics,
    ),
    Algorithm("morph", "24 frames of a safe morph", "points a curve", (32, 64, 128, 256, 512), "n to n^2", _morph),
    Algorithm(
        "inverse_blending",
        "aim 16 reaches at points",
        "problems",
        (100, 300, 1_000, 3_000, 10_000),
        "n",
        _inverse_blending,
    ),
    Algorithm("filter", "filter a walk by physics", "frames", (40, 80, 160, 320), "n", _filter),
)


def measure_growth(names: Sequence[str] = ()) -> Iterator[Curve]:
    """Measure the algorithms of these names, or all."""
    for algorithm in ALGORITHMS:
        if names and algorithm.name not in names:
            continue
        seconds, grown = [], []
        for size in algorithm.sizes:
            call = algorithm.make(size)
            seconds.append(median_times({"call": call}, rounds=7, budget_s=4.0)["call"])
            if tells_memory():
                child = [sys.executable, "-m", "benchmarks.growth", algorithm.name, str(size)]
                grown.append(int(subprocess.run(child, capture_output=True, text=True, check=True).stdout.split()[-1]))
        yield Curve(
            algorithm.name,
            algorithm.words,
            algorithm.unit,
            algorithm.order,
            algorithm.sizes,
            tuple(seconds),
            tuple(grown),
        )


def main(name: str, size: int) -> None:
    """Print by how many bytes this process grows in one call."""
    algorithm = next(one for one in ALGORITHMS if one.name == name)
    algorithm.make(algorithm.sizes[0])()
    call = algorithm.make(size)
    _give_back()
    print(grown_bytes(call))


def _give_back() -> None:
    """Return freed memory to the system, where the C library can, so that what a call takes is seen."""
    import ctypes
    import gc

    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
