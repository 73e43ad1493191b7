import numpy as np
import pytest

from kinetune.signals.envelopes import envelope, largest_around

CURVE = np.random.default_rng(3).normal(size=200).cumsum()


@pytest.mark.parametrize("reach", [0, 1, 7, 300])
def test_the_largest_value_nearby(reach):
    naive = [CURVE[max(0, t - reach) : t + reach + 1].max() for t in range(len(CURVE))]
    np.testing.assert_array_equal(largest_around(CURVE, reach), naive)


@pytest.mark.parametrize("reach", [1, 4, 9])
def test_an_envelope_is_above_its_curve_and_smoother(reach):
    top = envelope(CURVE, reach)
    assert np.all(top >= CURVE - 1e-12)
    assert np.abs(np.diff(top, 2)).max() < np.abs(np.diff(CURVE, 2)).max()
    flat = np.full(30, 2.0)
    np.testing.assert_allclose(envelope(flat, reach), flat)
