"""The quality of a motion before and after, and where its feet stand."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts, find_contacts
from kinetune.body.feet.floor import Ground, find_ground
from kinetune.body.feet.soles import Foot
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.quality.measures import find_slides, measure
from kinetune.body.root_motion import facing
from kinetune.rotations import Floats

_SHOWN = (
    ("foot_slide_mm", "Foot slide", "mm", 0.5),
    ("penetration_mm", "Below floor", "mm", 0.5),
    ("jerk", "Jerk", "m/s³", 1.0),
    ("flips", "Flips", "", 0.0),
    ("seam_mm", "Seam", "mm", 0.5),
)
"""Name, title, unit, and the change below which no difference is visible."""
_SHARE = 0.02


def measure_quality(clip: Clip, ground: Ground | None = None) -> tuple[dict[str, Any], Ground | None]:
    """The measures and contacts of a clip, and the ground that they are relative to.

    ground : that of the original, so that an edited clip of the same skeleton is measured by the same floor and soles.
    """
    first = stray_frames(clip)
    motion = clip[first:] if first else clip
    ground = ground_of(clip) if ground is None else ground
    measured = measure(clip, ground=ground)
    seam = measured.get("seam")
    measured["seam_mm"] = None if seam is None else seam["pose_mm"]
    measured["slide_anew_mm"] = None if motion.contacts is None else _slide_anew(motion)
    return {"measures": measured, "contacts": _contacts(motion, first, ground)}, ground


def _slide_anew(motion: Clip) -> float | None:
    """How far the feet slide in contacts that are found in the motion itself, as another program would: a file that
    is written does not say when feet stand, and an edit may let a foot stay where it stood in no contact of the source.
    """
    ground = find_ground(motion)
    slides = find_slides(motion, find_contacts(motion, ground=ground), ground)
    return 1e3 * float(np.mean([slide.metres for slide in slides])) if slides else None


def ground_of(clip: Clip) -> Ground | None:
    """What a clip stands on, apart from a T-pose at its start."""
    return find_ground(clip[stray_frames(clip) :])


def compare_quality(was: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Both as the page shows them: was, is, and whether that is better."""
    measures = []
    for name, title, unit, least in _SHOWN:
        before, after = was["measures"].get(name), now["measures"].get(name)
        verdict = "same"
        if before is not None and after is not None:
            change = after - before
            if abs(change) > max(least, _SHARE * abs(before)):
                verdict = "good" if change < 0 else "bad"
        shown: dict[str, Any] = {"name": name, "title": title, "unit": unit}
        shown |= {"was": before, "is": after, "verdict": verdict}
        if name == "foot_slide_mm":
            shown["anew"] = now["measures"].get("slide_anew_mm")
        reason = now["measures"]["reasons"].get(name)
        measures.append({**shown, "reason": reason} if reason else shown)
    return {"measures": measures, "contacts": {"was": was["contacts"], "is": now["contacts"]}}


def _contacts(motion: Clip, first: int, ground: Ground | None) -> dict[str, Any]:
    """When each foot stands, how far it slides, and the prints that it leaves."""
    if ground is None:
        return {"feet": [], "footprints": []}
    contacts: Contacts = motion.contacts if motion.contacts is not None else find_contacts(motion, ground=ground)
    slides = {(slide.foot, slide.start): 1e3 * slide.metres for slide in find_slides(motion, contacts, ground)}
    headings = np.degrees(facing(motion))
    feet, prints = [], []
    for column, name in enumerate(contacts.joints):
        side = contacts.sides[column]
        joint = motion.skeleton.index(name)
        foot = next((each for each in ground.feet if each.joint == joint), None)
        sole = None if foot is None else foot.positions(motion)
        ball = None if foot is None or sole is None else _ball(foot, sole)
        intervals = []
        for start, stop in contacts.intervals(column):
            slide = slides.get((side or name, start))
            intervals.append([start + first, stop + first, None if slide is None else round(slide, 2)])
            middle = (start + stop) // 2
            heading = headings[middle] if sole is None else _sole_heading(sole[middle], headings[middle])
            x, _, z = (motion.positions()[middle, joint] if ball is None else ball[middle]).tolist()
            prints.append(
                {
                    "side": side or name,
                    "start": start + first,
                    "stop": stop + first,
                    "place": [x, ground.floor.height, z],
                    "heading_deg": float(heading),
                }
            )
        feet.append({"side": side or name, "joint": joint, "intervals": intervals})
    return {"feet": feet, "footprints": sorted(prints, key=lambda each: each["start"])}


def _ball(foot: Foot, sole: Floats) -> Floats | None:
    """The ball of the foot (frames, 3), by which footprints are placed."""
    number = next((n for n, point in enumerate(foot.points) if point.name == "ball"), None)
    return None if number is None else sole[:, number]


def _sole_heading(points: Floats, otherwise: float) -> float:
    """Which way a sole points: from its first point (the heel) to its last (the toe)."""
    along = points[-1] - points[0]
    if np.hypot(along[0], along[2]) < 1e-3:
        return otherwise
    return float(np.degrees(np.arctan2(along[0], along[2])))
