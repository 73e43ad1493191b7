"""Steps of one foot, stacked as the solver and the kernels read them.

============  ======================================================================================
StepPool      steps of one foot that may follow one another, as arrays
FootChain     the path from the standing foot to the swinging one, at one moment
Legs          joints along it
LegArrays     one leg, as the kernels take it
walk_chain    where a chain of rotations ends
arc_length    how far a path has come, as a share of all of it
============  ======================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.limb_ik import hinge_axis
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError
from kinetune.inverse.steps.step_extraction import PHASES, FootFrame, StepExample
from kinetune.inverse.walk.footsteps import Side
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

step_kernels = Kernels("kinetune.inverse.steps.step_motion_kernels")
"""Everything compiled that makes a step."""
_EVEN = 0.02  # a share of even progress, so that a character that stands for a while still has a time
_HIPS_COUNT = 6.0  # a metre of the hips counts as much as this much of a quaternion


@dataclass(frozen=True, eq=False)
class Legs:
    """The way from the foot that stands to the one that swings, along the bones.

    up : joints from the standing carrier up to below the common joint; down : from there to the swinging carrier.
    to_root : joints from the standing carrier up to below the first joint.
    """

    up: tuple[int, ...]
    down: tuple[int, ...]
    to_root: tuple[int, ...]

    @cached_property
    def to_root_array(self) -> NDArray[np.intp]:
        """``to_root`` as the kernels take it."""
        return np.array(self.to_root, dtype=np.intp)

    @classmethod
    def between(cls, skeleton: Skeleton, stands: int, swings: int) -> Legs:
        """The way between two joints."""
        a, b = skeleton.chain(stands), skeleton.chain(swings)
        if a[0] != 0 or b[0] != 0:
            raise ParameterError("The legs do not hang on the first joint of the skeleton: such a body cannot walk.")
        common = max(k for k in range(min(len(a), len(b))) if a[k] == b[k])
        return cls(tuple(reversed(a[common + 1 :])), b[common + 1 :], tuple(reversed(a[1:])))


class LegArrays(NamedTuple):
    """A leg, as the kernels take it.

    chain : joints from the first to the carrier. joints : which of them are upper leg, lower leg, ankle and carrier.
    hinge : (3,) the axis of the knee in the frame of the upper leg. offsets : (joints, 3) of the skeleton.
    ahead, lock, pivot : (3,) those of its :class:`~kinetune.inverse.steps.step_extraction.FootFrame`.
    """

    chain: NDArray[np.intp]
    joints: NDArray[np.intp]
    hinge: Floats
    offsets: Floats
    ahead: Floats
    lock: Floats
    pivot: Floats


@dataclass(frozen=True, eq=False)
class FootChain:
    """The blended path from the standing foot to the swinging ball at one moment, as the kernels take it.

    rotations : (links, 4, n) of each example. offsets : (links, 3, 1) metres, after each rotation.
    base : (3, n) where the path begins. ends : (n, 4) where it ends: x, z, heading and height of the ball.
    """

    rotations: Floats
    offsets: Floats
    base: Floats
    ends: Floats

    def only(self, near: NDArray[np.intp]) -> FootChain:
        """The same path of a few examples."""
        rotations = np.ascontiguousarray(self.rotations[:, :, near])
        return FootChain(rotations, self.offsets, np.ascontiguousarray(self.base[:, near]), self.ends[near])


@dataclass(frozen=True, eq=False)
class StepPool:
    """Steps of one foot, stacked: n examples, sampled at the phases of :mod:`kinetune.inverse.steps.step_extraction`.

    rotations : (n, GRID, joints, 4), signs chosen so that they can be averaged; likewise ``carrier`` (n, GRID, 4).
    starts, ends : (n, 3). lock : (3,). The rest is as in a :class:`StepExample`, stacked.
    """

    skeleton: Skeleton
    stands: FootFrame
    swings: FootFrame
    examples: tuple[StepExample, ...]
    legs: Legs = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "legs", Legs.between(self.skeleton, self.stands.carrier, self.swings.carrier))

    def __len__(self) -> int:
        return len(self.examples)

    @cached_property
    def offsets(self) -> Floats:
        """(joints, 3) of the skeleton, as the kernels take them."""
        return np.array(self.skeleton.offsets)

    @cached_property
    def _chains_to(self) -> dict[int, NDArray[np.intp]]:
        joints = (self.stands.carrier, self.swings.carrier)
        return {joint: np.array(self.skeleton.chain(joint), dtype=np.intp) for joint in joints}

    def chain_to(self, carrier: int) -> NDArray[np.intp]:
        """The joints from the first one to a foot's carrier."""
        return self._chains_to[carrier]

    def _stack(self, name: str) -> Floats:
        return np.stack([getattr(example, name) for example in self.examples])

    def _turns(self, name: str) -> Floats:
        """Rotations (n, GRID, ..., 4) of all examples in one hemisphere."""
        return _one_hemisphere(self._stack(name))

    @cached_property
    def rotations(self) -> Floats:
        return self._turns("rotations")

    @cached_property
    def carrier(self) -> Floats:
        return self._turns("carrier")

    def _flat(self, *parts: Floats) -> Floats:
        """Arrays (n, GRID, ...) side by side: (n, GRID, m)."""
        return np.concatenate([part.reshape(*part.shape[:2], -1) for part in parts], axis=2)

    @cached_property
    def moving(self) -> Floats:
        """(n, GRID, 4 joints + 4 + 4) rotations, those of the toes that stand, and which soles carry."""
        return self._flat(self.rotations, self.carrier, self._stack("soles"))

    @cached_property
    def supporting(self) -> Floats:
        """(n, GRID, 4 k + 4) rotations from the standing toes up to the first joint, and those of the toes."""
        return self._flat(self.rotations[:, :, self.legs.to_root_array], self.carrier)

    @cached_property
    def rolling_off(self) -> Floats:
        """(n, GRID, 8 + 3) how the swinging foot leaves: rotations of ankle and toes, and its locked point."""
        return self._flat(self._turns("feet_before"), self._stack("path_before"))

    @cached_property
    def landing(self) -> Floats:
        """(n, GRID, 8 + 3) how it lands: rotations of ankle and toes, and its ball."""
        return self._flat(self._turns("feet_after"), self._stack("path_after"))

    @cached_property
    def times(self) -> Floats:
        """(n, GRID) seconds."""
        return self._stack("times")

    @cached_property
    def starts(self) -> Floats:
        return self._stack("start")

    @cached_property
    def ends(self) -> Floats:
        return self._stack("end")

    @cached_property
    def lock(self) -> Floats:
        """(3,) where the locked point is, as seen from the foot that stands."""
        return np.asarray(self._stack("lock").mean(axis=0))

    @cached_property
    def steps(self) -> Floats:
        """(links, 3) metres along the way from the standing carrier to the swinging ball, after each rotation."""
        offsets, legs = self.skeleton.offsets, self.legs
        steps = [-self.stands.lock, *(-offsets[joint] for joint in legs.up)]
        steps[-1] = steps[-1] + offsets[legs.down[0]]
        steps += [offsets[joint] for joint in legs.down[1:]]
        return np.array([*steps, self.swings.pivot])

    def chain_turns(self, rotations: Floats, carrier: Floats) -> Floats:
        """(links, ..., 4) rotations along that way, from local ones (..., joints, 4) and the carrier's (..., 4)."""
        up = [rot.inverse(rotations[..., joint, :]) for joint in self.legs.up]
        return np.stack([carrier, *up, *(rotations[..., joint, :] for joint in self.legs.down)])

    @cached_property
    def chains(self) -> tuple[FootChain, FootChain]:
        """The way at the start of a step and at its end."""
        return self._chain(0), self._chain(-1)

    def _chain(self, moment: int) -> FootChain:
        turns = self.chain_turns(self.rotations[:, moment], self.carrier[:, moment])  # (links, n, 4)
        base = np.repeat(self.lock[:, None], len(self), axis=1)
        place, turned = walk_chain(np.moveaxis(turns, 0, -2), self.steps, self.lock)
        places = np.stack([place[:, 0], place[:, 2], self.swings.heading(turned), place[:, 1]], axis=-1)
        steps = np.ascontiguousarray(self.steps[:, :, None])
        return FootChain(np.ascontiguousarray(turns.transpose(0, 2, 1)), steps, base, places)

    def features(self, rotations: Floats, root: Floats) -> Floats:
        """(n, m) what makes poses alike: rotations (n, joints, 4) but the first, and the place of the hips (n, 3)."""
        return np.concatenate([rotations[:, 1:].reshape(len(rotations), -1), _HIPS_COUNT * root], axis=1)

    @cached_property
    def _start_features(self) -> tuple[Floats, Floats]:
        """Features (n, m) of all starts, and their products (n, n)."""
        poses = self.features(self.rotations[:, 0], self.root_paths[:, 0])
        return poses, poses @ poses.T

    def likeness(self, near: NDArray[np.intp], pose: Floats) -> tuple[Floats, Floats]:
        """Rows (k, k) and aims (k,): |rows w - aims| is how far the start of k examples is from a pose's features (m,).

        The blend of quaternions is linear but for its length, so that their squared distance is a quadratic form of the
        weights; its root has k rows, for any number of joints.
        """
        poses, products = self._start_features
        values, vectors = np.linalg.eigh(products[np.ix_(near, near)])
        size = np.sqrt(np.maximum(values, 1e-9 * values[-1]))
        rows = np.ascontiguousarray(size[:, None] * vectors.T)
        return rows, (vectors.T @ (poses[near] @ pose)) / size

    @cached_property
    def leg_arrays(self) -> dict[Side, LegArrays]:
        """Both legs."""
        return {frame.side: self._leg(frame) for frame in (self.stands, self.swings)}

    def _leg(self, frame: FootFrame) -> LegArrays:
        roles, chain = self.skeleton.roles, self.skeleton.chain(frame.carrier)
        leg = [roles.get(f"{frame.side} {part}") for part in ("upper leg", "lower leg")]
        if None in leg or not set(leg) <= set(chain[1:]):
            missing = "upper leg" if leg[0] not in chain[1:] else "lower leg"
            raise ParameterError(
                f'The skeleton has no joint in the role "{frame.side} {missing}" above the foot: such a body cannot '
                "walk. kinetune info FILE shows what was recognised."
            )
        upper, lower = (int(joint or 0) for joint in leg)
        joints = [chain.index(joint) for joint in (upper, lower, frame.ankle, frame.carrier)]
        hinge = hinge_axis(self._as_clip, upper, lower, frame.ankle)
        chain_array, joint_array = np.array(chain, dtype=np.intp), np.array(joints, dtype=np.intp)
        return LegArrays(chain_array, joint_array, hinge, self.offsets, frame.ahead, frame.lock, frame.pivot)

    @cached_property
    def _as_clip(self) -> Clip:
        """All examples one after another, each hanging on the foot that stands."""
        from kinetune.inverse.steps.foot_locks import lock_support

        local = np.array(self.rotations).reshape(-1, len(self.skeleton), 4)
        root, turned = lock_support(self, local, self.carrier.reshape(-1, 4), 0.0, self.lock)
        local[:, 0] = turned
        return Clip(self.skeleton, 60.0, root, local)

    @cached_property
    def root_paths(self) -> Floats:
        """(n, GRID, 3) the ways of the first joint, seen from the foot that stands."""
        return self._as_clip.root.reshape(len(self), -1, 3)

    @cached_property
    def root_turns(self) -> Floats:
        """(n, GRID, 4) how the first joint is turned, in one hemisphere."""
        return _one_hemisphere(self._as_clip.rotations[:, 0].reshape(len(self), -1, 4))

    @cached_property
    def hips_gone(self) -> Floats:
        """(n, GRID) which share of its way the first joint has come in each example."""
        return np.stack([arc_length(path, PHASES) for path in self.root_paths])

    @cached_property
    def natural(self) -> Floats:
        """(3,) the usual end of a step: x, z, heading of the foot that lands, seen from the one that stands."""
        return np.asarray(np.median(self.ends, axis=0))


def _one_hemisphere(turns: Floats) -> Floats:
    """Rotations (n, moments, ..., 4), continuous in time, with signs for which examples lie close together."""
    middle = turns.mean(axis=1)
    away = np.sum(middle * middle[:1], axis=-1) < 0.0
    return np.ascontiguousarray(np.where(away[:, None, ..., None], -turns, turns))


def walk_chain(turns: Floats, steps: Floats, base: Floats) -> tuple[Floats, Floats]:
    """Where a chain ends, and how its end is turned.

    Parameters
    ----------
    turns : (..., links, 4) rotations, each in the frame of the one before. steps : (links, 3) after each rotation.
    base : (..., 3) where it begins.
    """
    place = np.broadcast_to(base, (*turns.shape[:-2], 3))
    turned = turns[..., 0, :]
    for link in range(len(steps)):
        if link:
            turned = rot.multiply(turned, turns[..., link, :])
        place = place + rot.rotate(turned, steps[link])
    return np.asarray(place), turned


def arc_length(path: Floats, phases: Floats) -> Floats:
    """How far a path (n, 3) has come at each of n increasing phases, from 0 to 1."""
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    total = float(gone[-1])
    even = (phases - phases[0]) / (phases[-1] - phases[0])
    return np.asarray(even if total < 1e-9 else (1.0 - _EVEN) * gone / total + _EVEN * even)
