"""A tab of the browser, without the browser: what the page would send and get."""

import contextlib
import http.client
import itertools
import json
import time

from websockets.sync.client import connect

from kinetune.studio.protocol.answers import ANSWERS, DONES, ROUTES, check_answer
from kinetune.studio.protocol.wire import unpack

PATIENCE_S = 60.0


class Http:
    """Requests with the cookie of a studio."""

    def __init__(self, port, token=None, cookie=None):
        self.port = port
        self.cookie = cookie
        if token is not None:
            status, headers, _ = self.get(f"/?token={token}")
            assert status == 303
            self.cookie = headers["set-cookie"].split(";")[0]

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    def get(self, path, **headers):
        return self.request("GET", path, None, headers)

    def post(self, path, body, **headers):
        return self.request("POST", path, body, {"origin": self.origin, **headers})

    def request(self, method, path, body, headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        if self.cookie is not None:
            headers.setdefault("cookie", self.cookie)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        with contextlib.closing(connection):
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it may answer before all is sent
                connection.request(method, path, body, headers)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return response.status, found, response.read()

    def json(self, path):
        status, _, body = self.get(path)
        assert status == 200, body
        answer = json.loads(body)
        check_answer(answer, ROUTES[path.rpartition("/")[2]])
        return answer


class Tab:
    """A socket, the answers that came in, and the arrays that came with them."""

    def __init__(self, http):
        self.http = http
        self._ids = itertools.count(1)
        self._stack = contextlib.ExitStack()
        self.socket = self._stack.enter_context(
            connect(
                f"ws://127.0.0.1:{http.port}/ws",
                origin=http.origin,
                additional_headers={"cookie": http.cookie},
                max_size=None,
                compression=None,
            )
        )
        self.socket.ping_timeout = None  # a browser does not give up a studio that is busy
        self.unread = []
        self._types = {}  # of messages, by their numbers

    def close(self):
        self._stack.close()

    def __enter__(self):
        return self

    def __exit__(self, *ended):
        self.close()

    def send(self, type, **fields):
        """Send a message; returns its number."""
        id = next(self._ids)
        self._types[id] = type
        self.socket.send(json.dumps({"type": type, "id": id, **fields}))
        return id

    def ask(self, type, **fields):
        """Send a message and return its ``done``; an error fails the test."""
        id = self.send(type, **fields)
        answer = self.wait(lambda a: a.get("id") == id and a["type"] in ("done", "error"))
        assert answer["type"] == "done", answer
        return answer

    def refused(self, type, **fields):
        """Send a message and return its ``error``."""
        id = self.send(type, **fields)
        answer = self.wait(lambda a: a.get("id") == id and a["type"] in ("done", "error"))
        assert answer["type"] == "error", answer
        return answer

    def asked(self, type, **fields):
        """Ask a question and return its answer, whatever its type."""
        id = self.send(type, **fields)
        answer = self.wait(lambda a: a.get("id") == id and a["type"] not in ("done", "motion", "job"))
        assert answer["type"] != "error", answer
        return answer

    def read(self, timeout=PATIENCE_S):
        """The next answer as a mapping; arrays are under their names in ``arrays``."""
        if self.unread:
            return self.unread.pop(0)
        received = self.socket.recv(timeout=timeout)
        if isinstance(received, bytes):
            header, arrays = unpack(received)
            self._check(header)
            return {**header, "arrays": arrays, "bytes": len(received)}
        answer = json.loads(received)
        self._check(answer)
        return answer

    def _check(self, answer):
        """Every answer is what the types of the page say."""
        kind = ANSWERS[answer["type"]]
        if answer["type"] == "done":
            kind = DONES.get(self._types[answer["id"]], kind)
        check_answer(answer, kind)

    def wait(self, wanted):
        """The first answer that fits; others stay unread."""
        skipped = []
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            answer = self.read(max(0.01, end - time.monotonic()))
            if wanted(answer):
                self.unread = skipped + self.unread
                return answer
            skipped.append(answer)
        raise AssertionError("no such answer came")

    def drop(self):
        """Forget what came in so far."""
        self.unread.clear()

    def open(self, doc, **fields):
        """Open a document and wait until its whole motion and quality are here."""
        self.ask("open", doc=doc, **fields)
        return self.settled(doc)

    def settled(self, doc, edit=None):
        """The whole motion of the newest edit, when its quality is here too."""
        wanted = edit or self.ask("rename", doc=doc, name="settling")["edit"]
        motion = self.wait(lambda a: a["type"] == "motion" and a["part"] == "whole" and a["edit"] >= wanted)
        self.wait(lambda a: a["type"] == "quality" and a["edit"] >= wanted)
        return motion

    def new(self, source=None, **fields):
        """A new motion document, opened; returns its id."""
        doc = self.ask("new", source=source or {"sample": "walk"}, **fields)["doc"]
        self.open(doc)
        return doc

    def document(self, doc):
        """What the document says now."""
        self.unread = [a for a in self.unread if a["type"] != "document"]
        self.ask("rename", doc=doc, name="looked at")
        return self.wait(lambda a: a["type"] == "document" and a["doc"] == doc and a["name"] == "looked at")
