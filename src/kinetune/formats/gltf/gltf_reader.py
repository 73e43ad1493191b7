"""Reading glTF: skinned characters, animated nodes without a skin, and files without any animation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kinetune.body.clip import Clip
from kinetune.body.skeleton import EndSite, Skeleton, as_offset, distinct_names
from kinetune.body.source import Source
from kinetune.errors import ParameterError
from kinetune.findings import Finding, guessed
from kinetune.formats.clip_notes import read_fps, read_history, read_markers
from kinetune.formats.format import ReadOptions
from kinetune.formats.gltf.animation_sampling import (
    Channel,
    choose_animation,
    frame_times,
    guess_rate,
    placements,
    read_channels,
)
from kinetune.formats.gltf.container import GltfFile
from kinetune.formats.gltf.nodes import choose_joints, read_tree
from kinetune.formats.guess.guessing import METRES_PER_UNIT, Up, parse_unit, parse_up
from kinetune.formats.guess.upright import stand
from kinetune.formats.moving_joints import moving_only, with_root_offset
from kinetune.formats.scene_nodes import Placement, Tree, joint_above, place_nodes
from kinetune.rotations import Floats

_MOST_POSES = 10_000_000  # frames times joints
_LIKELY = (0.2, 6.0)  # metres: outside of it a file's "metres" are something else


def read(path: Path, options: ReadOptions) -> Clip:
    """A clip from a ``.glb`` or ``.gltf``."""
    with np.errstate(all="ignore"):  # numbers out of range are found and named once the clip is whole
        return _read(GltfFile(path), options)


def _read(file: GltfFile, options: ReadOptions) -> Clip:
    tree = read_tree(file)
    findings: list[Finding] = []
    animation, remarks = choose_animation(file, options.animation)
    findings += remarks
    channels: list[Channel] = []
    if animation is not None:
        channels, remarks = read_channels(file, animation)
        findings += remarks
    joints, left_out = choose_joints(file, tree, frozenset(c.node for c in channels))
    findings += [Finding("joints-left-out", words) for words in left_out]
    if not joints:
        raise file.fail("it has no skin and no animated nodes, so there is no figure in it.")
    if not file.listed("skins"):
        findings.append(Finding("no-skin", "There is no skin, so the animated nodes are taken as joints."))
    try:
        return _build(file, tree, joints, channels, findings, options)
    except ParameterError as problem:
        raise file.fail(str(problem)) from None


def _build(
    file: GltfFile,
    tree: Tree,
    joints: list[int],
    channels: list[Channel],
    findings: list[Finding],
    options: ReadOptions,
) -> Clip:
    notes = _our_notes(file)
    rank = {node: joint for joint, node in enumerate(joints)}
    parents = [rank.get(joint_above(tree, node, rank), -1) for node in joints]
    tips = _tips(tree, rank, {c.node for c in channels})
    channels = _that_matter(tree, joints, channels)
    resting, sheared = place_nodes(tree, [*joints, *tips], rank, {})
    names = distinct_names(tree.names[node] for node in joints)

    fps, start, frames = _timing(file, channels, notes, options, len(joints), findings)
    at = start + np.arange(frames) / fps
    moving = placements(channels, tree.rest, at)
    placed, sheared_in_motion = place_nodes(tree, joints, rank, moving)
    if sheared or sheared_in_motion:
        findings.append(
            Finding("uneven-scale", "Nodes are scaled unevenly; joints are placed rightly but their shear is lost.")
        )
    findings += _scale_remark(moving)

    up: Up = "y" if options.up is None else parse_up(options.up)
    roots = [joint for joint, parent in enumerate(parents) if parent < 0]
    offsets, rest = _columns(resting, joints, 1)
    offsets[:, roots], rest[:, roots] = stand(offsets[:, roots], rest[:, roots], up)
    positions, rotations = _columns(placed, joints, frames)
    positions[:, roots], rotations[:, roots] = stand(positions[:, roots], rotations[:, roots], up)

    sites = tuple(EndSite(rank[tree.parents[n]], as_offset(resting[n][0][0]), _tip_name(tree, n)) for n in tips)
    skeleton = Skeleton(names, np.array(parents), offsets[0], sites, rest[0])
    unit, metres, guess = _unit(skeleton, options, bool(notes))
    findings += [guess] if guess else []
    skeleton = skeleton.scaled(metres)
    positions = positions * metres
    tolerance = (1e-7 if notes else 1e-5) * max(skeleton.height, 1e-3)  # a file's float32 against its noise
    translations = moving_only(skeleton.offsets, positions, tolerance)
    kept_offset = file.numbers(notes, "root_offset", 3, "extras") if notes else None
    if kept_offset is not None:
        skeleton = with_root_offset(skeleton, kept_offset)
    return Clip(
        skeleton,
        fps,
        positions[:, 0],
        rotations,
        translations,
        markers=read_markers(notes, frames),
        source=Source("gltf", str(file.path), unit, metres, up, tuple(findings)),
        history=read_history(notes),
    )


def _our_notes(file: GltfFile) -> Mapping[str, Any]:
    extras = file.content.get("extras")
    notes = extras.get("kinetune") if isinstance(extras, dict) else None
    return notes if isinstance(notes, dict) else {}


def _that_matter(tree: Tree, joints: list[int], channels: list[Channel]) -> list[Channel]:
    """The channels of joints and of nodes above them."""
    reached: set[int] = set()
    for node in joints:
        at = node
        while at >= 0 and at not in reached:
            reached.add(at)
            at = tree.parents[at]
    return [channel for channel in channels if channel.node in reached]


def _tips(tree: Tree, joints: Mapping[int, int], animated: set[int]) -> list[int]:
    """Still nodes that hang on a joint and carry nothing: the ends of chains."""
    found = []
    for number, node in enumerate(tree.nodes):
        bare = not any(key in node for key in ("children", "mesh", "camera", "skin", "extensions"))
        if bare and number not in joints and number not in animated and tree.parents[number] in joints:
            found.append(number)
    return found


def _tip_name(tree: Tree, node: int) -> str | None:
    extras = tree.nodes[node].get("extras")
    unnamed = isinstance(extras, dict) and extras.get("kinetune") == "unnamed end site"
    return None if unnamed else tree.names[node]


def _timing(
    file: GltfFile,
    channels: list[Channel],
    notes: Mapping[str, Any],
    options: ReadOptions,
    joints: int,
    findings: list[Finding],
) -> tuple[float, float, int]:
    """(frames per second, time of the first frame, number of frames)."""
    if not channels:
        words = "There is no animation of the figure, so the clip is one frame of its rest pose."
        findings.append(Finding("no-animation", words))
        return options.fps or 30.0, 0.0, 1
    times = [channel.times for channel in channels]
    fps = options.fps or read_fps(notes)
    if fps is None:
        fps, guess = guess_rate(times)
        findings.append(guess)
    if not (np.isfinite(fps) and fps > 0):
        raise ParameterError(f"fps must be a positive number, not {fps}.")
    length = max(float(t[-1]) for t in times) - min(float(t[0]) for t in times)
    if length * fps * joints > _MOST_POSES:
        raise file.fail(
            f"the animation lasts {length:.6g} s, which is {length * fps:.3g} frames of {joints} joints at {fps:g} per "
            f"second, more than can be read.",
            "Ask for a lower rate with fps=.",
        )
    start, frames = frame_times(times, fps)
    if start > 0.5 / fps:
        findings.append(Finding("late-start", f"The animation begins at {start:.4g} s; that is frame 0 of the clip."))
    return fps, start, frames


def _columns(placed: Mapping[int, tuple[Floats, Floats]], joints: list[int], frames: int) -> tuple[Floats, Floats]:
    positions = np.empty((frames, len(joints), 3))
    rotations = np.empty((frames, len(joints), 4))
    for joint, node in enumerate(joints):
        positions[:, joint], rotations[:, joint] = placed[node]
    return positions, rotations


def _scale_remark(moving: Mapping[int, Placement]) -> list[Finding]:
    if any(len(p.scale) > 1 and np.ptp(p.scale, axis=0).max() > 1e-3 * np.abs(p.scale).max() for p in moving.values()):
        words = "Joints are scaled over time; what that moves is kept as joint positions, the scale itself is left out."
        return [Finding("animated-scale", words)]
    return []


def _unit(skeleton: Skeleton, options: ReadOptions, ours: bool) -> tuple[str, float, Finding | None]:
    if options.unit is not None:
        return *parse_unit(options.unit), None
    size = skeleton.height
    if ours or size == 0.0 or _LIKELY[0] <= size <= _LIKELY[1]:
        return "m", 1.0, None
    for name in ("cm", "mm"):
        metres = METRES_PER_UNIT[name]
        if _LIKELY[0] <= size * metres <= _LIKELY[1]:
            words = f"glTF is in metres, but the figure would be {size:.3g} m large; it is taken as {name}."
            return name, metres, guessed("unit", words)
    return "m", 1.0, Finding("unusual-size", f"The figure is {size:.3g} m large.", "unit")
