"""A step that takes minutes: it is announced with its share, can be cancelled, and waits then until it is run.

What was found for two clips is remembered as long as they live, so each test has a ``band_s`` of its own.
"""

import threading

import numpy as np
import pytest

import kinetune as kt
from kinetune.body.timeline import alignment as aligning
from kinetune.operations import OPERATIONS
from kinetune.progress import report
from kinetune.studio.evaluate import evaluation
from kinetune.studio.evaluate.windows import Windows


@pytest.fixture
def held(monkeypatch):
    """A comparison of clips that goes on, telling that a third is done, until the event is set; and how many began."""
    release, begun = threading.Event(), []
    compare = aligning._time_curve

    def slow(*clips, **options):
        begun.append(threading.current_thread().name)
        while not release.wait(0.01):
            report(0.25, "aligning")
        return compare(*clips, **options)

    monkeypatch.setattr(aligning, "_time_curve", slow)
    yield release, begun
    release.set()


@pytest.fixture
def doc(tab):
    doc = tab.new()
    tab.ask("input.add", doc=doc, source={"sample": "walk-sad"}, name="sad")
    return doc


def notice(tab):
    """The announcement of work that tells its share."""
    return tab.wait(lambda a: a["type"] == "job" and a["share"] is not None and a["state"] == "running")


def states(answer):
    return [step["state"] for step in answer["steps"]]


@pytest.mark.parametrize(
    ("op", "knobs"),
    [("blend", {"other": "sad", "band_s": 5.0}), ("align", {"to": "sad", "band_s": 5.0})],
)
def test_it_tells_its_share_is_cancelled_and_runs_when_it_is_asked_for(tab, doc, held, op, knobs):
    release, begun = held
    tab.ask("step.add", doc=doc, op="mirror")
    tab.settled(doc)
    step = tab.ask("step.add", doc=doc, op=op, knobs=knobs, at=0)["step"]
    told = notice(tab)
    assert told["text"] == f"Computing {op}"
    assert 0.0 < told["share"] < 1.0
    tab.ask("job.cancel", job=told["job"])
    motion = tab.wait(lambda a: a["type"] == "motion" and states(a) == ["waiting", "done"])
    mirrored = kt.Mirror()(kt.sample("walk")).positions().astype("f4")
    np.testing.assert_array_equal(motion["arrays"]["positions"], mirrored, "what follows goes on without it")
    assert tab.refused("warp", doc=doc, step=step)["code"] == "busy"
    count = len(begun)
    tab.ask("markers", doc=doc, markers=[{"frame": 3, "name": "here"}])
    assert states(tab.settled(doc)) == ["waiting", "done"]
    assert len(begun) == count, "it is not begun again by itself"
    job = tab.ask("run", doc=doc, step=step)["job"]
    tab.wait(lambda a: a["type"] == "job" and a["job"] == job and a["text"] == "aligning")
    release.set()
    motion = tab.wait(lambda a: a["type"] == "motion" and a["part"] == "whole" and states(a) == ["done", "done"])
    clip = OPERATIONS[op](**knobs)(kt.sample("walk"), sad=kt.sample("walk-sad"))
    expected = kt.Mirror()(clip).positions().astype("f4")
    np.testing.assert_array_equal(motion["arrays"]["positions"], expected, "what follows is not what was kept before")


@pytest.fixture
def last_moment(monkeypatch):
    """A step in its last moment, when it reports nothing any more; sets the first event, waits for the other."""
    begun, release = threading.Event(), threading.Event()

    def last(step, reached, inputs):
        begun.set()
        release.wait(60)
        return evaluation.CachedStep(reached, None, 0.0, None, 0)

    monkeypatch.setattr(evaluation, "run_step", last)
    yield begun, release
    release.set()


def test_cancelled_after_its_last_report_it_waits_all_the_same(tab, doc, last_moment):
    begun, release = last_moment
    tab.ask("step.add", doc=doc, op="mirror")
    told = tab.wait(lambda a: a["type"] == "job" and a["state"] == "running")
    assert begun.wait(60)
    tab.ask("job.cancel", job=told["job"])
    release.set()
    assert states(tab.wait(lambda a: a["type"] == "motion" and a["part"] == "whole" and a["steps"])) == ["waiting"]


def test_a_background_job_that_is_cancelled_after_its_last_report_leaves_no_result(tab, doc, last_moment):
    begun, release = last_moment
    step = tab.ask("step.add", doc=doc, op="filter_dynamics")["step"]
    tab.settled(doc)
    job = tab.ask("run", doc=doc, step=step)["job"]
    assert begun.wait(60)
    tab.ask("job.cancel", job=job)
    release.set()
    tab.wait(lambda a: a["type"] == "job" and a["job"] == job and a["state"] == "cancelled")
    tab.ask("markers", doc=doc, markers=[{"frame": 3, "name": "here"}])
    assert states(tab.settled(doc)) == ["waiting"]


def test_cancelled_between_two_stages_the_next_does_not_begin(tab, doc, monkeypatch):
    """Cancel is pressed once the frames in view are there, before the whole clip is begun."""
    release = threading.Event()
    window = Windows.window

    def slow(self, *arguments):
        release.wait(60)
        return window(self, *arguments)

    monkeypatch.setattr(Windows, "window", slow)
    tab.ask("step.add", doc=doc, op="mirror")
    told = tab.wait(lambda a: a["type"] == "job" and a["state"] == "running")
    tab.ask("job.cancel", job=told["job"])
    release.set()
    assert states(tab.wait(lambda a: a["type"] == "motion" and a["steps"])) == ["waiting"]
    tab.ask("job.cancel", job=told["job"])  # once more, when all is over


def test_an_edit_that_takes_it_back_ends_it(tab, doc, held):
    tab.ask("step.add", doc=doc, op="blend", knobs={"other": "sad", "band_s": 6.0})
    notice(tab)
    tab.ask("undo", doc=doc)
    motion = tab.settled(doc)
    assert motion["steps"] == []


def test_it_ends_when_nobody_looks_any_more(tab, doc, held, serving):
    tab.ask("step.add", doc=doc, op="blend", knobs={"other": "sad", "band_s": 7.0})
    notice(tab)
    turns = serving.studio.rooms[doc].evaluator.locks
    assert turns.is_busy
    tab.ask("close", doc=doc)
    for _ in range(1000):
        if not turns.is_busy:
            break
        threading.Event().wait(0.01)
    assert not turns.is_busy


def test_clips_are_compared_once_for_the_motion_and_its_panel(tab, doc, held):
    release, begun = held
    release.set()
    step = tab.ask("step.add", doc=doc, op="blend", knobs={"other": "sad", "ends": "all", "band_s": 8.0})["step"]
    asked = [tab.send("warp", doc=doc, step=step, size=40), tab.send("bands", doc=doc, step=step, points=4)]
    for id in asked:
        assert (
            tab.wait(lambda a, id=id: a.get("id") == id and a["type"] in ("warp", "bands", "error"))["type"] != "error"
        )
    tab.settled(doc)
    assert len(begun) == 1
