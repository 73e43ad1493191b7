"""The workspace of drawings."""

import numpy as np
import pytest

import kinetune as kt


@pytest.fixture
def doc(tab):
    doc = tab.ask("drawing.new", a={"drawing": "dog-1"}, b={"drawing": "dog-2"})["doc"]
    tab.ask("open", doc=doc)
    return doc


def film_of(tab, edit):
    return tab.wait(lambda a: a["type"] == "film" and a["edit"] >= edit)


def points(film, frame, layer=0, contour=0):
    part = film["frames"][frame]["layers"][layer]["contours"][contour]
    return film["arrays"]["points"][part["start"] : part["start"] + part["count"]]


def test_two_drawings_become_a_film(tab, doc):
    film = film_of(tab, 0)
    expected = kt.morph(kt.sample_drawing("dog-1"), kt.sample_drawing("dog-2"), frames=25)
    assert len(film["frames"]) == 25
    for frame in (0, 12, 24):
        shown = film["frames"][frame]
        assert [layer["name"] for layer in shown["layers"]] == [layer.name for layer in expected[frame].layers]
        for number, layer in enumerate(expected[frame].layers):
            np.testing.assert_allclose(points(film, frame, number), layer.contours[0].points, atol=1e-3)
    keys = tab.wait(lambda a: a["type"] == "drawings")
    assert len(keys["frames"]) == 2


def test_settings_change_the_film_and_undo_brings_it_back(tab, doc):
    edit = tab.ask("drawing.set", doc=doc, set={"frames": 5, "ease": "smooth", "resolution": 16})["edit"]
    assert len(film_of(tab, edit)["frames"]) == 5
    edit = tab.ask("undo", doc=doc)["edit"]
    assert len(film_of(tab, edit)["frames"]) == 25


@pytest.mark.parametrize(
    "settings",
    [{"frames": 1}, {"method": "magic"}, {"speed": 2}, {"pins": [[[0, 0]]]}, {"gait": {"gamma": 1}}],
)
def test_settings_that_do_not_fit_are_refused(tab, doc, settings):
    assert tab.refused("drawing.set", doc=doc, set=settings)["code"] == "bad_field"


def test_a_morph_that_cannot_be_made_says_why_and_the_session_lives(tab, doc):
    film_of(tab, 0)
    tab.drop()
    tab.ask("drawing.set", doc=doc, set={"resolution": 7})
    error = tab.wait(lambda a: a["type"] == "error")
    assert "power of two" in error["message"]
    edit = tab.ask("drawing.set", doc=doc, set={"resolution": None})["edit"]
    assert film_of(tab, edit)["frames"]


def test_a_walk_cycle(tab, doc):
    edit = tab.ask("drawing.set", doc=doc, set={"gait": {"gamma_a": -0.5}, "frames": 8})["edit"]
    assert len(film_of(tab, edit)["frames"]) == 8


def test_a_coarse_point_is_dragged_and_the_detail_rides_along(tab, doc):
    before = tab.asked("drawing.points", doc=doc, which="a", layer=0, contour=0, points=8)
    control = before["arrays"]["control"]
    assert control.shape == (8, 2)
    assert 8 in before["choices"]
    at = {"which": "a", "layer": 0, "contour": 0, "points": 8, "index": 2}
    for step in (1.0, 3.0, 5.0):
        tab.send("drawing.drag", doc=doc, **at, by=[step, 0.0], drag=True)
    tab.ask("commit", doc=doc)
    after = tab.asked("drawing.points", doc=doc, which="a", layer=0, contour=0, points=8)["arrays"]["control"]
    moved = after - control
    np.testing.assert_allclose(moved[2], [5.0, 0.0], atol=1e-3)
    np.testing.assert_allclose(np.delete(moved, 2, axis=0), 0.0, atol=1e-3)
    tab.drop()
    tab.ask("rename", doc=doc, name="bent")
    document = tab.wait(lambda a: a["type"] == "document")
    assert document["history"][1:] == ["Bend a curve"]
    assert document["a"]["edited"]
    assert not document["b"]["edited"]
    assert tab.refused("drawing.drag", doc=doc, **{**at, "layer": 99}, by=[1, 0])["code"] == "unknown_name"
    assert tab.refused("drawing.drag", doc=doc, **{**at, "points": 7}, by=[1, 0])["code"] == "bad_field"


def test_one_time_of_the_morph(tab, doc):
    film = tab.asked("drawing.at", doc=doc, t=0.5)
    assert film["single"]
    assert [frame["t"] for frame in film["frames"]] == [0.5]


def test_a_second_drawing_comes_later(tab, http):
    doc = tab.ask("drawing.new", a={"drawing": "dog-1"})["doc"]
    tab.ask("open", doc=doc)
    tab.ask("drawing.set", doc=doc, set={"pins": [[[1, 1], [2, 2]]]})
    edit = tab.ask("drawing.replace", doc=doc, which="b", source={"drawing": "dog-2"})["edit"]
    assert film_of(tab, edit)["frames"]
    tab.drop()
    tab.ask("rename", doc=doc, name="x")
    assert tab.wait(lambda a: a["type"] == "document")["settings"]["pins"] == [], "pins of another drawing are gone"


def test_films_and_commands_go_out(tab, http, doc):
    tab.ask("drawing.set", doc=doc, set={"frames": 3, "ease": "in"})
    command = tab.ask("recipe", doc=doc, form="cli")["text"]
    assert command == "kinetune morph sample:dog-1 sample:dog-2 -o film.gif --frames 3 --ease in"
    assert "kt.morph(a, b, frames=3, ease='in')" in tab.ask("recipe", doc=doc, form="python")["text"]
    job = tab.ask("export", doc=doc, format=".svg")["job"]
    end = tab.wait(lambda a: a["type"] == "job" and a["job"] == job and a["state"] != "running")
    assert b"<svg" in http.get(end["url"])[2]


def test_motions_and_drawings_are_told_apart(tab, doc):
    assert tab.refused("step.add", doc=doc, op="smooth")["code"] == "refused"
    motion = tab.ask("new", source={"sample": "wave"})["doc"]
    assert tab.refused("drawing.set", doc=motion, set={})["code"] == "refused"


def test_a_drawing_file_opens_as_drawings(tab, folder):
    kt.write_drawing(kt.sample_drawing("dog-1"), folder / "dog.svg")
    doc = tab.ask("new", source={"path": "dog.svg"})["doc"]
    tab.ask("open", doc=doc)
    assert tab.wait(lambda a: a["type"] == "document")["kind"] == "drawing"


def test_a_drawing_that_cannot_be_read(tab, folder):
    (folder / "bad.svg").write_text("<svg")
    assert tab.refused("drawing.new", a={"path": "bad.svg"})["code"] == "file"
