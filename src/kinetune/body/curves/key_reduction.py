"""Dense motion as a few keys, within a tolerance in millimetres, and back.

=============  ===========================================================================
reduce_keys    a clip to keys
KeyedClip      the keys: ``to_clip()`` plays them, ``summary()`` says what was saved
=============  ===========================================================================

An error at the hips moves the feet, and an error at the knee does not move the hips. So joints are taken from the root
outwards, and each is fitted not to its own old rotation but to what brings the bones below it back to where they were:
errors do not add up along a limb, and relative jitter of two joints is not stored in both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip, KeyFrames
from kinetune.body.kinematics.forward import tips
from kinetune.body.root_motion import local_translations
from kinetune.errors import ParameterError
from kinetune.rotations import Floats
from kinetune.signals.rotation_curves import LogCurves, curves_to_rotations, rotations_to_curves
from kinetune.signals.splines.key_fitting import choose_keys, fit_keys
from kinetune.signals.splines.tcb import TCB

LEVER = 0.05
"""Metres: the rotation of a joint counts as the path of a point this far from it, so that twists are kept too."""

_FIRST_SHARE = 0.5
"""The part of the tolerance that the root may use; the rest is handed out along the limbs."""
_STILL = 1e-7


@dataclass(frozen=True, eq=False)
class KeyedClip:
    """A motion as keys: one spline for the path of the root and one for each joint.

    Parameters
    ----------
    clip : Clip
        The dense motion that was reduced, for its skeleton, rate, markers and origin.
    turns : tuple of TCB
        For each joint, its keys as rotation vectors (keys, 3), timed in frames.
    centers : LogCurves
        The rotations around which those vectors are taken.
    paths : mapping
        Splines (keys, 3) in metres of the root and of every joint whose position the file animates, by joint.
    error : float
        The largest distance, in metres, between a joint or tip and its position in the dense motion.
    tolerance : float
        The distance that was allowed.

    Examples
    --------
    >>> from kinetune import reduce_keys, sample
    >>> keyed = reduce_keys(sample("knock"), tolerance_mm=20)
    >>> len(keyed.to_clip()) == len(sample("knock"))
    True
    """

    clip: Clip
    turns: tuple[TCB, ...]
    centers: LogCurves
    paths: Mapping[int, TCB]
    error: float
    tolerance: float = 0.0

    def __repr__(self) -> str:
        return f"KeyedClip({self.key_count} keys for {len(self.clip)} frames, within {1000.0 * self.error:.2g} mm)"

    def to_clip(self) -> Clip:
        """The motion that the keys make, at every frame."""
        frames = np.arange(len(self.clip))
        curves = np.stack([spline(frames) for spline in self.turns], axis=1)
        rotations = rot.normalize(curves_to_rotations(self.centers.with_curves(curves)))
        translations = None
        if self.clip.translations is not None:
            translations = np.array(self.clip.translations)
            for joint, path in self.paths.items():
                translations[:, joint] = path(frames)
        return self.clip.replace(
            root=np.asarray(self.paths[0](frames)),
            rotations=rot.continuous(rotations),
            translations=translations,
            contacts=self.clip.contacts,
            keys=self._key_frames(),
        )

    def _key_frames(self) -> KeyFrames:
        def frames(spline: TCB) -> tuple[int, ...]:
            return tuple(round(t) for t in spline.times.tolist())

        paths = {joint: frames(path) for joint, path in self.paths.items()}
        return KeyFrames(tuple(map(frames, self.turns)), paths, self.tolerance)

    @property
    def key_count(self) -> int:
        """How many keys there are in all, of all joints and paths."""
        return sum(len(spline) for spline in (*self.turns, *self.paths.values()))

    @property
    def dense_count(self) -> int:
        """How many there would be with one at every frame."""
        return len(self.clip) * (len(self.turns) + len(self.paths))

    def key_frames(self, joint: str | None = None) -> tuple[int, ...]:
        """The frames at which a joint has keys; None: at which anything has."""
        splines = (
            [*self.turns, *self.paths.values()] if joint is None else [self.turns[self.clip.skeleton.index(joint)]]
        )
        return tuple(sorted({round(t) for spline in splines for t in spline.times.tolist()}))

    def summary(self) -> dict[str, Any]:
        """What was saved, JSON-ready."""
        return {
            "frames": len(self.clip),
            "key_frames": len(self.key_frames()),
            "keys": self.key_count,
            "dense_keys": self.dense_count,
            "times_fewer": self.dense_count / self.key_count,
            "error_mm": 1000.0 * self.error,
            "keys_of": {name: len(spline) for name, spline in zip(self.clip.skeleton.names, self.turns, strict=True)},
        }


def reduce_keys(clip: Clip, tolerance_mm: float = 5.0, *, keys: Literal["joint", "shared"] = "joint") -> KeyedClip:
    """Reduce a motion to a few keys, with every joint and tip within a tolerance of its position in the world.

    Parameters
    ----------
    clip : Clip
        The motion.
    tolerance_mm : float
        The largest distance allowed, over all joints, tips and frames.
    keys : {"joint", "shared"}
        "joint" gives each joint keys of its own, which takes fewer keys in all; "shared" keys whole poses, which takes
        fewer key frames.

    Returns
    -------
    KeyedClip
        The keys, and the motion that they make.

    Notes
    -----
    Each key has a value, tension and bias (:func:`kinetune.signals.splines.key_fitting.fit_keys`). The rotation of a
    joint is bounded too: the tolerance is the path of a point 5 cm from it (:data:`LEVER`), 5.7 degrees for 5 mm. Why
    the bound can always be kept: a bone whose upper end is off by e can be laid so that its lower end is off by no more
    than e, and the share of the tolerance grows from joint to joint. Law: the error is within the tolerance
    (``tests/body/curves/test_key_reduction.py``).

    Examples
    --------
    >>> from kinetune import sample
    >>> keyed = reduce_keys(sample("knock"), tolerance_mm=5)
    >>> keyed.key_count < keyed.dense_count / 10
    True
    """
    if not (np.isfinite(tolerance_mm) and tolerance_mm > 0):
        raise ParameterError(f"tolerance_mm must be a positive number of millimetres, not {tolerance_mm}.")
    if keys not in ("joint", "shared"):
        raise ParameterError(f'keys must be "joint" or "shared", not "{keys}".')
    clip = clip.replace(rotations=_signed_alike(clip.rotations), contacts=clip.contacts)
    work = _Reduction(clip, 0.001 * tolerance_mm, first_share=_FIRST_SHARE if keys == "joint" else 1.0)
    if keys == "joint":
        work.run()
    else:
        work.run(choose_keys(len(clip), work.run, 0.001 * tolerance_mm, thin=False))
    return work.result()


def _signed_alike(rotations: Floats) -> Floats:
    """The same rotations (frames, joints, 4), signed alike for q and -q, which must get the same keys."""
    first = rotations[:1]
    largest = np.take_along_axis(first, np.argmax(np.abs(first), axis=-1)[..., None], axis=-1)
    return rot.continuous(rotations * np.where(largest < 0.0, -1.0, 1.0))


class _Reduction:
    """The motion that the keys found so far make, joint by joint from the root outwards."""

    def __init__(self, clip: Clip, tolerance: float, first_share: float) -> None:
        self.clip, self.tolerance = clip, tolerance
        self.skeleton = clip.skeleton
        self.offsets = local_translations(clip)  # (frames, joints, 3)
        self.old_places, self.old_turns = clip.positions(), clip.world_rotations()
        first = clip.rotations[:1]
        self.still = np.all(rot.angle_between(clip.rotations, first) < _STILL, axis=0)
        self.moving = {j for j in range(len(self.skeleton)) if np.ptp(self.offsets[:, j], axis=0).max() > _STILL} | {0}
        self.share = self._shares(first_share)
        self.points = [self._carried(joint) for joint in range(len(self.skeleton))]
        self.turns: list[TCB] = []
        self.curves: list[LogCurves] = []
        self.paths: dict[int, TCB] = {}

    def _shares(self, first: float) -> Floats:
        """The tolerance (joints,) of each joint's own position: more from the root outwards."""
        parents = self.skeleton.parents.tolist()
        above, below = np.zeros(len(parents)), np.zeros(len(parents))
        for joint, parent in enumerate(parents):
            above[joint] = 0.0 if parent < 0 else above[parent] + 1.0
        for joint in range(len(parents) - 1, 0, -1):
            if parents[joint] >= 0:
                below[parents[joint]] = max(below[parents[joint]], below[joint] + 1.0)
        part = above / (above + below + 1.0)
        return self.tolerance * (first + (1.0 - first) * part)

    def _carried(self, joint: int) -> list[tuple[Floats, Floats, float]]:
        """Points that a joint carries: (frames, 3) in its frame, (frames, 3) in the world, and their tolerance.

        The points of a child that never rotates count as points of this joint.
        """
        points: list[tuple[Floats, Floats, float]] = []
        for child in self.skeleton.children[joint]:
            points.append((self.offsets[:, child], self.old_places[:, child], float(self.share[child])))
            if self.still[child]:
                local = self.clip.rotations[:, child]
                points += [
                    (self.offsets[:, child] + rot.rotate(local, offset), goal, bound)
                    for offset, goal, bound in self._carried(child)
                ]
        for number, site in enumerate(self.skeleton.end_sites):
            if site.parent == joint:
                offset = np.broadcast_to(np.array(site.offset), (len(self.clip), 3))
                points.append((offset, tips(self.clip)[:, number], self.tolerance))
        return [part for part in points if np.abs(part[0]).max() > _STILL]

    def run(self, shared: Sequence[int] | None = None) -> Floats:
        """Fit everything, with keys of its own for each joint or with shared ones; the error (frames,) in metres."""
        frames = len(self.clip)
        self.turns, self.curves, self.paths = [], [], {}
        places = np.empty_like(self.old_places)
        turned = np.empty_like(self.old_turns)
        error = np.zeros(frames)
        for joint, parent in enumerate(self.skeleton.parents.tolist()):
            path = self._path(joint, shared)
            if parent < 0:
                places[:, joint], carrier = path, rot.identity(frames)
            else:
                places[:, joint] = places[:, parent] + rot.rotate(turned[:, parent], path)
                carrier = turned[:, parent]
            turned[:, joint] = self._turn(joint, places[:, joint], carrier, shared)
            error = np.maximum(error, self._error(joint, places[:, joint], turned[:, joint]) * self.tolerance)
            error = np.maximum(error, np.linalg.norm(places[:, joint] - self.old_places[:, joint], axis=-1))
        return error

    def _path(self, joint: int, shared: Sequence[int] | None) -> Floats:
        """Where a joint is in its parent's frame, (frames, 3)."""
        dense = self.offsets[:, joint]
        if joint not in self.moving:
            return dense
        parent = int(self.skeleton.parents[joint])
        room = self.share[joint] if parent < 0 else 0.3 * (self.share[joint] - self.share[parent])
        keys = shared or choose_keys(
            len(dense), lambda k: np.linalg.norm(_played(dense, k) - dense, axis=-1), float(room)
        )
        self.paths[joint] = fit_keys(dense, keys)
        return np.asarray(self.paths[joint](np.arange(len(dense))))

    def _turn(self, joint: int, place: Floats, carrier: Floats, shared: Sequence[int] | None) -> Floats:
        """The world rotations (frames, 4) of a joint, once its keys are found."""
        frames = len(self.clip)
        target = rot.multiply(rot.inverse(carrier), self._wanted(joint, place))
        log = rotations_to_curves(self.clip.rotations[:, joint : joint + 1] if self.still[joint] else target[:, None])
        dense = log.curves[:, 0]

        def turned(spline: TCB) -> Floats:
            curves = log.with_curves(np.asarray(spline(np.arange(frames)))[:, None])
            return rot.multiply(carrier, curves_to_rotations(curves)[:, 0])

        if self.still[joint]:
            keys: Sequence[int] = [0]
        else:
            keys = shared or choose_keys(frames, lambda k: self._error(joint, place, turned(fit_keys(dense, k))), 1.0)
        spline = fit_keys(dense, keys)
        self.turns.append(spline)
        self.curves.append(log)
        return turned(spline)

    def _wanted(self, joint: int, place: Floats) -> Floats:
        """The world rotations (frames, 4) that lay the bones of a joint where they were, as far as its position allows.

        A joint with one bone points it at its old end; the shorter the bone, the less, for its rotation counts too. A
        joint with several keeps its old rotation.
        """
        old = self.old_turns[:, joint]
        ends = self.points[joint]
        if len(ends) != 1:
            return old
        offset, goal, _ = ends[0]
        lengths = np.linalg.norm(offset, axis=-1)
        if lengths.min() < 1e-6:
            return old
        swing = rot.log(rot.between(rot.rotate(old, offset), _steady(goal - place)))
        part = lengths**2 / (lengths**2 + LEVER**2)
        return rot.multiply(rot.exp(part[:, None] * swing), old)

    def _error(self, joint: int, place: Floats, turned: Floats) -> Floats:
        """How much of their tolerances the points and the rotation of a joint use, (frames,); at most 1 is allowed."""
        used = LEVER * rot.angle_between(turned, self.old_turns[:, joint]) / self.tolerance
        for offset, goal, bound in self.points[joint]:
            off = np.linalg.norm(place + rot.rotate(turned, offset) - goal, axis=-1)
            used = np.maximum(used, off / bound)
        return used

    def result(self) -> KeyedClip:
        centers = LogCurves(
            np.concatenate([c.center for c in self.curves]),
            np.concatenate([c.curves for c in self.curves], axis=1),
            np.concatenate([c.axis for c in self.curves]),
            np.concatenate([c.own for c in self.curves]),
        )
        keyed = KeyedClip(self.clip, tuple(self.turns), centers, dict(self.paths), 0.0, self.tolerance)
        played = keyed.to_clip()
        off = np.linalg.norm(played.positions() - self.old_places, axis=-1).max()
        if self.skeleton.end_sites:
            off = max(off, np.linalg.norm(tips(played) - tips(self.clip), axis=-1).max())
        return replace(keyed, error=float(off))


def _played(dense: Floats, keys: Sequence[int]) -> Floats:
    return np.asarray(fit_keys(dense, keys)(np.arange(len(dense))))


def _steady(vectors: Floats) -> Floats:
    """Vectors without any of no length, which have no direction."""
    return np.where(np.linalg.norm(vectors, axis=-1, keepdims=True) > 1e-12, vectors, np.array([0.0, 1.0, 0.0]))
