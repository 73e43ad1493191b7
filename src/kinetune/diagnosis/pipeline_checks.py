"""Checks that a pipeline asks for with a limit: a loop that does not close, a root that drifts, a gait that limps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.quality.measures import measure_seam
from kinetune.body.root_motion import travelling_joint
from kinetune.findings import Finding


def _loop_seam(clip: Clip, limit_mm: float) -> Iterator[Finding]:
    seam = measure_seam(clip)
    if seam is not None and seam["pose_mm"] > limit_mm:
        yield Finding(
            "loop-seam",
            f"The clip does not loop: joints jump by {seam['pose_mm']:.0f} mm from its end to its start.",
            frame=len(clip) - 1,
            remedy="Close it with: kinetune loop FILE -o OUT",
        )


def _root_drift(clip: Clip, limit_m: float) -> Iterator[Finding]:
    path = clip.positions()[:, travelling_joint(clip)][:, [0, 2]]
    drift = float(np.linalg.norm(path[-1] - path[0]))
    if drift > limit_m:
        yield Finding(
            "root-drift",
            f"The root ends {drift:.2f} m from where it started.",
            frame=len(clip) - 1,
            remedy="Keep it on the spot with: kinetune in-place FILE -o OUT",
        )


def _gait_phase(clip: Clip, limit: float) -> Iterator[Finding]:
    """How far the second foot's contacts are from the middle of the first one's cycle, as a share of it."""
    contacts = find_contacts(clip)
    if len(contacts.joints) < 2:
        return
    starts = [np.array([start for start, _ in contacts.intervals(side) if start > 0]) for side in (0, 1)]
    if any(len(each) < 2 for each in starts):
        return
    cycle = float(np.median(np.diff(starts[0])))
    later = [
        float((starts[1] - start)[starts[1] > start][0]) / cycle for start in starts[0] if (starts[1] > start).any()
    ]
    off = abs(float(np.median(later)) - 0.5)
    if off > limit:
        yield Finding(
            "gait-phase",
            f"The gait limps: the second foot lands {off:.0%} of a cycle off the middle.",
            frame=int(starts[0][0]),
        )


CHECKS = {"loop_seam_mm": _loop_seam, "root_drift_m": _root_drift, "gait_phase": _gait_phase}
"""The checks that a limits file asks for, by the name of their limit."""
