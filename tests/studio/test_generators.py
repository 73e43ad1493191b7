"""Targets and footsteps under the hand."""

import numpy as np
import pytest

import kinetune as kt

HAND = 13


@pytest.fixture
def reaching(tab):
    """A document with the reaches as examples, and a target."""
    doc = tab.new({"sample": "reach-01"})
    names = tab.ask("input.add_set", doc=doc, set="reach")["names"]
    assert names[0] == "reach-01"
    step = tab.ask("step.add", doc=doc, op="aim", knobs={"joint": "right hand"})["step"]
    return doc, step


def test_a_target_is_followed_while_it_is_dragged(tab, reaching):
    doc, step = reaching
    tab.settled(doc)
    tab.drop()
    for x in np.linspace(-0.4, -0.2, 30):
        last = tab.send("step.patch", doc=doc, step=step, path=["at"], value=[x, 1.2, 0.5], drag=True)
    motion = tab.wait(lambda a: a["type"] == "motion" and a["id"] == last)
    report = motion["steps"][0]["report"]
    assert report["reachable"]
    assert report["targets"][0]["error_mm"] < 0.05
    assert report["outside_cm"] == 0
    assert len(report["targets"][0]["examples"]) == 16
    np.testing.assert_allclose(motion["arrays"]["positions"][-1, HAND], [-0.2, 1.2, 0.5], atol=1e-4)
    tab.ask("commit", doc=doc)
    whole = tab.settled(doc)
    assert whole["exact"]
    np.testing.assert_allclose(whole["arrays"]["positions"], motion["arrays"]["positions"], atol=0.05)
    np.testing.assert_allclose(whole["arrays"]["positions"][-1, HAND], [-0.2, 1.2, 0.5], atol=1e-4)


def test_a_target_out_of_reach_says_by_how_much(tab, reaching):
    doc, step = reaching
    tab.ask("step.set", doc=doc, step=step, knobs={"at": [0.0, 3.0, 0.5]})
    motion = tab.settled(doc)
    report = motion["steps"][0]["report"]
    assert not report["reachable"]
    hand = motion["arrays"]["positions"][-1, HAND]
    assert report["outside_cm"] == pytest.approx(100 * np.linalg.norm(hand - [0.0, 3.0, 0.5]), rel=1e-3)


def test_several_targets_are_followed_each_with_its_priority(tab, reaching):
    doc, step = reaching
    here = kt.sample("reach-04").joint("RightHand").positions[-1]
    hand = {"joint": "right hand", "at": here.tolist()}
    high = {"joint": "right hand", "at": [here[0], here[1] + 0.05, here[2]], "priority": 0.5}
    look = {"joint": "head", "look_at": [0.0, 1.0, 2.0], "priority": 0.0, "frame": 10}
    tab.ask("step.set", doc=doc, step=step, knobs={"targets": [hand, high, look]})
    tab.settled(doc)
    tab.drop()
    for priority in (0.4, 0.2, 0.0):
        last = tab.send("step.patch", doc=doc, step=step, path=["targets", 1, "priority"], value=priority, drag=True)
    motion = tab.wait(lambda a: a["type"] == "motion" and a["id"] == last)
    told = motion["steps"][0]["report"]
    assert told["reachable"], "what has no priority is only measured"
    assert told["targets"][0]["error_mm"] < 0.05
    assert told["targets"][1]["error_mm"] == pytest.approx(50.0, abs=0.1)
    assert told["targets"][2]["joint"] == "head"
    assert told["targets"][2]["error_mm"] is None
    assert told["targets"][2]["error_deg"] > 1.0
    heads = told["targets"][2]["examples"]
    np.testing.assert_allclose(heads[0], kt.sample("reach-01").joint("Head").positions[10], atol=1e-9)
    tab.ask("commit", doc=doc)
    np.testing.assert_allclose(tab.settled(doc)["arrays"]["positions"][-1, HAND], here, atol=1e-4)


def footsteps():
    """Straight ahead, half a metre each."""
    return [{"side": "left" if n % 2 else "right", "x": 0.1 if n % 2 else -0.1, "z": 0.5 * n} for n in range(1, 7)]


@pytest.fixture
def walking(tab):
    """A document whose figure walks over footsteps."""
    doc = tab.new()
    knobs = {"footsteps": footsteps(), "steps": "samples"}
    return doc, tab.ask("step.add", doc=doc, op="follow_footsteps", knobs=knobs)["step"]


def test_a_footprint_that_is_moved_changes_the_walk_from_there_on(tab, walking):
    doc, step = walking
    before = tab.settled(doc)
    tab.drop()
    tab.send("look", doc=doc, frame=0)
    for x in np.linspace(0.1, 0.15, 10):
        last = tab.send("step.patch", doc=doc, step=step, path=["footsteps", 4, "x"], value=x, drag=True)
    motion = tab.wait(lambda a: a["type"] == "motion" and a["id"] == last)
    rows = motion["steps"][0]["report"]["steps"]
    assert rows[4]["place"][0] > before["steps"][0]["report"]["steps"][4]["place"][0] + 0.01
    asked = footsteps()
    asked[4]["x"] = 0.15
    expected = kt.walk(asked).report.steps
    np.testing.assert_allclose([r["error_mm"] for r in rows], [r.error_mm for r in expected], atol=0.1)
    landing = rows[1]["frame"]
    was, now = before["arrays"]["positions"][:landing], motion["arrays"]["positions"][:landing]
    np.testing.assert_allclose(now, was, atol=1e-5, err_msg="steps before it are as they were")
    tab.ask("commit", doc=doc)
    whole = tab.settled(doc)["arrays"]["positions"]
    expected = kt.FollowFootsteps(**tab.document(doc)["steps"][0]["knobs"])(kt.sample("walk"))
    np.testing.assert_array_equal(whole, expected.positions().astype("f4"))
    count = len(motion["arrays"]["positions"])
    np.testing.assert_allclose(whole[:count], motion["arrays"]["positions"], atol=1e-4)


def test_footsteps_can_be_added_and_removed(tab, walking):
    doc, step = walking
    frames = tab.settled(doc)["frames"]
    more = {"side": "left", "x": 0.1, "z": 3.5}
    tab.ask("step.patch", doc=doc, step=step, path=["footsteps", 6], value=more)
    assert tab.settled(doc)["frames"] > frames
    tab.ask("step.patch", doc=doc, step=step, path=["footsteps", 6], remove=True)
    assert tab.settled(doc)["frames"] == frames


def test_footsteps_are_walked_by_the_character_of_the_document(tab):
    doc = tab.new({"sample": "count"})
    tab.drop()
    knobs = {"path": "straight", "steps": "samples"}
    tab.ask("step.add", doc=doc, op="follow_footsteps", knobs=knobs)
    motion = tab.settled(doc)
    assert motion["steps"][0]["state"] == "done", motion["steps"]
    assert motion["arrays"]["positions"].shape[1] == len(kt.sample("count").skeleton)
