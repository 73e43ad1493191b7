"""Where one motion can pass into another, and the kicks and punches that it must keep.

===========  ==========================================================================
Seam         a frame of each clip at which they meet, and how the second is placed
find_seams   the best such pairs, best first
Event        a kick or punch: when, which limb, how sharp, and while it is in the air
find_events  all of a clip, by the spikes in the acceleration of hands or feet
===========  ==========================================================================

[pollard] section 3.2 looks for "the best match between poses after the kick in the first motion and before the kick in
the second motion, thus ensuring that both kicks are present". Poses are compared as the character sees itself
(:func:`kinetune.body.timeline.alignment.pose_features`): joint positions, velocities, which foot stands.
It finds kicks "by looking for acceleration spikes in the data". A step has a spike as well, where the foot lands; a
kick differs in that its foot is high up when it is thrown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts
from kinetune.body.feet.floor import find_floor
from kinetune.body.root_motion import facing
from kinetune.body.timeline.alignment import pose_features
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.filters import butterworth, gaussian

EventChoice = Literal["auto", "kick", "punch", "none"]
Heading = Literal["auto", "start", "seam", "keep"]
Frames = NDArray[np.intp]

_CLEAR_S = 0.1  # a throw is over, or has not begun, this long after or before its spike
_REACH_S = 0.75
_APART_S = 0.1  # two seams that differ by less are the same
_HEADING = 0.15  # heights of the character per radian
_NO_COMMON_FOOT = 0.15
_SPEED_S = 0.7  # a metre a second of difference counts like 70 cm of distance
_SPEED_BLUR_S = 0.03
_MOST_TURN = np.deg2rad(60.0)
_MOST_PAIRS = 1500


@dataclass(frozen=True)
class Seam:
    """One way to pass from a clip into another.

    first_frame, second_frame : the frames that fall together.
    misfit : how different the two poses are, in heights of the character.
    foot : the side of the foot that stands in both and is laid on itself; "" when none does.
    turn : radians by which the second clip is turned about the vertical, then
    shift : metres (x, y, z) by which it is moved.
    events : the throw in each clip that the seam lies between, or None.
    """

    first_frame: int
    second_frame: int
    misfit: float
    foot: str
    turn: float
    shift: tuple[float, float, float]
    events: tuple[Event, Event] | None = None


def find_seams(
    first: Clip,
    second: Clip,
    *,
    event: EventChoice = "auto",
    heading: Heading = "auto",
    count: int = 1,
    margin: int = 0,
    frames: tuple[int | None, int | None] = (None, None),
) -> list[Seam]:
    """The best frames at which to pass from one clip into another, best first.

    Parameters
    ----------
    first, second : clips of one skeleton and one frame rate, with contacts.
    event : keep a kick or punch of each: the seam comes after the last one of the first clip and before the first one
        of the second with the same limb, while that limb is still aloft. "auto" does so if both clips have one. "none"
        looks in the second half of the first clip and the first half of the second.
    heading : how the second clip is turned. "start": both begin facing the same way, as two takes of a kick do;
        "seam": both face the same way where they meet, as walks must; "keep": not at all. "auto" takes "start" between
        events, unless that leaves the characters more than 60 degrees apart, and "seam" otherwise.
    count : how many seams to give, at most.
    margin : frames to keep clear at the end of the first clip and at the start of the second, for the blend.
    frames : the frame at which to leave the first clip and that at which to enter the second, where they are known;
        events do not matter then.
    """
    pair = None if frames != (None, None) else _choose_events(first, second, event)
    searched = _candidates(first, second, pair, margin)
    leave, enter = (each if known is None else np.array([known]) for each, known in zip(searched, frames, strict=True))
    headings = facing(first), facing(second)
    mode = heading if heading != "auto" else ("start" if pair else "seam")
    cost, turned = _costs(first, second, (leave, enter), headings, mode)
    if heading == "auto" and mode == "start" and _turn_left(cost, turned) > _MOST_TURN:
        mode = "seam"
        cost, turned = _costs(first, second, (leave, enter), headings, mode)
    rows, columns = _best(cost, count, max(1, round(_APART_S * first.fps)), (leave, enter))
    rise = _rise(first, second)
    seams = []
    for row, column in zip(rows, columns, strict=True):
        a, b = int(leave[row]), int(enter[column])
        turn = _turn(headings, a, b, mode)
        foot, shift = _placed(first, second, a, b, turn, rise)
        seams.append(Seam(a, b, float(np.sqrt(cost[row, column])), foot, turn, shift, pair))
    return seams


def _rise(first: Clip, second: Clip) -> float:
    """How far the second clip must be lifted to stand on the floor of the first, in metres.

    A floor is guessed to 4 cm, since the thickness of the soles is unknown. Two clips of one skeleton have the same
    soles: where their floors differ, the heights of their standing ankles show by how much.
    """
    floors = find_floor(first), find_floor(second)
    if floors[0] is None or floors[1] is None or floors[0].height == floors[1].height:
        return 0.0
    levels = [_ankle_levels(first), _ankle_levels(second)]
    common = levels[0].keys() & levels[1].keys()
    if not common:
        return floors[0].height - floors[1].height
    return float(np.mean([levels[0][name] - levels[1][name] for name in sorted(common)]))


def _ankle_levels(clip: Clip) -> dict[str, float]:
    """How high each ankle is while its foot stands flat: low among the frames of contact."""
    contacts = clip.contacts
    if contacts is None:
        return {}
    heights = clip.positions()[..., 1]
    return {
        name: float(np.percentile(heights[contacts.flags[:, k], clip.skeleton.index(name)], 10.0))
        for k, name in enumerate(contacts.joints)
        if contacts.flags[:, k].any()
    }


def place_at(first: Clip, second: Clip, seam: Seam, a: int, b: int) -> Seam:
    """The same seam at other frames: the second clip keeps its rotation and is laid on the standing foot anew."""
    foot, shift = _placed(first, second, a, b, seam.turn, seam.shift[1])
    return Seam(a, b, seam.misfit, foot, seam.turn, shift, seam.events)


def _choose_events(first: Clip, second: Clip, event: EventChoice) -> tuple[Event, Event] | None:
    if event == "none":
        return None
    kinds: tuple[Literal["kick", "punch"], ...] = ("kick", "punch") if event == "auto" else (event,)
    for kind in kinds:
        ours, theirs = find_events(first, kind), find_events(second, kind)
        if event != "auto":  # the user knows that there is one: a lazy one, then
            ours = ours or find_events(first, kind, least=GENTLE_SPIKE)
            theirs = theirs or find_events(second, kind, least=GENTLE_SPIKE)
        pairs = [(a, b) for a in reversed(ours) for b in theirs if a.limb == b.limb]
        if pairs:
            return pairs[0]
        if event != "auto":
            missing = "first" if not ours else "second"
            if ours and theirs:
                raise ParameterError(
                    f"splice: the clips have no {kind} with the same limb: the first has one with the {ours[-1].limb}, "
                    f"the second with the {theirs[0].limb}. Mirror one of them, or give event none."
                )
            raise ParameterError(
                f"splice: no {kind} is found in the {missing} clip: no limb is thrown sharply enough. "
                "Give event none to pass over at the best pose, wherever it is."
            )
    return None


def _candidates(first: Clip, second: Clip, pair: tuple[Event, Event] | None, margin: int) -> tuple[Frames, Frames]:
    """The frames of each clip that a seam may fall on."""
    last, end = len(first) - 1, len(second) - 1
    if pair is None:
        low, high = last // 2, max(last - margin, last // 2)
        start, stop = min(margin, end // 2), end // 2
    else:
        clear, reach = (round(s * first.fps) for s in (_CLEAR_S, _REACH_S))
        ours, theirs = pair
        low, high = ours.frame + clear, min(ours.frame + reach, ours.stop - 1, last - margin)
        start, stop = max(theirs.frame - reach, theirs.start, margin), theirs.frame - clear
        if high < low:  # the limb is down again at once: somewhere after the spike
            low, high = min(ours.frame + 1, last), min(ours.frame + reach, last)
        if stop < start:
            start, stop = max(theirs.frame - reach, 0), max(theirs.frame - 1, 0)
    every = max(1, (high - low) // _MOST_PAIRS, (stop - start) // _MOST_PAIRS)
    return np.arange(low, high + 1, every), np.arange(start, stop + 1, every)


def _costs(
    first: Clip, second: Clip, frames: tuple[Frames, Frames], headings: tuple[Floats, Floats], mode: str
) -> tuple[Floats, Floats]:
    """Squared misfit of all pairs (n, m) in heights, and how far apart the characters face, in radians."""
    feet = _common_feet(first.contacts, second.contacts)
    ours, theirs = (
        pose_features(clip, feet=feet, clock=False)[rows] for clip, rows in zip((first, second), frames, strict=True)
    )
    cost = np.sum(ours**2, axis=1)[:, None] + np.sum(theirs**2, axis=1) - 2.0 * ours @ theirs.T
    cost = np.maximum(cost, 0.0)
    if feet and first.contacts is not None and second.contacts is not None:
        stand = [
            c.flags[rows][:, [c.joints.index(name) for name in feet]].astype(float)
            for c, rows in zip((first.contacts, second.contacts), frames, strict=True)
        ]
        cost = cost + _NO_COMMON_FOOT**2 * (stand[0] @ stand[1].T == 0.0)
    cost = cost + _speed_costs(first, second, frames, headings, mode)
    if mode == "seam":
        return cost, np.zeros_like(cost)
    turn = headings[0][0] - headings[1][0] if mode == "start" else 0.0
    apart = headings[1][frames[1]][None, :] + turn - headings[0][frames[0]][:, None]
    apart = np.arctan2(np.sin(apart), np.cos(apart))
    return cost + (_HEADING * apart) ** 2, apart


def _speed_costs(
    first: Clip, second: Clip, frames: tuple[Frames, Frames], headings: tuple[Floats, Floats], mode: str
) -> Floats:
    """What it costs that the hips move differently, (n, m): a body cannot change its speed between two frames."""
    hips, size = first.skeleton.roles.get("hips", 0), first.skeleton.height or 1.0
    speeds = []
    for clip, rows in ((first, frames[0]), (second, frames[1])):
        track = gaussian(clip.positions()[:, hips], clip.fps, _SPEED_BLUR_S)
        speed = np.gradient(track, 1.0 / clip.fps, axis=0) if len(clip) > 1 else np.zeros((1, 3))
        speeds.append(speed[rows] * (_SPEED_S / size))
    if mode == "seam":  # each as its character sees it
        speeds = [rot.rotate(rot.about_y(-h[rows]), v) for h, rows, v in zip(headings, frames, speeds, strict=True)]
    elif mode == "start":
        speeds[1] = rot.rotate(rot.about_y(headings[0][0] - headings[1][0]), speeds[1])
    return np.asarray(np.sum((speeds[0][:, None] - speeds[1][None]) ** 2, axis=-1))


def _common_feet(ours: Contacts | None, theirs: Contacts | None) -> list[str]:
    return [] if ours is None or theirs is None else [name for name in ours.joints if name in theirs.joints]


def _turn_left(cost: Floats, apart: Floats) -> float:
    return float(np.abs(apart.ravel()[int(np.argmin(cost))]))


def _best(cost: Floats, count: int, apart: int, frames: tuple[Frames, Frames]) -> tuple[list[int], list[int]]:
    """Rows and columns of the cheapest pairs that lie apart from each other."""
    rows: list[int] = []
    columns: list[int] = []
    for flat in np.argsort(cost, axis=None, kind="stable").tolist():
        row, column = divmod(flat, cost.shape[1])
        gaps = [
            abs(frames[0][row] - frames[0][r]) + abs(frames[1][column] - frames[1][c])
            for r, c in zip(rows, columns, strict=True)
        ]
        if all(gap > apart for gap in gaps):
            rows.append(row)
            columns.append(column)
        if len(rows) >= count:
            break
    return rows, columns


def _turn(headings: tuple[Floats, Floats], a: int, b: int, mode: str) -> float:
    if mode == "keep":
        return 0.0
    turn = headings[0][0] - headings[1][0] if mode == "start" else headings[0][a] - headings[1][b]
    return float(np.arctan2(np.sin(turn), np.cos(turn)))


def _placed(
    first: Clip, second: Clip, a: int, b: int, turn: float, rise: float
) -> tuple[str, tuple[float, float, float]]:
    """Which foot is laid on itself, and the shift that does so after the rotation."""
    side, joint = "", first.skeleton.roles.get("hips", 0)
    if first.contacts is not None and second.contacts is not None:
        both = [
            (min(first.contacts.confidence[a, i], second.contacts.confidence[b, k]), name, first.contacts.sides[i])
            for i, name in enumerate(first.contacts.joints)
            for k, other in enumerate(second.contacts.joints)
            if name == other and first.contacts.flags[a, i] and second.contacts.flags[b, k]
        ]
        if both:
            _, name, side = max(both)
            joint = toe_joint(first, first.skeleton.index(name), side)
    here = first.positions()[a, joint]
    there = rot.rotate(rot.about_y(turn), second.positions()[b, joint])
    return side, (float(here[0] - there[0]), rise, float(here[2] - there[2]))


def toe_joint(clip: Clip, foot: int, side: str) -> int:
    """The joint at the ball of a foot, or the ankle where the skeleton has no toes."""
    return clip.skeleton.roles.get(f"{side} toes", foot)


# --- kicks and punches

EventKind = Literal["kick", "punch"]

_LIMBS: dict[str, tuple[str, ...]] = {
    "kick": ("left foot", "right foot"),
    "punch": ("left hand", "right hand"),
}
_CUTOFF_HZ = 12.0
LEAST_SPIKE = 30.0
"""Heights of the character per second squared that a throw has at least; a brisk step has 15."""
GENTLE_SPIKE = 10.0
"""... and a lazy kick, where one is known to be."""
_SHARE_OF_SHARPEST = 0.45
_PUNCHES_APART_S = 0.35
_HIGH = 0.17  # of the character's height: where a foot is that does more than step
_ALOFT = 0.08
_DIP_S = 0.06


@dataclass(frozen=True)
class Event:
    """One throw of a limb.

    frame : where the acceleration is largest.
    limb : the role of the hand or foot.
    spike : the acceleration there in m/s^2.
    start, stop : the frames around it during which the limb is aloft, stop excluded.
    """

    frame: int
    limb: str
    spike: float
    start: int
    stop: int


def find_events(clip: Clip, kind: EventKind = "kick", *, least: float = LEAST_SPIKE) -> list[Event]:
    """Every kick or punch of a clip, in order of time.

    Parameters
    ----------
    kind : "kick" looks at feet that are well above the lowest they get, "punch" at hands.
    least : character heights per second squared that a spike must have. 30 separates kicks from steps; 10 also finds
        lazy ones, and steps with them.

    Notes
    -----
    A spike has at least 0.45 of the sharpest in the clip as well. A foot has one for each time that it is up; hands,
    seen from the hips, one every 0.35 s. Positions are smoothed at 12 Hz first.
    Laws: position, heading and size do not matter (``tests/body/timeline/test_transitions.py``).
    """
    if kind not in _LIMBS:
        raise ParameterError(f'An event is "kick" or "punch", not "{kind}".')
    if len(clip) < 5:
        return []
    size = _size(clip)
    hips = clip.positions()[:, clip.skeleton.roles.get("hips", 0)]
    events: list[Event] = []
    for limb in _LIMBS[kind]:
        joint = clip.skeleton.roles.get(limb)
        if joint is None:
            continue
        track = butterworth(clip.positions()[:, joint], clip.fps, _CUTOFF_HZ)
        seen = track - (hips if kind == "punch" else 0.0)
        spike = np.linalg.norm(_acceleration(np.asarray(seen), clip.fps), axis=1)
        height = track[:, 1] - float(np.percentile(track[:, 1], 5.0))
        if kind == "kick":
            stays = _stays(height >= _ALOFT * size, round(_DIP_S * clip.fps))
            high = [(start, stop) for start, stop in stays if height[start:stop].max() >= _HIGH * size]
            peaks = [(start + int(np.argmax(spike[start:stop])), start, stop) for start, stop in high]
        else:
            peaks = [(frame, 0, len(clip)) for frame in _peaks(spike, round(_PUNCHES_APART_S * clip.fps))]
        events += [
            Event(frame, limb, float(spike[frame]), start, stop)
            for frame, start, stop in peaks
            if spike[frame] >= least * size
        ]
    sharpest = max((event.spike for event in events), default=0.0)
    return sorted((e for e in events if e.spike >= _SHARE_OF_SHARPEST * sharpest), key=lambda e: e.frame)


def _size(clip: Clip) -> float:
    """The height of the character in metres."""
    return clip.skeleton.height or 1.0


def _acceleration(track: Floats, fps: float) -> Floats:
    return np.gradient(np.gradient(track, 1.0 / fps, axis=0), 1.0 / fps, axis=0)


def _peaks(values: Floats, apart: int) -> list[int]:
    """Frames whose value is the largest within ``apart`` frames on either side."""
    around = np.lib.stride_tricks.sliding_window_view(np.pad(values, apart, mode="edge"), 2 * apart + 1)
    return np.flatnonzero(values >= around.max(axis=1)).tolist()


def _stays(flags: NDArray[np.bool_], gap: int) -> list[tuple[int, int]]:
    """Where flags are set, as (start, stop), gaps of up to ``gap`` frames overlooked."""
    frames = np.flatnonzero(flags)
    if len(frames) == 0:
        return []
    parts = np.split(frames, np.flatnonzero(np.diff(frames) > gap + 1) + 1)
    return [(int(part[0]), int(part[-1]) + 1) for part in parts]
