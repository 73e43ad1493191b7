"""The Blender extension as files: copied into Blender's folder of extensions, or packed as a zip.

================  ==============================================================================
find_folders      the folders in which the Blenders of this user look for extensions
install           copy the extension there, with a note where Kinetune is
write_extension   the files of the extension, complete, in a folder
pack              the same as a zip, with wheels that Blender installs itself
================  ==============================================================================
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from kinetune import __version__
from kinetune.errors import FileError, KinetuneError

NAME = "kinetune"
_OLDEST = (4, 5)
_PACKED = Path(__file__).parent / "extension"
_CHECKOUT = Path(__file__).parents[3] / "blender"
_LEFT_OUT = ("__pycache__", "catalogue.json", "engine.json")


def extension_source() -> Path:
    """Where the code of the extension is: inside an installed package, or in a checkout."""
    for folder in (_PACKED, _CHECKOUT):
        if (folder / "blender_manifest.toml").is_file():
            return folder
    raise KinetuneError("This installation of Kinetune has no Blender extension in it. Install it again with pip.")


def find_folders() -> dict[str, Path]:
    """Version of Blender to the folder where it looks for extensions, the newest first."""
    stated = os.environ.get("BLENDER_USER_EXTENSIONS")
    if stated:
        return {"": Path(stated)}
    resources = os.environ.get("BLENDER_USER_RESOURCES")
    if resources:
        return {"": Path(resources) / "extensions"}
    if sys.platform == "win32":
        home = Path(os.environ.get("APPDATA", "~")).expanduser() / "Blender Foundation" / "Blender"
    elif sys.platform == "darwin":
        home = Path("~/Library/Application Support/Blender").expanduser()
    else:
        home = Path(os.environ.get("XDG_CONFIG_HOME", "~/.config")).expanduser() / "blender"
    named = [folder for folder in home.glob("*.*") if re.fullmatch(r"\d+\.\d+", folder.name)]
    versions = sorted(named, key=lambda folder: _number(folder.name), reverse=True)
    return {folder.name: folder / "extensions" for folder in versions if _number(folder.name) >= _OLDEST}


def install(folder: Path) -> Path:
    """Copy the extension into a folder of extensions, replacing an older one; it runs Kinetune with this Python.

    Returns the folder of the extension itself.
    """
    target = folder / "user_default" / NAME
    engine = {"python": sys.executable, "environment": _environment()}
    try:
        if target.is_symlink() or target.is_file():
            target.unlink()
        shutil.rmtree(target, ignore_errors=True)
        write_extension(target, engine=engine)
    except OSError as error:
        raise FileError(target, f"{(error.strerror or str(error)).lower()}.") from None
    return target


def write_extension(folder: Path, *, wheels: Sequence[str] = (), engine: Mapping[str, object] | None = None) -> None:
    """The files of the extension: its code, a manifest with these wheels, the list of operations.

    Parameters
    ----------
    engine : the Python that runs Kinetune and its environment, for a Blender that cannot run it itself.
    """
    from kinetune.blender._operator_catalogue import describe_operations

    shutil.copytree(extension_source(), folder, ignore=shutil.ignore_patterns(*_LEFT_OUT), dirs_exist_ok=True)
    manifest = folder / "blender_manifest.toml"
    text = re.sub(r'(?m)^version = ".*"$', f'version = "{__version__}"', manifest.read_text("utf-8"))
    if wheels:
        listed = "".join(f'  "./wheels/{name}",\n' for name in sorted(wheels))
        text = text.replace("\n[permissions]", f"\nwheels = [\n{listed}]\n\n[permissions]")
    manifest.write_text(text, "utf-8")
    (folder / "catalogue.json").write_text(json.dumps(describe_operations(), indent=1), "utf-8")
    if engine is not None:
        (folder / "engine.json").write_text(json.dumps(engine, indent=1), "utf-8")


def pack(target: Path, wheels: Sequence[Path], work: Path) -> Path:
    """The extension with wheels as a zip; ``work`` is an empty folder for its files."""
    write_extension(work, wheels=[wheel.name for wheel in wheels])
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(path for path in work.rglob("*") if path.is_file()):
            packed.write(file, file.relative_to(work).as_posix())
        for wheel in sorted(wheels):
            packed.write(wheel, f"wheels/{wheel.name}", zipfile.ZIP_STORED)  # compressed already
    return target


def _environment() -> dict[str, str]:
    """What the Python needs in order to have this Kinetune: nothing, unless it was named by PYTHONPATH."""
    path = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": path} if path else {}


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
