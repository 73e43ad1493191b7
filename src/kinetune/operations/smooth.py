"""Less jitter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.root_motion import is_cycle
from kinetune.findings import Finding, report_finding
from kinetune.operations._motion_edits import edit_joints
from kinetune.operations.base import MovesFeet, parameter
from kinetune.rotations import Floats
from kinetune.signals.filters import Ends, butterworth, gaussian
from kinetune.signals.rotation_curves import curves_to_rotations, rotations_to_curves

_END_S = 0.1
"""How much of the motion next to an end shows where it ends: enough for jitter, too little to cut a swing short."""


class Smooth(MovesFeet):
    """Take the jitter out of a motion without delaying it.

    "butterworth" leaves everything below its cutoff alone and is the choice for captured motion: 6 Hz for walking,
    10 to 12 Hz for kicks and throws. "gaussian" is softer, never overshoots, and blurs; good for hand-keyed motion.
    Rotations are smoothed as continuous curves around each joint's own mean, so that nothing flips.
    Feet that stand are kept where they stand.
    """

    op: Literal["smooth"] = "smooth"
    local_in_time: ClassVar[bool] = True
    keeps_stance: ClassVar[bool] = True
    stands_as_before: ClassVar[bool] = False
    method: Literal["butterworth", "gaussian"] = parameter(
        "butterworth", "Which filter: butterworth has a cutoff frequency, gaussian a width in time.", unit=""
    )
    cutoff_hz: float = parameter(
        6.0, "Frequency at which butterworth has lost 3 dB; faster motion fades.", unit="Hz", ge=0.05, le=1000.0
    )
    sigma_s: float = parameter(
        0.05, "Standard deviation of the gaussian; frames this far away still count.", unit="s", ge=0.001, le=10.0
    )
    joints: str | tuple[str, ...] | None = parameter(
        None, "Which joints to smooth: names, roles or groups such as left arm; all by default.", unit=""
    )
    path: bool = parameter(True, "Smooth the path of the root as well, if it is among the joints.", unit="")
    ends: Ends = parameter(
        "reflect",
        "Beyond its ends the motion swings on (reflect), freezes (held) or starts over (cycle); loops always do.",
        unit="",
    )
    amount: float = parameter(
        1.0, "How much of the smoothing to apply, from nothing (0) to all (1).", unit="1", ge=0.0, le=1.0
    )

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The smoothed clip; a T-pose before the motion stays as it is."""
        fastest = 0.5 * clip.fps
        if self.method == "butterworth" and self.cutoff_hz >= fastest:
            message = f"Nothing is smoothed: at {clip.fps:g} fps no motion is faster than {fastest:g} Hz."
            remedy = "Lower the cutoff frequency; 6 Hz suits walks, 12 Hz kicks."
            report_finding(Finding("nothing-smoothed", message, severity="info", remedy=remedy))
        return edit_joints(clip, self.joints, self.amount, self._smooth)

    def _smooth(self, clip: Clip, joints: list[int]) -> Clip:
        if len(clip) < 3:
            return clip
        ends: Ends = "cycle" if self.ends == "reflect" and is_cycle(clip) else self.ends
        rotations = np.array(clip.rotations)
        curves = rotations_to_curves(clip.rotations[:, joints])
        rotations[:, joints] = curves_to_rotations(curves.with_curves(self._smoothed(curves.curves, clip.fps, ends)))
        root = clip.root
        if self.path and 0 in joints:
            root = self._smoothed(clip.root, clip.fps, ends)
        translations = None if clip.translations is None else np.array(clip.translations)
        if translations is not None:
            moved = [joint for joint in joints if joint != 0]
            translations[:, moved] = self._smoothed(translations[:, moved], clip.fps, ends)
        return clip.replace(root=root, rotations=rotations, translations=translations, contacts=clip.contacts)

    def _smoothed(self, signal: Floats, fps: float, ends: Ends) -> Floats:
        if self.method == "butterworth":
            smooth = butterworth(signal, fps, self.cutoff_hz, ends=ends, end_s=_END_S)
        else:
            smooth = gaussian(signal, fps, self.sigma_s, ends=ends, end_s=_END_S)
        return smooth if self.amount == 1.0 else signal + self.amount * (smooth - signal)
