"""The page of public names: signature and docstring of everything that ``import kinetune`` offers."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import kinetune as kt
from kinetune.operations.base import Operation

SECTIONS = ("Parameters", "Returns", "Raises", "Notes", "Examples", "Attributes", "Yields", "See Also")


def write_api(path: Path) -> None:
    """One entry for each name: those of every day, then what each sub-module offers."""
    rows = ["# Public names", "", "What `import kinetune as kt` offers: the names of every day, then sub-modules.", ""]
    rows += ["Names marked `kt.NAME` below a sub-module can be used in both ways.", ""]
    values = {name: getattr(kt, name) for name in kt.__all__}
    for name, value in values.items():
        if not inspect.ismodule(value):
            rows += [f"## kt.{name}", "", *_entry(name, value), ""]
    for name, module in values.items():
        if inspect.ismodule(module):
            rows += [f"## Module kt.{name}", "", *_docstring(inspect.getdoc(module) or ""), ""]
            for part in _names_of(module):
                if part not in values:
                    also = f" (`kt.{part}`)" if part in kt._HOME_OF else ""
                    rows += [f"### kt.{name}.{part}{also}", "", *_entry(f"{name}.{part}", getattr(module, part)), ""]
    path.write_text("\n".join(rows), encoding="utf-8")


def _names_of(module: ModuleType) -> list[str]:
    """What a module lists; where it has no list its classes, or else its functions."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return sorted(listed)
    public = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    defined = {n: v for n, v in public.items() if getattr(v, "__module__", "") == module.__name__}
    return sorted(n for n, v in defined.items() if inspect.isclass(v)) or sorted(defined)


def _entry(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield "The version, as text."
        return
    yield from ("```python", f"kt.{name}{_signature(value)}", "```", "")
    if inspect.isclass(value) and issubclass(value, Operation) and value is not Operation:
        tag = value.model_fields["op"].default
        yield f"{value.summary()} [Its page](../operations/{tag}), with all parameters."
        return
    yield from _docstring(inspect.getdoc(value) or "")


def _signature(value: Any) -> str:
    """Arguments without their types, which the text below gives."""
    if inspect.isclass(value) and issubclass(value, (Operation, Exception)):
        return "(...)"
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return "(...)"
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in parameters if not p.name.startswith("_")]
    text = str(inspect.Signature(plain))
    return "(...)" if re.search(r"<[^>]*object at|<factory>", text) else text


def _docstring(text: str) -> Iterator[str]:
    """A docstring as Markdown: text as it is, parameters as a list, examples and tables as code."""
    lines = text.splitlines()
    section, block = "", list[str]()
    for number, line in enumerate([*lines, ""]):
        below = lines[number + 1] if number + 1 < len(lines) else ""
        if line in SECTIONS and below and set(below) == {"-"}:
            yield from _part(section, block)
            section, block = line, []
        elif not (line and set(line) == {"-"}):
            block.append(line)
    yield from _part(section, block)


def _part(section: str, block: list[str]) -> Iterator[str]:
    words = "\n".join(block).strip("\n")
    if not words.strip():
        return
    if section:
        yield from (f"**{section}**", "")
    if section == "Examples" or "::" in words or "====" in words:
        yield from ("```text" if section != "Examples" else "```python", words, "```", "")
    else:
        yield from _prose(words, listed=section in ("Parameters", "Returns", "Raises") or not section)


def _prose(words: str, *, listed: bool) -> Iterator[str]:
    for line in words.splitlines():
        entry = re.match(r"([\w, *`]{1,110}) : (.*)", line) if listed else None
        if entry is not None:
            yield f"- `{entry[1].strip('`')}`: {_marked(entry[2])}"
        elif listed and line.startswith("    "):
            yield f"  {_marked(line.strip())}"
        else:
            yield _marked(line)
    yield ""


def _marked(line: str) -> str:
    """reStructuredText roles and double backticks as Markdown; what Markdown would take for markup, as it is."""
    line = re.sub(r":math:`([^`]*)`", r"$\1$", line)
    line = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", line)
    line = re.sub(r"``([^`]*)``", r"`\1`", line)
    parts = re.split(r"(`[^`]*`|\$[^$]*\$)", line)
    return "".join(p if k % 2 else re.sub(r"([\[\]<>*_|])", r"\\\1", p) for k, p in enumerate(parts))
