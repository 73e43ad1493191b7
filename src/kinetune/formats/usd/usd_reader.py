"""The first skeleton of a USD file, of any program, as a clip.

Joint paths, rest transforms, the skeleton's transform in the scene, unit, up axis and time codes are read.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton, distinct_names
from kinetune.body.source import Source
from kinetune.errors import FileError, MalformedFileError, ParameterError
from kinetune.findings import Finding, guessed
from kinetune.formats.clip_notes import read_end_sites, read_fps
from kinetune.formats.file_limits import check_joints, is_frame_rate, most_poses
from kinetune.formats.format import ReadOptions
from kinetune.formats.scene_nodes import (
    MOST_POSES,
    NodeTransform,
    SceneTree,
    joint_arrays,
    locate_nodes,
    scene_clip,
    transform_from_matrices,
)
from kinetune.formats.text.number_text import usable
from kinetune.formats.unit_and_up import Up, parse_unit, parse_up
from kinetune.formats.usd._crate_values import DamagedUsdError, check_crate
from kinetune.formats.usd._library import NOTES_KEY, pxr
from kinetune.formats.usd._text_lists import check_text
from kinetune.input_files import open_input, read_input
from kinetune.rotations import Floats

_MOST_LAYERS = 1000
_MOST_FRAMES = 50_000  # that lie between a few samples


def read(path: Path, options: ReadOptions) -> Clip:
    """A clip from the first skeleton of a USD file."""
    geom, tf = pxr("UsdGeom"), pxr("Tf")
    hushed = pxr("UsdUtils").CoalescingDiagnosticDelegate()  # keeps USD from printing; our error says it
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
                findings.append(guessed("unit", "The file states no unit, which in USD means centimetres."))
        up = parse_up(options.up or str(geom.GetStageUpAxis(stage)))
        with np.errstate(all="ignore"):  # numbers out of range are reported once the clip is complete
            return _build(path, stage, query, animation, (unit, metres, up), findings, options)
    except ParameterError as problem:
        raise MalformedFileError(path, str(problem)) from None
    except tf.ErrorException:
        raise MalformedFileError(path, "USD finds its skeleton damaged.") from None
    finally:
        hushed.TakeUncoalescedDiagnostics()


def _open(path: Path) -> Any:
    try:
        layers = _open_layers(path)
        return pxr("Usd").Stage.Open(layers[0])
    except pxr("Tf").ErrorException:
        raise MalformedFileError(path, "USD cannot open it.", advice="Is it cut off, or not a USD file?") from None


def _check_layer(name: str) -> None:
    """Raise for a file for which USD would take memory without end."""
    try:
        with open_input(name) as file:
            start = file.read(8)
            if start == b"PXR-USDC":
                with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                    check_crate(data)
        if start.startswith(b"#usda"):
            check_text(read_input(name))
    except DamagedUsdError as damage:
        raise MalformedFileError(name, str(damage), advice="Is it cut off or damaged?") from None


def _open_layers(path: Path) -> list[Any]:
    """The layers that a stage is composed of, each a regular file, so that a pipe among them cannot block."""
    sdf = pxr("Sdf")
    layers: list[Any] = []
    waiting, seen = [str(path)], {str(path)}
    while waiting:
        name = waiting.pop()
        if layers and not os.path.lexists(name):
            continue  # USD leaves out what is missing
        _check_layer(name)
        layer = sdf.Layer.FindOrOpen(name)
        if layer is None:
            raise MalformedFileError(name, "USD cannot open it.", advice="Is it cut off, or not a USD file?")
        layers.append(layer)
        named = {layer.ComputeAbsolutePath(other) for other in layer.GetCompositionAssetDependencies()}
        waiting += sorted(named - seen)
        seen |= named
        if len(seen) > _MOST_LAYERS:
            raise MalformedFileError(path, f"it is composed of more than {_MOST_LAYERS} files.")
    return layers


def _find_skeleton(stage: Any, path: Path) -> tuple[Any, Any, int]:
    """(skeleton query, animation query or None, how many other skeletons there are)."""
    usd, skel = pxr("Usd"), pxr("UsdSkel")
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
        raise FileError(path, "it has no UsdSkel skeleton, so there is no character in it.")
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
    check_joints(path, len(names))
    notes = _read_notes(stage)
    fps, codes = _time_codes(stage, animation, len(names), notes, options, findings)
    tree, joints = _tree(query, names, parents), range(1, len(names) + 1)
    rank = {node: node for node in joints}
    resting, rest_sheared = locate_nodes(tree, joints, rank, {})
    moving, sheared = locate_nodes(tree, joints, rank, _moving(query, codes))
    if rest_sheared or sheared:
        message = "Joints are scaled unevenly; their positions are right but their shear is lost."
        findings.append(Finding("uneven-scale", message))
    offsets, rest = joint_arrays(resting, joints, parents, 1, up)
    positions, rotations = joint_arrays(moving, joints, parents, len(codes), up)
    if not (usable(positions).all() and usable(rotations).all()):
        raise MalformedFileError(path, "a joint has a value that is not a number or is far too large.")
    sites = read_end_sites(notes, len(names))
    skeleton = Skeleton(names, np.array(parents), offsets[0] * metres, sites, rest[0])
    source = Source("usd", str(path), unit, metres, up, tuple(findings))
    return scene_clip(skeleton, fps, positions, rotations, source, notes, exact=bool(notes))


def _joints(query: Any) -> tuple[tuple[str, ...], list[int]]:
    """(names, parents); USD itself makes sure that parents come first."""
    tokens = [str(token) for token in query.GetJointOrder()]
    listed = query.GetSkeleton().GetJointNamesAttr().Get()
    complete = listed and len(listed) == len(tokens)
    names = [str(name) for name in listed] if complete else [token.rpartition("/")[2] for token in tokens]
    return distinct_names(names), [int(parent) for parent in query.GetTopology().GetParentIndices()]


def _tree(query: Any, names: tuple[str, ...], parents: list[int]) -> SceneTree:
    """Node 0 is the skeleton in the scene, the joints follow."""
    local = query.ComputeJointLocalTransforms(0.0, True)
    if not local:
        raise ParameterError("The skeleton has no rest transforms.")
    matrices = np.array(local).swapaxes(1, 2)
    world = _scene_matrices(query, [0.0])
    rest = (transform_from_matrices(world), *(transform_from_matrices(matrix[None]) for matrix in matrices))
    return SceneTree(("", *names), (-1, *(parent + 1 for parent in parents)), tuple(range(len(names) + 1)), rest)


def _scene_matrices(query: Any, codes: list[float]) -> Floats:
    geom, usd = pxr("UsdGeom"), pxr("Usd")
    prim = geom.Imageable(query.GetPrim())
    worlds = [np.array(prim.ComputeLocalToWorldTransform(usd.TimeCode(code))) for code in codes]
    return np.array(worlds).swapaxes(1, 2)


def _moving(query: Any, codes: list[float]) -> dict[int, NodeTransform]:
    if not query.GetAnimQuery():
        return {}
    poses = np.array([np.array(query.ComputeJointLocalTransforms(code)) for code in codes]).swapaxes(2, 3)
    transforms = {joint + 1: transform_from_matrices(poses[:, joint]) for joint in range(poses.shape[1])}
    return {0: transform_from_matrices(_scene_matrices(query, codes)), **transforms}


def _time_codes(
    stage: Any, animation: Any, joints: int, notes: Mapping[str, Any], options: ReadOptions, findings: list[Finding]
) -> tuple[float, list[float]]:
    """Frames per second, and the time code of each frame."""
    rate = float(stage.GetTimeCodesPerSecond())
    samples = np.array(animation.GetJointTransformTimeSamples()) if animation is not None else np.empty(0)
    if not is_frame_rate(rate) or not usable(samples).all():
        raise ParameterError("Its time codes give no valid frame rate or times.")
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
    size = sum(os.path.getsize(layer.realPath) for layer in stage.GetUsedLayers() if os.path.isfile(layer.realPath))
    if count * joints > min(MOST_POSES, most_poses(size)) or count > _MOST_FRAMES + 20 * len(samples):
        raise ParameterError(f"It has {count:.3g} frames of {joints} joints, more than can be read; lower fps=.")
    codes = samples[0] + step * np.arange(int(np.ceil(count - 0.02)) + 1)
    return rate / step, codes.tolist()


def _read_notes(stage: Any) -> Mapping[str, Any]:
    prim = stage.GetDefaultPrim()
    text = prim.GetCustomDataByKey(NOTES_KEY) if prim else None
    try:
        notes = json.loads(text) if isinstance(text, str) else {}
    except (ValueError, RecursionError):
        notes = {}
    return notes if isinstance(notes, dict) else {}
