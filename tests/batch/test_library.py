"""Editing and measuring a library on a real scheduler with two worker processes."""

import base64
import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kinetune.batch import edit_library, measure_library, work
from kinetune.batch._reports import Summary
from kinetune.batch.jobs import find_sources, lay_out
from kinetune.batch.library import make_task
from kinetune.batch.work import opened
from kinetune.errors import FileError, KinetuneError, ParameterError, RecipeError
from kinetune.formats import read, write
from kinetune.recipes import Recipe
from tests.batch.conftest import NAMES, tree

pytestmark = pytest.mark.xdist_group("cluster")  # one cluster serves them all


def test_every_clip_is_edited_and_a_bad_file_stops_nothing(
    clips: Path, recipe: Path, cluster: str, tmp_path: Path
) -> None:
    seen: list[str] = []
    result = edit_library(
        recipe,
        [str(clips / "**" / "*.bvh")],
        tmp_path / "out",
        scheduler=cluster,
        on_outcome=lambda outcome: seen.append(outcome.status),
    )
    assert (result.summary.done, result.summary.kept, result.summary.failed) == (4, 0, 1)
    assert sorted(seen) == ["done"] * 4 + ["failed"]
    for name in NAMES:
        expected = Recipe.read(recipe)(read(clips / name))
        written = read(tmp_path / "out" / name)
        assert abs(written.positions() - expected.positions()).max() < 1e-5
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    by_name = {clip["name"]: clip for clip in report["clips"]}
    assert "b/broken.bvh" in by_name["b/broken.bvh"]["error"]
    assert by_name["four.bvh"]["after"]["jerk"] < by_name["four.bvh"]["before"]["jerk"]
    assert {"read", "steps", "write", "measure", "total"} <= set(by_name["four.bvh"]["seconds"])
    with open(tmp_path / "out" / "report.csv", newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    assert rows["b/broken.bvh"]["status"] == "failed"
    assert float(rows["a/one.bvh"]["after.foot_slide_mm"]) >= 0.0


def test_resume_keeps_what_holds_and_redoes_the_rest(clips: Path, recipe: Path, cluster: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    sources = [str(clips / "a"), str(clips / "four.bvh")]
    edit_library(recipe, sources, out, scheduler=cluster)
    whole = tree(out)
    (out / "one.bvh").unlink()
    (out / "two.bvh").write_text("someone wrote over it")
    (out / ".four.bvh.0a1b2c3d4e5f.part").write_text("half of a fil")
    again = edit_library(recipe, sources, out, scheduler=cluster, resume=True)
    assert (again.summary.done, again.summary.kept) == (2, 1)
    assert tree(out) == whole
    other = tmp_path / "other.yaml"
    other.write_text(recipe.read_text().replace("4", "5"))
    changed = edit_library(other, sources, out, scheduler=cluster, resume=True)
    assert (changed.summary.done, changed.summary.kept) == (3, 0)


def test_results_do_not_depend_on_the_workers(clips: Path, recipe: Path, cluster: str, tmp_path: Path) -> None:
    sources = [str(clips / "**" / "*.bvh")]
    edit_library(recipe, sources, tmp_path / "two", scheduler=cluster)
    edit_library(recipe, sources, tmp_path / "one", jobs=1)
    assert tree(tmp_path / "two") == tree(tmp_path / "one")


def test_a_recipe_with_another_clip(clips: Path, cluster: str, tmp_path: Path) -> None:
    mix = Recipe(inputs={"calm": None}, steps=({"op": "blend", "other": "calm", "weight": 1.0},))
    sources = [str(clips / "a" / "one.bvh")]
    with pytest.raises(RecipeError, match="needs the clip"):
        edit_library(mix, sources, tmp_path, scheduler=cluster)
    result = edit_library(mix, sources, tmp_path, scheduler=cluster, inputs={"calm": clips / "a" / "two.bvh"})
    assert result.summary.done == 1, result.summary.failures
    kept = edit_library(
        mix, sources, tmp_path, scheduler=cluster, inputs={"calm": clips / "a" / "one.bvh"}, resume=True
    )
    assert kept.summary.done == 1, "another input is another result"


def test_other_clips_are_read_as_the_sources_are(clips: Path) -> None:
    filed = str(clips / "a" / "one.bvh")
    mix = Recipe(inputs={"calm": None, "filed": filed}, steps=({"op": "blend", "others": ["calm", "filed"]},))
    _, others = opened(make_task(mix, {"calm": clips / "a" / "two.bvh"}, {"fps": 40.0}))
    assert others["calm"].fps == 40.0
    assert others["filed"].fps == read(filed).fps != 40.0, "what the recipe names itself is read as it is"


@pytest.mark.parametrize("change", [lambda asf: asf.write_bytes(b"cut"), Path.unlink], ids=["cut", "removed"])
def test_results_with_a_second_file_are_checked_whole(
    clips: Path, cluster: str, tmp_path: Path, change: Callable[[Path], object]
) -> None:
    sources = [str(clips / "four.bvh")]
    edit_library(Recipe(), sources, tmp_path, to="amc", scheduler=cluster, measures=False)
    whole = tree(tmp_path)
    change(tmp_path / "four.asf")
    again = edit_library(Recipe(), sources, tmp_path, to="amc", scheduler=cluster, measures=False, resume=True)
    assert again.summary.done == 1
    assert tree(tmp_path) == whole


def test_a_clip_is_done_again_when_the_second_file_of_its_source_changes(
    clips: Path, cluster: str, tmp_path: Path
) -> None:
    """The skeleton of an .amc and the .bin of a .gltf are part of the clip."""
    folder, out = tmp_path / "clips", tmp_path / "out"
    folder.mkdir()
    walk = read(clips / "four.bvh")
    write(walk, folder / "walk.amc")
    write(walk, folder / "scene.gltf")
    scene = json.loads((folder / "scene.gltf").read_text())
    data = base64.b64decode(scene["buffers"][0]["uri"].partition(",")[2])
    (folder / "scene data.bin").write_bytes(data)
    scene["buffers"][0]["uri"] = "scene%20data.bin"
    (folder / "scene.gltf").write_text(json.dumps(scene))

    def again() -> tuple[int, int]:
        patterns = [str(folder / "*.amc"), str(folder / "*.gltf")]
        summary = edit_library(
            Recipe(), patterns, out, to="bvh", scheduler=cluster, measures=False, resume=True
        ).summary
        assert summary.failed == 0, summary.failures
        return summary.done, summary.kept

    assert [again(), again()] == [(2, 0), (0, 2)]
    (folder / "walk.asf").write_text((folder / "walk.asf").read_text().replace("length", "length ", 1))
    assert again() == (1, 1)
    (folder / "scene data.bin").write_bytes(data + b"\0")
    assert again() == (1, 1)


def test_other_libraries_are_another_result(clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (job,) = lay_out(find_sources([str(clips / "four.bvh")]), tmp_path)
    task = make_task(Recipe(), {}, {})
    keys = set()
    for name in ("numpy", "scipy", "numba"):
        keys.add(work._key(job, task))
        monkeypatch.setattr(work, "library_versions", lambda name=name: {name: "0.0.1"})
    assert len({*keys, work._key(job, task)}) == 4


def test_the_report_says_when_last_bits_may_differ(clips: Path, cluster: str, tmp_path: Path) -> None:
    edit_library(Recipe(), [str(clips / "a")], tmp_path, scheduler=cluster, measures=False)
    report = json.loads((tmp_path / "report.json").read_text())
    (made_with,) = report["summary"]["made_with"]
    assert all(name in made_with for name in ("numpy", "scipy", "numba"))
    assert report["summary"]["last_bits"] is None
    summary = Summary()
    for libraries in ("numpy 2.4.6, x86_64", "numpy 2.0.0, arm64"):
        summary.add(work.BatchOutcome("a", "a", "a", "done", made_with=libraries))
    assert summary.last_bits is not None
    assert "may differ in their last bits: numpy 2.0.0, arm64; numpy 2.4.6, x86_64." in summary.last_bits


def test_measures_come_in_the_order_of_the_files(clips: Path, cluster: str) -> None:
    result = measure_library([str(clips / "**" / "*.bvh")], scheduler=cluster)
    names = [outcome.name for outcome in result.outcomes]
    assert names == ["four.bvh", "a/one.bvh", "a/two.bvh", "b/broken.bvh", "b/deep/three.bvh"]
    assert [outcome.status for outcome in result.outcomes].count("failed") == 1
    assert result.outcomes[0].before is not None
    assert result.outcomes[0].before["frames"] == 60


def test_a_slip_is_told_before_any_work(clips: Path, recipe: Path, tmp_path: Path) -> None:
    sources = [str(clips / "*.bvh")]
    with pytest.raises(ParameterError, match="at least 1"):
        edit_library(recipe, sources, tmp_path / "out", jobs=0)
    with pytest.raises(ParameterError, match="not both"):
        edit_library(recipe, sources, tmp_path / "out", jobs=2, scheduler="tcp://127.0.0.1:1")
    with pytest.raises(FileError, match="no such file"):
        edit_library(tmp_path / "none.yaml", sources, tmp_path / "out")
    with pytest.raises(KinetuneError, match="no file matches"):
        edit_library(recipe, [str(clips / "*.glb")], tmp_path / "out")
