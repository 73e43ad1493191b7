"""What ships with Kinetune and what it can read and write, as the page lists it."""

from __future__ import annotations

import functools
import re
from typing import get_args

from kinetune import __version__
from kinetune.contours.timing.eases import EASES
from kinetune.formats import FORMATS, MODULES
from kinetune.samples import describe, samples
from kinetune.samples.drawings import sample_drawings
from kinetune.studio.documents.drawing_state import MorphSettings
from kinetune.studio.documents.origins import DRAWING_SUFFIXES, RECIPE_SUFFIXES
from kinetune.studio.documents.uploads import MOST_BYTES as MOST_UPLOAD_BYTES
from kinetune.studio.protocol.answers import Catalogue
from kinetune.studio.protocol.message_parts import MOST_BYTES

PROTOCOL = 2
FILM_SUFFIXES = (".mp4", ".webm", ".gif")
_EASES = ("linear", "smooth", "in", "out", "back", "elastic", "bounce")
_OF_SET = re.compile(r"(.+)-\d{2}$")


def sample_sets() -> dict[str, list[str]]:
    """Samples that are examples of one thing: "reach" to "reach-01", "reach-02" ..."""
    sets: dict[str, list[str]] = {}
    for name in samples():
        matched = _OF_SET.match(name)
        if matched:
            sets.setdefault(matched[1], []).append(name)
    return sets


@functools.cache
def catalogue() -> Catalogue:
    """The parts of the hello that do not change."""
    sets = sample_sets()
    in_sets = {name for names in sets.values() for name in names}
    writable = [suffix for name in FORMATS if FORMATS[name].write is not None for suffix in MODULES[name][1]]
    readable = [suffix for name in FORMATS if FORMATS[name].read is not None for suffix in MODULES[name][1]]
    return {
        "version": __version__,
        "protocol": PROTOCOL,
        "samples": [{"name": name, "description": describe(name)} for name in samples() if name not in in_sets],
        "sets": [
            {"name": name, "description": describe(members[0]).split(":")[0], "samples": members}
            for name, members in sets.items()
        ],
        "drawings": [{"name": name} for name in sample_drawings()],
        "suffixes": {
            "read": list(dict.fromkeys(readable)),
            "write": list(dict.fromkeys(writable)),
            "drawings": list(DRAWING_SUFFIXES),
            "recipes": list(RECIPE_SUFFIXES),
            "films": list(FILM_SUFFIXES),
        },
        "limits": {"message_bytes": MOST_BYTES, "upload_bytes": MOST_UPLOAD_BYTES},
        "presets": {
            "drawing": list(_choices("preset")),
            "morph": list(_choices("method")),
            "ease": [name for name in _EASES if name in EASES],
        },
    }


def _choices(setting: str) -> tuple[str, ...]:
    return get_args(MorphSettings.model_fields[setting].annotation)
