"""Pictures as the planes that video codecs take, compiled: FFmpeg needs three times as long for it.

``test_picture_files.py`` holds it against the matrix of ITU-R BT.709.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

# 65,536ths: BT.709, bytes of luma from 16 to 235, of chroma from 16 to 240
_Y = (11966, 40254, 4064)
_U = (-6596, -22189, 28784)
_V = (28784, -26145, -2639)


@njit(cache=True, nogil=True)
def to_planes(picture: Bytes) -> Bytes:
    """Luma of each pixel, then the two chroma of each four: bytes of "yuv420p" for a picture (height, width, 3)."""
    height, width = picture.shape[0], picture.shape[1]
    half_width, pixels = width // 2, height * width
    planes = np.empty(pixels + pixels // 2, np.uint8)
    v_begins = pixels + pixels // 4
    sums = np.empty((half_width, 3), np.int32)
    for row in range(0, height, 2):
        sums[:] = 0
        for line in range(row, row + 2):
            for pair in range(half_width):
                for column in range(2 * pair, 2 * pair + 2):
                    r, g, b = (
                        np.int32(picture[line, column, 0]),
                        np.int32(picture[line, column, 1]),
                        np.int32(picture[line, column, 2]),
                    )
                    planes[line * width + column] = (_Y[0] * r + _Y[1] * g + _Y[2] * b + 1081344) >> 16
                    sums[pair, 0] += r
                    sums[pair, 1] += g
                    sums[pair, 2] += b
        at = (row // 2) * half_width
        for pair in range(half_width):
            r, g, b = sums[pair, 0], sums[pair, 1], sums[pair, 2]
            planes[pixels + at + pair] = (_U[0] * r + _U[1] * g + _U[2] * b + 33685504) >> 18
            planes[v_begins + at + pair] = (_V[0] * r + _V[1] * g + _V[2] * b + 33685504) >> 18
    return planes


def warm_up() -> None:
    """Compile the kernel, or load it from the cache on disk."""
    to_planes(np.zeros((2, 2, 3), np.uint8))
