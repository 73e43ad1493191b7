"""The part of a clip that an operation changes."""

from __future__ import annotations

from typing import Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from kinetune.body.clip import Clip
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

_SEEN = 0.05


class Region(BaseModel):
    """From when to when an operation acts: ``Smooth(cutoff_hz=4, region={"start_s": 1, "stop_s": 2})``.

    The edit eases in after the start and out before the stop; frames outside stay as they are, to the bit. A region
    that is shorter than both eases together is eased all the way, up to its middle and down again.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    start_s: float = Field(ge=0.0, le=1e6, description="When the edit begins.")
    stop_s: float = Field(gt=0.0, le=1e6, description="When it has ended.")
    ease_s: float = Field(0.3, ge=0.0, le=100.0, description="How long it takes to come in, and to go out again.")

    @model_validator(mode="after")
    def _ends_in_order(self) -> Self:
        if self.stop_s <= self.start_s:
            raise ParameterError(
                f"The region ends at {self.stop_s:g} s, which is not after its start, {self.start_s:g} s."
            )
        return self

    def shares(self, frames: int, fps: float) -> Floats:
        """How much of the edit each frame takes, (frames,) in [0, 1]: an ease with no jump in acceleration."""
        if self.start_s * fps > frames - 1:
            raise ParameterError(
                f"The region begins at {self.start_s:g} s, but the clip lasts {(frames - 1) / fps:.3f} s."
            )
        at = np.arange(frames) / fps
        inside = np.minimum(at - self.start_s, self.stop_s - at)
        ease = min(self.ease_s, 0.5 * (self.stop_s - self.start_s))
        if ease <= 0.0:
            return (inside >= 0.0).astype(float)
        share = np.clip(inside / ease, 0.0, 1.0)
        eased: Floats = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
        return eased


def ease_in(before: Clip, edited: Clip, share: Floats) -> Clip:
    """A share of an edit for each frame; one that changes frames or bones cannot be eased."""
    if len(edited) != len(before) or edited.fps != before.fps or edited.skeleton != before.skeleton:
        changed = "bones" if len(edited) == len(before) and edited.fps == before.fps else "timing"
        raise ParameterError(
            f"It changes the {changed} of the clip, which cannot be eased in for a region. Apply it to the whole clip."
        )
    from kinetune.body.curves.clip_mixing import mix_clips

    return mix_clips(before, edited, share)


def nearly_all(share: Floats) -> Floats:
    """All of it wherever an edit has a share that can be seen, none outside: feet stand from the edges on."""
    return np.asarray(np.minimum(1.0, share / _SEEN))


def only_inside(before: Clip, edited: Clip, share: Floats) -> Clip:
    """The edited frames where they have a share of the edit, those of the clip elsewhere, to the bit."""
    inside = share > 0.0
    translations = edited.translations
    if translations is not None and before.translations is not None:
        translations = np.where(inside[:, None, None], translations, before.translations)
    return edited.replace(
        root=np.where(inside[:, None], edited.root, before.root),
        rotations=np.where(inside[:, None, None], edited.rotations, before.rotations),
        translations=translations,
        contacts=edited.contacts,
    )
