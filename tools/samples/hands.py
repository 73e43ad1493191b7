"""Hands with fingers: how long the bones are, how a hand curls, and how its fingers trail behind it.

In the T-pose the palm looks down, the fingers point outwards and the thumb points ahead. Bone lengths are means of
adults after Buryanov and Kotiuk, "Proportions of hand segments", Int. J. Morphol. 28 (2010), with 26 mm of wrist below
the hand's long bones and 4 mm of flesh on the last bone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from tools.samples.acting import Curve
from tools.samples.curves import drift
from tools.samples.figure import side_sign

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.rotations import Floats

FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")
LONG_FINGERS = FINGERS[1:]

# Where each finger begins in the left hand, and its three bones, in metres.
_KNUCKLES = {
    "Thumb": (0.026, -0.008, 0.022),
    "Index": (0.092, 0.003, 0.025),
    "Middle": (0.090, 0.005, 0.004),
    "Ring": (0.083, 0.003, -0.016),
    "Pinky": (0.077, -0.002, -0.034),
}
_BONES = {
    "Thumb": (0.0462, 0.0316, 0.0257),
    "Index": (0.0398, 0.0224, 0.0198),
    "Middle": (0.0446, 0.0263, 0.0214),
    "Ring": (0.0414, 0.0257, 0.0213),
    "Pinky": (0.0327, 0.0181, 0.0200),
}
_THUMB_ALONG = np.array([0.74, -0.18, 0.65]) / np.linalg.norm([0.74, -0.18, 0.65])
_THUMB_CLOSES = np.array([0.20, -0.45, -0.87])  # where the tip of the thumb moves when it bends
_THUMB_AXIS = np.cross(_THUMB_ALONG, _THUMB_CLOSES) / np.linalg.norm(np.cross(_THUMB_ALONG, _THUMB_CLOSES))

# Degrees of the three joints of a finger in a fist, and of a thumb laid over it.
_FIST = (85.0, 100.0, 64.0)
_THUMB_FIST = (24.0, 48.0, 62.0)
_AWAY_FROM_PALM = 0.40  # of the opposition; the rest turns the thumb about the length of the hand
_STRAIGHT = -3.0  # knuckles of a stretched finger bend back a little
_LAGS = (0.0, 0.018, 0.032)  # seconds by which each joint follows the one before it
_FAN = (1.5, 0.5, -0.5, -1.5)  # share of the spread that each long finger takes
_NEIGHBOURS = 0.07  # fingers share muscles: each takes its neighbours along by this much
RELAXED = (0.25, 0.31, 0.35, 0.38)
"""How far the fingers of a hanging hand are curled, from index to little finger."""


@dataclass
class Hand:
    """What the fingers of a hand do.

    curl : (4,) or (frames, 4), from 0, straight, to 1, a fist; index to little finger.
    spread : degrees between neighbouring fingers, as far as they are straight.
    sideways : degrees by which all long fingers lean together, + towards the thumb.
    bend : degrees by which their knuckles bend beyond what the curl says.
    thumb : from 0, straight, to 1, laid over a fist.
    opposed : degrees by which the thumb is turned from beside the hand to before the palm.
    """

    curl: Floats | tuple[float, float, float, float] = field(default=RELAXED)
    spread: Curve = 1.5
    sideways: Curve = 0.0
    bend: Curve = 0.0
    thumb: Curve = 0.25
    opposed: Curve = 14.0

    def rotations(self, side: str, frames: int, fps: float) -> dict[str, Floats]:
        """Local rotations (frames, 4) of all finger joints of a side, by joint name."""
        sign = side_sign(side)
        curl = np.broadcast_to(np.asarray(self.curl, dtype=float), (frames, 4))
        spread, sideways, bend, thumb, opposed = (
            np.broadcast_to(np.asarray(c, dtype=float), (frames,))
            for c in (self.spread, self.sideways, self.bend, self.thumb, self.opposed)
        )
        rotations: dict[str, Floats] = {}
        for finger, fan, curled in zip(LONG_FINGERS, _FAN, curl.T, strict=True):
            names = finger_joints(side, finger)
            lean = (fan * spread + sideways) * np.clip(1.0 - curled, 0.0, 1.0)
            for name, full, lag in zip(names, _FIST, _LAGS, strict=True):
                bent = full * _later(curled, lag, fps)
                if name == names[0]:
                    bent = bent + bend + _STRAIGHT * np.clip(1.0 - 3.0 * curled, 0.0, 1.0)
                turns = np.radians(np.stack([lean if name == names[0] else 0.0 * curled, bent], axis=-1))
                rotations[name] = rot.from_euler(-sign * turns, "YZ")
        axis = _THUMB_AXIS * [1.0, sign, sign]
        for name, full, lag in zip(finger_joints(side, "Thumb"), _THUMB_FIST, _LAGS, strict=True):
            rotations[name] = rot.from_axis_angle(axis, np.radians(full * _later(thumb, lag, fps)))
        first = finger_joints(side, "Thumb")[0]
        away = np.radians(np.stack([-sign * _AWAY_FROM_PALM * opposed, (1.0 - _AWAY_FROM_PALM) * opposed], axis=-1))
        turned = rot.from_euler(away, "ZX")
        rotations[first] = rot.multiply(turned, rotations[first])
        return rotations


def finger_joints(side: str, finger: str) -> tuple[str, str, str]:
    """The names of a finger's joints, from the palm outwards."""
    return f"{side}Hand{finger}1", f"{side}Hand{finger}2", f"{side}Hand{finger}3"


def knuckle(side: str, finger: str) -> Floats:
    """(3,) where a finger begins, in the hand's frame."""
    return np.array(_KNUCKLES[finger]) * [side_sign(side), 1.0, 1.0]


def bones(side: str, finger: str) -> Floats:
    """(3, 3) the bones of a finger as offsets, each in the frame of the joint that it begins at."""
    along = _THUMB_ALONG if finger == "Thumb" else np.array([1.0, 0.0, 0.0])
    return np.array(_BONES[finger])[:, None] * along * [side_sign(side), 1.0, 1.0]


def together(curl: Floats) -> Floats:
    """What fingers do that shall curl by ``curl`` (frames, 4): each takes its neighbours along a little."""
    padded = np.pad(curl, ((0, 0), (1, 1)), mode="edge")
    return (1.0 - 2.0 * _NEIGHBOURS) * curl + _NEIGHBOURS * (padded[:, :-2] + padded[:, 2:])


def alive(times: Floats, curl: Floats, seed: int, size: float = 0.018) -> Floats:
    """Curls (frames, 4) or (4,) with the small unrest of fingers that nobody thinks of."""
    unrest = np.stack([drift(times, seed + k, 0.2, 0.8) for k in range(4)], axis=-1)
    return np.asarray(np.maximum(curl + size * (0.5 * unrest + 0.5 * unrest.mean(axis=1, keepdims=True)), 0.0))


def trail(clip: Clip, side: str, seconds: float = 0.022) -> tuple[Floats, Floats]:
    """How fingers trail behind a hand that turns: degrees sideways, + towards the thumb, and of bend; (frames,) each.

    Parameters
    ----------
    seconds : how late the fingers arrive.
    """
    turned = clip.world_rotations()[:, clip.skeleton.index(f"{side}Hand")]
    speed = rot.log(rot.multiply(rot.inverse(turned[:-1]), turned[1:])) * clip.fps
    speed = np.concatenate([speed, speed[-1:]])
    for _ in range(2):
        speed = _follow(speed, seconds, clip.fps)
    late = np.degrees(side_sign(side) * seconds * speed)
    return late[:, 1], late[:, 2]


def _follow(values: Floats, seconds: float, fps: float) -> Floats:
    """Values that run after given ones, by about some seconds."""
    share = 1.0 - np.exp(-1.0 / (seconds * fps))
    followed = values.copy()
    for k in range(1, len(values)):
        followed[k] = followed[k - 1] + share * (values[k] - followed[k - 1])
    return followed


def _later(curve: Floats, seconds: float, fps: float) -> Floats:
    frames = np.arange(len(curve))
    return np.interp(frames - seconds * fps, frames, curve)
