"""The pictures and printed lines of the tutorials: each example is run, and what it prints and draws is kept."""

from __future__ import annotations

import contextlib
import io
import runpy
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
SHOWN = (
    "exaggerate_walk",
    "blend_walks",
    "hit_target",
    "walk_footsteps",
)


def main() -> None:
    for name in SHOWN:
        printed = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed):
            sys.argv = [f"{name}.py", folder]
            runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
            for picture in sorted(Path(folder).iterdir()):
                if picture.suffix in (".png", ".gif"):
                    shutil.copyfile(picture, HERE / f"start_{name}_{picture.name}")
        (HERE / f"start_{name}.txt").write_text(printed.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    main()
