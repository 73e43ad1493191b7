"""Walks on steps of real captures: what each set holds, and how well it walks straight on, round a circle, in a slalom.

    python -m benchmarks.quality_walk [FOLDER]

FOLDER holds the clips (``cmu/16_17.bvh`` ...); left out, it is $KINETUNE_DATA, or ``shared/data`` beside the checkout.
Nothing is timed here. Sets: the walks and turns of CMU subjects 16 and 69, the single steps and turns of subject 83,
and the ACCAD walks, turns, starts and stops. Footsteps are planned with the natural step of each set; those that its
examples do not reach are counted as bent, and steps that were put in between as inserted. Errors are those of the
footsteps within reach.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import kinetune as kt
from kinetune.inverse.walk.walker import Walker

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = {
    "CMU 16": "cmu/16_*.bvh",
    "CMU 69": "cmu/69_*.bvh",
    "CMU 83": "cmu/83_*.bvh",
    "ACCAD": "accad/Male1_B*Walk*.bvh",
}
WAYS = ("straight:length=8", "circle:r=2", "slalom")


def main(folder: Path) -> int:
    """Print one block for each set."""
    print("error, heading, height, drift, jump: of the worst footstep; slide and sunk: of the whole walk")
    print(_row("", "steps", "bent", "inserted", "error", "heading", "height", "drift", "jump", "slide", "sunk"))
    print(_row("", "", "", "", "mm", "deg", "mm", "mm", "deg", "mm", "mm"))
    for name, pattern in SETS.items():
        files = sorted(folder.glob(pattern))
        if not files:
            print(f"{name}: no file matches {pattern}")
            continue
        steps = kt.walking.StepSet.from_clips([kt.read(file) for file in files], names=[file.stem for file in files])
        held = ", ".join(f"{count} {kind}" for kind, count in steps.counts.items() if count)
        ends = [(row["ahead_m"], row["turn_deg"]) for row in steps.as_table() if row["side"] == "left"]
        ahead, turn = zip(*ends, strict=True)
        print(f"{name}: {len(files)} clips, {len(steps)} steps with mirror images ({held}),")
        print(f"  {min(ahead):.2f} to {max(ahead):.2f} m ahead, turning {min(turn):.0f} to {max(turn):.0f} degrees")
        for way in WAYS:
            print(_walked(steps, way), flush=True)
    return 0


def _walked(steps: kt.walking.StepSet, way: str) -> str:
    walker = Walker(steps)
    walker.walk(kt.plan_footsteps(way, steps=steps))
    report, measured = walker.report, kt.measure(walker.clip)
    bent = sum(not row.reached for row in report.steps)
    worst = report.worst
    return _row(
        way,
        f"{len(report.steps)}",
        f"{bent}",
        f"{len(report.inserted)}",
        f"{worst['error_mm']:.0e}",
        f"{worst['heading_error_deg']:.0e}",
        f"{worst['height_mm']:.1f}",
        f"{worst['drift_mm']:.0e}",
        f"{worst['jump_deg']:.2f}",
        f"{measured['foot_slide_mm']:.1f}",
        f"{measured['penetration_mm']:.0f}",
    )


def _row(way: str, *cells: str) -> str:
    return f"  {way:18s}" + "".join(
        f"{cell:>{width}}" for cell, width in zip(cells, (5, 5, 9, 8, 8, 7, 8, 6, 6, 5), strict=True)
    )


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", _BESIDE)
    sys.exit(main(Path(given)))
