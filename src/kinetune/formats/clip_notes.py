"""What travels with a clip beside its motion: markers and history, as JSON-ready values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetune.body.clip import Clip, Marker


def clip_notes(clip: Clip) -> dict[str, Any]:
    """Frame rate, markers and history of a clip, ready for JSON."""
    return {
        "fps": clip.fps,
        "markers": [[marker.frame, marker.name] for marker in clip.markers],
        "history": [dict(step) for step in clip.history],
    }


def read_markers(notes: Mapping[str, Any], frames: int) -> tuple[Marker, ...]:
    """The markers in such notes that lie in the clip; anything malformed is left out."""
    found = []
    listed = notes.get("markers")
    for item in listed if isinstance(listed, list) else ():
        match item:
            case [int(frame), str(name)] if 0 <= frame < frames:
                found.append(Marker(frame, name))
    return tuple(found)


def read_history(notes: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The history in such notes; anything malformed is left out."""
    listed = notes.get("history")
    return tuple(step for step in listed if isinstance(step, dict)) if isinstance(listed, list) else ()


def read_fps(notes: Mapping[str, Any]) -> float | None:
    """The frame rate in such notes, if it is one."""
    fps = notes.get("fps")
    good = isinstance(fps, int | float) and not isinstance(fps, bool) and 0 < fps < 1e6
    return float(fps) if good else None  # type: ignore[arg-type]
