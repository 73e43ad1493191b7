"""Your own shaping curves, saved by name in a small JSON file.

============  =====================================================
save_curve    save a curve under a name
load_curve    load it again
list_curves   the names in a file
delete_curve  delete a curve
============  =====================================================

The file is ``{"version": 1, "curves": {"my curve": {"points": [[-1, -1], [1, 0.5]]}}}``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from kinetune.errors import FileError, MalformedFileError, ParameterError, UnknownNameError
from kinetune.input_files import read_input, reading
from kinetune.signals.shaping.shaping_curve import ShapingCurve

VERSION = 1
MOST_BYTES = 10_000_000


def save_curve(path: str | Path, name: str, curve: ShapingCurve) -> Path:
    """Save a curve under a name, next to those that the file has; a curve of the same name is replaced.

    Parameters
    ----------
    path : str or Path
        The file; it is created if it does not exist.
    name : str
        What to call the curve.
    curve : ShapingCurve

    Returns
    -------
    Path
        The file.
    """
    path = Path(path)
    if not name.strip():
        raise ParameterError("The name of a curve must not be empty.")
    curves = _read(path) if path.exists() else {}
    return _write(path, {**curves, name: curve.to_plain()})


def load_curve(path: str | Path, name: str) -> ShapingCurve:
    """Load a curve by the name under which it was saved; ``kt.Shape(curve=name, library=path)`` does so too."""
    with reading(path):
        curves = _read(Path(path))
        if name not in curves:
            raise UnknownNameError("curve", name, curves, advice=f"{path} has: {', '.join(curves) or 'none yet'}.")
        try:
            return ShapingCurve.from_plain(curves[name])
        except ParameterError as error:
            raise MalformedFileError(path, f'The curve "{name}": {error}') from None


def list_curves(path: str | Path) -> list[str]:
    """The names of the curves in a file, in the order in which they were saved."""
    with reading(path):
        return list(_read(Path(path)))


def delete_curve(path: str | Path, name: str) -> Path:
    """Delete a curve from a file."""
    path = Path(path)
    curves = _read(path)
    if name not in curves:
        raise UnknownNameError("curve", name, curves)
    return _write(path, {other: curve for other, curve in curves.items() if other != name})


def _read(path: Path) -> dict[str, Any]:
    data = read_input(path, largest=MOST_BYTES, what="a file of curves")
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise MalformedFileError(path, "This is not JSON.", line=line, advice="Save the curve again.") from None
    curves = content.get("curves") if isinstance(content, dict) else None
    if not isinstance(curves, dict) or content.get("version") != VERSION:
        raise MalformedFileError(
            path, f'This is no file of curves of version {VERSION}: {{"version": 1, "curves": ...}}.'
        )
    return curves


def _write(path: Path, curves: dict[str, Any]) -> Path:
    temporary = path.with_name(f".partial-{path.name}")
    try:
        temporary.write_text(json.dumps({"version": VERSION, "curves": curves}, indent=1) + "\n", encoding="utf-8")
        os.replace(temporary, path)
    except OSError as error:
        raise FileError(path, f"It cannot be written ({error.strerror or error}).") from None
    finally:
        temporary.unlink(missing_ok=True)
    return path
