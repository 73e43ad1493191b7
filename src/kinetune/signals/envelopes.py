"""Curves above others.

==============  =======================================================================
largest_around  the largest value near each frame
envelope        a smooth curve that is nowhere below another
==============  =======================================================================
"""

from __future__ import annotations

import numpy as np

from kinetune.rotations import Floats


def largest_around(values: Floats, reach: int) -> Floats:
    """The largest value (frames,) within ``reach`` frames on either side, in time that does not grow with it."""
    from scipy.ndimage import maximum_filter1d

    return np.asarray(maximum_filter1d(np.asarray(values, dtype=float), 2 * reach + 1, mode="nearest"))


def envelope(values: Floats, reach: int) -> Floats:
    """A curve (frames,) without corners that is nowhere below ``values``, and follows them within ``reach`` frames.

    Notes
    -----
    The largest value nearby, averaged twice over as many frames: no average is less than what all of its frames exceed.
    Law: ``tests/signals/test_envelopes.py``.
    """
    from scipy.ndimage import uniform_filter1d

    half = -(-reach // 2)
    top = largest_around(values, 2 * half)
    for _ in range(2):
        top = uniform_filter1d(top, 2 * half + 1, mode="nearest")
    return np.asarray(top)
