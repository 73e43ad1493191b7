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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

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
from kinetune.body.timeline.alignment import (
    Cost,
    MatchEnds,
    StrideEnds,
    check_skeletons,
    known_contacts,
    matching_times,
)
from kinetune.body.timeline.retiming import at_times
from kinetune.errors import ParameterError
from kinetune.progress import stage
from kinetune.rotations import Floats
from kinetune.signals.bands.pyramid import equalize
from kinetune.signals.rotation_curves import curves_to_rotations, rotations_to_curves, unrolled_vectors

Align = Literal["warp", "scale", "none"]
Weights = Callable[[Floats], Floats]
"""How much each clip counts at some seconds (n,) of the blend: (clips, n), every column with the sum 1."""

_LEAST_TEMPO = 0.05  # of the slowest clip; weights beyond 0 and 1 must not reverse time
_LEAST_S = 1e-9
_FINEST = 0.25  # of a frame: how finely weights are read to work out the timing
_KARCHER_STEPS = 4
_FADE_S = 0.4  # over which a clip that has run out leaves the blend
_SETTLE_S = 0.15  # over which it then takes on the velocity of another
_NEAR = 2  # frames from which a velocity is read
_NO_SHARE = 1e-6
_NOTABLE_S = 0.1
_MUCH = 0.1  # of the time: double support of a walk, flight of a run
_STANDING = 0.75 - 1e-9  # of the blend: a foot that stands in one of two clips and swings in the other does neither


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
    A clip of a character of another size is scaled to the first one's legs. A foot stands where at least three quarters
    of the blend stand. What only one clip has at an end is kept, the less of it the less weight the clip has.
    Laws (``tests/body/timeline/test_clip_blending.py``): with all weight on one clip its motion comes out, and nearly
    so with nearly all of it; the order of the clips matters only for position, skeleton and rate; rotating the scene
    rotates the blend.
    """
    check_skeletons(clips, names or [str(k) for k in range(len(clips))])
    if len(clips) == 1:
        return clips[0]
    carrier = travelling_joint(*clips)
    leading, ends = leading_part(parts, carrier, len(clips), ends)
    moments = cached_match(clips, align=align, cost=cost, band_s=band_s, ends=ends)
    clips = [clip.replace(contacts=known_contacts(clip)) for clip in clips]
    first = clips[0]
    durations = None if align == "none" else [clip.duration for clip in clips]
    playback = play(moments, leading.tempo, first.fps, durations)
    seconds, times, _ = playback
    parts, weights = [playback.weigh_part(part) for part in parts], playback.weigh(leading.weights)(times)
    sampled = [scale_like(at_times(clip, when, first.fps), first) for clip, when in zip(clips, seconds, strict=True)]
    ways = [root_motion(clip) for clip in sampled]
    stills, everything = sampled, slice(0, len(times))
    if place:
        stills = [remove_root_motion(clip, way, carrier) for clip, way in zip(sampled, ways, strict=True)]
        stills = playback.follow_poses(stills, everything)
    result = blend_poses(stills, parts, times, carrier)
    if place:
        result = add_root_motion(result, blend_paths(playback.follow_paths(ways), weights), carrier)
    contacts = [
        known_contacts(clip).resample(np.clip(when * clip.fps, 0, len(clip) - 1))
        for clip, when in zip(clips, seconds, strict=True)
    ]
    return result.replace(
        rotations=rot.continuous(result.rotations),
        contacts=blend_contacts(playback.follow_contacts(contacts, everything), weights),
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
            free: MatchEnds = "free" if ends == "strides" else ends
            matches.append(matching_times(first, clip, cost=cost, band_s=band_s, ends=free))
    start, stop = max(each.start for each in matches), min(each.stop for each in matches)
    if stop <= start:  # two clips that fit to different strides of the first: keep all of them
        return match(clips, cost=cost, band_s=band_s, ends="all")
    others = [each.seconds[start - each.start : stop - each.start] for each in matches]
    return np.stack([first.times[start:stop], *others])


class Playback(NamedTuple):
    """Clips on the clock of their blend.

    seconds : (clips, n) the moment of each clip that goes into each frame; beyond its ends where it has run out.
    times : (n,) the seconds of these frames.
    present : (clips, n) 1 while a clip lasts; once it has run out, it fades to 0.
    """

    seconds: Floats
    times: Floats
    present: Floats

    def weigh(self, weights: Weights) -> Weights:
        """The same weights, where clips that have run out leave theirs to the others."""
        if self.present.min() == 1.0:
            return weights

        def present(times: Floats) -> Floats:
            table = weights(times)
            shares = table * np.stack([np.interp(times, self.times, each) for each in self.present])
            total = shares.sum(axis=0)
            return np.where(np.abs(total) > _NO_SHARE, shares / np.where(total == 0.0, 1.0, total), table)

        return present

    def weigh_part(self, part: BlendPart) -> BlendPart:
        """The same part with :meth:`weigh` for all of its weights."""
        bands = None if part.bands is None else tuple(self.weigh(band) for band in part.bands)
        return BlendPart(part.joints, self.weigh(part.weights), bands, part.timing)

    def runs_out(self) -> Iterator[tuple[int, int, int, range]]:
        """Where a clip has run out: its number, that of a clip it may follow, its last frame, the frames without it."""
        count = len(self.times)
        for number, present in enumerate(self.present):
            inside = np.flatnonzero(present == 1.0)
            if len(inside) in (0, count):
                continue
            for edge, outside in (
                (int(inside[0]), range(int(inside[0]))),
                (int(inside[-1]), range(int(inside[-1]) + 1, count)),
            ):
                others = np.flatnonzero((self.present[:, list(outside)] == 1.0).all(axis=1))
                if len(outside) and len(others):
                    yield number, int(others[0]), edge, outside

    def _inward(self, number: int, edge: int, outside: range) -> int:
        """A frame shortly before the last one of a clip that has run out, seen from there."""
        inside = np.flatnonzero(self.present[number] == 1.0)
        step = 1 if outside.start < edge else -1
        return int(np.clip(edge + step * _NEAR, inside[0], inside[-1]))

    def _drift(self, edge: int, outside: range) -> Floats:
        """How much further a change over some frames goes on, for each frame beyond the last one of a clip."""
        fps = (len(self.times) - 1) / self.times[-1]
        away = np.abs(np.array(outside) - edge) / fps
        return np.asarray(_SETTLE_S * (1.0 - np.exp(-away / _SETTLE_S)) * fps / _NEAR)

    def cover(self, window: slice) -> slice:
        """A window of frames, with the last frames of clips that run out in it."""
        start, stop, _ = window.indices(len(self.times))
        for _, _, edge, outside in self.runs_out():
            if start < outside.stop and outside.start < stop:
                start, stop = min(start, edge - _NEAR), max(stop, edge + _NEAR + 1)
        start, stop = max(start, 0), min(stop, len(self.times))
        return slice(start, stop)

    def follow_poses(self, clips: Sequence[Clip], window: slice) -> list[Clip]:
        """Clips in a window of frames; one that has run out moves on like another that has not.

        The difference between their poses goes on as it changed at the end, ever more slowly, while it fades with the
        weight of the clip: neither poses nor velocities jump.
        """
        rotations = [np.array(clip.rotations) for clip in clips]
        places = [np.array(local_translations(clip)) for clip in clips]
        for number, other, edge, outside in self.runs_out():
            frames = [frame - window.start for frame in outside if window.start <= frame < window.stop]
            if not frames:
                continue
            at = edge - window.start
            before, share = self._inward(number, edge, outside) - window.start, self._drift(edge, outside)
            share = share[[outside.index(frame + window.start) for frame in frames], None, None]
            turned = [rot.multiply(rot.inverse(rotations[other][k]), rotations[number][k]) for k in (before, at)]
            moved = [places[number][k] - places[other][k] for k in (before, at)]
            further = rot.exp(share * rot.log(rot.multiply(rot.inverse(turned[0]), turned[1])))
            apart = rot.multiply(turned[1], further)
            rotations[number][frames] = rot.normalize(rot.multiply(rotations[other][frames], apart))
            places[number][frames] = places[other][frames] + moved[1] + share * (moved[1] - moved[0])
        return [
            clip.replace(root=moved[:, 0], rotations=turned, translations=None if clip.translations is None else moved)
            for clip, turned, moved in zip(clips, rotations, places, strict=True)
        ]

    def follow_paths(self, ways: Sequence[RootMotion]) -> list[RootMotion]:
        """Paths of all frames; that of a clip that has run out goes on as that of another does for the character."""
        followed = [RootMotion(np.array(way.positions), np.array(way.headings)) for way in ways]
        for number, other, edge, outside in self.runs_out():
            mine, theirs, frames = followed[number], ways[other], list(outside)
            before, share = self._inward(number, edge, outside), self._drift(edge, outside)
            turn = float(mine.headings[edge] - theirs.headings[edge])
            faster = turn - float(mine.headings[before] - theirs.headings[before])
            away = on_floor(theirs.positions[[*frames, before]] - theirs.positions[edge])
            away = mine.positions[edge] + rot.rotate(rot.about_y(turn), away)[:, [0, 2]]
            ahead = away[-1] - mine.positions[before]
            mine.positions[frames] = away[:-1] + share[:, None] * ahead
            mine.headings[frames] = theirs.headings[frames] + turn + share * faster
        return followed

    def follow_contacts(self, contacts: Sequence[Contacts], window: slice) -> list[Contacts]:
        """Contacts in a window of frames; feet of a clip that has run out stand when those of another do."""
        followed = list(contacts)
        for number, other, _, outside in self.runs_out():
            gone = np.zeros(len(self.times), dtype=bool)
            gone[list(outside)] = True
            one, two = followed[number], contacts[other]
            if one.joints == two.joints:
                columns = gone[window, None]
                followed[number] = replace(
                    one,
                    flags=np.where(columns, two.flags, one.flags),
                    confidence=np.where(columns, two.confidence, one.confidence),
                    heels=np.where(columns, two.heels, one.heels),
                    toes=np.where(columns, two.toes, one.toes),
                )
        return followed


def play(moments: Floats, weights: Weights, fps: float, durations: Sequence[float] | None = None) -> Playback:
    """Play corresponding moments at their average tempo.

    Parameters
    ----------
    durations : how long the clips last. What a clip has before and after these moments is played too, at its own tempo:
        all of it while the clip has its fair share of the weight (half, of two), and the less of it the less weight
        the clip has. None plays the given moments only.
    """
    lead: Floats = np.zeros(len(moments))
    tail = lead
    if durations is not None:
        lead, tail = moments[:, 0], np.maximum(np.asarray(durations) - moments[:, -1], 0.0)
    steps = np.diff(moments, axis=1)
    longest = float(np.abs(steps).sum(axis=1).max(initial=0.0) + lead.max() + tail.max())
    if longest == 0.0:
        return Playback(moments[:, :1], np.zeros(1), np.ones((len(moments), 1)))
    grid = np.linspace(0.0, longest, max(2, int(np.ceil(longest * fps / _FINEST)) + 1))
    table, scale = weights(grid), (len(grid) - 1) / longest

    def at(time: float) -> Floats:
        return table[:, min(int(time * scale), len(grid) - 1)]

    before = _kept(at(0.0), lead)
    if np.ptp(table, axis=1).max() == 0.0:
        lasting = table[:, 0] @ steps
    else:  # weights are given in the time of the blend, which depends on them
        lasting = np.empty(steps.shape[1])
        now = before
        for frame, step in enumerate(steps.T):
            lasting[frame] = max(at(now) @ step, _LEAST_TEMPO * step.min())
            now += lasting[frame]
    lasting = np.maximum(lasting, np.maximum(_LEAST_TEMPO * steps.min(axis=0, initial=np.inf), _LEAST_S))
    when = before + np.concatenate([[0.0], np.cumsum(lasting)])
    after = _kept(at(float(when[-1])), tail)
    when = np.concatenate([[0.0], when, [when[-1] + after]])
    played = np.concatenate([moments[:, :1] - before, moments, moments[:, -1:] + after], axis=1)
    times = np.arange(int(np.floor(when[-1] * fps + 1e-6)) + 1) / fps
    seconds = np.stack([np.interp(times, when, each) for each in played])
    over = np.zeros_like(seconds)
    if durations is not None:
        over = np.maximum(np.maximum(-seconds, seconds - np.asarray(durations)[:, None]) - _LEAST_S, 0.0)
    u = np.clip(over / _FADE_S, 0.0, 1.0)
    return Playback(seconds, times, 1.0 - u * u * (3.0 - 2.0 * u))


def _kept(weights: Floats, lengths: Floats) -> float:
    """How much is played of what only one clip has at an end: all of it while the clip has its fair share of weight."""
    shares = np.maximum(weights, 0.0) * (len(weights) / max(float(np.maximum(weights, 0.0).sum()), 1e-12))
    return float(np.max(np.minimum(shares, 1.0) * lengths))


def without_counterpart(moments: Floats, clips: Sequence[Clip]) -> list[tuple[int, str, float]]:
    """What only one clip has: its number, "start" or "end", and how many seconds; less than a tenth does not count."""
    surplus = [(k, "start", float(moments[k, 0])) for k in range(len(clips))]
    surplus += [(k, "end", clip.duration - float(moments[k, -1])) for k, clip in enumerate(clips)]
    return [each for each in surplus if each[2] >= _NOTABLE_S]


def gaits_differ(clips: Sequence[Clip]) -> tuple[int, int] | None:
    """The numbers of a clip that walks and of one that runs, where there are both; by double support and flight."""
    shares = []
    for clip in clips:
        standing = known_contacts(clip).flags.sum(axis=1)
        shares.append((float(np.mean(standing >= 2)), float(np.mean(standing == 0))))
    walking, running = (int(np.argmax([share[k] for share in shares])) for k in (0, 1))
    walks = shares[walking][0] > _MUCH and shares[walking][1] < 0.5 * _MUCH
    runs = shares[running][1] > _MUCH and shares[running][0] < 0.5 * _MUCH
    return (walking, running) if walks and runs else None


# --- poses


def scale_like(clip: Clip, other: Clip) -> Clip:
    """The clip with the bones of another one that has the same joints: paths and positions grow with its legs.

    Where a root stands still above the character, it stands as in the other clip.
    """
    lengths, target_lengths = _bone_lengths(clip), _bone_lengths(other)
    factor = _leg(other.skeleton, target_lengths) / _leg(clip.skeleton, lengths)
    translations = clip.translations
    if translations is not None:
        known = (lengths > 0.0) & (target_lengths > 0.0)
        shares = np.where(known, target_lengths / np.where(known, lengths, 1.0), factor)
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


def rotations_between(first: Floats, second: Floats, anchor: int | None = None) -> Floats:
    """Rotation vectors (frames, joints, 3) from one motion to another, unrolled over time so that nothing flips.

    anchor : the frame in which each is the shortest; by default, the one in which the two are most alike.
    """
    return unrolled_vectors(rot.multiply(rot.inverse(first), second), anchor)


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
    """A foot stands, on heel or toes, where at least three quarters of the blend do.

    A foot that stands in one of two clips swings on at half its speed in their mean; only where both stand does the
    mean stand.
    """
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

    flags = mean("flags") >= _STANDING
    confidence = np.clip(mean("confidence"), 0.0, 1.0)
    heels, toes = flags & (mean("heels") >= _STANDING), flags & (mean("toes") >= _STANDING)
    unsettled = flags & ~heels & ~toes
    heels, toes = heels | unsettled, toes | unsettled
    return Contacts(first.joints, flags, confidence, heels, toes, first.sides)
