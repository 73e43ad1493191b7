"""index, find, duplicates and transitions as a user types them."""

import json
from pathlib import Path

import pytest

from kinetune.formats import write
from kinetune.samples import sample
from tests.cli.conftest import Kinetune, told


@pytest.fixture
def library(folder: Path, kinetune: Kinetune) -> Path:
    clips = folder / "clips"
    clips.mkdir()
    for name in ("walk", "run", "kick-1"):
        write(sample(name), clips / f"{name}.bvh")
    write(sample("walk")[60:300], clips / "cut.bvh")
    assert kinetune("index", "clips", "--jobs", 1).exit_code == 0
    return clips


@pytest.mark.slow
def test_index_says_what_it_read(kinetune: Kinetune, library: Path) -> None:
    (library / "bad.bvh").write_text("nothing")
    result = kinetune("index", "clips", "--jobs", 1)
    assert "5: 1 read, 4 unchanged" in result.stdout
    assert "not indexed:" in result.stdout
    assert "bad.bvh" in result.stdout
    again = kinetune("index", "clips", "--strict", "--json")
    assert again.exit_code == 1
    assert json.loads(again.stdout)["failed"][0]["name"] == "bad.bvh"


@pytest.mark.slow
def test_find_by_text(kinetune: Kinetune, library: Path) -> None:
    assert "run 3.0 m/s" in kinetune("find", "clips", "--text", "run, over 2 m/s").stdout
    plain = json.loads(kinetune("find", "clips", "--text", "walk", "--json").stdout)
    assert [clip["name"] for clip in plain["clips"]] == ["cut.bvh", "walk.bvh"]
    assert "No clip of this library fits." in kinetune("find", "clips", "--text", "walk, run").stdout
    assert "... and 1 more" in kinetune("find", "clips", "--text", "walk", "-n", 1).stdout


@pytest.mark.slow
def test_find_like_a_file_looks_in_the_folder_that_holds_it(kinetune: Kinetune, library: Path) -> None:
    result = kinetune("find", "clips/kick-1.bvh", "--from", 0.5, "--to", 1.5, "--json")
    best = json.loads(result.stdout)["matches"][0]
    assert best["name"] == "kick-1.bvh"
    assert best["start_s"] == pytest.approx(0.5, abs=0.05)
    shown = kinetune("find", "sample:walk", "--in", "clips", "--text", "run", "--to", 2).stdout
    assert "run.bvh" in shown
    assert "walk.bvh" not in shown


@pytest.mark.slow
def test_a_stale_index_says_so_and_still_answers(kinetune: Kinetune, library: Path) -> None:
    (library / "run.bvh").unlink()
    result = kinetune("find", "clips", "--text", "walk")
    assert "1 gone (run.bvh). Bring the index up to date with: kinetune index clips" in result.stderr
    assert "walk.bvh" in result.stdout


@pytest.mark.slow
def test_an_index_elsewhere_knows_its_folder(kinetune: Kinetune, library: Path) -> None:
    assert kinetune("index", "clips", "--jobs", 1, "--index", "mine.index").exit_code == 0
    result = kinetune("find", "sample:walk", "--to", 2, "--index", "mine.index")
    assert (result.exit_code, result.stderr) == (0, "")
    (library / "run.bvh").unlink()
    stale = kinetune("find", "clips", "--text", "walk", "--index", "mine.index")
    assert "kinetune index clips --index mine.index" in stale.stderr


@pytest.mark.slow
def test_duplicates_are_listed(kinetune: Kinetune, library: Path) -> None:
    plain = json.loads(kinetune("duplicates", "clips", "--json").stdout)
    assert plain["groups"] == [["cut.bvh", "walk.bvh"]]
    assert plain["pairs"][0]["kinds"] == ["trimmed"]
    assert "trimmed" in kinetune("duplicates", "clips").stdout


@pytest.mark.slow
def test_transitions_go_into_a_file_and_splice_performs_them(kinetune: Kinetune, library: Path, folder: Path) -> None:
    result = kinetune("transitions", "clips", "-o", "graph.json")
    assert result.exit_code == 0, result.output
    graph = json.loads((folder / "graph.json").read_text())
    step = next(t for t in graph["transitions"] if (t["first"], t["second"]) == ("walk.bvh", "cut.bvh"))["step"]
    made = kinetune(
        *("splice", "clips/walk.bvh", "--second", "clips/cut.bvh", "--event", "none", "-o", "long.bvh"),
        *("--leave-s", step["leave_s"], "--enter-s", step["enter_s"]),
    )
    assert made.exit_code == 0, made.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("find", "clips", "--text", "dance"), 'no word for motion "dance"'),
        (("find", "sample:walk", "--in", "."), "this folder has no index"),
        (("duplicates", "nowhere"), "no such folder"),
        (("index", "nowhere"), "not a folder"),
        (("find", "clips/nothing.bvh"), "nothing.bvh"),
    ],
)
def test_mistakes_are_one_message(kinetune: Kinetune, library: Path, arguments: tuple[str, ...], message: str) -> None:
    assert message in told(kinetune(*arguments))


def test_a_folder_alone_is_no_question(kinetune: Kinetune, library: Path) -> None:
    assert kinetune("find", "clips").exit_code == 2
    assert kinetune("find", "clips", "--text", "walk", "--whole").exit_code == 2
