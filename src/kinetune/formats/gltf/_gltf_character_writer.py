"""A motion back into the glTF file that it came from: one animation is replaced, every other byte stays.

New numbers go to the end of the binary block (of a ``.glb``) or into a buffer of their own (of a ``.gltf``). What an
earlier run of ours has put there is taken away first, so that a file does not grow with every edit.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.root_motion import local_translations
from kinetune.errors import FileError
from kinetune.findings import Finding, report_finding
from kinetune.formats.characters.sparse_keys import CubicTrack, choose_tracks, fit_keys_to
from kinetune.formats.clip_notes import clip_notes
from kinetune.formats.gltf._animation_sampling import (
    AnimationChannel,
    read_channels,
    read_weights,
    sample,
    sample_transforms,
)
from kinetune.formats.gltf._json_text import JsonText
from kinetune.formats.gltf.blocks import Block, animation_record, glb_bytes
from kinetune.formats.gltf.container import GltfFile
from kinetune.formats.gltf.gltf_character import GltfCharacter
from kinetune.formats.gltf.gltf_reader import read_tree
from kinetune.formats.gltf.gltf_writer import joint_tracks, played_track
from kinetune.formats.scene_nodes import SceneTree, place_joints
from kinetune.formats.unit_and_up import turn_vectors_from_y, world_rotation
from kinetune.input_files import contained_path, read_input
from kinetune.rotations import Floats

_MARK = "appended"


def put_back(clip: Clip, path: Path, character: GltfCharacter) -> Mapping[Path, bytes]:
    """The files that hold the character with this motion; a guest comes before the animations of the file."""
    file = GltfFile(Path(character.name), character.data, character.beside)
    tree = read_tree(file)
    title = path.stem or "motion"
    number = _replaced(file, character, title)
    old = {} if number is None else file.listed("animations")[number]
    channels = [] if character.is_guest else _kept_channels(file, tree, old, character.joints)
    times = np.zeros(len(clip)) if character.is_guest else _times_in_file(clip, character, channels)
    same = character.is_whole and len(clip) == len(character.times) and not character.is_guest
    tracks = _tracks(file, tree, clip, character, channels, times)
    keys = _sparse(clip, character, tracks)
    if not same:
        tracks.update(_resampled(file, old, channels, times))
        channels = []
    start = float(character.times[0]) if same else 0.0
    return _Rewriting(file, path).write(clip, (tracks, keys), old, channels, number, start, title)


def _replaced(file: GltfFile, character: GltfCharacter, title: str) -> int | None:
    """The animation that the motion replaces: the one that it came from, or for a guest one with its name."""
    if not character.is_guest:
        return character.animation
    names = [animation.get("name") for animation in file.listed("animations")]
    return names.index(title) if title in names else None


def _kept_channels(
    file: GltfFile, tree: SceneTree, animation: Mapping[str, Any], joints: Sequence[int]
) -> list[dict[str, Any]]:
    """The channels of the replaced animation that stay: scales, shape keys, and nodes that carry no joint."""
    above = tree.with_ancestors(joints)
    channels = []
    for channel in file.objects(animation, "channels", "channels"):
        target = channel.get("target")
        path, node = (target.get("path"), target.get("node")) if isinstance(target, dict) else (None, None)
        if not (path in ("translation", "rotation") and node in above):
            channels.append(channel)
    return channels


def _times_in_file(clip: Clip, character: GltfCharacter, channels: Sequence[Any]) -> Floats:
    """When each frame was in the file; a clip of another length is spread over the same time."""
    if len(clip) == len(character.times):
        return character.times
    if channels:
        message = "Shape keys, scales and other nodes are stretched to the new length of the motion."
        report_finding(Finding("stretched-channels", message), warn=True)
    share = np.linspace(0.0, 1.0, len(clip))
    return np.interp(share, np.linspace(0.0, 1.0, len(character.times)), character.times)


def _kept_curves(
    file: GltfFile, old: Mapping[str, Any], channels: Sequence[Mapping[str, Any]]
) -> list[AnimationChannel]:
    """The kept channels that move nodes, as curves."""
    keeping = [target for channel in channels if isinstance(target := channel.get("target"), dict)]
    paths = {(target.get("node"), target.get("path")) for target in keeping}
    return [curve for curve in read_channels(file, old)[0] if (curve.node, curve.path) in paths]


def _resampled(
    file: GltfFile, old: Mapping[str, Any], channels: Sequence[Mapping[str, Any]], times: Floats
) -> dict[tuple[int, str], Floats]:
    """The kept channels at every frame of the clip."""
    curves = _kept_curves(file, old, channels)
    samplers = file.objects(old, "samplers", "samplers")
    for channel in channels:
        target = channel.get("target")
        if isinstance(target, dict) and target.get("path") == "weights" and target.get("node") is not None:
            sampler = samplers[file.index(channel, "sampler", len(samplers), "channel")]
            curves.append(read_weights(file, target["node"], sampler, "channel of shape keys"))
    order = {"rotation": [1, 2, 3, 0]}
    return {(curve.node, curve.path): sample(curve, times)[:, order.get(curve.path, slice(None))] for curve in curves}


def _tracks(
    file: GltfFile,
    tree: SceneTree,
    clip: Clip,
    character: GltfCharacter,
    channels: Sequence[Mapping[str, Any]],
    times: Floats,
) -> dict[tuple[int, str], Floats]:
    """(node, path) -> values (frames, n) that bring the joints where the clip has them, in the units of the file."""
    source, roots = clip.source, list(clip.skeleton.roots)
    positions = local_translations(clip) / source.metres_per_unit
    rotations = np.array(clip.rotations)
    positions[:, roots] = turn_vectors_from_y(positions[:, roots], source.up)
    rotations[:, roots] = rot.multiply(rot.inverse(world_rotation(source.up)), rotations[:, roots])
    moving = {}
    if channels and character.animation is not None:
        old = file.listed("animations")[character.animation]
        moving = sample_transforms(_kept_curves(file, old, channels), tree.rest, times)
    tracks: dict[tuple[int, str], Floats] = {}
    for node, (translation, rotation) in place_joints(tree, character.joints, positions, rotations, moving).items():
        rest = tree.rest[node]
        is_root = node == character.joints[0]
        if is_root or rot.angle_between(rotation, rest.rotation).max() > 1e-7:
            tracks[node, "rotation"] = rot.continuous(rot.normalize(rotation))[:, [1, 2, 3, 0]]
        if is_root or np.abs(translation - rest.translation).max() > 1e-6 * (1.0 + np.abs(rest.translation).max()):
            tracks[node, "translation"] = translation
    return tracks


def _sparse(
    clip: Clip, character: GltfCharacter, tracks: Mapping[tuple[int, str], Floats]
) -> dict[tuple[int, str], CubicTrack]:
    """The tracks of nodes at the frames where the joints of the clip need keys.

    A node differs from its joint by constant rotations and stretches, which do not change what a cubic curve is.
    """
    chosen = choose_tracks(clip, joint_tracks(clip), played_track) or {}
    nodes = {(character.joints[joint], kind): track.frames for (joint, kind), track in chosen.items()}
    return {target: fit_keys_to(tracks[target], frames) for target, frames in nodes.items() if target in tracks}


class _Rewriting:
    """One file under change: its JSON, and where new bytes go."""

    def __init__(self, file: GltfFile, path: Path) -> None:
        self.file, self.path = file, path
        self.text = JsonText(file.text)
        self.to_glb = path.suffix.lower() != ".gltf"

    def write(
        self,
        clip: Clip,
        motion: tuple[Mapping[tuple[int, str], Floats], Mapping[tuple[int, str], CubicTrack]],
        old: Mapping[str, Any],
        channels: Sequence[dict[str, Any]],
        number: int | None,
        start: float,
        title: str,
    ) -> Mapping[Path, bytes]:
        keep_accessors, keep_views, keep_buffers, keep_bytes = self._before_ours(old)
        blob, buffer, buffers = self._place(keep_buffers, keep_bytes)
        block = Block(buffer, len(blob), keep_views, keep_accessors)
        samplers = self.file.objects(old, "samplers", "samplers")
        tracks, keys = motion
        animation = animation_record(block, tracks, clip.times + start, keys)
        for channel in channels:
            animation["channels"].append({**channel, "sampler": len(animation["samplers"])})
            animation["samplers"].append(samplers[self.file.index(channel, "sampler", len(samplers), "channel")])
        more = {key: value for key, value in old.items() if key not in ("channels", "samplers", "extras")}
        mark = {
            "accessors": [keep_accessors, keep_accessors + len(block.accessors)],
            "bufferViews": [keep_views, keep_views + len(block.views)],
            "bytes": [len(blob), len(blob) + block.size],
            "buffers": [len(buffers), buffer],
        }
        extras = old.get("extras")
        extras = {**(extras if isinstance(extras, dict) else {}), "kinetune": {**clip_notes(clip), _MARK: mark}}
        animation = {"name": title, **more, **animation, "extras": extras}
        if number is None:
            self.text.insert_first("animations", animation)
        else:
            self.text.replace(["animations", number], animation)
        for node in {node for node, _ in tracks}:
            self._without_matrix(node)
        self.text.end_list("accessors", keep_accessors, block.accessors)
        self.text.end_list("bufferViews", keep_views, block.views)
        return self._files(blob, block, buffer, buffers, keep_buffers)

    def _before_ours(self, old: Mapping[str, Any]) -> tuple[int, int, int, int | None]:
        """How many accessors, views and buffers, and how many bytes of the last buffer, are not from an earlier run."""
        accessors, views = len(self.file.listed("accessors")), len(self.file.listed("bufferViews"))
        buffers = len(self.file.listed("buffers"))
        extras = old.get("extras")
        notes = extras.get("kinetune") if isinstance(extras, dict) else None
        match notes.get(_MARK) if isinstance(notes, dict) else None:
            case {
                "accessors": [int(a0), int(a1)],
                "bufferViews": [int(v0), int(v1)],
                "bytes": [int(b0), int(b1)],
                "buffers": [int(_), int(buffer)],
            } if (a1, v1) == (accessors, views) and 0 <= a0 <= a1 and 0 <= v0 <= v1 and 0 <= b0 <= b1:
                at_end = 0 <= buffer < buffers and self.file.listed("buffers")[buffer].get("byteLength") == b1
                if at_end and (b0 > 0 or buffer == buffers - 1):
                    return a0, v0, buffers - (b0 == 0), b0
        return accessors, views, buffers, None

    def _place(self, keep_buffers: int, keep_bytes: int | None) -> tuple[bytes, int, list[dict[str, Any]]]:
        """The bytes that new ones follow, the number of their buffer, and the buffers of the file that stay."""
        buffers = self.file.listed("buffers")[:keep_buffers]
        in_block = self.to_glb and (not buffers or self._can_be_block(buffers[0]))
        if not in_block:
            return b"", len(buffers), buffers
        blob = self.file.buffer(0)[: buffers[0]["byteLength"]] if buffers else b""
        if keep_bytes:
            blob = blob[:keep_bytes]
        return blob + bytes(-len(blob) % 4), 0, buffers

    def _can_be_block(self, buffer: Mapping[str, Any]) -> bool:
        return buffer.get("uri") is None or self.file.blob is None

    def _files(
        self, blob: bytes, block: Block, buffer: int, buffers: list[dict[str, Any]], keep: int
    ) -> Mapping[Path, bytes]:
        data = blob + b"".join(block.parts)
        here = self.path.parent
        files: dict[Path, bytes] = {}
        for uri, content in (self.file.beside or {}).items():
            target = contained_path(unquote(uri), here)
            if target is None:
                continue
            if target.exists() and read_input(target) != content:
                raise FileError(target, f"a different file of this name is here, which {self.path.name} would need.")
            if not target.exists():
                files[target] = content
        if self.to_glb and buffer == 0:
            self.text.end_list(
                "buffers", max(keep, 1) if buffers else 0, [] if buffers else [{"byteLength": len(data)}]
            )
            if buffers:
                first = {key: value for key, value in buffers[0].items() if key != "uri"}
                self.text.replace(["buffers", 0], {**first, "byteLength": len(data)})
                files.pop(Path(os.path.realpath(here / unquote(str(buffers[0].get("uri"))))), None)
            return {**files, self.path: glb_bytes(self.text.result(), data)}
        encoded = base64.b64encode(data).decode()
        embedded = {"byteLength": len(data), "uri": f"data:application/octet-stream;base64,{encoded}"}
        self.text.end_list("buffers", keep, [embedded])
        if self.to_glb:
            return {**files, self.path: glb_bytes(self.text.result(), self.file.blob)}
        if self.file.blob is not None and buffers and buffers[0].get("uri") is None:
            block_text = base64.b64encode(self.file.blob[: buffers[0]["byteLength"]]).decode()
            uri = f"data:application/octet-stream;base64,{block_text}"
            self.text.replace(["buffers", 0], {**buffers[0], "uri": uri})
        return {**files, self.path: self.text.result().encode()}

    def _without_matrix(self, node: int) -> None:
        """An animated node must not have a matrix: it gets the translation, rotation and scale of it."""
        described = self.file.listed("nodes")[node]
        if "matrix" not in described:
            return
        rest = read_tree(self.file).rest[node]
        parts = {
            "translation": rest.translation[0].tolist(),
            "rotation": rest.rotation[0, [1, 2, 3, 0]].tolist(),
            "scale": rest.scale[0].tolist(),
        }
        others = {key: value for key, value in described.items() if key != "matrix"}
        self.text.replace(["nodes", node], {**others, **parts})
