"""Poses of a whole clip that meet a plan: its centre of mass, its angular momentum, and feet on the floor.

==========  ==============================================================================================
PoseScales  what a miss costs
PoseFit     Gauss-Newton over all joints and frames at once (:mod:`kinetune.trajectory`)
==========  ==============================================================================================

Poses are the reference changed by small rotations, ``reference * exp(x)``; the root of the reference is tilted as the
plan says. Everything that poses should meet looks at a frame or at two neighbours, smoothness at three: the normal
equations have blocks of about thirty unknowns, banded, and a step takes a time linear in the number of frames.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.kernels.loader import Kernels
from kinetune.physics.ground import ContactGround
from kinetune.physics.model.body_model import Body
from kinetune.physics.model.hinge_bodies import INSIDE, hinge_angle
from kinetune.physics.whole_clip._stance_prints import Footprints
from kinetune.physics.whole_clip.force_plan import Momentum, edge_shares
from kinetune.physics.whole_clip.pose_rows import PoseGoals, PoseState, body_tree
from kinetune.rotations import Floats
from kinetune.trajectory.normal_equations import NormalEquations
from kinetune.trajectory.one_sided import OneSided

Bools = NDArray[np.bool_]

_kernels = Kernels("kinetune.physics.whole_clip.pose_solver_kernels")

_LARGEST = 0.5  # radians of one step
_DECAY = 0.4
_END_WEIGHT = 1e14
_LEAST_FREE = 0.01
_ROOT_SHARE = 0.02  # what a metre of the root costs of a radian of a joint


@dataclass(frozen=True)
class PoseScales:
    """What a miss costs 1 at.

    joint, joint_speed, joint_accel : changes of a joint in radians, a second and a second squared.
    com_m, spin : the centre of mass in metres at 60 frames a second, the angular momentum in kg m^2/s at 70 kg.
    stand_m, rest_m, swing_m, floor_m : standing points of feet, seat, knees and hands that carry, swinging points, and
        points that the floor holds up. Along the ground a swinging point is held the better the nearer its print.
    lift_m : how far such a point must rise before the floor lets go of it.
    edge_s : how long a landing point takes to be held firmly, and a leaving one to be let go.
    damping : of the first steps, which would go astray where a leg is straight or too short.
    """

    joint: float = 0.012
    joint_speed: float = 2.0
    joint_accel: float = 20.0
    com_m: float = 1e-5
    spin: float = 3e-3
    stand_m: float = 1e-4
    rest_m: float = 1e-3
    swing_m: float = 0.02
    floor_m: float = 5e-5
    lift_m: float = 0.004
    edge_s: float = 0.012
    damping: float = 1e5


class PoseFit:
    """The poses of a clip, on their way to a plan.

    Parameters
    ----------
    body : its model.
    qpos : (frames, nq) the reference.
    rate : frames per second.
    """

    def __init__(self, body: Body, qpos: Floats, rate: float, scales: PoseScales) -> None:
        self.body, self.qpos, self.rate, self.scales = body, qpos, rate, scales
        self.tree = body_tree(body, qpos)
        self.unknowns = len(self.tree.axes)
        self.root = np.ascontiguousarray(qpos[:, :3])
        self.reference = rot.to_matrix(rot.normalize(qpos[:, 3:].reshape(len(qpos), -1, 4)))
        self.x = np.zeros((len(qpos), self.unknowns))
        self.state = PoseState.empty(len(qpos), len(body.segments), self.unknowns, len(body.points))
        share = 60.0 / rate
        self.hold = share * np.where(np.arange(self.unknowns) < 3, _ROOT_SHARE, 1.0) / scales.joint**2
        smooth = np.where(np.arange(self.unknowns) < 3, 0.1, 1.0) * share
        self.speed = smooth * (rate / scales.joint_speed) ** 2
        self.bend = smooth * (rate**2 / scales.joint_accel) ** 2
        self.low, self.high = self._room()
        self.floor = OneSided((len(qpos), len(body.points)), scales.lift_m)
        self.place()

    def place(self) -> None:
        """Bring :attr:`state` up to date with :attr:`x`."""
        _kernels.load().place_body(self.tree, self.reference, self.root, self.x, self.state)

    def momentum(self) -> Momentum:
        """The body as a whole, as it is posed now."""
        frames = len(self.x)
        spin, inertia = np.zeros((frames - 1, 3)), np.zeros((frames - 1, 3, 3))
        _kernels.load().half_step_momentum(self.tree, self.state, self.rate, spin, inertia)
        return Momentum(self.state.com.copy(), spin, inertia)

    def solve(
        self,
        com: Floats,
        spin: Floats,
        tilt: Floats,
        prints: Footprints,
        stand: Bools,
        ground: ContactGround,
        rounds: int,
    ) -> None:
        """Take so many steps towards a plan.

        Parameters
        ----------
        com, tilt : (frames, 3). spin : (frames - 1, 3). stand : (frames, points).
        """
        scales, rate = self.scales, self.rate
        goal = self._tilted(tilt)
        share = 60.0 / rate
        com_weight = share / (scales.com_m * share**2) ** 2
        spin_weight = share / (scales.spin * self.body.mass / 70.0) ** 2
        loose = 1.0 / scales.swing_m**2
        grip = edge_shares(stand, rate, scales.edge_s) ** 4
        rests = [point.part == "other" for point in self.body.points]
        firm = np.maximum(grip / np.where(rests, scales.rest_m, scales.stand_m) ** 2, loose)
        upright = share * np.where(stand, firm, loose)
        along = share * np.where(stand, firm, loose / np.maximum(prints.free, _LEAST_FREE) ** 2)
        base = np.stack([along, upright, along], axis=2)
        equations = NormalEquations(len(self.x), self.unknowns, 2)
        fast = _kernels.load()
        for number in range(rounds):
            equations.clear()
            points = self.state.points
            heights = ground.height(points) + prints.clearance
            pressed = self.floor.weigh(points[..., 1] - heights, share / scales.floor_m**2)
            weights, aims = base.copy(), prints.targets.copy()
            weights[..., 1] = np.maximum(pressed, weights[..., 1])
            aims[..., 1] = np.where(pressed > 0.0, heights, aims[..., 1])
            goals = PoseGoals(com, com_weight, aims, weights, self.momentum().spin - spin, spin_weight)
            apart = self.x - goal
            equations.add_differences(apart, 0, self.hold)
            equations.add_differences(apart, 1, self.speed)
            equations.add_differences(apart, 2, self.bend)
            equations.cost += fast.add_body(equations.h, equations.gradient, self.tree, self.state, goals, rate)
            self._hold_ends(equations)
            step = equations.solve(max(scales.damping * _DECAY**number, 1.0))
            if step is None:
                break
            self.x += step * min(1.0, _LARGEST / max(float(np.abs(step[:, 3:]).max(initial=0.0)), 1e-9))
            np.clip(self.x, self.low, self.high, out=self.x)
            self.place()

    def _hold_ends(self, equations: NormalEquations) -> None:
        """Hinges that are at an end of their range, and would go beyond, stay there in this step."""
        beyond = np.where(equations.gradient > 0.0, self.x <= self.low, self.x >= self.high)
        if beyond.any():
            equations.add_differences(np.zeros_like(self.x), 0, np.where(beyond, _END_WEIGHT, 0.0))

    def _room(self) -> tuple[Floats, Floats]:
        """How far each unknown (frames, unknowns) may go, down and up."""
        low, high = np.full_like(self.x, -np.inf), np.full_like(self.x, np.inf)
        for k, segment in enumerate(self.body.segments):
            first, last = int(self.tree.first[k]), int(self.tree.first[k + 1])
            if segment.ranges is not None and last - first == 1:
                angle = hinge_angle(self.body, k, self.qpos)
                low[:, first] = np.minimum(segment.ranges[0, 0] + INSIDE - angle, 0.0)
                high[:, first] = np.maximum(segment.ranges[0, 1] - INSIDE - angle, 0.0)
        return low, high

    def coordinates(self) -> Floats:
        """(frames, nq) the poses."""
        moved = self.qpos.copy()
        moved[:, :3] += self.x[:, :3]
        first, axes = self.tree.first, self.tree.axes
        for k in range(len(self.body.segments)):
            free = slice(int(first[k]), int(first[k + 1]))
            if free.stop > free.start:
                at = slice(3 + 4 * k, 7 + 4 * k)
                moved[:, at] = rot.multiply(rot.normalize(self.qpos[:, at]), rot.exp(self.x[:, free] @ axes[free]))
        return moved

    def _tilted(self, tilt: Floats) -> Floats:
        """The unknowns (frames, unknowns) of the reference, tilted as a whole about world axes."""
        goal = np.zeros_like(self.x)
        goal[:, 3:6] = rot.rotate(rot.inverse(rot.normalize(self.qpos[:, 3:7])), tilt)
        return goal
