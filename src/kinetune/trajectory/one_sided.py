"""Limits that push only where they are violated: floors, joint limits, speed limits.

A limit that is dropped as soon as a step clears it comes back at the next step, and so on: the solver flickers, and the
result depends on whether it stops at an odd or an even round. So a limit that has become active stays so until it is
clear by a margin.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetune.rotations import Floats


class OneSided:
    """Which limits push, over the rounds of a solver.

    Parameters
    ----------
    shape : tuple of int
        Of the values that are bounded, such as (frames, points).
    margin : float
        How far a limit must be clear before it stops pushing, in the unit of the values.
    """

    def __init__(self, shape: tuple[int, ...], margin: float) -> None:
        self.active: NDArray[np.bool_] = np.zeros(shape, dtype=bool)
        self.margin = margin

    def weigh(self, clearance: Floats, weight: ArrayLike) -> Floats:
        """The weight of each limit in this round: ``weight`` where it is active, else 0.

        Parameters
        ----------
        clearance : array
            How far each value is on the allowed side; negative where the limit is violated.
        weight : float or array
            Of a limit that pushes.
        """
        self.active = (clearance < 0.0) | (self.active & (clearance < self.margin))
        return np.where(self.active, weight, 0.0)
