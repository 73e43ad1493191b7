"""The small languages inside SVG attributes: lengths with units, transforms, view boxes, and how a box fits another."""

from __future__ import annotations

import re

import numpy as np

from kinetune.rotations import Floats

Box = tuple[float, float, float, float]

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_length = re.compile(rf"\s*({_NUMBER})\s*(px|pt|pc|mm|cm|in|em|rem|ex|ch|q|%)?\s*", re.IGNORECASE)
_in_letters = re.compile(rf"({_NUMBER})(em|ex|ch)\b", re.IGNORECASE)
_call = re.compile(r"(matrix|translate[XY]?|scale[XY]?|rotate|skew[XY])\s*\(([^)]*)\)", re.IGNORECASE)
_part = re.compile(rf"({_NUMBER})([a-z]+|%)?", re.IGNORECASE)
_number = re.compile(_NUMBER)
_PIXELS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}
_PIXELS |= {"em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "q": 96 / 101.6}
_DEGREES = {"": 1.0, "deg": 1.0, "rad": 180 / np.pi, "turn": 360.0, "grad": 0.9}
IDENTITY = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def length(text: str | None, whole: float, otherwise: float) -> float:
    """A length in pixels of the canvas.

    whole : what 100% means.
    otherwise : the answer where there is no length, or one that cannot be read.
    """
    match = None if text is None else _length.fullmatch(text)
    if match is None:
        return otherwise
    value, unit = float(match[1]), (match[2] or "").lower()
    pixels = value * (whole / 100 if unit == "%" else _PIXELS[unit])
    return pixels if np.isfinite(pixels) else otherwise


def in_pixels(text: str, em: float) -> str:
    """Lengths that are measured in letters of some size, in pixels."""
    if "e" not in text and "c" not in text:
        return text
    return _in_letters.sub(lambda match: f"{float(match[1]) * em * (1.0 if match[2] == 'em' else 0.5):.10g}", text)


def compose(outer: Floats, inner: Floats) -> Floats:
    """The 2 x 3 matrix that moves by ``inner`` first, then by ``outer``."""
    return np.concatenate([outer[:, :2] @ inner[:, :2], outer[:, :2] @ inner[:, 2:] + outer[:, 2:]], axis=1)


def shifted(x: float, y: float) -> Floats:
    """The 2 x 3 matrix that moves by (x, y)."""
    return np.array([[1.0, 0.0, x], [0.0, 1.0, y]])


def transform(text: str, whole: tuple[float, float] = (np.nan, np.nan)) -> Floats | None:
    """The 2 x 3 matrix of a ``transform`` attribute; None for text that is none.

    whole : what 100% means across and down.
    """
    text = text.strip()
    if not text or text.lower() == "none":
        return IDENTITY
    if _call.sub("", text).strip(" \t\r\n,"):
        return None
    result = IDENTITY
    for name, inside in _call.findall(text):
        matrix = _one_transform(name.lower(), _part.findall(inside.lower()), whole)
        if matrix is None:
            return None
        result = compose(result, matrix)
    return result if np.isfinite(result).all() else None


def _one_transform(name: str, parts: list[tuple[str, str]], whole: tuple[float, float]) -> Floats | None:
    n = [float(number) for number, _ in parts]
    if name == "matrix":
        return np.array(n).reshape(3, 2).T if len(n) == 6 else None
    if name in ("rotate", "skewx", "skewy"):
        if not n or parts[0][1] not in _DEGREES:
            return None
        angle = np.radians(n[0] * _DEGREES[parts[0][1]])
        if name == "rotate":
            rotation = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0]])
            if len(n) == 1:
                return rotation
            return compose(compose(shifted(n[1], n[2]), rotation), shifted(-n[1], -n[2])) if len(n) == 3 else None
        slope = np.tan(angle)
        return np.array([[1.0, slope, 0.0], [0.0, 1.0, 0.0]] if name == "skewx" else [[1.0, 0, 0], [slope, 1.0, 0]])
    if len(n) not in (1, 2):
        return None
    if name.startswith("translate"):
        sides = whole[1:] if name == "translatey" else whole
        if any(unit not in {"%", *_PIXELS} for _, unit in parts):
            return None
        n = [length(f"{k}{unit}", side, np.nan) for k, (_, unit), side in zip(n, parts, sides, strict=False)]
        return shifted(*((0.0, n[0]) if name == "translatey" else (n[0], 0.0) if len(n) == 1 else n))
    x, y = (k * (0.01 if unit == "%" else 1.0) for k, (_, unit) in ((n[0], parts[0]), (n[-1], parts[-1])))
    x, y = {"scalex": (x, 1.0), "scaley": (1.0, x)}.get(name, (x, y))
    return np.array([[x, 0.0, 0.0], [0.0, y, 0.0]])


def view_box(text: str | None) -> Box | None:
    """The four numbers of a ``viewBox``; None where there is none that encloses anything."""
    if text is None or _number.sub("", text).strip(" \t\r\n,"):
        return None
    numbers = [float(text_number) for text_number in _number.findall(text)]
    if len(numbers) != 4 or not np.isfinite(numbers).all() or numbers[2] <= 0 or numbers[3] <= 0:
        return None
    return numbers[0], numbers[1], numbers[2], numbers[3]


def fit(box: Box, into: Box, aspect: str) -> Floats:
    """The 2 x 3 matrix that shows a view box in a rectangle, by ``preserveAspectRatio``."""
    options = aspect.split()
    scale = np.array([into[2] / box[2], into[3] / box[3]])
    align = next((word for word in options if word.startswith("x")), "xMidYMid")
    if "none" not in options:
        scale[:] = scale.max() if "slice" in options else scale.min()
    spare = np.array(into[2:]) - scale * np.array(box[2:])
    share = {"Min": 0.0, "Mid": 0.5, "Max": 1.0}
    where = np.array([share.get(align[1:4], 0.5), share.get(align[5:8], 0.5)])
    if "none" in options:
        where[:] = 0.0
    shift = np.array(into[:2]) + where * spare - scale * np.array(box[:2])
    return np.array([[scale[0], 0.0, shift[0]], [0.0, scale[1], shift[1]]])
