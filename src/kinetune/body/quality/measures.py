"""How good a clip is, in numbers: foot slide, floor penetration, jerk, flips, and the seam of a loop.

================  ===================================================================
measure           all measures as a JSON-ready mapping (see ``docs/measures.md``)
find_slides       how far each foot slides in each contact
mean_jerk         how jerky a motion is
measure_seam      what would be seen if the clip started again after its last frame
================  ===================================================================

A foot that rolls over heel, ball and toe does not slide, although ankle, heel and toes all move: what counts is the
point that supports it. At each moment that is the slowest point of the sole, on the line from heel over ball to toe as
far as it touches the floor. A foot that pivots on the spot does not slide either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import TOUCHING, Contacts, find_contacts
from kinetune.body.feet.floor import Floor, Ground, find_ground
from kinetune.body.feet.soles import SPEED_WINDOW_S, Foot, SolePoint
from kinetune.body.quality.glitches import find_jumps, stray_frames
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

_LEG_SHARE_OF_HEIGHT = 0.53
_SEAM_S = 0.1
_SHOWN = 10
_CLEAR = 0.015
"""How far above its level in a contact the lowest point of a sole is clear of the floor, in leg lengths."""
_NO_FEET = 'The skeleton has no joint in the role "left foot" or "right foot", so that nothing stands.'


def measure(
    clip: Clip,
    *,
    contacts: Contacts | Literal["known", "find"] = "known",
    ground: Ground | None = None,
    floor: float | Floor | None = None,
) -> dict[str, Any]:
    """Measure the quality of a clip.

    Parameters
    ----------
    clip : Clip
        The motion.
    contacts : Contacts or {"known", "find"}
        Which feet stand when. "known" takes those that the clip carries and finds them when it carries none; "find"
        always finds them.
    ground : Ground or None
        The floor and soles to judge by (:func:`kinetune.body.feet.floor.find_ground`); found if omitted. Give that of
        the original to judge an edited clip by the same soles.
    floor : float, Floor or None
        The floor alone, a height in metres or a plane.

    Returns
    -------
    dict
        ``frames``, ``fps``, ``duration_s``, ``stray_first_frames`` (1 when a T-pose or the like comes first; it is
        left out of all that follows).

        ``floor_mm``, ``floor_lean_deg``, ``floor``: height, lean, and a sentence on how it was found.
        ``floor_speed_mm_s``: not 0 for a walk on the spot.

        ``contacts``, ``stance``: for each foot, how often it stands, and for what share of the time. ``flight_s``: how
        long no foot stands. ``contacts_from``: "clip", "given" or "found".

        ``foot_slide_mm``: how far a foot slides in a contact, the mean over contacts (:func:`find_slides`).
        ``foot_slide_mm_per_s``: the same for each second of contact. ``foot_slide_worst_mm``,
        ``foot_slide_worst_at``: the worst contact.

        ``penetration_mm``: the deepest that a sole point or joint goes below the floor. ``penetration_mean_mm``: the
        depth of the deepest point, averaged over all frames.

        ``jerk``: m/s³, the third derivative of joint positions, averaged over joints and frames. ``jerk_relative``:
        the same in leg lengths, 1/s³.

        ``flips``: how often a joint jumps between two frames (:mod:`kinetune.body.quality.glitches`). ``flips_at``: the
        first ten.

        ``seam``: what would be seen if the clip ran in a circle (:func:`seam`).

        ``reasons``: why a measure is None, by its name.

    Examples
    --------
    >>> from kinetune import sample
    >>> measure(sample("walk"))["foot_slide_mm"] < 5
    True
    """
    first = stray_frames(clip)
    motion = clip[first:] if first else clip
    ground = find_ground(motion, floor) if ground is None else ground.on(floor)
    known, origin = _choose_contacts(clip, motion, contacts, ground)
    reasons: dict[str, str] = {}
    result: dict[str, Any] = {
        "frames": len(clip),
        "fps": clip.fps,
        "duration_s": clip.duration,
        "stray_first_frames": first,
    }
    result |= _describe_floor(ground, reasons)
    result |= _describe_contacts(motion, known, origin, reasons)
    result |= _describe_slides(motion, known, ground, first, reasons)
    result |= _describe_penetration(motion, ground, floor, reasons)
    result |= _describe_jerk(motion, ground, reasons)
    jumps = [jump for jump in find_jumps(clip) if jump.frame >= first]
    result["flips"] = len(jumps)
    result["flips_at"] = [{"frame": j.frame, "joint": j.joint, "degrees": j.degrees} for j in jumps[:_SHOWN]]
    result["seam"] = measure_seam(motion)
    if result["seam"] is None:
        reasons["seam"] = "A seam needs at least two frames."
    result["reasons"] = reasons
    return result


def _choose_contacts(
    clip: Clip, motion: Clip, contacts: Contacts | Literal["known", "find"], ground: Ground | None
) -> tuple[Contacts, str]:
    if isinstance(contacts, Contacts):
        if len(contacts) != len(clip):
            raise ParameterError(f"The contacts have {len(contacts)} frames, but the clip has {len(clip)}.")
        return contacts[len(clip) - len(motion) :], "given"
    if contacts not in ("known", "find"):
        raise ParameterError(f'contacts must be Contacts, "known" or "find", not {contacts!r}.')
    if contacts == "known" and motion.contacts is not None:
        return motion.contacts, "clip"
    if ground is None:
        return Contacts.none(len(motion)), "found"
    return find_contacts(motion, ground=ground), "found"


def _describe_floor(ground: Ground | None, reasons: dict[str, str]) -> dict[str, Any]:
    if ground is None:
        reasons["floor_mm"] = _NO_FEET
        return {"floor_mm": None, "floor_lean_deg": None, "floor": None, "floor_speed_mm_s": None}
    return {
        "floor_mm": 1e3 * ground.floor.height,
        "floor_lean_deg": ground.floor.lean_deg,
        "floor": ground.floor.description,
        "floor_speed_mm_s": 1e3 * float(np.hypot(*ground.drift)),
    }


def _describe_contacts(clip: Clip, contacts: Contacts, origin: str, reasons: dict[str, str]) -> dict[str, Any]:
    if not contacts.joints:
        reasons["contacts"] = _NO_FEET
        return {"contacts": None, "contacts_from": None, "stance": None, "flight_s": None}
    names = [side or joint for side, joint in zip(contacts.sides, contacts.joints, strict=True)]
    return {
        "contacts": {name: len(contacts.intervals(column)) for column, name in enumerate(names)},
        "contacts_from": origin,
        "stance": {name: float(np.mean(contacts.flags[:, column])) for column, name in enumerate(names)},
        "flight_s": int(np.count_nonzero(~contacts.flags.any(axis=1))) / clip.fps,
    }


def _describe_slides(
    clip: Clip, contacts: Contacts, ground: Ground | None, first: int, reasons: dict[str, str]
) -> dict[str, Any]:
    slides = find_slides(clip, contacts, ground)
    if not slides:
        reasons["foot_slide_mm"] = "No foot stands long enough to slide." if contacts.joints else _NO_FEET
        names = ("foot_slide_mm", "foot_slide_mm_per_s", "foot_slide_worst_mm", "foot_slide_worst_at")
        return dict.fromkeys(names)
    worst = max(slides, key=lambda slide: slide.metres)
    total = sum(slide.metres for slide in slides)
    return {
        "foot_slide_mm": 1e3 * total / len(slides),
        "foot_slide_mm_per_s": 1e3 * total / sum(slide.seconds for slide in slides),
        "foot_slide_worst_mm": 1e3 * worst.metres,
        "foot_slide_worst_at": {"foot": worst.foot, "start": worst.start + first, "stop": worst.stop + first},
    }


def _describe_penetration(
    clip: Clip, ground: Ground | None, floor: float | Floor | None, reasons: dict[str, str]
) -> dict[str, Any]:
    if ground is None and floor is None:
        reasons["penetration_mm"] = _NO_FEET + " Without them the floor is unknown."
        return {"penetration_mm": None, "penetration_mean_mm": None}
    if ground is not None:
        plane, feet = ground.floor, ground.feet
    else:
        plane, feet = (floor if isinstance(floor, Floor) else Floor(float(floor or 0.0))), ()
    body = np.delete(clip.positions(), clip.skeleton.above_body, axis=1)
    lowest = plane.above(body).min(axis=1)
    for foot in feet:
        lowest = np.minimum(lowest, plane.above(foot.positions(clip)).min(axis=1))
    depth = np.maximum(-lowest, 0.0)
    return {"penetration_mm": 1e3 * float(depth.max()), "penetration_mean_mm": 1e3 * float(depth.mean())}


def _describe_jerk(clip: Clip, ground: Ground | None, reasons: dict[str, str]) -> dict[str, Any]:
    jerk = mean_jerk(clip)
    if jerk is None:
        reasons["jerk"] = "Jerk needs at least four frames."
        return {"jerk": None, "jerk_relative": None}
    leg = _LEG_SHARE_OF_HEIGHT * clip.skeleton.height if ground is None else ground.leg
    return {"jerk": jerk, "jerk_relative": jerk / leg if leg > 0 else None}


def mean_jerk(clip: Clip) -> float | None:
    """The mean size of the third derivative of joint positions, in m/s³; None for fewer than four frames.

    Taken as third differences over steps of a thirtieth of a second, so that it does not depend on the frame rate from
    30 fps up. Standing has 10 to 40 m/s³ and walking 80 to 200; white noise of 1 mm has 190 by itself.
    """
    step = min(max(1, round(SPEED_WINDOW_S * clip.fps)), (len(clip) - 1) // 3)
    if step == 0:
        return None
    x = clip.positions()
    third = x[3 * step :] - x[: -3 * step] - 3.0 * (x[2 * step : -step] - x[step : -2 * step])
    size = np.sqrt(np.einsum("fjk,fjk->fj", third, third))
    return float(size.mean() * (clip.fps / step) ** 3)


def measure_seam(clip: Clip) -> dict[str, Any] | None:
    """What would be seen if the clip began again after its last frame; None for a single frame.

    The travel and rotation of the hips from the first frame to the last are removed first.

    Returns
    -------
    dict
        ``pose_mm``: how far joints jump, the mean over joints. ``velocity_mm_s``: how much their velocity changes, the
        mean over joints. ``angle_deg``, ``angle_joint``: the joint that rotates most.
        ``repeats_first_frame``: whether the last frame is the first again (True) or the one before it (False),
        whichever fits the poses better.

    Notes
    -----
    Positions and velocities at either end come from cubics fitted to a tenth of a second of motion. A clip that is an
    exact cycle has a seam near zero, whichever way it ends.
    """
    if len(clip) < 2:
        return None
    repeated, continued = (_seam_after(clip, frames) for frames in (0, 1))
    best = repeated if repeated["pose_mm"] <= continued["pose_mm"] else continued
    return {**best, "repeats_first_frame": best is repeated}


def _seam_after(clip: Clip, frames: int) -> dict[str, Any]:
    """The seam when the first frame comes ``frames`` frames after the last."""
    hips = clip.skeleton.roles.get("hips", 0)
    count = min(len(clip), max(4, round(_SEAM_S * clip.fps) + 1))
    x, turned = clip.positions(), clip.world_rotations()[:, hips]
    # How far the hips have turned about the vertical since the first frame, towards the end of the clip.
    twist = rot.swing_twist(rot.multiply(turned[-count:], rot.inverse(turned[:1])), (0.0, 1.0, 0.0))[1]
    yaw = np.unwrap(2.0 * np.arctan2(twist[:, 2], twist[:, 0]))
    end_yaw, _ = _fit_end(yaw[:, None], frames, clip.fps)
    back = rot.about_y(-end_yaw[0])
    end, end_velocity = _fit_end(x[-count:], frames, clip.fps)
    start, start_velocity = _fit_end(x[:count][::-1], 0, clip.fps)
    end, end_velocity = rot.rotate(back, end), rot.rotate(back, end_velocity)
    end = end - (end[hips] - start[hips]) * np.array([1.0, 0.0, 1.0])
    last = clip.rotations[-1]
    if frames:
        last = rot.multiply(last, rot.multiply(rot.inverse(clip.rotations[-2]), last))
    gap = rot.angle_between(last, clip.rotations[0])
    gap[hips] = rot.angle_between(rot.multiply(back, _step_on(turned, frames)), turned[0])
    worst = int(np.argmax(gap))
    return {
        "pose_mm": 1e3 * float(np.linalg.norm(end - start, axis=-1).mean()),
        "velocity_mm_s": 1e3 * float(np.linalg.norm(end_velocity + start_velocity, axis=-1).mean()),
        "angle_deg": float(np.rad2deg(gap[worst])),
        "angle_joint": clip.skeleton.names[worst],
    }


def _step_on(turned: Floats, frames: int) -> Floats:
    """The last of some rotations (frames, 4), or the one that would follow it at the same speed."""
    if frames == 0:
        return np.asarray(turned[-1])
    return rot.multiply(rot.multiply(turned[-1], rot.inverse(turned[-2])), turned[-1])


def _fit_end(values: Floats, ahead: int, fps: float) -> tuple[Floats, Floats]:
    """Value and velocity ``ahead`` frames after the end of a short track, from a cubic fitted to it."""
    count = len(values)
    at = np.arange(1 - count, 1, dtype=float)
    powers = np.arange(min(4, count))
    fit = np.linalg.pinv(at[:, None] ** powers) @ values.reshape(count, -1)
    value = float(ahead) ** powers @ fit
    slope = np.concatenate([[0.0], powers[1:] * float(ahead) ** (powers[1:] - 1)]) @ fit
    return value.reshape(values.shape[1:]), slope.reshape(values.shape[1:]) * fps


_DIRECTIONS = 16
LABELLED_FORMATS = ("kimodo", "humanml3d")
"""Formats whose contacts are labels of joints that stand still."""


@dataclass(frozen=True)
class Slide:
    """The slide of one contact.

    foot : the side, or the joint where it has none.
    start, stop : the frames of the contact, stop excluded.
    seconds : the time over which the slide was measured, without landing and leaving.
    metres : the path_extent of the slide: the largest distance between any two moments.
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
    The steps of the carrying point, along the floor, are added up to a path; the slide is the path_extent of that path.
    Measuring noise adds its own width and no more, at any frame rate. What does not count: the ends of a contact in
    which the whole sole is clear of the floor, since a slow foot in the air may be taken for a contact but does not
    slide, and the first and last thirtieth of a second in which it touches, as it lands and leaves. Where the clip
    begins or ends with the foot on the floor, everything counts.
    """
    if len(contacts) != len(clip):
        raise ParameterError(f"The contacts have {len(contacts)} frames, but the clip has {len(clip)}.")
    edge = max(1, round(SPEED_WINDOW_S * clip.fps))
    slides = []
    for column, name in enumerate(contacts.joints):
        foot = _foot_of(clip, name, contacts.sides[column], ground)
        path = _carried_path(clip, foot, ground, edge)
        height = np.zeros(len(clip)) if ground is None else ground.floor.above(foot.positions(clip)).min(axis=1)
        clear = 0.0 if ground is None else _CLEAR * ground.leg
        for start, stop in contacts.intervals(column):
            low = start + np.flatnonzero(height[start:stop] <= np.median(height[start:stop]) + clear)
            first = 0 if low[0] == 0 else int(low[0]) + edge
            last = len(clip) if low[-1] == len(clip) - 1 else int(low[-1]) + 1 - edge
            if last - first >= 2:
                seconds = (last - first - 1) / clip.fps
                slides.append(Slide(foot.side or name, start, stop, seconds, path_extent(path[first:last])))
    return slides


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
        toes = clip.skeleton.roles.get(f"{foot.side} toes")
        if toes is not None and points.shape[1] > 1:  # a foot on flat toes rotates about the joint of the toes
            points = np.insert(points, 2, clip.positions()[:, toes], axis=1)
            touching = np.insert(touching, 2, touching[:, 1], axis=1)
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


def path_extent(path: Floats) -> float:
    """The largest distance between any two points of a planar path (n, 2), to half a percent."""
    angles = np.arange(_DIRECTIONS) * (np.pi / _DIRECTIONS)
    along = path @ np.array([np.cos(angles), np.sin(angles)])
    return float(np.ptp(along, axis=0).max())


def flatten_measures(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a nested mapping with its dotted name."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from flatten_measures(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def labelled_speed(clip: Clip) -> float | None:
    """How fast joints move along the floor, in m/s, that the labels of the clip's file say stand; None without labels.

    Generated motion comes with labels for the joints of ankles and toes.
    """
    contacts, roles = clip.contacts, clip.skeleton.roles
    if contacts is None or clip.source.format not in LABELLED_FORMATS:
        return None
    speeds = []
    for column, name in enumerate(contacts.joints):
        toes = roles.get(f"{contacts.sides[column]} toes")
        for joint, flags in ((clip.skeleton.index(name), contacts.heels), (toes, contacts.toes)):
            stands = flags[:, column] & contacts.flags[:, column]
            if joint is not None:
                steps = np.linalg.norm(np.diff(clip.positions()[:, joint, ::2], axis=0), axis=-1)
                speeds.append(clip.fps * steps[stands[1:] & stands[:-1]])
    moving = np.concatenate(speeds) if speeds else np.zeros(0)
    return float(moving.mean()) if len(moving) else None
