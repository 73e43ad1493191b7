"""How good a clip is as one number, to put the clips of a library in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WORST = {"foot_slide_mm": 60.0, "penetration_mm": 60.0, "jerk_relative": 600.0, "flips": 10.0, "floor_lean_deg": 3.0}
"""Measures, and where each counts as unusable; ordinary captures are at a quarter to a half of it."""


def quality_score(measured: Mapping[str, Any]) -> float:
    """From 100, nothing to complain about, to 0: the mean over what :func:`kinetune.measure` could measure.

    Foot slide, depth below the floor, jerk against the size of the body, flips and the lean of the floor count alike,
    each from none of it to as much as makes a clip unusable.
    """
    shares = [
        min(abs(float(measured[name])) / worst, 1.0) for name, worst in WORST.items() if measured.get(name) is not None
    ]
    return 100.0 * (1.0 - sum(shares) / len(shares)) if shares else 0.0
