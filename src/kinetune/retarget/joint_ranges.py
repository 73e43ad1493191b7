"""How far the joints of the target may rotate: as far as a human's, or as the source's do where that is farther.

=============  =====================================================================================
PartRange      the range of one joint, read between the anatomical frames of two segments
JointRanges    those of a body, and poses kept within them
turned_joint   a pose in which one joint is turned
=============  =====================================================================================

The ranges are those of :data:`kinetune.body.kinematics.anatomy.HUMAN`. What the source does is never cut: a kick beyond
the textbook stays, but nothing that retargeting does may go beyond it. Where a joint comes to the end of its range, it
comes there without a corner, over the whole clip (:func:`kinetune.trajectory.one_sided.stay_within`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.feet.soles import SIDES
from kinetune.body.kinematics.anatomy import HUMAN, SHARED, limit_between
from kinetune.body.kinematics.joint_limits import JointLimit
from kinetune.retarget.physique import LEG, Physique
from kinetune.retarget.transfer import TRUNKS, trunk_between
from kinetune.rotations import Floats
from kinetune.trajectory.one_sided import stay_within

_CORNER_S = 0.05
_WHOLE = ("spine", "head")
_ABOVE = {
    "collar": ("chest", "hips"),
    "upper arm": ("collar", "chest", "hips"),
    "lower arm": ("upper arm",),
    "hand": ("lower arm",),
    "upper leg": ("hips",),
    "lower leg": ("upper leg",),
    "foot": ("lower leg",),
    "toes": ("foot",),
}


@dataclass(frozen=True)
class PartRange:
    """The range of one joint of a body.

    Parameters
    ----------
    joint, above : int
        It, and the joint whose segment carries it.
    limit : JointLimit
        Reads the rotation from the frame of the segment above to its own.
    cone : float
        How far a swing may go of what the cone of the limit allows: farther than 1 if the source does.
    """

    joint: int
    above: int
    limit: JointLimit
    cone: float = 1.0

    def turn(self, body: Physique, world: Floats) -> Floats:
        """The rotation (frames, 4) between the two segments, given world rotations (frames, joints, 4)."""
        frames = [rot.multiply(world[:, j], body.axes[j]) for j in (self.above, self.joint)]
        return rot.multiply(rot.inverse(frames[0]), frames[1])

    def including(self, rotations: Floats) -> PartRange:
        """The same joint with a range as wide as rotations (frames, 4) need it."""
        limit = self.limit.including(rotations)
        return replace(self, limit=limit, cone=max(self.cone, float(limit.cone_share(limit.read(rotations)).max())))

    def holds(self, turns: Floats) -> bool:
        """Whether all readings (frames, 3) are within the range."""
        least, most = np.transpose(self.limit.ranges)
        return bool(np.all((turns >= least) & (turns <= most)) and np.all(self.limit.cone_share(turns) <= self.cone))

    def cut(self, turns: Floats) -> Floats:
        """Readings (frames, 3) stopped where the range ends."""
        turns = np.clip(turns, *np.transpose(self.limit.ranges))
        return self._scaled(turns, np.minimum(self.limit.cone_share(turns), self.cone))

    def followed(self, turns: Floats, smooth_frames: float, held: NDArray[np.bool_] | None = None) -> Floats:
        """Readings (frames, 3) brought back within the range, with no corner where they come to its end.

        held : frames in which nothing changes.
        """
        columns = zip(turns.T, self.limit.ranges, strict=True)
        turns = np.stack([stay_within(column, *ends, smooth_frames, held) for column, ends in columns], axis=-1)
        return self._scaled(turns, stay_within(self.limit.cone_share(turns), -np.inf, self.cone, smooth_frames, held))

    def _scaled(self, turns: Floats, share: Floats) -> Floats:
        now = np.maximum(self.limit.cone_share(turns), 1e-12)
        scale = np.repeat(np.clip(share / now, 0.0, 1.0)[:, None], 3, axis=1)
        scale[:, self.limit.twist] = 1.0
        return turns * scale


class JointRanges:
    """The ranges of the target's joints.

    Parameters
    ----------
    clip : Clip
        The motion of the source.
    source, target : Physique
        The two bodies.
    """

    def __init__(self, clip: Clip, source: Physique, target: Physique) -> None:
        self.clip, self.source, self.target = clip, source, target
        self.smooth = _CORNER_S * clip.fps
        theirs, ours = _parts(self.target), _parts(self.source)
        self._source_of = {part.joint: ours.get(role, ours.get(role.split(",")[0])) for role, part in theirs.items()}
        self._ranges = {part.joint: part for role, part in theirs.items() if role not in _WHOLE}
        self._widened: dict[int, PartRange] = {}

    @property
    def above_legs(self) -> list[int]:
        """The joints of trunk, head and arms that have a range."""
        legs = {self.target.roles.get(f"{side} {part}") for side in SIDES for part in (*LEG, "toes")}
        return [joint for joint in self._ranges if joint not in legs]

    @cached_property
    def _source_world(self) -> Floats:
        return self.clip.world_rotations()

    def of(self, joint: int) -> PartRange | None:
        """The range of a joint, as wide as the source needs it; None for a joint that has none."""
        if joint not in self._ranges:
            return None
        if joint not in self._widened:
            part, ours = self._ranges[joint], self._source_of[joint]
            if ours is not None:
                part = part.including(ours.turn(self.source, self._source_world))
            self._widened[joint] = part
        return self._widened[joint]

    def widen(self, joint: int, turns: Floats) -> None:
        """Let the range of a joint include rotations (frames, 4) between its segment and the one above."""
        part = self.of(joint)
        if part is not None and len(turns):
            self._widened[joint] = part.including(turns)

    def beyond(self, joint: int, world: Floats) -> tuple[PartRange, Floats] | None:
        """The range of a joint and its readings (frames, 3), where they leave it; else None."""
        if joint not in self._ranges:
            return None
        turns = self._ranges[joint].limit.read(self._ranges[joint].turn(self.target, world))
        if self._ranges[joint].holds(turns):  # a human's range: the source does not matter
            return None
        part = self.of(joint)
        return None if part is None or part.holds(turns) else (part, turns)

    def kept(self, pose: Clip, joints: Iterable[int], *, held: NDArray[np.bool_] | None = None) -> Clip:
        """A pose whose joints stay within their ranges; what they carry goes with them.

        Parameters
        ----------
        pose : Clip
            The target.
        joints : iterable of int
            Which joints; others are left.
        held : bool array, shape (frames,)
            Frames in which nothing may change.
        """
        for joint in sorted(joints):
            world = pose.world_rotations()
            part_and_turns = self.beyond(joint, world)
            if part_and_turns is not None:
                pose = turned_joint(pose, joint, self.within(*part_and_turns, world, held))
        return pose

    def within(self, part: PartRange, turns: Floats, world: Floats, held: NDArray[np.bool_] | None = None) -> Floats:
        """World rotations (frames, 4) of a joint whose readings (frames, 3) are brought back into its range."""
        turns = part.followed(turns, self.smooth, held)
        frame = rot.multiply(world[:, part.above], self.target.axes[part.above])
        turned = rot.multiply(frame, part.limit.write(turns))
        return rot.multiply(turned, rot.inverse(self.target.axes[part.joint]))


def turned_joint(pose: Clip, joint: int, world: Floats) -> Clip:
    """The pose with a world rotation (frames, 4) of one joint; all that it carries goes with it."""
    above, rotations = int(pose.skeleton.parents[joint]), np.array(pose.rotations)
    local = world if above < 0 else rot.multiply(rot.inverse(pose.world_rotations()[:, above]), world)
    rotations[:, joint] = rot.continuous(rot.normalize(local))
    return pose.replace(rotations=rotations)


def _parts(body: Physique) -> dict[str, PartRange]:
    """Role to the range of its joint; for a trunk "spine" as a whole, and "spine, 2 of 3"."""
    parts = {}
    for side, (part, above) in itertools.product(SIDES, _ABOVE.items()):
        names = [name if name in ("chest", "hips") else f"{side} {name}" for name in above]
        carriers = [body.roles[name] for name in names if name in body.roles]
        joint = body.roles.get(f"{side} {part}")
        if joint is not None and carriers:
            limit = limit_between(joint, HUMAN[part], side, centred=part == "upper arm")
            parts[f"{side} {part}"] = PartRange(joint, carriers[0], limit)
    for group, (low, high) in zip(_WHOLE, TRUNKS, strict=True):
        if low in body.roles and high in body.roles:
            chain, _ = trunk_between(body, low, high)
            parts[group] = PartRange(body.roles[high], body.roles[low], limit_between(0, HUMAN[group], "left"))
            for number, joint in enumerate(chain):
                carrier = chain[number - 1] if number else body.roles[low]
                limit = limit_between(joint, HUMAN[group], "left").scaled(min(1.0, SHARED / len(chain)))
                parts[f"{group}, {number + 1} of {len(chain)}"] = PartRange(joint, carrier, limit)
    return parts
