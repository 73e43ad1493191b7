"""The whole way: a clip of one skeleton on another one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts
from kinetune.body.feet.stance_states import SWING, contacts_of_states, find_states
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.robots.robot import robot_of
from kinetune.body.root_motion import place_joint
from kinetune.body.skeleton import Skeleton
from kinetune.retarget.bone_map import BoneMap, find_bone_map, with_roles
from kinetune.retarget.fits.arm_fit import Hands, fit_arms
from kinetune.retarget.fits.hinges import build_of, true_elbows
from kinetune.retarget.fits.leg_fit import fit_legs
from kinetune.retarget.fits.robot_fit import RobotFit, fit_robot
from kinetune.retarget.footprints import LEVEL
from kinetune.retarget.joint_ranges import JointRanges
from kinetune.retarget.physique import Physique, rest_clip
from kinetune.retarget.transfer import Transfer, transfer_pose

_FEW_LABELS, _MISSED = 0.25, 3  # labels of fewer frames are doubted, and dropped where three times as many stand
_STANDS_S = 0.1  # feet that stand for less in a whole clip do not show where the floor is


@dataclass(frozen=True, eq=False)
class Retargeted:
    """A clip on another skeleton.

    Parameters
    ----------
    clip : Clip
        The motion, with the contacts and soles that it was solved for.
    transfer : Transfer or None
        What stage one said; None where both skeletons are the same and the motion was copied.
    bones : BoneMap
        Which joints stand for each other.
    robot : RobotFit or None
        The joint values, for a robot.
    """

    clip: Clip
    transfer: Transfer | None
    bones: BoneMap
    robot: RobotFit | None = None


def retarget(
    clip: Clip, to: Clip | Skeleton, *, feet: bool = True, hands: Hands = "body", bones: BoneMap | None = None
) -> Retargeted:
    """A clip on another skeleton.

    Parameters
    ----------
    clip : Clip
        The motion.
    to : Clip or Skeleton
        The other body. A clip also shows how it stands, and about which axes its knees and elbows bend.
    feet : bool
        Whether feet that stand are kept standing; else the pose is carried over frame by frame.
    hands : {"body", "together", "world"}
        Whether arms keep their directions; hands that are near each other or the head also keep that relation; or hands
        keep their places in the world, scaled.
    bones : BoneMap, optional
        Which joints stand for each other, where that is not what is found. A map may name the joints of animals and
        other bodies too.

    Returns
    -------
    Retargeted

    Raises
    ------
    SkeletonMismatchError
        Where one of the bodies is not recognised as a human one.

    Notes
    -----
    Laws (``tests/retarget/test_retargeting.py``): on its own skeleton a motion is copied bit for bit; feet that stand
    do not slide; the result turns and moves with the scene.
    """
    body = rest_clip(to) if isinstance(to, Skeleton) else to
    if clip.skeleton == body.skeleton:
        return Retargeted(clip, None, find_bone_map(clip.skeleton, body.skeleton))
    moved, still, mapped, robot = true_elbows(clip), true_elbows(body), bones is not None, robot_of(body)
    if bones is not None:
        moved, still = with_roles(moved, bones.side("source")), with_roles(still, bones.side("target"))
    matched = find_bone_map(moved.skeleton, still.skeleton)
    source = build_of(moved[stray_frames(moved) :], mapped=mapped)
    target = build_of(still, "the character" if robot is None else "the robot", mapped=mapped)
    known = _contacts_of(moved, source)
    source = _on_known_floor(moved, source, known)
    transfer = transfer_pose(moved, source, target, known)
    if robot is not None:
        fit = fit_robot(moved, transfer, robot, first=stray_frames(moved), feet=feet)
        on_robot = fit.clip.replace(markers=clip.markers, history=clip.history)
        on_robot = replace(on_robot, skeleton=body.skeleton, contacts=_contacts_on(target, known, transfer))
        return Retargeted(on_robot, transfer, matched, fit)
    pose, ranges = _posed(moved, transfer), JointRanges(moved, source, target)
    if not transfer.same_body:
        pose = ranges.kept(pose, ranges.above_legs)
        pose = fit_legs(pose, transfer, ranges) if feet and transfer.feet else pose
    if hands != "body":
        pose = fit_arms(pose, moved, transfer, ranges, hands)
    pose = _hips_travel(pose, body, transfer)
    result = replace(pose, skeleton=body.skeleton, contacts=_contacts_on(target, known, transfer))
    return Retargeted(result, transfer, matched)


def _contacts_of(clip: Clip, source: Physique) -> Contacts:
    """When the feet of the source stand: what the clip knows of it, or what is found.

    Labels of generated motion may know one level only: on stairs they say that nearly nothing stands.
    """
    known = clip.contacts
    labelled = 0 if known is None else int(np.count_nonzero(known.flags.any(axis=1)))
    if known is not None and (not labelled or labelled > _FEW_LABELS * len(clip) or not source.ground.feet):
        return known
    if not source.ground.feet:
        return Contacts.none(len(clip))
    first = stray_frames(clip)
    states = find_states(clip[first:], source.ground)
    before = np.full((first, states.shape[1]), SWING, dtype=states.dtype)
    estimated = contacts_of_states(clip, source.ground, np.concatenate([before, states]))
    missed = np.count_nonzero(estimated.flags.any(axis=1)) > _MISSED * labelled
    return estimated if known is None or missed else known


def _on_known_floor(clip: Clip, source: Physique, known: Contacts) -> Physique:
    """A source of which hardly anything stands shows no floor: it moves above Y = 0, or above its lowest sole."""
    ground = source.ground
    if not ground.feet or np.count_nonzero(known.flags.any(axis=1)) >= _STANDS_S * clip.fps or len(clip) < 2:
        return source
    lowest = min(float(foot.positions(clip)[..., 1].min()) for foot in ground.feet)
    return replace(source, ground=ground.on(0.0 if lowest > -LEVEL * ground.leg else lowest))


def _posed(clip: Clip, transfer: Transfer) -> Clip:
    """The target in the pose of stage one."""
    target = transfer.target
    translations = None
    moved = np.abs(target.offsets - target.skeleton.offsets)[1:]
    if moved.size and moved.max() > 1e-9:
        translations = np.array(np.broadcast_to(target.offsets, (len(clip), *target.offsets.shape)))
    return Clip(
        target.skeleton,
        clip.fps,
        transfer.root,
        transfer.rotations,
        translations,
        markers=clip.markers,
        history=clip.history,
    )


def _hips_travel(pose: Clip, body: Clip, transfer: Transfer) -> Clip:
    """A root above the body stays where the character has it, and the body's own root carries the motion."""
    joint = transfer.target.skeleton.body_root
    if pose.skeleton.parents[joint] < 0:
        return pose
    shift = pose.root - body.root[0]
    still = pose.replace(root=np.array(np.broadcast_to(body.root[0], pose.root.shape)))
    return place_joint(still, joint, rot.identity(len(pose)), shift)


def _contacts_on(target: Physique, known: Contacts, transfer: Transfer) -> Contacts:
    """The contacts of the source, as those of the target's feet."""
    columns = [(known.column(course.side), course) for course in transfer.feet if course.side in known.sides]
    chosen = [column for column, _ in columns]
    heels, toes = np.array(known.heels[:, chosen]), np.array(known.toes[:, chosen])
    for number, (_, course) in enumerate(columns):
        heels[course.down, number] = course.standing[course.down, 0]
        toes[course.down, number] = course.standing[course.down, -1]
    return Contacts(
        tuple(target.skeleton.names[course.joint] for _, course in columns),
        known.flags[:, chosen],
        known.confidence[:, chosen],
        heels,
        toes,
        tuple(course.side for _, course in columns),
        () if transfer.same_body else target.ground.feet,
    )
