"""The torques that a robot's motion takes, by MuJoCo's inverse dynamics.

What the joints and the base must push follows from the motion. A base is pushed by nothing but the floor: the forces of
the sole points that stand, inside their friction cones, that come closest to what the base needs are found for each
frame, and taken off the torques of the legs. What they cannot give is reported as unsupported. Two feet can share a
load in many ways: where the even one would take more than a motor gives, the one that strains motors least is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

import mujoco
import numpy as np
from scipy.optimize import linprog, nnls

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.feet.floor import find_ground
from kinetune.body.robots.robot import Robot, robot_of
from kinetune.errors import ParameterError
from kinetune.findings import Finding
from kinetune.physics.ground import Bools
from kinetune.physics.model.body_model import ContactPoint
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

FRICTION = 0.8
_SMALL = 1e-3  # weight of the forces themselves, against the needs of the base in newtons
_SMALLEST_MASS = 1e-5
_SLACK = 1.05  # of a limit, for torques by differences


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
        What each can push; infinite where the file of the robot does not say, or says 0.
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
        """One warning for each joint that would clearly have to push more than it can, the most overloaded first."""
        findings = []
        for name, (share, _) in sorted(self.beyond().items(), key=lambda each: -each[1][0]):
            if share <= _SLACK:
                continue
            k = self.names.index(name)
            over = np.asarray(np.abs(self.torques[:, k]) > _SLACK * self.limits[k])
            start, stop = max(true_ranges(over), key=lambda each: each[1] - each[0])
            text = f'The joint "{name}" needs {share:.1f} times the {self.limits[k]:g} N m of its motor.'
            findings.append(Finding("physics-torque-limit", text, frame=(start, stop - 1), joints=(name,)))
        return tuple(findings)


def robot_torques(
    clip: Clip, points: Sequence[ContactPoint] | None = None, standing: Bools | None = None
) -> RobotTorques:
    """The torques that the motion of a robot takes.

    Parameters
    ----------
    clip : Clip
        A motion of a robot with masses; its contacts say which feet stand, or they are found.
    points : sequence of ContactPoint, optional
        What touches the ground, where it is known better than by the clip's contacts.
    standing : bool array, shape (frames, points), optional
        When each of them does.

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
    between = np.zeros((len(clip) - 1, model.nv))
    for t, step in enumerate(between):
        mujoco.mj_differentiatePos(model, step, 1.0 / clip.fps, rows[t], rows[t + 1])
    speed = np.concatenate([between[:1], 0.5 * (between[1:] + between[:-1]), between[-1:]])
    bend = np.diff(between, axis=0) * clip.fps
    acceleration = np.concatenate([bend[:1], bend, bend[-1:]])
    if points is None or standing is None:
        places, standing = _standing_points(clip)
    else:
        places = [(point.joint, point.position) for point in points]
    base = 6 if robot.floating else 0
    chosen = [int(model.joint(str(k)).dofadr[0]) for k, joint in enumerate(robot.joints) if joint.kind != "ball"]
    moving = [joint for joint in robot.joints if joint.kind != "ball"]
    limits = np.array([joint.effort if joint.effort > 0.0 else np.inf for joint in moving])
    torques = np.zeros((len(clip), len(chosen)))
    unsupported = np.zeros(len(clip))
    jacobian = np.zeros((3, model.nv))
    for t in range(len(clip)):
        data.qpos[:], data.qvel[:], data.qacc[:] = rows[t], speed[t], acceleration[t]
        mujoco.mj_inverse(model, data)
        needed = data.qfrc_inverse.copy()
        pushes = []
        for k in np.flatnonzero(standing[t]).tolist():
            node, offset = places[k]
            at = clip.positions()[t, node] + rot.rotate(clip.world_rotations()[t, node], offset)
            mujoco.mj_jac(model, data, jacobian, None, at, node + 1)
            pushes += [jacobian.T @ edge for edge in _CONE]
        if base:
            size = robot.mass * GRAVITY
            if pushes:
                matrix = np.array(pushes).T  # (nv, edges)
                tall = np.concatenate([matrix[:base], _SMALL * np.eye(matrix.shape[1])])
                even = nnls(tall, np.concatenate([needed[:base], np.zeros(matrix.shape[1])]))[0]
                needed -= matrix @ _spared(matrix, needed, even, chosen, limits)
            unsupported[t] = float(np.linalg.norm(needed[:3])) / size
        torques[t] = needed[chosen]
    return RobotTorques(tuple(joint.name for joint in moving), torques, limits, unsupported)


def _spared(matrix: Floats, needed: Floats, even: Floats, chosen: list[int], limits: Floats) -> Floats:
    """Pushes (edges,) that carry the base as even ones do, and strain no motor beyond its limit if that can be.

    A linear program: the largest share of a limit is made as small as it can be, or 1.
    """
    free, arms = needed[chosen] / limits, matrix[chosen] / limits[:, None]
    if np.all(np.abs(free - arms @ even) <= 1.0):
        return even
    share = np.full((len(chosen), 1), -1.0)
    solution = linprog(
        np.append(np.zeros(len(even)), 1.0),
        A_ub=np.block([[-arms, share], [arms, share]]),
        b_ub=np.concatenate([-free, free]),
        A_eq=np.append(matrix[:6], np.zeros((6, 1)), axis=1),
        b_eq=matrix[:6] @ even,
        bounds=[*[(0.0, None)] * len(even), (1.0, None)],
    )
    return even if solution.x is None else np.asarray(solution.x[:-1])


_CONE = np.array([(FRICTION * x, 1.0, FRICTION * z) for x, z in ((1, 0), (-1, 0), (0, 1), (0, -1))])


def _standing_points(clip: Clip) -> tuple[list[tuple[int, Floats]], Bools]:
    """Points of the soles, and when each stands (frames, points)."""
    ground = find_ground(clip)
    if ground is None:
        return [], np.zeros((len(clip), 0), dtype=bool)
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
    return points, np.stack(flags, axis=1) if flags else np.zeros((len(clip), 0), dtype=bool)


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
