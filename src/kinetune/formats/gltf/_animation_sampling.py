"""Animations of a glTF file, sampled at a fixed rate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetune import rotations as rot
from kinetune.errors import UnknownNameError
from kinetune.findings import Finding, guessed
from kinetune.formats.gltf.container import GltfFile
from kinetune.formats.scene_nodes import NodeTransform, first_busy_motion
from kinetune.formats.text.number_text import usable
from kinetune.rotations import Floats

USUAL_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 144.0, 200.0, 240.0)
PLAIN_RATE = 30.0
_ON_KEY = 0.02  # of a frame: a key this close to a frame is on it
_APART_S = (0.11, 1.0 / 23.0)  # seconds: straight and curved keys that are farther apart are not the frames
_STILL = 1e-6  # keys that differ less are one value with rounding
_WIDTHS = {"translation": 3, "rotation": 4, "scale": 3}


@dataclass(frozen=True)
class AnimationChannel:
    """One animated property of one node: keys (keys,), values (keys, n) and, for splines, in- and out-tangents."""

    node: int
    path: str
    interpolation: str
    times: Floats
    values: Floats
    tangents: tuple[Floats, Floats] | None = None


def choose_animation(
    file: GltfFile, asked: str | int | None, joints: Sequence[int]
) -> tuple[int | None, list[Finding]]:
    """The number of the animation asked for, or of the first that moves the character; None when there is none at all.

    joints : the nodes that are joints in any case; without them every node counts
    """
    animations = file.listed("animations")
    names = [str(a.get("name") or f"animation_{n}") for n, a in enumerate(animations)]
    if not animations:
        if asked is not None:
            raise UnknownNameError("animation", str(asked), [], advice="The file has none.")
        return None, []
    if asked is None:
        if len(animations) == 1:
            return 0, []
        listing = ", ".join(f'"{name}"' for name in names[:12]) + (" ..." if len(names) > 12 else "")
        nodes = set(joints) or set(range(len(file.listed("nodes"))))
        number = first_busy_motion((_moved_nodes(file, animation) for animation in animations), nodes)
        which = "the first" if number is None else "the first that moves the character"
        number = number or 0
        message = f'The file has {len(animations)} animations ({listing}); "{names[number]}" is read, {which}.'
        return number, [guessed("animation", message, tuple(names))]
    if str(asked) in names:
        return names.index(str(asked)), []
    if str(asked).isdecimal() and int(asked) < len(animations):
        return int(asked), []
    advice = f"The file has {', '.join(names[:12])}; a number from 0 to {len(names) - 1} works too."
    raise UnknownNameError("animation", str(asked), names, advice=advice)


def _moved_nodes(file: GltfFile, animation: Mapping[str, Any]) -> set[int]:
    """The nodes that an animation moves: those with a channel whose keys differ."""
    channels, _, _ = read_channels(file, animation)
    return {channel.node for channel in channels if np.ptp(channel.values, axis=0).max(initial=0.0) > _STILL}


def read_channels(
    file: GltfFile, animation: Mapping[str, Any]
) -> tuple[list[AnimationChannel], dict[int, Floats], list[Finding]]:
    """The channels that move nodes, and of each node whose shape keys are animated the times of those keys."""
    samplers = file.objects(animation, "samplers", "samplers")
    channels: dict[tuple[int, str], AnimationChannel] = {}
    shaped: dict[int, Floats] = {}
    findings: dict[str, Finding] = {}
    for number, channel in enumerate(file.objects(animation, "channels", "channels")):
        where = f"animation channel {number}"
        target = channel.get("target")
        target = target if isinstance(target, dict) else {}
        path = target.get("path")
        if not isinstance(path, str) or path not in _WIDTHS or target.get("node") is None:
            if path == "weights" and target.get("node") is not None:
                node = file.index(target, "node", len(file.listed("nodes")), where)
                sampler = samplers[file.index(channel, "sampler", len(samplers), where)]
                shaped[node] = _key_times(file, sampler, where)
                message = "Shape keys (morph weights) are animated; they stay as they are in the file."
                findings["weights"] = Finding("morph-weights", message, severity="info")
            continue
        node = file.index(target, "node", len(file.listed("nodes")), where)
        sampler = samplers[file.index(channel, "sampler", len(samplers), where)]
        read, repaired = _read_sampler(file, node, path, sampler, where)
        if repaired:
            findings["keys"] = Finding(
                "repaired-keys", "Some keys were out of order or doubled; they have been sorted."
            )
        channels[node, path] = read
    return list(channels.values()), shaped, list(findings.values())


def read_weights(file: GltfFile, node: int, sampler: Mapping[str, Any], where: str) -> AnimationChannel:
    """The channel of a node's shape keys: values (keys, shapes)."""
    times = file.accessor(file.index(sampler, "input", len(file.listed("accessors")), where))[:, 0]
    values = file.accessor(file.index(sampler, "output", len(file.listed("accessors")), where))[:, 0]
    interpolation = str(sampler.get("interpolation", "LINEAR"))
    parts = 3 if interpolation == "CUBICSPLINE" else 1
    if len(values) == 0 or len(values) % (parts * len(times)):
        raise file.fail(f"{where}: {len(times)} keys do not go into {len(values)} weights of shape keys.")
    keys = values.reshape(len(times), parts, -1)
    tangents = (keys[:, 0], keys[:, 2]) if parts == 3 else None
    return AnimationChannel(node, "weights", interpolation, times, keys[:, parts // 2], tangents)


def _key_times(file: GltfFile, sampler: Mapping[str, Any], where: str) -> Floats:
    times = file.accessor(file.index(sampler, "input", len(file.listed("accessors")), where))[:, 0]
    if not usable(times).all():
        raise file.fail(f"{where} has a time that is not a number or is far too large.")
    return np.unique(times)


def _read_sampler(
    file: GltfFile, node: int, path: str, sampler: Mapping[str, Any], where: str
) -> tuple[AnimationChannel, bool]:
    accessors = len(file.listed("accessors"))
    times = file.accessor(file.index(sampler, "input", accessors, where))[:, 0]
    values = file.accessor(file.index(sampler, "output", accessors, where))
    interpolation = sampler.get("interpolation", "LINEAR")
    if interpolation not in ("LINEAR", "STEP", "CUBICSPLINE"):
        raise file.fail(f"{where}: there is no interpolation {interpolation!r:.60}.")
    parts = 3 if interpolation == "CUBICSPLINE" else 1
    if values.shape != (len(times) * parts, _WIDTHS[path]):
        raise file.fail(
            f"{where}: {len(times)} keys of {path} take {len(times) * parts} x {_WIDTHS[path]} values, not "
            f"{values.shape[0]} x {values.shape[1]}."
        )
    if not (usable(times).all() and usable(values).all()):
        raise file.fail(f"{where} has a value that is not a number or is far too large.")
    if path == "rotation":
        values = values[:, [3, 0, 1, 2]]
    keys = values.reshape(len(times), parts, -1)
    repaired = bool(np.any(np.diff(times) <= 0))
    if repaired:
        times, first = np.unique(times, return_index=True)
        keys = keys[first]
    if parts == 1:
        plain = keys[:, 0]
        return AnimationChannel(
            node, path, interpolation, times, rot.normalize(plain) if path == "rotation" else plain
        ), repaired
    return AnimationChannel(node, path, interpolation, times, keys[:, 1], (keys[:, 0], keys[:, 2])), repaired


def guess_rate(times: Iterable[Floats], *, curved: bool = False) -> tuple[float, Finding]:
    """Frames per second from where the keys are.

    Evenly spaced keys are the frames, unless curves run between keys that are rarer than the frames of any film. Others
    lie on the frames of the lowest usual rate at which each has one.
    """
    keys = np.unique(np.concatenate(list(times)))
    keys = keys[np.concatenate([[True], np.diff(keys) > 2e-4])]  # float32 times of one key differ from node to node
    steps = np.diff(keys)
    if len(keys) > 2 and steps.max() < _ON_KEY * steps.min() + steps.min() and steps.max() < _APART_S[curved]:
        rate = (len(keys) - 1) / float(keys[-1] - keys[0])
        rounded = float(np.round(rate))
        numbers = np.arange(len(keys))
        for exact in (rounded, rounded / 1.001):  # of films, and of their counterparts on television
            if np.abs((keys - keys[0]) * exact - numbers).max() < _ON_KEY:
                rate = exact
                break
        message = f"The file states no frame rate; its keys are evenly spaced, {rate:.5g} a second."
        return rate, guessed("fps", message)
    if len(keys) > 1:
        for rate in USUAL_RATES:
            off = (keys - keys[0]) * rate
            if np.abs(off - np.round(off)).max() <= _ON_KEY and steps.min() * rate > 0.5:
                message = f"The file states no frame rate; all its keys lie on frames at {rate:g} a second."
                return rate, guessed("fps", message)
    message = f"The file states no frame rate and its keys show none; it is sampled {PLAIN_RATE:g} times a second."
    return PLAIN_RATE, guessed("fps", message)


def frame_times(times: Sequence[Floats], fps: float) -> tuple[float, int]:
    """When the first frame is, and how many there are from the first key to the last."""
    start = min(float(t[0]) for t in times)
    end = max(float(t[-1]) for t in times)
    return start, max(1, int(np.ceil((end - start) * fps - _ON_KEY)) + 1)


def sample(channel: AnimationChannel, at: Floats) -> Floats:
    """The values (frames, n) of a channel at times (frames,); held before the first key and after the last."""
    times, values = channel.times, channel.values
    if len(times) == 1:
        return np.broadcast_to(values[0], (len(at), values.shape[1]))
    before = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    span = times[before + 1] - times[before]
    u = np.clip((at - times[before]) / span, 0.0, 1.0)
    # float32 key times are a little off the frames that they mean
    u = np.where(u < 1e-3, 0.0, np.where(u > 1 - 1e-3, 1.0, u))[:, None]
    start, end = values[before], values[before + 1]
    if channel.interpolation == "STEP":
        return np.where(u < 1.0, start, end)
    if channel.tangents is not None:
        into, out = channel.tangents
        span = span[:, None]
        mixed = (
            (2 * u**3 - 3 * u**2 + 1) * start
            + span * (u**3 - 2 * u**2 + u) * out[before]
            + (3 * u**2 - 2 * u**3) * end
            + span * (u**3 - u**2) * into[before + 1]
        )
        return rot.normalize(mixed) if channel.path == "rotation" else mixed
    if channel.path == "rotation":
        between = rot.slerp(start, end, u[:, 0])
        return np.where(u == 0.0, start, np.where(u == 1.0, end, between))
    return start + u * (end - start)


def sample_transforms(
    channels: Iterable[AnimationChannel], rest: Sequence[NodeTransform], at: Floats
) -> dict[int, NodeTransform]:
    """The animated nodes at times (frames,), each with its rest where a property is not animated."""
    sampled: dict[int, dict[str, Floats]] = {}
    for channel in channels:
        sampled.setdefault(channel.node, {})[channel.path] = sample(channel, at)
    return {
        node: NodeTransform(
            *(paths.get(path, getattr(rest[node], path)) for path in ("translation", "rotation", "scale"))
        )
        for node, paths in sampled.items()
    }
