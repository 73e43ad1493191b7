"""The ground, contact points and friction pyramids."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st

import kinetune as kt
from kinetune.body.feet.floor import Floor
from kinetune.physics.equations_of_motion import Dynamics
from kinetune.physics.ground import (
    FlatGround,
    HeightField,
    as_ground,
    friction_pyramid,
    nonnegative_sizes,
    root_wrenches,
    sum_forces,
    touching,
)
from tests.physics.figures import bent, walker_body

UP = np.array([[0.0, 1.0, 0.0]])


@pytest.mark.parametrize(
    "failure", [RuntimeError("Maximum number of iterations reached."), np.linalg.LinAlgError("Matrix is singular.")]
)
def test_sizes_are_those_of_nnls_where_that_fails(failure, monkeypatch):
    """As SciPy 1.13 does where more pushes than needed do the same."""
    pushes = np.repeat(friction_pyramid(np.repeat(UP, 3, axis=0), 0.7, 8), 2, axis=0).T
    need = np.array([1.0, 0.2, 0.1])
    exact, left = scipy.optimize.nnls(pushes, need)

    def fail(*_):
        raise failure

    monkeypatch.setattr(scipy.optimize, "nnls", fail)
    sizes = nonnegative_sizes(pushes, need)
    assert sizes.min() >= 0.0
    assert left > 0.1
    assert np.linalg.norm(pushes @ sizes - need) == pytest.approx(left, abs=1e-9)
    assert pushes @ sizes == pytest.approx(pushes @ exact, abs=1e-9)


@given(st.floats(0.0, 3.0), st.integers(3, 12), st.integers(0, 10_000))
def test_sums_of_the_pyramid_stay_inside_the_cone(mu, sides, seed):
    rng = np.random.default_rng(seed)
    normals = rng.standard_normal((3, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    directions = friction_pyramid(normals, mu, sides)
    assert directions.shape == (3 * sides, 3)
    coefficients = rng.uniform(0.0, 50.0, 3 * sides)
    forces = sum_forces(coefficients, directions, 3)
    push = np.sum(forces * normals, axis=1)
    slip = np.linalg.norm(forces - push[:, None] * normals, axis=1)
    assert np.allclose(push, coefficients.reshape(3, -1).sum(axis=1))
    assert np.all(slip <= mu * push * (1 + 1e-9) + 1e-9)


def test_edges_of_the_pyramid_lie_on_the_cone():
    directions = friction_pyramid(UP, 0.7, 8)
    assert np.allclose(directions[:, 1], 1.0)
    assert np.allclose(np.hypot(directions[:, 0], directions[:, 2]), 0.7)


def test_ice_pushes_straight_up():
    assert np.allclose(friction_pyramid(UP, 0.0), [0.0, 1.0, 0.0])


@pytest.mark.parametrize("mu", [-0.1, np.nan, np.inf])
def test_friction_must_be_a_number(mu):
    with pytest.raises(kt.KinetuneError, match="coefficient of friction"):
        friction_pyramid(UP, mu)


def test_a_pyramid_has_sides():
    with pytest.raises(kt.KinetuneError, match="3 sides"):
        friction_pyramid(UP, 1.0, 2)


def test_root_map_is_the_transposed_jacobian():
    """Forces at points act on the root as MuJoCo's Jacobians say, without any Jacobian."""
    body = walker_body()
    dynamics = Dynamics(body)
    dynamics.update(bent(body, 1), np.zeros(body.nv))
    points = dynamics.points()
    directions = friction_pyramid(np.tile(UP, (len(points), 1)), 0.8)
    columns = root_wrenches(points, directions, dynamics.root_place, dynamics.root_axes)
    for k, point in enumerate(body.points):
        jacobian = dynamics.jacobian(points[k], point.body)
        assert np.allclose(columns[:, 4 * k : 4 * k + 4], (jacobian.T @ directions[4 * k : 4 * k + 4].T)[:6])
    assert root_wrenches(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(3), np.eye(3)).shape == (6, 0)


def test_grid_and_function_make_the_same_ground():
    def slope(x, z):
        return 0.3 * x - 0.1 * z + 0.5

    x, z = np.linspace(-2, 2, 5), np.linspace(-1, 3, 9)
    grid = HeightField.grid(x, z, slope(*np.meshgrid(x, z, indexing="ij")))
    points = np.random.default_rng(0).uniform(-0.9, 0.9, (20, 3))
    normal = np.array([-0.3, 1.0, 0.1]) / np.linalg.norm([-0.3, 1.0, 0.1])
    for ground in (grid, as_ground(slope), as_ground(Floor(0.5, (0.3, -0.1)))):
        assert np.allclose(ground.height(points), slope(points[:, 0], points[:, 2]))
        assert np.allclose(ground.normal(points), normal, atol=1e-9)


def test_a_grid_goes_on_level_beyond_its_edges():
    grid = HeightField.grid([0.0, 1.0], [0.0, 1.0], [[0.0, 0.0], [1.0, 1.0]])
    assert np.allclose(grid.height(np.array([[-5.0, 0, 0.5], [5.0, 0, 0.5]])), [0.0, 1.0])


def test_grounds_from_anything():
    points = np.zeros((2, 3))
    assert np.allclose(as_ground(None).height(points), 0.0)
    assert np.allclose(as_ground(0.25).height(points), 0.25)
    assert np.allclose(as_ground(FlatGround(1.0)).height(points), 1.0)


@pytest.mark.parametrize(
    "values",
    [([0.0], [0.0, 1.0], [[0.0, 0.0]]), ([1.0, 0.0], [0.0, 1.0], np.zeros((2, 2))), ([0, 1], [0, 1], np.zeros((3, 2)))],
)
def test_bad_grids_are_told(values):
    with pytest.raises(kt.KinetuneError, match=r"grid|heights"):
        HeightField.grid(*values)


def test_a_height_function_must_give_a_height():
    with pytest.raises(kt.KinetuneError, match="height function"):
        as_ground(lambda x, z: 3.0).height(np.zeros((4, 3)))
    with pytest.raises(kt.KinetuneError, match="number of metres"):
        as_ground(float("nan"))


def test_touching_looks_at_height_and_speed():
    points = np.zeros((20, 3, 3))
    points[:, 1, 1] = 0.2
    points[:, 2, 0] = np.arange(20) * 0.05  # 3 m/s at 60 fps
    assert touching(points, FlatGround()).all(axis=0).tolist() == [True, False, True]
    assert touching(points, FlatGround(), 60.0).all(axis=0).tolist() == [True, False, False]
    assert touching(points, FlatGround(0.2)).all()
