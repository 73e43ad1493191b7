"""Print which files of the package a few typical calls enter (see docs/architecture.md)."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import kinetune as kt

ROOT = Path(kt.__file__).parent


def files_entered(call: Callable[[], object]) -> list[str]:
    """The modules whose code runs during a call, importing included."""
    files: set[str] = set()

    def watch(frame: object, event: str, argument: object) -> None:
        if event == "call":
            files.add(frame.f_code.co_filename)  # type: ignore[attr-defined]

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return sorted(str(Path(file).relative_to(ROOT)) for file in files if Path(file).is_relative_to(ROOT))


def walks(folder: Path) -> dict[str, Callable[[], object]]:
    """The calls by name."""
    from kinetune.cli import main

    kt.write(kt.sample("walk"), folder / "walk.bvh")
    kick, first, second = kt.sample("kick-1"), kt.sample_drawing("dog-1"), kt.sample_drawing("dog-2")

    def equalize() -> None:
        files = [str(folder / "walk.bvh"), "-o", str(folder / "b.glb")]
        with contextlib.suppress(SystemExit):
            main(["equalize", *files, "--preset", "exaggerate", "--plant-feet"])

    return {
        "read, smooth, write": lambda: kt.write(kt.Smooth(cutoff_hz=6)(kt.read(folder / "walk.bvh")), folder / "a.glb"),
        "equalize and plant feet on the command line": equalize,
        "filter_dynamics": lambda: kt.filter_dynamics(kick),
        "morph and write SVG": lambda: kt.write_drawing(kt.morph(first, second, frames=8), folder / "c.svg"),
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        for walk, call in walks(Path(name)).items():
            entered = files_entered(call)
            print(f"{walk}: {len(entered)} files")
            print("\n".join(f"    {file}" for file in entered))
