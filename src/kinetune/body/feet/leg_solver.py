"""Legs and pelvis over time: one least-squares problem for the paths of the pelvis and of both ankles.

===========  ==================================================================================
LegGoals     what is asked of one leg
LegWeights   what counts how much
solve_legs   the shifts of pelvis and ankles that meet all of it best
===========  ==================================================================================

A foot that is moved by a millimetre changes the bend of a leg that is nearly straight by degrees. So the angular
acceleration of the knees is weighed against everything else, over the whole clip and for all legs at once: the pelvis
gives way a little and smoothly, a swing is corrected over its whole length, and knees neither pop nor lock nor bend
backward.

Lengths are those of a person with legs of 0.9 m; :func:`solve_legs` scales them. A weight on a difference of order n
is given as a time s and becomes ``(s fps)^(2 n)``, so that it means the same at every frame rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetune.body.feet.standing_foot import ease, firmness, lead_over
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats
from kinetune.signals.filters import gaussian
from kinetune.signals.flag_ranges import true_ranges
from kinetune.signals.resampling import interpolate
from kinetune.trajectory.gauss_newton import minimize
from kinetune.trajectory.normal_equations import NormalEquations

_kernels = Kernels("kinetune.body.feet.leg_kernels")

MOST_BEND = float(np.deg2rad(150.0))

_COARSE_HZ = 40.0
_FREE_ROUNDS, _COARSE_ROUNDS, _FINE_ROUNDS = 7, 2, 4
_CALM_S = 0.02
_STRAIN, _STRAIN_S, _MOST_FIRM = float(np.deg2rad(5.0)), 0.05, 400.0
_WALL_MARGIN = float(np.deg2rad(0.05))
_FLOOR_MARGIN_M = 0.002
_LEFT = 1e9


@dataclass(frozen=True)
class LegWeights:
    """What counts how much, relative to a metre by which the pelvis moves.

    pelvis_smooth_s, foot_smooth_s, knee_smooth_s : corrections faster than this are smoothed away.
    stay : the pelvis stays where it is.
    swing : a foot in the air keeps its position relative to the pelvis.
    place : a stance stays where the edit has put it.
    hold : a foot that stands does so.
    knee, swing_knee : a knee keeps its angle, of a leg that stands and of one in the air.
    knee_m : the metres that weigh as much as a radian of knee.
    least_bend : a knee does not straighten further. clear : a swinging sole keeps off the floor.
    straight : a knee straighter than this counts by the length of its leg, not by its angle, in radians.
    """

    pelvis_smooth_s: float = 0.10
    stay: float = 1.0
    swing: float = 0.25
    foot_smooth_s: float = 0.07
    place: float = 4.0
    hold: float = 60.0**2
    knee: float = 8.0
    swing_knee: float = 30.0
    knee_m: float = 0.25
    knee_smooth_s: float = 0.08
    least_bend: float = 8.0**2
    clear: float = 60.0**2
    straight: float = float(np.deg2rad(5.0))
    damping: float = 0.2


@dataclass(frozen=True)
class LegGoals:
    """What is asked of one leg, in metres and radians.

    hip, ankle : (frames, 3) where they are.
    upper, lower : (frames,) lengths of thigh and shank.
    down : (frames,) how sure it is that the foot stands, in [0, 1].
    path : (frames, 3) where its ankle goes then, but for a shift along the floor of each stance.
    bend : (frames,) how the knee should be bent. strain : (frames,) how far that is from the bend that it has.
    least : how straight it may become.
    rise : (frames,) how far a foot in the air must rise at least.
    """

    hip: Floats
    ankle: Floats
    upper: Floats
    lower: Floats
    down: Floats
    path: Floats
    bend: Floats
    strain: Floats
    least: float
    rise: Floats


class LegRows(NamedTuple):
    """What the kernel needs of one leg, in units of a person's size: arrays of frames, then numbers.

    arm : from ankle to hip. apart : from ankle to path. target, hold : where an ankle is held, and how firmly.
    follow : how firmly a foot keeps to the pelvis. still : how firmly it is kept from sliding since the frame before.
    firm : how much the knee counts; knee : how much its angle does. at_wall, at_floor : which limits push, changed
        from round to round.
    off, slopes, weight, spread : working memory, (frames,), (frames, 6), (frames,) and (3, frames).
    """

    arm: Floats
    upper: Floats
    lower: Floats
    goal: Floats
    least: Floats
    firm: Floats
    knee: Floats
    apart: Floats
    target: Floats
    hold: Floats
    follow: Floats
    still: Floats
    rise: Floats
    at_wall: NDArray[np.bool_]
    at_floor: NDArray[np.bool_]
    off: Floats
    slopes: Floats
    weight: Floats
    spread: Floats
    smooth: float
    wall: float
    clear: float
    wall_margin: float
    floor_margin: float
    straight: float
    most: float


def solve_legs(
    legs: Sequence[LegGoals],
    fps: float,
    size: float,
    *,
    pelvis_m: float = np.inf,
    travel: float = 0.0,
    weights: LegWeights | None = None,
    pinned: bool = False,
    exact: bool = False,
    against: Floats | None = None,
    left: NDArray[np.bool_] | None = None,
) -> Floats:
    """How pelvis and ankles move, (frames, 3 + 3 legs) metres: the shift of the pelvis, then that of each ankle.

    Parameters
    ----------
    legs : sequence of LegGoals
        One or more.
    fps : float
        Frames per second.
    size : float
        Leg length over that of a person.
    pelvis_m : float
        How far the pelvis may move at most; 0 keeps it.
    travel : float
        From 0 to 1: how much of a steady slide the path of the whole character takes up.
    pinned : bool
        Whether stances are held where their paths are, with no freedom to move along the floor.
    exact : bool
        Whether they are held from their first frame to their last, for a caller that puts feet there to the last digit:
        knees must then know of it. Otherwise feet land and leave softly.
    against : array, shape (frames, 3)
        An acceleration of the pelvis in m/s^2 that its shift should cancel; none by default.
    left : array, shape (frames,)
        Frames in which nothing moves; none by default. A stance that reaches into them stands where it does there.

    Notes
    -----
    Gauss-Newton (:mod:`kinetune.trajectory`). At first a stance is free to move along the floor and only kept from
    sliding; then it is held where it has come to rest. The first rounds see every few frames only.
    """
    every = max(1, round(fps / _COARSE_HZ))
    fine = _Problem([_scaled(leg, 1.0 / size) for leg in legs], fps, pelvis_m / size, travel, weights or LegWeights())
    fine.exact = exact
    if against is not None:
        fine.offset = _twice_summed(against / size, fps)
    fine.left = left
    coarse = fine if every == 1 or fine.frames < 8 * every else fine.sampled(every)
    x = coarse.start if pinned else coarse.solved(coarse.start, _FREE_ROUNDS, free=True)
    if coarse is not fine:
        x = fine.between(coarse.solved(x, _COARSE_ROUNDS, free=False), every)
    return fine.within(fine.solved(x, _FINE_ROUNDS, free=False)) * size


def _twice_summed(acceleration: Floats, fps: float) -> Floats:
    """A path (frames, 3) with an acceleration, from rest."""
    path = np.zeros_like(acceleration)
    path[2:] = np.cumsum(np.cumsum(acceleration[1:-1], axis=0), axis=0) / fps**2
    return path


def _scaled(leg: LegGoals, scale: float) -> LegGoals:
    lengths = {name: scale * getattr(leg, name) for name in ("hip", "ankle", "upper", "lower", "path", "rise")}
    return replace(leg, **lengths)


class _Problem:
    """The residuals, for legs of a person's size."""

    def __init__(
        self, legs: Sequence[LegGoals], fps: float, pelvis_m: float, travel: float, weights: LegWeights
    ) -> None:
        self.legs, self.fps, self.pelvis_m, self.travel, self.weights = legs, fps, pelvis_m, travel, weights
        self.frames, self.columns = len(legs[0].hip), 3 + 3 * len(legs)
        self.free, self.exact = True, False
        self.offset: Floats | None = None
        self.left: NDArray[np.bool_] | None = None
        self.rows: list[LegRows] = []
        self.grips = [firmness(leg.down, fps) for leg in legs]
        self.knees = [self._knee(leg) for leg in legs]
        self.start, self.rough = self._start()
        self.firm_pelvis = self._firm_pelvis()
        self.jerk = self._jerk()

    def sampled(self, every: int) -> _Problem:
        """The same problem for every few frames only."""
        names = ("hip", "ankle", "upper", "lower", "down", "path", "bend", "strain", "rise")
        legs = [replace(leg, **{name: getattr(leg, name)[::every] for name in names}) for leg in self.legs]
        problem = _Problem(legs, self.fps / every, self.pelvis_m, self.travel, self.weights)
        problem.exact = self.exact
        problem.offset = None if self.offset is None else self.offset[::every]
        problem.left = None if self.left is None else self.left[::every]
        return problem

    def between(self, x: Floats, every: int) -> Floats:
        """A solution for every few frames, with the frames between them."""
        return interpolate(x, np.arange(self.frames) / every)

    def _firm_pelvis(self) -> Floats:
        """How much stiffer the pelvis is than usual, (frames, 1): a knee held back from an edit does not shake it."""
        strains = [(1.0 - grip) * np.abs(leg.strain) / _STRAIN for leg, grip in zip(self.legs, self.grips, strict=True)]
        most = np.minimum(np.max(strains, axis=0) ** 2, _MOST_FIRM)
        return 1.0 + (gaussian(most, self.fps, _STRAIN_S, ends="held") if self.frames > 3 else most)[:, None]

    def _jerk(self) -> Floats:
        """What the jerk of each unknown costs, (frames, columns).

        Nothing up and down where a foot stands firmly: captured feet hop a little, and a hop that is not shared by the
        pelvis is taken out by the foot, or else the knee would take it up.
        """
        cost = np.zeros((self.frames, self.columns))
        cost[:, 3:] = self.weights.swing * (self.weights.foot_smooth_s * self.fps) ** 6
        for number, grip in enumerate(self.grips):
            loose = np.append(1.0 - grip, [0.0] * 3)
            cost[:, 4 + 3 * number] *= np.max([loose[k : k + self.frames] for k in range(4)], axis=0)
        return cost

    def _start(self) -> tuple[Floats, Floats]:
        """Corrections of the stances, led over the swings; and what of them is noise.

        The noise that a stance takes out must not set the speed with which a swing begins, and is let go as softly as
        the foot is: the last frames of a stance are often the roughest.
        """
        start, rough = (np.zeros((self.frames, self.columns)) for _ in range(2))
        for number, leg in enumerate(self.legs):
            at, apart = slice(3 + 3 * number, 6 + 3 * number), leg.path - leg.ankle
            start[:, at] = calm = lead_over(apart, leg.down, self.fps, self.weights.foot_smooth_s)
            if self.frames > 3:
                calm = gaussian(calm, self.fps, _CALM_S, ends="held")
            rough[:, at] = self.grips[number][:, None] * (apart - calm)
        return start, rough

    def solved(self, x: Floats, rounds: int, *, free: bool) -> Floats:
        """The solution from a start, with stances free to move along the floor or held where they are in it."""
        self.free = free
        self.rows = [self._rows(number, x[:, 3 + 3 * number : 6 + 3 * number]) for number in range(len(self.legs))]
        damping = np.full(self.columns, self.weights.damping)
        damping[np.arange(self.columns) % 3 != 1] *= 1.0 - self.travel * (1.0 - 1e-4)  # a path may go far
        return minimize(
            self.linearize,
            x,
            reach=3,
            rounds=rounds,
            tolerance=0.0,  # as many rounds for a scene that is turned
            damping=damping,
            monotone=False,
        ).x

    def _knee(self, leg: LegGoals) -> tuple[Floats, Floats, Floats]:
        """The goal and the least bend of a knee as the rows count them, and how far its leg is unfolded, (frames,).

        A leg folded up, ankle at the hip, has no direction in which to change its length: it keeps its pose.
        """
        unfolded = ease((np.deg2rad(125.0) - leg.bend) / np.deg2rad(35.0))
        lengths = np.ascontiguousarray(leg.upper), np.ascontiguousarray(leg.lower)
        goal, least = (
            bend_along(_reach_at(bend, *lengths), *lengths, self.weights.straight)[0]
            for bend in (leg.bend, np.full(self.frames, leg.least))
        )
        return goal, least, unfolded

    def _rows(self, number: int, foot: Floats) -> LegRows:
        leg, weights = self.legs[number], self.weights
        level = np.array([1.0, 0.0, 1.0])
        down, (goal, least, unfolded) = leg.down, self.knees[number]
        apart = leg.path - leg.ankle
        firm = down if self.exact else self.grips[number]
        grip = (weights.hold * firm)[:, None]
        place = weights.place * down[:, None] * level
        follow = ((1.0 - down) * (weights.swing + 300.0 * (1.0 - unfolded)))[:, None] + self.travel * place
        target, hold, still = apart.copy(), np.broadcast_to(grip, (self.frames, 3)).copy(), np.zeros(self.frames)
        if self.free:
            target[:, [0, 2]] = 0.0
            hold = np.where(level > 0.0, (1.0 - self.travel) * place, hold)
            still[1:] = 100.0 * np.minimum(grip[1:, 0], grip[:-1, 0])
        else:
            moved = foot - apart
            for start, stop in true_ranges(down > 0.0):
                share = down[start:stop, None] / down[start:stop].sum()
                target[start:stop, [0, 2]] += (share * moved[start:stop, [0, 2]]).sum(axis=0)
        return LegRows(
            np.ascontiguousarray(leg.hip - leg.ankle),
            np.ascontiguousarray(leg.upper),
            np.ascontiguousarray(leg.lower),
            goal,
            least,
            weights.knee_m**2 * unfolded,
            weights.swing_knee + firm * (weights.knee - weights.swing_knee),
            apart,
            target,
            np.ascontiguousarray(hold),
            np.require(np.broadcast_to(follow, (self.frames, 3)), float, ("C", "W")),
            still,
            np.where(down > 0.0, -np.inf, leg.rise),
            np.zeros(self.frames, dtype=bool),
            np.zeros(self.frames, dtype=bool),
            np.empty(self.frames),
            np.empty((self.frames, 6)),
            np.empty(self.frames),
            np.empty((3, self.frames)),
            (weights.knee_smooth_s * self.fps) ** 4,
            weights.least_bend * weights.knee_m**2,
            weights.clear,
            _WALL_MARGIN,
            _FLOOR_MARGIN_M,
            weights.straight,
            MOST_BEND,
        )

    def linearize(self, x: Floats, equations: NormalEquations) -> None:
        """Add all residuals."""
        weights, level = self.weights, np.array([1.0, 0.0, 1.0])
        equations.add_differences(x - self.rough, 3, self.jerk)
        if self.left is not None:
            equations.add_differences(x, 0, np.where(self.left[:, None], _LEFT, 0.0))
        for number, rows in enumerate(self.rows):
            cost = _kernels.load().add_leg(equations.h, equations.gradient, x, rows, 3 + 3 * number)
            equations.cost += cost
        if self.pelvis_m == 0.0:
            equations.add(x[:, :3], np.eye(3), weight=1e12, columns=(0, 1, 2))
            return
        stay, smooth, steady = (np.zeros(self.columns) for _ in range(3))
        stay[:3] = weights.stay * (1.0 - self.travel * (1.0 - 1e-4) * level)
        smooth[:3] = (weights.pelvis_smooth_s * self.fps) ** 4
        equations.add_differences(x, 0, stay)
        led = x
        if self.offset is not None:
            led = np.concatenate([x[:, :3] + self.offset, x[:, 3:]], axis=1)
        equations.add_differences(led, 2, smooth * self.firm_pelvis)
        if self.travel:
            steady[:3] = level * self.travel * 0.002 * (0.5 * self.fps) ** 2
            equations.add_differences(x, 1, steady)
        elif not self.free:
            length = np.linalg.norm(x[:, :3], axis=1, keepdims=True)
            beyond = length - 0.95 * self.pelvis_m
            if np.any(beyond > 0.0):
                along = x[:, None, :3] / np.maximum(length, 1e-9)[:, :, None]
                equations.add(beyond, along, weight=np.where(beyond > 0.0, weights.hold, 0.0), columns=(0, 1, 2))

    def within(self, x: Floats) -> Floats:
        """The solution with the pelvis within its bound to the last digit."""
        shift = x[:, 1:2] if self.travel else x[:, :3]
        length = np.linalg.norm(shift, axis=1, keepdims=True)
        shift *= np.minimum(1.0, self.pelvis_m / np.maximum(length, 1e-12))
        return x


def bend_along(length: Floats, upper: Floats, lower: Floats, straight: float) -> tuple[Floats, Floats]:
    """The flexion (frames,) of a knee for its distances from hip to ankle, and its slope."""
    bend, slope = np.empty(len(length)), np.empty(len(length))
    _kernels.load().bend_along(length, upper, lower, straight, MOST_BEND, bend, slope)
    return bend, slope


def _reach_at(bend: Floats, upper: Floats, lower: Floats) -> Floats:
    """The distance from hip to ankle of a leg bent by an angle."""
    return np.sqrt(upper**2 + lower**2 + 2.0 * upper * lower * np.cos(bend))
