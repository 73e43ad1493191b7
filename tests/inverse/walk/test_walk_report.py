from types import SimpleNamespace

import numpy as np
import pytest

from kinetune.inverse.walk.footsteps import Footstep
from kinetune.inverse.walk.walk_report import miss_message

POOL = SimpleNamespace(ends=np.array([[0.1, 0.35, -1.0], [0.1, 0.6, 0.1]]))


@pytest.mark.parametrize(
    ("miss_m", "turn_deg", "said"),
    [
        (0.034, 3.0, "is out of reach: the foot lands 3.4 cm beside it, turned by 3.0 degrees."),
        (0.004, 0.2, "is out of reach: the foot lands 4.0 mm beside it, turned by 0.2 degrees."),
        (0.0004, 3.0, "is out of reach: the foot lands 0.4 mm beside it, turned by 3.0 degrees."),
        (2.6e-5, 1e-3, "is at the edge of reach: the foot lands less than 0.1 mm beside it, turned by less than 0.1 "),
    ],
)
def test_a_miss_is_told_in_the_unit_that_shows_it(miss_m, turn_deg, said):
    """A foot that lands a fortieth of a millimetre off was told to be out of reach by 0.0 cm."""
    relative = np.array([0.03, 0.53, 0.0])
    weights = SimpleNamespace(place=relative + np.array([0.0, miss_m, np.radians(turn_deg)]))
    message = miss_message(0, Footstep("left", x=0.0, z=0.5), relative, weights, POOL)
    assert said in message
    assert " 0.0 " not in message
