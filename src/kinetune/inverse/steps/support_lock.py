"""The foot that carries does not move: the whole figure is placed so that it stands still.

=============  =================================================================================
lock_support   root positions and rotations for which the standing foot keeps its place and turn
LOCKS          the ways to do it: "full" is right, the others show why
=============  =================================================================================

[huang] translates the character at every frame so that the support foot does not slide. Translating is not enough: a
blend of examples turns the foot as well, and a figure that turns about its ankle slides on its toes. Here the full
frame of the toes is locked, and the figure hangs on it: root = toes (leg chain)^-1. Then examples need no alignment,
and nothing drifts, at any weights.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from kinetune import rotations as rot
from kinetune.inverse.steps.step_pools import StepPool
from kinetune.inverse.walk.pose_easing import step_kernels
from kinetune.rotations import Floats

Lock = Literal["full", "place", "ankle", "none"]
LOCKS: tuple[Lock, ...] = ("full", "place", "ankle", "none")


def lock_support(
    pool: StepPool,
    rotations: Floats,
    carrier: Floats,
    heading: float,
    lock: Floats,
) -> tuple[Floats, Floats]:
    """Where the first joint is (frames, 3) and how it is turned (frames, 4) when the toes that stand are locked.

    Parameters
    ----------
    rotations : (frames, joints, 4) local rotations.
    carrier : (frames, 4) how the toes are turned, seen from the foot, their heading 0.
    heading : of the foot in the world, in radians.
    lock : (3,) where its locked point is in the world.
    """
    fast = step_kernels.settled()
    if fast is not None:
        root, facing = np.empty((len(carrier), 3)), np.empty((len(carrier), 4))
        to_root, offsets = pool.legs.to_root_array, pool.offsets
        fast.lock_support(rotations, carrier, heading, lock, pool.stands.lock, to_root, offsets, root, facing)
        return root, facing
    turned = rot.multiply(rot.about_y(heading), carrier)
    place = lock - rot.rotate(turned, pool.stands.lock)
    for joint in pool.legs.to_root:
        turned = rot.multiply(turned, rot.inverse(rotations[:, joint]))
        place = place - rot.rotate(turned, pool.skeleton.offsets[joint])
    return place, turned


def level_turn(pool: StepPool, carrier: Floats) -> Floats:
    """Rotations (n, 4) of the toes that stand, turned about the vertical so that they point straight ahead."""
    fast = step_kernels.settled()
    if fast is not None:
        turned = np.array(carrier)
        fast.level_turn(turned, pool.stands.ahead)
        return turned
    return rot.multiply(rot.about_y(-pool.stands.heading(carrier)), carrier)


def loosen(
    how: Lock, pool: StepPool, root: Floats, turned: Floats, rotations: Floats, examples: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """A locked figure, locked less well, for comparison.

    Parameters
    ----------
    how : "place" moves the figure so that the locked point stands still, but turns it as the examples are turned on
        average; "ankle" does so for the ankle, as [huang] may be read; "none" takes the path of the examples as well.
    examples : what the examples' own roots give on average: positions (frames, 3) and rotations (frames, 4), in the
        same place at the first frame.
    """
    path, turns = examples
    if how == "none":
        return path, turns
    chain = tuple(reversed(pool.legs.to_root))
    if how == "ankle":
        chain = chain[: chain.index(pool.stands.ankle) + 1]
    end = pool.stands.lock if how == "place" else np.zeros(3)
    held = _end_of(pool, chain, root[:1], turned[:1], rotations[:1], end)
    loose = _end_of(pool, chain, np.zeros_like(root), turns, rotations, end)
    return held - loose, turns


def _end_of(
    pool: StepPool, chain: tuple[int, ...], root: Floats, turned: Floats, rotations: Floats, end: Floats
) -> Floats:
    place = root
    for joint in chain:
        place = place + rot.rotate(turned, pool.skeleton.offsets[joint])
        turned = rot.multiply(turned, rotations[:, joint])
    return np.asarray(place + rot.rotate(turned, end))
