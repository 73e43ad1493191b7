"""The surface of a character on the joints of a clip: points, weights and materials, the same for every format.

A bone carries points of the mesh to where its joint is: with the joint at J (4, 4) in the world, a point p of the mesh
is at J · bind · p, and a point that follows several bones is at their weighted mean (linear blend skinning). A format
provides ``bind`` for each bone, once: the frame of the joint at rest undone, after all scales, axes and units of the
file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.formats.stick_figure_mesh import bind_positions
from kinetune.formats.text.number_text import usable
from kinetune.rotations import Floats


@dataclass(frozen=True, eq=False)
class MeshMaterial:
    """How a surface looks.

    Parameters
    ----------
    colour : (float, float, float)
        Linear light; it multiplies the picture.
    picture : bytes or None
        A PNG or JPEG file.
    """

    colour: tuple[float, float, float] = (0.8, 0.8, 0.8)
    picture: bytes | None = None


@dataclass(frozen=True, eq=False)
class SkinnedMesh:
    """A surface that follows joints.

    Parameters
    ----------
    points, normals : array, shape (vertices, 3)
        In the frame of the mesh; normals of any length but zero.
    uv : array, shape (vertices, 2)
        Where each vertex is on the picture of its material, from its upper left.
    tints : array, shape (vertices, 3)
        Linear colours that multiply.
    triangles : array, shape (faces, 3)
        Vertex numbers, counter-clockwise seen from outside.
    face_materials : array, shape (faces,)
        Which of ``materials`` each triangle has.
    bones : array, shape (vertices, n)
        The bones that each vertex follows.
    weights : array, shape (vertices, n)
        How much, summing to 1.
    bone_joints : array, shape (bones,)
        The joint of each bone.
    binds : array, shape (bones, 4, 4)
        From the mesh to the frame of the joint.
    materials : tuple of MeshMaterial
    """

    points: Floats
    normals: Floats
    uv: Floats
    tints: Floats
    triangles: NDArray[np.int64]
    face_materials: NDArray[np.int64]
    bones: NDArray[np.int32]
    weights: Floats
    bone_joints: NDArray[np.int64]
    binds: Floats
    materials: tuple[MeshMaterial, ...]

    def is_usable(self) -> bool:
        """Whether all numbers are finite and so small that arithmetic does not overflow."""
        parts = (self.points, self.normals, self.uv, self.tints, self.weights, self.binds)
        return all(bool(usable(part).all()) for part in parts)

    def matrices(self, clip: Clip) -> Floats:
        """From the mesh to the world for each bone, (frames, bones, 3, 4)."""
        turned = rot.to_matrix(clip.world_rotations()[:, self.bone_joints])
        moved: Floats = np.einsum("fbij,bjk->fbik", turned, self.binds[:, :3])
        moved[..., 3] += clip.positions()[:, self.bone_joints]
        return moved


def rest_frames(skeleton: Skeleton, root: Floats) -> Floats:
    """Where joints are at rest with the first one at ``root`` (3,), (joints, 4, 4)."""
    frames = np.zeros((len(skeleton), 4, 4))
    frames[:, :3, :3] = rot.to_matrix(rot.normalize(skeleton.rest_rotations))
    frames[:, :3, 3] = bind_positions(skeleton, root)
    frames[:, 3, 3] = 1.0
    return frames


def smooth_normals(points: Floats, triangles: NDArray[np.int64]) -> Floats:
    """Normals of vertices: the mean of those of the triangles round them, by area."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    faces = np.cross(b - a, c - a)
    normals = np.zeros_like(points)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], faces)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.where(length > 0, normals / np.where(length > 0, length, 1.0), [0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class MeshPart:
    """A part of a surface as a reader finds it; :func:`join_parts` makes one mesh of them."""

    points: Floats
    normals: Floats | None
    uv: Floats | None
    tints: Floats | None
    triangles: NDArray[np.int64]
    face_materials: NDArray[np.int64]
    bones: NDArray[np.int64]
    weights: Floats


def join_parts(
    parts: Sequence[MeshPart], bone_joints: Sequence[int], binds: Sequence[Floats], materials: Sequence[MeshMaterial]
) -> SkinnedMesh | None:
    """One mesh of several parts; None where there is nothing to see."""
    parts = [part for part in parts if len(part.triangles)]
    if not parts:
        return None
    sizes = [len(part.points) for part in parts]
    starts = np.cumsum([0, *sizes])
    widest = max(part.bones.shape[1] for part in parts)
    bones, weights = np.zeros((starts[-1], widest), np.int32), np.zeros((starts[-1], widest))
    for part, start in zip(parts, starts, strict=False):
        rows = slice(start, start + len(part.points))
        total = part.weights.sum(axis=1, keepdims=True)
        bones[rows, : part.bones.shape[1]] = part.bones
        weights[rows, : part.bones.shape[1]] = part.weights / np.where(total > 0, total, 1.0)
        weights[rows, 0] += total[:, 0] <= 0
    return SkinnedMesh(
        np.concatenate([part.points for part in parts]),
        np.concatenate(
            [smooth_normals(part.points, part.triangles) if part.normals is None else part.normals for part in parts]
        ),
        np.concatenate([np.zeros((len(part.points), 2)) if part.uv is None else part.uv for part in parts]),
        np.concatenate([np.ones((len(part.points), 3)) if part.tints is None else part.tints for part in parts]),
        np.concatenate([part.triangles + start for part, start in zip(parts, starts, strict=False)]),
        np.concatenate([part.face_materials for part in parts]),
        bones,
        weights,
        np.array(bone_joints, np.int64),
        np.array(binds),
        tuple(materials),
    )
