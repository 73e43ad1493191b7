"""What a file format is to the rest of Kinetune."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kinetune.body.clip import Clip


@dataclass(frozen=True)
class ReadOptions:
    """What a user may decide about a file instead of letting Kinetune guess.

    unit : "m", "dm", "cm", "mm", "in", "ft", "cmu" (5.644 cm), or metres per unit as a number.
    up : "x", "y" or "z".
    fps : frames per second, whatever the file says.
    partial : keep the good frames of a file that is cut off.
    skeleton : the file that holds the body (the .asf of an .amc, a body model of an AMASS .npz).
    animation : which animation of a file that holds several, by name or number.
    positions : whether position channels of a BVH file are "absolute" or "relative" to the joints' offsets.
    """

    unit: str | float | None = None
    up: str | None = None
    fps: float | None = None
    partial: bool = False
    skeleton: Path | None = None
    animation: str | int | None = None
    positions: str | None = None


@dataclass(frozen=True)
class Format:
    """One file format.

    read : (path, options) -> Clip, or None where only writing makes sense.
    write : (clip, path) -> the bytes of every file to be written, by path. It writes nothing itself: the caller puts
        the bytes under a temporary name and renames them, so that a half-written file is never left behind.
    recognize : (path, first bytes) -> whether a file with a shared suffix (.npz, .txt ...) is of this format.
    """

    name: str
    suffixes: tuple[str, ...]
    description: str
    read: Callable[[Path, ReadOptions], Clip] | None = None
    write: Callable[[Clip, Path], Mapping[Path, bytes]] | None = None
    recognize: Callable[[Path, bytes], bool] | None = None
