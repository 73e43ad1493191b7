"""Feet that a solver has turned upside down.

=================  ===========================================================
find_flipped_feet  the feet whose sole faces up while they stand
unflip_feet        the same motion with those feet rolled back
=================  ===========================================================

A foot with two degrees of freedom can point the right way and still be rolled by half a turn about its own length: the
markers fit, the joints are where they should be, and the sole faces the sky. HDM05's actor bd has two such takes, in
which a right ankle is rotated by -206 and -198 degrees where its skeleton allows -45 to 90 and -20 to 70. A stick
figure does not show it, but a mesh does, and so does a blend with a correct take: the foot spins by half a turn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.soles import UP, FootJoints, find_foot_joints
from kinetune.rotations import Floats

_LOW_SHARE = 30.0  # percent of the frames, those in which the ankle is lowest
_UPRIGHT = 0.7  # how far up the top of a foot points that stands: 0.73 to 1 in captures


def find_flipped_feet(clip: Clip) -> tuple[FootJoints, ...]:
    """The feet that are upside down: one that would be right after half a turn, while the other foot is right.

    Notes
    -----
    "Up" is that of the rest pose. Two feet upside down suggest an unusual rest pose and are left alone.
    """
    feet = find_foot_joints(clip)
    ups = [standing_ups(clip, foot) for foot in feet]
    rolled = tuple(
        foot for foot, (now, turned) in zip(feet, ups, strict=True) if now < 0.0 and turned > _UPRIGHT and foot.toes
    )
    right = [foot for foot, (now, _) in zip(feet, ups, strict=True) if now > _UPRIGHT]
    return rolled if len(feet) == 2 and right else ()


def unflip_feet(clip: Clip) -> Clip:
    """The same motion with feet that are upside down rolled by half a turn; every joint stays where it is.

    Laws (``tests/body/feet/test_flipped_feet.py``): no joint and no tip of the toes moves; done twice, nothing changes.
    """
    rolled = find_flipped_feet(clip)
    if not rolled:
        return clip
    rotations = clip.rotations.copy()
    for foot in rolled:
        assert foot.toes is not None
        toes, ahead = foot.toes
        roll = _half_turn(ahead)
        along = _half_turn(ahead if foot.tip is None or foot.tip[0] != toes else foot.tip[1])
        rotations[:, foot.ankle] = rot.multiply(rotations[:, foot.ankle], roll)
        rotations[:, toes] = rot.multiply(rot.multiply(rot.inverse(roll), rotations[:, toes]), along)
        for child in clip.skeleton.children[toes]:
            rotations[:, child] = rot.multiply(rot.inverse(along), rotations[:, child])
        for child in clip.skeleton.children[foot.ankle]:
            if child != toes:
                rotations[:, child] = rot.multiply(rot.inverse(roll), rotations[:, child])
    return clip.replace(rotations=rotations, contacts=clip.contacts)


def _half_turn(axis: Floats) -> Floats:
    return np.concatenate([[0.0], axis / np.linalg.norm(axis)])


def standing_ups(clip: Clip, foot: FootJoints) -> tuple[float, float]:
    """How far up the top of a foot points while it is low, as it is and after half a turn about its length."""
    up = rot.rotate(rot.inverse(clip.skeleton.rest_rotations[foot.ankle]), UP)
    height = clip.positions()[:, foot.ankle, 1]
    low = height <= np.percentile(height, _LOW_SHARE)
    now = _median_up(clip, foot.ankle, low, up)
    if foot.toes is None or not np.any(foot.toes[1]):
        return now, now
    return now, _median_up(clip, foot.ankle, low, rot.rotate(_half_turn(foot.toes[1]), up))


def _median_up(clip: Clip, joint: int, frames: NDArray[np.bool_], direction: Floats) -> float:
    return float(np.median(rot.rotate(clip.world_rotations()[frames, joint], direction)[:, 1]))
