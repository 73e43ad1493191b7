"""The user's own files: read, used by every paper that can, and told where they are left out."""

import json
from pathlib import Path

import numpy as np
import pytest

from kinetune.figures.drawings.drawing_files import write_drawing
from kinetune.formats import write
from kinetune.reproduce import reproduce
from kinetune.reproduce.dynamic_filter._own_files import own_filtered
from kinetune.reproduce.experiments import Context, Value
from kinetune.reproduce.inverse_blending._own_files import own_steps
from kinetune.reproduce.own_files import LABEL, MOST, OwnFile, read_own, try_each
from kinetune.samples import sample
from kinetune.samples.drawings import sample_drawing


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("mine")
    (place / "walks").mkdir()
    write(sample("walk")[:200], place / "walks" / "walk.bvh")
    write(sample("walk-happy")[:200], place / "walks" / "happy.bvh")
    write(sample("walk")[:5], place / "short.bvh")
    (place / "broken.bvh").write_text("no motion at all")
    (place / "notes.txt").write_text("nothing")
    for name in ("digit-3", "hoop"):
        write_drawing([sample_drawing(name)], place / f"{name}.svg")
    return place


def test_files_are_read_or_told(folder: Path) -> None:
    found = {file.name: file for file in read_own(folder)}
    assert set(found) == {"walks/walk.bvh", "walks/happy.bvh", "short.bvh", "broken.bvh", "digit-3.svg", "hoop.svg"}
    assert found["walks/walk.bvh"].clip is not None
    assert found["digit-3.svg"].drawing is not None
    assert "broken.bvh" in found["broken.bvh"].trouble


def test_of_a_large_folder_some_are_used_and_the_rest_is_told(tmp_path: Path) -> None:
    for number in range(MOST + 10):
        (tmp_path / f"{number:03}.svg").write_text(
            "<svg xmlns='http://www.w3.org/2000/svg'><path d='M0 0h9v9z'/></svg>"
        )
    found = read_own(tmp_path)
    assert sum(file.drawing is not None for file in found) == MOST
    assert sum(f"has {MOST + 10} files" in file.trouble for file in found) == 10


def test_one_file_that_breaks_an_experiment_leaves_the_others(tmp_path: Path) -> None:
    clip = sample("walk")[:40]

    def run(file: OwnFile) -> Value:
        if file.name == "bad":
            raise ZeroDivisionError("nothing to divide by")
        return Value(file.name, "", "fine", "same", "", (file.name,))

    own = (OwnFile("bad", clip=clip), OwnFile("good", clip=clip))
    values = try_each(Context(tmp_path, own), "clip", run, "a motion")
    assert [value.verdict for value in values] == ["failed", "same"]
    assert "nothing to divide by" in values[0].note


def test_steps_that_do_not_lead_ahead_make_no_walk(tmp_path: Path) -> None:
    clip = sample("walk")[:200]
    back = clip.replace(root=clip.root[::-1], rotations=clip.rotations[::-1], contacts=None, markers=())
    (value,) = own_steps(Context(tmp_path, (OwnFile("back.bvh", clip=back),))).values
    assert value.verdict == "left out"
    assert "there is no walk in it" in value.note


def test_a_motion_that_plays_too_fast_is_told_before_its_failures(tmp_path: Path) -> None:
    kick = sample("kick-1")[::2]
    bounce = np.zeros((len(kick), 3))
    bounce[:, 1] = 0.25 * np.abs(np.sin(np.arange(len(kick)) / 5.0))
    fast = kick.replace(root=kick.root + bounce, fps=120.0, contacts=None)
    (value,) = own_filtered(Context(tmp_path, (OwnFile("fast.bvh", clip=fast),), quick=True)).values
    assert value.verdict == "deviates"
    assert value.note.startswith("The centre of mass falls at")
    assert "--fps-in 60" in value.note
    assert "From frame" in value.note


@pytest.mark.slow
def test_every_paper_uses_what_it_can_and_says_why_not(folder: Path, tmp_path: Path) -> None:
    done = reproduce([], tmp_path, clips=folder, only=LABEL, quick=True)
    told = json.loads(done.summary.read_text(encoding="utf-8"))
    assert told["failed"] == 0
    papers = ("bruderlin", "kochanek-bartels", "inverse-blending", "wavelets", "dynamic-filter")
    for name in ("walks/walk.bvh", "walks/happy.bvh"):
        assert all(told["files"][name][paper]["used"] for paper in papers), told["files"][name]
    for name in ("short.bvh", "broken.bvh"):
        assert not any(told["files"][name][paper]["used"] for paper in papers)
        assert all(told["files"][name][paper]["text"] for paper in papers)
    for name in ("digit-3.svg", "hoop.svg"):
        assert [paper for paper in papers if told["files"][name][paper]["used"]] == ["wavelets"]
    page = done.report.read_text(encoding="utf-8")
    assert "Your files" in page
