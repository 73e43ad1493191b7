"""Documents on the disk: nothing is lost when the server is killed, and a broken file harms no other."""

import contextlib
import copy
import json
import os
import signal
import subprocess
import sys

import pytest

from kinetune.errors import KinetuneError
from kinetune.studio.documents._history import Entry, History
from kinetune.studio.documents.autosave import Autosave, DataFolder
from kinetune.studio.server.launch import prepare, served
from tests.studio.client import Http, Tab


@contextlib.contextmanager
def process(data):
    """A studio in a process of its own, as the command starts it."""
    command = [sys.executable, "-m", "kinetune", "studio", "--no-browser", "--port", "0", "--data", str(data)]
    environment = {**os.environ, "KINETUNE_COMPILED": "never"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as running:
        try:
            line = running.stdout.readline()
            address = line.removeprefix("Kinetune studio: ").strip()
            port = int(address.split(":")[2].split("/")[0])
            yield running, Http(port, address.partition("token=")[2])
        finally:
            running.kill()


def test_a_killed_server_has_every_edit_but_those_of_the_last_second(tmp_path):
    with process(tmp_path) as (running, http), Tab(http) as tab:
        doc = tab.ask("new", source={"sample": "wave"})["doc"]
        tab.ask("open", doc=doc)
        step = tab.ask("step.add", doc=doc, op="turn")["step"]
        for degrees in range(1, 20):
            tab.ask("step.set", doc=doc, step=step, knobs={"angle_deg": degrees})
        # In the middle of a drag, when the disk has caught up with it.
        tab.send("step.set", doc=doc, step=step, knobs={"angle_deg": 77}, drag=True)
        edit = tab.wait(lambda a: a["type"] == "motion" and a["drag"])["edit"]
        while tab.document(doc)["saved_edit"] < edit:
            pass
        running.send_signal(signal.SIGKILL)
        running.wait()
    with process(tmp_path) as (_, http), Tab(http) as tab:
        tab.ask("open", doc=doc)
        document = tab.document(doc)
        assert document["steps"][0]["knobs"]["angle_deg"] == 77
        assert len(document["history"]) == 2 + 19 + 1
        assert http.json("/api/hello")["open"] == doc, "the page opens what was open"
        tab.ask("undo", doc=doc)
        assert tab.document(doc)["steps"][0]["knobs"]["angle_deg"] == 19


@pytest.mark.skipif(os.name != "posix", reason="needs pipes with a name")
def test_a_restart_brings_documents_back_and_sets_aside_what_is_damaged(tmp_path):
    with served(tmp_path) as serving, Tab(Http(serving.port, serving.tokens.new())) as tab:
        doc = tab.new({"sample": "wave"})
        tab.ask("step.add", doc=doc, op="mirror")
        drawing = tab.ask("drawing.new", keys=[{"drawing": "dog-1"}, {"drawing": "dog-2"}])["doc"]
        tab.ask("view", doc=doc, set={"frame": 12})
    documents = tmp_path / "documents"
    (documents / "newer.json").write_text('{"doc": "newer", "version": 99, "name": "x"}')
    good = json.loads((documents / f"{doc}.json").read_text())
    damaged = {"torn": '{"doc": "torn", "histo', "deep": "[" * 100_000, "empty": "", "bytes": "\udcff"}
    for name, change in DAMAGES.items():
        plain = copy.deepcopy(good) | {"doc": name}
        change(plain)
        damaged[name] = json.dumps(plain)
    for name, text in damaged.items():
        (documents / f"{name}.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    os.mkfifo(documents / "pipe.json")
    (documents / "folder.json").mkdir()
    with served(tmp_path) as serving:
        http = Http(serving.port, serving.tokens.new())
        hello = http.json("/api/hello")
        assert {line["doc"] for line in hello["documents"]} == {doc, drawing}
        for name in (*damaged, "pipe"):
            assert [line for line in hello["problems"] if f"{name}.json.damaged" in line], name
            assert (documents / f"{name}.json.damaged").exists(), "it is set aside, not deleted"
        assert len(hello["problems"]) == len(damaged) + 2
        assert not hello["first_start"]
        with Tab(http) as tab:
            tab.ask("open", doc=doc)
            document = tab.document(doc)
            assert [step["op"] for step in document["steps"]] == ["mirror"]
            assert document["view"] == {"frame": 12}
    assert (documents / "newer.json").is_file(), "a newer studio reads it again"
    with served(tmp_path) as serving:
        assert len(serving.studio.data.problems) == 1, "a damaged document is told of once"


def _of_first_step(plain):
    return plain["history"]["entries"][1][1]["steps"][0]


DAMAGES = {
    "op": lambda plain: _of_first_step(plain)["step"].update(op="no such operation"),
    "knobs": lambda plain: _of_first_step(plain)["step"].update(mood=1),
    "history": lambda plain: plain.update(history=[]),
    "entries": lambda plain: plain["history"].update(entries=[]),
    "entry": lambda plain: plain["history"].update(entries=[1, 2]),
    "state": lambda plain: plain["history"].update(entries=[["a", None]]),
    "source": lambda plain: plain["history"]["entries"][0][1].update(source=None),
    "at": lambda plain: plain["history"].update(at="x"),
    "version": lambda plain: plain.update(version=None),
    "kind": lambda plain: plain.update(kind=[]),
    "changed": lambda plain: plain.update(changed={}),
    "view": lambda plain: plain.update(view=3),
    "name": lambda plain: plain.update(name=None),
    "saved": lambda plain: plain.update(saved_path=7),
}


def test_a_document_whose_file_has_gone_says_so_and_stays(tmp_path):
    import kinetune as kt

    folder = tmp_path / "clips"
    folder.mkdir()
    path = kt.write(kt.sample("wave"), folder / "wave.bvh")
    with served(tmp_path / "data", folder) as serving, Tab(Http(serving.port, serving.tokens.new())) as tab:
        doc = tab.ask("new", source={"path": str(path)})["doc"]
        path.unlink()
        error = tab.refused("open", doc=doc)
        assert error["code"] == "file"
        assert "wave.bvh" in error["message"]
        kt.write(kt.sample("wave"), path)
        tab.open(doc)


def test_the_first_start_shows_a_sample(tmp_path):
    with served(tmp_path) as serving:
        hello = Http(serving.port, serving.tokens.new()).json("/api/hello")
        assert hello["first_start"]
        assert hello["documents"][0]["summary"] == "sample walk, 0 steps"


def test_what_nobody_speaks_of_any_more_is_removed(tmp_path):
    with served(tmp_path) as serving:
        http = Http(serving.port, serving.tokens.new())
        kept = json.loads(http.post("/api/uploads?name=a.bvh", _small_bvh())[2])
        lost = json.loads(http.post("/api/uploads?name=b.bvh", b"x")[2])
        with Tab(http) as tab:
            tab.ask("new", source={"upload": kept["upload"]})
    (tmp_path / "exports" / "old").mkdir()
    with served(tmp_path):
        assert sorted(path.name for path in (tmp_path / "uploads").iterdir()) == [kept["batch"]]
        assert lost["batch"] != kept["batch"]
        assert not list((tmp_path / "exports").iterdir())


def _small_bvh():
    from tests.made_up import SMALL_BVH

    return SMALL_BVH.encode()


def test_two_studios_do_not_share_a_folder(tmp_path):
    first = DataFolder(tmp_path)
    with pytest.raises(KinetuneError, match="another studio"):
        DataFolder(tmp_path)
    first.close()
    DataFolder(tmp_path).close()


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(KinetuneError, match="--data"):
        prepare(tmp_path / "file" / "data", None, 0)


def test_autosave_writes_the_last_state_and_survives_a_full_disk():
    written, full = [], [True]

    def write(doc):
        if full[0]:
            raise OSError("no space left on the disk")
        written.append(doc)

    autosave = Autosave(write, delay_s=0.0)
    autosave.changed("a")
    while autosave.problem is None:
        autosave._thread.join(0.01)
    assert "no space" in autosave.problem
    full[0] = False
    for _ in range(100):
        autosave.changed("a")
    autosave.close()
    assert written
    assert len(written) <= 100
    assert autosave.problem is None


def test_undo_keeps_a_bounded_number_of_steps():
    history = History([Entry("start", 0)])
    for number in range(1, 1000):
        history.edit(number, f"edit {number}")
    assert history.state == 999
    assert len(history.entries) <= 300
    assert history.undo(5)
    assert history.state == 994
    history.edit(-1, "other")
    assert history.redo_label is None
    history.name_version("best")
    back = History.from_plain(history.as_plain(lambda state: state), lambda plain: plain)
    assert back.version("best").state == -1
    assert back.entries[3].made_at == history.entries[3].made_at > 0
    assert (back.state, back.at) == (history.state, history.at)


def test_a_document_of_two_drawings_as_it_was_saved_before_is_read():
    from kinetune.studio.documents.drawing_state import DrawingState

    key = {"origin": {"place": "drawing:dog-1"}, "pulled": []}
    state = DrawingState.from_plain({"a": key, "b": key, "settings": {"frames": 5, "method": "linear"}})
    assert (len(state.keys), state.gaps[0].frames, state.settings.method) == (2, 5, "linear")
    assert DrawingState.from_plain(state.as_plain()) == state
