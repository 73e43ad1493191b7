"""Frames that repeat the one before.

====================  ==================================================================
find_repeated_frames  which frames do
times_stored          how often in a row every frame is stored: twice in 30 fps put as 60
drop_repeats          the clip with every frame stored once, at its true rate
====================  ==================================================================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinetune.body.clip import Clip, Marker
from kinetune.body.quality.glitches import rotation_steps
from kinetune.body.root_motion import travelling_joint

_SAME = 1e-7
_FEWEST = 8  # changes of the pose: fewer may come at even times by chance


def find_repeated_frames(clip: Clip) -> NDArray[np.bool_]:
    """Whether each frame but the first repeats the one before it, (frames - 1,)."""
    path = np.diff(clip.positions()[:, travelling_joint(clip)], axis=0)
    return np.asarray((np.abs(path) < _SAME).all(axis=1) & (rotation_steps(clip.rotations) < _SAME).all(axis=1))


def times_stored(clip: Clip) -> int:
    """How often in a row every frame is stored; 1 ordinarily.

    The pose then changes only every so many frames. Where the motion rests it may stay for any multiple of that.
    """
    changes = np.flatnonzero(~find_repeated_frames(clip)) if len(clip) > 1 else np.zeros(0, dtype=np.intp)
    return int(np.gcd.reduce(np.diff(changes))) if len(changes) >= _FEWEST else 1


def drop_repeats(clip: Clip) -> Clip:
    """The clip with every frame stored once, at its true rate; itself where that is so."""
    times = times_stored(clip)
    if times == 1:
        return clip
    return clip[::times].replace(markers=tuple(Marker(marker.frame // times, marker.name) for marker in clip.markers))
