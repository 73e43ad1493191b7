"""USD skeletons (``.usda``, ``.usdc``, ``.usd``): a UsdSkel Skeleton with its SkelAnimation, through ``usd-core``.

Written files hold a SkelRoot with the skeleton, the animation and the stick figure as a skinned mesh. Read are files
of any program: the skeleton's joint paths, rest transforms, its place in the scene, unit, up axis and time codes.
"""

from __future__ import annotations

import importlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import EndSite, Skeleton, as_offset, distinct_names
from kinetune.body.source import Source
from kinetune.errors import FileError, MalformedFileError, MissingDependencyError, ParameterError
from kinetune.findings import Finding, guessed
from kinetune.formats.clip_notes import clip_notes, read_fps, read_history, read_markers
from kinetune.formats.format import Format, ReadOptions
from kinetune.formats.gltf.stick_figure_mesh import build_figure, loose_joints
from kinetune.formats.guess.guessing import Up, parse_unit, parse_up
from kinetune.formats.guess.upright import stand
from kinetune.formats.moving_joints import moving_only, with_root_offset
from kinetune.formats.scene_nodes import Placement, Tree, place_nodes, placement_of
from kinetune.formats.text.number_range import usable
from kinetune.rotations import Floats

_KEY = "kinetune"
_MOST_POSES = 10_000_000  # frames times joints


def _pxr(module: str) -> Any:
    try:
        return importlib.import_module(f"pxr.{module}")
    except ImportError:
        raise MissingDependencyError("usd-core", "usd", "Reading and writing USD") from None


# --- writing


def write(clip: Clip, path: Path) -> Mapping[Path, bytes]:
    """The bytes of a stage: text for ``.usda``, binary for ``.usdc`` and ``.usd``."""
    usd, geom, skel, vt = _pxr("Usd"), _pxr("UsdGeom"), _pxr("UsdSkel"), _pxr("Vt")
    stage = usd.Stage.CreateInMemory()
    geom.SetStageUpAxis(stage, geom.Tokens.y)
    geom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(clip.fps)
    stage.SetFramesPerSecond(clip.fps)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(len(clip) - 1)
    root = skel.Root.Define(stage, "/Figure")
    stage.SetDefaultPrim(root.GetPrim())
    root.GetPrim().SetCustomDataByKey(_KEY, json.dumps(_notes(clip)))

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
    _bind_figure(stage, clip, geom, skel, vt)
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


def _notes(clip: Clip) -> dict[str, Any]:
    sites = [[site.parent, list(site.offset), site.name] for site in clip.skeleton.end_sites]
    return {**clip_notes(clip), "end_sites": sites, "root_offset": clip.skeleton.offsets[0].tolist()}


def _joint_paths(skeleton: Skeleton) -> list[str]:
    """Joints as USD wants them: "Hips/Spine/Neck", each word an identifier."""
    tf = _pxr("Tf")
    words: list[str] = []
    taken: set[str] = set()
    for name in skeleton.names:
        word, count = tf.MakeValidIdentifier(name), 1
        while word in taken:
            count += 1
            word = f"{tf.MakeValidIdentifier(name)}_{count}"
        taken.add(word)
        words.append(word)
    paths: list[str] = []
    for word, parent in zip(words, skeleton.parents.tolist(), strict=True):
        paths.append(word if parent < 0 else f"{paths[parent]}/{word}")
    return paths


def _matrices(skeleton: Skeleton, root: Floats) -> tuple[Floats, Floats]:
    """Rest transforms (local) and bind transforms (world), (joints, 4, 4) acting on rows as USD does."""
    places = np.array(skeleton.rest_positions)
    places[list(skeleton.subtree(0))] += root
    offsets = np.array(skeleton.offsets)
    offsets[0] = root
    return _rows(offsets, skeleton.rest), _rows(places, skeleton.rest_rotations)


def _rows(places: Floats, turned: Floats) -> Floats:
    matrices = np.zeros((len(places), 4, 4))
    matrices[:, :3, :3] = rot.to_matrix(rot.inverse(rot.normalize(turned)))
    matrices[:, 3, :3] = places
    matrices[:, 3, 3] = 1.0
    return matrices


def _animate(clip: Clip, animation: Any, vt: Any) -> None:
    turned = rot.continuous(rot.normalize(clip.rotations))[..., [1, 2, 3, 0]].astype("f4")  # xyzw in memory
    rotations = animation.CreateRotationsAttr()
    for frame, pose in enumerate(turned):
        rotations.Set(vt.QuatfArray.FromNumpy(pose), frame)
    places = (
        np.tile(clip.skeleton.offsets, (len(clip), 1, 1)) if clip.translations is None else clip.translations.copy()
    )
    places[:, 0] = clip.root
    translations = animation.CreateTranslationsAttr()
    for frame, pose in enumerate(places.astype("f4")):
        translations.Set(vt.Vec3fArray.FromNumpy(pose), frame)
    animation.CreateScalesAttr(vt.Vec3hArray.FromNumpy(np.ones((len(clip.skeleton), 3), "f2")))


def _bind_figure(stage: Any, clip: Clip, geom: Any, skel: Any, vt: Any) -> None:
    figure = build_figure(clip.skeleton, clip.root[0], loose_joints(clip))
    mesh = geom.Mesh.Define(stage, "/Figure/Mesh")
    mesh.CreatePointsAttr(vt.Vec3fArray.FromNumpy(figure.points.astype("f4")))
    mesh.CreateNormalsAttr(vt.Vec3fArray.FromNumpy(figure.normals.astype("f4")))
    mesh.SetNormalsInterpolation(geom.Tokens.vertex)
    mesh.CreateFaceVertexCountsAttr(vt.IntArray.FromNumpy(np.full(len(figure.triangles), 3, "i4")))
    mesh.CreateFaceVertexIndicesAttr(vt.IntArray.FromNumpy(figure.triangles.astype("i4").reshape(-1)))
    mesh.CreateSubdivisionSchemeAttr(geom.Tokens.none)
    mesh.CreateDisplayColorAttr([(0.42, 0.56, 0.72)])
    low, high = figure.points.min(axis=0), figure.points.max(axis=0)
    mesh.CreateExtentAttr(vt.Vec3fArray.FromNumpy(np.stack([low, high]).astype("f4")))
    binding = skel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateJointIndicesPrimvar(False, 1).Set(vt.IntArray.FromNumpy(figure.joints.astype("i4")))
    binding.CreateJointWeightsPrimvar(False, 1).Set(vt.FloatArray.FromNumpy(np.ones(len(figure.joints), "f4")))


# --- reading


def read(path: Path, options: ReadOptions) -> Clip:
    """A clip from the first skeleton of a USD file."""
    geom, tf = _pxr("UsdGeom"), _pxr("Tf")
    hushed = _pxr("UsdUtils").CoalescingDiagnosticDelegate()  # keeps USD from printing while we say it in one sentence
    try:
        stage = _open(path)
        findings: list[Finding] = []
        query, animation, left = _find_skeleton(stage, path)
        if left:
            findings.append(Finding("several-skeletons", f"The file has {left + 1} skeletons; the first one is read."))
        if options.unit is not None:
            unit, metres = parse_unit(options.unit)
        else:
            unit, metres = parse_unit(float(geom.GetStageMetersPerUnit(stage)))
            if not geom.StageHasAuthoredMetersPerUnit(stage):
                findings.append(guessed("unit", "The file names no unit, which in USD means centimetres."))
        up = parse_up(options.up or str(geom.GetStageUpAxis(stage)))
        with np.errstate(all="ignore"):  # numbers out of range are found and named once the clip is whole
            return _build(path, stage, query, animation, (unit, metres, up), findings, options)
    except ParameterError as problem:
        raise MalformedFileError(path, str(problem)) from None
    except tf.ErrorException:
        raise MalformedFileError(path, "USD finds its skeleton damaged.") from None
    finally:
        hushed.TakeUncoalescedDiagnostics()


def _open(path: Path) -> Any:
    try:
        return _pxr("Usd").Stage.Open(str(path))
    except _pxr("Tf").ErrorException:
        raise MalformedFileError(path, "USD cannot open it.", advice="Is it cut off, or not a USD file?") from None


def _find_skeleton(stage: Any, path: Path) -> tuple[Any, Any, int]:
    """(skeleton query, animation query or None, how many other skeletons there are)."""
    usd, skel = _pxr("Usd"), _pxr("UsdSkel")
    cache = skel.Cache()
    skeletons = []
    for prim in stage.Traverse(usd.TraverseInstanceProxies()):
        if prim.IsA(skel.Root):
            cache.Populate(skel.Root(prim), usd.TraverseInstanceProxies())
        elif prim.IsA(skel.Skeleton):
            skeletons.append(prim)
    queries = [query for query in (cache.GetSkelQuery(skel.Skeleton(prim)) for prim in skeletons) if query]
    queries = [query for query in queries if len(query.GetJointOrder())]
    if not queries and skeletons:
        raise MalformedFileError(path, "its skeleton has no joints, or they are not in order.")
    if not queries:
        raise FileError(path, "it has no UsdSkel skeleton, so there is no figure in it.")
    moving = [query for query in queries if query.GetAnimQuery()]
    chosen = moving[0] if moving else queries[0]
    animation = chosen.GetAnimQuery()
    return chosen, animation if animation else None, len(queries) - 1


def _build(
    path: Path,
    stage: Any,
    query: Any,
    animation: Any,
    units: tuple[str, float, Up],
    findings: list[Finding],
    options: ReadOptions,
) -> Clip:
    unit, metres, up = units
    names, parents = _joints(query)
    notes = _read_notes(stage)
    fps, codes = _time_codes(stage, animation, len(names), notes, options, findings)
    tree, joints = _tree(query, names, parents), {joint: joint for joint in range(1, len(names) + 1)}
    wanted = list(joints)
    still, sheared = place_nodes(tree, wanted, joints, {})
    moving, sheared_too = place_nodes(tree, wanted, joints, _moving(query, codes))
    if sheared or sheared_too:
        findings.append(
            Finding("uneven-scale", "Joints are scaled unevenly; they are placed rightly but their shear is lost.")
        )
    roots = [joint for joint, parent in enumerate(parents) if parent < 0]
    offsets, rest = _columns(still, wanted, 1)
    positions, rotations = _columns(moving, wanted, len(codes))
    offsets[:, roots], rest[:, roots] = stand(offsets[:, roots], rest[:, roots], up)
    positions[:, roots], rotations[:, roots] = stand(positions[:, roots], rotations[:, roots], up)
    if not (usable(positions).all() and usable(rotations).all()):
        raise MalformedFileError(path, "a joint has a value that is not a number or far too large.")
    offsets, positions = offsets[0] * metres, positions * metres
    skeleton = Skeleton(names, np.array(parents), offsets, _read_sites(notes, len(names)), rest[0])
    tolerance = (1e-7 if notes else 1e-5) * max(skeleton.height, 1e-3)
    translations = moving_only(skeleton.offsets, positions, tolerance)
    kept = notes.get("root_offset")
    if isinstance(kept, list) and len(kept) == 3:
        skeleton = with_root_offset(skeleton, as_offset(kept))
    return Clip(
        skeleton,
        fps,
        positions[:, 0],
        rotations,
        translations,
        markers=read_markers(notes, len(codes)),
        source=Source("usd", str(path), unit, metres, up, tuple(findings)),
        history=read_history(notes),
    )


def _joints(query: Any) -> tuple[tuple[str, ...], list[int]]:
    """(names, parents); USD itself makes sure that parents come first."""
    tokens = [str(token) for token in query.GetJointOrder()]
    given = query.GetSkeleton().GetJointNamesAttr().Get()
    spelled = [str(name) for name in given] if given and len(given) == len(tokens) else None
    names = spelled or [token.rpartition("/")[2] for token in tokens]
    return distinct_names(names), [int(parent) for parent in query.GetTopology().GetParentIndices()]


def _columns(placed: Mapping[int, tuple[Floats, Floats]], nodes: list[int], frames: int) -> tuple[Floats, Floats]:
    positions, rotations = np.empty((frames, len(nodes), 3)), np.empty((frames, len(nodes), 4))
    for column, node in enumerate(nodes):
        positions[:, column], rotations[:, column] = placed[node]
    return positions, rotations


def _tree(query: Any, names: tuple[str, ...], parents: list[int]) -> Tree:
    """Node 0 is the skeleton's place in the scene, the joints follow."""
    local = query.ComputeJointLocalTransforms(0.0, True)
    if not local:
        raise ParameterError("The skeleton has no rest transforms.")
    matrices = np.array(local).swapaxes(1, 2)
    world = _scene_place(query, [0.0])
    rest = (placement_of(world), *(placement_of(matrix[None]) for matrix in matrices))
    return Tree(("", *names), (-1, *(parent + 1 for parent in parents)), tuple(range(len(names) + 1)), rest)


def _scene_place(query: Any, codes: list[float]) -> Floats:
    geom, usd = _pxr("UsdGeom"), _pxr("Usd")
    prim = geom.Imageable(query.GetPrim())
    worlds = [np.array(prim.ComputeLocalToWorldTransform(usd.TimeCode(code))) for code in codes]
    return np.array(worlds).swapaxes(1, 2)


def _moving(query: Any, codes: list[float]) -> dict[int, Placement]:
    if not query.GetAnimQuery():
        return {}
    poses = np.array([np.array(query.ComputeJointLocalTransforms(code)) for code in codes]).swapaxes(2, 3)
    placed = {joint + 1: placement_of(poses[:, joint]) for joint in range(poses.shape[1])}
    placed[0] = placement_of(_scene_place(query, codes))
    return placed


def _time_codes(
    stage: Any,
    animation: Any,
    joints: int,
    notes: Mapping[str, Any],
    options: ReadOptions,
    findings: list[Finding],
) -> tuple[float, list[float]]:
    """Frames per second, and the time code of each frame."""
    rate = float(stage.GetTimeCodesPerSecond())
    samples = np.array(animation.GetJointTransformTimeSamples()) if animation is not None else np.empty(0)
    if not (np.isfinite(rate) and rate > 0) or not np.isfinite(samples).all():
        raise ParameterError("Its time codes are not positive numbers.")
    if len(samples) == 0:
        findings.append(Finding("no-animation", "There is no animation, so the clip is one frame of its pose."))
        return options.fps or rate, [0.0]
    if len(samples) == 1:
        return options.fps or read_fps(notes) or rate, samples.tolist()
    step = float(np.diff(samples).min())
    off = (samples - samples[0]) / step
    if np.abs(off - np.round(off)).max() > 0.02:
        step = 1.0
        findings.append(
            Finding("uneven-frames", "Poses are not evenly spaced in time; one is taken at every time code.")
        )
    if options.fps is not None:
        step = rate / options.fps
    count = (samples[-1] - samples[0]) / step
    if count * joints > _MOST_POSES:
        raise ParameterError(f"It has {count:.3g} frames of {joints} joints, more than can be read; lower fps=.")
    codes = samples[0] + step * np.arange(int(np.ceil(count - 0.02)) + 1)
    return rate / step, codes.tolist()


def _read_notes(stage: Any) -> Mapping[str, Any]:
    prim = stage.GetDefaultPrim()
    text = prim.GetCustomDataByKey(_KEY) if prim else None
    try:
        notes = json.loads(text) if isinstance(text, str) else {}
    except (ValueError, RecursionError):
        notes = {}
    return notes if isinstance(notes, dict) else {}


def _read_sites(notes: Mapping[str, Any], joints: int) -> tuple[EndSite, ...]:
    sites = []
    listed = notes.get("end_sites")
    for item in listed if isinstance(listed, list) else ():
        match item:
            case [int(parent), [x, y, z], str() | None as name] if 0 <= parent < joints:
                sites.append(EndSite(parent, as_offset((x, y, z)), name))
    return tuple(sites)


FORMAT = Format(
    "usd", (".usda", ".usdc", ".usd"), "USD skeleton animation (needs kinetune[usd])", read=read, write=write
)
