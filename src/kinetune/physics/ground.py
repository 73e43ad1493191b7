"""Contact with the ground: where it is, which points touch, and which forces friction allows ([pollard] section 3.4).

========================================  ==========================================================
ContactGround                             what every ground can do
FlatGround, SlopedGround, HeightField     a level, a plane, a landscape
GroundBox, BoxGround                      boxes on a level: steps, platforms, a bench
as_ground                                 any of these from a number, a floor or a function
touching                                  which contact points touch it, by height and speed
friction_pyramid                          force directions that span the friction pyramid
root_wrenches, sum_forces                 what forces along directions do to the root, and their sum
========================================  ==========================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetune.body.feet.floor import Floor
from kinetune.body.feet.soles import still_speed
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

Bools = NDArray[np.bool_]

TOUCH_HEIGHT = 0.04
"""Metres above the ground at which a point still touches: joints and soles are not known better than that."""
TOUCH_SPEED = 0.8
"""Metres a second at which a point still stands."""
_STEP = 1e-3


class ContactGround(Protocol):
    """What a character stands on: anything with a height and a normal under every point."""

    def height(self, points: Floats) -> Floats:
        """The height (...) of the ground under points (..., 3)."""

    def normal(self, points: Floats) -> Floats:
        """The unit normals (..., 3) of the ground under points (..., 3)."""


@dataclass(frozen=True)
class FlatGround:
    """Level ground, ``level`` metres above Y = 0."""

    level: float = 0.0

    def height(self, points: Floats) -> Floats:
        """The height (...) of the ground under points (..., 3)."""
        return np.full(np.shape(points)[:-1], float(self.level))

    def normal(self, points: Floats) -> Floats:
        """Straight up."""
        return np.broadcast_to([0.0, 1.0, 0.0], np.shape(points)).copy()


@dataclass(frozen=True)
class SlopedGround:
    """The plane that the feet of a clip were found to stand on."""

    floor: Floor

    def height(self, points: Floats) -> Floats:
        """The height (...) of the ground under points (..., 3)."""
        return self.floor.under(np.asarray(points, dtype=float))

    def normal(self, points: Floats) -> Floats:
        """The normal of the plane."""
        up = np.array([-self.floor.slope[0], 1.0, -self.floor.slope[1]])
        return np.broadcast_to(up / np.linalg.norm(up), np.shape(points)).copy()


@dataclass(frozen=True, eq=False)
class HeightField:
    """Uneven ground, as a function of position. Normals are those of its central differences over 2 mm.

    Parameters
    ----------
    function : callable
        ``function(x, z)`` returns heights in metres for arrays of equal shape.

    Examples
    --------
    >>> import numpy as np
    >>> ramp = HeightField(lambda x, z: 0.1 * z)
    >>> ramp.height(np.array([0.0, 0.0, 2.0])).item()
    0.2
    """

    function: Callable[[Floats, Floats], Floats] = field(repr=False)

    @classmethod
    def grid(cls, x: ArrayLike, z: ArrayLike, heights: ArrayLike) -> HeightField:
        """Ground from a mesh grid: ``heights`` (len(x), len(z)) at rising ``x`` and ``z``, bilinear between them.

        Beyond the edges the ground goes on level.
        """
        across, along, grid = (np.array(values, dtype=float) for values in (x, z, heights))
        if across.ndim != 1 or along.ndim != 1 or min(len(across), len(along)) < 2:
            raise ParameterError("A grid of heights takes x and z as rows of at least two numbers each.")
        if grid.shape != (len(across), len(along)) or not np.isfinite(grid).all():
            raise ParameterError(
                f"heights must be finite numbers of shape (len(x), len(z)) = ({len(across)}, {len(along)}); "
                f"got {grid.shape}."
            )
        if np.any(np.diff(across) <= 0.0) or np.any(np.diff(along) <= 0.0):
            raise ParameterError("x and z of a grid of heights must increase from one number to the next.")

        def look_up(east: Floats, north: Floats) -> Floats:
            i, s = _cell(across, east)
            j, t = _cell(along, north)
            near = grid[i, j] * (1.0 - t) + grid[i, j + 1] * t
            far = grid[i + 1, j] * (1.0 - t) + grid[i + 1, j + 1] * t
            return np.asarray(near * (1.0 - s) + far * s)

        return cls(look_up)

    def height(self, points: Floats) -> Floats:
        """The height (...) of the ground under points (..., 3)."""
        return self._at(points[..., 0], points[..., 2])

    def normal(self, points: Floats) -> Floats:
        """The unit normals (..., 3) of the ground under points (..., 3)."""
        x, z = points[..., 0], points[..., 2]
        east = (self._at(x + _STEP, z) - self._at(x - _STEP, z)) / (2.0 * _STEP)
        north = (self._at(x, z + _STEP) - self._at(x, z - _STEP)) / (2.0 * _STEP)
        up = np.stack([-east, np.ones_like(east), -north], axis=-1)
        return np.asarray(up / np.linalg.norm(up, axis=-1, keepdims=True))

    def _at(self, x: Floats, z: Floats) -> Floats:
        heights = np.asarray(self.function(x, z), dtype=float)
        if heights.shape != np.shape(x) or not np.isfinite(heights).all():
            raise ParameterError(
                f"The height function returned {heights.shape} for positions of shape {np.shape(x)}; it must return "
                "one finite height in metres for each position."
            )
        return heights


@dataclass(frozen=True)
class GroundBox:
    """A box to stand on: its middle and its sides seen from above, its top, and how it is turned.

    x, z, width, depth : metres; the width is along x, the depth along z. top : its height in metres.
    yaw : turned about the vertical, in radians.
    """

    x: float
    z: float
    width: float
    depth: float
    top: float
    yaw: float = 0.0

    def __post_init__(self) -> None:
        sizes = (self.x, self.z, self.width, self.depth, self.top, self.yaw)
        if not np.isfinite(sizes).all() or self.width <= 0.0 or self.depth <= 0.0:
            raise ParameterError(f"A box to stand on takes finite numbers of metres and sides above 0; got {self}.")


@dataclass(frozen=True)
class BoxGround:
    """Level ground with boxes on it: steps, platforms, a bench. Sides of boxes are not contacts.

    Examples
    --------
    >>> import numpy as np
    >>> step = BoxGround((GroundBox(0.0, 1.0, 1.0, 0.4, top=0.2),))
    >>> step.height(np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 1.1]])).tolist()
    [0.0, 0.2]
    """

    boxes: tuple[GroundBox, ...]
    level: float = 0.0

    def height(self, points: Floats) -> Floats:
        """The height (...) of the ground under points (..., 3)."""
        heights = np.full(np.shape(points)[:-1], float(self.level))
        for box in self.boxes:
            x, z = points[..., 0] - box.x, points[..., 2] - box.z
            c, s = np.cos(box.yaw), np.sin(box.yaw)
            inside = (np.abs(c * x - s * z) <= 0.5 * box.width) & (np.abs(s * x + c * z) <= 0.5 * box.depth)
            heights = np.where(inside, np.maximum(heights, box.top), heights)
        return heights

    def normal(self, points: Floats) -> Floats:
        """Straight up."""
        return np.broadcast_to([0.0, 1.0, 0.0], np.shape(points)).copy()


def _cell(edges: Floats, values: Floats) -> tuple[NDArray[np.intp], Floats]:
    inside = np.clip(values, edges[0], edges[-1])
    index = np.clip(np.searchsorted(edges, inside, side="right") - 1, 0, len(edges) - 2)
    return index, (inside - edges[index]) / (edges[index + 1] - edges[index])


def as_ground(ground: float | Floor | ContactGround | Callable[[Floats, Floats], Floats] | None) -> ContactGround:
    """The ground from a height in metres, a floor, a function of x and z, or ground as it is; None: Y = 0."""
    if ground is None:
        return FlatGround()
    if isinstance(ground, int | float):
        if not np.isfinite(ground):
            raise ParameterError(f"The height of the ground must be a number of metres; got {ground}.")
        return FlatGround(float(ground))
    if isinstance(ground, Floor):
        return FlatGround(ground.height) if ground.slope == (0.0, 0.0) else SlopedGround(ground)
    if callable(ground):
        return HeightField(ground)
    return ground


def touching(
    points: Floats,
    ground: ContactGround,
    fps: float | None = None,
    *,
    threshold: float = TOUCH_HEIGHT,
    speed_limit: float = TOUCH_SPEED,
) -> Bools:
    """Which points (frames, points, 3) touch the ground, (frames, points).

    Parameters
    ----------
    fps : frames per second; given, points that move faster than ``speed_limit`` do not count. Left out (one state of a
        simulation), height alone decides.
    threshold : metres above the ground at which a point still touches.
    """
    near = np.asarray(points[..., 1] - ground.height(points) < threshold)
    if fps is None or len(points) < 2:
        return near
    return near & (still_speed(points, fps) < speed_limit)


def check_friction(mu: float, sides: int = 4) -> None:
    """Refuse a coefficient of friction or a number of sides that makes no pyramid."""
    if not (np.isfinite(mu) and mu >= 0.0):
        raise ParameterError(f"mu, the coefficient of friction, must be 0 (ice) or more; got {mu!r}.")
    if sides < 3:
        raise ParameterError(f"A friction pyramid has at least 3 sides; got {sides}.")


def nonnegative_sizes(pushes: Floats, need: Floats) -> Floats:
    """Sizes (n,) of pushes (rows, n), none of them negative, that come nearest to a need (rows,).

    SciPy's NNLS before 1.15 may go round in circles, or give up, where many pushes do the same; bounded least squares
    does not.
    """
    from scipy.optimize import lsq_linear, nnls

    try:
        sizes: Floats = nnls(pushes, need)[0]
    except (RuntimeError, np.linalg.LinAlgError):
        sizes = lsq_linear(pushes, need, (0.0, np.inf), method="bvls").x
    return sizes


def friction_pyramid(normals: Floats, mu: float, sides: int = 4) -> Floats:
    """Force directions (points * sides, 3) that span the friction pyramid at each point ([pollard] figure 2).

    Sums of these with coefficients that are not negative are the forces that friction allows, a little fewer than the
    cone's: edges of the pyramid lie on the cone. Coefficients are newtons of normal force. With ``mu`` = 0 all
    directions of a point are its normal.

    Parameters
    ----------
    normals : (points, 3) unit vectors.
    mu : the coefficient of friction.
    sides : of the pyramid.
    """
    check_friction(mu, sides)
    up = np.asarray(normals, dtype=float).reshape(-1, 3)
    # Two directions across each normal. X is the first unless the ground is as steep as a wall there.
    wall = np.abs(up[:, :1]) > 0.9
    axis = np.where(wall, [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]])
    first = axis - up * np.sum(axis * up, axis=1, keepdims=True)
    first = first / np.linalg.norm(first, axis=1, keepdims=True)
    second = np.cross(first, up)
    angles = 2.0 * np.pi * np.arange(sides) / sides
    ring = first[:, None] * np.cos(angles)[:, None] + second[:, None] * np.sin(angles)[:, None]
    return np.asarray((up[:, None] + mu * ring).reshape(-1, 3))


def root_wrenches(points: Floats, directions: Floats, root_place: Floats, root_axes: Floats) -> Floats:
    """(6, directions) what a unit force along each direction does to the root: force, and torque in the root's axes.

    Contacts need no Jacobian here: a force at a world point is the same force at the root and its moment about it.
    [pollard]'s M_root is the negative of this. The compiled body is in ``tracking_kernels.press``.

    Parameters
    ----------
    points : (points, 3) where forces act in the world.
    directions : (points * sides, 3), ``sides`` for each point in turn.
    root_place, root_axes : (3,) and (3, 3), the root's axes as columns.
    """
    if len(points) == 0:
        return np.zeros((6, 0))
    sides = len(directions) // len(points)
    arms = np.repeat(points - root_place, sides, axis=0)
    return np.concatenate([directions.T, root_axes.T @ np.cross(arms, directions).T])


def sum_forces(coefficients: Floats, directions: Floats, count: int) -> Floats:
    """Forces (count, 3) at the points from coefficients (count * sides,) of their directions, in newtons."""
    return np.asarray((coefficients[:, None] * directions).reshape(count, -1, 3).sum(axis=1))
