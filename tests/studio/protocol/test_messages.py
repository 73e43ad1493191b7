"""Messages that do not fit: one sentence back, and the session lives on."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetune.studio.protocol.messages import MOST_BYTES, TYPES, MessageError, read_message

BAD = {
    "not JSON": ("{", "malformed"),
    "no object": ("[1, 2]", "malformed"),
    "NaN": ('{"type": "look", "id": 1, "doc": "d", "frame": NaN}', "malformed"),
    "infinity": ('{"type": "pose", "id": 1, "doc": "d", "frame": 1, "joint": 0, "to": [Infinity, 0, 0]}', "malformed"),
    "a huge number": (
        '{"type": "pose", "id": 1, "doc": "d", "frame": 1, "joint": 0, "to": [1e999, 0, 0]}',
        "bad_field",
    ),
    "unknown type": ('{"type": "stpe.add", "id": 1}', "unknown_type"),
    "no type": ('{"id": 1}', "unknown_type"),
    "a list as a type": ('{"type": [], "id": 1}', "unknown_type"),
    "no id": ('{"type": "documents"}', "bad_field"),
    "id of another kind": ('{"type": "documents", "id": "one"}', "bad_field"),
    "surplus field": ('{"type": "documents", "id": 1, "more": 2}', "bad_field"),
    "two sources": ('{"type": "new", "id": 1, "source": {"sample": "a", "path": "b"}}', "bad_field"),
    "no source": ('{"type": "new", "id": 1, "source": {}}', "bad_field"),
    "negative frame of a marker": (
        '{"type":"markers","id":1,"doc":"d","markers":[{"frame":-1,"name":"a"}]}',
        "bad_field",
    ),
    "deep": ('{"type": "view", "id": 1, "doc": "d", "set": {"a": ' + "[" * 100 + "]" * 100 + "}}", "malformed"),
    "very deep": ("[" * 100_000 + "]" * 100_000, "malformed"),
    "too large": (json.dumps({"type": "view", "id": 1, "doc": "d", "set": {"a": "x" * MOST_BYTES}}), "malformed"),
    "binary": (b"\x00\x01", "malformed"),
}


@pytest.mark.parametrize(("text", "code"), BAD.values(), ids=BAD.keys())
def test_it_is_refused_with_a_sentence(text, code):
    with pytest.raises(MessageError) as caught:
        read_message(text)
    assert caught.value.code == code
    assert str(caught.value).rstrip().endswith((".", "?"))


@settings(max_examples=40)
@given(st.text(max_size=200) | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(json.dumps))
def test_noise_is_refused_too(text):
    with pytest.raises(MessageError):
        read_message(text)


def test_the_answer_names_message_and_document_where_they_can_be_told():
    with pytest.raises(MessageError) as caught:
        read_message('{"type": "look", "id": 7, "doc": "d", "frame": "x"}')
    assert (caught.value.id, caught.value.doc, caught.value.where) == (7, "d", "frame")


def test_the_session_lives_on(tab):
    for text, code in BAD.values():
        tab.socket.send(text)
        answer = tab.wait(lambda a: a["type"] == "error")
        assert answer["code"] == code
    assert tab.ask("documents")["documents"] is not None


def test_every_message_has_a_handler(serving):
    from kinetune.studio.rooms.commands import MessageHandlers

    assert set(MessageHandlers(serving.studio)._handlers) == set(TYPES)


def shout(tab):
    tab.socket.send("x" * (5 << 20))
    while True:
        tab.socket.recv(timeout=20)


def test_a_frame_beyond_all_bounds_closes_the_socket_and_nothing_else(tab, http):
    from websockets.exceptions import ConnectionClosed

    from tests.studio.client import Tab

    doc = tab.new()
    tab.ask("step.add", doc=doc, op="smooth")
    with pytest.raises(ConnectionClosed):
        shout(tab)
    with Tab(http) as again:
        again.ask("open", doc=doc)
        assert [step["op"] for step in again.document(doc)["steps"]] == ["smooth"]
