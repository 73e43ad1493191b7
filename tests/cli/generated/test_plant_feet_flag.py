"""``--plant-feet`` after any edit."""

import json
from pathlib import Path

import pytest

from kinetune.body.feet.floor import find_ground
from kinetune.body.quality.measures import measure
from kinetune.formats import read
from kinetune.operations import OPERATIONS
from kinetune.samples import sample
from tests.cli.conftest import Kinetune, told

REAL = [tag for tag in OPERATIONS if tag not in ("nudge_it", "mingle")]


@pytest.mark.parametrize("tag", REAL)
def test_every_command_but_those_that_plant_feet_has_it(kinetune: Kinetune, tag: str) -> None:
    shown = kinetune(tag.replace("_", "-"), "--help").stdout
    assert ("--plant-feet" in shown) == (tag not in ("plant_feet", "clean"))


def test_an_edit_that_breaks_contacts_is_mended(kinetune: Kinetune, folder: Path) -> None:
    walk = sample("walk")
    ground, contacts = find_ground(walk), walk.contacts
    edit = ("smooth", "sample:walk", "--cutoff-hz", "2")
    assert kinetune(*edit, "-o", "plain.npz", "--no-keep-feet").exit_code == 0
    result = kinetune(*edit, "-o", "planted.npz", "--plant-feet", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["steps"][1] == {"op": "plant_feet"}
    plain, planted = (read(folder / name) for name in ("plain.npz", "planted.npz"))
    assert measure(plain, ground=ground, contacts=contacts)["foot_slide_mm"] > 10.0
    assert measure(planted, ground=ground, contacts=contacts)["foot_slide_mm"] < 1.0
    assert [step["op"] for step in planted.history] == ["smooth", "plant_feet"]


@pytest.mark.slow
def test_an_edit_of_time_or_place_is_planted_by_itself(kinetune: Kinetune, folder: Path) -> None:
    for command in (("mirror",), ("move", "--y", "0.5"), ("trim", "--start", "20"), ("in-place",)):
        name, *knobs = command
        result = kinetune(name, "sample:walk", "-o", "out.npz", *knobs, "--plant-feet", "--json")
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["steps"][1] == {"op": "plant_feet"}
        assert measure(read(folder / "out.npz"))["foot_slide_mm"] < 2.0


def test_a_figure_without_feet_gets_one_sentence(kinetune: Kinetune, folder: Path) -> None:
    sentence = told(kinetune("nudge-it", "walk.bvh", "-o", "out.npz", "--amount", "1", "--plant-feet"))
    assert sentence.startswith("step 2 (plant_feet): No feet can be planted")
    assert not (folder / "out.npz").exists()


def test_another_clip_called_source_keeps_its_own_name(kinetune: Kinetune, folder: Path) -> None:
    (folder / "source.bvh").write_text((folder / "walk.bvh").read_text())
    result = kinetune("mingle", "walk.bvh", "-o", "out.npz", "--other", "source.bvh", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["steps"][0]["other"] == "source_2"
