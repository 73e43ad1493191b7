"""CSS colours as numbers and back."""

from __future__ import annotations

import re
from functools import lru_cache

from kinetune.errors import ParameterError

RGBA = tuple[float, float, float, float]

_FUNCTION = re.compile(r"(rgb|hsl)a?\(([^)]*)\)", re.IGNORECASE)
_PART = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(%|deg|rad|turn)?", re.IGNORECASE)


@lru_cache(maxsize=4096)
def parse_colour(text: str) -> RGBA:
    """A CSS colour (a name, #rgb, #rrggbb, #rrggbbaa, rgb(), hsl(), transparent) as red, green, blue, alpha, 0 to 1."""
    from PIL import ImageColor

    word = text.strip().lower()
    if word == "transparent":
        return (0.0, 0.0, 0.0, 0.0)
    call = _FUNCTION.fullmatch(word)
    if call is not None:
        return _called(call[1], call[2], text)
    try:
        numbers = ImageColor.getrgb(word)
    except ValueError:
        raise ParameterError(
            f'"{text}" is no CSS colour. Write a name such as "teal", or "#rrggbb", or "rgb(0, 128, 128)".'
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

    turns = {"rad": 0.15915494309189535, "turn": 1.0}.get(parts[0][1], 1 / 360) * values[0]
    red, green, blue = colorsys.hls_to_rgb(turns % 1.0, _unit(values[2]), _unit(values[1]))
    return red, green, blue, alpha


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))


def to_hex(colour: tuple[float, ...]) -> str:
    """Red, green, blue (0 to 1) as "#rrggbb"; an alpha is left out."""
    return "#" + "".join(f"{round(255 * _unit(part)):02x}" for part in colour[:3])
