"""An open drawing document: its keys at once, the film between them in the background."""

from __future__ import annotations

import json
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
from kinetune.contours.timing.film_timing import morph_keys
from kinetune.errors import ParameterError
from kinetune.findings import Finding
from kinetune.recipes.sources import SAMPLE
from kinetune.rotations import Floats
from kinetune.signals.wavelets import most_levels
from kinetune.studio.documents.drawing_state import (
    MOST_KEYS,
    DrawingState,
    GapSettings,
    KeyDrawing,
    MorphSettings,
    PulledPoint,
    WalkCycleSettings,
)
from kinetune.studio.documents.open_documents import Document, Library
from kinetune.studio.documents.origins import Origin, Origins
from kinetune.studio.protocol.message_parts import MessageError
from kinetune.studio.protocol.wire import pack
from kinetune.studio.rooms.room import Room, Seat
from kinetune.studio.server.session import Session

_SAMPLES = 256
_WAVELET = "spline8"
_NEAR_KEY = 1e-4  # of a gap


class DrawingRoom(Room):
    """A drawing document with the tabs that have it open."""

    document: Document[DrawingState]

    def __init__(
        self, document: Document[DrawingState], library: Library, pool: ThreadPoolExecutor, origins: Origins
    ) -> None:
        super().__init__(document, library, pool)
        self.origins = origins
        self._keys: dict[KeyDrawing, Drawing] = {}
        self._morphs: dict[str, Morph] = {}
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
            "keys": [self._described(key) for key in state.keys],
            "gaps": [gap.model_dump(mode="json") for gap in state.gaps],
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
        session.send_json({**self.describe(), "taken": session.taken})
        self.wake()

    def rest(self) -> None:
        self._keys.clear()
        self._morphs.clear()

    async def answer(self) -> None:
        edit, state = self.document.edit, self.document.state
        keys = await self.in_thread(lambda: [self.key(key) for key in state.keys])
        head = {"doc": self.document.id, "edit": edit, "id": self.last_id}
        shown = pack_drawings({"type": "drawings", **head}, keys, [float(number) for number in range(len(keys))])
        for session in list(self.seats):
            session.send_frame(shown, ("drawings", self.document.id))
        if len(state.keys) == 1:
            return
        film = await self.announced("Drawing in-betweens", lambda: self.film(state))
        times, starts = _film_times(state, len(film))
        header = {"type": "film", **head, "fps": state.settings.fps, "starts": starts, "drag": False}
        header["findings"] = drawing_findings(film.notes)
        frame = await self.in_thread(lambda: pack_drawings(header, film, times))
        for session in list(self.seats):
            session.send_frame(frame, ("film", self.document.id))

    def film(self, state: DrawingState) -> Morph:
        """All frames from the first key to the last, or of a walk cycle."""
        if len(state.keys) == 1:
            raise MessageError("refused", "There is no second drawing yet. Drop one on the page.")
        if state.settings.gait is not None:
            return self._walk(state, state.settings.gait)
        parts = [self._morph(state, gap) for gap in range(len(state.gaps))]
        if len(parts) == 1:
            return parts[0]
        frames = [*parts[0], *(frame for part in parts[1:] for frame in part[1:])]
        notes = [
            f"Key {number} to key {number + 1}: {note[:1].lower()}{note[1:]}"
            for number, part in enumerate(parts, 1)
            for note in part.notes
        ]
        return Morph(frames, notes, [layer for part in parts for layer in part.layers])

    def _walk(self, state: DrawingState, gait: WalkCycleSettings) -> Morph:
        a, b = self.key(state.keys[0]), self.key(state.keys[1])
        settings, usual = state.settings, GaitTiming()
        if gait.gait is not None:
            pairs, travel = gait.pairs, gait.travel
            return gait_film(a, state.gaps[0].frames, gait.gait, passing=b, pairs=pairs, travel=travel)
        timing = GaitTiming(
            usual.gamma_a if gait.gamma_a is None else gait.gamma_a,
            usual.gamma_b if gait.gamma_b is None else gait.gamma_b,
        )
        how: dict[str, Any] = {"timing": timing, "pairs": gait.pairs, "method": settings.method}
        how["resolution"] = settings.resolution
        if gait.like is None:
            return walk_cycle(a, b, state.gaps[0].frames, **how)
        clip = self.origins.clip(Origin(SAMPLE + gait.like))
        return walk_in_time(a, b, clip, foot=gait.foot, fps=settings.fps, **how)

    def _morph(self, state: DrawingState, number: int) -> Morph:
        """The drawings of one gap; those that nothing has changed are not made again."""
        gap = state.gaps[number]
        return self._morph_at(state, number, {"frames": gap.frames, "ease": gap.ease, "on": state.settings.on})

    def _morph_at(self, state: DrawingState, number: int, when: dict[str, Any]) -> Morph:
        pair, gap = state.keys[number : number + 2], state.gaps[number]
        options = morph_options(state.settings, gap)
        name = json.dumps([[key.as_plain() for key in pair], state.settings.method, when, options])
        with self._lock:
            known = self._morphs.get(name)
        if known is None:
            a, b = (self.key(key) for key in pair)
            options |= when | {"method": state.settings.method}
            known = morph_at(a, b, **options) if "times" in when else morph_keys([a, b], None, **options)
            with self._lock:
                if len(self._morphs) > MOST_KEYS:
                    self._morphs.clear()
                self._morphs[name] = known
        return known

    def matches(self, state: DrawingState, number: int, count: int) -> tuple[Floats, list[int]]:
        """Points of one key and what they become in the next, (n, 4), and the layer of each.

        They are the points of the drawings right after the first and right before the second: there every method has
        the same points in the same order.
        """
        state.gap(number)
        state.key(number + 1)
        first, last = self._morph_at(state, number, {"times": [_NEAR_KEY, 1.0 - _NEAR_KEY]})
        curves = [
            (layer, a.points, b.points)
            for layer, (one, other) in enumerate(zip(first.layers, last.layers, strict=True))
            for a, b in zip(one.contours, other.contours, strict=False)
            if len(a.points) == len(b.points)
        ]
        lengths = np.array([np.linalg.norm(np.diff(a, axis=0), axis=1).sum() for _, a, _ in curves])
        rows, layers = [], []
        for (layer, a, b), share in zip(curves, lengths / max(lengths.sum(), 1e-9), strict=True):
            along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(a, axis=0), axis=1))])
            at_lengths = np.arange(max(2, round(count * share))) / max(2, round(count * share)) * along[-1]
            index = np.searchsorted(along, at_lengths)
            rows += [(*a[i], *b[i]) for i in index]
            layers += [layer] * len(index)
        return np.array(rows, dtype=float).reshape(-1, 4), layers


def morph_options(settings: MorphSettings, gap: GapSettings) -> dict[str, Any]:
    """The settings as :func:`kinetune.contours.morphing.morph.morph_at` takes them."""
    return {
        "elastic": settings.elastic,
        "match": settings.match,
        "layers": {int(key): value for key, value in gap.layers.items()} or None,
        "pins": gap.pins,
        "extras": settings.extras,
        "coefficients": settings.coefficients,
        "wavelet": settings.wavelet,
        "preset": settings.preset,
        "seconds": settings.seconds,
        "resolution": settings.resolution,
    }


def _film_times(state: DrawingState, count: int) -> tuple[list[float], list[int]]:
    """The time of each drawing, and which of them are the keys; a cycle ends one drawing before it begins again."""
    gait = state.settings.gait
    if gait is not None:
        return np.linspace(0.0, 1.0, count, endpoint=gait.like is not None).tolist(), [0]
    times, starts = [0.0], [0]
    for number, gap in enumerate(state.gaps):
        times += (number + eased(np.linspace(0.0, 1.0, gap.frames), gap.ease))[1:].tolist()
        starts.append(len(times) - 1)
    return times, starts


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
