"""Where the body stands and how far it bends: floor, joint limits, sliding feet, bodies in the floor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.feet.floor import find_floor
from kinetune.body.feet.planting import plant
from kinetune.body.kinematics.anatomy import human_limits
from kinetune.body.kinematics.joint_limits import Excess, find_excess
from kinetune.body.quality.glitches import motion_of
from kinetune.body.quality.measures import labelled_speed, measure
from kinetune.body.robots.robot import robot_of
from kinetune.errors import ParameterError
from kinetune.findings import Finding

FLOOR_MM = 20.0
"""How far from height zero feet may stand: files leave the thickness of soles open by about as much."""
LEAN_DEG = 0.75
BEYOND_DEG = 30.0
"""How far beyond the human range a joint must go; captured people get 20 beyond in places."""
SLIDE_MM = 30.0
"""Per contact; ordinary captures (CMU, HDM05, ACCAD) have 10 to 30."""
DEEP_MM = 30.0
"""Below the floor; ordinary captures have 10 to 25."""
SOFT_MM = 5.0
"""How deep a standing sole may stay when others are lifted out: its thickness is a guess, and a lift is a tiptoe."""
LABELLED_MM_S = 12.0
"""How fast joints may move that stand according to the labels of the file."""
_GRAVE_MM = 100.0

_measured: WeakKeyDictionary[Clip, dict[str, Any]] = WeakKeyDictionary()


def measured(clip: Clip) -> dict[str, Any]:
    """The measures of the motion of a clip, made once."""
    motion = motion_of(clip)
    known = _measured.get(motion)
    if known is None:
        known = _measured[motion] = measure(motion)
    return known


def floor_cm(clip: Clip) -> float | None:
    """How far the feet stand above or below height zero, in centimetres."""
    floor = find_floor(clip)
    return None if floor is None else 100.0 * abs(floor.height)


def floor_lean_deg(clip: Clip) -> float | None:
    """How far the floor under the feet leans."""
    floor = find_floor(clip)
    return None if floor is None else floor.lean_deg


def find_floor_faults(clip: Clip, tolerance: float) -> Iterator[Finding]:
    """A floor that is not level at height zero."""
    floor = find_floor(clip)
    if floor is None:
        return
    leans = floor.lean_deg > tolerance * LEAN_DEG
    if 1e3 * abs(floor.height) > tolerance * FLOOR_MM:
        side = "above" if floor.height > 0 else "below"
        yield Finding(
            "floor-height",
            f"The feet stand {abs(floor.height) * 100:.0f} cm {side} Y = 0.",
            remedy="Put the floor at zero with: kinetune move FILE -o OUT --floor zero",
            step={"op": "move", "floor": "level" if leans else "zero"},
        )
    if leans:
        rise = 1000 * np.tan(np.deg2rad(floor.lean_deg))
        yield Finding(
            "floor-lean",
            f"The floor under the feet leans by {floor.lean_deg:.1f} degrees: {rise:.0f} mm in every metre.",
            remedy="Level it with: kinetune move FILE -o OUT --floor level",
            step={"op": "move", "floor": "level"},
        )


def _excess(clip: Clip) -> list[Excess] | None:
    if robot_of(clip) is not None:
        return None
    try:
        return find_excess(clip, human_limits(clip))
    except ParameterError:  # a skeleton that is not human
        return None


def beyond_deg(clip: Clip) -> float | None:
    """How far the worst joint is beyond the human range, in degrees; None for a body that is not human."""
    excess = _excess(motion_of(clip))
    return None if excess is None else excess[0].worst_deg if excess else 0.0


def find_beyond_limits(clip: Clip, tolerance: float) -> Iterator[Finding]:
    """Joints that go where no body's do."""
    excess = [one for one in _excess(clip) or () if one.worst_deg > tolerance * BEYOND_DEG]
    if excess:
        worst = excess[0]
        yield Finding(
            "beyond-limits",
            f"{worst.joint} goes {worst.worst_deg:.0f} degrees beyond what a body can do ({worst.turn}).",
            severity="info",
            frame=worst.frame,
            remedy="Bring it back with: kinetune limit FILE -o OUT",
            joints=tuple(dict.fromkeys(one.joint for one in excess)),
            step={"op": "limit"},
        )


def slide_mm(clip: Clip) -> float | None:
    """How far standing feet slide in a contact, in millimetres; by the labels of a file, how fast, in mm/s."""
    speed = labelled_speed(clip)
    value = measured(clip)["foot_slide_mm"] if speed is None else 1e3 * speed
    return None if value is None else float(value)


def find_slide(clip: Clip, tolerance: float, denoised: bool, first: int = 0) -> Iterator[Finding]:
    """Feet that stand and slide; in a clip that has been denoised, any slide is what the noise left."""
    speed = labelled_speed(clip)
    if speed is not None:
        if 1e3 * speed > tolerance * LABELLED_MM_S:
            yield Finding(
                "foot-slide",
                f"Joints that stand according to the labels of the file move at {1e3 * speed:.0f} mm/s.",
                severity="info",
                remedy="Plant them with: kinetune plant-feet FILE -o OUT",
                step=_labelled_planting(clip, tolerance),
            )
        return
    values = measured(clip)
    slide, worst, where = (values[f"foot_slide_{what}"] for what in ("mm", "worst_mm", "worst_at"))
    if slide is None or (slide <= tolerance * SLIDE_MM and not denoised):
        return
    where = where or {"foot": "left", "start": 0, "stop": 0}
    yield Finding(
        "foot-slide",
        f"Planted feet slide by {slide:.0f} mm in a contact on average, at worst by {worst or 0.0:.0f} mm "
        f"({where['foot']} foot, frames {first + where['start']} to {first + where['stop']}).",
        severity="warning" if slide >= _GRAVE_MM else "info",
        frame=(where["start"], where["stop"]),
        remedy="Plant them with: kinetune plant-feet FILE -o OUT",
        step={"op": "plant_feet"},
    )


def _labelled_planting(clip: Clip, tolerance: float) -> dict[str, Any]:
    """Feet that roll, where that keeps labelled joints still enough; else the joints are held."""
    rolling = labelled_speed(plant(clip)) or 0.0
    slow = 1e3 * rolling <= max(tolerance, 1.0) * LABELLED_MM_S
    return {"op": "plant_feet"} if slow else {"op": "plant_feet", "hold": "joints"}


def depth_mm(clip: Clip) -> float | None:
    """How deep something is in the floor, in millimetres."""
    depth = measured(clip)["penetration_mm"]
    return None if depth is None else float(depth)


def find_depth(clip: Clip, tolerance: float) -> Iterator[Finding]:
    """Parts of the body that are in the floor."""
    depth = depth_mm(clip)
    if depth is not None and depth > tolerance * DEEP_MM:
        yield Finding(
            "below-floor",
            f"Feet or other joints go up to {depth:.0f} mm below the floor.",
            severity="warning" if depth >= _GRAVE_MM else "info",
            remedy="Lift them out with: kinetune keep-above-floor FILE -o OUT",
            step={"op": "keep_above_floor", "clearance_m": -1e-3 * SOFT_MM},
        )
