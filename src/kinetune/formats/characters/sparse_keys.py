"""A motion of few keys as cubic curves: values and slopes at some frames, and everything between them follows.

=============  ==================================================================================
fit_keys_to    a cubic curve through some frames of a track, its slopes fitted to all the others
choose_tracks  the curves of a whole motion, with keys added until every joint is where it should be
=============  ==================================================================================

The slopes are a least-squares fit, so a curve follows its track between keys too. What is left is measured where it
matters, at the joints in the world, as the target file will play it: along its curves and, for formats whose readers
keep the keys but not the curves, along straight lines from pose to pose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.forward import forward, tips
from kinetune.body.root_motion import local_translations
from kinetune.findings import Finding, report_finding
from kinetune.rotations import Floats

Target = tuple[int, str]
"""A joint, and "rotation" or "translation"."""
_MOST_ROUNDS = 200
_SHARE = 0.25  # of the tolerance that the keys were chosen with
_LEAST = 1e-4  # metres


@dataclass(frozen=True, eq=False)
class CubicTrack:
    """Keys at frames (keys,), with values (keys, n) and slopes (keys, n) per frame."""

    frames: NDArray[np.intp]
    values: Floats
    slopes: Floats

    def play(self, count: int) -> Floats:
        """The values (count, n) at every frame; held before the first key and after the last."""
        if len(self.frames) == 1:
            return np.repeat(self.values, count, axis=0)
        at = np.clip(np.arange(count), self.frames[0], self.frames[-1])
        key = np.clip(np.searchsorted(self.frames, at, side="right") - 1, 0, len(self.frames) - 2)
        span = (self.frames[key + 1] - self.frames[key])[:, None].astype(float)
        start, out, end, into = _hermite((at - self.frames[key])[:, None] / span)
        ahead = key + 1
        return np.asarray(
            start * self.values[key]
            + out * span * self.slopes[key]
            + end * self.values[ahead]
            + into * span * self.slopes[ahead]
        )


def _hermite(u: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The weights of a cubic segment: first value, first slope, last value, last slope."""
    return 2 * u**3 - 3 * u**2 + 1, u**3 - 2 * u**2 + u, 3 * u**2 - 2 * u**3, u**3 - u**2


def fit_keys_to(dense: Floats, frames: NDArray[np.intp]) -> CubicTrack:
    """A cubic curve through the values of a track (count, n) at some frames, as near as can be to all the others."""
    values, keys = dense[frames], len(frames)
    if keys == 1:
        return CubicTrack(frames, values, np.zeros_like(values))
    at = np.arange(frames[0], frames[-1] + 1)
    key = np.clip(np.searchsorted(frames, at, side="right") - 1, 0, keys - 2)
    span = (frames[key + 1] - frames[key]).astype(float)
    start, out, end, into = _hermite((at - frames[key]) / span)
    rest = dense[at] - start[:, None] * values[key] - end[:, None] * values[key + 1]
    # slopes that no frame shows are those of the neighbours' difference
    guess = np.gradient(values, frames.astype(float), axis=0)
    normal = 1e-9 * np.eye(keys)
    right = 1e-9 * guess
    for column, weight in ((key, out * span), (key + 1, into * span)):
        np.add.at(right, column, weight[:, None] * rest)
        for other, again in ((key, out * span), (key + 1, into * span)):
            np.add.at(normal, (column, other), weight * again)
    return CubicTrack(frames, values, np.linalg.solve(normal, right))


def straight_between(values: Floats, frames: NDArray[np.intp]) -> Floats:
    """Quaternions (count, 4) or positions (count, 3) with lines between those at some frames."""
    keys = rot.continuous(values[frames]) if values.shape[1] == 4 else values[frames]
    at = np.arange(len(values))
    lines = np.stack([np.interp(at, frames, column) for column in keys.T], axis=-1)
    return rot.normalize(lines) if values.shape[1] == 4 else lines


def choose_tracks(
    clip: Clip, dense: Mapping[Target, Floats], rebuild: Callable[[Target, Floats], Floats], *, straight: bool = False
) -> dict[Target, CubicTrack] | None:
    """The tracks of a clip as cubic curves, or None for a clip that has no keys.

    Parameters
    ----------
    clip : Clip
        With ``keys``: where to begin.
    dense : mapping
        The tracks (frames, n) as the target file holds them: quaternions, Euler angles, positions.
    rebuild : callable
        From a target and its track as played to what a clip holds: rotations (frames, 4) or positions (frames, 3).
    straight : bool
        Whether the motion must also hold for programs that interpolate quaternions and positions linearly between keys.
    """
    keys = clip.keys
    if keys is None:
        return None
    everything = _Fit(clip, dense, rebuild, max(keys.tolerance, _LEAST / _SHARE), straight)
    for target in dense:
        joint, kind = target
        frames = keys.rotations[joint] if kind == "rotation" else keys.translations.get(joint, ())
        everything.frames[target] = {0, len(clip) - 1, *frames} if len(frames) > 1 else set(frames) or {0}
    if straight:  # such programs key the whole pose of a joint wherever one of its curves has a key
        for joint in {joint for joint, kind in dense if kind == "translation" and (joint, "rotation") in dense}:
            shared = everything.frames[joint, "rotation"] | everything.frames[joint, "translation"]
            everything.frames[joint, "rotation"] = everything.frames[joint, "translation"] = shared
    tracks = everything.run()
    sparse, whole = sum(len(track.frames) for track in tracks.values()), len(clip) * len(tracks)
    within = " mm, or ".join(f"{1000 * error:.2g}" for error in everything.errors)
    message = f"Written as {sparse:,} cubic keys instead of {whole:,}, within {within} mm"
    message += " where programs go straight from key to key." if straight else "."
    report_finding(Finding("sparse-keys", message, severity="info"))
    return tracks


class _Fit:
    def __init__(
        self,
        clip: Clip,
        dense: Mapping[Target, Floats],
        rebuild: Callable[[Target, Floats], Floats],
        tolerance: float,
        straight: bool,
    ) -> None:
        self.clip, self.dense, self.rebuild = clip, dense, rebuild
        self.frames: dict[Target, set[int]] = {}
        self.wanted = local_translations(clip)
        # what a player of the curves shows, and what one shows that goes straight from key to key
        self.allowed = (_SHARE * tolerance, tolerance) if straight else (_SHARE * tolerance,)
        self.played = [(np.array(clip.rotations), np.array(self.wanted)) for _ in self.allowed]
        self.used: dict[Target, Floats] = {}
        self.errors = [0.0] * len(self.allowed)
        self._reach = self._reaches()

    def _reaches(self) -> Floats:
        """How far below each joint (joints,) the farthest tip is, along the bones."""
        skeleton = self.clip.skeleton
        reach = np.full(len(skeleton), 0.05)
        for site in skeleton.end_sites:
            reach[site.parent] = max(reach[site.parent], float(np.linalg.norm(site.offset)))
        for joint in range(len(skeleton) - 1, 0, -1):
            parent = int(skeleton.parents[joint])
            if parent >= 0:
                reach[parent] = max(reach[parent], reach[joint] + float(np.linalg.norm(skeleton.offsets[joint])))
        return reach

    def run(self) -> dict[Target, CubicTrack]:
        tracks = {target: self._fit(target) for target in self.dense}
        for _ in range(_MOST_ROUNDS):
            off = self._excess()
            if off.max() <= 1.0:
                return tracks
            for target in self._refine(off):
                tracks[target] = self._fit(target)
        for target in tracks:  # as dense as it takes
            self.frames[target] = set(range(len(self.clip)))
            tracks[target] = self._fit(target)
        self._excess()
        return tracks

    def _fit(self, target: Target) -> CubicTrack:
        joint, kind = target
        frames = np.array(sorted(self.frames[target]), dtype=np.intp)
        track = fit_keys_to(self.dense[target], frames)
        played = self.rebuild(target, track.play(len(self.clip)))
        errors = []
        for (rotations, translations), allowed in zip(self.played, self.allowed, strict=True):
            if kind == "rotation":
                rotations[:, joint] = played
                off = self._reach[joint] * rot.angle_between(played, self.clip.rotations[:, joint])
            else:
                translations[:, joint] = played
                off = np.linalg.norm(played - self.wanted[:, joint], axis=-1)
            errors.append(off / allowed)
            played = straight_between(played, frames)
        self.used[target] = np.max(errors, axis=0)
        return track

    def _excess(self) -> Floats:
        """How far (frames,) any joint or tip is from where it should be, as a part of what is allowed."""
        errors = [self._errors(*played) for played in self.played]
        self.errors = [float(off.max()) for off in errors]
        return np.asarray(np.max([off / allowed for off, allowed in zip(errors, self.allowed, strict=True)], axis=0))

    def _errors(self, rotations: Floats, translations: Floats) -> Floats:
        clip, skeleton = self.clip, self.clip.skeleton
        positions, turned = forward(skeleton, translations[:, 0], rotations, translations)
        off = np.linalg.norm(positions - clip.positions(), axis=-1).max(axis=1)
        if skeleton.end_sites:
            parents = [site.parent for site in skeleton.end_sites]
            offsets = np.array([site.offset for site in skeleton.end_sites])
            ends = positions[:, parents] + rot.rotate(turned[:, parents], offsets)
            off = np.maximum(off, np.linalg.norm(ends - tips(clip), axis=-1).max(axis=1))
        return np.asarray(off)

    def _refine(self, off: Floats) -> set[Target]:
        """Give keys to the tracks that err most wherever the motion is off; which tracks that changed."""
        changed: set[Target] = set()
        bad = off > 1.0
        edges = np.flatnonzero(np.diff(np.concatenate([[False], bad, [False]]).astype(int)))
        targets = list(self.used)
        errors = np.stack([self.used[target] for target in targets])
        for first, last in zip(edges[::2], edges[1::2], strict=True):
            worst = first + int(np.argmax(off[first:last]))
            for row in np.flatnonzero(errors[:, worst] >= 0.5 * errors[:, worst].max()).tolist():
                target = targets[row]
                free = [f for f in (worst, worst - 1, worst + 1) if 0 <= f < len(off) and f not in self.frames[target]]
                if free and errors[row, worst] > 0:
                    self.frames[target].add(free[0])
                    changed |= {other for other in targets if self.frames[other] is self.frames[target]}
        if not changed:
            for target in targets:
                self.frames[target].update(np.flatnonzero(bad).tolist())
            changed = set(targets)
        return changed
