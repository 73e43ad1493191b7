"""A blend for the frames in view: clips are aligned once and mixed as often as a weight moves.

:func:`kinetune.body.timeline.clip_blending.blend` makes a whole clip. A hand on a weight looks at a few seconds of it,
and what corresponds in the clips does not depend on the weights: so :class:`BlendPreview` keeps that, and the path of
each clip.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.quality.glitches import find_motion, motion_of, stray_frames
from kinetune.body.root_motion import RootMotion, add_root_motion, remove_root_motion, root_motion, travelling_joint
from kinetune.body.skeleton import Skeleton
from kinetune.body.timeline.alignment import Cost, StrideEnds, check_skeletons, known_contacts
from kinetune.body.timeline.clip_blending import (
    Align,
    BlendPart,
    blend_contacts,
    blend_paths,
    blend_poses,
    cached_match,
    leading_part,
    play,
    scale_like,
)
from kinetune.body.timeline.retiming import at_times
from kinetune.rotations import Floats

_MARGIN = 24  # frames on both sides from which the interpolation between frames takes its values


class BlendPreview:
    """Clips that correspond, ready to be mixed.

    Parameters
    ----------
    clips, names, align, place, cost, band_s, ends : as in :func:`kinetune.body.timeline.clip_blending.blend`.
    parts : joints and weights as they are now; later ones may differ in their weights only.

    Notes
    -----
    Law: the result is close to that part of the whole blend: poses to a fraction of a degree, positions to a
    thousandth of the distance (``tests/body/previews/test_blend_preview.py``). It reads each clip's path between its
    own frames, where the whole blend reads it from the frames in between.
    """

    def __init__(
        self,
        clips: Sequence[Clip],
        parts: Sequence[BlendPart],
        *,
        names: Sequence[str] | None = None,
        align: Align = "warp",
        place: bool = True,
        cost: Cost = "pose",
        band_s: float | None = None,
        ends: StrideEnds = "strides",
    ) -> None:
        check_skeletons(clips, names or [str(k) for k in range(len(clips))])
        self._before, stop, _ = find_motion(clips[0])
        self._after = len(clips[0]) - stop
        self._begins = np.array([[stray_frames(clip) / clip.fps] for clip in clips])
        clips = [motion_of(clip) for clip in clips]
        self.carrier, self.place = travelling_joint(*clips), place
        _, ends = leading_part(parts, self.carrier, len(clips), ends)
        self._moments = cached_match(clips, align=align, cost=cost, band_s=band_s, ends=ends)
        self._durations = None if align == "none" else [clip.duration for clip in clips]
        first = clips[0]
        self._clips = [scale_like(clip, first).replace(contacts=known_contacts(clip)) for clip in clips]
        self._ways = [root_motion(clip) for clip in self._clips]

    @property
    def skeleton(self) -> Skeleton:
        """That of the first clip, on which the mix is."""
        return self._clips[0].skeleton

    @property
    def moments(self) -> Floats:
        """Corresponding moments of all clips, (clips, n) seconds."""
        return self._begins + self._moments

    def played(self, parts: Sequence[BlendPart]) -> tuple[Floats, Floats]:
        """When the first clip is read for the frames of the blend, and when those are, (n,) seconds each."""
        leading, _ = leading_part(parts, self.carrier, len(self._clips), "all")
        fps = self._clips[0].fps
        seconds, times, _ = play(self._moments, leading.tempo, fps, self._durations)
        return self._begins[0] + seconds[0], self._before / fps + times

    def mix(self, parts: Sequence[BlendPart], view: Callable[[int], tuple[int, int]]) -> tuple[Clip, int, int]:
        """Some frames of the blend: the clip, the first of its frames, and how many the whole has.

        view : the first frame in view and the one after the last, for a whole of some frames.
        """
        first = self._clips[0]
        leading, _ = leading_part(parts, self.carrier, len(self._clips), "all")
        playback = play(self._moments, leading.tempo, first.fps, self._durations)
        seconds, times, _ = playback
        parts = [playback.weigh_part(part) for part in parts]
        whole = self._before + len(times) + self._after
        start, stop = (min(max(frame - self._before, 0), len(times)) for frame in view(whole))
        shown = slice(min(start, len(times) - 1), max(stop, start + 1))
        window = playback.cover(shown)
        inside = slice(shown.start - window.start, shown.stop - window.start)
        weights = playback.weigh(leading.weights)(times)
        sampled = [_sampled(clip, when[window], first.fps) for clip, when in zip(self._clips, seconds, strict=True)]
        ways = [_way(way, clip, when) for way, clip, when in zip(self._ways, self._clips, seconds, strict=True)]
        stills = sampled
        if self.place:
            stills = [
                remove_root_motion(c, _cut(way, window), self.carrier) for c, way in zip(sampled, ways, strict=True)
            ]
            stills = playback.follow_poses(stills, window)
        result = blend_poses([each[inside] for each in stills], parts, times[shown], self.carrier)
        if self.place:
            way = blend_paths(playback.follow_paths(ways), weights)
            result = add_root_motion(result, _cut(way, shown), self.carrier)
        standing = playback.follow_contacts([known_contacts(clip) for clip in sampled], window)
        contacts = blend_contacts([each[inside] for each in standing], weights[:, shown])
        return (
            result.replace(rotations=rot.continuous(result.rotations), contacts=contacts),
            self._before + shown.start,
            whole,
        )


def _sampled(clip: Clip, when: Floats, fps: float) -> Clip:
    """The clip at some moments, read from the frames around them."""
    first = max(0, int(when[0] * clip.fps) - _MARGIN)
    last = min(len(clip), int(np.ceil(when[-1] * clip.fps)) + _MARGIN + 1)
    part = clip[min(first, len(clip) - 1) : max(last, 1)]
    return at_times(part, np.clip(when - first / clip.fps, 0.0, part.duration), fps)


def _way(way: RootMotion, clip: Clip, when: Floats) -> RootMotion:
    """The path of a clip at some moments."""
    times = clip.times
    places = np.stack([np.interp(when, times, way.positions[:, k]) for k in range(2)], axis=1)
    return RootMotion(places, np.interp(when, times, way.headings))


def _cut(way: RootMotion, shown: slice) -> RootMotion:
    return RootMotion(way.positions[shown], way.headings[shown])
