"""Outside forces against SciPy's Runge-Kutta on the plain equation, and against what can be known."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import kinetune as kt
from kinetune.contours.elastic.materials import PRESETS, Material
from kinetune.contours.elastic.outside_forces import attraction, gravity, together
from kinetune.errors import ParameterError
from tests.contours.hoops import hoop

PULL = together(gravity((0, -2.0)), attraction((2.0, 1.0), 5.0, reach=0.7))


def by_scipy(shape, rest, times, material, force):
    """The paper's way: Equation 3.15 (with the erratum) and RK45 on all samples."""
    count = len(shape)
    k = kt.stiffness(count, "db4", 0, e0=material.e0)

    def rates(t, state):
        q, v = state.reshape(2, count, 2)
        elastic = (k @ q + material.s2 * (k @ v)) / material.rho + material.s1 * v
        return np.stack([v, force(t, rest.points + q, v) - elastic]).ravel()

    start = np.stack([shape.points - rest.points, np.zeros((count, 2))]).ravel()
    done = solve_ivp(rates, (0, times[-1]), start, t_eval=times, rtol=1e-10, atol=1e-12)
    return [rest.points + state.reshape(2, count, 2)[0] for state in done.y.T]


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_forced_motion_agrees_with_scipy(name):
    shape, rest = hoop(32)
    times = [0.2, 0.25, 0.6]
    wanted = by_scipy(shape, rest, times, PRESETS[name], PULL)
    found = kt.relax(shape, rest, times, preset=name, force=PULL)
    for one, other in zip(found, wanted, strict=True):
        assert np.abs(one.points - other).max() < 2e-8


def test_without_a_force_it_is_exact():
    shape, rest = hoop(64)
    times = [0.1, 0.5]
    for one, other in zip(kt.relax(shape, rest, times, method="rk45"), kt.relax(shape, rest, times), strict=True):
        assert np.abs(one.points - other.points).max() < 1e-13


def test_a_falling_hoop_falls():
    shape, rest = hoop(64)
    (after,) = kt.relax(shape, rest, [0.7], preset=Material(1, 0, 0.01), force=gravity((0, 9.81)))
    assert np.allclose(after.centroid - shape.centroid, [0, 0.5 * 9.81 * 0.7**2], atol=1e-9)
    still = kt.relax(shape, rest, [0.7], preset=Material(1, 0, 0.01))[0]
    assert np.allclose(after.points - after.centroid, still.points - still.centroid, atol=1e-9)


@pytest.mark.slow
def test_drag_gives_a_terminal_speed():
    _, rest = hoop(32)
    early, late = kt.relax(rest, rest, [20, 21], preset=Material(1, 4, 0), force=gravity((0, 8)))
    assert np.allclose(late.centroid - early.centroid, [0, 2], atol=1e-8)


@pytest.mark.slow
def test_a_curve_is_drawn_to_the_place():
    shape, rest = hoop(64)
    centre = np.array([4.0, 0.0])
    (after,) = kt.relax(shape, rest, [20], force=attraction(centre, 6.0))
    assert np.linalg.norm(after.centroid - centre) < 0.05


def test_a_force_may_depend_on_time_and_speed():
    _, rest = hoop(32)
    (after,) = kt.relax(
        rest, rest, [1.0], preset=Material(1, 0, 0), force=lambda t, points, speeds: [6 * t, 0] - 0.0 * speeds
    )
    assert np.allclose(after.centroid - rest.centroid, [1, 0], atol=1e-9)


def test_many_samples_take_no_more_steps():
    calls = []

    def counted(t, points, speeds):
        calls.append(t)
        return PULL(t, points, speeds)

    used = []
    for count in (32, 512):
        shape, rest = hoop(count)
        calls.clear()
        kt.relax(shape, rest, [0.5], force=counted)
        used.append(len(calls))
    assert used[1] < 2 * used[0]


@pytest.mark.parametrize(
    ("force", "words"),
    [
        (lambda t, x, v: np.full_like(x, np.nan), "not a number"),
        (lambda t, x, v: np.zeros(5), "shape"),
    ],
)
def test_a_wrong_force_is_said(force, words):
    shape, rest = hoop(32)
    with pytest.raises(ParameterError, match=words):
        kt.relax(shape, rest, [0.1], force=force)


def test_wrong_ingredients_are_said():
    with pytest.raises(ParameterError, match="pull"):
        gravity((1, 2, 3))
    with pytest.raises(ParameterError, match="reach"):
        attraction((0, 0), reach=0)
