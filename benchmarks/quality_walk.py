"""Walks on steps of real captures: what each set holds, how well it walks, and whether its pelvis lurches.

    python -m benchmarks.quality_walk [FOLDER]

FOLDER holds the clips (``cmu/16_17.bvh`` ...); left out, it is $KINETUNE_DATA, or ``shared/data`` beside the checkout.
Nothing is timed here. Sets: the walks and turns of CMU subjects 16 and 69, the single steps and turns of subject 83,
and the ACCAD walks, turns, starts and stops. Footsteps are planned with the natural step of each set; those that its
examples do not reach are counted as missed, and steps that were put in between as inserted. Errors are those of the
footsteps within reach.

Sideways and acceleration are those of the pelvis: the 99th percentile of its speed across the direction in which the
character faces, and of its acceleration, without what is faster than 20 ms, which in captures is noise. "Examples"
gives the median and the worst of the captures that the steps come from, turns and side steps included. The character
faces across the line between its hips, which swings with every step: whoever swings them by 12 degrees at 1.2 m/s goes
"sideways" at 0.25 m/s without leaving the line. So the speed across the line of a straight walk is given too, and for
CMU 83 both figures of the one capture whose actor walks, while it walks straight on.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

import kinetune as kt
from benchmarks.harness import Claim
from kinetune.body.clip import Clip
from kinetune.body.feet.planting import pelvis_acceleration
from kinetune.body.root_motion import facing, travelling_joint
from kinetune.inverse.walk.walker import walk_on
from kinetune.rotations import Floats
from kinetune.signals.filters import gaussian

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = {
    "CMU 16": "cmu/16_*.bvh",
    "CMU 69": "cmu/69_*.bvh",
    "CMU 83": "cmu/83_*.bvh",
    "ACCAD": "accad/Male1_B*Walk*.bvh",
}
WAYS = ("straight:length=8", "circle:r=2", "slalom")


MOST_SIDEWAYS, MOST_ACCELERATION = 0.3, 8.0
STRAIGHT_ON = {"CMU 83": ("83_36", slice(240, 420))}
"""Frames of a capture in which its actor walks straight on."""


def main(folder: Path) -> int:
    """Print one block for each set; the number of figures that miss their bound."""
    claims = []
    print("error, heading, height, drift, jump: of the worst footstep; slide and sunk: of the whole walk;")
    print("sideways, acceleration: 99th percentiles of the pelvis")
    print(
        _row(
            "", "steps", "missed", "inserted", "error", "heading", "height", "drift", "jump", "slide", "sunk", *_PELVIS
        )
    )
    print(_row("", "", "", "", "mm", "deg", "mm", "mm", "deg", "mm", "mm", "m/s", "m/s^2"))
    for name, pattern in SETS.items():
        files = sorted(folder.glob(pattern))
        if not files:
            print(f"{name}: no file matches {pattern}")
            continue
        clips = [kt.read(file) for file in files]
        steps = kt.walking.StepSet.from_clips(clips, names=[file.stem for file in files])
        counts = ", ".join(f"{count} {kind}" for kind, count in steps.counts.items() if count)
        ends = [(row["ahead_m"], row["turn_deg"]) for row in steps.as_table() if row["side"] == "left"]
        ahead, turn = zip(*ends, strict=True)
        print(f"{name}: {len(files)} clips, {len(steps)} steps with mirror images ({counts}),")
        print(f"  {min(ahead):.2f} to {max(ahead):.2f} m ahead, turning {min(turn):.0f} to {max(turn):.0f} degrees")
        usual = np.array([pelvis_figures(clip[2:]) for clip in clips])
        for what, pick in (("median", np.median), ("worst", np.max)):
            side, acceleration = pick(usual, axis=0)
            print(_row(f"examples, {what}", *[""] * 10, f"{side:.2f}", f"{acceleration:.1f}"))
        if name in STRAIGHT_ON:
            stem, frames = STRAIGHT_ON[name]
            part = next(clip for clip, file in zip(clips, files, strict=True) if file.stem == stem)[frames]
            side, acceleration = pelvis_figures(part)
            print(_row(f"{stem}, straight on", *[""] * 10, f"{side:.2f}", f"{acceleration:.1f}"))
            print(f"    across its line {_across(part):.2f} m/s")
        for way in WAYS:
            row, walked = _walked(steps, way)
            print(row, flush=True)
            side, acceleration = pelvis_figures(walked)
            if way.startswith("straight"):
                claims.append(Claim(f"{name}, straight on: pelvis sideways, m/s", side, MOST_SIDEWAYS, False))
                across = _across(walked)
                claims.append(Claim(f"{name}, straight on: pelvis across its line, m/s", across, MOST_SIDEWAYS, False))
            kind = way.partition(":")[0]
            claims.append(Claim(f"{name}, {kind}: pelvis acceleration, m/s^2", acceleration, MOST_ACCELERATION, False))
    for claim in claims:
        print(claim)
    return sum(not claim.holds for claim in claims)


def pelvis_figures(clip: Clip) -> tuple[float, float]:
    """How fast the pelvis goes sideways (m/s) and accelerates (m/s^2), the 99th percentiles."""
    x, z = _velocity(clip).T
    heading = facing(clip)[:-1]
    side = np.abs(x * np.cos(heading) - z * np.sin(heading))
    acceleration = np.linalg.norm(pelvis_acceleration(clip), axis=1)
    return float(np.percentile(side, 99.0)), float(np.percentile(acceleration, 99.0))


def _velocity(clip: Clip) -> Floats:
    """Of the pelvis along the floor, (frames - 1, 2) in m/s."""
    path = gaussian(clip.positions()[:, travelling_joint(clip)], clip.fps, 0.02)
    return np.asarray(np.diff(path[:, ::2], axis=0) * clip.fps)


def _across(clip: Clip) -> float:
    """How fast the pelvis goes across the line from where it begins to where it ends (m/s), the 99th percentile."""
    velocity = _velocity(clip)
    along = velocity.mean(axis=0) / np.linalg.norm(velocity.mean(axis=0))
    return float(np.percentile(np.abs(velocity @ [along[1], -along[0]]), 99.0))


def _walked(steps: kt.walking.StepSet, way: str) -> tuple[str, Clip]:
    walk = walk_on(kt.plan_footsteps(way, steps=steps), steps)
    report, measured, figures = walk.report, kt.measure(walk.clip), pelvis_figures(walk.clip)
    worst = report.worst
    row = _row(
        way,
        f"{len(report.steps)}",
        f"{sum(row.missed for row in report.steps)}",
        f"{len(report.inserted)}",
        f"{worst['error_mm']:.0e}",
        f"{worst['heading_error_deg']:.0e}",
        f"{worst['height_mm']:.1f}",
        f"{worst['drift_mm']:.0e}",
        f"{worst['jump_deg']:.2f}",
        f"{measured['foot_slide_mm']:.1f}",
        f"{measured['penetration_mm']:.0f}",
        f"{figures[0]:.2f}",
        f"{figures[1]:.1f}",
    )
    return row, walk.clip


_PELVIS = ("sideways", "acceleration")
_WIDTHS = (5, 7, 9, 8, 8, 7, 8, 6, 6, 5, 9, 13)


def _row(way: str, *cells: str) -> str:
    return f"  {way:18s}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, _WIDTHS, strict=True))


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", _BESIDE)
    sys.exit(1 if main(Path(given)) else 0)
