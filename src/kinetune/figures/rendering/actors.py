"""What is seen of a clip, as triangles at every frame: a surface that its joints bend."""

from __future__ import annotations

import io
import itertools
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kinetune.body.clip import Clip
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


class SkinActor:
    """The skin of a character, or a mannequin, whose surface is closed."""

    def __init__(self, mesh: SkinnedMesh, shown: Clip, *, one_sided: bool = False) -> None:
        self.one_sided = one_sided
        self.mesh, self.shown = mesh, shown
        self.triangles = np.ascontiguousarray(mesh.triangles)
        self.materials, self.uv = mesh.face_materials, mesh.uv
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
