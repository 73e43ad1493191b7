"""The human body as an anatomist sees it: frames of its segments, and the ranges of its joints.

==================  ==================================================================================
human_limits        the limits of a character's joints
HUMAN               the ranges, in degrees
find_frames         the anatomical frame of each segment in a reference pose
==================  ==================================================================================

Frames: X to the character's left, Y up along the segment, Z ahead; all are parallel in the neutral pose, which is to
stand with arms hanging and elbows bending forwards. A file's own frames say nothing of this, and its rest pose may be a
T, an A, or splayed legs. So frames are read from the shape: a thigh points from hip to knee, and the axis about which
the knee bends shows how it is rolled. What has no such axis (spine, neck, collars) takes the rest pose as neutral, or
the mean pose of the clip where the rest pose is not that of a standing character.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.floor import Ground, find_ground
from kinetune.body.feet.soles import SIDES, UP
from kinetune.body.kinematics.forward import forward
from kinetune.body.kinematics.joint_limits import JointLimit, Range
from kinetune.body.kinematics.limb_ik import hinge_axis
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

_X, _Y, _Z = 0, 1, 2
_FREE = (-np.inf, np.inf)
_UPRIGHT = np.cos(np.deg2rad(40.0))
_BENDS = np.deg2rad(25.0)
_AGREES = np.cos(np.deg2rad(60.0))
_UPWARDS = (("hips", "head"), ("left foot", "hips"), ("right foot", "hips"))


@dataclass(frozen=True)
class Movement:
    """What a joint can do, in degrees, given for the left side.

    x, y, z : least and greatest rotation about the three axes. labels : what these are called.
    twist : the axis of the twist; the other two span the cone of swings.
    """

    x: Range
    y: Range
    z: Range
    labels: tuple[str, str, str] = ("flexion", "rotation", "abduction")
    twist: int = _Y


# Active ranges of adults as textbooks have them, each at its upper end or a little beyond: a limit should stop what no
# body does, not what a supple one does. Captures trade twist between upper arm and hand at will, so that these two are
# free. Signs are those of rotations about the axes: bending forwards is positive for the spine and negative for limbs.
HUMAN: Mapping[str, Movement] = {
    "upper leg": Movement((-140.0, 45.0), (-55.0, 55.0), (-40.0, 85.0)),
    "lower leg": Movement((-5.0, 155.0), (-40.0, 40.0), (-20.0, 20.0), twist=_X),
    "foot": Movement((-45.0, 70.0), (-45.0, 45.0), (-40.0, 40.0), ("plantarflexion", "rotation", "inversion")),
    "toes": Movement((-80.0, 60.0), (-35.0, 35.0), (-35.0, 35.0), twist=_X),
    "spine": Movement((-50.0, 110.0), (-45.0, 45.0), (-50.0, 50.0), ("flexion", "rotation", "side bend")),
    "head": Movement((-70.0, 60.0), (-85.0, 85.0), (-50.0, 50.0), ("flexion", "rotation", "side bend")),
    "collar": Movement((-40.0, 40.0), (-35.0, 30.0), (-20.0, 45.0), ("twist", "retraction", "elevation"), twist=_X),
    "upper arm": Movement((-125.0, 125.0), _FREE, (-125.0, 125.0), ("swing", "rotation", "swing")),
    "lower arm": Movement((-155.0, 10.0), (-110.0, 110.0), (-35.0, 35.0), twist=_X),
    "hand": Movement((-90.0, 90.0), _FREE, (-90.0, 90.0), ("bend", "rotation", "bend")),
}
"""Ranges by part of the body. Those of the spine and of neck and head are for all of their joints together."""

_LEG_PARTS = frozenset({"upper leg", "lower leg", "foot", "toes"})
_ARM_CENTRE = np.array([0.75, -0.1, 0.65])
"""Where a left arm points in the middle of what it can reach: out, ahead and a little down."""
SHARED = 2.4
"""Several joints that share a range do not share it evenly."""


@dataclass(frozen=True)
class Frames:
    """The anatomical frames of a character in its reference pose.

    world : (joints, 4) rotations of the joints in that pose.
    segments : joint to the rotation (4,) of its segment's frame, both in world axes; figure : that of the whole body.
    """

    world: Floats
    figure: Floats
    segments: Mapping[int, Floats]

    def of(self, joint: int) -> Floats:
        """The frame of a joint's segment; the character's if it has none."""
        return self.segments.get(joint, self.figure)


def human_limits(clip: Clip, *, scale: float = 1.0, parts: Collection[str] | None = None) -> list[JointLimit]:
    """The limits of a human's joints, for those that can be distinguished.

    Parameters
    ----------
    clip : the skeleton, and the motion that shows how its knees and elbows bend.
    scale : every range multiplied by this; 0.5 is a stiff character.
    parts : those of :data:`HUMAN` that are wanted; all by default.

    Raises
    ------
    ParameterError
        For a skeleton that does not stand like a human body, or has no parts that are known.
    """
    limited = HUMAN.keys() if parts is None else parts
    frames = find_frames(clip, arms=not _LEG_PARTS.issuperset(limited))
    roles = clip.skeleton.roles
    limits = []
    for side in SIDES:
        for part in limited:
            joint, movement = roles.get(f"{side} {part}"), HUMAN[part]
            if joint is not None:
                limits.append(_limit(clip, frames, joint, movement, side, part == "upper arm"))
    for group, part in (("spine", "spine"), ("head", "head")):
        joints = _trunk(clip, group) if part in limited else []
        for joint in joints:
            shared = _scaled(HUMAN[part], min(1.0, SHARED / len(joints)))
            limits.append(_limit(clip, frames, joint, shared, "left", False))
    if not limits:
        raise ParameterError(
            "No part of this skeleton is recognised, so that no human limits apply. "
            "Give limits for its joints by name; what was recognised is shown by kinetune info FILE."
        )
    limits = limits if scale == 1.0 else [limit.scaled(scale) for limit in limits]
    return sorted(limits, key=lambda limit: limit.joint)


def _trunk(clip: Clip, group: str) -> list[int]:
    """The joints of the spine above the hips, or of neck and head."""
    roles = clip.skeleton.roles
    if group == "spine":
        chest, hips = roles.get("chest"), roles.get("hips")
        joints = [] if chest is None or hips is None else [j for j in clip.skeleton.chain(chest) if j != hips]
        return [j for j in joints if clip.skeleton.parents[j] >= 0 and hips in clip.skeleton.chain(j)]
    head, chest = roles.get("head"), roles.get("chest")
    if head is None or chest is None or chest not in clip.skeleton.chain(head):
        return []
    return [j for j in clip.skeleton.chain(head, chest) if j != chest]


def _scaled(movement: Movement, scale: float) -> Movement:
    x, y, z = ((scale * a, scale * b) for a, b in (movement.x, movement.y, movement.z))
    return replace(movement, x=x, y=y, z=z)


def _limit(clip: Clip, frames: Frames, joint: int, movement: Movement, side: str, centred: bool) -> JointLimit:
    parent = int(clip.skeleton.parents[joint])
    upper = rot.identity() if parent < 0 else frames.world[parent]
    above = rot.multiply(rot.inverse(upper), frames.of(_segment_above(clip, joint)))
    below = rot.multiply(rot.inverse(frames.world[joint]), frames.of(joint))
    between = limit_between(joint, movement, side, centred=centred)
    return replace(between, above=_four(rot.multiply(above, np.array(between.above))), own=_four(below))


def limit_between(joint: int, movement: Movement, side: str, *, centred: bool = False) -> JointLimit:
    """A range that is read between the anatomical frames of the segment above and of the joint's own.

    Parameters
    ----------
    joint : its index. movement : what it can do, given for the left side. side : "left" or "right".
    centred : whether the range is that of a shoulder, about the middle of what an arm can reach.
    """
    ranges = [movement.x, movement.y, movement.z]
    above = rot.identity()
    if side == "right":  # seen in a mirror, rotations about Y and Z are reversed
        ranges = [ranges[0], *((-b, -a) for a, b in ranges[1:])]
    if centred:
        out = _ARM_CENTRE * ([1.0, 1.0, 1.0] if side == "left" else [-1.0, 1.0, 1.0])
        above = rot.between([0.0, -1.0, 0.0], out)
    x, y, z = ((float(np.deg2rad(a)), float(np.deg2rad(b))) for a, b in ranges)
    return JointLimit(joint, movement.labels, (x, y, z), movement.twist, _four(above))


def _four(q: Floats) -> tuple[float, float, float, float]:
    w, x, y, z = q.tolist()
    return w, x, y, z


def _segment_above(clip: Clip, joint: int) -> int:
    """The joint whose segment carries this one: the nearest above it that has a role."""
    known = set(clip.skeleton.roles.values())
    way = clip.skeleton.chain(joint)[:-1]
    return next((above for above in reversed(way) if above in known), way[-1] if way else -1)


# --- frames


def find_frames(clip: Clip, ground: Ground | None = None, *, upright: bool = False, arms: bool = True) -> Frames:
    """The anatomical frames of a clip's character.

    Parameters
    ----------
    ground : its floor and soles; found if omitted.
    upright : whether the mean pose, where it is needed, is that of the most upright frames, so that a clip of a person
        who bends down does not take a bent trunk as neutral.
    arms : whether those of arms are wanted.
    """
    positions, world = _reference(clip, upright)
    roles = clip.skeleton.roles
    figure = _figure(clip, positions)
    segments: dict[int, Floats] = {}
    for side in SIDES:
        for parts, forwards in ((("upper leg", "lower leg", "foot"), -1.0), (("upper arm", "lower arm", "hand"), 1.0)):
            joints = [roles.get(f"{side} {part}") for part in parts]
            if forwards > 0.0 and not arms:
                continue
            if None not in joints:
                upper, lower, end = (int(joint) for joint in joints if joint is not None)
                segments.update(_limb(clip, positions, world, (upper, lower, end), forwards, figure))
            elif forwards > 0.0 and joints[0] is not None and joints[1] is not None:
                segments.update(_arm_without_hand(clip, positions, world, joints[0], joints[1], figure))
    for joint, local in _feet(clip, ground).items():
        segments[joint] = rot.multiply(world[joint], local)
        for child in clip.skeleton.children[joint]:
            segments[child] = segments[joint]  # toes are neutral as they are in the reference pose
    hands = [roles[f"{side} hand"] for side in SIDES if roles.get(f"{side} hand") in segments]
    turned = [_along_hand(clip, positions, world, hand, segments[hand]) for hand in hands]
    if all(hand is not None for hand in turned):
        segments.update((hand, frame) for hand, frame in zip(hands, turned, strict=True) if frame is not None)
    return Frames(world, figure, segments)


def _reference(clip: Clip, upright: bool) -> tuple[Floats, Floats]:
    """Positions (joints, 3) and world rotations (joints, 4) of a standing pose: the rest pose, or the clip's mean."""
    skeleton = clip.skeleton
    rest = skeleton.rest_positions, skeleton.rest_rotations
    if _stands(clip, rest[0]):
        return rest
    mean = rot.mean(clip.rotations[_most_upright(clip)] if upright else clip.rotations)[None]
    moved = None if clip.translations is None else np.median(clip.translations, axis=0)[None]
    positions, world = forward(skeleton, np.zeros((1, 3)), mean, moved)
    if _stands(clip, positions[0]):
        return positions[0], world[0]
    raise ParameterError(
        "Human limits do not fit this clip: neither its rest pose nor its mean pose stands upright like a human "
        "figure. Give limits for its joints by name."
    )


def _most_upright(clip: Clip) -> NDArray[np.intp]:
    """The fifth of the frames in which trunk and legs are nearest to upright."""
    roles, positions = clip.skeleton.roles, clip.positions()
    steps = [positions[:, roles[b]] - positions[:, roles[a]] for a, b in _UPWARDS if a in roles and b in roles]
    if not steps:
        return np.arange(len(clip))
    rise = [step[:, 1] / np.maximum(np.linalg.norm(step, axis=1), 1e-9) for step in steps]
    return np.argsort(-np.min(rise, axis=0), kind="stable")[: max(1, len(clip) // 5)]


def _stands(clip: Clip, positions: Floats) -> bool:
    """Whether trunk and legs are upright."""
    roles = clip.skeleton.roles
    up = [(low, high) for low, high in _UPWARDS if low in roles]
    steps = [positions[roles[high]] - positions[roles[low]] for low, high in up if high in roles]
    lengths = [float(np.linalg.norm(step)) for step in steps]
    return all(step[1] > _UPRIGHT * length for step, length in zip(steps, lengths, strict=True) if length > 1e-9)


def _figure(clip: Clip, positions: Floats) -> Floats:
    """The frame of the whole character: X from its right hip (or shoulder) to its left, Y up.

    Where hips and shoulders point in quite other directions, the wider pair is right: of hips fitted to few markers
    only their middle may be known.
    """
    roles = clip.skeleton.roles
    lines = []
    for part in ("upper leg", "upper arm"):
        left, right = (roles.get(f"{side} {part}") for side in SIDES)
        if left is not None and right is not None:
            lines.append((positions[left] - positions[right]) * np.array([1.0, 0.0, 1.0]))
    lines = [line for line in lines if np.linalg.norm(line) > 1e-9]
    if not lines:
        return rot.identity()
    sizes = [float(np.linalg.norm(line)) for line in lines]
    agree = lines[0] @ lines[-1] > _AGREES * sizes[0] * sizes[-1]
    return frame_of(UP, lines[0] if agree else lines[int(np.argmax(sizes))])


def frame_of(up: Floats, across: Floats) -> Floats:
    """The rotation (4,) whose Y axis is ``up`` and whose X axis lies as near to ``across`` as that allows."""
    y = up / max(float(np.linalg.norm(up)), 1e-12)
    x = across - y * float(across @ y)
    size = float(np.linalg.norm(x))
    if size < 1e-9:
        x = np.cross(y, np.eye(3)[int(np.argmin(np.abs(y)))])
        size = float(np.linalg.norm(x))
    x = x / size
    return rot.from_matrix(np.stack([x, y, np.cross(x, y)], axis=-1))


def _limb(
    clip: Clip,
    positions: Floats,
    world: Floats,
    joints: tuple[int, int, int],
    forwards: float,
    figure: Floats,
) -> dict[int, Floats]:
    """The frames of the two segments of a limb and of what follows; forwards: -1 for knees, 1 for elbows."""
    upper, lower, end = joints
    left, _, ahead = (rot.rotate(figure, axis) for axis in np.eye(3))
    if _most_bend(clip, upper, lower, end) > _BENDS:
        hinge = hinge_axis(clip, upper, lower, end)
    else:  # a slight bend may point in any direction
        bent = left if forwards < 0.0 else np.cross(positions[lower] - positions[upper], ahead)
        hinge = rot.rotate(rot.inverse(world[upper]), bent / max(float(np.linalg.norm(bent)), 1e-12))
    across = rot.rotate(world[upper], hinge) * -forwards
    if forwards < 0.0 and float(across @ left) < 0.0:  # a knee that was only ever seen bent the wrong way
        across, hinge = -across, -hinge
    # The same axis as the lower segment sees it, whichever way it was bent.
    chain = clip.skeleton.chain(lower, upper)
    between = clip.rotations[:, chain[0]]
    for joint in chain[1:]:
        between = rot.multiply(between, clip.rotations[:, joint])
    seen = rot.rotate(rot.inverse(between), np.broadcast_to(hinge, (len(clip), 3))).mean(axis=0)
    across_lower = rot.rotate(world[lower], seen) * -forwards
    first = frame_of(positions[upper] - positions[lower], across)
    second = frame_of(positions[lower] - positions[end], across_lower)
    return {upper: first, lower: second, end: second}


def _most_bend(clip: Clip, upper: int, lower: int, end: int) -> float:
    """How far the middle joint of a limb is bent at most, in radians."""
    positions = clip.positions()
    first, second = positions[:, lower] - positions[:, upper], positions[:, end] - positions[:, lower]
    sine = np.linalg.norm(np.cross(first, second), axis=-1)
    return float(np.arctan2(sine, np.sum(first * second, axis=-1)).max())


def _feet(clip: Clip, ground: Ground | None) -> dict[int, Floats]:
    """The frames of the feet in their joints' frames: Z along the sole, Y out of the floor."""
    ground = find_ground(clip) if ground is None else ground
    frames: dict[int, Floats] = {}
    for foot in () if ground is None else ground.feet:
        offsets = {point.name: np.array(point.offset) for point in foot.points if point.joint == foot.joint}
        if "heel" in offsets and "ball" in offsets:
            ahead = offsets["ball"] - offsets["heel"]
            ahead = ahead / max(float(np.linalg.norm(ahead)), 1e-12)
            up = ahead * float(offsets["heel"] @ ahead) - offsets["heel"]
            frames[foot.joint] = frame_of(up, np.cross(up, ahead))
    return frames


def _arm_without_hand(
    clip: Clip, positions: Floats, world: Floats, upper: int, lower: int, figure: Floats
) -> dict[int, Floats]:
    """The frames of an arm that ends at the elbow: its forearm points to its tips, or goes on straight."""
    along = positions[lower] - positions[upper]
    across = -np.cross(along, rot.rotate(figure, np.array([0.0, 0.0, 1.0])))
    ways = _ways_out(clip, positions, world, lower)
    return {upper: frame_of(-along, across), lower: frame_of(-np.mean(ways or [along], axis=0), across)}


def _ways_out(clip: Clip, positions: Floats, world: Floats, joint: int) -> list[Floats]:
    """From a joint to its children and end sites."""
    ways = [positions[child] - positions[joint] for child in clip.skeleton.children[joint]]
    sites = [site for site in clip.skeleton.end_sites if site.parent == joint]
    ways += [rot.rotate(world[joint], np.array(site.offset)) for site in sites]
    return [way for way in ways if np.linalg.norm(way) > 1e-6]


def _along_hand(clip: Clip, positions: Floats, world: Floats, hand: int, forearm: Floats) -> Floats | None:
    """The frame of a hand: the forearm's, swung onto the direction in which the hand points.

    None for a hand that carries one end alone, far off the line of the forearm: the tail of a bone that may point
    anywhere.
    """
    ways = _ways_out(clip, positions, world, hand)
    along = rot.rotate(forearm, np.array([0.0, -1.0, 0.0]))
    if not ways:
        return forearm
    if len(ways) == 1 and float(ways[0] @ along) < _AGREES * float(np.linalg.norm(ways[0])):
        return None
    return rot.multiply(rot.between(along, np.mean(ways, axis=0)), forearm)
