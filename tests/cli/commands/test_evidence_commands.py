"""bench times every job; reproduce, as a user types it, makes one figure, which is quick."""

import json

import pytest

from kinetune.reproduce import PAPERS
from tests.cli.conftest import Kinetune, told


@pytest.mark.slow
def test_every_job_is_timed(kinetune: Kinetune) -> None:
    result = kinetune("bench", "--seconds", "0.01", "--json")
    assert result.exit_code == 0, result.output
    timed = json.loads(result.stdout)
    assert {"read BVH", "equalize", "inverse blend", "morph"} <= set(timed)
    assert all(job["median_ms"] > 0.0 for job in timed.values())


@pytest.mark.slow
def test_one_figure_as_json(kinetune, folder):
    done = kinetune("reproduce", "kochanek-bartels", "--only", "Figure 5", "-o", "again", "--json")
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    assert summary["failed"] == 0
    (experiment,) = summary["experiments"]
    assert (experiment["paper"], experiment["label"]) == ("kochanek-bartels", "Figure 5")
    assert experiment["verdict"] == "same"
    assert {"what", "paper", "ours", "verdict"} <= set(experiment["values"][0])
    written = json.loads((folder / "again" / "summary.json").read_text())
    assert written == summary
    report = (folder / "again" / "report.html").read_text(encoding="utf-8")
    assert "data:image/png;base64," in report
    for picture in experiment["pictures"]:
        assert (folder / "again" / "kochanek-bartels" / "figure-5" / picture).stat().st_size > 1000


@pytest.mark.slow
def test_a_table_for_people(kinetune, folder):
    done = kinetune("reproduce", "kochanek-bartels", "--only", "figure 5", "-o", "again")
    assert done.exit_code == 0, done.output
    assert "the default is the Catmull-Rom spline" in done.stdout
    assert "report.html: the report, with pictures and reasons." in done.stdout.replace("\n", "")


def test_unknown_names_are_told(kinetune, folder):
    words = told(kinetune("reproduce", "kochanek", "-o", "again"))
    assert "kochanek-bartels" in words
    words = told(kinetune("reproduce", "kochanek-bartels", "--only", "Figure 99", "-o", "again"))
    assert "Figure 99" in words


def test_help_names_every_paper(kinetune):
    page = kinetune("reproduce", "--help").stdout
    for paper in PAPERS:
        assert paper in page
