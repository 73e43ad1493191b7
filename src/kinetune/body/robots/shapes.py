"""What of a robot collides: spheres, capsules and boxes in the frames of its joints.

A file without primitive shapes (its collisions are meshes, which are not opened) still says how the mass of a body is
spread: the box of even density with the same mass, centre and moments of inertia stands in for it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from kinetune import rotations as rot
from kinetune.rotations import Floats

_ALIGNED = np.cos(np.deg2rad(25.0))
_LIGHTEST = 30.0  # kg/m^3, rigid foam: what would be lighter has an inertia that was made up to calm a simulator

ShapeKind = Literal["sphere", "capsule", "cylinder", "box", "ellipsoid"]


class CollisionShape(NamedTuple):
    """A shape on a joint of a skeleton.

    node : the joint. centre : (3,) and rotation : (4,) wxyz, in the frame of the joint.
    half : (3,) half its extent along its own axes; the long axis of a capsule or cylinder is Z, and its radius is X.
    """

    node: int
    kind: ShapeKind
    centre: Floats
    rotation: Floats
    half: Floats

    def corners(self) -> tuple[Floats, float]:
        """Points (n, 3) in the frame of the joint, and the radius of the round shape about them."""
        x, _, z = self.half.tolist()
        if self.kind == "box":
            signs = np.array([(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], dtype=float)
            points, radius = signs * self.half, 0.0
        elif self.kind in ("capsule", "cylinder"):
            points, radius = np.array([(0.0, 0.0, -z), (0.0, 0.0, z)]), x
        else:
            points, radius = np.zeros((1, 3)), float(self.half.min() if self.kind == "ellipsoid" else x)
        return self.centre + rot.rotate(self.rotation, points), radius

    def capsule(self) -> tuple[Floats, Floats, float]:
        """Ends (3,) and radius of the capsule that stands for the shape; a box takes the mean of its lesser sides."""
        if self.kind in ("sphere", "capsule"):
            points, radius = self.corners()
            return points[0], points[-1], radius
        order = np.argsort(self.half)
        radius = float(self.half[order[:2]].mean())
        reach = np.zeros(3)
        reach[order[2]] = max(float(self.half[order[2]]) - radius, 0.0)
        along = rot.rotate(self.rotation, reach)
        return self.centre - along, self.centre + along, radius


def box_of_inertia(node: int, mass: float, centre: Floats, inertia: Floats) -> CollisionShape | None:
    """The box of even density with a given mass and inertia (3, 3) about its centre; None where there is none.

    It is aligned with the frame of the joint where the principal axes nearly are: a foot is level with its frame.
    A box that is lighter than any material says nothing of the body's size: there is none either.
    """
    if mass <= 0.0 or not np.any(inertia):
        return None
    moments, axes = np.linalg.eigh(0.5 * (inertia + inertia.T))
    if np.abs(axes).max(axis=0).min() > _ALIGNED:
        moments, axes = np.diagonal(inertia), np.eye(3)
    elif np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    half = np.sqrt(np.maximum(1.5 * (moments.sum() - 2.0 * moments) / mass, 0.0))
    if mass < _LIGHTEST * float(np.prod(2.0 * half)):
        return None
    return CollisionShape(node, "box", centre, rot.from_matrix(axes), half)
