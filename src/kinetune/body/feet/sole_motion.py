"""The sole of a foot in motion: how steep it is, what it touches, and what becomes of it when the foot is turned.

=============  ===================================================================
Rocker         heel, ball and toes of one foot, frame by frame
find_rocker    reads them from a clip
raise_by       the small turn that lifts the front of something
=============  ===================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.floor import Floor, Ground
from kinetune.body.feet.soles import UP, Foot, find_foot_joints
from kinetune.rotations import Floats


@dataclass(frozen=True)
class Rocker:
    """The parts of a sole, each (frames, 3) in metres.

    ankle : the joint about which the foot turns.
    heel, ball : points of the sole that turn with the foot.
    toe_joint : where the toes bend; None for a foot whose toes do not.
    tip : the point of the sole below the tip of the toes; the ball where nothing is known of toes.
    lift : how high the toe joint is above the floor while the toes are flat, in metres.
    """

    floor: Floor
    ankle: Floats
    heel: Floats
    ball: Floats
    toe_joint: Floats | None
    tip: Floats
    lift: float = 0.0

    @property
    def pitch(self) -> Floats:
        """How steeply the foot rises from heel to ball against the floor, (frames,) radians; 0 is flat."""
        return self._rise(self.heel, self.ball)

    @property
    def toe_pitch(self) -> Floats:
        """How steeply the toes rise; 0 while they are flat, and for toes that do not bend."""
        if self.toe_joint is None:
            return np.zeros(len(self.heel))
        return self._rise(self.toe_joint, self.tip) + self._flat_toes

    @property
    def _flat_toes(self) -> Floats:
        """The angle at which flat toes fall from their joint to the floor."""
        return np.arcsin(np.clip(self.lift / self.toe_length, 0.0, 1.0))

    @property
    def toes(self) -> Floats:
        """From the toe joint, or the ball, to the tip, (frames, 3) metres."""
        return self.tip - (self.ball if self.toe_joint is None else self.toe_joint)

    @property
    def toe_length(self) -> Floats:
        """How long the toes are, (frames,) metres."""
        return np.maximum(np.linalg.norm(self.toes, axis=-1), 1e-9)

    def _rise(self, start: Floats, end: Floats) -> Floats:
        length = np.maximum(np.linalg.norm(end - start, axis=-1), 1e-9)
        return np.arcsin(np.clip((self.floor.above(end) - self.floor.above(start)) / length, -1.0, 1.0))

    @property
    def forefoot(self) -> Floats:
        """The point of the sole on which a foot stands with its heel up: below the toe joint, turning with the toes."""
        if self.toe_joint is None:
            return self.ball
        pitch = self.toe_pitch[:, None]
        ahead = level_direction(self.toes)
        return self.toe_joint - self.lift * (np.cos(pitch) * UP - np.sin(pitch) * ahead)

    def turned(self, turn: Floats, toe_turn: Floats) -> Rocker:
        """The sole after turns (frames, 3) of the foot and of the toes, rotation vectors in world axes."""
        foot = rot.exp(turn)

        def carried(points: Floats) -> Floats:
            return self.ankle + rot.rotate(foot, points - self.ankle)

        heel, ball = carried(self.heel), carried(self.ball)
        if self.toe_joint is None:
            return replace(self, heel=heel, ball=ball, tip=carried(self.tip))
        joint = carried(self.toe_joint)
        tip = joint + rot.rotate(rot.exp(toe_turn), self.toes)
        return replace(self, heel=heel, ball=ball, toe_joint=joint, tip=tip)

    def moved(self, shift: Floats) -> Rocker:
        """The sole somewhere else."""
        joint = None if self.toe_joint is None else self.toe_joint + shift
        parts = {name: getattr(self, name) + shift for name in ("ankle", "heel", "ball", "tip")}
        return replace(self, toe_joint=joint, **parts)

    def height(self) -> Floats:
        """How far the lowest part that may carry the foot is above the floor, (frames,) metres.

        The tip of toes that do not bend does not carry: captured feet of that kind dip it below the floor.
        """
        return np.min([self.floor.above(point) - lift for point, lift in self._supports()], axis=0)

    def _supports(self) -> list[tuple[Floats, float]]:
        if self.toe_joint is None:
            return [(self.heel, 0.0), (self.ball, 0.0)]
        return [(self.heel, 0.0), (self.toe_joint, self.lift), (self.tip, 0.0)]

    def tip_toe_room(self, most_pitch: float) -> Floats:
        """How far a foot on flat toes may rise until only their tip touches the floor, (frames,) metres.

        most_pitch : how steep the toes may become, in radians.
        """
        if self.toe_joint is None:
            return np.maximum(self.floor.above(self.ball) - self.floor.above(self.tip), 0.0)
        flat = self._flat_toes
        return self.toe_length * np.maximum(np.sin(np.minimum(flat + most_pitch, 0.5 * np.pi)) - np.sin(flat), 0.0)

    def tip_toe_pitch(self, risen: Floats) -> Floats:
        """How steep toes are, tip on the floor, when their joint has risen by some metres, (frames,) radians >= 0."""
        flat = self._flat_toes
        return np.arcsin(np.clip(np.sin(flat) + np.maximum(risen, 0.0) / self.toe_length, 0.0, 1.0)) - flat


def find_rocker(clip: Clip, foot: Foot, ground: Ground) -> tuple[Rocker, int | None]:
    """The sole of a foot in a clip, and the joint about which its toes bend, or None."""
    points = foot.positions(clip)
    named = {point.name: points[:, index] for index, point in enumerate(foot.points)}
    ankle = clip.positions()[:, foot.joint]
    heel = named.get("heel", ankle)
    ball = named.get("ball", heel)
    tip = named.get("toe", ball)
    toes = next((f.toes for f in find_foot_joints(clip) if f.ankle == foot.joint), None)
    carrier = next((point.joint for point in foot.points if point.name == "toe"), foot.joint)
    if toes is None or carrier == foot.joint:
        return Rocker(ground.floor, ankle, heel, ball, None, tip), None
    joint = clip.positions()[:, toes[0]]
    lift = float(np.median(np.linalg.norm(joint - ball, axis=-1)))
    return Rocker(ground.floor, ankle, heel, ball, joint, tip, lift), toes[0]


def raise_by(along: Floats, radians: ArrayLike) -> Floats:
    """Rotation vectors (frames, 3) that raise directions (frames, 3) by angles, about level axes."""
    return np.cross(level_direction(along), UP) * np.broadcast_to(radians, len(along))[:, None]


def level_direction(along: Floats) -> Floats:
    """Unit vectors (frames, 3): directions without their rise; 0 for one that is upright."""
    level = along * np.array([1.0, 0.0, 1.0])
    return level / np.maximum(np.linalg.norm(level, axis=-1, keepdims=True), 1e-9)
