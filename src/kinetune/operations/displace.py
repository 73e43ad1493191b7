"""Edit a motion by changing its pose at a few frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.curves.pose_displacement import GoalKey, MoveKey, TCBParameters, TurnKey, displace
from kinetune.body.kinematics.limb_ik import leg_joints, limb_of
from kinetune.body.root_motion import facing, travelling_joint
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError
from kinetune.operations.base import MovesFeet, parameter
from kinetune.rotations import Floats
from kinetune.signals.displacement import Ends

Degrees = Annotated[float, Field(ge=-36_000.0, le=36_000.0)]
Metres = Annotated[float, Field(ge=-100_000.0, le=100_000.0)]
Bend = Annotated[float, Field(ge=-10.0, le=10.0)]
_FULL_TURN = 4


class Key(BaseModel):
    """What changes at one frame.

    frame, time_s : when; a negative frame counts from the end. A time means the frame nearest to it.
    joint : which joint, by name or role; none for the whole character.
    rotate : a turn on top of the pose: a rotation vector in degrees (x, y, z), or a quaternion (w, x, y, z).
    euler : degrees added to the joint's Euler angles, in ``order``; by default the order of its channels in the file.
    move : metres (x, y, z) by which the joint is moved (its limb follows), or the whole character.
    to : the place in the world, in metres, to which the joint is brought.
    axes : the axes of ``rotate`` and ``move``: those of the joint's parent, its own (local), the world's, or the
        character's (facing: x to its left, y up, z ahead). By default the parent's for a rotation, the character's for
        a move.
    chain : the joints that turn for ``move`` or ``to``; by default the arm or the leg.
    keep : whether a moved joint keeps its turn in the world (feet do) or against the bone above it (all others do).
    tension, continuity, bias : how the change passes through this key, as in ``kt.TCB``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    frame: int | None = Field(None, ge=-10_000_000, le=10_000_000)
    time_s: float | None = Field(None, ge=0.0, le=100_000.0)
    joint: str | None = None
    rotate: Annotated[tuple[Degrees, ...], Field(min_length=3, max_length=4)] | None = None
    euler: tuple[Degrees, Degrees, Degrees] | None = None
    order: str | None = None
    move: tuple[Metres, Metres, Metres] | None = None
    to: tuple[Metres, Metres, Metres] | None = None
    axes: Literal["parent", "local", "world", "facing"] | None = None
    chain: str | tuple[str, ...] | None = None
    keep: Literal["world", "local"] | None = None
    tension: Bend = 0.0
    continuity: Bend = 0.0
    bias: Bend = 0.0

    @field_validator("order")
    @classmethod
    def _is_order(cls, order: str | None) -> str | None:
        if order is None:
            return None
        folded = rot.check_order(order)
        if len(folded) != 3:
            raise ParameterError(f'An order has three axes, such as "ZXY", not "{order}".')
        return folded

    @model_validator(mode="after")
    def _goes_together(self) -> Self:
        if (self.frame is None) == (self.time_s is None):
            raise ParameterError("A key is at a frame or at time_s: give one of them.")
        if self.rotate is not None and self.euler is not None:
            raise ParameterError("A key turns a joint by rotate or by euler, not both.")
        if self.move is not None and self.to is not None:
            raise ParameterError("A key brings a joint somewhere by move or by to, not both.")
        if all(part is None for part in (self.rotate, self.euler, self.move, self.to)):
            raise ParameterError("A key says what changes: rotate, euler, move or to.")
        if self.rotate is not None and len(self.rotate) == _FULL_TURN and not any(self.rotate):
            raise ParameterError("A quaternion of zeros is no rotation.")
        return self


class Displace(MovesFeet):
    """Change the pose at a few frames and let the rest of the motion follow smoothly.

    A key turns a joint further, moves the whole character, or names a position for a hand or a foot ("right hand 12 cm
    higher at frame 57"). A spline runs through the changes of each joint and is put on top of the motion; the
    first and the last frame stay as they are unless they are keys. Apply it again to refine.
    """

    op: Literal["displace"] = "displace"
    keeps_stance: ClassVar[bool] = True
    takes_keys: ClassVar[bool] = True
    editor_values: ClassVar[Mapping[str, Any]] = {"falloff_s": 0.75}
    keys: tuple[Key, ...] = parameter((), "What changes, and at which frames.", unit="")
    falloff_s: float | None = parameter(
        None,
        "How far from a key its influence ends; by default at the next key or the end.",
        unit="s",
        gt=0.0,
        le=100_000.0,
    )
    ends: Ends = parameter("zero", "The change starts and ends at rest (zero) or without curvature (natural).", unit="")
    unreachable: Literal["refuse", "nearest"] = parameter(
        "refuse", "What to do about a point out of reach: refuse, or get as close as the limb allows.", unit=""
    )

    @classmethod
    def example(cls) -> Self:
        """The right hand a little higher, half a second in."""
        return cls(keys=(Key(time_s=0.5, joint="right hand", move=(0.0, 0.1, 0.0)),))

    def check(self, skeleton: Skeleton) -> None:
        """Raise if a joint does not exist."""
        for key in self.keys:
            if key.joint is not None:
                skeleton.index(key.joint)
            if key.chain is not None:
                skeleton.select(key.chain)

    def keeps_feet_of(self, skeleton: Skeleton) -> bool:
        """Feet are kept unless a key is meant for a leg or a foot."""
        legs = leg_joints(skeleton)
        return self.keep_feet and not any(k.joint is not None and skeleton.index(k.joint) in legs for k in self.keys)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The displaced clip."""
        return self._displaced(clip, None) if self.keys else clip

    def report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
        """How far each key that names a position stays from it."""
        misses: list[float | None] = []
        for key in self.keys:
            if key.to is None:
                misses.append(None)
                continue
            frame = round((key.time_s or 0.0) * before.fps) if key.frame is None else key.frame
            joint = 0 if key.joint is None else after.skeleton.index(key.joint)
            misses.append(1e3 * float(np.linalg.norm(after.positions()[frame, joint] - np.array(key.to))))
        return {"misses_mm": misses}

    def part(self, clip: Clip, inputs: Mapping[str, Clip], start: int, stop: int) -> Clip | None:
        """Some frames: keys elsewhere count, the frames between need not be computed."""
        return self._displaced(clip, (start, stop)) if self.keys else None

    def _displaced(self, clip: Clip, span: tuple[int, int] | None) -> Clip:
        reader = _Reader(clip)
        for number, key in enumerate(self.keys):
            reader.read(number, key)
        done = displace(
            clip,
            turns=reader.turns,
            moves=reader.moves,
            goals=reader.goals,
            ends=self.ends,
            window_s=self.falloff_s,
            span=span,
        )
        if self.unreachable == "refuse" and not done.reachable:
            worst = int(np.argmax(done.misses))
            goal = reader.goals[worst]
            raise ParameterError(
                f'displace: the position for "{clip.skeleton.names[goal.joint]}" at frame {goal.frame} lies '
                f"{1000.0 * done.misses[worst]:.1f} mm out of reach. Let more joints take part (chain), or set "
                "unreachable to nearest."
            )
        return done.clip


class _Reader:
    """Turns keys as users write them into keys of joints, frames, radians and world axes."""

    def __init__(self, clip: Clip) -> None:
        self.clip = clip
        self.carrier = travelling_joint(clip)
        self.turns: list[TurnKey] = []
        self.moves: list[MoveKey] = []
        self.goals: list[GoalKey] = []

    def read(self, number: int, key: Key) -> None:
        frame = self._frame(number, key)
        joint = self.carrier if key.joint is None else self.clip.skeleton.index(key.joint)
        tcb = TCBParameters(key.tension, key.continuity, key.bias)
        if key.rotate is not None or key.euler is not None:
            turn = self._turn(key, frame, joint)
            self.turns.append(TurnKey(frame, joint, (turn[0], turn[1], turn[2]), tcb))
        if key.move is None and key.to is None:
            return
        if joint in (self.carrier, 0):
            place = self.clip.positions()[frame, self.carrier]
            shift = self._world(key, frame, joint) if key.to is None else np.array(key.to) - place
            self.moves.append(MoveKey(frame, (shift[0], shift[1], shift[2]), tcb))
            return
        target = self._world(key, frame, joint) if key.to is None else np.array(key.to)
        limb = limb_of(self.clip.skeleton, joint)
        by_habit: Literal["world", "local"] = "world" if limb is not None and limb.is_leg else "local"
        self.goals.append(
            GoalKey(
                frame,
                joint,
                (target[0], target[1], target[2]),
                relative=key.to is None,
                chain=() if key.chain is None else self._chain(key, joint),
                keep=key.keep or by_habit,
                tcb=tcb,
            )
        )

    def _frame(self, number: int, key: Key) -> int:
        last = len(self.clip) - 1
        if key.frame is not None:
            frame = key.frame + last + 1 if key.frame < 0 else key.frame
            said = f"frame {key.frame}"
        else:
            frame = round((key.time_s or 0.0) * self.clip.fps)
            said = f"{key.time_s:g} s"
        if not 0 <= frame <= last:
            raise ParameterError(
                f"displace: key {number + 1} of keys is at {said}, but the clip has frames 0 to {last} and lasts "
                f"{self.clip.duration:.3f} s."
            )
        return frame

    def _chain(self, key: Key, joint: int) -> tuple[int, ...]:
        """The chosen joints that carry the moved one: a group may hold others too (the fingers of an arm)."""
        above = self.clip.skeleton.chain(joint)[:-1]
        chosen = tuple(j for j in self.clip.skeleton.select(key.chain) if j in above)
        if not chosen:
            raise ParameterError(
                f'displace: none of the joints {key.chain!r} carries "{self.clip.skeleton.names[joint]}".'
            )
        return chosen

    def _above(self, frame: int, joint: int) -> Floats:
        """The world rotation (4,) of a joint's parent."""
        parent = int(self.clip.skeleton.parents[joint])
        return rot.identity() if parent < 0 else self.clip.world_rotations()[frame, parent]

    def _world_from(self, axes: str, frame: int, joint: int) -> Floats:
        """The rotation (4,) from some axes to those of the world."""
        if axes == "world":
            return rot.identity()
        if axes == "facing":
            return rot.about_y(facing(self.clip)[frame])
        if axes == "local":
            local: Floats = self.clip.world_rotations()[frame, joint]
            return local
        return self._above(frame, joint)

    def _world(self, key: Key, frame: int, joint: int) -> Floats:
        return rot.rotate(self._world_from(key.axes or "facing", frame, joint), np.array(key.move, dtype=float))

    def _turn(self, key: Key, frame: int, joint: int) -> Floats:
        """The rotation vector (3,) in the parent's axes."""
        if key.euler is not None:
            orders, signs = self.clip.source.euler_orders(self.clip.skeleton)
            order = key.order or orders[joint]
            sign = np.array(signs[joint]) if key.order is None else np.ones(3)
            local = self.clip.rotations[frame, joint]
            turned = rot.from_euler(rot.to_euler(local, order) + sign * np.radians(key.euler), order)
            return rot.log(rot.multiply(turned, rot.inverse(local)))
        given = np.array(key.rotate, dtype=float)
        vector = rot.log(rot.normalize(given)) if len(given) == _FULL_TURN else np.radians(given)
        # A turn seen from other axes is the same turn about the turned axis.
        world = rot.rotate(self._world_from(key.axes or "parent", frame, joint), vector)
        return rot.rotate(rot.inverse(self._above(frame, joint)), world)
