"""Scenes of nodes (glTF, USD, FBX) seen as joints: where each is in the frame of the joint above it.

Nodes that are not joints (an "Armature" above, a helper in between) are folded into the joint below them, with their
scale. A joint keeps its own frame: its rest rotation goes to ``Skeleton.rest``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.body.source import Source
from kinetune.findings import Finding, report_finding
from kinetune.formats.clip_notes import read_history, read_markers, read_root_offset
from kinetune.formats.moving_joints import moving_translations
from kinetune.formats.unit_and_up import Up, stand_upright
from kinetune.rotations import Floats

MOST_POSES = 10_000_000
"""Frames times joints that are read from one file."""


@dataclass(frozen=True)
class NodeTransform:
    """Translation (n, 3), rotation (n, 4) wxyz and scale (n, 3) of a node, each n being 1 or the number of frames."""

    translation: Floats
    rotation: Floats
    scale: Floats


_COLLAPSED, _SINGULAR = 1e-12, 1e-6  # a scale that is nothing, alone and beside others; keys are float32
_Carried = tuple[Floats, Floats, Floats]
_UNSCALED = np.ones((1, 3))
_NOTHING: _Carried = (np.ones(1), _UNSCALED, _UNSCALED)


class Inherits(Enum):
    """How the scale of a parent reaches a node.

    FULLY : the node is scaled along the axes of its parent, as matrices are multiplied (glTF, USD, most of FBX).
    AXIS_BY_AXIS : its own axes are scaled by the numbers of its parent, so that nothing shears (FBX "RrSs").
    NOT_FROM_PARENT : the same, without the parent's own scale ("Rrs", segment scale compensation).
    """

    FULLY = 1
    AXIS_BY_AXIS = 0
    NOT_FROM_PARENT = 2


@dataclass(frozen=True)
class SceneTree:
    """All nodes of a file, parents before children in ``order``; ``nodes`` is what the file says of each.

    ``inherits`` is left out where every node inherits scale fully.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    order: tuple[int, ...]
    rest: tuple[NodeTransform, ...]
    nodes: Sequence[Mapping[str, Any]] = ()
    inherits: Sequence[Inherits] = ()

    def joints_above(self, joints: Mapping[int, Any]) -> list[int]:
        """The nearest ancestor of each node that is a joint, or -1."""
        above = [-1] * len(self.parents)
        for node in self.order:
            parent = self.parents[node]
            above[node] = parent if parent < 0 or parent in joints else above[parent]
        return above

    def with_ancestors(self, nodes: Sequence[int]) -> set[int]:
        """The nodes and all nodes above them."""
        reached: set[int] = set()
        for node in nodes:
            while node >= 0 and node not in reached:
                reached.add(node)
                node = self.parents[node]
        return reached


def transform_from_matrices(matrices: Floats) -> NodeTransform:
    """Matrices (n, 4, 4) that act on columns, taken apart; shear is lost."""
    linear = matrices[:, :3, :3]
    scale = np.linalg.norm(linear, axis=1)
    scale = np.where(np.linalg.det(linear)[:, None] < 0, -scale, scale)
    rotation = rot.from_matrix(linear / np.where(scale == 0, 1.0, scale)[:, None, :])
    return NodeTransform(matrices[:, :3, 3], rotation, scale)


def locate_nodes(
    tree: SceneTree, nodes: Sequence[int], joints: Mapping[int, Any], moving: Mapping[int, NodeTransform]
) -> tuple[dict[int, tuple[Floats, Floats]], bool]:
    """Position (n, 3) and rotation (n, 4) of nodes in the frame of the joint above them, and whether any is sheared.

    A node carries L, the stretch of everything above it seen in its own frame, and the scale s of its own axes. A child
    that inherits fully is at L s t and carries R⁻¹ L s R; one that does not is at L (s t) and carries R⁻¹ L R, with s,
    or what the node inherited of it, in its own scale. Equal scales on all axes make L a number, which is exact.
    """
    needed = tree.with_ancestors(nodes)
    located: dict[int, tuple[Floats, Floats]] = {}
    carried: dict[int, _Carried] = {-1: _NOTHING}
    sheared = False
    for node in tree.order:
        if node not in needed:
            continue
        parent, transform = tree.parents[node], moving.get(node, tree.rest[node])
        above, factor, inherited = _reaching(tree, node, carried[parent])
        translation = transform.translation if factor is None else transform.translation * factor
        position = above[:, None] * translation if above.ndim == 1 else _apply(above, translation)
        rotation = transform.rotation
        carried[node] = (_turned(above, rotation), transform.scale * inherited, inherited)
        sheared |= above.ndim > 1 or not _is_even(transform.scale)
        if parent >= 0 and parent not in joints:
            parent_position, parent_rotation = located[parent]
            position = parent_position + rot.rotate(parent_rotation, position)
            rotation = rot.multiply(parent_rotation, rotation)
        located[node] = (position, rotation)
    return located, sheared


def place_joints(
    tree: SceneTree,
    joints: Sequence[int],
    positions: Floats,
    rotations: Floats,
    moving: Mapping[int, NodeTransform],
) -> dict[int, tuple[Floats, Floats]]:
    """Translation (n, 3) and rotation (n, 4) that joints must have to be where they are in the frames of those above.

    The inverse of :func:`locate_nodes` for positions (n, joints, 3) and rotations (n, joints, 4). Nodes that are not
    joints, and the scales of all, are as in ``moving``, or at rest. Where a scale above a joint is zero, its own
    translation stays, and a finding says so if it should move.
    """
    rank = {node: joint for joint, node in enumerate(joints)}
    needed = tree.with_ancestors(joints)
    located: dict[int, tuple[Floats, Floats]] = {}
    placed: dict[int, tuple[Floats, Floats]] = {}
    stuck: list[str] = []
    carried: dict[int, _Carried] = {-1: _NOTHING}
    for node in tree.order:
        if node not in needed:
            continue
        parent, transform = tree.parents[node], moving.get(node, tree.rest[node])
        above, factor, inherited = _reaching(tree, node, carried[parent])
        folded = parent >= 0 and parent not in rank
        if node in rank:
            position, rotation = positions[:, rank[node]], rotations[:, rank[node]]
            if folded:
                parent_position, parent_rotation = located[parent]
                back = rot.inverse(parent_rotation)
                position, rotation = rot.rotate(back, position - parent_position), rot.multiply(back, rotation)
            before = transform.translation if factor is None else transform.translation * factor
            translation, missed = _unstretched(above, position, before)
            if factor is not None:
                flat = factor == 0.0
                missed |= bool((flat & (np.abs(translation) > _COLLAPSED)).any())
                translation = np.where(flat, transform.translation, translation / np.where(flat, 1.0, factor))
            if missed:
                stuck.append(tree.names[node])
            placed[node] = (translation, rotation)
        else:
            translation = transform.translation if factor is None else transform.translation * factor
            position = above[:, None] * translation if above.ndim == 1 else _apply(above, translation)
            rotation = transform.rotation
            if folded:
                parent_position, parent_rotation = located[parent]
                position = parent_position + rot.rotate(parent_rotation, position)
                located[node] = (position, rot.multiply(parent_rotation, rotation))
            else:
                located[node] = (position, rotation)
        carried[node] = (_turned(above, rotation), transform.scale * inherited, inherited)
    if stuck:
        listed = ", ".join(f'"{name}"' for name in stuck[:3]) + (" ..." if len(stuck) > 3 else "")
        message = f"The file scales what is above {listed} to nothing, so the motion cannot move these joints there."
        report_finding(Finding("collapsed-scale", message), warn=True)
    return placed


def _reaching(tree: SceneTree, node: int, carried: _Carried) -> tuple[Floats, Floats | None, Floats]:
    """What reaches a node from its parent: a stretch, a factor (n, 3) of its translation, and of its scale."""
    above, scale, inherited = carried
    inherits = tree.inherits[node] if tree.inherits else Inherits.FULLY
    if inherits is Inherits.FULLY:
        return _scaled(above, scale), None, _UNSCALED
    return above, scale, scale if inherits is Inherits.AXIS_BY_AXIS else inherited


def first_busy_motion(motions: Iterable[set[int]], joints: set[int]) -> int | None:
    """The number of the first motion that moves at least half as many joints as any other; None if none moves any.

    A file may begin with the motion of a prop. ``motions`` holds the nodes that each moves, and is used up no further
    than needed.
    """
    counts: list[int] = []
    for nodes in motions:
        counts.append(len(nodes & joints))
        if counts == [counts[0]] and 2 * counts[0] >= len(joints):
            return 0
    most = max(counts, default=0)
    return next((number for number, count in enumerate(counts) if 2 * count >= most), None) if most else None


def joint_arrays(
    located: Mapping[int, tuple[Floats, Floats]], joints: Sequence[int], parents: Sequence[int], frames: int, up: Up
) -> tuple[Floats, Floats]:
    """Positions (frames, joints, 3) and rotations (frames, joints, 4) of located joints, with Y up."""
    positions = _columns([located[node][0] for node in joints], frames)
    rotations = _columns([located[node][1] for node in joints], frames)
    roots = [joint for joint, parent in enumerate(parents) if parent < 0]
    positions[:, roots], rotations[:, roots] = stand_upright(positions[:, roots], rotations[:, roots], up)
    return positions, rotations


def _columns(tracks: Sequence[Floats], frames: int) -> Floats:
    """An array (frames, joints, k) of tracks (frames, k) or (1, k), without copying tracks that are its columns."""
    whole = tracks[0].base
    shape = (frames, len(tracks), tracks[0].shape[1])
    if frames > 1 and whole is not None and whole.shape == shape and whole.flags.writeable:
        ours = (whole[:, joint].__array_interface__ == track.__array_interface__ for joint, track in enumerate(tracks))
        if all(ours):
            return np.asarray(whole)
    array = np.empty(shape)
    array[:] = np.concatenate([track[:1] for track in tracks])
    for joint, track in enumerate(tracks):
        if len(track) > 1:
            array[:, joint] = track
    return array


def scene_clip(
    skeleton: Skeleton,
    fps: float,
    positions: Floats,
    rotations: Floats,
    source: Source,
    notes: Mapping[str, Any],
    *,
    exact: bool,
) -> Clip:
    """A clip from joint arrays in the unit of the file, which are used up.

    ``notes`` is what Kinetune left in the file, ``exact`` if it wrote it all.
    """
    positions *= source.metres_per_unit
    rotations.setflags(write=False)  # a clip copies what others can change
    extent = float(np.ptp(skeleton.rest_positions, axis=0).max())
    tolerance = (1e-7 if exact else 1e-5) * max(extent, 1e-3)  # float32 against the noise of other programs
    translations = moving_translations(skeleton.offsets, positions, tolerance)
    root_offset = read_root_offset(notes)
    if root_offset is not None:
        offsets = np.array(skeleton.offsets)
        offsets[0] = root_offset
        skeleton = replace(skeleton, offsets=offsets)
    return Clip(
        skeleton,
        fps,
        positions[:, 0],
        rotations,
        translations,
        markers=read_markers(notes, len(positions)),
        source=source,
        history=read_history(notes),
    )


def _apply(matrices: Floats, vectors: Floats) -> Floats:
    frames = max(len(matrices), len(vectors))
    matrices, vectors = np.broadcast_to(matrices, (frames, 3, 3)), np.broadcast_to(vectors, (frames, 3))
    return np.asarray(np.einsum("nij,nj->ni", matrices, vectors))


def _is_even(scale: Floats) -> bool:
    if len(scale) == 1:
        values = scale[0].tolist()
        return bool(max(values) - min(values) <= 1e-5 * max(map(abs, values)))
    return bool(np.ptp(scale, axis=1).max() <= 1e-5 * np.abs(scale).max())


def _scaled(stretch: Floats, scale: Floats) -> Floats:
    """A stretch after the axes are scaled: a number (n,) for each frame as long as that is all there is to it."""
    if stretch.ndim == 1 and len(scale) == 1 and len({*scale[0].tolist()}) == 1:
        return np.asarray(stretch * scale[0, 0])
    if stretch.ndim == 1 and _is_even(scale):
        return np.asarray(stretch * scale.mean(axis=1))
    full = stretch[:, None, None] * np.eye(3) if stretch.ndim == 1 else stretch
    return np.asarray(full * scale[:, None, :])


def _turned(stretch: Floats, rotation: Floats) -> Floats:
    """A stretch seen in a frame that is rotated."""
    if stretch.ndim == 1:
        return stretch
    matrix = rot.to_matrix(rotation)
    return np.asarray(np.swapaxes(matrix, 1, 2) @ stretch @ matrix)


def _unstretched(stretch: Floats, vectors: Floats, before: Floats) -> tuple[Floats, bool]:
    """What a stretch (n,) or (n, 3, 3) brings to vectors (n, 3), and whether it cannot somewhere.

    Along axes that it collapses, the result is as ``before``.
    """
    if stretch.ndim == 1:
        flat = np.abs(stretch) <= _COLLAPSED
        result = np.where(flat[:, None], before, vectors / np.where(flat, 1.0, stretch)[:, None])
        return result, bool((np.abs(vectors).max(axis=-1) > _COLLAPSED)[np.broadcast_to(flat, len(vectors))].any())
    stretch, before = np.broadcast_to(stretch, (len(vectors), 3, 3)), np.broadcast_to(before, vectors.shape)
    flat = np.abs(np.linalg.det(stretch)) <= _SINGULAR * np.linalg.norm(stretch, axis=(1, 2)) ** 3
    result = np.array(before)
    result[~flat] = np.linalg.solve(stretch[~flat], vectors[~flat, :, None])[..., 0]
    gaps = vectors[flat] - _apply(stretch[flat], before[flat])
    result[flat] += _apply(np.linalg.pinv(stretch[flat], rcond=_SINGULAR), gaps)
    left = np.abs(vectors[flat] - _apply(stretch[flat], result[flat])).max(initial=0.0)
    return result, bool(left > _SINGULAR * (1.0 + np.abs(vectors).max(initial=0.0)))
