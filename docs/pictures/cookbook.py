"""The cookbook: every command and every line of Python is run, and measured before and after.

    python docs/pictures/cookbook.py [PART ...]

They run on samples, and again on captured clips under the same names. Writes cookbook.txt, which the page includes, and
a picture for each answer, and stops where an answer fails. With parts (of groups or of titles), the others stay as they
are. Where the captured clips are not there, their numbers stay those of cookbook_captured.json.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import shlex
import shutil
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
from operation_examples import DATA  # noqa: E402
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
CAPTURED = {
    "walk": "cmu/82_11.bvh",
    "run": "cmu/82_12.bvh",
    "wave": "cmu/82_16.bvh",
    "knock": "cmu/82_16.bvh",
    "sad": "cmu/82_10.bvh",
    "happy": "cmu/82_12.bvh",
    "kick": "cmu/74_03.bvh",
    "kick-2": "cmu/74_06.bvh",
    "drumming": "cmu/79_18.bvh",
    "steps-of": "cmu/104_02.bvh",
    "skating": "cmu/82_12.bvh",
    "sunk": "accad/Male1_B3_Walk.bvh",
    "jittery": "cmu/74_06.bvh",
    "t-pose": "cmu/07_01.bvh",
}
"""The captured clips that take the names of samples; what is missing is spoiled out of the walk, as with samples."""
RECORD = HERE / "cookbook_captured.json"


def make_files(captured: bool = False) -> None:
    """The files that the answers read, out of samples or captured clips: some as they are, some spoiled."""
    for name, sample in PLAIN.items():
        kt.write(kt.sample(sample), f"{name}.bvh")
    for name, file in CAPTURED.items() if captured else ():
        first = int(file.startswith("cmu/") and name != "t-pose")  # CMU's begin with a T-pose
        rate = {"fps": 60.0} if file.startswith("cmu/74_") else {}  # labelled 120, captured at 60
        kt.write(kt.read(DATA / file, **rate)[first:], f"{name}.bvh")
    walk = kt.read("walk.bvh")
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
        if not (captured and name in CAPTURED):
            kt.write(clip.replace(contacts=None, history=()), f"{name}.bvh")
    if captured:
        kt.write(kt.read(DATA / "accad/Male1_B15_WalkTurnAround.bvh"), "turning.bvh")
    _wrap_angles("turning.bvh", "flipping.bvh")
    poses = np.zeros((90, 156))
    poses[:, 3 * 16 + 2] = -1.2 + 0.2 * np.sin(np.linspace(0.0, 12.0, 90))
    np.savez(
        "poses.npz", poses=poses, trans=np.tile([0.0, 0.0, 0.95], (90, 1)), mocap_framerate=30.0, betas=np.zeros(16)
    )
    Path("robot.xml").write_text(
        (DATA / "robots/unitree_g1.xml").read_text(encoding="utf-8") if captured else robot_text()
    )
    Path("recipe.yaml").write_text(RECIPE)
    Path("steps.csv").write_text("side,x,z,heading_deg\nleft,0.1,0.6,0\nright,-0.08,1.05,-3\n")
    Path("clips").mkdir()
    for name, file in (("walk", "walk"), ("walk-sad", "sad"), ("walk-happy", "happy"), ("wave", "wave")):
        shutil.copy(f"{file}.bvh", Path("clips", f"{name}.bvh"))
    kt.write(kt.Mirror()(kt.read("wave.bvh")), Path("clips", "wave-mirrored.bvh"))
    for name, drawing in (("happy", "face-happy"), ("sad", "face-sad"), ("dog-1", "dog-1"), ("dog-2", "dog-2")):
        kt.write_drawing(kt.sample_drawing(drawing), f"{name}.svg")
    if captured:
        for name in ("happy", "sad"):
            shutil.copy(DATA / f"svg/mdi/emoticon-{name}.svg", f"{name}.svg")
        steps = kt.walking.StepSet.from_clips([kt.read("steps-of.bvh")])
        planned = kt.walking.plan_footsteps("straight", count=8, steps=steps)
        rows = [f"{step.side},{step.x},{step.z},{step.heading_deg}" for step in planned]
        Path("steps.csv").write_text("\n".join(["side,x,z,heading_deg", *rows]))
        Path("grabs").mkdir()
        for path in (DATA / "hdm05").glob("HDM_dg*"):
            if "grabHighR" in path.name or path.suffix == ".asf":
                shutil.copy(path, "grabs")


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


def answered(answer: Answer, captured: list[list[str]]) -> Iterator[str]:
    """An answer as Markdown, after it was run on samples; the rows of captured clips stand beside those of samples."""
    rows, names = measured(answer, answer.command, answer.python)
    yield from (f"### {answer.title}", "", answer.text, "", "```", answer.command, "```", "")
    yield from ("```python", answer.python, "```", "")
    yield from (f"Studio: {answer.studio}.", "")
    real = {row[0]: ["", ""] for row in rows} | {row[0]: row[1:] for row in captured}
    two = any(len(row) == 3 for row in rows)
    yield (
        "| measured | sample"
        + (", before | after" if two else "")
        + (" | captured clip" + (", before | after |" if two else " |") if captured else " |")
    )
    yield "|" + "---|" * (1 + (1 + two) * (1 + bool(captured)))
    for text, *values in rows:
        cells = [[text], values, real[text]] if captured else [[text], values]
        wide = [1, 1 + two, 1 + two]
        yield "| " + " | ".join(cell for part, n in zip(cells, wide, strict=False) for cell in [*part, ""][:n]) + " |"
    yield ""
    if captured and answer.captured and answer.captured[0]:
        yield from (f"On the captured clip: `{answer.captured[0]}`.", "")
    yield from (f"![{answer.title}](pictures/{answer.picture or draw(answer, names)})", "")
    if answer.more:
        yield from (f"[More]({answer.more})", "")


def measured(answer: Answer, command: str, python: str) -> tuple[list[list[str]], dict[str, Any]]:
    """What an answer measures, once its command and its Python have run here, and the names that they left."""
    for line in command.splitlines():
        code, printed = run(shlex.split(line)[1:])
        if code:
            raise SystemExit(f"{line}\n{printed}")
    before, after = _clips(command)
    names: dict[str, Any] = DRAW | {
        "kt": kt,
        "np": np,
        "Path": Path,
        "clip": before or kt.read("walk.bvh"),
        "before": before,
        "after": after,
    }
    with contextlib.redirect_stdout(None):
        exec(python, names)
    return list(_rows(answer, before, after, names)), names


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


def _clips(command: str) -> tuple[kt.Clip | None, kt.Clip | None]:
    """The clip that a command reads and the one that it writes."""
    lines = command.splitlines()
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


def main(parts: list[str]) -> None:
    answers = [
        answer
        for group in GROUPS
        for answer in GROUPS[group]
        if not parts or any(part in f"{group}\n{answer.title}" for part in parts)
    ]
    captured: dict[str, list[list[str]]] = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    if DATA.is_dir():
        with _folder_of_files(captured=True):
            for answer in answers:
                if answer.captured is not None:
                    print(f"captured: {answer.title}", flush=True)
                    command, python = answer.captured
                    captured[answer.title] = measured(answer, command or answer.command, python or answer.python)[0]
        rows = {a.title: captured[a.title] for group in GROUPS.values() for a in group if a.title in captured}
        RECORD.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    else:
        print("skip: the numbers of captured clips stay as they are; set KINETUNE_DATA to the folder of the clips")
    page = (HERE.parent / "cookbook.md").read_text(encoding="utf-8")
    block = page.partition("cookbook.txt -->\n\n")[2].partition("\n\n<!-- end")[0]
    before = re.split(r"\n(?=###? )", f"{block}\n")
    sections = {section.partition("\n")[0]: f"{section}\n".splitlines() for section in before}
    with _folder_of_files():
        for answer in answers:
            print(answer.title, flush=True)
            sections[f"### {answer.title}"] = list(answered(answer, captured.get(answer.title, [])))
    lines: list[str] = []
    for group in GROUPS:
        lines += [f"## {group}", ""]
        for answer in GROUPS[group]:
            lines += sections[f"### {answer.title}"]
    (HERE / "cookbook.txt").write_text("\n".join(lines), encoding="utf-8")


@contextlib.contextmanager
def _folder_of_files(captured: bool = False) -> Iterator[None]:
    """Another current folder for a while, with the files of the answers."""
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            make_files(captured)
            yield
        finally:
            os.chdir(home)


if __name__ == "__main__":
    main(sys.argv[1:])
