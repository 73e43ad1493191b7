"""Which numbers in a file can be meant: finite, and not so large that arithmetic overflows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinetune.rotations import Floats

LARGEST_NUMBER = 1e12


def usable(values: Floats) -> NDArray[np.bool_]:
    """Whether each number is finite and below :data:`LARGEST_NUMBER`."""
    return np.abs(values) < LARGEST_NUMBER  # NaN compares as False
