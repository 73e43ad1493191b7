"""The commands of the pages, and a folder with the files that they name, to run each of them.

python docs/_ext/page_commands.py [PAGE ...]

Without pages it runs those of all, and prints how long each took.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
NOT_RUN = ("studio", "warmup", "reproduce", "completion", "bench", "blender", "--scheduler")
NOT_RUN += ("g1.urdf", "g1.xml", "avatar.vrm", "fox.glb", "trial.c3d")
"""Words of commands that wait for a person or a cluster, name a model that we may not ship, or are tested elsewhere."""
SAMPLES = {
    "kick": "kick-1",
    "kick-a": "kick-1",
    "kick-b": "kick-2",
    "hard": "kick-1",
    "double": "kick-1",
    "run": "run",
    "wave": "wave",
    "drink": "sit-and-drink",
    "knock": "knock",
    "sad": "walk-sad",
    "walk-sad": "walk-sad",
    "happy": "walk-happy",
    "walk-happy": "walk-happy",
    "march": "walk-march",
    "stagger": "walk-stagger",
    "hero": "walk-child",
    "avatar": "walk-child",
    **{f"reach_{number}": f"reach-{number:02}" for number in range(1, 9)},
}
"""The sample behind a file that a page names; the others are walks."""
RECIPE = "version: 3\nsteps:\n  - op: smooth\n    cutoff_hz: 8\n"
MIX = "version: 3\ninputs:\n  mood:\nsteps:\n  - op: blend\n    other: mood\n    weight: 0.5\n"
ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
<path d="M3 9H16L18 5H22V9L20 11L17 12V21H15V15H6V21H4V15L3 13Z" fill="#444"/></svg>
"""
TEXTS = {"mix.yaml": MIX, "blended.yaml": MIX.replace("mood", "other"), "icon.svg": ICON}
TEXTS["kinetune.limits.yaml"] = "fail: [foot-slide]\n"


def commands(page: Path) -> Iterator[list[str]]:
    """Every ``kinetune`` command in the code blocks of a page, as words. Text behind two blanks is a comment."""
    language: str | None = None
    for line in page.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        text = line.strip()
        if text.startswith("```"):
            language = text[3:] if language is None else None
            continue
        text = re.split(r"\s{2,}|\s+[#>]", text)[0].removeprefix("$ ")
        meant = language in ("", "sh", "bash", "console", "text") and text.startswith("kinetune ")
        if meant and not re.search(r"\b(COMMAND|OPERATION)\b| \| ", text):
            yield shlex.split(text)[1:]


def runs(words: Sequence[str]) -> bool:
    """Whether a command can be run without a person, a browser or a cluster."""
    shown = not any(word in NOT_RUN or word.endswith("...") for word in words)
    return shown and ("--character", "hero.fbx") not in pairwise(words)


def make_files(words: Sequence[str]) -> None:
    """Put the files that a command reads into the current folder, where they are not there yet."""
    written = {words[k + 1] for k, word in enumerate(words[:-1]) if word in ("-o", "--output")}
    for word in words:
        if (
            not re.fullmatch(r"[\w./*-]*[\w*]\.\w+|[a-z]+/", word.split("=")[-1])
            or word in written
            or word.startswith("-")
        ):
            continue
        word = word.split("=")[-1]
        if word.endswith("/") or "*" in word:
            folder = Path(re.split(r"[*]", word)[0].rstrip("/"))
            suffix = Path(word).suffix or ".bvh"
            stems = [f"reach_{k}" for k in range(1, 9)] if folder.name == "reach" else ["walk", "march"]
            for stem in stems:
                _make_file(folder / f"{stem}{suffix}")
        else:
            _make_file(Path(word))


def _make_file(path: Path) -> None:
    import kinetune as kt

    if path.exists() or path.is_absolute():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.name in TEXTS or path.suffix in (".yaml", ".yml"):
        path.write_text(TEXTS.get(path.name, RECIPE), encoding="utf-8")
    elif path.suffix == ".svg":
        names = {
            "dog": "dog-1",
            "dog-1": "dog-1",
            "dog-2": "dog-2",
            "rabbit": "face-sad",
            "b": "face-sad",
            "down": "face-sad",
        }
        kt.write_drawing(kt.sample_drawing(names.get(path.stem, "face-happy")), path)
    elif path.name == "steps.csv":
        path.write_text("side,x,z,heading_deg\nleft,0.1,0.6,0\nright,-0.08,1.05,-3\n", encoding="utf-8")
    elif path.suffix == ".xml":
        sys.path.append(str(DOCS.parent))
        from tests.retarget.small_robot import robot_text

        path.write_text(robot_text(), encoding="utf-8")
    elif path.suffix in (".bvh", ".glb", ".fbx", ".vrm", ".vrma", ".npz"):
        clip = kt.sample(SAMPLES.get(path.stem, "walk"))
        part = clip[:150] if path.stem not in SAMPLES and path.parent == Path() else clip
        kt.write(part, path)


def run(words: Sequence[str]) -> tuple[int, str]:
    """Run a command in this process; returns its exit code and what it printed."""
    from kinetune.cli import main

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            main(list(words))
            code = 0
        except SystemExit as left:
            code = int(left.code or 0)
    return code, printed.getvalue()


def main(pages: Sequence[str]) -> int:
    sys.path.insert(0, str(DOCS / "_ext"))
    from page_blocks import pages as all_pages

    chosen = [Path(page).resolve() for page in pages] or [DOCS.parent / "README.md", *all_pages()]
    failed, done = 0, set()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for page in chosen:
            for words in commands(page):
                if not runs(words) or tuple(words) in done:
                    continue
                done.add(tuple(words))
                begun = time.process_time()
                make_files(words)
                code, printed = run(words)
                took = time.process_time() - begun
                failed += code != 0
                print(
                    f"{took:6.2f} s  {'ok' if code == 0 else f'exit {code}'}  {page.stem}: {shlex.join(words)}",
                    flush=True,
                )
                if code:
                    print("    " + printed.strip().replace("\n", "\n    "), flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
