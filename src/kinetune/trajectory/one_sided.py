"""Limits that push only where they are violated: floors, joint limits, speed limits.

============  =====================================================================================
OneSided      which limits push, over the rounds of a solver
stay_within   the curve nearest to another that stays within limits, and has no corner where it meets them
============  =====================================================================================

A limit that is dropped as soon as a step clears it comes back at the next step, and so on: the solver flickers, and the
result depends on whether it stops at an odd or an even round. So a limit that has become active stays so until it is
clear by a margin.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetune.rotations import Floats
from kinetune.trajectory.normal_equations import NormalEquations

_FIRM = 1e6  # what a limit counts, beside 1 for a curve that keeps its values
_MOST_ROUNDS = 20


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


def stay_within(
    values: Floats, least: float, most: float, smooth_frames: float, held: NDArray[np.bool_] | None = None
) -> Floats:
    """The curve nearest to another that stays within limits; where it bends away from them, it has no corner.

    Parameters
    ----------
    values : array, shape (frames,)
        The curve.
    least, most : float
        The limits.
    smooth_frames : float
        Over how many frames the change fades in and out.
    held : bool array, shape (frames,)
        Where the values stay what they are, limits or not; nowhere if omitted.

    Returns
    -------
    array, shape (frames,)
        The values themselves where they are within the limits throughout.

    Notes
    -----
    An obstacle problem: the change c minimizes ``sum c^2 + smooth_frames^4 (second difference of c)^2``. Law: a solver
    of bounded least squares finds the same (``tests/trajectory/test_one_sided.py``).
    """
    if not np.any((values < least) | (values > most)):
        return values
    change = np.zeros((len(values), 1))
    limits = (OneSided(change.shape, 0.0), OneSided(change.shape, 0.0))
    equations = NormalEquations(*change.shape, 2)
    pushed: NDArray[np.bool_] = np.zeros((2, *change.shape), dtype=bool)
    free = np.ones(change.shape) if held is None else np.where(held, 0.0, 1.0)[:, None]
    for _ in range(_MOST_ROUNDS):
        room = (values[:, None] + change - least, most - values[:, None] - change)
        weights = [limit.weigh(clear, _FIRM) * free for limit, clear in zip(limits, room, strict=True)]
        before, pushed = pushed, np.stack([weight > 0.0 for weight in weights])
        if np.array_equal(before, pushed):
            break
        equations.clear()
        equations.add_differences(change, 0, free + _FIRM * (1.0 - free))
        equations.add_differences(change, 2, smooth_frames**4)
        equations.add_differences(room[0], 0, weights[0])
        equations.add_differences(-room[1], 0, weights[1])
        step = equations.solve()
        assert step is not None  # every frame is pulled
        change = change + step
    return np.asarray(values + change[:, 0])
