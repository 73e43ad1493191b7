import numpy as np
import pytest

from kinetune.contours.descriptor.wavelet_descriptor import approximate, at_resolution, describe
from kinetune.contours.drawing import Contour
from kinetune.contours.sampling import sample_evenly
from kinetune.errors import ParameterError
from kinetune.samples.drawings import sample_drawing
from tests.contours.curves import contours, drawing, ring

DIGIT = sample_drawing("digit-3").layers[0].contours[0]


@pytest.mark.parametrize("wavelet", ["db4", "db8", "coif2", "spline", "spline8"])
def test_a_contour_comes_back_from_its_descriptor(wavelet):
    described = describe(DIGIT, wavelet)
    assert np.abs(described.contour().points - DIGIT.points).max() < 1e-11
    assert len(described.control_points) == 4


@pytest.mark.parametrize("wavelet", ["db4", "spline8"])
def test_figure_2_fewer_coefficients_are_farther_from_the_digit(wavelet):
    """[chuang] Figure 2: 1,024 samples, levels 3 to 6; levels 1 and 2 look like the original."""
    assert len(DIGIT) == 1024
    height = np.ptp(DIGIT.points[:, 1])
    off = [
        np.linalg.norm(approximate(DIGIT, k, wavelet).points - DIGIT.points, axis=1).max() / height for k in range(7)
    ]
    assert off == sorted(off)
    assert off[0] < 1e-12
    assert off[2] < 0.002
    assert off[3] < 0.02
    assert 0.02 < off[6] < 0.2


def test_approximations_of_one_descriptor_are_those_of_the_contour():
    described = describe(DIGIT, "db4", 6)
    for level in range(7):
        assert np.allclose(described.approximation(level).points, approximate(DIGIT, level).points, atol=1e-11)


def test_control_points_can_be_asked_for():
    coarse = approximate(DIGIT, control_points=16)
    assert np.allclose(coarse.points, approximate(DIGIT, 6).points)
    assert len(describe(DIGIT, control_points=32).control_points) == 32


def test_control_points_of_a_spline_lie_near_the_curve():
    described = describe(DIGIT, control_points=64)
    at = described.control_places.round().astype(int) % 1024
    assert np.linalg.norm(described.control_points - DIGIT.points[at], axis=1).max() < 3


def test_open_contours_keep_their_ends_at_every_scale():
    stroke = sample_evenly(Contour(DIGIT.points[:400], closed=False), 257)
    described = describe(stroke)
    for level in range(described.levels + 1):
        coarse = described.approximation(level)
        assert not coarse.closed
        assert np.allclose(coarse.points[[0, -1]], stroke.points[[0, -1]])


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"level": 3, "control_points": 4}, "either"),
        ({}, "either"),
        ({"control_points": 12}, "not to 12"),
        ({"control_points": 0}, "not to 0"),
        ({"level": 11}, "halved 11 times"),
    ],
)
def test_what_cannot_be_is_said(asked, words):
    with pytest.raises(ParameterError, match=words):
        approximate(DIGIT, **asked)
    with pytest.raises(ParameterError, match="between 0 and 8"):
        describe(DIGIT).approximation(9)


@pytest.mark.parametrize("points", [4, 16, 64, 256])
def test_a_dog_at_few_points(points: int) -> None:
    """[chuang] Figure 14."""
    coarse = at_resolution(sample_drawing("dog-1"), points)
    body = coarse.layer("body").contours[0]
    exact = sample_evenly(sample_drawing("dog-1").layer("body").contours[0], 256, corner_deg=None)
    expected = approximate(exact, wavelet="spline8", control_points=points) if points < 256 else exact
    assert np.abs(body.points - expected.points).max() < 0.2
    assert [layer.name for layer in coarse.layers] == [layer.name for layer in sample_drawing("dog-1").layers]


def test_dots_and_open_lines() -> None:
    dot = np.array([3 + 4j, 3 + 4j])
    assert np.array_equal(contours(at_resolution(drawing(dot), 4))[0], dot)
    line = np.array([0, 10 + 5j, 20])
    coarse = at_resolution(drawing(line, closed=False, fill=None, stroke="#000"), 16)
    assert not next(coarse.contours()).closed
    assert abs(contours(coarse)[0][0]) < 1.0


def test_powers_of_two_only() -> None:
    with pytest.raises(ParameterError, match="power of two from 4 to 256, not 12"):
        at_resolution(drawing(ring()), 12)
