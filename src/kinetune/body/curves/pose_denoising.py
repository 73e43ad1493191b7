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
from kinetune.body.kinematics.toward_positions import turn_toward
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

_SHORT = 0.02  # of the character's height: the ends of shorter bones say little about how joints turn
_STILL = 1e-6


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
    found = find_spikes(clip) if spikes else Spikes(none, none)
    wrong = Spikes(found.turned & chosen, found.moved & chosen & path)
    if strength == 0.0:
        return mend_spikes(clip, wrong), NoiseReport(clip.skeleton, np.zeros(len(chosen)), {}, "white", wrong)
    mended = mend_spikes(clip, found)
    curves = rotations_to_curves(mended.rotations)
    values = np.concatenate([local_positions(mended, placed), curves.curves], axis=1)
    missing = np.concatenate([found.moved[:, placed], found.turned], axis=1)
    turning = np.arange(values.shape[1]) < len(placed)
    smooth = denoise(values, clip.fps, missing, turning=turning, strength=strength)
    count = len(placed)
    whole = with_local_positions(
        mended, placed, smooth.values[:, :count], curves_to_rotations(curves.with_curves(smooth.values[:, count:]))
    )
    if not smooth.rounded and smooth.noise.any():
        whole = _with_smooth_paths(whole, mended, smooth.colour, strength)
    report = NoiseReport(
        clip.skeleton,
        np.rad2deg(smooth.noise[count:]),
        dict(zip(placed, (1e3 * smooth.noise[:count]).tolist(), strict=True)),
        smooth.colour,
        wrong,
    )
    places = np.where(chosen[placed, None] & path, local_positions(whole, placed), local_positions(clip, placed))
    return with_local_positions(
        clip, placed, places, np.where(chosen[:, None], whole.rotations, clip.rotations)
    ), report


def _with_smooth_paths(turned: Clip, mended: Clip, colour: str, strength: float) -> Clip:
    """A clip of smooth rotations with its joints half-way to where their own paths in space are smooth.

    Rotations that are smoothed one by one no longer fit each other: a foot stands although three joints above it turn,
    and only its path shows that. The two are wrong in different ways, so that their mean is better than either.
    """
    skeleton = mended.skeleton
    turning = np.ptp(mended.rotations, axis=0).max(axis=1) > _STILL
    if not turning.any():
        return turned
    known = np.linalg.norm(skeleton.offsets, axis=1) > _SHORT * (skeleton.height or 1.75)
    known[0] = True
    paths, aims = mended.positions()[:, known], np.array(turned.positions())
    in_space = np.ones(paths.shape[1], dtype=bool)
    smooth = denoise(paths, mended.fps, turning=in_space, strength=strength, colour=colour)
    aims[:, known] += 0.5 * (smooth.values - aims[:, known])
    return turn_toward(turned, aims, turning, known)
