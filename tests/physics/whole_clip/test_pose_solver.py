"""Derivatives and conservation laws of the kinematics of a whole clip."""

import mujoco
import numpy as np

import kinetune as kt
from kinetune.physics.whole_clip._pose_solver import PoseFit, PoseScales
from kinetune.physics.whole_clip.pose_rows import PoseGoals
from kinetune.physics.whole_clip.pose_solver_kernels import add_body


def fit_of(frames=4):
    walk = kt.sample("walk")
    body = kt.Body.fit(walk.skeleton, clip=walk)
    return PoseFit(body, body.coordinates(walk[20 : 20 + frames]), walk.fps, PoseScales())


def test_derivatives_are_those_of_differences():
    fit, dice = fit_of(), np.random.default_rng(0)
    fit.x = dice.normal(0.0, 0.2, fit.x.shape)
    com, spin = dice.normal(0.0, 0.1, (4, 3)), dice.normal(0.0, 1.0, (3, 3))
    points, weights = dice.normal(size=fit.state.points.shape), dice.uniform(0.0, 2.0, fit.state.points.shape)

    def look():
        fit.place()
        goals = PoseGoals(com, 2.0, points, weights, fit.momentum().spin - spin, 0.7)
        h, gradient = np.zeros((4, 3, fit.unknowns, fit.unknowns)), np.zeros_like(fit.x)
        return add_body(h, gradient, fit.tree, fit.state, goals, fit.rate), 2.0 * gradient

    slope = look()[1]
    for at in [(0, 4), (1, 0), (1, 8), (2, 12), (2, 20), (3, fit.unknowns - 1)]:
        costs = []
        for side in (-1e-6, 1e-6):
            fit.x[at] += side
            costs.append(look()[0])
            fit.x[at] -= side
        assert np.isclose((costs[1] - costs[0]) / 2e-6, slope[at], rtol=1e-5, atol=1e-3)


def test_poses_and_momentum_agree_with_mujoco():
    fit, dice = fit_of(3), np.random.default_rng(1)
    fit.x = dice.normal(0.0, 0.1, fit.x.shape)
    fit.place()
    q, model = fit.coordinates(), fit.body.model
    data = mujoco.MjData(model)
    data.qpos[:] = q[1]
    mujoco.mj_differentiatePos(model, data.qvel, 2.0 / fit.rate, q[0], q[2])
    mujoco.mj_forward(model, data)
    mujoco.mj_subtreeVel(model, data)
    assert np.allclose(fit.state.com[1], data.subtree_com[1], atol=1e-12)
    assert np.allclose(fit.state.points[1], fit.body.point_positions(q)[1], atol=1e-12)
    steps = fit_of(3)  # a smooth motion: the momentum between frames is near that of MuJoCo in the middle
    q = steps.coordinates()
    data.qpos[:] = q[1]
    mujoco.mj_differentiatePos(model, data.qvel, 2.0 / steps.rate, q[0], q[2])
    mujoco.mj_forward(model, data)
    mujoco.mj_subtreeVel(model, data)
    spin = steps.momentum().spin
    assert np.allclose(spin.mean(axis=0), data.subtree_angmom[1], atol=0.02)


def test_the_momentum_of_a_rigid_spin_turns_with_the_body():
    fit = fit_of(12)
    still = PoseFit(fit.body, np.repeat(fit.qpos[:1], 12, axis=0), fit.rate, PoseScales())
    still.x[:, 4] = 0.05 * np.arange(12)
    still.place()
    turns = still.state.turn[:-1, 0] @ still.state.turn[0, 0].T
    spin = still.momentum().spin
    assert np.linalg.norm(spin[0]) > 0.5
    assert np.allclose(spin, turns @ spin[0], atol=1e-9)
