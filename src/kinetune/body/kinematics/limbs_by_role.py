"""The limbs of a figure by the roles of their joints, and bringing their ends somewhere.

===========  ===============================================================
find_limbs   the arms and legs
limb_of      the limb that ends in a joint
bring_limb   a clip whose hand or foot follows a path
===========  ===============================================================
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.kinematics.limb_ik import place_limb
from kinetune.body.kinematics.limb_nudge import nudge_limb
from kinetune.body.skeleton import Skeleton
from kinetune.rotations import Floats


class Limb(NamedTuple):
    """A limb: the joints at its root, in its middle and at its end, and the joint of the trunk that carries it."""

    upper: int
    lower: int
    end: int
    carrier: int
    is_leg: bool


_PARTS = (("hand", "upper arm", "lower arm", "chest"), ("foot", "upper leg", "lower leg", "hips"))


def find_limbs(skeleton: Skeleton) -> tuple[Limb, ...]:
    """The arms and legs of which all joints are known, left before right."""
    roles = skeleton.roles
    found = []
    for side in ("left", "right"):
        for end, upper, lower, carrier in _PARTS:
            names = [f"{side} {upper}", f"{side} {lower}", f"{side} {end}", carrier]
            if all(name in roles for name in names):
                top, middle, tip, trunk = (roles[name] for name in names)
                found.append(Limb(top, middle, tip, trunk, is_leg=end == "foot"))
    return tuple(found)


def limb_of(skeleton: Skeleton, end: int) -> Limb | None:
    """The limb that ends in a joint; None for any other joint."""
    return next((limb for limb in find_limbs(skeleton) if limb.end == end), None)


def bring_limb(
    clip: Clip,
    limb: Limb,
    path: Floats,
    *,
    keep: Literal["world", "local"],
    soft: bool = True,
    hinge: Floats | None = None,
) -> Clip:
    """A clip whose hand or foot follows a path, as far as its limb reaches.

    Parameters
    ----------
    path : (frames, 3) metres in the world.
    keep : whether the hand or foot keeps its turn in the world, or against the bone above it.
    soft : near full stretch, give way a little, so that knees do not pop along a path; off, the path is met to the
        last bit of reach, which suits a single pose.
    hinge : (3,) the axis of the middle joint in the upper one's frame, for a part of a clip; found when left out.

    Notes
    -----
    The limb flexes about the hinge that it has in the rest of the clip
    (:func:`kinetune.body.kinematics.limb_nudge.nudge_limb`): the plane of a limb that is straight is noise.
    """
    brought, miss = nudge_limb(clip, limb.upper, limb.lower, limb.end, path, hinge=hinge)
    if not soft and miss.max() > 1e-9:
        joints = limb.upper, limb.lower, limb.end
        brought, _ = place_limb(brought, *joints, path, softness=0.0, keep="world", hinge=hinge)
    if keep == "world":
        return brought
    rotations = np.array(brought.rotations)
    rotations[:, limb.end] = clip.rotations[:, limb.end]
    return brought.replace(rotations=rotations, contacts=clip.contacts)
