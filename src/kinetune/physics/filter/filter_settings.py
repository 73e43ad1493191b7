"""How firmly the filter holds on to each part of a motion.

=========  ==================================================================================
Gains      stiffness and damping of everything that is tracked, and its weight
PRESETS    "steady", the default, and "paper", Figure 6 of [pollard]
find_gains a preset by name
=========  ==================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kinetune.errors import UnknownNameError

Pair = tuple[float, float]
"""Stiffness in 1/s^2 and damping in 1/s."""


@dataclass(frozen=True)
class Gains:
    """Stiffness k and damping b, such that an error e is answered by the acceleration k e + b e'.

    root_place, root_turn, joint : the pose ([pollard] Eq. 4 and 5). spine : the joints of trunk, neck and head.
    foot : heel and toe of a standing foot. swing : the toe of a foot in the air, landing : close to the ground.
    com : the centre of mass. momentum : 1/s, how fast errors of the angular momentum are taken up.
    foot_weight, swing_weight, landing_weight, com_weight, momentum_weight, pivot_weight : how much the references
        count against the pose, in the exact order. (The printed order meets them all.) Pivoting is turning about the
        vertical.
    heel_share : the weight of a heel against that of toes. The paper holds toes alone.
    anchor_s : a foot that lands elsewhere than in the data stays there and comes back within about this time.
    ramp_s : over how long the grip on a foot that lands is built up.
    """

    root_place: Pair
    root_turn: Pair
    joint: Pair
    spine: Pair
    foot: Pair
    com: Pair
    swing: Pair = (100.0, 20.0)
    landing: Pair = (700.0, 53.0)
    momentum: float = 5.0
    foot_weight: float = 100.0
    heel_share: float = 1.0
    swing_weight: float = 1.0
    landing_weight: float = 30.0
    com_weight: float = 100.0
    momentum_weight: float = 0.05
    pivot_weight: float = 0.005
    anchor_s: float = 0.6
    ramp_s: float = 0.1


PAPER = Gains(
    root_place=(4.0, 2.0),
    root_turn=(1280.0, 40.0),
    joint=(40.0, 7.0),
    spine=(40.0, 7.0),
    foot=(1440.0, 125.0),
    com=(8.0, 4.0),
    swing=(0.0, 0.0),
    landing=(0.0, 0.0),
    foot_weight=1000.0,
    heel_share=0.0,
    swing_weight=0.0,
    landing_weight=0.0,
    com_weight=30.0,
    anchor_s=0.0,
    ramp_s=0.0,
)
STEADY = Gains(
    root_place=(4.0, 2.0),
    root_turn=(160.0, 25.0),
    joint=(160.0, 25.0),
    spine=(160.0, 25.0),
    foot=(1440.0, 76.0),
    com=(20.0, 9.0),
    momentum=10.0,
    foot_weight=1e4,
    com_weight=1e4,
    momentum_weight=1.0,
    pivot_weight=1.0,
    heel_share=0.1,
    anchor_s=0.25,
)


@dataclass(frozen=True)
class Attempt:
    """One way to set the filter, for a motion that the usual one does not follow well.

    name : of the attempt. cutoff_hz : the motion is smoothed below it first, beyond what was asked for; None does not.
    joint, spine, landing_weight : gains to take instead; None keeps them.
    """

    name: str
    cutoff_hz: float | None = None
    joint: Pair | None = None
    spine: Pair | None = None
    landing_weight: float | None = None

    def changed(self, gains: Gains) -> Gains:
        """The gains of this attempt."""
        return replace(
            gains,
            joint=gains.joint if self.joint is None else self.joint,
            spine=gains.spine if self.spine is None else self.spine,
            landing_weight=gains.landing_weight if self.landing_weight is None else self.landing_weight,
        )


_FIRM = (320.0, 36.0)
LADDER = (
    Attempt("usual"),
    Attempt("smoother", cutoff_hz=6.0),
    Attempt("firm landings", landing_weight=300.0),
    Attempt("smooth and firm", cutoff_hz=4.0, joint=_FIRM, spine=_FIRM, landing_weight=300.0),
    Attempt("smoothest", cutoff_hz=3.5),
)
"""What a search tries, in turn, until a motion is followed well."""
PRESETS: dict[str, Gains] = {"steady": STEADY, "paper": PAPER}


def find_gains(preset: str | Gains) -> Gains:
    """The gains of a preset, or the gains themselves."""
    if isinstance(preset, Gains):
        return preset
    if preset not in PRESETS:
        raise UnknownNameError("preset of the dynamic filter", preset, PRESETS)
    return PRESETS[preset]
