"""Put clips on a timeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kinetune.body.clip import Clip
from kinetune.body.quality.glitches import motion_of
from kinetune.body.timeline.arrangement import TimelineClip, arrange
from kinetune.body.timeline.retiming import at_rate
from kinetune.errors import ParameterError
from kinetune.operations.base import MovesFeet, parameter
from kinetune.rotations import Floats

_MOST = 10_000_000


class Track(BaseModel):
    """A part of a clip, at its place on the timeline; frames count at the rate of this clip.

    clip : one of ``clips``; none for this clip.
    at : the frame at which the part begins.
    start, stop : the part: its first frame, and one after its last; none for the end of the clip.
    lane : the row in which it is drawn; it does not matter for the motion.
    mute : leave it out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    clip: str | None = None
    at: int = Field(0, ge=0, le=_MOST)
    start: int = Field(0, ge=0, le=_MOST)
    stop: int | None = Field(None, ge=1, le=_MOST)
    lane: int = Field(0, ge=0, le=100)
    mute: bool = False


class Arrange(MovesFeet):
    """Put clips on a timeline, as in a film editor: trimmed, one after another, faded where they overlap.

    Without ``tracks`` the clips follow each other. A clip that begins later continues from where the character is
    by then; where two overlap, the earlier fades into the later, and standing feet do not slide. Other clips are
    converted to the frame rate of this one. For a transition at the best moment, use splice.
    """

    op: Literal["arrange"] = "arrange"
    takes_region: ClassVar[bool] = False
    comes_first: ClassVar[bool] = True
    input_parameters: ClassVar[tuple[str, ...]] = ("clips",)

    clips: tuple[str, ...] = parameter((), "The other clips; they need the same joints.", unit="")
    tracks: tuple[Track, ...] = parameter(
        (), "Which part of which clip goes where; by default all clips one after another.", unit="frames"
    )
    fade_s: float = parameter(
        0.3, "How long clips overlap and crossfade where no tracks are given.", unit="s", ge=0.0, le=1000.0
    )
    join: bool = parameter(
        True, "Start each clip where the one before it ends up; off leaves clips where they are.", unit=""
    )

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        for track in self.tracks:
            if track.clip is not None and track.clip not in self.clips:
                raise ParameterError(f'A track plays "{track.clip}", but clips does not name it.')
            if track.stop is not None and track.stop <= track.start:
                raise ParameterError(f"A track goes from frame {track.start} to {track.stop}: nothing is left of it.")
        if self.tracks and all(track.mute for track in self.tracks):
            raise ParameterError("Every track is muted, so nothing is left; unmute one of them.")
        return self

    @classmethod
    def example(cls) -> Self:
        """This clip, then another one."""
        return cls(clips=("other",))

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The clips as one."""
        if not self.tracks and not self.clips:
            return clip
        brought = {name: at_rate(inputs[name], clip.fps) for name in self.clips}
        if not self.tracks:  # a T-pose belongs to no timeline; tracks count frames of the clips as they are
            brought = {name: motion_of(each) for name, each in brought.items()}
        laid = self._follow(clip, brought) if not self.tracks else self._lay(clip, brought)
        return arrange(laid, join=self.join, keep_feet=self.keep_feet)

    def finished(self, before: Clip, edited: Clip, share: Floats | None = None) -> Clip:
        """The timeline as it is: feet are kept where clips pass into each other."""
        return edited

    def _follow(self, clip: Clip, others: Mapping[str, Clip]) -> list[TimelineClip]:
        laid, end = [TimelineClip(clip, 0)], len(clip)
        for name in self.clips:
            fade = min(round(self.fade_s * clip.fps), len(laid[-1].clip) - 1, len(others[name]) - 1)
            laid.append(TimelineClip(others[name], end - fade, name))
            end += len(others[name]) - fade
        return laid

    def _lay(self, clip: Clip, others: Mapping[str, Clip]) -> list[TimelineClip]:
        laid = []
        for number, track in enumerate(self.tracks):
            if track.mute:
                continue
            whole = clip if track.clip is None else others[track.clip]
            stop = len(whole) if track.stop is None else min(track.stop, len(whole))
            if track.start >= stop:
                raise ParameterError(
                    f"arrange: track {number} begins at frame {track.start} of a clip that has frames 0 to "
                    f"{len(whole) - 1}."
                )
            part = whole if (track.start, stop) == (0, len(whole)) else whole[track.start : stop]
            laid.append(TimelineClip(part, track.at, track.clip or "this"))
        return laid
