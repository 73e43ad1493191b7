"""What the dynamic filter is asked to follow: a motion, its derivatives, its feet and its whole.

=================  ==========================================================================
Feet               which contact points make up a foot, and the point of it that is held
Reference          a motion as the filter needs it, frame by frame
build_reference    from coordinates
=================  ==========================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.feet.soles import still_speed
from kinetune.physics.equations_of_motion import (
    Poses,
    centres_of_mass,
    euler_velocities,
    integrate,
    segment_poses,
    states,
    velocity_between,
)
from kinetune.physics.filter.com_plan import Support, convex_hull
from kinetune.physics.ground import ContactGround
from kinetune.physics.model.body_model import Body
from kinetune.physics.model.mjcf import GRAVITY
from kinetune.rotations import Floats
from kinetune.signals.filters import gaussian
from kinetune.signals.flag_ranges import true_ranges

Bools = NDArray[np.bool_]

NEAR = 0.05
"""Metres above the ground at which a point of a standing foot may press on it: no skeleton shows its soles better."""
TOUCH = 0.02
"""... and of any other foot."""
CARRIED = 0.6
"""Of gravity: what falls more slowly than this in the mean stands on something."""
_SLOW = 0.8
_HOVER = 0.035  # metres above the ground to which a foot is taken that carries although it hovers
_HIGHEST = 0.12
_CLOSE_S = 0.1
_SUPPORT_BLUR_S = 0.1


@dataclass(frozen=True, eq=False)
class Feet:
    """Heels and toes of a body: groups of contact points that stand and move as one.

    sides, parts : "left", "right" or "", and "heel" or "toe", for each.
    members : the contact points of each, as indices. owner : (points,) the group of each point.
    bodies : MuJoCo's body that carries the held point of each. offsets : (groups, 3) its place in that body's frame.
    """

    sides: tuple[str, ...]
    parts: tuple[str, ...]
    members: tuple[NDArray[np.intp], ...]
    owner: NDArray[np.intp]
    bodies: tuple[int, ...]
    offsets: Floats

    @classmethod
    def of(cls, body: Body) -> Feet:
        """Heels and toes of a human by side; of any other figure, each point is one. Toes are held at the ball."""
        keys = [f"{p.side} {p.part}" if body.human else str(k) for k, p in enumerate(body.points)]
        names = list(dict.fromkeys(keys))
        members = tuple(np.array([k for k, key in enumerate(keys) if key == name], dtype=np.intp) for name in names)
        bodies, offsets = [], []
        for points_of_foot in members:
            points = [body.points[k] for k in points_of_foot]
            held = [p for p in points if " ball " in f" {p.name} "] or points
            held = [p for p in held if p.body == held[0].body]
            bodies.append(held[0].body)
            offsets.append(np.mean([p.position for p in held], axis=0))
        first = [body.points[int(points_of_foot[0])] for points_of_foot in members]
        owner = np.array([names.index(key) for key in keys], dtype=np.intp)
        sides, parts = tuple(p.side for p in first), tuple(p.part for p in first)
        return cls(sides, parts, members, owner, tuple(bodies), np.array(offsets).reshape(-1, 3))

    @property
    def toes(self) -> NDArray[np.intp]:
        """The groups that are toes."""
        return np.flatnonzero([part == "toe" for part in self.parts])

    def __len__(self) -> int:
        return len(self.sides)


@dataclass(frozen=True, eq=False)
class Reference:
    """A motion to follow, (frames, ...) each, at ``rate`` frames a second; Euler steps along V and A reproduce Q.

    Q, V, A : coordinates, velocities and accelerations.
    data_com : (frames, 3) its centre of mass. momentum, momentum_rate : angular momentum about it, (frames, 3).
    inertia : (frames,) of the whole body about the vertical through its centre of mass.
    points : (frames, points, 3) contact points. toes, toes_V, toes_A : (frames, feet, 3) the held points.
    shift : (frames, feet, 3) how far each held point is to be from where the motion itself has it.
    stance : (frames, feet) whether a foot stands. clearance : (frames, feet) its lowest point above the ground.
    """

    rate: float
    Q: Floats
    V: Floats
    A: Floats
    data_com: Floats
    momentum: Floats
    momentum_rate: Floats
    inertia: Floats
    points: Floats
    toes: Floats
    toes_V: Floats
    toes_A: Floats
    shift: Floats
    stance: Bools
    clearance: Floats

    def __len__(self) -> int:
        return len(self.Q)

    def support(self, feet: Feet, ground: ContactGround) -> Support:
        """Where the ground carries the body: hulls of the points that press, moved along with feet that are held."""
        under, moved = ground.height(self.points), self.shift[:, feet.owner]
        down = find_supporting_points(self.points[..., 1] + moved[..., 1] - under, self.stance, feet)
        places = self.points[..., [0, 2]] + moved[..., [0, 2]]
        count = np.maximum(down.sum(axis=1), 1)[:, None]
        middle = np.sum(np.where(down[..., None], places, 0.0), axis=1) / count
        arms = np.linalg.norm(places - middle[:, None], axis=2)
        spread = np.sum(np.where(down, arms, 0.0), axis=1) / count[:, 0]
        levels = np.sum(np.where(down, under, 0.0), axis=1) / count[:, 0]
        known = np.flatnonzero(down.any(axis=1))
        lowest = under.min(axis=1) if under.shape[1] else np.zeros(len(self))
        level = np.interp(np.arange(len(self)), known, levels[known]) if len(known) else lowest
        hulls = [convex_hull(place[standing]) for place, standing in zip(places, down, strict=True)]
        return Support(hulls, level, spread)

    def mixed_com(self, support: Support, share: float) -> Floats:
        """[pollard] section 5: the path of the centre of mass, nudged towards the centre of support."""
        known = np.flatnonzero(support.stands)
        if share == 0.0 or len(known) == 0:
            return self.data_com
        middles = np.array([support.hulls[t].mean(axis=0) for t in known.tolist()])
        frames = np.arange(len(self))
        middle = np.stack([np.interp(frames, known, middles[:, k]) for k in (0, 1)], axis=1)
        middle = gaussian(middle, self.rate, _SUPPORT_BLUR_S)
        path = self.data_com.copy()
        path[:, [0, 2]] += share * (middle - path[:, [0, 2]])
        return path


def find_supporting_points(heights: Floats, stance: Bools, feet: Feet) -> Bools:
    """(frames, points) what a plan may count on: points of feet that stand, the lowest of each however high it is.

    heights : (frames, points). stance : (frames, feet).
    """
    down = (heights < NEAR) & stance[:, feet.owner]
    for foot, points in enumerate(feet.members):
        frames = np.flatnonzero(stance[:, foot] & ~down[:, points].any(axis=1))
        down[frames, points[np.argmin(heights[np.ix_(frames, points)], axis=1)]] = True
    return down


def euler_differences(path: Floats, rate: float) -> tuple[Floats, Floats]:
    """Velocities and accelerations (frames, ...) of a path such that explicit Euler steps reproduce it.

    After the last frame it goes on evenly.
    """
    speed = np.diff(path, axis=0) * rate
    last = speed[-1:] if len(speed) else np.zeros_like(path)
    speed = np.concatenate([speed, last])
    change = np.concatenate([np.diff(speed, axis=0) * rate, np.zeros_like(last)])
    return speed, change


def build_reference(
    body: Body,
    qpos: Floats,
    rate: float,
    ground: ContactGround,
    feet: Feet,
    *,
    known: Bools | None = None,
    shift: Floats | None = None,
) -> Reference:
    """A motion as the filter needs it.

    Parameters
    ----------
    qpos : (frames, nq) at ``rate`` frames a second.
    known : (frames, feet) feet that are known to stand, besides those that are found low and slow.
    shift : (frames, feet, 3) where the toes of standing feet should be, against where they are.
    """
    frames = len(qpos)
    after = [integrate(body, qpos[-1], _last_velocity(body, qpos, rate), k / rate) for k in (1, 2)]
    whole = np.vstack([qpos, *after])
    V, A = euler_velocities(body, whole, 1.0 / rate)
    V = V[:frames]
    poses = segment_poses(body, qpos)
    points = body.point_positions(qpos, poses)
    toes = _held_points(feet, poses)
    stance = find_stance(points, toes, rate, ground, feet)
    stance = stance if known is None else stance | known
    heights = points[..., 1] - ground.height(points)
    clearance = np.stack([heights[:, members].min(axis=1) for members in feet.members], axis=1)
    com = centres_of_mass(body, qpos, poses)
    stance, lowered = find_carrying_feet(stance, clearance, com[:, 1], rate)
    moved = np.zeros_like(toes) if shift is None else np.where(stance[..., None], shift, 0.0)
    moved[..., 1] -= lowered
    speed, change = _stance_differences(toes, moved, stance, rate)
    momentum, momentum_rate, inertia = _momentum(body, qpos, V, A, com)
    return Reference(
        rate,
        qpos,
        V,
        A,
        com,
        momentum,
        momentum_rate,
        inertia,
        points,
        toes + moved,
        np.ascontiguousarray(speed),
        np.ascontiguousarray(change),
        moved,
        stance,
        clearance,
    )


def find_stance(points: Floats, toes: Floats, rate: float, ground: ContactGround, feet: Feet) -> Bools:
    """(frames, feet) whether a foot stands: near the ground and hardly moving, gaps of a tenth of a second closed."""
    stance = np.zeros((len(points), len(feet)), dtype=bool)
    heights = points[..., 1] - ground.height(points)
    for foot, members in enumerate(feet.members):
        low = heights[:, members].min(axis=1)
        held = (low < NEAR) & (still_speed(toes[:, foot : foot + 1], rate)[:, 0] < _SLOW)
        stance[:, foot] = _closed(held, round(_CLOSE_S * rate)) & (low < NEAR + TOUCH)
    return stance


def find_carrying_feet(stance: Bools, clearance: Floats, height: Floats, rate: float) -> tuple[Bools, Floats]:
    """Feet that stand by the laws of mechanics: a body that no foot carries falls.

    Parameters
    ----------
    stance : (frames, feet) those that are seen to stand. clearance : (frames, feet) metres above the ground.
    height : (frames,) of the centre of mass.

    Returns
    -------
    stance : the same, and the lowest foot of every flight in which the body does not fall. True flights fall with
        7 to 11 m/s^2 in the mean, feet on tiptoe that a capture shows 6 cm above the ground with 4 at most.
    lowered : (frames, feet) by how much such a foot is to be lower, in metres, so that it reaches the ground.
    """
    standing, lowered = stance.copy(), np.zeros(clearance.shape)
    speed = np.gradient(height) * rate if len(height) > 1 else np.zeros(len(height))
    for start, stop in true_ranges(np.logical_not(stance.any(axis=1))):
        last = min(stop, len(height) - 1)
        if last == start or (speed[last] - speed[start]) * rate / (last - start) < -CARRIED * GRAVITY:
            continue
        foot = int(np.argmin(clearance[start:stop].mean(axis=0)))
        if clearance[start:stop, foot].max() < _HIGHEST:
            standing[start:stop, foot] = True
    for foot in range(standing.shape[1]):
        for start, stop in true_ranges(standing[:, foot]):
            if not stance[start:stop, foot].all():
                lowered[start:stop, foot] = np.maximum(clearance[start:stop, foot] - _HOVER, 0.0)
    return standing, lowered


def _closed(flags: Bools, gap: int) -> Bools:
    """Flags with gaps of up to ``gap`` frames filled."""
    closed = flags.copy()
    set_at = np.flatnonzero(flags)
    for before, after in zip(set_at[:-1].tolist(), set_at[1:].tolist(), strict=True):
        if 1 < after - before <= gap + 1:
            closed[before:after] = True
    return closed


def _last_velocity(body: Body, qpos: Floats, rate: float) -> Floats:
    return velocity_between(body, qpos[-2], qpos[-1], 1.0 / rate) if len(qpos) > 1 else np.zeros(body.nv)


def _held_points(feet: Feet, poses: Poses) -> Floats:
    """(frames, feet, 3) world positions of the held points."""
    places, turns = poses
    owners = [number - 1 for number in feet.bodies]
    return places[:, owners] + rot.rotate(turns[:, owners], feet.offsets)


def _stance_differences(toes: Floats, shift: Floats, stance: Bools, rate: float) -> tuple[Floats, Floats]:
    """Euler differences of the toes, with those of their shift while a foot stands."""
    speed, change = euler_differences(toes, rate)
    for foot in range(stance.shape[1]):
        for start, stop in true_ranges(stance[:, foot]):
            shift_speed, shift_change = euler_differences(shift[start:stop, foot], rate)
            shift_change[-2:] = 0.0
            speed[start:stop, foot] += shift_speed
            change[start:stop, foot] += shift_change
    return speed, change


def _momentum(body: Body, qpos: Floats, V: Floats, A: Floats, com: Floats) -> tuple[Floats, Floats, Floats]:
    """Angular momentum about the centre of mass and its rate, (frames, 3) each, and the inertia about the vertical."""
    momentum, inertia, needed = np.zeros((len(qpos), 6)), np.zeros(len(qpos)), np.zeros((len(qpos), body.nv))
    for t, state in enumerate(states(body, qpos, V)):
        momentum[t] = state.H[:6] @ V[t]
        up = state.root_axes[1]
        inertia[t] = up @ state.H[3:6, 3:6] @ up
        state.required(A[t], needed[t])
    arm, turn = com - qpos[:, :3], qpos[:, 3:7]
    angular, rate = (rot.rotate(turn, six[:, 3:6]) - np.cross(arm, six[:, :3]) for six in (momentum, needed))
    return angular, rate, inertia - body.mass * (arm[:, 0] ** 2 + arm[:, 2] ** 2)
