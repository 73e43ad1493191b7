"""Commands on a searchable library: index, find, duplicates, transitions."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from kinetune.cli.options import (
    ClipTimeoutOption,
    JobsOption,
    JsonOption,
    SchedulerOption,
    StrictOption,
    WrongUsage,
    reads_files,
)

if TYPE_CHECKING:
    from kinetune.library import ClipFacts, MotionIndex

Match = TypeVar("Match")
FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of motion.")]
IndexOption = Annotated[
    Path | None,
    typer.Option("--index", metavar="FILE", help="The index file, if it is not inside the folder.", show_default=False),
]
CountOption = Annotated[int, typer.Option("--count", "-n", metavar="N", min=1, help="How many to show at most.")]


@reads_files
def index(
    folder: FolderArgument,
    index_file: IndexOption = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", metavar="", help="Discard the old index and read everything again.")
    ] = False,
    jobs: JobsOption = None,
    scheduler: SchedulerOption = None,
    strict: StrictOption = False,
    clip_timeout: ClipTimeoutOption = None,
    as_json: JsonOption = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Index a folder of motion for find, duplicates and transitions; unchanged files are not read again."""
    from kinetune.batch.library import CLIP_TIMEOUT_S
    from kinetune.cli.show import bar, console, print_facts, warnings_as_messages
    from kinetune.library import build_index

    try:
        with bar(), warnings_as_messages():
            result = build_index(
                folder,
                index=index_file,
                fresh=fresh,
                jobs=jobs,
                scheduler=scheduler,
                clip_timeout_s=clip_timeout or CLIP_TIMEOUT_S,
                **reading,
            )
    except KeyboardInterrupt:
        print("kinetune: stopped. Go on with the same command.", file=sys.stderr)
        raise typer.Exit(130) from None
    if as_json:
        plain = {**asdict(result), "path": str(result.path)}
        for name in ("failed", "not_comparable", "unreadable"):
            plain[name] = [{"name": each, "problem": problem} for each, problem in getattr(result, name)]
        print(json.dumps(plain, indent=2))
    else:
        gone = f", {result.removed} gone" if result.removed else ""
        print_facts(
            {
                "clips": f"{result.clips}: {result.read} read, {result.kept} unchanged{gone}",
                "time": f"{result.wall_s:.1f} s",
                "index": str(result.path),
            }
        )
        for name, problem in result.failed:
            console().print(f"not indexed: {problem if name in problem else f'{name}: {problem}'}")
        for name, problem in result.not_comparable:
            console().print(f"{name}: {problem}")
        for name, problem in result.unreadable:
            console().print(f"{name}: this folder cannot be read ({problem}).")
    if strict and (result.failed or result.unreadable):
        raise typer.Exit(1)


@reads_files
def find(
    target: Annotated[
        str, typer.Argument(metavar="FILE|DIR", help="A motion to look for (or sample:NAME), or the folder to look in.")
    ],
    text: Annotated[
        str | None,
        typer.Option("--text", metavar="TEXT", help='What to look for: "walk, turning left, 1.2 m/s".'),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--in", metavar="DIR", help="The folder to look in; that of FILE by default."),
    ] = None,
    start_s: Annotated[
        float | None, typer.Option("--from", metavar="SECONDS", min=0.0, help="Where the part to look for starts.")
    ] = None,
    stop_s: Annotated[
        float | None, typer.Option("--to", metavar="SECONDS", min=0.0, help="Where the part to look for ends.")
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", metavar="", help="Compare whole clips, not parts.")] = False,
    mirror: Annotated[bool, typer.Option("--mirror", metavar="", help="Accept mirror images as well.")] = False,
    count: CountOption = 10,
    index_file: IndexOption = None,
    as_json: JsonOption = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Find clips, or parts of clips, that are like a motion or fit a description. Index the folder first."""
    from kinetune.library import find_like, find_text
    from kinetune.recipes import open_clip

    query = None if Path(target).is_dir() else target
    if query is None and text is None:
        raise WrongUsage('name a motion file to look for, or describe the motion: --text "walk".')
    if query is None and (start_s is not None or stop_s is not None or whole or mirror):
        raise WrongUsage("--from, --to, --whole and --mirror go with a motion file.")
    clip = None if query is None else open_clip(query, **reading)
    library = _open(folder or (Path(target) if query is None else _nearest(target, index_file)), index_file)
    fitting = None if text is None else find_text(library, text)
    if clip is None:
        _show_clips(library, fitting or [], count, as_json)
        return
    matches = find_like(
        library,
        clip,
        start_s=start_s,
        stop_s=stop_s,
        count=count,
        whole=whole,
        mirror=mirror,
        among=fitting,
    )
    if as_json:
        plain = [{**match.as_dict(), "facts": match.facts and asdict(match.facts)} for match in matches]
        print(json.dumps({"folder": str(library.folder), "matches": plain}, indent=2))
        return
    _print_rows(
        ["clip", "part", "distance", "tempo", "motion"],
        [
            [
                match.name,
                "whole clip" if match.whole else f"{match.start_s:.2f} to {match.stop_s:.2f} s",
                f"{match.distance_cm:.1f} cm",
                f"{match.tempo:.2f}",
                ", ".join(filter(None, ["mirror image" if match.mirror else "", _label(match.facts)])),
            ]
            for match in matches
        ],
        "Nothing in this library is like it.",
    )


def _show_clips(library: MotionIndex, clips: list[Any], count: int, as_json: bool) -> None:
    if as_json:
        plain = [{"name": clip.name, "facts": asdict(clip.facts)} for clip in clips[:count]]
        print(json.dumps({"folder": str(library.folder), "count": len(clips), "clips": plain}, indent=2))
        return
    rows = [
        [clip.name, f"{clip.facts.duration_s:.1f} s", f"{clip.facts.speed_m_s:.1f} m/s", clip.facts.label()]
        for clip in clips[:count]
    ]
    _print_rows(["clip", "length", "speed", "motion"], rows, "No clip of this library fits.")
    if len(clips) > count:
        print(f"... and {len(clips) - count} more; show them with --count {len(clips)}.")


def duplicates(
    folder: FolderArgument,
    limit: Annotated[
        float | None,
        typer.Option("--limit-cm", metavar="CM", min=0.001, help="How close copies must be; 2 by default."),
    ] = None,
    index_file: IndexOption = None,
    jobs: JobsOption = None,
    scheduler: SchedulerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find clips that hold the same motion: exact, re-exported, retimed, mirrored and trimmed copies."""
    from kinetune.library.duplicates import LIMIT_CM, find_duplicates, group_copies

    _, copies = _search(folder, index_file, find_duplicates, limit_cm=limit or LIMIT_CM, jobs=jobs, scheduler=scheduler)
    if as_json:
        pairs = [each.as_dict() for each in copies]
        print(json.dumps({"folder": str(folder), "groups": group_copies(copies), "pairs": pairs}, indent=2))
        return
    _print_rows(
        ["clip", "copy", "kind", "where", "distance"],
        [
            [
                each.original,
                each.copy,
                ", ".join(each.kinds),
                f"{each.start_s:.2f} to {each.stop_s:.2f} s",
                f"{each.distance_cm:.2f} cm",
            ]
            for each in copies
        ],
        "No clip of this library is a copy of another.",
    )


def transitions(
    folder: FolderArgument,
    limit: Annotated[
        float | None,
        typer.Option(
            "--limit-cm", metavar="CM", min=0.001, help="How different the two moments may be; 12 by default."
        ),
    ] = None,
    per_clip: Annotated[
        int, typer.Option("--per-clip", metavar="N", min=1, help="How many transitions for each clip.")
    ] = 5,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the graph as JSON.", show_default=False),
    ] = None,
    index_file: IndexOption = None,
    jobs: JobsOption = None,
    scheduler: SchedulerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find where one clip can best lead into another: a motion graph, as JSON for splice and other programs."""
    from kinetune.formats.atomic_write import write_files
    from kinetune.library.motion_graph import LIMIT_CM, find_transitions, graph_as_dict

    chosen = limit or LIMIT_CM
    options = {"limit_cm": chosen, "per_clip": per_clip, "jobs": jobs, "scheduler": scheduler}
    library, passages = _search(folder, index_file, find_transitions, **options)
    text = json.dumps(graph_as_dict(library, passages, chosen), indent=2)
    if output is not None:
        write_files({output: (text + "\n").encode()})
    if as_json:
        print(text)
        return
    _print_rows(
        ["leave", "at", "enter", "at", "distance", ""],
        [
            [
                each.first,
                f"{each.leave_s:.2f} s",
                each.second,
                f"{each.enter_s:.2f} s",
                f"{each.distance_cm:.1f} cm",
                "" if each.connected else "dead end",
            ]
            for each in passages
        ],
        f"No clip of this library comes within {chosen:g} cm of another. Allow more with --limit-cm.",
    )


def _search(
    folder: Path, index_file: Path | None, search: Callable[..., Match], **options: Any
) -> tuple[MotionIndex, Match]:
    """The index of a folder, and what a search in it gives, with a progress bar on a terminal."""
    from kinetune.cli.show import bar, warnings_as_messages

    library = _open(folder, index_file)
    with bar(), warnings_as_messages():
        return library, search(library, **options)


def _open(folder: Path, index_file: Path | None) -> MotionIndex:
    """The index of a folder; what has changed since it was made is reported on standard error."""
    from kinetune.library import MotionIndex
    from kinetune.library.index_file import index_command

    library = MotionIndex.open(folder, index_file)
    changes = library.changes()
    if changes:
        print(
            f"kinetune: the folder has changed since it was indexed: {changes}. "
            f"Bring the index up to date with: {index_command(folder, library.path)}",
            file=sys.stderr,
        )
    return library


def _nearest(target: str, index_file: Path | None) -> Path:
    """The folder of an index file that is named; else the one with an index that holds a file, or the current one."""
    from kinetune.library.index_file import index_folder, index_path

    if index_file is not None:
        return index_folder(index_file)
    here = Path.cwd()
    holding = Path(target).absolute().parents if Path(target).is_file() else ()
    return next((folder for folder in (*holding, here) if index_path(folder).is_file()), here)


def _label(facts: ClipFacts | None) -> str:
    return "" if facts is None else facts.label()


def _print_rows(columns: list[str], rows: list[list[str]], nothing: str) -> None:
    from kinetune.cli.show import print_table

    if not rows:
        print(nothing)
        return
    print_table(columns, rows, right=[name for name in columns if name in ("distance", "tempo", "length", "speed")])
