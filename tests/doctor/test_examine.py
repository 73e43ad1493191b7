"""The doctor: planted defects get the finding that names them, and clean clips none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks.planted_defects import RECORDING

import kinetune as kt
from kinetune.diagnosis.examination import examine_clip
from kinetune.doctor.examine import examine_file
from kinetune.physics.verdict import TESTS

CLIP = kt.sample("walk")[:200]


def kinds(clip: kt.Clip, **checks: float) -> set[str]:
    return {finding.kind for finding in examine_clip(clip, checks)[0] if finding.severity != "info"}


@pytest.mark.slow
def test_a_good_walk_has_no_findings():
    findings, verdict = examine_clip(CLIP)
    assert not [finding for finding in findings if finding.severity != "info"]
    assert verdict == "plausible"


@pytest.mark.slow
@pytest.mark.parametrize("defect", RECORDING)
def test_planted_defects_are_named(defect):
    plant, names = RECORDING[defect]
    assert kinds(plant(CLIP, 1)) & set(names)


@pytest.mark.slow
def test_findings_come_gravest_first():
    order = [finding.severity for finding in examine_clip(RECORDING["swapped limbs"][0](CLIP, 2))[0]]
    assert order == sorted(order, key=["error", "warning", "info"].index)


def test_frames_are_those_of_the_whole_clip_behind_a_t_pose():
    held = RECORDING["duplicate frames"][0](CLIP, 0)
    (alone,) = [f for f in examine_clip(held, physics=False)[0] if f.kind == "held-frames"]
    posed = RECORDING["T-pose"][0](held, 2)
    (behind,) = [f for f in examine_clip(posed, physics=False)[0] if f.kind == "held-frames"]
    assert behind.frame[0] - alone.frame[0] == len(posed) - len(held)


@pytest.mark.slow
def test_checks_are_made_when_they_are_asked_for():
    assert kinds(CLIP, root_drift_m=0.1) == {"root-drift"}
    assert kinds(CLIP[:37], loop_seam_mm=1.0) >= {"loop-seam"}
    assert kinds(CLIP, gait_phase=0.2) == set()


def test_a_file_that_cannot_be_read_is_a_finding(tmp_path):
    path = tmp_path / "noise.bvh"
    path.write_text("nothing")
    (finding,) = examine_file(str(path)).findings
    assert (finding.kind, finding.severity) == ("unreadable", "error")


def test_every_kind_of_finding_has_a_section_in_the_docs():
    root = Path(__file__).resolve().parents[2]
    sections = set(re.findall(r"^## (\S+)$", (root / "docs" / "findings.md").read_text(encoding="utf-8"), re.MULTILINE))
    files = [
        file for room in ("body/quality", "diagnosis", "doctor") for file in (root / "src/kinetune" / room).glob("*.py")
    ]
    named = {kind for file in files for kind in re.findall(r'Finding\(\s*"([\w-]+)"', file.read_text(encoding="utf-8"))}
    named |= {f"physics-{name}" for name in TESTS}
    assert named <= sections


def test_every_kind_that_readers_report_is_in_the_docs():
    root = Path(__file__).resolve().parents[2]
    page = set(re.findall(r"`([\w-]+)`", (root / "docs" / "findings.md").read_text(encoding="utf-8")))
    page |= set(re.findall(r"^## (\S+)$", (root / "docs" / "findings.md").read_text(encoding="utf-8"), re.MULTILINE))
    files = (root / "src/kinetune/formats").rglob("*.py")
    named = {kind for file in files for kind in re.findall(r'Finding\(\s*"([\w-]+)"', file.read_text(encoding="utf-8"))}
    assert len(named) > 50
    assert named <= page
