"""What travels with a clip beside its motion (markers, history ...), as JSON-ready notes inside other formats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from kinetune.body.clip import Clip, Marker
from kinetune.body.skeleton import EndSite, as_offset
from kinetune.formats.file_limits import is_frame_rate


def clip_notes(clip: Clip) -> dict[str, Any]:
    """Frame rate, markers and history of a clip, ready for JSON."""
    return {
        "fps": clip.fps,
        "markers": [[marker.frame, marker.name] for marker in clip.markers],
        "history": [dict(step) for step in clip.history],
    }


def end_site_notes(clip: Clip) -> list[list[Any]]:
    """The end sites of a clip's skeleton, ready for JSON."""
    return [[site.parent, list(site.offset), site.name] for site in clip.skeleton.end_sites]


# The readers below leave out anything malformed.


def read_markers(notes: Mapping[str, Any], frames: int) -> tuple[Marker, ...]:
    """The markers that lie in the clip."""
    markers = []
    for item in _list(notes, "markers"):
        match item:
            case [int(frame), str(name)] if 0 <= frame < frames:
                markers.append(Marker(frame, name))
    return tuple(markers)


def read_history(notes: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The steps that made the clip."""
    return tuple(step for step in _list(notes, "history") if isinstance(step, dict))


def read_end_sites(notes: Mapping[str, Any], joints: int) -> tuple[EndSite, ...]:
    """The end sites of a skeleton with that many joints."""
    sites = []
    for item in _list(notes, "end_sites"):
        match item:
            case [int(parent), offset, str() | None as name] if 0 <= parent < joints and _is_vector(offset):
                sites.append(EndSite(parent, as_offset(offset), name))
    return tuple(sites)


def read_root_offset(notes: Mapping[str, Any]) -> tuple[float, float, float] | None:
    """The offset of the first joint, which scene formats replace by its position in the first frame."""
    offset = notes.get("root_offset")
    return as_offset(offset) if _is_vector(offset) else None


def read_fps(notes: Mapping[str, Any]) -> float | None:
    """The frame rate."""
    fps = notes.get("fps")
    return float(fps) if isinstance(fps, int | float) and not isinstance(fps, bool) and is_frame_rate(fps) else None


def _list(notes: Mapping[str, Any], key: str) -> list[Any]:
    items = notes.get(key)
    return items if isinstance(items, list) else []


def _is_vector(value: object) -> TypeGuard[list[float]]:
    return isinstance(value, list) and len(value) == 3 and all(isinstance(number, int | float) for number in value)
