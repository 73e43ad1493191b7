"""The check-up of a clip with its remedies: what ``kinetune doctor`` finds, and what one click can do about it."""

from __future__ import annotations

from typing import Any

from kinetune.body.clip import Clip
from kinetune.diagnosis.detectors import DETECTORS, GAUGES
from kinetune.diagnosis.examination import examine_clip
from kinetune.diagnosis.reading_faults import nearest_rate
from kinetune.findings import Finding
from kinetune.operations import find_operation
from kinetune.studio.protocol.answers import CheckLine, RemedyLine
from kinetune.studio.protocol.message_parts import MessageError

_TITLES = {
    "stray-first-frame": "T-pose at the start",
    "foot-slide": "Feet slide",
    "below-floor": "Feet sink into the floor",
    "flips": "Sudden flips",
    "noise": "Joints tremble",
    "beyond-limits": "Joints bend too far",
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
_LABELS = {
    "reinterpret": "Put right",
    "trim": "Cut it off",
    "denoise": "Take out",
    "limit": "Bring back",
    "plant_feet": "Plant feet",
    "move": "Put it at zero",
    "keep_above_floor": "Lift",
}
"""What the button of an operation says, in the order to take them in: the floor shows once feet are planted."""
_FINDING_LABELS = {"floor-lean": "Level it"}
"""What it says instead, where the operation does something else for a finding."""
_UNITS = {"m": "Metres", "cm": "Centimetres", "mm": "Millimetres", "in": "Inches"}


def checkup_lines(clip: Clip) -> list[CheckLine]:
    """Everything that ``kinetune doctor`` says about a file and its motion, each with its remedies."""
    return [_line(finding, clip) for finding in examine_clip(clip)[0]]


def value_after(clip: Clip, kind: str) -> float | None:
    """What a finding would measure after its remedy."""
    step = next(
        (f.step for detect in DETECTORS if detect.part for f in detect(clip) if f.kind == kind and f.step), None
    )
    if step is None:
        raise MessageError("unknown_name", f'No operation fixes "{kind[:60]}".', where="kind")
    parameters = dict(step)
    return GAUGES[kind].read(find_operation(parameters.pop("op"))(**parameters)(clip))


def _line(finding: Finding, clip: Clip) -> CheckLine:
    remedies = _remedies(finding, clip)
    gauge = GAUGES.get(finding.kind) if remedies and remedies[0]["op"] else None
    line: Any = finding.as_dict()
    line["title"] = _TITLES.get(
        finding.kind, finding.kind.replace("-", " ").capitalize().replace("Physics", "Physics:")
    )
    line |= {"unit": gauge.unit if gauge else "", "was": gauge.read(clip) if gauge else None, "remedies": remedies}
    checked: CheckLine = line
    return checked


def _remedies(finding: Finding, clip: Clip) -> list[RemedyLine]:
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
    if readings:
        return [{"label": text, "op": None, "knobs": {}, "reading": reading, "order": 0} for text, reading in readings]
    if finding.step is None:
        return []
    knobs = dict(finding.step)
    op = knobs.pop("op")
    label = _FINDING_LABELS.get(finding.kind, _LABELS[op])
    return [{"label": label, "op": op, "knobs": knobs, "reading": {}, "order": list(_LABELS).index(op)}]
