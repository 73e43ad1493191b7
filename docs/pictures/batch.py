"""The recorded run of the page on libraries: every sample, exaggerated, with one file that is no clip."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from pathlib import Path

from kinetune import sample, samples, write
from kinetune.cli.app import app

HERE = Path(__file__).parent
RECIPE = "steps:\n  - op: equalize\n    preset: exaggerate\n  - op: plant_feet\n"


def main() -> None:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            output = _recorded()
        finally:
            os.chdir(before)
    output = output.replace(os.path.realpath(folder) + os.sep, "").replace(folder + os.sep, "")
    (HERE / "batch_run.txt").write_text(output, encoding="utf-8")


def _recorded() -> str:
    for name in samples():
        clip = sample(name)
        if "left foot" in clip.skeleton.roles:
            path = Path("clips", name.split("-")[0], f"{name}.bvh")
            path.parent.mkdir(parents=True, exist_ok=True)
            write(clip, path)
    Path("clips", "notes.bvh").write_text("Ask for the second take.\n")
    Path("exaggerate.yaml").write_text(RECIPE)
    command = ["batch", "exaggerate.yaml", "clips/**/*.bvh", "-o", "exaggerated"]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        app(command, prog_name="kinetune")
    shown = "$ kinetune batch exaggerate.yaml 'clips/**/*.bvh' -o exaggerated\n"
    return shown + "\n".join(line.rstrip() for line in printed.getvalue().splitlines()) + "\n"


if __name__ == "__main__":
    main()
