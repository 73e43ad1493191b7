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
sys.path.insert(0, str(HERE / "_ext"))


def write_reference(folder: Path) -> None:
    """The parameters of all operations, what each operation's page ends with, and the public names."""
    from api_page import write_api
    from operation_examples import EXAMPLES, parameter_table, write_page_end

    from kinetune.operations import OPERATIONS

    (folder / "operations").mkdir(parents=True, exist_ok=True)
    rows = ["# Parameters", "", "Every operation with its parameters, as declared in the code.", ""]
    for tag, operation in sorted(OPERATIONS.items()):
        rows += [f"## {operation.__name__}", "", operation.summary(), "", f"[What it does](../operations/{tag})", ""]
        rows += [*parameter_table(tag), ""]
    (folder / "parameters.md").write_text("\n".join(rows), encoding="utf-8")
    for tag in EXAMPLES:
        write_page_end(tag, folder / "operations" / f"{tag}.md")
    write_api(folder / "api.md")


def main() -> int:
    write_reference(HERE / "reference")
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
