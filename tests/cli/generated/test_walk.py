"""The command that walks."""

import json
from pathlib import Path

import pytest

from kinetune.formats import read, write
from kinetune.samples import sample
from tests.cli.conftest import Kinetune, told

CSV = "side,x,z,heading_deg\nleft,0.1,0.6,0\nright,-0.08,1.05,-3\nleft,0.1,1.5,3\n"


@pytest.mark.slow
def test_footsteps_from_a_file(kinetune: Kinetune, folder: Path) -> None:
    (folder / "steps.csv").write_text(CSV)
    result = kinetune("walk", "--footsteps", "steps.csv", "-o", "out.bvh", "--picture", "out.png")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("out.bvh: ")
    assert "3 footsteps. Feet stand within" in result.stdout
    assert len(read(folder / "out.bvh")) > 100
    assert (folder / "out.png").stat().st_size > 10_000


@pytest.mark.slow
def test_a_footstep_out_of_reach_is_not_counted_as_met(kinetune: Kinetune, folder: Path) -> None:
    (folder / "far.csv").write_text("left,0.1,0.6\nright,0.3,0.9,120\nleft,0.1,1.6\n")
    result = kinetune("walk", "--footsteps", "far.csv", "-o", "out.npz")
    assert result.exit_code == 3
    assert result.stdout.startswith("Footstep 1 (right)")
    assert "The examples step 0." in result.stdout
    assert "out.npz is not written" in result.stdout
    assert not (folder / "out.npz").exists()
    assert "degrees of those within reach; standing feet" in result.stdout
    forced = kinetune("walk", "--footsteps", "far.csv", "-o", "out.npz", "--force")
    assert forced.exit_code == 3
    assert (folder / "out.npz").exists()


@pytest.mark.slow
def test_a_path_and_a_report_for_a_program(kinetune: Kinetune, folder: Path) -> None:
    result = kinetune("walk", "--path", "circle:r=3,turns=0.1", "-o", "out.npz", "--json", "--first", "right")
    report = json.loads(result.stdout)
    assert report["steps"][0]["side"] == "right"
    assert report["worst"]["error_mm"] < 0.01
    assert report["frames"] == len(read(folder / "out.npz"))


@pytest.mark.slow
def test_steps_from_examples(kinetune: Kinetune, folder: Path) -> None:
    write(sample("walk"), folder / "mine.npz")
    result = kinetune("walk", "--path", "straight", "--count", 3, "--examples", "min*.npz", "-o", "out.npz", "--go-on")
    assert result.exit_code == 0, result.output


@pytest.mark.slow
def test_what_had_to_give_way_is_said(kinetune: Kinetune, folder: Path) -> None:
    (folder / "far.csv").write_text("left,0.1,0.6\nright,-0.1,4\n")
    result = kinetune("walk", "--footsteps", "far.csv", "-o", "out.npz")
    assert result.exit_code == 0
    assert "steps were inserted to walk there" in result.stdout
    assert "out of reach" in told(kinetune("walk", "--footsteps", "far.csv", "-o", "out.npz", "--strict"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--path", "spiral"), 'there is no path "spiral"'),
        (("--path", "circle:q=1"), 'no parameter "q"'),
        (("--footsteps", "none.csv"), "none.csv: there is no such file"),
        (("--path", "straight", "--examples", "*.xyz"), "there is no such file"),
        (("--path", "straight", "--examples", "sample:wave"), "No step was found"),
        (("--path", "straight", "--count", "0"), "count is 0, but it must be at least 1"),
        (("--path", "straight", "--footsteps", "steps.csv"), "give footsteps or a path, not both"),
        (("--footsteps", "steps.csv", "--count", "3"), "plan footsteps on a path"),
    ],
)
def test_mistakes_are_told_in_one_sentence(kinetune: Kinetune, folder: Path, arguments, words) -> None:
    (folder / "steps.csv").write_text(CSV)
    assert words in told(kinetune("walk", *arguments, "-o", "out.bvh"))


def test_a_walk_needs_footsteps_or_a_path(kinetune: Kinetune, folder: Path) -> None:
    assert kinetune("walk", "-o", "out.bvh").exit_code == 2


@pytest.mark.slow
def test_a_walk_beside_its_footsteps_is_reported_first(kinetune: Kinetune, folder: Path) -> None:
    (folder / "aside.csv").write_text("left,0.1,0.6\nright,0.5,0.7,160\n")
    result = kinetune("walk", "--footsteps", "aside.csv", "-o", "out.npz")
    assert result.exit_code == 3
    assert result.stdout.startswith("Footstep 1 (right)")
    assert "is out of reach: the foot lands" in result.stdout
    assert not (folder / "out.npz").exists()


@pytest.mark.slow
def test_steps_are_planned_as_long_as_they_should_be(kinetune: Kinetune, folder: Path) -> None:
    long, short = (
        json.loads(kinetune("walk", "--path", "straight", "--length", length, "-o", "out.npz", "--json").stdout)
        for length in ("0.5", "0.3")
    )
    assert len(short["steps"]) > len(long["steps"])


@pytest.mark.slow
def test_a_clip_of_ones_own_is_the_first_example(kinetune: Kinetune, folder: Path) -> None:
    arguments = ("--path", "straight", "--count", 3, "--no-stop")
    kinetune("follow-footsteps", "sample:walk", *arguments, "-o", "a.npz")
    kinetune("walk", "--examples", "sample:walk", *arguments, "-o", "b.npz")
    assert read(folder / "a.npz").same_motion(read(folder / "b.npz"), 0.0)
