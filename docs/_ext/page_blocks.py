"""Blocks of pages that scripts write, between comments that no reader sees.

==============================  ===============================================================================
``<!-- claims_reach -->``       what ``make bench`` recorded (:mod:`recorded`); also ``lines_...``
``<!-- quality_replay -->``     what ``make quality`` recorded
``<!-- include FILE -->``       a text that a script in ``docs/pictures`` wrote
``<!-- output FILE -->``        the same, as it was printed
``<!-- code FILE TEXT -->``     a script, from the line that begins with TEXT
``<!-- operation smooth -->``   what the page of an operation ends with (:mod:`operation_examples`)
``<!-- operations -->``         the list of all operations; ``<!-- decisions -->`` that of decisions
==============================  ===============================================================================

A block ends with ``<!-- end include -->``. Files are named from ``docs/``; one that is not there leaves its block as it
is, since it is made by a build. So every page reads as it is, in the repository and on the site.

    python docs/_ext/page_blocks.py        fill the blocks of all pages
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
RECORDED = ("claims", "lines", "quality")
BLOCK = re.compile(r"^<!-- (?P<kind>\w+)(?P<more> [^\n]*?)? -->\n(?P<text>.*?)^<!-- end (?P=kind) -->$", re.M | re.S)


def pages() -> list[Path]:
    """Every page that is written by hand."""
    left_out = {"_build", "reference"}
    return sorted(path for path in DOCS.rglob("*.md") if not left_out & set(path.relative_to(DOCS).parts))


def filled(page: str) -> str:
    """A page with its blocks as the scripts write them."""

    def put(block: re.Match[str]) -> str:
        text = _text(block["kind"], (block["more"] or "").strip())
        if text is None:
            return block[0]
        return f"<!-- {block['kind']}{block['more'] or ''} -->\n\n{text.strip()}\n\n<!-- end {block['kind']} -->"

    return BLOCK.sub(put, page)


def fill_pages() -> list[Path]:
    """Fill the blocks of all pages; returns those that changed."""
    changed = []
    for path in pages():
        before = path.read_text(encoding="utf-8")
        after = filled(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            changed.append(path)
    return changed


def _text(kind: str, more: str) -> str | None:
    if kind.partition("_")[0] in RECORDED:
        return _recorded()[kind]
    writer = _WRITERS.get(kind)
    return None if writer is None else writer(more)


@cache
def _recorded() -> dict[str, str]:
    from recorded import substitutions

    scripts = DOCS.parent / "benchmarks"
    names = [
        sorted(path.stem.removeprefix(kind) for path in scripts.glob(f"{kind}*.py")) for kind in ("bench_", "quality_")
    ]
    return substitutions(DOCS / "benchmarks", *names)


def _include(more: str) -> str | None:
    path = DOCS / more
    return path.read_text(encoding="utf-8") if path.exists() else None


def _output(more: str) -> str | None:
    text = _include(more)
    return None if text is None else f"```text\n{text.strip()}\n```"


def _code(more: str) -> str | None:
    file, _, start = more.partition(" ")
    text = _include(file)
    if text is None:
        return None
    at = re.search(rf"^{re.escape(start)}", text, re.M)
    return f"```python\n{text[at.start() if at else 0 :].strip()}\n```"


def _operation(tag: str) -> str:
    from operation_examples import page_end

    return page_end(tag)


def _operations(_: str) -> str:
    from kinetune.operations import OPERATIONS

    return "\n".join(f"- [{op.__name__}]({tag}.md): {op.summary()}" for tag, op in sorted(OPERATIONS.items()))


def _decisions(_: str) -> str:
    """Number, title and file of every decision; a title may begin with its number."""
    rows = []
    for path in sorted((DOCS / "decisions").glob("0*.md")):
        title = path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
        number = int(path.name[:4])
        rows.append(f"- [{number}. {title.removeprefix(f'{number}. ')}]({path.name})")
    return "\n".join(rows)


_WRITERS: dict[str, Callable[[str], str | None]] = {
    "include": _include,
    "output": _output,
    "code": _code,
    "operation": _operation,
    "operations": _operations,
    "decisions": _decisions,
}


def toctrees(text: str) -> str:
    """A page for Sphinx: a list between ``<!-- pages TITLE -->`` and its end, or of operations, is its menu too."""

    def put(block: re.Match[str]) -> str:
        targets = re.findall(r"\]\(([^)#]+?)(?:\.md|\.ipynb)?\)", block["text"])
        return "\n".join([block["text"], *_menu((block["more"] or "").strip(), targets)])

    return re.sub(BLOCK.pattern.replace(r"\w+", "pages|operations|decisions", 1), put, text, flags=re.M | re.S)


def _menu(title: str, targets: list[str]) -> Iterator[str]:
    yield from ("```{toctree}", ":hidden:", ":maxdepth: 1")
    yield from ([f":caption: {title}"] if title else [])
    yield from ("", *targets, "```", "")


if __name__ == "__main__":
    sys.path.insert(0, str(DOCS / "_ext"))
    for changed in fill_pages():
        print(f"filled: {changed.relative_to(DOCS)}")
