"""The check-up of a clip with its remedies: what ``kinetune doctor`` finds, and what one click can do about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kinetune.body.clip import Clip
from kinetune.body.feet.floor import find_floor
from kinetune.body.quality.checkup import nearest_rate
from kinetune.body.quality.glitches import find_jumps, stray_frames
from kinetune.body.quality.measures import measure
from kinetune.doctor.examine import examine_clip
from kinetune.doctor.safe_fixes import REMEDIES
from kinetune.findings import Finding
from kinetune.studio.protocol.answers import CheckLine, RemedyLine
from kinetune.studio.protocol.message_parts import MessageError

_TITLES = {
    "stray-first-frame": "T-pose at the start",
    "foot-slide": "Feet slide",
    "below-floor": "Feet sink into the floor",
    "flips": "Sudden flips",
    "root-jumps": "The body jumps",
    "floor-height": "The floor is not at zero",
    "floor-lean": "The floor leans",
    "foot-upside-down": "A foot is rolled over",
    "repeated-frames": "Frames repeat",
    "unusual-rate": "Unusual frame rate",
    "unusual-size": "Unusual size",
    "missing-roles": "Joints that are not recognised",
    "one-frame": "A pose without motion",
    "no-motion": "Nothing moves",
    "spike": "Spikes",
    "held-frames": "Frames hang",
    "wrong-up": "Another axis is up?",
    "wrong-unit": "Wrong unit?",
    "wrong-rate": "Wrong speed?",
    "swapped-sides": "Left and right are swapped",
    "stretching-bones": "Bones stretch",
    "guessed-unit": "Which unit?",
    "guessed-up": "Which axis is up?",
    "guessed-fps": "Which frame rate?",
}
_VALUES: dict[str, tuple[str, Callable[[Clip], float | None]]] = {
    "stray-first-frame": ("frames", lambda clip: float(stray_frames(clip))),
    "floor-height": ("cm", lambda clip: _floor_cm(clip)),
    "flips": ("", lambda clip: float(len(find_jumps(clip[stray_frames(clip) :])))),
    "below-floor": ("mm", lambda clip: measure(clip)["penetration_mm"]),
    "foot-slide": ("mm", lambda clip: measure(clip)["foot_slide_mm"]),
}
"""What a finding measures, and its unit; those that one click mends."""
_UNITS = {"m": "Metres", "cm": "Centimetres", "mm": "Millimetres", "in": "Inches"}


def checkup_lines(clip: Clip) -> list[CheckLine]:
    """Everything that ``kinetune doctor`` says about a file and its motion, each with its remedies."""
    return [_line(finding, clip) for finding in examine_clip(clip)[0]]


def value_after(clip: Clip, kind: str) -> float | None:
    """What a finding would measure after its remedy."""
    if kind not in _VALUES:
        raise MessageError("unknown_name", f'No operation mends "{kind[:60]}".', where="kind")
    return _VALUES[kind][1](REMEDIES[kind].operation()(clip))


def _line(finding: Finding, clip: Clip) -> CheckLine:
    unit, value = _VALUES.get(finding.kind, ("", lambda clip: None))
    line: Any = finding.as_dict()
    line["title"] = _TITLES.get(
        finding.kind, finding.kind.replace("-", " ").capitalize().replace("Physics", "Physics:")
    )
    line |= {"unit": unit, "was": value(clip), "remedies": _remedies(finding, clip)}
    checked: CheckLine = line
    return checked


def _remedies(finding: Finding, clip: Clip) -> list[RemedyLine]:
    if finding.kind in _VALUES:
        remedy, order = REMEDIES[finding.kind], list(REMEDIES).index(finding.kind)
        return [{"label": remedy.label, "op": remedy.op, "knobs": remedy.parameters, "reading": {}, "order": order}]
    readings: list[tuple[str, dict[str, Any]]] = []
    if finding.kind in ("guessed-unit", "unusual-size", "wrong-unit"):
        readings = [(name, {"unit": unit}) for unit, name in _UNITS.items() if unit != clip.source.unit]
    elif finding.kind in ("guessed-up", "wrong-up"):
        readings = [(f"{axis.upper()} is up", {"up": axis}) for axis in "yz" if axis != clip.source.up]
    elif finding.kind == "unusual-rate":
        rate = nearest_rate(clip.fps)
        readings = [(f"Read at {rate:.6g} fps", {"fps": rate})]
    elif finding.kind == "guessed-fps":
        readings = [(f"{rate} fps", {"fps": rate}) for rate in (30, 60, 120) if rate != round(clip.fps)]
    return [{"label": text, "op": None, "knobs": {}, "reading": reading, "order": 0} for text, reading in readings]


def _floor_cm(clip: Clip) -> float | None:
    floor = find_floor(clip)
    return None if floor is None else 100.0 * abs(floor.height)
