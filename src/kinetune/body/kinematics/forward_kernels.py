"""Compiled forward kinematics: four frames at a time, with the same bits as the NumPy body in :mod:`.forward`.

For each group of four frames the joints are visited in tree order. A joint's four quaternions, one from each frame,
are transposed into four registers (w, x, y, z), multiplied with the parent's, and transposed back. What children
need stays in ``carried``, a few kilobytes; finished rows are written out in one go, around the cache when there is
much of it.

Measured on 60 joints x 100,000 frames: a loop over frames and joints with scalars takes 3.3 times a copy of the
input, because writing the result makes the processor read that memory first (2.7 times a copy even without any
arithmetic) and because every joint waits for its parent; tiles of 8 to 64 frames left to numba's own vectorizer 5 to
9 times, most of it in the transposes; this one 2.2 times, and 1.6 with positions only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kinetune.kernels.simd import STREAM_BYTES, finish_streams, load, prefetch, spread, store, stream, transpose


@njit(cache=True, nogil=True, error_model="numpy")
def _gather(rows, start, joints, columns):  # type: ignore[no-untyped-def]
    """Vectors of all joints in four frames, from (joints, 3) rows into ``columns`` (joints, 3, 4).

    The last joint is read from one number earlier, so that nothing beyond the array is touched.
    """
    row = 3 * joints
    for joint in range(joints):
        at, to = start + 3 * joint, 12 * joint
        if joint == joints - 1:
            at -= 1
        a, b, c, d = transpose(load(rows, at), load(rows, at + row), load(rows, at + 2 * row), load(rows, at + 3 * row))
        if joint == joints - 1:
            a, b, c = b, c, d
        store(columns, to, a)
        store(columns, to + 4, b)
        store(columns, to + 8, c)


@njit(cache=True, nogil=True, error_model="numpy")
def forward(turns, root, offsets, moved, parents, positions, world, keep_world, streaming):  # type: ignore[no-untyped-def]
    """World positions and rotations of all joints.

    turns : (frames, joints, 4) quaternions; at least four frames and two joints.
    moved : None, or (frames, joints, 3) translations instead of ``offsets`` (joints, 3).
    positions, world : the results; ``world`` is left alone unless ``keep_world``.
    streaming : whether to write around the cache; both results must then be aligned to ``STREAM_BYTES``.
    """
    frames, joints, _ = turns.shape
    flat_turns, flat_offsets = turns.reshape(-1), offsets.reshape(-1)
    flat_moved = flat_offsets if moved is None else moved.reshape(-1)
    flat_positions, flat_world = positions.reshape(-1), world.reshape(-1)
    row, row_place = 4 * joints, 3 * joints
    carried = np.empty(28 * joints, turns.dtype)  # for each joint w, x, y, z and the position, four frames each
    steps = np.empty(0 if moved is None else 12 * joints, turns.dtype)
    world_rows = np.empty(4 * row, turns.dtype)
    place_rows = np.empty(4 * row_place, turns.dtype)
    for group in range(0, frames, 4):
        first = min(group, frames - 4)  # the last group goes back and repeats some frames
        if moved is not None:
            _gather(flat_moved, first * row_place, joints, steps)
        for joint in range(joints):
            if joint % 2 == 0:  # about a cache line; the next group is spread over the arithmetic of this one
                for k in range(4, 8):
                    prefetch(flat_turns, (first + k) * row + 4 * joint)
                    if moved is not None:
                        prefetch(flat_moved, (first + k) * row_place + 3 * joint)
            at = first * row + 4 * joint
            a, b = load(flat_turns, at), load(flat_turns, at + row)
            c, d = load(flat_turns, at + 2 * row), load(flat_turns, at + 3 * row)
            w, x, y, z = transpose(a, b, c, d)
            if moved is None:
                at = 3 * joint
                ox, oy, oz = spread(flat_offsets, at), spread(flat_offsets, at + 1), spread(flat_offsets, at + 2)
            else:
                at = 12 * joint
                ox, oy, oz = load(steps, at), load(steps, at + 4), load(steps, at + 8)
            slot, parent = 28 * joint, 28 * parents[joint]
            if parent >= 0:
                a, b = load(carried, parent), load(carried, parent + 4)
                c, d = load(carried, parent + 8), load(carried, parent + 12)
                tx, ty, tz = c * oz - d * oy, d * ox - b * oz, b * oy - c * ox
                tx, ty, tz = tx + tx, ty + ty, tz + tz
                px = load(carried, parent + 16) + (ox + a * tx + c * tz - d * ty)
                py = load(carried, parent + 20) + (oy + a * ty + d * tx - b * tz)
                pz = load(carried, parent + 24) + (oz + a * tz + b * ty - c * tx)
                w, x, y, z = (
                    a * w - b * x - c * y - d * z,
                    a * x + b * w + c * z - d * y,
                    a * y - b * z + c * w + d * x,
                    a * z + b * y - c * x + d * w,
                )
            elif joint == 0:
                for lane in range(4):
                    for k in range(3):
                        carried[16 + 4 * k + lane] = root[first + lane, k]
                px, py, pz = load(carried, 16), load(carried, 20), load(carried, 24)
            else:
                px, py, pz = ox, oy, oz
            store(carried, slot, w)
            store(carried, slot + 4, x)
            store(carried, slot + 8, y)
            store(carried, slot + 12, z)
            store(carried, slot + 16, px)
            store(carried, slot + 20, py)
            store(carried, slot + 24, pz)
            if keep_world:
                a, b, c, d = transpose(w, x, y, z)
                at = 4 * joint
                store(world_rows, at, a)
                store(world_rows, at + row, b)
                store(world_rows, at + 2 * row, c)
                store(world_rows, at + 3 * row, d)
            at = 3 * joint
            if joint < joints - 1:  # the fourth number is junk, and overwritten by the next joint
                a, b, c, d = transpose(px, py, pz, pz)
                store(place_rows, at, a)
                store(place_rows, at + row_place, b)
                store(place_rows, at + 2 * row_place, c)
                store(place_rows, at + 3 * row_place, d)
            else:
                for lane in range(4):
                    for k in range(3):
                        place_rows[at + lane * row_place + k] = carried[slot + 16 + 4 * k + lane]
        aligned = streaming and first == group
        _write(flat_positions, first * row_place, place_rows, 4 * row_place, aligned)
        if keep_world:
            _write(flat_world, first * row, world_rows, 4 * row, aligned)
    if streaming:
        finish_streams()


@njit(cache=True, nogil=True, error_model="numpy")
def _write(target, start, source, count, streaming):  # type: ignore[no-untyped-def]
    if streaming:
        for k in range(0, count, STREAM_BYTES // source.itemsize):
            stream(target, start + k, source, k)
    else:
        for k in range(count):
            target[start + k] = source[k]


def warm_up() -> None:
    """Compile or load every variant that :mod:`kinetune.body.kinematics.forward` calls: inputs are read-only there."""
    parents = _read_only(np.array([-1, 0], dtype=np.intp))
    for dtype in (np.dtype(np.float64), np.dtype(np.float32)):
        root, offsets, threes, fours = (
            _read_only(np.zeros(shape, dtype)) for shape in ((4, 3), (2, 3), (4, 2, 3), (4, 2, 4))
        )
        results = np.empty((4, 2, 3), dtype), np.empty((4, 2, 4), dtype)
        forward(fours, root, offsets, None, parents, *results, True, False)
        if dtype == np.float64:
            forward(fours, root, offsets, threes, parents, *results, True, False)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
