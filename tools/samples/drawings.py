"""The sample drawings: a digit, a hoop, two faces and a walking dog in two key poses, all made from formulas here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.tapered_stroke import resample_ring, stroke_outline, tapered_stroke
from kinetune.rotations import Floats
from kinetune.signals.splines.tcb import TCB

_PAGE = (0.0, 0.0, 100.0, 100.0)
_SAMPLES = 256

Point = tuple[float, float]


def _ellipse(centre: Point, radii: Point, turn_deg: float = 0.0, count: int = 96) -> Contour:
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    ring = radii[0] * np.cos(angles) + 1j * radii[1] * np.sin(angles)
    return Contour(complex(*centre) + ring * np.exp(1j * np.radians(turn_deg)))


def _arc(centre: Point, radii: Point, from_deg: float, to_deg: float, count: int) -> Floats:
    """Points (count, 2) on an ellipse; 0 degrees is to the right, 90 down (the page's y runs down)."""
    angles = np.radians(np.linspace(from_deg, to_deg, count))
    return np.stack([centre[0] + radii[0] * np.cos(angles), centre[1] + radii[1] * np.sin(angles)], axis=-1)


def _smooth_ring(keys: list[Point]) -> Contour:
    """A closed outline through a few points: a Kochanek-Bartels spline with time as chord length."""
    corner = np.array([*keys, keys[0]], dtype=float)
    times = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(corner, axis=0), axis=1))])
    curve = TCB(times, corner, closed=True)
    return Contour(resample_ring(curve(np.linspace(0, times[-1], 4 * _SAMPLES, endpoint=False))))


def _lowered(pairs: str, down: float) -> list[Point]:
    """Points written as "x,y x,y", moved down the page."""
    return [(float(x), float(y) + down) for x, y in (pair.split(",") for pair in pairs.split())]


def _digit_three() -> Drawing:
    """Two bowls and the short bar between them, traced as one outline: outer bowls down, inner bowls back up."""
    top, bottom, half = ((47.0, 31.0), (21.0, 18.0)), ((46.0, 67.0), (25.0, 20.5)), 4.5
    grown = [(r[0] + half, r[1] + half) for _, r in (top, bottom)]
    shrunk = [(r[0] - half, r[1] - half) for _, r in (top, bottom)]
    outer_top = _arc(top[0], grown[0], -155, 80, 160)
    outer_bottom = _arc(bottom[0], grown[1], -80, 155, 160)
    outer_top = outer_top[~_inside(outer_top, bottom[0], grown[1])]
    outer_bottom = outer_bottom[~_inside(outer_bottom, top[0], grown[0])]
    inner_bottom = _arc(bottom[0], shrunk[1], 155, -90, 140)
    inner_top = _arc(top[0], shrunk[0], 90, -155, 140)
    bar = _cap(inner_bottom[-1] - [5.0, 0.0], inner_top[0] - [6.0, 0.0])
    outline = [
        outer_top,
        outer_bottom,
        _cap(outer_bottom[-1], inner_bottom[0]),
        inner_bottom,
        bar,
        inner_top,
        _cap(inner_top[-1], outer_top[0]),
    ]
    contour = Contour(resample_ring(np.concatenate(outline), 1024))
    return Drawing((Layer((contour,), "digit"),), _PAGE, "digit-3")


def _inside(points: Floats, centre: Point, radii: Point) -> np.ndarray:
    return np.sum(((points - np.array(centre)) / np.array(radii)) ** 2, axis=1) < 1.0


def _cap(start: Floats, end: Floats) -> Floats:
    """A half circle from start to end, bulging to the right of the way, without its ends."""
    middle, spoke = 0.5 * (start + end), complex(*(start - 0.5 * (start + end)))
    ring = spoke * np.exp(1j * np.linspace(0, np.pi, 20)[1:-1])
    return middle + np.stack([ring.real, ring.imag], axis=-1)


def _hoop() -> Drawing:
    return Drawing(
        (Layer((_ellipse((50, 50), (34, 34), count=_SAMPLES),), "hoop", None, "#23262b", 2.0),), _PAGE, "hoop"
    )


def _face(name: str, mood: float) -> Drawing:
    """A face; mood runs from -1 (sad) to 1 (happy)."""
    skin, ink, blush = "#f3c9a5", "#23262b", "#e39a7c"
    head = _ellipse((50, 52), (34 - 2 * mood, 37 + 1.5 * mood), count=160)
    layers = [Layer((head,), "head", skin, ink, 1.2)]
    for side, name_of_side in ((-1, "right"), (1, "left")):
        x = 50 + 13 * side
        layers.append(Layer((_ellipse((x + 7 * side, 63), (6, 4)),), f"{name_of_side} cheek", blush))
        layers.append(
            Layer((_ellipse((x, 47), (5.5, 6.5 - 1.2 * (mood < 0))),), f"{name_of_side} eye", "#ffffff", ink, 0.8)
        )
        layers.append(Layer((_ellipse((x + 0.8 * mood, 48 - 1.5 * mood), (2.4, 3.0)),), f"{name_of_side} pupil", ink))
        inner, outer = (
            (x - 6 * side, 37 - 4 * max(-mood, 0) - 1 * mood),
            (x + 7 * side, 37 + 4 * max(-mood, 0) - 2 * mood),
        )
        middle = (x + 0.5 * side, 34 - 2.2 * mood)
        layers.append(
            Layer((tapered_stroke([inner, middle, outer], [1.6, 2.6, 1.2]),), f"{name_of_side} brow", "#5b3a24")
        )
    nose = tapered_stroke([(50.5, 52), (52.5, 57.5), (51.5, 60.5), (48.5, 60.5)], [0.9, 1.3, 1.3, 1.0])
    across = np.linspace(-1, 1, 60)
    lips = np.stack([50 + 15 * across, 73 + 5.5 * mood * (1 - across**2) - 1.5 * mood], axis=-1)
    mouth = stroke_outline(lips, 2.0 + (2.6 + 1.5 * max(mood, 0.0)) * (1 - across**2))
    layers += [Layer((nose,), "nose", ink), Layer((mouth,), "mouth", "#a4343a")]
    return Drawing(tuple(layers), _PAGE, name)


def _leg(hip: Point, reach: float, lift: float, front: bool) -> Contour:
    """A dog's leg from the hip down.

    reach : where the paw is, from -1 (far behind) to 1 (far ahead). lift : how far it is off the ground.
    """
    ground = 88.0
    paw_x = hip[0] + 11.0 * reach
    bend = 3.5 + 0.3 * lift if front else -4.5 + 0.5 * lift  # a lifted leg bends at the knee, and its paw hangs
    knee = (0.5 * (hip[0] + paw_x) + bend, 0.52 * hip[1] + 0.48 * ground - 0.45 * lift)
    wrist = (paw_x - 1.0 - 0.1 * lift, ground - 6.5 - lift)
    paw = (wrist[0] + 5.5 - 0.35 * lift, wrist[1] + 4.5)
    return tapered_stroke([hip, knee, wrist, paw], [10.0, 7.0 - 0.1 * lift, 3.4, 3.0])


def _dog(name: str, passing: bool) -> Drawing:
    """A dog from the side, walking to the right, in one of the two key poses of its gait.

    Contact: all paws on the ground, the near hind and the far front one ahead. Passing, a quarter of the cycle later:
    those two have come under the body and carry it, the other two are in the air on their way forward.
    """
    coat, shade, ink = "#c58b4e", "#a06c38", "#2b2019"
    low = 0.0 if passing else 1.4  # the body sinks when the legs are apart
    body = _smooth_ring(
        _lowered(
            "24,50 30,42 46,42.5 62,41 75,43 79,52 72,62 58,62.5 44,60 32,62 25,57",
            low,
        )
    )
    hips, shoulders = (34.0, 57.0 + low), (68.0, 56.0 + low)
    carrying, swinging = ((0.0, 0.0), (0.1, 8.0)) if passing else ((1.0, 0.0), (-1.0, 0.0))
    nod = -1.0 if passing else 1.0
    wag = -3.0 if passing else 3.0
    head = _smooth_ring(_lowered("74,30 80,24.5 87,27 91,31.5 96.5,33.5 97,37.5 91,40 84,42 77,40 73,36", nod))
    layers = (
        Layer((_leg(hips, *swinging, front=False),), "far hind leg", shade, ink, 0.6),
        Layer((_leg(shoulders, *carrying, front=True),), "far front leg", shade, ink, 0.6),
        Layer((tapered_stroke([(26, 46 + low), (17, 37), (15, 26 - wag)], [6.0, 4.5, 2.5]),), "tail", coat, ink, 0.6),
        Layer((tapered_stroke([(68, 46 + low), (76, 36 + nod)], [15.0, 11.0]),), "neck", coat, ink, 0.6),
        Layer((body,), "body", coat, ink, 0.6),
        Layer((_leg(hips, *carrying, front=False),), "near hind leg", coat, ink, 0.6),
        Layer((_leg(shoulders, *swinging, front=True),), "near front leg", coat, ink, 0.6),
        Layer((head,), "head", coat, ink, 0.6),
        Layer(
            (tapered_stroke([(76, 27 + nod), (72.5, 34 + nod), (74, 41 + 1.6 * nod)], [4.0, 6.5, 3.0]),),
            "ear",
            shade,
            ink,
            0.6,
        ),
        Layer((_ellipse((84.5, 31 + nod), (1.3, 1.5)),), "eye", ink),
        Layer((_ellipse((96.2, 34.6 + nod), (1.9, 1.7)),), "nose", ink),
    )
    return Drawing(layers, (0.0, 0.0, 110.0, 100.0), name)


DRAWINGS: dict[str, Callable[[], Drawing]] = {
    "digit-3": _digit_three,
    "hoop": _hoop,
    "face-happy": lambda: _face("face-happy", 1.0),
    "face-sad": lambda: _face("face-sad", -1.0),
    "dog-1": lambda: _dog("dog-1", passing=False),
    "dog-2": lambda: _dog("dog-2", passing=True),
}
