"""What a file format is to the rest of Kinetune, and how to add one.

1. Make a package ``kinetune/formats/name/`` (or one module, if it is small) that exports ``FORMAT``, a :class:`Format`.
2. Add a line to ``MODULES`` in ``kinetune/formats/__init__.py``: the name of the format, the module that exports it,
   and its suffixes. ``kt.read``, ``kt.write``, the command line and the studio all read that table.
3. Describe it in ``docs/formats/name.md``. The tests in ``tests/formats/test_formats.py`` cover it from then on.

A format provides

==============  ====================================================================================================
``read``        ``(path, options) -> Clip`` in metres, with Y up and quaternions wxyz. It opens its files with
                :mod:`kinetune.input_files` and raises a ``FileError`` that names the problem and the remedy, never
                anything else, for any bytes. What was guessed, repaired or unusual goes to
                ``clip.source.findings``
``write``       ``(clip, path) -> bytes by path``. It touches no disk: the caller writes all files or none
``suffixes``    lower case, with the dot, as in the table; the first is the usual one
``recognize``   ``(path, first bytes) -> bool``, needed only where several formats share a suffix (``.npz``)
``companions``  ``(path, options) -> paths`` of other files that it reads (the ``.asf`` of an ``.amc``), if any
layout          optional: an object in ``clip.source.layout`` (see ``kinetune.body.source``) that holds what a clip
                cannot, so that a file that is read, edited and written keeps its channels, digits and names
==============  ====================================================================================================

A package imports its reader only in ``read`` and its writer only in ``write``, so that start-up stays short. Shared by
the formats are :mod:`~kinetune.formats.unit_and_up` (units and up axes, given or guessed),
:mod:`~kinetune.formats.scene_nodes` (joints among the nodes of a scene: glTF, FBX, USD),
:mod:`~kinetune.formats.characters.visible_body` (something to look at), :mod:`~kinetune.formats.clip_notes` (markers
and history as JSON), :mod:`~kinetune.formats.moving_joints` (joints that translate) and
:mod:`~kinetune.formats.text.number_text` (numbers as text, fast and exact).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kinetune.body.clip import Clip, check_fps
from kinetune.errors import ParameterError


@dataclass(frozen=True)
class ReadOptions:
    """What a user decides about a file instead of letting Kinetune guess; see :func:`kinetune.formats.read`."""

    unit: str | float | None = None
    up: str | None = None
    fps: float | None = None
    partial: bool = False
    skeleton: Path | None = None
    animation: str | int | None = None
    positions: str | None = None
    joints: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.fps is not None:
            check_fps(self.fps)
        if self.joints is not None and not (self.joints and all(self.joints)):
            raise ParameterError("joints takes names that are not empty, such as Hips,Spine,Head.")


@dataclass(frozen=True)
class Format:
    """One file format; the module's docstring says what each part must do.

    Parameters
    ----------
    name : str
        Its key in ``FORMATS``.
    suffixes : tuple of str
        As in the table ``MODULES``.
    description : str
        One line for the list of formats.
    read, write, recognize : callable or None
        None where the format cannot be read, cannot be written, or shares no suffix.
    companions : callable or None
        None where a file of the format stands alone.
    """

    name: str
    suffixes: tuple[str, ...]
    description: str
    read: Callable[[Path, ReadOptions], Clip] | None = None
    write: Callable[[Clip, Path], Mapping[Path, bytes]] | None = None
    recognize: Callable[[Path, bytes], bool] | None = None
    companions: Callable[[Path, ReadOptions], tuple[Path, ...]] | None = None
