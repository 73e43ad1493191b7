"""An open document: its tabs, their frames, and when it is evaluated again."""

from __future__ import annotations

import asyncio
import sys
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from kinetune.errors import KinetuneError
from kinetune.studio.documents.open_documents import AnyDocument, Library
from kinetune.studio.protocol.message_parts import Message, MessageError
from kinetune.studio.server.session import Session

Result = TypeVar("Result")
REST_S = 0.15
"""After the last change, before the whole clip is computed."""
SLOW_S = 0.5
"""Work that takes longer is announced."""
_PACE_S = 0.2


@dataclass
class Seat:
    """A tab in a room: where its playhead is, and whether it needs rotations."""

    frame: int = 0
    rotations: bool = False


def _noticed(working: asyncio.Future[Any]) -> None:
    """Retrieve how work ended, so that asyncio does not complain when its room was closed meanwhile."""
    if not working.cancelled():
        working.exception()


class Room(ABC):
    """A document with the tabs that have it open; subclasses say what there is to compute.

    pool : threads in which work is done, so that the socket is never kept waiting.
    """

    def __init__(self, document: AnyDocument, library: Library, pool: ThreadPoolExecutor) -> None:
        self.document, self.library, self.pool = document, library, pool
        self.seats: dict[Session, Seat] = {}
        self.last_id: int | None = None
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._asked: dict[str, tuple[Session, Message, Callable[[], bytes | dict[str, Any]]]] = {}
        self._asking: set[str] = set()
        self._answering: set[asyncio.Task[None]] = set()  # or they might be garbage-collected while they wait

    # --- who is here

    def enter(self, session: Session, seat: Seat) -> None:
        """A tab opens the document."""
        self.seats[session] = seat
        session.rooms[self.document.id] = self
        if self._task is None:
            self._task = asyncio.create_task(self._work())

    def leave(self, session: Session) -> None:
        """A tab closes; what it was dragging stays as it is."""
        if self.document.history.is_dragged_by(session):
            self.commit()
        self.seats.pop(session, None)
        session.rooms.pop(self.document.id, None)
        for kind, (asker, message, _) in list(self._asked.items()):
            if asker is session:
                del self._asked[kind]
                gone = MessageError("busy", "The document was closed before this was answered.")
                asker.refuse(gone, message.id, self.document.id)
        if not self.seats and self._task is not None:
            self._task.cancel()
            self._task = None
            self.rest()

    def rest(self) -> None:  # noqa: B027 (most rooms keep nothing)
        """No tab is left: drop what can be computed again."""

    def close(self) -> None:
        """The studio stops: give up what is not answered yet."""
        for task in (self._task, *self._answering):
            if task is not None:
                task.cancel()

    def broadcast(self, answer: dict[str, Any], newest: str | None = None) -> None:
        for session in self.seats:
            session.send_json(answer, None if newest is None else (newest, self.document.id))

    def describe(self) -> dict[str, Any]:
        """The ``document`` answer."""
        document, history = self.document, self.document.history
        return {
            "type": "document",
            "doc": document.id,
            "kind": document.kind,
            "edit": document.edit,
            "name": document.name,
            "saved_edit": document.saved_edit,
            "dragging": history.dragging,
            "undo": history.undo_label,
            "redo": history.redo_label,
            "history": [entry.label for entry in history.entries],
            "times": [entry.made_at for entry in history.entries],
            "at": history.at,
            "versions": [
                {"name": name, "label": entry.label, "made_at": entry.made_at, "entry": history.entry_of(name)}
                for name, entry in history.versions.items()
            ],
            "view": document.view,
        }

    # --- changes

    def changed(self, message: Message | None = None) -> None:
        """The document differs: save it, send it to all tabs, evaluate it."""
        self.library.changed(self.document)
        self.last_id = self.last_id if message is None else message.id
        if not self.document.history.dragging:
            self.send_document()
        self._wake.set()

    def edit(self, session: Session, message: Any, state: Any, label: str, **more: Any) -> None:
        """Put another state in place, as a step of its own or as part of a drag.

        message : its ``drag``, where it has one, says which; edits of one ``gesture`` are one step.
        more : goes into the ``done`` of an edit.
        """
        history = self.document.history
        if getattr(message, "drag", False):
            if state != history.state:
                history.drag(state, label, session)
                self.changed(message)
            else:  # a drag that came back to its start waits for an answer all the same
                self.wake(message)
            return
        dragged = history.dragging
        if history.edit(state, message.label or label, message.gesture) or dragged:
            self.changed(message)
        session.done(message, edit=self.document.edit, **more)

    def send_document(self) -> None:
        """Describe the document to all tabs, and say to each which of its messages the description includes."""
        answer = self.describe()
        for session in self.seats:
            session.send_json({**answer, "taken": session.taken}, ("document", self.document.id))

    def wake(self, message: Message | None = None) -> None:
        """Answer, though the document has not changed."""
        self.last_id = self.last_id if message is None else message.id
        self._wake.set()

    def commit(self, label: str | None = None, message: Message | None = None) -> None:
        """End a drag."""
        if self.document.history.dragging:
            self.document.history.commit(label)
            self.changed(message)

    # --- work

    @abstractmethod
    async def answer(self) -> None:
        """Evaluate the newest state and send it. Called again after every change."""

    async def _work(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                await self.answer()
            except KinetuneError as error:
                for session in self.seats:
                    session.refuse(error, None, self.document.id)
            except Exception:  # a bug: should this task end, the document would be dead for every tab
                traceback.print_exc(file=sys.stderr)
                self.broadcast(
                    {
                        "type": "error",
                        "id": None,
                        "doc": self.document.id,
                        "code": "internal",
                        "message": "This state could not be computed; undo the last edit. The terminal shows why.",
                    }
                )

    async def rested(self) -> bool:
        """Wait until nothing has changed for a moment; False if something has."""
        try:
            async with asyncio.timeout(REST_S):  # wait_for may take a cancellation for an answer before Python 3.12
                await self._wake.wait()
        except TimeoutError:
            return True
        return False

    async def in_thread(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self.pool, work)

    async def announced(self, text: str, work: Callable[[], Result]) -> Result:
        """The same; slow work is announced as a job that can be cancelled once it reports its progress."""
        working = asyncio.ensure_future(self.in_thread(work))
        working.add_done_callback(_noticed)
        done, _ = await asyncio.wait([working], timeout=SLOW_S)
        if done:
            return working.result()
        notice = {"type": "job", "job": self.notice, "doc": self.document.id, "id": self.last_id}
        notice |= {"text": text, "left_s": None, "step": None, "url": None, "message": None}
        try:
            while not done:
                self.broadcast({**notice, "share": self.share(), "state": "running"}, "notice")
                done, _ = await asyncio.wait([working], timeout=_PACE_S)
            return working.result()
        finally:
            self.broadcast({**notice, "share": 1.0, "state": "done"}, "notice")

    @property
    def notice(self) -> str:
        """The name under which work is announced that takes a while: one for all that an edit takes."""
        return f"work-{self.document.edit}-{self.document.id}"

    def announces(self, job: str) -> bool:
        """Whether work for this or an older edit is announced under a name."""
        return job.startswith("work-") and job.endswith(f"-{self.document.id}")

    def share(self) -> float | None:
        """How much of the announced work is done; None where that is not known."""
        return None

    def halt(self) -> None:  # noqa: B027 (most work is over before anybody wants that)
        """Give the announced work up."""

    # --- questions of panels

    def ask(self, session: Session, message: Message, work: Callable[[], bytes | dict[str, Any]]) -> None:
        """Answer a question in a thread; a newer one of its type replaces one that waits."""
        kind = message.type
        waiting = self._asked.pop(kind, None)
        if waiting is not None:
            old_session, old, _ = waiting
            old_session.refuse(
                MessageError("busy", "A newer question has replaced this one."), old.id, self.document.id
            )
        self._asked[kind] = (session, message, work)
        if kind not in self._asking:
            self._asking.add(kind)
            task = asyncio.create_task(self._answer_questions(kind))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)

    async def _answer_questions(self, kind: str) -> None:
        try:
            await self._answer_all(kind)
        finally:  # at once: a question that comes before the task is discarded would wait for ever
            self._asking.discard(kind)

    async def _answer_all(self, kind: str) -> None:
        while (waiting := self._asked.pop(kind, None)) is not None:
            session, message, work = waiting
            try:
                answer = await self.in_thread(work)
            except KinetuneError as error:
                session.refuse(error, message.id, self.document.id)
            except Exception:  # a bug in a panel: the page must learn that no answer comes
                traceback.print_exc(file=sys.stderr)
                session.refuse(
                    MessageError("internal", "This could not be computed. The terminal shows why."),
                    message.id,
                    self.document.id,
                )
            else:
                if isinstance(answer, bytes):
                    session.send_frame(answer)
                else:
                    session.send_json(answer)
