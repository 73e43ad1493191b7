"""A robot's motion over a whole clip: base and joint values that come closest to what is wanted, within its limits.

What is wanted are points of the robot and orientations of its links, each with a weight for every frame. Points of the
soles stay above the floor, capsules apart, joint values within their ranges and below their highest speeds. All frames
are solved at once (:mod:`kinetune.trajectory`), with a price on acceleration: a robot that is solved frame by frame
jitters and pops.

==============  ==================================================================================
HingeProblem    the problem: add goals, then ``solve``
collision_pairs capsules of a robot that might touch
==============  ==================================================================================
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import maximum_filter1d

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.robots.robot import Z_UP, Robot, RobotJoint
from kinetune.body.skeleton import Skeleton
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges
from kinetune.trajectory.gauss_newton import minimize
from kinetune.trajectory.normal_equations import NormalEquations

_kernels = Kernels("kinetune.body.robots._hinge_kernels")

Ints = NDArray[np.intp]
BASE = 6
_FLOOR, _APART, _RANGE, _SPEED = 1e4, 3e3, 1e4, 1e4  # weights of limits; lengths in metres
_MARGINS = (3e-3, 3e-3, 0.02)  # metres, radians, share of a step
_SPEED_SHARE = 0.97
_INSIDE = 1e-9  # values keep this far inside their ranges, so that quaternions of them do too
_LARGEST_STEP = 0.4
_TOLERANCE = 1e-3
_COARSE_FPS = 7.5
_PART_S, _PART_ROUNDS, _PART_STEP, _HELD = 0.5, 8, 0.1, 1e6
_PARTING = ((1.0, 30.0), (30.0, 100.0), (1e3, 300.0))  # tries to bring limbs apart: firmness and damping
_CLEARANCE = 0.005  # metres between capsules
_OVERLAP = 0.0  # capsules that are nearer than this at rest are built to touch


class HingeTree(NamedTuple):
    """A robot as arrays; each joint value is ``factor x[column] + constant``, counted from rest."""

    parents: Ints
    offsets: Floats
    rest: Floats
    first: Ints
    axes: Floats
    slides: NDArray[np.bool_]
    columns: Ints
    factors: Floats
    constants: Floats
    chain_first: Ints
    chain: Ints


class BaseMotion(NamedTuple):
    """Where the base should be: positions (frames, 3) and rotation matrices (frames, 3, 3)."""

    places: Floats
    turns: Floats


class Goals(NamedTuple):
    """What is wanted, in arrays (goals, ...) and (frames, goals, ...)."""

    point_nodes: Ints
    point_offsets: Floats
    points: Floats
    point_weights: Floats
    turn_nodes: Ints
    turns: Floats
    turn_weights: Floats


class CapsulePairs(NamedTuple):
    """Capsules that must not touch: joints (pairs, 2), ends (pairs, 4, 3) in their frames, sums of radii (pairs,)."""

    nodes: Ints
    ends: Floats
    radii: Floats
    clearance: float


class HingeLimits(NamedTuple):
    """What must not happen, and which of it is about to (see :mod:`kinetune.trajectory.one_sided`)."""

    floor_nodes: Ints
    floor_offsets: Floats
    floors: Floats
    floor_active: NDArray[np.bool_]
    pairs: CapsulePairs
    pair_active: NDArray[np.bool_]
    low: Floats
    high: Floats
    steps: Floats
    range_active: NDArray[np.bool_]
    speed_active: NDArray[np.bool_]
    weights: Floats
    margins: Floats


class FrameRoom(NamedTuple):
    """Room for one frame of the kernels."""

    world: Floats
    positions: Floats
    axes: Floats
    anchors: Floats
    columns: Ints
    rows: Floats
    scratch: Floats
    moved: Floats
    residual: Floats
    point: Floats
    near: Floats
    ends: Floats
    loads: Floats
    twists: Floats
    answer: Floats


class _Care(NamedTuple):
    """How limbs are brought apart: what an overlap counts, beside as usual, smaller steps, and frames that stay."""

    firmness: float
    damping: float
    largest_step: float
    held: Floats


def _no_pairs() -> CapsulePairs:
    return CapsulePairs(np.zeros((0, 2), dtype=np.intp), np.zeros((0, 4, 3)), np.zeros(0), _CLEARANCE)


class HingeProblem:
    """Base and joint values of a robot over the frames of a clip.

    Parameters
    ----------
    robot : Robot
        The robot.
    fps : float
        Frames a second.
    places : array, shape (frames, 3)
        Where its base should be, about.
    turns : array, shape (frames, 4)
        How it should be turned.
    nodes : sequence of int
        The joints of the skeleton whose chains may move; other joint values stay at rest.

    Attributes
    ----------
    trusted : array, shape (frames,)
        How much each frame counts, 1 by default; set it before anything is wanted.
    """

    def __init__(self, robot: Robot, fps: float, places: Floats, turns: Floats, nodes: Sequence[int]) -> None:
        self.robot, self.fps, self.frames = robot, fps, len(places)
        self.moving = _moving_joints(robot, nodes)
        self.tree = _tree(robot, self.moving)
        self.size = BASE + sum(1 if joint.kind != "ball" else 3 for joint in self.moving)
        self.base = BaseMotion(np.require(places, float, ("C", "W")), rot.to_matrix(turns))
        self.low, self.high, self.speed = _bounds(self.moving, self.size)
        self.acceleration = np.zeros(self.size)
        self.prior = np.full(self.size, 1e-3)
        if not robot.floating:
            self.prior[:BASE] = 1e9
        self.pairs = self._candidates = _no_pairs()
        self._watched = np.zeros(0, dtype=bool)
        self.trusted = np.ones(self.frames)
        self._points: list[tuple[int, Floats, Floats, Floats]] = []
        self._turns: list[tuple[int, Floats, Floats]] = []
        self._floors: list[tuple[int, Floats, Floats]] = []

    def copy(self) -> HingeProblem:
        """The same problem; what is wanted of the copy from now on is not wanted of this one."""
        other = copy.copy(self)
        other._points, other._turns, other._floors = list(self._points), list(self._turns), list(self._floors)
        return other

    def want_point(self, node: int, offset: ArrayLike, goals: Floats, weight: ArrayLike) -> None:
        """Bring a point on a joint to goals (frames, 3)."""
        weights = self.trusted * np.asarray(weight, dtype=float)
        self._points.append((node, np.asarray(offset, dtype=float), goals, weights))

    def want_turn(self, node: int, goals: Floats, weight: ArrayLike) -> None:
        """Turn a joint in the world as (frames, 4) say."""
        weights = self.trusted * np.asarray(weight, dtype=float)
        self._turns.append((node, rot.to_matrix(goals), weights))

    def keep_above(self, node: int, offset: ArrayLike, heights: ArrayLike) -> None:
        """Keep a point on a joint above heights (frames,)."""
        level = np.broadcast_to(np.asarray(heights, dtype=float), (self.frames,))
        self._floors.append((node, np.asarray(offset, dtype=float), level))

    def begin(self, rounds: int = 10, tolerance: float = _TOLERANCE) -> Floats:
        """A first guess (frames, size): every few frames solved from rest, and joined by splines.

        Parameters
        ----------
        rounds : int
            At most so many steps.
        tolerance : float
            A step whose largest entry is below it, in radians or metres, is the last one.
        """
        from scipy.interpolate import CubicSpline

        x = np.zeros((self.frames, self.size))
        x[:, BASE:] = np.clip(0.0, self.low[BASE:], self.high[BASE:])
        every = max(1, round(self.fps / _COARSE_FPS))
        if every == 1 or self.frames <= 3 * every:
            return self._minimize(x, slice(None), self.fps, rounds, tolerance)
        at = np.unique([*range(0, self.frames, every), self.frames - 1])
        few = self._minimize(x[at], at, self.fps / every, rounds, tolerance)
        return np.asarray(CubicSpline(at, few, axis=0)(np.arange(self.frames)))

    def solve(self, start: Floats | None = None, rounds: int = 6, tolerance: float = _TOLERANCE) -> Floats:
        """The unknowns (frames, size) at the minimum, with joint values within their ranges and speeds exactly.

        Parameters
        ----------
        start : array, shape (frames, size), optional
            Where to begin; at a first guess, if omitted.
        rounds : int
            At most so many steps.
        tolerance : float
            A step whose largest entry is below it, in radians or metres, is the last one.
        """
        x = self.begin() if start is None else start
        return self._part_limbs(self.within_limits(self._minimize(x, slice(None), self.fps, rounds, tolerance)))

    def _part_limbs(self, x: Floats) -> Floats:
        """The unknowns with limbs that overlap brought apart, in the frames around.

        A hand between two capsules is pushed by one into the other, and over to the first in the next step: smaller
        steps end that.
        """
        reach, edge = round(_PART_S * self.fps), 2  # frames
        for firmness, damping in _PARTING:
            if len(self._candidates.nodes):
                self._watch(x, 0.0)
            if not len(self.pairs.nodes):
                break
            overlaps = np.any(self.gaps(x) < 0.0, axis=1)
            if not overlaps.any():
                break
            for start, stop in true_ranges(maximum_filter1d(overlaps, 2 * reach + 1)):
                part = slice(start, stop)
                held = np.zeros((stop - start, 1))
                held[: edge if start > 0 else 0] = held[len(held) - (edge if stop < len(x) else 0) :] = _HELD
                x[part] = self._minimize(
                    x[part], part, self.fps, _PART_ROUNDS, _TOLERANCE, _Care(firmness, damping, _PART_STEP, held)
                )
            x = self.within_limits(x)
        return x

    def _minimize(
        self,
        x: Floats,
        chosen: slice | Ints,
        fps: float,
        rounds: int,
        tolerance: float,
        care: _Care | None = None,
    ) -> Floats:
        compiled = _kernels.load()
        base = BaseMotion(*(np.require(part[chosen], float, ("C", "W")) for part in self.base))
        goals, limits, room = self._goals(chosen), self._limits(chosen, fps), self._room()
        if care is not None:
            limits.weights[1] *= care.firmness
        smooth = self.acceleration * (fps / 30.0) ** 4

        def linearize(values: Floats, equations: NormalEquations) -> None:
            equations.cost += compiled.linearize(
                equations.h, equations.gradient, values, self.tree, base, goals, limits, room
            )
            equations.add_differences(values, 0, self.prior)
            equations.add_differences(values, 2, smooth)
            if care is not None:
                equations.add_differences(values - x, 0, care.held)

        solution = minimize(
            linearize,
            x,
            reach=2,
            rounds=rounds,
            tolerance=tolerance,
            damping=1e-6 if care is None else care.damping,
            largest_step=_LARGEST_STEP if care is None else care.largest_step,
            monotone=False,
        )
        return solution.x

    def within_limits(self, x: Floats) -> Floats:
        """The unknowns with joint values exactly within their ranges and speeds.

        A value that changes too fast is replaced by the middle between the lowest curve above it and the highest below
        it that are slow enough; where nothing is too fast, both are the curve itself.
        """
        bounded = np.array(x)
        bounded[:, BASE:] = np.clip(x[:, BASE:], self.low[BASE:] + _INSIDE, self.high[BASE:] - _INSIDE)
        step = self.speed * (1.0 - 1e-6) / self.fps
        fast = np.flatnonzero(np.any(np.abs(np.diff(bounded, axis=0)) > step, axis=0))
        for column in fast[fast >= BASE].tolist():
            above, below = bounded[:, column].copy(), bounded[:, column].copy()
            for order in (range(1, len(x)), range(len(x) - 2, -1, -1)):
                for t in order:
                    beside = t - 1 if order.step > 0 else t + 1
                    above[t] = min(above[t], above[beside] + step[column])
                    below[t] = max(below[t], below[beside] - step[column])
            bounded[:, column] = 0.5 * (above + below)
        return bounded

    def qpos(self, x: Floats) -> Floats:
        """Rows of joint values (frames, robot.size)."""
        robot = self.robot
        rows = np.tile(robot.home, (len(x), 1))
        if robot.floating:
            turned = rot.multiply(rot.from_matrix(self.base.turns), rot.exp(x[:, 3:BASE]))
            first = robot.base_column
            rows[:, first : first + 3] = rot.rotate(rot.inverse(Z_UP), self.base.places + x[:, :3])
            rows[:, first + 3 : first + 7] = rot.continuous(rot.normalize(rot.multiply(rot.inverse(Z_UP), turned)))
        column = BASE
        for joint in self.moving:
            if joint.kind == "ball":
                turn = rot.identity(len(x))
                for k in range(3):
                    turn = rot.multiply(turn, rot.from_axis_angle(np.eye(3)[k], x[:, column + k]))
                rows[:, joint.column : joint.column + 4] = rot.continuous(turn)
                column += 3
            else:
                rows[:, joint.column] = x[:, column]
                column += 1
        return robot.follow(rows)

    def unknowns(self, rows: Floats) -> Floats:
        """The inverse of :meth:`qpos`, for robots without balls (those begin at rest)."""
        x = np.zeros((len(rows), self.size))
        first = self.robot.base_column
        if self.robot.floating:
            x[:, :3] = rot.rotate(Z_UP, rows[:, first : first + 3]) - self.base.places
            turned = rot.multiply(Z_UP, rot.normalize(rows[:, first + 3 : first + 7]))
            x[:, 3:BASE] = rot.log(rot.multiply(rot.inverse(rot.from_matrix(self.base.turns)), turned))
        column = BASE
        for joint in self.moving:
            if joint.kind == "ball":
                column += 3
                continue
            x[:, column] = rows[:, joint.column]
            column += 1
        return x

    def gaps(self, x: Floats) -> Floats:
        """The gaps (frames, pairs) between capsules; negative where they overlap."""
        distances: Floats = _kernels.load().gaps(x, self.tree, self.base, self.pairs, self._room())
        return distances

    def watch_pairs(self, x: Floats, pairs: CapsulePairs, within: float, every: int = 1) -> None:
        """Keep those capsules apart that come nearer than ``within`` metres in every few frames of a motion."""
        self._candidates, self._watched = pairs, np.zeros(len(pairs.nodes), dtype=bool)
        self._watch(x, within, every)

    def _watch(self, x: Floats, within: float, every: int = 1) -> None:
        pairs = self._candidates
        base = BaseMotion(*(np.require(part[::every], float, ("C", "W")) for part in self.base))
        few = np.ascontiguousarray(x[::every])
        near = _kernels.load().near_pairs(few, self.tree, base, pairs, self._room(), within)
        self._watched = near = near | self._watched
        self.pairs = CapsulePairs(pairs.nodes[near], pairs.ends[near], pairs.radii[near], pairs.clearance)

    def pose(self, x: Floats) -> tuple[Floats, Floats]:
        """World positions (frames, joints, 3) and rotation matrices (frames, joints, 3, 3)."""
        positions = np.empty((len(x), len(self.tree.parents), 3))
        world = np.empty((len(x), len(self.tree.parents), 3, 3))
        _kernels.load().poses(x, self.tree, self.base, self._room(), positions, world)
        return positions, world

    # --- arrays for the kernels

    def _goals(self, chosen: slice | Ints) -> Goals:
        frames = len(self.base.places[chosen])
        points = [np.asarray(goal[2], dtype=float)[chosen] for goal in self._points]
        turns = [goal[1][chosen] for goal in self._turns]
        return Goals(
            np.array([goal[0] for goal in self._points], dtype=np.intp),
            np.array([goal[1] for goal in self._points]).reshape(-1, 3),
            np.stack(points, axis=1) if points else np.zeros((frames, 0, 3)),
            np.stack([goal[3][chosen] for goal in self._points], axis=1) if points else np.zeros((frames, 0)),
            np.array([goal[0] for goal in self._turns], dtype=np.intp),
            np.stack(turns, axis=1) if turns else np.zeros((frames, 0, 3, 3)),
            np.stack([goal[2][chosen] for goal in self._turns], axis=1) if turns else np.zeros((frames, 0)),
        )

    def _limits(self, chosen: slice | Ints, fps: float) -> HingeLimits:
        frames, floors = len(self.base.places[chosen]), self._floors
        pairs = self.pairs
        return HingeLimits(
            np.array([floor[0] for floor in floors], dtype=np.intp),
            np.array([floor[1] for floor in floors]).reshape(-1, 3),
            np.stack([floor[2][chosen] for floor in floors], axis=1) if floors else np.zeros((frames, 0)),
            np.zeros((frames, len(floors)), dtype=bool),
            pairs,
            np.zeros((frames, len(pairs.nodes)), dtype=bool),
            self.low,
            self.high,
            _SPEED_SHARE * self.speed / fps,
            np.zeros((frames, self.size, 2), dtype=bool),
            np.zeros((frames, self.size), dtype=bool),
            np.array([_FLOOR, _APART, _RANGE, _SPEED]),
            np.array(_MARGINS),
        )

    def _room(self) -> FrameRoom:
        nodes, columns = len(self.tree.parents), BASE + len(self.tree.axes)
        return FrameRoom(
            np.zeros((nodes, 3, 3)),
            np.zeros((nodes, 3)),
            np.zeros((columns, 3)),
            np.zeros((columns, 3)),
            np.zeros(2 * columns, dtype=np.intp),
            np.zeros((2 * columns, 3)),
            np.zeros((2, 3, 3)),
            np.zeros(3),
            np.zeros(3),
            np.zeros(3),
            np.zeros((3, 3)),
            np.zeros((4, 3)),
            np.zeros((nodes, 16)),
            np.zeros((columns, 6)),
            np.zeros(6),
        )

    def compile(self) -> None:
        """Run every kernel once; for the loader."""
        from kinetune.body.robots import _hinge_kernels as compiled

        x = np.zeros((self.frames, self.size))
        equations, room = NormalEquations(self.frames, self.size, 2), self._room()
        everything = slice(None)
        goals, limits = self._goals(everything), self._limits(everything, self.fps)
        compiled.linearize(equations.h, equations.gradient, x, self.tree, self.base, goals, limits, room)
        compiled.gaps(x, self.tree, self.base, self.pairs, room)
        compiled.near_pairs(x, self.tree, self.base, self.pairs, room, 0.1)
        positions, world = np.empty((self.frames, 2, 3)), np.empty((self.frames, 2, 3, 3))
        compiled.poses(x, self.tree, self.base, room, positions, world)


def tiny_problem() -> HingeProblem:
    """A robot of one hinge, to compile kernels with."""
    skeleton = Skeleton(("base", "arm"), np.array([-1, 0]), np.eye(3)[:2])
    joint = RobotJoint("hinge", "hinge", 1, (1.0, 0.0, 0.0), 7, -1.0, 1.0, 1.0)
    home = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    robot = Robot("tiny", skeleton, (joint,), np.ones(2), np.zeros((2, 3)), True, 0, home)
    problem = HingeProblem(robot, 30.0, np.zeros((3, 3)), rot.identity(3), [1])
    problem.want_point(1, np.ones(3), np.zeros((3, 3)), 1.0)
    problem.want_turn(1, rot.identity(3), 1.0)
    problem.keep_above(1, np.ones(3), 0.0)
    return problem


def _moving_joints(robot: Robot, nodes: Sequence[int]) -> tuple[RobotJoint, ...]:
    """The joints, less those that follow others, on the chains of some nodes."""
    carrying = {above for node in nodes for above in robot.skeleton.chain(node)}
    followed = {joint.mimic[0] for joint in robot.joints if joint.mimic is not None and joint.node in carrying}
    chosen = [j for j in robot.joints if j.mimic is None and (j.node in carrying or j.column in followed)]
    return tuple(sorted(chosen, key=lambda joint: (joint.node, joint.column)))


def _tree(robot: Robot, moving: Sequence[RobotJoint]) -> HingeTree:
    skeleton = robot.skeleton
    column_of: dict[int, int] = {}
    column = BASE
    for joint in moving:
        column_of[joint.column] = column
        column += 3 if joint.kind == "ball" else 1
    first, columns = [0], list[int]()
    axes, slides, factors, constants = list[Floats](), list[bool](), list[float](), list[float]()
    for node in range(len(skeleton)):
        for joint in robot.by_node.get(node, ()):
            leader, factor, offset = (joint.column, 1.0, 0.0) if joint.mimic is None else joint.mimic
            known = column_of.get(leader, -1)
            home = float(robot.follow(robot.home[None])[0, joint.column])
            constant = (offset if known >= 0 else home) - joint.reference
            if joint.kind == "ball":
                axes += list(np.eye(3))
                columns += [known + k if known >= 0 else -1 for k in range(3)]
                factors, constants, slides = [*factors, *[1.0] * 3], [*constants, *[0.0] * 3], [*slides, *[False] * 3]
                continue
            axes.append(np.array(joint.axis))
            columns.append(known)
            factors.append(factor)
            constants.append(constant)
            slides.append(joint.kind == "slide")
        first.append(len(axes))
    chain_first, chain = [0], []
    for node in range(len(skeleton)):
        above = skeleton.chain(node)
        chain += [d for n in above for d in range(first[n], first[n + 1]) if columns[d] >= 0]
        chain_first.append(len(chain))
    return HingeTree(
        np.array(skeleton.parents, dtype=np.intp),
        np.array(skeleton.offsets),
        rot.to_matrix(skeleton.rest),
        np.array(first, dtype=np.intp),
        np.array(axes).reshape(-1, 3),
        np.array(slides, dtype=bool),
        np.array(columns, dtype=np.intp),
        np.array(factors, dtype=float),
        np.array(constants, dtype=float),
        np.array(chain_first, dtype=np.intp),
        np.array(chain, dtype=np.intp),
    )


def _bounds(moving: Sequence[RobotJoint], size: int) -> tuple[Floats, Floats, Floats]:
    low, high, speed = np.full(size, -np.inf), np.full(size, np.inf), np.full(size, np.inf)
    column = BASE
    for joint in moving:
        if joint.kind == "ball":
            column += 3
            continue
        low[column], high[column], speed[column] = joint.lower, joint.upper, joint.velocity
        column += 1
    return low, high, speed


@lru_cache(maxsize=8)
def collision_pairs(robot: Robot) -> CapsulePairs:
    """Capsules of different limbs that do not touch while the robot stands at rest.

    Links that share a joint, or have only small links between them, touch by design and are left out.
    """
    positions, world = robot.skeleton.rest_positions, robot.skeleton.rest_rotations
    capsules = [(shape.node, *shape.capsule()) for shape in robot.shapes]
    ends = [
        [positions[node] + rot.rotate(world[node], end) for end in (first, last)] for node, first, last, _ in capsules
    ]
    moving = {joint.node for joint in robot.joints}
    nodes, spans, radii = [], [], []
    for a, b in itertools.combinations(range(len(capsules)), 2):
        (one, a0, a1, ra), (other, b0, b1, rb) = capsules[a], capsules[b]
        if _hinges_between(robot, one, other, moving) <= 2 or ra + rb <= 0.0:
            continue
        gap = _segment_distance(*ends[a], *ends[b]) - ra - rb
        if gap > _OVERLAP:
            nodes.append((one, other))
            spans.append(np.stack([a0, a1, b0, b1]))
            radii.append(ra + rb)
    if not nodes:
        return _no_pairs()
    return CapsulePairs(np.array(nodes, dtype=np.intp), np.stack(spans), np.array(radii), _CLEARANCE)


def _hinges_between(robot: Robot, one: int, other: int, moving: set[int]) -> int:
    first, second = robot.skeleton.chain(one), robot.skeleton.chain(other)
    apart = set(first) ^ set(second)
    return len(apart & moving)


def _segment_distance(a: Floats, b: Floats, c: Floats, d: Floats) -> float:
    """The distance of two segments, by sampling; only good enough to see whether capsules overlap at rest."""
    share = np.linspace(0.0, 1.0, 21)[:, None]
    return float(np.linalg.norm((a + share * (b - a))[:, None] - (c + share * (d - c))[None], axis=-1).min())


def clip_of(robot: Robot, rows: Floats, fps: float, **fields: Any) -> Clip:
    """A clip from rows of joint values."""
    root, rotations, translations = robot.pose(np.asarray(rows, dtype=float))
    return Clip(robot.skeleton, fps, root, rotations, translations, **fields)
