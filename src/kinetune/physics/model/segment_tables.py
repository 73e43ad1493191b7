"""How heavy the parts of a human body are, and how their mass is spread: the tables of de Leva and of Dempster.

==================  ==========================================================================================
PartFigures         one row: share of the mass, place of the centre, radii of gyration, usual length
part_table          the rows of a table, for men, women or the mean of both
TABLES              the names of the tables
==================  ==========================================================================================

Sources: P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", J. Biomechanics 29 (1996),
table 4, with the end points cervicale for head and upper trunk and the joint centres for the shank. W. T. Dempster,
"Space requirements of the seated operator" (1955), as D. A. Winter prints it ("Biomechanics and motor control of human
movement", table 4.1). Dempster measured no thirds of the trunk along three axes, and Winter's hand ends at the second
knuckle and his foot at the ankle and the ball: where his figures are silent or between other ends (radii about the
other axes, trunk, head, hand and foot) the shape is de Leva's.
Every number was held against the tables that M. Duarte keeps (github.com/BMClab/BMC, ``data/BSPmale_ZdeLeva.txt``,
``BSPfemale_ZdeLeva.txt``, ``BSP_DempsterWinter.txt``), and de Leva's again against R. Gurchiek's ``deleva.m``, which
also has the lengths. One other copy prints .263 for the longitudinal radius of a woman's head; de Leva's own radius
between other ends, .318 of 200.2 mm, is .261 of 243.7 mm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from kinetune.errors import ParameterError

Table = Literal["de Leva", "Dempster"]
Sex = Literal["male", "female"]
TABLES: tuple[Table, ...] = ("de Leva", "Dempster")

MEAN_MASS = 70.0
"""Kilograms of a grown figure when nobody says."""


@dataclass(frozen=True)
class PartFigures:
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


def part_table(tables: str = "de Leva", sex: str | None = None) -> Mapping[str, PartFigures]:
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
    return {name: PartFigures(row.mass / total, row.centre, row.radii, row.length) for name, row in rows.items()}


def _de_leva(sex: Sex | None) -> dict[str, PartFigures]:
    found = {}
    for name, (male, female) in _DE_LEVA.items():
        rows = [_row(*male, _MALE_HEIGHT)] if sex != "female" else []
        rows += [_row(*female, _FEMALE_HEIGHT)] if sex != "male" else []
        mean = np.mean([[row.mass, row.centre, *row.radii, row.length] for row in rows], axis=0).tolist()
        found[name] = PartFigures(mean[0], mean[1], (mean[2], mean[3], mean[4]), mean[5])
    return found


def _row(mass: float, centre: float, radii: tuple[float, float, float], length: float, height: float) -> PartFigures:
    ahead, across, along = (radius / 100.0 for radius in radii)
    return PartFigures(mass / 100.0, centre / 100.0, (ahead, across, along), length / 1000.0 / height)


def _dempster(name: str, leva: PartFigures) -> PartFigures:
    mass, centre, radius = _DEMPSTER[name]
    scale = 1.0 if radius is None else radius / 100.0 / leva.radii[1]
    ahead, across, along = (scale * r for r in leva.radii)
    place = leva.centre if centre is None else centre / 100.0
    return PartFigures(mass / 100.0, place, (ahead, across, along), leva.length)
