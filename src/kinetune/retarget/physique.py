"""A character as an anatomist sees it, independent of the axes, names and rest pose of its file.

=================  ==================================================================================
Physique           anatomical frames of the segments, lengths, soles
physique_of        reads it from a clip: its skeleton, and how it stands and bends
rest_clip          a skeleton without motion as a clip of one frame
=================  ==================================================================================
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.floor import Floor, Ground, find_ground
from kinetune.body.feet.soles import SIDES, UP, bone_offsets
from kinetune.body.kinematics.anatomy import find_frames, frame_of
from kinetune.body.kinematics.forward import forward
from kinetune.body.kinematics.knees import Leg
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError, SkeletonMismatchError
from kinetune.retarget.fingers import finger_frames, finger_roles
from kinetune.rotations import Floats

LEG = ("upper leg", "lower leg", "foot")
ARM = ("upper arm", "lower arm", "hand")
_REST_FPS = 30.0
_SHORTEST = 1e-4  # metres; a leg that is shorter is none


@dataclass(frozen=True, eq=False)
class Physique:
    """A character as an anatomist sees it.

    Parameters
    ----------
    clip : Clip
        What it was read from.
    roles : mapping from str to int
        Role to joint, those of fingers included ("left index 1").
    axes : array, shape (joints, 4)
        The anatomical frame of each joint's segment (X left, Y up along the segment, Z ahead; all are parallel in the
        neutral pose) in the frame of the joint.
    neutral : array, shape (joints, 4)
        Local rotations of the reference pose.
    offsets : array, shape (joints, 3)
        Positions in the parents' frames.
    leg, arm : float
        Metres: hip to ankle along the bones, and shoulder to wrist.
    ankle_height : float
        How far the ankle is above the sole.
    hips_to_centre : array, shape (3,)
        From the joint of the hips to the middle between the hip joints, in the frame of the hips' joint.
    ground : Ground
        The soles, and the floor that the clip stands on.
    centres : mapping from str to (int, array)
        Role to a joint and the point in its frame about which the part turns, where that is not the joint itself: the
        three hinges of a robot's hip.
    """

    clip: Clip
    roles: Mapping[str, int]
    axes: Floats
    neutral: Floats
    offsets: Floats
    leg: float
    arm: float
    ankle_height: float
    hips_to_centre: Floats
    ground: Ground
    centres: Mapping[str, tuple[int, Floats]] = field(default_factory=dict)

    @property
    def skeleton(self) -> Skeleton:
        """The joints."""
        return self.clip.skeleton

    def centre(self, role: str) -> tuple[int, Floats]:
        """The joint that carries the centre of a part, and the centre in its frame."""
        return self.centres.get(role, (self.roles[role], np.zeros(3)))

    def centre_positions(self, role: str, positions: Floats, world: Floats) -> Floats:
        """Where the centre of a part is, given positions (..., joints, 3) and world rotations (..., joints, 4)."""
        joint, offset = self.centre(role)
        return np.asarray(positions[..., joint, :] + rot.rotate(world[..., joint, :], offset))

    def limb(self, side: str, parts: tuple[str, str, str]) -> Leg:
        """An arm or a leg, and the axis about which its elbow or knee flexes, as the anatomical frames have it.

        How the limb is bent in a clip does not show this axis where it is bent the wrong way.
        """
        upper, lower, end = (self.roles[f"{side} {part}"] for part in parts)
        flexes = 1.0 if parts == LEG else -1.0
        return Leg(upper, lower, end, rot.rotate(self.axes[upper], np.array([flexes, 0.0, 0.0])))

    def reference(self) -> tuple[Floats, Floats]:
        """Positions (joints, 3) and world rotations (joints, 4) of the reference pose, the first joint at the origin.

        Joints sit at :attr:`offsets`.
        """
        moved = np.array(self.offsets)[None]
        positions, world = forward(self.skeleton, np.zeros((1, 3)), self.neutral[None], moved)
        return positions[0], world[0]


def rest_clip(skeleton: Skeleton) -> Clip:
    """A skeleton at rest as a clip of one frame."""
    return Clip(skeleton, _REST_FPS, np.zeros((1, 3)), rot.normalize(np.array(skeleton.rest))[None])


def physique_of(
    clip: Clip,
    name: str = "the clip",
    *,
    centres: Mapping[str, tuple[int, Floats]] | None = None,
    ground: Ground | None = None,
    mapped: bool = False,
) -> Physique:
    """The build of a clip's character.

    Parameters
    ----------
    clip : Clip
        Its motion shows how it stands, and about which axes its knees and elbows bend.
    name : str
        What errors call it.
    centres : mapping, optional
        As in :class:`Physique`.
    ground : Ground, optional
        The soles, where they are known; found if omitted.
    mapped : bool
        Whether a person has said which joints stand for each other: then a body that is not recognised as a human one
        takes its rest pose as neutral.

    Raises
    ------
    SkeletonMismatchError
        For a skeleton without hips and legs, or one that does not stand like a human body.
    """
    skeleton, roles = clip.skeleton, clip.skeleton.roles
    needed = ["hips", *(f"{side} {part}" for side in SIDES for part in LEG)]
    missing = [role for role in needed if role not in roles]
    if missing and not (mapped and "hips" in roles):
        listed = f'"{missing[0]}"' if len(missing) == 1 else f'"{missing[0]}" and {len(missing) - 1} more'
        raise SkeletonMismatchError(
            f"{_capital(name)} cannot be retargeted: its skeleton shows no joint in the role {listed}. "
            "Name its joints in a bone map (--map); what was recognised is shown by kinetune info FILE."
        )
    if missing:
        return _resting(clip)
    floor = find_ground(clip) if ground is None else ground
    try:
        frames = find_frames(clip, floor, upright=True)
    except ParameterError:
        if mapped:
            return _resting(clip)
        raise SkeletonMismatchError(
            f"{_capital(name)} cannot be retargeted: neither its rest pose nor its mean pose stands upright like a "
            "human body. Give a clip in which it stands; animals and other bodies need a bone map (--map)."
        ) from None
    offsets = np.array(bone_offsets(clip))
    world = frames.world
    parents = skeleton.parents
    above = world[np.maximum(parents, 0)]
    neutral = np.where((parents < 0)[:, None], world, rot.multiply(rot.inverse(above), world))
    positions = forward(skeleton, np.zeros((1, 3)), neutral[None], offsets[None])[0][0]
    named = {**roles, **finger_roles(skeleton)}
    segments = np.stack([frames.of(joint) for joint in range(len(skeleton))])
    for joint, frame in finger_frames(skeleton, named, positions, world, segments).items():
        segments[joint] = frame
    points = centres or {}

    def at(role: str) -> Floats:
        joint, offset = points.get(role, (roles[role], np.zeros(3)))
        return np.asarray(positions[joint] + rot.rotate(world[joint], offset))

    def length(side: str, parts: tuple[str, ...]) -> float:
        pairs = itertools.pairwise(parts)
        return float(sum(np.linalg.norm(at(f"{side} {a}") - at(f"{side} {b}")) for a, b in pairs))

    leg = float(np.mean([length(side, LEG) for side in SIDES]))
    if (
        floor is None
        or leg < _SHORTEST
        or min(length(side, LEG[i : i + 2]) for side in SIDES for i in (0, 1)) < _SHORTEST
    ):
        raise SkeletonMismatchError(
            f"{_capital(name)} cannot be retargeted: a bone of its legs has no length. "
            "Export it with its skeleton in the rest pose."
        )
    arms = [length(side, ARM) for side in SIDES if all(f"{side} {part}" in roles for part in ARM)]
    hips = roles["hips"]
    left, right = at("left upper leg"), at("right upper leg")
    heels = [
        -_below(point.offset, world[point.joint], segments[point.joint])
        for foot in floor.feet
        for point in foot.points
        if point.name == "heel"
    ]
    return Physique(
        clip,
        named,
        rot.multiply(rot.inverse(world), segments),
        neutral,
        offsets,
        leg,
        float(np.mean(arms)) if arms else 0.0,
        float(np.mean(heels)),
        rot.rotate(rot.inverse(world[hips]), 0.5 * (left + right) - positions[hips]),
        floor,
        points,
    )


def _resting(clip: Clip) -> Physique:
    """A body that is not a human one: its rest pose is neutral, and no floor is known to it."""
    skeleton = clip.skeleton
    world, positions, count = skeleton.rest_rotations, skeleton.rest_positions, len(skeleton)
    sides = [[j for role, j in skeleton.roles.items() if role.startswith(f"{side} ")] for side in SIDES]
    across = np.array([1.0, 0.0, 0.0])
    if all(sides):
        apart = (positions[sides[0]].mean(axis=0) - positions[sides[1]].mean(axis=0)) * [1.0, 0.0, 1.0]
        across = apart if np.linalg.norm(apart) > _SHORTEST else across
    frame = np.broadcast_to(frame_of(UP, across), (count, 4))
    size = max(skeleton.height, _SHORTEST)
    return Physique(
        clip,
        skeleton.roles,
        rot.multiply(rot.inverse(world), frame),
        np.array(skeleton.rest),
        np.array(bone_offsets(clip)),
        size,
        size,
        0.0,
        np.zeros(3),
        Ground(Floor(), (), size),
    )


def _below(offset: tuple[float, float, float], world: Floats, segment: Floats) -> float:
    """How far a point of the sole is above its joint, along the up axis of the foot."""
    return float(rot.rotate(rot.multiply(rot.inverse(segment), world), np.array(offset))[1])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
