"""Where flags are set."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def true_ranges(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where flags (frames,) are set, as (start, stop), in order."""
    edges = np.flatnonzero(np.diff(flags.astype(np.int8), prepend=0, append=0)).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))
