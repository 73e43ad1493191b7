"""A clip as a USD stage: a SkelRoot with skeleton, animation and a body as a skinned mesh."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.formats.characters.visible_body import visible_body
from kinetune.formats.clip_notes import clip_notes, end_site_notes
from kinetune.formats.stick_figure_mesh import bind_positions
from kinetune.formats.usd._library import NOTES_KEY, pxr
from kinetune.rotations import Floats


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """The bytes of a stage: text for ``.usda``, binary for ``.usdc`` and ``.usd``."""
    usd, geom, skel, vt = pxr("Usd"), pxr("UsdGeom"), pxr("UsdSkel"), pxr("Vt")
    stage = usd.Stage.CreateInMemory()
    geom.SetStageUpAxis(stage, geom.Tokens.y)
    geom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(clip.fps)
    stage.SetFramesPerSecond(clip.fps)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(len(clip) - 1)
    root = skel.Root.Define(stage, "/Figure")
    stage.SetDefaultPrim(root.GetPrim())
    notes = {**clip_notes(clip), "end_sites": end_site_notes(clip), "root_offset": clip.skeleton.offsets[0].tolist()}
    root.GetPrim().SetCustomDataByKey(NOTES_KEY, json.dumps(notes))

    paths = _joint_paths(clip.skeleton)
    skeleton = skel.Skeleton.Define(stage, "/Figure/Skeleton")
    skeleton.CreateJointsAttr(paths)
    skeleton.CreateJointNamesAttr(list(clip.skeleton.names))
    rest, bind = _matrices(clip.skeleton, clip.root[0])
    skeleton.CreateRestTransformsAttr(vt.Matrix4dArray.FromNumpy(rest))
    skeleton.CreateBindTransformsAttr(vt.Matrix4dArray.FromNumpy(bind))

    animation = skel.Animation.Define(stage, "/Figure/Animation")
    animation.CreateJointsAttr(paths)
    _animate(clip, animation, vt)
    _bind_body(stage, clip, geom, skel, vt)
    for prim in (root.GetPrim(), skeleton.GetPrim()):
        binding = skel.BindingAPI.Apply(prim)
        binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
        binding.CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    if path.suffix.lower() == ".usda":
        return {path: stage.GetRootLayer().ExportToString().encode()}
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "stage.usdc"
        stage.GetRootLayer().Export(str(target))
        return {path: target.read_bytes()}


def _joint_paths(skeleton: Skeleton) -> list[str]:
    """Joints as USD wants them: "Hips/Spine/Neck", each part a different identifier."""
    tf = pxr("Tf")
    identifiers: dict[str, None] = {}
    for name in skeleton.names:
        identifier, count = tf.MakeValidIdentifier(name), 1
        while identifier in identifiers:
            count += 1
            identifier = f"{tf.MakeValidIdentifier(name)}_{count}"
        identifiers[identifier] = None
    paths: list[str] = []
    for identifier, parent in zip(identifiers, skeleton.parents.tolist(), strict=True):
        paths.append(identifier if parent < 0 else f"{paths[parent]}/{identifier}")
    return paths


def _matrices(skeleton: Skeleton, root: Floats) -> tuple[Floats, Floats]:
    """Rest transforms (local) and bind transforms (world), (joints, 4, 4) acting on rows as USD does."""
    offsets = np.array(skeleton.offsets)
    offsets[0] = root
    return _rows(offsets, skeleton.rest), _rows(bind_positions(skeleton, root), skeleton.rest_rotations)


def _rows(positions: Floats, rotations: Floats) -> Floats:
    matrices = np.zeros((len(positions), 4, 4))
    matrices[:, :3, :3] = rot.to_matrix(rot.inverse(rot.normalize(rotations)))
    matrices[:, 3, :3] = positions
    matrices[:, 3, 3] = 1.0
    return matrices


def _animate(clip: Clip, animation: Any, vt: Any) -> None:
    xyzw = rot.continuous(rot.normalize(clip.rotations))[..., [1, 2, 3, 0]].astype("f4")
    rotations = animation.CreateRotationsAttr()
    for frame, pose in enumerate(xyzw):
        rotations.Set(vt.QuatfArray.FromNumpy(pose), frame)
    moved = clip.translations
    positions = np.tile(clip.skeleton.offsets, (len(clip), 1, 1)) if moved is None else moved.copy()
    positions[:, 0] = clip.root
    translations = animation.CreateTranslationsAttr()
    for frame, pose in enumerate(positions.astype("f4")):
        translations.Set(vt.Vec3fArray.FromNumpy(pose), frame)
    animation.CreateScalesAttr(vt.Vec3hArray.FromNumpy(np.ones((len(clip.skeleton), 3), "f2")))


def _bind_body(stage: Any, clip: Clip, geom: Any, skel: Any, vt: Any) -> None:
    body = visible_body(clip)
    mesh = geom.Mesh.Define(stage, "/Figure/Mesh")
    mesh.CreatePointsAttr(vt.Vec3fArray.FromNumpy(body.points.astype("f4")))
    mesh.CreateNormalsAttr(vt.Vec3fArray.FromNumpy(body.normals.astype("f4")))
    mesh.SetNormalsInterpolation(geom.Tokens.vertex)
    mesh.CreateFaceVertexCountsAttr(vt.IntArray.FromNumpy(np.full(len(body.triangles), 3, "i4")))
    mesh.CreateFaceVertexIndicesAttr(vt.IntArray.FromNumpy(body.triangles.astype("i4").reshape(-1)))
    mesh.CreateSubdivisionSchemeAttr(geom.Tokens.none)
    colours = (body.tints * body.materials[0].colour).astype("f4")
    mesh.CreateDisplayColorPrimvar(geom.Tokens.vertex).Set(vt.Vec3fArray.FromNumpy(colours))
    low, high = body.points.min(axis=0), body.points.max(axis=0)
    mesh.CreateExtentAttr(vt.Vec3fArray.FromNumpy(np.stack([low, high]).astype("f4")))
    binding = skel.BindingAPI.Apply(mesh.GetPrim())
    influences = body.bones.shape[1]
    joints, weights = body.bones.astype("i4").reshape(-1), body.weights.astype("f4").reshape(-1)
    binding.CreateJointIndicesPrimvar(False, influences).Set(vt.IntArray.FromNumpy(joints))
    binding.CreateJointWeightsPrimvar(False, influences).Set(vt.FloatArray.FromNumpy(weights))
