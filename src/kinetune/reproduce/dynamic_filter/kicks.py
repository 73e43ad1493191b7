"""The dynamic filter paper, part 1: two double kicks out of single ones, and how each is filtered."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.timeline.splicing import SplicedClip, splice
from kinetune.body.timeline.transitions import toe_joint
from kinetune.operations import find_operation
from kinetune.physics.filter.filtering import FilterResult, run_filter
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats
from kinetune.samples import sample

MU = 1.0
FPS = 60.0
"""The paper captures at 60 frames a second and integrates with steps of 0.0167 s."""
_WIDE_S = 0.25
_TRANSITIONS = 12
WAYS: dict[str, dict[str, Any]] = {
    "joint": {"mode": "joint", "preset": "paper"},
    "position": {"mode": "position", "preset": "paper"},
    "friction, as printed": {"preset": "paper", "order": "printed"},
    "friction, ours": {},
}
"""The paper's three ways to filter, the third one as printed, and ours."""


@functools.cache
def takes() -> tuple[Clip, Clip]:
    """Two takes of a roundhouse kick at the paper's rate."""
    resample = find_operation("resample")(fps=FPS)
    return resample(sample("kick-1")), resample(sample("kick-2"))


@dataclass(frozen=True, eq=False)
class DoubleKick:
    """A double kick and what the filter makes of it.

    quick : do not search for the paper's mix of centre of mass and centre of support.
    """

    clip: SplicedClip
    quick: bool

    @cached_property
    def body(self) -> Body:
        return Body.fit(self.clip.skeleton, clip=self.clip)

    @cached_property
    def results(self) -> dict[str, FilterResult]:
        """One result for each of :data:`WAYS`."""
        return {name: self.filtered(**parameters) for name, parameters in WAYS.items()}

    def filtered(self, **parameters: Any) -> FilterResult:
        """The clip, filtered."""
        return run_filter(self.clip, self.body, mu=MU, mix=0.2 if self.quick else "auto", **parameters)

    @property
    def between_s(self) -> float:
        """Seconds from the first kick to the second."""
        seam = self.clip.seam
        assert seam is not None
        assert seam.events is not None
        first, second = seam.events
        return (seam.first_frame - first.frame + second.frame - seam.second_frame) / self.clip.fps

    @property
    def kicks(self) -> tuple[int, int, str]:
        """The frames of both kicks, and the foot that kicks: "left" or "right"."""
        seam = self.clip.seam
        assert seam is not None
        assert seam.events is not None
        first, second = seam.events
        return first.frame, seam.first_frame + second.frame - seam.second_frame, first.limb.split()[0]

    def toe_errors(self, clip: Clip) -> Floats:
        """(frames,) mm from standing toes to where they should be, the farther of both; NaN where none stands."""
        made, contacts = self.clip, self.clip.contacts
        assert contacts is not None
        assert contacts.toes is not None
        assert made.stance_path is not None
        joints = [
            toe_joint(made, made.skeleton.index(name), side)
            for name, side in zip(contacts.joints, contacts.sides, strict=True)
        ]
        away = 1e3 * np.linalg.norm(clip.positions()[:, joints] - made.stance_path, axis=2)
        farthest = np.where(contacts.toes, away, 0.0).max(axis=1)
        return np.where(contacts.toes.any(axis=1), farthest, np.nan)


@functools.cache
def double_kicks(quick: bool) -> tuple[DoubleKick, DoubleKick]:
    """The transition with the best match of poses, and of many random ones that whose blend slides most."""
    first, second = takes()
    best = splice(first, second, event="kick")
    wide = [splice(first, second, seam=best.seam, seed=seed, shift_s=_WIDE_S) for seed in range(_TRANSITIONS)]
    hardest = max(wide, key=lambda made: float(np.nanmax(DoubleKick(made, quick).toe_errors(made))))
    return DoubleKick(best, quick), DoubleKick(hardest, quick)


def horizontal(forces: Floats) -> Floats:
    """Sizes (frames,) of the horizontal parts of forces (frames, 3)."""
    return np.asarray(np.hypot(forces[:, 0], forces[:, 2]))


def outside(forces: Floats) -> int:
    """In how many frames the whole force (frames, 3) leaves the friction cone."""
    return int(np.sum(horizontal(forces) > MU * forces[:, 1] * (1.0 + 1e-9) + 1e-6))
