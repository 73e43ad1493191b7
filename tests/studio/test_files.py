"""Files in and out: uploads, folders, exports, recipes; the command line gives the same motion."""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kinetune as kt
from kinetune.contours import parse_drawing
from kinetune.runs import run


def upload(http, name, body, batch=None):
    more = "" if batch is None else f"&batch={batch}"
    status, _, answer = http.post(f"/api/uploads?name={name}{more}", body)
    return status, json.loads(answer)


def exported(tab, http, doc, **fields):
    """Export and fetch."""
    job = tab.ask("export", doc=doc, **fields)["job"]
    end = tab.wait(lambda a: a["type"] == "job" and a["job"] == job and a["state"] != "running")
    assert end["state"] == "done", end
    status, headers, body = http.get(end["url"])
    assert status == 200
    assert "attachment" in headers["content-disposition"]
    return body


def refused_early(http, announced):
    """Whether an upload is refused by what it announces, before any of it is sent."""
    head = f"POST /api/uploads?name=b.bvh HTTP/1.1\r\nhost: 127.0.0.1:{http.port}\r\norigin: {http.origin}\r\n"
    head += f"cookie: {http.cookie}\r\ncontent-length: {announced}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", http.port), timeout=20) as door:
        door.sendall(head.encode())
        return b" 413 " in door.recv(1000).splitlines()[0]


@pytest.fixture
def bvh(tmp_path):
    return kt.write(kt.sample("wave"), tmp_path / "wave.bvh").read_bytes()


def test_a_file_is_dropped_and_opened(tab, http, bvh):
    status, answer = upload(http, "My%20wave.bvh", bvh)
    assert status == 200
    assert answer["bytes"] == len(bvh)
    doc = tab.new({"upload": answer["upload"]})
    document = tab.document(doc)
    assert document["source"]["label"] == "My wave.bvh"
    assert document["source"]["joints"] == 22


def test_files_that_belong_together(tab, http, shared_data):
    folder = shared_data / "cmu_asfamc"
    status, first = upload(http, "02.asf", (folder / "02.asf").read_bytes())
    assert status == 200
    _, second = upload(http, "02_01.amc", (folder / "02_01.amc").read_bytes(), first["batch"])
    assert second["batch"] == first["batch"]
    doc = tab.new({"upload": second["upload"]})
    assert tab.document(doc)["source"]["frames"] == len(kt.read(folder / "02_01.amc"))


@pytest.mark.parametrize("name", ["", "walk", "..%2F..%2Fx", ".bvh"])
def test_a_name_that_leads_elsewhere_is_refused(http, bvh, name):
    assert upload(http, name, bvh)[0] == 400


def test_a_name_is_reduced_to_its_last_part(http, serving, bvh):
    _, answer = upload(http, "..%2F..%2Fetc%2Fwave.bvh", bvh)
    path = serving.studio.origins.uploads.path(answer["upload"])
    assert path.is_relative_to(serving.studio.origins.uploads.folder)
    assert answer["name"] == "wave.bvh"


@pytest.mark.parametrize("batch", ["..", "../../x", "", "0123456789ABCDEF"])
def test_a_batch_that_is_none_is_refused(http, bvh, batch):
    assert upload(http, "a.bvh", bvh, batch)[0] == 400


def test_what_is_too_large_is_refused_and_leaves_nothing(http, serving):
    uploads = serving.studio.origins.uploads
    before = sorted(uploads.folder.rglob("*"))
    uploads.most_bytes, kept = 1000, uploads.most_bytes
    try:
        status, answer = upload(http, "big.bvh", b"x" * 2000)
        assert status == 413
        assert "too much to drop" in answer["error"]
        assert refused_early(http, 10_000_000), "a body that is announced as too large is not waited for"
        chunks = iter([b"x" * 700] * 3)
        status, _, _ = http.request("POST", "/api/uploads?name=b.bvh", chunks, {"origin": http.origin})
        assert status == 413, "also when it does not say how large it is"
    finally:
        uploads.most_bytes = kept
    assert sorted(uploads.folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [
        ("cut.bvh", b"HIERARCHY\nROOT Hips\n{\nOFFSET 0 x 0\n", "cut.bvh"),
        ("empty.bvh", b"", "empty"),
        ("noise.npz", bytes(range(256)) * 10, "noise.npz"),
        ("strange.xyz", b"x", ".xyz"),
    ],
)
def test_a_file_that_cannot_be_read_gives_the_sentence_of_the_reader(tab, http, name, body, words):
    _, answer = upload(http, name, body)
    error = tab.refused("new", source={"upload": answer["upload"]})
    assert error["code"] == "file"
    assert words in error["message"]
    doc = tab.new()
    assert tab.refused("input.add", doc=doc, source={"upload": answer["upload"]})["code"] == "file"
    assert tab.document(doc)["inputs"] == []


def test_an_upload_that_is_none(tab):
    assert tab.refused("new", source={"upload": "0123456789abcdef/x.bvh"})["code"] == "file"
    assert tab.refused("new", source={"upload": "x"})["code"] in ("file", "bad_field")


def test_the_folder_lists_what_can_be_opened(tab, folder):
    (folder / "sub").mkdir(exist_ok=True)
    (folder / "notes.odt").write_text("x")
    kt.write(kt.sample("wave"), folder / "sub" / "wave.glb")
    listing = tab.ask("folder")
    names = {entry["name"]: entry["kind"] for entry in listing["entries"]}
    assert names["sub"] == "folder"
    assert "notes.odt" not in names
    assert listing["parent"] is None
    inside = tab.ask("folder", path=str(folder / "sub"))
    assert inside["parent"] == listing["path"]
    assert [entry["kind"] for entry in inside["entries"]] == ["clip"]
    doc = tab.new({"path": inside["entries"][0]["path"]})
    assert tab.document(doc)["source"]["path"].endswith("wave.glb")


def test_lottie_animations_and_pictures_open_as_drawings_and_recipes_do_not(tab, http, tmp_path):
    text = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path d="M{0} 4h20v30h-20z"/></svg>'
    film = kt.morph(*(parse_drawing(text.format(x)) for x in (4, 14)), frames=5, method="linear")
    kt.write_drawing(film, tmp_path / "film.json", fps=12)
    kt.write_drawing(film, tmp_path / "still.png", height=64)
    kt.Recipe(steps=[kt.Smooth()]).write(tmp_path / "calm.json")
    kinds, uploads = {}, {}
    for name in ("film.json", "still.png", "calm.json"):
        _, answer = upload(http, name, (tmp_path / name).read_bytes())
        kinds[name], uploads[name] = answer["kind"], answer["upload"]
    assert kinds == {"film.json": "drawing", "still.png": "drawing", "calm.json": "recipe"}

    def opened(name):
        doc = tab.ask("new", source={"upload": uploads[name]})["doc"]
        tab.ask("open", doc=doc)
        return tab.document(doc)

    document = opened("film.json")
    labels = [key["label"] for key in document["keys"]]
    assert labels[0] == "film.json#0"
    assert len(labels) == len(document["gaps"]) + 1 > 1
    assert sum(gap["frames"] - 1 for gap in document["gaps"]) == 4, "as long as the animation"
    assert document["settings"]["fps"] == 12
    assert [opened(name)["kind"] for name in ("still.png", "calm.json")] == ["drawing", "motion"]


def test_an_indexed_folder_shows_what_its_clips_are_and_is_searched(tab, folder):
    (folder / "gaits").mkdir()
    for name in ("walk", "run"):
        kt.write(kt.sample(name)[:120], folder / "gaits" / f"{name}.bvh")
    assert tab.ask("folder")["indexed"] is False
    kt.library.build_index(folder, jobs=1)
    try:
        inside = tab.ask("folder", path=str(folder / "gaits"))
        assert inside["indexed"] is True
        assert [(each["name"], each["motion"]) for each in inside["entries"]] == [
            ("run.bvh", "run 3.0 m/s"),
            ("walk.bvh", "walk 1.2 m/s"),
        ]
        assert [each["name"] for each in tab.ask("folder", search="run, over 2 m/s")["entries"]] == ["gaits/run.bvh"]
        assert "gaits/walk.bvh" in [each["name"] for each in tab.ask("folder", search="WALK")["entries"]]
        refused = tab.refused("folder", search="dance")
        assert 'no word for motion "dance"' in refused["message"]
        (folder / "gaits" / "run.bvh").unlink()
        assert "1 gone (gaits/run.bvh)" in tab.ask("folder")["notice"]
        (folder / ".kinetune" / "index.sqlite").write_text("damaged, and long enough to be looked at")
        damaged = tab.ask("folder")
        assert damaged["indexed"] is False
        assert "cannot be used" in damaged["notice"]
    finally:
        for path in sorted((folder / ".kinetune").iterdir()):
            path.unlink()


@pytest.fixture
def edited(tab, http, bvh):
    """A document with a bit of everything, on an uploaded file."""
    _, answer = upload(http, "wave.bvh", bvh)
    doc = tab.new({"upload": answer["upload"]})
    tab.ask("input.add", doc=doc, source={"sample": "walk"})
    tab.ask("tracks.set", doc=doc, tracks=[{"clip": "source", "stop": 120}, {"clip": "walk", "at": 100, "stop": 300}])
    tab.ask("step.add", doc=doc, op="equalize", knobs={"gains": [1, 1.5, 2, 0.5], "groups": {"left arm": [0.3]}})
    tab.ask("step.add", doc=doc, op="blend", knobs={"weight": 0.3})
    off = tab.ask("step.add", doc=doc, op="mirror")["step"]
    tab.ask("step.toggle", doc=doc, step=off, on=False)
    tab.ask("pose", doc=doc, frame=60, joint="RightHand", move=[0.0, 0.1, 0.0])
    tab.ask("step.add", doc=doc, op="plant_feet")
    motion = tab.settled(doc)
    assert {step["state"] for step in motion["steps"]} == {"done", "off"}
    return doc, motion["arrays"]["positions"]


def test_the_command_line_gives_the_same_motion_to_the_bit(tab, http, serving, folder, edited, tmp_path, monkeypatch):
    from kinetune.cli import main

    doc, whole = edited
    path = tab.ask("save", doc=doc, path="saved.yaml")["path"]
    assert tab.document(doc)["saved_path"] == path
    source = tab.document(doc)["source"]["path"]
    monkeypatch.setattr("sys.argv", ["kinetune", "apply", path, source, "-o", str(tmp_path / "cli.npz")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    ours = kt.read(tmp_path / "cli.npz")
    (tmp_path / "studio.npz").write_bytes(exported(tab, http, doc, format=".npz"))
    theirs = kt.read(tmp_path / "studio.npz")
    np.testing.assert_array_equal(ours.rotations, theirs.rotations)
    np.testing.assert_array_equal(ours.root, theirs.root)
    np.testing.assert_array_equal(ours.positions().astype("f4"), whole)


def test_a_recipe_comes_back(tab, http, edited):
    first, _ = edited
    text = tab.ask("recipe", doc=first)["text"]
    assert kt.Recipe.parse(text).off == {3}, "a step that is off is kept, and says so"
    doc = tab.new()
    tab.ask("recipe.set", doc=doc, text=text)
    assert [(step["op"], step["on"]) for step in tab.document(doc)["steps"]] == [
        ("arrange", True),
        ("equalize", True),
        ("blend", True),
        ("mirror", False),
        ("displace", True),
        ("plant_feet", True),
    ]
    assert tab.ask("recipe", doc=doc)["text"].partition("steps:")[2] == text.partition("steps:")[2]
    status, headers, body = http.get(f"/api/documents/{first}/recipe")
    assert status == 200
    assert body.decode() == text
    assert headers["content-disposition"].endswith('.yaml"')
    assert tab.refused("recipe.set", doc=doc, text="steps: [{op: equalise}]")["message"].count("equalize")


def test_a_recipe_file_opens_as_a_document(tab, folder):
    (folder / "calm.yaml").write_text("steps: [{op: smooth, cutoff_hz: 4}]\n")
    doc = tab.new({"path": "calm.yaml"}, on={"sample": "wave"})
    document = tab.document(doc)
    assert document["source"]["sample"] == "wave"
    assert document["steps"][0]["knobs"]["cutoff_hz"] == 4


def test_the_python_text_runs_and_gives_the_same(tab, edited, tmp_path, monkeypatch):
    doc, whole = edited
    text = tab.ask("recipe", doc=doc, form="python")["text"]
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(text.replace("out.bvh", "out.npz"), names)
    np.testing.assert_array_equal(names["clip"].positions().astype("f4"), whole)


def test_the_command_text_runs_in_any_folder_and_gives_the_same(tab, edited, tmp_path, monkeypatch):
    doc, whole = edited
    text = tab.ask("recipe", doc=doc, form="cli")["text"]
    assert text.startswith("cat > "), "nobody has the recipe yet, so the text brings it along"
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "kinetune"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kinetune "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "KINETUNE_COMPILED": "always"}
    script = re.sub(r"-o '?([^']+)\.bvh'?$", "-o out.npz", text)
    done = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Step 4 (mirror) of 6 is off and not applied." in done.stdout
    np.testing.assert_array_equal(kt.read(tmp_path / "out.npz").positions().astype("f4"), whole)
    path = tab.ask("save", doc=doc)["path"]
    assert tab.ask("recipe", doc=doc, form="cli")["text"].startswith(f"kinetune apply {shlex.quote(path)} ")
    step = tab.document(doc)["steps"][1]["id"]
    tab.ask("step.toggle", doc=doc, step=step, on=False)
    assert tab.ask("recipe", doc=doc, form="cli")["text"].startswith("cat > "), "the file says something else now"


def test_a_recipe_is_saved_under_the_name_of_the_document(tab, folder):
    doc = tab.ask("new", source={"sample": "wave"}, name="My wave: calm?")["doc"]
    step = tab.ask("step.add", doc=doc, op="turn", knobs={"angle_deg": 9})["step"]
    first = Path(tab.ask("save", doc=doc)["path"])
    assert first == folder.resolve() / "My wave_ calm_.yaml"
    tab.ask("step.set", doc=doc, step=step, knobs={"angle_deg": 12})
    assert Path(tab.ask("save", doc=doc)["path"]) == first, "the same file again"
    assert kt.Recipe.read(first).steps[0].angle_deg == 12
    other = tab.ask("new", source={"sample": "wave"}, name="My wave: calm?")["doc"]
    assert Path(tab.ask("save", doc=other)["path"]).name == "My wave_ calm_ 2.yaml", "nobody's file is replaced"


@pytest.mark.parametrize("format", [".bvh", ".glb", ".csv", ".usda", ".amc"])
def test_every_format_goes_out(tab, http, tmp_path, format):
    doc = tab.new({"sample": "wave"})
    tab.ask("step.add", doc=doc, op="turn", knobs={"angle_deg": 45})
    path = tmp_path / f"out{format}"
    path.write_bytes(exported(tab, http, doc, format=format))
    assert path.stat().st_size > 100
    if format in (".bvh", ".glb"):
        expected = run(kt.Turn(angle_deg=45), kt.sample("wave")).clip
        np.testing.assert_allclose(kt.read(path).positions(), expected.positions(), atol=1e-4)


@pytest.mark.parametrize(("format", "magic"), [(".gif", b"GIF89a"), (".mp4", b"ftyp")])
def test_films_go_out(tab, http, format, magic):
    doc = tab.new({"sample": "wave"})
    tab.ask("step.add", doc=doc, op="trim", knobs={"end": 20})
    assert magic in exported(tab, http, doc, format=format, height=64, fps=10)[:16]


def test_a_format_that_cannot_be_written_is_refused_at_once(tab):
    doc = tab.new({"sample": "wave"})
    assert tab.refused("export", doc=doc, format=".xyz")["code"] == "file"


def test_an_export_can_be_cancelled(tab):
    doc = tab.new()
    job = tab.ask("export", doc=doc, format=".gif", height=400, fps=50)["job"]
    tab.ask("job.cancel", job=job)
    end = tab.wait(lambda a: a["type"] == "job" and a["job"] == job and a["state"] != "running")
    assert end["state"] == "cancelled"
    assert tab.refused("job.cancel", job="nothing")["code"] == "unknown_name"


def test_a_step_that_fails_is_not_exported(tab):
    doc = tab.new({"sample": "wave"})
    tab.ask("step.add", doc=doc, op="trim", knobs={"start": 100_000})
    job = tab.ask("export", doc=doc, format=".bvh")["job"]
    end = tab.wait(lambda a: a["type"] == "job" and a["job"] == job and a["state"] != "running")
    assert end["state"] == "failed"
    assert "nothing is left" in end["message"]


def test_the_clip_of_a_file_that_changes_is_read_again(tab, folder):
    path = kt.write(kt.sample("wave"), folder / "changing.bvh")
    doc = tab.new({"path": "changing.bvh"})
    frames = tab.document(doc)["source"]["frames"]
    kt.write(kt.sample("wave")[:50], path)
    doc = tab.new({"path": "changing.bvh"})
    assert (frames, tab.document(doc)["source"]["frames"]) == (len(kt.sample("wave")), 50)


def test_a_thumbnail_is_a_few_poses_on_the_spot(tab, folder):
    kt.write(kt.sample("walk"), folder / "walk.bvh")
    answer = tab.asked("thumbnail", source={"path": "walk.bvh"})
    poses = answer["arrays"]["positions"]
    assert 20 <= len(poses) <= 40
    assert poses.shape[1] == len(answer["parents"])
    assert np.abs(poses[:, 0, [0, 2]]).max() < 1e-5
    names = kt.sample("walk").skeleton.roles
    across = poses[answer["rest"], names["left upper leg"]] - poses[answer["rest"], names["right upper leg"]]
    assert across[0] > 0
    assert abs(across[2]) < 1e-5
    doc = tab.new()
    assert tab.asked("thumbnail", of=doc)["frames"] == len(kt.sample("walk"))
    (folder / "bad.bvh").write_text("nothing")
    assert tab.refused("thumbnail", source={"path": "bad.bvh"})["code"] == "file"


def test_a_search_without_an_index_looks_at_names(tab, folder):
    (folder / "deep" / "er").mkdir(parents=True)
    kt.write(kt.sample("wave")[:20], folder / "deep" / "er" / "Slow Wave.bvh")
    listed = tab.ask("folder", search="slow")["entries"]
    assert [entry["name"] for entry in listed] == ["deep/er/Slow Wave.bvh"]
