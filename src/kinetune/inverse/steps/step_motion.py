"""One step as motion: blend, re-time, ease in, lock, plant ([huang], phases 3 and 4, and the concatenation).

================  =================================================================================
make_step         the frames of a step from its weights and the moment before it
Stance            that moment: the pose, how it moves, and how both feet stand
Technique         the parts of the method, each of which can be left out to see why it is there
ease_in           rotations that begin where others ended, at their speed, and soon follow their own course
================  =================================================================================

Erratum: [huang] prints the blend as ``w(t) sum M_i``; what is meant is ``sum w_i(t) M_i(t l_i / l_avg)``.
StepWeights are held while both feet stand and change in between, along a sine; lengths are those at which the examples'
own feet leave and land, so that events meet.
The order matters: ease in first, lock last. Easing turns every joint a little, which would move a foot that was locked
before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.inverse.steps.foot_locks import (
    FootTrack,
    Lock,
    follow,
    level_turn,
    lock_support,
    loosen,
    plant_support,
    plant_swing,
)
from kinetune.inverse.steps.step_blend import StepBlend, read_phases
from kinetune.inverse.steps.step_extraction import LANDS, LEAVES
from kinetune.inverse.steps.step_pools import StepPool, step_kernels
from kinetune.inverse.steps.step_weights import StepWeights
from kinetune.inverse.walk.footsteps import turn_by
from kinetune.rotations import Floats

_SINKINGS = 6
_HANGS_M, _MISSES_M, _MOST_SINKING_M = 5e-5, 1e-5, 0.08
_SPARSE = slice(None, None, 3)  # frames at which the standing foot is looked after
_FADE_FRAMES = 5


@dataclass(frozen=True)
class Technique:
    """The parts of the method. All are needed; each can be left out to see what happens without it.

    Attributes
    ----------
    lock : {"full", "place", "ankle", "none"}
        How the standing foot is held (:mod:`kinetune.inverse.steps.foot_locks`).
    ease_s : float
        Seconds in which a step takes over from the one before; 0 joins them as they are.
    hard_height : bool
        Demand the height of a landing exactly in the blend.
    similar_pose : bool
        Let the first pose resemble the last one of the step before.
    turned_start : bool
        See the foot behind from the foot ahead, turned with it; without, the start of a step is merely the negated
        end of the one before, as [huang] prints it.
    velocity : bool
        Correct the velocity profile.
    plant_swing : bool
        Let the swinging foot roll off and land without sliding.
    settle : bool
        Calm the pelvis over the finished walk, and bring feet onto footsteps just out of reach.
    """

    lock: Lock = "full"
    ease_s: float = 0.3
    hard_height: bool = False
    similar_pose: bool = True
    turned_start: bool = True
    velocity: bool = True
    plant_swing: bool = True
    settle: bool = True


@dataclass(frozen=True, eq=False)
class Moment:
    """A pose: root (3,), rotations (joints, 4), and those of ankle and toes (2, 4) of the foot behind in the world."""

    root: Floats
    rotations: Floats
    feet: Floats


@dataclass(frozen=True, eq=False)
class Stance:
    """A moment in which both feet stand.

    rotations : (joints, 4) local rotations; those of the first joint are in the world. root : (3,) its place.
    ahead : the foot that carries next: its place (x, z, heading), its locked point, and its rotations in the world.
    behind : the foot that swings next.
    before : one frame earlier; None at the beginning.
    """

    rotations: Floats
    root: Floats
    ahead: FootTrack
    behind: FootTrack
    before: Moment | None = None


@dataclass(frozen=True, eq=False)
class StepMotion:
    """The frames of a step; the first one repeats the moment before it.

    root, rotations : (frames, 3) and (frames, joints, 4); rotations of the first joint are in the world.
    soles : (frames, 4) whether heel and toes of the standing and of the swinging foot carry.
    phases : (frames,) how far the step has come.
    stance : the moment after it.
    opening : (joints, 4) its first pose before easing.
    """

    root: Floats
    rotations: Floats
    soles: NDArray[np.bool_]
    phases: Floats
    stance: Stance
    opening: Floats


def make_step(
    pool: StepPool,
    start: StepWeights,
    end: StepWeights,
    stance: Stance,
    fps: float,
    technique: Technique,
    *,
    ways: Floats,
    phases: Floats | None = None,
) -> StepMotion:
    """The frames of one step.

    Parameters
    ----------
    start, end : weights at both ends.
    stance : the moment before.
    ways : (GRID, n) weights at each phase, from start to end: :func:`weights_between`.
    phases : (frames,) where its frames lie; found when left out (:func:`read_phases`).
    """
    if phases is None:
        phases = read_phases(pool, ways, fps, technique.velocity)
    blend = StepBlend(pool, ways, phases)
    rotations, carrier, soles = blend.pose()
    opening = rotations[0].copy()
    carrier = level_turn(pool, carrier)
    heading = float(stance.ahead.place[2])
    root, turned = lock_support(pool, rotations, carrier, heading, stance.ahead.lock)
    if technique.lock != "full":
        root, turned = loosen(technique.lock, pool, root, turned, rotations, blend.roots(root[0], turned[0]))
    rotations[:, 0] = turned
    frames = round(technique.ease_s * fps)
    feet = follow(pool, pool.stands, root, rotations)[1]
    came = stance.before
    rotations = ease_in(rotations, stance.rotations, None if came is None else came.rotations, frames)
    root = ease_path(root, stance.root, None if came is None else came.root, frames)
    if technique.lock == "full":
        feet = _keep_heading(pool, ease_in(feet, stance.ahead.feet, None, frames), heading)
        tracks = _swing_tracks(blend, stance, start.values, end.values, frames) if technique.plant_swing else None
        root, rotations = _planted(pool, root, rotations, phases, stance.ahead.lock, feet, tracks)
    carrying = _carrying(soles >= 0.5, phases)
    return StepMotion(root, rotations, carrying, phases, _next(pool, root, rotations, stance), opening)


def _planted(
    pool: StepPool,
    root: Floats,
    rotations: Floats,
    phases: Floats,
    lock: Floats,
    feet: Floats,
    tracks: tuple[tuple[Floats, Floats], tuple[Floats, Floats]] | None,
) -> tuple[Floats, Floats]:
    """Root and rotations of a step with both feet planted; the hips sink a little where a leg would be too short.

    Captured legs land straight: a blend that puts a foot a centimetre above the floor could not bring it down else.
    """
    for trial in range(_SINKINGS):
        planted = plant_support(pool, root, rotations, lock, feet)
        if tracks is None:
            break
        planted = plant_swing(pool, root, planted, phases, *tracks)
        places, turns = follow(pool, pool.stands, root[_SPARSE], planted[_SPARSE])
        missed = np.linalg.norm(places + rot.rotate(turns[:, 1], pool.stands.lock) - lock, axis=1)
        landed = FootTrack.read(pool, pool.swings, root[-1], planted[-1])
        hangs = landed.height - float(tracks[1][0][-1, 1])
        late = np.clip((phases - LEAVES) / (1.0 - LEAVES), 0.0, 1.0)
        sink = np.zeros(len(root))
        if _HANGS_M < hangs < _MOST_SINKING_M:
            sink = 1.3 * hangs * late**2 * (3.0 - 2.0 * late)
        if _MISSES_M < missed.max() < _MOST_SINKING_M:
            sink = np.maximum(sink, _spread(2.0 * missed, len(root)))
        if trial == _SINKINGS - 1 or not sink.any():
            break
        root = root - np.outer(sink, [0.0, 1.0, 0.0])
    return root, planted


def _spread(peaks: Floats, frames: int) -> Floats:
    """A smooth curve (frames,) over peaks that were read at every third frame; nothing at the first frame."""
    wide = np.pad(peaks, 2, mode="edge")
    highest = np.lib.stride_tricks.sliding_window_view(wide, 5).max(axis=1)
    soft = np.convolve(np.pad(highest, 2, mode="edge"), np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16.0, mode="valid")
    curve = np.interp(np.arange(frames), np.arange(len(peaks)) * _SPARSE.step, soft)
    return np.asarray(curve * np.minimum(np.arange(frames) / _FADE_FRAMES, 1.0) ** 2)


def _keep_heading(pool: StepPool, feet: Floats, heading: float) -> Floats:
    """Rotations (frames, 2, 4) of ankle and toes in the world, turned so that the toes point along ``heading``."""
    turned = np.array(feet)
    step_kernels.load().keep_heading(turned, pool.stands.ahead, heading)
    return turned


def _swing_tracks(
    blend: StepBlend, stance: Stance, start: Floats, end: Floats, ease: int
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """How the swinging foot rolls off and how it lands: its points (frames, 3) and rotations (frames, 2, 4).

    The point is the locked one before, in the world, and the ball after, seen from the place where it lands.
    """
    behind, pool = stance.behind, blend.pool
    turn = turn_by(float(behind.place[2]))
    path, feet = blend.swing(pool.rolling_off, start)
    path = behind.lock + rot.rotate(turn, path - path[0])
    feet = rot.multiply(turn, feet)
    feet = ease_in(feet, behind.feet, None if stance.before is None else stance.before.feet, ease)
    return (path, feet), blend.swing(pool.landing, end)


def _carrying(soles: NDArray[np.bool_], phases: Floats) -> NDArray[np.bool_]:
    """Which soles carry: a foot in the air does not, and one that stands does with one part at least."""
    bearing = soles.copy()
    bearing[:, 1] |= ~bearing[:, 0]
    down = (phases <= LEAVES) | (phases >= LANDS)
    bearing[:, 2:] &= down[:, None]
    bearing[:, 3] |= (phases <= LEAVES) & ~bearing[:, 2]
    bearing[:, 2] |= (phases >= LANDS) & ~bearing[:, 3]
    return bearing


def _next(pool: StepPool, root: Floats, rotations: Floats, stance: Stance) -> Stance:
    """The moment after a step: the feet change their parts."""
    landed = FootTrack.read(pool, pool.swings, root[-1], rotations[-1])
    stood = FootTrack.read(pool, pool.stands, root[-1], rotations[-1])
    stood = replace(stood, place=stance.ahead.place, lock=stance.ahead.lock)
    feet = follow(pool, pool.stands, root[-2:-1], rotations[-2:-1])[1][0]
    return Stance(rotations[-1], root[-1], landed, stood, Moment(root[-2], rotations[-2], feet))


def ease_in(rotations: Floats, last: Floats, before: Floats | None, frames: int) -> Floats:
    """Rotations (n, ..., 4) that begin at ``last`` (..., 4).

    Parameters
    ----------
    rotations : where they go; the first is at the same moment as ``last``.
    last, before : where the motion that they take over from ended, and where it was one frame earlier; None: at rest
        beside these.
    frames : after so many frames the difference is gone; 0 leaves all as it is.

    Notes
    -----
    The difference is a rotation vector in the joint's own axes; it follows a cubic from its value and slope at the
    first frame to nothing.
    """
    count = min(frames, len(rotations) - 1)
    if count <= 0:
        return rotations
    eased = np.array(rotations)
    step_kernels.load().ease_in(eased, last, last if before is None else before, before is not None, count)
    return eased


def ease_path(path: Floats, last: Floats, before: Floats | None, frames: int) -> Floats:
    """A path (n, 3) that begins at ``last`` (3,), at the speed with which it came there from ``before``."""
    count = min(frames, len(path) - 1)
    if count <= 0:
        return path
    slope = np.zeros(3) if before is None else count * ((last - before) - (path[1] - path[0]))
    u = (np.arange(count) / count)[:, None]
    eased = np.array(path)
    eased[:count] += (1.0 + 2.0 * u) * (1.0 - u) ** 2 * (last - path[0]) + u * (1.0 - u) ** 2 * slope
    return eased
