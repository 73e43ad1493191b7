"""What became of each footstep: where the foot stands, what moved that should not, and what had to give way.

=============  ===================================================================
WalkReport     one row for each footstep, the inserted ones apart, and notes
StepReport     one footstep
=============  ===================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.inverse.steps.foot_locks import follow
from kinetune.inverse.steps.step_motion import StepMotion
from kinetune.inverse.steps.step_pools import StepPool
from kinetune.inverse.steps.step_weights import StepWeights
from kinetune.inverse.walk.footsteps import Footstep, Side, seen_from, wrapped
from kinetune.rotations import Floats

_EDGE_M, _EDGE_DEG = 1e-3, 0.5
"""A miss too small to see."""
FAR_M, FAR_DEG = 0.3, 30.0
"""A miss for which no leg can make up."""


@dataclass(frozen=True)
class StepReport:
    """How one footstep came out, measured in the finished motion.

    Attributes
    ----------
    side, frame : {"left", "right"} or int
        The foot, and the frame from which it stands at its place.
    error_mm : float
        How far its ball is from its target, on the floor.
    heading_error_deg : float
        How far its toes are turned from their target heading.
    height_mm : float
        How far its ball is above its height on the flat sole; negative below.
    drift_mm : float
        How far the foot that carries moves during this step, in any direction.
    jump_deg : float
        How far the pose departs from smooth motion where this step takes over: each joint's turn from one frame to
        the next against the mean of the turns before and after, the mean over joints. In the sample walk, which has
        no seam, it is 0.1 on average.
    gap_deg : float
        How far the blend was from the pose before, before easing in; the mean over joints.
    reached : bool
        Whether the footstep lies within reach of the examples.
    inserted : bool
        Whether the step was not asked for.
    notes : tuple[str, ...]
        What could not be met, one message each.
    """

    side: Side
    frame: int
    error_mm: float
    heading_error_deg: float
    height_mm: float
    drift_mm: float
    jump_deg: float
    gap_deg: float
    reached: bool = True
    inserted: bool = False
    notes: tuple[str, ...] = ()

    @property
    def missed(self) -> bool:
        """Whether the foot stands visibly beside its footstep."""
        return self._off(_EDGE_M, _EDGE_DEG)

    @property
    def misses_far(self) -> bool:
        """Whether it stands so far beside it that the walk is another one than was asked for."""
        return self._off(FAR_M, FAR_DEG)

    def _off(self, metres: float, degrees: float) -> bool:
        return not self.reached and (self.error_mm >= 1e3 * metres or self.heading_error_deg >= degrees)

    def as_dict(self) -> dict[str, Any]:
        """The row as a JSON-ready mapping."""
        return {**asdict(self), "notes": list(self.notes)}


@dataclass(frozen=True)
class WalkReport:
    """How a walk came out.

    Attributes
    ----------
    steps : tuple[StepReport, ...]
        One row for each footstep that was asked for, in order.
    inserted : tuple[StepReport, ...]
        Rows of steps that were put between them.
    notes : tuple[str, ...]
        Everything that could not be met, one message each.
    """

    steps: tuple[StepReport, ...]
    inserted: tuple[StepReport, ...]
    notes: tuple[str, ...]

    @property
    def worst(self) -> dict[str, float]:
        """The largest of each measure over the footsteps within reach."""
        rows = [row for row in (*self.steps, *self.inserted) if row.reached]
        names = ("error_mm", "heading_error_deg", "height_mm", "drift_mm", "jump_deg")
        return {name: max((abs(getattr(row, name)) for row in rows), default=0.0) for name in names}

    def as_dict(self) -> dict[str, Any]:
        """The report as a JSON-ready mapping."""
        return {
            "steps": [row.as_dict() for row in self.steps],
            "inserted": [row.as_dict() for row in self.inserted],
            "worst": self.worst,
            "notes": list(self.notes),
        }


def measure_step(
    pool: StepPool,
    motion: StepMotion,
    target: Footstep,
    before: Floats | None,
    *,
    frame: int,
    reached: bool,
    inserted: bool,
    notes: Sequence[str],
) -> StepReport:
    """Measure one step in its own frames.

    Parameters
    ----------
    before : (k, joints, 4) the last rotations before it, or None.
    frame : of the walk, in which the step ends.
    """
    lands, stands = pool.swings, pool.stands
    spots, feet = follow(pool, lands, motion.root[-1:], motion.rotations[-1:])
    ball = spots[0] + rot.rotate(feet[0, 1], lands.pivot)
    carried, soles = follow(pool, stands, motion.root, motion.rotations)
    held = carried + rot.rotate(soles[:, 1], stands.lock)
    place = target.place
    heading = float(lands.heading(feet[0, 1]))
    gap = 0.0 if before is None else rot.angle_between(motion.opening[1:], before[-1, 1:]).mean()
    return StepReport(
        side=target.side,
        frame=frame,
        error_mm=1e3 * float(np.hypot(ball[0] - place[0], ball[2] - place[1])),
        heading_error_deg=abs(float(np.degrees(wrapped(heading - place[2])))),
        height_mm=1e3 * float(ball[1] - lands.height),
        drift_mm=1e3 * float(np.linalg.norm(held - held[0], axis=1).max()),
        jump_deg=0.0 if before is None else seam_jump(before, motion.rotations),
        gap_deg=float(np.degrees(gap)),
        reached=reached,
        inserted=inserted,
        notes=tuple(notes),
    )


def seam_jump(before: Floats, after: Floats) -> float:
    """How far the motion departs from smoothness where two parts meet, in degrees, the mean over joints.

    Parameters
    ----------
    before, after : (k, joints, 4) and (m, joints, 4) rotations; the last of the one and the first of the other are the
        same moment.
    """
    if len(before) < 3 or len(after) < 4:
        return 0.0
    near = np.concatenate([before[-3:-1], after[:4]])  # the seam is number 2
    moves = rot.log(rot.multiply(rot.inverse(near[:-1]), near[1:]))
    kinks = moves[1:-1] - 0.5 * (moves[:-2] + moves[2:])
    return float(np.degrees(np.linalg.norm(kinks[:2], axis=-1).mean(axis=-1).max()))


def refusal_message(number: int, footstep: Footstep, support: Footstep, pool: StepPool) -> str:
    """Why a strict walk stops."""
    if footstep.side == support.side:
        return (
            f"Footstep {number} is a {footstep.side} one like the one before; give the feet in turn, or leave "
            "strict off to insert a step."
        )
    x, z, heading = seen_from(footstep.place, support.place)
    return (
        f"Footstep {number} ({footstep.side}) is out of reach: {_away(x, z)} from the {support.side} foot, turned "
        f"by {np.degrees(heading):.0f} degrees. {_range_message(pool)} "
        "Move it, or leave strict off to walk there by more steps or as near as possible."
    )


def insertion_message(number: int, footstep: Footstep, support: Footstep, count: int) -> str:
    """Why there are more steps than footsteps."""
    steps = "a step was" if count == 1 else f"{count} steps were"
    if footstep.side == support.side:
        return f"Footstep {number} ({footstep.side}) follows one of the same foot: {steps} inserted."
    x, z, _ = seen_from(footstep.place, support.place)
    return f"Footstep {number} ({footstep.side}) is {_away(x, z)}, farther than a step: {steps} inserted to walk there."


def _away(x: float, z: float) -> str:
    parts = [f"{abs(z):.2f} m {'ahead' if z >= 0 else 'behind'}"]
    if abs(x) >= 0.005:
        parts.append(f"{abs(x):.2f} m to the {'left' if x > 0 else 'right'}")
    return " and ".join(parts)


def _range_message(pool: StepPool) -> str:
    ahead, turn = pool.ends[:, 1], np.degrees(pool.ends[:, 2])
    return (
        f"The examples step {ahead.min():.2f} to {ahead.max():.2f} m ahead and turn by {turn.min():.0f} to "
        f"{turn.max():.0f} degrees, not all of it at once."
    )


def miss_message(number: int, footstep: Footstep, relative: Floats, weights: StepWeights, pool: StepPool) -> str:
    """How far a foot lands from its target."""
    miss = float(np.hypot(*(weights.place[:2] - relative[:2])))
    turn = float(np.degrees(abs(wrapped(weights.place[2] - relative[2]))))
    where = "at the edge of reach" if miss < _EDGE_M and turn < _EDGE_DEG else "out of reach"
    return (
        f"Footstep {number} ({footstep.side}), {_away(relative[0], relative[1])} from the other foot, is {where}: "
        f"the foot lands {_length(miss)} beside it, turned by {_angle(turn)}. {_range_message(pool)}"
    )


def correction_message(number: int, footstep: Footstep, blended: StepReport) -> str:
    """How far a footstep was out of reach that is met all the same."""
    turn = f" and {_angle(blended.heading_error_deg)}" if blended.heading_error_deg >= _EDGE_DEG else ""
    return (
        f"Footstep {number} ({footstep.side}) is {_length(1e-3 * blended.error_mm)}{turn} outside of what the examples "
        "reach; legs and pelvis make up for it."
    )


def _length(metres: float) -> str:
    """A miss in the unit that suits it: "2.1 m", "1.3 cm", "0.4 mm", "less than 0.1 mm"."""
    if metres >= 1.0:
        return f"{metres:.1f} m"
    if metres >= 0.01:
        return f"{100.0 * metres:.1f} cm"
    return f"{1e3 * metres:.1f} mm" if metres >= 1e-4 else "less than 0.1 mm"


def _angle(degrees: float) -> str:
    return f"{degrees:.1f} degrees" if degrees >= 0.1 else "less than 0.1 degrees"
