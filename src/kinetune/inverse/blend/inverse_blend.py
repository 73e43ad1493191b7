"""Inverse blending: weights, found so that a blend of examples meets targets exactly.

==================  ===============================================================================
InverseBlend        a set of examples, and the motions between them that meet constraints
BlendSolution       one such motion: weights, errors, whether the target can be reached, and the clip
BlendSolutionBatch  thousands of them
==================  ===============================================================================

[huang]: Y. Huang and M. Kallmann, "Motion Parameterization with Inverse Blending", MIG 2010. Nothing is precomputed:
examples come and go between calls. The search is documented in :mod:`kinetune.inverse.blend.weight_kernels`,
derivations and errata in ``docs/derivations/inverse_blending.md``.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.html_tables import html_table
from kinetune.body.root_motion import facing
from kinetune.errors import ParameterError
from kinetune.inverse.blend._custom_search import CustomSearch, MeasuredConstraint
from kinetune.inverse.blend.constraint_layout import (
    HARD,
    RBF,
    SOFT,
    ConstraintLayout,
    PackedChains,
    Probe,
    SearchSettings,
    make_layout,
    pack_chains,
    solver_kernels,
)
from kinetune.inverse.blend.constraints import AnyConstraint, Constraint, Custom
from kinetune.inverse.blend.example_set import ExampleSet, Rotations, prepare
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from kinetune.inverse.blend._ik_residue import IkResidue

Mode = Literal["soft", "hard", "rbf"]
Combine = Literal["squares", "norms"]

NEAR_MM, NEAR_DEG = 0.01, 0.01
"""Errors up to which a constraint counts as met."""

_MODES = {"soft": SOFT, "hard": HARD, "rbf": RBF}
_LEAST_NORM = {"squares": 0.0, "norms": 1e-6}
_MOST_CACHED = 64
_HARDLY_M = 0.05
_WORTHWHILE = 0.98  # what is left of an error for inverse kinematics to be worth it
_AS_FAR = 0.97
_COLD = np.empty(0)


@dataclass(eq=False, repr=False)
class BlendSolution:
    """A blend that meets some constraints, or comes as near as it can.

    Attributes
    ----------
    weights : array
        (examples,) each in [0, 1], with the sum 1.
    errors : tuple[float, ...]
        One for each constraint, in mm or degrees (``units``; "" for a custom one); the worst of several frames.
    reachable : bool
        Whether all constraints with a priority are met, within 0.01 mm and 0.01 degrees.
    residue : IkResidue or None
        What inverse kinematics added where the blend alone misses; None where nothing was added.
    distance : float
        How far the target is from what the examples can do, in mm, 0 when it is met; degrees count as the scales of
        their constraints say (one degree as 8.7 mm), and several constraints add as squares or norms do.
    iterations, seconds : int or float
        What it took.
    clip : Clip
        The motion, blended on first access.
    """

    _examples: ExampleSet
    weights: Floats
    errors: tuple[float, ...]
    units: tuple[str, ...]
    reachable: bool
    distance: float
    iterations: int
    seconds: float
    residue: IkResidue | None = None

    @cached_property
    def clip(self) -> Clip:
        """The blend of all examples with these weights."""
        return self._examples.blend(self.weights)

    @property
    def examples(self) -> tuple[Clip, ...]:
        """The examples as they are blended: aligned, placed, on one skeleton."""
        return self._examples.clips

    def __repr__(self) -> str:
        errors = ", ".join(f"{e:.3g} {u}".strip() for e, u in zip(self.errors, self.units, strict=True))
        where = "reached" if self.reachable else f"out of reach by {self.distance:.3g} mm"
        return f"BlendSolution({where}, errors {errors}, {np.count_nonzero(self.weights)} examples)"

    def _repr_html_(self) -> str:
        state = "reached" if self.reachable else f"out of reach by {self.distance:.3g} mm"
        errors = ", ".join(f"{e:.3g} {u}".strip() for e, u in zip(self.errors, self.units, strict=True))
        heaviest = sorted(enumerate(self.weights.tolist()), key=lambda pair: -pair[1])[:5]
        weights = ", ".join(f"example {number}: {weight:.0%}" for number, weight in heaviest if weight > 0.005)
        return html_table("Blend", {"Target": state, "Errors": errors, "Weights": weights})


@dataclass(eq=False, repr=False)
class BlendSolutionBatch:
    """Many blends at once: arrays with one row for each problem; ``batch[i]`` is an :class:`BlendSolution`."""

    _examples: ExampleSet
    weights: Floats
    errors: Floats
    units: tuple[str, ...]
    reachable: NDArray[np.bool_]
    distance: Floats
    iterations: NDArray[np.int64]
    seconds: float

    def __len__(self) -> int:
        return len(self.weights)

    def __repr__(self) -> str:
        return f"BlendSolutionBatch({len(self)} blends, {int(self.reachable.sum())} reached)"

    def __getitem__(self, number: int) -> BlendSolution:
        return BlendSolution(
            self._examples,
            self.weights[number],
            tuple(self.errors[number].tolist()),
            self.units,
            bool(self.reachable[number]),
            float(self.distance[number]),
            int(self.iterations[number]),
            self.seconds / len(self),
        )

    def __iter__(self) -> Iterator[BlendSolution]:
        return (self[number] for number in range(len(self)))


class _Answers(NamedTuple):
    """What a search found, one row for each problem; norms in metres or radians, one for each constraint."""

    weights: Floats
    norms: Floats
    left: Floats
    iterations: NDArray[np.int64]
    limits: Floats
    factors: Floats
    units: tuple[str, ...]


class InverseBlend:
    """Motions between examples that meet constraints.

    Parameters
    ----------
    examples : sequence of Clip
        Clips of one action with the same joints and length, such as sixteen reaches to different targets. Frame rates
        and bone lengths are brought to those of the first.
    align : bool or None, optional
        Bring all to the timing of the first (:func:`kinetune.body.timeline.alignment.align`); lengths may differ
        then. None does so where they differ.
    place : bool, optional
        Rotate and move all to begin where the first one does.
    rotations : {"quaternion", "expmap"}, optional
        "quaternion", or "expmap" as the paper has it.

    Notes
    -----
    Laws (``tests/inverse/blend/test_inverse_blend.py``): weights lie in [0, 1] and sum to 1; an example's own hand
    position gives that example's hand position; rotating the scene and the target rotates the motion.

    Examples
    --------
    >>> from kinetune import AtPoint, sample
    >>> blend = InverseBlend([sample(f"reach-{number:02}") for number in range(1, 17)])
    >>> found = blend.solve([AtPoint("RightFingertips", (-0.35, 1.3, 0.55))])
    >>> found.reachable, round(float(found.weights.sum()), 9)
    (True, 1.0)
    """

    def __init__(
        self,
        examples: Sequence[Clip],
        align: bool | None = False,
        place: bool = False,
        rotations: Rotations = "quaternion",
    ) -> None:
        self._align, self._place = align, place
        self._given = list(examples)
        self._held: Floats | None = None
        self._layouts: dict[Any, ConstraintLayout] = {}
        self._chains: dict[tuple[Probe, ...], PackedChains] = {}
        self._set = ExampleSet(prepare(self._given, align=align, place=place), rotations)

    def __len__(self) -> int:
        return len(self._set)

    def __repr__(self) -> str:
        return f"InverseBlend({len(self)} examples, {self._set.frames} frames, {self._set.rotations} blending)"

    @property
    def examples(self) -> tuple[Clip, ...]:
        """The examples as they are blended: aligned, placed, on one skeleton."""
        return self._set.clips

    @property
    def example_set(self) -> ExampleSet:
        """The examples as arrays, as the search takes them."""
        return self._set

    def add(self, *clips: Clip) -> None:
        """Add examples."""
        self._renew([*self._given, *clips])

    def remove(self, *numbers: int) -> None:
        """Remove examples by their index."""
        count = len(self._given)
        for number in numbers:
            if not -count <= number < count:
                raise ParameterError(f"There are examples 0 to {count - 1}; there is no example {number}.")
        gone = {number % count for number in numbers}
        if len(gone) == count:
            raise ParameterError("At least one example must stay.")
        self._renew([clip for number, clip in enumerate(self._given) if number not in gone])

    def _renew(self, given: list[Clip]) -> None:
        self._set = ExampleSet(prepare(given, align=self._align, place=self._place), self._set.rotations)
        self._given, self._held = given, None
        self._layouts.clear()
        self._chains.clear()

    def blend(self, weights: ArrayLike) -> Clip:
        """The mean of the examples with weights of your own (only their ratios count)."""
        return self._set.blend(np.asarray(weights, dtype=float))

    def places(
        self,
        joint: str,
        *,
        frame: int = -1,
        offset: tuple[float, float, float] | None = None,
        relative_to: str | None = None,
    ) -> Floats:
        """Where a joint, or a point on it, is in each example at a frame: (examples, 3) metres.

        Parameters
        ----------
        relative_to : str or None, optional
            A joint in whose frame the positions are given, instead of the world.
        """
        place, _ = self._reached(joint, frame, offset)
        if relative_to is None:
            return place
        base, turned = self._reached(relative_to, frame, None)
        return rot.rotate(rot.inverse(turned), place - base)

    def moment_of_reach(self, joint: str) -> int:
        """The frame at which a joint is farthest from where it begins, seen from the hips, in the mean of the examples.

        The moment of the grab in a take that goes on after it. The last frame counts where the joint is as far away
        there, and for a joint that hardly moves against the hips.
        """
        effector = self._set.effector(joint, None)
        away = np.zeros(self._set.frames)
        for clip in self.examples:
            hips = clip.positions()[:, clip.skeleton.roles.get("hips", 0)] * [1.0, 0.0, 1.0]
            turned = clip.world_rotations()[:, effector.joint]
            at = clip.positions()[:, effector.joint] + rot.rotate(turned, np.array(effector.offset)) - hips
            seen = rot.rotate(rot.about_y(-facing(clip)), at)
            away += np.linalg.norm(seen - seen[0], axis=-1) / len(self)
        farthest = int(np.argmax(away))
        return -1 if away[farthest] < _HARDLY_M or away[-1] > _AS_FAR * away[farthest] else farthest

    def _reached(self, joint: str, frame: int, offset: tuple[float, float, float] | None) -> tuple[Floats, Floats]:
        """Where an effector is in each example, (examples, 3), and its rotation, (examples, 4)."""
        effector, at = self._set.effector(joint, offset), self._set.frame(frame)
        turned = np.stack([clip.world_rotations()[at, effector.joint] for clip in self.examples])
        places = np.stack([clip.positions()[at, effector.joint] for clip in self.examples])
        return np.asarray(places + rot.rotate(turned, np.array(effector.offset))), turned

    def solve(
        self,
        constraints: AnyConstraint | Sequence[AnyConstraint],
        k: int = 8,
        mode: Mode = "soft",
        combine: Combine = "squares",
        *,
        exact: bool = True,
    ) -> BlendSolution:
        """The blend that meets some constraints, or comes as near as it can.

        Parameters
        ----------
        k : int, optional
            How many of the nearest examples matter most. "soft" lets its kernel reach to the next one and all may
            join.
        mode : {"soft", "hard", "rbf"}, optional
            "soft"; "hard", the paper's k nearest and no other; "rbf", the paper's first weights without a search.
        combine : {"squares", "norms"}, optional
            What is minimized where not all constraints can be met: the sum of squares shares the error among them;
            the sum of norms meets those it can and leaves the error to the others.
        exact : bool, optional
            Where the blend misses, meet the constraints by a little inverse kinematics
            (:mod:`kinetune.inverse.blend._ik_residue`), within bounds; ``residue`` tells what was added. False keeps
            the pure blend, and so do custom constraints and the mode "rbf".
        """
        blended = self._solve(constraints, k, mode, combine, _COLD)
        if not exact or blended.reachable or mode == "rbf":
            return blended
        asked = [constraints] if isinstance(constraints, Constraint | Custom) else list(constraints)
        plain = [c for c in asked if isinstance(c, Constraint)]
        return blended if len(plain) < len(asked) else self._with_residue(blended, plain, combine)

    def _with_residue(
        self, blended: BlendSolution, constraints: Sequence[Constraint], combine: Combine
    ) -> BlendSolution:
        """The solution with what inverse kinematics can add to it."""
        from kinetune.inverse.blend._ik_residue import add_residue

        began = time.perf_counter()
        layout = self._layout(constraints)
        clip, rows, residue = add_residue(blended.clip, layout, layout.aims(constraints)[0], blended.errors)
        norms = layout.by_constraint(rows[None])[0]
        met = bool((norms <= layout.limits).all())
        gains, scales = np.array([c.key[3] for c in constraints]), np.array([c.key[6] for c in constraints])
        before = np.array(blended.errors) / layout.factors
        if combine == "norms":
            was, left = (float((gains * scales * errors).sum()) for errors in (before, norms))
        else:
            was, left = (float(np.linalg.norm(np.sqrt(gains) * scales * errors)) for errors in (before, norms))
        if not met and left > _WORTHWHILE * was:
            return blended
        exact = replace(
            blended,
            errors=tuple((norms * layout.factors).tolist()),
            reachable=met,
            distance=0.0 if met else 1e3 * left,
            seconds=blended.seconds + time.perf_counter() - began,
            residue=residue,
        )
        exact.clip = clip
        return exact

    def drag(
        self,
        constraints: AnyConstraint | Sequence[AnyConstraint],
        k: int = 8,
        combine: Combine = "squares",
        start: ArrayLike | None = None,
    ) -> BlendSolution:
        """Solve for a target that moves: starts from the weights of the previous call and does not jump without need.

        Parameters
        ----------
        start : array or None, optional
            Weights to start from instead of those of the previous call.
        """
        held = self._held if start is None else np.ascontiguousarray(start, dtype=float)
        if held is not None and held.shape != (len(self),):
            raise ParameterError(f"start has one weight for each of {len(self)} examples; got shape {held.shape}.")
        solution = self._solve(constraints, k, "soft", combine, _COLD if held is None else held)
        self._held = solution.weights
        return solution

    def _solve(
        self,
        constraints: AnyConstraint | Sequence[AnyConstraint],
        k: int,
        mode: Mode,
        combine: Combine,
        warm: Floats,
    ) -> BlendSolution:
        began = time.perf_counter()
        answers = self._ask(constraints, k, mode, combine, warm)
        if len(answers.weights) != 1:
            raise ParameterError(f"The constraints have {len(answers.weights)} targets each: use solve_batch for them.")
        norms = answers.norms[0]
        met = bool((norms <= answers.limits).all())
        return BlendSolution(
            self._set,
            answers.weights[0],
            tuple((norms * answers.factors).tolist()),
            answers.units,
            met,
            0.0 if met else 1e3 * float(answers.left[0]),
            int(answers.iterations[0]),
            time.perf_counter() - began,
        )

    def solve_batch(
        self,
        constraints: AnyConstraint | Sequence[AnyConstraint],
        k: int = 8,
        mode: Mode = "soft",
        combine: Combine = "squares",
    ) -> BlendSolutionBatch:
        """Many problems at once: targets with one row for each, such as ``AtPoint("RightHand", points)`` for (n, 3).

        A target with one row serves all problems.
        """
        began = time.perf_counter()
        answers = self._ask(constraints, k, mode, combine, _COLD)
        met = np.asarray((answers.norms <= answers.limits).all(axis=1))
        return BlendSolutionBatch(
            self._set,
            answers.weights,
            answers.norms * answers.factors,
            answers.units,
            met,
            np.where(met, 0.0, 1e3 * answers.left),
            answers.iterations,
            time.perf_counter() - began,
        )

    def _ask(
        self,
        constraints: AnyConstraint | Sequence[AnyConstraint],
        k: int,
        mode: Mode,
        combine: Combine,
        warm: Floats,
    ) -> _Answers:
        asked = [constraints] if isinstance(constraints, Constraint | Custom) else list(constraints)
        if not asked:
            raise ParameterError("There is nothing to aim at: give at least one constraint, such as AtPoint.")
        if mode not in _MODES or combine not in _LEAST_NORM:
            raise ParameterError(
                f'mode is "soft", "hard" or "rbf" and combine "squares" or "norms"; got {mode!r} and {combine!r}.'
            )
        if not (isinstance(k, int | np.integer) and k >= 1):
            raise ParameterError(f"k is a number of examples, 1 or more, not {k!r}.")
        plain = [c for c in asked if isinstance(c, Constraint)]
        customs = [c for c in asked if isinstance(c, Custom)]
        if len(plain) + len(customs) != len(asked):
            strange = next(c for c in asked if not isinstance(c, Constraint | Custom))
            raise ParameterError(f"Constraints are AtPoint, OnLine, Facing ...; got {type(strange).__name__}.")
        layout = self._layout(plain)
        measured = [MeasuredConstraint(self._set, custom) for custom in customs]
        aims = layout.aims(plain)
        problems = len(aims)
        weights, norms = np.empty((problems, len(self))), np.empty((problems, len(layout.owners) + len(customs)))
        left, taken = np.empty(problems), np.empty(problems, dtype=np.int64)
        settings = SearchSettings(int(k), _MODES[mode], _LEAST_NORM[combine])
        if customs:
            for number in range(problems):
                search = CustomSearch(layout, aims[number], measured, settings)
                weights[number], norms[number], left[number], taken[number] = search.solve(len(self), warm, number)
        else:
            solver_kernels.load().solve(
                layout.plain_chains, layout.plain_rows, layout.packed.examples, aims, tuple(settings), warm,
                (weights, norms, left, taken),
            )  # fmt: skip
        worst = layout.by_constraint(norms)
        if not customs:
            return _Answers(weights, worst, left, taken, layout.limits, layout.factors, layout.units)
        order = np.argsort([isinstance(c, Custom) for c in asked], kind="stable")  # as the solver has them
        limits = np.array([1e-3 * NEAR_MM / c.scale if c.gain > 0.0 else np.inf for c in measured])
        back = np.argsort(order, kind="stable")
        return _Answers(
            weights,
            worst[:, back],
            left,
            taken,
            np.concatenate([layout.limits, limits])[back],
            np.concatenate([layout.factors, np.ones(len(customs))])[back],
            tuple(c.unit for c in asked),
        )

    def _layout(self, constraints: Sequence[Constraint]) -> ConstraintLayout:
        key = tuple([c.key for c in constraints])
        layout = self._layouts.get(key)
        if layout is None:
            layout = make_layout(self._set, constraints, self._pack, NEAR_MM, NEAR_DEG)
            _cache(self._layouts, key, layout)
        return layout

    def _pack(self, probes: tuple[Probe, ...]) -> PackedChains:
        packed = self._chains.get(probes)
        if packed is None:
            packed = pack_chains(self._set, probes)
            _cache(self._chains, probes, packed)
        return packed


def _cache(cache: dict[Any, Any], key: Any, value: Any) -> None:
    """Cache a value; the oldest one goes first."""
    if len(cache) >= _MOST_CACHED:
        cache.pop(next(iter(cache)))
    cache[key] = value
