"""The parts of a human body, laid along the joints of a skeleton, and its soles.

*Parts.* A joint rotates in the physical model if it bends the body: it lies along trunk, neck or a limb, and there is
something between it and the next joint. Fingers, twist helpers, hip sockets and joints without a bone of their own are
welded to the joint above. Parts that a skeleton lacks (a hand, a head) go to the joint that would carry them.

*Soles.* A sole is read from a clip where one is given, from the frames in which the foot stands flat, and from the rest
pose otherwise (:func:`kinetune.body.feet.floor.find_ground` does both). Each foot touches at six points: the two edges
of the heel, of the ball and of the tip of the toes. Ball and tip rotate with the toes where the skeleton has them, so
that the toes stay flat while the heel lifts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.feet.floor import find_ground
from kinetune.body.feet.soles import Foot, find_foot_joints
from kinetune.body.kinematics.anatomy import frame_of
from kinetune.body.roles.from_names import SIDES, JointTree
from kinetune.body.skeleton import Skeleton
from kinetune.physics.model.segments import TRUNK, MassBox, PartProportions, SegmentBoxes, SegmentChain, cut_box
from kinetune.rotations import Floats

FOOT_WIDTH = 0.052
"""Share of the height of a figure: 9 cm for 1.74 m."""
_FOOT_LENGTH = 0.152


@dataclass(frozen=True)
class Sole:
    """One sole in the frames of its joints, in metres.

    side : "left" or "right".
    ankle, toes : the joints; toes is None for a foot of one piece.
    heel, ball, tip : points on the sole in the ankle's frame, the toes lying flat.
    up, ahead : unit vectors in the ankle's frame: out of the floor, and along the sole.
    toes_from_ankle : the rotation (4,) wxyz of the ankle's frame into that of the toes while both lie flat.
    toe_joint : the toe joint in the ankle's frame.
    width : of the sole.
    """

    side: str
    ankle: int
    toes: int | None
    heel: Floats
    ball: Floats
    tip: Floats
    up: Floats
    ahead: Floats
    toes_from_ankle: Floats
    toe_joint: Floats
    width: float

    @property
    def length(self) -> float:
        """From heel to tip."""
        return float((self.tip - self.heel) @ self.ahead)

    def in_toes(self, point: Floats) -> Floats:
        """A point of the ankle's frame in the frame of the toes, both flat."""
        return rot.rotate(self.toes_from_ankle, point - self.toe_joint)

    def corners(self) -> list[tuple[Literal["heel", "toe"], str, int, Floats]]:
        """The contact points: part, name, joint and position in that joint's frame."""
        across = np.cross(self.up, self.ahead) * (0.5 * self.width)
        front = self.ankle if self.toes is None else self.toes
        points: list[tuple[Literal["heel", "toe"], str, int, Floats]] = []
        for name, point, joint in (
            ("heel", self.heel, self.ankle),
            ("ball", self.ball, front),
            ("tip", self.tip, front),
        ):
            for edge, shift in (("left", across), ("right", -across)):
                place = point + shift if joint == self.ankle else self.in_toes(point + shift)
                points.append(("heel" if name == "heel" else "toe", f"{self.side} {name} {edge}", joint, place))
        return points


def find_soles(clip: Clip, height: float) -> tuple[Sole, ...]:
    """The soles of a clip's figure, left before right; none for a figure without feet.

    Parameters
    ----------
    clip : the motion that shows how the feet stand; a clip of one frame in the rest pose where there is none.
    height : of the figure in metres.
    """
    ground = find_ground(clip)
    if ground is None:
        return ()
    contacts = find_contacts(clip, ground=ground)
    toes = {foot.ankle: foot.toes for foot in find_foot_joints(clip)}
    soles = []
    for column, foot in enumerate(ground.feet):
        flat = np.flatnonzero(contacts.flags[:, column] & contacts.heels[:, column] & contacts.toes[:, column])
        soles.append(_shape(clip, foot, toes[foot.joint], flat, height))
    return tuple(soles)


def _shape(clip: Clip, foot: Foot, toes: tuple[int, Floats] | None, flat: NDArray[np.intp], height: float) -> Sole:
    points = {point.name: point for point in foot.points}
    heel, ball = (np.array(points[name].offset) for name in ("heel", "ball"))
    ahead = (ball - heel) / max(float(np.linalg.norm(ball - heel)), 1e-9)
    up = ahead * float(heel @ ahead) - heel
    up = up / max(float(np.linalg.norm(up)), 1e-9)
    width = FOOT_WIDTH * height
    turn, joint = rot.identity(), np.zeros(3)
    if toes is not None:
        local = clip.rotations[flat, toes[0]] if len(flat) else clip.skeleton.rest[None, toes[0]]
        turn, joint = rot.inverse(rot.mean(local)), np.array(toes[1])
    length = float((ball - heel) @ ahead)
    if "toe" in points:
        length = max(length, _reach(clip, points["toe"].joint, np.array(points["toe"].offset), foot.joint, ahead, heel))
    if toes is None or length <= float((ball - heel) @ ahead) + 0.01 * height:
        length = max(length, _FOOT_LENGTH * height)
    tip = heel + ahead * length
    return Sole(
        foot.side, foot.joint, None if toes is None else toes[0], heel, ball, tip, up, ahead, turn, joint, width
    )


def _reach(clip: Clip, carrier: int, offset: Floats, ankle: int, ahead: Floats, heel: Floats) -> float:
    """How far the tip of the toes lies ahead of the heel, along the bones laid flat."""
    length = float(np.linalg.norm(offset)) if carrier != ankle else float(offset @ ahead)
    for joint in clip.skeleton.chain(carrier, ankle) if carrier != ankle else ():
        bone = clip.skeleton.offsets[joint]
        length += float(bone @ ahead) if clip.skeleton.parents[joint] == ankle else float(np.linalg.norm(bone))
    return length - float(heel @ ahead)


SHORT = 2e-3
"""A bone shorter than this share of the figure's height is no bone."""
_COLLAR_SHARE = 0.08  # of the upper trunk's width, on either side
_NECK_SHARE = 0.6  # the head's joint lies no higher in neck and head together
ARM = ("upper arm", "lower arm", "hand")
LEG = ("upper leg", "lower leg")


class HumanFitter:
    """Lays the parts of a human body along a skeleton.

    Parameters
    ----------
    pose : world positions (joints, 3) and rotations (joints, 4) of a pose, best a standing one.
    parts : the rows of a table. mass, height : of the whole figure, in kilograms and metres.
    soles : the feet that are known.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        pose: tuple[Floats, Floats],
        parts: Mapping[str, PartProportions],
        mass: float,
        height: float,
        soles: Sequence[Sole],
    ) -> None:
        self.skeleton, self.roles = skeleton, skeleton.roles
        self.places, self.world = pose
        self.parts, self.mass, self.height = parts, mass, height
        self.soles = {sole.side: sole for sole in soles}
        self.segments = SegmentBoxes()
        self.root = JointTree(skeleton).meeting(self.roles.values())

    def fit(self) -> SegmentBoxes:
        """All boxes."""
        lost = 0.0
        for side in SIDES:
            if f"{side} upper arm" in self.roles:
                self._limb(side, ARM)
            else:
                lost += sum(self.parts[name].mass for name in ARM) * self.mass
                self.segments.notes.append(f"The skeleton has no {side} arm: its mass is part of the trunk.")
        self._trunk(lost)
        self._head()
        for side in SIDES:
            if side in self.soles:
                self._limb(side, LEG)
                self._foot(self.soles[side])
            else:
                self._limb(side, (*LEG, "foot"))
                self.segments.notes.append(f"The skeleton has no {side} foot: nothing of that leg touches the ground.")
        self._even_out()
        return self.segments

    def _even_out(self) -> None:
        """Give left and right parts the same masses and boxes; captured skeletons differ by what was measured."""
        for part in (*ARM, *LEG, "foot", "toes", "collar"):
            pair = [self.roles.get(f"{side} {part}") for side in SIDES]
            boxes = [self.segments.boxes.get(joint, []) if joint is not None else [] for joint in pair]
            if len(boxes[0]) != len(boxes[1]):
                continue
            for k, (left, right) in enumerate(zip(*boxes, strict=True)):
                mass, sides = 0.5 * (left.mass + right.mass), 0.5 * (left.sides + right.sides)
                boxes[0][k], boxes[1][k] = (replace(box, mass=mass, sides=sides) for box in (left, right))

    # --- the middle

    def _trunk(self, extra: float) -> None:
        hips, chest = self.roles["hips"], self.roles.get("chest")
        spine = [] if chest is None else [j for j in self.skeleton.chain(chest, self.root) if j != hips]
        spine = self._with_bones(spine)
        below = np.mean([self.places[self.roles[f"{side} upper leg"]] for side in SIDES], axis=0)
        top = self._neck_base(spine[-1] if spine else hips)
        points = np.array([below, *(self.places[j] for j in spine), top])
        chain = SegmentChain.along((hips, *spine), points, self.places, self.world)
        lines = [self._across("upper leg"), *[self._across("upper arm")] * len(spine)]
        length = float(chain.levels[-1])
        usual = sum(self.parts[name].length for name in TRUNK)
        start = 0.0
        for name in TRUNK:
            part = self.parts[name]
            size = length * part.length / usual
            mass = part.mass * self.mass + (extra if name == "upper trunk" else 0.0)
            centre = start + size * (1.0 - part.centre)  # the table counts from the top
            along, across, deep = (size * side for side in part.box)
            cut_off = 0.0
            if name == "upper trunk" and spine:
                cut_off = self._collars(chain, mass, centre, (along, across, deep))
            box = along, across * (1.0 - cut_off), deep
            cut_box(self.segments, chain, self.world, mass * (1.0 - cut_off), centre, box, lines, shared=False)
            start += size
        if self.root != hips:
            self._halve(hips)

    def _collars(self, chain: SegmentChain, mass: float, centre: float, box: tuple[float, float, float]) -> float:
        """Cut slabs off the upper trunk for the collars, when there are two; their share of its mass."""
        joints = [self.roles.get(f"{side} collar") for side in SIDES]
        arms = [self.roles.get(f"{side} upper arm") for side in SIDES]
        pairs = [(c, a) for c, a in zip(joints, arms, strict=True) if c is not None and a is not None]
        if len(pairs) < 2 or any(self._distance(c, a) <= SHORT * self.height for c, a in pairs):
            return 0.0
        along, across, deep = box
        chest, last = chain.joints[-1], len(chain.joints) - 1
        frame = frame_of(rot.rotate(self.world[chest], chain.directions[last]), self._across("upper arm"))
        middle = self.places[chest] + rot.rotate(self.world[chest], chain.at(last, centre))
        for (joint, _), sign in zip(pairs, (1.0, -1.0), strict=True):
            shift = np.array([sign * 0.5 * across * (1.0 - _COLLAR_SHARE), 0.0, 0.0])
            sides = np.array([across * _COLLAR_SHARE, along, deep])
            self._add(joint, mass * _COLLAR_SHARE, middle + rot.rotate(frame, shift), frame, sides)
        return 2.0 * _COLLAR_SHARE

    def _halve(self, hips: int) -> None:
        """Share the pelvis with the joint above it, which carries both pelvis and spine and turns on its own."""
        whole = self.segments.boxes.pop(hips)
        for piece in whole:
            place = self.places[hips] + rot.rotate(self.world[hips], piece.centre)
            frame = rot.multiply(self.world[hips], piece.rotation)
            for joint in (hips, self.root):
                self._add(joint, 0.5 * piece.mass, place, frame, piece.sides)

    def _neck_base(self, chest: int) -> Floats:
        """Where trunk ends and neck begins: a joint of the neck, between the shoulders, or by the usual length."""
        head = self.roles.get("head", self.roles.get("neck"))
        above = () if head is None else self.skeleton.chain(head, chest)
        far = [joint for joint in above if self._distance(joint, chest) > SHORT * self.height]
        arms = [self.roles[f"{side} upper arm"] for side in SIDES if f"{side} upper arm" in self.roles]
        if far and (far[0] != self.roles.get("head") or not arms):
            return np.asarray(self.places[far[0]])
        if arms:
            return np.asarray(np.mean(self.places[arms], axis=0))
        usual = sum(self.parts[name].length for name in TRUNK) * self.height
        return np.asarray(self.places[chest] + np.array([0.0, usual, 0.0]))

    def _head(self) -> None:
        part = self.parts["head"]
        mass, length = part.mass * self.mass, part.length * self.height
        along, across, deep = (length * side for side in part.box)
        chest = self.roles.get("chest", self.roles["hips"])
        top = self.roles.get("head", self.roles.get("neck"))
        if top is None:
            self.segments.notes.append("The skeleton has no head: its mass is part of the trunk.")
            row = [chest]
        else:
            neck = self.skeleton.chain(top)
            row = self._with_bones(neck[neck.index(chest) + 1 :] if chest in neck else [top])
        last, base = row[-1], self._neck_base(chest)
        tip = self._tip(last, self.places[last] - self._below(last), length)
        if top is None:
            tip = base + (base - self.places[chest]) * (
                length / max(float(np.linalg.norm(base - self.places[chest])), 1e-9)
            )
        chain = SegmentChain.along(row, np.array([*(self.places[j] for j in row), tip]), self.places, self.world)
        # The part begins at the base of the neck, which may lie above the first joint of the row or below it.
        begin = float((base - self.places[row[0]]) @ rot.rotate(self.world[row[0]], chain.directions[0]))
        levels = np.minimum(chain.levels, [*[begin + _NECK_SHARE * length] * len(row), np.inf])
        chain = SegmentChain(
            chain.joints, np.maximum.accumulate(np.maximum(levels, 0.0)), chain.starts, chain.directions
        )
        lines = [self._across("upper arm")] * len(row)
        centre = begin + length * (1.0 - part.centre)
        cut_box(self.segments, chain, self.world, mass, centre, (along, across, deep), lines)

    # --- limbs

    def _limb(self, side: str, names: tuple[str, ...]) -> None:
        tops = [self.roles.get(f"{side} {name}") for name in names]
        known = [joint for joint in tops if joint is not None]
        end_joint = self.roles.get(f"{side} foot") if names == LEG else None
        row: Sequence[int] = self.skeleton.chain(known[-1], int(self.skeleton.parents[known[0]]))
        usual = self.parts[names[tops.index(known[-1])]].length * self.height
        way = self.places[known[-1]] - self._below(known[-1])
        end = self._tip(known[-1], way, usual) if end_joint is None else self.places[end_joint]
        row = self._with_bones(row, end=end)
        chain = SegmentChain.along(row, np.array([*(self.places[j] for j in row), end]), self.places, self.world)
        lines = [self._beside(rot.rotate(self.world[j], way)) for j, way in zip(row, chain.directions, strict=True)]
        start = 0.0
        for k, name in enumerate(names):
            part, top = self.parts[name], tops[k]
            after = next((joint for joint in tops[k + 1 :] if joint is not None), None)
            between = [j for j in row if top is not None and j >= top and (after is None or j < after)]
            size = part.length * self.height
            if between:
                first, last = row.index(between[0]), row.index(between[-1]) + 1
                start = float(chain.levels[first])
                if name not in ("hand", "foot"):  # these end at knuckles and toes, which files place as they like
                    size = float(chain.levels[last]) - start
            along, across, deep = (size * s for s in part.box)
            centre = start + size * part.centre
            only = between or [max((j for j in row if top is None or j < top), default=row[0])]
            mass = part.mass * self.mass
            cut_box(self.segments, chain, self.world, mass, centre, (along, across, deep), lines, only=only)
            start += size

    def _foot(self, sole: Sole) -> None:
        part, size = self.parts["foot"], sole.length
        along, across, deep = (size * s for s in part.box)
        frame = frame_of(sole.ahead, np.cross(sole.up, sole.ahead))  # the box's long side lies along the sole
        centre = part.centre * size
        low, high = centre - 0.5 * along, centre + 0.5 * along
        joints = (sole.ankle,) if sole.toes is None else (sole.ankle, sole.toes)
        cut = float(np.clip((sole.ball - sole.heel) @ sole.ahead, low + 0.2 * along, high - 0.1 * along))
        edges = (low, high) if sole.toes is None else (low, cut, high)
        for joint, a, b in zip(joints, edges[:-1], edges[1:], strict=True):
            at = sole.heel + sole.ahead * (0.5 * (a + b)) + sole.up * (0.5 * deep)
            turned = frame if joint == sole.ankle else rot.multiply(sole.toes_from_ankle, frame)
            place = at if joint == sole.ankle else sole.in_toes(at)
            mass = part.mass * self.mass * (b - a) / along
            self.segments.add(joint, MassBox(mass, place, turned, np.array([across, b - a, deep])))

    # --- small things

    def _add(self, joint: int, mass: float, place: Floats, frame: Floats, sides: Floats) -> None:
        """A box given in the world of the pose."""
        back = rot.inverse(self.world[joint])
        centre = rot.rotate(back, place - self.places[joint])
        self.segments.add(joint, MassBox(mass, centre, rot.multiply(back, frame), sides))

    def _distance(self, a: int, b: int) -> float:
        return float(np.linalg.norm(self.places[a] - self.places[b]))

    def _with_bones(self, row: Sequence[int], end: Floats | None = None) -> list[int]:
        """The joints of a row that have a bone before the next one; the last always stays."""
        with_bones = []
        for k, joint in enumerate(row):
            following = self.places[row[k + 1]] if k + 1 < len(row) else end
            bone = np.inf if following is None else float(np.linalg.norm(following - self.places[joint]))
            if bone > SHORT * self.height or k + 1 == len(row):
                with_bones.append(joint)
        return with_bones

    def _across(self, part: str) -> Floats:
        """From the right hip (or shoulder) to the left."""
        for name in (part, "upper leg"):
            pair = [self.roles.get(f"{side} {name}") for side in SIDES]
            if pair[0] is not None and pair[1] is not None:
                line = self.places[pair[0]] - self.places[pair[1]]
                if np.linalg.norm(line) > SHORT * self.height:
                    return np.asarray(line)
        return np.array([1.0, 0.0, 0.0])

    def _beside(self, way: Floats) -> Floats:
        """Where a limb that points along ``way`` is broad: across the body, or ahead for arms held out sideways."""
        across = self._across("upper leg")
        parallel = abs(float(across @ way)) > 0.8 * float(np.linalg.norm(across) * np.linalg.norm(way))
        return np.cross(across, [0.0, 1.0, 0.0]) if parallel else across

    def _below(self, joint: int) -> Floats:
        """Where the bone that ends in a joint begins; a little under the joint where there is none."""
        at = int(self.skeleton.parents[joint])
        while at >= 0 and self._distance(at, joint) <= SHORT * self.height:
            at = int(self.skeleton.parents[at])
        return np.asarray(self.places[at] if at >= 0 else self.places[joint] - np.array([0.0, 1.0, 0.0]))

    def _tip(self, joint: int, way: Floats, length: float) -> Floats:
        """The end of a last part: towards the mean of what hangs on it, or straight on, ``length`` metres away."""
        ends = [self.places[child] for child in self.skeleton.children[joint]]
        ends += [
            self.places[joint] + rot.rotate(self.world[joint], np.array(site.offset))
            for site in self.skeleton.end_sites
            if site.parent == joint
        ]
        far = [end - self.places[joint] for end in ends]
        far = [step for step in far if np.linalg.norm(step) > SHORT * self.height]
        step = np.mean(far, axis=0) if far else way
        size = float(np.linalg.norm(step))
        if size <= SHORT * self.height:
            step, size = way, max(float(np.linalg.norm(way)), 1e-9)
        return np.asarray(self.places[joint] + step * (length / size))
