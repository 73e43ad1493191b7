"""Noise taken out of a clip: spikes bridged, then each joint smoothed just as much as its own noise asks for.

=============  ======================================================================
denoise_clip   the clip without its noise, and what was found
NoiseReport    how noisy each joint was, and which frames were repaired
=============  ======================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.quality.spikes import (
    Spikes,
    find_spikes,
    local_positions,
    mend_spikes,
    moving_positions,
    with_local_positions,
)
from kinetune.body.skeleton import Skeleton
from kinetune.findings import Finding
from kinetune.rotations import Floats
from kinetune.signals.denoising.adaptive_spline import FEWEST, denoise
from kinetune.signals.rotation_curves import curves_to_rotations, rotations_to_curves


@dataclass(frozen=True, eq=False)
class NoiseReport:
    """What was found in a clip.

    skeleton : whose joints these are.
    rotations_deg : (joints,) standard deviation of the noise of each joint about an axis; 0 where it was not looked at.
    positions_mm : the same by joint for positions: the root, and joints that the file moves.
    colour : "white", or how the noise wanders.
    spikes : what was repaired.
    """

    skeleton: Skeleton
    rotations_deg: Floats
    positions_mm: dict[int, float]
    colour: str
    spikes: Spikes

    def findings(self) -> Iterator[Finding]:
        """What was repaired where."""
        return self.spikes.findings(self.skeleton)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        names = self.skeleton.names
        return {
            "colour": self.colour,
            "rotations_deg": {names[j]: float(deg) for j, deg in enumerate(self.rotations_deg) if deg > 0.0},
            "positions_mm": {names[j]: float(mm) for j, mm in self.positions_mm.items() if mm > 0.0},
            "repaired": int(self.spikes.turned.sum() + self.spikes.moved.sum()),
        }


def denoise_clip(
    clip: Clip, joints: list[int] | None = None, *, strength: float = 1.0, spikes: bool = True, path: bool = True
) -> tuple[Clip, NoiseReport]:
    """The clip without its noise, and what was found.

    Parameters
    ----------
    joints : which joints to treat; all by default. The noise is read from all.
    strength : how much noise to assume, in units of what is in the clip; 0 bridges spikes and leaves the rest.
    spikes : whether spikes, short flips and dropouts are bridged first.
    path : whether positions are treated too: the root, and joints that the file moves.
    """
    chosen = np.zeros(len(clip.skeleton), dtype=bool)
    chosen[list(range(len(clip.skeleton))) if joints is None else joints] = True
    placed = moving_positions(clip)
    none = np.zeros(clip.rotations.shape[:2], dtype=bool)
    if len(clip) < FEWEST:
        return clip, NoiseReport(clip.skeleton, np.zeros(len(chosen)), {}, "white", Spikes(none, none))
    wrong = find_spikes(clip) if spikes else Spikes(none, none)
    wrong = Spikes(wrong.turned & chosen, wrong.moved & chosen & path)
    mended = mend_spikes(clip, wrong)
    if strength == 0.0:
        return mended, NoiseReport(clip.skeleton, np.zeros(len(chosen)), {}, "white", wrong)
    curves = rotations_to_curves(mended.rotations)
    values = np.concatenate([local_positions(mended, placed), curves.curves], axis=1)
    missing = np.concatenate([wrong.moved[:, placed], wrong.turned], axis=1)
    turning = np.arange(values.shape[1]) < len(placed)
    smooth = denoise(values, clip.fps, missing, turning=turning, strength=strength)
    treated = np.concatenate([chosen[placed] & path, chosen])
    values = np.where(treated[:, None], smooth.values, values)
    count = len(placed)
    rotations = np.where(chosen[:, None], curves_to_rotations(curves.with_curves(values[:, count:])), mended.rotations)
    report = NoiseReport(
        clip.skeleton,
        np.rad2deg(smooth.noise[count:]),
        dict(zip(placed, (1e3 * smooth.noise[:count]).tolist(), strict=True)),
        smooth.colour,
        wrong,
    )
    return with_local_positions(clip, placed, values[:, :count], rotations), report
