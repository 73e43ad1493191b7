"""One step of a recipe, with the memory that steps share: when the feet stood before the edits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kinetune.body.clip import Clip
from kinetune.operations.base import STANCE, Operation


@dataclass(frozen=True, eq=False)
class Reached:
    """How far a recipe has come.

    clip : the clip so far.
    stance : the clip that tells when its feet stand and on what: the last one whose time or place was changed, or the
        source. Edits such as an equalizer blur that; planting the feet after them needs to know.
    """

    clip: Clip
    stance: Clip

    @classmethod
    def start(cls, clip: Clip) -> Reached:
        return cls(clip, clip)


def take_step(step: Operation, reached: Reached, inputs: Mapping[str, Clip]) -> Reached:
    """Apply one step. Whoever runs recipes, in one go or step by step, goes through here."""
    named = {name: inputs[name] for name in step.inputs_needed()}
    if step.asks_for_stance and reached.stance is not reached.clip:
        named[STANCE] = reached.stance
    clip = step(reached.clip, **named)
    return Reached(clip, reached.stance if step.keeps_stance else clip)
