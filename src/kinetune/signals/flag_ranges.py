"""Where flags are set."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def true_ranges(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where flags (frames,) are set, as (start, stop), in order."""
    held = np.zeros(len(flags) + 2, dtype=bool)
    held[1:-1] = flags
    edges = np.flatnonzero(held[1:] != held[:-1]).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))
