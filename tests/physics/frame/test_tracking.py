"""One frame of the filter: laws of its problem, a general solver, and a readable NumPy version beside it."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import kinetune as kt
from kinetune.errors import KinetuneError
from kinetune.physics.filter.com_targets import PathTargets
from kinetune.physics.filter.filter_settings import PAPER, FilterSettings
from kinetune.physics.filter.references import Feet, build_reference
from kinetune.physics.frame._torque_limits import solve_limited
from kinetune.physics.frame.tracking import ORDERS, SOLVERS, STAY, FrameSolver, Tracker, frame_kernels
from kinetune.physics.ground import FlatGround, HeightField
from tests.physics.frame import frame_oracle
from tests.physics.frame.frame_oracle import PlainFrames

RATE = 60.0


def problem(seed=0, count=9, columns=24, dof=30):
    kernels, dice = frame_kernels.load(), np.random.default_rng(seed)
    keys = dice.normal(size=(dof, count + 6))
    loose = dice.uniform(0.5, 2.0, dof)
    soft = dice.uniform(0.001, 1.0, count)
    B = dice.normal(size=(6, columns))
    B[1] = np.abs(B[1])
    C6, desired, target = 100.0 * dice.normal(size=6), dice.normal(size=dof), dice.normal(size=count)
    return kernels.FrameRows(keys, target, soft), count, C6, desired, loose, B


def method(solver="nnls", order="exact"):
    return frame_kernels.load().ForceMethod(STAY, SOLVERS[solver], ORDERS[order], 5000)


def solve(case, solver="nnls", order="exact", guess=None):
    guess = np.zeros(case[-1].shape[1], dtype=bool) if guess is None else guess
    return frame_kernels.load().solve_frame(*case, method(solver, order), guess)[:2]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_left_on_the_root(solver, seed):
    case = problem(seed)
    a, f = solve(case, solver)
    rows, count, C6, *_, B = case
    assert np.allclose(rows.keys[:, count:].T @ a + C6, B @ f, atol=1e-9)


@pytest.mark.parametrize("solver", ["nnls", "greedy"])
def test_the_ground_never_pulls(solver):
    assert all(solve(problem(seed), solver)[1].min() >= 0.0 for seed in range(6))


@pytest.mark.parametrize("seed", range(4))
def test_a_general_solver_finds_no_better_answer(seed):
    (keys, target, soft), count, C6, desired, loose, B = case = problem(seed)
    a, f = solve(case)
    W = 1.0 / loose
    J, H = keys[:, :count].T, keys[:, count:].T
    # Unknown: f. The accelerations of given forces minimize the cost under H a = B f - C.
    P = np.diag(W) + J.T @ np.diag(1.0 / soft) @ J
    q = W * desired + J.T @ (target / soft)
    inverse = np.linalg.inv(P)
    S = H @ inverse @ H.T

    def cost(forces):
        best = inverse @ (q + H.T @ np.linalg.solve(S, B @ forces - C6 - H @ inverse @ q))
        return np.sum(W * (best - desired) ** 2) + np.sum((J @ best - target) ** 2 / soft), best

    ours, again = cost(f)
    assert np.allclose(again, a, atol=1e-8)
    root = np.linalg.cholesky(np.linalg.inv(S)).T
    best = lsq_linear(root @ B, root @ (C6 + H @ inverse @ q), bounds=(0.0, np.inf), method="bvls").x
    assert ours <= cost(best)[0] * (1.0 + 1e-4) + 1e-6


def test_the_printed_order_meets_the_references_and_loads_the_root():
    case = problem(2)
    a, f = solve(case, order="printed")
    rows, count, C6, *_, B = case
    assert np.allclose(rows.keys[:, :count].T @ a, rows.target, atol=1e-5)
    assert np.abs(rows.keys[:, count:].T @ a + C6 - B @ f).max() > 1.0


def test_in_flight_there_are_no_forces():
    case = (*problem(1)[:-1], np.zeros((6, 0)))
    a, f = solve(case)
    rows, count, C6, *_ = case
    assert len(f) == 0
    assert np.allclose(rows.keys[:, count:].T @ a + C6, 0.0, atol=1e-9)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_oracle_agrees(solver, order):
    """To 1e-9 and not to the bit: active sets are found by different routes. Greedy steps stop 1e-6 short."""
    for seed in range(5):
        case = problem(seed)
        plain = frame_oracle.solve_frame(*case, method(solver, order))
        for guess in (np.zeros(24, bool), np.ones(24, bool), np.arange(24) % 3 == 0, plain[1] > 0.0):
            fast = solve(case, solver, order, guess)
            assert np.allclose(plain[0], fast[0], atol=1e-9)
            assert np.allclose(plain[1], fast[1], atol=1e-6)


@pytest.fixture(scope="module")
def motion():
    clip = kt.sample("walk")[100:140]
    body = kt.Body.fit(clip.skeleton, clip=clip)
    return body, Feet.of(body), body.coordinates(clip)


def waves(x, z):
    return 0.02 * np.sin(3.0 * x) * np.cos(2.0 * z)


FLAT = FlatGround(0.0)
CASES = {
    "steady": (FilterSettings(), FLAT),
    "uneven": (FilterSettings(), HeightField(waves)),
    "com": (FilterSettings(whole="com", gains=PAPER), FLAT),
    "position": (FilterSettings(mode="position", whole="none"), FLAT),
    "joint": (FilterSettings(mode="joint", whole="none"), FLAT),
    "printed": (FilterSettings(order="printed", solver="least_squares"), FLAT),
    "ice": (FilterSettings(mu=0.0, sides=8), FLAT),
    "weak": (FilterSettings(), FLAT),
}


@pytest.mark.parametrize("case", CASES)
def test_the_oracle_takes_the_same_steps(motion, case):
    """To 1e-8 of the weight and not to the bit: sums run in other orders, and active sets along other routes."""
    body, feet, qpos = motion
    settings, ground = CASES[case]
    if case == "weak":
        limit = np.full(body.nv, np.inf)
        limit[body.dofs("left lower leg")] = 40.0
        settings = FilterSettings(torque_limit=limit)
    reference = build_reference(body, qpos, RATE, ground, feet)
    targets = PathTargets(reference.data_com, RATE) if settings.mode == "friction" else None
    steps = []
    for frames in (kind(body, feet, ground, settings, RATE) for kind in (PlainFrames, FrameSolver)):
        tracker = Tracker(body, feet, ground, settings, RATE)
        tracker.frames = frames
        tracker.start(reference.Q[0], reference.V[0], reference.stance[0])
        steps.append([tracker.step(reference, t, targets) for t in range(len(reference))])
    assert any(step.forces.any() for step in steps[0])
    for plain, fast in zip(*steps, strict=True):
        for name, one, other in zip(plain._fields, plain, fast, strict=True):
            reach = 9.81 * body.mass if name in ("forces", "torques", "residual") else 1.0
            assert np.allclose(one, other, rtol=1e-7, atol=1e-8 * reach)


def test_held_points_move_as_mujoco_says(motion):
    body, feet, qpos = motion
    reference = build_reference(body, qpos, RATE, FLAT, feet)
    frames = FrameSolver(body, feet, FLAT, FilterSettings(), RATE)
    v = np.random.default_rng(3).normal(size=body.nv)
    frames.dynamics.update(qpos[7], v)
    frames.start(np.ones(len(feet), dtype=bool))
    frames.solve(reference, 7, None, qpos[7], v)
    row = 0
    toes = reference.toes[7] - reference.shift[7]
    for foot, stands in enumerate(reference.stance[7].tolist()):
        if stands or feet.parts[foot] == "toe":
            jacobian = frames.dynamics.jacobian(toes[foot], feet.bodies[foot])
            assert np.allclose(frames.rows.keys[:, row : row + 3].T, jacobian, atol=1e-12)
            row += 3
    assert row >= 6


def held_root(soft):
    """A frame whose rows hold the root as tightly as its own equation does: little is left but rounding."""
    rng = np.random.default_rng(2)
    mixed = rng.normal(size=(12, 12))
    dynamics = SimpleNamespace(H=mixed @ mixed.T + np.eye(12), C=rng.normal(size=12))
    keys = np.hstack([dynamics.H[:6].T, dynamics.H[:6].T + 1e-9 * rng.normal(size=(12, 6))])
    rows = SimpleNamespace(keys=keys, target=-np.tile(dynamics.C[:6], 2), soft=np.full(12, soft))
    limit = np.concatenate([np.full(6, np.inf), np.full(6, 60.0)])
    return rows, 12, dynamics, rng.normal(size=12), rng.normal(size=(4, 12)), limit, 1e-6


@pytest.mark.parametrize("soft", [1e-6, 1e-12, 1e-15])
def test_a_limited_frame_has_an_answer_though_rows_hold_the_root(soft):
    a, f = solve_limited(*held_root(soft))
    assert np.isfinite(a).all()
    assert (f >= 0.0).all()


def test_a_body_that_flies_apart_is_refused_in_a_sentence():
    frame = held_root(1e-6)
    frame[2].H[0, 0] = np.nan
    with pytest.raises(KinetuneError, match="Raise the limit"):
        solve_limited(*frame)
