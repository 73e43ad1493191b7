"""Every feature of SVG that a drawing can hold is drawn as the specification says; what is not is named."""

from __future__ import annotations

import numpy as np
import pytest

from kinetune.contours.colours import parse_colour
from kinetune.contours.svg.reader import parse_drawing
from kinetune.figures.drawings.drawing_paint import paint_drawing
from tests.contours.svg.feature_files import Probe, feature_files


@pytest.mark.parametrize("name", feature_files())
def test_a_feature_shows_the_colours_that_svg_asks_for(name: str) -> None:
    text, probes = feature_files()[name]
    drawing = parse_drawing(text)
    picture = np.asarray(paint_drawing(drawing, 400, background="white")).astype(int)
    for x, y, colour in probes:
        shown, asked = picture[int(4 * y), int(4 * x)], np.round(255 * np.array(parse_colour(colour)[:3]))
        assert np.abs(shown - asked).max() <= 5, f"at {x}, {y}: {shown} instead of {asked}"
    assert bool(drawing.notes) == name.endswith("with a warning")
    _survives_writing(drawing.to_svg(), probes)


def _survives_writing(text: str, probes: tuple[Probe, ...]) -> None:
    picture = np.asarray(paint_drawing(parse_drawing(text), 400, background="white")).astype(int)
    for x, y, colour in probes:
        assert np.abs(picture[int(4 * y), int(4 * x)] - np.round(255 * np.array(parse_colour(colour)[:3]))).max() <= 5
