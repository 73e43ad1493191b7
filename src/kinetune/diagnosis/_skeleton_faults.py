"""Skeletons that do not fit: joints that are missing, swapped, stretched, rolled over or never used."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.feet.flipped_feet import find_flipped_feet
from kinetune.body.quality.glitches import rotation_steps
from kinetune.diagnosis._pose_faults import counted, listed_names
from kinetune.findings import Finding
from kinetune.rotations import Floats
from kinetune.signals.flag_ranges import true_ranges

NEEDED_ROLES = (
    *("hips", "head", "left hand", "right hand", "left foot", "right foot"),
    *("left lower arm", "right lower arm", "left lower leg", "right lower leg"),
)
ZERO_LENGTH = 1e-4  # of the character's height
STILL = np.deg2rad(0.01)
_STRETCH = 0.05
_CROSSED = 0.6  # share of the frames


def find_missing_roles(clip: Clip) -> Iterator[Finding]:
    """Joints that commands need and that were not recognised."""
    missing = [role for role in NEEDED_ROLES if role not in clip.skeleton.roles]
    if missing:
        yield Finding(
            "missing-roles",
            f"No joint was recognised as {listed_names(missing)}, so commands that need one will say so.",
            remedy="See what was recognised with: kinetune info FILE",
        )


def find_rolled_feet(clip: Clip) -> Iterator[Finding]:
    """Feet whose sole faces up while they stand."""
    for foot in find_flipped_feet(clip):
        yield Finding(
            "foot-upside-down",
            f"The {foot.side} foot is rolled by half a turn about its length: its sole faces up while it stands. "
            "Joints are in place, but a mesh on them is twisted.",
            remedy="In Python, kinetune.body.feet.flipped_feet.unflip_feet(clip) rolls it back; splicing does so too.",
            joints=(clip.skeleton.names[foot.ankle],),
        )


def find_still_joints(clip: Clip) -> Iterator[Finding]:
    """Joints that never turn."""
    if len(clip) == 1:
        return
    still = np.flatnonzero(rotation_steps(clip.rotations).sum(axis=0) < STILL).tolist()
    if still and len(still) < len(clip.skeleton):
        names = [clip.skeleton.names[joint] for joint in still]
        message = (
            f"{counted(len(names), 'joint')} never {'turns' if len(names) == 1 else 'turn'}: {listed_names(names)}."
        )
        yield Finding("still-joints", message, severity="info", joints=tuple(names))


def find_zero_bones(clip: Clip) -> Iterator[Finding]:
    """Joints at the position of their parent."""
    if clip.translations is not None:
        return
    lengths = np.linalg.norm(clip.skeleton.offsets, axis=1)
    short = (lengths < ZERO_LENGTH * max(clip.skeleton.height, 1e-9)) & clip.skeleton.has_bone
    names = [clip.skeleton.names[joint] for joint in np.flatnonzero(short).tolist()]
    if names:
        yield Finding(
            "zero-length-bones",
            f"{counted(len(names), 'joint')} at the same position as the parent: {listed_names(names)}. "
            "Some programs cannot handle that.",
            severity="info",
            joints=tuple(names),
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
            joints=tuple(clip.skeleton.names[int(joint)] for joint in inner[share > _STRETCH]),
        )
