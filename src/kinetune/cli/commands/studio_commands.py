"""The command that opens the studio."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer


def studio(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE|FOLDER]",
            help="A motion, drawing or recipe to open, or the folder to work in; sample:NAME too.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="NUMBER", min=0, max=65535, help="The port; 0 takes any that is free."),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", metavar="", help="Open the page in the browser.")
    ] = True,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help="Where documents are kept between sessions.")
    ] = None,
) -> None:
    """Open the editor in the browser."""
    # One thread for each small product: the studio works on several documents at once instead.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from kinetune.studio.server.launch import prepare, serve, show_page

    serving = prepare(data, None if target is None else Path(target), port)
    print(f"Kinetune studio: {serving.new_address()}")
    print("This address opens it once; the browser then has access until the studio stops. Stop it with Ctrl+C.")
    print(f"Documents are kept in {serving.studio.data.folder}", flush=True)
    serve(serving, (lambda: show_page(serving)) if browser else None)
