"""Which contact forces carry a motion, where their centre lies, and how far that is from the edge of the feet.

=====================  ====================================================================================
Supporter              contact forces that come nearest to what the root needs, within friction
contact_torques        what those forces leave to the joints
centre_of_pressure     where one force on the ground would do the same as all of them
support_margin         how far a point lies inside the polygon of the points that touch
=====================  ====================================================================================
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from kinetune.physics.ground import add_up, pyramid, root_map
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats

_SPREAD = 3e-3  # how strongly forces are spread over the points, against meeting what is needed
_REACH = 0.25  # of the height: the arm by which torques are compared with forces


class Supporter:
    """Finds contact forces for one body and one friction coefficient.

    Parameters
    ----------
    mu : friction. None: forces in any direction, as if the feet were glued.
    sides : of the friction pyramid.
    """

    def __init__(self, body: Body, mu: float | None, sides: int = 8) -> None:
        self.body, self.mu, self.sides = body, mu, sides
        self.arm = _REACH * body.height

    def solve(
        self, need: Floats, points: Floats, normals: Floats, root: Floats, axes: Floats, com: Floats
    ) -> tuple[Floats, Floats]:
        """The forces (points, 3) in newtons nearest to a need, and what they leave of it (6,).

        Parameters
        ----------
        need : (6,) force in world axes and torque in the root's, as :func:`required_forces` gives them.
        points, normals : (points, 3) where the body touches, and the ground's normals there.
        root, axes, com : the root's place (3,), its axes (3, 3) as columns, and the centre of mass (3,).

        Notes
        -----
        Forces are compared in body weights and torques about the centre of mass in body weights on an arm of a
        quarter of the height. What is left is that of the exact optimum (NNLS); among the forces that reach it, those
        are taken that spread the load evenly.
        """
        from scipy.optimize import nnls

        if len(points) == 0:
            return np.zeros((0, 3)), _about_com(need, root, axes, com)
        directions = self._directions(normals)
        weigh = np.array([[1.0]] * 3 + [[1.0 / self.arm]] * 3)
        scaled = weigh * _about_com(root_map(points, directions, root, axes), root, axes, com)
        wanted = weigh[:, 0] * _about_com(need, root, axes, com) / self.body.weight
        if self.mu is None:
            even = np.linalg.lstsq(scaled, wanted, rcond=None)[0]
            left = wanted - scaled @ even
        else:
            exact, _ = nnls(scaled, wanted)
            left = wanted - scaled @ exact
            ridge = np.concatenate([scaled, _SPREAD * np.eye(len(directions))])
            even, _ = nnls(ridge, np.concatenate([scaled @ exact, np.zeros(len(directions))]))
        weight = self.body.weight
        left = left * weight / weigh[:, 0]
        return add_up(even * weight, directions, len(points)), left

    def _directions(self, normals: Floats) -> Floats:
        if self.mu is None:
            return np.tile(np.eye(3), (len(normals), 1))
        return pyramid(normals, self.mu, self.sides)


def _about_com(wrenches: Floats, root: Floats, axes: Floats, com: Floats) -> Floats:
    """Wrenches (6, ...) on the root as force and torque about the centre of mass, both in world axes."""
    force = wrenches[:3]
    arm = com - root
    return np.concatenate([force, axes @ wrenches[3:] - np.cross(arm, force, axisb=0, axisc=0)])


def contact_torques(body: Body, data: mujoco.MjData, forces: Floats, points: Floats, which: NDArray[np.intp]) -> Floats:
    """(nv,) generalized forces of contact forces (n, 3) at world points (n, 3), in a state that MuJoCo has placed."""
    found = np.zeros(body.nv)
    none = np.zeros(3)
    for force, place, number in zip(forces, points, which.tolist(), strict=True):
        mujoco.mj_applyFT(body.model, data, force, none, place, body.points[number].body, found)
    return found


def centre_of_pressure(force: Floats, torque: Floats, com: Floats, level: float) -> Floats:
    """The point (3,) at height ``level`` at which the force (3,) has the torque (3,) about the centre of mass.

    The torque about the vertical is left to friction.
    """
    drop = level - com[1]
    x = (torque[2] + drop * force[0]) / force[1]
    z = (drop * force[2] - torque[0]) / force[1]
    return np.array([com[0] + x, level, com[2] + z])


def support_margin(place: Floats, points: Floats) -> float:
    """How far a place (3,) lies inside the polygon around points (n, 3), seen from above; negative outside.

    Metres. Of fewer than three points, or points in a line, it is the distance to them, negative.
    """
    from scipy.spatial import ConvexHull, QhullError

    flat = points[:, [0, 2]]
    at = place[[0, 2]]
    try:
        hull = ConvexHull(flat)
    except (QhullError, ValueError):
        return -_distance_to_segments(at, flat)
    inside = -float(np.max(hull.equations[:, :2] @ at + hull.equations[:, 2]))
    return inside if inside >= 0.0 else -_distance_to_segments(at, flat[hull.vertices])


def _distance_to_segments(at: Floats, corners: Floats) -> float:
    """The distance of a point to a closed row of corners."""
    start, end = corners, np.roll(corners, -1, axis=0)
    step = end - start
    length = np.maximum(np.sum(step * step, axis=1), 1e-18)
    share = np.clip(np.sum((at - start) * step, axis=1) / length, 0.0, 1.0)
    return float(np.min(np.linalg.norm(start + share[:, None] * step - at, axis=1)))
