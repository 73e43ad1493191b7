"""What a blend of examples still misses, met by a little inverse kinematics.

=============  ===========================================================================
IkResidue      what was added to a blend: how far joints rotated, how far the pelvis moved
add_residue    a clip whose joints meet constraints, within bounds
=============  ===========================================================================

Blends reach what lies between their examples; an arm reaches farther. At each frame of a constraint the pose nearest to
the blend's that meets it is found: the joints from the pelvis to the effector rotate, each within a bound and within
the limits of a human joint, and the pelvis gives way while both feet stay. The change then spreads over the frames
around, as a displacement does, so that the motion keeps its shape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.curves.pose_displacement import MoveKey, TurnKey, displace
from kinetune.body.kinematics.anatomy import human_limits
from kinetune.body.kinematics.forward import forward
from kinetune.body.kinematics.joint_limits import JointLimit
from kinetune.body.kinematics.limb_ik import Limb, bring_limb, find_limbs, hinge_axis
from kinetune.body.root_motion import local_translations, travelling_joint
from kinetune.errors import ParameterError
from kinetune.inverse.blend.constraint_layout import ConstraintLayout, Probe
from kinetune.inverse.blend.constraints import ANGLE, AXIS, HEADING, LINE, LOOK, POINT, TURN
from kinetune.rotations import Floats

SPREAD_S = 0.75
"""Seconds from a constraint at which what was added has faded out."""

_TARGET = 1e3  # weight of a metre off the target, against a radian of rotation
_LIMIT = 3e2  # weight of a radian beyond a joint's limits
_LEG = 1e3  # weight of a metre that a leg would have to stretch
_PELVIS_M = 0.15  # how far the pelvis may move, for a leg of 0.9 m
_PELVIS_COST = 6.0  # a metre of the pelvis counts as so many radians
_STRAIGHT = 0.998  # the share of its length that a leg may span
_STEP = 1e-6
_NEWTON_STEPS = 8
_EXACT = 1e-6  # metres at which the polish ends


# Rows of a residual in a pose, by kind; directions are compared as rotation vectors.
_ROWS = {POINT: 3, LINE: 2, TURN: 3, AXIS: 3, ANGLE: 1, HEADING: 1, LOOK: 3}


@dataclass(frozen=True)
class IkResidue:
    """What inverse kinematics added to a blend.

    Attributes
    ----------
    blend_errors : tuple[float, ...]
        What the blend alone misses, one for each constraint, in its unit.
    joint : str
        The joint that rotated most. degrees : by how much.
    pelvis_mm : float
        How far the pelvis moved.
    """

    blend_errors: tuple[float, ...]
    joint: str
    degrees: float
    pelvis_mm: float


@dataclass(frozen=True)
class _Freedom:
    """One joint that may rotate: its index, axes (d, 3) in its parent's frame, bound in radians, cost of a radian."""

    joint: int
    axes: Floats
    most: float
    cost: float


def add_residue(
    clip: Clip, layout: ConstraintLayout, aims: Floats, blend_errors: tuple[float, ...]
) -> tuple[Clip, Floats, IkResidue]:
    """A clip that meets constraints as far as bounds allow.

    Parameters
    ----------
    clip : the blend.
    layout, aims : the constraints, and the targets (rows, 12) of all their rows.
    blend_errors : what the blend alone misses.

    Returns
    -------
    clip : the corrected clip.
    norms : (rows,) what is left of each row's error, in metres or radians.
    residue : what was added.
    """
    probes = layout.probes
    turns, moves = [], []
    freedoms = _freedoms(clip, [probes[n] for n in layout.rows.near])
    legs = _standing_legs(clip, {freedom.joint for freedom in freedoms})
    limits = _limits(clip, {freedom.joint for freedom in freedoms})
    pelvis = travelling_joint(clip)
    worst, most, moved = clip.skeleton.names[0], 0.0, 0.0
    for frame in sorted({probe.frame for probe in probes}):
        rows = np.array([i for i, n in enumerate(layout.rows.near) if probes[n].frame == frame])
        pose = _Pose(clip, frame, layout, aims, rows, freedoms, legs, limits, pelvis)
        shift, vectors = pose.solve()
        for freedom, vector in zip(freedoms, vectors, strict=True):
            turns.append(TurnKey(frame, freedom.joint, _three(vector)))
            angle = float(np.degrees(np.linalg.norm(vector)))
            if angle > most:
                worst, most = clip.skeleton.names[freedom.joint], angle
        if legs:
            moves.append(MoveKey(frame, _three(shift)))
            moved = max(moved, 1e3 * float(np.linalg.norm(shift)))
    changed = displace(clip, turns=turns, moves=moves, window_s=SPREAD_S).clip
    for leg in legs:
        changed = bring_limb(changed, leg, clip.positions()[:, leg.end], keep="local", soft=False)
        changed = _turn_like(changed, clip, leg.end)
    norms = np.empty(len(layout.owners))
    positions, world = changed.positions(), changed.world_rotations()
    for row, n in enumerate(layout.rows.near):
        frame = probes[n].frame
        off = _row(layout, aims, row, positions[frame : frame + 1], world[frame : frame + 1])
        norms[row] = np.linalg.norm(off)
    residue = IkResidue(blend_errors, worst, most, moved)
    return changed.replace(contacts=clip.contacts), norms, residue


def _three(vector: Floats) -> tuple[float, float, float]:
    x, y, z = vector.tolist()
    return x, y, z


def _turn_like(clip: Clip, other: Clip, joint: int) -> Clip:
    """The clip with a joint turned in the world as in another."""
    above = clip.world_rotations()[:, clip.skeleton.parents[joint]]
    rotations = np.array(clip.rotations)
    rotations[:, joint] = rot.multiply(rot.inverse(above), other.world_rotations()[:, joint])
    return clip.replace(rotations=rot.continuous(rot.normalize(rotations)))


def _freedoms(clip: Clip, probes: list[Probe]) -> list[_Freedom]:
    """The joints between the pelvis and the effectors, and what each may do."""
    skeleton, roles = clip.skeleton, clip.skeleton.roles
    parts = {joint: name.removeprefix("left ").removeprefix("right ") for name, joint in roles.items()}
    base = roles.get("hips", 0)
    joints: list[int] = []
    for probe in probes:
        chain = skeleton.chain(probe.joint)
        below = chain[chain.index(base) + 1 :] if base in chain else chain[1:]
        joints += [joint for joint in below if joint not in joints]
    trunk = [j for j in joints if j not in parts or parts[j] in ("spine", "chest", "neck", "collar")]
    freedoms = []
    for joint in joints:
        hinged = parts.get(joint) in ("lower arm", "lower leg")
        axes: Floats = _hinge(clip, joint) if hinged else np.eye(3)
        if joint in trunk:
            freedoms.append(_Freedom(joint, axes, np.radians(40.0) / max(len(trunk), 1), 3.0))
        else:
            freedoms.append(_Freedom(joint, axes, np.radians(75.0), 1.0))
    return freedoms


def _hinge(clip: Clip, joint: int) -> Floats:
    """The axis (1, 3) about which an elbow or knee bends, in its parent's frame; all three where another joint lies
    between."""
    limb = next((limb for limb in find_limbs(clip.skeleton) if limb.lower == joint), None)
    if limb is None or clip.skeleton.parents[joint] != limb.upper:
        return np.eye(3)
    return np.atleast_2d(hinge_axis(clip, limb.upper, limb.lower, limb.end))


def _standing_legs(clip: Clip, moved: set[int]) -> list[Limb]:
    """The legs whose feet stay where they are while the pelvis gives way; none if a leg is aimed or missing."""
    legs = [limb for limb in find_limbs(clip.skeleton) if limb.is_leg]
    return legs if len(legs) == 2 and not any(leg.upper in moved or leg.end in moved for leg in legs) else []


def _limits(clip: Clip, joints: set[int]) -> list[JointLimit]:
    try:
        return [limit for limit in human_limits(clip) if limit.joint in joints]
    except ParameterError:  # not a human body: the bounds alone must do
        return []


class _Pose:
    """The pose of one frame, and the search for the one next to it that meets the constraints."""

    def __init__(
        self,
        clip: Clip,
        frame: int,
        layout: ConstraintLayout,
        aims: Floats,
        rows: NDArray[np.intp],
        freedoms: list[_Freedom],
        legs: list[Limb],
        limits: list[JointLimit],
        pelvis: int,
    ) -> None:
        self.skeleton, self.layout, self.aims, self.rows = clip.skeleton, layout, aims, rows
        self.root, self.rotations = clip.root[frame], clip.rotations[frame]
        self.local = local_translations(clip)[frame]
        self.freedoms, self.legs, self.limits, self.pelvis = freedoms, legs, limits, pelvis
        sizes = [len(freedom.axes) for freedom in freedoms]
        self.starts = np.cumsum([3 if legs else 0, *sizes])
        positions, world = clip.positions()[frame], clip.world_rotations()[frame]
        parent = self.skeleton.parents[pelvis]
        self.frame_above = rot.identity() if parent < 0 else world[parent]
        self.hips = positions[[leg.upper for leg in legs]] if legs else np.zeros((0, 3))
        self.feet = positions[[leg.end for leg in legs]] if legs else np.zeros((0, 3))
        self.lengths = np.array([self._length(positions, leg) for leg in legs])
        self.spans = np.maximum(_STRAIGHT * self.lengths, np.linalg.norm(self.hips - self.feet, axis=-1))
        self.excess = self._excess(self.rotations[None])

    @staticmethod
    def _length(positions: Floats, leg: Limb) -> float:
        upper, lower, end = positions[leg.upper], positions[leg.lower], positions[leg.end]
        return float(np.linalg.norm(lower - upper) + np.linalg.norm(end - lower))

    def solve(self) -> tuple[Floats, list[Floats]]:
        """How far the pelvis moves, (3,) metres, and the rotation vector that each joint adds."""
        from scipy.optimize import least_squares

        most = [np.full(len(f.axes), f.most) for f in self.freedoms]
        cost = [np.full(len(f.axes), f.cost) for f in self.freedoms]
        if self.legs:
            most.insert(0, np.full(3, _PELVIS_M * float(self.lengths.mean()) / 0.9))
            cost.insert(0, np.full(3, _PELVIS_COST))
        if not most:
            return np.zeros(3), []  # nothing carries what is aimed
        bounds, self.cost = np.concatenate(most), np.concatenate(cost)
        minimum = least_squares(
            self._at,
            np.zeros(len(bounds)),
            jac=self._slopes,
            bounds=(-bounds, bounds),
            xtol=1e-9,
            ftol=1e-9,
            gtol=1e-9,
            max_nfev=40,
        )
        return self._parts(self._polished(minimum.x, bounds))

    def _polished(self, x: Floats, bounds: Floats) -> Floats:
        """Unknowns that meet the targets to the last digits: Newton steps of the least change."""
        rows = sum(_ROWS[int(self.layout.rows.kinds[row])] for row in self.rows)
        off = self._residuals(x[None])[0, :rows]
        for _ in range(_NEWTON_STEPS):
            if np.linalg.norm(off) < _TARGET * _EXACT:
                break
            inside = np.abs(x) < bounds
            slopes = self._slopes(x)[:rows, inside] / self.cost[inside]
            step, *_ = np.linalg.lstsq(slopes, -off, rcond=1e-6)
            tried = x.copy()
            tried[inside] += step / self.cost[inside]
            tried = np.clip(tried, -bounds, bounds)
            left = self._residuals(tried[None])[0, :rows]
            if np.linalg.norm(left) > 0.5 * np.linalg.norm(off):
                break  # out of reach: the search has found the nearest pose
            x, off = tried, left
        return x

    def _parts(self, x: Floats) -> tuple[Floats, list[Floats]]:
        shift: Floats = x[:3] if self.legs else np.zeros(3)
        vectors: list[Floats] = []
        for start, freedom in zip(self.starts, self.freedoms, strict=False):
            vectors.append(np.asarray(x[start : start + len(freedom.axes)] @ freedom.axes))
        return shift, vectors

    def _at(self, x: Floats) -> Floats:
        """The rows of one pose."""
        return np.asarray(self._residuals(x[None])[0])

    def _slopes(self, x: Floats) -> Floats:
        """Derivatives by differences, all of them in one pass over a batch of poses."""
        steps = np.concatenate([x[None], x + _STEP * np.eye(len(x)), x - _STEP * np.eye(len(x))])
        values = self._residuals(steps)
        count = len(x)
        return np.asarray((values[1 : count + 1] - values[count + 1 :]).T / (2.0 * _STEP))

    def _residuals(self, x: Floats) -> Floats:
        """Rows (poses, rows) for several poses at once, (poses, unknowns)."""
        poses = len(x)
        rotations = np.array(np.broadcast_to(self.rotations, (poses, *self.rotations.shape)))
        for start, freedom in zip(self.starts, self.freedoms, strict=False):
            vector = x[:, start : start + len(freedom.axes)] @ freedom.axes
            rotations[:, freedom.joint] = rot.multiply(rot.exp(vector), rotations[:, freedom.joint])
        local = np.array(np.broadcast_to(self.local, (poses, *self.local.shape)))
        shift = x[:, :3] if self.legs else np.zeros((poses, 3))
        local[:, self.pelvis] += rot.rotate(rot.inverse(self.frame_above), shift)
        positions, world = forward(self.skeleton, local[:, 0], rotations, local)
        weights = self.layout.rows.gains, self.layout.rows.scales
        parts = [
            _TARGET * np.sqrt(weights[0][row]) * weights[1][row] * _row(self.layout, self.aims, row, positions, world)
            for row in self.rows
        ]
        parts.append(self.cost * x)
        if self.limits:
            parts.append(_LIMIT * np.maximum(self._excess(rotations) - self.excess, 0.0))
        if self.legs:
            span = np.linalg.norm(self.hips + shift[:, None] - self.feet, axis=-1)
            parts.append(_LEG * np.maximum(span - self.spans, 0.0))
        return np.concatenate(parts, axis=1)

    def _excess(self, rotations: Floats) -> Floats:
        """How far each limited joint is beyond its limits, (poses, limits) radians."""
        beyond = []
        for limit in self.limits:
            turns = limit.read(rotations[:, limit.joint])
            beyond.append(np.linalg.norm(turns - limit.bounded(turns, 0.0), axis=-1))
        return np.stack(beyond, axis=1) if beyond else np.zeros((len(rotations), 0))


def _row(layout: ConstraintLayout, aims: Floats, row: int, positions: Floats, world: Floats) -> Floats:
    """The residual of one constraint at one frame for several poses, (poses, rows), in metres or radians."""
    place, turned = _effector(layout.probes[layout.rows.near[row]], positions, world)
    other = layout.rows.other[row]
    if other >= 0:
        base, frame = _effector(layout.probes[other], positions, world)
        place, turned = rot.rotate(rot.inverse(frame), place - base), rot.multiply(rot.inverse(frame), turned)
    kind, aim = int(layout.rows.kinds[row]), aims[row]
    if kind == POINT:
        return np.asarray(place - aim[:3])
    if kind == LINE:
        return np.asarray((place - aim[:3]) @ aim[3:9].reshape(2, 3).T)
    if kind == TURN:
        return rot.log(rot.multiply(turned, rot.inverse(aim[:4])))
    axis = rot.rotate(turned, aim[:3])
    if kind == HEADING:
        off = np.arctan2(axis[:, 0], axis[:, 2]) - aim[3]
        return np.asarray(off - 2.0 * np.pi * np.floor(off / (2.0 * np.pi) + 0.5))[:, None]
    toward = np.broadcast_to(aim[3:6], axis.shape) if kind in (AXIS, ANGLE) else aim[3:6] - place
    toward = toward / np.maximum(np.linalg.norm(toward, axis=-1, keepdims=True), 1e-9)
    if kind == ANGLE:
        return np.asarray(np.arccos(np.clip(np.sum(axis * toward, axis=-1), -1.0, 1.0)) - aim[6])[:, None]
    across = np.cross(axis, toward)
    sine, cosine = np.linalg.norm(across, axis=-1), np.sum(axis * toward, axis=-1)
    return np.asarray(across * (np.arctan2(sine, cosine) / np.maximum(sine, 1e-12))[:, None])


def _effector(probe: Probe, positions: Floats, world: Floats) -> tuple[Floats, Floats]:
    turned = world[:, probe.joint]
    return np.asarray(positions[:, probe.joint] + rot.rotate(turned, np.array(probe.offset))), turned
