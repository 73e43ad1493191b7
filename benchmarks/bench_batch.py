"""Whole libraries: how well two cores share 200 clips, and what the engine adds to the work.

The library is made of the samples cut to about 300 frames, each turned a little so that no two files are alike; the
recipe is ``equalize`` and ``plant_feet``. These are wall times: run it on an idle machine with two cores or more.
Overhead is what one worker's wall time holds besides the work on clips: sending, collecting, the manifest, the reports.
Starting and stopping the processes is told apart, since it does not grow with the library.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Claim
from kinetune import Equalize, PlantFeet, Recipe, Resample, Turn, sample, samples, write
from kinetune.batch import LibraryResult, edit_library

CLIPS = 200
FRAMES = 300
RECIPE = Recipe(steps=(Equalize(preset="exaggerate"), PlantFeet()))


def claims() -> Iterator[Claim]:
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "clips"
        _make_library(library)
        edit_library(RECIPE, [str(library / "00*.bvh")], Path(folder) / "warm", jobs=1)  # fills the kernel cache
        one, one_s = _timed(library, Path(folder) / "one", 1)
        _, two_s = _timed(library, Path(folder) / "two", 2)
    work = one.summary.work_s
    total = work["total"]
    print(f"{one.summary.done} clips, {one.summary.frames} frames; start and stop take {one.wall_s - one_s:.1f} s")
    print("shares of the work: " + ", ".join(f"{part} {work[part] / total:.0%}" for part in work if part != "total"))
    print(f"one worker {one_s:.2f} s ({CLIPS / one_s:.1f} clips a second), two {two_s:.2f} s")
    yield Claim("two workers / one worker, 200 clips", one_s / two_s, 1.7, at_least=True)
    yield Claim("engine overhead / work, one worker", (one_s - total) / total, 0.10, at_least=False)


def _timed(library: Path, out: Path, jobs: int) -> tuple[LibraryResult, float]:
    """The result, and the wall time from the first outcome to the last, scaled to all clips."""
    marks: list[float] = []
    result = edit_library(
        RECIPE, [str(library)], out, jobs=jobs, on_outcome=lambda _: marks.append(time.perf_counter())
    )
    if result.summary.failed:
        raise RuntimeError(f"{result.summary.failed} clips failed: {result.summary.failures[0]}")
    skipped = 4 * jobs  # workers load kernels beside the first clips
    return result, (marks[-1] - marks[skipped]) * CLIPS / (CLIPS - skipped - 1)


def _make_library(folder: Path) -> None:
    folder.mkdir()
    names = [name for name in samples() if len(sample(name)) >= 100 and "left foot" in sample(name).skeleton.roles]
    for number in range(CLIPS):
        clip = sample(names[number % len(names)])
        if len(clip) < FRAMES:
            clip = Resample(fps=clip.fps * FRAMES / len(clip))(clip)
        write(Turn(angle_deg=float(number))(clip[:FRAMES]), folder / f"{number:03}.bvh")
