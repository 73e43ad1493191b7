"""Small Lottie animations: a square that moves and turns green, and one with everything that is read."""

from __future__ import annotations

from typing import Any

STILL: dict[str, Any] = {"a": {"k": [0, 0]}, "p": {"k": [0, 0]}, "s": {"k": [100, 100]}, "r": {"k": 0}, "o": {"k": 100}}


def path(points: list[list[float]], closed: bool = True) -> dict[str, Any]:
    flat = [[0, 0]] * len(points)
    return {"c": closed, "v": points, "i": flat, "o": flat}


def keyed(*keys: tuple[float, Any], **ease: Any) -> dict[str, Any]:
    return {"a": 1, "k": [{"t": t, "s": value, **ease} for t, value in keys]}


def shape_layer(*items: dict[str, Any], **others: Any) -> dict[str, Any]:
    return {"ty": 4, "nm": "shape", "ip": 0, "op": 25, "st": 0, "ks": STILL, "shapes": list(items), **others}


SQUARE = [[0, 0], [20, 0], [20, 20], [0, 20]]
MOVED = [[60, 0], [80, 0], [80, 20], [60, 20]]
FILL = {"ty": "fl", "c": keyed((0, [1, 0, 0, 1]), (24, [0, 1, 0, 1])), "o": {"k": 100}, "r": 1}
STROKE = {"ty": "st", "c": {"k": [0, 0, 1]}, "o": {"k": 50}, "w": {"k": 4}, "lc": 2, "lj": 2}
GRADIENT = {
    "ty": "gf", "t": 1, "o": {"k": 100}, "s": {"k": [-10, 0]}, "e": {"k": [10, 0]},
    "g": {"p": 2, "k": {"k": [0, 1, 0, 0, 1, 0, 0, 1]}},
}  # fmt: skip


def document(*layers: dict[str, Any], assets: list[Any] | None = None) -> dict[str, Any]:
    return {
        "v": "5.7.0",
        "fr": 24,
        "ip": 0,
        "op": 25,
        "w": 100,
        "h": 100,
        "layers": list(layers),
        "assets": assets or [],
    }


def moving_square() -> dict[str, Any]:
    """A path that moves by 60 in 24 frames, red to green, outlined."""
    linear = {"i": {"x": [0.5], "y": [0.5]}, "o": {"x": [0.5], "y": [0.5]}}
    ks = keyed((0, [path([[float(x), float(y)] for x, y in SQUARE])]), (24, [path(MOVED)]), **linear)
    return document(shape_layer({"ty": "gr", "nm": "box", "it": [{"ty": "sh", "ks": ks}, STROKE, FILL]}))


def everything() -> dict[str, Any]:
    """Parents, a precomposition, an ellipse with a gradient, a round rectangle, a star, a mask, a solid."""
    ellipse = {"ty": "el", "p": {"k": [0, 0]}, "s": {"k": [20, 20]}}
    placed = {"ty": "tr", **STILL, "p": {"k": [50, 50]}, "r": {"k": 90}}
    box = {"ty": "rc", "p": {"k": [20, 80]}, "s": {"k": [20, 10]}, "r": {"k": 3}}
    star = {"ty": "sr", "sy": 1, "pt": {"k": 5}, "p": {"k": [80, 80]}, "or": {"k": 10}, "ir": {"k": 4}, "r": {"k": 0}}
    mask = {"mode": "a", "inv": False, "pt": {"k": path([[0, 0], [50, 0], [50, 100], [0, 100]])}, "o": {"k": 100}}
    return document(
        {"ty": 3, "ind": 1, "ks": {**STILL, "p": {"k": [0, 10]}}, "ip": 0, "op": 25},
        shape_layer({"ty": "gr", "it": [ellipse, GRADIENT, placed]}, parent=1, ind=2),
        shape_layer({"ty": "gr", "it": [box, star, FILL]}, masksProperties=[mask]),
        {"ty": 0, "refId": "inner", "ks": {**STILL, "o": {"k": 50}}, "ip": 0, "op": 25, "st": 0},
        assets=[
            {"id": "inner", "layers": [{"ty": 1, "sw": 10, "sh": 10, "sc": "#ffff00", "ks": STILL, "nm": "solid"}]}
        ],
    )
