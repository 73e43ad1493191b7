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
from kinetune.inverse.walking import Walker

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
    for name, pattern in SETS.items():
        files = sorted(folder.glob(pattern))
        if not files:
            print(f"{name}: no file matches {pattern}")
            continue
        steps = kt.StepSet.from_clips([kt.read(file) for file in files], names=[file.stem for file in files])
        held = ", ".join(f"{count} {kind}" for kind, count in steps.counts.items() if count)
        ends = [(row["ahead_m"], row["turn_deg"]) for row in steps.as_table() if row["side"] == "left"]
        ahead, turn = zip(*ends, strict=True)
        print(f"{name}: {len(files)} clips, {len(steps)} steps with mirror images ({held}),")
        print(f"  {min(ahead):.2f} to {max(ahead):.2f} m ahead, turning {min(turn):.0f} to {max(turn):.0f} degrees")
        for way in WAYS:
            print("  " + _walked(steps, way))
    return 0


def _walked(steps: kt.StepSet, way: str) -> str:
    walker = Walker(steps)
    walker.walk(kt.plan_footsteps(way, steps=steps))
    report, measured = walker.report, kt.measure(walker.clip)
    bent = sum(not row.reached for row in report.steps)
    worst = report.worst
    return (
        f"{way:18s} {len(report.steps):3d} footsteps, {bent:2d} bent, {len(report.inserted):3d} inserted: "
        f"error {worst['error_mm']:.1e} mm, heading {worst['heading_error_deg']:.1e} deg, "
        f"height {worst['height_mm']:.1f} mm, drift {worst['drift_mm']:.1e} mm, jump {worst['jump_deg']:.2f} deg; "
        f"slide {measured['foot_slide_mm']:.1f} mm, sunk {measured['penetration_mm']:.0f} mm"
    )


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", _BESIDE)
    sys.exit(main(Path(given)))
