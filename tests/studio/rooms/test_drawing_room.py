"""The workspace of drawings."""

import numpy as np
import pytest

import kinetune as kt


@pytest.fixture
def doc(tab):
    doc = tab.ask("drawing.new", keys=[{"drawing": "dog-1"}, {"drawing": "dog-2"}])["doc"]
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
    [
        {"frames": 1},
        {"method": "magic"},
        {"speed": 2},
        {"pins": [[[0, 0]]]},
        {"gait": {"gamma": 1}},
        {"gait": {"pairs": []}},
        {"gait": {"foot": "middle"}},
        {"gait": {"gait": "hop"}},
        {"ease": "fast"},
        {"on": 0},
    ],
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


def test_opposite_limbs_are_found_or_named(tab, doc):
    tab.ask("rename", doc=doc, name="x")
    document = tab.wait(lambda a: a["type"] == "document" and a["name"] == "x")
    assert document["keys"][0]["opposites"]["near hind leg"] == "far hind leg"
    film_of(tab, 0)
    tab.drop()
    tab.ask("drawing.set", doc=doc, set={"gait": {"pairs": {"tail": "wing"}}, "frames": 4, "method": "linear"})
    assert "wing" in tab.wait(lambda a: a["type"] == "error")["message"]
    edit = tab.ask("drawing.set", doc=doc, set={"gait": {"pairs": {"near hind leg": "far hind leg"}}})["edit"]
    film = film_of(tab, edit)
    names = [layer["name"] for layer in film["frames"][0]["layers"]]
    near, far = names.index("near front leg"), names.index("far front leg")
    start = film["frames"][0]["layers"][near]["contours"][0]
    assert start["count"]
    # Half a cycle on, paired legs have changed places and the others are as they were.
    np.testing.assert_allclose(points(film, 2, near), points(film, 0, near), atol=1e-3)
    hind, other = names.index("near hind leg"), names.index("far hind leg")
    np.testing.assert_allclose(points(film, 2, hind), points(film, 0, other), atol=1e-3)
    assert far != other


def test_every_curve_of_a_layer_can_be_bent(tab, folder):
    path = '<path d="M10 10H90V90H10ZM40 40H60V60H40ZM20 20h8v8h-8z" fill="red" fill-rule="evenodd"/>'
    (folder / "ring.svg").write_text(f'<svg viewBox="0 0 100 100">{path}</svg>')
    doc = tab.ask("drawing.new", keys=[{"path": "ring.svg"}, {"drawing": "hoop"}])["doc"]
    tab.ask("open", doc=doc)
    document = tab.wait(lambda a: a["type"] == "document")
    curves = document["keys"][0]["layers"][0]["curves"]
    assert len(curves) == 3
    for contour in range(3):
        before = tab.asked("drawing.points", doc=doc, key=0, layer=0, contour=contour, points=4)["arrays"]["control"]
        tab.ask("drawing.drag", doc=doc, key=0, layer=0, contour=contour, points=4, index=1, by=[3, 2])
        after = tab.asked("drawing.points", doc=doc, key=0, layer=0, contour=contour, points=4)["arrays"]["control"]
        np.testing.assert_allclose((after - before)[1], [3, 2], atol=1e-3)


def test_a_coarse_point_is_dragged_and_the_detail_rides_along(tab, doc):
    before = tab.asked("drawing.points", doc=doc, key=0, layer=0, contour=0, points=8)
    control = before["arrays"]["control"]
    assert control.shape == (8, 2)
    assert 8 in before["choices"]
    at = {"key": 0, "layer": 0, "contour": 0, "points": 8, "index": 2}
    for step in (1.0, 3.0, 5.0):
        tab.send("drawing.drag", doc=doc, **at, by=[step, 0.0], drag=True)
    tab.ask("commit", doc=doc)
    after = tab.asked("drawing.points", doc=doc, key=0, layer=0, contour=0, points=8)["arrays"]["control"]
    moved = after - control
    np.testing.assert_allclose(moved[2], [5.0, 0.0], atol=1e-3)
    np.testing.assert_allclose(np.delete(moved, 2, axis=0), 0.0, atol=1e-3)
    tab.drop()
    tab.ask("rename", doc=doc, name="bent")
    document = tab.wait(lambda a: a["type"] == "document")
    assert document["history"][1:] == ["Bend a curve"]
    assert document["keys"][0]["edited"]
    assert not document["keys"][1]["edited"]
    assert tab.refused("drawing.drag", doc=doc, **{**at, "layer": 99}, by=[1, 0])["code"] == "unknown_name"
    assert tab.refused("drawing.drag", doc=doc, **{**at, "points": 7}, by=[1, 0])["code"] == "bad_field"


def test_any_number_of_keys_is_one_film(tab, doc):
    tab.ask("drawing.set", doc=doc, set={"method": "linear", "frames": 5})
    tab.ask("drawing.insert", doc=doc, at=2, source={"drawing": "dog-1"})
    edit = tab.ask("drawing.set", doc=doc, set={"frames": 3, "ease": "in", "pins": []}, gap=1)["edit"]
    film = film_of(tab, edit)
    assert film["starts"] == [0, 4, 6]
    assert [frame["t"] for frame in film["frames"]] == [0, 0.25, 0.5, 0.75, 1, 1.25, 2]
    np.testing.assert_array_equal(points(film, 0), points(film, 6))
    text = tab.ask("recipe", doc=doc, form="python")["text"]
    assert "*kt.morph(b, c, frames=3, ease='in', method='linear')[1:]" in text
    assert "Copy this one as Python" in tab.refused("recipe", doc=doc, form="cli")["message"]


def test_keys_are_copied_moved_and_removed(tab):
    doc = tab.ask("drawing.new", keys=[{"drawing": name} for name in ("dog-1", "dog-2", "hoop")])["doc"]
    tab.ask("open", doc=doc)

    def labels():
        tab.drop()
        tab.ask("rename", doc=doc, name="x")
        document = tab.wait(lambda a: a["type"] == "document")
        assert len(document["gaps"]) == max(1, len(document["keys"]) - 1)
        return [key["label"].split()[-1] for key in document["keys"]]

    tab.ask("drawing.set", doc=doc, set={"frames": 9}, gap=1)
    tab.ask("drawing.insert", doc=doc, at=1, copy_of=0)
    assert labels() == ["dog-1", "dog-1", "dog-2", "hoop"]
    tab.ask("drawing.move", doc=doc, key=3, to=0)
    assert labels() == ["hoop", "dog-1", "dog-1", "dog-2"]
    for _ in range(3):
        tab.ask("drawing.remove", doc=doc, key=0)
    assert labels() == ["dog-2"]
    assert tab.refused("drawing.remove", doc=doc, key=0)["code"] == "refused"
    assert tab.refused("drawing.set", doc=doc, set={"frames": 3}, gap=5)["code"] == "unknown_name"


def test_matched_points_lie_on_both_keys(tab, doc):
    tab.ask("drawing.set", doc=doc, set={"frames": 3})
    answer = tab.asked("drawing.matches", doc=doc, gap=0, points=40)
    pairs = answer["arrays"]["pairs"]
    assert 30 <= len(pairs) <= 60
    for side, name in enumerate(("dog-1", "dog-2")):
        lines = np.concatenate([c.points for layer in kt.sample_drawing(name).layers for c in layer.contours])
        away = np.linalg.norm(pairs[:, None, 2 * side : 2 * side + 2] - lines, axis=-1).min(axis=1)
        assert away.max() < 3.0


def test_a_second_drawing_comes_later(tab, http):
    doc = tab.ask("drawing.new", keys=[{"drawing": "dog-1"}])["doc"]
    tab.ask("open", doc=doc)
    tab.ask("drawing.set", doc=doc, set={"pins": [[[1, 1], [2, 2]]]})
    edit = tab.ask("drawing.insert", doc=doc, at=1, source={"drawing": "dog-2"})["edit"]
    assert film_of(tab, edit)["frames"]
    tab.drop()
    tab.ask("rename", doc=doc, name="x")
    assert tab.wait(lambda a: a["type"] == "document")["gaps"][0]["pins"] == [], "pins of another drawing are gone"


def test_films_and_commands_go_out(tab, http, doc):
    tab.ask("drawing.set", doc=doc, set={"frames": 3, "ease": "in"})
    command = tab.ask("recipe", doc=doc, form="cli")["text"]
    assert command == "kinetune morph sample:dog-1 sample:dog-2 -o film.gif --frames 3 --ease in"
    assert "kt.morph(a, b, frames=3, ease='in')" in tab.ask("recipe", doc=doc, form="python")["text"]
    job = tab.ask("export", doc=doc, format=".svg")["job"]
    end = tab.wait(lambda a: a["type"] == "job" and a["job"] == job and a["state"] != "running")
    assert b"<svg" in http.get(end["url"])[2]


PINS = [[[30.0, 40.0], [31.5, 42.25]]]
SETTINGS = [
    {"frames": 4, "elastic": False, "match": "order", "extras": "partner"},
    {"frames": 3, "pins": PINS, "layers": {"0": 5, "1": None}},
    {"frames": 3, "method": "physical", "preset": "wobbly", "seconds": 0.4, "fps": 12.5},
    {"frames": 3, "method": "schedule", "resolution": 16, "ease": "in"},
    {"frames": 4, "method": "linear", "gait": {}},
    {"frames": 6, "method": "linear", "gait": {"gamma_a": -0.5, "pairs": {"near hind leg": "far hind leg"}}},
    {"frames": 4, "gait": {"gait": "trot", "travel": True}},
    {"frames": 3, "ease": "cubic-bezier(0.3, 0, 0.2, 1)", "on": 2, "elastic": False},
    {"fps": 2, "method": "linear", "gait": {"like": "walk-march", "foot": "right", "gamma_b": 0.1}},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_copied_texts_make_the_same_film(tab, http, doc, settings, tmp_path, monkeypatch):
    import shlex

    from typer.testing import CliRunner

    from kinetune.cli.app import app

    tab.ask("drawing.set", doc=doc, set=settings)
    job = tab.ask("export", doc=doc, format=".svg")["job"]
    end = tab.wait(lambda a: a["type"] == "job" and a["job"] == job and a["state"] != "running")
    film = http.get(end["url"])[2]
    monkeypatch.chdir(tmp_path)
    words = shlex.split(tab.ask("recipe", doc=doc, form="cli")["text"].replace("film.gif", "cli.svg"))
    done = CliRunner().invoke(app, words[1:], prog_name="kinetune")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "cli.svg").read_bytes() == film
    exec(tab.ask("recipe", doc=doc, form="python")["text"].replace("film.gif", "python.svg"), {})
    assert (tmp_path / "python.svg").read_bytes() == film


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
    assert tab.refused("drawing.new", keys=[{"path": "bad.svg"}])["code"] == "file"
