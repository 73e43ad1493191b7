"""Closing a cycle: the last pose becomes the first again, without a jump and without sliding feet.

==============  ==========================================================================================
close_cycle     a clip whose last frame is its first, some way further on, in pose and velocity
plant_cycle     such a clip with feet that do not slide, also over its seam
repeat_cycle    such a clip played several times over, travelling on or on the spot
CycleTravel     how far a character gets, and how far it turns, in one cycle
==============  ==========================================================================================

What does not fit between the two ends is spread evenly over the whole cycle, where it does not show: each joint rotates
a little more or less, ramping from half of the misfit at the start to minus half of it at the end. A short bump at
either end makes velocities meet as well. That alone would make planted feet drift. So the feet get their own share: a
foot keeps its position while it stands and takes up its misfit while it is in the air; the legs follow by inverse
kinematics. A capture whose floor leans a little climbs with every cycle: it is tilted back as a whole, so that no leg
has to make up for it. One that climbs more than that goes up stairs, and keeps doing so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.body.feet.contacts import Contacts
from kinetune.body.feet.planting import keep_feet
from kinetune.body.kinematics.limb_ik import nudge_limb
from kinetune.body.root_motion import local_translations, place_character, place_joint, travelling_joint
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

_SPEED_S = 0.05
"""Over how many seconds next to an end its velocity is read."""
_LARGEST_LEAN = np.tan(np.deg2rad(3.0))
"""A floor that leans by more is a slope or a stair."""
_LEAST_CLIMB = 0.05
_LEAST_WAY = 0.2
_AROUND_S = 1.0
"""How much of the cycles before and after it counts for the feet of one."""


@dataclass(frozen=True)
class CycleTravel:
    """How far a character travels in one cycle: it turns about the vertical, then shifts.

    turn : radians.
    shift : (x, y, z) in metres; y is 0 but on stairs.
    """

    turn: float = 0.0
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def at(self, cycles: Floats) -> tuple[Floats, Floats]:
        """Rotations (n, 4) and shifts (n, 3) after any number of cycles (n,), also fractions and negative ones.

        Turning and shifting at once goes along a circle; its centre is the point that stays where it is.
        """
        turns = rot.about_y(self.turn * cycles)
        straight = cycles[:, None] * np.array(self.shift)
        if abs(self.turn) < 1e-9:
            return turns, straight
        level = np.array([self.shift[0], 0.0, self.shift[2]])
        centre = 0.5 * (level + np.cross([0.0, 1.0, 0.0], level) / np.tan(0.5 * self.turn))
        shifts = centre - rot.rotate(turns, np.broadcast_to(centre, (len(cycles), 3)))
        shifts[:, 1] = straight[:, 1]
        return turns, shifts


def close_cycle(
    clip: Clip,
    start: int = 0,
    end: int | None = None,
    *,
    blend_s: float = 0.2,
    straight_below: float = 0.0,
    strength: float = 1.0,
) -> tuple[Clip, CycleTravel]:
    """The part of a clip between two frames, made to end as it begins, and how far it gets from one to the other.

    Parameters
    ----------
    clip : the motion. Feet keep their positions during its ``contacts``.
    start, end : the first and the last frame of one cycle, roughly the same pose; all of the clip if omitted. The
        frames around them, where there are any, give better velocities.
    blend_s : how far from the seam velocities are adjusted, in seconds.
    straight_below : a cycle that turns by less than this many radians is made to go straight.
    strength : 1 closes the seam, 0 leaves it, between them it is closed in part.

    Notes
    -----
    Law: with ``strength=1`` the last frame is the first one moved by the travel
    (``tests/body/timeline/test_loop_seam.py::test_the_last_frame_is_the_first_moved_on``).
    """
    last = len(clip) - 1 if end is None else end
    if not 0 <= start < last < len(clip):
        raise ParameterError(
            f"A cycle takes at least two frames: in a clip of {len(clip)} frames, it cannot go from {start} to {last}."
        )
    travel = _travel(clip, start, last, straight_below)
    if strength == 0.0:
        return clip[start : last + 1], travel
    if travel.shift[1] == 0.0:
        clip = _levelled(clip, start, last, travel, strength)
        travel = _travel(clip, start, last, straight_below)
    seam = _Seam(start, last, clip.fps, strength)
    whole_way = travel.at((np.arange(len(clip)) - start) / (last - start))
    joint = travelling_joint(clip)
    on_spot = place_joint(clip, joint, *_inverse(*whole_way))
    ramp, bump = 0.5 - np.linspace(0.0, 1.0, len(seam)), seam.bumps(blend_s, blend_s)
    translations = seam.close_values(local_translations(on_spot), ramp, bump)
    part = clip[start : last + 1]
    closed = part.replace(
        root=translations[:, 0],
        rotations=seam.close_rotations(on_spot.rotations, ramp, bump),
        translations=None if clip.translations is None else translations,
        contacts=part.contacts,
    )
    closed = place_joint(closed, joint, *(way[start : last + 1] for way in whole_way))
    if clip.contacts is not None:
        for column in range(len(clip.contacts.joints)):
            closed = _with_foot(closed, clip, column, seam, whole_way, blend_s)
    return closed, travel


def plant_cycle(clip: Clip, travel: CycleTravel, contacts: Contacts | None) -> Clip:
    """A closed cycle whose feet stand and whose knees are calm, the seam included; it stays closed.

    Parameters
    ----------
    clip, travel : from :func:`close_cycle`.
    contacts : which feet stand when in it; None finds them.
    """
    period, around = len(clip) - 1, round(_AROUND_S * clip.fps)
    before = -(-around // period)  # cycles
    played = repeat_cycle(clip.replace(contacts=contacts), travel, 2 * before + 1)
    part = played[before * period - around : (before + 1) * period + around + 1]
    planted = keep_feet(part, contacts=part.contacts)
    if planted is part:
        return clip
    cycle = planted[around : around + period + 1]
    back = travel.at(np.full(period + 1, -float(before)))
    placed = place_joint(cycle, travelling_joint(clip), *back).replace(contacts=cycle.contacts, markers=clip.markers)
    return repeat_cycle(placed, travel, 2)[: period + 1].replace(markers=clip.markers)


def repeat_cycle(
    clip: Clip, travel: CycleTravel, cycles: int, *, on_spot: bool = False, closing_frame: bool = True
) -> Clip:
    """A closed cycle, played several times over.

    Parameters
    ----------
    clip, travel : from :func:`close_cycle`.
    cycles : how often.
    on_spot : remove the steady travel and rotation; sway stays.
    closing_frame : end with the first pose once more. Without it the last frame is the one before, for players that
        go on from the last frame to the first.
    """
    period = len(clip) - 1
    count = period * cycles + int(closing_frame)
    frames, rounds = np.arange(count) % period, np.arange(count) // period
    if closing_frame:
        frames[-1], rounds[-1] = period, cycles - 1
    joint = travelling_joint(clip)
    markers = tuple(
        Marker(m.frame + period * number, m.name) for number in range(cycles) for m in clip.markers if m.frame < period
    )
    played = clip.replace(
        root=clip.root[frames],
        rotations=clip.rotations[frames],
        translations=None if clip.translations is None else clip.translations[frames],
        contacts=None if clip.contacts is None else clip.contacts.resample(frames),
        markers=markers,
    )
    gone = -frames / period if on_spot else rounds.astype(float)
    return place_joint(played, joint, *travel.at(gone))


def _travel(clip: Clip, start: int, end: int, straight_below: float) -> CycleTravel:
    """Rotation and shift from the first pose to the last: best for all joints, exact for feet that stand in both.

    Nothing where a foot stands from the first to the last: what it moves is a slide of the capture.
    """
    if clip.contacts is not None and clip.contacts.flags[start : end + 1].all(axis=0).any():
        return CycleTravel()
    body = list(clip.skeleton.subtree(travelling_joint(clip)))
    first, last = clip.positions()[start, body], clip.positions()[end, body]
    a, b = first - first.mean(axis=0), last - last.mean(axis=0)
    across = np.sum(a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2])
    turn = float(np.arctan2(across, np.sum(a[:, 0] * b[:, 0] + a[:, 2] * b[:, 2])))
    turn = 0.0 if abs(turn) < straight_below else turn
    (x, climb, z), stands = _carried(clip, start, end, turn)
    stairs = stands and abs(climb) > _LEAST_CLIMB and abs(climb) > _LARGEST_LEAN * np.hypot(x, z)
    return CycleTravel(turn, (float(x), float(climb) if stairs else 0.0, float(z)))


def _carried(clip: Clip, start: int, end: int, turn: float) -> tuple[Floats, bool]:
    """How far the character travels between two frames, (3,), and whether that was read from standing feet."""
    held: list[int] = []
    if clip.contacts is not None:
        down = clip.contacts.flags[start] & clip.contacts.flags[end]
        feet = zip(clip.contacts.joints, clip.contacts.sides, down.tolist(), strict=True)
        held = [_ball(clip, clip.skeleton.index(name), side) for name, side, stands in feet if stands]
    joints = held or [clip.skeleton.roles.get("hips", 0)]
    first, last = clip.positions()[start, joints], clip.positions()[end, joints]
    return np.mean(last - rot.rotate(rot.about_y(turn), first), axis=0), bool(held)


def _levelled(clip: Clip, start: int, end: int, travel: CycleTravel, strength: float) -> Clip:
    """The clip tilted about its start so that a character that travels arrives as high as it set out."""
    carried, _ = _carried(clip, start, end, travel.turn)
    way = float(np.hypot(carried[0], carried[2]))
    if way < _LEAST_WAY or abs(carried[1]) > _LARGEST_LEAN * way:
        return clip
    axis = np.cross([0.0, 1.0, 0.0], carried)
    tilt = rot.from_axis_angle(axis, strength * np.arctan2(carried[1], way))
    pivot = clip.positions()[start, clip.skeleton.roles.get("hips", 0)] * [1.0, 0.0, 1.0]
    return place_character(clip, tilt, pivot - rot.rotate(tilt, pivot))


def _inverse(turns: Floats, shifts: Floats) -> tuple[Floats, Floats]:
    back = rot.inverse(turns)
    return back, -rot.rotate(back, shifts)


@dataclass(frozen=True)
class _Seam:
    """Where a cycle begins and ends in a clip, and how strongly it is closed.

    Signals are those of the whole clip (frames, ...), travel taken off; results are those of the cycle.
    """

    start: int
    end: int
    fps: float
    strength: float

    def __len__(self) -> int:
        return self.end - self.start + 1

    def bumps(self, start_s: float, end_s: float) -> Floats:
        """A curve in seconds whose slope falls by 1 from the last frame to the first, and zero away from them.

        start_s, end_s : how long the bump behind the seam and the one before it last; the longer takes more.
        """
        seconds = np.arange(len(self)) / self.fps
        widths = [min(width, 0.5 * float(seconds[-1])) for width in (start_s, end_s)]
        widths = [width if width >= 2.0 / self.fps else 0.0 for width in widths]
        curve = np.zeros(len(self))
        for width, since in zip(widths, (seconds, seconds[::-1]), strict=True):
            if width > 0.0:
                curve += width / sum(widths) * since * (1.0 - np.minimum(since / width, 1.0)) ** 2
        return curve

    def close_rotations(self, q: Floats, ramp: Floats, bump: Floats) -> Floats:
        """Rotations (frames, ..., 4) that end as they begin; corrections are rotations in each joint's frame."""
        misfit = rot.log(rot.multiply(rot.inverse(q[self.start]), q[self.end]))

        def around(frame: int, frames: slice) -> Floats:
            return rot.log(rot.multiply(rot.inverse(q[frame]), q[frames]))

        correction = self._spread(misfit, self._speed_change(around, len(q)), ramp, bump)
        return rot.normalize(rot.multiply(q[self.start : self.end + 1], rot.exp(correction)))

    def close_values(self, x: Floats, ramp: Floats, bump: Floats) -> Floats:
        """Values (frames, ...) that end as they begin."""

        def around(frame: int, frames: slice) -> Floats:
            return np.asarray(x[frames] - x[frame])

        change = self._speed_change(around, len(x))
        return x[self.start : self.end + 1] + self._spread(x[self.end] - x[self.start], change, ramp, bump)

    def _spread(self, misfit: Floats, speed_change: Floats, ramp: Floats, bump: Floats) -> Floats:
        shape = (-1, *(1,) * misfit.ndim)
        return np.asarray(self.strength * (ramp.reshape(shape) * misfit + bump.reshape(shape) * speed_change))

    def _speed_change(self, around: Callable[[int, slice], Floats], frames: int) -> Floats:
        """By how much the velocity at the end differs from that at the start.

        Read inside the cycle it is what meets at the seam, but read backwards on one side and forwards on the other.
        Where the clip goes on long enough, the same side of both is looked at too, so that what an estimate gets wrong
        it gets wrong at both. The mean of the two is steadier than either.
        """
        count = min(len(self), max(3, round(_SPEED_S * self.fps) + 1))
        inside = self._speed(around, self.end, -count) - self._speed(around, self.start, count)
        alike = []
        if self.start >= count - 1:
            alike.append(self._speed(around, self.end, -count) - self._speed(around, self.start, -count))
        if self.end + count <= frames:
            alike.append(self._speed(around, self.end, count) - self._speed(around, self.start, count))
        return np.asarray(0.5 * (inside + np.mean(alike, axis=0))) if alike else inside

    def _speed(self, around: Callable[[int, slice], Floats], frame: int, count: int) -> Floats:
        """The velocity at a frame, by a parabola through the frames that follow it, or come before it (count < 0)."""
        frames = slice(frame, frame + count) if count > 0 else slice(frame + count + 1, frame + 1)
        values = around(frame, frames)
        at = np.arange(count) / self.fps if count > 0 else np.arange(count + 1, 1) / self.fps
        powers = at[:, None] ** np.arange(1, min(3, len(at)))
        return np.asarray(np.tensordot(np.linalg.pinv(powers)[0], values, axes=1))


def _with_foot(
    closed: Clip, clip: Clip, column: int, seam: _Seam, whole_way: tuple[Floats, Floats], blend_s: float
) -> Clip:
    """The closed clip with a foot that stands where it stood and takes up its misfit in the air."""
    contacts, skeleton = closed.contacts, clip.skeleton
    if contacts is None:
        return closed
    side = contacts.sides[column]
    foot = skeleton.index(contacts.joints[column])
    upper, lower = (skeleton.roles.get(f"{side} {part}") for part in ("upper leg", "lower leg"))
    if upper is None or lower is None or lower not in skeleton.chain(foot)[:-1]:
        return closed
    down = contacts.flags[:, column]
    standing = down if down.any() else np.ones(len(down), dtype=bool)
    risen = _in_the_air(down)
    ramp = float(np.mean(risen[standing])) - risen
    free = [blend_s if not down.any() else min(blend_s, int(np.argmax(way)) / clip.fps) for way in (down, down[::-1])]
    bump = seam.bumps(*free)
    cycle = slice(seam.start, seam.end + 1)
    turns, shifts = (way[cycle] for way in whole_way)
    back, back_shift = _inverse(*whole_way)
    positions, world = clip.positions(), clip.world_rotations()[:, foot]
    ball = positions[:, _ball(clip, foot, side)]
    place_on_spot = seam.close_values(rot.rotate(back, ball) + back_shift, ramp, bump)
    # While it stands, a foot goes along with the hips, so that the leg keeps its bend.
    hip_change = rot.rotate(back[cycle], closed.positions()[:, upper] - positions[cycle, upper])
    goal = rot.rotate(turns, place_on_spot + np.mean(hip_change[standing], axis=0)) + shifts
    foot_turn = rot.multiply(turns, seam.close_rotations(rot.multiply(back, world), ramp, bump))
    reach = rot.rotate(rot.inverse(world), ball - positions[:, foot])[cycle]
    placed, _ = nudge_limb(closed, upper, lower, foot, goal - rot.rotate(foot_turn, reach), end_turn=foot_turn)
    return placed


def _ball(clip: Clip, foot: int, side: str) -> int:
    """The joint at the ball of a foot, on which it rolls; the foot itself where there is none."""
    toes = clip.skeleton.roles.get(f"{side} toes")
    return foot if toes is None or foot not in clip.skeleton.chain(toes) else toes


def _in_the_air(down: np.ndarray) -> Floats:
    """From 0 at the first frame to 1 at the last, rising only while a foot is in the air, and smoothly then.

    The cycle is a circle: a swing that begins before the seam goes on behind it.
    """
    steps = len(down) - 1
    swing = ~(down[:-1] | down[1:])
    if swing.all() or not swing.any():
        return np.linspace(0.0, 1.0, steps + 1)
    turned = int(np.argmin(swing))  # begin the circle where the foot stands
    around = np.roll(swing, -turned)
    density = np.zeros(steps)
    for start, stop in true_ranges(around):
        density[start:stop] = np.sin(np.pi * (np.arange(stop - start) + 0.5) / (stop - start)) ** 2
    risen = np.concatenate([[0.0], np.cumsum(np.roll(density, turned))])
    return np.asarray(risen / risen[-1])
