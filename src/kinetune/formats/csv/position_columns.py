"""The columns of a table of joint positions: which is which, in the spellings that programs use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_AXIS_LAST = re.compile(r"^(?P<name>.*?)(?P<mark>[\s._:/|-]+|[\[(]\s*)?(?P<axis>[xyzXYZ])\s*[\])]?$")
_AXIS_FIRST = re.compile(r"^(?P<axis>[xyzXYZ])[\s._:/|-]+(?P<name>.+)$")
_UNIT = re.compile(r"\s*[\[(]\s*(?P<unit>m|dm|cm|mm|in|ft)\s*[\])]\s*$", re.IGNORECASE)
_PLACE_WORD = re.compile(r"[\s._:/|-]+(pos|position|positions|trans|translation|loc|location|t|p)$", re.IGNORECASE)
_OTHER_WORD = re.compile(
    r"([\s._:/|-]+|(?<=[a-z]))(rot|rotation|rotations|quat|quaternion|q|r|euler|vel|velocity|acc|acceleration|scale|dir)$",
    re.IGNORECASE,
)
_TIMES = {"time", "t", "seconds", "sec", "timestamp", "time_s", "times"}
_FRAMES = {"frame", "frames", "frame#", "index", "idx", "id", "#", ""}


@dataclass(frozen=True)
class Columns:
    """Where things stand in a row: time, and x, y, z of each joint; what was passed over."""

    names: tuple[str, ...]
    places: tuple[tuple[int, int, int], ...]
    time: int | None
    unit: str | None
    ignored: tuple[str, ...]
    incomplete: tuple[str, ...]


def read_columns(header: Sequence[str]) -> Columns:
    """Sort the columns of a header: ``Hips.x``, ``Hips_X``, ``Hips x``, ``HipsX``, ``Hips (x)``, ``x_Hips`` ..."""
    time, unit = None, None
    found: dict[str, dict[str, int]] = {}
    ignored = []
    for column, cell in enumerate(header):
        words = cell.strip().lstrip("#").strip()
        marked = _UNIT.search(words)
        if marked:
            words = words[: marked.start()].strip()
        folded = re.sub(r"\s*[\[(].*[\])]$", "", words).strip().lower()
        if folded in _TIMES and time is None:
            time = column
        elif folded not in _FRAMES:
            split = _joint_axis(words)
            if split is None:
                ignored.append(cell.strip())
                continue
            found.setdefault(split[0], {}).setdefault(split[1], column)
            if marked:
                unit = unit or marked["unit"].lower()
    whole = {name: axes for name, axes in found.items() if len(axes) == 3}
    places = tuple((axes["x"], axes["y"], axes["z"]) for axes in whole.values())
    return Columns(tuple(whole), places, time, unit, tuple(ignored), tuple(n for n in found if n not in whole))


def our_columns(header: Sequence[str]) -> Columns | None:
    """The columns of a table that Kinetune wrote, whatever its joints are called; None when they are not."""
    names = tuple(cell.removesuffix(".x") for cell in header[2::3])
    if list(header) != ["frame", "time", *(f"{name}.{axis}" for name in names for axis in "xyz")]:
        return None
    return Columns(names, tuple((c, c + 1, c + 2) for c in range(2, len(header), 3)), 1, "m", (), ())


def _joint_axis(words: str) -> tuple[str, str] | None:
    """(joint, axis) of a column, or None when it is not a position."""
    match = _AXIS_FIRST.match(words) or _AXIS_LAST.match(words)
    if match is None or not match["name"]:
        return None
    name = match["name"]
    glued = match.re is _AXIS_LAST and match["mark"] is None
    if glued and not (match["axis"].isupper() and name[-1:].islower()):
        return None
    if _OTHER_WORD.search(name):
        return None
    return _PLACE_WORD.sub("", name).strip(), match["axis"].lower()
