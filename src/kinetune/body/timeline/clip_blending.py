"""Several motions as one: poses, timing and path averaged, each properly.

===============  ==================================================================================
blend            a clip that is part one motion, part another
BlendPart             some joints, and how much each clip counts for them
match            where the other clips are at each moment of the first
scale_like       a clip with the bone lengths of another
===============  ==================================================================================

[bruderlin] section 3 adds joint angles: 0.4 of a drummer and 0.6 of a swaying arm. Here

* *timing*: corresponding moments are found first (:mod:`kinetune.body.timeline.alignment`); the blend runs through them
  at the average tempo, so that half a quick and half a slow walk is a walk at medium pace.
* *poses*: rotations are averaged as rotations, along the shortest arc between two, with nothing that flips.
* *path*: each clip's velocity over the floor, seen from the character, and its rate of turning are averaged and added
  up again. A walk that turns by 45 degrees and one that turns by 135 give one that turns by 90, wherever each began.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.contacts import Contacts
from kinetune.body.root_motion import (
    RootMotion,
    add_root_motion,
    local_translations,
    on_floor,
    remove_root_motion,
    root_motion,
    travelling_joint,
)
from kinetune.body.skeleton import Skeleton
from kinetune.body.timeline._clip_cache import ClipCache
from kinetune.body.timeline.alignment import Cost, StrideEnds, check_skeletons, known_contacts, matching_times
from kinetune.body.timeline.retiming import at_times
from kinetune.errors import ParameterError
from kinetune.progress import stage
from kinetune.rotations import Floats
from kinetune.signals.bands.pyramid import equalize
from kinetune.signals.rotation_curves import LogCurves, curves_to_rotations, rotations_to_curves

Align = Literal["warp", "scale", "none"]
Weights = Callable[[Floats], Floats]
"""How much each clip counts at some seconds (n,) of the blend: (clips, n), every column with the sum 1."""

_LEAST_TEMPO = 0.05  # of the slowest clip; weights beyond 0 and 1 must not reverse time
_LEAST_S = 1e-9
_FINEST = 0.25  # of a frame: how finely weights are read to work out the timing
_KARCHER_STEPS = 4
_HALF = 0.5 - 1e-9


@dataclass(frozen=True)
class BlendPart:
    """Some joints, and how much each clip counts for them.

    joints : indices.
    weights : of each clip over time.
    bands : the same for each frequency band from band 0 (fastest) up; missing ones, and the pose underneath them all,
        take ``weights``. None to blend all frequencies alike.
    timing : how much each clip counts for the tempo, where this part decides on it; None takes ``weights``.
    """

    joints: tuple[int, ...]
    weights: Weights
    bands: tuple[Weights, ...] | None = None
    timing: Weights | None = None

    @property
    def tempo(self) -> Weights:
        """How much each clip counts for the tempo."""
        return self.weights if self.timing is None else self.timing


def blend(
    clips: Sequence[Clip],
    parts: Sequence[BlendPart],
    *,
    names: Sequence[str] | None = None,
    align: Align = "warp",
    place: bool = True,
    cost: Cost = "pose",
    band_s: float | None = None,
    ends: StrideEnds = "strides",
) -> Clip:
    """A motion made of several.

    Parameters
    ----------
    clips : two or more with the same joints. The first one gives the skeleton, the frame rate and the starting
        position.
    parts : groups of joints with their weights, no joint in two of them; joints in none stay with the first clip.
        The part with the joint that carries the character (the hips) decides on timing and path.
    align : "warp" finds corresponding moments, "scale" stretches all clips evenly to one length, "none" takes them as
        they run; then the blend is as long as the shortest.
    place : average paths as seen from the character, from where the first clip begins; False averages positions and
        headings in the world.
    cost, band_s, ends : see :func:`kinetune.body.timeline.alignment.matching_times`. Where the hips stay with the first
        clip, all of it is kept.

    Notes
    -----
    A clip of a character of another size is scaled to the first one's legs. A foot stands where at least half of the
    blend stands.
    Laws (``tests/body/timeline/test_clip_blending.py``): with all weight on one clip its motion comes out; the order of
    the clips matters only for position, skeleton and rate; rotating the scene rotates the blend.
    """
    check_skeletons(clips, names or [str(k) for k in range(len(clips))])
    if len(clips) == 1:
        return clips[0]
    carrier = travelling_joint(*clips)
    leading, ends = leading_part(parts, carrier, len(clips), ends)
    moments = cached_match(clips, align=align, cost=cost, band_s=band_s, ends=ends)
    clips = [clip.replace(contacts=known_contacts(clip)) for clip in clips]
    first = clips[0]
    seconds, times = play(moments, leading.tempo, first.fps)
    sampled = [scale_like(at_times(clip, when, first.fps), first) for clip, when in zip(clips, seconds, strict=True)]
    ways = [root_motion(clip) for clip in sampled]
    stills = sampled
    if place:
        stills = [remove_root_motion(clip, way, carrier) for clip, way in zip(sampled, ways, strict=True)]
    result = blend_poses(stills, parts, times, carrier)
    if place:
        result = add_root_motion(result, blend_paths(ways, leading.weights(times)), carrier)
    contacts = [
        known_contacts(clip).resample(np.clip(when * clip.fps, 0, len(clip) - 1))
        for clip, when in zip(clips, seconds, strict=True)
    ]
    return result.replace(
        rotations=rot.continuous(result.rotations),
        contacts=blend_contacts(contacts, leading.weights(times)),
        markers=sampled[0].markers,
    )


def leading_part(
    parts: Sequence[BlendPart], carrier: int, count: int, ends: StrideEnds
) -> tuple[BlendPart, StrideEnds]:
    """The part that decides on timing and path, and what becomes of surplus strides."""
    for part in parts:
        if carrier in part.joints:
            return part, ends
    return BlendPart((carrier,), _only_first(count)), "all"


def _only_first(count: int) -> Weights:
    def weights(times: Floats) -> Floats:
        table = np.zeros((count, len(times)))
        table[0] = 1.0
        return table

    return weights


# --- timing

_MOST_KEPT = 8
_cache: ClipCache[Floats] = ClipCache(_MOST_KEPT)


def cached_match(clips: Sequence[Clip], *, align: Align, cost: Cost, band_s: float | None, ends: StrideEnds) -> Floats:
    """:func:`match`, remembered for the last few sets of clips: weights change more often than clips do."""
    options = (align, cost, band_s, ends)
    cached = _cache.get(clips, options)
    if cached is not None:
        return cached
    standing = [clip.replace(contacts=known_contacts(clip)) for clip in clips]
    moments = match(standing, align=align, cost=cost, band_s=band_s, ends=ends)
    moments.setflags(write=False)
    return _cache.put(clips, options, moments)


def match(
    clips: Sequence[Clip],
    *,
    align: Align = "warp",
    cost: Cost = "pose",
    band_s: float | None = None,
    ends: StrideEnds = "strides",
) -> Floats:
    """Corresponding moments of all clips, (clips, n) seconds, one column for each frame of the first that has any."""
    first = clips[0]
    if align == "none":
        shortest = min(clip.duration for clip in clips)
        frames = int(np.floor(shortest * first.fps + 1e-6)) + 1
        return np.tile(np.minimum(first.times[:frames], shortest), (len(clips), 1))
    if align == "scale":
        return np.stack([np.linspace(0.0, clip.duration, len(first)) for clip in clips])
    if align != "warp":
        raise ParameterError(f'align is "warp", "scale" or "none", not "{align}".')
    matches = []
    for number, clip in enumerate(clips[1:]):
        with stage(number, len(clips) - 1):
            matches.append(matching_times(first, clip, cost=cost, band_s=band_s, ends=ends))
    start, stop = max(each.start for each in matches), min(each.stop for each in matches)
    if stop <= start:  # two clips that fit to different strides of the first: keep all of them
        return match(clips, cost=cost, band_s=band_s, ends="all")
    others = [each.seconds[start - each.start : stop - each.start] for each in matches]
    return np.stack([first.times[start:stop], *others])


def play(moments: Floats, weights: Weights, fps: float) -> tuple[Floats, Floats]:
    """Play corresponding moments at their average tempo.

    Returns
    -------
    seconds : (clips, n) the moment of each clip that goes into each frame of the blend.
    times : (n,) the seconds of these frames.
    """
    if moments.shape[1] == 1:
        return moments, np.zeros(1)
    steps = np.diff(moments, axis=1)
    longest = float(np.abs(steps).sum(axis=1).max())
    grid = np.linspace(0.0, longest, max(2, int(np.ceil(longest * fps / _FINEST)) + 1))
    table = weights(grid)
    if np.ptp(table, axis=1).max() == 0.0:
        lasting = table[:, 0] @ steps
    else:  # weights are given in the time of the blend, which depends on them
        lasting = np.empty(steps.shape[1])
        now, scale = 0.0, (len(grid) - 1) / longest
        for frame, step in enumerate(steps.T):
            at = min(int(now * scale), len(grid) - 1)
            lasting[frame] = table[:, at] @ step
            lasting[frame] = max(lasting[frame], _LEAST_TEMPO * step.min())
            now += lasting[frame]
    lasting = np.maximum(lasting, np.maximum(_LEAST_TEMPO * steps.min(axis=0), _LEAST_S))
    when = np.concatenate([[0.0], np.cumsum(lasting)])
    times = np.arange(int(np.floor(when[-1] * fps + 1e-6)) + 1) / fps
    return np.stack([np.interp(times, when, clip_moments) for clip_moments in moments]), times


# --- poses


def scale_like(clip: Clip, other: Clip) -> Clip:
    """The clip with the bones of another one that has the same joints: paths and positions grow with its legs.

    Where a root stands still above the character, it stands as in the other clip.
    """
    own, wanted = _bone_lengths(clip), _bone_lengths(other)
    factor = _leg(other.skeleton, wanted) / _leg(clip.skeleton, own)
    translations = clip.translations
    if translations is not None:
        known = (own > 0.0) & (wanted > 0.0)
        shares = np.where(known, wanted / np.where(known, own, 1.0), factor)
        translations = translations * shares[:, None]
    scaled = clip.replace(skeleton=other.skeleton, root=clip.root * factor, translations=translations)
    return _below_root_of(scaled, other)


def _below_root_of(clip: Clip, other: Clip) -> Clip:
    """The clip with the still joints above the character as they are in another clip."""
    joint = travelling_joint(clip, other)
    above = list(clip.skeleton.chain(joint)[:-1])
    rotations, translations = np.array(clip.rotations), np.array(local_translations(clip))
    translations[:, above], rotations[:, above] = local_translations(other)[0, above], other.rotations[0, above]
    if np.array_equal(rotations, clip.rotations) and np.array_equal(translations, local_translations(clip)):
        return clip
    back = rot.inverse(other.world_rotations()[0, above[-1]])
    translations[:, joint] = rot.rotate(back, clip.positions()[:, joint] - other.positions()[0, above[-1]])
    rotations[:, joint] = rot.normalize(rot.multiply(back, clip.world_rotations()[:, joint]))
    return clip.replace(root=translations[:, 0], rotations=rotations, translations=translations)


def _bone_lengths(clip: Clip) -> Floats:
    """The length of the bone that leads to each joint, (joints,), as the clip shows it; 0 where there is none."""
    if clip.translations is None:
        lengths = np.linalg.norm(clip.skeleton.offsets, axis=1)
    else:
        lengths = np.median(np.linalg.norm(clip.translations, axis=2), axis=0)
    return np.where(clip.skeleton.has_bone, lengths, 0.0)


def _leg(skeleton: Skeleton, lengths: Floats) -> float:
    """The length of a leg, or the size of a character that has none; 1 for a single point."""
    upper, foot = skeleton.roles.get("left upper leg"), skeleton.roles.get("left foot")
    if upper is not None and foot is not None and upper in skeleton.chain(foot):
        length = float(lengths[list(skeleton.chain(foot, upper))].sum())
        if length > 0.0:
            return length
    return float(lengths.sum()) or 1.0


def blend_poses(clips: Sequence[Clip], parts: Sequence[BlendPart], times: Floats, carrier: int) -> Clip:
    """Local rotations, positions that joints have of their own, and the height of the character."""
    first = clips[0]
    rotations = np.array(first.rotations)
    moving = any(clip.translations is not None for clip in clips)
    places = [local_translations(clip) for clip in clips]
    mixed = np.array(places[0])
    for part in parts:
        joints = list(part.joints)
        if not joints:
            continue
        rotations[:, joints] = _mean_rotations([c.rotations[:, joints] for c in clips], part, times)
        moved = joints if moving else [j for j in joints if j == 0]
        if moved:
            mixed[:, moved] = _mean_curves([p[:, moved] for p in places], part, times)
    return first.replace(root=mixed[:, 0], rotations=rotations, translations=mixed if moving else None)


def _mean_curves(curves: Sequence[Floats], part: BlendPart, times: Floats) -> Floats:
    """The weighted mean of signals (frames, ...); each band by its own weights, where there are any."""
    result = np.array(curves[0])
    weights = part.weights(times)
    bands = None if part.bands is None else [band(times) for band in part.bands]
    for k in range(1, len(curves)):
        apart = curves[k] - curves[0]
        if bands is None:
            result += _along(weights[k], apart) * apart
        else:
            # Weights of all clips sum to 1 in every band, so that it is the bands of the differences that are mixed.
            count = len(times).bit_length() - 1
            gains = np.stack([*(band[k] for band in bands), *[weights[k]] * max(0, count - len(bands))])
            result += equalize(apart, gains[:count], base=weights[k])
    return result


def _along(weights: Floats, signal: Floats) -> Floats:
    return weights.reshape(-1, *(1,) * (signal.ndim - 1))


def _mean_rotations(rotations: Sequence[Floats], part: BlendPart, times: Floats) -> Floats:
    """The weighted mean of rotations (frames, joints, 4)."""
    if part.bands is not None:
        chart = rotations_to_curves(np.concatenate(rotations))
        curves = [rotations_to_curves(q, like=chart).curves for q in rotations]
        return rot.normalize(curves_to_rotations(chart.with_curves(_mean_curves(curves, part, times))))
    weights = part.weights(times)
    first = rotations[0]
    turns = [rotations_between(first, q) for q in rotations[1:]]
    step = sum(
        (_along(w, turn) * turn for w, turn in zip(weights[1:], turns, strict=True)), np.zeros_like(first[..., 1:])
    )
    mean = rot.normalize(rot.multiply(first, rot.exp(step)))
    if len(rotations) > 2:
        mean = _settle(mean, rotations, weights)
    return mean


def rotations_between(first: Floats, second: Floats) -> Floats:
    """Rotation vectors (frames, joints, 3) from one motion to another, unrolled over time so that nothing flips."""
    joints = first.shape[1]
    zero = np.zeros((joints, 3))
    chart = LogCurves(rot.identity(joints), zero[None], zero, np.zeros(joints, dtype=bool))
    return rotations_to_curves(rot.multiply(rot.inverse(first), second), like=chart).curves


def _settle(mean: Floats, rotations: Sequence[Floats], weights: Floats) -> Floats:
    """The rotation from which the weighted rotations to all others cancel out, from a guess close to it.

    Where two lie more than 2.2 radians from the guess, the shortest path is no longer certain and the guess stands.
    """
    for _ in range(_KARCHER_STEPS):
        turns = np.stack([rot.log(rot.multiply(rot.inverse(mean), q)) for q in rotations])
        far = np.linalg.norm(turns, axis=-1).max(axis=0)
        sure = np.clip((2.8 - far) / 0.6, 0.0, 1.0)[..., None]
        step = np.einsum("kf,kfjc->fjc", weights, turns)
        mean = rot.normalize(rot.multiply(mean, rot.exp(sure * step)))
    return mean


# --- the path, and the feet


def blend_paths(ways: Sequence[RootMotion], weights: Floats) -> RootMotion:
    """The path that follows from the mean of all velocities, as seen from the character."""
    first = ways[0]
    between = 0.5 * (weights[:, 1:] + weights[:, :-1])
    turns = np.stack([np.diff(way.headings) for way in ways])
    headings = first.headings[0] + np.concatenate([[0.0], np.cumsum(np.sum(between * turns, axis=0))])
    ahead = np.zeros((len(headings) - 1, 3))
    for weight, way in zip(between, ways, strict=True):
        steps = np.diff(way.positions, axis=0)
        middle = 0.5 * (way.headings[1:] + way.headings[:-1])
        ahead += weight[:, None] * rot.rotate(rot.about_y(-middle), on_floor(steps))
    steps = rot.rotate(rot.about_y(0.5 * (headings[1:] + headings[:-1])), ahead)[:, [0, 2]]
    positions = first.positions[0] + np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    return RootMotion(positions, headings)


def blend_contacts(contacts: Sequence[Contacts], weights: Floats) -> Contacts:
    """A foot stands, on heel or toes, where at least half of the blend does."""
    first = contacts[0]
    shares = np.maximum(weights, 0.0)
    shares = shares / np.maximum(shares.sum(axis=0), 1e-12)
    columns = [[c.joints.index(name) if name in c.joints else None for name in first.joints] for c in contacts]

    def mean(name: str) -> Floats:
        total = np.zeros(first.flags.shape)
        for share, each, its_columns in zip(shares, contacts, columns, strict=True):
            for column, its_column in enumerate(its_columns):
                if its_column is not None:
                    total[:, column] += share * getattr(each, name)[:, its_column]
        return total

    flags = mean("flags") >= _HALF
    confidence = np.clip(mean("confidence"), 0.0, 1.0)
    heels, toes = flags & (mean("heels") >= _HALF), flags & (mean("toes") >= _HALF)
    unsettled = flags & ~heels & ~toes
    heels, toes = heels | unsettled, toes | unsettled
    return Contacts(first.joints, flags, confidence, heels, toes, first.sides)
