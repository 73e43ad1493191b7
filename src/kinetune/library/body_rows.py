"""Motion as rows of numbers that can be compared across skeletons: what an index stores and every search reads.

=============  ==================================================================================================
body_rows      a clip as rows, thirty a second: where the limbs point, seen from the body itself, and how it travels
mirrored       the rows of the mirror image
with_velocity  rows with the velocity of every point beside them: what a time warp compares
window_means   the mean of every fifth of a second of these: what a search scans first
=============  ==================================================================================================

Skeletons differ in their joints and proportions, so that neither rotations nor positions can be compared as they are.
What is compared is a body of fixed proportions that does the same: each limb points where the limb between the same two
roles points (:mod:`kinetune.body.roles`), and has the length that it has in an adult of 1.75 m. Everything is seen
from the hips, facing ahead, so that neither position nor heading matters. Distances between rows are metres: the root
mean square over eleven points of that body, together with how differently it travels.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.quality.glitches import motion_span
from kinetune.body.skeleton import Skeleton
from kinetune.errors import KinetuneError
from kinetune.rotations import Floats
from kinetune.signals.resampling import interpolate, sample_times

ROWS_PER_S = 30.0
WINDOW = 6
"""Rows of a window: a fifth of a second."""

# The proportions of the body that is compared, in metres ([drillis] R. Drillis and R. Contini, "Body segment
# parameters", 1966, for a stature of 1.75 m).
_TRUNK, _NECK, _HALF_SHOULDERS, _HALF_HIPS = 0.50, 0.20, 0.20, 0.09
_UPPER_ARM, _LOWER_ARM, _UPPER_LEG, _LOWER_LEG = 0.33, 0.26, 0.43, 0.43
_LEG = _UPPER_LEG + _LOWER_LEG

_POINTS = 11
POSE = 3 * _POINTS
"""Columns of a row that are the pose; those after it are height and travel."""
COLUMNS = POSE + 5
"""The pose; height of the hips; velocity ahead, to the left and up; rotation about the vertical."""
WINDOW_COLUMNS = COLUMNS + POSE

# How much the rest counts: a metre of height like one of distance, a metre a second like 20 cm.
_TRAVEL_S, _TURN_M_S, _VELOCITY_S = 0.2, 0.06, 0.1
_FLOOR_PERCENTILE = 2.0

_LEGS = tuple(f"{side} {part}" for side in ("left", "right") for part in ("upper leg", "lower leg", "foot"))
_DOWN, _UP = np.array([0.0, -1.0, 0.0]), np.array([0.0, 1.0, 0.0])


class NotComparable(KinetuneError):
    """A skeleton whose legs are unknown, so that its motion cannot be compared with that of others."""

    def __init__(self, missing: tuple[str, ...]) -> None:
        self.missing = missing
        named = " or ".join(f'"{role}"' for role in missing[:3])
        super().__init__(
            f"The skeleton has no joint in the role {named}, so its motion cannot be compared with others."
        )

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.missing,)


def check_comparable(skeleton: Skeleton) -> None:
    """Raise :class:`NotComparable` unless hips and legs are known; a body without arms or head will do."""
    missing = tuple(role for role in _LEGS if role not in skeleton.roles)
    if missing:
        raise NotComparable(missing)


def body_rows(clip: Clip) -> tuple[Floats, int]:
    """A clip as rows (n, COLUMNS) float32, thirty a second, and the frame at which they begin.

    A T-pose or the like at either end is left out.

    Notes
    -----
    Laws (``tests/library/test_body_rows.py``): position, heading, size, frame rate and the names of joints do not
    matter; the rows of a mirrored clip are the mirrored rows.
    """
    check_comparable(clip.skeleton)
    world = clip.positions()  # before the ends are looked at, which are parts of the clip and share them
    start, stop = motion_span(clip)
    positions = world[start:stop]
    roles = clip.skeleton.roles

    def joint(role: str) -> Floats | None:
        return positions[:, roles[role]] if role in roles else None

    hips = 0.5 * (positions[:, roles["left upper leg"]] + positions[:, roles["right upper leg"]])
    across = positions[:, roles["left upper leg"]] - positions[:, roles["right upper leg"]]
    heading = np.unwrap(np.arctan2(-across[:, 2], across[:, 0]))
    body = _Body(heading)
    points = _points(body, joint, hips, across)
    leg = _leg_length(clip.skeleton, positions)
    scale = _LEG / leg
    feet = np.minimum(positions[:, roles["left foot"], 1], positions[:, roles["right foot"], 1])
    height = hips[:, 1] - np.percentile(feet, _FLOOR_PERCENTILE)
    track = np.column_stack([points.reshape(len(points), POSE), scale * height, scale * hips, heading])
    sampled = interpolate(track, sample_times(len(track), clip.fps, ROWS_PER_S) * clip.fps)
    velocity = _Body(sampled[:, -1]).seen(_velocity(sampled[:, POSE + 1 : POSE + 4]))
    turning = _velocity(sampled[:, -1:])
    rows = np.column_stack(
        [
            sampled[:, :POSE] / np.sqrt(_POINTS),
            sampled[:, POSE],
            _TRAVEL_S * velocity[:, [2, 0, 1]],
            _TURN_M_S * turning,
        ]
    )
    return rows.astype(np.float32), start


class _Body:
    """The axes of a body that faces some way: to the left, up, ahead."""

    def __init__(self, heading: Floats) -> None:
        self._cos, self._sin = np.cos(heading), np.sin(heading)

    def seen(self, vectors: Floats) -> Floats:
        """World vectors (frames, 3) as the body sees them."""
        x, y, z = vectors.T
        return np.column_stack([self._cos * x - self._sin * z, y, self._sin * x + self._cos * z])


def _points(body: _Body, joint: Callable[[str], Floats | None], hips: Floats, across: Floats) -> Floats:
    """The points of the compared body (frames, 11, 3), seen from its hips."""
    frames = len(hips)

    def direction(start: Floats | None, end: Floats | None, otherwise: Floats) -> Floats:
        if start is None or end is None:
            return np.broadcast_to(otherwise, (frames, 3))
        vectors = body.seen(end - start)
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.where(length > 1e-6, vectors / np.maximum(length, 1e-9), otherwise)

    shoulders = joint("left upper arm"), joint("right upper arm")
    middle = joint("neck") if joint("chest") is None else joint("chest")
    if shoulders[0] is not None and shoulders[1] is not None:
        middle = 0.5 * (shoulders[0] + shoulders[1])
    left = direction(hips, hips + across, np.array([1.0, 0.0, 0.0]))
    trunk = direction(hips, middle, _UP)
    broad = direction(shoulders[1], shoulders[0], left)
    neck = _TRUNK * trunk
    points = [neck + _NECK * direction(middle, joint("head"), trunk)]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        shoulder = neck + sign * _HALF_SHOULDERS * broad
        upper = direction(joint(f"{side} upper arm"), joint(f"{side} lower arm"), _DOWN)
        elbow = shoulder + _UPPER_ARM * upper
        hand = elbow + _LOWER_ARM * direction(joint(f"{side} lower arm"), joint(f"{side} hand"), upper)
        knee = sign * _HALF_HIPS * left + _UPPER_LEG * direction(
            joint(f"{side} upper leg"), joint(f"{side} lower leg"), _DOWN
        )
        foot = knee + _LOWER_LEG * direction(joint(f"{side} lower leg"), joint(f"{side} foot"), _DOWN)
        points += [shoulder, elbow, hand, knee, foot]
    return np.stack(points, axis=1)


def _leg_length(skeleton: Skeleton, positions: Floats) -> float:
    """Thigh and shin in metres, as they are in the motion: some files have a rest pose that is not the body's."""
    lengths = [
        np.linalg.norm(
            positions[:, skeleton.roles[f"{side} {end}"]] - positions[:, skeleton.roles[f"{side} {start}"]], axis=1
        )
        for side in ("left", "right")
        for start, end in (("upper leg", "lower leg"), ("lower leg", "foot"))
    ]
    return max(0.5 * float(np.median(np.sum(lengths, axis=0))), 1e-3)


_LEFT = tuple(range(1, 6))
_MIRROR_POINTS = np.array([0, *(k + 5 for k in _LEFT), *_LEFT])
_SWAPPED = (3 * _MIRROR_POINTS[:, None] + np.arange(3)).ravel()
_MIRROR = np.concatenate([_SWAPPED, np.arange(POSE, COLUMNS), COLUMNS + _SWAPPED])
_SIGNS = np.concatenate([np.tile([-1.0, 1.0, 1.0], _POINTS), [1.0, 1.0, -1.0, 1.0, -1.0], np.tile([-1, 1, 1], _POINTS)])


def mirrored(rows: Floats) -> Floats:
    """The rows of the mirror image: left and right exchanged. With velocities or without."""
    columns = rows.shape[1]
    return np.asarray(rows[:, _MIRROR[:columns]] * _SIGNS[:columns].astype(rows.dtype))


def with_velocity(rows: Floats) -> Floats:
    """Rows (n, WINDOW_COLUMNS): the velocity of each point beside them; a metre a second counts like 10 cm."""
    return np.concatenate([rows, rows.dtype.type(_VELOCITY_S) * _velocity(rows[:, :POSE])], axis=1)


def window_means(rows: Floats) -> Floats:
    """The mean of every ``WINDOW`` rows, (windows, columns); the last may have fewer."""
    starts = np.arange(0, len(rows), WINDOW)
    sums = np.add.reduceat(rows, starts, axis=0)
    counts = np.diff(np.append(starts, len(rows)))
    return np.asarray(sums / counts[:, None].astype(rows.dtype))


def _velocity(track: Floats) -> Floats:
    """Per second, central differences."""
    speeds = np.zeros_like(track)
    if len(track) > 1:
        np.subtract(track[2:], track[:-2], out=speeds[1:-1])
        speeds[1:-1] *= 0.5
        speeds[0], speeds[-1] = track[1] - track[0], track[-1] - track[-2]
        speeds *= ROWS_PER_S
    return speeds
