"""A searchable library: how quickly 2,000 clips are indexed and searched, and how often the answers are right.

The library is made of the samples by seeded edits: a part of each, its bands louder and softer, another posture and
sway of every joint, another tempo, some mirrored, all turned. Without the postures, which no band holds, many of the
clips are copies of each other to a centimetre, as two performances never are. 40 of the clips get a copy of each of
the five kinds. Queries are parts of other such edits, which are not in the library. Brute force warps every clip of
the index instead of the candidates; it reads the same rows by the same compiled code. The speed-up of two processes
is a wall time: run it on an idle machine.

``KINETUNE_LIBRARY=FOLDER`` keeps the library between runs.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.harness import Claim
from kinetune import Clip, Equalize, Mirror, Resample, Retime, Turn, sample, samples, write
from kinetune import rotations as rot
from kinetune.batch.engine import run_work
from kinetune.batch.jobs import BatchJob
from kinetune.library import MotionIndex, build_index, find_duplicates, find_like
from kinetune.library.indexing import list_folder, read_clip

CLIPS = 2000
COPIED = 40
QUERIES = 100
SHARED_OUT = 300
BANDS = 9
"""As many as the longest sample has."""
SWAY_DEG, SWAY_HZ = (3.0, 10.0), (0.05, 0.4)
"""How far a joint is from its angle in the sample, and how slowly that changes."""
KINDS = ("exact", "re-exported", "retimed", "mirrored", "trimmed")


def claims() -> Iterator[Claim]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(os.environ.get("KINETUNE_LIBRARY") or Path(scratch) / "library")
        if not folder.is_dir():
            make_library(folder)
        report = build_index(folder)
        index = MotionIndex.open(folder)
        print(
            f"{len(index)} clips, {len(index.windows)} windows; indexed in {report.wall_s:.0f} s ({report.read} read)"
        )
        yield from _sharing(folder)
        yield from _queries(index)
        yield from _copies(index)


def make_library(folder: Path) -> None:
    """Write the library; each clip depends on its number alone."""
    folder.mkdir(parents=True)
    for number in range(CLIPS):
        clip = variation(number)
        write(clip, folder / f"{number:04}.bvh")
        if number < COPIED:
            for kind in KINDS:
                _write_copy(folder, number, clip, kind)


def variation(seed: int) -> Clip:
    """A sample, edited by chance."""
    dice = np.random.default_rng(seed)
    names = [name for name in samples() if "left foot" in sample(name).skeleton.roles]
    clip = sample(names[seed % len(names)])
    if len(clip) > 150:
        length = int(dice.integers(120, len(clip)))
        start = int(dice.integers(0, len(clip) - length + 1))
        clip = clip[start : start + length]
    gains = [float(gain) for gain in dice.uniform(0.5, 1.8, BANDS)]
    clip = Equalize(gains=gains, keep_feet=False, limit_knees=False)(clip)
    clip = Retime(speed=float(dice.uniform(0.8, 1.25)))(_swayed(clip, dice))
    clip = Mirror()(clip) if dice.random() < 0.3 else clip
    return Turn(angle_deg=float(dice.uniform(-180.0, 180.0)))(clip)


def _swayed(clip: Clip, dice: np.random.Generator) -> Clip:
    """The clip with every joint but the first away from its angle, slowly to and fro."""
    joints = len(clip.skeleton) - 1
    axes = dice.normal(size=(joints, 3))
    sizes = np.deg2rad(dice.uniform(*SWAY_DEG, joints)) / np.linalg.norm(axes, axis=1)
    phases = dice.uniform(0.0, 2.0 * np.pi, joints) + 2.0 * np.pi * np.outer(clip.times, dice.uniform(*SWAY_HZ, joints))
    rotations = np.array(clip.rotations)
    rotations[:, 1:] = rot.multiply(rotations[:, 1:], rot.exp((np.cos(phases) * sizes)[..., None] * axes))
    return clip.replace(rotations=rotations)


def _write_copy(folder: Path, number: int, clip: Clip, kind: str) -> None:
    dice = np.random.default_rng([number, KINDS.index(kind)])
    path = folder / f"{number:04}-{kind}.bvh"
    if kind == "exact":
        shutil.copy(folder / f"{number:04}.bvh", path)
        return
    if kind == "re-exported":
        path = path.with_suffix(str(dice.choice([".bvh", ".glb", ".npz", ".fbx"])))
        clip = Turn(angle_deg=float(dice.uniform(0.0, 360.0)))(
            Resample(fps=float(dice.choice([25, 30, 60, 100])))(clip)
        )
    elif kind == "retimed":
        clip = Retime(speed=float(dice.choice([dice.uniform(0.6, 0.92), dice.uniform(1.08, 1.6)])))(clip)
    elif kind == "mirrored":
        clip = Mirror()(clip)
    else:
        length = int(len(clip) * dice.uniform(0.4, 0.85))
        start = int(dice.integers(0, len(clip) - length))
        clip = clip[start : start + length]
    write(clip, path)


def _sharing(folder: Path) -> Iterator[Claim]:
    """Reading and features on one worker and on two, without the start of the workers."""
    files = list(list_folder(folder).items())[:SHARED_OUT]
    walls = {}
    for workers in (1, 2):
        work = [(BatchJob(str(path), None, name), "", (), None) for name, path in files]
        marks = [time.perf_counter() for _ in run_work(read_clip, work, workers=workers)]
        skipped = 8 * workers  # workers load kernels beside the first clips
        walls[workers] = (marks[-1] - marks[skipped]) / (len(marks) - skipped - 1)
    print(f"reading and features: {1.0 / walls[1]:.1f} clips a second on one worker, {1.0 / walls[2]:.1f} on two")
    yield Claim("reading and features: two workers / one worker", walls[1] / walls[2], 1.7, at_least=True)


def _queries(index: MotionIndex) -> Iterator[Claim]:
    """Parts of clips that are not in the library, by the index and by brute force."""
    same, times, brute = 0, [], []
    find_like(index, variation(CLIPS))
    for number in range(QUERIES):
        clip = variation(CLIPS + 1 + number)
        dice = np.random.default_rng(number)
        stop = min(clip.duration, float(dice.uniform(0.8, 4.0)))
        begun = time.process_time()
        best = find_like(index, clip, stop_s=stop)
        times.append(time.process_time() - begun)
        begun = time.process_time()
        sure = find_like(index, clip, stop_s=stop, candidates=len(index))
        brute.append(time.process_time() - begun)
        same += best[0].name == sure[0].name
    print(f"a query takes {np.median(times):.3f} s in the median and {max(times):.3f} s at most, of CPU time")
    yield Claim("seconds of a query, the slowest of 100", max(times), 0.2, at_least=False)
    yield Claim("brute-force warp / find", float(np.median(brute) / np.median(times)), 20.0, at_least=True)
    yield Claim("queries with the best answer of brute force, %", 100.0 * same / QUERIES, 95.0, at_least=True)


def _copies(index: MotionIndex) -> Iterator[Claim]:
    begun = time.perf_counter()
    pairs = {frozenset((each.original, each.copy)): each for each in find_duplicates(index)}
    print(f"duplicates: {time.perf_counter() - begun:.0f} s, {len(pairs)} pairs")
    names = [clip.name for clip in index.clips]
    planted = [name for name in names if "-" in name]
    found = [name for name in planted if frozenset((f"{name[:4]}.bvh", name)) in pairs]
    kinds = sum(name[5:].rpartition(".")[0] in pairs[frozenset((f"{name[:4]}.bvh", name))].kinds for name in found)
    wrong = [pair for pair in pairs if len({name[:4] for name in pair}) > 1]
    accused = {name for pair in wrong for name in pair}
    print(f"planted {len(planted)}, found {len(found)}, named rightly {kinds}; wrong pairs: {len(wrong)}")
    for name in sorted(set(planted) - set(found))[:10]:
        print(f"missed: {name}")
    for pair in sorted(map(sorted, wrong))[:10]:
        print(f"wrong: {pair} {pairs[frozenset(pair)].kinds} {pairs[frozenset(pair)].distance_cm:.2f} cm")
    yield Claim("planted copies that are found, %", 100.0 * len(found) / len(planted), 99.0, at_least=True)
    yield Claim("clips named as copies of another motion, %", 100.0 * len(accused) / len(names), 1.0, at_least=False)
