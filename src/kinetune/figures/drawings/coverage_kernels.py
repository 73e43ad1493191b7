"""How much of each pixel some rings cover, compiled.

``test_drawing_paint.py`` holds it against areas by GEOS.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_LINES = 16  # a pixel is looked at along so many lines, each measured exactly


@njit(cache=True, nogil=True)
def even_odd_cover(points: Array, ends: Whole, width: int, height: int) -> Bytes:
    """Shares of 255 of the pixels (height, width) that rings cover together by the even-odd rule.

    points : (n, 2), x and y in pixels, ring after ring. ends : (rings,), where each ring ends.
    """
    most = float(_LINES * height)
    begins = np.zeros(_LINES * height + 1, dtype=np.int64)  # where the crossings of each line begin
    for counting in (True, False):
        if not counting:
            begins[1:] = np.cumsum(begins[1:])
            crossings = np.empty(begins[-1])
            filled = begins[:-1].copy()
        start = 0
        for ring in range(len(ends)):
            before = ends[ring] - 1
            for k in range(start, ends[ring]):
                x0, y0, x1, y1 = points[before, 0], points[before, 1], points[k, 0], points[k, 1]
                before = k
                if y0 > y1:
                    x0, y0, x1, y1 = x1, y1, x0, y0
                first = int(min(max(np.ceil(_LINES * y0 - 0.5), 0.0), most))
                stop = int(min(max(np.ceil(_LINES * y1 - 0.5), 0.0), most))
                if counting:
                    for line in range(first, stop):
                        begins[line + 1] += 1
                    continue
                slope = (x1 - x0) / (y1 - y0) if stop > first else 0.0
                for line in range(first, stop):
                    x = x0 + slope * ((line + 0.5) / _LINES - y0)
                    crossings[filled[line]] = min(max(x, 0.0), float(width))
                    filled[line] += 1
            start = ends[ring]
    cover = np.empty((height, width), dtype=np.uint8)
    part, whole = np.empty(width + 1), np.empty(width + 2)
    for row in range(height):
        part[:] = 0.0  # of single pixels
        whole[:] = 0.0  # what is added from a pixel on
        for line in range(_LINES * row, _LINES * (row + 1)):
            here = crossings[begins[line] : begins[line + 1]]
            here.sort()
            for k in range(0, len(here) - 1, 2):
                left, right = here[k], here[k + 1]
                i, j = int(left), int(right)
                part[i] -= left - i
                part[j] += right - j
                whole[i] += 1.0
                whole[j] -= 1.0
        covered = 0.0
        for column in range(width):
            covered += whole[column]
            cover[row, column] = np.uint8(min((covered + part[column]) * (255.0 / _LINES) + 0.5, 255.0))
    return cover


def warm_up() -> None:
    """Compile the kernel, or load it from the cache on disk."""
    even_odd_cover(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([3]), 1, 1)
