"""The normal equations of a least-squares problem over time.

The unknowns are ``x[t]``, a vector for each frame. A residual may look at a frame and at up to ``reach`` frames after
it; then the matrix of the normal equations has blocks within ``reach`` of its diagonal only, and a Cholesky
factorization costs a time that is linear in the number of frames.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinetune.errors import ParameterError
from kinetune.kernels.loader import Kernels
from kinetune.rotations import Floats

_kernels = Kernels("kinetune.trajectory.block_banded_kernels")

_LANES = 8  # doubles of a cache line, of which rows of factors are whole multiples
DIFFERENCES = {0: (1.0,), 1: (-1.0, 1.0), 2: (1.0, -2.0, 1.0), 3: (-1.0, 3.0, -3.0, 1.0)}
"""Stencils of differences by order, over the frames t, t + 1, ..."""


class NormalEquations:
    """Sums of squared residuals, linearized: ``cost + 2 gradient . dx + dx . H dx``.

    Parameters
    ----------
    frames : int
        How many frames.
    size : int
        How many unknowns each frame has.
    reach : int
        How many frames after its own a residual may look at: 0 for none, 3 for third differences.
    """

    def __init__(self, frames: int, size: int, reach: int) -> None:
        self.frames, self.size, self.reach = frames, size, min(reach, max(frames - 1, 0))
        self.h: Floats = np.zeros((frames, self.reach + 1, size, size))
        self.gradient: Floats = np.zeros((frames, size))
        self.cost = 0.0
        self._factor: Floats = np.empty((frames, self.reach + 1, size, -(-size // _LANES) * _LANES))

    def clear(self) -> None:
        """Forget all residuals."""
        self.h[:] = 0.0
        self.gradient[:] = 0.0
        self.cost = 0.0

    def add(
        self,
        residual: Floats,
        *jacobians: Floats,
        weight: ArrayLike = 1.0,
        columns: Sequence[int] | NDArray[np.intp] | None = None,
        first: int = 0,
    ) -> None:
        """Add ``sum weight * residual**2``.

        Parameters
        ----------
        residual : array, shape (n, rows)
            Of frames ``first`` to ``first + n - 1``.
        *jacobians : arrays, shape (n, rows, columns)
            The derivative of a residual by the unknowns of its frame, of the frame after it, and so on.
        weight : float or array, broadcast to (n, rows)
            Not negative. Rows of weight 0 are skipped.
        columns : sequence of int, optional
            The unknowns that the derivatives are taken by; all of them when left out.
        first : int
            The frame of the first residual.
        """
        count, rows = residual.shape
        chosen = np.arange(self.size) if columns is None else np.asarray(columns, dtype=np.intp)
        stacked = np.stack([np.broadcast_to(j, (count, rows, len(chosen))) for j in jacobians]).astype(float)
        if len(stacked) > self.reach + 1 or first < 0 or first + count + len(stacked) - 1 > self.frames:
            raise ParameterError(
                f"Residuals of frames {first} to {first + count - 1} look {len(stacked) - 1} frames ahead, "
                f"but there are {self.frames} frames and the reach is {self.reach}."
            )
        weights = np.require(np.broadcast_to(np.asarray(weight, dtype=float), (count, rows)), float, ("C", "W"))
        fast = _kernels.load()
        values = np.ascontiguousarray(residual, dtype=float)
        self.cost += fast.accumulate(self.h, self.gradient, values, weights, stacked, chosen, first)

    def add_differences(self, values: Floats, order: int, weight: ArrayLike) -> None:
        """Add ``sum weight * (difference of that order of values)**2`` for unknowns that enter ``values`` as they are.

        Parameters
        ----------
        values : array, shape (frames, size)
            The unknowns, less what they should follow; order 0 pulls them to it, 2 bounds their acceleration.
        order : int
            0 to 3. The difference that begins at frame t takes the weight of frame t.
        weight : float or array, broadcast to (frames, size)
            Not negative.
        """
        stencil = np.array(DIFFERENCES[order])
        if len(stencil) > self.frames:
            return
        weights = np.empty(values.shape)
        weights[...] = weight
        fast = _kernels.load()
        numbers = np.ascontiguousarray(values, dtype=float)
        self.cost += fast.accumulate_stencil(self.h, self.gradient, numbers, weights, stencil)

    def solve(self, damping: ArrayLike = 0.0) -> Floats | None:
        """The step (frames, size) to the minimum, or None where it is not unique.

        Parameters
        ----------
        damping : float or array, broadcast to (frames, size)
            Added to the diagonal: the square of the step, weighed, joins the cost.
        """
        diagonal = np.einsum("tii->ti", self.h[:, 0])  # a view
        bare = diagonal.copy()
        diagonal += np.asarray(damping, dtype=float)
        fast = _kernels.load()
        failed = fast.factorize(self.h, self._factor) >= 0
        diagonal[:] = bare
        if failed:
            return None
        step = -self.gradient
        fast.substitute(self._factor, step)
        return step
