"""The equalizer on a character: its joints, the sway of its root, the paths of its hands and feet.

=================  ==========================================================================================
equalize_joints    joint rotations, and the root's sway about its slow path, with their bands turned up or down
equalize_paths     the same for the paths of hands and feet, which the limbs then reach by inverse kinematics
=================  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.curves.pose_curves import Kind, RootChannels, pose_curves
from kinetune.body.kinematics.limb_ik import bent_path, bring_limb, find_limbs
from kinetune.body.root_motion import Travel, is_cycle, shift_joint, slow_travel
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.bands.gains import Ends, equalize_curves
from kinetune.signals.filters import straight

JointGains = tuple[Sequence[int], Floats]
"""Some joints, and their gains (bands, 1) or (bands, frames)."""


def equalize_joints(
    clip: Clip,
    parts: Sequence[JointGains],
    *,
    root: RootChannels = "height",
    kind: Kind = "log",
    orders: Sequence[str] | None = None,
    ends: Ends = "held",
) -> Clip:
    """The clip with the frequency bands of its joints turned up or down.

    Parameters
    ----------
    parts : groups of joints with their gains, no joint in two of them.
    root : what is equalized of the position of the joint that carries the character, if it is chosen: nothing, its
        height only, or its height, sway and surge. Its slow path stays in any case (:mod:`kinetune.body.root_motion`).
    kind, orders : see :func:`kinetune.body.curves.pose_curves.pose_curves`.
    ends : see :func:`kinetune.signals.bands.gains.equalize_curves`.

    Notes
    -----
    Positions of other joints that the file animates are equalized like any curve.
    """
    closed = ends == "cycle" and is_cycle(clip)
    travel = slow_travel(clip, steady=closed)
    rotations = np.array(clip.rotations)
    for joints, gains in parts:
        if not len(joints):
            continue
        seen = pose_curves(clip, joints, kind=kind, orders=orders, travel=travel)
        rotations[:, list(seen.joints)] = seen.rotations(equalize_curves(seen.curves, gains, ends=ends, closed=closed))
    result = clip.replace(rotations=rot.continuous(rotations), contacts=clip.contacts)
    for joints, gains in parts:
        result = _equalize_places(result, list(joints), gains, travel, root, ends, closed)
    return result


def _equalize_places(
    clip: Clip, joints: list[int], gains: Floats, travel: Travel, root: RootChannels, ends: Ends, closed: bool
) -> Clip:
    """The root's sway, and the positions that other joints have of their own."""
    if root != "none" and travel.joint in joints:
        sway = clip.positions()[:, travel.joint] - travel.path
        change = equalize_curves(sway, gains, ends=ends, closed=closed) - sway
        if root == "height":
            change[:, [0, 2]] = 0.0
        clip = shift_joint(clip, travel.joint, change)
    if clip.translations is not None:
        moving = [j for j in joints if j not in (0, travel.joint) and np.ptp(clip.translations[:, j], axis=0).any()]
        if moving:
            translations = np.array(clip.translations)
            places = translations[:, moving]
            line = straight(places[0], places[-1], len(places))
            translations[:, moving] = line + equalize_curves(places - line, gains, ends=ends, closed=closed)
            clip = clip.replace(translations=translations, contacts=clip.contacts)
    return clip


def equalize_paths(clip: Clip, parts: Sequence[JointGains], *, ends: Ends = "held") -> Clip:
    """The clip with the paths of its hands and feet equalized, and the limbs following them.

    A hand's path is seen from the chest, a foot's from the hips; the trunk stays as it is. A hand keeps its rotation
    against the forearm, a foot its rotation in the world. Toward places out of reach a limb points,
    and keeps the bend that it has.

    Parameters
    ----------
    parts : groups of joints with their gains; the hands and feet among them are edited.
    """
    closed = ends == "cycle" and is_cycle(clip)
    result = clip
    any_limb = False
    for joints, gains in parts:
        for limb in find_limbs(clip.skeleton):
            if limb.end not in joints:
                continue
            any_limb = True
            turned, place = clip.world_rotations()[:, limb.carrier], clip.positions()[:, limb.carrier]
            path = rot.rotate(rot.inverse(turned), clip.positions()[:, limb.end] - place)
            new = rot.rotate(turned, equalize_curves(path, gains, ends=ends, closed=closed)) + place
            result = bring_limb(result, limb, bent_path(clip, limb, new), keep="world" if limb.is_leg else "local")
    if not any_limb:
        raise ParameterError(
            'None of the chosen joints is a hand or a foot with a limb above it. Choose such as joints="right hand", '
            "or equalize rotations."
        )
    return result.replace(rotations=rot.continuous(result.rotations), contacts=clip.contacts)
