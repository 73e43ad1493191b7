"""How long a simulated body under a controller follows motion: raw, filtered, and corrected as a whole.

    python -m benchmarks.quality_tracking [FOLDER]

Every motion is tracked in MuJoCo with the engine's own contact by the controller of ``kinetune.physics.track``:
feed-forward torques, joint servos, and a balance controller that acts through the feet. Nothing is trained, and nothing
was tuned to single clips. "raw" has the torques and contact forces that inverse dynamics finds for the motion as it is.
Clips are those of the half "report" of ``benchmarks.quality_physics``, four seconds of each at most.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import kinetune as kt
from benchmarks.quality_physics import clips_of
from kinetune.physics.filter.filtering import FilterResult
from kinetune.physics.filter.preprocessing import centre_clip, prepare_input
from kinetune.physics.filter.references import Feet
from kinetune.physics.motion_correction import central_differences
from kinetune.physics.simulation.contact_replay import TrackedRun, track

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
_SECONDS, _EACH = 4.0, 4
GROUPS = ("walks", "kicks", "runs", "stand, reach, wave")


def main(folder: Path) -> int:
    """Print seconds until a fall, and errors until then."""
    print("seconds tracked of seconds in all, runs to the end, joint error in degrees: raw / filter / whole\n")
    for group in GROUPS:
        runs: dict[str, list[TrackedRun]] = {"raw": [], "filter": [], "whole": []}
        for _, clip in list(clips_of(group, folder, "report"))[:_EACH]:
            for kind, result in motions(clip[: round(_SECONDS * clip.fps)]).items():
                runs[kind].append(track(result))
        cells = []
        for tracked in runs.values():
            up, whole = sum(run.seconds for run in tracked), sum(run.of for run in tracked)
            ended = sum(not run.fell for run in tracked)
            error = np.mean([run.joint_deg for run in tracked])
            cells.append(f"{up:.1f} of {whole:.1f} s, {ended} of {len(tracked)}, {error:.1f} deg")
        print(f"  {group:20s} " + " / ".join(cells), flush=True)
    return 0


def motions(clip: kt.Clip) -> dict[str, FilterResult]:
    """The three motions of a clip, each with its torques and forces."""
    body = kt.Body.fit(clip.skeleton, clip=clip)
    whole = kt.filter_dynamics(clip, body, method="whole")
    filtered = kt.filter_dynamics(clip, body, method="filter")
    prepared = prepare_input(centre_clip(clip), body, Feet.of(body), 8.0, None)
    simulated = prepared.simulated(body, prepared.qpos)
    card = kt.physics_report(simulated, body, ground=prepared.outside, cutoff_hz=None)
    qpos = body.coordinates(simulated)
    speed, _ = central_differences(body, qpos, prepared.rate)
    raw = replace(
        whole,
        step_q=qpos,
        step_v=speed,
        step_forces=np.nan_to_num(card.contact_forces),
        step_torques=np.nan_to_num(card.torques),
    )
    return {"raw": raw, "filter": filtered, "whole": whole}


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", str(_BESIDE))
    sys.exit(main(Path(given)))
