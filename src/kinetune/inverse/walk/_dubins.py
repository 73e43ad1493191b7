"""The shortest path from one position and heading to another that never turns tighter than a radius.

=============  ================================================================
shortest_path   arcs and a straight line, or three arcs
DubinsPath            the answer: its length, and where it leads
=============  ================================================================

After Dubins 1957 ("On curves of minimal length with a constraint on average curvature"): such a path consists of an
arc, a straight line and an arc, or of three arcs, and there are six kinds of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinetune.rotations import Floats

_KINDS = ("LSL", "RSR", "LSR", "RSL", "RLR", "LRL")


@dataclass(frozen=True)
class DubinsPath:
    """A way of three pieces.

    start : (x, z, heading). kind : three letters, L and R for arcs to the left and right, S for straight on.
    pieces : their lengths over the radius. radius : metres.
    """

    start: tuple[float, float, float]
    kind: str
    pieces: tuple[float, float, float]
    radius: float

    @property
    def length(self) -> float:
        """Metres."""
        return self.radius * sum(self.pieces)

    def at(self, distances: ArrayLike) -> Floats:
        """Places (n, 3) after some metres (n,): x, z, heading."""
        gone = np.asarray(distances, dtype=float) / self.radius
        x, z, heading = (np.full(gone.shape, value) for value in self.start)
        for letter, piece in zip(self.kind, self.pieces, strict=True):
            part = np.clip(gone, 0.0, piece)
            if letter == "S":
                x, z = x + self.radius * part * np.sin(heading), z + self.radius * part * np.cos(heading)
            else:
                sign = 1.0 if letter == "L" else -1.0
                after = heading + sign * part
                x = x + sign * self.radius * (np.cos(heading) - np.cos(after))
                z = z + sign * self.radius * (np.sin(after) - np.sin(heading))
                heading = after
            gone = gone - part
        return np.stack([x, z, heading], axis=-1)


def shortest_path(start: Floats, end: Floats, radius: float) -> DubinsPath:
    """The shortest way from (x, z, heading) to (x, z, heading) whose arcs have a radius, in metres.

    Law: it ends at its goal (``tests/inverse/walk/test_dubins.py``).
    """
    x, z, heading = (float(value) for value in start)
    # In Dubins' plane headings grow to the left from the first axis; ours grow to the left from z: first axis z,
    # second axis x.
    ahead, left = float(end[1]) - z, float(end[0]) - x
    distance, bearing = math.hypot(ahead, left) / radius, math.atan2(left, ahead)
    a, b = float(heading) - bearing, float(end[2]) - bearing
    best = min(_candidates(a, b, distance), key=lambda item: sum(item[1]))
    return DubinsPath((x, z, heading), best[0], best[1], radius)


def _turn(radians: float) -> float:
    """An angle in [0, 2 pi), where what lies a rounding below a full turn is none."""
    turn = radians % (2.0 * math.pi)
    return 0.0 if turn > 2.0 * math.pi - 1e-9 else turn


def _candidates(a: float, b: float, d: float) -> Iterator[tuple[str, tuple[float, float, float]]]:
    """The kinds of ways that exist, in units of the radius."""
    sa, ca, sb, cb = math.sin(a), math.cos(a), math.sin(b), math.cos(b)
    for kind in _KINDS:
        if kind[1] == "S":
            first, last = (1.0 if letter == "L" else -1.0 for letter in (kind[0], kind[2]))
            if first == last:
                up, across = d + first * (sa - sb), first * (cb - ca)
                straight = math.hypot(up, across)
                lean = math.atan2(across, up) if straight > 1e-12 else a
                yield kind, (_turn(first * (lean - a)), straight, _turn(first * (b - lean)))
            else:
                up, across = d + first * (sa + sb), -first * (ca + cb)
                square = up * up + across * across - 4.0
                if square >= 0.0:
                    straight = math.sqrt(square)
                    lean = math.atan2(across, up) - math.atan2(-2.0 * first, straight)
                    yield kind, (_turn(first * (lean - a)), straight, _turn(first * (lean - b)))
        else:
            sign = 1.0 if kind[0] == "L" else -1.0
            cosine = (6.0 - d * d + 2.0 * math.cos(a - b) + 2.0 * sign * d * (sb - sa)) / 8.0
            if abs(cosine) <= 1.0:
                middle = _turn(2.0 * math.pi - math.acos(cosine))
                up, across = d + sign * (sa - sb), sign * (cb - ca)
                lean = math.atan2(across, up)
                first_piece = _turn(sign * (lean - a) + 0.5 * middle)
                yield kind, (first_piece, middle, _turn(sign * (b - a) - first_piece + middle))
