"""What a blend must meet: positions, lines, directions, rotations, or anything that can be measured on a clip.

=========  =====  ==================================================================================
AtPoint    3 DOF  a joint, a fingertip or a tool is at a point
OnLine     2 DOF  it is somewhere on a line: pour above the pot, point along a ray
Facing     1-3    an axis of the joint points in a direction, makes an angle with it, or the rotation is given
Heading    1 DOF  an axis of the joint, seen from above, points to a heading
LookAt     2 DOF  an axis of the joint points at a position, wherever the joint is
Custom     any    a function of the clip is zero; slower
=========  =====  ==================================================================================

[huang] section 3 sums errors as ``c n f(M)``: c is ``priority``, f the error, and n, ``scale``, brings errors of
different kinds to one size: metres count as they are, a radian as half a metre. Each constraint holds at one frame or
at several, in the world or relative to another joint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from kinetune.errors import ParameterError
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from kinetune.body.clip import Clip

POINT, LINE, TURN, AXIS, ANGLE, HEADING, LOOK, CUSTOM = range(8)
ROWS = (3, 2, 3, 2, 1, 1, 3)
"""Rows of the residual that each kind has."""

WIDTH = 12
METRES_PER_RADIAN = 0.5
"""n of a constraint on angles: how an error of direction weighs against an error of position."""

_BY_AXIS = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Constraint:
    """What all constraints have in common.

    Attributes
    ----------
    frame : int or sequence of int
        The frame at which it holds, or several of them; negative ones count from the end.
    priority : float
        c, from 0 (only measured) to 1.
    relative_to : str or None
        A joint in whose frame the target is given, instead of the world.
    offset : sequence of float or None
        (3,) metres, a point fixed in the joint's frame that counts instead of the joint: the tip of a tool.
    scale : float or None
        n, metres or their like for an error of 1; None for 1 a metre and half a metre a radian.
    """

    frame: int | Sequence[int] = -1
    priority: float = 1.0
    relative_to: str | None = None
    offset: Sequence[float] | None = None
    scale: float | None = None

    kind: int = field(init=False, repr=False)
    angular: bool = field(init=False, repr=False)
    aims: Floats = field(init=False, repr=False)
    """(problems, 12) the target as the solver takes it; one row unless it is for a batch."""
    key: tuple[Any, ...] = field(init=False, repr=False)
    """What two constraints share that differ in nothing but their targets."""

    def _finish(self, joint: str, aims: Floats, *more: Any) -> None:
        if not isinstance(joint, str) or not joint:
            raise ParameterError(f"A constraint names its joint, such as 'RightHand'; got {joint!r}.")
        frames = (self.frame,) if isinstance(self.frame, int | np.integer) else tuple(self.frame)
        if not frames or not all(isinstance(f, int | np.integer) for f in frames):
            raise ParameterError(f"frame is a frame number or several of them, not {self.frame!r}.")
        if not 0.0 <= self.priority <= 1.0:
            raise ParameterError(f"The priority of a constraint is a number from 0 to 1, not {self.priority}.")
        scale = (METRES_PER_RADIAN if self.angular else 1.0) if self.scale is None else float(self.scale)
        if not 0.0 < scale < np.inf:
            raise ParameterError(f"The scale of a constraint must be above 0, not {self.scale}.")
        offset = None if self.offset is None else _three(self.offset, "offset")
        object.__setattr__(self, "aims", aims)
        key = (self.kind, joint, frames, float(self.priority), self.relative_to, offset, scale, *more)
        object.__setattr__(self, "key", key)

    @property
    def unit(self) -> str:
        """The unit of its error: "mm", "deg", or "" for a custom one."""
        return "deg" if self.angular else "mm"


@dataclass(frozen=True, eq=False)
class AtPoint(Constraint):
    """A joint is at a point: the hand reaches (0.4, 1.3, 0.3).

    Parameters
    ----------
    joint : str
        A joint, a role such as "right hand", or an end site such as "RightFingertips".
    point : array
        (3,) metres; (problems, 3) for :meth:`~kinetune.inverse.blend.inverse_blend.InverseBlend.solve_batch`.
    frame, priority, relative_to, offset, scale : optional
        As all constraints have them, see :class:`Constraint`.

    Examples
    --------
    >>> AtPoint("RightFingertips", (-0.35, 1.3, 0.55), frame=-1).priority
    1.0
    """

    joint: str
    point: ArrayLike
    kind = POINT
    angular = False

    def __post_init__(self) -> None:
        point = _vectors(self.point, "point")
        aims = np.zeros((len(point), WIDTH))
        aims[:, :3] = point
        self._finish(self.joint, aims)


@dataclass(frozen=True, eq=False)
class OnLine(Constraint):
    """A joint is somewhere on a straight line: the spout above the pot.

    Parameters
    ----------
    joint : str
        As for :class:`AtPoint`.
    point, direction : array
        (3,) a point of the line, and which way it runs; (problems, 3) for a batch.
    frame, priority, relative_to, offset, scale : optional
        As all constraints have them, see :class:`Constraint`.

    Examples
    --------
    >>> above_the_pot = OnLine("right hand", point=(-0.3, 1.0, 0.4), direction=(0, 1, 0))
    """

    joint: str
    point: ArrayLike
    direction: ArrayLike
    kind = LINE
    angular = False

    def __post_init__(self) -> None:
        point, along = _vectors(self.point, "point"), _directions(self.direction, "direction")
        aims = np.zeros((_rows("point and direction", point, along), WIDTH))
        aims[:, :3] = point
        aims[:, 3:6], aims[:, 6:9] = _across(along)
        self._finish(self.joint, aims)


@dataclass(frozen=True, eq=False)
class Facing(Constraint):
    """A joint is oriented a certain way.

    Parameters
    ----------
    joint : str
        As for :class:`AtPoint`.
    rotation : array or None, optional
        (4,) wxyz, how it is turned in the world: 3 DOF.
    toward : array or None, optional
        (3,) a direction in which ``axis`` points: 2 DOF.
    angle_deg : array or None, optional
        The angle between ``axis`` and ``toward``: 1 DOF, such as a bottle tilted by 60 degrees.
    axis : str or sequence of float, optional
        (3,) in the joint's own frame, "x", "-y" ..., "along" its bone, or "ahead": the one that points ahead of the
        character in its rest pose.
    frame, priority, relative_to, offset, scale : optional
        As all constraints have them, see :class:`Constraint`.

    Notes
    -----
    ``rotation``, ``toward`` and ``angle_deg`` may have one row for each problem of a batch.

    Examples
    --------
    >>> pointing_ahead = Facing("right hand", toward=(0, 0, 1), axis="along")
    """

    joint: str
    rotation: ArrayLike | None = None
    toward: ArrayLike | None = None
    angle_deg: ArrayLike | None = None
    axis: str | Sequence[float] = "along"
    angular = True

    def __post_init__(self) -> None:
        if (self.rotation is None) == (self.toward is None):
            raise ParameterError(
                "Facing takes a rotation (all three angles), or a direction toward which an axis points."
            )
        axis = check_axis(self.axis)
        if self.rotation is not None:
            if self.angle_deg is not None:
                raise ParameterError("angle_deg belongs to a direction (toward), not to a rotation.")
            turn = np.atleast_2d(np.asarray(self.rotation, dtype=float))
            if turn.ndim != 2 or turn.shape[1] != 4 or not np.isfinite(turn).all():
                raise ParameterError(f"A rotation is four finite numbers w, x, y, z; got {self.rotation!r}.")
            length = np.linalg.norm(turn, axis=1)
            if np.any(np.abs(length - 1.0) > 1e-3):
                raise ParameterError(
                    f"A rotation is a quaternion of length 1, not {length[0]:.4g}: normalize it first."
                )
            aims = np.zeros((len(turn), WIDTH))
            aims[:, :4] = turn / length[:, None]
            object.__setattr__(self, "kind", TURN)
            self._finish(self.joint, aims)
            return
        toward = _directions(self.toward, "toward")
        angles = np.zeros(1) if self.angle_deg is None else np.radians(np.atleast_1d(np.asarray(self.angle_deg, float)))
        if angles.ndim != 1 or not np.all((angles >= 0.0) & (angles <= np.pi + 1e-12)):
            raise ParameterError(f"angle_deg is a number of degrees from 0 to 180, not {self.angle_deg!r}.")
        aims = np.zeros((_rows("toward and angle_deg", toward, angles), WIDTH))
        aims[:, 3:6] = toward
        # An angle of 0 or 180 leaves no freedom but the rotation about the axis: it is a direction.
        straight = np.sin(angles) < 1e-6
        if straight.all():
            aims[:, 3:6] *= np.where(angles > 1.0, -1.0, 1.0)[:, None]
            aims[:, 6:9], aims[:, 9:12] = _across(aims[:, 3:6])
            object.__setattr__(self, "kind", AXIS)
        else:
            if straight.any():
                raise ParameterError("The angles of a batch are all 0 or 180, or none of them is: solve those apart.")
            aims[:, 6] = angles
            object.__setattr__(self, "kind", ANGLE)
        self._finish(self.joint, aims, axis)


@dataclass(frozen=True, eq=False)
class Heading(Constraint):
    """An axis of a joint, seen from above, points to a heading.

    Parameters
    ----------
    joint : str
        As for :class:`AtPoint`.
    degrees : array
        About the vertical, from +Z towards +X (to the left of a character that looks along +Z).
    axis : str or sequence of float, optional
        As for :class:`Facing`.
    frame, priority, relative_to, offset, scale : optional
        As all constraints have them, see :class:`Constraint`.

    Examples
    --------
    >>> facing_the_door = Heading("hips", 30, frame=-1)
    """

    joint: str
    degrees: ArrayLike
    axis: str | Sequence[float] = "ahead"
    kind = HEADING
    angular = True

    def __post_init__(self) -> None:
        angles = np.radians(np.atleast_1d(np.asarray(self.degrees, dtype=float)))
        if angles.ndim != 1 or not np.isfinite(angles).all():
            raise ParameterError(f"A heading is a finite number of degrees, not {self.degrees!r}.")
        aims = np.zeros((len(angles), WIDTH))
        aims[:, 3] = angles
        self._finish(self.joint, aims, check_axis(self.axis))


@dataclass(frozen=True, eq=False)
class LookAt(Constraint):
    """An axis of a joint points at a position: the head looks at the hand's goal, a finger points at a lamp.

    Parameters
    ----------
    joint : str
        As for :class:`AtPoint`.
    point : array
        (3,) metres.
    axis : str or sequence of float, optional
        As for :class:`Facing`. It starts at the joint, or at ``offset``.
    frame, priority, relative_to, offset, scale : optional
        As all constraints have them, see :class:`Constraint`.

    Examples
    --------
    >>> eyes_on_the_goal = LookAt("head", (-0.35, 1.3, 0.55))
    """

    joint: str
    point: ArrayLike
    axis: str | Sequence[float] = "ahead"
    kind = LOOK
    angular = True

    def __post_init__(self) -> None:
        point = _vectors(self.point, "point")
        aims = np.zeros((len(point), WIDTH))
        aims[:, 3:6] = point
        self._finish(self.joint, aims, check_axis(self.axis))


@dataclass(frozen=True, eq=False)
class Custom:
    """Anything that can be measured on a clip: ``function(clip)`` returns what should be 0, a number or several.

    Parameters
    ----------
    function : Callable[[Clip], array]
        Takes the blended clip. It should be smooth; its derivatives are taken by differences, one blend for each
        example, which is much slower than the other constraints.
    priority : float, optional
        c, from 0 to 1.
    scale : float or None, optional
        n, metres for an error of 1. None: so that its spread over the examples counts as half a metre.
    name : str, optional
        What to call it.

    Examples
    --------
    >>> upright = Custom(lambda clip: clip.joint("head").positions[-1, 1] - 1.5, name="head at 1.5 m")
    """

    function: Callable[[Clip], ArrayLike]
    priority: float = 1.0
    scale: float | None = None
    name: str = "custom"

    kind: ClassVar[int] = CUSTOM
    angular: ClassVar[bool] = False
    unit: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ParameterError(f"A custom constraint takes a function of a clip, not {self.function!r}.")
        if not 0.0 <= self.priority <= 1.0:
            raise ParameterError(f"The priority of a constraint is a number from 0 to 1, not {self.priority}.")
        if self.scale is not None and not 0.0 < self.scale < np.inf:
            raise ParameterError(f"The scale of a constraint must be above 0, not {self.scale}.")


AnyConstraint = Constraint | Custom


def check_axis(axis: str | Sequence[float]) -> str | tuple[float, float, float]:
    """ "along", "ahead", or a unit vector in the joint's frame."""
    if isinstance(axis, str):
        word = axis.strip().lower()
        if word in ("along", "ahead"):
            return word
        sign = -1.0 if word.startswith("-") else 1.0
        if word.lstrip("+-") in _BY_AXIS:
            x, y, z = _BY_AXIS[word.lstrip("+-")]
            return sign * x, sign * y, sign * z
        raise ParameterError(f'An axis is "along", "ahead", "x", "-y" ... or three numbers, not {axis!r}.')
    vector = _directions(axis, "axis")
    if len(vector) != 1:
        raise ParameterError("An axis is one vector of the joint's own frame, the same for all problems.")
    x, y, z = vector[0].tolist()
    return x, y, z


def read_axis(text: str) -> str | tuple[float, float, float]:
    """An axis as people type it: "along", "-y", or "0,0,1"."""
    if "," not in text:
        return check_axis(text)
    try:
        return check_axis([float(part) for part in text.split(",")])
    except ValueError:
        raise ParameterError(f'An axis is "along", "ahead", "x", "-y" ... or three numbers, not {text!r}.') from None


def _vectors(value: Any, what: str) -> Floats:
    """One vector or a row of them as (n, 3)."""
    try:
        vectors = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        vectors = np.empty(0)
    if vectors.ndim == 1:
        vectors = vectors[None]
    if vectors.ndim != 2 or vectors.shape[1] != 3 or not len(vectors):
        raise ParameterError(f"{what} takes three numbers x, y, z, or rows of them for a batch; got {value!r}.")
    if not np.isfinite(vectors).all():
        raise ParameterError(f"{what} takes finite numbers; got {value!r}.")
    return vectors


def _directions(value: Any, what: str) -> Floats:
    vectors = _vectors(value, what)
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    if not np.all(length > 1e-12):
        raise ParameterError(f"{what} is a direction, and (0, 0, 0) is none.")
    return np.asarray(vectors / length)


def _three(value: Any, what: str) -> tuple[float, float, float]:
    vectors = _vectors(value, what)
    if len(vectors) != 1:
        raise ParameterError(f"{what} takes three numbers x, y, z; got {value!r}.")
    x, y, z = vectors[0].tolist()
    return x, y, z


def _rows(what: str, *parts: Floats) -> int:
    """How many problems several targets are for; those with one row serve all."""
    counts = {len(part) for part in parts if len(part) > 1}
    if len(counts) > 1:
        raise ParameterError(f"{what} have one row, or as many as there are problems; got {sorted(counts)} rows.")
    return max(len(part) for part in parts)


def _across(directions: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors at right angles to each direction and to each other.

    Duff and others, "Building an orthonormal basis, revisited" (2017): no direction is special but the sign of z.
    """
    x, y, z = directions.T
    sign = np.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    return (
        np.stack([1.0 + sign * x * x * a, sign * b, -sign * x], axis=-1),
        np.stack([b, sign + y * y * a, -y], axis=-1),
    )
