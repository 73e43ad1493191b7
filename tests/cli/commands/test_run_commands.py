"""Commands that make files: convert and apply."""

import json
from pathlib import Path

import numpy as np
import pytest

from kinetune.formats import read
from tests.cli.conftest import Kinetune


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".npz"])
def test_convert_writes_what_the_suffix_says(kinetune: Kinetune, folder: Path, suffix: str) -> None:
    result = kinetune("convert", "walk.bvh", f"copy{suffix}")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"copy{suffix}: 6 frames at 30 fps, 3 joints.\n"
    assert result.stderr == ""
    assert read(folder / f"copy{suffix}").same_motion(read(folder / "walk.bvh"), tolerance=1e-4)


def test_convert_takes_reading_options(kinetune: Kinetune, folder: Path) -> None:
    assert kinetune("convert", "walk.bvh", "copy.npz", "--unit", "m", "--fps-in", "25").exit_code == 0
    copy = read(folder / "copy.npz")
    assert copy.fps == 25
    np.testing.assert_allclose(copy.root[:, 1], 90)


def test_apply_runs_every_step(kinetune: Kinetune, folder: Path) -> None:
    (folder / "up.yaml").write_text("steps: [{op: nudge_it, amount: 1}, {op: nudge_it, amount: 2}]")
    report = json.loads(kinetune("apply", "up.yaml", "walk.bvh", "-o", "up.npz", "--json").stdout)
    assert [step["amount"] for step in report["steps"]] == [1, 2]
    assert len(report["seconds"]["steps"]) == 2
    np.testing.assert_allclose(read(folder / "up.npz").root[:, 1], read(folder / "walk.bvh").root[:, 1] + 3)


def test_apply_leaves_out_steps_that_are_off_and_says_so(kinetune: Kinetune, folder: Path) -> None:
    steps = "{op: nudge_it, amount: 1}, {op: nudge_it, amount: 5, off: true}, {op: nudge_it, amount: 2}"
    (folder / "up.yaml").write_text(f"steps: [{steps}]")
    told = kinetune("apply", "up.yaml", "walk.bvh", "-o", "up.npz").stdout
    assert told.startswith("Step 2 (nudge_it) of 3 is off and not applied.\nup.npz: ")
    np.testing.assert_allclose(read(folder / "up.npz").root[:, 1], read(folder / "walk.bvh").root[:, 1] + 3)
    report = json.loads(kinetune("apply", "up.yaml", "walk.bvh", "-o", "up.npz", "--json").stdout)
    assert [step["amount"] for step in report["steps"]] == [1, 2]
    assert report["off"] == [{"op": "nudge_it", "amount": 5}]
    assert len(report["seconds"]["steps"]) == 2


def test_apply_finds_the_recipes_own_clips(kinetune: Kinetune, folder: Path) -> None:
    (folder / "recipes").mkdir()
    recipe = folder / "recipes" / "mix.yaml"
    recipe.write_text("inputs: {own: ../walk.bvh, given: }\nsteps: [{op: mingle, other: own, more: [given]}]")
    result = kinetune("apply", "recipes/mix.yaml", "walk.bvh", "-o", "out.npz", "--input", "given=walk.bvh")
    assert result.exit_code == 0, result.output
    np.testing.assert_allclose(read(folder / "out.npz").root, 3 * read(folder / "walk.bvh").root)


def test_apply_replaces_a_clip_that_the_recipe_names(kinetune: Kinetune, folder: Path) -> None:
    (folder / "mix.yaml").write_text("inputs: {own: missing.bvh}\nsteps: [{op: mingle, other: own}]")
    assert kinetune("apply", "mix.yaml", "walk.bvh", "-o", "out.npz").exit_code == 1
    assert kinetune("apply", "mix.yaml", "walk.bvh", "-o", "out.npz", "-i", "own=walk.bvh").exit_code == 0


def test_an_edited_clip_can_be_edited_again_by_its_history(kinetune: Kinetune, folder: Path) -> None:
    from kinetune.recipes import Recipe

    kinetune("nudge-it", "walk.bvh", "-o", "up.npz", "--amount", "1")
    Recipe.from_history(read(folder / "up.npz"), name="up again").write(folder / "again.yaml")
    assert kinetune("apply", "again.yaml", "walk.bvh", "-o", "again.npz").exit_code == 0
    assert read(folder / "again.npz").same_motion(read(folder / "up.npz"))
