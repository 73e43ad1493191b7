"""Edits of batches of motions, with the numbers of the operations of the same names.

==========  ===========================================================================================
equalize    frequency bands turned up or down
smooth      jitter removed, without delay
shape       joint angles bent through a curve
blend       two batches mixed, frame by frame
mirror      left and right exchanged
retime      faster or slower
==========  ===========================================================================================

Feet are not planted here, and outlier frames are not set aside: the counterparts are ``kt.Equalize(keep_feet=False,
limit_knees=False)`` and so on, on clips without a leading T-pose (``tests/torch/test_edits.py``). What holds feet in a
training loop is a loss (:mod:`kinetune.torch.losses`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

import torch
from kinetune.body.clip import Clip
from kinetune.body.root_motion import TRAVEL_HZ
from kinetune.body.skeleton import Skeleton
from kinetune.body.timeline.mirroring import mirror_table
from kinetune.errors import ParameterError
from kinetune.signals.bands.band_presets import gains_at, preset_gains
from kinetune.signals.shaping.shaping_curve import ShapingCurve
from kinetune.torch.motion_batch import MotionBatch
from kinetune.torch.numerics import quaternions as quat
from kinetune.torch.numerics.band_filter import count_bands
from kinetune.torch.numerics.band_filter import equalize as equalize_signal
from kinetune.torch.numerics.rotation_charts import TensorCurves, to_curves, to_rotations, unwrap
from kinetune.torch.numerics.tcb_curves import ShapeTable
from kinetune.torch.numerics.tensor_checks import check_one_device, one_for_each
from kinetune.torch.numerics.time_filters import butterworth, sample_at
from torch import Tensor

Joints = str | Sequence[str] | None
RootChannels = Literal["none", "height", "all"]
_END_S = 0.1


def equalize(
    motion: MotionBatch,
    gains: Tensor | Sequence[float] | None = None,
    *,
    gains_hz: Mapping[float, float] | None = None,
    preset: str | None = None,
    joints: Joints = None,
    root: RootChannels = "height",
) -> MotionBatch:
    """Motions with their frequency bands turned up or down.

    Parameters
    ----------
    motion : MotionBatch
    gains : Tensor, shape (bands,) or (batch, bands), optional
        From band 0, the fastest, up; missing bands are 1.
    gains_hz : mapping, optional
        Gains by frequency in Hz, the same at any frame rate.
    preset : str, optional
        Gains by name, such as "exaggerate".
    joints : str or sequence of str, optional
        Which joints: names, roles or groups; None for all.
    root : {"none", "height", "all"}, optional
        What of the root's movement about its slow path is equalized.
    """
    given = [each for each in (gains, gains_hz, preset) if each is not None]
    if len(given) != 1:
        raise ParameterError("Give gains, gains_hz or a preset, one of them.")
    chosen = list(motion.skeleton.select(joints if joints is None or isinstance(joints, str) else tuple(joints)))
    if not chosen:
        return motion
    table = _gain_table(motion, gains, gains_hz, preset)
    travel = _slow_travel(motion)
    curves = _pose_curves(motion, chosen, travel)
    edited = curves.with_curves(equalize_signal(curves.curves, table, motion.lengths))
    result = motion.replace(rotations=quat.continuous(_with_rotations(motion, chosen, edited, travel)))
    if root == "none" or 0 not in chosen:
        return result
    sway = motion.root - travel[..., :3]
    change = equalize_signal(sway, table, motion.lengths) - sway
    if root == "height":
        change = change * torch.tensor([0.0, 1.0, 0.0]).to(change)
    return result.replace(root=motion.root + change)


def _gain_table(
    motion: MotionBatch,
    gains: Tensor | Sequence[float] | None,
    gains_hz: Mapping[float, float] | None,
    preset: str | None,
) -> Tensor:
    if gains is not None:
        return torch.as_tensor(gains, dtype=motion.root.dtype, device=motion.root.device)
    count = count_bands(motion.root.shape[1])
    values = preset_gains(preset, count, motion.fps) if preset else gains_at(dict(gains_hz or {}), count, motion.fps)
    return torch.as_tensor(np.asarray(values), dtype=motion.root.dtype, device=motion.root.device)


def smooth(
    motion: MotionBatch, cutoff_hz: float = 6.0, *, joints: Joints = None, path: bool = True, amount: float = 1.0
) -> MotionBatch:
    """Motions without their jitter, as ``kt.Smooth`` with its Butterworth filter; cycles are not recognized here."""
    chosen = list(motion.skeleton.select(joints if joints is None or isinstance(joints, str) else tuple(joints)))
    if not chosen or amount == 0.0:
        return motion

    def work(signal: Tensor) -> Tensor:
        low = butterworth(signal, motion.fps, cutoff_hz, end_s=_END_S, lengths=motion.lengths)
        return signal + amount * (low - signal)

    curves = to_curves(motion.rotations[:, :, chosen], motion.lengths)
    rotations = motion.rotations.clone()
    rotations[:, :, chosen] = to_rotations(curves.with_curves(work(curves.curves)))
    return motion.replace(rotations=rotations, root=work(motion.root) if path and 0 in chosen else motion.root)


def shape(
    motion: MotionBatch, curve: ShapingCurve | str, *, joints: Joints = None, rounding: float = 1.0, amount: float = 1.0
) -> MotionBatch:
    """Joint angles bent through a curve, each scaled to -1 to 1 by its own extremes, as ``kt.Shape`` does."""
    chosen = list(motion.skeleton.select(joints if joints is None or isinstance(joints, str) else tuple(joints)))
    if not chosen or amount == 0.0:
        return motion
    bend = ShapingCurve.make(curve) if isinstance(curve, str) else curve
    table = ShapeTable.of(bend.rounded(rounding), motion.root)
    travel = _slow_travel(motion)
    curves = _pose_curves(motion, chosen, travel)
    x = curves.curves
    outside = ~motion.mask[:, :, None, None]
    low = x.masked_fill(outside, torch.inf).amin(1, keepdim=True)
    high = x.masked_fill(outside, -torch.inf).amax(1, keepdim=True)
    half = 0.5 * (high - low)
    middle = low + half
    shaped = middle + half * table((x - middle) / torch.where(half > 0, half, torch.ones_like(half)))
    x = torch.where(half > 0, x + amount * (shaped - x), x)
    return motion.replace(rotations=quat.continuous(_with_rotations(motion, chosen, curves.with_curves(x), travel)))


def blend(first: MotionBatch, second: MotionBatch, weight: Tensor | float) -> MotionBatch:
    """Two batches mixed frame by frame: rotations along the shorter arc, paths by velocity as seen from the character.

    Parameters
    ----------
    first, second : MotionBatch
        The same skeleton, rate and lengths; time-align them first where steps do not coincide.
    weight : Tensor, shape (batch,), or float
        How much of the second: 0 none, 1 all.
    """
    check_one_device(first=first.root, second=second.root)
    if first.root.shape != second.root.shape or not torch.equal(first.frame_counts, second.frame_counts):
        raise ParameterError(
            f"Batches to blend have the same lengths; got {tuple(first.root.shape[:2])} and "
            f"{tuple(second.root.shape[:2])}. Retime or crop one of them first."
        )
    if not first.skeleton.same_joints(second.skeleton) or first.fps != second.fps:
        raise ParameterError("Batches to blend share their joints and their frame rate.")
    w = one_for_each("weight", weight, len(first), dtype=first.root.dtype, device=first.root.device)
    ways = [_way(motion) for motion in (first, second)]
    stills = [_on_the_spot(motion, way) for motion, way in zip((first, second), ways, strict=True)]
    joints = len(first.skeleton)
    identity = torch.zeros(len(first), joints, 4, dtype=first.root.dtype, device=first.root.device)
    identity[..., 0] = 1.0
    between = to_curves(
        quat.multiply(quat.inverse(stills[0].rotations), stills[1].rotations), first.lengths, center=identity
    ).curves
    rotations = quat.normalize(quat.multiply(stills[0].rotations, quat.exp(w[:, None, None, None] * between)))
    place = stills[0].root + w[:, None, None] * (stills[1].root - stills[0].root)
    headings, positions = _blend_ways(ways, w)
    turn = quat.about_y(headings)
    rotations = torch.cat([quat.multiply(turn, rotations[:, :, 0])[:, :, None], rotations[:, :, 1:]], dim=2)
    root = quat.rotate(turn, place) + _on_floor(positions)
    return first.replace(root=root, rotations=quat.continuous(rotations))


def mirror(motion: MotionBatch) -> MotionBatch:
    """Motions in the mirror at x = 0: left and right are exchanged, as ``kinetune.body.timeline.mirroring.mirror``."""
    pairs, frames, above, alone = mirror_table(_one_clip(motion))
    like = motion.rotations
    turned, over = (torch.as_tensor(np.array(each), dtype=like.dtype, device=like.device) for each in (frames, above))
    order = torch.as_tensor(np.array(pairs), device=like.device)
    rotations = quat.multiply(quat.inverse(over), quat.multiply(like[:, :, order], turned))
    left_alone = torch.as_tensor(np.array(alone), device=like.device)[:, None]
    rotations = torch.where(left_alone, like, rotations)
    return motion.replace(root=motion.root * torch.tensor([-1.0, 1.0, 1.0]).to(motion.root), rotations=rotations)


def retime(motion: MotionBatch, speed: Tensor | float) -> MotionBatch:
    """Motions played faster or slower; clips then have lengths of their own.

    Parameters
    ----------
    motion : MotionBatch
    speed : Tensor, shape (batch,), or float
        How many times as fast each is played.
    """
    paces = one_for_each("speed", speed, len(motion), dtype=torch.float64, device="cpu")
    if not bool(((paces >= 0.01) & (paces <= 100.0)).all()):
        raise ParameterError("speed lies between 0.01 and 100.")
    durations = (motion.frame_counts.double() - 1.0) / motion.fps
    lengths = (torch.round(durations / paces * motion.fps).long() + 1).clamp_min(2)
    lengths = torch.where(motion.frame_counts == 1, 1, lengths)
    most = int(lengths.max())
    steps = torch.arange(most, dtype=torch.float64)
    curves = to_curves(motion.rotations, motion.lengths)
    roots, turned = [], []
    for row, (length, seconds) in enumerate(zip(lengths.tolist(), durations.tolist(), strict=True)):
        times = (steps[:length] * (seconds / max(length - 1, 1)))[None].to(motion.root.device)
        count = motion.frame_counts[row : row + 1]
        roots.append(_lengthened(sample_at(motion.root[row : row + 1], motion.fps, times, count), most))
        turned.append(_lengthened(sample_at(curves.curves[row : row + 1], motion.fps, times, count), most))
    rotations = to_rotations(curves.with_curves(torch.cat(turned)))
    return MotionBatch(motion.skeleton, motion.fps, torch.cat(roots), rotations, lengths)


def _lengthened(x: Tensor, frames: int) -> Tensor:
    return torch.cat([x, x[:, -1:].expand(-1, frames - x.shape[1], *x.shape[2:])], dim=1)


# --- poses as curves, the slow path taken out


def _slow_travel(motion: MotionBatch) -> Tensor:
    """The slow part of path and heading, (batch, frames, 4): x, y, z in metres and the heading in radians."""
    path = torch.cat([motion.root, _facing(motion)[..., None]], dim=-1)
    return butterworth(path, motion.fps, TRAVEL_HZ, lengths=motion.lengths)


def _facing(motion: MotionBatch) -> Tensor:
    """Which way each character faces, (batch, frames) radians, unrolled."""
    across = _across(motion.skeleton)
    if across is not None:
        left, right = across
        positions = motion.positions()
        line = positions[:, :, left] - positions[:, :, right]
        angles = torch.atan2(-line[..., 2], line[..., 0])
    else:
        turned = motion.rotations[:, :, 0]
        twice = 2.0 * torch.atan2(turned[..., 2], turned[..., 0])
        angles = torch.atan2(torch.sin(twice), torch.cos(twice))
    return unwrap(angles, dim=1)


def _across(skeleton: Skeleton) -> tuple[int, int] | None:
    for part in ("upper leg", "foot", "upper arm"):
        left, right = (skeleton.roles.get(f"{side} {part}") for side in ("left", "right"))
        if left is not None and right is not None:
            return left, right
    return None


def _pose_curves(motion: MotionBatch, joints: list[int], travel: Tensor) -> TensorCurves:
    local = motion.rotations[:, :, joints]
    if 0 in joints:
        column = joints.index(0)
        level = quat.multiply(quat.about_y(-travel[..., 3]), motion.rotations[:, :, 0])
        local = torch.cat([local[:, :, :column], level[:, :, None], local[:, :, column + 1 :]], dim=2)
    return to_curves(local, motion.lengths)


def _with_rotations(motion: MotionBatch, joints: list[int], curves: TensorCurves, travel: Tensor) -> Tensor:
    turned = to_rotations(curves)
    if 0 in joints:
        column = joints.index(0)
        back = quat.multiply(quat.about_y(travel[..., 3]), turned[:, :, column])
        turned = torch.cat([turned[:, :, :column], back[:, :, None], turned[:, :, column + 1 :]], dim=2)
    at = torch.tensor(joints, device=turned.device)
    return motion.rotations.index_copy(2, at, quat.normalize(turned))


# --- paths


def _way(motion: MotionBatch) -> tuple[Tensor, Tensor]:
    """Headings (batch, frames) and places of the hips on the floor (batch, frames, 2)."""
    hips = motion.skeleton.roles.get("hips", 0)
    return _facing(motion), motion.positions()[:, :, hips][..., [0, 2]]


def _on_the_spot(motion: MotionBatch, way: tuple[Tensor, Tensor]) -> MotionBatch:
    turn = quat.about_y(-way[0])
    first = quat.multiply(turn, motion.rotations[:, :, 0])[:, :, None]
    root = quat.rotate(turn, motion.root - _on_floor(way[1]))
    return motion.replace(root=root, rotations=torch.cat([first, motion.rotations[:, :, 1:]], dim=2))


def _on_floor(places: Tensor) -> Tensor:
    return torch.stack([places[..., 0], torch.zeros_like(places[..., 0]), places[..., 1]], dim=-1)


def _blend_ways(ways: Sequence[tuple[Tensor, Tensor]], weight: Tensor) -> tuple[Tensor, Tensor]:
    """The path that follows from the mean of both velocities, as seen from the character."""
    shares = (1.0 - weight, weight)
    turns = torch.stack([share[:, None] * way[0].diff(dim=1) for share, way in zip(shares, ways, strict=True)]).sum(0)
    start = ways[0][0][:, :1]
    headings = torch.cat([start, start + turns.cumsum(1)], dim=1)
    seen = [
        share[:, None, None]
        * quat.rotate(quat.about_y(-0.5 * (way[0][:, 1:] + way[0][:, :-1])), _on_floor(way[1].diff(dim=1)))
        for share, way in zip(shares, ways, strict=True)
    ]
    ahead = torch.stack(seen).sum(0)
    steps = quat.rotate(quat.about_y(0.5 * (headings[:, 1:] + headings[:, :-1])), ahead)[..., [0, 2]]
    begin = ways[0][1][:, :1]
    return headings, torch.cat([begin, begin + steps.cumsum(1)], dim=1)


def _one_clip(motion: MotionBatch) -> Clip:
    """All motions one after the other: how a rig's sides correspond is read from poses."""
    part = motion.replace(
        root=motion.root.detach(), rotations=motion.rotations.detach(), lengths=motion.lengths
    ).clips()
    return Clip(
        motion.skeleton,
        motion.fps,
        np.concatenate([clip.root for clip in part]),
        np.concatenate([clip.rotations for clip in part]),
    )
