"""Where the moments of the tracks went in the result: through every step that changes the timing."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from kinetune.rotations import Floats

if TYPE_CHECKING:
    from kinetune.body.clip import Clip
    from kinetune.studio.evaluate.evaluation import EvaluatedStack

_POINTS = 400
"""Of a part at most; ribbons are drawn between them."""


def timing_of(outcome: EvaluatedStack, inputs: Mapping[str, Clip]) -> list[Floats] | None:
    """Parts that keep their order, each (n, 2) seconds on the tracks and in the result; None where that is not known.

    None, too, where every step leaves the timing as it is.
    """
    parts: list[Floats] | None = None
    clips = [*outcome.entering, outcome.clip]
    reports = {result.id: result.report for result in outcome.results if result.state == "done"}
    for step, (before, after) in zip(outcome.stack.steps, itertools.pairwise(clips), strict=True):
        if not step.on or step.id not in reports or step.operation.tag() == "arrange":
            continue
        if step.operation.takes_region and len(before) == len(after):
            continue
        made = step.operation.moments(before, inputs, after, reports[step.id])
        if made is None:
            return None
        parts = made if parts is None else _through(parts, made)
    return None if parts is None else [_thinned(part) for part in parts]


def origins_of(outcome: EvaluatedStack, parts: list[Floats] | None) -> Floats | None:
    """The frame of the source that each frame of the result shows, fractional, (frames,); None where it is unknown.

    Between parts, and beyond their ends, it passes evenly from one to the next, or stays. Where clips are arranged, the
    result shows more than the source.
    """
    source, clip = outcome.source, outcome.clip
    if not parts or any(step.on and step.operation.tag() == "arrange" for step in outcome.stack.steps):
        return None
    times = np.arange(len(clip)) / clip.fps
    found = np.full(len(times), np.nan)
    for part in parts:
        inside = (times >= part[0, 1] - 0.5 / clip.fps) & (times <= part[-1, 1] + 0.5 / clip.fps)
        found[inside] = np.interp(times[inside], part[:, 1], part[:, 0])
    known = np.isfinite(found)
    if not known.any():
        return None
    frames: Floats = source.fps * np.interp(times, times[known], found[known])
    return np.clip(frames, 0.0, len(source) - 1.0)


def _through(first: list[Floats], then: list[Floats]) -> list[Floats]:
    """Two changes of the timing, one after the other."""
    joined = []
    for a, b in itertools.product(first, then):
        low, high = max(a[0, 1], b[0, 0]), min(a[-1, 1], b[-1, 0])
        if high <= low:
            continue
        knots = np.concatenate([a[:, 1], b[:, 0], [low, high]])
        knots = np.unique(knots[(knots >= low) & (knots <= high)])
        joined.append(np.stack([np.interp(knots, a[:, 1], a[:, 0]), np.interp(knots, b[:, 0], b[:, 1])], axis=1))
    return joined


def _thinned(part: Floats) -> Floats:
    chosen: Floats = part[np.unique(np.linspace(0, len(part) - 1, min(len(part), _POINTS)).round().astype(int))]
    return chosen
