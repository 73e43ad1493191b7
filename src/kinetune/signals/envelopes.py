"""The largest value near each frame."""

from __future__ import annotations

import numpy as np

from kinetune.rotations import Floats


def largest_around(values: Floats, reach: int) -> Floats:
    """The largest value (frames,) within ``reach`` frames on either side, in time that does not grow with it."""
    from scipy.ndimage import maximum_filter1d

    return np.asarray(maximum_filter1d(np.asarray(values, dtype=float), 2 * reach + 1, mode="nearest"))
