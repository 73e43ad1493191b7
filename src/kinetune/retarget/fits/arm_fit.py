"""Hands where they are asked to be: near each other and the head as in the source, or at places in the world.

Carried over by directions, hands that touch in the source miss each other on a body with shorter arms or broader
shoulders. Where hands come near each other or the head, the vector between them is kept instead, scaled by the arms;
arms bend at the elbow to reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.soles import SIDES
from kinetune.body.kinematics.knees import Leg
from kinetune.body.kinematics.limb_ik import hinge_flexion, swing_onto
from kinetune.retarget.joint_ranges import JointRanges, turned_joint
from kinetune.retarget.physique import ARM
from kinetune.retarget.transfer import Transfer
from kinetune.rotations import Floats
from kinetune.trajectory.one_sided import stay_within

Hands = Literal["body", "together", "world"]

_NEAR, _FAR = 0.4, 0.8  # arm lengths: nearer hands are kept in relation, farther ones are not
_ACROSS = np.array([1.0, 0.0, 0.0])
_PAIRS = (("left hand", "right hand"), ("left hand", "head"), ("right hand", "head"))


def fit_arms(pose: Clip, source: Clip, transfer: Transfer, ranges: JointRanges, hands: Hands) -> Clip:
    """The pose with its hands where they are asked to be.

    Parameters
    ----------
    pose : Clip
        The target, its feet in place.
    source : Clip
        The motion of the source.
    ranges : JointRanges
        How far the joints may rotate: hands that would need more stay short of where they should be.
    hands : {"together", "world"}
        Near hands in relation to each other and to the head, or hands at their scaled places in the world.
    """
    target = transfer.target
    sides = [side for side in SIDES if all(f"{side} {part}" in target.roles for part in ARM)]
    sides = [side for side in sides if f"{side} hand" in transfer.source.roles]
    if not sides:
        return pose
    moves = _world_moves(pose, source, transfer, sides) if hands == "world" else _relative_moves(pose, source, transfer)
    goals = {role: pose.positions()[:, target.roles[role]] + move for role, move in moves.items() if move.any()}
    for side in sides:
        if f"{side} hand" in goals:
            pose = _reached(pose, target.limb(side, ARM), goals[f"{side} hand"], ranges)
    return pose


def _reached(pose: Clip, arm: Leg, goal: Floats, ranges: JointRanges) -> Clip:
    """The pose with a hand at its goal (frames, 3), as far as shoulder, elbow and wrist go; it keeps its orientation.

    The elbow bends about its own hinge, as the forearm sees it, so that it is not bent sideways.
    """
    world, hand = pose.world_rotations(), pose.world_rotations()[:, arm.ankle]
    away = goal - pose.positions()[:, arm.hip]
    upper, lower = arm.bones(pose)
    hinge = rot.rotate(rot.multiply(world[:, arm.knee], ranges.target.axes[arm.knee]), -_ACROSS)
    change = hinge_flexion(upper, lower, hinge, np.linalg.norm(away, axis=-1), 1.0)
    elbow = ranges.of(arm.knee)
    if elbow is not None:
        bent = -elbow.limit.read(elbow.turn(ranges.target, world))[:, 0]
        least, most = elbow.limit.ranges[0]
        change = stay_within(bent + change, -most, -least, ranges.smooth) - bent
    flex = rot.from_axis_angle(hinge, change)
    swing = swing_onto(upper + rot.rotate(flex, lower), away)
    turns = {arm.hip: swing, arm.knee: rot.multiply(swing, flex)}
    for joint, turn in turns.items():
        pose = turned_joint(pose, joint, rot.multiply(turn, world[:, joint]))
    pose = ranges.kept(pose, [arm.hip])
    return ranges.kept(turned_joint(pose, arm.ankle, hand), [arm.ankle])


def _world_moves(pose: Clip, source: Clip, transfer: Transfer, sides: Sequence[str]) -> Mapping[str, Floats]:
    """How far each hand (frames, 3) is from its place in the world, scaled, above each floor."""
    moves = {}
    for side in sides:
        role = f"{side} hand"
        at = source.positions()[:, transfer.source.roles[role]]
        goal = transfer.scale * at
        if not transfer.same_body:
            goal[:, 1] = transfer.scale * transfer.source.ground.floor.above(at)
        moves[role] = goal - pose.positions()[:, transfer.target.roles[role]]
    return moves


def _relative_moves(pose: Clip, source: Clip, transfer: Transfer) -> Mapping[str, Floats]:
    """How far hands (frames, 3) move so that near ones keep the vector between them, scaled by the arms."""
    ours, theirs = transfer.source, transfer.target
    scale = theirs.arm / ours.arm if ours.arm and theirs.arm else transfer.scale
    frames = len(pose)
    moves = {f"{side} hand": np.zeros((frames, 3)) for side in SIDES}
    trust = {role: np.zeros(frames) for role in moves}
    for first, second in _PAIRS:
        if not all(role in body.roles for role in (first, second) for body in (ours, theirs)):
            continue
        apart = source.positions()[:, ours.roles[first]] - source.positions()[:, ours.roles[second]]
        now = pose.positions()[:, theirs.roles[first]] - pose.positions()[:, theirs.roles[second]]
        near = np.clip((_FAR - np.linalg.norm(apart, axis=1) / max(ours.arm, 1e-9)) / (_FAR - _NEAR), 0.0, 1.0)
        share = near * near * (3.0 - 2.0 * near)
        for role, sign in ((first, 1.0), (second, -1.0)):
            if role in moves:
                part = 0.5 if second in moves else 1.0
                moves[role] += (share * sign * part)[:, None] * (scale * apart - now)
                trust[role] += share
    return {role: move / np.maximum(trust[role], 1.0)[:, None] for role, move in moves.items()}
