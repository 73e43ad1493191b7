"""Single steps out of walking clips: one foot swings, the other one stands.

================  =====================================================================================
prepare           a clip with planted feet, its contacts, and the steps found in it
find_cuts         where steps begin and end, from contacts
StepCut           one of them: frames of start, leaving, landing and end
FootFrame         what stands still in a foot: the ball, and where its toes point
sample_step       a step as an example, sampled at phases that mean the same in every step
================  =====================================================================================

A step is cut where both feet stand: from the moment in which the foot ahead is flat to the same moment of the next
foot. In between the toes of the foot that stands lie flat, so that its frame can be locked; the foot behind has raised
its heel and is about to leave. [huang] cuts steps by hand and says no more than "one full step".
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts, find_contacts
from kinetune.body.feet.floor import Ground, find_ground
from kinetune.body.feet.planting import plant
from kinetune.body.feet.soles import Foot, find_foot_joints
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.quality.measures import find_slides
from kinetune.errors import ParameterError
from kinetune.inverse.walk.footsteps import OTHER, Side, seen_from
from kinetune.rotations import Floats
from kinetune.signals.resampling import interpolate

GRID = 97
"""Samples of an example, evenly spread in phase."""
LEAVES, LANDS = 0.15, 0.80
"""Phases at which the swinging foot leaves and lands in every example, regardless of its timing."""
PHASES = np.linspace(0.0, 1.0, GRID)

# Lengths in leg lengths, times in seconds.
_FLAT, _ALMOST_FLAT = 0.0004, 0.003
_SLIDES = 0.001
_STANDING_S = 0.40  # both feet down for longer than this: the character stands
_BEFORE_S, _AFTER_S = 0.35, 0.45  # how much of the standing belongs to a step that begins or ends there
_DURATIONS_S = (0.2, 2.5)
_LEAST_MOVE = 0.04
_CARRYING = (PHASES > 0.15) & (PHASES < 0.6)  # the foot that stands is flat
_AROUND = 8  # frames around a step that show how it goes on


@dataclass(frozen=True)
class FootFrame:
    """What stands still in a foot.

    ankle, carrier : joints. The carrier is the toe joint, or the ankle of a foot without one.
    pivot : (3,) the ball in the carrier's frame in metres; zero where the toe joint is the ball.
    ahead : (3,) where the toes point, in the carrier's frame, level while the foot is flat.
    lock : (3,) the point that is locked while the foot carries, in the carrier's frame: the tip of the toes, over which
        a foot rolls at last, or the ball where there are no toes. While toes lie flat, ball and tip both stand still.
    height : of the ball above the floor while the foot is flat, in metres.
    """

    side: Side
    ankle: int
    carrier: int
    pivot: Floats
    ahead: Floats
    lock: Floats
    height: float

    @classmethod
    def mean(cls, frames: Iterable[FootFrame]) -> FootFrame:
        """One frame for several clips of a skeleton."""
        every = list(frames)
        first = every[0]
        ahead = np.mean([f.ahead for f in every], axis=0)
        pivot, lock = (np.mean([getattr(f, part) for f in every], axis=0) for part in ("pivot", "lock"))
        height = float(np.mean([f.height for f in every]))
        return cls(first.side, first.ankle, first.carrier, pivot, ahead / np.linalg.norm(ahead), lock, height)

    def ball(self, positions: Floats, turned: Floats) -> Floats:
        """Where the ball is, from world positions and rotations (..., joints, 3 and 4)."""
        return positions[..., self.carrier, :] + rot.rotate(turned[..., self.carrier, :], self.pivot)

    def locked(self, positions: Floats, turned: Floats) -> Floats:
        """Where the locked point is, likewise."""
        return positions[..., self.carrier, :] + rot.rotate(turned[..., self.carrier, :], self.lock)

    def heading(self, carrier: Floats) -> Floats:
        """Where the toes point, from world rotations (..., 4) of the carrier: radians about the vertical."""
        return rot.heading(carrier, self.ahead)


@dataclass(frozen=True)
class StepCut:
    """One step in a clip.

    side : the foot that swings.
    start, leave, land, end : frames. ``leave`` is the last one in which the swinging foot still stands behind, and
        ``land`` the first in which it stands ahead.
    from_standing, to_standing : whether the character stands before the step, and after it.
    """

    side: Side
    start: int
    leave: int
    land: int
    end: int
    from_standing: bool
    to_standing: bool


@dataclass(frozen=True, eq=False)
class PreparedClip:
    """A clip whose feet are planted, with what is known of them."""

    clip: Clip
    contacts: Contacts
    ground: Ground
    frames: dict[Side, FootFrame]
    cuts: tuple[StepCut, ...]
    name: str


def prepare(clip: Clip, *, name: str = "") -> PreparedClip:
    """Find the steps of a clip, after planting its feet if they slide: toes lie flat and still while they carry."""
    first = stray_frames(clip)
    motion = clip[first:] if first else clip
    ground = find_ground(motion)
    if ground is None or {foot.side for foot in ground.feet} != set(OTHER):
        raise ParameterError(
            f'{name or "The clip"} cannot walk: its skeleton has no joints in the roles "left foot" and "right foot". '
            "kinetune info FILE shows what was recognised."
        )
    contacts = motion.contacts if motion.contacts is not None else find_contacts(motion, ground=ground)
    if any(slide.metres > _SLIDES * ground.leg for slide in find_slides(motion, contacts, ground)):
        motion = plant(motion, contacts=contacts, ground=ground, rigid_toes=True)
    tilts = _tilts(motion, ground)
    cuts = tuple(find_cuts(contacts, tilts, motion.fps))
    cuts = tuple(cut for cut in cuts if _travels(motion, cut, ground.leg))
    flat = {side: _flat_frames(contacts, contacts.column(side), tilts[side]) for side in OTHER}
    return PreparedClip(motion, contacts, ground, _foot_frames(motion, ground, flat), cuts, name)


def find_cuts(contacts: Contacts, tilts: dict[Side, Floats], fps: float) -> Iterator[StepCut]:
    """The steps in a clip, in order of feet and frames.

    Parameters
    ----------
    contacts : of a left and a right foot.
    tilts : for each side, (frames,) how far the highest point of the sole is above the lowest, in leg lengths.
    """
    for side, other in OTHER.items():
        stands = contacts.intervals(other)
        stances = contacts.intervals(side)
        for (a0, a1), (b0, b1) in itertools.pairwise(stances):
            for c0, c1 in stands:
                if not (c0 < a1 and b0 < c1):
                    continue  # no foot carries the character all the way: a leap, a run
                both_from, both_until = max(c0, a0), min(b1, c1) - 1
                start, standing = _begin(both_from, a1 - 1, tilts[other], fps)
                end, halts = _finish(b0, both_until, tilts[side], fps)
                if both_from == 0 and both_until == len(contacts) - 1:
                    # A clip of a single step was cut by somebody who knew where; standing is shortened all the same.
                    start, end = start if standing else 0, end if halts else both_until
                if start < a1 <= b0 < end and _DURATIONS_S[0] <= (end - start) / fps <= _DURATIONS_S[1]:
                    yield StepCut(side, start, max(a1 - 1, start + 1), b0, end, standing, halts)


def _begin(both_from: int, leave: int, tilt: Floats, fps: float) -> tuple[int, bool]:
    """The first frame of a step, and whether the character stands before it; both feet are down in between."""
    if leave - both_from > _STANDING_S * fps:
        return max(both_from, leave - round(_BEFORE_S * fps)), True
    return both_from + _first_flat(tilt[both_from : leave + 1]), False


def _finish(land: int, both_until: int, tilt: Floats, fps: float) -> tuple[int, bool]:
    """The last frame of a step, and whether the character stands after it."""
    if both_until - land > _STANDING_S * fps:
        return min(both_until, land + round(_AFTER_S * fps)), True
    flat = land + _first_flat(tilt[land : both_until + 1])
    return min(max(flat, land + 1), both_until), False  # a foot may land flat; one frame tells that it has landed


def _first_flat(tilt: Floats) -> int:
    """The first frame in which a sole is flat, or as flat as it becomes: that of a capture rolls all the time."""
    return int(np.argmax(tilt < max(_FLAT, float(tilt.min()) + _ALMOST_FLAT * (tilt.min() >= _FLAT))))


def _flat_frames(contacts: Contacts, column: int, tilt: Floats) -> NDArray[np.bool_]:
    """The frames in which a foot lies flat; those in which it stands on heel and toes where it never is to the last."""
    stands = contacts.flags[:, column]
    flat = stands & (tilt < _FLAT)
    return flat if flat.any() else stands & contacts.heels[:, column] & contacts.toes[:, column]


def _tilts(clip: Clip, ground: Ground) -> dict[Side, Floats]:
    return {_side(foot): np.ptp(ground.floor.above(foot.positions(clip)), axis=1) / ground.leg for foot in ground.feet}


def _side(foot: Foot) -> Side:
    return "left" if foot.side == "left" else "right"


def _travels(clip: Clip, cut: StepCut, leg: float) -> bool:
    ankle = clip.positions()[[cut.start, cut.end], clip.skeleton.roles[f"{cut.side} foot"]]
    return float(np.linalg.norm(ankle[1] - ankle[0])) > _LEAST_MOVE * leg


def _foot_frames(clip: Clip, ground: Ground, flat: dict[Side, NDArray[np.bool_]]) -> dict[Side, FootFrame]:
    joints = {foot.side: foot for foot in find_foot_joints(clip)}
    foot_frames: dict[Side, FootFrame] = {}
    for foot in ground.feet:
        side = _side(foot)
        toes = joints[side].toes
        heel, ball = foot.points[0], foot.points[1]
        carrier = foot.joint if toes is None else toes[0]
        pivot = np.array(ball.offset) if toes is None else np.zeros(3)
        tips = [point.offset for point in foot.points if point.name == "toe" and point.joint == carrier]
        lock = np.array(tips[0]) if toes is not None and tips else pivot
        points = foot.positions(clip)
        along = (points[:, 1] - points[:, 0]) * [1.0, 0.0, 1.0]
        frames = np.flatnonzero(flat[side])
        if len(frames):
            turned = clip.world_rotations()[frames, carrier]
            ahead = rot.rotate(rot.inverse(turned), along[frames]).mean(axis=0)
            place = clip.positions()[frames, carrier] + rot.rotate(turned, pivot)
            height = float(np.median(ground.floor.above(place)))
        else:  # never flat: the rest pose says where the toes point
            rest = clip.skeleton.rest_rotations
            ahead = rot.rotate(rest[foot.joint], np.array(ball.offset) - np.array(heel.offset)) * [1.0, 0.0, 1.0]
            ahead, height = rot.rotate(rot.inverse(rest[carrier]), ahead), 0.02 * ground.leg
        foot_frames[side] = FootFrame(side, foot.joint, carrier, pivot, ahead / np.linalg.norm(ahead), lock, height)
    return foot_frames


@dataclass(frozen=True, eq=False)
class StepExample:
    """One step, seen from the foot that stands: its ball is the origin, its toes point along +Z.

    side : the foot that swings.
    times : (GRID,) seconds since the start at each of :data:`PHASES`.
    rotations : (GRID, joints, 4) local rotations wxyz; those of joints above the legs' common joint do not matter.
    carrier : (GRID, 4) how the toes that stand are turned; their heading is 0 throughout.
    start, end : (3,) where the swinging foot stands before and after: x, z, heading.
    path_before, path_after : (GRID, 3) the locked point of the swinging foot as seen from its place at the start, and
        its ball as seen from its place at the end; y above the floor.
    lock : (3,) where the locked point of the standing foot is.
    feet_before, feet_after : (GRID, 2, 4) rotations of the swinging ankle and carrier, as seen from those places.
    soles : (GRID, 4) whether heel and toes of the standing foot and heel and toes of the swinging one carry, 0 to 1.
    name : the clip it comes from, and its frames.
    """

    side: Side
    times: Floats
    rotations: Floats
    carrier: Floats
    start: Floats
    end: Floats
    path_before: Floats
    path_after: Floats
    feet_before: Floats
    feet_after: Floats
    soles: Floats
    lock: Floats
    from_standing: bool
    to_standing: bool
    name: str


def sample_step(prepared: PreparedClip, cut: StepCut, frames: dict[Side, FootFrame]) -> StepExample:
    """A step of a prepared clip as an example; ``frames`` are those of the whole set."""
    clip, fps = prepared.clip, prepared.clip.fps
    stands, swings = frames[OTHER[cut.side]], frames[cut.side]
    at = _phase_frames(cut)
    first = max(cut.start - _AROUND, 0)
    part = slice(first, min(cut.end + _AROUND + 1, len(clip)))

    def read(values: Floats) -> Floats:
        return interpolate(values[part], at - first)

    def read_turns(turns: Floats) -> Floats:
        return rot.normalize(read(rot.continuous(turns)))

    positions, turned = clip.positions(), clip.world_rotations()
    carrier = read_turns(turned[:, stands.carrier])
    ball = read(stands.ball(positions, turned))
    heading = stands.heading(carrier)
    # The planted foot hardly turns; what it turns is taken off, so that nothing of it is left in a blend.
    seat = np.median(ball[_CARRYING][:, [0, 2]], axis=0)
    back = rot.about_y(-heading)
    swing_ball = read(swings.ball(positions, turned))
    swing_ball[:, 1] = prepared.ground.floor.above(swing_ball)
    swing_feet = np.stack([read_turns(turned[:, joint]) for joint in (swings.ankle, swings.carrier)], axis=1)
    toes = swings.heading(swing_feet[:, 1])
    places = np.stack([swing_ball[:, 0], swing_ball[:, 2], toes], axis=-1)
    seats = np.stack([np.full(GRID, seat[0]), np.full(GRID, seat[1]), heading], axis=-1)
    swing_lock = read(swings.locked(positions, turned))
    swing_lock[:, 1] = prepared.ground.floor.above(swing_lock)
    before = _seen_around(swing_lock, swing_feet, places[0])
    after = _seen_around(swing_ball, swing_feet, places[-1])
    after[0][:, 1] += swings.height - after[0][-1, 1]  # a flat foot is as high as it is in the other examples
    lock = read(stands.locked(positions, turned))
    lock[:, 1] = prepared.ground.floor.above(lock)
    lock = rot.rotate(back, lock - np.array([seat[0], 0.0, seat[1]]))
    name = prepared.name or "clip"
    return StepExample(
        cut.side,
        (at - at[0]) / fps,
        read_turns(clip.rotations),
        rot.multiply(back, carrier),
        seen_from(places[0], seats[0]),
        seen_from(places[-1], seats[-1]),
        before[0],
        after[0],
        before[1],
        after[1],
        _soles(prepared.contacts, cut.side, at),
        np.median(lock[_CARRYING], axis=0),
        cut.from_standing,
        cut.to_standing,
        f"{name}[{cut.start}:{cut.end + 1}]",
    )


def _phase_frames(cut: StepCut) -> Floats:
    """At which frames of the clip the phases of a step lie: monotone, and smooth at leaving and landing."""
    length = cut.end - cut.start
    leave = float(np.clip(cut.leave, cut.start + 0.02 * length, cut.end - 0.3 * length))
    land = float(np.clip(cut.land, leave + 0.2 * length, cut.end - 0.02 * length))
    frames = monotone_curve(np.array([0.0, LEAVES, LANDS, 1.0]), np.array([cut.start, leave, land, cut.end]), PHASES)
    return np.clip(frames, cut.start, cut.end)


def monotone_curve(knots: Floats, values: Floats, at: Floats) -> Floats:
    """A smooth curve through increasing values that never goes back (Fritsch and Carlson 1980, harmonic slopes)."""
    step, slope = np.diff(knots), np.diff(values) / np.diff(knots)
    first, last = 2.0 * step[1:] + step[:-1], step[1:] + 2.0 * step[:-1]
    inner = (first + last) / (first / slope[:-1] + last / slope[1:])
    tangents = np.concatenate([slope[:1], inner, slope[-1:]])
    k = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, len(step) - 1)
    u = (at - knots[k]) / step[k]
    hold, lean = (1.0 + 2.0 * u) * (1.0 - u) ** 2, u * (1.0 - u) ** 2
    hold_end, lean_end = u**2 * (3.0 - 2.0 * u), u**2 * (u - 1.0)
    bend = step[k] * (lean * tangents[k] + lean_end * tangents[k + 1])
    return np.asarray(hold * values[k] + hold_end * values[k + 1] + bend)


def _seen_around(ball: Floats, feet: Floats, place: Floats) -> tuple[Floats, Floats]:
    """The path of a ball (n, 3) and rotations (n, k, 4) as seen from a place on the floor (x, z, heading)."""
    back = rot.about_y(-place[2])
    return rot.rotate(back, ball - np.array([place[0], 0.0, place[1]])), rot.multiply(back, feet)


def _soles(contacts: Contacts, swings: Side, at: Floats) -> Floats:
    there = contacts.resample(at)
    columns = [contacts.column(OTHER[swings]), contacts.column(swings)]
    return np.stack([part[:, k] for k in columns for part in (there.heels, there.toes)], axis=-1).astype(float)
