"""A body of fixed bones that follows markers: bone lengths, marker offsets and joint angles by least squares.

A plan says which markers sit on which segment (from their labels, or from clusters that move as one) and where the
joints are in a reference frame, whose pose is the rest pose. Then two steps alternate: Gauss-Newton on the pose of all
frames, with a slight tie between neighbouring frames that carries joints over gaps, and one linear solve for the bones
and the offsets of all markers, tied slightly to where they began. Markers far from the body count less (with Cauchy
weights).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.kinematics.forward import forward
from kinetune.body.skeleton import EndSite, Skeleton, as_offset, distinct_names
from kinetune.formats.c3d._joint_centres import (
    INSIDE,
    body_left,
    carried_centre,
    cluster_motion,
    landmark_centres,
    nearest_middle,
)
from kinetune.formats.c3d.marker_sets import PARENTS, MarkerPlace, read_label, stem_of
from kinetune.progress import report
from kinetune.rotations import Floats
from kinetune.trajectory.normal_equations import NormalEquations

_LEAST_SEGMENTS = 4  # of a body
_CLUSTER = 3  # markers that move as one
_MOST_CLUSTERS = 40
_ROUNDS = 5  # of both steps
_POSE_STEPS = 3
_BLOCK, _OVERLAP = 600, 24  # frames that are solved at once
_FAR = 0.05  # metres at which a marker counts half
_STEADY = 1e-5  # square metres per square radian between neighbouring frames
_REST = 1e-7  # the same towards the rest pose, for angles that no marker shows
_TIE = 0.02  # of a frame's weight, of bones and offsets to where they began
_MOST_FRAMES = 2000  # that the linear step looks at
_LARGEST_STEP = 0.5  # radians or metres


@dataclass
class _Plan:
    """Segments, parents first: name, parent, the columns of their markers; and where joints begin in the reference."""

    names: list[str]
    parents: list[int]
    markers: list[list[int]]
    reference: int = 0
    centres: list[Floats] = field(default_factory=list)


@dataclass(frozen=True)
class MarkerFit:
    """A body that follows markers.

    Parameters
    ----------
    skeleton : Skeleton
        Its rest pose is that of the reference frame.
    root : array, shape (frames, 3)
        World positions of the first joint.
    rotations : array, shape (frames, joints, 4)
        Local rotations wxyz.
    markers : tuple of int
        The columns of the markers that were used.
    joints : tuple of int
        The joint that carries each of them.
    offsets : array, shape (markers, 3)
        Where each sits in the frame of its joint, in metres.
    residuals : array, shape (frames, markers)
        The distance of each marker from where the body holds it, in metres; NaN where it was not seen.
    """

    skeleton: Skeleton
    root: Floats
    rotations: Floats
    markers: tuple[int, ...]
    joints: tuple[int, ...]
    offsets: Floats
    residuals: Floats


def fit_markers(labels: Sequence[str], points: Floats) -> MarkerFit | None:
    """A body fitted to markers, or None when the labels show neither a body nor two clusters.

    Parameters
    ----------
    labels : sequence of str
        One for each marker.
    points : array, shape (frames, markers, 3)
        In metres with Y up; NaN where a marker was not seen.
    """
    places = [read_label(label) for label in labels]
    seen = np.isfinite(points[..., 0])
    plan = _body_plan(places, points, seen) or _cluster_plan(labels, points, seen)
    return None if plan is None else _Fitter(plan, points, places).fit()


# --- plans


def _reference(points: Floats, seen: NDArray[np.bool_], used: Sequence[int]) -> int:
    """The frame in which most markers are seen, and of these the one in which the body is tallest."""
    count = seen[:, used].sum(axis=1)
    heights = np.where(seen, points[..., 1], np.nan)[:, used]
    with np.errstate(invalid="ignore"):
        tall = np.nan_to_num(np.fmax.reduce(heights, axis=1) - np.fmin.reduce(heights, axis=1), nan=-1.0)
    return int(np.argmax(np.where(count == count.max(), tall, -np.inf)))


def _body_plan(places: Sequence[MarkerPlace | None], points: Floats, seen: NDArray[np.bool_]) -> _Plan | None:
    """The segments of a body that the labels name."""
    groups: dict[str, list[int]] = {name: [] for name in PARENTS}
    for column, place in enumerate(places):
        if place is not None and seen[:, column].any():
            groups[place.segment].append(column)
    present = [name for name in PARENTS if groups[name]]
    if len(present) < _LEAST_SEGMENTS or not {"Hips", "Chest"} & set(present):
        return None
    used = [column for name in present for column in groups[name]]
    reference = _reference(points, seen, used)
    centres = landmark_centres(places, points[reference])
    parents = []
    for number, name in enumerate(present):
        above = PARENTS[name]
        while above and above not in present:
            above = PARENTS[above]
        parents.append(present.index(above) if above else -1 if number == 0 else 0)
    plan = _Plan(present, parents, [groups[name] for name in present], reference)
    left = body_left(places, points[reference])
    inward: dict[str, Floats] = {}
    if left is not None:
        for side, sign in (("Left", -1.0), ("Right", 1.0)):
            inward |= {f"{side}{part}": sign * width * left for part, width in INSIDE.items()}
    _place_joints(plan, points, centres, inward)
    return plan


def _cluster_plan(labels: Sequence[str], points: Floats, seen: NDArray[np.bool_]) -> _Plan | None:
    """Clusters with a common name, connected where both carry the same point best."""
    groups: dict[str, list[int]] = {}
    for column, label in enumerate(labels):
        if seen[:, column].any():
            groups.setdefault(stem_of(label), []).append(column)
    clusters = {name: columns for name, columns in groups.items() if len(columns) >= _CLUSTER}
    if not 2 <= len(clusters) <= _MOST_CLUSTERS:
        return None
    used = [column for columns in clusters.values() for column in columns]
    reference = _reference(points, seen, used)
    here = points[reference]
    names = [name for name, columns in clusters.items() if np.isfinite(here[columns]).all(axis=1).sum() >= _CLUSTER]
    if len(names) < 2:
        return None
    motions = {name: cluster_motion(points[:, clusters[name]], here[clusters[name]]) for name in names}
    heights = {name: float(np.nanmean(points[:, clusters[name], 1])) for name in names}
    order = [max(names, key=heights.__getitem__)]
    parents = [-1]
    while len(order) < len(names):
        options = [
            (_apart(motions[above], motions[name], here, clusters[above], clusters[name]), order.index(above), name)
            for above in order
            for name in names
            if name not in order
        ]
        _, above, name = min(options)
        order.append(name)
        parents.append(above)
    plan = _Plan(order, parents, [clusters[name] for name in order], reference)
    _place_joints(plan, points, {}, {})
    return plan


def _apart(
    above: tuple[Floats, Floats], below: tuple[Floats, Floats], here: Floats, one: list[int], other: list[int]
) -> float:
    """How far the best common point of two clusters comes apart, and a little how far it is from them."""
    a, b = here[one], here[other]
    middle = nearest_middle(a[np.isfinite(a[:, 0])], b[np.isfinite(b[:, 0])])
    centre = carried_centre(above, below, middle)
    gap = rot.rotate(above[0], centre) + above[1] - rot.rotate(below[0], centre) - below[1]
    known = np.isfinite(gap[:, 0])
    if not known.any():
        return 10.0 + float(np.linalg.norm(np.nanmean(a, axis=0) - np.nanmean(b, axis=0)))
    return float(np.linalg.norm(gap[known], axis=1).mean() + 0.1 * np.linalg.norm(centre - middle))


def _place_joints(plan: _Plan, points: Floats, known: dict[str, Floats], inward: dict[str, Floats]) -> None:
    """Fill in where each segment begins in the reference frame.

    known : joints that landmarks show. inward : from the outer side of a limb to the middle of its joint.
    """
    here = points[plan.reference]
    clouds = [here[columns][np.isfinite(here[columns]).all(axis=1)] for columns in plan.markers]
    motions = [cluster_motion(points[:, columns], here[columns]) for columns in plan.markers]
    for number, (name, parent) in enumerate(zip(plan.names, plan.parents, strict=True)):
        cloud = clouds[number]
        if name in known:
            centre = known[name]
        elif parent < 0 or not len(cloud) or not len(clouds[parent]):
            centre = cloud.mean(axis=0) if len(cloud) else plan.centres[max(parent, 0)] if plan.centres else np.zeros(3)
        else:
            middle = nearest_middle(clouds[parent], cloud) + inward.get(name, 0.0)
            centre = carried_centre(motions[parent], motions[number], middle)
        plan.centres.append(np.asarray(centre, dtype=float))
    legs = [plan.names.index(name) for name in ("LeftUpperLeg", "RightUpperLeg") if name in plan.names]
    if "Hips" in plan.names and "Hips" not in known and len(legs) == 2:  # between the legs, not where its markers are
        plan.centres[plan.names.index("Hips")] = 0.5 * (plan.centres[legs[0]] + plan.centres[legs[1]])


# --- the fit


class _Fitter:
    def __init__(self, plan: _Plan, points: Floats, places: Sequence[MarkerPlace | None]) -> None:
        self.plan, self.places = plan, places
        self.parents = np.array(plan.parents, dtype=np.intp)
        self.count = len(plan.names)
        self.centres = np.array(plan.centres)
        self.bones = np.array(self.centres)
        self.bones[1:] -= self.centres[self.parents[1:]]
        self.chains = [self._chain(joint) for joint in range(self.count)]
        self.root, self.rotations = self._start(points)
        self.columns, self.joints, offsets = self._offsets(points)
        self.points = points[:, self.columns]
        self.offsets = np.array(offsets)
        self.first_bones, self.first_offsets = self.bones.copy(), self.offsets.copy()

    def _chain(self, joint: int) -> list[int]:
        chain = [joint]
        while self.parents[chain[0]] >= 0:
            chain.insert(0, int(self.parents[chain[0]]))
        return chain

    def _start(self, points: Floats) -> tuple[Floats, Floats]:
        """Root positions and local rotations from the motion of each cluster; others move with their parents."""
        frames = len(points)
        here = points[self.plan.reference]
        world = rot.identity(frames, self.count)
        root = np.full((frames, 3), np.nan)
        for joint, columns in enumerate(self.plan.markers):
            turned, shift = cluster_motion(points[:, columns], here[columns])
            known = np.isfinite(shift[:, 0])
            above = rot.identity(frames) if joint == 0 else world[:, self.parents[joint]]
            world[:, joint] = np.where(known[:, None], turned, above)
            if joint == 0:
                root[known] = (rot.rotate(turned, self.centres[0]) + shift)[known]
                world[:, 0] = _held(world[:, 0], known)
        loose = np.isnan(root[:, 0])
        if loose.all():
            root[:] = np.nanmean(np.where(np.isfinite(points), points, np.nan), axis=(0, 1))
        elif loose.any():
            at, known = np.arange(frames), ~loose
            root = np.stack([np.interp(at, at[known], root[known, axis]) for axis in range(3)], axis=1)
        local = world.copy()
        local[:, 1:] = rot.multiply(rot.inverse(world[:, self.parents[1:]]), world[:, 1:])
        return root, local

    def _offsets(self, points: Floats) -> tuple[list[int], list[int], list[Floats]]:
        """The markers that can be used, their joints and their offsets, which are those of the reference frame."""
        here = points[self.plan.reference]
        columns, joints, offsets = [], [], []
        for joint, of_joint in enumerate(self.plan.markers):
            turned, shift = cluster_motion(points[:, of_joint], here[of_joint])
            for column in of_joint:
                place = here[column]
                if not np.isfinite(place).all():
                    back = rot.rotate(rot.inverse(turned), points[:, column] - shift)
                    if not np.isfinite(back[:, 0]).any():
                        continue
                    place = np.nanmean(back, axis=0)
                columns.append(column)
                joints.append(joint)
                offsets.append(place - self.centres[joint])
        return columns, joints, offsets

    def fit(self) -> MarkerFit:
        for number in range(_ROUNDS):
            report(number / _ROUNDS, "fitting a body to the markers")
            for _ in range(_POSE_STEPS):
                self._solve_pose()
            self._solve_bones()
        for _ in range(2 * _POSE_STEPS):
            self._solve_pose()
        residuals = np.linalg.norm(self._predicted()[0] - self.points, axis=2)
        return MarkerFit(
            self._skeleton(),
            self.root,
            rot.continuous(self.rotations),
            tuple(self.columns),
            tuple(self.joints),
            self.offsets,
            residuals,
        )

    def _skeleton(self, *, tips: bool = True) -> Skeleton:
        names = distinct_names(self.plan.names)
        bones = np.array(self.bones)
        bones[0] = self.centres[0]
        return Skeleton(names, self.parents, bones, self._tips() if tips else ())

    def _tips(self) -> tuple[EndSite, ...]:
        """The ends of the last segments: the toes of a foot, else the marker that is farthest out."""
        tips = []
        carriers = set(self.parents.tolist())
        for joint in range(self.count):
            members = [k for k, of in enumerate(self.joints) if of == joint]
            if joint in carriers or not members:
                continue
            toes = [
                k for k in members if (place := self.places[self.columns[k]]) is not None and place.landmark == "toe"
            ]
            farthest = max(members, key=lambda k: float(np.linalg.norm(self.offsets[k])))
            tip = self.offsets[toes].mean(axis=0) if toes else self.offsets[farthest]
            tips.append(EndSite(joint, as_offset(tip)))
        return tuple(tips)

    def _predicted(self) -> tuple[Floats, Floats, Floats]:
        """Markers (frames, markers, 3), joints (frames, joints, 3) and their world rotations."""
        places, world = forward(self._skeleton(tips=False), self.root, self.rotations)
        held = places[:, self.joints] + rot.rotate(world[:, self.joints], self.offsets)
        return held, places, world

    def _weights(self, residual: Floats) -> Floats:
        away = np.linalg.norm(residual, axis=2) / _FAR
        return np.where(np.isfinite(away), 1.0 / (1.0 + np.nan_to_num(away) ** 2), 0.0)

    def _solve_pose(self) -> None:
        """One Gauss-Newton step on the poses of all frames, a block of frames at a time."""
        held, places, world = self._predicted()
        residual = held - self.points
        weight = self._weights(residual)
        residual = np.nan_to_num(residual)
        matrices = rot.to_matrix(world)
        frames = len(self.root)
        step = np.zeros((frames, 3 + 3 * self.count))
        for start in range(0, frames, _BLOCK):
            first, last = max(start - _OVERLAP, 0), min(start + _BLOCK + _OVERLAP, frames)
            part = slice(first, last)
            solved = self._block(residual[part], weight[part], held[part], places[part], matrices[part], part)
            stop = min(start + _BLOCK, frames)
            step[start:stop] = solved[start - first : stop - first]
        step = np.clip(step, -_LARGEST_STEP, _LARGEST_STEP)
        self.root = self.root + step[:, :3]
        turned = rot.exp(step[:, 3:].reshape(frames, self.count, 3))
        self.rotations = rot.normalize(rot.multiply(self.rotations, turned))

    def _block(
        self, residual: Floats, weight: Floats, held: Floats, places: Floats, matrices: Floats, part: slice
    ) -> Floats:
        """The step of some frames: a shift of the root, then a rotation vector for each joint."""
        frames = len(residual)
        equations = NormalEquations(frames, 3 + 3 * self.count, 1)
        for joint in range(self.count):
            members = [k for k, of in enumerate(self.joints) if of == joint]
            if not members:
                continue
            chain = self.chains[joint]
            slopes = np.zeros((frames, len(members), 3, 3 + 3 * len(chain)))
            slopes[..., :3] = np.eye(3)
            for number, carrier in enumerate(chain):
                arm = held[:, members] - places[:, carrier, None]
                at = 3 + 3 * number
                slopes[..., at : at + 3] = -_cross_matrix(arm) @ matrices[:, carrier, None]
            columns = [0, 1, 2, *(3 + 3 * carrier + axis for carrier in chain for axis in range(3))]
            equations.add(
                residual[:, members].reshape(frames, -1),
                slopes.reshape(frames, 3 * len(members), -1),
                weight=np.repeat(weight[:, members], 3, axis=1),
                columns=columns,
            )
        local = self.rotations[part]
        away = rot.log(local)
        turns = rot.log(rot.multiply(rot.inverse(local[:-1]), local[1:])) if frames > 1 else None
        unit = np.broadcast_to(np.eye(3), (frames, 3, 3))
        for joint in range(self.count):
            columns = [3 + 3 * joint + axis for axis in range(3)]
            equations.add(away[:, joint], unit, weight=_REST, columns=columns)
            if turns is not None:
                equations.add(turns[:, joint], -unit[1:], unit[1:], weight=_STEADY, columns=columns)
        solved = equations.solve(1e-9)
        return np.zeros((frames, 3 + 3 * self.count)) if solved is None else solved

    def _solve_bones(self) -> None:
        """Bones and marker offsets that fit best while all rotations stay."""
        every = slice(None, None, max(1, len(self.root) // _MOST_FRAMES))
        held, _, world = self._predicted()
        weight = self._weights(held - self.points)[every]
        matrices = rot.to_matrix(world[every])
        target = np.nan_to_num(self.points[every] - self.root[every, None])
        bones, total = self.count - 1, self.count - 1 + len(self.columns)
        normal = np.zeros((total, 3, total, 3))
        pull = np.zeros((total, 3))
        for marker, joint in enumerate(self.joints):
            terms = [(carrier - 1, matrices[:, self.parents[carrier]]) for carrier in self.chains[joint][1:]]
            terms.append((bones + marker, matrices[:, joint]))
            w = weight[:, marker]
            for a, of_a in terms:
                pull[a] += np.einsum("f,fki,fk->i", w, of_a, target[:, marker])
                for b, of_b in terms:
                    normal[a, :, b] += np.einsum("f,fki,fkj->ij", w, of_a, of_b)
        tie = _TIE * len(target)
        begun = np.concatenate([self.first_bones[1:], self.first_offsets])
        matrix = normal.reshape(3 * total, 3 * total) + tie * np.eye(3 * total)
        solved = np.linalg.solve(matrix, (pull + tie * begun).reshape(-1)).reshape(total, 3)
        self.bones[1:], self.offsets = solved[:bones], solved[bones:]


def _held(rotations: Floats, known: NDArray[np.bool_]) -> Floats:
    """Rotations (frames, 4) in which unknown frames repeat the last known one."""
    if not known.any():
        return rotations
    last = np.maximum.accumulate(np.where(known, np.arange(len(known)), -1))
    return rotations[np.where(last < 0, int(np.argmax(known)), last)]


def _cross_matrix(vectors: Floats) -> Floats:
    """The matrices (..., 3, 3) that multiply as the cross product with vectors (..., 3)."""
    matrix = np.zeros((*vectors.shape, 3))
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    matrix[..., 0, 1], matrix[..., 0, 2] = -z, y
    matrix[..., 1, 0], matrix[..., 1, 2] = z, -x
    matrix[..., 2, 0], matrix[..., 2, 1] = -y, x
    return matrix
