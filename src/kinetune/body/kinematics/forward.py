"""Where the joints are: forward kinematics, tips of chains, and how they respond to small rotations.

=======================  ==================================================================================
forward                  world positions and rotations of all joints from local rotations
world_positions          positions only, at two thirds of the cost
tips                     world positions of a clip's end sites
jacobian                 how a joint's position responds to small rotations of the joints above it
=======================  ==================================================================================

All work on (frames, joints, ...) arrays, float64 or, when every input is float32, float32.
The compiled body (:mod:`kinetune.body.kinematics.forward_kernels`) and the NumPy one give the same bits
(``test_forward.py::test_both_bodies_give_the_same_bits``). Compiled are, to keep compilation short: quaternions in
both precisions; with translations, in float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from kinetune import rotations as rot
from kinetune.body.skeleton import Skeleton
from kinetune.errors import ParameterError
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from kinetune.body.clip import Clip

_kernels = Kernels("kinetune.body.kinematics.forward_kernels")
_NUMPY_S = 1.2e-7  # for one joint in one frame
_STREAM_FROM = 1 << 22  # bytes of result from which writing around the cache pays (measured: 3 MB)
_STREAM_ALIGNMENT = 16


def forward(
    skeleton: Skeleton,
    root: Floats,
    rotations: Floats,
    translations: Floats | None = None,
    *,
    out: tuple[Floats, Floats] | None = None,
) -> tuple[Floats, Floats]:
    """World positions (frames, joints, 3) and rotations (frames, joints, 4) wxyz of all joints.

    Parameters
    ----------
    skeleton : the joints.
    root : (frames, 3) world position of the first joint.
    rotations : (frames, joints, 4) local unit quaternions wxyz.
    translations : (frames, joints, 3) positions in the parents' frames; None: the skeleton's offsets. The first
        column is not used: ``root`` says it.
    out : (positions, rotations) to write into, C-ordered and of the result's type, for callers that do this often:
        on long clips the system takes longer to hand out fresh memory than the kinematics take.

    Notes
    -----
    A second or third root sits at its translation, or at its offset.
    """
    return _run(skeleton, root, rotations, translations, out)


def world_positions(
    skeleton: Skeleton,
    root: Floats,
    rotations: Floats,
    translations: Floats | None = None,
    *,
    out: Floats | None = None,
) -> Floats:
    """World positions (frames, joints, 3) alone, as :func:`forward` gives them."""
    return _run(skeleton, root, rotations, translations, (out, None), keep_world=False)[0]


def tips(clip: Clip) -> Floats:
    """World positions (frames, end sites, 3) of the tips of a clip's chains, in the order of its end sites."""
    sites = clip.skeleton.end_sites
    parents = [site.parent for site in sites]
    offsets = np.array([site.offset for site in sites]).reshape(-1, 3)
    return clip.positions()[:, parents] + rot.rotate(clip.world_rotations()[:, parents], offsets)


# --- how positions respond to small rotations


def jacobian(
    skeleton: Skeleton,
    root: Floats,
    rotations: Floats,
    joint: int,
    *,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    axes: Literal["world", "local"] = "world",
    chain: Sequence[int] | None = None,
    translations: Floats | None = None,
) -> Floats:
    """How a joint's world position responds to small rotations of the joints above it, and to a move of the root.

    Parameters
    ----------
    joint : the joint that is moved.
    point : a point that is moved instead, fixed in that joint's frame, in metres: an end site, say.
    axes : the frame of the small rotation vector v of a joint. "world": the joint and all below it rotate by exp(v)
        about the joint, so that its world rotation becomes exp(v) G. "local": its local rotation becomes q exp(v).
    chain : the joints whose rotations count, None for all. Others count as rigid.

    Returns
    -------
    array, shape (frames, 3, 3 * n + 3)
        Metres per radian; three columns for each of the n joints of the chain, in its order, and three for the move
        of the root in metres. Joints that do not carry the moved one have zero columns.

    Notes
    -----
    Law: it is the derivative (``test_forward.py::test_jacobian_is_the_derivative``).
    """
    turning, positions, turned = _above(skeleton, root, rotations, joint, chain, translations)
    end = positions[:, joint] + rot.rotate(turned[:, joint], np.asarray(point, dtype=float))
    result = np.zeros((len(end), 3, 3 * len(turning) + 3))
    for k, above in enumerate(turning):
        if above is not None:
            arm = end - positions[:, above]
            result[:, :, 3 * k : 3 * k + 3] = _in_axes(-_cross_matrix(arm), turned[:, above], axes)
    if skeleton.chain(joint)[0] == 0:
        result[:, :, -3:] = np.eye(3)
    return result


def _above(
    skeleton: Skeleton,
    root: Floats,
    rotations: Floats,
    joint: int,
    chain: Sequence[int] | None,
    translations: Floats | None,
) -> tuple[list[int | None], Floats, Floats]:
    """The joints that count, None in place of those that do not carry the joint, and the world pose."""
    counted = range(len(skeleton)) if chain is None else chain
    carriers = set(skeleton.chain(joint))
    turning = [int(j) if int(j) in carriers else None for j in counted]
    positions, turned = forward(skeleton, root, rotations, translations)
    return turning, positions, turned


def _in_axes(world: Floats, turned: Floats, axes: str) -> Floats:
    if axes == "world":
        return world
    if axes == "local":
        return np.asarray(world @ rot.to_matrix(turned))
    raise ParameterError(f'axes must be "world" or "local", not "{axes}".')


def _cross_matrix(v: Floats) -> Floats:
    """The matrix (frames, 3, 3) that takes w to the cross product v x w."""
    zero = np.zeros(len(v))
    x, y, z = v[:, 0], v[:, 1], v[:, 2]
    return np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(-1, 3, 3)


# --- the two bodies


def _run(
    skeleton: Skeleton,
    root: Floats,
    rotations: Floats,
    translations: Floats | None,
    out: tuple[Floats | None, Floats | None] | None,
    keep_world: bool = True,
) -> tuple[Floats, Floats]:
    """Check the arrays, find room for the results and run the body that pays."""
    arrays = [np.asarray(a) for a in (root, rotations)]
    moved = None if translations is None else np.asarray(translations)
    single = all(a.dtype == np.float32 for a in (*arrays, *([] if moved is None else [moved])))
    dtype = np.dtype(np.float32 if single else np.float64)
    frames, joints = len(arrays[0]) if arrays[0].ndim else 0, len(skeleton)
    start = _prepared("root", arrays[0], (frames, 3), dtype)
    local = _prepared("rotations", arrays[1], (frames, joints, 4), dtype)
    if moved is not None:
        moved = _prepared("translations", moved, (frames, joints, 3), dtype)
    positions, world = out if out is not None else (None, None)
    positions = _room("positions", positions, (frames, joints, 3), dtype)
    world = _room("rotations", world, (frames if keep_world else 0, joints, 4), dtype)
    fast = None
    if frames >= 4 and joints >= 2 and not (single and moved is not None):
        fast = _kernels.get(cost_s=frames * joints * _NUMPY_S)
    if fast is None:
        _forward_numpy(skeleton, start, local, moved, positions, world if keep_world else None)
    else:
        streaming = positions.nbytes + world.nbytes >= _STREAM_FROM and all(
            a.ctypes.data % _STREAM_ALIGNMENT == 0 for a in (positions, world)
        )
        offsets = _prepared("offsets", skeleton.offsets, (joints, 3), dtype)
        fast.forward(local, start, offsets, moved, skeleton.parents, positions, world, keep_world, streaming)
    return positions, world


def _prepared(name: str, values: Floats, shape: tuple[int, ...], dtype: np.dtype) -> Floats:
    """A contiguous read-only view or copy (numba compiles once more for arrays that may be written)."""
    if values.shape != shape:
        raise ParameterError(f"{name} must have the shape {shape}, not {values.shape}.")
    view = np.ascontiguousarray(values, dtype=dtype).view()
    view.flags.writeable = False
    return view


def _room(name: str, out: Floats | None, shape: tuple[int, ...], dtype: np.dtype) -> Floats:
    if out is None:
        return np.empty(shape, dtype)
    if out.shape != shape or out.dtype != dtype or not (out.flags.c_contiguous and out.flags.writeable):
        raise ParameterError(f"out: the {name} need a writable C-ordered {dtype} array of shape {shape}.")
    return out


def _forward_numpy(
    skeleton: Skeleton, root: Floats, local: Floats, moved: Floats | None, positions: Floats, world: Floats | None
) -> None:
    """The NumPy body: all joints of one depth at once, frames side by side."""
    q = np.ascontiguousarray(local.transpose(1, 2, 0))  # (joints, 4, frames)
    steps = skeleton.offsets.astype(q.dtype)[:, :, None] if moved is None else moved.transpose(1, 2, 0)
    turned = np.empty_like(q)
    place = np.empty((len(q), 3, q.shape[2]), q.dtype)
    for start in skeleton.roots:
        turned[start] = q[start]
        place[start] = root.T if start == 0 else steps[start]
    for joints, parents in skeleton.levels:
        a, b, c, d = (turned[parents, k] for k in range(4))
        w, x, y, z = (q[joints, k] for k in range(4))
        ox, oy, oz = (steps[joints, k] for k in range(3))
        tx, ty, tz = c * oz - d * oy, d * ox - b * oz, b * oy - c * ox
        tx, ty, tz = tx + tx, ty + ty, tz + tz
        place[joints, 0] = place[parents, 0] + (ox + a * tx + c * tz - d * ty)
        place[joints, 1] = place[parents, 1] + (oy + a * ty + d * tx - b * tz)
        place[joints, 2] = place[parents, 2] + (oz + a * tz + b * ty - c * tx)
        turned[joints, 0] = a * w - b * x - c * y - d * z
        turned[joints, 1] = a * x + b * w + c * z - d * y
        turned[joints, 2] = a * y - b * z + c * w + d * x
        turned[joints, 3] = a * z + b * y - c * x + d * w
    positions[...] = place.transpose(2, 0, 1)
    if world is not None:
        world[...] = turned.transpose(2, 0, 1)
