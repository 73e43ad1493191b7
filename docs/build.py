"""Build the documents: make the pictures and the reference, fill the pages, then run Sphinx with warnings as errors.

    python docs/build.py [--pages] [--check] [--site FOLDER]

--pages leaves the pictures as they are and runs no commands of the pages. --check fails where a committed picture or a
block of a page differs from what the scripts make now. The site has a
folder for each version, and a page that lists them: docs/_build/html, or another folder, in which earlier ones stay.
A link within the site that leads nowhere fails the build.
"""

from __future__ import annotations

import argparse
import html
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))


def write_reference(folder: Path) -> None:
    """The parameters of all operations, and the public names."""
    from api_page import write_api
    from operation_examples import parameter_table

    from kinetune.operations import OPERATIONS

    folder.mkdir(parents=True, exist_ok=True)
    rows = ["# Parameters", "", "Every operation with its parameters, as declared in the code.", ""]
    for tag, operation in sorted(OPERATIONS.items()):
        rows += [f"## {operation.__name__}", "", operation.summary(), "", f"[What it does](../operations/{tag}.md)", ""]
        rows += [*parameter_table(tag), ""]
    (folder / "parameters.md").write_text("\n".join(rows), encoding="utf-8")
    write_api(folder / "api.md")


def make_pictures() -> list[str]:
    """Run every script in docs/pictures; returns the pictures that are no longer as they were committed."""
    from picture_files import Committed

    committed = Committed.read(HERE / "pictures")
    for script in sorted((HERE / "pictures").glob("*.py")):
        print(f"picture: {script.name}", flush=True)
        subprocess.run([sys.executable, str(script)], check=True, cwd=HERE / "pictures")
    return committed.settle()


def write_versions(site: Path, newest: str) -> None:
    """The first page of a site, which leads to the newest version, and the list of all."""
    found = (path.name for path in site.iterdir() if (path / "index.html").exists())
    names = sorted(found, key=lambda name: [int(part) for part in re.findall(r"\d+", name)], reverse=True)
    head = '<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
    rows = "".join(
        f'<li><a href="{html.escape(name)}/index.html">Kinetune {html.escape(name)}</a></li>' for name in names
    )
    (site / "versions.html").write_text(
        f"{head}<title>Versions</title><h1>Versions</h1><ul>{rows}</ul>", encoding="utf-8"
    )
    (site / "index.html").write_text(
        f'{head}<title>Kinetune</title><meta http-equiv="refresh" content="0; url={newest}/index.html">',
        encoding="utf-8",
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--site", type=Path, default=HERE / "_build" / "html")
    asked = parser.parse_args()
    from page_blocks import fill_pages
    from site_links import dead_links

    import kinetune

    write_reference(HERE / "reference")
    changed = [] if asked.pages else make_pictures()
    changed += [path.relative_to(HERE).as_posix() for path in fill_pages()]
    for name in changed:
        print(f"changed: docs/{name}; look at it and commit it")
    if not asked.pages:
        subprocess.run([sys.executable, str(HERE / "_ext" / "page_commands.py")], check=True)
    target = asked.site / kinetune.__version__
    cache = ["-d", str(HERE / "_build" / "cache")]
    call = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-b", "html", *cache, str(HERE), str(target)]
    if subprocess.run(call).returncode:
        return 1
    write_versions(asked.site, kinetune.__version__)
    dead = dead_links(asked.site)
    if dead:
        print("Links that lead nowhere:", *dead, sep="\n  ")
        return 1
    print(f"The documents are in {os.path.relpath(asked.site)}{os.sep}index.html")
    return 1 if asked.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
