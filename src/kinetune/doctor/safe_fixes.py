"""The operations that mend findings, in the order in which they are taken.

=============  =======================================================
REMEDIES       for each kind of finding, an operation and its label
fix_clip       a clip with the safe remedies of its findings applied
=============  =======================================================

A remedy is safe when it changes what is wrong and nothing else: what it costs shows in the same measures.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kinetune.body.clip import Clip
from kinetune.findings import Finding
from kinetune.operations import Operation, find_operation


@dataclass(frozen=True)
class Remedy:
    """What mends a finding: the tag of an operation, its parameters, and a label for a button."""

    label: str
    op: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def operation(self) -> Operation:
        """The operation itself."""
        return find_operation(self.op)(**self.parameters)


_TRIM = Remedy("Cut it off", "trim", {"drop_t_pose": True})
_PLANT = Remedy("Plant feet", "plant_feet")
_DENOISE = Remedy("Take out", "denoise")
REMEDIES: dict[str, Remedy] = {
    "stray-first-frame": _TRIM,
    "stray-last-frame": _TRIM,
    "floor-height": Remedy("Put it at zero", "move", {"floor": "zero"}),
    "flips": Remedy("Smooth", "smooth"),
    "spike": _DENOISE,
    "physics-jitter": _DENOISE,
    "below-floor": Remedy("Lift", "keep_above_floor"),
    "foot-slide": _PLANT,
    "physics-slide": _PLANT,
    "physics-loaded-slide": _PLANT,
}


def fix_clip(clip: Clip, findings: Iterable[Finding]) -> tuple[Clip, tuple[Remedy, ...]]:
    """Apply the remedies of findings, each once and in order; the clip as it is where there are none."""
    kinds = {finding.kind for finding in findings}
    taken: list[Remedy] = []
    for kind, remedy in REMEDIES.items():
        if kind in kinds and remedy not in taken:
            clip = remedy.operation()(clip)
            taken.append(remedy)
    return clip, tuple(taken)
