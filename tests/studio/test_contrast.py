"""Words can be read in both themes: contrast as WCAG 2.2 reckons it, from the style sheet's own tokens."""

import re
from pathlib import Path

import numpy as np
import pytest

import kinetune.studio

TOKENS = (Path(kinetune.studio.__file__).parent / "web" / "styles" / "tokens.css").read_text(encoding="utf-8")
THEMES = {"dark": ':root, [data-theme="dark"]', "light": '[data-theme="light"] {'}
SURFACES = ("panel", "raised", "overlay", "inset", "vp-mid")
WORDS = ("text-1", "text-2", "text-3", "edited", "good", "bad", "left-ink", "right-ink")
MARKS = ("ghost", "line-control", "axis-x", "axis-y", "axis-z", "focus")
WASHED = [  # words, the wash behind them, the surface under it
    ("edited", "edited-soft", "panel"),
    ("good", "good-soft", "panel"),
    ("bad", "bad-soft", "panel"),
    ("text-2", "bad-soft", "panel"),
    ("text-1", "select", "overlay"),
    ("text-2", "select", "overlay"),
    ("text-3", "select", "panel"),
    ("text-2", "hover", "panel"),
]


@pytest.fixture(params=THEMES, ids=str)
def theme(request):
    """The colours of a theme by name."""
    start = TOKENS.index(THEMES[request.param])
    block = TOKENS[start : TOKENS.index("\n}", start)]
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-fA-F]{3,6}|rgba\([^)]*\))", block))


def colour(theme, name, under=None):
    """Red, green and blue from 0 to 1, over what lies under it."""
    said = theme[name]
    if said.startswith("#"):
        digits = said[1:] if len(said) == 7 else "".join(2 * digit for digit in said[1:])
        return np.array([int(digits[k : k + 2], 16) for k in (0, 2, 4)]) / 255.0
    *parts, share = (float(part) for part in said[5:-1].split(","))
    return share * np.array(parts) / 255.0 + (1.0 - share) * colour(theme, under)


def contrast(one, other):
    def luminance(rgb):
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_ratio_is_the_one_of_the_guidelines():
    black, white, grey = np.zeros(3), np.ones(3), np.full(3, 0x77 / 255)
    assert contrast(black, white) == pytest.approx(21.0)
    assert contrast(grey, white) == pytest.approx(4.48, abs=0.005), "#777 on white just fails, as is well known"


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("surface", SURFACES)
def test_words_have_a_contrast_of_four_and_a_half(theme, name, surface):
    assert contrast(colour(theme, name), colour(theme, surface)) >= 4.5


@pytest.mark.parametrize("name", MARKS)
@pytest.mark.parametrize("surface", SURFACES)
def test_marks_and_edges_have_a_contrast_of_three(theme, name, surface):
    assert contrast(colour(theme, name), colour(theme, surface)) >= 3.0


@pytest.mark.parametrize(("name", "wash", "surface"), WASHED)
def test_words_can_be_read_on_a_wash(theme, name, wash, surface):
    assert contrast(colour(theme, name), colour(theme, wash, surface)) >= 4.5


@pytest.mark.parametrize(("name", "behind"), [("on-invert", "invert"), ("on-edited", "edited")])
def test_words_on_a_filled_button(theme, name, behind):
    assert contrast(colour(theme, name), colour(theme, behind)) >= 4.5
