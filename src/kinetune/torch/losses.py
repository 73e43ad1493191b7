"""Measures of motion as losses: differentiable, for each clip of a batch.

=================  =================================================================================
jerk_loss          the third derivative of joint positions, in m/s^3
penetration_loss   how deep the lowest point goes below the floor, in metres
slide_loss         how fast standing feet move along the floor, in m/s
soft_contacts      how surely each foot stands, from its height and speed, between 0 and 1
=================  =================================================================================

Soles come from a clip of the character (:class:`TensorSoles`), found as ``kt.measure`` finds them. ``jerk_loss`` and
``penetration_loss`` are its ``jerk`` and ``penetration_mean_mm`` (``tests/torch/test_losses.py``); a slide is given as
the speed of the slowest point of the sole, because the extent of a path says nothing about which frames to mend.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from kinetune.body.clip import Clip
from kinetune.body.feet.floor import find_ground
from kinetune.body.feet.soles import SPEED_WINDOW_S
from kinetune.errors import ParameterError
from kinetune.torch.motion_batch import MotionBatch
from kinetune.torch.numerics import quaternions as quat
from torch import Tensor

_HEIGHT = 0.035  # of the leg: how far above the floor a standing sole point may be
_SPEED = 0.35  # leg lengths a second: how fast it may be


@dataclass(frozen=True, eq=False)
class TensorSoles:
    """Sole points of a character and its floor.

    joints : (feet, points) the joint that carries each point. offsets : (feet, points, 3) in its frame, in metres.
    floor_m : height of the floor. leg_m : length of a leg. sides : the name of each foot.
    """

    joints: Tensor
    offsets: Tensor
    floor_m: float
    leg_m: float
    sides: tuple[str, ...]

    @classmethod
    def of(cls, clip: Clip, *, floor_m: float | None = None) -> TensorSoles:
        """The soles of a clip's character and the floor it stands on, or a floor of your own."""
        ground = find_ground(clip, floor_m)
        if ground is None:
            raise ParameterError('The skeleton has no joint in the role "left foot" or "right foot": it has no soles.')
        count = max(len(foot.points) for foot in ground.feet)
        points = [[*foot.points, *[foot.points[-1]] * (count - len(foot.points))] for foot in ground.feet]
        return cls(
            torch.tensor([[point.joint for point in foot] for foot in points]),
            torch.tensor([[point.offset for point in foot] for foot in points], dtype=torch.float64),
            ground.floor.height,
            ground.leg,
            tuple(foot.side for foot in ground.feet),
        )

    def positions(self, motion: MotionBatch) -> Tensor:
        """World positions of all sole points, (batch, frames, feet, points, 3)."""
        places, turned = motion.world()
        joints = self.joints.to(places.device)
        return places[:, :, joints] + quat.rotate(turned[:, :, joints], self.offsets.to(places))


def jerk_loss(motion: MotionBatch) -> Tensor:
    """The mean size of the third derivative of joint positions of each clip, (batch,), in m/s^3."""
    step = min(max(1, round(SPEED_WINDOW_S * motion.fps)), (int(motion.frame_counts.min()) - 1) // 3)
    if step == 0:
        raise ParameterError("Jerk needs at least four frames.")
    x = motion.positions()
    third = x[:, 3 * step :] - x[:, : -3 * step] - 3.0 * (x[:, 2 * step : -step] - x[:, step : -2 * step])
    size = _length(third).mean(-1)
    inside = motion.mask[:, 3 * step :].to(size.dtype)
    return (size * inside).sum(1) / inside.sum(1) * (motion.fps / step) ** 3


def penetration_loss(motion: MotionBatch, soles: TensorSoles) -> Tensor:
    """How deep the lowest joint or sole point of each clip is below the floor, averaged over its frames, in metres."""
    heights = torch.cat([motion.positions()[..., 1], soles.positions(motion)[..., 1].flatten(2)], dim=2) - soles.floor_m
    depth = (-heights.amin(2)).clamp_min(0.0)
    inside = motion.mask.to(depth.dtype)
    return (depth * inside).sum(1) / inside.sum(1)


def soft_contacts(motion: MotionBatch, soles: TensorSoles) -> Tensor:
    """How surely each foot stands, (batch, frames, feet) between 0 and 1, smooth in height and speed.

    A loss for training, not a detector: contacts that an edit is to keep come from ``kt.find_contacts``.
    """
    points = soles.positions(motion)
    height = (points[..., 1] - soles.floor_m).amin(-1) / (_HEIGHT * soles.leg_m)
    speed = _point_speeds(points, motion).amin(-1) / (_SPEED * soles.leg_m)
    return torch.sigmoid(4.0 * (1.0 - height)) * torch.sigmoid(4.0 * (1.0 - speed))


def slide_loss(motion: MotionBatch, soles: TensorSoles, contacts: Tensor | None = None) -> Tensor:
    """How fast standing feet move along the floor, the mean over contact frames of each clip, (batch,), in m/s.

    Parameters
    ----------
    motion : MotionBatch
    soles : TensorSoles
    contacts : Tensor, shape (batch, frames, feet), optional
        How surely each foot stands; :func:`soft_contacts`, held constant, if omitted.
    """
    weight = soft_contacts(motion, soles).detach() if contacts is None else contacts.to(motion.root)
    shape = (*motion.root.shape[:2], len(soles.sides))
    if weight.shape != shape:
        raise ParameterError(f"contacts are (batch, frames, feet), here {shape}; got {tuple(weight.shape)}.")
    points = soles.positions(motion)
    speed = _length(points.diff(dim=1)[..., [0, 2]]).amin(-1) * motion.fps
    both = weight[:, 1:] * weight[:, :-1] * motion.mask[:, 1:, None].to(weight.dtype)
    return (speed * both).sum((1, 2)) / both.sum((1, 2)).clamp_min(1e-9)


def _point_speeds(points: Tensor, motion: MotionBatch) -> Tensor:
    """Speeds of points, (batch, frames, feet, points), before or after each frame, whichever is slower."""
    step = min(max(1, round(SPEED_WINDOW_S * motion.fps)), points.shape[1] - 1)
    if step == 0:
        return torch.zeros_like(points[..., 0])
    speed = _length(points[:, step:] - points[:, :-step]) * (motion.fps / step)
    far = torch.full_like(speed[:, :1], torch.inf).expand(-1, step, *speed.shape[2:])
    return torch.minimum(torch.cat([speed, far], 1), torch.cat([far, speed], 1))


def _length(vectors: Tensor) -> Tensor:
    """Lengths whose derivative at 0 is 0 instead of not a number."""
    square = (vectors * vectors).sum(-1)
    still = square == 0
    return torch.where(still, torch.zeros_like(square), torch.where(still, torch.ones_like(square), square).sqrt())
