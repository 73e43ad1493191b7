"""Run the scripts that judge quality on real clips, and keep what they print: python -m benchmarks.quality [NAME ...].

    python -m benchmarks.quality [NAME ...] [--output FOLDER]

Nothing is timed: numbers are those of motions, not of the machine. Each script runs in a process of its own, reads real
clips from $KINETUNE_DATA (or ``shared/data`` beside the checkout), and its words go into quality.json and quality.md; a
folder that holds an earlier record keeps what is not run again.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NAMES = tuple(sorted(path.stem.removeprefix("quality_") for path in HERE.glob("quality_*.py")))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="write what was printed as JSON and Markdown")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.names if name not in NAMES]
    if unknown:
        parser.error(f"there is no script {', '.join(unknown)}; there are {', '.join(NAMES)}")
    ran = [run_script(name) for name in asked.names or NAMES]
    if asked.output is not None:
        for path in write_quality(asked.output, ran):
            print(path)
        fill_pages()
    return int(any(one["failed"] for one in ran))


def fill_pages() -> None:
    """Put what is recorded into the pages that quote it."""
    subprocess.run([sys.executable, str(HERE.parent / "docs" / "_ext" / "page_blocks.py")], check=True)


def run_script(name: str) -> dict[str, Any]:
    """What one script prints, and whether it was content."""
    title = (ast.get_docstring(ast.parse((HERE / f"quality_{name}.py").read_text(encoding="utf-8"))) or "").splitlines()
    print(f"\n== {name}: {title[0]}", flush=True)
    call = [sys.executable, "-m", f"benchmarks.quality_{name}"]
    done = subprocess.run(call, cwd=HERE.parent, capture_output=True, text=True)
    print(done.stdout, done.stderr, sep="", flush=True)
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    return {
        "name": name,
        "title": title[0],
        "recorded": f"{datetime.now(UTC):%Y-%m-%d}",
        "lines": lines,
        "failed": bool(done.returncode),
    }


def write_quality(folder: Path, ran: Sequence[dict[str, Any]]) -> list[Path]:
    """quality.json and quality.md; scripts that were not run now stay as they were."""
    folder.mkdir(parents=True, exist_ok=True)
    file, page = folder / "quality.json", folder / "quality.md"
    before = json.loads(file.read_text(encoding="utf-8"))["scripts"] if file.exists() else []
    found = {one["name"]: one for one in [*before, *ran] if one["name"] in NAMES}
    kept = [found[name] for name in sorted(found)]
    file.write_text(json.dumps({"scripts": kept}, indent=1) + "\n", encoding="utf-8")
    rows: list[str] = []
    for one in kept:
        told = "" if not one["failed"] else " It was not content with what it found."
        rows += [f"## {one['name']}", "", f"{one['title']} Recorded on {one['recorded']}.{told}", ""]
        rows += ["```text", *one["lines"], "```", ""]
    page.write_text("\n".join(["# Quality on real clips", "", *rows]), encoding="utf-8")
    return [file, page]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
