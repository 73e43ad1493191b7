"""Where the whole character is, which way it faces and where it travels.

===================  ===================================================================================
root_motion          where the hips are on the floor and which way the character faces, frame by frame
remove_root_motion   the character on the spot, at the origin, facing +Z
add_root_motion      the character back on its path, or on another one
place                the whole character rotated and moved, without a change of its pose
place_character      the same for what travels, where a root stands still
place_joint          the same for one joint and everything below it
facing               which way the character faces
travelling_joint     the joint that carries it through the world
carried_by_root      the same motion with the character carried by the first joint, where a root stands still above it
below_still_root     the same motion below a root that stands still again
slow_travel          the slow part of its path and heading, without the sway
is_cycle             whether it ends in the pose that it began with, wherever it has gone
===================  ===================================================================================

A game engine moves a character's capsule along (positions, headings) and plays the remaining clip inside it.

A walk sways, surges and bobs about a path, and its pelvis rotates about a heading. An edit that boosts a frequency may
act on the sway but must not send the character elsewhere, so the slow part is removed first and restored afterwards.
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

_SAME_POSE = 2e-3  # radians


class RootMotion(NamedTuple):
    """The path of a character over the floor.

    positions : (frames, 2) x and z of the hips in metres.
    headings : (frames,) radians about the vertical from +Z towards +X, unrolled: two turns are 4 pi.
    """

    positions: Floats
    headings: Floats


def root_motion(clip: Clip) -> RootMotion:
    """Where the character is on the floor and which way it faces, frame by frame."""
    hips = clip.skeleton.roles.get("hips", 0)
    return RootMotion(clip.positions()[:, hips][:, [0, 2]].copy(), facing(clip))


def remove_root_motion(clip: Clip, motion: RootMotion | None = None, joint: int | None = None) -> Clip:
    """The clip on the spot: its hips over the origin, facing +Z, in every frame.

    Parameters
    ----------
    motion : the path to remove; the clip's own if omitted. A smoothed path leaves the sway in the clip.
    joint : the joint that is moved; the clip's :func:`travelling_joint` if omitted.
    """
    removed = root_motion(clip) if motion is None else _checked(motion, len(clip))
    turn = rot.about_y(-removed.headings)
    carrier = travelling_joint(clip) if joint is None else joint
    return place_joint(clip, carrier, turn, -rot.rotate(turn, on_floor(removed.positions)))


def add_root_motion(clip: Clip, motion: RootMotion, joint: int | None = None) -> Clip:
    """The clip on its path: the inverse of :func:`remove_root_motion`.

    Law: removing and adding gives the clip again (``tests/body/test_root_motion.py``).
    """
    added = _checked(motion, len(clip))
    carrier = travelling_joint(clip) if joint is None else joint
    return place_joint(clip, carrier, rot.about_y(added.headings), on_floor(added.positions))


def on_floor(positions: Floats) -> Floats:
    """Points (n, 3) on the floor from x and z (n, 2)."""
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
    Law: distances between joints are kept (``tests/body/test_root_motion.py``).
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


def place_character(clip: Clip, turn: ArrayLike, shift: ArrayLike) -> Clip:
    """Like :func:`place`, for what travels: a root that stands still stays where it is (:func:`travelling_joint`)."""
    q = np.broadcast_to(np.asarray(turn, dtype=float), (len(clip), 4))
    s = np.broadcast_to(np.asarray(shift, dtype=float), (len(clip), 3))
    return place_joint(clip, travelling_joint(clip), q, s)


def place_joint(clip: Clip, joint: int, turn: Floats, shift: Floats) -> Clip:
    """Like :func:`place`, for one joint and all that hangs below it; the joints above it stay where they are.

    Below a root that stands still, this moves the character and leaves that root alone; a root itself moves with all.
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


def shift_joint(clip: Clip, joint: int, shift: Floats) -> Clip:
    """The clip with the joint that carries the character, and all below it, moved by (frames, 3) metres."""
    if joint == 0:
        return clip.replace(root=clip.root + shift, contacts=clip.contacts)
    return place_joint(clip, joint, rot.identity(len(clip)), shift)


def local_translations(clip: Clip) -> Floats:
    """Every joint's position in its parent's frame, (frames, joints, 3), whether or not the clip animates them."""
    if clip.translations is not None:
        return clip.translations
    translations = np.array(np.broadcast_to(clip.skeleton.offsets, (len(clip), len(clip.skeleton), 3)))
    translations[:, 0] = clip.root
    return translations


_STILL = 1e-6  # metres, and radians: more than rounding leaves behind


def travelling_joint(*clips: Clip) -> int:
    """The joint that carries a character through the world: its first root, or the first joint below it that moves.

    Some files keep a root at the origin and move the hips below it. Of several clips with the same joints, it is the
    joint that carries the character in all of them.
    """
    skeleton = clips[0].skeleton
    if all(clip.translations is None for clip in clips):
        return 0
    for joint in skeleton.chain(skeleton.body_root):
        if any(_moves(clip, joint) for clip in clips):
            return joint
    return skeleton.body_root


def _moves(clip: Clip, joint: int) -> bool:
    """Whether a joint moves or turns in its parent's frame."""
    if np.ptp(local_translations(clip)[:, joint], axis=0).max() > _STILL:
        return True
    likeness = np.abs(clip.rotations[:, joint] @ clip.rotations[0, joint])
    return bool(likeness.min() < 1.0 - 0.125 * _STILL**2 - 1e-15)


def carried_by_root(clip: Clip) -> Clip:
    """The motion of a character below a root that stands still, carried by that root; other clips as they are.

    The joints above the body go where its first joint is, so that the first joint of the clip is that of the body. Law:
    :func:`below_still_root` takes it back (``tests/body/test_root_motion.py``).
    """
    skeleton, joint = clip.skeleton, clip.skeleton.body_root
    if not skeleton.above_body:
        return clip
    between = [*skeleton.above_body[1:], joint]
    offsets, rest, rotations = np.array(skeleton.offsets), np.array(skeleton.rest), np.array(clip.rotations)
    rest[0], rotations[:, 0] = skeleton.rest_rotations[joint], clip.world_rotations()[:, joint]
    offsets[between], rest[between], rotations[:, between] = 0.0, rot.identity(), rot.identity()
    translations = np.array(local_translations(clip))
    translations[:, between] = 0.0
    carried = Skeleton(skeleton.names, skeleton.parents, offsets, skeleton.end_sites, rest)
    root = clip.positions()[:, joint]
    return clip.replace(
        skeleton=carried,
        root=root,
        rotations=rotations,
        translations=None if clip.translations is None else translations,
        contacts=clip.contacts,
    )


def below_still_root(clip: Clip, like: Clip) -> Clip:
    """A motion that :func:`carried_by_root` has led to, below the root of another clip as that stands at first."""
    skeleton, joint = like.skeleton, like.skeleton.body_root
    if not skeleton.above_body or not skeleton.same_joints(clip.skeleton):
        return clip
    above = list(skeleton.above_body)
    translations, rotations = np.array(local_translations(clip)), np.array(clip.rotations)
    translations[:, above], rotations[:, above] = local_translations(like)[0, above], like.rotations[0, above]
    still = clip.replace(skeleton=skeleton, root=translations[:, 0], rotations=rotations, translations=translations)
    carrier = rot.inverse(still.world_rotations()[:, above[-1]])
    away = clip.positions()[:, joint] - still.positions()[:, above[-1]]
    translations[:, joint] = rot.rotate(carrier, away)
    rotations[:, joint] = rot.continuous(rot.normalize(rot.multiply(carrier, clip.world_rotations()[:, joint])))
    return still.replace(rotations=rotations, translations=translations, contacts=clip.contacts)


def facing(clip: Clip) -> Floats:
    """Which way the character faces, (frames,) radians about the vertical from +Z towards +X, unrolled over time.

    Read from the line between the hips or, for a character without legs, from the rotation of its first joint.
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
    """The slow path of a character.

    joint : the joint that carries it (:func:`kinetune.body.root_motion.travelling_joint`).
    path : (frames, 3) metres in the world.
    headings : (frames,) radians about the vertical.
    """

    joint: int
    path: Floats
    headings: Floats


def slow_travel(clip: Clip, *, steady: bool = False) -> Travel:
    """The slow part of a character's path and heading.

    Parameters
    ----------
    steady : take the straight line from the first frame to the last, the travel of a cycle that repeats.

    Notes
    -----
    A straight path at a steady pace is its own slow part to rounding, also at the ends
    (``tests/body/test_root_motion.py``).
    """
    joint = travelling_joint(clip)
    path = np.concatenate([clip.positions()[:, joint], facing(clip)[:, None]], axis=1)
    slow = straight(path[0], path[-1], len(path)) if steady else butterworth(path, clip.fps, TRAVEL_HZ)
    return Travel(joint, slow[:, :3], slow[:, 3])


def is_cycle(clip: Clip) -> bool:
    """Whether the last pose is the first one again; where the character has gone meanwhile does not matter."""
    if len(clip) < 2:
        return False
    carriers = clip.skeleton.chain(travelling_joint(clip))
    others = [j for j in range(len(clip.skeleton)) if j not in carriers]
    turned = rot.angle_between(clip.rotations[0, others], clip.rotations[-1, others])
    return bool(np.all(turned < _SAME_POSE)) if others else True
