"""The foot that swings stands too, before it leaves and after it lands: it rolls off and lands without sliding.

==============  =================================================================================
plant_swing     a step whose swinging foot keeps to the floor at both ends
plant_support   a step whose standing foot stays where it is while the hips are eased in
FootTrack       how a foot stands: its place, its locked point, its rotations
follow          where a foot goes in a step
==============  =================================================================================

A blend puts the foot where it shall be at the ends of a step, and roughly there while both feet stand: positions along
a chain are not linear in the weights, so that it slides by millimetres. How a foot rolls over its toes as it leaves,
and over its heel as it lands, is therefore blended apart, as seen from the place where it stands; in the air the one
way fades into the other, and the leg follows by inverse kinematics. Where it lands (x, z and heading) is left to the
blend; only its height is set to the floor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kinetune import rotations as rot
from kinetune.body.kinematics.limb_ik import solve_limb
from kinetune.inverse.steps.step_extraction import LANDS, LEAVES, FootFrame
from kinetune.inverse.steps.step_pools import StepPool
from kinetune.inverse.walk.footsteps import turn_by, turned
from kinetune.inverse.walk.pose_easing import step_kernels
from kinetune.rotations import Floats

_SOFTNESS = 0.001


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
    fast = step_kernels.settled()
    if fast is not None:
        places, feet = np.empty((len(root), 3)), np.empty((len(root), 2, 4))
        fast.follow(root, rotations, chain, frame.ankle, pool.offsets, places, feet)
        return places, feet
    place, tips, ankle = root, rotations[:, 0], rotations[:, 0]
    for joint in chain[1:].tolist():
        place = place + rot.rotate(tips, pool.offsets[joint])
        tips = rot.multiply(tips, rotations[:, joint])
        if joint == frame.ankle:
            ankle = tips
    return place, np.stack([ankle, tips], axis=1)


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
    skeleton, limb = pool.skeleton, pool.limbs[frame.side]
    fast = step_kernels.settled()
    if fast is not None:
        result, count, links = np.array(rotations), len(rotations), len(limb.chain)
        fast.plant(
            root, result, limb.chain, pool.offsets, limb.joints, frame.ahead, frame.lock, frame.pivot, limb.hinge,
            share, *before, *after, _SOFTNESS, np.empty((count, links, 3)), np.empty((count, links, 4)),
            np.empty((2, count, 9)),
        )  # fmt: skip
        return result
    places, turns = {0: root}, {0: rotations[:, 0]}
    for joint in limb.chain[1:].tolist():
        above = int(skeleton.parents[joint])
        places[joint] = places[above] + rot.rotate(turns[above], skeleton.offsets[joint])
        turns[joint] = rot.multiply(turns[above], rotations[:, joint])
    upper, lower, ankle, toes = limb.chain[limb.joints].tolist()
    ball = places[toes][-1] + rot.rotate(turns[toes][-1], frame.pivot)
    landing = turn_by(float(frame.heading(turns[toes][-1]) - frame.heading(after[1][-1, 1])))
    after_point = np.array([ball[0], 0.0, ball[2]]) + rot.rotate(landing, after[0])
    reach = np.zeros(3) if ankle == toes else skeleton.offsets[toes]
    goals = []
    for point, feet, end in ((*before, frame.lock), (after_point, rot.multiply(landing, after[1]), frame.pivot)):
        own, tips = feet[:, 0], feet[:, 1]
        goals.append((point - rot.rotate(tips, end) - rot.rotate(own, reach), own, tips))
    shift = _faded([goal - places[ankle] for goal, _, _ in goals], share)
    turn_foot = _faded([_turn(own, turns[ankle]) for _, own, _ in goals], share)
    turn_toes = _faded([_turn(tips, turns[toes]) for _, _, tips in goals], share)
    hinge = rot.rotate(turns[upper], limb.hinge)
    solved = solve_limb(
        places[upper], places[lower], places[ankle], places[ankle] + shift, hinge=hinge, softness=_SOFTNESS
    )
    result = np.array(rotations)
    above_hip = turns[int(skeleton.parents[upper])]
    result[:, upper] = rot.multiply(rot.inverse(above_hip), rot.multiply(solved.upper, turns[upper]))
    carrier = rot.multiply(solved.upper, turns[int(skeleton.parents[lower])])
    result[:, lower] = rot.multiply(rot.inverse(carrier), rot.multiply(solved.lower, turns[lower]))
    carrier = rot.multiply(solved.lower, turns[int(skeleton.parents[ankle])])
    foot = rot.multiply(rot.exp(turn_foot), turns[ankle])
    result[:, ankle] = rot.multiply(rot.inverse(carrier), foot)
    if toes != ankle:
        result[:, toes] = rot.multiply(rot.inverse(foot), rot.multiply(rot.exp(turn_toes), turns[toes]))
    return result


def _landing_share(phases: Floats) -> Floats:
    """How far the way to the landing counts, (frames,) from 0 to 1."""
    share = np.clip((phases - LEAVES) / (LANDS - LEAVES), 0.0, 1.0)
    return np.asarray(share**3 * (10.0 - 15.0 * share + 6.0 * share**2))


def _turn(wanted: Floats, now: Floats) -> Floats:
    return rot.log(rot.multiply(wanted, rot.inverse(now)))


def _faded(both: list[Floats], share: Floats) -> Floats:
    """The first of two corrections fading into the second."""
    return np.asarray((1.0 - share)[:, None] * both[0] + share[:, None] * both[1])
