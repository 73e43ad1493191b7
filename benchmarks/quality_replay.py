"""How far a filtered motion drifts when MuJoCo simulates it from its torques and forces: open loop and with a servo.

    python -m benchmarks.quality_replay [FOLDER]

FOLDER holds the clips (``cmu/16_17.bvh``); left out, it is $KINETUNE_DATA, or ``shared/data`` beside the checkout.
Nothing is timed here. Every run starts from a frame of the motion, every tenth of a second, and lasts half a second.

- "open loop" takes the filter's own explicit Euler steps, with MuJoCo's forward dynamics and nothing that holds it.
- "fine, open loop" integrates by MuJoCo's Runge-Kutta in steps of 1/480 s, torques and forces held for a frame.
- "fine, servo" does so with springs at the joints (1600 1/s^2, 80 1/s), as any controller has them; the root is free.

"apart" means that the body has flown apart. The last two show the error of steps of one frame against
continuous time, which shrinks with the frame: the same clip is filtered at 60 and at 240 frames a second.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

import kinetune as kt
from benchmarks.harness import Claim
from kinetune.body.clip import Clip
from kinetune.physics.filter.filtering import FilterResult
from kinetune.physics.forward_replay import FAR, replay

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
SERVO = (1600.0, 80.0)
FINE_HZ = 480
SECONDS = 4.0


def main(folder: Path) -> int:
    """Print the table; the number of figures that miss their bound."""
    print("worst and median drift within 0.5 s, in mm")
    print(f"{'clip':10} {'filter':>6}  {'open loop':>17}  {'fine, open loop':>17}  {'fine, servo':>17}")
    claims = []
    for name, clip in clips(folder):
        for fps in (60, 240):
            result = kt.filter_dynamics(kt.Resample(fps=fps)(clip)[: round(SECONDS * fps)], method="filter")
            steps = FINE_HZ // fps
            shown = [drifts(result), drifts(result, substeps=steps), drifts(result, substeps=steps, feedback=SERVO)]
            row = "  ".join(f"{_told(worst)} {_told(middle)}" for worst, middle in shown)
            print(f"{name:10} {fps:3} Hz  {row}", flush=True)
            claims.append(Claim(f"{name} at {fps} Hz, open loop: worst drift in mm", shown[0][0], 10.0, at_least=False))
    for claim in claims:
        print(claim)
    return sum(not claim.holds for claim in claims)


def drifts(result: FilterResult, **how: object) -> tuple[float, float]:
    """The largest drift of all runs, and the median of their largest, in millimetres."""
    found = replay(result.simulated, result.body, result.step_forces, result.step_torques, **how)  # type: ignore[arg-type]
    return 1e3 * found.worst, 1e3 * float(np.median(np.nanmax(found.drift, axis=1)))


def _told(drift_mm: float) -> str:
    return f"{drift_mm:8.2f}" if drift_mm < 1e3 * FAR else "   apart"


def clips(folder: Path) -> list[tuple[str, Clip]]:
    """A walk and a kick, and a captured walk where the data are at hand."""
    found = [("walk", kt.sample("walk")), ("kick", kt.sample("kick-1"))]
    path = folder / "cmu" / "16_17.bvh"
    if path.is_file():
        return [*found, ("CMU 16_17", kt.read(path)[1:])]
    print(f"{path} is not at hand: only the samples are tried.")
    return found


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", str(_BESIDE))
    sys.exit(1 if main(Path(given)) else 0)
