r"""Joints turned a little, so that all of them come near positions that something else has found.

===========  =======================================
turn_toward  the clip with its joints near positions
===========  =======================================

From the root down, each joint turns by the x that minimises

.. math:: \sum_c |m_c - r_c - x \times r_c|^2 + \rho^2 |x|^2

over the joints c that it carries: r their bones, as the joints above have turned them, m where they are to come from
where the joint is now. What a joint misses, those below it make up for. A long bone says more about a rotation than its
own rotation does, and a short one less; they say the same at the length :math:`\rho`. A joint that turns about a single
axis in the clip, as that of a robot or a knee, keeps to it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.forward import forward
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

Bools = NDArray[np.bool_]

_kernels = Kernels("kinetune.body.kinematics.toward_positions_kernels")

_LOOKED_AT = 64  # frames, to see about which axes joints turn
_OFF_AXIS = 1e-4  # of the turn of a hinge; files of single precision have 1e-6
_EVEN = 0.06  # of the character's height: the bone that says as much about a rotation as the rotation itself


def turn_toward(clip: Clip, positions: Floats, free: Bools, known: Bools) -> Clip:
    """The clip with its joints near positions.

    Parameters
    ----------
    positions : array, shape (frames, joints, 3)
        In space.
    free : bool array, shape (joints,)
        The joints that may turn; others keep their rotations to the bit.
    known : bool array, shape (joints,)
        The joints whose positions count. The root goes to its own.
    """
    skeleton = clip.skeleton
    places, turns = forward(skeleton, clip.root, clip.rotations, clip.translations)
    parents = np.asarray(skeleton.parents, dtype=np.intp)
    holders = np.full(len(parents), -1, dtype=np.intp)
    for joint, parent in enumerate(parents.tolist()):
        if parent >= 0:
            holders[joint] = parent if free[parent] else holders[parent]
    aims, root = np.array(positions), positions[:, 0]
    stiff = holders < 0
    aims[:, stiff] = places[:, stiff]
    carried = [joint for joint in skeleton.subtree(0) if stiff[joint]]
    aims[:, carried] += (root - places[:, 0])[:, None]
    local = np.array(clip.rotations)
    stiffness = (_EVEN * (skeleton.height or 1.75)) ** 2
    tree = parents, holders, np.asarray(free)
    hinges = _hinges(local)
    _kernels.load().turn_toward(places, turns, aims, np.asarray(known), tree, hinges, stiffness, local)
    translations = clip.translations
    if translations is not None:
        translations = np.array(translations)
        translations[:, 0] = root
    return clip.replace(root=root, rotations=local, translations=translations, contacts=clip.contacts)


def _hinges(rotations: Floats) -> Floats:
    """The only axis (joints, 3) about which a joint turns in its parent's frame; 0 where there are more, or none."""
    some = rotations[np.unique(np.linspace(0, len(rotations) - 1, _LOOKED_AT).astype(int))]
    turned = rot.log(rot.multiply(some, rot.inverse(some[:1])))
    extent, axes = np.linalg.eigh(np.einsum("fji,fjk->jik", turned, turned))
    return np.asarray(np.where(extent[:, 1:2] < _OFF_AXIS**2 * extent[:, 2:], axes[:, :, 2], 0.0))
