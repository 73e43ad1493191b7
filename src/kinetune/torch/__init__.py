"""Motion operations on tensors: batched, differentiable, on the CPU or a GPU (extra ``torch``).

===================  ==============================================================================
motion_batch         ``MotionBatch``: clips of one skeleton as tensors, padded, with their lengths
edits                equalize, smooth, shape, blend, mirror, retime
augmentations        random edits for training: ``Compose([RandomEqualize(p=0.5), RandomMirror()])``
losses               slide, penetration and jerk as losses; soft contacts
batch_warps          time warps of many pairs: costs, paths, soft-DTW
blend_search         inverse blending of many targets at once
numerics             what these are made of: rotations, bands, filters, curves, kernels for a GPU
===================  ==============================================================================

The numbers are those of the NumPy library to 1e-5 (``tests/torch``). ``import kinetune`` does not load torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetune.extras import require
from kinetune.lazy_names import lazy_names

require("torch")

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "kinetune.torch.augmentations": (
            "Augmentation",
            "Compose",
            "Noise",
            "RandomEqualize",
            "RandomMirror",
            "RandomRetime",
            "RandomShape",
            "RandomTurn",
        ),
        "kinetune.torch.numerics.band_filter": ("join_bands", "split_bands"),
        "kinetune.torch.batch_warps": ("soft_warp", "warp_costs", "warp_paths"),
        "kinetune.torch.blend_search": ("BlendChain", "solve_points"),
        "kinetune.torch.edits": ("blend", "equalize", "mirror", "retime", "shape", "smooth"),
        "kinetune.torch.losses": (
            "TensorSoles",
            "jerk_loss",
            "penetration_loss",
            "slide_loss",
            "soft_contacts",
        ),
        "kinetune.torch.motion_batch": ("MotionBatch",),
        "kinetune.torch.numerics.tcb_curves": ("evaluate_tcb",),
    },
)

if TYPE_CHECKING:
    from kinetune.torch.augmentations import Augmentation as Augmentation
    from kinetune.torch.augmentations import Compose as Compose
    from kinetune.torch.augmentations import Noise as Noise
    from kinetune.torch.augmentations import RandomEqualize as RandomEqualize
    from kinetune.torch.augmentations import RandomMirror as RandomMirror
    from kinetune.torch.augmentations import RandomRetime as RandomRetime
    from kinetune.torch.augmentations import RandomShape as RandomShape
    from kinetune.torch.augmentations import RandomTurn as RandomTurn
    from kinetune.torch.batch_warps import soft_warp as soft_warp
    from kinetune.torch.batch_warps import warp_costs as warp_costs
    from kinetune.torch.batch_warps import warp_paths as warp_paths
    from kinetune.torch.blend_search import BlendChain as BlendChain
    from kinetune.torch.blend_search import solve_points as solve_points
    from kinetune.torch.edits import blend as blend
    from kinetune.torch.edits import equalize as equalize
    from kinetune.torch.edits import mirror as mirror
    from kinetune.torch.edits import retime as retime
    from kinetune.torch.edits import shape as shape
    from kinetune.torch.edits import smooth as smooth
    from kinetune.torch.losses import TensorSoles as TensorSoles
    from kinetune.torch.losses import jerk_loss as jerk_loss
    from kinetune.torch.losses import penetration_loss as penetration_loss
    from kinetune.torch.losses import slide_loss as slide_loss
    from kinetune.torch.losses import soft_contacts as soft_contacts
    from kinetune.torch.motion_batch import MotionBatch as MotionBatch
    from kinetune.torch.numerics.band_filter import join_bands as join_bands
    from kinetune.torch.numerics.band_filter import split_bands as split_bands
    from kinetune.torch.numerics.tcb_curves import evaluate_tcb as evaluate_tcb
