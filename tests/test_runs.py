"""Runs: files in, steps, files out; nothing half written, nothing overwritten by mistake."""

from pathlib import Path

import numpy as np
import pytest

from kinetune.errors import FileError, KinetuneError, RecipeError
from kinetune.formats import read
from kinetune.operations import OPERATIONS, find_operation
from kinetune.progress import Cancelled, reporting
from kinetune.recipes import Recipe
from kinetune.runs import Stage, run
from tests.made_up import SMALL_BVH, Mingle, Nudge, small_clip

pytestmark = pytest.mark.usefixtures("made_up_operations")


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    path = tmp_path / "walk.bvh"
    path.write_text(SMALL_BVH)
    return path


def test_a_run_reads_applies_and_writes(walk: Path) -> None:
    target = walk.with_name("up.bvh")
    result = run(Nudge(amount=1), walk, target=target)
    assert result.target == target
    np.testing.assert_allclose(read(target).root[:, 1], read(walk).root[:, 1] + 1, atol=1e-6)
    assert result.clip.history == ({"op": "nudge_it", "amount": 1.0},)
    assert result.source.same_motion(read(walk))
    assert len(result.step_s) == 1
    assert min(result.read_s, *result.step_s, result.write_s) >= 0


def test_history_survives_in_a_format_that_can_hold_it(walk: Path) -> None:
    run([Nudge(amount=1), Nudge(amount=2)], walk, target=walk.with_name("up.npz"))
    edited = read(walk.with_name("up.npz"))
    assert Recipe.from_history(edited).steps == (Nudge(amount=1), Nudge(amount=2))


def test_a_run_without_a_target_writes_nothing(walk: Path) -> None:
    result = run(Nudge(amount=1), walk)
    assert result.target is None
    assert list(walk.parent.iterdir()) == [walk]


def test_a_run_takes_clips_and_recipe_files(walk: Path) -> None:
    recipe = walk.with_name("up.yaml")
    recipe.write_text("steps: [{op: nudge_it, amount: 2}]")
    clip = small_clip()
    np.testing.assert_allclose(run(recipe, clip).clip.root[:, 1], clip.root[:, 1] + 2)


def test_inputs_are_clips_files_or_in_the_recipe(walk: Path) -> None:
    clip, other = small_clip(6), small_clip(6, height=3)
    recipe = Recipe(inputs={"filed": str(walk), "named": None}, steps=[Mingle(other="filed", more=("named",))])
    result = run(recipe, clip, {"named": other})
    np.testing.assert_allclose(result.clip.root[:, 1], 1 + read(walk).root[:, 1] + 3)
    np.testing.assert_allclose(run(recipe, clip, {"named": walk, "filed": other}).clip.root, result.clip.root)


def test_reading_options_are_for_all_files_that_are_named(walk: Path) -> None:
    assert run(Nudge(), walk, fps=50).clip.fps == 50
    metres = run(Nudge(), walk, unit="m").clip
    np.testing.assert_allclose(metres.root[:, 1], 90)
    both = run(Mingle(other="second"), walk, {"second": walk}, unit="m").clip
    np.testing.assert_allclose(both.root[:, 1], 180)


def test_files_of_the_recipe_are_read_as_they_are(walk: Path) -> None:
    recipe = Recipe(inputs={"filed": str(walk)}, steps=[Mingle(other="filed")])
    np.testing.assert_allclose(run(recipe, walk, unit="m").clip.root[:, 1], 90.9)
    np.testing.assert_allclose(run(recipe, walk, {"filed": walk}, unit="m").clip.root[:, 1], 180)


def test_progress_tells_every_stage(walk: Path) -> None:
    told: list[Stage] = []
    run([Nudge(amount=1), Nudge()], walk, target=walk.with_name("up.npz"), progress=told.append)
    assert [stage.text for stage in told] == ["read walk.bvh", "nudge_it", "nudge_it", "write up.npz", "done"]
    assert [stage.number for stage in told] == [0, 1, 2, 3, 4]
    assert {stage.count for stage in told} == {4}


def test_a_surface_outside_gets_the_progress_of_the_whole_run_and_cancels_it(walk: Path) -> None:
    reports: list[tuple[float | None, str]] = []
    with reporting(lambda share, text: reports.append((share, text))):
        run([Nudge(amount=1), Nudge()], walk)
    assert reports == [(0.0, "read walk.bvh"), (1 / 3, "nudge_it"), (2 / 3, "nudge_it"), (1.0, "done")]

    def stop(stage: Stage) -> None:
        if stage.number == 2:
            raise Cancelled

    target = walk.with_name("up.npz")
    with pytest.raises(Cancelled):
        run([Nudge(amount=1), Nudge()], walk, target=target, progress=stop)
    assert not target.exists()


def test_measures_are_taken_before_and_after(walk: Path) -> None:
    result = run(Nudge(amount=1), walk)
    assert result.before["frames"] == result.after["frames"] == 6
    report = result.report(measures=True)
    assert report["after"] == result.after
    assert report["steps"] == [{"op": "nudge_it", "amount": 1.0}]


def test_an_edit_is_judged_by_the_floor_that_it_stands_on(shared_data: Path) -> None:
    """A run that is exaggerated stands too short to tell where the floor is: its feet seem to float and to slide."""
    steps = [find_operation("equalize")(preset="exaggerate"), find_operation("plant_feet")()]
    result = run(steps, shared_data / "hdm05" / "HDM_dg_06-03_03_120.amc")
    assert result.after["floor_mm"] == result.before["floor_mm"]
    assert result.after["foot_slide_mm"] < 3.0 < result.before["foot_slide_mm"]
    assert run([*steps, find_operation("move")(y=1.0)], result.source).after["floor_mm"] > 900.0


def test_the_source_is_not_overwritten_unless_allowed(walk: Path) -> None:
    before = walk.read_bytes()
    with pytest.raises(
        FileError, match=r"would replace the file that is read\. Give another name, or allow it with --force"
    ):
        run(Nudge(amount=1), walk, target=walk.parent / "." / "walk.bvh")
    assert walk.read_bytes() == before
    run(Nudge(amount=1), walk, target=walk, overwrite_source=True)
    assert walk.read_bytes() != before


def test_an_input_is_not_overwritten_either(walk: Path) -> None:
    with pytest.raises(FileError, match="would replace"):
        run(Mingle(other="sad"), small_clip(), {"sad": walk}, target=walk)


@pytest.mark.parametrize("target", ["no/such/folder/out.bvh", "out.xyz", "."])
def test_a_target_that_cannot_be_written_leaves_nothing(walk: Path, target: str) -> None:
    begun: list[Stage] = []
    with pytest.raises(KinetuneError):
        run(Nudge(amount=1), walk, target=walk.parent / target, progress=begun.append)
    assert begun == [], "it is refused before any work"
    assert list(walk.parent.iterdir()) == [walk]


def test_an_error_names_the_recipe_and_the_step(walk: Path) -> None:
    recipe = walk.with_name("r.yaml")
    recipe.write_text("steps: [{op: nudge_it, amount: 1}, {op: nudge_it, joints: Spin}]")
    with pytest.raises(RecipeError, match=r'r\.yaml, step 2: there is no joint "Spin"\. Did you mean "Spine"'):
        run(recipe, walk, target=walk.with_name("out.bvh"))
    with pytest.raises(KinetuneError, match=r'^there is no joint "Spin"'):
        run(Nudge(joints="Spin"), walk, target=walk.with_name("out.bvh"))
    assert not walk.with_name("out.bvh").exists()


@pytest.mark.slow
def test_long_steps_tell_how_far_they_are() -> None:
    stages: list[Stage] = []
    run(OPERATIONS["filter_dynamics"](), "sample:kick-1", progress=stages.append)
    within = [stage for stage in stages if stage.text.startswith("filter_dynamics: ")]
    assert len(within) > 2
    shares = [stage.share for stage in within]
    assert 0.0 <= min(shares) < max(shares) <= 1.0
    assert {stage.number for stage in within} == {1}
