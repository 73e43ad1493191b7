"""Where the clips of a library can pass into each other: a motion graph.

A transition leaves one clip and enters another, or the same one elsewhere, where body, velocities and travel are alike
([kovar] L. Kovar, M. Gleicher, F. Pighin, "Motion Graphs", 2002). Deviations: poses are compared as the rows of an
index (:mod:`kinetune.library.body_rows`), which need no alignment, and the best transition of each pair is taken
instead of every local minimum. As in its section 3.2, what lies outside the largest strongly connected part leads to
dead ends; it is marked, not removed.

:class:`kinetune.Splice` performs one: ``Splice(second="b", event="none", leave_s=..., enter_s=...)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kinetune.batch.engine import run_work
from kinetune.batch.jobs import BatchJob
from kinetune.body.clip import Clip
from kinetune.errors import FileError, KinetuneError, ParameterError
from kinetune.library.body_rows import ROWS_PER_S, body_rows, with_velocity
from kinetune.library.index_file import IndexedClip, MotionIndex
from kinetune.progress import report
from kinetune.rotations import Floats

LIMIT_CM = 12.0
"""A transition between poses farther apart than this is seen."""
PER_CLIP = 5
_STRIDE = 3
_MARGIN_S = 0.25
_APART_S = 1.0
_ONE_JOB = 32


@dataclass(frozen=True)
class Transition:
    """A place where one clip can pass into another.

    Parameters
    ----------
    first, second : str
        The clip that is left and the one that is entered.
    leave_s, enter_s : float
        When, in their files.
    distance_cm : float
        How unlike the two are there: pose, velocities and travel together.
    connected : bool
        Whether one can come back: it lies in the largest part of the graph in which each moment can be reached.

    Examples
    --------
    >>> best = find_transitions(index)[0]  # doctest: +SKIP
    >>> best.first, best.second, round(best.leave_s, 2)  # doctest: +SKIP
    ('walk.bvh', 'walk-happy.bvh', 3.27)
    """

    first: str
    second: str
    leave_s: float
    enter_s: float
    distance_cm: float
    connected: bool = False

    def step(self) -> dict[str, Any]:
        """The recipe step that performs it on the first clip."""
        moments = {"leave_s": round(self.leave_s, 4), "enter_s": round(self.enter_s, 4)}
        return {"op": "splice", "second": self.second, "event": "none", "heading": "seam", **moments}

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, with the recipe step."""
        return {**self.__dict__, "step": self.step()}


def find_transitions(
    index: MotionIndex,
    *,
    limit_cm: float = LIMIT_CM,
    per_clip: int = PER_CLIP,
    jobs: int | None = 1,
    scheduler: str | None = None,
) -> list[Transition]:
    """Find where the clips of a library can best pass into each other.

    Parameters
    ----------
    index : MotionIndex
        The library. Only clips with the same joints can pass into each other.
    limit_cm : float
        How unlike the two moments of a transition may be.
    per_clip : int
        How many transitions to give for each clip that is left, at most; to each other clip the best one.
    jobs : int, optional
        Processes; None is one for each core.
    scheduler : str, optional
        The address of a Dask scheduler to use instead; its workers must reach the index under the same path.

    Returns
    -------
    list of Transition
        By name of the clip that is left, best first.

    Notes
    -----
    Laws (``tests/library/test_motion_graph.py``): a clip cut in two passes from its first half into its second where it
    was cut; a cycle passes into itself one period earlier or later.

    Examples
    --------
    >>> for transition in find_transitions(index, limit_cm=8.0):  # doctest: +SKIP
    ...     print(transition.first, transition.second)
    """
    if not limit_cm > 0.0 or per_clip < 1:
        raise ParameterError("limit_cm must be above 0, and per_clip at least 1.")
    clips = index.comparable
    if not clips:
        raise FileError(index.folder, "no clip of this index can be compared: their skeletons have no known legs.")
    spans = [(first, min(first + _ONE_JOB, len(clips))) for first in range(0, len(clips), _ONE_JOB)]
    transitions: list[Transition] = []
    for done, part in enumerate(_parts(index, spans, limit_cm, per_clip, jobs, scheduler), 1):
        transitions += part
        report(done / len(spans), "comparing clips")
    transitions.sort(key=lambda each: (each.first, each.distance_cm, each.second))
    return _connected(transitions)


def _parts(
    index: MotionIndex,
    spans: Sequence[tuple[int, int]],
    limit_cm: float,
    per_clip: int,
    jobs: int | None,
    scheduler: str | None,
) -> Iterator[list[Transition]]:
    if scheduler is None and (jobs == 1 or len(spans) == 1):
        for first, last in spans:
            yield transitions_of(index, first, last, limit_cm, per_clip)
        return
    folder, path = str(index.folder.absolute()), str(index.path.absolute())
    work = [
        (BatchJob(path, None, f"{first} to {last}"), folder, first, last, limit_cm, per_clip) for first, last in spans
    ]
    workers = None if scheduler is not None and jobs == 1 else jobs  # 1 is the default
    with closing(run_work(transitions_job, work, workers=workers, scheduler=scheduler)) as results:
        for _, result in results:
            if isinstance(result, str):
                raise KinetuneError(result)
            yield result


def transitions_job(
    job: BatchJob, folder: str, first: int, last: int, limit_cm: float, per_clip: int
) -> list[Transition]:
    """What a worker does: the transitions out of some clips."""
    return transitions_of(MotionIndex.open(folder, Path(job.source)), first, last, limit_cm, per_clip)


def transitions_of(index: MotionIndex, first: int, last: int, limit_cm: float, per_clip: int) -> list[Transition]:
    """The best transitions out of the clips numbered ``first`` to before ``last``."""
    clips = index.comparable
    transitions: list[Transition] = []
    for left in clips[first:last]:
        assert left.facts is not None
        theirs = [clip for clip in clips if clip.facts is not None and clip.facts.skeleton == left.facts.skeleton]
        best = sorted(_best_of(index, left, theirs, limit_cm), key=lambda each: each.distance_cm)
        transitions += best[:per_clip]
    return transitions


def _best_of(
    index: MotionIndex, left: IndexedClip, others: Sequence[IndexedClip], limit_cm: float
) -> Iterator[Transition]:
    """The best transition from a clip into each of the others, and into itself, within the limit."""
    ours = with_velocity(np.asarray(index.rows_of(left)))
    for entered in others:
        theirs = with_velocity(np.asarray(index.rows_of(entered)))
        for a, b, distance in _best_pairs(ours, theirs, limit_cm, itself=entered.name == left.name):
            leave, enter = index.seconds(left, float(a)), index.seconds(entered, float(b))
            yield Transition(left.name, entered.name, leave, enter, distance)


def transitions_between(
    first: Clip,
    second: Clip,
    *,
    names: tuple[str, str] = ("first", "second"),
    limit_cm: float = LIMIT_CM,
    count: int = PER_CLIP,
) -> list[Transition]:
    """Find the moments at which one clip can best lead into another, without an index.

    Parameters
    ----------
    first, second : Clip
        The clip that is left and the one that is entered; they must have the same joints.
    names : tuple of str
        What the transitions call them.
    limit_cm : float
        How unlike the two moments may be.
    count : int
        How many transitions to give, at most; they are a second or more apart.

    Returns
    -------
    list of Transition
        Best first.

    Notes
    -----
    Law (``tests/library/test_motion_graph.py``): the first is the one that :func:`find_transitions` gives.

    Examples
    --------
    >>> best = transitions_between(kt.sample("walk"), kt.sample("walk-happy"))[0]  # doctest: +SKIP
    >>> round(best.leave_s, 2), round(best.enter_s, 2)  # doctest: +SKIP
    (3.27, 0.33)
    """
    if not first.skeleton.same_joints(second.skeleton):
        raise KinetuneError("These clips have different joints, so one cannot continue into the other.")
    (ours, start), (theirs, other_start) = body_rows(first), body_rows(second)
    pairs = _best_pairs(with_velocity(ours), with_velocity(theirs), limit_cm, itself=first is second, count=count)
    moments = [
        Transition(*names, start / first.fps + a / ROWS_PER_S, other_start / second.fps + b / ROWS_PER_S, distance)
        for a, b, distance in pairs
    ]
    return sorted(moments, key=lambda each: each.distance_cm)


def _best_pairs(
    ours: Floats, theirs: Floats, limit_cm: float, *, itself: bool, count: int = 1
) -> Iterator[tuple[int, int, float]]:
    """Rows at which to leave and to enter within the limit, and the distance between them."""
    margin, apart = round(_MARGIN_S * ROWS_PER_S), _APART_S * ROWS_PER_S
    leaving, entering = np.arange(margin, len(ours), _STRIDE), np.arange(0, len(theirs) - margin, _STRIDE)
    if not len(leaving) or not len(entering):
        return
    squares = _squares(ours[leaving], theirs[entering])
    if itself:
        squares[np.abs(leaving[:, None] - entering) < apart] = np.inf
    for _ in range(count):
        row, column = divmod(int(np.argmin(squares)), len(entering))
        # A coarse minimum may lie between the rows that were compared: by as much as both move meanwhile.
        if squares[row, column] > (0.03 * limit_cm) ** 2:
            return
        a, b = int(leaving[row]), int(entering[column])
        near_a = np.arange(max(a - _STRIDE, margin), min(a + _STRIDE + 1, len(ours)))
        near_b = np.arange(max(b - _STRIDE, 0), min(b + _STRIDE + 1, len(theirs) - margin))
        fine = _squares(ours[near_a], theirs[near_b])
        row, column = divmod(int(np.argmin(fine)), len(near_b))
        distance = 100.0 * float(np.sqrt(fine[row, column]))
        if distance <= limit_cm:
            yield int(near_a[row]), int(near_b[column]), distance
        squares[np.ix_(np.abs(leaving - a) < apart, np.abs(entering - b) < apart)] = np.inf


def _squares(a: Floats, b: Floats) -> Floats:
    squares = (-2.0 * a) @ b.T
    squares += np.einsum("ik,ik->i", a, a)[:, None]
    squares += np.einsum("ik,ik->i", b, b)
    return np.asarray(np.maximum(squares, 0.0))


def _connected(transitions: Sequence[Transition]) -> list[Transition]:
    """The transitions, marked where they lie in the largest strongly connected part of the graph of moments."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    moments = sorted({(t.first, t.leave_s) for t in transitions} | {(t.second, t.enter_s) for t in transitions})
    if not moments:
        return []
    number = {moment: k for k, moment in enumerate(moments)}
    along = [(k, k + 1) for k in range(len(moments) - 1) if moments[k][0] == moments[k + 1][0]]
    across = [(number[t.first, t.leave_s], number[t.second, t.enter_s]) for t in transitions]
    rows, columns = np.array([*along, *across]).T
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(moments), len(moments)))
    _, part = connected_components(graph, directed=True, connection="strong")
    sizes = np.bincount(part)
    largest = int(np.argmax(sizes)) if sizes.max() > 1 else -1
    return [
        replace(t, connected=bool(part[a] == part[b] == largest)) for t, (a, b) in zip(transitions, across, strict=True)
    ]


def graph_as_dict(index: MotionIndex, transitions: Sequence[Transition], limit_cm: float) -> dict[str, Any]:
    """A motion graph as JSON: the clips that can be compared, and the transitions between them."""
    from kinetune import __version__

    clips = [
        {
            "name": clip.name,
            "duration_s": clip.facts.duration_s,
            "fps": clip.facts.fps,
            "skeleton": clip.facts.skeleton,
            "motion": clip.facts.label(),
        }
        for clip in sorted(index.comparable, key=lambda clip: clip.name)
        if clip.facts is not None
    ]
    return {
        "kinetune": __version__,
        "folder": str(index.folder),
        "limit_cm": limit_cm,
        "clips": clips,
        "transitions": [transition.as_dict() for transition in transitions],
    }
