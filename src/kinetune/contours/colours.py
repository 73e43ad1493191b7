"""CSS colours as numbers and back, and colours between two colours as the eye sees them (OKLab)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from kinetune.errors import ParameterError
from kinetune.rotations import Floats

if TYPE_CHECKING:
    from kinetune.contours.drawing import Layer

RGBA = tuple[float, float, float, float]
Paint = tuple[str | None, float]
"""A CSS colour or None, and an opacity from 0 to 1."""

_FUNCTION = re.compile(r"(rgb|hsl)a?\(([^)]*)\)", re.IGNORECASE)
_PART = re.compile(r"([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)(%|deg|rad|turn)?", re.IGNORECASE)

# OKLab, https://bottosson.github.io/posts/oklab: linear sRGB to cone responses, and their cube roots to L, a, b.
_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _to_oklab(rgb: Floats) -> Floats:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    lab: Floats = _LAB @ np.cbrt(_CONES @ linear)
    return lab


def _from_oklab(lab: Floats) -> Floats:
    linear = np.linalg.solve(_CONES, np.linalg.solve(_LAB, lab) ** 3)
    linear = np.clip(linear, 0.0, 1.0)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1.0 / 2.4) - 0.055)


def oklab(rgb: Floats) -> Floats:
    """Red, green, blue (n, 3) from 0 to 1 as OKLab (n, 3), in which distances are as the eye sees them."""
    return _to_oklab(rgb.T).T


def mix_paint(a: Paint, b: Paint, t: float) -> Paint:
    """The paint between a (t = 0) and b (t = 1), mixed in OKLab with the more opaque end weighing more.

    None becomes visible, or vanishes, in the colour of the other end.
    """
    if a == b or t <= 0.0:
        return a
    if t >= 1.0:
        return b
    (rgb_a, seen_a), (rgb_b, seen_b) = _seen(a), _seen(b)
    seen = (1.0 - t) * seen_a + t * seen_b
    if seen == 0.0:
        return (b if a[0] is None else a)[0], 0.0
    share = t * seen_b / seen  # an invisible end has no colour to mix in
    return to_hex(_from_oklab((1.0 - share) * _to_oklab(rgb_a) + share * _to_oklab(rgb_b)).tolist()), seen


def mix_layers(a: Layer, b: Layer, t: float, scale_a: float = 1.0, scale_b: float = 1.0) -> Layer:
    """A layer without curves whose fill, stroke and stroke width lie between those of a (t = 0) and b (t = 1).

    Name, caps and joins are those of the nearer end. A stroke that only one end has keeps its width and fades.

    Parameters
    ----------
    scale_a, scale_b : what the stroke widths of a and of b are multiplied by.
    """
    from kinetune.contours.gradients import mix_fills

    (fill, fill_opacity), fill_gradient = mix_fills(
        ((a.fill, a.fill_opacity), a.fill_gradient), ((b.fill, b.fill_opacity), b.fill_gradient), t
    )
    (stroke, stroke_opacity), stroke_gradient = mix_fills(
        ((a.stroke, a.stroke_opacity), a.stroke_gradient), ((b.stroke, b.stroke_opacity), b.stroke_gradient), t
    )
    width_a, width_b = scale_a * a.stroke_width, scale_b * b.stroke_width
    if a.stroke is None or b.stroke is None:
        width_a = width_b = width_b if a.stroke is None else width_a
    return replace(
        a if t < 0.5 else b,
        contours=(),
        fill=fill,
        fill_opacity=fill_opacity,
        stroke=stroke,
        stroke_opacity=stroke_opacity,
        stroke_width=(1.0 - t) * width_a + t * width_b,
        fill_gradient=fill_gradient,
        stroke_gradient=stroke_gradient,
    )


def _seen(paint: Paint) -> tuple[Floats, float]:
    """Red, green, blue and opacity of a paint; none is invisible."""
    if paint[0] is None:
        return np.zeros(3), 0.0
    colour = parse_colour(paint[0])
    return np.array(colour[:3]), colour[3] * paint[1]


def paints_apart(a: Sequence[Paint], b: Sequence[Paint], chroma: float = 1.0) -> Floats:
    """How different paints look, (a, b), from 0 (alike) to about 1 (black and white, or one of them none).

    chroma : how much hue and saturation count beside lightness.
    """
    (lab_a, seen_a), (lab_b, seen_b) = _labs(a), _labs(b)
    apart = np.linalg.norm((lab_a[:, None] - lab_b) * [1.0, chroma, chroma], axis=-1)
    differences: Floats = apart * np.minimum(seen_a[:, None], seen_b) + np.abs(seen_a[:, None] - seen_b)
    return differences


def _labs(paints: Sequence[Paint]) -> tuple[Floats, Floats]:
    """OKLab (n, 3) and opacity (n,) of paints."""
    seen = [_seen(paint) for paint in paints]
    labs = np.array([_to_oklab(rgb) for rgb, _ in seen]).reshape(-1, 3)
    return labs, np.array([opacity for _, opacity in seen])


@lru_cache(maxsize=4096)
def parse_colour(text: str) -> RGBA:
    """A CSS colour (a name, #rgb, #rrggbb, #rrggbbaa, rgb(), hsl(), transparent) as red, green, blue, alpha, 0 to 1."""
    from PIL import ImageColor

    name = text.strip().lower()
    if name == "transparent":
        return (0.0, 0.0, 0.0, 0.0)
    call = _FUNCTION.fullmatch(name)
    if call is not None:
        return _called(call[1], call[2], text)
    try:
        numbers = ImageColor.getrgb(name)
    except ValueError:
        raise ParameterError(
            f'"{text}" is not a CSS colour. Write a name such as "teal", or "#rrggbb", or "rgb(0, 128, 128)".'
        ) from None
    red, green, blue = (part / 255 for part in numbers[:3])
    return red, green, blue, (numbers[3] / 255 if len(numbers) == 4 else 1.0)


def _called(function: str, inside: str, text: str) -> RGBA:
    """rgb() and hsl(), with commas or without, with percentages and alpha."""
    parts = _PART.findall(inside)
    if len(parts) not in (3, 4):
        raise ParameterError(f'"{text}" has {len(parts)} numbers; {function}() takes three, or four with an alpha.')
    values = [float(number) / (100 if unit == "%" else 1) for number, unit in parts]
    alpha = _unit(values[3]) if len(values) == 4 else 1.0
    if function == "rgb":
        red, green, blue = (
            _unit(value if unit == "%" else value / 255) for value, (_, unit) in zip(values[:3], parts[:3], strict=True)
        )
        return red, green, blue, alpha
    import colorsys

    hue = {"rad": 0.15915494309189535, "turn": 1.0}.get(parts[0][1], 1 / 360) * values[0]
    red, green, blue = colorsys.hls_to_rgb(hue % 1.0, _unit(values[2]), _unit(values[1]))
    return red, green, blue, alpha


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))


def to_hex(colour: tuple[float, ...]) -> str:
    """Red, green, blue (0 to 1) as "#rrggbb"; an alpha is left out."""
    return "#" + "".join(f"{round(255 * _unit(part)):02x}" for part in colour[:3])
