"""No noise, all the snap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from kinetune.body.clip import Clip
from kinetune.body.curves.clip_mixing import mix_clips
from kinetune.body.curves.pose_denoising import NoiseReport, denoise_clip
from kinetune.operations._motion_edits import edit_joints, mend
from kinetune.operations._region import nearly_all
from kinetune.operations.base import MovesFeet, parameter, report_finding, report_result
from kinetune.rotations import Floats


class Denoise(MovesFeet):
    """Remove the noise from a motion and keep its snap; the amount of noise is measured.

    Nothing needs to be set: the amount and the kind of noise are estimated for each joint from the clip. A joint is
    smoothed a lot while it rests and hardly at all while it strikes, and nothing is delayed. Spikes, dropouts and
    flips of a few frames are bridged first. A clip without noise stays as it is.
    """

    op: Literal["denoise"] = "denoise"
    stands_as_before: ClassVar[bool] = False
    amount: float = parameter(
        1.0,
        "How much to remove: 1 fits the noise in the clip, 2 treats it as twice as strong.",
        unit="1",
        ge=0.0,
        le=2.0,
    )
    spikes: bool = parameter(True, "Bridge spikes, dropouts and flips of a few frames first.", unit="")
    noise: bool = parameter(True, "Smooth the noise away; off repairs only those frames.", unit="")
    joints: str | tuple[str, ...] | None = parameter(
        None, "Which joints to denoise: names, roles or groups such as left arm; all by default.", unit=""
    )
    path: bool = parameter(True, "Denoise positions as well: the path of the root, and joints that move.", unit="")

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The clip without its noise; a T-pose before the motion stays as it is."""
        denoised = edit_joints(clip, self.joints, self.amount, self._denoise)
        # Frames in which the whole body jumps away are set aside before any edit: without noise, they are all there is.
        return mend(clip) if denoised is clip and self.spikes and self.amount > 0.0 else denoised

    def _denoise(self, clip: Clip, joints: list[int]) -> Clip:
        strength = max(self.amount, 1.0) if self.noise else 0.0
        clean, noise = denoise_clip(clip, joints, strength=strength, spikes=self.spikes, path=self.path)
        report_result(noise)
        for finding in noise.findings():
            report_finding(finding)
        if self.amount >= 1.0 or clean is clip:
            return clean
        return mix_clips(clip, clean, self.amount)

    def finished(self, before: Clip, edited: Clip, share: Floats | None = None) -> Clip:
        """The clip with feet standing when they stood before, though not with the noise that they had."""
        if not self.keeps_feet_of(edited.skeleton):
            return edited
        from kinetune.body.feet.planting import keep_feet

        return keep_feet(edited, before, as_before=False, amount=1.0 if share is None else nearly_all(share))

    def report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
        """How noisy each joint was."""
        noise = next((result for result in results if isinstance(result, NoiseReport)), None)
        return None if noise is None else {"noise": noise.as_dict()}

    def describe(self, report: Mapping[str, Any]) -> Sequence[str]:
        """The noisiest joints, and how many samples were bridged."""
        if "noise" not in report:
            return ()
        noise = report["noise"]
        worst = sorted(noise["rotations_deg"].items(), key=lambda item: -item[1])[:3]
        joints = ", ".join(f"{name} {degrees:.2g} degrees" for name, degrees in worst)
        return [f"Noise found ({noise['colour']}): {joints or 'none'}."]
