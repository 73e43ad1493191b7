"""Find clips that hold the same motion: exact, re-exported, retimed, mirrored and trimmed copies.

Copies share their poses, even when their timing differs. Eight poses of each clip are compared with all poses of the
library first; where all of them occur in another clip, a time warp (:mod:`kinetune.signals.warping.limited_warp`) lays
one on the other, and what remains between the two decides. Two performances of one movement differ by centimetres,
copies by a fraction of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kinetune.batch.engine import run_work
from kinetune.batch.jobs import BatchJob
from kinetune.errors import KinetuneError, ParameterError
from kinetune.library.body_rows import POSE, ROWS_PER_S, mirrored
from kinetune.library.index_file import IndexedClip, MotionIndex
from kinetune.progress import report
from kinetune.rotations import Floats
from kinetune.signals.resampling import interpolate
from kinetune.signals.warping.limited_warp import find_limited

CopyKind = Literal["exact", "re-exported", "retimed", "mirrored", "trimmed"]

LIMIT_CM = 2.0
"""Copies lie this close to each other at most, root mean square over the body and the clip ..."""
_OF_SPREAD = 0.05
"""... and within this share of how much the clip moves about its own mean pose.

A skeleton whose sides are not alike, or another skeleton, shifts the body by a constant: up to
``_MOST_OFFSET_M`` are taken off a mirror image or a copy on another skeleton, if no more than half remains then."""
_OF_SPREAD_OFFSET = 0.08
_MOST_OFFSET_M = 0.06
_EXPLAINED = 0.5
_PROBES = 8
_STRIDE = 3  # rows: the library is probed ten times a second
_MOST_TEMPO = 2.0
_LEAST_ROWS = 8  # a quarter of a second: less is no evidence
_BLOCK = 16
_ONE_JOB = 64
_SAME_TEMPO = 0.02
_SAME_ENDS_S = 0.12
_STILL_M = 1e-3
_FINER = 4
_AROUND = 6  # steps of the finer curve on either side of the path


@dataclass(frozen=True)
class Duplicate:
    """Two clips that hold the same motion.

    Parameters
    ----------
    original, copy : str
        The clips; the copy is the shorter one, or that with the longer name.
    kinds : tuple of str
        What was done to the copy: "exact" (the same bytes), or any of "mirrored", "retimed" and "trimmed"; and
        "re-exported" where it is none of these.
    distance_cm : float
        What remains between the two, root mean square over the body.
    start_s, stop_s : float
        Where in the original the copy is.
    tempo : float
        How many times faster the copy goes.

    Examples
    --------
    >>> [(d.copy, d.kinds) for d in find_duplicates(index)]  # doctest: +SKIP
    [('walk-cut.bvh', ('trimmed',))]
    """

    original: str
    copy: str
    kinds: tuple[CopyKind, ...]
    distance_cm: float
    start_s: float
    stop_s: float
    tempo: float

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {**self.__dict__, "kinds": list(self.kinds)}


def find_duplicates(
    index: MotionIndex, *, limit_cm: float = LIMIT_CM, jobs: int | None = 1, scheduler: str | None = None
) -> list[Duplicate]:
    """Find the clips of a library that hold the same motion.

    Parameters
    ----------
    index : MotionIndex
        The library.
    limit_cm : float
        How close two clips must lie to count as copies, root mean square over the body.
    jobs : int, optional
        Processes; None is one for each core.
    scheduler : str, optional
        The address of a Dask scheduler to use instead; its workers must reach the index under the same path.

    Returns
    -------
    list of Duplicate
        By name of the original, then of the copy. Of several copies of one clip, each pair is listed.

    Notes
    -----
    Laws (``tests/library/test_duplicates.py``): each of the five kinds of copies is found and named, alone and
    combined; two performances of one movement are none.

    Examples
    --------
    >>> index = MotionIndex.open("clips")  # doctest: +SKIP
    >>> [duplicate.copy for duplicate in find_duplicates(index)]  # doctest: +SKIP
    ['walk-cut.bvh']
    """
    if not limit_cm > 0.0:
        raise ParameterError(f"The limit is {limit_cm:g} cm; it must be above 0.")
    by_pair = {_pair(each): each for each in _exact(index)}
    count = len(index.comparable)
    spans = [(first, min(first + _ONE_JOB, count)) for first in range(0, count, _ONE_JOB)]
    for done, part in enumerate(_parts(index, spans, limit_cm, jobs, scheduler), 1):
        for duplicate in part:
            known = by_pair.get(_pair(duplicate))
            if known is None or duplicate.distance_cm < known.distance_cm:
                by_pair[_pair(duplicate)] = duplicate
        report(done / len(spans), "comparing clips")
    return sorted(by_pair.values(), key=lambda each: (each.original, each.copy))


def _pair(duplicate: Duplicate) -> tuple[str, ...]:
    return tuple(sorted((duplicate.original, duplicate.copy)))


def _seniority(name: str) -> tuple[int, str]:
    """Of two equal clips, the original is the one with the shorter name: "walk.bvh" before "walk (copy).bvh"."""
    return len(name), name


def _exact(index: MotionIndex) -> Iterator[Duplicate]:
    by_sha: dict[str, list[IndexedClip]] = {}
    for clip in index.clips:
        if clip.sha:
            by_sha.setdefault(clip.sha, []).append(clip)
    for group in by_sha.values():
        for number, original in enumerate(group):
            assert original.facts is not None
            for copy in group[number + 1 :]:
                names = sorted((original.name, copy.name), key=_seniority)
                yield Duplicate(names[0], names[1], ("exact",), 0.0, 0.0, original.facts.duration_s, 1.0)


def _parts(
    index: MotionIndex, spans: Sequence[tuple[int, int]], limit_cm: float, jobs: int | None, scheduler: str | None
) -> Iterator[list[Duplicate]]:
    if scheduler is None and (jobs == 1 or len(spans) == 1):
        for first, last in spans:
            yield copies_of(index, first, last, limit_cm)
        return
    folder, path = str(index.folder.absolute()), str(index.path.absolute())
    work = [(BatchJob(path, None, f"{first} to {last}"), folder, first, last, limit_cm) for first, last in spans]
    workers = None if scheduler is not None and jobs == 1 else jobs  # 1 is the default
    with closing(run_work(copies_job, work, workers=workers, scheduler=scheduler)) as results:
        for _, result in results:
            if isinstance(result, str):
                raise KinetuneError(result)
            yield result


def copies_job(job: BatchJob, folder: str, first: int, last: int, limit_cm: float) -> list[Duplicate]:
    """What a worker does: the copies of some clips."""
    return copies_of(MotionIndex.open(folder, Path(job.source)), first, last, limit_cm)


def copies_of(index: MotionIndex, first: int, last: int, limit_cm: float) -> list[Duplicate]:
    """The clips numbered ``first`` to before ``last`` that are in other clips, among those that can be compared."""
    clips = index.comparable
    probed = [clip for clip in clips[first:last] if clip.rows[1] - clip.rows[0] >= _LEAST_ROWS]
    by_pair: dict[tuple[str, ...], Duplicate] = {}
    for start in range(0, len(probed), _BLOCK):
        block = probed[start : start + _BLOCK]
        for flipped in (False, True):
            for copy, original in _candidates(index, clips, block, limit_cm, flipped):
                duplicate = _compare(index, copy, original, limit_cm, flipped)
                if duplicate is None:
                    continue
                known = by_pair.get(_pair(duplicate))
                if known is None or duplicate.distance_cm < known.distance_cm:
                    by_pair[_pair(duplicate)] = duplicate
    return list(by_pair.values())


def _candidates(
    index: MotionIndex, clips: Sequence[IndexedClip], block: Sequence[IndexedClip], limit_cm: float, flipped: bool
) -> Iterator[tuple[IndexedClip, IndexedClip]]:
    """Pairs (copy, original) of which all probed poses of the copy are in the original, as far as can be seen."""
    probes, reach = [], []
    for clip in block:
        rows = np.asarray(index.rows_of(clip))
        at = ((np.arange(_PROBES) + 0.5) * len(rows) / _PROBES).astype(int)
        pose = (mirrored(rows) if flipped else rows)[:, :POSE]
        speed = np.linalg.norm(np.gradient(pose, axis=0), axis=1)[at]  # per row
        probes.append(pose[at])
        # A pose lies between two rows of the original that are compared: how far it can have moved from the nearest.
        reach.append(0.01 * limit_cm + 0.5 * _STRIDE * _MOST_TEMPO * speed)
    query, limits = np.concatenate(probes), np.concatenate(reach)[:, None]
    squared = np.einsum("ik,ik->i", query, query)

    def within(nearest: Floats, most: Floats) -> NDArray[np.bool_]:
        return np.asarray((nearest <= most**2).reshape(len(block), _PROBES, -1).all(axis=1))

    for part in _chunks(clips):
        rows = np.concatenate([index.rows_of(clip)[::_STRIDE, :POSE] for clip in part])
        counts = [len(range(0, clip.rows[1] - clip.rows[0], _STRIDE)) for clip in part]
        squares = (-2.0 * query) @ rows.T
        squares += np.einsum("ik,ik->i", rows, rows)
        nearest = np.minimum.reduceat(squares, np.cumsum([0, *counts[:-1]]), axis=1) + squared[:, None]
        near = within(nearest, limits)
        wide = within(nearest, limits + _MOST_OFFSET_M)
        for copy, original in np.argwhere(wide).tolist():
            ours, theirs = block[copy], part[original]
            if ours.name != theirs.name and (near[copy, original] or _may_shift(ours, theirs, flipped)):
                yield ours, theirs


def _may_shift(copy: IndexedClip, original: IndexedClip, flipped: bool) -> bool:
    """Whether the skeletons can differ by a constant shift."""
    assert copy.facts is not None
    assert original.facts is not None
    return flipped or copy.facts.skeleton != original.facts.skeleton


def _chunks(clips: Sequence[IndexedClip], most: int = 120_000) -> Iterator[list[IndexedClip]]:
    """Clips in order, as many at a time as have so many rows."""
    part: list[IndexedClip] = []
    rows = 0
    for clip in clips:
        part.append(clip)
        rows += clip.rows[1] - clip.rows[0]
        if rows >= most:
            yield part
            part, rows = [], 0
    if part:
        yield part


def _compare(
    index: MotionIndex, copy: IndexedClip, original: IndexedClip, limit_cm: float, flipped: bool
) -> Duplicate | None:
    """What remains between a copy and where it is in the original; None where that is too much."""
    ours = np.asarray(index.rows_of(copy))
    ours = np.ascontiguousarray((mirrored(ours) if flipped else ours)[:, :POSE], dtype=float)
    theirs = np.ascontiguousarray(index.rows_of(original)[:, :POSE], dtype=float)
    path, _ = find_limited(ours, theirs)
    if not len(path):
        return None
    gap = ours[path[:, 0]] - theirs[path[:, 1]]
    shift = gap.mean(axis=0) if _may_shift(copy, original, flipped) else 0.0
    speed = np.linalg.norm(np.gradient(ours, axis=0), axis=1)[path[:, 0]]  # per row
    if np.mean(np.linalg.norm(gap - shift, axis=1)) > 0.01 * limit_cm + np.mean(speed):
        return None  # by more than the path, which goes in whole rows, can be off
    spread = float(np.sqrt(np.mean(np.sum((ours - ours.mean(axis=0)) ** 2, axis=1))))
    apart = float(np.sqrt(np.mean(_apart(ours, theirs, path) ** 2)))
    if apart > max(_OF_SPREAD * spread, 1e-4):
        offset = np.mean(ours[path[:, 0]] - theirs[path[:, 1]], axis=0)
        if not _may_shift(copy, original, flipped) or np.linalg.norm(offset) > _MOST_OFFSET_M:
            return None
        path, _ = find_limited(ours - offset, theirs)
        offset = np.mean(ours[path[:, 0]] - theirs[path[:, 1]], axis=0)
        rest = float(np.sqrt(np.mean(_apart(ours - offset, theirs, path) ** 2)))
        if rest > min(_OF_SPREAD_OFFSET * spread, _EXPLAINED * apart):
            return None
        apart = rest
    if apart > 0.01 * limit_cm:
        return None
    moves = np.flatnonzero(np.linalg.norm(np.gradient(ours, axis=0), axis=1)[path[:, 0]] > _STILL_M)
    used = path[moves] if len(moves) >= _LEAST_ROWS else path
    slope, start = (float(value) for value in np.polyfit(used[:, 0], used[:, 1], 1))
    tempo = 1.0 / slope if slope > 0.0 else 1.0
    first, last = start, start + slope * (len(ours) - 1)
    before, after = first, len(theirs) - 1 - last
    kinds: list[CopyKind] = ["mirrored"] if flipped else []
    if abs(tempo - 1.0) > _SAME_TEMPO:
        kinds.append("retimed")
    if max(before, after) > _SAME_ENDS_S * ROWS_PER_S:
        kinds.append("trimmed")
    first, last = max(first, 0.0), min(last, len(theirs) - 1.0)
    names = [original.name, copy.name]
    if not {"retimed", "trimmed"} & set(kinds):
        names.sort(key=_seniority)
    return Duplicate(
        names[0],
        names[1],
        tuple(kinds) or ("re-exported",),
        100.0 * apart,
        index.seconds(original, first),
        index.seconds(original, last),
        tempo,
    )


def _apart(ours: Floats, theirs: Floats, path: np.ndarray) -> Floats:
    """The distance of each of our rows on a path from the smooth curve through their rows around it, in metres.

    A kick bends by a centimetre between two rows, so that the curve is read four times as densely.
    """
    low, high = max(int(path[0, 1]) - 3, 0), min(int(path[-1, 1]) + 3, len(theirs) - 1)
    fine = interpolate(theirs[low : high + 1], np.arange(0.0, high - low + 0.5 / _FINER, 1.0 / _FINER))
    point, near = ours[path[:, 0]], (path[:, 1] - low) * _FINER
    nearest = np.full(len(path), np.inf)
    for step in range(-_AROUND, _AROUND):
        start = np.clip(near + step, 0, max(len(fine) - 2, 0))
        along = fine[np.minimum(start + 1, len(fine) - 1)] - fine[start]
        length = np.einsum("ik,ik->i", along, along)
        share = np.einsum("ik,ik->i", point - fine[start], along) / np.where(length > 0.0, length, 1.0)
        gap = point - fine[start] - np.clip(share, 0.0, 1.0)[:, None] * along
        nearest = np.minimum(nearest, np.linalg.norm(gap, axis=1))
    return nearest


def group_copies(duplicates: Iterable[Duplicate]) -> list[list[str]]:
    """The clips that hold the same motion together, the groups and their names in order."""
    group_of: dict[str, set[str]] = {}
    for each in duplicates:
        joined = group_of.get(each.original, {each.original}) | group_of.get(each.copy, {each.copy})
        for name in joined:
            group_of[name] = joined
    groups = {id(group): sorted(group) for group in group_of.values()}
    return sorted(groups.values())
