"""Unit, up axis and frame rate that do not fit the motion: how a file was read, rather than how it moves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.feet.soles import leg_length
from kinetune.body.robots.robot import robot_of
from kinetune.findings import Finding
from kinetune.rotations import Floats

USUAL_HEIGHTS = (0.85, 2.45)
"""Metres of people, by their legs."""
_ADULT_HEIGHTS = (1.3, 2.2)
_ANY_HEIGHTS = (0.5, 3.0)  # of a skeleton without legs
_LEG_OF_HEIGHT = 0.485  # hip to ankle
_UNITS = (0.001, 0.01, 0.0254, 0.1, 10.0, 39.370079, 100.0, 1000.0)
_LEAST_TRUNK = 0.01  # of the height
_UPRIGHT = 0.5  # cosine of the trunk against the vertical, in the mean
_STANDING = 0.7
_BETTER = 0.3  # by how much more of the time another axis must find the body on a floor
_NEAR_FLOOR, _SLOW = 0.03, 0.15  # of the body's height, and that a second
USUAL_RATES = (
    12,
    15,
    20,
    24,
    25,
    30,
    40,
    48,
    50,
    60,
    72,
    75,
    90,
    100,
    120,
    125,
    144,
    150,
    160,
    180,
    200,
    240,
    250,
    300,
    480,
)
NTSC = 1000 / 1001  # 29.97 and 119.88 are 30 and 120 times this
_UP_AXES = {"x": (0, 1), "y": (1, 1), "z": (2, 1), "-x": (0, -1), "-y": (1, -1), "-z": (2, -1)}


def body_height(clip: Clip) -> float | None:
    """How tall a character is in metres, by its legs; None without legs."""
    leg = leg_length(clip)
    return None if leg is None else leg / _LEG_OF_HEIGHT


def find_wrong_size(clip: Clip) -> Iterator[Finding]:
    """A character of a size that people do not have: a wrong unit.

    The step that mends it is given where one unit, and no other, makes an adult of it, and it is far off: inches for
    centimetres are closer to each other than a fox, a child and a giant are. Robots stay as they are.
    """
    height, (low, high) = body_height(clip), USUAL_HEIGHTS
    if height is None:
        low, high = _ANY_HEIGHTS
        size = clip.skeleton.height
        if size > 0.0 and not low <= size <= high:  # one joint, or joints on a plane, say nothing about a unit
            yield Finding(
                "unusual-size",
                f"The character is {size:.3g} m tall; people are 0.5 to 2.3 m.",
                remedy="If the unit was guessed wrongly, give it: --unit cm (or m, in, mm ...).",
            )
        return
    if low <= height <= high:
        return
    low_adult, high_adult = _ADULT_HEIGHTS
    fitting = [factor for factor in _UNITS if low_adult <= factor * height <= high_adult]
    yield Finding(
        "wrong-unit",
        f"By its legs the character is {height:.3g} m tall; people are {low:g} to {high:g} m.",
        remedy="If the unit was guessed wrongly, give it: --unit cm (or m, in, mm ...).",
        step={"op": "reinterpret", "scale": fitting[0]} if len(fitting) == 1 and robot_of(clip) is None else None,
    )


def trunk_rise(clip: Clip) -> Floats | None:
    """The direction (frames, 3) from the hips to the head; None where they are not known.

    Robots may have either at the hips, with their shape alone above; then the next joint below counts.
    """
    roles = clip.skeleton.roles
    for top in (roles[role] for role in ("head", "neck", "chest") if role in roles and "hips" in roles):
        trunk = clip.positions()[:, top] - clip.positions()[:, roles["hips"]]
        length = np.linalg.norm(trunk, axis=1, keepdims=True)
        if length.min() > _LEAST_TRUNK * clip.skeleton.height:
            return np.asarray(trunk / length)
    return None


def trunk_lean_deg(clip: Clip) -> float | None:
    """How far the trunk is off the vertical on average, in degrees; None where it is not known."""
    trunk = trunk_rise(clip)
    return None if trunk is None else float(np.rad2deg(np.mean(np.arccos(np.clip(trunk[:, 1], -1.0, 1.0)))))


def find_wrong_up(clip: Clip) -> Iterator[Finding]:
    """A body that lies all the time, though no floor bears it there.

    What carries a body is level, and rests: seen along the axis that is up, its lowest point is nearly always at one
    height and slow, and along other axes it wanders. So a sleeper is left alone, and the step that mends it is given
    where another axis makes the body stand on a floor.
    """
    trunk = trunk_rise(clip)
    if trunk is None:
        return
    rise = trunk[:, 1]
    if not (float(np.mean(rise)) < _UPRIGHT and float(np.mean(rise < _STANDING)) > 0.9):
        return
    borne = _borne_shares(clip)
    mean = {name: sign * float(np.mean(trunk[:, axis])) for name, (axis, sign) in _UP_AXES.items()}
    standing = [name for name in _UP_AXES if mean[name] > _STANDING]
    best = max(standing, key=lambda name: borne[name], default=None)
    if best is not None and borne["y"] > borne[best] + _BETTER:
        return
    sure = best is not None and borne[best] > borne["y"] + _BETTER
    way = "is upside down" if float(np.mean(rise)) < -_UPRIGHT else "lies"
    yield Finding(
        "wrong-up",
        f"The body {way} all the time, as if another axis were up.",
        remedy=f"If so, read it with --up {'z' if clip.source.up == 'y' else 'y'}.",
        step={"op": "reinterpret", "up_axis": best} if sure else None,
    )


def _borne_shares(clip: Clip) -> dict[str, float]:
    """In which share of the frames the body's lowest point along each axis is slow and on the level of most others."""
    positions = clip.positions()[:, sorted(clip.skeleton.body)]
    height = max(clip.skeleton.height, 1e-9)
    steps = np.gradient(positions, axis=0) if len(clip) > 1 else np.zeros_like(positions)
    speed = np.linalg.norm(steps, axis=2) * clip.fps
    shares = {}
    for name, (axis, sign) in _UP_AXES.items():
        heights = sign * positions[..., axis]
        lowest = heights.argmin(axis=1)[:, None]
        level = np.take_along_axis(heights, lowest, axis=1)[:, 0]
        slow = np.take_along_axis(speed, lowest, axis=1)[:, 0] < _SLOW * height
        shares[name] = float(np.mean(slow & (np.abs(level - np.median(level)) < _NEAR_FLOOR * height)))
    return shares


def nearest_rate(fps: float) -> float:
    """The usual frame rate that is nearest."""
    usual = [rate * factor for rate in USUAL_RATES for factor in (1.0, NTSC)]
    return min(usual, key=lambda rate: abs(rate - fps))


def is_usual_rate(fps: float) -> bool:
    """Whether cameras or engines have a frame rate."""
    nearest = nearest_rate(fps)
    return abs(nearest - fps) <= 1e-3 * nearest


def find_unusual_rate(clip: Clip) -> Iterator[Finding]:
    """A frame rate that neither cameras nor engines have."""
    nearest = nearest_rate(clip.fps)
    if not is_usual_rate(clip.fps):
        yield Finding(
            "unusual-rate",
            f"{clip.fps:.6g} frames per second is an unusual rate; the nearest usual one is {nearest:g}.",
            remedy=f"If the file is wrong, read it with --fps-in {nearest:g}.",
        )
