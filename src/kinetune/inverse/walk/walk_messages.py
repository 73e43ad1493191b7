"""What a walk says about footsteps that it could not simply take.

================  ============================================================
inserted_words    steps were put in between
bent_words        the foot lands beside its place
refused_words     strict: what is out of reach, and what is within
================  ============================================================
"""

from __future__ import annotations

import numpy as np

from kinetune.inverse.steps.step_pools import StepPool
from kinetune.inverse.steps.step_weights import StepWeights
from kinetune.inverse.walk.footsteps import Footstep, seen_from, wrapped
from kinetune.rotations import Floats

_EDGE_M, _EDGE_DEG = 1e-3, 0.5
"""A miss that nobody sees."""


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


def bent_words(number: int, footstep: Footstep, relative: Floats, weights: StepWeights, pool: StepPool) -> str:
    """How far a foot is from where it shall be."""
    miss = float(np.hypot(*(weights.place[:2] - relative[:2])))
    turn = float(np.degrees(abs(wrapped(weights.place[2] - relative[2]))))
    where = "at the edge of reach" if miss < _EDGE_M and turn < _EDGE_DEG else "out of reach"
    return (
        f"Footstep {number} ({footstep.side}), {_away(relative[0], relative[1])} from the other foot, is {where}: "
        f"the foot lands {_length(miss)} beside it, turned by {_angle(turn)}. {_range_words(pool)}"
    )


def _length(metres: float) -> str:
    """A miss in the unit that tells it: "1.3 cm", "0.4 mm", "less than 0.1 mm"."""
    if metres >= 0.01:
        return f"{100.0 * metres:.1f} cm"
    return f"{1e3 * metres:.1f} mm" if metres >= 1e-4 else "less than 0.1 mm"


def _angle(degrees: float) -> str:
    return f"{degrees:.1f} degrees" if degrees >= 0.1 else "less than 0.1 degrees"
