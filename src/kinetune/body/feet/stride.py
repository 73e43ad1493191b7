"""How far a figure gets on legs that swing more or less than they did.

An edit that exaggerates the legs of a walk and leaves its path alone makes the feet skate: the strides are longer than
the way. Either the legs give way, which takes the exaggeration out of every stance, or the way does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinetune.body.feet.foot_roll import FootMove
from kinetune.rotations import Floats
from kinetune.signals.banded_solve import solve_banded

_SMOOTH_S = 0.25
_FAINT = 1e-6


def follow_feet(moves: Sequence[FootMove], fps: float) -> Floats:
    """How the whole figure moves along the floor, (frames, 3) metres, so that planted feet need to move little.

    Parameters
    ----------
    moves : what each foot asks for (:func:`kinetune.body.feet.foot_roll.roll_foot`).

    Notes
    -----
    The velocity u of the way is the least of ``sum over planted feet of |u - velocity of the shift|^2 + _SMOOTH_S^4
    |u''|^2``; it takes up the steady part of the slide and leaves the rest to the legs. The first frame stays where it
    is.
    """
    frames = len(moves[0].shift)
    steps = max(frames - 1, 1)
    weight = np.full(steps, _FAINT)
    asked = np.zeros((steps, 2))
    for move in moves:
        planted = (move.weight[1:] >= 1.0) & (move.weight[:-1] >= 1.0)
        weight[: len(planted)] += planted
        asked[: len(planted)] += planted[:, None] * np.diff(move.shift[:, [0, 2]], axis=0)
    band = np.zeros((min(3, steps), steps))
    band[0] = weight
    if steps >= 3:
        smooth, inner = (_SMOOTH_S * fps) ** 4, steps - 2
        for at, share in enumerate((1.0, 4.0, 1.0)):
            band[0, at : inner + at] += smooth * share
        band[1, :inner] -= 2.0 * smooth
        band[1, 1 : inner + 1] -= 2.0 * smooth
        band[2, :inner] += smooth
    way = np.zeros((frames, 3))
    if frames > 1:
        way[1:, [0, 2]] = np.cumsum(solve_banded(band, asked), axis=0)
    return way
