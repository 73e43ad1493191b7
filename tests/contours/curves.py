"""Curves and drawings to morph in tests: convex, concave, crossing, thin, with holes."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.outlines import Outline

PAGE = (0.0, 0.0, 100.0, 100.0)


def ring(radius: float = 30.0, centre: complex = 50 + 50j, count: int = 96) -> np.ndarray:
    return centre + radius * np.exp(2j * np.pi * np.arange(count) / count)


def polygon(*corners: tuple[float, float]) -> np.ndarray:
    return np.array([complex(x, y) for x, y in corners])


SQUARE = polygon((20, 20), (80, 20), (80, 80), (20, 80))
ARROW = polygon((10, 10), (90, 50), (10, 90), (30, 50))
LETTER_L = polygon((20, 10), (40, 10), (40, 70), (80, 70), (80, 90), (20, 90))
BOW = polygon((20, 20), (80, 80), (80, 20), (20, 80))  # crosses itself


def pentagram() -> np.ndarray:
    """A star drawn in one line: it crosses itself five times."""
    return 50 + 50j + 40 * np.exp(4j * np.pi * np.arange(5) / 5)


def flower(petals: int, depth: float = 0.5, count: int = 240) -> np.ndarray:
    angle = 2 * np.pi * np.arange(count) / count
    return 50 + 50j + 25 * (1 + depth * np.cos(petals * angle)) * np.exp(1j * angle)


def spiral(turns: float, width: float = 2.0, *, backwards: bool = False) -> np.ndarray:
    """A thin closed band wound up: the hardest thing to unwind without a crossing."""
    angle = np.linspace(0.3, 2 * np.pi * turns, 300)
    line = (5 + 40 * angle / angle[-1]) * np.exp(-1j * angle if backwards else 1j * angle)
    across = 1j * np.gradient(line) / np.abs(np.gradient(line))
    return 50 + 50j + np.concatenate([line + 0.5 * width * across, (line - 0.5 * width * across)[::-1]])


def comb(teeth: int = 12) -> np.ndarray:
    step = 90.0 / teeth
    corners = [
        (5 + step * (k + share), y) for k in range(teeth) for share, y in ((0, 20), (0, 80), (0.5, 80), (0.5, 20))
    ]
    return polygon(*corners, (95, 20), (95, 10), (5, 10))


def outline(points: np.ndarray, closed: bool = True) -> Outline:
    found = Outline.of(Contour(points, closed))
    assert found is not None
    return found


def drawing(*curves: np.ndarray, closed: bool = True, box: Any = PAGE, **paint: Any) -> Drawing:
    """A drawing of one layer."""
    return Drawing((Layer(tuple(Contour(curve, closed) for curve in curves), **paint),), box)


def contours(frame: Drawing) -> list[np.ndarray]:
    return [contour.complex for contour in frame.contours()]
