"""Which moment of one clip corresponds to which moment of another, and clips played at another's timing.

=================  ================================================================================
pose_features      what is compared: a clip as numbers that do not depend on position and heading
compare            the time warp between two clips
matching_times     for each frame of a clip, the corresponding moment of another
MatchedTimes            these moments
align              a clip at the timing of another, or in part
find_within        where in a longer clip a motion like this one takes place
align_within       a clip at the timing of that part
place_like         a clip turned and moved to begin where another one does
check_skeletons    refuses clips that do not have the same joints
=================  ================================================================================

[bruderlin] sections 3.1 and 3.2 warp joint angles. Two walks in different styles have different joint angles all the
way through, and what must coincide are their steps. So poses are compared as points: joint positions as seen from the
character itself, how fast they move, which way the hands, feet and head turn, how fast the character travels, and which
foot stands. See :func:`pose_features`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.body.feet.contacts import Contacts, find_contacts
from kinetune.body.root_motion import place_joint, remove_root_motion, root_motion, travelling_joint
from kinetune.body.skeleton import Skeleton
from kinetune.body.timeline._clip_cache import ClipCache
from kinetune.body.timeline.retiming import at_rate, at_times
from kinetune.errors import ParameterError, SkeletonMismatchError
from kinetune.progress import report
from kinetune.rotations import Floats
from kinetune.signals.filters import gaussian
from kinetune.signals.resampling import interpolate
from kinetune.signals.rotation_curves import curves_to_rotations, rotations_to_curves
from kinetune.signals.warping.limited_warp import TimeCurve, limited_warp
from kinetune.signals.warping.time_warp import Timing, Warp, time_warp

Cost = Literal["pose", "sederberg"]
Form = Literal["smooth", "paper"]
StrideEnds = Literal["strides", "all"]
"""What becomes of that which only one of two clips has at an end: it has no counterpart, or is squeezed in."""
MatchEnds = Literal["strides", "all", "free"]

# How much each feature counts: lengths in heights of the character, times in seconds.
_VELOCITY_S = 0.1
_TRAVEL_S = 0.2
_LEVER = 0.1  # how far from a joint lie the points that show which way it turns
_STANDING = 0.1
_STANDING_BLUR_S = 0.03
_CLOCK = 0.01  # where nothing moves, time passes evenly

_EVENED = 4.0
"""Frames over which the speed of a warp is evened out: its path goes in whole frames and halts."""


def check_skeletons(clips: Sequence[Clip], names: Sequence[str]) -> None:
    """Raise unless all clips have the same joints in the same tree; bone lengths may differ.

    names : what to call the clips in the sentence.
    """
    first = clips[0].skeleton
    for clip, name in zip(clips[1:], names[1:], strict=True):
        other = clip.skeleton
        if first.same_joints(other):
            continue
        strange = next((n for n in other.names if n not in first.names), None)
        strange = strange or next((n for n in first.names if n not in other.names), None)
        difference = f'only one of them has "{strange}"' if strange else "their joints hang together in another order"
        raise SkeletonMismatchError(
            f'The clip "{name}" has {len(other)} joints and this one has {len(first)}: {difference}. '
            "Clips are aligned and blended joint by joint: use clips of one skeleton, or retarget one of them first "
            "(kinetune retarget OTHER --to FILE -o OUT)."
        )


def pose_features(clip: Clip, *, feet: Sequence[str] = (), clock: bool = True) -> Floats:
    """A clip as numbers to compare poses by, (frames, channels), in heights of the character.

    Parameters
    ----------
    feet : foot joints whose contacts are compared too.
    clock : whether the share of time that has gone counts a little, which settles what stillness leaves open.

    Notes
    -----
    Channels: joint positions seen from the hips on the floor, facing ahead, each weighted by the length of its bone, so
    that fifty finger joints do not outweigh a leg; their velocities; two axes of the hips and of every joint at the end
    of a chain; velocity over the floor, seen from the character; and which feet stand.
    Law: turning and moving the scene changes nothing (``tests/body/timeline/test_alignment.py``).
    """
    size = clip.skeleton.height or 1.0
    frames = len(clip)
    way = root_motion(clip)
    still = remove_root_motion(clip, way)
    carrier = travelling_joint(clip)
    share = np.sqrt(_bone_shares(clip.skeleton))
    points = still.positions() * (share[:, None] / size)
    parts = [points.reshape(frames, -1), _VELOCITY_S * _velocity(points.reshape(frames, -1), clip.fps)]
    ends = [j for j in range(len(clip.skeleton)) if j == carrier or not clip.skeleton.children[j]]
    turned = still.world_rotations()[:, ends]
    lever = _LEVER / np.sqrt(len(ends))
    axes = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    parts += [lever * rot.rotate(turned, axis).reshape(frames, -1) for axis in axes]
    ground = _velocity(way.positions, clip.fps) / size
    ahead = rot.rotate(rot.about_y(-way.headings), np.stack([ground[:, 0], 0.0 * ground[:, 0], ground[:, 1]], axis=-1))
    parts.append(_TRAVEL_S * ahead[:, [0, 2]])
    if feet:
        contacts = known_contacts(clip)
        flags = contacts.flags[:, [contacts.joints.index(name) for name in feet]].astype(float)
        parts.append(_STANDING * gaussian(flags, clip.fps, _STANDING_BLUR_S))
    if clock:
        parts.append(_CLOCK * np.linspace(0.0, 1.0, frames)[:, None])
    return np.concatenate(parts, axis=1)


def known_contacts(clip: Clip) -> Contacts:
    """The contacts that a clip carries, or else those found."""
    return clip.contacts if clip.contacts is not None else find_contacts(clip)


def _bone_shares(skeleton: Skeleton) -> Floats:
    """How much each joint counts, (joints,), the sum being 1; a root above the body, or a bone without length, none."""
    lengths = np.where(skeleton.has_bone, np.linalg.norm(skeleton.offsets, axis=1), 0.0)
    long = lengths > 0.0
    mean = float(lengths[long].mean()) if long.any() else 1.0
    lengths[[joint for joint in (*skeleton.roots, skeleton.body_root) if joint not in skeleton.above_body]] = mean
    return np.asarray(lengths / lengths.sum())


def _velocity(signal: Floats, fps: float) -> Floats:
    return np.gradient(signal, 1.0 / fps, axis=0) if len(signal) > 1 else np.zeros_like(signal)


def compare(clip: Clip, other: Clip, *, cost: Cost = "pose", band_s: float | None = None, find: bool = False) -> Warp:
    """The time warp between two clips: which frames of ``other`` correspond to which of ``clip``.

    Parameters
    ----------
    other : a clip of the same joints, at the same frame rate (:func:`at_rate`).
    cost : "pose" compares poses; "sederberg" compares how curves stretch and bend, as the paper does.
    band_s : how far from an even correspondence the warp may stray, in seconds; None for no bound.
    find : look for ``clip`` anywhere within ``other``.
    """
    check_skeletons((clip, other), ("", "other"))
    a, b = _common_features(clip, other, find)
    band = None if band_s is None or find else max(1, round(band_s * clip.fps))
    return time_warp(a, b, cost, window=band, find=find)


def _common_features(clip: Clip, other: Clip, find: bool) -> tuple[Floats, Floats]:
    """Both clips as numbers to compare poses by, with the contacts of the feet that both have."""
    standing = [known_contacts(clip), known_contacts(other)]
    feet = [name for name in standing[0].joints if name in standing[1].joints]
    compared = []
    for each, known in zip((clip, other), standing, strict=True):
        report(0.0, "aligning")
        compared.append(pose_features(each.replace(contacts=known), feet=feet, clock=not find))
    return compared[0], compared[1]


class MatchedTimes(NamedTuple):
    """Corresponding moments of two clips.

    start, stop : the frames of the first clip that have a counterpart, stop excluded.
    seconds : (stop - start,) the moments of the other clip, never going back.
    """

    start: int
    stop: int
    seconds: Floats


def matching_times(
    clip: Clip, other: Clip, *, cost: Cost = "pose", band_s: float | None = None, ends: MatchEnds = "strides"
) -> MatchedTimes:
    """For each frame of a clip, the corresponding moment of another one in seconds.

    Parameters
    ----------
    ends : "strides" leaves out what only one of two walks has at an end, where one has more strides than the other.
        "all" lets first frames correspond to first ones and last frames to last ones in any case. "free" leaves out
        what only one of two walks has, be it a part of a stride.

    Notes
    -----
    With poses, neither clip runs more than twice as fast as the other, measured by the length of their strides, and
    the tempo changes smoothly (:mod:`kinetune.signals.warping.limited_warp`). The paper's cost has the paper's path,
    which halts and leaps.
    """
    if ends not in ("strides", "all", "free"):
        raise ParameterError(f'ends is "strides" or "all", not "{ends}".')
    if len(clip) == 1 or len(other) == 1:
        return MatchedTimes(0, len(clip), np.linspace(0.0, other.duration, len(clip)))
    options = (cost, band_s, ends)
    return _cache.get((clip, other), options) or _cache.put(
        (clip, other), options, _match(clip, other, cost, band_s, ends)
    )


_cache: ClipCache[MatchedTimes] = ClipCache(8)


_MATCH_FPS = 30.0
_MOST_CELLS = 4_000_000
_ALIKE = 0.75  # walks in other styles have up to 0.6, a walk and a run 0.8
_WORTH_LEAVING_OUT = 0.92  # of the mean distance: what has no counterpart must be worth its price
_SMOOTH_S = 0.12  # over which the tempo of a correspondence changes smoothly


def _match(clip: Clip, other: Clip, cost: Cost, band_s: float | None, ends: MatchEnds) -> MatchedTimes:
    """What :func:`matching_times` returns, computed without the cache."""
    if cost != "pose":
        second = at_rate(other, clip.fps)
        seconds = compare(clip, second, cost=cost, band_s=band_s).mapping(_EVENED) / clip.fps
        start, stop = 0, len(clip)
    else:
        start, stop, seconds = _match_poses(clip, other, band_s, ends)
    seconds = np.maximum.accumulate(np.clip(seconds, 0.0, other.duration))
    seconds.setflags(write=False)
    return MatchedTimes(start, stop, seconds)


def _match_poses(clip: Clip, other: Clip, band_s: float | None, ends: MatchEnds) -> tuple[int, int, Floats]:
    """The frames of a clip that have a counterpart in another one, and when that is, in seconds.

    Poses are compared about thirty times a second, in long clips as often as memory allows.
    """
    a, b = _common_features(clip, other, find=False)
    curve, grids = _time_curve((clip, other), (a, b), other.duration / clip.duration, band_s)
    landings = [sum(map(len, _landings(each))) for each in (clip, other)]
    surplus = ends == "free" or (ends == "strides" and landings[0] != landings[1])
    if surplus and min(landings) > 0 and band_s is None:
        opened, its_grids = _time_curve((clip, other), (a, b), _tempo(clip, other), None, open_ends=True)
        if opened.cost < min(_ALIKE, _WORTH_LEAVING_OUT * curve.cost):
            curve, grids = opened, its_grids
    report(1.0, "aligning")
    moments, seconds = grids[0][curve.start : curve.stop], curve.times * grids[1][1]
    start, last = int(np.ceil(moments[0] * clip.fps - 1e-6)), int(np.floor(moments[-1] * clip.fps + 1e-6))
    at = (clip.times[start : last + 1] - moments[0]) / grids[0][1]
    return start, last + 1, interpolate(seconds, at)


def _time_curve(
    clips: tuple[Clip, Clip],
    features: tuple[Floats, Floats],
    tempo: float,
    band_s: float | None,
    open_ends: bool = False,
) -> tuple[TimeCurve, tuple[Floats, Floats]]:
    """The correspondence of two clips in frames of two grids, and these grids in seconds.

    tempo : how much longer the second clip takes for the same.
    """
    clip, other = clips
    step = max(1.0 / _MATCH_FPS, np.sqrt(clip.duration * other.duration / (tempo * _MOST_CELLS)))
    counts = [max(3, round(length / step) + 1) for length in (clip.duration, other.duration / tempo)]
    grids = np.linspace(0.0, clip.duration, counts[0]), np.linspace(0.0, other.duration, counts[1])
    a, b = (interpolate(x, grid * each.fps) for x, grid, each in zip(features, grids, clips, strict=True))
    window = None if band_s is None else band_s / step
    return limited_warp(a, b, open_ends=open_ends, window=window, smoothing=_SMOOTH_S / step), grids


def _tempo(clip: Clip, other: Clip) -> float:
    """How much longer the strides of another clip last, or the whole of it where there are none."""
    strides = [np.concatenate([[], *map(np.diff, _landings(each))]) / each.fps for each in (clip, other)]
    lengths = [clip.duration, other.duration]
    if min(len(each) for each in strides) > 0:
        lengths = [float(np.median(each)) for each in strides]
    return float(np.clip(lengths[1] / lengths[0], 0.4, 2.5))


def _landings(clip: Clip) -> list[list[int]]:
    """The frames at which each foot lands."""
    contacts = known_contacts(clip)
    return [[start for start, _ in contacts.intervals(foot) if start > 0] for foot in range(len(contacts.joints))]


def align(
    clip: Clip,
    other: Clip,
    *,
    amount: float = 1.0,
    cost: Cost = "pose",
    band_s: float | None = None,
    form: Form = "smooth",
    ends: StrideEnds = "strides",
) -> Clip:
    """The clip at the timing of another one: its own poses and path, when the other does the same.

    Parameters
    ----------
    amount : 1 for the timing of ``other``, 0 for the clip's own, between them for a timing in between.
    cost, band_s : see :func:`compare`.
    form : "smooth" reads the clip at times that run evenly through the warp. "paper" applies it sample by sample, as
        [bruderlin] section 3.2 does: several samples that correspond to one are averaged, and one that corresponds to
        several is spread by a cubic B-spline.
    ends : see :func:`matching_times`.

    Returns
    -------
    Clip
        At its own frame rate, as long as ``other`` lasts (for an amount of 1), or as the strides of it that this clip
        has too. Contacts and markers move along.

    Notes
    -----
    The paper's form halts and hurries by whole frames. It is there to be compared with.
    Laws (``tests/body/timeline/test_alignment.py``): a clip aligned with itself stays; one in another
    rhythm gets its own back.
    """
    check_skeletons((clip, other), ("", "other"))
    if not 0.0 <= amount <= 1.0:
        raise ParameterError(f"amount must be a number from 0 to 1, not {amount}.")
    if form not in ("smooth", "paper"):
        raise ParameterError(f'form is "smooth" or "paper", not "{form}".')
    if amount == 0.0:
        return clip
    target = at_rate(other, clip.fps)
    start, stop, times = matching_times(target, clip, cost=cost, band_s=band_s, ends=ends)
    if form == "paper" and len(clip) > 1 and len(target) > 1:
        first, last = (round(float(when) * clip.fps) for when in times[[0, -1]])
        part = clip[first : last + 1]
        warp = compare(target[start:stop], part, cost=cost, band_s=band_s)
        return _warp_samples(part, warp if amount == 1.0 else warp.partial(1.0 - amount, _EVENED))
    played = amount * (target.times[start:stop] - target.times[start]) + (1.0 - amount) * (times - times[0])
    count = int(np.floor(played[-1] * clip.fps + 1e-6)) + 1
    return at_times(clip, np.interp(np.arange(count) / clip.fps, played, times), clip.fps)


def _warp_samples(clip: Clip, warp: Warp | Timing) -> Clip:
    """A clip through a warp sample by sample."""
    curves = rotations_to_curves(clip.rotations)
    moments = warp.b if isinstance(warp, Timing) else warp.mapping(_EVENED)
    frames = np.clip(np.maximum.accumulate(moments), 0.0, len(clip) - 1.0)
    retimed = at_times(clip, frames / clip.fps, clip.fps)  # for contacts and markers
    return retimed.replace(
        root=warp.apply(clip.root),
        rotations=curves_to_rotations(curves.with_curves(warp.apply(curves.curves))),
        translations=None if clip.translations is None else warp.apply(clip.translations),
        contacts=retimed.contacts,
    )


class Occurrence(NamedTuple):
    """Where a motion takes place within a longer one.

    start, stop : its frames in the longer clip, stop excluded.
    distance : how unlike the two are: the mean distance of corresponding poses, in heights of the character.
    """

    start: int
    stop: int
    distance: float


def find_within(clip: Clip, other: Clip, *, cost: Cost = "pose") -> Occurrence:
    """Where in ``other`` a motion like ``clip`` takes place, at any speed.

    Notes
    -----
    [bruderlin] has no such search; it is the same dynamic program with free ends.
    Law: a part cut out of a clip is found where it was (``tests/body/timeline/test_alignment.py``).
    """
    target = at_rate(other, clip.fps)
    warp = compare(clip, target, cost=cost, find=True)
    first, last = int(warp.path[0, 1]), int(warp.path[-1, 1])
    share = other.fps / clip.fps
    start, last = (min(round(frame * share), len(other) - 1) for frame in (first, last))
    return Occurrence(start, last + 1, float(warp.cost) / len(warp.path))


def align_within(clip: Clip, other: Clip, *, cost: Cost = "pose", amount: float = 1.0, form: Form = "smooth") -> Clip:
    """The clip at the timing of that part of ``other`` that is most like it, with markers that show where that is."""
    check_skeletons((clip, other), ("", "other"))
    occurrence = find_within(clip, other, cost=cost)
    part = other[occurrence.start : occurrence.stop]
    result = align(clip, part, amount=amount, cost=cost, form=form, ends="all")
    seconds = [frame / other.fps for frame in (occurrence.start, occurrence.stop - 1)]
    notes = [
        Marker(0, f"found at {seconds[0]:.3f} s (frame {occurrence.start})"),
        Marker(len(result) - 1, f"found until {seconds[1]:.3f} s (frame {occurrence.stop - 1})"),
    ]
    return result.replace(markers=(*result.markers, *notes))


def place_like(clip: Clip, other: Clip) -> Clip:
    """The clip turned about the vertical and moved along the floor: it begins where ``other`` does, facing alike."""
    path, like = root_motion(clip), root_motion(other)
    turn = rot.about_y(like.headings[0] - path.headings[0])
    here, there = (np.array([x, 0.0, z]) for x, z in (path.positions[0], like.positions[0]))
    return place_joint(clip, travelling_joint(clip), turn, there - rot.rotate(turn, here))
