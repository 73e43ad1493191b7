"""Roles from the character's shape, for skeletons whose names say nothing ("joint_12").

A standing human is two pairs of equal chains: legs on the hips, arms further up the trunk, and one more chain between
the arms that goes on upwards. Bone lengths and the tree decide most; a pose is needed for which way is up (from the
feet to the hips), which way is forward (toes, else knees) and so which side is left.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from kinetune import rotations as rot
from kinetune.body.roles.from_names import LEFT, RIGHT, SIDES, JointTree, Origin, RoleJoint, split_side, tokens
from kinetune.body.skeleton import Skeleton
from kinetune.rotations import Floats

_LEAST_LIMB = 0.3  # length of a limb, as a share of the longest path from the root: excludes fingers
_MOST_LIMBS = 12  # on one joint
_LONGEST_ARM = 16  # joints
_LIKE = 0.2  # how much the bones of a pair of limbs may differ, of the limb's length
_ONE_ANKLE = 0.06  # of the shank: hinges of an ankle this near to each other are one joint
_UPRIGHT = 0.5  # cosine between trunk and legs' opposite: a quadruped's is about 0
# Proportions of an adult (Winter, Biomechanics and Motor Control of Human Movement, table of segment lengths: thigh
# 0.245, shank 0.246, upper arm 0.186, forearm 0.146, hand 0.108 of the height), as ratios to the leg.
_UPPER_ARM = 0.186 / 0.245  # of the thigh
_FOREARM = 0.146 / 0.246  # of the shank
_HAND = 0.108 / 0.246  # of the shank
_AWAY = 0.3  # of the thigh: shoulders are at least this far from the middle of the chest
_MERGED = 0.3  # for a joint inside the upper arm: it is rather the shoulder, and the joint above it the collar
_NO_HAND = 0.1  # for a wrist with nothing below
_WORST_ARM = 0.5
_TOLD_APART = 0.2  # cosine that a pair's separation needs with the left direction


class _Pair(NamedTuple):
    joint: int
    chains: tuple[list[int], list[int]]


def roles_by_shape(skeleton: Skeleton, pose: Floats | None = None) -> dict[str, RoleJoint]:
    """The roles that follow from the shape of the body; empty unless it is a standing human.

    Parameters
    ----------
    pose : (joints, 4) local rotations wxyz; None: the rest pose.
    """
    return _Shape(skeleton, skeleton.rest if pose is None else pose).read()


class _Shape:
    def __init__(self, skeleton: Skeleton, pose: Floats) -> None:
        self.skeleton = skeleton
        self.tree = JointTree(skeleton)
        self.length = np.linalg.norm(skeleton.offsets, axis=1)
        self.length[list(skeleton.roots)] = 0.0
        self.where, self.turned = _place(skeleton, pose)
        count = len(skeleton)
        self.reach = np.zeros(count)  # the longest path down from a joint
        self.next = np.full(count, -1)  # the child that it goes through
        self.tip = np.array(self.where)  # where it ends
        for site in skeleton.end_sites:
            size = float(np.linalg.norm(site.offset))
            if size > self.reach[site.parent]:
                self.reach[site.parent] = size
                self.tip[site.parent] = self.where[site.parent] + rot.rotate(self.turned[site.parent], site.offset)
        for joint in range(count - 1, -1, -1):
            parent = skeleton.parents[joint]
            way = self.length[joint] + self.reach[joint]
            if parent >= 0 and (way > self.reach[parent] or (way == self.reach[parent] and self.next[parent] < 0)):
                self.reach[parent], self.next[parent], self.tip[parent] = way, joint, self.tip[joint]

    def read(self) -> dict[str, RoleJoint]:
        limbs = self._pairs()
        if len(limbs) != 2:
            return {}
        for legs, arms in (limbs, limbs[::-1]):
            roles = self._human(legs, arms)
            if roles:
                return roles
        return {}

    def _chain(self, joint: int) -> list[int]:
        chain = [joint]
        while self.next[chain[-1]] >= 0:
            chain.append(int(self.next[chain[-1]]))
        return chain

    def _pairs(self) -> list[_Pair]:
        """Places where two long chains of equal bones part."""
        size = float(self.reach[list(self.skeleton.roots)].max())
        pairs = []
        for joint, children in enumerate(self.skeleton.children):
            long = [c for c in children if self.length[c] + self.reach[c] >= _LEAST_LIMB * size > 0]
            if len(long) > _MOST_LIMBS:
                return []
            alike = [(a, b) for a, b in itertools.combinations(long, 2) if self._alike(a, b)]
            if len(alike) == 1:
                a, b = alike[0]
                pairs.append(_Pair(joint, (self._chain(a), self._chain(b))))
            elif alike:
                return []  # three legs or more on one joint
        return pairs

    def _alike(self, a: int, b: int) -> bool:
        one, other = self._chain(a), self._chain(b)
        if len(one) != len(other) or np.allclose(self.tip[a], self.tip[b]):
            return False
        size = max(self.length[a] + self.reach[a], self.length[b] + self.reach[b])
        return bool(np.all(np.abs(self.length[one] - self.length[other]) <= _LIKE * size))

    def _human(self, legs: _Pair, arms: _Pair) -> dict[str, RoleJoint]:
        hips, chest = legs.joint, arms.joint
        meeting = self.tree.meeting([hips, chest])
        if chest == meeting or meeting not in (hips, self.skeleton.parents[hips]):
            return {}
        leg_parts = [self._leg(chain) for chain in legs.chains]
        if not all(leg_parts):
            return {}
        thigh, shank = (self._mean_distance(leg_parts, k) for k in (0, 1))
        arm_parts = self._arms(arms, thigh, shank)
        if not arm_parts:
            return {}
        feet = np.mean([self.where[part[2]] for part in leg_parts], axis=0)
        up = self.where[hips] - feet
        trunk = self.where[chest] - self.where[hips]
        height = np.linalg.norm(up)
        if up @ trunk < _UPRIGHT * height * np.linalg.norm(trunk):
            return {}
        up = up / height
        if min((self.where[part[2]] - feet) @ up for part in arm_parts) < 0.2 * height:
            return {}
        roles = {"hips": RoleJoint(hips, "geometry"), "chest": RoleJoint(chest, "geometry")}
        path = self.skeleton.chain(chest, meeting)
        roles["spine"] = RoleJoint(next((j for j in path if self.length[j] > 0), path[0]), "geometry")
        roles.update(self._head(chest, arms, trunk))
        left = self._left(leg_parts, arm_parts, up)
        left_is_known = left is not None
        if left is None:  # arms in the order of their joints, and each leg on the side of its arm
            first, other = sorted(arm_parts, key=lambda part: part[0])
            left = self.where[first].mean(axis=0) - self.where[other].mean(axis=0)
            left = left / max(float(np.linalg.norm(left)), 1e-12)
        roles.update(
            self._sides(leg_parts, ("upper leg", "lower leg", "foot", "toes"), left, left_is_known=left_is_known)
        )
        roles.update(self._sides(arm_parts, ("upper arm", "lower arm", "hand"), left, left_is_known=left_is_known))
        for side in SIDES:
            roles.update(self._collar(side, roles[f"{side} upper arm"], chest))
        return roles

    def _mean_distance(self, parts: list[list[int]], k: int) -> float:
        return float(np.mean([self._way(part[k], part[k + 1]) for part in parts]))

    def _way(self, above: int, below: int) -> float:
        """The length of the bones between two joints of a chain."""
        return float(self.length[list(self.skeleton.chain(below, above))].sum())

    def _leg(self, chain: list[int]) -> list[int]:
        """Hip, knee, ankle and perhaps toes: the two longest bones in a row; empty when they are not alike."""
        best = max(range(len(chain) - 2), key=lambda i: self.length[chain[i + 1 : i + 3]].sum(), default=None)
        if best is None:
            return []
        upper, lower = self.length[chain[best + 1 : best + 3]]
        total = self.reach[chain[0]]
        if not (0.6 < upper / max(lower, 1e-12) < 1.7 and min(upper, lower) > 0.25 * total):
            return []
        last = best + 2
        while last + 1 < len(chain) and self.length[chain[last + 1]] < _ONE_ANKLE * lower:
            last += 1
        return [*chain[best : best + 2], *chain[last : last + 2]]

    def _arms(self, arms: _Pair, thigh: float, shank: float) -> list[list[int]]:
        """Shoulder, elbow and wrist of both arms: the joints of the chain closest to human proportions, or none."""
        chain = arms.chains[0]
        fingers = next((k for k, joint in enumerate(chain) if len(self.skeleton.children[joint]) > 2), len(chain))
        best: list[list[int]] = []
        least = 2 * _WORST_ARM
        for places in itertools.combinations(range(min(fingers + 1, len(chain), _LONGEST_ARM)), 3):
            both = [[chain[k] for k in places] for chain in arms.chains]
            misfit = sum(self._arm_misfit(arms.joint, triple, thigh, shank) for triple in both)
            if misfit < least:
                best, least = both, misfit
        return best

    def _arm_misfit(self, chest: int, triple: list[int], thigh: float, shank: float) -> float:
        upper, fore = self._way(triple[0], triple[1]), self._way(triple[1], triple[2])
        hand, away = self.reach[triple[2]], self._way(chest, triple[0])
        if min(upper, fore) <= 0:
            return np.inf
        misfit = np.log(upper / (_UPPER_ARM * thigh)) ** 2 + np.log(fore / (_FOREARM * shank)) ** 2
        misfit += 0.1 * np.log(hand / (_HAND * shank)) ** 2 if hand > 0 else _NO_HAND
        misfit += 0.1 * np.log(np.clip(away / (_AWAY * thigh), 0.1, 1.0)) ** 2
        inside = self.skeleton.chain(triple[1], triple[0])[:-1]
        return float(misfit) + _MERGED * np.count_nonzero(self.length[list(inside)])

    def _head(self, chest: int, arms: _Pair, trunk: Floats) -> dict[str, RoleJoint]:
        """The one chain that goes on from the chest, up to where it branches or ends."""
        onward = [
            c
            for c in self.skeleton.children[chest]
            if c not in (arms.chains[0][0], arms.chains[1][0]) and (self.tip[c] - self.where[chest]) @ trunk > 0
        ]
        onward.sort(key=lambda c: self.length[c] + self.reach[c], reverse=True)
        sizes = [self.length[c] + self.reach[c] for c in onward]
        if not onward or (len(onward) > 1 and sizes[0] < 2 * sizes[1]):
            return {}
        line = [onward[0]]
        while len(self.skeleton.children[line[-1]]) == 1:
            above = int(self.next[line[-1]])
            if self.reach[above] == 0 and len(line) > 1:
                break  # the top of the head, as a joint without a bone
            line.append(above)
        roles = {"head": RoleJoint(line[-1], "geometry")}
        if len(line) > 1:
            roles["neck"] = RoleJoint(line[0], "geometry")
        return roles

    def _left(self, legs: list[list[int]], arms: list[list[int]], up: Floats) -> Floats | None:
        """The direction of the character's left, None when neither toes nor knees nor elbows show the front."""
        leg_length = np.mean([self.reach[part[0]] for part in legs])
        toes = np.mean([self.tip[part[2]] - self.where[part[2]] for part in legs], axis=0)
        arm_length = np.mean([self._way(part[0], part[2]) for part in arms])
        knees, elbows = (
            np.mean([self.where[p[1]] - 0.5 * (self.where[p[0]] + self.where[p[2]]) for p in limbs], axis=0)
            for limbs in (legs, arms)
        )
        for ahead, size in ((toes, leg_length), (knees, leg_length), (-elbows, arm_length)):
            ahead = ahead - (ahead @ up) * up
            if np.linalg.norm(ahead) > 0.02 * size:
                left = np.cross(up, ahead)
                return np.asarray(left / np.linalg.norm(left))
        return None

    def _sides(
        self, parts: list[list[int]], names: tuple[str, ...], left: Floats, *, left_is_known: bool
    ) -> dict[str, RoleJoint]:
        apart = self.where[parts[0]].mean(axis=0) - self.where[parts[1]].mean(axis=0)
        cosine = float(apart @ left) / max(float(np.linalg.norm(apart)), 1e-12)
        sure = abs(cosine) > _TOLD_APART
        origin: Origin = "geometry" if sure and left_is_known else "order"
        first_is_left = cosine > 0 if sure else parts[0][0] < parts[1][0]
        named = [{split_side(tokens(self.skeleton.names[joint]))[0] for joint in part} - {None} for part in parts]
        if named[0] ^ named[1] and all(len(sides) <= 1 for sides in named):  # a side in a name overrules the shape
            origin, first_is_left = "name", LEFT in named[0] or RIGHT in named[1]
        ordered = parts if first_is_left else parts[::-1]
        return {
            f"{side} {name}": RoleJoint(joint, origin)
            for side, part in zip(SIDES, ordered, strict=True)
            for name, joint in zip(names, part, strict=False)
        }

    def _collar(self, side: str, upper_arm: RoleJoint, chest: int) -> dict[str, RoleJoint]:
        above = self.skeleton.chain(upper_arm.joint, chest)[:-1]
        return {f"{side} collar": RoleJoint(above[-1], upper_arm.origin)} if above else {}


def _place(skeleton: Skeleton, pose: Floats) -> tuple[Floats, Floats]:
    """World positions and rotations of one pose, all roots at their offsets."""
    from kinetune.body.kinematics.forward import forward

    where, turned = forward(skeleton, skeleton.offsets[:1], np.asarray(pose, dtype=float)[None])
    return where[0], turned[0]
