"""The documents by their ids, each with its state, its undo history and the view that the page saves."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, Literal, TypeVar

from kinetune.errors import excerpt, quoted
from kinetune.studio.documents._history import Entry, History
from kinetune.studio.documents.autosave import Autosave, DataFolder
from kinetune.studio.documents.drawing_state import DrawingState
from kinetune.studio.documents.stack import Stack
from kinetune.studio.protocol.answers import DocumentLine
from kinetune.studio.protocol.message_parts import MOST_VIEW_BYTES, MessageError
from kinetune.studio.protocol.wire import plain_json

State = TypeVar("State", Stack, DrawingState)
Kind = Literal["motion", "drawing"]
_VERSION = 1


class Document(Generic[State]):
    """One document.

    edit : a number that rises with every change.
    saved_edit : the change up to which it is on the disk.
    """

    def __init__(
        self, id: str, kind: Kind, name: str, history: History[State], view: dict[str, Any] | None = None
    ) -> None:
        self.id, self.kind, self.name = id, kind, name
        self.history: History[State] = history
        self.view: dict[str, Any] = view or {}
        self.edit = 1
        self.saved_edit = 0
        self.changed_at = time.time()
        self.saved_path: str | None = None

    @property
    def state(self) -> State:
        """The current state, a drag included."""
        return self.history.state

    def save_view(self, changes: Mapping[str, Any]) -> None:
        """Save the camera, selection and panels of the page with the document."""
        view = {**self.view, **changes}
        view = {key: value for key, value in view.items() if value is not None}
        if len(plain_json(view)) > MOST_VIEW_BYTES:
            raise MessageError("refused", f"The view of a document may take {MOST_VIEW_BYTES >> 10} KiB, not more.")
        self.view = view

    def line(self) -> DocumentLine:
        """The document in a list."""
        return {
            "doc": self.id,
            "kind": self.kind,
            "name": self.name,
            "changed": self.changed_at,
            "summary": self.state.summary(),
        }

    def as_plain(self) -> dict[str, Any]:
        return {
            "doc": self.id,
            "version": _VERSION,
            "kind": self.kind,
            "name": self.name,
            "changed": self.changed_at,
            "saved_path": self.saved_path,
            "view": self.view,
            "history": self.history.as_plain(lambda state: state.as_plain()),
        }


AnyDocument = Document[Stack] | Document[DrawingState]


class Library:
    """All documents of a studio, and their copies on the disk.

    on_saved : called in the thread of the autosave with the id of a document that it has tried to write.
    """

    def __init__(self, data: DataFolder) -> None:
        self.data = data
        self._documents: dict[str, AnyDocument] = {}
        self.last: str | None = None
        for plain in data.read_all():
            try:
                if isinstance(plain.get("version"), int) and plain["version"] > _VERSION:
                    newer = (
                        f"it is of version {excerpt(plain['version'], 20)}, and this studio reads version {_VERSION}"
                    )
                    data.problems.append(f"The document {quoted(plain.get('name'))} cannot be opened here ({newer}).")
                    continue
                document = _from_plain(plain)
                plain_json([document.line(), document.as_plain()])
            except Exception as failure:  # the studio starts even with a damaged file
                data.set_aside(plain["doc"], failure)
                continue
            self._documents[document.id] = document
            self.last = document.id
        self.on_saved: Callable[[str], None] = lambda id: None
        self.autosave = Autosave(self._write, lambda id: self.on_saved(id))

    def __iter__(self) -> Iterator[AnyDocument]:
        return iter(sorted(self._documents.values(), key=lambda document: -document.changed_at))

    def __len__(self) -> int:
        return len(self._documents)

    def find(self, id: str) -> AnyDocument:
        if id not in self._documents:
            raise MessageError("unknown_document", f'There is no document "{id[:60]}" in this studio.', doc=id)
        return self._documents[id]

    def motion(self, id: str) -> Document[Stack]:
        document = self.find(id)
        if document.kind != "motion":
            raise MessageError("refused", "This document holds drawings, not a motion.", doc=id)
        return document  # type: ignore[return-value]

    def drawing(self, id: str) -> Document[DrawingState]:
        document = self.find(id)
        if document.kind != "drawing":
            raise MessageError("refused", "This document holds a motion, not drawings.", doc=id)
        return document  # type: ignore[return-value]

    def add(self, kind: Kind, name: str, state: Any) -> AnyDocument:
        """A new document."""
        id = secrets.token_hex(8)
        document: AnyDocument = Document(id, kind, name, History([Entry(f"Open {name}", state)]))
        self._documents[id] = document
        self.changed(document)
        return document

    def forget(self, id: str) -> None:
        """Delete a document for good."""
        self.find(id)
        del self._documents[id]
        self.data.remove(id)

    def changed(self, document: AnyDocument) -> None:
        """Count the change and write it soon."""
        document.edit += 1
        self.touched(document)

    def touched(self, document: AnyDocument) -> None:
        """Write it soon."""
        document.changed_at = time.time()
        self.autosave.changed(document.id)

    def close(self) -> None:
        self.autosave.close()
        self.data.close()

    def _write(self, id: str) -> None:
        document = self._documents.get(id)
        if document is not None:
            edit = document.edit
            self.data.write(id, document.as_plain())
            document.saved_edit = max(document.saved_edit, edit)


def _other_version(plain: Mapping[str, Any]) -> str:
    return f"it is of version {excerpt(plain['version'], 20)}, and this studio reads version {_VERSION}"


def _from_plain(plain: Mapping[str, Any]) -> AnyDocument:
    if plain["version"] != _VERSION:
        raise ValueError(_other_version(plain))
    if not isinstance(plain["name"], str) or not isinstance(plain["saved_path"], str | None):
        raise ValueError("its name is missing")
    if not isinstance(plain["view"], dict):
        raise ValueError("its view is missing")
    document: AnyDocument
    if plain["kind"] == "motion":
        document = Document(
            plain["doc"], "motion", plain["name"], History.from_plain(plain["history"], Stack.from_plain), plain["view"]
        )
    elif plain["kind"] != "drawing":
        raise ValueError("it holds neither a motion nor drawings")
    else:
        drawings = History.from_plain(plain["history"], DrawingState.from_plain)
        document = Document(plain["doc"], "drawing", plain["name"], drawings, plain["view"])
    document.changed_at = float(plain["changed"])
    document.saved_path = plain["saved_path"]
    document.saved_edit = document.edit
    return document
