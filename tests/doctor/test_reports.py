"""Reports for pipelines and people, and limits."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

import kinetune as kt
from kinetune.cli import main
from kinetune.doctor.examine import Examination
from kinetune.doctor.limits import CheckLimits
from kinetune.doctor.reports import as_json, as_junit, as_page, as_sarif
from kinetune.errors import KinetuneError
from kinetune.findings import Finding

SLIDE = Finding("foot-slide", "Feet <slide> & glide.", frame=(3, 9))
EXAMINED = (
    Examination("a.bvh", (SLIDE, Finding("still-joints", "One.", severity="info")), "doubtful", 40, 30.0),
    Examination("b.bvh", (), "plausible", 40, 30.0),
)


def test_limits_choose_what_fails():
    assert CheckLimits().failing(EXAMINED[0].findings) == (SLIDE,)
    assert CheckLimits(ignore=("foot-slide",)).failing(EXAMINED[0].findings) == ()
    assert CheckLimits(fail=("still-joints",)).failing(EXAMINED[0].findings) == (EXAMINED[0].findings[1],)


def test_junit_counts_files_and_failures():
    suite = ElementTree.fromstring(as_junit(EXAMINED, CheckLimits()))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert suite.find("testcase/failure").get("type") == "foot-slide"


def test_sarif_and_json_name_kinds_and_files():
    run = json.loads(as_sarif(EXAMINED, CheckLimits()))["runs"][0]
    assert [result["ruleId"] for result in run["results"]] == ["foot-slide", "still-joints"]
    assert json.loads(as_json(EXAMINED, CheckLimits()))["failed"] == 1


def test_the_page_escapes_what_it_shows():
    page = as_page(EXAMINED, CheckLimits())
    assert "&lt;slide&gt;" in page
    assert "<slide>" not in page


@pytest.mark.parametrize("text", ["fail: 3", "other: []", "checks: {height: 3}", "checks: {gait_phase: tall}", "[1"])
def test_bad_limits_are_refused_in_one_sentence(tmp_path, text):
    path = tmp_path / "limits.yaml"
    path.write_text(text)
    with pytest.raises(KinetuneError, match=r"limits\.yaml"):
        CheckLimits.read(path)


def test_a_pipeline_gets_exit_codes_and_reports(tmp_path, capsys):
    kt.write(kt.sample("walk")[:60], tmp_path / "walk.bvh")
    limits = tmp_path / "limits.yaml"
    limits.write_text("checks: {root_drift_m: 0.05}")
    call = ["doctor", str(tmp_path), "--ci", "--no-physics", "--jobs", "1"]
    with pytest.raises(SystemExit) as stopped:
        main([*call, "--limits", str(limits), "--junit", str(tmp_path / "j.xml"), "--html", str(tmp_path / "p.html")])
    assert stopped.value.code == 1
    assert "root-drift" in capsys.readouterr().out
    assert "root-drift" in (tmp_path / "j.xml").read_text()
    assert "<svg" in (tmp_path / "p.html").read_text()
    limits.write_text("fail: [error]\nchecks: {root_drift_m: 0.05}")
    with pytest.raises(SystemExit) as passed:
        main([*call, "--limits", str(limits)])
    assert passed.value.code == 0


@pytest.mark.slow
def test_a_fix_is_what_clean_makes(tmp_path, capsys):
    from benchmarks.planted_defects import t_pose

    source, fixed, cleaned = (tmp_path / name for name in ("posed.bvh", "fixed.bvh", "cleaned.bvh"))
    kt.write(kt.Move(y=0.3)(t_pose(kt.sample("walk")[:90], 0)), source)
    for call in (
        ["doctor", str(source), "--no-physics", "--fix", str(fixed)],
        ["clean", str(source), "-o", str(cleaned)],
    ):
        with pytest.raises(SystemExit) as done:
            main(call)
        assert done.value.code == 0
    assert fixed.read_bytes() == cleaned.read_bytes()
    assert len(kt.read(fixed)) == 90
    assert "trim, move" in capsys.readouterr().out
