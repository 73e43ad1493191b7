"""reproduce: the papers' experiments, run again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from kinetune.cli.options import JsonOption


def reproduce(
    papers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PAPER...]",
            help="bruderlin, kochanek-bartels, inverse-blending, wavelets, dynamic-filter; all when left out.",
            show_default=False,
        ),
    ] = None,
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder for the report and the pictures.")
    ] = Path("reproduction"),
    clips: Annotated[
        Path | None, typer.Option("--clips", metavar="DIR", help="Your own clips and drawings, run as well.")
    ] = None,
    only: Annotated[
        str | None, typer.Option("--only", metavar="LABEL", help='One experiment, such as "Figure 6".')
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", metavar="", help="Fewer repetitions.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Run every experiment, figure and table of the five papers again, and compare the results with the papers."""
    from kinetune.cli.show import bar, print_table
    from kinetune.reproduce import reproduce as run_all
    from kinetune.reproduce.running import summarize

    with bar():
        done = run_all(papers or (), folder, clips=clips, only=only, quick=quick)
    if as_json:
        print(json.dumps(summarize(done.ran), indent=1))
    else:
        rows = [
            [one.paper.name, one.experiment.label, one.experiment.title, one.result.verdict, f"{one.seconds:.1f}"]
            for one in done.ran
        ]
        print_table(["paper", "label", "what it shows", "verdict", "s"], rows, right=["s"])
        print(f"{done.report}: the report, with pictures and reasons.")
    if done.failed:
        raise typer.Exit(1)
