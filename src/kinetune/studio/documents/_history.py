"""Undo and redo for any value, drags that become one step, and named versions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from kinetune.studio.protocol.message_parts import MessageError

State = TypeVar("State")
_MOST = 300


@dataclass(frozen=True)
class Entry(Generic[State]):
    """A state and the edit that led to it.

    made_at : in Unix seconds; 0 where it is not known.
    gesture : edits of one gesture that follow each other are one entry.
    """

    label: str
    state: State
    made_at: float = field(default_factory=time.time, compare=False)
    gesture: str | None = None


class History(Generic[State]):
    """States in the order of edits, one of which is shown.

    A drag changes the shown state as often as it likes; committed it is one step, cancelled it is none.
    The tab that drags is recorded: an edit by another tab ends the drag first.

    versions : states that were given a name, newest last; they stay when their entry is gone.
    """

    def __init__(
        self, entries: list[Entry[State]], at: int | None = None, versions: dict[str, Entry[State]] | None = None
    ) -> None:
        self.entries = entries
        self.at = len(entries) - 1 if at is None else at
        self.versions: dict[str, Entry[State]] = versions or {}
        self._dragged: tuple[State, str, object] | None = None

    @property
    def state(self) -> State:
        """What is shown now, drag included."""
        return self.entries[self.at].state if self._dragged is None else self._dragged[0]

    @property
    def dragging(self) -> bool:
        return self._dragged is not None

    def is_dragged_by(self, who: object) -> bool:
        """Whether a drag is under way, by this tab."""
        return self._dragged is not None and self._dragged[2] is who

    def edit(self, state: State, label: str, gesture: str | None = None) -> bool:
        """One more step, or more of the same gesture; a drag before it becomes one of its own.

        False if nothing changed.
        """
        self.commit()
        if state == self.state:
            return False
        same = gesture is not None and self.entries[self.at].gesture == gesture
        if same and self.at == len(self.entries) - 1:
            self.at -= 1
        self.entries[self.at + 1 :] = [Entry(label, state, gesture=gesture)]
        del self.entries[: max(0, len(self.entries) - _MOST)]
        self.at = len(self.entries) - 1
        return True

    def drag(self, state: State, label: str, who: object) -> None:
        """Show a state without a step of undo."""
        if self._dragged is not None and self._dragged[2] is not who:
            self.commit()
        self._dragged = (state, label, who)

    def commit(self, label: str | None = None) -> bool:
        """The drag is a step; False if there was none, or it came back to where it began."""
        if self._dragged is None:
            return False
        state, drag_label, _ = self._dragged
        self._dragged = None
        return self.edit(state, label or drag_label)

    def cancel(self) -> bool:
        """As before the drag."""
        was, self._dragged = self._dragged, None
        return was is not None

    def undo(self, count: int = 1) -> bool:
        """Back by some steps; an unfinished drag is taken back first of all."""
        if self.cancel():
            count -= 1
        before, self.at = self.at, max(0, self.at - count)
        return before != self.at or count == 0

    def redo(self, count: int = 1) -> bool:
        self.commit()
        before, self.at = self.at, min(len(self.entries) - 1, self.at + count)
        return before != self.at

    def name_version(self, name: str, entry: int | None = None) -> None:
        """Give what is shown, or an entry, a name; another version of that name is replaced."""
        self.commit()
        named = self.entries[self.at if entry is None else entry]
        self.versions = {**{each: known for each, known in self.versions.items() if each != name}, name: named}

    def version(self, name: str) -> Entry[State]:
        """The version of that name."""
        if name not in self.versions:
            raise MessageError("unknown_name", f'This document has no version "{name[:60]}".')
        return self.versions[name]

    def remove_version(self, name: str) -> None:
        self.version(name)
        self.versions = {each: known for each, known in self.versions.items() if each != name}

    def entry_of(self, name: str) -> int | None:
        """The newest entry that says what a version says."""
        state = self.versions[name].state
        numbers = range(len(self.entries) - 1, -1, -1)
        return next((number for number in numbers if self.entries[number].state == state), None)

    @property
    def undo_label(self) -> str | None:
        if self._dragged is not None:
            return self._dragged[1]
        return self.entries[self.at].label if self.at > 0 else None

    @property
    def redo_label(self) -> str | None:
        return self.entries[self.at + 1].label if self.at + 1 < len(self.entries) else None

    def as_plain(self, plain: Callable[[State], Any]) -> dict[str, Any]:
        """JSON-ready; a drag in progress counts as finished."""
        # Read by the thread that saves, while others edit: each part once, and none taken for granted.
        dragged, entries = self._dragged, list(self.entries)
        at = min(self.at, len(entries) - 1)
        if dragged is not None and dragged[0] != entries[at].state:
            entries[at + 1 :] = [Entry(dragged[1], dragged[0])]
            at += 1
        saved = {
            "entries": [[entry.label, plain(entry.state), entry.made_at] for entry in entries],
            "at": at,
        }
        versions = [[name, entry.label, plain(entry.state), entry.made_at] for name, entry in self.versions.items()]
        return {**saved, **({"versions": versions} if versions else {})}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], make: Callable[[Any], State]) -> History[State]:
        entries = [
            Entry(str(label), make(state), float(made_at[0]) if made_at else 0.0)
            for label, state, *made_at in plain["entries"]
        ]
        versions = {
            str(name): Entry(str(label), make(state), float(made_at))
            for name, label, state, made_at in plain.get("versions", ())
        }
        return cls(entries, min(max(int(plain["at"]), 0), len(entries) - 1), versions)
