"""The axes about which a robot's joints turn, by its file or by how it moves."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.robots.robot import robot_of
from kinetune.body.roles.from_names import names_hinge, tokens
from kinetune.rotations import Floats

_ONE_AXIS = np.deg2rad(2.0)  # a joint that leaves its axis by more is no hinge ...
_STRAYS = 0.25  # ... unless it is by less than this share of its own rotation: generated motion is noisy
_MOVES = np.deg2rad(1.0)

HingeAxes = Mapping[int, list[Floats]]
"""Joint to the axes (3,) of its hinges, in its own frame."""


def hinge_axes(clip: Clip) -> HingeAxes:
    """The hinges of a robot, by its file; without one, of joints that are named like hinges, by how they move."""
    robot = robot_of(clip)
    if robot is not None:
        return {
            node: [np.array(joint.axis) for joint in group if joint.kind == "hinge"]
            for node, group in robot.by_node.items()
        }
    axes: dict[int, list[Floats]] = {}
    for joint, name in enumerate(clip.skeleton.names):
        if clip.skeleton.parents[joint] < 0 or not names_hinge(tokens(name)):
            continue
        away = rot.log(rot.multiply(rot.inverse(rot.mean(clip.rotations[:, joint])), clip.rotations[:, joint]))
        directions = np.linalg.svd(away, full_matrices=False)[2]
        reach = np.abs(away @ directions.T).max(axis=0)
        if reach[0] > _MOVES and reach[1] < max(_ONE_AXIS, _STRAYS * reach[0]):
            axes[joint] = [directions[0]]
    return axes
