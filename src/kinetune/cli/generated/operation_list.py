"""The operations by name and summary, read from their files without running them.

Help and completion list every operation; importing them all would cost more than everything else that help does.
The tag of an operation is the name of its file, and its summary the first line of its class docstring
(``test_operation_commands.py::test_the_list_agrees_with_the_registry``). A command that is run reads one file only.
"""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import kinetune


@functools.cache
def operation_files() -> dict[str, Path]:
    """Tag to file, in alphabetical order."""
    folder = Path(kinetune.__file__).parent / "operations"
    files = [file for file in sorted(folder.glob("*.py")) if not file.stem.startswith("_")]
    return {file.stem: file for file in files if file.stem not in ("base", "wording")}


@functools.cache
def summary(file: Path) -> str:
    """The first line of the docstring of the operation in a file."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and any(_declares_tag(statement) for statement in node.body):
            return (ast.get_docstring(node) or "").split("\n")[0]
    raise TypeError(f"{file} holds no operation.")


def command_name(tag: str) -> str:
    """The command of an operation: ``in_place`` is ``kinetune in-place``; the tag itself works too."""
    return tag.replace("_", "-")


def tag_of(command: str) -> str:
    """The inverse of :func:`command_name`."""
    return command.replace("-", "_")


def unmarked(text: str) -> str:
    """Words without the marks of reStructuredText."""
    return re.sub(r":\w+:`~?([^`]*)`", r"\1", text).replace("``", "").strip()


def escaped(text: str) -> str:
    """Brackets as brackets: Typer reads help as rich markup."""
    return text.replace("[", r"\[")


def _declares_tag(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.target.id == "op"
    )
