"""Stick figures: how a pose becomes lines on paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.kinematics.forward import tips
from kinetune.body.root_motion import travelling_joint
from kinetune.body.skeleton import Skeleton
from kinetune.figures import palette
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

View = Literal["side", "front", "top"]


@dataclass(frozen=True)
class StickBone:
    """One line of a stick figure: from a joint to its child (or to an end site), and the side it is on."""

    start: int
    end: int
    side: Literal["left", "right", "middle"]

    @property
    def colour(self) -> str:
        """Blue on the left, yellow on the right, ink in the middle."""
        return {"left": palette.LEFT, "right": palette.RIGHT, "middle": palette.INK}[self.side]


def bones(skeleton: Skeleton) -> list[StickBone]:
    """The lines of a body. Indices past the joints are end sites, in their order."""
    sides = joint_sides(skeleton)
    lines = [StickBone(int(p), j, sides[j]) for j, p in enumerate(skeleton.parents) if skeleton.has_bone[j]]
    lines += [
        StickBone(site.parent, len(skeleton) + k, sides[site.parent])
        for k, site in enumerate(skeleton.end_sites)
        if site.parent in skeleton.body
    ]
    return lines


def points(clip: Clip) -> Floats:
    """World positions of joints and end sites, (frames, joints + end sites, 3).

    Those that are no part of the body (a root that stays behind) lie in its root, so that they take no room on paper.
    """
    skeleton = clip.skeleton
    everything = np.concatenate([clip.positions(), tips(clip)], axis=1)
    owners = [*range(len(skeleton)), *(site.parent for site in skeleton.end_sites)]
    beside = [point for point, owner in enumerate(owners) if owner not in skeleton.body]
    everything[:, beside] = everything[:, skeleton.body_root, None]
    return everything


def head(skeleton: Skeleton) -> tuple[int, int, float] | None:
    """The two points between which the head sits, and its radius in metres; None for a skeleton without a head."""
    joint = skeleton.roles.get("head")
    if joint is None:
        return None
    tips = [len(skeleton) + k for k, site in enumerate(skeleton.end_sites) if site.parent == joint]
    top = tips[0] if tips else (skeleton.children[joint] or (joint,))[0]
    return joint, top, 0.052 * skeleton.height


def draw_pose(
    ax: Axes,
    pose: Floats,
    lines: Sequence[StickBone],
    head: tuple[int, int, float] | None,
    *,
    depth: Floats | None = None,
    width: float = 1.9,
) -> None:
    """Draw one pose (points, 2) into axes, the far bones first if their depth is known."""
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Circle

    if depth is not None:
        lines = sorted(lines, key=lambda bone: float(depth[bone.start] + depth[bone.end]))
    segments = [pose[[bone.start, bone.end]] for bone in lines]
    ax.add_collection(
        LineCollection(segments, colors=[bone.colour for bone in lines], linewidths=width, capstyle="round")
    )
    if head is not None:
        joint, top, radius = head
        ax.add_patch(Circle(pose[[joint, top]].mean(axis=0), radius, facecolor=palette.INK, zorder=3))


def travel_direction(clip: Clip) -> Floats:
    """The horizontal unit vector along which the character walks or, where it stays in place, looks."""
    carrier = clip.positions()[:, travelling_joint(clip)]
    path = carrier[-1] - carrier[0]
    path = np.array([path[0], 0.0, path[2]])
    direction: Floats
    if np.linalg.norm(path) > 0.3 * clip.skeleton.height:
        direction = path / np.linalg.norm(path)
        return direction
    roles = clip.skeleton.roles
    pairs = [("left upper leg", "right upper leg"), ("left upper arm", "right upper arm")]
    positions = clip.positions()
    for left, right in pairs:
        if left in roles and right in roles:
            across = np.mean(positions[:, roles[left]] - positions[:, roles[right]], axis=0)
            ahead = np.cross(across, [0.0, 1.0, 0.0])
            if np.linalg.norm(ahead) > 1e-6:
                direction = ahead / np.linalg.norm(ahead)
                return direction
    return np.array([0.0, 0.0, 1.0])


def project(world: Floats, ahead: Floats, view: View) -> tuple[Floats, Floats]:
    """Paper coordinates (..., 2) and depth (...) of world points; greater depth is nearer to the eye.

    side : seen from the right of the character, travel to the right. front : seen from ahead. top : seen from above,
    travel to the right.
    """
    right = np.cross(ahead, [0.0, 1.0, 0.0])
    along, height, across = world @ ahead, world[..., 1], world @ right
    if view == "side":
        return np.stack([along, height], axis=-1), across
    if view == "front":
        return np.stack([-across, height], axis=-1), along
    return np.stack([along, -across], axis=-1), height


def joint_sides(skeleton: Skeleton) -> list[Literal["left", "right", "middle"]]:
    """The side of the body that each joint is on."""
    sides: list[Literal["left", "right", "middle"]] = ["middle"] * len(skeleton)
    for side in ("left", "right"):
        for role, joint in skeleton.roles.items():
            if role.startswith(side):
                for below in skeleton.subtree(joint):
                    sides[below] = side
    return sides
