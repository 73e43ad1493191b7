"""From one motion into another without a jump.

============  ===================================================================================
ease_in       rotations that begin where others ended, at their speed, and soon go their own way
ease_path     the same for a path
============  ===================================================================================
"""

from __future__ import annotations

import numpy as np

from kinetune import rotations as rot
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

step_kernels = Kernels("kinetune.inverse.steps.step_motion_kernels")
"""The compiled bodies of all that makes a step."""


def ease_in(rotations: Floats, last: Floats, before: Floats | None, frames: int) -> Floats:
    """Rotations (n, ..., 4) that begin at ``last`` (..., 4).

    Parameters
    ----------
    rotations : where they go; the first is at the same moment as ``last``.
    last, before : where the motion that they take over from ended, and where it was one frame earlier; None: at rest
        beside these.
    frames : after so many frames the difference is gone; 0 leaves all as it is.

    Notes
    -----
    The difference is a rotation vector in the joint's own axes; it follows a cubic from its value and slope at the
    first frame to nothing.
    """
    count = min(frames, len(rotations) - 1)
    if count <= 0:
        return rotations
    fast = step_kernels.settled()
    if fast is not None and rotations.ndim == 3:
        eased = np.array(rotations)
        fast.ease_in(eased, last, last if before is None else before, before is not None, count)
        return eased
    gap = rot.log(rot.multiply(rot.inverse(rotations[0]), last))
    slope = np.zeros_like(gap)
    if before is not None:
        own = rot.log(rot.multiply(rot.inverse(rotations[0]), rotations[1]))
        slope = count * (rot.log(rot.multiply(rot.inverse(before), last)) - own)
    u = (np.arange(count) / count).reshape(-1, *(1,) * gap.ndim)
    offset = (1.0 + 2.0 * u) * (1.0 - u) ** 2 * gap + u * (1.0 - u) ** 2 * slope
    eased = np.array(rotations)
    eased[:count] = rot.multiply(rotations[:count], rot.exp(offset))
    return eased


def ease_path(path: Floats, last: Floats, before: Floats | None, frames: int) -> Floats:
    """A path (n, 3) that begins at ``last`` (3,), at the speed with which it came there from ``before``."""
    count = min(frames, len(path) - 1)
    if count <= 0:
        return path
    slope = np.zeros(3) if before is None else count * ((last - before) - (path[1] - path[0]))
    u = (np.arange(count) / count)[:, None]
    eased = np.array(path)
    eased[:count] += (1.0 + 2.0 * u) * (1.0 - u) ** 2 * (last - path[0]) + u * (1.0 - u) ** 2 * slope
    return eased
