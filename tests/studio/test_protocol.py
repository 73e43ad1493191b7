"""The page of the protocol and the messages cannot part: every field is on it, and every field on it exists."""

import re
from pathlib import Path

import pytest

from kinetune.studio.documents.drawing_state import GapSettings, MorphSettings, WalkCycleSettings
from kinetune.studio.protocol.message_parts import MarkerPart, Reading, SourceRef, TrackPart
from kinetune.studio.protocol.messages import TYPES

PAGE = (Path(__file__).parents[2] / "docs" / "studio" / "protocol.md").read_text(encoding="utf-8")
COMMON = {"type", "id", "doc", "gesture", "label"}


def model(kind):
    return TYPES[kind]._type


def rows():
    """The rows of tables that begin with messages: their names, the cell of fields, and the whole line."""
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        names = re.findall(r"`([a-z_.]+)`", cells[0]) if cells else []
        if names and all(name in TYPES for name in names):
            yield names, cells[1] if len(cells) > 2 else "", line


def told(kind):
    """What the page says of a message: its row, or the paragraph that begins with its name."""
    found = [line for names, _, line in rows() if kind in names]
    paragraphs = re.findall(rf"^`{re.escape(kind)}`(?::| `\{{).*$", PAGE, flags=re.MULTILINE)
    return "\n".join([*found, *paragraphs])


def mentions(text, field):
    """Whether a field stands in code: `frame`, `name?`, "frame": 57, "to?"."""
    return re.search(rf'[`"]{field}\??[`":]|[`"]{field}\??: ', text) is not None


@pytest.mark.parametrize("kind", TYPES)
def test_every_field_of_a_message_is_on_the_page(kind):
    text = told(kind)
    assert text, f"{kind} has no row and no paragraph"
    assert [field for field in model(kind).model_fields if field not in COMMON and not mentions(text, field)] == []


def test_every_field_on_the_page_exists():
    unknown = []
    for names, cell, _ in rows():
        own = set().union(*(model(name).model_fields for name in names)) | COMMON
        for code in re.findall(r"`([^`]+)`", cell):
            field = re.match(r"([a-z_]+)\??(?::|$)", code)
            if field is not None and field[1] not in own and not code.startswith("{"):
                unknown.append((names, field[1]))
    assert unknown == []


@pytest.mark.parametrize(
    ("part", "begin"),
    [
        (SourceRef, "`Source`"),
        (Reading, "`Source`"),
        (TrackPart, "`Track`"),
        (MorphSettings, "Settings: "),
        (GapSettings, "Settings: "),
        (WalkCycleSettings, "Settings: "),
    ],
)
def test_every_field_of_a_part_is_on_the_page(part, begin):
    at = PAGE.index(f"\n{begin}")
    text = PAGE[at : at + 1200]
    assert [field for field in part.model_fields if not mentions(text, field)] == []
    assert MarkerPart.model_fields.keys() == {"frame", "name"}


def keys_of(value):
    """Every key of an answer, but for those that users choose (names of joints, roles, knobs ...)."""
    if isinstance(value, list):
        return set().union(*(keys_of(each) for each in value[:3])) if value else set()
    if not isinstance(value, dict):
        return set()
    inner = [keys_of(each) for name, each in value.items() if name not in FREE]
    return set(value).union(*inner)


STEPS = [{"side": "left", "x": 0.1, "z": 0.5}, {"side": "right", "x": -0.1, "z": 1.0}]
FREE = {"knobs", "view", "roles", "groups", "opposites", "layers_of", "weights", "arrays", "settings"}


def test_every_key_of_an_answer_is_on_the_page(tab, http):
    tab.ask("new", source={"sample": "walk"})
    doc = tab.new()
    tab.ask("input.add", doc=doc, source={"sample": "walk-sad"}, name="sad")
    tab.ask("step.add", doc=doc, op="displace", knobs={"keys": [{"frame": 9, "joint": "Head", "rotate": [0, 9, 0]}]})
    tab.ask("step.add", doc=doc, op="follow_footsteps", knobs={"footsteps": STEPS})
    edit = tab.ask("step.add", doc=doc, op="turn", knobs={"angle_deg": 5})["edit"]
    whole = tab.wait(lambda a: a["type"] == "motion" and a["part"] == "whole" and a["edit"] >= edit)
    quality = tab.wait(lambda a: a["type"] == "quality" and a["edit"] >= edit)
    drawing = tab.ask("drawing.new", keys=[{"drawing": "dog-1"}, {"drawing": "dog-2"}])["doc"]
    tab.ask("drawing.set", doc=drawing, set={"method": "linear", "frames": 2})
    tab.ask("open", doc=drawing)
    tab.wait(lambda a: a["type"] == "film")
    tab.wait(lambda a: a["type"] == "saved" and a["doc"] == drawing)
    seen = {}
    for answer in [*tab.unread, whole, quality, http.json("/api/hello")]:
        kind = answer.get("type", "hello")
        seen[kind] = seen.get(kind, set()) | (keys_of(answer) - {"arrays", "bytes"})
    assert {"document", "skeleton", "original", "motion", "quality", "saved", "hello", "drawings"} <= seen.keys()
    missing = {kind: sorted(key for key in keys if not mentions(PAGE, key)) for kind, keys in seen.items()}
    assert {kind: keys for kind, keys in missing.items() if keys} == {}
