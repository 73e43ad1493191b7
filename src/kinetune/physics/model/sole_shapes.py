"""The soles of a body: where heel, ball and tip of each foot are, and the points at which it touches the ground.

A sole is read from a clip where one is given, from the frames in which the foot stands flat, and from the rest pose
otherwise (:func:`kinetune.body.feet.floor.find_ground` does both). Each foot touches at six points: the two edges of
the heel, of the ball and of the tip of the toes. Ball and tip turn with the toes where the skeleton has them, so that
the toes stay flat while the heel lifts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.feet.floor import find_ground
from kinetune.body.feet.soles import Foot, find_foot_joints
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
        found: list[tuple[Literal["heel", "toe"], str, int, Floats]] = []
        for name, point, joint in (
            ("heel", self.heel, self.ankle),
            ("ball", self.ball, front),
            ("tip", self.tip, front),
        ):
            for edge, shift in (("left", across), ("right", -across)):
                place = point + shift if joint == self.ankle else self.in_toes(point + shift)
                found.append(("heel" if name == "heel" else "toe", f"{self.side} {name} {edge}", joint, place))
        return found


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
