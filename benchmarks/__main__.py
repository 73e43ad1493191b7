"""Run benchmarks and print their claims.

python -m benchmarks [NAME ...] [--only NAME] [--growth] [--output FOLDER]

Without names all of them are run, and with --output the growth curves are measured too.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import pkgutil
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from benchmarks.record import Ran

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS")


def main(arguments: Sequence[str]) -> int:
    for variable in THREADS:  # before NumPy is loaded: its libraries look only once
        os.environ[variable] = "1"
    os.environ["KINETUNE_COMPILED"] = "always"
    from benchmarks.growth import ALGORITHMS, measure_growth
    from benchmarks.machine import describe_machine
    from benchmarks.record import Record

    here = [m.name.removeprefix("bench_") for m in pkgutil.iter_modules(__path__) if m.name.startswith("bench_")]
    growing = [algorithm.name for algorithm in ALGORITHMS]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"{', '.join(here)}; with --growth {', '.join(growing)}"
    )
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="the same, as an option")
    parser.add_argument("--growth", action="store_true", help="measure only how time and memory grow with size")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="write the run as JSON, Markdown and plots")
    asked = parser.parse_args(arguments)
    names = [*asked.names, *asked.only]
    known = growing if asked.growth else here
    unknown = [name for name in names if name not in known]
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(known)}")
    machine = describe_machine()
    chosen = [] if asked.growth else [name for name in here if not names or name in names]
    ran = [run_one(name) for name in chosen]
    curves = []
    if asked.growth or (asked.output is not None and not names):
        print("\n== growth: time and memory against size", flush=True)
        for curve in measure_growth(names):
            told = ", ".join(f"{s:,}: {1e3 * t:.3g} ms" for s, t in zip(curve.sizes, curve.seconds, strict=True))
            print(f"  {curve.name}, n^{curve.exponent:.2f}: {told}", flush=True)
            curves.append(curve)
    left_out = [name for name in here if name not in chosen]
    record = Record(f"{datetime.now(UTC):%Y-%m-%d}", machine, ran, left_out, curves)
    if asked.output is not None:
        for path in record.write(asked.output):
            print(path)
    print(f"\n{record.missed} claims missed" if record.missed else "\nall claims hold")
    return 1 if record.missed else 0


def run_one(name: str) -> Ran:
    """Run one benchmark and keep what it prints; one that stops is told and stops no other."""
    from benchmarks.record import Ran

    module = importlib.import_module(f"benchmarks.bench_{name}")
    ran = Ran(name, (module.__doc__ or "").strip().splitlines()[0])
    print(f"\n== {name}: {ran.title}", flush=True)
    heard = _Heard(sys.stdout)
    try:
        with contextlib.redirect_stdout(heard):
            for claim in module.claims():
                ran.claims.append(claim)
                heard.through.write(f"  {claim}\n")
                heard.through.flush()
    except Exception as error:  # the others must still be run and told
        ran.failed = f"{type(error).__name__}: {error}"
        print(f"  STOPPED {ran.failed}", flush=True)
    ran.lines = [line.strip() for line in heard.getvalue().splitlines() if line.strip()]
    return ran


class _Heard(io.StringIO):
    """What is printed, kept and passed on."""

    def __init__(self, through: TextIO) -> None:
        super().__init__()
        self.through = through

    def write(self, text: str) -> int:
        self.through.write(text)
        return super().write(text)

    def flush(self) -> None:
        self.through.flush()


__path__ = importlib.import_module("benchmarks").__path__

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
