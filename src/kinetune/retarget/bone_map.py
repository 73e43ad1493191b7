"""Which joint of one skeleton stands for which of another: shown, edited, and kept as a small YAML file.

=================  ==================================================================================
BoneMap            role to the names of two joints
find_bone_map      what is found by names and shape
read_bone_map      from YAML
write_bone_map     to YAML
with_roles         a clip whose joints have the roles of a map
=================  ==================================================================================

A map is a mapping from role to the joint of the source and that of the target, null where there is none::

    bones:
      hips: [Hips, mixamorig:Hips]
      left toes: [LeftToeBase, null]
      tail 1: [Tail01, tail_a]

Roles that the map leaves out are those that are found; a role with null on one side is not carried over. Any name may
be a role: what is not part of a human body takes over how far its joint turns away from the rest pose.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import yaml

from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.errors import MalformedFileError, ParameterError, RecipeError, UnknownNameError, excerpt
from kinetune.input_files import read_input, reading
from kinetune.input_files.plain_yaml import parse_yaml
from kinetune.retarget.fingers import finger_roles

Pair = tuple[str | None, str | None]
_MOST_BYTES = 100_000
_HEAD = "# Role: [joint of the source, joint of the target]; null leaves a role out.\n"


@dataclass(frozen=True)
class BoneMap:
    """Role to the names of two joints, those of source and target; None where one has none.

    Parameters
    ----------
    bones : mapping from str to (str or None, str or None)
        The pairs.
    """

    bones: Mapping[str, Pair]

    @property
    def matched(self) -> dict[str, tuple[str, str]]:
        """The roles that both have."""
        return {role: (a, b) for role, (a, b) in self.bones.items() if a is not None and b is not None}

    def side(self, which: Literal["source", "target"]) -> dict[str, str | None]:
        """Role to joint for one of the two."""
        return {role: pair[0 if which == "source" else 1] for role, pair in self.bones.items()}


def find_bone_map(source: Skeleton, target: Skeleton) -> BoneMap:
    """The roles that either skeleton shows, fingers included."""
    ours, theirs = ({**each.roles, **finger_roles(each)} for each in (source, target))
    roles = dict.fromkeys([*ours, *theirs])
    return BoneMap(
        {
            role: (
                source.names[ours[role]] if role in ours else None,
                target.names[theirs[role]] if role in theirs else None,
            )
            for role in roles
        }
    )


def bone_map_of(values: Any) -> BoneMap:
    """A map from plain values, ``{role: [source, target]}``, with or without ``bones`` around it."""
    inner = values.get("bones", values) if isinstance(values, Mapping) else values
    if not isinstance(inner, Mapping) or not all(isinstance(role, str) for role in inner):
        raise ParameterError("A bone map names two joints for each role, such as hips: [Hips, pelvis].")
    bones: dict[str, Pair] = {}
    for role, pair in inner.items():
        if not (
            isinstance(pair, list | tuple) and len(pair) == 2 and all(p is None or isinstance(p, str) for p in pair)
        ):
            raise ParameterError(
                f'The bone map gives "{excerpt(role)}" {excerpt(repr(pair))}; it takes two joints, of source and '
                "target, such as hips: [Hips, pelvis]."
            )
        bones[role] = (pair[0], pair[1])
    return BoneMap(bones)


def read_bone_map(path: str | os.PathLike[str]) -> BoneMap:
    """A map from a YAML file."""
    file = Path(path)
    with reading(file):
        try:
            text = read_input(file, largest=_MOST_BYTES, what="a bone map").decode()
            return bone_map_of(parse_yaml(text, "bone map"))
        except UnicodeDecodeError:
            raise MalformedFileError(file, "it is not text in UTF-8.") from None
        except RecipeError as problem:
            advice = "Write one with: kinetune retarget ... --save-map FILE"
            raise MalformedFileError(file, str(problem), advice=advice) from None
        except ParameterError as problem:
            raise MalformedFileError(file, str(problem)) from None


def write_bone_map(bones: BoneMap, path: str | os.PathLike[str]) -> Path:
    """Write a map as YAML, to be edited and read again."""
    rows = {role: list(pair) for role, pair in bones.bones.items()}
    text = yaml.safe_dump({"bones": rows}, sort_keys=False, default_flow_style=None, allow_unicode=True, width=200)
    file = Path(path)
    file.write_text(_HEAD + text, encoding="utf-8")
    return file


def with_roles(clip: Clip, names: Mapping[str, str | None]) -> Clip:
    """The clip with its joints in other roles: those given, and those that are found for the rest.

    Parameters
    ----------
    names : mapping from str to str or None
        Role to joint; None takes the role away.
    """
    skeleton = clip.skeleton
    roles = {**skeleton.roles, **finger_roles(skeleton)}
    for role, name in names.items():
        roles.pop(role, None)
        if name is not None:
            if name not in skeleton.names:
                raise UnknownNameError("joint", name, skeleton.names, advice=f'The bone map names it for "{role}".')
            joint = skeleton.names.index(name)
            roles = {other: j for other, j in roles.items() if j != joint}
            roles[role] = joint
    named = Skeleton(skeleton.names, skeleton.parents, skeleton.offsets, skeleton.end_sites, skeleton.rest)
    named.__dict__["roles"] = MappingProxyType(roles)  # the cached property, filled in
    return clip.replace(skeleton=named, contacts=clip.contacts)
