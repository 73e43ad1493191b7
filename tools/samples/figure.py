"""The figure of the samples: 22 joints, 1.75 m tall, in T-pose facing +Z with its left side at +X.

Segment lengths are fractions of the height after Drillis and Contini (1966), with joint centres moved to where joints
turn. The foot has three points on the floor: the heel (an end site), the ball (under the toe joint) and the tip of
the toes (an end site), so that it can roll as feet do.
"""

from __future__ import annotations

import functools

import numpy as np

from kinetune.body.skeleton import EndSite, Skeleton
from kinetune.rotations import Floats

HEIGHT = 1.75
ANKLE_HEIGHT = 0.068
THIGH = 0.429
SHANK = 0.431
LEG = ANKLE_HEIGHT + THIGH + SHANK
"""Height of the hip joints when the legs are straight: gait lengths are given as fractions of it."""
HIP_HALF_WIDTH = 0.091
HEEL_BEHIND = 0.050
BALL_AHEAD = 0.135
BALL_HEIGHT = 0.020
TOES = 0.070
UPPER_ARM = 0.326
FOREARM = 0.256
HAND = 0.155
ARM = UPPER_ARM + FOREARM

_BODY: tuple[tuple[str, str | None, tuple[float, float, float]], ...] = (
    ("Hips", None, (0.0, LEG, 0.0)),
    ("Spine", "Hips", (0.0, 0.105, -0.012)),
    ("Spine1", "Spine", (0.0, 0.125, -0.006)),
    ("Spine2", "Spine1", (0.0, 0.130, -0.004)),
    ("Neck", "Spine2", (0.0, 0.165, 0.006)),
    ("Head", "Neck", (0.0, 0.115, 0.016)),
)
_ARM: tuple[tuple[str, str, tuple[float, float, float]], ...] = (
    ("Shoulder", "Spine2", (0.026, 0.132, 0.012)),
    ("Arm", "{side}Shoulder", (0.160, 0.000, -0.012)),
    ("ForeArm", "{side}Arm", (UPPER_ARM, 0.0, 0.0)),
    ("Hand", "{side}ForeArm", (FOREARM, 0.0, 0.0)),
)
_LEG: tuple[tuple[str, str, tuple[float, float, float]], ...] = (
    ("UpLeg", "Hips", (HIP_HALF_WIDTH, 0.0, 0.0)),
    ("Leg", "{side}UpLeg", (0.0, -THIGH, 0.0)),
    ("Foot", "{side}Leg", (0.0, -SHANK, 0.0)),
    ("ToeBase", "{side}Foot", (0.0, BALL_HEIGHT - ANKLE_HEIGHT, BALL_AHEAD)),
)
_TIPS: tuple[tuple[str, str, tuple[float, float, float]], ...] = (
    ("Head", "HeadTop", (0.0, HEIGHT - LEG - 0.640, 0.0)),
    ("{side}Hand", "{side}Fingertips", (HAND, 0.0, 0.0)),
    ("{side}Foot", "{side}Heel", (0.0, -ANKLE_HEIGHT, -HEEL_BEHIND)),
    ("{side}ToeBase", "{side}ToeTip", (0.0, -BALL_HEIGHT, TOES)),
)
SIDES = ("Left", "Right")

# Segments as (share of the mass, from, to, where between them the centre lies); limbs count for each side.
_SEGMENTS: tuple[tuple[float, str, str, float], ...] = (
    (0.081, "Neck", "Head", 1.15),
    (0.497, "Hips", "Neck", 0.50),
    (0.028, "{side}Arm", "{side}ForeArm", 0.45),
    (0.022, "{side}ForeArm", "{side}Hand", 0.70),
    (0.100, "{side}UpLeg", "{side}Leg", 0.43),
    (0.0465, "{side}Leg", "{side}Foot", 0.43),
    (0.0145, "{side}Foot", "{side}ToeBase", 0.50),
)


def side_sign(side: str) -> float:
    """+1 for the left side, which lies at +X, and -1 for the right."""
    return 1.0 if side == "Left" else -1.0


@functools.cache
def figure() -> Skeleton:
    """The skeleton of every sample."""
    names: list[str] = []
    parents: list[int] = []
    offsets: list[tuple[float, float, float]] = []

    def add(name: str, parent: str | None, offset: tuple[float, float, float]) -> None:
        parents.append(-1 if parent is None else names.index(parent))
        names.append(name)
        offsets.append(offset)

    for name, parent, offset in _BODY:
        add(name, parent, offset)
    for limb in (_ARM, _LEG):
        for side in SIDES:
            for part, above, (x, y, z) in limb:
                add(side + part, above.format(side=side), (x * side_sign(side) + 0.0, y, z))
    sites = []
    for parent, name, (x, y, z) in _TIPS:
        for side in SIDES if "{side}" in parent else ("Left",):
            joint = names.index(parent.format(side=side))
            sites.append(EndSite(joint, (x * side_sign(side) + 0.0, y, z), name.format(side=side)))
    return Skeleton(tuple(names), np.array(parents), np.array(offsets), tuple(sites))


def segments(positions: Floats) -> tuple[Floats, Floats]:
    """The body's segments: their shares of the mass (segments,), and their centres (frames, segments, 3).

    Mass shares after Winter, "Biomechanics and Motor Control of Human Movement".

    Parameters
    ----------
    positions : (frames, 22, 3) joints of :func:`figure`.
    """
    at = figure().index
    shares, centres = [], []
    for share, start, end, where in _SEGMENTS:
        for side in SIDES if "{side}" in start else ("Left",):
            a, b = positions[:, at(start.format(side=side))], positions[:, at(end.format(side=side))]
            shares.append(share)
            centres.append(a + where * (b - a))
    mass = np.array(shares)
    return mass / mass.sum(), np.stack(centres, axis=1)


def centre_of_mass(positions: Floats) -> Floats:
    """Where the body's weight acts, (frames, 3), from joint positions (frames, 22, 3) of :func:`figure`."""
    share, centres = segments(positions)
    return np.einsum("s,fsk->fk", share, centres)
