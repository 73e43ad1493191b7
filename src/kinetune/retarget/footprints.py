"""Where the feet of another body stand: one footprint for each stance of the source, and the swings between.

============  =====================================================================================
FootCourse    what a foot of the target should do
track_feet    finds it from the contacts of the source
turned_course a foot that is turned otherwise
============  =====================================================================================

A stance has one place and, while the foot is flat, one rotation: the middle of what the pose of stage one gives, which
is where the legs of this body want it, at the height of the source's, scaled. Before it is flat the foot turns about
its heel, afterwards about its ball; each point of the sole is held by its own contact. In the air the foot follows that
pose, plus an offset that meets the footprints on both sides with little jerk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts
from kinetune.body.feet.soles import SIDES, UP, Foot, SolePoint
from kinetune.retarget.physique import Physique
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

Bools = NDArray[np.bool_]

LEVEL = 0.06  # of the leg: a stance that is nearer to the floor stands on it
_TILTED = np.deg2rad(10.0)  # a flat sole above the floor that leans more stands on a slope
_ON_END = np.cos(np.deg2rad(50.0))  # of a sole to the ground; feet do not hold on steeper slopes
_EASE_S = 0.12  # over which a correction comes and goes
_STEEPEST = 0.9  # sine of the steepest toes that stand
_LIFTED = 0.01  # of the leg: an end of the sole that is this much higher than the other one has left the ground
_SHOWN_S = 0.2  # flat soles of less time do not show how a foot that stands is tilted


@dataclass(frozen=True, eq=False)
class FootCourse:
    """What a foot of the target should do.

    Parameters
    ----------
    side : str
        "left" or "right".
    joint : int
        The ankle of the target.
    toes : int or None
        The joint of its toes.
    points : tuple of SolePoint
        The points of its sole, the heel first.
    down : bool array, shape (frames,)
        Whether the foot stands.
    standing : bool array, shape (frames, points)
        Which points of the sole stand.
    goals : array, shape (frames, points, 3)
        Where each point goes: exactly one place while it stands.
    heights : array, shape (frames,)
        The ground under the foot; in the air, that of the stances around.
    ankle : array, shape (frames, 3)
        Where the ankle goes.
    rotation : array, shape (frames, 4)
        How the foot is turned in the world.
    toe_rotation : array, shape (frames, 4), or None
        How the toes are turned in the world, flat on the ground while they stand.
    """

    side: str
    joint: int
    toes: int | None
    points: tuple[SolePoint, ...]
    down: Bools
    standing: Bools
    goals: Floats
    heights: Floats
    ankle: Floats
    rotation: Floats
    toe_rotation: Floats | None

    @property
    def flat(self) -> Bools:
        """When all of the sole stands, (frames,)."""
        return np.asarray(self.standing.all(axis=1))


def track_feet(
    clip: Clip,
    source: Physique,
    target: Physique,
    contacts: Contacts,
    orientations: Mapping[str, Floats],
    points: Mapping[str, Floats],
    *,
    scale: float,
    same_body: bool = False,
) -> tuple[FootCourse, ...]:
    """What each foot of the target should do, left before right.

    Parameters
    ----------
    clip : Clip
        The motion of the source.
    source, target : Physique
        The two bodies.
    contacts : Contacts
        When the feet of the clip stand.
    orientations : mapping from str to array
        The wanted world rotations (frames, 4) of the target's joints, by role.
    points : mapping from str to array
        Where they are in the pose of stage one, (frames, 3).
    scale : float
        By which lengths in the world are multiplied.
    same_body : bool
        Whether the target is the same body rigged in another way: then stances are not changed.
    """
    ours = {foot.side: foot for foot in source.ground.feet}
    theirs = {foot.side: foot for foot in target.ground.feet}
    tracks = []
    for side in SIDES:
        if side in ours and side in theirs:
            plan = _FootPlan(clip, source, target, ours[side], theirs[side], scale)
            tracks.append(plan.track(contacts, orientations, points[f"{side} foot"], same_body))
    return tuple(tracks)


class _FootPlan:
    """One foot of both bodies."""

    def __init__(self, clip: Clip, source: Physique, target: Physique, ours: Foot, theirs: Foot, scale: float) -> None:
        self.clip, self.source, self.target, self.scale = clip, source, target, scale
        self.ours, self.theirs, self.side = ours, theirs, theirs.side
        offsets = {point.name: np.array(point.offset) for point in theirs.points if point.joint == theirs.joint}
        # A foot in one piece rolls over its tip: over its ball it would sink into the floor.
        self.in_one_piece = "toe" in offsets
        self.heel, self.ball = offsets["heel"], offsets.get("toe", offsets["ball"])
        self.middle = 0.5 * (self.heel + self.ball)
        belt = np.array([source.ground.drift[0], 0.0, source.ground.drift[1]])
        self.belt = scale * np.arange(len(clip))[:, None] / clip.fps * belt

    def track(
        self, contacts: Contacts, orientations: Mapping[str, Floats], ankle: Floats, same_body: bool
    ) -> FootCourse:
        """What this foot should do."""
        down, heel, ball = self._contacts(contacts)
        raw = orientations[f"{self.side} foot"]
        place = ankle + rot.rotate(raw, self.middle) - self.belt
        soles = self._scaled_soles()
        rotation, heights = raw, self._heights(soles, heel, ball)
        if not same_body:
            upright = self._on_end(raw, heel, ball)
            if upright.any():
                higher = soles["heel"][:, 1] > soles["ball"][:, 1]
                heel, ball = heel & ~(upright & higher), ball & ~(upright & ~higher)
                heights = self._heights(soles, heel, ball)
            heel, ball = self._rolling(raw, heel, ball, heights, soles["middle"][:, 1])
            rotation = self._levelled(raw, (heel, ball), heights)
            held = self._held(place, rotation, heights, (down, heel, ball))
            loose = place - rot.rotate(rotation, self.middle)
            ankle = loose + _ease_over(held - loose, down, self.clip.fps) + self.belt
            ankle = np.where(down[:, None], held + self.belt, ankle)
        toes = self._toe_rotation(orientations, rotation, ankle, heights, None if same_body else (down, ball))
        goals = [self._point(point, ankle, rotation, toes) for point in self.theirs.points]
        on_ball = ball & heel if self.in_one_piece else ball
        by_name = {"heel": heel, "ball": on_ball, "toe": ball}
        standing = [by_name[point.name] for point in self.theirs.points]
        return FootCourse(
            self.side,
            self.theirs.joint,
            self.target.roles.get(f"{self.side} toes"),
            self.theirs.points,
            down,
            np.stack(standing, axis=1),
            np.stack(goals, axis=1),
            heights,
            ankle,
            rotation,
            toes,
        )

    def _contacts(self, contacts: Contacts) -> tuple[Bools, Bools, Bools]:
        if self.side not in contacts.sides:
            nowhere = np.zeros(len(self.clip), dtype=bool)
            return nowhere, nowhere, nowhere
        column = contacts.column(self.side)
        down = contacts.flags[:, column]
        heel, ball = down & contacts.heels[:, column], down & contacts.toes[:, column]
        return down, heel | (down & ~ball), ball

    def _on_end(self, raw: Floats, heel: Bools, ball: Bools) -> Bools:
        """When a foot that is called flat stands on end, as that of someone who kneels: no slope is so steep."""
        up = rot.rotate(rot.multiply(raw, self.target.axes[self.theirs.joint]), UP)[:, 1]
        return np.asarray(heel & ball & (up < _ON_END))

    def _rolling(self, raw: Floats, heel: Bools, ball: Bools, heights: Floats, middle: Floats) -> tuple[Bools, Bools]:
        """Which ends stand of a foot that rolls: labels call it flat from landing to leaving, while one end is up.

        Laid flat, such a foot would take ankle and pelvis along. A foot that rolls lifts the middle of its sole; where
        one end of the source's only sinks into the floor, the other one stands all the same.
        """
        flat = heel & ball
        rise = rot.rotate(rot.multiply(raw, self.target.axes[self.theirs.joint]), np.array([0.0, 0.0, 1.0]))[:, 1]
        rise = rise * np.linalg.norm(self.ball - self.heel)  # of the ball over the heel
        if np.count_nonzero(flat) > _SHOWN_S * self.clip.fps:
            rise = rise - np.median(rise[flat])
        lifted = _LIFTED * self.target.leg
        rolls = flat & (heights == 0.0) & (middle - (np.median(middle[flat]) if flat.any() else 0.0) > 0.25 * lifted)
        return heel & ~(rolls & (rise < -lifted)), ball & ~(rolls & (rise > lifted))

    def _scaled_soles(self) -> dict[str, Floats]:
        """Where the ends of the source's sole and its middle are, scaled and seen from the floor, (frames, 3)."""
        clip, source, joint = self.clip, self.source, self.ours.joint
        offsets: dict[str, Floats] = {
            point.name: np.array(point.offset) for point in self.ours.points if point.joint == joint
        }
        offsets["middle"] = 0.5 * (offsets["heel"] + offsets["ball"])
        ankle, turned = clip.positions()[:, joint], clip.world_rotations()[:, joint]
        places: dict[str, Floats] = {}
        for name in ("heel", "ball", "middle"):
            at = ankle + rot.rotate(turned, offsets[name])
            places[name] = self.scale * at
            places[name][:, 1] = self.scale * source.ground.floor.above(at)
            places[name] -= self.belt
        return places

    def _heights(self, soles: Mapping[str, Floats], heel: Bools, ball: Bools) -> Floats:
        """The ground under the foot, (frames,): 0 but for platforms and stairs."""
        down = heel | ball
        lowest = np.where(heel & ball, soles["middle"][:, 1], np.where(heel, soles["heel"][:, 1], soles["ball"][:, 1]))
        heights = np.zeros(len(lowest))
        known = np.flatnonzero(down)
        for start, stop in true_ranges(down):
            height = float(np.median(lowest[start:stop]))
            heights[start:stop] = height if abs(height) > LEVEL * self.target.leg else 0.0
        if len(known):
            heights = np.interp(np.arange(len(lowest)), known, heights[known])
        return heights

    def _levelled(self, raw: Floats, ends: tuple[Bools, Bools], heights: Floats) -> Floats:
        """The foot flat on the ground while both ends of it stand, and not below it while one does."""
        axes = self.target.axes[self.theirs.joint]
        heel, ball = ends
        flat = heel & ball
        level_foot = raw.copy()
        for start, stop in true_ranges(flat):
            sole = rot.multiply(raw[start:stop], axes)
            ahead = rot.rotate(sole, np.array([0.0, 0.0, 1.0])).mean(axis=0)
            level = rot.about_y(np.arctan2(ahead[0], ahead[2]))
            mean = rot.mean(sole)
            if np.any(heights[start:stop]) and float(rot.rotate(mean, UP)[1]) < np.cos(_TILTED):
                level = mean
            level_foot[start:stop] = rot.multiply(level, rot.inverse(axes))
        turn = _ease_over(rot.log(rot.multiply(level_foot, rot.inverse(raw))), flat, self.clip.fps)
        turned = np.where(flat[:, None], level_foot, rot.multiply(rot.exp(turn), raw))
        # An end in the air while the other one stands.
        along = rot.rotate(turned, self.ball - self.heel)
        low = np.where(heel & ~ball, -along[:, 1], np.where(ball & ~heel, along[:, 1], 0.0))
        sine = np.clip(low / np.linalg.norm(self.ball - self.heel), 0.0, 1.0)
        across = np.cross(along, UP) * np.where(heel, 1.0, -1.0)[:, None]
        across = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
        raised = _ease_over(across * np.arcsin(sine)[:, None], heel | ball, self.clip.fps)
        return np.asarray(rot.normalize(rot.multiply(rot.exp(raised), turned)))

    def _held(self, place: Floats, rotation: Floats, heights: Floats, states: tuple[Bools, Bools, Bools]) -> Floats:
        """Where the ankle is while the foot stands, (frames, 3): the standing point of the sole does not move."""
        down, heel, ball = states
        held = place - rot.rotate(rotation, self.middle)
        for start, stop in true_ranges(down):
            part = slice(start, stop)
            flat = (heel & ball)[part]
            spokes = [rot.rotate(rotation[part], point) for point in (self.heel, self.ball)]  # from the ankle
            on_heel = (heel & ~ball)[part]
            # From frame to frame the foot turns about a point that stands in both.
            about_heel = (heel[part][1:] & heel[part][:-1]) & ~(ball[part][1:] & ball[part][:-1])
            turned = np.where(about_heel[:, None], np.diff(spokes[0], axis=0), np.diff(spokes[1], axis=0))
            steps = np.concatenate([np.zeros((1, 3)), -np.cumsum(turned, axis=0)])
            trusted = flat if flat.any() else np.ones(stop - start, dtype=bool)
            apart = held[part] - steps
            held[part] = steps + np.median(apart[trusted], axis=0)
            # On a slope a flat foot has its heel lower or higher than its ball, and keeps it there while it rolls.
            climb = 0.5 * float(np.mean((spokes[1] - spokes[0])[flat, 1])) if flat.any() else 0.0
            held[part, 1] = heights[part] - np.where(on_heel, spokes[0][:, 1] + climb, spokes[1][:, 1] - climb)
        return np.asarray(held)

    def _toe_rotation(
        self,
        orientations: Mapping[str, Floats],
        rotation: Floats,
        ankle: Floats,
        heights: Floats,
        states: tuple[Bools, Bools] | None,
    ) -> Floats | None:
        """The toes, flat while they stand, and as the source's are otherwise."""
        joint = self.target.roles.get(f"{self.side} toes")
        if joint is None or self.target.skeleton.parents[joint] != self.theirs.joint:
            return None
        free = orientations.get(f"{self.side} toes")
        if free is None:
            free = rot.multiply(rotation, self.target.neutral[joint])
        if states is None:
            return free
        down, ball = states
        laid = _laid_toes(self.target, self.theirs, joint, rotation, ankle, heights)
        turn = _ease_over(rot.log(rot.multiply(laid, rot.inverse(free))), ball, self.clip.fps)
        toes = rot.multiply(rot.exp(turn), free)
        tip = _tip(self.target, self.theirs, joint)
        if tip is not None:  # a tip that would be below the ground while the heel stands
            knuckle = ankle + rot.rotate(rotation, self.target.offsets[joint])
            ball = ball | (down & ((knuckle + rot.rotate(toes, tip))[:, 1] < heights))
        return np.asarray(np.where(ball[:, None], laid, toes))

    def _point(self, point: SolePoint, ankle: Floats, rotation: Floats, toes: Floats | None) -> Floats:
        joint = self.target.roles.get(f"{self.side} toes")
        tip = None if joint is None else _tip(self.target, self.theirs, joint)
        if point.joint == self.theirs.joint or toes is None or joint is None or tip is None:
            return np.asarray(ankle + rot.rotate(rotation, np.array(point.offset)))
        return np.asarray(ankle + rot.rotate(rotation, self.target.offsets[joint]) + rot.rotate(toes, tip))


def turned_course(course: FootCourse, rotation: Floats) -> FootCourse:
    """The course of a foot that is turned otherwise, (frames, 4) in the world: about the end of its sole that stands.

    In the air it turns about its ankle, and its toes turn with it.
    """
    turn = rot.multiply(rotation, rot.inverse(course.rotation))
    pivot = np.array(course.ankle)
    for number, point in enumerate(course.points):
        if point.joint == course.joint:
            pivot = np.where(course.standing[:, number, None], course.goals[:, number], pivot)
    ankle = pivot + rot.rotate(turn, course.ankle - pivot)
    goals = pivot[:, None] + rot.rotate(turn[:, None], course.goals - pivot[:, None])
    toes = course.toe_rotation
    if toes is not None:
        toes = np.where(course.down[:, None], toes, rot.multiply(turn, toes))
        on_toes = np.array([point.joint != course.joint for point in course.points])
        goals = np.where(course.down[:, None, None] & on_toes[:, None], course.goals, goals)
    return replace(course, goals=goals, ankle=ankle, rotation=rotation, toe_rotation=toes)


def toes_above_ground(target: Physique, course: FootCourse, ankle: Floats) -> Floats | None:
    """How the toes are turned in the world, (frames, 4), bent upwards where their tip would be below the ground.

    Parameters
    ----------
    ankle : array, shape (frames, 3)
        Where the ankle is in the end.
    """
    toes, joint = course.toe_rotation, course.toes
    foot = next(foot for foot in target.ground.feet if foot.side == course.side)
    tip = None if joint is None else _tip(target, foot, joint)
    if toes is None or joint is None or tip is None:
        return toes
    ground = np.minimum(course.heights, 0.0)
    knuckle = ankle + rot.rotate(course.rotation, target.offsets[joint])
    below = ~course.down & ((knuckle + rot.rotate(toes, tip))[:, 1] < ground)
    laid = _laid_toes(target, foot, joint, course.rotation, ankle, ground)
    return np.asarray(np.where(below[:, None], laid, toes))


def bent_tip(target: Physique, course: FootCourse, bend: float) -> Floats | None:
    """From the ankle to the tip of toes that are bent by an angle against the foot, (frames, 3)."""
    foot = next(foot for foot in target.ground.feet if foot.side == course.side)
    tip = None if course.toes is None else _tip(target, foot, course.toes)
    if course.toes is None or tip is None:
        return None
    axes = target.axes[foot.joint]
    turned = _bent_toes(rot.multiply(course.rotation, axes), axes, target.neutral[course.toes], bend)
    return rot.rotate(course.rotation, target.offsets[course.toes]) + rot.rotate(turned, tip)


def _laid_toes(target: Physique, foot: Foot, joint: int, rotation: Floats, ankle: Floats, heights: Floats) -> Floats:
    """The toes (frames, 4), bent against the foot so that their tip lies on the ground; they do not turn sideways."""
    axes, neutral = target.axes[foot.joint], target.neutral[joint]
    frame = rot.multiply(rotation, axes)
    tip = _tip(target, foot, joint)
    bend = np.zeros(len(rotation))
    if tip is not None:
        x, y, z = rot.rotate(rot.inverse(axes), rot.rotate(neutral, tip))
        side, up, ahead = (rot.rotate(frame, axis)[:, 1] for axis in np.eye(3))
        along, across = y * up + z * ahead, y * ahead - z * up  # how high the tip is, unbent and bent by a quarter turn
        size = np.maximum(np.hypot(along, across), 1e-9)
        knuckle = ankle + rot.rotate(rotation, target.offsets[joint])
        below = np.clip((heights - knuckle[:, 1] - x * side) / size, -_STEEPEST, _STEEPEST)
        bend = np.arctan2(across, along) + np.arccos(below)
    return _bent_toes(frame, axes, neutral, bend)


def _bent_toes(frame: Floats, axes: Floats, neutral: Floats, bend: Floats | float) -> Floats:
    """The toes (frames, 4), bent by an angle against the anatomical frame (frames, 4) of their foot."""
    turned = rot.multiply(frame, rot.from_axis_angle(np.array([1.0, 0.0, 0.0]), bend))
    return rot.multiply(turned, rot.multiply(rot.inverse(axes), neutral))


def _tip(target: Physique, foot: Foot, toes: int) -> Floats | None:
    """The tip of the toes in the frame of their joint, also where joints lie between them."""
    point = next((point for point in foot.points if point.joint != foot.joint), None)
    skeleton = target.skeleton
    if point is None or toes not in skeleton.chain(point.joint):
        return None
    tip = np.array(point.offset)
    for joint in reversed(skeleton.chain(point.joint, toes)):
        tip = target.offsets[joint] + rot.rotate(target.neutral[joint], tip)
    return np.asarray(tip)


def _ease_over(values: Floats, known: Bools, fps: float) -> Floats:
    """A correction (frames, n) that is known for some frames, led to nothing on both sides of them.

    It leaves with the speed that it has, so that there is no kink, and is gone after a fixed time: a correction that
    goes on with its speed for longer would overshoot.
    """
    eased = np.where(known[:, None], values, 0.0)
    frames = len(values)
    for start, stop in true_ranges(~known):
        gap = stop - start + 1
        length = min(max(2.0, _EASE_S * fps), float(gap))
        for edge, inner, steps in (
            (start - 1, start - 2, np.arange(1, gap)),
            (stop, stop + 1, np.arange(gap - 1, 0, -1)),
        ):
            if not 0 <= edge < frames:
                continue
            value = values[edge]
            is_moving = 0 <= inner < frames and known[inner]
            speed = value - values[inner] if is_moving else np.zeros_like(value)
            u = np.clip(steps / length, 0.0, 1.0)[:, None]
            eased[start:stop] += value * (1.0 - u) ** 2 * (1.0 + 2.0 * u) + speed * length * u * (1.0 - u) ** 2
    return eased
