"""Fingers: their joints by what they are, under any naming scheme, and the frames of their segments.

================  ==================================================================================
finger_roles      "left index 1" ... to joint, from names; 1 is the knuckle nearest to the hand
finger_frames     anatomical frames of fingers and palm
================  ==================================================================================

A hand that hangs in the neutral pose has its thumb ahead and its palm towards the body, and a stretched finger
continues it. So frames have Y along the finger, from tip to knuckle, and Z along the knuckles, from pinky to index: the
axis of a curl. The frame of a hand whose fingers show its palm is turned accordingly: a palm that faces down at rest is
not one that faces ahead.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinetune import rotations as rot
from kinetune.body.feet.soles import SIDES
from kinetune.body.kinematics.anatomy import frame_of
from kinetune.body.roles.from_names import read_name, tokens
from kinetune.body.skeleton import Skeleton
from kinetune.rotations import Floats

FINGERS = ("thumb", "index", "middle", "ring", "pinky")
_WORDS = {**{name: name for name in FINGERS}, "mid": "middle", "pinkie": "pinky", "little": "pinky"}
_PALM = {"metacarpal", "carpal", "palm"}
_LONGEST = 4


def finger_roles(skeleton: Skeleton) -> dict[str, int]:
    """Role to joint for the fingers that names show, counted from the knuckle outwards.

    Bones inside the palm (metacarpals, but for the thumb's) are roles of their own, "left index palm"; tips without a
    segment of their own count like any other joint.
    """
    roles: dict[str, int] = {}
    chains = _chains(skeleton)
    for side in SIDES:
        if f"{side} hand" not in skeleton.roles:
            continue
        for finger in FINGERS:
            chain = chains.get((side, finger), [])
            palm = [joint for joint in chain if _PALM.intersection(tokens(skeleton.names[joint]))]
            if finger == "thumb" and len(chain) < _LONGEST:  # its metacarpal is the first of three joints
                palm = []
            outer = [joint for joint in chain if joint not in palm]
            if palm:
                roles[f"{side} {finger} palm"] = palm[0]
            for number, joint in enumerate(outer[:_LONGEST], start=1):
                roles[f"{side} {finger} {number}"] = joint
    return roles


def _chains(skeleton: Skeleton) -> dict[tuple[str, str], list[int]]:
    """The joints of each finger, each below the one before, by side and finger."""
    chains: dict[tuple[str, str], list[int]] = {}
    for joint, name in enumerate(skeleton.names):
        parts = read_name(name)
        finger = _finger_of(name) if parts.kind == "finger" else None
        if finger is None or parts.side is None:
            continue
        chain = chains.setdefault((parts.side, finger), [])
        if not chain or chain[-1] in skeleton.chain(joint):
            chain.append(joint)
    return chains


def _finger_of(name: str) -> str | None:
    """The finger that a name says, by a word or, as a Biped does, by a number: Finger0 is the thumb, Finger12 index."""
    words = tokens(name)
    named = next((_WORDS[word] for word in words if word in _WORDS), None)
    if named is not None or "finger" not in words:
        return named
    number = next((word for word in words[words.index("finger") + 1 :] if word.isdigit()), "")
    return FINGERS[int(number[0])] if number and int(number[0]) < len(FINGERS) else None


def finger_frames(
    skeleton: Skeleton, roles: Mapping[str, int], positions: Floats, world: Floats, segments: Floats
) -> dict[int, Floats]:
    """The frames (4,) of fingers, and of hands whose fingers show how the palm lies, in world axes.

    Parameters
    ----------
    positions, world : (joints, 3) and (joints, 4)
        The reference pose.
    segments : (joints, 4)
        The frames of the other segments in that pose.
    """
    frames: dict[int, Floats] = {}
    for side in SIDES:
        hand = roles.get(f"{side} hand")
        if hand is None:
            continue
        knuckles = {name: roles[f"{side} {name} 1"] for name in FINGERS if f"{side} {name} 1" in roles}
        across = _across(positions, knuckles, hand)
        if across is None:
            across = rot.rotate(segments[hand], np.array([0.0, 0.0, 1.0]))
        else:
            reach = np.mean([positions[joint] for joint in knuckles.values()], axis=0) - positions[hand]
            frames[hand] = _finger_frame(reach, across)
        for name in FINGERS:
            for number in ("palm", *range(1, _LONGEST + 1)):
                joint = roles.get(f"{side} {name} {number}")
                if joint is None:
                    continue
                along = _along(skeleton, positions, world, joint)
                if along is None:
                    parent = int(skeleton.parents[joint])
                    frames[joint] = frames.get(parent, segments[hand])
                elif name == "thumb":
                    base = frames.get(int(skeleton.parents[joint]), frames.get(hand, segments[hand]))
                    frames[joint] = rot.multiply(rot.between(rot.rotate(base, np.array([0.0, -1.0, 0.0])), along), base)
                else:
                    frames[joint] = _finger_frame(along, across)
    return frames


def _across(positions: Floats, knuckles: Mapping[str, int], hand: int) -> Floats | None:
    """From the outermost finger to the index, or None where too few knuckles are known or they lie on each other."""
    row = [knuckles[name] for name in FINGERS[1:] if name in knuckles]
    if len(row) < 2:
        return None
    line = positions[row[0]] - positions[row[-1]]
    reach = positions[row[0]] - positions[hand]
    flat = np.linalg.norm(np.cross(line, reach))
    return line if flat > 1e-3 * float(reach @ reach) + 1e-12 else None


def _finger_frame(along: Floats, across: Floats) -> Floats:
    """The frame of a segment that points along, with the row of knuckles across it."""
    return frame_of(-along, np.cross(across, along))


def _along(skeleton: Skeleton, positions: Floats, world: Floats, joint: int) -> Floats | None:
    """Where a segment points: to the next joint, or to its end site."""
    tips = [positions[child] for child in skeleton.children[joint]]
    tips += [
        positions[joint] + rot.rotate(world[joint], np.array(site.offset))
        for site in skeleton.end_sites
        if site.parent == joint
    ]
    ways = [tip - positions[joint] for tip in tips if np.linalg.norm(tip - positions[joint]) > 1e-6]
    return np.asarray(np.mean(ways, axis=0)) if ways else None
