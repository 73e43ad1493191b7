"""The commands that open the studio and put the extension into Blender."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer


def studio(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE|FOLDER",
            help="A motion, drawing or recipe to open, or the folder to work in; sample:NAME too.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="NUMBER", min=0, max=65535, help="The port; 0 takes any free one."),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", metavar="", help="Open the page in the browser.")
    ] = True,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help="Where documents are stored between sessions.")
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


def blender(
    install: Annotated[bool, typer.Option("--install", metavar="", help="Copy the extension into Blender.")] = False,
    version: Annotated[
        str | None,
        typer.Option(
            "--for", metavar="VERSION", help="Only for this version of Blender, such as 5.2.", show_default=False
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="DIR", help="Blender's extensions folder, if it is not the usual one."),
    ] = None,
) -> None:
    """Install the Blender extension, which runs this Kinetune; without --install, say where it would go."""
    from kinetune.blender import extension_files
    from kinetune.errors import KinetuneError

    folders = {"": folder} if folder is not None else extension_files.find_folders()
    if version is not None and folder is None:
        folders = {name: each for name, each in folders.items() if name == version}
    if not folders:
        program = f"Blender {version}" if version else "a Blender that is new enough (4.5 or later)"
        raise KinetuneError(
            f"There is no folder of {program} here. Start Blender once, or name its folder of extensions with --folder."
        )
    for name, each in folders.items():
        label = f"Blender {name}" if name else "Blender"
        if not install:
            print(f"{label}: {each / 'user_default' / extension_files.NAME}")
            continue
        print(f"{label}: {extension_files.install(each)}")
    if install:
        print("Switch it on in Blender: Edit > Preferences > Add-ons > Kinetune. Its panel is in the sidebar (N).")
    else:
        print("Install it with: kinetune blender --install")
