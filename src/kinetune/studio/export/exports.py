"""Out of the studio: recipes as YAML, Python or a command; clips in any format; films; drawings."""

from __future__ import annotations

import asyncio
import re
import secrets
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from kinetune.errors import KinetuneError
from kinetune.formats import check_target, write
from kinetune.progress import reporting
from kinetune.recipes import Recipe
from kinetune.studio.documents.drawing_state import DrawingState, KeyDrawing
from kinetune.studio.documents.open_documents import AnyDocument, Document
from kinetune.studio.documents.origins import RECIPE_SUFFIXES
from kinetune.studio.documents.stack import Stack
from kinetune.studio.protocol import messages
from kinetune.studio.protocol.catalogue import FILM_SUFFIXES
from kinetune.studio.protocol.message_parts import MessageError
from kinetune.studio.protocol.messages import ExportFile
from kinetune.studio.rooms.background_jobs import Job
from kinetune.studio.rooms.motion_room import MotionRoom
from kinetune.studio.server.session import Session

if TYPE_CHECKING:
    from kinetune.body.clip import Clip
    from kinetune.studio.evaluate.evaluation import EvaluatedStack
    from kinetune.studio.studio import Studio

_FLAGS = {"unit": "--unit", "up": "--up", "fps": "--fps-in", "animation": "--animation", "positions": "--positions"}


def handlers(studio: Studio) -> dict[str, Any]:
    """Messages that lead out."""

    async def export(session: Session, message: messages.ExportFile) -> None:
        room = studio.room(message.doc)
        document = room.document
        folder = studio.data.folder / "exports" / secrets.token_hex(8)
        path = folder / f"{clean_name(message.name or document.name)}{message.format}"
        if isinstance(room, MotionRoom) and message.format not in FILM_SUFFIXES:
            folder.mkdir(mode=0o700)
            try:
                check_target(path)
            except (KinetuneError, OSError):
                folder.rmdir()
                raise
        folder.mkdir(mode=0o700, exist_ok=True)

        def work(job: Job) -> dict[str, Any]:
            if isinstance(room, MotionRoom):
                _export_motion(job, room, message, path)
            else:
                export_drawing(job, room, message, path)
            for file in folder.iterdir():  # the browser fetches a copy of its own
                file.chmod(0o600)
            return {"url": f"/api/exports/{folder.name}/{quote(path.name)}"}

        job = studio.jobs.start(f"Export {path.name}", work, room.broadcast, doc=message.doc, id=message.id)
        session.done(message, job=job.id)

    async def save(session: Session, message: messages.SaveRecipe) -> None:
        document = studio.library.motion(message.doc)
        given = message.path or document.saved_path
        path = (
            await asyncio.to_thread(studio.origins.free_path, f"{clean_name(document.name)}.yaml")
            if given is None
            else _allowed(given)
        )
        recipe = document.state.recipe(document.name)
        await asyncio.to_thread(recipe.write, path)
        document.saved_path = str(path)
        studio.library.touched(document)
        studio.room(message.doc).send_document()
        session.done(message, path=str(path))

    def _allowed(given: str) -> Path:
        path = studio.origins.allowed(given)
        return path if path.suffix.lower() in RECIPE_SUFFIXES else path.with_name(path.name + ".yaml")

    async def recipe(session: Session, message: messages.AskRecipe) -> None:
        document = studio.library.find(message.doc)
        session.done(message, text=await asyncio.to_thread(document_as_text, document, message.form))

    return {"export": export, "save": save, "recipe": recipe}


def document_as_text(document: AnyDocument, form: str) -> str:
    """A document as a recipe, as Python, or as a command."""
    if document.kind == "drawing":
        return drawing_as_text(document.state, form)  # type: ignore[arg-type]
    motion: Document[Stack] = document  # type: ignore[assignment]
    stack = motion.state
    recipe = stack.recipe(document.name)
    if form == "yaml":
        return recipe.text(folder=None)
    if form == "python":
        return _as_python(stack)
    file = clean_name(document.name)
    saved = motion.saved_path if motion.saved_path is not None and _says(Path(motion.saved_path), recipe) else None
    arguments = ["kinetune", "apply", saved or f"{file}.yaml", stack.source.place, "-o", f"{file}.bvh"]
    command = shlex.join([*arguments, *_reading_flags(stack)])
    if saved is not None:
        return command
    # The recipe is not a file yet, so the text brings it along.
    return f"cat > {shlex.quote(file + '.yaml')} <<'RECIPE'\n{recipe.text(folder=None)}RECIPE\n{command}"


def _says(path: Path, recipe: Recipe) -> bool:
    """Whether a file holds the recipe of the document as it is now."""
    try:
        return Recipe.read(path) == recipe
    except KinetuneError:
        return False


def _as_python(stack: Stack) -> str:
    lines = ["import kinetune as kt", ""]
    lines.append(f"clip = {_opening(stack.source.place, dict(stack.source.reading))}")
    steps = [step.operation for step in stack.steps if step.on]
    needed = {name for step in steps for name in step.inputs_needed()}
    lines += [
        f"{_variable(name)} = {_opening(origin.place, dict(origin.reading))}"
        for name, origin in stack.inputs
        if name in needed
    ]
    needs_recipe = any(step.asks_for_stance for step in steps)
    made = []
    for step in steps:
        knobs = ", ".join(f"{name}={value!r}" for name, value in step.as_step().items() if name != "op")
        made.append(f"kt.{type(step).__name__}({knobs})")
    inputs = "".join(f", {name}={_variable(name)}" for name, _ in stack.inputs if name in needed)
    if needs_recipe or any(not name.isidentifier() for name in needed):
        inside = "".join(f"\n    {each}," for each in made)
        given = "{" + ", ".join(f"{name!r}: {_variable(name)}" for name, _ in stack.inputs if name in needed) + "}"
        names = "" if not needed else f"inputs={sorted(needed - {'source'})!r}, "
        lines.append(f"recipe = kt.Recipe({names}steps=[{inside}\n])")
        lines.append(f"clip = recipe(clip, **{given})" if needed else "clip = recipe(clip)")
    else:
        for step, text in zip(steps, made, strict=True):
            clips = ((name, "clip" if name == "source" else _variable(name)) for name in step.inputs_needed())
            inputs = "".join(f", {name}={variable}" for name, variable in clips)
            lines.append(f"clip = {text}(clip{inputs})")
    lines.append('kt.write(clip, "out.bvh")')
    return "\n".join(lines) + "\n"


def _opening(place: str, reading: dict[str, Any]) -> str:
    if place.startswith("sample:"):
        return f"kt.sample({place.removeprefix('sample:')!r})"
    options = "".join(f", {name}={value!r}" for name, value in reading.items())
    return f"kt.read({place!r}{options})"


def _variable(name: str) -> str:
    plain = re.sub(r"\W", "_", name)
    return plain if plain.isidentifier() and plain not in ("clip", "kt", "recipe") else f"clip_{plain}"


def _reading_flags(stack: Stack) -> list[str]:
    flags = []
    for name, value in stack.source.reading:
        flags += ["--partial"] if name == "partial" else [_FLAGS[name], str(value)]
    return flags


def clean_name(name: str) -> str:
    """A name for a file."""
    return re.sub(r"[^\w .()+-]", "_", name).strip(" .")[:80] or "motion"


def _export_motion(job: Job, room: MotionRoom, message: messages.ExportFile, path: Path) -> None:
    stack = room.document.state
    outcome = room.evaluator.whole(stack, slow=True, sink=lambda share, text: job.progress(0.3 * (share or 0.0), text))
    failed = next((result for result in outcome.results if result.state == "failed"), None)
    if failed is not None:
        raise MessageError("refused", f"Nothing is exported, since a step failed: {failed.error}")
    job.progress(0.3, f"Writing {path.name}")
    if message.format in FILM_SUFFIXES:
        with reporting(lambda share, text: job.progress(0.3 + 0.7 * (share or 0.0))):
            _film(outcome, message, path)
        return
    write(outcome.clip, path)


def _film(outcome: EvaluatedStack, message: messages.ExportFile, path: Path) -> None:
    """What the viewport shows, as a film: the edit alone, over the original, or beside it."""
    from kinetune.figures.motion.film import film

    clip = _frames(outcome.clip, message.start, message.stop)
    share = len(outcome.source) / len(outcome.clip)  # an edit may have changed the length
    last = None if message.stop is None else round(message.stop * share)
    before = None if outcome.source is outcome.clip else _frames(outcome.source, round(message.start * share), last)
    beside = before if message.show == "beside" else None
    film(
        clip if beside is None else beside,
        path,
        ghost=before if message.show == "ghost" else None,
        beside=None if beside is None else clip,
        fps=message.fps,
        size=(2 * round(message.height * 8 / 9), message.height),
        view=message.view,
        follow=message.follow,
        labels=("Original", "Edited") if beside is not None and message.names else (),
        body=message.body,
    )


def _frames(clip: Clip, start: int, stop: int | None) -> Clip:
    """Part of a clip, of one frame at least."""
    first = min(start, len(clip) - 1)
    return clip[first : max(first + 1, len(clip) if stop is None else stop)]


if TYPE_CHECKING:
    from kinetune.studio.rooms.background_jobs import Job
    from kinetune.studio.rooms.room import Room

_PULLED = "Curves were bent by hand: export each drawing as SVG and use those files."


def export_drawing(job: Job, room: Room, message: ExportFile, path: Path) -> None:
    """Write the film, or the first drawing alone where there is no second."""
    from kinetune.figures.drawings.drawing_files import write_drawing
    from kinetune.studio.rooms.drawing_room import DrawingRoom

    assert isinstance(room, DrawingRoom)
    state = room.document.state
    if len(state.keys) == 1:
        write_drawing(room.key(state.keys[0]), path, height=message.height)
        return
    film = room.film(state)
    job.progress(0.5, f"Writing {path.name}")
    fps = state.settings.fps
    with reporting(lambda share, text: job.progress(0.5 + 0.5 * (share or 0.0))):
        write_drawing(film, path, fps=fps, height=message.height)


def drawing_as_text(state: DrawingState, form: str) -> str:
    """The film as the command or the Python that makes it."""
    if form == "yaml":
        raise MessageError("refused", "A morph of drawings is no recipe; copy it as a command or as Python.")
    if len(state.keys) == 1:
        raise MessageError("refused", "There is no second drawing yet. Drop one on the page.")
    if state.settings.gait is not None:
        gait = state.settings.gait.model_dump(mode="json")
        usual = type(state.settings.gait)().model_dump(mode="json")
        gait = {name: value for name, value in gait.items() if value is not None and value != usual[name]}
        if "gait" in gait:
            gait = {name: value for name, value in gait.items() if name in ("gait", "travel", "pairs")}
        return _command(state, gait) if form == "cli" else _python(state, gait)
    if form == "python":
        return _python(state, None)
    if len(state.keys) > 2:
        raise MessageError("refused", "A command makes a film of two key drawings. Copy this one as Python.")
    return _command(state, None)


def _said(state: DrawingState, gap: int, gait: dict[str, Any] | None) -> dict[str, Any]:
    """What the settings of a gap say, as parameters of the function that makes it."""
    # Commands and functions have other habits where nothing is said: 24 drawings, slow at both ends.
    said: dict[str, Any] = {"frames": state.gaps[gap].frames, "ease": state.gaps[gap].ease}
    said |= state.settings.model_dump(mode="json", exclude_defaults=True)
    said |= state.gaps[gap].model_dump(mode="json", exclude_defaults=True)
    said.pop("gait", None)
    if gait is None:
        return said
    return {name: value for name, value in said.items() if name in (_GAIT[:2] if "gait" in gait else _GAIT)}


_MORPH_FLAGS = (
    "coefficients",
    "method",
    "frames",
    "fps",
    "ease",
    "on",
    "match",
    "extras",
    "wavelet",
    "preset",
    "seconds",
)
_GAIT = ("frames", "fps", "method", "resolution")
"""The settings that a walk cycle has too; the last two only where it is morphed."""


def _command(state: DrawingState, gait: dict[str, Any] | None) -> str:
    given = _said(state, 0, gait)
    keys = [_place(key) for key in state.keys[:2]]
    arguments = ["kinetune", "morph" if gait is None else "gait", *keys, "-o", "film.gif"]
    for name, value in given.items():
        if name in (*_MORPH_FLAGS, "resolution"):
            arguments += [f"--{name}", str(value)]
        elif name == "elastic":
            arguments.append("--even")
        elif name == "layers":
            arguments += [part for a, b in value.items() for part in ("--map", f"{a}={'' if b is None else b}")]
        elif name == "pins":
            for (xa, ya), (xb, yb) in value:
                arguments += ["--pin", f"{xa!r},{ya!r}={xb!r},{yb!r}"]
    if gait is not None and "gait" not in gait:
        arguments.append("--morph")
    for name, value in (gait or {}).items():
        if name == "pairs":
            arguments += [part for pair in value.items() for part in ("--pair", "=".join(pair))]
        elif name == "like":
            arguments += ["--like", f"sample:{value}"]
        elif name == "travel":
            arguments += ["--travel"] if value else []
        else:
            arguments += [f"--{name.replace('_', '-')}", str(value)]
    command = " ".join(shlex.quote(part) for part in arguments)
    return f"# {_PULLED}\n{command}" if any(key.pulled for key in state.keys[:2]) else command


def _python(state: DrawingState, gait: dict[str, Any] | None) -> str:
    fps = state.settings.fps
    names = [chr(ord("a") + number) if len(state.keys) <= 26 else f"key_{number}" for number in range(len(state.keys))]
    keys = list(zip(names, state.keys, strict=True))[: None if gait is None else 2]
    lines = ["import kinetune as kt"]
    made = []
    for number in range(len(keys) - 1):
        given = _said(state, number, gait)
        given.pop("fps", None)
        if "layers" in given:
            given["layers"] = {int(a): b for a, b in given["layers"].items()}
        pair = f"{names[number]}, {names[number + 1]}"
        call = f"kt.contours.morph_keys([{pair}]" if "on" in given else f"kt.morph({pair}"
        if gait is not None and "gait" in gait:
            call, given = "kt.contours.gait_film(a", {"passing": _Name("b"), **given, **gait}
        elif gait is not None:
            timing = ", ".join(f"{name}={gait[name]!r}" for name in ("gamma_a", "gamma_b") if name in gait)
            options: dict[str, Any] = {name: gait[name] for name in ("pairs", "foot") if name in gait}
            imported = [*(["GaitTiming"] if timing else []), *(["walk_in_time"] if "like" in gait else [])]
            lines += [f"from kinetune.contours import {', '.join(imported)}"] if imported else []
            call = "kt.contours.walk_cycle(a, b"
            if "like" in gait:
                given.pop("frames")
                call, options["fps"] = f"walk_in_time(a, b, kt.sample({gait['like']!r})", fps
            call += f", timing=GaitTiming({timing})" if timing else ""
            given = {**given, **options}
        made.append(f"{call}{''.join(f', {name}={value!r}' for name, value in given.items())})")
    lines += ["", *([f"# {_PULLED}"] if any(key.pulled for _, key in keys) else [])]
    lines += [f"{name} = {_drawing_opening(key)}" for name, key in keys]
    if len(made) == 1:
        lines.append(f"film = {made[0]}")
    else:
        lines += ["film = [", f"    *{made[0]},", *(f"    *{each}[1:]," for each in made[1:]), "]"]
    lines.append(f'kt.write_drawing(film, "film.gif", fps={fps:g})')
    return "\n".join(lines) + "\n"


class _Name(str):
    """A name in Python text, where a value is expected."""

    __slots__ = ()
    __repr__ = str.__str__


def _place(key: KeyDrawing) -> str:
    frame = dict(key.origin.reading).get("frame")
    return key.origin.place.replace("drawing:", "sample:") + ("" if frame is None else f"#{frame:g}")


def _drawing_opening(key: KeyDrawing) -> str:
    if key.origin.is_file:
        options = "".join(f", {name}={value!r}" for name, value in key.origin.reading)
        return f"kt.read_drawing({key.origin.place!r}{options})"
    return f"kt.sample_drawing({key.origin.stem!r})"
