"""Footprints: where the points that carry a body stand, and the paths of those that swing.

===========  =============================================================================
Footprints   targets of all contact points, where a print moves, and how feet come and go
lay_prints   one flat print for each stance, moving only where the foot really pivots
===========  =============================================================================

A capture never shows a foot that stands still: markers slide on skin, soles sink into the floor. A stance gets one
print, the shape of the sole seen from above, laid by a weighted Procrustes fit: frames in which a point is slow count
most. Where the foot turns or slides by more than noise explains, the print moves smoothly, and friction there may only
brake; a foot that only turns does so about the spot that slides least. A limb that stands above the ground is held
where its points are. A foot that lands or leaves is at rest along the ground at that moment, and in the air it clears
the ground: soles of captures scrape along it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetune.physics.ground import Bools, ContactGround
from kinetune.physics.whole_clip.contact_phases import ContactPhases, Indices
from kinetune.rotations import Floats
from kinetune.signals.filters import gaussian
from kinetune.signals.flag_ranges import true_ranges

_SLOW_M_S = 0.1
_LEAST_WEIGHT = 1e-9
_TURN, _SLIDE_M = float(np.deg2rad(15.0)), 0.05
_PIVOT_S, _PIVOT_BLUR_S = 0.2, 0.08
_PIVOT_SPEED, _SLIDE_SPEED = 0.5, 0.05  # rad/s and m/s at which a print counts as moving
_SHAPE_ROUNDS = 3
_STEADY = 0.1  # radians of turning below which the spot of a pivot is hardly seen
_EASE_S = 0.12  # so long before landing and after leaving a point is on its way to and from its print
_CLEAR_S, _CLEAR_M = 0.05, 0.02  # how soon a swinging foot clears the ground, and by how much


@dataclass(frozen=True, eq=False)
class Footprints:
    """Where contact points should be.

    targets : (frames, points, 3) metres. standing points stay there; swinging ones take over their offsets.
    moving : (frames, limbs) where a print pivots or slides. sliding : where it slides: a foot that pivots about one
        spot stays where it is.
    free : (frames, points) from 0 where a point lands or leaves to 1 in mid-air.
    clearance : (frames, points) metres above the ground below which swinging feet may not be.
    """

    targets: Floats
    moving: Bools
    sliding: Bools
    free: Floats
    clearance: Floats

    def velocities(self, rate: float) -> Floats:
        """(frames, points, 3) of the targets."""
        return np.asarray(np.gradient(self.targets, 1.0 / rate, axis=0))


def lay_prints(phases: ContactPhases, points: Floats, ground: ContactGround, rate: float) -> Footprints:
    """Lay the prints of all stances.

    Parameters
    ----------
    phases : which points stand. points : (frames, points, 3) where the motion has them. ground : under them.
    """
    targets, frames = points.copy(), len(points)
    free, clearance = np.ones(points.shape[:2]), np.zeros(points.shape[:2])
    moving: Bools = np.zeros((frames, len(phases.limbs)), dtype=bool)
    sliding = moving.copy()
    speed = np.linalg.norm(np.gradient(points, 1.0 / rate, axis=0), axis=2)
    for number, limb in enumerate(phases.limbs):
        columns, raised = limb.points, phases.raised[:, number]
        down, seen = phases.stand[:, columns], points[:, columns][..., [0, 2]]
        shape = _sole_shape(seen, points[:, columns, 1], down.all(axis=1) & ~raised)
        for start, stop in true_ranges(raised):
            _hold(targets, points, columns, down, start, stop)
        for start, stop in true_ranges(down.any(axis=1) & ~raised):
            weight = down[start:stop] * (1.0 / (1.0 + (speed[start:stop, columns] / _SLOW_M_S) ** 2) + _LEAST_WEIGHT)
            laid, slides, turns = _print(shape, seen[start:stop], weight, down[start:stop], rate)
            at = np.ix_(np.arange(start, stop), columns)
            targets[..., 0][at], targets[..., 2][at] = laid[..., 0], laid[..., 1]
            targets[..., 1][at] = ground.height(targets[start:stop, columns])
            sliding[start:stop, number], moving[start:stop, number] = slides, slides | turns
        _lead_swing(targets, points, columns, down)
        if not limb.other:
            free[:, columns] = _ease(targets, columns, down, rate)
            before, after = _since_stance(np.asarray(down.any(axis=1)))
            away = np.minimum(_smooth(before / (_CLEAR_S * rate)), _smooth(after / (_CLEAR_S * rate)))
            clearance[:, columns] = _CLEAR_M * away[:, None]
    targets[..., 1] = np.maximum(targets[..., 1], ground.height(targets) + clearance)
    return Footprints(targets, moving, sliding, free, clearance)


def _sole_shape(seen: Floats, heights: Floats, flat: Bools) -> Floats:
    """(points, 2) the sole seen from above: the median of the frames in which it lies flat."""
    count = max(4, len(seen) // 50)
    chosen = np.flatnonzero(flat) if flat.sum() > 3 else np.argsort(np.ptp(heights, axis=1))[:count]
    shape = seen[chosen[0]] - seen[chosen[0]].mean(axis=0)
    even = np.ones(seen[chosen].shape[:2])
    for _ in range(_SHAPE_ROUNDS):
        yaw, place = _lay(shape, seen[chosen], even)
        shape = np.median(_turned(seen[chosen] - place[:, None], -yaw), axis=0)
    return np.asarray(shape)


def _lay(shape: Floats, seen: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Yaw (frames,) and place (frames, 2) that lay a shape (points, 2) on points (frames, points, 2) best."""
    share = weight / weight.sum(axis=1, keepdims=True)
    middle, centre = share @ shape, np.einsum("fp,fpk->fk", share, seen)
    u, v = shape - middle[:, None], seen - centre[:, None]
    across = np.sum(share * (u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]), axis=1)
    yaw = np.arctan2(across, np.sum(share * np.sum(u * v, axis=2), axis=1))
    return yaw, centre - _turned(middle[:, None], yaw)[:, 0]


def _turned(places: Floats, yaw: Floats) -> Floats:
    """Places (frames, points, 2) turned by angles (frames,)."""
    c, s = np.cos(yaw)[:, None], np.sin(yaw)[:, None]
    return np.stack([c * places[..., 0] - s * places[..., 1], s * places[..., 0] + c * places[..., 1]], axis=2)


def _print(shape: Floats, seen: Floats, weight: Floats, down: Bools, rate: float) -> tuple[Floats, Bools, Bools]:
    """The print of one stance, (frames, points, 2), and where it slides and turns (frames,)."""
    frames = len(seen)
    yaw, place = _lay(shape, seen, weight)
    yaw = np.unwrap(yaw)
    middle = _pivot(shape, yaw, place, weight)
    spots = place + _turned(np.broadcast_to(middle, (frames, 1, 2)), yaw)[:, 0]
    sure = weight.sum(axis=1)
    many = down.sum(axis=1)
    seen_well = many >= min(4, int(many.max()))
    turned = float(np.ptp(np.percentile(yaw[seen_well], [5.0, 95.0])))
    slid = float(np.linalg.norm(np.ptp(np.percentile(spots[seen_well], [5.0, 95.0], axis=0), axis=0)))
    slides: Bools = np.zeros(frames, dtype=bool)
    turns = slides.copy()
    if (turned > _TURN or slid > _SLIDE_M) and frames > _PIVOT_S * rate:
        paths = np.column_stack([yaw, spots, np.ones(frames)]) * sure[:, None]
        blurred = gaussian(paths, rate, _PIVOT_BLUR_S, ends="held")
        total = np.maximum(blurred[:, 3], 1e-9 * sure.max())
        yaw = blurred[:, 0] / total
        held = np.average(spots, axis=0, weights=sure)
        spots = blurred[:, 1:3] / total[:, None] if slid > _SLIDE_M else np.broadcast_to(held, (frames, 2))
        slides = np.asarray(np.linalg.norm(np.gradient(spots, 1.0 / rate, axis=0), axis=1) > _SLIDE_SPEED)
        turns = np.asarray(np.abs(np.gradient(yaw, 1.0 / rate)) > _PIVOT_SPEED)
    else:
        yaw = np.full(frames, np.average(yaw, weights=sure))
        spots = np.broadcast_to(np.average(spots, axis=0, weights=sure), (frames, 2))
    return _turned(np.broadcast_to(shape - middle, (frames, *shape.shape)), yaw) + spots[:, None], slides, turns


def _pivot(shape: Floats, yaw: Floats, place: Floats, weight: Floats) -> Floats:
    """The spot of a sole (2,) that slides least as it turns; without a turn, the one that carries most."""
    sure = weight.sum(axis=1) / weight.sum()
    middle = np.average(shape, axis=0, weights=weight.sum(axis=0))
    c, s = np.cos(yaw), np.sin(yaw)
    turns = np.stack([np.stack([c, -s], axis=1), np.stack([s, c], axis=1)], axis=1)
    turns = turns - np.einsum("f,fij->ij", sure, turns)
    slides = place - sure @ place + turns @ middle
    normal = np.einsum("f,fki,fkj->ij", sure, turns, turns) + _STEADY**2 * np.eye(2)
    spot = middle - np.linalg.solve(normal, np.einsum("f,fki,fk->i", sure, turns, slides))
    return np.asarray(np.clip(spot, shape.min(axis=0), shape.max(axis=0)))


def _hold(targets: Floats, points: Floats, columns: Indices, down: Bools, start: int, stop: int) -> None:
    """Hold each point of a limb that stands above the ground where it is in the mean."""
    for column, point in enumerate(columns.tolist()):
        for first, last in true_ranges(down[start:stop, column]):
            span = slice(start + first, start + last)
            targets[span, point] = points[span, point].mean(axis=0)


def _lead_swing(targets: Floats, points: Floats, columns: Indices, down: Bools) -> None:
    """A swinging point passes over from the offset of one stance to that of the next."""
    frames = np.arange(len(points))
    any_down = np.flatnonzero(down.any(axis=1))
    for column, point in enumerate(columns.tolist()):
        known = np.flatnonzero(down[:, column])
        known = known if len(known) else any_down
        if not len(known):
            continue
        offset = targets[known, point] - points[known, point]
        lifted = np.logical_not(down[:, column])
        for axis in range(3):
            led = points[:, point, axis] + np.interp(frames, known, offset[:, axis])
            targets[lifted, point, axis] = led[lifted]


def _ease(targets: Floats, columns: Indices, down: Bools, rate: float) -> Floats:
    """Let points come to their prints, and leave them, at rest along the ground; how free (frames, points) each is."""
    free = np.ones(down.shape)
    frames = np.arange(len(down))
    for column, point in enumerate(columns.tolist()):
        before, after = _since_stance(down[:, column])
        for away, sign in ((before, -1), (after, 1)):
            share = _smooth(away / (_EASE_S * rate))
            near = np.flatnonzero((share < 1.0) & ~down[:, column])
            at = targets[(frames[near] + sign * away[near]).astype(np.intp), point][:, [0, 2]]
            path = targets[near, point][:, [0, 2]]
            targets[near[:, None], point, [0, 2]] = at + share[near, None] * (path - at)
            free[near, column] = np.minimum(free[near, column], share[near])
    return free


def _since_stance(down: Bools) -> tuple[Floats, Floats]:
    """How many frames ago something stood, and in how many it will (frames,) each; infinite for never."""
    frames = np.arange(len(down), dtype=float)
    last = np.maximum.accumulate(np.where(down, frames, -np.inf))
    following = np.minimum.accumulate(np.where(down, frames, np.inf)[::-1])[::-1]
    return frames - last, following - frames


def _smooth(share: Floats) -> Floats:
    """From 0 to 1 without a jump in speed."""
    share = np.minimum(share, 1.0)
    return np.asarray(share * share * (3.0 - 2.0 * share))
