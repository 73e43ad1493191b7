"""Kinetune's own ``.npz``: everything a clip holds, exact to the bit, in one compressed NumPy archive.

==============  =====================================================================================
kinetune        JSON text: format version, end sites, markers, history, source, feet of the contacts
names, parents  joints (joints,)
offsets, rest   (joints, 3) metres and (joints, 4) wxyz
fps             frames per second
root            (frames, 3) metres
rotations       (frames, joints, 4) wxyz
translations    (frames, joints, 3) metres, only when the clip has them
contact_...     flags, confidence, heels, toes: (frames, feet), only when the clip has them
==============  =====================================================================================

``numpy.load(path)["rotations"]`` works without Kinetune. Nothing in it is pickled.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts
from kinetune.body.skeleton import EndSite, Skeleton, as_offset
from kinetune.body.source import Source
from kinetune.errors import FileError, MalformedFileError, ParameterError
from kinetune.findings import Finding
from kinetune.formats.clip_notes import clip_notes, end_site_notes, read_history, read_markers
from kinetune.formats.file_limits import check_joints, check_poses
from kinetune.formats.format import Format, ReadOptions
from kinetune.formats.npz.npz_arrays import array_names, array_shapes, pack_arrays, read_arrays

VERSION = 1
_NEEDED = ("kinetune", "names", "parents", "offsets", "rest", "fps", "root", "rotations")
_CONTACTS = ("flags", "confidence", "heels", "toes")
_OPTIONAL = ("translations", *(f"contact_{part}" for part in _CONTACTS))
_TEXT = ("kinetune", "names")
_LONGEST_HEADER = 8_000_000


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """The bytes of a native archive."""
    skeleton = clip.skeleton
    names = np.array(skeleton.names)
    if tuple(names.tolist()) != skeleton.names:
        raise FileError(path, "a joint's name ends in a NUL character, which NumPy text cannot hold.")
    arrays: dict[str, NDArray[Any]] = {
        "kinetune": np.array(json.dumps(_header(clip), ensure_ascii=False)),
        "names": names,
        "parents": skeleton.parents.astype(np.int64),
        "offsets": skeleton.offsets,
        "rest": skeleton.rest,
        "fps": np.array(clip.fps),
        "root": clip.root,
        "rotations": clip.rotations,
    }
    if clip.translations is not None:
        arrays["translations"] = clip.translations
    if clip.contacts is not None:
        arrays |= {f"contact_{part}": getattr(clip.contacts, part) for part in _CONTACTS}
    return {path: pack_arrays(path, arrays)}


def _header(clip: Clip) -> dict[str, Any]:
    source = clip.source
    notes = clip_notes(clip)
    return {
        "version": VERSION,
        "end_sites": end_site_notes(clip),
        "markers": notes["markers"],
        "history": notes["history"],
        "contacts": None if clip.contacts is None else [list(clip.contacts.joints), list(clip.contacts.sides)],
        "source": {
            "format": source.format,
            "path": source.path,
            "unit": source.unit,
            "metres_per_unit": source.metres_per_unit,
            "up": source.up,
            "findings": [finding.as_dict() for finding in source.findings],
        },
    }


def read(path: Path, options: ReadOptions) -> Clip:
    """A clip as it was written; ``options.fps`` replaces its frame rate."""
    shapes = array_shapes(path)
    check_joints(path, math.prod(shapes.get("names", ())))
    for name in ("rotations", "translations"):
        if len(shapes.get(name, ())) > 1:
            check_poses(path, shapes[name][0], shapes[name][1], path.stat().st_size)
    arrays = read_arrays(path, (*_NEEDED, *_OPTIONAL))
    missing = [name for name in _NEEDED if name not in arrays]
    if missing:
        raise MalformedFileError(path, f'the archive has no "{missing[0]}", so this is not a Kinetune .npz.')
    for name, array in arrays.items():
        if array.dtype.kind not in ("U" if name in _TEXT else "biuf"):
            raise MalformedFileError(path, f'"{name}" has the type {array.dtype}, which is not allowed.')
    header = _read_header(path, str(arrays["kinetune"].reshape(-1)[0]) if arrays["kinetune"].size else "")
    try:
        return _build(path, arrays, header, options)
    except ParameterError as problem:
        raise MalformedFileError(path, str(problem)) from None
    except (TypeError, ValueError, KeyError, IndexError):
        raise MalformedFileError(path, "its header and its arrays do not fit together.") from None


def _read_header(path: Path, text: str) -> dict[str, Any]:
    if len(text) > _LONGEST_HEADER:
        raise MalformedFileError(path, f"its header has {len(text):,} characters; {_LONGEST_HEADER:,} are read.")
    try:
        header = json.loads(text)
        version = int(header["version"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise MalformedFileError(path, 'its "kinetune" entry is not the header of a Kinetune .npz.') from None
    if version > VERSION:
        raise MalformedFileError(
            path,
            f"it has version {version}, and this Kinetune reads versions up to {VERSION}.",
            advice="Update it with: pip install --upgrade kinetune",
        )
    return dict(header)


def _build(path: Path, arrays: Mapping[str, NDArray[Any]], header: dict[str, Any], options: ReadOptions) -> Clip:
    names = tuple(str(name) for name in arrays["names"].reshape(-1).tolist())
    sites = []
    for parent, offset, name in header["end_sites"]:
        if not (isinstance(parent, int) and 0 <= parent < len(names)):
            raise MalformedFileError(
                path, f"an end site is attached to joint {parent!r:.40}, but there are {len(names)} joints."
            )
        sites.append(EndSite(parent, as_offset(offset), None if name is None else str(name)))
    skeleton = Skeleton(names, arrays["parents"].astype(np.intp), arrays["offsets"], tuple(sites), arrays["rest"])
    contacts = None
    if header["contacts"] is not None:
        joints, sides = (tuple(str(name) for name in names) for names in header["contacts"])
        flags, confidence, heels, toes = (arrays[f"contact_{part}"] for part in _CONTACTS)
        contacts = Contacts(joints, flags, confidence, heels, toes, sides)
        if len(contacts) != len(arrays["rotations"]):
            raise MalformedFileError(path, f"it has contacts of {len(contacts)} frames for {len(arrays['rotations'])}.")
    return Clip(
        skeleton=skeleton,
        fps=float(arrays["fps"].reshape(-1)[0]) if options.fps is None else options.fps,
        root=arrays["root"],
        rotations=arrays["rotations"],
        translations=arrays.get("translations"),
        contacts=contacts,
        markers=read_markers(header, len(arrays["rotations"])),
        source=_source(header["source"]),
        history=read_history(header),
    )


def _source(values: Mapping[str, Any]) -> Source:
    findings = tuple(_finding(row) for row in values["findings"])
    return Source(
        format=str(values["format"]),
        path=None if values["path"] is None else str(values["path"]),
        unit=str(values["unit"]),
        metres_per_unit=float(values["metres_per_unit"]),
        up=values["up"],
        findings=findings,
    )


def recognize(path: Path, start: bytes) -> bool:
    """Whether an archive is ours: it has an entry called "kinetune"."""
    return "kinetune" in array_names(path, start)


FORMAT = Format(
    name="kinetune-npz",
    suffixes=(".npz",),
    description="Kinetune's own archive: everything a clip holds, exact and compressed",
    read=read,
    write=write,
    recognize=recognize,
)


def _finding(row: Any) -> Finding:
    """A finding as it is stored; older files hold a list of kind, message and override."""
    return Finding.from_dict(row) if isinstance(row, dict) else Finding(*row)
