import numpy as np
import pytest

from kinetune.signals.envelopes import largest_around

CURVE = np.random.default_rng(3).normal(size=200).cumsum()


@pytest.mark.parametrize("reach", [0, 1, 7, 300])
def test_the_largest_value_nearby(reach):
    naive = [CURVE[max(0, t - reach) : t + reach + 1].max() for t in range(len(CURVE))]
    np.testing.assert_array_equal(largest_around(CURVE, reach), naive)
