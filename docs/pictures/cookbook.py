"""The cookbook: every command and every line of Python is run on samples, and measured before and after.

    python docs/pictures/cookbook.py [GROUP ...]

Writes cookbook.txt, which the page includes, and a picture for each answer, and stops where an answer fails; some
groups alone are printed only.
"""

from __future__ import annotations

import contextlib
import csv
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import kinetune as kt
from kinetune import figures
from kinetune import rotations as rot
from kinetune.figures import palette

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "_ext"), str(HERE.parents[1])]

from cookbook_answers import GROUPS, Answer  # noqa: E402
from page_commands import RECIPE, run  # noqa: E402
from tests.retarget.small_robot import robot_text  # noqa: E402

from kinetune.body.quality.measures import flatten_measures  # noqa: E402
from kinetune.cli.show import label, shown  # noqa: E402

PLAIN = {
    "kick": "kick-1",
    "kick-2": "kick-2",
    "sad": "walk-sad",
    "happy": "walk-happy",
    "child": "walk-child",
    **{name: name for name in ("walk", "run", "wave", "knock", "drumming")},
}


def make_files() -> None:
    """The files that the answers read, out of samples: some as they are, some spoiled."""
    walk = kt.sample("walk")
    for name, sample in PLAIN.items():
        kt.write(kt.sample(sample), f"{name}.bvh")
    rng = np.random.default_rng(7)
    noise = rng.normal(0.0, np.radians(1.0), (*walk.rotations.shape[:2], 3))
    spikes = np.zeros_like(noise)
    spikes[[90, 200, 310]] = np.radians(25.0)
    head = np.zeros_like(noise)
    head[:, walk.skeleton.index("head"), 1] = np.radians(130.0) * np.sin(np.linspace(0.0, 9.0, len(walk)))
    spoiled = {
        "skating": walk.replace(root=walk.root * [1.0, 1.0, 1.06]),
        "sunk": kt.Move(y=-0.06)(walk),
        "floating": kt.Move(y=0.2)(walk),
        "jittery": _turned(walk, noise),
        "spiky": _turned(walk, spikes),
        "turning": kt.FollowFootsteps(path="circle:r=1.5", steps="samples")(walk),
        "wild": _turned(walk, head),
        "t-pose": _after_t_pose(walk),
        "zup": _z_up(walk),
    }
    for name, clip in spoiled.items():
        kt.write(clip.replace(contacts=None, history=()), f"{name}.bvh")
    _wrap_angles("turning.bvh", "flipping.bvh")
    poses = np.zeros((90, 156))
    poses[:, 3 * 16 + 2] = -1.2 + 0.2 * np.sin(np.linspace(0.0, 12.0, 90))
    np.savez(
        "poses.npz", poses=poses, trans=np.tile([0.0, 0.0, 0.95], (90, 1)), mocap_framerate=30.0, betas=np.zeros(16)
    )
    Path("robot.xml").write_text(robot_text())
    Path("recipe.yaml").write_text(RECIPE)
    Path("steps.csv").write_text("side,x,z,heading_deg\nleft,0.1,0.6,0\nright,-0.08,1.05,-3\n")
    Path("clips").mkdir()
    for name in ("walk", "walk-sad", "walk-happy", "wave"):
        kt.write(kt.sample(name), Path("clips", f"{name}.bvh"))
    kt.write(kt.Mirror()(kt.sample("wave")), Path("clips", "wave-mirrored.bvh"))
    for name, drawing in (("happy", "face-happy"), ("sad", "face-sad"), ("dog-1", "dog-1"), ("dog-2", "dog-2")):
        kt.write_drawing(kt.sample_drawing(drawing), f"{name}.svg")


def _angles(name: str) -> tuple[str, np.ndarray]:
    """What precedes the numbers of a BVH file that Kinetune wrote, and its numbers (frames, channels)."""
    head, numbers = re.split(r"(?<=\n)(?=[-\d])", Path(name).read_text(), maxsplit=1)
    return head, np.array([line.split() for line in numbers.splitlines()], dtype=float)


def _wrap_angles(source: str, target: str) -> None:
    """The file as a program writes it that keeps its angles within 180 degrees."""
    head, values = _angles(source)
    values[:, 3:] = (values[:, 3:] + 180.0) % 360.0 - 180.0
    rows = [" ".join(f"{value:.6f}" for value in row) for row in values]
    Path(target).write_text(head + "\n".join(rows) + "\n")


def largest_jump(name: str) -> float:
    """By how much an angle of a BVH file changes at most from frame to frame, degrees."""
    return float(np.abs(np.diff(_angles(name)[1][:, 3:], axis=0)).max())


def draw_angles(before: str, after: str) -> Any:
    """The angle of a BVH file that jumps most, there and in another file of the same motion."""
    jumps = np.abs(np.diff(_angles(before)[1], axis=0)).max(axis=0)
    channel = 3 + int(jumps[3:].argmax())
    with palette.new_figure(8.0, 2.2, None) as figure:
        ax = figure.subplots()
        for name, colour in ((before, palette.GHOST), (after, palette.EDITED)):
            ax.plot(_angles(name)[1][:, channel], color=colour, label=name)
        ax.set_ylabel("degrees")
        ax.set_xlabel("frame")
        ax.legend()
        return figure


def draw_table(name: str, column: str) -> Any:
    """A column of a table as bars, one for each clip."""
    with open(name, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with palette.new_figure(8.0, 0.3 * len(rows) + 0.8, None) as figure:
        ax = figure.subplots()
        ax.barh(
            [Path(next(iter(row.values()))).stem for row in rows],
            [float(row[column]) for row in rows],
            color=palette.EDITED,
        )
        ax.invert_yaxis()
        ax.set_xlabel(column.replace("_", " ").replace(" mm", ", mm"))
        return figure


def draw_film(clip: kt.Clip, ghost: kt.Clip | None) -> Any:
    """A few poses of a film."""
    return Image.open(kt.film(clip, "film.png", ghost=ghost, poses=5))


DRAW = {name: getattr(figures, name) for name in ("draw_strip", "draw_curves", "draw_walk")} | {
    "draw_angles": draw_angles,
    "draw_table": draw_table,
    "draw_film": draw_film,
    "largest_jump": largest_jump,
}


def _turned(clip: kt.Clip, vectors: np.ndarray) -> kt.Clip:
    return clip.replace(rotations=rot.multiply(clip.rotations, rot.exp(vectors)), contacts=None)


def _after_t_pose(clip: kt.Clip) -> kt.Clip:
    """Twenty frames of the rest pose, and then the clip."""
    rest = np.zeros((20, *clip.rotations.shape[1:]))
    rest[..., 0] = 1.0
    root = np.repeat(clip.root[:1], 20, axis=0)
    root[:, 1] = clip.skeleton.height * 0.53
    return kt.Clip(clip.skeleton, clip.fps, np.concatenate([root, clip.root]), np.concatenate([rest, clip.rotations]))


def _z_up(clip: kt.Clip) -> kt.Clip:
    """The clip as a program with Z up has it, in centimetres."""
    turn = rot.exp(np.array([np.pi / 2, 0.0, 0.0]))
    rotations = clip.rotations.copy()
    rotations[:, 0] = rot.multiply(turn, rotations[:, 0])
    return kt.Clip(clip.skeleton, clip.fps, rot.rotate(turn, clip.root), rotations)


def answered(answer: Answer) -> Iterator[str]:
    """An answer as Markdown, after it was run."""
    for line in answer.command.splitlines():
        code, printed = run(shlex.split(line)[1:])
        if code:
            raise SystemExit(f"{line}\n{printed}")
    before, after = _clips(answer)
    names: dict[str, Any] = DRAW | {
        "kt": kt,
        "np": np,
        "Path": Path,
        "clip": before or kt.sample("walk"),
        "before": before,
        "after": after,
    }
    with contextlib.redirect_stdout(None):
        exec(answer.python, names)
    yield from (f"### {answer.title}", "", answer.text, "", "```", answer.command, "```", "")
    yield from ("```python", answer.python, "```", "")
    yield from (f"Studio: {answer.studio}.", "")
    rows = list(_rows(answer, before, after, names))
    two = any(len(row) == 3 for row in rows)
    yield "| measured on a sample | before | after |" if two else "| measured on a sample | |"
    yield "|---|---|---|" if two else "|---|---|"
    for row in rows:
        yield f"| {' | '.join([*row, *[''] * (3 - len(row) if two else 0)])} |"
    yield ""
    yield from (f"![{answer.title}](pictures/{answer.picture or draw(answer, names)})", "")
    if answer.more:
        yield from (f"[More]({answer.more})", "")


def draw(answer: Answer, names: dict[str, Any]) -> str:
    """Draw the picture of an answer; the name of its file."""
    said = re.split("[.?,]", answer.title.removeprefix("How do I "))[0].lower()
    name = f"cookbook_{'_'.join(re.findall('[a-z]+', said)[:4])}.png"
    drawn = eval(answer.drawn, names)
    if isinstance(drawn, Image.Image):
        drawn.convert("RGB").save(HERE / name)
    else:
        figures.save(drawn, HERE / name)
    return name


def _rows(answer: Answer, before: Any, after: Any, names: dict[str, Any]) -> Iterator[list[str]]:
    if answer.measured:
        measured = [dict(flatten_measures(_numbers(kt.measure(clip)))) for clip in (before, after)]
        for name in answer.measured:
            yield [label(name), *(shown(values[name], name) for values in measured)]
    for expression, text in answer.shown:
        if "before" in expression and after is not None and "after" not in expression:
            yield [text, *(_text(eval(expression, names | {"before": clip})) for clip in (before, after))]
        else:
            yield [text, _text(eval(expression, names))]


def _numbers(values: Any) -> Any:
    return {
        name: _numbers(value) if isinstance(value, dict) else value
        for name, value in values.items()
        if name != "reasons" and not isinstance(value, str | list)
    }


def _text(value: Any) -> str:
    if isinstance(value, float):
        return shown(value + 0.0, "")
    return str(value)


def _clips(answer: Answer) -> tuple[kt.Clip | None, kt.Clip | None]:
    """The clip that the command reads and the one that it writes."""
    lines = answer.command.splitlines()
    words = shlex.split(next((line for line in lines if " -o " in line or " convert " in line), lines[0]))
    files = [
        word for word in words[2:] if Path(word).suffix in (".bvh", ".glb", ".npz", ".fbx") and Path(word).is_file()
    ]
    target = next((words[k + 1] for k, word in enumerate(words) if word == "-o"), None)
    if words[1] == "convert":
        target = files[1] if len(files) > 1 else None
    read = [file for file in files if file != target]
    source, result = (
        kt.read(name, **({"skeleton": "robot.xml"} if "qpos" in name else {})) if name in files else None
        for name in (read[0] if read else "", target or "")
    )
    return source, result


def main(only: list[str]) -> None:
    home = Path.cwd()
    rows: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            make_files()
            for group, answers in GROUPS.items():
                if only and group not in only:
                    continue
                rows += [f"## {group}", ""]
                for answer in answers:
                    print(answer.title, flush=True)
                    rows += answered(answer)
        finally:
            os.chdir(home)
    if only:
        print("\n".join(rows))
        return
    (HERE / "cookbook.txt").write_text("\n".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
