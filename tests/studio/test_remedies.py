from dataclasses import replace

import numpy as np
import pytest

import kinetune as kt
from kinetune.diagnosis.detectors import DETECTORS
from kinetune.errors import MalformedFileError
from kinetune.findings import Finding, guessed
from kinetune.studio.documents.origins import one_line
from kinetune.studio.evaluate.remedies import _remedies, checkup_lines, value_after
from tests.diagnosis.test_detectors import standing, uphill


@pytest.mark.parametrize(
    ("clip", "kind", "label"),
    [
        (uphill(standing()), "floor-lean", "Level it"),
        (standing().replace(root=standing().root + np.array([0.0, 0.2, 0.0])), "floor-height", "Put it at zero"),
    ],
)
def test_the_button_of_a_remedy_says_what_it_does(clip, kind, label):
    finding = next(f for detect in DETECTORS if detect.part == "floor" for f in detect(clip) if f.kind == kind)
    assert [remedy["label"] for remedy in _remedies(finding, clip)] == [label]


def test_frames_that_repeat_get_their_rate_back():
    walk = standing()[::2]
    which = np.arange(len(walk)).repeat(2)
    stored = walk.replace(fps=2 * walk.fps, root=walk.root[which], rotations=walk.rotations[which], contacts=None)
    (line,) = (line for line in checkup_lines(stored) if line["kind"] == "repeated-frames")
    assert [remedy["label"] for remedy in line["remedies"]] == ["Restore the rate"]
    assert round(line["was"]) == 50
    assert value_after(stored, "repeated-frames") == 0


def test_feet_that_slide_like_those_of_most_captures_can_be_planted():
    walk = kt.sample("walk").replace(contacts=None, markers=())
    slid = walk.replace(root=walk.root * np.array([1.03, 1.0, 1.03]))
    kinds = [line["kind"] for line in checkup_lines(slid)]
    assert kinds.count("foot-slide") == 1
    line = next(line for line in checkup_lines(slid) if line["kind"] == "foot-slide")
    assert 5 < line["was"] < 30, "the doctor says nothing about so little"
    assert value_after(slid, "foot-slide") < 5
    assert "foot-slide" not in [line["kind"] for line in checkup_lines(walk)]
    far = walk.replace(root=walk.root * np.array([1.3, 1.0, 1.3]))
    assert [line["kind"] for line in checkup_lines(far)].count("foot-slide") == 1, "what the doctor says, once"


def test_another_animation_of_a_file_is_one_click_away():
    read = kt.sample("walk")
    named = guessed("animation", 'The file has 2 animations ("Walk", "Run"); "Walk" is read.', ("Walk", "Run"))
    read = read.replace(source=replace(read.source, findings=(named,)))
    (line,) = (line for line in checkup_lines(kt.sample("walk"), ("Run", read)) if line["kind"] == "guessed-animation")
    assert line["message"] == '"Run" is read, one of 2 in this file.'
    assert [remedy["reading"] for remedy in line["remedies"]] == [{"animation": "Walk"}]


@pytest.mark.parametrize(
    ("advice", "shown"),
    [
        (
            "Is the last line cut off? Read it with partial=True (--partial) to keep frames 0-9.",
            "Is the last line cut off? Open what is complete to keep frames 0-9.",
        ),
        (
            "Correct that line, or read it with partial=True (--partial) to keep frames 0-9.",
            "Correct that line, or open what is complete to keep frames 0-9.",
        ),
        ("Give its file with skeleton= (--skeleton body.txt).", "Give its file too: drop both at once."),
        ("It has no feet. kinetune info FILE shows what was recognised.", "It has no feet."),
    ],
)
def test_the_page_says_what_the_page_can_do(advice, shown):
    assert (
        one_line(MalformedFileError("a.bvh", "frame 10 is short.", advice=advice))
        == f"a.bvh: frame 10 is short. {shown}"
    )


def test_an_unusual_size_is_said_once():
    clip = kt.sample("walk")[:30]
    twice = tuple(Finding("unusual-size", message) for message in ("It is 36 m tall.", "In its unit it is 36 m tall."))
    lines = checkup_lines(clip.replace(source=replace(clip.source, findings=twice)))
    assert [line["message"] for line in lines if line["kind"] == "unusual-size"] == ["It is 36 m tall."]


def test_the_unit_is_asked_for_once():
    clip = standing()
    asked = (Finding("wrong-unit", "By its legs it is 0.7 m tall."), guessed("unit", "The file states no unit."))
    lines = checkup_lines(clip.replace(source=replace(clip.source, findings=asked)))
    assert [line["kind"] for line in lines if line["kind"] in ("wrong-unit", "guessed-unit")] == ["wrong-unit"]
