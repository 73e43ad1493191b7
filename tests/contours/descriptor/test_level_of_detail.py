import numpy as np
import pytest

from kinetune.contours.descriptor.level_of_detail import at_resolution
from kinetune.contours.descriptor.wavelet_descriptor import approximate
from kinetune.contours.sampling import sample_evenly
from kinetune.errors import ParameterError
from kinetune.samples.drawings import sample_drawing
from tests.contours.curves import contours, drawing, ring


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
