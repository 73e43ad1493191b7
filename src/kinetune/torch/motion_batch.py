"""Clips as tensors: a batch of motions of one skeleton, padded to one length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

import torch
from kinetune.errors import ParameterError
from kinetune.torch.numerics.ragged import checked_lengths, frame_mask, hold_last
from kinetune.torch.numerics.tensor_checks import check_one_device, check_tensors, usable_device
from kinetune.torch.numerics.tree_kinematics import forward, world_positions
from torch import Tensor

if TYPE_CHECKING:
    from kinetune.body.clip import Clip
    from kinetune.body.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class MotionBatch:
    """Motions of one skeleton at one frame rate, on any device: metres, Y up, seconds, radians.

    Parameters
    ----------
    skeleton : Skeleton
        The joints; all clips share them.
    fps : float
        Frames per second.
    root : Tensor, shape (batch, frames, 3)
        World positions of the first joint.
    rotations : Tensor, shape (batch, frames, joints, 4)
        Local rotations wxyz, unit length.
    lengths : Tensor, shape (batch,), or None
        Frames of each clip; None where all fill their rows. Frames beyond are padding: they repeat the last one.

    Examples
    --------
    >>> import kinetune as kt
    >>> batch = kt.torch.MotionBatch.from_clips([kt.sample("walk"), kt.sample("run")])
    >>> tuple(batch.positions().shape[2:])
    (22, 3)
    """

    skeleton: Skeleton
    fps: float
    root: Tensor
    rotations: Tensor
    lengths: Tensor | None = None

    def __post_init__(self) -> None:
        check_tensors(root=self.root, rotations=self.rotations)
        joints = len(self.skeleton)
        shape = self.rotations.shape
        if len(shape) != 4 or shape[2:] != (joints, 4) or self.root.shape != (*shape[:2], 3) or 0 in shape[:2]:
            raise ParameterError(
                f"A batch of {joints} joints takes rotations (batch, frames, {joints}, 4) and root (batch, frames, 3); "
                f"got {tuple(shape)} and {tuple(self.root.shape)}. Clips of different lengths are padded and come with "
                "their lengths: MotionBatch.from_clips does both."
            )
        check_one_device(root=self.root, rotations=self.rotations)
        if not (self.root.is_floating_point() and self.rotations.dtype == self.root.dtype):
            raise ParameterError(
                f"Root and rotations must share a float type; got {self.root.dtype} and {self.rotations.dtype}."
            )
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise ParameterError(f"fps must be a positive number, not {self.fps}.")
        known = checked_lengths(self.lengths, shape[0], shape[1])
        object.__setattr__(self, "lengths", known)
        if known is not None:
            object.__setattr__(self, "root", hold_last(self.root, known))
            object.__setattr__(self, "rotations", hold_last(self.rotations, known))

    @classmethod
    def from_clips(
        cls, clips: Sequence[Clip], *, device: torch.device | str | None = None, dtype: torch.dtype = torch.float32
    ) -> MotionBatch:
        """A batch of clips with the same joints, offsets and frame rate, padded to the longest.

        Parameters
        ----------
        clips : sequence of Clip
        device : torch.device or str, optional
            Where the tensors go, such as "cuda".
        dtype : torch.dtype, optional
            float32 or float64.
        """
        if not clips:
            raise ParameterError("A batch needs at least one clip.")
        device = usable_device(device)
        first = clips[0]
        for number, clip in enumerate(clips):
            if clip.translations is not None:
                raise ParameterError(
                    f"Clip {number} animates the positions of its joints; a batch holds rotations and the root alone. "
                    "Retarget it to a skeleton with fixed bones first."
                )
            same = clip.skeleton.same_joints(first.skeleton) and np.allclose(
                clip.skeleton.offsets[1:], first.skeleton.offsets[1:], atol=1e-6
            )
            if not same:
                raise ParameterError(
                    f"Clip {number} has another skeleton than clip 0. Retarget it first (kt.Retarget)."
                )
            if clip.fps != first.fps:
                raise ParameterError(
                    f"Clip {number} has {clip.fps:g} fps and clip 0 has {first.fps:g}. Resample it first (kt.Resample)."
                )
        frames = max(len(clip) for clip in clips)
        root = np.stack([_padded(clip.root, frames) for clip in clips])
        rotations = np.stack([_padded(clip.rotations, frames) for clip in clips])
        lengths = torch.tensor([len(clip) for clip in clips])
        places = torch.as_tensor(root, dtype=dtype, device=device)
        turned = torch.as_tensor(rotations, dtype=dtype, device=device)
        return cls(first.skeleton, first.fps, places, turned, lengths)

    def clips(self) -> list[Clip]:
        """The motions as clips, without their padding."""
        from kinetune.body.clip import Clip

        root = self.root.detach().to("cpu", torch.float64).numpy()
        rotations = self.rotations.detach().to("cpu", torch.float64).numpy()
        rotations = rotations / np.linalg.norm(rotations, axis=-1, keepdims=True)
        return [
            Clip(self.skeleton, self.fps, root[k, :length], rotations[k, :length])
            for k, length in enumerate(self.frame_counts.tolist())
        ]

    def replace(self, **changes: Any) -> MotionBatch:
        """The same batch with some tensors changed."""
        return replace(self, **changes)

    def to(self, target: torch.device | str | torch.dtype) -> MotionBatch:
        """The batch on another device or in another precision."""
        there = target if isinstance(target, torch.dtype) else usable_device(target)
        return replace(self, root=self.root.to(there), rotations=self.rotations.to(there))

    def __len__(self) -> int:
        return len(self.root)

    def __repr__(self) -> str:
        return (
            f"MotionBatch({len(self)} clips of up to {self.root.shape[1]} frames at {self.fps:g} fps, "
            f"{len(self.skeleton)} joints, {self.root.device})"
        )

    @property
    def frame_counts(self) -> Tensor:
        """Frames of each clip, (batch,), on the CPU."""
        return torch.full((len(self),), self.root.shape[1]) if self.lengths is None else self.lengths

    @property
    def mask(self) -> Tensor:
        """(batch, frames): which frames are part of a clip."""
        return frame_mask(self.lengths, len(self), self.root.shape[1], self.root)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """The parent of each joint, -1 for a root."""
        return tuple(int(parent) for parent in self.skeleton.parents)

    @property
    def offsets(self) -> Tensor:
        """Positions of the joints in their parents' frames, (joints, 3)."""
        return torch.as_tensor(np.array(self.skeleton.offsets), dtype=self.root.dtype, device=self.root.device)

    def positions(self) -> Tensor:
        """World positions of all joints, (batch, frames, joints, 3)."""
        return world_positions(self.parents, self.offsets, self.root, self.rotations)

    def world(self) -> tuple[Tensor, Tensor]:
        """World positions and rotations of all joints."""
        return forward(self.parents, self.offsets, self.root, self.rotations)


def _padded(values: np.ndarray, frames: int) -> np.ndarray:
    return np.concatenate([values, np.repeat(values[-1:], frames - len(values), axis=0)])
