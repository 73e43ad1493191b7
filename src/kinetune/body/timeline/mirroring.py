"""The mirror image of a motion: what the left hand did, the right hand does.

====================  ==================================================================================
mirror                a clip seen in a mirror at x = 0
mirror_at_start       the same in a mirror that divides the character where it starts
mirror_pairs          for each joint the one on the other side
mirror_table          how each joint's rotation becomes that of its partner
swap_sides            "left heel strike" to "right heel strike"
====================  ==================================================================================
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.body.feet.contacts import Contacts
from kinetune.body.kinematics.forward import forward
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.roles.from_names import LEFT, RIGHT, split_side, tokens
from kinetune.body.root_motion import place_character
from kinetune.body.skeleton import Skeleton
from kinetune.rotations import Floats

_ALIKE = 0.25  # how much the bones of a pair may differ
_MIRRORED = 0.08  # how far a joint may be from its mirror image, of the character's size, in a symmetric pose
_AXIS = np.cos(np.radians(20.0))  # a plane this close to an axis plane is that plane
_SNAP = np.cos(np.radians(40.0))
_FITTING = np.radians(30.0)  # how far bones may be from those of the partner
_LIKE_PARENT = 0.05
_SHORT = 0.005  # of the character's height: a bone too short to point anywhere
_STILL_M = 1e-6  # more than rounding leaves behind
_FLIP = np.array([0.0, 1.0, 0.0, 0.0])  # mirror at x = 0, as minus a half turn about x


def mirror(clip: Clip) -> Clip:
    """A clip in the mirror at x = 0: left and right are swapped, and a turn to the left becomes one to the right.

    Every joint moves as its partner on the other side did, mirrored. Bones keep their own lengths, so that on a
    skeleton that is longer on one side the hands and feet do not land exactly on their mirror images; on a symmetric
    one they do. Contacts and the sides in the names of markers are swapped as well. A joint that has no partner
    though its parent has one (a sword in the right hand) keeps its own motion relative to its parent.

    Notes
    -----
    How a joint's frame sits in its bone differs from rig to rig and from side to side. Let M be the mirror and S the
    reflection that takes the frame of a joint to that of its partner, both in a symmetric pose: then the world
    rotation G becomes M G S, which is a rotation again. The rest pose serves, if it is symmetric. For files whose rest
    pose is not the character's (ACCAD) S exchanges axes such that the bones of a joint fall on those of its partner;
    what bones leave open is read from the mean pose of the clip. A root above the body does not count.
    Laws: mirroring twice changes nothing (``test_mirroring.py::test_twice_is_nothing``); on a symmetric skeleton
    positions are the mirror images of the partners' (``test_mirroring.py::test_positions_are_mirror_images``).
    """
    skeleton = clip.skeleton
    pairs, frames, above, alone = mirror_table(clip)
    turned = rot.multiply(rot.inverse(above), rot.multiply(clip.rotations[:, pairs], frames))
    turned[:, alone] = clip.rotations[:, alone]
    root = clip.root * np.array([-1.0, 1.0, 1.0])
    return replace(
        clip,
        root=root,
        rotations=turned,
        translations=_mirror_translations(clip, pairs, above, alone),
        contacts=None if clip.contacts is None else _mirror_contacts(clip.contacts, skeleton, pairs),
        markers=tuple(Marker(marker.frame, swap_sides(marker.name)) for marker in clip.markers),
    )


class MirrorTable(NamedTuple):
    """What mirroring does to each joint.

    pairs : (joints,) its partner. frames, above : (joints, 4) the local rotation q of the partner becomes
    ``inverse(above) q frames``. alone : (joints,) joints that keep their own.
    """

    pairs: NDArray[np.intp]
    frames: Floats
    above: Floats
    alone: NDArray[np.bool_]


def mirror_table(clip: Clip) -> MirrorTable:
    """How each joint's rotation becomes that of its partner, for a clip or for others of its character."""
    pairs = mirror_pairs(clip.skeleton)
    frames = _frame_turns(clip, pairs)
    above = np.where((clip.skeleton.parents < 0)[:, None], _FLIP, frames[clip.skeleton.parents])
    return MirrorTable(pairs, frames, above, _alone(clip.skeleton, pairs))


def mirror_at_start(clip: Clip) -> Clip:
    """A clip in the upright mirror that divides the character into left and right in the first frame.

    Law: mirroring twice changes nothing; the same plane divides the mirror image.
    """
    joint = clip.skeleton.body_root
    across = _frame_turns(clip, mirror_pairs(clip.skeleton))[joint, 1:]  # from side to side, in the joint's frame
    first = stray_frames(clip)
    side = rot.rotate(clip.world_rotations()[first, joint], across)
    back = rot.about_y(np.arctan2(side[2], side[0]))
    start = clip.positions()[first, joint] * [1.0, 0.0, 1.0]
    mirrored = mirror(place_character(clip, back, -rot.rotate(back, start)))
    return place_character(mirrored, rot.inverse(back), start)


def _mirror_translations(clip: Clip, pairs: NDArray[np.intp], above: Floats, alone: NDArray[np.bool_]) -> Floats | None:
    """Movement about a pair's mean positions changes sides; joints in the middle are mirrored where they are.

    A joint that never moves in its parent's frame shows how long its bone is, as an offset does.
    """
    translations = clip.translations
    if translations is None:
        return None
    rigid = clip.skeleton.has_bone & (np.ptp(translations, axis=0).max(axis=1) < _STILL_M)
    middle = (pairs == np.arange(len(pairs))) & ~rigid
    centre = np.where(middle[:, None], 0.0, translations.mean(axis=0))
    mirrored = centre - rot.rotate(rot.inverse(above), translations[:, pairs] - centre[pairs])
    mirrored[:, alone] = translations[:, alone]
    return mirrored


def _mirror_contacts(contacts: Contacts, skeleton: Skeleton, pairs: NDArray[np.intp]) -> Contacts:
    partners = [skeleton.names[pairs[skeleton.index(name)]] for name in contacts.joints]
    if sorted(partners) != sorted(contacts.joints):
        sides = tuple({LEFT: RIGHT, RIGHT: LEFT}.get(side, side) for side in contacts.sides)
        return replace(contacts, joints=tuple(partners), sides=sides)
    order = [contacts.joints.index(partner) for partner in partners]
    columns = {name: getattr(contacts, name)[:, order] for name in ("flags", "confidence", "heels", "toes")}
    return replace(contacts, **columns)


_SIDE_WORD = re.compile(
    r"(?<![A-Za-z])(?:left|right|Left|Right|LEFT|RIGHT|L|R)(?![a-z])|(?<=[a-z])(?:Left|Right)(?![a-z])"
)
_OTHER = {"left": "right", "Left": "Right", "LEFT": "RIGHT", "L": "R"}
_OTHER |= {other: word for word, other in _OTHER.items()}


def swap_sides(text: str) -> str:
    """A text with left and right exchanged: "left heel strike", "RightToeOff", "L hand up"."""
    return _SIDE_WORD.sub(lambda word: _OTHER[word.group()], text)


# --- who is whose partner


def mirror_pairs(skeleton: Skeleton) -> NDArray[np.intp]:
    """For each joint the index of its partner on the other side, its own for joints in the middle: shape (joints,).

    Partners are found by names, by roles, and below known partners by shape. Parents of partners are partners.
    """
    return _Pairing(skeleton).find()


class _Pairing:
    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.names = [_sided_key(name) for name in skeleton.names]
        self.mates = _role_mates(skeleton)
        self.size = np.array([len(skeleton.subtree(joint)) for joint in range(len(skeleton))])
        self.pairs = np.full(len(skeleton), -1, dtype=np.intp)

    def find(self) -> NDArray[np.intp]:
        for joint, parent in enumerate(self.skeleton.parents.tolist()):
            if self.pairs[joint] < 0:
                family = self.skeleton.roots if parent < 0 else self.skeleton.children[self.pairs[parent]]
                open_ = [other for other in family if self.pairs[other] < 0]
                in_middle = parent < 0 or self.pairs[parent] == parent
                partner = self._partner(joint, open_, in_middle)
                self.pairs[joint], self.pairs[partner] = partner, joint
        return self.pairs

    def _partner(self, joint: int, candidates: list[int], in_middle: bool) -> int:
        side, key = self.names[joint]
        words = tuple(word for word in key if not word.isdigit())
        exact, like = [], []
        for other in candidates:
            other_side, other_key = self.names[other]
            opposite = side is not None and other_side is not None and side != other_side
            same_middle = side is None and other_side is None and not in_middle
            if other != joint and (opposite or same_middle) and words:
                if key == other_key:
                    exact.append(other)
                elif words == tuple(word for word in other_key if not word.isdigit()):
                    like.append(other)
        if exact:
            return exact[0]
        if self.mates.get(joint) in candidates:
            return self.mates[joint]
        if like:
            return min(like, key=lambda other: self._difference(joint, other))
        shaped = [other for other in candidates if other != joint and self._is_twin(joint, other, in_middle)]
        return min(shaped, key=lambda other: self._difference(joint, other), default=joint)

    def _is_twin(self, joint: int, other: int, in_middle: bool) -> bool:
        """Whether the shape alone makes partners of two joints on partners (or on one joint in the middle)."""
        sides = {self.names[joint][0], self.names[other][0]}
        if self.size[joint] != self.size[other] or sides in ({LEFT}, {RIGHT}):
            return False
        a, b = np.linalg.norm(self.skeleton.offsets[[joint, other]], axis=1)
        if abs(a - b) > _ALIKE * max(a, b):
            return False
        return not in_middle or (a > 0 and self._difference(joint, other) < _ALIKE < self._difference(joint, joint))

    def _difference(self, joint: int, other: int) -> float:
        """How far the mirror image of one joint's bone is from the other's in the rest pose, of its length."""
        rest, parents = self.skeleton.rest_positions, self.skeleton.parents
        mine, theirs = (rest[j] - (rest[parents[j]] if parents[j] >= 0 else 0.0) for j in (joint, other))
        image = mine - 2.0 * (mine @ self._normal) * self._normal
        return float(np.linalg.norm(image - theirs) / max(float(np.linalg.norm(mine)), 1e-12))

    @cached_property
    def _normal(self) -> Floats:
        known = [(j, m) for j, m in self.mates.items() if j < m]
        return _plane(self.skeleton.rest_positions, known)


def _sided_key(name: str) -> tuple[str | None, tuple[str, ...]]:
    """A name's side, and its words and numbers without it; a duplicate keeps its mark."""
    side, words = split_side(tokens(name), numbers=True)
    mark = name.partition("#")[2]
    return side, (*words, f"#{mark}") if mark else tuple(words)


def _role_mates(skeleton: Skeleton) -> dict[int, int]:
    mates = {}
    for role, joint in skeleton.roles.items():
        if role.startswith(LEFT) and (other := role.replace(LEFT, RIGHT, 1)) in skeleton.roles:
            mates[joint] = skeleton.roles[other]
            mates[skeleton.roles[other]] = joint
    return mates


def _alone(skeleton: Skeleton, pairs: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Joints without a partner below joints that have one."""
    alone = np.zeros(len(pairs), dtype=bool)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            alone[joint] = alone[parent] or (pairs[joint] == joint and pairs[parent] != parent)
    return alone


# --- how the frames of partners are related


def _plane(positions: Floats, partners: list[tuple[int, int]]) -> Floats:
    """The normal of the plane between partners, an exact axis where it is close to one; x without partners."""
    apart = sum((positions[a] - positions[b] for a, b in partners), np.zeros(3))
    length = np.linalg.norm(apart)
    if length < 1e-9:
        return np.array([1.0, 0.0, 0.0])
    normal = apart / length
    axis = int(np.argmax(np.abs(normal)))
    return np.eye(3)[axis] if abs(normal[axis]) > _AXIS else normal


def _frame_turns(clip: Clip, pairs: NDArray[np.intp]) -> Floats:
    """For each joint the reflection that takes its frame to its partner's, as minus a rotation: (joints, 4)."""
    skeleton = clip.skeleton
    rest, asymmetry = _rest_reflections(skeleton, pairs)
    if asymmetry <= _MIRRORED:
        return rest
    mean = rot.mean(clip.rotations)
    carriers = list(skeleton.chain(skeleton.body_root))
    mean[carriers] = skeleton.rest[carriers]  # which way the character faces says nothing about its axes
    near = [(a, b) for a, b in _partners(skeleton, pairs) if skeleton.parents[a] == skeleton.body_root]
    normal = _plane(skeleton.rest_positions, near or _partners(skeleton, pairs))
    _, turned = forward(skeleton, np.zeros((1, 3)), mean[None])
    chosen = _chosen_reflections(skeleton, pairs, rest, _in_pose(turned[0], pairs, normal))
    root = skeleton.body_root
    if pairs[root] == root:  # poses are compared by the mirror that the body's root has, or they choose differently
        normal = rot.rotate(turned[0, root], chosen[root, 1:])  # when they are mirrored
    return _chosen_reflections(skeleton, pairs, rest, _in_pose(turned[0], pairs, normal))


def _rest_reflections(skeleton: Skeleton, pairs: NDArray[np.intp]) -> tuple[Floats, float]:
    """The reflections if the rest pose is symmetric, and how asymmetric it is, as a share of the body's size."""
    where = skeleton.rest_positions
    normal = _plane(where, _partners(skeleton, pairs))
    matched = ~_alone(skeleton, pairs)
    matched[[joint for joint in range(len(skeleton)) if joint not in skeleton.body]] = False
    centre = 0.5 * (where + where[pairs])[matched].mean(axis=0)
    image = where - 2.0 * ((where - centre) @ normal)[:, None] * normal
    size = max(float(np.ptp(where[matched], axis=0).max()), 1e-12)
    asymmetry = float(np.linalg.norm(image - where[pairs], axis=1)[matched].max()) / size
    return _in_pose(skeleton.rest_rotations, pairs, normal), asymmetry


def _in_pose(turned: Floats, pairs: NDArray[np.intp], normal: Floats) -> Floats:
    """The reflections if a pose, world rotations (joints, 4), is symmetric about a plane."""
    half_turn = np.concatenate([[0.0], normal])
    return rot.multiply(rot.inverse(turned[pairs]), rot.multiply(half_turn, turned))


def _partners(skeleton: Skeleton, pairs: NDArray[np.intp]) -> list[tuple[int, int]]:
    """Pairs, the left one first, or the first where names show no side."""
    partners = []
    for joint, other in enumerate(pairs.tolist()):
        side, opposite = _sided_key(skeleton.names[joint])[0], _sided_key(skeleton.names[other])[0]
        if joint != other and (side == LEFT if {side, opposite} == {LEFT, RIGHT} else joint < other):
            partners.append((joint, other))
    return partners


_AXIS_TURNS = rot.from_matrix(
    [
        -np.eye(3)[list(order)] * np.array(signs)
        for order, signs in product(permutations(range(3)), product((1.0, -1.0), repeat=3))
        if np.linalg.det(np.eye(3)[list(order)] * np.array(signs)) < 0
    ]
)
"""All reflections that exchange axes, as minus rotations."""


def _chosen_reflections(skeleton: Skeleton, pairs: NDArray[np.intp], rest: Floats, typical: Floats) -> Floats:
    """Reflections for a rest pose that is not the character's: those that exchange axes and fit bones, where any do.

    Bones are part of the skeleton: those of a joint must go to those of its partner. Several reflections may do that,
    since a bone shows nothing of the rotation about it. Then the typical pose decides; where it is none of them, the
    bones and the reflection of the parent do. A choice stays the same for the mirrored clip, whose typical pose is as
    far from it on the other side: that is why the typical pose may only choose what could be chosen from there too.
    """
    chosen = np.array(rest)
    for joint, partner in enumerate(pairs.tolist()):
        if partner < joint:
            chosen[joint] = rot.inverse(chosen[partner])
            continue
        misfit = _bone_misfits(skeleton, pairs, joint)
        if partner == joint:  # a reflection that undoes itself is minus a half turn
            misfit = np.where(np.abs(_AXIS_TURNS[:, 0]) < 1e-9, misfit, np.inf)
        if misfit.min() > _FITTING:
            chosen[joint] = typical[joint]
            continue
        parent = int(skeleton.parents[joint])
        above = rest[joint] if parent < 0 else chosen[parent]
        best = _AXIS_TURNS[int(np.argmin(misfit**2 + (_LIKE_PARENT * _angles(above)) ** 2))]
        seen = _AXIS_TURNS[int(np.argmin(_angles(typical[joint])))]
        fits = [
            misfit[int(np.argmin(_angles(each)))] <= misfit.min() + _FITTING for each in (seen, _across(best, seen))
        ]
        sure = 2.0 * float(seen @ typical[joint]) ** 2 - 1.0 > _SNAP
        chosen[joint] = seen if sure and all(fits) else best
    return chosen


def _across(best: Floats, seen: Floats) -> Floats:
    """What a typical pose near ``seen`` becomes in the mirrored clip, if ``best`` mirrors it."""
    return rot.multiply(best, rot.multiply(rot.inverse(seen), best))


def _angles(turn: Floats) -> Floats:
    """How far each reflection that exchanges axes is from a given one, in radians."""
    return np.asarray(2.0 * np.arccos(np.minimum(np.abs(_AXIS_TURNS @ turn), 1.0)))


def _bone_misfits(skeleton: Skeleton, pairs: NDArray[np.intp], joint: int) -> Floats:
    """How far each reflection takes the bones of a joint from its partner's, in radians (root mean square)."""
    ends = [(skeleton.offsets[child], skeleton.offsets[pairs[child]]) for child in skeleton.children[joint]]
    mine, theirs = (
        [np.array(site.offset) for site in skeleton.end_sites if site.parent == j] for j in (joint, int(pairs[joint]))
    )
    ends += list(zip(mine, theirs, strict=False))
    long = [(a, b) for a, b in ends if min(np.linalg.norm(a), np.linalg.norm(b)) > _SHORT * skeleton.height]
    squares = np.zeros(len(_AXIS_TURNS))
    for bone, other in long:
        image = -rot.rotate(_AXIS_TURNS, bone)
        cosine = image @ other / (np.linalg.norm(bone) * np.linalg.norm(other))
        squares += np.arccos(np.clip(cosine, -1.0, 1.0)) ** 2 / len(long)
    return np.sqrt(squares)
