"""Where a set of examples can reach, and where it lacks examples.

==========  ==================================================================================
reach_map   try a grid of points; a :class:`ReachMap` says which can be reached
ReachMap    the points, what each lacks, how much is covered, and the gaps
Gap         a region within the examples that none of their blends reaches
==========  ==================================================================================

What blends reach is smaller than the box round the examples' ends, and even than their hull: weights move an arm on
arcs. The layout of the examples decides on it, not the solver; so the map says where one more is worth recording.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetune import rotations as rot
from kinetune.body.html_tables import html_table
from kinetune.body.root_motion import facing
from kinetune.errors import ParameterError
from kinetune.inverse.blend.constraints import AtPoint
from kinetune.inverse.blend.inverse_blend import InverseBlend
from kinetune.rotations import Floats

_MOST_POINTS = 200_000
_LEAST_GAP = 4  # grid points; fewer are the roughness of the border
_MOST_GAPS = 3


@dataclass(frozen=True)
class Gap:
    """A region inside the hull of the examples' ends that they do not reach.

    Attributes
    ----------
    where : tuple[float, float, float]
        (3,) its point farthest from what is reached, in metres: the target for one more example.
    far_mm : float
        How far that point is from what is reached.
    volume : float
        Cubic metres.
    description : str
        Where it is, seen from the character.
    """

    where: tuple[float, float, float]
    far_mm: float
    volume: float
    description: str


@dataclass(frozen=True, eq=False)
class ReachMap:
    """Which points of a grid some examples can reach.

    Attributes
    ----------
    points : array
        (n, 3) metres, the grid in rows of x, then y, then z; ``shape`` is its size along each.
    reachable : array of bool
        (n,).
    distance : array
        (n,) mm from what is reached, 0 where it is.
    inside : array of bool
        (n,) whether the point lies in the convex hull of the examples' ends.
    examples : array
        (examples, 3) where they end.
    spacing : float
        Metres between points.
    origin, heading : array or float
        Where the character stands at that frame and which way it faces (radians from +Z towards +X).
    """

    joint: str
    points: Floats
    shape: tuple[int, int, int]
    spacing: float
    reachable: NDArray[np.bool_]
    distance: Floats
    inside: NDArray[np.bool_]
    examples: Floats
    origin: Floats
    heading: float

    def __repr__(self) -> str:
        return f"ReachMap({self.joint}, {len(self.examples)} examples, {1e3 * self.volume:.0f} litres reached)"

    def _repr_html_(self) -> str:
        rows = {"Joint": self.joint, "Examples": str(len(self.examples)), "Reached": f"{1e3 * self.volume:.0f} litres"}
        rows["Coverage"] = f"{self.coverage:.0%} of the space between where the examples end"
        return html_table(
            "Reach map", {**rows, "Gaps": "; ".join(gap.description for gap in self.gaps[:_MOST_GAPS]) or "none"}
        )

    @property
    def coverage(self) -> float:
        """The share of the hull of the examples' ends that is reached, from 0 to 1."""
        return float(self.reachable[self.inside].mean()) if self.inside.any() else 0.0

    @property
    def volume(self) -> float:
        """How much is reached, in cubic metres."""
        return float(self.reachable.sum()) * self.spacing**3

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """Regions inside the hull that are not reached, the largest first."""
        from scipy.ndimage import label

        missing = (self.inside & ~self.reachable).reshape(self.shape)
        marked, count = label(missing)
        regions = [np.flatnonzero(marked.ravel() == number) for number in range(1, count + 1)]
        gaps = []
        for region in sorted(regions, key=len, reverse=True):
            if len(region) < _LEAST_GAP:
                break
            deepest = region[int(np.argmax(self.distance[region]))]
            x, y, z = self.points[deepest].tolist()
            place = self.describe((x, y, z))
            gaps.append(Gap((x, y, z), float(self.distance[deepest]), len(region) * self.spacing**3, place))
        return tuple(gaps)

    def describe(self, point: ArrayLike) -> str:
        """A position seen from the character: "0.40 m ahead, 0.25 m to the right, 1.30 m high"."""
        away = np.asarray(point, dtype=float) - self.origin
        left, _, ahead = rot.rotate(rot.about_y(-self.heading), away).tolist()
        parts = [f"{abs(ahead):.2f} m {'ahead' if ahead >= 0 else 'behind'}"]
        parts.append(f"{abs(left):.2f} m to the {'left' if left >= 0 else 'right'}")
        return ", ".join([*parts, f"{np.asarray(point)[1]:.2f} m high"])

    def advice(self) -> list[str]:
        """What is covered, and where one more example would help most, one message each."""
        messages = [
            f"{self.joint}: {len(self.examples)} examples reach {1e3 * self.volume:.0f} litres, {self.coverage:.0%} of "
            "the space between where they end."
        ]
        if not self.inside.any():
            messages.append(
                "Where they end lies almost in one plane: add examples nearer and farther, higher and lower."
            )
        elif not self.gaps:
            messages.append("There is no gap between them; to reach farther, add examples beyond the border.")
        return messages + [
            f"Add an example that ends {gap.description}: {1e3 * gap.volume:.0f} litres round it are not reached, by "
            f"up to {gap.far_mm:.0f} mm."
            for gap in self.gaps[:_MOST_GAPS]
        ]

    def report(self) -> dict[str, Any]:
        """The numbers as JSON-ready values."""
        return {
            "joint": self.joint,
            "examples": len(self.examples),
            "coverage": self.coverage,
            "volume_m3": self.volume,
            "gaps": [
                {"where": list(g.where), "far_mm": g.far_mm, "volume_m3": g.volume, "description": g.description}
                for g in self.gaps
            ],
            "advice": self.advice(),
        }


def reach_map(
    blend: InverseBlend,
    joint: str = "right hand",
    *,
    frame: int = -1,
    offset: tuple[float, float, float] | None = None,
    spacing: float = 0.05,
    margin: float = 0.1,
    k: int = 8,
) -> ReachMap:
    """Try a grid of points round where the examples end.

    Parameters
    ----------
    blend : InverseBlend
        The examples.
    joint, frame, offset : various, optional
        What reaches, and when; as for :class:`~kinetune.inverse.blend.constraints.AtPoint`.
    spacing : float, optional
        Metres between points.
    margin : float, optional
        How far the grid extends beyond the examples' ends, in metres.
    k : int, optional
        How many examples take part at each point, as for
        :meth:`~kinetune.inverse.blend.inverse_blend.InverseBlend.solve`.

    Returns
    -------
    ReachMap
        Which points the examples reach, how much of the space between their ends that is, and where it has gaps.

    Examples
    --------
    >>> from kinetune import InverseBlend, sample
    >>> blend = InverseBlend([sample(f"reach-{number:02}") for number in range(1, 17)])
    >>> 0 < reach_map(blend, "RightFingertips", spacing=0.12).coverage < 1
    True
    """
    if not (spacing > 0.0 and margin >= 0.0):
        raise ParameterError(f"spacing must be above 0 and margin not below it; got {spacing} and {margin}.")
    ends = blend.places(joint, frame=frame, offset=offset)
    low, high = ends.min(axis=0) - margin, ends.max(axis=0) + margin
    axes = [np.arange(a, b + 0.5 * spacing, spacing) for a, b in zip(low, high, strict=True)]
    count = int(np.prod([len(axis) for axis in axes]))
    if count > _MOST_POINTS:
        raise ParameterError(
            f"A spacing of {spacing} m makes {count:,} points, and {_MOST_POINTS:,} are the most: take a wider one."
        )
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    solutions = blend.solve_batch(AtPoint(joint, points, frame=frame, offset=offset), k=k)
    here = blend.examples[0]
    hips = here.skeleton.roles.get("hips", 0)
    at = frame % len(here)
    return ReachMap(
        joint,
        points,
        (len(axes[0]), len(axes[1]), len(axes[2])),
        float(spacing),
        solutions.reachable,
        solutions.distance,
        _in_hull(points, ends),
        ends,
        here.positions()[at, hips],
        float(facing(here)[at]),
    )


def _in_hull(points: Floats, corners: Floats) -> NDArray[np.bool_]:
    """Which points lie in the convex hull of others; none where that is flat."""
    from scipy.spatial import Delaunay, QhullError

    if len(corners) < 4:
        return np.zeros(len(points), dtype=bool)
    try:
        hull = Delaunay(corners)
    except QhullError:  # all in one plane: there is no space between them
        return np.zeros(len(points), dtype=bool)
    return np.asarray(hull.find_simplex(points) >= 0)
