"""Build the documents: make the pictures and the reference, then run Sphinx with warnings as errors.

Pages land in docs/_build/html, pictures in docs/pictures beside the scripts that make them, and the reference, which is
read off the code, in docs/reference.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def write_knobs(path: Path) -> None:
    """One table for each operation, from its declaration."""
    from kinetune.operations import OPERATIONS

    rows = ["# Knobs", "", "Every operation with its knobs, as declared in the code.", ""]
    for tag, operation in sorted(OPERATIONS.items()):
        rows += [f"## {operation.__name__}", "", operation.summary(), ""]
        rows += [
            f"[What it does](../operations/{tag})",
            "",
            "| knob | starts at | unit | what it does |",
            "|---|---|---|---|",
        ]
        for name, field in operation.knobs().items():
            extra = field.json_schema_extra
            unit = extra.get("unit", "") if isinstance(extra, dict) else ""
            start = "needed" if field.is_required() else f"`{field.get_default(call_default_factory=True)!r}`"
            rows.append(f"| `{name}` | {start.replace('|', '/')} | {unit} | {field.description} |")
        rows.append("")
    path.write_text("\n".join(rows), encoding="utf-8")


def write_api(path: Path) -> None:
    """The public names, as ``kinetune.__all__`` has them."""
    import kinetune

    rows = ["# Public names", "", "What `import kinetune as kt` offers.", ""]
    for name in kinetune.__all__:
        value = getattr(kinetune, name)
        words = (
            (getattr(value, "__doc__", None) or "").strip().split("\n")[0]
            if not isinstance(value, str)
            else "The version."
        )
        rows.append(f"- `kt.{name}`: {words}")
    path.write_text("\n".join([*rows, ""]), encoding="utf-8")


def main() -> int:
    (HERE / "reference").mkdir(exist_ok=True)
    write_knobs(HERE / "reference" / "knobs.md")
    write_api(HERE / "reference" / "api.md")
    for script in sorted((HERE / "pictures").glob("*.py")):
        print(f"picture: {script.name}", flush=True)
        subprocess.run([sys.executable, str(script)], check=True, cwd=HERE / "pictures")
    target = HERE / "_build" / "html"
    done = subprocess.run([sys.executable, "-m", "sphinx", "-W", "--keep-going", "-b", "html", str(HERE), str(target)])
    if done.returncode == 0:
        print(f"The documents are in {os.path.relpath(target)}{os.sep}index.html")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
