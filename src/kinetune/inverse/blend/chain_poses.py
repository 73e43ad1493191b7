"""Blended chains: where an effector is for given weights, and how it moves with each weight.

Only the joints from the root to the effector matter, in one frame. For the weights w, with parents' world turns R_l
and places p_l,

* as quaternions, ``q_l = sum_j w_j q_jl / |sum|``; a small weight of example j turns the joint by
  ``omega_jl = R_l (2 / |sum|) vec(q_jl conj(q_l))``,
* as exponential maps about a reference, ``q_l = ref_l exp(sum_j w_j v_jl)`` and ``omega_jl = R_l ref_l J_left v_jl``,

and the effector p moves by ``dp/dw_j = base_j + sum_l omega_jl x (p - p_l)`` and turns by ``sum_l omega_jl``.
Along weights that sum to 1 these are exact derivatives.

:func:`pack` lays out what both bodies read: the NumPy one here, the compiled one in :mod:`.pose_kernels`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.inverse.blend.example_set import ExampleSet
from kinetune.rotations import Floats


class Probe(NamedTuple):
    """A point on a joint in one frame."""

    joint: int
    offset: tuple[float, float, float]
    frame: int


Chains = tuple[Floats, Floats, Floats, Floats, NDArray[np.int64], Floats, Floats]
"""turns (links, 4, n), references (links, 4), steps (links, 3, n or 1), bases (probes, 3, n), starts (probes + 1,),
and the examples' own effectors: places (probes, n, 3) and poses (probes, n, 4). A link is a joint; its step leads on
to the next one, or to the effector."""


def pack(examples: ExampleSet, probes: Sequence[Probe]) -> Chains:
    """The chains of some probes, all examples side by side."""
    skeleton, n = examples.skeleton, len(examples)
    turns, references, steps, bases, starts = [], [], [], [], [0]
    for probe in probes:
        chain = list(skeleton.chain(probe.joint))
        here = examples.turns[:, probe.frame, chain]  # (n, links, 4)
        if examples.rotations == "expmap":
            here = np.concatenate([examples.vectors[:, probe.frame, chain], np.zeros((n, len(chain), 1))], axis=-1)
        turns.append(np.moveaxis(here, 0, -1))
        references.append(examples.references[probe.frame, chain])
        if examples.moving:
            local = examples.translations[:, probe.frame]
        else:
            local = np.broadcast_to(skeleton.offsets, (n, len(skeleton), 3))
        tip = np.broadcast_to(np.array(probe.offset), (n, 1, 3))
        lead = np.moveaxis(np.concatenate([local[:, chain[1:]], tip], axis=1), 0, -1)
        steps.append(lead if examples.moving else lead[..., :1])
        bases.append(examples.roots[:, probe.frame].T if chain[0] == 0 else local[:, chain[0]].T)
        starts.append(starts[-1] + len(chain))
    form = 0 if examples.rotations == "quaternion" else 1
    arrays = (
        np.ascontiguousarray(np.concatenate(turns)),
        np.ascontiguousarray(np.concatenate(references)),
        np.ascontiguousarray(np.concatenate(steps)),
        np.ascontiguousarray(np.stack(bases)),
        np.array(starts, dtype=np.int64),
    )
    own = [[blend_chain(weights, form, arrays, p) for weights in np.eye(n)] for p in range(len(probes))]
    places = np.array([[pose.place for pose in row] for row in own])
    poses = np.array([[pose.turn for pose in row] for row in own])
    return (*arrays, places, poses)


class Pose(NamedTuple):
    """An effector: place (3,), turn (4,) wxyz, and their derivatives (3, n) by each weight."""

    place: Floats
    turn: Floats
    places_to: Floats
    turns_to: Floats


def blend_chain(weights: Floats, form: int, chains: tuple[NDArray[Any], ...], probe: int) -> Pose:
    """The blended effector of one probe: the NumPy body of :func:`.pose_kernels.blend_chain`."""
    turns, references, steps, bases, starts = chains[:5]
    base, links = bases[probe], range(int(starts[probe]), int(starts[probe + 1]))
    moving = steps.shape[2] > 1
    place, world = base @ weights, rot.identity()
    joints, omegas, leads = [], [], []
    for link in links:
        mean = turns[link] @ weights
        if form == 0:
            length = max(float(np.linalg.norm(mean)), 1e-12)
            local = mean / length
            omega = (2.0 / length) * rot.multiply(turns[link].T, rot.inverse(local))[:, 1:]
        else:
            local = rot.multiply(references[link], rot.exp(mean[:3]))
            omega = rot.rotate(references[link], (_left_jacobian(mean[:3]) @ turns[link, :3]).T)
        joints.append(place)
        omegas.append(rot.rotate(world, omega))
        world = rot.multiply(world, local)
        if moving:
            leads.append(rot.rotate(world, steps[link].T))
        place = place + rot.rotate(world, steps[link] @ weights if moving else steps[link, :, 0])
    places_to = base + sum(np.cross(omega, place - joint).T for omega, joint in zip(omegas, joints, strict=True))
    if moving:
        places_to = places_to + np.sum(leads, axis=0).T
    return Pose(place, world, places_to, np.sum(omegas, axis=0).T)


def _left_jacobian(v: Floats) -> Floats:
    """How exp(v) turns when v changes: 1 + (1 - cos t)/t^2 K + (t - sin t)/t^3 K^2."""
    square = float(v @ v)
    if square < 1e-6:
        second, third = 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    else:
        t = np.sqrt(square)
        second, third = (1.0 - np.cos(t)) / square, (t - np.sin(t)) / (square * t)
    k = cross_matrix(v)
    return np.eye(3) + second * k + third * k @ k


def cross_matrix(v: Floats) -> Floats:
    """The matrix K with K x = v cross x."""
    x, y, z = v.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def relative(pose: Pose, other: Pose) -> Pose:
    """An effector as seen from another joint."""
    away, lead = rot.inverse(other.turn), pose.place - other.place
    moved = pose.places_to - other.places_to - np.cross(other.turns_to.T, lead).T
    return Pose(
        rot.rotate(away, lead),
        rot.multiply(away, pose.turn),
        rot.rotate(away, moved.T).T,
        rot.rotate(away, (pose.turns_to - other.turns_to).T).T,
    )
