"""Commands on what is hardly a motion: few frames, nothing that moves, another figure. A file, or one sentence."""

from pathlib import Path

import pytest

from kinetune.formats import read, write
from tests.cli.conftest import Kinetune, told
from tests.operations import making

CLIPS = {
    "one": lambda: making.walker(1),
    "two": lambda: making.walker(2),
    "three": lambda: making.walker(3),
    "four": lambda: making.walker(4),
    "still": lambda: making.constant(20),
    "chain": lambda: making.pendulums(20),
}
PEOPLE = ("one", "two", "three", "four", "still")
NO_FEET = 'the skeleton has no joint in the role "left foot" or "right foot"'
OTHER_JOINTS = 'The clip "walk" has 21 joints and this one has 4'
DESK = {
    "equalize --preset exaggerate": "",
    "equalize --gains 2,0,-1 --ends cycle": "",
    "equalize --gains 2 --target paths": "None of the chosen joints is a hand or a foot",
    "align --to walk.bvh": OTHER_JOINTS,
    "align --to walk.bvh --cost sederberg --find": OTHER_JOINTS,
    "blend --other walk.bvh": OTHER_JOINTS,
    "blend --others walk.bvh --weights 1,3 --align scale": OTHER_JOINTS,
    "shape --curve undulate": "",
    "limit": "No part of this skeleton is recognised",
    "keep-above-floor": "It is not known where the floor is",
    "plant-feet": f"No feet can be planted: {NO_FEET}",
    "smooth --plant-feet": f"step 2 (plant_feet): No feet can be planted: {NO_FEET}",
    "reduce-keys": "",
    "retime --speed 3": "",
    "resample --fps 7": "",
    "mirror": "",
    "in-place": "",
    "turn --angle-deg 90": "",
    "move --to-origin": "",
    "arrange --clips walk.bvh": OTHER_JOINTS,
    "splice --second walk.bvh": 'The clip "second" has 21 joints and this one has 4',
}
"""Command -> what it says of a figure that is nobody; empty where it edits that one too."""


@pytest.fixture
def clips(folder: Path) -> Path:
    for name, make in CLIPS.items():
        write(make(), folder / f"{name}.bvh")
    write(making.walker(30), folder / "walk.bvh")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("command", DESK)
def test_the_desk_takes_hardly_a_motion(kinetune: Kinetune, clips: Path, command: str) -> None:
    name, *knobs = command.split()
    for clip in PEOPLE:
        result = kinetune(name, f"{clip}.bvh", "-o", f"{clip}.npz", *knobs)
        assert result.exit_code == 0, result.output
        assert len(read(clips / f"{clip}.npz")) >= 1
    result = kinetune(name, "chain.bvh", "-o", "chain.npz", *knobs)
    if DESK[command]:
        assert told(result).startswith(DESK[command])
        assert not (clips / "chain.npz").exists()
    else:
        assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("loop", "four.bvh"), "The clip has 4 frames and lasts 0.05 s, but a cycle takes at least"),
        (("trim", "two.bvh", "--start", "5"), "trim: nothing is left between frame 5 and frame 2."),
        (("retime", "still.bvh", "--keys", "[[0, 0], [1, 9]]"), "retime: the last key asks for 9 s, but the clip ends"),
        (("displace", "one.bvh", "--keys", "[{frame: 3, move: [0, 1, 0]}]"), "displace: key 1 of keys is at frame 3"),
        (("equalize", "one.bvh", "--gain-keys", '{"3": [[-5, 1]]}'), 'equalize: time of key 1 of "3" in --gain-keys'),
        (("blend", "one.bvh", "--others", "walk.bvh", "--weights", "1,-1"), "blend: the weights sum to 0, so that"),
        (("filter-dynamics", "three.bvh"), "The dynamic filter needs at least 4 frames"),
        (("follow-footsteps", "still.bvh", "--path", "straight"), "No step was found in this clip"),
    ],
)
def test_what_cannot_be_is_told(kinetune: Kinetune, clips: Path, command: tuple[str, ...], words: str) -> None:
    assert told(kinetune(*command, "-o", "out.npz")).startswith(words)
    assert not (clips / "out.npz").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PEOPLE, "chain"])
def test_whoever_looks_at_a_file_sees_it(kinetune: Kinetune, clips: Path, name: str) -> None:
    file = f"{name}.bvh"
    joint = "bone1" if name == "chain" else "Hips"
    pictures = (
        ("draw", "strip", file, "-o", "strip.png"),
        ("draw", "curves", file, "--joint", joint, "-o", "curves.png"),
        ("draw", "warp", file, file, "-o", "warp.png"),
    )
    looks = (
        ("info", file),
        ("doctor", file),
        ("measure", file),
        ("measure", file, "--json"),
        ("convert", file, "a.glb"),
    )
    for command in (*looks, *pictures):
        result = kinetune(*command)
        assert result.exit_code == 0, result.output
