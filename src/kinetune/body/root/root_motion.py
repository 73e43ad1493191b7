"""The way a figure travels, apart from how it moves: what game engines call root motion.

===================  ==============================================================================
root_motion          where the hips are on the floor and which way the figure faces, frame by frame
remove_root_motion   the figure on the spot, at the origin, facing +Z
add_root_motion      put it back on its way, or on another one
===================  ==============================================================================

An engine moves a character's capsule along (positions, headings) and plays the clip that is left inside it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.root.placement import facing, place_joint, travelling_joint
from kinetune.errors import ParameterError
from kinetune.rotations import Floats


class RootMotion(NamedTuple):
    """The way of a figure over the floor.

    positions : (frames, 2) x and z of the hips in metres.
    headings : (frames,) radians about the vertical from +Z towards +X, unrolled: two turns are 4 pi.
    """

    positions: Floats
    headings: Floats


def root_motion(clip: Clip) -> RootMotion:
    """Where the figure is on the floor and which way it faces, frame by frame."""
    hips = clip.skeleton.roles.get("hips", 0)
    return RootMotion(clip.positions()[:, hips][:, [0, 2]].copy(), facing(clip))


def remove_root_motion(clip: Clip, motion: RootMotion | None = None) -> Clip:
    """The clip on the spot: its hips over the origin, facing +Z, in every frame.

    Parameters
    ----------
    motion : the way to take off; the clip's own when left out. A smoothed way leaves the sway in the clip.
    """
    taken = root_motion(clip) if motion is None else _checked(motion, len(clip))
    turn = rot.about_y(-taken.headings)
    return place_joint(clip, travelling_joint(clip), turn, -rot.rotate(turn, _on_floor(taken.positions)))


def add_root_motion(clip: Clip, motion: RootMotion) -> Clip:
    """The clip on its way: the inverse of :func:`remove_root_motion`.

    Law: removing and adding gives the clip again (``tests/body/root/test_root_motion.py``).
    """
    given = _checked(motion, len(clip))
    return place_joint(clip, travelling_joint(clip), rot.about_y(given.headings), _on_floor(given.positions))


def _on_floor(positions: Floats) -> Floats:
    return np.stack([positions[:, 0], np.zeros(len(positions)), positions[:, 1]], axis=-1)


def _checked(motion: tuple[ArrayLike, ArrayLike], frames: int) -> RootMotion:
    positions, headings = (np.asarray(part, dtype=float) for part in motion)
    if positions.shape != (frames, 2) or headings.shape != (frames,):
        raise ParameterError(
            f"The root motion of {frames} frames takes positions ({frames}, 2) and headings ({frames},); "
            f"got {positions.shape} and {headings.shape}."
        )
    return RootMotion(positions, headings)
