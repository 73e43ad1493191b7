"""Figures with more joints or other proportions than the plain one, and how a clip of the plain one plays on them.

=================  ===========================================================================================
finger_figure      52 joints: the plain figure with three joints in each finger
child_figure       22 joints, 1.20 m: a large head, short legs
studio_figure      31 joints as motion-capture studios lay them out, some of them without length
with_fingers       a clip on the first, with the hands' own motion
as_child           a clip on the second, smaller and quicker
on_studio_figure   a clip on the third
=================  ===========================================================================================
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np
from tools.samples.figure import HAND, LEG, SIDES, figure, side_sign
from tools.samples.hands import FINGERS, Hand, bones, finger_joints, knuckle

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import EndSite, Skeleton
from kinetune.rotations import Floats

Offset = tuple[float, float, float]

CHILD_HEIGHT = 1.20
CHILD_LEG = 0.575
_CHILD_SIZE = CHILD_LEG / LEG
# Sizes against the plain figure, by what a name ends with; the first that fits counts. At seven years the head has
# nearly its final size, and the trunk is longer against the legs.
_CHILD_PARTS: tuple[tuple[str, float], ...] = (
    *((part, _CHILD_SIZE) for part in ("Hips", "UpLeg", "Leg", "Foot", "ToeBase", "Heel", "ToeTip")),
    ("Shoulder", 0.66),
    ("ForeArm", 0.60),
    ("Arm", 0.66),
    ("Hand", 0.615),
    ("Fingertips", 0.68),
    ("Head", 0.60),
    ("", 0.72),
)

# The names of the studio's figure for joints of the plain one, and the joints that it adds: (name, parent, offset).
_STUDIO_NAMES = {"Spine": "LowerBack", "Spine1": "Spine", "Spine2": "Spine1", "Neck": "Neck1"}
_STUDIO_HIP = "{letter}HipJoint"
_PALM = 0.6 * HAND


@functools.cache
def finger_figure() -> Skeleton:
    """The plain figure with fingers: 52 joints, named as game engines and capture gloves name them."""
    rig = _Rig()
    plain = figure()
    for joint, name in enumerate(plain.names):
        rig.add(name, _parent_name(plain, joint), plain.offsets[joint])
        side = next((s for s in SIDES if name == f"{s}Hand"), None)
        if side is None:
            continue
        for finger in FINGERS:
            parent, place = name, knuckle(side, finger)
            for part, bone in zip(finger_joints(side, finger), bones(side, finger), strict=True):
                rig.add(part, parent, place)
                parent, place = part, bone
            rig.add_site(f"{side}{finger}Tip", parent, place)
    for name, site in _named_sites(plain):
        if not name.endswith("Fingertips"):
            rig.add_site(name, plain.names[site.parent], site.offset)
    return rig.skeleton()


@functools.cache
def child_figure() -> Skeleton:
    """A child of 1.20 m: the legs are the plain figure's, smaller; head, trunk and arms have sizes of their own."""
    plain = figure()
    sizes = np.array([_child_size(name) for name in plain.names])
    offsets = plain.offsets * sizes[:, None]
    sites = [
        EndSite(site.parent, _three(_child_size(name) * np.array(site.offset)), name)
        for name, site in _named_sites(plain)
        if name != "HeadTop"
    ]
    head = plain.index("Head")
    top = CHILD_HEIGHT - CHILD_LEG - float(offsets[list(plain.chain(head, plain.index("Hips"))), 1].sum())
    sites.insert(0, EndSite(head, (0.0, top, 0.0), "HeadTop"))
    return Skeleton(plain.names, plain.parents, offsets, tuple(sites))


@functools.cache
def studio_figure() -> Skeleton:
    """31 joints: hip joints, a neck and finger bases without length stand between those of the plain figure."""
    rig = _Rig()
    plain = figure()
    for joint, name in enumerate(plain.names):
        parent = _parent_name(plain, joint)
        parent = None if parent is None else _STUDIO_NAMES.get(parent, parent)
        if name == "Neck":
            rig.add("Neck", parent, (0.0, 0.0, 0.0))
            parent = "Neck"
        side = next((s for s in SIDES if name.startswith(s)), None)
        if side is not None and name.endswith("UpLeg"):
            parent = _STUDIO_HIP.format(letter=side[0])
            rig.add(parent, "Hips", (0.0, 0.0, 0.0))
        rig.add(_STUDIO_NAMES.get(name, name), parent, plain.offsets[joint])
        if side is not None and name.endswith("Hand"):
            out = side_sign(side)
            rig.add(f"{side}FingerBase", name, (0.0, 0.0, 0.0))
            rig.add(f"{side}HandIndex1", f"{side}FingerBase", (out * _PALM, 0.0, 0.0))
            rig.add_site(f"{side}Fingertips", f"{side}HandIndex1", (out * (HAND - _PALM), 0.0, 0.0))
            rig.add(f"{side[0]}Thumb", name, (0.0, 0.0, 0.0))
            rig.add_site(f"{side}ThumbTip", f"{side[0]}Thumb", (out * 0.075, -0.015, 0.055))
    for name, site in _named_sites(plain):
        if not name.endswith("Fingertips"):
            parent = plain.names[site.parent]
            rig.add_site(name, _STUDIO_NAMES.get(parent, parent), site.offset)
    return rig.skeleton()


def with_fingers(clip: Clip, left: Hand, right: Hand) -> Clip:
    """A clip of the plain figure on :func:`finger_figure`; hands as they are, fingers as given."""
    added: dict[str, Floats] = {}
    for side, hand in zip(SIDES, (left, right), strict=True):
        added |= hand.rotations(side, len(clip), clip.fps)
    return _carry(clip, finger_figure(), {}, added)


def as_child(clip: Clip, fps: float) -> Clip:
    """A clip of the plain figure on :func:`child_figure`: the same angles, shorter ways, ``fps`` frames a second.

    Legs that are smaller as a whole stand and roll exactly where the large ones did on a smaller plan. Motion looks
    its size when times shrink with the square root of lengths (Froude): give the clip at ``child_rate(fps)``.
    """
    root = _CHILD_SIZE * clip.root
    return Clip(child_figure(), fps, root, clip.rotations, contacts=clip.contacts, markers=clip.markers)


def child_rate(fps: float) -> float:
    """Frames a second at which the plain figure must move to look right as a child at ``fps``."""
    return float(fps * np.sqrt(_CHILD_SIZE))


def on_studio_figure(clip: Clip, added: Mapping[str, Floats]) -> Clip:
    """A clip of the plain figure on :func:`studio_figure`; every joint of the plain figure is where it was.

    Parameters
    ----------
    added : (frames, 4) local rotations of joints that only this figure has; others of those do not turn.
    """
    return _carry(clip, studio_figure(), _STUDIO_NAMES, added)


def _carry(clip: Clip, skeleton: Skeleton, names: Mapping[str, str], added: Mapping[str, Floats]) -> Clip:
    rotations = rot.identity(len(clip), len(skeleton))
    for joint, name in enumerate(clip.skeleton.names):
        rotations[:, skeleton.index(names.get(name, name))] = clip.rotations[:, joint]
    for name, turned in added.items():
        rotations[:, skeleton.index(name)] = turned
    whole = rot.continuous(rotations)
    return Clip(skeleton, clip.fps, clip.root, whole, contacts=clip.contacts, markers=clip.markers)


class _Rig:
    """A skeleton under construction, joint by joint."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.parents: list[int] = []
        self.offsets: list[Offset] = []
        self.sites: list[EndSite] = []

    def add(self, name: str, parent: str | None, offset: Floats | Offset) -> None:
        self.parents.append(-1 if parent is None else self.names.index(parent))
        self.names.append(name)
        self.offsets.append(_three(np.asarray(offset)))

    def add_site(self, name: str, parent: str, offset: Floats | Offset) -> None:
        self.sites.append(EndSite(self.names.index(parent), _three(np.asarray(offset)), name))

    def skeleton(self) -> Skeleton:
        return Skeleton(tuple(self.names), np.array(self.parents), np.array(self.offsets), tuple(self.sites))


def _named_sites(skeleton: Skeleton) -> list[tuple[str, EndSite]]:
    return [(site.name or "", site) for site in skeleton.end_sites]


def _parent_name(skeleton: Skeleton, joint: int) -> str | None:
    parent = int(skeleton.parents[joint])
    return None if parent < 0 else skeleton.names[parent]


def _child_size(name: str) -> float:
    return next(size for part, size in _CHILD_PARTS if name.endswith(part))


def _three(point: Floats) -> Offset:
    x, y, z = point.tolist()
    return x, y, z
