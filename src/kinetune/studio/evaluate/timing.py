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
