"""How a foot stands, frame by frame: in the air, on its heel, flat, or on ball and toes.

==================  ==============================================================================
find_states         reads the states from a clip; a contact lasts a whole stance
weigh_states        reads them with how sure it is that a foot stands
states_of_contacts  the states that known contacts stand for
contacts_of_states  the contacts that states stand for
noise_of            how noisy the path of a joint is
smoothing_for       how wide a filter that noise needs
==================  ==============================================================================

A point of the sole is down when it is low and slow. Neither is a sharp line, and captured feet creep, hover and jitter;
so both are evidence, and the likeliest course of states over the whole clip decides, in which every change of state has
a cost (Viterbi). A stance is not torn apart by a twitch, nor is a slow moment in the air taken for one.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Bools, Contacts, find_contacts
from kinetune.body.feet.floor import Ground
from kinetune.body.feet.soles import find_foot_joints
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats
from kinetune.signals.envelopes import largest_around
from kinetune.signals.filters import gaussian
from kinetune.signals.flag_ranges import true_ranges

States = NDArray[np.int8]
SWING, HEEL, FLAT, TOE = range(4)

HUMAN_LEG_M = 0.9
"""Lengths in metres here are those of a person with legs this long; others are scaled."""

_kernels = Kernels("kinetune.body.feet.leg_kernels")

_SLOW = (0.35, 1.1)  # m/s: least and greatest speed at which a point counts as moving
_SHARE_OF_SWING = 0.15
_HOVER_M, _HEIGHT_M = 0.004, 0.035
_GRAVITY = 9.81
_LOCAL_S, _LOCAL_M = 0.5, 0.06  # the floor of a stride may differ this much from that of the clip
_SPEED_NOISE = 0.03  # m/s that a filter should leave
_LEAST_FILTER_S, _FILTER_S = 0.010, 0.07
_CHANGE_S, _NOISY_CHANGE_S, _ROLL_S = 0.03, 0.05, 0.015
_NOISY_M = 0.01
_BLINK_S = 0.1
_CREEP_M, _LIFT_M = 0.1, 0.01  # a step is longer, or lifts the foot higher
_LONGEST_FLIGHT_S = 0.7
_STRETCHED, _STAY_S = 0.7, 0.15  # leg lengths below the hip; a foot that stays there so long carries the body
_PUSHED = 1.0  # times gravity: a body that is carried by its weight or more is not in the air
_CARRIED_SPEED = 2.0  # times as fast as usual a point may be then
_CALM_S = 0.03
_SURE_S = 0.005  # a frame is sure where a foot that stands explains so many seconds more than one in the air
_FAINT_S = 0.008  # and a stance where it does somewhere
_LOWER_QUARTER = 1.101  # of the length of a vector of three unit normals


def find_states(clip: Clip, ground: Ground) -> States:
    """The state of every foot in every frame.

    Parameters
    ----------
    clip : Clip
        The motion, without a T-pose in front.
    ground : Ground
        Its floor and soles.

    Returns
    -------
    array, shape (frames, feet)
        SWING, HEEL, FLAT or TOE, in the order of ``ground.feet``.
    """
    return weigh_states(clip, ground)[0]


def weigh_states(clip: Clip, ground: Ground) -> tuple[States, Floats]:
    """The state of every foot in every frame, and how sure it is that it stands, both (frames, feet).

    Notes
    -----
    How sure a frame is, in [0, 1], follows from how much less the best course explains that has the foot in the air in
    that frame: little near the edges of a stance, or throughout one that is short and faint. What follows from a stance
    then comes and goes gradually while the motion changes, whereas a state changes at once.

    Heights are measured from where a point usually stands, and from the lowest position within a stride where that is
    at most 6 cm off: floors lean, and characters sink in the course of a clip. Where no foot stands for longer than a
    person can stay in the air, the higher levels of :func:`~kinetune.body.feet.contacts.find_contacts` count too.
    """
    size = ground.leg / HUMAN_LEG_M
    points = [rocker_points(clip, ground, foot) for foot in range(len(ground.feet))]
    heights = [np.stack([ground.floor.above(p) for p in pair]) for pair in points]
    seen = [np.stack([ground.still_positions(clip, p) for p in pair]) for pair in points]
    levels = [np.full((2, len(clip)), np.nan) for _ in points]
    weighed = [_states(s, h, level, clip.fps, size) for s, h, level in zip(seen, heights, levels, strict=True)]
    columns = [states for states, _ in weighed]
    carried = _carried_by(clip, columns, [height[0] for height in heights], size)
    if any(frames.any() for frames in carried):
        weighed = [
            _states(s, h, level, clip.fps, size, lenient)
            for s, h, level, lenient in zip(seen, heights, levels, carried, strict=True)
        ]
        columns = [states for states, _ in weighed]
    if _longest_run(np.all([column == SWING for column in columns], axis=0)) > _LONGEST_FLIGHT_S * clip.fps:
        contacts = find_contacts(clip, ground=ground)
        for foot, (height, level) in enumerate(zip(heights, levels, strict=True)):
            for start, stop in contacts.intervals(foot):
                level[:, start:stop] = np.median(height[:, start:stop], axis=1, keepdims=True)
        columns = [_states(s, h, level, clip.fps, size)[0] for s, h, level in zip(seen, heights, levels, strict=True)]
        # Someone climbs: the other foot can stand on a step of its own meanwhile.
        for foot, (height, level) in enumerate(zip(heights, levels, strict=True)):
            swings = columns[foot] == SWING
            stays = _stays(clip, ground, foot, seen[foot][0], swings)
            for (start, stop), (first, last) in zip(stays, _around(stays, swings), strict=True):
                level[:, first:last] = np.median(height[:, start:stop], axis=1, keepdims=True)
        weighed = [_states(s, h, level, clip.fps, size) for s, h, level in zip(seen, heights, levels, strict=True)]
    states, sure = (np.stack(parts, axis=1) for parts in zip(*weighed, strict=True))
    return states, sure


def _carried_by(clip: Clip, columns: list[States], heights: list[Floats], size: float) -> list[Bools]:
    """When each foot must carry the body, (frames,): none seems to stand, and yet the pelvis does not fall.

    The lower foot does; captures of runs let it slide and bounce more than one would believe of a foot that stands.
    """
    nothing = [np.zeros(len(clip), dtype=bool) for _ in columns]
    if len(clip) < 8:
        return nothing
    height = gaussian(clip.positions()[:, clip.skeleton.roles.get("hips", 0), 1], clip.fps, _CALM_S, ends="held")
    acceleration = np.zeros(len(clip))
    acceleration[1:-1] = np.diff(height, 2) * clip.fps**2
    pushed = acceleration > _GRAVITY * size * (_PUSHED - 1.0)
    alone = np.all([column == SWING for column in columns], axis=0) & pushed
    lower = np.argmin(heights, axis=0)
    return [alone & (lower == foot) for foot in range(len(columns))]


def _stays(clip: Clip, ground: Ground, foot: int, ball: Floats, swings: Bools) -> list[tuple[int, int]]:
    """When the ball (frames, 3) of a foot that is not known to stand stays in place under a stretched leg."""
    positions, sole = clip.positions(), ground.feet[foot]
    hip = clip.skeleton.roles.get(f"{sole.side} upper leg", clip.skeleton.roles.get("hips", 0))
    carries = positions[:, hip, 1] - positions[:, sole.joint, 1] > _STRETCHED * ground.leg
    still = _slower_side(ball, clip.fps) < 0.6 * _SLOW[0] * ground.leg / HUMAN_LEG_M
    return [(start, stop) for start, stop in true_ranges(swings & carries & still) if stop - start > _STAY_S * clip.fps]


def _around(stays: list[tuple[int, int]], swings: Bools) -> list[tuple[int, int]]:
    """The frames in which the step under each stay counts: it is there while the foot lands, and while it leaves.

    They reach as far as the foot is not known to stand elsewhere, and half of the way to another stay.
    """
    middles = [(a[1] + b[0]) // 2 for a, b in itertools.pairwise(stays)]
    bounds = zip([0, *middles], [*middles, len(swings)], strict=True) if stays else ()
    runs = [next(run for run in true_ranges(swings) if run[0] <= start < run[1]) for start, _ in stays]
    return [(max(low, run[0]), min(high, run[1])) for (low, high), run in zip(bounds, runs, strict=True)]


def rocker_points(clip: Clip, ground: Ground, foot: int) -> tuple[Floats, Floats]:
    """The paths (frames, 3) of the ball, at the toe joint where there is one, and of the heel."""
    sole = ground.feet[foot]
    positions = sole.positions(clip)
    named = {point.name: positions[:, number] for number, point in enumerate(sole.points)}
    joints = next(joints for joints in find_foot_joints(clip) if joints.ankle == sole.joint)
    ball = named["ball"] if joints.toes is None else clip.positions()[:, joints.toes[0]]
    return ball, named["heel"]


def likeliest_path(score: Floats, change: Floats) -> States:
    """The states (frames,) of the greatest total score (Viterbi).

    score : (frames, states) how well each state explains each frame. change : (states, states) the cost of a change.
    """
    path = np.empty(len(score), np.int8)
    _kernels.load().likeliest_path(score, change, np.empty_like(score), np.empty(score.shape, np.int8), path)
    return path


def best_through(score: Floats, change: Floats) -> Floats:
    """The total score of the best course that is in each state in each frame, (frames, states)."""
    best = np.empty_like(score)
    _kernels.load().best_through(score, change, best, np.empty_like(score))
    return best


def _states(
    points: Floats, heights: Floats, levels: Floats, fps: float, size: float, lenient: Bools | None = None
) -> tuple[States, Floats]:
    """The states (frames,) of one foot from its ball and heel (2, frames, 3), their heights and known levels.

    The second array is how sure it is in each frame that it stands.

    lenient : (frames,) when its points may be faster than they usually are in a stance.
    """
    frames = points.shape[1]
    noise = noise_of(points[0])
    width_s = smoothing_for(noise / size, fps, _FILTER_S)
    speed_noise = noise * fps * np.sqrt(1.0 / (4.0 * np.sqrt(np.pi) * max(width_s * fps, 0.5) ** 3))
    down: list[Floats] = []
    for number in range(2):
        path, height = points[number], heights[number]
        if frames > 3 and width_s * fps >= 0.5:
            both = gaussian(np.column_stack([path, height]), fps, width_s, ends="held")
            path, height = both[:, :3], both[:, 3]
        speed = _slower_side(path, fps)
        limit = float(np.clip(_SHARE_OF_SWING * np.percentile(speed, 95.0), _SLOW[0] * size, _SLOW[1] * size))
        limit += 1.5 * max(speed_noise - 0.02 * size, 0.0)
        above = _height_above_stance(height, speed < 0.6 * limit, down[0] > 0.0 if down else None, fps, size)
        known = np.isfinite(levels[number])
        above[known] = np.minimum(above[known], np.abs(height - levels[number])[known])
        high = np.maximum(above - _HOVER_M * size, 0.0) / (_HEIGHT_M * size)
        usual = limit if lenient is None else limit * np.where(lenient, _CARRIED_SPEED, 1.0)
        down.append(np.clip(1.0 - (speed / usual) ** 2 - high**2, -2.0, 1.0))
    ball, heel = down
    heel_too = 0.3 * np.clip(heel, -1.0, 1.0)
    score = np.stack([np.zeros(frames), heel - 0.3, ball + heel_too, ball - heel_too], axis=1)
    change = np.full((4, 4), _ROLL_S * fps)
    whole = (_CHANGE_S + _NOISY_CHANGE_S * min(1.0, noise / (_NOISY_M * size))) * fps
    change[SWING, :], change[:, SWING] = whole, whole
    np.fill_diagonal(change, 0.0)
    states = likeliest_path(score, change)
    through = best_through(score, change)
    better = (through[:, 1:].max(axis=1) - through[:, SWING]) / fps
    sure = np.clip(better / _SURE_S, 0.0, 1.0)
    for start, stop in true_ranges(states != SWING):
        sure[start:stop] *= np.clip(better[start:stop].max() / _FAINT_S, 0.0, 1.0)
    stood = None  # where the foot stood before it began to creep
    for start, stop in true_ranges(states == SWING):  # a clip neither begins nor ends with a blink of swing
        if start > 0 and stop < frames:
            stood = points[:, start - 1] if stood is None else stood
            if _creeps(points[:, stop] - stood, heights[:, start - 1 : stop + 1], size):
                states[start:stop], sure[start:stop] = states[start - 1], 1.0
            else:
                stood = None
        elif stop - start < _BLINK_S * fps and (start == 0) != (stop == frames):
            states[start:stop] = states[stop] if start == 0 else states[start - 1]
            sure[start:stop] = 1.0
    return states, np.where(states == SWING, 0.0, sure)


def _creeps(apart: Floats, heights: Floats, size: float) -> bool:
    """Whether a foot gets a little farther without leaving the floor: that is no step but a slide of the capture.

    apart : (points, 3) how far each point of the sole got. heights : (points, frames) from stance to stance.
    """
    line = np.linspace(heights[:, 0], heights[:, -1], heights.shape[1], axis=1)
    got = np.linalg.norm(apart[:, ::2], axis=-1).max()
    return bool(got < _CREEP_M * size and (heights - line).max() < _LIFT_M * size)


def _height_above_stance(height: Floats, slow: Bools, with_ball: Bools | None, fps: float, size: float) -> Floats:
    """How far a point is from where it stands, (frames,) metres: from its usual level, or from the lowest nearby."""
    low = (height < np.percentile(height, 5.0) + _LOCAL_M * size) & slow
    if with_ball is not None:
        low &= with_ball
    level = float(np.percentile(height, 5.0))
    if np.count_nonzero(low) > 3:  # a heel is up for half of each stance: its lower part counts
        level = float(np.median(height[low]) if with_ball is None else np.percentile(height[low], 25.0))
    reach = int(_LOCAL_S * fps)
    lowest = -largest_around(-height, reach)
    if len(height) > 3:
        lowest = gaussian(lowest, fps, 0.4 * _LOCAL_S, ends="held")
    local = np.clip(lowest + 0.006 * size, level - _LOCAL_M * size, level + _LOCAL_M * size)
    return np.asarray(np.minimum(np.abs(height - level), np.maximum(height - local, 0.0)))


def _slower_side(path: Floats, fps: float) -> Floats:
    """The speed (frames,) just before or just after each frame, whichever is slower."""
    if len(path) < 2:
        return np.zeros(len(path))
    step = np.linalg.norm(np.diff(path, axis=0), axis=-1) * fps
    return np.asarray(np.minimum(np.append(step, step[-1]), np.insert(step, 0, step[0])))


def noise_of(path: Floats) -> float:
    """The standard deviation of white noise in a path (frames, 3), in its unit; about 0 for clean captures.

    Notes
    -----
    Third and fifth differences, scaled, give the same number for white noise; for a quick smooth motion (a run at 30
    frames a second) the fifth is less than half of the third. What is beyond that half is noise.
    """
    if len(path) < 12:
        return 0.0
    third, fifth = (
        np.percentile(np.linalg.norm(np.diff(path, order, axis=0), axis=-1), 25.0) / (_LOWER_QUARTER * np.sqrt(total))
        for order, total in ((3, 20.0), (5, 252.0))
    )
    return float(max(0.0, 2.0 * fifth - third))


def smoothing_for(noise: float, fps: float, most_s: float) -> float:
    """The standard deviation (seconds) of the Gaussian that leaves 3 cm/s of speed noise; at least 10 ms."""
    needed = (max(noise - 3e-4, 0.0) * fps / _SPEED_NOISE) ** (2.0 / 3.0) * (1.0 / (4.0 * np.sqrt(np.pi))) ** (
        1.0 / 3.0
    )
    return float(np.clip(needed / fps, _LEAST_FILTER_S, most_s))


def states_of_contacts(contacts: Contacts, column: int) -> States:
    """The states (frames,) of a foot whose contacts are known."""
    heel, toe = contacts.heels[:, column], contacts.toes[:, column]
    standing = np.where(heel, np.where(toe, FLAT, HEEL), TOE)
    return np.where(contacts.flags[:, column], standing, SWING).astype(np.int8)


def contacts_of_states(clip: Clip, ground: Ground, states: States, sure: Floats | None = None) -> Contacts:
    """The contacts of feet with these states (frames, feet); ``sure`` is how sure it is that they stand."""
    down = states != SWING
    return Contacts(
        tuple(clip.skeleton.names[foot.joint] for foot in ground.feet),
        down,
        down.astype(float) if sure is None else sure,
        heels=(states == HEEL) | (states == FLAT),
        toes=(states == FLAT) | (states == TOE),
        sides=tuple(foot.side for foot in ground.feet),
    )


def _longest_run(flags: Bools) -> int:
    return max((stop - start for start, stop in true_ranges(flags)), default=0)
