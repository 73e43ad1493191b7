"""The surface that the page bends by the joints: the skin of a character, or a mannequin."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np

from kinetune.body.clip import Clip
from kinetune.formats.characters.character import character_mesh, character_of
from kinetune.formats.characters.skinned_mesh import MeshMaterial, SkinnedMesh
from kinetune.studio.protocol.messages import AskSkin
from kinetune.studio.protocol.wire import pack

_INFLUENCES = 4  # as many bones as a graphics card blends at a vertex


def skin_answer(clip: Clip, message: AskSkin, header: dict[str, Any]) -> bytes:
    """The mesh of a clip's character, or a mannequin, in parts of one material each."""
    mesh, finding = character_mesh(clip) if message.body == "skin" else (None, None)
    body, character = "skin", character_of(clip)
    if mesh is None:
        from kinetune.formats.characters.mannequin_mesh import mannequin_mesh

        mesh, body = mannequin_mesh(clip, coarse=message.coarse), "mannequin"
    order = np.argsort(mesh.face_materials, kind="stable")
    kinds, starts, counts = np.unique(mesh.face_materials[order], return_index=True, return_counts=True)
    bones, weights = _strongest(mesh)
    arrays = {
        "triangles": mesh.triangles[order],
        "points": mesh.points,
        "normals": mesh.normals,
        "uv": mesh.uv,
        "tints": mesh.tints,
        "bones": bones,
        "weights": weights,
        "binds": mesh.binds,
    }
    parts = [
        {"material": int(kind), "start": 3 * int(start), "count": 3 * int(count)}
        for kind, start, count in zip(kinds, starts, counts, strict=True)
    ]
    more = {
        "body": body,
        "of": message.of,
        "name": None if character is None else character.name,
        "finding": None if finding is None else finding.as_dict(),
        "bone_joints": mesh.bone_joints.tolist(),
        "materials": [_material(each) for each in mesh.materials],
        "parts": parts,
    }
    return pack({**header, **more}, arrays)


def _strongest(mesh: SkinnedMesh) -> tuple[Any, Any]:
    """The four bones that each vertex follows most, (vertices, 4), and how much."""
    chosen = np.argsort(-mesh.weights, axis=1)[:, :_INFLUENCES]
    bones, weights = np.zeros((len(mesh.points), _INFLUENCES)), np.zeros((len(mesh.points), _INFLUENCES))
    bones[:, : chosen.shape[1]] = np.take_along_axis(mesh.bones, chosen, axis=1)
    weights[:, : chosen.shape[1]] = np.take_along_axis(mesh.weights, chosen, axis=1)
    return bones, weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)


def _material(material: MeshMaterial) -> dict[str, Any]:
    return {"colour": list(material.colour), "picture": _address(material.picture)}


def _address(picture: bytes | None) -> str | None:
    """A picture as an address that carries it, shrunk to what a viewport can show."""
    from PIL import Image

    from kinetune.figures.rendering.actors import open_picture

    pixels = None if picture is None else open_picture(picture)
    if pixels is None:
        return None
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, format="JPEG", quality=88)
    return "data:image/jpeg;base64," + base64.b64encode(data.getvalue()).decode()
