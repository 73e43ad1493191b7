"""How often the physics verdict is right: false alarms on captured clips, and planted defects that it catches.

    python -m benchmarks.quality_verdict [FOLDER]

FOLDER holds the clips; left out, it is $KINETUNE_DATA, or ``shared/data`` beside the checkout. Nothing is timed here.
The captures are split in two halves by performer (``planted_defects``). The thresholds were set on the development
half; the figures to reach are those of the held-out half. A captured clip that is not called plausible is a false
alarm; a clip with a defect that is not called plausible is caught.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.harness import Claim
from benchmarks.planted_defects import PHYSICS, halves
from kinetune.body.clip import Clip
from kinetune.physics.verdict import Judgement, judge_motion

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
GOALS = {
    **dict.fromkeys(("upside down", "float 25 cm", "glide 0.5 m/s", "skate", "jitter 2 degrees", "slow jump"), 0.95),
    **{"jolt": 0.8, "lean 15 degrees": 0.8, "glide 0.2 m/s": 0.8, "double speed": 0.7},
}


def main(folder: Path) -> int:
    """Print both halves; the number of figures that are missed on the held-out half."""
    if not (folder / "cmu").is_dir():
        print(f"{folder.name} holds no captures (cmu, hdm05, accad): nothing to judge.")
        return 0
    claims: list[Claim] = []
    for half, clips in halves(folder).items():
        print(f"{half}: {len(clips)} captured clips")
        print(f"  {'':18s} plausible  doubtful  impossible  caught")
        rates = {}
        for defect in ("as captured", *PHYSICS):
            judged = judge_all(clips, defect)
            verdicts = [own.verdict for own in judged.values()]
            rates[defect] = 1.0 - verdicts.count("plausible") / len(verdicts)
            counts = (verdicts.count(verdict) for verdict in ("plausible", "doubtful", "impossible"))
            print(f"  {defect:18s} {'   '.join(f'{count:7d}' for count in counts)}    {rates[defect]:6.0%}", flush=True)
            if defect == "as captured":
                for name, own in judged.items():
                    if own.verdict != "plausible":
                        print(f"    {name}: {own.verdict}: {', '.join(reason.kind for reason in own.reasons)}")
        print()
        if half == "held out":
            claims.append(Claim("false alarms on captured clips", rates["as captured"], 0.05, at_least=False))
            claims += [Claim(f"{defect}, caught", rates[defect], goal, at_least=True) for defect, goal in GOALS.items()]
    for claim in claims:
        print(claim)
    return sum(not claim.holds for claim in claims)


def judge_all(clips: Mapping[str, Clip], defect: str) -> dict[str, Judgement]:
    """The verdicts on clips into which a defect was planted."""
    plant = PHYSICS.get(defect, lambda clip: clip)
    return {name: judge_motion(plant(clip)) for name, clip in clips.items()}


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KINETUNE_DATA", str(_BESIDE))
    sys.exit(main(Path(given)))
