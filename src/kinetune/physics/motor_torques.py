"""The torques that a robot's motion takes, by MuJoCo's inverse dynamics.

What the joints and the base must push follows from the motion. A base is pushed by nothing but the floor: the forces of
the sole points that stand, inside their friction cones, that come closest to what the base needs are found for each
frame, and taken off the torques of the legs. What they cannot give is reported as unsupported.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree

import mujoco
import numpy as np
from scipy.optimize import nnls

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.feet.floor import find_ground
from kinetune.body.robots.robot import Robot, robot_of
from kinetune.errors import ParameterError
from kinetune.findings import Finding
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

FRICTION = 0.8
_SMALL = 1e-3  # weight of the forces themselves, against the needs of the base in newtons
_SMALLEST_MASS = 1e-5


@dataclass(frozen=True, eq=False)
class RobotTorques:
    """What the joints of a robot must push.

    Parameters
    ----------
    names : tuple of str
        The joints.
    torques : array, shape (frames, joints)
        Newton metres; newtons for a slide.
    limits : array, shape (joints,)
        What each can push; infinite where the robot's file does not say.
    unsupported : array, shape (frames,)
        The force on the base that no foot gives, in weights of the robot.
    """

    names: tuple[str, ...]
    torques: Floats
    limits: Floats
    unsupported: Floats

    def beyond(self) -> dict[str, tuple[float, float]]:
        """Joints that would have to push more than they can: the highest share of their limit, and how often."""
        share = np.abs(self.torques) / self.limits
        return {
            name: (float(share[:, k].max()), float(np.mean(share[:, k] > 1.0)))
            for k, name in enumerate(self.names)
            if np.any(share[:, k] > 1.0)
        }

    def findings(self) -> tuple[Finding, ...]:
        """One warning for each joint that would have to push more than it can, and when it does so for longest."""
        found = []
        for name, (share, _) in self.beyond().items():
            k = self.names.index(name)
            over = np.asarray(np.abs(self.torques[:, k]) > self.limits[k])
            start, stop = max(true_ranges(over), key=lambda each: each[1] - each[0])
            text = f'The joint "{name}" needs {share:.1f} times the {self.limits[k]:g} N m of its motor.'
            found.append(Finding("physics-torque-limit", text, frame=(start, stop - 1), joints=(name,)))
        return tuple(found)


def robot_torques(clip: Clip) -> RobotTorques:
    """The torques that the motion of a robot takes.

    Parameters
    ----------
    clip : Clip
        A motion of a robot with masses; its contacts say which feet stand, or they are found.

    Raises
    ------
    ParameterError
        For a clip that is not a robot's, or a robot whose file names no masses.
    """
    robot = robot_of(clip)
    if robot is None:
        raise ParameterError(
            "Torques are computed for robots, and this is not a robot's clip. Retarget it to one first."
        )
    if robot.mass <= 0.0:
        raise ParameterError(f"The file of {robot.name} states no masses, so torques cannot be computed.")
    if len(clip) < 3:
        raise ParameterError(f"Torques need at least three frames; the clip has {len(clip)}.")
    model = mujoco.MjModel.from_xml_string(_mjcf(robot))
    data = mujoco.MjData(model)
    rows = _rows(robot, clip, model)
    speed = np.zeros((len(clip), model.nv))
    last = len(clip) - 1
    for t in range(len(clip)):
        a, b = max(t - 1, 0), min(t + 1, last)
        mujoco.mj_differentiatePos(model, speed[t], (b - a) / clip.fps, rows[a], rows[b])
    acceleration = np.gradient(speed, 1.0 / clip.fps, axis=0)
    points, standing = _standing_points(clip)
    base = 6 if robot.floating else 0
    chosen = [int(model.joint(str(k)).dofadr[0]) for k, joint in enumerate(robot.joints) if joint.kind != "ball"]
    torques = np.zeros((len(clip), len(chosen)))
    unsupported = np.zeros(len(clip))
    jacobian = np.zeros((3, model.nv))
    for t in range(len(clip)):
        data.qpos[:], data.qvel[:], data.qacc[:] = rows[t], speed[t], acceleration[t]
        mujoco.mj_inverse(model, data)
        needed = data.qfrc_inverse.copy()
        pushes = []
        for k in np.flatnonzero(standing[t]).tolist():
            node, offset = points[k]
            at = clip.positions()[t, node] + rot.rotate(clip.world_rotations()[t, node], offset)
            mujoco.mj_jac(model, data, jacobian, None, at, node + 1)
            pushes += [jacobian.T @ edge for edge in _CONE]
        if base:
            size = robot.mass * GRAVITY
            if pushes:
                matrix = np.array(pushes).T  # (nv, edges)
                tall = np.concatenate([matrix[:base], _SMALL * np.eye(matrix.shape[1])])
                needed -= matrix @ nnls(tall, np.concatenate([needed[:base], np.zeros(matrix.shape[1])]))[0]
            unsupported[t] = float(np.linalg.norm(needed[:3])) / size
        torques[t] = needed[chosen]
    moving = [joint for joint in robot.joints if joint.kind != "ball"]
    return RobotTorques(
        tuple(joint.name for joint in moving), torques, np.array([joint.effort for joint in moving]), unsupported
    )


_CONE = np.array([(FRICTION * x, 1.0, FRICTION * z) for x, z in ((1, 0), (-1, 0), (0, 1), (0, -1))])


def _standing_points(clip: Clip) -> tuple[list[tuple[int, Floats]], Floats]:
    """Points of the soles, and when each stands (frames, points)."""
    ground = find_ground(clip)
    if ground is None:
        return [], np.zeros((len(clip), 0))
    contacts = find_contacts(clip) if clip.contacts is None else clip.contacts
    points, flags = [], []
    for foot in ground.feet:
        if foot.side not in contacts.sides:
            continue
        column = contacts.column(foot.side)
        for point in foot.points:
            part = contacts.heels if point.name == "heel" else contacts.toes
            points.append((point.joint, np.array(point.offset)))
            flags.append(contacts.flags[:, column] & part[:, column])
    return points, np.stack(flags, axis=1).astype(float) if flags else np.zeros((len(clip), 0))


def _mjcf(robot: Robot) -> str:
    """The robot in our axes, Y up, without contacts; its joints are called by their numbers."""
    top = ElementTree.Element("mujoco", model=robot.name)
    ElementTree.SubElement(
        top,
        "compiler",
        angle="radian",
        balanceinertia="true",
        boundmass=repr(_SMALLEST_MASS),
        boundinertia=repr(_SMALLEST_MASS**2),
    )
    option = ElementTree.SubElement(top, "option", gravity=f"0 {-GRAVITY} 0")
    ElementTree.SubElement(option, "flag", contact="disable", constraint="disable")
    nodes = [ElementTree.SubElement(top, "worldbody")]
    skeleton = robot.skeleton
    numbers = {joint.column: str(k) for k, joint in enumerate(robot.joints)}
    for node, parent in enumerate(skeleton.parents.tolist()):
        place = skeleton.offsets[node] if parent >= 0 or not robot.floating else np.zeros(3)
        turned = skeleton.rest[node] if parent >= 0 or not robot.floating else rot.identity()
        body = ElementTree.SubElement(nodes[parent + 1], "body", pos=_text(place), quat=_text(turned))
        nodes.append(body)
        if node == 0 and robot.floating:
            ElementTree.SubElement(body, "freejoint")
        for joint in robot.by_node.get(node, ()):
            ElementTree.SubElement(
                body,
                "joint",
                name=numbers[joint.column],
                type=joint.kind,
                axis=_text(np.array(joint.axis)),
                limited="false",
            )
        if robot.masses[node] > 0.0:
            inertia = robot.inertias[node] + 1e-9 * np.eye(3)
            full = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
            ElementTree.SubElement(
                body,
                "inertial",
                pos=_text(robot.centres[node]),
                mass=repr(float(robot.masses[node])),
                fullinertia=_text(full),
            )
        else:
            ElementTree.SubElement(
                body, "inertial", pos="0 0 0", mass=repr(_SMALLEST_MASS), diaginertia=_text(np.full(3, 1e-8))
            )
    return ElementTree.tostring(top, encoding="unicode")


def _text(values: Floats) -> str:
    return " ".join(repr(float(value)) for value in values)


def _rows(robot: Robot, clip: Clip, model: mujoco.MjModel) -> Floats:
    """Rows (frames, nq) of the model's own values."""
    values, _ = robot.qpos(clip)
    rows = np.zeros((len(clip), model.nq))
    if robot.floating:
        rows[:, :3], rows[:, 3:7] = clip.root, rot.continuous(np.array(clip.rotations[:, 0]))
    for k, joint in enumerate(robot.joints):
        first, size = int(model.joint(str(k)).qposadr[0]), 4 if joint.kind == "ball" else 1
        value = values[:, joint.column : joint.column + size]
        rows[:, first : first + size] = value if size == 4 else value - joint.reference
    return rows
