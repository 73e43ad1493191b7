"""Where the joints are, for batches: world positions and rotations from local rotations.

On a GPU positions come from one kernel that is written for the skeleton (:mod:`kinetune.torch.gpu.placing_kernel`);
gradients go through the plain code here.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from kinetune.errors import ParameterError
from kinetune.torch.numerics.quaternions import multiply, rotate
from kinetune.torch.numerics.tensor_checks import check_one_device
from torch import Tensor


def forward(parents: Sequence[int], offsets: Tensor, root: Tensor, rotations: Tensor) -> tuple[Tensor, Tensor]:
    """World positions (..., joints, 3) and rotations (..., joints, 4) wxyz of all joints.

    Parameters
    ----------
    parents : sequence of int
        The parent of each joint, -1 for a root; parents come first.
    offsets : Tensor, shape (joints, 3)
        Positions in the parents' frames, in metres.
    root : Tensor, shape (..., 3)
        World position of the first joint.
    rotations : Tensor, shape (..., joints, 4)
        Local unit quaternions wxyz.
    """
    order = _checked(parents, offsets, root, rotations)
    places: list[Tensor] = []
    turned: list[Tensor] = []
    for joint, parent in enumerate(order):
        local = rotations[..., joint, :]
        if parent < 0:
            places.append(root if joint == 0 else offsets[joint].expand_as(root))
            turned.append(local)
        else:
            places.append(places[parent] + rotate(turned[parent], offsets[joint]))
            turned.append(multiply(turned[parent], local))
    return torch.stack(places, dim=-2), torch.stack(turned, dim=-2)


def world_positions(parents: Sequence[int], offsets: Tensor, root: Tensor, rotations: Tensor) -> Tensor:
    """World positions (..., joints, 3) alone, as :func:`forward` gives them."""
    from kinetune.torch.gpu import placing_kernel

    order = _checked(parents, offsets, root, rotations)
    if placing_kernel.can_place(rotations, root, offsets):
        return _Fused.apply(tuple(order), offsets, root, rotations)
    return forward(order, offsets, root, rotations)[0]


def _checked(parents: Sequence[int], offsets: Tensor, root: Tensor, rotations: Tensor) -> list[int]:
    order = [int(parent) for parent in parents]
    joints = len(order)
    if rotations.shape[-2:] != (joints, 4) or root.shape != (*rotations.shape[:-2], 3) or offsets.shape != (joints, 3):
        raise ParameterError(
            f"{joints} joints take rotations (..., {joints}, 4), root (..., 3) and offsets ({joints}, 3); got "
            f"{tuple(rotations.shape)}, {tuple(root.shape)} and {tuple(offsets.shape)}."
        )
    if not order or order[0] != -1 or any(not -1 <= parent < joint for joint, parent in enumerate(order)):
        raise ParameterError("Every joint's parent must come before it, and the first joint must be a root (-1).")
    check_one_device(rotations=rotations, root=root, offsets=offsets)
    return order


class _Fused(torch.autograd.Function):
    """The kernel forward; backward, the plain code again, which autograd can follow."""

    @staticmethod
    def forward(ctx, parents, offsets, root, rotations):  # type: ignore[no-untyped-def]
        from kinetune.torch.gpu import placing_kernel

        ctx.save_for_backward(offsets, root, rotations)
        ctx.parents = parents
        return placing_kernel.place(parents, offsets, root, rotations)

    @staticmethod
    def backward(ctx, gradient):  # type: ignore[no-untyped-def]
        inputs = tuple(each.detach().requires_grad_() for each in ctx.saved_tensors)
        with torch.enable_grad():
            result = forward(ctx.parents, *inputs)[0]
            return (None, *torch.autograd.grad(result, inputs, gradient))
