"""Pass from one motion into another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.timeline.splicing import SHIFT_S, WINDOW_S, splice
from kinetune.body.timeline.transitions import EventChoice, Heading
from kinetune.errors import ParameterError
from kinetune.operations.base import MovesFeet, Needs, parameter
from kinetune.rotations import Floats


class Splice(MovesFeet):
    """Continue into another motion at the best moment: two kicks become a double kick.

    The best matching poses are searched for after the last kick or punch of this clip and before the first of the
    other; if there is none, towards the end of this clip and the start of the other. There the other clip is placed
    on the standing foot, and both are blended: slow movements over the whole window, fast ones over a part of it. A
    transition of a motion graph (kinetune transitions) gives both moments. Standing feet do not slide; a recipe
    that filters the dynamics next leaves them to the filter.
    """

    op: Literal["splice"] = "splice"
    takes_region: ClassVar[bool] = False
    former_names: ClassVar[Mapping[str, str]] = {"window_s": "blend_s"}
    needs: ClassVar[Needs] = "pair"
    input_parameters: ClassVar[tuple[str, ...]] = ("second",)
    leaves_feet_to: ClassVar[tuple[str, ...]] = ("plant_feet", "filter_dynamics")

    second: str | None = parameter(
        None, "The clip that follows; it needs the same joints. Without one, this clip stays as it is.", unit=""
    )
    event: EventChoice = parameter(
        "auto",
        "Which strike to keep whole in both clips: kick, punch, either if both have one (auto), or none.",
        unit="",
    )
    heading: Heading = parameter(
        "auto",
        "Turn the other clip so that both face the same way at the start or at the seam, or keep its heading.",
        unit="",
    )
    blend_s: float = parameter(WINDOW_S, "How long the blend takes.", unit="s", ge=0.0, le=10.0)
    leave_s: float | None = parameter(
        None, "When to leave this clip; the best moment by default.", unit="s", ge=0.0, le=86400.0
    )
    enter_s: float | None = parameter(
        None, "When to enter the other clip; the best moment by default.", unit="s", ge=0.0, le=86400.0
    )
    choice: int = parameter(0, "Which of the matches to take: 0 is the best one.", unit="1", ge=0, le=100)
    tries: int = parameter(
        1,
        "How many seams to correct by physics, to take the one that a body performs best; 1 goes by the poses alone.",
        unit="1",
        ge=1,
        le=64,
    )
    seed: int | None = parameter(
        None, "Moves the boundary at random, for variety; the best match by default.", unit="1", ge=0, le=2**31 - 1
    )
    shift_s: float = parameter(SHIFT_S, "How far the boundary moves at most, in each clip.", unit="s", ge=0.0, le=2.0)

    @classmethod
    def neutral(cls) -> Self:
        """Nothing follows."""
        return cls()

    @classmethod
    def example(cls) -> Self:
        """Another clip follows."""
        return cls(second="second")

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """Both clips as one."""
        if self.second is None:
            return clip
        if self.tries > 1:
            if self.leave_s is not None or self.enter_s is not None:
                raise ParameterError("splice: tries looks for the moments itself: give tries, or leave_s and enter_s.")
            from kinetune.physics.seam_search import search_seams

            return search_seams(
                clip,
                inputs[self.second],
                tries=self.tries,
                event=self.event,
                heading=self.heading,
                seed=self.seed,
                shift_s=self.shift_s,
            )[0]
        return splice(
            clip,
            inputs[self.second],
            event=self.event,
            heading=self.heading,
            window_s=self.blend_s,
            choice=self.choice,
            leave_s=self.leave_s,
            enter_s=self.enter_s,
            seed=self.seed,
            shift_s=self.shift_s,
        )

    def finished(self, before: Clip, edited: Clip, share: Floats | None = None) -> Clip:
        """The splice with feet that stand where one clip passes into the other."""
        seam = getattr(edited, "seam", None)
        if not self.keep_feet or seam is None:
            return edited
        from kinetune.body.feet.planting import keep_feet_at

        half = int(np.ceil(0.5 * self.blend_s * edited.fps))
        fade = max(0, seam.first_frame - half), min(len(edited), seam.first_frame + half + 1)
        return keep_feet_at(edited, [fade])
