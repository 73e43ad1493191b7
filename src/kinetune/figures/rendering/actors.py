"""What is seen of a clip, as triangles at every frame: a mannequin, or the skin of its character."""

from __future__ import annotations

import io
import itertools
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.figures.rendering._mannequin import Part, body_parts
from kinetune.formats.characters.skinned_mesh import MeshMaterial, SkinnedMesh
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

_kernels = Kernels("kinetune.figures.rendering.render_kernels")
_OUTWARD = np.array(list(itertools.product((-1, 0, 1), repeat=3)), dtype=float).T
_ROOM = 0.02
_TEXTURE = 1024  # pixels
_MOST_TEXELS = 1 << 26
_FINE, _COARSE = (25, 40), (12, 24)  # rings and sides of large parts and small ones
_SOFT, _TIGHT = 0.008, 0.003  # of the height: how round the surface is between spheres


class Textures(NamedTuple):
    """All textures of an actor.

    texels : (bytes,) pictures one after another, RGB.
    sheets : (materials, 3) where the picture of each material begins, its width and its height; width 0 for none.
    factors : (materials, 3) linear colours that multiply.
    linear : (256,) bytes to linear light.
    """

    texels: NDArray[np.uint8]
    sheets: NDArray[np.int64]
    factors: Floats
    linear: Floats


class Pose(NamedTuple):
    """The vertices of an actor at a frame: points, normals and linear colours, each (vertices, 3)."""

    points: Floats
    normals: Floats
    tints: Floats


class Actor(Protocol):
    """A body in the scene.

    triangles : (faces, 3) vertex numbers, clockwise on the screen where ``one_sided``.
    uv : (vertices, 2), zeros without textures.
    materials : (faces,) rows of ``textures``.
    """

    triangles: NDArray[np.int64]
    uv: Floats
    materials: NDArray[np.int64]
    textures: Textures
    one_sided: bool

    def pose(self, frame: int) -> Pose:
        """What it looks like at a frame."""
        ...

    def outline(self) -> tuple[Floats, Floats]:
        """Balls that hold all of it: centres (frames, balls, 3) and radii (balls,)."""
        ...


def linear_light() -> Floats:
    """Bytes of sRGB as linear light."""
    value = np.arange(256) / 255.0
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def to_linear(colour: str) -> Floats:
    """A colour such as "#1f78c8" as linear light (3,)."""
    return linear_light()[[int(colour[k : k + 2], 16) for k in (1, 3, 5)]]


PLAIN = Textures(np.zeros(1, np.uint8), np.zeros((1, 3), np.int64), np.ones((1, 3)), linear_light())

_PORCELAIN = {"middle": "#e9e6e1", "left": "#6fa3d8", "right": "#e0b252"}
_COLOURED = ("forearm", "hand", "palm", "shin", "foot", "toes")
_VISOR = "#3a4350"


class Mannequin:
    """A body of smooth shapes; forearms, hands, shins and feet are blue on the left and yellow on the right."""

    one_sided = True
    textures = PLAIN

    def __init__(self, clip: Clip, shown: Clip, tint: str | None = None) -> None:
        """Proportions from ``clip``, motion from ``shown``; one colour for all of it with ``tint``."""
        parts = body_parts(clip)
        balls = [ball(*(_FINE if part.is_large else _COARSE)) for part in parts]
        sizes = [len(directions) for directions, _ in balls]
        self.vertices = np.cumsum([0, *sizes])
        self.directions = np.concatenate([directions for directions, _ in balls])
        self.triangles = np.concatenate(
            [faces + start for (_, faces), start in zip(balls, self.vertices, strict=False)]
        )
        self.tints = np.repeat([_part_tint(part, tint) for part in parts], sizes, axis=0)
        size = clip.skeleton.height
        self.softness = np.array([(_SOFT if part.is_large else _TIGHT) * size for part in parts])
        self.uv: Floats = np.zeros((len(self.directions), 2))
        self.materials = np.zeros(len(self.triangles), np.int64)
        self.firsts = np.cumsum([0, *(len(part.spheres) for part in parts)])
        spots = [spot for part in parts for spot, _ in part.spheres]
        self.radii = np.array([radius for part in parts for _, radius in part.spheres])
        positions, rotations = shown.positions(), shown.world_rotations()
        joints, others = np.array([spot.joint for spot in spots]), np.array([spot.other for spot in spots])
        share, offset = np.array([spot.share for spot in spots]), np.array([spot.offset for spot in spots])
        start = positions[:, joints]
        self.centres = start + share[:, None] * (positions[:, others] - start)
        self.centres += rot.rotate(rotations[:, joints], np.broadcast_to(offset, start.shape))
        self.heads = [
            (number, part.spheres[0][0].joint, np.array(part.face))
            for number, part in enumerate(parts)
            if part.face is not None and tint is None
        ]
        self.rotations = rotations

    def pose(self, frame: int) -> Pose:
        points, normals = np.empty_like(self.directions), np.empty_like(self.directions)
        centres = self.centres[frame]
        _kernels.load().hull(
            self.directions, self.vertices, self.firsts, self.softness, centres, self.radii, points, normals
        )
        return Pose(points, normals, self._with_faces(normals, frame))

    def outline(self) -> tuple[Floats, Floats]:
        swollen = np.repeat(self.softness * np.log(np.diff(self.firsts)), np.diff(self.firsts))
        return self.centres, self.radii + swollen

    def _with_faces(self, normals: Floats, frame: int) -> Floats:
        """The colours with the face where it is at a frame: the shapes do not turn with their joints."""
        tints = self.tints
        for number, joint, face in self.heads:
            ahead = rot.rotate(self.rotations[frame, joint], face)
            rows = slice(self.vertices[number], self.vertices[number + 1])
            share = np.clip((normals[rows] @ ahead - 0.66) / 0.1, 0.0, 1.0)[:, None]
            tints = tints.copy()
            tints[rows] += share * (to_linear(_VISOR) - tints[rows])
        return tints


class SkinActor:
    """The skin of a character."""

    one_sided = False

    def __init__(self, mesh: SkinnedMesh, shown: Clip) -> None:
        self.mesh, self.shown = mesh, shown
        self.triangles, self.materials, self.uv = mesh.triangles, mesh.face_materials, mesh.uv
        self.textures = _textures(mesh.materials)
        self.bones = np.ascontiguousarray(mesh.bones)

    def pose(self, frame: int) -> Pose:
        points, normals = np.empty_like(self.mesh.points), np.empty_like(self.mesh.points)
        matrices = self.mesh.matrices(self.shown[frame : frame + 1])[0]
        _kernels.load().skin(
            self.mesh.points, self.mesh.normals, self.bones, self.mesh.weights, matrices, points, normals
        )
        return Pose(points, normals, self.mesh.tints)

    def outline(self) -> tuple[Floats, Floats]:
        """The vertices that are farthest out on each bone, with a little room for those between them."""
        mesh = self.mesh
        chosen = []
        leading = np.take_along_axis(mesh.bones, mesh.weights.argmax(axis=1)[:, None], axis=1)[:, 0]
        for bone in np.unique(leading):
            rows = np.flatnonzero(leading == bone)
            chosen += [rows[end] for end in (mesh.points[rows] @ _OUTWARD).argmax(axis=0)]
        rows = np.unique(chosen)
        matrices = mesh.matrices(self.shown)[:, mesh.bones[rows]]  # (frames, vertices, n, 3, 4)
        blended = np.einsum("vn,fvnij->fvij", mesh.weights[rows], matrices)
        centres = np.einsum("fvij,vj->fvi", blended[..., :3], mesh.points[rows]) + blended[..., 3]
        return centres, np.full(len(rows), _ROOM * self.shown.skeleton.height)


def _textures(materials: Sequence[MeshMaterial]) -> Textures:
    sheets, pieces, at = np.zeros((len(materials), 3), np.int64), [np.zeros(1, np.uint8)], 1
    for number, material in enumerate(materials):
        pixels = None if material.picture is None else open_picture(material.picture)
        if pixels is not None:
            sheets[number] = at, pixels.shape[1], pixels.shape[0]
            pieces.append(pixels.reshape(-1))
            at += pixels.size
    factors = np.array([material.colour for material in materials])
    return Textures(np.concatenate(pieces), sheets, factors, linear_light())


def open_picture(data: bytes) -> NDArray[np.uint8] | None:
    """A texture as pixels (height, width, 3), shrunk to what a film can show; None for what is no picture."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as picture:
            if picture.width * picture.height > _MOST_TEXELS:
                return None
            picture.draft("RGB", (_TEXTURE, _TEXTURE))
            small = picture.convert("RGB")
            small.thumbnail((_TEXTURE, _TEXTURE))
            return np.asarray(small)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None


def _part_tint(part: Part, tint: str | None) -> Floats:
    if tint is not None:
        return to_linear(tint)
    coloured = any(part.name.endswith(word) for word in _COLOURED)
    return to_linear(_PORCELAIN[part.side if coloured else "middle"])


@cache
def ball(rings: int, sides: int) -> tuple[Floats, NDArray[np.int64]]:
    """Directions of a globe (2 + rings * sides, 3) with its poles on the last axis, and its triangles."""
    latitude = np.pi * np.arange(1, rings + 1) / (rings + 1)
    longitude = 2.0 * np.pi * (np.arange(sides)[None] + 0.5 * (np.arange(rings) % 2)[:, None]) / sides
    across, along = np.sin(latitude)[:, None], np.broadcast_to(-np.cos(latitude)[:, None], longitude.shape)
    globe = np.stack([across * np.cos(longitude), across * np.sin(longitude), along], axis=-1).reshape(-1, 3)
    bottom, top, last = rings * sides, rings * sides + 1, (rings - 1) * sides
    faces = []
    for i in range(sides):
        j = (i + 1) % sides
        faces += [(j, i, bottom), (last + i, last + j, top)]
        for ring in range(rings - 1):
            a, b, c, d = ring * sides + i, ring * sides + j, (ring + 1) * sides + i, (ring + 1) * sides + j
            faces += [(a, b, c), (b, d, c)] if ring % 2 == 0 else [(a, d, c), (a, b, d)]
    return np.concatenate([globe, [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]]), np.array(faces, np.int64)
