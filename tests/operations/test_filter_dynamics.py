import numpy as np
import pytest

import kinetune as kt
from kinetune.errors import ParameterError
from kinetune.operations.filter_dynamics import FilterDynamics
from tests.operations import making


def test_the_public_form():
    clip = making.walker(91, drift=0.05)
    result = kt.FilterDynamics(mu=0.8)(clip)
    assert len(result) == len(clip)
    assert result.fps == clip.fps
    assert result.history[-1] == {"op": "filter_dynamics", "mu": 0.8}


def test_a_part_of_the_correction_lies_between():
    clip = making.walker(61)
    whole, half = (FilterDynamics(amount=amount)(clip) for amount in (1.0, 0.5))
    assert np.allclose(half.root, 0.5 * (clip.root + whole.root), atol=1e-9)


@pytest.mark.parametrize("knobs", [{"mu": -0.1}, {"mass_kg": 0.0}, {"sides": 2}, {"mix": 1.5}, {"mode": "glue"}])
def test_knobs_out_of_range_are_refused(knobs):
    with pytest.raises(ParameterError, match=next(iter(knobs))):
        FilterDynamics(**knobs)
