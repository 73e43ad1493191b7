"""Commands that look: info, doctor, measure, samples, operations, version."""

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest

import kinetune
from kinetune.diagnosis.detectors import Detector
from kinetune.diagnosis.examination import examine_clip
from kinetune.findings import Finding
from kinetune.formats import read
from kinetune.operations import OPERATIONS
from kinetune.samples import describe, sample, samples
from tests.cli.conftest import Kinetune, told

# info


def test_info_says_what_is_in_a_file(kinetune: Kinetune, folder: Path) -> None:
    result = kinetune("info", "walk.bvh")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert "frames  6 at 30 fps, 0.167 s" in lines
    assert "joints  3, and 1 end sites" in lines
    assert lines[lines.index("joints and their roles") + 1 :] == [
        "  Hips  (hips)",
        "  └─ Spine  (chest)",
        "     └─ Head  (head)",
    ]


def test_info_for_a_program(kinetune: Kinetune, folder: Path) -> None:
    described = json.loads(kinetune("info", "walk.bvh", "--json", "--unit", "cm").stdout)
    assert described["frames"] == 6
    assert described["unit"] == "cm"
    assert described["joints"] == ["Hips", "Spine", "Head"]
    assert described["parents"] == [-1, 0, 1]
    assert described["roles"]["hips"] == "Hips"
    assert described["history"] == []


def test_info_shows_history(kinetune: Kinetune, folder: Path) -> None:
    kinetune("nudge-it", "walk.bvh", "-o", "up.npz", "--amount", "1")
    assert "  nudge_it: amount 1" in kinetune("info", "up.npz").stdout.splitlines()


# doctor


def test_doctor_says_what_was_guessed_and_which_flag_decides(kinetune: Kinetune, folder: Path) -> None:
    result = kinetune("doctor", "walk.bvh")
    assert result.exit_code == 0
    assert "Guessed" in result.stdout
    assert re.search(r"- .* Decide otherwise with --unit UNIT\.", result.stdout)
    assert "--unit" not in kinetune("doctor", "walk.bvh", "--unit", "cm").stdout.split("Issues in the motion")[0]


def test_doctor_for_a_program(kinetune: Kinetune, folder: Path) -> None:
    report = json.loads(kinetune("doctor", "walk.bvh", "--json").stdout)
    assert report["frames"] == 6
    assert {"kind", "severity", "frame", "joints", "message", "remedy", "override", "step"} == set(
        report["findings"][0]
    )
    kinds = [finding["kind"] for finding in report["findings"]]
    assert "guessed-unit" in kinds
    assert "missing-roles" in kinds


@pytest.mark.slow
def test_doctor_finds_nothing_wrong_with_a_good_walk(kinetune: Kinetune) -> None:
    assert examine_clip(sample("walk"))[0] == ()
    assert "No issues in the motion." in kinetune("doctor", "sample:walk").stdout


def test_doctor_cannot_examine_what_cannot_be_read(kinetune: Kinetune, folder: Path) -> None:
    (folder / "noise.bvh").write_bytes(bytes(range(256)) * 40)
    assert told(kinetune("doctor", "noise.bvh")).startswith("noise.bvh:1: this is not a BVH file")


@pytest.mark.slow
def test_advice_can_be_followed(kinetune: Kinetune, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command that the check-up proposes exists and takes those flags."""
    source = "".join(file.read_text(encoding="utf-8") for file in diagnosis_files())
    proposed = re.findall(r"(kinetune (\S+) FILE[^\"{]*)", source)
    assert {name for _, name in proposed} >= {"trim", "move", "smooth", "info", "resample"}
    for line, _ in proposed:
        words = line.replace("FILE", "sample:walk").replace("OUT", "out.npz").strip()
        words += " 30" if words.endswith("--fps") else ""
        result = kinetune(*shlex.split(words)[1:])
        assert result.exit_code == 0, (words, result.output)


def diagnosis_files() -> list[Path]:
    return sorted((Path(kinetune.__file__).parent / "diagnosis").glob("*.py"))


def test_advice_names_the_users_file(kinetune: Kinetune, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "my walk.bvh").write_text((folder / "walk.bvh").read_text())
    odd = Detector("", lambda clip, case: [Finding("x", "Odd.", remedy="Do: kinetune info FILE")])
    monkeypatch.setattr("kinetune.diagnosis.examination.DETECTORS", (odd,))
    shown = kinetune("doctor", "my walk.bvh").stdout.replace('"', "'")
    assert "  - Odd. Do: kinetune info 'my walk.bvh'" in shown.splitlines()


# measure


def test_measures_stand_side_by_side(kinetune: Kinetune, folder: Path) -> None:
    shown = kinetune("measure", "walk.bvh", "sample:walk").stdout
    assert "walk.bvh" in shown
    assert "sample:walk" in shown
    assert re.search(r"foot slide +- +[\d.]+ mm", shown)
    assert 'walk.bvh: The skeleton has no joint in the role "left foot"' in shown


def test_measures_for_a_program(kinetune: Kinetune, folder: Path) -> None:
    measured = json.loads(kinetune("measure", "walk.bvh", "sample:walk", "--json").stdout)
    assert list(measured) == ["walk.bvh", "sample:walk"]
    assert measured["sample:walk"]["foot_slide_mm"] < 5


def test_measures_for_a_spreadsheet(kinetune: Kinetune, folder: Path) -> None:
    assert kinetune("measure", "walk.bvh", "sample:walk", "--csv", "m.csv").stdout == "m.csv: 2 clips.\n"
    rows = list(csv.DictReader(io.StringIO((folder / "m.csv").read_text())))
    assert [row["file"] for row in rows] == ["walk.bvh", "sample:walk"]
    assert float(rows[1]["foot_slide_mm"]) < 5
    assert kinetune("measure", "walk.bvh", "sample:walk", "--csv", "-").stdout == (folder / "m.csv").read_text()


# samples, operations, version


def test_samples_are_listed_and_written(kinetune: Kinetune, folder: Path) -> None:
    listed = kinetune("samples").stdout
    assert all(name in listed for name in ("walk-sad", "kick-2", "walk-child", "reach-01 to reach-16", "dog-1"))
    assert listed.splitlines()[0] == "Walks and runs"
    assert len(listed.splitlines()) < len(samples()) / 2
    assert json.loads(kinetune("samples", "--json").stdout)["walk"] == describe("walk")
    result = kinetune("samples", "walk", "-o", "sample.bvh")
    assert result.exit_code == 0, result.output
    assert read(folder / "sample.bvh").same_motion(sample("walk"), tolerance=1e-4)
    assert "frames" in kinetune("samples", "walk").stdout


def test_an_unknown_sample_is_offered_the_nearest(kinetune: Kinetune) -> None:
    assert told(kinetune("samples", "wlak")).startswith('there is no sample "wlak". Did you mean "walk"')
    assert told(kinetune("info", "sample:wlak")).startswith('there is no sample "wlak". Did you mean "walk"')


def test_operations_are_listed_and_explained(kinetune: Kinetune) -> None:
    listed = kinetune("operations").stdout
    assert all(tag in listed for tag in OPERATIONS)
    explained = kinetune("operations", "smooth").stdout
    assert "cutoff_hz" in explained
    assert "Hz" in explained
    declared = json.loads(kinetune("operations", "smooth", "--json").stdout)
    assert declared["schema"]["properties"]["cutoff_hz"]["unit"] == "Hz"
    assert set(json.loads(kinetune("operations", "--json").stdout)) == set(OPERATIONS)


def test_an_unknown_operation_is_offered_the_nearest(kinetune: Kinetune) -> None:
    sentence = told(kinetune("operations", "smoothe"))
    assert sentence.startswith('there is no operation "smoothe". Did you mean "smooth"')


def test_the_version_is_told(kinetune: Kinetune) -> None:
    assert kinetune("version").stdout == kinetune("--version").stdout == f"kinetune {kinetune_version()}\n"
    assert json.loads(kinetune("version", "--json").stdout)["kinetune"] == kinetune_version()


def kinetune_version() -> str:
    return kinetune.__version__
