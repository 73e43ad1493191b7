import numpy as np
import pytest

import kinetune as kt
from kinetune.contours.elastic._local_stiffness import difference_filter, midpoint
from kinetune.contours.elastic.materials import PRESETS, Material
from kinetune.contours.elastic.outside_forces import gravity
from kinetune.contours.elastic.relaxation import Elastic
from kinetune.errors import ParameterError
from tests.contours.hoops import hoop


@pytest.mark.parametrize("wavelet", ["db4", "db5", "db8", "coif2", "coif3"])
def test_the_difference_is_the_root_of_the_stiffness(wavelet):
    taps = difference_filter(wavelet)
    mu, _ = kt.refinement_integrals(wavelet)
    square = np.correlate(taps, taps, mode="full")[len(taps) - 1 :]
    assert np.abs(square - mu[: len(taps)]).max() < 1e-12
    assert np.sum(taps) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", PRESETS)
def test_a_uniform_curve_moves_as_it_must(name):
    shape, rest = hoop(64)
    stepped = kt.relax(shape, rest, [0.1, 0.6], preset=name, method="midpoint")
    exact = kt.relax(shape, rest, [0.1, 0.6], preset=name)
    for one, other in zip(stepped, exact, strict=True):
        assert np.abs(one.points - other.points).max() < 1e-3


def test_the_error_falls_with_the_square_of_the_step():
    shape, rest = hoop(64)
    curve, ones = Elastic(64, True), np.ones(64)
    material = Material(1, 0.5, 0.01)
    (exact,) = kt.relax(shape, rest, [0.5], preset=material)
    errors = []
    for step in (1 / 200, 1 / 400):
        (found,) = midpoint(
            curve,
            shape.points - rest.points,
            None,
            np.array([0.5]),
            material,
            rest.points,
            None,
            ones,
            ones,
            step_s=step,
        )
        errors.append(np.abs(rest.points + found - exact.points).max())
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)


def test_constant_factors_are_another_material():
    shape, rest = hoop(64)
    factors = {"local_stiffness": np.full(64, 2.0), "local_mass": np.full(64, 3.0)}
    (found,) = kt.relax(shape, rest, [0.4], preset=Material(1, 1, 0.02), **factors)
    (wanted,) = kt.relax(shape, rest, [0.4], preset=Material(2, 1, 0.02, rho=3.0), method="midpoint")
    assert np.abs(found.points - wanted.points).max() < 1e-9


def test_a_soft_place_moves_more():
    _, rest = hoop(128)
    soft = np.where(np.arange(128) < 64, 1.0, 0.1)
    push = np.zeros((128, 2))
    push[[32, 96], 0] = 1.0, -1.0
    (after,) = kt.relax(
        rest, rest, [4.0], preset=Material(1, 8, 0.1), force=lambda t, x, v: 20 * push, local_stiffness=soft
    )
    moved = after.points - after.centroid - rest.points
    assert np.abs(moved[96, 0]) > 1.5 * np.abs(moved[32, 0])


def test_a_heavy_place_lags_behind():
    shape, rest = hoop(128)
    heavy = np.where(np.arange(128) < 64, 1.0, 25.0)
    (after,) = kt.relax(shape, rest, [0.05], preset="wobbly", local_mass=heavy)
    left = np.linalg.norm(after.points - shape.points, axis=1)
    assert left[70:120].max() < 0.5 * left[10:60].max()


@pytest.mark.slow
def test_energy_is_kept_without_damping():
    shape, rest = hoop(64)
    stiff = 1 + 0.5 * np.cos(2 * np.pi * np.arange(64) / 64)
    frames = kt.relax(shape, rest, np.linspace(0, 20, 41), preset=Material(1, 0, 0), local_stiffness=stiff)
    sizes = [np.linalg.norm(frame.points - rest.points) for frame in frames]
    assert max(sizes[20:]) < 2 * max(sizes[:20])


def test_everything_falls_alike():
    shape, rest = hoop(64)
    heavy = np.linspace(1, 3, 64)
    (after,) = kt.relax(shape, rest, [0.5], preset=Material(1, 0, 0), local_mass=heavy, force=gravity((0, 8)))
    middle = np.average(after.points - shape.points, axis=0, weights=heavy)
    assert np.allclose(middle, [0, 1.0], atol=1e-6)


def test_open_curves_vary_too():
    place = np.linspace(0, 1, 64)
    rest = kt.Contour(np.stack([place, 0 * place], axis=-1), closed=False)
    shape = rest.moved(rest.points + np.stack([0 * place, 0.2 * place**2], axis=-1))
    stepped, exact = (kt.relax(shape, rest, [0.3], method=m)[0] for m in ("midpoint", "exact"))
    assert np.abs(stepped.points - exact.points).max() < 1e-4


def test_it_wants_an_orthogonal_wavelet():
    shape, rest = hoop(64)
    with pytest.raises(ParameterError, match="orthogonal"):
        kt.relax(shape, rest, [0.1], local_mass=np.ones(64), wavelet="spline")
