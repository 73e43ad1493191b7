"""What became of each footstep: where the foot stands, what moved that should not, and what had to give way.

=============  ===================================================================
WalkReport     one row for each footstep, the inserted ones apart, and notes in words
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
from kinetune.inverse.walk.footsteps import Footstep, Side, wrapped
from kinetune.rotations import Floats


@dataclass(frozen=True)
class StepReport:
    """How one footstep came out, measured in the finished motion.

    side, frame : the foot, and the frame from which it stands at its place.
    error_mm : how far its ball is from where it shall be, on the floor.
    heading_error_deg : how far its toes are turned from where they shall point.
    height_mm : how far its ball is above its height on the flat sole; negative below.
    drift_mm : how far the foot that carries moves during this step, in any direction.
    jump_deg : how far the pose departs from smooth motion where this step takes over: each joint's turn from one frame
        to the next against the mean of the turns before and after, the mean over joints. In the sample walk, which
        has no seam, it is 0.1 on average.
    gap_deg : how far the blend was from the pose before, before easing in; the mean over joints.
    reached : whether the footstep lies within reach of the examples.
    inserted : whether the step was not asked for.
    notes : what had to give way, in words.
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

    def as_dict(self) -> dict[str, Any]:
        """The row as a JSON-ready mapping."""
        return {**asdict(self), "notes": list(self.notes)}


@dataclass(frozen=True)
class WalkReport:
    """How a walk came out.

    steps : one row for each footstep that was asked for, in order.
    inserted : rows of steps that were put between them.
    notes : everything that had to give way, in words.
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
