"""What a motion shows that a verdict can be drawn from: its forces, what could carry them, and what moves there.

================  ==========================================================================================
MotionEvidence    the motion of a body at 60 frames a second or less, with the force and moment that it needs
root_wrench       force and moment about the centre of mass that a motion needs, for all frames at once
================  ==========================================================================================

Contact is judged with patience here: a point counts as near the ground within 5 cm, and a fifteenth of a second before
and after that, because a low-pass filter at 8 Hz smears the forces of a landing by about that much. What is not
explained even so cannot be explained by a better contact.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.floor import Ground as Standing
from kinetune.physics.equations_of_motion import (
    Poses,
    level_coordinates,
    segment_poses,
    smooth_coordinates,
)
from kinetune.physics.ground import Bools, ContactGround
from kinetune.physics.model.body_model import Body
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

RATE_HZ = 60.0
CUTOFF_HZ = 8.0
NEAR = 0.05  # metres above the ground, of a body of 1.7 m
_OFF = 0.035  # a body whose soles are all higher than this touches nothing
SMEAR_S = 1.0 / 15.0
EDGE = 3  # frames at either end whose accelerations are those of the filter's ends
_USUAL_HEIGHT = 1.7
_STILL = 0.2  # m/s: a foot that stands on something higher than the ground
_LIFT = 0.1  # m/s by which every point of both feet rises or sinks while a body is lifted
_LIFTED_S = 0.05  # so long nothing carries a body that is lifted as a whole
_SEATED_SPEED = 0.25
_SEATED_HEIGHT = 0.42  # of the height of the body: hips below this may sit on something
_SEAT = 0.06  # half its width, of the height
_LOW_ROLES = {
    **{f"{side} {part}": 0.07 for side in ("left", "right") for part in ("hand", "lower arm", "lower leg")},
    **{"hips": 0.09, "chest": 0.09, "head": 0.09},
}  # how high above the ground such a joint is while the part lies on it, of the height
_LEG = 0.53  # of the height of the body
_STEP, _LOW_ANKLE = 0.4, 0.25  # of a leg: how far a step goes at least, and how high the ankle may be at its ends
_SWING_SHARE, _STEP_SHARE = 0.3, 0.2  # of the greatest speed of a foot, and of that of a swing
_DIRECTIONS = np.stack([f(2.0 * np.pi * np.arange(36) / 36.0) for f in (np.cos, np.sin)], axis=1)  # (36, 2)


def root_wrench(body: Body, poses: Poses, rate: float) -> tuple[Floats, Floats, Floats]:
    """The centre of mass, its acceleration, and the rate of angular momentum about it over the weight.

    All are (frames, 3): metres, m/s^2, and metres.

    Notes
    -----
    Angular momentum between two frames is that of the discrete rigid bodies,
    L = sum m r x r' + axial(R S R'), S = tr(I)/2 - I, so that a motion in free fall has none to gain. The first and the
    last frame have no acceleration and are zero.
    """
    masses = np.array([segment.mass for segment in body.segments])
    inertias = np.array([segment.inertia for segment in body.segments])
    centres = poses.places + rot.rotate(poses.turns, np.array([segment.centre for segment in body.segments]))
    com = np.einsum("s,fsk->fk", masses / masses.sum(), centres)
    arms = centres - com[:, None]
    axes = rot.to_matrix(poses.turns)
    spread = 0.5 * np.trace(inertias, axis1=1, axis2=2)[:, None, None] * np.eye(3) - inertias
    mixed = np.einsum("fsij,sjk,fslk->fil", axes[:-1], spread, axes[1:])
    turning = np.stack([mixed[:, i, j] - mixed[:, j, i] for i, j in ((1, 2), (2, 0), (0, 1))], axis=1)
    momentum = (np.einsum("s,fsk->fk", masses, np.cross(arms[:-1], arms[1:])) + turning) * rate
    acceleration, moment = np.zeros_like(com), np.zeros_like(com)
    acceleration[1:-1] = np.diff(com, 2, axis=0) * rate**2
    moment[1:-1] = np.diff(momentum, axis=0) * rate / (masses.sum() * GRAVITY)
    return com, acceleration, moment


class MotionEvidence:
    """A motion as its verdict sees it.

    Parameters
    ----------
    motion : Clip
        Without stray poses.
    body : Body
        Its model.
    standing : Ground, optional
        Floor and feet, from :func:`kinetune.body.feet.floor.find_ground`.
    ground : ContactGround, optional
        What it stands on, if that is known; a level floor at the standing height otherwise.
    cutoff_hz : float, optional
        Smoothing; None takes the motion as it is.

    Attributes
    ----------
    every, rate : how many frames of the clip one of ours stands for, and ours a second.
    com, acceleration, moment : (frames, 3) see :func:`root_wrench`.
    force : (frames, 3) what the ground must give, in body weights.
    points, heights, velocities : (frames, points, ...) of the soles, heights above the ground, horizontal velocities
        against it.
    carries, carriers : (frames, parts) which parts of the body may carry it, and (frames, parts, 3) where they touch:
        the soles first, then other parts near the ground and a seat.
    airborne : (frames,) nothing touches the ground, a step or a seat.
    lifted : (frames,) airborne, and carried all the same.
    """

    def __init__(
        self,
        motion: Clip,
        body: Body,
        standing: Standing | None,
        ground: ContactGround | None = None,
        cutoff_hz: float | None = CUTOFF_HZ,
    ) -> None:
        self.body, self.height = body, body.height
        self.size = body.height / _USUAL_HEIGHT
        self.raw = body.coordinates(motion)
        self.fps = motion.fps
        smooth = cutoff_hz is not None and motion.fps > 2.0 * cutoff_hz + 1.0
        qpos = smooth_coordinates(self.raw, motion.fps, float(cutoff_hz or 0.0)) if smooth else self.raw
        self.smooth = qpos
        if ground is None and standing is not None:
            qpos = level_coordinates(qpos, standing.floor)
        self.every = max(1, int(motion.fps // RATE_HZ))
        self.rate = motion.fps / self.every
        self.qpos = qpos[:: self.every]
        self.poses = segment_poses(body, self.qpos)
        self.com, self.acceleration, self.moment = root_wrench(body, self.poses, self.rate)
        self.force = self.acceleration / GRAVITY + np.array([0.0, 1.0, 0.0])
        self.points = body.point_positions(self.qpos, self.poses)
        self.level = self._levels(ground, standing)
        self.heights = self.points[..., 1] - self.level
        drift = (0.0, 0.0) if standing is None else standing.drift  # the belt of a treadmill
        self.drift = np.array(drift)
        self.velocities = _rates(self.points, self.rate)[..., [0, 2]] - self.drift
        self.smear = max(1, round(SMEAR_S * self.rate))
        parts, down = self._other_parts()
        self.near, self.airborne, self.lifted, raised = self._near(np.asarray(down.any(axis=1)))
        base = np.where(raised, self.points[..., 1], self.points[..., 1] - self.heights)
        soles = np.stack([self.points[..., 0], base, self.points[..., 2]], axis=-1)
        self.carries = np.concatenate([self.near, down], axis=1)
        self.carriers = np.concatenate([soles, parts], axis=1)

    def __len__(self) -> int:
        return len(self.com)

    @property
    def inner(self) -> Bools:
        """(frames,) all but the ends, where accelerations are those of the filter."""
        flags = np.zeros(len(self), dtype=bool)
        flags[EDGE:-EDGE] = True
        return flags

    @cached_property
    def supported(self) -> Bools:
        """(frames,) whether anything could carry the body."""
        return np.asarray(self.carries.any(axis=1))

    @cached_property
    def activity(self) -> float:
        """The mean acceleration of the centre of mass over gravity: how much there is to explain, and to blur."""
        return float(np.linalg.norm(self.acceleration[self.inner], axis=1).mean() / GRAVITY)

    @cached_property
    def travel(self) -> float:
        """The mean horizontal speed of the centre of mass, m/s."""
        return float(np.linalg.norm(_rates(self.com, self.rate)[:, [0, 2]], axis=1).mean())

    @cached_property
    def step_times(self) -> Floats:
        """(steps,) how long feet swing from one footfall to the next, in units of sqrt(leg / g).

        A step is a move of an ankle that begins and ends low, by 0.4 legs or more, for as long as it is faster than a
        fifth of its greatest speed. Legs are pendulums: walkers take 1.3 to 2.5, runners 0.9 and more.
        """
        leg, times = _LEG * self.height, []
        for role in ("left foot", "right foot"):
            path = self.joint(role)
            if path is None or len(path) < 3:
                continue
            low = float(np.percentile(path[:, 1], 20.0)) + _LOW_ANKLE * leg
            along = path[:, [0, 2]] - np.arange(len(path))[:, None] * self.drift / self.rate
            speed = np.linalg.norm(_rates(along, self.rate), axis=1)
            for start, stop in true_ranges(speed > _SWING_SHARE * speed.max()):
                swing = start + int(np.argmax(speed[start:stop]))
                slow = np.flatnonzero(speed <= _STEP_SHARE * speed[swing])
                before, after = slow[slow < swing], slow[slow > swing]
                if not len(before) or not len(after):
                    continue
                a, b = int(before[-1]), int(after[0])
                if np.linalg.norm(along[b] - along[a]) > _STEP * leg and max(path[a, 1], path[b, 1]) < low:
                    edge = _STEP_SHARE * speed[swing]
                    begins = a + (edge - speed[a]) / (speed[a + 1] - speed[a])
                    ends = b - (edge - speed[b]) / (speed[b - 1] - speed[b])
                    times.append((ends - begins) / self.rate)
        return np.asarray(np.array(times) / np.sqrt(leg / GRAVITY))

    def joint(self, *roles: str) -> Floats | None:
        """(frames, 3) where the joint of the first of these roles is that the body has."""
        known = self.body.skeleton.roles
        for role in roles:
            for k, segment in enumerate(self.body.segments):
                if role in known and known[role] in segment.joints:
                    return np.asarray(self.poses.places[:, k])
        return None

    def pressure(self, share: float = 1.0) -> Floats:
        """(frames, 2) where one force on the ground would do all.

        ``share`` scales accelerations, as another clock does.
        """
        lift = np.maximum(1.0 + share * self.acceleration[:, 1] / GRAVITY, 0.15)[:, None]
        count = np.maximum(self.carries.sum(axis=1), 1)
        level = np.where(
            self.supported,
            np.sum(self.carriers[..., 1] * self.carries, axis=1) / count,
            self.level.mean(axis=1),
        )
        drop = (self.com[:, 1] - level)[:, None]
        push = share * self.acceleration[:, [0, 2]] / GRAVITY
        turn = share * np.stack([self.moment[:, 2], -self.moment[:, 0]], axis=1)
        return np.asarray(self.com[:, [0, 2]] + (turn - drop * push) / lift)

    def beyond(self, pressure: Floats, carriers: Floats, carries: Bools) -> Floats:
        """(frames, 2) the way from a polygon of points seen from above to a place outside of it; NaN without points."""
        reach = np.where(carries[..., None], carriers[..., [0, 2]] @ _DIRECTIONS.T, -np.inf).max(axis=1)
        with np.errstate(invalid="ignore"):
            gap = pressure @ _DIRECTIONS.T - reach
        best = np.argmax(gap, axis=1)
        distance = np.maximum(gap[np.arange(len(gap)), best], 0.0)
        distance = np.where(np.isfinite(distance), distance, np.nan)
        return np.asarray(_DIRECTIONS[best] * distance[:, None])

    def _levels(self, ground: ContactGround | None, standing: Standing | None) -> Floats:
        """(frames, points) the height of the ground under each sole point."""
        if ground is not None:
            return ground.height(self.points)
        if standing is not None:
            return np.full(self.points.shape[:2], standing.floor.height)
        low = self.points[..., 1].min(axis=1) if self.points.shape[1] else self.poses.places[..., 1].min(axis=1)
        return np.full(self.points.shape[:2], float(np.percentile(low, 5.0)))

    def _near(self, down: Bools) -> tuple[Bools, Bools, Bools, Bools]:
        """Which sole points may carry, where nothing touches, where the body is lifted there, and what is on a step.

        A foot that is still above the ground stands on something, unless the body came there lifted as a whole: who
        climbs has a foot on the ground or on the step all the time, or moves the feet apart, or flies. ``down``
        (frames,) says where hands or other parts carry.
        """
        low = self.heights < NEAR * self.size
        moves, pace = _rates(self.points, self.rate), np.sqrt(self.size)
        still = (np.linalg.norm(moves, axis=2) < _STILL * pace) & ~low
        together = (moves[..., 1] > _LIFT * pace).all(axis=1) | (moves[..., 1] < -_LIFT * pace).all(axis=1)
        high = ~(self.heights < _OFF * self.size).any(axis=1) & ~down
        aloft = high & (self.force[:, 1] > 0.5) & self.inner
        gaps = aloft & ~still.any(axis=1) & together
        lifted = np.zeros(len(self), dtype=bool)
        for start, stop in true_ranges(gaps):
            if stop - start >= _LIFTED_S * self.rate:
                lifted[start:stop] = True
        for start, stop in true_ranges(high):
            if lifted[start:stop].any():  # up there, still feet stand on nothing
                still[start:stop] = False
                lifted[start:stop] |= aloft[start:stop]
        airborne = high & ~still.any(axis=1)
        return _widened(low | still, self.smear), airborne, lifted & ~_widened(~high, self.smear), still

    def _other_parts(self) -> tuple[Floats, Bools]:
        """Hands, knees, trunk and head near the ground, and a seat under hips that are low and still."""
        floor = self.level.mean(axis=1) if self.level.shape[1] else np.zeros(len(self))
        places, flags = [], []
        for role, share in _LOW_ROLES.items():
            joint = self.joint(role)
            if joint is not None:
                places.append(joint)
                flags.append(joint[:, 1] - floor < share * self.height)
        hips = self.joint("hips")
        if hips is not None:
            speed = _widest(np.linalg.norm(_rates(hips, self.rate), axis=1), self.smear)
            seated = (hips[:, 1] - floor < _SEATED_HEIGHT * self.height) & (speed < _SEATED_SPEED * np.sqrt(self.size))
            for x, z in ((1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)):
                places.append(hips + _SEAT * self.height * np.array([x, 0.0, z]))
                flags.append(seated)
        if not places:
            return np.zeros((len(self), 0, 3)), np.zeros((len(self), 0), dtype=bool)
        return np.stack(places, axis=1), np.stack(flags, axis=1)


def _rates(points: Floats, rate: float) -> Floats:
    return np.asarray(np.gradient(points, 1.0 / rate, axis=0))


def _widened(flags: Bools, reach: int) -> Bools:
    """Flags (frames, ...) set for ``reach`` frames more on either side."""
    from scipy.ndimage import maximum_filter1d

    return np.asarray(maximum_filter1d(flags.astype(np.int8), 2 * reach + 1, axis=0) > 0)


def _widest(values: Floats, reach: int) -> Floats:
    from scipy.ndimage import maximum_filter1d

    return np.asarray(maximum_filter1d(values, 2 * reach + 1, axis=0))
