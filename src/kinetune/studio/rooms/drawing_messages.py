"""What messages about drawings do."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kinetune.studio.documents.drawing_state import DrawingState, KeyDrawing, PulledPoint
from kinetune.studio.documents.open_documents import AnyDocument
from kinetune.studio.documents.origins import Origin
from kinetune.studio.documents.stack import parameter_label
from kinetune.studio.protocol import messages
from kinetune.studio.protocol.wire import pack
from kinetune.studio.rooms.drawing_room import choices, contour_of, described, drawing_findings, pack_drawings
from kinetune.studio.server.session import Session

if TYPE_CHECKING:
    from kinetune.studio.studio import Studio


def new_drawing(studio: Studio, a: Origin, b: Origin | None, name: str | None = None) -> AnyDocument:
    """A new document; raises if a drawing cannot be read."""
    studio.origins.drawing(a)
    if b is not None:
        studio.origins.drawing(b)
    state = DrawingState(KeyDrawing(a), None if b is None else KeyDrawing(b))
    return studio.library.add("drawing", name or _name(state), state)


def _name(state: DrawingState) -> str:
    """The default name of a document."""
    a, b = state.a.origin.stem, state.b
    return a if b is None else f"{a} to {b.origin.stem}"


def handlers(studio: Studio) -> dict[str, Any]:
    """Messages about drawings."""

    async def new(session: Session, message: messages.NewDrawing) -> None:
        a = studio.origins.find(message.a)
        b = None if message.b is None else studio.origins.find(message.b)
        document = await asyncio.to_thread(new_drawing, studio, a, b, message.name)
        session.done(message, doc=document.id)

    async def other(session: Session, message: messages.ReplaceDrawing) -> None:
        room = studio.drawing_room(message.doc)
        origin = studio.origins.find(message.source)
        await asyncio.to_thread(studio.origins.drawing, origin)
        state = room.document.state.with_key(message.which, KeyDrawing(origin))
        if room.document.name == _name(room.document.state):
            room.document.name = _name(state)
        # Pins and layer pairs belong to the drawing that has gone.
        cleared = state.settings.model_copy(update={"pins": (), "layers": {}})
        room.edit(session, message, replace(state, settings=cleared), f"Drawing {origin.label}")

    async def settings(session: Session, message: messages.SetDrawing) -> None:
        room = studio.drawing_room(message.doc)
        state = room.document.state.with_settings(message.set)
        room.edit(session, message, state, f"Morph: {', '.join(parameter_label(name).lower() for name in message.set)}")

    async def drag(session: Session, message: messages.DragContour) -> None:
        room = studio.drawing_room(message.doc)
        history = room.document.history
        if history.is_dragged_by(session) and not message.drag:
            history.cancel()  # the message that ends a drag says the same as the drag did: one step, not two
        # A drag says how far the point is from where the drag began, so it starts from there each time.
        begun = history.entries[history.at].state if history.is_dragged_by(session) else history.state
        key = begun.key(message.which)
        pulled = PulledPoint(
            layer=message.layer,
            contour=message.contour,
            points=message.points,
            index=message.index,
            by=message.by,
            detail=message.detail,
        )
        changed = replace(key, pulled=(*key.pulled, pulled))
        await asyncio.to_thread(room.key, changed)
        room.edit(session, message, begun.with_key(message.which, changed), "Bend a curve")

    async def points(session: Session, message: messages.AskControlPoints) -> None:
        room = studio.drawing_room(message.doc)
        state = room.document.state

        def work() -> bytes:
            drawing = room.key(state.key(message.which))
            descriptor = described(drawing, message.layer, message.contour, message.points)
            curve = descriptor.contour()
            header = {
                "type": "points",
                "doc": message.doc,
                "id": message.id,
                "edit": room.document.edit,
                "which": message.which,
                "layer": message.layer,
                "contour": message.contour,
                "closed": curve.closed,
                "choices": choices(contour_of(drawing, message.layer, message.contour)),
            }
            sweep = descriptor.sweep().points
            return pack(header, {"control": descriptor.control_points, "sweep": sweep, "curve": curve.points})

        room.ask(session, message, work)

    async def at(session: Session, message: messages.AskDrawingAt) -> None:
        room = studio.drawing_room(message.doc)
        state = room.document.state

        def work() -> bytes:
            film = room.at(state, message.t)
            header = {"type": "film", "doc": message.doc, "id": message.id, "edit": room.document.edit}
            header |= {"fps": state.settings.fps, "findings": drawing_findings(film.notes), "single": True}
            return pack_drawings(header, film, [message.t])

        room.ask(session, message, work)

    return {
        "drawing.new": new,
        "drawing.replace": other,
        "drawing.set": settings,
        "drawing.drag": drag,
        "drawing.points": points,
        "drawing.at": at,
    }
