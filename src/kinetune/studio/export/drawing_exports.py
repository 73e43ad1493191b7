"""Drawings out of the studio: films, and the command or the Python that makes them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinetune.studio.documents.drawing_state import DrawingState, Key
from kinetune.studio.protocol.message_parts import MessageError
from kinetune.studio.protocol.messages import Export

if TYPE_CHECKING:
    from kinetune.studio.rooms.background_jobs import Job
    from kinetune.studio.rooms.room import Room

_PULLED = "Curves were bent by hand: export both drawings as SVG and use those files."


def export_drawing(job: Job, room: Room, message: Export, path: Path) -> None:
    """Write the film, or the first drawing alone where there is no second."""
    from kinetune.contours.morphing.canvas import on_first_canvas
    from kinetune.figures.drawings.drawing_files import write_drawing
    from kinetune.studio.rooms.drawing_room import DrawingRoom

    assert isinstance(room, DrawingRoom)
    state = room.document.state
    if state.b is None:
        write_drawing(room.key(state.a), path, height=message.height)
        return
    film = room.film(state)
    job.progress(0.5, f"Writing {path.name}")
    fps = state.settings.fps
    write_drawing(
        on_first_canvas(film),
        path,
        fps=fps,
        height=message.height,
        progress=lambda share: job.progress(0.5 + 0.5 * share),
    )


def drawing_as_text(state: DrawingState, form: str) -> str:
    """The film as the command or the Python that makes it."""
    if form == "yaml":
        raise MessageError("refused", "A morph of drawings is no recipe; copy it as a command or as Python.")
    if state.b is None:
        raise MessageError("refused", "There is no second drawing yet. Drop one on the page.")
    settings = state.settings
    # Commands and functions have other habits where nothing is said: 24 drawings, slow at both ends.
    said = {"frames": settings.frames, "ease": settings.ease}
    given = said | settings.model_dump(mode="json", exclude_defaults=True)
    gait = given.pop("gait", None)
    if gait is not None:
        gait = {name: value for name, value in gait.items() if value is not None}
        given = {name: value for name, value in given.items() if name in _GAIT}
    return _command(state, given, gait) if form == "cli" else _python(state, given, gait)


_FLAGS = ("coefficients", "method", "frames", "fps", "ease", "match", "extras", "wavelet", "preset", "seconds")
_GAIT = ("method", "frames", "fps", "resolution")
"""The settings that a walk cycle has too."""


def _command(state: DrawingState, given: dict[str, Any], gait: dict[str, Any] | None) -> str:
    assert state.b is not None
    words = ["kinetune", "morph" if gait is None else "gait", _place(state.a), _place(state.b), "-o", "film.gif"]
    for name, value in given.items():
        if name in (*_FLAGS, "resolution"):
            words += [f"--{name}", str(value)]
        elif name == "elastic":
            words.append("--even")
        elif name == "layers":
            words += [word for a, b in value.items() for word in ("--map", f"{a}={'' if b is None else b}")]
        elif name == "pins":
            for (xa, ya), (xb, yb) in value:
                words += ["--pin", f"{xa!r},{ya!r}={xb!r},{yb!r}"]
    for name, value in (gait or {}).items():
        if name == "pairs":
            words += [word for pair in value.items() for word in ("--pair", "=".join(pair))]
        elif name == "like":
            words += ["--like", f"sample:{value}"]
        else:
            words += [f"--{name.replace('_', '-')}", str(value)]
    command = " ".join(shlex.quote(word) for word in words)
    return f"# {_PULLED}\n{command}" if state.a.pulled or state.b.pulled else command


def _python(state: DrawingState, given: dict[str, Any], gait: dict[str, Any] | None) -> str:
    assert state.b is not None
    fps = given.pop("fps", state.settings.fps)
    if "layers" in given:
        given["layers"] = {int(a): b for a, b in given["layers"].items()}
    lines = ["import kinetune as kt"]
    made = "kt.morph(a, b"
    if gait is not None:
        timing = ", ".join(f"{name}={gait[name]!r}" for name in ("gamma_a", "gamma_b") if name in gait)
        options: dict[str, Any] = {name: gait[name] for name in ("pairs", "foot") if name in gait}
        wanted = [*(["GaitTiming"] if timing else []), *(["walk_in_time"] if "like" in gait else [])]
        lines += [f"from kinetune.contours.gait_cycle import {', '.join(wanted)}"] if wanted else []
        made = "kt.walk_cycle(a, b"
        if "like" in gait:
            given.pop("frames")
            made, options["fps"] = f"walk_in_time(a, b, kt.sample({gait['like']!r})", fps
        made += f", timing=GaitTiming({timing})" if timing else ""
        given = {**given, **options}
    lines += ["", *([f"# {_PULLED}"] if state.a.pulled or state.b.pulled else [])]
    lines += [f"a = {_opening(state.a)}", f"b = {_opening(state.b)}"]
    lines.append(f"film = {made}{''.join(f', {name}={value!r}' for name, value in given.items())})")
    lines.append(f'kt.write_drawing(film, "film.gif", fps={fps:g})')
    return "\n".join(lines) + "\n"


def _place(key: Key) -> str:
    return key.origin.place.replace("drawing:", "sample:")


def _opening(key: Key) -> str:
    if key.origin.is_file:
        return f"kt.read_drawing({key.origin.place!r})"
    return f"kt.sample_drawing({key.origin.stem!r})"
