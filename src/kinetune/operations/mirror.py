"""Left for right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.timeline.mirroring import mirror, mirror_at_start, mirror_pairs
from kinetune.operations.base import Operation, parameter


class Mirror(Operation):
    """Exchange left and right: a kick with the right foot becomes one with the left.

    The whole motion is reflected, its path on the floor included. With joints, only these and their partners on the
    other side are: "arms" exchanges what the arms do and leaves the legs alone.
    """

    commutes_with_turns: ClassVar[bool] = False  # the mirror stands in the world

    op: Literal["mirror"] = "mirror"
    local_in_time: ClassVar[bool] = True
    across: Literal["world", "figure"] = parameter(
        "world",
        "Where the mirror stands: at X = 0 in the world, or through the character as it starts.",
        unit="",
    )
    joints: str | tuple[str, ...] | None = parameter(
        None, "Which joints to mirror, with their partners: names, roles or groups; all by default.", unit=""
    )

    @classmethod
    def neutral(cls) -> Self:
        """No joint at all."""
        return cls(joints=())

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The mirror image."""
        chosen = clip.skeleton.select(self.joints)
        if not chosen:
            return clip
        mirrored = mirror(clip) if self.across == "world" else mirror_at_start(clip)
        pairs = mirror_pairs(clip.skeleton)
        changed = np.zeros(len(clip.skeleton), dtype=bool)
        changed[list(chosen)] = True
        changed |= changed[pairs]
        return mirrored if changed.all() else _mixed(clip, mirrored, changed)


def _mixed(clip: Clip, mirrored: Clip, changed: np.ndarray) -> Clip:
    """The clip with some of its joints taken from its mirror image."""
    rotations = np.where(changed[None, :, None], mirrored.rotations, clip.rotations)
    translations = None
    if clip.translations is not None and mirrored.translations is not None:
        translations = np.where(changed[None, :, None], mirrored.translations, clip.translations)
    feet = clip.contacts is not None and all(changed[clip.skeleton.index(name)] for name in clip.contacts.joints)
    return clip.replace(
        root=mirrored.root if changed[0] else clip.root,
        rotations=rotations,
        translations=translations,
        contacts=mirrored.contacts if feet else clip.contacts,
    )
