"""The tangents of a keyed curve: what tension, continuity, bias, step sizes, ends and holds make of its chords.

====================  ==============================================================================
tangents              leaving and arriving tangents of every interval ([kochanek] Equations 8 to 10)
step_factors          the adjustment for intervals of different length (Equation 10 and its erratum)
====================  ==============================================================================

Chords may be of any shape: numbers, vectors, or rotation vectors of many joints.

[kochanek] D. Kochanek and R. Bartels, "Interpolating splines with local tension, continuity, and bias control",
SIGGRAPH 1984. The derivation, symbol by symbol: ``docs/derivations/kochanek_bartels.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kinetune.errors import ParameterError
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

kernels = Kernels("kinetune.signals.splines.tcb_kernels")

Step = Literal["corrected", "printed", "none"]
End = str | Floats
Natural = Callable[[Floats, Floats, bool], Floats]


def tangents(
    chords: Floats,
    spans: Floats,
    knobs: Sequence[float | Floats],
    *,
    closed: bool,
    step: Step,
    frame: float,
    ends: tuple[End, End],
    natural: Natural,
    flat: NDArray[np.bool_] | None,
) -> tuple[Floats, Floats]:
    """The tangents of every interval: DD at its first key and DS at its second, per unit of s.

    Parameters
    ----------
    chords : (intervals, ...) from each key to the next.
    spans : (intervals,) how long each lasts.
    knobs : tension, continuity and bias, each one number or (keys,).
    natural : (chord, tangent at the other end, whether at the start) -> tangent without curvature at this end.
    flat : (intervals, ...) where a hold is to stay flat, or None.

    Notes
    -----
    [kochanek] Equations 8 and 9, then the step adjustment of Equation 10 (see :func:`step_factors`).
    The parameters of the first and the last key of an open curve do not affect its tangents.
    """
    leaving, arriving = np.empty_like(chords), np.empty_like(chords)
    if len(chords) == 0:  # a single key has no intervals
        return leaving, arriving
    if closed:
        before, after = np.roll(chords, 1, axis=0), chords
        span_before, span_after = np.roll(spans, 1), spans
        source, destination = arriving, leaving
        t, c, b = knobs
    else:
        before, after = chords[:-1], chords[1:]
        span_before, span_after = spans[:-1], spans[1:]
        source, destination = arriving[:-1], leaving[1:]
        t, c, b = (knob if isinstance(knob, float) else knob[1:-1] for knob in knobs)
    enter, leave = step_factors(span_before, span_after, step, frame)
    slack = 0.5 * (1.0 - t)
    corner, loop = slack * (1.0 - c), slack * (1.0 + c)
    late, early = 1.0 + b, 1.0 - b
    _blend(enter * (corner * late), enter * (loop * early), before, after, source)
    _blend(leave * (loop * late), leave * (corner * early), before, after, destination)
    if closed:
        arriving = np.roll(source, -1, axis=0)  # DS of key i belongs to the interval before it
    if flat is not None:
        # Both tangents at both keys of a hold: the motion comes to rest there. The ends of open curves follow below.
        leaving[flat | np.roll(flat, 1, axis=0)] = 0.0
        arriving[flat | np.roll(flat, -1, axis=0)] = 0.0
    if not closed:
        _end_tangents(chords, spans, leaving, arriving, ends, natural)
        if flat is not None:
            leaving[0][flat[0]] = 0.0
            arriving[-1][flat[-1]] = 0.0
    return leaving, arriving


def _blend(first: Floats, second: Floats, before: Floats, after: Floats, out: Floats) -> None:
    """Row by row, first * before + second * after, into ``out``."""
    fast = kernels.get(cost_s=out.size * 3e-9)
    if fast is not None:
        rows = (len(out), math.prod(out.shape[1:]))
        fast.blend(first, second, before.reshape(rows), after.reshape(rows), out.reshape(rows))
        return
    column = (-1,) + (1,) * (out.ndim - 1)
    np.multiply(first.reshape(column), before, out=out)
    np.add(out, second.reshape(column) * after, out=out)


def step_factors(before: Floats, after: Floats, step: Step, frame: float) -> tuple[Floats, Floats]:
    """What DS and DD at a key are multiplied by when the intervals on its two sides differ ([kochanek] Equation 10).

    "corrected" makes the speed continuous: 2 h_before / (h_before + h_after) and 2 h_after / (h_before + h_after).
    "printed" is the paper's own form, with the numbers of inbetweens N = h / frame - 1, and crosswise.
    "none" leaves Equations 8 and 9 as they are.
    """
    if step == "none":
        return np.ones_like(before), np.ones_like(before)
    if step == "corrected":
        total = before + after
        return 2.0 * before / total, 2.0 * after / total
    counts = []
    for span in (before, after):
        count = span / frame - 1.0
        if np.any(count < -1e-6):
            raise ParameterError(
                f'step="printed" counts the inbetweens of an interval, but two keys are {span.min():g} apart, less '
                f"than one {frame=:g}. Give the time from one frame to the next as frame=, or take step='corrected'."
            )
        near = np.rint(count)
        counts.append(np.where(np.abs(count - near) < 1e-6, near, count))
    total = counts[0] + counts[1]
    safe = np.where(total > 0, total, 1.0)
    # Without inbetweens on either side both steps are equal, and nothing is to be adjusted.
    return np.where(total > 0, 2.0 * counts[1] / safe, 1.0), np.where(total > 0, 2.0 * counts[0] / safe, 1.0)


def _end_tangents(
    chords: Floats,
    spans: Floats,
    leaving: Floats,
    arriving: Floats,
    ends: tuple[End, End],
    natural: Natural,
) -> None:
    """Fill in the first leaving and the last arriving tangent."""
    share = {"zero": 0.0, "half chord": 0.5, "chord": 1.0}
    both_natural = all(isinstance(end, str) and end == "natural" for end in ends)
    for end, place, side in ((ends[0], 0, leaving), (ends[1], -1, arriving)):
        if not isinstance(end, str):
            side[place] = end * spans[place]
        elif end in share:
            side[place] = share[end] * chords[place]
        elif both_natural and len(chords) == 1:
            side[place] = chords[place]
    # A natural end looks at the other tangent of its interval, which may be the other end: it comes last.
    if len(chords) > 1 or not both_natural:
        for end, place, side, other in ((ends[0], 0, leaving, arriving), (ends[1], -1, arriving, leaving)):
            if isinstance(end, str) and end == "natural":
                side[place] = natural(chords[place], other[place], place == 0)
