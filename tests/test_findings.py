"""Findings are plain values that every surface shows alike."""

import json

import pytest

from kinetune.findings import Finding, guessed
from kinetune.operations import find_operation
from kinetune.runs import run


def test_a_finding_survives_json() -> None:
    for finding in (guessed('unit="cm"', "Taken as cm."), Finding("fall", "It falls.", frame=(3, 9), remedy="Run it.")):
        assert Finding.from_dict(json.loads(json.dumps(finding.as_dict()))) == finding


def test_its_text_begins_with_the_frames() -> None:
    assert str(Finding("x", "Odd.", frame=(4, 4))) == "frame 4: Odd."
    assert str(Finding("x", "Odd.", frame=(4, 7), remedy="Cut it.")) == "frames 4-7: Odd. Cut it."


@pytest.mark.slow
def test_a_run_carries_what_its_steps_found() -> None:
    aim = find_operation("aim")(others=("b",), at=(9.0, 9.0, 9.0))
    result = run(aim, "sample:reach-01", {"b": "sample:reach-02"})
    (finding,) = result.findings
    assert finding.kind == "out-of-reach"
    assert result.report()["findings"] == [finding.as_dict()]
    assert "misses it by" in finding.message
