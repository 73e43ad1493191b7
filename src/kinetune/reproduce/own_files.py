"""The user's files: read for the experiments, and those that cannot be used, with the reason."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kinetune.errors import FileError, KinetuneError
from kinetune.reproduce.experiments import Result, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kinetune.body.clip import Clip
    from kinetune.contours.drawing import Drawing
    from kinetune.reproduce.experiments import Context, Picture

MOST = 40
"""Of a larger folder so many files are used, spread over it."""
SECONDS = 8.0
"""Of a longer clip so much is used."""
LEAST = 24
"""Frames of a clip that is of any use."""
SHOWN = 3
"""Pictures are made for the first files only."""
LABEL = "Your files"


@dataclass(frozen=True)
class OwnFile:
    """A file of the user's: a clip, a drawing, or what is wrong with it.

    name : its path, seen from the folder that was given.
    """

    name: str
    clip: Clip | None = None
    drawing: Drawing | None = None
    trouble: str = ""


def read_own(folder: str | Path) -> tuple[OwnFile, ...]:
    """Every motion file and every SVG of a folder and of the folders in it."""
    from kinetune.formats import library_suffixes

    place = Path(folder)
    if not place.is_dir():
        raise FileError(place, "there is no such folder.")
    known = {*library_suffixes(), ".svg"}
    paths = [path for path in sorted(place.rglob("*")) if path.is_file() and path.suffix.lower() in known]
    paths = [path for path in paths if not any(part.startswith(".") for part in path.relative_to(place).parts)]
    if not paths:
        raise FileError(
            place, "there is no motion file and no drawing in it.", advice="Name a folder with .bvh, .glb, .svg ..."
        )
    used = set(paths if len(paths) <= MOST else [paths[round(k * (len(paths) - 1) / (MOST - 1))] for k in range(MOST)])
    many = f"The folder has {len(paths)} files, of which {MOST} are used; name a smaller one to have all of them."
    return tuple(
        _read(path, place) if path in used else OwnFile(path.relative_to(place).as_posix(), trouble=many)
        for path in paths
    )


def _read(path: Path, place: Path) -> OwnFile:
    name = path.relative_to(place).as_posix()
    try:
        if path.suffix.lower() == ".svg":
            from kinetune.contours.reading.drawing_reader import read_drawing

            return OwnFile(name, drawing=read_drawing(path))
        from kinetune.formats import read

        clip = read(path)
    except KinetuneError as error:
        return OwnFile(name, trouble=str(error))
    frames = round(SECONDS * clip.fps)
    stray = 1 if _begins_apart(clip) else 0
    return OwnFile(name, clip=clip[stray : stray + frames] if len(clip) > frames or stray else clip)


def _begins_apart(clip: Clip) -> bool:
    """Whether the first frame is not part of the motion, as in a T-pose before it."""
    from kinetune.body.quality.measures import measure

    return len(clip) > 2 and bool(measure(clip)["stray_first_frames"])


def try_each(
    context: Context,
    kind: str,
    run: Callable[[OwnFile], Value],
    needed: str,
) -> list[Value]:
    """One value for each of the user's files; those of another kind, and those that do not work, with the reason.

    Parameters
    ----------
    kind : "clip" or "drawing", what ``run`` takes. needed : words for it, such as "a motion".
    """
    values = []
    for file in context.files:
        if file.trouble:
            values.append(left_out([file.name], file.trouble))
        elif getattr(file, kind) is None:
            values.append(left_out([file.name], f"These experiments take {needed}."))
        elif file.clip is not None and len(file.clip) < LEAST:
            values.append(left_out([file.name], f"It has {len(file.clip)} frames; {LEAST} are needed at least."))
        else:
            try:
                values.append(run(file))
            except KinetuneError as error:
                values.append(left_out([file.name], str(error)))
            except Exception as error:  # the other files must still be used and reported
                trace = "".join(traceback.format_exception(error, limit=-3))
                values.append(Value(file.name, "runs", "stopped", "failed", trace, (file.name,)))
    return values


class Gallery:
    """Pictures of the first few of the user's files."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.pictures: list[Picture] = []

    @property
    def has_room(self) -> bool:
        """Whether one more is shown."""
        return len(self.pictures) < SHOWN

    def add(self, figure: Figure | Sequence[Drawing], name: str, caption: str, columns: int | None = None) -> None:
        """Save a figure, or drawings as rows, under a numbered name."""
        numbered = f"{name}-{len(self.pictures) + 1}"
        if isinstance(figure, Sequence):
            self.pictures.append(self._context.strip(figure, numbered, caption, columns=columns))
        else:
            self.pictures.append(self._context.save(figure, numbered, caption))


def tested(file: OwnFile, paper: str, ours: str, holds: bool) -> Value:
    """A file on which the paper's claim holds, or has failed."""
    return Value(file.name, paper, ours, "same" if holds else "failed", "", (file.name,))


def left_out(names: Iterable[str], why: str) -> Value:
    """Files that an experiment cannot use."""
    names = tuple(names)
    return Value(", ".join(names), "-", "not used", "left out", why, names)


def own_result(values: Iterable[Value], gallery: Gallery) -> Result:
    """What came out, files that were used first, and those that were left out for one reason together."""
    used, reasons = [], dict[str, list[str]]()
    for value in values:
        if value.verdict == "left out":
            reasons.setdefault(value.note, []).extend(value.files)
        else:
            used.append(value)
    return Result((*used, *(left_out(names, why) for why, names in reasons.items())), tuple(gallery.pictures))
