r"""A plan for the body as a whole: where its centre of mass can go, and how it must rotate, to stay on its feet.

==========  =========================================================================
ComPlan     paths of the centre of mass and of the angular momentum that forces can bring about
ComPlanner  makes the plan nearest to a motion, from any moment and any state on
PlanStart   such a state
Support     where the ground carries the body, frame by frame
==========  =========================================================================

The filter of [pollard] looks at one frame at a time and cannot know that a foot will leave the ground in a tenth of a
second; the paper nudges the centre of mass towards the centre of support by a hand-set amount. Here two small
quadratic programs look ahead over the whole clip.

*Vertical.* Heights c near those of the data, with the ground never pulling (:math:`\ddot c \ge -g` with a little to
spare) and free fall in flight.

*Horizontal.* With :math:`\gamma = \ddot c_y + g` known, the centre of pressure p is linear in what is left:

.. math:: \gamma\, p_x = \gamma\, c_x - (c_y - h)\, \ddot c_x + (\dot L_z + \ddot\theta_x) / m

Paths c near the data and a deviation :math:`\theta` of the angular momentum, integrated twice, are chosen so that p
stays in the hull of the points that touch, horizontal forces in the friction pyramid, and both are zero in flight.
Every limit is soft: a plan always exists, and where it breaks them is reported.

Notes
-----
Deviation from the paper: its mix of centre of mass and centre of support stays available (``plan=False``). Of 60 random
double kicks the gains of Figure 6 without a plan let 39 fall, with nothing holding the root
(``benchmarks/quality_filter.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetune.physics.frame.soft_programs import SoftProgram, apply_transposed, bands_of, second_differences
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.rotations import Floats

MARGIN = 0.01
"""How far inside the hull the centre of pressure should stay, in metres."""
FRICTION_SHARE = 0.8
"""How much of the friction the plan uses; the rest is left to the filter's corrections."""
_LEAST_LOAD = 0.5  # m/s^2: feet that stand press at least this much per kilogram
# Weights of deviations: accelerations against positions, momentum, its integral, and breaking a limit.
_W_ACCELERATION = 1e-3
_W_MOMENTUM = 5.0
_W_TURN = 60.0
_W_TWIST = 1e-6
_W_END = 50.0
_W_TURN_END = 1000.0
_FALL_S = 0.3  # seconds in which an inverted pendulum of a body's height falls by a factor e
_W_LIMIT = 1e4
_OUTWARD = np.array([1.0, -1.0])
_KNOT_S = 1.0 / 60.0
_NEAR_S = 0.25
_W_SLIP = 1e2
_W_LIFT = 100.0


@dataclass(frozen=True, eq=False)
class Support:
    """Where the ground carries the body.

    hulls : for each frame, corners (k, 2) in x and z of what it stands on, in order around; none in flight.
    height : (frames,) of the ground there in metres.
    spread : (frames,) the mean distance of the points that press from their middle, in metres: the arm by which
        friction can turn the body about the vertical.
    """

    hulls: Sequence[Floats]
    height: Floats
    spread: Floats

    @property
    def stands(self) -> NDArray[np.bool_]:
        """(frames,) whether anything touches the ground."""
        return np.array([len(hull) > 0 for hull in self.hulls])

    def moved(self, turn: Floats, shift: Floats) -> Support:
        """The same support, turned about the vertical at the origin (frames,) in radians and shifted (frames, 3)."""
        sizes = [len(hull) for hull in self.hulls]
        corners = np.concatenate([np.reshape(hull, (-1, 2)) for hull in self.hulls])
        frame = np.repeat(np.arange(len(sizes)), sizes)
        c, s = np.cos(turn)[frame], np.sin(turn)[frame]
        x, z = corners[:, 0], corners[:, 1]
        placed = np.stack([c * x + s * z, c * z - s * x], axis=1) + shift[frame][:, [0, 2]]
        return Support(np.split(placed, np.cumsum(sizes)[:-1]), self.height, self.spread)


class PlanStart(NamedTuple):
    """Where a body is when a plan is made, (3,) each.

    com, velocity : its centre of mass. momentum : its angular momentum beyond that of the motion, kg m^2/s.
    turned : how far it is turned against the motion, as an angle times its inertia, kg m^2.
    """

    com: Floats
    velocity: Floats
    momentum: Floats
    turned: Floats


@dataclass(frozen=True, eq=False)
class ComPlan:
    """What the body as a whole should do from some moment on, (frames, ...) each.

    com, com_V, com_A : the centre of mass, its velocity and acceleration; Euler steps along them.
    momentum_rate : of the angular momentum about it in N m.
    outside : how far the centre of pressure would have to leave the support, in metres.
    slip : horizontal force beyond friction. lift : vertical force that nothing supplies. In body weights.
    """

    com: Floats
    com_V: Floats
    com_A: Floats
    momentum_rate: Floats
    outside: Floats
    slip: Floats
    lift: Floats


class ComPlanner:
    """Plans for one motion, from any moment of it on.

    Parameters
    ----------
    com : (frames, 3) of the motion. momentum_rate : (frames, 3) of its angular momentum, N m.
    support : where it stands. rate : frames per second. mass : kilograms. mu : friction.

    Notes
    -----
    The near future is planned frame by frame, the farther one in steps of two frames: what comes late matters for where
    to go, but not how exactly. Frames closer than 1/60 s are taken together.
    """

    def __init__(
        self, com: Floats, momentum_rate: Floats, support: Support, *, rate: float, mass: float, mu: float
    ) -> None:
        self._planes = [_half_planes(hull) for hull in support.hulls]
        self.com, self.momentum_rate, self.support = com, momentum_rate, support
        self.rate, self.mass, self.mu = rate, mass, mu
        self._stands = support.stands
        self._grids: dict[bytes, _Grid] = {}
        self._summed = np.vstack([np.zeros((1, 3)), np.cumsum(momentum_rate, axis=0)])

    def along(self, com: Floats, momentum_rate: Floats) -> ComPlanner:
        """A planner for another motion on the same support."""
        other = copy(self)
        other.com, other.momentum_rate = com, momentum_rate
        other._summed = np.vstack([np.zeros((1, 3)), np.cumsum(momentum_rate, axis=0)])
        return other

    def plan(self, first: int, count: int, start: PlanStart, *, near_s: float = _NEAR_S) -> ComPlan:
        """The plan nearest to the motion for ``count`` frames from frame ``first`` on, given the state of the body.

        near_s : how many seconds are planned frame by frame.
        """
        last = min(first + count, len(self.com))
        frames, knots = np.arange(first, last), self._knots(first, last, near_s)
        if len(knots) < 4:  # too short to plan: go on as the motion does
            nothing = np.zeros(len(frames))
            speed = np.gradient(self.com[frames], 1.0 / self.rate, axis=0) if len(frames) > 1 else np.zeros((1, 3))
            still = np.zeros((len(frames), 3))
            return ComPlan(self.com[frames], speed, still, self.momentum_rate[frames], nothing, nothing, nothing)
        steps = np.diff(knots) / self.rate
        grid = self._grids.get(steps.tobytes())
        if grid is None:
            grid = self._grids[steps.tobytes()] = _Grid(steps)
        height, push, lift = self._height(knots, grid, start)
        level, twist, outside, slip = self._floor(knots, grid, start, height, push)
        at = np.minimum(np.searchsorted(knots, frames, side="right") - 1, len(push) - 1)
        change = np.stack([level[0], push, level[1]], axis=1)[at]
        speed = start.velocity + np.vstack([np.zeros((1, 3)), np.cumsum(change[:-1], axis=0)]) / self.rate
        path = start.com + np.vstack([np.zeros((1, 3)), np.cumsum(speed[:-1], axis=0)]) / self.rate
        turning = self.momentum_rate[frames].copy()
        turning[:, 2] += self.mass * twist[0][at]
        turning[:, 0] -= self.mass * twist[1][at]
        return ComPlan(path, speed, change, turning, outside[at], slip[at], lift[at])

    def _knots(self, first: int, last: int, near_s: float) -> NDArray[np.intp]:
        step = max(1, round(_KNOT_S * self.rate))
        near = first + round(near_s * self.rate)
        return np.concatenate([np.arange(first, min(near, last), step), np.arange(near, last, 2 * step)])

    def _height(self, knots: NDArray[np.intp], grid: _Grid, start: PlanStart) -> tuple[Floats, Floats, Floats]:
        """Heights (knots,), vertical accelerations and the missing lift in weights (knots - 2,)."""
        data = self.com[knots, 1]
        stands = self._stands[knots[:-2]]
        pressed, aloft = np.flatnonzero(stands), np.flatnonzero(~stands)
        program = SoftProgram([grid.near], grid.pull(data))
        program.fix(*_begin(0), np.array([start.com[1], start.com[1] + start.velocity[1] * grid.steps[0]]))
        fall = program.want(*grid.bend(aloft), np.full(len(aloft), -GRAVITY), _W_LIFT)
        places, values = grid.bend(pressed)
        most = np.full(len(pressed), GRAVITY - _LEAST_LOAD)
        lift = program.limit(places, -values, most, _W_LIFT, np.arange(len(pressed)))
        height, slacks = program.solve()
        missing = np.zeros(len(stands))
        missing[aloft], missing[pressed] = np.abs(slacks[fall]), np.maximum(slacks[lift], 0.0)
        return height, grid.accelerations(height), missing / GRAVITY

    def _floor(
        self, knots: NDArray[np.intp], grid: _Grid, start: PlanStart, height: Floats, push: Floats
    ) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats], Floats, Floats]:
        """Accelerations along x and z, second derivatives of the turning, and how far limits are broken."""
        size, count = len(knots), len(knots) - 2
        load = np.maximum(push + GRAVITY, 0.0)
        lever = (height - self.support.height[knots])[:count]
        stands = self._stands[knots[:count]]
        pressed, aloft = np.flatnonzero(stands), np.flatnonzero(~stands)
        # Means over each step: the data swing by hundreds of newton metres from frame to frame.
        rates = (self._summed[knots[1:]] - self._summed[knots[:-1]]) / np.diff(knots)[:, None] / self.mass
        spin = (rates[:count, 2], -rates[:count, 0])
        # Variables: x, z, turning about z (moves p along x), turning about -x (moves p along z), (knots,) each.
        pull = [grid.pull(self.com[knots, 0]), grid.pull(self.com[knots, 2]), np.zeros(2 * size)]
        program = SoftProgram([grid.near, grid.near, grid.turning, grid.turning], np.concatenate(pull))
        ahead = start.com + start.velocity * grid.steps[0]
        turned = np.array([start.turned[2], -start.turned[0]]) / self.mass
        later = turned + np.array([start.momentum[2], -start.momentum[0]]) / self.mass * grid.steps[0]
        begin = ((start.com[0], ahead[0]), (start.com[2], ahead[2]), (turned[0], later[0]), (turned[1], later[1]))
        for block, pair in enumerate(begin):
            program.fix(*_begin(block * size), np.array(pair))
        wishes = []
        for block in range(4):
            equal = np.zeros(len(aloft)) if block < 2 else -spin[block - 2][aloft]
            places, values = grid.bend(aloft)
            wishes.append(program.want(places + block * size, values, equal, _W_SLIP if block < 2 else _W_LIMIT))
        normals, offsets, group = self._edges(knots[pressed])
        at = pressed[group]
        steps, bend = grid.bend(at)
        shift = -lever[at, None] * bend
        shift[:, 0] += load[at]
        places = np.concatenate([steps + block * size for block in range(4)], axis=1)
        values = np.concatenate([normals[:, k, None] * part for part in (shift, bend) for k in (0, 1)], axis=1)
        room = offsets * load[at] - normals[:, 0] * spin[0][at] - normals[:, 1] * spin[1][at]
        hull = program.limit(places, values, room, _W_LIMIT, group)
        steps, bend = grid.bend(pressed)
        both = np.concatenate([steps, steps + size], axis=1)
        signs = [(a, b) for a in (1.0, -1.0) for b in (1.0, -1.0)]
        corner = np.concatenate([np.concatenate([a * bend, b * bend], axis=1) for a, b in signs])
        grip = np.tile(FRICTION_SHARE * self.mu * load[pressed], 4)
        slid = program.limit(np.tile(both, (4, 1)), corner, grip, _W_SLIP, np.tile(np.arange(len(pressed)), 4))
        x, slacks = program.solve()
        bent = [grid.accelerations(path) for path in x.reshape(4, size)]
        outside, slip = np.zeros(count), np.zeros(count)
        outside[pressed] = np.maximum(slacks[hull], 0.0) / np.maximum(load[pressed], _LEAST_LOAD)
        slip[pressed] = np.maximum(slacks[slid], 0.0) / GRAVITY
        slip[aloft] = np.hypot(slacks[wishes[0]], slacks[wishes[1]]) / GRAVITY
        return (bent[0], bent[1]), (bent[2], bent[3]), outside, slip

    def _edges(self, frames: NDArray[np.intp]) -> tuple[Floats, Floats, NDArray[np.intp]]:
        """Half-planes of the hulls of some frames: normals (n, 2), offsets (n,), and which of the frames each is of."""
        parts = [self._planes[frame] for frame in frames.tolist()]
        if not parts:
            return np.zeros((0, 2)), np.zeros(0), np.zeros(0, dtype=np.intp)
        group = np.repeat(np.arange(len(parts)), [len(offsets) for _, offsets in parts])
        return np.concatenate([n for n, _ in parts]), np.concatenate([o for _, o in parts]), group


class _Grid:
    """The knots of a plan in time: differences, and what it costs to leave the motion.

    steps : (knots - 1,) seconds between them.
    """

    def __init__(self, steps: Floats) -> None:
        self.steps = steps
        self.size = len(steps) + 1
        self.rows = second_differences(steps)
        self.share = steps[:-1] * 60.0  # costs are sums over sixtieths of a second
        slow = np.append(steps, steps[-1]) * 60.0
        # A body that leaves goes on leaving: the price of the place that an inverted pendulum would fall to.
        self.end = np.array([-_FALL_S / steps[-1], 1.0 + _FALL_S / steps[-1]])
        self.near = bands_of(self.rows, _W_ACCELERATION * self.share, self.size)
        self.near[0] += slow
        self.places_cost = slow
        self.turning = bands_of(self.rows, _W_TWIST * self.share, self.size)
        speed = np.stack([-1.0 / steps, 1.0 / steps], axis=1)
        for band, more in zip(self.turning, bands_of(speed, _W_MOMENTUM * steps * 60.0, self.size), strict=False):
            band += more
        self.turning[0] += _W_TURN * slow
        for bands, weight in ((self.near, _W_END), (self.turning, _W_TURN_END)):
            bands[0][-2:] += weight * self.end**2
            bands[1][-1] += weight * self.end[0] * self.end[1]

    def accelerations(self, path: Floats) -> Floats:
        """(knots - 2,) of a path (knots,)."""
        return self.rows[:, 0] * path[:-2] + self.rows[:, 1] * path[1:-1] + self.rows[:, 2] * path[2:]

    def bend(self, at: NDArray[np.intp]) -> tuple[NDArray[np.intp], Floats]:
        """Places and values (n, 3) of rows that take the accelerations at some knots."""
        return at[:, None] + np.arange(3), self.rows[at]

    def pull(self, data: Floats) -> Floats:
        """The linear term that makes the data the cheapest path."""
        bent = _W_ACCELERATION * self.share * self.accelerations(data)
        pull = -self.places_cost * data - apply_transposed(self.rows, bent, self.size)
        pull[-2:] -= _W_END * self.end * float(self.end @ data[-2:])
        return pull


def _begin(offset: int) -> tuple[NDArray[np.intp], Floats]:
    """Rows that name the first two variables of a block."""
    return np.array([[offset], [offset + 1]]), np.ones((2, 1))


def _half_planes(hull: Floats) -> tuple[Floats, Floats]:
    """Outward normals (n, 2) and offsets (n,) of the edges of a hull, moved inwards by the margin.

    A thin hull keeps half of its breadth: the margin is at most half the distance of an edge from the centroid.
    """
    if len(hull) == 0:
        return np.zeros((0, 2)), np.zeros(0)
    edges = np.concatenate([hull[1:], hull[:1]]) - hull
    if len(hull) == 1:
        out, at = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]), np.repeat(hull, 4, axis=0)
    elif len(hull) == 2:
        along = edges[0] / np.linalg.norm(edges[0])
        across = np.array([along[1], -along[0]])
        out, at = np.stack([along, -along, across, -across]), hull[[1, 0, 0, 0]]
    else:
        lengths = np.sqrt(edges[:, 0] ** 2 + edges[:, 1] ** 2)[:, None]
        out, at = edges[:, ::-1] * _OUTWARD / lengths, hull
    offset = out[:, 0] * at[:, 0] + out[:, 1] * at[:, 1]
    depth = offset - out @ (hull.sum(axis=0) / len(hull))
    return out, offset - np.minimum(MARGIN, 0.5 * depth)


def convex_hull(points: Floats) -> Floats:
    """The corners (k, 2) of the convex hull of points (n, 2), counter-clockwise, by Andrew's monotone chain."""
    order = sorted(set(map(tuple, points.tolist())))
    if len(order) < 3:
        return np.array(order).reshape(-1, 2)

    def chain(walk: list[tuple[float, float]]) -> list[tuple[float, float]]:
        hull: list[tuple[float, float]] = []
        for x, y in walk:
            while len(hull) > 1 and (hull[-1][0] - hull[-2][0]) * (y - hull[-2][1]) <= (hull[-1][1] - hull[-2][1]) * (
                x - hull[-2][0]
            ):
                hull.pop()
            hull.append((x, y))
        return hull[:-1]

    return np.array(chain(order) + chain(order[::-1]))
