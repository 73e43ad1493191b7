"""Real FBX files: every node is where an independent reader (ufbx) puts it, and broken files are refused."""

import json

import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import FileError
from tests.conftest import data_folder

FOLDER = data_folder()
GOLDEN = sorted((FOLDER / "fbx" / "golden").glob("*.json")) if FOLDER else []
CASES = [
    (path, take)
    for path in GOLDEN
    for take in range(max(1, len(json.loads(path.read_text()).get("takes", []))))
    if "error" not in json.loads(path.read_text())
]
BROKEN = [path for path in GOLDEN if "error" in json.loads(path.read_text())]
OLD = ("5800", "6100")
pytestmark = pytest.mark.skipif(not GOLDEN, reason="no FBX files here: set KINETUNE_DATA")


def file_of(golden):
    return golden.parents[1] / f"{golden.stem}.fbx"


def axes_of(golden):
    """The matrix from the axes of the file to ours, from codes such as 5 for -Z (6: unknown)."""
    codes = [usual if code == 6 else code for code, usual in zip(golden["axes"], (0, 2, 4), strict=True)]
    return np.array([np.eye(3)[code // 2] * (-1 if code % 2 else 1) for code in codes])


def node_numbers(golden, names):
    """The nodes of these joints; the second joint of a name, "Hand#2", is the second node of it."""
    numbers, seen = [], {}
    for name in names:
        base = name.partition("#")[0]
        same = [number for number, node in enumerate(golden["nodes"]) if node["name"] == base]
        numbers.append(same[seen.setdefault(base, 0)])
        seen[base] += 1
    return numbers


@pytest.mark.parametrize(("path", "number"), CASES, ids=lambda value: getattr(value, "stem", value))
def test_joints_are_where_another_reader_puts_them(path, number):
    if any(version in path.stem for version in OLD):
        with pytest.raises(FileError, match="only FBX 7 is read"):
            kt.read(file_of(path))
        return
    golden = json.loads(path.read_text())
    options, frames = {}, [golden["rest"]]
    if golden["takes"]:
        take = golden["takes"][number]
        frames, length = take["frames"], take["end"] - take["begin"]
        options = {"take": take["name"]} | ({"fps": 9.0 / length} if length else {})
    clip = kt.read(file_of(path), **options)
    expected = np.array(frames) @ axes_of(golden).T * golden["unit_meters"]
    still = len(clip) == 1
    numbers = node_numbers(golden, clip.skeleton.names)
    assert still or len(clip) == len(expected)
    assert np.abs(clip.positions() - expected[: len(clip), numbers]).max() < 1e-5
    assert not still or np.ptp(expected[:, numbers], axis=0).max() < 1e-9
    bones = [node["name"] for node in golden["nodes"] if node["type"] == 5]
    assert set(bones) <= {name.partition("#")[0] for name in clip.skeleton.names}


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_broken_files_are_refused_with_a_message(path):
    with pytest.raises(FileError):
        kt.read(file_of(path))
