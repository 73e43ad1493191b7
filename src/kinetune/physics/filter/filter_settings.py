"""How the dynamic filter is set: what it tracks, how firmly, and which forces it may use.

===============  ==================================================================================
FilterSettings   what is tracked, and which forces are allowed
Gains            stiffness and damping of everything that is tracked, and its weight
PRESETS          "steady", the default, and "paper", Figure 6 of [pollard]
find_gains       a preset by name
Attempt, LADDER  other settings that a search tries
===============  ==================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from kinetune.errors import UnknownNameError
from kinetune.rotations import Floats

Mode = Literal["joint", "position", "friction"]
Whole = Literal["plan", "com", "none"]
Solver = Literal["nnls", "greedy", "least_squares"]
Order = Literal["exact", "printed"]
Pair = tuple[float, float]
"""Stiffness in 1/s^2 and damping in 1/s."""


@dataclass(frozen=True)
class Gains:
    """How firmly the filter holds each part of a motion.

    An error e is answered by the acceleration k e + b e', with the stiffness k in 1/s^2 and the damping b in 1/s.

    Parameters
    ----------
    root_position, root_rotation, joint : (float, float)
        Stiffness and damping of the pose ([pollard] Eq. 4 and 5).
    spine : (float, float)
        The joints of trunk, neck and head.
    foot : (float, float)
        Heel and toe of a standing foot.
    com : (float, float)
        The centre of mass.
    swing, landing : (float, float)
        The toe of a foot in the air, and close to the ground.
    momentum : float
        How fast errors of the angular momentum are corrected, 1/s.
    foot_weight, swing_weight, landing_weight, com_weight, momentum_weight, pivot_weight : float
        How much the references count against the pose, in the exact order (the printed order meets them all).
        Pivoting is rotation about the vertical.
    heel_share : float
        The weight of a heel against that of toes. The paper holds toes alone.
    anchor_s : float
        A foot that lands elsewhere than in the data stays there and returns within about this time.
    ramp_s : float
        How long it takes to build up the hold on a foot that lands.
    """

    root_position: Pair
    root_rotation: Pair
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
    root_position=(4.0, 2.0),
    root_rotation=(1280.0, 40.0),
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
    root_position=(4.0, 2.0),
    root_rotation=(160.0, 25.0),
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
class FilterSettings:
    """What the filter tracks, and which forces it allows.

    Parameters
    ----------
    mode : {"joint", "position", "friction"}
        "joint" tracks the pose alone and "position" the toes of standing feet as well, both with any forces at the
        contacts; "friction" allows only forces within the friction pyramid and tracks the body as a whole too.
    whole : {"plan", "com", "none"}
        In mode "friction": "plan" tracks the planned centre of mass and angular momentum, "com" the horizontal
        position of the centre of mass alone, as the paper does.
    mu, sides : float, int
        The friction pyramid.
    solver : {"nnls", "greedy", "least_squares"}
        Of the contact forces.
    order : {"exact", "printed"}
        Whether references and root are met at once, or step by step as printed in the paper.
    gains : Gains
        How firmly each part is held.
    torque_limit : array, shape (dof,), optional
        Newton metres for each degree of freedom; None for any strength.
    """

    mode: Mode = "friction"
    whole: Whole = "plan"
    mu: float = 1.0
    sides: int = 4
    solver: Solver = "nnls"
    order: Order = "exact"
    gains: Gains = STEADY
    torque_limit: Floats | None = None


@dataclass(frozen=True)
class Attempt:
    """Other settings, for a motion that the usual ones do not follow well; None keeps a setting.

    cutoff_hz : the motion is smoothed below it first, beyond what was asked for.
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
