import numpy as np
import pytest

import kinetune as kt
from kinetune.contours.elastic.materials import PRESETS, Material
from kinetune.contours.elastic.outside_forces import gravity
from kinetune.contours.elastic.paper_approximations import massless, schulz_inverse
from kinetune.contours.elastic.relaxation import Elastic
from kinetune.errors import ParameterError
from tests.contours.hoops import hoop


def apart(method, name, time=0.3):
    shape, rest = hoop(64)
    one, other = (kt.relax(shape, rest, [time], preset=name, method=m)[0] for m in (method, "exact"))
    return np.linalg.norm(one.points - other.points) / np.linalg.norm(shape.points - rest.points)


@pytest.mark.parametrize("name", PRESETS)
def test_the_decoupled_solution_is_near_and_not_right(name):
    assert 1e-3 < apart("decoupled", name) < 1.6


def test_the_decoupled_solution_swings_coefficient_by_coefficient():
    from kinetune.signals.wavelets import split_scales

    shape, rest = hoop(64)
    (after,) = kt.relax(shape, rest, [0.3], preset=Material(1, 0, 0), method="decoupled")
    before = split_scales(shape.points - rest.points).vector()
    now = split_scales(after.points - rest.points).vector()
    diagonal = kt.stiffness(64, "db4", 4).diagonal()
    assert np.allclose(now, np.cos(np.sqrt(diagonal) * 0.3)[:, None] * before, atol=1e-12)


def test_the_decoupled_solution_holds_translations_back():
    shape, rest = hoop(64)
    shape = kt.Contour(shape.points + np.array([1, 0]))
    decoupled, exact = (kt.relax(shape, rest, [0.3], method=m)[0] for m in ("decoupled", "exact"))
    assert np.allclose(exact.centroid, shape.centroid)
    assert np.linalg.norm(decoupled.centroid - shape.centroid) > 0.1


def test_decoupled_wants_a_closed_contour_and_an_orthogonal_wavelet():
    shape, rest = hoop(64)
    with pytest.raises(ParameterError, match="orthogonal"):
        kt.relax(shape, rest, [0.3], method="decoupled", wavelet="spline")


@pytest.mark.parametrize(("share", "near"), [(0.1, 0.02), (0.01, 0.002)])
def test_eulers_method_tends_to_the_exponential(share, near):
    """Each mode of C q' + K q = 0 fades as exp(-k t / (c1 + s2 k))."""
    shape, rest = hoop(64)
    material = PRESETS["jelly"]
    curve = Elastic(64, True)
    k = material.e0 * curve.mirrored(curve.spectrum)
    exact = curve.samples(curve.modes(shape.points - rest.points) * np.exp(-0.2 * k / (material.s1 + material.s2 * k)))
    (found,) = massless(curve, shape.points - rest.points, np.array([0.2]), material, rest.points, None, share=share)
    assert np.abs(found - exact).max() < near


def test_without_s1_everything_fades_alike():
    """The paper's own C = s2 K: only an eased linear morph."""
    shape, rest = hoop(64)
    (after,) = kt.relax(shape, rest, [0.1], preset=Material(1, 0, 0.1), method="massless")
    offset = shape.points - rest.points
    left = np.sum((after.points - rest.points) * offset) / np.sum(offset * offset)
    assert np.abs(after.points - rest.points - left * offset).max() < 1e-9
    assert left == pytest.approx(np.exp(-1), abs=0.05)


def test_a_massless_curve_sinks_at_constant_speed():
    _, rest = hoop(32)
    one, two = kt.relax(rest, rest, [1, 2], preset=Material(1, 4, 0.1), method="massless", force=gravity((0, 8)))
    assert np.allclose(two.centroid - one.centroid, [0, 2], atol=1e-9)


def test_massless_needs_damping():
    shape, rest = hoop(32)
    with pytest.raises(ParameterError, match="needs damping"):
        kt.relax(shape, rest, [0.1], preset=Material(1, 0, 0), method="massless")


def test_schulz_finds_the_inverse_quadratically():
    matrix = 2.0 * np.eye(64) + 0.001 * kt.stiffness(64, "db4", 2).toarray()
    inverse, rounds = schulz_inverse(matrix)
    assert np.abs(inverse @ matrix - np.eye(64)).max() < 1e-11
    assert 3 < rounds < 40
    with pytest.raises(ParameterError, match="singular"):
        schulz_inverse(kt.stiffness(16, "db4", 1))
    with pytest.raises(ParameterError, match="square"):
        schulz_inverse(np.zeros((2, 3)))
