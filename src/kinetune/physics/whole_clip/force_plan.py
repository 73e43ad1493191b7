r"""The plan of a whole clip: a centre of mass, a tilt and contact forces that obey mechanics together.

===========  ==========================================================================================
ForcePlan    the result
Momentum     what a motion brings: centre of mass, angular momentum of half steps, inertia
ForceSites   where forces may act, and in which directions
plan_forces  the plan nearest to a motion
===========  ==========================================================================================

The steps are those of position Verlet, a variational integrator,

.. math:: m (c_{t+1} - 2 c_t + c_{t-1}) / \Delta t^2 = m g + \sum f_t, \quad
          (L_{t+1/2} - L_{t-1/2}) / \Delta t = \sum (p - c_t) \times f_t,

so that a force acts at its own frame, flight is a parabola in the written frames to the last digit, and errors are of
second order. The angular momentum is that of the motion plus that of a tilt of the whole body,
:math:`L = L^{ref} + I \dot\theta`. The product of lever arm and force is linearized about the plan before.
Derivation: docs/derivations/whole_clip.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetune.kernels.loader import Kernels
from kinetune.physics.ground import friction_pyramid
from kinetune.physics.model.body_model import Body
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges
from kinetune.trajectory.normal_equations import NormalEquations

Bools = NDArray[np.bool_]

_kernels = Kernels("kinetune.physics.whole_clip.force_plan_kernels")

_UP = np.array([0.0, 1.0, 0.0])
_SIDES = 4
_TOLERANCE, _MOST_ROUNDS = 1e-9, 60
_SLIDING_M_S, _FAST_M_S = 0.01, 0.1
_CHANGE_SHARE, _FLIGHT_SHARE = 0.25, 0.01
_LEAST_EDGE = 0.15  # of the full share of load, in the frame in which a point lands or leaves


@dataclass(frozen=True)
class PlanScales:
    """What a deviation costs 1 at, per sixtieth of a second.

    com_m, accel : of the centre of mass in metres, and of its acceleration in m/s^2.
    jerk : of a change of that acceleration, m/s^3; half as much where contacts change, little where flight begins or
        ends.
    tilt, tilt_speed, tilt_accel, tilt_jerk : of the whole body in radians, and per second to the first, second and
        third power. yaw : how much more easily it turns about the vertical, which disturbs no balance.
    force : a coefficient of a force in body weights; small, it spreads the load.
    edge_s : how long a point takes to be loaded after landing, and unloaded before it leaves.
    reach_m : of a leg beyond its length.
    """

    com_m: float = 0.03
    accel: float = 6.0
    jerk: float = 150.0
    tilt: float = 0.06
    tilt_speed: float = 0.6
    tilt_accel: float = 10.0
    tilt_jerk: float = 300.0
    yaw: float = 3.0
    force: float = 8.0
    edge_s: float = 0.08
    reach_m: float = 0.003


@dataclass(frozen=True, eq=False)
class Momentum:
    """The body as a whole.

    com : (frames, 3). spin : (frames - 1, 3) angular momentum about it between frames. inertia : (frames - 1, 3, 3).
    """

    com: Floats
    spin: Floats
    inertia: Floats

    def tilted(self, tilt: Floats, rate: float, sign: float = 1.0) -> Floats:
        """The angular momentum with that of a tilt (frames, 3) added, or taken away."""
        return np.asarray(self.spin + sign * np.einsum("tij,tj->ti", self.inertia, np.diff(tilt, axis=0) * rate))


@dataclass(frozen=True, eq=False)
class ForceSites:
    """Where forces may act.

    stand : (frames, points). targets, velocities, normals : (frames, points, 3) of the points that stand.
    mu : friction.
    """

    stand: Bools
    targets: Floats
    velocities: Floats
    normals: Floats
    mu: float


@dataclass(frozen=True, eq=False)
class LegLimits:
    """How far the centre of mass may go before a standing leg is too long: ``along . com <= room``.

    frame : (n,). along : (n, 3) unit vectors. room : (n,).
    """

    frame: NDArray[np.intp]
    along: Floats
    room: Floats


@dataclass(frozen=True, eq=False)
class ForcePlan:
    """What the body as a whole should do.

    com, tilt : (frames, 3). forces : (frames, points, 3) in body weights. help : (frames, 6) force and moment on the
    root that no contact gives, in body weights and body weights times height; zero unless it was allowed.
    rounds : of the solver.
    """

    com: Floats
    tilt: Floats
    forces: Floats
    help: Floats
    rounds: int


def plan_forces(
    body: Body,
    momentum: Momentum,
    reference: Floats,
    contacts: ForceSites,
    legs: LegLimits,
    rate: float,
    scales: PlanScales,
    *,
    before: ForcePlan | None = None,
    passes: int = 1,
    help_scale: float = 0.0,
) -> ForcePlan:
    """The plan nearest to a motion.

    Parameters
    ----------
    momentum : of the poses, their tilt taken away. reference : (frames, 3) the centre of mass of the motion as given.
    before : a plan to linearize about. passes : how often to plan, each time about the plan before.
    help_scale : force and moment in body weights (times height) at the root that cost 1; 0 for none.
    """
    program = _Program(body, momentum, reference, contacts, legs, rate, scales, help_scale)
    plan = before
    for _ in range(passes):
        plan = program.solve(plan)
    assert plan is not None
    return plan


class _Program:
    """The quadratic program of one clip, but for what it is linearized about."""

    def __init__(
        self,
        body: Body,
        momentum: Momentum,
        reference: Floats,
        contacts: ForceSites,
        legs: LegLimits,
        rate: float,
        scales: PlanScales,
        help_scale: float,
    ) -> None:
        self.body, self.momentum, self.reference, self.rate = body, momentum, reference, rate
        self.contacts, self.legs = contacts, legs
        frames, self.share = len(reference), 60.0 / rate
        frame, point = np.nonzero(contacts.stand)
        inner = (frame > 0) & (frame < frames - 1)
        self.frame, self.point = frame[inner], point[inner]
        at = (self.frame, self.point)
        self.directions = _directions(contacts.normals[at], contacts.velocities[at], contacts.mu)
        self.first = np.searchsorted(self.frame, np.arange(frames + 1)) * _SIDES
        eager = np.maximum(edge_shares(contacts.stand, rate, scales.edge_s)[at], _LEAST_EDGE)
        eager /= 1.0 + (np.linalg.norm(contacts.velocities[at], axis=1) / _FAST_M_S) ** 2
        self.price = np.repeat(self.share / (scales.force * eager) ** 2, _SIDES)
        self.help = np.full(frames, help_scale**2 / self.share)
        self.soft = np.full(len(legs.frame), scales.reach_m**2 / self.share)
        self.bands = self._bands(scales)

    def _bands(self, scales: PlanScales) -> Floats:
        """The cost of the path, as diagonals of the blocks."""
        frames, rate = len(self.reference), self.rate
        nothing, costs = np.zeros((frames, 6)), NormalEquations(frames, 6, 3)
        about = np.array([1.0, scales.yaw, 1.0])
        place = self.share / np.concatenate([[scales.com_m] * 3, scales.tilt * about]) ** 2
        costs.add_differences(nothing, 0, place)
        speed, bend = np.zeros(6), np.zeros(6)
        speed[3:] = self.share * (rate / (scales.tilt_speed * about)) ** 2
        bend[:3] = self.share * (rate**2 / scales.accel) ** 2
        bend[3:] = self.share * (rate**2 / (scales.tilt_accel * about)) ** 2
        costs.add_differences(nothing, 1, speed)
        costs.add_differences(nothing, 2, bend)
        jerk = self.share * (rate**3 / np.concatenate([[scales.jerk] * 3, scales.tilt_jerk * about])) ** 2
        costs.add_differences(nothing, 3, _calm(self.contacts.stand)[:, None] * jerk)
        bands = np.zeros((frames, 4, 6))
        bands[:, : costs.h.shape[1]] = np.diagonal(costs.h, axis1=2, axis2=3)
        return bands

    def solve(self, before: ForcePlan | None) -> ForcePlan:
        """The plan, linearized about another, or about the motion itself."""
        body, rate, frames = self.body, self.rate, len(self.reference)
        bend = np.zeros((frames, 3))
        bend[1:-1] = np.diff(self.reference, 2, axis=0) * rate**2 / GRAVITY
        com = self.reference if before is None else before.com
        total = (
            (bend + _UP) * self.contacts.stand.any(axis=1, keepdims=True)
            if before is None
            else before.forces.sum(axis=1)
        )
        lever, turn = body.height, rate**2 / (body.mass * GRAVITY * body.height)
        dynamics, constant = np.zeros((frames, 3, 6, 6)), np.zeros((frames, 6))
        for s, factor in enumerate((1.0, -2.0, 1.0)):
            dynamics[:, s, [0, 1, 2], [0, 1, 2]] = factor * rate**2 / GRAVITY
        inertia = self.momentum.inertia * turn
        dynamics[1:-1, 0, 3:, 3:], dynamics[1:-1, 2, 3:, 3:] = inertia[:-1], inertia[1:]
        dynamics[1:-1, 1, 3:, 3:] = -inertia[:-1] - inertia[1:]
        arm = _cross_matrices(total / lever)
        dynamics[:, 1, 3:, :3] = -arm
        constant[:, :3] = bend + _UP
        constant[1:-1, 3:] = np.diff(self.momentum.spin, axis=0) * turn / rate
        constant[:, 3:] += np.einsum("tij,tj->ti", arm, com - self.reference)
        moments = np.cross((self.contacts.targets[self.frame, self.point] - com[self.frame])[:, None], self.directions)
        wrenches = np.concatenate([self.directions, moments / lever], axis=2).reshape(-1, 6)
        legs = self.legs
        room = legs.room - np.einsum("nk,nk->n", legs.along, self.reference[legs.frame])
        x, coefficients, multipliers, rounds = _kernels.load().solve_plan(
            self.bands,
            (dynamics, constant, self.help),
            (self.first, wrenches, self.price),
            (legs.frame, legs.along, room, self.soft),
            _TOLERANCE,
            _MOST_ROUNDS,
        )
        forces = np.zeros((*self.contacts.stand.shape, 3))
        forces[self.frame, self.point] = np.einsum("ns,nsk->nk", coefficients.reshape(-1, _SIDES), self.directions)
        return ForcePlan(self.reference + x[:, :3], x[:, 3:], forces, self.help[:, None] * multipliers, int(rounds))


def _calm(stand: Bools) -> Floats:
    """(frames,) how smooth forces should be over the difference that begins at a frame: it compares the next two."""
    calm, carried = np.ones(len(stand)), np.asarray(stand.any(axis=1))
    change = np.asarray(np.not_equal(stand[1:], stand[:-1]).any(axis=1))
    flight = np.not_equal(carried[1:], carried[:-1])
    calm[: len(change) - 1] = np.where(flight, _FLIGHT_SHARE, np.where(change, _CHANGE_SHARE, 1.0))[1:]
    return calm


def _directions(normals: Floats, velocities: Floats, mu: float) -> Floats:
    """(n, 4, 3) directions that span the forces of each point: a pyramid, or half of one where the point slides.

    Friction never drives a sliding point: no direction of the half pyramid points along its velocity.
    """
    count = len(normals)
    rings = friction_pyramid(normals, mu, _SIDES).reshape(count, _SIDES, 3)
    along = velocities - normals * np.einsum("nk,nk->n", velocities, normals)[:, None]
    speed = np.linalg.norm(along, axis=1, keepdims=True)
    sliding = speed[:, 0] > _SLIDING_M_S
    back = -along / np.maximum(speed, 1e-12)
    across = np.cross(normals, back)
    half = np.stack([normals, normals + mu * back, normals + mu * across, normals - mu * across], axis=1)
    return np.where(sliding[:, None, None], half, rings)


def edge_shares(stand: Bools, rate: float, edge_s: float) -> Floats:
    """(frames, points) shares that rise to 1 as a point lands and fall as it leaves, but not where the clip ends."""
    shares = np.ones(stand.shape)
    frames, span = len(stand), 1.0 + edge_s * rate
    for point in range(stand.shape[1]):
        for start, stop in true_ranges(stand[:, point]):
            at = np.arange(start, stop)
            since = np.full(len(at), np.inf) if start == 0 else at - start + 1.0
            until = np.full(len(at), np.inf) if stop == frames else stop - at + 0.0
            shares[start:stop, point] = np.minimum(np.minimum(since, until) / span, 1.0)
    return shares


def _cross_matrices(a: Floats) -> Floats:
    """(n, 3, 3) the matrices of the cross products with vectors (n, 3)."""
    out = np.zeros((*a.shape, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -a[..., 2], a[..., 1], -a[..., 0]
    return np.asarray(out - out.swapaxes(-1, -2))
