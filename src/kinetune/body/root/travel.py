"""Where a figure goes, apart from how it sways on the way.

=============  =====================================================================
slow_travel    the slow part of the path and of the heading
TRAVEL_HZ      below this frequency a movement of the root counts as travel
=============  =====================================================================

A walk sways, surges and bobs about a path, and its pelvis turns about a heading. An edit that turns a frequency up may
act on the sway; it may not send the figure elsewhere. So the slow part is taken off first and put back afterwards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.root.placement import facing, travelling_joint
from kinetune.rotations import Floats
from kinetune.signals.filters import butterworth, straight

TRAVEL_HZ = 0.3
"""Slow walks repeat at 0.6 Hz: their sway lies well above this, and bends of their path below."""


class Travel(NamedTuple):
    """The slow way of a figure.

    joint : the joint that carries it (:func:`kinetune.body.root.placement.travelling_joint`).
    path : (frames, 3) metres in the world.
    headings : (frames,) radians about the vertical.
    """

    joint: int
    path: Floats
    headings: Floats


def slow_travel(clip: Clip, *, steady: bool = False) -> Travel:
    """The slow part of a figure's path and heading.

    Parameters
    ----------
    steady : take the straight line from the first frame to the last, the travel of a cycle that repeats.

    Notes
    -----
    A straight way at a steady pace is its own slow part to rounding, also at the ends
    (``tests/body/root/test_travel.py``).
    """
    joint = travelling_joint(clip)
    path = np.concatenate([clip.positions()[:, joint], facing(clip)[:, None]], axis=1)
    slow = straight(path[0], path[-1], len(path)) if steady else butterworth(path, clip.fps, TRAVEL_HZ)
    return Travel(joint, slow[:, :3], slow[:, 3])
