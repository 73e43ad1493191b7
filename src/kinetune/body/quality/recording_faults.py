"""Faults of recording, labelling and conversion: wrong axes, sides, sizes, frames that hang.

==================  ================================================================
find_wrong_up       a body that lies on its side or its head all the time
find_swapped_sides  left arms or legs on the right
find_wrong_size     legs of a height that people do not have
find_held_frames    frames that hang while the motion goes on around them
find_stretching     bones whose length changes, by scale keys or bad solves
==================  ================================================================

Each yields findings and nothing where all is well. They know no physics; see :mod:`kinetune.doctor` for that.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.feet.soles import leg_length
from kinetune.body.quality.glitches import rotation_steps
from kinetune.findings import Finding
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

_UPRIGHT = 0.5  # cosine of the trunk against the vertical, in the mean
_LEG_OF_HEIGHT = 0.485  # hip to ankle
USUAL_HEIGHTS = (0.85, 2.45)  # metres of people, by their legs
_STRETCH = 0.05
_HELD_SPEED = 0.3  # rad/s of the fastest joint around frames that hang
_SAME = 1e-7
_CROSSED = 0.6  # share of the frames


def find_wrong_up(clip: Clip) -> Iterator[Finding]:
    """A body that lies all the time."""
    roles = clip.skeleton.roles
    top = next((roles[role] for role in ("head", "neck", "chest") if role in roles), None)
    if top is None or "hips" not in roles or top == roles["hips"]:
        return
    positions = clip.positions()
    trunk = positions[:, top] - positions[:, roles["hips"]]
    rise = trunk[:, 1] / np.maximum(np.linalg.norm(trunk, axis=1), 1e-9)
    if float(np.mean(rise)) < _UPRIGHT and float(np.mean(rise < 0.7)) > 0.9:
        way = "is upside down" if float(np.mean(rise)) < -_UPRIGHT else "lies"
        yield Finding(
            "wrong-up",
            f"The body {way} all the time, as if another axis were up.",
            remedy=f"If so, read it with --up {'z' if clip.source.up == 'y' else 'y'}.",
        )


def find_swapped_sides(clip: Clip) -> Iterator[Finding]:
    """Left limbs on the right."""
    left = _left_axis(clip)
    if left is None:
        return
    positions, roles = clip.positions(), clip.skeleton.roles
    crossed = []
    for parts in (("upper arm", "lower arm", "hand"), ("upper leg", "lower leg", "foot")):
        for part in reversed(parts):
            pair = [roles.get(f"{side} {part}") for side in ("left", "right")]
            if pair[0] is None or pair[1] is None:
                continue
            apart = np.einsum("fk,fk->f", positions[:, pair[0]] - positions[:, pair[1]], left)
            if float(np.mean(apart < 0.0)) > _CROSSED and float(np.median(apart)) < -0.02:
                crossed.append("arms" if "arm" in parts[0] else "legs")
            break
    if crossed:
        yield Finding(
            "swapped-sides",
            f"Left and right {' and '.join(crossed)} are swapped: the left is on the right.",
            severity="error",
        )


def _left_axis(clip: Clip) -> Floats | None:
    """(frames, 3) the character's left, from the way its toes point; None where that is not known."""
    roles, positions = clip.skeleton.roles, clip.positions()
    ways = [
        positions[:, roles[f"{side} toes"]] - positions[:, roles[f"{side} foot"]]
        for side in ("left", "right")
        if f"{side} toes" in roles and f"{side} foot" in roles
    ]
    if not ways or "hips" not in roles:
        return None
    top = next((roles[role] for role in ("head", "neck", "chest") if role in roles), None)
    if top is None:
        return None
    up = positions[:, top] - positions[:, roles["hips"]]
    left = np.cross(up, np.sum(ways, axis=0))
    size = np.linalg.norm(left, axis=1, keepdims=True)
    return np.asarray(left / np.maximum(size, 1e-9))


def find_wrong_size(clip: Clip) -> Iterator[Finding]:
    """Legs that people do not have; a wrong unit."""
    leg = leg_length(clip)
    if leg is None:
        return
    height = leg / _LEG_OF_HEIGHT
    low, high = USUAL_HEIGHTS
    if not low <= height <= high:
        yield Finding(
            "wrong-unit",
            f"By its legs the character is {height:.3g} m tall; people are {low:g} to {high:g} m.",
            remedy="If the unit was guessed wrongly, give it: --unit cm (or m, in, mm ...).",
        )


def find_held_frames(clip: Clip) -> Iterator[Finding]:
    """Frames that repeat the one before while the body moves before and after."""
    if len(clip) < 8:
        return
    steps = rotation_steps(clip.rotations).max(axis=1)
    still = (steps < _SAME) & (np.abs(np.diff(clip.root, axis=0)).max(axis=1) < _SAME)
    runs = []
    for start, stop in true_ranges(np.asarray(still)):
        around = np.concatenate([steps[max(0, start - 3) : start], steps[stop : stop + 3]])
        if start > 0 and stop < len(still) and float(around.min()) * clip.fps > _HELD_SPEED:
            runs.append((start + 1, stop))
    if runs:
        first, last = max(runs, key=lambda run: run[1] - run[0])
        count = sum(stop - start + 1 for start, stop in runs)
        yield Finding(
            "held-frames",
            f"{count} frame{'s' * (count > 1)} repeat the one before while the body moves around them.",
            frame=first if first == last else (first, last),
            remedy="Smooth over them with: kinetune smooth FILE -o OUT",
        )


def find_stretching(clip: Clip) -> Iterator[Finding]:
    """Bones whose length changes."""
    if clip.translations is None:
        return
    inner = np.flatnonzero(np.arange(len(clip.skeleton)) != 0)
    lengths = np.linalg.norm(np.asarray(clip.translations)[:, inner], axis=2)
    usual = np.median(lengths, axis=0)
    large = usual > 0.02 * max(clip.skeleton.height, 1e-9)
    roles = {joint for role, joint in clip.skeleton.roles.items() if role != "hips"}
    large &= np.array([int(joint) in roles for joint in inner])
    if not large.any():
        return
    change = np.where(large, np.abs(lengths - usual) / np.maximum(usual, 1e-9), 0.0)
    share = change.max(axis=0)
    worst = int(np.argmax(share))
    if share[worst] > _STRETCH:
        ranges = true_ranges(np.asarray(change[:, worst] > 0.5 * _STRETCH))
        start, stop = max(ranges, key=lambda span: span[1] - span[0])
        yield Finding(
            "stretching-bones",
            f"{int((share > _STRETCH).sum())} bones change their length, {clip.skeleton.names[int(inner[worst])]} by "
            f"{share[worst]:.0%}: scale keys, or a bad solve.",
            frame=(start, stop - 1),
        )
