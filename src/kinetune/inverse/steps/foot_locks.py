"""Feet that stand do not move: the one that carries, and the one that swings before it leaves and after it lands.

==============  =================================================================================
lock_support    root positions and rotations for which the standing foot keeps its frame
loosen          the same, locked less well, to see why the full lock is needed
plant_support   a step whose standing foot stays where it is while the hips are eased in
plant_swing     a step whose swinging foot keeps to the floor at both ends
FootTrack       how a foot stands: its position, its locked point, its rotations
follow          where a foot goes in a step
==============  =================================================================================

[huang] translates the character at every frame so that the support foot does not slide. Translating is not enough: a
blend of examples rotates the foot as well, and a character that rotates about its ankle slides on its toes. Here the
full frame of the toes is locked, and the character hangs on it: root = toes (leg chain)^-1. Then examples need no
alignment, and nothing drifts, at any weights.

A blend puts the swinging foot on its target at the ends of a step, and roughly there while both feet stand: positions
along a chain are not linear in the weights, so that it slides by millimetres. How a foot rolls over its toes as it
leaves, and over its heel as it lands, is therefore blended apart, as seen from the position where it stands; in the air
the one path fades into the other, and the leg follows by inverse kinematics. Where it lands (x, z and heading) is left
to the blend; only its height is set to the floor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kinetune import rotations as rot
from kinetune.inverse.steps.step_extraction import LANDS, LEAVES, FootFrame
from kinetune.inverse.steps.step_pools import StepPool, step_kernels
from kinetune.inverse.walk.footsteps import turned
from kinetune.rotations import Floats

Lock = Literal["full", "place", "ankle", "none"]


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
    root, facing = np.empty((len(carrier), 3)), np.empty((len(carrier), 4))
    step_kernels.load().lock_support(
        rotations, carrier, heading, lock, pool.stands.lock, pool.legs.to_root_array, pool.offsets, root, facing
    )
    return root, facing


def level_turn(pool: StepPool, carrier: Floats) -> Floats:
    """Rotations (n, 4) of the toes that stand, turned about the vertical so that they point straight ahead."""
    level = np.array(carrier)
    step_kernels.load().level_turn(level, pool.stands.ahead)
    return level


def loosen(
    how: Lock, pool: StepPool, root: Floats, turned: Floats, rotations: Floats, examples: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """A locked character, locked less well, for comparison.

    Parameters
    ----------
    how : "place" moves the character so that the locked point stands still, but turns it as the examples are turned on
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


@dataclass(frozen=True, eq=False)
class FootTrack:
    """How a foot stands.

    place : (3,) x, z and heading of its ball. height : of its ball, in metres. lock : (3,) its locked point.
    feet : (2, 4) rotations of ankle and toes in the world.
    """

    place: Floats
    height: float
    lock: Floats
    feet: Floats

    @classmethod
    def read(cls, pool: StepPool, frame: FootFrame, root: Floats, rotations: Floats) -> FootTrack:
        """A foot in a pose: root (3,), rotations (joints, 4), that of the first joint in the world."""
        places, feet = follow(pool, frame, root[None], rotations[None])
        tips = feet[0, 1]
        ball = places[0] + turned(tips, frame.pivot)
        x, _, z = turned(tips, frame.ahead)
        place = np.array([ball[0], ball[2], math.atan2(x, z)])
        return cls(place, float(ball[1]), places[0] + turned(tips, frame.lock), feet[0])


def follow(pool: StepPool, frame: FootFrame, root: Floats, rotations: Floats) -> tuple[Floats, Floats]:
    """Where the carrier of a foot is (frames, 3), and how ankle and carrier are turned (frames, 2, 4), in the world.

    rotations : (frames, joints, 4), those of the first joint in the world.
    """
    chain = pool.chain_to(frame.carrier)
    positions, feet = np.empty((len(root), 3)), np.empty((len(root), 2, 4))
    places, turns = np.require(root, float, ("C", "W")), np.require(rotations, float, ("C", "W"))
    step_kernels.load().follow(places, turns, chain, frame.ankle, pool.offsets, positions, feet)
    return positions, feet


def plant_support(pool: StepPool, root: Floats, rotations: Floats, lock: Floats, feet: Floats) -> Floats:
    """The rotations of a step whose standing foot keeps its place, wherever the hips were eased to.

    Parameters
    ----------
    root, rotations : (frames, 3) and (frames, joints, 4) of the step, rotations of the first joint in the world.
    lock : (3,) where its locked point stands. feet : (frames, 2, 4) how ankle and toes are turned in the world.
    """
    frames = len(root)
    point = np.ascontiguousarray(np.broadcast_to(lock, (frames, 3)))
    track = (point, feet)
    return _plant(pool, pool.stands, root, rotations, np.zeros(frames), track, track)


def plant_swing(
    pool: StepPool,
    root: Floats,
    rotations: Floats,
    phases: Floats,
    before: tuple[Floats, Floats],
    after: tuple[Floats, Floats],
) -> Floats:
    """The rotations of a step whose swinging foot does not slide while it stands.

    Parameters
    ----------
    before : how the foot rolls off: its locked point (frames, 3) and the rotations (frames, 2, 4) of ankle and toes.
    after : how it lands: its ball and rotations, as seen from where it lands.
    """
    return _plant(pool, pool.swings, root, rotations, _landing_share(phases), before, after)


def _plant(
    pool: StepPool,
    frame: FootFrame,
    root: Floats,
    rotations: Floats,
    share: Floats,
    before: tuple[Floats, Floats],
    after: tuple[Floats, Floats],
) -> Floats:
    planted = np.array(rotations)
    step_kernels.load().plant(root, planted, tuple(pool.leg_arrays[frame.side]), share, before, after)
    return planted


def _landing_share(phases: Floats) -> Floats:
    """How far the way to the landing counts, (frames,) from 0 to 1."""
    share = np.clip((phases - LEAVES) / (LANDS - LEAVES), 0.0, 1.0)
    return np.asarray(share**3 * (10.0 - 15.0 * share + 6.0 * share**2))
