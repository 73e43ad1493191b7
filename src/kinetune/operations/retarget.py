"""A motion on another body."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, ClassVar, Literal, Self

from pydantic import PrivateAttr, field_validator

from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.operations.base import Operation, parameter, report_result

_SAMPLE = "sample:"


def _read_map_file(path: str) -> Any:
    from kinetune.retarget.bone_map import read_bone_map

    return dict(read_bone_map(path).bones)


class Retarget(Operation):
    """Put a motion on another character, with other bones, proportions, names and rest pose.

    Joints are matched by what they are (hips, left upper arm, right index finger), not by their names. Limbs take the
    directions that they have in the source; then feet that stand are planted on the other body, over the whole clip at
    once, with strides scaled to its legs. On its own skeleton a motion is copied as it is.
    """

    op: Literal["retarget"] = "retarget"
    takes_region: ClassVar[bool] = False
    input_parameters: ClassVar[tuple[str, ...]] = ("to",)
    combines_bodies: ClassVar[bool] = False
    readers: ClassVar[Mapping[str, Callable[[str], Any]]] = {"map": _read_map_file}

    to: str | None = parameter(
        None,
        "The character: a file, a sample, or the name of another clip; in Python also a clip or a skeleton.",
        unit="",
    )
    keep_feet: bool = parameter(
        True, "Keep standing feet in place; off only carries over the pose of each frame.", unit=""
    )
    hands: Literal["body", "together", "world"] = parameter(
        "body",
        "What hands keep: the directions of the arms (body), also their relation to each other or the head where they "
        "are close (together), or their scaled positions in the world (world).",
        unit="",
    )
    map: dict[str, tuple[str | None, str | None]] | None = parameter(
        None,
        "Which joints correspond where automatic matching is wrong, {role: [source, target]}; on the command line the "
        "YAML file that --save-map writes.",
        unit="",
    )
    _body: Clip | None = PrivateAttr(default=None)

    @field_validator("map", mode="before")
    @classmethod
    def _read_map(cls, value: Any) -> Any:
        if value is None:
            return None
        from kinetune.retarget.bone_map import bone_map_of

        return dict(bone_map_of(value).bones)

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

    def __hash__(self) -> int:
        return hash(self.model_dump_json())

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
        from kinetune.retarget.bone_map import BoneMap
        from kinetune.retarget.retargeting import retarget

        body = self.body(inputs)
        bones = None if self.map is None else BoneMap(self.map)
        result = retarget(clip, body, feet=self.keep_feet, hands=self.hands, bones=bones)
        report_result(result)
        if result.clip is clip:
            return clip
        return result.clip.replace(contacts=result.clip.contacts, source=source_for_guest(body))

    def report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
        """What was matched and dropped, and how well the result stands."""
        from kinetune.retarget.retarget_report import report_on
        from kinetune.retarget.retargeting import Retargeted

        result = next((result for result in results if isinstance(result, Retargeted)), None)
        if result is None:
            return None
        figures = report_on(before, after, result.transfer, result.bones)
        if result.robot is None or result.transfer is None:
            return figures
        from kinetune.retarget.robot_report import report_robot

        return {**figures, "limit_violations": [], "robot": report_robot(result.robot, result.transfer)}

    def describe(self, report: Mapping[str, Any]) -> Sequence[str]:
        """The report in sentences."""
        from kinetune.retarget.retarget_report import describe_report
        from kinetune.retarget.robot_report import describe_robot

        return [*describe_report(report), *(describe_robot(report["robot"]) if "robot" in report else ())]


def _is_file(name: str) -> bool:
    """Whether a name is that of a file or a sample, and not that of another clip."""
    from kinetune.formats import suffixes

    return name.startswith(_SAMPLE) or PurePath(name).suffix.lower() in suffixes()
