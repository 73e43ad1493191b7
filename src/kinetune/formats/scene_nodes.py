"""Scenes of nodes (glTF, USD) seen as joints: where each is in the frame of the joint above it.

Nodes that are not joints (an "Armature" above, a helper in between) are folded into the joint below them, with their
scale. A joint keeps its own frame: its rest rotation goes to ``Skeleton.rest``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.rotations import Floats


@dataclass(frozen=True)
class Placement:
    """Translation (n, 3), rotation (n, 4) wxyz and scale (n, 3) of a node, n being 1 or the number of frames."""

    translation: Floats
    rotation: Floats
    scale: Floats


@dataclass(frozen=True)
class Tree:
    """All nodes of a file, parents before children in ``order``; ``nodes`` is what the file says of each."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    order: tuple[int, ...]
    rest: tuple[Placement, ...]
    nodes: Sequence[Mapping[str, Any]] = ()


def placement_of(matrices: Floats) -> Placement:
    """Matrices (n, 4, 4) that act on columns, taken apart; shear is lost."""
    linear = matrices[:, :3, :3]
    scale = np.linalg.norm(linear, axis=1)
    scale = np.where(np.linalg.det(linear)[:, None] < 0, -scale, scale)
    turned = rot.from_matrix(linear / np.where(scale == 0, 1.0, scale)[:, None, :])
    return Placement(matrices[:, :3, 3], turned, scale)


def joint_above(tree: Tree, node: int, joints: Mapping[int, Any]) -> int:
    """The nearest ancestor that is a joint, or -1."""
    at = tree.parents[node]
    while at >= 0 and at not in joints:
        at = tree.parents[at]
    return at


def place_nodes(
    tree: Tree, wanted: Sequence[int], joints: Mapping[int, Any], placements: Mapping[int, Placement]
) -> tuple[dict[int, tuple[Floats, Floats]], bool]:
    """Position (n, 3) and rotation (n, 4) of nodes in the frame of the joint above them, and whether any is sheared.

    With L the stretch of a node seen in its own frame (its scale times all scales above it), a child at t sits at L t,
    and the child's stretch is R⁻¹ L R S. Equal scales on all axes make L a number, which is exact.
    """
    needed: set[int] = set()
    for node in wanted:
        at = node
        while at >= 0 and at not in needed:
            needed.add(at)
            at = tree.parents[at]
    placed: dict[int, tuple[Floats, Floats]] = {}
    stretches: dict[int, Floats] = {}
    sheared = False
    for node in tree.order:
        if node not in needed:
            continue
        parent, own = tree.parents[node], placements.get(node, tree.rest[node])
        above = stretches[parent] if parent >= 0 else np.ones(1)
        position = above[:, None] * own.translation if above.ndim == 1 else _apply(above, own.translation)
        rotation = own.rotation
        if parent >= 0 and parent not in joints:
            at_parent, turned = placed[parent]
            position = at_parent + rot.rotate(turned, position)
            rotation = rot.multiply(turned, rotation)
        placed[node] = (position, rotation)
        even = np.ptp(own.scale, axis=1).max() <= 1e-5 * np.abs(own.scale).max()
        if above.ndim == 1 and even:
            stretches[node] = above * own.scale.mean(axis=1)
        else:
            sheared = True
            stretches[node] = _stretch(above, own)
    return placed, sheared


def _apply(matrices: Floats, vectors: Floats) -> Floats:
    return np.einsum("nij,nj->ni", *_same_length(matrices, vectors))


def _stretch(above: Floats, own: Placement) -> Floats:
    full = above[:, None, None] * np.eye(3) if above.ndim == 1 else above
    turn = rot.to_matrix(own.rotation)
    scale = own.scale[:, None, :] * np.eye(3)
    return np.asarray(np.swapaxes(turn, 1, 2) @ full @ turn @ scale)


def _same_length(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    frames = max(len(a), len(b))
    return np.broadcast_to(a, (frames, *a.shape[1:])), np.broadcast_to(b, (frames, *b.shape[1:]))
