"""Start-up: what a fresh process pays before the first result.

Every measurement is a process of its own; the variants take turns, and the time is the CPU time of the process, which
other programs do not disturb. Background threads count too. Bytecode and kernels lie on the disk, as they do from the
second start on.

The whole command reads a BVH file of some hundred frames, exaggerates it, plants the feet and writes the result. It is
held against a process that only imports NumPy, scipy.signal and numba, as a tool that filters motion with them would
before it does anything.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Claim

_LIBRARIES = "import numpy, scipy.signal, numba"
_FIRST_RESULT = "import kinetune as kt; kt.Smooth(cutoff_hz=6, keep_feet=False)(kt.read({path!r})).positions()"


def claims(rounds: int = 15) -> Iterator[Claim]:
    with tempfile.TemporaryDirectory() as folder:
        path = _small_bvh(Path(folder))
        first = _FIRST_RESULT.format(path=str(path))
        edit = ["equalize", str(path), "-o", str(Path(folder) / "out.bvh"), "--preset", "exaggerate", "--plant-feet"]
        variants = {
            "numpy": (["-c", "import numpy"], "auto"),
            "kinetune": (["-c", "import kinetune"], "auto"),
            "first result": (["-c", first], "auto"),
            "first result, NumPy": (["-c", first], "never"),
            "help": (["-m", "kinetune", "--help"], "auto"),
            "version": (["-m", "kinetune", "--version"], "auto"),
            "libraries": (["-c", _LIBRARIES], "auto"),
            "edit": (["-m", "kinetune", *edit], "auto"),
        }
        seconds = _median_seconds(variants, rounds, Path(folder) / "bytecode")
    yield Claim("import kinetune / import numpy", seconds["kinetune"] / seconds["numpy"], 2.0, at_least=False)
    ratio = seconds["first result"] / seconds["first result, NumPy"]
    yield Claim("first small result (read, smooth, positions) / the same with NumPy only", ratio, 1.3, at_least=False)
    yield Claim("seconds for kinetune --help", seconds["help"], 0.6, at_least=False)
    yield Claim("kinetune --version / import numpy", seconds["version"] / seconds["numpy"], 2.0, at_least=False)
    words = "kinetune equalize --preset exaggerate --plant-feet, start to exit / import numpy, scipy.signal and numba"
    yield Claim(words, seconds["edit"] / seconds["libraries"], 0.75, at_least=False)


def _small_bvh(folder: Path) -> Path:
    import kinetune as kt

    return Path(kt.write(kt.sample("walk"), folder / "walk.bvh"))


def _median_seconds(variants: dict[str, tuple[list[str], str]], rounds: int, bytecode: Path) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in variants}
    names = list(variants)
    dice = random.Random(0)
    for number in range(rounds + 1):
        dice.shuffle(names)
        for name in names:
            arguments, compiled = variants[name]
            spent = _seconds(arguments, compiled, bytecode)
            if number:  # the first round fills the disk cache
                times[name].append(spent)
    return {name: sorted(values)[len(values) // 2] for name, values in times.items()}


def _seconds(arguments: list[str], compiled: str, bytecode: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "KINETUNE_COMPILED": compiled, "PYTHONPYCACHEPREFIX": str(bytecode)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([sys.executable, *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
