"""The whole way: a clip of one skeleton on another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts
from kinetune.body.feet.stance_states import contacts_of_states, find_states
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.robots.robot import robot_of
from kinetune.body.root_motion import place_joint
from kinetune.body.skeleton import Skeleton
from kinetune.retarget.hinges import build_of
from kinetune.retarget.leg_fit import fit_legs
from kinetune.retarget.physique import Physique, rest_clip
from kinetune.retarget.robot_fit import RobotFit, fit_robot
from kinetune.retarget.transfer import Transfer, transfer_pose

Hands = Literal["body", "together", "world"]


@dataclass(frozen=True, eq=False)
class Retargeted:
    """A clip on another skeleton.

    Parameters
    ----------
    clip : Clip
        The motion, with the contacts and soles that it was solved for.
    transfer : Transfer or None
        What stage one said; None where both skeletons are the same and the motion was copied.
    robot : RobotFit or None
        The joint values, for a robot.
    """

    clip: Clip
    transfer: Transfer | None
    robot: RobotFit | None = None


def retarget(clip: Clip, to: Clip | Skeleton, *, feet: bool = True) -> Retargeted:
    """A clip on another skeleton.

    Parameters
    ----------
    clip : Clip
        The motion.
    to : Clip or Skeleton
        The other body. A clip also shows how it stands, and about which axes its knees and elbows bend.
    feet : bool
        Whether feet that stand are kept standing; else the pose is carried over frame by frame.

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
        return Retargeted(clip, None)
    first = stray_frames(clip)
    robot = robot_of(body)
    source, target = build_of(clip[first:]), build_of(body, "the character" if robot is None else "the robot")
    known = _contacts_of(clip, source, first)
    transfer = transfer_pose(clip, source, target, known)
    if robot is not None:
        fit = fit_robot(clip, transfer, robot, first=first, feet=feet)
        on_robot = fit.clip.replace(markers=clip.markers, history=clip.history)
        return Retargeted(on_robot.replace(contacts=_contacts_on(target, known, transfer)), transfer, fit)
    pose = _posed(clip, transfer)
    if feet and not transfer.same_body and transfer.feet:
        pose = fit_legs(pose, transfer)
    pose = _hips_travel(pose, body, transfer)
    return Retargeted(pose.replace(contacts=_contacts_on(target, known, transfer)), transfer)


def _contacts_of(clip: Clip, source: Physique, first: int) -> Contacts:
    """When the feet of the source stand: what the clip knows of it, or what is found."""
    if clip.contacts is not None:
        return clip.contacts
    states = find_states(clip[first:], source.ground)
    return contacts_of_states(clip, source.ground, np.pad(states, ((first, 0), (0, 0))))


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
    """A root above the hips stays where the character has it, and the hips carry the motion."""
    hips = transfer.target.roles["hips"]
    if pose.skeleton.parents[hips] < 0:
        return pose
    shift = pose.root - body.root[0]
    still = pose.replace(root=np.array(np.broadcast_to(body.root[0], pose.root.shape)))
    return place_joint(still, hips, rot.identity(len(pose)), shift)


def _contacts_on(target: Physique, known: Contacts, transfer: Transfer) -> Contacts:
    """The contacts of the source, as those of the target's feet."""
    columns = [(known.column(track.side), track) for track in transfer.feet if track.side in known.sides]
    chosen = [column for column, _ in columns]
    return Contacts(
        tuple(target.skeleton.names[track.joint] for _, track in columns),
        known.flags[:, chosen],
        known.confidence[:, chosen],
        known.heels[:, chosen],
        known.toes[:, chosen],
        tuple(track.side for _, track in columns),
    )
