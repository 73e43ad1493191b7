"""What the index of a folder says about its files, for the list of files: length, motion, and a search."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kinetune.body.clip import Clip
from kinetune.errors import KinetuneError
from kinetune.library import MotionIndex, find_like, find_text
from kinetune.library.index_file import IndexedClip, index_path

_MOST_SIMILAR = 60


@dataclass(frozen=True)
class FolderIndex:
    """The index of the folder that a studio was started on, where there is one.

    notice : what a user should know about it: it cannot be used, or the folder has changed since.
    """

    root: Path
    index: MotionIndex | None = None
    notice: str | None = None

    @classmethod
    def open(cls, root: Path) -> FolderIndex:
        """The index of a folder; without one, or with a damaged one, files are listed all the same."""
        if not index_path(root).is_file():
            return cls(root)
        try:
            index = MotionIndex.open(root)
        except KinetuneError:
            return cls(root, notice="The index of this folder cannot be used. Index the folder anew.")
        changes = index.changes()
        return cls(root, index, f"Changed since it was indexed: {changes}." if changes else None)

    @property
    def indexed(self) -> bool:
        """Whether the folder can be searched."""
        return self.index is not None

    def about(self, file: Path) -> dict[str, Any]:
        """Length and motion of a clip; nothing where they are not known."""
        known = None if self.index is None else self.index.find(file.relative_to(self.root).as_posix())
        return {} if known is None else _described(known)

    def similar(self, clip: Clip, start_s: float | None, stop_s: float | None) -> list[dict[str, Any]]:
        """The clips that are most like one, or like a part of it, best first."""
        assert self.index is not None
        entries = []
        for match in find_like(self.index, clip, start_s=start_s, stop_s=stop_s, count=_MOST_SIMILAR):
            known, file = self.index.find(match.name), self.root / match.name
            if known is not None and file.is_file():
                apart = {"apart_cm": round(match.distance_cm, 2)}
                entries.append({**_entry(file, match.name), **_described(known), **apart})
        return entries

    def search(self, here: Path, text: str) -> list[dict[str, Any]]:
        """The clips of a folder and below whose name contains a text, and those that it describes."""
        assert self.index is not None
        folded = text.strip().casefold()
        clips = [clip for clip in self.index.clips if folded in clip.name.casefold()]
        try:
            named = {clip.name for clip in clips}
            clips += [clip for clip in find_text(self.index, text) if clip.name not in named]
        except KinetuneError:
            if not clips:
                raise
        entries = []
        for clip in clips:
            file = self.root / clip.name
            if file.is_relative_to(here) and file.is_file():
                name = file.relative_to(here).as_posix()
                entries.append({**_entry(file, name), **_described(clip)})
        return entries


def _entry(file: Path, name: str) -> dict[str, Any]:
    return {"name": name, "path": str(file), "kind": "clip", "bytes": file.stat().st_size}


def _described(clip: IndexedClip) -> dict[str, Any]:
    assert clip.facts is not None
    facts = clip.facts
    slide = {} if facts.foot_slide_mm is None else {"slide_mm": facts.foot_slide_mm}
    return {"seconds": facts.duration_s, "motion": facts.label(), "skeleton": facts.skeleton, **slide}
