"""The deformed hoop of the paper's Figure 6."""

import numpy as np

from kinetune.contours.drawing import Contour


def hoop(count: int) -> tuple[Contour, Contour]:
    """A hoop pushed out of round by three waves, and the round one."""
    angle = 2 * np.pi * np.arange(count) / count
    rest = np.exp(1j * angle)
    radius = 1 + 0.30 * np.cos(2 * angle) + 0.18 * np.cos(3 * angle + 0.5) + 0.06 * np.cos(9 * angle + 1.0)
    return Contour(radius * rest), Contour(rest)
