"""What messages about drawings do."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetune.contours.reading.drawing_reader import LOTTIE_SUFFIXES, key_frames
from kinetune.studio.documents.drawing_state import (
    MOST_FPS,
    MOST_FRAMES,
    MOST_KEYS,
    DrawingState,
    GapSettings,
    KeyDrawing,
    MorphSettings,
    PulledPoint,
)
from kinetune.studio.documents.open_documents import AnyDocument
from kinetune.studio.documents.origins import Origin
from kinetune.studio.documents.stack import parameter_label
from kinetune.studio.protocol import messages
from kinetune.studio.protocol.message_parts import MessageError, OnDocument
from kinetune.studio.protocol.wire import pack
from kinetune.studio.rooms.drawing_room import DrawingRoom, choices, contour_of, described
from kinetune.studio.server.session import Session

if TYPE_CHECKING:
    from kinetune.studio.studio import Studio


def new_drawing(studio: Studio, keys: Sequence[Origin], name: str | None = None) -> AnyDocument:
    """A new document; raises if a drawing cannot be read. A Lottie animation alone gives all its key drawings."""
    if len(keys) == 1 and keys[0].place.lower().endswith(LOTTIE_SUFFIXES):
        state = _lottie_film(keys[0])
    else:
        state = DrawingState((KeyDrawing(keys[0]),))
        for origin in keys[1:]:
            state = state.insert(len(state.keys), KeyDrawing(origin))
    for key in state.keys:
        studio.origins.drawing(key.origin)
    return studio.library.add("drawing", name or _name(state), state)


def _lottie_film(origin: Origin) -> DrawingState:
    """One key drawing wherever anything in the animation has a key, as far apart as there."""
    frames, fps = key_frames(origin.place)
    if len(frames) > MOST_KEYS:
        raise MessageError("refused", f"{origin.label} has {len(frames)} key drawings; a film has at most {MOST_KEYS}.")
    keys = tuple(KeyDrawing(replace(origin, reading=(("frame", frame),))) for frame in frames)
    pace = min(fps, MOST_FPS)
    counts = (round((b - a) * pace / fps) + 1 for a, b in pairwise(frames))
    gaps = tuple(GapSettings(frames=min(max(count, 2), MOST_FRAMES)) for count in counts)
    return DrawingState(keys, gaps or (GapSettings(),), MorphSettings(fps=pace))


def _name(state: DrawingState) -> str:
    """The default name of a document."""
    first, last = state.keys[0].origin.stem, state.keys[-1].origin.stem
    return first if len(state.keys) == 1 else f"{first} to {last}"


def handlers(studio: Studio) -> dict[str, Any]:
    """Messages about drawings."""

    async def new(session: Session, message: messages.NewDrawing) -> None:
        keys = [studio.origins.find(source) for source in message.keys]
        document = await asyncio.to_thread(new_drawing, studio, keys, message.name)
        session.done(message, doc=document.id)

    def put(room: DrawingRoom, session: Session, message: OnDocument, state: DrawingState, label: str) -> None:
        """Other keys; a name that was made from them follows."""
        if room.document.name == _name(room.document.state):
            room.document.name = _name(state)
        room.edit(session, message, state, label)

    async def other(session: Session, message: messages.ReplaceDrawing) -> None:
        room = studio.drawing_room(message.doc)
        origin = studio.origins.find(message.source)
        await asyncio.to_thread(studio.origins.drawing, origin)
        state = room.document.state.replace_key(message.key, KeyDrawing(origin))
        put(room, session, message, state, f"Drawing {origin.label}")

    async def insert(session: Session, message: messages.InsertDrawing) -> None:
        room = studio.drawing_room(message.doc)
        if (message.source is None) == (message.copy_of is None):
            raise MessageError("bad_field", "Name a source, or the drawing to copy.", where="source")
        if message.source is not None:
            key = KeyDrawing(studio.origins.find(message.source))
            await asyncio.to_thread(studio.origins.drawing, key.origin)
        else:
            key = room.document.state.key(message.copy_of or 0)
        state = room.document.state.insert(message.at, key)
        put(room, session, message, state, f"Add drawing {key.origin.label}")

    async def move(session: Session, message: messages.MoveDrawing) -> None:
        room = studio.drawing_room(message.doc)
        put(
            room, session, message, room.document.state.move(message.key, message.to), f"Move drawing {message.key + 1}"
        )

    async def remove(session: Session, message: messages.RemoveDrawing) -> None:
        room = studio.drawing_room(message.doc)
        put(room, session, message, room.document.state.remove(message.key), f"Remove drawing {message.key + 1}")

    async def settings(session: Session, message: messages.SetDrawing) -> None:
        room = studio.drawing_room(message.doc)
        state = room.document.state.with_settings(message.set, message.gap)
        room.edit(session, message, state, f"Morph: {', '.join(parameter_label(name).lower() for name in message.set)}")

    async def drag(session: Session, message: messages.DragContour) -> None:
        room = studio.drawing_room(message.doc)
        history = room.document.history
        if history.is_dragged_by(session) and not message.drag:
            history.cancel()  # the message that ends a drag says the same as the drag did: one step, not two
        # A drag says how far the point is from where the drag began, so it starts from there each time.
        begun = history.entries[history.at].state if history.is_dragged_by(session) else history.state
        key = begun.key(message.key)
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
        room.edit(session, message, begun.with_key(message.key, changed), "Bend a curve")

    async def points(session: Session, message: messages.AskControlPoints) -> None:
        room = studio.drawing_room(message.doc)
        state = room.document.state

        def work() -> bytes:
            drawing = room.key(state.key(message.key))
            descriptor = described(drawing, message.layer, message.contour, message.points)
            curve = descriptor.contour()
            header = {
                "type": "points",
                "doc": message.doc,
                "id": message.id,
                "edit": room.document.edit,
                "key": message.key,
                "layer": message.layer,
                "contour": message.contour,
                "closed": curve.closed,
                "choices": choices(contour_of(drawing, message.layer, message.contour)),
            }
            sweep = descriptor.sweep().points
            return pack(header, {"control": descriptor.control_points, "sweep": sweep, "curve": curve.points})

        room.ask(session, message, work)

    async def matches(session: Session, message: messages.AskMatches) -> None:
        room = studio.drawing_room(message.doc)
        state = room.document.state

        def work() -> bytes:
            rows, layers = room.matches(state, message.gap, message.points)
            header = {"type": "matches", "doc": message.doc, "id": message.id, "edit": room.document.edit}
            return pack({**header, "gap": message.gap}, {"pairs": rows, "layers": np.array(layers, dtype=float)})

        room.ask(session, message, work)

    return {
        "drawing.new": new,
        "drawing.replace": other,
        "drawing.insert": insert,
        "drawing.move": move,
        "drawing.remove": remove,
        "drawing.set": settings,
        "drawing.drag": drag,
        "drawing.points": points,
        "drawing.matches": matches,
    }
