"""The check-up of a clip with its remedies: what ``kinetune doctor`` finds, and what one click can do about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kinetune.body.clip import Clip
from kinetune.diagnosis.detectors import DETECTORS, GAUGES, Case
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
    "guessed-animation": "Which animation?",
    "guessed-take": "Which take?",
    "physics-hover": "Nothing carries the body",
    "physics-slide": "Feet glide over the floor",
    "physics-loaded-slide": "Feet slide under the weight",
    "physics-glide": "The body glides",
    "physics-penetration": "The body is in the floor",
    "physics-balance": "Out of balance",
    "physics-balance-at-rest": "Out of balance at rest",
    "physics-too-fast": "Too fast for a body",
    "physics-force": "Forces that no floor gives",
    "physics-moment": "Twists that no floor gives",
    "physics-jolt": "A jolt",
}
_LABELS = {
    "reinterpret": "Put right",
    "resample": "Restore the rate",
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
_PLAIN_SLIDE = Case(tolerance=1 / 6)
"""The doctor accepts what ordinary captures slide (30 mm); the studio offers to plant feet from 5 mm on."""
_MOST_CHOICES = 24
_IS_READ = "is read"
_UNITS = {"m": "Metres", "cm": "Centimetres", "mm": "Millimetres", "in": "Inches"}


def checkup_lines(clip: Clip, chosen: tuple[str, Clip] | None = None) -> list[CheckLine]:
    """What ``kinetune doctor`` says about a file and its motion, and feet that slide less, each with its remedies.

    chosen : the animation of the file that the user has chosen, and the file as it is read otherwise: the choice stays.
    """
    findings = [*examine_clip(clip)[0]]
    if chosen is not None:
        name, as_read = chosen
        several = (finding for finding in as_read.source.findings if finding.choices)
        findings += [replace(f, message=f'"{name}" {_IS_READ}, one of {len(f.choices)} in this file.') for f in several]
    known = {finding.kind for finding in findings}
    findings += [finding for finding in _slides(clip) if finding.kind not in known]
    lines = [_line(finding, clip) for finding in findings]
    asked = [line["remedies"] for line in lines]
    return [line for k, line in enumerate(lines) if not _reads(line) or line["remedies"] not in asked[:k]]


def _reads(line: CheckLine) -> bool:
    """Whether a line asks how to read the file: several findings may ask the same, the first of them does."""
    return any(remedy["op"] is None for remedy in line["remedies"])


def value_after(clip: Clip, kind: str) -> float | None:
    """What a finding would measure after its remedy."""
    findings = (*(f for detect in DETECTORS if detect.part for f in detect(clip)), *_slides(clip))
    step = next((finding.step for finding in findings if finding.kind == kind and finding.step), None)
    if step is None:
        raise MessageError("unknown_name", f'No operation fixes "{kind[:60]}".', where="kind")
    parameters = dict(step)
    return GAUGES[kind].read(find_operation(parameters.pop("op"))(**parameters)(clip))


def _slides(clip: Clip) -> Iterator[Finding]:
    """Feet that slide visibly, though no more than in most captures; labels of a file are taken as they are."""
    if clip.contacts is None:
        feet = (detect for detect in DETECTORS if detect.part == "feet")
        yield from (
            finding for detect in feet for finding in detect(clip, _PLAIN_SLIDE) if finding.kind == "foot-slide"
        )


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
    elif finding.choices:
        others = [name for name in finding.choices if f'"{name}" {_IS_READ}' not in finding.message]
        readings = [(name, {"animation": name}) for name in others[:_MOST_CHOICES]]
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
