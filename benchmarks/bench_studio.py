"""The studio's server: what a drag costs it, from the message on the socket to the frame on the socket.

A real server in a thread of this process, a real socket to it. ``evaluate`` is what the server itself reports; the
round trip adds parsing, packing, two hops through the loop and this client. Wall time, medians: run it on an idle
machine. Clips: a walk of 3,000 and of 30,000 frames with 22 joints (69 degrees of freedom).
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from websockets.sync.client import connect

import kinetune as kt
from benchmarks.harness import Claim
from kinetune.kernels.loader import warm_up
from kinetune.rotations import continuous
from kinetune.studio.protocol.wire import unpack
from kinetune.studio.server.launch import Serving, served

_MOVES = 120


class Tab:
    """A socket that drags."""

    def __init__(self, serving: Serving, stack: contextlib.ExitStack) -> None:
        door = http.client.HTTPConnection("127.0.0.1", serving.port)
        door.request("GET", f"/?token={serving.tokens.new()}")
        cookie = (door.getresponse().getheader("set-cookie") or "").split(";")[0]
        door.close()
        origin: Any = f"http://127.0.0.1:{serving.port}"
        self.socket = stack.enter_context(
            connect(
                f"ws://127.0.0.1:{serving.port}/ws",
                origin=origin,
                additional_headers={"cookie": cookie},
                max_size=None,
                compression=None,
            )
        )
        self._ids = itertools.count(1)

    def send(self, type: str, **fields: Any) -> int:
        id = next(self._ids)
        self.socket.send(json.dumps({"type": type, "id": id, **fields}))
        return id

    def answer(self, id: int, *types: str) -> dict[str, Any]:
        """The first answer of some types with that number."""
        while True:
            received = self.socket.recv(timeout=120)
            header = unpack(received)[0] if isinstance(received, bytes) else json.loads(received)
            if header.get("id") == id and header["type"] == "error":
                raise RuntimeError(header["message"])
            if header.get("id") == id and header["type"] in types:
                return header

    def ask(self, type: str, **fields: Any) -> dict[str, Any]:
        return self.answer(self.send(type, **fields), "done")

    def rest(self, doc: str) -> None:
        """Until nothing comes any more."""
        with contextlib.suppress(TimeoutError):
            while True:
                self.socket.recv(timeout=1.0)

    def settle(self, doc: str) -> None:
        """Until the whole of the newest state has come, however long that takes."""
        edit = self.ask("rename", doc=doc, name="settling")["edit"]
        while True:
            received = self.socket.recv(timeout=600)
            header = unpack(received)[0] if isinstance(received, bytes) else json.loads(received)
            if header["type"] == "quality" and header["edit"] >= edit:
                return

    def drag(self, doc: str, moves: int, type: str, **fields: Any) -> tuple[list[float], list[dict[str, Any]]]:
        """Send moves one after the other, each when the one before is drawn: milliseconds, and the headers."""
        spent, headers = [], []
        values = fields.pop("values")
        for number in range(moves):
            begun = time.perf_counter()
            id = self.send(type, doc=doc, drag=True, **fields, **values(number))
            headers.append(self.answer(id, "motion"))
            spent.append(1e3 * (time.perf_counter() - begun))
        self.ask("commit", doc=doc)
        return spent, headers


def claims() -> Iterator[Claim]:
    """The figures of the studio's issue."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        clips = Path(folder) / "clips"
        clips.mkdir()
        for frames in (3_000, 30_000):
            kt.write(_long(frames), clips / f"walk{frames}.npz")
            kt.write(_long(frames, "walk-sad"), clips / f"sad{frames}.npz")
        serving = stack.enter_context(served(Path(folder) / "data", clips))
        tab = Tab(serving, stack)
        warm_up()
        yield from _memory(tab, serving)
        yield from _faders(tab)
        yield from _edits(tab)
        yield from _targets(tab)
        yield from _footsteps(tab)


def _long(frames: int, sample: str = "walk") -> kt.Clip:
    """A walk that goes on and on."""
    walk = kt.Loop()(kt.sample(sample))
    count = -(-frames // len(walk))
    ahead = np.arange(count).repeat(len(walk))[:frames, None] * (walk.root[-1] - walk.root[0])
    ahead[:, 1] = 0.0
    rotations = np.concatenate([walk.rotations] * count)[:frames]
    root = np.concatenate([walk.root] * count)[:frames] + ahead
    return walk.replace(root=root, rotations=continuous(rotations))


def _faders(tab: Tab) -> Iterator[Claim]:
    for frames in (3_000, 30_000):
        doc = tab.ask("new", source={"path": f"walk{frames}.npz"})["doc"]
        tab.ask("open", doc=doc)
        step = tab.ask("step.add", doc=doc, op="equalize")["step"]
        tab.rest(doc)
        warm_up()
        tab.send("look", doc=doc, frame=frames // 2)
        tab.answer(tab.send("bands", doc=doc, step=step), "bands")

        def values(number: int) -> dict[str, Any]:
            return {"knobs": {"gains": [1, 1, 1 + 0.01 * number, 1.5]}}

        spent, headers = tab.drag(doc, _MOVES, "step.set", step=step, values=values)
        assert all(header["part"] == "window" and header["exact"] for header in headers)
        evaluate = statistics.median(header["evaluate_ms"] for header in headers)
        name = f"fader drag, {frames:,} frames"
        yield Claim(f"{name}: ms to evaluate the window", evaluate, 10.0, at_least=False)
        yield Claim(
            f"{name}: ms from message to window, client included", statistics.median(spent), 16.0, at_least=False
        )
        tab.ask("close", doc=doc)


def _edits(tab: Tab) -> Iterator[Claim]:
    """A key, a point of a shaping curve and a blend under the hand: the frames in view come first."""
    for frames in (3_000, 30_000):
        middle = frames // 2
        for words, op, knobs, turned in (
            ("displacement key drag", "displace", _key(middle, 0.0), lambda n, at=middle: _key(at, 0.001 * n)),
            ("shape point drag", "shape", _curve(0.0), lambda n: _curve(0.002 * n)),
            # Two clips of 30,000 frames are stretched evenly: to warp them takes minutes, once.
            ("blend weight drag", "blend", _mix(frames), lambda n: {"weight": 0.3 + 0.003 * n}),
        ):
            doc = tab.ask("new", source={"path": f"walk{frames}.npz"})["doc"]
            tab.ask("open", doc=doc)
            tab.ask("input.add", doc=doc, source={"path": f"sad{frames}.npz"}, name="other")
            step = tab.ask("step.add", doc=doc, op=op, knobs=knobs)["step"]
            tab.send("look", doc=doc, frame=middle)
            tab.settle(doc)
            warm_up()

            def values(number: int, turned: Any = turned) -> dict[str, Any]:
                return {"knobs": turned(number)}

            spent, headers = tab.drag(doc, _MOVES // 4, "step.set", step=step, values=values)
            assert all(header["part"] == "window" for header in headers), words
            evaluate = statistics.median(header["evaluate_ms"] for header in headers)
            name = f"{words}, {frames:,} frames"
            yield Claim(f"{name}: ms to evaluate the window", evaluate, 33.0, at_least=False)
            yield Claim(
                f"{name}: ms from message to window, client included", statistics.median(spent), 50.0, at_least=False
            )
            tab.ask("close", doc=doc)


def _mix(frames: int) -> dict[str, Any]:
    return {"other": "other", "weight": 0.3, "align": "warp" if frames < 10_000 else "scale"}


def _key(frame: int, higher: float) -> dict[str, Any]:
    return {
        "keys": [{"frame": frame, "joint": "right hand", "move": [0.0, 0.1 + higher, 0.0]}],
        "unreachable": "nearest",
    }


def _curve(higher: float) -> dict[str, Any]:
    return {"curve": {"points": [[-1, -1], [0, 0.1 + higher], [1, 1]]}}


def _targets(tab: Tab) -> Iterator[Claim]:
    doc = tab.ask("new", source={"sample": "reach-01"})["doc"]
    tab.ask("open", doc=doc)
    tab.ask("input.add_set", doc=doc, set="reach")
    step = tab.ask("step.add", doc=doc, op="aim", knobs={"joint": "right hand", "at": [-0.3, 1.2, 0.45]})["step"]
    tab.rest(doc)
    warm_up()

    def values(number: int) -> dict[str, Any]:
        return {"path": ["at"], "value": [-0.3 + 0.1 * np.sin(0.1 * number), 1.2, 0.45]}

    spent, _ = tab.drag(doc, _MOVES, "step.patch", step=step, values=values)
    yield Claim("target drag: updates a second", 1e3 / statistics.median(spent), 60.0, at_least=True)
    more = [
        {"joint": "right hand", "at": [-0.3, 1.2, 0.45]},
        {"joint": "head", "look_at": [-0.3, 1.2, 0.8], "priority": 0.5},
        {"joint": "left hand", "line": [0.3, 1.0, 0.2, 0.0, 1.0, 0.0], "priority": 0.5},
        {"joint": "hips", "heading_deg": 10.0, "priority": 0.3},
    ]
    tab.ask("step.set", doc=doc, step=step, knobs={"at": None, "targets": more})
    tab.rest(doc)

    def places(number: int) -> dict[str, Any]:
        return {"path": ["targets", 0, "at", 0], "value": -0.3 + 0.1 * np.sin(0.1 * number)}

    def priorities(number: int) -> dict[str, Any]:
        return {"path": ["targets", 1, "priority"], "value": 0.5 + 0.4 * np.sin(0.1 * number)}

    for words, change in (("four targets", places), ("a priority", priorities)):
        spent, _ = tab.drag(doc, _MOVES, "step.patch", step=step, values=change)
        yield Claim(f"drag of {words}: updates a second", 1e3 / statistics.median(spent), 60.0, at_least=True)
    tab.ask("close", doc=doc)


def _footsteps(tab: Tab) -> Iterator[Claim]:
    doc = tab.ask("new", source={"sample": "walk"})["doc"]
    tab.ask("open", doc=doc)
    steps = [{"side": "left" if n % 2 else "right", "x": 0.1 if n % 2 else -0.1, "z": 0.5 * n} for n in range(1, 13)]
    knobs = {"footsteps": steps, "steps": "samples"}
    step = tab.ask("step.add", doc=doc, op="follow_footsteps", knobs=knobs)["step"]
    tab.rest(doc)
    warm_up()
    moved = 6

    def values(number: int) -> dict[str, Any]:
        return {"path": ["footsteps", moved, "x"], "value": 0.1 + 0.02 * np.sin(0.3 * number)}

    spent, headers = tab.drag(doc, 30, "step.patch", step=step, values=values)
    placed = headers[-1]["steps"][0]["report"]["placements"]
    taken = len(placed) - moved
    yield Claim("footsteps: ms for each step taken again", statistics.median(spent) / taken, 30.0, at_least=False)
    tab.ask("close", doc=doc)


def _memory(tab: Tab, serving: Serving) -> Iterator[Claim]:
    """Twenty documents: each costs what its own results take.

    Counted as allocated, since a process that has run other benchmarks has memory to spare and would not grow.
    """
    docs = []
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for _ in range(20):
        doc = tab.ask("new", source={"path": "walk3000.npz"})["doc"]
        tab.ask("open", doc=doc)
        tab.ask("step.add", doc=doc, op="turn", knobs={"angle_deg": 10})
        docs.append(doc)
    for doc in docs:
        tab.rest(doc)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    own = 3_000 * 22 * 8 * 11
    yield Claim("20 documents: memory of each / of its result", (after - before) / 20 / own, 8.0, at_least=False)
    for doc in docs:
        tab.ask("close", doc=doc)
    left = sum(room.evaluator.bytes for room in serving.studio.rooms.values())  # type: ignore[attr-defined]
    yield Claim("bytes kept by documents that nobody looks at", float(left), 0.0, at_least=False)
