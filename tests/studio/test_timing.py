"""Where the moments of the tracks went, through several steps."""

import numpy as np
import pytest


def parts_of(tab, doc):
    answer = tab.asked("timing", doc=doc)
    return answer["known"], [answer["arrays"][f"part{k}"] for k in range(answer["parts"])]


@pytest.mark.parametrize(
    ("op", "knobs", "frame", "origin"),
    [
        ("trim", {"start": 60, "end": 300}, 10, 70),
        ("retime", {"speed": 0.5}, 100, 50),
        ("resample", {"fps": 24.0}, 40, 100),
        ("loop", {"start": 20, "end": 80, "cycles": 2}, 70, 30),
    ],
)
def test_each_frame_of_the_result_has_its_origin_in_the_source(tab, op, knobs, frame, origin):
    doc = tab.new({"sample": "walk"})
    tab.ask("step.add", doc=doc, op=op, knobs=knobs)
    assert tab.asked("timing", doc=doc)["arrays"]["origins"][frame] == pytest.approx(origin, abs=0.01)


def test_a_step_that_only_shifts_the_timing_changes_no_pose(tab):
    doc = tab.new({"sample": "walk"})
    tab.open(doc)
    tab.ask("step.add", doc=doc, op="trim", knobs={"start": 60})
    assert tab.settled(doc)["change_mm"] == pytest.approx(0.0, abs=1e-6)


def test_steps_that_change_the_timing_are_followed_one_after_the_other(tab):
    doc = tab.new({"sample": "walk"})
    assert parts_of(tab, doc) == (False, []), "nothing changes it"
    tab.ask("step.add", doc=doc, op="trim", knobs={"start": 60})
    tab.ask("step.add", doc=doc, op="smooth", knobs={"cutoff_hz": 6})
    tab.ask("step.add", doc=doc, op="retime", knobs={"speed": 0.5})
    known, (part,) = parts_of(tab, doc)
    assert known
    np.testing.assert_allclose(part[[0, -1]], [[1.0, 0.0], [401 / 60, 2 * 341 / 60]], atol=1e-4)
    np.testing.assert_allclose(np.interp(3.0, *part.T), 4.0, atol=0.02)
    looped = tab.ask("step.add", doc=doc, op="loop", knobs={"cycles": 2})["step"]
    known, cycles = parts_of(tab, doc)
    assert known
    assert len(cycles) == 2
    np.testing.assert_allclose(cycles[0][:, 0], cycles[1][:, 0], atol=1e-5)
    assert cycles[1][0, 1] == np.float32(cycles[0][-1, 1])
    tab.ask("step.remove", doc=doc, step=looped)
    steps = [{"side": "left", "x": 0.1, "z": 0.3}, {"side": "right", "x": -0.1, "z": 0.9}]
    tab.ask("step.add", doc=doc, op="follow_footsteps", knobs={"footsteps": steps, "steps": "samples"})
    assert parts_of(tab, doc) == (False, []), "a walk of its own"
