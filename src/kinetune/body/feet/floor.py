"""Where the floor is, and the soles that stand on it.

Files do not say. Most clips stand on Y = 0; some float or sink by centimetres, and some captures lean by a degree, so
that a walk of four metres climbs by seven centimetres. The floor is read from the feet: from the heights of the ankles
at the times when they are low and still, or of the soles themselves where the skeleton marks them. A clip that carries
contacts says by itself when its feet stand.

==================  =================================================================================
Floor               a plane, level or leaning a little
Ground              the floor of a clip with the feet on it; passed on to judge an edited clip by the same soles
find_ground         both, from a clip; read once
remember_ground     lets part of a clip stand on the ground of the whole
least_sole_heights  how low the soles of a clip come
find_floor          the plane alone
==================  =================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from kinetune.body.clip import Clip
from kinetune.body.feet.soles import (
    SPEED_WINDOW_S,
    Foot,
    FootJoints,
    borrow_soles,
    find_foot_joints,
    flat_frames,
    leg_length,
    marked_foot,
    shape_foot,
    sole_drop,
    still_speed,
)
from kinetune.body.quality.glitches import stray_frames
from kinetune.rotations import Floats

# Lengths in leg lengths, speeds in leg lengths a second.
_SLOW = (0.1, 0.2, 0.4, 0.8, np.inf)  # tried until enough frames are that slow; running needs the later ones
_ENOUGH_S = 0.1
_NEAR = 0.1  # a standing ankle is at most this far from the usual height, before the lean is known
_STANDING = 0.03  # ... and this far after
_NOISE = 0.01
_SAMPLE_S = 0.3  # frames this close in time say the same thing
_USUAL_LEAN = np.tan(np.deg2rad(1.0))
_LARGEST_LEAN = np.tan(np.deg2rad(3.0))
_USUAL_DIFFERENCE = 0.02  # between the standing heights of the two ankles
_LARGEST_DIFFERENCE = 0.06
_SOLE_DOUBT = 0.045  # files leave the thickness of the sole open by this much
_MARKED_DOUBT = 0.006  # ... and skeletons that mark their soles by this much
_MARKED_NOISE = 0.003
_LEAST_DROP = 0.02


@dataclass(frozen=True)
class Floor:
    """A plane: ``height`` metres at ``centre`` (x, z), rising by ``slope`` metres a metre along X and along Z.

    description : one sentence on how it was found.
    """

    height: float = 0.0
    slope: tuple[float, float] = (0.0, 0.0)
    centre: tuple[float, float] = (0.0, 0.0)
    description: str = "The floor was given."

    def under(self, points: Floats) -> Floats:
        """The height of the floor below points (..., 3)."""
        if self.slope == (0.0, 0.0):
            return np.full(points.shape[:-1], self.height)
        east = (points[..., 0] - self.centre[0]) * self.slope[0]
        return self.height + east + (points[..., 2] - self.centre[1]) * self.slope[1]

    def above(self, points: Floats) -> Floats:
        """How far points (..., 3) are above the floor, negative below it."""
        return points[..., 1] - self.under(points)

    @property
    def lean_deg(self) -> float:
        """The angle of the plane against the horizontal in degrees."""
        return float(np.rad2deg(np.arctan(np.hypot(*self.slope))))


@dataclass(frozen=True)
class Ground:
    """The floor of a clip and the feet that stand on it.

    feet : left before right.
    leg : the leg length in metres, the unit of everything near or slow.
    drift : the velocity (x, z) of the floor in m/s: zero except for a walk on the spot, whose floor is a treadmill.
    deepest : the least height in metres that a sole may have, and how far above the floor it must be at least, where
        other clips show it: those of which a mix is made.
    """

    floor: Floor
    feet: tuple[Foot, ...]
    leg: float
    drift: tuple[float, float] = (0.0, 0.0)
    deepest: tuple[float, float] = (-np.inf, -np.inf)

    def on(self, floor: float | Floor | None) -> Ground:
        """The same feet on another floor, a height in metres or a plane; None leaves the floor as it is."""
        if floor is None:
            return self
        return replace(self, floor=floor if isinstance(floor, Floor) else Floor(float(floor)))

    def sole_heights(self, clip: Clip, foot: int) -> Floats:
        """The height of the lowest point of a sole, (frames,) metres."""
        return np.asarray(self.feet[foot].positions(clip)[..., 1].min(axis=1))

    def sunk(self, clip: Clip, foot: int) -> Floats | None:
        """How far a sole is deeper than it may be, (frames,) metres, negative where it is not; None without a limit."""
        if not np.isfinite(self.deepest).any():
            return None
        least, clearance = self.deepest
        above = self.floor.above(self.feet[foot].positions(clip)).min(axis=1)
        return np.asarray(np.maximum(least - self.sole_heights(clip, foot), clearance - above))

    def still_positions(self, clip: Clip, points: Floats) -> Floats:
        """Points (frames, ..., 3) seen from the floor, which may drift."""
        return _seen_from(points, self.drift, clip.fps)


def find_floor(clip: Clip) -> Floor | None:
    """The plane that the feet of a clip stand on; None for a character without feet."""
    ground = find_ground(clip)
    return None if ground is None else ground.floor


def find_ground(clip: Clip, floor: float | Floor | None = None) -> Ground | None:
    """The floor and the soles of a clip; None for a character without feet.

    Parameters
    ----------
    floor : where the floor is, when it is known: a height in metres or a plane. The soles are still read from the clip.

    Notes
    -----
    Joints do not show how thick the sole is. Its thickness comes from anatomy (the ankle is 0.074 leg lengths above
    the floor, the ball joint 0.02); when Y = 0 agrees with that to 0.045 leg lengths (4 cm), the floor is Y = 0 and
    the sole takes up the difference. Left and right feet may differ, because fitted skeletons do; a foot that hardly
    ever lies flat takes the sole of the other, where the legs are mirror images.
    A skeleton that marks its soles (:func:`kinetune.body.feet.soles.marked_foot`) leaves nothing to guess: the floor is
    where the marks stand, and Y = 0 when that is nearer than 0.006 leg lengths (5 mm). So do contacts that carry the
    soles that they were made for.
    """
    if clip not in _grounds:
        _grounds[clip] = _read_ground(clip)
    ground = _grounds[clip]
    return None if ground is None else ground.on(floor)


_grounds: WeakKeyDictionary[Clip, Ground | None] = WeakKeyDictionary()


def least_sole_heights(clip: Clip, frames: NDArray[np.bool_] | None = None) -> tuple[float, float]:
    """How low the soles of a clip come, and how close to its floor, in metres, but for one frame in a hundred.

    Both are -inf without feet.

    frames : (frames,) those that count; omitted, all but a T-pose in front.
    """
    ground = find_ground(clip)
    counted = np.arange(len(clip)) >= stray_frames(clip) if frames is None else frames
    if ground is None or not counted.any():
        return -np.inf, -np.inf
    soles = np.concatenate([foot.positions(clip) for foot in ground.feet], axis=1)[counted]
    low, near = (np.percentile(heights.min(axis=1), 1.0) for heights in (soles[..., 1], ground.floor.above(soles)))
    return float(low), float(near)


def remember_ground(clip: Clip, ground: Ground) -> None:
    """Let some frames of a longer clip stand on the ground of the whole."""
    _grounds[clip] = ground


def _read_ground(clip: Clip) -> Ground | None:
    leg = leg_length(clip)
    feet = find_foot_joints(clip)
    if leg is None or not feet:
        return None
    first = stray_frames(clip)
    motion = clip[first:] if first else clip
    drift = _find_drift(motion, feet, leg)
    known = () if clip.contacts is None else clip.contacts.soles
    marked = known or tuple(foot for foot in (marked_foot(motion, f, leg) for f in feet) if foot is not None)
    if known and clip.contacts is not None and not clip.contacts.flags.any():
        return Ground(Floor(), known, leg)  # nothing stands, by what the clip knows: nothing shows where the floor is
    if len(marked) == len(feet):
        stand = _fit_stand(motion, _sole_tracks(motion, marked, leg), leg, drift)
        return Ground(_place(float(stand.levels[0]), stand, _MARKED_DOUBT * leg), marked, leg, drift)
    stand = _fit_stand(motion, _ankle_tracks(motion, feet), leg, drift)
    flat = [flat_frames(motion, f, s, leg) for f, s in zip(feet, stand.standing, strict=True)]
    standing = [f if len(f) else s for f, s in zip(flat, stand.standing, strict=True)]
    drops = np.array([sole_drop(motion, f, s, leg) for f, s in zip(feet, standing, strict=True)])
    stands = np.array([len(s) > 0 for s in standing])
    height = float(np.mean((stand.levels - drops)[stands])) if stands.any() else float(np.mean(stand.levels - drops))
    plane = _place(height, stand, _SOLE_DOUBT * leg)
    drops = np.maximum(stand.levels - plane.height, _LEAST_DROP * leg)
    shaped = tuple(shape_foot(motion, f, s, d, leg) for f, s, d in zip(feet, standing, drops.tolist(), strict=True))
    return Ground(plane, borrow_soles(motion, shaped, tuple(map(len, flat)), leg), leg, drift)


@dataclass(frozen=True)
class _Tracks:
    """Points of the feet whose heights show where the floor is.

    points : (frames, tracks, 3) in metres. level : (tracks,) which of the standing heights each is at.
    planned : (frames, tracks) when they may stand, by contacts that the clip carries or by the shape of the foot.
    noise : in leg lengths.
    """

    points: Floats
    level: NDArray[np.intp]
    planned: NDArray[np.bool_]
    noise: float


def _ankle_tracks(clip: Clip, feet: tuple[FootJoints, ...]) -> _Tracks:
    """The ankles, each with a standing height of its own."""
    points = clip.positions()[:, [f.ankle for f in feet]]
    planned = np.ones(points.shape[:2], dtype=bool)
    for column, foot in enumerate(feet):
        heel, toes = _carried_contacts(clip, foot.ankle)
        if np.any(heel & toes):  # a flat foot shows the height of its ankle
            planned[:, column] = heel & toes
    return _Tracks(points, np.arange(len(feet)), planned, _NOISE)


def _sole_tracks(clip: Clip, feet: tuple[Foot, ...], leg: float) -> _Tracks:
    """All points of marked soles, which share one standing height: that of the floor."""
    points, planned, touching = [], [], []
    for foot in feet:
        heel, toes = _carried_contacts(clip, foot.joint)
        soles = foot.positions(clip)
        height = soles[..., 1]
        points.append(soles)
        planned.append(np.stack([heel, *[toes] * (soles.shape[1] - 1)], axis=1))
        touching.append(height <= height.min(axis=1, keepdims=True) + _MARKED_NOISE * leg)
    low = np.concatenate(touching, axis=1)
    both = low & np.concatenate(planned, axis=1)
    tracks = np.concatenate(points, axis=1)
    return _Tracks(tracks, np.zeros(tracks.shape[1], dtype=np.intp), both if both.any() else low, _MARKED_NOISE)


def _carried_contacts(clip: Clip, ankle: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """When a foot stands on its heel and on its toes, by the contacts that the clip carries; always without them."""
    contacts, name = clip.contacts, clip.skeleton.names[ankle]
    if contacts is None or name not in contacts.joints:
        always = np.ones(len(clip), dtype=bool)
        return always, always
    column = contacts.column(name)
    return contacts.flags[:, column] & contacts.heels[:, column], contacts.flags[:, column] & contacts.toes[:, column]


@dataclass(frozen=True)
class _Stand:
    """How feet stand: their heights over ``centre`` in metres, the lean of the floor, and when each track stands."""

    levels: Floats
    slope: tuple[float, float]
    centre: tuple[float, float]
    standing: list[NDArray[np.intp]]


def _place(height: float, stand: _Stand, doubt: float) -> Floor:
    floor = Floor(height, stand.slope, stand.centre)
    lean = f", leaning by {floor.lean_deg:.1f} degrees" if floor.lean_deg > 0.1 else ""
    if abs(height) <= doubt:
        return replace(floor, height=0.0, description=f"The feet stand on Y = 0{lean}.")
    verb = "float above" if height > 0 else "sink below"
    return replace(floor, description=f"The feet {verb} Y = 0 by {abs(height) * 100:.0f} cm{lean}.")


def _seen_from(points: Floats, drift: tuple[float, float], fps: float) -> Floats:
    if drift == (0.0, 0.0):
        return points
    seconds = (np.arange(len(points)) / fps).reshape(-1, *(1,) * (points.ndim - 1))
    return np.asarray(points - seconds * np.array([drift[0], 0.0, drift[1]]))


def _find_drift(clip: Clip, feet: tuple[FootJoints, ...], leg: float) -> tuple[float, float]:
    """The velocity of a treadmill: low feet agree on one velocity while the hips stay where they are."""
    step = max(1, round(SPEED_WINDOW_S * clip.fps))
    if len(clip) < 8 * step:
        return 0.0, 0.0
    positions = clip.positions()
    joints = [f.ankle if f.toes is None else f.toes[0] for f in feet]
    track = positions[:, joints]
    velocity = (track[step:] - track[:-step])[..., [0, 2]] * (clip.fps / step)
    height = np.maximum(track[step:, :, 1], track[:-step, :, 1])
    low = velocity[height <= np.percentile(height, 25.0, axis=0) + _NOISE * leg]
    usual = np.median(low, axis=0)
    speed = float(np.hypot(*usual))
    hips = positions[:, clip.skeleton.roles.get("hips", 0)][:, [0, 2]]
    travel = float(np.hypot(*(hips[-1] - hips[0]))) / clip.duration
    agree = np.mean(np.linalg.norm(low - usual, axis=1) < 0.35 * speed)
    if speed < 0.4 * leg or travel > 0.25 * speed or agree < 0.6:
        return 0.0, 0.0
    for _ in range(5):
        close = low[np.linalg.norm(low - usual, axis=1) < 0.1 * speed]
        usual = close.mean(axis=0) if len(close) else usual
    return float(usual[0]), float(usual[1])


def _fit_stand(clip: Clip, tracks: _Tracks, leg: float, drift: tuple[float, float]) -> _Stand:
    """Fit the standing heights and one common lean to points of the feet while they are low and still.

    In leg lengths. A robust least-squares fit with the prior that floors are level and legs alike, so that a clip on
    the spot, or a foot that never stands, takes the sensible answer.
    """
    every = max(1, round(SPEED_WINDOW_S * clip.fps))
    fps = clip.fps / every
    points, planned = tracks.points[::every] / leg, tracks.planned[::every]
    planned = planned if planned.any() else np.ones_like(planned)
    speed = still_speed(_seen_from(points, (drift[0] / leg, drift[1] / leg), fps), fps)
    height = points[..., 1]
    enough = max(1.0, min(_ENOUGH_S * fps, 0.1 * len(points)))
    usual = _low_height(height[planned], speed[planned], enough)
    count = int(tracks.level.max()) + 1
    levels: Floats = np.full(count, usual)
    slope: Floats = np.zeros(2)
    centre: Floats = np.zeros(2)
    near = _NEAR
    keep = np.zeros(height.shape, dtype=bool)
    for _ in range(3):
        plane = levels[tracks.level] + (points[..., [0, 2]] - centre) @ slope
        for level in range(count):
            on_level = tracks.level == level
            close = planned[:, on_level] & (np.abs(height[:, on_level] - plane[:, on_level]) < near)
            for limit in _SLOW:
                keep[:, on_level] = close & (speed[:, on_level] < limit)
                if np.count_nonzero(keep[:, on_level]) >= enough:
                    break
        if not keep.any():
            break
        levels, slope, centre = _fit_plane(points, keep, tracks, fps)
        near = 0.5 * _NEAR
    residual = height - levels[tracks.level] - (points[..., [0, 2]] - centre) @ slope
    keep &= np.abs(residual) < _STANDING
    return _Stand(
        levels * leg,
        (float(slope[0]), float(slope[1])),
        (float(centre[0] * leg), float(centre[1] * leg)),
        [every * np.flatnonzero(column) for column in keep.T],
    )


def _low_height(height: Floats, speed: Floats, enough: float) -> float:
    """The usual height of what stands: low among the slow frames."""
    for limit in _SLOW:
        slow = height[speed < limit]
        if len(slow) >= enough:
            break
    return float(np.percentile(slow, 10.0))


def _fit_plane(points: Floats, keep: NDArray[np.bool_], tracks: _Tracks, fps: float) -> tuple[Floats, Floats, Floats]:
    count = int(tracks.level.max()) + 1
    frame, track = np.nonzero(keep)
    place = points[frame, track]
    centre = place[:, [0, 2]].mean(axis=0)
    design = np.column_stack([np.eye(count)[tracks.level[track]], place[:, [0, 2]] - centre])
    prior = np.zeros((count + 2, count + 2))
    prior[:count, :count] = 1e-9 * np.eye(count)
    prior[count:, count:] = np.eye(2) / _USUAL_LEAN**2
    if count == 2:
        prior[:2, :2] += np.array([[1.0, -1.0], [-1.0, 1.0]]) / _USUAL_DIFFERENCE**2
    trust = 1.0 / (tracks.noise**2 * max(1.0, _SAMPLE_S * fps))
    weight = np.ones(len(frame))
    for _ in range(12):
        weighted = design * (weight * trust)[:, None]
        solution = np.linalg.solve(design.T @ weighted + prior, weighted.T @ place[:, 1])
        residual = place[:, 1] - design @ solution
        far = np.maximum(1.0, np.abs(residual) / tracks.noise)
        # A foot hovers above its stance more often than it sinks below it.
        weight = np.where(residual > 0, 1.0 / far**2, 1.0 / far)
    levels, slope = solution[:count], solution[count:]
    lean = float(np.hypot(*slope))
    slope = slope * min(1.0, _LARGEST_LEAN / lean) if lean > 0 else slope
    if count == 2 and abs(levels[0] - levels[1]) > _LARGEST_DIFFERENCE:
        levels = np.minimum(levels, levels.min() + _LARGEST_DIFFERENCE)
    return levels, slope, centre
