"""What a walk says about footsteps that it could not simply take.

================  ============================================================
inserted_words    steps were put in between
bent_words        the foot lands beside its place
refused_words     strict: what is out of reach, and what is within
================  ============================================================
"""

from __future__ import annotations

import numpy as np

from kinetune.inverse.footsteps import Footstep, seen_from, wrapped
from kinetune.inverse.step_pools import StepPool
from kinetune.inverse.stepping import Weights
from kinetune.rotations import Floats


def refused_words(number: int, footstep: Footstep, support: Footstep, pool: StepPool) -> str:
    """Why a strict walk stops."""
    if footstep.side == support.side:
        return (
            f"Footstep {number} is a {footstep.side} one like the one before; give the feet in turn, or leave "
            "strict off to insert a step."
        )
    x, z, heading = seen_from(footstep.place, support.place)
    return (
        f"Footstep {number} ({footstep.side}) is out of reach: {_away(x, z)} from the {support.side} foot, turned "
        f"by {np.degrees(heading):.0f} degrees. {_range_words(pool)} "
        "Move it, or leave strict off to walk there by more steps or as near as possible."
    )


def inserted_words(number: int, footstep: Footstep, support: Footstep, count: int) -> str:
    """Why there are more steps than footsteps."""
    steps = "a step was" if count == 1 else f"{count} steps were"
    if footstep.side == support.side:
        return f"Footstep {number} ({footstep.side}) follows one of the same foot: {steps} inserted."
    x, z, _ = seen_from(footstep.place, support.place)
    return f"Footstep {number} ({footstep.side}) is {_away(x, z)}, farther than a step: {steps} inserted to walk there."


def _away(x: float, z: float) -> str:
    parts = [f"{abs(z):.2f} m {'ahead' if z >= 0 else 'behind'}"]
    if abs(x) >= 0.005:
        parts.append(f"{abs(x):.2f} m to the {'left' if x > 0 else 'right'}")
    return " and ".join(parts)


def _range_words(pool: StepPool) -> str:
    ahead, turn = pool.ends[:, 1], np.degrees(pool.ends[:, 2])
    return (
        f"The examples step {ahead.min():.2f} to {ahead.max():.2f} m ahead and turn by {turn.min():.0f} to "
        f"{turn.max():.0f} degrees, not all of it at once."
    )


def bent_words(number: int, footstep: Footstep, relative: Floats, weights: Weights, pool: StepPool) -> str:
    """How far a foot is from where it shall be."""
    miss = float(np.hypot(*(weights.place[:2] - relative[:2])))
    turn = float(np.degrees(abs(wrapped(weights.place[2] - relative[2]))))
    return (
        f"Footstep {number} ({footstep.side}), {_away(relative[0], relative[1])} from the other foot, is out of reach: "
        f"the foot lands {100.0 * miss:.1f} cm beside it, turned by {turn:.1f} degrees. {_range_words(pool)}"
    )
