import pytest

from kinetune.contours.svg.css_colours import parse_colour, to_hex
from kinetune.errors import ParameterError


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("teal", "#008080"),
        ("#abc", "#aabbcc"),
        ("#AABBCC", "#aabbcc"),
        (" rgb(1, 2, 255) ", "#0102ff"),
        ("rgb(1 2 255)", "#0102ff"),
        ("rgb(300 -5 0)", "#ff0000"),
        ("hsl(0, 100%, 50%)", "#ff0000"),
        ("hsl(0.5turn 100% 50%)", "#00ffff"),
    ],
)
def test_colours_of_css(text, wanted):
    assert to_hex(parse_colour(text)) == wanted
    assert parse_colour(text)[3] == 1


@pytest.mark.parametrize(
    ("text", "alpha"),
    [("transparent", 0), ("#ff000080", 128 / 255), ("rgb(0 0 0 / 25%)", 0.25), ("rgba(0,0,0,.5)", 0.5)],
)
def test_alpha_is_read(text, alpha):
    assert parse_colour(text)[3] == pytest.approx(alpha)


@pytest.mark.parametrize("text", ["", "tael", "#12", "rgb(1,2)", "url(#a)"])
def test_what_is_no_colour_is_named(text):
    with pytest.raises(ParameterError):
        parse_colour(text)
