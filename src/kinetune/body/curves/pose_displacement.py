"""Displacement mapping on a character: change its pose at a few frames, and the rest follows smoothly.

============  ===============================================================================================
displace      a clip with rotations of joints, moves of the character and goals for hands and feet at a few frames
TurnKey       a joint turned further at a frame
MoveKey       the whole character elsewhere at a frame
GoalKey       a joint at a position at a frame, reached by inverse kinematics
============  ===============================================================================================

A displacement of a rotation is a rotation vector in the axes of the joint's parent, put on top of the motion: the arm
that is raised by 20 degrees at its key stays raised, in part, while it swings on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.chain_ik import solve_chain
from kinetune.body.kinematics.limb_ik import bring_limb, hinge_axis, limb_of
from kinetune.body.roles.joint_roles import group_joints
from kinetune.body.root_motion import shift_joint, travelling_joint
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.displacement import Ends, displacement, displacement_curve, nearest_turn
from kinetune.signals.splines.tcb import TCB

MET = 1e-4
"""Metres within which a goal counts as met."""

_ROUNDS = 30
_CLOSE = 1e-6  # metres at which the rounds stop


@dataclass(frozen=True)
class TCBParameters:
    """Tension, continuity and bias of a key."""

    tension: float = 0.0
    continuity: float = 0.0
    bias: float = 0.0


@dataclass(frozen=True)
class TurnKey:
    """A joint rotated further at a frame: ``turn`` is a rotation vector in radians, in the axes of its parent."""

    frame: int
    joint: int
    turn: tuple[float, float, float]
    tcb: TCBParameters = TCBParameters()


@dataclass(frozen=True)
class MoveKey:
    """The whole character moved at a frame: ``shift`` is in metres, in the world."""

    frame: int
    shift: tuple[float, float, float]
    tcb: TCBParameters = TCBParameters()


@dataclass(frozen=True)
class GoalKey:
    """A joint brought to a position at a frame.

    place : metres in the world, or, if ``relative``, the offset from where all other keys leave the joint.
    chain : the joints that may rotate for it; empty for the two bones of its limb, or all joints above it.
    keep : whether the joint keeps its rotation in the world or against the bone above it.
    """

    frame: int
    joint: int
    place: tuple[float, float, float]
    relative: bool = False
    chain: tuple[int, ...] = ()
    keep: Literal["world", "local"] = "local"
    tcb: TCBParameters = TCBParameters()


@dataclass(frozen=True, eq=False)
class DisplacedClip:
    """What came out: the clip, and how far each goal was missed (metres; below :data:`MET` it is met)."""

    clip: Clip
    misses: Floats

    @property
    def reachable(self) -> bool:
        """Whether every goal was met."""
        return bool(np.all(self.misses <= MET))


def displace(
    clip: Clip,
    *,
    turns: Sequence[TurnKey] = (),
    moves: Sequence[MoveKey] = (),
    goals: Sequence[GoalKey] = (),
    ends: Ends = "zero",
    window_s: float | None = None,
    span: tuple[int, int] | None = None,
) -> DisplacedClip:
    """Change a clip at a few frames and let the change spread smoothly.

    Parameters
    ----------
    turns, moves, goals : keys; at most one rotation and one goal of a joint, and one move, at a frame.
    ends : see :func:`kinetune.signals.displacement.displacement`.
    window_s : seconds from a key at which its influence ends; None spreads it to the next key or the end of the clip.
    span : give the frames from the first of these to before the second only, as they are in the whole; None for all.

    Notes
    -----
    A goal is met in three steps: the other keys are applied; inverse kinematics find the pose at its frame; the
    rotations that this takes become keys of the joints of the limb. Goals whose chains share joints are taken in rounds
    until all are met. All of that looks at the frames of goals only, so that it takes as long for a minute as for an
    hour.
    Laws (``tests/body/curves/test_pose_displacement.py``): turned keys are met to 1e-9 radians, goals within reach to
    0.1 mm; no keys change nothing; the first and the last frame stay unless they are keys.
    """
    _check(clip, turns, moves, goals)
    window = None if window_s is None else window_s * clip.fps
    work = _Work(clip, _moved(clip, moves, ends, window), ends, window)
    for key in turns:
        work.turns.setdefault(key.joint, {})[key.frame] = (np.array(key.turn, dtype=float), key.tcb)
    for joint in work.turns:
        work.spread(joint)
    first, last = (0, len(clip)) if span is None else span
    if not goals:
        return DisplacedClip(work.frames(first, last), np.zeros(0))
    posed = [work.pose(goal.frame).positions()[0, goal.joint] for goal in goals]
    placed = [
        replace(goal, place=tuple(place + goal.place), relative=False) if goal.relative else goal
        for goal, place in zip(goals, posed, strict=True)
    ]
    turned = {(key.frame, key.joint) for key in turns}
    misses = np.full(len(placed), np.inf)
    for _ in range(_ROUNDS):
        before = misses
        for goal in placed:
            work.reach(goal, keep="local" if (goal.frame, goal.joint) in turned else goal.keep)
        reached = [work.pose(goal.frame).positions()[0, goal.joint] for goal in placed]
        misses = np.array([np.linalg.norm(at - goal.place) for at, goal in zip(reached, placed, strict=True)])
        if np.all((misses < _CLOSE) | (np.abs(before - misses) < _CLOSE)):
            break
    return DisplacedClip(work.frames(first, last), misses)


class _Work:
    """The displacements found so far, and the motion that they make."""

    def __init__(self, clip: Clip, moved: Clip, ends: Ends, window: float | None) -> None:
        self.original, self.moved = clip, moved
        self.ends, self.window = ends, window
        self.turns: dict[int, dict[int, tuple[Floats, TCBParameters]]] = {}
        self.spreads: dict[int, TCB] = {}
        self._hinges: dict[int, Floats] = {}

    def spread(self, joint: int) -> None:
        """Run the spline of a joint through its keys."""
        keys = sorted(self.turns[joint].items())
        tcb = [k for _, (_, k) in keys]
        self.spreads[joint] = displacement_curve(
            len(self.original),
            [frame for frame, _ in keys],
            np.array([value for _, (value, _) in keys]),
            tension=[k.tension for k in tcb],
            continuity=[k.continuity for k in tcb],
            bias=[k.bias for k in tcb],
            ends=self.ends,
            window=self.window,
        )

    def frames(self, first: int, last: int) -> Clip:
        """Some frames of the motion with all displacements."""
        every = first == 0 and last == len(self.moved)
        part = self.moved if every else self.moved[first:last]
        rotations = np.array(part.rotations)
        for joint, curve in self.spreads.items():
            rotations[:, joint] = rot.multiply(rot.exp(np.asarray(curve(np.arange(first, last)))), rotations[:, joint])
        contacts = self.original.contacts if every else part.contacts
        return part.replace(rotations=rot.normalize(rotations), contacts=contacts)

    def pose(self, frame: int) -> Clip:
        """One frame."""
        return self.frames(frame, frame + 1)

    def reach(self, goal: GoalKey, keep: Literal["world", "local"]) -> None:
        """Find the rotations that bring a joint to its goal, and make them keys."""
        pose = self.pose(goal.frame)
        limb = None if goal.chain else limb_of(pose.skeleton, goal.joint)
        if limb is not None:
            if limb.lower not in self._hinges:
                self._hinges[limb.lower] = hinge_axis(self.original, limb.upper, limb.lower, limb.end)
            goals, hinge = np.array([goal.place]), self._hinges[limb.lower]
            new = bring_limb(pose, limb, goals, keep=keep, soft=False, hinge=hinge).rotations[0]
        else:
            new = _solve(pose, goal, keep)
        changed = chain_of(pose.skeleton, goal)
        if keep == "world":
            changed = (*changed, goal.joint)
        for joint in changed:
            base = self.moved.rotations[goal.frame, joint]
            turn = rot.log(rot.multiply(new[joint], rot.inverse(base)))
            near = self.spreads.get(joint)
            turn = nearest_turn(turn, np.zeros(3) if near is None else np.asarray(near(float(goal.frame))))
            self.turns.setdefault(joint, {})[goal.frame] = (turn, goal.tcb)
            self.spread(joint)


def chain_of(skeleton: Skeleton, goal: GoalKey) -> tuple[int, ...]:
    """The joints that rotate to meet a goal.

    Unless it names them: the two bones that carry a hand or a foot; for another joint of a limb those of the limb above
    it; for all others the joints of the upper body that carry it, or without roles all that do but the first.
    """
    if goal.chain:
        return goal.chain
    limb = limb_of(skeleton, goal.joint)
    if limb is not None:
        return limb.upper, limb.lower
    above = skeleton.chain(goal.joint)[:-1]
    for group in ("left arm", "right arm", "left leg", "right leg"):
        inside = group_joints(skeleton, group) or ()
        if goal.joint in inside and any(j in inside for j in above):
            return tuple(j for j in above if j in inside)
    upper = group_joints(skeleton, "upper body") or ()
    return tuple(j for j in above if j in upper) or above[1:] or above


def _solve(pose: Clip, goal: GoalKey, keep: str) -> Floats:
    """Local rotations (joints, 4) for the goal of a pose, a clip of one frame."""
    skeleton = pose.skeleton
    if pose.translations is not None:  # bones as long as they are in this frame
        skeleton = Skeleton(skeleton.names, skeleton.parents, pose.translations[0], (), skeleton.rest)
    start = skeleton.chain(goal.joint)[0]  # another root may carry it
    solved, _ = solve_chain(
        skeleton,
        pose.positions()[:, start],
        pose.rotations,
        chain_of(pose.skeleton, goal),
        goal.joint,
        np.array(goal.place),
        iterations=300,
        tolerance=1e-8,
    )
    if keep == "world":
        turned = rot.identity()
        for joint in skeleton.chain(goal.joint)[:-1]:
            turned = rot.multiply(turned, solved[0, joint])
        solved[0, goal.joint] = rot.multiply(rot.inverse(turned), pose.world_rotations()[0, goal.joint])
    return np.asarray(solved[0])


def _moved(clip: Clip, moves: Sequence[MoveKey], ends: Ends, window: float | None) -> Clip:
    """The clip with its character displaced."""
    if not moves:
        return clip
    keys = sorted(moves, key=lambda key: key.frame)
    shift = displacement(
        len(clip),
        [key.frame for key in keys],
        np.array([key.shift for key in keys], dtype=float),
        tension=[key.tcb.tension for key in keys],
        continuity=[key.tcb.continuity for key in keys],
        bias=[key.tcb.bias for key in keys],
        ends=ends,
        window=window,
    )
    return shift_joint(clip, travelling_joint(clip), shift)


def _check(clip: Clip, turns: Sequence[TurnKey], moves: Sequence[MoveKey], goals: Sequence[GoalKey]) -> None:
    last = len(clip) - 1
    names = clip.skeleton.names
    taken: set[tuple[str, int, int]] = set()
    for kind, keys in (("turn", turns), ("move", moves), ("goal", goals)):
        for key in keys:
            if not 0 <= key.frame <= last:
                raise ParameterError(f"A key is at frame {key.frame}, but the clip has frames 0 to {last}.")
            joint = getattr(key, "joint", 0)
            if (kind, key.frame, joint) in taken:
                what = "The character" if kind == "move" else f'Joint "{names[joint]}"'
                raise ParameterError(f"{what} has two keys of one kind at frame {key.frame}. Keep one of them.")
            taken.add((kind, key.frame, joint))
    for goal in goals:
        above = clip.skeleton.chain(goal.joint)[:-1]
        if not above:
            raise ParameterError(
                f'Nothing carries joint "{names[goal.joint]}", so no joint can rotate to move it. '
                "Move the character instead."
            )
        for joint in chain_of(clip.skeleton, goal):
            if joint not in above:
                raise ParameterError(f'Joint "{names[joint]}" does not carry "{names[goal.joint]}" and cannot move it.')
            if ("turn", goal.frame, joint) in taken:
                raise ParameterError(
                    f'At frame {goal.frame} one key rotates joint "{names[joint]}" and another needs it to bring '
                    f'"{names[goal.joint]}" to its goal. Displace twice, or name other joints as its chain.'
                )
