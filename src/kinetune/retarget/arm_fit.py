"""Hands where they are asked to be: near each other and the head as in the source, or at places in the world.

Carried over by directions, hands that touch in the source miss each other on a body with shorter arms or broader
shoulders. Where hands come near each other or the head, the vector between them is kept instead, scaled by the arms;
arms bend at the elbow to reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.feet.soles import SIDES
from kinetune.body.kinematics.knees import Leg, pose_leg
from kinetune.body.kinematics.limb_ik import hinge_axis
from kinetune.retarget.physique import ARM
from kinetune.retarget.transfer import Transfer
from kinetune.rotations import Floats

Hands = Literal["body", "together", "world"]

_NEAR, _FAR = 0.4, 0.8  # arm lengths: nearer hands are kept in relation, farther ones are not
_PAIRS = (("left hand", "right hand"), ("left hand", "head"), ("right hand", "head"))


def fit_arms(pose: Clip, source: Clip, transfer: Transfer, hands: Hands) -> Clip:
    """The pose with its hands where they are asked to be.

    Parameters
    ----------
    pose : Clip
        The target, its feet in place.
    source : Clip
        The motion of the source.
    hands : {"together", "world"}
        Near hands in relation to each other and to the head, or hands at their scaled places in the world.
    """
    target = transfer.target
    sides = [side for side in SIDES if all(f"{side} {part}" in target.roles for part in ARM)]
    sides = [side for side in sides if f"{side} hand" in transfer.source.roles]
    if not sides:
        return pose
    moves = _world_moves(pose, source, transfer, sides) if hands == "world" else _relative_moves(pose, source, transfer)
    rotations = np.array(pose.rotations)
    world, positions = pose.world_rotations(), pose.positions()
    for side in sides:
        upper, lower, hand = (target.roles[f"{side} {part}"] for part in ARM)
        move = moves.get(f"{side} hand")
        if move is None or not move.any():
            continue
        limb = Leg(upper, lower, hand, hinge_axis(pose, upper, lower, hand))
        pose_leg(pose, limb, positions[:, hand] + move - positions[:, upper], world[:, hand], rotations)
    return pose.replace(rotations=rotations)


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
