"""Mutated messages for a real studio: ``python -m tests.studio.protocol_fuzz --cases 10000``.

A case is a number: it makes the same messages each time, a handful of them in an order that no page would send, some
mutated, some no JSON, some binary. A studio passes if it answers the next honest question, sends nothing that the
types of the page do not allow, and never has to say that something went wrong inside.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import io
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from websockets.exceptions import ConnectionClosed

from kinetune.operations import OPERATIONS
from kinetune.studio.protocol.message_parts import MessageError
from kinetune.studio.protocol.messages import TYPES, read_message
from kinetune.studio.server.launch import Serving, served
from tests.studio.client import Http, Tab

MOTION, DRAWING = "<motion>", "<drawing>"
"""Stand for documents of the case."""

_WAVE = {"sample": "wave"}
_KEYS = [{"frame": 3, "joint": "Head", "rotate": [0, 5, 0]}]
SEEDS: list[dict[str, Any]] = [
    {"type": "new", "source": _WAVE, "name": "one"},
    {"type": "new", "source": {"path": "own.yaml"}, "on": _WAVE},
    {"type": "open", "doc": MOTION, "frame": 3, "rotations": True},
    {"type": "open", "doc": DRAWING},
    {"type": "close", "doc": MOTION},
    {"type": "forget", "doc": "0123456789abcdef"},
    {"type": "rename", "doc": MOTION, "name": "two"},
    {"type": "documents"},
    {"type": "folder", "path": "."},
    {"type": "folder", "search": "own"},
    {"type": "favourites"},
    {"type": "favourite", "source": {"path": "own.bvh"}, "on": True},
    {"type": "similar", "source": {"path": "own.bvh"}},
    {"type": "thumbnail", "source": {"path": "own.bvh"}},
    {"type": "thumbnail", "of": MOTION},
    {"type": "look", "doc": MOTION, "frame": 7, "rotations": False},
    {"type": "view", "doc": MOTION, "set": {"camera": [1, 2, 3], "frame": 4}},
    {"type": "markers", "doc": MOTION, "markers": [{"frame": 2, "name": "hop"}]},
    {"type": "undo", "doc": MOTION, "count": 2},
    {"type": "redo", "doc": MOTION},
    {"type": "version.save", "doc": MOTION, "name": "calm", "entry": 0},
    {"type": "version.open", "doc": MOTION, "name": "calm"},
    {"type": "version.remove", "doc": MOTION, "name": "calm"},
    {"type": "step.set", "doc": MOTION, "step": "s1", "knobs": {"cutoff_hz": 3}, "drag": True},
    {"type": "step.set", "doc": MOTION, "step": "s1", "knobs": {"cutoff_hz": 5}},
    {"type": "step.patch", "doc": MOTION, "step": "s2", "path": ["keys", 0, "frame"], "value": 5},
    {"type": "step.patch", "doc": MOTION, "step": "s2", "path": ["keys", 0], "remove": True},
    {"type": "step.move", "doc": MOTION, "step": "s1", "to": 1},
    {"type": "step.toggle", "doc": MOTION, "step": "s1", "on": False},
    {"type": "step.duplicate", "doc": MOTION, "step": "s1"},
    {"type": "step.remove", "doc": MOTION, "step": "s2"},
    {"type": "commit", "doc": MOTION, "label": "done"},
    {"type": "cancel", "doc": MOTION},
    {"type": "run", "doc": MOTION, "step": "s1"},
    {"type": "job.cancel", "job": "j1-000000"},
    {"type": "input.add", "doc": MOTION, "source": _WAVE, "name": "other"},
    {"type": "input.add_set", "doc": MOTION, "samples": ["wave"], "sources": [{"path": "own.bvh"}]},
    {"type": "input.remove", "doc": MOTION, "name": "other"},
    {"type": "source.set", "doc": MOTION, "source": {"path": "own.bvh", "reading": {"unit": "cm", "fps": 30.0}}},
    {"type": "recipe.set", "doc": MOTION, "text": "steps: [{op: smooth, cutoff_hz: 4}, {op: displace}]"},
    {"type": "recipe.set", "doc": MOTION, "source": {"path": "own.yaml"}, "append": True},
    {"type": "tracks.set", "doc": MOTION, "tracks": [{"clip": "source", "at": 3, "start": 1, "stop": 20, "lane": 1}]},
    {"type": "pose", "doc": MOTION, "frame": 4, "joint": "Head", "rotate": [0, 4, 0], "axes": "local"},
    {"type": "pose", "doc": MOTION, "frame": 4, "joint": 3, "to": [0, 1, 0], "drag": True},
    {"type": "export", "doc": MOTION, "format": ".bvh", "name": "out"},
    {"type": "save", "doc": MOTION, "path": "saved.yaml"},
    {"type": "recipe", "doc": MOTION, "form": "cli"},
    {"type": "recipe", "doc": DRAWING, "form": "python"},
    {"type": "bands", "doc": MOTION, "step": "s1", "joints": ["Head"], "points": 40, "stop": 30},
    {"type": "curves", "doc": MOTION, "joints": ["Head", 2], "kind": "euler", "points": 50},
    {"type": "spline", "keys": [[0, 1], [3, 2, 0.5], [9, 0, 0, 0, 1]], "points": 20, "ends": "zero"},
    {"type": "shaping", "curve": "cap(-0.5, 0.8)", "points": 20},
    {"type": "shaping", "curve": {"points": [[-1, -1], [0, 0.5], [1, 1]]}},
    {"type": "warp", "doc": MOTION, "step": "s1", "size": 20},
    {"type": "clip", "doc": MOTION, "name": "source", "rotations": True},
    {"type": "verdict", "doc": MOTION},
    {"type": "moments", "doc": MOTION, "step": "s1"},
    {"type": "skin", "doc": MOTION, "body": "mannequin", "of": "original", "coarse": True},
    {"type": "outline", "doc": MOTION, "name": "source", "points": 20},
    {"type": "forces", "doc": MOTION, "step": "s1"},
    {"type": "loads", "doc": MOTION, "step": "s1"},
    {"type": "timing", "doc": MOTION},
    {"type": "neutral", "doc": MOTION, "step": "s1"},
    {"type": "checkup", "doc": MOTION},
    {"type": "remedy", "doc": MOTION, "kind": "foot-slide"},
    {"type": "drawing.new", "keys": [{"drawing": "dog-1"}, {"drawing": "dog-2"}], "name": "dogs"},
    {"type": "drawing.replace", "doc": DRAWING, "key": 1, "source": {"drawing": "dog-2"}},
    {"type": "drawing.insert", "doc": DRAWING, "at": 1, "copy_of": 0},
    {"type": "drawing.move", "doc": DRAWING, "key": 1, "to": 0},
    {"type": "drawing.remove", "doc": DRAWING, "key": 2},
    {"type": "drawing.set", "doc": DRAWING, "set": {"method": "linear", "frames": 3, "pins": [[[1, 2], [3, 4]]]}},
    {
        **{"type": "drawing.drag", "doc": DRAWING, "key": 0, "layer": 0, "contour": 0, "points": 8, "index": 2},
        **{"by": [3, 4], "detail": "keep", "drag": True},
    },
    {"type": "drawing.points", "doc": DRAWING, "key": 0, "layer": 0, "contour": 0, "points": 8},
    {"type": "drawing.matches", "doc": DRAWING, "gap": 0, "points": 9},
]
_SLOW = {"filter_dynamics", "optimize_physics", "aim", "follow_footsteps", "retarget"}
SEEDS += [{"type": "step.add", "doc": MOTION, "op": op, "knobs": {}} for op in OPERATIONS if op not in _SLOW]

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**53, 10**30, -(10**400), 0.5, 1e308, -1e308, 5e-324),
    *("", " ", "x" * 300, "\0", "\ud800", "\u202e", "é", "../../etc/passwd", "/", ".", "sample:walk", "0", "s1", "NaN"),
    *([], {}, [[]], [None], {"": 0}, [0] * 50, {"x": {"y": []}}, ["a", 1, None], [[0, 0], [0, 0]], [[1e308, -1e308]]),
)

_NO_MESSAGES = ("[" * 2000, '{"a":' * 500, "null", "[]", "0", "", '"' + "x" * 5000 + '"', "1e999", "9" * 5000)


def mutate(message: dict[str, Any], rng: Random) -> dict[str, Any]:
    """Change, remove, add or exchange something, anywhere in a message."""
    changed = copy.deepcopy(message)
    for _ in range(rng.choice((1, 1, 2, 4))):
        holders = list(_holders(changed))
        holder = rng.choice(holders)
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        match rng.randrange(6):
            case 0 if isinstance(holder, dict):
                holder[rng.choice(("x", "step", "doc", "source", "on", "at", "drag", "knobs"))] = copy.deepcopy(
                    rng.choice(ODD)
                )
            case 1 if keys:
                del holder[rng.choice(keys)]
            case 2 if keys:
                key = rng.choice(keys)
                holder[key] = [copy.deepcopy(holder[key]) for _ in range(rng.choice((1, 2, 20)))]
            case 3:
                other = copy.deepcopy(rng.choice(SEEDS))
                changed |= {key: value for key, value in other.items() if rng.random() < 0.3}
            case _ if keys:
                holder[rng.choice(keys)] = copy.deepcopy(rng.choice(ODD))
    return changed


def _holders(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _holders(inner)


def as_frame(message: dict[str, Any], rng: Random) -> str | bytes:
    """What goes over the socket: mostly the JSON, at times less than that."""
    text = json.dumps(message)
    match rng.randrange(40):
        case 0:
            return text.encode()
        case 1:
            return bytes(rng.randrange(256) for _ in range(rng.randrange(60)))
        case 2:
            return text[: rng.randrange(len(text))]
        case 3:
            at = rng.randrange(len(text))
            return text[:at] + rng.choice(("\0", "{", "]", '"', "NaN", "-Infinity", "\\ud800", "é")) + text[at:]
        case 4:
            return rng.choice(_NO_MESSAGES)
        case _:
            return text


def frames_of(number: int) -> list[str | bytes]:
    """The frames of a case: the same for the same number; documents are named by what stands for them."""
    rng = Random(f"protocol {number}")
    frames = []
    for _ in range(rng.randint(1, 6)):
        message = {"id": rng.randint(1, 1000), **rng.choice(SEEDS)}
        frames.append(as_frame(mutate(message, rng) if rng.random() < 0.7 else message, rng))
    return frames


def read_case(number: int) -> str | None:
    """What is wrong with how the schema reads the frames of a case; None if nothing is."""
    for frame in frames_of(number):
        try:
            read_message(frame)
        except MessageError as error:
            if len(str(error)) > 1000:
                return f"a message of {len(str(error))} characters"
        except Exception as error:
            return f"{type(error).__name__}: {error} for {frame[:300]!r}"
    return None


class Target:
    """A studio that is fuzzed, with a tab that comes back when it is thrown out."""

    def __init__(self, serving: Serving) -> None:
        self.http = Http(serving.port, serving.tokens.new())
        self.tab = Tab(self.http)
        self.documents: dict[str, str] = {}
        self.left = 0

    def attempt(self, number: int) -> str | None:
        """What is wrong with how the studio takes a case; None if nothing is."""
        log = io.StringIO()
        with contextlib.redirect_stderr(log):
            try:
                problem = self._attempt(number)
            except ConnectionClosed as closed:
                problem = None if closed.rcvd is not None and closed.rcvd.code in (1003, 1007, 1009) else repr(closed)
                self._again()
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
                self._again()
        if "Traceback" in log.getvalue():
            return f"{problem or ''}\n{log.getvalue()[-3000:]}"
        return problem

    def _again(self) -> None:
        with contextlib.suppress(Exception):
            self.tab.close()
        self.tab = Tab(self.http)
        self.left = 0

    def _attempt(self, number: int) -> str | None:
        if self.left == 0:
            self._fresh()
        self.left -= 1
        for frame in frames_of(number):
            for stands_for, doc in self.documents.items():
                frame = frame.replace(stands_for, doc) if isinstance(frame, str) else frame
            self.tab.socket.send(frame)
        begun = time.monotonic()
        # Whatever was asked is answered before this; edits go on beside it.
        end = self.tab.send("documents", id=10**6 + number)
        while True:
            answer = self._read()
            if answer.get("code") == "internal" or "Something went wrong" in str(answer.get("message")):
                return f"internal: {answer}"
            if answer["type"] == "done" and answer.get("documents") is not None and answer["id"] == 10**6 + number:
                return None
            if time.monotonic() - begun > 30.0:
                return f"no answer after 30 s ({end})"

    def _read(self) -> dict[str, Any]:
        received = self.tab.socket.recv(timeout=30.0)
        if isinstance(received, bytes):
            from kinetune.studio.protocol.wire import unpack

            return unpack(received)[0]
        answer: dict[str, Any] = json.loads(received)
        return answer

    def _fresh(self) -> None:
        """New documents, so that one case does not make another impossible."""
        for doc in self.documents.values():
            self.tab.socket.send(json.dumps({"type": "forget", "id": 2, "doc": doc}))
        self._again()
        self.left = 20
        motion = self.tab.ask("new", source=_WAVE)["doc"]
        self.tab.ask("open", doc=motion)
        self.tab.ask("step.add", doc=motion, op="smooth")
        self.tab.ask("step.add", doc=motion, op="displace", knobs={"keys": _KEYS})
        drawing = self.tab.ask("drawing.new", keys=[{"drawing": "dog-1"}, {"drawing": "dog-2"}])["doc"]
        self.documents = {MOTION: motion, DRAWING: drawing}


@contextlib.contextmanager
def target(data: Path) -> Iterator[Target]:
    """A studio on a folder with a motion and a recipe, to be fuzzed."""
    import kinetune as kt

    folder = data / "clips"
    folder.mkdir(parents=True)
    kt.write(kt.sample("wave")[:30], folder / "own.bvh")
    (folder / "own.yaml").write_text("inputs: {other: own.bvh}\nsteps: [{op: smooth, cutoff_hz: 4}]\n")
    with served(data / "data", folder) as serving:
        yield Target(serving)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.studio.protocol_fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--start", type=int, default=0)
    asked = parser.parse_args()
    failures: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, target(Path(folder)) as studio:
        for number in range(asked.start, asked.start + asked.cases):
            problem = read_case(number) or studio.attempt(number)
            if problem is not None:
                key = problem.strip().splitlines()[-1][:200]
                failures[key] += 1
                if failures[key] == 1:
                    print(f"case {number}: {problem}\n", flush=True)
    print(f"{asked.cases:,} cases, {sum(failures.values())} failures, {len(TYPES)} kinds of messages")
    return int(bool(failures))


if __name__ == "__main__":
    raise SystemExit(main())
