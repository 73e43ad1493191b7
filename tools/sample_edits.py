"""Which results a change moves, and by how much: every operation on its sample, compared with a record.

    python tools/sample_edits.py [--record] [OPERATION ...]

The record, docs/benchmarks/sample_edits.json, holds for the example of each operation's page a hash of the result and
where hips, head, hands and feet are in five of its frames. "same bits" is to be expected on the processor and with the
libraries of the record; elsewhere, compiled solvers may differ by up to a thousandth of a millimetre. Exits with 1
where a result has moved by more; after a change that is meant, --record writes the record anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import kinetune as kt

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "docs" / "benchmarks" / "sample_edits.json"
SHOWN = ("hips", "head", "left hand", "right hand", "left foot", "right foot")
TOLERANCE_MM = 0.001


def fingerprint(clip: kt.Clip) -> dict[str, Any]:
    """A hash of the motion, its length, and some positions in millimetres."""
    digest = hashlib.sha256(clip.root.tobytes() + clip.rotations.tobytes()).hexdigest()[:16]
    frames = np.linspace(0, len(clip) - 1, 5).astype(int)
    joints = [clip.skeleton.index(role) for role in SHOWN]
    positions = 1000.0 * clip.positions()[np.ix_(frames, joints)]
    return {"bits": digest, "frames": len(clip), "positions_mm": np.round(positions, 4).reshape(5, -1).tolist()}


def moved_mm(recorded: dict[str, Any], now: dict[str, Any]) -> float:
    """How far a result is from its record at most; 0 where no bit differs, infinite where its length does."""
    if recorded["bits"] == now["bits"]:
        return 0.0
    if recorded["frames"] != now["frames"]:
        return float("inf")
    off = np.subtract(recorded["positions_mm"], now["positions_mm"]).reshape(-1, 3)
    return float(np.linalg.norm(off, axis=1).max())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("operations", nargs="*", metavar="OPERATION")
    asked = parser.parse_args()
    sys.path.insert(0, str(ROOT / "docs" / "_ext"))
    from operation_examples import EXAMPLES

    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    moved = []
    for tag in asked.operations or EXAMPLES:
        now = fingerprint(EXAMPLES[tag].run(tag)[1])
        distance = moved_mm(record[tag], now) if tag in record else float("inf")
        if tag not in record:
            print(f"{tag}: new")
        elif record[tag]["bits"] == now["bits"]:
            print(f"{tag}: same bits")
        elif record[tag]["frames"] != now["frames"]:
            print(f"{tag}: {record[tag]['frames']} frames before, {now['frames']} now")
        else:
            print(f"{tag}: moved by {distance:.4f} mm")
        moved += [tag] if distance > TOLERANCE_MM else []
        record[tag] = now
    if asked.record:
        rows = (f"{json.dumps(tag)}: {json.dumps(record[tag])}" for tag in EXAMPLES if tag in record)
        RECORD.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
        return 0
    return 1 if moved else 0


if __name__ == "__main__":
    sys.exit(main())
