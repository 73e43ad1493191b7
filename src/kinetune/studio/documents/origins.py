"""Where clips and drawings come from: samples, files of the folder, uploads; and nothing else on the disk."""

from __future__ import annotations

import json
import os
import re
import threading
import weakref
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from kinetune.body.clip import Clip
from kinetune.contours.drawing import Drawing
from kinetune.contours.reading.drawing_reader import LOTTIE_SUFFIXES, PICTURE_SUFFIXES, read_drawing
from kinetune.errors import FileError, KinetuneError
from kinetune.formats import suffixes
from kinetune.input_files import confined_to, contained_path, open_input
from kinetune.recipes import open_clip
from kinetune.recipes.sources import SAMPLE, is_sample
from kinetune.studio.documents._folder_index import FolderIndex
from kinetune.studio.documents.uploads import Uploads
from kinetune.studio.protocol.message_parts import MessageError, SourceRef

DRAWING_SUFFIXES = (".svg", *LOTTIE_SUFFIXES, *PICTURE_SUFFIXES)
RECIPE_SUFFIXES = (".yaml", ".yml", ".json")
SAMPLE_DRAWING = "drawing:"
_MOST_ENTRIES = 2_000
_HEAD = 4096  # bytes that say whether a .json is a recipe or a Lottie animation
OPEN_PART = "Open what is complete"
"""What the page does about a file that is cut off; it knows by these words that it can."""
_IN_PART = re.compile(r"\b([Rr])ead it with partial=True \(--partial\) (to \w+)")
_TOGETHER = re.compile(r" with skeleton=\S* \(--[^)]*\)")
_OF_A_PROGRAM = re.compile(r"--[a-z]|\bkinetune [a-z]")
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z]|kinetune )")
_UPLOADED = re.compile(r"""(?:[A-Za-z]:)?[/\\][^"']*?[/\\]uploads[/\\][0-9a-f]{16}[/\\]""")


@dataclass(frozen=True)
class Origin:
    """Where a clip or a drawing is read from, in a form that is still valid tomorrow.

    place : "sample:walk", "drawing:dog-1", or the absolute path of a file.
    reading : options of :func:`kinetune.read` or :func:`kinetune.read_drawing`, as sorted pairs.
    """

    place: str
    reading: tuple[tuple[str, Any], ...] = ()

    @property
    def label(self) -> str:
        """The name of the file or of the sample."""
        for prefix, kind in ((SAMPLE, "sample"), (SAMPLE_DRAWING, "drawing")):
            if self.place.startswith(prefix):
                return f"{kind} {self.place.removeprefix(prefix)}"
        frame = dict(self.reading).get("frame")
        return Path(self.place).name + ("" if frame is None else f"#{frame:g}")

    @property
    def stem(self) -> str:
        """A short name."""
        return self.label.split()[-1] if not self.is_file else Path(self.place).stem

    @property
    def is_file(self) -> bool:
        """Whether it lies on the disk."""
        return not self.place.startswith((SAMPLE, SAMPLE_DRAWING))

    def as_plain(self) -> dict[str, Any]:
        """JSON-ready; :meth:`from_plain` gives it back."""
        return {"place": self.place, **({"reading": dict(self.reading)} if self.reading else {})}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Origin:
        return cls(str(plain["place"]), tuple(sorted((plain.get("reading") or {}).items())))


@dataclass
class Origins:
    """Opens what the browser may name.

    folder : the folder that the studio was started on, or None; files outside it are refused.
    uploads : what the browser has sent.
    """

    folder: Path | None
    uploads: Uploads

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._clips: weakref.WeakValueDictionary[tuple[str, str, int, int], Clip] = weakref.WeakValueDictionary()

    def find(self, source: SourceRef) -> Origin:
        """The origin that a message names, if it may."""
        reading = tuple(sorted(source.reading.model_dump(exclude_defaults=True).items()))
        if source.sample is not None:
            return Origin(SAMPLE + source.sample)
        if source.drawing is not None:
            return Origin(SAMPLE_DRAWING + source.drawing)
        if source.upload is not None:
            return Origin(str(self.uploads.path(source.upload)), reading)
        return Origin(str(self.allowed(str(source.path))), reading)

    def allowed(self, path: str) -> Path:
        """The file or folder of that path, links followed, if it lies where this studio may read and write."""
        whole = contained_path(path, *self._folders())
        if whole is not None:
            return whole
        raise MessageError(
            "refused",
            f"{path[:200]}: this file lies outside the folder that the studio was started on. Drop it on the page, or "
            "start the studio on a folder that holds it: kinetune studio FOLDER",
        )

    def named(self, place: str) -> Origin:
        """The origin that a recipe names: a sample, or a file that lies where this studio may read."""
        return Origin(place if is_sample(place) else str(self.allowed(place)))

    def confined(self) -> AbstractContextManager[None]:
        """Inside, recipes and steps that a stranger may have written read files of this studio's folders only."""
        return confined_to(*self._folders())

    def _folders(self) -> list[Path]:
        return [*([] if self.folder is None else [self.folder]), self.uploads.folder]

    def free_path(self, name: str) -> Path:
        """A file of the folder that is not there yet, called as asked or with a number."""
        if self.folder is None:
            raise MessageError(
                "refused",
                "This studio was started without a folder to save into. Start it with: kinetune studio FOLDER",
            )
        path, number = self.folder / name, 2
        while path.exists():
            path, number = self.folder / f"{Path(name).stem} {number}{Path(name).suffix}", number + 1
        return self.allowed(str(path))

    def clip(self, origin: Origin) -> Clip:
        """The clip; documents that open the same file share it."""
        key = (origin.place, json.dumps(origin.reading), *stamp(origin))
        with self._lock:
            known = self._clips.get(key)
        if known is not None:
            return known
        clip = open_clip(origin.place, **dict(origin.reading))
        with self._lock:
            return self._clips.setdefault(key, clip)

    def drawing(self, origin: Origin) -> Drawing:
        """The drawing."""
        if origin.place.startswith(SAMPLE_DRAWING):
            from kinetune.samples.drawings import sample_drawing

            return sample_drawing(origin.place.removeprefix(SAMPLE_DRAWING))
        return read_drawing(origin.place, frame=dict(origin.reading).get("frame"))

    def listing(self, path: str | None, search: str | None = None) -> dict[str, Any]:
        """What lies in a folder that can be opened, folders first; or what is found there and below."""
        if self.folder is None:
            raise MessageError(
                "refused", "This studio was started without a folder. Start it with: kinetune studio FOLDER"
            )
        root = Path(os.path.realpath(self.folder))
        here = root if path is None else self.allowed(path)
        if not here.is_dir():
            raise MessageError("file", f"{here}: this is not a folder.")
        parent = str(here.parent) if here != root and here.is_relative_to(root) else None
        described = FolderIndex.open(root)
        about = {"path": str(here), "parent": parent, "indexed": described.indexed, "notice": described.notice}
        if search and search.strip() and described.indexed:
            return {**about, "entries": described.search(here, search)[:_MOST_ENTRIES]}
        listed: list[dict[str, Any]] = []
        if search and search.strip():
            return {**about, "entries": _named(here, search.strip().casefold())}
        try:
            with os.scandir(here) as entries:
                for entry in entries:
                    kind = _kind(entry)
                    if kind is not None and not entry.name.startswith("."):
                        size = 0 if kind == "folder" else entry.stat().st_size
                        file = here / entry.name
                        known = described.about(file) if kind == "clip" else {}
                        listed.append({"name": entry.name, "path": str(file), "kind": kind, "bytes": size, **known})
        except OSError as failure:
            raise FileError(here, f"it cannot be listed ({failure.strerror}).") from None
        listed.sort(key=lambda each: (each["kind"] != "folder", str(each["name"]).casefold()))
        return {**about, "entries": listed[:_MOST_ENTRIES]}

    def described(self, path: str) -> dict[str, Any] | None:
        """A clip of the folder as :meth:`listing` has it; None where it is gone or lies elsewhere."""
        if self.folder is None:
            return None
        root = Path(os.path.realpath(self.folder))
        try:
            file = self.allowed(path)
        except MessageError:
            return None
        if not file.is_file() or not file.is_relative_to(root) or kind_of(file) != "clip":
            return None
        about = FolderIndex.open(root).about(file)
        return {"name": file.name, "path": str(file), "kind": "clip", "bytes": file.stat().st_size, **about}

    def similar(self, clip: Clip, start_s: float | None, stop_s: float | None) -> list[dict[str, Any]]:
        """The clips of the folder that are most like one, best first."""
        index = None if self.folder is None else FolderIndex.open(Path(os.path.realpath(self.folder)))
        if index is None or not index.indexed:
            raise MessageError(
                "refused",
                "Similar clips are looked for in a folder with an index. Index a folder, and start the studio on it.",
            )
        return index.similar(clip, start_s, stop_s)


def _named(here: Path, text: str) -> list[dict[str, Any]]:
    """The files of a folder and below whose path contains a text."""
    listed: list[dict[str, Any]] = []
    for folder, folders, names in os.walk(here):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(folder, name)
            shown, kind = file.relative_to(here).as_posix(), kind_of(file)
            if kind is None or name.startswith(".") or text not in shown.casefold() or not file.is_file():
                continue
            listed.append({"name": shown, "path": str(file), "kind": kind, "bytes": file.stat().st_size})
            if len(listed) == _MOST_ENTRIES:
                return listed
    return listed


def kind_of(file: str | Path) -> Literal["clip", "drawing", "recipe"] | None:
    """What a file is: "clip", "drawing" or "recipe" by its name, and where both have it by how it begins."""
    folded = str(file).lower()
    if folded.endswith(suffixes()):
        return "clip"
    is_recipe = folded.endswith(RECIPE_SUFFIXES)
    if folded.endswith(DRAWING_SUFFIXES) and not (is_recipe and not _is_lottie(Path(file))):
        return "drawing"
    return "recipe" if is_recipe else None


def _is_lottie(file: Path) -> bool:
    """Whether a file begins as a Lottie animation does."""
    try:
        with open_input(file) as opened:
            head = opened.read(_HEAD)
    except (KinetuneError, OSError):
        return False
    return b'"steps"' not in head and any(key in head for key in (b'"layers"', b'"fr"', b'"ip"'))


def _kind(entry: os.DirEntry[str]) -> str | None:
    try:
        if entry.is_dir():
            return "folder"
        return kind_of(entry.path) if entry.is_file() else None
    except OSError:  # a link that leads nowhere
        return None


def stamp(origin: Origin) -> tuple[int, int]:
    """When a file was changed and how large it is: a file that was exported again is read again."""
    if not origin.is_file:
        return 0, 0
    try:
        stat = os.stat(origin.place)
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size


def one_line(error: KinetuneError) -> str:
    """An error message on one line, for the page.

    An uploaded file goes by its own name, not by the path of our copy. What the command line and Python can do about it
    is left out, but for what the page can do too.
    """
    text = _UPLOADED.sub("", " ".join(str(error).split()))
    text = _IN_PART.sub(lambda match: f"{OPEN_PART if match[1] == 'R' else OPEN_PART.lower()} {match[2]}", text)
    first, *others = _SENTENCE_END.split(_TOGETHER.sub(" too: drop both at once", text))
    return " ".join([first, *(sentence for sentence in others if not _OF_A_PROGRAM.search(sentence))])
