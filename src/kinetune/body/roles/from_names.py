"""Roles from joint names and the hierarchy, for the naming conventions of many rigs.

:func:`read_name` takes a name apart ("mixamorig:LeftUpLeg" is left, "up leg") and looks the part up in :data:`PARTS`.
A part alone is often ambiguous: "LeftLeg" is the shin where "LeftUpLeg" exists, "LeftShoulder" the collar where
"LeftArm" exists. Those are kinds of their own ("leg", "shoulder" ...), and :func:`roles_by_name` settles them by the
hierarchy.

The tables cover CMU (BVH and AMC), ACCAD, HDM05, Mixamo, MotionBuilder, Bandai Namco, Unreal, Rokoko, SMPL and
SMPL-X, Unity and VRM, Blender Rigify, 3ds Max Biped, Valve, Poser and DAZ, Character Creator, MakeHuman, Vicon,
OptiTrack, Axis Neuron, Xsens, Kinect, DeepMimic, AIST, OpenSim, Auto-Rig Pro, Cascadeur, MikuMikuDance, and robots (G1
and H1, T1, GR1, Apollo, Digit, Adam, Kuavo, Atlas, Valkyrie, Talos, iCub, NAO, HRP ...).

A robot's joint with several axes is a row of links, one for each hinge. The last one turns as the part does, so it has
the role: the "left foot" of pitch and roll links is the roll link. Links that are numbered only ("leg_left_4_link")
are distinguished by the lengths between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from kinetune.body.skeleton import Skeleton
from kinetune.rotations import Floats

LEFT, RIGHT = "left", "right"
SIDES = (LEFT, RIGHT)

_WORDS: dict[str, str] = {
    "hips": "hips hip pelvis hipcenter hipcentre spinebase lowertorso",
    "root": "root cog",
    "spine": (
        "spine tospine lowerback upperback midback back abdomen abdomenlower abdomenupper ab waist torso uppertorso "
        "belly stomach upperbody trunk lumbar spinelow spinelower spinemid spinemiddle spineupper spineshoulder "
        "spinenaval spinenavel chest chestlower chestupper upperchest lowerchest thorax ribcage"
    ),
    "neck": "neck lowerneck upperneck necklower neckupper necktwist",
    "head": "head skull",
    "collar": "clavicle clav collar collarbone scapula shoulderblade inshoulder",
    "shoulder": "shoulder sho",
    "arm": "arm zarm",
    "upper arm": "upperarm uparm uarm humerus armupper shldr shldrbend bicep",
    "lower arm": "forearm forearmbend lowerarm lowarm loarm larm farm ufarm armlower elbow el radius ulna",
    "wrist": "wrist",
    "hand": "hand",
    "leg": "leg",
    "hip socket": "hipjoint buttock",
    "upper leg": "upperleg upleg uleg legupper thigh thighbend femur",
    "lower leg": "lowerleg lowleg loleg lleg leglower shin shank calf tibia knee",
    "ankle": "ankle ank talus",
    "foot": "foot",
    "toes": "toe toes toebase ball forefoot metatarsals",
}
PARTS: dict[str, str] = {word: kind for kind, words in _WORDS.items() for word in words.split()}
"""A part of the body as rigs spell it (letters only, lower case) to the kind that it may be."""
_LONGEST_PART = max(map(len, PARTS))

_JAPANESE: dict[str, str] = {
    **{"センター": "root", "下半身": "hips", "上半身": "spine", "上半身2": "spine", "首": "neck", "頭": "head"},
    **{"肩": "collar", "腕": "upper arm", "ひじ": "lower arm", "手首": "wrist"},
    **{"足": "upper leg", "ひざ": "lower leg", "足首": "ankle", "つま先": "toes"},
}
_MIDDLE = {"hips", "root", "spine", "neck", "head"}  # parts that are on no side
_SIDE_WORDS = {
    **dict.fromkeys(("left", "l", "lft", "lt", "左"), LEFT),
    **dict.fromkeys(("right", "r", "rgt", "rt", "右"), RIGHT),
}
_GLUED = {"lu": ("l", "u"), "lf": ("l", "f"), "ru": ("r", "u"), "rf": ("r", "f")}  # OptiTrack: LUArm, RFArm
_GLUED |= {"al": ("arm", "l"), "ar": ("arm", "r")}  # Booster: AL1, AR1
_GLUED |= {f"{end[0]}{side}": (end, side) for end in ("front", "rear", "hind") for side in "lr"}  # quadrupeds: FL_hip
_ONE_POINT = 0.06  # of the longest bone: an ankle and a foot this near to each other are hinges of one joint
_LEFT_OR_LOWER = {"lleg", "larm"}  # a left leg, or with another side the lower leg of Atlas
_SURE_HINGES = {
    *("pitch", "yaw", "flexion", "extension", "abduction", "adduction", "rotation"),
    *("aa", "ie", "fe", "pd"),  # Apollo: abduction and adduction, inward and outward, flexion, plantar flexion
}
_HINGES = {*_SURE_HINGES, "roll", "pan", "tilt"}
_HINGE_ENDS = {"link", "skel", "joint", "motor"}  # "left_ankle_roll_link"; a roll without one is a twist bone
_FINGERS = {
    *("thumb", "index", "middle", "ring", "pinky", "pinkie", "little", "finger", "fingers"),
    *("metacarpal", "carpal", "palm"),
}
_NOISE = {
    *("mixamorig", "bip", "biped", "valve", "b", "def", "org", "joint", "jnt", "jt", "j", "bone", "bn", "c", "cc"),
    *("ctr", "center", "centre", "skeleton", "rig", "armature", "character", "avg", "m", "f", "sk", "link", "skel"),
    *("stretch", "x"),  # Auto-Rig Pro: thigh_stretch.l, spine_01.x
}
_GLUED_NOISE = ("joint", "jnt", "bone")  # "uplegjnt"
_NOT_A_PART = {
    *("ik", "fk", "pole", "target", "twist", "roll", "end", "nub", "tip", "top", "site", "effector", "ctrl", "control"),
    *("mch", "vis", "vb", "helper", "dummy", "corrective", "offset", "muscle", "weapon", "prop", "attach", "socket"),
    *("front", "hind", "rear", "tail", "wing", "hoof", "paw", "heel", "breast", "bust", "eye", "jaw", "tongue", "ear"),
    *("skirt", "hair", "sleeve", "sword", "gun", "out", "fwd", "bck", "in", "cape", "pocket", "toy"),
}
_TOKEN = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[左右]|[\u3040-\u30ff\u3400-\u9fff]+")
_VERTEBRA = re.compile(r"[TL]\d{1,2}")  # Xsens: L5, L3, T12, T8


class NameParts(NamedTuple):
    """What a name says.

    side : "left", "right" or None.
    kind : a kind of :data:`PARTS`, "finger", "hip" (a hip with a side) or None when it names no part that we know.
    word : the part as the rig spells it, letters only, such as "upleg".
    """

    side: str | None
    kind: str | None
    word: str


def bare(name: str) -> str:
    """The name without a namespace ("Model:Hips", "Fred|Hips") and without the mark of a duplicate ("#2")."""
    return re.split(r"[:|]", name)[-1].partition("#")[0]


def tokens(name: str) -> list[str]:
    """The words and numbers of a name in lower case: "Bip01 L UpperArm" is bip, 01, l, upper, arm."""
    words: list[str] = []
    for token in _TOKEN.findall(bare(name)):
        folded = token.lower()
        words.extend(_GLUED.get(folded, (folded,)))
    return words


@lru_cache(maxsize=4096)
def read_name(name: str, robot: bool = False) -> NameParts:
    """The side and the part of the body that a joint's name says.

    ``robot`` : whether other joints have names of hinges, so that "left_ankle_roll" is one and not a twist bone.
    """
    if _VERTEBRA.fullmatch(bare(name)):
        return NameParts(None, "spine", "spine")
    side, words = split_side(tokens(name), numbers=True)
    kind = _JAPANESE.get("".join(words))
    if kind is not None and (kind in _MIDDLE) != (side is not None):
        return NameParts(side, kind, kind)
    side, words = split_side(tokens(name))
    if not words or bare(name).startswith("__"):
        return NameParts(side, None, "".join(words))
    if _FINGERS.intersection(words) or (side is not None and _is_middle_finger(words)):
        return NameParts(side, "finger", "".join(words))
    if names_hinge(words, robot):
        words = [word for word in words if word not in _HINGES | _HINGE_ENDS]
    word, kind = _look_up(words)
    if _NOT_A_PART.intersection(words) and word != "necktwist":
        kind = None
    if word == "thorax" and side is not None:
        kind = "collar"  # SMPL in MuJoCo: L_Thorax
    elif kind == "hips" and side is not None:
        kind = "hip" if word == "hip" else "hip socket"
    elif kind is not None and (kind in _MIDDLE) == (side is not None):
        kind = None  # a left spine, or an arm on no side
    return NameParts(side, kind, word)


def names_hinge(words: Iterable[str], robot: bool = False) -> bool:
    """Whether a name is that of one hinge of a robot: "left_hip_yaw_link"."""
    parts = set(words)
    return bool(parts & _SURE_HINGES or (parts & _HINGES and (robot or parts & _HINGE_ENDS)))


def split_side(words: list[str], numbers: bool = False) -> tuple[str | None, list[str]]:
    """The side that one of the words names, and the other words, without numbers unless ``numbers`` is set."""
    named = [_SIDE_WORDS[word] for word in words if word in _SIDE_WORDS]
    sides = {named[0]} if named and words[0] in _SIDE_WORDS else set(named)  # "L_ANKLE_R" is the left ankle's roll
    rest = [word for word in words if word not in _SIDE_WORDS and (numbers or not word.isdigit())]
    letters = [word for word in rest if not word.isdigit()]
    if sides or not letters or ("".join(letters) in PARTS and not _LEFT_OR_LOWER.intersection(letters)):
        return (sides.pop() if len(sides) == 1 else None), rest
    first = letters[0]
    for prefix in ("left", "right", "l", "r"):  # AMC: lfemur, rhipjoint
        part = first.removeprefix(prefix)
        if part != first and ("".join([part, *letters[1:]]) in PARTS or part in _FINGERS):
            rest[rest.index(first)] = part
            return _SIDE_WORDS[prefix], rest
    return None, rest


def _is_middle_finger(words: list[str]) -> bool:
    """Whether this is a "Mid" of DAZ or Character Creator ("lMid1"), not the middle of some other part."""
    letters = [word for word in words if not word.isdigit()]
    return letters[-1:] == ["mid"] and not any(word in PARTS for word in letters)


def _look_up(words: list[str]) -> tuple[str, str | None]:
    """The longest run of words up to the last one that is a known part; unknown words before it are a rig's prefix."""
    useful = [word for word in words if word not in _NOISE]
    for candidates in (words, useful):
        run, known = "", None
        for word in reversed(candidates):
            run = word + run
            if len(run) > _LONGEST_PART:
                break
            known = run if run in PARTS else known
        if known is not None:
            return known, PARTS[known]
    word = "".join(useful)
    short = next((word.removesuffix(end) for end in _GLUED_NOISE if word.endswith(end)), "")
    return (short, PARTS[short]) if short in PARTS else (word, None)


Origin = Literal["name", "geometry", "order"]


class RoleJoint(NamedTuple):
    """A role's joint, and what it was found by."""

    joint: int
    origin: Origin


class JointTree:
    """Ancestors in the hierarchy of a skeleton."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.parents = skeleton.parents.tolist()

    def carries(self, joint: int, other: int) -> bool:
        """Whether ``other`` is the joint itself or hangs below it."""
        while other > joint:
            other = self.parents[other]
        return other == joint

    def meeting(self, joints: Iterable[int]) -> int:
        """The lowest joint that carries all of them, -1 when there is none."""
        rest = list(joints)
        meeting = rest.pop()
        while meeting >= 0 and not all(self.carries(meeting, joint) for joint in rest):
            meeting = self.parents[meeting]
        return int(meeting)


def roles_by_name(skeleton: Skeleton) -> dict[str, RoleJoint]:
    """The roles that follow from the names of the joints; empty when they say nothing."""
    return _NameReader(skeleton).read()


class _NameReader:
    def __init__(self, skeleton: Skeleton) -> None:
        self.tree = JointTree(skeleton)
        self._robot = any(_SURE_HINGES.intersection(tokens(name)) for name in skeleton.names)
        self.parts = [read_name(name, self._robot) for name in skeleton.names]
        self.joints = range(len(skeleton))
        self.roles: dict[str, RoleJoint] = {}
        self._lengths: Floats = np.where(skeleton.parents < 0, 0.0, np.linalg.norm(skeleton.offsets, axis=1))
        self._longest = float(self._lengths.max())

    def read(self) -> dict[str, RoleJoint]:
        for side in SIDES:
            self._read_leg(side)
            self._read_arm(side)
        head = next(map(self._last_hinge, self._all("head")), None)
        if head is not None:
            self._set("head", head)
        self._read_hips()
        self._read_trunk()
        return self.roles

    # --- asking

    def _all(self, kind: str, side: str | None = None, below: int | None = None) -> list[int]:
        """Joints of a kind in skeleton order, which puts the upper before the lower."""
        return [
            joint
            for joint in self.joints
            if self.parts[joint].kind == kind
            and self.parts[joint].side == side
            and (below is None or (joint != below and self.tree.carries(below, joint)))
        ]

    def _first(self, kinds: Iterable[str], side: str, below: int | None) -> int | None:
        for kind in kinds:
            for joint in self._all(kind, side, below):
                if below is None or not self._same_part(joint, below):
                    return self._last_hinge(joint)
        return None

    def _same_part(self, joint: int, other: int) -> bool:
        """Whether two names differ in nothing but a rig's own words: "foot_left" and "foot_left_joint"."""
        names = self.tree.skeleton.names
        words = [[word for word in tokens(names[each]) if word not in _NOISE] for each in (joint, other)]
        return bool(words[0]) and words[0] == words[1]

    def _last_hinge(self, joint: int) -> int:
        """The last of the hinges in a row that make one joint of a robot; any other joint is itself."""
        names, part = self.tree.skeleton.names, self.parts[joint]
        for child in self.tree.skeleton.children[joint]:
            hinges = self._is_hinge(joint) and self._is_hinge(child)
            below = self.parts[child]
            if below == part and (hinges or bare(names[child]) == bare(names[joint])):
                return self._last_hinge(child)
            kinds = (part.kind, "foot", "toes") if part.kind == "ankle" else (part.kind,)
            same = part.side is not None and below.side == part.side and below.kind in kinds
            if same and not self._same_part(joint, child) and self._lengths[child] < _ONE_POINT * self._longest:
                return self._last_hinge(child)
        return joint

    def _is_hinge(self, joint: int) -> bool:
        return names_hinge(tokens(self.tree.skeleton.names[joint]), self._robot)

    def _above(self, joint: int, kinds: Iterable[str], side: str) -> int | None:
        """The nearest ancestor of the first kind that has one."""
        for kind in kinds:
            at = self.tree.parents[joint]
            while at >= 0:
                if self.parts[at].kind == kind and self.parts[at].side == side:
                    return int(at)
                at = self.tree.parents[at]
        return None

    def _in_line(self, kind: str, side: str) -> list[int]:
        """Joints of a kind of which each hangs below the one before: leg 1, leg 2, leg 3."""
        line: list[int] = []
        for joint in self._all(kind, side):
            if not line or self.tree.carries(line[-1], joint):
                line.append(joint)
        return line

    def _numbered(self, kind: str, side: str, first: int) -> list[int]:
        """Upper, middle and last joint of a limb whose joints are numbered: leg 1, leg 2, leg 3.

        A robot has five or more, one for each hinge. The two longest bones, from the ``first`` on, lead to the middle
        and to the last joint; the hinge above the middle one is the last of the upper joint. A robot with fewer has
        its first ones close together.
        """
        line = self._in_line(kind, side)
        if len(line) < 5:
            longest = max((self._lengths[j] for i in line for j in self.tree.skeleton.children[i]), default=0.0)
            while len(line) > 2 and self._lengths[line[1]] < longest / 3.0:
                line = line[1:]
            return line[:3]
        middle = min(sorted(range(first, len(line)), key=lambda k: -self._lengths[line[k]])[:2])
        return [line[middle - 1], line[middle], line[-1]]

    def _set(self, role: str, joint: int | None, origin: Origin = "name") -> None:
        if joint is not None:
            self.roles[role] = RoleJoint(joint, origin)

    def _joint(self, role: str) -> int | None:
        return self.roles[role].joint if role in self.roles else None

    def _known(self, *parts: str) -> list[int]:
        return [self.roles[f"{s} {p}"].joint for s in SIDES for p in parts if f"{s} {p}" in self.roles]

    # --- limbs

    def _read_leg(self, side: str) -> None:
        upper = self._first(["upper leg"], side, None)
        lower = self._first(["lower leg", "leg"] if upper is not None else ["lower leg"], side, upper)
        numbered = self._numbered("leg", side, 1)
        if upper is None and lower is not None:
            upper = self._above(lower, ["leg", "hip", "hip socket"], side)
        elif upper is None and len(numbered) >= 2:
            upper, lower = numbered[:2]
        above = lower if lower is not None else upper
        foot = self._first(["ankle", "foot"], side, above)
        if foot is None and above is not None:
            foot = next((self._last_hinge(j) for j in self._all("toes", side, above) if self._is_hinge(j)), None)
        toes = None if foot is None else self._first(["toes", "foot"], side, foot)
        if foot is None and lower in numbered:
            foot, toes = [*numbered[numbered.index(lower) + 1 :], None, None][:2]
        for part, joint in (("upper leg", upper), ("lower leg", lower), ("foot", foot), ("toes", toes)):
            self._set(f"{side} {part}", joint)

    def _read_arm(self, side: str) -> None:
        upper = self._first(["upper arm"], side, None)
        lower = self._first(["lower arm", "arm"] if upper is not None else ["lower arm"], side, upper)
        numbered = self._numbered("arm", side, 2)
        if upper is None and lower is not None:
            upper = self._above(lower, ["arm", "shoulder"], side)
        elif upper is None and numbered:
            upper = numbered[0]
            lower = numbered[1] if len(numbered) > 1 else None
        above = lower if lower is not None else upper
        wrist = self._first(["wrist"], side, above)
        hand = self._first(["hand"], side, above)
        if hand is None and wrist is None and lower in numbered:
            hand = next(iter(numbered[numbered.index(lower) + 1 :]), None)
        # In AMC the bone "wrist" is the lower half of the forearm: it rotates at its middle.
        split_forearm = lower is not None and self.parts[lower].word == "radius"
        if wrist is not None and not (split_forearm and hand is not None):
            hand = wrist
        collar = None
        if upper is not None:
            kinds = ["collar"] if self.parts[upper].kind == "shoulder" else ["collar", "shoulder"]
            collar = self._above(upper, kinds, side)
        for part, joint in (("collar", collar), ("upper arm", upper), ("lower arm", lower), ("hand", hand)):
            self._set(f"{side} {part}", joint)

    # --- the middle

    def _read_hips(self) -> None:
        carries = self.tree.carries
        legs = self._known("upper leg")
        named = self._all("hips")
        with_legs = [joint for joint in named if all(carries(joint, leg) for leg in legs)]
        body = [*legs, *self._known("upper arm"), *([self.roles["head"].joint] if "head" in self.roles else [])]
        with_body = [joint for joint in with_legs if all(carries(joint, part) for part in body)]
        if with_body or with_legs or named:
            best = with_body[-1] if with_body else with_legs[-1] if with_legs else named[0]
            self._set("hips", best)
        elif len(legs) == 2:
            meeting = self.tree.meeting(legs)
            if meeting >= 0:
                self._set("hips", meeting, "name" if self.parts[meeting].kind == "root" else "geometry")

    def _read_trunk(self) -> None:
        hips = self._joint("hips")
        if hips is None:
            return
        arms = self._known("collar", "upper arm")
        head = self._joint("head")
        chest = self._chest(hips, arms, head)
        trunk = [] if chest is None else self._path(hips, chest)
        if trunk:
            plain = [joint for joint in trunk if self.parts[joint].word == "spine"]
            named = [joint for joint in trunk if self.parts[joint].kind == "spine"]
            spine = [*plain, *named, *trunk][0]
            self._set("spine", spine, "name" if named else "geometry")
            self._set("chest", trunk[-1], "name" if self.parts[trunk[-1]].kind == "spine" else "geometry")
        top = trunk[-1] if trunk else hips
        if head is None and len(arms) >= 2 and trunk:
            head = self._head_of_a_numbered_spine(top)
        if head is not None:
            between = [joint for joint in self._path(top, head) if joint != head]
            plain = [joint for joint in between if self.parts[joint].word == "neck"]
            named = [joint for joint in between if self.parts[joint].kind == "neck"]
            if between:
                self._set("neck", [*plain, *named, *between][0], "name" if named else "geometry")
        elif self._all("neck", below=top):
            self._set("neck", self._all("neck", below=top)[0])

    def _chest(self, hips: int, arms: list[int], head: int | None) -> int | None:
        """The uppermost trunk joint: it carries arms and head, or is the last that is called a spine."""
        ends = [*arms, *([head] if head is not None else [])]
        if arms and (head is not None or len(arms) > 1):
            chest = self.tree.meeting(ends)
            while chest >= 0 and self.parts[chest].kind in ("neck", "head", "collar"):
                chest = self.tree.parents[chest]
        else:
            spines = [s for s in self._all("spine", below=hips) if all(self.tree.carries(s, end) for end in ends)]
            chest = spines[-1] if spines else -1
        return None if chest < 0 or chest == hips or self.tree.carries(chest, hips) else int(chest)

    def _path(self, start: int, end: int) -> list[int]:
        """The joints from below the one where both meet, down to ``end``."""
        return list(self.tree.skeleton.chain(end, self.tree.meeting([start, end])))

    def _head_of_a_numbered_spine(self, chest: int) -> int | None:
        """Rigify calls neck and head spine.004 to spine.006: the last of the joints so called above the chest."""
        line = [joint for joint in self._all("spine", below=chest) if self.parts[joint].word == "spine"]
        if not line:
            return None
        self._set("head", line[-1])
        return line[-1]
