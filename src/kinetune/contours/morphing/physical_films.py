"""Films of a curve that springs into the shape of another, like rubber that is let go.

==============  ==========================================
physical_film   the frames
swing_s         how long the film is
==============  ==========================================
"""

from __future__ import annotations

import numpy as np

from kinetune.contours.elastic.materials import Material, find_material
from kinetune.contours.elastic.relaxation import relax
from kinetune.contours.matching.correspondence import Pins
from kinetune.contours.morphing.safe_films import CurveFilm, Finish
from kinetune.contours.morphing.wavelet_films import even_samples
from kinetune.contours.outlines import Outline, as_contour
from kinetune.errors import ParameterError
from kinetune.rotations import Floats

_LAST = 0.15  # the part of the film in which what is left of the swing is taken back
_LONGEST_S = 8.0


def physical_film(
    a: Outline,
    b: Outline,
    times: Floats,
    finish: Finish,
    *,
    pins: Pins = (),
    guard: bool = False,
    preset: str | Material = "jelly",
    seconds: float | None = None,
) -> CurveFilm:
    """The first shape let go with the second as its shape at rest.

    Parameters
    ----------
    preset : the material.
    seconds : how long the film is; by default until the shape has come to rest, at most 8.

    Notes
    -----
    [chuang] section 4.2. The exact solution; the centroid settles like the slowest wobble. What has not come to rest
    at the end of the film is taken back during its last part, so that it ends at the second shape.
    """
    length = swing_s(preset, seconds)
    za, zb = even_samples(a, b, pins)
    found = relax(as_contour(za, a.closed), as_contour(zb, a.closed), length * times, preset=preset, centroid="settle")
    left = np.array([contour.complex for contour in found]).reshape(-1, len(zb)) - zb
    fade = np.clip((1.0 - times) / _LAST, 0.0, 1.0)
    return CurveFilm(zb + (fade * fade * (3.0 - 2.0 * fade))[:, None] * left, za, zb, a.closed, "free")


def swing_s(preset: str | Material, seconds: float | None = None) -> float:
    """How long a shape swings in a film, in seconds: as long as asked, or until it has come to rest, at most 8."""
    if seconds is None:
        return min(find_material(preset).settle_s, _LONGEST_S)
    if not (np.isfinite(seconds) and seconds > 0.0):
        raise ParameterError(f"seconds must be above 0, not {seconds}.")
    return seconds
