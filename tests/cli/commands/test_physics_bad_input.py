"""Files that physics cannot take as they are: commands and recipes give a right answer or one clear sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import Result

import kinetune as kt
from kinetune import rotations as rot
from tests.cli.conftest import Kinetune, told
from tests.operations import making

TALL = "The character is 40.8 m tall, and physics needs true metres"
COMMANDS = ("physics", "filter-dynamics", "splice", "filter_dynamics in a recipe", "splice in a recipe")


def walk() -> kt.Clip:
    return kt.sample("walk")[:60]


def quadruped() -> kt.Clip:
    """A box on four legs that sways a little."""
    names, parents, offsets, tips = ["body", "chest"], [-1, 0], [(0.0, 0.5, 0.0), (0.0, 0.0, 0.4)], []
    for name, parent, x, z in (
        ("fl", 1, 0.12, 0.05),
        ("fr", 1, -0.12, 0.05),
        ("hl", 0, 0.12, -0.2),
        ("hr", 0, -0.12, -0.2),
    ):
        names += [f"{name}_hip", f"{name}_knee"]
        parents += [parent, len(names) - 2]
        offsets += [(x, 0.0, z), (0.0, -0.25, 0.02)]
        tips.append(kt.EndSite(len(names) - 1, (0.0, -0.25, -0.02)))
    skeleton = kt.Skeleton(tuple(names), np.array(parents), np.array(offsets), tuple(tips))
    sway = np.zeros((60, len(names), 3))
    sway[:, 2::2, 0] = 0.05 * np.sin(np.arange(60) / 15.0)[:, None]
    return kt.Clip(skeleton, 60.0, np.tile([0.0, 0.5, 0.0], (60, 1)), rot.exp(sway))


def large() -> kt.Clip:
    clip = walk()
    return clip.replace(skeleton=clip.skeleton.scaled(23.0), root=23.0 * clip.root)


CLIPS: dict[str, Callable[[], kt.Clip]] = {
    "no feet": lambda: making.pendulums(60),
    "floating": lambda: walk().replace(root=walk().root + np.array([0.0, 3.0, 0.0])),
    "two frames": lambda: walk()[:2],
    "15 fps": lambda: kt.Resample(fps=15)(walk()),
    "40 m": large,
    "quadruped": quadruped,
    "not a number": walk,
    "no friction": walk,
}
FALLS = {("no feet", "filter-dynamics"): "the character falls"}
"""Results that miss what was asked, and are not written."""
REFUSED = {
    ("two frames", "physics"): "three frames; the clip has 2. Give a longer part",
    ("two frames", "filter-dynamics"): "at least 4 frames to see accelerations; this clip has 2. Give it a longer part",
    ("40 m", "physics"): TALL,
    ("40 m", "filter-dynamics"): TALL,
    ("not a number", "physics"): 'is "nan", which is not a number. Correct that line',
    ("not a number", "filter-dynamics"): 'is "nan", which is not a number. Correct that line',
    ("not a number", "splice"): 'is "nan", which is not a number. Correct that line',
}
SAID = {
    ("no feet", "physics"): "Nothing rests on the ground",
    ("floating", "physics"): "The feet float above Y = 0 by 300 cm",
    ("15 fps", "physics"): "At 15 frames a second accelerations are coarse",
    ("quadruped", "physics"): "The character is not a standing human",
    ("no friction", "physics"): "needs more friction than there is",
    ("no friction", "filter-dynamics"): "The whole-clip method was used",
}


def written(case: str, folder: Path) -> Path:
    """The clip as a file; large figures in our own format, since units of a BVH file are guessed."""
    path = folder / ("in.npz" if case == "40 m" else "in.bvh")
    kt.write(CLIPS[case](), path)
    if case == "not a number":
        lines = path.read_text().splitlines()
        row = next(k for k, line in enumerate(lines) if line.startswith("Frame Time")) + 5
        lines[row] = " ".join(["nan" if k == 10 else word for k, word in enumerate(lines[row].split())])
        path.write_text("\n".join(lines) + "\n")
    return path


def ran(kinetune: Kinetune, case: str, command: str, path: Path, out: Path) -> Result:
    ice = {"mu": 0} if case == "no friction" else {}
    flags = [word for name, value in ice.items() for word in (f"--{name}", value)]
    if command == "physics":
        return kinetune("physics", path, *flags)
    if command == "splice":
        return kinetune("splice", path, path, "-o", out)
    if command == "filter-dynamics":
        return kinetune("filter-dynamics", path, "-o", out, *flags)
    recipe = path.with_name("recipe.yaml")
    step = {"op": "splice", "second": "source"} if command.startswith("splice") else {"op": "filter_dynamics", **ice}
    recipe.write_text(json.dumps({"version": 1, "steps": [step]}))
    return kinetune("apply", recipe, path, "-o", out)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("case", CLIPS)
def test_a_right_answer_or_one_sentence(kinetune: Kinetune, tmp_path: Path, case: str, command: str) -> None:
    path, out = written(case, tmp_path), tmp_path / "out.npz"
    done = ran(kinetune, case, command, path, out)
    like = command.split()[0].replace("_", "-")
    refused = REFUSED.get((case, like))
    if refused is not None:
        assert refused in told(done)
        assert not out.exists()
        return
    if (case, like) in FALLS:
        assert done.exit_code == 3
        assert FALLS[case, like] in done.output.replace("\n", " ")
        assert not out.exists()
        return
    assert done.exit_code == 0, done.stderr
    assert SAID.get((case, like), "") in done.stdout.replace("\n", " ")
    if command != "physics":
        made, given = kt.read(out), kt.read(path)
        assert np.isfinite(made.positions()).all()
        assert made.fps == given.fps
        assert len(made) == len(given) or like == "splice"


@pytest.mark.slow
def test_floating_feet_and_coarse_frames_come_out_close(kinetune: Kinetune, tmp_path: Path) -> None:
    """A clip in the air stands on the ground that its feet show; few frames a second are filtered at more."""
    for case in ("floating", "15 fps", "quadruped"):
        path, out = written(case, tmp_path), tmp_path / f"{case[:2]}.npz"
        assert kinetune("filter-dynamics", path, "-o", out).exit_code == 0
        assert np.abs(kt.read(out).positions() - kt.read(path).positions()).max() < 0.06
