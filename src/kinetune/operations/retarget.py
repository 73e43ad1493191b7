"""A motion on another body."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, ClassVar, Literal, Self

from pydantic import PrivateAttr

from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.operations.base import Operation, parameter, report_result

_SAMPLE = "sample:"


class Retarget(Operation):
    """Put a motion on another character: other bones, other proportions, other names, another rest pose.

    Joints are matched by what they are (hips, left upper arm, right index finger), not by their names. Limbs take the
    directions that they have in the source; then feet that stand are planted on the other body, over the whole clip at
    once, with strides scaled to its legs. On its own skeleton a motion is copied as it is.
    """

    op: Literal["retarget"] = "retarget"
    input_parameters: ClassVar[tuple[str, ...]] = ("to",)

    to: str | None = parameter(
        None,
        "The character: a file, a sample, or the name of another clip; in Python also a clip or a skeleton.",
        unit="",
    )
    keep_feet: bool = parameter(
        True, "Keep feet that stand where they stand; off carries over the pose of each frame alone.", unit=""
    )
    _body: Clip | None = PrivateAttr(default=None)

    def __init__(self, *values: Any, **parameters: Any) -> None:
        to, body = parameters.get("to"), None
        if isinstance(to, Clip | Skeleton):
            from kinetune.retarget.physique import rest_clip

            body = to if isinstance(to, Clip) else rest_clip(to)
            parameters["to"] = body.source.path or body.source.name or "character"
        elif isinstance(to, os.PathLike):
            parameters["to"] = os.fspath(to)
        super().__init__(*values, **parameters)
        self._body = body

    @classmethod
    def neutral(cls) -> Self:
        """The character that it is."""
        return cls()

    @classmethod
    def example(cls) -> Self:
        """On a child."""
        return cls(to="sample:walk-child")

    def inputs_needed(self) -> tuple[str, ...]:
        """The name of the clip that shows the character, unless it is a file or was given as it is."""
        return () if self._body is not None or self.to is None or _is_file(self.to) else (self.to,)

    def body(self, inputs: Mapping[str, Clip]) -> Clip:
        """The clip that shows the character."""
        if self._body is not None:
            return self._body
        name = self.to or ""
        if name in inputs:
            return inputs[name]
        if name.startswith(_SAMPLE):
            from kinetune.samples import sample

            return sample(name.removeprefix(_SAMPLE))
        from kinetune.formats import read

        return read(name)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The motion on the other character."""
        if self.to is None:
            return clip
        from kinetune.formats.characters.character import source_for_guest
        from kinetune.retarget.retargeting import retarget

        body = self.body(inputs)
        result = retarget(clip, body, feet=self.keep_feet)
        report_result(result)
        if result.clip is clip:
            return clip
        return result.clip.replace(contacts=result.clip.contacts, source=source_for_guest(body))


def _is_file(name: str) -> bool:
    """Whether a name is that of a file or a sample, and not that of another clip."""
    from kinetune.formats import suffixes

    return name.startswith(_SAMPLE) or PurePath(name).suffix.lower() in suffixes()
