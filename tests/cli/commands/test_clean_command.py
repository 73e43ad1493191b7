import json

import pytest

import kinetune as kt
from tests.operations.test_smooth import noisy


@pytest.fixture
def spoiled(tmp_path):
    file = tmp_path / "spoiled.bvh"
    kt.write(kt.Move(y=0.3)(noisy(kt.sample("walk")[:200], 0.02, 0.008)), file)
    return file


@pytest.mark.slow
def test_a_dry_run_lists_the_steps_and_writes_nothing(kinetune, spoiled, tmp_path):
    done = kinetune("clean", str(spoiled), "--dry-run")
    assert done.exit_code == 0
    assert "denoise" in done.output
    assert "plant_feet" in done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["spoiled.bvh"]


@pytest.mark.slow
def test_the_saved_recipe_makes_the_same_clip(kinetune, spoiled, tmp_path):
    clean, again, recipe = tmp_path / "clean.bvh", tmp_path / "again.bvh", tmp_path / "clean.yaml"
    assert kinetune("clean", str(spoiled), "-o", str(clean), "--save-recipe", str(recipe)).exit_code == 0
    assert kinetune("apply", str(recipe), str(spoiled), "-o", str(again)).exit_code == 0
    assert kt.read(again).same_motion(kt.read(clean), 1e-4)


@pytest.mark.slow
def test_json_tells_before_and_after(kinetune, spoiled):
    done = kinetune("clean", str(spoiled), "--dry-run", "--json")
    (steps,) = json.loads(done.output).values()
    assert all(step["after"] < step["before"] for step in steps)


@pytest.mark.slow
def test_a_library_is_cleaned_and_ranked(kinetune, spoiled, tmp_path):
    kt.write(kt.sample("walk")[:200], tmp_path / "fine.bvh")
    done = kinetune("clean", str(tmp_path / "*.bvh"), "-o", str(tmp_path / "cleaned"), "--jobs", "1")
    assert done.exit_code == 0, done.output
    assert {"fine.bvh", "spoiled.bvh"} <= {path.name for path in (tmp_path / "cleaned").iterdir()}
    assert done.output.index("by quality") < done.output.rindex("spoiled.bvh")


def test_a_dry_run_goes_on_after_a_file_that_cannot_be_read(kinetune, tmp_path):
    kt.write(kt.sample("wave")[:40], tmp_path / "fine.bvh")
    (tmp_path / "bad.bvh").write_text("no motion")
    done = kinetune("clean", str(tmp_path / "*.bvh"), "--dry-run")
    assert done.exit_code == 0
    assert "Nothing needed cleaning." in done.output
    assert "bad.bvh:" in done.output


def test_a_file_to_write_is_asked_for(kinetune, spoiled):
    done = kinetune("clean", str(spoiled))
    assert done.exit_code == 2
