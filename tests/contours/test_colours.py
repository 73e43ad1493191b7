import numpy as np
import pytest

from kinetune.contours.colours import _from_oklab, _to_oklab, mix_layers, mix_paint, paints_apart, parse_colour, to_hex
from kinetune.contours.drawing import Layer
from kinetune.errors import ParameterError


def test_oklab_against_printed_values() -> None:
    """Ottosson's canvas prints OKLab of XYZ colours; white is (1, 0, 0), and pure red as in the CSS Color 4 draft."""
    np.testing.assert_allclose(_to_oklab(np.ones(3)), [1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(_to_oklab(np.array([1.0, 0, 0])), [0.62796, 0.22486, 0.12585], atol=2e-5)


def test_there_and_back() -> None:
    colours = np.random.default_rng(0).uniform(0, 1, (50, 3))
    for colour in colours:
        np.testing.assert_allclose(_from_oklab(_to_oklab(colour)), colour, atol=1e-9)


def test_the_ends_are_what_was_given() -> None:
    assert mix_paint(("red", 1.0), ("#0000ff", 0.5), 0.0) == ("red", 1.0)
    assert mix_paint(("red", 1.0), ("#0000ff", 0.5), 1.0) == ("#0000ff", 0.5)
    assert mix_paint(("teal", 0.3), ("teal", 0.3), 0.4) == ("teal", 0.3)


def test_lightness_changes_evenly() -> None:
    steps = [mix_paint(("#000000", 1.0), ("#ffffff", 1.0), t)[0] for t in np.linspace(0, 1, 6)]
    lightness = [_to_oklab(np.array(parse_colour(str(c))[:3]))[0] for c in steps]
    np.testing.assert_allclose(lightness, np.linspace(0, 1, 6), atol=0.005)


def test_none_fades_in_the_colour_of_the_other() -> None:
    assert mix_paint((None, 1.0), ("#12ab34", 0.8), 0.25) == ("#12ab34", pytest.approx(0.2))
    assert mix_paint(("#12ab34", 0.8), (None, 1.0), 0.25) == ("#12ab34", pytest.approx(0.6))
    assert mix_paint((None, 1.0), (None, 0.4), 0.5)[0] is None


def test_how_different_paints_look() -> None:
    white, black, red, brick, green, none = (
        (colour, 1.0) for colour in ("#fff", "#000", "#ff0000", "#ee1100", "#00ff00", None)
    )
    found = paints_apart([white, red], [white, black, none, brick, green])
    assert found.shape == (2, 5)
    assert found[0, :3] == pytest.approx([0, 1, 1])
    assert found[1, 3] < found[1, 4]
    assert paints_apart([], [white]).shape == (0, 1)


def test_layers_mix_their_strokes() -> None:
    thin = Layer((), "thin", None, "#000000", 1.0, stroke_cap="round")
    thick = Layer((), "thick", None, "#000000", 3.0)
    half = mix_layers(thin, thick, 0.25, 2.0, 2.0)
    assert (half.name, half.stroke_width, half.stroke_cap) == ("thin", 3.0, "round")
    assert mix_layers(thin, thick, 0.75).name == "thick"
    bare = mix_layers(thick, Layer((), "bare"), 0.5)  # a stroke that goes keeps its width and fades
    assert (bare.stroke_width, bare.stroke_opacity) == (3.0, 0.5)


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
