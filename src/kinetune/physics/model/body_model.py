"""A character with mass: the physical model of a skeleton, on MuJoCo.

==============  ==========================================================================================
Body            the model; ``Body.fit(skeleton)`` makes it
Segment         a rigid part of it
ContactPoint    a point at which it may touch the ground
==============  ==========================================================================================

Masses come from :mod:`kinetune.physics.model._human_segments` for humans and from
:mod:`kinetune.physics.model._fitting` for other characters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.html_tables import html_table
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError, SkeletonMismatchError
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.physics.model.segments import MassBox
from kinetune.rotations import Floats

if TYPE_CHECKING:
    import mujoco

    from kinetune.physics.equations_of_motion import Poses


@dataclass(frozen=True, eq=False)
class Segment:
    """A rigid part of the body.

    Parameters
    ----------
    name : str
        Of its joint.
    joint : int
        The joint at which it begins and about which it rotates.
    joints : tuple of int
        All joints that move with it: its own and those welded to it.
    mass : float
        Kilograms.
    centre : array, shape (3,)
        Its centre of mass in the joint's frame, in metres.
    inertia : array, shape (3, 3)
        About that centre in the joint's axes, in kg m2.
    boxes : tuple of MassBox
        Its shape.
    axes : array, shape (hinges, 3), optional
        The axes of its hinges, in the joint's frame; None for a ball.
    ranges : array, shape (hinges, 2), optional
        How far each may turn, in radians from rest; None where no limits are known.
    """

    name: str
    joint: int
    joints: tuple[int, ...]
    mass: float
    centre: Floats
    inertia: Floats
    boxes: tuple[MassBox, ...] = ()
    axes: Floats | None = None
    ranges: Floats | None = None


@dataclass(frozen=True, eq=False)
class ContactPoint:
    """A point of the body that may touch the ground.

    Parameters
    ----------
    name : str
        Such as "left heel right": the foot, the part, and which edge of it.
    body : int
        The number of MuJoCo's body that carries it.
    joint : int
        The skeleton's joint.
    position : array, shape (3,)
        In that joint's frame, in metres.
    side : str
        "left" or "right", "" where a skeleton has no sides.
    part : {"heel", "toe", "other"}
        Ball and tip are "toe"; seat, knees and hands are "other".
    """

    name: str
    body: int
    joint: int
    position: Floats
    side: str
    part: Literal["heel", "toe", "other"]


@dataclass(frozen=True, eq=False, repr=False)
class Body:
    """The physical model of a skeleton: a free root, ball joints, and masses as a body has them.

    Parameters
    ----------
    skeleton : Skeleton
        Whose model it is.
    segments : tuple of Segment
        The rigid parts in the order of MuJoCo's bodies, without the world: segment k is body k + 1.
    points : tuple of ContactPoint
        Where it may touch the ground; none for a skeleton without feet.
    height : float
        Of the character when it stands, in metres.
    human : bool
        Whether the proportions are those of a human body.
    notes : tuple of str
        What was assumed.
    mjcf : str
        The model as text that MuJoCo's own loader and viewer open.
    offsets : array, shape (segments, 3)
        Where each segment is mounted on the one that carries it, in metres.

    Notes
    -----
    Coordinates are MuJoCo's: ``qpos`` holds the root's world position (3) and rotation wxyz (4), then one rotation
    wxyz for each ball joint; ``qvel`` the root's linear velocity in world axes, then angular velocities in the axes of
    the segments. Gravity is 9.81 m/s2 along -Y.

    Examples
    --------
    >>> from kinetune import sample
    >>> body = Body.fit(sample("walk").skeleton, mass=70)
    >>> body.human, round(body.mass, 9), len(body.points)
    (True, 70.0, 12)
    """

    skeleton: Skeleton
    segments: tuple[Segment, ...]
    points: tuple[ContactPoint, ...]
    height: float
    human: bool
    notes: tuple[str, ...]
    mjcf: str
    offsets: Floats

    @classmethod
    def fit(
        cls,
        skeleton: Skeleton,
        mass: float | None = None,
        sex: str | None = None,
        tables: str = "de Leva",
        *,
        clip: Clip | None = None,
        props: Mapping[str, float] | None = None,
    ) -> Body:
        """Fit a body with mass to a skeleton.

        Parameters
        ----------
        skeleton : Skeleton
            The joints, in metres.
        mass : float, optional
            Kilograms of the whole. By default by height and build: 70 kg at 1.75 m with usual shoulders, with the
            square of the height among adults (1.5 to 2.1 m) and its cube beyond; density times volume for a character
            that is not human.
        sex : {"male", "female"}, optional
            By default the mean of both.
        tables : {"de Leva", "Dempster"}
            Whose measurements of body segments to use.
        clip : Clip, optional
            A motion of this skeleton. It shows how the soles lie when the feet stand flat, where the rest pose does
            not, and how long bones are that the file moves.
        props : mapping of str to float, optional
            What the character carries: joints (or roles, such as "right hand") and kilograms, beyond ``mass``.

        Raises
        ------
        ParameterError
            For a mass that is not positive, or a size that suggests a wrong unit.
        """
        from kinetune.physics.model._fitting import fit_body

        return fit_body(skeleton, mass, sex, tables, clip, props)

    @cached_property
    def mass(self) -> float:
        """Kilograms."""
        return float(sum(segment.mass for segment in self.segments))

    @property
    def weight(self) -> float:
        """Newtons."""
        return self.mass * GRAVITY

    @property
    def nv(self) -> int:
        """Degrees of freedom: 6 of the root and 3 of each ball joint."""
        return 3 + 3 * len(self.segments)

    @property
    def nq(self) -> int:
        """Numbers in ``qpos``: 7 for the root and 4 for each ball joint."""
        return 3 + 4 * len(self.segments)

    @cached_property
    def model(self) -> mujoco.MjModel:
        """MuJoCo's model, compiled from :attr:`mjcf`."""
        import mujoco

        return mujoco.MjModel.from_xml_string(self.mjcf)

    @cached_property
    def joints(self) -> NDArray[np.intp]:
        """(segments,) the skeleton's joint of each segment."""
        return np.array([segment.joint for segment in self.segments])

    @cached_property
    def parents(self) -> NDArray[np.intp]:
        """(segments,) the segment that carries each, -1 for the root."""
        owner = {joint: k for k, segment in enumerate(self.segments) for joint in segment.joints}
        return np.array([-1, *(owner[int(self.skeleton.parents[s.joint])] for s in self.segments[1:])])

    def part(self, k: int) -> str:
        """The role of the joint of segment k; of a hinge, that of the joint that a row of hinges makes."""
        segment, roles = self.segments[k], {joint: role for role, joint in self.skeleton.roles.items()}
        below = self.skeleton.subtree(segment.joint) if segment.axes is not None else (segment.joint,)
        return next((roles[joint] for joint in below if joint in roles), "")

    @property
    def root(self) -> int:
        """The joint that the free root moves."""
        return self.segments[0].joint

    def __repr__(self) -> str:
        return f"Body({', '.join(text for _, text in self._summary())})"

    def _repr_html_(self) -> str:
        return html_table("Body", dict(self._summary()))

    def _summary(self) -> list[tuple[str, str]]:
        """The main numbers by name, for people."""
        return [
            ("kind", "human" if self.human else "not human"),
            ("mass", f"{self.mass:.1f} kg"),
            ("height", f"{self.height:.2f} m"),
            ("segments", f"{len(self.segments)} segments"),
            ("contact points", f"{len(self.points)} contact points"),
        ]

    def __getstate__(self) -> dict[str, Any]:
        made = ("model", "joints", "parents", "mass")
        return {name: value for name, value in self.__dict__.items() if name not in made}

    def dofs(self, joint: str | int) -> slice:
        """Where the angular velocity of a joint sits in ``qvel``; a name, a role or an index."""
        index = self.skeleton.index(joint) if isinstance(joint, str) else joint
        for k, segment in enumerate(self.segments):
            if index in segment.joints:
                return slice(3 + 3 * k, 6 + 3 * k)
        raise ParameterError(f'Joint "{self.skeleton.names[index]}" moves no part of the body that has mass.')

    def coordinates(self, clip: Clip) -> Floats:
        """The motion of a clip as ``qpos`` (frames, nq).

        A joint whose parent is welded turns by the product of both, so that segments point as in the clip.
        """
        self._check(clip)
        qpos = np.empty((len(clip), self.nq))
        qpos[:, :3] = clip.positions()[:, self.root]
        qpos[:, 3:7] = clip.world_rotations()[:, self.root]
        for k, segment in enumerate(self.segments[1:], start=1):
            turn = clip.rotations[:, segment.joint]
            for joint in reversed(self._between(k)):
                turn = rot.multiply(clip.rotations[:, joint], turn)
            qpos[:, 3 + 4 * k : 7 + 4 * k] = turn
        turns = qpos[:, 3:].reshape(len(qpos), -1, 4)
        qpos[:, 3:] = rot.continuous(turns).reshape(len(qpos), -1)
        return qpos

    def clip(self, qpos: Floats, like: Clip) -> Clip:
        """The motion of ``qpos`` (frames, nq) as a clip; what is welded moves as in ``like``.

        ``body.clip(body.coordinates(clip), like=clip)`` is the clip again, to rounding.
        Contacts are dropped, as always when a motion changes.
        """
        self._check(like)
        if qpos.shape != (len(like), self.nq):
            raise ParameterError(f"qpos must be ({len(like)}, {self.nq}) for this clip and body; got {qpos.shape}.")
        rotations = np.array(like.rotations)
        for k, segment in enumerate(self.segments[1:], start=1):
            turn = rot.normalize(qpos[:, 3 + 4 * k : 7 + 4 * k])
            for joint in self._between(k):
                turn = rot.multiply(rot.inverse(like.rotations[:, joint]), turn)
            rotations[:, segment.joint] = turn
        turn, place = rot.normalize(qpos[:, 3:7]), qpos[:, :3]
        parent = int(self.skeleton.parents[self.root])
        changes: dict[str, Any] = {}
        if parent < 0:
            rotations[:, self.root] = turn
            changes["root"] = place
        else:
            above = like.world_rotations()[:, parent]
            rotations[:, self.root] = rot.multiply(rot.inverse(above), turn)
            moved = place - like.positions()[:, self.root]
            if like.translations is not None:
                translations = np.array(like.translations)
                translations[:, self.root] += rot.rotate(rot.inverse(above), moved)
                changes["translations"] = translations
            else:
                changes["root"] = like.root + moved
        # q and -q are the same rotation: keep the one that the clip has.
        flip = np.einsum("fjk,fjk->fj", rotations, like.rotations) < 0.0
        rotations[flip] = -rotations[flip]
        if parent < 0 and like.translations is not None:
            translations = np.array(like.translations)
            translations[:, 0] = changes["root"]
            changes["translations"] = translations
        return like.replace(rotations=rotations, **changes)

    def point_positions(self, qpos: Floats, poses: Poses | None = None) -> Floats:
        """World positions (frames, points, 3) of the contact points; ``poses`` of the segments, where known."""
        from kinetune.physics.equations_of_motion import segment_poses

        places, turns = segment_poses(self, qpos) if poses is None else poses
        owners = [point.body - 1 for point in self.points]
        offsets = np.array([point.position for point in self.points]).reshape(-1, 3)
        return places[:, owners] + rot.rotate(turns[:, owners], offsets)

    def _between(self, k: int) -> tuple[int, ...]:
        """The welded joints between segment k and the segment that carries it, from above."""
        carrier = self.segments[int(self.parents[k])].joint
        return self.skeleton.chain(self.segments[k].joint, carrier)[:-1]

    def _check(self, clip: Clip) -> None:
        if not self.skeleton.same_joints(clip.skeleton):
            raise SkeletonMismatchError(
                f"The body has {len(self.skeleton)} joints from {self.skeleton.names[0]}, the clip "
                f"{len(clip.skeleton)} from {clip.skeleton.names[0]}: fit the body to the clip's own skeleton "
                "(Body.fit(clip.skeleton))."
            )


def select_points(points: Sequence[ContactPoint], side: str | None = None, part: str | None = None) -> NDArray[np.intp]:
    """The numbers of the contact points of a side and a part."""
    chosen = [k for k, p in enumerate(points) if (side is None or p.side == side) and (part is None or p.part == part)]
    return np.array(chosen, dtype=np.intp)
