"""The seam that a body can best perform, among several.

==============  ==========================================================================
search_seams    filters several splices of two clips and gives the best
==============  ==========================================================================

The best match of poses is not always the best moment for a body: half a step later its weight may be where it is
needed. [pollard] generated "many transitions with random variation in transition parameters" and chose by eye.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinetune.body.clip import Clip
from kinetune.errors import ParameterError
from kinetune.physics.body import Body
from kinetune.physics.filtering import FilterResult, filter_dynamics
from kinetune.physics.splicing import SHIFT_S, SplicedClip, splice
from kinetune.physics.transitions import EventChoice, Heading

MOST_TRIES = 64
_SEAMS = 3


def search_seams(
    first: Clip,
    second: Clip,
    body: Body | None = None,
    *,
    tries: int = 8,
    event: EventChoice = "auto",
    heading: Heading = "auto",
    seed: int | None = None,
    shift_s: float = SHIFT_S,
    mu: float = 1.0,
    progress: Callable[[int, int, str], None] | None = None,
) -> tuple[SplicedClip, FilterResult]:
    """Splice two clips in several ways, filter each, and give the one that is followed best, with its result.

    Parameters
    ----------
    tries : how many splices to try: the best seams by pose, then the same with shifted boundaries. The search ends
        early with one that needs next to no correction.
    event, heading, seed, shift_s : as for :func:`kinetune.splice`; with a seed every try has its own shift.
    body : fitted to the first clip when left out. mu : friction.
    """
    if not 1 <= tries <= MOST_TRIES:
        raise ParameterError(f"splice: tries must lie between 1 and {MOST_TRIES}, not {tries}.")
    best: tuple[tuple[bool, bool, float], SplicedClip, FilterResult] | None = None
    dice = np.random.default_rng(seed)
    for number in range(tries):
        if progress is not None:
            progress(number, tries, "trying seams")
        choice, turn = number % _SEAMS, number // _SEAMS
        drawn = int(dice.integers(1 << 30))
        shifted = drawn if seed is not None or turn > 0 else None
        made = splice(first, second, event=event, heading=heading, choice=choice, seed=shifted, shift_s=shift_s)
        fitted = Body.fit(made.skeleton, clip=made) if body is None else body
        found = filter_dynamics(made, fitted, mu=mu)
        track = found.tracking
        worth = track.fell, not track.good, track.trunk_deg / 30.0 + track.head_m / 0.15 + track.pose_deg / 2.0
        if best is None or worth < best[0]:
            best = worth, made, found
        if track.good and worth[2] < 1.0:
            break
    assert best is not None
    return best[1], best[2]
