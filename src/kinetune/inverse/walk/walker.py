"""Walking on given footsteps ([huang], section 5): step after step, each foot exactly on its target.

============  ===============================================================================
walk_on       a walk over a list of footsteps, from a set of example steps
Walker        a character that walks: it takes one footstep after another, as they come
Walk          the result: the clip, and a report on every footstep
============  ===============================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.body.feet.contacts import Contacts
from kinetune.body.source import Source
from kinetune.errors import ParameterError
from kinetune.inverse.steps.foot_locks import FootTrack
from kinetune.inverse.steps.step_blend import weights_between
from kinetune.inverse.steps.step_extraction import LANDS
from kinetune.inverse.steps.step_motion import Stance, Technique, make_step
from kinetune.inverse.steps.step_pools import StepPool
from kinetune.inverse.steps.step_sets import Kind, StepSet
from kinetune.inverse.steps.step_weights import StepWeights, solve_weights
from kinetune.inverse.walk._settling import StepBend, bend_stance, settle, settled_report
from kinetune.inverse.walk.detours import BENDS_M, detour
from kinetune.inverse.walk.footsteps import OTHER, Footstep, Side, as_footsteps, seen_from, turned
from kinetune.inverse.walk.walk_report import StepReport, WalkReport, insertion_message, miss_message, refusal_message
from kinetune.inverse.walk.walk_values import FootPlacement, Walk, WalkStep, bent_step, opening, seen_by_foot
from kinetune.rotations import Floats

_LATEST_CHANGE = 0.65  # the phase of a step after which its target stays


class Walker:
    """A character that walks: give it one footstep after another, change the last one while the foot is in the air.

    Parameters
    ----------
    steps : StepSet
        What to walk with.
    start : Footstep or None, optional
        The foot that carries first. Left out, it stands where the first footstep is a natural step.
    strict : bool, optional
        Refuse footsteps out of reach instead of walking there by more steps, or as near as possible.
    technique : Technique or None, optional
        The parts of the method (:class:`kinetune.inverse.steps.step_motion.Technique`).

    Notes
    -----
    The walk begins from standing if the set has steps that do, and in mid-stride otherwise.

    Examples
    --------
    >>> from kinetune.walking import Footstep, sample_steps
    >>> walker = Walker(sample_steps())
    >>> made = walker.step(Footstep("left", 0.1, 0.6)), walker.step(Footstep("right", -0.1, 1.05))
    >>> [step.reached for step in walker.report.steps]
    [True, True]
    """

    def __init__(
        self,
        steps: StepSet,
        *,
        start: Footstep | None = None,
        strict: bool = False,
        technique: Technique | None = None,
    ) -> None:
        self.steps = steps
        self.strict = strict
        self.technique = Technique() if technique is None else technique
        self.made: list[WalkStep] = []
        self._start = start
        self._stance: Stance | None = None
        self._carries: Side | None = None if start is None else start.side

    @property
    def support(self) -> Footstep | None:
        """The foot that carries next and where it stands; None before the first step of a walk without a start."""
        if self._stance is None:
            return self._start
        return None if self._carries is None else Footstep.at(self._carries, self._stance.ahead.place)

    def step(self, footstep: Footstep, *, last: bool = False) -> WalkStep:
        """Take a step, or several where one does not suffice; returns the one that lands on the footstep.

        Parameters
        ----------
        last : bool, optional
            Whether to stop there, if the set has steps that do.
        """
        number = sum(not made.inserted for made in self.made)
        if self._stance is None and self._start is None:
            return self._take(footstep, self._kind(last), number, last=last)
        support = self.support
        assert support is not None
        kind, weights = self._best(footstep, support, last)
        if weights is not None and weights.reached:
            return self._take(footstep, kind, number, weights=weights, last=last)
        if self.strict:
            raise ParameterError(refusal_message(number, footstep, support, self.steps.pool(footstep.side)))
        inserted = detour(self.steps, support, footstep, first=not self.made)
        if inserted:
            self._lead_on(inserted, footstep, number, last)
            said = insertion_message(number, footstep, support, len(inserted))
            return self._take(footstep, self._kind(last), number, last=last, notes=(said,))
        if support.side == footstep.side:
            raise ParameterError(
                f"Footstep {number} is a {footstep.side} one, and the {support.side} foot is already standing; no step "
                "of the other foot fits in between. Give the feet in turn."
            )
        return self._take(footstep, kind, number, weights=weights, last=last)

    def walk(self, footsteps: Iterable[Footstep | Sequence[Any] | dict[str, Any]], *, stop: bool = True) -> None:
        """Take several steps; with ``stop`` the last one ends the walk, if the set has steps that do."""
        targets = as_footsteps(footsteps)
        for number, footstep in enumerate(targets):
            self.step(footstep, last=stop and number == len(targets) - 1)

    def retarget(self, footstep: Footstep, frame: int) -> bool:
        """Change where the foot in the air will land; frames up to ``frame`` stay as they are.

        Returns
        -------
        bool
            False where it is too late, or the new place out of reach from here: then nothing changes.
        """
        if not self.made:
            raise ParameterError("No step has been taken yet, so that none can be changed; call step() first.")
        old = self.made[-1]
        if footstep.side != old.target.side:
            raise ParameterError(
                f"The {old.target.side} foot is in the air; its step cannot become a {footstep.side} one."
            )
        shown = frame - old.first
        phases = old.motion.phases
        if shown >= len(phases) - 1 or (shown > 0 and phases[shown] > _LATEST_CHANGE):
            return False
        support = old.stance.ahead
        weights = self._end_weights(old.pool, seen_from(footstep.place, support.place), old.stance)
        if not weights.reached:
            return False
        motion = bent_step(old, weights, max(shown, 0), self.steps.fps, self.technique)
        said = (*old.notes, "The target was changed while the foot was in the air.")
        self.made[-1] = WalkStep(
            footstep, motion, old.pool, (old.weights[0], weights), old.ways, old.stance, old.earlier, old.first,
            old.inserted, True, said,
        )  # fmt: skip
        self._stance = motion.stance
        return True

    def _lead_on(self, inserted: Sequence[Footstep], footstep: Footstep, number: int, last: bool) -> None:
        """Take steps in between: as they come where they lead to the footstep, else each bent onto its place."""
        begun = len(self.made), self._stance, self._carries
        for bent in (False, True):
            del self.made[begun[0] :]
            _, self._stance, self._carries = begun
            for extra in inserted:
                self._take(extra, self._kind(False), number, inserted=True, bent=bent)
            support = self.support
            assert support is not None
            weights = self._best(footstep, support, last)[1]
            if weights is not None and weights.missing_m < BENDS_M:
                return

    def _kind(self, last: bool) -> Kind:
        if not self.made:
            return "single" if last else "starting"
        return "stopping" if last else "walking"

    def _best(self, footstep: Footstep, support: Footstep, last: bool) -> tuple[Kind, StepWeights | None]:
        """The kind of step that reaches a footstep best: the fitting one if it can, else one out of walking."""
        if footstep.side == support.side:
            return "walking", None
        relative = seen_from(footstep.place, support.place)
        fitting = self._kind(last)
        best: tuple[Kind, StepWeights | None] = ("walking", None)
        for kind in dict.fromkeys((fitting, "walking")):
            if kind != "walking" and not self.steps.has(footstep.side, kind):
                continue
            if self._stance is None and kind != fitting and self.steps.has(footstep.side, fitting):
                continue
            pool = self.steps.pool(footstep.side, kind)
            weights = self._end_weights(pool, relative, self._stance)
            if weights.reached:
                return kind, weights
            if best[1] is None or weights.missing_m < best[1].missing_m:
                best = (kind, weights)
        return best

    def _take(
        self,
        footstep: Footstep,
        kind: Kind,
        number: int,
        *,
        weights: StepWeights | None = None,
        inserted: bool = False,
        bent: bool = True,
        last: bool = False,
        notes: tuple[str, ...] = (),
    ) -> WalkStep:
        """Take one step as well as it can be taken."""
        pool = self.steps.pool(footstep.side, kind)
        stance = self._stance
        if stance is None:
            strides = not self.steps.has(footstep.side, kind)
            usual, before = (self.steps.pool(side).natural for side in (footstep.side, OTHER[footstep.side]))
            stance = opening(pool, self._start, footstep, usual, before if strides else None)
        relative = seen_from(footstep.place, stance.ahead.place)
        if weights is None:
            weights = self._end_weights(pool, relative, stance)
            if not weights.reached and kind != "walking" and self.made:
                walking = self.steps.pool(footstep.side)
                other = self._end_weights(walking, relative, stance)
                if other.missing_m < weights.missing_m:
                    pool, weights = walking, other
        begun = self._start_weights(pool, stance)
        ways = weights_between(begun.values, weights.values)
        motion = make_step(pool, begun, weights, stance, self.steps.fps, self.technique, ways=ways)
        said = list(notes)
        if not (inserted or weights.reached):
            said.append(miss_message(number, footstep, relative, weights, pool))
        earlier = self.made[-1].motion.rotations if self.made else None
        first = self.made[-1].last if self.made else 0
        bend = None
        if bent and not weights.reached and self.technique.settle:
            bend = StepBend.between(motion.stance.ahead.place, footstep)
        if inserted and bend is None:  # it only has to lead on
            footstep = Footstep.at(footstep.side, motion.stance.ahead.place)
        made = WalkStep(
            footstep, motion, pool, (begun, weights), ways, stance, earlier, first, inserted,
            inserted or weights.reached, tuple(said), bend,
        )  # fmt: skip
        self.made.append(made)
        self._stance = motion.stance if bend is None else bend_stance(motion.stance, bend, footstep)
        self._carries = footstep.side
        return made

    def _end_weights(self, pool: StepPool, relative: Floats, stance: Stance | None) -> StepWeights:
        """Phase 2: the weights for which the foot lands on its target."""
        lock = None if stance is None else seen_by_foot(stance.ahead.lock, stance)
        return solve_weights(pool, -1, relative, pool.swings.height, lock=lock, hard_height=self.technique.hard_height)

    def _start_weights(self, pool: StepPool, stance: Stance) -> StepWeights:
        """Phase 1: the weights for which the foot behind is where it is, and the pose like the one it is in."""
        behind = seen_from(stance.behind.place, stance.ahead.place)
        if not self.technique.turned_start and self.made:
            # [huang] as printed: the start of a step is the negated end of the one before, in the frame of each.
            behind = -seen_from(stance.ahead.place, stance.behind.place)
        behind_ball = pool.swings.pivot - pool.swings.lock
        height = float(stance.behind.lock[1] + turned(stance.behind.feet[1], behind_ball)[1])
        like = (stance.rotations, seen_by_foot(stance.root, stance)) if self.technique.similar_pose else None
        return solve_weights(pool, 0, behind, height, like=like, lock=seen_by_foot(stance.ahead.lock, stance))

    @property
    def report(self) -> WalkReport:
        """How all footsteps came out so far."""
        return _as_report([made.report for made in self.made])

    def finished(self) -> Walk:
        """The walk so far, as a result: feet are brought onto footsteps just out of reach, and the pelvis is calmed."""
        clip = settle(self.made, self._steps, self.steps.pelvis_acceleration) if self.technique.settle else self.clip
        numbers = np.cumsum([not made.inserted for made in self.made]) - 1
        rows = [settled_report(made, int(n), clip) for made, n in zip(self.made, numbers, strict=True)]
        placed = []
        for made in self.made:
            landed = FootTrack.read(made.pool, made.pool.swings, clip.root[made.last], clip.rotations[made.last])
            footstep = Footstep.at(made.target.side, landed.place)
            placed.append(FootPlacement(footstep, made.last, made.inserted, made.target))
        return Walk(clip, _as_report(rows), tuple(placed))

    @property
    def clip(self) -> Clip:
        """The walk so far; :meth:`finished` calms its pelvis, too."""
        if not self.made:
            raise ParameterError("No step has been taken yet; call step() first.")
        if any(made.bend is not None for made in self.made):
            return settle(self.made, self._steps, np.inf)
        return self._steps

    @property
    def _steps(self) -> Clip:
        """All steps, one after another, as they were blended."""
        parts = [made.motion for made in self.made]
        root = np.concatenate([parts[0].root[:1], *(part.root[1:] for part in parts)])
        rotations = np.concatenate([parts[0].rotations[:1], *(part.rotations[1:] for part in parts)])
        markers = []
        for made in self.made:
            land = int(np.searchsorted(made.motion.phases, LANDS, "left"))
            markers.append(Marker(made.first + land, f"{made.target.side} foot lands"))
        return Clip(
            self.steps.skeleton,
            self.steps.fps,
            root,
            rot.continuous(rotations),
            contacts=self._contacts(len(root)),
            markers=tuple(markers),
            source=Source(format="walk"),
        )

    def _contacts(self, frames: int) -> Contacts:
        heels, toes = np.zeros((frames, 2), dtype=bool), np.zeros((frames, 2), dtype=bool)
        sides: tuple[Side, Side] = ("left", "right")
        for made in self.made:
            span = slice(made.first, made.last + 1)
            for side, heel, toe in ((OTHER[made.target.side], 0, 1), (made.target.side, 2, 3)):
                column = sides.index(side)
                heels[span, column] = made.motion.soles[:, heel]
                toes[span, column] = made.motion.soles[:, toe]
        names = tuple(self.steps.skeleton.names[self.steps.frames[side].ankle] for side in sides)
        return Contacts(names, heels | toes, None, heels, toes, sides)  # type: ignore[arg-type]


def _as_report(rows: Sequence[StepReport]) -> WalkReport:
    return WalkReport(
        tuple(row for row in rows if not row.inserted),
        tuple(row for row in rows if row.inserted),
        tuple(note for row in rows for note in row.notes),
    )


def walk_on(
    footsteps: Iterable[Footstep | Sequence[Any] | dict[str, Any]],
    steps: StepSet,
    *,
    start: Footstep | None = None,
    strict: bool = False,
    stop: bool = True,
    technique: Technique | None = None,
) -> Walk:
    """Walk over footsteps: the ball of each foot exactly on its footstep, its toes along its heading.

    Parameters
    ----------
    footsteps : iterable of Footstep
        In order. Feet alternate; where one comes twice a step of the other is inserted.
    steps : StepSet
        What to walk with.
    start : Footstep or None, optional
        The foot that carries first; left out, it stands where the first footstep is a natural step.
    strict : bool, optional
        Refuse footsteps out of reach. Otherwise steps are inserted to walk there, or the foot lands as near as it
        can, and the report says so.
    stop : bool, optional
        End the walk with a step that comes to a stand, if the set has one and the last footstep allows it.
    """
    walker = Walker(steps, start=start, strict=strict, technique=technique)
    walker.walk(footsteps, stop=stop)
    return walker.finished()
