"""What a joint's name says: its side and the part of the body, for the naming habits of many rigs.

:func:`read_name` takes a name apart ("mixamorig:LeftUpLeg" is left, "up leg") and looks the part up in
:data:`PARTS`. A part alone is often ambiguous: "LeftLeg" is the shin where "LeftUpLeg" exists, "LeftShoulder" the
collar where "LeftArm" exists. Those are kept apart as kinds of their own ("leg", "shoulder" ...) and are settled by
:mod:`kinetune.body.roles.joint_roles`, which sees the tree.

The tables cover CMU (BVH and AMC), ACCAD, HDM05, Mixamo, MotionBuilder, Bandai Namco, Unreal, Rokoko, SMPL and
SMPL-X, Unity and VRM, Blender Rigify, 3ds Max Biped, Valve, Poser and DAZ, Character Creator, MakeHuman, Vicon,
OptiTrack, Axis Neuron, Xsens, Kinect, DeepMimic.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LEFT, RIGHT = "left", "right"
SIDES = (LEFT, RIGHT)

_WORDS: dict[str, str] = {
    "hips": "hips hip pelvis hipcenter hipcentre spinebase lowertorso",
    "root": "root cog",
    "spine": (
        "spine tospine lowerback upperback midback back abdomen abdomenlower abdomenupper ab waist torso uppertorso "
        "trunk lumbar spinelow spinelower spinemid spinemiddle spineupper spineshoulder chest chestlower chestupper "
        "upperchest lowerchest thorax ribcage"
    ),
    "neck": "neck lowerneck upperneck necklower neckupper necktwist",
    "head": "head skull",
    "collar": "clavicle clav collar collarbone scapula shoulderblade",
    "shoulder": "shoulder",
    "arm": "arm",
    "upper arm": "upperarm uparm uarm humerus armupper shldr shldrbend bicep",
    "lower arm": "forearm forearmbend lowerarm lowarm loarm farm armlower elbow radius ulna",
    "wrist": "wrist",
    "hand": "hand",
    "leg": "leg",
    "hip socket": "hipjoint buttock",
    "upper leg": "upperleg upleg uleg legupper thigh thighbend femur",
    "lower leg": "lowerleg lowleg loleg leglower shin calf tibia knee",
    "ankle": "ankle",
    "foot": "foot",
    "toes": "toe toes toebase ball forefoot metatarsals",
}
PARTS: dict[str, str] = {word: kind for kind, words in _WORDS.items() for word in words.split()}
"""A part of the body as rigs spell it (letters only, lower case) to the kind that it may be."""

_MIDDLE = {"hips", "root", "spine", "neck", "head"}  # parts that are on no side
_SIDE_WORDS = {
    **dict.fromkeys(("left", "l", "lft", "lt"), LEFT),
    **dict.fromkeys(("right", "r", "rgt", "rt"), RIGHT),
}
_GLUED = {"lu": ("l", "u"), "lf": ("l", "f"), "ru": ("r", "u"), "rf": ("r", "f")}  # OptiTrack: LUArm, RFArm
_FINGERS = {
    *("thumb", "index", "middle", "ring", "pinky", "pinkie", "little", "finger", "fingers"),
    *("metacarpal", "carpal", "palm"),
}
_NOISE = {
    *("mixamorig", "bip", "biped", "valve", "b", "def", "org", "joint", "jnt", "jt", "j", "bone", "bn", "c", "cc"),
    *("ctr", "center", "centre", "skeleton", "rig", "armature", "character", "avg", "m", "f", "sk"),
}
_NOT_A_PART = {
    *("ik", "fk", "pole", "target", "twist", "roll", "end", "nub", "tip", "top", "site", "effector", "ctrl", "control"),
    *("mch", "vis", "vb", "helper", "dummy", "corrective", "offset", "muscle", "weapon", "prop", "attach", "socket"),
    *("front", "hind", "rear", "tail", "wing", "hoof", "paw", "heel", "breast", "bust", "eye", "jaw", "tongue", "ear"),
    *("skirt", "hair", "sleeve", "sword", "gun", "out", "fwd", "bck", "in", "cape", "pocket", "toy"),
}
_TOKEN = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
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
    found: list[str] = []
    for token in _TOKEN.findall(bare(name)):
        folded = token.lower()
        found.extend(_GLUED.get(folded, (folded,)))
    return found


def read_name(name: str) -> NameParts:
    """The side and the part of the body that a joint's name says."""
    if _VERTEBRA.fullmatch(bare(name)):
        return NameParts(None, "spine", "spine")
    side, words = split_side(tokens(name))
    if not words or bare(name).startswith("__"):
        return NameParts(side, None, "".join(words))
    if _FINGERS.intersection(words):
        return NameParts(side, "finger", "".join(words))
    word, kind = _look_up(words)
    if _NOT_A_PART.intersection(words) and word != "necktwist":
        kind = None
    if kind == "hips" and side is not None:
        kind = "hip" if word == "hip" else "hip socket"
    elif kind is not None and (kind in _MIDDLE) == (side is not None):
        kind = None  # a left spine, or an arm on no side
    return NameParts(side, kind, word)


def split_side(words: list[str], numbers: bool = False) -> tuple[str | None, list[str]]:
    """The side that one of the words names, and the other words, without numbers unless they are wanted."""
    sides = {_SIDE_WORDS[word] for word in words if word in _SIDE_WORDS}
    rest = [word for word in words if word not in _SIDE_WORDS and (numbers or not word.isdigit())]
    letters = [word for word in rest if not word.isdigit()]
    if sides or not letters or "".join(letters) in PARTS:
        return (sides.pop() if len(sides) == 1 else None), rest
    first = letters[0]
    for prefix in ("left", "right", "l", "r"):  # AMC: lfemur, rhipjoint
        part = first.removeprefix(prefix)
        if part != first and ("".join([part, *letters[1:]]) in PARTS or part in _FINGERS):
            rest[rest.index(first)] = part
            return _SIDE_WORDS[prefix], rest
    return None, rest


def _look_up(words: list[str]) -> tuple[str, str | None]:
    """The longest run of words up to the last one that is a known part; unknown words before it are a rig's prefix."""
    useful = [word for word in words if word not in _NOISE]
    for candidates in (words, useful):
        for start in range(len(candidates)):
            word = "".join(candidates[start:])
            if word in PARTS:
                return word, PARTS[word]
    return "".join(useful), None
