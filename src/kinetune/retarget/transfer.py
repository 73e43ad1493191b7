"""Stage one: the orientations of segments carried over to another body, frame by frame and in closed form.

==============  =====================================================================================
Transfer        what stage one says, for every solver of stage two
transfer_pose   finds it
==============  =====================================================================================

In anatomical frames (:mod:`kinetune.retarget.physique`) the thigh of one body is that of another: the world rotation of
a joint j is ``W'_j = W_j C_j C'_j^-1``, with C the frame of its segment as the joint sees it. Directions of limbs are
then those of the source, independent of rest poses and axes; bones in between stay neutral. Trunk and neck with equal
numbers of joints go one to one, others by their share of the length.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts
from kinetune.body.feet.soles import SIDES
from kinetune.body.roles.from_names import tokens
from kinetune.body.roles.joint_roles import find_roles
from kinetune.body.skeleton import Skeleton
from kinetune.retarget.fingers import finger_roles
from kinetune.retarget.footprints import FootCourse, track_feet
from kinetune.retarget.physique import ARM, LEG, Physique
from kinetune.rotations import Floats

TRUNKS = (("hips", "chest"), ("chest", "head"))
_TWIST_WORDS = {"twist", "roll", "twistbone"}
_SAME = 2e-3  # lengths that differ by less of a leg are the same


@dataclass(frozen=True, eq=False)
class Transfer:
    """What stage one says; the shapes are in the docstring of :mod:`kinetune.retarget`.

    ``same_body`` tells that both bodies have the same bones, perhaps rigged in other ways: then the pose in closed form
    is the result.
    """

    source: Physique
    target: Physique
    fps: float
    scale: float
    same_body: bool
    orientations: Mapping[str, Floats]
    directions: Mapping[str, Floats]
    points: Mapping[str, Floats]
    root: Floats
    rotations: Floats
    feet: tuple[FootCourse, ...]


def transfer_pose(clip: Clip, source: Physique, target: Physique, contacts: Contacts) -> Transfer:
    """The motion of a clip as another body should perform it.

    Parameters
    ----------
    clip : Clip
        The motion, of the skeleton of ``source``.
    source, target : Physique
        The two bodies.
    contacts : Contacts
        When the feet of the clip stand.

    Notes
    -----
    Law: the directions of limbs are the source's (``tests/retarget/test_transfer.py``).
    """
    scale, same = target.leg / source.leg, _same_body(source, target)
    anatomical = rot.multiply(clip.world_rotations(), source.axes)  # (frames, joints, 4)
    frame_of = _segment_frames(anatomical, source, target)
    world, local = _pose(clip, source, target, frame_of)
    joint_of = target.roles
    orientations = {role: world[:, joint_of[role]] for role in target.roles if joint_of[role] in frame_of}
    middle = _middle_of_hips(clip, source, target, scale, same)
    hips = joint_of["hips"]
    at_hips = middle - rot.rotate(world[:, hips], target.hips_to_centre)
    positions = _positions(target, world, at_hips)
    directions = {
        role: -rot.rotate(rot.multiply(world[:, joint], target.axes[joint]), np.array([0.0, 1.0, 0.0]))
        for role, joint in joint_of.items()
        if joint in frame_of
    }
    points = {role: target.centre_positions(role, positions, world) for role in joint_of}
    feet = track_feet(clip, source, target, contacts, orientations, points, scale=scale, same_body=same)
    return Transfer(
        source,
        target,
        clip.fps,
        scale,
        same,
        orientations,
        directions,
        points,
        positions[:, 0],
        local,
        feet,
    )


def _same_body(source: Physique, target: Physique) -> bool:
    """Whether all bones that carry weight have the same lengths."""
    if abs(source.leg - target.leg) > _SAME * source.leg:
        return False
    ends = []
    for body in (source, target):
        positions, world = body.reference()
        at = {role: body.centre_positions(role, positions, world) for role in body.roles}
        bones = [(f"{side} {a}", f"{side} {b}") for side in SIDES for a, b in itertools.pairwise(LEG)]
        bones += [(f"{side} {a}", f"{side} {b}") for side in SIDES for a, b in itertools.pairwise(ARM)]
        bones += [("left upper leg", "right upper leg")]
        bones += [(f"{side} foot", f"{side} toes") for side in SIDES]
        ends.append({bone: float(np.linalg.norm(at[bone[0]] - at[bone[1]])) for bone in bones if {*bone} <= at.keys()})
    if ends[0].keys() != ends[1].keys():
        return False
    return all(abs(length - ends[1][bone]) < _SAME * source.leg for bone, length in ends[0].items())


def _segment_frames(anatomical: Floats, source: Physique, target: Physique) -> dict[int, Floats]:
    """Joint of the target to the wanted frame (frames, 4) of its segment."""
    frames = {target.roles[role]: anatomical[:, j] for role, j in source.roles.items() if role in target.roles}
    hips, skeleton = target.roles["hips"], target.skeleton
    for joint in skeleton.chain(hips, int(skeleton.parents[skeleton.body_root])):
        frames.setdefault(joint, anatomical[:, source.roles["hips"]])  # what carries hips and spine turns with them
    for low, high in TRUNKS:
        if all(role in body.roles for role in (low, high) for body in (source, target)):
            ours, at = trunk_between(source, low, high)
            theirs, places = trunk_between(target, low, high)
            if ours and theirs:
                keys, base = [anatomical[:, joint] for joint in ours], anatomical[:, source.roles[low]]
                spans = [_spans(body, low, high) for body in (source, target)]
                if len(ours) != len(theirs) and spans[0] is not None and spans[1] is not None:
                    bent = _averages(keys, spans[0], spans[1])
                else:
                    bent = _spread(base, keys, at, places)
                frames |= zip(theirs, bent, strict=True)
    return frames


def _spans(body: Physique, low: str, high: str) -> Floats | None:
    """Where the bones of a back begin and end, (joints, 2), from 0 at its first joint to 1 at the neck.

    None where they are not known: necks, and robots, whose hinges in a row bend in one place.
    """
    chain, _ = trunk_between(body, low, high)
    if (low, high) != TRUNKS[0] or body.centres or "neck" not in body.roles:
        return None
    up = body.skeleton.chain(body.roles["neck"])
    if body.roles[high] not in up:
        return None
    above = up[up.index(body.roles[high]) + 1 :]
    sizes = np.linalg.norm(body.offsets[[*chain, *above]], axis=1)
    bones = np.append(sizes[1 : len(chain)], sizes[len(chain) :].sum())
    ends = np.concatenate([[0.0], np.cumsum(bones)]) / max(float(bones.sum()), 1e-9)
    return np.stack([ends[:-1], ends[1:]], axis=1)


def _averages(poses: list[Floats], ours: Floats, theirs: Floats) -> list[Floats]:
    """The mean orientation over each bone of another back, so that its curve, and where the neck is, are kept."""
    means = []
    for start, stop in theirs:
        shares = np.clip(np.minimum(ours[:, 1], stop) - np.maximum(ours[:, 0], start), 0.0, None)
        if shares.sum() < 1e-6:  # a bone without a length
            shares = np.eye(len(ours))[min(int(np.searchsorted(ours[:, 1], start, side="right")), len(ours) - 1)]
        first = poses[int(np.argmax(shares))]
        near = [pose * np.where(np.sum(pose * first, axis=-1, keepdims=True) < 0.0, -1.0, 1.0) for pose in poses]
        means.append(rot.normalize(np.sum([share * pose for share, pose in zip(shares, near, strict=True)], axis=0)))
    return means


def trunk_between(body: Physique, low: str, high: str) -> tuple[list[int], Floats]:
    """The joints above ``low`` up to ``high``, and where they lie: 0 is the first of them and 1 the last."""
    chain = [int(joint) for joint in body.skeleton.chain(body.roles[high])]
    if body.roles[low] not in chain:
        return [], np.zeros(0)
    chain = chain[chain.index(body.roles[low]) + 1 :]
    if not chain:
        return [], np.zeros(0)
    along = np.cumsum(np.linalg.norm(body.offsets[chain], axis=1))
    return chain, (along - along[0]) / max(float(along[-1] - along[0]), 1e-9)


def _spread(base: Floats, poses: list[Floats], at: Floats, places: Floats) -> list[Floats]:
    """Orientations at other places of a trunk: one to one, by place, or shared out from the joint below it."""
    if len(poses) == len(places):
        return poses
    if len(poses) == 1:
        return [rot.slerp(base, poses[0], (k + 1) / len(places)) for k in range(len(places))]
    spread = []
    for place in places if len(places) > 1 else [1.0]:
        k = int(np.clip(np.searchsorted(at, place), 1, len(at) - 1))
        share = float(np.clip((place - at[k - 1]) / max(at[k] - at[k - 1], 1e-9), 0.0, 1.0))
        spread.append(rot.slerp(poses[k - 1], poses[k], share))
    return spread


def _pose(clip: Clip, source: Physique, target: Physique, frame_of: Mapping[int, Floats]) -> tuple[Floats, Floats]:
    """World and local rotations (frames, joints, 4) of the target."""
    frames, parents = len(clip), target.skeleton.parents.tolist()
    local = np.array(np.broadcast_to(target.neutral, (frames, len(parents), 4)))
    world = np.empty_like(local)
    others = _same_names(source, target, frame_of)
    for joint, parent in enumerate(parents):
        above = rot.identity(frames) if parent < 0 else world[:, parent]
        if joint in frame_of:
            world[:, joint] = rot.multiply(frame_of[joint], rot.inverse(target.axes[joint]))
            local[:, joint] = rot.multiply(rot.inverse(above), world[:, joint])
            continue
        if joint in others:
            # How far it is turned away from neutral, in anatomical axes.
            turn = rot.multiply(rot.inverse(source.neutral[others[joint]]), clip.rotations[:, others[joint]])
            to_target = rot.multiply(target.axes[joint], rot.inverse(source.axes[others[joint]]))
            turn = rot.multiply(rot.multiply(to_target, turn), rot.inverse(to_target))
            local[:, joint] = rot.multiply(target.neutral[joint], turn)
        world[:, joint] = rot.multiply(above, local[:, joint])
    _spread_twist(target, frame_of, world, local)
    return world, rot.continuous(rot.normalize(local))


def _same_names(source: Physique, target: Physique, frame_of: Mapping[int, Floats]) -> dict[int, int]:
    """Joints that are not matched by role but have the same name: jaws, eyes, props."""
    ours = {_plain(name): joint for joint, name in reversed(list(enumerate(source.skeleton.names)))}
    taken = {source.roles[role] for role in source.roles if role in target.roles}
    pairs = {j: ours[_plain(name)] for j, name in enumerate(target.skeleton.names) if _plain(name) in ours}
    pairs = {j: k for j, k in pairs.items() if j not in frame_of and k not in taken}
    if not pairs:
        return {}
    # Parts of the body go by their roles alone, also where a bone map leaves them out.
    parts = {*find_roles(target.skeleton).values(), *finger_roles(target.skeleton).values()}
    bodies = source.skeleton.body, target.skeleton.body
    return {j: k for j, k in pairs.items() if j not in parts and k in bodies[0] and j in bodies[1]}


def _plain(name: str) -> str:
    return name.rpartition(":")[2].casefold()


def _spread_twist(target: Physique, frame_of: Mapping[int, Floats], world: Floats, local: Floats) -> None:
    """Let the twist bones of forearms and shins take their share of the twist at their ends."""
    roles, skeleton = target.roles, target.skeleton
    for side in SIDES:
        for upper, lower in (("lower arm", "hand"), ("lower leg", "foot")):
            first, last = roles.get(f"{side} {upper}"), roles.get(f"{side} {lower}")
            if first is None or last is None or first not in frame_of or last not in frame_of:
                continue
            for joint in _twist_bones(skeleton, first, last):
                _twist(target, first, last, joint, world, local)


def _twist_bones(skeleton: Skeleton, first: int, last: int) -> list[int]:
    """The twist bones that hang on a joint, or lie between it and the end of its segment."""
    beside = [j for j in skeleton.children[first] if not skeleton.children[j] or last in skeleton.subtree(j)]
    chain = [j for j in skeleton.chain(last, first) if j != last]
    return [j for j in {*beside, *chain} if _TWIST_WORDS.intersection(tokens(skeleton.names[j])) and j != last]


def _twist(target: Physique, first: int, last: int, joint: int, world: Floats, local: Floats) -> None:
    skeleton = target.skeleton
    chain = skeleton.chain(last, first)
    bone = np.zeros(3)
    turn = rot.identity()
    for j in chain:
        bone = bone + rot.rotate(turn, target.offsets[j])
        turn = rot.multiply(turn, target.neutral[j])
    size = float(bone @ bone)
    if size < 1e-12:
        return
    share = float(np.clip(target.offsets[joint] @ bone / size, 0.0, 1.0)) if joint not in chain else 0.5
    axis = bone / np.sqrt(size)
    relative = rot.multiply(rot.inverse(world[:, first]), world[:, last])
    _, twist = rot.swing_twist(rot.multiply(relative, rot.inverse(turn)), axis)
    shared = rot.exp(share * rot.log(twist))
    world[:, joint] = rot.multiply(world[:, first], rot.multiply(shared, target.neutral[joint]))
    local[:, joint] = rot.multiply(shared, target.neutral[joint])
    for child in skeleton.children[joint]:  # the end of the segment stays as it is turned
        local[:, child] = rot.multiply(rot.inverse(world[:, joint]), world[:, child])


def _middle_of_hips(clip: Clip, source: Physique, target: Physique, scale: float, same: bool) -> Floats:
    """Where the middle between the hip joints goes, (frames, 3)."""
    hips = source.roles["hips"]
    middle = clip.positions()[:, hips] + rot.rotate(clip.world_rotations()[:, hips], source.hips_to_centre)
    if same:
        return np.asarray(middle)
    moved = scale * middle
    height = source.ground.floor.above(middle) - source.ankle_height
    moved[:, 1] = scale * height + target.ankle_height
    return np.asarray(moved)


def _positions(target: Physique, world: Floats, at_hips: Floats) -> Floats:
    """World positions (frames, joints, 3) for world rotations, with the joint of the hips in its place."""
    parents = target.skeleton.parents
    positions = np.zeros((*world.shape[:2], 3))
    for joint, parent in enumerate(parents.tolist()):
        if parent >= 0:
            positions[:, joint] = positions[:, parent] + rot.rotate(world[:, parent], target.offsets[joint])
    shift = at_hips - positions[:, target.roles["hips"]]
    return np.asarray(positions + shift[:, None])
