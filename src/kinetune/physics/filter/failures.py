"""Where a filtered motion went wrong, and how close it stays to the one it follows.

===============  =========================================================================
Failure          a range of frames and what happened there
Tracking         how closely a motion was followed, as numbers
assess_tracking  both, from the states of the filter
===============  =========================================================================

[pollard] section 5 shows an honest failure: a character that hops, rotates in the air and recovers. A character that
cannot be kept upright falls; that is a result too, and it is reported.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from kinetune import rotations as rot
from kinetune.physics.equations_of_motion import segment_poses
from kinetune.physics.filter.references import Feet, Reference
from kinetune.physics.model.body_model import Body
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

Kind = Literal["fall", "stopped", "hop", "off balance", "turned", "too weak"]

# Of a character of 1.7 m, in metres; scaled with its height.
_HEAD_DROP = 0.35
_COM_DROP = 0.25
_COM_AWAY = 0.6
_HEAD_AWAY = 0.15
_USUAL_HEIGHT = 1.7
_TRUNK_DEG = 30.0
_POSE_DEG = 2.0
_HOP_S = 0.06


@dataclass(frozen=True)
class Failure:
    """Something that went wrong.

    kind : "fall": the character goes down or away; "stopped": the simulation had to stop; "hop": it leaves the ground
        while the motion stands; "off balance": trunk or head are far from where they should be; "turned": it stands
        upright but faces elsewhere, for want of friction; "too weak": a joint needed more torque than it has.
    first, last : frames of the clip. message : what happened.
    """

    kind: Kind
    first: int
    last: int
    message: str

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


@dataclass(frozen=True)
class Tracking:
    """How closely a motion was followed, against the motion as it was given.

    pose_deg : root mean square of the joints' errors in degrees.
    toe_mm : mean distance of standing toes from where they should be; for a foot that has to pivot, from there.
    trunk_deg, head_m : largest error of the trunk, as the angle of its whole rotation, and of the head's position.
    lean_deg : the part of the trunk's error that leans, regardless of heading.
    com_m : largest horizontal distance of the centre of mass from the motion's own.
    fell : whether the character fell or the simulation stopped.
    good : neither, and trunk within 30 degrees and head within 15 cm (of a character of 1.7 m).
    """

    pose_deg: float
    toe_mm: float
    trunk_deg: float
    lean_deg: float
    head_m: float
    com_m: float
    fell: bool
    good: bool

    @property
    def badness(self) -> tuple[bool, bool, float]:
        """What to sort by: the best comes first."""
        off = self.trunk_deg / _TRUNK_DEG + self.head_m / _HEAD_AWAY + self.pose_deg / _POSE_DEG
        return self.fell, not self.good, off


def assess_tracking(
    body: Body,
    feet: Feet,
    reference: Reference,
    original: Reference,
    q: Floats,
    com: Floats,
    toes: Floats,
    pressed: Floats,
    stopped: int | None,
) -> tuple[Tracking, list[Failure]]:
    """How closely a motion was followed and where it failed.

    Parameters
    ----------
    reference : what the filter aimed at, which may be turned and smoothed: where toes should stand.
    original : the motion itself, by which everything else is judged.
    q, com, toes : (frames, ...) the states that came out; ``toes`` are the held points of ``feet``.
    pressed : (frames,) vertical force of the ground in newtons.
    stopped : the frame at which the simulation could not go on, or None.
    """
    size = body.height / _USUAL_HEIGHT
    (positions, rotations), (own_positions, own_rotations) = segment_poses(body, q), segment_poses(body, original.Q)
    head, trunk = _segment(body, ("head", "neck", "chest")), _segment(body, ("chest", "upper chest", "spine", "hips"))
    local = rot.angle_between(_joint_rotations(q), _joint_rotations(original.Q))
    apart = positions[:, head] - own_positions[:, head]
    away = np.linalg.norm(com - original.data_com, axis=1)
    off = np.rad2deg(rot.angle_between(rotations[:, trunk], own_rotations[:, trunk]))
    drop, sink = -apart[:, 1], (original.data_com - com)[:, 1]
    head_away = np.linalg.norm(apart, axis=1)
    down = (drop > _HEAD_DROP * size) | (sink > _COM_DROP * size) | (away > _COM_AWAY * size)
    held = np.linalg.norm(toes - reference.toes, axis=2)[:, feet.toes][reference.stance[:, feet.toes]]
    failures: list[Failure] = []
    for start, stop in true_ranges(down):
        message = (
            f"The character falls: its head is {100 * drop[start:stop].max():.0f} cm too low and its centre of mass "
            f"{100 * away[start:stop].max():.0f} cm away."
        )
        failures.append(Failure("fall", start, stop - 1, message))
    if stopped is not None:
        message = "The simulation had to stop; the last pose is held from here on."
        failures.append(Failure("stopped", stopped, len(q) - 1, message))
    stands = reference.stance.any(axis=1) & (np.cumsum(down) == 0)  # once it falls, it does not hop
    for start, stop in true_ranges(stands & (pressed <= 0.0)):
        if stop - start >= _HOP_S * reference.rate:
            message = f"The character hops: no foot touches the ground for {(stop - start) / reference.rate:.2f} s."
            failures.append(Failure("hop", start, stop - 1, message))
    lean = np.rad2deg(_tilt(rotations[:, trunk], own_rotations[:, trunk]))
    leaning = ~down & ((lean > _TRUNK_DEG) | (head_away > _HEAD_AWAY * size))
    for start, stop in true_ranges(leaning):
        message = (
            f"The character is off balance: its trunk leans up to {lean[start:stop].max():.0f} degrees and its head "
            f"is up to {100 * head_away[start:stop].max():.0f} cm from where they should be."
        )
        failures.append(Failure("off balance", start, stop - 1, message))
    for start, stop in true_ranges(~down & ~leaning & (off > _TRUNK_DEG)):
        message = (
            f"The character faces away by up to {off[start:stop].max():.0f} degrees: its feet could not hold the spin."
        )
        failures.append(Failure("turned", start, stop - 1, message))
    fell = bool(down.any()) or stopped is not None
    tracking = Tracking(
        pose_deg=float(np.rad2deg(np.sqrt(np.mean(local**2)))) if local.size else 0.0,
        toe_mm=1e3 * float(held.mean()) if len(held) else 0.0,
        trunk_deg=float(off.max()),
        lean_deg=float(lean.max()),
        head_m=float(head_away.max()),
        com_m=float(np.linalg.norm((com - original.data_com)[:, [0, 2]], axis=1).max()),
        fell=fell,
        good=not fell and float(off.max()) <= _TRUNK_DEG and float(head_away.max()) <= _HEAD_AWAY * size,
    )
    return tracking, sorted(failures, key=lambda failure: failure.first)


def _joint_rotations(q: Floats) -> Floats:
    """(frames, joints, 4) the ball joints' rotations."""
    return q[:, 7:].reshape(len(q), -1, 4)


def _segment(body: Body, names: tuple[str, ...]) -> int:
    """The segment of the first of these roles that the body has; else the root."""
    roles = body.skeleton.roles
    for name in names:
        for k, segment in enumerate(body.segments):
            if name in roles and roles[name] in segment.joints:
                return k
    return 0


def _tilt(turns: Floats, original: Floats) -> Floats:
    """By how much segments lean away from where they should point, regardless of heading, in radians."""
    off = rot.multiply(turns, rot.inverse(original))
    up = rot.rotate(off, np.broadcast_to([0.0, 1.0, 0.0], (len(off), 3)))
    return np.arccos(np.clip(up[:, 1], -1.0, 1.0))
