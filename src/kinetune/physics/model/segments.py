"""The mass of a figure as boxes in the frames of its joints, and cutting a box where a chain of joints bends.

The tables give a part's mass, centre and three radii of gyration; exactly one solid box has them
(:attr:`kinetune.physics.model.segment_tables.PartFigures.box`). A part that several joints share (a trunk of four spine
joints, a forearm with a wrist half way) is that box cut across at the joints, so that masses, centres and inertias of
the whole stay those of the table however a rig divides it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kinetune import rotations as rot
from kinetune.body.kinematics.anatomy import frame_of
from kinetune.rotations import Floats

_LEAST_SLICE = 0.05  # of a box or a chain, so that no joint that turns is left without mass


@dataclass(frozen=True)
class Piece:
    """A solid box in the frame of a joint.

    mass : in kilograms. centre : (3,) metres. rotation : (4,) wxyz. sides : (3,) metres, along the box's own axes.
    """

    mass: float
    centre: Floats
    rotation: Floats
    sides: Floats

    def inertia(self) -> Floats:
        """The inertia tensor (3, 3) about its centre, in the joint's axes."""
        squares = self.sides**2
        turned = rot.to_matrix(self.rotation)
        return np.asarray(turned @ np.diag(self.mass / 12.0 * (squares.sum() - squares)) @ turned.T)


@dataclass
class Pieces:
    """What was found: boxes for each joint that turns, and sentences on what was assumed."""

    boxes: dict[int, list[Piece]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, joint: int, piece: Piece) -> None:
        """Give a box to a joint."""
        self.boxes.setdefault(joint, []).append(piece)

    def balance(self, joint: int) -> tuple[float, Floats, Floats]:
        """Mass, centre (3,) and inertia tensor (3, 3) about it of all boxes of a joint."""
        pieces = self.boxes[joint]
        mass = float(sum(piece.mass for piece in pieces))
        centre = np.asarray(sum(piece.mass * piece.centre for piece in pieces)) / mass
        inertia = np.zeros((3, 3))
        for piece in pieces:
            arm = piece.centre - centre
            inertia += piece.inertia() + piece.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        return mass, centre, inertia


@dataclass(frozen=True)
class Chain:
    """Joints in a row, each with the stretch from its own start to that of the next.

    joints : which. levels : (joints + 1,) metres along the chain at which stretches begin, and the end of the last.
    starts, directions : (joints, 3) the beginning of each stretch and the way it runs, in the frame of its joint.
    """

    joints: tuple[int, ...]
    levels: Floats
    starts: Floats
    directions: Floats

    @classmethod
    def along(cls, joints: Sequence[int], points: Floats, places: Floats, world: Floats) -> Chain:
        """The chain of joints whose stretches begin at ``points`` (joints + 1, 3), given in the world of a pose."""
        steps = np.diff(points, axis=0)
        lengths = np.linalg.norm(steps, axis=1)
        ways = steps / np.maximum(lengths, 1e-12)[:, None]
        rows = list(joints)
        back = rot.inverse(world[rows])
        starts = rot.rotate(back, points[:-1] - places[rows])
        return cls(tuple(rows), np.concatenate([[0.0], np.cumsum(lengths)]), starts, rot.rotate(back, ways))

    def at(self, k: int, level: float) -> Floats:
        """A point of the chain in the frame of its joint number k."""
        return np.asarray(self.starts[k] + self.directions[k] * (level - self.levels[k]))

    def spread(self) -> Floats:
        """The levels (joints + 1,) moved apart a little where joints lie close, so that each gets a slice."""
        count = len(self.joints)
        least = _LEAST_SLICE * float(self.levels[-1])
        moved = self.levels.copy()
        for k in range(1, count):
            moved[k] = max(moved[k], moved[k - 1] + least)
        for k in range(count - 1, 0, -1):
            moved[k] = min(moved[k], moved[k + 1] - least)
        return moved


def cut_box(
    found: Pieces,
    chain: Chain,
    world: Floats,
    mass: float,
    centre: float,
    box: tuple[float, float, float],
    across: Sequence[Floats],
    *,
    only: Sequence[int] | None = None,
    shared: bool = True,
) -> None:
    """Cut a box that lies along a chain at the joints; each joint takes what lies beyond it up to the next.

    Parameters
    ----------
    world : (joints, 4) rotations of all joints in the pose in which ``across`` is given.
    mass, centre : of the box in kilograms, and the level of its centre.
    box : its sides along the chain, across and deep.
    across : for each joint of the chain, the direction in the world in which the box is broad.
    only : the joints among which it is cut; all of the chain by default.
    shared : whether each of them must get some of it.
    """
    along, broad, deep = box
    low, high = centre - 0.5 * along, centre + 0.5 * along
    takers = [k for k, joint in enumerate(chain.joints) if only is None or joint in only]
    cuts = chain.spread()[takers[1:]]
    if shared:
        least = _LEAST_SLICE * along
        steps = np.arange(1, len(takers)) * least
        cuts = np.minimum(np.maximum(cuts, low + steps), high - steps[::-1])
    edges = np.clip(np.concatenate([[-np.inf], cuts, [np.inf]]), low, high)
    for k, first, last in zip(takers, edges[:-1], edges[1:], strict=True):
        if last - first <= 1e-9 * along:
            continue
        turned = frame_of(rot.rotate(world[chain.joints[k]], chain.directions[k]), across[k])
        frame = rot.multiply(rot.inverse(world[chain.joints[k]]), turned)
        share = mass * (last - first) / along
        sides = np.array([broad, last - first, deep])
        found.add(chain.joints[k], Piece(share, chain.at(k, 0.5 * (first + last)), frame, sides))
