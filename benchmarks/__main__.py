"""Run benchmarks and print their claims.

python -m benchmarks [NAME ...] [--only NAME] [--growth] [--output FOLDER] [--peers PYTHON]

Without names all of them are run, and with --output the growth curves are measured too. A folder that holds an earlier
record keeps what is not measured again.

Some peers do not install beside our pins (benchmarks/peers.txt). Benchmarks that have such peers run under a Python
of their own, in which those and what Kinetune needs for them are installed: --peers, or $KINETUNE_PEERS.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from benchmarks.record import Ran

PEERS = "KINETUNE_PEERS"
APART = ("warp",)
"""Benchmarks with peers that need a Python of their own."""
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS")


def main(arguments: Sequence[str]) -> int:
    for variable in THREADS:  # before NumPy is loaded: its libraries look only once
        os.environ[variable] = "1"
    os.environ["KINETUNE_COMPILED"] = "always"
    from benchmarks.growth import ALGORITHMS, measure_growth
    from benchmarks.machine import describe_machine
    from benchmarks.quality import fill_pages
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
    parser.add_argument(
        "--peers",
        type=Path,
        default=os.environ.get(PEERS),
        metavar="PYTHON",
        help=f"the Python with the peers of {', '.join(APART)} (benchmarks/peers.txt)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was run for another program")
    asked = parser.parse_args(arguments)
    names = [*asked.names, *asked.only]
    known = growing if asked.growth else here
    unknown = [name for name in names if name not in known]
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(known)}")
    machine = describe_machine()
    chosen = [] if asked.growth else [name for name in here if not names or name in names]
    date, ran = f"{datetime.now(UTC):%Y-%m-%d}", []
    for name in chosen:
        ran.append(run_apart(name, asked.peers) if asked.peers and name in APART else run_one(name))
        if asked.output is not None:  # should a later one hang, what was measured is there
            Record(date, machine, ran[-1:], (), here, growing).write(asked.output)
    curves = []
    if asked.growth or (asked.output is not None and not names):
        print("\n== growth: time and memory against size", flush=True)
        for curve in measure_growth(names):
            told = ", ".join(f"{s:,}: {1e3 * t:.3g} ms" for s, t in zip(curve.sizes, curve.seconds, strict=True))
            print(f"  {curve.name}, n^{curve.exponent:.2f}: {told}", flush=True)
            curves.append(curve)
    record = Record(date, machine, ran, curves, here, growing)
    if asked.json is not None:
        asked.json.write_text(json.dumps([one.as_json() for one in record.ran]), encoding="utf-8")
    if asked.output is not None:
        for path in record.write(asked.output):
            print(path)
        fill_pages()
    print(f"\n{record.missed} claims missed" if record.missed else "\nall claims hold")
    return 1 if record.missed else 0


def run_apart(name: str, python: Path) -> Ran:
    """Run one benchmark under another Python; where that is of no use, under this one, without its peers."""
    from benchmarks.record import Ran

    root = Path(__file__).resolve().parents[1]
    trouble = _unfit(python)
    if trouble:
        print(f"\n  the Python of the peers is of no use ({trouble}); {name} runs without it", flush=True)
        return run_one(name)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ran.json"
        paths = os.pathsep.join([str(root / "src"), str(root)])
        words = [python, "-m", "benchmarks", name, "--json", file]
        around = {key: value for key, value in os.environ.items() if key != PEERS}  # or it would do the same again
        done = subprocess.run(words, cwd=root, env={**around, "PYTHONPATH": paths})
        if not file.exists():
            return Ran(name, "It ran under the Python of its peers.", failed=f"it ended with {done.returncode}")
        return Ran.from_json(json.loads(file.read_text(encoding="utf-8"))[0])


def _unfit(python: Path) -> str:
    """Why Kinetune does not run under a Python, or ""."""
    try:
        tried = subprocess.run([python, "-c", "import numba, pydantic, scipy"], capture_output=True, text=True)
    except OSError as error:
        return str(error)
    return tried.stderr.strip().splitlines()[-1] if tried.returncode else ""


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
