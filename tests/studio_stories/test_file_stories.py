"""Stories of files that are dropped: every format, those that come in pairs, and those that nobody reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tools.studio_page import StudioPage

import kinetune as kt
from kinetune.formats import FORMATS, MODULES
from tests.conftest import data_folder

pytestmark = pytest.mark.xdist_group("studio-2")

FRAMES = 24
Pair = tuple[dict[str, bytes], dict[str, bytes], int]


def made(folder: Path, name: str) -> dict[str, bytes]:
    """A short clip as a file of some format, with whatever lies beside it."""
    home = folder / "made"
    home.mkdir()
    kt.write(kt.sample("wave")[:FRAMES], home / name)
    return {path.name: path.read_bytes() for path in sorted(home.iterdir(), reverse=True)}


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    """A motion and its skeleton, as files of CMU where they are here; and the number of frames."""
    folder = data_folder()
    if folder is None:
        files = made(tmp_path, "02_01.amc")
        skeleton, frames = files["02_01.asf"], FRAMES
    else:
        lines = (folder / "cmu_asfamc" / "02_01.amc").read_bytes().splitlines(keepends=True)
        end = lines.index(next(line for line in lines if line.split() == [str(FRAMES + 1).encode()]))
        files = {"02_01.amc": b"".join(lines[:end])}
        skeleton, frames = (folder / "cmu_asfamc" / "02.asf").read_bytes(), FRAMES
    return {"02_01.amc": files["02_01.amc"]}, {"02.asf": skeleton}, frames


@pytest.mark.parametrize("on", [".view", ".dock"])
def test_a_motion_and_its_skeleton_are_dropped_at_once(studio: StudioPage, pair: Pair, on: str) -> None:
    motion, skeleton, frames = pair
    studio.open("walk")
    studio.drop_together({**motion, **skeleton}, on)
    if on == ".view":
        studio.wait_until_opened("02_01", frames)
        assert studio.read("s.skeleton.value.roles['left hand']") > 0
    else:
        studio.wait("s.doc.value.tracks.length === 2")
        studio.settle()
        assert studio.read("s.doc.value.inputs.map(input => [input.name, input.frames])") == [["02_01", frames]]


def test_the_skeleton_is_dropped_first_and_then_its_motion(studio: StudioPage, pair: Pair) -> None:
    motion, skeleton, frames = pair
    studio.drop_together(skeleton, ".view")
    studio.wait_until_opened("02", 1)
    studio.drop_together(motion, ".view")
    studio.wait_until_opened("02_01", frames)


def test_a_motion_without_its_skeleton_says_which_file_is_needed_and_goes_on_when_it_comes(
    studio: StudioPage, pair: Pair
) -> None:
    (motion,), (skeleton,) = (list(part.values()) for part in pair[:2])
    studio.open("walk")
    doc = studio.read("s.doc.value.doc")
    studio.drop("stroll.amc", motion, ".view")
    note = studio.page.get_by_role("alert").filter(has_text="stroll.amc")
    note.wait_for()
    assert "needs its skeleton, the .asf file that belongs to it" in note.inner_text()
    assert studio.read("s.doc.value.doc") == doc, "what was open stays open"
    studio.drop("anybody.asf", skeleton, ".view")
    studio.wait_until_opened("stroll", pair[2])


WRITTEN = [
    MODULES[name][1][0] for name in MODULES if FORMATS[name].write is not None and name not in ("amc", "amass", "qpos")
]
"""A suffix of each format, but for pairs of files, told above, and for those that take one kind of body only."""


@pytest.mark.parametrize("suffix", WRITTEN)
def test_every_format_that_can_be_written_is_dropped(studio: StudioPage, tmp_path: Path, suffix: str) -> None:
    studio.drop_together(made(tmp_path, f"dance{suffix}"), ".view")
    studio.wait(f"s.doc.value.source?.label === 'dance{suffix}'")
    studio.wait_until_opened("dance", FRAMES)


def test_a_scene_and_the_file_that_it_points_to(studio: StudioPage, tmp_path: Path) -> None:
    import pygltflib

    kt.write(kt.sample("wave")[:FRAMES], tmp_path / "dance.glb")
    scene = pygltflib.GLTF2().load(str(tmp_path / "dance.glb"))
    numbers = scene.binary_blob()
    scene.buffers[0].uri = "dance.bin"
    files = {"dance.bin": numbers, "dance.gltf": json.dumps(json.loads(scene.to_json())).encode()}
    studio.drop_together(files, ".view")
    studio.wait_until_opened("dance", FRAMES)


def test_several_clips_at_once_lie_beside_the_first(studio: StudioPage, tmp_path: Path) -> None:
    files = {}
    for sample in ("walk", "walk-sad"):
        kt.write(kt.sample(sample)[:FRAMES], tmp_path / "clip.bvh")
        files[f"{sample}.bvh"] = (tmp_path / "clip.bvh").read_bytes()
    studio.open("wave")
    studio.drop_together(files, ".view")
    studio.wait("s.doc.value.name === 'walk' && s.doc.value.inputs.length === 1")
    assert studio.read("s.doc.value.inputs[0].name") == "walk-sad"
    studio.page.get_by_text("Also added: walk-sad").wait_for()


def test_a_file_that_nobody_reads_gives_the_sentence_of_the_reader(studio: StudioPage) -> None:
    studio.open("walk")
    doc = studio.read("s.doc.value.doc")
    studio.drop("dance.max", b"3ds Max", ".view")
    note = studio.page.get_by_role("alert").filter(has_text="dance.max")
    note.wait_for()
    assert "Export it as FBX or glTF" in note.inner_text(), "it names the bridge"
    note.get_by_role("button", name="Close").click()
    note.wait_for(state="detached")
    assert studio.read("s.doc.value.doc") == doc


def test_the_first_hint_speaks_of_a_sample_only_while_one_is_open(studio: StudioPage, tmp_path: Path) -> None:
    studio.open("walk")
    studio.page.evaluate("() => { kinetune.store.welcome.value = true; }")
    hint = studio.page.get_by_text("This is a sample.")
    hint.wait_for()
    studio.drop("own.bvh", made(tmp_path, "own.bvh")["own.bvh"], ".view")
    studio.wait_until_opened("own", FRAMES)
    assert hint.count() == 0
    studio.page.evaluate("() => { kinetune.store.welcome.value = false; }")
