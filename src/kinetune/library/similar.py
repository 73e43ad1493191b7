"""Find motion like a given one: every window of the library is looked at, and the best clips are warped in time.

A search has two parts. All windows are compared first (:func:`window_distances`), a matrix product over the mapped
array: for each window of the query the nearest one of every clip. Their mean distance is about the least that any time
warp onto that clip can cost, so the clips with the smallest are the candidates. These are then compared row by row by a
time warp (:func:`~kinetune.signals.warping.limited_warp.find_limited`), which finds where in the clip the motion is.
Neither runs more than twice as fast as the other, so that no pose is held to stand for a whole movement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetune.body.clip import Clip
from kinetune.errors import FileError, ParameterError
from kinetune.library.body_rows import ROWS_PER_S, body_rows, mirrored, window_means, with_velocity
from kinetune.library.clip_facts import ClipFacts
from kinetune.library.index_file import IndexedClip, MotionIndex
from kinetune.rotations import Floats
from kinetune.signals.warping.limited_warp import MOST_TEMPO, find_limited

CANDIDATES = 24
"""Clips that are warped for each query; with them the best answer is that of warping all clips in 95% and more."""
_BLOCK = 1 << 22
_WHOLE = 0.9


@dataclass(frozen=True)
class Match:
    """A clip, or a part of one, that is like the query.

    Parameters
    ----------
    name : str
        The clip, as its path from the folder of the index.
    start_s, stop_s : float
        Where in its file the motion is, in seconds.
    distance_cm : float
        How unlike it is: the mean over corresponding moments of the distance between the two bodies.
    tempo : float
        How many times faster it goes than the query.
    whole : bool
        Whether it is the whole clip, or nearly.
    mirror : bool
        Whether it is the mirror image of the query.
    facts : ClipFacts or None
        What the index knows about the clip.

    Examples
    --------
    >>> best = find_like(index, clip)[0]  # doctest: +SKIP
    >>> best.name, round(best.distance_cm, 1)  # doctest: +SKIP
    ('walk.bvh', 2.3)
    """

    name: str
    start_s: float
    stop_s: float
    distance_cm: float
    tempo: float
    whole: bool
    mirror: bool = False
    facts: ClipFacts | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, without the facts."""
        return {name: value for name, value in self.__dict__.items() if name != "facts"}


def find_like(
    index: MotionIndex,
    clip: Clip,
    *,
    start_s: float | None = None,
    stop_s: float | None = None,
    count: int = 10,
    whole: bool = False,
    mirror: bool = False,
    among: Sequence[IndexedClip] | None = None,
    candidates: int = CANDIDATES,
) -> list[Match]:
    """Find the clips of a library that are most like a clip, or like a part of it, and where.

    Parameters
    ----------
    index : MotionIndex
        The library.
    clip : Clip
        Its skeleton may be another one; the roles of its joints must be known.
    start_s, stop_s : float, optional
        The part of it to look for, in seconds.
    count : int
        How many to give at most.
    whole : bool
        Compare clips from beginning to end, instead of looking for the query anywhere within them.
    mirror : bool
        Accept mirror images as well.
    among : sequence of IndexedClip, optional
        Look at these clips only, as :func:`find_text` gives them.
    candidates : int
        How many clips are warped; more is slower and surer.

    Returns
    -------
    list of Match
        Best first, each clip once.

    Notes
    -----
    Laws (``tests/library/test_similar.py``): a part cut out of a clip is found where it was, at any tempo; the result
    does not depend on where the character stands, which way it faces, or on the names of its joints.

    Examples
    --------
    >>> import kinetune as kt  # doctest: +SKIP
    >>> index = kt.library.MotionIndex.open("clips")  # doctest: +SKIP
    >>> kt.library.find_like(index, kt.sample("walk"), start_s=1.0, stop_s=3.0)[0].name  # doctest: +SKIP
    'walk.bvh'
    """
    if count < 1 or candidates < 1:
        raise ParameterError("count and candidates must be at least 1.")
    query = query_rows(clip, start_s, stop_s)
    if not index.comparable:
        raise FileError(index.folder, "no clip of this index can be compared: their skeletons have no known legs.")
    possible = _fits(index.row_counts, len(query), whole)
    if among is not None:
        allowed = {each.name for each in among}
        possible &= [each.name in allowed for each in index.comparable]
    numbers = np.flatnonzero(possible)
    matches: dict[str, Match] = {}
    for flipped in (False, True) if mirror else (False,):
        rows = with_velocity(mirrored(query) if flipped else query)
        order = np.argsort(window_distances(index, numbers, window_means(rows)), kind="stable")
        for number in numbers[order[: max(candidates, count)]].tolist():
            match = warp_match(index, index.comparable[number], rows, whole=whole, mirror=flipped)
            best = None if match is None else matches.get(match.name)
            if match is not None and (best is None or match.distance_cm < best.distance_cm):
                matches[match.name] = match
    return sorted(matches.values(), key=lambda match: match.distance_cm)[:count]


def _fits(rows: np.ndarray, query: int, whole: bool) -> np.ndarray:
    """Whether a query can be in clips of so many rows, or be all of each, at half to twice its tempo."""
    fits = rows >= (query - 1) / MOST_TEMPO + 1
    return np.asarray(fits & (rows <= (query - 1) * MOST_TEMPO + 1) if whole else fits)


def query_rows(clip: Clip, start_s: float | None = None, stop_s: float | None = None) -> Floats:
    """The rows of a clip, or of a part of it."""
    for name, value in (("start", start_s), ("end", stop_s)):
        if value is not None and not 0.0 <= value <= clip.duration + 1e-6:
            raise ParameterError(f"The {name} of the part is {value:g} s, but the clip lasts {clip.duration:.2f} s.")
    start, stop = start_s or 0.0, clip.duration if stop_s is None else stop_s
    if stop <= start and stop_s is not None:
        raise ParameterError(f"The part must end after it starts; it goes from {start:g} s to {stop:g} s.")
    rows, first = body_rows(clip)
    begin, end = (round((moment - first / clip.fps) * ROWS_PER_S) for moment in (start, stop))
    part = rows[max(begin, 0) : max(end, 0) + 1]
    if not len(part):
        raise ParameterError("This part of the clip holds nothing but a pose that does not belong to the motion.")
    return part


def window_distances(index: MotionIndex, numbers: np.ndarray, query: Floats) -> Floats:
    """For some clips the mean over the query's windows of the distance to the nearest window of the clip, in metres.

    numbers : which of the comparable clips, in rising order.
    """
    starts, stops = index.window_spans[numbers].T
    total = np.zeros(len(numbers))
    each = max(1, _BLOCK // max(len(query), 1))
    first = 0
    squared, squared_windows = np.einsum("ik,ik->i", query, query), index.window_squares
    while first < len(numbers):  # as many clips at a time as fit
        last = max(first + 1, int(np.searchsorted(stops, starts[first] + each, side="right")))
        block = slice(starts[first], stops[last - 1])
        squares = index.windows[block] @ (-2.0 * query).T
        squares += squared_windows[block, None]
        begin = starts[first:last] - starts[first]
        least = np.minimum.reduceat(squares, _bounds(begin, stops[first:last] - starts[first]), axis=0)
        if len(begin) != len(least):
            least = least[::2]
        total[first:last] = np.sqrt(np.maximum(least + squared, 0.0)).mean(axis=1)
        first = last
    return total


def _bounds(starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """Where to reduce: at each start, and at each stop too where rows lie between clips that no clip has."""
    if np.array_equal(starts[1:], stops[:-1]):
        return starts
    return np.column_stack([starts, stops]).ravel()[:-1]


def warp_match(
    index: MotionIndex, clip: IndexedClip, rows: Floats, *, whole: bool = False, mirror: bool = False
) -> Match | None:
    """Where in a clip a query is, by a time warp of its rows with velocities; None where the clip is too short."""
    theirs = index.rows_of(clip)
    path, distance = find_limited(rows, with_velocity(theirs), whole=whole)
    if not len(path):
        return None
    start, last = int(path[0, 1]), int(path[-1, 1])
    return Match(
        clip.name,
        index.seconds(clip, start),
        index.seconds(clip, last),
        100.0 * distance,
        (len(rows) - 1) / (last - start) if last > start else 1.0,
        (last - start + 1) / len(theirs) >= _WHOLE,
        mirror,
        clip.facts,
    )
