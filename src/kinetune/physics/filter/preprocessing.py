"""A clip made ready for the dynamic filter, and the result put back in its place.

=============  =======================================================================
centre_clip    a clip at the filter's rate, at the origin, facing ahead
prepare_input  the same as coordinates, smooth and level
FilterInput    the result, and the way back
fit_ground     the plane that the standing feet show, with a bias towards level ground
=============  =======================================================================

The filter works in a space of its own: the character begins at the origin and faces +Z, so that neither position nor
heading changes a result, although a friction pyramid has corners.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.feet.floor import Floor
from kinetune.body.feet.soles import still_speed
from kinetune.body.quality.glitches import stray_frames
from kinetune.body.root_motion import facing, place
from kinetune.body.timeline.retiming import at_rate
from kinetune.errors import ParameterError
from kinetune.physics.equations_of_motion import level_coordinates, smooth_coordinates
from kinetune.physics.filter.failures import Failure
from kinetune.physics.filter.references import Feet
from kinetune.physics.ground import ContactGround, FlatGround, as_ground
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats
from kinetune.signals.filters import butterworth

LEAST_RATE = 59.0
"""Frames a second below which explicit Euler steps with these gains are not stable."""
FEWEST = 4
_DIGITS = 9
_RIDGE = 0.6  # metres: feet that stand no farther apart than this tell nothing about a slope
_MOST_LEAN = np.tan(np.deg2rad(3.0))
_ROUGH = 0.008
_NEAR = 0.06
_SLOW = 0.4


@dataclass(frozen=True, eq=False)
class FilterInput:
    """A clip at the filter's rate, in its own place.

    source : the clip as given. first : how many stray frames come before the motion.
    moved : the motion at ``rate`` frames a second, turned and moved to the origin. every : its frames per frame given.
    turn, origin : what took it there: turned, then shifted. qpos : (frames, nq) its coordinates, smooth and level.
    ground : under it, there. outside : the same, where the clip itself is.
    known : (frames, feet) which feet stand. shift : (frames, feet, 3) where their toes should be, against where they
        are; None for a clip that was not spliced.
    """

    source: Clip
    first: int
    moved: Clip
    rate: float
    every: int
    turn: Floats
    origin: Floats
    qpos: Floats
    ground: ContactGround
    outside: ContactGround
    known: NDArray[np.bool_] | None
    shift: Floats | None

    def to_clip_axes(self, vectors: Floats) -> Floats:
        """Vectors (..., 3) in the axes of the given clip."""
        return rot.rotate(rot.inverse(self.turn), vectors)

    def velocities_to_clip_axes(self, rows: Floats) -> Floats:
        """Velocities or accelerations (frames, nv) in the axes of the given clip: only the root's way turns."""
        rotated = rows.copy()
        rotated[:, :3] = self.to_clip_axes(rows[:, :3])
        return rotated

    def simulated(self, body: Body, qpos: Floats) -> Clip:
        """The motion of coordinates at the filter's rate, back in the place of the given clip."""
        made = body.clip(qpos, like=self.moved)
        back = rot.inverse(self.turn)
        return place(made, back, rot.rotate(back, -self.origin))

    def clip_of(self, simulated: Clip) -> Clip:
        """The result for the user: the frames of the given clip, a stray first frame as it was."""
        source = self.source
        frames = slice(0, None, self.every)
        root, rotations = simulated.root[frames], simulated.rotations[frames]
        translations = None if simulated.translations is None else simulated.translations[frames]
        count = len(source) - self.first
        parts = [(source.root, root), (source.rotations, rotations)]
        root, rotations = (np.concatenate([old[: self.first], new[:count]]) for old, new in parts)
        if translations is not None and source.translations is not None:
            translations = np.concatenate([source.translations[: self.first], translations[:count]])
        return source.replace(root=root, rotations=rotations, translations=translations, contacts=source.contacts)

    def at_frames(self, values: Floats) -> Floats:
        """Values (steps, ...) at the frames of the given clip; zero in stray frames."""
        count = len(self.source) - self.first
        none = np.zeros((self.first, *values.shape[1:]))
        return np.concatenate([none, values[:: self.every][:count]])

    def in_frames(self, failure: Failure) -> Failure:
        """A failure with the frames of the given clip."""
        first, last = (self.first + frame // self.every for frame in (failure.first, failure.last))
        return replace(failure, first=first, last=last)


@dataclass(frozen=True, eq=False)
class _Placed:
    """Ground seen from the figure's own place."""

    ground: ContactGround
    back: Floats
    origin: Floats

    def height(self, points: Floats) -> Floats:
        """The height (...) of the ground under points (..., 3)."""
        return np.asarray(self.ground.height(rot.rotate(self.back, points - self.origin)) + self.origin[1])

    def normal(self, points: Floats) -> Floats:
        """The unit normals (..., 3) of the ground under points (..., 3)."""
        return rot.rotate(rot.inverse(self.back), self.ground.normal(rot.rotate(self.back, points - self.origin)))


@dataclass(frozen=True, eq=False)
class CentredClip:
    """The motion of a clip at the filter's rate, turned and moved to the origin; see :class:`FilterInput`."""

    source: Clip
    first: int
    motion: Clip
    moved: Clip
    rate: float
    every: int
    turn: Floats
    origin: Floats


def centre_clip(clip: Clip) -> CentredClip:
    """A clip at the origin, facing ahead. One that is too short is refused.

    Numbers are rounded to a nanometre there, so that the same motion elsewhere gives the same bits.
    """
    first = stray_frames(clip)
    motion = clip[first:]
    if len(motion) < FEWEST:
        raise ParameterError(
            f"The dynamic filter needs at least {FEWEST} frames to see accelerations; this clip has {len(motion)}"
            f"{' after its T-pose' if first else ''}. Give it a longer part of the motion."
        )
    every = int(np.ceil(LEAST_RATE / motion.fps))
    rate = motion.fps * every
    fast = at_rate(motion, rate)
    turn = rot.about_y(-facing(fast)[0])
    hips = fast.positions()[0, clip.skeleton.roles.get("hips", 0)]
    origin = -rot.rotate(turn, hips * np.array([1.0, 0.0, 1.0]))
    moved = place(fast, turn, origin)
    signs = np.where(moved.rotations[..., :1] < 0.0, -1.0, 1.0)
    moved = moved.replace(
        root=np.round(moved.root, _DIGITS),
        rotations=rot.normalize(np.round(signs * moved.rotations, _DIGITS)),
        translations=None if moved.translations is None else np.round(moved.translations, _DIGITS),
        contacts=moved.contacts,
    )
    return CentredClip(clip, first, motion, moved, rate, every, turn, origin)


def prepare_input(
    settled: CentredClip, body: Body, feet: Feet, cutoff_hz: float | None, ground: float | Floor | ContactGround | None
) -> FilterInput:
    """A settled clip ready for the filter. A character without feet is refused."""
    if not body.points:
        raise ParameterError(
            "The dynamic filter finds no feet on this character, so nothing can carry it. Give foot joints names "
            'such as "LeftFoot", or end sites where it touches the ground.'
        )
    moved = settled.moved
    if moved.contacts is None:
        moved = moved.replace(contacts=find_contacts(moved))
    qpos = body.coordinates(moved)
    if cutoff_hz is not None:
        qpos = smooth_coordinates(qpos, settled.rate, cutoff_hz)
    if ground is None:
        level, lean = fit_ground(body, feet, qpos, settled.rate)
        qpos = level_coordinates(qpos, Floor(level, lean))
        inner: ContactGround = FlatGround(level)
        outside: ContactGround = FlatGround(level)
    else:
        outside = as_ground(ground)
        back = rot.inverse(settled.turn)
        inner = FlatGround(outside.level) if isinstance(outside, FlatGround) else _Placed(outside, back, settled.origin)
    return FilterInput(
        settled.source,
        settled.first,
        moved,
        settled.rate,
        settled.every,
        settled.turn,
        settled.origin,
        qpos,
        inner,
        outside,
        _stance(moved, feet),
        _toe_shift(settled, feet, len(qpos), cutoff_hz),
    )


def fit_ground(body: Body, feet: Feet, qpos: Floats, rate: float) -> tuple[float, tuple[float, float]]:
    """The height of the ground under the origin, and how far it rises per metre along x and z.

    A plane through the lowest points of standing feet, by least squares that overlook outliers, with a ridge on the
    slope: a character that stays on the spot cannot tell a slope from its own posture.
    """
    points = body.point_positions(qpos)
    lowest = []
    for members in feet.members:
        track = points[:, members]
        pick = np.argmin(track[..., 1], axis=1)
        place_ = track[np.arange(len(track)), pick]
        slow = still_speed(track, rate).min(axis=1) < _SLOW
        lowest.append((place_, slow))
    base = float(np.percentile(np.concatenate([p[:, 1] for p, _ in lowest]), 5.0))
    chosen = [p[slow & (p[:, 1] < base + _NEAR)] for p, slow in lowest]
    x = np.concatenate(chosen)
    if len(x) < 3:
        return base, (0.0, 0.0)
    middle = x[:, [0, 2]].mean(axis=0)
    table = np.column_stack([x[:, [0, 2]] - middle, np.ones(len(x))])
    ridge = np.diag([len(x) * _RIDGE**2] * 2 + [0.0])
    weight: Floats = np.ones(len(x))
    plane = np.array([0.0, 0.0, base])
    for _ in range(20):
        heavy = table * weight[:, None]
        plane = np.linalg.solve(table.T @ heavy + ridge, heavy.T @ x[:, 1])
        miss = np.abs(x[:, 1] - table @ plane)
        weight = 1.0 / np.maximum(1.0, miss / _ROUGH)
    slope = np.clip(plane[:2], -_MOST_LEAN, _MOST_LEAN)
    return float(plane[2] - slope @ middle), (float(slope[0]), float(slope[1]))


def _stance(clip: Clip, feet: Feet) -> NDArray[np.bool_] | None:
    """(frames, feet) which feet stand by the contacts of the clip."""
    contacts = clip.contacts
    if contacts is None or not contacts.joints:
        return None
    flags = np.zeros((len(clip), len(feet)), dtype=bool)
    for foot, (side, part) in enumerate(zip(feet.sides, feet.parts, strict=True)):
        if side in contacts.sides and feet.parts[: len(feet)].count(part) <= 2:
            flags[:, foot] = (contacts.heels if part == "heel" else contacts.toes)[:, contacts.sides.index(side)]
    return flags


def _toe_shift(settled: CentredClip, feet: Feet, count: int, cutoff_hz: float | None) -> Floats | None:
    """How far the toes of a spliced clip should be from where its blend has them, (frames, feet, 3)."""
    motion = settled.motion
    stance_path: Floats | None = getattr(motion, "stance_path", None)  # only spliced clips have one
    if stance_path is None or motion.contacts is None:
        return None
    times = np.minimum(np.arange(count) / settled.every, len(motion) - 1)
    shift = np.zeros((count, len(feet), 3))
    for foot, side in enumerate(feet.sides):
        if side not in motion.contacts.sides:
            continue
        column = motion.contacts.sides.index(side)
        ankle = motion.skeleton.index(motion.contacts.joints[column])
        joint = motion.skeleton.roles.get(f"{side} toes", ankle)
        apart: Floats = stance_path[:, column] - motion.positions()[:, joint]
        if cutoff_hz is not None:
            apart = butterworth(apart, motion.fps, cutoff_hz)
        apart_then = np.stack([np.interp(times, np.arange(len(apart)), apart[:, k]) for k in range(3)], axis=1)
        shift[:, foot] = np.round(rot.rotate(settled.turn, apart_then), _DIGITS)
    return shift
