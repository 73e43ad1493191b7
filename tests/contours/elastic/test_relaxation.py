"""The exact motion against the matrix exponential, against printed numbers, and against what physics says."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy.linalg import expm

import kinetune as kt
from kinetune.contours.elastic.materials import PRESETS, Material
from kinetune.contours.elastic.relaxation import Elastic
from kinetune.contours.elastic.single_mode import release, step_modes
from kinetune.contours.elastic.stiffness import mass
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.signals.wavelets import synthesis_matrix
from tests.contours.hoops import hoop

MATERIALS = {
    **PRESETS,
    "undamped": Material(1, 0, 0),
    "mass damping": Material(1, 4, 0),
    "stiffness damping": Material(4, 0, 0.2),
    "heavy": Material(2, 1, 0.02, rho=3.0),
}


@pytest.mark.parametrize(
    ("stiffness", "s1", "s2", "q"),
    [(100, 2, 0.05, -0.288369127583), (100, 10, 0.1, 0.199148273471), (400, 10, 0.1, 0.066380709753)],
)
def test_one_mode_has_the_known_value(stiffness, s1, s2, q):
    after = step_modes(np.array([float(stiffness)]), Material(1, s1, s2), 0.3)
    assert after.stay[0] == pytest.approx(q, abs=1e-12)
    assert release(np.array([float(stiffness)]), Material(1, s1, s2), 0.3)[0] == after.stay[0]
    if (s1, s2) == (2, 0.05):
        assert after.pull[0] == pytest.approx(-1.215261420845, abs=1e-11)


def in_decimals(stiffness, s1, s2, time):
    """exp(t A) of the mode's own 2 x 2 system by scaled Taylor series, with 120 digits; its first row."""
    with localcontext() as context:
        context.prec = 120
        k, t = Decimal(stiffness), Decimal(time)
        rows = ((Decimal(0), t), (-k * t, -(Decimal(s1) + Decimal(s2) * k) * t))

        def times(one, other):
            return tuple(tuple(sum(one[i][m] * other[m][j] for m in (0, 1)) for j in (0, 1)) for i in (0, 1))

        halvings = 60
        small = tuple(tuple(value / 2**halvings for value in row) for row in rows)
        unit = ((Decimal(1), Decimal(0)), (Decimal(0), Decimal(1)))
        total = term = unit
        for n in range(1, 60):
            term = tuple(tuple(value / n for value in row) for row in times(term, small))
            total = tuple(tuple(a + b for a, b in zip(x, y, strict=True)) for x, y in zip(total, term, strict=True))
        for _ in range(halvings):
            total = times(total, total)
        return float(total[0][0]), float(total[0][1])


@pytest.mark.parametrize("time", [0.0, 1e-9, 0.3, 5.0])
@pytest.mark.parametrize("stiffness", [0.0, 1e-9, 99.99999999, 100.0, 100.00000001, 1e4, 1e13])
@pytest.mark.parametrize(("s1", "s2"), [(0, 0), (20, 0), (0, 0.2), (10, 0.1), (2, 0.05)])
def test_every_branch_agrees_with_high_precision(stiffness, s1, s2, time):
    stay, push = in_decimals(stiffness, s1, s2, time)
    found = step_modes(np.array([stiffness]), Material(1, s1, s2), time)
    # The phase of a fast swing is known to as many digits as frequency times time leaves.
    near = 1e-12 + 4e-16 * np.sqrt(stiffness) * time
    assert found.stay[0] == pytest.approx(stay, abs=near)
    assert found.push[0] == pytest.approx(push, abs=near)


@pytest.mark.parametrize("wavelet", ["db4", "coif2", "spline"])
@pytest.mark.parametrize("name", MATERIALS)
def test_the_motion_is_that_of_the_matrix_exponential(name, wavelet):
    """In wavelet coefficients with the full K, the way the paper writes the equation."""
    count, levels, time = 64, 2, 0.3
    material = MATERIALS[name]
    shape, rest = hoop(count)
    velocity = np.random.default_rng(0).standard_normal((count, 2))
    k = kt.stiffness(count, wavelet, levels, e0=material.e0).toarray()
    m = mass(count, wavelet, levels, rho=material.rho).toarray()
    synthesis = synthesis_matrix(count, wavelet, levels).toarray()
    pull = np.linalg.solve(m, k)
    system = np.block([[np.zeros_like(k), np.eye(count)], [-pull, -(material.s1 * np.eye(count) + material.s2 * pull)]])
    start = np.linalg.solve(synthesis, np.hstack([shape.points - rest.points, velocity]))
    after = expm(time * system) @ np.vstack([start[:, :2], start[:, 2:]])
    wanted = rest.points + synthesis @ after[:count]
    (found,) = kt.relax(shape, rest, [time], preset=material, velocity=velocity, wavelet=wavelet)
    assert np.abs(found.points - wanted).max() < 1e-12


@pytest.mark.parametrize(("count", "near"), [(64, 1.5e-2), (128, 7e-6), (256, 2e-9), (512, 1e-12)])
def test_an_undamped_hoop_comes_back_after_one_second(count, near):
    """A wave runs round a curve of length 1 in one second (e0 = rho = 1), and half-way round in half of it."""
    shape, rest = hoop(count)
    whole, half = kt.relax(shape, rest, [1.0, 0.5], preset=Material(1, 0, 0))
    offset = shape.points - rest.points
    assert np.abs(whole.points - shape.points).max() < near
    assert np.abs(half.points - rest.points - np.roll(offset, count // 2, axis=0)).max() < near


@pytest.mark.parametrize("name", PRESETS)
def test_figure_6_the_hoop_is_round_again(name):
    shape, rest = hoop(128)
    first, last = kt.relax(shape, rest, [0.0, 12.0], preset=name)
    assert np.abs(first.points - shape.points).max() < 1e-14
    assert np.abs(last.points - rest.points).max() < 1e-4


def test_energy_never_grows():
    shape, rest = hoop(64)
    curve = Elastic(64, True)
    material = PRESETS["wobbly"]
    stiff = material.e0 * curve.mirrored(curve.spectrum)
    modes = curve.modes(shape.points - rest.points)
    energies = []
    for time in np.linspace(0, 2, 60):
        after = step_modes(stiff, material, time)
        energies.append(np.sum(np.abs(after.pull * modes) ** 2 + stiff * np.abs(after.stay * modes) ** 2))
    assert np.all(np.diff(energies) < 0)


def test_two_steps_are_one():
    curve = Elastic(64, True)
    stiff = 2.5 * curve.spectrum
    first, second = step_modes(stiff, PRESETS["jelly"], 0.1), step_modes(stiff, PRESETS["jelly"], 0.25)
    both = step_modes(stiff, PRESETS["jelly"], 0.35)
    assert np.allclose(both.stay, second.stay * first.stay + second.push * first.pull, atol=1e-14)
    assert np.allclose(both.keep, second.pull * first.push + second.keep * first.keep, atol=1e-14)


@pytest.mark.parametrize("count", [3, 7, 50, 63])
def test_any_number_of_samples_will_do(count):
    rng = np.random.default_rng(count)
    shape, rest = kt.Contour(rng.standard_normal((count, 2))), kt.Contour(rng.standard_normal((count, 2)))
    start, late = kt.relax(shape, rest, [0, 60])
    assert np.allclose(start.points, shape.points, atol=1e-12)
    assert np.allclose(late.points - late.centroid, rest.points - rest.centroid, atol=1e-6)


def test_the_middle_goes_where_it_is_told():
    shape, rest = hoop(64)
    shape = kt.Contour(shape.points + np.array([3, 0]))
    (free,) = kt.relax(shape, rest, [30])
    assert np.allclose(free.centroid, rest.centroid + np.array([3, 0]), atol=1e-12)
    (drifting,) = kt.relax(shape, rest, [1], velocity=(0, 2), preset=Material(1, 0, 0))
    assert np.allclose(drifting.centroid, rest.centroid + np.array([3, 2]), atol=1e-12)
    (settled,) = kt.relax(shape, rest, [30], centroid="settle")
    assert np.allclose(settled.points, rest.points, atol=1e-9)
    (there,) = kt.relax(shape, rest, [0.1], centroid="rest")
    assert np.allclose(there.centroid, rest.centroid, atol=1e-12)
    (told,) = kt.relax(shape, rest, [0.1], centroid=[[5, 6]])
    assert np.allclose(told.centroid, [5, 6], atol=1e-12)


def test_the_centroid_does_not_change_the_shape():
    shape, rest = hoop(64)
    free, settled = (kt.relax(shape, rest, [0.2], centroid=c)[0] for c in ("free", "settle"))
    assert np.allclose(free.points - free.centroid, settled.points - settled.centroid, atol=1e-13)


def test_an_open_curve_swings_with_free_ends():
    """A cosine over the length is a mode of a bar with free ends: it keeps its form, at the frequency pi sqrt(e0)."""
    count = 128
    place = (np.arange(count) + 0.5) / count
    rest = kt.Contour(np.stack([place, 0 * place], axis=-1), closed=False)
    shape = rest.moved(rest.points + np.stack([0 * place, 0.1 * np.cos(np.pi * place)], axis=-1))
    (after,) = kt.relax(shape, rest, [0.2], preset=Material(4, 0, 0))
    assert np.allclose(after.points[:, 1], 0.1 * np.cos(np.pi * place) * np.cos(2 * np.pi * 0.2), atol=1e-9)
    assert not after.closed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"times": [-1]}, "0 or more"),
        ({"times": [np.nan]}, "0 or more"),
        ({"method": "magic"}, "one of exact"),
        ({"centroid": "there"}, "centroid"),
        ({"centroid": [[1, 2], [3, 4]]}, "one position"),
        ({"velocity": [[1, 2]]}, "velocity"),
        ({"force": lambda t, x, v: x, "method": "exact"}, "force needs"),
        ({"local_stiffness": np.ones(64), "method": "exact"}, "midpoint"),
        ({"local_stiffness": np.ones(3)}, "local_stiffness"),
        ({"local_mass": np.zeros(64)}, "local_mass"),
        ({"times": [0.2, 0.1], "method": "rk45"}, "must grow"),
    ],
)
def test_mistakes_are_said(change, words):
    shape, rest = hoop(64)
    asked = {"times": [0.1], **change}
    with pytest.raises(ParameterError, match=words):
        kt.relax(shape, rest, asked.pop("times"), **asked)


def test_bare_points_are_a_closed_contour():
    shape, rest = hoop(64)
    (one,), (other,) = kt.relax(shape.points, rest.points, [0.1]), kt.relax(shape, rest, [0.1])
    assert np.array_equal(one.points, other.points)


def test_contours_must_belong_together():
    shape, rest = hoop(64)
    with pytest.raises(ParameterError, match="sample_evenly"):
        kt.relax(shape, hoop(32)[1], [0.1])
    with pytest.raises(ParameterError, match="open"):
        kt.relax(shape, kt.Contour(rest.points, closed=False), [0.1])
    with pytest.raises(UnknownNameError, match="jelly"):
        kt.relax(shape, rest, [0.1], preset="jelli")
