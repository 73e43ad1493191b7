"""Plans for the whole body, against what mechanics says."""

import numpy as np
import pytest

from kinetune.physics.filter.com_plan import ComPlanner, PlanStart, Support, convex_hull
from kinetune.physics.frame.soft_programs import SoftProgram, bands_of, second_differences
from kinetune.physics.model.mjcf import GRAVITY

RATE = 60.0
FOOT = np.array([[-0.05, -0.1], [0.05, -0.1], [0.05, 0.15], [-0.05, 0.15]])


def standing(frames, hull=FOOT):
    return Support([hull] * frames, np.zeros(frames), np.full(frames, 0.1))


def planner(com, support, momentum_rate=None, mu=1.0):
    rates = np.zeros((len(com), 3)) if momentum_rate is None else momentum_rate
    return ComPlanner(com, rates, support, rate=RATE, mass=70.0, mu=mu)


def begin(com, velocity=(0.0, 0.0, 0.0)):
    return PlanStart(np.array(com, dtype=float), np.array(velocity, dtype=float), np.zeros(3), np.zeros(3))


def pressure(plan, level=0.0):
    push = plan.com_A[:, 1] + GRAVITY
    x = plan.com[:, 0] - (plan.com[:, 1] - level) * plan.com_A[:, 0] / push + plan.momentum_rate[:, 2] / 70.0 / push
    z = plan.com[:, 2] - (plan.com[:, 1] - level) * plan.com_A[:, 2] / push - plan.momentum_rate[:, 0] / 70.0 / push
    return np.stack([x, z], axis=1)


def test_a_motion_that_is_possible_is_its_own_plan():
    com = np.tile([0.0, 0.9, 0.0], (60, 1))
    plan = planner(com, standing(60)).plan(0, 42, begin(com[0]))
    assert np.allclose(plan.com, com[:42], atol=1e-6)
    assert np.allclose(plan.momentum_rate, 0.0, atol=1e-3)
    assert plan.outside.max() < 1e-6


def test_a_push_is_caught_with_the_pressure_under_the_foot():
    com = np.tile([0.0, 0.9, 0.0], (120, 1))
    plan = planner(com, standing(120)).plan(0, 60, begin(com[0], (0.0, 0.0, 0.3)))
    place = pressure(plan)[:50]
    assert place[:, 1].max() <= 0.15 + 1e-3
    assert place[:, 1].max() > 0.08
    assert abs(plan.com[-1, 2]) < np.max(plan.com[:, 2])
    assert plan.outside.max() < 1e-3


def test_flight_is_ballistic():
    frames = 60
    com = np.tile([0.0, 1.0, 0.0], (frames, 1))
    aloft = Support([np.zeros((0, 2))] * frames, np.zeros(frames), np.zeros(frames))
    plan = planner(com, aloft, momentum_rate=np.full((frames, 3), 20.0)).plan(0, 30, begin(com[0], (0.5, 2.0, 0.0)))
    assert np.allclose(plan.com_A[:, 1], -GRAVITY, atol=0.05)
    assert np.allclose(plan.com_A[:, [0, 2]], 0.0, atol=0.05)
    assert np.allclose(plan.momentum_rate[:, [0, 2]], 0.0, atol=1.0)


def test_friction_bounds_the_horizontal_force():
    com = np.tile([0.0, 0.9, 0.0], (120, 1))
    com[:, 2] = 0.3 * np.sin(np.arange(120) / 4.0)
    wide = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    plan = planner(com, standing(120, wide), mu=0.2).plan(0, 60, begin(com[0]))
    sideways = np.abs(plan.com_A[:, 0]) + np.abs(plan.com_A[:, 2])
    assert np.all(sideways <= 0.2 * (plan.com_A[:, 1] + GRAVITY) + 0.15)


def test_the_ground_never_pulls():
    com = np.tile([0.0, 0.9, 0.0], (90, 1))
    com[:, 1] += 0.2 * np.cos(np.arange(90) / 2.5)
    plan = planner(com, standing(90)).plan(0, 60, begin(com[0]))
    assert (plan.com_A[:, 1] + GRAVITY).min() > -0.05


def test_what_cannot_be_kept_is_told():
    com = np.tile([0.0, 0.9, 1.0], (90, 1))  # a metre ahead of the foot
    plan = planner(com, standing(90)).plan(0, 42, begin(com[0]))
    assert np.isfinite(plan.com).all()
    assert plan.outside.max() > 0.0 or np.abs(plan.momentum_rate).max() > 10.0 or plan.com[-1, 2] > 1.0


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_the_last_frames_have_a_plan(count):
    com = np.tile([0.0, 0.9, 0.0], (count, 1))
    plan = planner(com, standing(count)).plan(0, 42, begin(com[0]))
    assert len(plan.com) == count


def test_hulls():
    points = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5], [1, 0]], dtype=float)
    hull = convex_hull(points)
    assert {tuple(p) for p in hull} == {(0, 0), (1, 0), (1, 1), (0, 1)}
    area = 0.5 * np.sum(hull[:, 0] * np.roll(hull[:, 1], -1) - hull[:, 1] * np.roll(hull[:, 0], -1))
    assert area == 1.0  # counter-clockwise
    assert len(convex_hull(points[:1])) == 1
    assert len(convex_hull(points[:2])) == 2
    assert convex_hull(np.zeros((0, 2))).shape == (0, 2)


def test_second_differences_are_those_of_euler_steps():
    steps = np.array([0.1, 0.1, 0.2, 0.2, 0.3])
    dice = np.random.default_rng(0)
    a = dice.normal(size=4)
    v, x = [0.3], [1.0]
    for k, h in enumerate(steps):
        x.append(x[-1] + v[-1] * h)
        if k < len(a):
            v.append(v[-1] + a[k] * h)
    rows = second_differences(steps)
    found = [rows[k] @ np.array(x[k : k + 3]) for k in range(4)]
    assert np.allclose(found, a)


def test_soft_programs_agree_with_a_dense_solution():
    dice = np.random.default_rng(1)
    rows = dice.normal(size=(8, 3))
    bands = bands_of(rows, np.ones(8), 10)
    bands[0] += 1.0
    q = dice.normal(size=10)
    dense = np.eye(10)
    for k, row in enumerate(rows):
        dense[k : k + 3, k : k + 3] += np.outer(row, row)
    program = SoftProgram([bands], q)
    program.fix(np.array([[0]]), np.ones((1, 1)), np.array([0.5]))
    x, _ = program.solve()
    free = np.linalg.solve(dense[1:, 1:], -q[1:] - dense[1:, 0] * 0.5)
    assert np.allclose(x, np.append(0.5, free), atol=1e-5)


def test_limits_are_broken_at_the_cost_of_their_squares():
    program = SoftProgram([[np.ones(1)]], np.array([-10.0]))  # wants x = 10
    slack = program.limit(np.array([[0]]), np.ones((1, 1)), np.array([1.0]), 9.0, np.array([0]))
    x, slacks = program.solve()
    assert np.isclose(x[0], 1.9, atol=1e-4)  # (x - 10) + 9 (x - 1) = 0
    assert np.isclose(slacks[slack][0], 0.9, atol=1e-4)
