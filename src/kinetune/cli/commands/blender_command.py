"""The command that puts the extension into Blender."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def blender(
    install: Annotated[bool, typer.Option("--install", metavar="", help="Copy the extension into Blender.")] = False,
    version: Annotated[
        str | None,
        typer.Option("--for", metavar="VERSION", help="Only for this Blender, such as 5.2.", show_default=False),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="DIR", help="Blender's folder of extensions, where it is not the usual one."),
    ] = None,
) -> None:
    """Install the Blender extension, which runs this Kinetune; without --install, say where it would go."""
    from kinetune.blender import extension_files
    from kinetune.errors import KinetuneError

    folders = {"": folder} if folder is not None else extension_files.find_folders()
    if version is not None and folder is None:
        folders = {name: each for name, each in folders.items() if name == version}
    if not folders:
        wanted = f"Blender {version}" if version else "a Blender that is new enough (4.5 or later)"
        raise KinetuneError(
            f"There is no folder of {wanted} here. Start Blender once, or name its folder of extensions with --folder."
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
