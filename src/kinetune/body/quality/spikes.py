"""Spikes, short flips and dropouts of single joints: find them, and bridge them where that helps.

=============  =====================================================================
find_spikes    which joints, and which positions, are wrong for a few frames
mend_spikes    the clip with these frames interpolated
=============  =====================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.forward import forward
from kinetune.body.skeleton import Skeleton
from kinetune.findings import Finding
from kinetune.rotations import Floats
from kinetune.signals.denoising.excursions import bridge, find_dropouts, find_excursions
from kinetune.signals.flag_ranges import true_ranges

Bools = NDArray[np.bool_]

_LEAST_TURN = np.deg2rad(1.5)
_LEAST_MOVE = 0.006  # of the character's height
_CALMER = 0.6
_TIP = 0.06  # of the character's height: how far off a joint the points lie that show how it turns
_AROUND = 3


@dataclass(frozen=True, eq=False)
class Spikes:
    """Samples that do not belong to the motion.

    turned : (frames, joints) joints whose rotation is wrong.
    moved : (frames, joints) joints whose position is: the first one, and those that the file moves.
    """

    turned: Bools
    moved: Bools

    def __bool__(self) -> bool:
        return bool(self.turned.any() or self.moved.any())

    def findings(self, skeleton: Skeleton) -> Iterator[Finding]:
        """What mend_spikes bridges: one for each run of wrong frames of a joint, in order of frames."""
        runs = []
        for flags, verb in ((self.turned, "turns"), (self.moved, "moves")):
            for joint in np.flatnonzero(flags.any(axis=0)).tolist():
                runs += [(start, stop, joint, verb) for start, stop in true_ranges(flags[:, joint])]
        for start, stop, joint, verb in sorted(runs):
            many = f"for {stop - start} frames" if stop - start > 1 else "for one frame"
            yield Finding(
                "spike",
                f"{skeleton.names[joint]} {verb} elsewhere {many} and comes back; it was bridged.",
                frame=start if stop - start == 1 else (start, stop - 1),
            )


def moving_positions(clip: Clip) -> list[int]:
    """The joints whose local positions change: the first one if it travels, and those that the file moves."""
    if clip.translations is None:
        return [0]
    spans = np.ptp(clip.translations, axis=0).max(axis=1)
    return [0, *(j for j in np.flatnonzero(spans > 1e-6).tolist() if j != 0)]


def local_positions(clip: Clip, joints: list[int]) -> Floats:
    """Local positions (frames, joints, 3) of some joints; that of the first one is the root."""
    if clip.translations is None:
        return clip.root[:, None]
    return np.concatenate([clip.root[:, None], clip.translations[:, joints[1:]]], axis=1)


def with_local_positions(clip: Clip, joints: list[int], positions: Floats, rotations: Floats) -> Clip:
    """The clip with other rotations, and other local positions of some joints."""
    translations = None if clip.translations is None else np.array(clip.translations)
    if translations is not None:
        translations[:, joints] = positions
    return clip.replace(root=positions[:, 0], rotations=rotations, translations=translations, contacts=clip.contacts)


def find_spikes(clip: Clip) -> Spikes:
    """Joints that are elsewhere for up to 70 ms (or three frames), and dropouts of up to a tenth of a second.

    Solvers let the twist of a straight leg flip at the hip and flip back at the foot: two jumps that cancel out.
    Bridging one of them would break the leg. So suspects that overlap in time on one chain stand or fall together, and
    stand only if bridging them makes the joints that they move, and points beside them, move more smoothly as the
    joint above sees them, and no less smoothly as the next one above sees them: that joint's own jump may undo theirs
    without being a suspect.
    """
    joints = moving_positions(clip)
    turned = np.zeros(clip.rotations.shape[:2], dtype=bool)
    moved = turned.copy()
    if len(clip) < 5:
        return Spikes(turned, moved)
    places = local_positions(clip, joints)
    moved[:, joints] = find_excursions(places, clip.fps, _LEAST_MOVE * (clip.skeleton.height or 1.75))
    frozen = find_dropouts(clip.rotations, clip.fps)
    suspects = frozen | find_excursions(bridge(clip.rotations, frozen), clip.fps, _LEAST_TURN)
    if suspects.any():
        turned = _confirmed(clip, joints, bridge(places, moved[:, joints]), suspects, frozen)
    return Spikes(turned, moved)


def mend_spikes(clip: Clip, spikes: Spikes) -> Clip:
    """The clip with wrong samples interpolated from the good ones on both sides."""
    if not spikes:
        return clip
    joints = moving_positions(clip)
    places = bridge(local_positions(clip, joints), spikes.moved[:, joints])
    return with_local_positions(clip, joints, places, bridge(clip.rotations, spikes.turned))


def _confirmed(clip: Clip, joints: list[int], places: Floats, suspects: Bools, frozen: Bools) -> Bools:
    """The suspects whose repair makes the body move more smoothly; dropouts alone are always repaired."""
    skeleton, keep = clip.skeleton, suspects.copy()
    whole = with_local_positions(clip, joints, places, clip.rotations)
    as_is, mended = (
        forward(skeleton, whole.root, rotations, whole.translations)
        for rotations in (np.asarray(clip.rotations), bridge(clip.rotations, suspects))
    )
    below = [np.array(skeleton.subtree(joint)) for joint in range(len(skeleton))]
    tip = _TIP * (skeleton.height or 1.75)
    for runs in _clusters(skeleton, suspects):
        if all(frozen[start:stop, joint].all() for start, stop, joint in runs):
            continue
        frames = slice(max(min(start for start, _, _ in runs) - _AROUND, 0), max(stop for _, stop, _ in runs) + _AROUND)
        moved = np.unique(np.concatenate([below[joint] for _, _, joint in runs]))
        above = int(skeleton.parents[min((joint for _, _, joint in runs), key=lambda j: len(skeleton.chain(j)))])
        seen_from = (above, int(skeleton.parents[above]) if above >= 0 else -1)
        (before, after), (wider_before, wider_after) = (
            [_roughness(positions[frames], turns[frames], seen, moved, tip) for positions, turns in (as_is, mended)]
            for seen in seen_from
        )
        if after > _CALMER * before or wider_after > wider_before:
            for start, stop, joint in runs:
                keep[start:stop, joint] = frozen[start:stop, joint]
    return keep


def _clusters(skeleton: Skeleton, suspects: Bools) -> list[list[tuple[int, int, int]]]:
    """Runs (start, stop, joint) that overlap in time on one chain, together."""
    runs = sorted(
        (start, stop, joint)
        for joint in np.flatnonzero(suspects.any(axis=0)).tolist()
        for start, stop in true_ranges(suspects[:, joint])
    )
    chains = [set(skeleton.chain(joint)) for joint in range(len(skeleton))]
    leader = list(range(len(runs)))

    def find(number: int) -> int:
        while leader[number] != number:
            number = leader[number]
        return number

    for i, (_, stop, joint) in enumerate(runs):
        for k in range(i + 1, len(runs)):
            if runs[k][0] > stop:
                break
            other = runs[k][2]
            if other in chains[joint] or joint in chains[other]:
                leader[find(k)] = find(i)
    clusters: dict[int, list[tuple[int, int, int]]] = {}
    for number, run in enumerate(runs):
        clusters.setdefault(find(number), []).append(run)
    return list(clusters.values())


def _roughness(positions: Floats, turns: Floats, above: int, joints: NDArray[np.intp], tip: float) -> float:
    """Squared second differences of joints, and of two points beside each, seen from the joint above them.

    Seen from there, since the noise of all that carries them would hide what a repair improves; in space if that is -1.
    """
    axes = tip * rot.to_matrix(turns[:, joints])
    points = positions[:, joints, None] + np.stack([0.0 * axes[..., 0], axes[..., 0], axes[..., 1]], axis=2)
    if above >= 0:
        points = rot.rotate(rot.inverse(turns[:, above])[:, None, None], points - positions[:, above, None, None])
    return float(np.square(np.diff(points, 2, axis=0)).sum())
