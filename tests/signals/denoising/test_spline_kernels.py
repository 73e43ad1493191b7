import numpy as np
import pytest

from kinetune.signals.denoising import spline_kernels
from kinetune.signals.denoising.noise_colours import colours


def dense(band):
    """The symmetric matrix of a band [t, d] that couples t and t + d."""
    matrix = np.zeros((len(band), len(band)))
    for d in range(band.shape[1]):
        for t in range(len(band) - d):
            matrix[t, t + d] = matrix[t + d, t] = band[t, d]
    return matrix


@pytest.mark.parametrize("number", [0, 1, -1], ids=["white", "pink", "smoothed"])
def test_the_spline_is_the_solution_of_the_dense_system(number):
    rng = np.random.default_rng(abs(number))
    frames, channels = 60, 16
    colour = colours(60.0, frames)[number]
    y = rng.normal(size=(frames, channels)).cumsum(axis=0)
    weight = rng.uniform(0.2, 1.0, size=(frames, channels))
    weight[20:23, 3] = 0.0
    stiff, level = np.exp(rng.normal(size=(frames - 3, channels))), rng.uniform(0.5, 2.0, size=channels)
    x, spread, *sums = spline_kernels.solve_splines(y, colour.precision, weight, stiff, level)
    d = np.diff(np.eye(frames), 3, axis=0)
    for c in range(channels):
        seen = weight[:, c, None] * dense(colour.precision) * weight[:, c] / level[c]
        whole = seen + d.T @ (stiff[:, c, None] * d)
        inverse = np.linalg.inv(whole)
        expected = inverse @ seen @ y[:, c]
        assert np.allclose(x[:, c], expected, atol=1e-8)
        assert np.allclose(spread[:, c], np.diag(d @ inverse @ d.T), rtol=1e-6)
        assert np.allclose(
            [one[c] for one in sums], [np.linalg.slogdet(whole)[1], y[:, c] @ seen @ (y[:, c] - expected)], rtol=1e-6
        )


@pytest.mark.parametrize("number", range(len(colours(60.0, 80))))
def test_a_colour_whitens_noise_of_its_spectrum(number):
    """Its precision is the inverse of the covariance that its filter implies."""
    colour = colours(60.0, 80)[number]
    covariance = np.linalg.inv(dense(colour.precision))
    assert np.allclose(np.diag(covariance), colour.power, rtol=1e-3)
    assert np.isclose(np.linalg.slogdet(dense(colour.precision))[1], colour.log_determinant, atol=1e-3)
