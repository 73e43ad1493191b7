"""Run every benchmark and print its claims: python -m benchmarks [NAME ...]."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS")


def main(names: list[str]) -> int:
    for variable in THREADS:
        os.environ[variable] = "1"
    os.environ["KINETUNE_COMPILED"] = "always"
    here = [m.name for m in pkgutil.iter_modules(__path__) if m.name.startswith("bench_")]
    chosen = [n for n in here if not names or n.removeprefix("bench_") in names]
    missed = 0
    for name in chosen:
        module = importlib.import_module(f"benchmarks.{name}")
        print(f"\n== {name.removeprefix('bench_')}: {(module.__doc__ or '').strip().splitlines()[0]}", flush=True)
        for claim in module.claims():
            print(f"  {claim}", flush=True)
            missed += not claim.holds
    print(f"\n{missed} claims missed" if missed else "\nall claims hold")
    return 1 if missed else 0


__path__ = importlib.import_module("benchmarks").__path__

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
