"""What commands for drawings share: drawings and films, in and out."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinetune.cli.options import WrongUsage

if TYPE_CHECKING:
    from kinetune.contours.drawing import Drawing
    from kinetune.contours.morphing.morph import Morph

SAMPLE = "sample:"
PICTURE = "Picture"
SHAPE = "How the shapes change"
TIMING = "When things happen"

FirstArgument = Annotated[
    str, typer.Argument(metavar="A", help="The first drawing: an SVG, Lottie (.json) or PNG file, or sample:NAME.")
]
SecondArgument = Annotated[str, typer.Argument(metavar="B", help="The second drawing.")]
FilmOption = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="OUT", help="The film: .gif, .mp4, .svg (animated), .json (Lottie) or .png (a strip)."
    ),
]
FramesOption = Annotated[int, typer.Option("--frames", metavar="INTEGER", help="How many drawings.")]
FpsOption = Annotated[
    float, typer.Option("--fps", metavar="NUMBER", help="Drawings per second.", rich_help_panel=PICTURE)
]
HeightOption = Annotated[
    int, typer.Option("--height", metavar="INTEGER", help="Height of the picture, in pixels.", rich_help_panel=PICTURE)
]


def open_drawing(source: str, *, warn: bool = True) -> Drawing:
    """A sample drawing by its name (``sample:dog-1``), or a file; ``film.json#12`` is frame 12 of a Lottie animation.

    What a file holds and a drawing does not is said in one warning.
    """
    if source.startswith(SAMPLE):
        from kinetune.samples.drawings import sample_drawing

        return sample_drawing(source.removeprefix(SAMPLE))
    from kinetune.contours.reading.drawing_reader import read_drawing

    path, mark, number = source.rpartition("#")
    lottie = bool(mark) and path.lower().endswith(".json")
    if lottie:
        try:
            frame = float(number)
        except ValueError:
            raise WrongUsage(f'"{number}" is not the number of a frame; write film.json#12.') from None
        drawing = read_drawing(path, frame=frame)
    else:
        drawing = read_drawing(source)
    if drawing.notes and warn:
        print(f"kinetune: {source}: {'; '.join(drawing.notes)}.", file=sys.stderr)
    return drawing


def open_keys(sources: Sequence[str]) -> tuple[list[Drawing], list[float] | None]:
    """Key drawings, and their times where a Lottie animation alone gives them."""
    if len(sources) == 1 and sources[0].lower().endswith(".json"):
        from kinetune.contours.reading.drawing_reader import read_key_drawings

        drawings, times = read_key_drawings(sources[0])
        return drawings, times if len(times) > 1 else None
    return [open_drawing(source) for source in sources], None


def check_target(target: Path, sources: Sequence[str], force: bool, fps: float) -> None:
    """Before the work: no drawing that is read is written over (that takes --force), and the film has a speed."""
    from kinetune.contours.drawing import Drawing
    from kinetune.contours.svg.writer import check_film
    from kinetune.errors import FileError

    check_film([Drawing(())], fps)
    for source in sources:
        if force or source.startswith(SAMPLE) or not (target.exists() and Path(source).exists()):
            continue
        if os.path.samefile(target, source):
            raise FileError(
                target,
                "the result would replace the file that is read.",
                advice="Give another name, or allow it with --force.",
            )


def write_film(film: Morph, target: Path, fps: float, height: int, as_json: bool, facts: dict[str, Any]) -> None:
    """Write a film and say so."""
    from kinetune.cli.show import bar, console
    from kinetune.figures.drawings.drawing_files import write_drawing

    with bar():
        write_drawing(film, target, fps=fps, height=height)
    if as_json:
        report = {"target": str(target), "frames": len(film), "fps": fps, **facts, "notes": list(film.notes)}
        report["matching"] = list(film.matching)
        print(json.dumps({**report, "layers": [asdict(layer) for layer in film.layers]}, indent=2))
        return
    print(f"{target}: {len(film)} drawings at {fps:g} a second.")
    for note in (*film.matching, *film.notes):
        console().print(note)


def named_pairs(pairs: Sequence[str], flag: str, form: str, *, empty: bool = False) -> dict[str, str]:
    """Names given as A=B, each pair once; A= stands for nothing where that is allowed."""
    names: dict[str, str] = {}
    for pair in pairs:
        name, equals, other = (part.strip() for part in pair.partition("="))
        if not equals or not name or not (other or empty):
            raise WrongUsage(f'"{pair}" is not {form}.', param_hint=flag)
        names[name] = other
    return names


def number_row(text: str | None, flag: str) -> list[float] | None:
    """Numbers with commas between them; None for what was not given."""
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise WrongUsage(f'"{text}" is not a number, nor numbers with commas.', param_hint=flag) from None
