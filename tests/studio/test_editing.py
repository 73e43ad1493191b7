"""Edits of the stack: each is one undo step, refusals change nothing, tabs see the same document."""

import numpy as np
import pytest

import kinetune as kt
from tests.studio.client import Tab

HAND = 13


def steps_of(document):
    return [step["op"] for step in document["steps"]]


def test_an_edit_changes_the_motion_and_undo_brings_it_back(tab):
    doc = tab.new()
    before = tab.open(doc)["arrays"]["positions"]
    tab.ask("step.add", doc=doc, op="equalize", knobs={"preset": "exaggerate"})
    after = tab.settled(doc)
    whole = kt.Equalize(preset="exaggerate")(kt.sample("walk"))
    np.testing.assert_array_equal(after["arrays"]["positions"], whole.positions().astype("f4"))
    assert after["change_mm"] > 10
    tab.ask("undo", doc=doc)
    again = tab.settled(doc)
    np.testing.assert_array_equal(again["arrays"]["positions"], before)
    tab.ask("redo", doc=doc)
    np.testing.assert_array_equal(tab.settled(doc)["arrays"]["positions"], after["arrays"]["positions"])


def test_a_drag_is_one_undo_step(tab):
    doc = tab.new()
    step = tab.ask("step.add", doc=doc, op="turn")["step"]
    for degrees in range(1, 40):
        tab.send("step.set", doc=doc, step=step, knobs={"angle_deg": degrees}, drag=True)
    tab.ask("commit", doc=doc)
    document = tab.document(doc)
    assert document["history"] == ["Open walk", "Add turn", "Turn: angle 39°"]
    assert document["steps"][0]["knobs"]["angle_deg"] == 39
    assert document["undo"] == "Turn: angle 39°"
    tab.ask("undo", doc=doc)
    document = tab.document(doc)
    assert document["steps"][0]["knobs"]["angle_deg"] == 0
    assert document["redo"] == "Turn: angle 39°"


def test_a_drag_shows_the_newest_state_with_rising_edits(tab):
    doc = tab.new()
    step = tab.ask("step.add", doc=doc, op="move")["step"]
    tab.settled(doc)
    tab.drop()
    for number in range(60):
        last = tab.send("step.set", doc=doc, step=step, knobs={"x": 0.01 * number}, drag=True)
    shown = []
    while not shown or shown[-1]["id"] != last:
        shown.append(tab.wait(lambda a: a["type"] == "motion"))
    assert shown[-1]["drag"]  # before it, a slow machine may have had time for the whole answer too
    edits = [answer["edit"] for answer in shown]
    assert edits == sorted(edits)
    assert len(shown) <= 60
    x = shown[-1]["arrays"]["positions"][0, 0, 0]
    assert x == pytest.approx(kt.sample("walk").positions()[0, 0, 0] + 0.59, abs=1e-6)
    assert not any(answer["type"] == "done" for answer in tab.unread)


def test_escape_cancels_a_drag(tab):
    doc = tab.new()
    step = tab.ask("step.add", doc=doc, op="turn", knobs={"angle_deg": 5})["step"]
    tab.send("step.set", doc=doc, step=step, knobs={"angle_deg": 90}, drag=True)
    tab.ask("cancel", doc=doc)
    document = tab.document(doc)
    assert document["steps"][0]["knobs"]["angle_deg"] == 5
    assert document["history"] == ["Open walk", "Add turn"]
    assert not document["dragging"]


def test_a_drag_back_to_where_it_began_is_no_step(tab):
    doc = tab.new()
    step = tab.ask("step.add", doc=doc, op="turn", knobs={"angle_deg": 5})["step"]
    for degrees in (10, 20, 5):
        tab.send("step.set", doc=doc, step=step, knobs={"angle_deg": degrees}, drag=True)
    tab.ask("commit", doc=doc)
    assert tab.document(doc)["history"] == ["Open walk", "Add turn"]


def test_reorder_toggle_duplicate_remove(tab):
    doc = tab.new()
    one = tab.ask("step.add", doc=doc, op="smooth")["step"]
    two = tab.ask("step.add", doc=doc, op="mirror")["step"]
    tab.ask("step.move", doc=doc, step=two, to=0)
    assert steps_of(tab.document(doc)) == ["mirror", "smooth"]
    copy = tab.ask("step.duplicate", doc=doc, step=two)["step"]
    assert steps_of(tab.document(doc)) == ["mirror", "mirror", "smooth"]
    tab.ask("step.toggle", doc=doc, step=copy, on=False)
    document = tab.document(doc)
    assert [step["state"] for step in document["steps"]][1] == "off"
    tab.ask("step.remove", doc=doc, step=two)
    assert [step["id"] for step in tab.document(doc)["steps"]] == [copy, one]
    assert tab.document(doc)["undo"] == "Remove mirror"


def test_patches_reach_into_lists_and_tables(tab):
    doc = tab.new()
    step = tab.ask("step.add", doc=doc, op="displace")["step"]
    tab.ask(
        "step.patch",
        doc=doc,
        step=step,
        path=["keys", 0],
        value={"frame": 10, "joint": "RightHand", "move": [0, 0.1, 0]},
    )
    tab.ask("step.patch", doc=doc, step=step, path=["keys", 0, "move", 1], value=0.2)
    tab.ask("step.patch", doc=doc, step=step, path=["keys", 0, "tension"], value=0.5)
    key = tab.document(doc)["steps"][0]["knobs"]["keys"][0]
    assert (key["move"], key["tension"]) == ([0, 0.2, 0], 0.5)
    tab.ask("step.patch", doc=doc, step=step, path=["keys", 0], remove=True)
    assert tab.document(doc)["steps"][0]["knobs"]["keys"] == []
    band = tab.ask("step.add", doc=doc, op="equalize")["step"]
    tab.ask("step.patch", doc=doc, step=band, path=["groups", "left arm"], value=[1, 2])
    assert tab.document(doc)["steps"][1]["knobs"]["groups"] == {"left arm": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"knobs": {"angle_deg": "much"}}, "refused"),
        ({"knobs": {"degres": 4}}, "refused"),
        ({"step": "s99", "knobs": {}}, "unknown_step"),
        ({"doc": "nowhere", "knobs": {}}, "unknown_document"),
    ],
)
def test_a_refused_edit_changes_nothing(tab, fields, code):
    doc = tab.new()
    step = tab.ask("step.add", doc=doc, op="turn", knobs={"angle_deg": 5})["step"]
    before = tab.document(doc)["edit"]
    error = tab.refused("step.set", **{"doc": doc, "step": step, **fields})
    assert error["code"] == code
    assert error["message"].endswith((".", "?"))
    assert tab.document(doc)["edit"] == before


def test_a_refused_value_under_the_hand_keeps_the_last_good_one(tab):
    doc = tab.new()
    step = tab.ask("step.add", doc=doc, op="smooth")["step"]
    tab.send("step.set", doc=doc, step=step, knobs={"cutoff_hz": 3.0}, drag=True)
    bad = tab.send("step.set", doc=doc, step=step, knobs={"cutoff_hz": -3.0}, drag=True)
    error = tab.wait(lambda a: a["type"] == "error" and a["id"] == bad)
    assert error["step"] == step
    tab.ask("commit", doc=doc)
    assert tab.document(doc)["steps"][0]["knobs"]["cutoff_hz"] == 3.0


def test_a_step_that_fails_says_so_and_the_later_ones_go_on(tab):
    doc = tab.new()
    tab.ask("step.add", doc=doc, op="trim", knobs={"start": 1000})
    tab.ask("step.add", doc=doc, op="turn", knobs={"angle_deg": 90})
    motion = tab.settled(doc)
    assert [step["state"] for step in motion["steps"]] == ["failed", "done"]
    assert "frames 0 to 401" in motion["steps"][0]["error"]
    assert motion["frames"] == 402
    assert tab.document(doc)["steps"][0]["error"] == motion["steps"][0]["error"]


def test_an_operation_for_two_clips_takes_the_newest_or_says_what_to_do(tab):
    doc = tab.new()
    assert "Drop one" in tab.refused("step.add", doc=doc, op="blend")["message"]
    name = tab.ask("input.add", doc=doc, source={"sample": "walk-sad"})["name"]
    tab.ask("step.add", doc=doc, op="blend", knobs={"weight": 0.25})
    document = tab.document(doc)
    assert document["steps"][0]["knobs"]["other"] == name
    assert document["inputs"][0]["same_joints"]
    assert tab.refused("input.remove", doc=doc, name=name)["code"] == "refused"
    expected = kt.Blend(other="sad", weight=0.25)(kt.sample("walk"), sad=kt.sample("walk-sad"))
    np.testing.assert_array_equal(tab.settled(doc)["arrays"]["positions"], expected.positions().astype("f4"))


def test_two_tabs_see_one_document(tab, http):
    doc = tab.new()
    with Tab(http) as other:
        other.open(doc)
        step = tab.ask("step.add", doc=doc, op="turn", knobs={"angle_deg": 30})["step"]
        told = other.wait(lambda a: a["type"] == "document" and a["steps"])
        assert told["steps"][0]["knobs"]["angle_deg"] == 30
        tab.send("step.set", doc=doc, step=step, knobs={"angle_deg": 40}, drag=True)
        tab.wait(lambda a: a["type"] == "motion" and a["drag"])
        other.ask("step.set", doc=doc, step=step, knobs={"angle_deg": 50})
        assert tab.document(doc)["history"][-2:] == ["Turn: angle 40°", "Turn: angle 50°"]


def test_a_tab_that_closes_in_mid_drag_leaves_what_it_had(tab, http, serving):
    doc = tab.new()
    step = tab.ask("step.add", doc=doc, op="turn")["step"]
    with Tab(http) as other:
        other.ask("open", doc=doc)
        other.send("step.set", doc=doc, step=step, knobs={"angle_deg": 77}, drag=True)
        other.wait(lambda a: a["type"] == "motion" and a["drag"])
    told = tab.wait(lambda a: a["type"] == "document" and a["steps"] and a["steps"][0]["knobs"]["angle_deg"] == 77)
    assert not told["dragging"]
    tab.ask("close", doc=doc)
    room = serving.studio.rooms[doc]
    assert not room.seats
    assert room.evaluator.bytes == 0, "what can be computed again is dropped"


def test_tracks_are_the_first_step_and_one_untouched_source_needs_none(tab):
    doc = tab.new()
    tab.ask("input.add", doc=doc, source={"sample": "walk-sad"})
    tab.ask("step.add", doc=doc, op="smooth")
    tracks = [{"clip": "source", "stop": 200}, {"clip": "walk-sad", "at": 170, "lane": 1}]
    tab.ask("tracks.set", doc=doc, tracks=tracks)
    document = tab.document(doc)
    assert steps_of(document) == ["arrange", "smooth"]
    assert [(t["clip"], t["at"], t["stop"], t["lane"]) for t in document["tracks"]] == [
        ("source", 0, 200, 0),
        ("walk-sad", 170, 413, 1),
    ]
    assert tab.settled(doc)["frames"] == 170 + 413
    tab.ask("tracks.set", doc=doc, tracks=[{"clip": "source"}])
    assert steps_of(tab.document(doc)) == ["smooth"]
    assert tab.refused("tracks.set", doc=doc, tracks=[{"clip": "nobody"}])["code"] == "unknown_name"


def test_a_gizmo_makes_one_key_for_each_joint_and_frame(tab):
    doc = tab.new()
    clip = kt.sample("walk")
    place = clip.positions()[100, HAND] + [0.0, 0.1, 0.0]
    for height in (0.02, 0.05, 0.1):
        at = (clip.positions()[100, HAND] + [0.0, height, 0.0]).tolist()
        answer = tab.ask("pose", doc=doc, frame=100, joint="RightHand", to=at, drag=True)
    assert answer["key"] == 0
    tab.ask("commit", doc=doc)
    motion = tab.settled(doc)
    np.testing.assert_allclose(motion["arrays"]["positions"][100, HAND], place, atol=1e-4)
    assert motion["steps"][0]["report"]["misses_mm"][0] < 0.1
    answer = tab.ask("pose", doc=doc, frame=140, joint=HAND, rotate=[0, 0, 20])
    assert (answer["step"], answer["key"]) == ("s1", 1)
    document = tab.document(doc)
    assert [key["frame"] for key in document["steps"][0]["knobs"]["keys"]] == [100, 140]
    assert document["history"][1:] == ["Displace right hand at frame 100", "Displace right hand at frame 140"]


@pytest.mark.parametrize(
    "fields",
    [
        {"joint": "RightHand"},
        {"joint": 99, "to": [0, 0, 0]},
        {"joint": "Nobody", "to": [0, 0, 0]},
        {"joint": 3, "to": [0, 0, 0], "frame": 9999},
        {"joint": 3, "to": [0, 0, 0], "move": [0, 0, 0]},
    ],
)
def test_a_gizmo_that_makes_no_sense_is_refused(tab, fields):
    doc = tab.new()
    assert tab.refused("pose", **{"doc": doc, "frame": 10, **fields})["message"]
    assert tab.document(doc)["steps"] == []


def test_markers_views_and_names_are_kept(tab, http):
    doc = tab.new()
    tab.ask("markers", doc=doc, markers=[{"frame": 5, "name": "here"}])
    tab.ask("view", doc=doc, set={"camera": [1, 2, 3], "loop": [10, 20]})
    tab.ask("view", doc=doc, set={"loop": None})
    tab.ask("rename", doc=doc, name="mine")
    with Tab(http) as other:
        other.ask("open", doc=doc)
        document = other.wait(lambda a: a["type"] == "document")
    assert document["name"] == "mine"
    assert document["view"] == {"camera": [1, 2, 3]}
    assert [m["name"] for m in document["markers"] if m["editable"]] == ["here"]
    assert any(not m["editable"] for m in document["markers"])
    assert tab.refused("view", doc=doc, set={"camera": "x" * 70_000})["code"] == "refused"


def test_a_document_can_be_forgotten(tab):
    doc = tab.new()
    tab.ask("forget", doc=doc)
    assert tab.refused("open", doc=doc)["code"] == "unknown_document"
    assert doc not in {line["doc"] for line in tab.ask("documents")["documents"]}


def test_edits_of_one_gesture_are_one_undo_step(tab):
    doc = tab.new()
    step = tab.ask("step.add", doc=doc, op="turn", gesture="g1")["step"]
    for degrees in (1, 2, 3):
        tab.ask("step.set", doc=doc, step=step, knobs={"angle_deg": degrees}, gesture="g1", label="Turn it")
    tab.ask("step.set", doc=doc, step=step, knobs={"angle_deg": 9}, gesture="g2")
    assert tab.document(doc)["history"] == ["Open walk", "Turn it", "Turn: angle 9°"]
    tab.ask("undo", doc=doc, count=2)
    assert tab.document(doc)["steps"] == []


def test_a_version_stays_when_its_entry_is_gone(tab):
    doc = tab.new()
    step = tab.ask("step.add", doc=doc, op="turn", knobs={"angle_deg": 5})["step"]
    tab.ask("version.save", doc=doc, name="calm")
    tab.ask("version.save", doc=doc, name="start", entry=0)
    assert [(each["name"], each["entry"]) for each in tab.document(doc)["versions"]] == [("calm", 1), ("start", 0)]
    tab.ask("undo", doc=doc)
    tab.ask("step.add", doc=doc, op="mirror")
    document = tab.document(doc)
    assert document["history"] == ["Open walk", "Add mirror"]
    assert document["versions"][0]["entry"] is None
    tab.ask("version.open", doc=doc, name="calm")
    document = tab.document(doc)
    assert [each["id"] for each in document["steps"]] == [step]
    assert document["undo"] == "Version calm"
    tab.ask("undo", doc=doc)
    assert tab.document(doc)["steps"][0]["op"] == "mirror"
    tab.ask("version.remove", doc=doc, name="calm")
    assert tab.refused("version.open", doc=doc, name="calm")["code"] == "unknown_name"
    assert tab.refused("version.save", doc=doc, name="x", entry=99)["code"] == "bad_field"


def test_a_recipe_is_appended_or_replaces_the_steps(tab):
    doc = tab.new()
    tab.ask("step.add", doc=doc, op="turn")
    recipe = "steps: [{op: mirror}, {op: smooth, off: true}]"
    tab.ask("recipe.set", doc=doc, text=recipe, append=True)
    assert [(each["op"], each["on"]) for each in tab.document(doc)["steps"]] == [
        ("turn", True),
        ("mirror", True),
        ("smooth", False),
    ]
    tab.ask("recipe.set", doc=doc, text=recipe)
    assert [each["op"] for each in tab.document(doc)["steps"]] == ["mirror", "smooth"]
    tab.ask("input.add", doc=doc, source={"sample": "wave"}, name="other")
    clash = "inputs: {other: 'sample:run'}\nsteps: [{op: blend, other: other}]"
    assert "another clip" in tab.refused("recipe.set", doc=doc, text=clash, append=True)["message"]
