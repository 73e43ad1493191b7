"""An open drawing document: its keys at once, the film between them in the background."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from kinetune.contours.descriptor.scale_editing import drag
from kinetune.contours.descriptor.wavelet_descriptor import Descriptor, describe
from kinetune.contours.drawing import Contour, Drawing
from kinetune.contours.gait_cycle import GaitTiming, opposite_layers, walk_cycle, walk_in_time
from kinetune.contours.gaits import gait_film
from kinetune.contours.morphing.morph import Morph, morph_at
from kinetune.contours.sampling import sample_evenly
from kinetune.contours.timing.eases import eased
from kinetune.contours.timing.film_timing import morph_keys, overshoot
from kinetune.errors import ParameterError
from kinetune.findings import Finding
from kinetune.recipes.sources import SAMPLE
from kinetune.signals.wavelets import most_levels
from kinetune.studio.documents.drawing_state import DrawingState, KeyDrawing, MorphSettings, PulledPoint
from kinetune.studio.documents.open_documents import Document, Library
from kinetune.studio.documents.origins import Origin, Origins
from kinetune.studio.protocol.message_parts import MessageError
from kinetune.studio.protocol.wire import pack
from kinetune.studio.rooms.room import Room, Seat
from kinetune.studio.server.session import Session

_SAMPLES = 256
_WAVELET = "spline8"


class DrawingRoom(Room):
    """A drawing document with the tabs that have it open."""

    document: Document[DrawingState]

    def __init__(
        self, document: Document[DrawingState], library: Library, pool: ThreadPoolExecutor, origins: Origins
    ) -> None:
        super().__init__(document, library, pool)
        self.origins = origins
        self._keys: dict[KeyDrawing, Drawing] = {}
        self._lock = threading.Lock()

    def key(self, key: KeyDrawing) -> Drawing:
        """A key drawing with what was pulled."""
        with self._lock:
            known = self._keys.get(key)
        if known is not None:
            return known
        if key.pulled:
            before = self.key(KeyDrawing(key.origin, key.pulled[:-1]))
            drawing = pull_point(before, key.pulled[-1])
        else:
            drawing = self.origins.drawing(key.origin)
        with self._lock:
            if len(self._keys) > 64:
                self._keys.clear()
            self._keys[key] = drawing
        return drawing

    def describe(self) -> dict[str, Any]:
        state = self.document.state
        return {
            **super().describe(),
            "a": self._described(state.a),
            "b": None if state.b is None else self._described(state.b),
            "settings": state.settings.model_dump(mode="json"),
        }

    def _described(self, key: KeyDrawing) -> dict[str, Any]:
        drawing = self.key(key)
        layers = [
            {
                "index": number,
                "name": layer.name,
                "fill": layer.fill,
                "stroke": layer.stroke,
                "contours": len(layer.contours),
                "curves": [{"points": len(contour), "closed": contour.closed} for contour in layer.contours],
                "points": sum(len(contour) for contour in layer.contours),
            }
            for number, layer in enumerate(drawing.layers)
        ]
        return {
            "label": key.origin.label,
            "view_box": list(drawing.view_box),
            "edited": bool(key.pulled),
            "layers": layers,
            "findings": drawing_findings(drawing.notes),
            "opposites": opposite_layers(drawing),
        }

    def enter(self, session: Session, seat: Seat) -> None:
        super().enter(session, seat)
        session.send_json(self.describe())
        self.wake()

    def rest(self) -> None:
        self._keys.clear()

    async def answer(self) -> None:
        edit, state = self.document.edit, self.document.state
        keys = await self.in_thread(lambda: [self.key(key) for key in (state.a, state.b) if key is not None])
        head = {"doc": self.document.id, "edit": edit, "id": self.last_id}
        shown = pack_drawings({"type": "drawings", **head}, keys, [0.0, 1.0][: len(keys)])
        for session in list(self.seats):
            session.send_frame(shown, ("drawings", self.document.id))
        if state.b is None:
            return
        film = await self.announced("Drawing in-betweens", lambda: self.film(state))
        settings = state.settings
        times = _times(settings, len(film))
        header = {"type": "film", **head, "fps": settings.fps, "findings": drawing_findings(film.notes), "drag": False}
        frame = await self.in_thread(lambda: pack_drawings(header, film, times))
        for session in list(self.seats):
            session.send_frame(frame, ("film", self.document.id))

    def film(self, state: DrawingState) -> Morph:
        """All frames from one key to the other, or of a walk cycle."""
        a, b = self.key(state.a), self.key(state.key("b"))
        settings = state.settings
        if settings.gait is not None:
            usual = GaitTiming()
            given = settings.gait
            if given.gait is not None:
                pairs, travel = given.pairs, given.travel
                return gait_film(a, settings.frames, given.gait, passing=b, pairs=pairs, travel=travel)
            timing = GaitTiming(
                usual.gamma_a if given.gamma_a is None else given.gamma_a,
                usual.gamma_b if given.gamma_b is None else given.gamma_b,
            )
            how: dict[str, Any] = {"timing": timing, "pairs": given.pairs, "method": settings.method}
            how["resolution"] = settings.resolution
            if given.like is None:
                return walk_cycle(a, b, settings.frames, **how)
            clip = self.origins.clip(Origin(SAMPLE + given.like))
            return walk_in_time(a, b, clip, foot=given.foot, fps=settings.fps, **how)
        how = {"ease": settings.ease, "on": settings.on, "method": settings.method}
        return morph_keys([a, b], None, settings.frames, **how, **morph_options(settings))

    def at(self, state: DrawingState, t: float) -> Morph:
        """The drawing at one time."""
        a, b = self.key(state.a), self.key(state.key("b"))
        settings = state.settings
        return overshoot(
            lambda times: morph_at(a, b, times, settings.method, **morph_options(settings)),
            eased(np.array([t]), settings.ease),
        )


def morph_options(settings: MorphSettings) -> dict[str, Any]:
    """The settings as :func:`kinetune.contours.morphing.morph.morph_at` takes them."""
    options: dict[str, Any] = {
        "elastic": settings.elastic,
        "match": settings.match,
        "layers": {int(key): value for key, value in settings.layers.items()} or None,
        "pins": settings.pins,
        "extras": settings.extras,
        "coefficients": settings.coefficients,
        "wavelet": settings.wavelet,
        "preset": settings.preset,
        "seconds": settings.seconds,
        "resolution": settings.resolution,
    }
    return options


def _times(settings: MorphSettings, count: int) -> list[float]:
    """The time of each drawing: a cycle ends one drawing before it begins again."""
    whole = settings.gait is None or settings.gait.like is not None
    return [float(t) for t in np.linspace(0.0, 1.0, count, endpoint=whole)]


def drawing_findings(notes: Iterable[str]) -> list[dict[str, Any]]:
    """What is worth knowing about a drawing or a film, as findings."""
    return [Finding("drawing", note).as_dict() for note in notes]


# --- control points


def described(drawing: Drawing, layer: int, contour: int, points: int) -> Descriptor:
    """A contour as some control points and its detail."""
    curve = contour_of(drawing, layer, contour)
    even = sample_evenly(curve, _SAMPLES) if len(curve) != _SAMPLES or not curve.closed else curve
    if points not in choices(even):
        listed = ", ".join(map(str, choices(even)))
        raise MessageError("bad_field", f"A contour has {listed} control points, not {points}.", where="points")
    levels = round(np.log2(_SAMPLES / points))
    return describe(even, _WAVELET, levels)


def choices(contour: Contour) -> list[int]:
    """How many control points one may ask for."""
    most = most_levels(_SAMPLES, _WAVELET, closed=contour.closed)
    return [_SAMPLES >> level for level in range(most, -1, -1)]


def contour_of(drawing: Drawing, layer: int, contour: int) -> Contour:
    try:
        return drawing.layers[layer].contours[contour]
    except IndexError:
        raise MessageError("unknown_name", f"The drawing has no contour {contour} in a layer {layer}.") from None


def pull_point(drawing: Drawing, pulled: PulledPoint) -> Drawing:
    """The drawing with one control point moved, the curve and its detail with it."""
    descriptor = described(drawing, pulled.layer, pulled.contour, pulled.points)
    if pulled.index >= len(descriptor.control_points):
        last = len(descriptor.control_points) - 1
        raise ParameterError(f"There are control points 0 to {last}; there is no {pulled.index}.")
    moved = drag(descriptor, pulled.index, pulled.by, detail=pulled.detail).contour()
    layers = list(drawing.layers)
    contours = list(layers[pulled.layer].contours)
    contours[pulled.contour] = moved
    layers[pulled.layer] = layers[pulled.layer].replace_contours(tuple(contours))
    return drawing.replace_layers(tuple(layers))


def pack_drawings(header: dict[str, Any], drawings: list[Drawing], times: list[float]) -> bytes:
    """Drawings as one array of points, and a header that says which belong where."""
    frames, parts, start = [], [], 0
    for drawing, t in zip(drawings, times, strict=True):
        layers = []
        for layer in drawing.layers:
            contours = []
            for contour in layer.contours:
                contours.append({"start": start, "count": len(contour), "closed": contour.closed})
                parts.append(contour.points)
                start += len(contour)
            layers.append(
                {
                    "name": layer.name,
                    "fill": layer.fill,
                    "stroke": layer.stroke,
                    "stroke_width": layer.stroke_width,
                    "fill_opacity": layer.fill_opacity,
                    "stroke_opacity": layer.stroke_opacity,
                    "cap": layer.stroke_cap,
                    "join": layer.stroke_join,
                    "contours": contours,
                }
            )
        frames.append({"t": t, "view_box": list(drawing.view_box), "layers": layers})
    points = np.concatenate(parts) if parts else np.zeros((0, 2))
    return pack({**header, "frames": frames}, {"points": points})
