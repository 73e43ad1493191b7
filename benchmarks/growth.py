"""How time and memory grow with size, for every algorithm: python -m benchmarks --growth [NAME ...].

Time is the median CPU time of a call, as in the other benchmarks; for a batch, whose work other processes do, it is
wall time. Memory is how far a process of its own grows in one call, after a small one to load everything (Linux only).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.harness import grown_bytes, median_times, tells_memory

if TYPE_CHECKING:
    from kinetune.body.clip import Clip

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
    wall : measure wall time, for work that other processes do.
    """

    name: str
    words: str
    unit: str
    sizes: tuple[int, ...]
    order: str
    make: Callable[[int], Call]
    wall: bool = False


@dataclass(frozen=True)
class Curve:
    """What was measured: seconds and bytes for each size; no bytes where the system does not tell them.

    date : when, "" for now.
    """

    name: str
    words: str
    unit: str
    order: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    grown: tuple[int, ...]
    date: str = ""

    @property
    def exponent(self) -> float:
        """The slope of log time over log size between the middle and the largest size: 1 is linear, 2 quadratic."""
        half = len(self.sizes) // 2
        return float(np.log(self.seconds[-1] / self.seconds[half]) / np.log(self.sizes[-1] / self.sizes[half]))

    def as_json(self) -> dict[str, Any]:
        """All of it, for a file."""
        return asdict(self) | {"exponent": round(self.exponent, 3)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Curve:
        """What :meth:`as_json` made."""
        lists = {name: tuple(data[name]) for name in ("sizes", "seconds", "grown")}
        words = {name: data[name] for name in ("name", "words", "unit", "order")}
        return cls(**words, **lists, date=data.get("date", ""))


def _copy(frames: int) -> Call:
    x = np.random.default_rng(0).standard_normal((frames, CHANNELS))
    return x.copy


def _bands(frames: int) -> Call:
    from kinetune.signals.bands.pyramid import count_bands, equalize

    x = np.random.default_rng(0).standard_normal((frames, CHANNELS)).cumsum(axis=0)
    gains = np.linspace(0.5, 2.0, count_bands(frames))
    return lambda: equalize(x, gains)


def _warp(frames: int) -> Call:
    from benchmarks.bench_warp import motion_pair
    from kinetune.signals.warping.time_warp import time_warp

    a, b = motion_pair(frames)
    return lambda: time_warp(a, b)


def _kinematics(frames: int) -> Call:
    from benchmarks.bench_kinematics import JOINTS, figure
    from kinetune import rotations as rot
    from kinetune.body.kinematics.forward import forward

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
    from kinetune.signals.splines.tcb import TCB

    keys = max(4, frames // 100)
    values = np.random.default_rng(0).standard_normal((keys, CHANNELS))
    moments = np.linspace(0.0, keys - 1.0, frames)
    return lambda: TCB(np.arange(keys, dtype=float), values, 0.2, 0.0, 0.3)(moments)


def _contour_dynamics(samples: int) -> Call:
    from benchmarks.bench_contour_dynamics import curves
    from kinetune.contours.elastic.relaxation import relax

    shape, rest = curves(samples)
    return lambda: relax(shape, rest, [0.3])


def _morph(points: int) -> Call:
    from kinetune.contours.drawing import Drawing, Layer
    from kinetune.contours.morphing.morph import morph
    from kinetune.contours.sampling import sample_evenly
    from kinetune.samples.drawings import sample_drawing

    outlines = (
        sample_drawing("digit-3").layers[0].contours[0],
        sample_drawing("dog-1").layer("near hind leg").contours[0],
    )
    a, b = (Drawing((Layer((sample_evenly(outline, points),)),)) for outline in outlines)
    return lambda: morph(a, b, 24)


def _reach(problems: int) -> Call:
    import kinetune as kt
    from kinetune.reproduce.inverse_blending.aiming import TIP, example_blend, sphere_targets

    blend = example_blend("reach")
    targets = np.resize(sphere_targets(0.7).reshape(-1, 3), (problems, 3))
    asked = kt.AtPoint(TIP, targets)
    return lambda: blend.solve_batch(asked)


def _long_walk(frames: int) -> Clip:
    """A walk straight on, of so many frames at 60 a second."""
    import kinetune as kt

    footsteps = kt.plan_footsteps("straight", count=4 + frames // 25)
    return kt.Resample(fps=60)(kt.walk(footsteps, stop=False).clip)[:frames]


def _keys(frames: int) -> Call:
    from kinetune.body.curves.key_reduction import reduce_keys

    walk = _long_walk(frames)
    return lambda: reduce_keys(walk, 5.0)


def _plant_feet(frames: int) -> Call:
    import kinetune as kt

    walk = _long_walk(frames)
    larger = kt.Equalize(preset="exaggerate", keep_feet=False)(walk)
    return lambda: kt.PlantFeet(like="before")(larger, before=walk)


def _blend(frames: int) -> Call:
    import kinetune as kt

    walk = _long_walk(frames)
    slower = kt.Retime(speed=0.9)(kt.Equalize(preset="subdued", keep_feet=False)(walk))
    return lambda: kt.Blend(other="slower", weight=0.5, keep_feet=False)(walk, slower=slower)


def _walk(steps: int) -> Call:
    import kinetune as kt

    footsteps = kt.plan_footsteps("straight", count=steps)
    examples = kt.walking.sample_steps()
    return lambda: kt.walk(footsteps, examples)


def _filter(frames: int) -> Call:
    import kinetune as kt

    walk = _long_walk(frames)
    body = kt.Body.fit(walk.skeleton)
    return lambda: kt.filter_dynamics(walk, body, method="filter")


def _plan(frames: int) -> Call:
    """Steps of half a second at 60 frames a second: the middle of the body sways and bobs over feet that alternate."""
    from kinetune.physics.filter.com_plan import ComPlanner, PlanStart, Support

    t = np.arange(frames) / 60.0
    com = np.stack([0.03 * np.sin(2 * np.pi * t), 1.0 + 0.02 * np.cos(4 * np.pi * t), 1.2 * t], axis=-1)
    sole = np.array([(-0.05, -0.1), (0.05, -0.1), (0.05, 0.15), (-0.05, 0.15)])
    steps = (2.0 * t).astype(int)
    places = np.stack([np.where(steps % 2, 0.1, -0.1), 0.6 * steps + 0.3], axis=-1)
    hulls = [sole + place for place in places]
    support = Support(hulls, np.zeros(frames), np.full(frames, 0.08))
    turning = np.random.default_rng(0).standard_normal((frames, 3))
    start = PlanStart(com[0], 60.0 * (com[1] - com[0]), np.zeros(3), np.zeros(3))

    def call() -> object:
        return ComPlanner(com, turning, support, rate=60.0, mass=70.0, mu=1.0).plan(0, frames, start, near_s=t[-1])

    return call


def _batch(clips: int) -> Call:
    """Clips of 60 frames on one worker, each time into a folder of its own."""
    import kinetune as kt
    from kinetune.batch import edit_library

    folder = tempfile.TemporaryDirectory()
    library = Path(folder.name) / "clips"
    library.mkdir()
    walk = kt.sample("walk")
    for number in range(clips):
        kt.write(walk[number % 300 :][:60], library / f"{number:05}.bvh")
    recipe = kt.Recipe(steps=(kt.Smooth(),))

    def call(kept: object = folder) -> object:
        with tempfile.TemporaryDirectory() as out:
            return edit_library(recipe, [str(library)], out, jobs=1)

    return call


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
        "reach",
        "aim 16 reaches at points",
        "problems",
        (100, 300, 1_000, 3_000, 10_000),
        "n",
        _reach,
    ),
    Algorithm("keys", "reduce a walk to keys at 5 mm", "frames", (60, 120, 240, 480, 960), "n to n^2", _keys),
    Algorithm("plant_feet", "plant the feet of a walk", "frames", (120, 240, 480, 960, 1_920), "n", _plant_feet),
    Algorithm("blend", "align two walks and blend them", "frames", (120, 240, 480, 960, 1_920), "n to n^2", _blend),
    Algorithm("walk", "walk on footsteps", "footsteps", (10, 30, 100, 300), "n", _walk),
    Algorithm("filter", "filter a walk by physics", "frames", (60, 120, 240, 480, 960), "n", _filter),
    Algorithm("plan", "plan the balance of a whole clip", "frames", (60, 120, 240, 480, 960), "n", _plan),
    Algorithm("batch", "edit a library on one worker", "clips", (10, 30, 100, 300), "n", _batch, wall=True),
)


def measure_growth(names: Sequence[str] = ()) -> Iterator[Curve]:
    """Measure the algorithms of these names, or all."""
    for algorithm in ALGORITHMS:
        if names and algorithm.name not in names:
            continue
        seconds, grown = [], []
        for size in algorithm.sizes:
            call = algorithm.make(size)
            clock = time.perf_counter if algorithm.wall else time.process_time
            seconds.append(median_times({"call": call}, rounds=7, budget_s=4.0, clock=clock)["call"])
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
