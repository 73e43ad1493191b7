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
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.filters import butterworth, straight


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


def place(clip: Clip, turn: ArrayLike, shift: ArrayLike) -> Clip:
    """The clip with every world point p at ``turn p + shift`` instead.

    Parameters
    ----------
    turn : (4,) or (frames, 4) rotation wxyz in world axes.
    shift : (3,) or (frames, 3) in metres.

    Notes
    -----
    Only the roots change: all joints follow. Contacts and markers stay, since feet stand when they stood before.
    Law: distances between joints are kept (``tests/body/root/test_placement.py``).
    """
    q = np.broadcast_to(np.asarray(turn, dtype=float), (len(clip), 4))
    s = np.broadcast_to(np.asarray(shift, dtype=float), (len(clip), 3))
    rotations = np.array(clip.rotations)
    if not np.array_equal(q, rot.identity(len(clip))):  # a mere shift leaves every rotation as it is, to the bit
        for joint in clip.skeleton.roots:
            rotations[:, joint] = rot.normalize(rot.multiply(q, clip.rotations[:, joint]))
    translations = clip.translations
    if len(clip.skeleton.roots) > 1:
        translations = np.array(local_translations(clip))
        for joint in clip.skeleton.roots[1:]:
            translations[:, joint] = rot.rotate(q, translations[:, joint]) + s
    root = rot.rotate(q, clip.root) + s
    return clip.replace(root=root, rotations=rotations, translations=translations, contacts=clip.contacts)


def place_joint(clip: Clip, joint: int, turn: Floats, shift: Floats) -> Clip:
    """Like :func:`place`, for one joint and all that hangs below it; the joints above it stay where they are.

    Below a root that stands still, this moves the figure and leaves that root alone; a root itself moves with all.
    """
    parent = int(clip.skeleton.parents[joint])
    if parent < 0:
        return place(clip, turn, shift)
    positions, world = clip.positions(), clip.world_rotations()
    above = rot.inverse(world[:, parent])
    moved = rot.rotate(turn, positions[:, joint]) + shift
    rotations, translations = np.array(clip.rotations), np.array(local_translations(clip))
    rotations[:, joint] = rot.normalize(rot.multiply(above, rot.multiply(turn, world[:, joint])))
    translations[:, joint] = rot.rotate(above, moved - positions[:, parent])
    return clip.replace(rotations=rotations, translations=translations, contacts=clip.contacts)


def local_translations(clip: Clip) -> Floats:
    """Every joint's position in its parent's frame, (frames, joints, 3), whether or not the clip animates them."""
    if clip.translations is not None:
        return clip.translations
    found = np.array(np.broadcast_to(clip.skeleton.offsets, (len(clip), len(clip.skeleton), 3)))
    found[:, 0] = clip.root
    return found


def travelling_joint(clip: Clip) -> int:
    """The joint that carries a figure through the world: its first root, or the hips where that one stands still.

    Some files keep a root at the origin and move the hips below it.
    """
    hips = clip.skeleton.roles.get("hips", 0)
    if clip.translations is None:
        return 0
    above = list(clip.skeleton.chain(hips)[:-1])
    still = not np.ptp(clip.translations[:, above], axis=0).any() and not np.ptp(clip.rotations[:, above], axis=0).any()
    return hips if above and still else 0


def facing(clip: Clip) -> Floats:
    """Which way the figure faces, (frames,) radians about the vertical from +Z towards +X, unrolled over time.

    The line from the right hip to the left one tells it; for a figure without legs, the turn of its first joint.
    """
    across = _across(clip.skeleton)
    if across is not None:
        left, right = across
        positions = clip.positions()
        line = positions[:, left] - positions[:, right]
        angles = np.arctan2(-line[:, 2], line[:, 0])  # the front lies a quarter turn from the left side
    else:
        turned = clip.world_rotations()[:, travelling_joint(clip)]
        twice = 2.0 * np.arctan2(turned[:, 2], turned[:, 0])
        angles = np.arctan2(np.sin(twice), np.cos(twice))
    return np.unwrap(angles)


def _across(skeleton: Skeleton) -> tuple[int, int] | None:
    for part in ("upper leg", "foot", "upper arm"):
        left, right = (skeleton.roles.get(f"{side} {part}") for side in ("left", "right"))
        if left is not None and right is not None:
            return left, right
    return None


TRAVEL_HZ = 0.3
"""Slow walks repeat at 0.6 Hz: their sway lies well above this, and bends of their path below."""


class Travel(NamedTuple):
    """The slow way of a figure.

    joint : the joint that carries it (:func:`kinetune.body.root_motion.travelling_joint`).
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
