"""What panels ask for."""

import numpy as np
import pytest

import kinetune as kt
from kinetune.signals.bands.pyramid import split_bands


@pytest.fixture
def doc(tab):
    return tab.new()


def test_bands_of_the_joint_that_moves_most(tab, doc):
    step = tab.ask("step.add", doc=doc, op="equalize", knobs={"gains": [1, 1, 2]})["step"]
    answer = tab.asked("bands", doc=doc, step=step, joints="left arm", points=50)
    assert [round(band["gain"], 3) for band in answer["bands"]][:4] == [1, 1, 2, 1]
    hz = [band["hz"] for band in answer["bands"]]
    assert hz == sorted(hz, reverse=True)
    assert answer["arrays"]["signals"].shape == (len(hz), 50, 2)
    assert answer["joint"] in ("LeftArm", "LeftForeArm", "LeftShoulder", "LeftHand")
    low, high = answer["arrays"]["signals"].transpose(2, 0, 1)
    assert np.all(low <= high)


def test_bands_add_up_to_the_signal(tab, doc):
    answer = tab.asked("bands", doc=doc, joints=["LeftForeArm"], points=402)
    total = answer["arrays"]["signals"][..., 0].sum(axis=0) + answer["arrays"]["base"][:, 0]
    split = split_bands(total.astype(float))
    assert len(split.details) == len(answer["bands"])
    assert np.ptp(total) > 5, "an elbow bends"


@pytest.mark.parametrize("kind", ["euler", "log", "position"])
def test_curves_before_and_after(tab, doc, kind):
    tab.ask("step.add", doc=doc, op="equalize", knobs={"preset": "exaggerate"})
    answer = tab.asked("curves", doc=doc, joints=["RightArm", 13], kind=kind, points=100)
    arrays = answer["arrays"]
    assert arrays["is"].shape == arrays["was"].shape == (6, 100)
    assert [c["joint"] for c in answer["channels"]] == [11, 11, 11, 13, 13, 13]
    assert np.abs(arrays["is"] - arrays["was"]).max() > (0.01 if kind == "position" else 1)
    if kind == "position":
        frames = arrays["frames"].astype(int)
        np.testing.assert_allclose(arrays["was"][:3].T, kt.sample("walk").positions()[frames, 11], atol=1e-6)


def test_curves_of_another_length(tab, doc):
    tab.ask("step.add", doc=doc, op="trim", knobs={"start": 100})
    arrays = tab.asked("curves", doc=doc, joints=[0], kind="position", points=50)["arrays"]
    assert arrays["frames"][-1] == 301
    np.testing.assert_allclose(arrays["was"], arrays["is"], atol=1e-6, err_msg="the same moments of the motion")
    steps = [{"side": "left", "x": 0.1, "z": 0.3}, {"side": "right", "x": -0.1, "z": 0.9}]
    tab.ask("step.add", doc=doc, op="follow_footsteps", knobs={"footsteps": steps, "steps": "samples"})
    arrays = tab.asked("curves", doc=doc, joints=[0], kind="position", points=50)["arrays"]
    assert arrays["was_frames"][-1] == 401, "no moment of a walk of its own is one of the clip"


def test_curves_of_a_long_clip_keep_what_is_highest_and_lowest(tab, doc):
    asked = {"doc": doc, "joints": ["LeftArm"], "kind": "log"}
    every = tab.asked("curves", **asked, points=1000)["arrays"]
    few = tab.asked("curves", **asked, points=100)["arrays"]
    assert len(every["frames"]) > len(few["frames"])
    for of in (np.max, np.min):
        np.testing.assert_allclose(of(few["is"], axis=1), of(every["is"], axis=1))
    part = tab.asked("curves", **asked, points=100, start=20, stop=80)["arrays"]
    assert part["frames"].tolist() == list(range(20, 80)), "enlarged, every frame"


def test_a_spline_as_the_library_draws_it(tab):
    keys = [[0, 0], [1, 2, 0.5, 0, 0], [3, 1, 0, -1, 0.2]]
    arrays = tab.asked("spline", keys=keys, points=31, ends="zero")["arrays"]
    curve = kt.TCB([0, 1, 3], [0, 2, 1], [0, 0.5, 0], [0, 0, -1], [0, 0, 0.2], ends="zero", holds="flat")
    np.testing.assert_allclose(arrays["values"], curve(np.linspace(0, 3, 31)), atol=1e-6)


def test_a_shaping_curve(tab):
    answer = tab.asked("shaping", curve="cap(-0.5, 0.8)", points=41)
    x, y = answer["arrays"]["values"].T
    np.testing.assert_allclose(y, np.clip(x, -0.5, 0.8), atol=1e-6)
    assert "undulate" in answer["library"]
    assert tab.refused("shaping", curve="no such curve")["code"] == "unknown_name"


def test_a_warp_with_its_path(tab, doc):
    tab.ask("input.add", doc=doc, source={"sample": "walk-sad"})
    step = tab.ask("step.add", doc=doc, op="align")["step"]
    answer = tab.asked("warp", doc=doc, step=step, size=64)
    heat, path = answer["arrays"]["heat"], answer["arrays"]["path"]
    assert max(heat.shape) <= 64
    assert answer["frames"] == [402, 413]
    assert np.all(np.diff(path[:, 0]) >= 0)
    assert np.all(np.diff(path[:, 1]) == 1), "an aligned clip is read at each frame of the other"
    assert len(path) == len(kt.Align(to="sad")(kt.sample("walk"), sad=kt.sample("walk-sad")))
    apart = heat[:: max(1, len(heat) // 8)].min(axis=1).mean()
    assert 0.3 * apart < answer["cost"] < 3 * apart, "what a frame of it costs, as the cells show it"
    other = tab.ask("step.add", doc=doc, op="smooth")["step"]
    assert tab.refused("warp", doc=doc, step=other)["code"] == "refused"


def test_the_clips_of_a_document(tab, doc):
    tab.ask("input.add", doc=doc, source={"sample": "wave"})
    answer = tab.asked("clip", doc=doc, name="wave")
    np.testing.assert_array_equal(answer["arrays"]["positions"], kt.sample("wave").positions().astype("f4"))
    energy = tab.asked("outline", doc=doc, name="wave", points=30)["arrays"]["energy"]
    assert energy.shape == (30,)
    assert energy.max() > 0
    assert tab.refused("outline", doc=doc, name="nobody")["code"] == "unknown_name"


def test_the_surface_of_a_character(tab, doc):
    answer = tab.asked("skin", doc=doc, coarse=True)
    assert answer["body"] == "mannequin"
    arrays = answer["arrays"]
    assert arrays["bones"].shape == arrays["weights"].shape == (len(arrays["points"]), 4)
    np.testing.assert_allclose(arrays["weights"].sum(axis=1), 1.0, atol=1e-6)
    assert arrays["triangles"].max() < len(arrays["points"])
    assert sum(part["count"] for part in answer["parts"]) == arrays["triangles"].size
    assert answer["bone_joints"] == list(range(22))


def test_neutral_knobs(tab, doc):
    step = tab.ask("step.add", doc=doc, op="turn", knobs={"angle_deg": 90})["step"]
    assert tab.ask("neutral", doc=doc, step=step)["knobs"]["angle_deg"] == 0


def test_newer_questions_replace_those_that_wait(tab, doc):
    ids = [tab.send("curves", doc=doc, joints=[n % 22], points=100) for n in range(40)]
    answers = {}
    while len(answers) < len(ids):
        answer = tab.wait(lambda a: a.get("id") in ids and a["type"] in ("curves", "error"))
        answers[answer["id"]] = answer
    assert answers[ids[-1]]["type"] == "curves", "the last one is answered"
    assert {a["code"] for a in answers.values() if a["type"] == "error"} <= {"busy"}


def test_every_operation_has_a_panel_that_says_all(http):
    from kinetune.operations import OPERATIONS

    listed = {panel["op"]: panel for panel in http.json("/api/operations")["operations"]}
    assert set(listed) == set(OPERATIONS)
    for panel in listed.values():
        for knob in panel["knobs"]:
            assert knob["description"].endswith(".")
            assert knob["widget"] in (
                *("number", "integer", "switch", "choice", "text", "joints", "input", "inputs", "curve", "gains"),
                *("table", "keys", "list", "objects", "object"),
            )
            if knob["widget"] in ("number", "integer"):
                assert knob["min"] is not None
                assert knob["max"] is not None
            if knob["widget"] == "choice":
                assert knob["choices"]
    knobs = {knob["name"]: knob for knob in listed["equalize"]["knobs"]}
    assert knobs["gains"]["widget"] == "gains"
    assert knobs["joints"]["widget"] == "joints"
    assert knobs["preset"]["choices"] == ["exaggerate", "nervous", "subdued", "anticipation"]
    assert {knob["name"]: knob["widget"] for knob in listed["shape"]["knobs"]}["curve"] == "curve"


def test_hello_says_what_there_is(http):
    hello = http.json("/api/hello")
    assert hello["protocol"] == 2
    assert ".bvh" in hello["suffixes"]["write"]
    assert {"name": "dog-1"} in hello["drawings"]
    assert next(s for s in hello["sets"] if s["name"] == "reach")["samples"][0] == "reach-01"
    assert hello["open"] in {line["doc"] for line in hello["documents"]}
