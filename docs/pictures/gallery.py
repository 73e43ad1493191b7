"""Make the 24 films of the gallery, each as a strip of seven frames.

    python docs/pictures/gallery.py [NAME ...] [-o FOLDER]

All drawings are made here or come with the package. NAME is a film such as cat-dog.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from kinetune.contours.drawing import Contour, Drawing, Layer
from kinetune.contours.morphing.canvas import enlarge_canvas
from kinetune.contours.morphing.morph import morph
from kinetune.figures.drawings.drawing_paint import strip_picture
from kinetune.samples.drawings import sample_drawing

FRAMES, SHOWN, HEIGHT = 25, 7, 96
INK = "#2b2b33"

Point = tuple[float, float]


def oval(x: float, y: float, width: float, height: float, fill: str, tilt_deg: float = 0.0) -> Layer:
    turn = np.exp(2j * np.pi * np.arange(64) / 64)
    z = complex(x, y) + (width * turn.real + 1j * height * turn.imag) * np.exp(1j * np.radians(tilt_deg))
    return Layer((Contour(z),), fill=fill)


def disc(x: float, y: float, radius: float, fill: str) -> Layer:
    return oval(x, y, radius, radius, fill)


def shape(fill: str, *points: Point) -> Layer:
    return Layer((Contour(np.array(points)),), fill=fill)


def soft(fill: str, *points: Point) -> Layer:
    """A closed curve that runs smoothly near points."""
    return Layer((Contour(_smooth(np.array(points, dtype=float), closed=True)),), fill=fill)


def line(*points: Point, ink: str = INK, width: float = 3.0) -> Layer:
    z = _smooth(np.array(points, dtype=float), closed=False)
    return Layer((Contour(z, False),), fill=None, stroke=ink, stroke_width=width, stroke_cap="round")


def _smooth(points: np.ndarray, closed: bool) -> np.ndarray:
    """Corners cut four times (Chaikin)."""
    for _ in range(4):
        after = np.roll(points, -1, axis=0)
        cut = np.stack([0.75 * points + 0.25 * after, 0.25 * points + 0.75 * after], axis=1)
        rows = cut.reshape(-1, 2)
        points = rows if closed else np.concatenate([points[:1], rows[:-2], points[-1:]])
    return points


def outlined(layer: Layer, width: float = 3.0) -> tuple[Layer, Layer]:
    """A fill, and its outline as a layer of its own."""
    return layer, Layer(layer.contours, fill=None, stroke=INK, stroke_width=width, stroke_join="round")


def pair(make: Callable[[float], Layer], x: float) -> tuple[Layer, Layer]:
    """Something left and right of the middle."""
    return make(50 - x), make(50 + x)


def mirrored(layer: Layer) -> Layer:
    return layer.replace_contours(tuple(Contour(c.points * [-1, 1] + [100, 0], c.closed) for c in layer.contours))


def cat() -> Drawing:
    ear, inner = shape("#e8a33d", (16, 50), (20, 10), (48, 30)), shape("#f6c9a8", (22, 40), (24, 20), (38, 32))
    head = oval(50, 58, 36, 32, "#e8a33d")
    eyes = pair(lambda x: oval(x, 54, 5, 7, INK), 15)
    whiskers = [line((20, y), (4, y + dy), ink="#7a5a30", width=1.5) for y, dy in ((64, -3), (69, 2))]
    nose = shape("#d9687a", (45, 65), (55, 65), (50, 71))
    mouth = line((40, 75), (45, 80), (50, 74), (55, 80), (60, 75), width=2.5)
    ears = (ear, mirrored(ear), inner, mirrored(inner))
    return Drawing((*ears, head, *eyes, *whiskers, *map(mirrored, whiskers), nose, mouth))


def dog() -> Drawing:
    ear = soft("#6b4330", (22, 22), (6, 30), (8, 66), (24, 62), (30, 36))
    head = soft("#c58b5a", (22, 24), (78, 24), (86, 60), (66, 92), (34, 92), (14, 60))
    muzzle = oval(50, 72, 20, 16, "#ead3bc")
    eyes = pair(lambda x: oval(x, 48, 5, 6, INK), 15)
    tongue = soft("#d9485f", (44, 78), (56, 78), (56, 96), (44, 96))
    return Drawing((head, ear, mirrored(ear), *eyes, tongue, muzzle, oval(50, 64, 8, 5.5, INK)))


def bear() -> Drawing:
    ears = (*pair(lambda x: disc(x, 24, 14, "#8a5a3c"), 28), *pair(lambda x: disc(x, 24, 7, "#d9a48a"), 28))
    head = oval(50, 56, 38, 36, "#8a5a3c")
    eyes = pair(lambda x: disc(x, 50, 4.5, INK), 14)
    mouth = line((43, 78), (50, 82), (57, 78), width=2.5)
    return Drawing((*ears, head, oval(50, 70, 17, 14, "#e2b99d"), *eyes, oval(50, 64, 7, 5, INK), mouth))


def rabbit() -> Drawing:
    ears = (*pair(lambda x: oval(x, 24, 8, 22, "#cfd3da"), 15), *pair(lambda x: oval(x, 25, 4, 16, "#eab6c0"), 15))
    head = oval(50, 66, 30, 27, "#cfd3da")
    eyes = pair(lambda x: disc(x, 60, 4, INK), 12)
    teeth = shape("#ffffff", (46, 80), (54, 80), (54, 88), (46, 88))
    return Drawing((*ears, head, *eyes, teeth, shape("#d9687a", (45, 70), (55, 70), (50, 76))))


def smile() -> Drawing:
    face, edge = outlined(disc(50, 50, 40, "#ffd84a"))
    eyes = pair(lambda x: disc(x, 42, 4.5, INK), 14)
    return Drawing((face, *eyes, line((28, 60), (38, 76), (62, 76), (72, 60)), edge))


def frown() -> Drawing:
    face, edge = outlined(disc(50, 50, 40, "#ffd84a"))
    eyes = pair(lambda x: disc(x, 46, 4.5, INK), 14)
    tear = soft("#6fb7ef", (33, 54), (38, 66), (33, 70), (28, 66))
    return Drawing((face, *eyes, line((32, 74), (42, 64), (58, 64), (68, 74)), tear, edge))


def angry() -> Drawing:
    face, edge = outlined(disc(50, 50, 40, "#ef7b52"))
    eyes = pair(lambda x: oval(x, 50, 4.5, 5.5, INK), 15)
    brow = shape(INK, (24, 32), (44, 42), (43, 46), (22, 37))
    return Drawing((face, *eyes, brow, mirrored(brow), line((34, 74), (42, 68), (58, 68), (66, 74)), edge))


def pumpkin() -> Drawing:
    body, edge = outlined(
        soft("#ee8322", (50, 26), (80, 24), (96, 55), (80, 90), (50, 88), (20, 90), (4, 55), (20, 24))
    )
    stem = soft("#5c7a3a", (45, 10), (55, 8), (56, 28), (44, 28))
    eyes = shape(INK, (30, 44), (40, 56), (24, 56))
    mouth = soft(INK, (24, 66), (50, 76), (76, 66), (66, 82), (34, 82))
    return Drawing((stem, body, eyes, mirrored(eyes), mouth, edge))


def sun() -> Drawing:
    rays = []
    for k in range(8):
        turn = np.exp(2j * np.pi * k / 8)
        z = 50 + 50j + turn * np.array([30 - 5j, 46 + 0j, 30 + 5j])
        rays.append(Layer((Contour(z),), fill="#f4a62a"))
    return Drawing((*rays, disc(50, 50, 26, "#ffcf3f")))


def moon() -> Drawing:
    body = soft("#f2e2a0", (62, 10), (30, 14), (14, 50), (30, 86), (64, 90), (44, 76), (36, 50), (44, 24))
    return Drawing((body, *(disc(x, y, r, "#d9c67c") for x, y, r in ((26, 46, 4), (32, 66, 3)))))


def flower() -> Drawing:
    petals = [
        oval(50 + 22 * np.cos(a), 38 + 22 * np.sin(a), 13, 10, "#e0679a", np.degrees(a))
        for a in np.arange(6) * np.pi / 3
    ]
    leaf = soft("#5f9a4a", (50, 90), (70, 74), (78, 80), (60, 94))
    return Drawing((line((50, 50), (50, 98), ink="#5f9a4a", width=4.0), leaf, *petals, disc(50, 38, 12, "#ffd84a")))


def tree() -> Drawing:
    crown, edge = outlined(soft("#5f9a4a", (50, 6), (78, 18), (88, 44), (70, 64), (30, 64), (12, 44), (22, 18)))
    fruit = [disc(x, y, 4, "#d9485f") for x, y in ((36, 34), (64, 30), (52, 50))]
    return Drawing((shape("#8a5a3c", (44, 58), (56, 58), (60, 96), (40, 96)), crown, *fruit, edge))


def house() -> Drawing:
    walls, edge = outlined(shape("#f0d9b0", (20, 46), (80, 46), (80, 92), (20, 92)))
    roof, eaves = outlined(shape("#c0503f", (10, 48), (50, 12), (90, 48)))
    windows = pair(lambda x: shape("#8fc7ea", (x - 7, 56), (x + 7, 56), (x + 7, 70), (x - 7, 70)), 18)
    return Drawing((walls, *windows, shape("#8a5a3c", (44, 72), (56, 72), (56, 92), (44, 92)), edge, roof, eaves))


def car() -> Drawing:
    body = soft("#d9404a", (6, 50), (24, 48), (36, 26), (68, 26), (80, 48), (94, 52), (94, 74), (6, 74))
    glass = pair(lambda x: shape("#bfe0f2", (x - 10, 46), (x - 8, 34), (x + 8, 34), (x + 10, 46)), 12)
    wheels = (*pair(lambda x: disc(x, 74, 11, INK), 24), *pair(lambda x: disc(x, 74, 5, "#c8ccd2"), 24))
    return Drawing((body, *glass, *wheels))


def bus() -> Drawing:
    body = soft("#f0b429", (6, 24), (94, 24), (95, 30), (95, 74), (5, 74), (5, 30))
    glass = [shape("#bfe0f2", (x, 32), (x + 17, 32), (x + 17, 48), (x, 48)) for x in (12, 41.5, 71)]
    wheels = (*pair(lambda x: disc(x, 76, 10, INK), 26), *pair(lambda x: disc(x, 76, 4, "#c8ccd2"), 26))
    return Drawing((body, *glass, *wheels))


def fish() -> Drawing:
    body, edge = outlined(soft("#4aa3d8", (6, 50), (30, 26), (62, 34), (76, 50), (62, 66), (30, 74)))
    tail, back = outlined(shape("#3a7fb0", (72, 50), (94, 30), (88, 50), (94, 70)))
    return Drawing((tail, back, body, disc(26, 46, 5, "#ffffff"), disc(25, 46, 2.5, INK), edge))


def bird() -> Drawing:
    body, edge = outlined(soft("#7fc4ea", (14, 40), (34, 18), (58, 34), (92, 30), (72, 70), (36, 74), (20, 60)))
    wing = soft("#4aa3d8", (42, 46), (76, 42), (66, 60), (48, 60))
    beak = shape("#f0a030", (16, 40), (2, 48), (17, 50))
    legs = [line((x, 72), (x, 92), (x - 6, 92), ink="#f0a030") for x in (44, 56)]
    return Drawing((*legs, beak, body, wing, disc(30, 38, 4, INK), edge))


def butterfly() -> Drawing:
    upper = soft("#b06ad0", (46, 44), (14, 8), (4, 40), (24, 56))
    lower = soft("#8450b0", (46, 52), (20, 56), (16, 84), (42, 80))
    spot = disc(22, 34, 5, "#f5d76e")
    feeler = line((48, 30), (44, 16), (36, 12), width=2.0)
    body = oval(50, 54, 4.5, 26, INK)
    return Drawing(
        (upper, mirrored(upper), lower, mirrored(lower), spot, mirrored(spot), feeler, mirrored(feeler), body)
    )


def heart() -> Drawing:
    body, edge = outlined(soft("#e04a5f", (50, 30), (70, 4), (98, 22), (88, 56), (50, 98), (12, 56), (2, 22), (30, 4)))
    return Drawing((body, oval(30, 30, 8, 5, "#f6a6b0", -35), edge))


def star() -> Drawing:
    angle = -np.pi / 2 + np.pi * np.arange(10) / 5
    radius = np.where(np.arange(10) % 2 == 0, 44, 19)
    body, edge = outlined(shape("#ffcf3f", *zip(50 + radius * np.cos(angle), 52 + radius * np.sin(angle), strict=True)))
    return Drawing((body, edge))


def cup() -> Drawing:
    handle = line((70, 44), (92, 42), (90, 70), (66, 70), ink="#5b86c0", width=6.0)
    body, edge = outlined(soft("#5b86c0", (16, 34), (76, 34), (72, 84), (60, 90), (32, 90), (20, 84)))
    steam = [line((x, 26), (x - 5, 18), (x + 5, 10), (x, 2), ink="#b8bcc6", width=2.5) for x in (34, 48, 62)]
    return Drawing((handle, body, oval(46, 36, 29, 5, "#6b4330"), edge, *steam))


def ghost() -> Drawing:
    body, edge = outlined(
        soft(
            "#eef0f6",
            (18, 92),
            (18, 40),
            (34, 10),
            (66, 10),
            (82, 40),
            (82, 92),
            (66, 80),
            (58, 94),
            (50, 82),
            (42, 94),
            (34, 80),
        )
    )
    eyes = pair(lambda x: oval(x, 40, 5, 7, INK), 12)
    return Drawing((body, *eyes, oval(50, 60, 5, 7, INK), edge))


DRAWINGS: dict[str, Callable[[], Drawing]] = {
    made.__name__: made
    for made in (
        cat, dog, bear, rabbit, smile, frown, angry, pumpkin, sun, moon, flower, tree, house, car, bus, fish, bird,
        butterfly, heart, star, cup, ghost,
    )
}  # fmt: skip

FILMS = (
    "cat-dog", "dog-bear", "bear-rabbit", "rabbit-cat", "smile-frown", "frown-angry", "angry-pumpkin", "pumpkin-ghost",
    "ghost-smile", "sun-moon", "sun-flower", "flower-tree", "tree-house", "car-bus", "bus-house", "fish-bird",
    "bird-butterfly", "heart-star", "star-sun", "cup-heart", "cat-angry", "smile-cat", "face-happy:face-sad",
    "dog-1:dog-2",
)  # fmt: skip


def drawing(name: str) -> Drawing:
    return DRAWINGS[name]() if name in DRAWINGS else sample_drawing(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", default=FILMS, metavar="NAME")
    parser.add_argument("-o", "--folder", type=Path, default=Path(__file__).parent / "gallery")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    for name in asked.names:
        a, b = name.split(":" if ":" in name else "-")
        film = enlarge_canvas(morph(drawing(a), drawing(b), FRAMES, ease="smooth"))
        shown = [film[k] for k in np.linspace(0, FRAMES - 1, SHOWN).round().astype(int)]
        picture = strip_picture(shown, HEIGHT, columns=SHOWN).convert("P", palette=1, colors=64)
        path = asked.folder / f"{name.replace(':', '-')}.png"
        picture.save(path, optimize=True)
        print(path)


if __name__ == "__main__":
    main()
