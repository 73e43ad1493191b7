"""Random edits for training: the same motion, livelier, slower, mirrored, noisier.

::

    augment = kt.torch.Compose([RandomEqualize(p=0.5), RandomMirror(), RandomRetime(), Noise()], seed=7)
    batch = augment(batch)

Every clip of a batch is drawn on its own. With a seed the same calls give the same batches. Workers of a DataLoader
draw differently from each other and in every epoch; ``torch.manual_seed`` makes their draws repeatable as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from kinetune.errors import ParameterError
from kinetune.signals.shaping.shaping_curve import ShapingCurve
from kinetune.torch import edits
from kinetune.torch.motion_batch import MotionBatch
from kinetune.torch.numerics import quaternions as quat
from kinetune.torch.numerics.band_filter import count_bands
from torch import Tensor


@dataclass(frozen=True)
class Augmentation:
    """A random edit of a batch: ``edit(motion, generator)``. p : how likely each clip is edited."""

    p: float = 0.5

    def __post_init__(self) -> None:
        if not 0.0 <= self.p <= 1.0:
            raise ParameterError(f"p is a probability from 0 to 1, not {self.p}.")

    def __call__(self, motion: MotionBatch, generator: torch.Generator | None = None) -> MotionBatch:
        """The batch with some of its clips edited."""
        chosen = torch.rand(len(motion), generator=generator) < self.p
        rows = chosen.nonzero()[:, 0]
        if len(rows) == 0:
            return motion
        part = self.edit(_rows(motion, rows), generator)
        return _put(motion, rows, part)

    def edit(self, motion: MotionBatch, generator: torch.Generator | None) -> MotionBatch:
        """All clips of a batch, edited at random."""
        raise NotImplementedError


@dataclass(frozen=True)
class RandomEqualize(Augmentation):
    """Frequency bands turned up or down, each by a factor between ``low`` and ``high``, evenly on a log scale."""

    low: float = 0.6
    high: float = 1.6
    slowest_hz: float = 0.4

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.low <= self.high:
            raise ParameterError(f"low and high are factors with 0 < low <= high; got {self.low} and {self.high}.")

    def edit(self, motion: MotionBatch, generator: torch.Generator | None) -> MotionBatch:
        """Bands faster than ``slowest_hz`` get gains of their own, clip by clip."""
        from kinetune.signals.bands.pyramid import band_centres_hz

        count = count_bands(motion.root.shape[1])
        span = torch.log(torch.tensor([self.low, self.high]))
        gains = torch.exp(span[0] + (span[1] - span[0]) * torch.rand(len(motion), count, generator=generator))
        slow = torch.as_tensor(band_centres_hz(count, motion.fps) < self.slowest_hz)
        return edits.equalize(motion, gains.masked_fill(slow, 1.0).to(motion.root))


@dataclass(frozen=True)
class RandomMirror(Augmentation):
    """Left and right exchanged."""

    def edit(self, motion: MotionBatch, generator: torch.Generator | None) -> MotionBatch:
        """The mirror images."""
        return edits.mirror(motion)


@dataclass(frozen=True)
class RandomRetime(Augmentation):
    """Played faster or slower by a factor between ``slowest`` and ``fastest``."""

    slowest: float = 0.8
    fastest: float = 1.25

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.01 <= self.slowest <= self.fastest <= 100.0:
            raise ParameterError(
                "slowest and fastest are factors with 0.01 <= slowest <= fastest <= 100; got "
                f"{self.slowest} and {self.fastest}."
            )

    def edit(self, motion: MotionBatch, generator: torch.Generator | None) -> MotionBatch:
        """Each clip at a pace of its own."""
        span = torch.log(torch.tensor([self.slowest, self.fastest]))
        pace = torch.exp(span[0] + (span[1] - span[0]) * torch.rand(len(motion), generator=generator))
        return edits.retime(motion, pace)


@dataclass(frozen=True)
class RandomShape(Augmentation):
    """Joint angles pulled towards their middle or their extremes; ``strength`` is how far at most."""

    strength: float = 0.3

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.strength < 1.0:
            raise ParameterError(f"strength is at least 0 and below 1, not {self.strength}.")

    def edit(self, motion: MotionBatch, generator: torch.Generator | None) -> MotionBatch:
        """Each clip through a curve of its own."""
        parts = []
        for row in range(len(motion)):
            ratio = float(1.0 + self.strength * (2.0 * torch.rand(1, generator=generator) - 1.0))
            one = _rows(motion, torch.tensor([row]))
            parts.append(edits.shape(one, ShapingCurve.expander(ratio)))
        return motion.replace(rotations=torch.cat([part.rotations for part in parts]))


@dataclass(frozen=True)
class RandomTurn(Augmentation):
    """The whole motion turned about the vertical, by any angle."""

    p: float = 1.0

    def edit(self, motion: MotionBatch, generator: torch.Generator | None) -> MotionBatch:
        """Each clip by an angle of its own."""
        angle = (2.0 * torch.pi * torch.rand(len(motion), generator=generator)).to(motion.root)
        turn = quat.about_y(angle)[:, None]
        first = quat.multiply(turn, motion.rotations[:, :, 0])[:, :, None]
        return motion.replace(
            root=quat.rotate(turn, motion.root), rotations=torch.cat([first, motion.rotations[:, :, 1:]], dim=2)
        )


@dataclass(frozen=True)
class Noise(Augmentation):
    """Jitter as captured motion has it: joint angles in degrees, the root in millimetres."""

    angle_deg: float = 0.5
    root_mm: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (0.0 <= self.angle_deg <= 180.0 and 0.0 <= self.root_mm < math.inf):
            raise ParameterError(
                f"angle_deg is from 0 to 180 and root_mm at least 0; got {self.angle_deg} and {self.root_mm}."
            )

    def edit(self, motion: MotionBatch, generator: torch.Generator | None) -> MotionBatch:
        """White noise of these standard deviations."""
        turns = torch.randn(*motion.rotations.shape[:3], 3, generator=generator).to(motion.root)
        shift = torch.randn(*motion.root.shape, generator=generator).to(motion.root)
        rotations = quat.multiply(
            motion.rotations, quat.exp(torch.deg2rad(torch.tensor(self.angle_deg)).item() * turns)
        )
        return motion.replace(root=motion.root + 1e-3 * self.root_mm * shift, rotations=rotations)


class Compose:
    """Random edits one after the other.

    Parameters
    ----------
    steps : sequence of Augmentation
    seed : int, optional
        Makes the sequence of batches repeatable.
    """

    def __init__(self, steps: Sequence[Augmentation], seed: int | None = None) -> None:
        for step in steps:
            if not isinstance(step, Augmentation):
                raise ParameterError(f"Compose takes augmentations such as RandomMirror(), not {step!r:.60}.")
        self.steps = tuple(steps)
        self._generator = torch.Generator()
        if seed is None:
            self._generator.seed()
        else:
            self._generator.manual_seed(seed)
        self._seed = self._generator.initial_seed()
        self._worker_seed: int | None = None

    def __call__(self, motion: MotionBatch) -> MotionBatch:
        """The batch, edited at random."""
        worker = torch.utils.data.get_worker_info()
        if worker is not None and worker.seed != self._worker_seed:  # a copy: the others would draw the same
            self._worker_seed = worker.seed
            self._generator.manual_seed((self._seed + worker.seed) % 2**63)
        for step in self.steps:
            motion = step(motion, self._generator)
        return motion

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_generator": self._generator.get_state().numpy()}  # no tensor: a process is sent this

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._generator = torch.Generator()
        self._generator.set_state(torch.from_numpy(state["_generator"]))

    def __repr__(self) -> str:
        return f"Compose([{', '.join(map(repr, self.steps))}])"


def _rows(motion: MotionBatch, rows: Tensor) -> MotionBatch:
    at = rows.to(motion.root.device)
    return MotionBatch(motion.skeleton, motion.fps, motion.root[at], motion.rotations[at], motion.frame_counts[rows])


def _put(motion: MotionBatch, rows: Tensor, part: MotionBatch) -> MotionBatch:
    """A batch with some of its clips replaced; it grows with the longest of them."""
    lengths = motion.frame_counts.clone()
    lengths[rows] = part.frame_counts
    frames = max(motion.root.shape[1], part.root.shape[1])
    at = rows.to(motion.root.device)
    root = _grown(motion.root, frames).index_copy(0, at, _grown(part.root, frames))
    rotations = _grown(motion.rotations, frames).index_copy(0, at, _grown(part.rotations, frames))
    keep = int(lengths.max())
    return MotionBatch(motion.skeleton, motion.fps, root[:, :keep], rotations[:, :keep], lengths)


def _grown(x: Tensor, frames: int) -> Tensor:
    return torch.cat([x, x[:, -1:].expand(-1, frames - x.shape[1], *x.shape[2:])], dim=1)
