"""How far feet slide while they stand.

A foot that rolls over heel, ball and toe does not slide, although ankle, heel and toes all move: what counts is the
point that carries it. At each moment that is the slowest point of the sole, on the line from heel over ball to toe as
far as it touches the floor. A foot that turns on the spot does not slide either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import TOUCHING, Contacts
from kinetune.body.feet.floor import Ground
from kinetune.body.feet.soles import SPEED_WINDOW_S, Foot, SolePoint
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

_DIRECTIONS = 16


@dataclass(frozen=True)
class Slide:
    """The slide of one contact.

    foot : the side, or the joint where it has none.
    start, stop : the frames of the contact, stop excluded.
    seconds : the time over which the slide was measured, without landing and leaving.
    metres : the extent of the slide: the largest distance between any two moments.
    """

    foot: str
    start: int
    stop: int
    seconds: float
    metres: float


def find_slides(clip: Clip, contacts: Contacts, ground: Ground | None) -> list[Slide]:
    """The slide of every contact that is long enough to have one, foot by foot in order of frames.

    Parameters
    ----------
    contacts : which feet stand when. A joint that is no foot of ``ground`` is followed by itself.
    ground : floor and soles, from :func:`kinetune.body.feet.floor.find_ground`.

    Notes
    -----
    The steps of the carrying point, along the floor, are added up to a path; the slide is the extent of that path.
    Measuring noise adds its own width and no more, at any frame rate. The first and the last thirtieth of a second of a
    contact, in which the foot lands and leaves, do not count, unless the clip begins or ends there.
    """
    if len(contacts) != len(clip):
        raise ParameterError(f"The contacts have {len(contacts)} frames, but the clip has {len(clip)}.")
    edge = max(1, round(SPEED_WINDOW_S * clip.fps))
    found = []
    for column, name in enumerate(contacts.joints):
        foot = _foot_of(clip, name, contacts.sides[column], ground)
        path = _carried_path(clip, foot, ground, edge)
        for start, stop in contacts.intervals(column):
            first = start if start == 0 else start + edge
            last = stop if stop == len(clip) else stop - edge
            if last - first >= 2:
                seconds = (last - first - 1) / clip.fps
                found.append(Slide(foot.side or name, start, stop, seconds, extent(path[first:last])))
    return found


def _foot_of(clip: Clip, joint: str, side: str, ground: Ground | None) -> Foot:
    index = clip.skeleton.index(joint)
    for foot in () if ground is None else ground.feet:
        if foot.joint == index:
            return foot
    return Foot(side, index, (SolePoint("heel", index, (0.0, 0.0, 0.0)),))


def _carried_path(clip: Clip, foot: Foot, ground: Ground | None, window: int) -> Floats:
    """The steps of the carrying point along the floor, added up: (frames, 2) in metres."""
    points = foot.positions(clip)
    touching = np.ones(points.shape[:2], dtype=bool)
    if ground is not None:
        height = ground.floor.above(points)
        touching = height <= np.maximum(height.min(axis=1, keepdims=True), 0.0) + TOUCHING * ground.leg
        points = ground.still_positions(clip, points)
    flat = points[..., [0, 2]]
    steps = np.diff(flat, axis=0)
    # The carrier is chosen over a thirtieth of a second, so that noise does not choose it.
    before = np.clip(np.arange(len(steps)) - (window - 1) // 2, 0, None)
    pace = flat[np.minimum(before + window, len(flat) - 1)] - flat[before]
    share = _slowest_share(pace, touching[:-1] | touching[1:])
    carried = np.einsum("fp,fpk->fk", share, steps)
    return np.concatenate([np.zeros((1, 2)), np.cumsum(carried, axis=0)])


def _slowest_share(pace: Floats, touching: NDArray[np.bool_]) -> Floats:
    """How much of the carrying point each sole point is, (steps, points), rows that sum to 1.

    The sole is the line heel - ball - toe, as far as it touches; its slowest point lies on a corner or between two.
    """
    frames, count = touching.shape
    corners = np.where(touching, np.einsum("fpk,fpk->fp", pace, pace), np.inf)
    best = np.argmin(corners, axis=1)
    least = corners[np.arange(frames), best]
    share = np.zeros((frames, count))
    share[np.arange(frames), best] = 1.0
    for point in range(count - 1):
        start, along = pace[:, point], pace[:, point + 1] - pace[:, point]
        length = np.einsum("fk,fk->f", along, along)
        part = np.clip(-np.einsum("fk,fk->f", start, along) / np.where(length > 0, length, 1.0), 0.0, 1.0)
        middle = start + part[:, None] * along
        speed = np.einsum("fk,fk->f", middle, middle)
        slower = touching[:, point] & touching[:, point + 1] & (speed < least)
        least = np.where(slower, speed, least)
        share[slower] = 0.0
        share[slower, point] = 1.0 - part[slower]
        share[slower, point + 1] = part[slower]
    return share


def extent(path: Floats) -> float:
    """The largest distance between any two points of a planar path (n, 2), to half a percent."""
    angles = np.arange(_DIRECTIONS) * (np.pi / _DIRECTIONS)
    along = path @ np.array([np.cos(angles), np.sin(angles)])
    return float(np.ptp(along, axis=0).max())
