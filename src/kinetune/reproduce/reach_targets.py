"""The embedded examples of the inverse blending paper's actions, and the targets of its Figure 6.

The figure, its picture in the documents and the benchmark ask for the same targets, which are made here.
"""

from __future__ import annotations

import numpy as np

from kinetune.inverse.blend.inverse_blend import InverseBlend
from kinetune.rotations import Floats
from kinetune.samples import sample

TIP = "RightFingertips"
COUNTS = {"reach": 16, "point": 20, "grasp": 15, "pour": 20}
RADII = (0.65, 0.70, 0.75, 0.80, 0.85, 0.90)
"""Metres, as in the paper."""
CENTRE = np.array([0.0, 1.41, 0.005])
"""The middle between the shoulders of the sample figure."""


def example_blend(kind: str) -> InverseBlend:
    """The embedded examples of one kind."""
    return InverseBlend([sample(f"{kind}-{number:02}") for number in range(1, COUNTS[kind] + 1)])


def sphere_targets(radius: float, across: int = 12, up: int = 12) -> Floats:
    """Targets (across, up, 3) on a sphere before the figure: 20 degrees left to 60 right, 40 down to 30 up."""
    azimuth, elevation = np.meshgrid(
        np.radians(np.linspace(-20, 60, across)), np.radians(np.linspace(-40, 30, up)), indexing="ij"
    )
    level = np.cos(elevation)
    ways = np.stack([-np.sin(azimuth) * level, np.sin(elevation), np.cos(azimuth) * level], axis=-1)
    return np.asarray(CENTRE + radius * ways)


def span_from_shoulder(joint: str) -> tuple[float, float]:
    """How far from the shoulder a joint or tip ends in the embedded reaches: the least and the most, metres."""
    blend = example_blend("reach")
    away = np.linalg.norm(blend.places(joint) - blend.places("RightArm"), axis=1)
    return float(away.min()), float(away.max())


def span_words() -> str:
    """Why the fingertips are aimed and not the wrist, in a sentence."""
    (near, far), (least, most) = (span_from_shoulder(name) for name in ("RightHand", TIP))
    return (
        f"In the {COUNTS['reach']} embedded reaches the wrist ends {100 * near:.0f} to {100 * far:.0f} cm from the "
        f"shoulder, the fingertips {100 * least:.0f} to {100 * most:.0f} cm."
    )
