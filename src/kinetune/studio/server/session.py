"""One socket: messages in, in order; answers out, an old motion replaced by a newer one."""

from __future__ import annotations

import asyncio
import itertools
import sys
import traceback
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from kinetune.errors import FileError, KinetuneError, UnknownNameError
from kinetune.studio.documents.origins import one_line
from kinetune.studio.protocol.message_parts import Message, MessageError
from kinetune.studio.protocol.messages import read_message
from kinetune.studio.protocol.wire import plain_json

if TYPE_CHECKING:
    from kinetune.studio.rooms.room import Room

_MOST_WAITING = 2_000
_INTERNAL = "Something went wrong inside the studio; the document is as it was. The terminal shows what happened."


class Session:
    """A tab of the browser.

    rooms : documents that it has open.
    taken : the number of the newest message that was taken up; messages are taken up one after another.
    """

    def __init__(self, socket: WebSocket, handle: Callable[[Session, Message], Awaitable[None]]) -> None:
        self._socket, self._handle = socket, handle
        self.rooms: dict[str, Room] = {}
        self.taken = 0
        self._outbox: OrderedDict[Hashable, str | bytes] = OrderedDict()
        self._ready = asyncio.Event()
        self._count = itertools.count()
        self._open = True

    async def run(self) -> None:
        """Serve the socket until it closes; its documents are always released."""
        await self._socket.accept()
        sender = asyncio.create_task(self._send_all())
        try:
            while True:
                received = await self._socket.receive()
                if received["type"] == "websocket.disconnect":
                    break
                text = received.get("text")
                await self._take(received.get("bytes") or b"" if text is None else text)
        except WebSocketDisconnect:
            pass
        finally:
            self._open = False
            sender.cancel()
            for room in list(self.rooms.values()):
                room.leave(self)
            self.rooms.clear()
            self._outbox.clear()

    async def _take(self, text: str | bytes) -> None:
        message: Message | None = None
        id: int | None = None
        doc: str | None = None
        try:
            message = read_message(text)
            id, doc = message.id, getattr(message, "doc", None)
            self.taken = id
            await self._handle(self, message)
        except KinetuneError as error:
            self.refuse(error, id, doc, getattr(message, "step", None), _knob(message))
        except Exception:  # a bug in one handler must not close the socket
            traceback.print_exc(file=sys.stderr)
            self.send_json({"type": "error", "id": id, "doc": doc, "code": "internal", "message": _INTERNAL})

    # --- answers

    def send_json(self, answer: dict[str, Any], newest: Hashable = None) -> None:
        """Send JSON. With ``newest``, it takes the place of an older answer of that name that is still queued.

        So a ``done`` never overtakes the ``document`` that says what was done.
        """
        self._put(plain_json(answer), newest)

    def send_frame(self, frame: bytes, newest: Hashable = None) -> None:
        """Send a binary frame. With ``newest``, an older one of that name that is still queued is dropped."""
        self._outbox.pop(newest, None)  # not in its place: a skeleton that the new one needs may be queued behind it
        self._put(frame, newest)

    def done(self, message: Message, **more: Any) -> None:
        """The answer to a message that was obeyed."""
        doc = getattr(message, "doc", None)
        about = {} if doc is None else {"doc": doc}
        self.send_json({"type": "done", "id": message.id, **about, **more})

    def refuse(
        self, error: KinetuneError, id: int | None, doc: str | None, step: str | None = None, where: str | None = None
    ) -> None:
        """The answer to a message that was not.

        step, where : the step and the parameter that it was about.
        """
        answer: dict[str, Any] = {"type": "error", "id": id, "doc": doc, "code": code_of(error)}
        answer |= {"message": one_line(error), "where": where, "step": step}
        if isinstance(error, MessageError):
            answer["where"] = error.where or where
            answer["id"] = id if id is not None else error.id
            answer["doc"] = doc if doc is not None else error.doc
        self.send_json(answer)

    def _put(self, payload: str | bytes, newest: Hashable) -> None:
        if not self._open:
            return
        key = next(self._count) if newest is None else newest
        self._outbox[key] = payload
        self._ready.set()

    async def _send_all(self) -> None:
        while True:
            await self._ready.wait()
            self._ready.clear()
            while self._outbox:
                if len(self._outbox) > _MOST_WAITING:  # a tab that does not read: it comes back and asks again
                    await self._socket.close(1013)
                    return
                _, payload = self._outbox.popitem(last=False)
                try:
                    if isinstance(payload, str):
                        await self._socket.send_text(payload)
                    else:
                        await self._socket.send_bytes(payload)
                except (WebSocketDisconnect, RuntimeError):  # it has gone while we wrote
                    return


def _knob(message: Message | None) -> str | None:
    """The one parameter that a message sets, if it is one."""
    knobs, path = getattr(message, "knobs", None), getattr(message, "path", None)
    if isinstance(knobs, dict) and len(knobs) == 1:
        return str(next(iter(knobs)))
    return str(path[0]) if isinstance(path, tuple) else None


def code_of(error: KinetuneError) -> str:
    """The error code of the protocol."""
    if isinstance(error, MessageError):
        return error.code
    if isinstance(error, FileError):
        return "file"
    return "unknown_name" if isinstance(error, UnknownNameError) else "refused"
