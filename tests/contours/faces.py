"""Two small coloured drawings for tests: a round face and a tall one, each with an outline drawn as a line."""

import numpy as np

from kinetune.contours.drawing import Contour, Drawing, Layer
from tests.contours.curves import ring


def line(points: np.ndarray, closed: bool = False, width: float = 2.0) -> Layer:
    return Layer((Contour(points, closed),), fill=None, stroke="#000000", stroke_width=width)


def patch(points: np.ndarray, fill: str) -> Layer:
    return Layer((Contour(points),), fill=fill)


def oval(width: float, height: float, middle: complex) -> np.ndarray:
    turn = np.exp(2j * np.pi * np.arange(48) / 48)
    return middle + width * turn.real + 1j * height * turn.imag


def round_face() -> Drawing:
    """A disc with two eyes in one layer, a mouth, and an outline; drawn in that order."""
    head, eyes = ring(40), (Contour(ring(4, 35 + 40j)), Contour(ring(4, 65 + 40j)))
    mouth = oval(12, 4, 50 + 68j)
    return Drawing((patch(head, "#ffdd33"), Layer(eyes, fill="#202020"), patch(mouth, "#cc3333"), line(head, True)))


def tall_face() -> Drawing:
    """A tall head with a mouth, eyes in two layers, a hat beside it, a freckle, and an outline."""
    head = oval(28, 44, 50 + 52j)
    return Drawing(
        (
            patch(head, "#eecc88"),
            patch(oval(10, 5, 50 + 75j), "#bb2222"),
            patch(ring(3, 40 + 45j), "#202020"),
            patch(ring(3, 60 + 45j), "#202020"),
            patch(ring(1.5, 62 + 60j), "#885522"),
            patch(oval(18, 4, 50 + 6j), "#3355aa"),
            line(head, True),
        )
    )
