"""How heavy the parts of a human body are, and their mass as boxes in the frames of joints.

==================  ==========================================================================================
PartProportions     one row of a table: share of mass, position of the centre, radii of gyration, usual length
part_table          the rows of a table, for men, women or the mean of both
MassBox             a solid box in the frame of a joint
SegmentBoxes        all boxes of a body, joint by joint
SegmentChain        joints in a row, along which a box is cut
cut_box             cuts a box where a chain of joints bends
==================  ==========================================================================================

The tables give a part's mass, centre and three radii of gyration; exactly one solid box has them
(:attr:`PartProportions.box`). A part that several joints share (a trunk of four spine joints, a forearm with a wrist
halfway) is that box cut across at the joints, so that masses, centres and inertias of the whole stay those of the table
no matter how a rig divides it.

Sources: P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", J. Biomechanics 29 (1996),
table 4, with the end points cervicale for head and upper trunk and the joint centres for the shank. W. T. Dempster,
"Space requirements of the seated operator" (1955), as printed by D. A. Winter ("Biomechanics and motor control of human
movement", table 4.1). Dempster measured no thirds of the trunk along three axes, and Winter's hand ends at the second
knuckle and his foot at the ankle and the ball: where his numbers are missing or between other ends (radii about the
other axes, trunk, head, hand and foot) the shape is de Leva's.
Every number was checked against the tables that M. Duarte keeps (github.com/BMClab/BMC, ``data/BSPmale_ZdeLeva.txt``,
``BSPfemale_ZdeLeva.txt``, ``BSP_DempsterWinter.txt``), and de Leva's again against R. Gurchiek's ``deleva.m``, which
also has the lengths. One other copy prints .263 for the longitudinal radius of a woman's head; de Leva's own radius
between other ends, .318 of 200.2 mm, is .261 of 243.7 mm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

import numpy as np

from kinetune import rotations as rot
from kinetune.body.kinematics.anatomy import frame_of
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

Table = Literal["de Leva", "Dempster"]
Sex = Literal["male", "female"]
TABLES: tuple[Table, ...] = ("de Leva", "Dempster")

MEAN_MASS = 70.0
"""Kilograms of an adult when no mass is given."""


@dataclass(frozen=True)
class PartProportions:
    """One part of the body.

    mass : its share of the body's mass.
    centre : where its centre of mass lies, as a share of its length from the proximal end.
    radii : radii of gyration over length, about the axes that point ahead (sagittal), across (transverse) and along.
    length : its usual length, as a share of the height of the body.
    """

    mass: float
    centre: float
    radii: tuple[float, float, float]
    length: float

    @property
    def box(self) -> tuple[float, float, float]:
        """The sides (along, across, deep) over length of the solid box that has these radii of gyration."""
        ahead, across, along = (radius**2 for radius in self.radii)
        sides = (6.0 * (ahead + across - along), 6.0 * (ahead + along - across), 6.0 * (across + along - ahead))
        a, b, c = (float(np.sqrt(max(side, 1e-6))) for side in sides)
        return a, b, c


_MALE_HEIGHT, _FEMALE_HEIGHT = 1.741, 1.735
# name: male mass %, centre %, radii %, length mm; the same of women. Head and trunk from the top downwards.
_DE_LEVA = {
    "head": ((6.94, 50.02, (30.3, 31.5, 26.1), 242.9), (6.68, 48.41, (27.1, 29.5, 26.1), 243.7)),
    "upper trunk": ((15.96, 50.66, (50.5, 32.0, 46.5), 242.1), (15.45, 50.50, (46.6, 31.4, 44.9), 228.0)),
    "middle trunk": ((16.33, 45.02, (48.2, 38.3, 46.8), 215.5), (14.65, 45.12, (43.3, 35.4, 41.5), 205.3)),
    "lower trunk": ((11.17, 61.15, (61.5, 55.1, 58.7), 145.7), (12.47, 49.20, (43.3, 40.2, 44.4), 181.5)),
    "upper arm": ((2.71, 57.72, (28.5, 26.9, 15.8), 281.7), (2.55, 57.54, (27.8, 26.0, 14.8), 275.1)),
    "lower arm": ((1.62, 45.74, (27.6, 26.5, 12.1), 268.9), (1.38, 45.59, (26.1, 25.7, 9.4), 264.3)),
    "hand": ((0.61, 79.00, (62.8, 51.3, 40.1), 86.2), (0.56, 74.74, (53.1, 45.4, 33.5), 78.0)),
    "upper leg": ((14.16, 40.95, (32.9, 32.9, 14.9), 422.2), (14.78, 36.12, (36.9, 36.4, 16.2), 368.5)),
    "lower leg": ((4.33, 43.95, (25.1, 24.6, 10.2), 440.3), (4.81, 43.52, (26.7, 26.3, 9.2), 438.6)),
    "foot": ((1.37, 44.15, (25.7, 24.5, 12.4), 258.1), (1.29, 40.14, (29.9, 27.9, 13.9), 228.3)),
}
# mass %, centre %, radius % about the transverse axis; None where de Leva's stands in.
_DEMPSTER: dict[str, tuple[float, float | None, float | None]] = {
    "head": (8.1, None, None),
    "upper trunk": (21.6, None, None),
    "middle trunk": (13.9, None, None),
    "lower trunk": (14.2, None, None),
    "upper arm": (2.8, 43.6, 32.2),
    "lower arm": (1.6, 43.0, 30.3),
    "hand": (0.6, None, None),
    "upper leg": (10.0, 43.3, 32.3),
    "lower leg": (4.65, 43.3, 30.2),
    "foot": (1.45, None, None),
}
PAIRED = ("upper arm", "lower arm", "hand", "upper leg", "lower leg", "foot")
"""The parts that a body has twice."""
TRUNK = ("lower trunk", "middle trunk", "upper trunk")
"""The thirds of the trunk from the hips upwards."""


def part_table(tables: str = "de Leva", sex: str | None = None) -> Mapping[str, PartProportions]:
    """The figures of every part of the body; the masses of all parts, paired ones twice, sum to 1.

    Parameters
    ----------
    tables : "de Leva" or "Dempster".
    sex : "male", "female", or None for the mean of both. Dempster's table knows men only.
    """
    if tables not in TABLES:
        raise ParameterError(f'The tables of body segments are {" and ".join(map(repr, TABLES))}; got "{tables}".')
    if sex not in ("male", "female", None):
        raise ParameterError(f'sex must be "male", "female" or None for the mean of both; got {sex!r}.')
    leva = _de_leva(cast("Sex | None", sex))
    rows = leva if tables == "de Leva" else {name: _dempster(name, leva[name]) for name in leva}
    total = sum(row.mass * (2.0 if name in PAIRED else 1.0) for name, row in rows.items())
    return {name: PartProportions(row.mass / total, row.centre, row.radii, row.length) for name, row in rows.items()}


def _de_leva(sex: Sex | None) -> dict[str, PartProportions]:
    proportions = {}
    for name, (male, female) in _DE_LEVA.items():
        rows = [_row(*male, _MALE_HEIGHT)] if sex != "female" else []
        rows += [_row(*female, _FEMALE_HEIGHT)] if sex != "male" else []
        mean = np.mean([[row.mass, row.centre, *row.radii, row.length] for row in rows], axis=0).tolist()
        proportions[name] = PartProportions(mean[0], mean[1], (mean[2], mean[3], mean[4]), mean[5])
    return proportions


def _row(
    mass: float, centre: float, radii: tuple[float, float, float], length: float, height: float
) -> PartProportions:
    ahead, across, along = (radius / 100.0 for radius in radii)
    return PartProportions(mass / 100.0, centre / 100.0, (ahead, across, along), length / 1000.0 / height)


def _dempster(name: str, leva: PartProportions) -> PartProportions:
    mass, centre, radius = _DEMPSTER[name]
    scale = 1.0 if radius is None else radius / 100.0 / leva.radii[1]
    ahead, across, along = (scale * r for r in leva.radii)
    place = leva.centre if centre is None else centre / 100.0
    return PartProportions(mass / 100.0, place, (ahead, across, along), leva.length)


_LEAST_SLICE = 0.05  # of a box or a chain, so that no joint that turns is left without mass


@dataclass(frozen=True)
class MassBox:
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
class SegmentBoxes:
    """What was found: boxes for each joint that turns, and sentences on what was assumed."""

    boxes: dict[int, list[MassBox]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, joint: int, piece: MassBox) -> None:
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
class SegmentChain:
    """Joints in a row, each with the stretch from its own start to that of the next.

    joints : which. levels : (joints + 1,) metres along the chain at which stretches begin, and the end of the last.
    starts, directions : (joints, 3) the beginning of each stretch and the way it runs, in the frame of its joint.
    """

    joints: tuple[int, ...]
    levels: Floats
    starts: Floats
    directions: Floats

    @classmethod
    def along(cls, joints: Sequence[int], points: Floats, places: Floats, world: Floats) -> SegmentChain:
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
    boxes: SegmentBoxes,
    chain: SegmentChain,
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
        boxes.add(chain.joints[k], MassBox(share, chain.at(k, 0.5 * (first + last)), frame, sides))
