"""Links and joints of a URDF file; meshes are not opened.

A joint's frame is its origin (xyz, then rpy about fixed axes, R = Rz Ry Rx) in the frame of the parent link; the child
link has that frame too. Axes default to 1 0 0 and may have any length. A spherical joint, which Bullet knows, is a
ball. The base floats: URDF cannot say so.
"""

from __future__ import annotations

import numpy as np

from kinetune import rotations as rot
from kinetune.body.robots.robot import Kind, Robot
from kinetune.body.robots.shapes import ShapeKind
from kinetune.findings import Finding
from kinetune.formats.robots.body_tree import FileBody, FileJoint, FileShape, build_robot
from kinetune.formats.robots.xml_nodes import XmlNode, numbers
from kinetune.rotations import Floats

_KINDS: dict[str, Kind] = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "spherical": "ball"}
_NO_TURN = [1.0, 0.0, 0.0, 0.0]


def robot_from_urdf(top: XmlNode, findings: list[Finding]) -> Robot:
    """The robot of a URDF file."""
    unread = next((node.tag for node in top.children if node.tag.startswith("xacro:")), None)
    if unread is not None:
        raise top.error(f"it holds <{unread}>, which must be expanded first.", "Use: xacro robot.xacro > robot.urdf")
    links = {_name(link): link for link in top.all("link")}
    joints = list(top.all("joint"))
    if not links:
        raise top.error("the robot has no links.")
    below: dict[str, list[XmlNode]] = {}
    children: set[str] = set()
    for joint in joints:
        parent, child = (_link(joint, tag, links) for tag in ("parent", "child"))
        if child in children:
            raise joint.error(f'the link "{child}" has two parent joints.')
        below.setdefault(parent, []).append(joint)
        children.add(child)
    roots = [name for name in links if name not in children]
    if len(roots) != 1:
        which = "none" if not roots else f"{len(roots)}: {', '.join(roots[:4])}"
        raise top.error(f"a robot has one link without a parent; this file has {which}.")
    base = roots[0]
    only = below.get(base, [])
    if base == "world" and len(only) == 1 and only[0].attributes.get("type") in ("floating", "fixed"):
        base = _link(only[0], "child", links)
    bodies = [_body(links[base], base, -1, None)]
    home = [0.0, 0.0, 0.0, *_NO_TURN]
    waiting = [(joint, 0) for joint in reversed(below.get(base, []))]
    while waiting:
        joint, above = waiting.pop()
        child = _link(joint, "child", links)
        body = _body(links[child], child, above, joint)
        moving = _joint(joint, len(home), findings)
        if moving is not None:
            body.joints.append(moving)
            home += _NO_TURN if moving.kind == "ball" else [0.0]
        bodies.append(body)
        waiting.extend((below_it, len(bodies) - 1) for below_it in reversed(below.get(child, [])))
    _follow(bodies, joints)
    return build_robot(top.attributes.get("name") or "robot", bodies, np.array(home), floating=True)


def _follow(bodies: list[FileBody], joints: list[XmlNode]) -> None:
    """Note which joints follow others (<mimic>): their columns are known once all joints are."""
    columns = {joint.name: joint.column for body in bodies for joint in body.joints}
    leaders: dict[str, tuple[int, float, float]] = {}
    for node in joints:
        mimic = node.first("mimic")
        name = node.attributes.get("name", "")
        if mimic is None or name not in columns:
            continue
        other = mimic.attributes.get("joint", "")
        if other not in columns or other == name:
            raise mimic.error(f'the joint "{name}" follows "{other[:60]}", which is not another moving joint.')
        factor = numbers(mimic, mimic.attributes.get("multiplier"), "multiplier", 1, (1.0,))
        offset = numbers(mimic, mimic.attributes.get("offset"), "offset", 1, (0.0,))
        leaders[name] = columns[other], float(factor[0]), float(offset[0])
    for body in bodies:
        body.joints = [joint._replace(mimic=leaders.get(joint.name)) for joint in body.joints]


def _name(node: XmlNode) -> str:
    name = node.attributes.get("name")
    if not name:
        raise node.error(f"a <{node.tag}> has no name.")
    return name


def _link(joint: XmlNode, tag: str, links: dict[str, XmlNode]) -> str:
    node = joint.first(tag)
    name = None if node is None else node.attributes.get("link")
    if name is None or name not in links:
        raise joint.error(f'the {tag} of joint "{joint.attributes.get("name", "?")}" is not a link of this file.')
    return name


def _origin(node: XmlNode | None) -> tuple[Floats, Floats]:
    """Position and rotation of the <origin> in a node."""
    origin = None if node is None else node.first("origin")
    if origin is None:
        return np.zeros(3), rot.identity()
    position = numbers(origin, origin.attributes.get("xyz"), "xyz", 3, (0.0, 0.0, 0.0))
    roll, pitch, yaw = numbers(origin, origin.attributes.get("rpy"), "rpy", 3, (0.0, 0.0, 0.0))
    return position, rot.from_euler(np.array([yaw, pitch, roll]), "ZYX")


def _body(link: XmlNode, name: str, parent: int, joint: XmlNode | None) -> FileBody:
    body = FileBody(name, parent, *_origin(joint))
    inertial = link.first("inertial")
    if inertial is not None:
        body.centre, turned = _origin(inertial)
        mass, inertia = inertial.first("mass"), inertial.first("inertia")
        if mass is not None:
            body.mass = float(numbers(mass, mass.attributes.get("value"), "value", 1, (0.0,))[0])
        if inertia is not None:
            names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
            xx, xy, xz, yy, yz, zz = (
                float(numbers(inertia, inertia.attributes.get(n), n, 1, (0.0,))[0]) for n in names
            )
            axes = rot.to_matrix(turned)
            body.inertia = axes @ np.array([(xx, xy, xz), (xy, yy, yz), (xz, yz, zz)]) @ axes.T
    for collision in link.all("collision"):
        body.shapes += _shapes(collision)
    return body


def _shapes(collision: XmlNode) -> list[FileShape]:
    """The primitive shapes of a <collision>."""
    position, turned = _origin(collision)
    geometry = collision.first("geometry")
    shapes = []
    for node in geometry.children if geometry is not None else ():
        kind: ShapeKind
        if node.tag == "box":
            kind, half = "box", 0.5 * numbers(node, node.attributes.get("size"), "size", 3, (0.0, 0.0, 0.0))
        elif node.tag in ("cylinder", "capsule", "sphere"):
            kind = node.tag  # type: ignore[assignment]
            radius = float(numbers(node, node.attributes.get("radius"), "radius", 1, (0.0,))[0])
            length = float(numbers(node, node.attributes.get("length"), "length", 1, (0.0,))[0])
            half = np.array([radius, radius, radius if kind == "sphere" else 0.5 * length])
        else:
            continue
        shapes.append(FileShape(kind, position, turned, np.abs(half)))
    return shapes


def _joint(joint: XmlNode, column: int, findings: list[Finding]) -> FileJoint | None:
    kind = joint.attributes.get("type", "")
    if kind not in _KINDS:
        if kind not in ("fixed", "floating", "planar"):
            raise joint.error(
                f'"{kind}" is not a type of joint.', "It is revolute, continuous, prismatic, spherical or fixed."
            )
        if kind != "fixed":
            message = f'The joint "{_name(joint)}" is {kind} inside the robot, which is taken as fixed.'
            findings.append(Finding("fixed-joint", message))
        return None
    axis_node = joint.first("axis")
    text = None if axis_node is None else axis_node.attributes.get("xyz")
    axis = numbers(axis_node or joint, text, "xyz", 3, (1.0, 0.0, 0.0))
    size = float(np.linalg.norm(axis))
    if size < 1e-9:
        raise joint.error(f'the axis of joint "{_name(joint)}" has no length.')
    limit = joint.first("limit")
    limits = {"lower": -np.inf, "upper": np.inf, "velocity": np.inf, "effort": np.inf}
    if limit is not None:
        for name, value in limits.items():
            given = numbers(limit, limit.attributes.get(name), name, 1, (value,), unbounded=True)
            limits[name] = float(given[0])
        if kind == "continuous":
            limits["lower"], limits["upper"] = -np.inf, np.inf
    lower, upper, velocity, effort = limits.values()
    bounds = (lower, upper, velocity, effort)
    return FileJoint(_name(joint), _KINDS[kind], axis / size, np.zeros(3), column, *bounds)
