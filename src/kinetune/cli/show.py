"""What people see: tables, messages, a progress bar on a terminal and none in a pipe."""

from __future__ import annotations

import csv
import io
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


def console() -> Console:
    """Standard output; names from files are printed as they are, never read as markup."""
    from rich.console import Console

    wide = None if sys.stdout.isatty() else 200  # a pipe has no edge at which to break lines
    return Console(markup=False, highlight=False, emoji=False, soft_wrap=True, width=wide)


@contextmanager
def warnings_as_messages() -> Iterator[None]:
    """Print warnings as other messages are printed: one line on standard error, without the place in our code."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: print(f"kinetune: {message}", file=sys.stderr)
        yield


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str] = ()) -> None:
    """A table with a heading; the columns named in ``right`` are numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console().print(table, soft_wrap=False)


def print_facts(facts: Mapping[str, str]) -> None:
    """Names and values, aligned."""
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        console().print(f"{name.ljust(width)}  {value}")


def print_measures(measured: Mapping[str, Mapping[str, Any]]) -> None:
    """Measures side by side, one column for each clip; why one is missing is said below."""
    from kinetune.body.quality.measures import flatten_measures

    columns = {name: dict(flatten_measures(_numbers(values))) for name, values in measured.items()}
    names = list(dict.fromkeys(name for values in columns.values() for name in values))
    rows = [[label(name), *(shown(values.get(name), name) for values in columns.values())] for name in names]
    print_table(["measure", *measured], rows, right=list(measured))
    for clip, values in measured.items():
        for sentence in dict.fromkeys(values.get("reasons", {}).values()):
            console().print(f"{clip}: {sentence}")


def _numbers(values: Mapping[str, Any]) -> dict[str, Any]:
    """What fits into a table: numbers, also nested, and what is missing."""
    numeric = {name: value for name, value in values.items() if name != "reasons" and not isinstance(value, str | list)}
    return {name: _numbers(value) if isinstance(value, Mapping) else value for name, value in numeric.items()}


def csv_text(measured: Mapping[str, Mapping[str, Any]]) -> str:
    """Measures as CSV, one line for each clip; nested values are spread over columns such as ``slide.left``."""
    from kinetune.body.quality.measures import flatten_measures

    lines = {file: dict(flatten_measures(values)) for file, values in measured.items()}
    names = list(dict.fromkeys(name for values in lines.values() for name in values))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["file", *names])
    writer.writerows([file, *(values.get(name) for name in names)] for file, values in lines.items())
    return text.getvalue()


_UNITS = {"_mm_per_s": "mm/s", "_mm_s": "mm/s", "_mm": "mm", "_deg": "deg", "_s": "s"}
"""How the name of a measure ends, and the unit that this says."""


def label(name: str) -> str:
    """A measure as people call it: ``foot_slide_mm`` is "foot slide"; programs read the name with ``--json``."""
    ending = next((ending for ending in _UNITS if name.endswith(ending)), "")
    return name.removesuffix(ending).replace("_", " ").replace(".", ", ")


def shown(value: Any, name: str) -> str:
    """A value with its unit and as many digits as one can see."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    unit = next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), "")
    return f"{number_text(value)} {unit}".strip()


def number_text(value: float) -> str:
    """A number with three digits that count, never with an exponent: 12,300, 12.3, 0.12."""
    if isinstance(value, int) or abs(value) >= 100.0 or value == 0.0:
        return f"{value:,.0f}"
    decimals = 1 if abs(value) >= 10.0 else 2
    return f"{value:.{decimals}f}" if abs(value) >= 0.005 else ("under 0.01" if value > 0.0 else "0")


@contextmanager
def bar() -> Iterator[None]:
    """A progress bar on a terminal for what the work inside reports (:mod:`kinetune.progress`); nothing in a pipe."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from kinetune.progress import reporting

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)

        def show(share: float | None, text: str) -> None:
            if share is None:
                progress.update(task, description=text)
            else:
                progress.update(task, completed=share, total=1.0, description=text)

        with reporting(show):
            yield
