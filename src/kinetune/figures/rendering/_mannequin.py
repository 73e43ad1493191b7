"""The shapes of a body: convex hulls of spheres between joints, a mannequin where roles are known.

Neighbouring shapes share the sphere at the joint between them, so that the surface stays smooth however it bends. The
studio draws the same body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.figures.motion.stick_figures import joint_sides
from kinetune.rotations import Floats

SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")
_LEG = 0.86  # metres from hip to ankle of a body of 1.75 m


class Spot(NamedTuple):
    """A point of the body: part of the way from a joint to another, or beside a joint in its own frame."""

    joint: int
    other: int = 0
    share: float = 0.0
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Part:
    """A convex hull of spheres.

    side : which side of the body it is on.
    face : the direction of the face in the frame of the first joint, for a head.
    """

    name: str
    spheres: tuple[tuple[Spot, float], ...]
    side: Literal["left", "right", "middle"] = "middle"
    face: tuple[float, float, float] | None = None
    is_large: bool = False


def body_parts(clip: Clip) -> list[Part]:
    """The parts of the body of a clip; its motion shows which way feet and head point in their own frames."""
    return _Builder(clip).build()


class _Builder:
    def __init__(self, clip: Clip) -> None:
        self.clip, self.skeleton, self.roles = clip, clip.skeleton, clip.skeleton.roles
        self.positions, self.rotations = clip.positions(), clip.world_rotations()
        leg = max(self._reach(f"{side} lower leg") + self._reach(f"{side} foot") for side in SIDES)
        self.scale = leg / _LEG if leg > 0 else max(0.05, self.skeleton.height / 1.7)
        self.used: set[int] = set()
        self.parts: list[Part] = []

    def build(self) -> list[Part]:
        self._trunk()
        self._head()
        for side in SIDES:
            self._arm(side)
            self._leg(side)
        self._others()
        return self.parts

    # --- parts

    def _trunk(self) -> None:
        hips, chest = self._at("hips"), self._at("chest")
        if hips is None or chest is None:
            return
        waist, belly = _between(hips, chest, 0.36), _between(hips, chest, 0.72)
        arms = [arm for side in SIDES if (arm := self._at(f"{side} upper arm")) is not None]
        legs = [leg for side in SIDES if (leg := self._at(f"{side} upper leg")) is not None]
        neck = self._at("neck") or self._at("head")
        self._add("pelvis", [*((leg, 0.084) for leg in legs), (waist, 0.094), (hips, 0.108)], large=True)
        self._add("belly", [(waist, 0.096), (hips, 0.1), (chest, 0.096)], large=True)
        ribs = [(_between(chest, arm, 0.42), 0.098) for arm in arms]
        top = [] if neck is None else [(neck, 0.046)]
        self._add("torso", [(belly, 0.1), (chest, 0.114), *ribs, *((arm, 0.056) for arm in arms), *top], large=True)
        for role in ("hips", "spine", "chest", "neck", "head"):
            self._use(role)
        for side in SIDES:
            for part in ("collar", "upper arm", "upper leg"):
                self._use(f"{side} {part}")

    def _head(self) -> None:
        head = self._at("head")
        neck = self._at("neck") or head
        if head is None or neck is None:
            return
        self._add("neck", [(neck, 0.046), (head, 0.05)])
        joint = head.joint
        tip = self._tip(joint)
        axis = np.array(tip.offset)
        if tip.share:
            axis = self._in_frame(0, joint, self.positions[0, tip.other] - self.positions[0, joint])
        tall = float(np.linalg.norm(axis)) or 1.0
        height = float(np.clip(tall / self.scale, 0.17, 0.26)) * self.scale
        axis = axis / tall
        frames = np.linspace(0, len(self.clip) - 1, 16).astype(int)
        face = np.sum([self._in_frame(f, joint, self._facing(f)) for f in frames], axis=0)
        ahead = _unit(face - (face @ axis) * axis)

        def spot(rise: float, forth: float) -> Spot:
            return _beside(joint, axis * rise * height + ahead * forth * self.scale)

        spheres = [(spot(0.56, 0.004), 0.092), (spot(0.6, 0.03), 0.08), (spot(0.2, 0.05), 0.055)]
        self._add("head", spheres, face=(float(ahead[0]), float(ahead[1]), float(ahead[2])), large=True)
        self.used.add(joint)

    def _arm(self, side: Literal["left", "right"]) -> None:
        upper, lower, hand = (self._at(f"{side} {part}") for part in ("upper arm", "lower arm", "hand"))
        if upper is not None and lower is not None:
            belly = _between(upper, lower, 0.4)
            self._add(f"{side} upper arm", [(upper, 0.054), (belly, 0.047), (lower, 0.04)], side)
        if lower is not None and hand is not None:
            belly = _between(lower, hand, 0.28)
            self._add(f"{side} forearm", [(lower, 0.0365), (belly, 0.0395), (hand, 0.027)], side)
        if hand is not None:
            fingers = self.skeleton.children[hand.joint]
            if len(fingers) > 1:
                self._add(f"{side} palm", [(hand, 0.026), *((Spot(joint), 0.014) for joint in fingers)], side)
                self.used.update(fingers)
            else:
                tip = self._tip(hand.joint)
                self._add(f"{side} hand", [(hand, 0.026), (_part(tip, 0.55), 0.034), (_part(tip, 1.0), 0.02)], side)
            self.used.add(hand.joint)
        for part in ("lower arm", "hand"):
            self._use(f"{side} {part}")

    def _leg(self, side: Literal["left", "right"]) -> None:
        upper, lower, foot = (self._at(f"{side} {part}") for part in ("upper leg", "lower leg", "foot"))
        if upper is not None and lower is not None:
            belly = _between(upper, lower, 0.35)
            self._add(f"{side} thigh", [(upper, 0.082), (belly, 0.076), (lower, 0.054)], side)
        if lower is not None and foot is not None:
            belly = _between(lower, foot, 0.27)
            self._add(f"{side} shin", [(lower, 0.049), (belly, 0.052), (foot, 0.036)], side)
        if foot is not None:
            heel, ball, tip = self._sole(side)
            self._add(f"{side} foot", [(foot, 0.035), (heel, 0.033), (ball, 0.033)], side)
            self._add(f"{side} toes", [(ball, 0.032), (tip, 0.023)], side)
        for part in ("lower leg", "foot", "toes"):
            self._use(f"{side} {part}")

    def _others(self) -> None:
        """Tapered bones for what no role names: fingers, tails, whole animals."""
        sides = joint_sides(self.skeleton)
        for joint, parent in enumerate(self.skeleton.parents.tolist()):
            if self.skeleton.has_bone[joint] and joint not in self.used:
                length = float(np.linalg.norm(self.positions[0, joint] - self.positions[0, parent]))
                radius = float(np.clip(0.13 * length, 0.009 * self.scale, 0.05 * self.scale)) / self.scale
                spheres = [(Spot(parent), radius), (Spot(joint), 0.8 * radius)]
                self._add(self.skeleton.names[joint], spheres, sides[joint])
        for site in self.skeleton.end_sites:
            if site.parent not in self.used and site.parent in self.skeleton.body:
                length = float(np.linalg.norm(site.offset))
                radius = float(np.clip(0.13 * length, 0.008 * self.scale, 0.04 * self.scale)) / self.scale
                spheres = [(Spot(site.parent), radius), (_beside(site.parent, np.array(site.offset)), 0.7 * radius)]
                self._add(f"{self.skeleton.names[site.parent]} end", spheres, sides[site.parent])
        if not self.parts:
            self._add("ball", [(Spot(self.skeleton.body_root), 0.1)])

    # --- measuring

    def _add(
        self,
        name: str,
        spheres: Sequence[tuple[Spot, float]],
        side: Literal["left", "right", "middle"] = "middle",
        face: tuple[float, float, float] | None = None,
        large: bool = False,
    ) -> None:
        scaled = tuple((spot, radius * self.scale) for spot, radius in spheres)
        self.parts.append(Part(name, scaled, side, face, large))

    def _at(self, role: str) -> Spot | None:
        return Spot(self.roles[role]) if role in self.roles else None

    def _use(self, role: str) -> None:
        """Nothing else is drawn for a joint and those above it."""
        if role in self.roles:
            self.used.update(self.skeleton.chain(self.roles[role]))

    def _reach(self, role: str) -> float:
        joint = self.roles.get(role)
        if joint is None or self.skeleton.parents[joint] < 0:
            return 0.0
        return float(np.linalg.norm(self.positions[0, joint] - self.positions[0, self.skeleton.parents[joint]]))

    def _in_frame(self, frame: int, joint: int, vector: Floats) -> Floats:
        return rot.rotate(rot.inverse(self.rotations[frame, joint]), vector)

    def _tip(self, joint: int) -> Spot:
        """The end of the last bone of a chain."""
        ends = [site for site in self.skeleton.end_sites if site.parent == joint]
        if self.skeleton.children[joint]:
            return Spot(joint, self.skeleton.children[joint][0], 1.0)
        if ends and np.linalg.norm(ends[0].offset) > 1e-4:
            return Spot(joint, offset=ends[0].offset)
        along = self.positions[0, joint] - self.positions[0, max(0, self.skeleton.parents[joint])]
        return _beside(joint, self._in_frame(0, joint, _unit(along) * 0.1 * self.scale))

    def _facing(self, frame: int) -> Floats:
        for part in ("upper leg", "upper arm"):
            joints = [self.roles.get(f"{side} {part}") for side in SIDES]
            if joints[0] is not None and joints[1] is not None:
                across = self.positions[frame, joints[0]] - self.positions[frame, joints[1]]
                return _unit(np.array([-across[2], 0.0, across[0]]))
        return np.array([0.0, 0.0, 1.0])

    def _sole(self, side: str) -> tuple[Spot, Spot, Spot]:
        """Heel, ball and tip of a foot, found where it stands flattest."""
        foot, toes = self.roles[f"{side} foot"], self.roles.get(f"{side} toes")
        low = self.positions[:, foot, 1] + (0.0 if toes is None else self.positions[:, toes, 1])
        frame, s = int(np.argmin(low)), self.scale
        ankle = self.positions[frame, foot]
        if toes is None:
            ahead, drop = self._facing(frame), 0.06 * s
        else:
            along = self.positions[frame, toes] - ankle
            ahead = _unit(np.array([along[0], 0.0, along[2]]))
            drop = float(np.clip(0.012 * s - along[1], 0.02 * s, 0.09 * s))

        def beside(forth: float, down: float) -> Spot:
            return _beside(foot, self._in_frame(frame, foot, ahead * forth * s - np.array([0.0, down, 0.0])))

        if toes is None:
            return beside(-0.05, drop), beside(0.13, drop), beside(0.2, drop)
        tip = self._in_frame(frame, toes, ahead * 0.075 * s - np.array([0.0, 0.008 * s, 0.0]))
        return beside(-0.05, drop), Spot(toes), _beside(toes, tip)


def _between(first: Spot, second: Spot, share: float) -> Spot:
    return Spot(first.joint, second.joint, share)


def _beside(joint: int, offset: Floats) -> Spot:
    return Spot(joint, offset=(float(offset[0]), float(offset[1]), float(offset[2])))


def _part(tip: Spot, share: float) -> Spot:
    return tip._replace(share=tip.share * share, offset=tuple(share * value for value in tip.offset))  # type: ignore[arg-type]


def _unit(vector: Floats) -> Floats:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-9 else np.array([0.0, 0.0, 1.0])
