"""A robot: its skeleton, its joints with their limits, and its masses; poses from joint values and back.

Joint values are MuJoCo's ``qpos``: for a floating base x y z in metres with Z up and a quaternion w x y z, then one
number for each hinge (radians) or slide (metres) and four for a ball, in the order of the file.

A body is a joint of the skeleton, at its own origin. Hinges of one body turn it one after the other, so that two or
three of them make one joint with several axes. Where hinges turn about a point away from the body's origin, a joint
"NAME_joint" sits at that point and the body hangs on it, so that every bone keeps its length.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.robots.shapes import CollisionShape
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

Kind = Literal["hinge", "slide", "ball"]
_SIZES = {"hinge": 1, "slide": 1, "ball": 4}
_ROUNDS = 30
_CLOSE = 1e-12
Z_UP = rot.from_axis_angle((1.0, 0.0, 0.0), -0.5 * np.pi)
"""The rotation that brings a world with Z up, a robot file's, into ours."""


@dataclass(frozen=True)
class RobotJoint:
    """One joint of a robot.

    Parameters
    ----------
    name : str
        As the file spells it.
    kind : {"hinge", "slide", "ball"}
        What it does.
    node : int
        The joint of the skeleton that it moves.
    axis : (float, float, float)
        Of unit length, in the frame of that joint at rest.
    column : int
        Where its value begins in a row of joint values.
    lower, upper : float
        Limits in radians or metres; infinite where there are none.
    velocity : float
        The highest speed in radians or metres per second; infinite where the file names none.
    effort : float
        The highest torque in newton metres, or force in newtons.
    reference : float
        The value at rest.
    mimic : (int, float, float) or None
        The column of the joint that it follows, a factor and an offset: value = factor * other + offset.
    """

    name: str
    kind: Kind
    node: int
    axis: tuple[float, float, float]
    column: int
    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf
    reference: float = 0.0
    mimic: tuple[int, float, float] | None = None


@dataclass(frozen=True, eq=False)
class Robot:
    """A robot as its file describes it, in our axes: metres, Y up.

    Parameters
    ----------
    name : str
        The name of the model.
    skeleton : Skeleton
        A joint for each body, at rest where all values are at their reference.
    joints : tuple of RobotJoint
        In the order of the file.
    masses : array, shape (joints of the skeleton,)
        Kilograms; 0 where the file does not say.
    centres : array, shape (joints of the skeleton, 3)
        Centres of mass in the frames of the joints.
    floating : bool
        Whether the base moves freely; its seven values come first in a row.
    base_column : int
        Where those values begin.
    home : array, shape (size,)
        The row of values at rest.
    shapes : tuple of CollisionShape
        Spheres, capsules and boxes that collide.
    inertias : array, shape (joints of the skeleton, 3, 3)
        About the centres of mass, in the frames of the joints, in kg m^2; 0 where the file does not say.
    """

    name: str
    skeleton: Skeleton
    joints: tuple[RobotJoint, ...]
    masses: Floats
    centres: Floats
    floating: bool
    base_column: int
    home: Floats
    shapes: tuple[CollisionShape, ...] = ()
    inertias: Floats = field(default_factory=lambda: np.zeros((0, 3, 3)))

    def __repr__(self) -> str:
        base = "floating" if self.floating else "fixed"
        return f'Robot("{self.name}", {len(self.joints)} joints, {self.mass:.1f} kg, {base} base)'

    @property
    def size(self) -> int:
        """How many values a row has."""
        return len(self.home)

    @property
    def mass(self) -> float:
        """Kilograms, of all bodies whose mass is known."""
        return float(self.masses.sum())

    @cached_property
    def by_node(self) -> dict[int, tuple[RobotJoint, ...]]:
        """The joints that move each joint of the skeleton, in order."""
        groups: dict[int, list[RobotJoint]] = {}
        for joint in self.joints:
            groups.setdefault(joint.node, []).append(joint)
        return {node: tuple(group) for node, group in groups.items()}

    def follow(self, qpos: Floats) -> Floats:
        """The rows (frames, size) with every joint that follows another at the value of that other one."""
        if all(joint.mimic is None for joint in self.joints):
            return qpos
        rows = np.array(qpos, dtype=float)
        for _ in self.joints:  # a joint may follow one that follows another
            before = rows.copy()
            for joint in self.joints:
                if joint.mimic is not None:
                    other, factor, offset = joint.mimic
                    rows[:, joint.column] = factor * before[:, other] + offset
            if np.array_equal(rows, before):
                break
        return rows

    def pose(self, qpos: Floats) -> tuple[Floats, Floats, Floats | None]:
        """Root positions (frames, 3), local rotations (frames, joints, 4) and translations of rows (frames, size).

        Translations are None unless the robot has slides.
        """
        frames = len(qpos)
        if qpos.shape != (frames, self.size):
            raise ParameterError(f"The robot {self.name} takes {self.size} values a frame, not {qpos.shape[1:]}.")
        qpos = self.follow(qpos)
        skeleton = self.skeleton
        rotations = np.tile(skeleton.rest, (frames, 1, 1))
        translations = np.tile(skeleton.offsets, (frames, 1, 1))
        if self.floating:
            base = qpos[:, self.base_column : self.base_column + 7]
            translations[:, 0] = rot.rotate(Z_UP, base[:, :3])
            rotations[:, 0] = rot.multiply(Z_UP, rot.normalize(base[:, 3:]))
        for joint in self.joints:
            value = qpos[:, joint.column : joint.column + _SIZES[joint.kind]]
            turned = rotations[:, joint.node]
            if joint.kind == "slide":
                travel = (value - joint.reference) * np.array(joint.axis)
                translations[:, joint.node] += rot.rotate(turned, travel)
            else:
                step = rot.normalize(value) if joint.kind == "ball" else self._hinge(joint, value[:, 0])
                rotations[:, joint.node] = rot.multiply(turned, step)
        slides = any(joint.kind == "slide" for joint in self.joints)
        return translations[:, 0], rot.normalize(rotations), translations if slides else None

    @staticmethod
    def _hinge(joint: RobotJoint, value: Floats) -> Floats:
        return rot.from_axis_angle(joint.axis, value - joint.reference)

    def qpos(self, clip: Clip) -> tuple[Floats, Floats]:
        """Rows (frames, size) that come closest to a clip of this skeleton, and by how many radians each node misses.

        The second array is (frames, joints of the skeleton): an edit may turn a joint about an axis that it lacks.
        Limits are not applied.
        """
        frames = len(clip)
        rows = np.tile(self.home, (frames, 1))
        missed = np.zeros((frames, len(self.skeleton)))
        local = clip.rotations
        if self.floating:
            base = self.base_column
            rows[:, base : base + 3] = rot.rotate(rot.inverse(Z_UP), clip.root)
            turned = rot.multiply(rot.inverse(Z_UP), local[:, 0])
            rows[:, base + 3 : base + 7] = rot.continuous(turned)
        for node in range(len(self.skeleton)):
            group = self.by_node.get(node, ())
            if node == 0 and self.floating:
                continue
            targets = rot.multiply(rot.inverse(self.skeleton.rest[node]), local[:, node])
            turning = [joint for joint in group if joint.kind != "slide"]
            reached = rot.identity(frames)
            if len(turning) == 1 and turning[0].kind == "ball":
                rows[:, turning[0].column : turning[0].column + 4] = rot.continuous(targets)
                reached = targets
            elif turning:
                axes = np.array([joint.axis for joint in turning])
                angles = _within_limits(_hinge_angles(axes, targets), turning)
                for k, joint in enumerate(turning):
                    rows[:, joint.column] = angles[:, k] + joint.reference
                    reached = rot.multiply(reached, rot.from_axis_angle(joint.axis, angles[:, k]))
            missed[:, node] = rot.angle_between(reached, targets)
            if clip.translations is not None and any(joint.kind == "slide" for joint in group):
                self._slide(node, clip.translations[:, node], rows)
        return self.follow(rows), missed

    def _slide(self, node: int, translation: Floats, rows: Floats) -> None:
        """Fill in the values of a node's slides, after those of its hinges."""
        turned = np.tile(self.skeleton.rest[node], (len(rows), 1))
        directions, slides = [], []
        for joint in self.by_node[node]:
            if joint.kind == "slide":
                directions.append(rot.rotate(turned, np.array(joint.axis)))
                slides.append(joint)
            else:
                value = rows[:, joint.column : joint.column + _SIZES[joint.kind]]
                turned = rot.multiply(turned, value if joint.kind == "ball" else self._hinge(joint, value[:, 0]))
        matrix = np.stack(directions, axis=-1)  # (frames, 3, slides)
        away = translation - self.skeleton.offsets[node]
        solved = np.einsum("fsk,fk->fs", np.linalg.pinv(matrix), away)
        for k, joint in enumerate(slides):
            rows[:, joint.column] = solved[:, k] + joint.reference


@dataclass(frozen=True)
class RobotLayout:
    """What a clip of a robot keeps in order to be written as joint values again."""

    robot: Robot

    def facts(self) -> dict[str, str]:
        """What a user may want to know about the robot."""
        robot = self.robot
        kinds = [joint.kind for joint in robot.joints]
        of_kind = {kind: kinds.count(kind) for kind in ("hinge", "slide", "ball")}
        counts = ", ".join(f"{count} {kind}{'s' * (count > 1)}" for kind, count in of_kind.items() if count)
        limited = sum(np.isfinite(joint.upper - joint.lower) for joint in robot.joints)
        speeds = sum(np.isfinite(joint.velocity) for joint in robot.joints)
        torques = sum(np.isfinite(joint.effort) for joint in robot.joints)
        return {
            "robot": f"{robot.name}, {counts}, {'floating' if robot.floating else 'fixed'} base, {robot.mass:.3g} kg",
            "limits": f"{limited} of angle or travel, {speeds} of speed, {torques} of torque or force",
        }

    def sliced(self, frames: slice) -> RobotLayout:
        """The same robot for any frames."""
        return self

    def euler_orders(self, skeleton: Skeleton) -> None:
        """Robots have no Euler channels that edits could use."""


def robot_of(clip: Clip) -> Robot | None:
    """The robot whose motion a clip is, if its skeleton is still the robot's."""
    layout = clip.source.layout
    if isinstance(layout, RobotLayout) and clip.skeleton == layout.robot.skeleton:
        return layout.robot
    return None


def _hinge_angles(axes: Floats, targets: Floats) -> Floats:
    """Angles (frames, hinges) whose rotations about the axes, one after the other, come closest to wanted (frames, 4).

    Exact for one hinge. Hinges at right angles begin at the Euler angles, others at the rotation about each axis alone;
    Gauss-Newton steps on the remaining rotation follow.
    """
    count = len(axes)
    if count == 1:
        angle = 2.0 * np.arctan2(targets[:, 1:] @ axes[0], targets[:, 0])
        solved: Floats = np.unwrap(angle)[:, None]
        return solved
    angles = _euler_angles(axes, targets) if _at_right_angles(axes) else _separate_angles(axes, targets)
    for _ in range(_ROUNDS):
        reached = rot.identity(len(targets))
        columns = []
        for k in range(count):
            columns.append(rot.rotate(reached, axes[k]))
            reached = rot.multiply(reached, rot.from_axis_angle(axes[k], angles[:, k]))
        left = rot.log(rot.multiply(targets, rot.inverse(reached)))
        jacobian = np.stack(columns, axis=-1)  # (frames, 3, hinges)
        normal = np.einsum("fki,fkj->fij", jacobian, jacobian) + 1e-9 * np.eye(count)
        step = np.linalg.solve(normal, np.einsum("fki,fk->fi", jacobian, left)[..., None])[..., 0]
        angles = angles + np.clip(step, -0.5, 0.5)
        if np.abs(step).max() < _CLOSE:
            break
    return np.unwrap(angles, axis=0)


def _at_right_angles(axes: Floats) -> bool:
    return len(axes) <= 3 and bool(np.abs(axes @ axes.T - np.eye(len(axes))).max() < 1e-6)


def _euler_angles(axes: Floats, targets: Floats) -> Floats:
    """The angles about two or three axes at right angles."""
    third = np.cross(axes[0], axes[1])
    sign = 1.0 if len(axes) < 3 or third @ axes[2] > 0 else -1.0
    frame = np.stack([axes[0], axes[1], third])  # rows: our axes as X, Y, Z
    turned = np.concatenate([targets[:, :1], targets[:, 1:] @ frame.T], axis=1)
    angles = rot.unroll(rot.to_euler(turned, "XYZ"), "XYZ")
    angles[:, 2] *= sign
    chosen: Floats = angles[:, : len(axes)]
    return chosen


def _separate_angles(axes: Floats, targets: Floats) -> Floats:
    angles = []
    rest = targets
    for axis in axes:
        angle = 2.0 * np.arctan2(rest[:, 1:] @ axis, rest[:, 0])
        angles.append((angle + np.pi) % (2.0 * np.pi) - np.pi)
        rest = rot.multiply(rot.inverse(rot.from_axis_angle(axis, angles[-1])), rest)
    return np.stack(angles, axis=1)


def _within_limits(angles: Floats, joints: list[RobotJoint]) -> Floats:
    """The same rotations with angles inside the limits where whole turns, or the other solution of three, allow it."""
    lower = np.array([joint.lower - joint.reference for joint in joints])
    upper = np.array([joint.upper - joint.reference for joint in joints])
    narrow = np.isfinite(lower) & np.isfinite(upper) & (upper - lower <= 2.0 * np.pi)
    middle = np.where(narrow, 0.5 * (np.where(narrow, lower, 0.0) + np.where(narrow, upper, 0.0)), 0.0)
    options = [angles]
    if len(joints) == 3 and _at_right_angles(np.array([joint.axis for joint in joints])):
        options.append(angles * [1.0, -1.0, 1.0] + np.pi)
    best, least = angles, np.inf
    for option in options:
        around = np.where(narrow, option, np.median(option, axis=0))  # a wide or free hinge keeps its whole turns
        shifted = option - 2.0 * np.pi * np.round((around - middle) / (2.0 * np.pi))
        outside = float(np.maximum(np.maximum(lower - shifted, shifted - upper), 0.0).sum())
        if outside < least - 1e-9:
            best, least = shifted, outside
    return best
