"""One studio: its documents, the rooms in which they are looked at, its threads and its jobs."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from kinetune.studio.documents.autosave import DataFolder
from kinetune.studio.documents.favourites import Favourites
from kinetune.studio.documents.open_documents import AnyDocument, Document, Library
from kinetune.studio.documents.origins import Origin, Origins
from kinetune.studio.documents.stack import Stack
from kinetune.studio.documents.uploads import Uploads
from kinetune.studio.evaluate.thumbnails import Thumbnails
from kinetune.studio.rooms.background_jobs import Jobs
from kinetune.studio.rooms.drawing_room import DrawingRoom
from kinetune.studio.rooms.motion_room import MotionRoom
from kinetune.studio.rooms.room import Room

if TYPE_CHECKING:
    from kinetune.studio.protocol.answers import Hello

_THREADS = 4
FIRST_SAMPLE = "sample:walk"


class Studio:
    """What the server holds.

    Parameters
    ----------
    data : where documents are saved.
    folder : whose files may be opened, or None.

    Attributes
    ----------
    first : the document that a page opens by itself, once it is known.
    browse : whether the first page should list the folder.
    """

    def __init__(self, data: Path, folder: Path | None = None) -> None:
        self.data = DataFolder(data)
        self.data.tidy()
        self.library = Library(self.data)
        self.origins = Origins(folder, Uploads(data / "uploads"))
        self.favourites = Favourites(data / "favourites.json")
        self.thumbnails = Thumbnails(self.origins)
        self.pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="studio")
        self.jobs = Jobs()
        self.rooms: dict[str, Room] = {}
        self.first_start = len(self.library) == 0
        self.first: str | None = None
        self.browse = False

    def room(self, id: str) -> Room:
        """The room of a document."""
        document = self.library.find(id)
        if id not in self.rooms:
            self.rooms[id] = self._furnish(document)
        return self.rooms[id]

    def motion_room(self, id: str) -> MotionRoom:
        self.library.motion(id)
        room = self.room(id)
        assert isinstance(room, MotionRoom)
        return room

    def drawing_room(self, id: str) -> DrawingRoom:
        self.library.drawing(id)
        room = self.room(id)
        assert isinstance(room, DrawingRoom)
        return room

    def _furnish(self, document: AnyDocument) -> Room:
        if document.kind == "motion":
            return MotionRoom(document, self.library, self.pool, self.origins)  # type: ignore[arg-type]
        return DrawingRoom(document, self.library, self.pool, self.origins)  # type: ignore[arg-type]

    def new_motion(self, origin: Origin, name: str | None = None) -> Document[Stack]:
        """A new document for a clip; raises if it cannot be read."""
        self.origins.clip(origin)
        return self.library.add("motion", name or origin.stem, Stack(origin))  # type: ignore[return-value]

    def welcome(self) -> str:
        """The document that a page opens by itself: the one asked for, the last one, or a sample on first start."""
        if self.first is None:
            self.first = self.library.last
        if self.first is None or self.first not in {document.id for document in self.library}:
            self.first = self.new_motion(Origin(FIRST_SAMPLE)).id
        return self.first

    def warm_up(self) -> None:
        """Load the compiled kernels in the background, so that no edit waits for them."""

        def work() -> None:
            from kinetune.kernels.loader import mode, warm_up
            from kinetune.operations import OPERATIONS

            list(OPERATIONS.values())  # imports them all: each declares its kernels
            if mode() != "never":
                warm_up()
            from kinetune.samples.sample_walk import sample_steps

            sample_steps()  # takes seconds the first time

        threading.Thread(target=work, name="warm-up", daemon=True).start()

    def send_saved(self, id: str) -> None:
        """Send the tabs of a document up to which edit it is on the disk, or why it is not."""
        room = self.rooms.get(id)
        if room is not None:
            saved = {
                "type": "saved",
                "doc": id,
                "edit": room.document.saved_edit,
                "problem": self.library.autosave.problem,
            }
            room.broadcast(saved, "saved")

    def hello(self) -> Hello:
        """Samples, formats, documents: the answer of ``/api/hello``."""
        from kinetune.studio.protocol.catalogue import catalogue

        first, self.first_start = self.first_start, False  # a page that is loaded again needs no welcome
        browse, self.browse = self.browse, False
        return {
            **catalogue(),
            "folder": None if self.origins.folder is None else str(self.origins.folder),
            "open": self.welcome(),
            "first_start": first,
            "browse": browse,
            "documents": [document.line() for document in self.library],
            "problems": list(self.data.problems),
        }

    def close(self) -> None:
        """Stop jobs, write what is left, release the folder."""
        self.jobs.cancel_all()
        for room in self.rooms.values():
            room.close()
        self.pool.shutdown(wait=True, cancel_futures=True)
        self.library.close()
