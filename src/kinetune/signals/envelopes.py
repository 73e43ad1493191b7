"""The largest value near each frame."""

from __future__ import annotations

import numpy as np

from kinetune.rotations import Floats


def largest_around(values: Floats, reach: int) -> Floats:
    """The largest value (frames,) within ``reach`` frames on either side, in time that does not grow with it.

    Each window of ``2 * reach + 1`` frames ends in one block of that length and begins in the one before, so that the
    largest values of the beginnings and ends of blocks are enough (van Herk's method). Importing ``scipy.ndimage`` for
    this took a fifth of the time of a small edit.
    """
    size, frames = 2 * reach + 1, len(values)
    blocks = np.full((-(-(frames + 2 * reach) // size), size), -np.inf)
    blocks.flat[reach : reach + frames] = values
    from_start = np.maximum.accumulate(blocks, axis=1).ravel()
    to_end = np.maximum.accumulate(blocks[:, ::-1], axis=1)[:, ::-1].ravel()
    return np.maximum(to_end[:frames], from_start[2 * reach :][:frames])
