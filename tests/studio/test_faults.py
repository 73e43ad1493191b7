"""Faults of our own: the page hears a sentence, the terminal shows where, and everything else lives on."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

import kinetune as kt
from kinetune.studio.documents import stack
from kinetune.studio.documents.origins import Origin
from kinetune.studio.documents.stack import Stack
from kinetune.studio.evaluate import evaluation
from kinetune.studio.evaluate.evaluation import Evaluator
from kinetune.studio.export import exports
from kinetune.studio.rooms import _questions as questions
from kinetune.studio.server.session import _MOST_WAITING, Session
from tests.studio.client import Tab


def broken(*_, **__):
    raise RuntimeError("a fault of ours")


@pytest.fixture
def doc(tab):
    doc = tab.new({"sample": "wave"})
    tab.ask("step.add", doc=doc, op="turn", knobs={"angle_deg": 5})
    tab.settled(doc)
    tab.drop()
    return doc


def test_a_command_that_breaks_is_told_and_the_socket_lives(tab, doc, monkeypatch, capfd):
    with monkeypatch.context() as patched:
        patched.setattr(stack.Stack, "move", broken)
        error = tab.refused("step.move", doc=doc, step="s1", to=0)
    assert error["code"] == "internal"
    assert "RuntimeError: a fault of ours" in capfd.readouterr().err
    assert tab.document(doc)["history"][-1] == "Add turn"


def test_a_tab_stays_while_the_studio_is_busy(http, serving, monkeypatch):
    """Nothing is read from a socket while messages wait, the answers to pings neither."""
    config = serving.server.config
    monkeypatch.setattr(config, "ws_ping_interval", 0.05)
    monkeypatch.setattr(config, "ws_ping_timeout", config.ws_ping_timeout and 0.05)
    taking = Session._take

    async def busy(self, text):
        await asyncio.sleep(0.3)
        await taking(self, text)

    monkeypatch.setattr(Session, "_take", busy)
    with Tab(http) as tab:
        asked = [tab.send("documents") for _ in range(3)]
        assert [tab.read()["id"] for _ in asked] == asked


def test_a_motion_that_breaks_is_told_and_the_document_lives(tab, doc, serving, monkeypatch, capfd):
    room = serving.studio.rooms[doc]
    with monkeypatch.context() as patched:
        patched.setattr(room.evaluator, "whole", broken)
        patched.setattr(room.windows, "window", lambda *_: None)
        tab.ask("step.set", doc=doc, step="s1", knobs={"angle_deg": 10})
        error = tab.wait(lambda a: a["type"] == "error")
    assert (error["code"], error["doc"]) == ("internal", doc)
    assert "RuntimeError: a fault of ours" in capfd.readouterr().err
    tab.ask("step.set", doc=doc, step="s1", knobs={"angle_deg": 15})
    assert tab.settled(doc)["steps"][0]["state"] == "done"


def test_a_question_that_breaks_is_answered_all_the_same(tab, doc, monkeypatch, capfd):
    with monkeypatch.context() as patched:
        patched.setattr(questions, "pack", broken)
        error = tab.refused("outline", doc=doc, name="source")
    assert error["code"] == "internal"
    assert "RuntimeError: a fault of ours" in capfd.readouterr().err
    assert tab.asked("outline", doc=doc, name="source")["arrays"]["energy"].size


def test_an_export_that_breaks_comes_to_an_end(tab, doc, monkeypatch, capfd):
    with monkeypatch.context() as patched:
        patched.setattr(exports, "write", broken)
        job = tab.ask("export", doc=doc, format=".bvh")["job"]
        end = tab.wait(lambda a: a["type"] == "job" and a["job"] == job and a["state"] != "running")
    assert end["state"] == "failed"
    assert end["message"].endswith("The terminal shows what.")
    assert "RuntimeError: a fault of ours" in capfd.readouterr().err


def test_questions_of_a_tab_that_closes_a_document_are_answered(tab, doc, serving):
    room = serving.studio.rooms[doc]
    room._asking.add("outline")  # as if one were being worked on, so that the next one waits
    id = tab.send("outline", doc=doc, name="source")
    tab.ask("close", doc=doc)
    error = tab.wait(lambda a: a.get("id") == id)
    assert error["code"] == "busy"
    room._asking.discard("outline")


class Deaf:
    """A socket whose other end does not read."""

    def __init__(self):
        self.closed = None

    async def close(self, code):
        self.closed = code


def test_a_tab_that_does_not_read_is_let_go_of():
    async def story():
        socket = Deaf()
        session = Session(socket, broken)
        for number in range(_MOST_WAITING + 1):
            session.send_json({"type": "document", "number": number})
        await session._send_all()
        return socket.closed

    with ThreadPoolExecutor(1) as elsewhere:  # the browser of the stories keeps a loop running in this thread
        assert elsewhere.submit(asyncio.run, story()).result() == 1013


def test_of_answers_that_wait_only_the_newest_is_kept():
    session = Session(Deaf(), broken)
    for number in range(_MOST_WAITING * 2):
        session.send_frame(bytes([number % 256]), ("motion", "d"))
    assert len(session._outbox) == 1


def test_an_answer_never_overtakes_the_document_that_says_what_was_done():
    session = Session(Deaf(), broken)
    session.send_json({"type": "document", "edit": 1}, ("document", "d"))
    session.send_json({"type": "done", "edit": 1})
    session.send_json({"type": "document", "edit": 2}, ("document", "d"))
    assert [json.loads(each)["edit"] for each in session._outbox.values()] == [2, 1]


def test_work_that_ends_after_the_document_was_closed_leaves_nothing_behind(monkeypatch, serving):
    evaluator = Evaluator(serving.studio.origins)
    turned = Stack(Origin("sample:wave")).add(kt.Turn(angle_deg=5))[0]
    take = evaluation.run_step

    def closed_meanwhile(*given):
        evaluator.clear()
        return take(*given)

    monkeypatch.setattr(evaluation, "run_step", closed_meanwhile)
    assert len(evaluator.whole(turned).results) == 1
    assert evaluator.bytes == 0
