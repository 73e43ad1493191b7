"""The seam that a body can best perform, among several.

==============  ==========================================================================
search_seams    corrects several splices of two clips and gives the best
==============  ==========================================================================

The best match of poses is not always the best moment for a body: half a step later its weight may be where it is
needed. [pollard] generated "many transitions with random variation in transition parameters" and chose by eye.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.timeline.splicing import SHIFT_S, SplicedClip, splice
from kinetune.body.timeline.transitions import EventChoice, Heading
from kinetune.errors import ParameterError
from kinetune.physics.filter.filtering import FilterResult, run_filter
from kinetune.physics.model.body_model import Body
from kinetune.physics.motion_correction import filter_dynamics
from kinetune.progress import stage

MOST_TRIES = 64
_SEAMS = 3
_SEARCHED = 3
_CLOSE = 1.0
# A whole clip that was moved by one of these needs next to no correction.
_COM_CM, _UPPER_DEG, _LEGS_DEG, _PIVOT_S = 8.0, 4.0, 12.0, 1.0


class _Try(NamedTuple):
    clip: SplicedClip
    result: FilterResult

    @property
    def badness(self) -> tuple[bool, bool, float]:
        result, moved = self.result, self.result.correction
        if moved is None:
            return result.tracking.badness
        off = (
            moved.com_cm / _COM_CM
            + moved.upper_deg / _UPPER_DEG
            + moved.legs_deg / _LEGS_DEG
            + moved.pivot_s / _PIVOT_S
        )
        return False, result.status == "unchanged", off


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
    method: Literal["whole", "filter"] = "whole",
) -> tuple[SplicedClip, FilterResult]:
    """Splice two clips in several ways, correct each, and give the one that moves least, with its result.

    Parameters
    ----------
    tries : how many splices to try: the best seams by pose, then the same with shifted boundaries. The search ends
        early with one that needs next to no correction.
    event, heading, seed, shift_s : as for :func:`kinetune.splice`; with a seed every try has its own shift.
    body : fitted to each splice when left out. mu : friction.
    method : "whole" corrects each splice as a whole and takes the one that moves least; "filter" filters them.

    Notes
    -----
    With the filter, cheap first: all seams with the usual settings; only if none of them is followed well, the three
    best of them with the others of ``presets.LADDER``. ``result.attempt`` names the settings.
    """
    if not 1 <= tries <= MOST_TRIES:
        raise ParameterError(f"splice: tries must lie between 1 and {MOST_TRIES}, not {tries}.")
    tries_made: list[_Try] = []
    dice = np.random.default_rng(seed)
    for number in range(tries):
        choice, turn = number % _SEAMS, number // _SEAMS
        drawn = int(dice.integers(1 << 30))
        shifted = drawn if seed is not None or turn > 0 else None
        made = splice(first, second, event=event, heading=heading, choice=choice, seed=shifted, shift_s=shift_s)
        fitted = Body.fit(made.skeleton, clip=made) if body is None else body
        with stage(number, tries, "trying seams"):
            if method == "whole":
                tries_made.append(_Try(made, filter_dynamics(made, fitted, mu=mu, method="whole")))
            else:
                tries_made.append(_Try(made, run_filter(made, fitted, mu=mu)))
        if not tries_made[-1].badness[1] and tries_made[-1].badness[2] < _CLOSE:
            break
    best = sorted(tries_made, key=lambda each: each.badness)[:_SEARCHED]
    for number, (made, result) in enumerate(best if not best[0].result.tracking.good else []):
        with stage(number, len(best), "trying settings"):
            tries_made.append(_Try(made, run_filter(made, result.body, mu=mu, search=True)))
        if tries_made[-1].result.tracking.good:
            break
    return min(tries_made, key=lambda each: each.badness)
