"""The cheapest path through the states of contacts, compiled."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def cheapest_path(costs, change):
    """Viterbi: the states (frames,) of least total cost; costs (frames, states), change (states, states)."""
    frames, states = costs.shape
    came = np.zeros((frames, states), dtype=np.int64)
    best = costs[0].copy()
    step = np.empty(states)
    for t in range(1, frames):
        for s in range(states):
            least, at = np.inf, 0
            for r in range(states):
                total = best[r] + change[r, s]
                if total < least:
                    least, at = total, r
            step[s] = least + costs[t, s]
            came[t, s] = at
        best[:] = step
    path = np.zeros(frames, dtype=np.int64)
    path[frames - 1] = np.argmin(best)
    for t in range(frames - 1, 0, -1):
        path[t - 1] = came[t, path[t]]
    return path


def warm_up():
    """Compile every kernel."""
    cheapest_path(np.zeros((2, 3)), np.zeros((3, 3)))
