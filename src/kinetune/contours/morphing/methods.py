"""The methods of a morph: how two curves become a film."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, get_args

from kinetune.contours.matching.outline_alignment import align
from kinetune.contours.morphing.layer_films import CurveMaker
from kinetune.contours.morphing.safe_films import CurveFilm, safe_line, safe_ring
from kinetune.contours.morphing.wavelet_films import linear_film, schedule_film
from kinetune.contours.outlines import Outline
from kinetune.errors import ParameterError

Method = Literal["safe", "linear", "schedule", "physical"]

_SMALL = 0.02  # of the page: smaller curves are matched by arc length, the first way that does not cross
_ALIKE = 0.998  # curves that fit each other as well as this have their bends in the same places already
_MOST_CAREFUL = 60  # curves of a morph that are matched with more care than that


def curve_maker(
    method: Method,
    *,
    page: float,
    elastic: bool = True,
    coefficients: int | None = None,
    wavelet: str = "db4",
    preset: str = "jelly",
    seconds: float | None = None,
) -> CurveMaker:
    """The function that films two curves by a method; options as in :func:`~kinetune.contours.morphing.morph.morph`.

    page : the longer side of the page.
    """
    if method not in get_args(Method):
        raise ParameterError(f'method must be one of {", ".join(get_args(Method))}, not "{method}".')
    if coefficients is not None and method != "linear":
        raise ParameterError(f'coefficients are an option of the method "linear", not of "{method}".')
    if method == "linear":
        return partial(linear_film, wavelet=wavelet, coefficients=coefficients)
    if method == "schedule":
        return partial(schedule_film, wavelet=wavelet)
    if method == "physical":
        from kinetune.contours.morphing.physical_films import physical_film

        return partial(physical_film, preset=preset, seconds=seconds)
    left = _MOST_CAREFUL

    def safe(a: Outline, b: Outline, *given: Any, **more: Any) -> CurveFilm:
        nonlocal left
        seen = left > 0 and max(a.size, b.size) > _SMALL * page
        left -= seen
        worth = elastic and seen and align(a, b, 1)[0].score < _ALIKE
        if a.closed:
            return safe_ring(a, b, *given, elastic=worth, choosy=seen, **more)
        return safe_line(a, b, *given, elastic=worth, **more)

    return safe
