"""What a walk is made of, and what comes out of it.

============  ===============================================================================
Walk          the clip, a report on every footstep, and where each foot stands
WalkStep      one step that was taken
opening       the moment before a walk
bent_step     a step whose target was changed while the foot was in the air
============  ===============================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.html_tables import html_table
from kinetune.inverse.steps.foot_locks import FootTrack, level_turn, lock_support
from kinetune.inverse.steps.step_extraction import LANDS, LEAVES, PHASES
from kinetune.inverse.steps.step_motion import Stance, StepMotion, Technique, ease_in, make_step
from kinetune.inverse.steps.step_pools import StepPool
from kinetune.inverse.steps.step_weights import StepWeights, solve_weights
from kinetune.inverse.walk.footsteps import Footstep, placed_at, turn_by, turned
from kinetune.inverse.walk.walk_report import StepReport, WalkReport, measure_step
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from kinetune.inverse.walk._settling import StepBend


@dataclass(frozen=True)
class FootPlacement:
    """Where a foot came to stand: the footstep, the frame, whether it was inserted, and where it should stand."""

    footstep: Footstep
    frame: int
    inserted: bool
    target: Footstep


@dataclass(frozen=True, eq=False)
class Walk:
    """A walk.

    Parameters
    ----------
    clip : Clip
        The motion, with its contacts, and a marker where each foot lands.
    report : WalkReport
        How each footstep came out.
    placements : tuple[FootPlacement, ...]
        Where each foot stands, in order, inserted ones too.

    Examples
    --------
    >>> from kinetune import plan_footsteps, walk
    >>> made = walk(plan_footsteps("straight", count=4))
    >>> len(made.report.steps), made.clip.fps
    (4, 60.0)
    """

    clip: Clip
    report: WalkReport
    placements: tuple[FootPlacement, ...]

    def __repr__(self) -> str:
        inserted = f" and {len(self.report.inserted)} inserted" if self.report.inserted else ""
        return f"Walk({len(self.report.steps)} footsteps{inserted}, {self.clip.duration:.1f} s)"

    def _repr_html_(self) -> str:
        worst = self.report.worst
        rows = {"Footsteps": str(len(self.report.steps)), "Inserted": str(len(self.report.inserted))}
        rows["Duration"] = f"{self.clip.duration:.1f} s at {self.clip.fps:g} frames per second"
        rows["Largest error"] = f"{worst['error_mm']:.3g} mm, {worst['heading_error_deg']:.3g} degrees"
        return html_table("Walk", {**rows, "Notes": "; ".join(self.report.notes) or "none"})


@dataclass(frozen=True, eq=False)
class WalkStep:
    """One step that was taken.

    Attributes
    ----------
    target : Footstep
        Where the foot should stand.
    motion : StepMotion
        Its frames; the first repeats the moment before.
    pool, weights, ways : various
        What it was blended from: weights at both ends, and (GRID, n) in between.
    stance, earlier : Stance or array or None
        The moment before, and the rotations that led to it.
    first : int
        The frame of the walk at which it begins.
    inserted : bool
        Whether it was not asked for.
    bend : StepBend or None
        How it is bent to meet a target just out of reach.
    """

    target: Footstep
    motion: StepMotion
    pool: StepPool
    weights: tuple[StepWeights, StepWeights]
    ways: Floats
    stance: Stance
    earlier: Floats | None
    first: int
    inserted: bool
    reached: bool
    notes: tuple[str, ...] = field(default=())
    bend: StepBend | None = None

    @property
    def last(self) -> int:
        """The frame of the walk from which the foot stands."""
        return self.first + len(self.motion.root) - 1

    @cached_property
    def report(self) -> StepReport:
        """The step, measured."""
        return measure_step(
            self.pool,
            self.motion,
            self.target,
            self.earlier,
            frame=self.last,
            reached=self.reached,
            inserted=self.inserted,
            notes=self.notes,
        )


def opening(pool: StepPool, start: Footstep | None, first: Footstep, usual: Floats, before: Floats | None) -> Stance:
    """The moment before a walk, from standing or in mid-stride.

    Without a start, the foot that carries stands where the first step is a usual one, or as near to that as steps of
    the pool get: those that set out may go in all directions, and what lies between them may be none of them.

    usual : (3,) where a step of walking ends, as :attr:`StepPool.natural` has it.
    before : (3,) the same for the other foot, which took the step before in mid-stride; None from standing, where the
        other foot is where steps of the pool begin on average.
    """
    if start is None:
        place = _inverse(solve_weights(pool, -1, usual, pool.swings.height, lock=pool.lock).place[:3], first.place)
    else:
        place = start.place
    other = pool.starts.mean(axis=0) if before is None else _inverse(before, np.zeros(3))
    weights = solve_weights(pool, 0, other, float(pool.chains[0].ends[:, 3].mean()))
    rotations = rot.normalize(np.einsum("n,njk->jk", weights.values, pool.rotations[:, 0]))[None]
    carrier = rot.normalize(weights.values @ pool.carrier[:, 0])[None]
    lock = np.array([place[0], 0.0, place[1]]) + turned(turn_by(float(place[2])), pool.lock)
    root, facing = lock_support(pool, rotations, level_turn(pool, carrier), float(place[2]), lock)
    rotations[:, 0] = facing
    ahead = FootTrack.read(pool, pool.stands, root[0], rotations[0])
    behind = FootTrack.read(pool, pool.swings, root[0], rotations[0])
    return Stance(rotations[0], root[0], ahead, behind)


def seen_by_foot(point: Floats, stance: Stance) -> Floats:
    """(3,) a point of the world as seen from the foot that carries."""
    x, z, heading = stance.ahead.place
    return turned(turn_by(-float(heading)), point - np.array([x, 0.0, z]))


def _inverse(relative: Floats, place: Floats) -> Floats:
    """Where the foot is from which a place is seen like that."""
    heading = place[2] - relative[2]
    back = placed_at(np.array([-relative[0], -relative[1], 0.0]), np.array([0.0, 0.0, heading]))
    return np.array([place[0] + back[0], place[1] + back[1], heading])


def bent_step(old: WalkStep, weights: StepWeights, shown: int, fps: float, technique: Technique) -> StepMotion:
    """A step whose end changes after some of its frames were shown: those stay, and the rest leads elsewhere."""
    phases = old.motion.phases
    now = max(float(phases[shown]), LEAVES)
    before, after = old.weights
    share = np.clip((PHASES - now) / (LANDS - now), 0.0, 1.0)
    share = (share**2 * (3.0 - 2.0 * share))[:, None]
    ways = old.ways + share * (weights.values - after.values)
    motion = make_step(old.pool, before, weights, old.stance, fps, technique, ways=ways, phases=phases)
    rotations = np.array(motion.rotations)
    rotations[: shown + 1] = old.motion.rotations[: shown + 1]
    limb = old.pool.leg_arrays[old.pool.swings.side]
    leg = limb.chain[limb.joints]
    frames = min(round(technique.ease_s * fps), int(np.searchsorted(phases, LANDS)) - shown)
    # Only the leg in the air has moved in what was shown; it comes over from there.
    last, earlier = old.motion.rotations[shown, leg], old.motion.rotations[max(shown - 1, 0), leg]
    rotations[shown:, leg] = ease_in(motion.rotations[shown:, leg], last, earlier, frames)
    root = np.concatenate([old.motion.root[: shown + 1], motion.root[shown + 1 :]])
    return replace(motion, root=root, rotations=rotations)
