"""The character that a motion file holds besides its motion: mesh, skin, materials, and everything else in it.

A reader keeps the whole file in ``clip.source.layout``. Its bytes are shared by all clips that are made from the clip:
no edit copies them, and they travel with a pickle. A writer of the same format puts the edited motion back into it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.body.source import EulerOrders, Source
from kinetune.errors import FileError, SkeletonMismatchError
from kinetune.findings import Finding, report_finding
from kinetune.input_files import reading
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from typing import Self

    from kinetune.formats.characters.skinned_mesh import SkinnedMesh

_SAME_BONE = 0.02  # of the height: bones that differ by less are the same


@dataclass(frozen=True, eq=False)
class CharacterFile:
    """A file with a character in it, as it was read.

    Parameters
    ----------
    format : str
        The name of the format that can put a motion back into it.
    name : str
        The name of the file.
    data : bytes
        The file.
    skeleton : Skeleton
        Its joints as they were read.
    joints : tuple of int
        What the format calls each joint: the number of a node or object.
    contents : tuple of str
        What is in it besides the motion, for people: "2 meshes (1,728 vertices)".
    motions : tuple of str
        The animations or takes in it.
    frames : int
        How many frames were read.
    times : array, shape (frames,)
        When each frame of the clip is in the file, in seconds, so that what is not edited can be cut as the clip is.
    is_guest : bool
        Whether the motion of the clip is from elsewhere: then the motions of the file all stay.
    """

    format: str
    name: str
    data: bytes
    skeleton: Skeleton
    joints: tuple[int, ...]
    contents: tuple[str, ...]
    motions: tuple[str, ...]
    frames: int
    times: Floats
    is_guest: bool = field(default=False, kw_only=True)

    def sliced(self, frames: slice) -> Self:
        """The same character for a part of the motion."""
        return replace(self, times=self.times[frames])

    @property
    def is_whole(self) -> bool:
        """Whether no slice has cut the clip."""
        return len(self.times) == self.frames

    def euler_orders(self, skeleton: Skeleton) -> EulerOrders | None:
        """None: edits do not follow the Euler channels of a scene."""
        return None

    def facts(self) -> dict[str, str]:
        """What is in the file besides the motion that was read, for people."""
        contents = ", ".join(self.contents)
        facts = {"character": f"{contents}; kept, and written back with the motion"} if contents else {}
        if len(self.motions) > 1:
            listed = ", ".join(f'"{name}"' for name in self.motions)
            facts["takes" if self.format == "fbx" else "animations"] = listed
        return facts

    def fits(self, clip: Clip) -> bool:
        """Whether the motion still belongs to these joints."""
        return clip.skeleton.same_joints(self.skeleton)

    def mesh(self, source: Source) -> SkinnedMesh | None:
        """The surface of the character on these joints, None where it has none; a format that can read it overrides."""
        return None


def character_of(clip: Clip) -> CharacterFile | None:
    """The character that a clip was read with."""
    layout = clip.source.layout
    return layout if isinstance(layout, CharacterFile) and layout.contents else None


def character_mesh(clip: Clip) -> tuple[SkinnedMesh | None, Finding | None]:
    """The surface of a clip's character and, where it has one that cannot be shown, why."""
    character = character_of(clip)
    if character is None:
        return None, None
    if not character.fits(clip):
        reason = "its joints are no longer those of the clip"
    else:
        try:
            with reading(character.name):
                mesh = character.mesh(clip.source)
            if mesh is None or mesh.is_usable():
                return mesh, None
            reason = "a number in it is not finite or far too large"
        except FileError as problem:
            reason = problem.problem.rstrip(".")
    message = f"The skin of {character.name} is not shown: {reason}."
    return None, Finding("skin-not-shown", message)


def report_lost_character(clip: Clip, path: Path, written_as: str) -> None:
    """Say what of a clip's character does not get into a file of some format."""
    character = character_of(clip)
    if character is None or (character.format == written_as and character.fits(clip)):
        return
    reason = "its joints are no longer those of the clip" if character.format == written_as else "the format differs"
    report_finding(
        Finding(
            "character-left-out",
            f"{path.name} does not contain the character of {character.name} ({', '.join(character.contents)}): "
            f"{reason}.",
            remedy=f"Write it as .{Path(character.name).suffix[1:]} to keep the character."
            if character.format != written_as
            else None,
        ),
        warn=True,
    )


def source_for_guest(hero: Clip) -> Source:
    """The origin of a motion from elsewhere on a character: the motions of its file stay, those of the guest join."""
    layout = hero.source.layout
    if isinstance(layout, CharacterFile):
        layout = replace(layout, is_guest=True)
    return replace(hero.source, findings=(), layout=layout)


def put_on(clip: Clip, hero: Clip, path: Path) -> Clip:
    """A motion for the joints of a character that has the same skeleton, perhaps with more joints or other prefixes.

    Joints that only the character has stay at rest.
    """
    character = hero.source.layout
    if not isinstance(character, CharacterFile):
        raise FileError(path, "there is no mesh or skin in it to put a motion on.", advice="Name a character file.")
    ours, theirs = clip.skeleton, hero.skeleton
    places = _match_names(ours, theirs)
    missing = [name for name, place in zip(ours.names, places, strict=True) if place is None]
    if missing:
        raise SkeletonMismatchError(f"{path}: the character has no joint {_quoted(missing)}. {_RETARGET}")
    target = [place for place in places if place is not None]
    for joint, place in enumerate(target):
        parent, above = int(ours.parents[joint]), int(theirs.parents[place])
        if parent >= 0 and target[parent] != above:
            raise SkeletonMismatchError(
                f'{path}: joint "{theirs.names[place]}" of the character has a different parent in the clip. '
                f"{_RETARGET}"
            )
    moved = [j for j in range(len(ours)) if ours.parents[j] >= 0]
    gaps = np.linalg.norm(ours.offsets[moved] - theirs.offsets[[target[j] for j in moved]], axis=1)
    if len(gaps) and gaps.max() > _SAME_BONE * theirs.height:
        worst = moved[int(np.argmax(gaps))]
        raise SkeletonMismatchError(
            f'{path}: the bones of the character differ from those of the clip, "{ours.names[worst]}" by '
            f"{100 * gaps.max():.3g} cm. {_RETARGET}"
        )
    frames = len(clip)
    rotations = np.tile(theirs.rest, (frames, 1, 1))
    rotations[:, target] = clip.rotations
    translations = None
    if clip.translations is not None:
        translations = np.tile(theirs.offsets, (frames, 1, 1))
        translations[:, target] = clip.translations
    if target[0] != 0:  # the character has a joint above the first one of the clip
        raise SkeletonMismatchError(
            f'{path}: the first joint of the character is "{theirs.names[0]}", that of the clip "{ours.names[0]}". '
            f"{_RETARGET}"
        )
    source = source_for_guest(hero)
    return Clip(theirs, clip.fps, clip.root, rotations, translations, None, clip.markers, source, clip.history)


_RETARGET = "It cannot be retargeted either: one of them is not recognised as a human body."


def _match_names(ours: Skeleton, theirs: Skeleton) -> list[int | None]:
    """For each of our joints the joint of the same name, or else of the same name without a prefix such as a rig's."""
    exact = {name: place for place, name in enumerate(theirs.names)}
    bare = {name.rpartition(":")[2].casefold(): place for place, name in reversed(list(enumerate(theirs.names)))}
    return [exact.get(name, bare.get(name.rpartition(":")[2].casefold())) for name in ours.names]


def _quoted(names: list[str]) -> str:
    listed = ", ".join(f'"{name}"' for name in names[:3])
    return listed if len(names) <= 3 else f"{listed} and {len(names) - 3} more"
