"""The quadratic program of a plan, against a general solver."""

import numpy as np

from kinetune.physics.whole_clip.force_plan_kernels import solve_plan


def small_problem(frames=7, each=5, seed=0):
    dice = np.random.default_rng(seed)
    bands = np.zeros((frames, 4, 6))
    bands[:, 0] = dice.uniform(1.0, 2.0, (frames, 6))
    dynamics = dice.normal(size=(frames, 3, 6, 6))
    constant = dice.normal(size=(frames, 6))
    first = np.concatenate([[0], np.cumsum([0, *[each] * (frames - 2), 0])])
    wrenches = dice.normal(size=(first[-1], 6))
    price = np.full(first[-1], 0.3)
    legs = (np.array([2, 3]), dice.normal(size=(2, 3)), np.array([-0.1, 0.2]), np.array([0.01, 0.01]))
    return bands, (dynamics, constant, np.zeros(frames)), (first, wrenches, price), legs


def by_clarabel(problem):
    import clarabel
    from scipy import sparse

    bands, (dynamics, constant, _), (first, wrenches, price), (leg_frame, along, room, soft) = problem
    frames, count, limits = len(constant), len(price), len(leg_frame)
    size = 6 * frames + count + limits
    P = sparse.diags(np.concatenate([bands[:, 0].ravel(), price, 1.0 / soft])).tocsc()
    equal, b = np.zeros((6 * (frames - 2), size)), np.zeros(6 * (frames - 2))
    for t in range(1, frames - 1):
        rows = slice(6 * (t - 1), 6 * t)
        for s in range(3):
            equal[rows, 6 * (t - 1 + s) : 6 * (t + s)] = dynamics[t, s]
        equal[rows, 6 * frames + first[t] : 6 * frames + first[t + 1]] = -wrenches[first[t] : first[t + 1]].T
        b[rows] = -constant[t]
    below = np.zeros((count + limits, size))
    below[:count, 6 * frames : 6 * frames + count] = -np.eye(count)
    for n, t in enumerate(leg_frame):
        below[count + n, 6 * t : 6 * t + 3] = along[n]
        below[count + n, 6 * frames + count + n] = -1.0
    cones = [clarabel.ZeroConeT(len(b)), clarabel.NonnegativeConeT(count + limits)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    A = sparse.csc_matrix(np.vstack([equal, below]))
    h = np.concatenate([b, np.zeros(count), room])
    x = np.array(clarabel.DefaultSolver(P, np.zeros(size), A, h, cones, settings).solve().x)
    return x[: 6 * frames].reshape(frames, 6), x[6 * frames : 6 * frames + count]


def test_a_general_solver_agrees():
    for seed in range(5):
        problem = small_problem(seed=seed)
        path, forces, _, rounds = solve_plan(*problem, 1e-10, 80)
        other_path, other_forces = by_clarabel(problem)
        assert rounds < 40
        assert np.allclose(path, other_path, atol=2e-5)
        assert np.allclose(forces, other_forces, atol=2e-5)


def test_without_contacts_a_body_falls_freely():
    frames, rate = 20, 60.0
    bands = np.zeros((frames, 4, 6))
    bands[:, 0] = 1.0
    dynamics = np.zeros((frames, 3, 6, 6))
    for s, factor in enumerate((1.0, -2.0, 1.0)):
        dynamics[:, s] = factor * rate**2 / 9.81 * np.eye(6)
    constant = np.zeros((frames, 6))
    constant[:, 1] = 1.0
    empty = (np.zeros(frames + 1, dtype=int), np.zeros((0, 6)), np.zeros(0))
    legs = (np.zeros(0, dtype=int), np.zeros((0, 3)), np.zeros(0), np.zeros(0))
    path = solve_plan(bands, (dynamics, constant, np.zeros(frames)), empty, legs, 1e-9, 40)[0]
    assert np.allclose(np.diff(path[:, 1], 2) * rate**2, -9.81, atol=1e-6)
