"""Windows under the hand, the whole after it; long clips; many documents."""

import time

import numpy as np
import pytest

import kinetune as kt
from kinetune.body.feet.floor import find_ground
from kinetune.body.quality.measures import measure
from kinetune.operations import find_operation
from kinetune.studio.evaluate.windows import FRAMES, span
from tests.studio.client import Tab


@pytest.fixture(scope="module")
def long_clip():
    """A walk of 3,000 frames."""
    walk = kt.Loop(cycles=60)(kt.sample("walk"))
    return walk[:3000]


@pytest.fixture(scope="module")
def long_file(long_clip, serving):
    path = serving.studio.origins.folder / "long.npz"
    kt.write(long_clip, path)
    return path.name


def test_windows_hold_the_playhead_and_stay_put():
    for frames in (1, 100, FRAMES, FRAMES + 1, 3000):
        for frame in range(0, frames, 7):
            start, stop = span(frame, frames)
            assert start <= frame < stop
            assert stop - start == min(FRAMES, frames)
    assert span(1000, 3000) == span(1010, 3000)


LEFT_ALONE = {"keep_feet": False, "limit_knees": False}
"""Feet and knees are solved over the whole clip; without that, a window is exact."""


def test_a_fader_answers_with_an_exact_window_first_and_the_whole_after(tab, long_file, long_clip):
    doc = tab.new({"path": long_file})
    step = tab.ask("step.add", doc=doc, op="equalize", knobs={"root": "all", **LEFT_ALONE})["step"]
    tab.settled(doc)
    tab.send("look", doc=doc, frame=1500)
    tab.asked("bands", doc=doc, step=step)
    tab.drop()
    gains = [1.0, 1.2, 2.0, 1.7, 1.0, 0.3, 1.5]
    tab.send("step.set", doc=doc, step=step, knobs={"gains": gains}, drag=True)
    window = tab.wait(lambda a: a["type"] == "motion")
    assert (window["part"], window["exact"], window["drag"]) == ("window", True, True)
    assert window["start"] <= 1500 < window["stop"]
    expected = kt.Equalize(gains=gains, root="all", **LEFT_ALONE)(long_clip).positions().astype("f4")
    np.testing.assert_allclose(window["arrays"]["positions"], expected[window["start"] : window["stop"]], atol=2e-6)
    tab.ask("commit", doc=doc)
    whole = tab.settled(doc)
    assert (whole["part"], whole["start"], whole["stop"]) == ("whole", 0, 3000)
    np.testing.assert_array_equal(whole["arrays"]["positions"], expected)


def keys_with(height):
    hand = {"frame": 700, "joint": "RightHand", "move": [0.0, height, 0.0]}
    return {"keys": [hand, {"frame": 1520, "joint": "Head", "rotate": [0, 20, 0]}]}


EDITS = {
    "displace": (keys_with(0.1), keys_with(0.2), 2e-6),
    "shape": (
        {"curve": "cap(-0.5, 0.8)", "keep_feet": False},
        {"curve": {"points": [[-1, -0.4], [0, 0.2], [1, 0.6]]}},
        2e-6,
    ),
    "blend": ({"other": "sad", "weight": 0.2, "align": "scale", "keep_feet": False}, {"weight": 0.6}, 2e-2),
}


@pytest.mark.parametrize("op", EDITS)
def test_other_edits_answer_with_the_frames_in_view_first(tab, long_file, long_clip, op):
    first, moved, near = EDITS[op]
    doc = tab.new({"path": long_file})
    sad = kt.sample("walk-sad")
    tab.ask("input.add", doc=doc, source={"sample": "walk-sad"}, name="sad")
    step = tab.ask("step.add", doc=doc, op=op, knobs=first)["step"]
    tab.settled(doc)
    tab.send("look", doc=doc, frame=1500)
    tab.drop()
    tab.send("step.set", doc=doc, step=step, knobs=moved, drag=True)
    window = tab.wait(lambda a: a["type"] == "motion")
    assert (window["part"], window["exact"]) == ("window", op != "blend")
    assert window["stop"] - window["start"] == FRAMES
    tab.ask("commit", doc=doc)
    whole = tab.settled(doc)
    shown_first = dict(find_operation(op).editor_values)
    expected = kt.Recipe(steps=[{"op": op, **shown_first, **first, **moved}])
    motion = expected(long_clip, **({"sad": sad} if op == "blend" else {})).positions().astype("f4")
    np.testing.assert_array_equal(whole["arrays"]["positions"], motion)
    assert window["frames"] == len(motion)
    shown = motion[window["start"] : window["stop"]]
    np.testing.assert_allclose(window["arrays"]["positions"], shown, atol=near)


def test_an_edit_under_the_hand_that_cannot_be_made_says_so(tab, long_file):
    doc = tab.new({"path": long_file})
    step = tab.ask(
        "step.add", doc=doc, op="displace", knobs={"keys": [{"frame": 9, "joint": "Head", "rotate": [0, 9, 0]}]}
    )["step"]
    tab.settled(doc)
    tab.drop()
    far = [{"frame": 9, "joint": "RightHand", "to": [0, 99, 0]}]
    tab.send("step.set", doc=doc, step=step, knobs={"keys": far}, drag=True)
    window = tab.wait(lambda a: a["type"] == "motion")
    assert window["steps"][0]["state"] == "failed"
    assert "out of reach" in window["steps"][0]["error"]
    tab.ask("cancel", doc=doc)


def test_steps_after_the_fader_are_previewed_and_corrected(tab, long_file, long_clip):
    doc = tab.new({"path": long_file})
    step = tab.ask("step.add", doc=doc, op="equalize")["step"]
    tab.ask("step.add", doc=doc, op="smooth", knobs={"cutoff_hz": 5})
    tab.settled(doc)
    tab.drop()
    tab.send("step.set", doc=doc, step=step, knobs={"gains": [1, 1, 2, 2]}, drag=True)
    window = tab.wait(lambda a: a["type"] == "motion")
    assert (window["part"], window["exact"]) == ("window", False)
    expected = kt.Smooth(cutoff_hz=5)(kt.Equalize(gains=[1, 1, 2, 2])(long_clip)).positions()
    np.testing.assert_allclose(window["arrays"]["positions"], expected[window["start"] : window["stop"]], atol=0.01)
    tab.ask("commit", doc=doc)
    np.testing.assert_array_equal(tab.settled(doc)["arrays"]["positions"], expected.astype("f4"))


def test_gains_over_time_know_where_the_window_lies(tab, long_file, long_clip):
    doc = tab.new({"path": long_file})
    step = tab.ask("step.add", doc=doc, op="equalize", knobs=LEFT_ALONE)["step"]
    tab.settled(doc)
    tab.send("look", doc=doc, frame=2000)
    tab.drop()
    keys = {"2": [[0, 1], [30, 1], [40, 4]]}
    tab.send("step.set", doc=doc, step=step, knobs={"gain_keys": keys}, drag=True)
    window = tab.wait(lambda a: a["type"] == "motion")
    expected = kt.Equalize(gain_keys=keys, **LEFT_ALONE)(long_clip).positions()
    np.testing.assert_allclose(window["arrays"]["positions"], expected[window["start"] : window["stop"]], atol=2e-6)


def test_a_fader_shows_feet_that_stand(tab, long_file, long_clip):
    doc = tab.new({"path": long_file})
    step = tab.ask("step.add", doc=doc, op="equalize")["step"]
    tab.settled(doc)
    tab.send("look", doc=doc, frame=1500)
    tab.drop()
    tab.send("step.set", doc=doc, step=step, knobs={"gains": [1, 1, 1, 1.5, 1.5]}, drag=True)
    window = tab.wait(lambda a: a["type"] == "motion")
    assert (window["part"], window["exact"]) == ("window", False)
    expected = kt.Equalize(gains=[1, 1, 1, 1.5, 1.5])(long_clip).positions()[window["start"] : window["stop"]]
    apart = np.abs(window["arrays"]["positions"] - expected)
    assert np.median(apart) < 0.01
    tab.ask("commit", doc=doc)
    tab.settled(doc)


def test_only_the_steps_from_the_changed_one_on_run_again(tab):
    doc = tab.new()
    tab.ask("step.add", doc=doc, op="plant_feet")
    step = tab.ask("step.add", doc=doc, op="turn")["step"]
    first = tab.settled(doc)["steps"][0]["ms"]
    for degrees in (10, 20, 30):
        tab.ask("step.set", doc=doc, step=step, knobs={"angle_deg": degrees})
        motion = tab.settled(doc)
        assert motion["steps"][0]["ms"] == first, "the time of the first evaluation is kept with its result"


def test_rotations_come_when_they_are_asked_for(tab):
    doc = tab.ask("new", source={"sample": "wave"})["doc"]
    motion = tab.open(doc, rotations=True)
    clip = kt.sample("wave")
    np.testing.assert_array_equal(motion["arrays"]["rotations"], clip.world_rotations().astype("f4"))
    assert "rotations" in tab.wait(lambda a: a["type"] == "original")["arrays"]


def test_opening_tells_skeleton_original_and_contacts(tab):
    doc = tab.ask("new", source={"sample": "walk"})["doc"]
    tab.open(doc)
    skeleton = tab.wait(lambda a: a["type"] == "skeleton")
    clip = kt.sample("walk")
    assert skeleton["names"] == list(clip.skeleton.names)
    assert skeleton["groups"]["left arm"] == list(clip.skeleton.select("left arm"))
    original = tab.wait(lambda a: a["type"] == "original")
    assert original["arrays"]["tips"].shape == (402, len(clip.skeleton.end_sites), 3)
    feet = original["contacts"]["feet"]
    assert [foot["side"] for foot in feet] == ["left", "right"]
    assert [i[:2] for i in feet[0]["intervals"]] == [list(i) for i in clip.contacts.intervals("left")]
    assert len(original["contacts"]["footprints"]) == sum(len(foot["intervals"]) for foot in feet)


def test_quality_turns_bad_and_good(tab):
    doc = tab.new()
    tab.ask("step.add", doc=doc, op="equalize", knobs={"preset": "exaggerate"})
    edit = tab.ask("step.add", doc=doc, op="equalize", knobs={"gains": [0, 0], "keep_feet": False})["edit"]
    quality = tab.wait(lambda a: a["type"] == "quality" and a["edit"] >= edit)
    found = {measure["name"]: measure for measure in quality["measures"]}
    assert found["foot_slide_mm"]["verdict"] == "bad"
    assert found["foot_slide_mm"]["is"] > found["foot_slide_mm"]["was"]
    tab.ask("undo", doc=doc, count=2)
    quality = tab.wait(lambda a: a["type"] == "quality" and a["edit"] > edit)
    assert {measure["verdict"] for measure in quality["measures"]} == {"same"}


def test_feet_do_not_sink_where_the_floor_moves_along(tab):
    doc = tab.new()
    edit = tab.ask("step.add", doc=doc, op="move", knobs={"y": -0.2})["edit"]
    quality = tab.wait(lambda a: a["type"] == "quality" and a["edit"] >= edit)
    sunk = next(measure for measure in quality["measures"] if measure["name"] == "penetration_mm")
    assert abs(sunk["is"] - sunk["was"]) < 0.5


@pytest.mark.parametrize(
    ("op", "knobs"),
    [("move", {"floor": "level"}), ("move", {"y": -0.4}), ("reinterpret", {"scale": 2.0}), ("clean", {})],
)
def test_a_motion_is_drawn_and_measured_on_the_floor_of_its_check_up(tab, folder, op, knobs):
    kt.write(kt.Move(y=0.3)(kt.sample("walk")), folder / "floating.npz")
    doc = tab.new({"path": "floating.npz"})
    tab.ask("step.add", doc=doc, op=op, knobs=knobs)
    edit = tab.ask("step.add", doc=doc, op="equalize", knobs={"preset": "exaggerate"})["edit"]
    motion = tab.wait(lambda a: a["type"] == "motion" and a["part"] == "whole" and a["edit"] >= edit)
    quality = tab.wait(lambda a: a["type"] == "quality" and a["edit"] >= edit)
    moved = find_operation(op)(**knobs)(kt.read(folder / "floating.npz"))
    checked = measure(kt.Equalize(preset="exaggerate")(moved), ground=find_ground(moved))
    sunk = next(measured for measured in quality["measures"] if measured["name"] == "penetration_mm")
    assert motion["floor"] == find_ground(moved).floor.height
    assert sunk["is"] == pytest.approx(checked["penetration_mm"])


def test_a_motion_on_another_body_is_measured_by_the_soles_of_that_body(tab):
    """A child with the joints of an adult: by the adult's soles it would stand six centimetres in the floor.

    The original is drawn with a surface of its own, too: with the child's, its limbs would be as thin.
    """
    doc = tab.new({"sample": "walk-happy"})
    tab.ask("input.add", doc=doc, source={"sample": "walk-child"}, name="child")
    edit = tab.ask("step.add", doc=doc, op="retarget", knobs={"to": "child"})["edit"]
    quality = tab.wait(lambda a: a["type"] == "quality" and a["edit"] >= edit)
    sunk = next(measured for measured in quality["measures"] if measured["name"] == "penetration_mm")
    assert sunk["is"] < 1.0
    first, second = (tab.wait(lambda a: a["type"] == "skeleton") for _ in range(2))
    assert (first["of"], second["of"]) == ("both", "motion")


def test_another_source_under_the_same_steps(tab):
    doc = tab.new()
    tab.ask("step.add", doc=doc, op="turn", knobs={"angle_deg": 90})
    tab.ask("source.set", doc=doc, source={"sample": "count"})
    skeleton = tab.wait(lambda a: a["type"] == "skeleton" and len(a["names"]) == len(kt.sample("count").skeleton))
    assert skeleton["names"] == list(kt.sample("count").skeleton.names)
    motion = tab.settled(doc)
    expected = kt.Turn(angle_deg=90)(kt.sample("count")).positions().astype("f4")
    np.testing.assert_array_equal(motion["arrays"]["positions"], expected)


def is_whole(answer, doc, edit):
    return answer["type"] == "motion" and (answer["doc"], answer["edit"], answer["part"]) == (doc, edit, "whole")


def test_twenty_documents_do_not_mix(http, serving):
    with Tab(http) as tab:
        docs = [tab.ask("new", source={"sample": "wave"})["doc"] for _ in range(20)]
        for doc in docs:
            tab.ask("open", doc=doc)
        for number, doc in enumerate(docs):
            step = tab.ask("step.add", doc=doc, op="move", knobs={"x": float(number)})["step"]
            tab.send("step.set", doc=doc, step=step, knobs={"z": float(number)}, drag=True)
        edits = [tab.ask("commit", doc=doc)["edit"] for doc in docs]
        start = kt.sample("wave").positions()[0, 0]
        for number, (doc, edit) in enumerate(zip(docs, edits, strict=True)):
            motion = tab.wait(lambda a, doc=doc, edit=edit: is_whole(a, doc, edit))
            found = motion["arrays"]["positions"][0, 0]
            np.testing.assert_allclose(found, start + np.array([number, 0, number]), atol=1e-5)
        rooms = [serving.studio.rooms[doc] for doc in docs]
        size = rooms[0].evaluator.bytes
        assert size > 0
        assert all(room.evaluator.bytes <= 2 * size for room in rooms), "each holds its own motion and no more"
    tab_gone = [serving.studio.rooms[doc] for doc in docs]
    with Tab(http) as tab:
        for _ in range(600):  # a socket that closes takes a moment on a busy machine
            tab.ask("documents")
            if not any(room.seats or room.evaluator.bytes for room in tab_gone):
                break
            time.sleep(0.05)
    assert all(not room.seats and room.evaluator.bytes == 0 for room in tab_gone)
