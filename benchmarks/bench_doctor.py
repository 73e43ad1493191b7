"""A pipeline: ``kinetune doctor --ci`` over 1,000 clips on two cores.

The clips are the samples of 100 frames or more, each cut, turned and resampled by a seeded draw; every second one has a
defect of the kinds that the doctor is tested with. The command runs as a pipeline runs it, in processes of its own with
physics and a JUnit report. What is claimed is its processor time shared by two cores, start-up included: on a machine
with other work that is steadier than the time on the clock, which is printed beside it.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.harness import Claim
from benchmarks.planted_defects import RECORDING
from kinetune import Resample, Turn, sample, samples, write

CLIPS = 1000
CORES = 2
FRAMES = (100, 400)
RATES = (30.0, 60.0, 120.0)


def claims() -> Iterator[Claim]:
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "clips"
        frames = make_library(library, CLIPS)
        call = [sys.executable, "-m", "kinetune", "doctor", str(library), "--ci", "--jobs", str(CORES)]
        begun, before = time.perf_counter(), _processor_time()
        done = subprocess.run([*call, "--junit", str(Path(folder) / "report.xml")], capture_output=True, text=True)
        used, took = _processor_time() - before, time.perf_counter() - begun
    if done.returncode != 1:  # half of the clips have a defect
        raise RuntimeError(f"doctor ended with {done.returncode}: {done.stderr[-500:]}")
    print(done.stdout.splitlines()[-2])
    print(f"{frames} frames; {used:.0f} s of processor time, {took:.0f} s on the clock")
    yield Claim("doctor --ci, 1,000 clips: minutes on two cores", used / CORES / 60.0, 5.0, at_least=False)


def make_library(folder: Path, count: int) -> int:
    """Write clips, and return how many frames they have in all."""
    folder.mkdir()
    draw = np.random.default_rng(21)
    names = [
        name for name in samples() if len(sample(name)) >= FRAMES[0] and "left foot" in sample(name).skeleton.roles
    ]
    defects = [plant for plant, _ in RECORDING.values()]
    frames = 0
    for number in range(count):
        clip = Resample(fps=float(draw.choice(RATES)))(sample(names[number % len(names)]))
        start = int(draw.integers(max(1, len(clip) - FRAMES[0])))
        clip = Turn(angle_deg=float(draw.uniform(0.0, 360.0)))(clip[start : start + int(draw.integers(*FRAMES))])
        if number % 2:
            clip = defects[number // 2 % len(defects)](clip, number)
        write(clip, folder / f"{number:04}.bvh")
        frames += len(clip)
    return frames


def _processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
