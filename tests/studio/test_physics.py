"""A slow step: it waits, runs with progress, can be cancelled, and shows its forces."""

import numpy as np
import pytest

import kinetune as kt


@pytest.fixture
def doc(tab):
    doc = tab.new({"sample": "walk"})
    tab.ask("step.add", doc=doc, op="trim", knobs={"end": 120})
    tab.ask("step.add", doc=doc, op="equalize", knobs={"preset": "exaggerate"})
    return doc


def finished(tab, job):
    return tab.wait(lambda a: a["type"] == "job" and a["job"] == job and a["state"] != "running")


def test_it_waits_until_it_is_asked_for_and_then_shows_forces(tab, doc):
    step = tab.ask("step.add", doc=doc, op="filter_dynamics")["step"]
    motion = tab.settled(doc)
    assert motion["steps"][2]["state"] == "waiting"
    assert tab.refused("forces", doc=doc, step=step)["message"].endswith("Run it first.")
    was = tab.asked("loads", doc=doc, step=step)["arrays"]["was_loads"]
    assert was.shape == (120, 3)
    assert 0.9 < np.nanmean(was[:, 2]) < 1.1, "over a walk the floor bears the body's weight"
    before = motion["arrays"]["positions"]
    job = tab.ask("run", doc=doc, step=step)["job"]
    assert tab.refused("run", doc=doc, step=step)["code"] == "busy"
    assert finished(tab, job)["state"] == "done"
    told = [answer for answer in tab.unread if answer["type"] == "job" and answer["job"] == job]
    assert told[0]["text"] == "Filter dynamics"
    assert any(answer["text"] == "filtering" for answer in told)
    motion = tab.wait(lambda a: a["type"] == "motion" and [s["state"] for s in a["steps"]] == ["done"] * 3)
    walk = kt.Equalize(preset="exaggerate")(kt.Trim(end=120)(kt.sample("walk")))
    expected = kt.FilterDynamics()(walk).positions().astype("f4")
    np.testing.assert_array_equal(motion["arrays"]["positions"], expected)
    assert np.abs(expected - before).max() > 1e-3
    assert not motion["steps"][2]["report"]["tracking"]["fell"]
    forces = tab.asked("forces", doc=doc, step=step)
    arrays = forces["arrays"]
    assert arrays["is_contact_forces"].shape == arrays["is_points"].shape
    assert len(arrays["is_forces"]) == len(arrays["was_forces"]) == 120
    weight = forces["weight_n"]
    np.testing.assert_array_equal(arrays["was_loads"], was)
    left, right, whole = arrays["is_loads"].T
    np.testing.assert_allclose(left + right, whole, atol=1e-3)
    known = np.isfinite(whole)
    np.testing.assert_allclose(whole[known] * weight, arrays["is_forces"][known, 1], rtol=1e-5)
    assert known.sum() > 110
    assert 0.5 * weight < np.median(arrays["is_forces"][:, 1]) < 2 * weight
    assert forces["cards"]["is"]["root_residual_bw"] < 1e-3 < forces["cards"]["was"]["root_residual_bw"]
    move, moved = forces["move"], 1e3 * np.linalg.norm(expected - before, axis=-1)
    assert np.unravel_index(np.argmax(moved), moved.shape) == (move["frame"], walk.joint(move["joint"]))
    assert move["mm"] == pytest.approx(moved.max(), abs=0.01)
    assert move["hips_mm"] == pytest.approx(moved[:, 0].max(), abs=0.01)
    assert move["far"] == (moved.max() > 100 * walk.skeleton.height)
    np.testing.assert_allclose(arrays["moved_mm"], moved.max(axis=1), atol=0.01)
    # Another state lets it wait again, and undo finds the result at hand.
    tab.ask("step.set", doc=doc, step="s2", knobs={"preset": "subdued"})
    assert tab.settled(doc)["steps"][2]["state"] == "waiting"
    tab.ask("undo", doc=doc)
    assert tab.settled(doc)["steps"][2]["state"] == "done"


def test_it_can_be_cancelled(tab, doc):
    step = tab.ask("step.add", doc=doc, op="filter_dynamics")["step"]
    tab.settled(doc)
    job = tab.ask("run", doc=doc, step=step)["job"]
    tab.ask("job.cancel", job=job)
    assert finished(tab, job)["state"] == "cancelled"
    document = tab.wait(lambda a: a["type"] == "document" and [s["state"] for s in a["steps"]][2:] == ["waiting"])
    assert document["steps"][2]["error"] is None
