"""Bodies and joints of an MJCF file, MuJoCo's own format; meshes are not opened.

Default classes are resolved as MuJoCo does: a class has the attributes of the class around it and its own, and an
element takes those of its ``class``, of the nearest ``childclass`` around it, or of the outermost class. Included files
must lie in the folder of the opened file or below.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from kinetune import rotations as rot
from kinetune.body.robots.robot import Kind, Robot
from kinetune.body.robots.shapes import ShapeKind
from kinetune.errors import FileError, MalformedFileError
from kinetune.findings import Finding
from kinetune.formats.robots.body_tree import FileBody, FileJoint, FileShape, build_robot
from kinetune.formats.robots.xml_nodes import MOST_ELEMENTS, XmlNode, numbers, read_xml
from kinetune.rotations import Floats

_MOST_FILES = 50
_ACTUATORS = ("motor", "position", "velocity", "intvelocity", "general", "damper", "muscle")
_UNREAD = ("attach", "replicate", "composite", "flexcomp")
_DENSITY = 1000.0
_VOLUMES: dict[ShapeKind, float] = {  # of the product of the half sides
    "sphere": 4.0 / 3.0 * np.pi,
    "ellipsoid": 4.0 / 3.0 * np.pi,
    "capsule": 2.0 * np.pi,
    "cylinder": 2.0 * np.pi,
    "box": 8.0,
}
_BASE_ROBOT = 6  # moving joints from which a second tree is another robot, not an object


def robot_from_mjcf(top: XmlNode, findings: list[Finding], key: str | int | None = None) -> tuple[Robot, Floats]:
    """The robot of an MJCF file, and the row of joint values of a keyframe, or at rest when none is asked for."""
    _include(top, Path(top.path), [0, 0])
    model = _Model(top, findings)
    for world in top.all("worldbody"):
        model.read_children(world, -1, np.zeros(3), rot.identity(), "main")
    robot = model.build()
    return robot, robot.home if key is None else _keyframe(top, robot, key)


def _include(node: XmlNode, main: Path, counts: list[int]) -> None:
    """Put the content of included files in place of the elements that name them."""
    counts[1] += len(node.children)
    if counts[1] > MOST_ELEMENTS:
        raise node.error(f"the files have more than {MOST_ELEMENTS:,} elements together.")
    children: list[XmlNode] = []
    for child in node.children:
        if child.tag != "include":
            _include(child, main, counts)
            children.append(child)
            continue
        counts[0] += 1
        if counts[0] > _MOST_FILES:
            raise child.error(f"more than {_MOST_FILES} files are included. Do they include each other?")
        content = _included(child, main)
        _include(content, main, counts)
        children += content.children
    node.children = children


def _included(node: XmlNode, main: Path) -> XmlNode:
    name = node.attributes.get("file", "")
    folder = os.path.realpath(main.parent)
    target = os.path.realpath(os.path.join(folder, name.replace("\\", "/")))
    if not name or "\0" in name or os.path.commonpath([folder, target]) != folder:
        raise node.error(
            f'the included file "{name[:80]}" does not lie in the folder of the opened file.',
            "Copy it there, or save the robot as one file with: mujoco.mj_saveLastXML(path, model)",
        )
    try:
        return read_xml(Path(target))
    except MalformedFileError:
        raise
    except FileError as failure:
        raise node.error(f'the included file "{name[:80]}" cannot be read: {failure.problem}') from None


@dataclass
class _Tree:
    """One body of the world and all below it."""

    bodies: list[FileBody] = field(default_factory=list)
    free: int | None = None

    @property
    def moving(self) -> int:
        return sum(len(body.joints) for body in self.bodies)


class _Model:
    def __init__(self, top: XmlNode, findings: list[Finding]) -> None:
        self.top, self.findings = top, findings
        compiler: dict[str, str] = {}
        for node in top.all("compiler"):
            compiler |= node.attributes
        self.to_radians = 1.0 if compiler.get("angle", "degree") == "radian" else np.pi / 180.0
        self.sequence = compiler.get("eulerseq", "xyz")
        if len(self.sequence) != 3 or set(self.sequence.lower()) - set("xyz"):
            raise top.error(f'eulerseq "{self.sequence[:20]}" is not three of x, y and z.')
        self.total_mass = numbers(top, compiler.get("settotalmass"), "settotalmass", 1, (-1.0,))[0]
        self.auto_limits = compiler.get("autolimits", "true") == "true"
        self.classes: dict[str, dict[str, dict[str, str]]] = {"main": {}}
        for node in top.all("default"):
            self._read_class(node, {}, "main")
        self.efforts = self._efforts()
        self.trees: list[_Tree] = []
        self.home: list[float] = []
        self.meshes_weigh = False

    def build(self) -> Robot:
        trees = sorted(self.trees, key=lambda tree: -tree.moving)
        if not trees:
            raise self.top.error("there is no body in it.", "Open the file of the robot itself.")
        robots = [tree for tree in trees if tree.moving >= _BASE_ROBOT]
        if len(robots) > 1:
            names = " and ".join(f'"{tree.bodies[0].name}"' for tree in robots[:3])
            raise self.top.error(f"it holds {len(robots)} robots, {names}.", "Keep one of them in the file.")
        chosen = trees[0]
        others = [tree.bodies[0].name for tree in self.trees if tree is not chosen]
        if others:
            message = f"Only the largest tree of bodies is read; {len(others)} such as {others[0]!r} are left out."
            self.findings.append(Finding("left-out-bodies", message))
        if self.meshes_weigh:
            message = "Bodies without an <inertial> weigh what their meshes do, which are not opened."
            self.findings.append(Finding("unknown-mass", message, severity="info"))
        self._follow(chosen.bodies)
        weight = sum(body.mass for tree in trees for body in tree.bodies)
        if self.total_mass > 0.0 and weight > 0.0:
            for body in chosen.bodies:
                body.mass *= self.total_mass / weight
                body.inertia = body.inertia * (self.total_mass / weight)
        name = self.top.attributes.get("model") or "robot"
        floating, column = chosen.free is not None, chosen.free or 0
        return build_robot(name, chosen.bodies, np.array(self.home), floating=floating, base_column=column)

    def _follow(self, bodies: list[FileBody]) -> None:
        """Note which joints follow others by an equality of joints, as far as it is linear."""
        columns = {joint.name: joint.column for body in bodies for joint in body.joints}
        leaders: dict[str, tuple[int, float, float]] = {}
        for node in (node for block in self.top.all("equality") for node in block.all("joint")):
            values = self._attributes(node, "main")
            one, other = values.get("joint1", ""), values.get("joint2", "")
            terms = values.get("polycoef", "0 1 0 0 0").split()
            factors = numbers(node, " ".join(terms), "polycoef", len(terms))
            if one in columns and other in columns and factors is not None and not np.any(factors[2:]):
                offset, factor = [*factors.tolist(), 0.0, 0.0][:2]
                leaders[one] = columns[other], factor, offset
        for body in bodies:
            body.joints = [joint._replace(mimic=leaders.get(joint.name)) for joint in body.joints]

    # --- defaults

    def _read_class(self, node: XmlNode, around: dict[str, dict[str, str]], name: str) -> None:
        defaults = {tag: dict(values) for tag, values in around.items()}
        for child in node.children:
            if child.tag != "default":
                defaults[child.tag] = {**defaults.get(child.tag, {}), **child.attributes}
        self.classes[name] = {**self.classes.get(name, {}), **defaults}
        if name == "main" and "class" in node.attributes:  # the outermost class by a name of its own
            self.classes[node.attributes["class"]] = self.classes[name]
        for child in node.all("default"):
            self._read_class(child, defaults, child.attributes.get("class", ""))

    def _attributes(self, node: XmlNode, around: str) -> dict[str, str]:
        """The attributes of an element with those of its default class below them."""
        name = node.attributes.get("class", around)
        if name not in self.classes:
            raise node.error(f'there is no default class "{name[:40]}".')
        return {**self.classes[name].get(node.tag, {}), **node.attributes}

    def _efforts(self) -> dict[str, float]:
        """The highest force of each joint's actuators, by joint."""
        efforts: dict[str, float] = {}
        for block in self.top.all("actuator"):
            for node in block.children:
                values = self._attributes(node, "main") if node.tag in _ACTUATORS else {}
                joint = values.get("joint", values.get("jointinparent"))
                sizes = values.get("gear", "1").split()
                gear = numbers(node, sizes[0] if sizes else "1", "gear", 1, (1.0,))
                limits = numbers(node, values.get("forcerange"), "forcerange", 2)
                if limits is None and node.tag == "motor":
                    limits = numbers(node, values.get("ctrlrange"), "ctrlrange", 2)
                if joint is not None and limits is not None:
                    most = float(np.abs(limits).max() * np.abs(gear[0]))
                    efforts[joint] = efforts.get(joint, 0.0) + most
        return efforts

    # --- bodies

    def read_children(self, node: XmlNode, parent: int, position: Floats, turned: Floats, around: str) -> None:
        """The bodies in a body, a frame or the world, mounted on a parent."""
        for child in node.children:
            if child.tag in _UNREAD:
                raise child.error(
                    f"<{child.tag}> is not read.",
                    "Save the robot as plain MJCF: mujoco.mj_saveLastXML(path, mujoco.MjModel.from_xml_path(old))",
                )
            if child.tag not in ("body", "frame"):
                continue
            inside = child.attributes.get("childclass", around)
            own_position, own_turned = self._place(child, child.attributes)
            where = position + rot.rotate(turned, own_position)
            rotation = rot.multiply(turned, own_turned)
            if child.tag == "frame":
                self.read_children(child, parent, where, rotation, inside)
            elif child.attributes.get("mocap") != "true":
                self._read_body(child, parent, where, rotation, inside)

    def _read_body(self, node: XmlNode, parent: int, position: Floats, turned: Floats, around: str) -> None:
        if parent < 0:
            self.trees.append(_Tree())
        tree = self.trees[-1]
        name = node.attributes.get("name") or f"body{sum(len(each.bodies) for each in self.trees) + 1}"
        body = FileBody(name, parent, position, turned)
        tree.bodies.append(body)
        number = len(tree.bodies) - 1
        self._read_joints(node, body, tree, around)
        self._read_mass(node, body, around)
        self.read_children(node, number, np.zeros(3), rot.identity(), around)

    def _read_joints(self, node: XmlNode, body: FileBody, tree: _Tree, around: str) -> None:
        for child in _flat(node, ("joint", "freejoint")):
            values = self._attributes(child, around) if child.tag == "joint" else {**child.attributes, "type": "free"}
            kind = values.get("type", "hinge")
            column = len(self.home)
            if kind == "free":
                if body.parent >= 0 or body.joints or tree.free is not None:
                    raise child.error("a free joint must be the only joint of a body in the world.")
                tree.free = column
                self.home += [*body.position.tolist(), *body.rotation.tolist()]
            elif kind in ("hinge", "slide", "ball"):
                body.joints.append(self._joint(child, values, kind, column))  # type: ignore[arg-type]
                self.home += [1.0, 0.0, 0.0, 0.0] if kind == "ball" else [body.joints[-1].reference]
            else:
                raise child.error(f'"{kind[:40]}" is not a type of joint.', "It is hinge, slide, ball or free.")

    def _joint(self, node: XmlNode, values: dict[str, str], kind: Kind, column: int) -> FileJoint:
        scale = self.to_radians if kind != "slide" else 1.0
        name = values.get("name") or f"joint{column}"
        axis = numbers(node, values.get("axis"), "axis", 3, (0.0, 0.0, 1.0))
        size = float(np.linalg.norm(axis))
        if size < 1e-9:
            raise node.error(f'the axis of joint "{name}" has no length.')
        limits = numbers(node, values.get("range"), "range", 2)
        limited = values.get("limited", "auto")
        if limited == "false" or (limited == "auto" and not self.auto_limits):
            limits = None
        lower, upper = (-np.inf, np.inf) if limits is None else (scale * limits).tolist()
        force = numbers(node, values.get("actuatorfrcrange"), "actuatorfrcrange", 2)
        effort = self.efforts.get(name, np.inf) if force is None else float(np.abs(force).max())
        position = numbers(node, values.get("pos"), "pos", 3, (0.0, 0.0, 0.0))
        reference = scale * float(numbers(node, values.get("ref"), "ref", 1, (0.0,))[0])
        return FileJoint(name, kind, axis / size, position, column, lower, upper, np.inf, effort, reference)

    def _read_mass(self, node: XmlNode, body: FileBody, around: str) -> None:
        inertial = node.first("inertial")
        geoms = [(child, self._attributes(child, around)) for child in _flat(node, ("geom",))]
        parts = []
        for child, values in geoms:
            shape, mass = self._geom(child, values)
            if shape is None:
                continue
            parts.append((mass, shape))
            if values.get("contype") != "0" or values.get("conaffinity") != "0":
                body.shapes.append(shape)
        if inertial is not None:
            body.mass = float(numbers(inertial, inertial.attributes.get("mass"), "mass", 1, (0.0,))[0])
            body.centre, turned = self._place(inertial, inertial.attributes)
            body.inertia = _turned(turned, self._inertia(inertial))
            return
        total = sum(mass for mass, _ in parts)
        self.meshes_weigh |= any(values.get("type") == "mesh" or "mesh" in values for _, values in geoms)
        if total <= 0.0:
            return
        body.mass = total
        body.centre = sum((mass * shape.centre for mass, shape in parts), np.zeros(3)) / total
        for mass, shape in parts:
            arm = shape.centre - body.centre
            body.inertia = body.inertia + mass * (float(arm @ arm) * np.eye(3) - np.outer(arm, arm))
            body.inertia += _turned(shape.rotation, np.diag(mass * _moments(shape)))

    def _inertia(self, node: XmlNode) -> Floats:
        full = numbers(node, node.attributes.get("fullinertia"), "fullinertia", 6)
        if full is not None:
            xx, yy, zz, xy, xz, yz = full
            return np.array([(xx, xy, xz), (xy, yy, yz), (xz, yz, zz)])
        return np.diag(numbers(node, node.attributes.get("diaginertia"), "diaginertia", 3, (0.0, 0.0, 0.0)))

    def _geom(self, node: XmlNode, values: dict[str, str]) -> tuple[FileShape | None, float]:
        """A primitive shape and its mass; a mesh has none that we know."""
        kind = values.get("type", "sphere")
        if kind not in _VOLUMES or "mesh" in values:
            return None, 0.0
        sizes = values.get("size", "0").split()
        size = np.zeros(3)
        given = numbers(node, values.get("size"), "size", len(sizes)) if sizes else None
        if given is not None:
            size[: min(3, len(given))] = np.abs(given[:3])
        centre, turned = self._place(node, values)
        ends = numbers(node, values.get("fromto"), "fromto", 6)
        half = size[1]
        if ends is not None:
            centre, half = 0.5 * (ends[:3] + ends[3:]), 0.5 * float(np.linalg.norm(ends[3:] - ends[:3]))
            if half > 1e-9:
                turned = rot.between((0.0, 0.0, 1.0), ends[3:] - ends[:3])
        radius = float(size[0])
        if kind in ("capsule", "cylinder"):
            size = np.array([radius, radius, half])
        elif kind == "sphere":
            size = np.full(3, radius)
        shape = FileShape(kind, centre, turned, size)
        density = float(numbers(node, values.get("density"), "density", 1, (_DENSITY,))[0])
        mass = numbers(node, values.get("mass"), "mass", 1)
        return shape, density * _volume(shape) if mass is None else float(mass[0])

    # --- frames

    def _place(self, node: XmlNode, values: dict[str, str]) -> tuple[Floats, Floats]:
        """Position and rotation of an element."""
        position = numbers(node, values.get("pos"), "pos", 3, (0.0, 0.0, 0.0))
        quaternion = numbers(node, values.get("quat"), "quat", 4)
        if quaternion is not None:
            return position, self._unit(node, quaternion, "quat")
        angles = numbers(node, values.get("axisangle"), "axisangle", 4)
        if angles is not None:
            axis = self._unit(node, angles[:3], "axisangle")
            return position, rot.from_axis_angle(axis, self.to_radians * angles[3])
        angles = numbers(node, values.get("euler"), "euler", 3)
        if angles is not None:
            return position, self._euler(self.to_radians * angles)
        axes = numbers(node, values.get("xyaxes"), "xyaxes", 6)
        if axes is not None:
            x = self._unit(node, axes[:3], "xyaxes")
            y = self._unit(node, axes[3:] - (axes[3:] @ x) * x, "xyaxes")
            return position, rot.from_matrix(np.stack([x, y, np.cross(x, y)], axis=1))
        axis_z = numbers(node, values.get("zaxis"), "zaxis", 3)
        if axis_z is not None:
            return position, rot.between((0.0, 0.0, 1.0), self._unit(node, axis_z, "zaxis"))
        return position, rot.identity()

    def _unit(self, node: XmlNode, vector: Floats, name: str) -> Floats:
        size = float(np.linalg.norm(vector))
        if size < 1e-9:
            raise node.error(f"{name} of <{node.tag}> has no length.")
        return np.asarray(vector / size)

    def _euler(self, angles: Floats) -> Floats:
        """Lower case letters of the sequence turn with the body, capitals about fixed axes."""
        turned = rot.identity()
        for letter, angle in zip(self.sequence, angles.tolist(), strict=True):
            axis = np.eye(3)["xyz".index(letter.lower())]
            step = rot.from_axis_angle(axis, angle)
            turned = rot.multiply(turned, step) if letter.islower() else rot.multiply(step, turned)
        return turned


def _volume(shape: FileShape) -> float:
    x, y, z = shape.half.tolist()
    ends = 4.0 / 3.0 * np.pi * x**3 if shape.kind == "capsule" else 0.0
    return float(_VOLUMES[shape.kind] * x * y * z + ends)


def _moments(shape: FileShape) -> Floats:
    """The moments of inertia (3,) of a kilogram about a shape's own axes; a capsule's ends count as a cylinder's."""
    x, y, z = shape.half.tolist()
    z += 2.0 / 3.0 * x if shape.kind == "capsule" else 0.0
    if shape.kind in ("capsule", "cylinder"):
        across = x * x / 4.0 + z * z / 3.0
        return np.array([across, across, x * x / 2.0])
    share = 1.0 / 3.0 if shape.kind == "box" else 1.0 / 5.0
    return share * np.array([y * y + z * z, x * x + z * z, x * x + y * y])


def _turned(rotation: Floats, inertia: Floats) -> Floats:
    axes = rot.to_matrix(rotation)
    return np.asarray(axes @ inertia @ axes.T)


def _flat(node: XmlNode, tags: tuple[str, ...]) -> list[XmlNode]:
    """The elements of a body with these tags."""
    return [child for child in node.children if child.tag in tags]


def _keyframe(top: XmlNode, robot: Robot, key: str | int) -> Floats:
    keys = [node for block in top.all("keyframe") for node in block.all("key")]
    names = [node.attributes.get("name", str(number)) for number, node in enumerate(keys)]
    number = key if isinstance(key, int) else names.index(key) if key in names else -1
    if not 0 <= number < len(keys):
        known = f"It has {', '.join(names[:8])}." if names else "It has none."
        raise FileError(top.path, f'there is no keyframe "{key}".', advice=known)
    return numbers(keys[number], keys[number].attributes.get("qpos"), "qpos", robot.size, tuple(robot.home.tolist()))
