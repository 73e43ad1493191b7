"""A stick figure to look at: rounded bones, a ball at every joint, a head, each fixed to one joint."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.rotations import Floats

_SIDES = 10
_RINGS = 6
# A bone from its start (0) to its end (1): thick near the joint that turns it, thin at the far end.
_ALONG = np.array([0.0, 0.06, 0.18, 0.35, 0.65, 1.0])
_THICK = np.array([0.50, 0.86, 1.00, 0.93, 0.68, 0.42])


@dataclass(frozen=True)
class StickFigureMesh:
    """A mesh in the rest pose.

    points : (vertices, 3) metres.
    normals : (vertices, 3) unit length, smooth.
    joints : (vertices,) the joint that each vertex follows.
    triangles : (faces, 3) vertex numbers, counter-clockwise seen from outside.
    """

    points: Floats
    normals: Floats
    joints: NDArray[np.intp]
    triangles: NDArray[np.intp]


def build_stick_figure(skeleton: Skeleton, root: Floats, loose: Collection[int] = ()) -> StickFigureMesh:
    """The stick figure of a skeleton at rest with its first joint at ``root`` (3,); at least one ball.

    No bone leads to the ``loose`` joints, which travel in their parents' frames. Joints above the body are not shown.
    """
    positions = bind_positions(skeleton, root)
    size = skeleton.height or 1.0
    bones = [
        (int(parent), positions[joint])
        for joint, parent in enumerate(skeleton.parents.tolist())
        if skeleton.has_bone[joint] and joint not in loose
    ]  # (joint that turns it, its far end)
    for site in skeleton.end_sites:
        if site.parent not in skeleton.body:
            continue
        offset = rot.rotate(skeleton.rest_rotations[site.parent], np.array(site.offset))
        bones.append((site.parent, positions[site.parent] + offset))
    ball = np.full(len(skeleton), 0.004 * size)
    parts: list[tuple[Floats, Floats, NDArray[np.intp], int]] = []
    for joint, end in bones:
        length = float(np.linalg.norm(end - positions[joint]))
        if length < 1e-4 * size:
            continue
        radius = float(np.clip(0.13 * length, min(0.006 * size, 0.3 * length), 0.025 * size))
        ball[joint] = max(ball[joint], 0.75 * radius)
        parts.append((*_spindle(positions[joint], end, radius), joint))
    parts += [(*_ball(positions[joint], float(ball[joint])), joint) for joint in sorted(skeleton.body)]
    head = skeleton.roles.get("head")
    if head is not None:
        tips = [end for joint, end in bones if joint == head]
        top = tips[0] if tips else positions[head] + np.array([0.0, 0.1 * size, 0.0])
        parts.append((*_ball(0.5 * (positions[head] + top), 0.055 * size), head))
    counts = [len(points) for points, _, _, _ in parts]
    firsts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return StickFigureMesh(
        np.concatenate([points for points, _, _, _ in parts]),
        np.concatenate([normals for _, normals, _, _ in parts]),
        np.repeat([joint for _, _, _, joint in parts], counts),
        np.concatenate([faces + first for (_, _, faces, _), first in zip(parts, firsts, strict=True)]),
    )


def bind_positions(skeleton: Skeleton, root: Floats) -> Floats:
    """World positions (joints, 3) of the rest pose with the first joint at ``root`` (3,), where a skin is bound."""
    positions = np.array(skeleton.rest_positions)
    positions[list(skeleton.subtree(0))] += root
    return positions


def loose_joints(clip: Clip) -> frozenset[int]:
    """The joints that travel far in their parents' frames: by more than 2% of the character's height."""
    if clip.translations is None:
        return frozenset()
    travel = np.ptp(clip.translations, axis=0).max(axis=1)
    travel[0] = 0.0
    return frozenset(np.flatnonzero(travel > 0.02 * clip.skeleton.height).tolist())


def _spindle(start: Floats, end: Floats, radius: float) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """A surface of revolution from start to end; its open ends sit inside the balls at the joints."""
    length = float(np.linalg.norm(end - start))
    thick = radius * _THICK
    slope = np.gradient(thick, length * _ALONG)
    rotation = rot.between(np.array([0.0, 1.0, 0.0]), end - start)
    angle = 2 * np.pi * np.arange(_SIDES) / _SIDES
    around = np.stack([np.cos(angle), np.zeros(_SIDES), -np.sin(angle)], axis=1)
    rings = thick[:, None, None] * around + np.array([0.0, length, 0.0]) * _ALONG[:, None, None]
    normals = around - slope[:, None, None] * np.array([0.0, 1.0, 0.0])
    points = np.concatenate([rings.reshape(-1, 3), [[0.0, length + 0.5 * thick[-1], 0.0]]])
    outward = np.concatenate([normals.reshape(-1, 3), [[0.0, 1.0, 0.0]]])
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    faces = _quads(len(_ALONG))
    last = (len(_ALONG) - 1) * _SIDES
    cap = [[last + i, last + (i + 1) % _SIDES, len(points) - 1] for i in range(_SIDES)]
    return start + rot.rotate(rotation, points), rot.rotate(rotation, outward), np.concatenate([faces, cap])


def _ball(centre: Floats, radius: float) -> tuple[Floats, Floats, NDArray[np.intp]]:
    latitude = np.pi * np.arange(1, _RINGS) / _RINGS
    angle = 2 * np.pi * np.arange(_SIDES) / _SIDES
    rings = np.stack(
        [
            np.sin(latitude)[:, None] * np.cos(angle),
            np.broadcast_to(-np.cos(latitude)[:, None], (_RINGS - 1, _SIDES)),
            -np.sin(latitude)[:, None] * np.sin(angle),
        ],
        axis=-1,
    ).reshape(-1, 3)
    normals = np.concatenate([rings, [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]]])
    bottom, top, last = len(rings), len(rings) + 1, len(rings) - _SIDES
    caps = [[(i + 1) % _SIDES, i, bottom] for i in range(_SIDES)]
    caps += [[last + i, last + (i + 1) % _SIDES, top] for i in range(_SIDES)]
    return centre + radius * normals, normals, np.concatenate([_quads(_RINGS - 1), caps])


def _quads(rings: int) -> NDArray[np.intp]:
    """Triangles between rings of vertices, each ring above the one before."""
    faces = []
    for ring in range(rings - 1):
        for i in range(_SIDES):
            a, b = ring * _SIDES + i, ring * _SIDES + (i + 1) % _SIDES
            faces += [[a, b, b + _SIDES], [a, b + _SIDES, a + _SIDES]]
    return np.array(faces, dtype=np.intp)
