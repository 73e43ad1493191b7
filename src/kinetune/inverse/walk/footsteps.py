"""Where feet should stand: footsteps, and how one position on the floor is seen from another.

================  ==================================================================================
Footstep          a foot, the position of its ball on the floor, and where its toes point
read_footsteps    footsteps from a CSV file
seen_from         a position on the floor as seen from a foot that stands elsewhere
placed_at         the inverse: where that is in the world
================  ==================================================================================

A position on the floor is (x, z, heading): metres, and radians about the vertical from +Z towards +X, as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from kinetune.errors import MalformedFileError, ParameterError, quoted
from kinetune.input_files import reading, table_rows
from kinetune.rotations import Floats

Side = Literal["left", "right"]
OTHER: dict[Side, Side] = {"left": "right", "right": "left"}
COLUMNS = ("side", "x", "z", "heading_deg")
_FARTHEST = 100_000.0
_LARGEST = 16 << 20  # bytes: a quarter of a million footsteps


@dataclass(frozen=True)
class Footstep:
    """A foot to be put down: which one, where the ball of the foot goes, and where the toes point.

    Parameters
    ----------
    side : {"left", "right"}
        "left" or "right".
    x, z : float
        Metres on the floor. Left is +X for a character that looks along +Z.
    heading_deg : float, optional
        Degrees about the vertical from +Z towards +X (to the left of a character that looks along +Z).

    Examples
    --------
    >>> Footstep("left", x=0.1, z=0.6)
    Footstep(side='left', x=0.1, z=0.6, heading_deg=0.0)
    """

    side: Side
    x: float
    z: float
    heading_deg: float = 0.0

    def __post_init__(self) -> None:
        if self.side not in OTHER:
            raise ParameterError(f'The side of a footstep is "left" or "right", not {self.side!r:.60}.')
        for name in ("x", "z", "heading_deg"):
            value = getattr(self, name)
            try:
                number = float(value)
            except (TypeError, ValueError):
                raise ParameterError(f"{name} of a footstep must be a number, not {value!r:.60}.") from None
            if not (math.isfinite(number) and abs(number) <= _FARTHEST):
                raise ParameterError(f"{name} of a footstep must be a number up to {_FARTHEST:,.0f}, not {value}.")
            object.__setattr__(self, name, number)

    @classmethod
    def at(cls, side: Side, place: Floats) -> Footstep:
        """The footstep of a side at a place (x, z, heading in radians)."""
        return cls(side, float(place[0]), float(place[1]), math.degrees(float(place[2])))

    @property
    def place(self) -> Floats:
        """(x, z, heading in radians), shape (3,)."""
        return np.array([self.x, self.z, math.radians(self.heading_deg)])

    def as_dict(self) -> dict[str, Any]:
        """The footstep as a JSON-ready mapping."""
        return asdict(self)


def as_footsteps(items: Iterable[Footstep | Sequence[Any] | dict[str, Any]]) -> list[Footstep]:
    """Footsteps from footsteps, from (side, x, z, heading_deg) and from mappings; the first bad one is named."""
    footsteps = []
    for number, item in enumerate(items):
        try:
            if isinstance(item, Footstep):
                footsteps.append(item)
            elif isinstance(item, dict):
                footsteps.append(Footstep(**item))
            else:
                footsteps.append(Footstep(*item))
        except (ParameterError, TypeError) as problem:
            raise ParameterError(
                f"Footstep {number}: "
                + (
                    str(problem)
                    if isinstance(problem, ParameterError)
                    else "give a side, x, z and heading_deg, such as Footstep('left', 0.1, 0.6, 0)."
                )
            ) from None
    if not footsteps:
        raise ParameterError("There is no footstep to walk on; give at least one, or plan some: kt.plan_footsteps.")
    return footsteps


def read_footsteps(path: str | Path) -> list[Footstep]:
    """Footsteps from a CSV file with the columns side, x, z and heading_deg (metres, degrees).

    The first line may name the columns, in any order; without it they come in that order. heading_deg may be missing.
    Empty lines and lines that begin with # are passed over.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    list of Footstep

    Examples
    --------
    >>> steps = read_footsteps("steps.csv")
    >>> steps[0].side, steps[0].z
    ('left', 0.6)
    """
    with reading(path):
        return _parse_footsteps(path)


def _parse_footsteps(path: str | Path) -> list[Footstep]:
    columns: tuple[str, ...] = COLUMNS
    footsteps: list[Footstep] = []
    for line, cells in table_rows(path, largest=_LARGEST, what="a list of footsteps"):
        if not footsteps and "side" in [cell.casefold() for cell in cells]:
            columns = _named_columns(path, line, cells)
            continue
        if not 3 <= len(cells) <= len(columns):
            raise MalformedFileError(
                path, f"{len(cells)} values in a line; a footstep has {', '.join(columns)}.", line=line
            )
        fields = dict(zip(columns, cells, strict=False))
        try:
            values = [
                float(fields.get(name) or 0.0) if name == "heading_deg" else float(fields[name]) for name in COLUMNS[1:]
            ]
            footsteps.append(Footstep(cast(Side, fields["side"].casefold()), *values))
        except ParameterError as problem:
            raise MalformedFileError(path, str(problem), line=line) from None
        except ValueError:
            raise MalformedFileError(
                path, f"{','.join(cells)!r:.60} is no footstep.", line=line, advice="Write, say: left,0.1,0.6,0"
            ) from None
    if not footsteps:
        raise MalformedFileError(path, "there is no footstep in it.", advice="Write one a line, say: left,0.1,0.6,0")
    return footsteps


def _named_columns(path: str | Path, line: int, cells: list[str]) -> tuple[str, ...]:
    names = tuple({"heading": "heading_deg"}.get(cell.casefold(), cell.casefold()) for cell in cells)
    strange = [name for name in names if name not in COLUMNS]
    missing = [name for name in COLUMNS[:3] if name not in names]
    if strange or missing or len(set(names)) != len(names):
        wrong = f"the column {quoted(strange[0])} is not known" if strange else "a column is missing or there twice"
        raise MalformedFileError(path, f"{wrong}; the columns are {', '.join(COLUMNS)}.", line=line)
    return names


def wrapped(radians: Any) -> Any:
    """An angle in [-pi, pi)."""
    return (radians + np.pi) % (2.0 * np.pi) - np.pi


def seen_from(place: Floats, foot: Floats) -> Floats:
    """Places (..., 3) on the floor as seen from a foot (..., 3): x to its left, z ahead of it, relative heading.

    Notes
    -----
    [huang] makes the start of a step the negated end of the one before. That holds in world axes; in the frame of the
    foot that stands it is turned as well: the inverse of (v, theta) is (-R(-theta) v, -theta), which is what this
    gives for the other foot.
    """
    x, z = place[..., 0] - foot[..., 0], place[..., 1] - foot[..., 1]
    cosine, sine = np.cos(foot[..., 2]), np.sin(foot[..., 2])
    return np.stack([cosine * x - sine * z, sine * x + cosine * z, wrapped(place[..., 2] - foot[..., 2])], axis=-1)


def placed_at(relative: Floats, foot: Floats) -> Floats:
    """Where places (..., 3) seen from a foot (..., 3) are on the floor: the inverse of :func:`seen_from`."""
    x, z = relative[..., 0], relative[..., 1]
    cosine, sine = np.cos(foot[..., 2]), np.sin(foot[..., 2])
    return np.stack(
        [foot[..., 0] + cosine * x + sine * z, foot[..., 1] - sine * x + cosine * z, relative[..., 2] + foot[..., 2]],
        axis=-1,
    )


def mirrored(relative: Floats) -> Floats:
    """A position (..., 3) seen from a foot, in the mirror."""
    return np.asarray(relative * np.array([-1.0, 1.0, -1.0]))


def turn_by(heading: float) -> Floats:
    """A turn about the vertical, (4,): :func:`kinetune.rotations.about_y` for one angle, without its overhead."""
    return np.array([math.cos(0.5 * heading), 0.0, math.sin(0.5 * heading), 0.0])


def turned(turn: Floats, vector: Floats) -> Floats:
    """One vector (3,) turned by one rotation (4,): :func:`kinetune.rotations.rotate` without its overhead."""
    w, x, y, z = turn.tolist()
    a, b, c = vector.tolist()
    u, v, t = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return np.array([a + w * u + y * t - z * v, b + w * v + z * u - x * t, c + w * t + x * v - y * u])
