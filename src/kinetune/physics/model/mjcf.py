"""The body as MJCF, MuJoCo's own file format: a tree of boxes and capsules with a free root and ball joints.

The axes are ours, Y up. Contacts are switched off in the file: contact forces come from
:mod:`kinetune.physics.ground`, as external forces; the floor and the boxes are there for the viewer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

from kinetune import rotations as rot
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from kinetune.physics.model.body_model import ContactPoint, Segment
    from kinetune.physics.model.segments import MassBox

GRAVITY = 9.81
_SKIN = "0.75 0.6 0.5 1"
_LONG = 1.6


def write_mjcf(
    segments: Sequence[Segment], parents: Sequence[int], offsets: Floats, points: Sequence[ContactPoint], name: str
) -> str:
    """The text of the file.

    Parameters
    ----------
    segments : in the order of MuJoCo's bodies: depth first, the root first.
    parents : for each the number of the segment that carries it, -1 for the root.
    offsets : (segments, 3) where each is mounted on the one that carries it.
    points : the contact points, written as sites.
    """
    top = ElementTree.Element("mujoco", model=name)
    ElementTree.SubElement(top, "compiler", angle="radian", autolimits="true", balanceinertia="false")
    option = ElementTree.SubElement(top, "option", gravity=f"0 {-GRAVITY} 0", timestep=repr(1.0 / 60.0))
    ElementTree.SubElement(option, "flag", contact="disable")
    world = ElementTree.SubElement(top, "worldbody")
    ElementTree.SubElement(world, "light", pos="0 4 2", dir="0 -1 -0.5")
    ElementTree.SubElement(
        world, "geom", type="plane", size="5 5 0.1", zaxis="0 1 0", contype="0", conaffinity="0", rgba="0.9 0.9 0.9 1"
    )
    nodes: list[ElementTree.Element] = []
    for k, (segment, parent) in enumerate(zip(segments, parents, strict=True)):
        above = world if parent < 0 else nodes[parent]
        label = body_name(segment.name)
        node = ElementTree.SubElement(above, "body", name=label, pos=_text(offsets[k]))
        nodes.append(node)
        joint: Mapping[str, str] = {"type": "free"} if parent < 0 else {"type": "ball"}
        ElementTree.SubElement(node, "joint", {"name": label, **joint})
        moments, axes = np.linalg.eigh(segment.inertia)
        if np.linalg.det(axes) < 0:
            axes = axes * np.array([1.0, 1.0, -1.0])
        ElementTree.SubElement(
            node,
            "inertial",
            pos=_text(segment.centre),
            quat=_text(rot.from_matrix(axes)),
            mass=repr(float(segment.mass)),
            diaginertia=_text(moments),
        )
        for box in segment.boxes:
            ElementTree.SubElement(node, "geom", _shape(box), contype="0", conaffinity="0", mass="0", rgba=_SKIN)
        for point in points:
            if point.joint == segment.joint:
                ElementTree.SubElement(node, "site", name=point.name, pos=_text(point.position), size="0.01")
    ElementTree.indent(top)
    return ElementTree.tostring(top, encoding="unicode")


def _shape(box: MassBox) -> dict[str, str]:
    """A box, or a capsule where it is long: limbs look like limbs in the viewer. Masses are given apart."""
    broad, long, deep = box.sides.tolist()
    radius = 0.25 * (broad + deep)
    if long < _LONG * 2.0 * radius:
        return {"type": "box", "pos": _text(box.centre), "quat": _text(box.rotation), "size": _text(0.5 * box.sides)}
    half = rot.rotate(box.rotation, np.array([0.0, 0.5 * long - radius, 0.0]))
    ends = np.concatenate([box.centre - half, box.centre + half])
    return {"type": "capsule", "fromto": _text(ends), "size": repr(radius)}


def body_name(name: str) -> str:
    """The name of a body in the file; MuJoCo keeps "world" for itself."""
    return f"{name} joint" if name == "world" else name


def _text(values: Floats) -> str:
    return " ".join(repr(float(value)) for value in values)
