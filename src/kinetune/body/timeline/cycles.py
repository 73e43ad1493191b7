"""Finding the part of a motion that repeats.

============  =====================================================================
find_cycle    the two frames between which a motion repeats itself best
Cycle         those frames, and how well they match
============  =====================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.root_motion import facing, travelling_joint
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.filters import gaussian

_SEARCH_FPS = 30.0
_HEADING_S = 0.3
_VELOCITY_S = 0.1
"""How many metres of distance between poses one metre per second of difference in velocity is worth."""
_LIVELY = 0.5
"""A cycle must move at least this much of what the clip moves as a whole: standing still repeats too well."""
_NEARLY = (1.3, 0.1)
"""The shortest cycle wins whose score is within this factor, or this much, of the best: one stride, not two."""
_NO_CYCLE = 0.9
_STILL = 1e-6


@dataclass(frozen=True)
class Cycle:
    """A part of a clip that repeats: the pose at ``end`` is that at ``start`` again, some way further on.

    start, end : frames.
    gap_mm : how far joints are from where they were, as a root mean square over joints, travel and heading aside.
    score : the mismatch of pose and velocity in units of how much the character moves within the cycle; 0 is perfect.
    """

    start: int
    end: int
    gap_mm: float
    score: float


def find_cycle(
    clip: Clip,
    *,
    shortest_s: float = 0.3,
    longest_s: float = 10.0,
    start: int | None = None,
    end: int | None = None,
) -> Cycle:
    """The two frames between which a motion repeats itself best.

    Poses are compared as joint positions and velocities seen from the character, so that it may travel and turn.
    Of cycles that match about equally well, the shortest is taken.

    Parameters
    ----------
    shortest_s, longest_s : how long a cycle may last, in seconds.
    start, end : a frame that is decided already; the other one is searched for.
    """
    frames = len(clip)
    for name, frame in (("start", start), ("end", end)):
        if frame is not None and not 0 <= frame < frames:
            raise ParameterError(f"{name} is frame {frame}, but the clip has frames 0 to {frames - 1}.")
    if start is not None and end is not None:
        return _judged(clip, start, end)
    fewest = max(2, int(np.ceil(shortest_s * clip.fps - 1e-9)))
    if frames - 1 < fewest:
        raise ParameterError(
            f"The clip has {frames} frames and lasts {clip.duration:.2f} s, but a cycle takes at least "
            f"{fewest + 1} frames and {shortest_s:g} s."
        )
    stride = max(1, round(clip.fps / _SEARCH_FPS))
    offset = (start if start is not None else end if end is not None else 0) % stride
    features, scale = _features(clip)
    if scale < _STILL:
        return _judged(clip, start or 0, frames - 1 if end is None else end)
    coarse = _Windows(features[offset::stride])
    most = min(len(coarse.features), int(longest_s * clip.fps / stride) + 1)
    lags = np.arange(max(1, fewest // stride), most)
    fixed = [None if frame is None else (frame - offset) // stride for frame in (start, end)]
    candidates = [coarse.best_start(int(lag), fixed[0], fixed[1], scale) for lag in lags]
    scores = np.array([score for score, _ in candidates])
    if len(scores) == 0 or np.min(scores) > _NO_CYCLE:
        raise ParameterError(
            f"No part of the clip repeats itself between {shortest_s:g} s and {longest_s:g} s. "
            "Give start and end, or take the whole clip."
        )
    pick = _shortest_good(scores)
    first = offset + candidates[pick][1] * stride
    return _refined(clip, features, first, first + int(lags[pick]) * stride, stride, start, end)


def _features(clip: Clip) -> tuple[Floats, float]:
    """Pose and velocity of each frame as seen from the character, (frames, n), and how much they vary, in metres."""
    body = list(clip.skeleton.subtree(travelling_joint(clip)))
    positions = clip.positions()[:, body]
    hips = clip.positions()[:, clip.skeleton.roles.get("hips", 0)] * [1.0, 0.0, 1.0]
    ahead = rot.about_y(-gaussian(facing(clip), clip.fps, _HEADING_S))[:, None]
    velocity = np.gradient(positions, 1.0 / clip.fps, axis=0, edge_order=2) if len(clip) > 2 else 0.0 * positions
    seen = np.concatenate([positions - hips[:, None], _VELOCITY_S * velocity], axis=1)
    features = (rot.rotate(ahead, seen) / np.sqrt(len(body))).reshape(len(clip), -1)
    return features, float(np.sqrt(np.mean(np.sum((features - features.mean(axis=0)) ** 2, axis=1))))


class _Windows:
    """Frames of features, with the running sums that give how much the character moves in any stretch of them."""

    def __init__(self, features: Floats) -> None:
        self.features = features
        centred = features - features.mean(axis=0)
        self._sums = np.concatenate([np.zeros((1, features.shape[1])), np.cumsum(centred, axis=0)])
        self._squares = np.concatenate([[0.0], np.cumsum(np.sum(centred**2, axis=1))])

    def spread(self, starts: NDArray[np.intp], lag: int) -> Floats:
        """How much the character moves in the ``lag`` frames after each start: the standard deviation over them."""
        mean = (self._sums[starts + lag] - self._sums[starts]) / lag
        squares = (self._squares[starts + lag] - self._squares[starts]) / lag
        return np.asarray(np.sqrt(np.maximum(squares - np.sum(mean**2, axis=1), 0.0)))

    def best_start(self, lag: int, start: int | None, end: int | None, scale: float) -> tuple[float, int]:
        """The best score of all cycles of one length, and where that cycle starts."""
        starts = np.arange(len(self.features) - lag)
        if start is not None:
            starts = starts[starts == start]
        elif end is not None:
            starts = starts[starts == end - lag]
        if len(starts) == 0:
            return np.inf, 0
        gap = np.sqrt(np.sum((self.features[starts + lag] - self.features[starts]) ** 2, axis=1))
        spread = self.spread(starts, lag)
        score = np.where(spread > _LIVELY * scale, gap / np.maximum(spread, 1e-300), np.inf)
        best = int(np.argmin(score))
        return float(score[best]), int(starts[best])


def _shortest_good(scores: Floats) -> int:
    limit = max(_NEARLY[0] * float(scores.min()), float(scores.min()) + _NEARLY[1])
    inner = np.arange(1, len(scores) - 1)
    dips = inner[(scores[inner] <= scores[inner - 1]) & (scores[inner] <= scores[inner + 1]) & (scores[inner] <= limit)]
    return int(dips[0]) if len(dips) else int(np.argmin(scores))


def _refined(
    clip: Clip, features: Floats, first: int, last: int, stride: int, start: int | None, end: int | None
) -> Cycle:
    """The best pair of frames near a pair that was found at a lower rate."""
    firsts = [start] if start is not None else list(range(max(first - stride, 0), first + stride + 1))
    lasts = [end] if end is not None else list(range(last - stride, min(last + stride, len(clip) - 1) + 1))
    pairs = [(a, b) for a in firsts for b in lasts if b - a >= 2]
    gaps = [float(np.sum((features[b] - features[a]) ** 2)) for a, b in pairs]
    return _judged(clip, *pairs[int(np.argmin(gaps))])


def _judged(clip: Clip, start: int, end: int) -> Cycle:
    if end - start < 1:
        raise ParameterError(f"A cycle must end after it starts; got frames {start} to {end}.")
    features, _ = _features(clip)
    gap = features[end] - features[start]
    poses = gap[: len(gap) // 2]
    spread = float(_Windows(features).spread(np.array([start]), end - start)[0])
    score = float(np.linalg.norm(gap)) / spread if spread > _STILL else 0.0
    return Cycle(start, end, 1000.0 * float(np.linalg.norm(poses)), score)
