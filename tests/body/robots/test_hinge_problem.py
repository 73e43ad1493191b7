import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.robots.hinge_problem import BASE, CapsulePairs, HingeProblem
from kinetune.body.robots.robot import Robot, RobotJoint
from kinetune.body.skeleton import Skeleton
from kinetune.trajectory.gauss_newton import check_jacobian
from kinetune.trajectory.normal_equations import NormalEquations


def arm(velocity=np.inf, lower=-2.0, upper=2.0, mimic=None):
    """Two hinges on one body, a slide, and a hinge that may follow the first."""
    names = ("base", "shoulder", "elbow", "hand")
    skeleton = Skeleton(names, [-1, 0, 1, 2], [(0, 0, 0), (0, 0.5, 0), (0.4, 0, 0), (0.3, 0, 0)])
    bounds = (lower, upper, velocity)
    joints = (
        RobotJoint("a", "hinge", 1, (0.0, 0.0, 1.0), 7, *bounds),
        RobotJoint("b", "hinge", 1, (0.0, 1.0, 0.0), 8, *bounds),
        RobotJoint("c", "slide", 2, (1.0, 0.0, 0.0), 9, -0.1, 0.1),
        RobotJoint("d", "hinge", 3, (0.0, 0.6, 0.8), 10, *bounds, mimic=mimic),
    )
    home = np.array([0, 0, 0, 1.0, 0, 0, 0, 0, 0, 0, 0])
    return Robot("arm", skeleton, joints, np.ones(4), np.zeros((4, 3)), True, 0, home)


def problem_of(robot, frames=6, fps=30.0, seed=0):
    rng = np.random.default_rng(seed)
    places, turns = rng.normal(size=(frames, 3)), rot.normalize(rng.normal(size=(frames, 4)))
    return HingeProblem(robot, fps, places, turns, [3]), rng


def linearized(problem):
    """The residuals of a problem as the solver sees them."""
    from kinetune.body.robots import _hinge_kernels

    goals, limits, room = problem._goals(slice(None)), problem._limits(slice(None), problem.fps), problem._room()

    def linearize(x, equations):
        for flags in (limits.floor_active, limits.pair_active, limits.range_active, limits.speed_active):
            flags[:] = False
        equations.cost += _hinge_kernels.linearize(
            equations.h, equations.gradient, x, problem.tree, problem.base, goals, limits, room
        )

    return linearize


@pytest.mark.parametrize("mimic", [None, (7, -0.5, 0.2)])
def test_derivatives_are_those_of_the_residuals(mimic):
    robot = arm(velocity=3.0, lower=-0.2, upper=0.3, mimic=mimic)
    problem, rng = problem_of(robot, frames=3)
    problem.want_point(3, (0.1, 0.2, 0.0), rng.normal(size=(3, 3)), 2.0)
    problem.want_point(2, (0.0, 0.0, 0.1), rng.normal(size=(3, 3)), [1.0, 0.0, 3.0])
    problem.keep_above(3, (0.0, 0.0, 0.0), 10.0)
    problem.pairs = CapsulePairs(
        np.array([[3, 0]]), np.array([[(0, 0, 0), (0.2, 0, 0), (0, -0.3, 0), (0, 0.3, 0.1)]]), np.array([5.0]), 0.0
    )
    x = 0.5 * rng.normal(size=(3, problem.size))
    assert check_jacobian(linearized(problem), x, reach=2) < 1e-4


@pytest.mark.parametrize("mimic", [None, (7, -0.5, 0.2)])
def test_second_derivatives_are_products_of_first_ones(mimic):
    """The oracle: rows of derivatives by differences, one for each coordinate of each goal."""
    problem, rng = problem_of(arm(mimic=mimic, lower=-9.0, upper=9.0), frames=1)
    offsets = rng.normal(size=(4, 3))
    for node in range(4):
        problem.want_point(node, offsets[node], rng.normal(size=(1, 3)), 1.0 + node)
        problem.want_turn(node, rot.normalize(rng.normal(size=(1, 4))), 2.0 + node)
    x = 0.05 * rng.normal(size=(1, problem.size))
    equations = NormalEquations(1, problem.size, 2)
    linearized(problem)(x, equations)

    def rows(values):
        positions, world = problem.pose(values)
        return (positions[0] + np.einsum("nij,nj->ni", world[0], offsets)), world[0]

    moves = []
    for column in range(problem.size):
        (p0, w0), (p1, w1) = (rows(x + side * 1e-5 * np.eye(problem.size)[column]) for side in (-1, 1))
        turn = rot.log(rot.from_matrix(np.einsum("nij,nkj->nik", w1, w0)))
        moves.append(np.stack([(p1 - p0), turn]) / 2e-5)
    weights = np.array([1.0 + np.arange(4), 2.0 + np.arange(4)])
    wanted = np.einsum("agni,bgni,gn->ab", moves, moves, weights)
    assert np.tril(equations.h[0, 0]) == pytest.approx(np.tril(wanted), abs=1e-6)


def test_orientations_turn_towards_their_goals():
    """The derivative of a rotation vector is taken at its goal, so it is exact there."""
    problem, rng = problem_of(arm(), frames=2)
    x = 0.5 * rng.normal(size=(2, problem.size))
    _, world = problem.pose(x)
    near = rot.multiply(rot.exp(1e-4 * rng.normal(size=(2, 3))), rot.from_matrix(world[:, 3]))
    problem.want_turn(3, near, 1.0)
    assert check_jacobian(linearized(problem), x, reach=2) < 1e-3


def test_poses_are_those_of_the_robot():
    robot = arm(mimic=(7, 2.0, 0.1))
    problem, rng = problem_of(robot)
    x = 0.3 * rng.normal(size=(6, problem.size))
    rows = problem.qpos(x)
    root, rotations, translations = robot.pose(rows)
    from kinetune.body.kinematics.forward import forward

    positions, world = forward(robot.skeleton, root, rotations, translations)
    ours, turned = problem.pose(x)
    assert np.abs(ours - positions).max() < 1e-12
    assert np.abs(turned - rot.to_matrix(world)).max() < 1e-12
    assert np.abs(problem.unknowns(rows) - x).max() < 1e-9


def test_a_reachable_motion_is_reached():
    robot = arm()
    problem, rng = problem_of(robot)
    x = np.cumsum(0.05 * rng.normal(size=(6, problem.size)), axis=0)
    positions, world = problem.pose(x)
    for node in range(4):
        problem.want_point(node, np.zeros(3), positions[:, node], 10.0)
        problem.want_turn(node, rot.from_matrix(world[:, node]), 1.0)
    problem.prior[:] = 1e-9
    solved = problem.solve(rounds=30)
    assert np.abs(problem.pose(solved)[0] - positions).max() < 1e-6


def test_no_value_leaves_its_range_or_is_too_fast():
    robot = arm(velocity=2.0, lower=-0.4, upper=0.5)
    problem, rng = problem_of(robot, frames=60)
    problem.want_point(3, np.zeros(3), rng.normal(size=(60, 3)), 1.0)
    problem.want_turn(3, rot.normalize(rng.normal(size=(60, 4))), 1.0)
    solved = problem.solve()
    hinges = solved[:, [BASE, BASE + 1, BASE + 3]]
    assert hinges.min() >= -0.4
    assert hinges.max() <= 0.5
    assert np.abs(np.diff(hinges, axis=0)).max() * 30.0 <= 2.0


def test_slow_values_within_their_ranges_are_not_touched():
    problem, _ = problem_of(arm(velocity=5.0), frames=20)
    x = np.linspace(0.0, 1.0, 20)[:, None] * np.linspace(0.1, 1.0, problem.size)
    assert np.array_equal(problem.within_limits(np.minimum(x, 0.09)), np.minimum(x, 0.09))


def test_capsules_keep_apart():
    robot = arm()
    problem, _ = problem_of(robot, frames=5)
    problem.base = problem.base._replace(places=np.zeros((5, 3)), turns=np.tile(np.eye(3), (5, 1, 1)))
    ends = np.array([[(0, 0, 0), (0, 0, 0), (0.3, 0.3, 0), (0.3, 0.7, 0)]], dtype=float)
    problem.pairs = CapsulePairs(np.array([[3, 0]]), ends, np.array([0.1]), 0.005)
    problem.want_point(3, np.zeros(3), np.tile([0.3, 0.5, 0.02], (5, 1)), 1.0)
    problem.prior[:6] = 1e6
    solved = problem.solve(rounds=40)
    assert problem.gaps(solved).min() > -0.002


@pytest.mark.parametrize("seed", [8, 35])
def test_a_hand_that_passes_between_two_capsules_touches_neither(seed):
    """Pushed by one into the other, it went over from the first to the second in every step."""
    rng, frames = np.random.default_rng(seed), 20
    problem, _ = problem_of(arm(), frames=frames)
    problem.base = problem.base._replace(places=np.zeros((frames, 3)), turns=np.tile(np.eye(3), (frames, 1, 1)))
    first = rng.uniform(0.35, 0.5)
    second, radius = first + rng.uniform(0.02, 0.14), rng.uniform(0.03, 0.09)
    across, lean = rng.uniform(0.4, 0.6), rng.uniform(-0.03, 0.03)
    hand = [(0, 0, 0), (0.1, 0, 0)]
    ends = [
        [*hand, (across, first, 0.1), (across, first, -0.1)],
        [*hand, (across + lean, second, 0.1), (across - lean, second, -0.1)],
    ]
    problem.pairs = CapsulePairs(np.array([[3, 0], [3, 0]]), np.array(ends), np.full(2, radius), 0.005)
    track = np.stack([np.full(frames, across), np.linspace(0.1, 0.8, frames), np.zeros(frames)], axis=1)
    problem.want_point(3, np.zeros(3), track, 10 ** rng.uniform(0, 2))
    problem.acceleration[:] = 0.5
    problem.prior[:6] = 1e6
    assert min(problem.gaps(problem.solve(rounds=rounds)).min() for rounds in (4, 6)) >= 0.0
