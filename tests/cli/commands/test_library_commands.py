"""batch, and the many-file forms of convert and measure."""

import json
from pathlib import Path

import pytest

from kinetune.cli.commands.library_commands import _pace
from kinetune.formats import read, write
from kinetune.samples import sample
from tests.cli.conftest import Kinetune, told

pytestmark = pytest.mark.xdist_group("cluster")


@pytest.fixture
def library(folder: Path) -> Path:
    for number in range(3):
        path = folder / "clips" / f"take{number}" / "walk.bvh"
        path.parent.mkdir(parents=True)
        write(sample("walk")[10 * number : 10 * number + 40], path)
    (folder / "clips" / "bad.bvh").write_text("nothing")
    (folder / "calmer.yaml").write_text("steps:\n  - op: smooth\n    cutoff_hz: 4\n")
    return folder


@pytest.mark.slow
def test_batch_tells_what_a_producer_wants_to_know(kinetune: Kinetune, library: Path) -> None:
    result = kinetune("batch", "calmer.yaml", "clips/**/*.bvh", "-o", "out", "--jobs", 1)
    assert result.exit_code == 0, result.output
    assert "3 done, 0 kept from earlier, 1 failed" in result.stdout
    assert "foot slide" in result.stdout
    assert "bad.bvh" in result.stdout
    assert len(read(library / "out" / "take2" / "walk.bvh")) == 40
    again = kinetune(
        "batch", "calmer.yaml", "clips/**/*.bvh", "-o", "out", "--jobs", 1, "--resume", "--strict", "--json"
    )
    assert again.exit_code == 1
    assert json.loads(again.stdout)["kept"] == 3


@pytest.mark.slow
def test_batch_puts_a_library_on_a_character(kinetune: Kinetune, library: Path) -> None:
    arguments = ("calmer.yaml", "clips/take*/*.bvh", "-o", "out", "--jobs", 1, "--retarget-to", "sample:walk-child")
    result = kinetune("batch", *arguments)
    assert result.exit_code == 0, result.output
    assert read(library / "out" / "take2" / "walk.bvh").skeleton.height < 1.3


@pytest.mark.slow
def test_convert_takes_a_library(kinetune: Kinetune, library: Path) -> None:
    result = kinetune("convert", "clips/**/walk.bvh", "-o", "glb", "--to", "glb", "--jobs", 1)
    assert result.exit_code == 0, result.output
    assert len(read(library / "glb" / "take1" / "walk.glb")) == 40


@pytest.mark.parametrize("arguments", [("a.bvh",), ("a.bvh", "b.bvh", "c.bvh"), ("a.bvh", "-o", "out")])
def test_convert_says_how_it_is_called(kinetune: Kinetune, folder: Path, arguments: tuple[str, ...]) -> None:
    assert kinetune("convert", *arguments).exit_code == 2


@pytest.mark.slow
def test_measure_takes_a_pattern(kinetune: Kinetune, library: Path) -> None:
    result = kinetune("measure", "clips/**/*.bvh", "--csv", "out.csv", "--jobs", 1)
    assert result.exit_code == 0, result.output
    lines = (library / "out.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["file", "take0/walk.bvh", "take1/walk.bvh", "take2/walk.bvh"]
    assert "bad.bvh" in result.stderr


def test_nothing_found_is_one_sentence(kinetune: Kinetune, library: Path) -> None:
    assert "no file matches" in told(kinetune("batch", "calmer.yaml", "clips/*.amc", "-o", "out"))


@pytest.mark.parametrize(
    ("clips", "seconds", "pace"),
    [(9, 4.5, "2.0 clips a second"), (2, 77.8, "38.9 s a clip"), (0, 3.0, "0.0 clips a second")],
)
def test_the_pace_of_a_run_is_never_a_fraction(clips: int, seconds: float, pace: str) -> None:
    assert _pace(clips, seconds) == pace
