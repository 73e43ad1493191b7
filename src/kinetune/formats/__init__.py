"""Files in and out: the suffix chooses the format. How to add one: :mod:`kinetune.formats.format`.

============  ===================================================================
read          a clip from a file
companions    the other files that reading one depends on
write         a clip to a file, whole or not at all
check_target  whether a file can be written, before the work that makes it
write_files   any bytes to any files, whole or not at all
FORMATS       every format by name; a format is loaded when it is first looked at
suffixes      the suffixes that can be read or written
============  ===================================================================

====================  ==================================================================================
bvh/ acclaim/         motion capture as text, Acclaim skeletons and motion
gltf/ fbx/            characters: glTF 2.0 scenes, FBX 7
npz/ usd              Kinetune's own archive and AMASS, USD skeletons
positions/ robots/    tables and arrays of joint positions; robots (MJCF, URDF) and their joint values
c3d/                  recordings of markers, with a body fitted to them
learned/              generated motion, and what models learn from: Kimodo, HumanML3D, DeepMimic
bridges               files that are not read, and the nearest way to one that is
format                what a format must provide
atomic_write          files on the disk, whole or not at all
unit_and_up           units and up axes, given by the user or guessed
characters/           what a file holds besides its motion, the body that is shown without it, motions of few keys
scene_nodes           joints among the nodes of a scene (glTF, FBX, USD)
stick_figure_mesh     a skinned stick figure, so that scenes show something
clip_notes            markers, history and more as JSON inside other formats
moving_joints         joints that translate, for formats that hold fixed bones only
text/                 numbers as text, fast and exact
====================  ==================================================================================
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from kinetune.body.clip import Clip
from kinetune.errors import (
    FileError,
    MalformedFileError,
    SkeletonMismatchError,
    UnknownFormatError,
    did_you_mean,
    nearest,
)
from kinetune.findings import Finding, report_finding
from kinetune.formats.atomic_write import check_folder, write_files
from kinetune.formats.bridges import bridge
from kinetune.formats.characters.character import put_on, report_lost_character, source_for_guest
from kinetune.formats.format import Format, ReadOptions
from kinetune.input_files import open_input, reading

__all__ = [
    "FORMATS",
    "Format",
    "ReadOptions",
    "check_target",
    "companions",
    "read",
    "suffixes",
    "write",
    "write_files",
]

MODULES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "bvh": ("bvh", (".bvh",)),
    "amc": ("acclaim.amc", (".amc",)),
    "asf": ("acclaim.asf", (".asf",)),
    "gltf": ("gltf", (".glb", ".gltf", ".vrm")),
    "vrma": ("vrm", (".vrma",)),
    "fbx": ("fbx", (".fbx",)),
    "kinetune-npz": ("npz.native_npz", (".npz",)),
    "amass": ("npz.amass", (".amass.npz", ".npz")),
    "csv": ("positions.csv_positions", (".csv",)),
    "c3d": ("c3d", (".c3d",)),
    "kimodo": ("learned.kimodo", (".npz",)),
    "deepmimic": ("learned.deepmimic", (".txt",)),
    "robot": ("robots.robot_files", (".xml", ".mjcf", ".urdf")),
    "qpos": ("robots.qpos", (".qpos.csv", ".qpos.npz", ".npz")),
    "positions": ("positions.array_positions", (".npy", ".npz")),
    "usd": ("usd", (".usda", ".usdc", ".usd")),
}
"""Name of a format -> the module that exports it as FORMAT, and its suffixes. Where several formats share a suffix, the
one with the longer suffix comes first, then the order here; the first that recognizes a file reads it, and the first
that can write writes it."""

_START = 1 << 16  # bytes of a file that a format may look at to recognize it


class _Formats(Mapping[str, Format]):
    """Every format by name, each imported when it is first asked for."""

    def __getitem__(self, name: str) -> Format:
        return _load(MODULES[name][0])

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


@cache
def _load(module: str) -> Format:
    loaded = importlib.import_module(f"kinetune.formats.{module}").FORMAT
    assert isinstance(loaded, Format)
    return loaded


_OTHER_USES = (".txt", ".xml", ".mjcf", ".urdf")

FORMATS: Mapping[str, Format] = _Formats()


def library_suffixes() -> tuple[str, ...]:
    """The suffixes that mean motion wherever they are found: not those of notes (.txt) and of robots without motion."""
    return tuple(suffix for suffix in suffixes() if suffix not in _OTHER_USES)


def suffixes() -> tuple[str, ...]:
    """Every suffix that can be read or written, in the order of the formats."""
    return tuple(dict.fromkeys(suffix for _, known in MODULES.values() for suffix in known))


def read(
    path: str | os.PathLike[str],
    *,
    unit: str | float | None = None,
    up: str | None = None,
    fps: float | None = None,
    partial: bool = False,
    skeleton: str | os.PathLike[str] | None = None,
    animation: str | int | None = None,
    take: str | int | None = None,
    positions: str | None = None,
    joints: str | Sequence[str] | None = None,
) -> Clip:
    """Read a motion file; what was unusual, guessed or repaired is in ``clip.source.findings``.

    Parameters
    ----------
    path : str or path
        The file; its suffix chooses the format.
    unit : str or float, optional
        "m", "dm", "cm", "mm", "in", "ft", "cmu" (5.644 cm) or metres per unit, instead of a guess.
    up : str, optional
        "x", "y" or "z", instead of a guess.
    fps : float, optional
        Frames per second, instead of the file's.
    partial : bool
        Keep the good frames of a file that is cut off or has a bad value.
    skeleton : str or path, optional
        The file that holds the body (the .asf of an .amc, a body model of an AMASS .npz, the robot of a .csv of joint
        values).
    animation : str or int, optional
        Which animation of a file that holds several, by name or number.
    take : str or int, optional
        The same; FBX calls it a take.
    positions : str, optional
        Whether position channels of a BVH file are "absolute" (they replace a joint's offset) or "relative" (they add
        to it), instead of a guess.
    joints : str or sequence of str, optional
        The names of the joints of an array or a table that holds none, in order: a list, or one text with commas.

    Returns
    -------
    Clip
        In metres, with Y up and quaternions wxyz.

    Raises
    ------
    FileError
        With the file, the line where there is one, what is wrong and what to do.

    Examples
    --------
    >>> clip = read("walk.bvh")
    >>> len(clip), clip.fps
    (402, 60.0)
    >>> clip.joint("left foot").positions.shape
    (402, 3)
    """
    body = None if skeleton is None else Path(skeleton)
    names = joints.split(",") if isinstance(joints, str) else joints
    named = None if names is None else tuple(name.strip() for name in names)
    chosen_take = animation if take is None else take
    options = ReadOptions(unit, up, fps, bool(partial), body, chosen_take, positions, named)
    path = Path(path)
    with reading(path):
        with open_input(path) as file:
            start = file.read(_START)
        if not start:
            raise MalformedFileError(path, "the file is empty.", advice="Was it still being written? Export it again.")
        chosen = _format_of(path, start)
        if chosen.read is None:
            raise UnknownFormatError(path, f"{path.suffix} files can be written but not read.", advice=_able("read"))
        return chosen.read(path, options)


def companions(path: str | os.PathLike[str], *, skeleton: str | os.PathLike[str] | None = None) -> tuple[Path, ...]:
    """The other files that reading a file depends on: the ``.bin`` of a ``.gltf``, the ``.asf`` of an ``.amc``.

    Parameters
    ----------
    path : str or path
        The file.
    skeleton : str or path, optional
        The file that holds the body, as for :func:`read`.
    """
    path, body = Path(path), None if skeleton is None else Path(skeleton)
    files = [] if body is None else [body]
    with reading(path):
        for find in [FORMATS[name].companions for name in _names_for(path)]:
            files += [] if find is None else find(path, ReadOptions(skeleton=body))
    return tuple(dict.fromkeys(files))


def write(clip: Clip, path: str | os.PathLike[str], *, character: str | os.PathLike[str] | None = None) -> Path:
    """Write a clip; the suffix chooses the format.

    A clip that was read with a character (mesh, skin, materials ...) is written back into that character where the
    format is the same. What does not get into the file is reported as a warning.

    The bytes go to a temporary name in the same folder, which is renamed when they are complete: a half-written file is
    never left behind. The folder must exist.

    Parameters
    ----------
    clip : Clip
        The motion.
    path : str or path
        The file to write.
    character : str or path, optional
        A character file of the same format (.glb or .gltf, .fbx) to put the motion on. Where its skeleton is another
        one, the motion is retargeted to it (:class:`kinetune.Retarget`), with a notice.

    Returns
    -------
    Path
        The file that was written.

    Examples
    --------
    >>> clip = read("walk.bvh")
    >>> write(clip[:60], "first_second.glb").name
    'first_second.glb'
    """
    path = Path(path)
    writer = _writer(path)
    if character is not None:
        clip = _on_character(clip, Path(character), writer.name, path)
    report_lost_character(clip, path, writer.name)
    assert writer.write is not None
    files = writer.write(clip, path)
    check_folder(path)
    for file in files:  # textures in a folder of their own
        file.parent.mkdir(parents=True, exist_ok=True)
    write_files(files, named=path)
    return path


def _on_character(clip: Clip, character: Path, written_as: str, path: Path) -> Clip:
    hero = read(character)
    if hero.source.format != written_as:
        raise FileError(
            path,
            f"a motion and its character must have the same format, and {character.name} has another one.",
            advice=f"Write it as {character.suffix}.",
        )
    try:
        return put_on(clip, hero, character)
    except SkeletonMismatchError as differing:
        from kinetune.retarget.retargeting import retarget

        try:
            result = retarget(clip, hero).clip
        except SkeletonMismatchError:
            raise differing from None
    message = f"{character.name} has a different skeleton, so the motion was retargeted to it."
    report_finding(Finding("retargeted", message, severity="info"), warn=True)
    return result.replace(contacts=result.contacts, source=source_for_guest(hero))


def check_target(path: str | os.PathLike[str]) -> None:
    """Raise before any work what :func:`write` would raise after it: an unknown suffix, a folder that is not there."""
    path = Path(path)
    _writer(path)
    check_folder(path)


def _writer(path: Path) -> Format:
    names = _fitting(path)
    for name in names:
        if FORMATS[name].write is not None:
            return FORMATS[name]
    if not names and bridge(path) is None:
        raise _unknown(path, "write")
    film = " A film is made with: kinetune film" if path.suffix.lower() in (".mp4", ".webm", ".gif") else ""
    problem = (
        f"{path.suffix} files can be read but not written." if names else f"clips are not written to {path.suffix}."
    )
    raise UnknownFormatError(path, problem, advice=_able("write") + film)


def _fitting(path: Path) -> list[str]:
    """The formats with the suffix of a path, the longest suffix first."""
    fits = {
        name: max(map(len, matching))
        for name, (_, known) in MODULES.items()
        if (matching := [suffix for suffix in known if path.name.lower().endswith(suffix)])
    }
    return sorted(fits, key=lambda name: -fits[name])


def _names_for(path: Path) -> list[str]:
    """The formats that a file to read may have by its suffix, or an error that says what to do instead."""
    names = _fitting(path)
    if names:
        return names
    known = bridge(path)
    if known is not None:
        raise UnknownFormatError(path, known[0], advice=known[1])
    raise _unknown(path, "read")


def _unknown(path: Path, verb: Literal["read", "write"]) -> UnknownFormatError:
    """An error that offers the nearest suffixes."""
    suffix = path.suffix.lower()
    problem = (
        f'no format has the suffix "{path.suffix}".' if suffix else "the name has no suffix, which chooses the format."
    )
    hint = did_you_mean(nearest(suffix, suffixes()) if suffix else [], mark="")
    return UnknownFormatError(path, problem, advice=f"{hint} {_able(verb)}".lstrip())


def _format_of(path: Path, start: bytes) -> Format:
    names = _names_for(path)
    if len(names) == 1:
        return FORMATS[names[0]]
    for name in names:
        recognize = FORMATS[name].recognize
        if recognize is None or recognize(path, start):
            return FORMATS[name]
    kinds = " nor ".join(FORMATS[name].name for name in names)
    raise MalformedFileError(path, f"this is neither {kinds}.", advice="Convert it with the program that wrote it.")


def _able(verb: Literal["read", "write"]) -> str:
    """The suffixes that can be read or written, as advice."""
    names = [name for name in FORMATS if getattr(FORMATS[name], verb) is not None]
    able = {"read": "Readable", "write": "Writable"}[verb]
    return f"{able} are {' '.join(dict.fromkeys(suffix for name in names for suffix in MODULES[name][1]))}."
