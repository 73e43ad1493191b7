"""Where a motion takes place: turn and move the whole figure, without changing its pose.

=================  ================================================================================
place              the figure turned and moved, the same for all frames or for each
place_joint        the same for one joint and what hangs below it
facing             which way the figure faces
travelling_joint   the joint that carries it through the world
=================  ================================================================================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.rotations import Floats


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
