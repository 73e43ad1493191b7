import numpy as np
import pytest

from kinetune.contours.descriptor.scale_editing import bend, drag, exaggerate, pull, take_character
from kinetune.contours.descriptor.wavelet_descriptor import describe
from kinetune.contours.drawing import Contour
from kinetune.errors import ParameterError

ANGLE = 2 * np.pi * np.arange(512) / 512
FRILLY = Contour(np.exp(1j * ANGLE) * (40 + 2 * np.cos(50 * ANGLE)))
ROUND = Contour(40 * np.exp(1j * ANGLE))
t = np.linspace(0, 1, 1025)
WAVY = Contour(np.stack([100 * t, 2 * np.sin(2 * np.pi * 44 * t)], axis=-1), closed=False)


@pytest.mark.parametrize("detail", ["turn", "keep"])
@pytest.mark.parametrize(("contour", "levels"), [(FRILLY, 5), (WAVY, 6)])
def test_a_dragged_control_point_is_where_it_was_put(contour, levels, detail):
    before = describe(contour, levels=levels)
    after = drag(before, 3, (5, -7), detail=detail)
    again = describe(after.contour(), levels=levels)
    moved = again.control_points - before.control_points
    assert np.allclose(moved[3], [5, -7], atol=1e-9)
    assert np.abs(np.delete(moved, 3, axis=0)).max() < 1e-9


@pytest.mark.parametrize("detail", ["turn", "keep"])
def test_dragging_nothing_changes_nothing(detail):
    before = describe(FRILLY, levels=5)
    assert np.allclose(drag(before, 0, (0, 0), detail=detail).contour().points, FRILLY.points, atol=1e-10)


def test_dragging_acts_near_the_point_only():
    before = describe(FRILLY, levels=5)
    moved = np.linalg.norm(drag(before, 4, (6, 0)).contour().points - FRILLY.points, axis=1)
    assert moved[128] > 3
    assert moved[np.abs(np.arange(512) - 128) > 150].max() < 1e-3 * moved.max()


def across(contour, sweep):
    """How far each sample is from the sweep, along it and across it."""
    tangent = np.gradient(sweep.complex)
    off = (contour.complex - sweep.complex) * np.conj(tangent / np.abs(tangent))
    return off.real, off.imag


def test_detail_rides_along_when_the_sweep_is_turned():
    before = describe(WAVY, levels=6)
    points = before.control_points
    turn = np.pi * (points[:, 0] - 50) / 100
    arch = np.stack([50 + 32 * np.sin(turn), -32 * np.cos(turn)], axis=-1)
    for detail, wanted in (("turn", True), ("keep", False)):
        after = bend(before, arch, detail=detail)
        along, sideways = across(after.contour(), after.sweep())
        near_the_end = slice(60, 200)
        stands = np.std(sideways[near_the_end]) > 3 * np.std(along[near_the_end])
        assert stands == wanted
        assert np.std(np.hypot(along, sideways)) == pytest.approx(np.std(np.abs(WAVY.points[:, 1])), rel=0.2)


@pytest.mark.parametrize("detail", ["turn", "keep"])
@pytest.mark.parametrize("sample", [0, 100, -7])
def test_a_pulled_sample_arrives(detail, sample):
    before = describe(FRILLY, levels=5)
    target = FRILLY.points[sample] + [3, 4]
    assert np.allclose(pull(before, sample, target, detail=detail).contour().points[sample], target, atol=1e-8)


def test_the_character_changes_and_the_sweep_stays():
    frilly = describe(FRILLY, levels=5)
    for gains in (0.0, 2.0, [0, 0, 1, 1, 1]):
        after = exaggerate(frilly, gains)
        assert np.array_equal(after.control_points, frilly.control_points)
        assert np.allclose(after.sweep().points, frilly.sweep().points)
    assert np.allclose(exaggerate(frilly, 0.0).contour().points, frilly.sweep().points)


@pytest.mark.parametrize("detail", ["turn", "keep"])
def test_a_character_is_taken_over(detail):
    plain, frilly = describe(ROUND, levels=5), describe(FRILLY, levels=5)
    dressed = take_character(plain, frilly, detail=detail)
    assert np.allclose(dressed.control_points, plain.control_points)
    assert np.abs(dressed.contour().points - FRILLY.points).max() < 0.5
    bare = take_character(frilly, plain, detail=detail)
    assert np.allclose(bare.control_points, frilly.control_points)
    assert np.abs(np.abs(bare.contour().complex) - 40).max() < 0.5


def test_mistakes_are_said():
    frilly = describe(FRILLY, levels=5)
    with pytest.raises(ParameterError, match="there is no 16"):
        drag(frilly, 16, (1, 1))
    with pytest.raises(ParameterError, match="two numbers"):
        drag(frilly, 0, 3.0)
    with pytest.raises(ParameterError, match="there is no 512"):
        pull(frilly, 512, (0, 0))
    with pytest.raises(ParameterError, match="5 levels"):
        exaggerate(frilly, [1, 2])
    with pytest.raises(ParameterError, match="same samples"):
        take_character(frilly, describe(FRILLY, levels=4))
    with pytest.raises(ParameterError, match='"turn" or "keep"'):
        bend(frilly, frilly.control_points, detail="follow")
    with pytest.raises(ParameterError, match="control points"):
        bend(frilly, frilly.control_points[:3])
