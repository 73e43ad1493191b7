"""What joints mean: roles such as "hips" or "left foot", and groups such as "left arm".

A role names one joint, found by its name and its position in the tree, or by the character's shape when names say
nothing. A group names several. Operations take either wherever they take joints: ``joints="left arm"``.

====================  ==================================================================================
find_roles            role to joint
role_report           the same with where each came from
group_joints          the joints of a group
ROLES, GROUPS         all names of roles and groups
ALIASES               synonyms of roles: "left knee" is the joint of the "left lower leg"
====================  ==================================================================================

A role's joint is the one at which the part begins and about which it turns: the "left lower leg" turns at the knee.
"spine" is the first joint of the trunk above the hips and "chest" the last, the one that carries neck and collars; a
trunk of one joint is both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from kinetune.body.roles.from_names import SIDES, JointTree, Origin, RoleJoint, read_name, roles_by_name
from kinetune.body.skeleton import Skeleton
from kinetune.rotations import Floats

_LIMB_PARTS = ("collar", "upper arm", "lower arm", "hand", "upper leg", "lower leg", "foot", "toes")
ROLES = ("hips", "spine", "chest", "neck", "head", *(f"{side} {part}" for side in SIDES for part in _LIMB_PARTS))
"""Every role."""

_PART_WORDS = {
    "collar": ("clavicle", "collarbone"),
    "upper arm": ("shoulder",),
    "lower arm": ("elbow", "forearm"),
    "hand": ("wrist",),
    "upper leg": ("hip", "thigh"),
    "lower leg": ("knee", "shin", "calf"),
    "foot": ("ankle",),
    "toes": ("toe", "ball"),
}
ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "pelvis": "hips",
        "hip": "hips",
        "root": "hips",
        "upper chest": "chest",
        "thorax": "chest",
        **{
            f"{side} {word}": f"{side} {part}"
            for side in SIDES
            for part, words in _PART_WORDS.items()
            for word in words
        },
    }
)
"""Synonyms of roles."""


def plain_name(name: str) -> str:
    """A role or group as its key is written: lower case, words separated by single spaces."""
    return " ".join(name.casefold().replace("_", " ").replace("-", " ").split())


def find_roles(skeleton: Skeleton, pose: Floats | None = None) -> Mapping[str, int]:
    """The joint of each role that can be recognised; others are absent.

    Names come first. Where they leave limbs open, the character's shape decides: pairs of equal chains, their lengths,
    which way the trunk, the toes and the knees point. A shape that contradicts the names or is not a standing human
    (a fox, a chain of two bones) adds nothing.

    Parameters
    ----------
    skeleton : the joints.
    pose : (joints, 4) local rotations wxyz of a typical pose, such as the mean of a clip, for files whose rest pose
        is not the character's (ACCAD). None: the rest pose.
    """
    return MappingProxyType({role: role_joint.joint for role, role_joint in _find(skeleton, pose).items()})


def role_report(skeleton: Skeleton, pose: Floats | None = None) -> list[tuple[str, str, Origin]]:
    """(role, joint's name, origin) of every role found.

    The origin is "name", "geometry", or "order" where the shape does not show which side is left, so that the
    limb listed first in the file was taken as the left one.
    """
    return [
        (role, skeleton.names[role_joint.joint], role_joint.origin)
        for role, role_joint in _find(skeleton, pose).items()
    ]


def _find(skeleton: Skeleton, pose: Floats | None) -> dict[str, RoleJoint]:
    roles = roles_by_name(skeleton)
    limbs_known = all(f"{side} {part}" in roles for side in SIDES for part in ("lower leg", "lower arm"))
    if not limbs_known or "head" not in roles:
        from kinetune.body.roles._from_shape import roles_by_shape

        shaped = roles_by_shape(skeleton, pose)
        if all(roles[role].joint == shaped[role].joint for role in _FIRM & roles.keys() & shaped.keys()):
            taken = {each.joint for each in roles.values()}
            roles = {**{role: each for role, each in shaped.items() if each.joint not in taken}, **roles}
    return {role: roles[role] for role in ROLES if role in roles}


# What names and shape must agree on; they may differ on which of several spine joints is "spine".
_FIRM = {f"{side} {part}" for side in SIDES for part in ("upper leg", "lower leg", "upper arm", "lower arm")}


# --- groups


class _Grouper:
    """The joints of groups, from the roles of a skeleton."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.roles = skeleton.roles
        self.tree = JointTree(skeleton)

    def all(self) -> set[int]:
        return set(range(len(self.skeleton)))

    def limb(self, side: str, *parts: str) -> set[int]:
        """All that hangs on the first of the parts, and the joints above it that carry nothing else."""
        top = next((self.roles[f"{side} {part}"] for part in parts if f"{side} {part}" in self.roles), None)
        if top is None:
            return set()
        limb_roles = {f"{side} {part}" for part in parts}
        others = [joint for role, joint in self.roles.items() if role not in limb_roles]
        parent = int(self.skeleton.parents[top])
        while parent >= 0 and not any(self.tree.carries(parent, other) for other in others):
            top, parent = parent, int(self.skeleton.parents[parent])
        return self.below(top)

    def below(self, joint: int | None) -> set[int]:
        return set() if joint is None else set(self.skeleton.subtree(joint))

    def arm(self, side: str) -> set[int]:
        return self.limb(side, "collar", "upper arm", "lower arm", "hand")

    def leg(self, side: str) -> set[int]:
        return self.limb(side, "upper leg", "lower leg", "foot", "toes")

    def foot(self, side: str) -> set[int]:
        return self.below(self.roles.get(f"{side} foot"))

    def hand(self, side: str) -> set[int]:
        """The hand and its fingers, also those that hang beside it (the thumb of AMC files)."""
        hand = self.roles.get(f"{side} hand")
        if hand is None:
            return set()
        parent = int(self.skeleton.parents[hand])
        beside = self.skeleton.children[parent] if parent >= 0 else ()
        fingers = [j for j in beside if j != hand and read_name(self.skeleton.names[j]).kind == "finger"]
        return self.below(hand).union(*(self.below(finger) for finger in fingers))

    def fingers(self, side: str) -> set[int]:
        return self.hand(side) - {self.roles.get(f"{side} hand", -1)}

    def spine(self) -> set[int]:
        if "hips" not in self.roles or "chest" not in self.roles:
            return set()
        chest = self.roles["chest"]
        return set(self.skeleton.chain(chest, self.tree.meeting([self.roles["hips"], chest])))

    def head(self) -> set[int]:
        top = self.roles.get("neck", self.roles.get("head"))
        return self.below(top) - self.arm("left") - self.arm("right")

    def torso(self) -> set[int]:
        return self.spine() | ({self.roles["hips"]} if "hips" in self.roles else set())

    def upper_body(self) -> set[int]:
        return self.spine() | self.head() | self.arm("left") | self.arm("right")

    def lower_body(self) -> set[int]:
        legs = self.leg("left") | self.leg("right")
        return legs | ({self.roles["hips"]} if legs and "hips" in self.roles else set())


def _of_sides(
    part: Callable[[_Grouper, str], set[int]], one: str, both: str
) -> dict[str, Callable[[_Grouper], set[int]]]:
    return {
        f"left {one}": lambda g: part(g, "left"),
        f"right {one}": lambda g: part(g, "right"),
        both: lambda g: part(g, "left") | part(g, "right"),
    }


_MAKERS: dict[str, Callable[[_Grouper], set[int]]] = {
    "all": _Grouper.all,
    **_of_sides(_Grouper.arm, "arm", "arms"),
    **_of_sides(_Grouper.hand, "hand", "hands"),
    **_of_sides(_Grouper.fingers, "fingers", "fingers"),
    **_of_sides(_Grouper.leg, "leg", "legs"),
    **_of_sides(_Grouper.foot, "foot", "feet"),
    "spine": _Grouper.spine,
    "torso": _Grouper.torso,
    "head": _Grouper.head,
    "upper body": _Grouper.upper_body,
    "lower body": _Grouper.lower_body,
}
GROUPS = tuple(_MAKERS)
"""Every group."""


def group_joints(skeleton: Skeleton, name: str) -> tuple[int, ...] | None:
    """The joints of a group in skeleton order; None when there is no such group or the skeleton has none of it."""
    maker = _MAKERS.get(plain_name(name))
    joints = () if maker is None else tuple(sorted(maker(_Grouper(skeleton))))
    return joints or None
